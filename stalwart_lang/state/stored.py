"""A run's state read back from its store, and checked step by step.

Each checkpoint is compared with the one it goes on from: what is broken in it and was not before
is the doing of its step. Of our own runs, whose steps keep what they add, the parts are put
together on the way.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stalwart_lang.runs.history_token import Verification, known_keys
from stalwart_lang.state.history import token_of, verified
from stalwart_lang.state.messages import read_message
from stalwart_lang.state.run import WATCHED, RunState
from stalwart_lang.state.validate import validate_state
from stalwart_lang.state.view import is_run
from stalwart_lang.state.violations import Violation, violation
from stalwart_lang.timeline.stored.store import (
    INTERRUPT,
    Checkpoint,
    Kept,
    Store,
    no_such_thread,
    open_store,
)
from stalwart_lang.timeline.stored.unpack import unpack
from stalwart_lang.tracing.content import digest

_OF_RUNS = (*WATCHED, "calls", "turn", "phase")
_OF_GRAPHS = ("messages", "history", "history_token", "to_undo", "labels", "waiting", "__root__")
_RESUME, _INPUT = "__resume__", "__start__"
_FROM_OUTSIDE = ("input", "update")


@dataclass(frozen=True, slots=True)
class Broken:
    """A break, and the checkpoint whose step caused it."""

    violation: Violation
    checkpoint: str


@dataclass(frozen=True, slots=True)
class StoredCheck:
    """What came of checking a stored run: its breaks in the order of their steps, the first first.

    What comes after the first may be its consequence. `history` tells whether the tokens of the
    `entries` of its history were verified, None of a graph that keeps no such history.
    """

    thread: str
    steps: int
    entries: int
    history: Verification | None
    broken: tuple[Broken, ...]

    @property
    def violations(self) -> tuple[Violation, ...]:
        """The breaks alone."""
        return tuple(each.violation for each in self.broken)


def check_stored(
    url: str,
    thread: str,
    *,
    keys: Mapping[str, bytes] | None = None,
    anchors: Iterable[str] = (),
) -> StoredCheck:
    """Check a thread of a store.

    A history is verified by `keys`, or those known here. `anchors` are what spans hold as
    `stalwart.history_token`, kept outside of the store: a history of which the end was cut off
    lacks them. Without anchors that can only be told where the record of calls tells it.

    Raises BadStore and NoSuchThread, and BadKeys where keys are to be had and cannot.
    """
    with open_store(url) as store:
        check = _RunCheck(store, thread) if store.is_of_agent() else _Check(store, thread)
        checkpoints = check.walk()
        if not isinstance(check, _RunCheck):
            return StoredCheck(thread, len(checkpoints), 0, None, tuple(check.broken))
        known = known_keys() if keys is None else keys
        history = check.verify(checkpoints, known, anchors)
        order = {checkpoint.id: at for at, checkpoint in enumerate(checkpoints)}
        broken = sorted(check.broken, key=lambda each: order[each.checkpoint])
        return StoredCheck(thread, len(checkpoints), len(check.run.entries), history, tuple(broken))


def stored_state(url: str, thread: str) -> dict[str, Any]:
    """Return the state that a thread of a store has now, whole, as `validate_state` takes it.

    Raises BadStore and NoSuchThread.
    """
    with open_store(url) as store:
        if not store.is_of_agent():
            for last in deque(store.states(thread, ()), 1):
                return _values(last, _OF_GRAPHS)
            raise no_such_thread(store, thread)
        check = _RunCheck(store, thread)
        check.walk()
        return {**check.run.whole(), "thread": thread, "store": store.identity()}


@dataclass(slots=True)
class _Known:
    """What is known of a checkpoint by those that go on from it."""

    versions: Mapping[str, Any]
    values: Mapping[str, Any]
    broken: frozenset[tuple[str, ...]] = frozenset()
    ids: Sequence[str | None] = ()
    """Where it waits for a person, the ids of its messages; None of one that has none."""


class _Check:
    """Checks the checkpoints of a graph that keeps its state whole."""

    channels: Sequence[str] = _OF_GRAPHS

    def __init__(self, store: Store, thread: str) -> None:
        self.broken: list[Broken] = []
        self._store = store
        self._thread = thread
        self._known: dict[str, _Known] = {}
        self._forks = store.forks(thread)

    def walk(self) -> list[Checkpoint]:
        """Check all of them, in order, and return them. Raises NoSuchThread."""
        checkpoints: list[Checkpoint] = []
        paused = _paused(self._store, self._thread)
        for at, kept in enumerate(self._store.states(self._thread, self.channels)):
            checkpoint = kept.checkpoint
            checkpoints.append(checkpoint)
            step = checkpoint.step
            before = self._known.get(checkpoint.parent or "")
            if checkpoint.parent not in self._forks:  # nothing else goes on from it
                self._known.pop(checkpoint.parent or "", None)
            found = []
            # The oldest may go on from one that was tidied away.
            if before is None and checkpoint.parent is not None and at:
                found.append(_missing(checkpoint))
            known = self._take(checkpoint, kept, before or _Known({}, {}), found)
            if checkpoint.source in _FROM_OUTSIDE and checkpoint.parent in paused:
                there = before.ids if before else ()
                found[:0] = _in_pause(there, self._ids(kept), kept.read(_INPUT))
            if checkpoint.id in paused:
                known = replace(known, ids=self._ids(kept))
            self._known[checkpoint.id] = known
            for each in found:
                at_step = each.at_step(step if isinstance(step, int) else None)
                self.broken.append(Broken(at_step, checkpoint.id))
        if not checkpoints:
            raise no_such_thread(self._store, self._thread)
        return checkpoints

    def _take(
        self,
        checkpoint: Checkpoint,  # noqa: ARG002
        kept: Kept,
        before: _Known,
        found: list[Violation],
    ) -> _Known:
        changed = _changed(kept, before, self.channels)
        if not changed:
            return replace(before, versions=kept.versions, ids=())
        values = _values(kept, self.channels)
        root = values.get("__root__")
        every = validate_state(values if root is None else root)
        found += [each for each in every if each.same not in before.broken]
        return _Known(kept.versions, {}, frozenset(each.same for each in every))

    def _ids(self, kept: Kept) -> list[str | None]:
        held = kept.read("__root__" if "__root__" in kept.versions else "messages")
        return [read_message(message).id for message in held] if isinstance(held, list) else []


class _RunCheck(_Check):
    """Checks the checkpoints of a run of ours, of which each keeps what its step added."""

    channels = _OF_RUNS

    def __init__(self, store: Store, thread: str) -> None:
        super().__init__(store, thread)
        self.run = RunState()
        self.owners: list[str] = []
        """The checkpoint that added each entry of the history."""
        self._tip: str | None = None
        self._written = _written_entries(store, thread)
        self._steps: dict[str, tuple[str | None, Mapping[str, Any], frozenset[str]]] = {}

    def _take(
        self, checkpoint: Checkpoint, kept: Kept, before: _Known, found: list[Violation]
    ) -> _Known:
        changed = frozenset(_changed(kept, before, self.channels))
        values = {**before.values, **_values(kept, changed)}
        self._steps[checkpoint.id] = (checkpoint.parent, values, changed)
        if checkpoint.parent != self._tip and self._tip is not None:
            self._go_back_to(checkpoint.parent)
        self._tip = checkpoint.id
        count = len(self.run.entries)
        found += self.run.take(values, changed)
        added = self.run.entries[count:]
        self.owners += [checkpoint.id] * len(added)
        wrote = self._written.get(checkpoint.parent or "")
        # Of a checkpoint that several go on from, the writes are of one of them.
        alone = checkpoint.parent not in self._forks
        if alone and "entries" in changed and wrote is not None and wrote != added:
            found.append(
                violation("history_token_invalid", "two_versions", f"history[{count}]", str(count))
            )
        return _Known(kept.versions, values)

    def _ids(self, kept: Kept) -> list[str | None]:  # noqa: ARG002
        return [read_message(message).id for message in self.run.messages]

    def _go_back_to(self, checkpoint: str | None) -> None:
        """Put the state of a checkpoint together again, where the run took another way from it."""
        line = []
        while checkpoint is not None and checkpoint in self._steps:
            line.append(checkpoint)
            checkpoint = self._steps[checkpoint][0]
        self.run, self.owners = RunState(), []
        for each in reversed(line):
            _, values, changed = self._steps[each]
            count = len(self.run.entries)
            self.run.take(values, changed)
            self.owners += [each] * (len(self.run.entries) - count)

    def verify(
        self,
        checkpoints: Sequence[Checkpoint],
        keys: Mapping[str, bytes],
        anchors: Iterable[str],
    ) -> Verification:
        """Verify the history, and add what is broken in it."""
        entries = self.run.entries
        whole = [entry if isinstance(entry, Mapping) else {} for entry in entries]
        came, broken = verified(whole, self._thread, self._store.identity(), keys)
        steps = {each.id: each.step for each in checkpoints}
        last = checkpoints[-1].id

        def add(found: Violation, checkpoint: str) -> None:
            step = steps.get(checkpoint)
            found = found.at_step(step if isinstance(step, int) else None)
            if found.same not in {each.violation.same for each in self.broken}:
                self.broken.append(Broken(found, checkpoint))

        if broken is not None and came.at is not None:
            add(broken, self.owners[came.at])
        for cut in self._cut_off(anchors):
            add(cut, last)
        return came

    def _cut_off(self, anchors: Iterable[str]) -> Iterator[Violation]:
        """Yield what tells that the end of the history is not there."""
        count = len(self.run.entries)
        where = f"history[{count}]"
        # A call is on record before its entry is: one may be ahead of the history, no more.
        for call, step in self._store.calls(self._thread):
            if step > count:
                yield violation(
                    "history_token_invalid",
                    "cut_by_record",
                    where,
                    str(step),
                    call,
                    step=step,
                    count=count,
                )
                break
        known = {digest(token_of(entry)) for entry in self.run.entries}
        for anchor in dict.fromkeys(anchors):
            if anchor not in known:
                yield violation("history_token_invalid", "cut_by_anchor", where, digest=anchor)
                break


def _missing(checkpoint: Checkpoint) -> Violation:
    where = f"checkpoint {checkpoint.id}"
    return violation("history_broken", "checkpoint_missing", where, parent=checkpoint.parent)


def _changed(kept: Kept, before: _Known, channels: Sequence[str]) -> list[str]:
    return [
        name
        for name in channels
        if name in kept.versions and kept.versions[name] != before.versions.get(name)
    ]


def _values(kept: Kept, channels: Collection[str]) -> dict[str, Any]:
    return {name: kept.read(name) for name in channels if name in kept.versions}


def _in_pause(
    there: Sequence[str | None], now: Sequence[str | None], given: object
) -> Iterator[Violation]:
    """Yield the messages that came from outside while a pause was open.

    `given` is an input, which is kept as it came in: the next step adds it.
    """
    known = set(there)
    added = [
        (at, identity)
        for at, identity in enumerate(now)
        if (identity not in known if identity is not None else at >= len(there))
    ]
    if given is not None:
        held = given.get("messages") if isinstance(given, Mapping) else given
        came = held if isinstance(held, list) else [held] if held else []
        if isinstance(given, Mapping) and is_run(given):
            came = [given.get("turn")]
        added = list(enumerate((read_message(each).id for each in came), len(there)))
    for at, identity in added:
        yield violation("message_after_interrupt", "paused", f"messages[{at}]", identity)


@dataclass(slots=True)
class _Task:
    answered: bool = False
    ended: bool = False


def _paused(store: Store, thread: str) -> set[str]:
    """Return the checkpoints at which a task waits for a person, and was never gone on with.

    A pause stays written after it is answered; then the answer is there too, and what the task
    wrote when it ended.
    """
    tasks: dict[tuple[str, str], _Task] = {}
    for checkpoint, identity, channel in store.paused_tasks(thread):
        task = tasks.setdefault((checkpoint, identity), _Task())
        if channel == INTERRUPT:
            continue
        if channel == _RESUME:
            task.answered = True
        else:
            task.ended = True
    return {
        checkpoint for (checkpoint, _), task in tasks.items() if not (task.answered and task.ended)
    }


def _written_entries(store: Store, thread: str) -> dict[str, list[Any]]:
    """Return the entries that were written after each checkpoint, as the writes have them."""
    found: dict[str, list[Any]] = {}
    for write in store.writes(thread, ("entries",)):
        held = unpack(write.kind, write.value)
        found[write.checkpoint] = held if isinstance(held, list) else [held]
    return found


def state_bytes(url: str, thread: str) -> int:
    """Return how many bytes `check_stored` has to read, at most. Raises BadStore."""
    with open_store(url) as store:
        return store.state_bytes(thread)
