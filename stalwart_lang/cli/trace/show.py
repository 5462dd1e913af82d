"""`stalwart trace show`: runs step by step."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from stalwart_lang.cli.closed_pipe import reader_may_leave
from stalwart_lang.cli.errors import Unreadable
from stalwart_lang.cli.stored_state import marked_steps
from stalwart_lang.cli.trace.printing import line_printer
from stalwart_lang.cli.trace.selection import PassedOver, is_store, runs_of, selection
from stalwart_lang.terminal import printable
from stalwart_lang.timeline.follow import follow_lines, follow_timeline
from stalwart_lang.timeline.records import CutShort, Damage, Span, read_line
from stalwart_lang.timeline.runs import Run
from stalwart_lang.timeline.select import Selection
from stalwart_lang.timeline.sources import STANDARD_INPUT, is_compressed, open_lines
from stalwart_lang.timeline.stored import Thread, moment_of, stored_threads
from stalwart_lang.timeline.text import Line, Piece, Step, Style, heading, steps_of, timeline
from stalwart_lang.timeline.why import decisions_of, explain

_POLL_SECONDS = 0.2
_OUTCOMES: dict[str, Style] = {
    "completed": "allow",
    "waiting": "confirm",
    "failed": "error",
    "open": "open",
}


@click.command()
@selection
@click.option("--list", "listed", is_flag=True, help="One line a run; of a store, a thread.")
@click.option("--why", type=int, metavar="STEP", help="The decisions of a step, and their rules.")
@click.option("--follow", is_flag=True, help="Go on as the file is written, until Ctrl-C.")
def show(file: str, chosen: Selection, listed: bool, why: int | None, follow: bool) -> None:
    """Print the runs recorded in FILE step by step.

    Exit codes: 0 done, 1 --why: nothing was decided in the step, 2 bad usage, or FILE cannot be
    read or holds nothing to show.
    """
    if listed + follow + (why is not None) > 1:
        raise click.UsageError("--list, --why and --follow exclude each other.")
    if follow and is_store(file):
        raise click.UsageError("A store is not followed: show it again.")
    if follow:
        _follow(file, chosen)
        return
    print_line = line_printer()
    if listed and is_store(file):
        for thread in stored_threads(file):
            if chosen.thread in (None, thread.name):
                print_line((Piece(_listed_thread(thread)),))
        return
    runs = runs_of(file, chosen)
    if listed:
        for run in runs:
            print_line(_listed(run))
    elif why is not None:
        _why(file, runs, why, print_line)
    else:
        threads: set[str] = set()
        for index, run in enumerate(runs):
            if index:
                print_line(())
            marks = marked_steps(file, run.thread) if run.stored else None
            again = run.thread in threads
            if run.thread is not None:
                threads.add(run.thread)
            for line in timeline(run, marks, again=again):
                print_line(line)


def _listed(run: Run) -> Line:
    who = run.name if run.thread is None else run.thread
    start = run.start.isoformat(timespec="seconds").replace("+00:00", "Z")
    return (
        Piece(f"{printable(run.trace_id):<32}  {start}  {printable(who):<20}  "),
        Piece(f"{run.outcome:<9}", _OUTCOMES.get(run.outcome, "")),
        Piece(f"  {len(run.spans):>6} spans  {_duration(run.duration_ms):>10}"),
    )


def _listed_thread(thread: Thread) -> str:
    last = moment_of(thread.last).isoformat(timespec="seconds").replace("+00:00", "Z")
    return f"{last}  {printable(thread.name):<32}  {thread.checkpoints:>6} checkpoints"


def _duration(milliseconds: float) -> str:
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    if milliseconds < 120_000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds / 60_000:.1f} min"


def _why(file: str, runs: Iterable[Run], number: int, print_line: Callable[[Line], object]) -> None:
    beside = Path() if file == STANDARD_INPUT or is_store(file) else Path(file).parent
    found: list[Step] = []
    known: list[int] = []
    threads: set[str | None] = set()
    for run in runs:
        steps = steps_of(run)
        known += [step.number for step in steps if step.number is not None]
        for step in steps:
            if step.number == number:
                found.append(step)
                with reader_may_leave():  # the exit code tells what was found nevertheless
                    if len(found) > 1:
                        print_line(())
                    again = run.thread in threads
                    print_line(heading(run.thread, run.trace_id, run.start if again else None))
                    for line in explain(step, run, beside):
                        print_line(line)
        threads.add(run.thread)
    if not found:
        span = f"its steps are {min(known)} to {max(known)}" if known else "it has none"
        raise click.UsageError(f"{file}: there is no step {number}; {span}.")
    if not any(decisions_of(step) for step in found):
        sys.exit(1)


def _follow(file: str, chosen: Selection) -> None:
    print_line = line_printer(at_once=True)
    try:
        for line in follow_timeline(_arriving(file), chosen):
            print_line(line)
    except KeyboardInterrupt:
        sys.exit(0)


def _arriving(file: str) -> Iterator[Span]:
    tell = PassedOver(file)
    tell.found()
    if file == STANDARD_INPUT:
        lines: Iterable[tuple[int, bytes]] = enumerate(_piped(), 1)
    else:
        path = Path(file)
        if path.is_file() and is_compressed(path):
            raise Unreadable(f"{printable(file)}: it is compressed: show it without --follow")
        lines = follow_lines(path, lambda: time.sleep(_POLL_SECONDS))
    number = 0
    try:
        for number, line in lines:
            for found in read_line(line, number):
                if isinstance(found, Damage):
                    tell(found)
                else:
                    yield found
    except CutShort as error:
        tell(Damage(max(1, number), str(error)))


def _piped() -> Iterator[bytes]:
    with open_lines(STANDARD_INPUT) as lines:
        yield from lines
