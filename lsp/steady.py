"""What an editor shows at places of a document: it stays in place while the text is broken."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Generic, TypeVar

from stalwart_lang.lsp.findings import Shift
from stalwart_lang.lsp.index.model import DocumentIndex

T = TypeVar("T")

_start = attrgetter("start")
_end = attrgetter("end")


@dataclass(frozen=True, slots=True)
class Placed(Generic[T]):
    """Something that belongs to a part of a document's text, such as a turn or a name."""

    start: int
    end: int
    what: T


class Steady(Generic[T]):
    """Remembers what documents had before they broke."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, list[Placed[T]]]] = {}

    def forget(self, uri: str) -> None:
        """A document was closed."""
        self._kept.pop(uri, None)

    def all_of(self, index: DocumentIndex, found: Iterable[Placed[T]]) -> list[Placed[T]]:
        """What was found in a document, and in a broken one what it had before, in order.

        What is lost is what an edit changed, and what has something new in its place.
        """
        now = sorted(found, key=_start)
        text = index.document.text
        kept = self._kept.get(index.uri)
        if index.broken and kept is not None:
            lost = self._lost(*kept, text, now)
            now = sorted((*now, *lost), key=_start)
        self._kept[index.uri] = text, now
        return now

    def _lost(
        self, before: str, kept: list[Placed[T]], text: str, now: list[Placed[T]]
    ) -> Iterable[Placed[T]]:
        shift = Shift(before, text)
        for one in kept:
            span = shift.span(one.start, one.end)
            if span is not None and not _touches(now, *span):
                yield Placed(*span, one.what)


def _touches(found: list[Placed[T]], start: int, end: int) -> bool:
    """Whether something found is where another would be."""
    number = bisect_left(found, start, key=_start)
    after = number < len(found) and found[number].start <= end
    return after or (number > 0 and found[number - 1].end >= start)


def within(found: list[Placed[T]], start: int, end: int) -> list[Placed[T]]:
    """Those that end in a part of the document; they do not overlap."""
    first = bisect_left(found, start, key=_end)
    return found[first : max(first, bisect_right(found, end, key=_end))]
