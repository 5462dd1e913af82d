"""Code lenses end to end: what was decided, turns to try; they stay in place while one types."""

import asyncio

import pytest
from editor import ENCODINGS, Editor, capabilities, editing, write_refusal
from lsprotocol import types

from stalwart_lang.lsp.documents import uri_of

pytestmark = pytest.mark.asyncio

SHOP = """\
vocabulary: shop # 🎈 ã
things: {order: {en: [order], pt-BR: [pedido]}}
tools:
  refund: {takes: {order_id: order}, say: {en: [refund]}}
  cancel: {takes: {order_id: order}, say: {en: [cancel]}}
rules:
  no-refund: {tool: refund, never: true}
turns:
  - say: {en: "refund order 5"}
    plan: [{refund: {order_id: 5}}]
"""
AGENT = """\
vocabulary: ./shop.yaml
agents:
  clerk:
    tools: [refund, cancel]
tools: [{python: t}]
"""
LAST = "last 2026-11-30 09:00:01 UTC: refuse"


async def lenses(editor: Editor, uri: str) -> list[types.CodeLens]:
    params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    return list(await editor.client.text_document_code_lens_async(params) or ())


async def told(editor: Editor, uri: str) -> dict[str, list[types.Command]]:
    """What lenses say and do, by the text that they are at."""
    found: dict[str, list[types.Command]] = {}
    for lens in await lenses(editor, uri):
        assert lens.command is None
        solved = await editor.client.code_lens_resolve_async(lens)
        assert solved.command is not None
        start, end = (editor.offset(uri, at) for at in (lens.range.start, lens.range.end))
        found.setdefault(editor.texts[uri][start:end], []).append(solved.command)
    return found


async def recorded(editor: Editor, uri: str, count: int) -> None:
    """Wait until lenses tell what is recorded, as often as the server says that they may be new."""
    async with asyncio.timeout(30):
        while types.WORKSPACE_CODE_LENS_REFRESH not in editor.refreshes or (
            len(await lenses(editor, uri)) != count
        ):
            editor.arrived.clear()
            await editor.arrived.wait()


async def run(editor: Editor, command: types.Command) -> None:
    params = types.ExecuteCommandParams(command=command.command, arguments=command.arguments)
    await editor.client.workspace_execute_command_async(params)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
async def test_rules_and_tools_tell_their_decisions_and_open_them(encoding, line_break, tmp_path):
    uri, trace = uri_of(tmp_path / "shop.yaml"), uri_of(tmp_path / "run.jsonl")
    write_refusal(tmp_path / "run.jsonl", "refund", "no-refund", times=2)
    declared = capabilities(encoding)
    declared.window = types.WindowClientCapabilities(
        show_document=types.ShowDocumentClientCapabilities(support=True)
    )
    async with editing(tmp_path, encoding, declared=declared) as editor:
        editor.open(uri, SHOP.replace("\n", line_break))
        await recorded(editor, uri, 7)
        found = await told(editor, uri)
        assert list(found) == ["turns", "refund", "no-refund"]
        for name in ("refund", "no-refund"):
            assert [one.title for one in found[name]] == ["refuse 2", LAST, "Open timeline"]
        counts, last, timeline = found["no-refund"]
        assert timeline.command == "stalwart.openTimeline"
        assert [*timeline.arguments] == [trace, "0af7651916cd43dd8448eb211c80319c"]
        await run(editor, last)
        assert editor.client.shown_documents[-1].selection.start == types.Position(1, 0)
        await run(editor, counts)
        (question,) = editor.questions
        assert question.message == "Which decision of no-refund?"
        assert [one.title for one in question.actions] == [
            "1. 2026-11-30 09:00:01 UTC refuse (run.jsonl:2)",
            "2. 2026-11-30 09:00:00 UTC refuse (run.jsonl:1)",
        ]
        shown = editor.client.shown_documents[-1]
        assert (shown.uri, shown.selection.start) == (trace, types.Position(0, 0))


async def test_an_agent_file_tells_what_its_tools_decided(tmp_path):
    uri = uri_of(tmp_path / "agent.yaml")
    (tmp_path / "shop.yaml").write_text(SHOP, encoding="utf-8")
    write_refusal(tmp_path / "run.jsonl", "refund", "no-refund")
    async with editing(tmp_path) as editor:
        editor.open(uri, AGENT, "stalwart-agent")
        await recorded(editor, uri, 3)
        assert list(await told(editor, uri)) == ["refund"]


async def test_lenses_stay_while_the_text_is_broken(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    write_refusal(tmp_path / "run.jsonl", "refund", "no-refund")
    async with editing(tmp_path) as editor:
        editor.open(uri, SHOP)
        await recorded(editor, uri, 7)
        before = [one.range.start.line for one in await lenses(editor, uri)]
        start = SHOP.index("{tool: refund")
        for typed in ("{", "{[", '{["', '{["a: ', "{[\"a: '"):
            editor.rewrite(uri, SHOP[:start] + typed + SHOP[start:])
            assert [one.range.start.line for one in await lenses(editor, uri)] == before, typed
        editor.rewrite(uri, SHOP.replace("turns:", "tur ns"))
        assert len(await lenses(editor, uri)) == 7
        editor.rewrite(uri, SHOP.replace("tools:", "\ntools: [", 1))
        assert [one.range.start.line for one in await lenses(editor, uri)] == [
            n + 1 for n in before
        ]


async def test_the_lens_to_try_a_turn_adds_one_in_the_vocabularys_language(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        text = SHOP[: SHOP.index("turns:")].replace("\n", "\nsettings: {language: pt-BR}\n", 1)
        editor.open(uri, text)
        found = await told(editor, uri)
        ((command,),) = found.values()
        assert list(found) == ["vocabulary"]
        assert command.title == "Experimentar um pedido"
        await run(editor, command)
        assert editor.texts[uri] == f'{text}turns:\n  - say: {{pt-BR: ""}}\n    unread: any\n'
        assert list(await told(editor, uri)) == ["turns"]


async def test_settings_turn_lenses_off_and_odd_ones_say_nothing(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    off = {"lenses": {"turns": False, "counts": False}}
    async with editing(tmp_path, configuration=off) as editor:
        editor.open(uri, SHOP)
        await editor.codes(uri)
        assert await lenses(editor, uri) == []
        for data in (None, 5, ["counts"], ["counts", uri, "rule", "gone"], ["try", 5]):
            where = types.Range(types.Position(0, 0), types.Position(0, 0))
            lens = await editor.client.code_lens_resolve_async(types.CodeLens(where, data=data))
            assert lens.command is not None
            assert lens.command.command == ""
        for text in ("", "vocabulary: &a [*a]\nturns: &b {say: *b}", "- \t: :"):
            editor.rewrite(uri, text)
            await lenses(editor, uri)
