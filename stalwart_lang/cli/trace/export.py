"""`stalwart trace export`: runs in the format of other tools."""

from itertools import chain

import click

from stalwart_lang.cli.trace.output import write_whole
from stalwart_lang.cli.trace.selection import runs_of, selection
from stalwart_lang.timeline import Selection
from stalwart_lang.timeline.otlp import write_messages


@click.command()
@selection
@click.option("--otlp", is_flag=True, help="OTLP/JSON, a message a line.")
@click.option("-o", "--output", metavar="OUT", help="Where to; standard output without it.")
def export(file: str, chosen: Selection, otlp: bool, output: str | None) -> None:
    """Write the runs recorded in FILE as OpenTelemetry's tools read them.

    A span that never ended has its start as its end, and `stalwart.open`. OUT is there whole or
    not at all.

    Exit codes: 0 done, 2 bad usage, FILE cannot be read or holds nothing, or OUT cannot be written.
    """
    if not otlp:
        raise click.UsageError("Name the format: --otlp.")
    lines = (line for run in runs_of(file, chosen) for line in write_messages(run))
    if output is None:
        for line in lines:
            click.echo(line, nl=False)
        return
    first = next(lines)  # FILE is read before OUT is touched
    write_whole(output, file, chain([first], lines))
