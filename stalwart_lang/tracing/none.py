"""A tracer that records nothing, for who was given none."""

from collections.abc import Mapping
from contextlib import nullcontext

from stalwart_lang.tracing.agent import AgentSpans
from stalwart_lang.tracing.content import Attributes
from stalwart_lang.tracing.tracer import Kind


class NoTracer(AgentSpans):
    """Opens spans that are nowhere."""

    def span(
        self,
        name: str,  # noqa: ARG002
        attributes: Attributes | None = None,  # noqa: ARG002
        *,
        content: Mapping[str, object] | None = None,  # noqa: ARG002
        kind: Kind = "internal",  # noqa: ARG002
        parent: str | None = None,  # noqa: ARG002
    ) -> "nullcontext[NoSpan]":
        """Open nothing."""
        return nullcontext(_NOTHING)


class NoSpan:
    """A span that holds nothing."""

    __slots__ = ()

    @property
    def traceparent(self) -> str:
        """None: an empty text."""
        return ""

    def set_attributes(self, attributes: Attributes) -> None:
        """Do nothing."""

    def set_content(self, content: Mapping[str, object]) -> None:
        """Do nothing."""

    def add_event(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        content: Mapping[str, object] | None = None,
    ) -> None:
        """Do nothing."""

    def record_error(self, error: BaseException) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


_NOTHING = NoSpan()
