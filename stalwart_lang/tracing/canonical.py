"""Canonical JSON (RFC 8785): one text for one value, whatever the order of its keys.

Digests are made over it. RFC 8785 refuses what is not I-JSON; a tracer must not fail on what a tool
returns, so what lies outside has a text here too:

| value | its text |
| --- | --- |
| an integer that a double cannot hold | its digits; in base 16, as a string, past 4,300 of them |
| an infinity, a NaN, a decimal | as a string |
| a lone surrogate | escaped |
| a date, a time, a UUID, a path | as a string, the first two in ISO 8601 |
| bytes | as a string, in Base64 |
| a range | as a string, `range(0, 9)`: it may be longer than any list |
| a collection that is none of Python's own | the same; over 100,000 items, the name of its type |
| a set | as a list, in the order of its texts |
| a member of an enumeration | as its value |
| a dataclass, a model of pydantic | as the object of its fields |
| anything else | the name of its type; never its `repr`, which may hold an address of memory |
"""

import json
from base64 import b64encode
from collections import deque
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import date, time
from decimal import Decimal
from enum import Enum
from itertools import islice
from json.encoder import encode_basestring
from math import isfinite
from pathlib import PurePath
from typing import TypeVar
from uuid import UUID

_T = TypeVar("_T")

_DECIMAL_LIMIT = 10**4000
_PLAIN = (dict, list, tuple, deque, set, frozenset)
_MOST = 100_000
"""Items of an object that gives them one by one, for ever it may be."""


def canonical_json(value: object) -> bytes:
    """Return the canonical JSON of `value` in UTF-8. Raises nothing.

    What cannot be written (nested too deeply or in a circle, an object that fails when it is read)
    counts as the name of its type.
    """
    return _written(value, readable=False)


def readable_json(value: object) -> bytes:
    """Return what `canonical_json` does, for persons.

    The keys are in the order in which they were given, and bytes that are UTF-8 are text.
    """
    return _written(value, readable=True)


def _written(value: object, *, readable: bool) -> bytes:
    try:
        return _text(value, readable).encode("utf-8", "backslashreplace")
    except Exception:  # the methods of an object of somebody else's
        return json.dumps(type(value).__qualname__).encode()


def _text(value: object, readable: bool) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Enum():
            return _text(value.value, readable)
        case str():
            return encode_basestring(value)
        case int():
            return _integer(value)
        case float():
            return _number(value) if isfinite(value) else f'"{value}"'
        case Decimal() | UUID() | PurePath():
            return encode_basestring(str(value))
        case date() | time():
            return f'"{value.isoformat()}"'
        case Mapping():
            if (entries := _all(value, value.items())) is None:
                return _text(type(value), readable)
            pairs = [(str(key), item) for key, item in entries]
            if not readable:
                pairs.sort(key=_utf16_order)
            return "{" + ",".join(_pair(key, item, readable) for key, item in pairs) + "}"
        case bytes() | bytearray() | memoryview():
            if readable:
                with suppress(UnicodeDecodeError):
                    return encode_basestring(bytes(value).decode())
            return f'"{b64encode(value).decode()}"'
        case range():
            return f'"{value!r}"'
        case Sequence() | Set() | deque():
            if (items := _all(value, value)) is None:
                return _text(type(value), readable)
            texts = [_text(item, readable) for item in items]
            return "[" + ",".join(sorted(texts) if isinstance(value, Set) else texts) + "]"
        case type():
            return json.dumps(value.__qualname__)
        case _ if is_dataclass(value):
            held = {field.name: getattr(value, field.name) for field in fields(value)}
            return _text(held, readable)
        case _ if callable(dump := getattr(value, "model_dump", None)):
            # What is no object has been made by no model: a mock answers for ever.
            held = dump()
            return _text(held if isinstance(held, Mapping) else type(value), readable)
        case _:
            return json.dumps(type(value).__qualname__, ensure_ascii=False)


def _all(value: object, items: Iterable[_T]) -> Iterable[_T] | None:
    """Return what an object holds; None of one of somebody else's that gives too many."""
    if type(value) in _PLAIN:
        return items
    found = [*islice(items, _MOST + 1)]
    return found if len(found) <= _MOST else None


def _pair(key: str, item: object, readable: bool) -> str:
    return f"{encode_basestring(key)}:{_text(item, readable)}"


def _utf16_order(item: tuple[str, object]) -> bytes:
    return item[0].encode("utf-16-be", "surrogatepass")


def _integer(value: int) -> str:
    return str(int(value)) if abs(value) < _DECIMAL_LIMIT else f'"{value:#x}"'


def _number(value: float) -> str:
    """Write a finite double as ECMAScript does: the shortest digits that read back to it."""
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(float(value))).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    point = len(text) + exponent
    text = text.rstrip("0")
    if 0 < point <= 21:
        written = text.ljust(point, "0")[:point]
        if len(text) > point:
            written += "." + text[point:]
    elif -6 < point <= 0:
        written = "0." + "0" * -point + text
    else:
        fraction = "." + text[1:] if len(text) > 1 else ""
        written = f"{text[0]}{fraction}e{point - 1:+d}"
    return "-" + written if sign else written
