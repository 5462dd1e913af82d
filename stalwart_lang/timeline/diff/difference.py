"""Where two runs of the same input went different ways, and what that led to.

The first step whose decisions differ is the difference. What differs after it is downstream of it:
it may be absurd only because of the first, and setting it right would be setting a shadow right.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stalwart_lang.timeline.diff.align import Gap, Same, first_difference, parts
from stalwart_lang.timeline.diff.beside import both
from stalwart_lang.timeline.diff.closer import OneTrace, Seen, look_closer
from stalwart_lang.timeline.diff.comparable import need_preparation, preparation
from stalwart_lang.timeline.diff.fold import NODE, Figures, Steps, Where
from stalwart_lang.timeline.diff.reduction import (
    Blocks,
    Content,
    Prepare,
    Reduced,
    records_in,
    reduce_runs,
)
from stalwart_lang.timeline.diff.signature import (
    DECISIONS,
    TELLERS,
    Record,
    error_of,
    kind_of_record,
    title_of_record,
)
from stalwart_lang.timeline.kinds import Kind
from stalwart_lang.timeline.records import Damage
from stalwart_lang.timeline.select import NoSuchRun, prefix_of_id
from stalwart_lang.timeline.sources import STANDARD_INPUT, open_source

SHOWN = 50
"""Steps after the first difference that are looked at closer."""

_AT_ONCE = 2**24
"""Bytes of both traces from which they are read at once, in two processes."""
_PAIRED = 30
"""Steps of a gap, or spans of a step, that are compared each with each to find pairs."""

ENDED, ERROR = "end", "error"
"""What may differ in any span: whether it ended, and its error."""


class SeveralRuns(ValueError):
    """One run is asked for of one trace, and the other one holds several."""


class Nothing(ValueError):
    """A trace without a run to compare."""

    def __init__(self, which: int, asked: str | None) -> None:
        super().__init__(which, asked)
        self.which = which
        self.asked = asked


@dataclass(frozen=True, slots=True)
class Change:
    """A span that is not the same in both runs, or in only one of them.

    `what` names the decisions that differ, as `signature.DECISIONS` does, or `ENDED` or `ERROR`.
    """

    kind: Kind
    title: str
    a: Seen | None
    b: Seen | None
    what: tuple[str, ...]

    @property
    def another_result(self) -> bool:
        """Whether the same call gave another result."""
        return self.what == ("result",)

    @property
    def another_input(self) -> bool:
        """Whether the runs did not read the same turn."""
        return self.kind == "plan" and "turn" in self.what


@dataclass(frozen=True, slots=True)
class OneStep:
    """A step of one run. `number` is the timeline's; None outside of steps, and for the end."""

    number: int | None
    title: str
    kind: Kind
    tokens: int


@dataclass(frozen=True, slots=True)
class StepDifference:
    """A step of each run, or of one; without changes they are the same."""

    a: OneStep | None
    b: OneStep | None
    changes: tuple[Change, ...]

    @property
    def same(self) -> bool:
        """Whether the runs decided the same in it."""
        return self.a is not None and self.b is not None and not self.changes


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How the spans end that steps are below, where that differs: a text for each run."""

    a: tuple[str, ...]
    b: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OneRun:
    """A run that is compared. `stopped_in` names what it was in the middle of, if it was killed."""

    trace_id: str
    name: str | None
    thread: str | None
    figures: Figures
    open: bool
    stopped_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two runs part.

    `first` is the first step that differs, None if only their ends do; `downstream` is what comes
    after it, the same again or not, as much of it as is shown; `more_differ` and `more_same` count
    the others; `end` is about how the runs ended, where that differs.
    """

    first: StepDifference | None
    downstream: tuple[StepDifference, ...]
    more_differ: int
    more_same: int
    end: RunEnd | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of comparing two traces.

    `a` and `b` are the first runs that differ, or the first ones; `runs_a` and `runs_b` count
    those of each trace, `differing` the pairs that differ. `notes` say what was not compared.
    """

    a: OneRun
    b: OneRun
    difference: Difference | None
    runs_a: int
    runs_b: int
    differing: int
    notes: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether all runs decided the same, and both traces hold as many."""
        return self.difference is None and self.runs_a == self.runs_b


def compare(
    paths: tuple[str, str],
    trace_ids: tuple[str | None, str | None],
    on_damage: Callable[[int, Damage], None],
) -> Comparison:
    """Compare the runs of two traces in pairs, in the order in which they began.

    `trace_ids` choose one run of a trace, by the id of it or its first digits. `on_damage` hears of
    the lines that hold no record, with 0 for the first trace and 1 for the second.

    Raises:
        OSError: a trace cannot be read.
        NoSuchRun: an id is shorter than 4 digits, or the beginning of several.
        SeveralRuns: one run is chosen, and the other trace holds several.
        Nothing: a trace holds no run, or not the one that is chosen.
    """
    with ExitStack() as stack:
        sources = [
            _source(stack.enter_context(open_source(path)), asked)
            for path, asked in zip(paths, trace_ids, strict=True)
        ]
        reading = _Reading(paths, trace_ids, sources, _size(paths) >= _AT_ONCE)
        read = reading.read(None)
        for which, (reduced, damages) in enumerate(read):
            for damage in damages:
                on_damage(which, damage)
            if not reduced.runs:
                raise Nothing(which, trace_ids[which])
        runs = _chosen(read, trace_ids)
        prepare: Prepare = None
        notes: tuple[str, ...] = ()
        contents = read[0][0].content, read[1][0].content
        differing = _differing(*runs)
        if differing and need_preparation(*contents):
            prepare, notes = _prepared(sources, runs, contents)
            runs = _chosen(reading.read(prepare), trace_ids)
            differing = _differing(*runs)
        return _compared(sources, runs, differing, prepare, notes)


def _source(source: Blocks, asked: str | None) -> Blocks:
    return source if asked is None else OneTrace(source, prefix_of_id(asked))


def _size(paths: Sequence[str]) -> int:
    """Return the bytes of both files; 0 if one is none, which only this process can read."""
    size = 0
    for path in paths:
        if path == STANDARD_INPUT or not Path(path).is_file():
            return 0
        size += Path(path).stat().st_size
    return size


_Read = tuple[Reduced, list[Damage]]


def _begins(prefix: str) -> Callable[[str], bool]:
    return lambda trace_id: trace_id.startswith(prefix)


@dataclass(frozen=True, slots=True)
class _Reading:
    """Two traces that are read, at once where they are large."""

    paths: tuple[str, str]
    trace_ids: tuple[str | None, str | None]
    sources: Sequence[Blocks]
    at_once: bool

    def read(self, prepare: Prepare) -> tuple[_Read, _Read]:
        return both(
            lambda: self._one(0, self.sources[0], prepare),
            lambda: self._second(prepare),
            self.at_once,
        )

    def _second(self, prepare: Prepare) -> _Read:
        if not self.at_once:
            return self._one(1, self.sources[1], prepare)
        # A forked process has the same open files, and would move their positions in this one.
        with open_source(self.paths[1]) as source:
            return self._one(1, _source(source, self.trace_ids[1]), prepare)

    def _one(self, which: int, source: Blocks, prepare: Prepare) -> _Read:
        asked = self.trace_ids[which]
        only = None if asked is None else _begins(prefix_of_id(asked))
        damages: list[Damage] = []
        reduced = reduce_runs(source, damages.append, prepare, only)
        return reduced, damages


_Runs = tuple[tuple[Steps, ...], tuple[Steps, ...]]


def _chosen(read: tuple[_Read, _Read], trace_ids: Sequence[str | None]) -> _Runs:
    runs = []
    for (reduced, _), asked in zip(read, trace_ids, strict=True):
        found = reduced.runs
        if asked is not None and len(found) > 1:
            exact = [run for run in found if run.trace_id == prefix_of_id(asked)]
            if not exact:
                names = ", ".join(run.trace_id for run in found[:3])
                raise NoSuchRun(f"trace id {asked!r} fits several traces ({names})")
            found = (exact[0],)
        runs.append(found)
    if (trace_ids[0] is None) != (trace_ids[1] is None) and max(map(len, runs)) > 1:
        raise SeveralRuns
    return runs[0], runs[1]


def _differing(runs_a: Sequence[Steps], runs_b: Sequence[Steps]) -> list[int]:
    pairs = zip(runs_a, runs_b, strict=False)
    return [
        number
        for number, (a, b) in enumerate(pairs)
        if a.signatures != b.signatures and first_difference(a, b) is not None
    ]


def _prepared(
    sources: Sequence[Blocks], runs: _Runs, contents: tuple[Content, Content]
) -> tuple[Prepare, tuple[str, ...]]:
    records = [
        records_in(source, {run.trace_id for run in of}.__contains__)
        for source, of in zip(sources, runs, strict=True)
    ]
    prepare, note = preparation(*contents, *records)
    return prepare, () if note is None else (note,)


def _compared(
    sources: Sequence[Blocks],
    runs: _Runs,
    differing: Sequence[int],
    prepare: Prepare,
    notes: tuple[str, ...],
) -> Comparison:
    number = differing[0] if differing else 0
    whole = [_whole(source, of[number], prepare) for source, of in zip(sources, runs, strict=True)]
    difference = _difference(whole[0], whole[1], prepare) if differing else None
    return Comparison(
        _one_run(whole[0]),
        _one_run(whole[1]),
        difference,
        len(runs[0]),
        len(runs[1]),
        len(differing),
        notes,
    )


@dataclass(frozen=True, slots=True)
class _Whole:
    """A run with all that is known of it, and where to look closer at it."""

    source: Blocks
    steps: Steps
    where: Where


def _whole(source: Blocks, steps: Steps, prepare: Prepare) -> _Whole:
    if steps.where is not None:
        return _Whole(source, steps, steps.where)
    trace_id = steps.trace_id
    alone = OneTrace(source, trace_id, steps.begins, steps.ends)
    found = _alone(alone, trace_id, prepare)
    if found is None or found.signatures != steps.signatures:
        # a part of it is elsewhere: spans that never ended, or runs that were read into memory
        alone = OneTrace(source, trace_id)
        found = _alone(alone, trace_id, prepare)
    assert found is not None
    assert found.where is not None
    return _Whole(alone, found, found.where)


def _alone(source: Blocks, trace_id: str, prepare: Prepare) -> Steps | None:
    found = reduce_runs(source, lambda _: None, prepare, lambda other: other == trace_id).runs
    return found[0] if found else None


def _one_run(run: _Whole) -> OneRun:
    where, head = run.where, run.where.head
    stopped = tuple(title_of_record(record) for record in where.stopped_in if record is not head)
    return OneRun(
        run.steps.trace_id,
        None if head is None else title_of_record(head),
        None if head is None else head.attributes.thread,
        where.figures,
        bool(where.stopped_in),
        stopped,
    )


@dataclass(slots=True)
class _Closer:
    """The steps of a run that are looked at closer, by their places."""

    run: _Whole
    wanted: set[int] = field(default_factory=set)
    seen: dict[int, list[Seen]] = field(default_factory=dict)

    def look(self, prepare: Prepare) -> None:
        run = self.run
        self.seen = look_closer(run.source, run.steps, run.where, self.wanted, prepare)

    def one_step(self, place: int) -> OneStep:
        """Describe a step."""
        marks = self.run.steps.marks
        seen = self.seen[place]
        ids = {one.record.span_id for one in seen}
        top = next((one for one in seen if one.record.parent_id not in ids), seen[0])
        number: int | None = place
        if self.run.steps.has_nodes:
            number = None
            if marks[place] & NODE:
                number = top.held.step
                if number is None:
                    number = self.run.steps.nodes_before(place)
        tokens = sum(
            (one.held.input_tokens or 0) + (one.held.output_tokens or 0)
            for one in seen
            if kind_of_record(one.record) == "model"
        )
        record = top.record
        return OneStep(number, title_of_record(record), kind_of_record(record), tokens)


def _difference(a: _Whole, b: _Whole, prepare: Prepare) -> Difference:
    found = parts(a.steps, b.steps)
    left, right = _Closer(a), _Closer(b)
    shown: list[Gap | Same] = []
    steps = more_differ = more_same = 0
    for part in found:
        size = 1 if isinstance(part, Same) else max(len(part.a), len(part.b))
        if steps > SHOWN:
            more_differ += 0 if isinstance(part, Same) else size
            more_same += 1 if isinstance(part, Same) else 0
            continue
        if isinstance(part, Gap) and size > SHOWN:
            more_differ += max(len(part.a) - SHOWN, len(part.b) - SHOWN)
            part = Gap(part.a[:SHOWN], part.b[:SHOWN])
            size = SHOWN
        steps += size
        shown.append(part)
        left.wanted.update((part.a,) if isinstance(part, Same) else part.a)
        right.wanted.update((part.b,) if isinstance(part, Same) else part.b)
    left.look(prepare)
    right.look(prepare)
    made = [step for part in shown for step in _steps(part, left, right)]
    end = _end(a.where.ends, b.where.ends)
    return Difference(made[0] if made else None, tuple(made[1:]), more_differ, more_same, end)


def _steps(part: Gap | Same, left: _Closer, right: _Closer) -> Iterator[StepDifference]:
    if isinstance(part, Same):
        yield StepDifference(left.one_step(part.a), right.one_step(part.b), ())
        return
    for i, j in _pairs(part, left, right):
        yield StepDifference(
            None if i is None else left.one_step(i),
            None if j is None else right.one_step(j),
            _changes(
                [] if i is None else left.seen[i],
                [] if j is None else right.seen[j],
            ),
        )


def _pairs(gap: Gap, left: _Closer, right: _Closer) -> list[tuple[int | None, int | None]]:
    """Pair the steps of a gap that are most alike, without crossing."""
    a, b = gap.a, gap.b
    if len(a) == len(b) or not a or not b or max(len(a), len(b)) > _PAIRED:
        both_ = min(len(a), len(b))
        pairs: list[tuple[int | None, int | None]] = list(zip(a, b, strict=False))
        return pairs + [(i, None) for i in a[both_:]] + [(None, j) for j in b[both_:]]
    ours = [_looks(left.seen[i]) for i in a]
    theirs = [_looks(right.seen[j]) for j in b]
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        for j in range(len(b) - 1, -1, -1):
            paired = best[i + 1][j + 1] + _likeness(ours[i], theirs[j])
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    found: list[tuple[int | None, int | None]] = []
    i = j = 0
    while i < len(a) and j < len(b):
        alike = _likeness(ours[i], theirs[j])
        if alike and best[i][j] == best[i + 1][j + 1] + alike:
            found.append((a[i], b[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            found.append((a[i], None))
            i += 1
        else:
            found.append((None, b[j]))
            j += 1
    return found + [(k, None) for k in a[i:]] + [(None, k) for k in b[j:]]


def _looks(seen: Sequence[Seen]) -> Counter[object]:
    """Return what a step looks like: its decisions, and more roughly its spans."""
    looks: Counter[object] = Counter()
    for one in seen:
        kind = kind_of_record(one.record)
        looks[kind, one.held.tool] += 2
        looks[_decided(one.record)] += 1
    return looks


def _likeness(a: Counter[object], b: Counter[object]) -> int:
    return (a & b).total()


def _decided(record: Record) -> tuple[Any, ...]:
    """Return what decided in a span, so that it can be compared."""
    kind = kind_of_record(record)
    name = record.name if kind == "other" else None
    return (record.type, error_of(record), name, TELLERS[kind](record.attributes))


def _changes(a: Sequence[Seen], b: Sequence[Seen]) -> tuple[Change, ...]:
    """Return the spans of a step that are not the same in both runs, in the order they started."""
    only_a, only_b = _without(a, b), _without(b, a)
    groups: dict[tuple[Kind, str], tuple[list[Seen], list[Seen]]] = {}
    for side, only in enumerate((only_a, only_b)):
        for one in only:
            key = kind_of_record(one.record), _name(one.record)
            groups.setdefault(key, ([], []))[side].append(one)
    changes: list[tuple[int, Change]] = []
    order = {id(one): number for only in (only_a, only_b) for number, one in enumerate(only)}
    for (kind, _), (ours, theirs) in groups.items():
        for first, second in _paired(kind, ours, theirs):
            what = () if first is None or second is None else _what(kind, first, second)
            at = min(order[id(one)] for one in (first, second) if one is not None)
            titles = [title_of_record(one.record) for one in (first, second) if one is not None]
            changes.append((at, Change(kind, titles[0], first, second, what)))
    changes.sort(key=lambda change: change[0])
    above_open = {
        one.record.parent_id for only in (a, b) for one in only if one.record.type == "start"
    }
    return tuple(
        change
        for _, change in changes
        if not (change.what == (ENDED,) and _is_open_in(change, above_open))
    )


def _name(record: Record) -> str:
    """Return what a span is paired by: not the name of a round or step, which may differ."""
    kind = kind_of_record(record)
    return kind if kind in ("model", "node") else title_of_record(record)


def _is_open_in(change: Change, ids: set[str | None]) -> bool:
    """Whether the span is open because of one below it."""
    return any(
        one is not None and one.record.type == "start" and one.record.span_id in ids
        for one in (change.a, change.b)
    )


def _without(seen: Sequence[Seen], others: Sequence[Seen]) -> list[Seen]:
    left = Counter(_decided(one.record) for one in others)
    only = []
    for one in seen:
        decided = _decided(one.record)
        if left[decided] > 0:
            left[decided] -= 1
        else:
            only.append(one)
    return only


def _paired(kind: Kind, a: list[Seen], b: list[Seen]) -> Iterator[tuple[Seen | None, Seen | None]]:
    """Pair spans of a kind and title, those first that differ in the least."""
    rest = list(b)
    for one in a:
        if not rest:
            yield one, None
            continue
        nearest = min(rest[:_PAIRED], key=lambda other: len(_what(kind, one, other)))
        rest.remove(nearest)
        yield one, nearest
    for other in rest:
        yield None, other


def _what(kind: Kind, a: Seen, b: Seen) -> tuple[str, ...]:
    """Name the decisions that differ between two spans of a kind."""
    differ = [
        label
        for label, fields in DECISIONS[kind].items()
        if any(_value(a, one) != _value(b, one) for one in fields)
    ]
    if a.record.type != b.record.type:
        # what it would have decided is not known
        return (*(one for one in differ if one in ("tool", "arguments", "turn")), ENDED)
    if error_of(a.record) != error_of(b.record):
        # a call that failed has no result
        return (*(one for one in differ if one != "result"), ERROR)
    return tuple(differ)


def _value(seen: Seen, name: str) -> object:
    return getattr(seen.record.attributes, name)


def told(seen: Seen, kind: Kind, label: str) -> str | None:
    """Return what a span tells of one of its decisions, as text; None if it does not.

    Content that is not captured is its digest, behind `#`.
    """
    if label == ENDED:
        return "never ended" if seen.record.type == "start" else "ended"
    if label == ERROR:
        error = error_of(seen.record)
        return "an error of no known type" if error == "" else error
    names = DECISIONS[kind][label]
    for name in ("arguments", *names) if label == "arguments" else names:
        value = getattr(seen.held, name)
        if value is None:
            continue
        if isinstance(value, frozenset):
            value = sorted(value)
        if isinstance(value, list | tuple):
            return ", ".join(value)
        return f"#{value}" if name.endswith("_digest") else str(value)
    return None


def _end(a: Mapping[Any, int], b: Mapping[Any, int]) -> RunEnd | None:
    if a == b:
        return None
    left, right = Counter(a), Counter(b)
    return RunEnd(
        tuple(_end_told(end) for end in left - right),
        tuple(_end_told(end) for end in right - left),
    )


def _end_told(end: tuple[str, bool, str | None]) -> str:
    name, is_open, error = end
    if is_open:
        how = "never ended"
    elif error is None:
        how = "ended well"
    else:
        how = f"failed: {error}" if error else "failed"
    return f"{name or 'the run'} {how}"
