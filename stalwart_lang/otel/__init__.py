"""The same spans in OpenTelemetry, for teams that already use it.

Importing this package imports OpenTelemetry's interface; the rest of stalwart-lang does not, and
the SDK is imported only by `reporting`.
"""

from typing import TYPE_CHECKING

from stalwart_lang.otel.tracer import OtelSpan, OtelTracer

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

    from stalwart_lang.otel.exporter import ReportingExporter
    from stalwart_lang.otel.node_spans import NodeSpans

__all__ = ["NodeSpans", "OtelSpan", "OtelTracer", "reporting"]


def __getattr__(name: str) -> object:
    # Only graphs of LangGraph need it, and it imports LangGraph.
    if name == "NodeSpans":
        from stalwart_lang.otel.node_spans import NodeSpans

        return NodeSpans
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def reporting(
    exporter: "SpanExporter", *, wait: float = 2.0, pause: float = 5.0, capacity: int = 2048
) -> "ReportingExporter":
    """Return `exporter` made one that slows nobody and whose losses are told.

    An export is waited for at most `wait` seconds, once; what comes then stands in line, up to
    `capacity` spans. After a failure spans are dropped for `pause` seconds, then it is tried
    again, and nobody waits for that. Dropped spans are counted in `.dropped` and told by warnings
    of the logger `stalwart_lang.tracing`: one as an outage begins, one as it is over, one at the
    shutdown.

        provider.add_span_processor(BatchSpanProcessor(reporting(OTLPSpanExporter())))
    """
    from stalwart_lang.otel.exporter import ReportingExporter

    return ReportingExporter(exporter, wait=wait, pause=pause, capacity=capacity)
