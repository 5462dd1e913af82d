"""The files of a workspace: open ones as they stand in the editor, closed ones as on the disk.

Files that belong together, by `include:` or as an agent's vocabulary, share their names. What
follows here may be asked from any thread; only what an editor tells is taken on the loop.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from stalwart_lang.diagnostics import Findings, TooMany
from stalwart_lang.lsp.analysis import Superseded
from stalwart_lang.lsp.configuration import Configuration
from stalwart_lang.lsp.documents import Document, Encoding, path_of, same_uri, uri_of
from stalwart_lang.lsp.index.build import (
    Outline,
    build_index,
    kind_of,
    outline_of,
)
from stalwart_lang.lsp.index.chunks import Composed, Composer
from stalwart_lang.lsp.index.edited import edited_entry
from stalwart_lang.lsp.index.model import DocumentIndex, DocumentKind, Kind, Occurrence
from stalwart_lang.lsp.index.targets import targets_in
from stalwart_lang.lsp.traces.documents import is_trace
from stalwart_lang.vocabulary.locate import MAX_BYTES, read_disk
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.yaml12 import Node

MAX_GROUP = 200
"""The files that are taken to belong together."""


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A version of a document and what it is by itself."""

    document: Document
    composed: Composed
    kind: DocumentKind
    outline: Outline
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _OnDisk:
    """A closed file, and by what it is told whether it changed."""

    stamp: tuple[int, int]
    document: Document


class Project:
    """The documents of a session, and what they name."""

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        self.folders: tuple[Path, ...] = ()
        self.configuration = Configuration()
        self._lock = threading.RLock()
        self._open: dict[str, Document] = {}
        self._languages: dict[str, str] = {}
        self._disk: dict[str, _OnDisk] = {}
        self._known: dict[str, None] = {}
        self._composers: dict[str, Composer] = {}
        self._parsed: dict[str, _Parsed] = {}
        self._indexes: dict[str, tuple[_Parsed, Outline, DocumentIndex]] = {}
        self._groups: dict[str, tuple[str, ...]] = {}
        self._good: dict[str, DocumentIndex] = {}
        """The last indexes of texts that were YAML."""

    # ------------------------------------------------------------ what an editor tells

    def open(self, document: Document, language_id: str) -> None:
        """A document was opened."""
        with self._lock:
            self._open[document.uri] = document
            self._languages[document.uri] = language_id

    def change(self, document: Document) -> None:
        """An open document has a new version."""
        with self._lock:
            self._open[document.uri] = document

    def close(self, uri: str) -> None:
        """A document was closed: from now on it is what the disk has."""
        with self._lock:
            self._open.pop(uri, None)
            self._languages.pop(uri, None)
            self._disk.pop(uri, None)
            if path_of(uri) is None:
                self._forget(uri)

    def learn(self, path: Path) -> None:
        """A file was found in the workspace; it is kept where it is ours. Not on the loop."""
        uri = uri_of(path)
        with self._lock:
            parsed = self._parse(uri)
            if parsed is not None and parsed.kind in ("vocabulary", "agent"):
                self._known.setdefault(uri)

    def forget(self, uri: str) -> None:
        """A file was removed."""
        with self._lock:
            self._known.pop(uri, None)
            self._forget(uri)

    def _forget(self, uri: str) -> None:
        for kept in (
            self._parsed,
            self._indexes,
            self._groups,
            self._composers,
            self._disk,
            self._good,
        ):
            kept.pop(uri, None)

    # ------------------------------------------------------------ documents

    def is_open(self, uri: str) -> bool:
        """Whether an editor has the document open."""
        return same_uri(uri) in self._open

    def open_uris(self) -> tuple[str, ...]:
        """The documents that are open."""
        return tuple(self._open)

    def known_uris(self) -> tuple[str, ...]:
        """The vocabularies and agent files that are known, open ones first."""
        with self._lock:
            opened = (uri for uri in self._open if not is_trace(uri))
            return tuple(dict.fromkeys((*opened, *self._known)))

    def document(self, uri: str) -> Document | None:
        """A document as it is open, or else as it is on the disk; None where it is not there."""
        uri = same_uri(uri)
        with self._lock:
            return self._open.get(uri) or self._on_disk(uri)

    def _on_disk(self, uri: str) -> Document | None:
        path = path_of(uri)
        kept = self._disk.get(uri)
        try:
            if path is None:
                return None
            found = Path(path).stat()
            stamp = found.st_mtime_ns, found.st_size
            if kept is not None and kept.stamp == stamp:
                return kept.document
            if not S_ISREG(found.st_mode) or found.st_size > MAX_BYTES:
                return None
            text = read_disk(path).decode(errors="replace").removeprefix("\ufeff")
        except (OSError, ValueError):
            self._disk.pop(uri, None)
            return None
        document = Document(uri, None, text, self.encoding)
        self._disk[uri] = _OnDisk(stamp, document)
        return document

    # ------------------------------------------------------------ what documents name

    def composed(self, uri: str, text: str | None = None) -> Composed | None:
        """A document's nodes; those of `text`, where the document is no longer that."""
        with self._lock:
            parsed = self._parse(uri)
            if parsed is None or text is None or parsed.document.text == text:
                return None if parsed is None else parsed.composed
        return Composer(path_of(uri) or uri).compose(text)

    def _parse(self, uri: str) -> _Parsed | None:
        if is_trace(uri):  # it may be of any size, and names nothing
            return None
        document = self.document(uri)
        if document is None:
            self._forget(uri)
            return None
        parsed = self._parsed.get(document.uri)
        if parsed is not None and parsed.document is document:
            return parsed
        if is_trace(document.uri):
            composed = Composed(None, (), None)
        elif parsed is not None and parsed.document.text == document.text:
            composed = parsed.composed
        else:
            text = document.text
            composer = self._composers.get(document.uri)
            if composer is None:
                composer = Composer(path_of(document.uri) or document.uri)
                self._composers[document.uri] = composer
            composed = composer.compose(text)
        kind = self._kind(document, composed)
        targets = tuple(targets_in(document.uri, composed.known))
        made = _Parsed(document, composed, kind, outline_of(composed.known), targets)
        self._parsed[document.uri] = made
        return made

    def _kind(self, document: Document, composed: Composed) -> DocumentKind:
        if is_trace(document.uri):
            return "trace"
        return kind_of(composed.known, self._languages.get(document.uri, ""))

    def kind(self, uri: str) -> DocumentKind:
        """What a document is; `other` where it is not ours."""
        with self._lock:
            if is_trace(uri):
                return "trace"
            parsed = self._parse(uri)
            return "other" if parsed is None else parsed.kind

    def is_agent(self, uri: str) -> bool:
        """Whether a document was an agent file when it was last looked at."""
        parsed = self._parsed.get(same_uri(uri))
        return parsed is not None and parsed.kind == "agent"

    def index(self, uri: str) -> DocumentIndex | None:
        """What the current version of a document names; None where there is no such document."""
        with self._lock:
            parsed = self._parse(uri)
            if parsed is None:
                return None
            outline = parsed.outline
            others = self._group(parsed.document.uri)[1:]
            for other in others:
                outline = outline.joined(other.outline)
            self._groups[parsed.document.uri] = tuple(other.document.uri for other in others)
            kept = self._indexes.get(parsed.document.uri)
            if kept is not None and kept[0] is parsed and kept[1] == outline:
                return kept[2]
            made = build_index(
                parsed.document, parsed.composed, parsed.kind, outline, parsed.outline
            )
            self._indexes[parsed.document.uri] = parsed, outline, made
            if not made.broken:
                self._good[parsed.document.uri] = made
            return made

    def indexes(self) -> tuple[DocumentIndex, ...]:
        """What all known vocabularies and agent files name."""
        found = (self.index(uri) for uri in self.known_uris())
        return tuple(
            index for index in found if index is not None and index.kind in ("vocabulary", "agent")
        )

    # ------------------------------------------------------------ files that belong together

    def group(self, uri: str) -> tuple[DocumentIndex, ...]:
        """The documents that share names with one, itself first."""
        with self._lock:
            found = (self.index(parsed.document.uri) for parsed in self._group(same_uri(uri)))
            return tuple(index for index in found if index is not None)

    def around(self, uri: str) -> tuple[DocumentIndex, ...]:
        """What `group` gives, but at once where a document has only just been edited.

        The first is then of the edited entry alone, and what else the document names, which is as
        it was before, comes next: its places are those of the version before.
        """
        # Without the lock, which an analysis may hold for as long as it takes to index the whole.
        document = self._open.get(same_uri(uri)) or self.document(uri)
        kept = None if document is None else self._indexes.get(document.uri)
        if document is None or kept is None or kept[2].document.text == document.text:
            return self.group(uri)
        edited = edited_entry(kept[2], kept[1], document)
        if edited is None:
            return self.group(uri)
        others = (self.index(other) for other in self._groups.get(document.uri, ()))
        return (*edited, *(other for other in others if other is not None))

    def _group(self, uri: str) -> list[_Parsed]:
        first = self._parse(uri)
        if first is None:
            return []
        found = {first.document.uri: first}
        waiting = [first]
        while waiting and len(found) < MAX_GROUP:
            its = waiting.pop()
            near = (*its.targets, *self._includers(its.document.uri))
            for other in near:
                parsed = None if other in found else self._parse(other)
                if parsed is not None and parsed.document.uri not in found:
                    found[parsed.document.uri] = parsed
                    waiting.append(parsed)
        return list(found.values())

    def _includers(self, uri: str) -> Iterator[str]:
        """The known documents that include one, or have it for their vocabulary."""
        for other in self.known_uris():
            parsed = self._parsed.get(other)
            if parsed is None or other in self._open:
                parsed = self._parse(other)
            if parsed is not None and uri in parsed.targets and other != uri:
                yield other

    def mains_of(self, uri: str) -> tuple[str, ...]:
        """The vocabularies that a document is a part of; itself, where none includes it.

        Of an agent file it is the vocabulary of the agent's, if there is one.
        """
        with self._lock:
            parsed = self._parse(uri)
            if parsed is not None and parsed.kind == "agent":
                return tuple(main for one in parsed.targets for main in self.mains_of(one))
            mains: dict[str, None] = {}
            seen: set[str] = set()
            waiting = [same_uri(uri)]
            while waiting:
                one = waiting.pop()
                seen.add(one)
                above = [
                    other
                    for other in self._includers(one)
                    if self._parsed[other].kind == "vocabulary"
                ]
                if not above:
                    mains.setdefault(one)
                waiting += [other for other in above if other not in seen]
            return tuple(mains) or (same_uri(uri),)

    def main_of(self, uri: str) -> str:
        """The first of the vocabularies that a document is a part of."""
        return next(iter(self.mains_of(uri)), same_uri(uri))

    def definitions(
        self, uri: str, kind: Kind, name: str, container: str = ""
    ) -> tuple[Occurrence, ...]:
        """Where a name is declared, in the files that belong to a document's.

        A slot or a member without a container is that of any tool or list.
        """
        return tuple(self._of(uri, "definition", kind, name, container))

    def references(
        self, uri: str, kind: Kind, name: str, container: str = ""
    ) -> tuple[Occurrence, ...]:
        """Where a name is used, in the files that belong to a document's."""
        return tuple(self._of(uri, "reference", kind, name, container))

    def _of(
        self, uri: str, role: str, kind: Kind, name: str, container: str
    ) -> Iterator[Occurrence]:
        for index in self.group(uri):
            for one in index.occurrences:
                if (one.role, one.kind, one.name) == (role, kind, name) and (
                    not container or not one.container or one.container == container
                ):
                    yield one

    def names(self, uri: str, kind: Kind, container: str | None = None) -> tuple[str, ...]:
        """The names of a kind that are declared in the files that belong to a document's.

        Facts need not be declared: those that rules require are among them. Of a broken text, what
        it named before it broke is among them too.
        """
        return self.names_in(self.group(uri), kind, container)

    def names_in(
        self, indexes: tuple[DocumentIndex, ...], kind: Kind, container: str | None = None
    ) -> tuple[str, ...]:
        """The names of a kind that are declared in documents, as `names` gives them."""
        found: dict[str, None] = {}
        broken = [index.uri for index in indexes if index.broken]
        for index in (*indexes, *(self._good[one] for one in broken if one in self._good)):
            for one in index.occurrences:
                if (
                    one.kind == kind
                    and (one.role == "definition" or kind == "fact")
                    and container in (None, one.container)
                ):
                    found.setdefault(one.name)
        return tuple(found)


class Moment:
    """The texts of one moment, for an analysis; a text that changed since ends it."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._documents: dict[str, Document | None] = {}

    def document(self, uri: str) -> Document | None:
        """A document as it is at this moment."""
        if uri not in self._documents:
            self._documents[uri] = self._project.document(uri)
        return self._documents[uri]

    def read(self, path: str) -> bytes:
        """The content of a file. Raises OSError."""
        uri = uri_of(path)
        if self._project.is_open(uri):
            document = self.document(uri)
            if document is not None:
                return document.text.encode(errors="surrogatepass")
        if Path(path).exists() and not Path(path).is_file():
            raise IsADirectoryError("not a regular file")
        content = read_disk(path)
        document = self.document(uri)
        if document is not None and len(content) <= MAX_BYTES:
            text = content.decode(errors="replace").removeprefix("\ufeff")
            if document.text != text:
                self._documents[uri] = Document(uri, None, text, document.encoding)
        return content

    def parse(self, source: Source, findings: Findings) -> Node | None:
        """What `compose` gives, from what is kept of the version before. Raises TooMany."""
        unsaved = self._project.is_open(source.file)
        uri = source.file if unsaved else uri_of(source.file)
        composed = self._project.composed(uri, source.text)
        if composed is None:
            composed = Composer(source.file).compose(source.text)
        findings.items += composed.findings
        if any(one.code == "SV012" for one in composed.findings):
            raise TooMany
        return composed.root

    def index(self, uri: str) -> DocumentIndex | None:
        """The index of a document. Raises Superseded where it has another text by now."""
        index = self._project.index(uri)
        known = self._documents.get(uri)
        if index is not None and known is not None and index.document.text != known.text:
            raise Superseded
        return index
