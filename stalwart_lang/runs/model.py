"""A model as a plain function, so that any provider's client fits.

It is given the conversation and the tools, and returns a text, or the calls it wants made:

    def model(messages, tools):
        return "There are three orders."
        return [{"name": "get_order", "arguments": {"order_id": 4411}}]

It may be a coroutine function. Messages are dicts with `role` (`user`, `assistant`, `tool`),
`content`, and for an assistant's calls `tool_calls` (`id`, `name`, `args`), for a tool's result
`tool_call_id`. Tools are dicts with `name`, `description` and `parameters`, a JSON Schema.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeAlias

from stalwart_lang.runs.awaiting import waited_for
from stalwart_lang.runs.plain import plain_text, plain_value
from stalwart_lang.tracing.agent import AgentSpans

Model: TypeAlias = Callable[[list[dict[str, Any]], list[dict[str, Any]]], Any]


class BadAnswer(TypeError):
    """Raised for what a model function returned that is neither a text nor calls."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer: calls (name and arguments), or where there are none a text."""

    text: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()


def ask_model(
    model: Model | None,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
    tracer: AgentSpans,
) -> Answer:
    """Ask the model. Raises BadAnswer, and whatever the function raises."""
    if model is None:
        raise BadAnswer("there is no model")
    given = deepcopy([dict(message) for message in messages])
    name = getattr(model, "model", None) or getattr(model, "__name__", "model")
    with tracer.model_call(str(name), message=messages) as call:
        answer = _answer(waited_for(model(given, deepcopy([dict(tool) for tool in tools]))))
        reason = "tool_use" if answer.calls else "end_turn"
        call.responded(stop_reason=reason, message=answer.text or None)
    return answer


def _answer(given: Any) -> Answer:
    answer = _read(given)
    if not answer.calls and not answer.text.strip():
        raise BadAnswer("the model returned neither a text nor calls")
    return answer


def _read(given: Any) -> Answer:
    if isinstance(given, str):
        return Answer(plain_text(given))
    if isinstance(given, Mapping):
        text = given.get("text") or given.get("content") or ""
        return Answer(
            plain_text(text) if isinstance(text, str) else "",
            _calls(given.get("tool_calls") or ()),
        )
    if isinstance(given, Sequence):
        return Answer(calls=_calls(given))
    raise BadAnswer(f"a model returns a text or a list of calls, not {type(given).__qualname__}")


def _calls(given: Any) -> list[tuple[str, Mapping[str, Any]]]:
    made = []
    for call in given:
        named = call.get("function", call) if isinstance(call, Mapping) else None
        if not isinstance(named, Mapping) or not isinstance(named.get("name"), str):
            raise BadAnswer('a call is {"name": …, "arguments": {…}}')
        arguments = named.get("arguments", named.get("args", named.get("input", {})))
        if isinstance(arguments, str):  # as some providers send them
            try:
                arguments = json.loads(arguments)
            except ValueError as error:
                raise BadAnswer(f"the arguments of {named['name']} are not JSON") from error
        if not isinstance(arguments, Mapping):
            raise BadAnswer(f"the arguments of {named['name']} are no object")
        made.append((plain_text(named["name"]), plain_value(arguments)))
    return made
