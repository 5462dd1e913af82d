"""The other places of a name in the same document: where it is declared, and where it is used."""

from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.index.model import DocumentIndex
from stalwart_lang.lsp.namesakes import mean_the_same

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server


def register(server: "Server") -> None:
    """Serve `textDocument/documentHighlight`."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlights(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
        index = server.project.index(params.text_document.uri)
        if index is None:
            return None
        return highlights_at(index, index.document.offset(params.position))


def highlights_at(index: DocumentIndex, offset: int) -> list[types.DocumentHighlight]:
    """The places of what stands at a place: written where declared, else read."""
    one = index.at(offset)
    if one is None:
        return []
    found: dict[tuple[int, int], types.DocumentHighlightKind] = {}
    for its in index.occurrences:
        if its.name == one.name and mean_the_same(its.key, one.key):
            written = its.role == "definition"
            kind = (
                types.DocumentHighlightKind.Write if written else types.DocumentHighlightKind.Read
            )
            found.setdefault((its.start, its.end), kind)
    return [
        types.DocumentHighlight(range=index.document.range(*place), kind=kind)
        for place, kind in found.items()
    ]
