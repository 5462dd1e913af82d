"""The tools that may be called at all, and what each takes."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal
from functools import partial
from typing import TypeAlias

from stalwart_lang.vocabulary.model import (
    ArgumentType,
    ClosedList,
    Location,
    Sentences,
    TypeKind,
    Vocabulary,
)

Fits: TypeAlias = Callable[[object], bool]

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)
_DURATION = re.compile(
    r"P(?=[\dT])(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?", re.ASCII
)
_CURRENCY = re.compile(r"[A-Z]{3}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"\d{2}:\d{2}", re.ASCII)
# What `str` gives of a Decimal; a longer exponent would make a number too large to work with.
_NUMBER = re.compile(r"-?\d+(\.\d+)?(E[-+]?\d{1,3})?", re.ASCII)
_MAIL = re.compile(r"[^@\s]+@[^@\s]+")
_TELEPHONE = re.compile(r"\+[1-9]\d{3,14}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ArgumentSpec:
    """An argument: whether a value fits it, and in words what does.

    `thing` is the thing whose id it is, where it is one.
    """

    name: str
    required: bool
    fits: Fits
    expects: Sentences
    thing: str | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the check sees it; the flags are the vocabulary's."""

    name: str
    arguments: Mapping[str, ArgumentSpec] = field(default_factory=dict)
    writes: bool = False
    undo: str | None = None
    irreversible: bool = False
    retry_safe: bool = False
    reads_outside: bool = False
    sends_out: bool = False
    description: str = ""
    location: Location | None = None


def catalogue_of(vocabulary: Vocabulary) -> dict[str, ToolSpec]:
    """Return the catalogue of a vocabulary's tools."""
    return {
        tool.name: ToolSpec(
            name=tool.name,
            arguments={
                argument.name: ArgumentSpec(
                    name=argument.name,
                    required=argument.required,
                    fits=partial(_fits_any, argument.types, vocabulary.values),
                    expects=_expects(argument.types, vocabulary.values),
                    thing=next((t.name for t in argument.types if t.kind == "thing"), None),
                )
                for argument in tool.arguments
            },
            writes=tool.writes,
            undo=tool.undo,
            irreversible=tool.irreversible,
            retry_safe=tool.retry_safe,
            reads_outside=tool.reads_outside,
            sends_out=tool.sends_out,
            description=tool.description,
            location=tool.location,
        )
        for tool in vocabulary.tools.values()
    }


def _fits_any(
    types: tuple[ArgumentType, ...], lists: Mapping[str, ClosedList], value: object
) -> bool:
    return any(_fits(kind, lists, value) for kind in types)


def _fits(kind: ArgumentType, lists: Mapping[str, ClosedList], value: object) -> bool:
    if kind.kind == "list":
        return any(value == member.name for member in lists[kind.name].members)
    if kind.kind == "quantity":
        return _pair(value, "unit") == kind.name
    if kind.kind == "digits":
        return (
            isinstance(value, str)
            and value.isascii()
            and value.isdigit()
            and kind.length in (None, len(value))
        )
    return _PLAIN[kind.kind](value)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def decimal_of(value: object) -> Decimal | None:
    """Return the number that an argument holds: a number, a text of digits, an amount's value."""
    if isinstance(value, Mapping):
        value = value.get("value")
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    if isinstance(value, str) and _NUMBER.fullmatch(value) is None:
        return None
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return number if number.is_finite() else None


def _decimal(value: object) -> bool:
    return isinstance(value, str) and decimal_of(value) is not None


def _pair(value: object, second: str) -> object:
    """Return the second of a number and what it is in, or None where it is no such pair."""
    if not isinstance(value, Mapping) or value.keys() != {"value", second}:
        return None
    return value[second] if _decimal(value["value"]) else None


def _money(value: object) -> bool:
    currency = _pair(value, "currency")
    amount = decimal_of(value)
    return (
        isinstance(currency, str)
        and _CURRENCY.fullmatch(currency) is not None
        and amount is not None
        and amount >= 0
    )


def _parses(parse: Callable[[str], object], pattern: re.Pattern[str], value: object) -> bool:
    # ISO 8601 has more forms than one (weeks, no dashes): only the one that plans hold is meant.
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        return False
    try:
        parse(value)
    except ValueError:
        return False
    return True


def _like(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


_PLAIN: Mapping[TypeKind, Fits] = {
    "thing": _id,
    "integer": _whole,
    "decimal": _decimal,
    "percentage": _decimal,
    "money": _money,
    "date": partial(_parses, date.fromisoformat, _DATE),
    "time": partial(_parses, time.fromisoformat, _TIME),
    "month": partial(_like, _MONTH),
    "duration": partial(_like, _DURATION),
    "e-mail": partial(_like, _MAIL),
    "telephone": partial(_like, _TELEPHONE),
    "cpf": partial(_like, re.compile(r"\d{11}", re.ASCII)),
    "cnpj": partial(_like, re.compile(r"[\dA-Z]{12}\d{2}", re.ASCII)),
    "quoted text": lambda value: isinstance(value, str),
}

_NAMES: Mapping[TypeKind, tuple[str, str]] = {
    "integer": ("a whole number", "um número inteiro"),
    "decimal": ('a number as text, such as "4.5"', 'um número como texto, como "4.5"'),
    "percentage": ('a number as text, such as "2.5"', 'um número como texto, como "2.5"'),
    "money": (
        'an amount, such as {"value": "40.00", "currency": "USD"}',
        'um valor, como {"value": "40.00", "currency": "BRL"}',
    ),
    "date": ("a date, such as 2027-03-01", "uma data, como 2027-03-01"),
    "time": ("a time, such as 09:30", "uma hora, como 09:30"),
    "month": ("a month, such as 2027-03", "um mês, como 2027-03"),
    "duration": ("a duration, such as PT90M", "uma duração, como PT90M"),
    "e-mail": ("an e-mail address", "um endereço de e-mail"),
    "telephone": ("a telephone number with + in front", "um número de telefone com + na frente"),
    "cpf": ("the 11 digits of a CPF", "os 11 dígitos de um CPF"),
    "cnpj": ("the 14 characters of a CNPJ", "os 14 caracteres de um CNPJ"),
    "digits": ("digits as text", "dígitos como texto"),
    "quoted text": ("a text", "um texto"),
}


def _expects(types: tuple[ArgumentType, ...], lists: Mapping[str, ClosedList]) -> Sentences:
    named = [_name(kind, lists) for kind in types]
    return {
        "en": " or ".join(english for english, _ in named),
        "pt-BR": " ou ".join(portuguese for _, portuguese in named),
    }


def _name(kind: ArgumentType, lists: Mapping[str, ClosedList]) -> tuple[str, str]:
    if kind.kind == "thing":
        return f"a whole number ({kind.name})", f"um número inteiro ({kind.name})"
    if kind.kind == "list":
        members = ", ".join(member.name for member in lists[kind.name].members)
        return f"one of {members}", f"um destes: {members}"
    if kind.kind == "quantity":
        shown = f'{{"value": "2.5", "unit": "{kind.name}"}}'
        return f"a quantity, such as {shown}", f"uma quantidade, como {shown}"
    return _NAMES[kind.kind]
