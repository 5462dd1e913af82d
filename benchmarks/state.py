"""What the state validator costs: python benchmarks/state.py

A state of 10,000 messages is to be checked in less than 50 ms, whatever the shape of its messages,
and `validating` is to add less than a tenth to a step of a run. The times are the processor's, so
that what else runs on the machine does not count.
"""

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph

from stalwart_lang.graph import validate_state, validating

MESSAGES = 10_000
STEPS = 200
TIMES = 7


def langchain(turn: int) -> list[Any]:
    calls = [
        {"name": "look", "args": {}, "id": f"c{turn}.{at}", "type": "tool_call"} for at in "ab"
    ]
    return [
        HumanMessage("and now?", id=f"h{turn}"),
        AIMessage("", id=f"a{turn}", tool_calls=calls),
        ToolMessage("1", id=f"r{turn}a", tool_call_id=f"c{turn}.a", name="look"),
        ToolMessage("2", id=f"r{turn}b", tool_call_id=f"c{turn}.b", name="look"),
    ]


def openai(turn: int) -> list[Any]:
    calls = [
        {"id": f"c{turn}.{at}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        for at in "ab"
    ]
    return [
        {"role": "user", "content": "and now?"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": f"c{turn}.a", "content": "1"},
        {"role": "tool", "tool_call_id": f"c{turn}.b", "content": "2"},
    ]


def anthropic(turn: int) -> list[Any]:
    uses = [{"type": "tool_use", "id": f"c{turn}.{at}", "name": "look", "input": {}} for at in "ab"]
    results = [
        {"type": "tool_result", "tool_use_id": f"c{turn}.{at}", "content": "1"} for at in "ab"
    ]
    return [
        {"role": "user", "content": "and now?"},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, *uses]},
        {"role": "user", "content": results},
        {"role": "assistant", "content": "done"},
    ]


def milliseconds(act: Callable[[], object]) -> float:
    took = []
    for _ in range(TIMES):
        began = time.process_time()
        act()
        took.append((time.process_time() - began) * 1000)
    return statistics.median(took)


def states() -> dict[str, float]:
    found = {}
    for shape in (langchain, openai, anthropic):
        messages = [message for turn in range(MESSAGES // 4) for message in shape(turn)]
        assert validate_state({"messages": messages}) == ()
        took = milliseconds(partial(validate_state, {"messages": messages}))
        found[shape.__name__] = round(took, 1)
    return found


def counting_graph(saver: Any) -> Any:
    """A loop of steps that each add a call, or its result, to the conversation."""

    def act(state: MessagesState) -> dict[str, Any]:
        turn = len(state["messages"])
        last = state["messages"][-1]
        if isinstance(last, AIMessage) and last.tool_calls:
            return {"messages": [ToolMessage("1", tool_call_id=last.tool_calls[0]["id"])]}
        call = {"name": "look", "args": {}, "id": f"c{turn}", "type": "tool_call"}
        return {"messages": [AIMessage("", tool_calls=[call])]}

    graph = StateGraph(MessagesState)
    graph.add_node("act", act)
    graph.add_edge(START, "act")
    graph.add_conditional_edges(
        "act", lambda state: END if len(state["messages"]) > STEPS else "act"
    )
    return graph.compile(checkpointer=saver)


def steps() -> dict[str, float]:
    """Milliseconds a step without and with `validating`, run in turns."""
    took: dict[str, list[float]] = {"plain": [], "validating": []}
    for run in range(TIMES):
        for name in took:
            with tempfile.TemporaryDirectory() as folder:
                path = str(Path(folder, "runs.db"))
                with SqliteSaver.from_conn_string(path) as saver:
                    graph = counting_graph(saver)
                    made = validating(graph) if name == "validating" else graph
                    config = {
                        "configurable": {"thread_id": str(run)},
                        "recursion_limit": 10 * STEPS,
                    }
                    began = time.process_time()
                    made.invoke({"messages": [("user", "go")]}, config, durability="sync")
                    took[name].append((time.process_time() - began) * 1000 / STEPS)
    plain, wrapped = (min(took[name]) for name in ("plain", "validating"))
    return {
        "plain": round(plain, 3),
        "validating": round(wrapped, 3),
        "percent": round((wrapped / plain - 1) * 100, 1),
    }


if __name__ == "__main__":
    print(json.dumps({"state_of_10000_messages_ms": states(), "step_ms": steps()}, indent=2))
