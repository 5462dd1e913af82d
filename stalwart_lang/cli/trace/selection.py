"""Which runs of a file a command is about, and what it says of lines that hold none."""

import errno
import functools
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import ParamSpec, TypeVar

import click

from stalwart_lang.cli.errors import Unreadable, unreadable
from stalwart_lang.terminal import printable
from stalwart_lang.timeline import Damage, NoSuchRun, Run, Selection, read_runs
from stalwart_lang.timeline.stored import (
    BadStore,
    NoSuchThread,
    Thread,
    read_stored_run,
    stored_threads,
)

P = ParamSpec("P")
T = TypeVar("T")
_NAMED = 20
_TOLD = 10
_FULL = (errno.ENOSPC, errno.EDQUOT)


def selection(command: Callable[..., T]) -> Callable[..., T]:
    """Give a command its FILE, or its store, and the options that choose runs of it.

    The command is called with `file` (a path, `-` for standard input, or the URL of a store) and
    `chosen`. What cannot be read, and a choice that fits no run or several, are told by exit code
    2.
    """

    @click.argument("file", required=False)
    @click.option(
        "--store",
        metavar="URL",
        help="Not a file but an agent's store: sqlite:///… or postgresql://…",
    )
    @click.option("--trace-id", metavar="ID", help="Only the run of this trace: 4 digits or more.")
    @click.option("--thread", metavar="T", help="Only the runs of this thread (conversation).")
    @functools.wraps(command)
    def with_selection(
        *args: object,
        file: str | None,
        store: str | None,
        trace_id: str | None,
        thread: str | None,
        **options: object,
    ) -> T:
        source = _source(file, store, trace_id, thread, bool(options.get("listed")))
        with reading(source):
            chosen = Selection(trace_id, thread)
            return command(*args, file=source, chosen=chosen, **options)

    return with_selection


def _source(
    file: str | None, store: str | None, trace_id: str | None, thread: str | None, listed: bool
) -> str:
    if store is None and file is None:
        raise click.UsageError("Give a FILE, or --thread T --store URL.")
    if file is not None and store is not None:
        raise click.UsageError("Give a FILE or --store, not both.")
    if store is None:
        return str(file)
    if trace_id is not None:
        raise click.UsageError("A store has threads, not traces: choose one with --thread.")
    if thread is None and not listed:
        held = ", ".join(printable(each.name) for each in _threads(store, _NAMED)) or "none"
        raise click.UsageError(f"Choose a thread with --thread. The store holds: {held}.")
    return store


def is_store(source: str) -> bool:
    """Whether a command's source is the URL of a store."""
    return source.startswith(("sqlite://", "postgresql://", "postgres://"))


def _threads(store: str, most: int) -> list[Thread]:
    try:
        return list(islice(stored_threads(store), most))
    except BadStore as error:
        raise Unreadable(printable(str(error))) from error


@contextmanager
def reading(file: str) -> Generator[None, None, None]:
    """Tell what goes wrong while `file` is read, by exit code 2."""
    try:
        yield
    except BrokenPipeError:  # of standard output: its reader has gone away
        raise
    except OSError as error:
        if error.errno in _FULL and error.filename is None:  # nothing that is read is full
            raise Unreadable("standard output, or the temporary folder, is full") from error
        raise unreadable(str(error.filename or file), error) from error
    except NoSuchRun as error:
        raise Unreadable(printable(f"{file}: {error}")) from error
    except (BadStore, NoSuchThread) as error:
        raise Unreadable(printable(str(error))) from error


class PassedOver:
    """Tells on standard error of the lines of `file` that hold no span: the first, then how many.

    It is called with each of them. Nothing is told before `found`: a file in which nothing is a
    span is no trace, and one error says so. How many more there were is told as the command ends.
    """

    def __init__(self, file: str) -> None:
        self.first: Damage | None = None
        self._file = file
        self._found = False
        self._count = 0
        self._held: list[Damage] = []
        click.get_current_context().call_on_close(self._tell_rest)

    def __call__(self, damage: Damage) -> None:
        """Take a line that holds no span."""
        self.first = self.first or damage
        self._count += 1
        if self._count <= _TOLD:
            self._held.append(damage)
            if self._found:
                self.found()

    def found(self) -> None:
        """Say that the file holds spans."""
        self._found = True
        for damage in self._held:
            reason = printable(damage.reason)
            click.echo(f"{printable(self._file)}:{damage.line}: passed over: {reason}", err=True)
        self._held.clear()

    def nothing(self) -> Unreadable:
        """Return the error of a file that holds no span."""
        if self.first is None:
            return Unreadable(f"{printable(self._file)}: it holds no spans")
        reason = printable(self.first.reason)
        return Unreadable(f"{printable(self._file)}:{self.first.line}: no span: {reason}")

    def _tell_rest(self) -> None:
        if self._found and self._count > _TOLD:
            more = self._count - _TOLD
            lines = "line" if more == 1 else "lines"
            said = f"and {more:,} more {lines} passed over"
            click.echo(f"{printable(self._file)}: {said}", err=True)


def runs_of(file: str, chosen: Selection) -> Iterator[Run]:
    """Yield the chosen runs of `file`, telling of lines that are passed over.

    Raises:
        Unreadable: there is none.
    """
    if is_store(file):
        yield read_stored_run(file, str(chosen.thread))
        return
    damaged = PassedOver(file)
    found = False
    for run in read_runs(file, chosen, damaged):
        if not found:
            found = True
            damaged.found()
        yield run
    if not found:
        raise _nothing(file, chosen, damaged)


def _nothing(file: str, chosen: Selection, damaged: PassedOver) -> Unreadable:
    if chosen.trace_id is not None or chosen.thread is not None:
        asked = [
            f"{what} {printable(value)}"
            for what, value in (("trace", chosen.trace_id), ("thread", chosen.thread))
            if value is not None
        ]
        return Unreadable(
            f"{file}: it holds no run of {' and '.join(asked)}; "
            f"`stalwart trace show --list {file}` lists its runs"
        )
    return damaged.nothing()
