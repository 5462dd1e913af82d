"""An editor as the tests have it: a client over stdio, with the documents that it has open."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

SERVER = [sys.executable, "-m", "stalwart_lang", "lsp"]
ENCODINGS = ("utf-8", "utf-16")
_PATIENCE = 60.0
_BYTES = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
_REFRESHES = (
    types.WORKSPACE_INLAY_HINT_REFRESH,
    types.WORKSPACE_CODE_LENS_REFRESH,
    types.WORKSPACE_DIAGNOSTIC_REFRESH,
)


def units(text: str, encoding: str) -> int:
    """The length of a text in the units of an encoding."""
    codec, size = _BYTES[encoding]
    return len(text.encode(codec)) // size


def position(text: str, offset: int, encoding: str) -> types.Position:
    """The position of an offset, reckoned as the protocol says and not as the server does."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    line, last = before.count("\n"), before.rpartition("\n")[2]
    return types.Position(line=line, character=units(last, encoding))


def write_refusal(path: Path, tool: str, rule: str, times: int = 1) -> None:
    """Write a trace in which calls of `tool` were refused by `rule`, a second after the other."""
    lines = [json.dumps(_refusal(tool, rule, number)) + "\n" for number in range(times)]
    path.write_text("".join(lines), encoding="utf-8")


def _refusal(tool: str, rule: str, number: int) -> dict[str, Any]:
    return {
        "type": "span",
        "trace_id": "0af7651916cd43dd8448eb211c80319c",
        "span_id": f"{number + 1:016x}",
        "parent_id": None,
        "name": "stalwart.tool_check",
        "start": f"2026-11-30T09:00:{number:02}Z",
        "end": f"2026-11-30T09:00:{number + 1:02}Z",
        "duration_ms": 1.0,
        "status": "ok",
        "error": None,
        "attributes": {
            "gen_ai.tool.name": tool,
            "stalwart.outcome": "refuse",
            "stalwart.decided_by": "rulebook",
            "stalwart.rule": rule,
        },
        "events": [],
    }


@dataclass
class Editor:
    """Has documents open; texts and versions are those that the server was told."""

    client: LanguageClient
    encoding: str
    capabilities: types.ServerCapabilities
    texts: dict[str, str] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    published: dict[str, types.PublishDiagnosticsParams] = field(default_factory=dict)
    refreshes: list[str] = field(default_factory=list)
    registered: list[types.Registration] = field(default_factory=list)
    questions: list[types.ShowMessageRequestParams] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def open(self, uri: str, text: str, language_id: str = "stalwart") -> None:
        self.texts[uri], self.versions[uri] = text, 1
        item = types.TextDocumentItem(uri=uri, language_id=language_id, version=1, text=text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))

    def close(self, uri: str) -> None:
        del self.texts[uri], self.versions[uri]
        which = types.TextDocumentIdentifier(uri=uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=which))

    def replace(self, uri: str, old: str, new: str) -> None:
        """Change the first `old` to `new`, as one edit."""
        start = self.texts[uri].index(old)
        self.edit(uri, start, start + len(old), new)

    def edit(self, uri: str, start: int, end: int, new: str) -> None:
        change = types.TextDocumentContentChangePartial(range=self.range(uri, start, end), text=new)
        text = self.texts[uri]
        self._changed(uri, text[:start] + new + text[end:], [change])

    def rewrite(self, uri: str, text: str) -> None:
        self._changed(uri, text, [types.TextDocumentContentChangeWholeDocument(text=text)])

    def _changed(
        self, uri: str, text: str, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> None:
        self.texts[uri] = text
        self.versions[uri] += 1
        which = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=which, content_changes=changes)
        )

    def offset(self, uri: str, place: types.Position) -> int:
        """The offset of a position, reckoned by trying each."""
        text = self.texts[uri]
        return next(
            at
            for at in range(len(text) + 1)
            if text[at - 1 : at + 1] != "\r\n" and self.position(uri, at) == place
        )

    def apply(self, edit: types.WorkspaceEdit) -> None:
        """Change a document as the server asks; of a snippet the cursor is left out."""
        documents = [(one.text_document.uri, one.edits) for one in edit.document_changes or ()]
        for uri, edits in (*documents, *(edit.changes or {}).items()):
            (one,) = edits
            is_snippet = isinstance(one, types.SnippetTextEdit)
            new = (
                one.snippet.value.replace("$0", "").replace("\\}", "}")
                if is_snippet
                else one.new_text
            )
            start, end = (self.offset(uri, at) for at in (one.range.start, one.range.end))
            self.edit(uri, start, end, new)

    def position(self, uri: str, offset: int) -> types.Position:
        return position(self.texts[uri], offset, self.encoding)

    def range(self, uri: str, start: int, end: int) -> types.Range:
        return types.Range(start=self.position(uri, start), end=self.position(uri, end))

    def range_of(self, uri: str, words: str) -> types.Range:
        """Where the first `words` stand."""
        start = self.texts[uri].index(words)
        return self.range(uri, start, start + len(words))

    def at(self, uri: str, words: str, inside: int = 0) -> dict[str, Any]:
        """What a request about the place of the first `words` is given."""
        where = self.position(uri, self.texts[uri].index(words) + inside)
        return {"text_document": types.TextDocumentIdentifier(uri=uri), "position": where}

    async def until(
        self, uri: str, wanted: Callable[[Sequence[types.Diagnostic]], bool]
    ) -> Sequence[types.Diagnostic]:
        """The diagnostics of the document as it is, once they are as wanted."""

        async def wait() -> Sequence[types.Diagnostic]:
            while True:
                its = self.published.get(uri)
                current = its is not None and its.version == self.versions.get(uri)
                if its is not None and current and wanted(its.diagnostics):
                    return its.diagnostics
                self.arrived.clear()
                await self.arrived.wait()

        return await asyncio.wait_for(wait(), _PATIENCE)

    async def codes(self, uri: str, *codes: str) -> Sequence[types.Diagnostic]:
        """The diagnostics of the document as it is, once they have exactly these codes."""
        return await self.until(uri, lambda its: sorted(str(d.code) for d in its) == sorted(codes))


def capabilities(encoding: str = "utf-16", *, pull: bool = False) -> types.ClientCapabilities:
    """What a usual editor declares."""
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(
            position_encodings=[types.PositionEncodingKind(encoding)]
        ),
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
                related_information=True, version_support=True, code_description_support=True
            ),
            diagnostic=types.DiagnosticClientCapabilities() if pull else None,
            code_action=types.CodeActionClientCapabilities(),
        ),
        workspace=types.WorkspaceClientCapabilities(
            apply_edit=True,
            configuration=True,
            workspace_edit=types.WorkspaceEditClientCapabilities(
                document_changes=True, resource_operations=[types.ResourceOperationKind.Create]
            ),
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
            inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
            code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(
                dynamic_registration=True
            ),
        ),
    )


@asynccontextmanager
async def editing(
    folder: Path | None = None,
    encoding: str = "utf-16",
    *,
    pull: bool = False,
    configuration: dict[str, Any] | None = None,
    declared: types.ClientCapabilities | None = None,
    command: Sequence[str] = tuple(SERVER),
) -> AsyncIterator[Editor]:
    """An editor with a server of its own, which ends with it."""
    published: dict[str, types.PublishDiagnosticsParams] = {}
    refreshes: list[str] = []
    registered: list[types.Registration] = []
    questions: list[types.ShowMessageRequestParams] = []
    editors: list[Editor] = []
    arrived = asyncio.Event()
    client = LanguageClient(converter_factory=default_converter)

    def publish(params: types.PublishDiagnosticsParams) -> None:
        published[params.uri] = params
        arrived.set()

    def register(params: types.RegistrationParams) -> None:
        registered.extend(params.registrations)

    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        editors[0].apply(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    def choose(params: types.ShowMessageRequestParams) -> types.MessageActionItem:
        """Choose the last of what is offered."""
        questions.append(params)
        return params.actions[-1]

    def refresh(method: str) -> Callable[[None], None]:
        def refreshed(_params: None) -> None:
            refreshes.append(method)
            arrived.set()

        return refreshed

    register_lsp_features(
        client,
        {
            **DEFAULT_CLIENT_FEATURES,
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: publish,
            types.CLIENT_REGISTER_CAPABILITY: register,
            types.WORKSPACE_APPLY_EDIT: apply,
            types.WINDOW_SHOW_MESSAGE_REQUEST: choose,
            **{method: refresh(method) for method in _REFRESHES},
        },
    )
    if configuration is not None:
        client.set_configuration(configuration, section="stalwart")
    config = ClientServerConfig(server_command=[*command], client_factory=lambda: client)
    await config.start()
    result = await client.initialize_session(
        types.InitializeParams(
            capabilities=declared or capabilities(encoding, pull=pull),
            workspace_folders=None
            if folder is None
            else [types.WorkspaceFolder(uri=folder.as_uri(), name=folder.name)],
        )
    )
    editor = Editor(
        client,
        encoding,
        result.capabilities,
        published=published,
        refreshes=refreshes,
        registered=registered,
        questions=questions,
        arrived=arrived,
    )
    editors.append(editor)
    try:
        yield editor
    finally:
        await client.shutdown_session()
        await client.stop()
