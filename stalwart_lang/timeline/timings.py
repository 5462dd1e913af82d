"""How long calls took, and which point of it a percentile is."""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil

from stalwart_lang.timeline.passing import Passed
from stalwart_lang.timeline.rounds import tool_of

_TOOLS = 1_000
_PIECE = 2**16
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

    Values are sorted piece by piece, so that a million of them take 10 MB and not 40.
    """
    pieces = [
        array("d", sorted(values[begin : begin + _PIECE]))
        for begin in range(0, len(values), _PIECE)
    ]
    ranks = [max(1, ceil(len(values) * percent / 100)) for percent in percents]
    return [_of_rank(pieces, rank) for rank in ranks]


def _of_rank(pieces: Sequence["array[float]"], rank: int) -> float:
    """Return the `rank`th smallest value, from 1, of ascending pieces."""
    if len(pieces) == 1:
        return pieces[0][rank - 1]
    low, high = min(piece[0] for piece in pieces), max(piece[-1] for piece in pieces)
    while low < high:  # the value is from low to high
        middle = low + (high - low) / 2
        if middle >= high:  # no number is between them
            middle = low
        if sum(bisect_right(piece, middle) for piece in pieces) >= rank:
            # The largest value that is not above the middle: there is one.
            high = max(piece[at - 1] for piece in pieces if (at := bisect_right(piece, middle)) > 0)
        else:
            low = min(
                piece[at] for piece in pieces if (at := bisect_right(piece, middle)) < len(piece)
            )
    return low
