"""A trace followed while it is written: its lines as they come, its steps as they are done."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from os import fstat
from pathlib import Path
from typing import IO

import msgspec

from stalwart_lang.timeline.kinds import kind_of
from stalwart_lang.timeline.records import CutShort, Span
from stalwart_lang.timeline.select import Selection, prefix_of_id
from stalwart_lang.timeline.sources import LONGEST, TOO_LONG
from stalwart_lang.timeline.text import (
    Line,
    ending,
    entries,
    heading,
    step_heading,
    step_number,
    text_of,
)
from stalwart_lang.tracing import attributes as names

_ENDED = 64
"""Runs that are kept after their root has ended: what comes late still finds its parents."""


def follow_lines(path: Path, wait: Callable[[], None]) -> Iterator[tuple[int, bytes]]:
    """Yield the whole lines of a file with their numbers, and those that are written later.

    Goes on for ever: `wait` is called whenever there is nothing new. The file may not be there yet,
    may be replaced by another (the old one is read to its end first) and may be cut short.

    Raises:
        OSError: the file is there and cannot be read.
        CutShort: a line is longer than `sources.LONGEST`.
    """
    with ExitStack() as files:
        stream: IO[bytes] | None = None
        number, begun = 0, b""
        while True:
            if stream is None:
                try:
                    stream = files.enter_context(path.open("rb"))
                except FileNotFoundError:
                    wait()
                    continue
                number, begun = 0, b""
            replaced = _is_another(path, stream)
            if fstat(stream.fileno()).st_size < stream.tell():
                stream.seek(0)
                number, begun = 0, b""
            came = False
            while piece := stream.readline(LONGEST):
                came = True
                begun += piece
                if len(begun) >= LONGEST:
                    raise CutShort(TOO_LONG)
                if begun.endswith(b"\n"):
                    number += 1
                    yield number, begun
                    begun = b""
            if replaced:
                files.pop_all().close()
                stream = None
            elif not came:
                wait()


def _is_another(path: Path, stream: IO[bytes]) -> bool:
    """Whether there is another file of that name than the one that is open."""
    try:
        there, ours = path.stat(), fstat(stream.fileno())
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) != (ours.st_dev, ours.st_ino)


@dataclass(slots=True)
class _Live:
    """A run that goes on: what is known of it, and what of it was told."""

    trace_id: str
    wanted: bool
    spans: dict[str, Span] = field(default_factory=dict)
    parents: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    numbers: dict[str, int | None] = field(default_factory=dict)
    waiting: list[Span] = field(default_factory=list)
    last_number: int = -1
    has_nodes: bool = False


def follow_timeline(spans: Iterable[Span], selection: Selection) -> Iterator[Line]:
    """Yield the lines of a timeline as the spans come: a step as it begins, all else as it ends.

    Headings are repeated where runs or steps take turns.
    """
    live: dict[str, _Live] = {}
    ended: deque[str] = deque()
    at: tuple[str, str | None] | None = None
    firsts: dict[str, str] = {}
    prefix = "" if selection.trace_id is None else prefix_of_id(selection.trace_id)
    for span in spans:
        if not span.trace_id.startswith(prefix):
            continue
        run = live.get(span.trace_id)
        if run is None:
            run = live[span.trace_id] = _Live(span.trace_id, wanted=selection.thread is None)
        run.waiting.append(span)
        if not run.wanted and text_of(span, names.CONVERSATION_ID) == selection.thread:
            run.wanted = True
        if run.wanted:
            for came in run.waiting:
                for where, line in _told(run, came):
                    if at is None or at[0] != run.trace_id:
                        if at is not None:
                            yield ()
                        thread = _thread(run) or ""
                        again = firsts.setdefault(thread, run.trace_id) != run.trace_id
                        yield heading(thread or None, run.trace_id, _start(run) if again else None)
                    if where is not None and at != (run.trace_id, where):
                        yield step_heading(run.numbers[where])
                    at = (run.trace_id, where)
                    yield line
            run.waiting.clear()
        if span.parent_id is None and not span.open:
            ended.append(span.trace_id)
            if len(ended) > _ENDED:
                live.pop(ended.popleft(), None)


def _thread(run: _Live) -> str | None:
    found = (text_of(span, names.CONVERSATION_ID) for span in run.spans.values())
    return next(filter(None, found), None)


def _start(run: _Live) -> datetime:
    return min(span.start for span in run.spans.values())


def _told(run: _Live, span: Span) -> Iterator[tuple[str | None, Line]]:
    """Yield what is to be told now that `span` came, with the step that each line is of."""
    known = run.spans.get(span.span_id)
    if span.open and known is not None:
        return
    run.spans[span.span_id] = span
    kind = kind_of(span)
    run.has_nodes = run.has_nodes or kind == "node"
    path = _path(run, span)
    if span.parent_id is not None:
        run.parents.add(span.parent_id)
    elif kind in ("run", "other") and (span.open or span.span_id in run.parents):
        yield from ((None, line) for line in (() if span.open else ending(span)))
        return
    step = _step(run, path)
    if span.open and kind != "node":
        return
    again = span.span_id in run.told
    run.told.add(span.span_id)
    if again and not span.failed:
        return
    undoing = any(kind_of(above) in ("undo", "rollback") for above in path[1:])
    answer = _answer(run, span) if kind == "undo" else None
    shown = msgspec.structs.replace(span, type="span") if span.open else span  # it goes on
    for line in entries(shown, undoing, answer):
        yield step, line


def _step(run: _Live, path: list[Span]) -> str:
    """Return the id of the span that is the step of `path[0]`, and number it if it is new."""
    nodes = [span for span in path if kind_of(span) == "node"]
    if nodes:
        top = nodes[-1]
    else:
        below_root = len(path) > 1 and kind_of(path[-1]) in ("run", "other")
        top = path[-2] if below_root else path[-1]
    if top.span_id not in run.numbers:
        if nodes or not run.has_nodes:
            run.last_number = step_number(top, run.last_number + 1)
            run.numbers[top.span_id] = run.last_number
        else:
            run.numbers[top.span_id] = None
    return top.span_id


def _answer(run: _Live, undo: Span) -> str | None:
    below = (span for span in run.spans.values() if span.parent_id == undo.span_id)
    return next((text_of(s, names.OUTCOME) for s in below if kind_of(s) == "check"), None)


def _path(run: _Live, span: Span) -> list[Span]:
    """Return the span and those above it, the nearest first."""
    path, passed = [span], {span.span_id}
    while (parent := path[-1].parent_id) is not None and parent not in passed:
        above = run.spans.get(parent)
        if above is None:
            break
        path.append(above)
        passed.add(parent)
    return path
