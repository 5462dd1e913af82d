"""The spans of a run, each opened by one function, so that each is written the same everywhere.

A function opens its span in a tracer and gives what is to be told of it later:

    with tool_check(tracer, "charge_card", {"order_id": 4411}) as check:
        check.decided("confirm", "confirmation", reasons=["write"])

docs/spans.md has the names and attributes.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from stalwart_lang.tracing import attributes as names
from stalwart_lang.tracing.content import AttributeValue
from stalwart_lang.tracing.quiet import quiet
from stalwart_lang.tracing.tracer import Span, Tracer

Outcome: TypeAlias = Literal["allow", "confirm", "refuse"]
Answer: TypeAlias = Literal["approve", "decline"]


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


@dataclass(frozen=True, slots=True)
class PlanSpan:
    """The open span of a turn that is being read."""

    span: Span

    def planned(self, plan: PlanLike, vocabulary: str, digest: str) -> None:
        """Put on the span what came of the turn; `vocabulary` is the name, `digest` its digest."""
        readings = [plan.calls, *plan.readings]
        self.span.set_attributes(
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


@dataclass(frozen=True, slots=True)
class CheckSpan:
    """The open span of a call that is being checked."""

    span: Span
    known: Mapping[str, AttributeValue]
    digested: Mapping[str, object]

    def decided(
        self,
        outcome: Outcome,
        decided_by: str,
        *,
        rule: str | None = None,
        reasons: Sequence[str] = (),
        rule_file: str | None = None,
        rule_line: int | None = None,
    ) -> None:
        """Put the decision on the span, as attributes and as its event.

        `decided_by` names the step of the check; `rule` is the rule, flow or reason behind it, at
        `rule_line` (from 1) of `rule_file`.
        """
        decision: dict[str, AttributeValue] = {
            names.OUTCOME: outcome,
            names.DECIDED_BY: decided_by,
            names.REASONS: list(reasons),
        }
        if rule is not None:
            decision[names.RULE] = rule
        self.span.add_event(names.DECISION, {**self.known, **decision}, content=self.digested)
        if rule_file is not None:
            decision[names.RULE_FILE] = rule_file
        if rule_line is not None:
            decision[names.RULE_LINE] = rule_line
        self.span.set_attributes(decision)


@dataclass(frozen=True, slots=True)
class ToolSpan:
    """The open span of a tool, or of an undo, that is running."""

    span: Span

    def returned(self, result: object) -> None:
        """Put the result on the span: content."""
        self.span.set_content({names.RESULT: result})


@contextmanager
def node(tracer: Tracer, name: str, step: int | None = None) -> Iterator[Span]:
    """Open `stalwart.node` around one step of a run, the `step`th (from 0) where that is known."""
    held: dict[str, AttributeValue] = {names.STEP_NAME: name}
    if step is not None:
        held[names.STEP] = step
    with quiet(tracer).span(names.NODE, held) as span:
        yield span


@contextmanager
def plan_span(tracer: Tracer, turn: str) -> Iterator[PlanSpan]:
    """Open `stalwart.plan` around the reading of `turn`."""
    with quiet(tracer).span(names.PLAN, content={names.TURN: turn}) as span:
        yield PlanSpan(span)


@contextmanager
def tool_check(
    tracer: Tracer,
    tool: str,
    arguments: Mapping[str, object],
    *,
    call_id: str | None = None,
    labels: Sequence[str] = (),
    history_token: str | None = None,
) -> Iterator[CheckSpan]:
    """Open `stalwart.tool_check` around the decision on one call.

    It carries the operation `execute_tool`, so that tools which read the GenAI conventions show
    the call; `stalwart.tool` carries none, so that they show it once.
    """
    known: dict[str, AttributeValue] = {
        names.OPERATION_NAME: names.EXECUTE_TOOL,
        **_call(tool, call_id),
        names.LABELS: list(labels),
    }
    digested: dict[str, object] = {names.ARGS_DIGEST: arguments}
    if history_token is not None:
        digested[names.HISTORY_TOKEN] = history_token
    content = {names.ARGUMENTS: arguments, **digested}
    with quiet(tracer).span(names.TOOL_CHECK, known, content=content) as span:
        yield CheckSpan(span, known, digested)


@contextmanager
def tool(
    tracer: Tracer,
    name: str,
    arguments: Mapping[str, object],
    *,
    call_id: str | None = None,
    kind: str = "function",
    step: int | None = None,
) -> Iterator[ToolSpan]:
    """Open `stalwart.tool` around a tool that runs.

    `kind` is the conventions' type of a tool, `step` the step of the history that it becomes.
    """
    held = {**_call(name, call_id), names.TOOL_TYPE: kind}
    if step is not None:
        held[names.STEP] = step
    with quiet(tracer).span(names.TOOL, held, content={names.ARGUMENTS: arguments}) as span:
        yield ToolSpan(span)


@contextmanager
def compensate(
    tracer: Tracer,
    tool: str,
    arguments: Mapping[str, object],
    *,
    undoes: int,
    call_id: str | None = None,
    outcome: Outcome | None = None,
) -> Iterator[ToolSpan]:
    """Open `stalwart.compensate` around an undo.

    `undoes` is the step of the history it undoes, `outcome` what its check answered.
    """
    held = {**_call(tool, call_id), names.UNDOES: undoes}
    if outcome is not None:
        held[names.OUTCOME] = outcome
    with quiet(tracer).span(names.COMPENSATE, held, content={names.ARGUMENTS: arguments}) as span:
        yield ToolSpan(span)


@contextmanager
def rollback(tracer: Tracer) -> Iterator[Span]:
    """Open `stalwart.rollback` around the undoing of a run that failed."""
    with quiet(tracer).span(names.ROLLBACK) as span:
        yield span


@contextmanager
def rewind(tracer: Tracer, to_step: int) -> Iterator[Span]:
    """Open `stalwart.rewind` around taking a run back to the step `to_step` of its history."""
    with quiet(tracer).span(names.REWIND, {names.TO_STEP: to_step}) as span:
        yield span


@contextmanager
def interrupt(
    tracer: Tracer, tool: str, *, waits_for: str, outcome: Outcome, call_id: str | None = None
) -> Iterator[Span]:
    """Open `stalwart.interrupt` where a run pauses for a person.

    `waits_for` says what for (`write`), `outcome` what the check answered.
    """
    held = {**_call(tool, call_id), names.WAITS_FOR: waits_for, names.OUTCOME: outcome}
    with quiet(tracer).span(names.INTERRUPT, held) as span:
        yield span


@contextmanager
def resume(
    tracer: Tracer, tool: str, answer: Answer, *, call_id: str | None = None
) -> Iterator[Span]:
    """Open `stalwart.resume` where a run goes on with a person's answer."""
    held = {**_call(tool, call_id), names.ANSWER: answer}
    with quiet(tracer).span(names.RESUME, held) as span:
        yield span


def _call(tool: str, call_id: str | None) -> dict[str, AttributeValue]:
    held: dict[str, AttributeValue] = {names.TOOL_NAME: tool}
    if call_id is not None:
        held[names.TOOL_CALL_ID] = call_id
    return held
