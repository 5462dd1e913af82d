"""Runs reduced to the signatures of their steps, while their records pass by.

A run of a million spans is larger than memory. Of each step one number is kept, the sum of its
spans' signatures. Runs that cannot be followed while they pass by (recorded by other tools, or
merged from several files) are read into memory, span by span, and reduced from there.
"""

import gc
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from typing import Protocol

from stalwart_lang.timeline.diff.fold import Broken, Figures, Fold, Steps
from stalwart_lang.timeline.diff.signature import (
    MASK,
    NOT_A_RECORD,
    OURS,
    TELLERS,
    Held,
    Record,
    decode_records,
    kind_of_record,
    records_of,
    signature_of,
)
from stalwart_lang.timeline.records import CutShort, Damage

KEPT_WHOLE = 64
"""Runs of which all is told; where a file holds more, only the signatures are."""

_START = b'{"type":"start"'
_LOOK_AFTER = 2**12
"""Spans from one look at the memory that is held to the next."""
_HELD = 2**13
"""Spans that are held at most, but of runs that are read into memory."""
_RECENT = 8
"""Runs that are never taken to be over: those that were seen last."""
_SIMPLE = frozenset(("check", "tool", "model", "plan", "interrupt", "resume"))
"""Kinds of spans that are folded without a call where they ended well and nothing is below them."""
_EPOCH = datetime.fromtimestamp(0, UTC)

Prepare = Callable[[Record], None] | None


class Blocks(Protocol):
    """A trace as blocks of whole lines, which it gives anew at each call."""

    def blocks(self, passed: int = 0) -> Iterator[bytes]:
        """Yield the blocks, but those with the first `passed` bytes."""


@dataclass(slots=True)
class Content:
    """How the content of a file is recorded: as it is, as digests, made with which keys."""

    captured: bool = False
    digests: bool = False
    keys: set[str | None] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Reduced:
    """The runs of a file, in the order in which they first appear, and how content is recorded."""

    runs: tuple[Steps, ...]
    content: Content


def reduce_runs(
    source: Blocks,
    on_damage: Callable[[Damage], None],
    prepare: Prepare = None,
    only: Callable[[str], bool] | None = None,
) -> Reduced:
    """Reduce the runs in a trace: in one pass if all spans ended, after what is below them.

    `prepare` may change a record before it counts; `only` says by its trace's id which run is of
    interest.
    """
    reader = _Reader(prepare, only)
    with _without_collections():
        reader.read(source.blocks())
        if not reader.complete:
            reader.take_open(_never_ended(source, reader.done.keys(), only))
        reader.finish()
        if reader.again:
            whole = len(reader.done) <= KEPT_WHOLE
            reader.done.update(_in_memory(source, prepare, reader.again, whole))
    _tell(reader.damages, source, on_damage)
    return Reduced(
        tuple(steps for steps in reader.done.values() if steps is not None), reader.content
    )


def _never_ended(
    source: Blocks, known: Collection[str], only: Callable[[str], bool] | None
) -> list[Record]:
    """Return the spans of which only the start is recorded."""

    def wanted(trace_id: str) -> bool:
        return trace_id in known or only is None or only(trace_id)

    opened: dict[tuple[str, str], Record] = {}
    without_start = False
    for record in records_in(source, wanted):
        key = record.trace_id, record.span_id
        if record.type == "start":
            opened.setdefault(key, record)
        elif opened.pop(key, None) is None:
            without_start = True
    if opened and without_start:  # a start may stand after its end
        for record in records_in(source, wanted):
            if record.type == "span":
                opened.pop((record.trace_id, record.span_id), None)
    return [*opened.values()]


def _in_memory(
    source: Blocks, prepare: Prepare, wanted: Collection[str], whole: bool
) -> Iterator[tuple[str, Steps]]:
    """Yield runs that were read into memory, all of their spans, and then folded."""
    runs: dict[str, dict[str, Record]] = {trace_id: {} for trace_id in wanted}
    signatures: dict[tuple[str, str], int] = {}
    for record in records_in(source, wanted.__contains__):
        spans = runs[record.trace_id]
        if record.type == "span" or record.span_id not in spans:
            if prepare is not None:
                prepare(record)
            signature = signature_of(kind_of_record(record), record)
            signatures[record.trace_id, record.span_id] = signature & MASK
            spans[record.span_id] = _lightened(record)
    for trace_id, spans in runs.items():
        run = Fold(trace_id)
        run.whole = True
        for record in from_below(spans):
            kind = kind_of_record(record)
            count(run.figures, kind, record)
            if record.type == "start":
                run.opened.append(record)
            run.end(record, kind, signatures.pop((trace_id, record.span_id)))
        yield trace_id, run.finish(whole)


def _lightened(record: Record) -> Record:
    """Leave out of a record what only its signature is made of."""
    held = record.attributes
    record.attributes = Held(
        operation=held.operation,
        agent=held.agent,
        thread=held.thread,
        tool=held.tool,
        step_name=held.step_name,
        input_tokens=held.input_tokens,
        output_tokens=held.output_tokens,
    )
    return record


def from_below(spans: Mapping[str, Record]) -> Iterator[Record]:
    """Yield the spans of a run, each after what is below it, by start where that leaves a choice.

    Of spans that are above each other the first to start is a root.
    """
    order = sorted(spans.values(), key=lambda record: record.start)
    below: dict[str, list[Record]] = {}
    roots: list[Record] = []
    for record in order:
        if record.parent_id is not None and record.parent_id in spans:
            below.setdefault(record.parent_id, []).append(record)
        else:
            roots.append(record)
    reached: set[str] = set()
    found: list[Record] = []
    for root in (*roots, *order):
        if root.span_id in reached:
            continue
        if root.parent_id is not None and root.parent_id in spans:  # in a circle
            below[root.parent_id].remove(root)
            root.parent_id = None
        reached.add(root.span_id)
        waiting = [root]
        for record in waiting:  # grows as it goes
            new = below.get(record.span_id, [])
            reached.update(one.span_id for one in new)
            waiting += new
        found += waiting
    return reversed(found)


def records_in(source: Blocks, wanted: Callable[[str], bool]) -> Iterator[Record]:
    """Yield the records of some runs, by their traces' ids; what holds none is passed over."""
    with suppress(CutShort):
        for block in source.blocks():
            for record in all_records(block):
                if wanted(record.trace_id):
                    yield record


def all_records(block: bytes) -> Iterator[Record]:
    """Yield what records the lines of a block hold."""
    try:
        yield from decode_records(block)
    except NOT_A_RECORD:
        for line in BytesIO(block):
            for found in records_of(line, 0):
                if isinstance(found, Record):
                    yield found


@contextmanager
def _without_collections() -> Iterator[None]:
    """Hold off the collection of cycles: none are made, and each look for some takes its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _tell(
    damages: list[tuple[int, int, str]], source: Blocks, on_damage: Callable[[Damage], None]
) -> None:
    """Tell of damages by the numbers of their lines, which are counted only here."""
    waiting = deque(damages)
    passed = 0
    with suppress(CutShort):  # told of already
        for number, block in enumerate(source.blocks() if damages else ()):
            while waiting and waiting[0][0] == number:
                _, line, reason = waiting.popleft()
                on_damage(Damage(passed + line, reason))
            passed += block.count(b"\n")
    for _, _, reason in waiting:
        on_damage(Damage(max(1, passed), reason))


class _Reader:
    """What is known of a file while it is read."""

    def __init__(self, prepare: Prepare, only: Callable[[str], bool] | None) -> None:
        self.prepare = prepare
        self.only = only
        self.alive: dict[str, Fold] = {}
        self.done: dict[str, Steps | None] = {}
        self.again: set[str] = set()
        self.content = Content()
        self.damages: list[tuple[int, int, str]] = []
        self.starts = self.ended = self.passed = 0
        self.last: Fold | None = None
        self.last_start = _EPOCH

    def read(self, blocks: Iterable[bytes]) -> None:
        """Fold the runs as their spans end."""
        number = looked = 0
        try:
            for number, block in enumerate(blocks):
                self._read_block(block, number)
                self.passed += len(block)
                if self.ended - looked > _LOOK_AFTER:
                    looked = self.ended
                    self._relieve()
        except CutShort as error:
            self.damages.append((number + 1, 0, str(error)))

    def _read_block(self, block: bytes, number: int) -> None:
        # A span's start tells nothing that its end does not, and most spans end.
        starts = 0
        ends = block
        if _START in block:
            lines = BytesIO(block).readlines()
            kept = [line for line in lines if not line.startswith(_START)]
            starts = len(lines) - len(kept)
            ends = b"".join(kept)
        try:
            records = decode_records(ends)
            if not block.endswith(b"\n"):  # the last line, which may be cut short
                records = self._one_by_one(block, number)
            else:
                self.starts += starts
        except NOT_A_RECORD:
            records = self._one_by_one(block, number)
        self._pass_by(records)
        if self.last is not None:
            self.last.until.append((self.passed, self.last_start.timestamp()))

    def _one_by_one(self, block: bytes, number: int) -> list[Record]:
        records = []
        for line, text in enumerate(BytesIO(block), 1):
            for found in records_of(text, line):
                if isinstance(found, Damage):
                    self.damages.append((number, line, found.reason))
                else:
                    records.append(found)
        return records

    def _pass_by(self, records: Iterable[Record]) -> None:
        """Fold spans into their runs; without a call each, where that need not be."""
        prepare, content, alive = self.prepare, self.content, self.alive
        ours = OURS
        trace_id = ""
        key: object = self
        starts = passed = 0
        run = Fold("")
        before = self.passed
        below = run.below
        record: Record | None = None
        for record in records:
            if record.type == "start":
                starts += 1
                continue
            passed += 1
            if record.trace_id != trace_id:
                found = alive.get(record.trace_id) or self._new_run(record)
                if found is None:
                    trace_id = ""
                    continue
                run = found
                trace_id = run.trace_id
                below = run.below
                run.seen = before
            if prepare is not None:
                prepare(record)
            told = ours.get(record.name)
            if told is None:
                kind = kind_of_record(record)
                teller = TELLERS[kind]
            else:
                kind, teller = told
            rounds = 0
            if kind == "tool":
                held = record.attributes
                tools = run.figures.tools
                name = held.tool or record.name
                tools[name] = tools.get(name, 0) + 1
                if held.arguments_digest is None or held.key_id != key:
                    _note(content, held)
                    key = held.key_id
            elif kind == "model":
                held = record.attributes
                rounds = 1
                figures = run.figures
                figures.model_calls += 1
                figures.tokens_in += held.input_tokens or 0
                figures.tokens_out += held.output_tokens or 0
            elif kind == "plan" or kind == "undo":
                _note(content, record.attributes)
            parent = record.parent_id
            well = record.status == "ok"
            if well and kind != "other":
                made = hash(teller(record.attributes))
                made *= made
            else:
                made = signature_of(kind, record)
            span_id = record.span_id
            if well and kind in _SIMPLE and span_id not in below and span_id not in run.bad:
                ended = run.ended
                if rounds:
                    if span_id in ended:
                        self._give_up(trace_id)
                        trace_id = ""
                        continue
                    ended[span_id] = parent
                one = (made, record.start, record.end, kind, span_id, rounds, None)
                if (beside := below.get(parent)) is not None:
                    beside.append(one)
                    continue
                if parent is None or parent not in ended:
                    below[parent] = [one]
                    continue
                # A call below the model call that asked for it, which had its answer before.
                if (beside := below.get(ended[parent])) and beside[-1][4] == parent:
                    asked = beside[-1]
                    if asked[3] == "model" and kind == "tool":
                        beside[-1] = (asked[0] + made, *asked[1:])
                        continue
                if rounds:
                    del ended[span_id]
            try:
                run.end(record, kind, made)
            except Broken:
                self._give_up(trace_id)
                trace_id = ""
        self.starts += starts
        self.ended += passed
        if record is not None and run.trace_id:
            self.last = run
            self.last_start = record.start

    def _new_run(self, record: Record) -> Fold | None:
        """Return a new run for a span; None if it is of none that is looked at, or no more."""
        trace_id = record.trace_id
        if trace_id in self.done:
            if self.done[trace_id] is not None:  # it was taken to be over
                self._give_up(trace_id)
            return None
        if self.only is not None and not self.only(trace_id):
            return None
        self.done[trace_id] = None  # it keeps its place in the order
        run = self.alive[trace_id] = Fold(trace_id)
        run.begins = self.passed
        return run

    def _give_up(self, trace_id: str) -> None:
        self.alive.pop(trace_id, None)
        self.done[trace_id] = None
        self.again.add(trace_id)

    def _relieve(self) -> None:
        """Finish runs that are over, those first that were not seen for longest, if many are."""
        held = sum([run.held for run in self.alive.values()])
        if held <= _HELD:
            return
        by_age = sorted(self.alive.values(), key=lambda run: run.seen)
        for over in (True, False):
            for run in by_age[:-_RECENT]:
                if held <= _HELD // 2:
                    return
                if run.over is over and self.done[run.trace_id] is None:
                    with suppress(Broken):
                        self.done[run.trace_id] = run.finish(False)
                        held -= run.held
                        del self.alive[run.trace_id]
        for run in self.alive.values():
            run.press()

    def take_open(self, records: Iterable[Record]) -> None:
        """Take in the spans that never ended, the last ones to start first."""
        for record in sorted(records, key=lambda record: record.start, reverse=True):
            run = self.alive.get(record.trace_id) or self._new_run(record)
            if run is None:
                continue
            if self.prepare is not None:
                self.prepare(record)
            _note(self.content, record.attributes)
            kind = kind_of_record(record)
            count(run.figures, kind, record)
            run.opened.append(record)
            try:
                run.end(record, kind, signature_of(kind, record))
            except Broken:
                self._give_up(record.trace_id)

    @property
    def complete(self) -> bool:
        """Whether each span that started seems to have ended; so it is where no start is told."""
        return not self.starts or self.starts == self.ended

    def finish(self) -> None:
        """Finish the runs that are alive."""
        whole = len(self.done) <= KEPT_WHOLE
        for run in [*self.alive.values()]:
            try:
                self.done[run.trace_id] = run.finish(whole)
            except Broken:
                self._give_up(run.trace_id)
        self.alive.clear()


def count(figures: Figures, kind: str, record: Record) -> None:
    """Add a span to what is counted of it alone."""
    held = record.attributes
    if kind == "tool":
        name = held.tool or record.name
        figures.tools[name] = figures.tools.get(name, 0) + 1
    elif kind == "model":
        figures.model_calls += 1
        figures.tokens_in += held.input_tokens or 0
        figures.tokens_out += held.output_tokens or 0


def _note(content: Content, held: Held) -> None:
    if held.arguments is not None or held.result is not None or held.turn is not None:
        content.captured = True
    if (
        held.arguments_digest is not None
        or held.result_digest is not None
        or held.turn_digest is not None
    ):
        content.digests = True
        content.keys.add(held.key_id)
