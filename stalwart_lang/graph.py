"""For teams that have graphs of LangGraph of their own.

    from stalwart_lang.graph import validating
    graph = validating(builder.compile(checkpointer=saver))

Importing this imports LangGraph (the extra `runs`). docs/langgraph.md shows all of it.
"""

from stalwart_lang.graphs.tool_checks import ToolCheck, tool_check
from stalwart_lang.graphs.validating import validating
from stalwart_lang.graphs.watching import InvalidState
from stalwart_lang.rounds import Looping, Rounds, TooManyRounds, detect_loop
from stalwart_lang.state import KINDS, Kind, Violation, validate_state

__all__ = [
    "KINDS",
    "InvalidState",
    "Kind",
    "Looping",
    "Rounds",
    "TooManyRounds",
    "ToolCheck",
    "Violation",
    "detect_loop",
    "tool_check",
    "validate_state",
    "validating",
]
