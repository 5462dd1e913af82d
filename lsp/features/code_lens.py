"""What can be done at a line: see what was decided there, try a turn; of traces, open a run."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from stalwart_lang.lsp.documents import same_uri, uri_of
from stalwart_lang.lsp.explaining.recorded import counts_of, decided, decisions_of, last_of
from stalwart_lang.lsp.explaining.words import language_for, words_in
from stalwart_lang.lsp.features.decisions import OPEN_DECISIONS
from stalwart_lang.lsp.features.traces import OPEN_DECISION, OPEN_TIMELINE
from stalwart_lang.lsp.features.try_turn import TRY_TURN
from stalwart_lang.lsp.index.model import DocumentIndex, Occurrence
from stalwart_lang.lsp.steady import Placed, Steady
from stalwart_lang.lsp.traces.documents import answer_of_trace, is_trace

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

_SHOWN = ("counts", "last", "timeline")


def register(server: "Server") -> None:
    """Serve `textDocument/codeLens` and `codeLens/resolve`; nothing is waited for."""
    names: Steady[Occurrence] = Steady()
    sections: Steady[str] = Steady()

    def changed(uri: str) -> None:
        if not server.project.is_open(uri):
            names.forget(uri)
            sections.forget(uri)

    server.on_change(changed)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))
    async def answer(params: Any) -> Any:
        uri = same_uri(params.text_document.uri)
        if is_trace(uri):
            return await answer_of_trace(server, "lens", params)
        index = server.project.index(uri)
        if index is None or index.kind not in ("vocabulary", "agent"):
            return None
        get = server.project.configuration.get
        found: list[types.CodeLens] = []
        if get("lenses.turns", True):
            placed = sections.all_of(index, _turns(index))
            found += (_lens(index, one.start, one.end, "try") for one in placed[:1])
        named = names.all_of(index, decided(index))
        for one in named if get("lenses.counts", True) else ():
            name = one.what
            if decisions_of(server.traces, uri, name.kind, name.name):
                for shows in _SHOWN:
                    found.append(_lens(index, one.start, one.end, shows, name))
        return found

    @server.feature(types.CODE_LENS_RESOLVE)
    def resolve(lens: types.CodeLens) -> types.CodeLens:
        if lens.command is None:
            lens.command = _command(server, lens.data)
        return lens


def _turns(index: DocumentIndex) -> Iterator[Placed[str]]:
    """The place to try turns at: where they stand, or the vocabulary's name where it has none."""
    if index.kind == "vocabulary":
        keys = {section.name: section.key for section in index.sections}
        key = keys.get("turns") or (None if index.broken else keys.get("vocabulary"))
        if key is not None:
            yield Placed(*key, "try")


def _lens(
    index: DocumentIndex, start: int, end: int, shows: str, name: Occurrence | None = None
) -> types.CodeLens:
    about = [] if name is None else [name.kind, name.name]
    return types.CodeLens(range=index.document.range(start, end), data=[shows, index.uri, *about])


def _command(server: "Server", data: Any) -> types.Command:
    """What a lens says and does, as of now."""
    match data:
        case ["try", str(uri)]:
            title = words_in(language_for(server, uri)).try_turn
            return types.Command(title=title, command=TRY_TURN, arguments=[uri])
        case [("counts" | "last" | "timeline") as shows, str(uri), ("rule" | "tool") as kind, name]:
            return _recorded(server, shows, uri, kind, str(name))
    return types.Command(title="", command="")


def _recorded(server: "Server", shows: str, uri: str, kind: Any, name: str) -> types.Command:
    words = words_in(language_for(server, uri))
    recorded = decisions_of(server.traces, uri, kind, name)
    if not recorded.latest:  # the trace was removed since the lens was asked for
        return types.Command(title=words.no_decisions, command="")
    last = recorded.latest[0]
    trace = uri_of(last.path)
    if shows == "counts":
        title = counts_of(recorded.counts)
        return types.Command(title=title, command=OPEN_DECISIONS, arguments=[uri, kind, name])
    if shows == "last":
        title = last_of(recorded, words)
        return types.Command(title=title, command=OPEN_DECISION, arguments=[trace, last.line])
    return types.Command(
        title=words.timeline, command=OPEN_TIMELINE, arguments=[trace, last.trace_id]
    )
