"""The calendar: days without a year, weekdays, relative days, and dates written in digits."""

import re
from datetime import MAXYEAR, date, timedelta
from typing import Literal, TypeAlias

from stalwart_lang.selector.values.reading import Malformed, Value

YEARS = range(1900, 2200)

Unit: TypeAlias = Literal["D", "W", "M"]

_YEAR_FIRST = re.compile(r"([0-9]{4})([/-])([0-9]{1,2})\2([0-9]{1,2})")
_YEAR_MONTH = re.compile(r"([0-9]{4})[/-]([0-9]{2})")
_MONTH_YEAR = re.compile(r"([0-9]{1,2})/([0-9]{4})")
_DAY_MONTH_YEAR = re.compile(r"([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})")
_DAY_MONTH = re.compile(r"([0-9]{1,2})/([0-9]{1,2})")

# People write these for parts of a thing.
_FAR = 20
"""Years from now, beyond which a year of two digits may be of the century before."""

_FRACTIONS = frozenset({"1/2", "1/3", "2/3", "1/4", "3/4"})


def day_of(year: int, month: int, day: int) -> date | None:
    """The date, or None when there is no such day, or its year is not between 1900 and 2199."""
    if year not in YEARS:
        return None
    return _exact(year, month, day)


def next_day_and_month(today: date, month: int, day: int) -> date | None:
    """The first such date from `today` on; for 29 February, in the next year that has one."""
    for year in range(today.year, today.year + 9):
        found = _exact(year, month, day)
        if found is not None and found >= today:
            return found
    return None


def next_day(today: date, day: int) -> date | None:
    """The first day numbered `day` from `today` on, in a month that has it."""
    for ahead in range(3):
        year, month = shifted_month(today, ahead)
        found = _exact(year, month, day)
        if found is not None and found >= today:
            return found
    return None


def coming_weekday(today: date, weekday: int) -> date | None:
    """The weekday (Monday is 0) within the next six days; None when it is today's."""
    ahead = (weekday - today.weekday()) % 7
    return _days_after(today, ahead) if ahead else None


def shifted_month(today: date, months: int) -> tuple[int, int]:
    """Year and month, `months` after that of `today` (before, when negative)."""
    year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
    return year, month + 1


def latest_month(today: date, month: int) -> tuple[int, int]:
    """Year and month of the last such month that is not after that of `today`."""
    return (today.year if month <= today.month else today.year - 1), month


def date_value(found: date | None, end: int) -> Value | Malformed:
    """The date as a value; without one, `impossible_date`."""
    if found is None:
        return Malformed("impossible_date", end)
    return Value("date", found.isoformat(), end)


def month_value(year_and_month: tuple[int, int], end: int) -> Value:
    """The month as a value."""
    year, month = year_and_month
    return Value("month", f"{year:04}-{month:02}", end)


def moved(today: date, amount: int, unit: Unit, end: int) -> Value | Malformed:
    """The date `amount` days, weeks or months after `today`.

    A month later there may be no such day (31 January): which one is meant is then disputed.
    """
    if abs(amount) > 4_000_000:
        return Malformed("impossible_date", end)
    if unit != "M":
        return date_value(_days_after(today, amount * (7 if unit == "W" else 1)), end)
    year, month = shifted_month(today, amount)
    if year not in YEARS:
        return Malformed("impossible_date", end)
    found = _exact(year, month, today.day)
    return Malformed("ambiguous_date", end) if found is None else date_value(found, end)


def digits_date(
    token: str, end: int, today: date, *, day_first: bool, clear: bool
) -> Value | Malformed | None:
    """Read a date or a month in one token: `2027-04-08`, `2027-04`, `04/2027`, `08/04/2027`.

    Where the day does not always come first, `08/04/2027` and `08/04` are ambiguous. `3/4` and the
    like are also fractions, unless the place makes it `clear` that a date is meant. None when the
    token has another shape.
    """
    if found := _YEAR_FIRST.fullmatch(token):
        year, _, month, day = found.groups()
        return date_value(day_of(int(year), int(month), int(day)), end)
    if found := _YEAR_MONTH.fullmatch(token) or _MONTH_YEAR.fullmatch(token):
        parts = [int(part) for part in found.groups()]
        year_number, month_number = max(parts), min(parts)
        if year_number not in YEARS:
            return Malformed("ill_formed_number", end, token)
        if not 1 <= month_number <= 12:
            return Malformed("impossible_date", end, token)
        return month_value((year_number, month_number), end)
    if found := _DAY_MONTH_YEAR.fullmatch(token):
        day, mark, month, year = found.groups()
        if not day_first or (len(year) == 2 and mark != "/"):
            return Malformed("ambiguous_date", end, token)
        century = 2000 if len(year) == 2 else 0
        if century and century + int(year) > today.year + _FAR:
            return Malformed("ambiguous_date", end, token)  # 97 is rather 1997
        return date_value(day_of(century + int(year), int(month), int(day)), end)
    if found := _DAY_MONTH.fullmatch(token):
        if not day_first or (token in _FRACTIONS and not clear):
            return Malformed("ambiguous_date", end, token)
        return date_value(next_day_and_month(today, int(found[2]), int(found[1])), end)
    return None


def _exact(year: int, month: int, day: int) -> date | None:
    if year > MAXYEAR:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _days_after(today: date, days: int) -> date | None:
    try:
        return today + timedelta(days=days)
    except OverflowError:
        return None
