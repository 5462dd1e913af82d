"""The text layer: characters, folding and words, before any grammar.

Case and Latin diacritics fold, nothing else does. A letter of another script is never turned into
a Latin one: it makes the turn unread (UAX #24 for scripts, UAX #15 for NFC).
"""

import re
import unicodedata
from functools import lru_cache
from itertools import combinations

from unidecode import unidecode

_BLANK = r"\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_LETTER = r"a-zà-öø-ÿ\u0100-\u024f\u1e00-\u1eff"
_QUOTES = {'"': '"', "“": "”", "«": "»", "‘": "’", "'": "'"}

# A quote that never closes takes the rest of the turn, so that a turn of quotes stays linear.
_QUOTED = (
    r"\"[^\"]*+(?:\"|\Z)|“[^”]*+(?:”|\Z)|«[^»]*+(?:»|\Z)"
    rf"|['‘](?:[^'’]|(?<=[{_LETTER}])['’](?=[{_LETTER}]))*+(?:['’]|\Z)"
)
_EMAIL = r"[a-z0-9][a-z0-9._%+\-]{0,63}+@[a-z0-9\-]{1,63}+(?:\.[a-z0-9\-]{1,63}+){1,8}+"
_NUMBER = (
    rf"[0-9]++(?:[.,:/\-][0-9]++)*+(?:[{_LETTER}]++[0-9]*+[{_LETTER}]*+)?+"
)
_WORD = rf"[{_LETTER}]++(?:['’\-\u2010\u2011][{_LETTER}]++)*+[0-9]*+"
_SIGNS = r"(?:us|r|u)\$|n[º°]\.?|n\.º|\n|\S"

_TOKENS = re.compile(f"{_QUOTED}|(?:us|r)\\$|n[º°]\\.?|n\\.º|{_NUMBER}|{_WORD}|\\n|[^{_BLANK}]")
_TOKENS_WITH_EMAIL = re.compile(
    f"{_QUOTED}|{_EMAIL}|(?:us|r)\\$|n[º°]\\.?|n\\.º|{_NUMBER}|{_WORD}|\\n|[^{_BLANK}]"
)


def tokenize(low: str) -> list[str]:
    """Cut a lower-cased NFC text into tokens: words, numbers, quoted spans, e-mails and signs.

    A word keeps its hyphens and inner apostrophes (`cancele-o`, `don't`, `segunda-feira`), a number
    what is glued to it (`3.250,75`, `08/04/2027`, `15h30min`, `3pm`, `1º` without its sign); a
    newline is a token; other blanks are not. Every sign else is a token of one character.
    """
    return (_TOKENS_WITH_EMAIL if "@" in low else _TOKENS).findall(low)


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Lower-case `text` and drop the diacritics of its Latin letters; other letters stay."""
    return "".join(map(_fold_letter, unicodedata.normalize("NFC", text).lower()))


def _fold_letter(letter: str) -> str:
    if letter.isascii():
        return letter
    base, *marks = unicodedata.normalize("NFD", letter)
    if marks and base.isascii() and base.isalpha():
        return unidecode(letter)
    return letter


@lru_cache(maxsize=65536)
def spellings(word: str) -> tuple[str, ...]:
    """Every way to type `word` with some, all or none of its accents, lower case, NFC.

    The first is the word as written. `órfão` gives órfão, orfão, órfao, orfao.
    """
    word = unicodedata.normalize("NFC", word).lower()
    accented = [i for i, letter in enumerate(word) if _fold_letter(letter) != letter][:6]
    made = []
    for size in range(len(accented) + 1):
        for dropped in combinations(accented, size):
            made.append("".join(fold(c) if i in dropped else c for i, c in enumerate(word)))
    return tuple(dict.fromkeys(made))
