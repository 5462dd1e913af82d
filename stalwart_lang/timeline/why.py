"""Why a step went as it did: its decisions, and the rules that made them."""

import stat
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from stalwart_lang.terminal import excerpt, printable
from stalwart_lang.timeline.kinds import kind_of, title_of
from stalwart_lang.timeline.records import Span
from stalwart_lang.timeline.runs import Run, walk
from stalwart_lang.timeline.text import (
    LABELS,
    Line,
    Piece,
    Step,
    entry,
    outcome_piece,
    state,
    step_heading,
    text_of,
    texts_of,
)
from stalwart_lang.tracing import attributes as names

_WITHOUT_A_FILE: Mapping[str, str] = {
    "approval": "no file: a person answered",
    "catalogue": "no file: built into the check",
    "arguments": "no file: built into the check",
    "confirmation": "no file: built into the check",
    "default": "no file: nothing stands against it",
}
"""Where a rule without a file is, by the step of the check that decided."""

_LARGEST_FILE = 2**24
_LONGEST_LINE = 10_000


def decisions_of(step: Step) -> list[Span]:
    """Return the spans of a step that decided something: its plans and its checks.

    An undo that was read from a store has its check's decision itself.
    """
    return [
        node.span
        for node in walk([step.node])
        if kind_of(node.span) in ("plan", "check")
        or (kind_of(node.span) == "undo" and text_of(node.span, names.DECIDED_BY) is not None)
    ]


def explain(step: Step, run: Run, beside: Path) -> Iterator[Line]:
    """Yield the lines that follow each decision of a step to its rule.

    A rule's file is looked for where it is said to be, and `beside` (the folder of the trace); the
    rule's line is shown if the file is there to read. Of a call that failed in the step it is told
    what had allowed it, wherever in the `run` that was.
    """
    yield step_heading(step.number)
    decisions = decisions_of(step)
    if not decisions:
        yield (Piece("  nothing was decided in it"),)
    for span in decisions:
        yield from _decision(span)
        yield from _rule(span, beside)
    for node in walk([step.node]):
        if kind_of(node.span) == "tool" and node.span.failed:
            yield from _failed(node.span, run, decisions)


def _failed(call: Span, run: Run, told: list[Span]) -> Iterator[Line]:
    """Tell that a call failed, and what had let it run: the last check of it before."""
    yield entry(LABELS["tool"], Piece(printable(title_of(call))), *state(call))
    check = next((span for span in reversed(run.spans) if _is_check_of(span, call)), None)
    if check is None:
        yield _told("decided by", "no check of it is recorded")
    elif all(check is not span for span in told):
        outcome, by = text_of(check, names.OUTCOME), text_of(check, names.DECIDED_BY)
        rule = text_of(check, names.RULE)
        yield _told("decided by", " ".join(filter(None, (outcome, "by", by or "?", rule))))
        yield _told("span", check.span_id)


def _is_check_of(span: Span, call: Span) -> bool:
    if kind_of(span) != "check" or span.start > call.start:
        return False
    ids = [text_of(one, names.TOOL_CALL_ID) for one in (span, call)]
    return ids[0] == ids[1] and title_of(span) == title_of(call)


def _decision(span: Span) -> Iterator[Line]:
    is_plan = kind_of(span) == "plan"
    outcome = text_of(span, names.VERDICT if is_plan else names.OUTCOME)
    said = [] if is_plan else [Piece(printable(title_of(span)))]
    if outcome is not None:
        said += [Piece("->"), outcome_piece(outcome)]
    yield entry(LABELS[kind_of(span)], *said, *state(span))
    labelled = [
        ("language", texts_of(span, names.LANGUAGE)),
        ("decided by", texts_of(span, names.DECIDED_BY)),
        ("rule", texts_of(span, names.RULES if is_plan else names.RULE)),
        ("reason", texts_of(span, names.REASONS)),
        ("labels", [", ".join(texts_of(span, names.LABELS))]),
        ("vocabulary", [_vocabulary(span)]),
    ]
    for label, texts in labelled:
        for text in filter(None, texts):
            yield _told(label, text)


def _vocabulary(span: Span) -> str:
    name, digest = text_of(span, names.VOCABULARY), text_of(span, names.VOCABULARY_DIGEST)
    return (name or "") + ("" if digest is None else f" ({digest})")


def _rule(span: Span, beside: Path) -> Iterator[Line]:
    file = text_of(span, names.RULE_FILE)
    number = span.attributes.get(names.RULE_LINE)
    if file is None:
        by = text_of(span, names.DECIDED_BY)
        yield _told("at", _WITHOUT_A_FILE.get(by or "", "the trace does not say where the rule is"))
        return
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        yield _told("at", file)
        return
    yield _told("at", f"{file}:{number}")
    found = _line(file, number, beside)
    if isinstance(found, str):
        text = found.rstrip()
        start = len(text) - len(text.lstrip())
        for shown in excerpt(text, start, len(text)):
            yield (Piece(f"      {shown}"),)
    else:
        yield _told("", f"({found[0]})")


def _line(file: str, number: int, beside: Path) -> str | tuple[str]:
    """Return a line of a file, or why there is none to show."""
    for path in (Path(file), beside / file):
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE:
                return ("this file is no text to read",)
            with path.open(encoding="utf-8-sig", errors="replace") as lines:
                line = next(islice(lines, number - 1, None), None)
        except (OSError, ValueError):  # a name with a NUL, say
            continue
        if line is None:
            return ("the file has no such line now",)
        return line[:_LONGEST_LINE]
    return ("the file is not here to read",)


def _told(label: str, text: str) -> Line:
    return (Piece(f"    {label:<10} ", "label"), Piece(printable(text)))
