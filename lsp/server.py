"""The language server: its life, its documents, and what its features share."""

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, get_args

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer

from stalwart_lang.lsp.analyses import Analyses
from stalwart_lang.lsp.analysis import Analysis
from stalwart_lang.lsp.configuration import SECTION, configuration_of
from stalwart_lang.lsp.discovery import SUFFIXES, find_files, looks_like_ours
from stalwart_lang.lsp.documents import Document, Encoding, changed, path_of, same_uri
from stalwart_lang.lsp.features import FEATURES
from stalwart_lang.lsp.protocol import Protocol
from stalwart_lang.lsp.traces.index import TraceIndex
from stalwart_lang.lsp.workspace import Project

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

_LEARNED_AT_ONCE = 20
_CLIENT_EVERY = 5.0
"""Seconds between two looks whether the client's process is there."""


class Server(LanguageServer):
    """Serves one client.

    `project` has the documents and what they name, `analyses` what the SDK says of them, `traces`
    what recorded runs tell.
    """

    def __init__(self) -> None:
        super().__init__("stalwart", _version(), protocol_cls=Protocol)
        self.project = Project()
        self.analyses = Analyses(self.project, self.failed)
        self.traces = TraceIndex()
        self._executor = ThreadPoolExecutor(2, thread_name_prefix="stalwart-work")
        self._said: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._watched: list[str] = ["**/*.{yaml,yml}"]
        self._found = asyncio.Event()
        self._begin_listeners: list[Callable[[types.InitializeParams], None]] = []
        self._change_listeners: list[Callable[[str], None]] = []
        self._file_listeners: list[Callable[[str], None]] = []
        self._configuration_listeners: list[Callable[[], None]] = []
        self._ready_listeners: list[Callable[[], None]] = []
        _register_life(self)
        for name in FEATURES:
            import_module(f"stalwart_lang.lsp.features.{name}").register(self)
        self.analyses.on_analysis(self._refresh)

    # ------------------------------------------------------------ what features use

    def run(self, function: Callable[..., _T], *args: object) -> Awaitable[_T]:
        """Run slow work in another thread than the loop's."""
        return asyncio.get_running_loop().run_in_executor(self._executor, function, *args)

    def soon(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do something on the loop, after this."""

        async def guarded() -> None:
            try:
                await work()
            except Exception as error:
                _log.exception("a task failed")
                self.failed(error)

        task = asyncio.get_running_loop().create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def say_once(
        self, key: str, message: str, kind: types.MessageType = types.MessageType.Warning
    ) -> None:
        """Show a message; one with the same key is shown once in a session."""
        if key not in self._said:
            self._said.add(key)
            self.window_show_message(types.ShowMessageParams(type=kind, message=message))

    def failed(self, error: Exception) -> None:
        """Say that something failed in this server, each failure once."""
        text = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
        self.say_once(f"failed {text}", f"stalwart: {text}", types.MessageType.Error)

    def on_begin(
        self, listener: Callable[[types.InitializeParams], None]
    ) -> Callable[[types.InitializeParams], None]:
        """Have `listener` called before the server tells what it can; it may register features."""
        self._begin_listeners.append(listener)
        return listener

    def on_change(self, listener: Callable[[str], None]) -> None:
        """Have `listener` called with the URI of a document that was opened, changed or closed."""
        self._change_listeners.append(listener)

    def on_file(self, listener: Callable[[str], None], *patterns: str) -> None:
        """Have `listener` called with the URI of a file that changed on the disk.

        Where the client can, files of `patterns` are watched besides the vocabularies.
        """
        self._file_listeners.append(listener)
        self._watched += [one for one in patterns if one not in self._watched]

    def on_configuration(self, listener: Callable[[], None]) -> None:
        """Have `listener` called when the settings were read, or the folders changed."""
        self._configuration_listeners.append(listener)

    def on_ready(self, listener: Callable[[], None]) -> None:
        """Have `listener` called when the client is ready and the settings were read."""
        self._ready_listeners.append(listener)

    def can(self, capability: str) -> bool:
        """Whether the client declares a capability, by its dotted name in the protocol."""
        value: Any = self.client_capabilities
        for part in capability.split("."):
            value = getattr(value, part, None)
        return bool(value)

    # ------------------------------------------------------------ documents

    def opened(self, item: types.TextDocumentItem) -> None:
        """A client opened a document."""
        uri = same_uri(item.uri)
        document = Document(uri, item.version, item.text, self.project.encoding)
        self.project.open(document, item.language_id)
        self._tell(uri)

    def changed(
        self,
        item: types.VersionedTextDocumentIdentifier,
        changes: Sequence[types.TextDocumentContentChangeEvent],
    ) -> None:
        """A client changed a document."""
        uri = same_uri(item.uri)
        document = self.project.document(uri) if self.project.is_open(uri) else None
        if document is None:
            _log.warning("%s was changed, but is not open", uri)
            return
        self.project.change(changed(document, item.version, changes))
        self._tell(uri)

    def closed(self, uri: str) -> None:
        """A client closed a document."""
        self.project.close(same_uri(uri))
        self._tell(same_uri(uri))

    def _tell(self, uri: str) -> None:
        self.analyses.changed(uri)
        for listener in self._change_listeners:
            listener(uri)

    # ------------------------------------------------------------ its life

    def begin(self, params: types.InitializeParams) -> None:
        """Note what a client is like, before the capabilities are told."""
        self.project.encoding = _encoding(self.workspace.position_encoding)
        folders = [one.uri for one in params.workspace_folders or ()]
        if not folders and params.root_uri:
            folders = [params.root_uri]
        self.project.folders = _paths(folders)
        for listener in self._begin_listeners:
            listener(params)

    async def make_ready(self) -> None:
        """Ask the client for what it can tell, and find the workspace's files."""
        if self.process_id is not None and _is_there(self.process_id):
            self.soon(self._follow_client)
        await self._watch_files()
        await self.read_configuration()
        for listener in self._ready_listeners:
            listener()
        await self.find_files()

    async def _follow_client(self) -> None:
        """End where the client's process has ended, though somebody holds its pipe."""
        while self.process_id is not None and _is_there(self.process_id):
            await asyncio.sleep(_CLIENT_EVERY)
        _log.info("the client is gone")
        os._exit(1)

    async def _watch_files(self) -> None:
        if not self.can("workspace.did_change_watched_files.dynamic_registration"):
            return
        watchers = [types.FileSystemWatcher(glob_pattern=one) for one in self._watched]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
        registrations = [
            types.Registration(
                id="stalwart-files",
                method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                register_options=options,
            )
        ]
        if self.can("workspace.did_change_configuration.dynamic_registration"):
            registrations.append(
                types.Registration(
                    id="stalwart-configuration",
                    method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                    register_options=types.DidChangeConfigurationRegistrationOptions(
                        section=SECTION
                    ),
                )
            )
        with suppress(JsonRpcException, PyglsError):
            await self.client_register_capability_async(
                types.RegistrationParams(registrations=registrations)
            )

    async def read_configuration(self, given: object = None) -> None:
        """Read the settings: ask the client, or take what it gave."""
        if self.can("workspace.configuration"):
            item = types.ConfigurationItem(section=SECTION)
            with suppress(JsonRpcException, PyglsError):
                answer = await self.workspace_configuration_async(
                    types.ConfigurationParams(items=[item])
                )
                given = answer[0] if answer else None
        self.project.configuration = configuration_of(_plain(given))
        self.tell_configuration()

    def tell_configuration(self) -> None:
        """Tell those who listen that the settings or the folders are others."""
        for listener in self._configuration_listeners:
            listener()

    async def find_files(self) -> None:
        """Find the vocabularies and agent files of the workspace's folders."""
        found = find_files(self.project.folders)
        while True:
            paths = await self.run(lambda: list(islice(found, _LEARNED_AT_ONCE)))
            if not paths:
                break
            await self.run(self._learn, [path for path in paths if path is not None])
            if None in paths:
                _log.warning("the workspace has more files than are looked through")
                self.say_once(
                    "many-files",
                    "stalwart: the workspace has too many files to look through; vocabularies "
                    "that were not found are known when they are opened.",
                    types.MessageType.Info,
                )
        for uri in self.project.open_uris():
            self.analyses.changed(uri)
        self._found.set()

    async def all_found(self) -> None:
        """Wait until the workspace's files have been looked through, as they are at a start."""
        await self._found.wait()

    def _learn(self, paths: Iterable[Path]) -> None:
        for path in paths:
            self.project.learn(path)

    async def files_changed(self, events: Iterable[types.FileEvent]) -> None:
        """Files changed on the disk."""
        for event in events:
            uri = same_uri(event.uri)
            path = path_of(uri)
            if path is not None and path.endswith(SUFFIXES):
                if event.type == types.FileChangeType.Deleted:
                    self.project.forget(uri)
                else:
                    with suppress(OSError):
                        if await self.run(looks_like_ours, Path(path)):
                            await self.run(self.project.learn, Path(path))
                self.analyses.changed(uri)
            for listener in self._file_listeners:
                listener(uri)

    def stop(self) -> None:
        """End what runs besides the loop."""
        self.analyses.stop()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Say what failed, once; a request's failure is in its answer."""
        data = getattr(error, "data", None)  # where pygls keeps what was raised
        raised = data.get("traceback") if isinstance(data, dict) else None
        _log.error("%s\n%s", error, "".join(raised or ()), exc_info=None if raised else error)
        if isinstance(error, BrokenPipeError):
            raise error
        if source != FeatureRequestError:
            self.failed(error)

    def _refresh(self, analysis: Analysis) -> None:
        """Have clients ask again for what they show, where other documents than theirs changed."""
        if len(self.project.open_uris()) > 1 or len(analysis.documents) > 1:
            self.refresh()

    def refresh(self) -> None:
        """Have the client ask again for inlay hints and code lenses."""
        if self.can("workspace.inlay_hint.refresh_support"):
            self.workspace_inlay_hint_refresh(None)
        if self.can("workspace.code_lens.refresh_support"):
            self.workspace_code_lens_refresh(None)


def _register_life(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.begin(params)

    @server.feature(types.INITIALIZED)
    def initialized(_params: types.InitializedParams) -> None:
        server.soon(server.make_ready)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def kept(_params: Any) -> None:
        """Told to the client as a capability; the protocol's own methods do it."""

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.analyses.changed(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: types.DidChangeWatchedFilesParams) -> None:
        await server.files_changed(params.changes)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: types.DidChangeConfigurationParams) -> None:
        await server.read_configuration(params.settings)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        removed = _paths(one.uri for one in params.event.removed)
        added = _paths(one.uri for one in params.event.added)
        kept = (one for one in server.project.folders if one not in removed)
        server.project.folders = tuple(dict.fromkeys((*kept, *added)))
        server.tell_configuration()
        await server.find_files()


def _paths(uris: Iterable[str]) -> tuple[Path, ...]:
    paths = (path_of(uri) for uri in uris)
    return tuple(Path(path) for path in paths if path is not None)


def _encoding(chosen: object) -> Encoding:
    value = getattr(chosen, "value", chosen)
    return next((known for known in get_args(Encoding) if known == value), "utf-16")


def _plain(value: object) -> object:
    """Settings as plain values: pygls may give objects made of them."""
    if hasattr(value, "_asdict"):
        return {key: _plain(its) for key, its in value._asdict().items()}
    if isinstance(value, dict):
        return {key: _plain(its) for key, its in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(its) for its in value]
    return value


def _is_there(process: int) -> bool:
    if sys.platform == "win32":  # asking there would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _version() -> str:
    from importlib.metadata import version

    return version("stalwart-lang")
