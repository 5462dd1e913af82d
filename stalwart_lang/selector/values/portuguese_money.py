"""How Portuguese names money, units and shares: what makes more of the number before it."""

from stalwart_lang.selector.values import times
from stalwart_lang.selector.values.money import CODES, MINOR_DIGITS, MoneyWords
from stalwart_lang.selector.values.portuguese_numbers import (
    MILLION_WORDS,
    NUMBER_WORDS,
    SCALE_WORDS,
    number,
)
from stalwart_lang.selector.values.tokens import table

_HUNDREDTHS = frozenset(code for code, digits in MINOR_DIGITS.items() if digits == 2)
_SIGNS = {"r$": "BRL", "us$": "USD", "€": "EUR", "£": "GBP", "$": None}
_NAMES = table(
    {
        "real": "BRL",
        "reais": "BRL",
        "dólar": "USD",
        "dólares": "USD",
        "euro": "EUR",
        "euros": "EUR",
        "libra": "GBP",
        "libras": "GBP",
        "iene": "JPY",
        "ienes": "JPY",
    }
)
UNITS = table(
    {
        "dia": times.DAYS,
        "dias": times.DAYS,
        "semana": times.WEEKS,
        "semanas": times.WEEKS,
        "mês": times.MONTHS,
        "meses": times.MONTHS,
        "ano": times.YEARS,
        "anos": times.YEARS,
        "hora": times.HOURS,
        "horas": times.HOURS,
        "minuto": times.MINUTES,
        "minutos": times.MINUTES,
        "min": times.MINUTES,
        "segundos": times.SECONDS,
    }
)
HOUR_SIGNS = frozenset({"h", "hs", "hrs"})
_SIGNS_AFTER = frozenset({"$", "€", "£"})

# A number before one of these is neither a day nor a year.
COUNTED = frozenset({"%", "por"}) | frozenset(UNITS) | SCALE_WORDS | HOUR_SIGNS

MONEY = MoneyWords(
    signs=_SIGNS,
    signs_after=_SIGNS_AFTER,
    names=_NAMES,
    parts={
        "centavo": ("BRL", _HUNDREDTHS),
        "centavos": ("BRL", _HUNDREDTHS),
    },
    joiner="e",
    of="de",
    millions=MILLION_WORDS,
    number=number,
    elliptic=True,
    not_parts=COUNTED
    | NUMBER_WORDS
    | frozenset(_NAMES)
    | frozenset(CODES)
    | frozenset(_SIGNS)
    | {"º", "ª", "°", "/"},
)
MONEY_AFTER = frozenset(CODES) | _SIGNS_AFTER | frozenset(_NAMES) | frozenset(MONEY.parts)
