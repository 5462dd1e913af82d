"""A graph that stops at the first step that breaks its state, for whoever looks for that step."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.runnables.config import ensure_config
from langgraph.pregel import Pregel
from langgraph.types import Command, StateSnapshot

from stalwart_lang.graphs.steps import namespace_in
from stalwart_lang.graphs.watching import INPUT, InvalidState, Namespace, Watch
from stalwart_lang.state.messages import read_message
from stalwart_lang.state.validate import validate_state
from stalwart_lang.state.view import is_run, view_of
from stalwart_lang.state.violations import Violation, violation

G = TypeVar("G", bound="Pregel[Any, Any, Any, Any]")


def validating(graph: G) -> G:
    """Return the graph made one that raises InvalidState as soon as a step breaks its state.

    It is used like the graph, with `invoke`, `ainvoke`, `stream`, `astream`, as a node, and with
    `update_state`; it shares the graph's checkpointer. The step after the one that broke the state
    does not run. What the nodes of one step gave is checked once it is put together.

    For debugging and tests: it looks at the state after each step.
    """
    kind = type(graph)
    if issubclass(kind, _Validating):
        return graph
    made: G = object.__new__(type(f"Validating{kind.__name__}", (_Validating, kind), {}))
    vars(made).update(vars(graph))
    return made


class _Validating:
    """Put before the graph's own class: what runs it goes through here."""

    def stream(
        self,
        input: Any,  # LangGraph's names
        config: Any = None,
        *,
        stream_mode: Any = None,
        output_keys: Any = None,
        subgraphs: bool = False,
        version: str = "v1",
        **more: Any,
    ) -> Iterator[Any]:
        """Stream as the graph does, and check each state first."""
        graph: Any = self
        base = _base(config)
        asked = _Asked.of(graph, stream_mode, output_keys, subgraphs, version, base)
        began = _Began.of(input, _before(graph, config), base)
        chunks = super().stream(  # type: ignore[misc]
            input, _with(config, began.watch), **asked.options, version=version, **more
        )
        for chunk in chunks:
            try:
                began.see(asked, chunk)
            except InvalidState as error:
                _end(chunks, error)
                raise
            yield from asked.shown(chunk)

    async def astream(
        self,
        input: Any,  # LangGraph's names
        config: Any = None,
        *,
        stream_mode: Any = None,
        output_keys: Any = None,
        subgraphs: bool = False,
        version: str = "v1",
        **more: Any,
    ) -> AsyncIterator[Any]:
        """Stream as the graph does, and check each state first."""
        graph: Any = self
        base = _base(config)
        asked = _Asked.of(graph, stream_mode, output_keys, subgraphs, version, base)
        began = _Began.of(input, await _abefore(graph, config), base)
        chunks = super().astream(  # type: ignore[misc]
            input, _with(config, began.watch), **asked.options, version=version, **more
        )
        async for chunk in chunks:
            try:
                began.see(asked, chunk)
            except InvalidState as error:
                await _aend(chunks, error)
                raise
            for shown in asked.shown(chunk):
                yield shown

    def update_state(self, config: Any, values: Any, as_node: Any = None, **more: Any) -> Any:
        """Update the state as the graph does, and check what came of it."""
        graph: Any = self
        before = graph.get_state(config)
        made = super().update_state(config, values, as_node, **more)  # type: ignore[misc]
        _check_update(before, graph.get_state(made), as_node)
        return made

    async def aupdate_state(
        self, config: Any, values: Any, as_node: Any = None, **more: Any
    ) -> Any:
        """Update the state as the graph does, and check what came of it."""
        graph: Any = self
        before = await graph.aget_state(config)
        made = await super().aupdate_state(  # type: ignore[misc]
            config, values, as_node, **more
        )
        _check_update(before, await graph.aget_state(made), as_node)
        return made


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the caller asked to be streamed; what is streamed besides is for the check."""

    modes: tuple[str, ...]
    single: bool
    subgraphs: bool
    version: str
    keys: Sequence[str] | str | None
    options: Mapping[str, Any]
    base: Namespace

    @classmethod
    def of(
        cls,
        graph: Any,
        stream_mode: Any,
        output_keys: Any,
        subgraphs: bool,
        version: str,
        base: Namespace,
    ) -> "_Asked":
        mode = graph.stream_mode if stream_mode is None else stream_mode
        single = isinstance(mode, str)
        modes = (mode,) if single else tuple(mode)
        streamed = list(modes if "values" in modes else (*modes, "values"))
        # Watching graphs within costs a thread a step: only where there are some.
        inner = subgraphs or any(True for _ in graph.get_subgraphs())
        options = {"stream_mode": streamed, "subgraphs": inner}
        keys = None
        every = graph.stream_channels_asis
        if output_keys is not None and output_keys != every:
            keys = output_keys
            options["output_keys"] = every
        return cls(modes, single, subgraphs, version, keys, options, base)

    def read(self, chunk: Any) -> tuple[tuple[str, ...], str, Any]:
        """Return the namespace, the mode and the data of a chunk of the graph's."""
        if isinstance(chunk, Mapping):
            return tuple(chunk["ns"]), chunk["type"], chunk["data"]
        if self.options["subgraphs"]:
            namespace, mode, data = chunk
            return tuple(namespace), mode, data
        mode, data = chunk
        return self.base, mode, data

    def shown(self, chunk: Any) -> Iterator[Any]:
        """Yield the chunk as the caller asked for it, if it did."""
        namespace, mode, data = self.read(chunk)
        if mode not in self.modes or (namespace != self.base and not self.subgraphs):
            return
        if self.keys is not None and namespace == self.base:
            data = _only(mode, data, self.keys)
            if data is None:
                return
        if isinstance(chunk, Mapping):
            yield {**chunk, "data": data}
        elif self.single:
            yield (namespace, data) if self.subgraphs else data
        else:
            yield (namespace, mode, data) if self.subgraphs else (mode, data)


def _only(mode: str, data: Any, keys: Sequence[str] | str) -> Any:
    """Return what is left of a chunk where only some channels were asked for."""
    if mode == "values" and isinstance(data, Mapping):
        if isinstance(keys, str):
            return data.get(keys)
        return {
            name: value for name, value in data.items() if name in keys or name == "__interrupt__"
        }
    if mode == "updates" and isinstance(data, Mapping):
        kept = [keys] if isinstance(keys, str) else keys
        return {
            node: {name: value for name, value in update.items() if name in kept}
            if isinstance(update, Mapping)
            else update
            for node, update in data.items()
        }
    return data


@dataclass(slots=True)
class _Began:
    """A run that began, and what was known before it."""

    watch: Watch
    paused: bool
    """Whether something came in from outside while a pause was open."""
    before: StateSnapshot | None

    @classmethod
    def of(cls, input: Any, before: tuple[StateSnapshot, ...], base: Namespace) -> "_Began":
        last = before[-1] if before else None
        step = (last.metadata or {}).get("step") if last is not None else None
        came_in = input is not None and not (
            isinstance(input, Command) and (input.resume is not None or input.update is None)
        )
        # What comes in is one step, and its being taken in another, which has the state.
        watch = Watch(0 if step is None else step + 2 if came_in else step, base)
        watch.know(snapshot.values for snapshot in before)
        return cls(watch, came_in and last is not None and _is_paused(last), last)

    def see(self, asked: _Asked, chunk: Any) -> None:
        """Check a chunk that holds a state. Raises InvalidState."""
        if self.watch.raised is not None:
            raise self.watch.raised
        namespace, mode, data = asked.read(chunk)
        if mode != "values" or data is None:
            return
        if self.paused and namespace == asked.base and self.before is not None:
            self.paused = False
            added = _added(self.before.values, data)
            if added:
                step = (self.before.metadata or {}).get("step")
                raise InvalidState(added, INPUT, None if step is None else step + 1)
        self.watch.see(namespace, data)


def _base(config: Any) -> Namespace:
    """Return the namespace that a run is in: of a graph that is a node of another, the node's."""
    return namespace_in(ensure_config(config).get("configurable", {}).get("checkpoint_ns"))


def _before(graph: Any, config: Any) -> tuple[StateSnapshot, ...]:
    """Return the state before a run; of a run of ours, which keeps parts, all states, in order."""
    if not _has_thread(graph, config):
        return ()
    last = graph.get_state(config)
    if not is_run(view_of(last).values):
        return (last,) if last.created_at is not None else ()
    return tuple(reversed(list(graph.get_state_history(config))))


async def _abefore(graph: Any, config: Any) -> tuple[StateSnapshot, ...]:
    if not _has_thread(graph, config):
        return ()
    last = await graph.aget_state(config)
    if not is_run(view_of(last).values):
        return (last,) if last.created_at is not None else ()
    return tuple(reversed([each async for each in graph.aget_state_history(config)]))


def _has_thread(graph: Any, config: Any) -> bool:
    """Whether the run is one of a thread that is kept, and not one within another graph's."""
    configured = (config or {}).get("configurable") or {}
    return (
        bool(graph.checkpointer)
        and graph.checkpointer is not True
        and "thread_id" in configured
        and not configured.get("checkpoint_ns")
    )


def _is_paused(snapshot: StateSnapshot) -> bool:
    return any(task.interrupts and not task.result for task in snapshot.tasks)


def _added(before: object, after: object) -> list[Violation]:
    """Return the messages that came while a pause was open, as what they break."""
    there, now = view_of(before), view_of(after)
    if is_run(now.values):
        turn = now.values.get("turn")
        # The turn of a run of ours is no message yet: its first step makes it one.
        if turn == there.values.get("turn"):
            return []
        return [violation("message_after_interrupt", "paused", "turn", _turn_id(turn))]
    known = {read_message(message).id for message in there.messages}
    count = len(there.messages)
    told = [read_message(message).id for message in now.messages]
    return [
        violation("message_after_interrupt", "paused", f"messages[{at}]", identity)
        for at, identity in enumerate(told)
        if (identity not in known if identity is not None else at >= count)
    ]


def _turn_id(turn: object) -> str | None:
    identity = turn.get("id") if isinstance(turn, Mapping) else None
    return identity if isinstance(identity, str) else None


def _check_update(before: StateSnapshot, after: StateSnapshot, as_node: str | None) -> None:
    """Raise InvalidState where an update broke the state, or came in a pause."""
    known = {found.same for found in validate_state(before)}
    new = [found for found in validate_state(after) if found.same not in known]
    if _is_paused(before):
        new = [*_added(before.values, after.values), *new]
    if new:
        step = (after.metadata or {}).get("step")
        raise InvalidState(new, as_node or "update", step)


def _with(config: Any, handler: BaseCallbackHandler) -> dict[str, Any]:
    callbacks = (config or {}).get("callbacks")
    if isinstance(callbacks, BaseCallbackManager):
        callbacks = callbacks.copy()
        callbacks.add_handler(handler, inherit=True)
    else:
        callbacks = [*_list(callbacks), handler]
    return {**(config or {}), "callbacks": callbacks}


def _list(callbacks: Any) -> Iterable[Any]:
    return (
        callbacks
        if isinstance(callbacks, list | tuple)
        else []
        if callbacks is None
        else [callbacks]
    )


def _end(chunks: Any, error: InvalidState) -> None:
    """End the run with the error, so that its other callbacks are told of it too."""
    try:
        chunks.throw(error)
    except (InvalidState, StopIteration):
        return


async def _aend(chunks: Any, error: InvalidState) -> None:
    try:
        await chunks.athrow(error)
    except (InvalidState, StopAsyncIteration):
        return
