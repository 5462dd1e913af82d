import asyncio
import io
import json
import logging
import re
import socket
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToJson
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import SpanLimits, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    ConsoleSpanExporter,
    SimpleSpanProcessor,
    SpanExporter,
    SpanExportResult,
)
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from stalwart_lang import Selector, Vocabulary
from stalwart_lang.otel import OtelTracer, reporting
from stalwart_lang.tracing import (
    JsonLinesTracer,
    carry,
    continue_trace,
    current_traceparent,
    spans,
    together,
    traced_tool,
)
from stalwart_lang.tracing.attributes import TOOL_CHECK_ATTRIBUTES

TURN = "charge order 4411 40.00"
CPF = "529.982.247-25"
ABOVE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture
def exporter():
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter):
    with providing(SimpleSpanProcessor(exporter)) as provider:
        yield provider


@contextmanager
def providing(*processors, **options):
    provider = TracerProvider(shutdown_on_exit=False, **options)
    for processor in processors:
        provider.add_span_processor(processor)
    yield provider
    provider.shutdown()


class Collector:
    """Takes OTLP over HTTP: answers with `status`, or holds every request until it is let go."""

    def __init__(self):
        self.status = 200
        self.spans = []
        self.asked = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.asked.set()
                collector.go_on.wait()
                if collector.status == 200:
                    collector.take(ExportTraceServiceRequest.FromString(body))
                self.send_response(collector.status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def take(self, request):
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                self.spans += scope.spans

    def exporter(self, **options):
        return OTLPSpanExporter(endpoint=f"{self.endpoint}/v1/traces", **options)


@pytest.fixture
def collector():
    collector = Collector()
    yield collector
    collector.go_on.set()
    collector.server.shutdown()
    collector.server.server_close()


@pytest.fixture
def told(caplog):
    """The warnings of tracing so far."""
    caplog.set_level(logging.WARNING, "stalwart_lang.tracing")
    return lambda: [r.getMessage() for r in caplog.records if r.name == "stalwart_lang.tracing"]


def held(span):
    return {k: list(v) if isinstance(v, tuple) else v for k, v in span.attributes.items()}


def parents(exporter):
    ended = exporter.get_finished_spans()
    names = {span.context.span_id: span.name for span in ended}
    return {span.name: span.parent and names.get(span.parent.span_id, "?") for span in ended}


# What a span is


def test_a_plan_has_the_attributes_that_the_json_lines_have(provider, exporter, tmp_path):
    path = tmp_path / "run.jsonl"
    vocabulary = Vocabulary.load("shop")
    Selector(vocabulary, tracer=OtelTracer(provider)).plan(TURN)
    with JsonLinesTracer(path) as tracer:
        Selector(vocabulary, tracer=tracer).plan(TURN)
    (span,) = exporter.get_finished_spans()
    record = json.loads(path.read_text().splitlines()[-1])
    assert span.name == record["name"] == "stalwart.plan"
    assert span.instrumentation_scope.name == "stalwart_lang"
    assert held(span) == record["attributes"]
    assert held(span)["stalwart.verdict"] == "read"


def test_a_run_has_the_shape_that_its_author_gave_it(provider, exporter):
    tracer = OtelTracer(provider)

    @traced_tool
    def read_file(path):
        return path

    with tracer.run("sales-summary", thread="t-1"), tracer.node("turn-1"):
        with tracer.model_call("claude-sonnet-4-5", provider="anthropic") as call:
            call.responded(input_tokens=812, output_tokens=96, stop_reason="tool_use")
            assert "chat claude-sonnet-4-5" in parents(exporter), "it ends as the model answers"
            read_file("east.csv")
        with spans.tool_check(tracer, "charge_card", {}, call_id="c") as check:
            check.decided("refuse", "policy", rule="r", reasons=["a", "b"])
    assert parents(exporter) == {
        "invoke_agent sales-summary": None,
        "stalwart.node": "invoke_agent sales-summary",
        "chat claude-sonnet-4-5": "stalwart.node",
        "stalwart.tool": "chat claude-sonnet-4-5",
        "stalwart.tool_check": "stalwart.node",
    }
    by_name = {span.name: span for span in exporter.get_finished_spans()}
    chat, check = by_name["chat claude-sonnet-4-5"], by_name["stalwart.tool_check"]
    assert [span.name for span in by_name.values() if span.kind is SpanKind.CLIENT] == [chat.name]
    assert held(chat)["gen_ai.response.finish_reasons"] == ["tool_use"]
    assert held(chat)["gen_ai.usage.input_tokens"] == 812
    (decision,) = check.events
    assert decision.name == "stalwart.decision"
    assert held(decision).items() <= held(check).items()
    assert held(decision)["stalwart.outcome"] == "refuse"


def test_a_span_that_ended_takes_nothing_more_and_stays_the_parent(provider, exporter, caplog):
    tracer = OtelTracer(provider)
    with tracer.span("call") as call:
        call.end()
        call.end()
        call.set_attributes({"late": 1})
        call.set_content({"stalwart.message": "late"})
        call.add_event("late")
        call.record_error(ValueError())
        with tracer.span("tool"):
            pass
    call, tool = exporter.get_finished_spans()
    assert (held(call), call.events, call.status.status_code) == ({}, (), StatusCode.UNSET)
    assert tool.parent.span_id == call.context.span_id
    assert not caplog.records


def test_with_the_json_lines_both_have_the_same_ids(provider, exporter, tmp_path):
    with JsonLinesTracer(tmp_path / "run.jsonl") as file:
        tracer = together(file, OtelTracer(provider))
        with tracer.run("desk"), tracer.tool("read_file"):
            pass
    written = map(json.loads, (tmp_path / "run.jsonl").read_text().splitlines())
    assert {(r["trace_id"], r["span_id"], r["parent_id"]) for r in written} == {
        (
            f"{span.context.trace_id:032x}",
            f"{span.context.span_id:016x}",
            span.parent and f"{span.parent.span_id:016x}",
        )
        for span in exporter.get_finished_spans()
    }


# Parents


def test_spans_nest_below_the_application_s(provider, exporter):
    with (
        provider.get_tracer("app").start_as_current_span("request"),
        OtelTracer(provider).span("stalwart.node", {"a": 1}) as span,
    ):
        span.add_event("stalwart.decision", {"stalwart.outcome": "allow"})
    node, request = exporter.get_finished_spans()
    assert node.parent.span_id == request.context.span_id
    assert node.attributes == {"a": 1}
    assert [(e.name, dict(e.attributes)) for e in node.events] == [
        ("stalwart.decision", {"stalwart.outcome": "allow"})
    ]


def test_a_traceparent_is_gone_on_with(provider, exporter, monkeypatch):
    tracer = OtelTracer(provider)
    app = provider.get_tracer("app")
    with tracer.span("outer") as outer:
        assert current_traceparent() == outer.traceparent
        with tracer.span("given", parent=ABOVE) as given, tracer.span("below given"):
            assert given.traceparent[3:35] == ABOVE[3:35]
        with tracer.span("nonsense", parent="00-nonsense"):
            pass
        with continue_trace(ABOVE), tracer.span("continued"):
            pass
        with continue_trace(ABOVE), app.start_as_current_span("app's"), tracer.span("below app's"):
            pass
        with app.start_as_current_span("app's own"), continue_trace(ABOVE), tracer.span("last"):
            pass
    monkeypatch.setenv("TRACEPARENT", ABOVE)
    with OtelTracer(provider).span("by the environment"):
        pass
    assert parents(exporter) == {
        "outer": None,
        "given": "?",
        "below given": "given",
        "nonsense": "outer",
        "continued": "?",
        "app's": "?",
        "below app's": "app's",
        "app's own": "outer",
        "last": "?",
        "by the environment": "?",
    }
    for span in exporter.get_finished_spans():
        if parents(exporter)[span.name] == "?":
            assert (span.context.trace_id, span.parent.span_id) == (
                int(ABOVE[3:35], 16),
                int(ABOVE[36:52], 16),
            )


def test_what_is_above_may_say_that_nothing_is_recorded(provider, exporter, monkeypatch):
    unsampled = ABOVE[:-1] + "0"
    tracer = OtelTracer(provider)
    with tracer.span("a", parent=unsampled) as span, tracer.span("b"):
        assert span.traceparent.startswith(unsampled[:36])
        assert current_traceparent().endswith("-00")
    with continue_trace(unsampled), tracer.span("c"):
        pass
    monkeypatch.setenv("TRACEPARENT", unsampled)
    with OtelTracer(provider).span("d"):
        pass
    assert exporter.get_finished_spans() == ()


def test_threads_and_tasks_keep_the_parent(provider, exporter):
    tracer = OtelTracer(provider)

    def work(number):
        with tracer.span(f"thread {number}"):
            pass

    async def task(number):
        with tracer.span(f"task {number}"):
            await asyncio.sleep(0)

    async def both():
        await asyncio.gather(*map(task, range(20)))

    with tracer.span("root"):
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(carry(work), range(20)))
        asyncio.run(both())
    assert Counter(parents(exporter).values()) == {None: 1, "root": 40}


def test_a_generator_may_be_closed_by_another_task(provider, exporter, caplog):
    tracer = OtelTracer(provider)

    async def answers():
        with tracer.span("stream"):
            yield 1
            yield 2

    async def main():
        stream = answers()
        await asyncio.create_task(anext(stream))
        with tracer.span("closing"):
            await asyncio.create_task(stream.aclose())
            with tracer.span("after"):
                pass

    asyncio.run(main())
    assert parents(exporter) == {"stream": None, "closing": None, "after": "closing"}
    assert not caplog.records


FORKING = """
import os, sys
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from stalwart_lang.otel import OtelTracer, reporting

exporter = OTLPSpanExporter()
provider = TracerProvider()
processor = {"batch": BatchSpanProcessor, "simple": SimpleSpanProcessor}[sys.argv[1]]
provider.add_span_processor(processor(reporting(exporter) if sys.argv[2] == "yes" else exporter))
tracer = OtelTracer(provider)
with tracer.span("before"):
    pass
with tracer.span("open"):
    child = os.fork()
    with tracer.span("child" if child == 0 else "parent"):
        pass
provider.shutdown()
if child:
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.parametrize("processor", ["batch", "simple"])
@pytest.mark.parametrize("wrapped", ["yes", "no"])
def test_after_a_fork_both_go_on_and_nothing_is_there_twice(collector, processor, wrapped):
    command = [sys.executable, "-W", "ignore", "-c", FORKING, processor, wrapped]
    done = subprocess.run(
        command,
        env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = {span.name: span for span in collector.spans}
    assert Counter(span.name for span in collector.spans) == dict.fromkeys(
        ["before", "open", "parent", "child"], 1
    )
    assert len({span.span_id for span in collector.spans}) == 4
    assert found["child"].parent_span_id == found["parent"].parent_span_id == found["open"].span_id


# Content, errors, values


def test_the_turn_is_there_only_where_content_is_captured(provider, exporter):
    vocabulary = Vocabulary.load("shop")
    captured = OtelTracer(provider, capture_content=True, redact=None)
    for tracer in (captured, OtelTracer(provider, digest_key=b"k"), OtelTracer(provider)):
        Selector(vocabulary, tracer=tracer).plan(TURN)
    captured, keyed, plain = (span.attributes for span in exporter.get_finished_spans())
    assert captured["stalwart.turn"] == TURN
    assert "stalwart.turn" not in keyed
    assert len({keyed["stalwart.turn_digest"], plain["stalwart.turn_digest"]}) == 2


def test_what_is_captured_is_redacted(provider, exporter):
    mine = OtelTracer(provider, capture_content=True, redact=lambda value: "***")
    for tracer in (mine, OtelTracer(provider, capture_content=True)):
        with tracer.tool("mail", {"to": f"CPF {CPF}"}) as tool:
            tool.returned(CPF)
    ours, default = map(held, exporter.get_finished_spans())
    assert (ours["stalwart.arguments"], ours["stalwart.result"]) == ("***", "***")
    assert "CPF" in default["stalwart.arguments"]
    assert CPF not in str(default)


def test_of_an_exception_only_the_type_is_kept_and_nothing_private_is_exported(collector):
    memory, shown = InMemorySpanExporter(), io.StringIO()
    exporters = (memory, ConsoleSpanExporter(out=shown), collector.exporter())
    with providing(*map(SimpleSpanProcessor, exporters)) as provider:
        tracer = OtelTracer(provider)
        private = {"cpf": CPF, "path": f"/home/maria/{CPF}.pdf"}

        @traced_tool
        def fails(cpf, path):
            raise sqlite3.DatabaseError(f"no row for CPF {cpf} in {path}")

        def work():
            with tracer.run("desk"), tracer.node("n"):
                with spans.plan_span(tracer, f"pay {CPF}"):
                    pass
                with spans.tool_check(tracer, "fails", private, history_token=CPF) as check:
                    check.decided("allow", "policy")
                fails(**private)

        with pytest.raises(sqlite3.DatabaseError):
            work()
        ended = memory.get_finished_spans()
    assert {
        span.name: span.attributes["error.type"] for span in ended if not span.status.is_ok
    } == {
        "stalwart.tool": "sqlite3.DatabaseError",
        "stalwart.node": "sqlite3.DatabaseError",
        "invoke_agent desk": "sqlite3.DatabaseError",
    }
    assert {span.status.description for span in ended} == {None}
    exported = [
        *(span.to_json() for span in ended),
        MessageToJson(encode_spans(ended)),
        shown.getvalue(),
        str(collector.spans),
    ]
    assert len(collector.spans) == len(ended) == 5
    for text in exported:
        assert re.search(r"desk|stalwart\.", text)
        assert not re.search(rf"{re.escape(CPF)}|no row|maria|pay |Traceback", text)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.text(st.characters(), min_size=1),
    st.dictionaries(st.text(st.characters(), min_size=1), anything, max_size=5),
)
def test_whatever_the_values_every_exporter_takes_them(name, attributes):
    memory = InMemorySpanExporter()
    with providing(SimpleSpanProcessor(memory)) as provider:
        with OtelTracer(provider).span(name, attributes, content=attributes) as span:
            span.set_attributes(attributes)
            span.add_event(name, attributes)
        (ended,) = memory.get_finished_spans()
    request = ExportTraceServiceRequest.FromString(encode_spans([ended]).SerializeToString())
    (sent,) = request.resource_spans[0].scope_spans[0].spans
    assert len(sent.attributes) == len(ended.attributes)
    json.loads(ended.to_json(), parse_constant=lambda constant: pytest.fail(constant))


def test_values_that_an_exporter_would_refuse_are_written_as_text(provider, exporter):
    with OtelTracer(provider).span("a", {"big": 2**70, "text": "\ud800", "nan": float("nan")}):
        pass
    (span,) = exporter.get_finished_spans()
    assert span.attributes == {"big": str(2**70), "text": "\\ud800", "nan": "nan"}


# OpenTelemetry's limit


@pytest.mark.parametrize("limit", [16, 64, 128, 300])
@pytest.mark.parametrize("at", ["start", "before", "after"])
def test_over_the_limit_what_is_ours_stays_and_the_rest_is_counted(limit, at, caplog):
    memory = InMemorySpanExporter()
    foreign = {f"app.{number}": number for number in range(400)}
    decision = dict.fromkeys(TOOL_CHECK_ATTRIBUTES, "it")
    limits = SpanLimits(max_span_attributes=limit)
    with providing(SimpleSpanProcessor(memory), span_limits=limits) as provider:
        first = foreign if at == "start" else None
        with OtelTracer(provider).span("check", first) as span:
            if at == "before":
                for number in foreign:
                    span.set_attributes({number: foreign[number]})
            span.set_attributes(decision)
            if at == "after":
                span.set_attributes(foreign)
            span.add_event("stalwart.decision", foreign | decision)
            span.record_error(KeyError())
        (ended,) = memory.get_finished_spans()
    kept = held(ended)
    assert len(kept) == limit
    assert kept["error.type"] == "KeyError"
    assert decision.items() <= kept.items()
    others = [name for name in kept if name.startswith("app.")]
    assert others == list(foreign)[: limit - 12]
    assert kept["stalwart.dropped_attributes"] == 400 - len(others)
    (event,) = ended.events
    assert decision.items() <= held(event).items()
    assert not caplog.records, "OpenTelemetry has dropped nothing"


def test_at_the_limit_nothing_is_dropped(provider, exporter):
    foreign = {f"app.{number}": number for number in range(118)}
    decision = dict.fromkeys(TOOL_CHECK_ATTRIBUTES, "it")
    with OtelTracer(provider).span("check", decision) as span:
        span.set_attributes(foreign)
        span.set_attributes(foreign)
    (ended,) = exporter.get_finished_spans()
    assert held(ended) == decision | foreign


# Calls are shown once


def test_a_checked_call_is_told_by_its_check_alone(provider, exporter):
    tracer = OtelTracer(provider)
    with tracer.run("desk"):
        for number in range(2000):
            with spans.tool_check(tracer, "charge_card", {}, call_id=f"c-{number}") as check:
                check.decided("allow", "policy")
        with tracer.tool("charge_card", call_id="c-1999"):
            pass
        with spans.interrupt(tracer, "mail", waits_for="write", outcome="confirm", call_id="m"):
            pass
        with spans.resume(tracer, "mail", "approve", call_id="m"):
            pass
        with tracer.tool("mail", call_id="m"):
            pass
    with tracer.run("another's"), tracer.tool("charge_card", call_id="c-1999"):
        pass
    kinds = [
        (span.name, span.attributes.get("openinference.span.kind"))
        for span in exporter.get_finished_spans()[2000:]
    ]
    assert kinds == [
        ("stalwart.tool", "CHAIN"),
        ("stalwart.interrupt", "CHAIN"),
        ("stalwart.resume", "CHAIN"),
        ("stalwart.tool", "CHAIN"),
        ("invoke_agent desk", None),
        ("stalwart.tool", None),
        ("invoke_agent another's", None),
    ]


# Providers, processors and exporters that fail


class Raising(SpanProcessor):
    def __init__(self, where):
        self.where = where

    def on_start(self, span, parent_context=None):
        if self.where == "on_start":
            raise RuntimeError(CPF)

    def on_end(self, span):
        if self.where == "on_end":
            raise RuntimeError(CPF)


class RaisingProvider(trace.TracerProvider):
    def get_tracer(self, *_, **__):
        raise RuntimeError(CPF)


class RaisingSpan(trace.NonRecordingSpan):
    def set_attributes(self, attributes):
        raise RuntimeError(CPF)

    set_status = add_event = end = set_attributes


class RaisingTracer(trace.NoOpTracer):
    def start_span(self, *_, **__):
        return RaisingSpan(trace.SpanContext(1, 1, is_remote=False))


class OddProvider(trace.TracerProvider):
    def get_tracer(self, *_, **__):
        return RaisingTracer()


@pytest.mark.parametrize(
    "failing",
    [
        lambda: TracerProvider(active_span_processor=Raising("on_start"), shutdown_on_exit=False),
        lambda: TracerProvider(active_span_processor=Raising("on_end"), shutdown_on_exit=False),
        RaisingProvider,
        OddProvider,
    ],
)
def test_what_fails_in_opentelemetry_stays_there_and_is_told_once(failing, told):
    tracer = OtelTracer(failing())

    def work():
        with tracer.run("desk"), tracer.tool("t", {}) as tool:
            tool.returned(1)
            tool.span.add_event("e")
            raise ZeroDivisionError

    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            work()
    assert told() == ["Spans are not recorded by OpenTelemetry: RuntimeError"]


def test_below_a_span_that_could_not_be_opened_the_trace_goes_on(told):
    class Sometimes(SpanProcessor):
        def on_start(self, span, parent_context=None):
            if span.name == "lost":
                raise RuntimeError

    memory = InMemorySpanExporter()
    with providing(Sometimes(), SimpleSpanProcessor(memory)) as provider:
        tracer = OtelTracer(provider)
        with tracer.span("root"), tracer.span("lost"), tracer.span("leaf"):
            pass
    assert parents(memory) == {"root": None, "leaf": "root"}
    assert len(told()) == 1


def test_without_an_sdk_nothing_is_recorded_and_nothing_fails():
    tracer = OtelTracer(trace.NoOpTracerProvider())
    with tracer.run("desk") as run:
        assert run.traceparent == f"00-{'0' * 32}-{'0' * 16}-00"
        assert current_traceparent() is None
        with tracer.tool("t", {}) as tool:
            tool.returned(1)


def test_without_a_provider_the_global_one_is_used(provider, exporter):
    trace.set_tracer_provider(provider)
    with OtelTracer().span("stalwart.node"):
        pass
    assert [span.name for span in exporter.get_finished_spans()] == ["stalwart.node"]


# Collectors that are down


OUTAGE = "Spans do not get through their exporter"


def traced(exporter, processor, times):
    reporter = reporting(exporter, wait=0.05, pause=3600)
    with providing(processor(reporter)) as provider:
        tracer = OtelTracer(provider)
        for _ in range(times):
            with tracer.span("step"):
                pass
        if processor is BatchSpanProcessor:
            provider.force_flush()
    return reporter


@pytest.mark.parametrize("processor", [SimpleSpanProcessor, BatchSpanProcessor])
def test_a_closed_port_holds_nobody_up_and_what_is_lost_is_told(processor, told):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    closed = OTLPSpanExporter(endpoint=f"http://127.0.0.1:{port}/v1/traces", timeout=3600)
    reporter = traced(closed, processor, times=100)
    assert reporter.dropped == 100
    outage, lost = told()
    assert outage.startswith(OUTAGE)
    assert lost == "100 spans were not exported."


@pytest.mark.parametrize("processor", [SimpleSpanProcessor, BatchSpanProcessor])
def test_nor_does_a_collector_that_never_answers(collector, processor, told):
    collector.go_on.clear()
    reporter = traced(collector.exporter(timeout=3600), processor, times=100)
    assert reporter.dropped == 100
    assert len(told()) == 2


def test_after_an_outage_spans_get_through_again_and_another_is_told_again(collector, told):
    reporter = reporting(collector.exporter(), wait=60, pause=0)
    with providing(SimpleSpanProcessor(reporter)) as provider:
        tracer = OtelTracer(provider)

        def steps(status, *names):
            collector.status = status
            for name in names:
                with tracer.span(name):
                    pass
                reporter.force_flush()

        for _ in range(2):
            steps(200, "well")
            steps(400, "lost", "lost too")
            steps(200, "tried", "well again")
    assert [span.name for span in collector.spans] == ["well", "tried", "well again"] * 2
    assert reporter.dropped == 4
    assert (
        told()
        == [
            f"{OUTAGE} (the exporter failed). What is lost is counted.",
            "Spans get through their exporter again. Lost meanwhile: 2.",
        ]
        * 2
    )


def test_a_slow_collector_loses_nothing_that_stands_in_line(collector, told):
    collector.go_on.clear()
    reporter = reporting(collector.exporter(timeout=3600), wait=0.05, capacity=6)
    with providing(SimpleSpanProcessor(reporter)) as provider:
        tracer = OtelTracer(provider)
        for number in range(10):
            with tracer.span(f"step {number}"):
                pass
        collector.go_on.set()
        assert reporter.force_flush()
    assert [span.name for span in collector.spans] == [f"step {number}" for number in range(6)]
    assert reporter.dropped == 4
    assert told()[-1] == "Spans get through their exporter again. Lost meanwhile: 4."


def test_many_threads_export_at_once(collector):
    reporter = reporting(collector.exporter(), wait=60)
    with providing(SimpleSpanProcessor(reporter)) as provider:
        tracer = OtelTracer(provider)

        def work(number):
            with tracer.span(str(number)):
                pass

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(100)))
    assert sorted(int(span.name) for span in collector.spans) == list(range(100))
    assert reporter.dropped == 0


def test_an_exporter_that_raises_is_told_by_its_type(told):
    class Broken(SpanExporter):
        def export(self, spans):
            raise RuntimeError(CPF)

        def shutdown(self):
            raise RuntimeError(CPF)

    reporter = traced(Broken(), SimpleSpanProcessor, times=3)
    assert reporter.dropped == 3
    assert reporter.export(()) is SpanExportResult.FAILURE
    assert told() == [
        f"{OUTAGE} (RuntimeError). What is lost is counted.",
        "The exporter of spans failed as it was shut down: RuntimeError",
        "3 spans were not exported.",
    ]


# The package and its page


def test_the_package_does_not_import_opentelemetry():
    work = (
        "import sys, stalwart_lang, stalwart_lang.tracing, stalwart_lang.timeline\n"
        "from stalwart_lang import Selector, Vocabulary\n"
        "assert Selector(Vocabulary.load('shop')).plan('charge order 4411 40.00').calls\n"
        "assert not [m for m in sys.modules if m.startswith('opentelemetry')]\n"
        "import stalwart_lang.otel\n"
        "assert not [m for m in sys.modules if m.startswith('opentelemetry.sdk')]\n"
    )
    subprocess.run([sys.executable, "-c", work], check=True)


@pytest.mark.parametrize("page", ["opentelemetry.md", "opentelemetry.pt-BR.md"])
def test_what_the_page_shows_runs(page, collector, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint)
    text = (DOCS / page).read_text("utf-8")
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        exec(compile(block, page, "exec"), {})
    assert [span.name for span in collector.spans][:2] == ["stalwart.tool_check", "stalwart.tool"]
    assert collector.spans[2].name.startswith("invoke_agent ")
