"""The time axis of a run: where a moment stands on it, its ticks, and the waits cut out of it.

A run that waited an hour for a person and worked for a second would show its work as one hair. So a
long stretch in which it only waited takes a narrow, marked place.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from math import ceil, floor, isfinite

from stalwart_lang.timeline.kinds import kind_of
from stalwart_lang.timeline.records import Span
from stalwart_lang.timeline.runs import Run

_CUT_FROM, _CUT_WIDTH, _CUTS = 0.08, 3.0, 8
"""A wait of this share of the run is cut to this many percent of the axis, up to so many."""

_OPEN_ROOM = 4.0
"""Percent of the axis kept for what never ended."""

_STEPS_MS = (
    *(step * 10.0**power for power in range(-3, 3) for step in (1, 2, 5)),
    *(1000.0 * seconds for seconds in (1, 2, 5, 10, 15, 30)),
    *(60_000.0 * minutes for minutes in (1, 2, 5, 10, 15, 30)),
    *(3_600_000.0 * hours for hours in (1, 2, 6, 12, 24, 72, 168, 720, 8760)),
)
_TICKS, _APART = 6, 15.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the axis in percent of its width, and milliseconds: of a tick from the start."""

    x: float
    milliseconds: float
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class Axis:
    """Moments (milliseconds from the run's start) to percent of the width, in straight pieces."""

    moments: tuple[float, ...]
    places: tuple[float, ...]
    cuts: tuple[Mark, ...]
    ticks: tuple[Mark, ...]

    def at(self, moment: float) -> float:
        """Return the place of a moment, from 0 to 100."""
        piece = min(max(bisect_right(self.moments, moment), 1), len(self.moments) - 1)
        start, end = self.moments[piece - 1], self.moments[piece]
        left, right = self.places[piece - 1], self.places[piece]
        share = (moment - start) / (end - start) if end > start else 0.0
        return left + (right - left) * min(max(share, 0.0), 1.0)


def offset_ms(run: Run, span: Span) -> float:
    """Return the milliseconds from the run's start to the span's."""
    return (span.start - run.start) / timedelta(milliseconds=1)


def length_ms(span: Span) -> float:
    """Return how long the span took, 0 where that is not known or makes no sense."""
    length = span.duration_ms or 0.0
    return length if isfinite(length) and length > 0 else 0.0


def make_axis(run: Run) -> Axis:
    """Lay out the axis of a run."""
    end = max(offset_ms(run, span) + length_ms(span) for span in run.spans)
    if end <= 0:
        return Axis((0.0, 1.0), (0.0, 0.0), (), (Mark(0.0, 0.0),))
    waits = [gap for gap in _waits(run) if gap[1] - gap[0] > _CUT_FROM * end]
    waits = sorted(sorted(waits, key=lambda gap: gap[0] - gap[1])[:_CUTS])
    width = 100.0 - (_OPEN_ROOM if any(span.open for span in run.spans) else 0.0)
    worked = end - sum(after - before for before, after in waits)
    scale = (width - _CUT_WIDTH * len(waits)) / worked if worked > 0 else 0.0
    moments, places, cuts = [0.0], [0.0], []
    for before, after in waits:
        place = places[-1] + (before - moments[-1]) * scale
        cuts.append(Mark(place, after - before, _CUT_WIDTH))
        moments += [before, after]
        places += [place, place + _CUT_WIDTH]
    axis = Axis((*moments, end), (*places, width), tuple(cuts), ())
    return replace(axis, ticks=tuple(_ticks(axis, worked)))


def _waits(run: Run) -> Iterator[tuple[float, float]]:
    """Yield the stretches without any work: between roots, and from a pause to its answer.

    Only spans with nothing below them count as work: those above cover their waits too.
    """
    above = {span.parent_id for span in run.spans}
    work = [span for span in run.spans if span.span_id not in above]
    whole = _merged(
        (offset_ms(run, root.span), offset_ms(run, root.span) + length_ms(root.span))
        for root in run.roots
    )
    yield from ((left[1], right[0]) for left, right in pairwise(whole))
    starts = [start for start, _ in whole]
    reached, last = 0.0, None
    for span in work:
        start = offset_ms(run, span)
        paused = last is not None and kind_of(last) == "interrupt"
        within = start <= whole[bisect_right(starts, reached) - 1][1]  # else it is told above
        if start > reached and within and (paused or kind_of(span) == "resume"):
            yield reached, start
        if start + length_ms(span) >= reached:
            reached, last = start + length_ms(span), span


def _merged(stretches: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for start, end in sorted(stretches):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _ticks(axis: Axis, worked: float) -> Iterator[Mark]:
    step = next((step for step in _STEPS_MS if worked / step <= _TICKS), worked / _TICKS)
    last = -_APART
    for start, end in _pieces(axis.moments):
        for count in range(ceil(start / step), floor(end / step) + 1):
            place = axis.at(count * step)
            if place - last >= _APART:
                yield Mark(place, count * step)
                last = place


def _pieces(moments: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Yield the stretches that are drawn to scale: every other one is a cut."""
    for index in range(0, len(moments) - 1, 2):
        yield moments[index], moments[index + 1]
