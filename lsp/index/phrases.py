"""The parts of a phrase: its verb, its words, and the slots between braces."""

import re
from collections.abc import Callable, Iterator

from stalwart_lang.lsp.index.model import Kind, Occurrence, Part, PartKind, PhraseText
from stalwart_lang.lsp.index.scalars import is_quoted, places
from stalwart_lang.vocabulary.model import Language
from stalwart_lang.vocabulary.yaml12 import Scalar

_PARTS = re.compile(r"\{([^{}]*)\}|[^\s{}]+|[{}]")


def phrase_text(
    text: str,
    scalar: Scalar,
    owner: Kind,
    name: str,
    container: str,
    language: Language,
    optional: Callable[[str], bool],
) -> PhraseText:
    """A phrase as it stands in the document; `optional` tells of a slot whether it is."""
    where = places(text, scalar)
    parts = []
    for number, found in enumerate(_PARTS.finditer(scalar.text)):
        start, end = found.span()
        slot = found[1]
        kind: PartKind
        if slot is not None:
            kind = "optional" if optional(slot.strip()) else "slot"
        else:
            kind = "verb" if owner == "tool" and number == 0 else "literal"
        shown = found[0] if slot is None else slot.strip()
        parts.append(Part(kind, shown, where[start], where[end]))
    return PhraseText(
        owner,
        name,
        container,
        language,
        scalar.text,
        scalar.start,
        scalar.end,
        tuple(parts),
        where,
    )


def slots_in(text: str, scalar: Scalar, phrase: PhraseText, uri: str) -> Iterator[Occurrence]:
    """The references that a tool's phrase makes to the tool's arguments."""
    quoted = is_quoted(text, scalar)
    for found in _PARTS.finditer(scalar.text):
        name = (found[1] or "").strip()
        if name:
            first = scalar.text.index(name, found.start(1))
            start, end = phrase.place(first), phrase.place(first + len(name))
            yield Occurrence(
                "slot", name, "reference", uri, start, end, phrase.name, start, end, quoted
            )
