"""The state validator: what is broken in the state that a run keeps, and by which step.

It is pure: it looks at plain values and at objects' attributes, and needs no LangGraph. Reading
a store needs msgspec (the extra `trace`), which is imported when it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from stalwart_lang.state.validate import validate_state
from stalwart_lang.state.violations import KINDS, Kind, Violation

if TYPE_CHECKING:
    from stalwart_lang.state.stored import Broken, StoredCheck, check_stored, stored_state

__all__ = [
    "KINDS",
    "Broken",
    "Kind",
    "StoredCheck",
    "Violation",
    "check_stored",
    "stored_state",
    "validate_state",
]

_STORED = ("Broken", "StoredCheck", "check_stored", "stored_state")


def __getattr__(name: str) -> object:
    if name not in _STORED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("stalwart_lang.state.stored"), name)
