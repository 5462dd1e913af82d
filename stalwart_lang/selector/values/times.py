"""Clock times: 24 hours in digits, 12 hours with a part of the day, and durations."""

import re
from collections.abc import Mapping
from typing import TypeAlias

from stalwart_lang.selector.values.reading import Malformed, Value

# The hours that people say with a part of the day, and each one's hour of 24.
Period: TypeAlias = Mapping[int, int]

# ISO 8601 durations, by unit.
DAYS, WEEKS, MONTHS, YEARS = "P{}D", "P{}W", "P{}M", "P{}Y"
HOURS, MINUTES, SECONDS = "PT{}H", "PT{}M", "PT{}S"

_COLON = re.compile(r"([0-9]{1,2}):([0-9]{2})")


def time_value(hour: int, minute: int, end: int) -> Value | Malformed:
    """A time of the 24-hour clock."""
    if not (0 <= hour <= 23 and 0 <= minute <= 59):
        return Malformed("ill_formed_number", end)
    return Value("time", f"{hour:02}:{minute:02}", end)


def time_in_period(hour: int, minute: int, period: Period, end: int) -> Value | Malformed:
    """A time with its part of the day; ambiguous when nobody says that hour with that part."""
    if hour not in period or not 0 <= minute <= 59:
        return Malformed("ambiguous_time", end)
    return time_value(period[hour], minute, end)


def minutes_to(minutes: int, reading: Value | Malformed) -> Value | Malformed:
    """The time so many minutes before `reading`: `quarter to four pm`."""
    if isinstance(reading, Malformed):
        return reading
    hour, minute = map(int, reading.value.split(":"))
    total = (hour * 60 + minute - minutes) % (24 * 60)
    return time_value(total // 60, total % 60, reading.end)


def colon_time(token: str) -> tuple[int, int] | None:
    """Hour and minute of `15:30`, unchecked, or None."""
    found = _COLON.fullmatch(token)
    return (int(found[1]), int(found[2])) if found else None


def duration_value(amount: int, unit: str, end: int) -> Value:
    """A duration: `P3D`, `PT2H`."""
    return Value("duration", unit.format(amount), end)


def hours_and_minutes(hours: int, minutes: int, end: int) -> Value:
    """A duration of both: `PT1H30M`."""
    return Value("duration", f"PT{hours}H{minutes}M", end)
