"""A plan as a person reads it, in the language of the turn."""

from collections.abc import Iterator, Mapping, Sequence

from stalwart_lang import Call, Plan
from stalwart_lang.selector.shown import shown_call
from stalwart_lang.terminal import excerpt, printable
from stalwart_lang.vocabulary.model import Language

_EXPECTED_SHOWN = 8

_LABELS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "read": "Read in English ({source}):",
        "incomplete": "Something is missing ({source}):",
        "ambiguous": "Ambiguous: it can be read in {count} ways ({source}):",
        "unread": "Not read in English ({source}):",
        "request": "the language the request asked for",
        "console": "the console's language",
        "vocabulary": "the vocabulary's language",
        "default": "the default language",
        "from": "from",
        "rule": "rule",
        "reading": "Reading {number}",
        "needs": "{tool} needs {argument}: {question}",
        "expected": "could stand here: ",
    },
    "pt-BR": {
        "read": "Lido em português do Brasil ({source}):",
        "incomplete": "Falta algo ({source}):",
        "ambiguous": "Ambíguo: pode ser lido de {count} maneiras ({source}):",
        "unread": "Não lido em português do Brasil ({source}):",
        "request": "o idioma que a requisição pediu",
        "console": "o idioma do console",
        "vocabulary": "o idioma do vocabulário",
        "default": "o idioma padrão",
        "from": "de",
        "rule": "regra",
        "reading": "Leitura {number}",
        "needs": "{tool} precisa de {argument}: {question}",
        "expected": "aqui poderia estar: ",
    },
}


def plan_lines(plan: Plan, turn: str) -> Iterator[str]:
    """Yield the lines that show the plan of `turn`."""
    labels = _LABELS[plan.language]
    yield labels[plan.verdict].format(source=labels[plan.language_from], count=len(plan.readings))
    yield from _calls(plan.calls or plan.partial, turn, labels)
    for missing in plan.missing:
        yield "  " + labels["needs"].format(
            tool=missing.tool, argument=missing.argument, question=missing.question
        )
    for number, calls in enumerate(plan.readings, 1):
        yield labels["reading"].format(number=number)
        yield from _calls(calls, turn, labels)
    for reason in () if plan.missing else plan.reasons:
        yield f"  {reason.code}: {printable(reason.message)}"
        yield from (f"    {line}" for line in excerpt(turn, reason.start, reason.end))
        if reason.expected:
            yield f"    {labels['expected']}{_expected(reason.expected)}"


def _calls(calls: Sequence[Call], turn: str, labels: Mapping[str, str]) -> Iterator[str]:
    width = max(len(labels["from"]), len(labels["rule"]))
    for call in calls:
        yield f"  {shown_call(call)}"
        yield f"    {labels['from']:<{width}}  {printable(turn[call.start : call.end])}"
        yield f"    {labels['rule']:<{width}}  {call.rule} ({call.file}:{call.line})"


def _expected(words: Sequence[str]) -> str:
    more = ", …" if len(words) > _EXPECTED_SHOWN else ""
    return ", ".join(words[:_EXPECTED_SHOWN]) + more
