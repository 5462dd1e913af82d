"""A tool is run once: its intent is on record before it runs, and what came of it after."""

from asyncio import CancelledError
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from stalwart_lang.runs.failures import log_failure
from stalwart_lang.runs.here import Here
from stalwart_lang.runs.plain import plain_result
from stalwart_lang.runs.storage import CallRecord
from stalwart_lang.tracing import spans
from stalwart_lang.tracing.errors import error_type


def run_once(
    here: Here,
    call_id: str,
    tool: str,
    arguments: Mapping[str, Any],
    step: int,
    undoes: int | None = None,
) -> CallRecord:
    """Run a tool, and return what came of it; what is on record as run is not run again.

    A call that was begun by a process that ended is in doubt: it is run again only where its tool
    says `retry_safe`. An undo says in `undoes` which step of the history it undoes.
    """
    storage, thread = here.storage, here.thread
    if not storage.intend(thread, call_id, tool, arguments, step, undoes):
        known = storage.call(thread, call_id)
        if known is not None and known.status != "pending":
            return known
        if not here.spec.tool(tool).retry_safe:
            storage.settle(thread, call_id, "in doubt")
            return CallRecord(call_id, tool, arguments, "in doubt", step, undoes)
    try:
        with _span(here, call_id, tool, arguments, step, undoes) as span:
            result = plain_result(here.spec.call(tool, arguments))
            span.returned(result)
    # Whatever a tool raises is its failure, and not the run's; but for KeyboardInterrupt, which
    # comes from outside and leaves the call in doubt.
    except (Exception, SystemExit, CancelledError) as error:
        log_failure(tool, error)
        name = error_type(error)
        storage.settle(thread, call_id, "failed", error=name)
        return CallRecord(call_id, tool, arguments, "failed", step, undoes, error=name)
    storage.settle(thread, call_id, "done", result=result)
    return CallRecord(call_id, tool, arguments, "done", step, undoes, result)


def _span(
    here: Here,
    call_id: str,
    tool: str,
    arguments: Mapping[str, Any],
    step: int,
    undoes: int | None,
) -> AbstractContextManager[spans.ToolSpan]:
    if undoes is None:
        return spans.tool(here.tracer, tool, arguments, call_id=call_id, step=step)
    return spans.compensate(
        here.tracer, tool, arguments, undoes=undoes, call_id=call_id, outcome="allow"
    )
