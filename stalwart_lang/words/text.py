"""The text layer: characters, folding and words, before any grammar.

Case and Latin diacritics fold, nothing else does. A letter of another script is never turned into
a Latin one: it makes the turn unread (UAX #24 for scripts, UAX #15 for NFC).
"""

import re
import unicodedata
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from unidecode import unidecode

# Blanks as people type and paste them; a newline is a token, any other control character is none.
_BLANK = " \t\r\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_LETTER = r"a-zà-öø-ÿ\u0100-\u024f\u1e00-\u1eff"

# Atomic groups, not possessive ones: until CPython 3.11.5, `(?:…)*+` keeps what its last, failed
# round consumed (gh-106052). A possessive single character is sound.
# A quote that never closes takes the rest of the turn, so that a turn of quotes stays linear.
_QUOTED = (
    r"\"[^\"]*+(?:\"|\Z)|“[^”]*+(?:”|\Z)|«[^»]*+(?:»|\Z)"
    rf"|['‘](?>(?:[^'’]|(?<=[{_LETTER}])['’](?=[{_LETTER}]))*)(?:['’]|\Z)"
)
# The parts are bounded and possessive: an e-mail look-ahead at every letter would be quadratic.
_LABEL = r"[a-z0-9](?>(?:-{0,8}+[a-z0-9]{1,32}+){0,8})"
_EMAIL = (
    r"[a-z0-9](?>(?:[._%+\-]?[a-z0-9]{1,32}+){0,16})"
    rf"@{_LABEL}(?>(?:\.{_LABEL}(?=\.[a-z0-9])){{0,8}})\.[a-z]{{2,32}}+(?![\w\-@])"
)
# A sign glued behind a number is part of it: `4411$40.00` is no id and no amount.
_NUMBER = rf"[0-9]++(?>(?:[.,:/\-][0-9]++)*)(?>(?:[{_LETTER}]++[0-9]*+[{_LETTER}]*+)?)\$?+"
_OWNER = rf"(?<=[0-9])'s(?![{_LETTER}])"
_WORD = rf"[{_LETTER}]++(?>(?:['’\-\u2010\u2011][{_LETTER}]++)*)[0-9]*+"
_OTHER = rf"(?:us|r)\$|n[º°]\.?|n\.º|{_NUMBER}|{_WORD}|\n|[^{_BLANK}]"
# Most tokens are plain words, whole numbers and commas: they are tried first, where what follows
# leaves them no other reading. At a blank nothing is tried.
_PLAIN = r"[a-zà-öø-ÿ]++(?![^ ,])|[0-9]++(?!,?[^ ,])|,"
_TOKENS = re.compile(f"((?! )(?:{_PLAIN}|{_OWNER}|{_QUOTED}|{_OTHER}))")
_TOKENS_WITH_EMAIL = re.compile(f"((?! )(?:{_PLAIN}|{_OWNER}|{_QUOTED}|{_EMAIL}|{_OTHER}))")


class Turn(NamedTuple):
    """A turn as typed, and in lower case and NFC as it is matched.

    `offsets[i]` is the place in `typed` of character i of `low`; None where the places are equal.
    """

    typed: str
    low: str
    offsets: tuple[int, ...] | None


# Up to here no character is a mark, and none is spelled otherwise in NFC.
_BEYOND_LETTERS = re.compile(r"[^\x00-\u02ff]")
_TYPOGRAPHY = str.maketrans({"’": "'", "\u2010": "-", "\u2011": "-"})


def prepare(turn: str) -> Turn:
    """Lower-case a turn and compose its accents (NFC), keeping track of places."""
    if turn.isascii():
        low = turn.lower()
        return Turn(turn, _keep_sentences_apart(turn, low) if "@" in turn else low, None)
    composed = turn
    if _BEYOND_LETTERS.search(turn):
        if _LONG_RUN.search(turn) and _overmarked(turn):
            return Turn(turn, _lower(turn), None)
        composed = unicodedata.normalize("NFC", turn).translate(_TYPOGRAPHY)
    low = _lower(composed)
    if "@" in turn:
        low = _keep_sentences_apart(composed, low)
    return Turn(turn, low, None if len(composed) == len(turn) else _offsets(turn, composed))


# Normalizing marks out of order takes time quadratic in their run; nobody writes more than these
# (UAX #15, stream-safe text). Such a turn stays as it is, and its marks are no part of any word.
_MOST_MARKS = 30
_LONG_RUN = re.compile(rf"[^\x00-\u02ff]{{{_MOST_MARKS + 1}}}")


def _overmarked(turn: str) -> bool:
    run = 0
    for character in turn:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > _MOST_MARKS:
            return True
    return False


def _lower(text: str) -> str:
    """Lower-case a text, every character for itself, so that places stay."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return low


# In "ana@example.com.Thanks" a sentence begins, and no domain is spelled so.
_GLUED_SENTENCE = re.compile(r"@[^\s@A-Z]{1,255}\.[A-Z](?=[a-z])")


def _keep_sentences_apart(turn: str, low: str) -> str:
    """Leave the capital that begins a sentence glued to an e-mail: no word has one when matched."""
    for glued in _GLUED_SENTENCE.finditer(turn):
        low = low[: glued.end() - 1] + turn[glued.end() - 1] + low[glued.end() :]
    return low


def _offsets(turn: str, composed: str) -> tuple[int, ...]:
    """Give the place in `turn` of each character of its NFC, cluster by cluster."""
    offsets: list[int] = []
    start = 0
    for at in range(1, len(turn) + 1):
        if at == len(turn) or not unicodedata.combining(turn[at]):
            cluster = unicodedata.normalize("NFC", turn[start:at])
            # The first character is where the cluster begins, the last where it ends.
            offsets.append(start)
            offsets.extend(max(start, place) for place in range(at - len(cluster) + 1, at))
            start = at
    if len(offsets) != len(composed):  # only Hangul jamo compose over clusters
        offsets = [min(place, len(turn)) for place in range(len(composed))]
    offsets.append(len(turn))
    return tuple(offsets)


def tokenize(low: str) -> list[str]:
    """Cut a lower-cased NFC text into tokens: words, numbers, quoted spans, e-mails and signs.

    A word keeps its hyphens and inner apostrophes (`cancele-o`, `don't`, `segunda-feira`), a number
    what is glued to it (`3.250,75`, `08/04/2027`, `15h30min`, `3pm`, `1º` without its sign); a
    newline is a token; other blanks are not. Every sign else is a token of one character.
    """
    return cut(low)[1::2]


def cut(low: str) -> list[str]:
    """Cut a lower-cased NFC text into its tokens, each between the blanks around it.

    The blanks, which may be none, have the even places, so that the pieces make up the text.
    """
    return (_TOKENS_WITH_EMAIL if "@" in low else _TOKENS).split(low)


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Lower-case `text` and drop the diacritics of its Latin letters; other letters stay."""
    return "".join(map(_fold_letter, unicodedata.normalize("NFC", text).lower()))


def _fold_letter(letter: str) -> str:
    if letter.isascii():
        return letter
    parts = unicodedata.normalize("NFD", letter)
    base = parts[0]
    if len(parts) > 1 and base.isascii() and base.isalpha():
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
