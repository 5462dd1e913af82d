"""The store in a file of SQLite, or in memory."""

import sqlite3
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver

from stalwart_lang.runs.locks import Locks, locks_of_file
from stalwart_lang.runs.serializer import plain_serializer
from stalwart_lang.runs.storage import BadStorage

_BUSY_SECONDS = 30
"""How long a writer waits for another; with 0.1 s most of eight processes fail."""


class SqliteDatabase:
    """An open file of SQLite, or one in memory."""

    errors = (sqlite3.Error,)

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.Lock()
        # The saver commits by itself, what belongs together at once: it must not be in
        # autocommit, where a kill leaves the half of what a step writes.
        self._saved = _connect(path, "DEFERRED")
        # In memory there is one connection; what is outside of a transaction is committed there.
        self._own = self._saved if path is None else _connect(path, None)
        self.saver = SqliteSaver(self._saved, serde=plain_serializer())
        self.saver.setup()
        self._locks = Locks(None) if path is None else locks_of_file(_lock_file(path))

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> tuple[int, list[Any]]:
        """Run a statement and commit it."""
        lock = self.saver.lock if self._own is self._saved else self._lock
        with lock, self._own:
            cursor = self._own.execute(sql, parameters)
            return cursor.rowcount, cursor.fetchall()

    def locked(self, thread: str) -> AbstractContextManager[None]:
        """Have a conversation for oneself alone. Raises Busy."""
        return self._locks.locked(thread)

    def reopen(self) -> None:
        """Do nothing: a file is not lost."""

    def close(self) -> None:
        """Close it."""
        self._saved.close()
        self._own.close()


def open_sqlite(path: Path | None) -> SqliteDatabase:
    """Open a file of SQLite, made where it is not there; or None, the memory.

    Raises BadStorage where it cannot be opened, or is something else.
    """
    try:
        return SqliteDatabase(path)
    except (sqlite3.Error, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise BadStorage(f"{path}: {_hint(path) or why}") from error


def _hint(path: Path | None) -> str | None:
    if path is None:
        return None
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return "it is a folder" if path.is_dir() else None


def _connect(path: Path | None, isolation: Any) -> sqlite3.Connection:
    return sqlite3.connect(
        ":memory:" if path is None else path,
        timeout=_BUSY_SECONDS,
        check_same_thread=False,
        isolation_level=isolation,
    )


def _lock_file(path: Path) -> Path:
    place = path.resolve()
    return place.with_name(place.name + ".lock")
