"""The interface that the rest of the package traces through."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Literal, Protocol, TypeAlias

from stalwart_lang.tracing.content import Attributes

Kind: TypeAlias = Literal["internal", "client"]
"""OpenTelemetry's kind of a span: `client` where it waits for a service, a model's say."""


class Span(Protocol):
    """A span that is open."""

    @property
    def traceparent(self) -> str:
        """The span's identity in W3C's format, for another process to go on below it."""

    def set_attributes(self, attributes: Attributes) -> None:
        """Add `attributes`; a name that is there already takes the new value."""

    def set_content(self, content: Mapping[str, object]) -> None:
        """Add content by the names of its attributes: as values, or where it is off as digests."""

    def add_event(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        content: Mapping[str, object] | None = None,
    ) -> None:
        """Add something that happened at this moment."""

    def record_error(self, error: BaseException) -> None:
        """Mark the span as failed. Only the error's type is kept: messages may hold content."""

    def end(self) -> None:
        """End the span now. What is opened until the block is left is still below it."""


class Tracer(Protocol):
    """Opens spans. Safe to share between threads and tasks, and never the cause of a failure."""

    def span(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        content: Mapping[str, object] | None = None,
        kind: Kind = "internal",
        parent: str | None = None,
    ) -> AbstractContextManager[Span]:
        """Open a span below `parent` (a traceparent), or else below the one open in this context.

        `attributes` and `content` are what is known at the start. An exception that leaves the
        span marks it as failed and goes on.
        """


class Dependable:
    """A tracer that promises to raise nothing of its own; others are guarded where used."""
