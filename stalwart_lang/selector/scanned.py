"""A turn cut into terminals, and where each of them stands in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from stalwart_lang.selector.lexer import Terminals
from stalwart_lang.words.text import Turn

_OPENING = frozenset("\"'“«‘")


@dataclass(slots=True)
class Scanned:
    """A turn with its tokens and terminals; `pieces` are its tokens and the blanks around them."""

    text: Turn
    pieces: Sequence[str]
    tokens: Sequence[str]
    terminals: Terminals
    _ends: list[int] | None = field(default=None, repr=False)
    """Where each piece ends; made for turns whose places are asked for."""

    def words(self, at: int) -> str:
        """Give the words of terminal `at`, in lower case, with one blank between."""
        return " ".join(self.tokens[self.terminals.starts[at] : self.terminals.ends[at]])

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Give the characters of the turn as typed from terminal `first` to terminal `last`."""
        terminals = self.terminals
        return self.token_span(terminals.starts[first], terminals.ends[last])

    def token_span(self, at: int, end: int) -> tuple[int, int]:
        """Give the characters of the turn as typed from token `at` to before token `end`."""
        ends = self._ends
        if ends is None:
            ends = self._ends = [*accumulate(map(len, self.pieces))]
        start, stop = ends[2 * at], ends[2 * end - 1]
        offsets = self.text.offsets
        if offsets is None:
            return start, stop
        # A character that NFC takes apart has one place for all its parts.
        start = offsets[start]
        return start, max(offsets[stop], min(start + 1, len(self.text.typed)))

    def typed(self, at: int) -> str:
        """Give terminal `at` as typed; of a quotation, what stands between the quotes."""
        start, end = self.span(at, at)
        quoted = self.tokens[self.terminals.starts[at]][0] in _OPENING
        return self.text.typed[start + quoted : end - quoted]
