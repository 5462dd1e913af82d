"""Spans of what an agent did, written where its author says and nowhere else."""

from stalwart_lang.tracing.agent import ModelCall, traced_tool
from stalwart_lang.tracing.content import Attributes, AttributeValue
from stalwart_lang.tracing.context import carry, continue_trace, current_traceparent
from stalwart_lang.tracing.jsonlines import JsonLinesTracer
from stalwart_lang.tracing.together import together
from stalwart_lang.tracing.tracer import Span, Tracer

__all__ = [
    "AttributeValue",
    "Attributes",
    "JsonLinesTracer",
    "ModelCall",
    "Span",
    "Tracer",
    "carry",
    "continue_trace",
    "current_traceparent",
    "together",
    "traced_tool",
]
