"""Spans of what an agent did, written where its author says and nowhere else."""

from stalwart_lang.tracing.content import Attributes, AttributeValue
from stalwart_lang.tracing.jsonlines import JsonLinesTracer
from stalwart_lang.tracing.tracer import Span, Tracer

__all__ = ["AttributeValue", "Attributes", "JsonLinesTracer", "Span", "Tracer"]
