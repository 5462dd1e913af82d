"""Agents that are read exactly, checked before they act, and explained afterwards."""

from stalwart_lang.diagnostics import VocabularyError
from stalwart_lang.selector.plan import Call, Missing, Plan, Reason
from stalwart_lang.selector.selector import Selector
from stalwart_lang.vocabulary.model import Language, Vocabulary

__all__ = [
    "Call",
    "Language",
    "Missing",
    "Plan",
    "Reason",
    "Selector",
    "Vocabulary",
    "VocabularyError",
]
