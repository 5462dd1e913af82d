"""Lint of words: languages that are missing, and words and arguments that look alike."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stalwart_lang.diagnostics import Diagnostic, Related, diagnostic, quoted
from stalwart_lang.vocabulary.build_tools import sayable
from stalwart_lang.vocabulary.model import (
    LANGUAGES,
    Argument,
    Language,
    Location,
    Phrase,
    Vocabulary,
    Words,
)
from stalwart_lang.words.text import fold

_NAMES = {"en": "English", "pt-BR": "Brazilian Portuguese"}


def readable_in_one_language(vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """SV101, where a vocabulary has words in both languages at all."""
    spoken = {language for _, words, _ in _all_words(vocabulary) for language in words}
    if len(spoken) < len(LANGUAGES):
        return
    for what, words, location in _all_words(vocabulary):
        missing = [language for language in LANGUAGES if language not in words]
        if words and missing:
            yield diagnostic(
                "SV101",
                f"{what} has no words in {_NAMES[missing[0]]}",
                location,
                f"add words under `{missing[0]}:`",
            )


def _all_words(vocabulary: Vocabulary) -> Iterator[tuple[str, Words, Location]]:
    for thing in vocabulary.things.values():
        yield f"the thing {quoted(thing.name)}", thing.words, thing.location
    for known in vocabulary.values.values():
        for member in known.members:
            name = f"the value {quoted(member.name)} of {quoted(known.name)}"
            yield name, member.words, member.location
    for unit in vocabulary.units.values():
        yield f"the unit {quoted(unit.name)}", unit.words, unit.location
    for tool in vocabulary.tools.values():
        yield f"the tool {quoted(tool.name)}", tool.say, tool.location
        for argument in tool.arguments:
            name = f"the argument {quoted(argument.name)} of {quoted(tool.name)}"
            yield name, argument.words, argument.location


@dataclass(frozen=True, slots=True)
class _Use:
    """A word in use: `group` holds words that exclude one another, `owner` is what it means."""

    group: str
    owner: str
    word: str
    location: Location


def words_alike(vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """SV102: words of different meaning that differ in accents only, or not at all.

    The same word may belong to two closed lists, and a verb to many tools; what they differ in
    decides then.
    """
    for language in LANGUAGES:
        first: dict[str, dict[str, _Use]] = {}
        in_group: dict[tuple[str, str], _Use] = {}
        for use in _uses(vocabulary, language):
            folded = " ".join(fold(part) for part in use.word.split())
            rivals = first.setdefault(folded, {})
            rival = next(
                (r for r in rivals.values() if r.word != use.word and r.owner != use.owner), None
            )
            rivals.setdefault(use.word, use)
            if rival is not None:
                yield _alike(use, rival, "once accents are left out they are one word")
                continue
            if use.group:
                twin = in_group.setdefault((use.group, use.word), use)
                if twin.owner != use.owner:
                    yield _alike(use, twin, "it cannot be both")


def _alike(use: _Use, other: _Use, why: str) -> Diagnostic:
    return diagnostic(
        "SV102",
        f"{quoted(use.word)} ({use.owner}) and {quoted(other.word)} ({other.owner}): {why}",
        use.location,
        "use another word for one of them",
        (Related("the other is here", other.location),),
    )


def _uses(vocabulary: Vocabulary, language: Language) -> Iterator[_Use]:
    for thing in vocabulary.things.values():
        yield from _nouns(thing.words, language, "things", f"thing {thing.name}")
    for unit in vocabulary.units.values():
        yield from _nouns(unit.words, language, "units", f"unit {unit.name}")
    for known in vocabulary.values.values():
        for member in known.members:
            group = f"values.{known.name}"
            yield from _nouns(member.words, language, group, f"{known.name} {member.name}")
    for tool in vocabulary.tools.values():
        for argument in tool.arguments:
            group = f"tools.{tool.name}"
            owner = f"{argument.name} of {tool.name}"
            yield from _nouns(argument.words, language, group, owner)
        for phrase in tool.say.get(language, ()):
            verb = phrase.parts[0]
            yield _Use("", f"verb of {tool.name}", _typed(verb.text), verb.location)


def _nouns(words: Words, language: Language, group: str, owner: str) -> Iterator[_Use]:
    for phrase in words.get(language, ()):
        word = " ".join(_typed(part.text) for part in phrase.parts)
        yield _Use(group, owner, word, phrase.location)


def _typed(word: str) -> str:
    return unicodedata.normalize("NFC", word).lower()


def arguments_alike(vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """SV103: two arguments of one type that a phrase tells apart by nothing.

    And SV101 for an argument whose type has no words in a language that the tool is asked in.
    """
    for tool in vocabulary.tools.values():
        reported: set[tuple[str, str]] = set()
        for language, phrases in tool.say.items():
            bare = [a for a in tool.arguments if language not in a.words]
            for argument in bare:
                if not any(
                    sayable(vocabulary.things, vocabulary.values, vocabulary.units, kind, language)
                    for kind in argument.types
                ):
                    name = f"{quoted(argument.name)} of {quoted(tool.name)}"
                    message = f"{name} cannot be said in {_NAMES[language]}"
                    fix = "give its type words in that language"
                    yield diagnostic("SV101", message, argument.location, fix)
            for phrase in phrases:
                for one, other in _clashes(phrase, bare):
                    if (one.name, other.name) not in reported:
                        reported.add((one.name, other.name))
                        yield _indistinct(tool.name, phrase, one, other)


def _clashes(phrase: Phrase, bare: Iterable[Argument]) -> Iterator[tuple[Argument, Argument]]:
    slots = {part.text for part in phrase.parts if part.kind == "slot"}
    by_type: dict[object, Argument] = {}
    for argument in bare:
        if argument.name in slots:
            continue
        for kind in argument.types:
            first = by_type.setdefault(kind, argument)
            if first is not argument:
                yield first, argument
                break


def _indistinct(tool: str, phrase: Phrase, one: Argument, other: Argument) -> Diagnostic:
    names = f"{quoted(one.name)} and {quoted(other.name)} of {quoted(tool)}"
    return diagnostic(
        "SV103",
        f"nothing in {quoted(phrase.text)} tells {names} apart: they have one type",
        phrase.location,
        f'introduce one by a word of its own: "… from {{{other.name}}}"',
        (Related("one is here", one.location), Related("the other is here", other.location)),
    )
