"""Canonical JSON (RFC 8785): one text for one value, whatever the order of its keys.

Digests are made over it. RFC 8785 refuses what is not I-JSON; a tracer must not fail on what a tool
returns, so what lies outside has a text here too: an integer that a double cannot hold keeps its
digits, a lone surrogate is escaped, an infinity or a NaN is its name as a string, a decimal is its
digits as a string, and any other object is the name of its type (never its `repr`, which may hold
an address of memory).
"""

import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal

_LARGEST_EXACT = 2**53


def canonical_json(value: object) -> bytes:
    """Return the canonical JSON of `value` in UTF-8.

    Takes None, booleans, numbers, strings, mappings (a key that is no string counts as its `str`),
    and sequences of them.
    """
    return _text(value).encode("utf-8", "backslashreplace")


def _text(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case int():
            return str(value) if abs(value) > _LARGEST_EXACT else _number(float(value))
        case float():
            return _number(value) if math.isfinite(value) else f'"{value}"'
        case Decimal():
            return f'"{value}"'
        case Mapping():
            items = sorted(((str(key), item) for key, item in value.items()), key=_utf16_order)
            return "{" + ",".join(f"{_text(key)}:{_text(item)}" for key, item in items) + "}"
        case bytes() | bytearray() | memoryview():
            return json.dumps(type(value).__name__)
        case Sequence():
            return "[" + ",".join(map(_text, value)) + "]"
        case _:
            return json.dumps(type(value).__qualname__, ensure_ascii=False)


def _utf16_order(item: tuple[str, object]) -> bytes:
    return item[0].encode("utf-16-be", "surrogatepass")


def _number(value: float) -> str:
    """Write a finite double as ECMAScript does: the shortest digits that read back to it."""
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
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
