"""Measure what a kept step costs: `python benchmarks/runs.py [postgresql://…]`.

README.md says what and why. Exits with 0 whatever the numbers: it is for reading, on a machine that
may be busy.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langgraph.graph import END, START, StateGraph
from ratios import ratio
from rows import Row

from stalwart_lang import Agent
from stalwart_lang.runs.state import State
from stalwart_lang.runs.storage import open_storage

TURN, USER, THREAD = "show order 4411", "u-17", "desk/u-17"
MARKS = (20, 1_000, 10_000)
TURNS = 30
"""Turns that one measurement of a step takes."""
WARM = 100


def get_order(order_id: int) -> dict[str, object]:
    return {"order": order_id, "status": "open"}


@contextmanager
def agent(url: str) -> Iterator[Agent]:
    with Agent(
        "desk", tools=[get_order], only=["get_order"], vocabulary="shop", storage=url
    ) as opened:
        yield opened


def size(url: str) -> int:
    """The bytes that a store takes on its disk."""
    if url.startswith("sqlite"):
        file = url.removeprefix("sqlite:///")
        return sum(
            Path(part).stat().st_size for part in (file, f"{file}-wal") if Path(part).exists()
        )
    import psycopg

    with psycopg.connect(url) as server:
        row = server.execute("SELECT pg_database_size(current_database())").fetchone()
        assert row is not None
        return int(row[0])


def analyze(*urls: str) -> None:
    """Let PostgreSQL know its tables, as it does by itself within a minute.

    Until then the query by which the engine reads a checkpoint takes longer by the turn.
    """
    for url in urls:
        if not url.startswith("sqlite"):
            import psycopg

            with psycopg.connect(url, autocommit=True) as server:
                server.execute("ANALYZE")


def steps_of_a_turn(opened: Agent) -> list[dict[str, Any]]:
    """What each step of a turn writes."""
    config: Any = {"configurable": {"thread_id": "desk/shape"}}
    opened.chat(TURN, user="shape")
    before = opened.graph().get_state(config).values
    given = {"turn": before["turn"], "phase": "read"}
    return [update["run"] for update in opened.graph().stream(given, config, stream_mode="updates")]


def bare_turn(url: str, updates: list[dict[str, Any]]) -> tuple[Callable[[], object], Any]:
    """The same steps by LangGraph alone: a node that writes the same to as many channels."""
    storage = open_storage(url)

    def run(state: State) -> dict[str, Any]:
        return updates[state["rounds"]] | {"rounds": state["rounds"] + 1}

    def onwards(state: State) -> str:
        return END if state["rounds"] == len(updates) else "run"

    graph = StateGraph(State)
    graph.add_node("run", run)
    graph.add_edge(START, "run")
    graph.add_conditional_edges("run", onwards, ["run", END])
    compiled = graph.compile(checkpointer=storage.saver)
    config: Any = {"configurable": {"thread_id": "bare"}}
    first: Any = {"turn": {}, "phase": "read", "rounds": 0}
    return lambda: compiled.invoke(first, config, durability="sync"), storage


def rows_of(name: str, url: Callable[[], str]) -> Iterator[Row]:
    with agent(url()) as opened:
        updates = steps_of_a_turn(opened)
        # The input is a step, and so is what follows from it.
        steps = len(updates) + 2
        store, bare_store = url(), url()
        turn, storage = bare_turn(bare_store, updates)
        with closing(storage), agent(store) as ours:
            # A file that still grows costs more to write than one that is written over: SQLite's
            # log grows for the first turns.
            for _ in range(WARM):
                ours.chat(TURN, user=USER)
                turn()
            analyze(store, bare_store)
            value, mine, theirs = ratio(lambda: ours.chat(TURN, user=USER), turn)
            note = f"{mine / steps * 1e3:.2f} ms against {theirs / steps * 1e3:.2f} ms"
            yield Row(f"{name}: our step / LangGraph's", value, "×", note, at_most=1.3)
    store = url()
    with agent(store) as opened:
        costs: dict[int, tuple[float, float]] = {}
        done = 0
        for mark in MARKS:
            while done < mark - steps:
                opened.chat(TURN, user=USER)
                done += steps
            before, began = size(store), time.perf_counter()
            for _ in range(TURNS):
                opened.chat(TURN, user=USER)
            took, grown = time.perf_counter() - began, size(store) - before
            done += TURNS * steps
            costs[mark] = (took / TURNS / steps * 1e3, grown / TURNS / steps / 1e3)
    for mark, (milliseconds, kilobytes) in costs.items():
        note = f"{kilobytes:.2f} kB a step"
        yield Row(f"{name}: a step after {mark:,}", milliseconds, "ms", note)
    first, last = costs[MARKS[1]], costs[MARKS[-1]]
    yield Row(f"{name}: time of a step, 10,000 / 1,000", last[0] / first[0], "×", at_most=1.3)
    yield Row(f"{name}: bytes of a step, 10,000 / 1,000", last[1] / first[1], "×", at_most=1.3)
    yield from shown(name, store)


_MEASURE = """
import resource, subprocess, sys, time
began = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""Runs a command, and prints its seconds and kilobytes.

It is a small process: at its start a command counts as its own the memory of who starts it.
"""


def shown(name: str, store: str) -> Iterator[Row]:
    """How long the timeline of the thread takes, in a process of its own, and what memory."""
    command = [sys.executable, "-m", "stalwart_lang", "trace", "show"]
    measured = subprocess.run(
        [sys.executable, "-c", _MEASURE, *command, "--thread", THREAD, "--store", store],
        capture_output=True,
        text=True,
        check=True,
    )
    took, used = map(float, measured.stdout.split())
    yield Row(f"{name}: trace show of 10,000 steps", took, "s", at_most=1.0)
    yield Row(f"{name}: its memory", used / 1e3, "MB", at_most=100)


def databases(server: str) -> Callable[[], str]:
    """Make a new database of a PostgreSQL server each time."""
    import psycopg

    def make() -> str:
        name = f"benchmark_{time.time_ns()}"
        with psycopg.connect(f"{server.rstrip('/')}/postgres", autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name}")
        return f"{server.rstrip('/')}/{name}"

    return make


def main() -> None:
    with TemporaryDirectory() as folder:
        numbers = iter(range(100))
        for row in rows_of("SQLite", lambda: f"sqlite:///{folder}/{next(numbers)}.db"):
            print(row, flush=True)
    for server in sys.argv[1:]:
        for row in rows_of("PostgreSQL", databases(server)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
