"""One conversation: what its thread holds, and runs that go on in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from stalwart_lang.runs.reply import Reply, Waiting, Why
from stalwart_lang.runs.state import NODE, State

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph


@dataclass(frozen=True, slots=True)
class Moment:
    """What a thread held when it was looked at.

    `waiting` is the call that waits for a person, since about `since`. `broken_off` says that a
    process ended in the middle of a run. `checkpoint` is the id of the last checkpoint: they sort
    as they were made.
    """

    values: Mapping[str, Any]
    waiting: Waiting | None
    broken_off: bool
    since: datetime
    checkpoint: str = ""

    @property
    def settled(self) -> bool:
        """Whether only what comes in can go on from here, and with a checkpoint of its own."""
        return self.waiting is None and not self.broken_off

    @property
    def reply(self) -> Reply:
        """What the run says at this moment: its question, or what came of it."""
        plan = self.values.get("plan")
        if self.waiting is not None:
            return Reply(self.waiting.text, self.waiting, plan, "waiting")
        made = self.values["reply"]
        return Reply(made["text"], None, plan, made["status"], tuple(self.values["undone"]))


class Conversation:
    """A thread of the graph."""

    def __init__(self, graph: "CompiledStateGraph[State, None, State, State]", thread: str) -> None:
        self.thread = thread
        self._graph = graph
        self._config: Any = {"configurable": {"thread_id": thread}}

    def look(self) -> Moment:
        """Return what the thread holds now."""
        snapshot = self._graph.get_state(self._config)
        # A task that ended is still there while no checkpoint holds what it wrote: it waits for
        # nobody, and `next` does not name it, but the run is in the middle all the same.
        asked = [
            interrupt.value
            for task in snapshot.tasks
            for interrupt in task.interrupts
            if not task.result
        ]
        # Who has the graph may have given it an answer where nothing was asked: no run began then.
        never_begun = NODE in snapshot.next and "phase" not in snapshot.values
        made = snapshot.created_at
        return Moment(
            values=snapshot.values,
            waiting=_waiting(asked[0]) if asked else None,
            broken_off=bool(snapshot.tasks) and not asked and not never_begun,
            since=datetime.fromisoformat(made) if made else datetime.now(UTC),
            checkpoint=snapshot.config.get("configurable", {}).get("checkpoint_id", ""),
        )

    def begin(self, given: Mapping[str, Any]) -> Moment:
        """Run with what came in, as far as it goes."""
        return self._invoke(given)

    def answer(self, answer: str) -> Moment:
        """Go on with a person's answer."""
        from langgraph.types import Command

        return self._invoke(Command(resume=answer))

    def take_up(self) -> Moment:
        """Go on where a process ended in the middle of a run."""
        return self._invoke(None)

    def _invoke(self, given: Any) -> Moment:
        # Only `sync` writes a step before the next begins, which recovery needs.
        values = dict(self._graph.invoke(given, self._config, durability="sync"))
        asked = [interrupt.value for interrupt in values.pop("__interrupt__", ())]
        return Moment(values, _waiting(asked[0]) if asked else None, False, datetime.now(UTC))


def _waiting(asked: Mapping[str, Any]) -> Waiting:
    return Waiting(
        pause=asked["call_id"],
        tool=asked["tool"],
        arguments=asked["arguments"],
        reasons=tuple(asked["waits_for"]),
        text=asked["text"],
        why=tuple(Why(**why) for why in asked["why"]),
        undo=asked["undo"],
        language=asked["language"],
    )
