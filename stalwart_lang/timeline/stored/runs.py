"""A stored thread as a run: a span a step, and below it what was done in the step.

The store keeps no durations and nothing of what happened inside a tool: the spans have the moment
of their checkpoint and no end; the whole thread lasts from its first to its last. A step is the
checkpoint of its number. What it did is written after the checkpoint before it; a pause after the
checkpoint itself, since the step that pauses makes none.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from stalwart_lang.timeline.records import Error, Span
from stalwart_lang.timeline.runs import Run
from stalwart_lang.timeline.stored.store import (
    INTERRUPT,
    Checkpoint,
    Store,
    checkpoints_of,
    open_store,
)
from stalwart_lang.timeline.stored.unpack import CLASS, unpack
from stalwart_lang.tracing import attributes as names

_ACT = "act"
_GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)


@dataclass(slots=True)
class _Written:
    """What was written after one checkpoint."""

    nodes: list[str] = field(default_factory=list)
    acts: list[Mapping[str, Any]] = field(default_factory=list)
    pauses: list[tuple[str, Any]] = field(default_factory=list)


def stored_threads(url: str) -> list[str]:
    """Return the threads of a store. Raises BadStore."""
    with open_store(url) as store:
        return store.threads()


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
    written = _written(store, thread)
    start, end = _moment(checkpoints[0].id), _moment(checkpoints[-1].id)
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
    for checkpoint in checkpoints:
        before = written.get(checkpoint.parent or "", _Written())
        after = written.get(checkpoint.id, _Written())
        moment = _moment(checkpoint.id)
        made = _Step(trace_id, checkpoint.id, moment)
        source = checkpoint.source
        # What came from outside was written by no node, whichever waited there.
        outside = source in ("input", "update")
        nodes = [str(source)] if outside else before.nodes or after.nodes or [str(source)]
        for node in nodes:
            step = made.span(
                names.NODE,
                root.span_id,
                {names.STEP: checkpoint.step, names.STEP_NAME: node},
            )
            yield step
        acts = before.acts if source != "input" else []
        if before.pauses:
            yield made.resume(acts, step.span_id)
        for act in acts:
            yield made.act(act, step.span_id)
        for node, pause in after.pauses:
            yield made.pause(node, pause, step.span_id)


def _what_stopped(checkpoints: Sequence[Checkpoint], written: Mapping[str, _Written]) -> str | None:
    """Return the error that stopped the thread's last turn, if it was one.

    A failed call that the turn went on after did not stop it; one that was followed by undos did.
    """
    stopped: str | None = None
    for checkpoint in checkpoints:
        if checkpoint.source == "input":
            stopped = None
            continue
        for act in written.get(checkpoint.parent or "", _Written()).acts:
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

    def pause(self, node: str, value: Any, parent: str) -> Span:
        asked = value.get("value") if isinstance(value, Mapping) and CLASS in value else value
        held: dict[str, Any] = {names.STEP_NAME: node}
        if isinstance(asked, Mapping):
            waits_for = asked.get("waits_for")
            if isinstance(waits_for, list):
                held[names.WAITS_FOR] = ", ".join(map(str, waits_for))
            held[names.TOOL_NAME] = asked.get("tool")
            held[names.TOOL_CALL_ID] = asked.get("call_id")
            held[names.OUTCOME] = asked.get("outcome")
        return self.span(names.INTERRUPT, parent, held)


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


def _written(store: Store, thread: str) -> dict[str, _Written]:
    found: dict[str, _Written] = {}
    for checkpoint, path in store.paths(thread):
        here = found.setdefault(checkpoint, _Written())
        node = _node(path)
        if node and not node.startswith("__") and node not in here.nodes:
            here.nodes.append(node)
    for write in store.writes(thread, (_ACT, INTERRUPT)):
        here = found.setdefault(write.checkpoint, _Written())
        if write.channel == _ACT:
            act = unpack(write.kind, write.value)
            if isinstance(act, dict):
                here.acts.append(act)
        else:
            node, pauses = _node(write.path), unpack(write.kind, write.value)
            here.pauses += [(node, pause) for pause in pauses] if isinstance(pauses, list) else []
    return found


def _node(path: str) -> str:
    """Return the node that a task is of, by its path: `~__pregel_pull, run`."""
    return path.rpartition(", ")[2]


def _moment(checkpoint: str) -> datetime:
    """Return when a checkpoint was made: its id is a UUID of version 6 (RFC 9562, 5.6)."""
    digits = checkpoint.replace("-", "")
    try:
        ticks = (int(digits[:12], 16) << 12) | int(digits[13:16], 16)
        return _GREGORIAN + timedelta(microseconds=ticks // 10)
    except (ValueError, OverflowError):
        return _GREGORIAN


def _span_id(checkpoint: str, count: int) -> str:
    return _hash(f"{checkpoint}/{count}", 16)


def _hash(text: str, length: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]
