"""The states of a run as they come, checked, and the node that is to blame found."""

import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any, TypeAlias
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from stalwart_lang.graphs.steps import graph_step, namespace_of
from stalwart_lang.state.conversation import Conversation
from stalwart_lang.state.run import WATCHED, RunState
from stalwart_lang.state.validate import beside_messages
from stalwart_lang.state.view import is_run, view_of
from stalwart_lang.state.violations import Violation

Namespace: TypeAlias = tuple[str, ...]

_REMEMBERED = 100
"""Nodes; of a graph in the graph one may have ended after the state that is looked at."""

INPUT = "input"
"""What is to blame for what came in from outside."""


class InvalidState(Exception):
    """Raised where a step broke the state.

    `node` is the step's node (of several at once those that may have done it, with commas), the
    nodes of graphs in the graph with slashes; `step` its number in its own graph; `violations` all
    that it broke.
    """

    __module__ = "stalwart_lang.graph"  # where it is had from, which is what traces name

    def __init__(self, violations: Sequence[Violation], node: str, step: int | None) -> None:
        self.violations = tuple(found.at_step(step) for found in violations)
        self.node = node
        self.step = step
        at = "" if step is None else f"step {step}, "
        first = self.violations[0]
        super().__init__(f"{at}node {node}: {first.kind}: {first.where}: {first.message}")

    @property
    def violation(self) -> Violation:
        """The first of them."""
        return self.violations[0]


@dataclass(slots=True)
class _Ran:
    """A node that ran."""

    node: str
    step: int
    gave: object = None


@dataclass(slots=True)
class _Watched:
    """The state of one graph, of the run or within it, as it was last seen."""

    seen: list[Any] = field(default_factory=list)
    conversation: Conversation = field(default_factory=Conversation)
    lasting: set[tuple[str, ...]] = field(default_factory=set)
    run: RunState | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    def take(self, state: object) -> tuple[list[Violation], object]:
        """Take a state; return what is broken since the last, and the new message that broke it."""
        view = view_of(state)
        if is_run(view.values):
            return self._take_part(view.values), None
        new, culprit = self._take_messages(list(view.messages))
        lasting = list(beside_messages(view, self.conversation))
        new += [found for found in lasting if found.same not in self.lasting]
        self.lasting = {found.same for found in lasting}
        return new, culprit

    def _take_messages(self, messages: list[Any]) -> tuple[list[Violation], object]:
        before, culprit = len(self.seen), None
        if len(messages) >= before and all(map(is_, self.seen, messages)):
            found = sorted(self.conversation.extend(messages[before:]), key=lambda pair: pair[0])
            culprit = messages[found[0][0]] if found else None
            new = [each for _, each in found]
        else:
            known = {each.same for each in self.conversation.violations}
            self.conversation = Conversation(messages)
            new = [each for each in self.conversation.violations if each.same not in known]
        self.seen = messages
        return new, culprit

    @property
    def broken(self) -> set[tuple[str, ...]]:
        """What is broken in it now."""
        return self.lasting | {found.same for found in self.conversation.violations}

    def _take_part(self, values: Mapping[str, Any]) -> list[Violation]:
        if self.run is None:
            self.run = RunState()
        changed = [name for name in WATCHED if values.get(name) != self.values.get(name)]
        self.values = dict(values)
        return self.run.take(values, changed)


class Watch(BaseCallbackHandler):
    """Watches one run: it is told of nodes as a callback, and of states by `see`.

    `base` is the namespace of the graph that runs: of one that is a node of another, the node's.
    """

    # In a graph within the graph the next node starts while its states are still on their way
    # here: it is held up by an exception, which only goes through with this.
    raise_error = True
    run_inline = True
    ignore_llm = True
    ignore_chat_model = True
    ignore_retriever = True
    ignore_agent = True
    ignore_retry = True
    ignore_custom_event = True

    def __init__(self, first_step: int, base: Namespace = ()) -> None:
        self._first_step = first_step
        self._base = base
        self._running: dict[UUID, tuple[Namespace, _Ran]] = {}
        self._ran: dict[Namespace, deque[_Ran]] = {}
        self._watched: dict[Namespace, _Watched] = {base: _Watched()}
        self._lock = threading.RLock()
        self.raised: InvalidState | None = None

    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,  # noqa: ARG002
        inputs: Any,
        *,
        run_id: UUID,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Note that a node starts; within a graph in the graph, check what it is given first."""
        step = graph_step(tags)
        if step is None or metadata is None:
            return
        if self.raised is not None:  # a node that is tried again
            raise self.raised
        namespace = namespace_of(metadata)
        pulled = (metadata.get("langgraph_path") or ("",))[0] == "__pregel_pull"
        if namespace != self._base and pulled and isinstance(inputs, Mapping):
            self.see(namespace, inputs)
        ran = _Ran(str(metadata.get("langgraph_node")), step)
        self._running[run_id] = namespace, ran

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """Note what a node gave."""
        self._ended(run_id, outputs)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Note that a node ended with an exception, as one that hands on to a graph above does."""
        self._ended(run_id, error.args)

    def _ended(self, run_id: UUID, gave: object) -> None:
        found = self._running.pop(run_id, None)
        if found is not None:
            namespace, ran = found
            ran.gave = gave
            self._ran.setdefault(namespace, deque(maxlen=_REMEMBERED)).append(ran)

    def know(self, states: Iterable[object]) -> None:
        """Take the states before the run, in order; what is broken in them is not the run's."""
        for state in states:
            self._watched[self._base].take(state)

    def see(self, namespace: Namespace, state: object) -> None:
        """Check the state of a graph after a step. Raises InvalidState."""
        with self._lock:
            ran = list(self._ran.get(namespace, ()))
            known = set() if namespace in self._watched else self._watched[self._base].broken
            watched = self._watched.setdefault(namespace, _Watched())
            new, culprit = watched.take(state)
            # A graph in the graph is given what was broken before.
            new = [found for found in new if found.same not in known]
            if new:
                self.blame(namespace, new, _to_blame(ran, culprit))

    def blame(self, namespace: Namespace, new: Sequence[Violation], ran: Sequence[_Ran]) -> None:
        """Raise InvalidState with the nodes that may have done it."""
        above = [part.partition(":")[0] for part in namespace]
        names = ", ".join(dict.fromkeys(each.node for each in ran)) or INPUT
        step = ran[-1].step if ran else self._first_step
        self.raised = InvalidState(new, "/".join((*above, names)), step)
        raise self.raised


def _to_blame(ran: Sequence[_Ran], culprit: object) -> list[_Ran]:
    """Return those of the nodes that gave the message, else those that gave messages, else all."""
    if not ran:
        return []
    gave = [each for each in ran if culprit is not None and _gave(each.gave, culprit)]
    last = (gave or ran)[-1].step
    of_last = [each for each in gave or ran if each.step == last]
    return (gave and of_last) or [each for each in of_last if _messages_in(each.gave)] or of_last


def _gave(given: object, culprit: object) -> bool:
    identity = getattr(culprit, "id", None)
    return any(
        each is culprit or (identity is not None and getattr(each, "id", None) == identity)
        for each in _messages_in(given)
    )


def _messages_in(given: object) -> list[object]:
    """Return the messages in what a node gave: an update, a command, or a list of such."""
    if isinstance(given, list | tuple):
        return [found for each in given for found in _messages_in(each)]
    update = getattr(given, "update", None)
    held = given if isinstance(given, Mapping) else update if not callable(update) else None
    if not isinstance(held, Mapping):
        return []
    messages = held.get("messages")
    if messages is None:
        return []
    return list(messages) if isinstance(messages, list | tuple) else [messages]
