"""The messages of a conversation, as providers of models have them.

Each call that an assistant's message asks for has its result after it, in order, whatever came of
the run: providers refuse a conversation without.
"""

import json
from collections.abc import Sequence
from typing import Any

from stalwart_lang.runs.here import Here
from stalwart_lang.runs.state import PlannedCall, State, Update

MOST_SHOWN = 60
"""How many messages a model is shown; more where the turn itself has more."""


def added(here: Here, state: State, *given: dict[str, Any]) -> Update:
    """Add messages to the conversation, and to those that a model is shown."""
    last = state.get("last_message", 0)
    made = [{"id": f"m{number}", **message} for number, message in enumerate(given, last + 1)]
    update: Update = {"messages": made, "last_message": last + len(made)}
    if here.model is not None:
        update["recent"] = _shown([*state.get("recent", []), *made])
    return update


def said(role: str, text: str) -> dict[str, Any]:
    """Return a message of `user` or `assistant`."""
    return {"role": role, "content": text}


def asking(calls: Sequence[PlannedCall], text: str = "") -> dict[str, Any]:
    """Return the assistant's message that asks for calls."""
    asked = [{"id": call["id"], "name": call["tool"], "args": call["arguments"]} for call in calls]
    return {**said("assistant", text), "tool_calls": asked}


def result_of(call: PlannedCall, result: object) -> dict[str, Any]:
    """Return the message of a call's result: JSON, or a text as it is."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return {"role": "tool", "content": text, "tool_call_id": call["id"], "name": call["tool"]}


def _shown(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the oldest turns, each as a whole: a result without its call would be refused."""
    starts = [at for at, message in enumerate(messages) if message["role"] == "user"]
    fitting = [at for at in starts if len(messages) - at <= MOST_SHOWN]
    return messages[(fitting or starts[-1:] or [0])[0] :]
