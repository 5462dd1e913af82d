"""Checked files to a `Vocabulary`: names resolved across files, phrases read, references held."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, get_args

from stalwart_lang.diagnostics import Findings, Related, quoted
from stalwart_lang.vocabulary.argument_types import PLAIN_KINDS, UnknownType, parse_type
from stalwart_lang.vocabulary.checking import Checked, Fields
from stalwart_lang.vocabulary.files import CheckedFile
from stalwart_lang.vocabulary.model import (
    LANGUAGES,
    Argument,
    ArgumentType,
    ClosedList,
    Condition,
    ExpectedCall,
    Language,
    Location,
    Member,
    Phrase,
    Rule,
    Sentences,
    Settings,
    Test,
    Thing,
    Tool,
    Turn,
    Vocabulary,
    Words,
)
from stalwart_lang.vocabulary.phrases import read_phrase, read_turn, read_words
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.suggest import did_you_mean
from stalwart_lang.vocabulary.yaml12 import Mapping as MappingNode
from stalwart_lang.vocabulary.yaml12 import Node, Scalar, plain_value

TEXT_KINDS = frozenset(
    ("list", "date", "time", "month", "duration", "e-mail", "telephone", "cpf", "cnpj")
) | {"digits", "quoted text"}
"""Kinds whose values are text even where an author writes them as a number."""

_TESTS: tuple[Test, ...] = get_args(Test)
_RESERVED = frozenset((*PLAIN_KINDS, "optional", "or", "quantity", "of"))


def digest_of(contents: Iterable[bytes]) -> str:
    """The digest of a vocabulary: SHA-256 in hex over its files' contents, NUL between them.

    For a vocabulary of one file it is what `sha256sum` prints.
    """
    return sha256(b"\0".join(contents)).hexdigest()


def build(files: list[CheckedFile], findings: Findings) -> Vocabulary:
    """The vocabulary that the files declare, the first file being the main one.

    What cannot be resolved is reported and left out, so that the result is only good for use
    where no error was found. Raises TooMany.
    """
    return _Builder([f for f in files if f.fields is not None], findings).vocabulary(files)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A named entry of a section and the file it is in."""

    source: Source
    key: Scalar
    value: Checked

    def location(self) -> Location:
        return self.source.location(self.key.start, self.key.end)


class _Builder:
    def __init__(self, files: list[CheckedFile], findings: Findings) -> None:
        self.files = files
        self.findings = findings
        # Names as written, also of entries that are unsound, so that one mistake is reported once.
        self.names = {
            section: self._names(section) for section in ("things", "values", "units", "tools")
        }
        self.takes = self._takes()
        self.things: dict[str, Thing] = {}
        self.values: dict[str, ClosedList] = {}
        self.units: dict[str, Thing] = {}
        self.tools: dict[str, Tool] = {}
        self.types: dict[tuple[str, str], tuple[ArgumentType, ...]] = {}
        self.parsed: dict[str, tuple[tuple[ArgumentType, ...], bool] | UnknownType] = {}

    def vocabulary(self, files: list[CheckedFile]) -> Vocabulary:
        self.things = self._nouns("things")
        self.values = {name: self._closed_list(e) for name, e in self._section("values").items()}
        self.units = self._nouns("units")
        self._check_names()
        self.tools = {name: self._tool(e) for name, e in self._section("tools").items()}
        rules = {name: self._rule(e) for name, e in self._section("rules").items()}
        name = (
            self.files[0].fields.get("vocabulary") if self.files and self.files[0].fields else None
        )
        return Vocabulary(
            name=name.text if name is not None else "",
            settings=self._settings(),
            things=self.things,
            values=self.values,
            units=self.units,
            tools=self.tools,
            rules={name: rule for name, rule in rules.items() if rule is not None},
            turns=tuple(self._turns()),
            files=tuple(file.source.file for file in files),
            digest=digest_of(file.content for file in files),
        )

    # Names

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

    def _section(self, section: str) -> dict[str, _Entry]:
        entries: dict[str, _Entry] = {}
        for file in self.files:
            assert file.fields is not None
            for key, value in file.fields.get(section) or ():
                entry = _Entry(file.source, key, value)
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

    def _check_names(self) -> None:
        for section in ("things", "values"):
            for source, key, _ in self._raw(section):
                if key.text in _RESERVED:
                    message = f"{quoted(key.text)} is a type of the language's own"
                    self._report("SV025", message, source, key, "give it another name")
        for source, key, _ in self._raw("values"):
            if key.text in self.names["things"]:
                message = f"{quoted(key.text)} is a thing and a closed list"
                self._report("SV025", message, source, key, "give one of them another name")

    def _known(self, section: str, source: Source, node: Scalar, what: str) -> bool:
        if node.text in self.names[section]:
            return True
        fix = did_you_mean(node.text, self.names[section])
        self._report("SV041", f"no {what} is called {quoted(node.text)}", source, node, fix)
        return False

    # Words and sentences

    def _nouns(self, section: str) -> dict[str, Thing]:
        return {
            name: Thing(
                name, self._words(entry.source, entry.value, f"{section}.{name}"), entry.location()
            )
            for name, entry in self._section(section).items()
        }

    def _closed_list(self, entry: _Entry) -> ClosedList:
        name, source = entry.key.text, entry.source
        members = tuple(
            Member(
                key.text,
                self._words(source, words, f"values.{name}.{key.text}"),
                source.location(key.start, key.end),
            )
            for key, words in entry.value
        )
        return ClosedList(name, members, entry.location())

    def _words(self, source: Source, fields: Fields | None, path: str) -> Words:
        return self._phrases(source, fields, path, read_words)

    def _phrases(
        self,
        source: Source,
        fields: Fields | None,
        path: str,
        read: Callable[[Source, Scalar, str, Language, Findings], Phrase],
    ) -> Words:
        words: dict[Language, tuple[Phrase, ...]] = {}
        for language in LANGUAGES:
            nodes = fields.get(language) if fields is not None else None
            if nodes:
                words[language] = tuple(
                    read(source, node, f"{path}.{language}[{i}]", language, self.findings)
                    for i, node in enumerate(nodes)
                )
        return words

    def _sentences(self, fields: Fields | None) -> Sentences:
        if fields is None:
            return {}
        texts = ((language, fields.get(language)) for language in LANGUAGES)
        return {language: node.text for language, node in texts if node is not None}

    # Settings

    def _settings(self) -> Settings:
        language: Language | None = None
        currency: dict[Language, str] = {}
        timezone: str | None = None
        # A file's own settings hold before those of the files that it includes.
        for file in self.files:
            assert file.fields is not None
            fields = file.fields.get("settings")
            if fields is None:
                continue
            node = fields.get("language")
            if node is not None and language is None:
                language = next(known for known in LANGUAGES if known == node.text)
            given = fields.get("currency")
            for known in LANGUAGES:
                node = given.get(known) if isinstance(given, Fields) else given
                if node is not None:
                    currency.setdefault(known, node.text)
            node = fields.get("timezone")
            if node is not None:
                self._check_timezone(file.source, node)
                timezone = timezone or node.text
        return Settings(language, currency, timezone)

    def _check_timezone(self, source: Source, node: Scalar) -> None:
        from zoneinfo import ZoneInfo, available_timezones

        try:
            ZoneInfo(node.text)
        except (KeyError, ValueError, OSError):
            fix = did_you_mean(node.text, available_timezones())
            message = f"no time zone is called {quoted(node.text)}"
            self._report("SV061", message, source, node, fix)

    # Tools

    def _tool(self, entry: _Entry) -> Tool:
        name, source, fields = entry.key.text, entry.source, entry.value
        flags = {
            flag: fields.get(flag) is not None and fields.get(flag).value
            for flag in ("writes", "irreversible", "retry_safe", "reads_outside", "sends_out")
        }
        undo = fields.get("undo")
        if undo is not None:
            self._known("tools", source, undo, "tool")
        description = fields.get("description")
        arguments = tuple(
            self._argument(source, name, key, value) for key, value in fields.get("takes") or ()
        )
        say = self._phrases(source, fields.get("say"), f"{name}.say", read_phrase)
        self._check_slots(name, say)
        tool = Tool(
            name=name,
            arguments=arguments,
            say=say,
            location=entry.location(),
            undo=None if undo is None else undo.text,
            description="" if description is None else description.text,
            **flags,
        )
        self._check_sayable(tool)
        return tool

    def _argument(self, source: Source, tool: str, key: Scalar, value: Checked) -> Argument:
        path = f"{tool}.takes.{key.text}"
        node = value.get("type") if isinstance(value, Fields) else value
        types, required = ((), True) if node is None else self._types(source, node)
        words: Words = {}
        ask: Sentences = {}
        if isinstance(value, Fields):
            words = self._words(source, value.get("words"), f"{path}.words")
            ask = self._sentences(value.get("ask"))
        location = source.location(key.start, key.end)
        self.types[tool, key.text] = types
        return Argument(key.text, types, required, words, ask, location)

    def _types(self, source: Source, node: Scalar) -> tuple[tuple[ArgumentType, ...], bool]:
        parsed = self.parsed.get(node.text)
        if parsed is None:
            names = self.names
            try:
                parsed = parse_type(node.text, names["things"], names["values"], names["units"])
            except UnknownType as unknown:
                parsed = unknown
            self.parsed[node.text] = parsed
        if isinstance(parsed, UnknownType):
            self._report("SV040", str(parsed), source, node, parsed.fix)
            return (), True
        return parsed

    def _check_slots(self, tool: str, say: Words) -> None:
        for phrases in say.values():
            for phrase in phrases:
                seen: set[str] = set()
                for part in phrase.parts:
                    if part.kind != "slot":
                        continue
                    if part.text not in self.takes[tool]:
                        message = f"{tool} takes no argument {quoted(part.text)}"
                        fix = did_you_mean(part.text, self.takes[tool])
                        self.findings.report("SV043", message, part.location, fix)
                    elif part.text in seen:
                        message = f"{quoted(part.text)} is in this phrase twice"
                        self.findings.report("SV054", message, part.location, "remove one of them")
                    seen.add(part.text)

    def _check_sayable(self, tool: Tool) -> None:
        """Report arguments that no phrase of the tool's can be given in any of its languages."""
        if not tool.say:
            return
        for argument in tool.arguments:
            if argument.types and not any(
                sayable(self.things, self.values, self.units, kind, language)
                for kind in argument.types
                for language in tool.say
            ):
                languages = " or ".join(tool.say)
                self.findings.report(
                    "SV056",
                    f"{quoted(argument.name)} of {tool.name} has no words in {languages}",
                    argument.location,
                    "give its type words in the language of the tool's phrases",
                )

    # Rules

    def _rule(self, entry: _Entry) -> Rule | None:
        source, fields = entry.source, entry.value
        node = fields.get("tool")
        if node is None:
            return None
        known = self._known("tools", source, node, "tool")
        for other in ("after", "not_after"):
            if fields.get(other) is not None:
                self._known("tools", source, fields.get(other), "tool")
        when: list[Condition] = []
        for key, conditions in fields.get("when") or ():
            if known and key.text not in self.takes[node.text]:
                self._unknown_argument(source, key, node.text)
                continue
            when += self._conditions(source, node.text, key, conditions)
        at_most = fields.get("at_most")
        return Rule(
            name=entry.key.text,
            tool=node.text,
            location=entry.location(),
            never=_is_true(fields.get("never")),
            requires=tuple(fact.text for fact in fields.get("requires") or ()),
            requires_confirmation=_is_true(fields.get("requires_confirmation")),
            when=tuple(when),
            after=_text(fields.get("after")),
            not_after=_text(fields.get("not_after")),
            at_most=None if at_most is None else at_most.value,
            say=self._sentences(fields.get("say")),
        )

    def _conditions(
        self, source: Source, tool: str, argument: Scalar, fields: Fields
    ) -> Iterable[Condition]:
        for test in _TESTS:
            if test not in fields.entries:
                continue
            key, value = fields.entries[test]
            operand: Any
            if test == "one_of":
                operand = tuple(self._expected(source, tool, argument.text, n) for n in value)
            elif test == "matches":
                operand = value.text
                self._check_pattern(source, value)
            else:
                operand = value.value
            yield Condition(argument.text, test, operand, source.location(key.start, key.end))

    def _check_pattern(self, source: Source, node: Scalar) -> None:
        import re

        try:
            re.compile(node.text)
        except (re.error, OverflowError, RecursionError, Warning) as error:
            message = f"this is not a regular expression: {error}"
            self._report("SV062", message, source, node)

    # Turns

    def _turns(self) -> Iterable[Turn]:
        entries = [
            (file.source, fields)
            for file in self.files
            if file.fields is not None
            for fields in file.fields.get("turns") or ()
        ]
        for number, (source, fields) in enumerate(entries):
            if "say" not in fields.entries:
                continue
            say, plan = fields.entries["say"][0], fields.get("plan")
            unread, incomplete = _text(fields.get("unread")), fields.get("incomplete")
            if incomplete is not None:
                self._check_incomplete(source, incomplete)
            now = fields.get("now")
            if now is not None:
                self._check_moment(source, now)
            yield Turn(
                say=self._phrases(source, fields.get("say"), f"turns[{number}].say", read_turn),
                location=source.location(say.start, say.end),
                plan=None if plan is None else tuple(self._calls(source, plan)),
                unread=unread,
                incomplete=_text(incomplete),
                ambiguous=_is_true(fields.get("ambiguous")),
                now=_text(now),
            )

    def _calls(self, source: Source, plan: list[Checked]) -> Iterable[ExpectedCall]:
        for call in plan:
            for name, arguments in call:
                location = source.location(name.start, name.end)
                known = self._known("tools", source, name, "tool")
                given = {}
                for key, value in arguments:
                    if known and key.text not in self.takes[name.text]:
                        self._unknown_argument(source, key, name.text)
                        continue
                    given[key.text] = self._expected(source, name.text, key.text, value)
                tool = self.tools.get(name.text)
                if tool is not None:
                    self._check_complete(tool, {key.text for key, _ in arguments}, location)
                yield ExpectedCall(name.text, given, location)

    def _check_complete(self, tool: Tool, given: set[str], location: Location) -> None:
        for argument in tool.arguments:
            if argument.required and argument.types and argument.name not in given:
                message = f"{tool.name} needs {quoted(argument.name)}, so no plan is without it"
                fix = "give it a value, or write `incomplete:` in place of `plan:`"
                self.findings.report("SV046", message, location, fix)

    def _check_incomplete(self, source: Source, node: Scalar) -> None:
        known = {argument for takes in self.takes.values() for argument in takes}
        if node.text not in known:
            message = f"no tool takes an argument {quoted(node.text)}"
            self._report("SV042", message, source, node, did_you_mean(node.text, known))

    def _check_moment(self, source: Source, node: Scalar) -> None:
        from datetime import datetime

        try:
            datetime.fromisoformat(node.text)
        except ValueError:
            message = f"{quoted(node.text)} is not a date and time of ISO 8601"
            self._report("SV063", message, source, node, "write it as 2027-03-01T09:00")

    # Values

    def _expected(self, source: Source, tool: str, argument: str, node: Node) -> Any:
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
                self._report("SV044", message, source, node, did_you_mean(node.text, members))
        return node.text

    def _unknown_argument(self, source: Source, key: Scalar, tool: str) -> None:
        message = f"{tool} takes no argument {quoted(key.text)}"
        self._report("SV042", message, source, key, did_you_mean(key.text, self.takes[tool]))

    def _report(
        self, code: str, message: str, source: Source, node: Scalar, fix: str | None = None
    ) -> None:
        self.findings.report(code, message, source.location(node.start, node.end), fix)


def sayable(
    things: Mapping[str, Thing],
    values: Mapping[str, ClosedList],
    units: Mapping[str, Thing],
    kind: ArgumentType,
    language: Language,
) -> bool:
    """Whether a value of the type can be said in the language, with the words that are declared.

    A name that is not declared counts as sayable: it has been reported elsewhere.
    """
    if kind.kind == "thing" and kind.name in things:
        return language in things[kind.name].words
    if kind.kind == "quantity" and kind.name in units:
        return language in units[kind.name].words
    if kind.kind == "list" and kind.name in values:
        return any(language in member.words for member in values[kind.name].members)
    return True


def _is_true(node: Scalar | None) -> bool:
    return node is not None and node.value is True


def _text(node: Scalar | None) -> str | None:
    return None if node is None else node.text
