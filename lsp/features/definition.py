"""Where a name is defined: of traces, the rule that a decision names."""

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from stalwart_lang.lsp.traces.documents import answer_of_trace, is_trace

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server


def register(server: "Server") -> None:
    """Answer for documents that are traces."""

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def answer(params: Any) -> Any:
        if is_trace(params.text_document.uri):
            return await answer_of_trace(server, "definition", params)
        return None
