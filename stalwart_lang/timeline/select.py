"""The runs of a trace, read as a stream: all of them, or those that are asked for.

A file of all an agent ever did is larger than memory, and runs in it overlap. A first pass finds
the last line of each trace without decoding it, where it can; a second one decodes, and gives a run
as its last line is passed. Of one trace among many only the lines that hold its id are decoded.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO

import msgspec

from stalwart_lang.timeline.records import CutShort, Damage, Span, read_line
from stalwart_lang.timeline.runs import Run, make_run
from stalwart_lang.timeline.sources import Source, open_source
from stalwart_lang.tracing.attributes import CONVERSATION_ID

SHORTEST_PREFIX = 4
"""Digits of a trace id that are enough to ask for it."""

_NAMED = 4
"""Traces that are named where a prefix fits several."""
_HELD = 20_000
"""Spans of runs that are held back, so that runs come in the order in which they began."""


class NoSuchRun(ValueError):
    """A selection that cannot be answered: an id too short, or one that fits several traces."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The run of a trace (its id, or the first digits of it) and the runs of a thread.

    With neither, every run. A thread is what spans hold as `gen_ai.conversation.id`.
    """

    trace_id: str | None = None
    thread: str | None = None


def _pass_over(_: Damage) -> None:
    pass


def read_runs(
    path: str,
    selection: Selection = Selection(),
    on_damage: Callable[[Damage], None] = _pass_over,
) -> Iterator[Run]:
    """Yield the runs of `path` (`-` is standard input) that `selection` asks for.

    A run comes once its last record is passed, in the order in which the runs began unless many
    spans would have to be held for it. `on_damage` hears of each line that holds no record; with
    a selection, of those only that could belong to it.

    Raises:
        OSError: `path` cannot be read.
        NoSuchRun: the trace id is shorter than 4 digits, or the beginning of several.
    """
    if selection.trace_id is not None:
        run = _one_run(path, selection.trace_id, on_damage)
        if run is not None and (selection.thread is None or _is_of(run.spans, selection.thread)):
            yield run
    else:
        yield from _many_runs(path, selection.thread, on_damage)


def prefix_of_id(asked: str) -> str:
    """Return what a person typed as the beginning of a trace id, as ids are written.

    Raises:
        NoSuchRun: it is shorter than 4 digits.
    """
    asked = asked.strip()
    if len(asked) < SHORTEST_PREFIX:
        raise NoSuchRun(f"trace id {asked!r}: give at least {SHORTEST_PREFIX} digits of it")
    return asked.lower() if re.fullmatch("[0-9A-Fa-f]+", asked) else asked


def _is_of(spans: Iterable[Span], thread: str) -> bool:
    return any(span.attributes.get(CONVERSATION_ID) == thread for span in spans)


def _one_run(path: str, asked: str, on_damage: Callable[[Damage], None]) -> Run | None:
    asked = prefix_of_id(asked)
    kept: dict[str, dict[str, Span]] = {}
    fitting: list[str] = []
    with open_source(path) as source:
        damages: list[tuple[int, str]] = []
        for found, offset in _that_hold(source.blocks(), _needle(asked)):
            if isinstance(found, Damage):
                damages.append((offset, found.reason))
            elif found.trace_id.startswith(asked):
                trace_id = found.trace_id
                if trace_id not in fitting and len(fitting) < _NAMED:
                    fitting.append(trace_id)
                # Of several that fit none is the one that is asked for, but one of that very id.
                if trace_id == asked or fitting == [trace_id]:
                    _add(kept.setdefault(trace_id, {}), found)
        for damage in _numbered(source, damages):
            on_damage(damage)
    if asked in kept:
        return make_run(asked, kept[asked].values())
    if len(fitting) > 1:
        names = ", ".join(fitting[: _NAMED - 1]) + (", …" if len(fitting) == _NAMED else "")
        raise NoSuchRun(f"trace id {asked!r} fits several traces ({names}): give more digits")
    return make_run(fitting[0], kept[fitting[0]].values()) if fitting else None


_OF_OTHERS = b'"startTimeUnixNano"'


def _that_hold(blocks: Iterable[bytes], needle: bytes) -> Iterator[tuple[Span | Damage, int]]:
    """Yield what the lines hold that hold `needle`, and what OTLP messages hold, with its offset.

    The ids in a message may be written in capitals or in Base64.
    """
    passed = 0
    try:
        for block in blocks:
            if _OF_OTHERS in block:
                at = passed
                for line in BytesIO(block):
                    if needle in line or _OF_OTHERS in line:
                        for found in read_line(line, 0):
                            yield found, at
                    at += len(line)
            else:
                hit = block.find(needle)
                while 0 <= hit < len(block):
                    begin = block.rfind(b"\n", 0, hit) + 1
                    end = block.find(b"\n", hit) + 1 or len(block)
                    for found in read_line(block[begin:end], 0):
                        yield found, passed + begin
                    hit = block.find(needle, end)
            passed += len(block)
    except CutShort as error:
        yield Damage(0, str(error)), max(0, passed - 1)


def _numbered(source: Source, damages: list[tuple[int, str]]) -> Iterator[Damage]:
    """Yield damages with the numbers of their lines, by their offsets, which rise.

    Lines are counted only here: it would take as long as finding a trace among them.
    """
    waiting = deque(damages)
    passed, lines = 0, 1
    with suppress(CutShort):
        for block in source.blocks() if waiting else ():
            while waiting and waiting[0][0] < passed + len(block):
                offset, reason = waiting.popleft()
                yield Damage(lines + block.count(b"\n", 0, offset - passed), reason)
            passed += len(block)
            lines += block.count(b"\n")
    yield from (Damage(lines, reason) for _, reason in waiting)


def _many_runs(path: str, thread: str | None, on_damage: Callable[[Damage], None]) -> Iterator[Run]:
    with open_source(path) as source:
        index = _index(source.lines(), thread)
        yield from _gathered(source.lines(), index, on_damage)


@dataclass(frozen=True, slots=True)
class _Index:
    """What a first pass found: each trace's last line, how many lines there are, what is asked."""

    last: dict[bytes, int]
    lines: int
    wanted: frozenset[bytes] | None


class _Identity(msgspec.Struct):
    trace_id: str


_identity = msgspec.json.Decoder(_Identity)
_END = b'{"type":"span","trace_id":"'
_START = b'{"type":"start","trace_id":"'


def _trace_of(line: bytes) -> bytes | None:
    """Return a record's trace id without decoding it, where it is written as our tracer does."""
    if line.startswith(_END):
        begin = len(_END)
    elif line.startswith(_START):
        begin = len(_START)
    else:
        return None
    found = line[begin : line.find(b'"', begin)]
    return None if b"\\" in found else found


def _traces_of(line: bytes, number: int) -> Iterable[bytes]:
    """Return the ids of the traces that a line is about, whoever wrote it."""
    try:
        return (_encoded(_identity.decode(line).trace_id),)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        spans = read_line(line, number)
        return {_encoded(span.trace_id) for span in spans if isinstance(span, Span)}


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _index(lines: Iterator[bytes], thread: str | None) -> _Index:
    last: dict[bytes, int] = {}
    wanted: set[bytes] = set()
    needle = b"" if thread is None else _needle(thread)
    number = 0
    try:
        for line in lines:
            number += 1
            trace_id = _trace_of(line)
            if trace_id is not None:
                last[trace_id] = number
            else:
                last.update(dict.fromkeys(_traces_of(line, number), number))
            if thread is not None and needle in line:
                for span in read_line(line, number):
                    if isinstance(span, Span) and _is_of((span,), thread):
                        wanted.add(_encoded(span.trace_id))
    except CutShort:  # told of in the second pass
        pass
    return _Index(last, number, None if thread is None else frozenset(wanted))


def _needle(text: str) -> bytes:
    """Return the longest part of `text` that JSON cannot write otherwise than it is."""
    return max(re.findall(rb"[A-Za-z0-9_ -]+", _encoded(text)), key=len, default=b"")


@dataclass(slots=True)
class _Gathering:
    """A run whose records are being read; `run` once its last one was."""

    spans: dict[str, Span]
    run: Run | None = None


def _gathered(
    lines: Iterator[bytes], index: _Index, on_damage: Callable[[Damage], None]
) -> Iterator[Run]:
    growing: dict[str, _Gathering] = {}
    waiting: deque[_Gathering] = deque()  # in the order in which the runs began
    held = 0
    for number, spans in _wanted(lines, index, on_damage):
        for span in spans:
            run = growing.get(span.trace_id)
            if run is None:
                run = growing[span.trace_id] = _Gathering({})
                waiting.append(run)
            _add(run.spans, span)
        for trace_id in {span.trace_id for span in spans}:
            if index.last.get(_encoded(trace_id)) == number:
                ended = growing.pop(trace_id)
                ended.run = make_run(trace_id, ended.spans.values())
                held += len(ended.spans)
        while waiting and (first := waiting[0].run) is not None:
            waiting.popleft()
            held -= len(first.spans)
            yield first
        if held > _HELD:
            yield from [run.run for run in waiting if run.run is not None]
            waiting = deque(run for run in waiting if run.run is None)
            held = 0
    # What a first pass could not tell of: an id written twice in one record, say.
    for trace_id, run in growing.items():
        run.run = make_run(trace_id, run.spans.values())
    yield from [run.run for run in waiting if run.run is not None]


def _wanted(
    lines: Iterator[bytes], index: _Index, on_damage: Callable[[Damage], None]
) -> Iterator[tuple[int, list[Span]]]:
    """Yield the wanted spans of each line that holds some, with the line's number."""
    wanted = index.wanted
    number = 0
    try:
        for line in lines:
            number += 1
            if number > index.lines:  # written since the first pass
                break
            if wanted is not None:
                written = _trace_of(line)
                if written is not None and written not in wanted:
                    continue
            spans = []
            for found in read_line(line, number):
                if isinstance(found, Damage):
                    on_damage(found)
                elif wanted is None or _encoded(found.trace_id) in wanted:
                    spans.append(found)
            if spans:
                yield number, spans
    except CutShort as error:
        on_damage(Damage(max(1, number), str(error)))


def _add(known: dict[str, Span], span: Span) -> None:
    """Add a span to its trace: its end counts, wherever its start stands."""
    if not (span.open and span.span_id in known):
        known[span.span_id] = span
