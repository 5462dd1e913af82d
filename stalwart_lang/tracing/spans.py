"""The spans of the package, each opened by one function."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from stalwart_lang.tracing import attributes as names
from stalwart_lang.tracing.tracer import Span, Tracer


class _Named(Protocol):
    @property
    def rule(self) -> str: ...


class _Coded(Protocol):
    @property
    def code(self) -> str: ...


class PlanLike(Protocol):
    """What a plan's span says of the plan; `stalwart_lang.Plan` is one."""

    @property
    def verdict(self) -> str:
        """`read`, `incomplete`, `ambiguous` or `unread`."""

    @property
    def language(self) -> str:
        """`en` or `pt-BR`."""

    @property
    def language_from(self) -> str:
        """`request`, `console`, `vocabulary` or `default`."""

    @property
    def reasons(self) -> Sequence[_Coded]:
        """Why the turn is not read."""

    @property
    def calls(self) -> Sequence[_Named]:
        """The calls, in order."""

    @property
    def readings(self) -> Sequence[Sequence[_Named]]:
        """The readings of an ambiguous turn."""


class PlanSpan:
    """The open span of a turn that is being read."""

    __slots__ = ("_span",)

    def __init__(self, span: Span) -> None:
        self._span = span

    def planned(self, plan: PlanLike, vocabulary: str, digest: str) -> None:
        """Put on the span what came of the turn; `vocabulary` is the name, `digest` its digest."""
        readings = [plan.calls, *plan.readings]
        self._span.set_attributes(
            {
                names.LANGUAGE: plan.language,
                names.LANGUAGE_FROM: plan.language_from,
                names.VERDICT: plan.verdict,
                names.REASONS: [reason.code for reason in plan.reasons],
                names.RULES: [call.rule for calls in readings for call in calls],
                names.VOCABULARY: vocabulary,
                names.VOCABULARY_DIGEST: digest,
            }
        )


@contextmanager
def plan_span(tracer: Tracer, turn: str) -> Iterator[PlanSpan]:
    """Open `stalwart.plan` around the reading of `turn`.

    with plan_span(tracer, turn) as span:
        plan = ...
        span.planned(plan, name, digest)
    """
    with tracer.span(names.PLAN, tracer.content(names.TURN, turn)) as span:
        yield PlanSpan(span)
