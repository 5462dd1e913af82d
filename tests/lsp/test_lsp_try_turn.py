"""The command "try a turn", by standard methods: what it shows and what it returns."""

from typing import Any

import pytest
from editor import Editor, editing
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
        for arguments in ((), (uri,), (uri, None, " "), (5, None, TURN), (uri, None, 5)):
            assert await tried(editor, *arguments) is None
        missing = uri_of(tmp_path / "missing.yaml")
        assert await tried(editor, missing, None, TURN) is None
        assert told(editor) == "There is no vocabulary to try a turn with."
