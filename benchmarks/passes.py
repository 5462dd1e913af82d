"""One pass over a trace in a process of its own: `python benchmarks/passes.py PASS FILE…`.

Prints the seconds of processor time that the pass took, without starting and importing, and the
most memory that the process held, in MB.
"""

import io
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from statistics import median
from time import process_time

import msgspec

from stalwart_lang.cli.trace.show import show
from stalwart_lang.cli.trace.stats import stats
from stalwart_lang.timeline import Span


def bare(file: str) -> None:
    """The least a reader does: each line decoded to a span, names counted."""
    decode = msgspec.json.Decoder(Span).decode
    names: Counter[str] = Counter()
    with Path(file).open("rb") as lines:
        for line in lines:
            names[decode(line).name] += 1


def to_dict(file: str) -> None:
    """The same without a type: each line decoded to a dictionary."""
    decode = msgspec.json.Decoder().decode
    names: Counter[str] = Counter()
    with Path(file).open("rb") as lines:
        for line in lines:
            names[decode(line)["name"]] += 1


def trace_stats(file: str) -> None:
    """`stalwart trace stats FILE --json`."""
    with redirect_stdout(io.StringIO()):
        stats.main([file, "--json"], standalone_mode=False)


def trace_show(file: str) -> None:
    """`stalwart trace show FILE --trace-id ID`: the trace of the line in the middle."""
    path = Path(file)
    with path.open("rb") as lines:
        lines.seek(path.stat().st_size // 2)
        lines.readline()
        trace_id = msgspec.json.decode(lines.readline(), type=Span).trace_id
    with redirect_stdout(io.StringIO()) as shown:
        show.main([file, "--trace-id", trace_id], standalone_mode=False)
    assert shown.getvalue().startswith("Run: ")


PASSES: Mapping[str, Callable[[str], None]] = {
    "bare": bare,
    "dict": to_dict,
    "show": trace_show,
    "stats": trace_stats,
}


def measured(name: str, file: Path) -> tuple[float, float]:
    """Run a pass in a new process; give its seconds and its MB."""
    command = [sys.executable, __file__, name, str(file)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(told[0]), float(told[1])


def compared(name: str, against: str, file: Path, pairs: int) -> tuple[float, float, float]:
    """Give the median ratio of two passes, run in turns, and the median seconds of each."""
    ours: list[float] = []
    theirs: list[float] = []
    for pair in range(pairs):
        for one in (name, against) if pair % 2 else (against, name):
            (ours if one == name else theirs).append(measured(one, file)[0])
    ratios = median(our / their for our, their in zip(ours, theirs, strict=True))
    return ratios, median(ours), median(theirs)


def main() -> None:
    """Run one pass and tell what it took."""
    name, file = sys.argv[1:]
    begun = process_time()
    PASSES[name](file)
    seconds = process_time() - begun
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(seconds, kilobytes * (1 if sys.platform == "darwin" else 1024) / 1e6)


if __name__ == "__main__":
    main()
