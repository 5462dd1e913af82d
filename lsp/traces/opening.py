"""Showing recorded runs in any client: the timeline of a run, the place of a decision."""

import asyncio
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.documents import path_of, uri_of
from stalwart_lang.lsp.traces.words import words_of

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

_PREFIX = "stalwart-timeline-"
_KEPT = 86_400
"""Seconds that the folder of a session's pages is kept at least."""


_pages: list[Path] = []
"""The folder of this server's pages, once there is one."""


async def open_timeline(server: "Server", uri: str, trace_id: str) -> str | None:
    """Make the timeline of a run (of all, without a trace's id) and show it; return its URI."""
    words = words_of(server.project.configuration.language)
    path = path_of(uri)
    if path is None or not Path(path).is_file():
        _say(server, types.MessageType.Warning, words.no_file)
        return None
    if not _pages:
        _remove_old_pages()
        _pages.append(Path(tempfile.mkdtemp(prefix=_PREFIX)))
    language = server.project.configuration.language or "en"
    page = _pages[0] / f"{Path(path).stem[:60]}-{len([*_pages[0].iterdir()]) + 1}.html"
    if (wrong := await make_page(path, trace_id, language, page)) is not None:
        _say(server, types.MessageType.Error, words.no_page.format(reason=wrong))
        return None
    made = uri_of(page)
    if not await show(server, types.ShowDocumentParams(uri=made, external=True)):
        _say(server, types.MessageType.Info, words.page_is_at.format(path=page))
    return made


async def open_decision(server: "Server", uri: str, line: int) -> None:
    """Show a line (from 0) of a trace."""
    place = types.Position(line=line, character=0)
    there = types.ShowDocumentParams(
        uri=uri, take_focus=True, selection=types.Range(start=place, end=place)
    )
    if not await show(server, there):
        words = words_of(server.project.configuration.language)
        said = words.line_is_at.format(path=path_of(uri) or uri, number=line + 1)
        _say(server, types.MessageType.Info, said)


def _remove_old_pages() -> None:
    """Remove what servers left before: a browser may show a page after its server ended."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _KEPT:
                shutil.rmtree(folder, ignore_errors=True)


async def make_page(path: str, trace_id: str, language: str, page: Path) -> str | None:
    """Make the page of a run; return what is wrong where it cannot be made.

    A process of its own makes it: it may take seconds, and typing goes on meanwhile.
    """
    chosen = [f"--trace-id={trace_id}"] if trace_id else []
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "stalwart_lang", "trace", "html", path, *chosen),
        *(f"--language={language}", "-o", str(page)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await process.communicate()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            process.kill()
        raise
    if process.returncode == 0:
        return None
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else str(process.returncode)


async def show(server: "Server", there: types.ShowDocumentParams) -> bool:
    """Have the client show a document, where it can; return whether it did."""
    if not server.can("window.show_document.support"):
        return False
    return (await server.window_show_document_async(there)).success


def _say(server: "Server", kind: types.MessageType, message: str) -> None:
    server.window_show_message(types.ShowMessageParams(type=kind, message=message))
