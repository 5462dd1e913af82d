"""The history of a run and what hangs on it: its steps, its token, the list of what to undo."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from stalwart_lang.runs.history_token import Verification, verify
from stalwart_lang.state.view import is_step
from stalwart_lang.state.violations import Violation, violation


def sequence_breaks(
    entries: Sequence[Any], start: int = 0, expected: int | None = None
) -> Iterator[Violation]:
    """Yield where the steps of entries are not `expected`, `expected` + 1, …: once for each leap.

    The first entry is the `start`th of the history, whose step it is unless another is expected.
    """
    if expected is None:
        expected = start
    for at, entry in enumerate(entries, start):
        step = step_of(entry)
        if step is None:
            step = expected
        elif step != expected:
            yield violation(
                "history_broken",
                "not_in_sequence",
                f"history[{at}]",
                str(step),
                found=step,
                expected=expected,
            )
        expected = step + 1


def token_breaks(entries: Sequence[Any], token: object, start: int = 0) -> Iterator[Violation]:
    """Yield what is wrong with the tokens of entries, as far as it can be seen without a key.

    `token` is the history's, which is its last entry's. A history may have that one alone.
    """
    if not entries:
        return
    if not isinstance(token, str) or not token:
        yield violation("history_broken", "no_token", "history_token")
    own = [token_of(entry) for entry in entries]
    if not any(own):
        return
    for at, (entry, its) in enumerate(zip(entries, own, strict=True), start):
        if its is None:
            yield violation(
                "history_token_invalid", "entry_without_token", f"history[{at}]", _id(entry, at)
            )
    if isinstance(token, str) and token and own[-1] is not None and own[-1] != token:
        yield violation("history_token_invalid", "not_the_last", "history_token")


def stack_breaks(to_undo: object, steps: Container[int], count: int) -> Iterator[Violation]:
    """Yield the items of the list of what to undo that name a step the history does not have."""
    if not isinstance(to_undo, list | tuple):
        return
    for at, undo in enumerate(to_undo):
        step = step_of(undo)
        if step is not None and step not in steps:
            call = undo.get("call_id") if isinstance(undo, Mapping) else None
            yield violation(
                "stack_step_not_in_history",
                "no_such_step",
                f"to_undo[{at}]",
                str(step),
                call if isinstance(call, str) else None,
                step=step,
                count=count,
            )


def verified(
    entries: Sequence[Mapping[str, Any]], thread: str, store: str, keys: Mapping[str, bytes]
) -> tuple[Verification, Violation | None]:
    """Verify a history by its keys; of one that is broken, return the break too."""
    came = verify(entries, thread, store, keys)
    if came.verdict != "broken" or came.at is None:
        return came, None
    at = came.at
    said = "token_does_not_fit" if token_of(entries[at]) else "entry_without_token"
    where = f"history[{at}]"
    return came, violation("history_token_invalid", said, where, _id(entries[at], at))


def step_of(entry: object) -> int | None:
    """Return the step that an entry, or an item of the list of what to undo, has or is."""
    step = entry.get("step") if isinstance(entry, Mapping) else entry
    return step if is_step(step) else None


def token_of(entry: object) -> str | None:
    """Return the token that an entry has."""
    token = entry.get("token") if isinstance(entry, Mapping) else None
    return token if isinstance(token, str) and token else None


def _id(entry: object, at: int) -> str:
    step = step_of(entry)
    return str(at if step is None else step)
