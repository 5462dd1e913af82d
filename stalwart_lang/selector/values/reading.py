"""What a reader of values returns."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeAlias

ValueKind: TypeAlias = Literal[
    "integer",
    "decimal",
    "money",
    "date",
    "time",
    "month",
    "duration",
    "percentage",
    "quantity",
    "e-mail",
    "quoted text",
    "code",
]


class Value(NamedTuple):
    """A value that starts at a token and ends before token `end`.

    `value` is an int for an integer, a `decimal.Decimal` for a decimal or a percentage,
    `(Decimal, ISO 4217 code)` for money, the bare token for an e-mail, a quoted text or a code, and
    the ISO 8601 text for a date (`YYYY-MM-DD`), a time
    (`HH:MM`), a month (`YYYY-MM`) or a duration (`P3D`, `PT2H`).
    `spelled` tells number words from digits, `marked` an integer that is no plain run of digits
    (`1,250`, `007`), which no id is.
    """

    kind: ValueKind
    value: Any
    end: int
    spelled: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Malformed:
    """Something that begins as a value and is none: the turn is unread with this reason.

    `code` is one of `ill_formed_number`, `impossible_date`, `ambiguous_date`, `ambiguous_time`,
    `ill_formed_money`, `approximate`, `number_too_long`.
    """

    code: str
    end: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Clock:
    """The moment that relative dates are reckoned from, in the person's own time zone."""

    now: datetime
