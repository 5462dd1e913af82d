"""Runs read back from the spans that a tracer wrote, and shown."""

from stalwart_lang.timeline.records import Damage, Error, Event, Span, read_spans
from stalwart_lang.timeline.runs import Run, gather_runs
from stalwart_lang.timeline.select import NoSuchRun, Selection, read_runs
from stalwart_lang.timeline.sources import open_lines
from stalwart_lang.timeline.text import text_timeline

__all__ = [
    "Damage",
    "Error",
    "Event",
    "NoSuchRun",
    "Run",
    "Selection",
    "Span",
    "gather_runs",
    "open_lines",
    "read_runs",
    "read_spans",
    "text_timeline",
]
