"""The rows of a store, by SQL and for reading alone: checkpoints, and what was written after."""

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

import msgspec

from stalwart_lang.store_url import (
    sqlite_file,
    store_kind,
    told_without_password,
    without_password,
)
from stalwart_lang.timeline.stored.unpack import (
    UNDECODABLE,
    source_and_step,
    unpack,
    unpack_state,
)

_CANNOT_OPEN = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_OF_AGENTS = ("stalwart_store", "stalwart_calls")
"""The tables that agents of ours keep beside LangGraph's."""

_TOGETHER = 512
"""Checkpoints of which the channels are asked for together."""

_SMALL = 16_000
"""Bytes of a channel that is read with others; a larger one is read alone."""

_LARGEST = 64_000_000
"""Bytes of one value that are read; a store that holds a larger one is refused."""

_COMPARED = 2_000
"""Threads of which the names are looked through for one that is near to what was asked for."""

_BUSY_SECONDS = 2.0
"""How long a lock of a writer is waited for."""

INTERRUPT = "__interrupt__"
"""The channel that a task writes its pause to (LangGraph)."""

SENT = "__pregel_tasks"
"""The channel that a task writes what it sends to other nodes to (LangGraph)."""

_TASK_OF_SENT, _UPDATE = "~__pregel_push", "~__interrupt__"


Query: TypeAlias = Callable[[str, Sequence[object]], Iterator[Sequence[Any]]]
"""Asks a store: a statement with `?` for each parameter, and these."""

Blob: TypeAlias = tuple[str | None, bytes | None]
"""A value's kind, and its bytes."""


class BadStore(Exception):
    """Raised for a store that cannot be read; its text says which and why."""


class NoSuchThread(Exception):
    """Raised where a store holds no such thread; its text names those that are near."""


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread of a store: its name, how many checkpoints it has, and the id of the last."""

    name: str
    checkpoints: int
    last: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint, and of its metadata what made it and its step; None where they are damaged."""

    id: str
    parent: str | None
    source: Any
    step: Any


@dataclass(frozen=True, slots=True)
class Write:
    """What a task wrote to a channel after a checkpoint."""

    checkpoint: str
    path: str
    channel: str
    kind: str | None
    value: bytes | None


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call on an agent's record, with its step of the history and that which it undoes."""

    id: str
    tool: str
    arguments: Mapping[str, Any]
    status: str
    step: int
    undoes: int | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Kept:
    """The state that a checkpoint keeps.

    `versions` are the channels', of which one changes when a step writes it. `read` gives a
    channel's value as plain data, None where it has none.
    """

    checkpoint: Checkpoint
    versions: Mapping[str, Any]
    read: Callable[[str], Any]


class Store:
    """An open store."""

    def __init__(
        self,
        name: str,
        query: Query,
        few: Query,
        writes_table: str,
        value: str,
        *,
        blobs: bool = False,
    ) -> None:
        self._name = name
        self._query = query
        self._few = few
        self._writes = writes_table
        self._value = value
        self._blobs = blobs  # whether channels are kept beside the checkpoints, as in PostgreSQL
        metadata = "metadata::text" if blobs else "metadata"
        self._described = f"checkpoint_id, parent_checkpoint_id, {metadata}"

    def threads(self) -> Iterator[Thread]:
        """Yield the threads, in order of name."""
        sql = (
            "SELECT thread_id, COUNT(*), MAX(checkpoint_id) FROM checkpoints "
            "WHERE checkpoint_ns = '' GROUP BY thread_id ORDER BY thread_id"
        )
        for name, checkpoints, last in self._rows(sql, ()):
            yield Thread(str(name), int(checkpoints), str(last))

    def checkpoints(self, thread: str) -> Iterator[Checkpoint]:
        """Yield the checkpoints of a thread's own graph (not of graphs in it), in order."""
        sql = (
            f"SELECT {self._described} FROM checkpoints "
            "WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id"
        )
        for row in self._rows(sql, (thread,)):
            yield _checkpoint(*row)

    def forks(self, thread: str) -> set[str]:
        """Return the checkpoints that several go on from."""
        sql = (
            "SELECT parent_checkpoint_id FROM checkpoints "
            "WHERE thread_id = ? AND checkpoint_ns = '' "
            "GROUP BY parent_checkpoint_id HAVING COUNT(*) > 1"
        )
        return {str(row[0]) for row in self._rows(sql, (thread,)) if row[0] is not None}

    def writes(self, thread: str, channels: Sequence[str]) -> Iterator[Write]:
        """Yield what was written to `channels`, in order."""
        self._refuse_large(self._writes, thread)
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

    def states(self, thread: str, channels: Collection[str]) -> Iterator[Kept]:
        """Yield the states that the checkpoints of a thread's own graph keep, in order.

        `channels` are those that will be read of the states that changed them; others may be.
        """
        self._refuse_large("checkpoint_blobs", thread)
        columns = "'json', checkpoint::text" if self._blobs else "type, checkpoint"
        sql = (
            f"SELECT {self._described}, {columns} FROM checkpoints "
            "WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id"
        )
        rows = self._rows(sql, (thread,))
        if not self._blobs:
            for *described, kind, state in rows:
                versions, values = unpack_state(kind, state)
                yield Kept(_checkpoint(*described), versions, partial(_inline, kind, values))
            return
        last: dict[str, Any] = {}
        while some := [
            (_checkpoint(*described), *unpack_state(kind, state))
            for *described, kind, state in islice(rows, _TOGETHER)
        ]:
            near = self._small_blobs(thread, _changes(some, channels, last))
            for checkpoint, versions, values in some:
                read = partial(self._channel, thread, near, versions, values)
                yield Kept(checkpoint, versions, read)

    def _channel(
        self,
        thread: str,
        near: Mapping[tuple[str, str], Blob | None],
        versions: Mapping[str, Any],
        values: Mapping[str, Any],
        name: str,
    ) -> Any:
        held = _inline("json", values, name)
        if name in values and held is not True:
            return held
        key = name, str(versions.get(name))
        found = near[key] if key in near else self._blob(thread, *key)
        return held if found is None else unpack(*found)

    def _blob(self, thread: str, channel: str, version: str) -> Blob | None:
        sql = (
            "SELECT type, blob FROM checkpoint_blobs "
            "WHERE thread_id = ? AND checkpoint_ns = '' AND channel = ? AND version = ?"
        )
        return next(
            ((kind, blob) for kind, blob in self._few(sql, (thread, channel, version))), None
        )

    def _small_blobs(
        self, thread: str, wanted: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str], Blob | None]:
        """Return the values of channels by name and version, None where there is none.

        What is large is not among them, so that no more is held at once than one needs.
        """
        # LIMIT has the server look each up by the table's key. It knows nothing of a table that
        # was filled a moment ago, and would read it whole each time.
        sql = (
            "SELECT wanted.channel, wanted.version, found.type, found.blob "
            "FROM unnest(?::text[], ?::text[]) AS wanted (channel, version) LEFT JOIN LATERAL ("
            f"SELECT type, octet_length(blob) > {_SMALL} AS large, "
            f"CASE WHEN octet_length(blob) <= {_SMALL} THEN blob END AS blob "
            "FROM checkpoint_blobs WHERE thread_id = ? AND checkpoint_ns = '' "
            "AND channel = wanted.channel AND version = wanted.version LIMIT 1"
            ") AS found ON TRUE WHERE found.large IS NOT TRUE"
        )
        parameters = [name for name, _ in wanted], [version for _, version in wanted], thread
        return {
            (name, version): None if kind is None else (kind, blob)
            for name, version, kind, blob in self._few(sql, parameters)
        }

    def state_bytes(self, thread: str) -> int:
        """Return how many bytes `states` has to read, at most."""
        table, column = (
            ("checkpoint_blobs", "blob") if self._blobs else ("checkpoints", "checkpoint")
        )
        sql = f"SELECT SUM(LENGTH({column})) FROM {table} WHERE thread_id = ?"
        return sum(int(row[0] or 0) for row in list(self._rows(sql, (thread,))))

    def calls(self, thread: str) -> list[RecordedCall]:
        """Return the calls on an agent's record, in the order of their steps.

        Raises BadStore where the record holds what no agent writes there.
        """
        sql = (
            "SELECT call_id, tool, arguments, status, step, undoes, result, error "
            "FROM stalwart_calls WHERE thread = ? ORDER BY step"
        )
        found: list[RecordedCall] = []
        for call, tool, arguments, status, step, undoes, result, error in self._rows(
            sql, (thread,)
        ):
            for column, value in (("call_id", call), ("tool", tool), ("status", status)):
                if not isinstance(value, str):
                    raise self._damaged_call(call, column, "no text")
            if error is not None and not isinstance(error, str):
                raise self._damaged_call(call, "error", "no text")
            for column, value in (("step", step), ("undoes", undoes)):
                if not isinstance(value, int) and not (column == "undoes" and value is None):
                    raise self._damaged_call(call, column, "no number")
            given = unpack("json", arguments)
            if not isinstance(given, dict):
                raise self._damaged_call(call, "arguments", "no JSON object")
            if result is not None and unpack("json", result) is UNDECODABLE:
                raise self._damaged_call(call, "result", "no JSON")
            found.append(RecordedCall(call, tool, given, status, step, undoes, error))
        return found

    def _damaged_call(self, call: object, column: str, why: str) -> BadStore:
        return BadStore(
            f"{self._name}: the record of calls is damaged: {column} of the call {call} is {why}"
        )

    def holds_calls_of(self, thread: str) -> bool:
        """Whether an agent's record has a call of the thread."""
        sql = "SELECT 1 FROM stalwart_calls WHERE thread = ? LIMIT 1"
        return bool(list(self._rows(sql, (thread,))))

    def newest_versions(self, thread: str) -> Mapping[str, Any]:
        """Return the versions of the channels at a thread's last checkpoint, none of no thread."""
        columns = "'json', checkpoint::text" if self._blobs else "type, checkpoint"
        sql = (
            f"SELECT {columns} FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' "
            "ORDER BY checkpoint_id DESC LIMIT 1"
        )
        for kind, state in self._rows(sql, (thread,)):
            return unpack_state(kind, state)[0]
        return {}

    def lacking(self) -> list[str]:
        """Return the tables that an agent of ours keeps, and this store has not."""
        return [table for table in _OF_AGENTS if not self._has(table)]

    def is_of_agent(self) -> bool:
        """Whether an agent of ours keeps its runs here, and not only a graph of LangGraph."""
        return self._has("stalwart_calls")

    def _has(self, table: str) -> bool:
        sql = (
            "SELECT 1 WHERE to_regclass(?) IS NOT NULL"
            if self._blobs
            else "SELECT 1 FROM sqlite_schema WHERE name = ?"
        )
        return bool(list(self._rows(sql, (table,))))

    def identity(self) -> str:
        """Return the id that the store of an agent has. Raises BadStore where there is none."""
        for (identity,) in self._rows("SELECT id FROM stalwart_store", ()):
            return str(identity)
        raise BadStore(f"{self._name}: it is no agent's store: it has no id")

    def _refuse_large(self, table: str, thread: str) -> None:
        """Raise BadStore where a thread has a value too large to read; SQLite does it by itself."""
        if not self._blobs:
            return
        sql = f"SELECT MAX(octet_length(blob)) FROM {table} WHERE thread_id = ?"
        for (size,) in self._few(sql, (thread,)):
            if size is not None and size > _LARGEST:
                raise BadStore(
                    f"{self._name}: {table} holds a value of {size // 1_000_000} MB: more than "
                    f"{_LARGEST // 1_000_000} MB is not read"
                )

    def _rows(self, sql: str, parameters: Sequence[object]) -> Iterator[Sequence[Any]]:
        return iter(self._query(sql, parameters))


def _inline(kind: str | None, values: Mapping[str, Any], name: str) -> Any:
    """Return the value of a channel that a checkpoint itself keeps."""
    held = values.get(name)
    return unpack(kind, bytes(held)) if isinstance(held, msgspec.Raw) else held


def _checkpoint(identity: object, parent: object, metadata: object) -> Checkpoint:
    before = None if parent is None else str(parent)
    return Checkpoint(str(identity), before, *source_and_step(metadata))


def _changes(
    some: Sequence[tuple[Checkpoint, Mapping[str, Any], Mapping[str, Any]]],
    channels: Collection[str],
    last: dict[str, Any],
) -> list[tuple[str, str]]:
    """Return the names and versions of the channels that changed from one state to the next."""
    changes: list[tuple[str, str]] = []
    for _, versions, _ in some:
        for name in channels:
            if name in versions and versions[name] != last.get(name):
                last[name] = versions[name]
                changes.append((name, str(versions[name])))
    return changes


def node_of(path: str, sent: Sequence[str] = ()) -> str:
    """Return the node that a task is of, by its path, "" of what no node did.

    A path is `~__pregel_pull, node`, or `~__pregel_push, 0000000001, …` of the second that was
    sent; `sent` are the nodes that things were sent to, in order.
    """
    kind, *places = path.split(", ")
    if kind == _UPDATE:  # from outside
        return ""
    if kind != _TASK_OF_SENT:
        return path.rpartition(", ")[2]
    place = places[0] if places else ""
    at = int(place) if place.isascii() and place.isdigit() and len(place) <= 10 else len(sent)
    return sent[at] if at < len(sent) else ""


def checkpoints_of(store: Store, thread: str) -> list[Checkpoint]:
    """Return the checkpoints of a thread, in order. Raises NoSuchThread where there is none."""
    found = list(store.checkpoints(thread))
    if not found:
        raise no_such_thread(store, thread)
    return found


def no_such_thread(store: Store, thread: str) -> NoSuchThread:
    """Make the error that a store holds no such thread."""
    names = [each.name for each in islice(store.threads(), _COMPARED)]
    near = get_close_matches(thread, names, 3, 0.5)
    hint = f"; it holds {', '.join(near)}" if near else ""
    return NoSuchThread(f"the store holds no thread {thread}{hint}")


@contextmanager
def open_store(url: str) -> Iterator[Store]:
    """Open a store by its URL, sqlite:///runs.db or postgresql://…, for reading alone.

    Raises BadStore where there is none (it is not made), or it is none.
    """
    try:
        opened = _sqlite(sqlite_file(url)) if store_kind(url) == "sqlite" else _postgresql(url)
    except ValueError as error:
        raise BadStore(str(error)) from error
    with opened as store:
        yield store


@contextmanager
def _sqlite(path: Path) -> Iterator[Store]:
    try:
        there = path.exists()
    except OSError as error:  # a name that is too long
        raise BadStore(f"{path}: {error.strerror}") from error
    if not there:
        raise BadStore(f"{path}: there is no such file")
    if not path.is_file():
        raise BadStore(f"{path}: it is no file")
    connection = _open_for_reading(path)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST)
        # All that is read is of one moment: an agent may go on writing meanwhile.
        connection.execute("BEGIN")
        _require_tables(connection, path)

        def query(sql: str, parameters: Sequence[object]) -> Iterator[Any]:
            try:
                # Not `yield from`: who stops early would have it close what is closed already.
                for row in connection.execute(sql, parameters):  # noqa: UP028
                    yield row
            except (sqlite3.Error, UnicodeError) as error:
                raise BadStore(f"{path}: {_said(error)}") from error

        yield Store(str(path), query, query, "writes", "value")
    except sqlite3.DatabaseError as error:
        raise BadStore(f"{path}: {_said(error)}") from error
    finally:
        connection.close()


def _said(error: Exception) -> str:
    """Return what an error of SQLite says, and where that is not clear, what it means."""
    if isinstance(error, UnicodeError):
        return "a text that was asked for is none that a store can hold"
    if isinstance(error, sqlite3.Error) and _code(error) == sqlite3.SQLITE_TOOBIG:
        return f"it holds a value of more than {_LARGEST // 1_000_000} MB, which is not read"
    if isinstance(error, sqlite3.Error) and _code(error) in _HELD:
        return f"{error}: try again when nobody writes to it"
    return str(error)


def _code(error: sqlite3.Error) -> int:
    code = getattr(error, "sqlite_errorcode", None)  # not every error comes from SQLite itself
    return code & 0xFF if isinstance(code, int) else -1


def _open_for_reading(path: Path) -> sqlite3.Connection:
    name = quote(str(path.resolve()))
    try:
        connection = sqlite3.connect(f"file:{name}?mode=ro", uri=True, timeout=_BUSY_SECONDS)
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
    except sqlite3.OperationalError as error:
        if _code(error) not in _CANNOT_OPEN:
            raise BadStore(f"{path}: {_said(error)}") from error
        # A file in WAL mode needs a file beside it, which a folder that cannot be written refuses.
        # Without a log there is nobody writing, and the file alone is all there is.
        for log in (path.with_name(path.name + end) for end in ("-wal", "-journal")):
            if log.exists() and log.stat().st_size:
                raise BadStore(
                    f"{path}: {error}; its folder cannot be written, and {log.name} has a part of "
                    "what is in it: copy both to a folder that can"
                ) from error
        return sqlite3.connect(f"file:{name}?mode=ro&immutable=1", uri=True)
    except sqlite3.DatabaseError as error:
        raise BadStore(f"{path}: {error}") from error
    return connection


def _require_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Make sure that what is read are tables: a view could hold anything."""
    for table in ("checkpoints", "writes", *_OF_AGENTS):
        found = connection.execute(
            "SELECT type, rootpage FROM sqlite_schema WHERE name = ?", (table,)
        ).fetchone()
        if found is None and table in _OF_AGENTS:
            continue  # a store of LangGraph's own
        # Of a virtual table, which is made by whatever program, there is no page.
        if found is None or found[0] != "table" or not found[1]:
            raise BadStore(f"{path}: it is no store of runs: it has no table {table}")


@contextmanager
def _postgresql(url: str) -> Iterator[Store]:
    try:
        import psycopg
    except ImportError as error:
        raise BadStore("reading PostgreSQL needs: pip install 'stalwart-lang[runs]'") from error
    name = without_password(url)
    try:
        with psycopg.connect(url, options="-c default_transaction_read_only=on") as connection:
            # All that is read is of one moment: an agent may go on writing meanwhile.
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            numbers = count(1)

            def query(sql: str, parameters: Sequence[object]) -> Iterator[Any]:
                # The rows stay with the server; several may be read at once.
                with connection.cursor(name=f"stalwart{next(numbers)}") as cursor:
                    cursor.itersize = _TOGETHER
                    yield from cursor.execute(sql.replace("?", "%s"), parameters)

            def few(sql: str, parameters: Sequence[object]) -> Iterator[Any]:
                yield from connection.execute(sql.replace("?", "%s"), parameters, binary=True)

            yield Store(name, query, few, "checkpoint_writes", "blob", blobs=True)
    except UnicodeError as error:
        raise BadStore(
            f"{name}: a text that was asked for is none that a store can hold"
        ) from error
    except psycopg.errors.UndefinedTable as error:
        raise BadStore(f"{name}: it is no store of runs") from error
    except psycopg.Error as error:
        raise BadStore(told_without_password(error, url)) from error
