"""Hover end to end on vocabularies and agent files: in words, in both languages, never an error."""

import asyncio

import pytest
from editor import ENCODINGS, Editor, capabilities, editing, write_refusal
from lsprotocol import types

from stalwart_lang.lsp.documents import uri_of

pytestmark = pytest.mark.asyncio

SHOP = """\
vocabulary: shop # 🎈 ã
settings: {currency: {en: USD}}
things: {order: {en: [order], pt-BR: [pedido]}}
values: {size: {small: {en: [small], pt-BR: [pequeno]}}}
tools:
  charge_card:
    writes: true
    undo: refund
    description: "Takes *money* <b>now</b>"
    takes: {order_id: order, amount: money, size: optional size}
    say: {en: [charge], pt-BR: [cobrar]}
  refund: {takes: {order_id: order}, say: {en: [refund], pt-BR: [estornar]}}
rules:
  big-charge:
    tool: charge_card
    when: {amount: {over: 100}}
    requires_confirmation: true
    say: {en: "Too *much*.", pt-BR: "Muito."}
  no-refund: {tool: refund, never: true}
turns:
  - say: {en: "charge order 4411 40.00", pt-BR: "cobrar o pedido 4411 40,00"}
    plan: [{charge_card: {order_id: 4411, amount: 40.00}}]
  - say: {en: "don't refund order 5"}
    unread: negation
"""


async def read(editor: Editor, uri: str) -> None:
    """Wait until the turns of the document as it is are read."""
    await editor.client.text_document_inlay_hint_async(
        types.InlayHintParams(
            text_document=types.TextDocumentIdentifier(uri=uri),
            range=editor.range(uri, 0, len(editor.texts[uri])),
        )
    )


async def hovered(editor: Editor, uri: str, words: str, inside: int = 1) -> str:
    """The hover's text at the first `words`."""
    params = types.HoverParams(**editor.at(uri, words, inside))
    found = await editor.client.text_document_hover_async(params)
    if found is None:
        return ""
    assert isinstance(found.contents, types.MarkupContent)
    assert found.range.start <= params.position <= found.range.end
    return found.contents.value


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
async def test_names_and_turns_are_explained(encoding, line_break, tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    text = SHOP.replace("Takes ", "Takes \u2028 ").rstrip("\n").replace("\n", line_break)
    async with editing(tmp_path, encoding) as editor:
        editor.open(uri, text)
        await read(editor, uri)
        tool = await hovered(editor, uri, "charge_card")
        assert "Undone by `refund`." in tool
        assert "`order_id`: `order`" in tool
        assert "`size`: `optional size` (optional)" in tool
        assert "en: `charge order 4411 40.00`" in tool
        assert "pt-BR: `cobrar o pedido 4411 40,00`" in tool
        assert "\\*money\\* \\<b\\>" in tool
        rule = await hovered(editor, uri, "big-charge")
        assert "Where `amount` is over `100`:" in rule
        assert "A person must confirm `charge_card`." in rule
        assert "step `confirmation`: `confirm`, as `big-charge`" in rule
        assert "pt-BR: Muito." in rule
        assert "No decision is recorded." in rule
        turn = await hovered(editor, uri, "charge order 4411")
        assert "This turn is **read**." in turn
        assert "charge_card(order_id=4411, amount=40.00 USD)" in turn
        assert "Language: en" in turn
        assert "`negation` (`don't`)" in await hovered(editor, uri, "don't refund")


async def test_phrases_words_and_keys_are_explained(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP)
        await read(editor, uri)
        assert "`charging`" in await hovered(editor, uri, "charge]")
        assert "`cobre`" in await hovered(editor, uri, "cobrar]")
        thing = await hovered(editor, uri, "order: {en")
        assert "en: `order`, `orders`" in thing
        assert "pt-BR: `pedido`, `pedidos`" in thing
        assert "`charge_card.order_id`" in thing
        assert "`pequenas`" in await hovered(editor, uri, "small: {en")
        assert "`money`" in await hovered(editor, uri, "amount: money")
        assert "**Key** `undo`" in await hovered(editor, uri, "undo:")


async def test_the_vocabulary_says_which_language(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    text = SHOP.replace("settings: {", "settings: {language: pt-BR, ")
    async with editing(tmp_path) as editor:
        editor.open(uri, text)
        await read(editor, uri)
        assert "Quando `amount` é maior que `100`:" in await hovered(editor, uri, "big-charge")
        assert "Desfeita por `refund`." in await hovered(editor, uri, "charge_card")


async def test_a_client_without_markdown_gets_plain_text(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    declared = capabilities()
    declared.text_document.hover = types.HoverClientCapabilities(
        content_format=[types.MarkupKind.PlainText]
    )
    async with editing(tmp_path, declared=declared) as editor:
        editor.open(uri, SHOP)
        await read(editor, uri)
        tool = await hovered(editor, uri, "charge_card")
        assert "Takes *money* <b>now</b>" in tool
        assert "`" not in tool


async def test_a_rule_tells_its_decisions(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    write_refusal(tmp_path / "run.jsonl", "refund", "no-refund")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP)
        await read(editor, uri)
        async with asyncio.timeout(30):
            while types.WORKSPACE_CODE_LENS_REFRESH not in editor.refreshes or (
                "refuse 1" not in await hovered(editor, uri, "no-refund")
            ):
                editor.arrived.clear()
                await editor.arrived.wait()
        rule = await hovered(editor, uri, "no-refund")
        assert "`refund` is refused." in rule
        assert "2026-11-30 09:00:00 UTC **refuse**, by `rulebook`" in rule
        assert "run.jsonl#L1)" in rule


async def test_odd_places_and_documents_never_fail(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    texts = ("", "\n", "vocabulary: &a [*a]\nturns: &b {say: *b}", SHOP[:-200] + '{["', "- \t: :")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP)
        for text in (*texts, SHOP.replace("never: true}", "never: [true")):
            editor.rewrite(uri, text)
            lines = range(text.count("\n") + 2)
            for place in (types.Position(line, c) for line in lines for c in (0, 3, 12, 900)):
                await editor.client.text_document_hover_async(
                    types.HoverParams(types.TextDocumentIdentifier(uri), place)
                )
        assert "charge_card" in await hovered(editor, uri, "charge_card")
        closed = types.TextDocumentIdentifier(uri_of(tmp_path / "none.yaml"))
        params = types.HoverParams(closed, types.Position(9, 9))
        assert await editor.client.text_document_hover_async(params) is None
