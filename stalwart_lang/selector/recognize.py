"""Run the grammar's automaton over a turn's terminals, choosing what each word means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stalwart_lang.selector.lexicon import DROPPED


@dataclass(frozen=True, slots=True)
class Stuck:
    """The first terminal that cannot follow; `state` is where the automaton was."""

    at: int
    state: int


def recognize(
    types: Sequence[Any],
    payloads: list[Any],
    steps: Sequence[Mapping[int, int]],
    final: frozenset[int],
) -> list[int] | Stuck:
    """Give the terminal that each token is, or the furthest token that cannot stand there.

    Among the meanings of a word, the first that lets the whole turn be read is taken; `payloads`
    then holds that meaning's. A word dropped from the reading has the type DROPPED. The time is
    linear in the number of terminals: a position is never left twice from one state.
    """
    # Nearly always the first meaning that can stand at a word is the right one.
    meant: list[tuple[int, int]] = []
    state = 0
    for at, type_ in enumerate(types):
        row = steps[state]
        if type_.__class__ is list:
            for one in type_:
                after = state if one == DROPPED else row.get(one)
                if after is not None:
                    meant.append((at, one))
                    break
        else:
            after = row.get(type_)
        if after is None:
            return _search(types, payloads, steps, final)
        state = after
    if state not in final:
        return _search(types, payloads, steps, final)
    chosen = [*types]
    for at, one in meant:
        chosen[at] = one
        payloads[at] = payloads[at][types[at].index(one)]
    return chosen


def _search(
    types: Sequence[Any],
    payloads: list[Any],
    steps: Sequence[Mapping[int, int]],
    final: frozenset[int],
) -> list[int] | Stuck:
    count = len(types)
    failed: set[tuple[int, int]] = set()
    path: list[tuple[int, int, int]] = []  # state before, meaning taken, meanings left from
    furthest = Stuck(-1, 0)
    at, state, first = 0, 0, 0
    while True:
        if at == count:
            if state in final:
                break
            if at > furthest.at:
                furthest = Stuck(at, state)
        elif (at, state) not in failed:
            meanings = types[at] if types[at].__class__ is list else [types[at]]
            row = steps[state]
            for meaning in range(first, len(meanings)):
                type_ = meanings[meaning]
                after = state if type_ == DROPPED else row.get(type_)
                if after is not None:
                    path.append((state, meaning, type_))
                    at, state, first = at + 1, after, 0
                    break
            else:
                failed.add((at, state))
                if at > furthest.at:
                    furthest = Stuck(at, state)
                if not path:
                    return furthest
                at -= 1
                state, meaning, _ = path.pop()
                first = meaning + 1
            continue
        if not path:
            return furthest
        at -= 1
        state, meaning, _ = path.pop()
        first = meaning + 1
    for position, (_, meaning, _) in enumerate(path):
        if types[position].__class__ is list:
            payloads[position] = payloads[position][meaning]
    return [type_ for _, _, type_ in path]
