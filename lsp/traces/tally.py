"""Decisions counted by rule, tool and phrase, with the latest of each.

Counts are kept by source (a file) as well, so that what a file told can be taken back when it is
removed or written anew. Not thread-safe: the index holds the lock.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from heapq import heappush, heappushpop, nlargest
from pathlib import PurePath
from typing import Literal, NamedTuple, TypeAlias

LATEST = 20
"""So many decisions are kept of each rule, tool and phrase."""

_KEYS = 20_000
_ENTRIES = 20_000
_THREADS = 4_096

Family: TypeAlias = Literal["rule", "tool", "phrase", "plan"]


@dataclass(frozen=True, slots=True)
class Counts:
    """How often a check answered what, or how often turns were read how."""

    allow: int = 0
    confirm: int = 0
    refuse: int = 0
    read: int = 0
    incomplete: int = 0
    ambiguous: int = 0
    unread: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return sum(getattr(self, name) for name in OUTCOMES)


OUTCOMES = tuple(each.name for each in fields(Counts))
_PLACES = {name: place for place, name in enumerate(OUTCOMES)}


@dataclass(frozen=True, slots=True)
class Decision:
    """A recorded decision and where it is recorded: `line` from 0, `offset` in bytes.

    `outcome` is a check's answer or a plan's verdict; what is not told is empty. Texts are clipped
    and hold no content.
    """

    time: datetime
    outcome: str
    tool: str
    rule: str
    decided_by: str
    reasons: tuple[str, ...]
    labels: tuple[str, ...]
    rules: tuple[str, ...]
    vocabulary: str
    language: str
    rule_file: str
    rule_line: int
    trace_id: str
    span_id: str
    thread: str
    path: str
    line: int
    offset: int


@dataclass(frozen=True, slots=True)
class Decisions:
    """What is recorded of one rule, tool or phrase: all counted, the latest told, newest first."""

    counts: Counts = Counts()
    latest: tuple[Decision, ...] = ()

    def __bool__(self) -> bool:
        return self.counts.total > 0


class Decided(NamedTuple):
    """A decision as a line of a trace tells it; `is_plan` says which of the two kinds it is."""

    is_plan: bool
    time: datetime
    outcome: str
    tool: str
    rule: str
    decided_by: str
    reasons: tuple[str, ...]
    labels: tuple[str, ...]
    rules: tuple[str, ...]
    vocabulary: str
    language: str
    rule_file: str
    rule_line: int
    trace_id: str
    span_id: str


class Thread(NamedTuple):
    """The conversation that a trace belongs to."""

    trace_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a line holds, with its place: bytes from the start of the block, lines from 0."""

    held: Decided | Thread
    offset: int
    line: int


class Key(NamedTuple):
    """Of what decisions are counted: `of` is the file of a rule, the vocabulary of a phrase."""

    family: Family
    name: str
    of: str


class _Entry(NamedTuple):
    """A kept decision; the first two fields order it, and no two are alike in both."""

    time: datetime
    number: int
    decided: Decided
    source: "Source"
    line: int
    offset: int


@dataclass(eq=False, slots=True)
class Source:
    """A file that decisions come from; `path` follows it where it is renamed."""

    path: str
    counts: "dict[Key, array[int]]" = field(default_factory=dict)


class _Kept:
    __slots__ = ("counts", "latest")

    def __init__(self) -> None:
        self.counts = _none()
        self.latest: list[_Entry] = []  # a heap, the oldest first


class Tally:
    """Counts of decisions, from all sources together."""

    def __init__(self) -> None:
        self._kept: dict[Key, _Kept] = {}
        self._of_name: dict[tuple[Family, str], list[Key]] = {}
        self._threads: dict[str, str] = {}
        self._number = 0
        self._entries = 0
        self._room = LATEST
        self.full = False

    def add(self, source: Source, decided: Decided, line: int, offset: int) -> None:
        """Count a decision."""
        place = _PLACES.get(decided.outcome)
        if place is None:
            return
        self._number += 1
        entry = _Entry(decided.time, self._number, decided, source, line, offset)
        for key in _keys(decided):
            kept = self._kept.get(key) or self._new(key)
            if kept is None:
                continue
            kept.counts[place] += 1
            own = source.counts.get(key)
            if own is None:
                own = source.counts[key] = _none()
            own[place] += 1
            if len(kept.latest) < self._room:
                heappush(kept.latest, entry)
                self._entries += 1
            else:
                heappushpop(kept.latest, entry)
        if self._entries > _ENTRIES and self._room > 1:
            self._make_room()

    def name_thread(self, thread: Thread) -> None:
        """Keep the conversation that a trace belongs to."""
        self._threads[thread.trace_id] = thread.name
        if len(self._threads) > _THREADS + 2 * self._entries:
            used = {entry.decided.trace_id for entry in self._all_latest()}
            recent = [*self._threads][-_THREADS // 2 :]
            used.update(recent)
            self._threads = {key: name for key, name in self._threads.items() if key in used}

    def remove(self, source: Source) -> bool:
        """Take back what a source told; return whether the latest of others are to be read again.

        That is where a rule, tool or phrase now has less of its latest than it has decisions.
        """
        short = False
        for key, counts in source.counts.items():
            kept = self._kept[key]
            for place, count in enumerate(counts):
                kept.counts[place] -= count
            left = [entry for entry in kept.latest if entry.source is not source]
            self._entries -= len(kept.latest) - len(left)
            left.sort()
            kept.latest = left
            total = sum(kept.counts)
            short = short or len(left) < min(self._room, total)
            if not total:
                del self._kept[key]
                others = self._of_name[key.family, key.name]
                others.remove(key)
                if not others:
                    del self._of_name[key.family, key.name]
        source.counts = {}
        return short

    def of(self, family: Family, name: str, of: str | None = None) -> Decisions:
        """Return what is counted under a name, of those it may belong to where that is told."""
        keys = self._of_name.get((family, name), ())
        if of is not None:
            keys = _belonging(family, keys, of)
        kept = [self._kept[key] for key in keys]
        if not kept:
            return Decisions()
        counts = map(sum, zip(*(each.counts for each in kept), strict=True))
        entries: Iterable[_Entry] = (entry for each in kept for entry in each.latest)
        latest = tuple(map(self._decision, nlargest(self._room, entries)))
        return Decisions(Counts(*counts), latest)

    def names(self, family: Family) -> list[str]:
        """Return the names under which decisions of a family are counted."""
        return [name for kind, name in self._of_name if kind == family]

    def _new(self, key: Key) -> _Kept | None:
        if len(self._kept) >= _KEYS:
            self.full = True
            return None
        kept = self._kept[key] = _Kept()
        self._of_name.setdefault((key.family, key.name), []).append(key)
        return kept

    def _make_room(self) -> None:
        """Keep half of the latest of each: a thousand names with twenty each are too many."""
        self._room //= 2
        for kept in self._kept.values():
            kept.latest = sorted(kept.latest)[-self._room :]
        self._entries = sum(len(kept.latest) for kept in self._kept.values())

    def _all_latest(self) -> Iterator[_Entry]:
        return (entry for kept in self._kept.values() for entry in kept.latest)

    def _decision(self, entry: _Entry) -> Decision:
        decided = entry.decided
        return Decision(
            time=decided.time.astimezone(UTC),
            outcome=decided.outcome,
            tool=decided.tool,
            rule=decided.rule,
            decided_by=decided.decided_by,
            reasons=decided.reasons,
            labels=decided.labels,
            rules=decided.rules,
            vocabulary=decided.vocabulary,
            language=decided.language,
            rule_file=decided.rule_file,
            rule_line=decided.rule_line,
            trace_id=decided.trace_id,
            span_id=decided.span_id,
            thread=self._threads.get(decided.trace_id, ""),
            path=entry.source.path,
            line=entry.line,
            offset=entry.offset,
        )


def _none() -> "array[int]":
    return array("Q", bytes(8 * len(OUTCOMES)))


def _keys(decided: Decided) -> Iterator[Key]:
    if decided.is_plan:
        yield Key("plan", "", decided.vocabulary)
        for rule in dict.fromkeys(decided.rules):
            yield Key("phrase", rule, decided.vocabulary)
        return
    if decided.tool:
        yield Key("tool", decided.tool, "")
    if decided.rule:
        yield Key("rule", decided.rule, decided.rule_file)


def _belonging(family: Family, keys: Iterable[Key], of: str) -> list[Key]:
    """Return the keys that belong to a file or a vocabulary; those that do not tell belong to all.

    A rule's file is told as its process knew it: relative, or of another machine. The same path is
    the best, then one that ends alike; where neither is, the name has to do.
    """
    keys = list(keys)
    if family != "rule":
        return [key for key in keys if key.of in ("", of)]
    untold = [key for key in keys if not key.of]
    told = [key for key in keys if key.of]
    alike = [(_alike(key.of, of), key) for key in told]
    best = max((length for length, _ in alike), default=0)
    if not best:
        return keys
    return untold + [key for length, key in alike if length == best]


def _alike(recorded: str, file: str) -> int:
    """Return how many of the last parts of two paths agree."""
    a, b = _parts(recorded), _parts(file)
    length = 0
    while length < min(len(a), len(b)) and a[-1 - length] == b[-1 - length]:
        length += 1
    return length


def _parts(path: str) -> tuple[str, ...]:
    return PurePath(path.replace("\\", "/")).parts
