"""Compares OtelTracer's span with the SDK's own: a tool check, ten attributes and one event.

    python benchmarks/otel.py

Prints the ratio of each pair, measured in this run, and its target.
"""

from collections.abc import Callable, Iterator

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from ratios import ratio
from rows import Row

from stalwart_lang.otel import OtelTracer, reporting
from stalwart_lang.tracing import attributes as names

KNOWN = {
    names.OPERATION_NAME: names.EXECUTE_TOOL,
    names.TOOL_NAME: "charge_card",
    names.TOOL_CALL_ID: "toolu_01A09q90qw90lq917835lq9",
    names.LABELS: ["payment", "brazil"],
    names.ARGS_DIGEST: "0f3a5c7d9e1b2a4c",
    names.HISTORY_TOKEN: "b7c1d9e2f3a45566",
}
DECISION = {
    names.OUTCOME: "confirm",
    names.DECIDED_BY: "confirmation",
    names.RULE: "charges-need-a-person",
    names.REASONS: ["write", "amount"],
}
EVENT = KNOWN | DECISION


def ours(provider: TracerProvider) -> Callable[[], object]:
    tracer = OtelTracer(provider)

    def check() -> None:
        with tracer.span(names.TOOL_CHECK, KNOWN) as span:
            span.set_attributes(DECISION)
            span.add_event(names.DECISION, EVENT)

    return check


def the_sdk_s(provider: TracerProvider) -> Callable[[], object]:
    tracer = provider.get_tracer("benchmark")

    def check() -> None:
        with tracer.start_as_current_span(names.TOOL_CHECK, attributes=KNOWN) as span:
            span.set_attributes(DECISION)
            span.add_event(names.DECISION, EVENT)

    return check


class Memory(InMemorySpanExporter):
    """Forgets what it has now and then, so that a long run stays small."""

    def export(self, spans):  # type: ignore[no-untyped-def]
        if len(self._finished_spans) > 1000:
            self.clear()
        return super().export(spans)


def provider_with(processor: SpanProcessor | None) -> TracerProvider:
    provider = TracerProvider(shutdown_on_exit=False)
    if processor is not None:
        provider.add_span_processor(processor)
    return provider


def rows() -> Iterator[Row]:
    """Ours against the SDK's, on the same provider; then what waiting on a thread costs."""
    plain = provider_with(SimpleSpanProcessor(Memory()))
    for name, provider in {"no processor": provider_with(None), "Simple, memory": plain}.items():
        times, own, sdk = ratio(ours(provider), the_sdk_s(provider))
        note = f"{own * 1e6:.0f} against {sdk * 1e6:.0f} µs"
        yield Row(f"OtelTracer's span by the SDK's own, {name}", times, "x", note, at_most=1.2)
    guarded = provider_with(SimpleSpanProcessor(reporting(Memory())))
    times, own, sdk = ratio(ours(guarded), ours(plain))
    note = f"{own * 1e6:.0f} against {sdk * 1e6:.0f} µs"
    yield Row("the same with reporting(exporter) by without, Simple", times, "x", note)
    guarded.shutdown()


def main() -> int:
    failed = False
    for row in rows():
        print(row)
        failed |= row.failed
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
