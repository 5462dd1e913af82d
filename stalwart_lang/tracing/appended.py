"""A file that several threads and processes append whole lines to, and that may be rotated."""

import contextlib
import os
import re
import select
import stat
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

from stalwart_lang.tracing.report import Reporter

try:
    import fcntl
except ImportError:  # Windows has none; a file that another process holds is not renamed there
    fcntl = None  # type: ignore[assignment]

_LOOKS_EVERY = 0.05
"""Seconds between two looks at what the path names: at every line a look would cost as much."""

_LOOKS_AT_END = 20

_WAITS_FOR_A_READER = 0.1
"""Seconds that a pipe's reader is waited for, once until it reads again."""


class AppendedFile:
    """Appends lines, each by one `write`; a failure is reported once and breaks nothing.

    A file that was renamed or removed meanwhile, by another process or a person, is opened anew
    within 50 ms. Its size, of which other processes have a part, is known as often: over
    `max_bytes` goes what they write in that time, and a line that is longer itself.

    The path may name a pipe or a device. A pipe that nobody reads is a failure like another: it is
    tried again as long, and what a reader is too slow to take within 100 ms is not written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        max_bytes: int | None = None,
        backups: int | None = None,
    ) -> None:
        self._path = Path(path)
        self._max_bytes = max_bytes
        self._backups = backups
        self._reporter = Reporter()
        self._lock = threading.Lock()
        self._descriptor: int | None = None
        self._device = self._inode = -1
        self._size = 0
        self._look_again = 0.0
        self._torn = False
        self._closed = False
        self._regular = True
        self._stalled = False
        self._release: Callable[[], object] = lambda: None
        try:
            self._open()
        except OSError as error:
            self._report(error)
        if hasattr(os, "register_at_fork"):
            weakly = weakref.WeakMethod(self._forked)
            os.register_at_fork(after_in_child=lambda: (forked := weakly()) and forked())

    def append(self, line: bytes) -> None:
        """Append one line, its end included."""
        with self._lock:
            if self._closed:
                return
            try:
                if (now := time.monotonic()) > self._look_again:
                    self._look(now)
                if self._max_bytes and self._size and self._size + len(line) > self._max_bytes:
                    self._rotate()
                self._write(line)
            except OSError as error:
                self._report(error)

    def close(self) -> None:
        """Close the file; what is appended later is not written."""
        with self._lock:
            self._closed = True
            self._shut()

    def _look(self, now: float) -> None:
        """See which file the path names, and how large it is; open it anew if it is another one."""
        self._look_again = now + _LOOKS_EVERY
        try:
            found = self._path.stat()
        except FileNotFoundError:
            self._open()
            return
        if (self._device, self._inode) != (found.st_dev, found.st_ino):
            self._open()
        self._size = found.st_size if self._regular else 0

    def _write(self, line: bytes) -> None:
        if self._descriptor is None:
            raise OSError("the file is not open")
        if self._torn:
            line = b"\n" + line
        written = os.write(self._descriptor, line) if self._regular else self._pass_on(line)
        self._size += written
        # The disk was full, say: what follows begins on a line of its own.
        self._torn = written < len(line)
        if self._torn:
            raise OSError(f"{written} of {len(line)} bytes were written")

    def _pass_on(self, line: bytes) -> int:
        """Write to a pipe or a device as much as it takes in time, and return how much it was."""
        assert self._descriptor is not None
        written = 0
        while written < len(line):
            try:
                written += os.write(self._descriptor, memoryview(line)[written:])
                self._stalled = False
            except BlockingIOError:
                if self._stalled or not _takes_more(self._descriptor):
                    self._stalled = True
                    if not written:
                        raise
                    break
        return written

    def _open(self) -> None:
        self._shut()
        torn = _ends_within_a_line(self._path)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        flags |= getattr(os, "O_NONBLOCK", 0)  # a pipe without a reader would be waited for
        descriptor = os.open(self._path, flags, 0o666)
        status = os.fstat(descriptor)
        self._torn = torn
        self._descriptor = descriptor
        self._device, self._inode = status.st_dev, status.st_ino
        self._regular = stat.S_ISREG(status.st_mode)
        self._size = status.st_size if self._regular else 0
        self._release = weakref.finalize(self, os.close, descriptor)

    def _shut(self) -> None:
        self._descriptor = None
        self._device = self._inode = -1
        self._look_again = 0.0
        self._release()
        self._release = lambda: None

    def _rotate(self) -> None:
        """Rename the file, once however many processes find it full at the same moment.

        Where that fails the lines go on into the same file.
        """
        if self._descriptor is None:
            return
        with _locked(self._descriptor):
            if self._is_at_its_path():
                numbers = _numbers(self._path)
                try:
                    self._path.rename(_numbered(self._path, max(numbers, default=0) + 1))
                except OSError as error:
                    self._report(error)
                    return
                if self._backups is not None:
                    for number in sorted(numbers, reverse=True)[max(self._backups - 1, 0) :]:
                        _numbered(self._path, number).unlink(missing_ok=True)
        self._open()

    def _is_at_its_path(self) -> bool:
        """Whether the path names the file that is open, and not a later one, or none as yet."""
        try:
            found = self._path.stat()
        except FileNotFoundError:  # another process has renamed it, and not yet made a new one
            return False
        return (self._device, self._inode) == (found.st_dev, found.st_ino)

    def _forked(self) -> None:
        # A thread that held the lock does not exist in the child.
        self._lock = threading.Lock()

    def _report(self, error: OSError) -> None:
        self._reporter.report(f"Spans are not written to {self._path}", error)


@contextlib.contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    if fcntl is None:
        yield
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _takes_more(descriptor: int) -> bool:
    """Wait until a pipe takes more, but not for long."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLOUT)
    return bool(waiting.poll(_WAITS_FOR_A_READER * 1000))


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.{number}{path.suffix}")


def _numbers(path: Path) -> list[int]:
    """Return the numbers of the renamed files of `path` that are there."""
    form = re.compile(re.escape(path.stem) + r"\.([1-9][0-9]*)" + re.escape(path.suffix))
    found = (form.fullmatch(other.name) for other in path.parent.iterdir())
    return [int(match[1]) for match in found if match]


def _ends_within_a_line(path: Path) -> bool:
    """Whether the file's last line has no end, as a crash of the machine may leave it.

    The system shows a write that crosses a page before it is whole: such a one is waited for.
    """
    for look in range(_LOOKS_AT_END):
        if look:
            time.sleep(0.001)
        if _last_byte(path) in (b"", b"\n"):
            return False
    return True


def _last_byte(path: Path) -> bytes:
    """Return the last byte of a file; of one that is empty, gone or no plain file, none."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
            return b""
        with path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1)
    except FileNotFoundError:  # renamed meanwhile
        return b""
