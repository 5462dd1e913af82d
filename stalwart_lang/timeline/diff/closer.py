"""Steps of a run looked at once more, closer: the spans in them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from math import inf

from stalwart_lang.timeline.diff.fold import Steps, Where
from stalwart_lang.timeline.diff.reduction import Blocks, Prepare, all_records, from_below
from stalwart_lang.timeline.diff.signature import MASK, Held, Record, kind_of_record, signature_of
from stalwart_lang.timeline.records import CutShort

_OF_OTHERS = b'"startTimeUnixNano"'


@dataclass(frozen=True, slots=True)
class OneTrace:
    """The lines of a trace that hold an id, or its beginning; and all OTLP messages.

    The ids in a message may be written in capitals or in Base64. `begins` and `ends` are bytes of
    the trace: lines are looked for behind the first, and up to the block behind the second.
    """

    source: Blocks
    trace_id: str
    begins: int = 0
    ends: int | None = None

    def blocks(self, passed: int = 0) -> Iterator[bytes]:
        """Yield of each block the lines that hold the id; of some that is none."""
        needle = self.trace_id.encode("utf-8", "replace")
        at = self.begins
        for block in self.source.blocks(at):
            if self.ends is not None and at > self.ends:
                break
            at += len(block)
            if _OF_OTHERS in block:
                kept = b"".join(x for x in BytesIO(block) if needle in x or _OF_OTHERS in x)
            else:
                kept = b"".join(_lines_with(block, needle))
            if passed <= 0:
                yield kept
            passed -= len(kept)


def _lines_with(block: bytes, needle: bytes) -> Iterator[bytes]:
    hit = block.find(needle)
    while hit >= 0:
        begin = block.rfind(b"\n", 0, hit) + 1
        end = block.find(b"\n", hit) + 1 or len(block)
        yield block[begin:end]
        hit = block.find(needle, end)


@dataclass(frozen=True, slots=True)
class Seen:
    """A span in a step: as it was compared, and the attributes that it was recorded with."""

    record: Record
    held: Held


def look_closer(
    source: Blocks, steps: Steps, where: Where, wanted: Collection[int], prepare: Prepare
) -> dict[int, list[Seen]]:
    """Return the spans in the wanted steps, by the number of the step, as they started."""
    if not wanted:
        return {}
    first, last = min(wanted), max(wanted)
    begin, end = where.starts[first], _after(where.starts, last)
    window = _Window(steps, where, wanted, begin, end)
    if not window.read(source, _passed(where, begin), prepare):
        # Something started late below a step, or lines are not in the order of time.
        window = _Window(steps, where, wanted, -inf, inf)
        window.read(source, 0, prepare)
    return window.seen


def _after(starts: Sequence[float], last: int) -> float:
    """Return when the first step started that came after another one."""
    return next((start for start in islice(starts, last + 1, None) if start > starts[last]), inf)


def _passed(where: Where, begin: float) -> int:
    """Return how many bytes of the trace are before what started at `begin`.

    That is so if lines are written as spans end, but for those of one block.
    """
    known = [passed for passed, until in where.until if until < begin]
    return known[-2] if len(known) > 1 else 0


class _Window:
    """The spans of a run that started within a time, from which steps are put together."""

    def __init__(
        self, steps: Steps, where: Where, wanted: Collection[int], begin: float, end: float
    ) -> None:
        self.trace_id = steps.trace_id
        self.sums = steps.sums
        self.starts = where.starts
        self.wanted = sorted(wanted)
        self.begin = begin
        self.end = end
        self.spans: dict[str, Seen] = {}
        self.twins: list[Seen] = []  # ended spans whose id another one has that ended later
        self.seen: dict[int, list[Seen]] = {}

    def read(self, source: Blocks, passed: int, prepare: Prepare) -> bool:
        """Read until all steps are whole; return False if they are not."""
        with suppress(CutShort):
            for block in source.blocks(passed):
                beyond = False
                for record in all_records(block):
                    if record.trace_id != self.trace_id:
                        continue
                    start = record.start.timestamp()
                    if start >= self.end:
                        beyond = True
                    elif start >= self.begin:
                        self._add(record, prepare)
                if beyond and self._put_together():
                    return True
        return self._put_together()

    def _add(self, record: Record, prepare: Prepare) -> None:
        known = self.spans.get(record.span_id)
        if known is None or record.type == "span":
            self.spans[record.span_id] = _seen(record, prepare)
            if known is not None and known.record.type == "span":
                self.twins.append(known)

    def _put_together(self) -> bool:
        below: dict[str | None, list[Seen]] = {}
        tops: dict[float, list[Seen]] = {}
        begins = {self.starts[place] for place in self.wanted}
        for one in self.spans.values():
            below.setdefault(one.record.parent_id, []).append(one)
            start = one.record.start.timestamp()
            if start in begins:
                tops.setdefault(start, []).append(one)
        sums = self._sums()
        taken: set[str] = set()
        whole = True
        for place in self.wanted:
            free = [x for x in tops.get(self.starts[place], ()) if x.record.span_id not in taken]
            fits = [x for x in free if sums[x.record.span_id] & MASK == self.sums[place]]
            whole = whole and bool(fits)
            found = _with_below((fits or free)[0], below) if free else self._of_a_twin(place)
            taken.update(one.record.span_id for one in found)
            self.seen[place] = sorted(found, key=lambda one: one.record.start)
        return whole

    def _of_a_twin(self, place: int) -> list[Seen]:
        """Return what stands for a step whose span's id, or a span above it, was met twice."""
        every = [*self.twins, *self.spans.values()]
        same = [x for x in every if x.record.start.timestamp() == self.starts[place]]
        alike = [x for x in same if _signature(x.record) & MASK == self.sums[place]]
        return (alike or same)[:1]

    def _sums(self) -> dict[str, int]:
        """Return the sum of the signatures of each span and what is below it."""
        sums: dict[str, int] = {}
        spans = {span_id: one.record for span_id, one in self.spans.items()}
        for record in from_below(spans):
            sums[record.span_id] = sums.get(record.span_id, 0) + _signature(record)
            parent = record.parent_id
            if parent in spans:
                sums[parent] = sums.get(parent, 0) + sums[record.span_id]
        return sums


def _signature(record: Record) -> int:
    return signature_of(kind_of_record(record), record)


def _with_below(top: Seen, below: Mapping[str | None, Sequence[Seen]]) -> list[Seen]:
    found = {top.record.span_id: top}
    waiting = [top]
    for one in waiting:  # grows as it goes
        for inner in below.get(one.record.span_id, ()):
            if inner.record.span_id not in found:
                found[inner.record.span_id] = inner
                waiting.append(inner)
    return waiting


def _seen(record: Record, prepare: Prepare) -> Seen:
    if prepare is None:
        return Seen(record, record.attributes)
    held = copy(record.attributes)
    prepare(record)
    return Seen(record, held)
