"""The interface that the rest of the package traces through."""

from contextlib import AbstractContextManager
from typing import Protocol

from stalwart_lang.tracing.content import Attributes


class Span(Protocol):
    """A span that is open."""

    def set_attributes(self, attributes: Attributes) -> None:
        """Add `attributes`; a name that is there already takes the new value."""

    def add_event(self, name: str, attributes: Attributes | None = None) -> None:
        """Add something that happened at this moment."""

    def record_error(self, error: BaseException) -> None:
        """Mark the span as failed. Only the error's type is kept: messages may hold content."""


class Tracer(Protocol):
    """Opens spans. Safe to share between threads and tasks, and never the cause of a failure."""

    def span(self, name: str, attributes: Attributes | None = None) -> AbstractContextManager[Span]:
        """Open a span below the one that is open in this thread or task.

        `attributes` are what is known at the start. An exception that leaves the span marks it as
        failed and goes on.
        """

    def content(self, name: str, value: object) -> Attributes:
        """Return the attribute for content: `name`, or its digest where content is off."""
