"""What can be done at a line: of traces, opening a run as a page."""

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from stalwart_lang.lsp.traces.documents import answer_of_trace, is_trace

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server


def register(server: "Server") -> None:
    """Answer for documents that are traces."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def answer(params: Any) -> Any:
        if is_trace(params.text_document.uri):
            return await answer_of_trace(server, "lens", params)
        return None
