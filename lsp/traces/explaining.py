"""A span in words: what it is, what it decided and why, when it was and where it belongs."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from stalwart_lang.lsp.markup import clipped, code
from stalwart_lang.lsp.traces.words import Words
from stalwart_lang.timeline.kinds import kind_of, title_of
from stalwart_lang.timeline.records import Span
from stalwart_lang.tracing import attributes as names

VIOLATION = "stalwart.violation"
"""The attribute of a step that broke the run's state: which rule of it."""

_LISTED = 20
_MARKS = re.compile(r"\*\*")


@dataclass(frozen=True, slots=True)
class Around:
    """What is known of a span beside its record: the record above it, and its run's thread."""

    parent: tuple[Span, int] | None = None
    """The span above it, and its line from 0."""
    thread: str | None = None


def explain(
    span: Span,
    words: Words,
    around: Around,
    links: Mapping[str, str],
    *,
    markdown: bool = True,
) -> str:
    """Return what a span tells, as Markdown or as plain text.

    `links` are the URIs of where rules and phrases are written, by their names.
    """
    quoted = code if markdown else clipped
    said = _sentence(span, words, quoted)
    if span.open:
        said += " " + words.never_ended
    elif span.failed or span.error is not None:
        error = error_of(span)
        said += " " + (
            words.failed if error is None else words.failed_with.format(error=quoted(error))
        )
    if not markdown:
        said = _MARKS.sub("", said)
    linked = links if markdown else {}
    told = [f"- {label}: {what}" for label, what in _told(span, words, quoted, linked)]
    foot = ", ".join(_foot(span, words, around, quoted)) + "."
    return "\n\n".join(filter(None, (said, "\n".join(told), foot)))


def error_of(span: Span) -> str | None:
    """Return the type of a span's error, where it is recorded."""
    if span.error is not None:
        return span.error.type
    return _text(span, names.ERROR_TYPE)


def duration_of(milliseconds: float, words: Words) -> str:
    """Return a duration in the unit that fits it."""
    if milliseconds < 1_000:
        shown = f"{milliseconds:.3g} ms"
    elif milliseconds < 120_000:
        shown = f"{milliseconds / 1000:.2f} s"
    else:
        shown = f"{milliseconds / 60_000:.1f} min"
    return shown.replace(".", words.decimal)


def moment_of(time: datetime) -> str:
    """Return a moment, in UTC, as it is shown."""
    return f"{time:%Y-%m-%d %H:%M:%S}.{time.microsecond // 1000:03d} UTC"


def _sentence(span: Span, words: Words, quoted: Callable[[str], str]) -> str:
    name = quoted(title_of(span))
    match kind_of(span):
        case "run":
            named = title_of(span) != span.name
            return words.run.format(name=name) if named else words.run_unnamed
        case "node":
            number = _shown(span, names.STEP)
            if number is None:
                return words.node_unnumbered.format(name=name)
            return words.node.format(number=number, name=name)
        case "plan":
            return words.plan.get(_text(span, names.VERDICT) or "", words.plan_open)
        case "model":
            model = _text(span, names.REQUEST_MODEL)
            return words.model.format(name=quoted(model) if model else name)
        case "check":
            outcome = _text(span, names.OUTCOME) or ""
            return words.check.get(outcome, words.check_open).format(name=name)
        case "tool":
            return words.tool.format(name=name)
        case "undo":
            step = _shown(span, names.UNDOES)
            if step is None:
                return words.undo.format(name=name)
            return words.undo_of_step.format(name=name, step=step)
        case "rollback":
            return words.rollback
        case "rewind":
            return words.rewind.format(step=_shown(span, names.TO_STEP) or "?")
        case "interrupt":
            return words.interrupt.format(name=name)
        case "resume":
            answer = _text(span, names.ANSWER) or ""
            return words.resume.get(answer, words.resume_other).format(name=name)
    return words.other.format(name=name)


def _told(
    span: Span, words: Words, quoted: Callable[[str], str], links: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield what is told of it beside the sentence, each under its label."""

    def rule(name: str) -> str:
        if name not in links:
            return quoted(name)
        link = links[name].replace("(", "%28").replace(")", "%29")
        return f"[{quoted(name)}]({link})"

    if decided_by := _text(span, names.DECIDED_BY):
        yield words.decided_by, words.steps_of_the_check.get(decided_by, quoted(decided_by))
    if name := _text(span, names.RULE):
        file, line = _text(span, names.RULE_FILE), _shown(span, names.RULE_LINE)
        place = f"{file}:{line}" if file and line else file
        yield words.rule, rule(name) + (f" ({quoted(place)})" if place else "")
    if phrases := _texts(span, names.RULES):
        yield words.phrases, ", ".join(map(rule, phrases))
    if reasons := _texts(span, names.REASONS):
        yield words.reasons, "; ".join(map(quoted, reasons))
    if labels := _texts(span, names.LABELS):
        yield words.labels, ", ".join(map(quoted, labels))
    if waits_for := _text(span, names.WAITS_FOR):
        yield words.waits_for, quoted(waits_for)
    if language := _text(span, names.LANGUAGE):
        chosen = words.chosen_by.get(_text(span, names.LANGUAGE_FROM) or "")
        yield words.language, quoted(language) + (f" ({chosen})" if chosen else "")
    if vocabulary := _text(span, names.VOCABULARY):
        digest = _text(span, names.VOCABULARY_DIGEST)
        more = f" ({words.digest.format(digest=quoted(digest))})" if digest else ""
        yield words.vocabulary, quoted(vocabulary) + more
    for label, name in (
        (words.turn, names.TURN),
        (words.arguments, names.ARGUMENTS),
        (words.result, names.RESULT),
        (words.message, names.MESSAGE),
    ):
        digest = _text(span, name + names.DIGEST_SUFFIX)
        if digest is None and name == names.ARGUMENTS:
            digest = _text(span, names.ARGS_DIGEST)
        if (value := _text(span, name)) is not None:
            yield label, quoted(value)
        elif digest is not None:
            yield label, words.digest.format(digest=quoted(digest))
    tokens = _shown(span, names.INPUT_TOKENS), _shown(span, names.OUTPUT_TOKENS)
    if tokens != (None, None):
        said = words.tokens.format(tokens_in=tokens[0] or 0, tokens_out=tokens[1] or 0)
        reasons = _texts(span, names.FINISH_REASONS)
        stopped = words.stopped.format(reason=", ".join(map(quoted, reasons))) if reasons else ""
        yield "Tokens", said + (f"; {stopped}" if stopped else "")
    if (violation := span.attributes.get(VIOLATION)) is not None:
        yield words.violation, quoted(str(violation))


def _foot(span: Span, words: Words, around: Around, quoted: Callable[[str], str]) -> Iterator[str]:
    yield words.started.format(time=moment_of(span.start))
    if span.duration_ms is not None:
        yield words.took.format(duration=duration_of(span.duration_ms, words))
    if around.parent is not None:
        above, line = around.parent
        place = words.line.format(number=line + 1)
        yield words.below.format(name=quoted(title_of(above)), line=place)
    elif span.parent_id is not None:
        yield words.below_unnamed.format(name=quoted(span.parent_id))
    if around.thread is not None:
        yield words.thread.format(name=quoted(around.thread))


def _text(span: Span, name: str) -> str | None:
    value = span.attributes.get(name)
    return value if isinstance(value, str) else None


def _shown(span: Span, name: str) -> str | None:
    value = span.attributes.get(name)
    return clipped(str(value)) if isinstance(value, str | int | float) else None


def _texts(span: Span, name: str) -> list[str]:
    value = span.attributes.get(name)
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return []
    return [str(item) for item in value[:_LISTED] if isinstance(item, str | int | float)]
