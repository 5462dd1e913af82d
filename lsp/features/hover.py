"""What is under the pointer, explained: of traces, a span and its decision."""

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from stalwart_lang.lsp.traces.documents import answer_of_trace, is_trace

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server


def register(server: "Server") -> None:
    """Answer for documents that are traces."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def answer(params: Any) -> Any:
        if is_trace(params.text_document.uri):
            return await answer_of_trace(server, "hover", params)
        return None
