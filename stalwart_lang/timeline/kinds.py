"""What a span is, and what to call it: ours by their names, others' by the GenAI conventions."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from stalwart_lang.timeline.records import Span
from stalwart_lang.tracing import attributes as names

Kind: TypeAlias = Literal[
    "run",
    "node",
    "plan",
    "model",
    "check",
    "tool",
    "undo",
    "rollback",
    "rewind",
    "interrupt",
    "resume",
    "other",
]

_BY_NAME: Mapping[str, Kind] = {
    names.NODE: "node",
    names.PLAN: "plan",
    names.TOOL_CHECK: "check",
    names.TOOL: "tool",
    names.COMPENSATE: "undo",
    names.ROLLBACK: "rollback",
    names.REWIND: "rewind",
    names.INTERRUPT: "interrupt",
    names.RESUME: "resume",
}
_BY_OPERATION: Mapping[str, Kind] = {
    "invoke_agent": "run",
    "invoke_workflow": "run",
    "chat": "model",
    "text_completion": "model",
    "generate_content": "model",
    "execute_tool": "tool",
}


def kind_of(span: Span) -> Kind:
    """Return what the span is; `other` where neither its name nor its operation tells."""
    kind = _BY_NAME.get(span.name)
    if kind is None:
        kind = _BY_OPERATION.get(_text(span, names.OPERATION_NAME) or "", "other")
    return kind


def title_of(span: Span) -> str:
    """Return what a person calls it: the tool, the step, the model or the agent; else its name."""
    kind = kind_of(span)
    if kind in ("check", "tool", "undo", "interrupt", "resume"):
        found = _text(span, names.TOOL_NAME) or _text(span, names.STEP_NAME)
    elif kind == "model":
        found = _text(span, names.STEP_NAME) or _text(span, names.REQUEST_MODEL)
    elif kind == "node":
        found = _text(span, names.STEP_NAME)
    elif kind == "run":
        found = _text(span, names.AGENT_NAME) or _text(span, "gen_ai.workflow.name")
    else:
        found = None
    return found or span.name


def tokens_of(span: Span) -> tuple[int, int]:
    """Return the tokens in and out of a model call, 0 where they are not told."""
    return _count(span, names.INPUT_TOKENS), _count(span, names.OUTPUT_TOKENS)


def _count(span: Span, name: str) -> int:
    value = span.attributes.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _text(span: Span, name: str) -> str | None:
    value = span.attributes.get(name)
    return value if isinstance(value, str) else None
