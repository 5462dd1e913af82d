"""Processes killed with SIGKILL in the middle of a run, and what the next process makes of it."""

import json
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import psycopg
import pytest
from ledger_shop import REPLIES, TIMELINE, Shop

from stalwart_lang.runs.stored_history import read_history
from stalwart_lang.timeline.stored import read_stored_run
from stalwart_lang.timeline.text import text_timeline

E6 = ["charge_card", "update_crm", "provision_account", "restore_crm", "refund_card"]
UNDONE_BY = {"restore_crm": "update_crm", "refund_card": "charge_card"}
IN_DOUBT = {
    "en": (
        "This run stopped: it is not known whether {tool} ran, because the process ended while it "
        "did. It was not run again."
    ),
    "pt-BR": (
        "Esta execução parou: não se sabe se {tool} rodou, porque o processo terminou enquanto ela "
        "rodava. Ela não rodou de novo."
    ),
}
UNDO_IN_DOUBT = {
    "en": "Not undone: {tool} (it is not known whether its undo ran).",
    "pt-BR": "Não desfeito: {tool} (não se sabe se ela foi desfeita).",
}


def calls(store: str, thread: str) -> list[tuple[str, str]]:
    """The tools and the states of the calls on record, in order."""
    sql = "SELECT tool, status FROM stalwart_calls WHERE thread = {} ORDER BY step"
    if store.startswith("sqlite"):
        connection = sqlite3.connect(store.removeprefix("sqlite:///"))
        rows = connection.execute(sql.format("?"), (thread,)).fetchall()
        connection.close()
        return rows
    with psycopg.connect(store) as server:
        return server.execute(sql.format("%s"), (thread,)).fetchall()


def check(line: dict[str, Any]) -> str | None:
    """Check what came of one kill; return the tool that was in doubt, if one was."""
    language, ledger, thread = line["language"], line["ledger"], f"desk/{line['user']}"
    text, after = line["reply"]["text"], line["after"]
    effects, shown = ledger[:-1], ledger[-1]
    assert line["killed"], line
    assert max(Counter(effects).values(), default=0) <= 1, line
    assert (shown, after["status"]) == ("get_order", "done"), line
    if line["reply"]["status"] == "asked":  # nothing of the turn was there yet
        assert effects == line["before"] == []
        assert line["user"] == "u-1-before"
        return None
    assert line["reply"]["status"] in ("stopped", "finished")
    *recorded, last = calls(line["store"], thread)
    assert last == ("get_order", "done")
    history = read_history(line["store"], thread)
    assert history.verify().verdict == "verified"
    called = [entry for entry in history.entries if entry["kind"] in ("call", "undo")]
    assert [entry["tool"] for entry in called] == [tool for tool, _ in [*recorded, last]]
    doubtful = [tool for tool, status in recorded if status == "in doubt"]
    assert not any(status == "pending" for _, status in recorded), line
    if not doubtful:
        assert effects == E6, line
        assert text.endswith(REPLIES[language]), line
        timeline = "".join(f"{line}\n" for line in text_timeline([read_stored_run(*place(line))]))
        assert timeline.startswith(TIMELINE.replace("desk/u-17", thread)), line
        return None
    [tool] = doubtful
    if tool in UNDONE_BY:
        assert UNDO_IN_DOUBT[language].format(tool=UNDONE_BY[tool]) in text, line
        assert [e for e in effects if e != tool] == [e for e in E6 if e != tool], line
    else:
        assert IN_DOUBT[language].format(tool=tool) in text, line
        done = E6[: E6.index(tool)]
        undos = [undo for undo, undone in UNDONE_BY.items() if undone in done]
        assert [e for e in effects if e != tool] == [*done, *undos], line
        assert [one["tool"] for one in line["reply"]["undone"]] == done[::-1]
    return tool


def place(line: dict[str, Any]) -> tuple[str, str]:
    return line["store"], f"desk/{line['user']}"


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_e6_killed_at_every_write_of_it(
    store: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = "sqlite:///runs.db"
    if store == "postgresql":
        url = request.getfixturevalue("postgresql")()
    command = [sys.executable, str(Path(__file__).with_name("killed_runs.py"))]
    done = subprocess.run(
        [*command, str(tmp_path), url], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) > 80
    doubts = Counter(filter(None, map(check, lines)))
    # Each tool is in doubt twice: killed before it did something, and after.
    assert doubts == dict.fromkeys(E6, 2)


KILLED_ONCE = """

def die_once():
    import signal
    mark = LEDGER.with_name("died")
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)


@tool(retry_safe={safe})
def get_order(order_id: int):
    did("get_order", order_id=order_id)
    die_once()
    return {{"order": order_id}}
"""


def killed(shop: Shop, **said: Any) -> None:
    with pytest.raises(AssertionError):
        shop.say(**said)
    assert (shop.folder / "died").exists()


def test_a_tool_that_is_safe_to_retry_runs_again(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", tools=KILLED_ONCE.format(safe=True))
    killed(shop, chat="show order 5")
    reply = shop.say(chat="show order 6")
    assert reply["status"] == "finished"
    assert reply["text"] == (
        "Nothing was done with this: a run that had been broken off was taken up first. "
        'get_order: {"order": 5}'
    )
    assert shop.ledger == ["get_order", "get_order"]
    assert calls(shop.store, "desk/u-17") == [("get_order", "done")]
    assert shop.say(chat="show order 6")["status"] == "done"


def test_one_that_is_not_is_reported_in_doubt_and_not_run_again(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", tools=KILLED_ONCE.format(safe=False), runs="best_effort")
    killed(shop, chat="show order 4, then show order 5")
    reply = shop.say(chat="show order 6")
    assert IN_DOUBT["en"].format(tool="get_order") in reply["text"]
    assert shop.ledger == ["get_order"]


@pytest.mark.parametrize(
    ("first", "second", "ran"),
    [
        ("approve", "approve", True),
        ("approve", "decline", False),
        ("decline", "approve", False),
        ("decline", "decline", False),
    ],
)
def test_killed_between_an_answer_and_what_it_lets_run(
    tmp_path: Path, first: str, second: str, ran: bool
) -> None:
    """The answer is on record and nothing came of it: a decline counts, whichever it was."""
    shop = Shop(tmp_path / "shop")
    question = shop.say(chat="cancel order 5")
    killed_after_answer(shop, first)
    assert shop.say(chat="show order 5")["waiting"] == question["waiting"]
    reply = shop.say(confirm=second)
    assert reply["status"] == ("done" if ran else "stopped")
    assert shop.ledger == (["cancel_order"] if ran else [])
    assert shop.say(confirm=second)["status"] == "nothing"
    pause = question["waiting"]["pause"]
    assert shop.say(confirm=second, pause=pause)["text"] == (
        "This was approved already." if ran else "This was declined already."
    )


def killed_after_answer(shop: Shop, answer: str) -> None:
    """Answer in a process that is killed as soon as the answer is on record."""
    program = f"""
import os, signal
from stalwart_lang import Agent
agent = Agent.from_file({str(shop.file)!r})
store = agent._storage
record = store.answer
def answer(*given):
    record(*given)
    os.kill(os.getpid(), signal.SIGKILL)
store.answer = answer
agent.confirm("u-17", {answer!r})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_a_confirmation_of_a_run_that_was_broken_off_takes_it_up(tmp_path: Path) -> None:
    tools = KILLED_ONCE.format(safe=False).replace("get_order", "cancel_order")
    shop = Shop(tmp_path / "shop", tools=tools, more="language: pt-BR")
    question = shop.say(chat="cancele o pedido 5")
    killed(shop, confirm="approve")
    reply = shop.say(confirm="approve", pause=question["waiting"]["pause"])
    assert reply["status"] == "finished"
    assert reply["text"] == (
        "A execução tinha sido interrompida, e foi retomada. "
        + IN_DOUBT["pt-BR"].format(tool="cancel_order")
    )
    assert shop.ledger == ["cancel_order"]


def test_the_turn_said_to_a_run_that_goes_on_to_a_question_is_not_taken(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", tools=KILLED_ONCE.format(safe=True))
    killed(shop, chat="show order 4, then cancel order 5")
    reply = shop.say(chat="cancel order 6")
    assert (reply["status"], reply["waiting"]["arguments"]) == ("waiting", {"order_id": 5})
    assert reply["text"].startswith("Nothing was done with this: a run that had been broken off")
