"""`stalwart trace tree`: runs as trees."""

import click

from stalwart_lang.cli.trace.printing import line_printer
from stalwart_lang.cli.trace.selection import runs_of, selection
from stalwart_lang.timeline import Selection
from stalwart_lang.timeline.tree import tree_lines


@click.command()
@selection
def tree(file: str, chosen: Selection) -> None:
    """Print the runs recorded in FILE as trees: who called what, how long it took, what came of it.

    What a tool was given and what it returned are shown where the trace holds them; else the
    digests that stand for them, `#` before them.

    Exit codes: 0 done, 2 bad usage, or FILE cannot be read or holds nothing to show.
    """
    print_line = line_printer(fold=False)
    for index, run in enumerate(runs_of(file, chosen)):
        if index:
            print_line(())
        for line in tree_lines(run):
            print_line(line)
