"""Agents that are read exactly, checked before they act, and explained afterwards."""

from importlib import import_module
from typing import TYPE_CHECKING

from stalwart_lang.diagnostics import AgentError, VocabularyError
from stalwart_lang.vocabulary.model import Language, Vocabulary

if TYPE_CHECKING:
    from stalwart_lang.runs.agent import Agent, Reply
    from stalwart_lang.runs.tools import Money, tool
    from stalwart_lang.selector.plan import Call, Missing, Plan, Reason
    from stalwart_lang.selector.selector import Selector

__all__ = [
    "Agent",
    "AgentError",
    "Call",
    "Language",
    "Missing",
    "Money",
    "Plan",
    "Reason",
    "Reply",
    "Selector",
    "Vocabulary",
    "VocabularyError",
    "tool",
]

# Most commands need neither runs nor the selector: they are imported when they are asked for.
_LATER = {
    "Agent": "stalwart_lang.runs.agent",
    "Call": "stalwart_lang.selector.plan",
    "Missing": "stalwart_lang.selector.plan",
    "Plan": "stalwart_lang.selector.plan",
    "Reason": "stalwart_lang.selector.plan",
    "Selector": "stalwart_lang.selector.selector",
    "Money": "stalwart_lang.runs.tools",
    "Reply": "stalwart_lang.runs.agent",
    "tool": "stalwart_lang.runs.tools",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
