"""What is wrong with documents, by offsets; and how it moves along while one types."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from stalwart_lang.diagnostics import CATALOGUE, Diagnostic, Severity
from stalwart_lang.lsp.documents import Document, uri_of
from stalwart_lang.vocabulary.model import Location


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Another place that a finding speaks of."""

    message: str
    uri: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic at a place of a document; offsets are code points."""

    uri: str
    start: int
    end: int
    code: str
    message: str
    fix: str | None = None
    related: tuple[Elsewhere, ...] = ()

    @property
    def severity(self) -> Severity:
        """As the catalogue has it."""
        return CATALOGUE[self.code][0]


def finding_of(found: Diagnostic, document: Callable[[str], Document | None]) -> Finding | None:
    """A diagnostic of the SDK's as a finding; None where its file is not known.

    `document` gives the document of a URI, in the version that the diagnostic is about.
    """
    where = document(uri_of(found.location.file))
    if where is None:
        return None
    start, end = _span(where, found.location)
    related = []
    for one in found.related:
        its = document(uri_of(one.location.file))
        if its is not None:
            related.append(Elsewhere(one.message, its.uri, *_span(its, one.location)))
    return Finding(where.uri, start, end, found.code, found.message, found.fix, tuple(related))


def _span(document: Document, location: Location) -> tuple[int, int]:
    """The offsets of a location, without the blank lines that end a block."""
    start = document.offset_at(location.line, location.column)
    end = max(start, document.offset_at(location.end_line, location.end_column))
    text = document.text
    while end > start + 1 and text[end - 1].isspace():
        end -= 1
    if end == start:
        end = min(start + 1, document.line_span(document.line_of(start))[1])
    return start, max(start, end)


class Shift:
    """How offsets move from one text to another that differs from it in one place."""

    __slots__ = ("_after", "_before", "_by")

    def __init__(self, old: str, new: str) -> None:
        self._before = _alike(old, new)
        rest = min(len(old), len(new)) - self._before
        tail = _alike(old[::-1][:rest], new[::-1][:rest])
        self._after = len(old) - tail
        self._by = len(new) - len(old)

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Where a span is now; None where the text changed within it."""
        if end <= self._before:
            return start, end
        if start >= self._after:
            return start + self._by, end + self._by
        return None


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(other[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def carried(
    findings: Iterable[Finding],
    old: Callable[[str], Document | None],
    new: Callable[[str], Document | None],
) -> list[Finding]:
    """Findings about earlier texts, where they now are; those whose place changed are left out."""
    shifts: dict[str, Shift | None] = {}

    def moved(uri: str, start: int, end: int) -> tuple[int, int] | None:
        if uri not in shifts:
            before, after = old(uri), new(uri)
            known = before is not None and after is not None
            shifts[uri] = Shift(before.text, after.text) if known else None  # type: ignore[union-attr]
        shift = shifts[uri]
        return None if shift is None else shift.span(start, end)

    kept = []
    for one in findings:
        place = moved(one.uri, one.start, one.end)
        if place is None:
            continue
        related = []
        for other in one.related:
            its = moved(other.uri, other.start, other.end)
            if its is not None:
                related.append(Elsewhere(other.message, other.uri, *its))
        kept.append(Finding(one.uri, *place, one.code, one.message, one.fix, tuple(related)))
    return kept
