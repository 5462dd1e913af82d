"""Timelines of other graphs' stores, and stores that are locked, odd, huge or damaged."""

import operator
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from click.testing import CliRunner, Result
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt
from stored_graphs import CONFIG, THREAD, line, saver, shown

from stalwart_lang.cli import stalwart
from stalwart_lang.timeline.stored.store import open_store


class Log(TypedDict, total=False):
    log: Annotated[list[str], operator.add]


def says(name: str, asks: str | None = None, goto: str | None = None) -> Callable[[Any], Any]:
    def node(_state: Any) -> Any:
        if asks is not None:
            interrupt(asks)
        return Command(goto=goto or (), update={"log": [name]})

    return node


def one_asks() -> StateGraph[Any]:
    return line(Log, ("plan", says("plan")), ("ask", says("ask", "ok?")), ("end", says("end")))


def parallel() -> StateGraph[Any]:
    builder = StateGraph(Log)
    for name, asks in (("one", None), ("other", "ok?"), ("end", None)):
        builder.add_node(name, says(name, asks))
    for name in ("one", "other"):
        builder.add_edge(START, name)
        builder.add_edge(name, "end")
    return builder


def goes() -> StateGraph[Any]:
    builder = StateGraph(Log)
    builder.add_node("plan", says("plan", goto="end"), destinations=("end",))
    builder.add_node("end", says("end"))
    builder.add_edge(START, "plan")
    return builder


def within() -> StateGraph[Any]:
    inner = line(Log, ("read", says("read")), ("ask", says("ask", "ok?"))).compile()
    return line(Log, ("plan", says("plan")), ("inner", inner), ("end", says("end")))


def sends() -> StateGraph[Any]:
    builder = StateGraph(Log)
    builder.add_node("plan", says("plan"))
    builder.add_node("work", says("work"))
    builder.add_node("ask", says("ask", "ok?"))
    builder.add_edge(START, "plan")
    to = [Send("work", {}), Send("ask", {}), Send("work", {})]
    builder.add_conditional_edges("plan", lambda _: to, ["work", "ask"])
    return builder


def begin(graph: Any) -> None:
    graph.invoke({"log": ["in"]}, CONFIG)


def go_on(graph: Any) -> None:
    begin(graph)
    graph.invoke(Command(resume="yes"), CONFIG)


def update(graph: Any) -> None:
    begin(graph)
    graph.update_state(CONFIG, {"log": ["new"]}, as_node="plan")
    graph.invoke(Command(resume="yes"), CONFIG)


def fork(graph: Any) -> None:
    go_on(graph)
    paused = next(s for s in graph.get_state_history(CONFIG) if s.next == ("ask",))
    graph.invoke(Command(resume="no"), paused.config)


BEGUN = "-1 input, 0 __start__"
SHOWN: list[tuple[Callable[[], StateGraph[Any]], Callable[[Any], None], str]] = [
    (one_asks, begin, "1 plan, 2 ask, 2 interrupt ask"),
    (one_asks, go_on, "1 plan, 2 ask, 2 interrupt ask, 3 end"),
    (parallel, begin, "1 one, 1 other, 1 interrupt other"),
    (parallel, go_on, "1 one, 1 other, 1 interrupt other, 2 end"),
    (goes, begin, "1 plan, 2 end"),
    (within, begin, "1 plan, 2 inner, 2 interrupt inner"),
    (within, go_on, "1 plan, 2 inner, 2 interrupt inner, 3 end"),
    (sends, begin, "1 plan, 2 work, 2 ask, 2 interrupt ask"),
    (sends, go_on, "1 plan, 2 work, 2 ask, 2 interrupt ask"),
    (one_asks, update, "1 plan, 2 ask, 2 interrupt ask, 2 update, 3 ask, 4 end"),
    (one_asks, fork, "1 plan, 2 ask, 2 interrupt ask, 3 end, 2 ask, 3 end"),
]


def told(lines: list[str]) -> str:
    """The lines of a timeline, each with its step."""
    found: list[str] = []
    step = ""
    for each in lines[1:]:
        kind, *rest = each.split()
        if kind == "step":
            step = rest[0]
        elif rest:
            found.append(" ".join([step, *([] if kind == "node" else [kind]), *rest]))
    return ", ".join(found)


@pytest.mark.parametrize(
    ("make", "drive", "expected"), SHOWN, ids=lambda value: getattr(value, "__name__", "")
)
def test_what_a_graph_did_is_shown_at_its_step(
    tmp_path: Path, make: Any, drive: Any, expected: str
) -> None:
    with saver(tmp_path / "runs.db") as kept:
        drive(make().compile(kept))
    found = shown(f"sqlite:///{tmp_path}/runs.db")
    assert told(found.timeline) == f"{BEGUN}, {expected}"
    assert found.violations == []


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "runs.db"
    with saver(path) as kept:
        go_on(one_asks().compile(kept))
    return path


def edit(path: Path, sql: str, *parameters: Any) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(sql, parameters)


def run(url: object, *command: str, thread: str = THREAD) -> Result:
    of = ["--store", url if isinstance(url, str) else f"sqlite:///{url}", "--thread", thread]
    ran = CliRunner().invoke(stalwart, [*command, *of])
    assert ran.exception is None or isinstance(ran.exception, SystemExit)
    return ran


BOTH = (("trace", "show"), ("state", "check"))


def test_a_store_that_somebody_holds_is_told(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = DELETE")
        writer.execute("BEGIN EXCLUSIVE")
        ran = run(file, "trace", "show")
    assert ran.exit_code == 2
    assert ran.stderr.endswith("database is locked: try again when nobody writes to it\n")


@pytest.mark.parametrize("table", ["checkpoints", "writes"])
@pytest.mark.parametrize(
    "other",
    [
        "CREATE VIEW {0} AS SELECT * FROM kept",
        "CREATE VIRTUAL TABLE {0} USING fts5(thread_id, checkpoint_ns, checkpoint_id)",
    ],
)
def test_what_is_in_the_place_of_a_table_is_not_read(file: Path, table: str, other: str) -> None:
    edit(file, f"ALTER TABLE {table} RENAME TO kept")
    edit(file, other.format(table))
    for command in BOTH:
        ran = run(file, *command)
        assert ran.exit_code == 2
        assert ran.stderr.endswith(f"it is no store of runs: it has no table {table}\n")


def test_a_huge_value_is_not_read(file: Path) -> None:
    edit(file, "UPDATE writes SET value = zeroblob(64000001) WHERE channel = '__interrupt__'")
    ran = run(file, "trace", "show")
    assert ran.exit_code == 2
    assert ran.stderr.endswith("it holds a value of more than 64 MB, which is not read\n")


def test_a_huge_value_of_postgresql_is_not_read(postgresql: Callable[[], str]) -> None:
    import psycopg

    url = postgresql()
    with PostgresSaver.from_conn_string(url) as kept:
        kept.setup()
        go_on(one_asks().compile(kept))
    assert run(url, "trace", "show").exit_code == 0
    with psycopg.connect(url) as connection:
        connection.execute(
            "UPDATE checkpoint_writes SET blob = decode(repeat('00', 64000001), 'hex') "
            "WHERE channel = '__interrupt__'"
        )
    ran = run(url, "trace", "show")
    assert ran.exit_code == 2
    assert "checkpoint_writes holds a value of 64 MB: more than 64 MB is not read" in ran.stderr
    ran = run(url, "trace", "show", thread="desk/\udcff")
    assert ran.exit_code == 2
    assert "a text that was asked for is none that a store can hold" in ran.stderr


@pytest.mark.parametrize(
    "value",
    [
        b"\x81\x91\x01\x02",  # a mapping whose key is a list
        b"\x91" * 100_000,
        b"\xc7\x03\x05\x01\x02\x03",
        b"\xa2\xff\xfe",
        b"",
        "a text",
        3,
        None,
    ],
    ids=["key", "deep", "extension", "no UTF-8", "empty", "text", "number", "null"],
)
@pytest.mark.parametrize("place", ["writes", "checkpoints"])
def test_values_that_cannot_be_read_leave_the_rest(file: Path, place: str, value: Any) -> None:
    column = "value" if place == "writes" else "checkpoint"
    edit(file, f"UPDATE {place} SET {column} = ?", value)
    ran = run(file, "trace", "show")
    assert ran.exit_code == 0
    assert "node      plan" in ran.stdout
    assert run(file, "state", "check").exit_code == 0


def test_a_text_that_is_no_utf_8_is_told(file: Path) -> None:
    edit(file, "UPDATE writes SET task_path = CAST(x'7eff' AS TEXT)")
    ran = run(file, "trace", "show")
    assert ran.exit_code == 2
    assert "Could not decode to UTF-8 column 'task_path'" in ran.stderr


@pytest.mark.parametrize("command", BOTH)
def test_a_thread_that_is_no_text_is_told(file: Path, command: tuple[str, str]) -> None:
    """What is no UTF-8 on a command line comes in as lone surrogates."""
    made = [sys.executable, "-m", "stalwart_lang", *command, "--store", f"sqlite:///{file}"]
    ran = subprocess.run(
        [*map(os.fsencode, made), b"--thread", b"desk/\xff"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert ran.returncode == 2
    assert b"a text that was asked for is none that a store can hold" in ran.stderr
    assert b"Traceback" not in ran.stderr


def test_what_is_read_is_of_one_moment(file: Path) -> None:
    with open_store(f"sqlite:///{file}") as store:
        before = list(store.checkpoints(THREAD))
        edit(file, "DELETE FROM checkpoints")
        assert list(store.checkpoints(THREAD)) == before
    assert run(file, "trace", "show").exit_code == 2


def test_what_is_read_of_postgresql_is_of_one_moment(postgresql: Callable[[], str]) -> None:
    import psycopg

    url = postgresql()
    with PostgresSaver.from_conn_string(url) as kept:
        kept.setup()
        go_on(one_asks().compile(kept))
    with open_store(url) as store:
        before = list(store.checkpoints(THREAD))
        with psycopg.connect(url) as connection:
            connection.execute("DELETE FROM checkpoints")
        assert list(store.checkpoints(THREAD)) == before
    assert run(url, "trace", "show").exit_code == 2


def test_the_threads_of_a_store_are_listed(file: Path) -> None:
    with saver(file) as kept:
        graph = one_asks().compile(kept)
        for name in ("desk/\x1b[2Ju-2\nstep 9", "desk/\u202eu-3"):
            graph.invoke({"log": []}, {"configurable": {"thread_id": name}})
    ran = CliRunner().invoke(stalwart, ["trace", "show", "--list", "--store", f"sqlite:///{file}"])
    assert ran.exit_code == 0
    assert len(ran.stdout.splitlines()) == 3
    assert not set("\x1b\u202e") & set(ran.stdout)
    assert [each.split()[-2:] for each in ran.stdout.splitlines()] == [
        ["3", "checkpoints"],
        ["5", "checkpoints"],
        ["3", "checkpoints"],
    ]
    assert THREAD in ran.stdout


def test_a_graph_beside_an_agents_runs_is_checked_as_what_it_is(file: Path) -> None:
    edit(file, "CREATE TABLE stalwart_store (one INTEGER PRIMARY KEY, id TEXT NOT NULL)")
    edit(file, "CREATE TABLE stalwart_calls (thread TEXT, call_id TEXT)")
    ran = run(file, "state", "check")
    assert ran.exit_code == 0
    assert "history" not in ran.stderr
