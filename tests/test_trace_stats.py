"""`stalwart trace stats`: what is counted, over one run and over many, and the loops found."""

import gzip
import json
import math
import os
import pty
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from stalwart_lang.cli import stalwart
from stalwart_lang.loops import (
    Loop,
    LoopFinder,
    RepeatedCall,
    detect_loop,
    find_loops,
)
from stalwart_lang.timeline import Run, gather_runs, read_spans
from stalwart_lang.timeline.kinds import kind_of, tokens_of
from stalwart_lang.timeline.otlp import write_messages
from stalwart_lang.timeline.runs import Node
from stalwart_lang.timeline.stats.as_json import summary_object
from stalwart_lang.timeline.stats.figures import loops, run_figures
from stalwart_lang.timeline.stats.plot import bars, histogram
from stalwart_lang.timeline.stats.summary import Summary
from stalwart_lang.timeline.stats.text import duration
from stalwart_lang.timeline.stats.timings import percentiles
from stalwart_lang.tracing import JsonLinesTracer, continue_trace, spans

ROOT = Path(__file__).parent.parent
BEGAN = datetime(2027, 3, 1, 9, tzinfo=UTC)
NO_DAMAGE = pytest.fail


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def stats(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(stalwart, ["trace", "stats", *map(str, arguments)], input=stdin)


def figures(*arguments: object, stdin: bytes | None = None) -> dict[str, Any]:
    result = stats(*arguments, "--json", stdin=stdin)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return json.loads(result.stdout)


def record(
    name: str,
    span_id: str,
    parent_id: str | None = None,
    *,
    trace: str = "run-1",
    kind: str = "span",
    at: float = 0,
    took: float = 1,
    failed: bool = False,
    **attributes: object,
) -> dict[str, Any]:
    """A record, `at` and `took` in milliseconds; `_` in an attribute's name stands for a dot."""
    start = BEGAN + timedelta(milliseconds=at)
    made: dict[str, Any] = {
        "type": kind,
        "trace_id": trace,
        "span_id": span_id,
        "parent_id": parent_id,
        "name": name,
        "start": start.isoformat(),
        "attributes": {key.replace("__", "."): value for key, value in attributes.items()},
    }
    if kind == "span":
        status = "error" if failed else "ok"
        error = {"type": "OSError"} if failed else None
        made |= {"duration_ms": took, "status": status, "error": error}
        made |= {"end": (start + timedelta(milliseconds=took)).isoformat(), "events": []}
    return made


def model(span_id: str, parent_id: str | None = None, **more: Any) -> dict[str, Any]:
    return record("chat m", span_id, parent_id, gen_ai__operation__name="chat", **more)


def tool(
    span_id: str, parent_id: str | None = None, name: str = "read", digest: str = "", **more: Any
) -> dict[str, Any]:
    told = {"stalwart__arguments_digest": digest} if digest else {}
    return record("stalwart.tool", span_id, parent_id, gen_ai__tool__name=name, **told, **more)


def root(span_id: str, parent_id: str | None = None, **more: Any) -> dict[str, Any]:
    told = {"gen_ai__operation__name": "invoke_agent", "gen_ai__agent__name": "desk"}
    return record("invoke_agent desk", span_id, parent_id, **told, **more)


def lines(records: Sequence[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def runs_of(records: Sequence[Mapping[str, Any]]) -> list[Run]:
    found = read_spans(lines(records).splitlines(True))
    return gather_runs(span for span in found if not hasattr(span, "reason"))


def run_of(records: Sequence[Mapping[str, Any]]) -> Run:
    (run,) = runs_of(records)
    return run


# What is counted


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("v-good", (4, 4, 5, 0, 5303, 730, 6033)),
        ("v-bug", (4, 4, 5, 1, 5350, 750, 6100)),
        ("v-fixed", (5, 5, 6, 1, 7521, 838, 8359)),
    ],
)
def test_the_figures_of_the_lesson(file, version, expected):
    script = ROOT / "examples" / "sales_summary" / "run.py"
    command = [sys.executable, script, "--version", version, "--trace", file]
    subprocess.run(command, check=True, capture_output=True)
    found = figures(file)
    keys = ("rounds", "model_calls", "tool_calls", "errors")
    tokens = ("tokens_in", "tokens_out", "tokens_total")
    assert tuple(found[key] for key in (*keys, *tokens)) == expected
    assert (found["runs"], found["outcome"], found["completion_rate"]) == (1, "completed", 1.0)
    assert found["calls_by_tool"]["read_file"] == expected[2] - 2
    assert found["errors_by_tool"]["read_file"] == expected[3]
    assert found["latency_ms"]["runs"]["p99"] == found["wall_ms"] > 0
    assert found["loops"] == found["repeated_calls"] == []


def test_the_rounds_of_a_sub_agent_are_its_own(file):
    file.write_bytes(
        lines(
            [
                root("r"),
                model("m1", "r"),
                tool("t1", "m1", "ask_expert"),
                root("sub", "t1"),
                model("m2", "sub"),
                model("m3", "sub"),
                tool("t2", "m3", "look_up"),
                model("m4", "r"),
                model("inner", "m4"),
            ]
        )
    )
    found = figures(file)
    assert (found["rounds"], found["model_calls"], found["tool_calls"]) == (2, 5, 2)


def test_an_error_that_passes_up_through_its_parents_is_one(file):
    file.write_bytes(
        lines(
            [
                tool("t1", "m1", failed=True),
                tool("t2", "m1"),
                tool("t3", "m1", failed=True),
                model("m1", "r", failed=True),
                tool("t4", "m2"),
                model("m2", "r", failed=True),
                root("r", failed=True),
            ]
        )
    )
    found = figures(file)
    assert found["errors"] == 3
    assert found["errors_by_tool"] == {"read": 2}
    assert found["outcome"] == "failed"
    assert found["completion_rate"] == 0


def test_a_run_of_ours_with_checks_confirmations_and_undos(file):
    with JsonLinesTracer(file) as tracer, tracer.run("desk", thread="desk/u-17"):
        with tracer.node("run", 0), spans.tool_check(tracer, "delete_order", {"id": 1}) as check:
            check.decided("refuse", "rulebook", rule="never-delete")
        with tracer.node("run", 1), spans.tool_check(tracer, "merge_orders", {"id": 1}) as check:
            check.decided("refuse", "order")
        with tracer.node("run", 2):
            with spans.tool_check(tracer, "charge_card", {"id": 1}) as check:
                check.decided("confirm", "confirmation", reasons=["write"])
            with spans.interrupt(tracer, "charge_card", waits_for="write", outcome="confirm"):
                pass
        for answer in ("approve", "decline"):
            with spans.resume(tracer, "charge_card", answer):
                pass
        with tracer.node("run", 3), tracer.tool("charge_card", {"id": 1}):
            pass
        undo = spans.compensate(tracer, "refund_card", {"id": 1}, undoes=3)
        with spans.rollback(tracer), undo:
            pass
    found = figures(file)
    assert (found["rounds"], found["steps"], found["model_calls"]) == (0, 4, 0)
    assert found["calls_by_tool"] == {"charge_card": 1}
    assert found["refusals"] == {"never-delete": 1, "order": 1}
    assert found["confirmations"] == {"asked": 1, "approved": 1, "declined": 1}
    assert (found["undone"], found["outcome"], found["thread"]) == (1, "failed", "desk/u-17")
    assert found["name"] == "desk"


def test_a_run_waits_until_it_is_resumed_by_another_process(file):
    with JsonLinesTracer(file) as tracer, tracer.run("desk") as run:
        identity = run.traceparent
        with spans.interrupt(tracer, "charge_card", waits_for="write", outcome="confirm"):
            pass
    assert figures(file)["outcome"] == "waiting"
    with JsonLinesTracer(file) as tracer:
        for number in range(20):  # runs of others meanwhile
            with tracer.run(f"other-{number}"):
                pass
        with continue_trace(identity), spans.resume(tracer, "charge_card", "approve"):
            pass
    found = figures(file)
    assert found["outcomes"] == {"completed": 21, "failed": 0, "waiting": 0, "open": 0}


def test_a_killed_run_is_open_and_counts_what_it_had_begun(file):
    file.write_bytes(
        lines(
            [
                root("r", kind="start"),
                model("m", "r", kind="start", at=1),
                model("m", "r", at=1, took=5),
                tool("t", "m", kind="start", at=7, digest="d"),
            ]
        )
    )
    found = figures(file)
    assert (found["outcome"], found["open_spans"], found["tool_calls"]) == ("open", 2, 1)
    assert found["wall_ms"] == 7
    assert found["latency_ms"]["tools"] == {"read": None}
    assert found["completion_rate"] == 0


def test_tools_and_models_of_others_count(file):
    chat = {"gen_ai__operation__name": "generate_content", "gen_ai__usage__input_tokens": 7}
    call = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "search"}
    spoilt = {"gen_ai__operation__name": "chat", "gen_ai__usage__input_tokens": "many"}
    records = [
        record("invoke_agent x", "1", gen_ai__operation__name="invoke_agent"),
        record("generate_content g", "2", "1", **chat),
        record("execute_tool search", "3", "1", **call),
        record("chat g", "4", "1", gen_ai__conversation__id=5, **spoilt),
        record("GET /", "5", "3"),
    ]
    file.write_bytes(lines(records))
    found = figures(file)
    assert (found["model_calls"], found["tool_calls"], found["tokens_in"]) == (2, 1, 7)
    assert found["thread"] is None


def test_the_wall_time_is_the_roots(file):
    late = tool("t", "r", at=90, took=20)  # it outlives its root
    file.write_bytes(lines([root("r", at=0, took=100), late]))
    assert figures(file)["wall_ms"] == 100


# Over many runs


def many_runs(count: int) -> list[dict[str, Any]]:
    records = []
    for number in range(count):
        known: dict[str, Any] = {"trace": f"run-{number}", "at": number * 1000}
        records += [
            model(f"m{number}", f"r{number}", gen_ai__usage__output_tokens=number, **known),
            tool(f"t{number}", f"m{number}", took=number + 1, failed=number % 10 == 0, **known),
            root(f"r{number}", took=2 * (number + 1), failed=number % 4 == 0, **known),
        ]
    return records


def test_many_runs_are_added_up(file):
    file.write_bytes(lines(many_runs(100)))
    found = figures(file)
    assert found["runs"] == 100
    assert found["outcomes"] == {"completed": 75, "failed": 25, "waiting": 0, "open": 0}
    assert found["completion_rate"] == 0.75
    assert (found["rounds"], found["model_calls"], found["tool_calls"]) == (100, 100, 100)
    assert found["errors"] == 10 + 20  # of every twenty, five roots failed, one below its tool
    assert found["errors_by_tool"] == {"read": 10}
    assert found["tokens_total"] == found["tokens_out"] == sum(range(100))
    assert found["tokens_per_run"] == {"mean": 49.5, "p50": 49, "p95": 94, "p99": 98, "max": 99}
    assert found["latency_ms"]["tools"]["read"] == {
        "mean": 50.5,
        "p50": 50,
        "p95": 95,
        "p99": 99,
        "max": 100,
    }
    assert found["latency_ms"]["runs"]["p50"] == 100
    assert found["wall_ms"] == sum(2 * (number + 1) for number in range(100))
    assert "trace_id" not in found
    assert "outcome" not in found


def test_figures_of_each_run(file):
    file.write_bytes(lines(many_runs(3)))
    found = figures(file, "--runs")
    assert [run["trace_id"] for run in found["per_run"]] == ["run-0", "run-1", "run-2"]
    assert [run["outcome"] for run in found["per_run"]] == ["failed", "completed", "completed"]
    assert [run["wall_ms"] for run in found["per_run"]] == [2, 4, 6]
    assert found["per_run"][1]["calls_by_tool"] == {"read": 1}
    assert found["per_run"][0]["errors_by_tool"] == {"read": 1}
    assert "per_run" not in figures(file)


def test_a_run_may_go_on_in_another_file(tmp_path):
    records = many_runs(60)
    for cut in (1, 2, 106, 122):
        older, newer = tmp_path / f"{cut}.1.jsonl", tmp_path / f"{cut}.jsonl"
        older.write_bytes(lines(records[:cut]))
        newer.write_bytes(lines(records[cut:]))
        whole = figures(older, newer)
        assert whole["outcomes"]["completed"] == 45
        # Rotated files may come in any order.
        other = figures(newer, older)
        for key in ("runs", "outcomes", "model_calls", "tool_calls", "tokens_total"):
            assert other[key] == whole[key], key


def test_a_run_or_a_thread_is_chosen(file, tmp_path):
    records = [
        root("a", trace="aaaa1111", gen_ai__conversation__id="desk/u-1"),
        root("b", trace="aaaa2222", gen_ai__conversation__id="desk/u-2"),
        root("c", trace="cccc3333", gen_ai__conversation__id="desk/u-1"),
    ]
    file.write_bytes(lines(records))
    assert figures(file, "--trace-id", "cccc")["trace_id"] == "cccc3333"
    assert figures(file, "--thread", "desk/u-1")["runs"] == 2
    found = stats(file, "--trace-id", "aaaa")
    assert found.exit_code == 2
    assert "fits several traces" in found.stderr
    found = stats(file, "--thread", "desk/u-9")
    assert found.exit_code == 2
    assert "it holds no run of thread desk/u-9" in found.stderr
    other = tmp_path / "other.jsonl"
    other.write_bytes(lines([root("d", trace="cccc4444")]))
    assert figures(file, other, "--trace-id", "cccc3")["trace_id"] == "cccc3333"
    found = stats(file, other, "--trace-id", "cccc")
    assert found.exit_code == 2
    assert "fits several traces (cccc3333, cccc4444)" in found.stderr


# The same, counted in other ways

KINDS = (
    ("stalwart.tool", None),
    ("chat m", "chat"),
    ("stalwart.node", None),
    ("invoke_agent a", "invoke_agent"),
    ("vendor", None),
    ("stalwart.interrupt", None),
    ("stalwart.resume", None),
    ("execute_tool q", "execute_tool"),
    ("stalwart.tool_check", "execute_tool"),
    ("stalwart.rollback", None),
)
WEIGHTS = (6, 6, 4, 2, 1, 1, 1, 2, 1, 0.2)


def forest(chance: random.Random, traces: int, size: int) -> list[dict[str, Any]]:
    """Records of random runs, in the order in which a tracer writes them, or in none."""
    starts = chance.random() < 0.5
    made = []
    for trace in range(traces):
        count = chance.randint(1, size)
        ids = [f"{chance.getrandbits(64):016x}" for _ in range(count)]
        for number, span_id in enumerate(ids):
            name, operation = chance.choices(KINDS, WEIGHTS)[0]
            parent = None
            if number and chance.random() < 0.97:
                parent = chance.choice(ids[:number]) if chance.random() < 0.95 else "of-no-one"
            killed = chance.random() < 0.04
            told: dict[str, Any] = (
                {} if operation is None else {"gen_ai__operation__name": operation}
            )
            if operation == "chat" and not killed:
                told["gen_ai__usage__input_tokens"] = chance.randint(0, 9)
            if name == "stalwart.resume":
                told["stalwart__answer"] = chance.choice(["approve", "decline"])
            at, took = trace * 3 + number, chance.random() * 20
            known: dict[str, Any] = {"trace": f"run-{trace}", "at": at, **told}
            if starts or killed:
                made.append((at, record(name, span_id, parent, kind="start", **known)))
            if not killed:
                failed = chance.random() < 0.3
                ended = record(name, span_id, parent, took=took, failed=failed, **known)
                made.append((at + took, ended))
    made.sort(key=lambda one: one[0])
    return [one for _, one in made]


def counted(run: Run) -> Counter[str]:
    """The figures of a run by their definitions, without a thought of speed."""
    found: Counter[str] = Counter()

    def failed_below(node: Node) -> bool:
        return any(child.span.failed or failed_below(child) for child in node.children)

    def count(node: Node, within: bool) -> None:
        kind = kind_of(node.span)
        found["rounds"] += kind == "model" and not within
        found["errors"] += node.span.failed and not failed_below(node)
        for child in node.children:
            count(child, within or kind in ("model", "tool"))

    for node in run.roots:
        count(node, False)
    for span in run.spans:
        kind = kind_of(span)
        found["open_spans"] += span.open
        found["model_calls"] += kind == "model"
        found["tool_calls"] += kind == "tool"
        found["tokens_in"] += tokens_of(span)[0] if kind == "model" else 0
        found["asked"] += kind == "interrupt"
    found[run.outcome] += 1
    return found


def summed(file: Path, **bounds: int) -> Counter[str]:
    summary = Summary(**bounds)
    summary.read(str(file), NO_DAMAGE)
    summary.finish()
    found = summary_object(summary)
    names = ("rounds", "errors", "open_spans", "model_calls", "tool_calls", "tokens_in")
    return Counter(
        {name: found[name] for name in names}
        | {"asked": found["confirmations"]["asked"]}
        | found["outcomes"]
    )


@given(st.integers(0, 2**32))
def test_each_run_is_counted_by_the_definitions(seed):
    for run in runs_of(forest(random.Random(seed), 3, 14)):
        found = run_figures(run)
        expected = counted(run)
        for name in expected:
            assert expected[name] == getattr(found, name, found.outcome == name), name


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize(
    "bounds",
    [
        pytest.param({}, id="held"),
        pytest.param({"held_bytes": 3_000}, id="laid aside"),
        pytest.param({"large": 6}, id="as numbers"),
        pytest.param({"large": 6, "held_bytes": 3_000}, id="as numbers and laid aside"),
    ],
)
def test_runs_are_counted_alike_however_they_are_held(file, seed, bounds):
    chance = random.Random(seed)
    few = seed % 2 == 0
    records = forest(chance, chance.randint(1, 7), 14) if few else forest(chance, 2, 1500)
    if seed % 5 == 0:  # no more runs than are held when their roots have ended
        chance.shuffle(records)
    file.write_bytes(lines(records))
    expected = sum(map(counted, runs_of(records)), Counter())
    assert +summed(file, **bounds) == +expected


def test_a_large_run_that_is_deep_or_wide(file):
    chain = [model(str(n), str(n - 1) if n else None, at=n, failed=True) for n in range(3000)]
    file.write_bytes(lines(chain[::-1]))
    assert summed(file, large=100)["rounds"] == summed(file)["rounds"] == 1
    assert summed(file, large=100)["errors"] == summed(file)["errors"] == 1
    wide = [root("r", kind="start"), *(tool(str(n), "r", kind="start") for n in range(25_000))]
    wide += [tool(str(n), "r") for n in range(0, 25_000, 2)]
    file.write_bytes(lines(wide))
    found = summed(file, large=100)
    assert (found["tool_calls"], found["open_spans"], found["open"]) == (25_000, 12_501, 1)


def test_a_span_recorded_twice_counts_once(file, tmp_path):
    records = many_runs(5)
    file.write_bytes(lines(records + records))
    assert figures(file)["tool_calls"] == 5
    records = many_runs(200)  # more than are held at once
    file.write_bytes(lines(records + records))
    found = figures(file)
    assert (found["runs"], found["tool_calls"], found["errors"]) == (200, 200, 60)
    result = stats(file, tmp_path / "." / file.name)
    assert result.exit_code == 2
    assert "is given twice" in result.stderr


# Where it reads from, and what is wrong there


@pytest.mark.parametrize("how", ["gzip", "zstandard", "stdin", "otlp"])
def test_other_sources(file, how):
    records = many_runs(4)
    plain = lines(records)
    file.write_bytes(plain)
    expected = figures(file)
    if how == "stdin":
        assert figures("-", stdin=plain) == expected
        return
    if how == "gzip":
        file.write_bytes(gzip.compress(plain))
    elif how == "zstandard":
        import zstandard

        file.write_bytes(zstandard.compress(plain))
    else:
        messages = [line for run in runs_of(records) for line in write_messages(run)]
        file.write_bytes(b"".join(messages))
    found = figures(file)
    for key in ("runs", "outcomes", "rounds", "errors", "calls_by_tool", "tokens_total"):
        assert found[key] == expected[key], key


def test_lines_that_hold_no_record_are_named_and_the_rest_is_counted(file):
    file.write_bytes(b"not json\n\n" + lines(many_runs(2)) + b'{"type": "span", "tra')
    result = stats(file, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["runs"] == 2
    assert result.stderr.splitlines() == [
        f"{file}:1: passed over: it is not JSON",
        f"{file}:9: passed over: the last line is cut short",
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", ": it holds no spans"),
        (b'{"type": "metric"}\n', ": it holds no spans"),
        (b"hello\nworld\n", ":1: no span: it is not JSON"),
    ],
)
def test_a_file_without_spans_is_unreadable_input(file, content, reason):
    file.write_bytes(content)
    result = stats(file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{file}{reason}" in result.stderr


def test_what_cannot_be_read_or_asked(file, tmp_path):
    missing = stats(tmp_path / "none.jsonl")
    assert missing.exit_code == 2
    assert "none.jsonl: No such file or directory" in missing.stderr
    assert stats(tmp_path).exit_code == 2
    file.write_bytes(lines(many_runs(1)))
    for arguments, said in (
        ((), "Give a FILE"),
        ((file, "--store", "sqlite:///x.db"), "not both"),
        (("--store", "sqlite:///x.db"), "--thread"),
        (("--store", "sqlite:///x.db", "--trace-id", "abcd"), "threads, not traces"),
        ((file, "--trace-id", "ab"), "at least 4"),
    ):
        result = stats(*arguments)
        assert result.exit_code == 2
        assert said in result.stderr


@given(st.binary() | st.binary().map(lambda tail: lines(many_runs(1)) + tail))
def test_no_file_breaks_it(content):
    result = stats("-", "--runs", stdin=content)
    assert result.exit_code in (0, 2)
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_numbers_and_names_that_no_honest_tracer_writes(file):
    tokens = {"gen_ai__usage__input_tokens": 10**30, "gen_ai__usage__output_tokens": -5}
    records = [
        model("m", "r", **tokens) | {"duration_ms": 1e300},
        tool("t", "m", "\x1b[2J\u202e" * 30) | {"duration_ms": float("nan")},
        root("r", gen_ai__conversation__id="\ud800"),
    ]
    file.write_bytes(lines(records))
    result = stats(file, "--runs")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    found = figures(file)
    assert found["tokens_total"] == 0
    assert len(found["calls_by_tool"]) == 1


# What a person sees


def test_plain_text_in_a_pipe(file):
    file.write_bytes(lines(many_runs(20)))
    result = stats(file, "--runs")
    assert result.exit_code == 0
    shown = result.stdout.splitlines()
    assert shown[0] == "20 runs"
    assert shown[1] == "completed      75.0%; 15 completed; 5 failed"
    assert "rounds         20" in shown
    assert "errors         6" in shown
    assert "tokens         190 (0 in, 190 out); a run: mean 10, most 19" in shown
    heads = next(line for line in shown if line.startswith("latency"))
    read = next(line for line in shown if line.startswith("read"))
    assert heads.split() == ["latency", "calls", "errors", "p50", "p95", "p99", "max"]
    assert " ".join(read.split()) == "read 20 2 (10.0%) 10 ms 19 ms 20 ms 20 ms"
    assert len(heads) == len(read)
    table = shown[-21:]
    assert table[0].split()[:3] == ["run", "began", "outcome"]
    assert table[1].split()[:4] == ["run-0", "2027-03-01", "09:00:00", "failed"]
    assert len({len(line) for line in table}) == 1
    assert "▁" not in result.stdout


def test_one_run_says_what_it_is(file):
    file.write_bytes(lines([root("r", took=1500, gen_ai__conversation__id="desk/u-1")]))
    shown = stats(file).stdout.splitlines()
    assert shown[:3] == [
        "Run: desk, thread desk/u-1, trace run-1",
        "outcome        completed",
        "time           1.5 s",
    ]


def test_a_terminal_shows_how_runs_are_spread(file):
    file.write_bytes(lines(many_runs(40)))
    shown = on_terminal("trace", "stats", file)
    assert "▁" in shown
    assert "time a run" in shown
    assert "tokens a run" in shown


def on_terminal(*arguments: object) -> str:
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        [sys.executable, "-m", "stalwart_lang", *map(str, arguments)],
        stdout=follower,
        stdin=subprocess.DEVNULL,
        env=environment,
    ) as running:
        os.close(follower)
        shown = b"".join(read_all(leader))
        assert running.wait() == 0
    os.close(leader)
    return shown.decode()


def read_all(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            piece = os.read(descriptor, 65536)
        except OSError:  # the other side is closed
            return
        if not piece:
            return
        yield piece


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (0, "0 µs"),
        (0.0314, "31 µs"),
        (12.345, "12.3 ms"),
        (1500, "1.5 s"),
        (119_000, "119 s"),
        (180_000, "3 min"),
        (36_000_000, "10.0 h"),
    ],
)
def test_durations_for_reading(milliseconds, shown):
    assert duration(milliseconds) == shown


def test_plots():
    assert bars([0, 1, 50, 100]) == " ▁▄█"
    assert histogram([1, 2]) == histogram([5, 5, 5]) == histogram([0, 0, 0]) == ""
    assert histogram([0, 1, 10, 100, 100, 100], columns=3) == "▂▂█"
    assert histogram([1.0] * 8 + [1000.0], columns=8) == "█      ▁"


@given(st.lists(st.floats(0, 1e12) | st.integers(0, 5), min_size=1), st.integers(1, 100))
def test_a_percentile_is_the_least_value_that_so_many_reach(values, percent):
    (found,) = percentiles(values, [percent])
    assert found in values
    assert 100 * sum(value <= found for value in values) >= percent * len(values)
    less = [value for value in values if value < found]
    assert 100 * len(less) < percent * len(values)


def test_percentiles_of_very_many_values():
    chance = random.Random(5)
    values = [chance.choice([0.0, 1.0, chance.expovariate(1), 1e15]) for _ in range(200_000)]
    ordered = sorted(values)
    asked = [0.001, 1, 24, 25, 50, 75, 95, 99, 100]
    expected = [ordered[max(1, math.ceil(2_000 * percent)) - 1] for percent in asked]
    assert percentiles(values, asked) == expected


# Loops


@pytest.mark.parametrize(
    ("signatures", "expected"),
    [
        ("AAAA", ("A", 0, 4, 1, 4)),
        ("AAA", None),
        ("ABAB", ("AB", 0, 4, 2, 2)),
        ("ABA", None),
        ("ABCABC", ("ABC", 0, 6, 3, 2)),
        ("xABCABCABy", ("ABC", 1, 8, 3, 2)),
        ("AABBAABB", ("AABB", 0, 8, 4, 2)),
        ("zAAAAAAB", ("A", 1, 6, 1, 6)),
        ("ABCDEFGH", None),
        ("", None),
    ],
)
def test_a_loop_is_found(signatures, expected):
    found = detect_loop(signatures)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        held, start, length, period, times = expected
        assert found == Loop(tuple(held), start, length)
        assert (found.period, found.times) == (period, times)


def test_loops_come_one_after_another():
    assert list(find_loops("zAAAABABABzz", 4)) == [Loop(("A",), 1, 4), Loop(("B", "A"), 5, 5)]
    assert list(find_loops("AAB AAB".replace(" ", ""), 3)) == [Loop(("A", "A", "B"), 0, 6)]
    assert list(find_loops([None] * 10)) == []
    assert list(find_loops(["A", "A", None, "A", "A"])) == []


def test_a_window_is_how_long_a_loop_must_be():
    assert detect_loop("AAA", window=3) == Loop(("A",), 0, 3)
    assert detect_loop("ABABABA", window=8) is None
    assert detect_loop("A" * 100, window=100) == Loop(("A",), 0, 100)
    with pytest.raises(ValueError, match="nothing repeats"):
        detect_loop("AA", window=1)


def test_an_agent_can_watch_itself():
    finder = LoopFinder[str]()
    under_way = [finder.add(signature) for signature in "xABABAC"]
    assert under_way[:4] == [None] * 4
    assert under_way[4] == Loop(("A", "B"), 1, 4)
    assert under_way[5] == Loop(("A", "B"), 1, 5)
    assert under_way[6] is None


@given(st.text("AB", max_size=40) | st.text("ABC", max_size=40), st.integers(2, 6))
def test_loops_are_repetitions_as_long_as_they_can_be(text, window):
    found = list(find_loops(text, window))
    for one, other in pairwise(found):
        assert one.start + one.length <= other.start
    for loop in found:
        end = loop.start + loop.length
        assert loop.length >= max(window, 2 * loop.period)
        assert all(
            text[at] == text[at - loop.period] for at in range(loop.start + loop.period, end)
        )
        assert "".join(loop.signatures) == text[loop.start : loop.start + loop.period]
        assert end == len(text) or text[end] != text[end - loop.period]
    if not found:
        for begin in range(len(text)):
            for period in range(1, len(text)):
                length = max(window, 2 * period)
                part = text[begin : begin + length]
                repeats = all(part[at] == part[at - period] for at in range(period, len(part)))
                assert len(part) < length or not repeats


def looping_run(trace: str = "run-1") -> list[dict[str, Any]]:
    """Rounds of two calls each, in either order: A B, B A, A B, A B; then C; then an answer."""
    made = [root("r", trace=trace, kind="start")]
    rounds = [("a", "b"), ("b", "a"), ("a", "b"), ("a", "b"), ("c",), ()]
    for number, calls in enumerate(rounds):
        at = 10 * number
        made.append(model(f"m{number}", "r", trace=trace, at=at))
        for place, digest in enumerate(calls):
            span_id = f"t{number}{digest}"
            made.append(tool(span_id, f"m{number}", digest=digest, trace=trace, at=at + 2 + place))
    return [*made, root("r", trace=trace, took=100)]


def test_loops_of_rounds_and_repeated_calls_are_told(file):
    file.write_bytes(lines(looping_run()))
    found = figures(file)
    assert (found["loops_found"], found["repeated_calls_found"]) == (1, 2)
    (loop,) = found["loops"]
    a, b = ({"tool": "read", "arguments_digest": digest} for digest in "ab")
    assert loop == {
        "trace_id": "run-1",
        "span_id": "m0",
        "start": 0,
        "rounds": 4,
        "period": 1,
        "times": 4,
        "calls": [[a, b]],
    }
    assert {call["arguments_digest"]: call["times"] for call in found["repeated_calls"]} == {
        "a": 4,
        "b": 4,
    }
    shown = stats(file).stdout
    assert "from round 1, 4 times: read #a + read #b" in shown
    assert "4 times with the same arguments: read #a" in shown


def test_a_loop_in_one_of_many_runs_says_where(file):
    file.write_bytes(lines([*many_runs(3), *looping_run("run-x")]))
    assert "read #a + read #b  in trace run-x" in stats(file).stdout
    assert figures(file)["loops"][0]["trace_id"] == "run-x"


def test_calls_beside_their_model_call_are_of_its_round():
    made = [root("r", took=100)]
    for number in range(4):
        made.append(model(f"m{number}", "r", at=10 * number))
        made.append(tool(f"t{number}", "r", digest="same", at=10 * number + 5))
    (found,) = loops(run_of(made))
    assert found.loop == Loop(((("read", "same"),),), 0, 4)
    assert found.span_id == "m0"


def test_an_agent_without_models_has_a_round_for_each_call():
    made = [root("r", took=100)]
    for number in range(5):
        made.append(record("stalwart.node", f"n{number}", "r", at=10 * number))
        made.append(tool(f"t{number}", f"n{number}", digest="ab"[number % 2], at=10 * number + 1))
    (found,) = loops(run_of(made))
    assert (found.loop.period, found.loop.length, found.span_id) == (2, 5, "t0")


def test_agents_side_by_side_do_not_hide_each_others_loops():
    made = [root("r", took=1000)]
    for agent in "xy":
        made.append(tool(f"call-{agent}", "r", f"ask_{agent}", digest=agent))
        made.append(root(agent, f"call-{agent}"))
        for number in range(4):
            at = 10 * number + (agent == "y")
            digest = "same" if agent == "x" else f"new-{number}"
            made.append(model(f"m{agent}{number}", agent, at=at))
            made.append(tool(f"t{agent}{number}", f"m{agent}{number}", digest=digest, at=at + 2))
    (found,) = loops(run_of(made))
    assert found.span_id == "mx0"


def test_calls_with_unknown_arguments_are_no_loop():
    made = [root("r", took=100), *(tool(f"t{n}", "r", at=n) for n in range(10))]
    found = run_figures(run_of(made))
    assert found.loops == ()
    assert found.repeated_calls == ()


def test_captured_arguments_tell_calls_apart():
    def call(number: int, text: str) -> dict[str, Any]:
        return tool(f"t{number}", "r", at=number, stalwart__arguments=text)

    texts = ['{"path":"a"}', '{"path":"b"}', '{"path":"a"}', '{"path":"c"}', '{"path":"a"}']
    found = run_figures(run_of([root("r"), *(call(n, text) for n, text in enumerate(texts))]))
    (repeated,) = found.repeated_calls
    assert repeated == RepeatedCall(("read", repeated.call[1]), 3, "t0")
    assert len(repeated.call[1]) == 16


def test_loops_of_a_large_run_are_found_in_its_calls(file):
    made = [root("r", kind="start")]
    for number in range(2000):
        at = 10 * number
        digest = "abc"[number % 3] if 1000 <= number < 1100 else f"d{number}"
        made += [
            model(f"m{number}", "r", at=at),
            tool(f"t{number}", f"m{number}", digest=digest, at=at),
        ]
    file.write_bytes(lines([*made, root("r", took=20_000)]))
    summary = Summary(large=500)
    summary.read(str(file), NO_DAMAGE)
    summary.finish()
    found = summary_object(summary)
    assert sum(loop["rounds"] for loop in found["loops"]) >= 90
    assert {loop["period"] for loop in found["loops"]} == {3}
    assert {call["arguments_digest"] for call in found["repeated_calls"]} == {"a", "b", "c"}
