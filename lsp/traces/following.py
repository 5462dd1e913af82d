"""Finding traces and reading what is new of them, in a thread of its own.

It works in slices of a millisecond and rests as long between two of them, so that whoever types
does not wait for it; of many traces the latest are read first. Files are looked at by their size
and time of change, whoever tells that they changed or not.
"""

import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import nlargest
from pathlib import Path
from typing import Literal, TypeAlias

from stalwart_lang.lsp.traces.finding import Places, head_of, looks_like_a_trace
from stalwart_lang.lsp.traces.index import TraceIndex
from stalwart_lang.lsp.traces.tailing import Block, Identity, Replaced, Tail, identity_of
from stalwart_lang.lsp.traces.tally import Found, Source, Tally

_SLICE, _REST = 0.001, 0.001
"""Seconds of work between two rests, and of a rest, which lasts as long as the work at least."""

_REST_FOR_TYPING, _GIVES_WAY = 0.008, 0.5
"""The same while somebody types, and how many seconds that is taken to last."""

_FILES, _SNIFFED = 2_000, 10_000
_TURN = 2**24
"""Bytes that are read of one file before the others have their turn."""

_LOOKS_EVERY, _LOOKS_EVERY_IDLE = 0.25, 1.0
_WARM, _COLD = 5.0, 600.0
"""Seconds since a file grew in which all are looked at often, and after which it is less often."""
_COLD_EVERY = 10
SEARCHES_EVERY, SEARCHES_EVERY_WATCHED = 10.0, 120.0
"""Seconds between two searches for new files: where nobody tells of them, where a client does."""
_SEARCH_SHARE = 50
_PUBLISHES_EVERY = 0.5

_log = logging.getLogger(__name__)

Trouble: TypeAlias = Literal["unreadable", "many_entries", "many_files", "many_names", "extra"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the reading is: bytes read of those there are; `done` where it has caught up."""

    read: int
    total: int
    files: int
    done: bool


@dataclass(eq=False, slots=True)
class _File:
    """A trace that is followed; `grew` is when, by the clock of `time.monotonic`."""

    tail: Tail
    source: Source
    grew: float
    size: int
    unreadable: bool = False
    left: bool = True


@dataclass(slots=True)
class _Asked:
    """What others asked of the thread since it last looked."""

    places: Places | None = None
    paths: set[Path] = field(default_factory=set)


class _Stopped(Exception):
    """Raised in the thread when it is to end."""


class Follower:
    """Follows traces for an index, from `start` to `stop`.

    `tell` is called in its thread where something is wrong, once for each trouble and file or
    folder that it is about; `on_progress` whenever it got further.
    """

    def __init__(
        self,
        index: TraceIndex,
        places: Places,
        *,
        tell: Callable[[Trouble, str, str], None],
        on_progress: Callable[[Progress], None],
        searches_every: float = SEARCHES_EVERY,
    ) -> None:
        self._index = index
        self._tally = Tally()
        index.show(self._tally)
        self._anew = False  # whether all is read again, into a tally that is not shown before
        self._gives_way_until = 0.0
        self._places = places
        self._tell = tell
        self._on_progress = on_progress
        self._searches_every = searches_every
        self._files: dict[Identity, _File] = {}
        self._no_traces: dict[Path, tuple[int, int]] = {}
        self._undecided: dict[Path, float] = {}
        self._told: set[tuple[str, str]] = set()
        self._search_at = 0.0
        self._round = 0
        self._slice_began = 0.0
        self._published, self._published_at = index.version, 0.0
        self._progress, self._progress_at = Progress(0, 0, 0, done=False), 0.0
        self._caught_up = False
        self._lock = threading.Lock()
        self._asked = _Asked()
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stalwart-traces", daemon=True)

    def start(self) -> None:
        """Begin, in the thread."""
        self._thread.start()

    def stop(self, *, wait: bool = True) -> None:
        """End, and wait until it has; what was counted stays."""
        self._stopping.set()
        self._wake.set()
        if wait and self._thread.is_alive():
            self._thread.join(timeout=2)

    def move(self, places: Places) -> None:
        """Follow the traces at other places from now on."""
        with self._lock:
            self._asked.places = places
        self._wake.set()

    def changed(self, paths: Iterable[Path]) -> None:
        """Look at these files now: they were made, written or removed."""
        with self._lock:
            self._asked.paths.update(paths)
        self._wake.set()

    def give_way(self) -> None:
        """Rest more for a moment: somebody is typing."""
        self._gives_way_until = time.monotonic() + _GIVES_WAY

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.take_a_round()
            except _Stopped:
                return
            except ModuleNotFoundError as error:
                self._say("extra", error.name or "")
                return
            except Exception:  # a round that fails must not be the last one
                _log.exception("A round over the traces failed")
            self._wake.wait(self._until_the_next())
            self._wake.clear()

    def take_a_round(self) -> None:
        """Find what is new and read it, once: what the thread does again and again."""
        from stalwart_lang.lsp.traces.decisions import decisions_in  # it needs the extra `trace`

        self._decisions_in: Callable[[bytes, int, int], Iterator[Found]] = decisions_in
        with self._lock:
            asked, self._asked = self._asked, _Asked()
        self._round += 1
        if asked.places is not None and asked.places != self._places:
            self._places = asked.places
            for file in [*self._files.values()]:
                if not self._places.match(file.tail.path):
                    self._forget(file)
            self._search_at = 0.0
        now = time.monotonic()
        self._undecided = {path: until for path, until in self._undecided.items() if until > now}
        for path in sorted(asked.paths.union(self._undecided)):
            if self._places.match(path):
                self._meet(path)
        if time.monotonic() >= self._search_at:
            self._find()
        self._look_at_all(asked.paths)
        if self._anew:
            self._anew = False
            self._index.show(self._tally)
        self._caught_up = True
        self._publish(done=True)

    def _until_the_next(self) -> float:
        last = max((file.grew for file in self._files.values()), default=0.0)
        if self._index.version != self._published or time.monotonic() - last < _WARM:
            return _LOOKS_EVERY
        return _LOOKS_EVERY_IDLE

    def _find(self) -> None:
        """Look for traces, of very many files in those that changed last."""
        began = time.monotonic()

        def changed_files() -> Iterator[tuple[int, Path]]:
            for path in self._places.files(
                lambda where: self._say("many_entries", where), self._rest
            ):
                status = _status(path)
                if status is not None and stat.S_ISREG(status.st_mode):
                    known = self._no_traces.get(path)
                    if known != (status.st_size, status.st_mtime_ns):
                        yield status.st_mtime_ns, path

        for _, path in nlargest(_SNIFFED, changed_files()):
            self._rest()
            self._meet(path)
        took = time.monotonic() - began
        self._search_at = time.monotonic() + max(self._searches_every, _SEARCH_SHARE * took)

    def _meet(self, path: Path) -> None:
        """Follow a file from now on, if it is a trace and is not followed yet."""
        status = _status(path)
        if status is None or not stat.S_ISREG(status.st_mode):
            return
        known = self._files.get(identity_of(status))
        if known is not None:
            there = _status(known.tail.path)
            if there is None or identity_of(there) != known.tail.identity:
                known.tail.path = path  # it was renamed
                known.source.path = str(path)
            return
        try:
            is_trace = looks_like_a_trace(head_of(path))
        except OSError as error:
            self._say("unreadable", str(path), error.strerror or str(error))
            return
        if is_trace is None:
            self._decide_later(path)
            return
        if not is_trace:
            if len(self._no_traces) >= _SNIFFED:
                self._no_traces.clear()
            self._no_traces[path] = (status.st_size, status.st_mtime_ns)
            return
        self._no_traces.pop(path, None)
        self._undecided.pop(path, None)
        if len(self._files) >= _FILES:
            self._say("many_files", str(_FILES))
            return
        grew = time.monotonic() - max(0.0, time.time() - status.st_mtime)
        self._add(path, identity_of(status), grew, status.st_size)

    def _decide_later(self, path: Path) -> None:
        """Look again at each round, for some time: the file is empty, or is just being replaced."""
        if len(self._undecided) < _FILES:
            self._undecided.setdefault(path, time.monotonic() + _COLD)

    def _add(self, path: Path, identity: Identity, grew: float, size: int) -> None:
        self._files[identity] = _File(Tail(path, identity), Source(str(path)), grew, size)

    def _look_at_all(self, asked: set[Path]) -> None:
        """Read what is new of all files, the latest first, each in turn until all are read."""
        now = time.monotonic()
        wanted = [
            file
            for file in self._files.values()
            if file.left
            or self._round % _COLD_EVERY == 0
            or now - file.grew < _COLD
            or file.tail.path in asked
        ]
        while wanted:
            wanted.sort(key=lambda file: -file.grew)
            for file in wanted:
                self._rest()
                if self._files.get(file.tail.identity) is file:
                    self._look_at(file)
            wanted = [file for file in self._files.values() if file.left and not file.unreadable]

    def _look_at(self, file: _File) -> None:
        try:
            change = file.tail.look()
            if change == "none" and not file.left:
                if (last := file.tail.take_last()) is not None:
                    self._count(file, last)
            elif change in ("none", "grown"):
                self._read(file)
            else:
                self._lost(file)
            file.unreadable = False
        except Replaced:
            self._lost(file)
        except OSError as error:
            file.left = False
            file.unreadable = True
            self._say("unreadable", str(file.tail.path), error.strerror or str(error))

    def _read(self, file: _File) -> None:
        """Read what is new of a file, as far as its turn goes."""
        began = file.tail.offset
        for block in file.tail.read():
            self._count(file, block)
            file.grew = max(file.grew, time.monotonic() if self._caught_up else 0.0)
            self._rest()
            if file.tail.offset - began > _TURN:
                file.left = True
                break
        else:
            file.left = False
        file.size = max(file.size, file.tail.offset)

    def _count(self, file: _File, block: Block) -> None:
        found = [*self._decisions_in(*block)]
        if found:
            self._index.count(self._tally, file.source, found)
            if self._tally.full:
                self._say("many_names", "")

    def _lost(self, file: _File) -> None:
        """Go on with a file under its new name, or forget it; meet what took its place."""
        path = file.tail.path
        if self._is_elsewhere(file):
            file.left = True
        else:
            self._forget(file)
            self._meet(path)
        if not path.exists():
            self._decide_later(path)

    def _is_elsewhere(self, file: _File) -> bool:
        """Look beside a file for itself under another name, and for new ones; is it there?"""
        path = file.tail.path
        stem = path.name.split(".")[0]
        try:
            with os.scandir(path.parent) as entries:
                beside = [Path(entry.path) for entry in entries if entry.name.startswith(stem)]
        except OSError:
            return False
        for other in beside:
            self._rest()
            if self._places.match(other):
                self._meet(other)
        return file.tail.path != path

    def _forget(self, file: _File) -> None:
        """Take back what a file told; where that leaves gaps, all others are read again."""
        self._files.pop(file.tail.identity, None)
        if self._index.forget(self._tally, file.source):
            self._tally, self._anew = Tally(), True
            for other in [*self._files.values()]:
                self._add(other.tail.path, other.tail.identity, other.grew, other.size)

    def _rest(self) -> None:
        """Let others work, when it is time to, and tell how far this is."""
        now = time.monotonic()
        if now - self._slice_began < _SLICE:
            return
        if self._stopping.is_set():
            raise _Stopped
        self._publish()
        rest = _REST_FOR_TYPING if now < self._gives_way_until else _REST
        time.sleep(max(rest, min(now - self._slice_began, 10 * _REST)))
        self._slice_began = time.monotonic()

    def _publish(self, done: bool = False) -> None:
        now = time.monotonic()
        if done or now - self._progress_at >= _PUBLISHES_EVERY:
            files = self._files.values()
            read, total = sum(file.tail.offset for file in files), sum(file.size for file in files)
            progress = Progress(read, max(read, total), len(files), done)
            self._progress_at = now
            if progress != self._progress:
                self._progress = progress
                self._on_progress(progress)
        if self._index.version != self._published and now - self._published_at >= _PUBLISHES_EVERY:
            self._published, self._published_at = self._index.version, now
            self._index.publish()

    def _say(self, trouble: Trouble, about: str, reason: str = "") -> None:
        if (trouble, about) not in self._told:
            self._told.add((trouble, about))
            self._tell(trouble, about, reason)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
