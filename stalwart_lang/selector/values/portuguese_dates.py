"""Brazilian dates and months: `8 de abril de 2027`, `08/04`, `sexta`, `dia 8`, `mês que vem`.

The day comes first, always. What people dispute is ambiguous: `próxima sexta`, today's own
weekday, a week.
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
from stalwart_lang.selector.values.money import makes_amount
from stalwart_lang.selector.values.numbers import Number
from stalwart_lang.selector.values.portuguese_money import COUNTED, MONEY, UNITS
from stalwart_lang.selector.values.portuguese_numbers import NUMBER_WORDS, number
from stalwart_lang.selector.values.reading import Clock, Malformed, Value
from stalwart_lang.selector.values.tokens import (
    every_spelling,
    is_digits,
    numbered,
    peek,
    starts_with_digit,
    table,
)

MONTHS = table(
    numbered(
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        1,
    )
)
# Read between a day and a year only; `dez` is ten, so it needs its slashes.
_MONTHS_SLASHED = numbered("jan fev mar abr mai jun jul ago set out nov dez", 1)
_MONTHS_SHORT = {word: month for word, month in _MONTHS_SLASHED.items() if word != "dez"}

_ORDINAL_WEEKDAYS = table(numbered("segunda terça quarta quinta sexta"))
_WHOLE_WEEKDAYS = table(
    numbered("segunda-feira terça-feira quarta-feira quinta-feira sexta-feira")
    | {"sábado": 5, "domingo": 6}
)
_WEEKDAYS = _ORDINAL_WEEKDAYS | _WHOLE_WEEKDAYS
# Read before a date only: `ter` is a verb, `sex` a noun.
_WEEKDAYS_SHORT = table(numbered("seg ter qua qui sex sáb dom"))

# `a segunda entrega` is the second one: without "-feira" these words are weekdays only at the end,
# or before a sign, a number or one of these.
_AFTER_WEEKDAY = every_spelling(
    "a à ao aos às o os e ou no na por para pra pro pras pros com em que próxima passada "
    "retrasada feira dia então depois mas logo antes aí até"
)
_RELATIVE = table(
    {"hoje": 0, "amanhã": 1, "ontem": -1, "anteontem": -2},
)
_TOMORROW = frozenset(word for word, days in _RELATIVE.items() if days == 1)
_MONTH_WORDS = every_spelling("mês")
_THIS = every_spelling("este esta esse essa neste nesta nesse nessa deste desta desse dessa")
_NEXT = every_spelling("próximo próxima")
_LAST = every_spelling("último última")
_RANGES = frozenset({"semana", "ano"})
_PASSED = frozenset({"passado", "passada", "retrasado", "retrasada"})
_DATE_UNITS: dict[str, Unit] = {times.DAYS: "D", times.WEEKS: "W", times.MONTHS: "M"}
_ORDINAL_SIGNS = frozenset({"º", "°"})

RELATIVE_WORDS = frozenset(_RELATIVE)
MONTH_NAMES = frozenset(MONTHS)
WEEKDAY_WORDS = frozenset(_WEEKDAYS) | frozenset(_WEEKDAYS_SHORT)
THIS_NEXT_LAST = _THIS | _NEXT | _LAST
RANGE_WORDS = _RANGES
MONTH_WORDS = _MONTH_WORDS
AGO = every_spelling("há")
_AGO_AFTER = every_spelling("atrás")


def relative_day(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `hoje`, `amanhã`, `ontem` or `anteontem`."""
    return moved(clock.now.date(), _RELATIVE[tokens[at]], "D", at + 1)


def after_or_before(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `depois de amanhã` or `antes de ontem`."""
    if peek(tokens, at + 1) != "de":
        return None
    last = peek(tokens, at + 2)
    if tokens[at] == "depois" and last in _TOMORROW:
        return moved(clock.now.date(), 2, "D", at + 3)
    if tokens[at] == "antes" and last == "ontem":
        return moved(clock.now.date(), -2, "D", at + 3)
    return None


def within(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `daqui a 3 dias`, `dentro de uma semana`, `em três dias`: the day so much later."""
    end = at + 1
    if tokens[at] == "dentro":
        if peek(tokens, end) != "de":
            return None
        end += 1
    elif tokens[at] == "daqui" and peek(tokens, end) == "a":
        end += 1
    counted = _counted_days(tokens, end)
    if counted is None:
        return None
    amount, unit, end = counted
    return moved(clock.now.date(), amount, unit, end)


def ago(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `há 3 dias` or `há 3 dias atrás`: the day so much earlier."""
    counted = _counted_days(tokens, at + 1)
    if counted is None:
        return None
    amount, unit, end = counted
    return moved(clock.now.date(), -amount, unit, end + (peek(tokens, end) in _AGO_AFTER))


def days_ago(
    tokens: Sequence[str], amount: int, unit: str, end: int, clock: Clock
) -> Value | Malformed | None:
    """Read the `atrás` of `3 dias atrás` at `end`."""
    date_unit = _DATE_UNITS.get(unit)
    if date_unit is None or peek(tokens, end) not in _AGO_AFTER:
        return None
    return moved(clock.now.date(), -amount, date_unit, end + 1)


def day_word(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read what "dia" begins: `dia 8`, `dia primeiro`, `dia 08/04`, `dia 8 do mês que vem`."""
    token = peek(tokens, at + 1)
    written = date_in_digits(tokens, at + 1, clock)
    if written is not None:
        return written if isinstance(written, Malformed) or written.kind == "date" else None
    found = _day(tokens, at + 1)
    if found is None or (token and _counted(tokens, found[1])):
        return None
    day, end = found
    today = clock.now.date()
    dated = _with_month(tokens, today, day, end)
    if dated is not None:
        return dated
    month_at = end + (peek(tokens, end) == "do")
    month = _relative_month(tokens, month_at)
    if month is not None:
        year, month_number = shifted_month(today, month[0])
        return date_value(day_of(year, month_number, day), month[1])
    if peek(tokens, end) == "do" and starts_with_digit(peek(tokens, end + 1)):
        return Malformed("ambiguous_date", end + 2)  # `dia 8 do 4`
    return date_value(next_day(today, day), end)


def day_first(
    tokens: Sequence[str], at: int, found: Number, clock: Clock
) -> Value | Malformed | None:
    """Read what follows a day: `de abril`, `de abril de 2027`, `/abr/2027`."""
    if not isinstance(found.value, int) or (is_digits(tokens[at]) and len(tokens[at]) > 2):
        return None
    return _with_month(tokens, clock.now.date(), found.value, found.end)


def first_day(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `primeiro de abril`, `1º de abril`, `1o de abril`; None for a bare ordinal."""
    found = _first(tokens, at)
    return None if found is None else _with_month(tokens, clock.now.date(), 1, found)


def month_name(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `março`, `março de 2027`, `março/2027`; without a year, the last one up to now."""
    month = MONTHS[tokens[at]]
    end = at + 1
    if peek(tokens, end) == "que" and peek(tokens, end + 1) == "vem":
        return Malformed("ambiguous_date", end + 2)
    if peek(tokens, end) in _PASSED or peek(tokens, end) in _NEXT:
        return Malformed("ambiguous_date", end + 1)
    year = _year(tokens, end)
    if isinstance(year, Malformed):
        return year
    if year is None:
        return month_value(latest_month(clock.now.date(), month), end)
    return month_value((year[0], month), year[1])


def month_word(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read what "mês" begins: `mês passado`, `mês que vem`, `mês de março`."""
    if peek(tokens, at + 1) == "de" and peek(tokens, at + 2) in MONTHS:
        return month_name(tokens, at + 2, clock)
    month = _relative_month(tokens, at)
    if month is None:
        return None
    return month_value(shifted_month(clock.now.date(), month[0]), month[1])


def range_word(tokens: Sequence[str], at: int, _: Clock) -> Malformed | None:
    """`semana que vem`, `ano passado`: a range of days, not one."""
    if peek(tokens, at + 1) == "que" and peek(tokens, at + 2) == "vem":
        return Malformed("ambiguous_date", at + 3)
    if peek(tokens, at + 1) in _PASSED or peek(tokens, at + 1) in _NEXT:
        return Malformed("ambiguous_date", at + 2)
    return None


def this_next_last(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `esta sexta`, `este mês`, `próximo mês`; what people dispute is ambiguous."""
    determiner, word = tokens[at], peek(tokens, at + 1)
    this = determiner in _THIS
    if this and word in _NEXT:
        return this_next_last(tokens, at + 1, clock)
    month = _relative_month(tokens, at)
    if month is not None:
        return month_value(shifted_month(clock.now.date(), month[0]), month[1])
    if word in _WEEKDAYS:
        found = weekday(tokens, at + 1, clock)
        if found is None or this or _has_date(tokens, at + 1, clock):
            return found
        return Malformed("ambiguous_date", found.end, determiner)
    weekend = word == "fim" and peek(tokens, at + 2) == "de" and peek(tokens, at + 3) == "semana"
    if weekend:
        return Malformed("ambiguous_date", at + 4)
    if word in _RANGES or word in MONTHS or (word in _MONTH_WORDS and not this):
        return Malformed("ambiguous_date", at + 2)
    return None


def weekday(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `sexta-feira`, or `sexta, 5 de março`, in which both must agree.

    Today's own weekday is ambiguous, and so are `sexta que vem` and `sexta passada`.
    """
    word = tokens[at]
    if word in _WEEKDAYS_SHORT:
        return _date_of_weekday(tokens, at + 1, _WEEKDAYS_SHORT[word], clock)
    end = at + 1
    if word in _ORDINAL_WEEKDAYS:
        if peek(tokens, end) == "feira":
            end += 1
        elif not _ends_weekday(peek(tokens, end)):
            return None
    return _weekday(tokens, _WEEKDAYS[word], end, clock)


def numbered_weekday(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read `2ª-feira` to `6ª feira`, and with "a" for the sign; None for another ordinal."""
    token = tokens[at]
    if token[-1:] == "a" and len(token) == 2:
        day, end = token[0], at + 1
    elif peek(tokens, at + 1) == "ª":
        day, end = token, at + 2
    else:
        return None
    end += peek(tokens, end) == "-"
    if day not in {"2", "3", "4", "5", "6"} or peek(tokens, end) != "feira":
        return None
    return _weekday(tokens, int(day) - 2, end + 1, clock)


def date_in_digits(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read a date or a month in the token of digits at `at`."""
    clear = peek(tokens, at - 1) in {"dia", "para", "pra", "em"}
    return digits_date(peek(tokens, at), at + 1, clock.now.date(), day_first=True, clear=clear)


def _weekday(tokens: Sequence[str], day: int, end: int, clock: Clock) -> Value | Malformed | None:
    joined = _date_of_weekday(tokens, end, day, clock)
    if joined is not None:
        return joined
    if peek(tokens, end) == "que" and peek(tokens, end + 1) == "vem":
        return Malformed("ambiguous_date", end + 2)
    if peek(tokens, end) in _PASSED or peek(tokens, end) in _NEXT:
        return Malformed("ambiguous_date", end + 1)
    found = coming_weekday(clock.now.date(), day)
    return Malformed("ambiguous_date", end) if found is None else date_value(found, end)


def _date_of_weekday(
    tokens: Sequence[str], at: int, day: int, clock: Clock
) -> Value | Malformed | None:
    """Read the date that follows a weekday, with a comma or without, and hold it to that day."""
    found = _explicit(tokens, at + (peek(tokens, at) == ","), clock)
    if not isinstance(found, Value):
        return found
    if found.kind != "date":
        return None
    if date.fromisoformat(found.value).weekday() != day:
        return Malformed("impossible_date", found.end, found.value)
    return found


def _has_date(tokens: Sequence[str], at: int, clock: Clock) -> bool:
    """Whether the weekday at `at` is followed by its date."""
    end = at + 1 + (peek(tokens, at + 1) == "feira")
    return _explicit(tokens, end + (peek(tokens, end) == ","), clock) is not None


def _explicit(tokens: Sequence[str], at: int, clock: Clock) -> Value | Malformed | None:
    """Read a date that says its day."""
    token = peek(tokens, at)
    if token == "dia":
        return day_word(tokens, at, clock)
    found = _day(tokens, at)
    if found is not None:
        return _with_month(tokens, clock.now.date(), found[0], found[1])
    return date_in_digits(tokens, at, clock)


def _with_month(tokens: Sequence[str], today: date, day: int, end: int) -> Value | Malformed | None:
    """The date of a day and the month that follows at `end`: `de abril`, `/abr/2027`."""
    word = peek(tokens, end + 1)
    if peek(tokens, end) == "/":
        month = _MONTHS_SLASHED.get(word)
    elif peek(tokens, end) == "de":
        month = MONTHS.get(word) or _MONTHS_SHORT.get(word)
    else:
        return None
    if month is None:
        return None
    year = _year(tokens, end + 2)
    if isinstance(year, Malformed):
        return year
    if year is None:
        return date_value(next_day_and_month(today, month, day), end + 2)
    return date_value(day_of(year[0], month, day), year[1])


def _year(tokens: Sequence[str], at: int) -> tuple[int, int] | Malformed | None:
    """Read `de 2027`, `/2027` or `2027` at `at`: the year and where it ends.

    After "de" anything else that is a number is `Malformed`: a year of two digits, or no year.
    """
    joined = peek(tokens, at) in {"de", "/"}
    token = peek(tokens, at + joined)
    if is_digits(token):
        end = at + joined + 1
        if _counted(tokens, end):
            return None
        if len(token) == 4 and int(token) in YEARS:
            return int(token), end
        if not joined:
            return None
        return Malformed("ambiguous_date" if len(token) <= 2 else "impossible_date", end, token)
    if joined and token in NUMBER_WORDS:
        found = number(tokens, at + 1)
        if isinstance(found, Number) and not _counted(tokens, found.end):
            year = int(found.value)
            return (year, found.end) if year in YEARS else Malformed("ambiguous_date", found.end)
    return None


def _relative_month(tokens: Sequence[str], at: int) -> tuple[int, int] | None:
    """Read `mês passado`, `mês que vem`, `este mês`, `próximo mês`: months ahead, and the end."""
    word, following = peek(tokens, at), peek(tokens, at + 1)
    if word in _MONTH_WORDS:
        if following in {"passado", "anterior"}:
            return -1, at + 2
        if following in {"atual", "corrente"}:
            return 0, at + 2
        if following == "que" and peek(tokens, at + 2) == "vem":
            return 1, at + 3
        return None
    if following not in _MONTH_WORDS:
        return None
    if word in _NEXT:
        return 1, at + 2
    return (0, at + 2) if word in _THIS else None


def _counted_days(tokens: Sequence[str], at: int) -> tuple[int, Unit, int] | None:
    found = number(tokens, at) if peek(tokens, at) else None
    if not isinstance(found, Number) or not isinstance(found.value, int):
        return None
    unit = _DATE_UNITS.get(UNITS.get(peek(tokens, found.end), ""))
    return None if unit is None else (found.value, unit, found.end + 1)


def _day(tokens: Sequence[str], at: int) -> tuple[int, int] | None:
    """A day of the month, in digits, in words or as `primeiro`, and where it ends."""
    token = peek(tokens, at)
    first = _first(tokens, at)
    if first is not None:
        return 1, first
    if is_digits(token):
        return (int(token), at + 1) if len(token) <= 2 else None
    found = number(tokens, at) if token in NUMBER_WORDS else None
    return (int(found.value), found.end) if isinstance(found, Number) else None


def _first(tokens: Sequence[str], at: int) -> int | None:
    """Where `primeiro`, `1º` or `1o` ends, if it stands at `at`."""
    token = peek(tokens, at)
    if token in {"primeiro", "1o"}:
        return at + 1
    if token != "1":
        return None
    sign_at = at + 2 if peek(tokens, at + 1) == "." else at + 1
    return sign_at + 1 if peek(tokens, sign_at) in _ORDINAL_SIGNS else None


def _counted(tokens: Sequence[str], at: int) -> bool:
    if peek(tokens, at) == "por" and peek(tokens, at + 1) != "cento":
        return False
    return peek(tokens, at) in COUNTED or makes_amount(tokens, at, MONEY)


def _ends_weekday(token: str) -> bool:
    return not token[:1].isalpha() or token in _AFTER_WEEKDAY
