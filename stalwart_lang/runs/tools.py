"""`@tool`: what an author says of a function that an agent may call."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from stalwart_lang.runs.hints import Money as Money

_Function = TypeVar("_Function", bound=Callable[..., Any])

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MARK = "__stalwart_tool__"

FLAGS = ("writes", "irreversible", "retry_safe", "reads_outside", "sends_out")
"""The flags of a tool, by the names that `@tool` and vocabularies give them."""


@dataclass(frozen=True, slots=True)
class ToolMark:
    """What `@tool` was given; None where it was given nothing."""

    name: str | None = None
    description: str | None = None
    undo: str | None = None
    writes: bool | None = None
    irreversible: bool | None = None
    retry_safe: bool | None = None
    reads_outside: bool | None = None
    sends_out: bool | None = None


@overload
def tool(function: _Function, /) -> _Function: ...


@overload
def tool(
    *,
    writes: bool | None = None,
    undo: str | None = None,
    retry_safe: bool | None = None,
    irreversible: bool | None = None,
    reads_outside: bool | None = None,
    sends_out: bool | None = None,
    name: str | None = None,
    description: str | None = None,
) -> Callable[[_Function], _Function]: ...


def tool(function: Any = None, /, **given: Any) -> Any:
    """Mark a function, plain or async, as a tool; it stays as it is.

    `writes`: it changes something, so a person confirms it. `undo`: the tool that takes it back,
    given the arguments that it takes of those of this one. `irreversible`: nothing takes it back.
    `retry_safe`: doing it twice is the same as doing it once. `reads_outside`: what it returns
    comes from outside; `sends_out`: what it is given leaves the house. `name` is the tool's where
    it is not the function's, `description` where it is not the first line of its docstring.

    Raises TypeError for what is no function and for values of another type, ValueError for a name
    that is none.
    """
    mark = _checked(ToolMark(**given))

    def marked(function: _Function) -> _Function:
        if not inspect.isfunction(function):
            raise TypeError(f"@tool marks a function, not {type(function).__name__}")
        setattr(function, _MARK, mark)
        return function

    return marked if function is None else marked(function)


def mark_of(value: object) -> ToolMark | None:
    """What `@tool` said of a function; None where it is not marked, or is no function."""
    try:
        mark = getattr(value, _MARK, None)
    except Exception:  # an object that stands for another, which is not there yet
        return None
    return mark if type(mark) is ToolMark else None


def _checked(mark: ToolMark) -> ToolMark:
    for flag in FLAGS:
        if getattr(mark, flag) not in (None, True, False):
            raise TypeError(f"{flag} of @tool is True or False, not {getattr(mark, flag)!r}")
    for text in ("name", "undo", "description"):
        if not isinstance(getattr(mark, text), str | None):
            raise TypeError(f"{text} of @tool is a text, not {getattr(mark, text)!r}")
    for text in ("name", "undo"):
        value = getattr(mark, text)
        if value is not None and not _NAME.fullmatch(value):
            raise ValueError(
                f"{value!r} is no name of a tool: letters, digits and _, and no digit in front"
            )
    return mark
