"""Where a name is used, in all files that share it."""

from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.index.model import DocumentIndex
from stalwart_lang.lsp.namesakes import namesakes

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server
    from stalwart_lang.lsp.workspace import Project


def register(server: "Server") -> None:
    """Serve `textDocument/references`."""

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location] | None:
        uri = params.text_document.uri
        if server.project.index(uri) is None:
            return None
        await server.all_found()
        index = server.project.index(uri)
        if index is None:
            return None
        offset = index.document.offset(params.position)
        declared = params.context.include_declaration
        return references_at(server.project, index, offset, declared=declared)


def references_at(
    project: "Project", index: DocumentIndex, offset: int, *, declared: bool
) -> list[types.Location]:
    """Where what stands at a place is used; where it is `declared` too, if that is wanted."""
    one = index.at(offset)
    if one is None:
        return []
    found = namesakes(project, one)
    return [
        types.Location(uri=its.uri, range=found.indexes[its.uri].document.range(its.start, its.end))
        for its in (found.places if declared else found.references)
    ]
