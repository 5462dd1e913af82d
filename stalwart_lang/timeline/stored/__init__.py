"""Runs read back from the store of an agent, or of any LangGraph graph, and nothing else.

The store may come from somebody else: it is opened for reading alone, with plain SQL, and what is
in it is decoded into plain values; no code that it names is run.
"""

from stalwart_lang.timeline.stored.runs import (
    moment_of,
    read_stored_run,
    step_span_id,
    stored_threads,
)
from stalwart_lang.timeline.stored.store import BadStore, NoSuchThread, Thread

__all__ = [
    "BadStore",
    "NoSuchThread",
    "Thread",
    "moment_of",
    "read_stored_run",
    "step_span_id",
    "stored_threads",
]
