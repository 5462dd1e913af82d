"""English values: what each token may begin, and what may follow a number."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias

from stalwart_lang.selector.values import english_dates as dates
from stalwart_lang.selector.values import english_times as clock_times
from stalwart_lang.selector.values import times
from stalwart_lang.selector.values.english_money import MONEY, MONEY_AFTER, PERCENT, UNITS
from stalwart_lang.selector.values.english_numbers import (
    AFTER_A,
    NUMBER_WORDS,
    SCALE_WORDS,
    number,
    spelled_number,
)
from stalwart_lang.selector.values.money import CODES, named_amount, signed_amount
from stalwart_lang.selector.values.numbers import Number, number_value, other_marks
from stalwart_lang.selector.values.reading import Clock, Malformed, Value
from stalwart_lang.selector.values.times import duration_value, hours_and_minutes
from stalwart_lang.selector.values.tokens import peek, starts_with_digit

_Starter: TypeAlias = Callable[[Sequence[str], int, Clock], Value | Malformed | None]
_Follower: TypeAlias = Callable[[Sequence[str], int, Number, Clock], Value | Malformed | None]

_GLUED_MINUTES = re.compile(r"([0-9]{1,4})mins?")
_ONE_ONLY = frozenset({"day", "week", "month", "year", "hour", "minute"})


def read(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read the longest value that begins at token `at`.

    `Malformed` for what begins as a value and is none, or could be several; None when no value
    begins there.
    """
    token = tokens[at]
    if starts_with_digit(token):
        return _digits(tokens, at, clock)
    starter = _STARTERS.get(token)
    return None if starter is None else starter(tokens, at, clock)


def _digits(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    found = number(tokens, at)
    if isinstance(found, Number):
        return _number_and_more(tokens, at, found, clock)
    if found is not None:
        # 8.4.2027 has the marks of a number and is a date.
        return dates.date_in_digits(tokens[at], at + 1, clock) or found
    token = tokens[at]
    if glued := _GLUED_MINUTES.fullmatch(token):
        return duration_value(int(glued[1]), times.MINUTES, at + 1)
    return (
        clock_times.digits_time(tokens, at)
        or dates.date_in_digits(token, at + 1, clock)
        or dates.ordinal_day(tokens, at, clock)
        or (Malformed("ill_formed_number", at + 1, token) if other_marks(token) else None)
    )


def _spelled(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    found = spelled_number(tokens, at)
    if isinstance(found, Number):
        return (
            dates.ordinal_day(tokens, at, clock)
            or clock_times.spelled_minutes(tokens, found)
            or _number_and_more(tokens, at, found, clock)
        )
    return found


def _number_and_more(
    tokens: Sequence[str], at: int, found: Number, clock: Clock
) -> Value | Malformed:
    follower = _FOLLOWERS.get(peek(tokens, found.end))
    longer = None if follower is None else follower(tokens, at, found, clock)
    return number_value(found) if longer is None else longer


def _amount(
    tokens: Sequence[str], _at: int, found: Number, _clock: Clock
) -> Value | Malformed | None:
    return named_amount(tokens, found, MONEY)


def _percent(tokens: Sequence[str], _at: int, found: Number, _clock: Clock) -> Value | None:
    end = found.end + 1
    if tokens[found.end] == "per":
        if peek(tokens, end) != "cent":
            return None
        end += 1
    return Value("percentage", Decimal(found.value), end)


def _counted(
    tokens: Sequence[str], _at: int, found: Number, clock: Clock
) -> Value | Malformed | None:
    """Read a duration, or a day that lies so long ago or ahead."""
    word, end = tokens[found.end], found.end + 1
    if not isinstance(found.value, int):
        return None
    # `order 5 day after tomorrow` counts no days.
    if word in _ONE_ONLY and (found.value != 1 or peek(tokens, end) in {"after", "before"}):
        return None
    around = clock_times.minutes_around(tokens, found) if UNITS[word] == times.MINUTES else None
    return around or _duration(tokens, found.value, word, end, clock)


def _duration(
    tokens: Sequence[str], amount: int, word: str, end: int, clock: Clock
) -> Value | Malformed:
    unit = UNITS[word]
    day = dates.ago_or_from_now(tokens, amount, unit, end, clock)
    if day is not None:
        return day
    if unit == times.HOURS:
        minutes_at = end + (peek(tokens, end) == "and")
        minutes = number(tokens, minutes_at) if peek(tokens, minutes_at) else None
        if (
            isinstance(minutes, Number)
            and isinstance(minutes.value, int)
            and UNITS.get(peek(tokens, minutes.end)) == times.MINUTES
        ):
            return hours_and_minutes(amount, minutes.value, minutes.end + 1)
    return duration_value(amount, unit, end)


def _article(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    word = peek(tokens, at + 1)
    if word in AFTER_A:
        return _spelled(tokens, at, clock)
    if word in _ONE_ONLY:
        return _counted(tokens, at, Number(1, at + 1, spelled=True), clock)
    if word == "quarter":
        return clock_times.half_or_quarter(tokens, at)
    return None


def _half(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `half past three pm`, `half an hour`, `half a dozen`; no other half."""
    found = clock_times.half_or_quarter(tokens, at)
    if found is not None:
        return found
    if peek(tokens, at + 1) == "an" and peek(tokens, at + 2) == "hour":
        return duration_value(30, times.MINUTES, at + 3)
    return _spelled(tokens, at, clock)


def _signed(tokens: Sequence[str], at: int, _clock: Clock) -> Value | Malformed | None:
    return signed_amount(tokens, at, MONEY)


_STARTERS_BY_WORDS: tuple[tuple[Iterable[str], _Starter], ...] = (
    (NUMBER_WORDS, _spelled),
    ((*MONEY.signs, *CODES), _signed),
    (("a", "an"), _article),
    (("half", "quarter"), _half),
    ((*dates.MONTHS, *dates.MONTHS_SHORT), dates.month_first),
    ((*dates.WEEKDAYS, *dates.WEEKDAYS_SHORT), dates.weekday),
    (dates.ORDINALS, dates.ordinal_day),
    (dates.RELATIVE, dates.relative_day),
    (("this", "next", "last"), dates.this_next_last),
    (("in", "within"), dates.within),
    (clock_times.TWELVES, clock_times.named_time),
    (("the",), dates.the),
    (("day",), dates.day_after),
)
_FOLLOWERS_BY_WORDS: tuple[tuple[Iterable[str], _Follower], ...] = (
    (clock_times.AFTER_NUMBER, clock_times.time_from_number),
    ((*dates.MONTHS, *dates.MONTHS_SHORT), dates.day_first),
    (UNITS, _counted),
    (PERCENT, _percent),
    (MONEY_AFTER, _amount),
)
_STARTERS = {word: starter for words, starter in _STARTERS_BY_WORDS for word in words}
_FOLLOWERS = {word: follower for words, follower in _FOLLOWERS_BY_WORDS for word in words}

# Words and signs that may begin a value; a token that begins with a digit always may.
STARTS: frozenset[str] = frozenset(_STARTERS)

# Tokens that may make more of the plain digits before them.
CONTINUES: frozenset[str] = frozenset(_FOLLOWERS) | SCALE_WORDS

FOLLOWERS: Mapping[str, frozenset[str]] = {
    "the": frozenset({"day", "twenty", "thirty"}) | frozenset(dates.ORDINALS)
}
"""What must follow a common word of `STARTS`, where no digit does, for a value to begin with it."""
