"""Where each character of a scalar's text stands in the document, through quotes and escapes."""

import re
from collections.abc import Iterator

from stalwart_lang.vocabulary.yaml12 import Scalar

_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
_BREAK = re.compile(r"[ \t]*(?:\r\n|[\n\r\x85\u2028\u2029])[ \t\n\r\x85\u2028\u2029]*")
_BREAKS = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_CONTINUED = re.compile(r"\\[ \t]*(?:\r\n|[\n\r\x85\u2028\u2029])[ \t]*")
_ESCAPED = {"x": 4, "u": 6, "U": 10}


def content_start(text: str, scalar: Scalar) -> int:
    """Where a scalar's content begins: after its anchor and its opening quote."""
    at = scalar.start
    if text[at : at + 1] in ("&", "!"):
        properties = _PROPERTIES.match(text, at)
        at = properties.end() if properties else at
    return at + 1 if not scalar.plain and text[at : at + 1] in ("'", '"') else at


def is_quoted(text: str, scalar: Scalar) -> bool:
    """Whether a scalar stands between quotes."""
    at = content_start(text, scalar)
    return not scalar.plain and at > scalar.start and text[at - 1] in "'\""


def places(text: str, scalar: Scalar) -> range | tuple[int, ...]:
    """The offset of each character of a scalar's text, and where the last one ends."""
    at = content_start(text, scalar)
    length = len(scalar.text)
    if text.startswith(scalar.text, at) and at + length <= max(scalar.end, at):
        return range(at, at + length + 1)
    if not scalar.plain and not is_quoted(text, scalar):
        found = tuple(_block(text, scalar, at))
    else:
        found = tuple(_walk(text, scalar, at))[: length + 1]
    return found + (scalar.end,) * (length + 1 - len(found))


def span(text: str, scalar: Scalar) -> tuple[int, int]:
    """Where a scalar's text begins and ends, without quotes."""
    found = places(text, scalar)
    return found[0], found[-1]


def last_word(text: str, start: int, end: int) -> int:
    """Where what stands from `start` on ends, without the blanks and line breaks before `end`."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _walk(text: str, scalar: Scalar, at: int) -> Iterator[int]:
    """Follow a plain or quoted scalar: escapes, doubled quotes, folded lines."""
    quote = "" if scalar.plain else text[at - 1]
    while at < scalar.end:
        character = text[at]
        if quote == '"' and character == "\\":
            folded = _CONTINUED.match(text, at)
            if folded:
                at = folded.end()
                continue
            yield at
            at += _ESCAPED.get(text[at + 1 : at + 2], 2)
            continue
        folded = _BREAK.match(text, at) if character in " \t\n\r\x85\u2028\u2029" else None
        if folded:
            breaks = len(_BREAKS.findall(folded.group()))
            yield from [at] * max(1, breaks - 1)
            at = folded.end()
            continue
        yield at
        at += 2 if quote == "'" and character == "'" else 1


def _block(text: str, scalar: Scalar, at: int) -> Iterator[int]:
    """Find the characters of a block scalar one after the other; its indentation is in between."""
    found = _BREAKS.search(text, at)
    at = found.end() if found else at
    for character in scalar.text:
        if not character.isspace():
            at = max(text.find(character, at), at)
        yield min(at, scalar.end)
        at += 1
    yield min(at, scalar.end)
