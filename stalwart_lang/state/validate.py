"""One state checked: everything that is broken in it."""

from collections.abc import Iterator, Mapping
from typing import Any

from stalwart_lang.runs.history_token import known_keys
from stalwart_lang.state.conversation import Conversation
from stalwart_lang.state.history import (
    sequence_breaks,
    stack_breaks,
    step_of,
    token_breaks,
    verified,
)
from stalwart_lang.state.messages import read_message
from stalwart_lang.state.view import StateView, is_no_state, is_step, view_of
from stalwart_lang.state.violations import Violation, violation


def validate_state(
    state: object, *, keys: Mapping[str, bytes] | None = None
) -> tuple[Violation, ...]:
    """Return what is broken in a state, in the order of the messages, then of the rest.

    A state is a mapping, a list of messages, an object with attributes, a snapshot of LangGraph's
    `get_state`, or a checkpoint. Its `messages` may be of any provider's shape, or LangChain's;
    docs/langgraph.md has the other names that are looked at. A run of ours that comes from its
    graph has the last part of its messages and history only: what that shows is checked;
    `stored_state` reads the whole.

    A history that names its `thread` and `store` is verified by `keys`, or those known here. That
    nothing is found never says that a history is genuine: `check_stored` tells whether it was
    verified. The time is linear in the number of messages and entries.

    Raises TypeError for what is no state (a text, a number, None), and BadKeys where the keys are
    to be had and cannot. What cannot be read of a state, because it raises, is looked over.
    """
    if is_no_state(state):
        raise TypeError(
            "a state is a mapping, a list of messages, an object with attributes, or what "
            f"`graph.get_state(config)` gives, not {type(state).__name__}"
        )
    view = view_of(state)
    found = _of_part(view) if view.is_part else _of_whole(view, keys)
    return tuple(each.at_step(view.step) for each in found)


def _of_whole(view: StateView, keys: Mapping[str, bytes] | None) -> Iterator[Violation]:
    conversation = Conversation(view.messages)
    told = [pause.get("call_id") for pause in view.waiting]
    waits_for = [call or None for call in told if isinstance(call, str)]
    for found in conversation.violations:
        # Of a call that waits for a person it is no wonder that it has no result.
        if found.kind != "call_without_result" or found.call_id not in waits_for:
            yield found
    yield from beside_messages(view, conversation, keys)


def beside_messages(
    view: StateView, conversation: Conversation, keys: Mapping[str, bytes] | None = None
) -> Iterator[Violation]:
    """Yield what is broken but for calls, results and ids; `conversation` has the messages."""
    added = dict(_added_in_pause(view, conversation)) if view.waiting else {}
    for at, identity in sorted(added.items()):
        yield violation("message_after_interrupt", "paused", f"messages[{at}]", identity)
    yield from _of_history(view, keys)
    for identity in view.marked:
        if identity not in conversation.ids:
            yield violation("label_on_removed_message", "no_message", "labels", identity)


def _of_history(view: StateView, keys: Mapping[str, bytes] | None) -> Iterator[Violation]:
    values, entries = view.values, view.entries
    yield from sequence_breaks(entries)
    if entries:
        own = entries[-1].get("token") if isinstance(entries[-1], Mapping) else None
        token = values.get("history_token", own)
        seen = list(token_breaks(entries, token))
        yield from seen
        thread, store = values.get("thread"), values.get("store")
        if isinstance(thread, str) and isinstance(store, str):
            whole = [entry if isinstance(entry, Mapping) else {} for entry in entries]
            _, broken = verified(whole, thread, store, known_keys() if keys is None else keys)
            if broken is not None and broken.same not in {each.same for each in seen}:
                yield broken
    steps = {at if (step := step_of(entry)) is None else step for at, entry in enumerate(entries)}
    yield from stack_breaks(values.get("to_undo"), steps, len(entries))


def _added_in_pause(
    view: StateView, conversation: Conversation
) -> Iterator[tuple[int, str | None]]:
    """Yield the places and ids of the messages that came while a pause was open.

    A pause says how many messages there were when it began, or which was the last; else what comes
    after the call that waits, and is no result of its step, came in the pause.
    """
    for pause in view.waiting:
        count, last, call = (pause.get(name) for name in ("messages", "last_message", "call_id"))
        if is_step(count):
            first, results_may = max(count, 0), False
        elif isinstance(last, str):
            first, results_may = conversation.ids.get(last, conversation.count) + 1, False
        elif isinstance(call, str):
            first, results_may = _place_of(call, view.messages) + 1, True
        else:
            continue
        for at in range(first, len(view.messages)):
            told = read_message(view.messages[at])
            if told.kept and not (results_may and told.results and not told.speaks):
                yield at, told.id


def _place_of(call: str, messages: Any) -> int:
    for at in range(len(messages) - 1, -1, -1):
        if call in read_message(messages[at]).calls:
            return at
    return len(messages)


def _of_part(view: StateView) -> Iterator[Violation]:
    """Check what one step of a run of ours left: the parts before it are not there."""
    values = view.values
    entries = values.get("entries")
    entries = entries if isinstance(entries, list | tuple) else ()
    length = values.get("history_length")
    count = length if is_step(length) else 0
    start = max(count - len(entries), 0)
    yield from sequence_breaks(entries, start)
    yield from token_breaks(entries, values.get("history_token"), start)
    yield from stack_breaks(values.get("to_undo"), range(count), count)
    for found in Conversation(view.messages).violations:
        if found.kind != "result_without_call":
            yield found
