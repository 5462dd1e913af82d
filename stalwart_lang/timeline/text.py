"""A run as a timeline of text, one block a step, one line a thing done.

A line is made of pieces, some with a style, so that a terminal can colour them; as plain text the
styles are left out. A character that a terminal would act on (a control character, a change of
direction) is shown as its escape.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from stalwart_lang.terminal import printable
from stalwart_lang.timeline.kinds import Kind, kind_of, title_of
from stalwart_lang.timeline.records import Span
from stalwart_lang.timeline.runs import Node, Run, walk
from stalwart_lang.tracing import attributes as names

Style: TypeAlias = Literal["", "heading", "label", "allow", "confirm", "refuse", "error", "open"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line and how it is shown."""

    text: str
    style: Style = ""


Line: TypeAlias = tuple[Piece, ...]

FIRST_VIOLATION = "<<< FIRST VIOLATION"
"""What marks the step that first broke the state of its run."""

LABELS: Mapping[Kind, str] = {
    "run": "agent",
    "node": "node",
    "plan": "plan",
    "model": "model",
    "check": "check",
    "tool": "call",
    "undo": "undo",
    "rollback": "rollback",
    "rewind": "rewind",
    "interrupt": "interrupt",
    "resume": "resume",
    "other": "span",
}
"""What a line about a span of each kind begins with."""

OUTCOMES: Mapping[str, Style] = {"allow": "allow", "confirm": "confirm", "refuse": "refuse"}
"""The style of each answer of a check."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a run: its span with those below it; what is in no step has no number."""

    number: int | None
    node: Node


def text_timeline(runs: Iterable[Run]) -> Iterator[str]:
    """Yield the lines of the timelines of `runs` as plain text, a blank line between two."""
    for index, run in enumerate(runs):
        if index:
            yield ""
        yield from map(plain, timeline(run))


def plain(line: Line) -> str:
    """Return a line without its styles."""
    return "".join(piece.text for piece in line)


def timeline(
    run: Run, violations: Mapping[str, Sequence[str]] | None = None, *, again: bool = False
) -> Iterator[Line]:
    """Yield the lines of a run: its heading, its steps, and how it ended where it did not well.

    `violations` tell what a step broke in the run's state, by the id of its span, the first to
    break it first. That one is marked; what comes after it is listed at the end. `again` tells that
    another run of its thread was shown before.
    """
    yield heading(run.thread, run.trace_id, run.start if again else None)
    broken = dict(violations or {})
    culprit = next(iter(broken), None)
    later: list[tuple[int | None, str]] = []
    first = True
    for step in steps_of(run):
        span_id = step.node.span.span_id
        if span_id == culprit:
            yield (*step_heading(step.number), Piece("  "), Piece(FIRST_VIOLATION, "error"))
        elif step.number is not None or first:
            yield step_heading(step.number)
        first = False
        yield from _lines(step.node, run.stored)
        told = [printable(text) for text in broken.get(span_id, ())]
        if span_id == culprit:
            yield from (entry("violation", Piece(text, "error")) for text in told[:1])
            told = told[1:]
        later += [(step.number, text) for text in told]
    if later:
        yield (Piece("After it, as consequences:", "heading"),)
        for number, text in later:
            yield entry("" if number is None else f"step {number}", Piece(text, "error"))
    for root in () if run.stored else run.roots:  # a thread goes on after a turn that failed
        if root.children and kind_of(root.span) in ("run", "other"):
            yield from ending(root.span)


def heading(thread: str | None, trace_id: str, start: datetime | None = None) -> Line:
    """Return the line that names a run; `start` tells it from another one of its thread."""
    named = f"trace {trace_id}" if thread is None else f"thread {thread}"
    if thread is not None and start is not None:
        named += f", trace {trace_id}, {start.isoformat(timespec='seconds')[:19]}Z"
    return (Piece(f"Run: {printable(named)}", "heading"),)


def step_heading(number: int | None) -> Line:
    """Return the line that begins a step."""
    return (Piece("outside of steps" if number is None else f"step {number}", "heading"),)


def ending(root: Span) -> Iterator[Line]:
    """Yield the line that says that a run failed, or that its end is not recorded."""
    if root.open:
        yield (Piece("Open: its end is not recorded", "open"),)
    elif root.failed:
        name = f": {printable(root.error.type)}" if root.error else ""
        yield (Piece(f"Failed{name}", "error"),)


def steps_of(run: Run) -> list[Step]:
    """Return the steps of a run, in order.

    They are its `stalwart.node` spans, by the number that each holds; else each child of its root
    is a step (a model call, with the tools it asked for below it), counted from 0.
    """
    above = _above_nodes(run)
    roots = {id(root) for root in run.roots}
    waiting = list(reversed(run.roots))
    tops: list[Node] = []
    while waiting:
        node = waiting.pop()
        if kind_of(node.span) in ("run", "other") and (
            node.span.span_id in above if above else id(node) in roots and node.children
        ):
            waiting.extend(reversed(node.children))
        else:
            tops.append(node)
    if not above:
        return [Step(number, node) for number, node in enumerate(tops)]
    steps: list[Step] = []
    last = -1
    for node in tops:
        number = None
        if kind_of(node.span) == "node":
            number = last = step_number(node.span, last + 1)
        steps.append(Step(number, node))
    return steps


def step_number(span: Span, otherwise: int) -> int:
    """Return the number that a step's span holds."""
    number = span.attributes.get(names.STEP)
    return number if isinstance(number, int) and not isinstance(number, bool) else otherwise


def _above_nodes(run: Run) -> set[str | None]:
    """Return the ids of the spans that have a step's span below them; None if there are steps."""
    parents = {span.span_id: span.parent_id for span in run.spans}
    above: set[str | None] = set()
    for span in run.spans:
        if kind_of(span) == "node":
            above.add(None)
            parent = span.parent_id
            while parent is not None and parent not in above:
                above.add(parent)
                parent = parents.get(parent)
    return above


def _lines(top: Node, stored: bool) -> Iterator[Line]:
    undoing: set[str] = set()
    for node in walk([top]):
        span = node.span
        yield from entries(span, span.parent_id in undoing, _answer_to(node), stored)
        if kind_of(span) in ("undo", "rollback") or span.parent_id in undoing:
            undoing.add(span.span_id)


def _answer_to(node: Node) -> str | None:
    """Return what the check of an undo answered, which is below it."""
    if kind_of(node.span) != "undo":
        return None
    checks = (below.span for below in node.children if kind_of(below.span) == "check")
    return next((text_of(check, names.OUTCOME) for check in checks), None)


def entries(
    span: Span, undoing: bool = False, answer: str | None = None, stored: bool = False
) -> Iterator[Line]:
    """Yield the lines about one span, those below it aside.

    `undoing` tells whether it is part of an undo or a rollback: what goes well there is told by
    the undo's own line. `answer` is what the check of an undo answered. An approval is not told
    either: the check after it is. What a `stored` call or pause came to is told by what follows.
    """
    kind = kind_of(span)
    well = not span.open and not span.failed
    outcome = text_of(span, names.OUTCOME)
    if well and (
        (kind == "resume" and (stored or text_of(span, names.ANSWER) == "approve"))
        or (kind == "rollback")
        or (undoing and kind == "tool")
        or (undoing and kind == "check" and outcome != "refuse")
    ):
        return
    if kind == "plan" and (turn := text_of(span, names.TURN)) is not None:
        yield entry("turn", Piece(printable(turn)))
    said = [] if kind in ("plan", "rollback", "rewind") else [Piece(printable(title_of(span)))]
    said += _told(span, kind, answer)
    if not (stored and kind == "tool"):
        said += state(span)
    yield entry(LABELS[kind], *said)


def state(span: Span) -> Iterator[Piece]:
    """Yield what a span that has not ended, or not well, is said to be."""
    if span.open:
        yield Piece("open", "open")
    elif span.failed or span.error is not None:
        yield Piece(f"error {printable(span.error.type)}" if span.error else "error", "error")


def outcome_piece(outcome: str) -> Piece:
    """Return a check's answer in its colour."""
    return Piece(printable(outcome), OUTCOMES.get(outcome, ""))


def text_of(span: Span, name: str) -> str | None:
    """Return an attribute of a span if it is text."""
    value = span.attributes.get(name)
    return value if isinstance(value, str) else None


def shown(span: Span, name: str) -> str | None:
    """Return an attribute of a span as text if it is text or a number."""
    value = span.attributes.get(name)
    return str(value) if isinstance(value, str | int | float) else None


def texts_of(span: Span, name: str) -> list[str]:
    """Return an attribute of a span that is a list of texts; one text is a list of one."""
    value = span.attributes.get(name)
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return []
    return [str(item) for item in value if isinstance(item, str | int | float)]


def entry(label: str, *said: Piece) -> Line:
    """Return the line about one thing: its label, and what is said of it, a blank between two."""
    line = [Piece(f"  {label:<9} ", "label")]
    for index, piece in enumerate(said):
        line += [Piece(" "), piece] if index else [piece]
    return tuple(line)


def _told(span: Span, kind: Kind, answer: str | None) -> Iterator[Piece]:
    match kind:
        case "plan":
            yield from _plan(span)
        case "model":
            yield from _model(span)
        case "check":
            yield from _check(span)
        case "undo":
            yield from _undo(span, answer)
        case "interrupt":
            if waits_for := text_of(span, names.WAITS_FOR):
                yield Piece(printable(f"[{waits_for}]"))
            if outcome := text_of(span, names.OUTCOME):
                yield Piece(printable(f"({outcome})"), OUTCOMES.get(outcome, ""))
        case "resume":
            if answered := text_of(span, names.ANSWER):
                yield Piece(printable(f"({answered})"))
        case "rewind":
            if (step := shown(span, names.TO_STEP)) is not None:
                yield Piece(printable(f"to step {step}"))


def _plan(span: Span) -> Iterator[Piece]:
    if span.open or span.failed or span.error is not None:
        return
    yield Piece(printable(text_of(span, names.VERDICT) or "?"))
    yield Piece(printable(text_of(span, names.LANGUAGE) or "?"))
    if rules := texts_of(span, names.RULES):
        yield Piece(printable(", ".join(rules)))
    if reasons := texts_of(span, names.REASONS):
        yield Piece(printable(f"({', '.join(reasons)})"))


def _model(span: Span) -> Iterator[Piece]:
    for short, name in (("in", names.INPUT_TOKENS), ("out", names.OUTPUT_TOKENS)):
        if (count := shown(span, name)) is not None:
            yield Piece(printable(f"{short}={count}"))
    if reasons := texts_of(span, names.FINISH_REASONS):
        yield Piece(printable(f"stop={','.join(reasons)}"))


def _check(span: Span) -> Iterator[Piece]:
    outcome = text_of(span, names.OUTCOME)
    if outcome is None:
        return
    yield Piece("->")
    yield outcome_piece(outcome)
    if outcome == "refuse":
        if rule := text_of(span, names.RULE):
            yield Piece(printable(f"[{rule}]"))
        if reasons := texts_of(span, names.REASONS):
            yield Piece(printable("; ".join(reasons)))


def _undo(span: Span, answer: str | None) -> Iterator[Piece]:
    outcome = text_of(span, names.OUTCOME) or answer
    if outcome is not None:
        yield Piece("->")
        yield outcome_piece(outcome)
    if (step := shown(span, names.UNDOES)) is not None:
        yield Piece(printable(f"undoes step {step}"))
