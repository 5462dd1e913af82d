"""A run folded into the signatures of its steps, as its spans end.

A span ends after what is below it, so what is known of those that ended can be added up from below:
of a span that is in a step only its signature stays, in the sum of the step. The steps of a run are
its `stalwart.node` spans, else the spans below its root; see `text.steps_of`.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from operator import itemgetter, le
from typing import NamedTuple, TypeAlias, TypeVar

from stalwart_lang.timeline.diff.signature import (
    MASK,
    Record,
    error_of,
    title_of_record,
)

JOINED, NODE = 1, 2
"""What is marked of a step: it may as well have come before the one before it (they overlap, or are
calls of one round); it is a `stalwart.node`."""

WIDE = frozenset(("run", "other"))
"""Kinds of spans that steps may be below."""
LATE = frozenset(("model", "run", "other", "undo", "rollback", "node"))
"""Kinds of spans below which something may start after they ended."""

_CALLS = frozenset(("tool", "check", "interrupt", "resume"))
CALLERS = frozenset(("tool", "model"))
_DEEP = 50
"""Spans one below the other that are climbed for one that comes late."""
_STOPPED = 8
"""Spans that never ended and are named."""
_LONG = 1024
"""Spans below one that are kept one by one; of more, some numbers of each."""
_KINDS = ("other", "run", "node", "plan", "model", "check", "tool")
_CODES: Mapping[str, int] = {
    **dict.fromkeys(("undo", "rollback", "rewind"), 0),
    **dict.fromkeys(_CALLS, 6),
    **{kind: code for code, kind in enumerate(_KINDS)},
}


_NODE = _CODES["node"]
_NEVER = datetime.min.replace(tzinfo=UTC)
_Time = TypeVar("_Time", float, datetime)
_NOTHING, _ASKED, _CALLED = 0, 1, 2


class Broken(Exception):
    """Raised where a run cannot be folded as its spans end, but only with all of them at hand."""


class Wide(NamedTuple):
    """A span that steps may be below, and the spans below it."""

    record: Record
    below: "list[Entry]"
    packed: "Packed | None"
    nodes: bool


Entry: TypeAlias = tuple[int, datetime, datetime | None, str, str, int, Wide | bool | None]
"""A span that ended, with what is below it: the sum of the signatures, its start and end, its kind
and id, how many rounds are in it, and what it is if steps may be below it; else whether there is a
node below it."""

End: TypeAlias = tuple[str, bool, str | None]
"""What a span that steps are below is called ("" for a root), whether it never ended, its error."""


@dataclass(slots=True)
class Figures:
    """What is counted of a run, as `figures.RunFigures` defines it; `tools` are calls by tool."""

    rounds: int = 0
    model_calls: int = 0
    errors: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    wall_ms: float = 0.0
    tools: dict[str, int] = field(default_factory=dict)

    @property
    def tool_calls(self) -> int:
        """Calls of all tools."""
        return sum(self.tools.values())

    @property
    def tokens_total(self) -> int:
        """Tokens in and out."""
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True, slots=True)
class Where:
    """What is known of a run beside the signatures of its steps.

    `head` is a root of it that steps are below, if there is one; `starts` are when its steps
    started, in seconds; `until` says of some blocks of the trace how far the run had come in it;
    `ends` how the spans ended that steps are below; `stopped_in` are spans that never ended, and
    have none below them that did not: the first few.
    """

    head: Record | None
    figures: Figures
    starts: "array[float]"
    until: tuple[tuple[int, float], ...]
    ends: Mapping[End, int]
    stopped_in: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """The signatures and the marks of a run's steps; the last is of the run's end.

    The run's first span ended after the first `begins` bytes of the trace, its last one before the
    block that comes after `ends` bytes had ended. `where` tells more of it, where that was kept.
    """

    trace_id: str
    signatures: bytes
    marks: bytes
    begins: int
    ends: int
    where: Where | None

    @property
    def sums(self) -> memoryview:
        """The signatures as numbers."""
        return memoryview(self.signatures).cast("Q")

    @property
    def has_nodes(self) -> bool:
        """Whether any of the steps is a `stalwart.node`."""
        return self.nodes_before(len(self.marks)) > 0

    def nodes_before(self, place: int) -> int:
        """Return how many of the steps before a place are a `stalwart.node`."""
        return sum(self.marks.count(mark, 0, place) for mark in (NODE, NODE | JOINED))


class Packed:
    """Many entries as numbers, and the ids of those that something may come below as hashes."""

    __slots__ = ("ends", "ids", "kinds", "places", "rounds", "sorted", "starts", "sums")

    def __init__(self) -> None:
        self.sums = array("Q")
        self.starts = array("d")
        self.ends = array("d")
        self.kinds = bytearray()
        self.ids = array("q")
        self.places = array("I")
        self.sorted = 0
        self.rounds = 0

    def add(self, entries: Sequence[Entry]) -> None:
        """Add entries, none of which has steps below it."""
        count = len(self.sums)
        self.sums.extend([entry[0] & MASK for entry in entries])
        self.starts.extend([entry[1].timestamp() for entry in entries])
        self.ends.extend([(entry[2] or entry[1]).timestamp() for entry in entries])
        self.kinds.extend([_CODES[entry[3]] for entry in entries])
        late = [(hash(one[4]), at) for at, one in enumerate(entries, count) if one[3] in LATE]
        self.ids.extend([span_id for span_id, _ in late])
        self.places.extend([at for _, at in late])
        self.rounds += sum([entry[5] for entry in entries])

    def add_to(self, span_id: str, signature: int) -> bool:
        """Add what is below a span that ended to its entry; return False if it has none here."""
        if self.sorted < len(self.ids):
            # sorted when something is first looked for
            order = sorted(range(len(self.ids)), key=self.ids.__getitem__)
            self.ids = array("q", [self.ids[at] for at in order])
            self.places = array("I", [self.places[at] for at in order])
            self.sorted = len(self.ids)
        wanted = hash(span_id)
        at = bisect_left(self.ids, wanted)
        if at == len(self.ids) or self.ids[at] != wanted:
            return False
        place = self.places[at]
        self.sums[place] = self.sums[place] + signature & MASK
        return True

    @property
    def nodes(self) -> bool:
        """Whether a step's own span is among them."""
        return _NODE in self.kinds

    def order(self) -> list[int] | None:
        """Return the order in which they started; None if it is that in which they ended."""
        starts = self.starts
        if all(map(le, starts, islice(starts, 1, None))):
            return None
        return sorted(range(len(starts)), key=starts.__getitem__)

    def spans(self, order: Iterable[int]) -> Iterator[tuple[float, float, str]]:
        """Yield start, end and kind of the entries; the kind where that matters for marks."""
        starts, ends, kinds = self.starts, self.ends, self.kinds
        return ((starts[at], ends[at], _KINDS[kinds[at]]) for at in order)


def _marked(spans: Iterable[tuple[_Time, _Time, str]], never: _Time) -> bytes:
    """Return the marks of steps, in their order, and that of the run's end."""
    marks = bytearray()
    latest = never
    # Calls that come one after another after a model call may have been made at once.
    before = _NOTHING
    for start, end, kind in spans:
        joined = start < latest
        if end > latest:
            latest = end
        if kind == "model":
            after = _ASKED
        elif before and kind in _CALLS:
            after = _CALLED
        else:
            after = _NOTHING
        joined = joined or before == after == _CALLED
        before = after
        marks.append(joined * JOINED | (kind == "node") * NODE)
    marks.append(0)
    return bytes(marks)


class Fold:
    """A run of which some spans have ended.

    `below` holds, by the id of a span that has not ended (None for no span), those that ended below
    it; `ended` the parents of spans that ended and that something may come below nevertheless;
    `bad` the spans that one failed below, `failed` those that are counted as failed.
    """

    __slots__ = (
        "all_packed",
        "bad",
        "begins",
        "below",
        "ended",
        "failed",
        "figures",
        "head",
        "opened",
        "packed",
        "seen",
        "trace_id",
        "until",
        "whole",
    )

    def __init__(self, trace_id: str) -> None:
        self.trace_id = trace_id
        self.below: dict[str | None, list[Entry]] = {}
        self.ended: dict[str, str | None] = {}
        self.packed: dict[str | None, Packed] = {}
        self.all_packed: list[Packed] = []
        self.bad: set[str] = set()
        self.failed: set[str] = set()
        self.figures = Figures()
        self.head: Record | None = None
        self.opened: list[Record] = []
        self.until: list[tuple[int, float]] = []
        self.begins = 0
        self.seen = 0
        self.whole = False

    def end(self, record: Record, kind: str, signature: int) -> None:
        """Take in a span that ended, or that never will.

        Raises Broken if that comes too late to know where it belongs.
        """
        span_id, parent = record.span_id, record.parent_id
        if span_id in self.ended:
            raise Broken
        if record.status != "ok" or span_id in self.bad:
            self._count_error(record)
        below = self.below.pop(span_id, None)
        extra: Wide | bool | None = None
        rounds = 0
        if kind in WIDE:
            extra, rounds = self._wide(record, below or [])
            self.ended[span_id] = parent
        else:
            if below is not None:
                for inner in below:
                    signature += inner[0]
                    rounds += inner[5]
                    if inner[6] is not None or inner[3] == "node":
                        extra = True
                if extra or span_id in self.packed:
                    more, extra, rounds = self._more_below(span_id, below)
                    signature += more
            if below is not None or kind in LATE:
                self.ended[span_id] = parent
            if kind in CALLERS:
                rounds = 1 if kind == "model" else 0
        if parent is None and (self.head is None or record.start < self.head.start):
            self.head = record
        entry = (signature & MASK, record.start, record.end, kind, span_id, rounds, extra)
        beside = self.below.get(parent)
        if beside is not None:
            beside.append(entry)
        elif parent is not None and parent in self.ended:
            self._come_late(parent, entry)
        else:
            self.below[parent] = [entry]

    def _wide(self, record: Record, below: list[Entry]) -> tuple[Wide, int]:
        """Return a span that steps may be below, and the rounds in it."""
        packed = self.packed.pop(record.span_id, None)
        rounds = sum([inner[5] for inner in below]) + (0 if packed is None else packed.rounds)
        nodes = any(map(_has_nodes, below)) or (packed is not None and packed.nodes)
        return Wide(record, below, packed, nodes), rounds

    def _more_below(self, span_id: str, below: list[Entry]) -> tuple[int, bool | None, int]:
        """Return what is not yet in the sum of a span, what it is, and the rounds in it."""
        packed = self.packed.pop(span_id, None)
        more = sum(self._sum(inner) - inner[0] for inner in below)
        rounds = sum(inner[5] for inner in below)
        nodes = any(map(_has_nodes, below))
        if packed is not None:
            more += sum(packed.sums)
            rounds += packed.rounds
            nodes = nodes or packed.nodes
            self.all_packed.remove(packed)  # what comes late is not added to it any more
        return more, nodes or None, rounds

    def _sum(self, entry: Entry) -> int:
        """Return the sum of an entry with all that is below it."""
        if not isinstance(entry[6], Wide):
            return entry[0]
        total = 0
        waiting = [entry]
        for one in waiting:  # grows as it goes
            total += one[0]
            wide = one[6]
            if isinstance(wide, Wide):
                waiting += wide.below
                if wide.packed is not None:
                    total += sum(wide.packed.sums)
                    if wide.packed in self.all_packed:
                        # what comes late is not added to it any more
                        self.all_packed.remove(wide.packed)
        return total

    def _come_late(self, parent: str, entry: Entry) -> None:
        """Add a span to one above it that ended before, or to what that was added to since."""
        chain = [parent]
        while (above := self.ended[chain[-1]]) is not None and above not in self.below:
            if above not in self.ended or len(chain) > _DEEP:
                raise Broken
            chain.append(above)
        if _has_nodes(entry) and (above is not None or len(chain) > 1):
            raise Broken  # what it is below was taken to have no steps below it
        self._add_below(self.below.get(above, []), self.packed.get(above), chain, entry)

    def _add_below(
        self, beside: list[Entry], packed: Packed | None, chain: list[str], entry: Entry
    ) -> None:
        """Add a span below the first of `chain`, which is below the next, and so on to the last."""
        while chain:
            at = chain.pop()
            place = next((k for k in range(len(beside) - 1, -1, -1) if beside[k][4] == at), None)
            if place is None:
                if packed is None or not packed.add_to(at, self._sum(entry)):
                    raise Broken
                return
            wide = beside[place][6]
            if not isinstance(wide, Wide):
                other = beside[place]
                beside[place] = (other[0] + self._sum(entry), *other[1:])
                return
            beside, packed = wide.below, wide.packed
        beside.append(entry)

    def _count_error(self, record: Record) -> None:
        """Count a span that failed, unless it failed of one below it."""
        failed = record.status == "error"
        if record.span_id in self.bad:
            self.bad.remove(record.span_id)
        elif failed:
            self.figures.errors += 1
            self.failed.add(record.span_id)
        else:
            return
        above = record.parent_id
        while above in self.ended:
            if above in self.failed:
                self.failed.remove(above)
                self.figures.errors -= 1
            above = self.ended[above]
        if above is not None:
            self.bad.add(above)

    def press(self) -> None:
        """Hold less in memory."""
        for parent, entries in self.below.items():
            if len(entries) < _LONG or any(map(_is_above_nodes, entries)):
                continue
            packed = self.packed.get(parent)
            if packed is None:
                packed = self.packed[parent] = Packed()
                self.all_packed.append(packed)
            packed.add([(self._sum(entry), *entry[1:]) for entry in entries])
            entries.clear()
        self.ended.clear()

    @property
    def over(self) -> bool:
        """Whether it looks as if the run were over."""
        return self.below.keys() == {None}

    @property
    def held(self) -> int:
        """How many spans it holds in memory."""
        return len(self.ended) + sum(map(len, self.below.values()))

    def finish(self, whole: bool) -> Steps:
        """Return the steps; `whole` says whether to tell more of the run.

        Raises Broken if spans stand below one that is not known, though there is a root.
        """
        if self.all_packed:
            self._find_late()
        unknown = [parent for parent in self.below if parent is not None]
        if unknown and not self.whole and (None in self.below or len(unknown) > 1):
            raise Broken
        steps: list[Entry] = []
        ends: dict[End, int] = {}
        packed = [self.packed[parent] for parent in self.below if parent in self.packed]
        for entries in self.below.values():
            for root in entries:
                if self.head is None and isinstance(root[6], Wide):
                    self.head = root[6].record
                self._open(root, steps, ends, packed)
        closing = 0
        for end, count in ends.items():
            made = hash(end)
            closing += made * made * count
        if not packed and not whole:
            steps.sort(key=itemgetter(1))
            sums = array("Q", [step[0] & MASK for step in steps])
            sums.append(closing & MASK)
            marks = _marked([(one[1], one[2] or one[1], one[3]) for one in steps], _NEVER)
            return Steps(self.trace_id, sums.tobytes(), marks, self.begins, self.seen, None)
        if len(packed) > 1:
            raise Broken  # their steps are to be brought into one order
        every = packed[0] if packed else Packed()
        every.add(steps)
        return self._made(every, ends, closing, whole)

    def _find_late(self) -> None:
        """Add what came after the ids of what it is below had been packed."""
        late = {parent: self.below[parent] for parent in self.below if parent is not None}
        for parent, entries in late.items():
            total = sum(map(self._sum, entries))
            if any(packed.add_to(parent, total) for packed in self.all_packed):
                del self.below[parent]

    def _made(self, steps: Packed, ends: dict[End, int], closing: int, whole: bool) -> Steps:
        order = steps.order()
        sums = steps.sums if order is None else array("Q", [steps.sums[at] for at in order])
        sums.append(closing & MASK)
        spans = steps.spans(order or range(len(steps.starts)))
        marks = _marked(spans, float("-inf"))
        if not whole:
            return Steps(self.trace_id, sums.tobytes(), marks, self.begins, self.seen, None)
        starts = steps.starts if order is None else array("d", [steps.starts[at] for at in order])
        self._measure(steps)
        steps.ends, steps.kinds = array("d"), bytearray()  # there may be many
        parents = {record.parent_id for record in self.opened}
        stopped = [record for record in self.opened if record.span_id not in parents]
        first = tuple(sorted(stopped, key=lambda record: record.start)[:_STOPPED])
        where = Where(self.head, self.figures, starts, tuple(self.until), ends, first)
        return Steps(self.trace_id, sums.tobytes(), marks, self.begins, self.seen, where)

    def _measure(self, steps: Packed) -> None:
        """Complete the figures."""
        figures = self.figures
        figures.rounds = steps.rounds
        head = self.head
        if head is not None and head.end is not None:
            wall = head.end.timestamp() - head.start.timestamp()
        elif steps.starts:
            begun = [min(steps.starts)]
            if head is not None:
                begun.append(head.start.timestamp())
            last = max(record.start.timestamp() for record in self.opened) if self.opened else 0.0
            wall = max(max(steps.ends), last) - min(begun)
        else:
            wall = 0.0
        figures.wall_ms = round(wall * 1000, 3)

    def _open(
        self, root: Entry, steps: list[Entry], ends: dict[End, int], packed: list[Packed]
    ) -> None:
        """Put the steps below a root, and below agents below it, to the others; or it as one."""
        if not isinstance(root[6], Wide):
            steps.append(root)
            return
        waiting = [root[6]]
        for wide in waiting:  # grows as it goes
            record = wide.record
            called = "" if wide is root[6] else title_of_record(record)
            end = (called, record.type == "start", error_of(record))
            ends[end] = ends.get(end, 0) + 1
            if wide.packed is not None:
                packed.append(wide.packed)
            for below in wide.below:
                inner = below[6]
                if not isinstance(inner, Wide):
                    steps.append(below)
                elif inner.nodes:
                    waiting.append(inner)
                else:
                    steps.append((self._sum(below), *below[1:]))


def _has_nodes(entry: Entry) -> bool:
    extra = entry[6]
    return entry[3] == "node" or (extra.nodes if isinstance(extra, Wide) else extra is True)


def _is_above_nodes(entry: Entry) -> bool:
    return isinstance(entry[6], Wide) and entry[6].nodes
