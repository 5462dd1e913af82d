"""The text of a file and its line table."""

import re
from bisect import bisect_right

from stalwart_lang.vocabulary.model import Location

# YAML 1.2 breaks lines here only; PyYAML's own line numbers count U+0085, U+2028 and U+2029 too.
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Source:
    """A file's name and text, turning offsets in code points into locations."""

    __slots__ = ("_starts", "file", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._starts = [0, *(found.end() for found in _LINE_BREAK.finditer(text))]

    def location(self, start: int, end: int) -> Location:
        """Where the code points from `start` up to `end` stand."""
        starts = self._starts
        line = bisect_right(starts, start)
        begin = starts[line - 1]
        if line == len(starts) or end < starts[line]:
            return Location(self.file, line, start - begin + 1, line, end - begin + 1)
        end_line = bisect_right(starts, end)
        return Location(
            self.file, line, start - begin + 1, end_line, end - starts[end_line - 1] + 1
        )
