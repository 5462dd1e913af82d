"""What a selection grows to: word, part of a phrase, scalar, entry, section, document."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.documents import word_at
from stalwart_lang.lsp.index.build import content_end
from stalwart_lang.lsp.index.model import DocumentIndex
from stalwart_lang.lsp.index.scalars import content_start, is_quoted, last_word
from stalwart_lang.vocabulary.yaml12 import Scalar

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server


def register(server: "Server") -> None:
    """Serve `textDocument/selectionRange`."""

    @server.feature(types.TEXT_DOCUMENT_SELECTION_RANGE)
    def selection_ranges(params: types.SelectionRangeParams) -> list[types.SelectionRange] | None:
        index = server.project.index(params.text_document.uri)
        if index is None:
            return None
        return [selection_at(index, index.document.offset(one)) for one in params.positions]


def selection_at(index: DocumentIndex, offset: int) -> types.SelectionRange:
    """The selections around a place, the innermost with those around it as its parents."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted(_around(index, offset), key=lambda span: span[1] - span[0]):
        inner = spans[-1] if spans else (offset, offset)
        if start <= inner[0] and inner[1] <= end and (start, end) not in spans:
            spans.append((start, end))
    made: types.SelectionRange | None = None
    for start, end in reversed(spans):
        made = types.SelectionRange(range=index.document.range(start, end), parent=made)
    assert made is not None  # the document itself is around every place
    return made


def _around(index: DocumentIndex, offset: int) -> Iterator[tuple[int, int]]:
    document, text = index.document, index.document.text
    yield 0, len(text)
    yield word_at(document, offset)
    name = index.at(offset)
    if name is not None:
        yield name.start, name.end
    phrase = index.phrase_at(offset)
    for part in phrase.parts if phrase is not None else ():
        if part.start <= offset <= part.end:
            yield part.start, part.end
    for step in index.path_at(offset):
        start = step.node.start if step.key_node is None else step.key_node.start
        if step.node.start >= start:
            yield start, last_word(text, start, content_end(text, step.node))
        for node in (step.key_node, step.node):
            if isinstance(node, Scalar):
                yield node.start, node.end
                if is_quoted(text, node):
                    yield content_start(text, node), node.end - 1
            elif node is not None:
                yield node.start, last_word(text, node.start, content_end(text, node))
