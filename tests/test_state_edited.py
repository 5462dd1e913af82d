"""A stored run of ours that somebody edited: what it shows is compared with its history."""

import hashlib
import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from stored_edits import EDITS, edit_file

from stalwart_lang import Agent
from stalwart_lang.cli import stalwart
from stalwart_lang.state import check_stored
from stalwart_lang.timeline.stored import BadStore

SHOP = Path(__file__).parent.parent / "examples" / "shop"
E6 = (
    "charge order 4411 40.00, then update the crm for order 4411, "
    "then provision the account for order 4411"
)
THREAD = "desk/u-17"


@pytest.fixture(scope="module")
def _e6(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("e6")
    shutil.copytree(SHOP, folder, dirs_exist_ok=True)
    with Agent.from_file(folder / "agent.yaml", context={"card_on_file": True}) as desk:
        reply = desk.chat(E6, user="u-17")
        while reply.waiting:
            reply = desk.confirm("u-17", "approve")
    return folder / "runs.db"


@pytest.fixture
def file(_e6: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(_e6, tmp_path / "runs.db"))


def run(file: Path, *command: str, thread: str = THREAD) -> Result:
    """Run a command on a store, which it leaves as it is, and which never makes it fail."""
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    of = ["--store", f"sqlite:///{file}", "--thread", thread]
    ran = CliRunner().invoke(stalwart, [*command, *of])
    assert ran.exception is None or isinstance(ran.exception, SystemExit)
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before
    return ran


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_told(file: Path, edit: str) -> None:
    change, said = EDITS[edit]
    edit_file(file, change)
    with closing(sqlite3.connect(file)) as database:
        thread = database.execute("SELECT MAX(thread_id) FROM checkpoints").fetchone()[0]
    checked = run(file, "state", "check", thread=thread)
    assert checked.exit_code == 1
    before, _, after = said.partition("{}")
    assert any(before in line and after in line for line in checked.stdout.splitlines()), (
        checked.stdout
    )
    assert ", verified" not in checked.stderr
    assert ", broken (" in checked.stderr
    shown = run(file, "trace", "show", thread=thread)
    assert shown.exit_code == 0
    assert shown.stdout.count("<<< FIRST VIOLATION") == 1
    out = file.with_suffix(".html")
    assert run(file, "trace", "html", "-o", str(out), thread=thread).exit_code == 0
    assert "&lt;&lt;&lt; FIRST VIOLATION" in out.read_text("utf-8")


def test_what_is_shown_otherwise_is_told_without_a_key_too(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nowhere"))
    edit_file(file, EDITS["another tool is shown to have been called"][0])
    checked = run(file, "state", "check")
    assert checked.exit_code == 1
    assert ", broken (" in checked.stderr


def test_the_verdict_is_the_worst_that_was_found(file: Path) -> None:
    assert check_stored(f"sqlite:///{file}", THREAD).violations == ()
    edit_file(file, EDITS["another amount is on record"][0])
    checked = json.loads(run(file, "state", "check", "--json").stdout)
    assert checked["history"]["verdict"] == "broken"
    assert checked["history"]["message"] == checked["violations"][0]["message"]
    found = check_stored(f"sqlite:///{file}", THREAD)
    assert found.history is not None
    assert found.history.verdict == "broken"
    assert all(set(each.say) == {"en", "pt-BR"} for each in found.violations)


def test_the_same_edits_on_postgresql(tmp_path: Path, postgresql: Any) -> None:
    import psycopg

    url = postgresql()
    shutil.copytree(SHOP, tmp_path, dirs_exist_ok=True)
    agent = tmp_path / "agent.yaml"
    agent.write_text(agent.read_text("utf-8").replace("sqlite:///runs.db", url), "utf-8")
    with Agent.from_file(agent, context={"card_on_file": True}) as desk:
        reply = desk.chat(E6, user="u-17")
        while reply.waiting:
            reply = desk.confirm("u-17", "approve")
    assert check_stored(url, THREAD).violations == ()
    with psycopg.connect(url, autocommit=True) as connection:
        rows = connection.execute(
            "SELECT checkpoint_id, blob FROM checkpoint_writes WHERE channel = 'act'"
        )
        for identity, blob in rows.fetchall():
            act = msgspec.msgpack.decode(blob)
            if act["kind"] == "call" and act["tool"] == "charge_card":
                connection.execute(
                    "UPDATE checkpoint_writes SET blob = %s "
                    "WHERE channel = 'act' AND checkpoint_id = %s",
                    (msgspec.msgpack.encode({**act, "tool": "show_order"}), identity),
                )
        said = [str(each) for each in check_stored(url, THREAD).violations]
        assert [each.partition(": history_broken: ")[2] for each in said] == [
            "act: the step wrote another value than the one that is kept",
            "history[1]: the timeline shows something else than the history has: tool",
        ]
        connection.execute(
            "UPDATE checkpoints SET parent_checkpoint_id = checkpoint_id WHERE thread_id = %s",
            (THREAD,),
        )
        assert "which does not come before it" in str(check_stored(url, THREAD).violations[0])
        connection.execute("DROP TABLE stalwart_calls")
        (told,) = [
            each.message for each in check_stored(url, THREAD).violations if each.where == "history"
        ]
        assert told.endswith("lacks what an agent keeps beside it: stalwart_calls")


WRONG = [
    ("step", b"\x00\x01", "no number"),
    ("step", "seven", "no number"),
    ("step", 1.5, "no number"),
    ("undoes", "seven", "no number"),
    ("call_id", b"\xff", "no text"),
    ("tool", b"\xff", "no text"),
    ("status", b"done", "no text"),
    ("error", b"\xff", "no text"),
    ("arguments", "[]", "no JSON object"),
    ("arguments", "{", "no JSON object"),
    ("arguments", b"\xff", "no JSON object"),
    ("arguments", 7, "no JSON object"),
    ("result", "{", "no JSON"),
    ("result", b"\xff", "no JSON"),
]


@pytest.mark.parametrize(("column", "value", "why"), WRONG)
def test_a_record_of_calls_of_wrong_types(file: Path, column: str, value: Any, why: str) -> None:
    def edit(database: sqlite3.Connection) -> None:
        database.execute(f"UPDATE stalwart_calls SET {column} = ? WHERE step = 1", (value,))

    edit_file(file, edit)
    for command in (("state", "check"), ("trace", "show")):
        ran = run(file, *command)
        assert ran.exit_code == 2
        assert f"the record of calls is damaged: {column} of the call " in ran.stderr
        assert ran.stderr.endswith(f" is {why}\n")


def test_a_record_of_calls_with_nothing_in_it(file: Path) -> None:
    """A table that somebody made anew may hold NULL where an agent's holds none."""

    def edit(database: sqlite3.Connection) -> None:
        database.execute("CREATE TABLE other AS SELECT * FROM stalwart_calls")
        database.execute("DROP TABLE stalwart_calls")
        database.execute("ALTER TABLE other RENAME TO stalwart_calls")
        database.execute("UPDATE stalwart_calls SET step = NULL")

    edit_file(file, edit)
    assert "step of the call " in run(file, "state", "check").stderr


def test_a_store_without_its_id(file: Path) -> None:
    edit_file(file, lambda database: database.execute("DELETE FROM stalwart_store") and None)
    ran = run(file, "state", "check")
    assert ran.exit_code == 2
    assert ran.stderr.endswith("it is no agent's store: it has no id\n")


def test_branches_without_number_do_not_hold_it_up(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two lines of checkpoints, of which one or the other goes on at every step."""

    def edit(database: sqlite3.Connection) -> None:
        of = "SELECT * FROM checkpoints ORDER BY checkpoint_id DESC LIMIT 1"
        thread, space, last, _, kind, blob, metadata = database.execute(of).fetchone()
        ends = [last, last]
        for at in range(3_000):
            name = f"2{at:07}"
            row = (thread, space, name, ends[at % 2], kind, blob, metadata)
            database.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            ends[at % 2] = name

    edit_file(file, edit)
    with pytest.raises(BadStore, match="too many branches to be checked"):
        check_stored(f"sqlite:///{file}", THREAD)


@pytest.mark.parametrize("seed", range(60))
def test_bytes_that_were_changed_and_ends_that_are_missing(file: Path, seed: int) -> None:
    """Whatever is left of the file: where it is said to be verified, it shows what it did."""
    sound = run(file, "trace", "show").stdout
    rng = random.Random(seed)
    content = bytearray(file.read_bytes())
    if seed % 4:
        for _ in range(rng.choice([1, 1, 3, 20])):
            content[rng.randrange(len(content))] = rng.randrange(256)
    else:
        del content[rng.randrange(len(content)) :]
    file.write_bytes(content)
    checked, shown = run(file, "state", "check"), run(file, "trace", "show")
    run(file, "trace", "html", "-o", str(file.with_suffix(".html")))
    if checked.exit_code == 0 and ", verified" in checked.stderr:
        assert shown.stdout == sound
    else:
        assert checked.exit_code in (0, 1, 2)
        assert checked.output
