"""English numbers, in digits, in words, and in both (`3 thousand`)."""

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

_UNITS = numbered("one two three four five six seven eight nine", 1)
_TEENS = numbered(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 10
)
TENS = {
    word: 10 * tens
    for word, tens in numbered("twenty thirty forty fifty sixty seventy eighty ninety", 2).items()
}
UNITS = table(_UNITS)
SMALL = table(
    {"zero": 0}
    | _UNITS
    | _TEENS
    | TENS
    | {f"{ten}-{unit}": TENS[ten] + _UNITS[unit] for ten in TENS for unit in _UNITS}
)
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_AFTER_DIGITS = _SCALES | {"hundred": 100, "dozen": 12}
_MARKS = marks(",", ".")

# "a" begins a number only before one of these.
AFTER_A = frozenset(_AFTER_DIGITS)
NUMBER_WORDS = frozenset(SMALL) | {"dozen"}
SCALE_WORDS = frozenset(_AFTER_DIGITS)


def number(tokens: Sequence[str], at: int) -> Number | Malformed | None:
    """Read a number of any kind at `at`."""
    typed = typed_number(tokens, at, _MARKS)
    if typed is None:
        return spelled_number(tokens, at)
    if isinstance(typed, Malformed):
        return typed
    scale = _AFTER_DIGITS.get(peek(tokens, typed.end))
    if scale is None:
        return typed
    whole = scaled(typed, scale)
    # Is `3 thousand and 5` one number, or two? And `3 thousand 500`?
    joined = peek(tokens, whole.end) == "and"
    following = peek(tokens, whole.end + joined)
    short = not joined or not is_digits(following) or len(following) <= 3
    if following in SMALL or (starts_with_digit(following) and short):
        return Malformed("ill_formed_number", whole.end + joined + 1)
    return whole


def spelled_number(tokens: Sequence[str], at: int) -> Number | Malformed | None:
    """Read number words: `forty-two`, `two hundred and six`, `a thousand`, `two dozen`.

    `and` belongs to the number only after a hundred or a scale and before less than a hundred, so
    `twenty and five` is 20. `forty two hundred` (4200, or 40 and 200) is ill-formed.
    """
    word = peek(tokens, at)
    if word == "dozen":
        return Number(12, at + 1, spelled=True)
    if word == "half":
        dozen_at = at + 2 if peek(tokens, at + 1) == "a" else at + 1
        dozen = peek(tokens, dozen_at) == "dozen"
        return Number(6, dozen_at + 1, spelled=True) if dozen else None
    if word == "a" and peek(tokens, at + 1) in AFTER_A:
        if tokens[at + 1] == "dozen":
            return Number(12, at + 2, spelled=True)
        first: Number | Malformed | None = _hundreds(tokens, at, (1, at + 1))
    else:
        first = _below_thousand(tokens, at)
    if not isinstance(first, Number):
        return first
    found = _with_scales(tokens, first)
    if peek(tokens, found.end) == "dozen":
        return Number(found.value * 12, found.end + 1, spelled=True)
    return found


def _with_scales(tokens: Sequence[str], first: Number) -> Number:
    """Add up groups below a thousand, each with a smaller scale than the one before it."""
    total: int = 0
    end, limit, group = first.end, 10**12, first
    while True:
        scale = _SCALES.get(peek(tokens, group.end))
        if scale is None:
            return Number(total + group.value, group.end, spelled=True)
        if scale >= limit:
            return Number(total, end, spelled=True)
        total += int(group.value) * scale
        end, limit = group.end + 1, scale
        joined = peek(tokens, end) == "and"
        following = _below_thousand(tokens, end + joined)
        if not isinstance(following, Number) or following.value == 0:
            return Number(total, end, spelled=True)
        if joined and (following.value >= 100 or peek(tokens, following.end) in _SCALES):
            return Number(total, end, spelled=True)
        group = following


def _below_thousand(tokens: Sequence[str], at: int) -> Number | Malformed | None:
    first = _below_hundred(tokens, at)
    return None if first is None else _hundreds(tokens, at, first)


def _hundreds(tokens: Sequence[str], at: int, first: tuple[int, int]) -> Number | Malformed:
    value, end = first
    if peek(tokens, end) != "hundred":
        return Number(value, end, spelled=True)
    if end - at == 2:
        return Malformed("ill_formed_number", end + 1)
    if value % 10 == 0:
        return Number(value, end, spelled=True)
    value, end = value * 100, end + 1
    rest = _below_hundred(tokens, end + (peek(tokens, end) == "and"))
    if rest is not None and rest[0] and peek(tokens, rest[1]) != "hundred":
        value, end = value + rest[0], rest[1]
    return Number(value, end, spelled=True)


def _below_hundred(tokens: Sequence[str], at: int) -> tuple[int, int] | None:
    word = peek(tokens, at)
    value = SMALL.get(word)
    if value is None:
        return None
    unit = UNITS.get(peek(tokens, at + 1)) if word in TENS else None
    return (value, at + 1) if unit is None else (value + unit, at + 2)
