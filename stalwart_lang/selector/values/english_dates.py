"""English dates and months: `March 3, 2027`, `the 3rd of March`, `friday`, `in 3 days`.

Dates in digits are read in the ISO 8601 order only: `03/04/2027` is ambiguous. So is what people
dispute: `next friday`, today's own weekday, a week.
"""

from collections.abc import Sequence
from datetime import date

from stalwart_lang.selector.values import times
from stalwart_lang.selector.values.dates import (
    YEARS,
    Unit,
    coming_weekday,
    date_value,
    day_of,
    digits_date,
    latest_month,
    month_value,
    moved,
    next_day,
    next_day_and_month,
    shifted_month,
)
from stalwart_lang.selector.values.english_money import COUNTED, MONEY, UNITS
from stalwart_lang.selector.values.english_numbers import TENS, number
from stalwart_lang.selector.values.money import makes_amount
from stalwart_lang.selector.values.numbers import Number
from stalwart_lang.selector.values.reading import Clock, Malformed, Value
from stalwart_lang.selector.values.tokens import (
    is_digits,
    numbered,
    peek,
    starts_with_digit,
    table,
)

MONTHS = numbered(
    "january february march april may june july august september october november december", 1
)
# Read next to a day or a year only: most are names or other words.
MONTHS_SHORT = {word[:3]: month for word, month in MONTHS.items() if word != "may"} | {"sept": 9}
WEEKDAYS = numbered("monday tuesday wednesday thursday friday saturday sunday")
# Read before a date only: sun, sat and wed are words.
WEEKDAYS_SHORT = {word[:3]: day for word, day in WEEKDAYS.items()} | {"tues": 1, "thurs": 3}
RELATIVE = {"today": 0, "tomorrow": 1, "yesterday": -1}

_UNIT_ORDINALS = numbered("first second third fourth fifth sixth seventh eighth ninth", 1)
ORDINALS = table(
    _UNIT_ORDINALS
    | numbered(
        "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth "
        "nineteenth twentieth",
        10,
    )
    | {f"twenty-{word}": 20 + day for word, day in _UNIT_ORDINALS.items()}
    | {"thirtieth": 30, "thirty-first": 31}
)
_TYPED_ORDINALS = {
    f"{day}{'th' if day in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}": day
    for day in range(1, 32)
}
_DATE_UNITS: dict[str, Unit] = {times.DAYS: "D", times.WEEKS: "W", times.MONTHS: "M"}
_RANGES = frozenset({"week", "year", "weekend"}) | {"week's", "week’s", "year's", "year’s"}


def relative_day(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `today`, `tomorrow` or `yesterday`."""
    return moved(clock.now.date(), RELATIVE[tokens[at]], "D", at + 1)


def day_after(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `day after tomorrow` or `day before yesterday`."""
    two = (peek(tokens, at + 1), peek(tokens, at + 2))
    days = {("after", "tomorrow"): 2, ("before", "yesterday"): -2}.get(two)
    return None if days is None else moved(clock.now.date(), days, "D", at + 3)


def the(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read what "the" begins: `the day after tomorrow`, `the 3rd of March`."""
    if peek(tokens, at + 1) == "day":
        return day_after(tokens, at + 1, clock)
    return ordinal_day(tokens, at + 1, clock)


def ordinal_day(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `3rd of March`, `first of april 2027` or `3rd March`; None for a bare ordinal."""
    found = _ordinal(tokens, at)
    if found is None:
        return None
    day, end = found
    spelled = tokens[at] not in _TYPED_ORDINALS
    joined = peek(tokens, end) == "of"
    today = clock.now.date()
    months = _this_or_next_month(tokens, end + 1) if joined else None
    if months is not None:
        year, month_number = shifted_month(today, months)
        return date_value(day_of(year, month_number, day), end + 3)
    month = _month(tokens, end + joined)
    if month is None or (spelled and not joined):
        return None
    return _dated(tokens, today, month[0], day, month[1])


def month_first(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read what a month's name begins: `March`, `March 2027`, `March 3rd`, `Dec. 3, 2027`.

    A month without a year is the last one that is not after this month; a day without a year is
    the next one. A short name is read next to a day or a year only.
    """
    today = clock.now.date()
    word = tokens[at]
    end = at + 1
    short = word in MONTHS_SHORT
    if short and peek(tokens, end) == ".":
        end += 1
    month = MONTHS_SHORT[word] if short else MONTHS[word]
    day = _day(tokens, end)
    if day is not None:
        return _dated(tokens, today, month, day[0], day[1])
    year = _year(tokens, end)
    if year is not None:
        return month_value((year, month), end + 1)
    return None if short else month_value(latest_month(today, month), at + 1)


def day_first(
    tokens: Sequence[str], at: int, found: Number, clock: Clock
) -> Value | Malformed | None:
    """Read `3 March` or `3 March 2027`; None when the month goes with a day after it."""
    month = _month(tokens, found.end)
    if month is None or not _is_day(tokens[at]) or not isinstance(found.value, int):
        return None
    if _day(tokens, month[1]) is not None:
        return None
    return _dated(tokens, clock.now.date(), month[0], found.value, month[1])


def weekday(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `friday`, or `friday, March 5`, in which both must agree; today's own is ambiguous."""
    day = _weekday_of(tokens[at])
    joined = _date_of_weekday(tokens, at + 1, day, clock)
    if joined is not None or tokens[at] in WEEKDAYS_SHORT:
        return joined
    found = coming_weekday(clock.now.date(), day)
    return (
        Malformed("ambiguous_date", at + 1, tokens[at])
        if found is None
        else date_value(found, at + 1)
    )


def this_next_last(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `this friday`, `last month` and the like; what people dispute is ambiguous."""
    word = peek(tokens, at + 1)
    months = _this_or_next_month(tokens, at)
    if months is not None:
        return month_value(shifted_month(clock.now.date(), months), at + 2)
    if word in WEEKDAYS:
        if tokens[at] == "this":
            return weekday(tokens, at + 1, clock)
        joined = _date_of_weekday(tokens, at + 2, WEEKDAYS[word], clock)
        return joined or Malformed("ambiguous_date", at + 2, word)
    if word in _RANGES or word in MONTHS:
        return Malformed("ambiguous_date", at + 2, word)
    return None


def within(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `in 3 days`, `within two weeks`, `in a month`: the day so much later."""
    amount, end = 1, at + 2
    if peek(tokens, at + 1) not in {"a", "an"}:
        found = number(tokens, at + 1) if peek(tokens, at + 1) else None
        if not isinstance(found, Number) or not isinstance(found.value, int):
            return None
        amount, end = found.value, found.end
    unit = _DATE_UNITS.get(UNITS.get(peek(tokens, end), ""))
    return None if unit is None else moved(clock.now.date(), amount, unit, end + 1)


def ago_or_from_now(
    tokens: Sequence[str], amount: int, unit: str, end: int, clock: Clock
) -> Value | Malformed | None:
    """Read `ago`, `from now` or `from today` at `end`, after so many days, weeks or months."""
    date_unit = _DATE_UNITS.get(unit)
    if date_unit is None:
        return None
    if peek(tokens, end) == "ago":
        return moved(clock.now.date(), -amount, date_unit, end + 1)
    if peek(tokens, end) == "from" and peek(tokens, end + 1) in {"now", "today"}:
        return moved(clock.now.date(), amount, date_unit, end + 2)
    return None


def date_in_digits(token: str, end: int, clock: Clock) -> Value | Malformed | None:
    """Read a date or a month in one token of digits."""
    return digits_date(token, end, clock.now.date(), day_first=False, clear=False)


def _explicit(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read a date that says its day and month."""
    token = peek(tokens, at)
    if token in MONTHS or token in MONTHS_SHORT:
        return month_first(tokens, at, clock)
    if token == "the":
        return ordinal_day(tokens, at + 1, clock)
    if not starts_with_digit(token):
        return None
    if _is_day(token):
        return day_first(tokens, at, Number(int(token), at + 1), clock)
    return ordinal_day(tokens, at, clock) or date_in_digits(token, at + 1, clock)


def _date_of_weekday(
    tokens: Sequence[str], at: int, day: int, clock: Clock
) -> Value | Malformed | None:
    """Read the date that follows a weekday, with a comma or without, and hold it to that day."""
    start = at + (peek(tokens, at) == ",")
    found = _explicit(tokens, start, clock)
    if found is None and peek(tokens, start) == "the":
        ordinal = _ordinal(tokens, start + 1)
        if ordinal is not None:
            found = date_value(next_day(clock.now.date(), ordinal[0]), ordinal[1])
    if not isinstance(found, Value):
        return found
    if found.kind != "date":
        return None
    if date.fromisoformat(found.value).weekday() != day:
        return Malformed("impossible_date", found.end, found.value)
    return found


def _dated(tokens: Sequence[str], today: date, month: int, day: int, end: int) -> Value | Malformed:
    """The date of a day and a month, and the year that follows at `end` if one does."""
    comma = peek(tokens, end) == ","
    year = _year(tokens, end + comma)
    if year is None:
        return date_value(next_day_and_month(today, month, day), end)
    return date_value(day_of(year, month, day), end + comma + 1)


def _weekday_of(word: str) -> int:
    return WEEKDAYS_SHORT[word] if word in WEEKDAYS_SHORT else WEEKDAYS[word]


def _this_or_next_month(tokens: Sequence[str], at: int) -> int | None:
    if peek(tokens, at + 1) not in {"month", "month's", "month’s"}:
        return None
    return {"this": 0, "next": 1, "last": -1}.get(peek(tokens, at))


def _month(tokens: Sequence[str], at: int) -> tuple[int, int] | None:
    word = peek(tokens, at)
    month = MONTHS.get(word) or MONTHS_SHORT.get(word)
    return None if month is None else (month, at + 1)


def _is_day(token: str) -> bool:
    return len(token) <= 2 and is_digits(token)


def _counted(tokens: Sequence[str], at: int) -> bool:
    return peek(tokens, at) in COUNTED or makes_amount(tokens, at, MONEY)


def _day(tokens: Sequence[str], at: int) -> tuple[int, int] | None:
    """A day after a month's name, `3` or `3rd` or `third`, and where it ends."""
    if _is_day(peek(tokens, at)):
        return None if _counted(tokens, at + 1) else (int(tokens[at]), at + 1)
    return _ordinal(tokens, at)


def _ordinal(tokens: Sequence[str], at: int) -> tuple[int, int] | None:
    word = peek(tokens, at)
    if word in TENS and peek(tokens, at + 1) in _UNIT_ORDINALS:
        day = ORDINALS.get(f"{word}-{tokens[at + 1]}")
        return None if day is None else (day, at + 2)
    day = ORDINALS.get(word) or _TYPED_ORDINALS.get(word)
    return None if day is None else (day, at + 1)


def _year(tokens: Sequence[str], at: int) -> int | None:
    token = peek(tokens, at)
    if len(token) != 4 or not is_digits(token) or int(token) not in YEARS:
        return None
    return None if _counted(tokens, at + 1) else int(token)
