"""The `turns:` section, held against what a selector reads."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from stalwart_lang.selector.languages import DEFAULT_CURRENCY
from stalwart_lang.vocabulary.model import (
    ExpectedCall,
    Language,
    Location,
    Phrase,
    Turn,
    Vocabulary,
)

if TYPE_CHECKING:
    from stalwart_lang.selector.plan import Call, Plan
    from stalwart_lang.selector.selector import Selector


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How one turn in one language fared; `expected` and `got` are lines for people."""

    location: Location
    language: Language
    turn: str
    ok: bool
    expected: tuple[str, ...]
    got: tuple[str, ...]


def check_turns(vocabulary: Vocabulary, selector: "Selector") -> list[TurnResult]:
    """Read every turn of `turns:` in its languages and compare with what it must read as."""
    return list(_results(vocabulary, selector))


def _results(vocabulary: Vocabulary, selector: "Selector") -> Iterator[TurnResult]:
    for turn in vocabulary.turns:
        for language, phrases in turn.say.items():
            for phrase in phrases:
                plan = selector.plan(phrase.text, language=language, now=turn.now)
                yield judge(vocabulary, turn, phrase, plan)


def judge(vocabulary: Vocabulary, turn: Turn, phrase: Phrase, plan: "Plan") -> TurnResult:
    """Compare how a phrase of a turn was read with what it must read as."""
    language = plan.language
    currency = vocabulary.settings.currency.get(language, DEFAULT_CURRENCY[language])
    return TurnResult(
        location=phrase.location,
        language=language,
        turn=phrase.text,
        ok=_meets(turn, plan, currency),
        expected=_expected_lines(turn),
        got=_got_lines(plan),
    )


def _meets(turn: Turn, plan: "Plan", currency: str) -> bool:
    if turn.plan is not None:
        return (
            plan.verdict == "read"
            and len(plan.calls) == len(turn.plan)
            and all(
                _same_call(expected, got, currency)
                for expected, got in zip(turn.plan, plan.calls, strict=True)
            )
        )
    if turn.unread is not None:
        codes = {reason.code for reason in plan.reasons}
        return plan.verdict == "unread" and (turn.unread == "any" or turn.unread in codes)
    if turn.incomplete is not None:
        missing = {missing.argument for missing in plan.missing}
        return plan.verdict == "incomplete" and turn.incomplete in missing
    return plan.verdict == "ambiguous"


def _same_call(expected: ExpectedCall, got: "Call", currency: str) -> bool:
    return (
        expected.tool == got.tool
        and expected.arguments.keys() == got.arguments.keys()
        and all(
            _same(value, got.arguments[name], currency)
            for name, value in expected.arguments.items()
        )
    )


def _same(expected: Any, got: Any, currency: str) -> bool:
    """Whether a plan's value is what the author wrote.

    Amounts and decimals are compared as numbers; an expected amount is a number, in `currency`, or
    text with its currency (`40.00 BRL`); a quantity likewise with its unit (`2 kilo`).
    """
    if isinstance(got, Mapping):
        if isinstance(expected, Mapping):
            return expected.keys() == got.keys() and all(
                _same(expected[key], got[key], currency) for key in got
            )
        value, unit = _amount(expected)
        if "currency" in got:
            return _equal(value, got["value"]) and (unit or currency) == got["currency"]
        return _equal(value, got.get("value")) and unit == got.get("unit")
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    if isinstance(expected, int | Decimal):
        return _equal(expected, got)
    return bool(expected == got)


def _amount(expected: Any) -> tuple[Any, str | None]:
    """A value and its unit: `40.00 BRL` and `BRL 40.00` alike."""
    if not isinstance(expected, str):
        return expected, None
    first, _, last = expected.strip().partition(" ")
    return (last, first) if _number(first) is None else (first, last.strip() or None)


def _equal(one: Any, other: Any) -> bool:
    number = _number(one)
    return number is not None and number == _number(other)


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _expected_lines(turn: Turn) -> tuple[str, ...]:
    if turn.plan is not None:
        return ("read", *(_call(call.tool, call.arguments) for call in turn.plan))
    if turn.unread is not None:
        return ("unread" if turn.unread == "any" else f"unread: {turn.unread}",)
    if turn.incomplete is not None:
        return (f"incomplete: {turn.incomplete}",)
    return ("ambiguous",)


def _got_lines(plan: "Plan") -> tuple[str, ...]:
    if plan.verdict == "read":
        return ("read", *(_call(call.tool, call.arguments) for call in plan.calls))
    if plan.verdict == "incomplete":
        return (f"incomplete: {', '.join(missing.argument for missing in plan.missing)}",)
    codes = dict.fromkeys(reason.code for reason in plan.reasons)
    return (plan.verdict + (f": {', '.join(codes)}" if codes else ""),)


def _call(tool: str, arguments: Mapping[str, Any]) -> str:
    return f"{tool}({', '.join(f'{name}: {_shown(value)}' for name, value in arguments.items())})"


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(str(part) for part in value.values())
    return str(value)
