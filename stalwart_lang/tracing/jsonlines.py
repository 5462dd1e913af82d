"""Spans as JSON lines: a file that any tool can read, whole up to the moment of a crash.

A record when a span opens and one when it closes, each written by one `write` on a descriptor that
appends: several threads and processes may share a file, and what was written survives a kill.
"""

import json
import os
import re
import threading
import time
from collections.abc import Mapping
from contextvars import Token
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

from stalwart_lang.tracing.agent import AgentSpans
from stalwart_lang.tracing.appended import AppendedFile
from stalwart_lang.tracing.attributes import ERROR_TYPE
from stalwart_lang.tracing.content import (
    Attributes,
    AttributeValue,
    Redact,
    clean_but_for_text,
    content_rule,
)
from stalwart_lang.tracing.context import OpenSpan, current, open_span, parsed, reset
from stalwart_lang.tracing.errors import error_type
from stalwart_lang.tracing.tracer import Kind

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_encoded = lru_cache(maxsize=256)(_encode)
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonLinesTracer(AgentSpans):
    """Writes each span to the end of a file, one JSON object a line, as it opens and as it closes.

    With `capture_content` content is written (arguments, results, messages, turns), redacted of
    personal data: by the package's own redaction (`redact=True`, which needs the extra `redact`),
    by a function of yours, or not at all (`redact=None`). Without it a digest stands in for each,
    which `digest_key` makes unguessable.

    A file that grows over `max_bytes` is renamed, `run.jsonl` to `run.1.jsonl`, `run.2.jsonl`, …,
    and goes on anew; of these the last `backups` are kept, all without it. A file that cannot be
    opened or written is reported once as a warning of the logger `stalwart_lang.tracing`, and the
    agent goes on.

    Raises ImportError where `redact=True` needs what is not installed.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        capture_content: bool = False,
        digest_key: bytes | None = None,
        redact: Redact | bool | None = True,
        max_bytes: int | None = None,
        backups: int | None = None,
    ) -> None:
        self._rule = content_rule(capture_content, digest_key, redact)
        self._file = AppendedFile(path, max_bytes=max_bytes, backups=backups)

    def span(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        content: Mapping[str, object] | None = None,
        kind: Kind = "internal",  # noqa: ARG002  a record has none
        parent: str | None = None,
    ) -> "JsonLinesSpan":
        """Return a context manager that opens the span; see `Tracer.span`."""
        held = clean_but_for_text(attributes) if attributes else {}
        if content:
            held.update(self.content(content))
        return JsonLinesSpan(self, name, held, parent)

    def content(self, content: Mapping[str, object]) -> dict[str, AttributeValue]:
        """Return the attributes that content becomes in this tracer."""
        return self._rule.attributes(content)

    def write(self, line: str) -> None:
        """Append one record, without its line's end."""
        try:
            text = line.encode()
        except UnicodeEncodeError:
            # Only within strings can there be a lone surrogate: it becomes the text of its escape.
            text = _SURROGATE.sub(lambda found: rf"\\u{ord(found[0]):04x}", line).encode()
        self._file.append(text + b"\n")

    def close(self) -> None:
        """Close the file. A span that closes later is not written. May be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class JsonLinesSpan:
    """A span of a `JsonLinesTracer`: a context manager, to be entered once."""

    __slots__ = (
        "_added",
        "_attributes",
        "_began",
        "_began_wall",
        "_ended",
        "_error",
        "_events",
        "_lock",
        "_name",
        "_opened_with",
        "_parent",
        "_process",
        "_record",
        "_span_id",
        "_token",
        "_trace_id",
        "_tracer",
    )

    def __init__(
        self,
        tracer: JsonLinesTracer,
        name: str,
        attributes: dict[str, AttributeValue],
        parent: str | None,
    ) -> None:
        self._tracer = tracer
        self._name = name
        self._attributes = attributes
        self._parent = parent
        self._added: dict[str, AttributeValue] = {}
        self._opened_with = "{}"
        self._events: list[dict[str, Any]] = []
        self._error: dict[str, str] | None = None
        self._ended = False
        self._lock = threading.Lock()
        self._began = self._began_wall = self._process = 0
        self._record = ""
        self._token: Token[OpenSpan | None] | None = None
        self._trace_id = self._span_id = ""

    def __enter__(self) -> Self:
        return self.enter((parsed(self._parent) if self._parent else None) or open_span())

    def enter(self, above: OpenSpan | None, own: OpenSpan | None = None) -> Self:
        """Open the span below `above`, under the ids `own` where another tracer made some."""
        if own is not None:
            self._trace_id, self._span_id = own.trace_id, own.span_id
        else:
            self._trace_id = above.trace_id if above else os.urandom(16).hex()
            self._span_id = os.urandom(8).hex()
        self._token = current.set(OpenSpan(self._trace_id, self._span_id, self._tracer))
        self._process = os.getpid()
        self._began_wall = time.time_ns()
        self._began = time.perf_counter_ns()
        parent = f'"{above.span_id}"' if above else "null"
        name = _encoded(self._name)
        self._record = (
            f'"trace_id":"{self._trace_id}","span_id":"{self._span_id}","parent_id":{parent},'
            f'"name":{name},"start":"{rfc3339(self._began_wall)}"'
        )
        self._opened_with = _encode(self._attributes)
        self._tracer.write(f'{{"type":"start",{self._record},"attributes":{self._opened_with}}}')
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._token is not None:
            reset(self._token)
        if error is not None:
            self.record_error(error)
        self.end()

    @property
    def traceparent(self) -> str:
        """The span's identity in W3C's format."""
        return OpenSpan(self._trace_id, self._span_id).traceparent

    def set_attributes(self, attributes: Attributes) -> None:
        """Add `attributes`; a name that is there already takes the new value."""
        added = clean_but_for_text(attributes)
        with self._lock:
            self._added.update(added)

    def set_content(self, content: Mapping[str, object]) -> None:
        """Add content, as values or as digests."""
        added = self._tracer.content(content)
        with self._lock:
            self._added.update(added)

    def add_event(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        content: Mapping[str, object] | None = None,
    ) -> None:
        """Add something that happened at this moment."""
        elapsed = time.perf_counter_ns() - self._began
        held = clean_but_for_text(attributes) if attributes else {}
        if content:
            held.update(self._tracer.content(content))
        moment = rfc3339(self._began_wall + elapsed)
        event = {"name": name, "time": moment, "attributes": held}
        with self._lock:
            self._events.append(event)

    def record_error(self, error: BaseException) -> None:
        """Mark the span as failed. Only the error's type is kept: messages may hold content."""
        kind = error_type(error)
        with self._lock:
            if not self._ended:
                self._error = {"type": kind}
                self._added[ERROR_TYPE] = kind

    def end(self) -> None:
        """End the span and write it; a second time does nothing.

        In a process forked while it was open it does nothing either: the span is its parent's.
        """
        elapsed = time.perf_counter_ns() - self._began
        with self._lock:
            if self._ended or self._process != os.getpid():
                return
            self._ended = True
            end = rfc3339(self._began_wall + elapsed)
            error = _encode(self._error) if self._error else "null"
            events = _encode(self._events) if self._events else "[]"
            attributes = self._all_attributes()
        self._tracer.write(
            f'{{"type":"span",{self._record},"end":"{end}","duration_ms":{elapsed / 1_000_000},'
            f'"status":"{"error" if self._error else "ok"}","error":{error},'
            f'"attributes":{attributes},"events":{events}}}'
        )

    def _all_attributes(self) -> str:
        """Return the attributes as JSON; those of the start are already."""
        if not self._added:
            return self._opened_with
        if not self._attributes or not self._attributes.keys().isdisjoint(self._added):
            return _encode(self._attributes | self._added)
        return f"{self._opened_with[:-1]},{_encode(self._added)[1:]}"


def rfc3339(nanoseconds: int) -> str:
    """Return the moment in UTC, with microseconds: 2027-03-01T09:00:00.000001Z."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{_whole_second(seconds)}.{rest // 1000:06}Z"


@lru_cache(maxsize=4)
def _whole_second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
