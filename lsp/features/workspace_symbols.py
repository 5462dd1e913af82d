"""Names by a part of theirs, in all vocabularies and agent files of the workspace."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.completion.candidates import plain
from stalwart_lang.lsp.features.symbols import SYMBOL_KINDS
from stalwart_lang.lsp.index.model import DocumentIndex, Occurrence
from stalwart_lang.lsp.kept import Kept

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

_MOST = 500
_BREAK = re.compile(r"[\W_]+")


def register(server: "Server") -> None:
    """Serve `workspace/symbol`."""
    kept = Kept(_names)

    def found(query: str) -> list[types.SymbolInformation]:
        indexes = server.project.indexes()
        return symbols_named(query, ((index, kept.of(index)) for index in indexes))

    @server.feature(types.WORKSPACE_SYMBOL)
    async def symbols(params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        await server.all_found()
        return await server.run(found, params.query)


Names = tuple[tuple[str, Occurrence], ...]


def _names(index: DocumentIndex) -> Names:
    """A document's declarations, each once and with its name as one may type it."""
    found = {one.start: one for one in index.definitions()}
    return tuple((plain(one.name), one) for one in found.values())


def symbols_named(
    query: str, names: Iterable[tuple[DocumentIndex, Names]]
) -> list[types.SymbolInformation]:
    """The declarations whose names have the letters of a query in order, the nearest first."""
    wanted = "".join(plain(query).split())
    found: list[tuple[int, int, str, DocumentIndex, Occurrence]] = []
    for index, its in names:
        for name, one in its:
            rank = _rank(wanted, name)
            if rank is not None:
                found.append((rank, len(name), name, index, one))
    found.sort(key=lambda one: one[:3])
    return [
        types.SymbolInformation(
            name=one.name,
            kind=SYMBOL_KINDS[one.kind],
            location=types.Location(uri=one.uri, range=index.document.range(one.start, one.end)),
            container_name=one.container or index.vocabulary_name or None,
        )
        for _, _, _, index, one in found[:_MOST]
    ]


def _rank(wanted: str, name: str) -> int | None:
    """How near a name is to what is wanted, the less the nearer; None where it is not meant."""
    if not wanted or wanted == name:
        return 0
    if name.startswith(wanted):
        return 1
    if any(part.startswith(wanted) for part in _BREAK.split(name)):
        return 2
    if wanted in name:
        return 3
    letters = iter(name)
    return 4 if all(letter in letters for letter in wanted) else None
