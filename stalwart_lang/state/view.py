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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, TypeGuard

_RUN = ("turn", "phase", "calls", "to_undo", "undone")
_NAMES = (
    *_RUN,
    *("messages", "history", "history_token", "waiting", "labels", "thread", "store"),
    *("entries", "history_length"),
)
"""What is looked at; nothing else of a state is."""
_LISTS = {"entries", "to_undo", "calls"}
_TEXTS = {"history_token", "thread", "store"}
_NO_STATES = (
    *(type(None), type, FunctionType, MethodType, BuiltinFunctionType),
    *(str, bytes, bytearray, Number, set, frozenset),
)
_LARGEST = 2**63


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
    return all(name in values for name in _RUN)


def view_of(state: object) -> StateView:
    """Return what a state holds; of what is none, and of what cannot be read, nothing."""
    try:
        return _view_of(state)
    except Exception:  # objects of anybody's may raise anything
        return StateView({}, (), (), (), ())


def _view_of(state: object) -> StateView:
    held, step, waiting = _values(state)
    values = _read(held)
    return StateView(
        values,
        _list(values.get("messages")),
        _entries(values.get("history")),
        [*waiting, *_waiting(values.get("waiting"))],
        _marked(values.get("labels")),
        step,
    )


def is_no_state(value: object) -> bool:
    """Whether a value can hold nothing of what is looked at: a text, a number, a function."""
    return issubclass(type(value), _NO_STATES)


def _read(held: object) -> dict[str, Any]:
    """Return the values that are looked at, of a mapping or of an object's attributes."""
    values: dict[str, Any] = {}
    for name in _NAMES:
        try:
            if _is_mapping(held):
                if name in held:
                    values[name] = held[name]
            elif (found := getattr(held, name, None)) is not None:
                values[name] = found
        except Exception:  # objects of anybody's may raise anything
            continue
    for name in _LISTS & values.keys():
        values[name] = _plain(_list(values[name]))
    for name in _TEXTS & values.keys():
        values[name] = values[name] if _is_text(values[name]) else None
    return values


def _values(state: object) -> tuple[object, int | None, list[Mapping[str, Any]]]:
    """Return what has the values, the run's step, and the pauses of a snapshot."""
    if _is_mapping(state):
        held = _read_one(state, "channel_values")
        return (held if _is_mapping(held) else state), None, []
    if issubclass(type(state), Sequence) and not issubclass(type(state), tuple):
        return {"messages": _list(state)}, None, []
    metadata = _read_one(state, "metadata")
    found = _read_one(metadata, "step") if _is_mapping(metadata) else None
    step = found if is_step(found) else None
    checkpoint = _read_one(state, "checkpoint")
    if _is_mapping(checkpoint):
        return _read_one(checkpoint, "channel_values") or {}, step, []
    values = _read_one(state, "values")
    if values is not None and not callable(values) and _read_one(state, "next") is not None:
        return _values(values)[0], step, _pauses(state)
    if issubclass(type(state), tuple):
        return {"messages": _list(state)}, None, []
    return state, None, []


def is_step(value: object) -> TypeGuard[int]:
    """Whether a value is a step's number: one that every store can hold."""
    kind = type(value)
    return issubclass(kind, int) and kind is not bool and abs(value) < _LARGEST  # type: ignore[arg-type]


def _is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    # `isinstance` asks the value itself too, which may raise.
    return issubclass(type(value), Mapping)


def _read_one(held: object, name: str) -> Any:
    try:
        return held.get(name) if _is_mapping(held) else getattr(held, name, None)
    except Exception:  # objects of anybody's may raise anything
        return None


def _pauses(snapshot: object) -> list[Mapping[str, Any]]:
    asked = [_read_one(pause, "value") for pause in _list(_read_one(snapshot, "interrupts"))]
    return _waiting(asked)


def _list(value: object) -> Sequence[Any]:
    if type(value) in (list, tuple):
        return value  # type: ignore[return-value]  # as just seen
    kind = type(value)
    if not issubclass(kind, Sequence) or issubclass(kind, (str, bytes)):
        return ()
    try:
        return [*value]  # type: ignore[misc]  # a sequence, as just seen
    except Exception:  # objects of anybody's may raise anything
        return ()


def _plain(values: Iterable[Any]) -> list[Any]:
    """Return the values, its mappings as dicts; what cannot be read of one is an empty one."""
    return [_dict(value) if _is_mapping(value) else value for value in values]


def _dict(value: Mapping[str, Any]) -> Mapping[str, Any]:
    if type(value) is dict:
        return value
    try:
        return dict(value)
    except Exception:  # objects of anybody's may raise anything
        return {}


def _mappings(values: Iterable[Any]) -> list[Mapping[str, Any]]:
    return [_dict(value) for value in values if _is_mapping(value)]


def _entries(history: object) -> Sequence[Any]:
    """Return the entries of a history; a list of something else under that name is none."""
    entries = _plain(_list(history))
    if any(_is_mapping(entry) and "step" in entry for entry in entries):
        return entries
    return ()


def _waiting(waiting: object) -> list[Mapping[str, Any]]:
    given = _mappings([waiting] if _is_mapping(waiting) else _list(waiting))
    return [
        {name: value for name, value in pause.items() if _is_text(value) or is_step(value)}
        for pause in given
    ]


def _marked(labels: object) -> list[str]:
    if _is_mapping(labels):
        return [
            identity
            for identity, marks in _dict(labels).items()
            if _is_text(identity) and issubclass(type(marks), (list, tuple, set, frozenset))
        ]
    found = [label.get("message", label.get("message_id")) for label in _mappings(_list(labels))]
    return [identity for identity in found if _is_text(identity)]


def _is_text(value: object) -> TypeGuard[str]:
    return issubclass(type(value), str)
