"""Spans as JSON lines: a file that any tool can read, whole up to the moment of a crash.

A record when a span opens and one when it closes, each written by one `write` on a descriptor that
appends: several threads and processes may share a file, and what was written survives a kill.
"""

import contextlib
import json
import logging
import os
import secrets
import stat
import time
import weakref
from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from stalwart_lang.tracing.content import Attributes, AttributeValue, ContentRule, clean
from stalwart_lang.tracing.errors import error_type

_log = logging.getLogger("stalwart_lang.tracing")
_open_span: ContextVar["JsonLinesSpan | None"] = ContextVar("stalwart_open_span", default=None)


class JsonLinesTracer:
    """Writes each span to the end of a file, one JSON object a line, as it opens and as it closes.

    With `capture_content` the turn itself is written; without it a digest, which `digest_key`
    makes unguessable. A file that cannot be opened or written is reported once as a warning of the
    logger `stalwart_lang.tracing`, and the agent goes on.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        capture_content: bool = False,
        digest_key: bytes | None = None,
    ) -> None:
        self._path = Path(path)
        self._content = ContentRule(capture_content, digest_key)
        self._reported = False
        self._torn = False
        self._descriptor: int | None = None
        self._release: Callable[[], object] = lambda: None
        try:
            self._torn = _ends_within_a_line(self._path)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        except OSError as error:
            self._report(error)
        else:
            self._descriptor = descriptor
            self._release = weakref.finalize(self, os.close, descriptor)

    def span(self, name: str, attributes: Attributes | None = None) -> "JsonLinesSpan":
        """Return a context manager that opens the span; see `Tracer.span`."""
        return JsonLinesSpan(self, name, attributes)

    def content(self, name: str, value: object) -> Attributes:
        """Return the attribute for content: `name`, or its digest where content is off."""
        return self._content.attributes(name, value)

    def close(self) -> None:
        """Close the file. A span that closes later is not written. May be called twice."""
        self._descriptor = None
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, record: Mapping[str, Any]) -> None:
        """Append one record."""
        descriptor = self._descriptor
        if descriptor is None:
            return
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        line = text.encode() + b"\n"
        if self._torn:
            line = b"\n" + line
        try:
            written = os.write(descriptor, line)
        except OSError as error:
            self._report(error)
        else:
            # The disk was full, say: what follows begins on a line of its own.
            self._torn = written < len(line)
            if self._torn:
                self._report(OSError(f"{written} of {len(line)} bytes were written"))

    def _report(self, error: OSError) -> None:
        if not self._reported:
            self._reported = True
            _log.warning("Spans are not written to %s: %s", self._path, error)


class JsonLinesSpan:
    """A span of a `JsonLinesTracer`: a context manager, to be entered once."""

    def __init__(self, tracer: JsonLinesTracer, name: str, attributes: Attributes | None) -> None:
        self._tracer = tracer
        self._name = name
        self._attributes: dict[str, AttributeValue] = clean(attributes or {})
        self._events: list[dict[str, Any]] = []
        self._error: dict[str, str] | None = None
        self._began = 0
        self._began_wall = 0
        self._token: Token[JsonLinesSpan | None] | None = None
        self._span_id = secrets.token_hex(8)
        self._trace_id = ""
        self._parent_id: str | None = None

    def __enter__(self) -> Self:
        parent = _open_span.get()
        self._trace_id = parent._trace_id if parent else secrets.token_hex(16)
        self._parent_id = parent._span_id if parent else None
        self._token = _open_span.set(self)
        self._began_wall = time.time_ns()
        self._began = time.perf_counter_ns()
        self._tracer.write({**self._identity("start"), "attributes": self._attributes})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        elapsed = time.perf_counter_ns() - self._began
        if self._token is not None:
            # An asynchronous generator may be closed in another context than it was opened in.
            with contextlib.suppress(ValueError):
                _open_span.reset(self._token)
        if error is not None:
            self.record_error(error)
        self._tracer.write(
            {
                **self._identity("span"),
                "end": _rfc3339(self._began_wall + elapsed),
                "duration_ms": elapsed / 1_000_000,
                "status": "error" if self._error else "ok",
                "error": self._error,
                "attributes": self._attributes,
                "events": self._events,
            }
        )

    def set_attributes(self, attributes: Attributes) -> None:
        """Add `attributes`; a name that is there already takes the new value."""
        self._attributes.update(clean(attributes))

    def add_event(self, name: str, attributes: Attributes | None = None) -> None:
        """Add something that happened at this moment."""
        elapsed = time.perf_counter_ns() - self._began
        moment = _rfc3339(self._began_wall + elapsed)
        self._events.append({"name": name, "time": moment, "attributes": clean(attributes or {})})

    def record_error(self, error: BaseException) -> None:
        """Mark the span as failed. Only the error's type is kept: messages may hold content."""
        self._error = {"type": error_type(error)}

    def _identity(self, kind: str) -> dict[str, Any]:
        return {
            "type": kind,
            "trace_id": self._trace_id,
            "span_id": self._span_id,
            "parent_id": self._parent_id,
            "name": self._name,
            "start": _rfc3339(self._began_wall),
        }


def _rfc3339(nanoseconds: int) -> str:
    moment = datetime.fromtimestamp(nanoseconds // 1000 / 1_000_000, UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _ends_within_a_line(path: Path) -> bool:
    """Whether the file's last line has no end, as a crash of the machine may leave it."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
