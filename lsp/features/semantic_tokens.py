"""What the words of phrases and types are: verbs, slots, things; the keys are the grammar's."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from stalwart_lang.lsp.index.model import DocumentIndex
from stalwart_lang.lsp.kept import Kept

if TYPE_CHECKING:
    from stalwart_lang.lsp.documents import Document
    from stalwart_lang.lsp.server import Server

TOKEN_TYPES = (
    "keyword",
    "parameter",
    "string",
    "function",
    "class",
    "enum",
    "enumMember",
    "struct",
    "variable",
)
"""Standard types, so that every theme has a colour for them."""
TOKEN_MODIFIERS = ("optional",)
"""Of a slot: its argument may be left out."""
LEGEND = types.SemanticTokensLegend(token_types=[*TOKEN_TYPES], token_modifiers=[*TOKEN_MODIFIERS])

_PARTS = {"verb": "keyword", "literal": "string", "slot": "parameter", "optional": "parameter"}
_NAMES = {
    "tool": "function",
    "slot": "parameter",
    "thing": "class",
    "list": "enum",
    "member": "enumMember",
    "unit": "struct",
    "fact": "variable",
}
_FIELDS = 5
"""The numbers of a token: lines and characters from the one before, length, type, modifiers."""


class Token(NamedTuple):
    """A word of a document, by offsets."""

    start: int
    end: int
    type: str
    modifiers: int = 0


@dataclass(frozen=True, slots=True)
class _Given:
    """The tokens that a client has, as numbers."""

    name: str
    data: tuple[int, ...]


def register(server: "Server") -> None:
    """Serve `textDocument/semanticTokens`: all, of a range, and what changed."""
    kept = Kept(tokens_of)
    given: dict[str, _Given] = {}
    counted = 0

    def forget(uri: str) -> None:
        if not server.project.is_open(uri):
            kept.forget(uri)
            given.pop(uri, None)

    server.on_change(forget)

    def data_of(index: DocumentIndex) -> _Given:
        nonlocal counted
        counted += 1
        made = _Given(str(counted), encoded(index.document, kept.of(index)))
        if server.project.is_open(index.uri):
            given[index.uri] = made
        return made

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)
    def full(params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        index = server.project.index(params.text_document.uri)
        if index is None:
            return None
        made = data_of(index)
        return types.SemanticTokens(data=made.data, result_id=made.name)

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, LEGEND)
    def delta(
        params: types.SemanticTokensDeltaParams,
    ) -> types.SemanticTokens | types.SemanticTokensDelta | None:
        index = server.project.index(params.text_document.uri)
        if index is None:
            return None
        before = given.get(index.uri)
        made = data_of(index)
        if before is None or before.name != params.previous_result_id:
            return types.SemanticTokens(data=made.data, result_id=made.name)
        edits = [*changes(before.data, made.data)]
        return types.SemanticTokensDelta(edits=edits, result_id=made.name)

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, LEGEND)
    def of_range(params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
        index = server.project.index(params.text_document.uri)
        if index is None:
            return None
        document = index.document
        start, end = document.offset(params.range.start), document.offset(params.range.end)
        tokens = kept.of(index)
        first = bisect_right(tokens, start, key=lambda one: one.end)
        last = bisect_left(tokens, end, key=lambda one: one.start)
        return types.SemanticTokens(data=encoded(document, tokens[first:last]))


def tokens_of(index: DocumentIndex) -> list[Token]:
    """The tokens of a document in order, none in another."""
    found = sorted((*_of_phrases(index), *_of_names(index)))
    kept: list[Token] = []
    for one in found:
        if one.end > one.start and (not kept or one.start >= kept[-1].end):
            kept.append(one)
    return kept


def _of_phrases(index: DocumentIndex) -> Iterator[Token]:
    for phrase in index.phrases:
        for part in phrase.parts:
            yield Token(part.start, part.end, _PARTS[part.kind], int(part.kind == "optional"))


def _of_names(index: DocumentIndex) -> Iterator[Token]:
    """The names that are used; where they are declared they are keys."""
    for one in index.occurrences:
        if one.role == "reference" and one.kind in _NAMES:
            yield Token(one.start, one.end, _NAMES[one.kind])


def encoded(document: "Document", tokens: Sequence[Token]) -> tuple[int, ...]:
    """Tokens as the protocol has them: five numbers each, relative to the one before."""
    data: list[int] = []
    line, begin, end, plain = -1, 0, -1, True
    before_line = before_character = 0
    for token in tokens:
        if token.start > end:
            line = document.line_of(token.start)
            begin, end = document.line_span(line)
            plain = document.text[begin:end].isascii()
        if token.end > end:  # no word of a token is on two lines, but an escape may be
            continue
        if plain:
            character, length = token.start - begin, token.end - token.start
        else:
            character = document.position(token.start).character
            length = document.position(token.end).character - character
        same = line == before_line
        data += (
            line - before_line,
            character - before_character if same else character,
            length,
            TOKEN_TYPES.index(token.type),
            token.modifiers,
        )
        before_line, before_character = line, character
    return tuple(data)


def changes(before: Sequence[int], after: Sequence[int]) -> Iterator[types.SemanticTokensEdit]:
    """The edit that makes `after` of `before`, in whole tokens; none where nothing changed."""
    shorter = min(len(before), len(after))
    first = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    if first == len(before) == len(after):
        return
    first -= first % _FIELDS
    same = 0
    while same < shorter - first and before[-1 - same] == after[-1 - same]:
        same += 1
    same -= same % _FIELDS
    yield types.SemanticTokensEdit(
        start=first,
        delete_count=len(before) - first - same,
        data=after[first : len(after) - same],
    )
