"""`stalwart trace html`: runs as one page that needs nothing else."""

import secrets
from collections.abc import Iterable
from contextlib import suppress
from itertools import chain
from pathlib import Path

import click

from stalwart_lang.cli.errors import unreadable
from stalwart_lang.cli.stored_state import marked_texts
from stalwart_lang.cli.trace.selection import is_store, runs_of, selection
from stalwart_lang.timeline import Selection
from stalwart_lang.timeline.page import LANGUAGES, Language, html_page

_STANDARD_OUTPUT = "-"


@click.command()
@selection
@click.option("-o", "--output", metavar="OUT", help="The page; `-` is standard output.")
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default="en",
    show_default=True,
    help="The page's language.",
)
def html(file: str, chosen: Selection, output: str | None, language: Language) -> None:
    """Make one HTML page of the runs recorded in FILE: no script, no request to anywhere.

    OUT is there whole or not at all.

    Exit codes: 0 done, 2 bad usage, FILE cannot be read or holds nothing, or OUT cannot be written.
    """
    if output is None:
        raise click.UsageError("Name the page to write: -o OUT, or `-o -` for standard output.")
    violations = marked_texts(file, chosen.thread, language) if is_store(file) else None
    pieces = html_page(runs_of(file, chosen), language=language, violations=violations)
    first = next(pieces)  # FILE is read before OUT is touched
    page = (piece.encode() for piece in chain([first], pieces))
    if output == _STANDARD_OUTPUT:
        for piece in page:
            click.echo(piece, nl=False)
        return
    try:
        target = Path(output).resolve()
        if target.exists() and Path(file).exists() and target.samefile(file):
            raise click.UsageError(f"{output}: OUT is FILE itself; name another.")
        if target.exists() and not target.is_file():  # a device or a pipe; a folder is refused here
            with target.open("wb") as stream:
                stream.writelines(page)
        else:
            _write_whole(target, page)
    except OSError as error:
        raise unreadable(output, error) from error


def _write_whole(target: Path, pieces: Iterable[bytes]) -> None:
    """Write a file beside `target` and put it in its place, so that no half of it is ever seen."""
    beside = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as stream:
            if target.exists():  # whoever may read it today may read it tomorrow, and nobody else
                beside.chmod(target.stat().st_mode & 0o777)
            stream.writelines(pieces)
        beside.replace(target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
