"""Cut a recognised turn into steps: a verb, what must be said with it, and its items."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from stalwart_lang.selector.grammar import Grammar
from stalwart_lang.selector.languages import (
    BEFORE_LABELS,
    INDEFINITE,
    OF,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    THEN_AGAIN,
)
from stalwart_lang.vocabulary.model import Language

# What a terminal is good for, whatever the language. Plain numbers: they are compared at each word.
HEAD: Final = 0
HEAD_WITH_PRONOUN: Final = 1
HEAD_WITH_ME: Final = 2
SKIPPED: Final = 3
NUMBER: Final = 4
PREPOSITION: Final = 5
DETERMINER: Final = 6
VALUE: Final = 7
INTEGER: Final = 8
THING: Final = 9
THINGS: Final = 10
COMPLEMENT: Final = 11
MEMBER: Final = 12
LABEL: Final = 13
COLON: Final = 14
THIS: Final = 15
FUSED_THIS: Final = 16
PRONOUN: Final = 17
FUSED_PRONOUN: Final = 18
POSSESSIVE: Final = 19
CLITIC: Final = 20
ME: Final = 21
FOR_ME: Final = 22
ALL: Final = 23
ASK: Final = 24
MIND: Final = 25
FIRST: Final = 26
OWNER: Final = 27
COMMA: Final = 28
AND: Final = 29
THEN: Final = 30
STOP: Final = 31
QUESTION: Final = 32

_OF_TERMINAL: Mapping[str, int] = {
    "BASE": HEAD,
    "ING": HEAD,
    "IMPERATIVE": HEAD,
    "INFORMAL": HEAD,
    "INFINITIVE": HEAD,
    "PAST_SUBJUNCTIVE": HEAD,
    "IMPERATIVE_CLITIC": HEAD_WITH_PRONOUN,
    "INFINITIVE_CLITIC": HEAD_WITH_PRONOUN,
    "IMPERATIVE_ME": HEAD_WITH_ME,
    "INFINITIVE_ME": HEAD_WITH_ME,
    "DET": DETERMINER,
    "THESE": THIS,
    "WANT": SKIPPED,
    "WANT_AT_START": SKIPPED,
    "OWNER": OWNER,
    "WANT_THAT": SKIPPED,
    "WANTED_THAT": SKIPPED,
    "THAT_ARE": SKIPPED,
    "NUMBER": NUMBER,
    "INTEGER": INTEGER,
    "THING": THING,
    "THINGS": THINGS,
    "COMPLEMENT": COMPLEMENT,
    "MEMBER": MEMBER,
    "LABEL": LABEL,
    "COLON": COLON,
    "THIS": THIS,
    "PRONOUN": PRONOUN,
    "POSSESSIVE": POSSESSIVE,
    "CLITIC": CLITIC,
    "ME": ME,
    "FOR_ME": FOR_ME,
    "ALL": ALL,
    "ASK": ASK,
    "MIND": MIND,
    "FIRST": FIRST,
    "COMMA": COMMA,
    "AND": AND,
    "THEN": THEN,
    "STOP": STOP,
    "QUESTION": QUESTION,
    **dict.fromkeys(
        (
            "DECIMAL",
            "MONEY",
            "DATE",
            "TIME",
            "MONTH",
            "DURATION",
            "PERCENTAGE",
            "QUANTITY",
            "CODE",
            "EMAIL",
            "QUOTE",
        ),
        VALUE,
    ),
}
_NOUNS = frozenset({THING, THINGS})
_BEFORE_NUMBER = frozenset({NUMBER, COLON})
_ADDS = frozenset({AND, THEN})
_NO_IDS = frozenset({"decimal", "money", "percentage", "quantity", "code"})
_FUSED = {"THIS": FUSED_THIS, "THESE": FUSED_THIS, "PRONOUN": FUSED_PRONOUN}


@dataclass(slots=True)
class Item:
    """What a verb is given: a value with its preposition or labels, or a reference.

    `kind` is a value's type, or `thing` (`value` is a list of ids), `member` (`value` is a list of
    `[list, member]`), `count`, `numbered` (`#4411`, a list of ids too), or `reference` (`value` is
    None; `names` are the things it can be, None for any). `first` and `last` are terminal numbers.
    `gender` is `m`, `f`, `n` for a neutral pronoun, or empty. `marked` tells a number that can be
    no id (a dozen).
    """

    kind: str
    names: tuple[str, ...] | None
    value: Any
    preposition: str
    labels: tuple[str, ...]
    first: int
    last: int
    plural: bool = False
    gender: str = ""
    marked: bool = False
    fronted: bool = False


@dataclass(slots=True)
class Bare:
    """A noun without an id: its thing, its key in the index, and where it stands."""

    thing: str
    key: str
    at: int
    article: bool
    preposition: str
    plural: bool


class Step:
    """A verb and all that goes with it. `joint` is what joins it to the step before.

    `me`, `all` and `many` are the terminals that say so, or -1: for the speaker, all of them, a
    noun of the phrase in the plural. `refers` tells of a reference, `listed` of a list of ids,
    `then_listed` of one with "then" in it, `elided` of an id after "then" and an article. `said`
    are the words of the phrase after its verb, each with the preposition before it and its place,
    `bare` the nouns without an id.
    """

    __slots__ = (
        "all",
        "bare",
        "elided",
        "first",
        "items",
        "joint",
        "last",
        "listed",
        "many",
        "me",
        "refers",
        "said",
        "then_listed",
        "verbs",
    )

    def __init__(self, verbs: list[str], joint: int, first: int) -> None:
        self.me = self.all = self.many = -1
        self.listed = self.refers = self.then_listed = self.elided = False
        self.verbs = verbs
        self.joint = joint
        self.first = self.last = first
        self.said: list[tuple[str, str, int]] = []
        self.items: list[Item] = []
        self.bare: list[Bare] = []


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a grammatical turn has no plan; `first` and `last` are terminal numbers."""

    code: str
    first: int
    last: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Roles:
    """The role of each terminal of a language, and last, at DROPPED, that of a dropped word."""

    of: tuple[int, ...]
    actions: "tuple[Action | None, ...]"
    """What each does to the cutting of a turn into steps, None for nothing."""
    gerund: int
    language: Language


def make_roles(grammar: Grammar, language: Language) -> Roles:
    """Tell what each terminal of a grammar is good for."""
    roles: list[int] = []
    for name in grammar.terminals:
        base, _, rest = name.partition("_")
        if base in PREPOSITIONS[language]:
            roles.append(_FUSED.get(rest, PREPOSITION))
        else:
            roles.append(_OF_TERMINAL.get(name, SKIPPED))
    roles.append(SKIPPED)
    gerund = grammar.terminals.index("ING") if "ING" in grammar.terminals else -1
    return Roles(tuple(roles), tuple(_ACTIONS[role] for role in roles), gerund, language)


def cut_steps(
    terminals: Sequence[int],
    payloads: Sequence[Any],
    words: Callable[[int], str],
    roles: Roles,
) -> list[Step] | Problem:
    """Cut the terminals of a turn into steps; `words(i)` gives terminal i's words, for pronouns.

    An answer (a turn without a verb) gives one step whose `verbs` are empty.
    """
    cut = _Cut(terminals, words, roles)
    actions = roles.actions
    for at, terminal in enumerate(terminals):
        action = actions[terminal]
        if action is not None:
            cut.at = at
            problem = action(cut, payloads[at])
            if problem is not None:
                return problem
    if not cut.steps:
        return [cut.step]
    if cut.front is cut.steps[0]:
        return cut.steps
    return _fronted(cut.front, cut.steps) or cut.steps


def _fronted(front: Step, steps: Sequence[Step]) -> Problem | None:
    """Give what stands before the only verb to it: "for order 5, schedule the delivery".

    A date there tells when to act ("on Friday, ..."), and for several verbs it is not clear whose
    it is.
    """
    if not front.items and not front.bare and not front.said:
        return None
    things = all(item.kind == "thing" and item.preposition for item in front.items)
    if len(steps) > 1 or not things or front.bare or front.said:
        return Problem("unexpected", front.first, front.last)
    for item in front.items:
        item.fronted = True
    steps[0].items[:0] = front.items
    steps[0].first = front.first
    return None


class _Cut:
    """Where the cutting stands: the open step, and what waits for the noun or value to come."""

    __slots__ = (
        "article",
        "asked",
        "at",
        "before_label",
        "clitic",
        "determiner_word",
        "first",
        "front",
        "holding",
        "joint",
        "joint_at",
        "labels",
        "me",
        "minded",
        "noun",
        "possessed",
        "possessive",
        "preposition",
        "roles",
        "step",
        "steps",
        "terminals",
        "this",
        "valued",
        "words",
    )

    def __init__(
        self,
        terminals: Sequence[int],
        words: Callable[[int], str],
        roles: Roles,
    ) -> None:
        self.terminals = terminals
        self.words = words
        self.roles = roles
        self.at = 0
        self.steps: list[Step] = []
        self.front = self.step = Step([], STOP, 0)
        self.asked = self.minded = self.first = False
        self.me = self.this = self.possessive = self.joint_at = self.valued = -1
        self.clitic: Item | None = None
        self.noun: tuple[tuple[str, ...], bool, int] | None = None
        self.holding = True
        self._clear()

    def _clear(self) -> None:
        """Forget what waited for a noun or a value: it has come."""
        self.step.last = self.at
        if self.holding:
            self.holding = self.article = self.possessed = False
            self.preposition = self.before_label = self.determiner_word = ""
            self.labels: tuple[str, ...] = ()
            self.joint = STOP

    def _item(self, kind: str, value: Any) -> None:
        at = self.at
        preposition = self.before_label if self.labels else self.preposition
        self.step.items.append(Item(kind, None, value, preposition, self.labels, at, at))
        self._clear()

    def _reference(self, at: int, preposition: str, names: tuple[str, ...] | None = None) -> Item:
        plural, gender = PRONOUNS[self.roles.language](self.words(at))
        self.step.refers = True
        return Item("reference", names, None, preposition, (), at, self.at, plural, gender)

    def head(self, payload: Any) -> Problem | None:
        """Open a step."""
        if self.terminals[self.at] == self.roles.gerund and not self.minded:
            return Problem("unexpected", self.at, self.at)
        if self.at == 0:
            self.step.verbs = payload  # nothing stands before it
        else:
            self.step = Step(payload, self.joint, self.at)
        self.steps.append(self.step)
        if self.me >= 0:
            self.step.me = self.me
            self.me = -1
        if self.clitic is not None:
            self.step.items.append(self.clitic)
            self.step.refers = True
            self.clitic = None
        self._clear()
        return None

    def head_with_pronoun(self, payload: Any) -> Problem | None:
        """Open a step whose verb carries its object: `cancele-o`."""
        self.head([verb for verb, _ in payload])
        plural, gender = PRONOUNS[self.roles.language](payload[0][1])
        self.step.refers = True
        self.step.items.append(
            Item("reference", None, None, "", (), self.at, self.at, plural, gender)
        )
        return None

    def head_with_me(self, payload: Any) -> Problem | None:
        """Open a step whose verb carries the speaker: `mande-me`."""
        self.head(payload)
        self.step.me = self.at
        return None

    def hold_preposition(self, payload: Any) -> Problem | None:
        """Keep a preposition for the noun or value to come."""
        self.preposition = payload
        self.holding = True
        return None

    def determiner(self, payload: Any) -> Problem | None:
        """Keep that a definite article stands before the noun to come."""
        self.article = payload not in INDEFINITE
        self.determiner_word = payload
        self.holding = True
        self.possessed = payload in POSSESSIVES
        return None

    def value(self, payload: Any) -> Problem | None:
        """Add a value; right after a noun it is no id, and no argument of its own either."""
        kind = payload.kind
        if kind == "month" and not self.preposition and self._belongs_to_noun():
            self.preposition = OF[self.roles.language]
            self.holding = True
        if self.possessed:
            return Problem("unexpected", self.at - 1, self.at)
        self.valued = self.at
        if (
            kind == "date"
            and self.preposition == "para"
            and self.words(self.at) in ("ontem", "anteontem")
        ):
            return Problem("impossible_date", self.at, self.at)  # "pra ontem": in a hurry
        if kind in _NO_IDS and not self.labels and self._before() in _NOUNS:
            return Problem("unexpected", self.at - 1, self.at)
        self._item(kind, payload.value)
        return None

    def thing(self, payload: Any) -> Problem | None:
        """Take a noun: with this or that it refers back, alone it waits for its number."""
        plural = self.roles.of[self.terminals[self.at]] == THINGS
        names = tuple(payload)
        if self.this >= 0:
            item = self._reference(self.this, self.preposition, names)
            item.plural, item.gender = plural, ""
            self.step.items.append(item)
            self.this = -1
            self._clear()
        elif self.possessive >= 0:
            return Problem("unclear_reference", self.possessive, self.at)
        elif self._number_follows():
            self.noun = (names, plural, self.at)
        elif plural and self.possessed:
            return Problem("partial", self.at - 1, self.at)
        else:
            key = f"{names[0]}#{'n' if plural else '1'}"
            self.step.bare.append(
                Bare(names[0], key, self.at, self.article, self.preposition, plural)
            )
            self._clear()
        return None

    def _belongs_to_noun(self) -> bool:
        """Tell "the March statement" and "o extrato deste mês" from the month of the act."""
        return self._following() == COMPLEMENT or self.words(self.at).startswith(
            ("dest", "dess", "mês de", "mes de")
        )

    def _at_hour(self) -> bool:
        """Tell whether a number stands as an hour does: "at 16", "às 16"."""
        if self.labels:
            return False
        if self.preposition == "at":
            return self._before() == PREPOSITION
        return self.preposition == "a" and self.words(self.at - 1) in ("às", "as", "ás")

    def _before(self) -> int:
        """Give the role of the terminal before this one, as a turn begins after a stop."""
        for at in range(self.at - 1, -1, -1):
            if self.terminals[at] >= 0:
                return self.roles.of[self.terminals[at]]
        return STOP

    def _following(self) -> int:
        after = self.at + 1
        return self.roles.of[self.terminals[after]] if after < len(self.terminals) else SKIPPED

    def _number_follows(self) -> bool:
        for terminal in self.terminals[self.at + 1 : self.at + 4]:
            if terminal >= 0:
                role = self.roles.of[terminal]
                if role == INTEGER:
                    return True
                if role not in _BEFORE_NUMBER:
                    return False
        return False

    def integer(self, payload: Any) -> Problem | None:
        """Take a number: an id after its noun, one more id of a list, a count, or just a number."""
        items = self.step.items
        listed = (
            self.joint != STOP
            and not self.labels
            and bool(items)
            and items[-1].kind in ("thing", "numbered")
        )
        if self.noun is None:
            return self._one_more(payload, None, self.at) if listed else self._number(payload)
        names, plural, first = self.noun
        self.noun = None
        if payload.marked:
            return Problem("ill_formed_number", self.at, self.at)
        if listed and items[-1].kind == "thing":
            return self._one_more(payload, names, first)
        if self.joint in _ADDS:
            return Problem("unexpected", first, self.at)
        items.append(
            Item("thing", names, [payload], self.preposition, self.labels, first, self.at, plural)
        )
        self._clear()
        return None

    def _number(self, payload: Any) -> Problem | None:
        """Add a number without its noun: `#4411`, one that counts, an hour, or just a number."""
        at, before = self.at, self._before()
        marked = payload.marked or self.first
        if self.joint in _ADDS:
            return Problem("unexpected", at, at)
        if before == NUMBER and not self.labels:
            self._item("numbered", [payload])
        elif (
            not self.labels
            and not self.preposition
            and (self.article or self.first or before <= HEAD_WITH_ME or before == ME)
        ):
            if self.possessed:
                return Problem("partial", at - 1, at)
            self._item("count", payload.value)
        else:
            self._item("hour" if self._at_hour() and not marked else "integer", payload.value)
        # "Um" and "one" are articles as well.
        self.step.items[-1].marked = marked or (payload.spelled and payload.value == 1)
        self.first = False
        return None

    def _one_more(self, payload: Any, names: tuple[str, ...] | None, first: int) -> Problem | None:
        """Add an id to the list before it."""
        if payload.marked:
            return Problem("ill_formed_number", self.at, self.at)
        before = self.step.items[-1]
        if (names is not None and names != before.names) or self.labels:
            return Problem("unexpected", first, self.at)
        if self.preposition and self.preposition != before.preposition:
            return Problem("unexpected", first, self.at)
        if self.joint == THEN:
            # "refund order 5, then 40"; "cancel order 5, next order 6"
            said = self.words(self.joint_at).strip(" ,")
            if said not in THEN_AGAIN or (names is None and not self.article):
                return Problem("unexpected", first, self.at)
            self.step.then_listed = True
        if names is None and self.determiner_word:
            if self.determiner_word not in ("the", "o", "a"):
                return Problem("number_mismatch", first, self.at)
            self.step.elided = self.joint == THEN
        if before.kind == "numbered":
            if self._before() != NUMBER:
                return Problem("unexpected", first, self.at)
        elif names is None and self._before() == NUMBER and self.words(self.at - 1) == "no .":
            return Problem("unexpected", first, self.at)  # "orders 4 and 5, no. 6"
        elif self.joint == COMMA and names is None and not before.plural:
            return Problem("number_mismatch", first, self.at)
        before.value.append(payload)
        self.step.listed = True
        before.last = self.at
        self._clear()
        return None

    def complement(self, payload: Any) -> Problem | None:
        """Take a word that belongs to the verb's phrase."""
        if self.this >= 0:
            return Problem("unclear_reference", self.this, self.at)
        piece, plural = payload
        if (
            self.valued == self.at - 2
            and self.preposition == OF[self.roles.language]
            and self._before() == PREPOSITION
        ):
            self.preposition = ""  # "10% de desconto", "2 hours of overtime"
        self.step.said.append((piece, self.preposition, self.at))
        if plural:
            self.step.many = self.at
        if self.possessive >= 0:
            self.step.items.append(self._reference(self.possessive, "of"))
            self.possessive = -1
        self._clear()
        return None

    def member(self, payload: Any) -> Problem | None:
        """Add a word of a closed list."""
        if self.possessed and self._following() == THINGS:
            return Problem("partial", self.at - 1, self.at)
        self._item("member", payload)
        return None

    def label(self, payload: Any) -> Problem | None:
        """Keep a label for the value to come."""
        if self.preposition not in BEFORE_LABELS[self.roles.language]:
            return Problem("unexpected", self.at - 1, self.at)
        if self.joint == AND and not self.step.items:
            return Problem("unexpected", self.at, self.at)
        self.labels = tuple(payload)
        self.before_label = self.preposition
        self.holding = True
        return None

    def colon(self, _payload: Any) -> Problem | None:
        """Introduce a quoted text, or pass the colon after a label."""
        self.labels = self.labels or ("=quoted text",)
        self.holding = True
        return None

    def hold_this(self, _payload: Any) -> Problem | None:
        """Keep that the noun to come refers back."""
        self.this = self.at
        return None

    def fused_this(self, payload: Any) -> Problem | None:
        """Keep the preposition in `desse`, and that the noun to come refers back."""
        self.this = self.at
        self.preposition = payload
        self.holding = True
        return None

    def pronoun(self, _payload: Any) -> Problem | None:
        """Add a reference."""
        self.step.items.append(self._reference(self.at, self.preposition))
        self._clear()
        return None

    def fused_pronoun(self, payload: Any) -> Problem | None:
        """Add a reference that carries its preposition: `dele`."""
        self.step.items.append(self._reference(self.at, payload))
        self._clear()
        return None

    def hold_possessive(self, _payload: Any) -> Problem | None:
        """Keep that the noun to come belongs to what was mentioned: `its account`."""
        self.possessive = self.at
        return None

    def hold_clitic(self, _payload: Any) -> Problem | None:
        """Keep a pronoun that stands before its verb: `o cancele`."""
        self.clitic = self._reference(self.at, "")
        return None

    def hold_me(self, _payload: Any) -> Problem | None:
        """Note that the act is for the speaker: `show me`, `me mostre`."""
        if self._following() <= HEAD_WITH_ME:
            self.me = self.at
        else:
            self.step.me = self.at
        return None

    def for_me(self, _payload: Any) -> Problem | None:
        """Note that the act is for the speaker: `for me`."""
        self.step.me = self.at
        return None

    def hold_all(self, _payload: Any) -> Problem | None:
        """Note that all are meant, and have the noun to come take no article."""
        self.step.all = self.at
        return None

    def ask(self, _payload: Any) -> Problem | None:
        """Note that the sentence asks, so that a question mark may end it."""
        self.asked = True
        return None

    def mind(self, _payload: Any) -> Problem | None:
        """Note that gerunds follow: `would you mind cancelling`."""
        self.asked = self.minded = True
        return None

    def hold_first(self, _payload: Any) -> Problem | None:
        """Note that the number to come counts: `the first five`."""
        self.first = True
        return None

    def owner(self, _payload: Any) -> Problem | None:
        """Make the thing before belong to the noun to come: `customer 318's account`."""
        item = self.step.items[-1]
        if item.preposition:
            return Problem("unexpected", item.first, self.at)
        item.preposition = "of"
        return None

    def join(self, _payload: Any) -> Problem | None:
        """Note what joins the step or item to come."""
        self.joint = self.roles.of[self.terminals[self.at]]
        self.joint_at = self.at
        self.holding = True
        if self.joint == QUESTION and not self.asked:
            return Problem("question", self.at, self.at)
        if self.joint in (STOP, QUESTION):
            self.asked = self.minded = False
        return None


Action: TypeAlias = Callable[[_Cut, Any], Problem | None]

_ACTIONS: Mapping[int, Action | None] = {
    HEAD: _Cut.head,
    HEAD_WITH_PRONOUN: _Cut.head_with_pronoun,
    HEAD_WITH_ME: _Cut.head_with_me,
    SKIPPED: None,
    NUMBER: None,
    PREPOSITION: _Cut.hold_preposition,
    DETERMINER: _Cut.determiner,
    VALUE: _Cut.value,
    INTEGER: _Cut.integer,
    THING: _Cut.thing,
    THINGS: _Cut.thing,
    COMPLEMENT: _Cut.complement,
    MEMBER: _Cut.member,
    LABEL: _Cut.label,
    COLON: _Cut.colon,
    THIS: _Cut.hold_this,
    FUSED_THIS: _Cut.fused_this,
    PRONOUN: _Cut.pronoun,
    FUSED_PRONOUN: _Cut.fused_pronoun,
    POSSESSIVE: _Cut.hold_possessive,
    CLITIC: _Cut.hold_clitic,
    ME: _Cut.hold_me,
    FOR_ME: _Cut.for_me,
    ALL: _Cut.hold_all,
    ASK: _Cut.ask,
    MIND: _Cut.mind,
    FIRST: _Cut.hold_first,
    OWNER: _Cut.owner,
    **dict.fromkeys((COMMA, AND, THEN, STOP, QUESTION), _Cut.join),
}
