"""Whether an agent repeats itself: errors tell nothing of it, since each step alone is fine."""

from collections.abc import Sequence

from model import ToolCall

WINDOW = 4


def goes_in_circles(steps: Sequence[Sequence[ToolCall]]) -> bool:
    """Tell whether the last WINDOW steps made the same calls, or swung between the same two.

    A step's calls count with their arguments, in any order: to read one file after another is no
    circle. A step without calls is none either.
    """
    last = [frozenset(map(_signature, calls)) for calls in steps[-WINDOW:]]
    return len(last) == WINDOW and all(last) and last[:2] == last[2:]


def _signature(call: ToolCall) -> tuple[str, frozenset[tuple[str, str]]]:
    return call.tool, frozenset(call.arguments.items())
