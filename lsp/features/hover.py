"""What is under the pointer, explained: names, phrases, turns and keys; of traces, a span."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.completion.candidates import root_shape
from stalwart_lang.lsp.documents import same_uri
from stalwart_lang.lsp.explaining.keys import meaning
from stalwart_lang.lsp.explaining.names import Explaining, told_name, told_phrase
from stalwart_lang.lsp.explaining.readings import chosen_by, told
from stalwart_lang.lsp.explaining.words import language_for, words_in
from stalwart_lang.lsp.index.model import DocumentIndex, TurnText
from stalwart_lang.lsp.markup import markup_for_hover
from stalwart_lang.lsp.traces.documents import answer_of_trace, is_trace

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server


def register(server: "Server") -> None:
    """Serve `textDocument/hover`, of what is known at once: nothing is waited for."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def answer(params: types.HoverParams) -> types.Hover | None:
        if is_trace(params.text_document.uri):
            found: types.Hover | None = await answer_of_trace(server, "hover", params)
            return found
        return hover(server, same_uri(params.text_document.uri), params.position)


def hover(server: "Server", uri: str, position: types.Position) -> types.Hover | None:
    """What stands at a position of a vocabulary or an agent file, explained in its language."""
    index = server.project.index(uri)
    if index is None or index.kind not in ("vocabulary", "agent"):
        return None
    offset = index.document.offset(position)
    language = language_for(server, uri)
    about = Explaining(
        server,
        uri,
        server.analyses.latest(uri),
        words_in(language),
        markup_for_hover(server),
    )
    for start, end, blocks in _found(about, index, offset):
        content = about.markup.content(blocks)
        if content.value:
            return types.Hover(contents=content, range=index.document.range(start, end))
    return None


def _found(
    about: Explaining, index: DocumentIndex, offset: int
) -> Iterator[tuple[int, int, Iterator[str]]]:
    """Explanations of what is at an offset, the narrowest first."""
    one = index.at(offset)
    if one is not None:
        yield one.start, one.end, told_name(about, one)
    phrase = index.phrase_at(offset)
    if phrase is not None and phrase.owner == "tool":
        yield phrase.start, phrase.end, told_phrase(about, phrase)
    turn = index.turn_at(offset)
    if turn is not None:
        yield turn.start, turn.end, _turn(about, turn)
    steps = index.path_at(offset)
    key = steps[-1].key_node if steps else None
    if key is not None and key.start <= offset <= key.end:
        yield key.start, key.end, _key(about, index, tuple(step.key for step in steps))


def _turn(about: Explaining, turn: TurnText) -> Iterator[str]:
    """What a turn reads as in the text as it is, and who chose its language."""
    markup, words = about.markup, about.words
    for one in () if about.analysis is None else about.analysis.readings_of(about.uri):
        if (one.turn.number, one.turn.language, one.turn.text) != (
            turn.number,
            turn.language,
            turn.text,
        ):
            continue
        if not about.current:
            yield words.of_earlier.format(title=markup.strong(words.kinds["turn"]))
        yield from told(one.plan, turn.text, markup, words)
        yield chosen_by(one.plan, words, by_key=True)
        if one.ok is False:
            yield words.expected.format(
                expected=", ".join(map(markup.code, one.expected)),
                got=", ".join(map(markup.code, one.got)),
            )
        return


def _key(about: Explaining, index: DocumentIndex, path: tuple[str | int, ...]) -> Iterator[str]:
    says = meaning(root_shape(index), path, about.words.written_in)
    if says is not None:
        yield f"{about.markup.strong(about.words.kinds['key'])} {about.markup.code(str(path[-1]))}"
        yield about.markup.prose(says)
