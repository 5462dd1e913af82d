"""The traces of a session: followed from its start to its end, and the client told of them.

The client is asked for its lenses and hints again when counts change, sees how far a first reading
is, and hears once of what is wrong.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from stalwart_lang.lsp.documents import path_of
from stalwart_lang.lsp.traces.documents import is_trace
from stalwart_lang.lsp.traces.finding import Places
from stalwart_lang.lsp.traces.following import (
    SEARCHES_EVERY,
    SEARCHES_EVERY_WATCHED,
    Follower,
    Progress,
    Trouble,
)
from stalwart_lang.lsp.traces.words import words_of

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

_REFRESHES_EVERY = 2.0
_PROGRESS = "window.work_done_progress"
_WATCHED = "workspace.did_change_watched_files.dynamic_registration"
_WORTH_PROGRESS = 2**23
"""Bytes to read from which on it is shown how far the reading is."""

P = ParamSpec("P")


class Session:
    """The traces of one session; all of it is used on the loop, from when the client is ready."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._refresh: asyncio.TimerHandle | None = None
        self._latest = Progress(0, 0, 0, done=True)
        self._asking: asyncio.Task[None] | None = None
        self._token: str | None = None
        self._shown = 0
        self._cancelled = False
        server.traces.subscribe(self._on_loop(self._refresh_soon))
        self._follower = self._follow()

    def move(self) -> None:
        """Follow the traces at the places that are set now."""
        if self._cancelled:
            self._cancelled = False
            self._follower = self._follow()
        else:
            self._follower.move(self._places())

    def give_way(self, _uri: str) -> None:
        """Let the one who types go first."""
        self._follower.give_way()

    def changed(self, uri: str) -> None:
        """Look at a trace that a client saw change."""
        path = path_of(uri) if is_trace(uri) else None
        if path is not None:
            self._follower.changed([Path(path)])

    def _follow(self) -> Follower:
        watched = self._server.can(_WATCHED)
        follower = Follower(
            self._server.traces,
            self._places(),
            tell=self._on_loop(self._tell),
            on_progress=self._on_loop(self._progress),
            searches_every=SEARCHES_EVERY_WATCHED if watched else SEARCHES_EVERY,
        )
        follower.start()
        return follower

    def _places(self) -> Places:
        project = self._server.project
        return Places(tuple(project.folders), project.configuration.traces)

    def _on_loop(self, function: Callable[P, object]) -> Callable[P, None]:
        """Return what calls a function on the loop; once that has ended nobody is to be told."""

        def call(*arguments: P.args, **named: P.kwargs) -> None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(partial(function, *arguments, **named))

        return call

    def _tell(self, trouble: Trouble, about: str, reason: str) -> None:
        words = words_of(self._server.project.configuration.language)
        said: str = getattr(words, trouble)
        key = f"traces:{trouble}:{about}"
        self._server.say_once(key, said.format(about=about, reason=reason))

    def _refresh_soon(self) -> None:
        if self._refresh is None:
            self._refresh = self._loop.call_later(_REFRESHES_EVERY, self._refresh_now)

    def _refresh_now(self) -> None:
        self._refresh = None
        self._server.refresh()

    def _progress(self, progress: Progress) -> None:
        """Show how far a reading is, if it takes long."""
        self._latest = progress
        if self._token is not None:
            self._report(self._token)
        elif self._asking is None and _is_long(progress) and self._server.can(_PROGRESS):
            self._asking = asyncio.ensure_future(self._begin())

    async def _begin(self) -> None:
        """Have the client show it; one that refuses is not asked again."""
        server = self._server
        self._shown += 1
        token = f"stalwart/traces/{self._shown}"
        with suppress(JsonRpcException):
            await server.work_done_progress.create_async(token)
            self._asking = None
            if not self._latest.done:
                title = words_of(server.project.configuration.language).indexing
                begin = types.WorkDoneProgressBegin(title=title, cancellable=True, percentage=0)
                server.work_done_progress.begin(token, begin)
                self._token = token

    def _report(self, token: str) -> None:
        """Tell how far it is; who does not want to wait can end the following."""
        shown, progress = self._server.work_done_progress, self._latest
        cancelled = shown.tokens[token].cancelled()
        if cancelled:
            self._cancelled = True
            self._follower.stop(wait=False)
        if cancelled or progress.done:
            self._token = None
            shown.end(token, types.WorkDoneProgressEnd())
            shown.tokens.pop(token)
            return
        percent = 100 * progress.read // max(1, progress.total)
        words = words_of(self._server.project.configuration.language)
        said = words.indexed.format(percent=percent, files=progress.files)
        report = types.WorkDoneProgressReport(message=said, percentage=percent)
        shown.report(token, report)


def _is_long(progress: Progress) -> bool:
    return progress.total - progress.read > _WORTH_PROGRESS
