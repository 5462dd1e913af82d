"""The rows of a store, by SQL and for reading alone: checkpoints, and what was written after."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from stalwart_lang.timeline.stored.unpack import unpack

_OF_AGENTS = ("stalwart_store", "stalwart_calls")
"""The tables that agents of ours keep beside LangGraph's."""


INTERRUPT = "__interrupt__"
"""The channel that a task writes its pause to (LangGraph)."""


class BadStore(Exception):
    """Raised for a store that cannot be read; its text says which and why."""


class NoSuchThread(Exception):
    """Raised where a store holds no such thread; its text names those that are near."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint and its metadata; where those are damaged, nothing."""

    id: str
    parent: str | None
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Write:
    """What a task wrote to a channel after a checkpoint."""

    checkpoint: str
    path: str
    channel: str
    kind: str | None
    value: bytes | None


@dataclass(frozen=True, slots=True)
class Kept:
    """The state that a checkpoint keeps.

    `versions` are the channels', of which one changes when a step writes it. `read` gives a
    channel's value as plain data, None where it has none.
    """

    checkpoint: str
    versions: Mapping[str, Any]
    read: Callable[[str], Any]


class Store:
    """An open store."""

    def __init__(
        self, name: str, query: Any, writes_table: str, value: str, *, blobs: bool = False
    ) -> None:
        self._name = name
        self._query = query
        self._writes = writes_table
        self._value = value
        self._blobs = blobs  # whether channels are kept beside the checkpoints, as in PostgreSQL

    def threads(self) -> list[str]:
        """Return the threads, in order of name."""
        sql = "SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id"
        return [str(row[0]) for row in self._rows(sql, ())]

    def checkpoints(self, thread: str) -> Iterator[Checkpoint]:
        """Yield the checkpoints of a thread's own graph (not of graphs in it), in order."""
        sql = (
            "SELECT checkpoint_id, parent_checkpoint_id, metadata FROM checkpoints "
            "WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id"
        )
        for identity, parent, metadata in self._rows(sql, (thread,)):
            before = None if parent is None else str(parent)
            yield Checkpoint(str(identity), before, _data(metadata))

    def writes(self, thread: str, channels: Sequence[str]) -> Iterator[Write]:
        """Yield what was written to `channels`, in order."""
        marks = ", ".join("?" * len(channels))
        sql = (
            f"SELECT checkpoint_id, task_path, channel, type, {self._value} "
            f"FROM {self._writes} "
            f"WHERE thread_id = ? AND checkpoint_ns = '' AND channel IN ({marks}) "
            "ORDER BY checkpoint_id, task_path, task_id, idx"
        )
        for identity, path, channel, kind, value in self._rows(sql, (thread, *channels)):
            yield Write(
                str(identity),
                str(path),
                str(channel),
                None if kind is None else str(kind),
                bytes(value) if isinstance(value, bytes | memoryview) else None,
            )

    def paths(self, thread: str) -> Iterator[tuple[str, str]]:
        """Yield the checkpoints after which tasks wrote, and where in the graph those are."""
        sql = (
            f"SELECT DISTINCT checkpoint_id, task_path FROM {self._writes} "
            "WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id, task_path"
        )
        for identity, path in self._rows(sql, (thread,)):
            yield str(identity), str(path)

    def paused_tasks(self, thread: str) -> Iterator[tuple[str, str, str]]:
        """Yield what tasks wrote that paused: checkpoint, task and channel."""
        of_thread = f"FROM {self._writes} WHERE thread_id = ? AND checkpoint_ns = ''"
        sql = (
            f"SELECT checkpoint_id, task_id, channel {of_thread} AND (checkpoint_id, task_id) IN "
            f"(SELECT checkpoint_id, task_id {of_thread} AND channel = ?)"
        )
        for identity, task, channel in self._rows(sql, (thread, thread, INTERRUPT)):
            yield str(identity), str(task), str(channel)

    def states(self, thread: str) -> Iterator[Kept]:
        """Yield the states that the checkpoints of a thread's own graph keep, in order."""
        kind = "'json'" if self._blobs else "type"
        sql = (
            f"SELECT checkpoint_id, {kind}, checkpoint FROM checkpoints "
            "WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id"
        )
        rows = self._rows(sql, (thread,))
        for identity, how, value in list(rows) if self._blobs else rows:
            held = value if isinstance(value, dict) else unpack(how, value)
            state = held if isinstance(held, dict) else {}
            versions, values = state.get("channel_versions"), state.get("channel_values")
            versions = versions if isinstance(versions, dict) else {}
            values = values if isinstance(values, dict) else {}
            yield Kept(str(identity), versions, partial(self._channel, thread, versions, values))

    def _channel(
        self, thread: str, versions: Mapping[str, Any], values: Mapping[str, Any], name: str
    ) -> Any:
        if not self._blobs or (name in values and values[name] is not True):
            return values.get(name)
        sql = (
            "SELECT type, blob FROM checkpoint_blobs "
            "WHERE thread_id = ? AND checkpoint_ns = '' AND channel = ? AND version = ?"
        )
        for kind, blob in list(self._rows(sql, (thread, name, str(versions.get(name))))):
            return unpack(kind, blob)
        return values.get(name)

    def state_bytes(self, thread: str) -> int:
        """Return how many bytes `states` has to read, at most."""
        table, column = (
            ("checkpoint_blobs", "blob") if self._blobs else ("checkpoints", "checkpoint")
        )
        sql = f"SELECT SUM(LENGTH({column})) FROM {table} WHERE thread_id = ?"
        return sum(int(row[0] or 0) for row in list(self._rows(sql, (thread,))))

    def calls(self, thread: str) -> list[tuple[str, int]]:
        """Return the ids of the calls on an agent's record, with their steps of the history."""
        sql = "SELECT call_id, step FROM stalwart_calls WHERE thread = ? ORDER BY step"
        return [(str(call), int(step)) for call, step in self._rows(sql, (thread,))]

    def is_of_agent(self) -> bool:
        """Whether an agent of ours keeps its runs here, and not only a graph of LangGraph."""
        sql = (
            "SELECT 1 WHERE to_regclass('stalwart_calls') IS NOT NULL"
            if self._blobs
            else "SELECT 1 FROM sqlite_schema WHERE name = 'stalwart_calls'"
        )
        return bool(list(self._rows(sql, ())))

    def identity(self) -> str:
        """Return the id that the store of an agent has. Raises BadStore where there is none."""
        for (identity,) in self._rows("SELECT id FROM stalwart_store", ()):
            return str(identity)
        raise BadStore(f"{self._name}: it is no agent's store: it has no id")

    def _rows(self, sql: str, parameters: Sequence[object]) -> Iterator[Sequence[Any]]:
        return iter(self._query(sql, parameters))


def _data(held: Any) -> Mapping[str, Any]:
    """Return metadata as data: SQLite has them as JSON, PostgreSQL gives them as data."""
    if isinstance(held, bytes | str):
        try:
            held = json.loads(held)
        except (ValueError, RecursionError):
            return {}
    return held if isinstance(held, dict) else {}


def checkpoints_of(store: Store, thread: str) -> list[Checkpoint]:
    """Return the checkpoints of a thread, in order. Raises NoSuchThread where there is none."""
    found = list(store.checkpoints(thread))
    if not found:
        near = get_close_matches(thread, store.threads(), 3, 0.5)
        hint = f"; it holds {', '.join(near)}" if near else ""
        raise NoSuchThread(f"the store holds no thread {thread}{hint}")
    return found


@contextmanager
def open_store(url: str) -> Iterator[Store]:
    """Open a store by its URL, sqlite:///runs.db or postgresql://…, for reading alone.

    Raises BadStore where there is none (it is not made), or it is none.
    """
    scheme = urlsplit(url).scheme
    if scheme == "sqlite":
        with _sqlite(url) as store:
            yield store
    elif scheme in ("postgresql", "postgres"):
        with _postgresql(url) as store:
            yield store
    else:
        raise BadStore(f"{url}: write sqlite:///runs.db or postgresql://user@host/database")


@contextmanager
def _sqlite(url: str) -> Iterator[Store]:
    parts = urlsplit(url)
    path = Path(unquote(parts.path)[1:])
    if parts.netloc or not parts.path[1:]:
        raise BadStore(f"{url}: write sqlite:///runs.db, with three slashes before the path")
    if not path.exists():
        raise BadStore(f"{path}: there is no such file")
    if not path.is_file():
        raise BadStore(f"{path}: it is no file")
    connection = _open_for_reading(path)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        _require_tables(connection, path)

        def query(sql: str, parameters: Sequence[object]) -> Iterator[Any]:
            try:
                yield from connection.execute(sql, parameters)
            except sqlite3.DatabaseError as error:
                raise BadStore(f"{path}: {error}") from error

        yield Store(str(path), query, "writes", "value")
    except sqlite3.DatabaseError as error:
        raise BadStore(f"{path}: {error}") from error
    finally:
        connection.close()


def _open_for_reading(path: Path) -> sqlite3.Connection:
    name = quote(str(path.resolve()))
    try:
        connection = sqlite3.connect(f"file:{name}?mode=ro", uri=True, timeout=5)
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
    except sqlite3.OperationalError as error:
        # A file in WAL mode needs a file beside it, which a folder that cannot be written refuses.
        # Without a log there is nobody writing, and the file alone is all there is.
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise BadStore(
                f"{path}: {error}; its folder cannot be written, and {log.name} holds what is "
                "newer: copy both to a folder that can"
            ) from error
        return sqlite3.connect(f"file:{name}?mode=ro&immutable=1", uri=True)
    except sqlite3.DatabaseError as error:
        raise BadStore(f"{path}: {error}") from error
    return connection


def _require_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Make sure that what is read are tables: a view could hold anything."""
    for table in ("checkpoints", "writes", *_OF_AGENTS):
        found = connection.execute(
            "SELECT type FROM sqlite_schema WHERE name = ?", (table,)
        ).fetchone()
        if found is None and table in _OF_AGENTS:
            continue  # a store of LangGraph's own
        if found is None or found[0] != "table":
            raise BadStore(f"{path}: it is no store of runs: it has no table {table}")


@contextmanager
def _postgresql(url: str) -> Iterator[Store]:
    try:
        import psycopg
    except ImportError as error:
        raise BadStore("reading PostgreSQL needs: pip install 'stalwart-lang[runs]'") from error
    parts = urlsplit(url)
    host = parts.hostname or ""
    name = parts._replace(netloc=f"{parts.username}@{host}" if parts.username else host).geturl()
    try:
        with psycopg.connect(url, options="-c default_transaction_read_only=on") as connection:

            def query(sql: str, parameters: Sequence[object]) -> Iterator[Any]:
                with connection.cursor(name="stalwart") as cursor:
                    cursor.itersize = 2000
                    yield from cursor.execute(sql.replace("?", "%s"), parameters)

            yield Store(name, query, "checkpoint_writes", "blob", blobs=True)
    except psycopg.errors.UndefinedTable as error:
        raise BadStore(f"{name}: it is no store of runs") from error
    except psycopg.Error as error:
        raise BadStore(f"{name}: {str(error).strip()}") from error
