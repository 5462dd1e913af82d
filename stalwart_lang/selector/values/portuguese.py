"""Brazilian Portuguese values: what each token may begin, and what may follow a number."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias

from stalwart_lang.selector.values import portuguese_dates as dates
from stalwart_lang.selector.values import portuguese_times as clock_times
from stalwart_lang.selector.values import times
from stalwart_lang.selector.values.money import CODES, named_amount, signed_amount
from stalwart_lang.selector.values.numbers import Number, number_value, other_marks
from stalwart_lang.selector.values.portuguese_money import MONEY, MONEY_AFTER, UNITS
from stalwart_lang.selector.values.portuguese_numbers import (
    DOZEN_WORDS,
    NUMBER_WORDS,
    SCALE_WORDS,
    number,
    spelled_number,
)
from stalwart_lang.selector.values.reading import Clock, Malformed, Value
from stalwart_lang.selector.values.times import duration_value, hours_and_minutes
from stalwart_lang.selector.values.tokens import peek, starts_with_digit

_Starter: TypeAlias = Callable[[Sequence[str], int, Clock], Value | Malformed | None]
_Follower: TypeAlias = Callable[[Sequence[str], int, Number, Clock], Value | Malformed | None]

_GLUED_MINUTES = re.compile(r"([0-9]{1,4})min")
_ONE_ONLY = frozenset({"dia", "semana", "mês", "mes", "ano", "hora", "minuto"})
_ORDINAL_SIGNS = frozenset({"º", "ª", "°"})


def read(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read the longest value that begins at token `at`.

    `Malformed` for what begins as a value and is none, or could be several; None when no value
    begins there, as with an ordinal (`2ª`, `3º`).
    """
    token = tokens[at]
    if starts_with_digit(token):
        return _digits(tokens, at, clock)
    starter = _STARTERS.get(token)
    return None if starter is None else starter(tokens, at, clock)


def _digits(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    if peek(tokens, at + 1) in _ORDINAL_SIGNS or peek(tokens, at + 2) in _ORDINAL_SIGNS:
        ordinal = dates.first_day(tokens, at, clock) or dates.numbered_weekday(tokens, at, clock)
        if ordinal is not None or peek(tokens, at + 1) in _ORDINAL_SIGNS:
            return ordinal
    found = number(tokens, at)
    if isinstance(found, Number):
        return _number_and_more(tokens, at, found, clock)
    token = tokens[at]
    if found is not None:
        # 8.4.2027 has the marks of a number and is a date.
        return dates.date_in_digits(tokens, at, clock) or found
    if glued := _GLUED_MINUTES.fullmatch(token):
        return duration_value(int(glued[1]), times.MINUTES, at + 1)
    return (
        clock_times.digits_time(tokens, at)
        or dates.date_in_digits(tokens, at, clock)
        or dates.first_day(tokens, at, clock)
        or dates.numbered_weekday(tokens, at, clock)
        or (Malformed("ill_formed_number", at + 1, token) if other_marks(token) else None)
    )


def _spelled(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    found = spelled_number(tokens, at)
    return _number_and_more(tokens, at, found, clock) if isinstance(found, Number) else found


def _number_and_more(
    tokens: Sequence[str], at: int, found: Number, clock: Clock
) -> Value | Malformed:
    follower = _FOLLOWERS.get(peek(tokens, found.end))
    longer = None if follower is None else follower(tokens, at, found, clock)
    return number_value(found) if longer is None else longer


def _after_de(
    tokens: Sequence[str], at: int, found: Number, clock: Clock
) -> Value | Malformed | None:
    """Read what "de" joins to a number: `8 de abril`, `um milhão de reais`."""
    return dates.day_first(tokens, at, found, clock) or named_amount(tokens, found, MONEY)


def _amount(
    tokens: Sequence[str], _at: int, found: Number, _clock: Clock
) -> Value | Malformed | None:
    return named_amount(tokens, found, MONEY)


def _percent(tokens: Sequence[str], _at: int, found: Number, _clock: Clock) -> Value | None:
    end = found.end + 1
    if tokens[found.end] == "por":
        if peek(tokens, end) != "cento":
            return None
        end += 1
    return Value("percentage", Decimal(found.value), end)


def _counted(
    tokens: Sequence[str], at: int, found: Number, clock: Clock
) -> Value | Malformed | None:
    """Read a duration, the hours of a clock, or a day that lies so long ago."""
    word, end = tokens[found.end], found.end + 1
    if not isinstance(found.value, int):
        return None
    unit = UNITS[word]
    if unit == times.HOURS:
        clock_time = clock_times.hours(tokens, at, found)
        if clock_time is not None:
            return clock_time
    # `o pedido 5 dia 8` and `o pedido 1 mês passado` count nothing.
    if word in _ONE_ONLY and (found.value != 1 or _has_own_meaning(peek(tokens, end))):
        return None
    day = dates.days_ago(tokens, found.value, unit, end, clock)
    if day is not None:
        return day
    if unit == times.HOURS:
        if clock_times.half_after(tokens, end):
            return hours_and_minutes(found.value, 30, end + 2)
        minutes_at = end + (peek(tokens, end) == "e")
        minutes = number(tokens, minutes_at) if peek(tokens, minutes_at) else None
        if (
            isinstance(minutes, Number)
            and isinstance(minutes.value, int)
            and UNITS.get(peek(tokens, minutes.end)) == times.MINUTES
        ):
            return hours_and_minutes(found.value, minutes.value, minutes.end + 1)
    return duration_value(found.value, unit, end)


def _has_own_meaning(after_unit: str) -> bool:
    """Whether the word after a unit makes it a date of its own: `dia 8`, `mês passado`."""
    return (
        starts_with_digit(after_unit)
        or after_unit in NUMBER_WORDS
        or after_unit in {"passado", "passada", "que", "primeiro", "anterior", "atual", "de"}
    )


def _half(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `meio-dia`, `meia-noite`, `meia hora`, `meia dúzia`; no other half."""
    found = clock_times.named_time(tokens, at, clock)
    if found is not None:
        return found
    if tokens[at] != "meia":
        return None
    if peek(tokens, at + 1) == "hora":
        return duration_value(30, times.MINUTES, at + 2)
    return _spelled(tokens, at, clock)


def _signed(tokens: Sequence[str], at: int, _clock: Clock) -> Value | Malformed | None:
    return signed_amount(tokens, at, MONEY)


_STARTERS_BY_WORDS: tuple[tuple[Iterable[str], _Starter], ...] = (
    (NUMBER_WORDS | DOZEN_WORDS, _spelled),
    ((*MONEY.signs, *CODES), _signed),
    (("meio", "meia", *clock_times.TWELVE_WORDS), _half),
    (dates.RELATIVE_WORDS, dates.relative_day),
    (("depois", "antes"), dates.after_or_before),
    (("daqui", "dentro", "em"), dates.within),
    (dates.AGO, dates.ago),
    (("dia",), dates.day_word),
    (("primeiro",), dates.first_day),
    (dates.MONTH_NAMES, dates.month_name),
    (dates.MONTH_WORDS, dates.month_word),
    (dates.RANGE_WORDS, dates.range_word),
    (dates.THIS_NEXT_LAST, dates.this_next_last),
    (dates.WEEKDAY_WORDS, dates.weekday),
)
_FOLLOWERS_BY_WORDS: tuple[tuple[Iterable[str], _Follower], ...] = (
    (clock_times.AFTER_NUMBER, clock_times.time_from_number),
    (("/",), dates.day_first),
    (("de",), _after_de),
    (UNITS, _counted),
    (("%", "por"), _percent),
    (MONEY_AFTER, _amount),
)
_STARTERS = {word: starter for words, starter in _STARTERS_BY_WORDS for word in words}
_FOLLOWERS = {word: follower for words, follower in _FOLLOWERS_BY_WORDS for word in words}

# Words and signs that may begin a value; a token that begins with a digit always may.
STARTS: frozenset[str] = frozenset(_STARTERS)

# Tokens that may make more of the plain digits before them, or less, as the sign of an ordinal.
CONTINUES: frozenset[str] = frozenset(_FOLLOWERS) | SCALE_WORDS | _ORDINAL_SIGNS | {"."}

FOLLOWERS: Mapping[str, frozenset[str]] = {}
"""What must follow a common word of `STARTS`, where no digit does, for a value to begin with it."""
