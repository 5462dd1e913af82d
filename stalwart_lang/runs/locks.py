"""Locks of conversations: one process, and in it one thread, is at a conversation at a time."""

import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # not on Windows: there only the threads of one process exclude each other
    fcntl = None  # type: ignore[assignment]


class Busy(RuntimeError):
    """Raised where another is at the same conversation."""


class Locks:
    """The locks of one store; without a file, those of this process alone.

    A conversation is a byte of the file: the system frees it however the process ends. The system
    frees it, too, when the process closes the file anywhere: it is opened once and stays open.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file = None if path is None else path.open("ab")
        self._held: set[str] = set()
        self._guard = threading.Lock()

    @contextmanager
    def locked(self, thread: str) -> Iterator[None]:
        """Have the conversation for oneself alone. Raises Busy."""
        with self._guard:
            if thread in self._held or not _lock(self._opened(), thread):
                raise Busy(thread)
            self._held.add(thread)
        try:
            yield
        finally:
            with self._guard:
                self._held.discard(thread)
                _unlock(self._file, thread)

    def _opened(self) -> IO[bytes] | None:
        """Return the file; a new one where the store was removed and made again."""
        if self._path is not None and self._file is not None and not self._held:
            ours = os.fstat(self._file.fileno())
            if not self._path.exists() or not os.path.samestat(ours, self._path.stat()):
                self._file.close()
                self._file = self._path.open("ab")
        return self._file


@cache
def locks_of_file(path: Path) -> Locks:
    """Return the locks of a store of which `path` is the file of locks: the same ones each time.

    Raises OSError where the file cannot be written.
    """
    return Locks(path)


def lock_number(thread: str) -> int:
    """Return the number of a conversation, of 63 bits."""
    return int.from_bytes(hashlib.sha256(thread.encode()).digest()[:8]) >> 1


def _lock(file: IO[bytes] | None, thread: str) -> bool:
    if file is None or fcntl is None:
        return True
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, lock_number(thread) >> 1)
    except (BlockingIOError, PermissionError):  # which of them, the system chooses
        return False
    return True


def _unlock(file: IO[bytes] | None, thread: str) -> None:
    if file is not None and fcntl is not None:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, lock_number(thread) >> 1)


if hasattr(os, "register_at_fork"):
    # What a thread of the parent holds is not held in the child.
    os.register_at_fork(after_in_child=locks_of_file.cache_clear)
