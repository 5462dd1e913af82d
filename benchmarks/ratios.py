"""Ratios of two functions' times that a noisy machine does not move.

Blocks of both alternate, A B B A, and every pair of neighbours gives a ratio; the median of all is
taken. A slow second slows both blocks of a pair.
"""

import gc
from collections.abc import Callable
from statistics import median
from time import perf_counter

Run = Callable[[], object]


def block(run: Run, rounds: int) -> float:
    """Give the seconds of one call, over `rounds` of them."""
    start = perf_counter()
    for _ in range(rounds):
        run()
    return (perf_counter() - start) / rounds


def rounds_for(run: Run, seconds: float = 0.002) -> int:
    """Give how many calls fill a block; they warm the caches as well."""
    rounds = 1
    while rounds < 1_000_000:
        if (taken := block(run, rounds) * rounds) > seconds / 2:
            return max(1, round(rounds * seconds / taken))
        rounds *= 4
    return rounds


def ratio(run: Run, against: Run, pairs: int = 61) -> tuple[float, float, float]:
    """Give the median ratio of `run` to `against`, and the median seconds of each."""
    rounds, against_rounds = rounds_for(run), rounds_for(against)
    ours: list[float] = []
    theirs: list[float] = []
    gc.collect()
    for pair in range(pairs):
        if pair % 2:
            ours.append(block(run, rounds))
            theirs.append(block(against, against_rounds))
        else:
            theirs.append(block(against, against_rounds))
            ours.append(block(run, rounds))
    ratios = median(our / their for our, their in zip(ours, theirs, strict=True))
    return ratios, median(ours), median(theirs)


def seconds(run: Run, times: int = 7) -> float:
    """Give the median seconds of single calls, each on a collected heap."""
    taken: list[float] = []
    for _ in range(times):
        gc.collect()
        taken.append(block(run, 1))
    return median(taken)
