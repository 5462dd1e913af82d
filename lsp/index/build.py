"""A document's nodes to its index: every name with its place, and what it is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import get_args

from stalwart_lang.lsp.documents import Document
from stalwart_lang.lsp.index.chunks import Composed
from stalwart_lang.lsp.index.model import (
    DocumentIndex,
    DocumentKind,
    Expectation,
    Kind,
    Occurrence,
    PhraseText,
    Section,
    TurnText,
)
from stalwart_lang.lsp.index.paths import is_flow
from stalwart_lang.lsp.index.phrases import phrase_text, slots_in
from stalwart_lang.lsp.index.scalars import is_quoted, places, span
from stalwart_lang.lsp.index.targets import targets_in
from stalwart_lang.lsp.index.types import is_optional, names_in
from stalwart_lang.vocabulary.model import LANGUAGES, Language
from stalwart_lang.vocabulary.yaml12 import MAX_DEPTH, Node, Scalar, Sequence
from stalwart_lang.vocabulary.yaml12 import Mapping as MappingNode

_EXPECTATIONS: tuple[Expectation, ...] = get_args(Expectation)
_OF_AGENTS = frozenset(("agents", "storage", "on_unread", "runs", "trace", "facts"))
_ENOUGH = 3
"""So many keys of a vocabulary's make one, though its name is missing."""
_OF_VOCABULARIES = frozenset(
    ("vocabulary", "include", "things", "values", "units", "rules", "turns", "settings", "tools")
)


@dataclass(frozen=True, slots=True)
class Outline:
    """What the names in a document depend on, in itself and in the files that belong to it.

    `types` has the type of each argument as it is written, by tool and argument; `lists` the
    closed lists, and `members` their values, each with its list.
    """

    types: Mapping[tuple[str, str], str] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    members: frozenset[tuple[str, str]] = frozenset()

    def joined(self, other: "Outline") -> "Outline":
        """This and another's; where both have a type, this one's."""
        return Outline(
            {**other.types, **self.types},
            self.lists | other.lists,
            self.members | other.members,
        )


def kind_of(root: Node | None, language_id: str = "") -> DocumentKind:
    """What a document is, by its keys, or by what the editor says it is."""
    keys = {key.text for key, _ in root.entries} if isinstance(root, MappingNode) else set()
    tools = _entry(root, "tools")
    if keys & _OF_AGENTS or isinstance(tools, Sequence):
        return "agent"
    if language_id.startswith("stalwart-agent"):
        return "agent"
    if language_id.startswith("stalwart"):
        return "vocabulary"
    own = keys & _OF_VOCABULARIES
    return "vocabulary" if "vocabulary" in own or len(own) >= _ENOUGH else "other"


def outline_of(root: Node | None) -> Outline:
    """The arguments and closed lists that a document declares."""
    types: dict[tuple[str, str], str] = {}
    for tool, entry in _entries(_entry(root, "tools")):
        for slot, value in _entries(_entry(entry, "takes")):
            node = _type_node(value)
            types[tool.text, slot.text] = "" if node is None else node.text
    values = _entries(_entry(root, "values"))
    members = ((name.text, member.text) for name, its in values for member, _ in _entries(its))
    return Outline(types, frozenset(name.text for name, _ in values), frozenset(members))


def build_index(
    document: Document,
    composed: Composed,
    kind: DocumentKind,
    outline: Outline,
    own: Outline | None = None,
) -> DocumentIndex:
    """The index of a document; `outline` is of all files that belong together, this one first.

    `own` is of the document alone, where it is not the same.
    """
    building = _Building(document, outline)
    root = composed.known
    if isinstance(root, MappingNode) and kind == "vocabulary":
        building.vocabulary(root)
    elif isinstance(root, MappingNode) and kind == "agent":
        building.agent(root)
    building.occurrences.sort(key=_start)
    building.phrases.sort(key=_phrase_start)
    building.turns.sort(key=_turn_start)
    return DocumentIndex(
        document=document,
        kind=kind,
        root=root,
        broken=composed.broken,
        occurrences=tuple(building.occurrences),
        phrases=tuple(building.phrases),
        turns=tuple(building.turns),
        sections=tuple(building.sections),
        vocabulary_name=building.name,
        languages=tuple(language for language in LANGUAGES if language in building.languages),
        types=(own or outline).types,
        includes=tuple(targets_in(document.uri, root)),
    )


class _Building:
    """Collects what a document names; entries of an unexpected form are passed over."""

    def __init__(self, document: Document, outline: Outline) -> None:
        self.text = document.text
        self.uri = document.uri
        self.outline = outline
        self.occurrences: list[Occurrence] = []
        self.phrases: list[PhraseText] = []
        self.turns: list[TurnText] = []
        self.sections: list[Section] = []
        self.languages: set[Language] = set()
        self.name = ""

    # ------------------------------------------------------------ vocabularies

    def vocabulary(self, root: MappingNode) -> None:
        """Everything in a file of a vocabulary."""
        self._sections(root)
        name = _entry(root, "vocabulary")
        self.name = name.text if isinstance(name, Scalar) else ""
        for node in _scalars(_entry(root, "include")):
            self._file(node, "include")
        nouns: tuple[tuple[str, Kind], ...] = (("things", "thing"), ("units", "unit"))
        for section, kind in nouns:
            for key, value in _entries(_entry(root, section)):
                self._define(kind, key, value)
                self._words(value, kind, key.text)
        for key, value in _entries(_entry(root, "values")):
            self._define("list", key, value)
            for member, words in _entries(value):
                self._define("member", member, words, key.text)
                self._words(words, "member", member.text, key.text)
        for key, value in _entries(_entry(root, "tools")):
            self._tool(key, value)
        for key, value in _entries(_entry(root, "rules")):
            self._rule(key, value)
        turns = _entry(root, "turns")
        if isinstance(turns, Sequence):
            for number, entry in enumerate(turns.items):
                self._turn(number, entry)

    def _tool(self, key: Scalar, value: Node) -> None:
        self._define("tool", key, value)
        tool = key.text
        for name, its in _entries(value):
            if name.text == "undo":
                self._refer("tool", its)
            elif name.text == "takes":
                for slot, declared in _entries(its):
                    self._define("slot", slot, declared, tool)
                    self._type(_type_node(declared))
                    self._words(_entry(declared, "words"), "slot", slot.text, tool)
            elif name.text == "say":
                self._words(its, "tool", tool)

    def _type(self, node: Scalar | None) -> None:
        if node is None:
            return
        found = names_in(node.text)
        if not found:
            return
        where = places(self.text, node)
        for one in found:
            kind: Kind = (
                "unit" if one.is_unit else "list" if one.name in self.outline.lists else "thing"
            )
            self._add(kind, one.name, where[one.start], where[one.end], node)

    def _words(self, node: Node | None, owner: Kind, name: str, container: str = "") -> None:
        for language, words in self._by_language(node):
            for scalar in _scalars(words):
                phrase = phrase_text(
                    self.text,
                    scalar,
                    owner,
                    name,
                    container,
                    language,
                    lambda slot: is_optional(self.outline.types.get((name, slot), "")),
                )
                self.phrases.append(phrase)
                if owner == "tool" and "{" in scalar.text:
                    self.occurrences += slots_in(self.text, scalar, phrase, self.uri)

    def _by_language(self, node: Node | None) -> Iterator[tuple[Language, Node]]:
        for key, value in _entries(node):
            for language in LANGUAGES:
                if key.text == language:
                    self.languages.add(language)
                    yield language, value

    def _rule(self, key: Scalar, value: Node) -> None:
        self._define("rule", key, value)
        tool = _entry(value, "tool")
        its = tool.text if isinstance(tool, Scalar) else ""
        for name, node in _entries(value):
            if name.text in ("tool", "after", "not_after"):
                self._refer("tool", node)
            elif name.text == "requires":
                for fact in _scalars(node):
                    self._refer("fact", fact)
            elif name.text == "when":
                for slot, condition in _entries(node):
                    self._refer("slot", slot, its)
                    for member in _scalars(_entry(condition, "one_of")):
                        self._member(its, slot.text, member)

    def _member(self, tool: str, slot: str, node: Node) -> None:
        """A value of an argument: the name of a member, where the argument takes a closed list.

        Of several lists it is the first that has the member.
        """
        if not isinstance(node, Scalar):
            return
        named = names_in(self.outline.types.get((tool, slot), ""))
        lists = [one.name for one in named if one.name in self.outline.lists]
        having = (one for one in lists if (one, node.text) in self.outline.members)
        for one in (*having, *lists)[:1]:
            self._refer("member", node, one)

    def _turn(self, number: int, entry: Node) -> None:
        now = _entry(entry, "now")
        expects: Expectation = ""
        for name, node in _entries(entry):
            for known in _EXPECTATIONS:
                if name.text == known:
                    expects = known
            if name.text == "incomplete":
                self._refer("slot", node)
            elif name.text == "plan" and isinstance(node, Sequence):
                for call in node.items:
                    for tool, arguments in _entries(call):
                        self._refer("tool", tool)
                        for slot, value in _entries(arguments):
                            self._refer("slot", slot, tool.text)
                            self._member(tool.text, slot.text, value)
        for language, turns in self._by_language(_entry(entry, "say")):
            for scalar in _scalars(turns):
                self.turns.append(
                    TurnText(
                        language,
                        scalar.text,
                        scalar.start,
                        scalar.end,
                        number,
                        (entry.start, content_end(self.text, entry)),
                        now.text if isinstance(now, Scalar) else None,
                        expects,
                        places(self.text, scalar),
                    )
                )

    # ------------------------------------------------------------ agents

    def agent(self, root: MappingNode) -> None:
        """Everything in an agent file."""
        self._sections(root)
        vocabulary = _entry(root, "vocabulary")
        if isinstance(vocabulary, Scalar):
            self._file(vocabulary, "vocabulary")
        for key, value in _entries(_entry(root, "agents")):
            self._define("agent", key, value)
            for node in _scalars(_entry(value, "tools")):
                self._refer("tool", node)
        tools = _entry(root, "tools")
        for entry in tools.items if isinstance(tools, Sequence) else ():
            self._refer("module", _entry(entry, "python"))
        for key, value in _entries(_entry(root, "facts")):
            self._define("fact", key, value)
        trace = _entry(root, "trace")
        if isinstance(trace, Scalar):
            self._file(trace, "trace")

    # ------------------------------------------------------------ both

    def _sections(self, root: MappingNode) -> None:
        for key, value in root.entries:
            self.sections.append(
                Section(key.text, (key.start, key.end), (key.start, _end(self.text, key, value)))
            )

    def _file(self, node: Scalar, container: str) -> None:
        start, end = span(self.text, node)
        self.occurrences.append(
            Occurrence(
                "file",
                node.text,
                "reference",
                self.uri,
                start,
                end,
                container,
                start,
                end,
                is_quoted(self.text, node),
            )
        )

    def _define(self, kind: Kind, key: Scalar, value: Node, container: str = "") -> None:
        start, end = span(self.text, key)
        self.occurrences.append(
            Occurrence(
                kind,
                key.text,
                "definition",
                self.uri,
                start,
                end,
                container,
                key.start,
                _end(self.text, key, value),
                is_quoted(self.text, key),
            )
        )

    def _refer(self, kind: Kind, node: Node | None, container: str = "") -> None:
        if isinstance(node, Scalar) and node.text:
            start, end = span(self.text, node)
            self._add(kind, node.text, start, end, node, container)

    def _add(
        self, kind: Kind, name: str, start: int, end: int, node: Scalar, container: str = ""
    ) -> None:
        quoted = is_quoted(self.text, node)
        self.occurrences.append(
            Occurrence(kind, name, "reference", self.uri, start, end, container, start, end, quoted)
        )


def content_end(text: str, node: Node) -> int:
    """Where a node's last word or bracket ends; a block itself ends where the next thing begins."""
    seen = 0
    while not isinstance(node, Scalar) and not is_flow(text, node):
        if isinstance(node, Sequence):
            if not node.items:
                break
            last: Node = node.items[-1]
        else:
            if not node.entries:
                break
            key, last = node.entries[-1]
            if last.start < key.start:  # an alias: what it stands for is elsewhere
                return key.end
        if last.start < node.start or seen > MAX_DEPTH:
            break
        node, seen = last, seen + 1
    return node.end


def _end(text: str, key: Scalar, value: Node) -> int:
    return max(key.end, content_end(text, value) if value.start >= key.start else key.end)


def _entry(node: Node | None, name: str) -> Node | None:
    if isinstance(node, MappingNode):
        for key, value in node.entries:
            if key.text == name:
                return value
    return None


def _entries(node: Node | None) -> list[tuple[Scalar, Node]]:
    return node.entries if isinstance(node, MappingNode) else []


def _scalars(node: Node | None) -> Iterator[Scalar]:
    """The scalars of a list, or the one that stands in its place."""
    if isinstance(node, Scalar) and (node.text or not node.plain):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Scalar):
                yield item


def _type_node(value: Node) -> Scalar | None:
    node = _entry(value, "type") if isinstance(value, MappingNode) else value
    return node if isinstance(node, Scalar) and node.text else None


def _start(one: Occurrence) -> tuple[int, int]:
    return one.start, one.end


def _phrase_start(one: PhraseText) -> int:
    return one.start


def _turn_start(one: TurnText) -> int:
    return one.start
