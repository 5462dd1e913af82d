"""The store in PostgreSQL."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from selectors import EVENT_READ, DefaultSelector
from typing import Any, TypeAlias

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg.rows import dict_row, tuple_row

from stalwart_lang.runs.locks import Busy, lock_number
from stalwart_lang.runs.serializer import plain_serializer
from stalwart_lang.runs.storage import BadStorage, Storage
from stalwart_lang.store_url import told_without_password

Session: TypeAlias = psycopg.Connection[dict[str, Any]]

_MAKING_TABLES = 7303014
"""The number of the lock that whoever makes the tables holds."""

_AGAIN_SECONDS = 0.02


class PostgresqlDatabase:
    """An open database of a PostgreSQL server: one session, which holds the locks too.

    What is done under a lock is done in the session that holds it: if that is lost, and the lock
    with it, it ends there as a process that dies does, and does not go on beside whoever has the
    lock then.
    """

    errors = (psycopg.Error,)

    def __init__(self, url: str) -> None:
        self._url = url
        self._guard = threading.Lock()
        self._held: set[str] = set()
        self._session = _connect(url)
        self._holding: ContextVar[Session | None] = ContextVar("session", default=None)
        self.saver = PostgresSaver(self._session, serde=plain_serializer())

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> tuple[int, list[Any]]:
        """Run a statement and commit it."""
        session = self._holding.get() or self._session
        with self.saver.lock, session.cursor(row_factory=tuple_row) as cursor:
            cursor.execute(sql.replace("?", "%s"), parameters)
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
            holding = self._holding.set(self._session)
            try:
                got = self.execute("SELECT pg_try_advisory_lock(?)", number)[1] == [(True,)]
            except BaseException:
                self._holding.reset(holding)
                raise
            if not got:
                self._holding.reset(holding)
                raise Busy(thread)
            self._held.add(thread)
        try:
            yield
        finally:
            with self._guard:
                self._held.discard(thread)
                with suppress(psycopg.Error):  # a session that is lost has given it free
                    self.execute("SELECT pg_advisory_unlock(?)", number)
                self._holding.reset(holding)

    def reopen(self) -> None:
        """Connect again where the server closed the session, as it does when it is restarted."""
        with self.saver.lock:
            if not _is_open(self._session):
                self._session = self.saver.conn = _connect(self._url)

    def close(self) -> None:
        """Close it."""
        self._session.close()

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
        raise BadStorage(told_without_password(error, url)) from error


def _connect(url: str) -> Session:
    # As the saver wants it.
    session = psycopg.connect(url, autocommit=True, prepare_threshold=0, row_factory=dict_row)
    # For a checkpoint's few values the planner would hash all that the thread ever had: the longer
    # the thread, the dearer a step.
    session.execute("SET enable_hashjoin = off", prepare=False)
    session.execute("SET enable_mergejoin = off", prepare=False)
    return session


def _is_open(connection: Session) -> bool:
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
