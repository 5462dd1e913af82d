"""Places within a line of a trace, in the client's units: the rest of the text is not looked at."""

from lsprotocol import types

from stalwart_lang.lsp.documents import Document, Encoding
from stalwart_lang.lsp.traces.reading import Line


def offset_in(line: Line, position: types.Position, encoding: Encoding) -> int:
    """Return the offset of a position within its line."""
    return _alone(line, encoding).offset(types.Position(line=0, character=position.character))


def range_in(line: Line, start: int, end: int, encoding: Encoding) -> types.Range:
    """Return the range of a part of a line."""
    alone = _alone(line, encoding)
    return types.Range(
        start=types.Position(line=line.number, character=alone.position(start).character),
        end=types.Position(line=line.number, character=alone.position(end).character),
    )


def _alone(line: Line, encoding: Encoding) -> Document:
    return Document("", None, line.text, encoding, [0])
