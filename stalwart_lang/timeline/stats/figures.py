"""The figures of a run: what it did, how often, at what price and how long it took."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from operator import attrgetter

from stalwart_lang.loops import RepeatedCall, RunLoop
from stalwart_lang.timeline.kinds import Kind, kind_of
from stalwart_lang.timeline.records import Span
from stalwart_lang.timeline.runs import Run
from stalwart_lang.timeline.stats.lineage import Key, Lineage, count_leaves
from stalwart_lang.timeline.stats.passing import Passed, passed
from stalwart_lang.timeline.stats.rounds import loops_and_repeated, tool_of
from stalwart_lang.tracing import attributes as names

_NO_TIME = datetime.min.replace(tzinfo=UTC)
RULES = 1_000
OTHER_RULES = "(other rules)"
"""What refusals count under by a rule that is named after a thousand others."""
_PAUSES = ("interrupt", "resume")
_LARGEST = 2**53
"""Tokens of a call beyond which no count is believed; sums stay exact in a double."""


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The figures of one run.

    - `outcome`: as `Run.outcome` has it.
    - `rounds`: model calls that are neither below another model call nor below a tool: what a
      sub-agent asks is its own affair.
    - `steps`: spans of steps (`stalwart.node`); the rounds of an agent that records none.
    - `model_calls`, `tool_calls`: spans of these kinds, open ones too; checks and undos are none.
    - `errors`: failed spans none of whose descendants failed: an error that passes up through the
      spans around it is one.
    - `began`: when its root did.
    - `wall_ms`: the duration of the run's root; where none has ended, from the first start to the
      last moment known.
    - `open_spans`: spans that never ended.
    - `asked`, `approved`, `declined`: confirmations; `undone`: calls undone.
    - `refusals`: by rule, or by the step of the check that refused where no rule is named.
    """

    trace_id: str
    thread: str | None
    name: str
    began: datetime
    outcome: str
    rounds: int
    steps: int
    model_calls: int
    tool_calls: int
    errors: int
    tokens_in: int
    tokens_out: int
    wall_ms: float
    open_spans: int
    asked: int
    approved: int
    declined: int
    undone: int
    calls_by_tool: Mapping[str, int]
    errors_by_tool: Mapping[str, int]
    refusals: Mapping[str, int]
    loops: tuple[RunLoop, ...]
    repeated_calls: tuple[RepeatedCall, ...]

    @property
    def tokens_total(self) -> int:
        """Tokens in and out."""
        return self.tokens_in + self.tokens_out


def run_figures(run: Run) -> RunFigures:
    """Return the figures of a run."""
    return count_run({span.span_id: passed(span) for span in run.spans}).figures(run.trace_id)


def loops(run: Run) -> tuple[RunLoop, ...]:
    """Return the loops of a run's agents; see `stalwart_lang.loops`."""
    return run_figures(run).loops


class _Operations(dict[str | None, Kind]):
    """The kind of a span that has none by its name, by its operation."""

    def __missing__(self, operation: str | None) -> Kind:
        kind = _kind("", {} if operation is None else {names.OPERATION_NAME: operation})
        if len(self) < 1000:
            self[operation] = kind
        return kind


def _kind(name: str, attributes: dict[str, object]) -> Kind:
    return kind_of(Span("span", "", "", name, _NO_TIME, attributes=attributes))


_BY_NAME: Mapping[str, Kind] = {name: _kind(name, {}) for name in names.SPANS}
_BY_OPERATION = _Operations()


def kind_of_passed(span: Passed) -> Kind:
    """Return what `kinds.kind_of` does."""
    return _BY_NAME.get(span.name) or _BY_OPERATION[span.attributes.operation]


@dataclass(slots=True)
class Counting:
    """The figures of one run while its spans are counted, a batch after another.

    `models`, `tools` and `failed` are the spans of the last batch that more is to be made of.
    """

    root: Passed | None = None
    rounds: int = 0
    steps: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    errors: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    wall_ms: float = 0.0
    open_spans: int = 0
    asked: int = 0
    approved: int = 0
    declined: int = 0
    undone: int = 0
    rolled_back: bool = False
    root_failed: bool = False
    thread: str | None = None
    models: list[Passed] = field(default_factory=list)
    tools: list[Passed] = field(default_factory=list)
    failed: list[Passed] = field(default_factory=list)
    last_pause: Passed | None = None
    refusals: dict[str, int] = field(default_factory=dict)
    calls_by_tool: Mapping[str, int] | None = None
    errors_by_tool: Mapping[str, int] | None = None
    loops: tuple[RunLoop, ...] = ()
    repeated_calls: tuple[RepeatedCall, ...] = ()

    def count(self, spans: Iterable[Passed]) -> list[Passed]:
        """Count spans, each given once, by what a span tells by itself.

        Returns those that are neither in `models` nor in `tools`.
        """
        by_name, by_operation = _BY_NAME.get, _BY_OPERATION
        models: list[Passed] = []
        tools: list[Passed] = []
        others: list[Passed] = []
        for span in spans:
            told = span.attributes
            kind = by_name(span.name) or by_operation[told.operation]
            if kind == "tool":
                tools.append(span)
            elif kind == "model":
                models.append(span)
            else:
                others.append(span)
                if kind == "node":
                    self.steps += 1
                elif kind == "check":
                    if told.outcome == "refuse":
                        self._refuse(told.rule or told.decided_by or "?")
                elif kind in _PAUSES:
                    self._pause(span, kind)
                elif kind == "undo":
                    self.undone += 1
                elif kind == "rollback":
                    self.rolled_back = True
                elif told.thread is not None and self.thread is None:
                    self.thread = told.thread
            if span.status == "error":
                self.failed.append(span)
            if span.duration_ms is None and span.type == "start":
                self.open_spans += 1
            if span.parent_id is None:
                self.offer_root(span)
        for span in models:
            told = span.attributes
            if (tokens := told.tokens_in) is not None and 0 < tokens < _LARGEST:
                self.tokens_in += tokens
            if (tokens := told.tokens_out) is not None and 0 < tokens < _LARGEST:
                self.tokens_out += tokens
            if told.thread is not None and self.thread is None:
                self.thread = told.thread
        self.models, self.tools = models, tools
        self.model_calls += len(models)
        self.tool_calls += len(tools)
        return others

    def offer_root(self, span: Passed) -> None:
        """Take a span without a parent for the root, if it is the first; its end for its start."""
        root = self.root
        if root is None or span.start < root.start or span.span_id == root.span_id:
            self.root = span

    def _refuse(self, rule: str) -> None:
        if rule not in self.refusals and len(self.refusals) >= RULES:
            rule = OTHER_RULES
        self.refusals[rule] = self.refusals.get(rule, 0) + 1

    def _pause(self, span: Passed, kind: Kind) -> None:
        if self.last_pause is None or span.start >= self.last_pause.start:
            self.last_pause = span
        if kind == "interrupt":
            self.asked += 1
        elif span.attributes.answer == "approve":
            self.approved += 1
        elif span.attributes.answer == "decline":
            self.declined += 1

    def outcome(self) -> str:
        """Return what `Run.outcome` does."""
        if self.open_spans:
            return "open"
        if self.rolled_back or self.root_failed:
            return "failed"
        return "waiting" if self.waits() else "completed"

    def waits(self) -> bool:
        """Return whether it waits for a person: its last pause was not followed by an answer."""
        return self.last_pause is not None and self.last_pause.name == names.INTERRUPT

    def figures(self, trace_id: str) -> RunFigures:
        """Return the figures, once all is counted."""
        root = self.root
        return RunFigures(
            trace_id=trace_id,
            thread=self.thread,
            name="?" if root is None else root.attributes.agent or root.name,
            began=_NO_TIME if root is None else root.start,
            outcome=self.outcome(),
            rounds=self.rounds,
            steps=self.steps or self.rounds,
            model_calls=self.model_calls,
            tool_calls=self.tool_calls,
            errors=self.errors,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            wall_ms=self.wall_ms,
            open_spans=self.open_spans,
            asked=self.asked,
            approved=self.approved,
            declined=self.declined,
            undone=self.undone,
            calls_by_tool=dict(self.calls_by_tool or Counter(map(tool_of, self.tools))),
            errors_by_tool=dict(self.errors_by_tool or _failed_tools(self.failed)),
            refusals=dict(self.refusals),
            loops=self.loops,
            repeated_calls=self.repeated_calls,
        )


def _failed_tools(failed: Iterable[Passed]) -> Counter[str]:
    return Counter(tool_of(span) for span in failed if kind_of_passed(span) == "tool")


def count_run(spans: Mapping[str, Passed]) -> Counting:
    """Count a whole run, of which `spans` are the spans by their ids."""
    counting = Counting()
    counting.count(spans.values())

    def lookup(key: Key) -> tuple[Key | None, Kind] | None:
        span = spans.get(key)  # type: ignore[call-overload]
        return None if span is None else (span.parent_id, kind_of_passed(span))

    lineage = Lineage(lookup)
    if counting.models:
        parents = [call.parent_id for call in counting.models]
        within = {parent for parent in set(parents) if lineage.in_a_call(parent)}
        counting.rounds = len(parents)
        if within:
            counting.rounds -= sum(parent in within for parent in parents)
    if failed := counting.failed:
        counting.errors = count_leaves(((span.span_id, span.parent_id) for span in failed), lookup)
        counting.root_failed = any(span.parent_id not in spans for span in failed)
    root = counting.root
    if root is not None and root.duration_ms is not None:
        counting.wall_ms = root.duration_ms
    else:
        counting.wall_ms = _extent_ms(spans.values())
        if root is None:
            counting.root = min(spans.values(), key=attrgetter("start"))
    counting.loops, counting.repeated_calls = loops_and_repeated(
        counting.models, counting.tools, lineage
    )
    return counting


def _extent_ms(spans: Iterable[Passed]) -> float:
    """Return the milliseconds from the first start to the last moment known."""
    first = min(span.start for span in spans)
    return max(
        (span.start - first) / timedelta(milliseconds=1) + (span.duration_ms or 0) for span in spans
    )
