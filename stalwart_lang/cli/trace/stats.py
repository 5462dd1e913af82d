"""`stalwart trace stats`: figures of one run or of many."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from stalwart_lang.cli.errors import Unreadable
from stalwart_lang.cli.trace.printing import line_printer
from stalwart_lang.cli.trace.selection import PassedOver, reading, runs_of
from stalwart_lang.terminal import printable, printable_json
from stalwart_lang.timeline import Selection
from stalwart_lang.timeline.sources import STANDARD_INPUT
from stalwart_lang.timeline.stats.as_json import summary_object
from stalwart_lang.timeline.stats.passing import passed
from stalwart_lang.timeline.stats.summary import Summary
from stalwart_lang.timeline.stats.text import run_lines, summary_lines


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1)
@click.option("--store", metavar="URL", help="Not a file but an agent's store: sqlite:///…")
@click.option("--trace-id", metavar="ID", help="Only the run of this trace: 4 digits or more.")
@click.option("--thread", metavar="T", help="Only the runs of this thread (conversation).")
@click.option("--runs", "each", is_flag=True, help="Print the figures of each run as well.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def stats(
    files: tuple[str, ...],
    store: str | None,
    trace_id: str | None,
    thread: str | None,
    each: bool,
    as_json: bool,
) -> None:
    """Count what the runs recorded in the FILEs did, and how long it took.

    \b
    completed  runs that neither failed (their root did, or they were rolled back),
               nor wait for a person, nor were left open (killed, or still under way)
    rounds     model calls that are not below another model call or a tool
    steps      steps of an agent that records them, else rounds
    errors     failed spans with no failed span below them
    tool calls tools that ran; checks of a call are not counted
    time       of the run's root; if it never ended, to the last moment known
    p50, p95…  nearest rank: the least time that so many percent of all do not exceed
    loops      4 rounds or more of the same calls with the same arguments, or two or more
               rounds that repeat in turn; a call made 3 times with the same arguments

    With --json, one object: runs, completion_rate, outcomes, rounds, steps, model_calls,
    tool_calls, errors, tokens_in, tokens_out, tokens_total, wall_ms (of all runs together),
    open_spans, undone, confirmations, refusals (by rule), calls_by_tool, errors_by_tool,
    latency_ms (of runs, model_calls and tools), tokens_per_run, loops, repeated_calls, and how many
    of these two were found. One run alone has trace_id, thread, name, began and outcome as well;
    with --runs, per_run has all of this for each run.

    Runs may go on from one FILE to another.

    Exit codes: 0 done, 2 bad usage, or a FILE cannot be read or holds no spans.
    """
    _check(files, store, trace_id, thread)
    summary = Summary(keep=each)
    if store is not None or trace_id is not None or thread is not None:
        _add_chosen(summary, (store,) if store else files, Selection(trace_id, thread))
    else:
        for file in files:
            _add_file(summary, file)
    summary.finish()
    with reading("standard output"):
        _print(summary, as_json, each)
        sys.stdout.flush()


def _print(summary: Summary, as_json: bool, each: bool) -> None:
    if as_json:
        click.echo(printable_json(summary_object(summary, per_run=each)))
        return
    print_line = line_printer()
    for line in summary_lines(summary, plots=sys.stdout.isatty()):
        print_line(line)
    if each:
        print_line(())
        for line in run_lines(summary.runs):
            print_line(line)


def _check(
    files: Sequence[str], store: str | None, trace_id: str | None, thread: str | None
) -> None:
    if store is None and not files:
        raise click.UsageError("Give a FILE, or --thread T --store URL.")
    if store is not None and files:
        raise click.UsageError("Give a FILE or --store, not both.")
    if store is not None and trace_id is not None:
        raise click.UsageError("A store has threads, not traces: choose one with --thread.")
    if store is not None and thread is None:
        raise click.UsageError("Choose a thread of the store with --thread.")
    known: dict[str, str] = {}
    for file in files:
        same = file if file == STANDARD_INPUT else str(Path(file).resolve())
        if same in known:
            raise click.UsageError(f"{file} is given twice: its runs would count twice.")
        known[same] = file


def _add_file(summary: Summary, file: str) -> None:
    before = summary.records
    damaged = PassedOver(file)
    with reading(file):
        summary.read(file, damaged)
    if summary.records == before:
        raise damaged.nothing()
    damaged.found()


def _add_chosen(summary: Summary, sources: Sequence[str], chosen: Selection) -> None:
    traces: set[str] = set()
    missing: Unreadable | None = None
    for source in sources:
        with reading(source):
            try:
                for run in runs_of(source, chosen):
                    traces.add(run.trace_id)
                    summary.add([passed(span) for span in run.spans])
            except Unreadable as error:
                missing = error
    if not traces and missing is not None:
        raise missing
    if chosen.trace_id is not None and len(traces) > 1:
        held = printable(", ".join(sorted(traces)))
        raise Unreadable(f"trace id {chosen.trace_id!r} fits several traces ({held})")
