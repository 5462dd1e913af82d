"""Spans with only what figures are made of, decoded a block of lines at a time.

A file of a million spans is passed once, and most of the time goes into making objects: so what no
figure needs (ends, events, other attributes) is skipped by the decoder, and not looked at.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

from stalwart_lang.timeline.kinds import tokens_of
from stalwart_lang.timeline.records import CutShort, Damage, Span, read_line
from stalwart_lang.timeline.sources import open_blocks
from stalwart_lang.tracing import attributes as names
from stalwart_lang.tracing.canonical import canonical_json

_PIECE = 2**16
_LONGEST = 1e15
"""Milliseconds beyond which no duration is believed: 30,000 years."""
_FOREIGN_ARGUMENTS = "gen_ai.tool.call.arguments"


def _named(name: str) -> Any:
    return msgspec.field(default=None, name=name)


class Told(msgspec.Struct, frozen=True, gc=False):
    """The attributes that figures are made of, None where a span does not tell."""

    operation: str | None = _named(names.OPERATION_NAME)
    tool: str | None = _named(names.TOOL_NAME)
    tokens_in: int | None = _named(names.INPUT_TOKENS)
    tokens_out: int | None = _named(names.OUTPUT_TOKENS)
    digest: str | None = _named(names.ARGUMENTS + names.DIGEST_SUFFIX)
    arguments: str | None = _named(names.ARGUMENTS)
    foreign_arguments: str | None = _named(_FOREIGN_ARGUMENTS)
    outcome: str | None = _named(names.OUTCOME)
    rule: str | None = _named(names.RULE)
    decided_by: str | None = _named(names.DECIDED_BY)
    answer: str | None = _named(names.ANSWER)
    agent: str | None = _named(names.AGENT_NAME)
    thread: str | None = _named(names.CONVERSATION_ID)


class Passed(msgspec.Struct, frozen=True, gc=False):
    """A span, as `records.Span` is, with only what figures are made of."""

    type: Literal["span", "start"]
    trace_id: str
    span_id: str
    name: str
    start: Annotated[datetime, msgspec.Meta(tz=True)]
    parent_id: str | None = None
    duration_ms: Annotated[float, msgspec.Meta(ge=-_LONGEST, le=_LONGEST)] | None = None
    status: str = "ok"
    attributes: Told = Told()


_decoder = msgspec.json.Decoder(Passed)
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def pass_over(path: str, on_damage: Callable[[Damage], None]) -> Iterator[list[Passed]]:
    """Yield the spans of `path` (`-` is standard input), those of some thousand lines at a time.

    What `records.read_spans` reads is read, records of ours fastest. `on_damage` hears of each line
    that holds no record; blank lines far before it are not counted (counting takes as long as a
    tenth of all the rest).

    Raises:
        OSError: `path` cannot be opened or read.
    """
    decode = _decoder.decode_lines
    lines = 0
    with open_blocks(path) as blocks:
        try:
            for block in blocks:
                for begin, end in _pieces(block):
                    try:
                        spans = decode(memoryview(block)[begin:end])
                        lines += len(spans)
                    except _UNREADABLE:
                        piece = block[begin:end].splitlines(True)
                        spans = list(_one_by_one(piece, lines, on_damage))
                        lines += len(piece)
                    yield spans
        except CutShort as error:
            on_damage(Damage(max(1, lines), str(error)))


def _pieces(block: bytes) -> Iterator[tuple[int, int]]:
    """Part a block into lines whose spans fit into a processor's cache together."""
    begin, size = 0, len(block)
    while begin < size:
        end = block.find(b"\n", begin + _PIECE) + 1 or size
        yield begin, end
        begin = end


def _one_by_one(
    piece: Iterable[bytes], lines: int, on_damage: Callable[[Damage], None]
) -> Iterator[Passed]:
    for number, line in enumerate(piece, lines + 1):
        try:
            yield _decoder.decode(line)
        except _UNREADABLE:
            for found in read_line(line, number):
                if isinstance(found, Damage):
                    on_damage(found)
                else:
                    yield passed(found)


def passed(span: Span) -> Passed:
    """Return what figures need of a span; an attribute of another type than it has is not told."""
    held = span.attributes
    tokens_in, tokens_out = tokens_of(span)
    told = Told(
        operation=_text(held.get(names.OPERATION_NAME)),
        tool=_text(held.get(names.TOOL_NAME)),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        digest=_text(held.get(names.ARGUMENTS + names.DIGEST_SUFFIX)),
        arguments=_as_text(held.get(names.ARGUMENTS)),
        foreign_arguments=_as_text(held.get(_FOREIGN_ARGUMENTS)),
        outcome=_text(held.get(names.OUTCOME)),
        rule=_text(held.get(names.RULE)),
        decided_by=_text(held.get(names.DECIDED_BY)),
        answer=_text(held.get(names.ANSWER)),
        agent=_text(held.get(names.AGENT_NAME)),
        thread=_text(held.get(names.CONVERSATION_ID)),
    )
    return Passed(
        type=span.type,
        trace_id=_clean(span.trace_id),
        span_id=_clean(span.span_id),
        name=_clean(span.name),
        start=span.start,
        parent_id=_text(span.parent_id),
        duration_ms=span.duration_ms if _is_believed(span.duration_ms) else None,
        status=span.status,
        attributes=told,
    )


def _is_believed(duration_ms: float | None) -> bool:
    return duration_ms is not None and -_LONGEST <= duration_ms <= _LONGEST


def _text(value: object) -> str | None:
    return _clean(value) if isinstance(value, str) else None


def _as_text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return _text(value)
    return canonical_json(value).decode()


def _clean(text: str) -> str:
    """Return a text that can be written: JSON may hold half of a surrogate pair."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
