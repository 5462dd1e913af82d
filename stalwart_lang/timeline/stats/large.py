"""A run that is too large to be held as spans: what later spans need of it, as numbers."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from operator import attrgetter

from stalwart_lang.loops import TIMES, CallSignature, RepeatedCall, RoundLoops
from stalwart_lang.timeline.kinds import Kind
from stalwart_lang.timeline.stats.figures import Counting, kind_of_passed
from stalwart_lang.timeline.stats.idtable import IdTable
from stalwart_lang.timeline.stats.lineage import Key, Lineage, Lookup, count_leaves
from stalwart_lang.timeline.stats.passing import Passed
from stalwart_lang.timeline.stats.rounds import (
    FEWEST_IN_A_LOOP,
    again_and_again,
    arguments_of,
    call_signature,
    tool_of,
)
from stalwart_lang.timeline.stats.timings import CallTimings

_BATCH = 120
"""Spans counted together: what stays in a processor's cache."""
_OPEN = 20_000
_REPEATED = 10_000
_FEW = 50_000
_LEVELS = 8

_start = attrgetter("start")
_NO_PARENT = hash(None)


class LargeRun:
    """Counts a run batch by batch, in 16 bytes a span and 8 a model call.

    In the end its failed spans take 300 bytes each; and where spans are many levels deep, or very
    many have others below them, every span takes 34 to 68 bytes more. Spans are known by their
    hashes, of which two agree in one of a million runs of a million spans.

    Three things are known less well than of a run that is held as spans:

    - A span recorded twice counts twice, unless both records are in one batch.
    - Loops are looked for in the calls in the order of their records, whichever agent's and
      whichever round's they are, batch by batch; `Loop.start` counts calls.
    - A repeated call counts where it is beside other repeated ones.
    """

    def __init__(self) -> None:
        self.timings = CallTimings()
        self._batch: list[Passed] = []
        self._counting = Counting()
        self._calls = _Links()
        self._others = _Links()
        self._failed = _Links()
        self._above_models = array("q")
        self._open: dict[str, Passed] = {}
        self._long_open: list[_LongOpen] = []
        self._loops = RoundLoops()
        self._repeated: dict[CallSignature, RepeatedCall] = {}
        self._first: datetime | None = None
        self._extent_ms = 0.0

    def feed(self, spans: Iterable[Passed]) -> None:
        """Count spans."""
        self._batch += spans
        if len(self._batch) >= _BATCH:
            self._count_batch()

    def is_whole(self) -> bool:
        """Return whether nothing of it is open and it waits for nobody."""
        self._count_batch()
        return not (self._open or self._long_open or self._counting.waits())

    def finish(self) -> Counting:
        """Return the figures, once all spans are counted."""
        self._count_batch()
        self._count_open()
        counting, above = self._counting, self._lookup()
        in_a_call = Lineage(above).in_a_call
        counting.rounds = sum(
            times for key, times in _times(self._above_models) if not in_a_call(key)
        )
        if self._failed.keys:
            failed = zip(self._failed.keys, self._failed.parents, strict=True)
            counting.errors = count_leaves(failed, above)
            counting.root_failed = any(above(key) is None for key in self._failed.parents)
        if counting.root is not None and counting.root.duration_ms is not None:
            counting.wall_ms = counting.root.duration_ms
        else:
            counting.wall_ms = self._extent_ms
        tools = self.timings.tools
        counting.calls_by_tool = {name: timings.calls for name, timings in tools.items()}
        counting.errors_by_tool = {
            name: timings.errors for name, timings in tools.items() if timings.errors
        }
        counting.loops = tuple(self._loops.end())
        repeated = [found for found in self._repeated.values() if found.times >= TIMES]
        counting.repeated_calls = tuple(sorted(repeated, key=lambda found: -found.times))
        return counting

    def _count_batch(self) -> None:
        batch = self._batch
        ended = {span.span_id: span for span in batch if span.type == "span"}
        opened = self._open
        if opened:
            for span_id in opened.keys() & ended.keys():
                del opened[span_id]
        if len(ended) < len(batch):
            for span in batch:
                if span.type == "start" and span.span_id not in ended:
                    opened[span.span_id] = span
        batch.clear()
        self._count(ended)
        if len(opened) > _OPEN:
            oldest = [opened.pop(span_id) for span_id in [*islice(opened, _OPEN // 2)]]
            self._long_open.append(_LongOpen(oldest))
            for span in oldest:
                if span.parent_id is None:
                    self._counting.offer_root(span)

    def _count(self, spans: dict[str, Passed]) -> None:
        if not spans:
            return
        counting = self._counting
        others = counting.count(spans.values())
        models, tools = counting.models, counting.tools
        self.timings.add(models, tools)
        self._calls.add(models)
        self._calls.add(tools)
        self._others.add(others)
        self._above_models.fromlist([hash(span.parent_id) for span in models])
        self._failed.add(counting.failed)
        counting.failed.clear()
        self._look_for_loops(tools)
        if self._first is None:
            self._first = min(map(_start, spans.values()))
        last = spans[next(reversed(spans))]
        moment = (last.start - self._first) / timedelta(milliseconds=1) + (last.duration_ms or 0)
        self._extent_ms = max(self._extent_ms, moment)

    def _look_for_loops(self, tools: list[Passed]) -> None:
        passed = 0
        for begin, end in _stretches(again_and_again(arguments_of(tools))):
            if end - begin < FEWEST_IN_A_LOOP and begin > 0 and end < len(tools):
                continue
            self._loops.skip(begin - passed)
            passed = end
            for span in tools[begin:end]:
                call = call_signature(span)
                self._loops.add(None if call is None else (call,), span.span_id)
                if call is not None:
                    self._repeat(call, span.span_id)
        self._loops.skip(len(tools) - passed)

    def _repeat(self, call: CallSignature, span_id: str) -> None:
        known = self._repeated.get(call)
        if known is not None:
            self._repeated[call] = RepeatedCall(call, known.times + 1, known.span_id)
        elif len(self._repeated) < _REPEATED:
            self._repeated[call] = RepeatedCall(call, 1, span_id)

    def _count_open(self) -> None:
        """Count the spans that stayed open."""
        ended = self._ended_of_open()
        self._count(
            {key: span for key, span in self._open.items() if hash(span.span_id) not in ended}
        )
        self._open.clear()
        counting = self._counting
        for spans in self._long_open:
            for key, parent, kind, tool in spans.but_for(ended):
                counting.open_spans += 1
                (self._calls if kind in ("model", "tool") else self._others).add_one(key, parent)
                if kind == "tool":
                    counting.tool_calls += 1
                    self.timings.add_open(tool)
                elif kind == "model":
                    counting.model_calls += 1
                    self.timings.add_open(None)
                    self._above_models.append(parent)
                elif kind == "node":
                    counting.steps += 1
                elif kind == "interrupt":
                    counting.asked += 1
        self._long_open.clear()

    def _ended_of_open(self) -> "IdTable | set[int]":
        """Return what holds the spans that ended of those that seem to be open.

        A span opened long ago ended since then; the start of one may be recorded after its end.
        """
        links = (self._calls, self._others)
        if not self._long_open:
            opened = {hash(span_id) for span_id in self._open}
            return set[int]().union(*(opened.intersection(held.keys) for held in links))
        table = IdTable(sum(len(held.keys) for held in links))
        for held in links:
            table.put(held.keys, held.parents, 0)
        return table

    def _lookup(self) -> Lookup:
        """Return what tells the parents of the model calls and the failed spans, and theirs."""
        links: tuple[tuple[_Links, Kind], ...] = ((self._calls, "tool"), (self._others, "other"))
        wanted: set[int] = set()
        for keys in (self._above_models, self._failed.parents):
            for begin in range(0, len(keys), _FEW):
                wanted.update(keys[begin : begin + _FEW])
                if len(wanted) > _FEW:
                    wanted.clear()
                    return self._table()
        wanted.discard(_NO_PARENT)
        found: dict[Key, tuple[Key | None, Kind]] = {}
        for _ in range(_LEVELS):
            new: dict[Key, tuple[int, Kind]] = {
                key: (parent, kind)
                for held, kind in links
                for key, parent in zip(held.keys, held.parents, strict=True)
                if key in wanted
            }
            found.update(new)
            wanted = {parent for parent, _ in new.values()} - found.keys() - {_NO_PARENT}
            if not wanted:
                return found.get
        return self._table()

    def _table(self) -> Lookup:
        table = IdTable(len(self._calls.keys) + len(self._others.keys))
        table.put(self._others.keys, self._others.parents, 0)
        table.put(self._calls.keys, self._calls.parents, 1)

        def lookup(key: Key) -> tuple[Key | None, Kind] | None:
            found = table.get(key) if isinstance(key, int) else None
            return None if found is None else (found[0], "tool" if found[1] else "other")

        return lookup


def _times(keys: "array[int]") -> Iterator[tuple[int, int]]:
    """Yield keys, each with how often it is there in a row of some thousands."""
    for begin in range(0, len(keys), _FEW):
        yield from Counter(keys[begin : begin + _FEW]).items()


def _stretches(places: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first place, and that after the last, of each stretch of places side by side."""
    begin = end = -1
    for place in places:
        if place != end:
            if begin >= 0:
                yield begin, end
            begin = place
        end = place + 1
    if begin >= 0:
        yield begin, end


class _Links:
    """Spans by their hashes, each with its parent's."""

    __slots__ = ("keys", "parents")

    def __init__(self) -> None:
        self.keys = array("q")
        self.parents = array("q")

    def add(self, spans: list[Passed]) -> None:
        self.keys.fromlist([hash(span.span_id) for span in spans])
        self.parents.fromlist([hash(span.parent_id) for span in spans])

    def add_one(self, key: int, parent: int) -> None:
        self.keys.append(key)
        self.parents.append(parent)


class _LongOpen:
    """Spans that did not end while thousands of others were opened, in 20 bytes each."""

    def __init__(self, spans: list[Passed]) -> None:
        self._links = _Links()
        self._links.add(spans)
        kinds = [kind_of_passed(span) for span in spans]
        self._names = [*dict.fromkeys([*kinds, *map(tool_of, spans)])]
        places = {name: place for place, name in enumerate(self._names)}
        self._kinds = array("H", [places[kind] for kind in kinds])
        self._tools = array("H", [places[tool_of(span)] for span in spans])

    def but_for(self, ended: "IdTable | set[int]") -> Iterator[tuple[int, int, str, str]]:
        names = self._names
        links = self._links
        for key, parent, kind, tool in zip(
            links.keys, links.parents, self._kinds, self._tools, strict=True
        ):
            if key not in ended:
                yield key, parent, names[kind], names[tool]
