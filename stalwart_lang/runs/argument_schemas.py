"""The types of a vocabulary's arguments as JSON Schema, for a model, and a value of each."""

from collections.abc import Iterator, Mapping
from typing import Any

from stalwart_lang.runs.hints import DECIMAL_PATTERN
from stalwart_lang.vocabulary.model import ArgumentType, ClosedList, TypeKind

Lists = Mapping[str, ClosedList]


def schema_of_types(types: tuple[ArgumentType, ...], lists: Lists) -> dict[str, Any]:
    """The schema of an argument that admits any of the types."""
    schemas = [_schema(kind, lists) for kind in types]
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def samples(kind: ArgumentType, lists: Lists) -> Iterator[Any]:
    """Values of the type as plans hold them: all of a closed list, else one that is typical."""
    if kind.kind == "list":
        yield from (member.name for member in lists[kind.name].members)
    elif kind.kind == "quantity":
        yield {"value": "2.5", "unit": kind.name}
    elif kind.kind == "digits":
        yield "0123456789"[: kind.length] if (kind.length or 6) <= 10 else "0" * (kind.length or 6)
    else:
        yield _SAMPLES[kind.kind]


def _schema(kind: ArgumentType, lists: Lists) -> dict[str, Any]:
    if kind.kind == "list":
        return {"type": "string", "enum": [member.name for member in lists[kind.name].members]}
    if kind.kind == "thing":
        return {"type": "integer", "minimum": 0, "description": f"The number of: {kind.name}."}
    if kind.kind == "quantity":
        return _pair("unit", {"const": kind.name})
    if kind.kind == "digits":
        count = "+" if kind.length is None else f"{{{kind.length}}}"
        return _matching(f"[0-9]{count}")
    return _SCHEMAS[kind.kind]


def _matching(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^{pattern}$"}


_NUMBER = _matching(DECIMAL_PATTERN)


def _pair(second: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"value": _NUMBER, second: schema},
        "required": ["value", second],
        "additionalProperties": False,
    }


_MONEY = _pair("currency", _matching("[A-Z]{3}"))
_MONEY["properties"]["value"] = _matching(DECIMAL_PATTERN.removeprefix("-?"))

_SCHEMAS: Mapping[TypeKind, dict[str, Any]] = {
    "integer": {"type": "integer"},
    "decimal": _NUMBER,
    "percentage": _NUMBER,
    "money": _MONEY,
    "date": {"type": "string", "format": "date"},
    "time": _matching("([01][0-9]|2[0-3]):[0-5][0-9]"),
    "month": _matching("[0-9]{4}-(0[1-9]|1[0-2])"),
    "duration": {"type": "string", "format": "duration"},
    "e-mail": {"type": "string", "format": "email"},
    "telephone": _matching(r"\+[1-9][0-9]{3,14}"),
    "cpf": _matching("[0-9]{11}"),
    "cnpj": _matching("[0-9A-Z]{12}[0-9]{2}"),
    "quoted text": {"type": "string"},
}

_SAMPLES: Mapping[TypeKind, Any] = {
    "thing": 4411,
    "integer": 4411,
    "decimal": "4.5",
    "percentage": "2.5",
    "money": {"value": "40.00", "currency": "USD"},
    "date": "2027-03-03",
    "time": "15:00",
    "month": "2026-10",
    "duration": "PT90M",
    "e-mail": "ana@example.com",
    "telephone": "+5511987654321",
    "cpf": "01234567890",
    "cnpj": "01222333000181",
    "quoted text": "a few words",
}
