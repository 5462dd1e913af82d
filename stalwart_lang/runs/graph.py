"""The run as a graph of LangGraph: one node that takes one step each time, until it is done."""

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, interrupt

from stalwart_lang.runs.here import Here
from stalwart_lang.runs.phases import PHASES, answered, question
from stalwart_lang.runs.state import NODE, State, Update
from stalwart_lang.tracing import spans

_MOST_STEPS = 1_000_000
_NOT_BEGUN = (
    "this graph goes on with what an agent began: start with agent.chat(…, user=…), or give "
    'Command(resume="approve") or Command(resume="decline") to a thread that waits'
)


def make_graph(
    here: Callable[[str], Here], saver: "BaseCheckpointSaver[Any]"
) -> "CompiledStateGraph[State, None, State, State]":
    """Compile the graph; `here` gives what the steps of a thread work with."""

    def run(state: State, config: RunnableConfig) -> Update:
        configured = config.get("configurable", {})
        with_what = here(str(configured.get("thread_id")))
        step = (config.get("metadata") or {}).get("langgraph_step")
        if "phase" not in state:
            raise ValueError(_NOT_BEGUN)
        phase = state["phase"]
        # The pause is before the span: the step happens once, when the answer is there.
        answer = interrupt(question(state)) if phase == "ask" else None
        with spans.node(with_what.tracer, NODE, step if isinstance(step, int) else None):
            if phase == "ask":
                return answered(with_what, state, answer)
            return PHASES[phase](with_what, state)

    def onwards(state: State) -> str:
        return END if state["phase"] == "done" else NODE

    graph = StateGraph(State)
    graph.add_node(NODE, run)
    graph.add_edge(START, NODE)
    graph.add_conditional_edges(NODE, onwards, [NODE, END])
    compiled = graph.compile(checkpointer=saver, name=NODE)
    # `compile` takes no class of ours, `copy` makes one of the same class, and a callback that
    # refuses an input would not be asked where the graph is a node of another.
    compiled.__class__ = _AgentGraph
    # With one worker what a step wrote is stored before the checkpoint that follows from it. With
    # more they race, and a process that is killed may leave the checkpoint alone: the step is not
    # in the timeline then, nor its entry in the history.
    return compiled.with_config(max_concurrency=1, recursion_limit=_MOST_STEPS)


class _AgentGraph(CompiledStateGraph[State, None, State, State]):
    """The graph, refusing what is no turn before it is kept: the thread could not go on with it."""

    def stream(self, input: Any, config: RunnableConfig | None = None, **more: Any) -> Any:
        """Stream as LangGraph does, which runs everything by it."""
        _check_input(input)
        return super().stream(input, config, **more)

    def astream(self, input: Any, config: RunnableConfig | None = None, **more: Any) -> Any:
        """Stream as LangGraph does."""
        _check_input(input)
        return super().astream(input, config, **more)


def _check_input(given: Any) -> None:
    if given is None or isinstance(given, Command):
        return
    if not (isinstance(given, Mapping) and given.get("phase") in PHASES and given.get("turn")):
        raise ValueError(_NOT_BEGUN)
