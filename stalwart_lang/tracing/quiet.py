"""A tracer of somebody else's, which may fail, made one that never breaks the agent."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from types import TracebackType

from stalwart_lang.tracing.content import Attributes
from stalwart_lang.tracing.report import Reporter
from stalwart_lang.tracing.tracer import Dependable, Kind, Span, Tracer


def quiet(tracer: Tracer) -> Tracer:
    """Return `tracer` if it is one of the package's, which fail nowhere; else one around it."""
    return tracer if isinstance(tracer, Dependable) else _QuietTracer(tracer)


_reporter = Reporter()


class _QuietTracer:
    __slots__ = ("_tracer",)

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def span(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        content: Mapping[str, object] | None = None,
        kind: Kind = "internal",
        parent: str | None = None,
    ) -> "_QuietSpan":
        return _QuietSpan(
            lambda: self._tracer.span(name, attributes, content=content, kind=kind, parent=parent)
        )


class _QuietSpan:
    """A span whose tracer's failures are reported, once in all, and go no further."""

    def __init__(self, opened: Callable[[], AbstractContextManager[Span]]) -> None:
        self._opened = opened
        self._manager: AbstractContextManager[Span] | None = None
        self._span: Span | None = None

    def __enter__(self) -> "_QuietSpan":
        try:
            self._manager = self._opened()
            self._span = self._manager.__enter__()
        except Exception as error:
            self._manager = None
            self._report(error)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._manager is None:
            return
        try:
            self._manager.__exit__(kind, error, trace)
        except Exception as raised:
            if raised is not error:
                self._report(raised)

    @property
    def traceparent(self) -> str:
        try:
            return self._span.traceparent if self._span else ""
        except Exception as error:
            self._report(error)
            return ""

    def set_attributes(self, attributes: Attributes) -> None:
        self._do(lambda span: span.set_attributes(attributes))

    def set_content(self, content: Mapping[str, object]) -> None:
        self._do(lambda span: span.set_content(content))

    def add_event(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        content: Mapping[str, object] | None = None,
    ) -> None:
        self._do(lambda span: span.add_event(name, attributes, content=content))

    def record_error(self, error: BaseException) -> None:
        self._do(lambda span: span.record_error(error))

    def end(self) -> None:
        self._do(lambda span: span.end())

    def _do(self, act: Callable[[Span], None]) -> None:
        if self._span is None:
            return
        try:
            act(self._span)
        except Exception as error:
            self._report(error)

    @staticmethod
    def _report(error: Exception) -> None:
        _reporter.report("A tracer failed, and the agent goes on without it", error)
