"""The difference of two runs as an object for JSON."""

from typing import Any

from stalwart_lang.timeline.diff.closer import Seen
from stalwart_lang.timeline.diff.difference import (
    ENDED,
    ERROR,
    Change,
    Comparison,
    OneRun,
    OneStep,
    RunEnd,
    StepDifference,
    told,
)
from stalwart_lang.timeline.diff.figures import FigureRow, figure_rows
from stalwart_lang.timeline.diff.signature import DECISIONS
from stalwart_lang.timeline.kinds import Kind


def comparison_object(found: Comparison, a: str, b: str) -> dict[str, Any]:
    """Return what came of comparing the traces in the files `a` and `b`.

    `first` is null where the runs are the same. `downstream` holds what comes after it, as much as
    is told one by one; `downstream_more` counts the rest.
    """
    difference = found.difference
    first: dict[str, Any] | None = None
    if difference is not None:
        if difference.first is not None:
            first = _step(difference.first)
        else:
            first = {"at": "end", "end": _end(difference.end)}
    more_differ = difference.more_differ if difference else 0
    more_same = difference.more_same if difference else 0
    rows = figure_rows(found.a.figures, found.b.figures)
    return {
        "same": found.same,
        "a": {"file": a, **_run(found.a)},
        "b": {"file": b, **_run(found.b)},
        "first": first,
        "downstream": [_step(step) for step in difference.downstream] if difference else [],
        "downstream_more": {"differ": more_differ, "same": more_same},
        "end": _end(difference.end) if difference else None,
        "figures": {
            **{row.name: _figure(row) for row in rows if not row.tool},
            "calls_by_tool": {
                row.name.removeprefix("calls of "): _figure(row) for row in rows if row.tool
            },
        },
        "runs": {"a": found.runs_a, "b": found.runs_b, "pairs_that_differ": found.differing},
        "notes": list(found.notes),
    }


def _run(run: OneRun) -> dict[str, Any]:
    return {
        "trace_id": run.trace_id,
        "name": run.name,
        "thread": run.thread,
        "open": run.open,
        "stopped_in": list(run.stopped_in),
    }


def _step(step: StepDifference) -> dict[str, Any]:
    return {
        "at": "step",
        "same": step.same,
        "a": _one_step(step.a),
        "b": _one_step(step.b),
        "changes": [_change(change) for change in step.changes],
    }


def _one_step(step: OneStep | None) -> dict[str, Any] | None:
    if step is None:
        return None
    return {
        "step": step.number,
        "title": step.title,
        "kind": step.kind,
        "tokens_total": step.tokens,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "name": change.title,
        "differs": list(change.what),
        "only_in": "a" if change.b is None else "b" if change.a is None else None,
        "another_result": change.another_result,
        "another_input": change.another_input,
        "a": _decisions(change.a, change.kind),
        "b": _decisions(change.b, change.kind),
    }


def _decisions(seen: Seen | None, kind: Kind) -> dict[str, str] | None:
    if seen is None:
        return None
    labels = (*DECISIONS[kind], ERROR, ENDED)
    held = {label: told(seen, kind, label) for label in labels}
    return {label.replace(" ", "_"): text for label, text in held.items() if text is not None}


def _end(end: RunEnd | None) -> dict[str, list[str]] | None:
    return None if end is None else {"a": list(end.a), "b": list(end.b)}


def _figure(row: FigureRow) -> dict[str, float | None]:
    told_of: dict[str, float | None] = {"a": row.a, "b": row.b, "difference": row.difference}
    if row.percent is not None or row.name.startswith(("tokens", "wall")):
        told_of["percent"] = row.percent
    return told_of
