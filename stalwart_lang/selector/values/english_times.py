"""English clock times: `3pm`, `3:30 p.m.`, `half past three in the afternoon`, `noon`.

An hour that no am, pm or part of the day goes with is ambiguous, unless its two digits are of the
24-hour clock (`09:30`, `15:30`).
"""

import re
from collections.abc import Sequence

from stalwart_lang.selector.values.english_numbers import (
    NUMBER_WORDS,
    number,
    spelled_number,
)
from stalwart_lang.selector.values.numbers import Number
from stalwart_lang.selector.values.reading import Clock, Malformed, Value
from stalwart_lang.selector.values.times import (
    Period,
    colon_time,
    minutes_to,
    time_in_period,
    time_value,
)
from stalwart_lang.selector.values.tokens import is_digits, peek

_AM: Period = {12: 0} | {hour: hour for hour in range(1, 12)}
_PM: Period = {12: 12} | {hour: hour + 12 for hour in range(1, 12)}
_PARTS: dict[str, Period] = {
    "morning": {hour: hour for hour in range(1, 12)},
    "afternoon": {12: 12} | {hour: hour + 12 for hour in range(1, 7)},
    "evening": {hour: hour + 12 for hour in range(5, 12)},
}
_NIGHT: Period = {hour: hour + 12 for hour in range(7, 12)}
_GLUED: dict[str, Period] = {"am": _AM, "pm": _PM}
_GLUED_TIME = re.compile(r"([0-9]{1,2})(?::([0-9]{2}))?(am|pm)")

OCLOCK = frozenset({"o'clock", "o’clock", "oclock"})
TWELVES = {"noon": (12, 0), "midday": (12, 0), "midnight": (0, 0)}
AFTER_NUMBER = OCLOCK | {"am", "pm", "a", "p", "in", "at", "past", "to", "noon", "midnight"}


def digits_time(tokens: Sequence[str], at: int) -> Value | Malformed | None:
    """Read a time whose hour and minutes, or am and pm, are in the token at `at`; else None."""
    token = tokens[at]
    if found := _GLUED_TIME.fullmatch(token):
        hour, minute, half = found.groups()
        return time_in_period(int(hour), int(minute or 0), _GLUED[half], at + 1)
    typed = colon_time(token)
    if typed is None:
        return None
    hour_typed, minute_typed = typed
    part = _part_of_day(tokens, at + 1)
    if part is not None:
        return time_in_period(hour_typed, minute_typed, part[0], part[1])
    if len(token) == 4 and hour_typed:
        return Malformed("ambiguous_time", at + 1, token)
    return time_value(hour_typed, minute_typed, at + 1)


def named_time(tokens: Sequence[str], at: int, _: Clock) -> Value | Malformed | None:
    """Read `noon`, `midday` or `midnight`."""
    hour, minute = TWELVES[tokens[at]]
    return time_value(hour, minute, at + 1)


def time_from_number(
    tokens: Sequence[str], at: int, found: Number, _: Clock
) -> Value | Malformed | None:
    """Read a time that the number at `at` begins: `3 pm`, `ten past three pm`, `12 noon`."""
    value = found.value
    if not isinstance(value, int) or (is_digits(tokens[at]) and len(tokens[at]) > 2):
        return None
    follower = peek(tokens, found.end)
    if follower in {"past", "to"}:
        # `charge 10 to 4411`: digits before "to" count something.
        if not found.spelled:
            return None
        around = _around_hour(tokens, found.end, value)
        if follower == "to" and value <= 12 and isinstance(around, Value):
            return Malformed("ambiguous_time", around.end)  # `two to five pm` may be a range
        return around
    if follower in TWELVES:
        return named_time(tokens, found.end, _) if value == 12 else None
    if value > 24:
        return None
    oclock = follower in OCLOCK
    part = _part_of_day(tokens, found.end + oclock)
    if part is not None:
        return time_in_period(value, 0, part[0], part[1])
    return Malformed("ambiguous_time", found.end + 1, tokens[at]) if oclock else None


def spelled_minutes(tokens: Sequence[str], hour: Number) -> Value | Malformed | None:
    """Read `three thirty pm`, whose hour is read already; None when it is no such time."""
    if peek(tokens, hour.end) not in NUMBER_WORDS or not 1 <= hour.value <= 12:
        return None
    minutes = spelled_number(tokens, hour.end)
    if not isinstance(minutes, Number) or not 10 <= minutes.value <= 59:
        return None
    part = _part_of_day(tokens, minutes.end)
    if part is None:
        return None
    return time_in_period(int(hour.value), int(minutes.value), part[0], part[1])


def minutes_around(tokens: Sequence[str], minutes: Number) -> Value | Malformed | None:
    """Read `ten minutes past three pm`; the number ends before "minutes" or "min"."""
    if peek(tokens, minutes.end + 1) not in {"past", "to"} or not isinstance(minutes.value, int):
        return None
    return _around_hour(tokens, minutes.end + 1, minutes.value)


def half_or_quarter(tokens: Sequence[str], at: int) -> Value | Malformed | None:
    """Read `half past three pm`, `quarter to four pm`, `a quarter past noon`."""
    word = at + 1 if tokens[at] == "a" else at
    minutes = {"half": 30, "quarter": 15}.get(peek(tokens, word))
    follower = peek(tokens, word + 1)
    if minutes is None or follower not in {"past", "to"} or (minutes == 30 and follower == "to"):
        return None
    found = _around_hour(tokens, word + 1, minutes)
    if found is None and peek(tokens, word + 2):
        hour = number(tokens, word + 2)
        if isinstance(hour, Number) and 1 <= hour.value <= 24:
            return Malformed("ambiguous_time", hour.end)
    return found


def _around_hour(tokens: Sequence[str], at: int, minutes: int) -> Value | Malformed | None:
    """Read `past three pm` or `to noon` at `at`; without a part of the day it is ambiguous.

    None when no hour follows, or, after "to", when nothing shows that it is an hour: `five to six`
    may be a range.
    """
    if not 1 <= minutes <= 59 or not peek(tokens, at + 1):
        return None
    before = tokens[at] == "to"
    if peek(tokens, at + 1) in TWELVES:
        hour, _ = TWELVES[tokens[at + 1]]
        found = time_value(hour, 0 if before else minutes, at + 2)
        return minutes_to(minutes, found) if before else found
    spoken = number(tokens, at + 1)
    if not isinstance(spoken, Number) or not isinstance(spoken.value, int):
        return None
    if not 1 <= spoken.value <= 12:
        return None
    oclock = peek(tokens, spoken.end) in OCLOCK
    part = _part_of_day(tokens, spoken.end + oclock)
    if part is None:
        return None if before else Malformed("ambiguous_time", spoken.end + oclock)
    found = time_in_period(spoken.value, 0 if before else minutes, part[0], part[1])
    return minutes_to(minutes, found) if before else found


def _part_of_day(tokens: Sequence[str], at: int) -> tuple[Period, int] | None:
    """Read `pm`, `p.m.`, `in the afternoon` or `at night`: its hours, and where it ends."""
    word = peek(tokens, at)
    if word in _GLUED:
        return _GLUED[word], at + 1
    if word in {"a", "p"} and peek(tokens, at + 1) == "." and peek(tokens, at + 2) == "m":
        return _GLUED[f"{word}m"], at + 4 if peek(tokens, at + 3) == "." else at + 3
    if word == "in" and peek(tokens, at + 1) == "the" and peek(tokens, at + 2) in _PARTS:
        return _PARTS[tokens[at + 2]], at + 3
    if word == "at" and peek(tokens, at + 1) == "night":
        return _NIGHT, at + 2
    return None
