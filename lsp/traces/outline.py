"""The runs of an open trace as trees of rows, for as many spans as an editor can list."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from stalwart_lang.lsp.traces.explaining import error_of
from stalwart_lang.lsp.traces.reading import Line, lines_of, spans_of
from stalwart_lang.lsp.traces.slices import in_slices
from stalwart_lang.timeline.kinds import Kind, kind_of, title_of
from stalwart_lang.timeline.records import Span
from stalwart_lang.tracing import attributes as names

SPANS = 5_000
"""So many spans are listed, the first of a trace."""

DEEPEST = 40
"""Levels of a tree; what is deeper is put on the last: clients and their JSON go only so deep."""


@dataclass(eq=False, slots=True)
class Row:
    """A span in a tree: its lines from 0, and where the text of its record ends.

    `first` and `last` are the lines on which it, or something below it, is recorded first and
    last; `line` is the one of its record.
    """

    span_id: str
    parent_id: str | None
    kind: Kind
    title: str
    name: str
    detail: str
    start: datetime
    duration_ms: float | None
    error: str | None
    failed: bool
    open: bool
    first: int
    last: int
    line: int
    length: int
    below: "list[Row]" = field(default_factory=list)


@dataclass(eq=False, slots=True)
class TraceRun:
    """A run of a trace: its trees, the line it begins on, and what came of it."""

    trace_id: str
    line: int
    rows: dict[str, Row] = field(default_factory=dict)
    roots: list[Row] = field(default_factory=list)
    left_out: bool = False

    @property
    def outcome(self) -> str:
        """`open`, `failed`, `waiting` or `completed`, as `timeline.runs.Run.outcome` has it."""
        rows = sorted(self.rows.values(), key=lambda row: row.start)
        if any(row.open for row in rows):
            return "open"
        kinds = [row.kind for row in rows]
        if "rollback" in kinds or any(root.failed for root in self.roots):
            return "failed"
        waits = [kind for kind in kinds if kind in ("interrupt", "resume")]
        return "waiting" if waits and waits[-1] == "interrupt" else "completed"

    @property
    def error(self) -> str | None:
        """The error of a root that failed."""
        return next((root.error for root in self.roots if root.failed and root.error), None)

    @property
    def duration_ms(self) -> float:
        """Milliseconds from its first start to its last known moment."""
        rows = self.rows.values()
        first = min(row.start for row in rows)
        return max(
            (row.start - first) / timedelta(milliseconds=1) + (row.duration_ms or 0) for row in rows
        )


@dataclass(frozen=True, slots=True)
class Outline:
    """The runs of a trace; `last_line` is the last one that was read, `whole` whether it is all."""

    runs: tuple[TraceRun, ...]
    last_line: int
    whole: bool


def outline(text: str) -> Outline:
    """Return the runs of a trace, by its first `SPANS` spans. Takes its time: not for the loop."""
    runs: dict[str, TraceRun] = {}
    count = last = 0
    whole = True
    for line, span in in_slices(_spans(text)):
        run = runs.get(span.trace_id)
        known = None if run is None else run.rows.get(span.span_id)
        if known is None and count == SPANS:
            whole = False
            break
        last = line.number
        if run is None:
            run = runs[span.trace_id] = TraceRun(span.trace_id, line.number)
        if known is None:
            count += 1
        elif span.open:
            continue
        run.rows[span.span_id] = _row(span, line, known)
    for run in runs.values():
        run.left_out = not whole
        _grow(run)
    return Outline(tuple(runs.values()), last, whole)


def _spans(text: str) -> Iterator[tuple[Line, Span]]:
    for line in lines_of(text):
        for span in spans_of(line):
            if isinstance(span, Span):
                yield line, span


def _row(span: Span, line: Line, known: Row | None) -> Row:
    return Row(
        span.span_id,
        span.parent_id,
        kind_of(span),
        title_of(span),
        span.name,
        _detail(span),
        span.start,
        span.duration_ms,
        error_of(span),
        span.failed,
        span.open,
        line.number if known is None else known.first,
        line.number,
        line.number,
        len(line.text),
    )


def _detail(span: Span) -> str:
    """Return what was decided in a span, by the words of its record."""
    for name in (names.OUTCOME, names.VERDICT, names.ANSWER):
        if isinstance(found := span.attributes.get(name), str):
            rule = span.attributes.get(names.RULE)
            return f"{found} [{rule}]" if isinstance(rule, str) and name == names.OUTCOME else found
    return ""


def _grow(run: TraceRun) -> None:
    """Put the rows of a run below each other, in the order in which they started."""
    rows = run.rows
    children: dict[str, list[Row]] = {}
    for row in sorted(rows.values(), key=lambda row: row.start):
        if row.parent_id is not None and row.parent_id in rows and row.parent_id != row.span_id:
            children.setdefault(row.parent_id, []).append(row)
        else:
            run.roots.append(row)
    tops = {row.span_id for row in run.roots}
    reached: set[str] = set()
    order: list[tuple[Row, Row | None]] = []
    for top in (*run.roots, *rows.values()):
        if top.span_id in reached:
            continue
        if top.span_id not in tops:  # it is in a circle: nothing above led to it
            run.roots.append(top)
        waiting: list[tuple[Row, tuple[Row, ...]]] = [(top, ())]
        while waiting:
            row, above = waiting.pop()
            if row.span_id in reached:
                continue
            reached.add(row.span_id)
            order.append((row, above[-1] if above else None))
            path = (*above, row)[:DEEPEST]
            waiting += [(child, path) for child in reversed(children.get(row.span_id, ()))]
    for row, parent in order:
        if parent is not None:
            parent.below.append(row)
    for row, parent in reversed(order):
        if parent is not None:
            parent.first = min(parent.first, row.first)
            parent.last = max(parent.last, row.last)
