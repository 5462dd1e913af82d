"""Give each step its tool and each argument its value; bind no slot twice, guess nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from stalwart_lang.selector.lexicon import Lexicon
from stalwart_lang.selector.steps import Item, Problem, Role, Step
from stalwart_lang.selector.values.reading import Value
from stalwart_lang.vocabulary.model import Language

_CENTS = Decimal("0.01")
_NO_CENTS = frozenset({"JPY", "CLP", "PYG", "KRW", "VND", "ISK"})


@dataclass(frozen=True, slots=True)
class AsTyped:
    """A value to be taken from the turn as typed: the terminal it stands at."""

    at: int


@dataclass(slots=True)
class Bound:
    """A step with its frame: `values` by slot number, ids as lists; `missing` slot numbers."""

    frame: int
    step: Step
    values: dict[int, Any] = field(default_factory=dict)
    missing: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mention:
    """Ids of a thing that the turn has spoken of."""

    thing: str
    ids: tuple[int, ...]
    plural: bool


class Assigner:
    """Assigns the steps of turns over one compiled vocabulary and language."""

    def __init__(self, lexicon: Lexicon, language: Language, currency: str) -> None:
        self._lexicon = lexicon
        self._language = language
        self._currency = currency
        self._accepts: list[dict[Any, tuple[tuple[int, str], ...]]] = [{} for _ in lexicon.frames]

    def assign(self, steps: Sequence[Step]) -> list[list[Bound]] | Problem:
        """Give every step its readings: one for a plan, more where the turn is ambiguous."""
        readings: list[list[Bound]] = []
        mentions: list[Mention] = []
        last = len(steps) - 1
        for number, step in enumerate(steps):
            shared: Sequence[Item] = ()
            if not step.items and not step.bare and number < last:
                following = steps[number + 1]
                if following.joint in (Role.COMMA, Role.AND):
                    shared = _shared(steps, number)
            bound = self._step(step, mentions, shared)
            if isinstance(bound, Problem):
                return bound
            readings.append(bound)
            if len(bound) == 1:
                self._mention(bound[0], mentions)
        return readings

    def answer(self, frame: int, step: Step, given: Sequence[int]) -> dict[int, Any] | Problem:
        """Bind the items of an answer to the open slots of a frame; `given` are bound already.

        A bare number answers the question for an id or an amount, where only one of them is open.
        """
        slots = self._lexicon.frames[frame]["slots"]
        values: dict[int, Any] = dict.fromkeys(given)
        wanted = [
            {kind for kind, _, _ in slot["types"]}
            for number, slot in enumerate(slots)
            if slot["required"] and number not in values
        ]
        for item in step.items:
            if item.kind in ("integer", "count", "numbered") and not item.labels:
                as_id = sum("thing" in kinds for kinds in wanted)
                as_money = sum("money" in kinds for kinds in wanted)
                if as_id + as_money > 1:
                    return Problem("ambiguous_argument", item.first, item.last)
                if as_id:
                    names = tuple(
                        name
                        for slot in slots
                        if slot["required"]
                        for kind, name, _ in slot["types"]
                        if kind == "thing"
                    )
                    item.kind, item.names = "thing", names
                    if item.kind != "numbered":
                        item.value = [Value("integer", item.value, 0)]
                elif as_money and item.kind != "numbered":
                    item.kind, item.value = "decimal", Decimal(item.value)
                elif item.kind == "count":
                    item.kind = "integer"
            if item.kind == "reference":
                return Problem("unclear_reference", item.first, item.last)
            problem = self._bind(frame, item, step, values)
            if problem is not None:
                return problem
        if step.said or step.bare:
            return Problem("unexpected", *_where(step))
        return {number: value for number, value in values.items() if number not in given}

    def _mention(self, bound: Bound, mentions: list[Mention]) -> None:
        slots = self._lexicon.frames[bound.frame]["slots"]
        for slot, value in bound.values.items():
            if value.__class__ is list:
                thing = next(name for kind, name, _ in slots[slot]["types"] if kind == "thing")
                mention = Mention(thing, tuple(value), len(value) > 1)
                if mention not in mentions:
                    mentions.append(mention)

    def _step(
        self, step: Step, mentions: Sequence[Mention], shared: Sequence[Item]
    ) -> list[Bound] | Problem:
        """Give the frames that a step fits: all that a person could have meant by it."""
        frames, rest = self._frames(step)
        if not frames:
            return Problem("unexpected", *_where(step), detail="phrase")
        whole: list[Bound] = []
        partial: list[Bound] = []
        problem: Problem | None = None
        for frame in frames:
            bound = self._fit(frame, step, rest, mentions, shared)
            if isinstance(bound, Problem):
                problem = problem or bound
            elif bound.missing:
                partial.append(bound)
            else:
                whole.append(bound)
        fits = self._distinct(whole + partial)
        if not fits:
            return problem or Problem("unexpected", step.first, step.last)
        return fits

    def _frames(self, step: Step) -> tuple[list[int], bool]:
        """Find the frames by verb and phrase; tell whether bare nouns are left over."""
        index = self._lexicon.index
        found: list[int] = []
        if step.bare:
            keys = sorted([*step.said, *(bare.key for bare in step.bare)])
            for verb in step.verbs:
                found.extend(index.get("|".join([verb, *keys]), ()))
            if found:
                return found, False
        said = step.said if len(step.said) < 2 else sorted(step.said)
        for verb in step.verbs:
            found.extend(index.get("|".join([verb, *said]), ()))
        return found, bool(step.bare)

    def _distinct(self, fits: list[Bound]) -> list[Bound]:
        """Drop the fits that say the same as one before: other phrases of the same tool."""
        kept: dict[tuple[str, str], Bound] = {}
        for bound in fits:
            tool = self._lexicon.frames[bound.frame]["tool"]
            key = (tool, repr(sorted(bound.values.items())))
            kept.setdefault(key, bound)
        tools = {tool for tool, _ in kept}
        if len(tools) == 1 and len(kept) > 1:
            whole = [bound for bound in kept.values() if not bound.missing]
            return whole or [next(iter(kept.values()))]
        return list(kept.values())

    def _fit(
        self,
        frame: int,
        step: Step,
        rest: bool,
        mentions: Sequence[Mention],
        shared: Sequence[Item],
    ) -> Bound | Problem:
        """Bind a step's items to a frame's slots."""
        slots = self._lexicon.frames[frame]["slots"]
        bound = Bound(frame, step)
        values = bound.values
        references: list[Item] = []
        for item in step.items:
            if item.kind == "reference":
                references.append(item)
                continue
            problem = self._bind(frame, item, step, values)
            if problem is not None:
                return problem
        for item in shared:
            if item.kind != "reference":
                self._bind(frame, item, step, values)
        if rest:
            for bare in step.bare:
                references.append(
                    Item(
                        "reference" if bare.article else "wanted",
                        (bare.thing,),
                        None,
                        bare.preposition,
                        (),
                        bare.at,
                        bare.at,
                        bare.key.endswith("#n"),
                    )
                )
        for item in references:
            problem = self._refer(frame, item, values, mentions, bound)
            if problem is not None:
                return problem
        for number, slot in enumerate(slots):
            if slot["required"] and number not in values:
                bound.missing.append(number)
        if step.me >= 0 and any(
            number not in values and not slot["required"] and _names_somebody(slot)
            for number, slot in enumerate(slots)
        ):
            return Problem("unexpected_argument", step.me, step.me)
        if step.all >= 0 and (rest or self._lexicon.frames[frame]["writes"] or not step.bare):
            return Problem("partial", step.all, step.all)
        return self._checked(bound, step)

    def _checked(self, bound: Bound, step: Step) -> Bound | Problem:
        """Refuse what a list of ids would make unclear."""
        many = [value for value in bound.values.values() if value.__class__ is list]
        if step.many >= 0 and all(len(ids) == 1 for ids in many):
            return Problem("number_mismatch", step.many, step.many)
        if any(len(ids) > 1 for ids in many):
            slots = self._lexicon.frames[bound.frame]["slots"]
            if len(many) > 1:
                return Problem("repeated_argument", step.first, step.last)
            for number in bound.values:
                kinds = {kind for kind, _, _ in slots[number]["types"]}
                if kinds & {"money", "integer", "decimal", "quantity", "percentage"}:
                    return Problem("shared_amount", step.first, step.last)
        return bound

    def _bind(
        self, frame: int, item: Item, step: Step, values: dict[int, Any]
    ) -> Problem | None:
        open_slots = [
            accepted for accepted in self._accepting(frame, item) if accepted[0] not in values
        ]
        if len(open_slots) != 1:
            if open_slots:
                return Problem("ambiguous_argument", item.first, item.last)
            code = "repeated_argument" if self._accepting(frame, item) else "unexpected_argument"
            return Problem(code, item.first, item.last)
        number, kind = open_slots[0]
        if item.kind == "count" and not _counts(step, item):
            return Problem("unexpected_argument", item.first, item.last)
        value = self._value(item, kind, self._lexicon.frames[frame]["slots"][number])
        if isinstance(value, Problem):
            return value
        values[number] = value
        return None

    def _accepting(self, frame: int, item: Item) -> tuple[tuple[int, str], ...]:
        """Give the slots that an item may fill, and as which type, whatever is bound yet."""
        name: Any = item.names
        if item.kind == "member":
            name = tuple(member[0] for member in item.value)
        key = (item.kind, name, item.preposition, item.labels)
        cache = self._accepts[frame]
        known = cache.get(key)
        if known is None:
            known = cache[key] = tuple(
                (number, kind)
                for number, slot in enumerate(self._lexicon.frames[frame]["slots"])
                if (kind := _accepts(slot, item.kind, name, item.preposition, item.labels))
            )
        return known

    def _value(self, item: Item, kind: str, slot: Mapping[str, Any]) -> Any:
        """Give an argument's value as a plan holds it, or the problem with it."""
        value = item.value
        if kind == "thing":
            return self._ids(item)
        if kind == "list":
            names = {name for type_, name, _ in slot["types"] if type_ == "list"}
            members = {member for closed, member in value if closed in names}
            if len(members) != 1:
                return Problem("ambiguous_argument", item.first, item.last)
            return members.pop()
        if kind == "money":
            if item.kind == "money":
                amount, currency = value
            else:
                amount, currency = Decimal(value), self._currency
                if item.kind == "decimal" and amount.as_tuple().exponent not in (-2, 0):
                    return Problem("ill_formed_money", item.first, item.last)
            return _money(amount, currency) or Problem("ill_formed_money", item.first, item.last)
        if kind in ("decimal", "percentage"):
            return str(value)
        if kind in ("e-mail", "quoted text"):
            return AsTyped(item.first)
        return value

    def _ids(self, item: Item) -> list[int] | Problem:
        """Check a list of ids: as many as the noun says, no two that might be one number."""
        values = item.value
        if item.kind == "numbered":
            pass
        elif (len(values) == 1) == item.plural and (item.plural or len(values) > 1):
            if len(values) == 1:
                return Problem("number_mismatch", item.first, item.last)
        if len(values) > 1 and not item.plural and any(value.spelled for value in values):
            return Problem("ambiguous_number", item.first, item.last)
        for before, after in zip(values, values[1:], strict=False):
            if before.spelled and after.spelled and before.value % 10 == 0 and before.value >= 20:
                return Problem("ambiguous_number", item.first, item.last)
        ids = [value.value for value in values]
        if len(set(ids)) != len(ids):
            return Problem("repeated_argument", item.first, item.last)
        return ids

    def _refer(
        self,
        frame: int,
        item: Item,
        values: dict[int, Any],
        mentions: Sequence[Mention],
        bound: Bound,
    ) -> Problem | None:
        """Bind what a pronoun or a noun with this or that refers to: one mention, or nothing."""
        slots = self._lexicon.frames[frame]["slots"]
        fitting: list[tuple[int, str]] = []
        for number, slot in enumerate(slots):
            if number in values or not (
                item.preposition in slot["preps"] or item.preposition in ("", "of", "de")
            ):
                continue
            for kind, name, _ in slot["types"]:
                if kind == "thing" and (item.names is None or name in item.names):
                    fitting.append((number, name))
        if not fitting:
            return Problem("unexpected_argument", item.first, item.last)
        things = {name for _, name in fitting}
        candidates = [mention for mention in mentions if mention.thing in things]
        if item.kind == "wanted" or (not candidates and item.names and item.kind == "reference"):
            if item.plural:
                return Problem("number_mismatch", item.first, item.last)
            if item.kind == "wanted" or len(fitting) == 1:
                return None  # asked for: the noun is there, its id is not
        if len(candidates) != 1 or len({number for number, _ in fitting}) != 1:
            return Problem("unclear_reference", item.first, item.last)
        mention = candidates[0]
        gender = self._lexicon.genders.get(mention.thing, "")
        if mention.plural != item.plural or (item.gender and gender and item.gender != gender):
            return Problem("unclear_reference", item.first, item.last)
        number = next(number for number, name in fitting if name == mention.thing)
        values[number] = list(mention.ids)
        return None


def _shared(steps: Sequence[Step], number: int) -> Sequence[Item]:
    """Give the items of the first step after `number` that has any, over commas and `and` only."""
    for following in steps[number + 1 :]:
        if following.joint not in (Role.COMMA, Role.AND):
            return ()
        if following.items or following.bare:
            return following.items
    return ()


def _where(step: Step) -> tuple[int, int]:
    if step.said_at:
        return step.said_at[0], step.said_at[-1]
    if step.bare:
        return step.bare[0].at, step.bare[-1].at
    return step.first, step.last


def _names_somebody(slot: Mapping[str, Any]) -> bool:
    """Tell whether a slot could be filled by `me`, as far as the words go."""
    return any(
        kind in ("thing", "e-mail", "telephone", "cpf", "cnpj", "digits", "quoted text")
        for kind, _, _ in slot["types"]
    )


def _counts(step: Step, item: Item) -> bool:
    """Tell whether a number stands before a plural noun: `5 open orders`."""
    after = [other for other in step.items if other.first > item.last]
    nouns = [bare for bare in step.bare if bare.at > item.last and bare.key.endswith("#n")]
    said = [at for at in step.said_at if at > item.last]
    if not nouns and not said:
        return False
    noun = min([bare.at for bare in nouns] + said)
    return all(other.kind == "member" for other in after if other.first < noun)


def _accepts(
    slot: Mapping[str, Any], kind: str, name: Any, preposition: str, labels: tuple[str, ...]
) -> str:
    """Give the type as which a slot takes an item, or nothing."""
    for type_, type_name, length in slot["types"]:
        if labels:
            introduced = any(
                label == "=" + type_ or label in slot["labels"] for label in labels
            )
        else:
            introduced = preposition in slot["preps"]
        if introduced and _fits(type_, type_name, length, kind, name, bool(labels)):
            return str(type_)
    return ""


def _fits(
    type_: str, type_name: str, length: int | None, kind: str, name: Any, labelled: bool
) -> bool:
    if type_ == "thing":
        return kind == "numbered" or (kind == "thing" and type_name in name)
    if type_ == "list":
        return kind == "member" and type_name in name
    if type_ == "integer":
        return kind in ("integer", "count")
    if type_ == "decimal":
        return kind == "decimal" or (kind == "integer")
    if type_ == "money":
        return kind in ("money", "decimal") or (kind == "integer" and labelled)
    return kind == type_


def _money(amount: Decimal, currency: str) -> dict[str, str] | None:
    """Give an amount in its currency's minor units, None where it has more decimals than those."""
    unit = Decimal(1) if currency in _NO_CENTS else _CENTS
    rounded = amount.quantize(unit)
    if rounded != amount or amount < 0:
        return None
    return {"value": str(rounded), "currency": currency}
