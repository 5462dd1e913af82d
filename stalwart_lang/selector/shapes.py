"""What frames take, compared: whether one turn can hold all that two of them need."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain, combinations_with_replacement, count, islice
from typing import NamedTuple, TypeAlias

from stalwart_lang.selector.samples import AFTER_PHRASE, COUNT, Said

_MOST_LOOKS = 256
"""A shape is compared with so many others, the likeliest first."""
_FEW = 8
_MOST_STATES = 4_096
_MOST_SOLUTIONS = 4

Slots: TypeAlias = tuple[tuple[tuple[Said, ...], bool], ...]
"""By slot of a frame, what it takes and whether it is required."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What a frame takes: the slots, as bits, that each thing said may fill; those required.

    `needs` is what the required slots take, slot by slot.
    """

    required: int
    takes: Mapping[Said, int]
    needs: tuple[tuple[Said, ...], ...]


class Shared(NamedTuple):
    """Things said that two frames take, and what each then lacks, as bits of its slots."""

    said: tuple[Said, ...]
    lacking: tuple[int, int]


def make_shape(slots: Slots) -> Shape:
    """Make the shape of a frame with these slots."""
    takes: dict[Said, int] = {}
    required = 0
    for at, (its, needed) in enumerate(slots):
        for said in its:
            takes[said] = takes.get(said, 0) | 1 << at
        if needed:
            required |= 1 << at
    return Shape(required, takes, tuple(its for its, needed in slots if needed))


def alike(shapes: Sequence[Shape]) -> Iterator[tuple[Shape, Shape]]:
    """Pair the shapes where one may take all that the other needs; each with itself, too.

    Few shapes are all paired: to look closer would cost more.
    """
    if len(shapes) <= _FEW:
        yield from combinations_with_replacement(shapes, 2)
        return
    taking: dict[Said, list[int]] = {}
    for at, shape in enumerate(shapes):
        for said in shape.takes:
            taking.setdefault(said, []).append(at)
    takers: dict[tuple[Said, ...], int] = {}
    for its in chain.from_iterable(shape.needs for shape in shapes):
        if its not in takers:
            takers[its] = sum(len(taking[said]) for said in its)
    seen: set[tuple[int, int]] = set()
    for at, shape in enumerate(shapes):
        yield shape, shape
        # The slot that the fewest others can fill leaves the fewest to look at.
        rarest = min(shape.needs, key=takers.__getitem__, default=None)
        others: Iterable[int] = range(len(shapes))
        if rarest is not None:
            others = dict.fromkeys(chain.from_iterable(taking[said] for said in rarest))
        for other in islice(others, _MOST_LOOKS):
            pair = (min(at, other), max(at, other))
            if other == at or pair in seen:
                continue
            takes = shapes[other].takes
            if all(any(said in takes for said in its) for its in shape.needs):
                seen.add(pair)
                yield shapes[pair[0]], shapes[pair[1]]


def shared(one: Shape, other: Shape, counts: bool, after: bool) -> tuple[Shared, ...]:
    """Find the least that can be said to complete both shapes, or else one of them; a few ways.

    Fewest words first, then letters. As in assignment, a thing said fills the one slot that takes
    it, or that takes it and is not filled yet. `counts` and `after` tell whether a number may
    stand as a count, and right after the words of the phrase.
    """
    choices = _choices(one, other, counts, after)
    whole: list[Shared] = []
    half: list[Shared] = []
    tie = count()
    waiting: list[tuple[int, int, int, int, int, int, tuple[Said, ...]]] = []
    heappush(waiting, (0, 0, 0, next(tie), 0, 0, ()))
    visits: dict[tuple[int, int], list[frozenset[Said]]] = {}
    while waiting and len(visits) < _MOST_STATES and len(whole) < _MOST_SOLUTIONS:
        words, letters, disorder, _, bound_one, bound_other, so_far = heappop(waiting)
        visited = visits.setdefault((bound_one, bound_other), [])
        if len(visited) == _MOST_SOLUTIONS or frozenset(so_far) in visited:
            continue
        visited.append(frozenset(so_far))
        lacking = (one.required & ~bound_one, other.required & ~bound_other)
        if not any(lacking):
            whole.append(Shared(so_far, lacking))
        elif not all(lacking) and len(half) < _MOST_SOLUTIONS:
            half.append(Shared(so_far, lacking))
        for said, of_one, of_other in choices:
            fills_one, fills_other = _filled(of_one, bound_one), _filled(of_other, bound_other)
            if fills_one and fills_other:
                heappush(
                    waiting,
                    (
                        words + _words(said),
                        letters + len(said.text),
                        disorder + (fills_one < bound_one),  # as the arguments are declared
                        next(tie),
                        bound_one | fills_one,
                        bound_other | fills_other,
                        (*so_far, said),
                    ),
                )
    return (*whole, *half)


def _choices(one: Shape, other: Shape, counts: bool, after: bool) -> list[tuple[Said, int, int]]:
    """Give what both shapes take, with the slots; the shortest for the same slots and place."""
    found = [
        said
        for said in one.takes
        if said in other.takes
        and (counts or said.place != COUNT)
        and (after or said.place != AFTER_PHRASE)
    ]
    found.sort(key=lambda said: (_words(said), len(said.text), said.text, said.place))
    kept: set[tuple[int, int, int]] = set()
    choices: list[tuple[Said, int, int]] = []
    for said in found:
        way = (one.takes[said], other.takes[said], said.place)
        if way not in kept:
            kept.add(way)
            choices.append((said, *way[:2]))
    return choices


def _words(said: Said) -> int:
    return said.text.count(" ") + 1 + said.id_follows


def _filled(slots: int, bound: int) -> int:
    """Give the one slot that is filled, or none."""
    if slots & (slots - 1):
        slots &= ~bound
    return 0 if slots & bound or slots & (slots - 1) else slots
