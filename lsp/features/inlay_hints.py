"""Inlay hints: what each turn reads as or where it stops, and how often rules and tools decided."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.documents import Document, same_uri
from stalwart_lang.lsp.explaining.readings import brief, currency_of
from stalwart_lang.lsp.explaining.recorded import (
    counts_of,
    decided,
    decisions_of,
    decisions_told,
    last_of,
)
from stalwart_lang.lsp.explaining.words import Words, language_for, words_in
from stalwart_lang.lsp.index.model import DocumentIndex, Occurrence
from stalwart_lang.lsp.markup import Markup
from stalwart_lang.lsp.steady import Placed, Steady, within
from stalwart_lang.lsp.traces.documents import is_trace

if TYPE_CHECKING:
    from stalwart_lang.lsp.analysis import Analysis, TurnReading
    from stalwart_lang.lsp.server import Server

_COLON = re.compile(r"[\"']?[ ]*:")


def register(server: "Server") -> None:
    """Serve `textDocument/inlayHint`, of the text as it is now."""
    turns: Steady[TurnReading] = Steady()
    names: Steady[Occurrence] = Steady()

    def changed(uri: str) -> None:
        if not server.project.is_open(uri):
            turns.forget(uri)
            names.forget(uri)

    server.on_change(changed)
    server.on_configuration(server.refresh)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hints(params: types.InlayHintParams) -> list[types.InlayHint] | None:
        uri = same_uri(params.text_document.uri)
        if is_trace(uri):
            return None
        get = server.project.configuration.get
        analysis = await server.analyses.ready(uri) if get("hints.turns", True) else None
        index = server.project.index(uri)
        if index is None or index.kind not in ("vocabulary", "agent"):
            return None
        document = index.document
        words = words_in(language_for(server, uri))
        start, end = document.offset(params.range.start), document.offset(params.range.end)
        found: list[types.InlayHint] = []
        if analysis is not None:
            read = turns.all_of(index, _read(analysis, index))
            found += (_of_turn(document, one, analysis, words) for one in within(read, start, end))
        if get("hints.counts", True):
            named = names.all_of(index, decided(index))
            for one in within(named, start, end):
                found += _of_name(server, document, one.what, one.end, words)
        return found


def _read(analysis: "Analysis", index: DocumentIndex) -> Iterator[Placed["TurnReading"]]:
    document = analysis.documents.get(index.uri)
    if document is not None and document.text == index.document.text:
        for one in analysis.readings_of(index.uri):
            yield Placed(one.turn.start, one.turn.end, one)


def _of_turn(
    document: Document, placed: Placed["TurnReading"], analysis: "Analysis", words: Words
) -> types.InlayHint:
    reading = placed.what
    currency = currency_of(analysis.vocabulary, reading.plan.language)
    shown = brief(reading.plan, reading.turn.text, currency, words)
    return types.InlayHint(
        position=document.position(placed.end),
        label=shown.label,
        tooltip=shown.tooltip or None,
        padding_left=True,
    )


def _of_name(
    server: "Server", document: Document, one: Occurrence, end: int, words: Words
) -> Iterator[types.InlayHint]:
    """How often a rule or a tool decided what, and the last decision."""
    recorded = decisions_of(server.traces, document.uri, one.kind, one.name)
    if recorded:
        told = decisions_told(recorded, words.decisions, Markup(False), words)
        yield types.InlayHint(
            position=document.position(_after_colon(document.text, end)),
            label=" · ".join(filter(None, (counts_of(recorded.counts), last_of(recorded, words)))),
            tooltip="\n".join(told),
            padding_left=True,
        )


def _after_colon(text: str, end: int) -> int:
    """Behind the `:` of a key that ends at an offset, and the quote before it."""
    colon = _COLON.match(text, end)
    return end if colon is None else colon.end()
