"""Definition, references, highlights: from any name to all its places, in all files."""

from pathlib import Path

import pytest
from editor import ENCODINGS, Editor, capabilities, editing
from lsprotocol import types

from stalwart_lang.lsp.documents import Document, uri_of
from stalwart_lang.lsp.features.definition import definitions_at
from stalwart_lang.lsp.features.highlights import highlights_at
from stalwart_lang.lsp.features.references import references_at
from stalwart_lang.lsp.index.targets import shipped_uri
from stalwart_lang.lsp.namesakes import namesakes
from stalwart_lang.lsp.workspace import Project

COMMON = (
    "vocabulary: comum\r\n"
    "things: {pedido: {en: [order], pt-BR: ['🛒 pedido']}}\r\n"
    "values: {estado: {aberto: {en: [open], pt-BR: [aberto]}, "
    "'em trânsito': {en: [\"on\u2028its way\"]}}}"
)
SHOP = (
    "vocabulary: loja\r\n"
    "include: comum.yaml\r\n"
    "tools:\r\n"
    '  charge_card: {takes: {"order_id": pedido, state: optional estado}, undo: refund_card,\r\n'
    '    say: {pt-BR: ["cobrar 🛒 o cartão de {order_id}"]}}\r\n'
    "  refund_card:\r\n"
    "    takes: {order_id: pedido}\r\n"
    "    say: {en: [refund]}\r\n"
    "rules:\r\n"
    "  ção-1: {tool: charge_card, requires: [gerente], when: {state: {one_of: [em trânsito]}}}\r\n"
    "turns:\r\n"
    "  - say: {en: refund order 5}\r\n"
    "    plan: [{refund_card: {order_id: 5}}]\r\n"
    "  - {say: {pt-BR: '🛒 cobre'}, incomplete: order_id}"
)
AGENT = (
    "agents: {desk: {tools: [charge_card, refund_card]}}\n"
    "vocabulary: ./loja.yaml\ntrace: run.jsonl\nfacts: {gerente: true}\ntools:\n  - python: tools\n"
)
TOOLS = (
    'x = "🛒"\n\n@tool(name="charge_card")\ndef charge(order_id): ...\n\n\n'
    "async def refund_card(): ...\n"
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for name, text in (
        ("comum.yaml", COMMON),
        ("loja.yaml", SHOP),
        ("agent.yaml", AGENT),
        ("tools.py", TOOLS),
    ):
        (tmp_path / name).write_bytes(text.encode())
    return tmp_path


def open_in(editor: Editor, folder: Path, name: str) -> str:
    uri = uri_of(folder / name)
    editor.open(uri, (folder / name).read_bytes().decode())
    return uri


async def found(editor: Editor, folder: Path, uri: str, words: str, inside: int = 0) -> list[str]:
    """Where a definition leads: the file and the text that the range has there."""
    answer = await editor.client.text_document_definition_async(
        types.DefinitionParams(**editor.at(uri, words, inside))
    )
    return [shown(editor, folder, place) for place in answer or ()]


def shown(editor: Editor, folder: Path, place: types.Location) -> str:
    name = place.uri.rpartition("/")[2]
    text = (folder / name).read_bytes().decode()
    editor.texts.setdefault(place.uri, text)
    document = Document(place.uri, None, text, editor.encoding)
    start, end = document.offset(place.range.start), document.offset(place.range.end)
    assert editor.range(place.uri, start, end) == place.range
    return f"{name}: {text[start:end]} @{start}"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.asyncio
async def test_names_lead_to_where_they_are_declared(encoding, shop):
    async with editing(shop, encoding) as editor:
        uri = open_in(editor, shop, "loja.yaml")

        async def one(words: str, inside: int = 0) -> str:
            (only,) = await found(editor, shop, uri, words, inside)
            return only

        assert await one("pedido, state") == f"comum.yaml: pedido @{COMMON.index('pedido')}"
        assert await one("estado}") == f"comum.yaml: estado @{COMMON.index('estado')}"
        assert await one("trânsito]}}") == f"comum.yaml: em trânsito @{COMMON.index('em t')}"
        assert await one("{order_id}", 3) == f"loja.yaml: order_id @{SHOP.index('order_id')}"
        # In a turn it is the argument of the tool that the turn calls.
        assert await one("order_id: 5") == f"loja.yaml: order_id @{SHOP.index('order_id: pedido}')}"
        assert await one("gerente") == f"agent.yaml: gerente @{AGENT.index('gerente')}"
        assert await one("comum.yaml") == "comum.yaml:  @0"
        assert await found(editor, shop, uri, "rules:") == []


@pytest.mark.asyncio
async def test_tools_lead_to_their_functions_too(shop):
    async with editing(shop) as editor:
        uri = open_in(editor, shop, "agent.yaml")
        assert await found(editor, shop, uri, "charge_card") == [
            f"loja.yaml: charge_card @{SHOP.index('charge_card')}",
            f"tools.py: charge @{TOOLS.index('charge(')}",
        ]
        assert await found(editor, shop, uri, "refund_card") == [
            f"loja.yaml: refund_card @{SHOP.index('refund_card:')}",
            f"tools.py: refund_card @{TOOLS.index('refund_card')}",
        ]
        assert await found(editor, shop, uri, "tools\n", 2) == ["tools.py:  @0"]
        assert await found(editor, shop, uri, "run.jsonl") == []  # it is not there
        (shop / "tools.py").write_text("def refund_card(:\n", encoding="utf-8")
        assert len(await found(editor, shop, uri, "refund_card")) == 1


@pytest.mark.asyncio
async def test_a_turn_leads_to_the_phrase_that_reads_it(shop):
    async with editing(shop) as editor:
        uri = open_in(editor, shop, "loja.yaml")
        await editor.until(uri, lambda _: True)
        await editor.client.text_document_prepare_rename_async(  # waits until the turns are read
            types.PrepareRenameParams(**editor.at(uri, "order_id}"))
        )
        place = f"loja.yaml: refund @{SHOP.index('refund]')}"
        assert await found(editor, shop, uri, "order 5") == [place]


@pytest.mark.asyncio
async def test_links_where_the_client_takes_them(shop):
    declared = capabilities()
    declared.text_document.definition = types.DefinitionClientCapabilities(link_support=True)
    async with editing(shop, declared=declared) as editor:
        uri = open_in(editor, shop, "loja.yaml")
        (link,) = await editor.client.text_document_definition_async(
            types.DefinitionParams(**editor.at(uri, "refund_card,"))
        )
        assert link.origin_selection_range == editor.range_of(uri, "refund_card")
        entry = SHOP[SHOP.index("refund_card:") : SHOP.index("\r\nrules")]
        assert link.target_range == editor.range_of(uri, entry)
        assert link.target_selection_range == editor.range(
            uri, SHOP.index("refund_card:"), SHOP.index("refund_card:") + 11
        )


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.asyncio
async def test_references_are_in_all_files(encoding, shop):
    async with editing(shop, encoding) as editor:
        uri = open_in(editor, shop, "loja.yaml")
        await found(editor, shop, open_in(editor, shop, "agent.yaml"), "charge_card")

        async def references(words: str, *, declared: bool) -> list[str]:
            answer = await editor.client.text_document_references_async(
                types.ReferenceParams(
                    **editor.at(uri, words),
                    context=types.ReferenceContext(include_declaration=declared),
                )
            )
            return [shown(editor, shop, place).partition(":")[0] for place in answer or ()]

        used = await references("charge_card:", declared=False)
        assert used == ["loja.yaml", "agent.yaml"]
        assert await references("charge_card:", declared=True) == ["loja.yaml", *used]
        assert await references("pedido", declared=False) == ["loja.yaml"] * 2
        assert await references("estado", declared=True) == ["loja.yaml", "comum.yaml"]
        assert await references("gerente", declared=False) == ["loja.yaml"]
        assert await references("vocabulary", declared=True) == []


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.asyncio
async def test_places_in_the_same_document_are_highlighted(encoding, shop):
    async with editing(shop, encoding) as editor:
        uri = open_in(editor, shop, "loja.yaml")
        answer = await editor.client.text_document_document_highlight_async(
            types.DocumentHighlightParams(**editor.at(uri, "{order_id}", 1))
        )
        kinds = types.DocumentHighlightKind
        at = [SHOP.index('order_id"'), SHOP.index("{order_id}") + 1, SHOP.rindex("order_id")]
        assert [(one.range, one.kind) for one in answer] == [
            (editor.range(uri, start, start + 8), kind)
            for start, kind in zip(at, (kinds.Write, kinds.Read, kinds.Read), strict=True)
        ]


def test_two_vocabularies_may_share_a_file(tmp_path):
    """A name of one is not the other's, unless the shared file uses it."""
    texts = {
        "shared.yaml": "vocabulary: s\nrules: {r: {tool: both, never: true}}\nturns: []\n",
        "a.yaml": "vocabulary: a\ninclude: shared.yaml\ntools: {both: {}, own: {undo: own}}\n",
        "b.yaml": "vocabulary: b\ninclude: shared.yaml\ntools: {both: {}, own: {undo: own}}\n",
    }
    project = Project()
    for name, text in texts.items():
        project.open(Document(uri_of(tmp_path / name), 1, text), "stalwart")
    index = project.index(uri_of(tmp_path / "a.yaml"))
    assert index is not None
    own, both = (index.at(texts["a.yaml"].index(name)) for name in ("own", "both"))
    assert own is not None
    assert both is not None
    assert {one.uri for one in namesakes(project, own).places} == {index.uri}
    assert len(namesakes(project, own).places) == 2
    assert len({one.uri for one in namesakes(project, both).places}) == 3


def test_a_value_leads_to_the_list_that_has_it(tmp_path):
    text = (
        "vocabulary: x\nvalues: {size: {big: {en: big}}, colour: {red: {en: red}}}\n"
        "tools: {paint: {takes: {how: size or colour}}}\n"
        "rules: {r: {tool: paint, never: true, when: {how: {one_of: [red, big, blue]}}}}\n"
    )
    project = Project()
    project.open(Document(uri_of(tmp_path / "x.yaml"), 1, text), "stalwart")
    index = project.index(uri_of(tmp_path / "x.yaml"))
    assert index is not None
    found = [(one.container, one.name) for one in index.references("member")]
    assert found == [("colour", "red"), ("size", "big"), ("size", "blue")]
    (link,) = definitions_at(project, index, text.rindex("red"))
    start = text.index("red")
    assert link.target_selection_range == index.document.range(start, start + 3)


def test_an_agent_leads_to_a_shipped_vocabulary(tmp_path):
    project = Project()
    uri = uri_of(tmp_path / "agent.yaml")
    text = "agents: {a: {tools: [charge_card]}}\nvocabulary: shop\ntools: []\n"
    project.open(Document(uri, 1, text), "stalwart-agent")
    index = project.index(uri)
    assert index is not None
    (link,) = definitions_at(project, index, text.index("charge_card"))
    assert link.target_uri == shipped_uri("shop")
    (file,) = definitions_at(project, index, text.index("shop"))
    assert file.target_uri == shipped_uri("shop")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "vocabulary",
        "vocabulary: x\ntools: {a: &a [*a]}\n",
        "vocabulary: x\ntools: &t {a: {takes: *t, undo: *t}}",
        "vocabulary: x\ntools: &t\n  a: &b {takes: {o: order}}\n  c: *b\nrules: *t\nturns: *t",
        "vocabulary: x\ntools:\n  a: {takes: {o: {type: optional a or b or}}\n  say: {en: ['x {",
        "\u2028\ud83d: {",
    ],
)
def test_odd_texts_and_places_are_answered(text, tmp_path):
    project = Project()
    project.open(Document(uri_of(tmp_path / "x.yaml"), 1, text), "stalwart")
    index = project.index(uri_of(tmp_path / "x.yaml"))
    assert index is not None
    for offset in range(len(text) + 2):
        definitions_at(project, index, offset)
        references_at(project, index, offset, declared=True)
        highlights_at(index, offset)
