"""Which rows of a long run stand open, which are folded away, and which are left out."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from stalwart_lang.timeline.records import Span
from stalwart_lang.timeline.runs import Node, Run

ALL_OPEN = 400
"""A run of so many rows or fewer stands open."""

_OVERVIEW, _REVEALED, _NOTEWORTHY, _FOLD = 100, 400, 100, 200


@dataclass(frozen=True, slots=True)
class Place:
    """A span and how deep below a root it is."""

    span: Span
    depth: int


@dataclass(frozen=True, slots=True)
class Fold:
    """Rows folded into one; the last `left_out` of them are only counted."""

    places: tuple[Place, ...]
    left_out: int


def folded(run: Run, noteworthy: Collection[str], limit: int) -> Iterator[Place | Fold]:
    """Yield the rows of a run, parents first, at most `limit` of them.

    Of a long run the upper levels stand open, and what leads to the first and the last of the
    `noteworthy` (span ids); all between them is in folds.
    """
    places = list(_places(run.roots))
    if len(places) <= min(ALL_OPEN, limit):
        yield from places
        return
    open_rows = _revealed(run, noteworthy)
    room = limit - len(open_rows)
    hidden: list[Place] = []
    for place in places:
        opens = place.span.span_id in open_rows
        full = len(hidden) >= _FOLD and place.depth <= hidden[0].depth
        if hidden and (opens or full or len(hidden) == 2 * _FOLD):
            yield _fold(hidden, room)
            room -= len(hidden)
            hidden = []
        if opens:
            yield place
        else:
            hidden.append(place)
    if hidden:
        yield _fold(hidden, room)


def _fold(hidden: list[Place], room: int) -> Fold:
    return Fold(tuple(hidden), max(0, min(len(hidden), len(hidden) - room)))


def _places(roots: Iterable[Node]) -> Iterator[Place]:
    waiting = [(node, 0) for node in reversed(list(roots))]
    while waiting:
        node, depth = waiting.pop()
        yield Place(node.span, depth)
        waiting += [(child, depth + 1) for child in reversed(node.children)]


def _revealed(run: Run, noteworthy: Collection[str]) -> set[str]:
    found: set[str] = set()
    waiting = deque([run.roots])
    while waiting:
        siblings = waiting.popleft()
        if len(found) + len(siblings) <= _OVERVIEW:
            found.update(node.span.span_id for node in siblings)
            waiting.extend(node.children for node in siblings)
    known = {span.span_id: span for span in run.spans}
    worth = [span.span_id for span in run.spans if span.span_id in noteworthy]
    if len(worth) > _NOTEWORTHY:
        worth = worth[: _NOTEWORTHY // 2] + worth[-_NOTEWORTHY // 2 :]
    for span_id in worth:
        above: str | None = span_id
        while above in known and above not in found and len(found) < _REVEALED:
            found.add(above)
            above = known[above].parent_id
    return found
