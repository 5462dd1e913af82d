"""Real runs of LangGraph: each kind of break at the step that causes it, and runs without any."""

import asyncio
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    trim_messages,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, RetryPolicy, Send, interrupt
from stored_graphs import CONFIG, asks, line, result, saver, shown

from stalwart_lang.graph import InvalidState, validate_state, validating
from stalwart_lang.state import check_stored


class Kept(MessagesState, total=False):
    """What a team of its own keeps that the validator knows."""

    history: list[dict[str, Any]]
    history_token: str | None
    to_undo: list[dict[str, Any]]
    labels: dict[str, list[str]]


class Listed(TypedDict):
    """Messages with a reducer that replaces nothing."""

    messages: Annotated[list[AnyMessage], operator.add]


def entries(count: int) -> dict[str, Any]:
    made = [{"step": at, "token": f"t{at}"} for at in range(count)]
    return {"history": made, "history_token": f"t{count - 1}"}


def gives(update: Any) -> Callable[[Any], Any]:
    return lambda _: update


ONE = {"messages": [HumanMessage("hi", id="h1")]}
CALLED = {"messages": [asks("c1", "c2", id="a1")]}
ANSWERED = {"messages": [result("c1", id="r1"), result("c2", id="r2")]}

BREAKS: dict[str, tuple[Any, list[tuple[str, Any]]]] = {
    "call_without_result": (
        Kept,
        [("model", gives(CALLED)), ("hurry", gives({"messages": [HumanMessage("never mind")]}))],
    ),
    "result_without_call": (
        Kept,
        [
            ("model", gives(CALLED)),
            ("tools", gives(ANSWERED)),
            ("trim", gives({"messages": [RemoveMessage("a1")]})),
        ],
    ),
    "results_out_of_order": (
        Kept,
        [("model", gives(CALLED)), ("tools", gives({"messages": ANSWERED["messages"][::-1]}))],
    ),
    "duplicate_message_id": (
        Listed,
        [("model", lambda s: {"messages": [*s["messages"], AIMessage("hello", id="a1")]})],
    ),
    "stack_step_not_in_history": (
        Kept,
        [
            ("charge", gives({**entries(2), "to_undo": [{"step": 1}]})),
            ("ship", gives({"to_undo": [{"step": 1}, {"step": 2}]})),
        ],
    ),
    "history_broken": (
        Kept,
        [
            ("charge", gives(entries(3))),
            ("tidy", lambda s: {"history": s["history"][1:]}),
        ],
    ),
    "history_token_invalid": (
        Kept,
        [
            ("charge", gives(entries(2))),
            ("ship", lambda s: {"history": [*s["history"], {"step": 2, "token": "t2"}]}),
        ],
    ),
    "label_on_removed_message": (
        Kept,
        [
            ("read", gives({"labels": {"h1": ["outside"]}})),
            ("trim", gives({"messages": [RemoveMessage("h1"), HumanMessage("so", id="h2")]})),
        ],
    ),
}  # fmt: skip


def run(graph: Any, how: str, given: Any = ONE, config: Any = None) -> None:
    if how == "invoke":
        graph.invoke(given, config)
    elif how == "stream":
        list(graph.stream(given, config, stream_mode="updates"))
    elif how == "ainvoke":
        asyncio.run(graph.ainvoke(given, config))
    else:

        async def read() -> None:
            async for _ in graph.astream(given, config):
                pass

        asyncio.run(read())


@pytest.mark.parametrize("how", ["invoke", "stream", "ainvoke", "astream"])
@pytest.mark.parametrize("kind", BREAKS)
def test_the_wrapper_stops_at_the_node_and_the_step_that_breaks(kind, how):
    state, nodes = BREAKS[kind]
    reached: list[str] = []
    after = ("after", lambda _: reached.append("after") or {})
    graph = validating(line(state, *nodes, after).compile())
    with pytest.raises(InvalidState) as raised:
        run(graph, how)
    error = raised.value
    assert (error.violation.kind, error.node, error.step) == (kind, nodes[-1][0], len(nodes))
    assert error.violation.step == len(nodes)
    assert reached == []


@pytest.mark.parametrize("kind", BREAKS)
def test_a_stored_run_is_marked_at_the_step_that_broke_it(kind, tmp_path):
    state, nodes = BREAKS[kind]
    with saver(tmp_path / "runs.db") as kept:
        line(state, *nodes, ("after", gives({}))).compile(checkpointer=kept).invoke(ONE, CONFIG)
    found = shown(f"sqlite:///{tmp_path}/runs.db")
    assert found.exit_code == 1
    step = len(nodes)
    assert found.violations[0].startswith(f"step {step}: {kind}: ")
    assert found.first_step == f"step {step}  <<< FIRST VIOLATION"
    at = found.timeline.index(found.first_step)
    assert found.timeline[at + 1] == f"  node      {nodes[-1][0]}"
    assert found.timeline[at + 2].startswith(f"  violation {kind}  ")


def paused(kept: SqliteSaver) -> Any:
    graph = line(Kept, ("ask", lambda _: {"messages": [AIMessage(interrupt("Pay?"))]}))
    return graph.compile(checkpointer=kept)


def test_a_turn_that_comes_in_while_a_pause_is_open(tmp_path):
    with saver(tmp_path / "runs.db") as kept:
        graph = paused(kept)
        graph.invoke(ONE, CONFIG)
        graph.invoke({"messages": [HumanMessage("hello?", id="h2")]}, CONFIG)
    found = shown(f"sqlite:///{tmp_path}/runs.db")
    assert found.violations[0].startswith("step 1: message_after_interrupt: messages[1]: ")
    assert found.first_step == "step 1  <<< FIRST VIOLATION"
    assert found.timeline[found.timeline.index(found.first_step) + 1] == "  node      input"


def test_an_update_that_adds_a_message_while_a_pause_is_open(tmp_path):
    with saver(tmp_path / "runs.db") as kept:
        graph = paused(kept)
        graph.invoke(ONE, CONFIG)
        graph.update_state(CONFIG, {"messages": [HumanMessage("hello?", id="h2")]})
        graph.invoke(Command(resume="yes"), CONFIG)
    found = shown(f"sqlite:///{tmp_path}/runs.db")
    assert [each.partition(" messages")[0] for each in found.violations] == [
        "step 1: message_after_interrupt:"
    ]


hows = pytest.mark.parametrize("how", ["invoke", "ainvoke"])


@hows
def test_the_wrapper_refuses_what_comes_in_while_a_pause_is_open(how):
    graph = validating(paused(InMemorySaver()))  # type: ignore[arg-type]
    graph.invoke(ONE, CONFIG)
    later = {"messages": [HumanMessage("hello?", id="h2")]}
    with pytest.raises(InvalidState) as raised:
        run(graph, how, later, CONFIG)
    error = raised.value
    assert (error.violation.kind, error.node, error.step, error.violation.id) == (
        "message_after_interrupt",
        "input",
        1,
        "h2",
    )


UPDATES: list[Callable[[Any, Any], Any]] = [
    lambda graph, update: graph.update_state(CONFIG, update),
    lambda graph, update: asyncio.run(graph.aupdate_state(CONFIG, update)),
]


@pytest.mark.parametrize("update", UPDATES)
def test_the_wrapper_checks_updates_too(update):
    graph = validating(paused(InMemorySaver()))  # type: ignore[arg-type]
    graph.invoke(ONE, CONFIG)
    # An answer in a pause that replaces a message adds none.
    graph.update_state(CONFIG, {"messages": [HumanMessage("hi there", id="h1")]})
    with pytest.raises(InvalidState, match="node update: result_without_call"):
        update(graph, {"messages": [result("c9")]})


def test_the_node_to_blame_among_parallel_ones():
    builder = StateGraph(MessagesState)
    builder.add_node("model", gives(CALLED))
    builder.add_node("tools", gives(ANSWERED))
    builder.add_node("log", gives({}))
    builder.add_node("stray", gives({"messages": [result("c9")]}))
    builder.add_edge(START, "model")
    for name in ("tools", "log", "stray"):
        builder.add_edge("model", name)
    with pytest.raises(InvalidState) as raised:
        validating(builder.compile()).invoke(ONE)
    assert (raised.value.node, raised.value.step) == ("stray", 2)


@hows
def test_a_graph_in_the_graph_is_stopped_too(how):
    state, nodes = BREAKS["call_without_result"]
    reached: list[str] = []
    after = ("after", lambda _: reached.append("after") or {})
    inner = line(state, *nodes, after).compile()
    outer = validating(line(Kept, ("team", inner), after).compile())
    with pytest.raises(InvalidState) as raised:
        run(outer, how)
    assert (raised.value.node, raised.value.step) == ("team/hurry", 2)
    assert reached == []


@pytest.mark.parametrize("deep", [1, 2])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_validating_graph_is_a_node_of_others(asynchronous, deep):
    ran = []

    def reply(_):
        ran.append("reply")
        return {}

    def outer(*inner):
        graph: Any = validating(line(Kept, *inner, ("reply", reply)).compile())
        for at in range(deep):
            builder: Any = StateGraph(Kept)
            builder.add_node(f"team{at}", graph).add_edge(START, f"team{at}")
            graph = builder.compile()
        return graph

    def run(graph):
        if asynchronous:
            return asyncio.run(graph.ainvoke(ONE))
        return graph.invoke(ONE)

    broken = [("model", gives(CALLED)), ("tools", gives(ANSWERED)),
              ("trim", gives({"messages": [RemoveMessage("a1")]}))]  # fmt: skip
    with pytest.raises(InvalidState) as raised:
        run(outer(*broken))
    assert raised.value.node == {1: "team0/trim", 2: "team1/team0/trim"}[deep]
    assert ran == []
    assert {found.kind for found in raised.value.violations} == {"result_without_call"}
    came = run(outer(*broken[:2]))
    assert ran == ["reply"]
    assert [message.id for message in came["messages"]] == ["h1", "a1", "r1", "r2"]


def test_a_state_that_was_broken_before_is_not_this_run_s(tmp_path):
    with saver(tmp_path / "runs.db") as kept:
        graph = line(MessagesState, ("say", gives({"messages": [AIMessage("so")]})))
        compiled = graph.compile(checkpointer=kept)
        compiled.invoke({"messages": [result("c9")]}, CONFIG)
        validating(compiled).invoke({"messages": [HumanMessage("go on")]}, CONFIG)


def test_the_wrapper_streams_what_was_asked_for():
    nodes = [("model", gives(CALLED)), ("tools", gives(ANSWERED))]
    graph = line(Kept, *nodes).compile()
    wrapped = validating(graph)
    assert validating(wrapped) is wrapped
    for mode in ("values", "updates", ["updates", "values"], ["tasks"]):
        for subgraphs in (False, True):
            given = {"stream_mode": mode, "subgraphs": subgraphs}
            expected = [type(each) for each in graph.stream(ONE, **given)]
            assert [type(each) for each in wrapped.stream(ONE, **given)] == expected
    only = list(wrapped.stream(ONE, stream_mode="values", output_keys=["labels"]))
    assert all("messages" not in each for each in only)
    assert wrapped.invoke(ONE).keys() == graph.invoke(ONE).keys()
    assert wrapped.invoke(ONE, version="v2").value.keys() == graph.invoke(ONE).keys()
    assert len(wrapped.batch([ONE, ONE])) == 2
    assert wrapped.with_config(tags=["x"]).invoke(ONE)["messages"]


# Runs that are correct


def two_turns(graph: Any) -> None:
    graph.invoke({"messages": [HumanMessage("hi")]}, CONFIG)
    graph.invoke({"messages": [HumanMessage("and now?")]}, CONFIG)


def a_reply(kept: SqliteSaver) -> None:
    two_turns(line(Kept, ("say", lambda _: {"messages": [AIMessage("so")]})).compile(kept))


def double(x: int) -> int:
    """Double a number."""
    return 2 * x


def fails(x: int) -> int:
    """Fail."""
    raise ValueError(x)


def agent(kept: SqliteSaver, *calls: Any, tools: Any = (double,), **more: Any) -> Any:
    """A model that asks for calls and then replies, and a ToolNode."""

    def model(state: MessagesState) -> dict[str, Any]:
        since = [m for m in state["messages"] if isinstance(m, AIMessage | HumanMessage)]
        return {
            "messages": [
                AIMessage("", tool_calls=list(calls))
                if isinstance(since[-1], HumanMessage)
                else AIMessage("so")
            ]
        }

    builder = StateGraph(MessagesState)
    builder.add_node("model", model)
    builder.add_node("tools", ToolNode(list(tools), **more))
    builder.add_edge(START, "model")
    builder.add_conditional_edges(
        "model", lambda s: "tools" if s["messages"][-1].tool_calls else END, ["tools", END]
    )
    builder.add_edge("tools", "model")
    return builder.compile(checkpointer=kept)


def call(name: str, number: int) -> dict[str, Any]:
    return {"name": name, "args": {"x": number}, "id": f"c{number}", "type": "tool_call"}


def a_call(kept: SqliteSaver) -> None:
    two_turns(agent(kept, call("double", 1)))


def parallel_calls(kept: SqliteSaver) -> None:
    two_turns(agent(kept, *(call("double", at) for at in range(5))))


def a_tool_that_fails(kept: SqliteSaver) -> None:
    two_turns(agent(kept, call("fails", 1), tools=[fails], handle_tool_errors=True))


def a_tool_that_is_not_there(kept: SqliteSaver) -> None:
    two_turns(agent(kept, call("nope", 1)))


def a_node_tried_again(kept: SqliteSaver) -> None:
    tries = []

    def flaky(_: Any) -> dict[str, Any]:
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError
        return ANSWERED

    builder = line(Kept, ("model", gives(CALLED)))
    policy = RetryPolicy(initial_interval=0, jitter=False)
    builder.add_node("tools", flaky, retry_policy=policy)
    builder.add_edge("model", "tools")
    builder.compile(kept).invoke(ONE, CONFIG)


def tasks_sent_in_parallel(kept: SqliteSaver) -> None:
    builder = line(Kept, ("model", gives(CALLED)))
    builder.add_node("tool", lambda sent: {"messages": [result(sent["call"])]})
    builder.add_conditional_edges(
        "model", lambda _: [Send("tool", {"call": c}) for c in ("c1", "c2")], ["tool"]
    )
    builder.compile(kept).invoke(ONE, CONFIG)


def trimming_that_keeps_pairs(kept: SqliteSaver) -> None:
    def trim(state: Kept) -> dict[str, Any]:
        shown = trim_messages(state["messages"], max_tokens=6, token_counter=len, start_on="human")
        return {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), *shown]}

    graph = line(
        Kept, ("model", lambda s: {"messages": [asks(f"c{len(s['messages'])}")]}),
        ("tools", lambda s: {"messages": [result(s["messages"][-1].tool_calls[0]["id"])]}),
        ("say", lambda _: {"messages": [AIMessage("so")]}), ("trim", trim),
    ).compile(kept)  # fmt: skip
    two_turns(graph)
    two_turns(graph)


def a_summary_in_place_of_the_oldest(kept: SqliteSaver) -> None:
    def summarize(state: Kept) -> dict[str, Any]:
        old = state["messages"][:-1]
        return {"messages": [*(RemoveMessage(m.id) for m in old), SystemMessage("So far: hi.")]}

    graph = line(Kept, ("say", lambda _: {"messages": [AIMessage("so")]}), ("sum", summarize))
    two_turns(graph.compile(kept))


def a_pause_that_is_answered(kept: SqliteSaver) -> None:
    graph = paused(kept)
    graph.invoke(ONE, CONFIG)
    graph.invoke(Command(resume="yes"), CONFIG)
    graph.invoke({"messages": [HumanMessage("thanks")]}, CONFIG)
    graph.invoke(Command(resume="no"), CONFIG)


def two_pauses_in_one_node(kept: SqliteSaver) -> None:
    graph = line(
        Kept, ("ask", lambda _: {"messages": [AIMessage(interrupt("a") + interrupt("b"))]})
    )
    compiled = graph.compile(kept)
    compiled.invoke(ONE, CONFIG)
    compiled.invoke(Command(resume="x"), CONFIG)
    compiled.invoke(Command(resume="y"), CONFIG)
    compiled.invoke({"messages": [HumanMessage("thanks")]}, CONFIG)


def a_pause_within_a_call(kept: SqliteSaver) -> None:
    def ask(x: int) -> str:
        """Ask a person."""
        return str(interrupt(x))

    graph = agent(kept, call("ask", 1), tools=[ask])
    graph.invoke({"messages": [HumanMessage("hi")]}, CONFIG)
    graph.invoke(Command(resume="yes"), CONFIG)


def parallel_pauses_answered_one_by_one(kept: SqliteSaver) -> None:
    builder = StateGraph(Kept)
    for name in ("a", "b"):
        builder.add_node(name, lambda _: {"labels": {}} if interrupt("?") else {})
    builder.add_edge(START, "a")
    builder.add_conditional_edges("a", lambda _: "b")
    graph = builder.compile(kept)
    graph.invoke(ONE, CONFIG)
    for _ in range(2):
        pause = graph.get_state(CONFIG).interrupts[0]
        graph.invoke(Command(resume={pause.id: ""}), CONFIG)


def a_command_that_goes_on(kept: SqliteSaver) -> None:
    builder = line(Kept, ("model", lambda _: Command(update=CALLED, goto="tools")))
    builder.add_node("tools", gives(ANSWERED))
    builder.compile(kept).invoke(ONE, CONFIG)


def a_graph_in_the_graph(kept: SqliteSaver) -> None:
    inner = line(Kept, ("model", gives(CALLED)), ("tools", gives(ANSWERED))).compile()
    line(Kept, ("team", inner)).compile(kept).invoke(ONE, CONFIG)


def a_message_that_is_edited(kept: SqliteSaver) -> None:
    graph = line(Kept, ("say", lambda _: {"messages": [AIMessage("so", id="s1")]})).compile(kept)
    graph.invoke(ONE, CONFIG)
    graph.update_state(CONFIG, {"messages": [AIMessage("well", id="s1")]})


def a_breakpoint(kept: SqliteSaver) -> None:
    nodes = ("model", gives(CALLED)), ("tools", gives(ANSWERED))
    graph = line(Kept, *nodes).compile(kept, interrupt_before=["tools"])
    graph.invoke(ONE, CONFIG)
    graph.invoke(None, CONFIG)


def another_way_from_an_earlier_step(kept: SqliteSaver) -> None:
    graph = line(Kept, ("say", lambda _: {"messages": [AIMessage("so")]})).compile(kept)
    two_turns(graph)
    earlier = list(graph.get_state_history(CONFIG))[2]
    graph.invoke({"messages": [HumanMessage("or this?")]}, earlier.config)


def only_the_end_kept(kept: SqliteSaver) -> None:
    graph = line(Kept, ("model", gives(CALLED)), ("tools", gives(ANSWERED))).compile(kept)
    graph.invoke(ONE, CONFIG, durability="exit")
    graph.invoke({"messages": [HumanMessage("more")]}, CONFIG, durability="exit")


def a_history_with_marks_and_undos(kept: SqliteSaver) -> None:
    labels = {"h1": ["outside"]}
    graph = line(
        Kept, ("charge", gives({**entries(2), "to_undo": [{"step": 1}], "labels": labels})),
        ("undo", gives({**entries(3), "to_undo": []})),
    )  # fmt: skip
    graph.compile(kept).invoke(ONE, CONFIG)


def messages_as_dicts(kept: SqliteSaver) -> None:
    class Dicts(TypedDict):
        messages: Annotated[list[dict[str, Any]], operator.add]

    calls = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    graph = line(
        Dicts, ("model", gives({"messages": [{"role": "assistant", "tool_calls": calls}]})),
        ("tools", gives({"messages": [{"role": "tool", "tool_call_id": "c1", "content": "1"}]})),
    )  # fmt: skip
    graph.compile(kept).invoke({"messages": [{"role": "user", "content": "hi"}]}, CONFIG)


def a_state_that_is_the_messages(kept: SqliteSaver) -> None:
    builder = StateGraph(Annotated[list[AnyMessage], add_messages])  # type: ignore[arg-type]
    builder.add_node("model", gives([asks("c1")]))
    builder.add_node("tools", gives([result("c1")]))
    builder.add_edge(START, "model")
    builder.add_edge("model", "tools")
    builder.compile(kept).invoke([HumanMessage("hi")], CONFIG)


CORRECT = [
    a_reply, a_call, parallel_calls, a_tool_that_fails, a_tool_that_is_not_there,
    a_node_tried_again, tasks_sent_in_parallel, trimming_that_keeps_pairs,
    a_summary_in_place_of_the_oldest, a_pause_that_is_answered, two_pauses_in_one_node,
    a_pause_within_a_call, parallel_pauses_answered_one_by_one, a_command_that_goes_on,
    a_graph_in_the_graph, a_message_that_is_edited, a_breakpoint,
    another_way_from_an_earlier_step, only_the_end_kept, a_history_with_marks_and_undos,
    messages_as_dicts, a_state_that_is_the_messages,
]  # fmt: skip


@pytest.mark.parametrize("run", CORRECT, ids=lambda run: run.__name__)
def test_a_correct_run_has_no_violation(run, tmp_path: Path):
    with saver(tmp_path / "runs.db") as kept:
        run(kept)
    check = check_stored(f"sqlite:///{tmp_path}/runs.db", "desk/u-1")
    assert check.violations == ()
    assert check.steps > 1


@pytest.mark.parametrize("run", CORRECT, ids=lambda run: run.__name__)
def test_the_wrapper_lets_a_correct_run_be(run, tmp_path: Path, monkeypatch):
    compile_graph = StateGraph.compile
    monkeypatch.setattr(
        StateGraph, "compile", lambda *args, **more: validating(compile_graph(*args, **more))
    )
    with saver(tmp_path / "runs.db") as kept:
        run(kept)


def test_the_state_that_a_graph_returns_can_be_validated():
    graph = line(Kept, ("model", gives(CALLED)), ("tools", gives(ANSWERED))).compile()
    assert validate_state(graph.invoke(ONE)) == ()
