"""A tracer that opens the package's spans in OpenTelemetry's provider."""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import Token
from importlib.metadata import version
from types import TracebackType
from typing import Self

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from stalwart_lang.otel.limit import RESERVED, limit_of, within
from stalwart_lang.otel.openinference import ABOUT_CALLS, SPAN_KIND, CheckedCalls
from stalwart_lang.tracing import attributes as names
from stalwart_lang.tracing import context
from stalwart_lang.tracing.agent import AgentSpans
from stalwart_lang.tracing.content import (
    Attributes,
    AttributeValue,
    Redact,
    clean,
    content_rule,
)
from stalwart_lang.tracing.errors import error_type
from stalwart_lang.tracing.report import Reporter
from stalwart_lang.tracing.tracer import Kind

_KINDS = {"internal": trace.SpanKind.INTERNAL, "client": trace.SpanKind.CLIENT}
_MANY = 32
"""More attributes than this at a span's start are set once its limit is known."""

_FLAGS = tuple(f"{flags:02x}" for flags in range(256))
_INT64 = 2**63

_forks = 0
"""How many forks lie between the process that imported this module and this one."""

_propagator = TraceContextTextMapPropagator()


class OtelTracer(AgentSpans):
    """Opens spans in an OpenTelemetry tracer provider: the one given, or the global one.

    `capture_content`, `digest_key` and `redact` are those of `JsonLinesTracer`. Of an exception
    only its type is kept: OpenTelemetry's own record of it would hold its message and its stack.

    A provider, processor or exporter that raises is reported once as a warning of the logger
    `stalwart_lang.tracing`, and the agent goes on. One that hangs holds up what calls it: put
    `stalwart_lang.otel.reporting` around an exporter.

    Raises ImportError where `redact=True` needs what is not installed.
    """

    def __init__(
        self,
        provider: trace.TracerProvider | None = None,
        *,
        capture_content: bool = False,
        digest_key: bytes | None = None,
        redact: Redact | bool | None = True,
    ) -> None:
        self._content = content_rule(capture_content, digest_key, redact)
        self._reporter = Reporter()
        self.calls = CheckedCalls()
        self.environment = os.environ.get(context.TRACEPARENT)
        self.opener: trace.Tracer = trace.NoOpTracer()
        try:
            self.opener = trace.get_tracer("stalwart_lang", version("stalwart-lang"), provider)
        except Exception as error:
            self.report(error)

    def span(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        content: Mapping[str, object] | None = None,
        kind: Kind = "internal",
        parent: str | None = None,
    ) -> "OtelSpan":
        """Return a context manager that opens the span below `parent` or OpenTelemetry's current.

        Where there is neither, the `TRACEPARENT` is gone on with that was in the environment as
        the tracer was made; see `Tracer.span`.
        """
        return OtelSpan(self, name, attributes, content, kind, parent)

    def held(
        self, attributes: Attributes | None, content: Mapping[str, object] | None
    ) -> Mapping[str, AttributeValue]:
        """Return what a span or an event holds, fit for every exporter."""
        if not content:
            return _fit(attributes) if attributes else {}
        captured = _fit(self._content.attributes(content))
        return {**_fit(attributes), **captured} if attributes else captured

    def report(self, error: Exception) -> None:
        """Report once that spans are not recorded."""
        self._reporter.report("Spans are not recorded by OpenTelemetry", error)


class OtelSpan:
    """A span of an `OtelTracer`: a context manager, to be entered once."""

    __slots__ = (
        "_attributes",
        "_content",
        "_ended",
        "_forks",
        "_held",
        "_kind",
        "_lock",
        "_name",
        "_otel_token",
        "_parent",
        "_room",
        "_span",
        "_token",
        "_tracer",
    )

    def __init__(
        self,
        tracer: OtelTracer,
        name: str,
        attributes: Attributes | None,
        content: Mapping[str, object] | None,
        kind: Kind,
        parent: str | None,
    ) -> None:
        self._tracer = tracer
        self._name = name
        self._attributes = attributes
        self._content = content
        self._kind: Kind = kind
        self._parent = parent
        self._span: trace.Span = trace.INVALID_SPAN
        self._ended = False
        self._forks = 0
        self._lock = threading.Lock()
        self._room = 0
        self._held: dict[str, AttributeValue] | None = None
        self._token: Token[context.OpenSpan | None] | None = None
        self._otel_token: Token[Context] | None = None

    def __enter__(self) -> Self:
        above = _above(self._parent, self._tracer.environment)
        self._forks = _forks
        try:
            self._start(above)
        except Exception as error:
            self._tracer.report(error)
            if self._span is trace.INVALID_SPAN:
                # What is opened within goes on below what is open here.
                outer = trace.get_current_span(above).get_span_context()
                self._span = trace.NonRecordingSpan(outer)
        ids = self._span.get_span_context()
        here = context.current.get()
        if ids.is_valid:
            here = context.OpenSpan(
                f"{ids.trace_id:032x}",
                f"{ids.span_id:016x}",
                self._tracer,
                _FLAGS[ids.trace_flags],
            )
        self._token = context.current.set(here)
        self._otel_token = otel_context.attach(trace.set_span_in_context(self._span, above))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._token is not None and self._otel_token is not None:
            # An asynchronous generator may be closed in another context than it was opened in.
            try:
                context.current.reset(self._token)
            except ValueError:
                pass
            else:
                otel_context.detach(self._otel_token)
        if error is not None:
            self.record_error(error)
        self.end()

    @property
    def traceparent(self) -> str:
        """The span's identity in W3C's format; all zeros where nothing is recorded."""
        ids = self._span.get_span_context()
        return f"00-{ids.trace_id:032x}-{ids.span_id:016x}-{ids.trace_flags:02x}"

    def set_attributes(self, attributes: Attributes) -> None:
        """Add `attributes`; a name that is there already takes the new value."""
        try:
            self._add(_fit(attributes))
        except Exception as error:
            self._tracer.report(error)

    def set_content(self, content: Mapping[str, object]) -> None:
        """Add content, as values or as digests."""
        try:
            self._add(self._tracer.held(None, content))
        except Exception as error:
            self._tracer.report(error)

    def add_event(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        content: Mapping[str, object] | None = None,
    ) -> None:
        """Add something that happened at this moment."""
        if self._ended:
            return
        try:
            held = self._tracer.held(attributes, content)
            if len(held) > _MANY:
                held = within(held, limit_of(self._span, "max_event_attributes"))
            self._span.add_event(_fit_name(name), held)
        except Exception as error:
            self._tracer.report(error)

    def record_error(self, error: BaseException) -> None:
        """Mark the span as failed. Only the error's type is kept: messages may hold content."""
        if self._ended:
            return
        try:
            self._span.set_status(trace.StatusCode.ERROR)
            self._add(_fit({names.ERROR_TYPE: error_type(error)}))
        except Exception as raised:
            self._tracer.report(raised)

    def end(self) -> None:
        """End the span; a second time does nothing.

        In a process forked while it was open it does nothing either: the span is its parent's.
        """
        if self._forks != _forks:
            return
        with self._lock:
            if self._ended:
                return
            self._ended = True
        try:
            if self._held is not None:
                present = getattr(self._span, "attributes", None) or {}
                limit = limit_of(self._span, "max_span_attributes")
                self._span.set_attributes(within(self._held, limit, present))
            self._span.end()
        except Exception as error:
            self._tracer.report(error)

    def _start(self, above: Context) -> None:
        held = self._tracer.held(self._attributes, self._content)
        first = held if len(held) <= _MANY else {}
        self._span = self._tracer.opener.start_span(
            _fit_name(self._name),
            above,
            _KINDS[self._kind],
            first,
            record_exception=False,
            set_status_on_exception=False,
        )
        self._room = limit_of(self._span, "max_span_attributes") - RESERVED - len(first)
        if first is not held:
            self._add(held)
        if self._name in ABOUT_CALLS:
            trace_id = self._span.get_span_context().trace_id
            step = self._tracer.calls.kind(self._name, held, trace_id)
            if step is not None:
                self._add({SPAN_KIND: step})

    def _add(self, attributes: Mapping[str, AttributeValue]) -> None:
        """Set attributes that are clean, or hold them back where the limit is near."""
        if self._ended:
            return
        if self._held is None and len(attributes) <= self._room:
            self._room -= len(attributes)
            self._span.set_attributes(attributes)
            return
        with self._lock:
            if not self._ended:
                self._held = {**(self._held or {}), **clean(attributes)}


def _fit(attributes: Attributes) -> Attributes:
    """Return attributes that every exporter takes: these, where they are. The SDK copies them."""
    return attributes if _is_plain(attributes) else clean(attributes)


def _fit_name(name: str) -> str:
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()


def _is_plain(attributes: Attributes) -> bool:
    """Whether nothing is to be cleaned, which is so of nearly all and costs less to see."""
    for name, value in attributes.items():
        if type(name) is not str or not name.isascii():
            return False
        if type(value) is str:
            if not value.isascii():
                return False
        elif type(value) is list:
            for item in value:
                if type(item) is not str or not item.isascii():
                    return False
        elif type(value) is int:
            if not -_INT64 <= value < _INT64:
                return False
        elif type(value) is not bool:
            return False
    return True


def _above(parent: str | None, environment: str | None) -> Context:
    """Return the context of what a span goes below."""
    here = otel_context.get_current()
    if parent is not None:
        return _below(parent, here)
    opened = context.current.get()
    if opened is None:
        named = environment
    elif opened.tracer is None:  # a trace continued before this module was imported
        named = opened.traceparent
    else:
        return here
    if named is None or trace.get_current_span(here).get_span_context().is_valid:
        return here
    return _below(named, here)


def _below(traceparent: str, here: Context) -> Context:
    """Return `here` with the span that `traceparent` names as the current one, if it names any."""
    return _propagator.extract({"traceparent": traceparent}, here)


@contextmanager
def _followed(traceparent: str) -> Iterator[None]:
    token = otel_context.attach(_below(traceparent, otel_context.get_current()))
    try:
        yield
    finally:
        otel_context.detach(token)


context.followers.append(_followed)


def _forked() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
