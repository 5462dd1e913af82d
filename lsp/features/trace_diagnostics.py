"""Diagnostics of a trace: the first error and the first violation of each run, broken lines."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
from lsprotocol import types

from stalwart_lang.lsp.documents import Encoding
from stalwart_lang.lsp.traces.explaining import VIOLATION, error_of
from stalwart_lang.lsp.traces.placing import range_in
from stalwart_lang.lsp.traces.reading import Line, lines_of, spans_of, value_of
from stalwart_lang.lsp.traces.slices import in_slices
from stalwart_lang.lsp.traces.words import Words, words_of
from stalwart_lang.timeline.kinds import title_of
from stalwart_lang.timeline.records import Damage, Span

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

_CHARACTERS = 2**25
_EACH = 100
_KEPT = 5_000
_CLIPPED = 200
_CUT_SHORT = "the last line is cut short"


class _Marked(NamedTuple):
    """A span that failed or broke something, and where that is said."""

    start: datetime
    span_id: str
    parent_id: str | None
    title: str
    what: str | None
    range: types.Range


class _Attributes(msgspec.Struct):
    violation: msgspec.Raw | None = msgspec.field(default=None, name=VIOLATION)


class _Record(msgspec.Struct):
    """What tells whether anything is to be told of a record."""

    type: Literal["span", "start"]
    trace_id: str
    span_id: str
    name: str
    start: datetime
    status: str = "ok"
    attributes: _Attributes = msgspec.field(default_factory=_Attributes)


_decoder = msgspec.json.Decoder(_Record)


async def answer(server: "Server", uri: str) -> list[types.Diagnostic]:
    """Return what is to be told of a trace that is open."""
    document = server.project.document(uri)
    if document is None:
        return []
    words = words_of(server.project.configuration.language)
    return await server.run(problems_of, document.text, document.encoding, words)


def problems_of(text: str, encoding: Encoding, words: Words) -> list[types.Diagnostic]:
    """Return the first error and violation of each run, and the lines that hold no record.

    Of each kind a hundred are told at most. Takes its time: not for the loop.
    """
    failed: dict[str, list[_Marked]] = {}
    broke: dict[str, list[_Marked]] = {}
    found: list[types.Diagnostic] = []
    kept = 0
    for line in in_slices(lines_of(text)):
        if line.start > _CHARACTERS:
            hint = types.DiagnosticSeverity.Information
            found.append(_told(_whole(line, encoding), words.checked_so_far, "unchecked", hint))
            break
        if _is_sound(line):
            continue
        for held in spans_of(line, whole=line.start + len(line.text) < len(text)):
            if isinstance(held, Damage):
                if len(found) < _EACH:
                    found.append(_broken(line, held, words, encoding))
                continue
            if held.failed and (kept < _KEPT or held.trace_id not in failed):
                kept += 1
                error = _marked(held, error_of(held), line, ("error", "status"), encoding)
                failed.setdefault(held.trace_id, []).append(error)
            if (rule := held.attributes.get(VIOLATION)) is not None and kept < _KEPT:
                kept += 1
                violation = _marked(held, str(rule), line, (VIOLATION,), encoding)
                broke.setdefault(held.trace_id, []).append(violation)
    for first in _firsts(broke):
        said = words.first_violation.format(name=first.title, rule=first.what)
        found.append(_told(first.range, said, "first-violation", types.DiagnosticSeverity.Error))
    for first in _firsts(failed):
        said = words.first_error if first.what is None else words.first_error_with
        said = said.format(name=first.title, error=first.what)
        found.append(_told(first.range, said, "first-error", types.DiagnosticSeverity.Warning))
    return sorted(found, key=lambda each: each.range.start.line)


def _is_sound(line: Line) -> bool:
    """Whether a line is a record of ours, at a glance, with nothing to tell of it."""
    if not line.text or line.text.isspace():
        return True
    try:
        record = _decoder.decode(line.text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False
    return record.status != "error" and record.attributes.violation is None


def _firsts(marked: Mapping[str, Iterable[_Marked]]) -> Iterator[_Marked]:
    """Yield the first of each run of those with none below, as far as they are told."""
    for spans in [*marked.values()][:_EACH]:
        above = {span.parent_id for span in spans}
        leaves = [span for span in spans if span.span_id not in above]
        yield min(leaves or spans, key=lambda span: span.start)


def _marked(
    span: Span, what: str | None, line: Line, fields: Iterable[str], encoding: Encoding
) -> _Marked:
    places = (value_of(line.text, name) for name in fields)
    told = (place for place in places if place and line.text[place[0] : place[1]] != "null")
    start, end = next(told, (0, len(line.text)))
    return _Marked(
        span.start,
        span.span_id,
        span.parent_id,
        title_of(span)[:_CLIPPED],
        None if what is None else what[:_CLIPPED],
        range_in(line, start, end, encoding),
    )


def _broken(line: Line, damage: Damage, words: Words, encoding: Encoding) -> types.Diagnostic:
    """Tell of a line that holds no record; one that is still being written is not an error."""
    reason = words.broken.get(damage.reason, damage.reason)[:_CLIPPED]
    severity = types.DiagnosticSeverity.Error
    if damage.reason == _CUT_SHORT:
        severity = types.DiagnosticSeverity.Information
    said = words.broken_line.format(reason=reason)
    return _told(_whole(line, encoding), said, "broken-line", severity)


def _whole(line: Line, encoding: Encoding) -> types.Range:
    return range_in(line, 0, len(line.text), encoding)


def _told(
    place: types.Range, said: str, code: str, severity: types.DiagnosticSeverity
) -> types.Diagnostic:
    return types.Diagnostic(
        range=place, message=said, severity=severity, code=code, source="stalwart"
    )
