"""The text of documents: an own line table, and positions in the client's units.

The protocol breaks lines at `\\n`, `\\r\\n` and `\\r` only, and counts characters in the encoding
that the client chose. Everything else in the server counts code points from the text's beginning.
"""

import os
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from lsprotocol import types

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]

_LINE_BREAK = re.compile(r"\r\n|\n|\r")
# What a name or a word is made of: letters with their accents, digits, `_` and `-`.
_WORD = re.compile(r"[\w\-\u0300-\u036f]+")
_DRIVE = re.compile(r"/[A-Za-z]:")


def line_starts(text: str) -> list[int]:
    """Where the lines of a text begin."""
    return [0, *(found.end() for found in _LINE_BREAK.finditer(text))]


@dataclass(frozen=True, slots=True)
class Document:
    """One version of a document's text; offsets are code points, lines count from 0."""

    uri: str
    version: int | None
    text: str
    encoding: Encoding = "utf-16"
    _starts: list[int] = field(default_factory=list, repr=False, compare=False)

    @property
    def starts(self) -> list[int]:
        """Where the lines begin; looked for when first asked, as a trace may be very large."""
        if not self._starts:
            self._starts[:] = line_starts(self.text)
        return self._starts

    @property
    def line_count(self) -> int:
        """The number of lines; a last line break begins one more."""
        return len(self.starts)

    def line_of(self, offset: int) -> int:
        """The line that an offset is on."""
        return bisect_right(self.starts, offset) - 1

    def line_span(self, line: int) -> tuple[int, int]:
        """Where a line begins and ends, without its break; of a line past the last, the end."""
        if line >= len(self.starts):
            return len(self.text), len(self.text)
        start = self.starts[line]
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return start, end

    def offset(self, position: types.Position) -> int:
        """The offset of a position; one past a line's end is at its end."""
        start, end = self.line_span(position.line)
        line = self.text[start:end]
        if self.encoding == "utf-32" or line.isascii():
            return start + min(position.character, len(line))
        return start + _points(line, position.character, self.encoding)

    def position(self, offset: int) -> types.Position:
        """The position of an offset; one between `\\r` and `\\n` is before them."""
        offset = max(0, min(offset, len(self.text)))
        line = self.line_of(offset)
        start, end = self.line_span(line)
        before = self.text[start : min(offset, end)]
        return types.Position(line=line, character=_units(before, self.encoding))

    def range(self, start: int, end: int) -> types.Range:
        """The range of a span."""
        return types.Range(start=self.position(start), end=self.position(end))

    def offset_at(self, line: int, column: int) -> int:
        """The offset of a place as the SDK counts it: from 1, without a byte order mark."""
        start, end = self.line_span(line - 1)
        if line == 1 and self.text.startswith("\ufeff"):
            start += 1
        return min(start + column - 1, max(start, end))


def _units(text: str, encoding: Encoding) -> int:
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-16":
        return len(text) + sum(character > "\uffff" for character in text)
    return len(text.encode(errors="surrogatepass"))


def _points(line: str, units: int, encoding: Encoding) -> int:
    """How many code points of a line are in so many units; a part of one does not count."""
    seen = 0
    for number, character in enumerate(line):
        seen += _units(character, encoding)
        if seen > units:
            return number
    return len(line)


def changed(
    document: Document,
    version: int | None,
    changes: Iterable[types.TextDocumentContentChangeEvent],
) -> Document:
    """A document after a client's changes, which hold one after the other."""
    for change in changes:
        text = change.text
        if isinstance(change, types.TextDocumentContentChangePartial):
            start = document.offset(change.range.start)
            end = max(start, document.offset(change.range.end))
            starts = _starts_after(document, start, end, text)
            text = document.text[:start] + text + document.text[end:]
            document = Document(document.uri, version, text, document.encoding, starts)
        else:
            document = Document(document.uri, version, text, document.encoding)
    return Document(document.uri, version, document.text, document.encoding, document._starts)


def _starts_after(document: Document, start: int, end: int, text: str) -> list[int]:
    """Where the lines begin once `text` stands from `start` to `end`.

    Only the lines around are read again, and one before: what is put in may make one line break of
    two, or two of one.
    """
    starts = document.starts
    first = max(0, document.line_of(start) - 1)
    last = document.line_of(end) + 1
    stop = starts[last] if last < len(starts) else len(document.text)
    around = document.text[starts[first] : start] + text + document.text[end:stop]
    made = [starts[first] + at for at in line_starts(around)]
    if last < len(starts):
        grown = len(text) - (end - start)
        made.pop()  # where the next line begins, if a line break ends what was read
        made += [at + grown for at in starts[last:]]
    return starts[:first] + made


def word_at(document: Document, offset: int) -> tuple[int, int]:
    """Where the name or word around an offset begins and ends; empty where there is none."""
    start, end = document.line_span(document.line_of(offset))
    for found in _WORD.finditer(document.text, start, end):
        if found.start() <= offset <= found.end():
            return found.span()
    return offset, offset


def uri_of(path: str | os.PathLike[str]) -> str:
    """The URI of a file, written in one way for each file."""
    absolute = os.path.normpath(Path.cwd() / path).replace(os.sep, "/")
    if not absolute.startswith("/"):  # a drive of Windows
        absolute = f"/{absolute[0].lower()}{absolute[1:]}"
    return "file://" + quote(absolute, safe="/:@!$&'()+,;=~-._", errors="surrogateescape")


def path_of(uri: str) -> str | None:
    """The path of a file's URI; None for what is no file, such as an unsaved document."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    path = unquote(parts.path, errors="surrogateescape")
    if _DRIVE.match(path) and os.name == "nt":
        path = path[1:]
    return os.path.normpath(path)


def same_uri(uri: str) -> str:
    """A client's URI as this server writes it: clients escape more or fewer characters."""
    path = path_of(uri)
    return uri if path is None else uri_of(path)
