"""Recorded traces: followed while the server runs, opened by commands, and marked where open."""

import asyncio
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from stalwart_lang.lsp.configuration import DEFAULT_TRACES
from stalwart_lang.lsp.traces.documents import answer_of_trace, is_trace

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server
    from stalwart_lang.lsp.traces.session import Session

OPEN_TIMELINE = "stalwart.openTimeline"
OPEN_DECISION = "stalwart.openDecision"

_WAITS = 0.2
"""Seconds that a trace stays as it is before it is looked through: it may be written just now."""


def register(server: "Server") -> None:
    """Follow the traces of the workspace, serve the commands that open them, push what is wrong."""
    _register_commands(server)
    followed: list[Session] = []

    def begin() -> None:
        from stalwart_lang.lsp.traces.session import Session  # not before the client is ready

        session = Session(server)
        server.on_configuration(session.move)
        server.on_change(session.give_way)
        followed.append(session)

    def changed(uri: str) -> None:
        for session in followed:
            session.changed(uri)

    server.on_ready(begin)
    server.on_file(changed, *DEFAULT_TRACES)
    pushed = _Pushed(server)
    server.on_change(pushed.changed)
    server.on_configuration(pushed.changed_language)


def _register_commands(server: "Server") -> None:
    """Serve what shows recorded runs; `opening` is imported when it is first asked for."""

    @server.command(OPEN_TIMELINE)
    async def timeline(*arguments: Any) -> str | None:
        from stalwart_lang.lsp.traces.opening import open_timeline

        uri, trace_id = (*map(str, arguments), "", "")[:2]
        return await open_timeline(server, uri, trace_id)

    @server.command(OPEN_DECISION)
    async def decision(*arguments: Any) -> None:
        from stalwart_lang.lsp.traces.opening import open_decision

        uri, line = (*arguments, None, None)[:2]
        if isinstance(uri, str) and isinstance(line, int) and line >= 0:
            await open_decision(server, uri, line)


class _Pushed:
    """The diagnostics of open traces, for clients that do not ask for them."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._busy: set[str] = set()

    def changed(self, uri: str) -> None:
        """Look through a trace that was opened or changed, once it stays as it is for a while."""
        if not is_trace(uri) or self._server.can("text_document.diagnostic"):
            return
        if uri in self._waiting:
            self._waiting.pop(uri).cancel()
        if not self._server.project.is_open(uri):
            self._send(uri, None, [])
            return
        loop = asyncio.get_running_loop()
        self._waiting[uri] = loop.call_later(_WAITS, self._look, uri)

    def changed_language(self) -> None:
        """Tell of all that are open in the language that is set now."""
        for uri in self._server.project.open_uris():
            self.changed(uri)

    def _look(self, uri: str) -> None:
        self._waiting.pop(uri, None)
        if uri in self._busy:
            self.changed(uri)
        else:
            self._busy.add(uri)
            self._server.soon(lambda: self._push(uri))

    async def _push(self, uri: str) -> None:
        project = self._server.project
        try:
            document = project.document(uri)
            found = await answer_of_trace(self._server, "diagnostics", uri)
        finally:
            self._busy.discard(uri)
        if document is not None and project.is_open(uri) and project.document(uri) is document:
            self._send(uri, document.version, found)

    def _send(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=found)
        )
