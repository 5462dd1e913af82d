"""What can be folded: sections, entries and what is in them, and comments of several lines."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.index.build import content_end
from stalwart_lang.lsp.index.model import DocumentIndex
from stalwart_lang.lsp.index.scalars import last_word
from stalwart_lang.lsp.kept import Kept
from stalwart_lang.vocabulary.yaml12 import Node, Scalar, Sequence

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server


# A `#` that is the first of its line.
_COMMENT = re.compile(r"(?:\A|(?<=[\n\r]))[ \t]*(?=#)")


def register(server: "Server") -> None:
    """Serve `textDocument/foldingRange`."""
    kept = Kept(folds_of)
    server.on_change(lambda uri: None if server.project.is_open(uri) else kept.forget(uri))

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
        index = server.project.index(params.text_document.uri)
        if index is None:
            return None
        asked = server.client_capabilities.text_document
        most = asked.folding_range.range_limit if asked and asked.folding_range else None
        return kept.of(index)[: most or None]


def folds_of(index: DocumentIndex) -> list[types.FoldingRange]:
    """The folds of a document, the outermost first; no two begin on the same line."""
    found: dict[int, tuple[int, int, types.FoldingRangeKind | None]] = {}
    for depth, first, last, kind in (*_of_nodes(index), *_of_comments(index)):
        known = found.get(first)
        if last > first and (known is None or last > known[1]):
            found[first] = depth if known is None else known[0], last, kind
    ordered = sorted(found.items(), key=lambda one: (one[1][0], one[0]))
    return [
        types.FoldingRange(start_line=first, end_line=last, kind=kind)
        for first, (_, last, kind) in ordered
    ]


Fold = tuple[int, int, int, types.FoldingRangeKind | None]


def _of_nodes(index: DocumentIndex) -> Iterator[Fold]:
    """Entries and items of more than one line; an alias stands for something elsewhere."""
    document = index.document
    waiting: list[tuple[Node, int]] = [] if index.root is None else [(index.root, 0)]
    seen: set[int] = set()
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, Scalar) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Sequence):
            parts = [(item.start, item) for item in node.items]
        else:
            parts = [(key.start, value) for key, value in node.entries]
        for start, value in parts:
            if value.start < start:
                waiting.append((value, depth + 1))
            elif _is_broken(document.text, start, value.end):
                waiting.append((value, depth + 1))
                end = last_word(document.text, start, content_end(document.text, value))
                kind = None
                if depth == 0 and document.text.startswith("include", start):
                    kind = types.FoldingRangeKind.Imports
                yield depth, document.line_of(start), document.line_of(max(start, end)), kind


def _is_broken(text: str, start: int, end: int) -> bool:
    """Whether there is a line break in a part of a text."""
    return text.find("\n", start, end) >= 0 or text.find("\r", start, end) >= 0


def _of_comments(index: DocumentIndex) -> Iterator[Fold]:
    """Lines of comments that follow one another; what looks so within a scalar is none."""
    document = index.document
    within = _lines_of_scalars(index)
    lines = (document.line_of(found.end()) for found in _COMMENT.finditer(document.text))
    first = last = -2
    for line in lines:
        if line in within:
            continue
        if line != last + 1:
            yield 0, first, last, types.FoldingRangeKind.Comment
            first = line
        last = line
    yield 0, first, last, types.FoldingRangeKind.Comment


def _lines_of_scalars(index: DocumentIndex) -> set[int]:
    """The lines that a scalar goes on over, after its first."""
    text = index.document.text
    found: set[int] = set()
    waiting: list[Node] = [] if index.root is None else [index.root]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Scalar):
            first = index.document.line_of(node.start)
            last = index.document.line_of(max(node.start, node.end - 1))
            found.update(range(first + 1, last + 1))
            continue
        values = node.items if isinstance(node, Sequence) else [one for _, one in node.entries]
        waiting += [one for one in values if _is_broken(text, one.start, one.end)]
    return found
