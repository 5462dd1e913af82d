"""Loops: an agent that does the same over and over.

A loop is a stretch of a sequence in which every signature is the one that stood a period before it:
A A A A, A B A B, A B C A B C. What a signature is, is the caller's to say; of an agent it is the
calls of a round, each a tool and its arguments.

    finder = LoopFinder()
    for round in agent:
        if loop := finder.add(signature(round)):
            ...                                  # the agent is in `loop` now
"""

from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

S = TypeVar("S", bound=Hashable)

WINDOW = 4
LONGEST_PERIOD = 32
TIMES = 3
"""How often a call repeats before it is told of; as openlit has it (its pull request 1494)."""


@dataclass(frozen=True, slots=True)
class Loop(Generic[S]):
    """`signatures`, one period of the loop, from index `start` (from 0) over `length` of them."""

    signatures: tuple[S, ...]
    start: int
    length: int

    @property
    def period(self) -> int:
        """How many signatures repeat."""
        return len(self.signatures)

    @property
    def times(self) -> int:
        """How often the whole of them was gone through."""
        return self.length // len(self.signatures)


def detect_loop(signatures: Iterable[S | None], window: int = WINDOW) -> Loop[S] | None:
    """Return the first loop as far as it goes, or None; see `find_loops`."""
    return next(find_loops(signatures, window), None)


def find_loops(signatures: Iterable[S | None], window: int = WINDOW) -> Iterator[Loop[S]]:
    """Yield the loops, first to last; they do not overlap.

    A loop is at least `window` signatures long, and holds its period twice at least; periods up to
    32 are looked for, the shortest counts. None is like no other. The time is linear in the number
    of signatures.
    """
    finder = LoopFinder[S](window)
    for signature in signatures:
        yield from finder.ended(signature)
    yield from finder.at_end()


class LoopFinder(Generic[S]):
    """Finds loops as signatures come, in memory of 32 of them; see `find_loops`."""

    def __init__(self, window: int = WINDOW) -> None:
        if window < 2:
            raise ValueError(f"a window of {window}: nothing repeats in less than 2")
        self._window = window
        self._count = 0
        self._recent: deque[S | None] = deque(maxlen=LONGEST_PERIOD)
        self._matched = [0] * (LONGEST_PERIOD + 1)  # by period: how many signatures in a row
        self._quiet = True
        self._loop: Loop[S] | None = None

    def add(self, signature: S | None) -> Loop[S] | None:
        """Take the next signature, and return the loop that it completes or goes on with."""
        for _ in self.ended(signature):
            pass
        return self._loop

    def skip(self, count: int) -> None:
        """Pass over signatures of which each is like no other."""
        if count:
            self.add(None)
            self._count += count - 1
            self._recent.extend([None] * min(count - 1, LONGEST_PERIOD))

    def at_end(self) -> Iterator[Loop[S]]:
        """Yield the loop that the signatures end in."""
        if self._loop is not None:
            yield self._loop

    def ended(self, signature: S | None) -> Iterator[Loop[S]]:
        """Take the next signature, and yield the loop that it puts an end to."""
        loop, recent = self._loop, self._recent
        if loop is not None:
            if signature is not None and recent[-loop.period] == signature:
                self._loop = Loop(loop.signatures, loop.start, loop.length + 1)
            else:
                self._loop = None
                recent.clear()
                self._matched = [0] * (LONGEST_PERIOD + 1)
                self._quiet = True
                yield loop
        elif signature is not None and signature in recent:
            self._match(signature)
        elif not self._quiet:
            self._matched = [0] * (LONGEST_PERIOD + 1)
            self._quiet = True
        recent.append(signature)
        self._count += 1

    def _match(self, signature: S) -> None:
        self._quiet = False
        recent, matched = self._recent, self._matched
        for period, before in enumerate(reversed(recent), 1):
            if before != signature:
                matched[period] = 0
                continue
            matched[period] += 1
            length = matched[period] + period
            if length >= max(self._window, 2 * period):
                repeated = (*recent, signature)[-period:]
                offset = length % period  # the loop begins `length` ago, its last period does not
                held = repeated[period - offset :] + repeated[: period - offset]
                start = self._count - length + 1
                self._loop = Loop(tuple(one for one in held if one is not None), start, length)
                return


CallSignature: TypeAlias = tuple[str, str]
"""A tool, and a digest of the arguments it was called with."""
RoundSignature: TypeAlias = tuple[CallSignature, ...]
"""The calls that one model call asked for, sorted."""


@dataclass(frozen=True, slots=True)
class RunLoop:
    """A loop of an agent's rounds, and the span that its first round began with.

    An agent without model calls has a round for each tool it calls. `loop.start` counts the rounds
    of the agent, from 0.
    """

    loop: Loop[RoundSignature]
    span_id: str


@dataclass(frozen=True, slots=True)
class RepeatedCall:
    """A tool that a run called `times` times with the same arguments, first in the span `span_id`.

    Not one after another, necessarily.
    """

    call: CallSignature
    times: int
    span_id: str


class RoundLoops:
    """Finds the loops of one agent's rounds as they come; `loops` are those that have ended."""

    def __init__(self, window: int = WINDOW) -> None:
        self.loops: list[RunLoop] = []
        self._finder = LoopFinder[RoundSignature](window)
        self._began = deque[str](maxlen=max(window, 2 * LONGEST_PERIOD))
        self._current: tuple[Loop[RoundSignature], str] | None = None

    def add(self, signature: RoundSignature | None, span_id: str) -> None:
        """Add a round that began with the span `span_id`."""
        self._began.append(span_id)
        loop, current = self._finder.add(signature), self._current
        if current is not None and (loop is None or loop.start != current[0].start):
            self.loops.append(RunLoop(*current))
            current = None
        if loop is not None:
            self._current = (loop, current[1] if current else self._began[-loop.length])
        else:
            self._current = None

    def skip(self, rounds: int) -> None:
        """Pass over rounds of which each is like no other."""
        if rounds:
            self.add(None, "")
            self._finder.skip(rounds - 1)

    def end(self) -> list[RunLoop]:
        """Return all loops; no round may come after it."""
        if self._current is not None:
            self.loops.append(RunLoop(*self._current))
            self._current = None
        return self.loops
