"""The history of a conversation: an entry for each decision, call, undo and rewind, with a token.

It is only ever added to. A step writes the entries that it adds, and the last one's token, which
the next is chained to.
"""

from collections.abc import Mapping
from typing import Any

from stalwart_lang.runs.here import Here
from stalwart_lang.runs.history_token import next_token
from stalwart_lang.runs.state import State, Update
from stalwart_lang.tracing.content import digest


def extended(here: Here, state: State, entry: Mapping[str, Any]) -> Update:
    """Add an entry to the history, with its step and its token."""
    before, step = state.get("history_token"), state.get("history_length", 0)
    bare = {"step": step, **entry}
    token = next_token(here.keys, here.thread, here.storage.id, before, bare)
    return {
        "entries": [{**bare, "token": token}],
        "history_length": step + 1,
        "history_token": token,
    }


def entry(
    kind: str, tool: str, call_id: str, arguments: Mapping[str, Any], **more: Any
) -> dict[str, Any]:
    """Return an entry about a call; of its arguments it has the digest."""
    return {
        "kind": kind,
        "tool": tool,
        "call_id": call_id,
        "args_digest": digest(arguments),
        **more,
    }
