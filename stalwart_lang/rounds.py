"""A guard on the rounds of an agent's loop: not too many of them, and not the same over and over.

    rounds = Rounds(most=12)
    while True:
        answer = model(messages)
        if not answer.calls:
            break
        rounds.add((call.name, call.arguments) for call in answer.calls)
        ...

It knows nothing of what runs the loop.
"""

from collections.abc import Iterable

from stalwart_lang.loops import WINDOW, Loop, LoopFinder, RoundSignature, detect_loop
from stalwart_lang.tracing.content import digest

__all__ = ["Loop", "Looping", "Rounds", "TooManyRounds", "detect_loop", "round_signature"]

MOST = 25


class TooManyRounds(RuntimeError):
    """Raised for a round more than there may be; `most` is how many those are."""

    def __init__(self, most: int) -> None:
        self.most = most
        super().__init__(f"the agent asked for tools in more than {most} rounds")


class Looping(RuntimeError):
    """Raised for a round that repeats what came before; `loop` has the rounds that repeat."""

    def __init__(self, loop: Loop[RoundSignature]) -> None:
        self.loop = loop
        tools = " → ".join(
            " + ".join(name for name, _ in signature) for signature in loop.signatures
        )
        super().__init__(f"the agent goes in circles: {tools}, {loop.times} times")


class Rounds:
    """Counts the rounds of one turn; see the module.

    `most` is how many there may be, None for as many as it likes. A loop is a stretch of `window`
    rounds or more that repeats, whatever its period: the same calls with the same arguments. None
    lets it loop. The time of a round does not depend on how many came before it.
    """

    def __init__(self, most: int | None = MOST, window: int | None = WINDOW) -> None:
        if most is not None and most < 1:
            raise ValueError(f"most={most}: an agent has one round at least")
        self.count = 0
        self._most = most
        self._finder = None if window is None else LoopFinder[RoundSignature](window)

    def add(self, calls: Iterable[tuple[str, object]]) -> None:
        """Take a round: the calls that it asks for, each a tool and its arguments.

        Raises TooManyRounds, and Looping, before anything of the round is done.
        """
        if self._most is not None and self.count >= self._most:
            raise TooManyRounds(self._most)
        self.count += 1
        loop = self._finder.add(round_signature(calls)) if self._finder is not None else None
        if loop is not None:
            raise Looping(loop)


def round_signature(calls: Iterable[tuple[str, object]]) -> RoundSignature:
    """Return what a round is known by: its calls, whatever their order and their arguments'."""
    return tuple(sorted((tool, digest(arguments)) for tool, arguments in calls))
