"""A frame of the lexicon: the slots of a phrase's tool, and which items each of them takes."""

from collections.abc import Mapping, Sequence
from typing import Any

from stalwart_lang.selector.steps import Item

AMOUNTS = frozenset({"money", "integer", "decimal", "quantity", "percentage", "duration"})
"""The types of which one value for several calls is not clear: each, or all together?"""

_SOMEBODY = frozenset({"thing", "e-mail", "telephone", "cpf", "cnpj", "digits", "quoted text"})
_NAMED_BY_VALUE = frozenset({"member", "code", "quantity"})
"""The kinds of items whose names are in their values."""
_NAMED = frozenset({"e-mail", "telephone", "cpf", "cnpj", "digits"})


class Frame:
    """A frame of the lexicon with what its items are looked up by."""

    __slots__ = (
        "accepts",
        "amounts",
        "direct",
        "either",
        "file",
        "line",
        "number",
        "required",
        "rule",
        "said",
        "slots",
        "somebody",
        "tool",
        "twins",
        "writes",
    )

    def __init__(self, number: int, made: Mapping[str, Any]) -> None:
        self.number = number
        self.tool: str = made["tool"]
        self.rule: str = made["rule"]
        self.file: str = made["file"]
        self.line: int = made["line"]
        self.writes: bool = made["writes"]
        self.direct: bool = made["direct"]
        self.said: Mapping[str, str] = made["said"]
        self.slots: Sequence[Mapping[str, Any]] = made["slots"]
        self.accepts: dict[Any, tuple[tuple[int, str], ...]] = {}
        self.either = any(len(slot["types"]) > 1 for slot in self.slots)
        self.required = tuple(at for at, slot in enumerate(self.slots) if slot["required"])
        kinds = [{kind for kind, _, _ in slot["types"]} for slot in self.slots]
        self.amounts = frozenset(at for at, its in enumerate(kinds) if its & AMOUNTS)
        things = [name for slot in self.slots for kind, name, _ in slot["types"] if kind == "thing"]
        self.twins = len(set(things)) < len(things)
        self.somebody = frozenset(
            at for at, its in enumerate(kinds) if its & _SOMEBODY and at not in self.required
        )

    def accepting(self, item: Item) -> tuple[tuple[int, str], ...]:
        """Give the slots that an item may fill, and as which type, whatever is bound yet."""
        name = _name(item) if item.kind in _NAMED_BY_VALUE else item.names
        key = (item.kind, name, item.preposition, item.labels)
        known = self.accepts.get(key)
        if known is None:
            known = self.accepts[key] = tuple(
                (number, kind)
                for number, slot in enumerate(self.slots)
                if (kind := accepts(slot, item.kind, name, item.preposition, item.labels))
            )
        return known

    def usual(self, item: Item) -> str:
        """Give the prepositions with which a slot would take an item that none takes as it is."""
        name = _name(item)
        found = {
            preposition
            for slot in self.slots
            for type_, type_name, length in slot["types"]
            if _fits(type_, type_name, length, item.kind, name, bool(item.labels))
            for preposition in slot["preps"][type_]
        }
        return "|".join(sorted(found - {item.preposition}))


class Frames(dict[int, Frame]):
    """The frames of a lexicon by number, each made when it is first asked for."""

    def __init__(self, made: Sequence[Mapping[str, Any]]) -> None:
        self._made = made

    def __missing__(self, number: int) -> Frame:
        frame = self[number] = Frame(number, self._made[number])
        return frame


def _name(item: Item) -> Any:
    """Give what of an item decides which slots take it, besides its kind."""
    if item.kind == "member":
        return tuple(member[0] for member in item.value)
    if item.kind == "code":
        return tuple(item.value)
    if item.kind == "quantity":
        return item.value[1]
    return item.names


def accepts(
    slot: Mapping[str, Any], kind: str, name: Any, preposition: str, labels: tuple[str, ...]
) -> str:
    """Give the type as which a slot takes an item, or nothing."""
    for type_, type_name, length in slot["types"]:
        if labels:
            introduced = _names(labels, type_, slot) and (
                type_ not in _NAMED
                or preposition in ("", "with", "com", "em")
                or preposition in slot["preps"][type_]
            )
        else:
            introduced = preposition in slot["preps"][type_]
        plain = kind in ("integer", "hour")
        if type_ == "integer" and plain and not labels and not slot["required"]:
            continue  # "list the open orders for 5": a limit is counted or named
        if introduced and _fits(type_, type_name, length, kind, name, bool(labels)):
            return str(type_)
    return ""


def _names(labels: tuple[str, ...], type_: str, slot: Mapping[str, Any]) -> bool:
    """Tell whether labels introduce a type of a slot; one that names a type admits no other."""
    named = {label[1:] for label in labels if label[0] == "="}
    if not named.isdisjoint(kind for kind, *_ in slot["types"]):
        return type_ in named
    return any(label in slot["labels"] for label in labels)


def _fits(
    type_: str, type_name: str, length: int | None, kind: str, name: Any, labelled: bool
) -> bool:
    if type_ == "thing":
        return kind == "numbered" or (kind == "thing" and type_name in name)
    if type_ == "list":
        return kind == "member" and type_name in name
    if type_ == "integer":
        return kind in ("integer", "count", "hour")
    if type_ == "decimal":
        return kind in ("decimal", "integer")
    if type_ == "time" and kind == "hour":
        return True
    if type_ == "money":
        return kind in ("money", "decimal") or (kind == "integer" and labelled)
    if type_ == "quantity":
        return kind == "quantity" and type_name == name
    if kind == "code":
        return (type_, length if type_ == "digits" else None) in name
    return kind == type_
