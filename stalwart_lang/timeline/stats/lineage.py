"""What is above a span: whether another call is, and whose agent's and which round's it is.

Each walk up remembers what it found, so that all of them together take linear time.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeAlias

from stalwart_lang.timeline.kinds import Kind

Key: TypeAlias = Hashable
"""What a span is known by: its id, say."""
Lookup: TypeAlias = Callable[[Key], tuple[Key | None, Kind] | None]
"""Gives a span's parent and its kind, or None for a span that is not recorded."""


class Lineage:
    """Answers what is above the spans of one run."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._nested: dict[Key, bool] = {}
        self._owners: dict[Key, tuple[Key | None, Key | None]] = {}

    def in_a_call(self, key: Key | None) -> bool:
        """Return whether the span `key`, or one above it, is a model call or a tool."""
        nested = self._nested
        path: list[Key] = []
        found = False
        while key is not None:
            if key in nested:
                found = nested[key]
                break
            above = self._lookup(key)
            if above is None:
                break
            if above[1] in ("model", "tool"):
                found = True
                break
            nested[key] = False  # what stands in a circle ends here
            path.append(key)
            key = above[0]
        for passed in path if found else ():
            nested[passed] = True
        return found

    def owner(self, key: Key | None) -> tuple[Key | None, Key | None]:
        """Return the agent and the model call that what is below the span `key` belongs to.

        The agent is the nearest span at or above `key` that is a run or a tool, or the last that is
        known of above it; the model call is the nearest one below that.
        """
        owners = self._owners
        path: list[tuple[Key, Kind]] = []
        agent = key
        round_: Key | None = None
        seen: set[Key] = set()
        while key is not None and key not in seen:
            if key in owners:
                agent, round_ = owners[key]
                break
            agent = key
            above = self._lookup(key)
            if above is None:
                break
            seen.add(key)
            path.append((key, above[1]))
            if above[1] in ("run", "tool"):
                break
            key = above[0]
        for passed, kind in reversed(path):
            if kind == "model":
                round_ = passed
            owners[passed] = agent, round_
        return agent, round_


def count_leaves(failed: Iterable[tuple[Key, Key | None]], lookup: Lookup) -> int:
    """Count those of the spans `failed` (of each its key and its parent) that have none below."""
    spans = dict(failed)
    above_one: set[Key] = set()
    for parent in spans.values():
        key = parent
        while key is not None and key not in above_one:
            above_one.add(key)
            found = lookup(key)
            key = None if found is None else found[0]
    return sum(key not in above_one for key in spans)
