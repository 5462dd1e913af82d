"""Symbols of a document, as a tree or as a list, and of the workspace."""

from pathlib import Path

import pytest
from editor import ENCODINGS, Editor, capabilities, editing
from lsprotocol import types

from stalwart_lang.lsp.documents import Document, uri_of
from stalwart_lang.lsp.features.symbols import symbols_of
from stalwart_lang.lsp.workspace import Project

TEXT = (
    "vocabulary: loja\r\n"
    "things: {pedido: {en: [order]}}\r\n"
    "values:\r\n"
    "  estado: {'em 🛒': {en: [open]}, ido: {en: [gone]}}\r\n"
    "tools:\r\n"
    "  charge_card:\r\n"
    "    takes: {order_id: pedido, state: optional estado}\r\n"
    "    say: {en: [charge]}\r\n"
    "rules:\r\n"
    "  açaí: {tool: charge_card, after: charge_card}\r\n"
    "turns:\r\n"
    '  - {say: {en: ["charge 🛒\u2028 order 1"]}, unread: any}'
)
TREE = [
    ("vocabulary", []),
    ("things", [("pedido", [])]),
    ("values", [("estado", [("em 🛒", []), ("ido", [])])]),
    ("tools", [("charge_card", [("order_id", []), ("state", [])])]),
    ("rules", [("açaí", [])]),
    ("turns", [("charge 🛒 order 1", [])]),
]


def hierarchical(encoding: str) -> types.ClientCapabilities:
    declared = capabilities(encoding)
    declared.text_document.document_symbol = types.DocumentSymbolClientCapabilities(
        hierarchical_document_symbol_support=True
    )
    return declared


def names(symbols) -> list:
    return [(one.name, names(one.children or ())) for one in symbols]


def every(symbols):
    for one in symbols:
        yield one
        yield from every(one.children or ())


async def symbols_in(editor: Editor, uri: str):
    which = types.TextDocumentIdentifier(uri=uri)
    return await editor.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(text_document=which)
    )


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.asyncio
async def test_a_document_is_a_tree(encoding, tmp_path):
    uri = uri_of(tmp_path / "loja.yaml")
    async with editing(encoding=encoding, declared=hierarchical(encoding)) as editor:
        editor.open(uri, TEXT)
        trees = await symbols_in(editor, uri)
        assert names(trees) == TREE
        known = {one.name: one for one in every(trees)}
        assert known["em 🛒"].selection_range == editor.range_of(uri, "em 🛒")
        assert known["state"].detail == "optional estado"
        assert known["açaí"].detail == "charge_card"
        assert known["charge 🛒 order 1"].detail == "unread"
        kinds = types.SymbolKind
        assert [known[name].kind for name in ("estado", "ido", "charge_card", "açaí")] == [
            kinds.Enum,
            kinds.EnumMember,
            kinds.Function,
            kinds.Operator,
        ]
        entry = TEXT[TEXT.index("charge_card:") : TEXT.index("\r\nrules")]
        assert known["charge_card"].range == editor.range_of(uri, entry)
        end = editor.position(uri, len(TEXT))
        assert known["turns"].range.end == end


@pytest.mark.asyncio
async def test_a_client_that_knows_no_trees_has_a_list(tmp_path):
    uri = uri_of(tmp_path / "loja.yaml")
    async with editing() as editor:
        editor.open(uri, TEXT)
        found = {one.name: one for one in await symbols_in(editor, uri)}
        assert found["order_id"].container_name == "charge_card"
        assert found["pedido"].location.uri == uri


@pytest.mark.asyncio
async def test_an_agent_file_is_a_tree(tmp_path):
    uri = uri_of(tmp_path / "agent.yaml")
    async with editing(declared=hierarchical("utf-16")) as editor:
        editor.open(uri, "agents: {desk: {}}\nvocabulary: shop\ntools: [{python: tools}]\n")
        assert names(await symbols_in(editor, uri)) == [
            ("agents", [("desk", [])]),
            ("vocabulary", [("shop", [])]),
            ("tools", [("tools", [])]),
        ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tools",
        "vocabulary: x\ntools: {a: {takes: &t {o: order}}, b: {takes: *t}}\n",
        "vocabulary: x\ntools: &t {a: {takes: *t}}\nrules: *t\n",
        "vocabulary: x\ntools:\n  a: {takes: {o: [\n  b: {}\nrules: {'': {tool: a}}\n",
        "vocabulary: x\nthings:\n  ? [a]\n  : {en: b}\nturns: [{say: {en: ''}, unread: any}]",
    ],
)
def test_symbols_are_within_what_they_are_below(text, tmp_path):
    project = Project()
    project.open(Document(uri_of(tmp_path / "x.yaml"), 1, text), "stalwart")
    index = project.index(uri_of(tmp_path / "x.yaml"))
    assert index is not None

    def place(where: types.Position) -> tuple[int, int]:
        return where.line, where.character

    def check(symbols, start, end):
        for one in symbols:
            assert one.name
            begin, last = place(one.range.start), place(one.range.end)
            assert start <= begin <= place(one.selection_range.start)
            assert place(one.selection_range.end) <= last <= end
            check(one.children or (), begin, last)

    check(symbols_of(index), (0, 0), (10**6, 0))


@pytest.mark.asyncio
async def test_the_workspace_is_searched(tmp_path: Path):
    (tmp_path / "loja.yaml").write_bytes(TEXT.encode())
    (tmp_path / "agent.yaml").write_text(
        "agents: {recepção: {}}\nvocabulary: loja.yaml\ntools: []\n", encoding="utf-8"
    )
    async with editing(tmp_path) as editor:

        async def search(query: str) -> list[str]:
            answer = await editor.client.workspace_symbol_async(
                types.WorkspaceSymbolParams(query=query)
            )
            return [one.name for one in answer]

        uri = uri_of(tmp_path / "agent.yaml")
        editor.open(uri, (tmp_path / "agent.yaml").read_text(encoding="utf-8"))
        assert await search("ACAI") == ["açaí"]
        assert await search("recepcao") == ["recepção"]
        assert await search("chgcrd") == ["charge_card"]
        assert await search("card") == ["charge_card"]  # a part of the name
        assert (await search("id"))[0] == "ido"  # what begins so is nearer than `order_id`
        assert await search("xyz") == []
        assert {"charge_card", "desk", "pedido", "recepção"} >= {
            name for name in await search("") if name in ("charge_card", "pedido", "recepção")
        }
