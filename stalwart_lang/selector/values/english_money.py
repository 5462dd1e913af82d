"""How English names money, units and shares: what makes a number before it more than a number."""

from stalwart_lang.selector.values import times
from stalwart_lang.selector.values.english_numbers import SCALE_WORDS, number
from stalwart_lang.selector.values.money import CODES, MINOR_DIGITS, MoneyWords

_HUNDREDTHS = frozenset(code for code, digits in MINOR_DIGITS.items() if digits == 2)

MONEY = MoneyWords(
    signs={"$": "USD", "us$": "USD", "r$": "BRL", "€": "EUR", "£": "GBP"},
    signs_after=frozenset({"$", "€", "£"}),
    names={
        "dollar": "USD",
        "dollars": "USD",
        "euro": "EUR",
        "euros": "EUR",
        "pound": "GBP",
        "pounds": "GBP",
        "real": "BRL",
        "reais": "BRL",
        "yen": "JPY",
    },
    parts={
        "cent": ("USD", _HUNDREDTHS - {"GBP"}),
        "cents": ("USD", _HUNDREDTHS - {"GBP"}),
        "centavos": ("BRL", frozenset({"BRL"})),
        "pence": ("GBP", frozenset({"GBP"})),
    },
    joiner="and",
    of="of",
    millions=frozenset(),
    number=number,
)

UNITS = {
    "day": times.DAYS,
    "days": times.DAYS,
    "week": times.WEEKS,
    "weeks": times.WEEKS,
    "month": times.MONTHS,
    "months": times.MONTHS,
    "year": times.YEARS,
    "years": times.YEARS,
    "hour": times.HOURS,
    "hours": times.HOURS,
    "minute": times.MINUTES,
    "minutes": times.MINUTES,
    "min": times.MINUTES,
    "mins": times.MINUTES,
    "seconds": times.SECONDS,
}
PERCENT = frozenset({"%", "percent", "per"})
MONEY_AFTER = frozenset(CODES) | MONEY.signs_after | frozenset(MONEY.names) | frozenset(MONEY.parts)

# A number before one of these is neither a day nor a year.
COUNTED = PERCENT | frozenset(UNITS) | SCALE_WORDS | {"am", "pm", "o'clock", "o’clock", "oclock"}
