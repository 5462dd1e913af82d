"""Where in the YAML a place is: the keys and numbers that lead to it."""

import re
from typing import NamedTuple

from stalwart_lang.vocabulary.yaml12 import Mapping, Node, Scalar, Sequence

_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")


class Step(NamedTuple):
    """One step: into a mapping's entry by its key, or into a list's item by its number.

    `node` is what stands there. `key_node` is the key's scalar, None for an item.
    """

    key: str | int
    node: Node
    key_node: Scalar | None


def steps_to(text: str, root: Node, offset: int) -> tuple[Step, ...]:
    """The steps from the root to what stands at an offset.

    On a blank line, and after the end of what is above, indentation decides what the place belongs
    to, as it will when something is typed there.
    """
    line = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    before = text[line:offset]
    column = len(before) if not before.strip() else len(before) - len(before.lstrip(" "))
    steps: list[Step] = []
    node: Node | None = root
    while node is not None and not isinstance(node, Scalar):
        step, node = _into(text, node, offset, line, column)
        if step is None:
            break
        steps.append(step)
    return tuple(steps)


def _into(
    text: str, node: Mapping | Sequence, offset: int, line: int, column: int
) -> tuple[Step | None, Node | None]:
    """The step that leads on, and what to look into next, None where the place is reached."""
    flow = is_flow(text, node)
    if isinstance(node, Sequence):
        for number in range(len(node.items) - 1, -1, -1):
            item = node.items[number]
            start = item.start if flow else _dash(text, item.start)
            if start <= offset and (flow or column > _column(text, start) or start >= line):
                if flow and offset > item.end:
                    return None, None
                return Step(number, item, None), item
            if start <= offset:
                return None, None
        return None, None
    for key, value in reversed(node.entries):
        if key.start > offset:
            continue
        step = Step(key.text, value, key)
        if offset <= key.end:
            return step, None
        if flow:
            inside = not isinstance(value, Scalar) and value.start <= offset < value.end
            comma = "," in text[max(key.end, value.end) : offset]
            return (None, None) if comma else (step, value if inside else None)
        if key.start >= line or (value.start <= offset < value.end and is_flow(text, value)):
            return step, value if value.start <= offset else None
        if column > _column(text, key.start):
            return step, None if isinstance(value, Scalar) else value
        if isinstance(value, Sequence) and column == _column(text, key.start):
            before = text[line:offset].lstrip(" ")
            if before.startswith("-"):
                return step, value
        return None, None
    return None, None


def is_flow(text: str, node: Node) -> bool:
    """Whether a collection stands between brackets or braces, rather than by indentation."""
    if isinstance(node, Scalar):
        return False
    properties = _PROPERTIES.match(text, node.start)
    at = properties.end() if properties else node.start
    return text[at : at + 1] in ("[", "{")


def _column(text: str, offset: int) -> int:
    return offset - max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) - 1


def _dash(text: str, start: int) -> int:
    """Where the `-` before an item stands."""
    at = text.rfind("-", 0, start)
    return start if at < 0 else at
