"""From bound steps to calls with their arguments, as a plan holds them."""

from collections.abc import Mapping, Sequence
from typing import Any

from stalwart_lang.selector.arguments import AsTyped
from stalwart_lang.selector.assign import Bound
from stalwart_lang.selector.plan import Call, Missing
from stalwart_lang.selector.scanned import Scanned


def make_calls(bound: Bound, scanned: Scanned) -> list[Call]:
    """Give the calls that a step comes to: one, or one for each id of a list."""
    frame, step = bound.frame, bound.step
    start, end = scanned.span(step.first, step.last)
    calls: list[Call] = []
    for arguments in make_arguments(frame.slots, bound.values, scanned):
        calls.append(Call(frame.tool, arguments, frame.rule, frame.file, frame.line, start, end))
    return calls


def make_arguments(
    slots: Sequence[Mapping[str, Any]], values: Mapping[int, Any], scanned: Scanned
) -> list[dict[str, Any]]:
    """Give a call's arguments in the order of the tool's; several for a list of ids."""
    made: dict[str, Any] = {}
    listed: str | None = None
    ids: Sequence[int] = ()
    for number in sorted(values) if len(values) > 1 else values:
        value = values[number]
        name = slots[number]["name"]
        if value.__class__ is list:
            made[name] = value[0]
            if len(value) > 1:
                listed, ids = name, value
        elif value.__class__ is AsTyped:
            made[name] = scanned.typed(value.at)
        else:
            made[name] = value
    return [made] if listed is None else [{**made, listed: one} for one in ids]


def make_missing(bound: Bound, call: int) -> list[Missing]:
    """Give the questions for the arguments that a step leaves out; `call` is the call's number."""
    frame = bound.frame
    slots = map(frame.slots.__getitem__, bound.missing)
    return [Missing(call, frame.tool, slot["name"], slot["ask"]) for slot in slots]
