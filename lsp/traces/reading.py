"""A trace that is open in an editor: its lines, and what stands at a place of one.

A trace may be of hundreds of megabytes, so that nothing here goes over all of its text but by
searches that take milliseconds. Lines end at `\\n`, `\\r\\n` and `\\r`, as in the protocol.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from stalwart_lang.timeline.records import Damage, Span, read_line

_PIECE = 2**20
_BREAK = re.compile(r"\r\n|\n|\r")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_COLON = re.compile(r"\s*:\s*")
_LONGEST = 2**22
_CANDIDATES = 50
_decoder = json.JSONDecoder()


class Line(NamedTuple):
    """A line: its number from 0, its text without its break, and where that begins."""

    number: int
    text: str
    start: int


class Text(NamedTuple):
    """A JSON text of a line, decoded, and where it stands between its quotes."""

    value: str
    start: int
    end: int


def line_at(text: str, number: int) -> Line | None:
    """Return a line of a text, if it has so many."""
    at, before = 0, 0
    while at < len(text):
        end = _piece_end(text, at)
        breaks = _breaks(text, at, end)
        if before + breaks >= number:
            break
        before, at = before + breaks, end
    for _ in range(number - before):
        found = _BREAK.search(text, at)
        if found is None:
            return None
        at = found.end()
    found = _BREAK.search(text, at)
    return Line(number, text[at : len(text) if found is None else found.start()], at)


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of a text; a last one that is empty is none."""
    number = at = 0
    only_lf = "\r" not in text
    while at < len(text):
        if only_lf:
            end = text.find("\n", at)
            after = end + 1
        else:
            found = _BREAK.search(text, at)
            end, after = found.span() if found else (-1, 0)
        if end < 0:
            end = after = len(text)
        yield Line(number, text[at:end], at)
        number, at = number + 1, after


def spans_of(line: Line, *, whole: bool = True) -> Iterator[Span | Damage]:
    """Yield the spans that a line holds, or what is wrong with it; `whole`: its end is there."""
    if len(line.text) > _LONGEST:
        return iter(())
    raw = line.text.removeprefix("\ufeff").encode(errors="replace")
    return read_line(raw + b"\n" if whole else raw, line.number + 1)


def span_at(line: Line, offset: int) -> Span | None:
    """Return the span at an offset of a line: of several, as OTLP has them, the one it is in."""
    spans = [span for span in spans_of(line) if isinstance(span, Span)]
    if len(spans) < 2:
        return spans[0] if spans else None
    chosen = spans[0]
    for span in spans:
        found = line.text.find(f'"{span.span_id}"')
        if 0 <= found <= offset:
            chosen = span
    return chosen


def text_at(line: str, offset: int) -> Text | None:
    """Return the JSON text at an offset of a line; its quotes count as it."""
    for found in _STRING.finditer(line):
        if found.start() > offset:
            break
        if offset <= found.end():
            return _text(found)
    return None


def value_of(line: str, name: str) -> tuple[int, int] | None:
    """Return where the value of a field or an attribute stands in a line, the last one."""
    key = len(line)
    while (key := line.rfind(f'"{name}"', 0, key)) >= 0:
        if start := _COLON.match(line, key + len(name) + 2):
            try:
                _, end = _decoder.raw_decode(line, start.end())
            except (ValueError, RecursionError):
                return None
            return start.end(), end
    return None


def record_of(text: str, span_id: str, near: int) -> tuple[int, Span] | None:
    """Return the record of a span, and where its line begins: its end, or else its start.

    It is looked for around `near`, as far as a few megabytes.
    """
    least, most = max(0, near - 4 * _PIECE), near + 4 * _PIECE
    needle = re.compile(r'"(?:span_id|spanId)"\s*:\s*"' + re.escape(span_id) + '"')
    found: tuple[int, Span] | None = None
    for count, match in enumerate(needle.finditer(text, least, most)):
        if count == _CANDIDATES:
            break
        start = max(text.rfind("\n", 0, match.start()), text.rfind("\r", 0, match.start())) + 1
        end = _BREAK.search(text, match.end())
        line = Line(0, text[start : end.start() if end else len(text)], start)
        for span in spans_of(line):
            if isinstance(span, Span) and span.span_id == span_id:
                if not span.open:
                    return start, span
                found = found or (start, span)
    return found


def number_at(text: str, start: int, near: Line) -> int:
    """Return the number, from 0, of the line that begins at an offset, counted from a near line."""
    if start >= near.start:
        return near.number + _breaks(text, near.start, start)
    return near.number - _breaks(text, start, near.start)


def _piece_end(text: str, at: int) -> int:
    end = min(at + _PIECE, len(text))
    return end + 1 if text[end - 1 : end + 1] == "\r\n" else end


def _breaks(text: str, start: int, end: int) -> int:
    count = text.count("\n", start, end)
    if returns := text.count("\r", start, end):
        count += returns - text.count("\r\n", start, end)
    return count


def _text(found: re.Match[str]) -> Text | None:
    try:
        value = json.loads(found[0], strict=False)
    except ValueError:
        return None
    return Text(value, found.start() + 1, found.end() - 1) if isinstance(value, str) else None
