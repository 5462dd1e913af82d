"""The store in PostgreSQL."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from selectors import EVENT_READ, DefaultSelector
from typing import Any
from urllib.parse import urlsplit

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg.rows import dict_row

from stalwart_lang.runs.locks import Busy, lock_number
from stalwart_lang.runs.serializer import plain_serializer
from stalwart_lang.runs.storage import BadStorage, Storage

_MAKING_TABLES = 7303014
"""The number of the lock that whoever makes the tables holds."""

_AGAIN_SECONDS = 0.02


class PostgresqlDatabase:
    """An open database of a PostgreSQL server."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._guard = threading.Lock()
        self._held: set[str] = set()
        self._saved: psycopg.Connection[Any] = self._for_saver()
        self._own = psycopg.connect(url, autocommit=True)
        self.saver = PostgresSaver(self._saved, serde=plain_serializer())

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> tuple[int, list[Any]]:
        """Run a statement and commit it."""
        with self._lock:
            cursor = self._own.execute(sql.replace("?", "%s"), parameters)
            return cursor.rowcount, cursor.fetchall() if cursor.description else []

    @contextmanager
    def locked(self, thread: str) -> Iterator[None]:
        """Have a conversation for oneself alone. Raises Busy.

        The lock is the session's, which gives it free however the process ends. A session does not
        exclude itself: its threads are kept apart here.
        """
        number = (lock_number(thread),)
        with self._guard:
            if thread in self._held:
                raise Busy(thread)
            if self.execute("SELECT pg_try_advisory_lock(?)", number)[1] != [(True,)]:
                raise Busy(thread)
            self._held.add(thread)
        try:
            yield
        finally:
            with self._guard:
                self._held.discard(thread)
                with suppress(psycopg.Error):  # a session that is lost has given it free
                    self.execute("SELECT pg_advisory_unlock(?)", number)

    def reopen(self) -> None:
        """Connect again where the server closed a connection, as it does when it is restarted."""
        with self._lock, self.saver.lock:
            if not _is_open(self._own):
                self._own = psycopg.connect(self._url, autocommit=True)
            if not _is_open(self._saved):
                self._saved = self.saver.conn = self._for_saver()

    def close(self) -> None:
        """Close it."""
        self._saved.close()
        self._own.close()

    @contextmanager
    def making_tables(self) -> Iterator[None]:
        """Make tables while no other process does, as several that start at once would."""
        # Asked for again and again: who waits for a lock inside of a statement holds a snapshot,
        # for which the other waits that makes an index concurrently.
        while self.execute("SELECT pg_try_advisory_lock(?)", (_MAKING_TABLES,))[1] != [(True,)]:
            time.sleep(_AGAIN_SECONDS)
        try:
            yield
        finally:
            self.execute("SELECT pg_advisory_unlock(?)", (_MAKING_TABLES,))

    def _for_saver(self) -> psycopg.Connection[Any]:
        return psycopg.connect(
            self._url, autocommit=True, prepare_threshold=0, row_factory=dict_row
        )


def open_postgresql(url: str) -> Storage:
    """Open a database of a PostgreSQL server, and make the tables where they are not there.

    Raises BadStorage where the server cannot be reached, or does not let us.
    """
    try:
        database = PostgresqlDatabase(url)
        with database.making_tables():
            database.saver.setup()
            return Storage(database)
    except psycopg.Error as error:
        raise BadStorage(f"{_without_password(url)}: {str(error).strip()}") from error


def _is_open(connection: psycopg.Connection[Any]) -> bool:
    """Whether it can be used; the server is asked only where it has sent something unasked."""
    if connection.closed:
        return False
    with DefaultSelector() as selector:
        selector.register(connection.fileno(), EVENT_READ)
        if not selector.select(0):
            return True
    try:
        connection.execute("SELECT 1")
    except psycopg.OperationalError:
        return False
    return True


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    host = parts.hostname or ""
    named = f"{parts.username}@{host}" if parts.username else host
    return parts._replace(netloc=named, query="").geturl()
