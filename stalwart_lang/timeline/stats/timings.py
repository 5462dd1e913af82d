"""How long calls took, and which point of it a percentile is."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil

from stalwart_lang.timeline.stats.passing import Passed
from stalwart_lang.timeline.stats.rounds import tool_of

_TOOLS = 1_000
_FEW = 10_000
_SAMPLE = 2_000
_NEAR = 0.04
"""How far off a rank in the sample may be: four standard deviations."""
_TAIL = 0.95
OTHER_TOOLS = "(other tools)"
"""What tools count as that a trace names after a thousand others."""


@dataclass(slots=True)
class Timings:
    """The milliseconds that calls took, and how many of them failed.

    `untimed` calls are those without a duration: they never ended, or it was not recorded.
    """

    milliseconds: "array[float]" = field(default_factory=lambda: array("d"))
    errors: int = 0
    untimed: int = 0

    @property
    def calls(self) -> int:
        """All calls."""
        return len(self.milliseconds) + self.untimed

    def add(self, span: Passed) -> None:
        """Add a call."""
        if span.duration_ms is None:
            self.untimed += 1
        else:
            self.milliseconds.append(span.duration_ms)
        if span.status == "error":
            self.errors += 1

    def extend(self, others: "Timings") -> None:
        """Add the calls of `others`."""
        self.milliseconds.extend(others.milliseconds)
        self.errors += others.errors
        self.untimed += others.untimed


@dataclass(slots=True)
class CallTimings:
    """The timings of model calls, and of each tool."""

    models: Timings = field(default_factory=Timings)
    tools: dict[str, Timings] = field(default_factory=dict)
    _append_to: dict[str | None, Callable[[float], None]] = field(default_factory=dict)

    def add(self, models: Iterable[Passed], tools: Iterable[Passed]) -> None:
        """Add calls."""
        known = self._append_to.get
        for span in tools:
            append = known(span.attributes.tool)
            if append is None or span.duration_ms is None or span.status == "error":
                self._of(span).add(span)
            else:
                append(span.duration_ms)
        for span in models:
            self.models.add(span)

    def extend(self, others: "CallTimings") -> None:
        """Add the calls of `others`."""
        self.models.extend(others.models)
        for name, timings in others.tools.items():
            self._named(name).extend(timings)

    def add_open(self, tool: str | None) -> None:
        """Add a call that never ended, of a tool or, without one, of a model."""
        (self.models if tool is None else self._named(tool)).untimed += 1

    def _of(self, span: Passed) -> Timings:
        return self._named(tool_of(span))

    def _named(self, name: str) -> Timings:
        found = self.tools.get(name)
        if found is None:
            if len(self.tools) >= _TOOLS:
                name = OTHER_TOOLS
            found = self.tools.setdefault(name, Timings())
            self._append_to[name] = found.milliseconds.append
        return found


def percentiles(values: Sequence[float], percents: Sequence[float]) -> list[float]:
    """Return nearest-rank percentiles: of each, the least value that so many percent reach.

    Very many values are not all sorted: a sample tells near which of them a rank must be.
    """
    count = len(values)
    ranks = [max(1, ceil(count * percent / 100)) for percent in percents]
    if count <= _FEW:
        ordered = sorted(values)
        return [ordered[rank - 1] for rank in ranks]
    sample = sorted(values[:: count // _SAMPLE])
    below_tail = sample[int(len(sample) * (_TAIL - _NEAR))]
    tail = sorted([value for value in values if value > below_tail])
    return [
        tail[rank - 1 - count] if count - rank < len(tail) else _of_rank(values, rank, sample)
        for rank in ranks
    ]


def _of_rank(values: Sequence[float], rank: int, sample: Sequence[float]) -> float:
    share, last = rank / len(values), len(sample) - 1
    low = sample[max(0, int((share - _NEAR) * last))]
    high = sample[min(last, ceil((share + _NEAR) * last))]
    # Of values that are equal, as many may be, none is held.
    below = len([None for value in values if value < low])
    place = rank - len([None for value in values if value <= low])
    if below < rank and place <= 0:
        return low
    near = sorted([value for value in values if low < value < high])
    if 0 < place <= len(near):
        return near[place - 1]
    if 0 < place <= len([None for value in values if low < value <= high]):
        return high
    return sorted(values)[rank - 1]  # the sample was none
