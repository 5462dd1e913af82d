"""Links to the files that a document names: included ones, a vocabulary, a trace, modules."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.documents import path_of, uri_of
from stalwart_lang.lsp.index.model import DocumentIndex
from stalwart_lang.lsp.index.targets import target_of
from stalwart_lang.lsp.python_tools import module_file

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server


def register(server: "Server") -> None:
    """Serve `textDocument/documentLink`."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def links(params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
        index = server.project.index(params.text_document.uri)
        return None if index is None else await server.run(links_of, index)


def links_of(index: DocumentIndex) -> list[types.DocumentLink]:
    """The links of a document to files that are there."""
    return [
        types.DocumentLink(range=index.document.range(start, end), target=target)
        for start, end, target in _targets(index)
    ]


def _targets(index: DocumentIndex) -> Iterator[tuple[int, int, str]]:
    for one in index.occurrences:
        if one.kind == "file":
            target = target_of(index.uri, one.name, one.container)
            path = None if target is None else path_of(target)
            if target is not None and path is not None and Path(path).is_file():
                yield one.start, one.end, target
        elif one.kind == "module":
            file = module_file(index.uri, one.name)
            if file is not None:
                yield one.start, one.end, uri_of(file)
