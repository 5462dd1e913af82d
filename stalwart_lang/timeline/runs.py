"""Spans gathered into the runs they belong to."""

from collections.abc import Iterable
from dataclasses import dataclass

from stalwart_lang.timeline.records import Span


@dataclass(frozen=True, slots=True)
class Run:
    """The spans of one trace, in the order in which they started."""

    trace_id: str
    spans: tuple[Span, ...]


def gather_runs(spans: Iterable[Span]) -> list[Run]:
    """Gather spans by trace, in the order in which the traces first appear.

    A span's start and its end become one; a span that never ended stays open.
    """
    traces: dict[str, dict[str, Span]] = {}
    for span in spans:
        known = traces.setdefault(span.trace_id, {})
        if not (span.open and span.span_id in known):
            known[span.span_id] = span
    return [
        Run(trace_id, tuple(sorted(known.values(), key=lambda span: span.start)))
        for trace_id, known in traces.items()
    ]
