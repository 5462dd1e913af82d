"""Messages of every shape, read as what matters here: their ids, their calls, their results.

Known are the dicts of OpenAI's chat completions and responses, Anthropic's with their content
blocks, LangChain's messages (as objects, dumped, or serialized), the objects of the providers'
clients, pairs of role and text, and the messages of our own runs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

Get: TypeAlias = Callable[[str], Any]
Speaks: TypeAlias = Literal["", "after", "before"]
"""Whether a message says something beside the results that it holds, and where."""


class Told(NamedTuple):
    """What a message tells: `calls` are the ids of the tools it asks for, `results` those it
    answers, each in order.

    `tools` are the names of the tools whose results it holds. `joins` says that it is an item of a
    step of several (of OpenAI's responses), `kept` whether it is a message at all: a request to
    remove one is none.
    """

    id: str | None
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    speaks: Speaks = "after"
    tools: tuple[str, ...] = ()
    joins: bool = False
    kept: bool = True


def read_message(message: object) -> Told:
    """Read a message. What is none of the known shapes counts as one that only speaks.

    So does what cannot be read: an object whose attributes raise. Raises nothing.
    """
    try:
        return _read(message)
    except Exception:  # objects of anybody's may raise anything
        return Told(None)


def _read(message: object) -> Told:
    if type(message) is dict:
        return _of_mapping(message)
    held = getattr(message, "__dict__", None)
    if held is not None:
        # What a model of pydantic holds is there, and far quicker to get than its attributes.
        kind = held.get("type")
        if isinstance(kind, str) and kind in _READERS:
            return _READERS[kind](kind, held.get)
        role = held.get("role")
        if isinstance(role, str) and role in _READERS:
            return _READERS[role](role, held.get)
    if isinstance(message, Mapping):
        return _of_mapping(message)
    if isinstance(message, tuple | list) and len(message) == 2:
        role = str(message[0])
        return _READERS.get(role, _of_person)(role, {"content": message[1]}.get)
    return Told(None)


def _of_mapping(message: Mapping[str, Any]) -> Told:
    role = message.get("role")
    if isinstance(role, str):
        return _READERS.get(role, _of_person)(role, message.get)
    kind = str(message.get("type"))
    inner = message.get("kwargs")
    if "lc" in message and isinstance(inner, Mapping):
        # LangChain's serialized form names the class, and its arguments are the message.
        path = message.get("id")
        named = str(path[-1]) if isinstance(path, Sequence) and path else ""
        kind = _CLASSES.get(named, str(inner.get("type")))
        return _READERS.get(kind, _of_person)(kind, inner.get)
    data = message.get("data")
    get = data.get if isinstance(data, Mapping) else message.get
    return _READERS.get(kind, _of_person)(kind, get)


def _id(get: Get) -> str | None:
    return _text(get("id")) or None


def _text(value: object) -> str:
    """Return a text, empty where it is none; of a class of its own, as a plain one."""
    if type(value) is str:
        return value
    return str.__str__(value) if isinstance(value, str) else ""


def _of_person(_: str, get: Get) -> Told:
    content = get("content")
    if isinstance(content, str) or content is None:
        return Told(_id(get))
    return _of_blocks(_id(get), content)


def _of_tool(_: str, get: Get) -> Told:
    name = _text(get("name"))
    return Told(_id(get), (), (_text(get("tool_call_id")),), "", (name,) if name else ())


def _of_removal(_: str, get: Get) -> Told:
    return Told(_id(get), speaks="", kept=False)


def _of_assistant(_: str, get: Get) -> Told:
    calls: list[str] = []
    for call in _list(get("tool_calls")):
        _add(calls, call)
    # Providers are sent the calls whose arguments could not be read as well, and want results.
    for call in _list(get("invalid_tool_calls")):
        _add(calls, call)
    content = get("content")
    if not isinstance(content, str):
        unnamed = "" in calls  # those of the blocks are the same ones
        for block in _list(content):
            if _field(block, "type") in ("tool_use", "tool_call") and (
                not unnamed or _text(_field(block, "id"))
            ):
                _add(calls, block)
    if not calls and (legacy := get("function_call")) is not None:
        calls.append(_legacy(_field(legacy, "name")))
    return Told(_id(get), tuple(calls))


def _add(calls: list[str], call: object) -> None:
    """Add the id of a call; of one without, an empty one, each time."""
    identity = _text(_field(call, "id"))
    if identity not in calls if identity else _is_call(call):
        calls.append(identity)


def _is_call(call: object) -> bool:
    return bool(_field(call, "name") or _field(call, "function"))


def _of_item(kind: str, get: Get) -> Told:
    own = _id(get)
    if kind in ("function", "FunctionMessageChunk"):
        name = get("name")
        return Told(own, results=(_legacy(name),), speaks="", tools=(str(name),))
    if kind == "reasoning":
        return Told(own, speaks="", joins=True)
    call = _text(get("call_id"))
    if kind in ("function_call", "custom_tool_call"):
        return Told(own, calls=(call,), joins=True)
    return Told(own, results=(call,), speaks="")


def _of_blocks(own: str | None, content: object) -> Told:
    """Read a person's message that is made of blocks: Anthropic has results among them."""
    results: list[str] = []
    speaks: Speaks = ""
    for block in _blocks(content):
        if _field(block, "type") == "tool_result":
            results.append(_text(_field(block, "tool_use_id")))
            if speaks:
                speaks = "before"
        elif not speaks:
            speaks = "after"
    return Told(own, results=tuple(results), speaks=speaks or ("" if results else "after"))


def _blocks(content: object) -> Iterator[object]:
    if isinstance(content, list | tuple):
        yield from content
    else:
        yield content


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _field(value: object, name: str) -> Any:
    if type(value) is dict:
        return value.get(name)
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _legacy(name: object) -> str:
    """Return the id of a call of OpenAI's functions, which came before tools and have none."""
    return f"function:{name}"


_READERS: Mapping[object, Callable[[str, Get], Told]] = {
    "user": _of_person,
    "human": _of_person,
    "HumanMessageChunk": _of_person,
    "system": _of_person,
    "SystemMessageChunk": _of_person,
    "developer": _of_person,
    "chat": _of_person,
    "ChatMessageChunk": _of_person,
    "assistant": _of_assistant,
    "ai": _of_assistant,
    "AIMessageChunk": _of_assistant,
    "tool": _of_tool,
    "ToolMessageChunk": _of_tool,
    "remove": _of_removal,
    "function": _of_item,
    "FunctionMessageChunk": _of_item,
    "reasoning": _of_item,
    "function_call": _of_item,
    "function_call_output": _of_item,
    "custom_tool_call": _of_item,
    "custom_tool_call_output": _of_item,
}
"""How a message is read, by its role or its type."""

_CLASSES: Mapping[str, str] = {
    "AIMessage": "ai",
    "AIMessageChunk": "ai",
    "HumanMessage": "human",
    "HumanMessageChunk": "human",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "ToolMessageChunk": "tool",
    "FunctionMessage": "function",
    "RemoveMessage": "remove",
}
