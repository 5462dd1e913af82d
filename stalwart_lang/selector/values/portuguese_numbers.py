"""Brazilian Portuguese numbers, in digits, in words, and in both (`3 mil`)."""

from collections.abc import Sequence

from stalwart_lang.selector.values.numbers import Number, marks, scaled, typed_number
from stalwart_lang.selector.values.reading import Malformed
from stalwart_lang.selector.values.tokens import (
    is_digits,
    numbered,
    peek,
    starts_with_digit,
    table,
)

_UNITS = table(numbered("um dois três quatro cinco seis sete oito nove", 1) | {"uma": 1, "duas": 2})
_TEENS = table(
    numbered("dez onze doze treze quatorze quinze dezesseis dezessete dezoito dezenove", 10)
    | {"catorze": 14}
)
_TENS = table(
    {
        word: 10 * tens
        for word, tens in numbered(
            "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa", 2
        ).items()
    }
)
_HUNDREDS = table(
    {
        word[:-2] + ending: 100 * hundreds
        for word, hundreds in numbered(
            "duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos "
            "novecentos",
            2,
        ).items()
        for ending in ("os", "as")
    }
)
_SMALL = table({"zero": 0}) | _UNITS | _TEENS | _TENS
_MILLIONS = table({"milhão": 10**6, "milhões": 10**6, "bilhão": 10**9, "bilhões": 10**9})
_DOZENS = table({"dúzia": 12, "dúzias": 12})
_AFTER_DIGITS = {"mil": 1000} | _MILLIONS | _DOZENS
_MARKS = marks(".", ",")

MILLION_WORDS = frozenset(_MILLIONS)
DOZEN_WORDS = frozenset(_DOZENS)
SCALE_WORDS = frozenset(_AFTER_DIGITS)
NUMBER_WORDS = frozenset(_SMALL) | frozenset(_HUNDREDS) | {"cem", "cento", "mil"}


def number(tokens: Sequence[str], at: int) -> Number | Malformed | None:
    """Read a number of any kind at `at`."""
    typed = typed_number(tokens, at, _MARKS)
    if typed is None:
        return spelled_number(tokens, at)
    if isinstance(typed, Malformed):
        return typed
    scale = _AFTER_DIGITS.get(peek(tokens, typed.end))
    return typed if scale is None else _scaled(tokens, typed, scale)


def spelled_number(tokens: Sequence[str], at: int) -> Number | Malformed | None:
    """Read number words: `vinte e cinco`, `mil trezentos e dez`, `dois milhões`, `meia dúzia`.

    `e` joins hundreds, tens and units; after `mil` and `milhão` it may stand or be left out, except
    before less than a hundred, where without it there may be two numbers: `mil dez` is ill-formed,
    and so are `um mil` and a `cento` that nothing follows. `cem` takes nothing.
    """
    word = peek(tokens, at)
    if word in _DOZENS:
        return Number(12, at + 1, spelled=True)
    if word == "meia":
        dozen = peek(tokens, at + 1) in _DOZENS
        return Number(6, at + 2, spelled=True) if dozen else None
    found = _below_million(tokens, at)
    limit = 10**12
    total, end = 0, at
    while isinstance(found, Number):
        scale = _MILLIONS.get(peek(tokens, found.end))
        if scale is None:
            return _dozens(tokens, Number(total + found.value, found.end, spelled=True))
        if scale >= limit:
            return Number(total, end, spelled=True)
        if found.value == 0:
            return Malformed("ill_formed_number", found.end + 1)
        total += int(found.value) * scale
        end, limit = found.end + 1, scale
        joined = peek(tokens, end) == "e"
        following = _below_million(tokens, end + joined)
        if not isinstance(following, Number) or following.value == 0:
            return Number(total, end, spelled=True)
        if not joined and following.value < 100:
            return Malformed("ill_formed_number", following.end)
        found = following
    return found


def _dozens(tokens: Sequence[str], found: Number) -> Number:
    if peek(tokens, found.end) not in _DOZENS:
        return found
    return Number(found.value * 12, found.end + 1, spelled=True)


def _scaled(tokens: Sequence[str], typed: Number, scale: int) -> Number | Malformed:
    """Read `3 mil`, `2,5 milhões`, `3 mil e quinhentos`, whose scale word stands after `typed`."""
    whole = scaled(typed, scale)
    if isinstance(whole, Malformed) or scale == 12:
        return whole
    if peek(tokens, whole.end) != "e":
        following = peek(tokens, whole.end)
        if following in NUMBER_WORDS or starts_with_digit(following):
            return Malformed("ill_formed_number", whole.end + 1)
        return whole
    rest_at = whole.end + 1
    token = peek(tokens, rest_at)
    if is_digits(token) and len(token) <= 3:
        rest: Number | Malformed | None = Number(int(token), rest_at + 1)
    else:
        rest = _below_thousand(tokens, rest_at)
    if not isinstance(rest, Number) or peek(tokens, rest.end) in _AFTER_DIGITS:
        return whole
    # `3 mil e quinhentos` is one number; `3 mil e 5` may be two.
    if scale != 1000 or isinstance(typed.value, int) is False or rest.value < 100:
        return Malformed("ill_formed_number", rest.end)
    return Number(whole.value + rest.value, rest.end, spelled=True)


def _below_million(tokens: Sequence[str], at: int) -> Number | Malformed | None:
    if peek(tokens, at) == "mil":
        thousands, end = 1000, at + 1
    else:
        found = _below_thousand(tokens, at)
        if not isinstance(found, Number) or peek(tokens, found.end) != "mil":
            return found
        if found.value <= 1:
            return Malformed("ill_formed_number", found.end + 1)
        thousands, end = int(found.value) * 1000, found.end + 1
    joined = peek(tokens, end) == "e"
    rest = _below_thousand(tokens, end + joined)
    if not isinstance(rest, Number) or rest.value == 0 or peek(tokens, rest.end) in _AFTER_DIGITS:
        return Number(thousands, end, spelled=True)
    if not joined and rest.value < 100:
        return Malformed("ill_formed_number", rest.end)
    return Number(thousands + rest.value, rest.end, spelled=True)


def _below_thousand(tokens: Sequence[str], at: int) -> Number | Malformed | None:
    word = peek(tokens, at)
    if word == "cem":
        return Number(100, at + 1, spelled=True)
    hundreds = 100 if word == "cento" else _HUNDREDS.get(word)
    if hundreds is None:
        return _below_hundred(tokens, at)
    if peek(tokens, at + 1) == "e":
        rest = _below_hundred(tokens, at + 2)
        if rest is not None and rest.value:
            return Number(hundreds + rest.value, rest.end, spelled=True)
    if word == "cento":
        return Malformed("ill_formed_number", at + 1)
    return Number(hundreds, at + 1, spelled=True)


def _below_hundred(tokens: Sequence[str], at: int) -> Number | None:
    word = peek(tokens, at)
    value = _SMALL.get(word)
    if value is None:
        return None
    if word in _TENS and peek(tokens, at + 1) == "e":
        unit = _UNITS.get(peek(tokens, at + 2))
        if unit is not None:
            return Number(value + unit, at + 3, spelled=True)
    return Number(value, at + 1, spelled=True)
