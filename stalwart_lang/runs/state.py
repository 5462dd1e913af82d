"""The state of a run, as its checkpoints keep it.

All values are plain JSON ones. What grows with a conversation (messages, history) is written as
the part that a step adds, so that a step costs the same in a long conversation as in a new one; who
wants the whole puts the parts together.
"""

from typing import Any, Literal, TypeAlias, TypedDict

Phase: TypeAlias = Literal[
    "read", "model", "check", "ask", "call", "record", "next", "undo check", "undo", "failed",
    "reply", "rewind", "done",
]  # fmt: skip
"""What the next step does. A step does one of them, so that a crash loses one at most."""


class PlannedCall(TypedDict):
    """A call of a plan. `by` is `person` or `model`; `rule` names the phrase that read it."""

    id: str
    tool: str
    arguments: dict[str, Any]
    by: str
    rule: str | None


class Undo(TypedDict):
    """What can be undone: the tool that did it, with what, the tool that takes it back."""

    tool: str
    arguments: dict[str, Any]
    by: str
    step: int
    call_id: str


class State(TypedDict, total=False):
    """The channels. Those that a step does not write keep their value."""

    turn: dict[str, Any]
    """`text`, `language`, `id`, `traceparent`: what came in."""
    phase: Phase
    plan: dict[str, Any] | None
    """What the turn was read as."""
    calls: list[PlannedCall]
    at: int
    """The index in `calls` of the one that is at hand."""
    answered: str | None
    decision: dict[str, Any]
    outcome: dict[str, Any]
    """What came of the call at hand: `result` or `error`, and `in_doubt`."""
    stopped: dict[str, Any] | None
    """Why the run stops early: `tool`, and `error`, `refused` or `declined`."""
    to_undo: list[Undo]
    undone: list[dict[str, Any]]
    labels: list[str]
    """Tools that read from outside, whose data this conversation may hold."""
    asked: dict[str, Any] | None
    """A turn that was asked about, with its plan, for the next turn to fill."""
    rounds: int
    results: list[list[Any]]
    """What the turn's calls gave so far: pairs of tool and result."""
    recent: list[dict[str, Any]]
    """The messages that a model is shown."""
    act: dict[str, Any] | None
    """What this step did that a timeline shows."""
    messages: list[dict[str, Any]]
    """The messages that this step adds."""
    entries: list[dict[str, Any]]
    """The entries of the history that this step adds."""
    history_length: int
    history_token: str | None
    last_message: int
    reply: dict[str, Any]
