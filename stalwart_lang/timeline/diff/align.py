"""Two runs laid side by side: where they part, and which steps are the same again afterwards."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stalwart_lang.timeline.diff.fold import JOINED, Steps

_WINDOW = 200
"""Steps of each run among which those that are the same are looked for after a difference."""
_WINDOWS = 50
"""Differences after which they are looked for; what comes later is paired by its position."""
_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class Gap:
    """Steps of each run, by their numbers, that are not the same."""

    a: tuple[int, ...]
    b: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Same:
    """A step that is the same in both runs, by its number in each."""

    a: int
    b: int


Part: TypeAlias = Gap | Same


class _Side:
    """The steps of a run, some of them in another order than they were recorded in.

    The last one is the run's end; it is not among them.
    """

    def __init__(self, steps: Steps) -> None:
        self.sums = steps.sums
        self.marks = steps.marks
        self.count = len(steps.marks) - 1
        self.moved: dict[int, int] = {}
        self.moved_until = 0

    def number(self, at: int) -> int:
        """Return the number of the step that is at a place."""
        return self.moved.get(at, at)

    def __getitem__(self, at: int) -> int:
        return self.sums[self.moved.get(at, at)]

    def group_end(self, at: int) -> int:
        """Return where the steps end that may as well be in another order than they are."""
        end = at + 1
        while end < self.count and self.marks[end] & JOINED:
            end += 1
        return end


def first_difference(a: Steps, b: Steps) -> int | None:
    """Return the place of the first step that differs, the end of the run included, or None."""
    if a.signatures == b.signatures:
        return None
    left, right = _Side(a), _Side(b)
    at = _part(left, right)
    if at == left.count == right.count and left.sums[at] == right.sums[at]:
        return None
    return at


def parts(a: Steps, b: Steps) -> Iterator[Part]:
    """Yield how two runs go on from their first difference, the difference first.

    The ends of the runs are not among it.
    """
    left, right = _Side(a), _Side(b)
    i = j = _part(left, right)
    for _ in range(_WINDOWS):
        while i < left.count and j < right.count:
            if left[i] != right[j]:
                _reorder(left, i, right, j)
                if left[i] != right[j]:
                    break
            yield Same(left.number(i), right.number(j))
            i, j = i + 1, j + 1
        ends = min(i + _WINDOW, left.count), min(j + _WINDOW, right.count)
        if i == ends[0] and j == ends[1]:
            return
        common = _common(
            [left[k] for k in range(i, ends[0])], [right[k] for k in range(j, ends[1])]
        )
        for k, m in common[:1]:
            yield from _gap(left, i, i + k, right, j, j + m)
            yield Same(left.number(i + k), right.number(j + m))
            i, j = i + k + 1, j + m + 1
        if not common:
            yield from _gap(left, i, ends[0], right, j, ends[1])
            i, j = ends
    both = min(left.count - i, right.count - j)
    for k in range(both):
        if left[i + k] == right[j + k]:
            yield Same(left.number(i + k), right.number(j + k))
        else:
            yield Gap((left.number(i + k),), (right.number(j + k),))
    yield from _gap(left, i + both, left.count, right, j + both, right.count)


def _gap(left: _Side, i: int, k: int, right: _Side, j: int, m: int) -> Iterator[Gap]:
    if i < k or j < m:
        yield Gap(tuple(map(left.number, range(i, k))), tuple(map(right.number, range(j, m))))


def _part(left: _Side, right: _Side) -> int:
    """Return where the runs part; what may be in another order is in that of the first run."""
    both = min(left.count, right.count)
    at = 0
    while at < both:
        end = min(at + _CHUNK, both)
        if at >= right.moved_until and left.sums[at:end] == right.sums[at:end]:
            at = end
            continue
        while at < end:
            if left[at] != right[at]:
                _reorder(left, at, right, at)
                if left[at] != right[at]:
                    return at
            at += 1
    return at


def _reorder(left: _Side, i: int, right: _Side, j: int) -> None:
    """Bring the steps of the second run that may be in another order into that of the first.

    Where only the first run's may be, in that one's: what ran at once in one run, and one after
    the other in the other, is the same.
    """
    ahead = max(left.group_end(i) - i, right.group_end(j) - j)
    end = min(i + ahead, left.count), min(j + ahead, right.count)
    wanted = Counter(left[k] for k in range(i, end[0]))
    theirs: dict[int, list[int]] = {}
    rest: list[int] = []
    for k in range(j, end[1]):
        signature = right[k]
        if wanted[signature] > 0:
            wanted[signature] -= 1
            theirs.setdefault(signature, []).append(right.number(k))
        else:
            rest.append(right.number(k))
    if not theirs:
        return
    ordered: list[int | None] = []
    for k in range(i, end[0]):
        found = theirs.get(left[k])
        ordered.append(found.pop(0) if found else None)
    waiting = iter(rest)
    placed = [number if number is not None else next(waiting, None) for number in ordered]
    numbers = [number for number in (*placed, *waiting) if number is not None]
    for k, number in zip(range(j, end[1]), numbers, strict=True):
        right.moved[k] = number
    right.moved_until = end[1]


def _common(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """Return the places of a longest common subsequence."""
    if not set(a) & set(b):
        return []
    suffix = 0
    while suffix < min(len(a), len(b)) and a[-1 - suffix] == b[-1 - suffix]:
        suffix += 1
    rows, columns = len(a) - suffix, len(b) - suffix
    longest = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        below, row = longest[i + 1], longest[i]
        for j in range(columns - 1, -1, -1):
            row[j] = below[j + 1] + 1 if a[i] == b[j] else max(below[j], row[j + 1])
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < rows and j < columns:
        if a[i] == b[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return found + [(rows + k, columns + k) for k in range(suffix)]
