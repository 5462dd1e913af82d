"""The state of a run, as its checkpoints keep it.

All values are plain JSON ones. What grows with a conversation (messages, history) is written as
the part that a step adds, so that a step costs the same in a long conversation as in a new one; who
wants the whole puts the parts together.
"""

from typing import Any, Literal, TypeAlias, TypedDict

from stalwart_lang.words.language import Language

NODE = "run"
"""The graph's only node."""

Phase: TypeAlias = Literal[
    "read", "model", "check", "ask", "call", "record", "next", "undo check", "undo", "failed",
    "reply", "rewind", "done",
]  # fmt: skip
"""What the next step does. A step does one of them, so that a crash loses one at most."""

Update: TypeAlias = dict[str, Any]
"""The channels that a step writes, of those of State."""


class PlannedCall(TypedDict):
    """A call of a plan. `by` is `person` or `model`; `rule` names the phrase that read it."""

    id: str
    tool: str
    arguments: dict[str, Any]
    by: str
    rule: str | None


class Undo(TypedDict):
    """What is to be undone: the tool that did it, with what, the tool that takes it back.

    `step` is the step of the history that it undoes.
    """

    tool: str
    arguments: dict[str, Any]
    by: str
    step: int
    call_id: str


class State(TypedDict, total=False):
    """The channels. Those that a step does not write keep their value."""

    turn: dict[str, Any]
    """What came in: `id`, `text` or `to_step`, `language`, `asked_language`, `now`, `traceparent`,
    and in `began` the length of the history before it."""
    phase: Phase
    plan: dict[str, Any] | None
    """What the turn was read as."""
    calls: list[PlannedCall]
    at: int
    """The index in `calls` of the one that is at hand; their number where all are done."""
    decision: dict[str, Any] | None
    """Why the call at hand is asked about."""
    stopped: dict[str, Any] | None
    """Why the run stops early: `how`, and the words of that sentence."""
    to_undo: list[Undo]
    undone: list[dict[str, Any]]
    """What came of undoing: `tool`, `by`, `outcome` (`undone`, `refused`, `failed`, `in doubt`,
    `kept`) and why."""
    labels: list[str]
    """Tools that read from outside, whose data this conversation may hold."""
    asked: dict[str, Any] | None
    """The plan of a turn that was asked about, for the next turn to fill."""
    rounds: int
    """How often the model was asked in this turn."""
    recent: list[dict[str, Any]]
    """The messages that a model is shown; only where there is one."""
    act: dict[str, Any] | None
    """What this step did that a timeline shows."""
    messages: list[dict[str, Any]]
    """The messages that this step adds."""
    entries: list[dict[str, Any]]
    """The entries of the history that this step adds."""
    history_length: int
    history_token: str | None
    last_message: int
    """The number of the last message."""
    reply: dict[str, Any]
    """`text` and `status`."""


FRESH: Update = {
    "plan": None,
    "calls": [],
    "at": 0,
    "rounds": 0,
    "decision": None,
    "stopped": None,
    "to_undo": [],
    "undone": [],
    "reply": {},
}
"""What a turn begins with; the other channels go on from the turn before."""


def call_at_hand(state: State) -> PlannedCall:
    """Return the call of the plan that is at hand."""
    return state["calls"][state["at"]]


def language_of(state: State) -> Language:
    """Return the language that the person is spoken to in."""
    language: Language = state["turn"]["language"]
    return language
