"""Lines of a timeline on standard output: coloured on a terminal, plain text elsewhere."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import click

from stalwart_lang.timeline.text import Line, Style, plain

if TYPE_CHECKING:
    from rich.console import Console

_STYLES: Mapping[Style, str] = {
    "": "",
    "heading": "bold",
    "label": "cyan",
    "allow": "green",
    "confirm": "yellow",
    "refuse": "bold red",
    "error": "bold red",
    "open": "magenta",
}


def line_printer(fold: bool = True, *, at_once: bool = False) -> Callable[[Line], object]:
    """Return what prints a line; into a pipe or a file several together, if not `at_once`.

    On a terminal a line that is too wide goes on below its own beginning, or ends with an ellipsis
    where `fold` is False. `NO_COLOR` takes the colours away.
    """
    if not sys.stdout.isatty():
        if at_once:
            return lambda line: click.echo(plain(line))
        write = sys.stdout.write
        return lambda line: write(plain(line) + "\n")
    from rich.console import Console

    return partial(_on_terminal, Console(highlight=False, markup=False, emoji=False), fold)


def _on_terminal(console: "Console", fold: bool, line: Line) -> None:
    from rich.table import Table
    from rich.text import Text

    if not line:
        console.print()
        return
    pieces = [(piece.text, _STYLES[piece.style]) for piece in line]
    if not fold or len(pieces) == 1:
        text = Text.assemble(*pieces)
        console.print(text, no_wrap=not fold, overflow="fold" if fold else "ellipsis")
        return
    row = Table.grid()
    row.add_column(no_wrap=True)
    row.add_column(overflow="fold")
    row.add_row(Text.assemble(pieces[0]), Text.assemble(*pieces[1:]))
    console.print(row)
