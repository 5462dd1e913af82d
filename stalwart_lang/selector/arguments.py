"""Arguments as a plan holds them, from the items of a step."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from stalwart_lang.selector.steps import Item, Problem
from stalwart_lang.selector.values.money import minor_digits

_ONE, _CENT = Decimal(1), Decimal("0.01")


@dataclass(frozen=True, slots=True)
class AsTyped:
    """A value to be taken from the turn as typed: the terminal it stands at."""

    at: int


@dataclass(frozen=True, slots=True)
class Either:
    """A value that two types of a slot could claim."""

    values: tuple[str, ...]


def argument_value(item: Item, kind: str, slot: Mapping[str, Any], currency: str) -> Any:
    """Give an argument's value as a plan holds it, or the problem with it."""
    value = item.value
    if kind == "thing":
        return _ids(item)
    if kind == "time" and item.kind == "hour":
        if not 13 <= value <= 23:  # "at 3": of which half of the day?
            return Problem("ambiguous_time", item.first, item.last)
        return f"{value}:00"
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
            amount = Decimal(value)
            if not amount.same_quantum(_CENT) and not amount.same_quantum(_ONE):
                return Problem("ill_formed_money", item.first, item.last)
        return _money(amount, currency) or Problem("ill_formed_money", item.first, item.last)
    if kind == "quantity":
        return {"value": str(value[0]), "unit": value[1]}
    if kind in ("decimal", "percentage"):
        return str(value)
    if kind in ("e-mail", "quoted text"):
        return AsTyped(item.first)
    if item.kind == "code":
        return _code(item, slot)
    return value


def _ids(item: Item) -> list[int] | Problem:
    """Check a list of ids: as many as the noun says, no two that might be one number."""
    values = item.value
    if len(values) == 1:
        if item.plural and item.kind != "numbered":
            return Problem("number_mismatch", item.first, item.last)
        return [values[0].value]
    if not item.plural and any(value.spelled for value in values):
        return Problem("ambiguous_number", item.first, item.last)
    if any(value.spelled and value.value >= 20 for value in values):
        return Problem("ambiguous_number", item.first, item.last)
    ids = [value.value for value in values]
    if len(set(ids)) != len(ids):
        return Problem("repeated_argument", item.first, item.last)
    return ids


def _code(item: Item, slot: Mapping[str, Any]) -> str | Either:
    """Give a code as the slot's types read it; more than one where they differ."""
    types = [(kind, length if kind == "digits" else None) for kind, _, length in slot["types"]]
    named = [type_ for type_ in types if "=" + type_[0] in item.labels]
    read = dict.fromkeys(item.value[type_] for type_ in named or types if type_ in item.value)
    return next(iter(read)) if len(read) == 1 else Either(tuple(read))


@cache
def _minor_unit(currency: str) -> Decimal:
    """Give the least amount of a currency: 0.01 of a dollar, 1 of a yen."""
    return Decimal(1).scaleb(-minor_digits(currency))


def _money(amount: Decimal, currency: str) -> dict[str, str] | None:
    """Give an amount in its currency's minor units, None where it has more decimals than those."""
    unit = _minor_unit(currency)
    if not amount.same_quantum(unit):
        rounded = amount.quantize(unit)
        if rounded != amount:
            return None
        amount = rounded
    return None if amount < 0 else {"value": str(amount), "currency": currency}
