"""Phrases: words and `{slots}`, each with its place."""

import re
import unicodedata
from functools import lru_cache

from stalwart_lang.diagnostics import Findings, quoted
from stalwart_lang.vocabulary.model import Language, Location, Phrase, PhrasePart
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.yaml12 import Scalar

MAX_WORDS = 40
"""The words and slots of one phrase."""

_PARTS = re.compile(r"\{([^{}]*)\}|([^\s{}]+)|[{}]")
_WORDS = re.compile(r"\S+")
_INFINITIVE = re.compile(r".*(?:[aei]r|p[oô]r)")
_NOT_A_VERB = frozenset(("a", "an", "the", "to", "please", "kindly", "you", "i"))
# The Latin letters that the text layer reads; a turn with any other letter is unread.
_READABLE = re.compile(r"[a-zA-ZÀ-ÖØ-öø-ɏḀ-ỿªº]")


def read_words(
    source: Source, node: Scalar, path: str, _language: Language, findings: Findings
) -> Phrase:
    """A noun or the words of a list's member: words only, no slots."""
    phrase = _split(source, node, path)
    if any(part.text[:1] in "{}" for part in phrase.parts) or "{" in node.text:
        message = "braces are for the phrases of tools, and this is not one"
        findings.report("SV050", message, phrase.location, "remove the braces")
    elif not phrase.parts:
        findings.report("SV051", "this phrase is empty", phrase.location)
    _check_letters(phrase, findings)
    return phrase


def read_phrase(
    source: Source, node: Scalar, path: str, language: Language, findings: Findings
) -> Phrase:
    """A phrase of a tool's: a verb in its dictionary form, then words and slots."""
    phrase = _split(source, node, path)
    if not phrase.parts:
        findings.report("SV051", "this phrase is empty", phrase.location)
        return phrase
    if len(phrase.parts) > MAX_WORDS:
        message = f"a phrase has at most {MAX_WORDS} words"
        findings.report("SV057", message, phrase.location, "keep the verb and its nouns")
        return phrase
    for part in phrase.parts:
        if part.kind == "word" and part.text in "{}":
            message = f"the brace {quoted(part.text)} has no other half"
            findings.report("SV050", message, part.location, "write a slot as `{name}`, not nested")
            return phrase
    first = phrase.parts[0]
    readable = _check_letters(phrase, findings)
    if first.kind == "slot" or not first.text[0].isalpha():
        findings.report(
            "SV052",
            f"a phrase starts with a verb, and this one with {quoted(first.text)}",
            first.location,
            "begin with the verb in its dictionary form",
        )
    elif readable:
        _check_verb(first, language, findings)
    return phrase


def read_turn(
    source: Source, node: Scalar, path: str, _language: Language, _findings: Findings
) -> Phrase:
    """A turn: any text at all, not cut into parts."""
    return Phrase(node.text, (), source.location(node.start, node.end), path)


def _split(source: Source, node: Scalar, path: str) -> Phrase:
    location = source.location(node.start, node.end)
    text = node.text
    opening = 0 if node.plain else 1
    file, line, column = location.file, location.line, location.column + opening
    # Inside a scalar without escapes or line folding, each word's own place is known.
    inside = line == location.end_line and source.text.startswith(text, node.start + opening)
    braces = "{" in text or "}" in text
    parts = []
    for found in (_PARTS if braces else _WORDS).finditer(text):
        start, end = found.span()
        place = Location(file, line, column + start, line, column + end) if inside else location
        if braces and found[1] is not None:
            parts.append(PhrasePart("slot", found[1].strip(), place))
        else:
            parts.append(PhrasePart("word", found[0], place))
    return Phrase(text, tuple(parts), location, path)


def _check_verb(verb: PhrasePart, language: Language, findings: Findings) -> None:
    word = unicodedata.normalize("NFC", verb.text).lower()
    if language == "pt-BR" and not (_INFINITIVE.fullmatch(word) and _has_forms(word, language)):
        findings.report(
            "SV053",
            f"{quoted(verb.text)} is not an infinitive",
            verb.location,
            "write the infinitive, which ends in -ar, -er, -ir or -por; its forms are made",
        )
    if language == "en" and (word in _NOT_A_VERB or not _has_forms(word, language)):
        findings.report(
            "SV053",
            f"{quoted(verb.text)} is not a verb",
            verb.location,
            "begin with the verb as a dictionary has it: `charge`, not `to charge`",
        )


@lru_cache(maxsize=4096)
def _has_forms(verb: str, language: Language) -> bool:
    """Whether the forms of a verb can be made."""
    from stalwart_lang.words import english_forms, portuguese_forms

    try:
        if language == "en":
            english_forms.verb_forms(verb)
        else:
            portuguese_forms.verb_forms(verb)
    except ValueError:
        return False
    return True


def _check_letters(phrase: Phrase, findings: Findings) -> bool:
    """Report the first letter that no turn can have; whether there is none."""
    if phrase.text.isascii():
        return True
    for character in unicodedata.normalize("NFC", phrase.text):
        if character.isascii() or _READABLE.match(character):
            continue
        if unicodedata.category(character)[0] in "LMNC":
            name = unicodedata.name(character, "a character without a name").lower()
            findings.report(
                "SV055",
                f"U+{ord(character):04X} ({name}) stands in no turn that is read",
                phrase.location,
                "write it with Latin letters",
            )
            return False
    return True
