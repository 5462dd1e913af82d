"""Values of a store as plain data.

LangGraph writes objects as MessagePack extensions that name a class and its arguments. They are
read as a mapping of the arguments with the class's name: nothing is imported, nothing is called.
"""

import json
from typing import Any

import msgspec

CLASS = "__class__"
"""The key under which an object's class is named."""


class Undecodable:
    """What stands for a value of a format that is not read (a pickle, say), or a damaged one."""

    def __repr__(self) -> str:
        return "undecodable"


UNDECODABLE = Undecodable()


def unpack(kind: str | None, value: bytes | str | None) -> Any:
    """Return the value of a row: its `type` column and its bytes."""
    if value is None or kind in (None, "null", "empty"):
        return None
    data = value.encode() if isinstance(value, str) else value
    try:
        if kind == "msgpack":
            return _decode(data)
        if kind == "json":
            return json.loads(data)
    except (ValueError, RecursionError, msgspec.MsgspecError):
        return UNDECODABLE
    return UNDECODABLE


def _decode(data: bytes | memoryview) -> Any:
    return msgspec.msgpack.decode(data, ext_hook=_object)


def _object(_code: int, data: memoryview) -> Any:
    """Read an extension: a class (module, name) and what it was made of, whatever way."""
    held = _decode(bytes(data))
    if not isinstance(held, list) or len(held) < 2:
        return UNDECODABLE
    module, name, *rest = held
    made: dict[str, Any] = {CLASS: f"{module}.{name}"}
    given = rest[0] if rest else None
    if isinstance(given, dict):
        made.update({str(key): value for key, value in given.items() if key != CLASS})
    else:
        made["value"] = given
    return made
