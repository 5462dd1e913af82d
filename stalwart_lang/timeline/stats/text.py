"""The figures of many runs as lines of text: few lines, columns that line up."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from stalwart_lang.loops import RepeatedCall, RoundSignature, RunLoop
from stalwart_lang.terminal import printable
from stalwart_lang.timeline.stats.as_json import (
    PERCENTS,
    outcome_counts,
    spread,
    tools_by_calls,
)
from stalwart_lang.timeline.stats.figures import RunFigures
from stalwart_lang.timeline.stats.plot import histogram
from stalwart_lang.timeline.stats.summary import Summary
from stalwart_lang.timeline.stats.timings import Timings
from stalwart_lang.timeline.text import Line, Piece, Style

_LABEL = 15
_NAME = 40
_LOOPS = 10
_TOOLS = 30
_STYLES: Mapping[str, Style] = {
    "completed": "allow",
    "failed": "error",
    "waiting": "confirm",
    "open": "open",
}

Row = Sequence[Piece]


def summary_lines(summary: Summary, *, plots: bool = False) -> Iterator[Line]:
    """Yield the lines; with `plots`, how runs are spread over time taken and tokens, drawn."""
    first = summary.first
    if first is None:
        return
    if len(summary.outcomes) == 1:
        yield from _one(first)
    else:
        yield from _all(summary)
    yield _labelled("rounds", f"{summary.rounds:,}")
    if summary.steps != summary.rounds:  # of agents that record no steps they are the rounds
        yield _labelled("steps", f"{summary.steps:,}")
    yield _labelled("model calls", f"{summary.model_calls:,}")
    yield _labelled("tool calls", f"{summary.tool_calls:,}")
    yield _labelled("errors", f"{summary.errors:,}", "error" if summary.errors else "")
    total = summary.tokens_in + summary.tokens_out
    tokens = f"{total:,} ({summary.tokens_in:,} in, {summary.tokens_out:,} out)"
    if len(summary.outcomes) > 1 and (per_run := spread(summary.tokens)) is not None:
        tokens += f"; a run: mean {per_run['mean']:,.0f}, most {per_run['max']:,.0f}"
    yield _labelled("tokens", tokens)
    if summary.asked or summary.approved or summary.declined:
        yield _labelled(
            "confirmations",
            f"{summary.asked:,} asked, {summary.approved:,} approved, "
            f"{summary.declined:,} declined",
        )
    if summary.undone:
        yield _labelled("undone", f"{summary.undone:,}")
    if summary.open_spans:
        yield _labelled("never ended", f"{summary.open_spans:,} spans", "open")
    if plots and len(summary.outcomes) > 2:
        yield from _plots(summary)
    yield from _latencies(summary)
    yield from _refusals(summary.refusals)
    yield from _loops(summary)


def run_lines(runs: Iterable[RunFigures]) -> Iterator[Line]:
    """Yield a table of runs, a line each."""
    heads = ("run", "began", "outcome", "rounds", "tools", "errors", "tokens", "time", "loops")
    rows: list[Row] = []
    for run in runs:
        numbers = (run.rounds, run.tool_calls, run.errors, run.tokens_total)
        rows.append(
            (
                Piece(printable(run.trace_id)),
                Piece(f"{run.began:%Y-%m-%d %H:%M:%S}"),
                Piece(run.outcome, _STYLES.get(run.outcome, "")),
                *(Piece(f"{number:,}") for number in numbers),
                Piece(duration(run.wall_ms)),
                Piece(f"{len(run.loops) + len(run.repeated_calls):,}"),
            )
        )
    yield from _table(heads, rows, left=3)


def duration(milliseconds: float) -> str:
    """Return a duration for reading, to three digits or so."""
    if milliseconds < 1:
        return f"{milliseconds * 1000:.0f} µs"
    if milliseconds < 1000:
        return f"{milliseconds:.3g} ms"
    seconds = milliseconds / 1000
    if seconds < 120:
        return f"{seconds:.3g} s"
    if seconds < 7200:
        return f"{seconds / 60:.3g} min"
    return f"{seconds / 3600:,.1f} h"


def _one(run: RunFigures) -> Iterator[Line]:
    said = [printable(run.name)]
    if run.thread is not None:
        said.append(f"thread {printable(run.thread)}")
    said.append(f"trace {printable(run.trace_id)}")
    yield (Piece("Run: " + ", ".join(said), "heading"),)
    yield _labelled("outcome", run.outcome, _STYLES.get(run.outcome, ""))
    yield _labelled("time", duration(run.wall_ms))


def _all(summary: Summary) -> Iterator[Line]:
    runs = len(summary.outcomes)
    counts = outcome_counts(summary)
    yield (Piece(f"{runs:,} runs", "heading"),)
    rate = counts["completed"] / runs
    pieces: list[Piece] = [Piece(f"{'completed':<{_LABEL}}", "label"), Piece(f"{rate:.1%}")]
    for outcome, count in counts.items():
        if count:
            pieces += (Piece("; "), Piece(f"{count:,} {outcome}", _STYLES[outcome]))
    yield tuple(pieces)


def _plots(summary: Summary) -> Iterator[Line]:
    for label, values, said in (
        ("time a run", summary.wall_ms, duration),
        ("tokens a run", summary.tokens, "{:,.0f}".format),
    ):
        if drawn := histogram(values):
            low, high = said(max(min(values), max(values) / 1000)), said(max(values))
            yield _labelled(label, f"{low} {drawn} {high}")


def _latencies(summary: Summary) -> Iterator[Line]:
    rows = []
    if len(summary.outcomes) > 1:
        rows.append(_timed("runs", len(summary.outcomes), None, spread(summary.wall_ms)))
    models = summary.timings.models
    if models.calls:
        rows.append(_timed_calls("model calls", models))
    tools = tools_by_calls(summary)
    for name, timings in [*tools.items()][:_TOOLS]:
        rows.append(_timed_calls(printable(name), timings))
    if not rows:
        return
    yield ()
    percents = [f"p{percent}" for percent in PERCENTS]
    yield from _table(("latency", "calls", "errors", *percents, "max"), rows, left=1)
    if len(tools) > _TOOLS:
        yield (Piece(f"… and {len(tools) - _TOOLS:,} tools that were called less often"),)


def _timed_calls(name: str, timings: Timings) -> Row:
    return _timed(name, timings.calls, timings.errors, spread(timings.milliseconds))


def _timed(name: str, calls: int, errors: int | None, times: Mapping[str, float] | None) -> Row:
    told = [times[f"p{percent}"] for percent in PERCENTS] + [times["max"]] if times else []
    failed = Piece("")
    if errors is not None:
        rate = f" ({errors / calls:.1%})" if errors else ""
        failed = Piece(f"{errors:,}{rate}", "error" if errors else "")
    return (
        Piece(_clipped(name), "label"),
        Piece(f"{calls:,}"),
        failed,
        *(Piece(duration(value)) for value in told),
        *(Piece("-") for _ in range(len(PERCENTS) + 1 - len(told))),
    )


def _refusals(refusals: Mapping[str, int]) -> Iterator[Line]:
    if refusals:
        yield ()
        ordered = sorted(refusals.items(), key=lambda rule: (-rule[1], rule[0]))
        rows = [(Piece(_clipped(printable(rule))), Piece(f"{count:,}")) for rule, count in ordered]
        yield from _table(("refused by", "calls"), rows, left=1)


def _loops(summary: Summary) -> Iterator[Line]:
    found = summary.loops + summary.repeated_calls
    if not found:
        return
    yield ()
    yield (Piece("loops", "heading"),)
    shown = 0
    for run in summary.looping:
        told = f"  in trace {printable(run.trace_id)}" if len(summary.outcomes) > 1 else ""
        for text in (*map(_loop, run.loops), *map(_repeated, run.repeated_calls)):
            if shown == _LOOPS:
                yield (Piece(f"… and {found - shown:,} more: --json has them"),)
                return
            shown += 1
            yield (Piece(printable(text), "error"), Piece(told))


def _loop(found: RunLoop) -> str:
    loop = found.loop
    which = " then ".join(map(_round, loop.signatures))
    rest = loop.length % loop.period
    more = f" and {rest} more" if rest else ""
    return f"from round {loop.start + 1}, {loop.times} times{more}: {which}"


def _round(signature: RoundSignature) -> str:
    return " + ".join(f"{tool} #{digest}" for tool, digest in signature)


def _repeated(found: RepeatedCall) -> str:
    tool, digest = found.call
    return f"{found.times} times with the same arguments: {tool} #{digest}"


def _labelled(label: str, text: str, style: Style = "") -> Line:
    return (Piece(f"{label:<{_LABEL}}", "label"), Piece(text, style))


def _clipped(text: str) -> str:
    return text if len(text) <= _NAME else text[: _NAME - 1] + "…"


def _table(heads: Sequence[str], rows: Sequence[Row], left: int) -> Iterator[Line]:
    """Yield rows under their heads: `left` columns aligned to the left, the others to the right."""
    widths = [
        max(len(head), *(len(row[column].text) for row in rows), 0)
        for column, head in enumerate(heads)
    ]
    for row in ([Piece(head, "heading") for head in heads], *rows):
        line: list[Piece] = []
        for column, (piece, width) in enumerate(zip(row, widths, strict=True)):
            gap = "  " if column else ""
            pad = " " * (width - len(piece.text))
            last = column == len(heads) - 1
            if column < left:
                line += (Piece(gap), piece, Piece("" if last else pad))
            else:
                line += (Piece(gap + pad), piece)
        yield tuple(line)
