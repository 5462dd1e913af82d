"""The command "try a turn": any client has it by `workspace/executeCommand`.

Its arguments are a document, a language or null for the vocabulary's, and the turn. Without one an
entry is added to `turns:` to type it in: the hints then say what it reads as.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from stalwart_lang.lsp.documents import Document, path_of, same_uri
from stalwart_lang.lsp.explaining.readings import brief, currency_of
from stalwart_lang.lsp.explaining.words import language_for, words_in
from stalwart_lang.lsp.index.targets import is_shipped
from stalwart_lang.lsp.traces.opening import show
from stalwart_lang.lsp.yaml_edits import added_item
from stalwart_lang.vocabulary.model import LANGUAGES, Language
from stalwart_lang.vocabulary.yaml12 import Mapping

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

TRY_TURN = "stalwart.tryTurn"
_CURSOR = "\0"


def register(server: "Server") -> None:
    """Serve the command."""

    @server.command(TRY_TURN)
    async def answer(*arguments: Any) -> dict[str, Any] | None:
        uri, language, turn = (*arguments, None, None, None)[:3]
        if not isinstance(uri, str):
            return None
        if turn is None:
            await add_turn(server, same_uri(uri), language)
        elif isinstance(turn, str) and turn.strip():
            return await try_turn(server, same_uri(uri), language, turn)
        return None


async def try_turn(
    server: "Server", uri: str, language: object, turn: str
) -> dict[str, Any] | None:
    """Read a turn with the vocabulary of a document as it is; show what it reads as.

    Returns the plan as `stalwart plan --json` has it, None where nothing can be read.
    """
    words = words_in(language_for(server, uri))
    chosen = _chosen(language)
    if language is not None and chosen is None:
        _show(server, words.no_such_language.format(language=language))
        return None
    analysis = await server.analyses.ready(server.project.main_of(uri))
    if analysis is None or analysis.selector is None:
        _show(server, words.no_vocabulary if analysis is None else words.has_errors)
        return None
    plan = await server.run(analysis.selector.plan, turn, chosen)
    told = brief(plan, turn, currency_of(analysis.vocabulary, plan.language), words)
    _show(server, f"{turn}\n{told.label}", types.MessageType.Info)
    return plan.to_dict()


def _chosen(language: object) -> Language | None:
    return next((known for known in LANGUAGES if known == language), None)


async def add_turn(server: "Server", uri: str, language: object) -> None:
    """Have the client add an entry to `turns:` of a vocabulary, or of an agent's vocabulary.

    The cursor is put between its quotes, where the client can.
    """
    own = language_for(server, uri)
    words = words_in(own)
    if language is not None and _chosen(language) is None:
        _show(server, words.no_such_language.format(language=language))
        return
    index = server.project.index(uri)
    if index is not None and index.kind == "agent":
        index = server.project.index(server.project.main_of(uri))
    if index is None or index.kind != "vocabulary" or not isinstance(index.root, Mapping):
        _show(server, words.no_vocabulary)
        return
    if not server.can("workspace.apply_edit"):
        _show(server, words.takes_no_edits)
        return
    document = index.document
    if is_shipped(index.uri):
        file = Path(path_of(index.uri) or index.uri).name
        _show(server, words.not_changed.format(file=file))
        return
    entry = [f'say: {{{_chosen(language) or own}: "{_CURSOR}"}}', "unread: any"]
    edit = added_item(document, index.root, "turns", entry)
    before, after = edit.new.split(_CURSOR)
    made = _edit(server, document, edit.start, edit.end, before, after)
    applied = await server.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(edit=made, label=words.try_turn)
    )
    if not applied.applied or _in_snippets(server, document, edit.start):
        return
    text = document.text[: edit.start] + before
    cursor = Document(document.uri, None, text, document.encoding).position(len(text))
    await show(
        server,
        types.ShowDocumentParams(
            uri=index.uri, take_focus=True, selection=types.Range(start=cursor, end=cursor)
        ),
    )


def _in_snippets(server: "Server", document: Document, start: int) -> bool:
    """Whether the entry is sent as a snippet: clients indent one as the line that it begins in."""
    begins_line = document.line_span(document.line_of(start))[0] == start
    return begins_line and server.can("workspace.workspace_edit.snippet_edit_support")


def _edit(
    server: "Server", document: Document, start: int, end: int, before: str, after: str
) -> types.WorkspaceEdit:
    where = document.range(start, end)
    edit = types.TextEdit(range=where, new_text=before + after)
    if not server.can("workspace.workspace_edit.document_changes"):
        return types.WorkspaceEdit(changes={document.uri: [edit]})
    which = types.OptionalVersionedTextDocumentIdentifier(
        uri=document.uri, version=document.version
    )
    if _in_snippets(server, document, start):
        before, after = (re.sub(r"[\\$}]", r"\\\g<0>", part) for part in (before, after))
        snippet = types.StringValue(value=f"{before}$0{after}")
        edits = [types.SnippetTextEdit(range=where, snippet=snippet)]
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(which, edits)])
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(which, [edit])])


def _show(
    server: "Server", message: str, kind: types.MessageType = types.MessageType.Warning
) -> None:
    server.window_show_message(types.ShowMessageParams(type=kind, message=message))
