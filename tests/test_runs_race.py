"""Many at one conversation at once: processes, threads, agents, and a process that is forked."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from ledger_shop import TURNS, Shop

from stalwart_lang import Agent, Reply

TOLD_SO = {"busy", "answered", "newer"}


@pytest.fixture(params=["sqlite", "postgresql"])
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Shop:
    url = "sqlite:///runs.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql")()
    return Shop(tmp_path / "shop", url)


def race(shop: Shop, said: list[dict[str, Any]], opened: str = "opened") -> list[dict[str, Any]]:
    program = Path(__file__).with_name("racing_runs.py")
    done = subprocess.run(
        [sys.executable, str(program), str(shop.file), opened, json.dumps(said)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    told: list[dict[str, Any]] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("which", ["the question by its id", "the question that waits"])
def test_of_twenty_processes_that_approve_one_question_one_does(shop: Shop, which: str) -> None:
    question = shop.say(chat=TURNS["en"])
    answer = {"user": "u-17", "confirm": "approve"}
    if which == "the question by its id":
        answer["pause"] = question["waiting"]["pause"]
    told = race(shop, [answer] * 20)
    states = Counter(reply["status"] for reply in told)
    assert states["waiting"] == 1
    assert sum(states[state] for state in TOLD_SO) == 19
    [won] = [reply for reply in told if reply["status"] == "waiting"]
    assert won["waiting"]["tool"] == "update_crm"
    assert shop.ledger == ["charge_card"]
    # The next question was approved by none of them.
    with Agent.from_file(shop.file) as agent:
        waiting = agent.waiting("u-17")
    assert waiting is not None
    assert waiting.pause == won["waiting"]["pause"]


def test_of_twenty_that_approve_or_decline_one_decides(shop: Shop) -> None:
    pause = shop.say(chat="cancel order 5")["waiting"]["pause"]
    answers = [
        {"user": "u-17", "confirm": answer, "pause": pause} for answer in ("approve", "decline")
    ]
    told = race(shop, answers * 10)
    [decided] = [at for at, reply in enumerate(told) if reply["status"] in ("done", "stopped")]
    assert told[decided]["status"] == ("done", "stopped")[decided % 2]
    assert shop.ledger == (["cancel_order"] if decided % 2 == 0 else [])
    assert {reply["status"] for at, reply in enumerate(told) if at != decided} <= TOLD_SO


def test_of_twenty_processes_that_say_a_turn_one_is_heard(shop: Shop) -> None:
    told = race(shop, [{"user": "u-17", "chat": "cancel order 5"}] * 20)
    heard = [reply for reply in told if reply["plan"] and reply["text"].startswith("cancel_order")]
    assert len(heard) == 1
    assert {reply["status"] for reply in told} <= {"waiting", "busy"}
    others = [reply for reply in told if reply is not heard[0]]
    assert all(reply["text"].startswith("Nothing was done with this") for reply in others)
    assert shop.say(confirm="approve")["status"] == "done"
    assert shop.ledger == ["cancel_order"]


def test_turns_and_answers_at_once(shop: Shop) -> None:
    pause = shop.say(chat=TURNS["en"])["waiting"]["pause"]
    answer = {"user": "u-17", "confirm": "approve", "pause": pause}
    told = race(shop, [answer, {"user": "u-17", "chat": "cancel order 9"}] * 10)
    assert shop.ledger == ["charge_card"]
    approved = [reply for reply in told[::2] if reply["status"] == "waiting"]
    assert [reply["waiting"]["tool"] for reply in approved] == ["update_crm"]
    assert {reply["status"] for reply in told[1::2]} <= {"busy", "waiting"}


def test_twenty_processes_make_one_store_and_one_key_at_once(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    said = [{"user": f"u-{number}", "chat": "show order 5"} for number in range(20)]
    told = race(shop, said, "unopened")
    assert [reply["status"] for reply in told] == ["done"] * 20
    assert len((tmp_path / "config/stalwart-lang/history.keys").read_text().split()) == 1
    assert [path.name for path in (tmp_path / "config/stalwart-lang").iterdir()] == ["history.keys"]


def at_once(acts: list[Callable[[], Reply]]) -> list[Reply]:
    barrier = Barrier(len(acts))

    def act(one: Callable[[], Reply]) -> Reply:
        barrier.wait()
        return one()

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(act, acts))


@pytest.mark.parametrize("agents", [1, 2])
def test_of_twenty_threads_one_approves(shop: Shop, agents: int) -> None:
    opened = [Agent.from_file(shop.file) for _ in range(agents)]
    try:
        reply = opened[0].chat(TURNS["en"], user="u-17")
        assert reply.waiting is not None
        pause = reply.waiting.pause
        told = at_once(
            [
                lambda agent=opened[number % agents]: agent.confirm("u-17", "approve", pause=pause)
                for number in range(20)
            ]
        )
        assert Counter(reply.status for reply in told)["waiting"] == 1
        assert {reply.status for reply in told} <= {"waiting", "busy", "answered"}
        assert shop.ledger == ["charge_card"]
        waiting = opened[-1].waiting("u-17")
        assert waiting is not None
        assert waiting.tool == "update_crm"
    finally:
        for agent in opened:
            agent.close()


def test_conversations_of_one_agent_do_not_wait_for_each_other(shop: Shop) -> None:
    with Agent.from_file(shop.file) as agent:
        told = at_once(
            [lambda user=f"u-{n}": agent.chat("show order 5", user=user) for n in range(20)]
        )
    assert {reply.status for reply in told} == {"done"}
    assert shop.ledger == ["get_order"] * 20


def test_in_memory_threads_exclude_each_other_too(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop")
    text = shop.file.read_text("utf-8").replace("storage: sqlite:///runs.db\n", "")
    shop.file.write_text(text, "utf-8")
    with Agent.from_file(shop.file) as agent:
        reply = agent.chat("cancel order 5", user="u-17")
        assert reply.waiting is not None
        pause = reply.waiting.pause
        told = at_once([lambda: agent.confirm("u-17", "approve", pause=pause)] * 20)
    assert Counter(reply.status for reply in told)["done"] == 1
    assert shop.ledger == ["cancel_order"]


FORKED = """
import os, sys
from stalwart_lang import Agent
file = sys.argv[1]
agent = Agent.from_file(file)
agent.chat("cancel order 5", user="ana")
with agent._storage.locked("desk/u-17"):       # a thread of the parent is at this conversation
    if os.fork() == 0:
        try:
            agent.chat("show order 5", user="u-17")
        except RuntimeError as error:
            print(error, flush=True)
        with Agent.from_file(file) as own:
            print(own.chat("show order 5", user="u-17").status, flush=True)
            print(own.confirm("ana", "approve").status, flush=True)
        os._exit(0)
    os.wait()
with Agent.from_file(file) as another:
    print(another.chat("show order 5", user="u-17").status)
agent.close()
"""


def test_a_forked_process_needs_an_agent_of_its_own(shop: Shop) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED, str(shop.file)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    error, busy, approved, free = done.stdout.splitlines()
    assert error == (
        "this agent was opened before the process was forked, and an open store cannot be shared "
        "so: open the agent in each process"
    )
    assert (busy, approved, free) == ("busy", "done", "done")
    assert shop.ledger == ["cancel_order", "get_order"]


def test_two_names_of_one_file_are_one_store(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop")
    other = Shop(tmp_path / "other", "sqlite:///also.db")
    with Agent.from_file(shop.file) as agent:
        (other.folder / "also.db").symlink_to(shop.folder / "runs.db")
        with agent._storage.locked("desk/u-17"), Agent.from_file(other.file) as also:
            assert also.chat("show order 5", user="u-17").status == "busy"
            assert also.chat("show order 5", user="ana").status == "done"


def test_a_store_that_is_removed_and_made_again_is_locked_again(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop")
    for _ in range(2):
        with Agent.from_file(shop.file) as agent, agent._storage.locked("desk/u-17"):
            assert shop.say(chat="show order 5")["status"] == "busy"
        for path in shop.folder.glob("runs.db*"):
            path.unlink()
