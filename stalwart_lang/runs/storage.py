"""Where runs are kept: the engine's checkpointer, and beside it tables of our own.

`stalwart_calls` is the record of intent: a call is pending there before its tool runs and done or
failed after, so that a process killed in between leaves it in doubt. `stalwart_answers` holds each
answer of a person, whoever gives it. Both are in the same database as the checkpoints.
"""

import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from stalwart_lang.store_url import sqlite_file, store_kind

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

Status: TypeAlias = Literal["pending", "done", "failed", "in doubt", "undone"]
"""`in doubt`: the process ended between the intent and the outcome, and nobody knows which came."""

_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS stalwart_store (
        one INTEGER PRIMARY KEY CHECK (one = 1),
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
    "CREATE INDEX IF NOT EXISTS stalwart_calls_by_step ON stalwart_calls (thread, step)",
    """
    CREATE TABLE IF NOT EXISTS stalwart_answers (
        thread TEXT NOT NULL,
        call_id TEXT NOT NULL,
        answer TEXT NOT NULL,
        PRIMARY KEY (thread, call_id)
    )
    """,
)


_LAST_STEP = 2**31 - 1
"""The highest that a column of PostgreSQL's INTEGER holds."""


class BadStorage(ValueError):
    """Raised for a storage URL of no known kind, and where the store cannot be opened or fails."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call as the record of intent has it.

    `step` is the step of the history at which it ran; `undoes` that of the call which it undoes.
    """

    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    status: Status
    step: int
    undoes: int | None = None
    result: Any = None
    error: str | None = None


class Database(Protocol):
    """An open database, and the locks that go with it."""

    @property
    def saver(self) -> "BaseCheckpointSaver[Any]":
        """What keeps checkpoints in it."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What is raised where it fails."""

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> tuple[int, list[Any]]:
        """Run a statement, `?` for each parameter; return how many rows it changed, and its rows.

        It is committed when this returns.
        """

    def locked(self, thread: str) -> AbstractContextManager[None]:
        """Have a conversation for oneself alone. Raises Busy."""

    def reopen(self) -> None:
        """Connect again where a connection has been lost."""

    def close(self) -> None:
        """Close it."""


class Storage:
    """An open store. `id` is its own, made when it was: tokens of a history are bound to it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._process = os.getpid()
        self._closed = False
        for statement in _TABLES:
            database.execute(statement)
        database.execute(
            "INSERT INTO stalwart_store (one, id) VALUES (1, ?) ON CONFLICT DO NOTHING",
            (secrets.token_hex(16),),
        )
        self.id = str(database.execute("SELECT id FROM stalwart_store")[1][0][0])

    @property
    def saver(self) -> "BaseCheckpointSaver[Any]":
        """What keeps the checkpoints."""
        return self._database.saver

    def ready(self) -> None:
        """Make sure that it can be worked with; a lost connection is made again.

        Raises RuntimeError where it is closed, or was opened before this process was forked.
        """
        if self._closed:
            raise RuntimeError("this agent is closed")
        if os.getpid() != self._process:
            raise RuntimeError(
                "this agent was opened before the process was forked, and an open store cannot be "
                "shared so: open the agent in each process"
            )
        self._database.reopen()

    @contextmanager
    def failing_clearly(self) -> Iterator[None]:
        """Raise BadStorage where the store fails, whatever keeps it."""
        try:
            yield
        except self._database.errors as error:
            raise BadStorage(f"the store failed: {str(error).strip()}") from error

    def locked(self, thread: str) -> AbstractContextManager[None]:
        """Return a context manager that has the conversation for its thread of control alone.

        Raises Busy where another has it. A process that dies gives it free.
        """
        return self._database.locked(thread)

    def went_on(self, thread: str, checkpoint: str) -> bool:
        """Whether a thread's last checkpoint is no longer this one, `""` where it had none."""
        _, rows = self._database.execute(
            "SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''",
            (thread,),
        )
        return (rows[0][0] or "") != checkpoint

    def call(self, thread: str, call_id: str) -> CallRecord | None:
        """Return the record of a call, or None."""
        found = self._calls("call_id = ?", thread, call_id)
        return found[0] if found else None

    def calls_of(
        self, thread: str, tools: Sequence[str], statuses: Sequence[Status] = ("done",)
    ) -> list[CallRecord]:
        """Return the calls of `tools` that came to one of `statuses`, in order."""
        if not tools:
            return []
        tool, status = (", ".join("?" * len(given)) for given in (tools, statuses))
        return self._calls(f"tool IN ({tool}) AND status IN ({status})", thread, *tools, *statuses)

    def calls_from(self, thread: str, step: int) -> list[CallRecord]:
        """Return the calls from a step of the history on that are done or in doubt, in order.

        Undos are among them where they are in doubt.
        """
        return self._calls(
            "step >= ? AND (status = 'in doubt' OR (status = 'done' AND undoes IS NULL))",
            thread,
            min(step, _LAST_STEP),
        )

    def _calls(self, where: str, *parameters: object) -> list[CallRecord]:
        _, rows = self._database.execute(
            "SELECT call_id, tool, arguments, status, step, undoes, result, error "
            f"FROM stalwart_calls WHERE thread = ? AND {where} ORDER BY step",
            parameters,
        )
        return [_record(row) for row in rows]

    def intend(
        self,
        thread: str,
        call_id: str,
        tool: str,
        arguments: Mapping[str, Any],
        step: int,
        undoes: int | None = None,
    ) -> bool:
        """Record that the call is about to run. False where it is recorded already."""
        changed, _ = self._database.execute(
            "INSERT INTO stalwart_calls (thread, call_id, tool, arguments, status, step, undoes) "
            "VALUES (?, ?, ?, ?, 'pending', ?, ?) ON CONFLICT DO NOTHING",
            (thread, call_id, tool, json.dumps(arguments), step, undoes),
        )
        return changed == 1

    def settle(
        self,
        thread: str,
        call_id: str,
        status: Status,
        *,
        result: object = None,
        error: str | None = None,
    ) -> None:
        """Record what came of the call; a `result` is a value of JSON."""
        self._database.execute(
            "UPDATE stalwart_calls SET status = ?, result = COALESCE(?, result), "
            "error = COALESCE(?, error) WHERE thread = ? AND call_id = ?",
            (status, None if result is None else json.dumps(result), error, thread, call_id),
        )

    def answer(self, thread: str, call_id: str, answer: str) -> str:
        """Record a person's answer about a call; return the one that counts.

        It is the first, but that "decline" counts over an approval that came to nothing, since
        its process ended there.
        """
        self._database.execute(
            "INSERT INTO stalwart_answers (thread, call_id, answer) VALUES (?, ?, ?) "
            "ON CONFLICT (thread, call_id) DO UPDATE SET answer = excluded.answer "
            "WHERE excluded.answer = 'decline'",
            (thread, call_id, answer),
        )
        return self.answer_about(thread, call_id) or answer

    def answer_about(self, thread: str, call_id: str) -> str | None:
        """Return the answer that was given about a call, or None."""
        _, rows = self._database.execute(
            "SELECT answer FROM stalwart_answers WHERE thread = ? AND call_id = ?",
            (thread, call_id),
        )
        return str(rows[0][0]) if rows else None

    def close(self) -> None:
        """Close the store. May be called twice."""
        if not self._closed:
            self._closed = True
            self._database.close()


def open_storage(url: str | None) -> Storage:
    """Open a store: `sqlite:///path`, `postgresql://…`, or without a URL the memory.

    Raises BadStorage, with what to write instead; ImportError where the extra `runs` is not there.
    """
    try:
        if url is None or store_kind(url) == "sqlite":
            from stalwart_lang.runs.sqlite_database import open_sqlite

            return Storage(open_sqlite(None if url is None else sqlite_file(url)))
    except BadStorage:
        raise
    except ValueError as error:
        raise BadStorage(str(error)) from error
    from stalwart_lang.runs.postgresql_database import open_postgresql

    return open_postgresql(url)


def _record(row: Sequence[Any]) -> CallRecord:
    call_id, tool, arguments, status, step, undoes, result, error = row
    return CallRecord(
        call_id=call_id,
        tool=tool,
        arguments=json.loads(arguments),
        status=status,
        step=step,
        undoes=undoes,
        result=None if result is None else json.loads(result),
        error=error,
    )
