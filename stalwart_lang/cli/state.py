"""`stalwart state`: the state that runs keep, checked."""

import json
from collections.abc import Iterator

import click

from stalwart_lang.cli.errors import Unreadable, unreadable
from stalwart_lang.terminal import printable
from stalwart_lang.tracing.attributes import HISTORY_TOKEN

_SETTINGS = {"help_option_names": ["-h", "--help"]}
_OF_THE_EXTRA = ("msgspec", "zstandard")


@click.group(context_settings=_SETTINGS)
def state() -> None:
    """Check the state that runs keep."""


@state.command(context_settings=_SETTINGS)
@click.option("--thread", required=True, metavar="T", help="The thread (conversation).")
@click.option("--store", required=True, metavar="URL", help="sqlite:///… or postgresql://…")
@click.option(
    "--anchor",
    "anchors",
    multiple=True,
    metavar="FILE",
    help="A trace of the thread, kept elsewhere: its tokens show whether the history was cut.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check(thread: str, store: str, anchors: tuple[str, ...], as_json: bool) -> None:
    """Print what is broken in the state of a stored run, one line a violation, the first first.

    What comes after the first may be its consequence. Whether the history was verified is told on
    standard error: where the key is not here it is not, and what has no key cannot be told from
    what was made anew.

    Exit codes: 0 nothing is broken, 1 something is, 2 bad usage, or the store, the thread or FILE
    cannot be read.
    """
    try:
        from stalwart_lang.cli.stored_state import checked_state
    except ModuleNotFoundError as error:
        if error.name not in _OF_THE_EXTRA:
            raise
        raise Unreadable(
            f"stalwart state needs {error.name}: pip install 'stalwart-lang[trace]'"
        ) from error
    tokens = [token for file in anchors for token in _tokens(file, thread)]
    came = checked_state(store, thread, tokens)
    history = came.history
    if as_json:
        found = {
            "thread": thread,
            "steps": came.steps,
            "history": None
            if history is None
            else {
                "entries": came.entries,
                "verdict": history.verdict,
                "message": history.message,
            },
            "violations": [
                {
                    "step": each.step,
                    "kind": each.kind,
                    "where": each.where,
                    "id": each.id,
                    "call_id": each.call_id,
                    "message": each.message,
                }
                for each in came.violations
            ],
        }
        click.echo(json.dumps(found, ensure_ascii=False))
    else:
        for each in came.violations:
            click.echo(printable(str(each)))
        told = (
            f"{printable(thread)}: {_counted(came.steps, 'step', 'steps')}, "
            f"{_counted(len(came.violations), 'violation', 'violations')}"
        )
        if history is not None and came.entries:
            why = f" ({history.message})" if history.message else ""
            entries = _counted(came.entries, "entry", "entries")
            told += f"; a history of {entries}, {history.verdict}{printable(why)}"
        click.echo(told, err=True)
    if came.violations:
        raise click.exceptions.Exit(1)


def _tokens(file: str, thread: str) -> Iterator[str]:
    """Yield the digests of history tokens that the spans of a thread in a trace have."""
    from stalwart_lang.timeline import NoSuchRun, Selection, read_runs

    try:
        for run in read_runs(file, Selection(None, thread), lambda _: None):
            for span in run.spans:
                token = span.attributes.get(HISTORY_TOKEN)
                if isinstance(token, str):
                    yield token
    except OSError as error:
        raise unreadable(file, error) from error
    except NoSuchRun as error:
        raise Unreadable(f"{file}: {printable(str(error))}") from error


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
