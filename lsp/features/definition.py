"""Where a name is declared: in YAML or in Python; of traces, where what they name is."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.documents import path_of, uri_of
from stalwart_lang.lsp.index.model import DocumentIndex, Occurrence
from stalwart_lang.lsp.index.targets import target_of
from stalwart_lang.lsp.namesakes import asked_of, namesakes
from stalwart_lang.lsp.python_tools import functions_of, module_file
from stalwart_lang.lsp.traces.documents import answer_of_trace, is_trace

if TYPE_CHECKING:
    from stalwart_lang.lsp.analysis import Analysis
    from stalwart_lang.lsp.server import Server
    from stalwart_lang.lsp.workspace import Project

_TOP = types.Range(
    start=types.Position(line=0, character=0), end=types.Position(line=0, character=0)
)


def register(server: "Server") -> None:
    """Serve `textDocument/definition`."""

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def answer(
        params: types.DefinitionParams,
    ) -> list[types.Location] | list[types.LocationLink] | None:
        uri = params.text_document.uri
        if is_trace(uri):
            found: list[types.Location] = await answer_of_trace(server, "definition", params)
            return found
        index = server.project.index(uri)
        if index is None:
            return None
        offset = index.document.offset(params.position)
        analysis = server.analyses.latest(uri)
        links = await server.run(definitions_at, server.project, index, offset, analysis)
        if server.can("text_document.definition.link_support"):
            return links
        return [
            types.Location(uri=one.target_uri, range=one.target_selection_range) for one in links
        ]


def definitions_at(
    project: "Project", index: DocumentIndex, offset: int, analysis: "Analysis | None" = None
) -> list[types.LocationLink]:
    """What a place leads to: a name to its declaration, a turn to the phrases that read it."""
    one = index.at(offset)
    if one is None:
        return [*_phrases(project, index, offset, analysis)]
    origin = index.document.range(one.start, one.end)
    if one.kind in ("file", "module"):
        target = _file(one)
        return [] if target is None else [types.LocationLink(target, _TOP, _TOP, origin)]
    found = namesakes(project, one)
    places: tuple[Occurrence, ...] = found.definitions
    if one.kind == "slot" and not one.container:
        asked = asked_of(analysis, index, one.start)
        places = tuple(its for its in places if its.container in asked) or places
    links = [_link(found.indexes[its.uri], its, origin) for its in places]
    if one.kind == "tool":
        agents = (its for its in found.indexes.values() if its.kind == "agent")
        for place in functions_of(one.name, agents, index.document.encoding):
            links.append(types.LocationLink(place.uri, place.range, place.range, origin))
    return links


def _link(index: DocumentIndex, one: Occurrence, origin: types.Range) -> types.LocationLink:
    document = index.document
    name = document.range(one.start, one.end)
    start, end = min(one.scope_start, one.start), max(one.scope_end, one.end)
    return types.LocationLink(one.uri, document.range(start, end), name, origin)


def _file(one: Occurrence) -> str | None:
    """The file that a document names; None where there is none."""
    if one.kind == "module":
        file = module_file(one.uri, one.name)
        return None if file is None else uri_of(file)
    target = target_of(one.uri, one.name, one.container)
    path = None if target is None else path_of(target)
    return target if path is not None and Path(path).is_file() else None


def _phrases(
    project: "Project", index: DocumentIndex, offset: int, analysis: "Analysis | None"
) -> Iterator[types.LocationLink]:
    """The phrases of the calls that the turn at a place reads as."""
    turn = index.turn_at(offset)
    if turn is None or analysis is None:
        return
    if analysis.documents.get(index.uri) is not index.document:
        return
    for reading in analysis.readings_of(index.uri):
        if reading.turn.start != turn.start:
            continue
        plan = reading.plan
        for call in dict.fromkeys(one.rule for one in (*plan.calls, *plan.partial)):
            yield from _phrase(project, index, call, index.document.range(turn.start, turn.end))


def _phrase(
    project: "Project", index: DocumentIndex, rule: str, origin: types.Range
) -> Iterator[types.LocationLink]:
    """Where a phrase stands, by its path: `charge_card.say.en[0]`."""
    for its in project.group(index.uri):
        counted: dict[tuple[str, str], int] = {}
        for phrase in its.phrases:
            if phrase.owner == "tool":
                key = phrase.name, phrase.language
                number = counted.get(key, 0)
                counted[key] = number + 1
                if rule == f"{phrase.name}.say.{phrase.language}[{number}]":
                    where = its.document.range(phrase.start, phrase.end)
                    yield types.LocationLink(its.uri, where, where, origin)
