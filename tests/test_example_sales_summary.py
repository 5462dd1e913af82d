"""The example that sums up sales: what it leaves on disk, and what is read back from its trace."""

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "sales_summary"
VERSIONS = ("v-good", "v-bug", "v-fixed")
SPANS = {"v-good": 10, "v-bug": 10, "v-fixed": 12}
TOKENS = {
    "v-good": [(812, 96), (946, 218), (1584, 342), (1961, 74)],
    "v-bug": [(812, 96), (946, 218), (1602, 355), (1990, 81)],
    "v-fixed": [(812, 96), (946, 218), (1688, 64), (1849, 342), (2226, 118)],
}
FIGURES: Mapping[str, tuple[int, ...]] = {
    "v-good": (4, 4, 5, 0, 5303, 730, 6033),
    "v-bug": (4, 4, 5, 1, 5350, 750, 6100),
    "v-fixed": (5, 5, 6, 1, 7521, 838, 8359),
}
NAMES = ("rounds", "model_calls", "tool_calls", "errors", "tokens_in", "tokens_out", "tokens_total")
TOTALS = {"Leste da China": 548550, "Sul da China": 306350, "Norte da China": 432600}


def ran(*command: str | os.PathLike[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        env={**environment, "HOME": str(cwd), "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
    )


def run(cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return ran(sys.executable, EXAMPLE / "run.py", *arguments, cwd=cwd)


def stalwart(cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return ran(sys.executable, "-m", "stalwart_lang", *arguments, cwd=cwd)


def spans(file: Path) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [record for record in records if record["type"] == "span"]


def squeezed(text: str) -> list[str]:
    """The lines of an output without what differs from run to run: ids, times, widths."""
    text = re.sub(r"\b[0-9a-f]{32}\b|#[0-9a-f]{16}\b|\b\d+ms\b|(?<=wall_ms) .*", "~", text)
    return [re.sub(r" +", " ", line).rstrip() for line in text.splitlines()]


def table(summary: str) -> dict[str, int]:
    rows = [row.strip("| ").split("|") for row in summary.splitlines() if row.startswith("|")]
    return {name.strip(" *"): int(total.strip(" *")) for name, total in rows[2:]}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of each version: VERSION.jsonl is its trace, VERSION its workspace."""
    folder = tmp_path_factory.mktemp("runs")
    for version in VERSIONS:
        done = run(
            folder, "--version", version, "--trace", f"{version}.jsonl", "--workspace", version
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert f"trace:   {version}.jsonl\n" in done.stdout
        assert str(Path(version, "summary.md")) in done.stdout
    return folder


# What the agent leaves


@pytest.mark.parametrize("version", ["v-good", "v-fixed"])
def test_a_right_summary_is_what_the_files_add_up_to(runs, version):
    totals: Counter[str] = Counter()
    for file in (runs / version / "data").iterdir():
        for row in csv.DictReader(file.read_text("utf-8").splitlines()):
            totals[row["regiao"]] += int(row["valor"])
    assert totals == TOTALS
    summary = table((runs / version / "summary.md").read_text("utf-8"))
    assert summary == {**totals, "todas": totals.total()}
    assert totals.total() == 1287500


def test_the_right_summaries_are_the_same_bytes(runs):
    good, fixed = ((runs / name / "summary.md").read_bytes() for name in ("v-good", "v-fixed"))
    assert good == fixed


def test_the_wrong_summary_has_a_region_that_no_file_has(runs):
    wrong = table((runs / "v-bug" / "summary.md").read_text("utf-8"))
    assert wrong == {
        "Leste da China": 548550,
        "Centro da China": 208000,
        "Norte da China": 432600,
        "todas": 1189150,
    }
    data = [file.read_text("utf-8") for file in (runs / "v-bug" / "data").iterdir()]
    assert len(data) == 3
    assert not any("Centro da China" in text for text in data)


# What its trace holds


@pytest.mark.parametrize("version", VERSIONS)
def test_a_span_for_the_run_each_model_call_and_each_tool_call(runs, version):
    found = spans(runs / f"{version}.jsonl")
    assert len(found) == SPANS[version]
    assert len({span["trace_id"] for span in found}) == 1
    by_id = {span["span_id"]: span for span in found}
    (root,) = (span for span in found if span["parent_id"] is None)
    assert root["name"] == "invoke_agent sales-summary"
    calls = [span for span in found if span["name"] == "chat claude-sonnet-4-5"]
    assert [call["attributes"]["stalwart.step_name"] for call in calls] == [
        f"turn-{turn}" for turn in range(1, len(TOKENS[version]) + 1)
    ]
    assert [
        (
            call["attributes"]["gen_ai.usage.input_tokens"],
            call["attributes"]["gen_ai.usage.output_tokens"],
        )
        for call in calls
    ] == TOKENS[version]
    assert [call["attributes"]["gen_ai.response.finish_reasons"] for call in calls] == [
        *[["tool_use"]] * (len(calls) - 1),
        ["end_turn"],
    ]
    assert {call["parent_id"] for call in calls} == {root["span_id"]}
    tools = [span for span in found if span["name"] == "stalwart.tool"]
    assert {by_id[tool["parent_id"]]["name"] for tool in tools} == {"chat claude-sonnet-4-5"}
    assert 1 + len(calls) + len(tools) == len(found)


def test_the_three_make_32_spans_in_one_file_too(tmp_path):
    for version in VERSIONS:
        assert run(tmp_path, "--version", version, "--trace", "all.jsonl").returncode == 0
    found = Counter(span["trace_id"] for span in spans(tmp_path / "all.jsonl"))
    assert found.total() == 32
    assert sorted(found.values()) == [10, 10, 12]


@pytest.mark.parametrize("version", ["v-bug", "v-fixed"])
def test_only_the_misread_file_is_an_error(runs, version):
    failed = [span for span in spans(runs / f"{version}.jsonl") if span["status"] == "error"]
    assert [(span["name"], span["attributes"]["gen_ai.tool.name"]) for span in failed] == [
        ("stalwart.tool", "read_file")
    ]
    assert failed[0]["error"] == {"type": "FileNotFoundError"}


@pytest.mark.parametrize("version", VERSIONS)
def test_without_content_nothing_of_it_is_in_the_trace(runs, version, tmp_path):
    done = run(tmp_path, "--version", version, "--trace", "t.jsonl", "--no-capture-content")
    assert done.returncode == 0
    told = []
    for line in (tmp_path / "t.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        for name in ("trace_id", "span_id", "parent_id", "start", "end", "duration_ms"):
            record.pop(name, None)  # digits, which may be anything
        held = record["attributes"]
        for name in [name for name in held if name.endswith("_digest")]:
            assert re.fullmatch("[0-9a-f]{16}", held.pop(name))
        told.append(json.dumps(record, ensure_ascii=False))
    words = {"data", "sourth", ".csv", "China", "regiao", "todas", "não", "No such", str(runs)}
    for file in (file for file in (runs / version).rglob("*") if file.is_file()):
        words |= {file.name, *re.findall(r"\w{4,}", file.read_text("utf-8"))}
    assert len(words) > 30
    assert [word for word in words if word in "\n".join(told)] == []


def test_with_content_it_is(tmp_path):
    done = run(tmp_path, "--version", "v-bug", "--trace", "t.jsonl")
    assert done.returncode == 0
    tools = [
        span["attributes"]
        for span in spans(tmp_path / "t.jsonl")
        if span["name"] == "stalwart.tool"
    ]
    assert [json.loads(tool["stalwart.arguments"]) for tool in tools[:-1]] == [
        {"dir": "data"},
        {"path": "data/2026-q1-east.csv"},
        {"path": "data/2026-q1-sourth.csv"},
        {"path": "data/2026-q1-north.csv"},
    ]
    assert tools[0]["stalwart.result"].split() == [
        "2026-q1-east.csv",
        "2026-q1-north.csv",
        "2026-q1-south.csv",
    ]
    assert tools[1]["stalwart.result"] == (EXAMPLE / "data/2026-q1-east.csv").read_text("utf-8")
    assert "Centro da China" in tools[-1]["stalwart.arguments"]


# What is refused


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--version"),
        (("--version", "v-good"), "--trace"),
        (("--version", "v-great", "--trace", "t.jsonl"), "v-great"),
        (("--version", "v-good", "--trace", "t.jsonl", "more"), "more"),
        (("--version", "v-good", "--trace", "nowhere/t.jsonl"), "nowhere/t.jsonl"),
        (("--version", "v-good", "--trace", "t.jsonl", "--workspace", "a_file"), "a_file"),
    ],
)
def test_bad_usage(tmp_path, arguments, said):
    (tmp_path / "a_file").touch()
    done = run(tmp_path, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_what_it_writes_goes_to_a_new_folder(tmp_path):
    ends = [run(tmp_path, "--version", "v-good", "--trace", "t.jsonl").stdout for _ in range(2)]
    summaries = {
        line.split()[-1] for end in ends for line in end.splitlines() if "summary:" in line
    }
    assert len(summaries) == 2
    assert all(Path(summary).is_file() for summary in summaries)
    assert [file.name for file in tmp_path.iterdir()] == ["t.jsonl"]


def in_the_example(tmp_path: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program that imports the example's modules."""
    text = f"import sys; sys.path.insert(0, {str(EXAMPLE)!r})\n{program}"
    return ran(sys.executable, "-c", text, cwd=tmp_path)


def test_no_tool_leaves_the_workspace(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "secret.txt").write_text("hidden")
    (tmp_path / "work" / "link").symlink_to(tmp_path)
    done = in_the_example(
        tmp_path,
        """
from pathlib import Path
from tools import workspace_tools
for helpful in (False, True):
    tools = workspace_tools(Path("work"), helpful_errors=helpful)
    for path in ("../secret.txt", "/etc/passwd", "link/secret.txt", "a/../../b", "../none"):
        for call in (
            lambda: tools["read_file"](path),
            lambda: tools["write_file"](path, "x"),
            lambda: tools["list_files"](path),
        ):
            try:
                print("done", path, call())
            except PermissionError as error:
                assert path in str(error)
""",
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    assert (tmp_path / "secret.txt").read_text() == "hidden"
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["link", "secret.txt", "work"]


def test_a_model_that_never_ends_is_stopped(tmp_path):
    done = in_the_example(
        tmp_path,
        """
from itertools import repeat
from pathlib import Path
from loop import TooManyRounds, run_agent
from model import Response, ScriptedModel, ToolCall
from tools import workspace_tools
from stalwart_lang.tracing import JsonLinesTracer
asks = Response("", (ToolCall("1", "list_files", {"dir": "."}),), "tool_use", 1, 1)
with JsonLinesTracer("t.jsonl") as tracer:
    try:
        tools = workspace_tools(Path(), helpful_errors=True)
        run_agent("", ScriptedModel(repeat(asks)), tools, tracer)
    except TooManyRounds as error:
        print(error)
""",
    )
    assert (done.stdout, done.stderr) == ("no answer after 12 rounds\n", "")
    found = spans(tmp_path / "t.jsonl")
    assert len(found) == 25
    assert [span["error"] for span in found if span["status"] == "error"] == [
        {"type": "loop.TooManyRounds"}
    ]


# What `stalwart trace` reads back


@pytest.mark.parametrize("version", VERSIONS)
def test_stats_give_the_figures(runs, version):
    done = stalwart(runs, "trace", "stats", f"{version}.jsonl", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert tuple(told[name] for name in NAMES) == FIGURES[version]


def test_the_tree_has_the_shape_of_the_run(runs):
    done = stalwart(runs, "trace", "tree", "v-bug.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert squeezed(done.stdout) == [
        "agent_run sales-summary ~ trace_id=~",
        "├─ model_call turn-1 ~ in=812 out=96 stop=tool_use",
        '│ └─ tool_call list_files ~ in={"dir":"data"} ok string(52)',
        "├─ model_call turn-2 ~ in=946 out=218 stop=tool_use",
        '│ ├─ tool_call read_file ~ in={"path":"data/2026-q1-east.csv"} ok string(107)',
        '│ ├─ tool_call read_file ~ in={"path":"data/2026-q1-sourth.csv"} ERROR FileNotFoundError',
        '│ └─ tool_call read_file ~ in={"path":"data/2026-q1-north.csv"} ok string(107)',
        "├─ model_call turn-3 ~ in=1602 out=355 stop=tool_use",
        '│ └─ tool_call write_file ~ in={"path":"summary.md","content":"# … ok string(36)',
        "└─ model_call turn-4 ~ in=1990 out=81 stop=end_turn",
    ]


def test_diff_names_the_misread_first_and_what_follows_after_it(runs):
    done = stalwart(runs, "trace", "diff", "v-good.jsonl", "v-bug.jsonl")
    assert (done.returncode, done.stderr) == (1, "")
    first, downstream = done.stdout.split("First difference")[1].split("Downstream")
    assert "turn-2" in first
    assert "read_file" in first
    assert "data/2026-q1-sourth.csv" in first
    assert "FileNotFoundError" in first
    assert "write_file" not in first
    assert "write_file" in downstream
    assert "tokens_total 6033 6100 +67 +1.1%" in squeezed(downstream)


def test_diff_says_what_mending_costs(runs):
    done = stalwart(runs, "trace", "diff", "v-good.jsonl", "v-fixed.jsonl")
    assert (done.returncode, done.stderr) == (1, "")
    assert "tokens_total 6033 8359 +2326 +38.6%" in squeezed(done.stdout)


def test_two_runs_of_a_version_are_the_same(runs, tmp_path):
    again = tmp_path / "again.jsonl"
    assert run(tmp_path, "--version", "v-bug", "--trace", str(again)).returncode == 0
    done = stalwart(runs, "trace", "diff", "v-bug.jsonl", str(again))
    assert (done.returncode, done.stderr) == (0, "")


# What its pages show


@pytest.mark.parametrize("readme", ["README.md", "README.pt-BR.md"])
def test_the_readme_is_true(readme, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    text = (EXAMPLE / readme).read_text("utf-8")
    shown = "".join(re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    commands = re.split(r"^\$ ", shown, flags=re.MULTILINE)[1:]
    assert len(commands) == 6
    for command, _, expected in (command.partition("\n") for command in commands):
        program, *arguments = shlex.split(command)
        through = {"python": (), "stalwart": ("-m", "stalwart_lang")}[program]
        done = ran(sys.executable, *through, *arguments, cwd=tmp_path)
        assert squeezed(done.stdout + done.stderr) == squeezed(expected)


def test_both_readmes_give_the_same_commands():
    english, portuguese = (
        re.findall(r"^\$ .*", (EXAMPLE / readme).read_text("utf-8"), re.MULTILINE)
        for readme in ("README.md", "README.pt-BR.md")
    )
    assert english == portuguese
