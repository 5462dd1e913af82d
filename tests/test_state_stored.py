"""Stored runs of ours: sound ones, and stores that somebody edited."""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from stored_graphs import shown

from stalwart_lang import Agent
from stalwart_lang.cli import stalwart
from stalwart_lang.graph import InvalidState, validate_state, validating
from stalwart_lang.runs.history_token import KEY_VARIABLE
from stalwart_lang.state import check_stored, stored_state
from stalwart_lang.tracing import JsonLinesTracer

SHOP = Path(__file__).parent.parent / "examples" / "shop"
E6 = (
    "charge order 4411 40.00, then update the crm for order 4411, "
    "then provision the account for order 4411"
)
THREAD = "desk/u-17"


def agent_file(folder: Path, storage: str | None = None) -> Path:
    shutil.copytree(SHOP, folder, dirs_exist_ok=True)
    file = folder / "agent.yaml"
    text = file.read_text("utf-8")
    if storage is not None:
        text = text.replace("sqlite:///runs.db", storage)
    file.write_text(f"{text}\ntrace: run.jsonl\n", "utf-8")
    return file


def run_e6(file: Path) -> None:
    with Agent.from_file(file, context={"card_on_file": True}) as desk:
        reply = desk.chat(E6, user="u-17")
        while reply.waiting:
            reply = desk.confirm("u-17", "approve")


@dataclass(frozen=True)
class Made:
    folder: Path

    @property
    def file(self) -> Path:
        return self.folder / "agent.yaml"

    @property
    def database(self) -> Path:
        return self.folder / "runs.db"

    @property
    def url(self) -> str:
        return f"sqlite:///{self.database}"

    @property
    def trace(self) -> str:
        return str(self.folder / "run.jsonl")


@pytest.fixture(scope="module")
def _e6(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("e6")
    run_e6(agent_file(folder))
    return folder


@pytest.fixture
def made(_e6: Path, tmp_path: Path) -> Made:
    shutil.copytree(_e6, tmp_path, dirs_exist_ok=True)
    return Made(tmp_path)


@pytest.fixture
def no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nowhere"))


# What is sound


def test_a_run_that_failed_and_was_undone_is_sound(made):
    before = hashlib.sha256(made.database.read_bytes()).hexdigest()
    found = shown(made.url, THREAD)
    assert (found.exit_code, found.violations, found.first_step) == (0, [], None)
    assert found.told == f"{THREAD}: 22 steps, 0 violations; a history of 8 entries, verified\n"
    assert hashlib.sha256(made.database.read_bytes()).hexdigest() == before
    assert validate_state(stored_state(made.url, THREAD)) == ()


def test_the_whole_state_is_put_together(made):
    state = stored_state(made.url, THREAD)
    assert [entry["step"] for entry in state["history"]] == list(range(8))
    assert [m["role"] for m in state["messages"]].count("tool") == 3
    state["history"][3]["tool"] = "another"
    assert [each.kind for each in validate_state(state)] == ["history_token_invalid"]


def test_a_pause_a_second_turn_and_a_rewind_are_sound(made):
    with Agent.from_file(made.file, context={"card_on_file": True}) as desk:
        desk.chat("show order 4411", user="u-17")
        desk.chat("charge order 4411 40.00", user="u-17")
        assert check_stored(made.url, THREAD).violations == ()
        desk.confirm("u-17", "decline")
        desk.rewind("u-17", 0)
        desk.chat("this is not read", user="u-17")
    check = check_stored(made.url, THREAD)
    assert check.violations == ()
    assert check.history is not None
    assert check.history.verdict == "verified"


def test_what_a_graph_of_ours_gives_is_a_part_and_sound(made):
    with Agent.from_file(made.file, context={"card_on_file": True}) as desk:
        graph = desk.graph()
        config: Any = {"configurable": {"thread_id": THREAD}}
        for snapshot in graph.get_state_history(config):
            assert validate_state(snapshot) == ()


def test_the_same_on_postgresql(tmp_path, postgresql):
    url = postgresql()
    run_e6(agent_file(tmp_path, url))
    found = shown(url, THREAD)
    assert (found.exit_code, found.violations) == (0, [])
    assert found.told.endswith("a history of 8 entries, verified\n")
    assert validate_state(stored_state(url, THREAD)) == ()
    with Agent.from_file(tmp_path / "agent.yaml") as desk:
        config: Any = {"configurable": {"thread_id": THREAD}}
        desk.graph().update_state(config, {"to_undo": [{"step": 12, "call_id": "c"}]})
    assert shown(url, THREAD).violations[0].startswith("step 21: stack_step_not_in_history: ")


class Long(MessagesState, total=False):
    waiting: bool
    labels: list[str]


def _say(state: Long) -> dict[str, Any]:
    count = len(state["messages"])
    if count == 200:
        interrupt("Go on?")
    # The last of them lacks its result.
    called = [{"name": "f", "args": {}, "id": "c"}] if count == 250 else []
    said = AIMessage("so " * 20, id=f"m{count}", tool_calls=called)
    return {"messages": [said], "waiting": count % 2 == 0, "labels": []}


def _long_graph(saver: BaseCheckpointSaver[Any]) -> None:
    """Run a graph for more steps than are read together, its state larger than is read at once."""
    builder = StateGraph(Long)
    builder.add_node("say", _say)
    builder.add_edge(START, "say")
    builder.add_conditional_edges(
        "say", lambda state: END if len(state["messages"]) == 300 else "say", ["say", END]
    )
    graph = builder.compile(saver)
    config: Any = {"configurable": {"thread_id": THREAD}, "recursion_limit": 400}
    first: Any = {"messages": [HumanMessage("hi", id="m0")]}
    graph.invoke(first, config, durability="sync")
    paused = graph.get_state(config).config
    graph.invoke(Command(resume="yes"), config, durability="sync")
    graph.update_state(paused, {"messages": [HumanMessage("no", id="else")]})


def test_a_long_run_of_a_graph_is_the_same_from_either_store(tmp_path, postgresql):
    file, server = tmp_path / "runs.db", postgresql()
    with closing(sqlite3.connect(file, check_same_thread=False)) as connection:
        _long_graph(SqliteSaver(connection))
    with PostgresSaver.from_conn_string(server) as saver:
        saver.setup()
        _long_graph(saver)
    urls = (f"sqlite:///{file}", server)
    one, other = (shown(url, THREAD) for url in urls)
    assert [line.split(": ")[1] for line in one.violations] == ["call_without_result"]
    assert one.violations == other.violations
    assert one.told == other.told
    assert one.timeline == other.timeline
    assert stored_state(urls[0], THREAD) == stored_state(urls[1], THREAD)


# Steps that break a run of ours, through its graph


@pytest.mark.parametrize(
    ("update", "kind"),
    [
        ({"messages": [{"id": "x", "role": "tool", "tool_call_id": "x"}]}, "result_without_call"),
        ({"messages": [{"id": "m1", "role": "user", "content": "hi"}]}, "duplicate_message_id"),
        ({"to_undo": [{"step": 8, "call_id": "x"}]}, "stack_step_not_in_history"),
        ({"history_length": 3}, "history_broken"),
        ({"history_token": None}, "history_broken"),
        ({"history_token": "0:0"}, "history_token_invalid"),
        ({"entries": [{"step": 9}]}, "history_broken"),
        ({"labels": ["find_parcel"]}, "label_on_removed_message"),
    ],
)
def test_an_update_that_breaks_it(made, update, kind):
    config: Any = {"configurable": {"thread_id": THREAD}}
    with Agent.from_file(made.file, context={"card_on_file": True}) as desk:
        desk.graph().update_state(config, update)
    found = shown(made.url, THREAD)
    assert found.violations[0].startswith(f"step 21: {kind}: ")
    assert found.first_step == "step 21  <<< FIRST VIOLATION"


def test_a_turn_put_in_while_it_waits(made):
    config: Any = {"configurable": {"thread_id": THREAD}}
    with Agent.from_file(made.file, context={"card_on_file": True}) as desk:
        desk.chat("charge order 4411 40.00", user="u-17")
        graph = desk.graph()
        turn = {**graph.get_state(config).values, "phase": "read"}
        turn["turn"] = {**turn["turn"], "id": "another", "text": "show order 4411"}
        with pytest.raises(InvalidState) as raised:
            validating(graph).invoke(turn, config)
        assert (raised.value.node, raised.value.step) == ("input", 25)
        graph.invoke(turn, config)
    found = shown(made.url, THREAD)
    assert found.violations[0].startswith("step 25: message_after_interrupt: ")
    assert found.first_step == "step 25  <<< FIRST VIOLATION"


def test_the_wrapper_runs_a_graph_of_ours(made):
    config: Any = {"configurable": {"thread_id": THREAD}}
    with Agent.from_file(made.file, context={"card_on_file": True}) as desk:
        desk.chat("charge order 4411 40.00", user="u-17")
        graph = validating(desk.graph())
        graph.invoke(Command(resume="approve"), config, durability="sync")
        assert graph.get_state(config).values["phase"] == "done"
        with pytest.raises(InvalidState, match="stack_step_not_in_history"):
            graph.update_state(config, {"to_undo": [{"step": 99}]})


# Stores that were edited

Change = Callable[[list[Any]], list[Any]]


def edit(made: Made, change: Change, *, states: bool = True, writes: bool = True) -> None:
    """Change the lists of entries that a store holds: in its checkpoints, in its writes."""
    with sqlite3.connect(made.database) as database:
        if states:
            rows = database.execute("SELECT rowid, checkpoint FROM checkpoints").fetchall()
            for row, blob in rows:
                state = msgspec.msgpack.decode(blob)
                held = state["channel_values"].get("entries")
                if held:
                    state["channel_values"]["entries"] = change(held)
                    changed = msgspec.msgpack.encode(state)
                    database.execute(
                        "UPDATE checkpoints SET checkpoint = ? WHERE rowid = ?", (changed, row)
                    )
        if writes:
            sql = "SELECT rowid, value FROM writes WHERE channel = 'entries'"
            for row, blob in database.execute(sql).fetchall():
                changed = msgspec.msgpack.encode(change(msgspec.msgpack.decode(blob)))
                database.execute("UPDATE writes SET value = ? WHERE rowid = ?", (changed, row))
    database.close()


def edited(at: int, **more: Any) -> Change:
    return lambda entries: [
        {**entry, **more} if entry["step"] == at else entry for entry in entries
    ]


def step_of_entry(made: Made, step: int) -> int:
    """The step of the run that added a step of the history."""
    with sqlite3.connect(made.database) as database:
        rows = database.execute("SELECT metadata, checkpoint FROM checkpoints ORDER BY rowid")
        for metadata, blob in rows:
            held = msgspec.msgpack.decode(blob)["channel_values"].get("entries") or []
            if any(entry["step"] == step for entry in held):
                return int(json.loads(metadata)["step"])
    raise AssertionError(step)


@pytest.mark.parametrize("step", [0, 3, 7])
@pytest.mark.parametrize("where", [{}, {"writes": False}, {"states": False}])
def test_an_entry_edited(made, step, where):
    at = step_of_entry(made, step)
    edit(made, edited(step, tool="another"), **where)
    found = shown(made.url, THREAD)
    assert found.exit_code == 1
    assert found.violations[0].startswith(f"step {at}: history_token_invalid: history[{step}]: ")
    assert found.first_step == f"step {at}  <<< FIRST VIOLATION"


def test_an_entry_dropped(made):
    at = step_of_entry(made, 3)
    edit(made, lambda entries: [each for each in entries if each["step"] != 3])
    found = shown(made.url, THREAD)
    kinds = {line.split(": ")[1] for line in found.violations}
    # That the call was to be undone, and undone, is its consequence.
    assert kinds == {"history_broken", "history_token_invalid", "stack_step_not_in_history"}
    assert found.violations[0].startswith(f"step {at}: ")


def test_two_entries_that_changed_places(made):
    held: dict[int, Any] = {}
    edit(made, lambda entries: [held.setdefault(each["step"], each) for each in entries])
    at = step_of_entry(made, 2)
    swapped = {2: {**held[4], "step": 2}, 4: {**held[2], "step": 4}}
    edit(made, lambda entries: [swapped.get(each["step"], each) for each in entries])
    found = shown(made.url, THREAD)
    assert found.violations[0].startswith(f"step {at}: history_token_invalid: ")
    assert found.first_step == f"step {at}  <<< FIRST VIOLATION"


def rows_from(made: Made, step: int) -> list[str]:
    with sqlite3.connect(made.database) as database:
        rows = database.execute("SELECT checkpoint_id, metadata FROM checkpoints ORDER BY 1")
        return [row for row, metadata in rows if json.loads(metadata)["step"] >= step]


def delete(made: Made, checkpoints: list[str], *, calls_from: int | None = None) -> None:
    marks = ", ".join("?" * len(checkpoints))
    with sqlite3.connect(made.database) as database:
        for table in ("checkpoints", "writes"):
            database.execute(f"DELETE FROM {table} WHERE checkpoint_id IN ({marks})", checkpoints)
        if calls_from is not None:
            database.execute("DELETE FROM stalwart_calls WHERE step >= ?", (calls_from,))
            database.execute("UPDATE stalwart_calls SET status = 'done'")
    database.close()


def test_a_step_taken_out_of_the_middle(made):
    delete(made, rows_from(made, 5)[:1])
    found = shown(made.url, THREAD)
    assert found.violations[0].startswith("step 6: history_broken: checkpoint ")
    assert found.first_step == "step 6  <<< FIRST VIOLATION"


def test_an_end_cut_off_is_told_by_the_record_of_calls(made):
    delete(made, rows_from(made, 8))
    (line,) = shown(made.url, THREAD).violations
    assert line.startswith("step 7: history_token_invalid: history[2]: the call ")


def test_an_end_cut_off_with_its_record_is_told_by_an_anchor_alone(made):
    delete(made, rows_from(made, 8), calls_from=2)
    found = shown(made.url, THREAD)
    assert (found.exit_code, found.violations) == (0, [])
    (line,) = shown(made.url, THREAD, ["--anchor", made.trace]).violations
    assert line.startswith("step 7: history_token_invalid: history[2]: the token ")


def test_an_anchor_of_the_whole_history_finds_nothing(made):
    assert shown(made.url, THREAD, ["--anchor", made.trace]).exit_code == 0


def test_without_its_key_nothing_is_verified(made, no_key):
    edit(made, edited(3, note="of no timeline"))
    found = shown(made.url, THREAD)
    assert found.exit_code == 0
    assert ", not verified (the key " in found.told
    assert " verified (" not in found.told.replace("not verified", "")
    # What needs no key is seen all the same.
    edit(made, edited(3, step=4))
    assert "history_broken" in shown(made.url, THREAD).violations[0]


def test_a_history_made_anew_with_another_key_is_not_verified(made, tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "k" * 40)
    other = tmp_path / "other"
    run_e6(agent_file(other))
    monkeypatch.delenv(KEY_VARIABLE)
    found = shown(Made(other).url, THREAD)
    assert (found.exit_code, found.violations) == (0, [])
    assert ", not verified (the key " in found.told


def test_keys_that_others_can_read_are_told(made, tmp_path, monkeypatch):
    folder = tmp_path / "config" / "stalwart-lang"
    folder.mkdir(parents=True)
    (folder / "history.keys").write_text("0" * 64 + "\n")
    (folder / "history.keys").chmod(0o644)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    found = shown(made.url, THREAD)
    assert found.told.startswith("The history is not verified: ")


# The page, and bad usage


@pytest.mark.parametrize(
    ("language", "first", "consequence"),
    [("en", "FIRST VIOLATION", "consequence"), ("pt-BR", "PRIMEIRA VIOLAÇÃO", "consequência")],
)
def test_the_page_marks_it_too(made, language, first, consequence):
    edit(made, lambda entries: [each for each in entries if each["step"] != 3])
    out = made.folder / "run.html"
    of = ["--thread", THREAD, "--store", made.url, "--language", language, "-o", str(out)]
    assert CliRunner().invoke(stalwart, ["trace", "html", *of]).exit_code == 0
    page = out.read_text("utf-8")
    assert page.count(f"&lt;&lt;&lt; {first}") == 1
    assert f"{consequence}: history_token_invalid" in page


def test_as_json(made):
    edit(made, edited(3, tool="another"))
    of = ["state", "check", "--json", "--thread", THREAD, "--store", made.url]
    ran = CliRunner().invoke(stalwart, of)
    found = json.loads(ran.stdout)
    assert ran.exit_code == 1
    assert found["history"]["verdict"] == "broken"
    assert found["violations"][0]["kind"] == "history_token_invalid"
    assert found["violations"][0]["id"] == "3"


def bad_usages(made: Made) -> Iterator[tuple[list[str], str]]:
    of = ["--thread", THREAD, "--store"]
    yield ["--store", made.url], "Missing option '--thread'"
    yield [*of, f"sqlite:///{made.folder}/none.db"], "there is no such file"
    yield [*of, "mysql://x"], "write sqlite:///runs.db"
    yield ["--thread", "desk/u-18", "--store", made.url], "it holds desk/u-17"
    yield [*of, made.url, "--anchor", "none.jsonl"], "none.jsonl: No such file"


def test_bad_usage_is_told(made):
    for arguments, message in bad_usages(made):
        ran = CliRunner().invoke(stalwart, ["state", "check", *arguments])
        assert ran.exit_code == 2, ran.output
        assert message in ran.stderr


def test_control_characters_do_not_reach_the_terminal(made):
    edit(made, edited(3, step="\x1b[2J"))
    ran = CliRunner().invoke(stalwart, ["state", "check", "--thread", THREAD, "--store", made.url])
    assert "\x1b" not in ran.output


def test_spans_of_a_graph_of_ours_go_to_the_tracer_it_is_given(made, tmp_path):
    file = tmp_path / "direct.jsonl"
    config: Any = {"configurable": {"thread_id": THREAD}}
    with (
        Agent.from_file(made.file, context={"card_on_file": True}) as desk,
        JsonLinesTracer(file) as tracer,
    ):
        desk.chat("charge order 4411 40.00", user="u-17")
        from langgraph.types import Command

        desk.graph(tracer=tracer).invoke(Command(resume="approve"), config)
    shown_trace = CliRunner().invoke(stalwart, ["trace", "show", str(file)]).output
    assert "call      charge_card" in shown_trace
