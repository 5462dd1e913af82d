"""A run's state read back from its store, and checked step by step.

Each checkpoint is compared with the one it goes on from: what is broken in it and was not before
is the doing of its step. Of our own runs, whose steps keep what they add, the parts are put
together on the way.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stalwart_lang.runs.history_token import Keys, Verification, known_keys, next_token
from stalwart_lang.runs.state import NODE
from stalwart_lang.state.history import step_of, token_of, verified
from stalwart_lang.state.messages import read_message
from stalwart_lang.state.run import WATCHED, RunState
from stalwart_lang.state.shown import Shown, ShownStep, record_breaks, undo_breaks
from stalwart_lang.state.validate import validate_state
from stalwart_lang.state.view import is_run
from stalwart_lang.state.violations import Violation, violation
from stalwart_lang.timeline.stored.store import (
    INTERRUPT,
    BadStore,
    Checkpoint,
    Kept,
    RecordedCall,
    Store,
    no_such_thread,
    node_of,
    open_store,
)
from stalwart_lang.timeline.stored.unpack import UNDECODABLE, unpack
from stalwart_lang.tracing.content import digest

_ACT = "act"
_OF_RUNS = (*WATCHED, "calls", "turn", "phase", _ACT)
_COPIED = ("messages", "entries", "to_undo", "labels", "calls", _ACT)
"""Channels whose value in a state is compared with what the step wrote."""
_PLANS = frozenset(("calls", "to_undo"))
_OF_GRAPHS = ("messages", "history", "history_token", "to_undo", "labels", "waiting", "__root__")
_RESUME, _INPUT = "__resume__", "__start__"
_FROM_OUTSIDE = ("input", "update")
_NODES = (NODE, _INPUT, "")
"""The nodes that write in a run of ours; what LangGraph itself writes is of none."""
_HISTORY = ("history_broken", "history_token_invalid")
_MOST_REPLAYED = 1_000_000
"""Steps that are gone through again because the run took another way; more take minutes."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A break, and the checkpoint whose step caused it."""

    violation: Violation
    checkpoint: str


@dataclass(frozen=True, slots=True)
class StoredCheck:
    """What came of checking a stored run: its breaks in the order of their steps, the first first.

    What comes after the first may be its consequence. `history` tells whether the tokens of the
    `entries` of its history were verified, None of a graph that keeps no such history. It is broken
    too where the tokens fit and what the store shows beside the history is something else.
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
        check = _RunCheck(store, thread) if _is_run(store, thread) else _Check(store, thread)
        checkpoints = check.walk()
        if not isinstance(check, _RunCheck):
            return StoredCheck(thread, len(checkpoints), 0, None, tuple(check.broken))
        known = known_keys() if keys is None else keys
        history = check.verify(checkpoints, known, anchors)
        order = {checkpoint.id: at for at, checkpoint in enumerate(checkpoints)}
        # What the tokens tell stands before what they are compared with, at the same step.
        found = [*check.broken, *check.beside]
        broken = sorted(found, key=lambda each: order[each.checkpoint])
        worst = next((each for each in broken if each.violation.kind in _HISTORY), None)
        if history.verdict != "broken" and worst is not None:
            history = Verification("broken", history.at, worst.violation.message)
        return StoredCheck(thread, len(checkpoints), len(check.run.entries), history, tuple(broken))


def stored_state(url: str, thread: str) -> dict[str, Any]:
    """Return the state that a thread of a store has now, whole, as `validate_state` takes it.

    Raises BadStore and NoSuchThread.
    """
    with open_store(url) as store:
        if not _is_run(store, thread):
            for last in deque(store.states(thread, ()), 1):
                return _values(last, _OF_GRAPHS)
            raise no_such_thread(store, thread)
        check = _RunCheck(store, thread)
        check.walk()
        return {**check.run.whole(), "thread": thread, "store": store.identity()}


def _is_run(store: Store, thread: str) -> bool:
    """Whether a thread is a run of ours; a store may hold other graphs' threads too."""
    if is_run(store.newest_versions(thread)):
        return True
    return store.is_of_agent() and store.holds_calls_of(thread)


@dataclass(slots=True)
class _Known:
    """What is known of a checkpoint by those that go on from it."""

    versions: Mapping[str, Any]
    values: Mapping[str, Any]
    broken: frozenset[tuple[str, ...]] = frozenset()
    ids: Sequence[str | None] = ()
    """Where it waits for a person, the ids of its messages; None of one that has none."""
    step: Any = None


class _Check:
    """Checks the checkpoints of a graph that keeps its state whole."""

    channels: Sequence[str] = _OF_GRAPHS

    def __init__(self, store: Store, thread: str) -> None:
        self.broken: list[Broken] = []
        self._store = store
        self._thread = thread
        self._known: dict[str, _Known] = {}
        self._forks = store.forks(thread)
        self._all: frozenset[str] | None = None

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
            if before is None and checkpoint.parent is not None:
                if checkpoint.parent in self._every():
                    found.append(_without_parent("parent_not_before", checkpoint))
                elif at:
                    found.append(_without_parent("checkpoint_missing", checkpoint))
            known = self._take(checkpoint, kept, before or _Known({}, {}), found)
            if checkpoint.source in _FROM_OUTSIDE and checkpoint.parent in paused:
                there = before.ids if before else ()
                found[:0] = _in_pause(there, self._ids(kept), kept.read(_INPUT))
            if checkpoint.id in paused:
                known = replace(known, ids=self._ids(kept))
            known.step = step
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

    def _every(self) -> frozenset[str]:
        """Return the ids of all checkpoints of the thread."""
        if self._all is None:
            self._all = frozenset(each.id for each in self._store.checkpoints(self._thread))
        return self._all

    def _ids(self, kept: Kept) -> list[str | None]:
        held = kept.read("__root__" if "__root__" in kept.versions else "messages")
        return [read_message(message).id for message in held] if isinstance(held, list) else []


@dataclass(frozen=True, slots=True)
class _Done:
    """What a step of a run left: the channels, those that it changed, and what came before it."""

    parent: str | None
    values: Mapping[str, Any]
    changed: frozenset[str]
    token: str | None
    """The history's token before it."""
    added: Sequence[Any]


class _RunCheck(_Check):
    """Checks the checkpoints of a run of ours, of which each keeps what its step added."""

    channels = _OF_RUNS

    def __init__(self, store: Store, thread: str) -> None:
        super().__init__(store, thread)
        self.run = RunState()
        self.owners: list[str] = []
        """The checkpoint that added each entry of the history."""
        self._tip: str | None = None
        self.beside: list[Broken] = []
        """Where what the store shows beside the history is something else."""
        self._written = _Written(store, thread, (*_COPIED, INTERRUPT))
        self._shown = Shown()
        self._steps: dict[str, _Done] = {}
        self._line: set[str] = set()
        self._replayed = 0
        self._of_forks: dict[str, list[ShownStep]] = {}
        """Of checkpoints that several go on from, the steps of these: one did what is shown."""

    def _take(
        self, checkpoint: Checkpoint, kept: Kept, before: _Known, found: list[Violation]
    ) -> _Known:
        changed = frozenset(_changed(kept, before, self.channels))
        values = {**before.values, **_values(kept, changed)}
        parent = checkpoint.parent if checkpoint.parent in self._steps else None
        if parent != self._tip and self._tip is not None:
            self._go_back_to(parent)
        self._tip = checkpoint.id
        self._line.add(checkpoint.id)
        count, token = len(self.run.entries), _last_token(self.run.entries)
        found += self.run.take(values, changed)
        added = self.run.entries[count:]
        self._steps[checkpoint.id] = _Done(parent, values, changed, token, added)
        self.owners += [checkpoint.id] * len(added)
        if parent is not None:
            found += self._copy_breaks(checkpoint, kept, before, count)
            self._beside(self._shown_breaks(checkpoint, before, count), checkpoint)
        pauses = [
            pause
            for held in self._written.after(checkpoint.id).get(INTERRUPT, ())
            for pause in (held if isinstance(held, list) else [held])
        ]
        self._beside(self._shown.pauses(checkpoint.id, pauses), checkpoint)
        return _Known(kept.versions, values)

    def _beside(self, found: Iterable[Violation], checkpoint: Checkpoint) -> None:
        step = checkpoint.step if isinstance(checkpoint.step, int) else None
        self.beside += [Broken(each.at_step(step), checkpoint.id) for each in found]

    def _copy_breaks(
        self, checkpoint: Checkpoint, kept: Kept, before: _Known, count: int
    ) -> Iterator[Violation]:
        """Yield where what a step wrote and what its checkpoint keeps are not the same."""
        done = self._steps[checkpoint.id]
        if isinstance(before.step, int) and checkpoint.step != before.step + 1:
            where = f"checkpoint {checkpoint.id}"
            words = {"found": checkpoint.step, "expected": before.step + 1}
            yield violation("history_broken", "other_step", where, **words)
        # Of a checkpoint that several go on from, the writes are of one of them.
        if checkpoint.source == "input" or checkpoint.parent in self._forks:
            return
        wrote = self._written.after(str(checkpoint.parent))
        for name in _COPIED:
            there = wrote.get(name, ())
            if not there and name not in done.changed:
                continue
            held = done.values.get(name) if name in kept.versions else None
            if held is UNDECODABLE:
                yield violation("history_broken", "undecodable", name)
                continue
            if any(_same(each, held) for each in there):
                continue
            if name == "entries":
                place = f"history[{count}]"
                yield violation("history_token_invalid", "two_versions", place, str(count))
            else:
                yield violation("history_broken", "copies_differ", name)

    def _shown_breaks(
        self, checkpoint: Checkpoint, before: _Known, count: int
    ) -> Iterator[Violation]:
        """Yield where what a step shows, and what was planned for it, is not its history."""
        parent, done = str(checkpoint.parent), self._steps[checkpoint.id]
        outside = checkpoint.source == "input"
        acts = () if outside else self._written.after(parent).get(_ACT, ())
        if parent in self._forks:
            shown = ShownStep(checkpoint.id, parent, acts, done.added, count, before.values, {})
            self._of_forks.setdefault(parent, []).append(shown)
            self._shown.unknown(checkpoint.id)
            return
        self._written.forget(parent)
        if not (acts or done.added or done.changed & _PLANS or self._shown.waits(parent)):
            return
        changed = {name: done.values[name] for name in done.changed if name in done.values}
        shown = ShownStep(checkpoint.id, parent, acts, done.added, count, before.values, changed)
        if not outside:
            yield from self._shown.take(shown)
        elif done.added:  # a timeline shows no acts of what came in
            yield from self._shown.take(replace(shown, before={}))
        there, now = before.values.get("to_undo"), changed.get("to_undo")
        if isinstance(now, list) and not (isinstance(there, list) and len(now) < len(there)):
            yield from undo_breaks(now, self.run.entries)

    def _ids(self, kept: Kept) -> list[str | None]:  # noqa: ARG002
        return [read_message(message).id for message in self.run.messages]

    def _go_back_to(self, checkpoint: str | None) -> None:
        """Put the state of a checkpoint together again, where the run took another way from it.

        Raises BadStore where that is done so often that the check would not end.
        """
        line = []
        while checkpoint is not None:
            line.append(checkpoint)
            checkpoint = self._steps[checkpoint].parent
        self._replayed += len(line)
        if self._replayed > _MOST_REPLAYED:
            raise BadStore(f"the thread {self._thread} has too many branches to be checked")
        self.run, self.owners, self._line = RunState(), [], set(line)
        for each in reversed(line):
            done = self._steps[each]
            count = len(self.run.entries)
            self.run.take(done.values, done.changed)
            self.owners += [each] * (len(self.run.entries) - count)

    def verify(
        self,
        checkpoints: Sequence[Checkpoint],
        keys: Mapping[str, bytes],
        anchors: Iterable[str],
    ) -> Verification:
        """Verify the history, and add what is broken in it."""
        entries = self.run.entries
        steps = {each.id: each.step for each in checkpoints}
        last = checkpoints[-1].id

        def add(found: Violation, checkpoint: str) -> None:
            step = steps.get(checkpoint)
            found = found.at_step(step if isinstance(step, int) else None)
            if found.same not in {each.violation.same for each in self.broken}:
                self.broken.append(Broken(found, checkpoint))

        if lacking := self._store.lacking():
            told = violation("history_broken", "no_tables", "history", tables=", ".join(lacking))
            add(told, checkpoints[0].id)
            return Verification("not verified", message="the store has no id")
        identity = self._store.identity()
        whole = [entry if isinstance(entry, Mapping) else {} for entry in entries]
        came, broken = verified(whole, self._thread, identity, keys)
        if broken is not None and came.at is not None:
            add(broken, self.owners[came.at])
        others = [(each, step) for each, step in self._steps.items() if each not in self._line]
        for checkpoint, done in others:
            for other in _link_breaks(done, self._thread, identity, keys):
                add(other, checkpoint)
        calls = self._store.calls(self._thread)
        for cut in self._cut_off(calls, anchors):
            add(cut, last)
        self._beside_history(checkpoints, calls, [e for _, done in others for e in done.added])
        return came

    def _beside_history(
        self, checkpoints: Sequence[Checkpoint], calls: Sequence[RecordedCall], others: list[Any]
    ) -> None:
        """Compare the whole history with the record of calls, and with what forks show."""
        by_id = {each.id: each for each in checkpoints}
        for at, found in record_breaks(calls, self.run.entries, others):
            self._beside([found], checkpoints[-1] if at is None else by_id[self.owners[at]])
        for ways in self._of_forks.values():
            came = [list(Shown().take(replace(way, parent=None))) for way in ways]
            if all(came):
                self._beside(came[0], by_id[ways[0].checkpoint])
        made = {done.parent: each for each, done in self._steps.items()}
        for checkpoint, path in self._store.paths(self._thread):
            node = node_of(path)
            if node not in _NODES:
                found = violation("history_broken", "another_node", "task_path", node=node)
                self._beside([found], by_id.get(made.get(checkpoint, ""), checkpoints[-1]))

    def _cut_off(
        self, calls: Iterable[RecordedCall], anchors: Iterable[str]
    ) -> Iterator[Violation]:
        """Yield what tells that the end of the history is not there."""
        count = len(self.run.entries)
        where = f"history[{count}]"
        # A call is on record before its entry is: one may be ahead of the history, no more.
        for call in calls:
            if call.step > count:
                yield violation(
                    "history_token_invalid",
                    "cut_by_record",
                    where,
                    str(call.step),
                    call.id,
                    step=call.step,
                    count=count,
                )
                break
        known = {digest(token_of(entry)) for entry in self.run.entries}
        for anchor in dict.fromkeys(anchors):
            if anchor not in known:
                yield violation("history_token_invalid", "cut_by_anchor", where, digest=anchor)
                break


def _without_parent(sentence: str, checkpoint: Checkpoint) -> Violation:
    where = f"checkpoint {checkpoint.id}"
    return violation("history_broken", sentence, where, parent=checkpoint.parent)


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


class _Written:
    """What was written after each checkpoint, by channel; asked for in the checkpoints' order."""

    def __init__(self, store: Store, thread: str, channels: Sequence[str]) -> None:
        self._rows = store.writes(thread, channels)
        self._next = next(self._rows, None)
        self._held: dict[str, dict[str, list[Any]]] = {}

    def after(self, checkpoint: str) -> Mapping[str, Sequence[Any]]:
        """Return what was written after a checkpoint, or after one before it."""
        while self._next is not None and self._next.checkpoint <= checkpoint:
            held = self._held.setdefault(self._next.checkpoint, {})
            value = unpack(self._next.kind, self._next.value)
            held.setdefault(self._next.channel, []).append(value)
            self._next = next(self._rows, None)
        return self._held.get(checkpoint, {})

    def forget(self, checkpoint: str) -> None:
        """Let go of what was written after a checkpoint."""
        self._held.pop(checkpoint, None)


def _link_breaks(
    done: _Done, thread: str, store: str, keys: Mapping[str, bytes]
) -> Iterator[Violation]:
    """Yield the entries of a step that the run went back over whose tokens do not fit."""
    before = done.token
    for entry in done.added:
        token = token_of(entry)
        identity = (token or "").partition(":")[0]
        if token is None or identity in keys:
            bare = (
                {name: value for name, value in entry.items() if name != "token"} if token else {}
            )
            made = next_token(Keys(identity, keys), thread, store, before, bare) if token else None
            if token != made or token is None:
                at = str(step_of(entry))
                sentence = "token_does_not_fit" if token else "entry_without_token"
                yield violation("history_token_invalid", sentence, f"history[{at}]", at)
        before = token


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) or digest(one) == digest(other)  # NaN is not equal to itself


def _last_token(entries: Sequence[Any]) -> str | None:
    return token_of(entries[-1]) if entries else None


def state_bytes(url: str, thread: str) -> int:
    """Return how many bytes `check_stored` has to read, at most. Raises BadStore."""
    with open_store(url) as store:
        return store.state_bytes(thread)
