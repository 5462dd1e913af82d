"""Folding, selection ranges and links: how a document is put together."""

import pytest
from editor import ENCODINGS, editing
from lsprotocol import types

from stalwart_lang.lsp.documents import Document, uri_of
from stalwart_lang.lsp.features.folding import folds_of
from stalwart_lang.lsp.features.selection_ranges import selection_at
from stalwart_lang.lsp.index.targets import shipped_uri
from stalwart_lang.lsp.workspace import Project

TEXT = (
    "# um 🛒\r\n"
    "# dois\r\n"
    "vocabulary: loja\r\n"
    "include:\r\n"
    "  - comum.yaml\r\n"
    "  - falta.yaml\r\n"
    "tools:\r\n"
    "  charge_card:\r\n"
    "    takes: {order_id: pedido,\r\n"
    "      amount: money}\r\n"
    "    say:\r\n"
    "      pt-BR:\r\n"
    "        - 'cobrar 🛒 o cartão {order_id}'\r\n"
    "      en: >-\r\n"
    "        charge\r\n"
    "        # no comment\r\n"
    "        # nor this\r\n"
    "\r\n"
    "rules: {r: {tool: charge_card, never: true}}"
)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.asyncio
async def test_what_spans_lines_is_folded(encoding, tmp_path):
    uri = uri_of(tmp_path / "loja.yaml")
    async with editing(encoding=encoding) as editor:
        editor.open(uri, TEXT)
        folds = await editor.client.text_document_folding_range_async(
            types.FoldingRangeParams(text_document=types.TextDocumentIdentifier(uri=uri))
        )
        kinds = types.FoldingRangeKind
        assert {(one.start_line, one.end_line, one.kind) for one in folds} == {
            (0, 1, kinds.Comment),
            (3, 5, kinds.Imports),
            (6, 16, None),
            (7, 16, None),
            (8, 9, None),
            (10, 16, None),
            (11, 12, None),
            (13, 16, None),
        }


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.asyncio
async def test_a_selection_grows(encoding, tmp_path):
    uri = uri_of(tmp_path / "loja.yaml")
    async with editing(encoding=encoding) as editor:
        editor.open(uri, TEXT)
        where = editor.at(uri, "{order_id}", 3)
        (selection,) = await editor.client.text_document_selection_range_async(
            types.SelectionRangeParams(
                text_document=where["text_document"], positions=[where["position"]]
            )
        )
        found = []
        while selection is not None:
            found.append(selection.range)
            selection = selection.parent
        tool = TEXT[TEXT.index("charge_card:") : TEXT.index("\r\n\r\nrules")]
        for words in (
            "order_id}",
            "{order_id}",
            "cobrar 🛒 o cartão {order_id}",
            "'cobrar 🛒 o cartão {order_id}'",
            "pt-BR:\r\n        - 'cobrar 🛒 o cartão {order_id}'",
            tool[tool.index("say:") :],
            tool,
            "tools:\r\n  " + tool,
            TEXT,
        ):
            start = TEXT.index("{order_id}'") + 1 if words == "order_id}" else TEXT.index(words)
            end = start + (8 if words == "order_id}" else len(words))
            assert editor.range(uri, start, end) in found, words


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.asyncio
async def test_files_that_are_there_are_linked(encoding, tmp_path):
    (tmp_path / "comum.yaml").write_text("vocabulary: c\n", encoding="utf-8")
    (tmp_path / "run.jsonl").touch()
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "__init__.py").touch()
    (tmp_path / "deep" / "tools.py").touch()
    async with editing(encoding=encoding) as editor:

        async def links(uri: str) -> list[tuple[types.Range, str | None]]:
            which = types.TextDocumentIdentifier(uri=uri)
            answer = await editor.client.text_document_document_link_async(
                types.DocumentLinkParams(text_document=which)
            )
            return [(one.range, one.target) for one in answer]

        uri = uri_of(tmp_path / "loja.yaml")
        editor.open(uri, TEXT)
        assert await links(uri) == [
            (editor.range_of(uri, "comum.yaml"), uri_of(tmp_path / "comum.yaml"))
        ]
        agent = uri_of(tmp_path / "agent.yaml")
        editor.open(
            agent,
            "agents: {🛒: {}}\nvocabulary: 'shop'\ntrace: run.jsonl\n"
            "tools: [{python: deep}, {python: deep.tools}, {python: os}, {python: ../deep}]",
        )
        assert await links(agent) == [
            (editor.range_of(agent, "shop"), shipped_uri("shop")),
            (editor.range_of(agent, "run.jsonl"), uri_of(tmp_path / "run.jsonl")),
            (editor.range_of(agent, "deep"), uri_of(tmp_path / "deep" / "__init__.py")),
            (editor.range_of(agent, "deep.tools"), uri_of(tmp_path / "deep" / "tools.py")),
        ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\r",
        "# a\n# b",
        "vocabulary: x\ntools: {a: &a [*a]}\n",
        "vocabulary: x\ntools: &t\n  a: {takes: {o: order}}\nrules: *t\nturns: [*t,\n *t]",
        'vocabulary: x\ntools:\n  a: {takes: {o: [\n  b: {}\nrules:\n  r:\n    tool: "a\n',
    ],
)
def test_odd_texts_and_places_are_answered(text, tmp_path):
    project = Project()
    project.open(Document(uri_of(tmp_path / "x.yaml"), 1, text), "stalwart")
    index = project.index(uri_of(tmp_path / "x.yaml"))
    assert index is not None
    folds = folds_of(index)
    assert len({one.start_line for one in folds}) == len(folds)
    for one in folds:
        assert 0 <= one.start_line < one.end_line < index.document.line_count

    def place(where: types.Position) -> tuple[int, int]:
        return where.line, where.character

    for offset in range(len(text) + 1):
        selection: types.SelectionRange | None = selection_at(index, offset)
        inner = None
        while selection is not None:
            here = selection.range
            if inner is not None:
                assert place(here.start) <= place(inner.start)
                assert place(inner.end) <= place(here.end)
            inner, selection = here, selection.parent
        assert inner == index.document.range(0, len(text))
