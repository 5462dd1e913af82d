"""How states are written: as plain values, and read back without running anybody's code."""

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer


def plain_serializer() -> JsonPlusSerializer:
    """Return a serializer that makes no objects of classes that a row of the store names.

    By default a crafted row of a store can run code when it is read.
    """
    return JsonPlusSerializer(pickle_fallback=False, allowed_msgpack_modules=None)
