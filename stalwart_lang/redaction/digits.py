"""How numbers are typed: the marks within them, what stands around them, the words before them."""

import re
from collections.abc import Iterator

GAP = r"[ \t]{0,2}[./-]?[ \t]{0,2}"
"""What may stand between two groups of a number's digits."""

_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_MARKED_DIGIT_BEFORE = re.compile(r"[0-9][./:-]\Z")
_MARKED_DIGIT_AFTER = re.compile(r"[./:-][0-9]|[0-9]")
_YEAR_AFTER = re.compile(r"/(?:19|20)[0-9]{2}(?![0-9])")
_BLANK = re.compile(r"[ \t]")
_DECIMALS = re.compile(r"\A[0-9],[0-9]|[0-9],[0-9]\Z")
"""A comma within a number, at either end of what looked like one in groups: a row of a table."""
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_UUID_LENGTH = 36
_NOT_DIGITS = re.compile(r"[^0-9]+")
_CUT = re.compile(r"[0-9@\[\]]")
_WORD = re.compile(r"[A-Z\u00c0-\u00de]?[a-z\u00df-\u00ff]+|[A-Z\u00c0-\u00de]+")
_WORD_BEFORE = re.compile(r"(?:[A-Z\u00c0-\u00de]?[a-z\u00df-\u00ff]+|[A-Z\u00c0-\u00de]+)\Z")
_FARTHEST_WORD = 40


def bare(written: str) -> str:
    """Return the digits of `written` alone."""
    return written if written.isdecimal() else _NOT_DIGITS.sub("", written)


def stands_alone(text: str, start: int, end: int, names: frozenset[str] = frozenset()) -> bool:
    """Tell whether the number `text[start:end]` is no part of something longer.

    A number without marks may not touch a letter (but one of its `names`: `CPF52998224725`) either.
    A number with names may have a year behind it: `52998224725/2024`.
    """
    if _MARKED_DIGIT_AFTER.match(text, end) and not (names and _YEAR_AFTER.match(text, end)):
        return False
    if start and text[start] != "(":
        before = text[start - 1]
        if before.isdecimal() or _MARKED_DIGIT_BEFORE.search(text, max(0, start - 2), start):
            return False
        if before.isalpha() and text[start:end].isdecimal():
            touching = _WORD_BEFORE.search(text, max(0, start - _FARTHEST_WORD), start)
            if not touching or touching[0].lower() not in names:
                return False
    if _BLANK.search(text, start, end) and _DECIMALS.search(text[max(0, start - 2) : end + 2]):
        return False
    if "-" in text[max(0, start - 1) : end + 1] and _in_a_uuid(text, start, end):
        return False
    return not (text[start:end].isdecimal() and _LETTER_OR_DIGIT.match(text, end))


def _in_a_uuid(text: str, start: int, end: int) -> bool:
    first = max(0, start - _UUID_LENGTH)
    uuids = _UUID.finditer(text[first : end + _UUID_LENGTH])
    return any(first + uuid.start() < end and start < first + uuid.end() for uuid in uuids)


def words_before(text: str, start: int) -> Iterator[str]:
    """Give the words before `text[start]`, the nearest first, in lower case.

    They reach back 40 characters, and no further than to a digit, a bracket or an `@`. The words
    of a name such as `mobilePhone` are two.
    """
    if start and not text[start - 1].isalnum() and text[start - 2 : start - 1].isdecimal():
        return
    near = _CUT.split(text[max(0, start - _FARTHEST_WORD) : start])[-1]
    for word in reversed(_WORD.findall(near)):
        yield word.lower()
