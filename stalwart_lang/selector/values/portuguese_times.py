"""Brazilian clock times: `15h30`, `3 da tarde`, `quinze para as quatro da tarde`, `meio-dia`.

An hour with `h` or a colon is of the 24-hour clock. Spoken hours up to twelve need a part of the
day, or are ambiguous.
"""

import re
from collections.abc import Sequence

from stalwart_lang.selector.values import times
from stalwart_lang.selector.values.numbers import Number
from stalwart_lang.selector.values.portuguese_money import HOUR_SIGNS
from stalwart_lang.selector.values.portuguese_numbers import DOZEN_WORDS, number
from stalwart_lang.selector.values.reading import Clock, Malformed, Value
from stalwart_lang.selector.values.times import (
    Period,
    duration_value,
    hours_and_minutes,
    minutes_to,
    time_in_period,
    time_value,
)
from stalwart_lang.selector.values.tokens import every_spelling, is_digits, peek, table

_PARTS: dict[str, Period] = table(
    {
        "manhã": {hour: hour for hour in range(1, 12)},
        "tarde": {12: 12}
        | {hour: hour + 12 for hour in range(1, 8)}
        | {hour: hour for hour in range(13, 20)},
        "noite": {hour: hour + 12 for hour in range(6, 12)}
        | {hour: hour for hour in range(18, 24)},
        "madrugada": {hour: hour for hour in range(7)},
    }
)
_HOUR_TOKEN = re.compile(
    r"([0-9]{1,3})(?::([0-9]{2})(?:h|hs|hrs)?|h(?:s|rs)?|h([0-9]{2})(?:min|m)?)"
)
_TWELVES = table({"meio-dia": (12, 0), "meia-noite": (0, 0)})

# After one of these, hours are counted: `em 2h`, `por 15 horas`. After the others they are read
# from a clock.
_LASTING = every_spelling("por durante de em há")
_AT_HOUR = every_spelling("às à das pelas")

TWELVE_WORDS = frozenset(_TWELVES)
TO_HOUR = frozenset({"para", "pra", "pras"})
AFTER_NUMBER = HOUR_SIGNS | TO_HOUR | {"da", "e"}


def digits_time(tokens: Sequence[str], at: int) -> Value | Malformed | None:
    """Read a time whose hour is glued to its sign in the token at `at`: `15h30`, `15:30`, `15h`."""
    found = _HOUR_TOKEN.fullmatch(tokens[at])
    if found is None:
        return None
    hour, colon_minutes, h_minutes = found.groups()
    minutes = colon_minutes or h_minutes
    end = at + 1
    if colon_minutes and (peek(tokens, end) in HOUR_SIGNS or peek(tokens, end) == "horas"):
        end += 1
    return _hour_with_sign(tokens, at, int(hour), minutes, end, colon=colon_minutes is not None)


def named_time(tokens: Sequence[str], at: int, _: Clock) -> Value | Malformed | None:
    """Read `meio-dia`, `meia noite`, `meio-dia e meia`, `meio-dia e quinze`."""
    found = _twelve(tokens, at)
    if found is None:
        return None
    hour, end = found
    minutes = _joined_minutes(tokens, end)
    if minutes is None:
        return time_value(hour, 0, end)
    return time_value(hour, minutes[0], minutes[1])


def time_from_number(
    tokens: Sequence[str], at: int, found: Number, _: Clock
) -> Value | Malformed | None:
    """Read a time that the number at `at` begins: `15 h 30`, `3 da tarde`, `três e meia`."""
    value = found.value
    typed = is_digits(tokens[at])
    if not isinstance(value, int) or (typed and len(tokens[at]) > 2):
        return None
    follower = peek(tokens, found.end)
    if follower in HOUR_SIGNS:
        return _spaced_hour(tokens, at, value, found.end + 1)
    if follower in TO_HOUR:
        return _minutes_before(tokens, found, typed)
    if value > 24:
        return None
    if follower == "da":
        part = _part_of_day(tokens, found.end)
        return None if part is None else time_in_period(value, 0, part[0], part[1])
    return _hour_and_minutes(tokens, at, found, typed)


def hours(tokens: Sequence[str], at: int, found: Number) -> Value | Malformed | None:
    """Read `15 horas`, `três horas da tarde`, `quinze horas e trinta`; None when hours are counted.

    Up to twelve hours are a duration, unless `às` before them makes them a time of day, which is
    then ambiguous; thirteen to twenty-three are a time, unless what stands before counts them.
    """
    value, end = found.value, found.end + 1
    if not isinstance(value, int) or value > 23:
        return None
    before = peek(tokens, at - 1)
    part = _part_of_day(tokens, end)
    if part is None and (before in _LASTING or (1 <= value <= 12 and before not in _AT_HOUR)):
        return None
    minutes = _joined_minutes(tokens, end) if part is None else None
    minute = 0
    if minutes is not None:
        minute, end = minutes
        if peek(tokens, end) == "minutos":
            end += 1
        part = _part_of_day(tokens, end)
    if part is not None:
        return time_in_period(value, minute, part[0], _on_the_dot(tokens, part[1]))
    leading_zero = tokens[at][:1] == "0"
    if 1 <= value <= 11 and not leading_zero:
        return Malformed("ambiguous_time", end)
    return time_value(value, minute, _on_the_dot(tokens, end))


def half_after(tokens: Sequence[str], end: int) -> bool:
    """Whether `e meia` at `end` adds half an hour (`e meia dúzia` does not)."""
    half = peek(tokens, end) == "e" and peek(tokens, end + 1) == "meia"
    return half and peek(tokens, end + 2) not in DOZEN_WORDS


def _hour_with_sign(
    tokens: Sequence[str], at: int, hour: int, minutes: str | None, end: int, *, colon: bool
) -> Value | Malformed:
    """A time of the 24-hour clock, or so many hours where they are counted (`em 2h`)."""
    minute = int(minutes or 0)
    before = peek(tokens, at - 1)
    lasting = before in _LASTING or (hour > 24 and before not in _AT_HOUR)
    if lasting and not colon and minute <= 59:
        if minutes is None:
            return duration_value(hour, times.HOURS, end)
        return hours_and_minutes(hour, minute, end)
    if hour == 24 and minute == 0 and not colon:
        return Malformed("ambiguous_time", end)  # the end of the day, or a day long?
    following = peek(tokens, end)
    if minutes is None and is_digits(following) and len(following) == 2:
        return Malformed("ambiguous_time", end + 1)  # `15h 30 pedidos`
    part = _part_of_day(tokens, end)
    if part is not None:
        return time_in_period(hour, minute, part[0], _on_the_dot(tokens, part[1]))
    return time_value(hour, minute, _on_the_dot(tokens, end))


def _spaced_hour(tokens: Sequence[str], at: int, hour: int, end: int) -> Value | Malformed:
    """Read `15 h` and `15 h 30 min`, whose sign ends before `end`."""
    minutes = peek(tokens, end)
    if len(minutes) == 2 and is_digits(minutes) and peek(tokens, end + 1) == "min":
        return _hour_with_sign(tokens, at, hour, minutes, end + 2, colon=False)
    if len(minutes) == 5 and minutes.endswith("min") and is_digits(minutes[:2]):
        return _hour_with_sign(tokens, at, hour, minutes[:2], end + 1, colon=False)
    return _hour_with_sign(tokens, at, hour, None, end, colon=False)


def _hour_and_minutes(
    tokens: Sequence[str], at: int, hour: Number, typed: bool
) -> Value | Malformed | None:
    """Read `três e meia` and `três e quinze da tarde`, at the "e".

    `3 e 15` is a list unless `às` stands before it, and `três e quinze` unless a part of the day
    follows.
    """
    if half_after(tokens, hour.end):
        minute, end = 30, hour.end + 2
    else:
        if typed and peek(tokens, at - 1) not in _AT_HOUR:
            return None
        minutes = _joined_minutes(tokens, hour.end)
        if minutes is None:
            return None
        minute, end = minutes
        if _part_of_day(tokens, end) is None:
            return None
    part = _part_of_day(tokens, end)
    if part is None:
        return Malformed("ambiguous_time", end)
    return time_in_period(int(hour.value), minute, part[0], part[1])


def _minutes_before(
    tokens: Sequence[str], minutes: Number, typed: bool
) -> Value | Malformed | None:
    """Read `quinze para as quatro da tarde`, at "para"; `cobre 10 para as 4 lojas` is no time."""
    if not isinstance(minutes.value, int) or not 1 <= minutes.value <= 29:
        return None
    end = minutes.end + 1
    if tokens[minutes.end] != "pras" and peek(tokens, end) in {"as", "a", "o"}:
        end += 1
    twelve = _twelve(tokens, end)
    if twelve is not None:
        return minutes_to(minutes.value, time_value(twelve[0], 0, twelve[1]))
    if tokens[end - 1] not in {"as", "a", "pras", "pra"} or not peek(tokens, end):
        return None
    hour = number(tokens, end)
    if not isinstance(hour, Number) or not isinstance(hour.value, int):
        return None
    if not 1 <= hour.value <= 12:
        return None
    end = hour.end + (peek(tokens, hour.end) in {"hora", "horas"})
    part = _part_of_day(tokens, end)
    if part is not None:
        return minutes_to(minutes.value, time_in_period(hour.value, 0, part[0], part[1]))
    return None if typed else Malformed("ambiguous_time", end)


def _joined_minutes(tokens: Sequence[str], at: int) -> tuple[int, int] | None:
    """Read `e meia`, `e quinze`, `e 05` at `at`: the minutes and where they end."""
    if half_after(tokens, at):
        return 30, at + 2
    if peek(tokens, at) != "e" or not peek(tokens, at + 1):
        return None
    found = number(tokens, at + 1)
    if not isinstance(found, Number) or not isinstance(found.value, int):
        return None
    two_digits = not is_digits(tokens[at + 1]) or len(tokens[at + 1]) == 2
    # One is the article too: `às 15 horas e uma nota`.
    return (found.value, found.end) if 2 <= found.value <= 59 and two_digits else None


def _part_of_day(tokens: Sequence[str], at: int) -> tuple[Period, int] | None:
    hours_of = _PARTS.get(peek(tokens, at + 1)) if peek(tokens, at) == "da" else None
    return None if hours_of is None else (hours_of, at + 2)


def _on_the_dot(tokens: Sequence[str], end: int) -> int:
    exact = peek(tokens, end) == "em" and peek(tokens, end + 1) == "ponto"
    return end + 2 if exact else end


def _twelve(tokens: Sequence[str], at: int) -> tuple[int, int] | None:
    word = peek(tokens, at)
    if word in _TWELVES:
        return _TWELVES[word][0], at + 1
    hour = {("meio", "dia"): 12, ("meia", "noite"): 0}.get((word, peek(tokens, at + 1)))
    return None if hour is None else (hour, at + 2)
