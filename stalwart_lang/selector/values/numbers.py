"""Numbers in digits, with the marks of a language."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from stalwart_lang.selector.values.reading import Malformed, Value
from stalwart_lang.selector.values.tokens import is_digits

MAXIMUM_DIGITS = 18

_OTHER_MARKS = re.compile(r"[0-9]+(?:[.,:/\-][0-9]+)*")


class Number(NamedTuple):
    """A number that ends before token `end`; `spelled` when a word is part of it."""

    value: int | Decimal
    end: int
    spelled: bool = False


class Marks(NamedTuple):
    """The two marks that a language writes in a number, and the shape that they give it."""

    thousands: str
    decimal: str
    shape: re.Pattern[str]


def marks(thousands: str, decimal: str) -> Marks:
    """Marks for numbers such as `1,250.75`: groups of three only, no leading zero when grouped."""
    grouped = rf"[1-9][0-9]{{0,2}}(?:{re.escape(thousands)}[0-9]{{3}})+"
    shape = rf"(?:0|[1-9][0-9]*|{grouped})(?:{re.escape(decimal)}[0-9]+)?"
    return Marks(thousands, decimal, re.compile(shape))


def typed_number(tokens: Sequence[str], at: int, style: Marks) -> Number | Malformed | None:
    """Read the digits of one token.

    None when the token has other characters than digits, points and commas; `Malformed` for the
    marks of another language, groups of other than three digits, or more than 18 digits.
    """
    token = tokens[at]
    if is_digits(token):
        if len(token) > MAXIMUM_DIGITS:
            return Malformed("number_too_long", at + 1, token)
        return Number(int(token), at + 1)
    if style.shape.fullmatch(token):
        plain = token.replace(style.thousands, "").replace(style.decimal, ".")
        if len(plain) - plain.count(".") > MAXIMUM_DIGITS:
            return Malformed("number_too_long", at + 1, token)
        return Number(Decimal(plain) if "." in plain else int(plain), at + 1)
    if token.isascii() and token[:1].isdigit() and token.strip("0123456789.,") == "":
        return Malformed("ill_formed_number", at + 1, token)
    return None


def other_marks(token: str) -> bool:
    """Whether `token` is digits joined by any of `. , : / -`."""
    return _OTHER_MARKS.fullmatch(token) is not None


def scaled(number: Number, scale: int) -> Number | Malformed:
    """`2.5 million` and the like: whole, or ill-formed. The scale word is the next token."""
    end = number.end + 1
    exponent = Decimal(number.value).as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -1:
        return Malformed("ill_formed_number", number.end + 1)  # nobody says `20,00 mil`
    value = number.value * scale
    whole = int(value)
    if whole != value:
        return Malformed("ill_formed_number", end)
    if len(str(whole)) > MAXIMUM_DIGITS:
        return Malformed("number_too_long", end)
    return Number(whole, end, spelled=True)


def number_value(number: Number) -> Value:
    """The number as a value: an integer, or a decimal with its digits as typed."""
    if isinstance(number.value, int):
        return Value("integer", number.value, number.end, number.spelled)
    return Value("decimal", number.value, number.end, number.spelled)
