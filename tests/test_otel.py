import json
import subprocess
import sys

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from stalwart_lang import Selector, Vocabulary
from stalwart_lang.otel import OtelTracer
from stalwart_lang.tracing import JsonLinesTracer

TURN = "charge order 4411 40.00"


@pytest.fixture
def exporter():
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter):
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield provider
    provider.shutdown()


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
    held = {k: list(v) if isinstance(v, tuple) else v for k, v in span.attributes.items()}
    assert held == record["attributes"]
    assert held["stalwart.verdict"] == "read"


def test_the_turn_is_there_only_where_content_is_captured(provider, exporter):
    vocabulary = Vocabulary.load("shop")
    Selector(vocabulary, tracer=OtelTracer(provider, capture_content=True)).plan(TURN)
    Selector(vocabulary, tracer=OtelTracer(provider, digest_key=b"k")).plan(TURN)
    Selector(vocabulary, tracer=OtelTracer(provider)).plan(TURN)
    captured, keyed, plain = (span.attributes for span in exporter.get_finished_spans())
    assert captured["stalwart.turn"] == TURN
    assert "stalwart.turn" not in keyed
    assert len({keyed["stalwart.turn_digest"], plain["stalwart.turn_digest"]}) == 2


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


def test_of_an_exception_only_the_type_is_kept(provider, exporter):
    with pytest.raises(RuntimeError), OtelTracer(provider).span("stalwart.tool"):
        raise RuntimeError("CPF 529.982.247-25 is refused")
    (span,) = exporter.get_finished_spans()
    assert span.status.status_code is StatusCode.ERROR
    assert span.attributes == {"error.type": "RuntimeError"}
    # Ids and times are chance digits; these are not.
    assert "CPF" not in span.to_json()
    assert "982.247-25" not in span.to_json()


def test_values_that_an_exporter_would_refuse_are_written_as_text(provider, exporter):
    with OtelTracer(provider).span("a", {"big": 2**70, "text": "\ud800"}):
        pass
    (span,) = exporter.get_finished_spans()
    assert span.attributes == {"big": str(2**70), "text": "\\ud800"}


def test_without_a_provider_the_global_one_is_used(provider, exporter):
    trace.set_tracer_provider(provider)
    with OtelTracer().span("stalwart.node"):
        pass
    assert [span.name for span in exporter.get_finished_spans()] == ["stalwart.node"]


def test_the_package_does_not_import_opentelemetry():
    work = (
        "import sys, stalwart_lang, stalwart_lang.tracing, stalwart_lang.timeline\n"
        "from stalwart_lang import Selector, Vocabulary\n"
        "assert Selector(Vocabulary.load('shop')).plan('charge order 4411 40.00').calls\n"
        "assert not [m for m in sys.modules if m.startswith('opentelemetry')]\n"
    )
    subprocess.run([sys.executable, "-c", work], check=True)
