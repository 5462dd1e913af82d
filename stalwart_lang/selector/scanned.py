"""A turn cut into terminals, and where each of them stands in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from stalwart_lang.selector.lexer import Terminals
from stalwart_lang.words.text import Turn

_OPENING = frozenset("\"'“«‘")


@dataclass(slots=True)
class Scanned:
    """A turn with its tokens and terminals."""

    text: Turn
    tokens: Sequence[str]
    terminals: Terminals
    _places: list[int] | None = field(default=None, repr=False)

    def words(self, at: int) -> str:
        """Give the words of terminal `at`, in lower case, with one blank between."""
        return " ".join(self.tokens[self.terminals.starts[at] : self.terminals.ends[at]])

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Give the characters of the turn as typed from terminal `first` to terminal `last`."""
        return self.token_span(self.terminals.starts[first], self.terminals.ends[last])

    def token_span(self, at: int, end: int) -> tuple[int, int]:
        """Give the characters of the turn as typed from token `at` to before token `end`."""
        places = self._places
        if places is None:
            places = self._places = self.text.places(self.tokens)
        start, stop = places[at], places[end - 1] + len(self.tokens[end - 1])
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
