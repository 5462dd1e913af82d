"""Hover in a trace: the span of a line in words, with links to its rule and its phrases."""

from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.documents import Encoding
from stalwart_lang.lsp.features.trace_definition import named_by, written_at
from stalwart_lang.lsp.markup import markup_for_hover
from stalwart_lang.lsp.traces.explaining import Around, explain
from stalwart_lang.lsp.traces.placing import offset_in
from stalwart_lang.lsp.traces.reading import line_at, number_at, record_of, span_at
from stalwart_lang.lsp.traces.words import words_of
from stalwart_lang.timeline.records import Span
from stalwart_lang.timeline.text import text_of
from stalwart_lang.tracing.attributes import CONVERSATION_ID

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

_ABOVE = 12
"""Levels above a span that are looked at for its run's thread."""


async def answer(server: "Server", params: types.HoverParams) -> types.Hover | None:
    """Answer `textDocument/hover` in a trace."""
    uri = params.text_document.uri
    document = server.project.document(uri)
    if document is None:
        return None
    found = await server.run(span_and_around, document.text, document.encoding, params.position)
    if found is None:
        return None
    span, around = found
    links = {
        named.name: f"{places[0].uri}#L{places[0].range.start.line + 1}"
        for named in named_by(span)
        if named.kind != "tool" and (places := written_at(server.project, named, uri))
    }
    markup = markup_for_hover(server)
    words = words_of(server.project.configuration.language)
    said = explain(span, words, around, links, markdown=markup.markdown)
    return types.Hover(contents=markup.content((said,)))


def span_and_around(
    text: str, encoding: Encoding, position: types.Position
) -> tuple[Span, Around] | None:
    """Return the span at a position, and what the trace tells of where it belongs."""
    line = line_at(text, position.line)
    span = None if line is None else span_at(line, offset_in(line, position, encoding))
    if line is None or span is None:
        return None
    parent: tuple[Span, int] | None = None
    above, thread, near = span, text_of(span, CONVERSATION_ID), line.start
    for _ in range(_ABOVE):
        if above.parent_id is None or (thread is not None and parent is not None):
            break
        found = record_of(text, above.parent_id, near)
        if found is None or found[1].trace_id != span.trace_id:
            break
        near, above = found
        if parent is None:
            parent = above, number_at(text, near, line)
        thread = thread or text_of(above, CONVERSATION_ID)
    return span, Around(parent, thread)
