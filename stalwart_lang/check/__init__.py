"""The tool check: whether a call may run, must be confirmed by a person, or is refused."""

from stalwart_lang.check.catalogue import ArgumentSpec, ToolSpec, catalogue_of
from stalwart_lang.check.decision import Decision, Outcome, Reason
from stalwart_lang.check.history import Done
from stalwart_lang.check.steps import Checked, check

__all__ = [
    "ArgumentSpec",
    "Checked",
    "Decision",
    "Done",
    "Outcome",
    "Reason",
    "ToolSpec",
    "catalogue_of",
    "check",
]
