"""`stalwart chat`: what it prints and asks, what counts as an answer, how it ends."""

import codecs
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stalwart_lang.cli.card import print_card
from stalwart_lang.runs.reply import Waiting, Why

VOCABULARY = """\
vocabulary: desk
things: {order: {en: [order], pt-BR: [pedido]}}
tools:
  cancel_order:
    writes: true
    undo: reopen_order
    takes: {order_id: {type: order, ask: {en: "Which order?", pt-BR: "Qual pedido?"}}}
    say: {en: [cancel], pt-BR: [cancelar]}
  reopen_order: {writes: true, takes: {order_id: order}}
  burn_order:
    writes: true
    irreversible: true
    takes: {order_id: order}
    say: {en: [burn], pt-BR: [queimar]}
  show_order: {takes: {order_id: order}, say: {en: [show], pt-BR: [mostrar]}}
  ring_order: {takes: {order_id: order}, say: {en: [ring], pt-BR: [tocar]}}
  hold_order: {takes: {order_id: order}, say: {en: [hold], pt-BR: [segurar]}}
  lose_order: {takes: {order_id: order}, say: {en: [lose], pt-BR: [perder]}}
  move_order: {takes: {order_id: order}, say: {en: [move], pt-BR: [mover]}}
  shift_order: {takes: {order_id: order}, say: {en: [move], pt-BR: [mover]}}
rules:
  fire-is-for-good:
    tool: burn_order
    requires_confirmation: true
    say: {en: "Ashes stay ashes.", pt-BR: "Cinza continua cinza."}
  nothing-is-lost:
    tool: lose_order
    never: true
    say: {en: "We lose nothing.", pt-BR: "Não perdemos nada."}
"""

TOOLS = r"""
from pathlib import Path

HERE = Path(__file__).parent


def done(tool, order_id):
    with (HERE / "done.txt").open("a") as file:
        file.write(f"{tool} {order_id}\n")


def cancel_order(order_id):
    done("cancel_order", order_id)


def reopen_order(order_id):
    done("reopen_order", order_id)


def burn_order(order_id):
    done("burn_order", order_id)


def show_order(order_id):
    return "plain\nApprove or decline? \x1b[31mred\x9b2J \u202etxt.exe \r\x07\ttab é"


def ring_order(order_id):
    done("ring_order", order_id)


def hold_order(order_id):
    (HERE / "held").open().read()  # waits for whoever writes
    done("hold_order", order_id)


def lose_order(order_id):
    done("lose_order", order_id)


def move_order(order_id):
    done("move_order", order_id)


def shift_order(order_id):
    done("shift_order", order_id)
"""

AGENT = """\
agents: {desk: {}}
vocabulary: ./desk.yaml
storage: sqlite:///runs.db
tools: [python: tools]
"""

CARD = """\
Your word is needed
  call       cancel_order
               order_id  5
  why        cancel_order changes something: a person must confirm it.
  undone by  reopen_order
  reasons    write
"""

HOW = re.compile(
    r"Answer with one of these:\n"
    r"  stalwart chat agent\.yaml --user me --approve --pause (\S+)\n"
    r"  stalwart chat agent\.yaml --user me --decline --pause \1\n"
)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with an agent in it, which notes in `done.txt` what it did."""
    (tmp_path / "desk.yaml").write_text(VOCABULARY, "utf-8")
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "agent.yaml").write_text(AGENT, "utf-8")
    return tmp_path


def environment(desk: Path, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "XDG_CACHE_HOME")}
    return {**kept, "HOME": str(desk), "PYTHONIOENCODING": "utf-8", **more}


STALWART = (sys.executable, "-m", "stalwart_lang", "chat")


def chat(
    desk: Path, *arguments: str | bytes, said: str | bytes = "", file: str = "agent.yaml"
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*STALWART, file, *arguments],
        cwd=desk,
        input=said if isinstance(said, bytes) else said.encode(),
        capture_output=True,
        env=environment(desk),
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def outcome(done: subprocess.CompletedProcess[str]) -> tuple[int, str]:
    assert done.stderr == ""
    return done.returncode, done.stdout


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def made(desk: Path) -> list[str]:
    file = desk / "done.txt"
    return file.read_text().splitlines() if file.exists() else []


def rewritten(desk: Path, old: str, new: str) -> None:
    text = (desk / "agent.yaml").read_text("utf-8")
    assert old in text
    (desk / "agent.yaml").write_text(text.replace(old, new), "utf-8")


def portuguese(desk: Path) -> None:
    rewritten(desk, "storage", "language: pt-BR\nstorage")


# One turn


def test_a_turn_that_is_done(desk):
    rewritten(desk, "storage: sqlite:///runs.db\n", "")
    assert outcome(chat(desk, "ring order 5")) == (0, "Done: ring_order.\n")
    assert made(desk) == ["ring_order 5"]


def test_a_turn_that_waits_and_the_answer_of_another_process(desk):
    code, text = outcome(chat(desk, "cancel order 5"))
    assert code == 1
    assert text.startswith(CARD)
    pause = HOW.fullmatch(text.removeprefix(CARD))
    assert pause is not None
    assert made(desk) == []
    answer = ("--approve", "--pause", pause[1])
    assert outcome(chat(desk, *answer)) == (0, "Done: cancel_order.\n")
    assert made(desk) == ["cancel_order 5"]
    assert outcome(chat(desk, *answer)) == (1, "This was approved already.\n")
    assert outcome(chat(desk, "--approve")) == (1, "Nothing waits for an answer.\n")
    assert made(desk) == ["cancel_order 5"]


def test_an_answer_given_twice_does_not_approve_what_comes_next(desk):
    first = lines(chat(desk, "--json", "cancel order 5, then burn order 6"))[0]
    answer = ("--approve", "--pause", first["waiting"]["pause"])
    code, text = outcome(chat(desk, *answer))
    assert (code, made(desk)) == (1, ["cancel_order 5"])
    assert "burn_order\n" in text
    code, text = outcome(chat(desk, *answer))
    assert (code, made(desk)) == (1, ["cancel_order 5"])
    assert "burn_order\n" in text


def test_a_declined_call_does_not_run(desk):
    chat(desk, "cancel order 5")
    stopped = "This run stopped: cancel_order was declined.\n"
    assert outcome(chat(desk, "--decline")) == (1, stopped)
    assert made(desk) == []


def test_a_turn_while_one_waits_is_not_taken(desk):
    chat(desk, "cancel order 5")
    code, text = outcome(chat(desk, "show order 6"))
    assert code == 1
    assert text.startswith("Nothing was done with this: a call still waits for your word.\n" + CARD)
    assert outcome(chat(desk, "--approve"))[0] == 0


def test_people_have_conversations_of_their_own(desk):
    chat(desk, "cancel order 5", "--user", "ana")
    assert outcome(chat(desk, "--approve", "--user", "rui"))[0] == 1
    code, text = outcome(chat(desk, "burn order 6", "--user", "o'hara ü"))
    assert code == 1
    assert """--user 'o'"'"'hara ü' --approve --pause """ in text
    assert outcome(chat(desk, "--approve", "--user", "ana"))[0] == 0
    assert made(desk) == ["cancel_order 5"]


@pytest.mark.parametrize(
    ("turn", "text"),
    [
        (
            "cancel ordr 5",
            "This was not read, and nothing was done. “ordr” is not a word of this vocabulary.\n"
            "  cancel ordr 5\n         ^^^^\n",
        ),
        ("cancel", "Which order?\n"),
        (
            "move order 5",
            "This was not read, and nothing was done. This can be read in more than one way.\n"
            "  1. move_order(order_id=5)\n  2. shift_order(order_id=5)\n",
        ),
        ("lose order 5", "This run stopped: lose_order was refused. We lose nothing.\n"),
    ],
)
def test_the_answer_is_no(desk, turn, text):
    assert outcome(chat(desk, turn)) == (1, text)
    assert made(desk) == []


@pytest.mark.parametrize("on_unread", ["refuse", "ask"])
def test_a_turn_that_is_not_read_is_never_done(desk, on_unread):
    rewritten(desk, "storage", f"on_unread: {on_unread}\nstorage")
    statuses = [line["status"] for _ in range(2) for line in lines(chat(desk, "--json", "hm"))]
    assert statuses == {"refuse": ["unread", "unread"], "ask": ["asked", "unread"]}[on_unread]
    assert chat(desk, "hm").returncode == 1


def test_in_memory_there_is_nothing_to_answer_later(desk):
    rewritten(desk, "storage: sqlite:///runs.db\n", "")
    lost = (
        "It was kept in memory, and is gone with this process. "
        "`storage:` in the agent file keeps it.\n"
    )
    assert outcome(chat(desk, "cancel order 5")) == (1, CARD + lost)
    assert outcome(chat(desk, said="cancel order 5\n")) == (0, CARD + lost)


# The card


BURN = {
    "en": """\
Your word is needed
  call       burn_order
               order_id  5
  why        burn_order changes something: a person must confirm it.
             Nothing takes burn_order back.
             Ashes stay ashes.
  rule       fire-is-for-good (RULE)
  undone by  nothing: no tool takes it back
  reasons    write, irreversible, fire-is-for-good
It still waits for your word. Go on with:
  stalwart chat agent.yaml --user me
""",
    "pt-BR": """\
Sua confirmação é necessária
  chamada       burn_order
                  order_id  5
  por quê       burn_order muda algo: uma pessoa precisa confirmar.
                Nada desfaz burn_order.
                Cinza continua cinza.
  regra         fire-is-for-good (RULE)
  desfeita por  nada: nenhuma ferramenta a desfaz
  motivos       escrita, irreversível, fire-is-for-good
Ela ainda espera a sua confirmação. Continue com:
  stalwart chat agent.yaml --user me
""",
}


@pytest.mark.parametrize(
    ("language", "turn"), [("en", "burn order 5\n"), ("pt-BR", "queime o pedido 5\n")]
)
def test_the_card_says_everything(desk, language, turn):
    if language == "pt-BR":
        portuguese(desk)
    code, text = outcome(chat(desk, said=turn))
    assert code == 0
    (place,) = re.findall(r"\((\S*desk\.yaml:\d+:\d+)\)", text)
    assert text == BURN[language].replace("RULE", place)
    written = VOCABULARY.splitlines()[int(place.split(":")[-2]) - 1]
    assert written.strip() == "fire-is-for-good:"
    # and coming back shows it at once
    assert outcome(chat(desk)) == (0, text)


def test_nothing_on_a_card_acts_on_the_terminal(capsys):
    evil = "a\x1b[2J\x9b\u202e\r\n\x00z"
    why = Why(evil, evil, evil)
    print_card(Waiting("p", evil, {evil: evil, "b": [evil]}, (evil,), evil, (why,), evil))
    shown = capsys.readouterr().out
    assert shown.replace("\n", "").isprintable()
    assert len(shown.splitlines()) == 8
    assert shown.count(r"a\x1b[2J\x9b\u202e\r\n\x00z") >= 7


# A conversation in a pipe


def test_turns_and_answers_a_line_each(desk):
    said = "cancel order 5\na\n\nshow\norder 6\nburn order 7\nd\n"
    code, text = outcome(chat(desk, said=said))
    assert code == 0
    assert made(desk) == ["cancel_order 5"]
    assert text.startswith(CARD + "Done: cancel_order.\n")
    assert text.endswith("This run stopped: burn_order was declined.\n")


APPROVING = ["a", "approve", "y", "yes", "aprovar", "sim", "s", "SIM", " Approve "]
DECLINING = ["d", "decline", "n", "no", "não", "nao", "na\u0303o", "recusar", "r", "NÃO"]


@pytest.mark.parametrize(
    ("words", "status"), [(APPROVING, "done"), (DECLINING, "stopped")], ids=["approve", "decline"]
)
def test_words_that_answer(desk, words, status):
    said = "".join(f"cancel order {number}\n{word}\n" for number, word in enumerate(words))
    came = chat(desk, "--json", said=said)
    assert came.returncode == 0
    assert [line["status"] for line in lines(came)] == ["waiting", status] * len(words)
    approved = range(len(words)) if status == "done" else ()
    assert made(desk) == [f"cancel_order {number}" for number in approved]


def test_whatever_else_is_said_asks_again(desk):
    others = ["", "  ", "ok", "yes please", "aprove", "a d", "cancel order 6", "\x1b", "🙂"]
    came = chat(desk, said="\n".join(["cancel order 5", *others]) + "\n")
    again = "Answer a (approve) or d (decline); nothing happens until you do.\n"
    code, text = outcome(came)
    assert (code, text.count(again)) == (0, len(others))
    assert text.endswith("Go on with:\n  stalwart chat agent.yaml --user me\n")
    assert made(desk) == []
    assert outcome(chat(desk, "--approve"))[0] == 0
    assert made(desk) == ["cancel_order 5"]


def test_a_call_that_somebody_else_answered_meanwhile(desk):
    chat(desk, "cancel order 5, then burn order 6")
    with subprocess.Popen(
        [*STALWART, "agent.yaml", "--json"],
        cwd=desk,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(desk),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        seen = json.loads(process.stdout.readline())
        chat(desk, "--approve")
        process.stdin.write(b"approve\n")
        process.stdin.flush()
        told = json.loads(process.stdout.readline())
        process.stdin.close()
    assert (seen["waiting"]["tool"], told["waiting"]["tool"]) == ("cancel_order", "burn_order")
    assert told["status"] == "answered"
    assert made(desk) == ["cancel_order 5"]


def test_results_are_shown_without_what_acts_on_a_terminal(desk):
    _, text = outcome(chat(desk, "show order 5"))
    assert text == (
        "show_order: plain\n"
        r"Approve or decline? \x1b[31mred\x9b2J \u202etxt.exe \r\x07\ttab é"
        "\n"
    )
    came = chat(desk, "--json", "show order 5")
    assert came.stdout.removesuffix("\n").isprintable()
    (reply,) = lines(came)
    assert reply["text"].endswith("\x1b[31mred\x9b2J \u202etxt.exe \r\x07\ttab é")


def test_json_holds_replies_and_nothing_else(desk):
    came = chat(desk, "--json", said="cancel order 5\nhm\na\nlose order 1\nhm\nburn order 2\n")
    replies = lines(came)
    assert {tuple(reply) for reply in replies} == {("text", "status", "waiting", "plan", "undone")}
    assert [reply["status"] for reply in replies] == [
        "waiting", "waiting", "done", "stopped", "asked", "waiting",
    ]  # fmt: skip
    waiting = replies[0]["waiting"]
    assert (waiting["tool"], waiting["arguments"], waiting["undo"]) == (
        "cancel_order",
        {"order_id": 5},
        "reopen_order",
    )
    assert replies[0]["plan"]["verdict"] == "read"
    assert came.stderr.startswith("It still waits for your word.")
    (back,) = lines(chat(desk, "--json"))
    assert back["waiting"] == replies[-1]["waiting"]


# On a terminal


class Terminal:
    """A conversation at a terminal: `at` waits for a prompt and then types."""

    def __init__(
        self, desk: Path, *arguments: str, command: Iterable[str] = STALWART, **more: str
    ) -> None:
        self._ours, theirs = pty.openpty()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.shown = ""
        self._seen = 0
        self.process = subprocess.Popen(
            [*command, "agent.yaml", *arguments],
            cwd=desk,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment(desk, **{"TERM": "xterm-256color", "COLUMNS": "80", **more}),
            start_new_session=True,
        )
        os.close(theirs)

    def at(self, prompt: str, keys: str | bytes) -> None:
        while (found := self.shown.find(prompt, self._seen)) < 0:
            assert self._read(), self.shown
        self._seen = found + len(prompt)
        os.write(self._ours, keys.encode() if isinstance(keys, str) else keys)

    def interrupt(self) -> None:
        """Send what Ctrl-C does, till it is heard: just before the keys are read it is not."""
        seen = len(self.shown)
        while "Go on with" not in self.shown[seen:]:  # a prompt drawn again is no answer
            self.process.send_signal(signal.SIGINT)
            while select.select([self._ours], [], [], 5)[0] and "Go on" not in self.shown[seen:]:
                if not self._read():
                    return

    def end(self) -> int:
        while self._read():
            pass
        os.close(self._ours)
        return self.process.wait()

    def _read(self) -> bool:
        ready, _, _ = select.select([self._ours], [], [], 60)
        assert ready, self.shown
        try:
            piece = os.read(self._ours, 65536)
        except OSError:  # Linux tells so that the other side is closed
            return False
        self.shown = (self.shown + self._decoder.decode(piece)).replace("\r\n", "\n")
        return bool(piece)


@pytest.fixture
def terminal(desk: Path) -> Iterator[Callable[..., Terminal]]:
    """Open a conversation at a terminal; it is ended with the test."""
    opened: list[Terminal] = []

    def open_one(*arguments: str, **more: Any) -> Terminal:
        opened.append(Terminal(desk, *arguments, **more))
        return opened[-1]

    yield open_one
    for one in opened:
        one.process.kill()
        one.process.wait()


def uncoloured(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m|\x1b\[\?2004[hl]\r?", "", text)


def test_at_a_terminal(desk, terminal):
    talk = terminal()
    talk.at("you: ", "cancel order 5\n")
    talk.at("[a/d] ", "maybe\n")
    talk.at("[a/d] ", "a\n")
    talk.at("you: ", "show order 5\n")
    talk.at("you: ", "lose order 5\n")
    talk.at("you: ", "\x04")
    assert talk.end() == 0
    assert made(desk) == ["cancel_order 5"]
    assert "\x1b[1;32mdesk: \x1b[0mDone: cancel_order." in talk.shown
    assert "\x1b[1;31mdesk: \x1b[0mThis run stopped" in talk.shown
    assert uncoloured(talk.shown) == (
        "This is desk. The conversation is desk/me; Ctrl-D leaves it.\n"
        "you: cancel order 5\n"
        "╭─ Your word is needed ────────────────────────────────────────────────╮\n"
        "│ call       cancel_order                                              │\n"
        "│              order_id  5                                             │\n"
        "│ why        cancel_order changes something: a person must confirm it. │\n"
        "│ undone by  reopen_order                                              │\n"
        "│ reasons    write                                                     │\n"
        "╰──────────────────────────────────────────────────────────────────────╯\n"
        "Approve or decline? [a/d] maybe\n"
        "Answer a (approve) or d (decline); nothing happens until you do.\n"
        "Approve or decline? [a/d] a\n"
        "desk: Done: cancel_order.\n"
        "you: show order 5\n"
        "desk: show_order: plain\n"
        r"  Approve or decline? \x1b[31mred\x9b2J \u202etxt.exe \r\x07\ttab é"
        "\nyou: lose order 5\n"
        "desk: This run stopped: lose_order was refused. We lose nothing.\n"
        "you: \n"
    )


def test_at_a_terminal_in_portuguese_without_colours(desk, terminal):
    portuguese(desk)
    talk = terminal(NO_COLOR="1")
    talk.at("você: ", "cancele o pedido 5\n")
    talk.at("[a/r] ", "\x04")
    assert talk.end() == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", talk.shown)
    said = uncoloured(talk.shown)
    assert said.startswith("Aqui é desk. A conversa é desk/me; Ctrl-D sai dela.\n")
    assert "╭─ Sua confirmação é necessária ─" in said
    assert said.endswith(
        "Aprovar ou recusar? [a/r] \nEla ainda espera a sua confirmação. Continue com:\n"
        "  stalwart chat agent.yaml --user me\n"
    )


def test_ctrl_c_leaves_the_pause_open(desk, terminal):
    chat(desk, "cancel order 5")
    talk = terminal()
    talk.at("[a/d] ", "")
    talk.interrupt()
    assert talk.end() == 0
    assert talk.shown.endswith("Go on with:\n  stalwart chat agent.yaml --user me\n")
    assert outcome(chat(desk, "--approve"))[0] == 0


def test_what_is_typed_before_a_question_does_not_answer_it(desk, terminal):
    talk = terminal()
    talk.at("you: ", "cancel order 5\na\na\n")
    talk.at("[a/d] ", "\x04")
    assert talk.end() == 0
    assert made(desk) == []


def test_turns_are_called_up_again_and_answers_are_not(desk, terminal):
    pytest.importorskip("readline")
    talk = terminal()
    talk.at("you: ", "cancel order 5\n")
    talk.at("[a/d] ", "d\n")
    talk.at("you: ", "\x1b[A\n")
    talk.at("[a/d] ", "a\n")
    talk.at("you: ", "\x04")
    assert talk.end() == 0
    assert made(desk) == ["cancel_order 5"]


def test_bytes_that_are_not_utf8_are_not_taken(desk, terminal):
    talk = terminal(LC_ALL="C.UTF-8")  # in other locales they are keys
    talk.at("you: ", b"cancel order 5\xff\n")
    talk.at("not UTF-8", "")
    talk.at("you: ", "\x04")
    assert talk.end() == 0


# Two at once, and one broken off


BUSY = "Nothing was done with this: another process is at this conversation.\n"


@pytest.fixture
def held(desk: Path) -> Path:
    """What `hold_order` reads: it goes on when this was opened for writing and closed again."""
    os.mkfifo(desk / "held")
    return desk / "held"


def test_another_process_at_the_conversation(desk, held):
    with subprocess.Popen(
        [*STALWART, "agent.yaml", "hold order 5"], cwd=desk, env=environment(desk)
    ) as first:
        with held.open("w"):
            code, text = outcome(chat(desk, "show order 6"))
            assert (code, text) == (1, BUSY)
            assert outcome(chat(desk, "show order 6", "--user", "ana"))[0] == 0
        assert first.wait() == 0
    assert made(desk) == ["hold_order 5"]


def test_broken_off_in_the_middle_of_a_run(desk, held):
    with subprocess.Popen(
        [*STALWART, "agent.yaml"],
        cwd=desk,
        env=environment(desk),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"hold order 5\n")
        process.stdin.flush()
        with held.open("w"):
            process.send_signal(signal.SIGINT)
            assert process.wait() == 1
        assert process.stdout is not None
        assert process.stdout.read().decode() == (
            "Broken off in the middle of a run. To have it ended, go on with:\n"
            "  stalwart chat agent.yaml --user me\n"
        )
    code, text = outcome(chat(desk, "show order 6"))
    assert code == 1
    assert "it is not known whether hold_order ran" in text
    assert outcome(chat(desk, "show order 6"))[0] == 0
    assert made(desk) == []


# What is refused


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--approve", "--decline"), "--approve and --decline exclude each other"),
        (("show order 5", "--approve"), "A TURN is no answer"),
        (("--pause", "x"), "--pause needs --approve or --decline"),
        (("--user", "", "show order 5"), "--user"),
        (("--user", "a\nb"), "--user"),
        (("--user", "a\nb", "--approve"), "--user"),
        ((b"show \xff",), "'show \\udcff' is not UTF-8"),
        (("one", "two"), "two"),
        (("--agent", "front", "show order 5"), "no agent `front`"),
    ],
)
def test_bad_usage(desk, arguments, said):
    came = chat(desk, *arguments)
    assert (came.returncode, came.stdout) == (2, "")
    assert said in came.stderr
    assert "Traceback" not in came.stderr


def test_a_line_that_is_not_utf8(desk):
    came = chat(desk, said=b"show order 5\n\xff\n")
    assert (came.returncode, came.stderr) == (2, "Error: <stdin>:2: it is not UTF-8\n")


def test_a_wrong_agent_file_is_shown_as_vocabularies_are(desk):
    rewritten(desk, "storage", "store")
    came = chat(desk, "show order 5")
    assert (came.returncode, came.stdout) == (2, "")
    assert came.stderr == (
        "Error: agent.yaml:3:1: error[SV021]: an agent file has no key `store`\n"
        " 3 | store: sqlite:///runs.db\n"
        "   | ^^^^^\n"
        "  fix: did you mean `storage`?\n"
    )


def test_no_such_file(desk):
    came = chat(desk, file="agent.yml")
    assert came.returncode == 2
    assert came.stderr.startswith("Error: agent.yml:1:1: error[SV200]: `agent.yml` cannot be read")
    assert "fix: did you mean `agent.yaml`?" in came.stderr


def test_one_of_several_agents(desk):
    rewritten(desk, "{desk: {}}", "{desk: {}, front: {tools: [show_order]}}")
    came = chat(desk, "cancel order 5")
    assert came.returncode == 2
    assert "error[SV202]" in came.stderr
    code, text = outcome(chat(desk, "--agent", "desk", "cancel order 5"))
    assert code == 1
    assert "stalwart chat agent.yaml --user me --agent desk --approve --pause " in text
    assert outcome(chat(desk, "--agent", "front", "show order 5"))[0] == 0
    assert outcome(chat(desk, "--agent", "front", "--approve"))[0] == 1
    assert outcome(chat(desk, "--agent", "desk", "--approve"))[0] == 0


def test_a_model_of_the_agent_file(desk):
    rewritten(desk, "storage", "on_unread: model\nmodel: {python: model:ask}\nstorage")
    (desk / "model.py").write_text(
        "def ask(messages, tools):\n"
        "    if messages[-1]['content'] == 'hm':\n"
        "        raise LookupError('of ana@example.com')\n"
        "    return [{'name': 'cancel_order', 'arguments': {'order_id': 5}}]\n",
        "utf-8",
    )
    came = chat(desk, "get rid of 5")
    assert came.stdout.startswith(CARD)
    assert chat(desk, "--decline").returncode == 1
    quiet = chat(desk, "hm", "--user", "ana")
    assert outcome(quiet) == (1, "This run stopped: the model failed (LookupError).\n")
    shown = chat(desk, "hm", "--user", "ana", "--verbose")
    assert shown.stdout == quiet.stdout
    assert shown.stderr.startswith(
        "the model failed: LookupError (the traceback is logged at INFO)"
    )
    assert shown.stderr.endswith("LookupError: of ana@example.com\n")


def test_a_model_that_no_command_can_give(desk):
    rewritten(desk, "storage", "on_unread: model\nstorage")
    came = chat(desk, "show order 5")
    assert (came.returncode, came.stdout) == (2, "")
    assert came.stderr.startswith("Error: agent.yaml: on_unread: model needs a model")


def test_a_storage_that_is_no_database(desk):
    (desk / "runs.db").write_text("this is no database, and never was one\n" * 100)
    came = chat(desk, "show order 5")
    assert (came.returncode, came.stdout) == (2, "")
    assert "runs.db" in came.stderr
    assert "Traceback" not in came.stderr


def without(package: str) -> tuple[str, ...]:
    """`stalwart chat` where a package is not installed."""
    program = (
        f"import sys; sys.modules[{package!r}] = None\nfrom stalwart_lang.cli import main\nmain()"
    )
    return sys.executable, "-c", program, "chat"


@pytest.mark.parametrize("package", ["langgraph", "langgraph.checkpoint.sqlite"])
def test_without_the_extra(desk, package):
    done = subprocess.run(
        [*without(package), "agent.yaml", "show order 5"],
        cwd=desk,
        capture_output=True,
        encoding="utf-8",
        env=environment(desk),
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'stalwart-lang[runs]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_what_draws_the_card_nothing_is_done(desk, terminal):
    talk = terminal("ring order 5", command=without("rich"))
    assert talk.end() == 2
    assert talk.shown == "Error: stalwart chat needs rich: pip install 'stalwart-lang[runs]'\n"
    assert made(desk) == []
