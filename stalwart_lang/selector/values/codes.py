"""Codes that a vocabulary's arguments take: telephone numbers, CPF, CNPJ, digits of a length."""

import re
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TypeAlias

from stalwart_lang.selector.values.identifiers import (
    longest_code,
    read_cnpj,
    read_cpf,
    read_digits,
    read_telephone,
)
from stalwart_lang.selector.values.reading import Value

CodeType: TypeAlias = tuple[str, int | None]
"""A kind of code, and for digits how many."""

MARKS = frozenset("+(")
"""The signs that may begin a code."""


_DATE = re.compile(r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}")
_GROUP = re.compile(r"[0-9]+")
_NEEDS = {"telephone": "phonenumbers", "cpf": "stdnum", "cnpj": "stdnum"}


def require_readers(types: Sequence[CodeType]) -> None:
    """Raise ImportError, with what to install, where a reader of one of `types` is missing."""
    for kind, _ in types:
        if kind in _NEEDS and find_spec(_NEEDS[kind]) is None:
            raise ImportError(
                f"An argument of type `{kind}` needs an extra: pip install 'stalwart-lang[values]'"
            )


def read_code(
    tokens: Sequence[str], at: int, types: Sequence[CodeType], region: str
) -> Value | None:
    """Read the longest code of one of `types` that begins at token `at`.

    The value maps each type that reads it, as `(kind, length)`, to its bare characters; `region`
    is the numbering plan of telephone numbers without a country code.
    """
    longest = longest_code(tokens, at)
    for place in range(at + 1, longest):
        if _DATE.fullmatch(tokens[place]):
            longest = place
            break
    for end in range(longest, at, -1):
        text = " ".join(tokens[at:end])
        groups = _GROUP.findall(text)
        digits = sum(map(len, groups))
        found = {
            type_: read
            for type_ in types
            if _may_be(type_, groups, digits) and (read := _read(text, type_, region)) is not None
        }
        if found:
            return Value("code", found, end)
    return None


def _may_be(type_: CodeType, groups: Sequence[str], digits: int) -> bool:
    """Tell by the number of digits what is not worth reading: the readers cost more."""
    kind, length = type_
    if kind == "telephone":
        return 8 <= digits <= 15 and len(groups) <= 6 and all(len(one) > 1 for one in groups[1:])
    if kind == "cpf":
        return digits == 11
    if kind == "cnpj":
        return digits <= 14
    return length is None or digits == length


def _read(text: str, type_: CodeType, region: str) -> str | None:
    kind, length = type_
    if kind == "telephone":
        return read_telephone(text, region)
    if kind == "cpf":
        return read_cpf(text)
    if kind == "cnpj":
        return read_cnpj(text)
    return read_digits(text, length)
