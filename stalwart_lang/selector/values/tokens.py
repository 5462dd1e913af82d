"""Looking at tokens: what stands at a place, and every way to type a dictionary's words."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from stalwart_lang.words.text import spellings

_T = TypeVar("_T")
_HYPHENS = "-\u2010\u2011"


def peek(tokens: Sequence[str], at: int) -> str:
    """The token at `at`, or the empty text before the first and after the last."""
    return tokens[at] if 0 <= at < len(tokens) else ""


def is_digits(token: str) -> bool:
    """Whether `token` is made of the ten ASCII digits only (never ٤٤١١, which `int` would take)."""
    return token.isascii() and token.isdigit()


def starts_with_digit(token: str) -> bool:
    """Whether `token` begins with an ASCII digit."""
    return token[:1].isascii() and token[:1].isdigit()


def table(words: Mapping[str, _T]) -> dict[str, _T]:
    """The same words under every spelling: with or without accents, with each kind of hyphen."""
    return {
        spelling.replace("-", hyphen): meaning
        for word, meaning in words.items()
        for spelling in spellings(word)
        for hyphen in (_HYPHENS if "-" in spelling else "-")
    }


def numbered(words: str, start: int = 0) -> dict[str, int]:
    """Number the words of a text, which are parted by blanks."""
    return {word: number for number, word in enumerate(words.split(), start)}


def every_spelling(words: str) -> frozenset[str]:
    """The words of a text, which are parted by blanks, with and without accents."""
    return frozenset(spelling for word in words.split() for spelling in spellings(word))
