"""Run an agent whose spans go to OpenTelemetry: to memory, the console, or an OTLP endpoint.

python examples/otel_loop/run.py [--script answers|circles|wanders] [--console | --otlp URL]
                                 [--trace FILE]
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from loop import OutOfSteps, Stuck, run_agent
from model import SCRIPTS, scripted
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    ConsoleSpanExporter,
    SimpleSpanProcessor,
    SpanExporter,
)
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tools import TOOLS

from stalwart_lang.otel import OtelTracer, reporting
from stalwart_lang.tracing import JsonLinesTracer, together

TASK = "Checkout has failed since this morning. Find out why."
SHOWN = {
    "stalwart.step_name": "{}",
    "gen_ai.tool.name": "{}",
    "gen_ai.usage.input_tokens": "in={}",
    "gen_ai.usage.output_tokens": "out={}",
    "gen_ai.response.finish_reasons": "stop={0[0]}",
    "error.type": "ERROR {}",
}
"""What the tree says of a span's attributes."""


def main() -> int:
    """Run one script; return 0, or 1 where the agent came to no answer."""
    parser = argparse.ArgumentParser(description="An agent traced in OpenTelemetry.")
    parser.add_argument("--script", choices=SCRIPTS, default="answers", help="what the model does")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--console", action="store_true", help="print each span as JSON")
    where.add_argument("--otlp", metavar="URL", help="send the spans to URL by OTLP over HTTP")
    parser.add_argument(
        "--trace", type=Path, metavar="FILE", help="append the spans to FILE too, as JSON lines"
    )
    given = parser.parse_args()

    memory = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource.create({"service.name": "on-call"}))
    if given.console:
        provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))
    elif given.otlp:
        try:
            provider.add_span_processor(BatchSpanProcessor(_otlp(given.otlp)))
        except (ImportError, ValueError) as error:
            parser.error(str(error))
    else:
        provider.add_span_processor(SimpleSpanProcessor(memory))
    tracer = OtelTracer(provider)
    both = together(JsonLinesTracer(given.trace), tracer) if given.trace else tracer

    answer = stopped = ""
    try:
        answer = run_agent(TASK, scripted(SCRIPTS[given.script]()), TOOLS, both)
    except (Stuck, OutOfSteps) as error:
        stopped = f"The agent was stopped: {error}"
    provider.shutdown()  # a batch is sent now, or lost
    for line in _tree(memory.get_finished_spans()):
        print(line)
    print(answer or stopped, file=sys.stdout if answer else sys.stderr)
    return 0 if answer else 1


def _otlp(url: str) -> SpanExporter:
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url}: give the whole URL, such as http://localhost:4318/v1/traces")
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError:
        package = "opentelemetry-exporter-otlp-proto-http"
        raise ImportError(f"--otlp needs one more package: pip install {package}") from None
    return reporting(OTLPSpanExporter(endpoint=url))  # says so where spans are lost


def _tree(
    spans: Sequence[ReadableSpan], parent: int | None = None, depth: int = 0
) -> Iterator[str]:
    for span in sorted(spans, key=lambda span: span.start_time or 0):
        if (span.parent.span_id if span.parent else None) == parent and span.context:
            held = span.attributes or {}
            told = [form.format(held[name]) for name, form in SHOWN.items() if name in held]
            yield "  ".join(["   " * depth + span.name, *told])
            yield from _tree(spans, span.context.span_id, depth + 1)


if __name__ == "__main__":
    sys.exit(main())
