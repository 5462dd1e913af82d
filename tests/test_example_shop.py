"""The example shop: what its pages show is what happens, wherever the folder stands."""

import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "shop"
PAGES = ("README.md", "README.pt-BR.md")
FAILED = (
    "This run stopped: provision_account failed (RuntimeError). Undone, latest first: "
    "update_crm (by restore_crm), charge_card (by refund_card).\n"
)
CHAPTER = """
from stalwart_lang import Agent
desk = Agent.from_file("agent.yaml", context={"card_on_file": True})
reply = desk.chat("charge order 4411 40.00, then update the crm for order 4411, "
                  "then provision the account for order 4411", user="u-17")
while reply.waiting:
    reply = desk.confirm("u-17", "approve")
print(reply.text)
desk.close()
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A copy of the example, as git has it, and `stalwart` on the path."""
    folder = tmp_path / "a shop"
    ignored = shutil.ignore_patterns("__pycache__", "runs.db*", "shop.db*", "run.html")
    shutil.copytree(EXAMPLE, folder, ignore=ignored)
    command = tmp_path / "bin" / "stalwart"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stalwart_lang "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return folder


def run(shop: Path, *command: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command[0] if options.get("shell") else command,
        cwd=shop,
        capture_output=True,
        encoding="utf-8",
        env={
            "PATH": f"{shop.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(shop.parent),
            "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],
            "PYTHONIOENCODING": "utf-8",
        },
        **options,
    )


def chat(shop: Path, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    done = run(shop, "stalwart", "chat", "agent.yaml", *arguments, input=said)
    assert done.stderr == ""
    return done


def page(name: str) -> str:
    return (EXAMPLE / name).read_text("utf-8")


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a page, each with what it is shown to print."""
    for block in blocks(text, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


LOGGED = "provision_account failed: RuntimeError (the traceback is logged at INFO)\n"
"""What Python shows of the log by itself, on standard error."""


def any_pause(text: str) -> str:
    return re.sub(r"--pause [0-9a-f]+", "--pause ID", text)


def state(shop: Path, order: int) -> dict[str, Any]:
    with closing(sqlite3.connect(shop / "shop.db")) as db:
        db.row_factory = sqlite3.Row
        row = dict(db.execute("SELECT * FROM orders WHERE id = ?", (order,)).fetchone())
    return {name: value for name, value in row.items() if value is not None}


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_print_what_the_page_shows(shop, name):
    walk = list(commands(page(name)))
    assert len(walk) >= 7
    for command, output in walk:
        done = run(shop, command, shell=True)
        assert (any_pause(done.stdout), done.stderr) == (any_pause(output), ""), command
    assert (shop / "run.html").read_text("utf-8").lower().startswith("<!doctype html>")


@pytest.mark.parametrize("name", PAGES)
def test_the_program_prints_what_the_page_shows(shop, name):
    if "pt-BR" in name:
        portuguese(shop)
    (program,), (output,) = blocks(page(name), "python"), blocks(page(name), "text")
    done = run(shop, sys.executable, "-c", program)
    assert (done.stdout, done.stderr) == (output, LOGGED)


def stored_page(shop: Path, language: str) -> str:
    """What a reader of the page sees first: the outcome and the sentence."""
    made = run(
        shop,
        *("stalwart", "trace", "html", "--thread", "desk/u-17", "--store", "sqlite:///runs.db"),
        *("-o", "run.html", "--language", language),
    )
    assert (made.returncode, made.stderr) == (0, "")
    html = (shop / "run.html").read_text("utf-8")
    verdict, story = (
        re.sub("<[^>]*>", "", re.search(rf'class="{name}">(.*?)</(span|p)>', html)[1])
        for name in ("verdict", "story")
    )
    return f"{verdict}: {story}"


def test_the_page_from_the_store_tells_what_waits_and_what_came_of_it(shop):
    chat = ("stalwart", "chat", "agent.yaml", "--user", "u-17")
    run(
        shop,
        *chat,
        "charge order 4411 40.00, then update the crm for order 4411, then provision the account "
        "for order 4411",
    )
    said = stored_page(shop, "en")
    assert said == "Waiting: Waiting for a person to confirm charge_card."
    for _ in range(3):
        run(shop, *chat, "--approve")
    said = stored_page(shop, "en")
    assert said == (
        "Failed: provision_account failed (RuntimeError); update_crm and charge_card were undone."
    )
    said = stored_page(shop, "pt-BR")
    assert said == (
        "Falhou: provision_account falhou (RuntimeError); update_crm e charge_card foram desfeitas."
    )
    html = (shop / "run.html").read_text("utf-8")
    rows = re.findall(r'(<span class="kind k-tool">.*?)</summary>', html)
    told = [re.sub("<[^>]*>", "", row.partition('<svg class="bar"')[0]).split()[1:] for row in rows]
    assert [row[:2] for row in told] == [
        ["charge_card", "desfeita"],
        ["update_crm", "desfeita"],
        ["provision_account", "falhou"],
    ]
    why = ("stalwart", "trace", "show", "--thread", "desk/u-17", "--store", "sqlite:///runs.db")
    for step, said in (
        (13, "no file: a person answered"),
        (15, "undo      restore_crm -> allow\n    decided by default\n    at         no file: "),
    ):
        came = run(shop, *why, "--why", str(step))
        assert (came.returncode, said in came.stdout) == (0, True)
    listed = run(shop, *why[:3], *why[5:], "--list").stdout
    assert re.fullmatch(r"20[-0-9T:]{17}Z  desk/u-17 +22 checkpoints\n", listed)
    run(shop, *chat, "show order 4411")
    assert stored_page(shop, "en").startswith("Completed: ")


def stored_stats(shop: Path) -> dict[str, Any]:
    store = ("--thread", "desk/u-17", "--store", "sqlite:///runs.db")
    made = run(shop, "stalwart", "trace", "stats", *store, "--json")
    figures: dict[str, Any] = json.loads(made.stdout)
    return {"outcome": figures["outcome"], **figures["confirmations"]}


def test_the_figures_from_the_store_are_those_of_the_answers(shop):
    chat = ("stalwart", "chat", "agent.yaml", "--user", "u-17")
    run(shop, *chat, "cancel order 4411")
    asked = {"asked": 1, "approved": 0, "declined": 0}
    assert stored_stats(shop) == {"outcome": "waiting", **asked}
    run(shop, *chat, "--decline")
    assert stored_stats(shop) == {"outcome": "completed", **asked, "declined": 1}
    run(shop, *chat, "cancel order 4411")
    run(shop, *chat, "--approve")
    answered = {"asked": 2, "approved": 1, "declined": 1}
    assert stored_stats(shop) == {"outcome": "completed", **answered}


def test_the_pages_show_one_timeline():
    english, portuguese = (
        next(output for command, output in commands(page(name)) if "trace show" in command)
        for name in PAGES
    )
    assert english == portuguese
    steps = re.findall(r"^step (-?\d+)$", english, re.MULTILINE)
    assert steps == [str(step) for step in range(-1, 21)]
    assert "undo      restore_crm -> allow undoes step 3\n" in english
    assert "undo      refund_card -> allow undoes step 1\n" in english


def portuguese(shop: Path) -> None:
    with (shop / "agent.yaml").open("a") as file:
        file.write("language: pt-BR\n")


def test_the_traceback_of_a_failed_tool_is_shown_to_who_asks(shop):
    turn, answer = "cancel order 99999", ("--user", "u-9", "--approve")
    run(shop, "stalwart", "chat", "agent.yaml", turn, "--user", "u-9")
    quiet = run(shop, "stalwart", "chat", "agent.yaml", *answer)
    assert "LookupError" in quiet.stdout
    assert quiet.stderr == ""
    run(shop, "stalwart", "chat", "agent.yaml", turn, "--user", "u-9")
    shown = run(shop, "stalwart", "chat", "agent.yaml", *answer, "--verbose")
    assert shown.stdout == quiet.stdout
    assert "Traceback (most recent call last):" in shown.stderr
    assert "in cancel_order" in shown.stderr


def test_from_python_in_one_process(shop):
    done = run(shop, sys.executable, "-c", CHAPTER)
    assert (done.stdout, done.stderr) == (FAILED, LOGGED)
    told = run(shop, "stalwart trace show --thread desk/u-17 --store sqlite:///runs.db", shell=True)
    assert told.stdout == dict(commands(page("README.md")))[told.args]


def test_a_failed_run_leaves_the_order_as_it_was(shop):
    chat(shop, "show order 4411")
    before = state(shop, 4411)
    for _ in range(2):  # and can be asked for again
        done = run(shop, sys.executable, "-c", CHAPTER)
        assert done.stdout == FAILED
        assert state(shop, 4411) == before


def test_the_file_gives_the_fact_and_without_it_nothing_is_charged(shop):
    text = (shop / "agent.yaml").read_text()
    kept = [line for line in text.splitlines() if not line.startswith("facts:")]
    (shop / "agent.yaml").write_text("\n".join(kept))
    done = chat(shop, "charge order 4411 40.00")
    assert done.stdout == ("This run stopped: charge_card was refused. There is no card on file.\n")
    assert done.returncode == 1
    program = CHAPTER.replace("u-17", "u-2")  # the context gives it
    assert run(shop, sys.executable, "-c", program).stdout == FAILED


def turns(language: str) -> list[str]:
    """The turns between double quotes in the list at a page's end."""
    return re.findall(r'"([^"]+)"', page(PAGES[language == "pt-BR"]).rpartition("\n## ")[2])


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Not undone: charge_card (A refund over 200 needs a supervisor)."),
        ("pt-BR", "Não desfeito: charge_card (Reembolso acima de 200 precisa de um supervisor)."),
    ],
)
def test_an_undo_that_a_rule_refuses(shop, language, said):
    if language == "pt-BR":
        portuguese(shop)
    (turn,) = turns(language)
    assert chat(shop, turn).returncode == 1
    assert chat(shop, "--approve").returncode == 1
    assert said in chat(shop, "--approve").stdout
    assert state(shop, 4413)["charged"] == "1250.75"


def replies(shop: Path, *lines: str) -> list[str]:
    """What is replied to turns and answers, but for the questions; one process hears them all."""
    came = chat(shop, "--json", said="".join(f"{line}\n" for line in lines))
    told = [json.loads(line) for line in came.stdout.splitlines()]
    return [reply["text"] for reply in told if not reply["waiting"]]


def test_what_the_tools_do(shop):
    writes = {
        "charge order 4414 $15.90": "charge_card",
        "refund $5.90 to order 4414": "refund_card",
        "update the crm for order 4414": "update_crm",
        'add a note to order 4414 saying "ring twice"': "add_note",
        'add a note to order 4414: "ask for Ana"': "add_note",
        "schedule the delivery of order 4414 for 2027-03-03 at 3pm": "schedule_delivery",
        "cancel order 4414": "cancel_order",
        "close the account of customer 31": "close_account",
    }
    said = [line for turn in writes for line in (turn, "a")]
    assert replies(shop, *said) == [f"Done: {tool}." for tool in writes.values()]
    assert state(shop, 4414) == {
        "id": 4414,
        "customer": 31,
        "item": "Milk jug",
        "total": "15.90",
        "status": "cancelled",
        "charged": "10.00",
        "currency": "USD",
        "crm": "ordered",
        "delivery": "2027-03-03 15:00",
        "notes": "ring twice\nask for Ana",
    }
    more = ("list open orders", "send the statement for October 2026 to ana@example.com")
    assert replies(shop, *more, "refund order 4414", "a") == [
        'list_orders: ["4411 Coffee grinder"]',
        "Done: send_statement.",
        "Done: refund_card.",
    ]
    assert "charged" not in state(shop, 4414)
    with closing(sqlite3.connect(shop / "shop.db")) as db:
        assert db.execute("SELECT * FROM outbox").fetchall() == [("ana@example.com", "2026-10")]
        assert db.execute("SELECT * FROM closed_accounts").fetchall() == [(31,)]


def test_what_the_tools_refuse(shop):
    said = {
        "show order 1": ("get_order", "LookupError"),
        "cancel order 1": ("cancel_order", "LookupError"),
        "refund $100 to order 4411": ("refund_card", "ValueError"),
        "refund R$ 10.00 to order 4411": ("refund_card", "ValueError"),
        "charge order 4411 40.00": ("charge_card", "ValueError"),
    }
    lines = [line for turn in said for line in (turn, "a")]
    lines.remove("a")  # the first writes nothing
    assert replies(shop, "charge order 4411 40.00", "a", *lines) == [
        "Done: charge_card.",
        *(f"This run stopped: {tool} failed ({error})." for tool, error in said.values()),
    ]
    assert state(shop, 4411)["charged"] == "40.00"


def test_what_a_walk_leaves_is_ignored_by_git(shop):
    run(shop, sys.executable, "-c", CHAPTER)
    run(
        shop,
        "stalwart trace html --thread desk/u-17 --store sqlite:///runs.db -o run.html",
        shell=True,
    )
    left = {file.name for file in shop.iterdir()}
    subprocess.run(["git", "init", "-q"], cwd=shop, check=True)
    told = run(shop, "git", "status", "--porcelain", "--untracked-files=all")
    untracked = {line[3:] for line in told.stdout.splitlines()}
    names = {".gitignore", "README.md", "README.pt-BR.md", "agent.yaml", "orders.json", "tools.py"}
    assert {name for name in untracked if "__pycache__" not in name} == names
    assert {"runs.db", "shop.db", "run.html"} <= left
