"""All the places that mean what a name at one place means, in every file that shares the name.

A vocabulary with the files that it includes is one scope, and so is an agent with its vocabulary.
Two vocabularies may include the same file: a name in that file is both of theirs, while each may
have names of its own that the other has too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stalwart_lang.lsp.index.model import DocumentIndex, NameKey, Occurrence
from stalwart_lang.lsp.workspace import Project

if TYPE_CHECKING:
    from stalwart_lang.lsp.analysis import Analysis


@dataclass(frozen=True, slots=True)
class Namesakes:
    """The places of a name, in the order of files and places; a place is there once.

    `scopes` are the documents, by their URIs, in each of which the name is known as one thing.
    """

    key: NameKey
    places: tuple[Occurrence, ...]
    scopes: tuple[frozenset[str], ...]
    indexes: Mapping[str, DocumentIndex]

    @property
    def definitions(self) -> tuple[Occurrence, ...]:
        """Where it is declared."""
        return tuple(one for one in self.places if one.role == "definition")

    @property
    def references(self) -> tuple[Occurrence, ...]:
        """Where it is used."""
        return tuple(one for one in self.places if one.role == "reference")


def namesakes(project: Project, one: Occurrence) -> Namesakes:
    """The places that mean what `one` does.

    An argument in `incomplete:` is that of any tool that has it, and an argument of one tool is
    meant there too.
    """
    indexes = {index.uri: index for index in project.group(one.uri)}
    scopes = list(_scopes(indexes))
    having = {uri: its for uri, index in indexes.items() if (its := tuple(_places(index, one.key)))}
    # From scope to scope by the files that use the name in both.
    reached: list[frozenset[str]] = []
    files = {one.uri}
    while True:
        more = [its for its in scopes if its not in reached and not files.isdisjoint(its)]
        if not more:
            break
        reached += more
        files |= {uri for its in more for uri in its if uri in having}
    known = {uri for its in reached for uri in its} | {one.uri}
    places = (place for uri, its in having.items() if uri in known for place in its)
    return Namesakes(one.key, tuple(dict.fromkeys(places)), tuple(reached), indexes)


def mean_the_same(one: NameKey, other: NameKey) -> bool:
    """Whether two names are the same thing's, where they are known to one another."""
    (kind, container, name), (its_kind, its_container, its_name) = one, other
    if kind != its_kind or name != its_name:
        return False
    return container == its_container or (kind == "slot" and not (container and its_container))


def _places(index: DocumentIndex, key: NameKey) -> Iterator[Occurrence]:
    kind, _, name = key
    for one in index.occurrences:
        if one.name == name and one.kind == kind and mean_the_same(key, one.key):
            yield one


def _scopes(indexes: Mapping[str, DocumentIndex]) -> Iterator[frozenset[str]]:
    """Each document with all that it includes; what another one's has within is left out."""
    closures = {uri: _closure(uri, indexes) for uri in indexes}
    inner = {other for uri, its in closures.items() for other in its if uri not in closures[other]}
    yield from dict.fromkeys(its for uri, its in closures.items() if uri not in inner)


def _closure(uri: str, indexes: Mapping[str, DocumentIndex]) -> frozenset[str]:
    found = {uri}
    waiting = [uri]
    while waiting:
        for target in indexes[waiting.pop()].includes:
            if target in indexes and target not in found:
                found.add(target)
                waiting.append(target)
    return frozenset(found)


def asked_of(analysis: "Analysis | None", index: DocumentIndex, place: int) -> frozenset[str]:
    """The tools whose argument a turn asks for, at its `incomplete:`; none where it is not known.

    `place` is where the argument's name begins. Of an earlier text nothing is known.
    """
    if analysis is None or analysis.documents.get(index.uri) is not index.document:
        return frozenset()
    found: set[str] = set()
    name = next((one.name for one in index.occurrences if one.start == place), "")
    for reading in analysis.readings_of(index.uri):
        start, end = reading.turn.entry
        if start <= place <= end:
            found |= {one.tool for one in reading.plan.missing if one.argument == name}
    return frozenset(found)
