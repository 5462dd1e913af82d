"""A text as a person reads it: escapes decoded, invisible characters gone, digits of one kind.

The patterns of all kinds run over this reading, so that `ana%40x.com`, `１１ ９８７６５` and a CPF
with zero-width blanks in it are what they look like. Every character of it keeps its place in the
text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stalwart_lang.redaction.kinds import Found

_BLANKS = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f"
_BLANKS += "\u205f\u3000"
_HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63"
_DOTS = "\u00b7\u2022\u2024\u2027\u2219\u22c5\u3002\u30fb\ufe52\uff61\uff65"
_SLASHES = "\u2044\u2215"
_ZEROS = (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6)

_SAME: dict[int, int] = {
    **{ord(char): ord(" ") for char in _BLANKS},
    **{ord(char): ord("-") for char in _HYPHENS},
    **{ord(char): ord(".") for char in _DOTS},
    **{ord(char): ord("/") for char in _SLASHES},
    **{full: full - 0xFEE0 for full in range(0xFF01, 0xFF5F)},
    **{zero + digit: ord("0") + digit for zero in _ZEROS for digit in range(10)},
    0xFE6B: ord("@"),
}

_INVISIBLE = "\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
# One class first, and then what it was: so `re` skips over all other characters fast.
_WRITTEN_OTHERWISE = re.compile(
    rf"[%\\&{_INVISIBLE}](?:"
    r"(?<=%)(?:(?P<blank>(?:25)*[Cc]2%(?:25)*[Aa]0)|(?:25)*(?P<percent>[0-9A-Fa-f]{2}))"
    # Of a row of backslashes only the first begins an escape: else the row is walked once for each.
    r"|(?<=\\)(?<!\\\\)\\*+"
    r"(?:u(?P<u>[0-9A-Fa-f]{4})|x(?P<x>[0-9A-Fa-f]{2})|(?P<mark>[nrt\"'/]))"
    r"|(?<=&)(?:#(?P<decimal>[0-9]{1,7})|#[xX](?P<hex>[0-9A-Fa-f]{1,6})|(?P<named>commat|period|nbsp));"
    rf"|(?<=[{_INVISIBLE}]))"
)
_MARKS = {"n": "\n", "r": "\r", "t": "\t"}
_NAMED = {"commat": "@", "period": ".", "nbsp": " "}
_PLUS_FOR_BLANK = re.compile(r"(?<=[0-9)])\+(?=[0-9(])")
_LETTER = "\u00e0"
"""Stands for a byte of UTF-8 beyond ASCII: it is part of a word, whichever it is."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`text` is the reading; its character `i` begins at place `starts[i]` of the text read.

    `starts` has one place more, the end; it is None where all places are the same.
    """

    text: str
    starts: Sequence[int] | None

    def placed(self, found: Found) -> Found:
        """Return what was found in the reading with its places in the text that was read."""
        if self.starts is None:
            return found
        return Found(found.kind, self.starts[found.start], self.starts[found.end])


def read(text: str) -> Reading:
    """Return the reading of `text`; it takes time linear in the text's length."""
    if text.isascii() and "%" not in text and "\\" not in text and "&" not in text:
        return Reading(text, None)
    pieces: list[str] = []
    starts: list[int] = []
    done, percent = 0, False
    for match in _WRITTEN_OTHERWISE.finditer(text):
        start, end = match.span()
        pieces.append(text[done:start])
        starts.extend(range(done, start))
        if char := _decoded(match):
            pieces.append(char)
            starts.append(start)
        percent = percent or match.lastgroup == "percent"
        done = end
    if not done:
        return Reading(text if text.isascii() else text.translate(_SAME), None)
    pieces.append(text[done:])
    starts.extend(range(done, len(text) + 1))
    read = "".join(pieces).translate(_SAME)
    return Reading(_PLUS_FOR_BLANK.sub(" ", read) if percent else read, starts)


def _decoded(match: re.Match[str]) -> str:
    """Return the one character that an escape stands for; nothing for invisible ones."""
    written = match[match.lastgroup] if match.lastgroup else ""
    match match.lastgroup:
        case "percent":
            code = int(written, 16)
            return chr(code) if code < 0x80 else _LETTER
        case "u" | "x" | "hex":
            return _character(int(written, 16))
        case "decimal":
            return _character(int(written))
        case "mark":
            return _MARKS.get(written, written)
        case "named":
            return _NAMED[written]
        case "blank":
            return " "
        case _:
            return ""


def _character(code: int) -> str:
    char = chr(code) if code < 0x110000 else _LETTER
    return "" if re.match(f"[{_INVISIBLE}]", char) else char
