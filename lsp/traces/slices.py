"""Long work in slices, so that who types meanwhile does not wait for the interpreter."""

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

_SLICE, _REST = 0.001, 0.001
_EACH = 8


def in_slices(items: Iterable[T]) -> Iterator[T]:
    """Yield the items, resting a millisecond after each millisecond of work. Not for the loop."""
    began = time.monotonic()
    for number, item in enumerate(items, 1):
        yield item
        if number % _EACH == 0 and time.monotonic() - began > _SLICE:
            time.sleep(_REST)
            began = time.monotonic()
