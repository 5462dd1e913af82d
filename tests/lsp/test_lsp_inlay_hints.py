"""Inlay hints end to end: what turns read as while one types, and what rules have decided."""

import asyncio

import pytest
from editor import ENCODINGS, Editor, editing, write_refusal
from lsprotocol import types

from stalwart_lang.lsp.documents import uri_of

pytestmark = pytest.mark.asyncio

SHOP = """\
vocabulary: shop
settings: {currency: {en: USD}}
things: {order: {en: [order]}}
tools:
  charge_card: {takes: {order_id: order, amount: money}, say: {en: [charge]}}
  cancel_order: {takes: {order_id: order}, say: {en: [cancel]}}
rules:
  no-cancel: {tool: cancel_order, never: true}
turns: # 🎈 ã
  - say: {en: ["charge order 4411 40.00", "charge order 4411 €40.00"]}
    plan: [{charge_card: {order_id: 4411, amount: 40.00}}]
  - say: {en: "don't cancel order 5"}
    unread: negation
  - say: {en: "charge order 5"}
    incomplete: amount
  - say: {en: "cancel orders 1, 2, 3, 4, 5 and 6"}
    unread: any
"""


async def hints(
    editor: Editor, uri: str, start: int = 0, end: int | None = None
) -> dict[tuple[int, int], types.InlayHint]:
    """The hints of a part of a document by line and character."""
    whole = len(editor.texts[uri]) if end is None else end
    found = await editor.client.text_document_inlay_hint_async(
        types.InlayHintParams(
            text_document=types.TextDocumentIdentifier(uri=uri),
            range=editor.range(uri, start, whole),
        )
    )
    return {(one.position.line, one.position.character): one for one in found or ()}


def behind(editor: Editor, uri: str, words: str) -> tuple[int, int]:
    """The place right behind the first `words`."""
    place = editor.range_of(uri, words).end
    return place.line, place.character


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
async def test_each_turn_tells_what_it_reads_as(encoding, line_break, tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    text = SHOP.replace("charge order 4411 40.00", "charge order 4411 40.00 please", 1)
    text = text.replace("\"don't", "\"\u2028don't").rstrip("\n").replace("\n", line_break)
    async with editing(tmp_path, encoding) as editor:
        editor.open(uri, text)
        found = await hints(editor, uri)
        first = found[behind(editor, uri, '40.00 please"')]
        assert first.label == "→ charge_card(order_id=4411, amount=40.00)"
        assert "40.00 USD" in first.tooltip
        foreign = found[behind(editor, uri, '€40.00"')]
        assert foreign.label == "→ charge_card(order_id=4411, amount=40.00 EUR)"
        stopped = found[behind(editor, uri, 'cancel order 5"')]
        assert stopped.label.startswith("unread: ")
        lacking = found[behind(editor, uri, '"charge order 5"')]
        assert lacking.label == "incomplete: amount → charge_card(order_id=5)"
        many = found[behind(editor, uri, '5 and 6"')]
        assert many.label.startswith("→ cancel_order(order_id=1) → cancel_order(order_id=2)")
        assert many.label.endswith("more)")
        assert all(f"cancel_order(order_id={n})" in many.tooltip for n in range(1, 7))


async def test_hint_of_an_unread_turn_names_the_word(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP)
        hint = (await hints(editor, uri))[behind(editor, uri, '"don\'t cancel order 5"')]
        assert hint.label == (
            "unread: “don't” says what is not to be done; orders must be positive."
        )
        assert "negation (don't)" in hint.tooltip


async def test_only_the_asked_range_is_answered(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP)
        place = SHOP.index("\"don't")
        found = await hints(editor, uri, place, place + 30)
        (one,) = found.values()
        assert one.label.startswith("unread: “don't”")


async def test_hints_are_of_the_text_as_it_is_and_stay_while_it_is_broken(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP)
        before = await hints(editor, uri)
        editor.replace(uri, "don't cancel", "cancel")
        found = await hints(editor, uri)
        assert found[behind(editor, uri, '"cancel order 5"')].label == "→ cancel_order(order_id=5)"
        editor.rewrite(uri, SHOP)
        await hints(editor, uri)
        editor.replace(uri, "never: true}", "never: [true")
        found = await hints(editor, uri)
        assert {place: one.label for place, one in found.items()} == {
            place: one.label for place, one in before.items()
        }


async def test_odd_documents_have_no_hints(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, "")
        assert await hints(editor, uri) == {}
        editor.rewrite(uri, "vocabulary: &a [*a]\nturns: &b {say: *b}")
        assert await hints(editor, uri) == {}
        closed = types.InlayHintParams(
            text_document=types.TextDocumentIdentifier(uri=uri_of(tmp_path / "none.yaml")),
            range=types.Range(types.Position(9, 9), types.Position(10_000, 3)),
        )
        assert await editor.client.text_document_inlay_hint_async(closed) is None


async def test_rules_and_tools_tell_what_is_recorded(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    write_refusal(tmp_path / "run.jsonl", "cancel_order", "no-cancel")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP)
        async with asyncio.timeout(30):
            while types.WORKSPACE_INLAY_HINT_REFRESH not in editor.refreshes or (
                behind(editor, uri, "no-cancel:") not in await hints(editor, uri)
            ):
                editor.arrived.clear()
                await editor.arrived.wait()
        found = await hints(editor, uri)
        told = "refuse 1 · last 2026-11-30 09:00:00 UTC: refuse"
        hint = found[behind(editor, uri, "no-cancel:")]
        assert hint.label == told
        assert "by rulebook, rule no-cancel" in hint.tooltip
        assert found[behind(editor, uri, "  cancel_order:")].label == told
        assert behind(editor, uri, "charge_card:") not in found


async def test_settings_turn_hints_off(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    off = {"hints": {"turns": False, "counts": False}}
    async with editing(tmp_path, configuration=off) as editor:
        editor.open(uri, SHOP)
        await editor.codes(uri)
        assert await hints(editor, uri) == {}


LOJA = """\
vocabulary: loja
settings: {language: pt-BR}
include: partes.yaml
things: {conta: {pt-BR: [conta], en: [account]}}
tools:
  close_account: {takes: {account_id: conta}, say: {pt-BR: [fechar], en: [close]}}
  lock_account: {takes: {account_id: conta}, say: {pt-BR: [fechar]}}
turns:
  - say: {pt-BR: "não feche a conta 5", en: "don't close account 5"}
    unread: negation
  - say: {pt-BR: "feche a conta 5"}
    ambiguous: true
  - say: {pt-BR: "fechar a conta"}
    ambiguous: true
"""

PARTES = """\
vocabulary: partes
tools:
  open_account: {takes: {account_id: conta}, say: {pt-BR: [abrir], en: [open]}}
turns:
  - say: {pt-BR: "abra a conta 7"}
    plan: [{open_account: {account_id: 7}}]
  - say: {pt-BR: "abra a caixa 7"}
    plan: [{open_account: {account_id: 7}}]
"""


async def test_hints_are_in_the_vocabularys_language_and_in_files_that_it_includes(tmp_path):
    main, part = (uri_of(tmp_path / name) for name in ("loja.yaml", "partes.yaml"))
    (tmp_path / "partes.yaml").write_text(PARTES, encoding="utf-8")
    async with editing(tmp_path) as editor:
        editor.open(main, LOJA)
        editor.open(part, PARTES)
        found = await hints(editor, main)
        negated = found[behind(editor, main, '"não feche a conta 5"')]
        said = "não lido: “{}” diz o que não fazer; uma ordem tem de ser afirmativa."
        assert negated.label == said.format("não")
        assert found[behind(editor, main, 'account 5"')].label == said.format("don't")
        ambiguous = found[behind(editor, main, '"feche a conta 5"')]
        assert ambiguous.label == (
            "ambíguo: close_account(account_id=5) | lock_account(account_id=5)"
        )
        inside = await hints(editor, part)
        read = inside[behind(editor, part, '"abra a conta 7"')]
        assert read.label == "→ open_account(account_id=7)"
        lost = inside[behind(editor, part, '"abra a caixa 7"')]
        assert lost.label == "não lido: “caixa” não é uma palavra deste vocabulário."


async def test_a_turn_that_is_lost_says_why_and_its_word_is_underlined(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP)
        await hints(editor, uri)
        editor.replace(uri, "{en: [charge]}", "{en: [bill]}")
        found = await hints(editor, uri)
        label = found[behind(editor, uri, '40.00"')].label
        assert label == "unread: “charge” is not a word of this vocabulary."
        words = ("charge order 4411 40.00", "charge order 4411 €", "charge order 5")
        starts = [editor.texts[uri].index(one) for one in words]
        marked = [editor.range(uri, start, start + len("charge")) for start in starts]
        await editor.until(uri, lambda its: [one.range for one in its[:3]] == marked)
