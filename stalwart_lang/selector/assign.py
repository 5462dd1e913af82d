"""Give each step its tool and each argument its value; bind no slot twice, guess nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from stalwart_lang.selector.arguments import Either, argument_value
from stalwart_lang.selector.frames import AMOUNTS, Frame, Frames
from stalwart_lang.selector.lexicon import Lexicon
from stalwart_lang.selector.plan import Call
from stalwart_lang.selector.steps import AND, COMMA, Bare, Item, Problem, Step
from stalwart_lang.selector.values.reading import Value

_AMOUNT_ITEMS = AMOUNTS | {"count"}
_CHECKED = frozenset({"=cpf", "=cnpj", "=telephone"})


@dataclass(slots=True)
class Bound:
    """A step with its frame: `values` by slot number, ids as lists; `missing` slot numbers."""

    frame: Frame
    step: Step
    values: dict[int, Any]
    missing: list[int]


class Mention(NamedTuple):
    """What the turn has spoken of: a thing with its ids or without, or a noun of a phrase."""

    thing: str
    ids: tuple[int, ...]
    plural: bool
    noun: bool = False


class Assigner:
    """Assigns the steps of turns over one compiled vocabulary and language."""

    def __init__(self, lexicon: Lexicon, currency: str) -> None:
        self._lexicon = lexicon
        self._currency = currency
        self._frames = Frames(lexicon.frames)

    def assign(self, steps: Sequence[Step]) -> list[list[Bound]] | Problem:
        """Give every step its readings: one for a plan, more where the turn is ambiguous."""
        readings: list[list[Bound]] = []
        mentions: dict[Mention, None] = {}
        last = len(steps) - 1
        refers = shared_some = False
        for step in steps:
            if step.refers or step.bare:
                refers = True
            if not step.items and not step.bare:
                shared_some = True
        shares = _shares(steps) if shared_some else ()
        for number, step in enumerate(steps):
            shared = shares[number] if shares else ()
            bound = self._step(step, mentions, shared)
            if not isinstance(bound, list):
                return bound
            readings.append(bound)
            if refers and len(bound) == 1 and number < last:
                self._mention(bound[0], mentions)
        return readings

    def answer(self, number: int, step: Step, given: Sequence[int]) -> dict[int, Any] | Problem:
        """Bind the items of an answer to the open slots of a frame; `given` are bound already.

        A bare number answers the question for an id or an amount, where only one of them is open.
        """
        frame = self._frames[number]
        values: dict[int, Any] = dict.fromkeys(given)
        wanted = [
            (kind, name)
            for at in frame.required
            if at not in values
            for kind, name, _ in frame.slots[at]["types"]
        ]
        for item in step.items:
            if item.kind == "reference":
                return Problem("unclear_reference", item.first, item.last)
            if item.kind in ("integer", "count", "numbered") and not item.labels:
                if item.preposition:
                    return _misfit(item)
                problem = _answer_with_number(item, wanted)
                if problem is not None:
                    return problem
            if item.kind == "thing" and not item.preposition and not frame.accepting(item):
                # The one asked for needs no preposition: "conta 6" for "para qual conta?".
                item.preposition = _first_preposition(frame, item, values)
            problem = self._bind(frame, item, step, values)
            if problem is not None:
                return problem
        if step.said or step.bare:
            return Problem("unexpected", *_where(step))
        if any(value.__class__ is Either for value in values.values()):
            return Problem("ambiguous_argument", step.first, step.last)
        return {number: value for number, value in values.items() if number not in given}

    def shares_amount(self, number: int, values: Mapping[int, Any]) -> bool:
        """Tell whether these values would give one amount to several calls."""
        return not self._frames[number].amounts.isdisjoint(values)

    def twins_equal(self, number: int, calls: Sequence[Call]) -> bool:
        """Tell whether a call of a frame gives two arguments of one type the same value."""
        frame = self._frames[number]
        if not frame.twins:
            return False
        for call in calls:
            ids = [
                call.arguments.get(slot["name"])
                for slot in frame.slots
                if any(kind == "thing" for kind, *_ in slot["types"])
            ]
            if call.tool == frame.tool and len(set(ids)) < len(ids):
                return True
        return False

    def _mention(self, bound: Bound, mentions: dict[Mention, None]) -> None:
        """Remember the ids that a step named, for the references after it."""
        for slot, value in bound.values.items():
            if value.__class__ is list:
                types = bound.frame.slots[slot]["types"]
                thing = next(name for kind, name, _ in types if kind == "thing")
                mentions[Mention(thing, tuple(value), len(value) > 1)] = None
        for noun, _, _ in bound.step.said:
            mentions[Mention(noun, (), False, True)] = None
        for bare in bound.step.bare:
            mentions[Mention(bare.thing, (), bare.plural)] = None

    def _step(
        self, step: Step, mentions: Iterable[Mention], shared: Sequence[Item]
    ) -> list[Bound] | Problem:
        """Give the frames that a step fits: all that a person could have meant by it."""
        frames, rest = self._candidates(step)
        if not frames:
            return Problem("unexpected", *_where(step), detail="phrase")
        fits: list[Bound] = []
        particle = self._particle(step) if self._lexicon.particles else None
        if particle is not None:
            return particle
        problem: Problem | None = None
        for number in frames:
            frame = self._frames[number]
            bound = self._fit(frame, step, rest, mentions, shared)
            if not isinstance(bound, Bound):
                problem = problem or bound
            elif frame.either and any(value.__class__ is Either for value in bound.values.values()):
                fits.extend(_each(bound))
            else:
                fits.append(bound)
        if len(fits) == 1:
            return fits
        if not fits:
            return problem or Problem("unexpected", step.first, step.last)
        return self._distinct(fits)

    def _particle(self, step: Step) -> Problem | None:
        """Refuse a preposition that belongs to the verb: the `on` of "turn on light 5 off"."""
        particles = self._lexicon.particles
        for item in step.items:
            if item.preposition and any(
                f"{verb}|{item.preposition}" in particles for verb in step.verbs
            ):
                return Problem("unexpected", item.first, item.last)
        return None

    def _candidates(self, step: Step) -> tuple[Sequence[int], bool]:
        """Find the frames by verb and phrase; tell whether bare nouns are left over."""
        said = [piece for piece, _, _ in step.said] if step.said else []
        if not step.bare:
            return self._frames_of(step.verbs, said), False
        found = self._frames_of(step.verbs, [*said, *(bare.key for bare in step.bare)])
        return (found, False) if found else (self._frames_of(step.verbs, said), True)

    def _frames_of(self, verbs: Sequence[str], pieces: Sequence[str]) -> Sequence[int]:
        """Find the frames that have one of these verbs, and these pieces as the rest."""
        index = self._lexicon.index
        if len(pieces) > 1:
            pieces = sorted(pieces)
        if len(verbs) == 1:
            verb = verbs[0]
            return index.get("|".join([verb, *pieces]) if pieces else verb, ())
        return [frame for verb in verbs for frame in index.get("|".join([verb, *pieces]), ())]

    def _distinct(self, fits: list[Bound]) -> list[Bound]:
        """Drop the fits that say the same as one before: other phrases of the same tool."""
        kept: dict[tuple[str, str], Bound] = {}
        for bound in fits:
            kept.setdefault((bound.frame.tool, repr(sorted(bound.values.items()))), bound)
        if len({tool for tool, _ in kept}) == 1 and len(kept) > 1:
            whole = [bound for bound in kept.values() if not bound.missing]
            return whole or [next(iter(kept.values()))]
        return list(kept.values())

    def _fit(
        self,
        frame: Frame,
        step: Step,
        rest: bool,
        mentions: Iterable[Mention],
        shared: Sequence[Item],
    ) -> Bound | Problem:
        """Bind a step's items to a frame's slots."""
        values: dict[int, Any] = {}
        bound = Bound(frame, step, values, [])
        for piece, preposition, at in step.said:
            if frame.said[piece] != preposition:
                return Problem("unexpected", at, at)
        if not rest:
            for bare in step.bare:
                if frame.said[bare.key] != bare.preposition:
                    return Problem("unexpected", bare.at, bare.at)
        references: list[Item] = []
        for item in step.items:
            if item.kind == "reference":
                references.append(item)
                continue
            problem = self._bind(frame, item, step, values)
            if problem is not None:
                return problem
        for item in shared:
            if item.kind in _AMOUNT_ITEMS and frame.accepting(item):
                return Problem("shared_amount", item.first, item.last)
            # "#8" may be one thing for one verb and another for the next.
            if item.kind not in ("reference", "numbered"):
                self._bind(frame, item, step, values)
        if (
            frame.direct
            and not rest
            and step.me < 0
            and step.items
            and step.items[0].preposition
            and all(one.preposition and not one.labels for one in step.items)
        ):
            return Problem("unexpected", step.items[0].first, step.items[0].last)
        if rest:
            references += [_bare_reference(bare) for bare in step.bare]
        for item in references:
            problem = self._refer(frame, item, values, mentions)
            if problem is not None:
                return problem
        for number in frame.required:
            if number not in values:
                bound.missing.append(number)
        if step.me >= 0 and not frame.somebody <= values.keys():
            return Problem("unexpected_argument", step.me, step.me)
        if step.all >= 0 and (
            rest
            or frame.writes
            or not step.bare
            or any(item.kind == "count" for item in step.items)
        ):
            return Problem("partial", step.all, step.all)
        if step.elided and frame.amounts:
            return Problem("ambiguous_argument", step.first, step.last)
        if step.then_listed and len(step.items) > 1:
            return Problem("unexpected", step.first, step.last)
        if references or shared or step.listed or step.many >= 0 or frame.twins:
            return _checked(bound, frame)
        return bound

    def _bind(self, frame: Frame, item: Item, step: Step, values: dict[int, Any]) -> Problem | None:
        """Bind an item to the one slot that is open for it."""
        accepting = frame.accepting(item)
        if len(accepting) > 1:
            accepting = tuple(one for one in accepting if one[0] not in values) or accepting[:1]
            if len(accepting) > 1:
                return Problem("ambiguous_argument", item.first, item.last)
        if not accepting:
            return _misfit(item, frame.usual(item))
        number, kind = accepting[0]
        if item.fronted and len(frame.slots[number]["preps"][kind]) == 1:
            # "For order 6, swap order 5": for its sake, or for it?
            return Problem("ambiguous_argument", item.first, item.last)
        if number in values:
            return Problem("repeated_argument", item.first, item.last)
        if item.kind == "count" and not _counts(step, item):
            alone = frame.direct and number in frame.required and not item.marked
            if not alone:
                return Problem("unexpected_argument", item.first, item.last)
        value = argument_value(item, kind, frame.slots[number], self._currency)
        if value.__class__ is Problem:
            problem: Problem = value
            return problem
        values[number] = value
        return None

    def _antecedents(self, item: Item, mentions: Iterable[Mention]) -> list[Mention]:
        """Give all that a pronoun can refer to: of its number and gender, things and nouns alike.

        A pronoun with a preposition refers to a thing; as the verb's object, it may be a noun too
        ("schedule the delivery of order 5 and cancel it"). A neutral one may be the act itself.
        """
        if item.gender == "n":
            return []
        if item.plural and any(one.ids and not one.plural for one in mentions):
            return []
        return [
            mention
            for mention in mentions
            if mention.plural == item.plural
            and not (mention.noun and item.preposition)
            and self._agrees(item, mention)
        ]

    def _agrees(self, item: Item, mention: Mention) -> bool:
        gender = self._lexicon.genders.get(mention.thing)
        return not item.gender or not gender or item.gender == gender

    def _refer(
        self,
        frame: Frame,
        item: Item,
        values: dict[int, Any],
        mentions: Iterable[Mention],
    ) -> Problem | None:
        """Bind what a pronoun or a noun with this or that refers to: one mention, or nothing."""
        fitting: list[tuple[int, str]] = []
        for number, slot in enumerate(frame.slots):
            if number in values or "thing" not in slot["preps"]:
                continue
            if item.preposition not in slot["preps"]["thing"]:
                continue
            for kind, name, _ in slot["types"]:
                if kind == "thing" and (item.names is None or name in item.names):
                    fitting.append((number, name))
        if not fitting:
            return Problem("unexpected_argument", item.first, item.last)
        things = {name for _, name in fitting}
        if item.names is not None:
            candidates = [one for one in mentions if one.thing in things]
        else:
            candidates = self._antecedents(item, mentions)
        if item.kind == "wanted" or (item.kind == "definite" and not candidates):
            if item.plural:
                return Problem("number_mismatch", item.first, item.last)
            return None  # the noun is there, its id is not: it will be asked for
        if len(candidates) != 1 or len({number for number, _ in fitting}) != 1:
            return Problem("unclear_reference", item.first, item.last)
        mention = candidates[0]
        if mention.plural != item.plural or not mention.ids or mention.thing not in things:
            return Problem("unclear_reference", item.first, item.last)
        number = next(number for number, name in fitting if name == mention.thing)
        values[number] = list(mention.ids)
        return None


def _first_preposition(frame: Frame, item: Item, values: Mapping[int, Any]) -> str:
    """Give the preposition of the first open slot that takes an item of this thing."""
    for number in frame.required:
        if number not in values:
            usual = frame.slots[number]["preps"].get("thing", ())
            return usual[0] if usual else ""
    return item.preposition


def _answer_with_number(item: Item, wanted: Sequence[tuple[str, str]]) -> Problem | None:
    """Make a bare number the id or the amount that was asked for."""
    things = tuple(name for kind, name in wanted if kind == "thing")
    money = [kind for kind, _ in wanted if kind == "money"]
    if item.marked:
        return Problem("ill_formed_number", item.first, item.last)
    if len(things) + len(money) > 1:
        return Problem("ambiguous_argument", item.first, item.last)
    if things:
        if item.kind != "numbered":
            item.value = [Value("integer", item.value, 0)]
        item.kind, item.names = "thing", things
    elif money and item.kind != "numbered":
        item.kind, item.value = "decimal", Decimal(item.value)
    elif item.kind == "count":
        item.kind = "integer"
    return None


def _bare_reference(bare: Bare) -> Item:
    """Make a noun without an id a reference, where it has an article, or a question."""
    return Item(
        "definite" if bare.article else "wanted",
        (bare.thing,),
        None,
        bare.preposition,
        (),
        bare.at,
        bare.at,
        bare.key.endswith("#n"),
    )


def _checked(bound: Bound, frame: Frame) -> Bound | Problem:
    """Refuse what a list of ids would make unclear."""
    step = bound.step
    lists = [value for value in bound.values.values() if value.__class__ is list]
    if frame.twins and len(set(map(repr, lists))) < len(lists):
        return Problem("repeated_argument", step.first, step.last)
    longest = max(map(len, lists), default=0)
    if longest < 2:
        if step.many >= 0:
            return Problem("number_mismatch", step.many, step.many)
        return bound
    if len(lists) > 1:
        return Problem("number_mismatch", step.first, step.last)
    if not frame.amounts.isdisjoint(bound.values):
        return Problem("shared_amount", step.first, step.last)
    if frame.twins:
        return Problem("number_mismatch", step.first, step.last)
    return bound


def _misfit(item: Item, usual: str = "") -> Problem:
    """Tell why no slot takes an item; `usual` are the prepositions with which one would."""
    if item.preposition == "about":
        return Problem("approximate", item.first - 1, item.last)
    if item.kind == "integer" and not _CHECKED.isdisjoint(item.labels):
        return Problem("invalid_code", item.first, item.last)
    return Problem("unexpected_argument", item.first, item.last, usual)


def _each(bound: Bound) -> list[Bound]:
    """Give a fit for each value that a slot could have."""
    number, either = next(
        (number, value) for number, value in bound.values.items() if value.__class__ is Either
    )
    return [
        Bound(bound.frame, bound.step, {**bound.values, number: value}, bound.missing)
        for value in either.values
    ]


def _shares(steps: Sequence[Step]) -> Sequence[Sequence[Item]]:
    """Give each step without items those of the first after it that has any.

    Commas and a last `and` join the two. "Cancel and schedule the delivery of order 5" cancels no
    order: a verb alone does not share with one that has a noun of its own.
    """
    shares: list[Sequence[Item]] = [()] * len(steps)
    giver: Step | None = None
    for number in range(len(steps) - 1, -1, -1):
        step = steps[number]
        if step.items or step.bare:
            giver = step if step.joint == AND else None
        else:
            if giver is not None and (step.said or not giver.said):
                shares[number] = giver.items
            if step.joint not in (COMMA, AND):
                giver = None
    return shares


def _where(step: Step) -> tuple[int, int]:
    if step.said:
        return step.said[0][2], step.said[-1][2]
    if step.bare:
        return step.bare[0].at, step.bare[-1].at
    return step.first, step.last


def _counts(step: Step, item: Item) -> bool:
    """Tell whether a number stands before a plural noun: `5 open orders`."""
    after = [other for other in step.items if other.first > item.last]
    nouns = [bare for bare in step.bare if bare.at > item.last and bare.key.endswith("#n")]
    said = [at for _, _, at in step.said if at > item.last]
    if not nouns and not said:
        return False
    noun = min([bare.at for bare in nouns] + said)
    return all(other.kind == "member" for other in after if other.first < noun)
