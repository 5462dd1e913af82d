"""The decisions in the lines of a trace: checks of calls, and plans of turns.

Of a trace most lines decide nothing. They are passed over without being decoded: a line that
decides holds the name of its span as a whole JSON string, and a search for that costs next to
nothing.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

import msgspec

from stalwart_lang.lsp.traces.tally import Decided, Found, Thread
from stalwart_lang.timeline.records import Span, read_line
from stalwart_lang.tracing import attributes as names

_NEEDLES = tuple(
    f'"{name}"'.encode() for name in (names.TOOL_CHECK, names.PLAN, names.CONVERSATION_ID)
)
_CLIPPED, _LISTED = 300, 20
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def _named(name: str) -> Any:
    return msgspec.field(default=None, name=name)


class _Told(msgspec.Struct, frozen=True, gc=False):
    """The attributes that a decision is told by; nothing of its content."""

    tool: str | None = _named(names.TOOL_NAME)
    outcome: str | None = _named(names.OUTCOME)
    decided_by: str | None = _named(names.DECIDED_BY)
    rule: str | None = _named(names.RULE)
    reasons: tuple[str, ...] | None = _named(names.REASONS)
    labels: tuple[str, ...] | None = _named(names.LABELS)
    rule_file: str | None = _named(names.RULE_FILE)
    rule_line: int | None = _named(names.RULE_LINE)
    verdict: str | None = _named(names.VERDICT)
    rules: tuple[str, ...] | None = _named(names.RULES)
    vocabulary: str | None = _named(names.VOCABULARY)
    language: str | None = _named(names.LANGUAGE)
    thread: str | None = _named(names.CONVERSATION_ID)


class _Line(msgspec.Struct, frozen=True, gc=False):
    type: str
    trace_id: str
    span_id: str
    name: str
    start: Annotated[datetime, msgspec.Meta(tz=True)]
    attributes: _Told = _Told()


_decoder = msgspec.json.Decoder(_Line)


def decisions_in(block: bytes, offset: int = 0, line: int = 0) -> Iterator[Found]:
    """Yield the decisions of a block of whole lines, and the threads that it names, in order.

    `offset` (in bytes) and `line` (from 0) tell where in its file the block begins.
    """
    counted = 0
    for start, end in _telling_lines(block):
        line += block.count(b"\n", counted, start)
        counted = start
        for held in _held(block[start:end]):
            yield Found(held, offset + start, line)


def _telling_lines(block: bytes) -> list[tuple[int, int]]:
    """Return where the lines are that may hold a decision or a thread, each once."""
    found: dict[int, int] = {}
    for needle in _NEEDLES:
        at = block.find(needle)
        while at >= 0:
            start = block.rfind(b"\n", 0, at) + 1
            end = block.find(b"\n", at)
            if end < 0:
                end = len(block)
            found[start] = end
            at = block.find(needle, end)
    return sorted(found.items())


def _held(line: bytes) -> Iterator[Decided | Thread]:
    try:
        record = _decoder.decode(line)
    except _UNREADABLE:
        # What this decoder does not take: OTLP/JSON, times of other forms, a torn line.
        for span in read_line(line, 1):
            if isinstance(span, Span):
                yield from _of(_record(span))
    else:
        yield from _of(record)


def _of(record: _Line) -> Iterator[Decided | Thread]:
    told = record.attributes
    if told.thread:
        yield Thread(record.trace_id, _clipped(told.thread))
    if record.type != "span":
        return
    if record.name == names.TOOL_CHECK and told.outcome is not None:
        yield _decided(record, told.outcome, is_plan=False)
    elif record.name == names.PLAN and told.verdict is not None:
        yield _decided(record, told.verdict, is_plan=True)


def _decided(record: _Line, outcome: str, is_plan: bool) -> Decided:
    told = record.attributes
    return Decided(
        is_plan,
        record.start,
        _clipped(outcome),
        _clipped(told.tool),
        _clipped(told.rule),
        _clipped(told.decided_by),
        _all_clipped(told.reasons),
        _all_clipped(told.labels),
        _all_clipped(told.rules),
        _clipped(told.vocabulary),
        _clipped(told.language),
        told.rule_file or "",
        told.rule_line or 0,
        _clipped(record.trace_id),
        _clipped(record.span_id),
    )


def _clipped(text: str | None) -> str:
    if text is None:
        return ""
    return text if len(text) <= _CLIPPED else text[: _CLIPPED - 1] + "…"


def _all_clipped(texts: tuple[str, ...] | None) -> tuple[str, ...]:
    return tuple(map(_clipped, texts[:_LISTED])) if texts else ()


def _record(span: Span) -> _Line:
    """Return what is needed of a span; an attribute of another type than it has is not told."""
    held = span.attributes

    def text(name: str) -> str | None:
        value = held.get(name)
        return value if isinstance(value, str) else None

    def texts(name: str) -> tuple[str, ...] | None:
        value = held.get(name)
        if isinstance(value, str):
            return (value,)
        return tuple(map(str, value)) if isinstance(value, list) else None

    line = held.get(names.RULE_LINE)
    told = _Told(
        tool=text(names.TOOL_NAME),
        outcome=text(names.OUTCOME),
        decided_by=text(names.DECIDED_BY),
        rule=text(names.RULE),
        reasons=texts(names.REASONS),
        labels=texts(names.LABELS),
        rule_file=text(names.RULE_FILE),
        rule_line=line if isinstance(line, int) and not isinstance(line, bool) else None,
        verdict=text(names.VERDICT),
        rules=texts(names.RULES),
        vocabulary=text(names.VOCABULARY),
        language=text(names.LANGUAGE),
        thread=text(names.CONVERSATION_ID),
    )
    return _Line(span.type, span.trace_id, span.span_id, span.name, span.start, told)
