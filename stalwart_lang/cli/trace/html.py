"""`stalwart trace html`: runs as one page that needs nothing else."""

from itertools import chain

import click

from stalwart_lang.cli.stored_state import marked_texts
from stalwart_lang.cli.trace.output import write_whole
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
    write_whole(output, file, page)
