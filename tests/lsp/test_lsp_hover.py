"""Hover end to end on vocabularies and agent files: in words, in both languages, never an error."""

import asyncio

import pytest
from editor import ENCODINGS, Editor, capabilities, editing, write_refusal
from lsprotocol import types

from stalwart_lang.lsp.documents import uri_of
from stalwart_lang.lsp.explaining.keys import PORTUGUESE
from stalwart_lang.runs.agent_declarations import AGENT_FILE
from stalwart_lang.vocabulary.declarations import VOCABULARY, Either, ListOf, MapOf, Record, Shape

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
        assert "No recorded decision has been found." in rule
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


async def test_examples_of_a_rule_are_turns_that_it_is_about_and_come_after_decisions(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    text = (
        SHOP + '  - say: {en: ["charge order 6 200.00", "charge order 7 €1.00"]}\n    unread: any\n'
    )
    async with editing(tmp_path) as editor:
        editor.open(uri, text)
        await read(editor, uri)
        rule = await hovered(editor, uri, "big-charge")
        assert "en: `charge order 6 200.00`" in rule
        assert "€1.00" in rule  # an amount in another currency can be compared with nothing
        assert "4411" not in rule
        assert rule.index("No recorded decision") < rule.index("Turns that read so")


INCLUDED = """\
vocabulary: rules
rules:
  ask-first: {tool: charge_card, requires_confirmation: true}
  signed: {tool: refund, requires: contract_signed}
"""
AGENT = """\
vocabulary: ./shop.yaml
agents:
  clerk: {tools: [charge_card, refund]}
tools: [{python: tools}]
facts: {contract_signed: true}
"""


async def test_what_other_files_say_is_told(tmp_path):
    main, part, agent = (
        uri_of(tmp_path / name) for name in ("shop.yaml", "rules.yaml", "agent.yaml")
    )
    text = SHOP.replace("settings:", "include: rules.yaml\nsettings:")
    for uri, content in ((main, text), (part, INCLUDED), (agent, AGENT)):
        (tmp_path / uri.rpartition("/")[2]).write_text(content, encoding="utf-8")
    async with editing(tmp_path) as editor:
        editor.open(agent, AGENT, "stalwart-agent")
        await read(editor, agent)
        tool = await hovered(editor, agent, "charge_card")
        assert "Undone by `refund`." in tool
        assert "**Rules**: `big-charge`, `ask-first`" in tool
        assert "en: `charge order 4411 40.00`" in tool
        assert "Required by: `signed`" in await hovered(editor, agent, "contract_signed")
        assert "**Key** `agents`" in await hovered(editor, agent, "agents")
        editor.open(part, INCLUDED)
        await read(editor, part)
        rule = await hovered(editor, part, "ask-first")
        assert "A person must confirm `charge_card`." in rule
        assert "en: `charge order 4411 40.00`" in rule
        assert "agent.yaml" in await hovered(editor, part, "contract_signed")


async def test_what_is_told_is_true_before_the_vocabulary_is_read_again(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP)
        await hovered(editor, uri, "big-charge")  # whatever is known by now
        await read(editor, uri)
        # The vocabulary has an error from here on, and stays as it was before.
        editor.replace(uri, "undo: refund", "undo: nothing")
        editor.replace(uri, "{over: 100}", "{over: 500}")
        await read(editor, uri)
        changed = await hovered(editor, uri, "big-charge")
        assert "100" not in changed
        assert "It was changed just now" in changed
        other = await hovered(editor, uri, "no-refund")
        assert "`refund` is refused." in other
        charge = await hovered(editor, uri, "charge_card:")
        assert "Undone by" not in charge
        assert "**Turns that read so, as of an earlier text**" in charge
        turn = await hovered(editor, uri, "charge order 4411")
        assert turn.startswith("**Turn**, as of an earlier text")
        assert "Undoes" not in await hovered(editor, uri, "refund: {takes")
        editor.replace(uri, "undo: nothing", "undo: refund")
        await read(editor, uri)
        assert "is over `500`" in await hovered(editor, uri, "big-charge")
        assert "earlier text" not in await hovered(editor, uri, "charge_card:")


async def test_keys_are_explained_in_the_files_language(tmp_path):
    uri, agent = uri_of(tmp_path / "shop.yaml"), uri_of(tmp_path / "agent.yaml")
    text = SHOP.replace("settings: {", "settings: {language: pt-BR, ")
    async with editing(tmp_path) as editor:
        editor.open(uri, text)
        undo = await hovered(editor, uri, "undo:")
        assert undo == "**Chave** `undo`\n\nA ferramenta que a desfaz, com os mesmos argumentos."
        found = await editor.client.text_document_completion_async(
            types.CompletionParams(**editor.at(uri, "writes:", 2))
        )
        (item,) = (one for one in found.items if one.label == "irreversible")
        solved = await editor.client.completion_item_resolve_async(item)
        assert solved.documentation == "Nada a desfaz."
        editor.open(agent, "language: pt-BR\nagents: {a: }\ntools: []\n", "stalwart-agent")
        assert "Onde estão as funções" in await hovered(editor, agent, "tools:")


async def test_every_key_is_explained_in_both_languages():
    assert set(PORTUGUESE) == {*keys_of(VOCABULARY), *keys_of(AGENT_FILE)}


def keys_of(shape: Shape) -> set[tuple[str, str]]:
    """The keys that a shape has, with what has them."""
    match shape:
        case Either():
            return keys_of(shape.long)
        case ListOf():
            return keys_of(shape.item)
        case MapOf():
            return keys_of(shape.value)
        case Record():
            found = {(shape.what, name) for name in shape.keys}
            return found.union(*(keys_of(key.shape) for key in shape.keys.values()))
        case _:
            return set()
