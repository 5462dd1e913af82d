"""What viewers of OpenInference's conventions, Arize Phoenix before all, make of a span.

Phoenix takes a span that names a tool for a call of it, even where `gen_ai.operation.name` does
not say so (20.26, phoenix/trace/gen_ai/conversion.py). A checked call is told by its check; the
run of its tool, its pause and its resumption say that they are steps, or it would count four times.
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

from stalwart_lang.tracing import attributes as names
from stalwart_lang.tracing.content import AttributeValue

SPAN_KIND: Final = "openinference.span.kind"
STEP: Final = "CHAIN"
"""OpenInference's kind of a step that is none of its others."""

ABOUT_CALLS: Final = frozenset({names.TOOL_CHECK, names.TOOL, names.INTERRUPT, names.RESUME})
"""The spans that `CheckedCalls.kind` is asked about."""

_REMEMBERED = 1024


class CheckedCalls:
    """The calls that were lately checked, by trace and call id (by tool where that is missing)."""

    def __init__(self) -> None:
        # Threads need no lock: each of the steps on it is one operation of the dictionary.
        self._calls: OrderedDict[tuple[int, AttributeValue | None], None] = OrderedDict()

    def kind(
        self, name: str, attributes: Mapping[str, AttributeValue], trace_id: int
    ) -> str | None:
        """Return the kind that a span about a call is to be given, or None to leave it."""
        if name == names.INTERRUPT:
            return STEP
        call = trace_id, attributes.get(names.TOOL_CALL_ID) or attributes.get(names.TOOL_NAME)
        if name == names.TOOL:
            # Of an agent that checks nothing this span is the call.
            return STEP if call in self._calls else None
        self._calls[call] = None
        if len(self._calls) > _REMEMBERED:
            self._calls.popitem(last=False)
        return STEP if name == names.RESUME else None
