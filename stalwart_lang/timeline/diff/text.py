"""The difference of two runs as lines of text."""

from collections.abc import Iterator, Sequence

from stalwart_lang.terminal import printable
from stalwart_lang.timeline.diff.difference import (
    Change,
    Comparison,
    Difference,
    OneRun,
    OneStep,
    RunEnd,
    StepDifference,
    told,
)
from stalwart_lang.timeline.diff.figures import FigureRow, figure_rows
from stalwart_lang.timeline.text import LABELS, Line, Piece, Style

_LONGEST = 200
"""Characters of a value that are shown."""
_SAME_SHOWN = 3
"""Steps in a row that are the same again and are shown one by one."""


def comparison_lines(found: Comparison, a: str, b: str) -> Iterator[Line]:
    """Yield the lines about two traces, whose files are `a` and `b`."""
    yield _run_line("A", a, found.a)
    yield _run_line("B", b, found.b)
    yield ()
    if found.difference is None:
        yield _verdict(found)
    else:
        yield from _difference_lines(found, found.difference)
    for note in found.notes:
        yield (Piece(f"Not compared: {note}", "open"),)
    yield from _other_runs(found)
    yield ()
    yield from _figure_lines(figure_rows(found.a.figures, found.b.figures))


def _run_line(name: str, file: str, run: OneRun) -> Line:
    thread = "" if run.thread is None else f", thread {printable(run.thread)}"
    called = "" if run.name is None else f"{printable(run.name)}, "
    told_of = f"{printable(file)}: {called}trace {printable(run.trace_id)}{thread}"
    return (Piece(f"{name}  ", "heading"), Piece(told_of))


def _verdict(found: Comparison) -> Line:
    if found.runs_a != found.runs_b:
        return (Piece("The runs that both hold decided the same.", "heading"),)
    what = "The runs" if found.runs_a == 1 else f"All {found.runs_a} runs"
    return (Piece(f"{what} decided the same.", "allow"),)


def _difference_lines(found: Comparison, difference: Difference) -> Iterator[Line]:
    first = difference.first
    if first is None:
        yield (Piece("First difference: how the runs end", "heading"),)
    else:
        yield (Piece(f"First difference: {_where(first)}", "heading"),)
        yield from _step_lines(first)
    yield from _stops(found)
    if first is None and difference.end is not None:
        yield from _end_lines(difference.end)
        return
    if difference.downstream or difference.more_differ or difference.end is not None:
        yield ()
        yield (Piece("Downstream of it", "heading"),)
        yield (Piece("  Contagion, not cause: set the first difference right, not these."),)
        yield from _downstream(difference.downstream)
        if difference.more_differ or difference.more_same:
            more = f"{difference.more_differ} that differ, {difference.more_same} that do not"
            yield (Piece(f"  and more steps: {more}"),)
        if difference.end is not None:
            yield from _end_lines(difference.end)


def _where(step: StepDifference) -> str:
    a, b = step.a, step.b
    if a is None or b is None:
        only = "A" if b is None else "B"
        one = a if b is None else b
        assert one is not None
        return f"{_called(one)}, only in {only}"
    if (a.number, a.title) == (b.number, b.title):
        return _called(a)
    return f"{_called(a)} of A, {_called(b)} of B"


def _called(step: OneStep) -> str:
    number = "outside of steps" if step.number is None else f"step {step.number}"
    return f"{number} ({printable(step.title)})"


def _step_lines(step: StepDifference) -> Iterator[Line]:
    for change in step.changes:
        yield from _change_lines(change)


def _change_lines(change: Change) -> Iterator[Line]:
    label = Piece(f"  {LABELS[change.kind]:<9} ", "label")
    title = Piece(printable(change.title))
    if change.a is None or change.b is None:
        only, one = ("A", change.a) if change.b is None else ("B", change.b)
        assert one is not None
        line = [label, title, Piece(f" only in {only}", "confirm")]
        yield tuple(line)
        for what in ("arguments", "outcome", "result", "error"):
            value = _told(change, what, one is change.a)
            if value is not None:
                yield (Piece(f"    {what}: ", "label"), Piece(value))
        return
    said = ""
    if change.another_result:
        said = ": the same call gave another result"
    elif change.another_input:
        said = ": another input, the two runs did not read the same turn"
    yield (label, title, Piece(said, "confirm"))
    context = ("arguments",) if change.kind in ("tool", "undo", "check") else ()
    for what in dict.fromkeys((*context, *change.what)):
        ours, theirs = (_told(change, what, of_a) or "none" for of_a in (True, False))
        if what not in change.what:
            if ours != "none":
                yield (Piece(f"    {what}: ", "label"), Piece(ours))
            continue
        for name, value in (("A", ours), ("B", theirs)):
            style: Style = "error" if what == "error" and value != "none" else ""
            yield (Piece(f"    {what} {name}: ", "label"), Piece(value, style))


def _told(change: Change, what: str, of_a: bool) -> str | None:
    one = change.a if of_a else change.b
    if one is None:
        return None
    try:
        value = told(one, change.kind, what)
    except KeyError:  # spans of this kind have none
        return None
    if value is None:
        return None
    shown = value if len(value) <= _LONGEST else value[:_LONGEST] + "…"
    return printable(shown)


def _stops(found: Comparison) -> Iterator[Line]:
    for name, run, other in (("A", found.a, found.b), ("B", found.b, found.a)):
        if run.open and not (other.open and other.stopped_in == run.stopped_in):
            doing = ", ".join(map(printable, run.stopped_in))
            middle = f"it was in the middle of {doing}" if doing else "its end is not recorded"
            yield (Piece(f"  {name} stops here: {middle}", "open"),)


def _downstream(steps: Sequence[StepDifference]) -> Iterator[Line]:
    alike: list[StepDifference] = []
    for step in steps:
        if step.same:
            alike.append(step)
            continue
        yield from _alike(alike)
        alike = []
        yield (Piece(f"  {_where(step)}: ", "label"), Piece(_summary(step)))
    yield from _alike(alike)


def _alike(steps: Sequence[StepDifference]) -> Iterator[Line]:
    if len(steps) > _SAME_SHOWN:
        yield (Piece(f"  {len(steps)} steps: ", "label"), Piece("the same decisions again"))
        return
    for step in steps:
        assert step.a is not None
        assert step.b is not None
        tokens = ""
        if step.a.tokens != step.b.tokens:
            tokens = f"; {step.a.tokens} tokens in A, {step.b.tokens} in B"
        where = Piece(f"  {_where(step)}: ", "label")
        yield (where, Piece(f"the same decisions{tokens}"))


def _summary(step: StepDifference) -> str:
    """Say in a line what differs in a step."""
    said = []
    for change in step.changes:
        name = f"{LABELS[change.kind]} {printable(change.title)}"
        if change.a is None or change.b is None:
            said.append(f"{name} only in {'A' if change.b is None else 'B'}")
        elif change.another_result:
            said.append(f"{name}: the same call gave another result")
        else:
            said.append(f"{name}: {_listed(change.what)}")
    return "; ".join(said)


def _listed(what: Sequence[str]) -> str:
    """Say what differs: `arguments and result differ`."""
    if len(what) == 1:
        return f"its {what[0]} {'differ' if what[0].endswith('s') else 'differs'}"
    return f"its {', '.join(what[:-1])} and {what[-1]} differ"


def _end_lines(end: RunEnd) -> Iterator[Line]:
    for name, told_of in (("A", end.a), ("B", end.b)):
        for one in told_of:
            yield (Piece(f"  in {name} ", "label"), Piece(printable(one)))


def _other_runs(found: Comparison) -> Iterator[Line]:
    if found.differing > 1:
        pairs = min(found.runs_a, found.runs_b)
        yield (Piece(f"{found.differing} of {pairs} pairs of runs differ; the first is shown."),)
    if found.runs_a != found.runs_b:
        more = "A" if found.runs_a > found.runs_b else "B"
        said = f"A holds {found.runs_a} runs, B {found.runs_b}: those that only {more} has are left"
        yield (Piece(f"{said} out.", "confirm"),)


def _figure_lines(rows: Sequence[FigureRow]) -> Iterator[Line]:
    table = [("", "A", "B", "difference", "")]
    table += [
        (
            printable(row.name),
            row.shown(row.a),
            row.shown(row.b),
            row.shown_difference,
            "" if row.percent is None or row.difference == 0 else f"{row.percent:+.1f}%",
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for index, (name, *cells) in enumerate(table):
        row = "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
        style: Style = "heading" if index == 0 else ""
        yield (Piece(f"{name:<{widths[0]}}  {row}".rstrip(), style),)
