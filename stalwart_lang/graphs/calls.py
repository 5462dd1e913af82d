"""The calls of a graph's conversation: those asked for, those done, and what read from outside.

A message is LangChain's, or a dict of OpenAI's shape.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stalwart_lang.check import Done, ToolSpec


@dataclass(frozen=True, slots=True)
class Call:
    """A call that a model asks for. `arguments` are None where they are no JSON object."""

    id: str
    tool: str
    arguments: Mapping[str, Any] | None


def calls_of(message: object) -> list[Call]:
    """Return the calls that a message asks for, in order; of another than an assistant's, none."""
    return [_call(call) for call in _field(message, "tool_calls") or ()]


def done_before(messages: Iterable[object]) -> list[Done]:
    """Return the calls of a conversation that ran to their end, in order."""
    asked: dict[str, Call] = {}
    done = []
    for message in messages:
        for call in calls_of(message):
            asked[call.id] = call
        for identity in _answered(message):
            call_done = asked.pop(identity, None)
            if call_done is not None:
                done.append(Done(call_done.tool, call_done.arguments or {}))
    return done


def read_outside(done: Iterable[Done], catalogue: Mapping[str, ToolSpec]) -> tuple[str, ...]:
    """Return the tools that read from outside, whose data the conversation may hold."""
    return tuple(
        dict.fromkeys(
            each.tool
            for each in done
            if (tool := catalogue.get(each.tool)) is not None and tool.reads_outside
        )
    )


def step_of_call(messages: Sequence[object], call_id: str) -> tuple[Sequence[object], list[Call]]:
    """Return the messages before the one that asks for a call, and the calls that it asks for."""
    for at in range(len(messages) - 1, -1, -1):
        calls = calls_of(messages[at])
        if any(call.id == call_id for call in calls):
            return messages[:at], calls
    return messages, []


def messages_of(state: object, name: str) -> Sequence[object]:
    """Return the messages of a graph's state, or the state where it is a list of them."""
    if isinstance(state, list):
        return state
    held = _field(state, name)
    return held if isinstance(held, list | tuple) else ()


def _answered(message: object) -> Iterator[str]:
    identity = _field(message, "tool_call_id")
    # What failed, and what was not run, is not done.
    if isinstance(identity, str) and _field(message, "status") != "error":
        yield identity


def _call(call: object) -> Call:
    function = _field(call, "function")
    name = _field(call, "name") if function is None else _field(function, "name")
    given = _field(call, "args") if function is None else _field(function, "arguments")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            given = None
    arguments = given if isinstance(given, Mapping) else None
    return Call(str(_field(call, "id") or ""), str(name), arguments)


def _field(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
