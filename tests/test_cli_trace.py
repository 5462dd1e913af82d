import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from stalwart_lang.cli import stalwart
from stalwart_lang.timeline import Damage, Span, gather_runs, read_spans, text_timeline

TRACE = "0af7651916cd43dd8448eb211c80319c"
READ = {
    "stalwart.language": "en",
    "stalwart.verdict": "read",
    "stalwart.reasons": [],
    "stalwart.rules": ["charge_card.say.en[0]", "update_crm.say.en[0]"],
}


def record(kind: str = "span", **fields) -> dict:
    return {
        "type": kind,
        "trace_id": TRACE,
        "span_id": "b7ad6b7169203331",
        "parent_id": None,
        "name": "stalwart.plan",
        "start": "2027-03-01T09:00:00.000000Z",
        "attributes": READ,
        **fields,
    }


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def show(path: Path) -> Result:
    return CliRunner().invoke(stalwart, ["trace", "show", str(path)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def timeline(content: bytes) -> list[str]:
    spans = [span for span in read_spans(content.splitlines(True)) if isinstance(span, Span)]
    return list(text_timeline(gather_runs(spans)))


def test_a_turn_that_was_traced_is_shown(file):
    turns = ["charge order 4411 40.00, then update the crm for order 4411", "don't refund order 1"]
    for turn, code in zip(turns, (0, 1), strict=True):
        made = CliRunner().invoke(stalwart, ["plan", "shop", turn, "--trace", str(file)])
        assert made.exit_code == code
    result = show(file)
    assert result.exit_code == 0
    first, step, plan, blank, second, step_again, unread = result.stdout.splitlines()
    assert first.startswith("Run: trace ")
    assert second.startswith("Run: trace ")
    assert first != second
    assert step == step_again == "step 0"
    assert plan.startswith("  plan      read en charge_card")
    assert "update_crm" in plan
    assert blank == ""
    assert unread == "  plan      unread en (negation)"


def test_each_kind_of_outcome_has_its_line():
    incomplete = {"stalwart.verdict": "incomplete", "stalwart.language": "pt-BR"}
    assert timeline(
        lines(
            record(span_id="1", start="2027-03-01T09:00:01Z"),
            record("start", span_id="2", start="2027-03-01T09:00:02Z"),
            record(span_id="3", start="2027-03-01T09:00:03Z", error={"type": "RuntimeError"}),
            record(span_id="4", start="2027-03-01T06:00:04-03:00", attributes=incomplete),
        )
    ) == [
        f"Run: trace {TRACE}",
        "step 0",
        "  plan      read en charge_card.say.en[0], update_crm.say.en[0]",
        "step 1",
        "  plan      open",
        "step 2",
        "  plan      error RuntimeError",
        "step 3",
        "  plan      incomplete pt-BR",
    ]


def test_spans_are_in_the_order_in_which_they_started():
    later = record(span_id="2", start="2027-03-01T09:00:02Z", attributes={})
    earlier = record(span_id="1", start="2027-03-01T09:00:01Z")
    assert timeline(lines(later, earlier))[1:] == [
        "step 0",
        "  plan      read en charge_card.say.en[0], update_crm.say.en[0]",
        "step 1",
        "  plan      ? ?",
    ]


def test_the_end_of_a_span_counts_wherever_its_start_stands():
    closed = timeline(lines(record()))
    assert timeline(lines(record("start", attributes={}), record())) == closed
    assert timeline(lines(record(), record("start", attributes={}))) == closed


def test_a_captured_turn_is_shown_and_cannot_act_on_the_terminal():
    turn = 'add a note to order 1 saying "\x1b[2J\u202e\n"'
    shown = timeline(lines(record(attributes={**READ, "stalwart.turn": turn})))
    assert shown[2] == r'  turn      add a note to order 1 saying "\x1b[2J\u202e\n"'


def test_what_a_reader_does_not_know_is_passed_over():
    known = timeline(lines(record()))
    assert known == timeline(
        lines(
            {"type": "metric", "value": 1},
            record(name="vendor.span", span_id="9"),
            record(version=7, attributes={**READ, "vendor.x": {"deep": [1]}}),
        )
        + b"\n"
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"type": "span", "tra', "the last line is cut short"),
        (b"not json\n", "it is not JSON"),
        (b"[1]\n", "it is not an object"),
        (b"\xff\xfe\n", "it is not JSON"),
        pytest.param(b"[" * 100_000 + b"\n", "it is not JSON", id="deep"),
        (lines(record(trace_id=None)), "it has no trace_id"),
        (lines(record(parent_id=3)), "its parent_id is neither text nor null"),
        (lines(record(attributes=[])), "its attributes are not an object"),
        (lines(record(error={})), "it has no type"),
        (lines(record(start="yesterday")), "Invalid isoformat string: 'yesterday'"),
    ],
)
def test_a_line_that_is_no_record_is_named_and_the_rest_is_shown(file, line, reason):
    file.write_bytes(lines(record()) + line)
    result = show(file)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == timeline(lines(record()))
    assert result.stderr == f"{file}:2: passed over: {reason}\n"


def test_a_missing_file_is_unreadable_input(tmp_path):
    result = show(tmp_path / "none.jsonl")
    assert result.exit_code == 2
    assert "none.jsonl: No such file or directory" in result.stderr


def test_a_folder_is_unreadable_input(tmp_path):
    result = show(tmp_path)
    assert result.exit_code == 2
    assert "Is a directory" in result.stderr


def test_a_file_of_something_else_is_unreadable_input(file):
    file.write_text("hello\nworld\n")
    result = show(file)
    assert result.exit_code == 2
    assert f"{file}:1: no span: it is not JSON" in result.stderr


def test_an_empty_file_holds_no_spans(file):
    file.touch()
    result = show(file)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"{file}: it holds no spans\n"


def test_a_reader_that_goes_away_is_no_error(file):
    file.write_bytes(lines(*(record(span_id=str(i)) for i in range(3000))))
    shown = subprocess.Popen(
        [sys.executable, "-m", "stalwart_lang", "trace", "show", file],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with shown:
        assert shown.stdout.readline().startswith(b"Run: trace")
        shown.stdout.close()
        assert shown.stderr.read() == b""


@given(st.binary() | st.binary().map(lambda tail: lines(record()) + tail))
def test_no_file_breaks_the_reader(content):
    for found in read_spans(content.splitlines(True)):
        assert isinstance(found, Span | Damage)
