"""Semantic tokens: the words of phrases and types, whole, of a range, and what changed."""

import random
from itertools import pairwise

import pytest
from editor import ENCODINGS, Editor, editing, units
from lsprotocol import types

from stalwart_lang.lsp.documents import Document, uri_of
from stalwart_lang.lsp.features.semantic_tokens import (
    TOKEN_TYPES,
    changes,
    encoded,
    tokens_of,
)
from stalwart_lang.lsp.workspace import Project

TEXT = (
    "vocabulary: loja\r\n"
    "things: {pedido: {en: [order], pt-BR: ['🛒 pedido']}}\r\n"
    "tools:\r\n"
    "  charge_card:\r\n"
    "    takes: {order_id: pedido, amount: optional money}\r\n"
    "    undo: refund_card\r\n"
    '    say: {pt-BR: ["cobrar 🛒 o\u2028cartão {order_id} {amount}"]}\r\n'
    "  refund_card: {takes: {order_id: pedido}}"
)
WORDS = [
    ("order", "string"),
    ("🛒", "string"),
    ("pedido", "string"),
    ("pedido", "class"),
    ("refund_card", "function"),
    ("cobrar", "keyword"),
    ("🛒", "string"),
    ("o", "string"),
    ("cartão", "string"),
    ("{order_id}", "parameter"),
    ("{amount}", "parameter optional"),
    ("pedido", "class"),
]


def decoded(text: str, data, encoding: str) -> list[tuple[str, str]]:
    """The words that tokens stand for, read as the protocol says."""
    lines = text.replace("\r\n", "\n").split("\n")
    found = []
    line = character = 0
    for number in range(0, len(data), 5):
        lines_on, on, length, kind, modifiers = data[number : number + 5]
        line, character = line + lines_on, on if lines_on else character + on
        points = {units(lines[line][:n], encoding): n for n in range(len(lines[line]) + 1)}
        word = lines[line][points[character] : points[character + length]]
        found.append((word, TOKEN_TYPES[kind] + (" optional" if modifiers else "")))
    return found


async def full(editor: Editor, uri: str) -> types.SemanticTokens:
    which = types.TextDocumentIdentifier(uri=uri)
    answer = await editor.client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(text_document=which)
    )
    assert answer is not None
    return answer


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.asyncio
async def test_words_are_told_apart(encoding, tmp_path):
    uri = uri_of(tmp_path / "loja.yaml")
    async with editing(encoding=encoding) as editor:
        provider = editor.capabilities.semantic_tokens_provider
        assert provider.legend.token_types == TOKEN_TYPES
        assert provider.full.delta
        assert provider.range
        editor.open(uri, TEXT)
        assert decoded(TEXT, (await full(editor, uri)).data, encoding) == WORDS
        which = types.TextDocumentIdentifier(uri=uri)
        part = await editor.client.text_document_semantic_tokens_range_async(
            types.SemanticTokensRangeParams(
                text_document=which, range=editor.range_of(uri, "refund_card\r\n")
            )
        )
        assert decoded(TEXT, part.data, encoding) == [("refund_card", "function")]


@pytest.mark.asyncio
async def test_only_what_changed_is_given(tmp_path):
    uri = uri_of(tmp_path / "loja.yaml")
    async with editing() as editor:
        editor.open(uri, TEXT)
        before = await full(editor, uri)
        which = types.TextDocumentIdentifier(uri=uri)

        async def delta(previous: str):
            return await editor.client.text_document_semantic_tokens_full_delta_async(
                types.SemanticTokensDeltaParams(text_document=which, previous_result_id=previous)
            )

        editor.replace(uri, "cobrar 🛒", "cobrar já 🛒")
        answer = await delta(before.result_id)
        (edit,) = answer.edits
        data = list(before.data)
        data[edit.start : edit.start + edit.delete_count] = edit.data
        assert data == list((await full(editor, uri)).data)
        assert len(edit.data) <= 10
        answer = await delta("another")  # not known: all of them
        assert data == list(answer.data)
        assert not (await delta(answer.result_id)).edits


def test_edits_make_one_of_the_other():
    chance = random.Random(5)
    for _ in range(500):
        before, after = (
            [chance.randrange(2) for _ in range(5 * chance.randrange(6))] for _ in range(2)
        )
        made = list(before)
        for edit in changes(before, after):
            assert edit.start % 5 == edit.delete_count % 5 == 0
            made[edit.start : edit.start + edit.delete_count] = edit.data
        assert made == after


@pytest.mark.parametrize(
    "text",
    [
        "",
        "vocabulary: x\ntools: {a: &a [*a]}\n",
        "vocabulary: x\ntools: {a: {say: &s {en: ['b {c} {', \"\\x41 \\\n d\"]}}, b: {say: *s}}",
        "vocabulary: x\ntools:\n  a:\n    say:\n      en: >-\n        charge\n        {o}\n  b: [",
    ],
)
def test_odd_texts_have_tokens_in_order(text, tmp_path):
    project = Project()
    project.open(Document(uri_of(tmp_path / "x.yaml"), 1, text), "stalwart")
    index = project.index(uri_of(tmp_path / "x.yaml"))
    assert index is not None
    tokens = tokens_of(index)
    assert all(one.end <= other.start for one, other in pairwise(tokens))
    data = encoded(index.document, tokens)
    assert len(data) % 5 == 0
    assert all(number >= 0 for number in data)


def test_the_shipped_vocabularies_have_tokens(shipped, tmp_path):
    for name in ("shop", "pix", "agenda"):
        text = shipped(name)
        project = Project()
        project.open(Document(uri_of(tmp_path / "x.yaml"), 1, text), "stalwart")
        index = project.index(uri_of(tmp_path / "x.yaml"))
        assert index is not None
        tokens = tokens_of(index)
        words = [(text[one.start : one.end], one.type) for one in tokens]
        assert [one for one, _ in decoded(text, encoded(index.document, tokens), "utf-16")] == [
            word for word, _ in words
        ]
        assert {kind for _, kind in words} >= {"keyword", "string", "parameter", "function"}
