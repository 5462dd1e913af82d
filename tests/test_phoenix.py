"""Spans in a real backend: Arize Phoenix, started for the test, read back through its API.

Phoenix brings hundreds of packages, so it is looked for in an environment of its own: the command
that STALWART_PHOENIX names, or `phoenix` beside this Python or on the path.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from stalwart_lang.otel import OtelTracer, reporting
from stalwart_lang.tracing import spans, traced_tool

pytestmark = pytest.mark.phoenix

PROJECT = "stalwart-test"
STARTS_WITHIN = 180
SHOWS_WITHIN = 60


def command() -> str:
    beside = Path(sys.executable).with_name("phoenix")
    found = os.environ.get("STALWART_PHOENIX") or shutil.which(beside) or shutil.which("phoenix")
    if not found:
        pytest.skip(
            "no phoenix command: pip install arize-phoenix in an environment of its own, and name "
            "its bin/phoenix in STALWART_PHOENIX"
        )
    return found


def free_ports(number: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [opened.getsockname()[1] for opened in sockets]
    for opened in sockets:
        opened.close()
    return ports


def get(url: str):
    with urlopen(url, timeout=30) as answer:
        return json.load(answer) if "/v1/" in url else answer.read()


@pytest.fixture(scope="module")
def phoenix(tmp_path_factory):
    """The address of a server that keeps everything in memory."""
    folder = tmp_path_factory.mktemp("phoenix")
    port, grpc = free_ports(2)
    settings = {
        "PHOENIX_WORKING_DIR": str(folder),
        "PHOENIX_SQL_DATABASE_URL": "sqlite:///:memory:",
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(grpc),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    log = folder / "log"
    address = f"http://127.0.0.1:{port}"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [command(), "serve"], env=os.environ | settings, stdout=output, stderr=output
        )
    try:
        deadline = time.monotonic() + STARTS_WITHIN
        while not ready(address):
            assert time.monotonic() < deadline, log.read_text()
            with suppress(subprocess.TimeoutExpired):
                server.wait(0.2)
                pytest.fail(f"phoenix ended: {log.read_text()}")
        yield address
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def ready(address: str) -> bool:
    with suppress(URLError, OSError):
        get(f"{address}/readyz")
        return True
    return False


def shown(address: str, expected: int) -> list[dict]:
    """The spans that Phoenix has, as soon as there are `expected`; it takes them in by and by."""
    deadline = time.monotonic() + SHOWS_WITHIN
    found: list[dict] = []
    while len(found) < expected:
        assert time.monotonic() < deadline, found
        with suppress(URLError):  # the project is not there before its first span
            found = get(f"{address}/v1/projects/{PROJECT}/spans?limit=1000")["data"]
    return found


CPF = "529.982.247-25"
PRIVATE = [CPF, "maria", "44110077", "/home/", "no such customer"]


def test_an_allowed_and_a_refused_call_show_as_they_were_and_once(phoenix):
    resource = Resource.create({"openinference.project.name": PROJECT})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = reporting(OTLPSpanExporter(endpoint=f"{phoenix}/v1/traces"), wait=30)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = OtelTracer(provider)

    @traced_tool
    def look_up(customer):
        raise LookupError(f"no such customer: {customer}")

    charge, mail = {"order_id": 44110077, "cpf": CPF}, {"to": "maria", "file": f"/home/{CPF}"}
    with tracer.run("desk", thread="desk/u-17"), tracer.node("run", step=0):
        with tracer.model_call("claude-sonnet-4-5", name="turn-1", message=f"pay {CPF}") as call:
            call.responded(input_tokens=812, output_tokens=96, stop_reason="tool_use")
        with spans.tool_check(tracer, "charge_card", charge, call_id="c-1", labels=["paid"]) as it:
            it.decided("allow", "policy", rule="small-charges", reasons=["known customer"])
        with tracer.tool("charge_card", charge, call_id="c-1") as tool:
            tool.returned({"charged": CPF})
        with spans.tool_check(tracer, "send_mail", mail, call_id="c-2", history_token=CPF) as it:
            it.decided("refuse", "policy", rule="no-mail", reasons=["stranger"])
        with pytest.raises(LookupError):
            look_up("maria")
    provider.shutdown()
    assert exporter.dropped == 0

    found = shown(phoenix, expected=7)
    names = {span["context"]["span_id"]: span["name"] for span in found}
    assert len(names) == len(found) == 7
    assert Counter((span["name"], names.get(span["parent_id"])) for span in found) == {
        ("invoke_agent desk", None): 1,
        ("stalwart.node", "invoke_agent desk"): 1,
        ("chat claude-sonnet-4-5", "stalwart.node"): 1,
        ("stalwart.tool_check", "stalwart.node"): 2,
        ("stalwart.tool", "stalwart.node"): 2,
    }
    assert {span["parent_id"] for span in found} <= {None, *names}
    assert len({span["context"]["trace_id"] for span in found}) == 1

    # Three calls: one allowed, one refused, one by a tool that nobody checks.
    called = [span["attributes"] for span in found if span["span_kind"] == "TOOL"]
    assert Counter((c["gen_ai.tool.name"], c.get("stalwart.outcome")) for c in called) == {
        ("charge_card", "allow"): 1,
        ("send_mail", "refuse"): 1,
        ("look_up", None): 1,
    }
    operations = Counter(span["attributes"].get("gen_ai.operation.name") for span in found)
    assert operations == {"execute_tool": 2, "chat": 1, "invoke_agent": 1, None: 3}

    refused = next(span for span in found if span["attributes"].get("stalwart.outcome") == "refuse")
    assert (
        refused["attributes"].items()
        >= {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "send_mail",
            "gen_ai.tool.call.id": "c-2",
            "stalwart.decided_by": "policy",
            "stalwart.rule": "no-mail",
            "stalwart.reasons": ["stranger"],
        }.items()
    )
    (decision,) = refused["events"]
    assert decision["name"] == "stalwart.decision"
    assert decision["attributes"].items() <= refused["attributes"].items()
    assert decision["attributes"]["stalwart.outcome"] == "refuse"

    chat = next(span for span in found if span["name"].startswith("chat "))
    assert chat["span_kind"] == "LLM"
    assert chat["attributes"]["gen_ai.usage.input_tokens"] == 812
    failed = {
        s["name"]: s["attributes"]["error.type"] for s in found if s["status_code"] == "ERROR"
    }
    assert failed == {"stalwart.tool": "LookupError"}

    everything = json.dumps(
        [
            found,
            get(f"{phoenix}/v1/projects/{PROJECT}/spans/otlpv1?limit=1000"),
            get(f"{phoenix}/v1/projects/{PROJECT}/traces?limit=1000"),
        ]
    )
    assert "small-charges" in everything
    for value in PRIVATE:
        assert value not in everything
