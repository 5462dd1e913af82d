"""The figures of many runs as one object of JSON."""

from array import array
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from stalwart_lang.loops import RepeatedCall, RunLoop
from stalwart_lang.timeline.stats.figures import RunFigures
from stalwart_lang.timeline.stats.summary import OUTCOMES, Summary
from stalwart_lang.timeline.stats.timings import Timings, percentiles

PERCENTS = (50, 95, 99)


def summary_object(summary: Summary, *, per_run: bool = False) -> dict[str, Any]:
    """Return the figures of all runs; of one alone, also what it is and how it came out.

    With `per_run`, the figures of each are in a list of that name.
    """
    runs = len(summary.outcomes)
    made: dict[str, Any] = {}
    if runs == 1 and summary.first is not None:
        made |= _identity(summary.first)
    outcomes = outcome_counts(summary)
    tools = tools_by_calls(summary)
    made |= {
        "runs": runs,
        "completion_rate": outcomes["completed"] / runs if runs else None,
        "outcomes": outcomes,
        "rounds": summary.rounds,
        "steps": summary.steps,
        "model_calls": summary.model_calls,
        "tool_calls": summary.tool_calls,
        "errors": summary.errors,
        "tokens_in": summary.tokens_in,
        "tokens_out": summary.tokens_out,
        "tokens_total": summary.tokens_in + summary.tokens_out,
        "wall_ms": round(sum(summary.wall_ms), 6),
        "open_spans": summary.open_spans,
        "undone": summary.undone,
        "confirmations": {
            "asked": summary.asked,
            "approved": summary.approved,
            "declined": summary.declined,
        },
        "refusals": dict(summary.refusals.most_common()),
        "calls_by_tool": {name: timings.calls for name, timings in tools.items()},
        "errors_by_tool": {name: timings.errors for name, timings in tools.items()},
        "latency_ms": {
            "runs": spread(summary.wall_ms),
            "model_calls": spread(summary.timings.models.milliseconds),
            "tools": {name: spread(timings.milliseconds) for name, timings in tools.items()},
        },
        "tokens_per_run": spread(summary.tokens),
        "loops_found": summary.loops,
        "repeated_calls_found": summary.repeated_calls,
        "loops": [
            {"trace_id": run.trace_id, **_loop(loop)}
            for run in summary.looping
            for loop in run.loops
        ],
        "repeated_calls": [
            {"trace_id": run.trace_id, **_repeated(call)}
            for run in summary.looping
            for call in run.repeated_calls
        ],
    }
    if per_run:
        made["per_run"] = [_run(figures) for figures in summary.runs]
    return made


def outcome_counts(summary: Summary) -> dict[str, int]:
    """Return how many runs came out how."""
    return {outcome: summary.outcomes.count(code) for code, outcome in enumerate(OUTCOMES)}


def tools_by_calls(summary: Summary) -> dict[str, Timings]:
    """Return the timings of the tools, the most called first."""
    return dict(sorted(summary.timings.tools.items(), key=lambda tool: (-tool[1].calls, tool[0])))


def spread(values: "array[float]") -> Mapping[str, float] | None:
    """Return the mean, the percentiles and the largest of values, None where there are none."""
    if not values:
        return None
    found = percentiles(values, (*PERCENTS, 100))
    points = {f"p{percent}": value for percent, value in zip(PERCENTS, found, strict=False)}
    return {"mean": round(fmean(values), 6), **points, "max": found[-1]}


def _identity(figures: RunFigures) -> dict[str, Any]:
    return {
        "trace_id": figures.trace_id,
        "thread": figures.thread,
        "name": figures.name,
        "began": figures.began.isoformat().replace("+00:00", "Z"),
        "outcome": figures.outcome,
    }


def _run(figures: RunFigures) -> dict[str, Any]:
    return _identity(figures) | {
        "rounds": figures.rounds,
        "steps": figures.steps,
        "model_calls": figures.model_calls,
        "tool_calls": figures.tool_calls,
        "errors": figures.errors,
        "tokens_in": figures.tokens_in,
        "tokens_out": figures.tokens_out,
        "tokens_total": figures.tokens_total,
        "wall_ms": figures.wall_ms,
        "open_spans": figures.open_spans,
        "undone": figures.undone,
        "confirmations": {
            "asked": figures.asked,
            "approved": figures.approved,
            "declined": figures.declined,
        },
        "refusals": dict(figures.refusals),
        "calls_by_tool": dict(figures.calls_by_tool),
        "errors_by_tool": dict(figures.errors_by_tool),
        "loops": [_loop(loop) for loop in figures.loops],
        "repeated_calls": [_repeated(call) for call in figures.repeated_calls],
    }


def _loop(found: RunLoop) -> dict[str, Any]:
    loop = found.loop
    return {
        "span_id": found.span_id,
        "start": loop.start,
        "rounds": loop.length,
        "period": loop.period,
        "times": loop.times,
        "calls": [[_call(*call) for call in signature] for signature in loop.signatures],
    }


def _repeated(found: RepeatedCall) -> dict[str, Any]:
    return {**_call(*found.call), "times": found.times, "span_id": found.span_id}


def _call(tool: str, arguments_digest: str) -> dict[str, str]:
    return {"tool": tool, "arguments_digest": arguments_digest}
