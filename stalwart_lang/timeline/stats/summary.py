"""The figures of many runs, counted in one pass over files larger than memory.

A run is counted once its root has ended, nothing of it is open and it waits for nobody; until then
its spans are held. All takes linear time, and memory that is bounded:

- 32 MB or so of spans of runs under way. Beyond that all of them are laid aside in temporary files,
  without what the figures do not need (captured arguments they do), and counted in the end, a 64th
  of them at a time.
- For a run of over 10,000 spans, what `large` says instead.
- 8 bytes a model call and a tool call, for exact percentiles, and 25 bytes a run; of the last
  25,000 to 50,000 runs that were counted 100 bytes each, so that a record that comes late counts
  with its run.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from operator import attrgetter

from stalwart_lang.timeline.records import Damage
from stalwart_lang.timeline.stats.aside import Aside
from stalwart_lang.timeline.stats.figures import OTHER_RULES, RULES, Counting, RunFigures, count_run
from stalwart_lang.timeline.stats.large import LargeRun
from stalwart_lang.timeline.stats.passing import Passed, pass_over
from stalwart_lang.timeline.stats.timings import CallTimings

OUTCOMES = ("completed", "failed", "waiting", "open")

LARGE = 10_000
_ENDING = 8
"""Runs whose root has ended that are held for what may still come."""
_SWEEP = 16_000
HELD_BYTES = 32_000_000
_BYTES_OF_A_SPAN = 800
_BYTES_OF_A_RUN = 400
_REMEMBERED = 25_000
_LOOPING = 1_000


class Summary:
    """The figures of all runs that are added, together; and of each, where they are kept.

    A run of more than `large` spans is counted as `LargeRun` does; of smaller ones about
    `held_bytes` are held in memory. With `keep`, `runs` holds the figures of each run, in about
    1 kB; `looping` holds those of the runs with loops or repeated calls, the first thousand. Call
    `finish` before reading any figure.
    """

    def __init__(
        self, *, keep: bool = False, large: int = LARGE, held_bytes: int = HELD_BYTES
    ) -> None:
        self.runs: list[RunFigures] = []
        self.looping: list[RunFigures] = []
        self.first: RunFigures | None = None
        self.records = 0
        self.wall_ms = array("d")
        self.tokens = array("d")
        self.outcomes = bytearray()
        self.timings = CallTimings()
        self.refusals: Counter[str] = Counter()
        self.rounds = self.steps = self.errors = self.model_calls = self.tool_calls = 0
        self.tokens_in = self.tokens_out = self.open_spans = 0
        self.asked = self.approved = self.declined = self.undone = 0
        self.loops = self.repeated_calls = 0
        self._keep = keep
        self._large_from = large
        self._held_bytes = held_bytes
        self._sweep_after = min(large, _SWEEP)
        self._held: dict[str, dict[str, Passed]] = {}  # heard of since the last sweep
        self._quiet: dict[str, dict[str, Passed]] = {}
        self._quiet_bytes: dict[str, int] = {}
        self._ending: dict[str, None] = {}
        self._large: dict[str, LargeRun] = {}
        self._since = 0
        self._roots = array("q")
        self._rows: dict[int, int] = {}
        self._older_rows: dict[int, int] = {}
        self._aside = Aside()

    def read(self, path: str, on_damage: Callable[[Damage], None]) -> None:
        """Add the spans of a file, or of standard input (`-`), as `pass_over` reads them."""
        for spans in pass_over(path, on_damage):
            if spans:
                self.records += len(spans)
                self.add(spans)

    def add(self, spans: Sequence[Passed]) -> None:
        """Add spans, at their start or their end."""
        if self._large and self._add_to_large(spans):
            return
        held = self._held.get
        for span in spans:
            known = held(span.trace_id)
            if known is None:
                known = self._begin(span.trace_id)
            if span.type == "span":
                known[span.span_id] = span
                if span.parent_id is None:
                    self._root_ended(span.trace_id)
            elif span.span_id not in known:
                known[span.span_id] = span
        self._since += len(spans)
        if self._since >= self._sweep_after:
            self._since = 0
            self._sweep()

    def finish(self) -> None:
        """Count what is still held; nothing may be added after it."""
        for trace_id, spans in [*self._quiet.items(), *self._held.items()]:
            if (large := self._large.pop(trace_id, None)) is not None:
                large.feed(spans.values())
                self._include(trace_id, large.finish(), large.timings)
            elif self._aside.may_hold(trace_id):
                self._aside.lay(trace_id, spans)
            else:
                self._count(trace_id, spans)
        self._quiet.clear()
        self._held.clear()
        for part in self._aside.take():
            self._include_aside(part)
        self.runs.sort(key=attrgetter("began"))

    def _add_to_large(self, spans: Sequence[Passed]) -> bool:
        """Add spans that are all of one large run, below its root."""
        trace_id = spans[0].trace_id
        large = self._large.get(trace_id)
        if large is None or None in [span.parent_id for span in spans]:
            return False
        if [span.trace_id for span in spans].count(trace_id) < len(spans):
            return False
        before = self._held.get(trace_id) or self._quiet.get(trace_id)
        if before:
            large.feed(before.values())
            before.clear()
        large.feed(spans)
        return True

    def _begin(self, trace_id: str) -> dict[str, Passed]:
        spans = self._quiet.pop(trace_id, None)
        if spans is None:
            spans = {}
        else:
            self._quiet_bytes.pop(trace_id)
        self._held[trace_id] = spans
        return spans

    def _root_ended(self, trace_id: str) -> None:
        ending = self._ending
        ending.pop(trace_id, None)
        ending[trace_id] = None
        if len(ending) > _ENDING:
            oldest = next(iter(ending))
            del ending[oldest]
            self._include_if_whole(oldest)

    def _include_if_whole(self, trace_id: str) -> None:
        holder = self._held if trace_id in self._held else self._quiet
        spans = holder.get(trace_id)
        if spans is None or self._aside.may_hold(trace_id):
            return
        if (large := self._large.get(trace_id)) is not None:
            large.feed(spans.values())
            spans.clear()
            if not large.is_whole():
                return
            self._include(trace_id, large.finish(), large.timings)
            del self._large[trace_id]
        else:
            counting = count_run(spans)
            if counting.open_spans or counting.waits():
                return
            self._include(trace_id, counting)
        del holder[trace_id]
        self._quiet_bytes.pop(trace_id, None)

    def _sweep(self) -> None:
        """Make numbers of large runs, and keep what is held within its bounds."""
        quiet = self._quiet
        for trace_id, spans in self._held.items():
            large = self._large.get(trace_id)
            grown = len(spans) > self._large_from
            if large is None and grown and not self._aside.may_hold(trace_id):
                large = self._large[trace_id] = LargeRun()
            if large is not None:
                large.feed(spans.values())
                spans.clear()
        sizes = {trace_id: _size(spans) for trace_id, spans in self._held.items()}
        size = sum(sizes.values())
        if size + sum(self._quiet_bytes.values()) > self._held_bytes:
            self._lay_aside(quiet)
            self._quiet_bytes.clear()
            if size > self._held_bytes:
                self._lay_aside(self._held)
                sizes = dict.fromkeys(self._held, _BYTES_OF_A_RUN)
        quiet.update(self._held)
        self._quiet_bytes.update(sizes)
        self._held.clear()

    def _lay_aside(self, runs: dict[str, dict[str, Passed]]) -> None:
        """Lay the spans of runs aside; large runs stay, as numbers."""
        large = {trace_id: spans for trace_id, spans in runs.items() if trace_id in self._large}
        for trace_id, spans in runs.items():
            if trace_id not in large:
                self._aside.lay(trace_id, spans)
        runs.clear()
        runs.update(large)

    def _include_aside(self, part: Iterable[tuple[str, list[Passed]]]) -> None:
        runs: dict[str, dict[str, Passed]] = {}
        large: dict[str, LargeRun] = {}
        for trace_id, spans in part:
            known = runs.setdefault(trace_id, {})
            for span in spans:
                if span.type == "span" or span.span_id not in known:
                    known[span.span_id] = span
            if len(known) > self._large_from or trace_id in large:
                large.setdefault(trace_id, LargeRun()).feed(known.values())
                known.clear()
        for trace_id, known in runs.items():
            if trace_id in large:
                whole = large[trace_id]
                self._include(trace_id, whole.finish(), whole.timings)
            else:
                self._count(trace_id, known)

    def _count(self, trace_id: str, spans: dict[str, Passed]) -> None:
        if self._row_of(trace_id) is not None:
            # The start of a span that was counted may come after its end.
            spans = {key: span for key, span in spans.items() if span.type == "span"}
        if spans:
            counting = count_run(spans)
            self._include(trace_id, counting)

    def _include(
        self, trace_id: str, counting: Counting, timings: CallTimings | None = None
    ) -> None:
        """Add a run; without `timings` its calls are those that the counting holds."""
        row = self._row_of(trace_id)
        root = hash(counting.root.span_id) if counting.root is not None else 0
        if row is not None and self._roots[row] == root:
            return  # the same records once more
        if timings is None:
            self.timings.add(counting.models, counting.tools)
        else:
            self.timings.extend(timings)
        self._add_up(counting)
        tokens = counting.tokens_in + counting.tokens_out
        if row is not None:
            self._include_late(row, trace_id, counting)
            self.tokens[row] += tokens
            return
        self._rows[hash(trace_id)] = len(self.outcomes)
        if len(self._rows) > _REMEMBERED:
            self._older_rows, self._rows = self._rows, {}
        self.outcomes.append(OUTCOMES.index(counting.outcome()))
        self.open_spans += counting.open_spans
        self.wall_ms.append(counting.wall_ms)
        self.tokens.append(tokens)
        self._roots.append(root)
        looping = (counting.loops or counting.repeated_calls) and len(self.looping) < _LOOPING
        if self._keep or looping or self.first is None:
            figures = counting.figures(trace_id)
            self.first = self.first or figures
            if self._keep:
                self.runs.append(figures)
            if looping:
                self.looping.append(figures)

    def _row_of(self, trace_id: str) -> int | None:
        number = hash(trace_id)
        row = self._rows.get(number)
        return self._older_rows.get(number) if row is None else row

    def _include_late(self, row: int, trace_id: str, counting: Counting) -> None:
        """Add records of a run that was counted: its wall time and what was open stay."""
        root = counting.root
        root_failed = root is not None and root.parent_id is None and root.status == "error"
        failed = root_failed or counting.rolled_back
        if failed:
            self.outcomes[row] = OUTCOMES.index("failed")
        if self.first is not None and (row == 0 or self._keep):
            known = self.runs[row] if self._keep else self.first
            figures = _together(known, counting.figures(trace_id), failed)
            if self._keep:
                self.runs[row] = figures
            if row == 0:
                self.first = figures

    def _add_up(self, counting: Counting) -> None:
        self.rounds += counting.rounds
        self.steps += counting.steps or counting.rounds
        self.errors += counting.errors
        self.model_calls += counting.model_calls
        self.tool_calls += counting.tool_calls
        self.tokens_in += counting.tokens_in
        self.tokens_out += counting.tokens_out
        self.asked += counting.asked
        self.approved += counting.approved
        self.declined += counting.declined
        self.undone += counting.undone
        self.loops += len(counting.loops)
        self.repeated_calls += len(counting.repeated_calls)
        for rule, times in counting.refusals.items():
            known = rule in self.refusals or len(self.refusals) < RULES
            self.refusals[rule if known else OTHER_RULES] += times


def _size(spans: dict[str, Passed]) -> int:
    """Return about how many bytes the spans of a run take."""
    texts = 0
    for span in spans.values():
        told = span.attributes
        texts += len(told.arguments or "") + len(told.foreign_arguments or "")
    return _BYTES_OF_A_RUN + _BYTES_OF_A_SPAN * len(spans) + texts


def _together(known: RunFigures, late: RunFigures, failed: bool) -> RunFigures:
    calls = Counter(known.calls_by_tool) + Counter(late.calls_by_tool)
    errors = Counter(known.errors_by_tool) + Counter(late.errors_by_tool)
    return replace(
        known,
        outcome="failed" if failed else known.outcome,
        thread=known.thread or late.thread,
        rounds=known.rounds + late.rounds,
        steps=known.steps + late.steps,
        model_calls=known.model_calls + late.model_calls,
        tool_calls=known.tool_calls + late.tool_calls,
        errors=known.errors + late.errors,
        tokens_in=known.tokens_in + late.tokens_in,
        tokens_out=known.tokens_out + late.tokens_out,
        asked=known.asked + late.asked,
        approved=known.approved + late.approved,
        declined=known.declined + late.declined,
        undone=known.undone + late.undone,
        calls_by_tool=dict(calls),
        errors_by_tool=dict(errors),
        refusals=dict(Counter(known.refusals) + Counter(late.refusals)),
        loops=known.loops + late.loops,
        repeated_calls=known.repeated_calls + late.repeated_calls,
    )
