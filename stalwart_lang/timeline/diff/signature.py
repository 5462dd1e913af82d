"""What decided in a span, apart from ids, times, tokens and words; and a number that stands for it.

A span has the same signature as another one if it decided the same. Signatures of spans are summed,
so that the order of siblings does not matter; they hold within one process only.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from stalwart_lang.timeline.kinds import Kind, kind_of, title_of
from stalwart_lang.timeline.records import Damage, Error, Span, read_line
from stalwart_lang.tracing import attributes as names
from stalwart_lang.tracing.canonical import canonical_json

Texts: TypeAlias = tuple[str, ...] | None
TextSet: TypeAlias = frozenset[str] | None

MASK = 2**64 - 1

_WRITTEN_AS: Mapping[str, str] = {
    "operation": names.OPERATION_NAME,
    "agent": names.AGENT_NAME,
    "thread": names.CONVERSATION_ID,
    "tool": names.TOOL_NAME,
    "labels": names.LABELS,
    "arguments": names.ARGUMENTS,
    "arguments_digest": names.ARGUMENTS + names.DIGEST_SUFFIX,
    "args_digest": names.ARGS_DIGEST,
    "outcome": names.OUTCOME,
    "decided_by": names.DECIDED_BY,
    "reasons": names.REASONS,
    "rule": names.RULE,
    "result": names.RESULT,
    "result_digest": names.RESULT + names.DIGEST_SUFFIX,
    "model": names.REQUEST_MODEL,
    "step_name": names.STEP_NAME,
    "step": names.STEP,
    "input_tokens": names.INPUT_TOKENS,
    "output_tokens": names.OUTPUT_TOKENS,
    "finish_reasons": names.FINISH_REASONS,
    "turn": names.TURN,
    "turn_digest": names.TURN + names.DIGEST_SUFFIX,
    "language": names.LANGUAGE,
    "verdict": names.VERDICT,
    "rules": names.RULES,
    "answer": names.ANSWER,
    "waits_for": names.WAITS_FOR,
    "undoes": names.UNDOES,
    "to_step": names.TO_STEP,
    "call_arguments": "gen_ai.tool.call.arguments",
    "call_result": "gen_ai.tool.call.result",
    "key_id": "stalwart.digest_key_id",
}


class Held(msgspec.Struct, gc=False, rename=_WRITTEN_AS):
    """The attributes of a span that a comparison looks at; None where they are absent.

    In the order in which our tracer writes them: so the decoder finds them soonest.
    """

    operation: str | None = None
    agent: str | None = None
    thread: str | None = None
    tool: str | None = None
    labels: TextSet = None
    arguments: str | None = None
    arguments_digest: str | None = None
    args_digest: str | None = None
    outcome: str | None = None
    decided_by: str | None = None
    reasons: TextSet = None
    rule: str | None = None
    result: str | None = None
    result_digest: str | None = None
    model: str | None = None
    step_name: str | None = None
    step: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    finish_reasons: Texts = None
    turn: str | None = None
    turn_digest: str | None = None
    language: str | None = None
    verdict: str | None = None
    rules: Texts = None
    answer: str | None = None
    waits_for: str | None = None
    undoes: int | None = None
    to_step: int | None = None
    call_arguments: str | None = None
    call_result: str | None = None
    key_id: str | None = None


_Aware = Annotated[datetime, msgspec.Meta(tz=True)]


class Record(msgspec.Struct, gc=False, kw_only=True):
    """A line of a trace, as much of it as a comparison needs; see `records.Span`."""

    type: Literal["span", "start"]
    trace_id: str
    span_id: str
    parent_id: str | None = None
    name: str
    start: _Aware
    end: _Aware | None = None
    status: str = "ok"
    error: Error | None = None
    attributes: Held = msgspec.field(default_factory=Held)


_decoder = msgspec.json.Decoder(Record)
decode_records = _decoder.decode_lines
NOT_A_RECORD = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What `decode_records` raises for lines that only `records_of` can read, if that can."""


def records_of(line: bytes, number: int) -> Iterator[Record | Damage]:
    """Yield what a line holds, whoever wrote it; `number` is for the damage."""
    try:
        yield _decoder.decode(line)
        return
    except NOT_A_RECORD:
        pass
    for found in read_line(line, number):
        yield _record(found) if isinstance(found, Span) else found


def _record(span: Span) -> Record:
    held = Held()
    for field, written in _WRITTEN_AS.items():
        value = span.attributes.get(written)
        if value is not None:
            setattr(held, field, _AS[field](value))
    return Record(
        type=span.type,
        trace_id=span.trace_id,
        span_id=span.span_id,
        parent_id=span.parent_id,
        name=span.name,
        start=span.start,
        end=span.end,
        status=span.status,
        error=span.error,
        attributes=held,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else canonical_json(value).decode()


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, value)) if isinstance(value, list | tuple) else (_text(value),)


def _text_set(value: object) -> frozenset[str]:
    return frozenset(_texts(value))


_AS: Mapping[str, Callable[[object], Any]] = {
    **dict.fromkeys(_WRITTEN_AS, _text),
    **dict.fromkeys(("step", "undoes", "to_step", "input_tokens", "output_tokens"), _number),
    **dict.fromkeys(("rules", "finish_reasons"), _texts),
    **dict.fromkeys(("reasons", "labels"), _text_set),
}

ARGUMENTS, RESULT, TURN = "arguments", "result", "turn"
_CALL = ("arguments", "arguments_digest", "call_arguments")
_RETURNED = ("result", "result_digest", "call_result")

DECISIONS: Mapping[Kind, Mapping[str, tuple[str, ...]]] = {
    "run": {"agent": ("agent",)},
    "node": {"name": ("step_name",)},
    "plan": {
        TURN: ("turn", "turn_digest"),
        "verdict": ("verdict",),
        "language": ("language",),
        "rules": ("rules",),
        "reasons": ("reasons",),
    },
    "model": {"stop reasons": ("finish_reasons",)},
    "check": {
        "tool": ("tool",),
        ARGUMENTS: ("args_digest",),
        "outcome": ("outcome",),
        "decided by": ("decided_by",),
        "rule": ("rule",),
        "reasons": ("reasons",),
        "labels": ("labels",),
    },
    "tool": {"tool": ("tool",), ARGUMENTS: _CALL, RESULT: _RETURNED},
    "undo": {"tool": ("tool",), "undoes": ("undoes",), ARGUMENTS: _CALL, RESULT: _RETURNED},
    "rollback": {},
    "rewind": {"to step": ("to_step",)},
    "interrupt": {"tool": ("tool",), "waits for": ("waits_for",), "outcome": ("outcome",)},
    "resume": {"tool": ("tool",), "answer": ("answer",)},
    "other": {},
}
"""What decided in a span of each kind, by what it is called, and the attributes that tell it.

Beside it, of every kind: whether the span ended, and the type of its error. Of a span of kind
`other` its name as well.
"""


def _teller(kind: Kind) -> Callable[[Held], object]:
    """Return what gives the values that decided in a span of a kind, and the kind.

    It is made from text: `operator.attrgetter` takes twice as long, and it is called for each span.
    """
    told = (name for names in DECISIONS[kind].values() for name in names)
    values = "".join(f", held.{name}" for name in told)
    made: Callable[[Held], object] = eval(f"lambda held: ({kind!r}{values},)")
    return made


TELLERS: Mapping[Kind, Callable[[Held], object]] = {kind: _teller(kind) for kind in DECISIONS}
"""What gives the values that decided in a span of each kind; their hash is made the signature."""


_NEVER = datetime.min.replace(tzinfo=UTC)


def _span(name: str, attributes: dict[str, Any]) -> Span:
    return Span("span", "", "", name, _NEVER, attributes=attributes)


def kind_of_record(record: Record) -> Kind:
    """Return what the span is; see `kinds.kind_of`."""
    ours = OURS.get(record.name)
    return _kind_called(record.name, record.attributes.operation) if ours is None else ours[0]


@lru_cache(1024)
def _kind_called(name: str, operation: str | None) -> Kind:
    return kind_of(_span(name, {names.OPERATION_NAME: operation}))


OURS: Mapping[str, tuple[Kind, Callable[[Held], object]]] = {
    name: (_kind_called(name, None), TELLERS[_kind_called(name, None)]) for name in names.SPANS
}
"""The kind of the spans that are ours, by name, and its teller."""


def title_of_record(record: Record) -> str:
    """Return what a person calls the span; see `kinds.title_of`."""
    held = record.attributes
    told = {
        names.OPERATION_NAME: held.operation,
        names.TOOL_NAME: held.tool,
        names.STEP_NAME: held.step_name,
        names.REQUEST_MODEL: held.model,
        names.AGENT_NAME: held.agent,
    }
    return title_of(_span(record.name, told))


def error_of(record: Record) -> str | None:
    """Return the type of the span's error, "" for one that is not told, None if it has none."""
    if record.status == "ok":
        return None
    if record.error is not None:
        return record.error.type
    return "" if record.status == "error" else None


def signature_of(kind: Kind, record: Record) -> int:
    """Return the signature of a span: a number that is to be taken modulo 2**64.

    Of a span that ended well, and is not of kind `other`, it is the square of the hash of what
    the kind's teller gives.
    """
    made = hash(TELLERS[kind](record.attributes))
    if record.status != "ok" or kind == "other":
        made = hash((made, error_of(record), record.name if kind == "other" else None))
    if record.type == "start":
        made = hash((made, record.type))
    # The hash of a tuple is nearly linear: sums of it would not tell two calls that swapped results
    # from two that did not. Sums of squares do.
    return made * made
