"""The command that opens the decisions of a rule or a tool: any client can choose one of them.

Its arguments are a document, `rule` or `tool`, and the name.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from stalwart_lang.lsp.documents import same_uri, uri_of
from stalwart_lang.lsp.explaining.recorded import decisions_of, in_thread, moment
from stalwart_lang.lsp.explaining.words import Words, language_for, words_in
from stalwart_lang.lsp.markup import Markup

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server
    from stalwart_lang.lsp.traces.index import Decision

OPEN_DECISIONS = "stalwart.openDecisions"
_OFFERED = 8


def register(server: "Server") -> None:
    """Serve the command."""

    @server.command(OPEN_DECISIONS)
    async def answer(*arguments: Any) -> None:
        match arguments:
            case (str(uri), ("rule" | "tool") as kind, str(name)):
                await _open(server, same_uri(uri), kind, name)


async def _open(server: "Server", uri: str, kind: Any, name: str) -> None:
    """Show the place of a decision; of several, the one that is chosen."""
    from stalwart_lang.lsp.traces.opening import open_decision

    words = words_in(language_for(server, uri))
    latest = decisions_of(server.traces, uri, kind, name).latest[:_OFFERED]
    if not latest:
        server.window_show_message(
            types.ShowMessageParams(type=types.MessageType.Info, message=words.no_decisions)
        )
        return
    chosen = latest[0]
    if len(latest) > 1:
        # Numbered, since a client tells the choice by its title alone.
        offered = {f"{number}. {_title(one, words)}": one for number, one in enumerate(latest, 1)}
        answer = await server.window_show_message_request_async(
            types.ShowMessageRequestParams(
                type=types.MessageType.Info,
                message=words.which_decision.format(name=name),
                actions=[types.MessageActionItem(title=title) for title in offered],
            )
        )
        if answer is None or answer.title not in offered:
            return
        chosen = offered[answer.title]
    await open_decision(server, uri_of(chosen.path), chosen.line)


def _title(decision: "Decision", words: Words) -> str:
    thread = f", {in_thread(decision, words, Markup(False))}" if decision.thread else ""
    place = f"{Path(decision.path).name}:{decision.line + 1}"
    return f"{moment(decision.time)} {decision.outcome}{thread} ({place})"
