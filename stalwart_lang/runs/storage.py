"""Where runs are kept: the engine's checkpointer, and beside it tables of our own.

`calls` is the record of intent: a call is pending there before its tool runs and done or failed
after, so that a process killed in between leaves it in doubt. `answers` holds each answer of a
person once, whoever gives it first. Both are in the same database as the checkpoints.
"""

import hashlib
import json
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

Status: TypeAlias = Literal["pending", "done", "failed", "in doubt", "undone"]

_BUSY_SECONDS = 30
"""How long a writer waits for another; with 0.1 s most of eight processes fail."""

_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS stalwart_store (
        id TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS stalwart_calls (
        thread TEXT NOT NULL,
        call_id TEXT NOT NULL,
        tool TEXT NOT NULL,
        arguments TEXT NOT NULL,
        status TEXT NOT NULL,
        step INTEGER NOT NULL,
        undoes INTEGER,
        result TEXT,
        error TEXT,
        PRIMARY KEY (thread, call_id)
    )
    """,
    "CREATE INDEX IF NOT EXISTS stalwart_calls_by_tool ON stalwart_calls (thread, tool, status)",
    """
    CREATE TABLE IF NOT EXISTS stalwart_answers (
        thread TEXT NOT NULL,
        pause TEXT NOT NULL,
        answer TEXT NOT NULL,
        PRIMARY KEY (thread, pause)
    )
    """,
)


class BadStorage(ValueError):
    """Raised for a storage URL of no known kind, or one that cannot be opened."""


class Busy(RuntimeError):
    """Raised where another process is at the same conversation."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call as the record of intent has it."""

    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    status: Status
    step: int
    """The step of the history at which it ran."""
    result: Any = None
    error: str | None = None


class _Cursor(Protocol):
    @property
    def rowcount(self) -> int: ...

    def fetchall(self) -> list[Any]: ...


class Storage:
    """An open store. `id` is its own, made when it was: tokens of a history are bound to it."""

    def __init__(
        self,
        saver: "BaseCheckpointSaver[Any]",
        execute: Callable[[str, Sequence[object]], _Cursor],
        locked: Callable[[str], Any],
        close: Callable[[], None],
    ) -> None:
        self.saver = saver
        self._execute = execute
        self._locked = locked
        self._close = close
        for statement in _TABLES:
            execute(statement, ())
        self.id = self._identity()

    def locked(self, thread: str) -> Any:
        """Return a context manager that has the conversation for this process alone.

        Raises Busy where another has it. A process that dies gives it free.
        """
        return self._locked(thread)

    def call(self, thread: str, call_id: str) -> CallRecord | None:
        """Return the record of a call, or None."""
        found = self._calls("call_id = ?", thread, call_id)
        return found[0] if found else None

    def calls_done(self, thread: str, tools: Sequence[str]) -> list[CallRecord]:
        """Return the calls of `tools` that are done and not undone, in order."""
        if not tools:
            return []
        marks = ", ".join("?" * len(tools))
        return self._calls(f"status = 'done' AND tool IN ({marks})", thread, *tools)

    def calls_from(self, thread: str, step: int) -> list[CallRecord]:
        """Return the calls done from a step of the history on and not undone, no undos."""
        return self._calls("status = 'done' AND undoes IS NULL AND step >= ?", thread, step)

    def calls_in_doubt(self, thread: str) -> list[CallRecord]:
        """Return the calls of which it is not known whether they ran."""
        return self._calls("status = 'in doubt'", thread)

    def _calls(self, where: str, *parameters: object) -> list[CallRecord]:
        rows = self._execute(
            "SELECT call_id, tool, arguments, status, step, result, error FROM stalwart_calls "
            f"WHERE thread = ? AND {where} ORDER BY step",
            parameters,
        ).fetchall()
        return [_record(row) for row in rows]

    def intend(
        self,
        thread: str,
        call_id: str,
        tool: str,
        arguments: str,
        step: int,
        undoes: int | None = None,
    ) -> bool:
        """Record that the call is about to run. False where it is recorded already."""
        cursor = self._execute(
            "INSERT INTO stalwart_calls (thread, call_id, tool, arguments, status, step, undoes) "
            "VALUES (?, ?, ?, ?, 'pending', ?, ?) ON CONFLICT DO NOTHING",
            (thread, call_id, tool, arguments, step, undoes),
        )
        return cursor.rowcount == 1

    def settle(
        self,
        thread: str,
        call_id: str,
        status: Status,
        *,
        result: str | None = None,
        error: str | None = None,
    ) -> None:
        """Record what came of the call."""
        self._execute(
            "UPDATE stalwart_calls SET status = ?, result = COALESCE(?, result), "
            "error = COALESCE(?, error) WHERE thread = ? AND call_id = ?",
            (status, result, error, thread, call_id),
        )

    def answer(self, thread: str, pause: str, answer: str) -> str:
        """Record a person's answer to a pause, once; return the one that counts, the first."""
        self._execute(
            "INSERT INTO stalwart_answers (thread, pause, answer) VALUES (?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            (thread, pause, answer),
        )
        rows = self._execute(
            "SELECT answer FROM stalwart_answers WHERE thread = ? AND pause = ?", (thread, pause)
        ).fetchall()
        return str(rows[0][0])

    def close(self) -> None:
        """Close the store. May be called twice."""
        close, self._close = self._close, lambda: None
        close()

    def _identity(self) -> str:
        self._execute(
            "INSERT INTO stalwart_store (id) SELECT ? WHERE NOT EXISTS "
            "(SELECT 1 FROM stalwart_store)",
            (secrets.token_hex(16),),
        )
        rows = self._execute("SELECT id FROM stalwart_store ORDER BY id LIMIT 1", ()).fetchall()
        return str(rows[0][0])


def open_storage(url: str | None) -> Storage:
    """Open a store: `sqlite:///path`, `postgresql://…`, or without a URL the memory.

    Raises BadStorage, with what to write instead.
    """
    if url is None:
        return _sqlite(":memory:", None)
    scheme = urlsplit(url).scheme
    if scheme == "sqlite":
        path = sqlite_path(url)
        return _sqlite(str(path), path)
    if scheme in ("postgresql", "postgres"):
        return _postgresql(url)
    raise BadStorage(f"{url}: write sqlite:///runs.db or postgresql://user@host/database")


def sqlite_path(url: str) -> Path:
    """Return the file of `sqlite:///relative.db` or `sqlite:////absolute.db`.

    Raises BadStorage where it names none.
    """
    parts = urlsplit(url)
    path = unquote(parts.path)[1:]
    if parts.netloc or not path:
        raise BadStorage(f"{url}: write sqlite:///runs.db, with three slashes before the path")
    return Path(path)


def _record(row: Sequence[Any]) -> CallRecord:
    call_id, tool, arguments, status, step, result, error = row
    return CallRecord(
        call_id=call_id,
        tool=tool,
        arguments=json.loads(arguments),
        status=status,
        step=step,
        result=None if result is None else json.loads(result),
        error=error,
    )


def _sqlite(database: str, path: Path | None) -> Storage:
    from langgraph.checkpoint.sqlite import SqliteSaver

    from stalwart_lang.runs.serializer import plain_serializer

    try:
        connection = _connect(database)
        own = connection if path is None else _connect(database)
    except sqlite3.OperationalError as error:
        raise BadStorage(f"{database}: {error}") from error
    lock = threading.Lock()

    def execute(sql: str, parameters: Sequence[object]) -> _Cursor:
        with lock:
            return own.execute(sql, parameters)

    def close() -> None:
        connection.close()
        own.close()

    saver = SqliteSaver(connection, serde=plain_serializer())
    saver.setup()
    locks = _Locks(None) if path is None else _locks_of_file(_lock_file(path))
    return Storage(saver, execute, locks.locked, close)


def _lock_file(path: Path) -> Path:
    return path.resolve().with_name(path.name + ".lock")


def _connect(database: str) -> sqlite3.Connection:
    return sqlite3.connect(
        database, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None
    )


def _postgresql(url: str) -> Storage:
    import psycopg
    from langgraph.checkpoint.postgres import PostgresSaver
    from psycopg.rows import dict_row

    from stalwart_lang.runs.serializer import plain_serializer

    try:
        connection = psycopg.connect(
            url, autocommit=True, prepare_threshold=0, row_factory=dict_row
        )
        own = psycopg.connect(url, autocommit=True)
    except psycopg.OperationalError as error:
        raise BadStorage(f"{_without_password(url)}: {str(error).strip()}") from error
    lock = threading.Lock()

    def execute(sql: str, parameters: Sequence[object]) -> _Cursor:
        with lock:
            return own.execute(sql.replace("?", "%s"), parameters)

    @contextmanager
    def locked(thread: str) -> Iterator[None]:
        number = int.from_bytes(hashlib.sha256(thread.encode()).digest()[:8], signed=True)
        with psycopg.connect(url, autocommit=True) as holder:
            row = holder.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchone()
            if row is None or not row[0]:
                raise Busy(thread)
            yield

    def close() -> None:
        connection.close()
        own.close()

    saver = PostgresSaver(connection, serde=plain_serializer())
    # Processes that start at once would make the same tables.
    own.execute("SELECT pg_advisory_lock(7303014)")
    try:
        saver.setup()
        return Storage(saver, execute, locked, close)
    finally:
        own.execute("SELECT pg_advisory_unlock(7303014)")


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    host = parts.hostname or ""
    return parts._replace(netloc=f"{parts.username}@{host}" if parts.username else host).geturl()


class _Locks:
    """Locks of conversations, for one process alone where there is a file to lock.

    A byte of a file beside the store is locked: the system frees it however the process ends. Such
    locks are the process's, and go when it closes the file anywhere: it is opened once and stays
    open.
    """

    def __init__(self, path: Path | None) -> None:
        self._held: set[str] = set()
        self._guard = threading.Lock()
        self._file = None if path is None else path.open("ab")

    @contextmanager
    def locked(self, thread: str) -> Iterator[None]:
        with self._guard:
            if thread in self._held or not self._lock(thread):
                raise Busy(thread)
            self._held.add(thread)
        try:
            yield
        finally:
            with self._guard:
                self._held.discard(thread)
                self._unlock(thread)

    def _lock(self, thread: str) -> bool:
        if self._file is None:
            return True
        import fcntl

        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte(thread))
        except OSError:
            return False
        return True

    def _unlock(self, thread: str) -> None:
        if self._file is not None:
            import fcntl

            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _byte(thread))


def _byte(thread: str) -> int:
    return int.from_bytes(hashlib.sha256(thread.encode()).digest()[:7])


@cache
def _locks_of_file(path: Path) -> _Locks:
    return _Locks(path)
