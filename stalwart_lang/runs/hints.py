"""Type hints of a tool's parameters: which values fit, and how each becomes the parameter.

The values are those of plans and of models: JSON's, a date as its ISO text, an amount as
`{"value": "40.00", "currency": "USD"}`.
"""

import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any, Literal, TypeAlias

from stalwart_lang.vocabulary.model import Sentences

DECIMAL_PATTERN = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"
"""A number as text. One with zeros in front is a code, whose zeros must not be lost."""

_DECIMAL = re.compile(DECIMAL_PATTERN + r"(E[-+]?[0-9]{1,3})?")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2})?")
_DATE_AND_TIME = re.compile(_DATE.pattern + "T" + _TIME.pattern + r"([+-][0-9]{2}:[0-9]{2}|Z)?")

Convert: TypeAlias = Callable[[Any, bool], Any]
"""Make the parameter of a value, or raise Unfit. Only loosely may something of it be left out."""

USABLE = (
    "str, int, float, bool, Decimal, Money, date, time, datetime, Literal, Enum, list, dict, "
    "tuple, a TypedDict or a dataclass, and unions of these"
)


class Unfit(ValueError):
    """A value that does not fit a hint."""


class UnknownHint(TypeError):
    """A hint that no value of a plan or of a model can become."""


@dataclass(frozen=True, slots=True)
class Money:
    """An amount; `currency` is its ISO 4217 code."""

    value: Decimal
    currency: str

    def __str__(self) -> str:
        return f"{self.value} {self.currency}"


@dataclass(frozen=True, slots=True)
class Hint:
    """What a parameter takes: as JSON Schema, in words, and made from a value."""

    schema: Mapping[str, Any]
    expects: Sentences
    make: Convert

    def convert(self, value: object) -> Any:
        """Give the parameter that the value stands for. Raises Unfit."""
        return self.make(value, True)

    def fits(self, value: object) -> bool:
        """Whether the value can become the parameter."""
        try:
            self.make(value, True)
        except Unfit:
            return False
        return True


def hint_of(annotation: Any) -> Hint:
    """Read an annotation. Raises UnknownHint."""
    return _hint(annotation, ())


def _hint(annotation: Any, inside: tuple[type, ...]) -> Hint:
    annotation = _unwrapped(annotation)
    known = _PLAIN.get(annotation) if isinstance(annotation, typing.Hashable) else None
    if known is not None:
        return known
    origin = typing.get_origin(annotation)
    if origin is Literal:
        return _one_of([(value, value) for value in typing.get_args(annotation)])
    if origin is typing.Union or origin is types.UnionType:
        return _union([_hint(member, inside) for member in typing.get_args(annotation)])
    if origin in (list, Sequence, tuple, dict, Mapping):
        arguments = typing.get_args(annotation)
        return _collection(origin, arguments, inside) if arguments else _PLAIN[origin]
    if isinstance(annotation, type):
        if issubclass(annotation, Enum):
            return _enumeration(annotation)
        if annotation in inside:
            raise UnknownHint(f"{annotation.__name__} holds itself")
        if typing.is_typeddict(annotation):
            required = annotation.__required_keys__  # type: ignore[attr-defined]
            return _record(annotation, required, dict, (*inside, annotation))
        if is_dataclass(annotation):
            given = [field for field in fields(annotation) if field.init]
            required = frozenset(
                field.name
                for field in given
                if field.default is MISSING and field.default_factory is MISSING
            )
            names = frozenset(field.name for field in given)
            return _record(annotation, required, annotation, (*inside, annotation), names)
    raise UnknownHint(f"{_named(annotation)} is none of {USABLE}")


def _unwrapped(annotation: Any) -> Any:
    while True:
        if typing.get_origin(annotation) is typing.Annotated:
            annotation = typing.get_args(annotation)[0]
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":  # `type X = …`, from Python 3.12
            annotation = annotation.__value__
        else:
            return annotation


def _named(annotation: Any) -> str:
    if isinstance(annotation, type | types.FunctionType):
        return annotation.__name__
    return without_addresses(str(annotation))


def without_addresses(text: str) -> str:
    """Return what Python shows of an object, but for where in memory it is."""
    return _ADDRESS.sub("", text)


# Plain values


def _number(value: object, loosely: bool) -> Decimal | None:
    """Give the number that a value is; loosely, that of an amount or a quantity."""
    if loosely and isinstance(value, Mapping) and "value" in value and len(value) == 2:
        value = value["value"]
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(value)) if isfinite(value) else None
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return Decimal(value)
    return None


def _decimal(value: object, loosely: bool) -> Decimal:
    number = _number(value, loosely)
    if number is None:
        raise Unfit
    return number


def _float(value: object, loosely: bool) -> float:
    try:
        number = float(_decimal(value, loosely))
    except OverflowError as error:
        raise Unfit from error
    if not isfinite(number):
        raise Unfit
    return number


def _int(value: object, _: bool) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unfit
    return value


def _bool(value: object, _: bool) -> bool:
    if not isinstance(value, bool):
        raise Unfit
    return value


def _text(value: object, loosely: bool) -> str:
    if loosely and isinstance(value, int) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError as error:  # of more digits than Python writes
            raise Unfit from error
    if not isinstance(value, str):
        raise Unfit
    return value


def _money(value: object, _: bool) -> Money:
    if not isinstance(value, Mapping) or value.keys() != {"value", "currency"}:
        raise Unfit
    currency = value["currency"]
    if not isinstance(currency, str) or not re.fullmatch("[A-Z]{3}", currency):
        raise Unfit
    return Money(_decimal(value["value"], False), currency)


def _parsed(parse: Callable[[str], Any], pattern: re.Pattern[str]) -> Convert:
    def convert(value: object, _: bool) -> Any:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise Unfit
        try:
            return parse(value)
        except ValueError as error:
            raise Unfit from error

    return convert


def _nothing(value: object, _: bool) -> None:
    if value is not None:
        raise Unfit


def _instance(kind: type) -> Convert:
    def convert(value: object, _: bool) -> Any:
        if not isinstance(value, kind):
            raise Unfit
        return value

    return convert


def _list(value: object, _: bool) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise Unfit
    return list(value)


def _anything(value: object, _: bool) -> Any:
    return value


_WHOLE = Hint({"type": "integer"}, {"en": "a whole number", "pt-BR": "um número inteiro"}, _int)
_TEXT = Hint({"type": "string"}, {"en": "a text", "pt-BR": "um texto"}, _text)
_A_NUMBER: Sentences = {"en": "a number", "pt-BR": "um número"}
_A_LIST: Sentences = {"en": "a list", "pt-BR": "uma lista"}
_A_MAPPING: Sentences = {"en": "a mapping", "pt-BR": "um mapeamento"}
_MAPPING = Hint({"type": "object"}, _A_MAPPING, _instance(Mapping))
_ANYTHING = Hint({}, {"en": "anything", "pt-BR": "qualquer coisa"}, _anything)

_PLAIN: Mapping[Any, Hint] = {
    int: _WHOLE,
    str: _TEXT,
    bool: Hint({"type": "boolean"}, {"en": "true or false", "pt-BR": "true ou false"}, _bool),
    float: Hint({"type": "number"}, _A_NUMBER, _float),
    Decimal: Hint({"type": "string", "pattern": f"^{DECIMAL_PATTERN}$"}, _A_NUMBER, _decimal),
    Money: Hint(
        {
            "type": "object",
            "properties": {
                "value": {"type": "string", "pattern": f"^{DECIMAL_PATTERN}$"},
                "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
            },
            "required": ["value", "currency"],
            "additionalProperties": False,
        },
        {
            "en": 'an amount, such as {"value": "40.00", "currency": "USD"}',
            "pt-BR": 'um valor, como {"value": "40.00", "currency": "BRL"}',
        },
        _money,
    ),
    date: Hint(
        {"type": "string", "format": "date"},
        {"en": "a date, such as 2027-03-01", "pt-BR": "uma data, como 2027-03-01"},
        _parsed(date.fromisoformat, _DATE),
    ),
    time: Hint(
        {"type": "string", "pattern": f"^{_TIME.pattern}$"},
        {"en": "a time, such as 09:30", "pt-BR": "uma hora, como 09:30"},
        _parsed(time.fromisoformat, _TIME),
    ),
    datetime: Hint(
        {"type": "string", "pattern": f"^{_DATE_AND_TIME.pattern}$"},
        {
            "en": "a date and time, such as 2027-03-01T09:30",
            "pt-BR": "uma data com hora, como 2027-03-01T09:30",
        },
        _parsed(datetime.fromisoformat, _DATE_AND_TIME),
    ),
    None: Hint({"type": "null"}, {"en": "nothing", "pt-BR": "nada"}, _nothing),
    types.NoneType: Hint({"type": "null"}, {"en": "nothing", "pt-BR": "nada"}, _nothing),
    list: Hint({"type": "array"}, _A_LIST, _list),
    Sequence: Hint({"type": "array"}, _A_LIST, _list),
    tuple: Hint({"type": "array"}, _A_LIST, lambda value, _: tuple(_list(value, False))),
    dict: _MAPPING,
    Mapping: _MAPPING,
    Any: _ANYTHING,
    object: _ANYTHING,
}


# Hints that hold others


def _one_of(made: Sequence[tuple[Any, Any]]) -> Hint:
    """Take one of some values, each of which becomes what is paired with it."""
    values = [value for value, _ in made]
    for value in values:
        if value is not None and not isinstance(value, str | int):
            shown = without_addresses(repr(value))
            raise UnknownHint(f"{shown} is no value of a plan or of a model")

    def convert(value: object, _: bool) -> Any:
        for known, result in made:
            if type(known) is type(value) and known == value:  # True is not 1 here
                return result
        raise Unfit

    named = ", ".join(str(value) for value in values)
    schema: dict[str, Any] = {"enum": values}
    if all(isinstance(value, str) for value in values):
        schema["type"] = "string"
    return Hint(schema, {"en": f"one of {named}", "pt-BR": f"um destes: {named}"}, convert)


def _enumeration(kind: type[Enum]) -> Hint:
    """Take a member's value, where all are texts or whole numbers; else its name."""
    members = list(kind)
    by_name = {member.name: member for member in members}
    values = [member.value for member in members]
    if not all(type(value) in (str, int) for value in values):
        return _one_of(list(by_name.items()))
    by_value = _one_of(list(zip(values, members, strict=True)))

    def convert(value: object, loosely: bool) -> Any:
        if loosely and isinstance(value, str) and value not in values and value in by_name:
            return by_name[value]
        return by_value.make(value, loosely)

    return Hint(by_value.schema, by_value.expects, convert)


def _union(members: list[Hint]) -> Hint:
    """Take what one of the members takes, the first of them that needs to leave nothing out."""

    def convert(value: object, loosely: bool) -> Any:
        for loose in (False, True) if loosely else (False,):
            for member in members:
                try:
                    return member.make(value, loose)
                except Unfit:
                    continue
        raise Unfit

    expects: Sentences = {
        "en": " or ".join(member.expects["en"] for member in members),
        "pt-BR": " ou ".join(member.expects["pt-BR"] for member in members),
    }
    return Hint({"anyOf": [member.schema for member in members]}, expects, convert)


def _collection(origin: Any, arguments: tuple[Any, ...], inside: tuple[type, ...]) -> Hint:
    if origin in (dict, Mapping):
        return _mapping(arguments, inside)
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
        return _fixed([_hint(argument, inside) for argument in arguments])
    item = _hint(arguments[0], inside)
    made: Callable[[list[Any]], Any] = tuple if origin is tuple else list

    def convert(value: object, loosely: bool) -> Any:
        return made([item.make(one, loosely) for one in _list(value, False)])

    expects: Sentences = {
        "en": f"a list, each item {item.expects['en']}",
        "pt-BR": f"uma lista, cada item {item.expects['pt-BR']}",
    }
    return Hint({"type": "array", "items": item.schema}, expects, convert)


def _fixed(items: list[Hint]) -> Hint:
    def convert(value: object, loosely: bool) -> Any:
        given = _list(value, False)
        if len(given) != len(items):
            raise Unfit
        return tuple(item.make(one, loosely) for item, one in zip(items, given, strict=True))

    schema = {
        "type": "array",
        "prefixItems": [item.schema for item in items],
        "minItems": len(items),
        "maxItems": len(items),
    }
    expects: Sentences = {
        "en": f"a list of {len(items)}: " + ", ".join(item.expects["en"] for item in items),
        "pt-BR": f"uma lista de {len(items)}: "
        + ", ".join(item.expects["pt-BR"] for item in items),
    }
    return Hint(schema, expects, convert)


def _mapping(arguments: tuple[Any, ...], inside: tuple[type, ...]) -> Hint:
    if _unwrapped(arguments[0]) not in (str, Any):
        raise UnknownHint("the keys of a mapping are text")
    inner = _hint(arguments[1], inside)

    def convert(value: object, loosely: bool) -> Any:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise Unfit
        return {key: inner.make(one, loosely) for key, one in value.items()}

    schema = {"type": "object", "additionalProperties": inner.schema}
    return Hint(schema, _A_MAPPING, convert)


def _record(
    kind: type,
    required: frozenset[str],
    make: Callable[..., Any],
    inside: tuple[type, ...],
    names: frozenset[str] | None = None,
) -> Hint:
    """Take a mapping with known keys, those of a TypedDict or of a dataclass."""
    annotations = resolved(kind)
    keys = {
        name: _hint(annotation, inside)
        for name, annotation in annotations.items()
        if names is None or name in names
    }

    def convert(value: object, loosely: bool) -> Any:
        if not isinstance(value, Mapping) or not required <= value.keys() <= keys.keys():
            raise Unfit
        made = {name: keys[name].make(one, loosely) for name, one in value.items()}
        try:
            return make(**made)
        except (TypeError, ValueError) as error:  # what a dataclass finds when it is made
            raise Unfit from error

    schema = {
        "type": "object",
        "properties": {name: hint.schema for name, hint in keys.items()},
        "required": [name for name in keys if name in required],
        "additionalProperties": False,
    }
    named = ", ".join(keys)
    expects: Sentences = {
        "en": f"a mapping with {named}",
        "pt-BR": f"um mapeamento com {named}",
    }
    return Hint(schema, expects, convert)


def resolved(annotated: Any) -> dict[str, Any]:
    """The annotations of a function or a class, those written as text too.

    Raises UnknownHint where one names what is not there.
    """
    try:
        hints = typing.get_type_hints(annotated, include_extras=True)
    except Exception as error:  # an annotation as text may hold any expression
        why = without_addresses(str(error))
        raise UnknownHint(f"its type hints cannot be read: {why}") from error
    return {
        name: typing.get_args(hint)[0]
        if typing.get_origin(hint) in (typing.Required, typing.NotRequired)
        else hint
        for name, hint in hints.items()
    }
