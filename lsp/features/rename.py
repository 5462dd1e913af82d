"""A name given another, in all files that share it; open ones as they stand in the editor."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException

from stalwart_lang.diagnostics import quoted
from stalwart_lang.lsp.documents import path_of
from stalwart_lang.lsp.index.model import DocumentIndex
from stalwart_lang.lsp.namesakes import Namesakes
from stalwart_lang.lsp.python_tools import functions_of
from stalwart_lang.lsp.renaming import Refused, rename, renamed_at
from stalwart_lang.lsp.yaml_edits import Edit

if TYPE_CHECKING:
    from stalwart_lang.lsp.analysis import Analysis
    from stalwart_lang.lsp.server import Server

_FUNCTION = {
    "en": "stalwart: the Python function of {name} in {file} keeps its name; rename it too.",
    "pt-BR": "stalwart: a função Python de {name} em {file} mantém o nome; renomeie-a também.",
}


def register(server: "Server") -> None:
    """Serve `textDocument/prepareRename` and `textDocument/rename`."""

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        index = server.project.index(params.text_document.uri)
        if index is None:
            return None
        analysis = await _analysis(server, index, params.position)
        try:
            one = renamed_at(
                server.project, index, index.document.offset(params.position), analysis
            )
        except Refused as refused:
            raise _error(server, refused) from None
        if one is None:
            return None
        where = index.document.range(one.start, one.end)
        return types.PrepareRenamePlaceholder(range=where, placeholder=one.name)

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def answer(params: types.RenameParams) -> types.WorkspaceEdit | None:
        project = server.project
        if project.index(params.text_document.uri) is None:
            return None
        await server.all_found()  # a closed file that uses the name must not be missed
        index = project.index(params.text_document.uri)
        if index is None:
            return None
        analysis = await _analysis(server, index, params.position)
        offset = index.document.offset(params.position)

        def changed() -> tuple[Namesakes, dict[str, list[Edit]]] | None:
            one = renamed_at(project, index, offset, analysis)
            return None if one is None else rename(project, one, params.new_name, analysis)

        try:
            made = await server.run(changed)
        except Refused as refused:
            raise _error(server, refused) from None
        if made is None:
            return None
        found, edits = made
        indexes = found.indexes
        # What was typed meanwhile is not in the indexes that the edits are for.
        if any(project.document(uri) is not indexes[uri].document for uri in edits):
            raise JsonRpcContentModified
        _tell_of_functions(server, found, edits)
        return _edit(server, indexes, edits)


async def _analysis(
    server: "Server", index: DocumentIndex, position: types.Position
) -> "Analysis | None":
    """The readings of the turns, where an argument may be that of several tools."""
    one = index.at(index.document.offset(position))
    if one is None or one.kind != "slot":
        return None
    return await server.analyses.ready(index.uri)


def _error(server: "Server", refused: Refused) -> JsonRpcException:
    said = refused.said(server.project.configuration.language)
    return JsonRpcException(said, types.LSPErrorCodes.RequestFailed.value)


def _edit(
    server: "Server", indexes: Mapping[str, DocumentIndex], edits: Mapping[str, Iterable[Edit]]
) -> types.WorkspaceEdit:
    """The edits for the protocol: of open documents for their version, of closed ones for none."""
    made = {
        uri: [
            types.TextEdit(range=indexes[uri].document.range(one.start, one.end), new_text=one.new)
            for one in sorted(its)
        ]
        for uri, its in edits.items()
    }
    if not server.can("workspace.workspace_edit.document_changes"):
        return types.WorkspaceEdit(changes=made)
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                text_document=types.OptionalVersionedTextDocumentIdentifier(
                    uri=uri, version=indexes[uri].document.version
                ),
                edits=its,
            )
            for uri, its in made.items()
        ]
    )


def _tell_of_functions(
    server: "Server", found: Namesakes, edits: Mapping[str, Iterable[Edit]]
) -> None:
    """Python is not changed here: say which functions a renamed tool has."""
    kind, _, name = found.key
    if kind != "tool" or not edits:
        return
    agents = (index for index in found.indexes.values() if index.kind == "agent")
    words = _FUNCTION.get(server.project.configuration.language or "en", _FUNCTION["en"])
    for place in functions_of(name, agents, server.project.encoding):
        file = quoted(Path(path_of(place.uri) or place.uri).name)
        said = words.format(name=quoted(name), file=file)
        server.window_show_message(
            types.ShowMessageParams(type=types.MessageType.Info, message=said)
        )
