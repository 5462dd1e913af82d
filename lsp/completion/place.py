"""Where in a file something is typed, told by the text alone: it need not be YAML at this moment.

The section is that of the nearest line above with a key of the format's at its beginning, the
entry begins at the nearest line that is indented as the section's entries are, and only the entry
is read, token by token, up to the place. A quote or a bracket that is never closed ends where a
line is indented no further than the one it began on.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from stalwart_lang.lsp.documents import Document
from stalwart_lang.runs.agent_declarations import AGENT_FILE
from stalwart_lang.vocabulary.declarations import VOCABULARY

Role: TypeAlias = Literal["key", "value"]
Path: TypeAlias = tuple[str | int, ...]

_TOP_KEYS = frozenset((*VOCABULARY.keys, *AGENT_FILE.keys))
_TOP = re.compile(r"[\"']?([\w-]+)[\"']?[ ]*:(?=\s|$)")
_NAME = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^\s\"'#\[\]{},&*!|>%@`-][^#\n\r]*?|-[^\s#][^#\n\r]*?"
_KEY = re.compile(rf"({_NAME})[ ]*:(?=\s|\Z)")
_DASH = re.compile(r"-(?:[ ]+|(?=[\r\n]|\Z))")
_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*[ ]+)+")
_BLOCK = re.compile(r"[|>][-+0-9]*[ ]*(?:#[^\n\r]*)?(?=[\r\n]|\Z)")
_BREAK = re.compile(r"\r\n|\n|\r")
_BLANKS = re.compile(r"[ \t]*")
# A plain scalar; a slot that stands right after its words belongs to them, though YAML minds.
_PLAIN_FLOW = re.compile(
    r"[^\s,\[\]{}#\"'](?:(?!:(?:[\s,\[\]{}]|\Z)|[ \t]#)[^,\[\]{}\n\r]"
    r"|(?<=[\w} ])\{[^{},\[\]\n\r]*(?:\}|(?=[,\[\]\n\r]|\Z)))*"
)
_PLAIN = re.compile(r"(?:(?![ \t]#)[^\n\r])*")
_MOST_LINES = 20_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is typed.

    `path` leads to the mapping that a key is typed in, or to the value itself. `before` is what
    stands in the scalar before the place, `start` where that begins and `end` where the scalar
    ends on the line. `quote` is the mark that it stands in; `flow` is set between brackets and
    braces; `dash` where an item of a list begins on the line, `column` where an entry would stand.
    """

    path: Path
    role: Role
    before: str
    start: int
    end: int
    quote: str = ""
    flow: bool = False
    dash: bool = False
    column: int = 0
    keys: frozenset[str] = frozenset()
    colon: bool = False


@dataclass(slots=True)
class _Level:
    """A collection of the block that is open: the column of its keys or dashes, and the last."""

    column: int
    sequence: bool
    key: str | int
    filled: bool = False


@dataclass(slots=True)
class _Frame:
    """A collection between brackets that is open."""

    sequence: bool
    key: str | int | None = None
    keys: set[str] = field(default_factory=set)
    number: int = 0


def place_at(document: Document, offset: int) -> Place | None:
    """The place at an offset; None in comments, and where nothing can be typed."""
    return _Reading(document, offset).place()


class _Reading:
    def __init__(self, document: Document, offset: int) -> None:
        self.document = document
        self.text = document.text
        self.offset = offset
        self.levels: list[_Level] = []

    def place(self) -> Place | None:
        start = self._begin()
        found = self._block(start)
        if found is None or found.role != "key":
            return found
        if not found.flow:
            keys = frozenset(self._keys(found.column))
            return _with_keys(found, keys)
        return found

    # ------------------------------------------------------------ where to begin

    def _lines_above(self) -> Iterator[tuple[int, int]]:
        """The lines from the place's up, each where it begins and where its text does."""
        line = self.document.line_of(self.offset)
        for number in range(line, max(-1, line - _MOST_LINES), -1):
            start = self.document.starts[number]
            blanks = _BLANKS.match(self.text, start)
            yield start, blanks.end() if blanks else start

    def _begin(self) -> int:
        """Where to begin to read: at the section's key or at the entry, with what is above it."""
        entries: list[tuple[int, int]] = []  # indentation, start
        first = True
        for start, words in self._lines_above():
            here, first = first, False
            sign = self.text[words : words + 1]
            if sign in ("", "\n", "\r", "#") or (here and words >= self.offset):
                continue
            if words == start:
                top = _TOP.match(self.text, start)
                if top and top[1] in _TOP_KEYS:
                    if here and self.offset <= top.end():
                        return start
                    after = self.text[
                        top.end() : self.document.line_span(self.document.line_of(start))[1]
                    ].strip()
                    if not entries or (after and not after.startswith("#")):
                        return start
                    its = min(indent for indent, _ in entries)
                    begin = next(at for indent, at in entries if indent <= its)
                    self.levels.append(_Level(0, False, top[1]))
                    return begin
                if sign == "{":
                    return start
                if here and not _DASH.match(self.text, start):
                    return start
            entries.append((words - start, start))
        if not entries:
            return self.document.starts[self.document.line_of(self.offset)]
        return entries[-1][1]

    # ------------------------------------------------------------ blocks

    def _block(self, at: int) -> Place | None:
        """Read lines up to the place."""
        text, stop = self.text, self.offset
        while True:
            blanks = _BLANKS.match(text, at)
            words = blanks.end() if blanks else at
            line_end = self._line_end(at)
            if words >= stop or (words == line_end and line_end >= stop):
                return self._typed_key(at, stop, stop)
            if words == line_end or text[words] == "#":
                if line_end >= stop:
                    return None
                at = self._next(line_end)
                continue
            column = words - at
            dash = False
            while found := _DASH.match(text, words, line_end):
                self._item(column)
                if stop < found.end() and stop <= words:
                    return None
                dash = True
                column += found.end() - words
                words = found.end()
                if stop <= words:
                    return self._typed_key(at, words, stop, column=column, dash=True)
            key = _KEY.match(text, words, line_end)
            if key is None or stop <= key.end(1):
                if stop <= line_end:
                    if dash and (key is None or text[words] in "[{\"'"):
                        return self._value(words, column - 1, dash=True)[0]
                    return self._typed_key(at, words, stop, column=column, dash=dash)
                if dash:
                    found_place, at = self._value(words, column - 1, dash=True)
                    if found_place is not None or at >= stop:
                        return found_place
                else:
                    at = self._next(line_end)
                continue
            if stop < key.end():
                return None
            self._key(column, _unquoted(key[1]))
            found_place, at = self._value(key.end(), column)
            if found_place is not None or at > stop:
                return found_place
            if at == stop and self._line_end(stop) == len(text) and at == self._line_end(at):
                blank = text[:at].endswith(("\n", "\r"))
                if not blank:
                    return None

    def _key(self, column: int, name: str) -> None:
        self._close(column)
        if self.levels and not self.levels[-1].sequence and self.levels[-1].column == column:
            self.levels[-1].key = name
            self.levels[-1].filled = False
        else:
            self.levels.append(_Level(column, False, name))

    def _item(self, column: int) -> None:
        while self.levels and self.levels[-1].column > column:
            self.levels.pop()
        last = self.levels[-1] if self.levels else None
        if last is not None and last.sequence and last.column == column:
            last.key = int(last.key) + 1
        else:
            self.levels.append(_Level(column, True, 0))

    def _close(self, column: int) -> None:
        while self.levels and (
            self.levels[-1].column > column
            or (self.levels[-1].sequence and self.levels[-1].column == column)
        ):
            self.levels.pop()

    def _path(self) -> Path:
        return tuple(level.key for level in self.levels)

    def _typed_key(
        self, line: int, words: int, stop: int, *, column: int | None = None, dash: bool = False
    ) -> Place | None:
        """A key, or whatever else can begin a line, is typed from `words` on."""
        column = words - line if column is None else column
        self._close(column)
        if self.levels and not self.levels[-1].sequence and self.levels[-1].column == column:
            self.levels.pop()
        elif self.levels and self.levels[-1].filled:
            return None
        quote = self.text[words] if words < stop and self.text[words] in "\"'" else ""
        start = words + len(quote)
        end = self._end(start, quote, flow=False)
        after = self.text[end : self._line_end(end)]
        return Place(
            self._path(),
            "key",
            self.text[start:stop],
            start,
            end,
            quote,
            dash=dash,
            column=column,
            colon=bool(re.match(r"[\"']?[ ]*:", after)),
        )

    # ------------------------------------------------------------ values

    def _value(self, at: int, column: int, *, dash: bool = False) -> tuple[Place | None, int]:
        """Read what stands after a key or a dash: the place in it, or where to read on."""
        text, stop = self.text, self.offset
        blanks = _BLANKS.match(text, at)
        at = blanks.end() if blanks else at
        properties = _PROPERTIES.match(text, at)
        at = properties.end() if properties else at
        line_end = self._line_end(at)
        level = self.levels[-1]
        if at >= line_end or text[at] == "#":
            if stop <= line_end:
                return (None if at < stop else self._scalar(stop, "", dash=dash)), line_end + 1
            return None, self._next(line_end)
        if at >= stop:
            return self._scalar(at, "", dash=dash), line_end + 1
        level.filled = True
        block = _BLOCK.match(text, at)
        if block:
            at = self._next(block.end())
            while at < len(text):
                blanks = _BLANKS.match(text, at)
                words = blanks.end() if blanks else at
                end = self._line_end(at)
                if words < end and words - at <= column:
                    break
                if at <= stop <= end and words < end:
                    return Place(self._path(), "value", text[words:stop], words, end, "|"), at
                if end >= stop:
                    break
                at = self._next(end)
            return None, at
        if text[at] in "\"'":
            end = self._quoted(at, column)
            if stop <= end:
                return self._scalar(at + 1, text[at], dash=dash), end
            return None, self._next(self._line_end(end))
        if text[at] in "[{":
            return self._flow(at, column)
        if stop <= line_end:
            plain = _PLAIN.match(text, at, line_end)
            if plain and stop > plain.end() and "#" in text[plain.end() : stop]:
                return None, line_end
            return self._scalar(at, "", dash=dash), line_end
        return None, self._next(line_end)

    def _scalar(self, start: int, quote: str, *, dash: bool = False) -> Place:
        end = max(self._end(start, quote, flow=False), start)
        before = self.text[start : self.offset]
        return Place(self._path(), "value", before, start, end, quote, dash=dash)

    def _quoted(self, at: int, column: int) -> int:
        """Where a quoted scalar ends, its mark included; one never closed ends before a line."""
        mark, number = self.text[at], at + 1
        while number < min(len(self.text), self.offset):
            character = self.text[number]
            if character in "\r\n" and self._abandoned(number, column):
                return number
            if character == "\\" and mark == '"':
                number += 2
                continue
            if character == mark:
                if mark == "'" and self.text[number + 1 : number + 2] == "'":
                    number += 2
                    continue
                return number + 1 if number + 1 < self.offset else self._past(number)
            number += 1
        return self.offset

    def _past(self, number: int) -> int:
        """After a closing mark, which the place may be right behind."""
        return number + 1 if number >= self.offset else number

    def _abandoned(self, at: int, column: int) -> bool:
        """Whether the line after `at` is indented so little that nothing open goes on there."""
        start = self._next(at)
        blanks = _BLANKS.match(self.text, start)
        words = blanks.end() if blanks else start
        if start > self.offset:
            return False
        if words >= self._line_end(start) or words >= self.offset:
            return start <= self.offset <= self._line_end(start) and (
                min(words, self.offset) - start <= column
            )
        return words - start <= column

    # ------------------------------------------------------------ between brackets

    def _flow(self, at: int, column: int) -> tuple[Place | None, int]:
        """Read a collection between brackets up to the place or its end."""
        text, stop = self.text, self.offset
        frames: list[_Frame] = []
        while at < stop:
            character = text[at]
            if character in "\r\n":
                if self._abandoned(at, column):
                    return None, self._next(at)
                at = self._next(at)
            elif character in " \t":
                at += 1
            elif character == "#" and text[at - 1 : at].isspace():
                end = self._line_end(at)
                if stop <= end:
                    return None, stop + 1
                at = end
            elif character in "[{":
                frames.append(_Frame(character == "["))
                at += 1
            elif character in "]}":
                at += 1
                if frames:
                    frames.pop()
                if not frames:
                    end = self._line_end(at)
                    return None, self._next(end) if end < stop else stop + 1
            elif character == ",":
                frames[-1].key = None
                frames[-1].number += 1
                at += 1
            elif character == ":":
                at += 1
            else:
                start = at + (character in "\"'")
                quote = character if start > at else ""
                if quote:
                    end = self._quoted(at, column)
                    if end < stop and text[end : end + 1] in "\r\n" and text[end - 1] != quote:
                        return None, self._next(end)
                    inside = stop < end or (stop == end and text[end - 1] != quote) or end == stop
                    if end == stop and text[stop - 1] == quote and stop - 1 > at:
                        return None, stop + 1
                else:
                    plain = _PLAIN_FLOW.match(text, at)
                    end = plain.end() if plain and plain.end() > at else at + 1
                    inside = stop <= end
                if inside:
                    return self._flow_place(frames, start, quote), stop
                frame = frames[-1]
                colon = re.compile(r"[ \t]*:").match(text, end)
                if not frame.sequence and frame.key is None and colon and colon.end() <= stop:
                    frame.key = _unquoted(text[at:end].rstrip())
                    frame.keys.add(frame.key)
                    end = colon.end()
                at = end
        return self._flow_place(frames, stop, ""), stop

    def _flow_place(self, frames: list[_Frame], start: int, quote: str) -> Place | None:
        path: list[str | int] = [*self._path()]
        for frame in frames[:-1]:
            path.append(frame.number if frame.sequence else frame.key or "")
        last = frames[-1]
        end = max(self._end(start, quote, flow=True), self.offset)
        before = self.text[start : self.offset]
        colon = bool(re.compile(r"[\"']?[ ]*:").match(self.text, end))
        if last.sequence or last.key is not None:
            path.append(last.number if last.sequence else last.key or "")
            role: Role = "value"
        else:
            role = "key"
        keys = frozenset(last.keys) | frozenset(self._keys_after(end)) if role == "key" else None
        return Place(
            tuple(path),
            role,
            before,
            start,
            end,
            quote,
            flow=True,
            keys=keys or frozenset(),
            colon=colon,
        )

    def _keys_after(self, at: int) -> Iterator[str]:
        """The keys that follow in the same braces, on the line."""
        depth = 0
        line = self.text[at : self._line_end(at)]
        for found in re.finditer(r"[\[{]|[\]}]|,[ ]*(\"[^\"]*\"|'[^']*'|[\w-]+)[ ]*:", line):
            if found[0] in "[{":
                depth += 1
            elif found[0] in "]}":
                depth -= 1
                if depth < 0:
                    return
            elif depth == 0:
                yield _unquoted(found[1])

    # ------------------------------------------------------------ lines

    def _end(self, start: int, quote: str, *, flow: bool) -> int:
        """Where the scalar that begins at `start` ends on the place's line."""
        at = max(start, self.offset)
        line_end = self._line_end(at)
        if quote:
            found = self.text.find(quote, at, line_end)
            return found if found >= 0 else line_end
        stops = (
            r"[ \t]*(?:,|[\]}]|:(?=\s|\Z)|[ \t]#|\Z)" if flow else r"[ \t]*(?::(?=\s|\Z)|[ \t]#|\Z)"
        )
        ended = re.compile(stops).search(self.text, at, line_end)
        return ended.start() if ended else line_end

    def _line_end(self, at: int) -> int:
        return self.document.line_span(self.document.line_of(min(at, len(self.text))))[1]

    def _next(self, at: int) -> int:
        found = _BREAK.match(self.text, at)
        return found.end() if found else at + 1

    def _keys(self, column: int) -> Iterator[str]:
        """The keys of the block mapping that the place is in, above it and below."""
        line = self.document.line_of(self.offset)
        for step, first in ((-1, line - 1), (1, line + 1)):
            number = first
            while 0 <= number < self.document.line_count:
                start, end = self.document.line_span(number)
                number += step
                blanks = _BLANKS.match(self.text, start, end)
                words = blanks.end() if blanks else start
                if words == end or self.text[words] == "#":
                    continue
                dashed = False
                while found := _DASH.match(self.text, words, end):
                    words, dashed = found.end(), True
                if dashed and (step > 0 or words - start > column):
                    if words - start <= column:
                        break
                    continue
                if words - start < column:
                    break
                if words - start == column:
                    key = _KEY.match(self.text, words, end)
                    if key:
                        yield _unquoted(key[1])
                if dashed:
                    break


def _with_keys(place: Place, keys: frozenset[str]) -> Place:
    return Place(
        place.path,
        place.role,
        place.before,
        place.start,
        place.end,
        place.quote,
        place.flow,
        place.dash,
        place.column,
        keys,
        place.colon,
    )


def _unquoted(name: str) -> str:
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'" else name
