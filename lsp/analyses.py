"""The analyses of a session: made off the loop, one after the other, always of the latest texts.

A change does not wait for what is under way: that ends at its next step, and what the documents
hold by then is analysed.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from stalwart_lang.lsp.analysis import Analyser, Analysis, Superseded, merged
from stalwart_lang.lsp.documents import path_of, same_uri, uri_of
from stalwart_lang.lsp.findings import Finding, finding_of
from stalwart_lang.lsp.traces.documents import is_trace
from stalwart_lang.lsp.workspace import Moment, Project
from stalwart_lang.vocabulary.load import Loaded, load_text, load_vocabulary

_log = logging.getLogger(__name__)

_T = TypeVar("_T")
_END = object()


@dataclass(slots=True, eq=False)
class _Main:
    """A vocabulary that something open belongs to.

    `analysis` may be of a first step, `complete` is the last whose turns were read. `wanted` says
    that a text has changed since an analysis began.
    """

    analyser: Analyser
    analysis: Analysis | None = None
    complete: Analysis | None = None
    wanted: bool = True
    current: bool = False


class Analyses:
    """Keeps analyses up to date; everything but the work itself happens on the loop."""

    def __init__(self, project: Project, on_error: Callable[[Exception], None]) -> None:
        self._project = project
        self._on_error = on_error
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="stalwart-analysis")
        self._task: asyncio.Task[None] | None = None
        self._dirty: dict[str, None] = {}
        self._sorting = False
        self._mains: dict[str, _Main] = {}
        self._mains_of: dict[str, tuple[str, ...]] = {}
        self._agents: dict[str, tuple[Finding, ...]] = {}
        self._agents_wanted: dict[str, None] = {}
        self._waiting: list[asyncio.Future[None]] = []
        self._listeners: list[Callable[[Analysis], None]] = []
        self._findings_listeners: list[Callable[[Iterable[str]], None]] = []

    # ------------------------------------------------------------ asked on the loop

    def changed(self, uri: str) -> None:
        """A document was opened, changed or closed, or a file on the disk."""
        if is_trace(uri):
            return
        self._dirty[same_uri(uri)] = None
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    def latest(self, uri: str) -> Analysis | None:
        """The last whole analysis of the vocabulary that a document belongs to."""
        for main in self._mains_of.get(same_uri(uri), ()):
            known = self._mains.get(main)
            if known is not None and known.complete is not None:
                return known.complete
        return None

    async def ready(self, uri: str) -> Analysis | None:
        """An analysis of the documents as they are now, with the turns read."""
        uri = same_uri(uri)
        while True:
            sorted_out = not self._dirty and not self._sorting
            if sorted_out and uri in self._mains_of:
                mains = [self._mains[one] for one in self._mains_of[uri] if one in self._mains]
                if not mains or mains[0].current:
                    return mains[0].complete if mains else None
            elif sorted_out and self._task is None:
                return None
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter

    async def settled(self, uri: str) -> tuple[Finding, ...]:
        """What is wrong with a document as it is now, as far as it is known without lint."""
        await self.ready(uri)
        while self._agents_wanted:
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter
        return self.findings(uri)

    def findings(self, uri: str) -> tuple[Finding, ...]:
        """What is wrong with a document, as far as it is known."""
        uri = same_uri(uri)
        agent = self._agents.get(uri)
        if agent is not None:
            return agent
        analyses = (main.analysis for main in self._mains.values())
        return merged((one for one in analyses if one is not None), uri)

    def on_analysis(self, listener: Callable[[Analysis], None]) -> None:
        """Have `listener` called with each analysis whose turns were read."""
        self._listeners.append(listener)

    def on_findings(self, listener: Callable[[Iterable[str]], None]) -> None:
        """Have `listener` called with the documents whose findings may be others than before."""
        self._findings_listeners.append(listener)

    def stop(self) -> None:
        """End; what is under way is left to itself."""
        if self._task is not None:
            self._task.cancel()
        self._executor.shutdown(wait=False, cancel_futures=True)

    # ------------------------------------------------------------ the work

    def _run(self, function: Callable[..., _T], *args: object) -> Awaitable[_T]:
        return asyncio.get_running_loop().run_in_executor(self._executor, function, *args)

    async def _work(self) -> None:
        try:
            while True:
                wanted = [main for main in self._mains.values() if main.wanted]
                if self._dirty:
                    await self._sort()
                elif wanted:
                    await self._analyse(wanted[0])
                elif self._agents_wanted:
                    await self._check_agent(next(iter(self._agents_wanted)))
                else:
                    return
        except Exception as error:
            _log.exception("analysing failed")
            self._on_error(error)
        finally:
            self._task = None
            self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def _sort(self) -> None:
        """Find out what the documents that changed belong to."""
        dirty = tuple(self._dirty)
        self._dirty.clear()
        self._sorting = True
        try:
            opened = self._project.open_uris()
            belongs = dict(await self._run(lambda: list(self._belongings((*opened, *dirty)))))
        finally:
            self._sorting = False
        active = {main for uri in opened if uri in belongs for main in belongs[uri]}
        agents = {uri for uri in opened if self._project.is_agent(uri)}
        gone = {uri for uri in (*self._agents, *self._mains_of) if uri not in belongs}
        for main in [main for main in self._mains if main not in active]:
            analysis = self._mains.pop(main).analysis
            gone |= {main, *(analysis.documents if analysis else ())}
        for uri in [uri for uri in self._agents if uri not in agents]:
            del self._agents[uri]
            gone.add(uri)
        self._mains_of = {uri: belongs[uri] for uri in opened if uri in belongs}
        for uri in dirty:
            for main in belongs.get(uri, ()):
                if main in active:
                    self._want(main)
            if uri in agents:
                self._agents_wanted[uri] = None
        for main in active:
            if main not in self._mains:
                self._want(main)
        self._tell({*gone, *(uri for uri in dirty if uri not in self._mains_of)})
        self._wake()

    def _belongings(self, uris: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The vocabularies that documents are parts of; in another thread than the loop's."""
        for uri in dict.fromkeys(uris):
            kind = self._project.kind(uri)
            if kind in ("vocabulary", "agent") or self._project.document(uri) is None:
                yield uri, self._project.mains_of(uri)

    def _want(self, uri: str) -> None:
        main = self._mains.pop(uri, None) or _Main(Analyser(uri))
        main.wanted, main.current = True, False
        self._mains = {uri: main, **self._mains}  # what changed last comes first

    async def _analyse(self, main: _Main) -> None:
        main.wanted = False
        steps = main.analyser.analyse(Moment(self._project), main.analysis)
        try:
            while True:
                step = await self._run(next, steps, _END)
                if step is _END:
                    break
                if self._dirty or main.wanted:
                    main.wanted = True
                    return
                if isinstance(step, Analysis):
                    self._took_step(main, step)
        except Superseded:
            main.wanted = True
        except Exception as error:
            _log.exception("a vocabulary could not be analysed")
            main.current = True
            self._on_error(error)
        self._wake()

    def _took_step(self, main: _Main, analysis: Analysis) -> None:
        before = main.analysis
        main.analysis = analysis
        if analysis.complete and not main.current:
            main.complete, main.current = analysis, True
            for uri, mains in self._mains_of.items():
                if analysis.uri in mains and uri not in analysis.documents:
                    self._agents_wanted[uri] = None
        elif analysis.complete:
            main.complete = analysis
        self._tell({*analysis.documents, *(before.documents if before else ()), analysis.uri})
        self._wake()
        if analysis.complete and not analysis.linted:
            for listener in self._listeners:
                listener(analysis)

    def _tell(self, uris: Iterable[str]) -> None:
        for listener in self._findings_listeners:
            listener(uris)

    # ------------------------------------------------------------ agent files

    async def _check_agent(self, uri: str) -> None:
        try:
            found = await self._run(self._agent_findings, uri)
            if not self._dirty and found is not None:
                self._agents[uri] = found
                self._tell((uri,))
        except Exception as error:
            _log.exception("an agent file could not be checked")
            self._on_error(error)
        finally:
            self._agents_wanted.pop(uri, None)
            self._wake()

    def _agent_findings(self, uri: str) -> tuple[Finding, ...] | None:
        """What is wrong with an agent file; None where it is none. Not on the loop."""
        from stalwart_lang.runs.agent_file import check_agent_text

        moment = Moment(self._project)
        document, path = moment.document(uri), path_of(uri)
        if document is None or not self._project.is_agent(uri):
            return None

        def load(vocabulary: str | Path) -> Loaded:
            main = self._mains.get(uri_of(vocabulary)) if isinstance(vocabulary, Path) else None
            if main is not None and main.complete is not None:
                return main.complete.loaded
            if not isinstance(vocabulary, Path):
                return load_vocabulary(vocabulary)
            its = moment.document(uri_of(vocabulary))
            return load_text(its.text if its else "", str(vocabulary), moment.read, moment.parse)

        text = document.text.removeprefix("\ufeff")
        found = check_agent_text(text, path or uri, load, moment.parse)
        its = (finding_of(one, lambda _: document) for one in found)
        return tuple(one for one in its if one is not None)
