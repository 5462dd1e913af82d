"""What a state holds of what is checked, whatever its shape.

A state is a mapping, a list of messages, an object with attributes (a dataclass, a model of
pydantic), a snapshot of LangGraph's `get_state`, or a checkpoint. These of its names are looked at:

| name | holds |
| --- | --- |
| `messages` | the conversation |
| `history` | its entries, mappings with a `step`, and a `token` where they are chained |
| `history_token` | the token of the last entry |
| `to_undo` | what to undo: mappings with a `step` of the history, or such steps |
| `waiting` | pauses for a person that are open: mappings with a `call_id`, or with `messages`, how many there were when it began, or with `last_message`, the id of the last one then |
| `labels` | marks: a mapping of message ids to lists of marks, or a list of mappings with a `message` |
| `thread`, `store` | what the history's token is bound to |
"""  # noqa: E501  a row of the table is a line

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class StateView:
    """A state, by the names of its parts. `step` is the run's, where the state tells."""

    values: Mapping[str, Any]
    messages: Sequence[Any]
    entries: Sequence[Any]
    waiting: Sequence[Mapping[str, Any]]
    marked: Sequence[str]
    """The ids of the messages that marks are on."""
    step: int | None = None

    @property
    def is_part(self) -> bool:
        """Whether it is the state of a run of ours as a graph gives it: what the last step added.

        Such a state has of the messages and of the history their last part only.
        """
        return is_run(self.values)


def is_run(values: Mapping[str, Any]) -> bool:
    """Whether these are the channels of a run of ours."""
    return all(name in values for name in ("turn", "phase", "calls", "to_undo", "undone"))


def view_of(state: object) -> StateView:
    """Return what a state holds; of what is none, nothing."""
    values, step, waiting = _values(state)
    return StateView(
        values,
        _list(values.get("messages")),
        _entries(values.get("history")),
        [*waiting, *_waiting(values.get("waiting"))],
        _marked(values.get("labels")),
        step,
    )


def _values(state: object) -> tuple[Mapping[str, Any], int | None, list[Mapping[str, Any]]]:
    if isinstance(state, Mapping):
        held = state.get("channel_values")
        return (held if isinstance(held, Mapping) else state), None, []
    if isinstance(state, Sequence) and not isinstance(state, str | bytes | tuple):
        return {"messages": state}, None, []
    metadata = getattr(state, "metadata", None)
    found = metadata.get("step") if isinstance(metadata, Mapping) else None
    step = found if isinstance(found, int) else None
    checkpoint = getattr(state, "checkpoint", None)
    if isinstance(checkpoint, Mapping):
        return checkpoint.get("channel_values", {}), step, []
    values = getattr(state, "values", None)
    if values is not None and not callable(values) and hasattr(state, "next"):
        return _values(values)[0], step, _pauses(state)
    if isinstance(state, tuple):
        return {"messages": list(state)}, None, []
    return _Attributes(lambda name: getattr(state, name, None)), None, []


def _pauses(snapshot: object) -> list[Mapping[str, Any]]:
    asked = [getattr(pause, "value", None) for pause in getattr(snapshot, "interrupts", ())]
    return [value for value in asked if isinstance(value, Mapping)]


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _entries(history: object) -> Sequence[Any]:
    """Return the entries of a history; a list of something else under that name is none."""
    entries = _list(history)
    if any(isinstance(entry, Mapping) and "step" in entry for entry in entries):
        return entries
    return ()


def _waiting(waiting: object) -> list[Mapping[str, Any]]:
    given = [waiting] if isinstance(waiting, Mapping) else _list(waiting)
    return [pause for pause in given if isinstance(pause, Mapping)]


def _marked(labels: object) -> list[str]:
    if isinstance(labels, Mapping):
        return [
            identity
            for identity, marks in labels.items()
            if isinstance(identity, str) and isinstance(marks, list | tuple | set | frozenset)
        ]
    found = [
        label.get("message", label.get("message_id"))
        for label in _list(labels)
        if isinstance(label, Mapping)
    ]
    return [identity for identity in found if isinstance(identity, str)]


class _Attributes(Mapping[str, Any]):
    """An object's attributes as a mapping of the names that are looked at."""

    def __init__(self, get: Callable[[str], Any]) -> None:
        self._get = get

    def __getitem__(self, name: str) -> Any:
        found = self._get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._get(name) is not None
