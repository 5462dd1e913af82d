"""The JSON Schema of the format, made from its declarations.

`python -m stalwart_lang.vocabulary.schema > vocabularies/schema.json` writes it.
"""

import json
from functools import singledispatch
from typing import Any

from stalwart_lang.vocabulary.declarations import (
    VOCABULARY,
    Anything,
    Either,
    Flag,
    ListOf,
    MapOf,
    Number,
    Record,
    Shape,
    Text,
)


def json_schema(
    shape: Shape = VOCABULARY, title: str = "A vocabulary of stalwart-lang"
) -> dict[str, Any]:
    """The schema (draft 2020-12) of a file as plain values."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **_schema(shape),
    }


def schema_text(schema: dict[str, Any] | None = None) -> str:
    """A schema as it stands in its file; without one, that of `vocabularies/schema.json`."""
    return json.dumps(schema or json_schema(), indent=2, ensure_ascii=False) + "\n"


@singledispatch
def _schema(shape: Shape) -> dict[str, Any]:
    raise TypeError(f"no such shape: {shape!r}")


@_schema.register
def _(shape: Text) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "string"}
    if shape.choices:
        made["enum"] = list(shape.choices)
    if shape.pattern:
        made["pattern"] = f"^(?:{shape.pattern})$"
    if shape.examples:
        made["examples"] = list(shape.examples)
    return made


@_schema.register
def _(shape: Flag) -> dict[str, Any]:
    return {"const": True} if shape.only_true else {"type": "boolean"}


@_schema.register
def _(shape: Number) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "integer" if shape.whole else "number"}
    if shape.minimum is not None:
        made["minimum"] = shape.minimum
    return made


@_schema.register
def _(shape: Anything) -> dict[str, Any]:
    return {"type": ["string", "number", "boolean", "null"]} if shape.scalar else {}


@_schema.register
def _(shape: ListOf) -> dict[str, Any]:
    item = _schema(shape.item)
    several = {"type": "array", "items": item, "minItems": 1}
    return {"anyOf": [item, several]} if shape.single else several


@_schema.register
def _(shape: MapOf) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": ["object", "null"] if shape.or_nothing else "object",
        "propertyNames": _schema(shape.key),
        "additionalProperties": _schema(shape.value),
    }
    if shape.at_least:
        made["minProperties"] = shape.at_least
    if shape.at_most is not None:
        made["maxProperties"] = shape.at_most
    return made


@_schema.register
def _(shape: Record) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": ["object", "null"] if shape.or_nothing else "object",
        "properties": {
            name: {"description": key.doc, **_schema(key.shape)} for name, key in shape.keys.items()
        },
        "additionalProperties": False,
    }
    required = [name for name, key in shape.keys.items() if key.required]
    if required:
        made["required"] = required
    if shape.at_least_one:
        made["anyOf"] = [{"required": [name]} for name in shape.at_least_one]
    if shape.exactly_one:
        made["oneOf"] = [{"required": [name]} for name in shape.exactly_one]
    return made


@_schema.register
def _(shape: Either) -> dict[str, Any]:
    return {"anyOf": [_schema(shape.short), _schema(shape.long)]}


if __name__ == "__main__":
    import sys

    sys.stdout.buffer.write(schema_text().encode())
