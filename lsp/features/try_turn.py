"""The command "try a turn": any client has it by `workspace/executeCommand`.

Its arguments are a document, a language or null for the vocabulary's, and the turn.
"""

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from stalwart_lang.lsp.documents import same_uri
from stalwart_lang.lsp.explaining.readings import brief, currency_of
from stalwart_lang.lsp.explaining.words import language_for, words_in
from stalwart_lang.vocabulary.model import LANGUAGES

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

TRY_TURN = "stalwart.tryTurn"


def register(server: "Server") -> None:
    """Serve the command."""

    @server.command(TRY_TURN)
    async def answer(*arguments: Any) -> dict[str, Any] | None:
        uri, language, turn = (*arguments, None, None, None)[:3]
        if not isinstance(uri, str) or not isinstance(turn, str) or not turn.strip():
            return None
        return await try_turn(server, same_uri(uri), language, turn)


async def try_turn(
    server: "Server", uri: str, language: object, turn: str
) -> dict[str, Any] | None:
    """Read a turn with the vocabulary of a document as it is; show what it reads as.

    Returns the plan as `stalwart plan --json` has it, None where nothing can be read.
    """
    words = words_in(language_for(server, uri))
    chosen = next((known for known in LANGUAGES if known == language), None)
    if language is not None and chosen is None:
        _show(server, words.no_such_language.format(language=language))
        return None
    analysis = await server.analyses.ready(server.project.main_of(uri))
    if analysis is None or analysis.selector is None:
        _show(server, words.no_vocabulary if analysis is None else words.has_errors)
        return None
    plan = await server.run(analysis.selector.plan, turn, chosen)
    told = brief(plan, turn, currency_of(analysis.vocabulary, plan.language))
    _show(server, f"{turn}\n{told.label}", types.MessageType.Info)
    return plan.to_dict()


def _show(
    server: "Server", message: str, kind: types.MessageType = types.MessageType.Warning
) -> None:
    server.window_show_message(types.ShowMessageParams(type=kind, message=message))
