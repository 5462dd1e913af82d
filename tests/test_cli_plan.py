import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stalwart_lang import Selector, Vocabulary
from stalwart_lang.cli import stalwart

CHARGE = "charge order 4411 40.00"
COBRE = "cobre o pedido 4411 no valor de 40,00"

DESK = """\
vocabulary: desk
things:
  ticket: {en: [ticket], pt-BR: [chamado]}
tools:
  close_ticket:
    takes: {ticket_id: ticket}
    say: {en: [close], pt-BR: [fechar]}
  add_note:
    takes:
      ticket_id: {type: ticket, ask: {en: "Which ticket?", pt-BR: "Qual chamado?"}}
      text: quoted text
    say: {en: ["add a note"], pt-BR: ["adicionar uma nota"]}
"""


def plan(*arguments: str, input: str | bytes | None = None) -> Result:
    return CliRunner().invoke(stalwart, ["plan", *arguments], input=input)


def shell(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "stalwart_lang", *arguments], capture_output=True, **options
    )


@pytest.fixture
def desk(tmp_path: Path) -> str:
    path = tmp_path / "desk.yaml"
    path.write_text(DESK, "utf-8")
    return str(path)


class TestJson:
    def test_a_turn_that_is_read(self):
        result = plan("shop", CHARGE, "--language", "en", "--json")
        assert result.exit_code == 0
        (line,) = result.stdout.splitlines()
        made = json.loads(line)
        assert made["verdict"] == "read"
        assert (made["language"], made["language_from"]) == ("en", "request")
        (call,) = made["calls"]
        assert call["tool"] == "charge_card"
        assert call["arguments"] == {
            "order_id": 4411,
            "amount": {"value": "40.00", "currency": "USD"},
        }
        assert (call["start"], call["end"]) == (0, len(CHARGE))

    def test_it_is_what_the_sdk_gives(self):
        made = Selector(Vocabulary.load("shop")).plan(COBRE, language="pt-BR")
        result = plan("shop", COBRE, "--language", "pt-BR", "--json")
        assert result.stdout == made.to_json() + "\n"

    def test_a_turn_that_is_not_read_exits_1(self):
        result = plan("shop", "não cobre o pedido 4411", "--language", "pt-BR", "--json")
        assert result.exit_code == 1
        made = json.loads(result.stdout)
        assert (made["verdict"], made["calls"]) == ("unread", [])
        assert [reason["code"] for reason in made["reasons"]] == ["negation"]

    def test_now_is_what_relative_dates_are_reckoned_from(self):
        turn = "schedule the delivery of order 7 for tomorrow"
        result = plan("shop", turn, "--now", "2027-02-28T09:00", "--json")
        assert json.loads(result.stdout)["calls"][0]["arguments"]["date"] == "2027-03-01"


class TestText:
    def test_a_call_has_its_rule_its_place_and_its_part_of_the_turn(self, desk):
        result = plan(desk, "close ticket 12, then close ticket 13")
        assert result.exit_code == 0
        lines = [line.strip() for line in result.stdout.splitlines()]
        assert lines[0] == "Read in English (the default language):"
        assert lines[1] == "close_ticket(ticket_id=12)"
        assert lines[2] == "from  close ticket 12"
        assert lines[4] == "close_ticket(ticket_id=13)"
        for line in (lines[3], lines[6]):
            assert line.startswith("rule  ")
            assert line.endswith("desk.yaml:7)")

    def test_labels_are_in_the_language_of_the_turn(self, desk):
        turn = unicodedata.normalize("NFD", 'adicione uma nota "ação" ao chamado 12 寿')
        result = plan(desk, turn, "--language", "pt-BR")
        shown, carets = result.stdout.splitlines()[2:4]
        assert shown == "    " + turn
        assert carets == "    " + " " * len('adicione uma nota "ação" ao chamado 12 ') + "^^"

    def test_of_a_long_turn_only_the_part_is_shown(self, desk):
        result = plan(desk, "close ticket 12, " * 200 + "frobnicate it" + ", close ticket 1" * 200)
        shown, carets = result.stdout.splitlines()[2:4]
        assert len(shown) < 160
        assert shown.strip().startswith("…")
        assert shown.endswith("…")
        assert shown[carets.index("^") : carets.rindex("^") + 1] == "frobnicate"

    def test_what_could_have_stood_there_is_told(self, desk):
        result = plan(desk, "frobnicate ticket 12")
        (told,) = [line for line in result.stdout.splitlines() if "could stand here: " in line]
        assert "close" in told

    @pytest.mark.parametrize(
        ("turn", "language", "question"),
        [
            ('add a note "late"', "en", "add_note needs ticket_id: Which ticket?"),
            ('adicione uma nota "tarde"', "pt-BR", "add_note precisa de ticket_id: Qual chamado?"),
        ],
    )
    def test_an_incomplete_turn_is_asked_about(self, desk, turn, language, question):
        result = plan(desk, turn, "--language", language)
        assert result.exit_code == 1
        assert f"  {question}\n" in result.stdout

    def test_an_ambiguous_turn_has_its_readings(self, tmp_path):
        path = tmp_path / "two.yaml"
        path.write_text(
            DESK + "  archive_ticket:\n    takes: {ticket_id: ticket}\n    say: {en: [close]}\n"
        )
        result = plan(str(path), "close ticket 12")
        assert result.exit_code == 1
        lines = [line.strip() for line in result.stdout.splitlines()]
        assert lines[0] == "Ambiguous: it can be read in 2 ways (the default language):"
        assert "Reading 1" in lines
        assert "Reading 2" in lines
        assert {"close_ticket(ticket_id=12)", "archive_ticket(ticket_id=12)"} < set(lines)


class TestTurns:
    def turns(self, *lines: object) -> str:
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)

    @pytest.mark.parametrize("options", [[], ["--json"]])
    def test_results_are_one_a_line_in_order(self, options):
        content = self.turns(
            {"turn": CHARGE},
            {"turn": COBRE, "language": "pt-BR", "id": 7},
            {"turn": "don't", "language": None, "now": None},
            {"turn": "schedule the delivery of order 7 for today", "now": "2027-03-01T09:00:00Z"},
        )
        result = plan("shop", "--turns", "-", *options, input=content)
        assert result.exit_code == 0
        made = [json.loads(line) for line in result.stdout.splitlines()]
        assert [plan["verdict"] for plan in made] == ["read", "read", "unread", "read"]
        assert [plan["language"] for plan in made] == ["en", "pt-BR", "en", "en"]
        assert made[3]["calls"][0]["arguments"]["date"] == "2027-03-01"

    def test_options_hold_for_the_lines_that_say_nothing(self, tmp_path):
        path = tmp_path / "turns.jsonl"
        path.write_bytes(
            b"\xef\xbb\xbf"
            + self.turns({"turn": COBRE}, {"turn": CHARGE, "language": "en"}).encode()
            + b"\n"
        )
        result = plan("shop", "--turns", str(path), "--language", "pt-BR")
        made = [json.loads(line) for line in result.stdout.splitlines()]
        assert [(p["language"], p["verdict"]) for p in made] == [("pt-BR", "read"), ("en", "read")]

    @pytest.mark.parametrize(
        ("line", "column", "message"),
        [
            (b'{"turn": "x",}', 14, "it is not JSON"),
            (b"[]", 1, "it is not an object"),
            (b'{"language": "en"}', 1, '"turn" must be there, and be text'),
            (b'{"a": 1, "turn": 5}', 10, '"turn" must be there, and be text'),
            (b'{"turn": "x", "language": "pt"}', 15, '"language" must be "en" or "pt-BR"'),
            (b'{"turn": "x", "language": ["en"]}', 15, '"language" must be "en" or "pt-BR"'),
            (b'{"turn": "x", "now": "soon"}', 15, '"now" must be an ISO 8601 text'),
            (b'{"turn": "x", "now": 5}', 15, '"now" must be an ISO 8601 text'),
            ('{"turn": "é'.encode() + b'\xff"}', 12, "it is not UTF-8"),
            pytest.param(b"[" * 100_000, 1, "it is nested too deeply", id="deep"),
            pytest.param(b"1" * 5_000, 1, "it is nested too deeply, or", id="long number"),
        ],
    )
    def test_a_bad_line_is_named_with_its_fix(self, tmp_path, line, column, message):
        path = tmp_path / "turns.jsonl"
        path.write_bytes(b'{"turn": "x"}\n' + line + b"\n")
        result = plan("shop", "--turns", str(path))
        assert result.exit_code == 2
        assert len(result.stdout.splitlines()) == 1
        assert f"{path}:2:{column}: {message}" in result.stderr
        assert 'Write the line as {"turn": "…"' in result.stderr

    def test_a_result_comes_before_the_next_line_is_there(self):
        with subprocess.Popen(
            [sys.executable, "-m", "stalwart_lang", "plan", "shop", "--turns", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        ) as asked:
            for turn in (CHARGE, "cancel order 4411"):
                asked.stdin.write(self.turns({"turn": turn}))
                asked.stdin.flush()
                assert json.loads(asked.stdout.readline())["verdict"] == "read"
            asked.stdin.close()
            assert asked.wait() == 0


class TestUsage:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["shop"], "Give either a TURN or --turns FILE."),
            (["shop", "x", "--turns", "-"], "Give either a TURN or --turns FILE."),
            (["shop", "x", "--language", "fr"], "'fr' is not one of 'en', 'pt-BR'"),
            (["shop", "x", "--now", "soon"], "'soon' is no ISO 8601 date and time"),
            (["shop", "x", "--capture-content"], "--capture-content needs --trace FILE."),
            (["shop", "--turns", "none.jsonl"], "none.jsonl: No such file or directory"),
            (["shop", "x", "--trace", "none/run.jsonl"], "none/run.jsonl: No such file"),
            (["none.yaml", "x"], "none.yaml"),
            (["none", "x"], "none"),
        ],
    )
    def test_bad_usage_exits_2_and_says_why(self, tmp_path, monkeypatch, arguments, message):
        monkeypatch.chdir(tmp_path)
        result = plan(*arguments)
        assert result.exit_code == 2
        assert message in result.stderr
        assert result.stdout == ""

    def test_a_vocabulary_with_an_error_exits_2_and_names_the_place(self, tmp_path):
        path = tmp_path / "bad.yaml"
        path.write_text(DESK.replace("takes: {ticket_id: ticket}", "takes: {ticket_id: tiket}"))
        result = plan(str(path), "close ticket 1")
        assert result.exit_code == 2
        assert "bad.yaml:6:" in result.stderr
        assert "    takes: {ticket_id: tiket}\n" in result.stderr
        assert "^^^^^\n" in result.stderr


class TestTrace:
    def test_spans_are_appended_and_hold_the_turn_only_when_asked(self, tmp_path):
        path = tmp_path / "run.jsonl"
        plan("shop", CHARGE, "--trace", str(path))
        assert CHARGE not in path.read_text("utf-8")
        plan("shop", CHARGE, "--trace", str(path), "--capture-content")
        assert CHARGE in path.read_text("utf-8")
        assert len(path.read_text("utf-8").splitlines()) == 4


class TestShell:
    def test_text_is_utf_8_whatever_the_locale(self):
        environment = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
        environment |= {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
        line = json.dumps({"turn": "exclua tudo já — ação", "language": "pt-BR"})
        result = shell("plan", "shop", "--turns", "-", input=line.encode(), env=environment)
        assert result.returncode == 0
        assert json.loads(result.stdout.decode())["verdict"] == "unread"
        assert result.stderr == b""

    def test_the_version(self):
        result = shell("--version", check=True, text=True)
        assert result.stdout.startswith("stalwart, version ")

    def test_the_help_imports_no_command(self):
        commands = ("chat", "lsp", "plan", "state", "trace", "vocabulary")
        work = (
            "import sys; from stalwart_lang.cli import stalwart\n"
            "stalwart(['--help'], standalone_mode=False)\n"
            f"assert not [m for m in {commands} if f'stalwart_lang.cli.{{m}}' in sys.modules]\n"
        )
        shown = subprocess.run(
            [sys.executable, "-c", work], check=True, capture_output=True, text=True
        ).stdout
        for name in commands:
            assert f"\n  {name} " in shown


@pytest.mark.parametrize("command", ["plan", "trace", "vocabulary"])
def test_every_command_of_the_help_is_there(command):
    result = CliRunner().invoke(stalwart, [command, "--help"])
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: stalwart {command}")


def test_a_command_that_is_not_there_is_bad_usage():
    result = CliRunner().invoke(stalwart, ["plann"])
    assert result.exit_code == 2
    assert "plann" in result.stderr
