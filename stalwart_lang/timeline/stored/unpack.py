"""Values of a store as plain data.

LangGraph writes objects as MessagePack extensions that name a class and its arguments. They are
read as a mapping of the arguments with the class's name: nothing is imported, nothing is called.
"""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

CLASS = "__class__"
"""The key under which an object's class is named."""


class Undecodable:
    """What stands for a value of a format that is not read (a pickle, say), or a damaged one."""

    def __repr__(self) -> str:
        return "undecodable"


UNDECODABLE = Undecodable()

_DAMAGED = (ValueError, TypeError, RecursionError, msgspec.MsgspecError)
"""What decoding raises; TypeError for a mapping's key that Python cannot have."""


def unpack(kind: str | None, value: object) -> Any:
    """Return the value of a row: its `type` column and its bytes. Raises nothing."""
    if value is None or kind in (None, "null", "empty"):
        return None
    data = _bytes(value)
    if data is None:
        return UNDECODABLE
    try:
        if kind == "msgpack":
            return _decode(data)
        if kind == "json":
            return json.loads(data)
    except _DAMAGED:
        return UNDECODABLE
    return UNDECODABLE


def _bytes(value: object) -> bytes | None:
    """Return the bytes of a column; None of one of another type, which SQLite may hold anywhere."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    return bytes(value) if isinstance(value, bytes | memoryview) else None


def unpack_state(kind: str | None, value: object) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return a checkpoint's versions of channels, and their values, of which each is data or a
    `msgspec.Raw` of the same kind: what is not asked for stays packed.

    Both are empty of a damaged checkpoint.
    """
    data = _bytes(value)
    try:
        if data is not None and kind == "msgpack":
            state = _MSGPACK_STATE.decode(data)
            return state.channel_versions, state.channel_values
        if data is not None and kind == "json":
            state = _JSON_STATE.decode(data)
            return state.channel_versions, state.channel_values
    except _DAMAGED:
        pass  # of an unusual shape: what can be read of it is
    held = unpack(kind, value)
    whole = held if isinstance(held, dict) else {}
    versions, values = whole.get("channel_versions"), whole.get("channel_values")
    return (
        versions if isinstance(versions, dict) else {},
        values if isinstance(values, dict) else {},
    )


class _State(msgspec.Struct):
    """What is read of a checkpoint."""

    channel_versions: dict[str, Any] = {}
    channel_values: dict[str, msgspec.Raw] = {}


class _Metadata(msgspec.Struct):
    """What is read of a checkpoint's metadata: a graph may keep much in them."""

    source: Any = None
    step: Any = None


_JSON_METADATA = msgspec.json.Decoder(_Metadata)


def source_and_step(metadata: object) -> tuple[Any, Any]:
    """Return what made a checkpoint and its number, of its metadata as JSON; None where damaged."""
    data = _bytes(metadata)
    try:
        held = _JSON_METADATA.decode(data or b"")
        return held.source, held.step
    except _DAMAGED:
        plain = unpack("json", data)  # which takes NaN, as who wrote it does
    return (plain.get("source"), plain.get("step")) if isinstance(plain, dict) else (None, None)


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


_MSGPACK_STATE = msgspec.msgpack.Decoder(_State, ext_hook=_object)
_JSON_STATE = msgspec.json.Decoder(_State)
