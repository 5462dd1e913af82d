"""Traces through the server itself, over stdio, as an editor meets them."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from editor import ENCODINGS, Editor, capabilities, editing
from lsprotocol import types

from stalwart_lang.lsp.documents import path_of, uri_of

RUN = "0af7651916cd43dd8448eb211c80319c"
VOCABULARY = """vocabulary: shop
tools:
  refund_card: {takes: {amount: money}, say: {en: [refund]}}
rules:
  big-refund: {tool: refund_card, never: true, say: {en: "No.", pt-BR: "Não."}}
"""
_SECONDS = 30


def record(name: str, id: int, parent: int | None = None, **more: object) -> str:
    trace = more.pop("trace", RUN)
    return json.dumps(
        {
            "type": "span",
            "trace_id": trace,
            "span_id": f"{id:016x}",
            "parent_id": None if parent is None else f"{parent:016x}",
            "name": name,
            "start": f"2026-11-30T09:00:{id % 60:02}.000000Z",
            "end": "2026-11-30T09:01:00.000000Z",
            "duration_ms": 1.5,
            "status": "ok",
            "error": None,
            "attributes": more.pop("attributes", {}),
            "events": [],
            **more,
        },
        ensure_ascii=False,
    )


CHECK = record(
    "stalwart.tool_check",
    2,
    1,
    attributes={
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "refund_card",
        "stalwart.outcome": "refuse",
        "stalwart.decided_by": "rulebook",
        "stalwart.reasons": ["não pode 🦊"],
        "stalwart.rule": "big-refund",
    },
)
ROOT = record(
    "invoke_agent shop",
    1,
    attributes={
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "shop",
        "gen_ai.conversation.id": "desk/u-17",
    },
)
FAILED = record("stalwart.tool", 3, 1, status="error", error={"type": "OSError"})
TEXT = "\n".join((CHECK, FAILED, "{broken", ROOT)) + "\n"


def declared(
    encoding: str = "utf-16", *, pull: bool = False, shows: bool = True
) -> types.ClientCapabilities:
    """What an editor declares that also shows documents and how far work is."""
    made = capabilities(encoding, pull=pull)
    made.window = types.WindowClientCapabilities(
        work_done_progress=True,
        show_document=types.ShowDocumentClientCapabilities(support=shows),
    )
    assert made.text_document is not None
    made.text_document.definition = types.DefinitionClientCapabilities(link_support=True)
    made.text_document.document_symbol = types.DocumentSymbolClientCapabilities(
        hierarchical_document_symbol_support=True
    )
    made.text_document.hover = types.HoverClientCapabilities(
        content_format=[types.MarkupKind.Markdown]
    )
    return made


async def until(editor: Editor, method: str, ready: Callable[[], object]) -> None:
    """Wait for notifications until what the editor was told makes `ready` true."""
    async with asyncio.timeout(_SECONDS):
        while not ready():
            await editor.client.wait_for_notification(method)


async def refreshed(editor: Editor) -> None:
    """Wait until the editor is asked to ask again for its lenses."""
    async with asyncio.timeout(_SECONDS):
        while types.WORKSPACE_CODE_LENS_REFRESH not in editor.refreshes:
            editor.arrived.clear()
            await editor.arrived.wait()
    editor.refreshes.clear()


def of(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri=uri)


async def run(editor: Editor, command: str, *arguments: object) -> Any:
    return await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams(command=command, arguments=[*arguments])
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "my agent é"
    folder.mkdir()
    (folder / "shop.yaml").write_text(VOCABULARY, encoding="utf-8")
    (folder / "run.jsonl").write_text(TEXT, encoding="utf-8")
    return folder


@pytest.mark.asyncio
async def test_hover_explains_the_span_in_the_language_that_is_set(workspace: Path) -> None:
    trace, vocabulary = uri_of(workspace / "run.jsonl"), uri_of(workspace / "shop.yaml")
    for language, expected in (("en", "**refused**"), ("pt-BR", "**recusada**")):
        setting = {"language": language}
        async with editing(workspace, declared=declared(), configuration=setting) as editor:
            editor.open(vocabulary, VOCABULARY)
            editor.open(trace, TEXT)
            await editor.codes(trace, "first-error", "broken-line")
            found = await editor.client.text_document_hover_async(
                types.HoverParams(**editor.at(trace, "refuse"))
            )
            assert found is not None
            said = found.contents.value
            assert expected in said
            assert "não pode 🦊" in said
            assert "desk/u-17" in said
            assert f"[`big-refund`]({vocabulary}#L5)" in said


@pytest.mark.asyncio
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_definition_jumps_to_the_rule(workspace: Path, encoding: str) -> None:
    trace, vocabulary = uri_of(workspace / "run.jsonl"), uri_of(workspace / "shop.yaml")
    async with editing(workspace, encoding, declared=declared(encoding)) as editor:
        editor.open(vocabulary, VOCABULARY)
        editor.open(trace, TEXT)
        (link,) = await editor.client.text_document_definition_async(
            types.DefinitionParams(**editor.at(trace, "big-refund", 4))
        )
        assert link.target_uri == vocabulary
        assert link.target_selection_range == editor.range_of(vocabulary, "big-refund")
        assert link.origin_selection_range == editor.range_of(trace, "big-refund")


@pytest.mark.asyncio
async def test_diagnostics_are_pushed_and_taken_back(workspace: Path) -> None:
    trace = uri_of(workspace / "run.jsonl")
    setting = {"language": "pt-BR"}
    async with editing(workspace, declared=declared(), configuration=setting) as editor:
        editor.open(trace, TEXT)
        await editor.codes(trace, "first-error", "broken-line")
        editor.rewrite(trace, ROOT + "\n")
        await editor.codes(trace)
        editor.edit(trace, 0, 1, "")
        (broken,) = await editor.codes(trace, "broken-line")
        assert broken.message == "Esta linha não contém um registro: não é JSON."
        editor.close(trace)
        await until(
            editor,
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
            lambda: not editor.published[trace].diagnostics,
        )


@pytest.mark.asyncio
async def test_diagnostics_are_given_to_who_asks_and_not_pushed(workspace: Path) -> None:
    trace = uri_of(workspace / "run.jsonl")
    async with editing(workspace, declared=declared(pull=True)) as editor:
        editor.open(trace, TEXT)
        found = await editor.client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(text_document=of(trace))
        )
        assert [each.code for each in found.items] == ["first-error", "broken-line"]
        assert editor.published == {}


@pytest.mark.asyncio
async def test_symbols_and_lenses_of_a_trace(workspace: Path) -> None:
    trace = uri_of(workspace / "run.jsonl")
    async with editing(workspace, declared=declared()) as editor:
        editor.open(trace, TEXT)
        (root,) = await editor.client.text_document_document_symbol_async(
            types.DocumentSymbolParams(of(trace))
        )
        assert root.name == "invoke_agent shop"
        assert [each.detail for each in root.children] == [
            "refuse [big-refund] · 1.5 ms",
            "1.5 ms · OSError",
        ]
        (lens,) = await editor.client.text_document_code_lens_async(types.CodeLensParams(of(trace)))
        assert lens.command.title == "Open timeline · completed · 3 spans · 2.00 s"
        assert lens.command.command == "stalwart.openTimeline"
        assert [*lens.command.arguments] == [trace, RUN]


@pytest.mark.asyncio
async def test_the_timeline_is_shown_as_a_page(workspace: Path) -> None:
    trace = uri_of(workspace / "run.jsonl")
    setting = {"language": "pt-BR"}
    async with editing(workspace, declared=declared(), configuration=setting) as editor:
        editor.open(trace, TEXT)
        await editor.codes(trace, "first-error", "broken-line")
        made = await run(editor, "stalwart.openTimeline", trace, RUN)
        (shown,) = editor.client.shown_documents
        assert shown.uri == made
        assert shown.external
        page = Path(path_of(made) or "")
        text = page.read_text(encoding="utf-8")
        assert 'lang="pt-BR"' in text
        assert "big-refund" in text
        assert page.parent.stat().st_mode & 0o077 == 0


@pytest.mark.asyncio
async def test_who_cannot_show_a_document_is_told_where_it_is(workspace: Path) -> None:
    trace = uri_of(workspace / "run.jsonl")
    async with editing(workspace, declared=declared(shows=False)) as editor:
        await run(editor, "stalwart.openTimeline", trace, RUN)
        await run(editor, "stalwart.openDecision", trace, 1)
        await run(editor, "stalwart.openTimeline", trace, "0000aaaa")
        await run(editor, "stalwart.openTimeline", "untitled:1", RUN)
        said = [each.message for each in editor.client.messages]
        assert said[0].startswith("The timeline is in ")
        assert said[1] == f"It is recorded in {workspace / 'run.jsonl'}, line 2."
        assert said[2].startswith("The timeline could not be made: ")
        assert said[3].startswith("There is no file ")
        assert editor.client.shown_documents == []


@pytest.mark.asyncio
async def test_a_decision_is_shown_at_its_line(workspace: Path) -> None:
    trace = uri_of(workspace / "run.jsonl")
    async with editing(workspace, declared=declared()) as editor:
        await run(editor, "stalwart.openDecision", trace, 1)
        (shown,) = editor.client.shown_documents
        assert (shown.uri, shown.selection.start.line) == (trace, 1)


@pytest.mark.asyncio
async def test_lenses_are_asked_for_again_when_a_trace_grows(workspace: Path) -> None:
    async with editing(workspace, declared=declared()) as editor:
        await refreshed(editor)
        with (workspace / "run.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(CHECK + "\n")
        await refreshed(editor)
        (workspace / "another.jsonl").write_text(CHECK + "\n", encoding="utf-8")
        event = types.FileEvent(uri_of(workspace / "another.jsonl"), types.FileChangeType.Created)
        editor.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams(changes=[event])
        )
        await refreshed(editor)
        options = [each.register_options for each in editor.registered]
        assert "**/*.jsonl" in json.dumps(options, default=repr)


@pytest.mark.asyncio
async def test_a_trace_that_cannot_be_read_is_told_once_and_the_rest_works(
    workspace: Path,
) -> None:
    bad = workspace / "bad.jsonl"
    bad.symlink_to("/proc/self/mem")  # an error when it is read, even to who may read all
    async with editing(workspace, declared=declared()) as editor:
        await until(editor, types.WINDOW_SHOW_MESSAGE, lambda: editor.client.messages)
        event = types.FileEvent(uri_of(bad), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams(changes=[event])
        )
        await refreshed(editor)
        (said,) = [each.message for each in editor.client.messages]
        assert said.startswith(f"The trace {bad} cannot be read: ")


@pytest.mark.asyncio
async def test_a_long_first_reading_shows_how_far_it_is(workspace: Path) -> None:
    with (workspace / "large.jsonl").open("w", encoding="utf-8") as stream:
        for _ in range(80):
            stream.write(f"{CHECK}\n" * 1_000)
    async with editing(workspace, declared=declared()) as editor:

        def ended() -> bool:
            reports = [each for some in editor.client.progress_reports.values() for each in some]
            return any(isinstance(each, types.WorkDoneProgressEnd) for each in reports)

        await until(editor, types.PROGRESS, ended)
        ((begin, *_),) = editor.client.progress_reports.values()
        assert begin.title == "Reading recorded traces"
        assert begin.cancellable


@pytest.mark.asyncio
async def test_a_very_large_trace_that_is_open_keeps_nobody_waiting(workspace: Path) -> None:
    line = record("chat m", 5, 1, attributes={"x": "ação 🦊" * 40}) + "\n"
    text = TEXT + line * (30_000_000 // len(line)) + CHECK + "\n"
    trace, vocabulary = uri_of(workspace / "large.jsonl"), uri_of(workspace / "shop.yaml")
    async with editing(workspace, declared=declared(pull=True)) as editor:
        client = editor.client
        editor.open(vocabulary, VOCABULARY)
        editor.open(trace, text)
        whole = asyncio.gather(
            client.text_document_diagnostic_async(
                types.DocumentDiagnosticParams(text_document=of(trace))
            ),
            client.text_document_document_symbol_async(types.DocumentSymbolParams(of(trace))),
            client.text_document_code_lens_async(types.CodeLensParams(of(trace))),
        )
        word = types.HoverParams(**editor.at(vocabulary, "big-refund"))
        # The first answer comes once the text itself has been received.
        await client.text_document_hover_async(word)
        slowest = 0.0
        for _ in range(20):
            began = time.perf_counter()
            await client.text_document_hover_async(word)
            slowest = max(slowest, time.perf_counter() - began)
        last = types.Position(line=text.count("\n") - 1, character=1)
        found = await client.text_document_hover_async(types.HoverParams(of(trace), last))
        assert "refund_card" in found.contents.value
        diagnostics, symbols, lenses = await whole
        assert {each.code for each in diagnostics.items} == {"first-error", "broken-line"}
        assert symbols
        assert lenses
        assert slowest < 1
