"""What can stand at a place of a vocabulary or of an agent file, the likely first."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeAlias

from stalwart_lang.lsp.completion.place import Place
from stalwart_lang.lsp.completion.snippets import entry_snippets, key_snippet
from stalwart_lang.lsp.completion.verbs import VERBS
from stalwart_lang.lsp.documents import path_of, word_at
from stalwart_lang.lsp.index.model import DocumentIndex, Kind
from stalwart_lang.lsp.index.types import names_in
from stalwart_lang.lsp.yaml_edits import as_scalar, entry_named, quoted_text
from stalwart_lang.runs.agent_declarations import AGENT_FILE
from stalwart_lang.vocabulary.argument_types import PLAIN_KINDS
from stalwart_lang.vocabulary.declarations import (
    VOCABULARY,
    Either,
    Flag,
    ListOf,
    MapOf,
    Record,
    Shape,
    Text,
)
from stalwart_lang.vocabulary.locate import shipped_names
from stalwart_lang.vocabulary.model import LANGUAGES, Language
from stalwart_lang.vocabulary.yaml12 import Scalar

Sort: TypeAlias = Literal["key", "name", "value", "word", "file", "snippet", "slot"]
_MOST = 200
_MISREAD = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"))
_OPEN_SLOT = re.compile(r"\{[ ]*([\w-]*)$")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that can stand at a place; it takes the text from `start` to `end`.

    `about` names what its documentation is of: a kind, a container and a name, or a key's path.
    """

    label: str
    sort: Sort
    new: str
    start: int
    end: int
    rank: int = 5
    snippet: bool = False
    detail: str = ""
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What is known around a document: `names` gives those of a kind and, of slots, a tool."""

    index: DocumentIndex
    group: tuple[DocumentIndex, ...]
    names: Callable[[Kind, str | None], tuple[str, ...]]
    snippets: bool = False


def candidates(place: Place, known: Known) -> tuple[tuple[Candidate, ...], bool]:
    """The candidates at a place, and whether there may be more for a longer word."""
    found = tuple(_At(place, known).all())
    if len(found) > _MOST:
        text = known.index.document.text
        at = place.start + len(place.before)
        fits = [one for one in found if plain(text[one.start : at]) in plain(one.label)]
        return tuple(fits[:_MOST]), True
    return found, _is_words(place)


def shape_at(root: Shape, path: tuple[str | int, ...]) -> Shape | None:
    """What the format declares at a path."""
    shape: Shape | None = root
    for step in path:
        if isinstance(shape, Either):
            shape = shape.long
        if isinstance(shape, ListOf) and isinstance(step, int):
            shape = shape.item
        elif isinstance(shape, Record) and isinstance(step, str):
            key = shape.keys.get(step)
            shape = key.shape if key else None
        elif isinstance(shape, MapOf) and isinstance(step, str):
            shape = shape.value
        else:
            return None
    return shape


def root_shape(index: DocumentIndex) -> Record:
    """The format of a document."""
    return AGENT_FILE if index.kind == "agent" else VOCABULARY


def plain(text: str) -> str:
    """A word as one may type it: without accents, in small letters."""
    parts = unicodedata.normalize("NFD", text.lower())
    return "".join(one for one in parts if not unicodedata.combining(one))


def _is_words(place: Place) -> bool:
    return len(place.path) > 3 and place.path[0] in ("tools", "turns") and "say" in place.path


class _At:
    """The candidates at one place."""

    def __init__(self, place: Place, known: Known) -> None:
        self.place = place
        self.known = known
        self.root = root_shape(known.index)
        self.shape = shape_at(self.root, place.path)
        self.text = known.index.document.text
        self.word = word_at(known.index.document, place.start + len(place.before))

    def all(self) -> Iterator[Candidate]:
        """Everything, by rank."""
        found = self._keys() if self.place.role == "key" else self._values()
        seen: set[str] = set()
        for one in sorted(found, key=lambda one: one.rank):
            if one.label not in seen:
                seen.add(one.label)
                yield one

    # ------------------------------------------------------------ keys

    def _keys(self) -> Iterator[Candidate]:
        shape, place = self.shape, self.place
        path = tuple(map(str, place.path))
        if place.flow is False and shape is not None and not self._is_mapping(shape):
            yield from self._items(shape)
            return
        if isinstance(shape, Either):
            shape = shape.long
        if isinstance(shape, Record):
            for rank, (key, declared) in enumerate(shape.keys.items()):
                if key not in place.keys and self._goes_with(shape, key):
                    required = declared.required or key in shape.exactly_one
                    yield self._key(
                        key, declared.shape, 1 if required else 2 + rank, ("key", *path, key)
                    )
        elif isinstance(shape, MapOf):
            for name, about in self._names_of_keys():
                if name not in place.keys:
                    yield self._key(name, shape.value, 1, about)
        for label, new in entry_snippets(
            self.known.index.kind, place, self._typed_word(), self._tools()
        ):
            if self.known.snippets and not place.flow:
                rank = 0 if not self.text.strip() else 90
                yield Candidate(label, "snippet", new, place.start, place.end, rank, True)

    def _typed_word(self) -> str:
        return self.text[self.place.start : self.place.end]

    def _goes_with(self, shape: Record, key: str) -> bool:
        """Whether no key is there that this one cannot stand beside."""
        if key not in shape.exactly_one:
            return True
        return not any(other in self.place.keys for other in shape.exactly_one)

    def _key(self, key: str, shape: Shape, rank: int, about: tuple[str, ...]) -> Candidate:
        place = self.place
        name = key if place.quote else _safe(key)
        start, end = place.start, place.end
        if place.colon:
            return Candidate(key, "key", name, start, end, rank, about=about)
        if place.quote:
            closing = "" if self.text[end : end + 1] == place.quote else place.quote
            return Candidate(
                key,
                "key",
                f"{name}{closing}" + ("" if not closing else ": "),
                start,
                end,
                rank,
                about=about,
            )
        if self.known.snippets:
            new = key_snippet(name, shape, place)
            return Candidate(key, "key", new, start, end, rank, True, about=about)
        return Candidate(key, "key", f"{name}: ", start, end, rank, about=about)

    def _is_mapping(self, shape: Shape) -> bool:
        return isinstance(shape, Record | MapOf | Either)

    def _names_of_keys(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The names that can be keys of a mapping of names."""
        match self.place.path:
            case ("turns", _, "plan", *rest) if len(rest) <= 1:
                yield from ((name, ("tool", "", name)) for name in self._tools())
            case ("turns", _, "plan", *rest):
                tool = str(rest[-1])
                yield from ((name, ("slot", tool, name)) for name in self._slots(tool))
            case ("rules", rule, "when"):
                tool = self._tool_of(str(rule))
                yield from ((name, ("slot", tool, name)) for name in self._slots(tool))
            case ("facts",):
                yield from ((name, ("fact", "", name)) for name in self.known.names("fact", None))
            case ("tools",) if self.root is VOCABULARY:
                declared = set(self._tools())
                for index in self.known.group:
                    for one in index.references("tool"):
                        if one.name not in declared:
                            yield one.name, ("tool", "", one.name)

    def _items(self, shape: Shape) -> Iterator[Candidate]:
        """Values on lines of their own, each after a dash where a list is begun."""
        dash = "- " if isinstance(shape, ListOf) and not self.place.dash else ""
        for one in self._values():
            if dash and one.start != self.place.start:
                continue
            yield Candidate(
                one.label, one.sort, f"{dash}{one.new}", one.start, one.end, one.rank,
                one.snippet, one.detail, one.about,
            )  # fmt: skip

    # ------------------------------------------------------------ values

    def _values(self) -> Iterator[Candidate]:
        path = self.place.path
        if self.root is AGENT_FILE:
            yield from self._agent_values(path)
        else:
            match path:
                case ("tools", _, "undo") | ("rules", _, "tool" | "after" | "not_after"):
                    yield from self._named("tool", self._tools())
                case ("tools", _, "takes", _) | ("tools", _, "takes", _, "type"):
                    yield from self._types()
                case ("tools", tool, "say", language, *_) if language in LANGUAGES:
                    yield from self._phrase(str(tool), language)
                case ("turns", _, "say", language, *_) if language in LANGUAGES:
                    yield from self._turn(language)
                case ("turns", _, "incomplete"):
                    yield from self._named("slot", self.known.names("slot", None))
                case ("turns", _, "plan", _, tool, slot):
                    yield from self._members(str(tool), str(slot))
                case ("rules", rule, "when", slot, "one_of", *_):
                    yield from self._members(self._tool_of(str(rule)), str(slot))
                case ("rules", _, "requires", *_):
                    yield from self._named("fact", self.known.names("fact", None))
                case ("include", *_):
                    yield from self._files(".yaml", ".yml")
                case ("settings", "timezone"):
                    for zone in time_zones():
                        yield self._whole(zone, 1 if "Sao_Paulo" in zone else 5)
        yield from self._declared(self.shape)

    def _agent_values(self, path: tuple[str | int, ...]) -> Iterator[Candidate]:
        match path:
            case ("agents", _, "tools", *_):
                yield from self._named("tool", self._tools())
            case ("vocabulary",):
                for name in shipped_names():
                    yield self._whole(name, 2)
                yield from self._files(".yaml", ".yml")
            case ("trace",):
                yield from self._files(".jsonl")
            case ("tools", _, "python"):
                yield from self._modules()
            case ("facts", _):
                yield self._whole("true", 1)
                yield self._whole("false", 2)

    def _declared(self, shape: Shape | None) -> Iterator[Candidate]:
        """What the format itself says of a value."""
        if isinstance(shape, ListOf):
            shape = shape.item
        if isinstance(shape, Either):
            shape = shape.short
        if isinstance(shape, Flag):
            yield self._literal("true", 1)
            if not shape.only_true:
                yield self._literal("false", 2)
        elif isinstance(shape, Text):
            for number, choice in enumerate(shape.choices):
                rank = 1 if choice in ("USD", "BRL", "EUR", "any") else 2 + number // 100
                yield self._whole(choice, rank)
            if self.place.path[-1:] == ("now",):
                for example in shape.examples:
                    yield Candidate(
                        example, "value", self._written(example), self.place.start, self.place.end
                    )
        elif (
            isinstance(shape, Record)
            and set(shape.keys) == set(LANGUAGES)
            and self.known.snippets
            and not self.place.before
        ):
            new = "{" + ", ".join(
                f"{language}: ${number}" for number, language in enumerate(LANGUAGES, 1)
            ) + "\\}"  # fmt: skip
            label = "{" + ", ".join(f"{language}: …" for language in LANGUAGES) + "}"
            yield Candidate(label, "snippet", new, self.place.start, self.place.end, 1, True)

    def _literal(self, text: str, rank: int) -> Candidate:
        return Candidate(text, "value", text, self.place.start, self.place.end, rank)

    def _whole(self, text: str, rank: int = 5, sort: Sort = "value") -> Candidate:
        """A candidate that takes the whole scalar's place."""
        value = shape_at(self.root, self.place.path)
        boolean = text in ("true", "false") and not isinstance(value, Text)
        new = text if boolean else self._written(text)
        return Candidate(text, sort, new, self.place.start, self.place.end, rank)

    def _written(self, text: str) -> str:
        if self.place.quote == '"':
            return quoted_text(text)[1:-1]
        if self.place.quote == "'":
            return text.replace("'", "''")
        return text if self.place.quote else _safe(text)

    def _named(self, kind: Kind, names: Iterable[str], container: str = "") -> Iterator[Candidate]:
        own = str(self.place.path[1]) if len(self.place.path) > 1 else ""
        for name in names:
            rank = 6 if kind == "tool" and name == own else 3
            yield Candidate(
                name, "name", self._written(name), self.place.start, self.place.end, rank,
                about=(kind, container, name),
            )  # fmt: skip

    def _tools(self) -> tuple[str, ...]:
        return self.known.names("tool", None)

    def _slots(self, tool: str) -> tuple[str, ...]:
        return self.known.names("slot", tool) if tool else self.known.names("slot", None)

    def _tool_of(self, rule: str) -> str:
        for index in self.known.group:
            tool = entry_named(entry_named(entry_named(index.root, "rules"), rule), "tool")
            if isinstance(tool, Scalar):
                return tool.text
        return ""

    def _members(self, tool: str, slot: str) -> Iterator[Candidate]:
        lists = self.known.names("list", None)
        for index in self.known.group:
            for one in names_in(index.types.get((tool, slot), "")):
                if one.name in lists:
                    yield from self._named("member", self.known.names("member", one.name), one.name)

    def _types(self) -> Iterator[Candidate]:
        """Types: the last word of `optional order or e-mail` is what is typed."""
        place = self.place
        before = re.sub(r"\S*$", "", place.before)
        start = place.start + len(before)
        rest = self.text[start : place.end]
        end = start + len((*rest.split(maxsplit=1), "")[0]) if rest[:1].strip() else start
        words = before.split()
        if words and words[-1] not in ("optional", "or", "of"):
            if words[-1] != "quantity":
                yield Candidate("or", "value", "or", start, end, 1)
            else:
                yield Candidate("of", "value", "of", start, end, 1)
            return
        if words[-2:] == ["quantity", "of"]:
            kinds: tuple[tuple[Kind, int], ...] = (("unit", 1),)
        else:
            kinds = (("thing", 1), ("list", 2))
            used = set(words)
            for type_name in PLAIN_KINDS:
                if type_name not in used:
                    yield Candidate(type_name, "value", type_name, start, end, 4)
            for unit in self.known.names("unit", None):
                yield Candidate(f"quantity of {unit}", "value", f"quantity of {unit}", start, end)
            if not words:
                yield Candidate("optional", "value", "optional ", start, end, 3)
        for kind, rank in kinds:
            for name in self.known.names(kind, None):
                if name not in words:
                    new = name if words else self._written(name)
                    about = kind, "", name
                    yield Candidate(name, "name", new, start, end, rank, about=about)

    # ------------------------------------------------------------ phrases and turns

    def _phrase(self, tool: str, language: Language) -> Iterator[Candidate]:
        place = self.place
        open_slot = _OPEN_SLOT.search(place.before)
        start, end = self.word
        if open_slot:
            start = place.start + open_slot.start(1)
            end = max(end, start)
            closing = "" if re.match(r"[ ]*\}", self.text[end : place.end + 1]) else "}"
            for name in self._slots(tool):
                yield Candidate(
                    name, "slot", name + closing, start, end, 1, about=("slot", tool, name)
                )
            return
        if not place.before[: max(0, start - place.start)].strip():
            yield from self._verbs(
                language, plain(self.text[start : place.start + len(place.before)])
            )
            return
        if place.quote or not place.flow:
            for name in self._slots(tool):
                yield Candidate(
                    f"{{{name}}}", "slot", f"{{{name}}}", start, end, 2, about=("slot", tool, name)
                )
        yield from self._words(language, ("thing", "member", "unit", "slot"), 4)

    def _verbs(self, language: Language, typed: str) -> Iterator[Candidate]:
        own: dict[str, None] = {}
        for index in self.known.group:
            for phrase in index.phrases:
                here = index is self.known.index and phrase.start <= self.place.start <= phrase.end
                of_tools = phrase.owner == "tool" and phrase.language == language
                if of_tools and phrase.parts and not here:
                    own.setdefault(phrase.parts[0].text)
        start, end = self.word
        for rank, verbs in ((2, own), (4, dict.fromkeys(VERBS[language]))):
            for verb in verbs:
                if plain(verb).startswith(typed):
                    yield Candidate(verb, "word", verb, start, end, rank)

    def _turn(self, language: Language) -> Iterator[Candidate]:
        start, _ = self.word
        if not self.place.before[: max(0, start - self.place.start)].strip():
            for index in self.known.group:
                for phrase in index.phrases:
                    if phrase.owner == "tool" and phrase.language == language and phrase.parts:
                        said = re.split(r"\s*\{", phrase.text)[0]
                        yield Candidate(
                            said,
                            "word",
                            said,
                            self.word[0],
                            self.word[1],
                            2,
                            about=("tool", "", phrase.name),
                        )
        yield from self._words(language, ("thing", "member", "unit", "slot"), 4)

    def _words(
        self, language: Language, owners: tuple[Kind, ...], rank: int
    ) -> Iterator[Candidate]:
        for index in self.known.group:
            for phrase in index.phrases:
                if phrase.owner in owners and phrase.language == language and phrase.text:
                    yield Candidate(
                        phrase.text, "word", phrase.text, self.word[0], self.word[1], rank,
                        about=(phrase.owner, phrase.container, phrase.name),
                    )  # fmt: skip

    # ------------------------------------------------------------ files

    def _files(self, *suffixes: str) -> Iterator[Candidate]:
        """Files by the document's, folder by folder."""
        here = path_of(self.known.index.uri)
        if here is None:
            return
        given, _, _ = self.place.before.rpartition("/")
        folder = Path(here).parent / given
        lead = f"{given}/" if given else ""
        for entry in _entries(folder):
            if entry.name.startswith(".") or entry == Path(here):
                continue
            if entry.is_dir():
                yield self._whole(f"{lead}{entry.name}/", 8, "file")
            elif entry.name.endswith(suffixes):
                dotted = self.place.path[-1] == "vocabulary" and not lead
                yield self._whole(f"./{entry.name}" if dotted else lead + entry.name, 4, "file")

    def _modules(self) -> Iterator[Candidate]:
        here = path_of(self.known.index.uri)
        for entry in _entries(Path(here).parent) if here else ():
            name = entry.name.removesuffix(".py")
            package = entry.is_dir() and (entry / "__init__.py").is_file()
            if name.isidentifier() and (package or entry.suffix == ".py"):
                yield self._whole(name, 4, "file")


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())[:_MOST]
    except OSError:
        return []


def _safe(text: str) -> str:
    """A text as a scalar that every reader of YAML takes for text."""
    if text.lower() in _MISREAD:
        return quoted_text(text)
    if re.fullmatch(r"\.{0,2}[\w./-]*[^\W\d][\w./-]*", text) and not text[0].isdigit():
        return text
    return as_scalar(text)


@cache
def time_zones() -> tuple[str, ...]:
    """The names of time zones, as the package `tzdata` has them."""
    return tuple((files("tzdata") / "zones").read_text(encoding="utf-8").split())
