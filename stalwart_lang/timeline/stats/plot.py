"""Small plots of text: how often values were how large."""

from collections.abc import Sequence
from math import log

_BARS = "▁▂▃▄▅▆▇█"


def histogram(values: Sequence[float], columns: int = 32) -> str:
    """Return how `values` are spread, a character a column, from the least to the largest.

    Columns are of equal width on a logarithmic scale, values below a thousandth of the largest in
    the first; a blank column holds no value. Of less than three values, or equal ones, there is
    nothing to see: "".
    """
    largest = max(values, default=0.0)
    if len(values) < 3 or largest <= 0:
        return ""
    least = max(min(values), largest / 1000)
    if least == largest:
        return ""
    scale = columns / log(largest / least)
    counts = [0] * columns
    for value in values:
        column = int(log(max(value, least) / least) * scale)
        counts[min(column, columns - 1)] += 1
    return bars(counts)


def bars(counts: Sequence[int]) -> str:
    """Return bars as high as `counts`; the least one that is not 0 can still be seen."""
    top = max(counts, default=0)
    return "".join(_BARS[(count * len(_BARS) - 1) // top] if count else " " for count in counts)
