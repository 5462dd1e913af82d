"""All that was recorded of a step, in the order in which a person asks for it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from stalwart_lang.timeline.kinds import kind_of
from stalwart_lang.timeline.page.escaping import as_text, shown
from stalwart_lang.timeline.page.story import VIOLATION, error_of
from stalwart_lang.timeline.page.strings import Words, counted, duration
from stalwart_lang.timeline.records import Event, Span
from stalwart_lang.tracing import attributes as names

_LISTED, _ATTRIBUTES, _EVENTS = 50, 128, 64

_TOLD = (
    names.OPERATION_NAME,
    names.TOOL_NAME,
    names.AGENT_NAME,
    names.STEP_NAME,
    names.ERROR_TYPE,
    names.CONVERSATION_ID,
)
"""Attributes that the row or the head of the run tells."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a step's details; `block` where the value is long text."""

    label: str
    value: Markup
    block: bool = False


@dataclass(frozen=True, slots=True)
class Happening:
    """An event within a step."""

    name: Markup
    at: str
    lines: tuple[Line, ...]
    repeats: bool


@dataclass(frozen=True, slots=True)
class Details:
    """What a step decided and did; `others` are the attributes that no line before tells."""

    lines: tuple[Line, ...]
    others: tuple[Line, ...]
    others_left_out: str
    events: tuple[Happening, ...]
    events_left_out: str


def details_of(
    span: Span, words: Words, links: Sequence[Line], violation: str | None, longest: int
) -> Details:
    """Return what is known of a span; a value is cut after `longest` characters."""
    told: set[str] = set(_TOLD)
    lines = [*links, *_lines(span, words, violation, longest, told)]
    held = [(name, value) for name, value in span.attributes.items() if name not in told]
    others = tuple(
        _line(_called(name, words), value, words, longest) for name, value in held[:_ATTRIBUTES]
    )
    return Details(
        tuple(lines),
        others,
        _more(len(held) - _ATTRIBUTES, words),
        tuple(_happening(event, span, words, longest) for event in span.events[:_EVENTS]),
        _more(len(span.events) - _EVENTS, words),
    )


def moment(time: datetime) -> str:
    """Write a moment as ISO 8601 in UTC, to the millisecond."""
    try:
        time = time.astimezone(UTC)
    except OverflowError:  # the first and the last day of the calendar
        time = time.replace(tzinfo=UTC)
    return time.isoformat(" ", timespec="milliseconds").replace("+00:00", "Z")


def _lines(
    span: Span, words: Words, violation: str | None, longest: int, told: set[str]
) -> Iterator[Line]:
    """Yield the lines of what is known by name, and add to `told` the attributes they hold."""
    held = span.attributes

    def known(label: str, name: str, say: Mapping[str, str] | None = None) -> Iterator[Line]:
        if name in held:
            told.add(name)
            value = held[name]
            if value != []:
                yield _line(label, (say or {}).get(as_text(value), value), words, longest)

    if violation is not None:
        told.add(VIOLATION)
        yield _line(words.violation, violation, words, longest)
    if span.failed or names.ERROR_TYPE in held:
        yield _line(words.error, error_of(span) or words.failed, words, longest)
    yield from known(words.decision, names.OUTCOME, words.decisions)
    yield from known(words.decided_by, names.DECIDED_BY)
    if names.RULE in held:
        told |= {names.RULE, names.RULE_FILE, names.RULE_LINE}
        yield Line(words.rule, _rule(held, longest, words))
    yield from known(words.verdict, names.VERDICT, words.verdicts)
    yield from known(words.rules, names.RULES)
    yield from known(words.reasons, names.REASONS)
    yield from known(words.labels, names.LABELS)
    yield from known(words.read_in, names.LANGUAGE)
    yield from known(words.waits_for, names.WAITS_FOR)
    yield from known(words.answer, names.ANSWER)
    yield from known(words.to_step, names.TO_STEP)
    for label, name in (
        (words.turn, names.TURN),
        (words.message, names.MESSAGE),
        (words.arguments, names.ARGUMENTS),
        (words.result, names.RESULT),
    ):
        yield from known(label, name)
        if (digest := name + names.DIGEST_SUFFIX) in held:
            told.add(digest)
            value = shown(as_text(held[digest])[:80])
            yield Line(label, Markup(words.digest).format(digest=value))
    yield from known(words.args_digest, names.ARGS_DIGEST)
    if kind_of(span) == "model":
        yield from known(words.model, names.REQUEST_MODEL)
        yield from known(words.tokens_in, names.INPUT_TOKENS)
        yield from known(words.tokens_out, names.OUTPUT_TOKENS)
        yield from known(words.finish, names.FINISH_REASONS)
    took = moment(span.start)
    if span.end is not None and span.duration_ms is not None:
        length = duration(span.duration_ms, words)
        took = f"{took} {words.ends} {moment(span.end)} ({length})"
    yield Line(words.times, Markup.escape(took))
    ids = shown(span.span_id[:80])
    if span.parent_id is not None:
        ids = Markup("{} {} {}").format(ids, words.child_of, shown(span.parent_id[:80]))
    yield Line(words.ids, Markup("{} {}").format(shown(span.name[:200]), ids))


def _rule(held: Mapping[str, Any], longest: int, words: Words) -> Markup:
    value, _ = _value(held[names.RULE], words, longest)
    file, line = held.get(names.RULE_FILE), held.get(names.RULE_LINE)
    if not isinstance(file, str):
        return value
    where = file[:500] if line is None else f"{file[:500]}:{as_text(line)[:20]}"
    return Markup('{} <span class="at">{}</span>').format(value, shown(where))


def _happening(event: Event, span: Span, words: Words, longest: int) -> Happening:
    repeats = event.name == names.DECISION and all(
        name in span.attributes and as_text(span.attributes[name]) == as_text(value)
        for name, value in event.attributes.items()
    )
    held = [] if repeats else list(event.attributes.items())[:_ATTRIBUTES]
    lines = tuple(_line(_called(name, words), value, words, longest) for name, value in held)
    return Happening(_called(event.name, words), moment(event.time), lines, repeats)


def _called(name: str, words: Words) -> Markup:
    if not name.strip():
        return Markup('<i class="note">{}</i>').format(words.empty)
    return shown(name[:200])


def _line(label: str | Markup, value: Any, words: Words, longest: int) -> Line:
    value, block = _value(value, words, longest)
    return Line(label, value, block)


def _value(value: Any, words: Words, longest: int) -> tuple[Markup, bool]:
    """Return the value as HTML, and whether it is long text."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return _list(value, words, longest), False
    text = as_text(value)
    if not text:
        return Markup('<i class="note">{}</i>').format(words.empty), False
    block = len(text) > 120 or "\n" in text
    html = shown(text[:longest], lines=True)
    if len(text) > longest:
        note = counted(words.clipped, len(text) - longest, words)
        html = Markup('{}<i class="note"> {}</i>').format(html, note)
    return html, block


def _list(items: Sequence[str], words: Words, longest: int) -> Markup:
    if not items:
        return Markup('<i class="note">{}</i>').format(words.empty)
    each = max(20, longest // min(len(items), _LISTED))
    html = Markup("").join(
        Markup("<li>{}</li>").format(_value(item, words, each)[0]) for item in items[:_LISTED]
    )
    if more := _more(len(items) - _LISTED, words):
        html += Markup('<li><i class="note">{}</i></li>').format(more)
    return Markup("<ul>{}</ul>").format(html)


def _more(count: int, words: Words) -> str:
    return counted(words.more, count, words) if count > 0 else ""
