"""`stalwart trace`: a run seen step by step."""

from pathlib import Path

import click

from stalwart_lang.cli.errors import Unreadable, unreadable
from stalwart_lang.timeline import Damage, Span, gather_runs, read_spans, text_timeline


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def trace() -> None:
    """Show what a run did."""


@trace.command()
@click.argument("file")
def show(file: str) -> None:
    """Print the runs recorded in FILE as timelines.

    Exit codes: 0 done, 2 the file is missing or holds no spans.
    """
    spans: list[Span] = []
    damages: list[Damage] = []
    try:
        with Path(file).open("rb") as lines:
            for found in read_spans(lines):
                if isinstance(found, Span):
                    spans.append(found)
                else:
                    damages.append(found)
    except OSError as error:
        raise unreadable(file, error) from error
    if damages and not spans:
        raise Unreadable(f"{file}:{damages[0].line}: no span: {damages[0].reason}")
    for line in text_timeline(gather_runs(spans)):
        click.echo(line)
    for damage in damages:
        click.echo(f"{file}:{damage.line}: passed over: {damage.reason}", err=True)
    if not spans:
        click.echo(f"{file}: it holds no spans", err=True)
