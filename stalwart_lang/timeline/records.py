"""The records of a JSON-lines trace, decoded one line at a time.

A reader meets files of other versions and files that a crash cut short: fields and types of record
that it does not know are passed over, and a line that is no record is told as such.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec


class Error(msgspec.Struct, frozen=True):
    """What a failed span says of its error: its type, never its message."""

    type: str


class Event(msgspec.Struct, frozen=True):
    """Something that happened within a span; `time` is in UTC."""

    name: str
    time: datetime
    attributes: dict[str, Any] = {}


class Span(msgspec.Struct, frozen=True):
    """A span as recorded: its end (`type` "span") or, where that is missing, its start ("start").

    Times are aware; `duration_ms` is in milliseconds; `end` and `duration_ms` are None while the
    span is open, and where they are not known. `attributes` are as written.
    """

    type: Literal["span", "start"]
    trace_id: str
    span_id: str
    name: str
    start: datetime
    parent_id: str | None = None
    end: datetime | None = None
    duration_ms: float | None = None
    status: str = "ok"
    error: Error | None = None
    attributes: dict[str, Any] = {}
    events: list[Event] = []

    @property
    def open(self) -> bool:
        """Whether only the span's start is known."""
        return self.type == "start"

    @property
    def failed(self) -> bool:
        """Whether the span ended with an error."""
        return self.status == "error"


class Damage(msgspec.Struct, frozen=True):
    """A line (counted from 1) that holds no record, and why."""

    line: int
    reason: str


class CutShort(Exception):
    """Raised by lines when they end early; its text says of what and how."""


_decoder = msgspec.json.Decoder(Span)
_RECORD = b'{"type":"'
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def read_spans(lines: Iterable[bytes]) -> Iterator[Span | Damage]:
    """Yield what each line holds: spans at their start or at their end, or what is wrong with it.

    A line is a record of ours or an OTLP/JSON message. Blank lines and records of unknown types
    yield nothing; lines that end with `CutShort` end with a damage.
    """
    number = 0
    try:
        for line in lines:
            number += 1
            try:
                span = _decoder.decode(line)
            except _UNREADABLE:
                yield from _read_otherwise(line, number)
            else:
                yield in_utc(span)
    except CutShort as error:
        yield Damage(max(1, number), str(error))


def read_line(line: bytes, number: int) -> Iterator[Span | Damage]:
    """Yield what one line holds, as `read_spans` does; `number` is for the damage."""
    try:
        span = _decoder.decode(line)
    except _UNREADABLE:
        return _read_otherwise(line, number)
    return iter((in_utc(span),))


def in_utc(span: Span) -> Span:
    """Return the span with its times in UTC, so that spans of several machines sort.

    A time without an offset is taken to be in UTC.
    """
    if (
        span.start.tzinfo is UTC
        and (span.end is None or span.end.tzinfo is UTC)
        and (not span.events or all(event.time.tzinfo is UTC for event in span.events))
    ):
        return span
    return msgspec.structs.replace(
        span,
        start=_utc(span.start),
        end=None if span.end is None else _utc(span.end),
        events=[msgspec.structs.replace(event, time=_utc(event.time)) for event in span.events],
    )


def _utc(time: datetime) -> datetime:
    if time.utcoffset() is None:
        return time.replace(tzinfo=UTC)
    try:
        return time.astimezone(UTC)
    except OverflowError:  # the first and the last day of the calendar
        return time.replace(tzinfo=UTC)


def _read_otherwise(line: bytes, number: int) -> Iterator[Span | Damage]:
    """Read a line that is no record of ours to the fast decoder."""
    if not line.strip():
        return
    try:
        record = _json(line)
    except (ValueError, RecursionError):
        whole = line.endswith(b"\n")
        yield Damage(number, "it is not JSON" if whole else "the last line is cut short")
        # A process killed within a write leaves a part of a line, and another's goes on behind it.
        # No text within a record looks like a record's start: its quotes are escaped.
        again = line.rfind(_RECORD, 1)
        if again > 0:
            yield from read_line(line[again:], number)
        return
    if not isinstance(record, dict):
        yield Damage(number, "it is not an object")
    elif "resourceSpans" in record:
        from stalwart_lang.timeline.otlp import read_message  # it is built on this module

        for found in read_message(record):
            yield found if isinstance(found, Span) else Damage(number, found)
    elif record.get("type") in ("start", "span"):
        try:
            yield in_utc(msgspec.convert(record, Span))
        except (msgspec.ValidationError, UnicodeError) as invalid:
            yield Damage(number, str(invalid))


def _json(line: bytes) -> object:
    try:
        return msgspec.json.decode(line)
    except _UNREADABLE:
        # Python reads what some writers put into JSON: NaN, lone surrogates, numbers of any size.
        return json.loads(line.decode("utf-8", "replace"))
