"""Measure what a span costs: `python benchmarks/tracing.py`; README.md says what and why.

Exits with 0 whatever the numbers: it is for reading, on a machine that may be busy.
"""

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from ratios import ratio
from rows import Row

from stalwart_lang.tracing import JsonLinesTracer
from stalwart_lang.tracing import attributes as names

CHECK = {
    names.OPERATION_NAME: names.EXECUTE_TOOL,
    names.TOOL_NAME: "charge_card",
    names.TOOL_CALL_ID: "toolu_01A09q90qw90lq917835lq9",
    names.OUTCOME: "confirm",
    names.DECIDED_BY: "confirmation",
    names.RULE: "charges-need-a-person",
    names.REASONS: ["write", "amount"],
    names.LABELS: ["payment"],
    names.ARGS_DIGEST: "0f3a5c7d9e1b2a4c",
    names.HISTORY_TOKEN: "b7c1d9e2f3a45566",
}


def ours(tracer: JsonLinesTracer) -> Callable[[], object]:
    def check() -> None:
        with tracer.span(names.TOOL_CHECK, CHECK) as span:
            span.add_event(names.DECISION, CHECK)

    return check


def bare(records: list[object], path: Path) -> Callable[[], object]:
    """What anybody would write: the same two records, each dumped, written and flushed."""
    file = path.open("w", encoding="utf-8")

    def check() -> None:
        for record in records:
            file.write(json.dumps(record) + "\n")
            file.flush()

    return check


def sdk(path: Path) -> Callable[[], object] | None:
    """OpenTelemetry's SDK, each span to a JSON file as it ends; None if that is not installed."""
    try:
        from opentelemetry.exporter.otlp.json.file import FileSpanExporter
    except ImportError:
        return None
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(path)))
    tracer = provider.get_tracer("benchmark")

    def check() -> None:
        with tracer.start_as_current_span(names.TOOL_CHECK, attributes=CHECK) as span:
            span.add_event(names.DECISION, CHECK)

    return check


def main() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder)
        with JsonLinesTracer(path / "once.jsonl") as once:
            ours(once)()
        records = [json.loads(line) for line in (path / "once.jsonl").read_text().splitlines()]
        with JsonLinesTracer(path / "ours.jsonl") as tracer, tracer.run("benchmark"):
            check = ours(tracer)
            value, mine, theirs = ratio(check, bare(records, path / "bare.jsonl"))
            note = f"{mine * 1e6:.1f} µs against {theirs * 1e6:.1f} µs"
            print(Row("a tool check / json.dumps, write, flush", value, "×", note, at_most=1.5))
            peer = sdk(path / "sdk.jsonl")
            if peer is None:
                print("      the SDK's JSON file exporter is not installed: see README.md")
                return
            value, theirs, mine = ratio(peer, check)
            note = f"{theirs * 1e6:.1f} µs against {mine * 1e6:.1f} µs"
            print(Row("the SDK, Simple and JSON file / a tool check", value, "×", note, at_least=5))


if __name__ == "__main__":
    main()
