"""Amounts of money: a number with a currency's sign, code or name, and its hundredth part.

Minor digits are those of ISO 4217.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from stalwart_lang.selector.values.numbers import Number
from stalwart_lang.selector.values.reading import Malformed, Value
from stalwart_lang.selector.values.tokens import is_digits, peek, starts_with_digit

# Only codes that are no word of either language: PEN, COP, TRY, ALL would read words as money.
MINOR_DIGITS = {
    "ARS": 2,
    "AUD": 2,
    "BRL": 2,
    "CAD": 2,
    "CHF": 2,
    "CLP": 0,
    "CNY": 2,
    "EUR": 2,
    "GBP": 2,
    "JPY": 0,
    "MXN": 2,
    "PYG": 0,
    "USD": 2,
    "UYU": 2,
}
_OTHERS_WITHOUT_CENTS = frozenset({"ISK", "KRW", "VND"})
CODES = {code.lower(): code for code in MINOR_DIGITS}

_BAD = "ill_formed_money"


@dataclass(frozen=True, slots=True)
class MoneyWords:
    """How a language names money.

    `signs` stand before an amount (`$`; None where the sign leaves the currency open) and those in
    `signs_after` may follow it; `names` follow it (`dollars`); `parts` name hundredths, each with
    its currency when alone and the currencies it may complete. `joiner` stands between the two,
    `of` between a million and the name. `number` reads a number at a token. `elliptic` tells
    whether `35 reais e 90` is 35.90, which it is when no token of `not_parts` follows.
    """

    signs: Mapping[str, str | None]
    signs_after: frozenset[str]
    names: Mapping[str, str]
    parts: Mapping[str, tuple[str, frozenset[str]]]
    joiner: str
    of: str
    millions: frozenset[str]
    number: Callable[[Sequence[str], int], Number | Malformed | None]
    elliptic: bool = False
    not_parts: frozenset[str] = frozenset()


def minor_digits(currency: str) -> int:
    """How many digits an amount of a currency has behind its mark (ISO 4217)."""
    return MINOR_DIGITS.get(currency, 0 if currency in _OTHERS_WITHOUT_CENTS else 2)


def money(amount: int | Decimal, currency: str, end: int) -> Value | Malformed:
    """An amount with its currency's minor digits; more of them than it has are ill-formed."""
    digits = MINOR_DIGITS[currency]
    exact = Decimal(amount)
    exponent = exact.as_tuple().exponent
    # Nobody writes 1000,5 for an amount: a digit was lost, or the comma means something else.
    cut_short = exponent == -1 and digits == 2 and exact % 1 != 0
    if not isinstance(exponent, int) or -exponent > digits or cut_short:
        return Malformed(_BAD, end, f"{amount} {currency}")
    return Value("money", (exact.quantize(Decimal(1).scaleb(-digits)), currency), end)


def signed_amount(tokens: Sequence[str], at: int, words: MoneyWords) -> Value | Malformed | None:
    """Read an amount that a sign or a code opens at `at`: `$40`, `R$ 3 mil`, `USD 40.00`.

    None for a code that no number follows: it may be a word of the vocabulary.
    """
    sign = tokens[at]
    currency = words.signs[sign] if sign in words.signs else CODES[sign]
    number = words.number(tokens, at + 1) if starts_with_digit(peek(tokens, at + 1)) else None
    if number is None:
        typed = starts_with_digit(peek(tokens, at + 1))
        return Malformed(_BAD, at + 1 + typed, sign) if typed or sign in words.signs else None
    if isinstance(number, Malformed):
        return Malformed(_BAD, number.end, number.detail)
    if currency is None:
        return Malformed(_BAD, number.end, f"which currency is {sign}?")
    end = _past_of(tokens, number.end, words)
    named = words.names.get(peek(tokens, end))
    if named is None and _code_after(tokens, number.end):
        end = number.end
        named = CODES[tokens[end]]
    if named is not None and named != currency:
        return Malformed(_BAD, end + 1, f"{currency} or {named}?")
    if peek(tokens, number.end) == "%":
        return Malformed(_BAD, number.end + 1, "%")
    end = number.end if named is None else end + 1
    return _with_part(tokens, Number(number.value, end), currency, words, named is not None)


def named_amount(
    tokens: Sequence[str], number: Number, words: MoneyWords
) -> Value | Malformed | None:
    """Read what makes `number` an amount: `40 dollars`, `35 reais e 90 centavos`, `40 USD`, `40 €`.

    None when nothing does: in `order 5 $40` and `order 5 USD 40` the sign opens the next amount.
    """
    end = _past_of(tokens, number.end, words)
    unit = peek(tokens, end)
    if unit in words.names:
        return _with_part(tokens, Number(number.value, end + 1), words.names[unit], words, True)
    unit = peek(tokens, number.end)
    end = number.end + 1
    if unit in words.parts:
        currency = words.parts[unit][0]
        if not isinstance(number.value, int):
            return Malformed(_BAD, end, unit)
        return money(Decimal(number.value).scaleb(-MINOR_DIGITS[currency]), currency, end)
    if unit not in CODES and unit not in words.signs_after:
        return None
    if starts_with_digit(peek(tokens, end)):
        # `40.00 USD 4411` could be either amount; an id and an amount could not.
        plain = is_digits(tokens[number.end - 1])
        return None if plain else Malformed(_BAD, end, unit)
    currency_after = CODES.get(unit) or words.signs[unit]
    if currency_after is None:
        return Malformed(_BAD, end, f"which currency is {unit}?")
    return money(number.value, currency_after, end)


def makes_amount(tokens: Sequence[str], at: int, words: MoneyWords) -> bool:
    """Whether the token at `at` makes the number before it an amount."""
    unit = peek(tokens, at)
    if unit in words.names or unit in words.parts:
        return True
    opens = unit in CODES or unit in words.signs_after
    return opens and not starts_with_digit(peek(tokens, at + 1))


def _past_of(tokens: Sequence[str], end: int, words: MoneyWords) -> int:
    """Step over the `de` of `um milhão de reais`."""
    after_million = peek(tokens, end - 1) in words.millions and peek(tokens, end) == words.of
    return end + 1 if after_million and peek(tokens, end + 1) in words.names else end


def _code_after(tokens: Sequence[str], end: int) -> bool:
    return peek(tokens, end) in CODES and not starts_with_digit(peek(tokens, end + 1))


def _with_part(
    tokens: Sequence[str], amount: Number, currency: str, words: MoneyWords, named: bool
) -> Value | Malformed:
    """Add the hundredths that follow an amount, if any do."""
    joined = peek(tokens, amount.end) == words.joiner
    part = words.number(tokens, amount.end + joined) if peek(tokens, amount.end + joined) else None
    if not isinstance(part, Number) or not isinstance(part.value, int):
        return money(amount.value, currency, amount.end)
    unit = peek(tokens, part.end)
    if unit in words.parts:
        # `$40 50 cents` has two amounts side by side: a sign, unlike a name, needs the joiner.
        fits = (joined or named) and isinstance(amount.value, int)
        fits = fits and currency in words.parts[unit][1]
        if not fits or part.value > 99:
            return Malformed(_BAD, part.end + 1, unit)
        return money(amount.value + Decimal(part.value).scaleb(-2), currency, part.end + 1)
    if words.elliptic and joined and named and _may_be_part(tokens, amount, part, words):
        typed = peek(tokens, part.end - 1)
        if part.value == 0 or (len(typed) != 2 if is_digits(typed) else part.value < 10):
            return Malformed(_BAD, part.end, typed)  # is `35 reais e 5` 35.05, or 35.50?
        return money(amount.value + Decimal(part.value).scaleb(-2), currency, part.end)
    return money(amount.value, currency, amount.end)


def _may_be_part(tokens: Sequence[str], amount: Number, part: Number, words: MoneyWords) -> bool:
    unit = peek(tokens, part.end)
    small = isinstance(amount.value, int) and isinstance(part.value, int) and part.value <= 99
    article = part.spelled and part.value == 1
    return small and not article and not starts_with_digit(unit) and unit not in words.not_parts
