"""Measure the language server beside yaml-language-server, in one run, on the same file.

    python benchmarks/language_server.py [--peer FILE] [--lines 5000] [--spans 100000]

README.md says what and why. `--peer` is the peer's executable; without it the latest of npm is
installed in a folder that goes again. Both get the same vocabulary, with the schema that its
first line names; ours has recorded traces to read besides.
"""

import asyncio
import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from subprocess import run
from tempfile import TemporaryDirectory
from typing import Any

from generate import phrases
from generate_traces import write_trace
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from rows import Row

_SCHEMA = Path(__file__).parent.parent / "vocabularies" / "schema.json"
_TIMES = 60
_EDITS = 15
_PATIENCE = 60.0

_HEAD = """\
# yaml-language-server: $schema={schema}
vocabulary: generated

settings:
  currency: {{en: USD, pt-BR: BRL}}

things:
  record: {{en: [record], pt-BR: [cadastro]}}

tools:
"""
_TOOL = """\
  tool_{number}:
    writes: true
    takes:
      record_id: {{type: record, ask: {{en: "Which record?", pt-BR: "Qual cadastro?"}}}}
      amount:
        type: optional money
        words: {{en: [amount], pt-BR: [valor]}}
    say:
      en: [{en}]
      pt-BR: [{pt}]

"""
_RULE = """\
  rule_{number}:
    tool: tool_{number}
    when: {{amount: {{over: 100}}}}
    requires: [supervisor_approved]
    say: {{en: "Over 100.", pt-BR: "Mais de 100."}}
"""
_TURN = """\
  - say: {{en: "{phrase} of record {number}"}}
    plan: [{{tool_{number}: {{record_id: {number}}}}}]
"""


def vocabulary(lines: int) -> str:
    """Give a vocabulary of about so many lines: tools, and rules and turns for each eighth."""
    count = max(8, int(lines / 11.2))
    said = list(zip(*(islice(phrases(one), count) for one in ("en", "pt-BR")), strict=True))
    some = range(0, count, 8)
    parts = [
        _HEAD.format(schema=_SCHEMA.as_uri()),
        *(_TOOL.format(number=at, en=en, pt=pt) for at, (en, pt) in enumerate(said)),
        "rules:\n",
        *(_RULE.format(number=at) for at in some),
        "\nturns:\n",
        *(_TURN.format(number=at, phrase=said[at][0]) for at in some),
    ]
    return "".join(parts)


@dataclass
class Measured:
    """What one server took: milliseconds, and megabytes."""

    initialize: float = 0.0
    first: float = 0.0
    hover: list[float] = field(default_factory=list)
    completion: list[float] = field(default_factory=list)
    typed: list[float] = field(default_factory=list)
    symbols: list[float] = field(default_factory=list)
    edited_symbols: list[float] = field(default_factory=list)
    edit: list[float] = field(default_factory=list)
    turn: list[float] = field(default_factory=list)
    memory: float = 0.0
    answers: dict[str, int] = field(default_factory=dict)
    """How much was in the answers, so that none is quick for saying nothing."""


class Peer:
    """A server under measure, and the one document that is open in it."""

    def __init__(self, command: Sequence[str], folder: Path, text: str) -> None:
        self.measured = Measured()
        self._command = command
        self._folder = folder
        self._text = text
        self._version = 0
        self._uri = (folder / "vocabulary.yaml").as_uri()
        self._told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self._client = LanguageClient("benchmark", "1")
        client: Any = self._client

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _(params: types.PublishDiagnosticsParams) -> None:
            if params.uri.endswith("vocabulary.yaml"):
                self._told.put_nowait(params)

        @client.feature(types.WORKSPACE_CONFIGURATION)
        def _(params: types.ConfigurationParams) -> list[Any]:
            return [_settings(item.section) for item in params.items]

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def _(_params: Any) -> None:
            return None

        @client.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
        def _(_params: Any) -> None:
            return None

    async def start(self) -> None:
        """Start it and open the document."""
        began = time.perf_counter()
        await self._client.start_io(self._command[0], *self._command[1:], cwd=str(self._folder))
        await self._client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(
                    workspace=types.WorkspaceClientCapabilities(configuration=True),
                    text_document=types.TextDocumentClientCapabilities(
                        completion=types.CompletionClientCapabilities(
                            completion_item=types.ClientCompletionItemOptions(snippet_support=True)
                        ),
                        document_symbol=types.DocumentSymbolClientCapabilities(
                            hierarchical_document_symbol_support=True
                        ),
                    ),
                ),
                root_uri=self._folder.as_uri(),
                workspace_folders=[types.WorkspaceFolder(self._folder.as_uri(), "benchmark")],
            )
        )
        self.measured.initialize = _since(began)
        self._client.initialized(types.InitializedParams())

    async def open(self, until: str) -> None:
        """Open the document, and wait for the diagnostic that has `until` in its range."""
        began = time.perf_counter()
        self._client.text_document_did_open(
            types.DidOpenTextDocumentParams(
                types.TextDocumentItem(self._uri, "yaml", self._version, self._text)
            )
        )
        await self._heard(lambda told: self._marks(told, until))
        self.measured.first = _since(began)

    async def ask(self, name: str, request: Callable[[], Awaitable[Any]]) -> float:
        """Give how long a request takes, and count what is in the answer."""
        began = time.perf_counter()
        answer = await asyncio.wait_for(request(), _PATIENCE)
        took = _since(began)
        converter = self._client.protocol._converter  # what is counted is what was sent
        size = len(json.dumps(converter.unstructure(answer))) if answer else 0
        self.measured.answers[name] = self.measured.answers.get(name, 0) + size
        return took

    async def hover(self, needle: str) -> float:
        """Hover on a name."""
        return await self.ask(
            "hover",
            lambda: self._client.text_document_hover_async(
                types.HoverParams(types.TextDocumentIdentifier(self._uri), self._at(needle))
            ),
        )

    async def completion(self, needle: str, name: str = "completion") -> float:
        """Complete behind a text."""
        at = self._at(needle, after=True)
        return await self.ask(
            name,
            lambda: self._client.text_document_completion_async(
                types.CompletionParams(types.TextDocumentIdentifier(self._uri), at)
            ),
        )

    async def symbols(self, name: str = "symbols") -> float:
        """Ask for the outline."""
        return await self.ask(
            name,
            lambda: self._client.text_document_document_symbol_async(
                types.DocumentSymbolParams(types.TextDocumentIdentifier(self._uri))
            ),
        )

    def edit(self, old: str, new: str) -> None:
        """Put `new` where `old` is."""
        offset = self._text.index(old)
        start, end = self._place(offset), self._place(offset + len(old))
        self._text = self._text[:offset] + new + self._text[offset + len(old) :]
        self._version += 1
        change = types.TextDocumentContentChangePartial(text=new, range=types.Range(start, end))
        self._client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._version, self._uri), [change]
            )
        )

    async def told_of(self, old: str, new: str, *, wrong: str, is_wrong: bool) -> float:
        """Edit, and wait until `wrong` is marked, or is not any more."""
        while not self._told.empty():
            self._told.get_nowait()
        began = time.perf_counter()
        self.edit(old, new)
        await self._heard(
            lambda told: (
                told.version in (None, self._version) and self._marks(told, wrong) is is_wrong
            )
        )
        return _since(began)

    def memory(self) -> float:
        """Give the megabytes that its process has resident."""
        process = self._client._server
        status = Path(f"/proc/{process.pid}/status").read_text()  # type: ignore[union-attr]
        kilobytes = next(line.split()[1] for line in status.splitlines() if "VmRSS" in line)
        return int(kilobytes) / 1_000

    async def stop(self) -> None:
        """End it."""
        await self._client.shutdown_async(None)
        self._client.exit(None)
        await self._client.stop()

    async def _heard(self, wanted: Callable[[types.PublishDiagnosticsParams], bool]) -> None:
        async def hear() -> None:
            while not wanted(await self._told.get()):
                pass

        await asyncio.wait_for(hear(), _PATIENCE)

    def _marks(self, told: types.PublishDiagnosticsParams, wrong: str) -> bool:
        lines = {self._place(self._text.index(wrong)).line} if wrong in self._text else {-1}
        return any(one.range.start.line in lines for one in told.diagnostics)

    def _at(self, needle: str, *, after: bool = False) -> types.Position:
        offset = self._text.index(needle)
        return self._place(offset + (len(needle) if after else len(needle.strip()) // 2 + 1))

    def _place(self, offset: int) -> types.Position:
        start = self._text.rfind("\n", 0, offset) + 1
        return types.Position(self._text.count("\n", 0, offset), offset - start)


def _settings(section: str | None) -> Any:
    if section != "yaml":
        return None
    return {"hover": True, "completion": True, "validate": True, "schemaStore": {"enable": False}}


async def measure(peer: Peer, text: str, *, reads_turns: bool) -> Measured:
    """Do with a server what an author does."""
    got = peer.measured
    await peer.start()
    await peer.open("wriets")
    tools = text.count("\n  tool_")
    for at in range(_TIMES):
        got.hover.append(await peer.hover(f"\n  tool_{at * tools // _TIMES}:"))
    for at in range(_TIMES):
        got.completion.append(await peer.completion(f"tool_{at * tools // _TIMES}:\n    writes: "))
        got.symbols.append(await peer.symbols())
    for at in range(_EDITS):
        tool = f"tool_{at * tools // _EDITS}:\n    "
        peer.edit(f"{tool}writes", f"{tool}w\n    writes")
        got.typed.append(await peer.completion(f"{tool}w", "completion after an edit"))
        peer.edit(f"{tool}w\n    writes", f"{tool}writes")
        got.edited_symbols.append(await peer.symbols("symbols after an edit"))
    for _ in range(_EDITS):
        changed = ("wriets", "writes: true #wr")
        got.edit.append(await peer.told_of(*changed, wrong="writes: true #wr", is_wrong=False))
        got.edit.append(await peer.told_of(*changed[::-1], wrong="wriets", is_wrong=True))
    if reads_turns:
        await peer.told_of("wriets", "writes", wrong="wriets", is_wrong=False)
        for _ in range(_EDITS):
            right, wrong = 'of record 8"', 'of recrd 8"'
            got.turn.append(await peer.told_of(right, wrong, wrong=wrong, is_wrong=True))
            got.turn.append(await peer.told_of(wrong, right, wrong=right, is_wrong=False))
    got.memory = peer.memory()
    await peer.stop()
    return got


def rows(ours: Measured, peer: Measured) -> Iterator[Row]:
    """Give the table."""
    yield Row("initialize", ours.initialize, "ms", _beside(peer.initialize), at_most=650)
    yield Row("first diagnostics", ours.first, "ms", _beside(peer.first))
    for name, own, its, target, times in (
        ("hover", ours.hover, peer.hover, 5, 2),
        ("completion", ours.completion, peer.completion, 20, 5),
        ("completion after an edit", ours.typed, peer.typed, 20, 5),
        ("document symbols", ours.symbols, peer.symbols, None, None),
        ("document symbols after an edit", ours.edited_symbols, peer.edited_symbols, None, None),
        ("edit → diagnostics", ours.edit, peer.edit, 150, None),
    ):
        note = f"p95 {_p95(own):.1f}; {_beside(median(its))}, p95 {_p95(its):.1f}"
        yield Row(name, median(own), "ms", note, at_most=target)
        if times is not None:
            yield Row("  times as fast", median(its) / median(own), "×", at_least=times)
    note = f"p95 {_p95(ours.turn):.1f}"
    yield Row("edit → diagnostics, a turn read again", median(ours.turn), "ms", note, at_most=150)
    yield Row("memory", ours.memory, "MB", _beside(peer.memory), at_most=80)


def _beside(value: float) -> str:
    return f"the peer {value:.1f}"


def _p95(values: Sequence[float]) -> float:
    return quantiles(values, n=20)[-1]


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1_000


def _installed(folder: Path) -> str:
    """Install the peer, the latest that npm has."""
    run(["npm", "install", "--silent", "--prefix", str(folder), "yaml-language-server@latest"],
        check=True)  # fmt: skip
    return str(folder / "node_modules" / ".bin" / "yaml-language-server")


async def _both(folder: Path, peer: str, lines: int, spans: int) -> Iterator[Row]:
    text = vocabulary(lines)
    head, found, tail = text.rpartition("    writes: true\n")
    text = (
        f"{head}    wriets\n".replace("    wriets\n", "    wriets: true\n") + tail
        if found
        else text
    )
    measured = []
    for name, command in (("ours", _OURS), ("peer", (peer, "--stdio"))):
        place = folder / name
        place.mkdir()
        (place / "vocabulary.yaml").write_text(text, "utf-8")
        if name == "ours":
            write_trace(place / "trace.jsonl", spans)
        server = Peer(command, place, text)
        measured.append(await measure(server, text, reads_turns=name == "ours"))
    print(f"{text.count(chr(10)):,} lines; answers, in bytes of JSON:")
    for name in measured[0].answers:
        ours, its = (one.answers.get(name, 0) for one in measured)
        print(f"  {name}: {ours:,}, the peer {its:,}")
    return rows(*measured)


_OURS = (sys.executable, "-m", "stalwart_lang", "lsp")


def main() -> int:
    """Print the rows; exit 1 if one fails."""
    parser = ArgumentParser(description="Measure the language server beside its peer.")
    parser.add_argument("--peer")
    parser.add_argument("--lines", type=int, default=5_000)
    parser.add_argument("--spans", type=int, default=100_000)
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        peer = given.peer or _installed(folder / "npm")
        made = [*asyncio.run(_both(folder, peer, given.lines, given.spans))]
    print(*made, sep="\n")
    return 1 if any(row.failed for row in made) else 0


if __name__ == "__main__":
    sys.exit(main())
