"""Which span is open here, and how that is handed to threads and processes.

Tasks of asyncio take it along by themselves; a thread or an executor's call does when its function
is wrapped with `carry`. A child process that finds `TRACEPARENT` in its environment goes on below
that span (W3C Trace Context; OpenTelemetry's specification of environment variables as carriers).
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from contextvars import ContextVar, Token, copy_context
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from stalwart_lang.tracing.tracer import Tracer

_P = ParamSpec("_P")
_R = TypeVar("_R")

TRACEPARENT = "TRACEPARENT"
"""The variable of the environment that holds a traceparent."""

_FORMAT = re.compile(r"(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?")


@dataclass(frozen=True, slots=True)
class OpenSpan:
    """The span that is open in a context: its ids in hex, and its tracer where it is known."""

    trace_id: str
    span_id: str
    tracer: "Tracer | None" = None
    flags: str = "01"
    """W3C's, in hex: sampled, which a span in a file always is and one of OpenTelemetry may be."""

    @property
    def traceparent(self) -> str:
        """The identity in W3C's format."""
        return f"00-{self.trace_id}-{self.span_id}-{self.flags}"


current: ContextVar[OpenSpan | None] = ContextVar("stalwart_open_span", default=None)
"""What the tracers set when a span opens; others read `open_span()`."""

followers: list[Callable[[str], AbstractContextManager[None]]] = []
"""Other contexts that `continue_trace` takes along: OpenTelemetry's, once its tracer is there."""


def reset(token: Token[OpenSpan | None]) -> None:
    """Make what was open before `token` open again.

    An asynchronous generator may be closed in another context than it was opened in: then there is
    nothing to do here.
    """
    with suppress(ValueError):
        current.reset(token)


def open_span() -> OpenSpan | None:
    """Return the span that is open in this context, or else the one the environment names."""
    here = current.get()
    if here is not None:
        return here
    named = os.environ.get(TRACEPARENT)
    return parsed(named) if named else None


def current_traceparent() -> str | None:
    """Return the traceparent of the span that is open here, for a header or an environment."""
    here = open_span()
    return here.traceparent if here else None


@contextmanager
def continue_trace(traceparent: str) -> Iterator[None]:
    """Have spans opened in the block go below `traceparent`.

    Raises ValueError if it is not of W3C's format.
    """
    given = parsed(traceparent)
    if given is None:
        raise ValueError(
            f"{traceparent!r} is no traceparent: 00-, 32 hex digits, -, 16 hex digits, -01"
        )
    with ExitStack() as entered:
        entered.callback(reset, current.set(given))
        for follow in followers:
            entered.enter_context(follow(traceparent))
        yield


def carry(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return `function` to be run by a thread as if it ran here: below the span open now.

    pool.submit(carry(work), item); threading.Thread(target=carry(work)). It may be called many
    times and at once.
    """
    context = copy_context()

    @wraps(function)
    def carried(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        return context.copy().run(function, *args, **kwargs)

    return carried


def parsed(traceparent: str) -> OpenSpan | None:
    """Return the span that a traceparent names, or None if it is none.

    Of a version after 00 only what this one defines is read (Trace Context, 3.2.4).
    """
    found = _FORMAT.fullmatch(traceparent.strip())
    if found is None:
        return None
    version, trace_id, span_id, more = found.groups()
    if (more and version == "00") or not int(trace_id, 16) or not int(span_id, 16):
        return None
    return OpenSpan(trace_id, span_id)
