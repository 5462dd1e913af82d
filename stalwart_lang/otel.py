"""The same spans in OpenTelemetry, for teams that already use it.

Importing this module imports OpenTelemetry; the rest of the package does not.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version

from opentelemetry import trace

from stalwart_lang.tracing import attributes as names
from stalwart_lang.tracing.content import Attributes, ContentRule, clean
from stalwart_lang.tracing.errors import error_type

__all__ = ["OtelTracer"]


class OtelTracer:
    """Opens spans in an OpenTelemetry tracer provider: the one given, or the global one.

    With `capture_content` the turn itself goes to the provider's exporters; without it a digest,
    which `digest_key` makes unguessable. Of an exception only its type is kept: OpenTelemetry's
    own record of it would hold its message and its stack.
    """

    def __init__(
        self,
        provider: trace.TracerProvider | None = None,
        *,
        capture_content: bool = False,
        digest_key: bytes | None = None,
    ) -> None:
        self._content = ContentRule(capture_content, digest_key)
        self._tracer = trace.get_tracer("stalwart_lang", version("stalwart-lang"), provider)

    @contextmanager
    def span(self, name: str, attributes: Attributes | None = None) -> Iterator["OtelSpan"]:
        """Open a span below OpenTelemetry's current one; see `Tracer.span`."""
        with self._tracer.start_as_current_span(
            name,
            attributes=clean(attributes or {}),
            record_exception=False,
            set_status_on_exception=False,
        ) as opened:
            span = OtelSpan(opened)
            try:
                yield span
            except BaseException as error:
                span.record_error(error)
                raise

    def content(self, name: str, value: object) -> Attributes:
        """Return the attribute for content: `name`, or its digest where content is off."""
        return self._content.attributes(name, value)


class OtelSpan:
    """A span of an `OtelTracer`."""

    __slots__ = ("_span",)

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def set_attributes(self, attributes: Attributes) -> None:
        """Add `attributes`; a name that is there already takes the new value."""
        self._span.set_attributes(clean(attributes))

    def add_event(self, name: str, attributes: Attributes | None = None) -> None:
        """Add something that happened at this moment."""
        self._span.add_event(name, clean(attributes or {}))

    def record_error(self, error: BaseException) -> None:
        """Mark the span as failed. Only the error's type is kept: messages may hold content."""
        self._span.set_status(trace.StatusCode.ERROR)
        self._span.set_attribute(names.ERROR_TYPE, error_type(error))
