"""The types of arguments as an author writes them: `optional money`, `cpf or e-mail`."""

import re
from collections.abc import Mapping
from typing import get_args

from stalwart_lang.diagnostics import quoted
from stalwart_lang.vocabulary.model import ArgumentType, TypeKind
from stalwart_lang.vocabulary.suggest import did_you_mean

PLAIN_KINDS: tuple[TypeKind, ...] = tuple(
    kind for kind in get_args(TypeKind) if kind not in ("thing", "list", "quantity")
)
"""The kinds that are written as they are."""

MAX_DIGITS = 100
_OR = re.compile(r"\s+or\s+")
_DIGITS = re.compile(r"digits\s+([0-9]+)")
_QUANTITY = re.compile(r"quantity\s+of\s+(\S+)")


class UnknownType(ValueError):
    """A type that is none; `fix` says what was perhaps meant."""

    def __init__(self, message: str, fix: str | None = None) -> None:
        super().__init__(message)
        self.fix = fix


def parse_type(
    text: str,
    things: Mapping[str, object],
    lists: Mapping[str, object],
    units: Mapping[str, object],
) -> tuple[tuple[ArgumentType, ...], bool]:
    """The types that `text` admits, and whether the argument is required.

    Raises UnknownType.
    """
    rest = " ".join(text.split())
    required = not rest.startswith("optional ")
    names = _OR.split(rest if required else rest.removeprefix("optional "))
    if len(names) > len(PLAIN_KINDS) + len(things) + len(lists) + len(units):
        raise UnknownType("more types than there are")
    types = tuple(dict.fromkeys(_one(name, things, lists, units) for name in names))
    return types, required


def _one(
    name: str,
    things: Mapping[str, object],
    lists: Mapping[str, object],
    units: Mapping[str, object],
) -> ArgumentType:
    for kind in PLAIN_KINDS:
        if name == kind:
            return ArgumentType(kind)
    if name in things:
        return ArgumentType("thing", name)
    if name in lists:
        return ArgumentType("list", name)
    if digits := _DIGITS.fullmatch(name):
        length = digits.group(1).lstrip("0") or "0"
        if len(length) > 3 or not 1 <= int(length) <= MAX_DIGITS:
            raise UnknownType(f"the length of `digits` is from 1 to {MAX_DIGITS}")
        return ArgumentType("digits", length=int(length))
    if quantity := _QUANTITY.fullmatch(name):
        unit = quantity.group(1)
        if unit in units:
            return ArgumentType("quantity", unit)
        fix = did_you_mean(unit, units) or "declare it under `units:`"
        raise UnknownType(f"no unit is called {quoted(unit)}", fix)
    known = [*PLAIN_KINDS, *things, *lists]
    raise UnknownType(
        f"no thing, closed list or type is called {quoted(name)}", did_you_mean(name, known)
    )
