"""Definition in a trace: from a rule, a phrase or a tool that it names to where it is written."""

import os
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from stalwart_lang.lsp.documents import Encoding, path_of, uri_of
from stalwart_lang.lsp.index.model import DocumentIndex
from stalwart_lang.lsp.traces.placing import offset_in, range_in
from stalwart_lang.lsp.traces.reading import line_at, span_at, text_at
from stalwart_lang.timeline.records import Span
from stalwart_lang.tracing import attributes as names
from stalwart_lang.vocabulary.locate import SHIPPED

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server
    from stalwart_lang.lsp.workspace import Project

_VOCABULARIES = (".yaml", ".yml")


class Named(NamedTuple):
    """What a trace names at a place: a rule, a phrase or a tool, and what it tells of where."""

    kind: str
    name: str
    file: str | None = None
    line: int | None = None
    vocabulary: str | None = None
    origin: types.Range | None = None


async def answer(
    server: "Server", params: types.DefinitionParams
) -> list[types.Location] | list[types.LocationLink] | None:
    """Answer `textDocument/definition` in a trace."""
    document = server.project.document(params.text_document.uri)
    if document is None:
        return None
    named = await server.run(named_at, document.text, document.encoding, params.position)
    if named is None:
        return None
    found = written_at(server.project, named, params.text_document.uri)
    if named.origin is None or not server.can("text_document.definition.link_support"):
        return found
    return [
        types.LocationLink(
            target_uri=place.uri,
            target_range=place.range,
            target_selection_range=place.range,
            origin_selection_range=named.origin,
        )
        for place in found
    ]


def named_at(text: str, encoding: Encoding, position: types.Position) -> Named | None:
    """Return what a trace names at a position."""
    line = line_at(text, position.line)
    if line is None:
        return None
    offset = offset_in(line, position, encoding)
    found, span = text_at(line.text, offset), span_at(line, offset)
    if found is None or span is None:
        return None
    origin = range_in(line, found.start, found.end, encoding)
    for named in named_by(span):
        if found.value in (named.name, named.file):
            return named._replace(origin=origin)
    if found.value in (names.RULE, names.RULE_FILE, names.RULE_LINE):
        return next((named for named in named_by(span) if named.kind == "rule"), None)
    return None


def named_by(span: Span) -> Iterator[Named]:
    """Yield what a span names: its rule first, then its phrases, then its tool."""
    held = span.attributes
    rule, file, line = (held.get(name) for name in (names.RULE, names.RULE_FILE, names.RULE_LINE))
    if isinstance(rule, str):
        yield Named(
            "rule",
            rule,
            file if isinstance(file, str) else None,
            line if isinstance(line, int) and not isinstance(line, bool) and line > 0 else None,
        )
    vocabulary = held.get(names.VOCABULARY)
    rules = held.get(names.RULES)
    for phrase in rules if isinstance(rules, list) else ():
        if isinstance(phrase, str):
            known = vocabulary if isinstance(vocabulary, str) else None
            yield Named("phrase", phrase, vocabulary=known)
    if isinstance(tool := held.get(names.TOOL_NAME), str):
        yield Named("tool", tool)


def written_at(project: "Project", named: Named, trace_uri: str) -> list[types.Location]:
    """Return where in the workspace something is written that a trace names.

    The file that the trace names is the best; then every vocabulary that has one of that name, of
    phrases those of the vocabulary's name first.
    """
    if named.file is not None:
        for path in _files(named.file, project.folders, trace_uri):
            index = project.index(uri_of(path))
            if index is None:
                continue
            if found := [*_definitions(index, named)]:
                return found
            if named.line is not None and named.line <= index.document.line_count:
                start, end = index.document.line_span(named.line - 1)
                return [types.Location(index.document.uri, index.document.range(start, end))]
    indexes = project.indexes()
    same = [index for index in indexes if index.vocabulary_name == named.vocabulary]
    for some in (same, indexes):
        if found := [place for index in some for place in _definitions(index, named)]:
            return found
    return []


def _definitions(index: DocumentIndex, named: Named) -> Iterator[types.Location]:
    document = index.document
    if named.kind != "phrase":
        for found in index.definitions():
            if (found.kind, found.name) == (named.kind, named.name):
                yield types.Location(document.uri, document.range(found.start, found.end))
        return
    numbers: dict[tuple[str, str, str], int] = {}
    for phrase in index.phrases:
        if phrase.owner == "tool":
            key = phrase.owner, phrase.name, phrase.language
            number = numbers.get(key, 0)
            numbers[key] = number + 1
            if f"{phrase.name}.say.{phrase.language}[{number}]" == named.name:
                yield types.Location(document.uri, document.range(phrase.start, phrase.end))


def _files(file: str, folders: Sequence[Path], trace_uri: str) -> Iterator[Path]:
    """Yield the vocabularies that a trace may mean by a file: as its process knew it, or here.

    A name of another machine's share is not looked up: that would tell it who asks.
    """
    if file.startswith(("\\\\", "//")) or not file.lower().endswith(_VOCABULARIES) or "\0" in file:
        return
    beside = path_of(trace_uri)
    above = [*folders, *([Path(beside).parent] if beside else [])]
    candidates = [Path(os.path.normpath(folder / file)) for folder in above]
    if PurePath(file).parent.as_posix() == SHIPPED:
        candidates.append(Path(str(files(SHIPPED.replace("/", ".")) / PurePath(file).name)))
    for path in dict.fromkeys(candidates):
        try:
            if path.is_file():
                yield path
        except OSError:
            continue
