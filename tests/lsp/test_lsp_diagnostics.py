"""Diagnostics end to end: what is wrong, where, as one types; pushed or given, never both."""

from pathlib import Path

import pytest
from editor import ENCODINGS, Editor, editing
from lsprotocol import types

from stalwart_lang.lsp.documents import Document, path_of, uri_of
from stalwart_lang.lsp.findings import Finding, Shift, carried
from stalwart_lang.vocabulary.locate import MAX_BYTES

pytestmark = pytest.mark.asyncio

SHOP = """\
vocabulary: shop
things: {order: {en: [order]}}
tools:
  cancel_order: {takes: {order_id: order}, say: {en: [cancel]}}
turns:
  - say: {en: "cancel order 5"}
    plan: [{cancel_order: {order_id: 5}}]
"""


def only(found: object) -> types.Diagnostic:
    assert isinstance(found, list | tuple)
    (one,) = found
    return one


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_diagnostic_has_code_place_page_and_related_place(encoding, tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    text = SHOP.replace("tools:", "tools: # 🎈\n  order: {}", 1) + "things: {}\n"
    async with editing(tmp_path, encoding) as editor:
        editor.open(uri, text)
        found = only(await editor.codes(uri, "SV007"))
        last = text.rindex("things")
        assert found.range == editor.range(uri, last, last + len("things"))
        assert (found.source, found.severity) == ("stalwart", types.DiagnosticSeverity.Error)
        page = path_of(found.code_description.href)
        assert Path(page).read_text(encoding="utf-8").startswith("# SV007:")
        related = only(found.related_information)
        assert related.location.uri == uri
        assert related.location.range == editor.range_of(uri, "things")
        assert editor.published[uri].version == 1


async def test_turns_are_read_as_one_types(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP)
        await editor.codes(uri)
        editor.replace(uri, "cancel order 5", "please do cancel order 5")
        found = only(await editor.codes(uri, "SV113"))
        assert found.range == editor.range_of(uri, "do")
        assert "question" in found.message
        editor.replace(uri, "please do cancel", "cancel")
        await editor.codes(uri)
        # A tool's phrase changes how the turn is read, and so does an argument of the plan.
        editor.replace(uri, "[cancel]", "[drop]")
        found = only(await editor.codes(uri, "SV113"))
        assert found.range == editor.range_of(uri, ["cancel", "order", "5"][0] + " order 5") or (
            editor.texts[uri].index("cancel order 5") > 0
        )
        editor.replace(uri, "[drop]", "[cancel]")
        await editor.codes(uri)
        editor.replace(uri, "order_id: 5}}]", "order_id: 6}}]")
        found = only(await editor.codes(uri, "SV113"))
        assert found.range == editor.range_of(uri, '"cancel order 5"')


async def test_lint_comes_after_the_errors_and_stays_while_the_text_is_broken(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    rules = (
        "rules:\n  never: {tool: cancel_order, never: true}\n"
        "  also: {tool: cancel_order, requires: [a]}\n"
    )
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP + rules)
        found = only(await editor.codes(uri, "SV108"))
        assert [*found.tags] == [types.DiagnosticTag.Unnecessary]
        assert found.range == editor.range_of(uri, "also")
        editor.replace(uri, "things: {order", "# one\n# two\nthings: {order")
        editor.replace(uri, "tools:", "tools")
        both = await editor.codes(uri, "SV004", "SV108")
        kept = next(one for one in both if one.code == "SV108")
        assert kept.range == editor.range_of(uri, "also")
        editor.replace(uri, "tools\n", "tools:\n")
        assert only(await editor.codes(uri, "SV108")).range == editor.range_of(uri, "also")


async def test_included_files_are_read_as_they_are_open_and_closed(tmp_path):
    main, part = uri_of(tmp_path / "main.yaml"), uri_of(tmp_path / "part.yaml")
    (tmp_path / "part.yaml").write_text("vocabulary: p\ntools: {a: {}}\n", encoding="utf-8")
    async with editing(tmp_path) as editor:
        editor.open(
            main, "vocabulary: m\ninclude: [part.yaml]\nrules: {r: {tool: pay, never: true}}\n"
        )
        assert only(await editor.codes(main, "SV041")).range == editor.range_of(main, "pay")
        editor.open(part, "vocabulary: p\ntools: {pay: {}}\n")
        await editor.codes(main)
        editor.rewrite(
            part, "vocabulary: p\ntools: {pay: {}}\nrules: {r: {tool: pay, never: true}}\n"
        )
        twice = only(await editor.codes(part, "SV032"))
        assert only(twice.related_information).location.uri == main
        await editor.codes(main)
        editor.close(part)
        await editor.codes(main, "SV041")


async def test_a_closed_file_has_no_diagnostics_left(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, "vocabulary: m\ntool: {}\n")
        await editor.codes(uri, "SV021")
        editor.close(uri)
        while editor.published[uri].diagnostics:
            editor.arrived.clear()
            await editor.arrived.wait()


async def test_files_of_others_are_left_alone(tmp_path):
    other, own = uri_of(tmp_path / "k8s.yaml"), uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(other, "apiVersion: v1\nkind: no\nspec: {a: [b}\n", "yaml")
        editor.open(own, "vocabulary: x\nthing: {}\n", "yaml")
        await editor.codes(own, "SV021")
        assert not editor.published.get(other, types.PublishDiagnosticsParams("", [])).diagnostics


async def test_an_unsaved_document_is_checked():
    uri = "untitled:Untitled-1"
    async with editing() as editor:
        editor.open(uri, SHOP.replace("order_id: 5}}]", "order: 5}}]"))
        both = await editor.until(uri, lambda its: any(one.code == "SV042" for one in its))
        found = next(one for one in both if one.code == "SV042")
        start = editor.texts[uri].rindex("order: 5")
        assert found.range == editor.range(uri, start, start + len("order"))


async def test_agent_files_are_checked_and_their_modules_are_not_run(tmp_path):
    ran = tmp_path / "ran"
    (tmp_path / "tools.py").write_text(f"open({str(ran)!r}, 'w')\n", encoding="utf-8")
    shop, agent = uri_of(tmp_path / "shop.yaml"), uri_of(tmp_path / "agent.yaml")
    (tmp_path / "shop.yaml").write_text(SHOP, encoding="utf-8")
    text = (
        "agents: {desk: {}}\nvocabulary: ./shop.yaml\nfacts: {paid: 7}\ntools: [{python: tools}]\n"
    )
    async with editing(tmp_path) as editor:
        editor.open(agent, text)
        await editor.codes(agent)
        editor.open(shop, SHOP + "rules: {r: {tool: cancel_order, requires: [paid]}}\n")
        found = only(await editor.codes(agent, "SV204"))
        assert found.range == editor.range_of(agent, "7")
        editor.replace(agent, "paid: 7", "paid: true")
        editor.replace(agent, "python: tools", "python: tolls")
        editor.replace(agent, "./shop.yaml", "./shopp.yaml")
        await editor.codes(agent, "SV203", "SV210")
        assert not ran.exists()


async def test_the_latest_version_wins(tmp_path, shipped):
    uri = uri_of(tmp_path / "shop.yaml")
    text = shipped("shop")
    async with editing(tmp_path) as editor:
        editor.open(uri, text)
        for number in range(60):
            editor.edit(uri, 0, 0, f"# {number}\n")
        editor.replace(uri, "undo: refund_card", "undo: refund_cart")
        found = await editor.until(uri, lambda its: bool(its))
        assert {one.code for one in found} == {"SV041"}
        assert editor.published[uri].version == editor.versions[uri] == 62


@pytest.mark.parametrize(
    "text",
    [
        "vocabulary: x\ntools: &a [*a, *a]\n",
        "vocabulary: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"t{n + 1}: &t{n + 1} [{', '.join([f'*t{n}'] * 9)}]\n" for n in range(9)).replace(
            "*t0", "*a"
        ),
    ],
    ids=["circle", "billion laughs"],
)
async def test_aliases_without_end_are_refused_at_once(text, tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP)
        await editor.codes(uri)
        editor.rewrite(uri, text)
        found = await editor.until(uri, lambda its: bool(its))
        assert "SV009" in {one.code for one in found}
        editor.rewrite(uri, SHOP)
        await editor.codes(uri)


async def test_a_file_that_is_too_large_is_said_to_be(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP + "#" * MAX_BYTES)
        await editor.codes(uri, "SV003")
        editor.rewrite(uri, SHOP)
        await editor.codes(uri)


async def test_a_broken_text_is_marked_where_it_breaks(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP.replace("{takes", "{takes {"))
        found = only(await editor.codes(uri, "SV004"))
        assert found.range.start.line == 3


# ------------------------------------------------------------ given where the client asks


async def report(
    editor: Editor, uri: str, previous: str | None = None
) -> types.DocumentDiagnosticReport:
    return await editor.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(
            text_document=types.TextDocumentIdentifier(uri=uri), previous_result_id=previous
        )
    )


async def test_diagnostics_are_given_to_a_client_that_asks_and_not_pushed(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path, pull=True) as editor:
        provider = editor.capabilities.diagnostic_provider
        assert (provider.identifier, provider.inter_file_dependencies) == ("stalwart", True)
        editor.open(uri, SHOP.replace("[cancel]", "[cancle]"))
        first = await report(editor, uri)
        assert [one.code for one in first.items] == ["SV113"]
        again = await report(editor, uri, first.result_id)
        assert again.kind == "unchanged"
        editor.replace(uri, "[cancle]", "[cancel]")
        assert not (await report(editor, uri, first.result_id)).items
        editor.replace(uri, "tools:", "tool:")
        assert "SV021" in {one.code for one in (await report(editor, uri)).items}
        assert editor.published == {}


async def test_a_client_that_asks_is_told_to_ask_again_where_lint_found_more(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    rules = (
        "rules:\n  n: {tool: cancel_order, never: true}\n  a: {tool: cancel_order, never: true}\n"
    )
    async with editing(tmp_path, pull=True) as editor:
        editor.open(uri, SHOP + rules)
        while "SV108" not in {one.code for one in (await report(editor, uri)).items}:
            if types.WORKSPACE_DIAGNOSTIC_REFRESH not in editor.refreshes:
                editor.arrived.clear()
                await editor.arrived.wait()


async def test_a_client_that_does_not_ask_is_not_offered_to(tmp_path):
    async with editing(tmp_path) as editor:
        assert editor.capabilities.diagnostic_provider is None


# ------------------------------------------------------------ moving along


def finding(text: str, words: str) -> Finding:
    start = text.index(words)
    return Finding("file:///a", start, start + len(words), "SV108", "m")


@pytest.mark.parametrize(
    ("old", "new", "words", "moved"),
    [
        ("abc def", "abc X def", "def", "def"),
        ("abc def", "abc def ghi", "abc", "abc"),
        ("abc def", "abc dXf", "def", None),
        ("aaaa bb", "aaa bb", "bb", "bb"),
        ("abc def", "", "def", None),
        ("é🎈 def", "é🎈🎈 def", "def", "def"),
    ],
)
async def test_findings_move_along_with_the_text(old, new, words, moved):
    before, after = Document("file:///a", 1, old), Document("file:///a", 2, new)
    kept = carried([finding(old, words)], lambda _: before, lambda _: after)
    assert [new[one.start : one.end] for one in kept] == ([moved] if moved else [])


async def test_a_long_text_is_compared():
    old = "x" * 2_000_000 + "a" + "y" * 2_000_000
    assert Shift(old, old.replace("a", "bb")).span(3_000_000, 3_000_001) == (3_000_001, 3_000_002)
