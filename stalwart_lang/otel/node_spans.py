"""A span a node, on any graph of LangGraph, by its callbacks.

    graph.invoke(given, {"callbacks": [NodeSpans(tracer)]})
    graph = graph.with_config(callbacks=[NodeSpans(tracer)])

Importing this imports LangGraph (the extra `runs`).
"""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.types import Command

from stalwart_lang.graphs.steps import graph_step
from stalwart_lang.tracing import attributes as names
from stalwart_lang.tracing.content import AttributeValue
from stalwart_lang.tracing.context import current
from stalwart_lang.tracing.quiet import quiet
from stalwart_lang.tracing.tracer import Span, Tracer

Held: TypeAlias = dict[str, AttributeValue]


class NodeSpans(BaseCallbackHandler):
    """Opens `stalwart.node` around each run of a node: one an attempt, where it is tried again.

    What the node opens is below its span, and so are the nodes of a graph in it. Where no span is
    open around the graph, the run has `invoke_agent {name}` above its nodes. A pause for a person
    is a `stalwart.interrupt` below its node, and no error; a run that goes on after one has a
    `stalwart.resume`. Nothing of the state is recorded.

    One may be used for many graphs, threads and runs at once. It raises nothing.
    """

    # In the context in which the node runs: what it opens must find the span there.
    run_inline = True
    ignore_llm = True
    ignore_chat_model = True
    ignore_retriever = True
    ignore_agent = True
    ignore_retry = True
    ignore_custom_event = True

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = quiet(tracer)
        self._runs: dict[UUID, _Root | _Node | _Inner] = {}
        self._lock = threading.Lock()

    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,  # noqa: ARG002
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        name: str | None = None,
        **_: Any,
    ) -> None:
        """Open a node's span."""
        step = graph_step(tags)
        with self._lock:
            above = None if parent_run_id is None else self._runs.get(parent_run_id)
            if step is None:
                begun = _begun(name, metadata, inputs) if above is None else _Inner(_owner(above))
                self._runs[run_id] = begun
                return
        named = str((metadata or {}).get("langgraph_node") or name)
        # Of a node whose graph's start was not told, nobody tells the end of the graph.
        owner = _Root(named, None, within=True) if above is None else _owner(above)
        self._open(run_id, owner, named, step)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:  # noqa: ARG002
        """Close a node's span, or the run's."""
        self._close(run_id, None)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Close a span as failed, where what ended it is an error.

        A pause, a command to the graph above and a stream that its reader closed are none.
        """
        if isinstance(error, GraphInterrupt):
            self._paused(run_id, error)
        fine = isinstance(error, GraphBubbleUp | GeneratorExit)
        self._close(run_id, None if fine else error)

    def around_node(
        self, name: str, step: int, parent: str | None
    ) -> AbstractContextManager[Span | None]:
        """Return what a node runs in: its span, below `parent`."""
        held: Held = {names.STEP_NAME: name, names.STEP: step}
        return self._tracer.span(names.NODE, held, parent=parent)

    def tell(self, name: str, held: Held, parent: str | None) -> None:
        """Record what is but a moment of a node: a pause, or that the run goes on after one."""
        with self._tracer.span(name, held, parent=parent):
            pass

    def _open(self, run_id: UUID, above: "_Root | _Node", name: str, step: int) -> None:
        root = above.root
        opened = self.around_node(name, step, above.traceparent(self._tracer) or None)
        node = _Node(root, name, opened, opened.__enter__(), _task())
        with self._lock:
            self._runs[run_id] = node
            root.open[run_id] = node
            resumed, root.resumed = root.resumed, False
        if resumed:
            self._told(node, names.RESUME, {})

    def _close(self, run_id: UUID, error: BaseException | None) -> None:
        with self._lock:
            found = self._runs.pop(run_id, None)
            if isinstance(found, _Node):
                found.root.open.pop(run_id, None)
        if isinstance(found, _Node):
            found.leave(error)
        elif isinstance(found, _Root):
            self._close_root(found, error)

    def _close_root(self, root: "_Root", error: BaseException | None) -> None:
        with self._lock:
            left = list(root.open.items())
            root.open.clear()
            for run_id, _ in left:
                self._runs.pop(run_id, None)
        # A handler of somebody else's that fails keeps the ends of nodes from coming here.
        for _, node in reversed(left):
            node.leave(None)
        if error is not None:
            root.traceparent(self._tracer)
        root.close(error)

    def _paused(self, run_id: UUID, error: GraphInterrupt) -> None:
        with self._lock:
            node = self._runs.get(run_id)
            if not isinstance(node, _Node):
                return
            new = [each for each in _interrupts(error) if each.id not in node.root.told]
            node.root.told.update(each.id for each in new)
        for each in new:
            self._told(node, names.INTERRUPT, _asked(each.value))

    def _told(self, node: "_Node", name: str, held: Held) -> None:
        self.tell(name, {names.STEP_NAME: node.name, **held}, node.traceparent(self._tracer))


@dataclass(eq=False, slots=True)
class _Root:
    """One run of a graph. Its own span is opened with the first below it, if at all."""

    name: str
    thread: str | None
    within: bool
    """Whether a span is open around it: then it has none of its own."""
    outer: str | None = None
    resumed: bool = False
    """Whether it goes on after a pause, until that is told below its first node."""
    open: "dict[UUID, _Node]" = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    """The pauses that are recorded: each is told at every level that it passes."""
    _context: Context = field(default_factory=copy_context)
    _opened: AbstractContextManager[Span] | None = None
    _own: str | None = None
    _guard: threading.Lock = field(default_factory=threading.Lock)

    @property
    def root(self) -> "_Root":
        """Itself."""
        return self

    def traceparent(self, tracer: Tracer) -> str | None:
        """Return what its nodes go below."""
        if self.within:
            return self.outer
        with self._guard:
            if self._opened is None:
                held: Held = {
                    names.OPERATION_NAME: names.INVOKE_AGENT,
                    names.AGENT_NAME: self.name,
                }
                if self.thread is not None:
                    held[names.CONVERSATION_ID] = self.thread
                self._opened = tracer.span(f"{names.INVOKE_AGENT} {self.name}", held)
                # In a context of its own: between the pieces of a stream its reader runs, which is
                # not part of the run.
                self._own = self._context.run(self._opened.__enter__).traceparent
            return self._own

    def close(self, error: BaseException | None) -> None:
        """Close its span, if it has one."""
        with self._guard:
            opened, self._opened = self._opened, None
        if opened is not None:
            self._context.run(opened.__exit__, type(error) if error else None, error, None)


@dataclass(eq=False, frozen=True, slots=True)
class _Node:
    """A node that runs."""

    root: _Root
    name: str
    opened: AbstractContextManager[Span | None]
    span: Span | None
    task: "asyncio.Task[Any] | None"
    """The task in whose context it was opened, which may be that of who runs the graph."""

    def leave(self, error: BaseException | None) -> None:
        """Close its span in the context in which it was opened.

        LangChain tells the end of an asynchronous run from another task, with a copy of the
        context: what is made current in the first would stay so for whoever goes on there.
        """
        told = type(error) if error else None, error, None
        where = None if self.task is None or self.task is _task() else _context_of(self.task)
        if where is None:
            self.opened.__exit__(*told)
        else:
            where.run(self.opened.__exit__, *told)

    def traceparent(self, _: Tracer) -> str | None:
        """Return what is below it."""
        return (self.span.traceparent or None) if self.span else None


@dataclass(eq=False, frozen=True, slots=True)
class _Inner:
    """A run in a node, or in the graph, that is no node: what is below it is below its owner."""

    owner: _Root | _Node


def _task() -> "asyncio.Task[Any] | None":
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop runs here
        return None


def _context_of(task: "asyncio.Task[Any]") -> Context | None:
    """Return the context of a task that waits, None where it cannot be had or is left for good."""
    if task.done():
        return None
    get = getattr(task, "get_context", None)  # from Python 3.12 on
    if get is not None:
        found: Context = get()
        return found
    # Before, the context stands with what wakes the task up.
    waits_for = getattr(task, "_fut_waiter", None)
    for wake, context in getattr(waits_for, "_callbacks", None) or ():
        if getattr(wake, "__self__", None) is task and isinstance(context, Context):
            return context
    return None


def _begun(name: str | None, metadata: Mapping[str, Any] | None, given: object) -> _Root:
    """Return a run that begins here, and goes below the span that is open here."""
    here = current.get()
    thread = (metadata or {}).get("thread_id")
    return _Root(
        name or "graph",
        thread if isinstance(thread, str) else None,
        within=here is not None,
        outer=here.traceparent if here else None,
        resumed=isinstance(given, Command) and given.resume is not None,
    )


def _owner(found: "_Root | _Node | _Inner") -> "_Root | _Node":
    return found.owner if isinstance(found, _Inner) else found


def _interrupts(error: GraphInterrupt) -> Iterator[Any]:
    for given in error.args:
        yield from (each for each in given if hasattr(each, "id"))


def _asked(value: object) -> Held:
    """Return what is told of a pause that is one of ours."""
    if not isinstance(value, Mapping):
        return {}
    held: Held = {
        attribute: value[key]
        for key, attribute in (
            ("tool", names.TOOL_NAME),
            ("call_id", names.TOOL_CALL_ID),
            ("outcome", names.OUTCOME),
        )
        if isinstance(value.get(key), str)
    }
    waits_for = value.get("waits_for")
    if isinstance(waits_for, list):
        held[names.WAITS_FOR] = ", ".join(map(str, waits_for))
    return held
