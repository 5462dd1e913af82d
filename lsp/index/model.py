"""What the index of a document holds: names, phrases, turns and sections, with exact places.

Places are offsets in code points into the document's text; an end is after the last one.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from stalwart_lang.lsp.documents import Document
from stalwart_lang.lsp.index.paths import Step, steps_to
from stalwart_lang.vocabulary.model import Language
from stalwart_lang.vocabulary.yaml12 import Node

Kind: TypeAlias = Literal[
    "tool",
    "slot",
    "thing",
    "list",
    "member",
    "unit",
    "rule",
    "fact",
    "agent",
    "file",
    "module",
]
Role: TypeAlias = Literal["definition", "reference"]
DocumentKind: TypeAlias = Literal["vocabulary", "agent", "trace", "other"]
PartKind: TypeAlias = Literal["verb", "literal", "slot", "optional"]
Expectation: TypeAlias = Literal["plan", "unread", "incomplete", "ambiguous", ""]
NameKey: TypeAlias = tuple[str, str, str]
"""What a name stands for: its kind, its container, and the name itself."""


class Occurrence(NamedTuple):
    """A name where it is declared or used.

    `start` and `end` are of the name alone. `container` is a slot's tool (empty in `incomplete:`,
    which names a slot of any tool), a member's list, and for a file the key that it stands at.
    `scope` of a definition is the whole entry, from its key to the end of its value.
    """

    kind: Kind
    name: str
    role: Role
    uri: str
    start: int
    end: int
    container: str = ""
    scope_start: int = 0
    scope_end: int = 0
    quoted: bool = False

    @property
    def scope(self) -> tuple[int, int]:
        """Where the whole entry of a definition is; of a reference, the name."""
        return self.scope_start, self.scope_end

    @property
    def key(self) -> NameKey:
        """What the name stands for."""
        return self.kind, self.container, self.name


class Part(NamedTuple):
    """A word or a `{slot}` of a phrase, the braces within its place."""

    kind: PartKind
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PhraseText:
    """A phrase of a tool's, or the words of something else, as they stand in the document.

    `start` and `end` are of the scalar, its quotes within; `owner` is what the words are for.
    """

    owner: Kind
    name: str
    container: str
    language: Language
    text: str
    start: int
    end: int
    parts: tuple[Part, ...]
    places: range | tuple[int, ...] = field(repr=False, compare=False)

    def place(self, number: int) -> int:
        """Where the character `number` of `text` stands; past the last, the end."""
        return _place(self.places, number)


@dataclass(frozen=True, slots=True)
class TurnText:
    """A turn of `turns:` in one language; `number` counts the file's entries from 0."""

    language: Language
    text: str
    start: int
    end: int
    number: int
    entry: tuple[int, int]
    now: str | None
    expects: Expectation
    places: range | tuple[int, ...] = field(repr=False, compare=False)

    def place(self, number: int) -> int:
        """Where the character `number` of `text` stands; past the last, the end."""
        return _place(self.places, number)


def _place(places: range | tuple[int, ...], number: int) -> int:
    return places[max(0, min(number, len(places) - 1))]


class Section(NamedTuple):
    """A top-level key and what stands under it."""

    name: str
    key: tuple[int, int]
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class DocumentIndex:
    """Everything that one version of a document names.

    `root` has the document's nodes, of a mended text where it is `broken`; their places are those
    of the document all the same. `types` has the type of each slot as written, by tool and slot.
    """

    document: Document
    kind: DocumentKind
    root: Node | None = None
    broken: bool = False
    occurrences: tuple[Occurrence, ...] = ()
    phrases: tuple[PhraseText, ...] = ()
    turns: tuple[TurnText, ...] = ()
    sections: tuple[Section, ...] = ()
    vocabulary_name: str = ""
    languages: tuple[Language, ...] = ()
    types: Mapping[tuple[str, str], str] = field(default_factory=dict)
    includes: tuple[str, ...] = ()
    """The URIs of the files that it includes, and of an agent's vocabulary."""

    @property
    def uri(self) -> str:
        """The document's."""
        return self.document.uri

    def at(self, offset: int) -> Occurrence | None:
        """The name at an offset, or right before it."""
        found = self.occurrences
        number = bisect_right(found, offset, key=_start)
        for one in reversed(found[max(0, number - 4) : number]):
            if one.start <= offset <= one.end:
                return one
        return None

    def phrase_at(self, offset: int) -> PhraseText | None:
        """The phrase whose scalar an offset is in or next to."""
        number = bisect_right(self.phrases, offset, key=_start)
        one = self.phrases[number - 1] if number else None
        return one if one is not None and offset <= one.end else None

    def turn_at(self, offset: int) -> TurnText | None:
        """The turn whose scalar an offset is in or next to."""
        number = bisect_right(self.turns, offset, key=_start)
        one = self.turns[number - 1] if number else None
        return one if one is not None and offset <= one.end else None

    def definitions(self, kind: Kind | None = None) -> tuple[Occurrence, ...]:
        """The names that are declared here."""
        return tuple(self._of("definition", kind))

    def references(self, kind: Kind | None = None) -> tuple[Occurrence, ...]:
        """The names that are used here."""
        return tuple(self._of("reference", kind))

    def _of(self, role: Role, kind: Kind | None) -> Iterator[Occurrence]:
        for one in self.occurrences:
            if one.role == role and kind in (None, one.kind):
                yield one

    def path_at(self, offset: int) -> tuple[Step, ...]:
        """Where in the YAML an offset is, outermost step first."""
        return () if self.root is None else steps_to(self.document.text, self.root, offset)


def _start(one: Occurrence | PhraseText | TurnText) -> int:
    return one.start
