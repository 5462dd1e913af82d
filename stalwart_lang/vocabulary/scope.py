"""The names that a vocabulary's files declare, and what is read with their help."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stalwart_lang.diagnostics import Findings, Related, quoted
from stalwart_lang.vocabulary.argument_types import PLAIN_KINDS
from stalwart_lang.vocabulary.checking import Checked, Fields
from stalwart_lang.vocabulary.files import CheckedFile
from stalwart_lang.vocabulary.model import (
    LANGUAGES,
    ArgumentType,
    ClosedList,
    Language,
    Location,
    Phrase,
    Sentences,
    Thing,
    Tool,
    Words,
)
from stalwart_lang.vocabulary.phrases import read_words
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.suggest import did_you_mean
from stalwart_lang.vocabulary.yaml12 import Mapping as MappingNode
from stalwart_lang.vocabulary.yaml12 import Node, Scalar, plain_value

TEXT_KINDS = frozenset(
    ("list", "date", "time", "month", "duration", "e-mail", "telephone", "cpf", "cnpj")
) | {"digits", "quoted text"}
"""Kinds whose values are text even where an author writes them as a number."""

RESERVED = frozenset((*PLAIN_KINDS, "optional", "or", "quantity", "of"))
"""What no thing or closed list can be called."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A named entry of a section and the file it is in."""

    source: Source
    key: Scalar
    value: Checked

    def location(self) -> Location:
        """Where its name stands."""
        return self.source.location(self.key.start, self.key.end)


class Scope:
    """What is declared; filled section by section while a vocabulary is built.

    `names` and `takes` have names as written, also of entries that are unsound, so that one
    mistake is reported once; the rest has what could be built.
    """

    def __init__(self, files: list[CheckedFile], findings: Findings) -> None:
        self.files = files
        self.findings = findings
        self.names = {
            section: self._names(section) for section in ("things", "values", "units", "tools")
        }
        self.takes = self._takes()
        self.things: dict[str, Thing] = {}
        self.parsed: dict[str, tuple[tuple[ArgumentType, ...], bool]] = {}
        self.values: dict[str, ClosedList] = {}
        self.units: dict[str, Thing] = {}
        self.tools: dict[str, Tool] = {}
        self.types: dict[tuple[str, str], tuple[ArgumentType, ...]] = {}

    @cached_property
    def all_arguments(self) -> dict[str, None]:
        """The names of the arguments of all tools, in order."""
        return dict.fromkeys(argument for takes in self.takes.values() for argument in takes)

    def _raw(self, section: str) -> Iterable[tuple[Source, Scalar, Node]]:
        for file in self.files:
            assert file.fields is not None
            for key, value in file.fields.node.entries:
                if key.text == section and isinstance(value, MappingNode):
                    for name, entry in value.entries:
                        yield file.source, name, entry

    def _names(self, section: str) -> dict[str, None]:
        return dict.fromkeys(name.text for _, name, _ in self._raw(section))

    def _takes(self) -> dict[str, dict[str, None]]:
        takes: dict[str, dict[str, None]] = {}
        for _, name, tool in self._raw("tools"):
            arguments = takes.setdefault(name.text, {})
            if isinstance(tool, MappingNode):
                for key, value in tool.entries:
                    if key.text == "takes" and isinstance(value, MappingNode):
                        arguments.update((argument.text, None) for argument, _ in value.entries)
        return takes

    def section(self, section: str) -> dict[str, Entry]:
        """The sound entries of a section by name; a name in two files is reported."""
        entries: dict[str, Entry] = {}
        for file in self.files:
            assert file.fields is not None
            for key, value in file.fields.get(section) or ():
                entry = Entry(file.source, key, value)
                first = entries.setdefault(key.text, entry)
                if first is not entry:
                    self.findings.report(
                        "SV032",
                        f"{quoted(key.text)} is declared in two files",
                        entry.location(),
                        "remove one of them or give it another name",
                        (Related("the first is here", first.location()),),
                    )
        return entries

    def check_names(self) -> None:
        """Report things and closed lists whose names are taken."""
        for section in ("things", "values"):
            for source, key, _ in self._raw(section):
                if key.text in RESERVED:
                    message = f"{quoted(key.text)} is a type of the language's own"
                    self.report("SV025", message, source, key, "give it another name")
        for source, key, _ in self._raw("values"):
            if key.text in self.names["things"]:
                message = f"{quoted(key.text)} is a thing and a closed list"
                self.report("SV025", message, source, key, "give one of them another name")

    def known_tool(self, source: Source, node: Scalar) -> bool:
        """Whether the node names a tool; reported if not."""
        if node.text in self.names["tools"]:
            return True
        fix = did_you_mean(node.text, self.names["tools"])
        self.report("SV041", f"no tool is called {quoted(node.text)}", source, node, fix)
        return False

    def words(self, source: Source, fields: Fields | None, path: str) -> Words:
        """Nouns by language."""
        return self.phrases(source, fields, path, read_words)

    def phrases(
        self,
        source: Source,
        fields: Fields | None,
        path: str,
        read: Callable[[Source, Scalar, str, Language, Findings], Phrase],
    ) -> Words:
        """Phrases by language, each read by `read`."""
        words: dict[Language, tuple[Phrase, ...]] = {}
        for language in LANGUAGES:
            nodes = fields.get(language) if fields is not None else None
            if nodes:
                words[language] = tuple(
                    read(source, node, f"{path}.{language}[{i}]", language, self.findings)
                    for i, node in enumerate(nodes)
                )
        return words

    def sentences(self, fields: Fields | None) -> Sentences:
        """Sentences by language."""
        if fields is None:
            return {}
        texts = ((language, fields.get(language)) for language in LANGUAGES)
        return {language: node.text for language, node in texts if node is not None}

    def expected(self, source: Source, tool: str, argument: str, node: Node) -> Any:
        """The value that an author expects of an argument, as plain values."""
        types = self.types.get((tool, argument), ())
        if not isinstance(node, Scalar):
            return plain_value(node)
        if not types or not all(kind.kind in TEXT_KINDS for kind in types):
            return node.value
        if all(kind.kind == "list" for kind in types):
            lists = [self.values[kind.name] for kind in types if kind.name in self.values]
            members = [member.name for known in lists for member in known.members]
            if members and node.text not in members:
                message = f"{quoted(node.text)} is not in the closed list"
                self.report("SV044", message, source, node, did_you_mean(node.text, members))
        return node.text

    def known_argument(self, source: Source, key: Scalar, tool: str) -> bool:
        """Whether the key names an argument of the tool; reported if not."""
        if key.text in self.takes[tool]:
            return True
        message = f"{tool} takes no argument {quoted(key.text)}"
        self.report("SV042", message, source, key, did_you_mean(key.text, self.takes[tool]))
        return False

    def report(
        self, code: str, message: str, source: Source, node: Scalar, fix: str | None = None
    ) -> None:
        """Report something about a scalar."""
        self.findings.report(code, message, source.location(node.start, node.end), fix)


def is_true(node: Scalar | None) -> bool:
    """Whether a checked flag is there and set."""
    return node is not None and node.value is True


def text_of(node: Scalar | None) -> str | None:
    """The text of a checked scalar, None where it is absent."""
    return None if node is None else node.text
