"""A stored thread as a run: a span a step, and below it what was done in the step.

The store keeps no durations and nothing of what happened inside a tool: the spans have the moment
of their checkpoint and no end; the whole thread lasts from its first to its last. A step is the
checkpoint of its number. What it did is written after the checkpoint before it. A pause is written
there too, since the step that pauses makes its checkpoint when it goes on: a step that waits for a
person has none yet. A run of ours pauses where it checked the call, which is the step before.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from stalwart_lang.runs.state import NODE
from stalwart_lang.timeline.records import Error, Span
from stalwart_lang.timeline.runs import Run
from stalwart_lang.timeline.stored.store import (
    INTERRUPT,
    SENT,
    Checkpoint,
    Store,
    Thread,
    checkpoints_of,
    node_of,
    open_store,
)
from stalwart_lang.timeline.stored.unpack import CLASS, unpack
from stalwart_lang.tracing import attributes as names

_ACT = "act"
_START = "__start__"
"""The task that takes in what came from outside (LangGraph's)."""

_FROM_OUTSIDE = ("input", "update", "fork")
"""The sources of checkpoints that no step made (LangGraph's)."""

_GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Pause:
    """A pause of a node: what is told of it, by the names of attributes."""

    node: str
    held: Mapping[str, Any]
    ours: bool


@dataclass(slots=True)
class _Written:
    """What was written after one checkpoint."""

    nodes: list[str] = field(default_factory=list)
    acts: list[Mapping[str, Any]] = field(default_factory=list)
    pauses: list[_Pause] = field(default_factory=list)
    of_agent: bool = False
    """Whether a run of ours wrote it."""


_NOTHING = _Written()


def stored_threads(url: str) -> Iterator[Thread]:
    """Yield the threads of a store, in order of name. Raises BadStore."""
    with open_store(url) as store:
        yield from store.threads()


def moment_of(checkpoint: str) -> datetime:
    """Return when a checkpoint was made: its id is a UUID of version 6 (RFC 9562, 5.6)."""
    digits = checkpoint.replace("-", "")
    try:
        ticks = (int(digits[:12], 16) << 12) | int(digits[13:16], 16)
        return _GREGORIAN + timedelta(microseconds=ticks // 10)
    except (ValueError, OverflowError):
        return _GREGORIAN


def read_stored_run(url: str, thread: str) -> Run:
    """Read a thread of a store. Raises BadStore, and NoSuchThread where it holds no such thread."""
    with open_store(url) as store:
        spans = list(_spans(store, thread))
    return Run(spans[0].trace_id, tuple(sorted(spans, key=lambda span: span.start)), stored=True)


def step_span_id(checkpoint: str) -> str:
    """Return the id of the span that the step of a checkpoint is, of several nodes the first's."""
    return _span_id(checkpoint, 1)


def _spans(store: Store, thread: str) -> Iterator[Span]:
    trace_id = _hash(thread, 32)
    checkpoints = checkpoints_of(store, thread)
    written = _written(store, thread, checkpoints)
    start, end = moment_of(checkpoints[0].id), moment_of(checkpoints[-1].id)
    error = _what_stopped(checkpoints, written)
    root = Span(
        type="span",
        trace_id=trace_id,
        span_id=_hash(thread, 16),
        name=f"{names.INVOKE_AGENT} {thread}",
        start=start,
        end=end,
        duration_ms=max((end - start) / timedelta(milliseconds=1), 0.0),
        status="error" if error else "ok",
        error=Error(error) if error else None,
        attributes={
            names.OPERATION_NAME: names.INVOKE_AGENT,
            names.AGENT_NAME: thread.rpartition("/")[0] or thread,
            names.CONVERSATION_ID: thread,
        },
    )
    yield root
    resumed = _resumed(checkpoints)
    for checkpoint in checkpoints:
        before = written.get(checkpoint.parent or "", _NOTHING)
        after = written.get(checkpoint.id, _NOTHING)
        made = _Step(trace_id, checkpoint.id, moment_of(checkpoint.id))
        source = checkpoint.source
        # What came from outside was written by no node, whichever waited there.
        outside = source in _FROM_OUTSIDE
        nodes = [str(source)] if outside else _nodes(before, after) or [str(source)]
        steps: dict[str, str] = {}
        for node in nodes:
            attributes = {names.STEP: checkpoint.step, names.STEP_NAME: node}
            step = made.span(names.NODE, root.span_id, attributes)
            steps[node] = step.span_id
            yield step
        last = step.span_id
        acts = before.acts if source != "input" else []
        if before.pauses and not outside:
            if resumed.get(checkpoint.parent or "") == checkpoint.id:
                for pause in before.pauses:
                    if not pause.ours:
                        yield made.pause(pause, steps.get(pause.node, last))
            yield made.resume(acts, last)
        for act in acts:
            yield made.act(act, last)
        for pause in after.pauses:
            if pause.ours:
                yield made.pause(pause, last)
        waiting = [pause for pause in after.pauses if not pause.ours]
        if waiting and checkpoint.id not in resumed:
            yield from _waiting(made, checkpoint.step, after.nodes, waiting, root.span_id)


def _resumed(checkpoints: Sequence[Checkpoint]) -> dict[str, str]:
    """Return the checkpoints that a node went on from, with the first that came of it."""
    resumed: dict[str, str] = {}
    for checkpoint in checkpoints:
        if checkpoint.parent is not None and checkpoint.source not in _FROM_OUTSIDE:
            resumed.setdefault(checkpoint.parent, checkpoint.id)
    return resumed


def _nodes(before: "_Written", after: "_Written") -> list[str]:
    """Return the nodes that a step was of.

    What came in is handed to the first by a step of its own, which is LangGraph's; of a run of
    ours, which has one node, it is shown as that node's.
    """
    if _START not in before.nodes or not (before.of_agent or after.of_agent):
        return before.nodes
    return [node for node in before.nodes if node != _START] or after.nodes


def _waiting(
    made: "_Step", step: object, nodes: Sequence[str], pauses: Sequence["_Pause"], parent: str
) -> Iterator[Span]:
    """Yield the step that waits for a person, which comes after the checkpoint of `step`."""
    number = step + 1 if isinstance(step, int) else None
    steps: dict[str, str] = {}
    for node in nodes:
        span = made.span(names.NODE, parent, {names.STEP: number, names.STEP_NAME: node})
        steps[node] = span.span_id
        yield span
    for pause in pauses:
        yield made.pause(pause, steps.get(pause.node, parent))


def _what_stopped(checkpoints: Sequence[Checkpoint], written: Mapping[str, _Written]) -> str | None:
    """Return the error that stopped the thread's last turn, if it was one.

    A failed call that the turn went on after did not stop it; one that was followed by undos did.
    """
    stopped: str | None = None
    for checkpoint in checkpoints:
        if checkpoint.source == "input":
            stopped = None
            continue
        for act in written.get(checkpoint.parent or "", _NOTHING).acts:
            if act.get("kind") == "call":
                stopped = _error(act)
    return stopped


def _error(act: Mapping[str, Any]) -> str | None:
    error = "in doubt" if act.get("kind") == "call" and act.get("in_doubt") else act.get("error")
    return str(error) if error else None


@dataclass(slots=True)
class _Step:
    """Makes the spans of one step, each with an id of its own."""

    trace_id: str
    checkpoint: str
    moment: datetime
    count: int = 0

    def span(
        self, name: str, parent: str, attributes: Mapping[str, Any], error: str | None = None
    ) -> Span:
        self.count += 1
        # Spans of one moment keep their order.
        moment = self.moment + timedelta(microseconds=self.count)
        return Span(
            type="span",
            trace_id=self.trace_id,
            span_id=_span_id(self.checkpoint, self.count),
            name=name,
            start=moment,
            parent_id=parent,
            status="error" if error else "ok",
            error=Error(error) if error else None,
            attributes={key: value for key, value in attributes.items() if value is not None},
        )

    def act(self, act: Mapping[str, Any], parent: str) -> Span:
        kind = act.get("kind")
        name = _ACTS.get(str(kind), f"stalwart.{kind}")
        held = {attribute: act.get(key) for key, attribute in _KEPT.items()}
        return self.span(name, parent, held, _error(act))

    def resume(self, acts: Sequence[Mapping[str, Any]], parent: str) -> Span:
        """Make what ended a pause; of runs of ours the check that follows tells the answer."""
        answer = next((act for act in acts if act.get("decided_by") == "approval"), {})
        told = {"allow": "approve", "refuse": "decline"}.get(str(answer.get("outcome")))
        held = {
            names.TOOL_NAME: answer.get("tool"),
            names.TOOL_CALL_ID: answer.get("call_id"),
            names.ANSWER: told,
        }
        return self.span(names.RESUME, parent, held)

    def pause(self, pause: _Pause, parent: str) -> Span:
        return self.span(names.INTERRUPT, parent, {names.STEP_NAME: pause.node, **pause.held})


_ACTS: Mapping[str, str] = {
    "check": names.TOOL_CHECK,
    "call": names.TOOL,
    "undo": names.COMPENSATE,
    "rewind": names.REWIND,
}
_KEPT: Mapping[str, str] = {
    "tool": names.TOOL_NAME,
    "call_id": names.TOOL_CALL_ID,
    "outcome": names.OUTCOME,
    "decided_by": names.DECIDED_BY,
    "rule": names.RULE,
    "rule_file": names.RULE_FILE,
    "rule_line": names.RULE_LINE,
    "reasons": names.REASONS,
    "labels": names.LABELS,
    "args_digest": names.ARGS_DIGEST,
    "undoes": names.UNDOES,
    "history": names.STEP,
    "to": names.TO_STEP,
}


def _written(store: Store, thread: str, checkpoints: Sequence[Checkpoint]) -> dict[str, _Written]:
    found: dict[str, _Written] = {}
    kept_by_agent = store.is_of_agent()
    parents = {checkpoint.id: checkpoint.parent for checkpoint in checkpoints}
    pauses: list[tuple[str, str, list[Any]]] = []
    sent: dict[str, list[str]] = {}
    for write in store.writes(thread, (_ACT, INTERRUPT, SENT)):
        held = unpack(write.kind, write.value)
        if write.channel == SENT:
            sent.setdefault(write.checkpoint, []).append(_receiver(held))
        elif write.channel == _ACT:
            if isinstance(held, dict):
                found.setdefault(write.checkpoint, _Written()).acts.append(held)
        elif isinstance(held, list):
            pauses.append((write.checkpoint, write.path, held))

    def node(checkpoint: str, path: str) -> str:
        return node_of(path, sent.get(parents.get(checkpoint) or "", ()))

    for checkpoint, path in store.paths(thread):
        here = found.setdefault(checkpoint, _Written())
        name = node(checkpoint, path)
        here.of_agent = here.of_agent or (kept_by_agent and name == NODE)
        if name and (name == _START or not name.startswith("__")) and name not in here.nodes:
            here.nodes.append(name)
    for checkpoint, path, held in pauses:
        here = found.setdefault(checkpoint, _Written())
        name = node(checkpoint, path)
        here.pauses += [_pause(name, value, here.of_agent) for value in held]
    return found


def _receiver(sent: Any) -> str:
    """Return the node that something was sent to."""
    made_of = sent.get("value") if isinstance(sent, Mapping) else None
    node = made_of[0] if isinstance(made_of, list) and made_of else None
    return node if isinstance(node, str) else ""


def _pause(node: str, value: Any, ours: bool) -> _Pause:
    asked = value.get("value") if isinstance(value, Mapping) and CLASS in value else value
    held: dict[str, Any] = {}
    if isinstance(asked, Mapping):
        waits_for = asked.get("waits_for")
        if isinstance(waits_for, list):
            held[names.WAITS_FOR] = ", ".join(map(str, waits_for))
        held[names.TOOL_NAME] = asked.get("tool")
        held[names.TOOL_CALL_ID] = asked.get("call_id")
        held[names.OUTCOME] = asked.get("outcome")
    return _Pause(node, held, ours)


def _span_id(checkpoint: str, count: int) -> str:
    return _hash(f"{checkpoint}/{count}", 16)


def _hash(text: str, length: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]
