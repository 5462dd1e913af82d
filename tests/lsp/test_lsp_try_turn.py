"""The command "try a turn", by standard methods: what it shows and what it returns."""

from typing import Any

import pytest
from editor import ENCODINGS, Editor, capabilities, editing
from lsprotocol import types

from stalwart_lang.lsp.documents import uri_of

pytestmark = pytest.mark.asyncio

TURN = "charge order 4411 40.00"


async def tried(editor: Editor, *arguments: Any) -> Any:
    params = types.ExecuteCommandParams(command="stalwart.tryTurn", arguments=list(arguments))
    return await editor.client.workspace_execute_command_async(params)


def told(editor: Editor) -> str:
    return editor.client.messages[-1].message


async def test_a_turn_is_read_with_the_text_as_it_is(shipped, tmp_path):
    async with editing(tmp_path) as editor:
        uri = uri_of(tmp_path / "shop.yaml")
        editor.open(uri, shipped("shop"))
        plan = await tried(editor, uri, "en", TURN)
        assert plan["calls"][0]["arguments"]["order_id"] == 4411
        assert told(editor) == f"{TURN}\n→ charge_card(order_id=4411, amount=40.00)"
        plan = await tried(editor, uri, "pt-BR", "não cobre o pedido 4411 🎈")
        assert (plan["verdict"], plan["language"]) == ("unread", "pt-BR")
        editor.replace(uri, "en: [charge]", "en: [bill]")
        assert (await tried(editor, uri, None, TURN))["verdict"] == "unread"
        assert (await tried(editor, uri, None, "bill order 4411 40.00"))["verdict"] == "read"


async def test_what_cannot_be_tried_is_told(shipped, tmp_path):
    async with editing(tmp_path) as editor:
        uri = uri_of(tmp_path / "shop.yaml")
        editor.open(uri, "vocabulary: shop\ntools: 5\n")
        assert await tried(editor, uri, None, TURN) is None
        assert told(editor).startswith("The vocabulary has errors")
        assert await tried(editor, uri, "pt", TURN) is None
        assert told(editor) == "There is no language pt: it is en or pt-BR."
        for arguments in ((), (uri, None, " "), (5, None, TURN), (uri, None, 5)):
            assert await tried(editor, *arguments) is None
        missing = uri_of(tmp_path / "missing.yaml")
        assert await tried(editor, missing, None, TURN) is None
        assert told(editor) == "There is no vocabulary to try a turn with."


def declaring(encoding: str = "utf-16", *, snippets: bool = False) -> types.ClientCapabilities:
    """What an editor declares that can show documents, and maybe take snippets."""
    declared = capabilities(encoding)
    declared.window = types.WindowClientCapabilities(
        show_document=types.ShowDocumentClientCapabilities(support=True)
    )
    declared.workspace.workspace_edit.snippet_edit_support = snippets
    return declared


HEAD = "vocabulary: x # 🎈 ã\n"
TURNS = {
    f"{HEAD}turns:\n- say: {{en: hi}}\n  unread: any\n\n# the end\n": (
        f'{HEAD}turns:\n- say: {{en: hi}}\n  unread: any\n- say: {{en: "¦"}}\n  unread: any\n\n'
        "# the end\n"
    ),
    f"{HEAD}turns:\n  - {{say: {{en: hi}}, unread: any}}": (
        f'{HEAD}turns:\n  - {{say: {{en: hi}}, unread: any}}\n  - say: {{en: "¦"}}\n    unread: any'
    ),
    f"{HEAD}turns: [{{say: {{en: hi}}, unread: any}}]\n": (
        f'{HEAD}turns: [{{say: {{en: hi}}, unread: any}}, {{say: {{en: "¦"}}, unread: any}}]\n'
    ),
    f"{HEAD}turns: []\n": f'{HEAD}turns:\n  - say: {{en: "¦"}}\n    unread: any\n',
    f"{HEAD}turns:\nrules: {{}}\n": (
        f'{HEAD}turns:\n  - say: {{en: "¦"}}\n    unread: any\nrules: {{}}\n'
    ),
    HEAD: f'{HEAD}turns:\n  - say: {{en: "¦"}}\n    unread: any\n',
    HEAD[:-1]: f'{HEAD}turns:\n  - say: {{en: "¦"}}\n    unread: any',
    "{vocabulary: x}": '{vocabulary: x, turns: [{say: {en: "¦"}, unread: any}]}',
    "{vocabulary: x, turns: []}": '{vocabulary: x, turns: [{say: {en: "¦"}, unread: any}]}',
}


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_without_a_turn_an_entry_is_added_and_the_cursor_put_in_it(encoding, tmp_path):
    uri = uri_of(tmp_path / "x.yaml")
    async with editing(tmp_path, encoding, declared=declaring(encoding)) as editor:
        for line_break in ("\n", "\r\n"):
            for text, wanted in TURNS.items():
                before = text.replace("\n", line_break)
                editor.open(uri, before)
                assert await tried(editor, uri) is None
                made = wanted.replace("\n", line_break if line_break in before else "\n")
                assert editor.texts[uri] == made.replace("¦", "")
                shown = editor.client.shown_documents[-1]
                assert (shown.uri, shown.take_focus) == (uri, True)
                assert shown.selection.start == editor.position(uri, made.index("¦"))
                editor.close(uri)


async def test_a_client_with_snippets_gets_the_cursor_in_the_edit(tmp_path):
    uri = uri_of(tmp_path / "x.yaml")
    async with editing(tmp_path, declared=declaring(snippets=True)) as editor:
        for text, wanted in TURNS.items():
            editor.open(uri, text)
            await tried(editor, uri, "en")
            assert editor.texts[uri] == wanted.replace("¦", "")
            editor.close(uri)


async def test_what_is_typed_in_the_entry_is_read_at_once(shipped, tmp_path):
    uri = uri_of(tmp_path / "pix.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, shipped("pix").replace("settings:\n", "settings:\n  language: pt-BR\n", 1))
        await tried(editor, uri)
        start = editor.texts[uri].rindex('""') + 1
        assert editor.texts[uri][: start - 1].endswith("say: {pt-BR: ")
        editor.edit(uri, start, start, "quero o saldo")
        found = await editor.client.text_document_inlay_hint_async(
            types.InlayHintParams(
                text_document=types.TextDocumentIdentifier(uri=uri),
                range=editor.range(uri, start, start + 20),
            )
        )
        (hint,) = found
        assert hint.label.startswith(("→ ", "não lido: "))


async def test_an_entry_is_not_added_where_it_cannot_be(shipped, tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    declared = capabilities()
    declared.workspace.apply_edit = None
    async with editing(tmp_path, declared=declared) as editor:
        editor.open(uri, shipped("shop"))
        await tried(editor, uri)
        assert told(editor).startswith("This editor takes no edits")
        await tried(editor, uri, "fr")
        assert told(editor) == "There is no language fr: it is en or pt-BR."
        await tried(editor, uri_of(tmp_path / "none.yaml"))
        assert told(editor) == "There is no vocabulary to try a turn with."
