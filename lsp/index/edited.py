"""What a document names right after an edit, while its whole index is not there yet.

Whoever types waits for completion after each key, and an edit is nearly always within one entry of
a section: that entry is read anew, and the rest is what it was.
"""

from collections.abc import Callable
from dataclasses import replace

from stalwart_lang.lsp.documents import Document
from stalwart_lang.lsp.index.build import Outline, build_index, outline_of
from stalwart_lang.lsp.index.chunks import Composer, is_header, moved
from stalwart_lang.lsp.index.model import DocumentIndex
from stalwart_lang.vocabulary.yaml12 import Mapping, Scalar


def edited_entry(
    kept: DocumentIndex, outline: Outline, document: Document
) -> tuple[DocumentIndex, DocumentIndex] | None:
    """The index of the entry that differs from `kept`, and of the others as they were there.

    Places in the first are those of `document`, in the second those of the version before.
    None where the difference is not within one entry of a section.
    """
    old, new = kept.document.text, document.text
    start, old_end = _difference(old, new)
    grown = len(new) - len(old)
    above = [section for section in kept.sections if section.key[0] < start]
    below = [section for section in kept.sections if section.key[0] >= start]
    if not above or (below and below[0].key[0] < old_end):
        return None
    head = above[-1].key[0]
    end = below[0].key[0] + grown if below else len(new)
    at = document.line_of(head)
    body = document.line_span(at + 1)[0]
    if start < body or not is_header(new[head : document.line_span(at)[1]]):
        return None
    within = _entry(document, range(at + 1, document.line_of(end - 1) + 1), start, old_end + grown)
    if within is None:
        return None
    first, last = within
    composed = Composer(document.uri).compose(new[head:body] + new[first:last])
    root = composed.known
    if not isinstance(root, Mapping) or len(root.entries) != 1:
        return None
    key, section = root.entries[0]
    if isinstance(section, Scalar):
        return None
    size = body - head + last - first
    section = moved(section, first - body + head, size, last)
    root = Mapping(head, last)
    root.entries = [(Scalar(key.text, key.plain, key.start + head, key.end + head), section)]
    composed = replace(composed, known=root)
    here = build_index(document, composed, kept.kind, outline_of(root).joined(outline))
    return here, _without(kept, first, last - grown)


def _without(kept: DocumentIndex, start: int, end: int) -> DocumentIndex:
    return replace(
        kept,
        occurrences=tuple(one for one in kept.occurrences if not start <= one.start < end),
        phrases=tuple(one for one in kept.phrases if not start <= one.start < end),
        turns=tuple(one for one in kept.turns if not start <= one.start < end),
    )


def _entry(document: Document, lines: range, start: int, end: int) -> tuple[int, int] | None:
    """The entries, of those that stand on `lines`, that `start` to `end` is within."""
    indents = (_indent(document, line) for line in lines)
    its = next((indent for indent in indents if indent is not None), None)
    if its is None:
        return None

    def begins(line: int) -> bool:
        indent = _indent(document, line)
        return indent is not None and indent <= its

    first, last = document.line_of(start), document.line_of(end) + 1
    while first > lines.start and not begins(first):
        first -= 1
    while last < lines.stop and not begins(last):
        last += 1
    return document.starts[first], document.line_span(last)[0]


def _indent(document: Document, line: int) -> int | None:
    """How far a line is indented; None of one that is blank, or a comment."""
    start, end = document.line_span(line)
    words = document.text[start:end].lstrip(" ")
    return None if not words.strip() or words.startswith("#") else end - start - len(words)


def _difference(old: str, new: str) -> tuple[int, int]:
    """Where two texts begin to differ, and where in the first they have ceased to."""
    shorter = min(len(old), len(new))
    start = _most(shorter, lambda size: old[:size] == new[:size])
    after = _most(shorter - start, lambda size: old[-size:] == new[-size:])
    return start, len(old) - after


def _most(highest: int, holds: Callable[[int], bool]) -> int:
    """The highest number up to `highest` that `holds`, which nothing above one does that fails."""
    low, high = 0, highest
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
