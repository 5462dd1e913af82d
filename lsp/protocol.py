"""The protocol as pygls speaks it, but for the documents: their text is kept by this server.

pygls breaks lines where the protocol does not, and keeps a text of its own that nothing here needs.
"""

import logging
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import JsonRPCNotification, LanguageServerProtocol, lsp_method

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

_log = logging.getLogger(__name__)

_UNREADABLE = "$/unreadable"
_ANSWERS = frozenset(
    (
        types.LSPErrorCodes.RequestFailed.value,
        types.LSPErrorCodes.ContentModified.value,
        types.LSPErrorCodes.ServerCancelled.value,
    )
)
"""Errors that a feature answers with: nothing went wrong in this server."""


class Protocol(LanguageServerProtocol):
    """Speaks with one client."""

    _server: "Server"

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Keep a document's text."""
        self._server.opened(params.text_document)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Change a document's text."""
        self._server.changed(params.text_document, params.content_changes)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Leave a document to the disk."""
        self._server.closed(params.text_document.uri)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a message; a request that is none is answered, where pygls says nothing."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            _log.warning("a message could not be read: %s", error)
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            return JsonRPCNotification(method=_UNREADABLE, jsonrpc=self.VERSION, params=None)

    def _send_handler_result(self, future: "Future[Any]", *, msg_id: str | int) -> None:
        """Answer a request; one that a feature refused is no failure to tell with a traceback."""
        error = None if future.cancelled() else future.exception()
        if isinstance(error, JsonRpcException) and error.code in _ANSWERS:
            _log.info("refused: %s", error.message)
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=error.to_response_error())
        else:
            super()._send_handler_result(future, msg_id=msg_id)
