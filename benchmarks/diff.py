"""Measure what comparing traces costs: `python benchmarks/diff.py [SECTION…] [--spans N]`.

Exits with 0 whatever the numbers: it is for reading, on a machine that may be busy.
"""

import re
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from generate_traces import write_trace
from rows import Row

_BARE = """
import sys
import msgspec
from stalwart_lang.timeline.records import Span
decode = msgspec.json.Decoder(Span).decode
for file in sys.argv[1:]:
    with open(file, "rb") as lines:
        for line in lines:
            decode(line)
"""
_MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
told = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, told.ru_utime + told.ru_stime, told.ru_maxrss)
"""
_UNIT = 1 if sys.platform == "darwin" else 1024
_IDS = re.compile(r'(?<=_id":")[0-9a-f]+')
_OTHER = str.maketrans("0123456789abcdef", "f0e1d2c3b4a59687")
_RESULT = re.compile(r'(?<="stalwart.result_digest":")[0-9a-f]{16}')
_LOOKS = 3


@dataclass(frozen=True)
class Taken:
    """What a process took: the seconds on the clock, of processors, and the most MB it held.

    With its children the seconds, and of the MB those of the one that held the most.
    """

    wall: float
    processor: float
    megabytes: float


def taken(command: list[str], code: int) -> Taken:
    """Run a command that is to return `code`."""
    begun = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, *command], capture_output=True, text=True, check=True
    ).stdout.split()
    wall = perf_counter() - begun
    assert int(done[0]) == code
    return Taken(wall, float(done[1]), float(done[2]) * _UNIT / 1e6)


def write_twin(file: Path, twin: Path, change: bool) -> None:
    """Write a trace again under other ids, with another result in its last part if asked."""
    with file.open(encoding="utf-8") as lines, twin.open("w", encoding="utf-8") as written:
        change_from = file.stat().st_size * 0.995
        passed = 0
        for line in lines:
            passed += len(line)
            if change and passed > change_from and _RESULT.search(line):
                line = _RESULT.sub("0" * 16, line)
                change = False
            written.write(_IDS.sub(lambda found: found[0].translate(_OTHER), line))


def compared(shape: str, starts: bool, spans: int, folder: Path, change: bool) -> Iterator[Row]:
    a = write_trace(folder / "a.jsonl", spans, shape=shape, starts=starts)
    b = folder / "b.jsonl"
    write_twin(a, b, change)
    files = [str(a), str(b)]
    bare = [sys.executable, "-c", _BARE, *files]
    ours = [sys.executable, "-m", "stalwart_lang", "trace", "diff", *files]
    looks = []
    for look in range(_LOOKS):
        # In turns, so that a slow minute slows both.
        if look % 2:
            looks.append((taken(ours, int(change)), taken(bare, 0)))
        else:
            less = taken(bare, 0)
            looks.append((taken(ours, int(change)), less))
    what = f"{'one run' if shape == 'one' else 'many runs'}, {spans:,} spans"
    what += "" if starts else ", ends only"
    what += "" if change else ", the same"
    wall = median(our.wall / their.wall for our, their in looks)
    note = f"{looks[-1][0].wall:.1f} / {looks[-1][1].wall:.1f} s"
    yield Row(f"diff / bare pass over both: {what}", wall, "×", note, at_most=1.5)
    spent = median(our.processor / their.processor for our, their in looks)
    note = f"{looks[-1][0].processor:.1f} / {looks[-1][1].processor:.1f} s"
    yield Row("  the same in time of processors (two are used)", spent, "×", note)
    yield Row("  memory", max(our.megabytes for our, _ in looks), "MB", at_most=100)


def many(folder: Path, spans: int) -> Iterator[Row]:
    """Two traces of many runs of 10 to 40 spans that differ near the end."""
    yield from compared("runs", True, spans, folder, True)


def one(folder: Path, spans: int) -> Iterator[Row]:
    """Two traces of one long run each that differ near the end."""
    yield from compared("one", True, spans, folder, True)


def ends(folder: Path, spans: int) -> Iterator[Row]:
    """The same without records of starts, as other tools write them."""
    yield from compared("runs", False, spans, folder, True)
    yield from compared("one", False, spans, folder, True)


def same(folder: Path, spans: int) -> Iterator[Row]:
    """Two traces of the same runs."""
    yield from compared("runs", True, spans, folder, False)


def growth(folder: Path, spans: int) -> Iterator[Row]:
    """One run of a quarter, a half and all of the spans: the time of a span must not grow."""
    times = []
    for size in (spans // 4, spans // 2, spans):
        file = write_trace(folder / "a.jsonl", size, shape="one", starts=True)
        write_twin(file, folder / "b.jsonl", True)
        files = [str(folder / name) for name in ("a.jsonl", "b.jsonl")]
        command = [sys.executable, "-m", "stalwart_lang", "trace", "diff", *files]
        times.append(min(taken(command, 1).processor for _ in range(2)))
    for (fewer, more), size in zip(pairwise(times), (spans // 2, spans), strict=True):
        note = f"{fewer:.2f}, {more:.2f} s"
        yield Row(f"growth: {size:,} spans", more / fewer / 2, "×", note, at_most=1.5)


SECTIONS: Mapping[str, Callable[[Path, int], Iterator[Row]]] = {
    "many": many,
    "one": one,
    "ends": ends,
    "same": same,
    "growth": growth,
}


def main() -> None:
    """Print the table, a row as soon as it is measured."""
    parser = ArgumentParser(description="Measure `stalwart trace diff`.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--spans", type=int, default=1_000_000, help="in each of both traces")
    options = parser.parse_args()
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
