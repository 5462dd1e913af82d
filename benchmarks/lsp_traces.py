"""Measure what the language server pays for recorded traces: `python benchmarks/lsp_traces.py`.

README.md says what and why. Exits with 0 whatever the numbers: it is for reading, on a machine that
may be busy.
"""

import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

from generate_traces import checked, runs, write_trace
from lsprotocol import types
from rows import Row

from stalwart_lang.lsp.features.trace_diagnostics import problems_of
from stalwart_lang.lsp.features.trace_hover import span_and_around
from stalwart_lang.lsp.features.trace_symbols import symbols_of
from stalwart_lang.lsp.traces.finding import Places
from stalwart_lang.lsp.traces.following import Follower, Progress
from stalwart_lang.lsp.traces.index import TraceIndex
from stalwart_lang.lsp.traces.words import EN

_PACE = 5_000
_GROWS_FOR = 5.0


def first_reading(folder: Path, spans: int) -> Iterator[Row]:
    """A first reading of traces, and how late the loop wakes meanwhile."""
    for what, shapes in (("runs", None), ("runs of checks alone", (checked,))):
        for count in (spans, 10 * spans):
            file = folder / "trace.jsonl"
            if shapes is None:
                write_trace(file, count)
            else:
                with file.open("w", encoding="utf-8") as stream:
                    stream.writelines(runs(count, shapes=shapes))
            told = run(
                [sys.executable, __file__, "--read", str(folder)],
                check=True,
                capture_output=True,
                text=True,
            ).stdout.split()
            cpu, wall, megabytes, late, idle = map(float, told)
            size = file.stat().st_size / 1e6
            target = max(1.0, count / 100_000)
            name = f"{count:,} spans ({size:.0f} MB), {what}"
            yield Row(f"processor: {name}", cpu, "s", f"{wall:.1f} s in all", at_most=target)
            yield Row("  memory", megabytes, "MB", at_most=20)
            note = f"{late * 1000:.1f} ms, {idle * 1000:.1f} without"
            later = max(0.0, late - idle) * 1000
            yield Row("  the loop wakes later by, 99 of 100", later, "ms", note, at_most=10)
            file.unlink()


def growing(folder: Path, _spans: int) -> Iterator[Row]:
    """A trace that grows at 5,000 lines a second."""
    lines = [line.encode() for line in islice(runs(_PACE * 10, shapes=(checked,)), _PACE)]
    index = TraceIndex()
    follower = _follower(index, folder, lambda _progress: None)
    file = folder / "trace.jsonl"
    file.write_bytes(b"".join(lines[:10]))
    follower.start()
    cpu, began = time.thread_time(), time.monotonic()
    whole = time.process_time()
    lags, written = [], 10
    due: list[tuple[int, float]] = []
    with file.open("ab", buffering=0) as stream:
        while (now := time.monotonic()) - began < _GROWS_FOR:
            wanted = int((now - began) * _PACE)
            some = [lines[number % _PACE] for number in range(written, wanted)]
            stream.write(b"".join(some))
            written = max(written, wanted)
            due.append((sum(b'"stalwart.decision"' in line for line in some), now))
            lags.append(_lag(index, due))
            time.sleep(0.01)
    spent = time.process_time() - whole - (time.thread_time() - cpu)
    follower.stop()
    share = 100 * spent / _GROWS_FOR
    yield Row(f"processor while it grows, {written:,} lines", share, "%", at_most=10)
    yield Row("a decision counts after", max(lags), "s", "at the latest", at_most=1.5)


def _lag(index: TraceIndex, due: list[tuple[int, float]]) -> float:
    """How long the oldest line that is not counted yet was written ago."""
    counted = sum(index.of_tool(tool).counts.total for tool in _TOOLS)
    for decisions, moment in due:
        counted -= decisions
        if counted < 0:
            return time.monotonic() - moment
    return 0.0


_TOOLS = ("list_files", "read_file", "write_file", "search_orders", "charge_card", "send_mail")


def many_files(folder: Path, spans: int) -> Iterator[Row]:
    """A folder of as many files as spans, which are no traces."""
    crowd = folder / "crowd"
    crowd.mkdir()
    for number in range(spans):
        (crowd / f"{number}.txt").touch()
    write_trace(folder / "trace.jsonl", 1_000)
    told: list[str] = []
    began = time.process_time()
    found = [*Places((folder,)).files(told.append, lambda: None)]
    note = f"{len(found)} found" + (", told where it ended" if told else "")
    yield Row(f"a search of {spans:,} files", time.process_time() - began, "s", note, at_most=1)


def opened(folder: Path, spans: int) -> Iterator[Row]:
    """A large trace that is open in the editor; all of it off the loop."""
    text = write_trace(folder / "trace.jsonl", 4 * spans).read_text(encoding="utf-8")
    size = f"{len(text) / 1e6:.0f} MB"
    last = types.Position(line=text.count("\n") - 1, character=9)
    for what, work, at_most in (
        ("hover on its last line", lambda: span_and_around(text, "utf-16", last), 0.5),
        ("symbols", lambda: symbols_of(text, EN), 0.5),
        ("diagnostics", lambda: problems_of(text, "utf-16", EN), 2.0),
    ):
        began = time.process_time()
        work()
        yield Row(f"{what}, {size}", time.process_time() - began, "s", at_most=at_most)


def _follower(index: TraceIndex, folder: Path, progress: Callable[[Progress], None]) -> Follower:
    return Follower(
        index,
        Places((folder,)),
        tell=lambda *told: print(*told, file=sys.stderr),
        on_progress=progress,
    )


def _read(folder: Path) -> None:
    """Print the seconds, the megabytes and the delays of a first reading, in this process."""
    import stalwart_lang.lsp.traces.decisions  # noqa: F401  what it imports is not measured

    ends = time.monotonic() + 1
    idle = _lateness(lambda: time.monotonic() > ends)
    done = threading.Event()
    follower = _follower(TraceIndex(), folder, lambda told: done.set() if told.done else None)
    before = _megabytes()
    cpu, wall = time.process_time(), time.monotonic()
    follower.start()
    late = _lateness(done.is_set)
    spent = time.process_time() - cpu, time.monotonic() - wall
    follower.stop()
    print(*spent, _megabytes() - before, late, idle)


def _lateness(ended: Callable[[], bool]) -> float:
    """By how many seconds this thread wakes too late from short sleeps, 99 of 100 times."""
    late = []
    while not ended():
        began = time.perf_counter()
        time.sleep(0.002)
        late.append(time.perf_counter() - began - 0.002)
    return sorted(late)[int(len(late) * 0.99)]


def _megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


SECTIONS: Mapping[str, Callable[[Path, int], Iterator[Row]]] = {
    "first": first_reading,
    "growing": growing,
    "files": many_files,
    "open": opened,
}


def main() -> None:
    """Print the table, a row as soon as it is measured."""
    parser = ArgumentParser(description="Measure recorded traces in the language server.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--spans", type=int, default=100_000, help="100,000 without it")
    parser.add_argument("--read", type=Path, help="Only read the traces of a folder.")
    options = parser.parse_args()
    if options.read:
        _read(options.read)
        return
    asked = options.sections or [*SECTIONS]
    if unknown := [name for name in asked if name not in SECTIONS]:
        parser.error(f"no section is called {unknown[0]}; there are {', '.join(SECTIONS)}")
    failed = 0
    for name in asked:
        print(f"\n{name}: {SECTIONS[name].__doc__}", flush=True)
        with TemporaryDirectory() as folder:
            for row in SECTIONS[name](Path(folder), options.spans):
                failed += row.failed
                print(row, flush=True)
    print(f"\n{failed} of the targets not reached" if failed else "\nevery target reached")


if __name__ == "__main__":
    main()
