"""How a turn is read, in a few words and in full."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stalwart_lang.lsp.explaining.words import Words
from stalwart_lang.lsp.markup import Markup, clipped
from stalwart_lang.selector.messages import REASONS
from stalwart_lang.selector.shown import shown_call
from stalwart_lang.vocabulary.model import Language, Vocabulary

if TYPE_CHECKING:
    from stalwart_lang.selector.plan import Call, Plan, Reason

_LABEL = 90
"""Characters of a hint; what is longer is told in its tooltip."""
_EXPECTED = 8
_LISTED = 20
_IN_THE_TURNS_LANGUAGE = frozenset(
    (
        "other_language",
        "ill_formed_number",
        "other_script",
        "control_character",
        "ambiguous",
        "missing_argument",
    )
)
"""Reasons that are about the language a turn is read in, or tell more than its words."""


@dataclass(frozen=True, slots=True)
class Brief:
    """A reading beside the turn: a few words, and all of it."""

    label: str
    tooltip: str


def currency_of(vocabulary: Vocabulary | None, language: Language) -> str:
    """The currency of amounts that name none (ISO 4217)."""
    from stalwart_lang.selector.languages import DEFAULT_CURRENCY

    own = {} if vocabulary is None else vocabulary.settings.currency
    return own.get(language, DEFAULT_CURRENCY[language])


def brief(plan: "Plan", turn: str, currency: str, words: Words) -> Brief:
    """What a turn reads as, or where it stops and why."""
    full = "\n".join(_lines(plan, turn, words, Markup(False)))
    if plan.verdict == "read":
        return Brief(_arrows(plan.calls, currency, words), full)
    label = words.short[plan.verdict]
    if plan.verdict == "incomplete":
        lacking = ", ".join(dict.fromkeys(missing.argument for missing in plan.missing))
        known = _arrows(plan.partial, currency, words)
        return Brief(_shortened(f"{label}: {lacking} {known}".strip()), full)
    if plan.verdict == "ambiguous":
        ways = " | ".join(
            ", ".join(shown_call(call, currency) for call in reading) for reading in plan.readings
        )
        return Brief(_shortened(f"{label}: {ways}" if ways else label), full)
    reason = plan.reasons[0] if plan.reasons else None
    if reason is None:
        return Brief(label, full)
    return Brief(_shortened(f"{label}: {_why(reason, turn, plan, words)}"), full)


def _why(reason: "Reason", turn: str, plan: "Plan", words: Words) -> str:
    """A reason as a sentence, in the language of the words where it can be told in that."""
    if plan.language == words.written_in or reason.code in _IN_THE_TURNS_LANGUAGE:
        return clipped(reason.message)
    word = clipped(turn[reason.start : reason.end])
    return REASONS[reason.code][words.written_in].format(words=word)


def _arrows(calls: Sequence["Call"], currency: str, words: Words) -> str:
    """Calls in their order; of many, those that have room."""
    label = ""
    for number, call in enumerate(calls):
        more = f"{' ' if label else ''}→ {shown_call(call, currency)}"
        rest = len(calls) - number
        if label and len(label) + len(more) > _LABEL:
            return f"{label} → … ({words.more_calls.format(n=rest)})"
        label += more
    return _shortened(label)


def _shortened(label: str) -> str:
    return label if len(label) <= _LABEL else label[: _LABEL - 1] + "…"


def told(plan: "Plan", turn: str, markup: Markup, words: Words) -> Iterator[str]:
    """Blocks that tell everything of a reading."""
    yield markup.own(words.verdicts[plan.verdict])
    yield markup.items(_lines(plan, turn, words, markup))


def chosen_by(plan: "Plan", words: Words, by_key: bool = False) -> str:
    """The language that a turn was read in, and who chose it."""
    source = words.chosen_by["key" if by_key else plan.language_from]
    return f"{words.language}: {plan.language} ({source})"


def _lines(plan: "Plan", turn: str, words: Words, markup: Markup) -> Iterator[str]:
    yield from _calls(plan.calls or plan.partial, turn, words, markup)
    for missing in plan.missing:
        yield words.needs.format(
            tool=markup.code(missing.tool),
            argument=markup.code(missing.argument),
            question=markup.prose(missing.question),
        )
    for number, reading in enumerate(plan.readings[:_LISTED], 1):
        which = words.reading.format(number=number)
        yield from (f"{which}: {line}" for line in _calls(reading, turn, words, markup))
    for reason in () if plan.missing else plan.reasons[:_LISTED]:
        word = turn[reason.start : reason.end]
        there = f" ({markup.code(word)})" if word else ""
        said = markup.prose(_why(reason, turn, plan, words))
        yield f"{markup.code(reason.code)}{there}: {said}"
        if reason.expected:
            shown = ", ".join(map(markup.code, reason.expected[:_EXPECTED]))
            more = ", …" if len(reason.expected) > _EXPECTED else ""
            yield f"{words.could_stand}: {shown}{more}"


def _calls(calls: Sequence["Call"], turn: str, words: Words, markup: Markup) -> Iterator[str]:
    for call in calls[:_LISTED]:
        said = markup.code(turn[call.start : call.end])
        yield (
            f"{markup.code(shown_call(call))} ← {said} ({words.phrase} {markup.code(call.rule)})"
        )
    if len(calls) > _LISTED:
        yield words.more_calls.format(n=len(calls) - _LISTED)
