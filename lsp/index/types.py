"""The names in an argument's type: the thing in `optional order or e-mail`."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from stalwart_lang.vocabulary.argument_types import PLAIN_KINDS

_ALTERNATIVE = re.compile(r"(?:optional\s+)?(\S.*?)(?:\s+or\s+|\s*\Z)")
_QUANTITY = re.compile(r"quantity\s+of\s+(\S+)")
_DIGITS = re.compile(r"digits\s+\S+")


class NameInType(NamedTuple):
    """A name in a type, of a unit or else of a thing or a closed list; its place in the type."""

    name: str
    is_unit: bool
    start: int
    end: int


@lru_cache(maxsize=1024)
def names_in(text: str) -> tuple[NameInType, ...]:
    """The author's own names in a type."""
    return tuple(_names_in(text))


def _names_in(text: str) -> Iterator[NameInType]:
    for found in _ALTERNATIVE.finditer(text):
        name, (start, end) = found[1], found.span(1)
        quantity = _QUANTITY.fullmatch(name)
        if quantity:
            yield NameInType(quantity[1], True, start + quantity.start(1), end)
        elif name not in PLAIN_KINDS and not _DIGITS.fullmatch(name):
            yield NameInType(name, False, start, end)


def is_optional(text: str) -> bool:
    """Whether an argument of this type may be left out."""
    return text.split(maxsplit=1)[:1] == ["optional"]
