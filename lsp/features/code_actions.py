"""Quick fixes as code actions, each for the diagnostics that it mends."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from lsprotocol import types

from stalwart_lang.lsp.documents import same_uri
from stalwart_lang.lsp.features.diagnostics import diagnostic
from stalwart_lang.lsp.findings import Finding
from stalwart_lang.lsp.fixes import Fix, fixes_for
from stalwart_lang.lsp.index.model import DocumentIndex, Kind

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server


def register(server: "Server") -> None:
    """Serve `textDocument/codeAction`."""
    options = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        only = params.context.only
        wanted = types.CodeActionKind.QuickFix
        if only is not None and not any(one in ("", wanted) for one in only):
            return None
        uri = same_uri(params.text_document.uri)
        await server.analyses.settled(uri)
        index = server.project.index(uri)
        if index is None:
            return None
        start = index.document.offset(params.range.start)
        end = index.document.offset(params.range.end)
        touched = (
            one for one in server.analyses.findings(uri) if one.start <= end and start <= one.end
        )
        return [action for one in touched for action in _actions(server, index, one)]


def _actions(
    server: "Server", index: DocumentIndex, finding: Finding
) -> Iterator[types.CodeAction]:
    def names(kind: str) -> tuple[str, ...]:
        return server.project.names(index.uri, cast(Kind, kind))

    mended = diagnostic(server, index.document, finding)
    analysis = server.analyses.latest(index.uri)
    for fix in fixes_for(finding, index, analysis, names):
        if fix.creates is None or server.can("workspace.workspace_edit.resource_operations"):
            yield types.CodeAction(
                title=fix.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[mended],
                is_preferred=fix.preferred or None,
                edit=_edit(server, index, fix),
            )


def _edit(server: "Server", index: DocumentIndex, fix: Fix) -> types.WorkspaceEdit:
    document = index.document
    edits = [
        types.TextEdit(range=document.range(one.start, one.end), new_text=one.new)
        for one in fix.edits
    ]
    if fix.creates is not None:
        start = types.Position(line=0, character=0)
        content = types.TextEdit(range=types.Range(start=start, end=start), new_text=fix.content)
        created = types.OptionalVersionedTextDocumentIdentifier(uri=fix.creates)
        return types.WorkspaceEdit(
            document_changes=[
                types.CreateFile(
                    uri=fix.creates, options=types.CreateFileOptions(ignore_if_exists=True)
                ),
                types.TextDocumentEdit(text_document=created, edits=[content]),
            ]
        )
    if not server.can("workspace.workspace_edit.document_changes"):
        return types.WorkspaceEdit(changes={document.uri: edits})
    changed = types.OptionalVersionedTextDocumentIdentifier(
        uri=document.uri, version=document.version
    )
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(text_document=changed, edits=[*edits])]
    )
