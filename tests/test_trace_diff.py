"""`stalwart trace diff`, over real files, and the property that it names just what differs."""

import gzip
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stalwart_lang.cli.trace.diff import diff
from stalwart_lang.timeline import read_runs
from stalwart_lang.timeline.diff.difference import compare
from stalwart_lang.timeline.stats.figures import run_figures
from stalwart_lang.tracing import JsonLinesTracer
from stalwart_lang.tracing.spans import interrupt, plan_span, resume, tool_check

REPO = Path(__file__).resolve().parents[1]
BEGAN = datetime(2027, 3, 1, 9, tzinfo=UTC)


@dataclass(frozen=True)
class S:
    """A span of a made run; `after` says that its children start after it ended."""

    name: str
    attributes: dict[str, Any] = field(default_factory=dict)
    children: tuple["S", ...] = ()
    error: str | None = None
    after: bool = False
    open: bool = False


def root(*children: S, **more: Any) -> S:
    return S(
        "invoke_agent desk",
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"},
        children,
        **more,
    )


def chat(turn: str, *children: S, stop: str = "tool_use", tokens: tuple[int, int] = (10, 5)) -> S:
    held = {
        "gen_ai.operation.name": "chat",
        "stalwart.step_name": turn,
        "gen_ai.usage.input_tokens": tokens[0],
        "gen_ai.usage.output_tokens": tokens[1],
        "gen_ai.response.finish_reasons": [stop],
    }
    return S("chat m", held, children, after=True)


def node(*children: S, name: str = "run", step: int | None = None) -> S:
    held: dict[str, Any] = {"stalwart.step_name": name}
    if step is not None:
        held["stalwart.step"] = step
    return S("stalwart.node", held, children)


def tool(name: str, arguments: str = "a", result: str | None = "r", **more: Any) -> S:
    held = {"gen_ai.tool.name": name, "stalwart.arguments_digest": arguments}
    if result is not None:
        held["stalwart.result_digest"] = result
    return S("stalwart.tool", held, **more)


def check(name: str, outcome: str = "allow", **more: Any) -> S:
    held = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "stalwart.outcome": outcome,
        "stalwart.decided_by": "policy",
        "stalwart.reasons": ["x", "y"],
        "stalwart.args_digest": "a",
        **more,
    }
    return S("stalwart.tool_check", held)


@dataclass
class Writer:
    """Writes made runs as records, in the order in which a tracer would."""

    seed: int = 0
    starts: bool = True
    shuffle_siblings: bool = False
    parallel: bool = False
    parent: str | None = None

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.now = self.random.randrange(10**9)

    def records(self, *roots: S, trace_id: str | None = None) -> list[dict[str, Any]]:
        trace = trace_id or f"{self.random.getrandbits(128):032x}"
        timed: list[tuple[int, int, dict[str, Any]]] = []
        for one in roots:
            self._span(one, trace, self.parent, timed)
        return [record for _, _, record in sorted(timed, key=lambda item: item[:2])]

    def _span(
        self,
        span: S,
        trace: str,
        parent: str | None,
        timed: list[tuple[int, int, dict[str, Any]]],
    ) -> None:
        own = f"{self.random.getrandbits(64):016x}"
        begin = self._tick()
        record: dict[str, Any] = {
            "trace_id": trace,
            "span_id": own,
            "parent_id": parent,
            "name": span.name,
            "start": self._time(begin),
        }
        if self.starts or span.open:
            known = {k: v for k, v in span.attributes.items() if "result" not in k}
            timed.append((begin, len(timed), {"type": "start", **record, "attributes": known}))
        end = self._tick() if span.after else begin
        children = list(span.children)
        if self.shuffle_siblings and (span.after or span.name == "stalwart.node"):
            self.random.shuffle(children)
        if self.parallel:
            at, latest = self.now, self.now
            for child in children:
                self.now = at + self.random.randrange(50)
                self._span(child, trace, own, timed)
                latest = max(latest, self.now)
            self.now = latest
        else:
            for child in children:
                self._span(child, trace, own, timed)
        if not span.after:
            end = self._tick()
        if span.open:
            return
        record = {
            "type": "span",
            **record,
            "end": self._time(end),
            "duration_ms": (end - begin) / 1000,
            "status": "error" if span.error else "ok",
            "error": {"type": span.error} if span.error else None,
            "attributes": span.attributes,
            "events": [],
        }
        timed.append((end, len(timed), record))

    def _tick(self) -> int:
        self.now += self.random.randrange(1, 5000)
        return self.now

    @staticmethod
    def _time(micros: int) -> str:
        return (BEGAN + timedelta(microseconds=micros)).isoformat().replace("+00:00", "Z")


def write(path: Path, *records: dict[str, Any]) -> str:
    lines = (json.dumps(record, separators=(",", ":"), ensure_ascii=False) for record in records)
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return str(path)


def run(*arguments: str, input: bytes | None = None) -> tuple[int, str, str]:
    done = CliRunner().invoke(diff, arguments, input=input)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def as_json(*arguments: str) -> dict[str, Any]:
    code, out, _ = run(*arguments, "--json")
    found: dict[str, Any] = json.loads(out)
    assert code == (0 if found["same"] else 1)
    return found


Pair = Callable[[S | Sequence[S], S | Sequence[S]], dict[str, Any]]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    def compare_two(a: S | Sequence[S], b: S | Sequence[S]) -> dict[str, Any]:
        files = []
        for name, made, seed in (("a", a, 1), ("b", b, 2)):
            roots = [made] if isinstance(made, S) else made
            files.append(write(tmp_path / f"{name}.jsonl", *Writer(seed).records(*roots)))
        return as_json(*files)

    return compare_two


# The lesson: three runs of examples/sales_summary.


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("lesson")
    files = {}
    script = str(REPO / "examples" / "sales_summary" / "run.py")
    for version in ("good", "bug", "fixed"):
        for name, more in ((version, []), (f"{version} captured", ["--capture-content"])):
            file = files[name] = str(folder / f"{name}.jsonl")
            subprocess.run(
                [sys.executable, script, "--version", f"v-{version}", "--trace", file, *more],
                check=True,
                capture_output=True,
            )
    return files


def test_the_misread_file_is_the_first_difference(lesson: dict[str, str]) -> None:
    found = as_json(lesson["good"], lesson["bug"])
    assert (found["first"]["a"]["title"], found["first"]["b"]["title"]) == ("turn-2", "turn-2")
    (change,) = found["first"]["changes"]
    assert (change["kind"], change["name"]) == ("tool", "read_file")
    assert change["differs"] == ["arguments", "error"]
    assert change["a"]["arguments"] != change["b"]["arguments"]
    assert change["b"]["error"] == "FileNotFoundError"
    assert "error" not in change["a"]


def test_what_comes_after_is_downstream(lesson: dict[str, str]) -> None:
    write_file, last = as_json(lesson["good"], lesson["bug"])["downstream"]
    (change,) = write_file["changes"]
    assert (change["name"], "arguments" in change["differs"]) == ("write_file", True)
    assert (last["a"]["title"], last["same"]) == ("turn-4", True)
    code, out, _ = run(lesson["good"], lesson["bug"])
    assert code == 1
    before, after = out.split("Downstream of it")
    assert "read_file" in before
    assert "write_file" not in before
    assert "write_file" in after
    assert "turn-4" in after
    assert "Contagion, not cause" in after


def test_figures_of_the_lesson(lesson: dict[str, str]) -> None:
    figures = as_json(lesson["good"], lesson["fixed"])["figures"]
    assert figures["tokens_total"] == {"a": 6033, "b": 8359, "difference": 2326, "percent": 38.6}
    assert figures["rounds"] == {"a": 4, "b": 5, "difference": 1}
    assert figures["tool_calls"] == {"a": 5, "b": 6, "difference": 1}
    assert figures["errors"] == {"a": 0, "b": 1, "difference": 1}
    assert figures["calls_by_tool"]["read_file"] == {"a": 3, "b": 4, "difference": 1}
    _, out, _ = run(lesson["good"], lesson["fixed"])
    assert out.splitlines()[-5].split() == ["tokens_total", "6033", "8359", "+2326", "+38.6%"]
    bug = as_json(lesson["good"], lesson["bug"])["figures"]
    assert [bug[name]["b"] for name in ("rounds", "tool_calls", "errors", "tokens_total")] == [
        4,
        5,
        1,
        6100,
    ]


def test_a_round_more_is_only_in_one(lesson: dict[str, str]) -> None:
    found = as_json(lesson["good"], lesson["fixed"])
    (change,) = found["first"]["changes"]
    assert (change["name"], change["differs"]) == ("read_file", ["arguments", "error"])
    again, written, last = found["downstream"]
    assert again["a"] is None
    assert [change["only_in"] for change in again["changes"]] == ["b", "b"]
    assert written["same"]
    assert last["same"]


def test_captured_content_is_shown_and_safe(lesson: dict[str, str]) -> None:
    _, out, _ = run(lesson["good captured"], lesson["bug captured"])
    assert 'arguments A: {"path":"data/2026-q1-south.csv"}' in out
    assert 'arguments B: {"path":"data/2026-q1-sourth.csv"}' in out


def test_captured_content_against_digests(lesson: dict[str, str]) -> None:
    assert as_json(lesson["good captured"], lesson["good"])["same"]
    found = as_json(lesson["good"], lesson["bug captured"])
    (change,) = found["first"]["changes"]
    assert (change["name"], change["differs"]) == ("read_file", ["arguments", "error"])
    assert found["notes"] == []


# What is a difference, and what is none.


def test_times_ids_and_tokens_are_none(pair: Pair) -> None:
    a = root(chat("turn-1", tool("read"), tokens=(100, 20)), chat("turn-2", stop="end_turn"))
    b = root(chat("turn-1", tool("read"), tokens=(90, 30)), chat("turn-2", stop="end_turn"))
    found = pair(a, b)
    assert found["same"]
    assert found["first"] is None
    assert found["downstream"] == []
    assert found["figures"]["tokens_in"]["difference"] == -10


def test_the_name_of_a_round_is_none(pair: Pair) -> None:
    assert pair(root(chat("turn-1")), root(chat("first")))["same"]


@pytest.mark.parametrize(
    ("a", "b", "kind", "differs"),
    [
        (check("t"), check("t", "refuse"), "check", ["outcome"]),
        (check("t"), check("t", **{"stalwart.decided_by": "order"}), "check", ["decided by"]),
        (check("t"), check("t", **{"stalwart.rule": "r"}), "check", ["rule"]),
        (check("t"), check("t", **{"stalwart.reasons": ["x"]}), "check", ["reasons"]),
        (check("t"), check("t", **{"stalwart.labels": ["l"]}), "check", ["labels"]),
        (check("t"), check("t", **{"stalwart.args_digest": "b"}), "check", ["arguments"]),
        (tool("t"), tool("t", "b"), "tool", ["arguments"]),
        (tool("t"), tool("t", result="s"), "tool", ["result"]),
        (tool("t"), tool("t", result=None, error="OSError"), "tool", ["error"]),
        (tool("t", error="ValueError"), tool("t", error="OSError"), "tool", ["error"]),
        (chat("1"), chat("1", stop="end_turn"), "model", ["stop reasons"]),
        (
            S("stalwart.plan", {"stalwart.verdict": "read", "stalwart.rules": ["a", "b"]}),
            S("stalwart.plan", {"stalwart.verdict": "unread", "stalwart.rules": ["b", "a"]}),
            "plan",
            ["verdict", "rules"],
        ),
        (
            S("stalwart.compensate", {"gen_ai.tool.name": "u", "stalwart.undoes": 1}),
            S("stalwart.compensate", {"gen_ai.tool.name": "u", "stalwart.undoes": 2}),
            "undo",
            ["undoes"],
        ),
        (
            S("stalwart.resume", {"gen_ai.tool.name": "t", "stalwart.answer": "approve"}),
            S("stalwart.resume", {"gen_ai.tool.name": "t", "stalwart.answer": "decline"}),
            "resume",
            ["answer"],
        ),
        (
            S("stalwart.rewind", {"stalwart.to_step": 1}),
            S("stalwart.rewind", {"stalwart.to_step": 2}),
            "rewind",
            ["to step"],
        ),
    ],
)
def test_each_decision_is_one(pair: Pair, a: S, b: S, kind: str, differs: list[str]) -> None:
    found = pair(root(node(a), node()), root(node(b), node()))
    (change,) = found["first"]["changes"]
    assert (change["kind"], change["differs"]) == (kind, differs)
    assert found["downstream"][0]["same"]


def test_the_order_of_reasons_is_none(pair: Pair) -> None:
    a = root(node(check("t", **{"stalwart.reasons": ["x", "y"]})))
    assert pair(a, root(node(check("t", **{"stalwart.reasons": ["y", "x"]}))))["same"]


def test_swapped_results_are_found(pair: Pair) -> None:
    a = root(node(tool("t", "a", "1"), tool("t", "b", "2")))
    b = root(node(tool("t", "a", "2"), tool("t", "b", "1")))
    found = pair(a, b)
    assert [change["differs"] for change in found["first"]["changes"]] == [["result"], ["result"]]


def test_the_same_call_gave_another_result(tmp_path: Path) -> None:
    a = write(tmp_path / "a", *Writer(1).records(root(node(tool("t", result="1")))))
    b = write(tmp_path / "b", *Writer(2).records(root(node(tool("t", result="2")))))
    assert "the same call gave another result" in run(a, b)[1]


def test_another_turn_is_said_to_be_another_input(tmp_path: Path) -> None:
    for name, turn in (("a", "charge order 1"), ("b", "charge order 2")):
        with (
            JsonLinesTracer(tmp_path / name) as tracer,
            tracer.run("desk"),
            plan_span(tracer, turn),
        ):
            pass
    code, out, _ = run(str(tmp_path / "a"), str(tmp_path / "b"))
    assert code == 1
    assert "another input, the two runs did not read the same turn" in out


def test_the_order_of_steps_is_a_difference(pair: Pair) -> None:
    a, b = chat("1", tool("x")), chat("1", tool("y"))
    found = pair(root(a, b), root(b, a))
    assert not found["same"]


def test_a_step_that_only_one_has(pair: Pair) -> None:
    a, b, c = (chat("1", tool(name)) for name in "abc")
    found = pair(root(a, c), root(a, b, c))
    assert found["first"]["a"] is None
    assert found["first"]["b"]["step"] == 1
    assert [step["same"] for step in found["downstream"]] == [True]
    found = pair(root(a, b, c), root(a, b))
    assert found["first"]["b"] is None


def test_the_numbers_of_steps_are_those_of_the_timeline(pair: Pair) -> None:
    a = root(node(name="input", step=-1), node(check("t"), step=0))
    b = root(node(name="input", step=-1), node(check("t", "refuse"), step=0))
    assert pair(a, b)["first"]["a"]["step"] == 0


def test_how_a_run_ends_is_a_difference(pair: Pair) -> None:
    found = pair(root(node()), root(node(), error="TooManyRounds"))
    assert found["first"]["at"] == "end"
    assert found["end"] == {"a": ["the run ended well"], "b": ["the run failed: TooManyRounds"]}


def test_the_steps_of_an_agent_below_are_steps(pair: Pair) -> None:
    def below(outcome: str) -> S:
        inner = S(
            "invoke_agent billing",
            {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "billing"},
            (node(check("a")), node(check("b", outcome)), node(check("c"))),
        )
        return root(node(), inner, node())

    found = pair(below("allow"), below("refuse"))
    assert found["first"]["a"]["step"] == 2
    assert [step["same"] for step in found["downstream"]] == [True, True]


# Robustness.


def test_a_killed_run_stops_in_the_middle(tmp_path: Path) -> None:
    good = root(chat("turn-1", tool("list")), chat("turn-2", tool("read", "x"), tool("read", "y")))
    killed = root(
        chat("turn-1", tool("list")),
        chat("turn-2", tool("read", "x"), tool("read", "y", open=True)),
        open=True,
    )
    a = write(tmp_path / "a", *Writer(1).records(good))
    records = Writer(2).records(killed)
    b = write(tmp_path / "b", *records)
    code, out, _ = run(a, b)
    assert code == 1
    assert "B stops here: it was in the middle of read" in out
    found = as_json(a, b)
    (change,) = found["first"]["changes"]
    assert (change["name"], change["differs"]) == ("read", ["end"])
    assert found["b"]["stopped_in"] == ["read"]
    again = write(tmp_path / "c", *Writer(3).records(killed))
    assert as_json(b, again)["same"]


def test_a_last_line_that_is_cut_short(tmp_path: Path) -> None:
    made = root(chat("1", tool("t")), chat("2"))
    a = write(tmp_path / "a", *Writer(1).records(made))
    b = write(tmp_path / "b", *Writer(2).records(made))
    with Path(b).open("ab") as file:
        file.write(b'{"type":"span","trace_id":"')
    code, out, err = run(a, b)
    assert code == 0
    assert "decided the same" in out
    last = len(Path(b).read_bytes().splitlines())
    assert err == f"{b}:{last}: passed over: the last line is cut short\n"


def test_lines_in_any_order(tmp_path: Path) -> None:
    made = root(*(chat(str(i), tool("t", str(i)), tool("u", str(i))) for i in range(30)))
    a = write(tmp_path / "a", *Writer(1).records(made))
    records = Writer(2).records(made)
    random.Random(0).shuffle(records)
    b = write(tmp_path / "b", *records)
    assert as_json(a, b)["same"]
    other = replace(made, children=(*made.children[:20], *made.children[21:]))
    c = Writer(3).records(other)
    random.Random(0).shuffle(c)
    found = as_json(b, write(tmp_path / "c", *c))
    assert (found["first"]["a"]["step"], found["first"]["b"]) == (20, None)
    assert all(step["same"] for step in found["downstream"])


def test_without_starts_and_with_a_parent_elsewhere(tmp_path: Path) -> None:
    made = root(chat("1", tool("t")), chat("2", tool("u")), chat("3", stop="end_turn"))
    other = root(chat("1", tool("t")), chat("2", tool("u", "b")), chat("3", stop="end_turn"))
    whole = write(tmp_path / "a", *Writer(1).records(made))
    ends = write(tmp_path / "b", *Writer(2, starts=False).records(made))
    remote = write(tmp_path / "c", *Writer(3, parent="00000000000000aa").records(made))
    assert as_json(whole, ends)["same"]
    assert as_json(whole, remote)["same"]
    differing = write(tmp_path / "d", *Writer(4, parent="00000000000000bb").records(other))
    found = as_json(remote, differing)
    assert found["first"]["a"]["step"] == 1


def test_what_runs_at_once_may_come_in_any_order(tmp_path: Path) -> None:
    steps = [node(check(name)) for name in "abcdef"]
    a = write(tmp_path / "a", *Writer(1, parallel=True).records(root(*steps)))
    b = write(tmp_path / "b", *Writer(2, parallel=True).records(root(*reversed(steps))))
    c = write(tmp_path / "c", *Writer(2).records(root(*reversed(steps))))
    d = write(tmp_path / "d", *Writer(1).records(root(*steps)))
    assert as_json(a, b)["same"]
    assert as_json(a, c)["same"]
    assert as_json(c, a)["same"]
    assert not as_json(c, d)["same"]


def test_calls_beside_the_model_call_that_asked_for_them(pair: Pair) -> None:
    def flat(*order: int) -> S:
        calls = [tool("read", "x"), tool("read", "y"), tool("list")]
        return root(chat("1"), *(calls[k] for k in order), chat("2"), tool("write"))

    assert pair(flat(0, 1, 2), flat(2, 0, 1))["same"]
    assert not pair(root(chat("1"), tool("a"), chat("2")), root(chat("1"), chat("2"), tool("a")))[
        "same"
    ]


def test_several_roots_and_a_run_without_one(pair: Pair) -> None:
    assert pair(
        [root(node(check("a"))), root(node(check("b")))],
        [root(node(check("a"))), root(node(check("b")))],
    )["same"]
    assert pair([tool("a"), tool("b")], [tool("a"), tool("b")])["same"]
    found = pair([tool("a"), tool("b")], [tool("a"), tool("b", "z")])
    assert found["first"]["changes"][0]["differs"] == ["arguments"]


def test_a_file_that_is_there_twice(tmp_path: Path) -> None:
    records = Writer(1).records(root(chat("1", tool("t")), chat("2")))
    a = write(tmp_path / "a", *records)
    b = write(tmp_path / "b", *records, *records)
    assert as_json(a, b)["same"]


def test_spans_in_spans_in_spans(tmp_path: Path) -> None:
    def nested(name: str, outcome: str) -> list[dict[str, Any]]:
        depth = 3000
        deep = {"start": "2027-03-01T09:00:00Z", "end": "2027-03-01T09:00:01Z", "trace_id": name}
        made = [
            {"type": "span", "span_id": str(i), "parent_id": str(i - 1) if i else None, **deep}
            | {"name": "work"}
            for i in range(depth)
        ]
        held = node(check("t", outcome)).children[0]
        last = {"span_id": "n", "parent_id": str(depth - 1), "name": "stalwart.node"}
        below = {"span_id": "c", "parent_id": "n", "name": held.name, "attributes": held.attributes}
        return [*made, {"type": "span", **deep, **last}, {"type": "span", **deep, **below}]

    a, b = nested("a", "allow"), nested("b", "refuse")
    for order in (1, -1):
        files = [write(tmp_path / name, *x[::order]) for name, x in (("a", a), ("b", b))]
        found = as_json(*files)
        assert [change["kind"] for change in found["first"]["changes"]] == ["check"]
        assert as_json(files[0], files[0])["same"]


def test_ids_that_occur_in_two_traces(tmp_path: Path) -> None:
    first = Writer(1).records(root(chat("1", tool("t"))), trace_id="a" * 32)
    second = [{**record, "trace_id": "b" * 32} for record in first]
    mixed = [record for both in zip(first, second, strict=True) for record in both]
    a = write(tmp_path / "a", *first, *second)
    b = write(tmp_path / "b", *mixed)
    assert as_json(a, b)["same"]


# Several runs, and which is compared.


def test_runs_are_paired_in_order(tmp_path: Path) -> None:
    def file(name: str, *outcomes: str) -> str:
        writer = Writer(len(name) + ord(name[0]))
        runs = [writer.records(root(node(check("t", outcome)))) for outcome in outcomes]
        return write(tmp_path / name, *(record for one in runs for record in one))

    a = file("a", "allow", "allow", "allow", "allow")
    b = file("b", "allow", "refuse", "confirm", "allow")
    found = as_json(a, b)
    assert found["runs"] == {"a": 4, "b": 4, "pairs_that_differ": 2}
    (change,) = found["first"]["changes"]
    assert change["b"]["outcome"] == "refuse"
    assert "2 of 4 pairs of runs differ" in run(a, b)[1]
    more = file("more", "allow", "allow")
    found = as_json(a, more)
    assert (found["same"], found["first"]) == (False, None)
    assert "A holds 4 runs, B 2" in run(a, more)[1]


def test_one_run_is_chosen(tmp_path: Path) -> None:
    one = Writer(1).records(root(node(check("t"))), trace_id="aaaa1" + "0" * 27)
    two = Writer(2).records(root(node(check("t", "refuse"))), trace_id="aaaa2" + "0" * 27)
    both = write(tmp_path / "both", *one, *two)
    assert not as_json(both, both, "--trace-id-a", "aaaa1", "--trace-id-b", "AAAA2")["same"]
    assert as_json(both, both, "--trace-id-a", "aaaa1", "--trace-id-b", "aaaa1")["same"]
    for more, said in (
        (("--trace-id-a", "aaaa1"), "--trace-id-b"),
        (("--trace-id-a", "aaa", "--trace-id-b", "aaaa1"), "at least 4"),
        (("--trace-id-a", "aaaa", "--trace-id-b", "aaaa1"), "fits several"),
        (("--trace-id-a", "ffff", "--trace-id-b", "aaaa1"), "it holds no run of trace ffff"),
    ):
        code, _, err = run(both, both, *more)
        assert (code, said in err) == (2, True), err


def test_many_runs_in_a_file(tmp_path: Path) -> None:
    def file(name: str, seed: int, refused: int) -> str:
        writer = Writer(seed)
        records = []
        for number in range(3000):
            outcome = "refuse" if number == refused else "allow"
            steps = [node(check("t", outcome)), node(tool("u", str(number)))]
            records += writer.records(root(*steps))
        return write(tmp_path / name, *records)

    a, b = file("a", 1, -1), file("b", 2, 2900)
    found = as_json(a, b)
    assert found["runs"] == {"a": 3000, "b": 3000, "pairs_that_differ": 1}
    assert found["first"]["changes"][0]["b"]["outcome"] == "refuse"
    assert found["figures"]["tool_calls"]["b"] == 1
    assert as_json(a, file("c", 3, -1))["same"]


def test_a_long_run(tmp_path: Path) -> None:
    def file(name: str, seed: int, changed: dict[int, str]) -> str:
        steps = [
            chat(str(i), tool("t", changed.get(i, "a")), tool("u", str(i % 7)))
            for i in range(8_000)
        ]
        return write(tmp_path / name, *Writer(seed).records(root(*steps)))

    a = file("a", 1, {})
    assert as_json(a, file("b", 2, {}))["same"]
    found = as_json(a, file("c", 3, {7_000: "z", 7_500: "y"}))
    assert found["first"]["a"]["step"] == 7_000
    assert found["first"]["changes"][0]["name"] == "t"
    assert found["downstream_more"]["differ"] == 1
    assert found["figures"]["rounds"]["a"] == 8_000


# Keys, captured content, the shell.


def test_digests_of_other_keys_are_not_compared(tmp_path: Path) -> None:
    files = []
    for name, outcome in (("one", "allow"), ("two", "allow"), ("three", "refuse")):
        made = root(node(check("t", outcome), tool("t", name, name)))
        records = Writer(ord(name[0])).records(made)
        for record in records:
            record["attributes"] |= {"stalwart.digest_key_id": name}
        files.append(write(tmp_path / name, *records))
    found = as_json(files[0], files[1])
    assert found["same"]
    assert "different keys" in found["notes"][0]
    found = as_json(files[0], files[2])
    assert [change["kind"] for change in found["first"]["changes"]] == ["check"]


def test_captured_against_digests_with_a_key(tmp_path: Path) -> None:
    for name, more in (
        ("a", {"digest_key": b"k"}),
        ("b", {"capture_content": True, "redact": False}),
    ):
        with (
            JsonLinesTracer(tmp_path / name, **more) as tracer,
            tracer.run("desk"),
            tracer.tool("t", {"path": "x"}) as span,
        ):
            span.returned("y")
    found = as_json(str(tmp_path / "a"), str(tmp_path / "b"))
    assert found["same"]
    assert found["notes"]


def test_text_of_others_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    files = []
    for name in ("\x1b[2Ja", "b" * 5000):
        made = S("stalwart.tool", {"gen_ai.tool.name": "\x1b[31mt", "stalwart.arguments": name})
        files.append(write(tmp_path / f"f{len(files)}", *Writer(1).records(root(made))))
    _, out, _ = run(*files)
    assert "\x1b" not in out
    assert "\\x1b[2Ja" in out
    assert "b" * 300 not in out


def test_bad_usage_and_what_cannot_be_read(tmp_path: Path) -> None:
    good = write(tmp_path / "a", *Writer(1).records(root(node())))
    empty = write(tmp_path / "empty")
    (tmp_path / "text").write_text("hello\n")
    for arguments, said in (
        ((good,), "Missing argument 'B'"),
        (("-", "-"), "only one of A and B"),
        ((good, str(tmp_path / "none")), "none: No such file"),
        ((good, empty), "it holds no spans"),
        ((good, str(tmp_path / "text")), "text:1: no span: it is not JSON"),
        ((good, str(tmp_path)), "Is a directory"),
    ):
        code, _, err = run(*arguments)
        assert (code, said in err) == (2, True), err


def test_standard_input_compressed_and_otlp(tmp_path: Path, lesson: dict[str, str]) -> None:
    packed = tmp_path / "good.jsonl.gz"
    packed.write_bytes(gzip.compress(Path(lesson["good"]).read_bytes()))
    assert as_json(str(packed), lesson["good"])["same"]
    command = [sys.executable, "-m", "stalwart_lang", "trace"]
    exported = subprocess.run(
        [*command, "export", "--otlp", lesson["bug"]], capture_output=True, check=True
    ).stdout
    done = subprocess.run(
        [*command, "diff", lesson["bug"], "-"], input=exported, capture_output=True
    )
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    done = subprocess.run(
        [*command, "diff", "-", lesson["good"]], input=exported, capture_output=True
    )
    assert done.returncode == 1
    assert b"read_file" in done.stdout.split(b"Downstream")[0]


# Properties.

words = st.sampled_from(("a", "b", "c"))
leaves = st.one_of(
    st.builds(tool, words, words, words),
    st.builds(lambda name: tool(name, error="OSError", result=None), words),
    st.builds(
        lambda name, outcome: check(name, outcome), words, st.sampled_from(("allow", "refuse"))
    ),
    st.just(S("stalwart.plan", {"stalwart.verdict": "read"})),
    st.builds(lambda name: S(f"work {name}"), words),
)
spans = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda leaf, children: replace(leaf, children=tuple(children)),
        leaves,
        st.lists(inner, max_size=2),
    ),
    max_leaves=4,
)
steps = st.one_of(
    st.builds(lambda children: node(*children), st.lists(spans, max_size=3)),
    st.builds(lambda children: chat("turn", *children), st.lists(spans, max_size=3)),
)
runs = st.builds(lambda made: root(*made), st.lists(steps, min_size=1, max_size=8))
quick = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def compared(folder: Path, a: Sequence[dict[str, Any]], b: Sequence[dict[str, Any]]) -> Any:
    paths = (write(folder / "a", *a), write(folder / "b", *b))
    return compare(paths, (None, None), lambda *_: None)


@quick
@given(made=runs, seed=st.integers(0, 2**32), starts=st.booleans(), lines=st.booleans())
def test_a_run_is_the_same_as_itself(
    tmp_path: Path, made: S, seed: int, starts: bool, lines: bool
) -> None:
    other = Writer(seed, starts=starts, shuffle_siblings=True).records(made)
    if lines:
        random.Random(seed).shuffle(other)
    found = compared(tmp_path, Writer(seed + 1).records(made), other)
    assert found.same
    assert found.a.figures.rounds == found.b.figures.rounds
    assert found.a.figures.errors == found.b.figures.errors
    assert found.a.figures.tools == found.b.figures.tools


@quick
@given(made=runs, seed=st.integers(0, 2**32), starts=st.booleans(), lines=st.booleans())
def test_figures_are_those_of_stats(
    tmp_path: Path, made: S, seed: int, starts: bool, lines: bool
) -> None:
    records = Writer(seed, starts=starts).records(made)
    if lines:
        random.Random(seed).shuffle(records)
    ours = compared(tmp_path, records, records).a.figures
    (read,) = read_runs(str(tmp_path / "a"))
    theirs = run_figures(read)
    for name in ("rounds", "model_calls", "tool_calls", "errors", "tokens_in", "tokens_out"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert ours.tools == theirs.calls_by_tool
    assert ours.wall_ms == pytest.approx(theirs.wall_ms, abs=0.002)


def paths_of(span: S, above: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    for number, child in enumerate(span.children):
        yield (*above, number)
        yield from paths_of(child, (*above, number))


def mutated(span: S, path: tuple[int, ...]) -> S:
    if path:
        children = list(span.children)
        children[path[0]] = mutated(children[path[0]], path[1:])
        return replace(span, children=tuple(children))
    if span.name == "chat m":
        return replace(
            span, attributes={**span.attributes, "gen_ai.response.finish_reasons": ["mutated"]}
        )
    if span.name == "stalwart.node":
        return replace(span, attributes={**span.attributes, "stalwart.step_name": "mutated"})
    if span.name == "stalwart.tool_check":
        return replace(span, attributes={**span.attributes, "stalwart.rule": "mutated"})
    return replace(span, error="Mutated")


@quick
@given(made=runs, seed=st.integers(0, 2**32), starts=st.booleans(), data=st.data())
def test_the_step_of_one_mutated_decision_is_named(
    tmp_path: Path, made: S, seed: int, starts: bool, data: st.DataObject
) -> None:
    path = data.draw(st.sampled_from([*paths_of(made)]))
    other = mutated(made, path)
    records = Writer(seed, starts=starts, shuffle_siblings=True).records(other)
    found = compared(tmp_path, Writer(seed + 1).records(made), records)
    assert not found.same
    difference = found.difference
    assert difference.first is not None
    nodes = [child.name == "stalwart.node" for child in made.children]
    if not any(nodes):
        assert difference.first.a.number == difference.first.b.number == path[0]
    elif nodes[path[0]]:
        assert difference.first.a.number == difference.first.b.number == sum(nodes[: path[0]])
    else:
        assert difference.first.a.number is difference.first.b.number is None
    assert len(difference.first.changes) == 1
    assert all(step.same for step in difference.downstream)


def decided(span: S) -> Iterator[tuple[Any, ...]]:
    ignored = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
    named = None if span.name == "chat m" else span.attributes.get("stalwart.step_name")
    held = {k: str(v) for k, v in span.attributes.items() if k not in ignored}
    held.pop("stalwart.step_name", None)
    yield span.name, named, span.error, tuple(sorted(held.items()))
    for child in span.children:
        yield from decided(child)


@quick
@given(a=runs, b=runs, seed=st.integers(0, 2**32), starts=st.booleans(), lines=st.booleans())
def test_any_two_runs(tmp_path: Path, a: S, b: S, seed: int, starts: bool, lines: bool) -> None:
    records = Writer(seed, starts=starts, shuffle_siblings=True).records(b)
    if lines:
        random.Random(seed).shuffle(records)
    found = compared(tmp_path, Writer(seed + 1).records(a), records)
    ours = [Counter(decided(child)) for child in a.children]
    theirs = [Counter(decided(child)) for child in b.children]
    assert found.same == (ours == theirs)
    if found.same:
        return
    at = next(
        (i for i, (x, y) in enumerate(zip(ours, theirs, strict=False)) if x != y),
        min(len(ours), len(theirs)),
    )
    first = found.difference.first
    changed = Counter(), Counter()
    for change in first.changes:
        for side, one in enumerate((change.a, change.b)):
            if one is not None:
                changed[side][one.record.name] += 1
    mine = [ours[at] if first.a is not None else Counter()]
    mine += [theirs[at] if first.b is not None else Counter()]
    for side, other in ((0, 1), (1, 0)):
        left = mine[side] - mine[other]
        assert changed[side] == Counter(name for name, *_ in left.elements())


# Through the tracer itself.


def test_a_confirmation_that_was_answered_otherwise(tmp_path: Path) -> None:
    for name, answer in (("a", "approve"), ("b", "decline")):
        with JsonLinesTracer(tmp_path / name) as tracer, tracer.run("desk"):
            with tracer.node("run"):
                with tool_check(tracer, "charge", {"order": 4411}) as span:
                    span.decided("confirm", "confirmation", reasons=["write"])
                with interrupt(tracer, "charge", waits_for="write", outcome="confirm"):
                    pass
            with tracer.node("run"), resume(tracer, "charge", answer):  # type: ignore[arg-type]
                pass
    found = as_json(str(tmp_path / "a"), str(tmp_path / "b"))
    assert found["first"]["a"]["step"] == 1
    (change,) = found["first"]["changes"]
    assert (change["kind"], change["a"]["answer"], change["b"]["answer"]) == (
        "resume",
        "approve",
        "decline",
    )
