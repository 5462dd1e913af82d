"""Breaks that were reported in public, rebuilt: each of LangGraph, LangChain, or a front end.

Each test names the report that it is made after, builds the run in the same way with code of its
own, and says which step is to blame.
"""

import asyncio
import operator
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    trim_messages,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from stored_graphs import CONFIG, asks, line, result, saver, shown

from stalwart_lang.graph import InvalidState, validate_state, validating

HI = {"messages": [HumanMessage("hi", id="h1")]}


def say(*messages: Any) -> Any:
    return lambda _: {"messages": list(messages)}


def stopped(graph: Any, given: Any = HI, config: Any = None) -> InvalidState:
    with pytest.raises(InvalidState) as raised:
        validating(graph).invoke(given, config)
    return raised.value


def test_a_handoff_beside_another_call_loses_the_other_result():
    """langgraph-swarm-py #69: of two calls the handoff alone keeps its result."""

    def agent(_: MessagesState) -> dict[str, Any]:
        return {"messages": [asks("add", "transfer")]}

    def tools(_: MessagesState) -> Command[str]:
        return Command(goto="bob", update={"messages": [result("transfer", "over to Bob")]})

    builder = StateGraph(MessagesState)
    builder.add_node("alice", agent)
    builder.add_node("tools", tools, destinations=("bob",))
    builder.add_node("bob", say(AIMessage("Arr!", id="b1")))
    builder.add_edge(START, "alice")
    builder.add_edge("alice", "tools")
    error = stopped(builder.compile())
    assert (error.violation.kind, error.violation.call_id) == ("call_without_result", "add")
    assert (error.node, error.step) == ("bob", 3)


def test_trimming_to_the_last_messages_leaves_a_result_alone():
    """langchain #33245: `trim_messages` with strategy "last" cuts between a call and its result."""

    def trim(state: MessagesState) -> dict[str, Any]:
        kept = trim_messages(state["messages"], max_tokens=2, token_counter=len, strategy="last")
        gone = [m for m in state["messages"] if m.id not in {k.id for k in kept}]
        return {"messages": [RemoveMessage(m.id) for m in gone]}

    nodes = (
        ("model", say(asks("c1"))),
        ("tools", say(result("c1"))),
        ("reply", say(AIMessage("so"))),
    )
    error = stopped(line(MessagesState, *nodes, ("trim", trim)).compile())
    assert (error.violation.kind, error.node, error.step) == ("result_without_call", "trim", 4)


def test_a_summary_takes_the_call_and_leaves_the_result():
    """deepagents #270: summarizing removes the model's message and keeps the tool's."""

    def summarize(state: MessagesState) -> dict[str, Any]:
        old = [m for m in state["messages"] if isinstance(m, HumanMessage | AIMessage)]
        return {"messages": [*(RemoveMessage(m.id) for m in old), SystemMessage("So far…")]}

    nodes = ("model", say(asks("c1"))), ("tools", say(result("c1"))), ("summarize", summarize)
    error = stopped(line(MessagesState, *nodes).compile())
    assert (error.violation.kind, error.node) == ("result_without_call", "summarize")


def test_a_cut_that_fits_one_result_and_not_its_neighbour():
    """langchain #38352: a cut is taken for safe as soon as one of the results has its call."""
    messages = [
        HumanMessage("a", id="1"), asks("old", id="2"), asks("new", id="3"),
        result("old", id="4"), result("new", id="5"),
    ]  # fmt: skip
    cut = messages[2:]
    assert [found.kind for found in validate_state(cut)] == ["result_without_call"]


def test_an_answer_typed_into_the_chat_begins_a_new_run():
    """agent-chat-ui #85: the front end sends a person's answer as a turn and not as a resume."""
    graph = line(MessagesState, ("ask", lambda _: {"messages": [AIMessage(interrupt("Sure?"))]}))
    compiled = graph.compile(checkpointer=InMemorySaver())
    compiled.invoke(HI, CONFIG)
    error = stopped(compiled, {"messages": [HumanMessage("yes", id="h2")]}, CONFIG)
    assert (error.violation.kind, error.node) == ("message_after_interrupt", "input")


def test_a_pause_of_the_second_task_is_not_seen():
    """ag-ui #1409: only the first task is looked at, and the chat goes on."""
    builder = StateGraph(MessagesState)
    builder.add_node("quick", say())
    builder.add_node("ask", lambda _: {"messages": [AIMessage(interrupt("Sure?"))]})
    builder.add_edge(START, "quick")
    builder.add_edge(START, "ask")
    compiled = builder.compile(checkpointer=InMemorySaver())
    compiled.invoke(HI, CONFIG)
    first = compiled.get_state(CONFIG).tasks[0]
    assert not (first.interrupts and compiled.get_state(CONFIG).tasks[1].interrupts)
    error = stopped(compiled, {"messages": [HumanMessage("and?", id="h2")]}, CONFIG)
    assert error.violation.kind == "message_after_interrupt"


def test_cancel_is_pressed_while_a_tool_runs(tmp_path: Path):
    """agent-chat-ui #80: the run is cancelled in the tool, and the next turn follows the call."""

    async def endless(_: MessagesState) -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    def model(state: MessagesState) -> dict[str, Any]:
        last = state["messages"][-1]
        return {"messages": [asks("c1") if last.id == "h1" else AIMessage("so")]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", model)
    builder.add_node("tools", endless)
    builder.add_edge(START, "model")
    builder.add_conditional_edges(
        "model", lambda s: "tools" if s["messages"][-1].tool_calls else END, ["tools", END]
    )
    graph = builder.compile(checkpointer=InMemorySaver())

    async def run() -> None:
        reading = graph.astream(HI, CONFIG, stream_mode="values")
        async for values in reading:
            if getattr(values["messages"][-1], "tool_calls", None):
                break
        await reading.aclose()

        later = {"messages": [HumanMessage("never mind", id="h2")]}
        await validating(graph).ainvoke(later, CONFIG)

    with pytest.raises(InvalidState) as raised:
        asyncio.run(run())
    error = raised.value
    assert (error.violation.kind, error.node) == ("call_without_result", "input")


def test_the_whole_list_is_given_back_to_a_reducer_that_adds():
    """langgraph #1281, assistant-ui #1261: the messages that are there are added once more."""

    class Added(TypedDict):
        messages: Annotated[list[AnyMessage], operator.add]

    def generate(state: Added) -> dict[str, Any]:
        return {"messages": [*state["messages"], AIMessage("so", id="a1")]}

    error = stopped(line(Added, ("generate", generate)).compile())
    assert (error.violation.kind, error.violation.id) == ("duplicate_message_id", "h1")
    assert error.node == "generate"


def test_two_parallel_calls_of_which_a_person_answers_one():
    """langgraph #874: at a breakpoint one call is answered by hand, and the run goes on."""
    builder = line(MessagesState, ("model", say(asks("sf", "nyc"))), ("tools", say()))
    builder.add_node("reply", say(AIMessage("It rains.")))
    builder.add_edge("tools", "reply")
    graph = validating(builder.compile(checkpointer=InMemorySaver(), interrupt_before=["tools"]))
    graph.invoke(HI, CONFIG)
    graph.update_state(CONFIG, {"messages": [result("sf")]}, as_node="tools")
    with pytest.raises(InvalidState) as raised:
        graph.invoke(None, CONFIG)
    error = raised.value
    assert (error.violation.kind, error.violation.call_id, error.node) == (
        "call_without_result",
        "nyc",
        "reply",
    )


def test_a_call_whose_arguments_are_no_json_is_never_answered():
    """The provider is sent `invalid_tool_calls` too, and refuses them without a result."""
    broken = {"name": "f", "args": '{"x": ', "id": "c1", "error": None, "type": "invalid_tool_call"}

    def model(_: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage("", invalid_tool_calls=[broken])]}

    again = ("again", say(HumanMessage("please try again")))
    error = stopped(line(MessagesState, ("model", model), again).compile())
    assert (error.violation.kind, error.node) == ("call_without_result", "again")


def test_calls_that_a_front_end_sends_back_without_their_results():
    """vercel/ai #11417: executed calls come back as calls, and their outputs do not."""

    def as_parts(messages: list[Any]) -> list[Any]:
        return [message for message in messages if message["role"] != "tool"]

    calls = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    conversation = [
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
        {"role": "assistant", "content": "so"},
    ]
    assert validate_state(conversation) == ()
    sent_back = [*as_parts(conversation), {"role": "user", "content": "and?"}]
    assert [found.kind for found in validate_state(sent_back)] == ["call_without_result"]


def test_a_made_up_result_and_then_the_real_one(tmp_path: Path):
    """langchain-aws #847: a saver mends a call that waits, and the pause's answer comes after."""
    builder = StateGraph(MessagesState)
    builder.add_node("model", say(asks("c1")))

    def tools(_: MessagesState) -> dict[str, Any]:
        return {"messages": [ToolMessage(interrupt("Sure?"), tool_call_id="c1")]}

    builder.add_node("tools", tools)
    builder.add_edge(START, "model")
    builder.add_edge("model", "tools")
    with saver(tmp_path / "runs.db") as kept:
        graph = builder.compile(checkpointer=kept)
        graph.invoke(HI, CONFIG)
        mended = ToolMessage("interrupted", tool_call_id="c1", id="r0")
        graph.update_state(CONFIG, {"messages": [mended]}, as_node="model")
        graph.invoke(None, CONFIG)
        graph.invoke(Command(resume="yes"), CONFIG)
    kinds = [each.split(": ")[1] for each in shown(f"sqlite:///{tmp_path}/runs.db").violations]
    assert kinds == ["message_after_interrupt", "result_without_call"]


def test_a_team_hands_up_its_result_without_the_call():
    """langgraph-supervisor-py #122: of a team's messages only the last is handed on, a result."""
    team = line(MessagesState, ("model", say(asks("c1"))), ("tools", say(result("c1")))).compile()

    def run_team(state: MessagesState) -> dict[str, Any]:
        return {"messages": team.invoke(state)["messages"][-1:]}

    error = stopped(line(MessagesState, ("team", run_team)).compile())
    assert (error.violation.kind, error.node) == ("result_without_call", "team")


def test_a_note_is_put_between_a_call_and_its_result():
    """langgraph #5109: a message is put in after the call, and the result no longer follows it."""

    def remember(_: MessagesState) -> dict[str, Any]:
        return {"messages": [SystemMessage("The user likes trains.")]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", say(asks("c1")))
    builder.add_node("a_memory", remember)
    builder.add_node("tools", ToolNode([]))
    builder.add_edge(START, "model")
    builder.add_edge("model", "a_memory")
    builder.add_edge("model", "tools")
    error = stopped(builder.compile())
    assert (error.violation.kind, error.step) == ("results_out_of_order", 2)
    # The nodes of one step are put together in the order of their names.
    assert error.node == "tools"
