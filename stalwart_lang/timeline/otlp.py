"""Spans in OTLP's JSON encoding, read and written: what other tools of OpenTelemetry exchange.

A line is one message, `{"resourceSpans": [...]}`, as the Collector's file exporter writes it
(https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). Ids are hexadecimal; older
writers, that used the general JSON encoding of Protobuf, wrote Base64. What an exception said and
where it was raised is not read.
"""

import base64
import binascii
import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import msgspec

from stalwart_lang.timeline.kinds import kind_of
from stalwart_lang.timeline.records import Error, Event, Span
from stalwart_lang.timeline.runs import Run
from stalwart_lang.tracing.attributes import ERROR_TYPE

OPEN = "stalwart.open"
"""True on a span that never ended: OTLP has no word for it, and its end is written as its start."""
DURATION_MS = "stalwart.duration_ms"
"""A span's duration, where its start and end say another: the clock was set in between."""
ERROR_TYPE_OF_SPAN = "stalwart.error_type"
"""A span's error (False: none), where its attributes and events do not tell it as it is."""

_SPANS_A_MESSAGE = 256
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_INTERNAL, _CLIENT = 1, 3
_ERROR = 2
_INT64 = 2**63
_DEEPEST = 100
"""Levels of an attribute that are written: readers of JSON go only so deep."""


class _KeyValue(msgspec.Struct):
    key: str
    value: Any = None


class _Event(msgspec.Struct, rename="camel"):
    name: str = ""
    time_unix_nano: int | str = 0
    attributes: list[_KeyValue] | None = None


class _Status(msgspec.Struct):
    code: int | str | None = None


class _Span(msgspec.Struct, rename="camel"):
    trace_id: str
    span_id: str
    start_time_unix_nano: int | str
    name: str = ""
    parent_span_id: str | None = None
    end_time_unix_nano: int | str | None = None
    attributes: list[_KeyValue] | None = None
    events: list[_Event] | None = None
    status: _Status | None = None


def read_message(message: Mapping[str, Any]) -> Iterator[Span | str]:
    """Yield the spans of a message, and of each that is none what is wrong with it.

    A span without an end, or marked as open by us, is given by its start.
    """
    for resource in _items(message, "resourceSpans"):
        # "instrumentationLibrarySpans" is what versions before 0.15 wrote
        for scope in _items(resource, "scopeSpans", "instrumentationLibrarySpans"):
            for raw in _items(scope, "spans"):
                try:
                    yield _span(msgspec.convert(raw, _Span))
                except msgspec.ValidationError as error:
                    yield f"an OTLP span: {error}"
                except RecursionError:
                    yield "an OTLP span: its attributes are too deeply nested"
                except (ValueError, OverflowError) as error:
                    yield f"an OTLP span: {error}"


def write_messages(run: Run) -> Iterator[bytes]:
    """Yield a run as lines of OTLP/JSON, each a message of some of its spans.

    Read back they give the run again: what a reader would else miss is in attributes of ours (see
    `OPEN`). An id that OTLP cannot hold becomes another one, the same wherever it occurs.
    """
    resource = {"attributes": _key_values({"service.name": run.name})}
    spans = iter(run.spans)
    while some := [_written(span) for span in islice(spans, _SPANS_A_MESSAGE)]:
        scope = {"scope": {"name": "stalwart_lang"}, "spans": some}
        message = {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}
        yield msgspec.json.encode(message) + b"\n"


def _items(holder: object, *names: str) -> list[Any]:
    if isinstance(holder, dict):
        for name in names:
            if isinstance(found := holder.get(name), list):
                return found
    return []


def _span(raw: _Span) -> Span:
    parent = raw.parent_span_id or ""
    attributes = _attributes(raw.attributes)
    events = [_event(event) for event in raw.events or ()]
    start = _nanoseconds(raw.start_time_unix_nano)
    end = _nanoseconds(raw.end_time_unix_nano or 0)
    is_open = attributes.pop(OPEN, None) is True or not end
    failed = raw.status is not None and raw.status.code in (_ERROR, "STATUS_CODE_ERROR", "2")
    duration = attributes.pop(DURATION_MS, (end - start) / 1_000_000)
    return Span(
        type="start" if is_open else "span",
        trace_id=_id(raw.trace_id, 16),
        span_id=_id(raw.span_id, 8),
        parent_id=_id(parent, 8) if parent.strip("0A=") else None,
        name=raw.name,
        start=_time(start),
        end=None if is_open else _time(end),
        duration_ms=None if is_open or not isinstance(duration, int | float) else duration,
        status="error" if failed else "ok",
        error=_error(attributes, events, failed),
        attributes=attributes,
        events=events,
    )


def _error(attributes: dict[str, Any], events: list[Event], failed: bool) -> Error | None:
    """Return a span's error by its attributes, or what the exception in its events is called.

    What only `_with_error` put among the attributes is taken out of them.
    """
    told = attributes.pop(ERROR_TYPE_OF_SPAN, None)
    if isinstance(told, str):
        if attributes.get(ERROR_TYPE) == told:
            del attributes[ERROR_TYPE]
        return Error(told)
    if told is not None or not failed:
        return None
    raised = [event.attributes.get("exception.type") for event in events]
    names = (attributes.get(ERROR_TYPE), *reversed(raised))
    return next((Error(name) for name in names if isinstance(name, str)), None)


def _with_error(span: Span) -> dict[str, Any]:
    """Return a span's attributes so that `error.type` is among them, and `_error` reads the same.

    Our tracers put it there themselves.
    """
    attributes = dict(span.attributes)
    if _error({**attributes}, span.events, span.failed) != span.error:
        attributes[ERROR_TYPE_OF_SPAN] = span.error.type if span.error else False
    elif span.error is None or ERROR_TYPE in attributes:
        return attributes
    if span.error is not None:
        attributes.setdefault(ERROR_TYPE, span.error.type)
        attributes[ERROR_TYPE_OF_SPAN] = span.error.type
    return attributes


def _event(raw: _Event) -> Event:
    attributes = _attributes(raw.attributes)
    if raw.name == "exception":
        attributes = _of_exception(attributes)
    return Event(raw.name, _time(_nanoseconds(raw.time_unix_nano)), attributes)


def _of_exception(attributes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name == "exception.type"}


def _id(text: str, size: int) -> str:
    """Return an id of `size` bytes in hexadecimal, from that or from Base64."""
    if len(text) == 2 * size and re.fullmatch("[0-9A-Fa-f]+", text):
        return text.lower()
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if len(found) != size:
        raise ValueError(f"the id {text!r} is not {size} bytes in hexadecimal or Base64")
    return found.hex()


def _nanoseconds(value: int | str) -> int:
    if re.fullmatch(r"[0-9]{1,20}", str(value)) and int(value) < 2**64:
        return int(value)
    raise ValueError(f"the time {str(value)[:40]!r} is not a number of nanoseconds")


def _time(nanoseconds: int) -> datetime:
    return _EPOCH + nanoseconds // 1000 * _MICROSECOND


def _attributes(raw: list[_KeyValue] | None) -> dict[str, Any]:
    return {item.key: _value(item.value) for item in raw or ()}


def _value(union: object) -> Any:
    """Return what a union of OTLP holds: `{"intValue": "3"}` is 3; of an unknown kind, None."""
    if not isinstance(union, dict):
        return None
    for kind, held in union.items():
        match kind, held:
            case "stringValue" | "boolValue" | "bytesValue", _:
                return held
            case "intValue", str() | int() | float():
                return int(held)
            case "doubleValue", str() | int() | float():
                return float(held)
            case "arrayValue", _:
                return [_value(item) for item in _items(held, "values")]
            case "kvlistValue", _:
                pairs = msgspec.convert(_items(held, "values"), list[_KeyValue])
                return _attributes(pairs)
    return None


def _written(span: Span) -> dict[str, Any]:
    start, end, extra = _moments(span)
    if span.open:
        extra[OPEN] = True
    written = {
        "traceId": _otlp_id(span.trace_id, 32),
        "spanId": _otlp_id(span.span_id, 16),
        "name": _text(span.name),
        "kind": _CLIENT if kind_of(span) == "model" else _INTERNAL,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "attributes": _key_values({**_with_error(span), **extra}),
        "events": [
            {
                "timeUnixNano": str(_since_epoch(event.time) * 1000),
                "name": _text(event.name),
                "attributes": _key_values(
                    _of_exception(event.attributes)
                    if event.name == "exception"
                    else event.attributes
                ),
            }
            for event in span.events
        ],
        "status": {"code": _ERROR} if span.failed else {},
    }
    if span.parent_id is not None:
        written["parentSpanId"] = _otlp_id(span.parent_id, 16)
    return written


def _moments(span: Span) -> tuple[int, int, dict[str, Any]]:
    """Return start and end in nanoseconds, and the duration where they cannot say it.

    A record's times are in microseconds and its duration in nanoseconds: of the start, which may
    lie anywhere in its microsecond, that nanosecond is taken with which the end comes out right.
    """
    start = _since_epoch(span.start) * 1000
    if span.end is None:
        return start, start, {}
    end = _since_epoch(span.end) * 1000
    told = span.duration_ms
    if told is not None and math.isfinite(told * 1_000_000):
        elapsed = round(told * 1_000_000)
        shifted = start + max(0, end - start - elapsed)
        if (
            shifted < start + 1000
            and end <= shifted + elapsed < end + 1000
            and elapsed / 1_000_000 == told
        ):
            return shifted, shifted + elapsed, {}
    return start, end, {DURATION_MS: told}


def _since_epoch(time: datetime) -> int:
    """Return microseconds since 1970; OTLP's times have no sign."""
    return max(0, (time - _EPOCH) // _MICROSECOND)


def _otlp_id(text: str, digits: int) -> str:
    if len(text) == digits and re.fullmatch("[0-9a-f]+", text) and text.strip("0"):
        return text
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


def _text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _key_values(held: Mapping[str, Any], levels: int = _DEEPEST) -> list[dict[str, Any]]:
    return [{"key": _text(name), "value": _union(value, levels)} for name, value in held.items()]


def _union(value: Any, levels: int) -> dict[str, Any]:
    """Return a value as OTLP's union; what is more than `levels` deep is only said to be."""
    match value:
        case bool():
            return {"boolValue": value}
        case str():
            return {"stringValue": _text(value)}
        case int() if -_INT64 <= value < _INT64:
            return {"intValue": str(value)}
        case int():
            return {"stringValue": str(value)}
        case float() if math.isfinite(value):
            return {"doubleValue": value}
        case float():
            name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
            return {"doubleValue": name}
        case list() | dict() if levels == 0:
            return {"stringValue": "(too deeply nested)"}
        case list():
            return {"arrayValue": {"values": [_union(item, levels - 1) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": _key_values(value, levels - 1)}}
    return {}
