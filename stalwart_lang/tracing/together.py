"""Several tracers as one: a file on disk and OpenTelemetry at once, under the same ids."""

from collections.abc import Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from stalwart_lang.tracing.agent import AgentSpans
from stalwart_lang.tracing.content import Attributes
from stalwart_lang.tracing.context import OpenSpan, current, open_span, parsed, reset
from stalwart_lang.tracing.jsonlines import JsonLinesTracer
from stalwart_lang.tracing.quiet import quiet
from stalwart_lang.tracing.tracer import Kind, Span, Tracer


def together(*tracers: Tracer) -> "Together":
    """Return a tracer that opens every span in each of `tracers`.

    The JSON-lines tracers among them take the ids of the first that is none, so that a span is
    found by one id in all. Each keeps its own rule of content.
    """
    return Together(*tracers)


class Together(AgentSpans):
    """What `together` returns."""

    def __init__(self, *tracers: Tracer) -> None:
        self._files = [tracer for tracer in tracers if isinstance(tracer, JsonLinesTracer)]
        self._others = [quiet(t) for t in tracers if not isinstance(t, JsonLinesTracer)]

    def span(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        content: Mapping[str, object] | None = None,
        kind: Kind = "internal",
        parent: str | None = None,
    ) -> "TogetherSpan":
        """Open the span in each; see `Tracer.span`."""
        return TogetherSpan(
            self, self._files, self._others, name, attributes, content, kind, parent
        )


class TogetherSpan:
    """A span of several tracers: a context manager, to be entered once."""

    def __init__(
        self,
        tracer: Tracer,
        files: list[JsonLinesTracer],
        others: list[Tracer],
        name: str,
        attributes: Attributes | None,
        content: Mapping[str, object] | None,
        kind: Kind,
        parent: str | None,
    ) -> None:
        self._tracer = tracer
        self._files = files
        self._others = others
        self._name = name
        self._attributes = attributes
        self._content = content
        self._kind: Kind = kind
        self._parent = parent
        self._spans: list[Span] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        name, held, content, parent = self._name, self._attributes, self._content, self._parent
        above = (parsed(parent) if parent else None) or open_span()
        own: OpenSpan | None = None
        for tracer in self._others:
            opened = tracer.span(name, held, content=content, kind=self._kind, parent=parent)
            self._spans.append(span := self._stack.enter_context(opened))
            own = own or parsed(span.traceparent)
        for file in self._files:
            written = file.span(name, held, content=content).enter(above, own)
            self._stack.push(written)
            self._spans.append(written)
            own = own or parsed(written.traceparent)
        if own is not None:
            within = OpenSpan(own.trace_id, own.span_id, self._tracer)
            self._stack.callback(reset, current.set(within))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    @property
    def traceparent(self) -> str:
        """The identity of the first of the spans, which those in files share."""
        return next((span.traceparent for span in self._spans), "")

    def set_attributes(self, attributes: Attributes) -> None:
        """Add `attributes` to each."""
        for span in self._spans:
            span.set_attributes(attributes)

    def set_content(self, content: Mapping[str, object]) -> None:
        """Add content to each, by the rule of each."""
        for span in self._spans:
            span.set_content(content)

    def add_event(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        content: Mapping[str, object] | None = None,
    ) -> None:
        """Add something that happened at this moment to each."""
        for span in self._spans:
            span.add_event(name, attributes, content=content)

    def record_error(self, error: BaseException) -> None:
        """Mark each as failed."""
        for span in self._spans:
            span.record_error(error)

    def end(self) -> None:
        """End each now."""
        for span in self._spans:
            span.end()
