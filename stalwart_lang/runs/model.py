"""A model as a plain function, so that any provider's client fits.

It is given the conversation and the tools, and returns a text, or the calls it wants made:

    def model(messages, tools):
        return "There are three orders."
        return [{"name": "get_order", "arguments": {"order_id": 4411}}]

What a provider's client returns may be given on as it is: LangChain's message, OpenAI's chat
completion or response, Anthropic's message, as objects or as dicts.

It may be a coroutine function. Messages are dicts with `role` (`user`, `assistant`, `tool`),
`content`, and for an assistant's calls `tool_calls` (`id`, `name`, `args`), for a tool's result
`tool_call_id`. Tools are dicts with `name`, `description` and `parameters`, a JSON Schema.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeAlias

from stalwart_lang.runs.awaiting import waited_for
from stalwart_lang.runs.plain import plain_text, plain_value
from stalwart_lang.tracing.agent import AgentSpans

_SHAPES = (
    "a model returns a text, a list of calls, a mapping with `text` and `tool_calls`, LangChain's "
    "message, or a response of OpenAI's or Anthropic's client"
)
_TEXTS = ("text", "output_text", "refusal")
_CALLS = (None, "function", "function_call", "tool_call", "tool_use")
"""The types of calls. Other blocks, of thoughts and of tools of the provider's own, ask nothing."""

Model: TypeAlias = Callable[[list[dict[str, Any]], list[dict[str, Any]]], Any]


class BadAnswer(TypeError):
    """Raised for what a model function returned that is neither a text nor calls.

    What it says quotes nothing of the answer: it may be logged.
    """


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
    """Read an answer of any of the shapes. A list that is empty is no answer, and says nothing."""
    if isinstance(given, str):
        return Answer(plain_text(given))
    if isinstance(given, Iterator | AsyncIterator) or _is_chunk(given):
        raise BadAnswer("a stream, or a chunk of one, is no answer: return the whole answer")
    if isinstance(given, list | tuple):
        return _of_blocks(given)
    choices = _field(given, "choices")
    if isinstance(choices, list | tuple) and choices:
        return _read(_field(choices[0], "message"))
    output = _field(given, "output")
    if isinstance(output, list | tuple):
        return _of_blocks(output)
    said = _said(given)
    if said is None and _field(given, "tool_calls") is None and not isinstance(given, Mapping):
        raise BadAnswer(f"{_SHAPES}, not {type(given).__qualname__}")
    answer = _read(said) if isinstance(said, str | list | tuple) else Answer()
    if _field(given, "invalid_tool_calls"):
        raise BadAnswer("the arguments of a call are not JSON")
    made = [_call(call) for call in _listed(_field(given, "tool_calls"))]
    # What LangChain has of some providers is in both places.
    return Answer(answer.text, made) if made else answer


def _is_chunk(given: Any) -> bool:
    """Whether it is an event of OpenAI's or Anthropic's streams."""
    choices = _listed(_field(given, "choices"))
    return _field(choices[0] if choices else given, "delta") is not None


def _said(given: Any) -> Any:
    found = (_field(given, name) for name in ("content", "text", "refusal"))
    return next((said for said in found if said and isinstance(said, str | list | tuple)), None)


def _of_blocks(blocks: Sequence[Any]) -> Answer:
    """Read a list of calls, or of a provider's blocks: texts and calls, each with its `type`."""
    texts: list[str] = []
    calls: list[tuple[str, Mapping[str, Any]]] = []
    for block in blocks:
        kind = _field(block, "type")
        if isinstance(block, str):
            texts.append(block)
        elif kind == "message":
            texts.append(_of_blocks(_listed(_field(block, "content"))).text)
        elif kind in _TEXTS:
            said = _field(block, "refusal" if kind == "refusal" else "text")
            texts.append(said if isinstance(said, str) else "")
        elif kind in _CALLS:
            calls.append(_call(block))
    return Answer(plain_text("".join(texts)), calls)


def _call(call: Any) -> tuple[str, Mapping[str, Any]]:
    function = _field(call, "function")
    named = call if function is None else function
    name = _field(named, "name")
    if not isinstance(name, str):
        raise BadAnswer('a call is {"name": …, "arguments": {…}}')
    found = (_field(named, key) for key in ("arguments", "args", "input"))
    arguments: Any = next((given for given in found if given is not None), {})
    if isinstance(arguments, str):  # as some providers send them
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError as error:
            raise BadAnswer("the arguments of a call are not JSON") from error
    if not isinstance(arguments, Mapping):
        raise BadAnswer("the arguments of a call are no object")
    return plain_text(name), plain_value(arguments)


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
