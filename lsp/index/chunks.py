"""A document's YAML composed entry by entry, so that an edit costs one entry and not the file.

A vocabulary is a mapping of sections, and a section a mapping or a list of entries. The text is cut
before each of them; an entry's nodes are kept by its text, and moved to where it now stands. Only
where every entry is sound by itself is the whole what the SDK's composer would give; otherwise the
composer has the last word, and what a broken text still names is found by mending the entries that
are broken.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from stalwart_lang.collector import collector_paused
from stalwart_lang.diagnostics import Diagnostic, Findings, TooMany
from stalwart_lang.lsp.index.mend import mended
from stalwart_lang.runs.agent_declarations import AGENT_FILE
from stalwart_lang.vocabulary.declarations import VOCABULARY
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.suggest import nearest
from stalwart_lang.vocabulary.yaml12 import Mapping, Node, Scalar, Sequence, compose

SECTIONS = ("settings", "things", "values", "units", "tools", "rules", "turns", "agents", "facts")
"""The keys whose entries stand below them, one or more lines each."""

_TOP_KEYS = (*VOCABULARY.keys, *AGENT_FILE.keys)
_LINE = re.compile(r"([ ]*)([^\n\r]*)(?:\r\n|\n|\r|\Z)")
# A section's key alone on its line: its entries are below.
_HEADER = re.compile(r"([^\W\d][\w-]*)[ ]*:[ \t]*(?:#.*)?")
# A key that may have been one, in a broken text: no bracket or quote opens a value.
_BROKEN_HEADER = re.compile(r"(?![\"']?include)[^\[{|>#]*")
# An anchor or an alias: entries may hang together.
_ALIAS = re.compile(r"(?:^|[\s\[,{])[&*][^\s,\[\]{}]")
# What begins a line that is no entry of its own.
_NO_ENTRY = ("?", ":", "%", "---", "...")
_OTHER_BREAKS = re.compile("[\x85\u2028\u2029]")
_MOST_MENDED = 40
"""So many broken entries of a document are mended; the rest is left out."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A document's nodes.

    `root` and `findings` are what the SDK's composer gives. `known` is the same where it could
    compose the text, else what is known of it; its places are those of the text.
    """

    root: Node | None
    findings: tuple[Diagnostic, ...]
    known: Node | None

    @property
    def broken(self) -> bool:
        """Whether the text is not YAML as it stands."""
        return self.root is None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document: a section with what is on its line, or an entry of a section.

    `header` is set where the piece is only the line of a section's key; its entries follow.
    """

    start: int
    end: int
    indent: int
    header: Scalar | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    """The nodes of a chunk's text, where the chunk stood when they were last put together.

    A block collection ends where the next key or item begins, which is at `end` for the last ones.
    """

    root: Mapping | Sequence | None
    sound: bool
    start: int
    end: int
    mended: bool = False


class Composer:
    """Composes the versions of one document, keeping the pieces of the version before."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._pieces: dict[tuple[str, int], _Piece] = {}

    def compose(self, text: str) -> Composed:
        """Compose a text; nothing in it raises."""
        with collector_paused():
            root = self._sound(text)
            if root is not None:
                return Composed(root, (), root)
            findings = Findings()
            whole: Node | None = None
            try:
                whole = compose(Source(self._file, text), findings)
            except TooMany:
                whole = None
            known = self._known(text) if whole is None else whole
            return Composed(whole, tuple(findings.items), known)

    def _sound(self, text: str) -> Mapping | None:
        """The root, where every piece is sound by itself and they fit together."""
        if _OTHER_BREAKS.search(text) or (("&" in text or "*" in text) and _ALIAS.search(text)):
            return None
        chunks = list(cut(text))
        pieces: dict[tuple[str, int], _Piece] = {}
        sound = len(chunks) > 1 and not any(
            text.startswith(_NO_ENTRY, chunk.start + chunk.indent) for chunk in chunks
        )
        for chunk in chunks:
            if chunk.header is None:
                key = text[chunk.start : chunk.end], chunk.indent
                pieces[key] = self._pieces.get(key) or _piece(*key)
                sound = sound and pieces[key].sound
        self._pieces = pieces
        if not sound:
            return None
        root = self._put_together(text, chunks, strict=True)
        return None if root is None or _twice(root) else root

    def _known(self, text: str) -> Node | None:
        """What is known of a broken text: its entries, the broken ones mended."""
        chunks = list(cut(text, lenient=True))
        left = _MOST_MENDED
        for chunk in chunks:
            key = text[chunk.start : chunk.end], chunk.indent
            if chunk.header is not None:
                continue
            piece = self._pieces.get(key) or _piece(*key)
            if piece.root is None and not piece.mended and left:
                left -= 1
                root = mended(*key)
                root = None if isinstance(root, Scalar) else root
                piece = _Piece(root, False, 0, len(key[0]), mended=True)
            self._pieces[key] = piece
        return self._put_together(text, chunks, strict=False)

    def _put_together(self, text: str, chunks: list[Chunk], *, strict: bool) -> Mapping | None:
        """The root that the pieces make; where `strict`, None if they do not fit together."""
        root = Mapping(0, len(text))
        header: Scalar | None = None
        section: Mapping | Sequence | None = None
        inner = 0
        for number, chunk in enumerate(chunks):
            if chunk.header is not None:
                if header is not None:
                    root.entries.append((header, _nothing(text, header)))
                header, section = chunk.header, None
                continue
            after = chunks[number + 1] if number + 1 < len(chunks) else None
            node = self._place(text, chunk, after)
            if node is None:
                continue
            if header is not None and section is None:
                inner = chunk.indent
                section = type(node)(node.start, node.end)
                root.entries.append((header, section))
                header = None
            if section is None and isinstance(node, Mapping) and (chunk.indent == 0 or not strict):
                root.entries += node.entries
            elif chunk.indent == 0 and isinstance(node, Mapping):
                root.entries += node.entries
                section = None
            elif strict and chunk.indent != inner:
                return None
            elif isinstance(section, Mapping) and isinstance(node, Mapping):
                section.entries += node.entries
                section.end = node.end
            elif isinstance(section, Sequence) and isinstance(node, Sequence):
                section.items += node.items
                section.end = node.end
            elif strict:
                return None
        if header is not None:
            root.entries.append((header, _nothing(text, header)))
        if not root.entries:
            return None
        root.start = root.entries[0][0].start
        return root

    def _place(self, text: str, chunk: Chunk, after: Chunk | None) -> Mapping | Sequence | None:
        """A chunk's nodes where it stands; those that stand where they stood are used again."""
        key = text[chunk.start : chunk.end], chunk.indent
        piece = self._pieces[key]
        if piece.root is None:
            return None
        end = len(text) if after is None else after.start + after.indent
        if (piece.start, piece.end) == (chunk.start, end):
            return piece.root
        node = moved(piece.root, chunk.start - piece.start, piece.end, end)
        self._pieces[key] = _Piece(node, piece.sound, chunk.start, end, piece.mended)
        return node


def cut(text: str, *, lenient: bool = False) -> Iterator[Chunk]:
    """Cut a text into sections and entries, in order; comments go with what is above them.

    Where `lenient`, a line that is likely to be a section's key is taken for one.
    """
    start: int | None = None  # of the piece that is open
    indent = 0
    inner: int | None = None  # the indentation of the entries of the section that is open
    headed = False
    lines = [
        (found.start(), found.end(), len(found[1]), found[2])
        for found in _LINE.finditer(text)
        if found[2] and found[2][0] != "#" and not found[2].isspace()
    ]
    for number, (begin, end, its, rest) in enumerate(lines):
        item = rest.startswith("- ") or rest == "-"
        top = its == 0 and not item
        header = _HEADER.fullmatch(rest) if top else None
        name = header[1] if header is not None else ""
        if lenient and headed and inner is None and not header:
            inner = _indent_below(lines[number:])
        if lenient and its == 0 and headed and inner and not _is_top(rest):
            top, header, name, its = False, None, "", inner + 1
        elif lenient and header is None and not item:
            below = number + 1 < len(lines) and (
                lines[number + 1][2] > its or lines[number + 1][3].startswith("- ")
            )
            name = _broken_header(rest, its, inner) if below else ""
            top = top or name != ""
        if top:
            if start is not None:
                yield Chunk(start, begin, indent)
            start, indent, inner, headed = begin, its, None, name != ""
            if name:
                word = header.end(1) if header is not None else len(rest.split(":")[0].rstrip())
                key = Scalar(name, True, begin + its, begin + its + word)
                yield Chunk(begin, end, its, key)
                start = None
            continue
        if headed and inner is None:
            inner = its
        if start is None or (inner is not None and its <= inner):
            if start is not None:
                yield Chunk(start, begin, indent)
            start, indent = begin, its
    if start is not None:
        yield Chunk(start, len(text), indent)


def is_header(line: str) -> bool:
    """Whether a line is a section's key alone, with its entries below."""
    return _HEADER.fullmatch(line) is not None


def _indent_below(lines: list[tuple[int, int, int, str]]) -> int | None:
    """How far the entries of a section are indented; one line alone may be so by a slip."""
    count: Counter[int] = Counter()
    for number, (_, _, indent, line) in enumerate(lines):
        if indent == 0 and number and _is_top(line):
            break
        if indent:
            count[indent] += 1
    likely = (indent for indent, times in count.items() if times > 1 or indent % 2 == 0)
    return min(likely, default=None)


def _is_top(line: str) -> bool:
    """Whether a line of a broken text that is not indented begins something at the top."""
    word = line.partition(":")[0].strip(" \"'")
    return nearest(word, _TOP_KEYS) is not None


def _broken_header(line: str, indent: int, inner: int | None) -> str:
    """The section that a line of a broken text was the key of, with entries below; or nothing."""
    if _BROKEN_HEADER.fullmatch(line) is None:
        return ""
    word = re.sub(r"[^\w-]", "", line)
    if indent and (inner is None or indent >= inner):
        return ""
    return nearest(word, SECTIONS) or nearest(word.partition(":")[0], SECTIONS) or ""


def _nothing(text: str, header: Scalar) -> Scalar:
    """The value of a section without entries, which stands right after the colon."""
    colon = text.find(":", header.end)
    at = header.end if colon < 0 else colon + 1
    return Scalar("", True, at, at)


def _piece(text: str, indent: int) -> _Piece:
    """Compose a chunk by itself; it is sound where it is one entry and has no finding."""
    findings = Findings()
    try:
        root = compose(Source("", text), findings)
    except TooMany:
        root = None
    if root is None or isinstance(root, Scalar):
        return _Piece(None, False, 0, len(text))
    its = root.entries if isinstance(root, Mapping) else root.items
    first = root.entries[0][0].start if isinstance(root, Mapping) and root.entries else root.start
    sound = not findings.items and len(its) == 1 and first == indent
    return _Piece(root, sound, 0, len(text))


def _twice(root: Mapping) -> bool:
    """Whether a section, or a name in one, is there twice."""
    for mapping in (root, *(value for _, value in root.entries)):
        if isinstance(mapping, Mapping):
            names = {key.text for key, _ in mapping.entries}
            if len(names) != len(mapping.entries):
                return True
    return False


def moved(node: Mapping | Sequence, offset: int, last: int, end: int) -> Mapping | Sequence:
    """A copy of a chunk's nodes, further on in a text; its collections that ended last do again."""
    return _Mover(offset, last, end).collection(node)


class _Mover:
    """Copies nodes to another place; a node that an alias repeats is copied once."""

    def __init__(self, offset: int, last: int, end: int) -> None:
        self._offset = offset
        self._last = last
        self._end = end
        self._seen: dict[int, Mapping | Sequence] = {}

    def collection(self, node: Mapping | Sequence) -> Mapping | Sequence:
        """The copy of a collection and all that is in it."""
        known = self._seen.get(id(node))
        if known is not None:
            return known
        offset = self._offset
        end = self._end if node.end == self._last else node.end + offset
        made: Mapping | Sequence
        if isinstance(node, Sequence):
            made = Sequence(node.start + offset, end, [self._node(item) for item in node.items])
        else:
            made = Mapping(node.start + offset, end)
            made.entries = [
                (
                    Scalar(key.text, key.plain, key.start + offset, key.end + offset),
                    self._node(value),
                )
                for key, value in node.entries
            ]
        self._seen[id(node)] = made
        return made

    def _node(self, node: Node) -> Node:
        if isinstance(node, Scalar):
            offset = self._offset
            return Scalar(node.text, node.plain, node.start + offset, node.end + offset)
        return self.collection(node)
