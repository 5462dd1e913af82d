"""Measure what reading traces costs: `python benchmarks/traces.py [SECTION…] [--spans N]`.

README.md says what and why. Exits with 0 whatever the numbers: it is for reading, on a machine that
may be busy.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from generate_traces import write_trace
from passes import compared, measured
from rows import Row

_PAIRS = 5


def figures(folder: Path, spans: int) -> Iterator[Row]:
    """`stats` against a bare pass of msgspec over the same file, and what memory it takes."""
    for shape, starts, what in (
        ("runs", False, "runs of 10 to 40 spans"),
        ("runs", True, "with their starts"),
        ("one", False, "one run"),
        ("one", True, "one run, with starts"),
    ):
        file = write_trace(folder / "trace.jsonl", spans, shape=shape, starts=starts)
        megabytes = measured("stats", file)[1]
        value, ours, theirs = compared("stats", "bare", file, _PAIRS)
        note = f"{ours:.2f} / {theirs:.2f} s, {file.stat().st_size / 1e6:.0f} MB"
        yield Row(f"stats / bare pass: {what}", value, "×", note, at_most=1.5)
        value, ours, theirs = compared("stats", "dict", file, 1)
        yield Row("  against a pass to dictionaries", value, "×", f"{ours:.2f} / {theirs:.2f} s")
        yield Row("  memory", megabytes, "MB", at_most=100)


def one_shown(folder: Path, spans: int) -> Iterator[Row]:
    """One trace of the file shown, against a bare pass of msgspec over the whole file."""
    for starts, what in ((False, "runs of 10 to 40 spans"), (True, "with their starts")):
        file = write_trace(folder / "trace.jsonl", spans, shape="runs", starts=starts)
        megabytes = measured("show", file)[1]
        value, ours, theirs = compared("show", "bare", file, _PAIRS)
        note = f"{ours:.2f} / {theirs:.2f} s"
        yield Row(f"show of one / bare pass: {what}", value, "×", note, at_most=0.5)
        yield Row("  memory", megabytes, "MB", at_most=100)


def hostile(folder: Path, spans: int) -> Iterator[Row]:
    """Traces made to fill the memory, or to take time that is not linear in their size."""
    for shape, starts, what, most in (
        ("lone", False, "as many runs as spans", 100),
        ("lone", True, "as many runs, all killed", 100),
        ("open", True, "one killed run, all spans open", 100),
        ("chain", False, "one run, each span below another", 120),
    ):
        few = write_trace(folder / "few.jsonl", spans // 10, shape=shape, starts=starts)
        many = write_trace(folder / "many.jsonl", spans, shape=shape, starts=starts)
        a, b = (measured("stats", file) for file in (few, many))
        note = f"{a[0]:.2f}, {b[0]:.2f} s for {spans // 10:,} and {spans:,} spans"
        yield Row(f"growth: {what}", b[0] / a[0] / 10, "×", note, at_most=1.5)
        yield Row("  memory", b[1], "MB", at_most=most)


SECTIONS: Mapping[str, Callable[[Path, int], Iterator[Row]]] = {
    "stats": figures,
    "show": one_shown,
    "stats-hostile": hostile,
}


def main() -> None:
    """Print the table, a row as soon as it is measured."""
    parser = ArgumentParser(description="Measure the reading of traces.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--spans", type=int, default=1_000_000, help="1,000,000 without it")
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
