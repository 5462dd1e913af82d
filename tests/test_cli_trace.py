import contextlib
import gzip
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from stalwart_lang.cli import stalwart
from stalwart_lang.timeline import Damage, Span, gather_runs, read_spans, text_timeline
from stalwart_lang.tracing import JsonLinesTracer, spans

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


def trace(*arguments: object, given: bytes | None = None) -> Result:
    return CliRunner().invoke(stalwart, ["trace", *map(str, arguments)], input=given)


def show(path: Path, *options: object) -> Result:
    return trace("show", path, *options)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def timeline(content: bytes) -> list[str]:
    spans = [span for span in read_spans(content.splitlines(True)) if isinstance(span, Span)]
    return list(text_timeline(gather_runs(spans)))


# One kind of line after another


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


def test_each_outcome_of_a_plan_has_its_line():
    incomplete = {"stalwart.verdict": "incomplete", "stalwart.language": "pt-BR"}
    failed = {"status": "error", "error": {"type": "RuntimeError"}}
    assert timeline(
        lines(
            record(span_id="1", start="2027-03-01T09:00:01Z"),
            record("start", span_id="2", start="2027-03-01T09:00:02Z"),
            record(span_id="3", start="2027-03-01T09:00:03Z", **failed),
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


def test_what_a_reader_does_not_know_is_passed_over_or_named():
    known = timeline(lines(record()))
    assert known == timeline(
        lines(
            {"type": "metric", "value": 1},
            record(version=7, attributes={**READ, "vendor.x": {"deep": [1]}}),
        )
        + b"\n"
    )
    other = record(name="vendor.\x1bspan", span_id="9", start="2027-03-01T09:00:09Z")
    assert timeline(lines(record(), other)) == [*known, "step 1", r"  span      vendor.\x1bspan"]


# A run of an agent of this project, recorded by its tracer


def refused(tracer: JsonLinesTracer, **more: object) -> None:
    with spans.tool_check(tracer, "refund_card", {"amount": "900.00"}, labels=["money"]) as check:
        check.decided(
            "refuse", "rules", rule="big-refund", reasons=["over 100.00", "no manager"], **more
        )


def checked(tracer: JsonLinesTracer, tool: str, outcome: str) -> None:
    with spans.tool_check(tracer, tool, {}) as check:
        check.decided(outcome, "confirmation", reasons=["write"])


def ask_and_run(tracer: JsonLinesTracer, tool: str, step: int, answer: str = "approve") -> None:
    with spans.node(tracer, "run", step):
        checked(tracer, tool, "confirm")
        with spans.interrupt(tracer, tool, waits_for="write", outcome="confirm"):
            pass
    with spans.node(tracer, "run", step + 1):
        with spans.resume(tracer, tool, answer):
            pass
        checked(tracer, tool, "allow" if answer == "approve" else "refuse")
    with spans.node(tracer, "run", step + 2), spans.tool(tracer, tool, {}):
        pass


def desk(file: Path) -> None:
    """A run that is asked twice, fails, and is undone."""
    tracer = JsonLinesTracer(file)
    with tracer.run("desk", thread="desk/u-3"):
        with spans.node(tracer, "input", -1):
            pass
        ask_and_run(tracer, "charge_card", 0)
        with spans.node(tracer, "run", 3):
            refused(tracer)
        with (
            pytest.raises(RuntimeError),
            spans.node(tracer, "run", 4),
            spans.tool(tracer, "ship", {}),
        ):
            raise RuntimeError
        with (
            spans.node(tracer, "run", 5),
            spans.rollback(tracer),
            spans.compensate(tracer, "refund_card", {}, undoes=1),
        ):
            checked(tracer, "refund_card", "allow")
            with spans.tool(tracer, "refund_card", {}):
                pass
        with spans.node(tracer, "run", 6), spans.rollback(tracer):
            refused(tracer)
        with spans.node(tracer, "run", 7), spans.rewind(tracer, 2):
            pass


DESK = """\
Run: thread desk/u-3
step -1
  node      input
step 0
  node      run
  check     charge_card -> confirm
  interrupt charge_card [write] (confirm)
step 1
  node      run
  check     charge_card -> allow
step 2
  node      run
  call      charge_card
step 3
  node      run
  check     refund_card -> refuse [big-refund] over 100.00; no manager
step 4
  node      run error RuntimeError
  call      ship error RuntimeError
step 5
  node      run
  undo      refund_card -> allow undoes step 1
step 6
  node      run
  check     refund_card -> refuse [big-refund] over 100.00; no manager
step 7
  node      run
  rewind    to step 2
"""


def test_a_run_of_an_agent_of_ours_is_shown_step_by_step(file):
    desk(file)
    assert show(file).stdout == DESK


def test_a_refusal_of_a_person_is_shown(file):
    tracer = JsonLinesTracer(file)
    with tracer.run("desk"):
        ask_and_run(tracer, "charge_card", 0, "decline")
    assert "\n  resume    charge_card (decline)\n" in show(file).stdout


def test_model_calls_and_tools_of_any_agent_are_steps(file):
    tracer = JsonLinesTracer(file)
    with tracer.run("sales-summary"):
        with tracer.model_call("some-model", name="turn-1") as call:
            call.responded(input_tokens=812, output_tokens=96, stop_reason="tool_use")
            with tracer.tool("list_files", {"dir": "data"}) as tool:
                tool.returned(["a", "b"])
            with pytest.raises(FileNotFoundError), tracer.tool("read_file", {}):
                raise FileNotFoundError(2, "secret.csv")
        with tracer.model_call("some-model") as call:
            call.responded(stop_reason="end_turn")
    _, *shown = show(file).stdout.splitlines()
    assert shown == [
        "step 0",
        "  model     turn-1 in=812 out=96 stop=tool_use",
        "  call      list_files",
        "  call      read_file error FileNotFoundError",
        "step 1",
        "  model     some-model stop=end_turn",
    ]


def test_what_is_in_no_step_has_its_place(file):
    tracer = JsonLinesTracer(file)
    with tracer.run("desk"):
        with spans.plan_span(tracer, "charge order 1"):
            pass
        with tracer.run("helper"), spans.node(tracer, "a", 4), tracer.run("inner"):
            pass
        checked(tracer, "late", "allow")
        with tracer.span("vendor.work"), spans.node(tracer, "b"):
            pass
    _, *shown = show(file).stdout.splitlines()
    assert shown == [
        "outside of steps",
        "  plan      ? ?",
        "step 4",
        "  node      a",
        "  agent     inner",
        "  check     late -> allow",
        "step 5",
        "  node      b",
    ]


def test_a_killed_run_shows_what_it_was_doing(file):
    script = (
        "import os, sys\n"
        "from stalwart_lang.tracing import JsonLinesTracer, spans\n"
        "t = JsonLinesTracer(sys.argv[1])\n"
        "with t.run('desk'), spans.node(t, 'run', 0), spans.tool(t, 'ship', {}):\n"
        "    os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", script, file], check=False)
    result = show(file)
    _, *shown = result.stdout.splitlines()
    assert shown == [
        "step 0",
        "  node      run open",
        "  call      ship open",
        "Open: its end is not recorded",
    ]
    assert result.exit_code == 0
    assert " open " in show(file, "--list").stdout
    assert "node       run          open  step 0\n" in trace("tree", file).stdout


def test_a_run_that_failed_says_so(file):
    tracer = JsonLinesTracer(file)
    with pytest.raises(KeyError), tracer.run("desk"), tracer.span("work"):
        raise KeyError
    assert show(file).stdout.splitlines()[1:] == [
        "step 0",
        "  span      work error KeyError",
        "Failed: KeyError",
    ]


# Choosing, listing


def two_runs(file: Path) -> list[str]:
    """Record two runs, one with a thread and one that was rolled back; return their traces."""
    tracer = JsonLinesTracer(file)
    with tracer.run("desk", thread="desk/u-1"), spans.node(tracer, "run", 0):
        pass
    with tracer.run("sales"), spans.rollback(tracer):
        pass
    records = map(json.loads, file.read_text().splitlines())
    return [found["trace_id"] for found in records if found["parent_id"] is None][::2]


def test_runs_are_listed_one_a_line(file):
    traces = two_runs(file)
    columns = [line.split() for line in show(file, "--list").stdout.splitlines()]
    assert [line[0] for line in columns] == traces
    assert [line[2:6] for line in columns] == [
        ["desk/u-1", "completed", "2", "spans"],
        ["sales", "failed", "2", "spans"],
    ]
    assert all(line[1].endswith("Z") for line in columns)


def test_a_run_is_chosen_by_trace_or_thread(file):
    first, _ = two_runs(file)
    shown = "Run: thread desk/u-1\nstep 0\n  node      run\n"
    for options in (["--trace-id", first], ["--trace-id", first[:9]], ["--thread", "desk/u-1"]):
        result = show(file, *options)
        assert (result.exit_code, result.stdout, result.stderr) == (0, shown, "")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--trace-id", "zzzz\x1b"], r"it holds no run of trace zzzz\x1b; `stalwart trace show"),
        (["--thread", "nobody"], "it holds no run of thread nobody; `"),
        (["--thread", "a", "--trace-id", "0000"], "it holds no run of trace 0000 and thread a; `"),
        (["--trace-id", "00"], "trace id '00': give at least 4 digits of it"),
        (["--list", "--follow"], "--list, --why and --follow exclude each other."),
    ],
)
@pytest.mark.parametrize("command", ["show", "tree", "export"])
def test_a_choice_that_fits_nothing_is_bad_usage(file, options, said, command):
    two_runs(file)
    if command != "show" and "--list" in options:
        said = "No such option"
    if command == "export":
        options = [*options, "--otlp"]
    result = trace(command, file, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_a_trace_is_read_from_packed_files_and_standard_input(file, pack):
    desk(file)
    content = pack(file.read_bytes())
    file.write_bytes(content)
    assert show(file).stdout == DESK
    assert trace("show", "-", given=content).stdout == DESK
    assert trace("show", "-", "--thread", "desk/u-3", given=content).stdout == DESK


# Why


def why(file: Path, step: int) -> list[str]:
    result = show(file, "--why", step)
    assert result.exit_code == 0
    return result.stdout.splitlines()


def test_a_packed_file_may_begin_with_a_frame_to_be_skipped(file, tmp_path):
    desk(file)
    packed = tmp_path / "packed.zst"
    skipped = bytes((0x53, 0x2A, 0x4D, 0x18)) + (5).to_bytes(4, "little") + b"index"
    packed.write_bytes(skipped + zstandard.compress(file.read_bytes()))
    result = show(packed)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == show(file).stdout


def test_a_decision_is_followed_to_its_rule(file):
    (file.parent / "policy.yaml").write_text("rules:\n    - refund: {over: 100.00}  # \x1b\n")
    tracer = JsonLinesTracer(file)
    with tracer.run("desk", thread="t"), spans.node(tracer, "run", 7):
        refused(tracer, rule_file="policy.yaml", rule_line=2)
        refused(tracer, rule_file="policy.yaml", rule_line=3)
        refused(tracer, rule_file="gone.yaml", rule_line=2)
        refused(tracer, rule_file="/dev/zero", rule_line=1)
        refused(tracer, rule_file="policy.yaml")
        refused(tracer)
    decision = [
        "  check     refund_card -> refuse",
        "    decided by rules",
        "    rule       big-refund",
        "    reason     over 100.00",
        "    reason     no manager",
        "    labels     money",
    ]
    assert why(file, 7) == [
        "Run: thread t",
        "step 7",
        *decision,
        "    at         policy.yaml:2",
        r"          - refund: {over: 100.00}  # \x1b",
        "          " + "^" * len(r"- refund: {over: 100.00}  # \x1b"),
        *decision,
        "    at         policy.yaml:3",
        "               (the file has no such line now)",
        *decision,
        "    at         gone.yaml:2",
        "               (the file is not here to read)",
        *decision,
        "    at         /dev/zero:1",
        "               (this file is no text to read)",
        *decision,
        "    at         policy.yaml",
        *decision,
        "    at         the trace does not say where the rule is",
    ]


def test_a_plan_is_followed_to_its_vocabulary(file):
    made = CliRunner().invoke(
        stalwart, ["plan", "shop", "charge order 4411 40.00", "--trace", str(file)]
    )
    assert made.exit_code == 0
    shown = why(file, 0)
    assert shown[2] == "  plan      -> read"
    assert "    language   en" in shown
    assert any(line.startswith("    rule       charge_card.say.en[") for line in shown)
    assert any(line.startswith("    vocabulary shop (") for line in shown)


def test_the_decisions_of_an_undo_are_of_its_step(file):
    desk(file)
    assert "  check     refund_card -> allow" in why(file, 5)
    undecided = show(file, "--why", -1)
    assert undecided.exit_code == 1
    assert undecided.stdout.endswith("step -1\n  nothing was decided in it\n")
    missing = show(file, "--why", 8)
    assert missing.exit_code == 2
    assert "there is no step 8; its steps are -1 to 7." in missing.stderr


# Trees


def test_a_tree_is_drawn_from_the_file_alone(file):
    tracer = JsonLinesTracer(file, capture_content=True)
    with tracer.run("sales-summary"):
        with tracer.model_call("some-model", name="turn-1") as call:
            call.responded(input_tokens=812, output_tokens=96, stop_reason="tool_use")
            for name, arguments, result in (
                ("list_files", {"dir": "data"}, "one.csv\ntwo.csv"),
                ("write_file", {"path": "summary.md", "text": "# Total of\n\tall regions"}, None),
                ("count", {}, 3),
                ("describe", {}, {"b": 1, "a": 2}),
                ("names", {}, ["x"]),
                ("is_ok", {}, True),
            ):
                with tracer.tool(name, arguments) as tool:
                    tool.returned(result)
        with tracer.model_call("some-model") as call:
            with pytest.raises(FileNotFoundError), tracer.tool("read_file", {"path": "\x1b"}):
                raise FileNotFoundError(2, "secret.csv")
            call.responded()
    timeless = [{**json.loads(line), "duration_ms": 1.4} for line in file.read_text().splitlines()]
    file.write_bytes(lines(*timeless))
    (trace_id,) = {line["trace_id"] for line in timeless}
    assert trace("tree", file).stdout.splitlines() == [
        f"agent_run  sales-summary  1ms  trace_id={trace_id}",
        "├─ model_call turn-1         1ms  in=812 out=96  stop=tool_use",
        '│  ├─ tool_call  list_files     1ms  in={"dir":"data"}  ok string(15)',
        '│  ├─ tool_call  write_file     1ms  in={"path":"summary.md","text":"# Tot…  ok null',
        "│  ├─ tool_call  count          1ms  in={}  ok number",
        "│  ├─ tool_call  describe       1ms  in={}  ok object{b,a}",
        "│  ├─ tool_call  names          1ms  in={}  ok array(1)",
        "│  └─ tool_call  is_ok          1ms  in={}  ok boolean",
        "└─ model_call some-model     1ms  in=? out=?",
        r'   └─ tool_call  read_file      1ms  in={"path":"\u001b"}  ERROR FileNotFoundError',
    ]


def test_a_tree_without_content_has_digests(file):
    tracer = JsonLinesTracer(file)
    with tracer.run("r"), tracer.tool("read_file", {"path": "secret.csv"}) as tool:
        tool.returned("secret")
    held = json.loads(file.read_text().splitlines()[2])["attributes"]
    arguments, result = held["stalwart.arguments_digest"], held["stalwart.result_digest"]
    shown = trace("tree", file).stdout
    assert f"  in=#{arguments}  ok #{result}\n" in shown
    assert "secret" not in shown


def test_a_tree_has_a_line_for_each_kind_of_span(file):
    desk(file)
    shown = [line.replace("│", " ").split() for line in trace("tree", file).stdout.splitlines()]
    said = {" ".join([words[1], words[2], *words[4:]]) for words in shown}
    assert {
        "node input step -1",
        "check charge_card -> confirm",
        "interrupt charge_card [write]",
        "resume charge_card (approve)",
        "check refund_card -> refuse",
        "rollback stalwart.rollback",
        "rewind stalwart.rewind to step 2",
    } <= said
    assert any(line.startswith("undo refund_card") and "undoes step 1" in line for line in said)
    assert any(line.startswith("tool_call ship") and "ERROR RuntimeError" in line for line in said)


@pytest.mark.parametrize("order", [1, -1])
def test_chains_of_any_depth_are_drawn_and_shown(file, order):
    chain = [
        record(name="n", span_id=f"{i}", parent_id=f"{i - 1}" if i else None, attributes={})
        for i in range(10_000)
    ]
    file.write_bytes(lines(*chain[::order]))
    drawn = trace("tree", file)
    assert drawn.exit_code == 0
    deepest = drawn.stdout.splitlines()[-1]
    assert "└─ … 9999 span" in deepest
    assert len(deepest) < 200
    assert len(show(file).stdout.splitlines()) > 9_990


def test_spans_that_are_each_others_parents_are_shown_once(file):
    circle = [record(span_id=a, parent_id=b, name="n") for a, b in ("12", "23", "31", "44")]
    file.write_bytes(lines(*circle, *circle))
    assert trace("tree", file).stdout.count("span ") == 4
    assert show(file).stdout.count("  span ") == 3  # that of the circle to start first is the root


# Export


def test_what_is_exported_shows_the_same(file, tmp_path):
    desk(file)
    out = tmp_path / "out.jsonl"
    result = trace("export", file, "--otlp", "-o", out)
    assert (result.exit_code, result.stdout) == (0, "")
    assert show(out).stdout == DESK
    assert trace("tree", out).stdout == trace("tree", file).stdout
    piped = trace("export", file, "--otlp")
    assert piped.stdout_bytes == out.read_bytes()
    assert all("resourceSpans" in json.loads(line) for line in piped.stdout.splitlines())


def test_a_long_run_is_exported_in_several_messages(file):
    file.write_bytes(lines(*(record(span_id=f"{i:016x}") for i in range(1, 1000))))
    written = trace("export", file, "--otlp").stdout_bytes
    assert len(written.splitlines()) > 1
    assert trace("show", "-", given=written).stdout == show(file).stdout


def test_what_is_exported_is_there_whole_or_not_at_all(file, tmp_path):
    desk(file)
    out = tmp_path / "out.jsonl"
    out.write_text("older")
    out.chmod(0o600)
    again = trace("export", file, "--otlp", "-o", out, "--trace-id", "0000")
    assert (again.exit_code, out.read_text()) == (2, "older")
    assert trace("export", file, "--otlp", "-o", out).exit_code == 0
    assert b"resourceSpans" in out.read_bytes()
    assert out.stat().st_mode & 0o777 == 0o600
    assert sorted(other.name for other in tmp_path.iterdir()) == ["out.jsonl", file.name]


@pytest.mark.parametrize(
    "command",
    [("show",), ("tree",), ("stats",), ("html", "-o", "-"), ("export", "--otlp")],
    ids=" ".join,
)
def test_of_many_lines_that_are_no_record_the_first_are_named(file, command):
    file.write_bytes(b"hello\n" * 5000)
    result = trace(*command[:1], file, *command[1:])
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [f"Error: {file}:1: no span: it is not JSON"]
    desk(file)
    result = trace(*command[:1], file, *command[1:])
    assert result.exit_code == 0
    told = result.stderr.splitlines()
    assert told[:2] == [f"{file}:{at}: passed over: it is not JSON" for at in (1, 2)]
    assert told[10:] == [f"{file}: and 4,990 more lines passed over"]


@pytest.fixture(scope="module")
def endless(tmp_path_factory) -> Path:
    """A trace whose second line goes on for more than anybody needs, and a third one."""
    path = tmp_path_factory.mktemp("endless") / "run.jsonl"
    path.write_bytes(
        lines(record()) + b'{"x":"' + b"y" * (2**25 + 2**20) + b'"}\n' + lines(record())
    )
    return path


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["", "gz", "zst"])
@pytest.mark.parametrize(
    "command",
    [
        *(("show",), ("show", "--list"), ("show", "--trace-id", TRACE), ("show", "--thread", "t")),
        *(("tree",), ("stats",), ("html", "-o", "-"), ("export", "--otlp"), ("diff",)),
    ],
    ids=" ".join,
)
def test_a_line_that_would_fill_the_memory_ends_the_trace(endless, tmp_path, command, pack):
    path = tmp_path / "run"
    path.write_bytes(pack(endless.read_bytes()))
    name, *options = command
    said = "passed over: the next line is longer than 32 MiB: it and what is after it is not read"
    if name == "diff":
        result = trace(name, path, path)
        assert (result.exit_code, result.stderr) == (0, f"{path}:1: {said}\n" * 2)
        return
    result = trace(name, path, *options)
    if "t" in options:
        assert (result.exit_code, "it holds no run of thread t" in result.stderr) == (2, True)
        return
    assert (result.exit_code, result.stderr) == (0, f"{path}:1: {said}\n")
    assert result.stdout == trace(name, "-", *options, given=lines(record())).stdout


def test_of_what_is_followed_too(endless, file, follow):
    following = follow(file)
    file.write_bytes(endless.read_bytes())
    assert len(following.lines(3)) == 3
    assert following.process.wait() == 0
    assert ":1: passed over: the next line is longer" in following.process.stderr.read()


def test_in_diff_too_the_first_lines_that_are_no_record_are_named(file):
    file.write_bytes(lines(record()) + b"hello\n" * 5000)
    told = trace("diff", file, file).stderr.splitlines()
    assert told[:2] == [f"{file}:{at}: passed over: it is not JSON" for at in (2, 3)]
    assert told[20:] == [f"{file}: and 4,990 more lines passed over"] * 2


def test_two_runs_of_a_thread_are_told_apart(file):
    desk(file)
    desk(file)
    for options in (("--why", 0), ("--follow",)):
        given = None if options[0] == "--why" else file.read_bytes()
        shown = trace("show", file if given is None else "-", *options, given=given).stdout
        first, second = (line for line in shown.splitlines() if line.startswith("Run: "))
        assert first == "Run: thread desk/u-3"
        assert re.fullmatch(r"Run: thread desk/u-3, trace [0-9a-f]{32}, [0-9T:-]{19}Z", second)
    first, second = (line for line in show(file).stdout.splitlines() if line.startswith("Run: "))
    assert first == "Run: thread desk/u-3"
    assert re.fullmatch(r"Run: thread desk/u-3, trace [0-9a-f]{32}, [0-9T:-]{19}Z", second)


def test_a_call_that_failed_is_followed_to_what_allowed_it(file):
    tracer = JsonLinesTracer(file)
    with tracer.run("desk", thread="t"):
        with (
            spans.node(tracer, "check", 0),
            spans.tool_check(tracer, "charge", {}, call_id="c1") as check,
        ):
            check.decided("allow", "default", rule="anybody")
        with contextlib.suppress(KeyError), spans.node(tracer, "call", 1):  # noqa: SIM117
            with spans.tool(tracer, "charge", {}, call_id="c1"):
                raise KeyError
    assert show(file, "--why", 1).stdout.splitlines()[2:5] == [
        "  nothing was decided in it",
        "  call      charge error KeyError",
        "    decided by allow by default anybody",
    ]


def test_what_cannot_be_exported_is_told(file, tmp_path):
    desk(file)
    for arguments, said in (
        ([file], "Name the format: --otlp."),
        ([file, "--otlp", "-o", tmp_path], "Is a directory"),
        ([file, "--otlp", "-o", file], "OUT is FILE itself"),
    ):
        result = trace("export", *arguments)
        assert result.exit_code == 2
        assert said in result.stderr
    assert show(file).stdout == DESK
    untouched = tmp_path / "untouched"
    assert trace("export", tmp_path / "none", "--otlp", "-o", untouched).exit_code == 2
    assert not untouched.exists()


# Bad input


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"type": "span", "tra', "the last line is cut short"),
        (b"not json\n", "it is not JSON"),
        (b"[1]\n", "it is not an object"),
        (b"\xff\xfe\n", "it is not JSON"),
        pytest.param(b"[" * 100_000 + b"\n", "it is not JSON", id="deep"),
        (lines(record(trace_id=None)), "Expected `str`, got `null` - at `$.trace_id`"),
        (lines(record(parent_id=3)), "Expected `str | null`, got `int` - at `$.parent_id`"),
        (lines(record(attributes=[])), "Expected `object`, got `array` - at `$.attributes`"),
        (lines(record(error={})), "Object missing required field `type` - at `$.error`"),
        (lines(record(start="yes")), "Invalid RFC3339 encoded datetime - at `$.start`"),
    ],
)
def test_a_line_that_is_no_record_is_named_and_the_rest_is_shown(file, line, reason):
    file.write_bytes(lines(record()) + line)
    result = show(file)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == timeline(lines(record()))
    assert result.stderr == f"{file}:2: passed over: {reason}\n"


@pytest.mark.parametrize("command", [["show"], ["show", "--list"], ["tree"], ["export", "--otlp"]])
def test_what_cannot_be_read_is_told(tmp_path, command):
    name, *options = command
    something = tmp_path / "something.txt"
    something.write_text("hello\nworld\n")
    empty = tmp_path / "empty"
    empty.touch()
    for path, said in (
        (tmp_path / "none.jsonl", "none.jsonl: No such file or directory"),
        (tmp_path, "Is a directory"),
        (something, f"{something}:1: no span: it is not JSON"),
        (empty, f"{empty}: it holds no spans"),
    ):
        result = trace(name, path, *options)
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in result.stderr


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


def test_the_group_names_its_commands_without_what_they_need():
    script = (
        "import sys\n"
        "sys.modules['msgspec'] = None\n"
        "from stalwart_lang.cli import main\n"
        "sys.argv = ['stalwart', 'trace', *sys.argv[1:]]\n"
        "main()\n"
    )
    run = [sys.executable, "-c", script]
    helped = subprocess.run([*run, "--help"], capture_output=True, text=True, check=False)
    assert helped.returncode == 0
    for name in ("show", "html", "tree", "stats", "diff", "export"):
        assert f"\n  {name} " in helped.stdout
    lacking = subprocess.run([*run, "show", "x"], capture_output=True, text=True, check=False)
    assert lacking.returncode == 2
    assert "stalwart trace needs msgspec: pip install 'stalwart-lang[trace]'" in lacking.stderr
    assert trace("paint").exit_code == 2


@given(st.binary() | st.binary().map(lambda tail: lines(record()) + tail))
def test_no_file_breaks_the_reader(content):
    for found in read_spans(io.BytesIO(content)):
        assert isinstance(found, Span | Damage)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)
NAMES = st.sampled_from(
    ["stalwart.plan", "stalwart.tool_check", "stalwart.compensate", "stalwart.node", "chat x", "?"]
)


@given(
    st.lists(
        st.tuples(
            NAMES,
            st.sampled_from("123"),
            st.sampled_from("123") | st.none(),
            st.sampled_from(["start", "span"]),
            st.sampled_from([*READ, "stalwart.outcome", "stalwart.step", "gen_ai.operation.name"]),
            ODD,
        ),
        min_size=1,
        max_size=5,
    )
)
def test_no_attribute_breaks_a_view(tmp_path_factory, made):
    file = tmp_path_factory.mktemp("odd") / "f"
    file.write_bytes(
        lines(
            *(
                record(kind, name=name, span_id=span, parent_id=parent, attributes={key: value})
                for name, span, parent, kind, key, value in made
            )
        )
    )
    for command in (["show"], ["show", "--list"], ["tree"], ["export", "--otlp"]):
        result = trace(command[0], file, *command[1:])
        assert (result.exit_code, result.stderr) == (0, "")


# On a terminal


def on_a_terminal(*arguments: object, **environment: str) -> str:
    ours, theirs = pty.openpty()
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    with subprocess.Popen(
        [sys.executable, "-m", "stalwart_lang", "trace", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        env={**clean, "TERM": "xterm-256color", **environment},
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # Linux tells so that the other side is closed
            pass
        os.close(ours)
    assert process.returncode == 0
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_shows_colours_and_folds(file):
    desk(file)
    coloured = on_a_terminal("show", file, COLUMNS="40")
    assert "\x1b[32mallow\x1b[0m" in coloured
    assert "\x1b[33mconfirm\x1b[0m" in coloured
    assert "\x1b[1;31mrefuse\x1b[0m" in coloured
    plain = on_a_terminal("show", file, COLUMNS="40", NO_COLOR="1")
    assert "\x1b[3" not in plain
    folded = [
        line.replace("\x1b[1m", "").replace("\x1b[0m", "").rstrip() for line in plain.split("\n")
    ]
    assert max(map(len, folded)) <= 40
    refusal = folded.index("  check     refund_card -> refuse")
    assert folded[refusal + 1].startswith(" " * 12 + "[big-refund]")
    drawn = on_a_terminal("tree", file, COLUMNS="40", NO_COLOR="1")
    assert len(drawn.splitlines()) == len(trace("tree", file).stdout.splitlines())
    assert "…" in drawn


# Following


class Following:
    """`show --follow` in a process of its own, read line by line."""

    def __init__(self, file: object, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "stalwart_lang", "trace", "show", "--follow", file, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        # What never comes ends the test, not the suite.
        self.last_resort = threading.Timer(60, self.process.kill)
        self.last_resort.start()

    def lines(self, count: int) -> list[str]:
        assert self.process.stdout is not None
        return [self.process.stdout.readline().rstrip("\n") for _ in range(count)]


@pytest.fixture
def follow() -> Iterator[type[Following]]:
    started = []

    def start(*arguments: object) -> Following:
        started.append(Following(*arguments))
        return started[-1]

    yield start
    for following in started:
        following.last_resort.cancel()
        with following.process as process:
            process.kill()


def test_a_run_is_followed_as_it_goes(file, follow):
    following = follow(file)
    tracer = JsonLinesTracer(file)
    with tracer.run("desk", thread="desk/u-3"):
        with spans.node(tracer, "run", 0):
            assert following.lines(3) == ["Run: thread desk/u-3", "step 0", "  node      run"]
            checked(tracer, "ship", "allow")
            assert following.lines(1) == ["  check     ship -> allow"]
        with spans.node(tracer, "run", 1) as node:
            assert following.lines(2) == ["step 1", "  node      run"]
            with pytest.raises(KeyError), spans.tool(tracer, "ship", {}):
                raise KeyError
            node.record_error(KeyError())
        assert following.lines(2) == [
            "  call      ship error KeyError",
            "  node      run error KeyError",
        ]
    with tracer.run("sales"), tracer.model_call("m", name="turn-1") as call:
        call.responded(stop_reason="end_turn")
        blank, heading, *shown = following.lines(4)
    assert blank == ""
    assert heading.startswith("Run: trace ")
    assert shown == ["step 0", "  model     turn-1 stop=end_turn"]
    following.process.send_signal(signal.SIGINT)
    assert following.process.wait() == 0
    assert following.process.stderr.read() == ""


def test_following_survives_rotation_truncation_and_damage(file, follow):
    following = follow(file)

    def told(span: str, start: str = "") -> bytes:
        return lines(record(name=span, span_id=span, attributes={}))

    file.write_bytes(told("one") + b"damage\n")
    assert following.lines(3)[1:] == ["step 0", "  span      one"]
    with file.open("ab") as out:
        whole = told("two")
        out.write(whole[:30])
        out.flush()
        out.write(whole[30:] + told("three"))
        out.flush()
        assert following.lines(4) == ["step 1", "  span      two", "step 2", "  span      three"]
    file.rename(file.with_suffix(".1"))
    file.write_bytes(told("four"))
    assert following.lines(2) == ["step 3", "  span      four"]
    file.write_bytes(b"")
    with file.open("ab") as out:
        out.write(told("5"))
    assert following.lines(2) == ["step 4", "  span      5"]
    following.process.send_signal(signal.SIGINT)
    assert following.process.wait() == 0
    assert following.process.stderr.read() == f"{file}:2: passed over: it is not JSON\n"


def test_following_keeps_to_what_is_chosen(file, follow):
    by_thread, by_trace = follow(file, "--thread", "t-1"), follow(file, "--trace-id", "BBBB")
    file.write_bytes(
        lines(
            record(trace_id="aaaa", name="a", span_id="1", attributes={}),
            record(
                trace_id="aaaa", name="b", span_id="2", attributes={"gen_ai.conversation.id": "t-1"}
            ),
            record(trace_id="bbbb", name="c", span_id="3", attributes={}),
        )
    )
    assert by_thread.lines(5)[2::2] == ["  span      a", "  span      b"]
    assert by_trace.lines(3) == ["Run: trace bbbb", "step 0", "  span      c"]


def test_standard_input_is_followed_to_its_end(file):
    desk(file)
    result = trace("show", "--follow", "-", given=file.read_bytes())
    failed = "  call      ship error RuntimeError\n"
    as_it_came = DESK.replace(
        f"run error RuntimeError\n{failed}", f"run\n{failed}  node      run error RuntimeError\n"
    )
    assert (result.exit_code, result.stdout) == (0, as_it_came)


def test_what_cannot_be_followed_is_told(tmp_path):
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(b"{}\n"))
    for path, said in (
        (packed, "it is compressed: show it without --follow"),
        (tmp_path, "Is a dir"),
    ):
        result = show(path, "--follow")
        assert result.exit_code == 2
        assert said in result.stderr


def test_a_run_in_several_parts_of_a_rotated_file_is_read_as_one(tmp_path):
    path = tmp_path / "run.jsonl"
    with JsonLinesTracer(path, max_bytes=2_000) as tracer, tracer.run("loop"):
        for number in range(12):
            with tracer.node(f"n{number}"), tracer.tool("read"):
                pass
    parts = sorted(tmp_path.glob("run.*.jsonl"))
    assert len(parts) > 2
    shown = trace("show", "-", given=b"".join(one.read_bytes() for one in (*parts, path)))
    nodes = [line.split()[1] for line in shown.stdout.splitlines() if "node" in line]
    assert nodes == [f"n{number}" for number in range(12)]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize(
    "command", ["show", "tree", "stats", "stats --json", "diff", "diff --json"]
)
def test_a_full_disk_is_not_said_of_the_file_that_is_read(file, command):
    with JsonLinesTracer(file) as tracer, tracer.run("loop"):
        pass
    name, *options = command.split()
    files = [str(file)] * (2 if name == "diff" else 1)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "stalwart_lang", "trace", name, *files, *options],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == b"Error: standard output, or the temporary folder, is full\n"


@pytest.mark.parametrize(
    "held",
    [
        '"attributes":"\\ud800"',
        '"name":"stalwart.node","duration_ms":NaN',
        '"name":"stalwart.node","duration_ms":Infinity',
        '"type":"start","name":"a","end":"2026-01-01T00:00:00Z","duration_ms":1e308',
        '"name":"stalwart.plan"',
    ],
)
def test_no_command_fails_on_a_strange_record(held):
    started = '"trace_id":"b","span_id":"2","start":"2026-01-01T00:00:00Z"'
    line = f'{{"type":"span",{started},{held}}}'
    for command in (("show",), ("tree",), ("stats",), ("export", "--otlp"), ("html",)):
        done = trace(*command, "-", given=line.encode() + b"\n")
        assert done.exit_code in (0, 2), (command, done.output)
        assert done.exception is None or isinstance(done.exception, SystemExit), command


def test_a_files_name_cannot_act_on_the_terminal(tmp_path):
    path = tmp_path / "a\x1b[31mb.jsonl"
    path.write_bytes(b"")
    for command in (("show",), ("tree",), ("stats",), ("diff", path)):
        done = trace(*command, path)
        assert done.exit_code == 2
        assert "\x1b" not in done.output
