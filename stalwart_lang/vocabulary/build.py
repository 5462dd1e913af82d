"""Checked files to a `Vocabulary`: names resolved across files, phrases read, references held."""

from collections.abc import Iterable
from hashlib import sha256

from stalwart_lang.diagnostics import Findings, quoted
from stalwart_lang.vocabulary.build_rules import build_rule
from stalwart_lang.vocabulary.build_tools import build_tool
from stalwart_lang.vocabulary.build_turns import build_turns
from stalwart_lang.vocabulary.checking import Fields
from stalwart_lang.vocabulary.files import CheckedFile
from stalwart_lang.vocabulary.model import (
    LANGUAGES,
    ClosedList,
    Language,
    Member,
    Settings,
    Thing,
    Vocabulary,
)
from stalwart_lang.vocabulary.scope import Entry, Scope, text_of
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.suggest import did_you_mean
from stalwart_lang.vocabulary.yaml12 import Scalar


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
    scope = Scope([file for file in files if file.fields is not None], findings)
    scope.things = _nouns(scope, "things")
    scope.values = {name: _closed_list(scope, e) for name, e in scope.section("values").items()}
    scope.units = _nouns(scope, "units")
    scope.check_names()
    scope.tools = {name: build_tool(scope, e) for name, e in scope.section("tools").items()}
    rules = {name: build_rule(scope, e) for name, e in scope.section("rules").items()}
    fields = files[0].fields
    return Vocabulary(
        name="" if fields is None else text_of(fields.get("vocabulary")) or "",
        settings=_settings(scope),
        things=scope.things,
        values=scope.values,
        units=scope.units,
        tools=scope.tools,
        rules={name: rule for name, rule in rules.items() if rule is not None},
        turns=tuple(build_turns(scope)),
        files=tuple(file.source.file for file in files),
        digest=digest_of(file.content for file in files),
    )


def _nouns(scope: Scope, section: str) -> dict[str, Thing]:
    return {
        name: Thing(
            name, scope.words(entry.source, entry.value, f"{section}.{name}"), entry.location()
        )
        for name, entry in scope.section(section).items()
    }


def _closed_list(scope: Scope, entry: Entry) -> ClosedList:
    name, source = entry.key.text, entry.source
    members = tuple(
        Member(
            key.text,
            scope.words(source, words, f"values.{name}.{key.text}"),
            source.location(key.start, key.end),
        )
        for key, words in entry.value
    )
    return ClosedList(name, members, entry.location())


def _settings(scope: Scope) -> Settings:
    language: Language | None = None
    currency: dict[Language, str] = {}
    timezone: str | None = None
    # A file's own settings hold before those of the files that it includes.
    for file in scope.files:
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
            _check_timezone(scope, file.source, node)
            timezone = timezone or node.text
    return Settings(language, currency, timezone)


def _check_timezone(scope: Scope, source: Source, node: Scalar) -> None:
    from zoneinfo import ZoneInfo, available_timezones

    try:
        ZoneInfo(node.text)
    except (KeyError, ValueError, OSError):
        fix = did_you_mean(node.text, sorted(available_timezones()))
        message = f"no time zone is called {quoted(node.text)}"
        scope.report("SV061", message, source, node, fix)
