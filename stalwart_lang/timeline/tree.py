"""A run as a tree of lines: parents and children, as the spans' ids tell."""

import re
from collections.abc import Iterator, Mapping
from math import isfinite

import msgspec

from stalwart_lang.terminal import printable
from stalwart_lang.timeline.kinds import Kind, kind_of, title_of
from stalwart_lang.timeline.records import Span
from stalwart_lang.timeline.runs import Run
from stalwart_lang.timeline.text import OUTCOMES, Line, Piece, shown, text_of, texts_of
from stalwart_lang.tracing import attributes as names

_LABELS: Mapping[Kind, str] = {
    "run": "agent_run",
    "model": "model_call",
    "tool": "tool_call",
    "other": "span",
}
_ARGUMENTS = (names.ARGUMENTS, "gen_ai.tool.call.arguments")
_RESULTS = (names.RESULT, "gen_ai.tool.call.result")
_CLIPPED = 34
_DEEPEST = 40
"""Levels that are drawn; what is deeper says how deep it is."""


def tree_lines(run: Run) -> Iterator[Line]:
    """Yield the lines of a run's trees, to any depth."""
    waiting = [(root, 0, "", "") for root in reversed(run.roots)]
    while waiting:
        node, depth, before, branch = waiting.pop()
        drawn = f"… {depth} " if depth > _DEEPEST else ""
        tail = (Piece(f"  trace_id={printable(run.trace_id)}"),) if depth == 0 else ()
        yield (Piece(before + branch + drawn), *_described(node.span, tail))
        below = before
        if depth and depth < _DEEPEST:
            below += "│  " if branch == "├─ " else "   "
        for child in reversed(node.children):
            last = child is node.children[-1]
            waiting.append((child, depth + 1, below, "└─ " if last else "├─ "))


def _described(span: Span, tail: Line) -> Iterator[Piece]:
    kind = kind_of(span)
    yield Piece(f"{_LABELS.get(kind, kind):<11}", "label")
    name = printable(title_of(span))
    if span.open:
        yield Piece(f"{name:<13}")
        yield Piece("open", "open")
    elif span.duration_ms is None or not isfinite(span.duration_ms):
        yield Piece(f"{name:<13}")
    else:
        yield Piece(f"{name:<13}{round(span.duration_ms):>3}ms")
    yield from tail
    for piece in _told(span, kind):
        yield Piece("  ")
        yield piece
    if span.failed or span.error is not None:
        yield Piece("  ")
        yield Piece(printable(f"ERROR {span.error.type}" if span.error else "ERROR"), "error")
    elif kind == "tool" and not span.open:
        yield Piece(printable(f"  ok {_result(span)}".rstrip()))


def _told(span: Span, kind: Kind) -> Iterator[Piece]:
    match kind:
        case "model":
            tokens = [
                shown(span, name) or "?" for name in (names.INPUT_TOKENS, names.OUTPUT_TOKENS)
            ]
            if not span.open:
                yield Piece(printable(f"in={tokens[0]} out={tokens[1]}"))
            if reasons := texts_of(span, names.FINISH_REASONS):
                yield Piece(printable(f"stop={','.join(reasons)}"))
        case "tool" | "undo":
            if arguments := _arguments(span):
                yield Piece(printable(f"in={arguments}"))
            if kind == "undo" and (step := shown(span, names.UNDOES)) is not None:
                yield Piece(printable(f"undoes step {step}"))
        case "check":
            if outcome := text_of(span, names.OUTCOME):
                yield Piece(printable(f"-> {outcome}"), OUTCOMES.get(outcome, ""))
        case "plan":
            said = [text_of(span, name) for name in (names.VERDICT, names.LANGUAGE)]
            if known := [text for text in said if text is not None]:
                yield Piece(printable(" ".join(known)))
        case "node":
            if (step := shown(span, names.STEP)) is not None:
                yield Piece(printable(f"step {step}"))
        case "interrupt":
            if waits_for := text_of(span, names.WAITS_FOR):
                yield Piece(printable(f"[{waits_for}]"))
        case "resume":
            if answer := text_of(span, names.ANSWER):
                yield Piece(printable(f"({answer})"))
        case "rewind":
            if (step := shown(span, names.TO_STEP)) is not None:
                yield Piece(printable(f"to step {step}"))


def _arguments(span: Span) -> str:
    captured = _captured(span, _ARGUMENTS)
    return _digest(span, names.ARGUMENTS) if captured is None else _clip(captured)


def _result(span: Span) -> str:
    captured = _captured(span, _RESULTS)
    return _digest(span, names.RESULT) if captured is None else _clip(_shape(captured))


def _captured(span: Span, where: tuple[str, ...]) -> str | None:
    return next((text for name in where if (text := text_of(span, name)) is not None), None)


def _digest(span: Span, name: str) -> str:
    digest = text_of(span, name + names.DIGEST_SUFFIX)
    return "" if digest is None else f"#{digest}"


def _clip(text: str) -> str:
    flat = re.sub(r"\s+", " ", text).strip()
    return flat if len(flat) <= _CLIPPED else flat[:_CLIPPED] + "…"


def _shape(text: str) -> str:
    """Return what captured content is: a text stands there as it is, all else as its JSON."""
    try:
        value = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.MsgspecError, RecursionError):
        value = text
    match value:
        case dict():
            return f"object{{{','.join(value)}}}"
        case list():
            return f"array({len(value)})"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case None:
            return "null"
    return f"string({len(text)})"
