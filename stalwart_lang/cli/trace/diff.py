"""`stalwart trace diff`: where two runs of the same input went different ways."""

import click

from stalwart_lang.cli.closed_pipe import reader_may_leave
from stalwart_lang.cli.errors import Unreadable, unreadable
from stalwart_lang.cli.trace.printing import line_printer
from stalwart_lang.cli.trace.selection import PassedOver, reading
from stalwart_lang.terminal import printable, printable_json
from stalwart_lang.timeline import NoSuchRun
from stalwart_lang.timeline.diff.as_json import comparison_object
from stalwart_lang.timeline.diff.difference import Comparison, Nothing, SeveralRuns, compare
from stalwart_lang.timeline.diff.text import comparison_lines
from stalwart_lang.timeline.sources import STANDARD_INPUT


@click.command()
@click.argument("a")
@click.argument("b")
@click.option("--trace-id-a", metavar="ID", help="The run of A: 4 digits of its trace id or more.")
@click.option("--trace-id-b", metavar="ID", help="The run of B, likewise.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def diff(a: str, b: str, trace_id_a: str | None, trace_id_b: str | None, as_json: bool) -> None:
    """Find the first step where the runs recorded in A and B part.

    Runs differ in what they decided: times, ids, tokens and the order of what ran at once make no
    difference. What differs after the first difference is shown as downstream of it: its
    contagion, not another cause. Traces of several runs are compared pair by pair, in the order in
    which the runs began; the first pair that differs is shown.

    Exit codes: 0 the same, 1 they differ, 2 bad usage, or A or B cannot be read or holds no run.
    """
    if a == b == STANDARD_INPUT:
        raise click.UsageError("standard input (-) can be only one of A and B")
    found = _compare((a, b), (trace_id_a, trace_id_b))
    with reading(a), reader_may_leave():
        if as_json:
            click.echo(printable_json(comparison_object(found, a, b)))
        else:
            print_line = line_printer()
            for line in comparison_lines(found, a, b):
                print_line(line)
    if not found.same:
        raise click.exceptions.Exit(1)


def _compare(files: tuple[str, str], trace_ids: tuple[str | None, str | None]) -> Comparison:
    told = [PassedOver(file) for file in files]
    try:
        found = compare(files, trace_ids, lambda which, damage: told[which](damage))
    except OSError as error:
        raise unreadable(str(error.filename or " or ".join(files)), error) from error
    except NoSuchRun as error:
        raise Unreadable(printable(str(error))) from error
    except SeveralRuns:
        raise click.UsageError(
            "the other file holds several runs: choose one of each with --trace-id-a and "
            "--trace-id-b"
        ) from None
    except Nothing as error:
        file = files[error.which]
        if error.asked is not None:
            raise Unreadable(
                f"{file}: it holds no run of trace {printable(error.asked)}; "
                f"`stalwart trace show --list {file}` lists its runs"
            ) from error
        raise told[error.which].nothing() from error
    for each in told:
        each.found()
    return found
