"""The example that is traced in OpenTelemetry: what each exporter gets, when the agent stops."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from socket import socket
from threading import Thread
from typing import Any, TypeAlias

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

ROOT = Path(__file__).parent.parent
RUN = ROOT / "examples" / "otel_loop" / "run.py"
Tree: TypeAlias = list[tuple[str, "Tree"]]

ANSWERS: Tree = [
    (
        "invoke_agent on-call",
        [
            ("stalwart.node step-1", [("chat 640/58 tool_use", []), ("search_logs", [])]),
            (
                "stalwart.node step-2",
                [
                    ("chat 731/94 tool_use", []),
                    ("read_runbook LookupError", []),
                    ("search_logs", []),
                ],
            ),
            ("stalwart.node step-3", [("chat 902/61 tool_use", []), ("read_runbook", [])]),
            ("stalwart.node step-4", [("chat 1015/47 end_turn", [])]),
        ],
    )
]
"""The spans of the script that answers, each below its parent."""


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return subprocess.run(
        [sys.executable, RUN, *arguments],
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        env={**environment, "HOME": str(cwd), "PYTHONIOENCODING": "utf-8"},
    )


def tree(spans: list[dict[str, Any]], parent: str | None = None) -> Tree:
    """Spans, each its name, its ids and its attributes, as a tree of what they say."""
    return [
        (said(span["name"], span["attributes"]), tree(spans, span["span_id"]))
        for span in sorted(spans, key=lambda span: span["start"])
        if span["parent_id"] == parent
    ]


def said(name: str, held: dict[str, Any]) -> str:
    if name == "chat claude-opus-4-6":
        tokens = (held[f"gen_ai.usage.{way}_tokens"] for way in ("input", "output"))
        return f"chat {'/'.join(map(str, tokens))} {held['gen_ai.response.finish_reasons'][0]}"
    if name == "stalwart.tool":
        return " ".join(filter(None, (held["gen_ai.tool.name"], held.get("error.type"))))
    return " ".join(filter(None, (name, held.get("stalwart.step_name"))))


def console_spans(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    while text.startswith("{"):
        span, end = decoder.raw_decode(text)
        ids = {name: span[name] and span[name][2:] for name in ("parent_id",)}
        yield {
            **span,
            **ids,
            "span_id": span["context"]["span_id"][2:],
            "start": span["start_time"],
        }
        text = text[end:].lstrip()


def json_lines(file: Path) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    spans = [record for record in records if record["type"] == "span"]
    for span in spans:
        if span["error"]:
            span["attributes"]["error.type"] = span["error"]["type"]
    return spans


def test_the_console_gets_every_span(tmp_path):
    done = run("--console", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    spans = list(console_spans(done.stdout))
    assert tree(spans) == ANSWERS
    assert {span["resource"]["attributes"]["service.name"] for span in spans} == {"on-call"}
    kinds = {span["name"]: span["kind"] for span in spans}
    assert kinds["chat claude-opus-4-6"] == "SpanKind.CLIENT"
    assert kinds["stalwart.tool"] == "SpanKind.INTERNAL"
    calls = [span["attributes"].get("gen_ai.tool.call.id") for span in spans]
    assert [call for call in calls if call] == ["toolu_1", "toolu_2", "toolu_3", "toolu_4"]
    assert done.stdout.splitlines()[-1] == "The card gateway's certificate ran out: renew it."


def test_content_stays_out_of_the_spans(tmp_path):
    done = run("--console", "--trace", "t.jsonl", cwd=tmp_path)
    spans = done.stdout.rpartition("\n}\n")[0] + (tmp_path / "t.jsonl").read_text("utf-8")
    assert re.search(r"stalwart\.turn_digest\W+[0-9a-f]{16}\b", spans)
    words = ("Checkout", "checkout", "gateway", "certificate", "runbook for", "handshake")
    assert [word for word in words if word in spans] == []


def test_json_lines_beside_it_hold_the_same(tmp_path):
    done = run("--console", "--trace", "t.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert tree(json_lines(tmp_path / "t.jsonl")) == tree(list(console_spans(done.stdout)))


def test_an_otlp_endpoint_gets_every_span_once(tmp_path):
    got: list[dict[str, Any]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = ExportTraceServiceRequest()
            assert self.path == "/v1/traces"
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sent.ParseFromString(body)
            for span in sent.resource_spans[0].scope_spans[0].spans:
                values = {its.key: its.value for its in span.attributes}
                got.append(
                    {
                        "name": span.name,
                        "span_id": span.span_id.hex(),
                        "parent_id": span.parent_span_id.hex() or None,
                        "start": span.start_time_unix_nano,
                        "attributes": {key: plain(value) for key, value in values.items()},
                    }
                )
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        done = run("--otlp", f"http://127.0.0.1:{server.server_port}/v1/traces", cwd=tmp_path)
        server.shutdown()
        thread.join()
    assert (done.returncode, done.stderr) == (0, "")
    assert tree(got) == ANSWERS
    assert len({span["span_id"] for span in got}) == len(got) == 13


def test_an_endpoint_that_is_not_there_is_told_and_changes_nothing(tmp_path):
    with socket() as bound:  # and not listened on: connections are refused
        bound.bind(("127.0.0.1", 0))
        done = run("--otlp", f"http://127.0.0.1:{bound.getsockname()[1]}/v1/traces", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout == "The card gateway's certificate ran out: renew it.\n"
    assert "13 spans were not exported" in done.stderr


def plain(value: Any) -> Any:
    """The Python value of an attribute's protobuf value."""
    if value.HasField("array_value"):
        return [plain(item) for item in value.array_value.values]
    return getattr(value, value.WhichOneof("value"))


@pytest.mark.parametrize(
    ("script", "steps", "said", "error"),
    [
        ("circles", 4, "the same calls again and again, up to step 4", "loop.Stuck"),
        ("wanders", 20, "no answer after 20 steps", "loop.OutOfSteps"),
    ],
)
def test_an_agent_without_an_answer_is_stopped(tmp_path, script, steps, said, error):
    done = run("--script", script, "--trace", "t.jsonl", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"The agent was stopped: {said}\n"
    spans = json_lines(tmp_path / "t.jsonl")
    assert sum(span["name"] == "stalwart.node" for span in spans) == steps
    (root,) = (span for span in spans if span["parent_id"] is None)
    assert [span for span in spans if span["status"] == "error"] == [root]
    assert root["error"] == {"type": error}
    assert done.stdout.splitlines()[0] == f"invoke_agent on-call  ERROR {error}"


@pytest.mark.parametrize("readme", ["README.md", "README.pt-BR.md"])
def test_the_readme_is_true(readme, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    text = (RUN.parent / readme).read_text("utf-8")
    shown = "".join(re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    commands = re.split(r"^\$ ", shown, flags=re.MULTILINE)[1:]
    assert len(commands) == 3
    for command, _, expected in (command.partition("\n") for command in commands):
        python, program, *arguments = shlex.split(command)
        assert (python, tmp_path / program) == ("python", tmp_path / "examples/otel_loop/run.py")
        done = run(*arguments, cwd=tmp_path)
        lines, told = expected.splitlines(), (done.stdout + done.stderr).splitlines()
        if "..." in lines:  # what is left out
            cut = lines.index("...")
            lines, told = lines[:cut] + lines[cut + 1 :], told[:cut] + told[cut + 1 - len(lines) :]
        assert told == lines


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--script", "sleeps"), "sleeps"),
        (("--console", "--otlp", "http://localhost:4318/v1/traces"), "not allowed with"),
        (("--otlp", "localhost:4318"), "http://localhost:4318/v1/traces"),
    ],
)
def test_bad_usage(tmp_path, arguments, said):
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_circles_and_what_is_none(tmp_path):
    program = f"""
import sys; sys.path.insert(0, {str(RUN.parent)!r})
from circles import goes_in_circles
from model import ToolCall

def step(*names):
    return [ToolCall("", name[0], {{"service": name[1:]}}) for name in names]

a, b, c = step("s1"), step("s2"), step("r1")
both, turned = step("s1", "r1"), step("r1", "s1")
assert all(map(goes_in_circles, ([a] * 4, [c, a, b, a, b], [both, turned] * 2)))
for steps in ([], [a] * 3, [a, a, a, b], [a, b, c, a], [[]] * 4, [a, []] * 2):
    assert not goes_in_circles(steps), steps
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, encoding="utf-8"
    )
    assert (done.stderr, done.returncode) == ("", 0)
