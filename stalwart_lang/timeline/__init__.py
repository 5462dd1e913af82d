"""Runs read back from the spans that a tracer wrote, and shown."""

from stalwart_lang.timeline.records import Damage, Span, read_spans
from stalwart_lang.timeline.runs import Run, gather_runs
from stalwart_lang.timeline.text import text_timeline

__all__ = ["Damage", "Run", "Span", "gather_runs", "read_spans", "text_timeline"]
