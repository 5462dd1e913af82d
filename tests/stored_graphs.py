"""Graphs of LangGraph whose runs are kept in a file, for the tests of the state validator."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph

from stalwart_lang.cli import stalwart

THREAD = "desk/u-1"
CONFIG: Any = {"configurable": {"thread_id": THREAD}}


@contextmanager
def saver(path: Path) -> Iterator[SqliteSaver]:
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        yield SqliteSaver(connection)
    finally:
        connection.close()


def line(state: Any, *nodes: tuple[str, Any], **more: Any) -> StateGraph:
    """A graph of nodes one after the other."""
    builder = StateGraph(state, **more)
    for name, node in nodes:
        builder.add_node(name, node)
    builder.add_edge(START, nodes[0][0])
    for (name, _), (after, _) in pairwise(nodes):
        builder.add_edge(name, after)
    return builder


def asks(*calls: str, id: str | None = None, text: str = "") -> AIMessage:
    return AIMessage(text, id=id, tool_calls=[{"name": "f", "args": {}, "id": c} for c in calls])


def result(call: str, text: str = "1", id: str | None = None) -> ToolMessage:
    return ToolMessage(text, tool_call_id=call, name="f", id=id)


@dataclass(frozen=True)
class Shown:
    """What the command line says of a stored run."""

    exit_code: int
    violations: list[str]
    """The lines of `state check`."""
    told: str
    timeline: list[str]

    @property
    def first_step(self) -> str | None:
        """The line of the timeline that is marked."""
        return next((each for each in self.timeline if "<<< FIRST VIOLATION" in each), None)


def shown(url: str, thread: str = THREAD, more: Sequence[str] = ()) -> Shown:
    of = ["--thread", thread, "--store", url]
    check = CliRunner().invoke(stalwart, ["state", "check", *of, *more])
    show = CliRunner().invoke(stalwart, ["trace", "show", *of])
    assert show.exit_code == 0, show.output
    return Shown(check.exit_code, check.stdout.splitlines(), check.stderr, show.stdout.splitlines())
