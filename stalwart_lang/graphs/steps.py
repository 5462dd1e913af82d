"""What LangGraph tells its callbacks of a node: by these names, which more than one module reads.

A node's run carries the tag `graph:step:N`. The runs inside of it repeat its metadata, but not the
tag. Its own checkpoint namespace ends in itself, `outer:id|node:id`; what is before is its graph's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

_STEP = "graph:step:"
_HIDDEN = "langsmith:hidden"


def graph_step(tags: Sequence[str] | None) -> int | None:
    """Return the number of the step that a run is a node of, or None where it is no node."""
    if not tags or _HIDDEN in tags:
        return None
    for tag in tags:
        if tag.startswith(_STEP):
            number = tag.removeprefix(_STEP)
            return int(number) if number.isdecimal() else None
    return None


def namespace_of(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the namespace of the graph that a node is in; that of the outermost is empty."""
    return namespace_in(metadata.get("langgraph_checkpoint_ns"))[:-1]


def namespace_in(written: object) -> tuple[str, ...]:
    """Return a namespace by its parts, as LangGraph writes it: `outer:id|node:id`."""
    return tuple(written.split("|")) if isinstance(written, str) and written else ()
