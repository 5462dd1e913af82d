"""Mending broken YAML: the smallest change to a guilty line after which the rest can be read.

The change is for reading only. Places in the nodes are mapped back, so that they are those of the
text as it is.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from stalwart_lang.diagnostics import Findings, TooMany
from stalwart_lang.lsp.documents import line_starts
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.yaml12 import Mapping, Node, Scalar, Sequence, compose

_ROUNDS = 3
_MOST_TRIES = 120
_LINES_BEFORE = 3
_MAX_LENGTH = 20_000
_KEY = re.compile(r"(?:- +)*[^\s:#\[\]{},\"'&*!|>%@`-][^\s:#]*")
_NO_BLANK = re.compile(r"(?<=[\w\"'\]])[:,](?=[^\s:,])")
_COMMENT = re.compile(r"(?:^|[ \t])#.*")
_CLOSES = {"[": "]", "{": "}"}


class _Change(NamedTuple):
    """The text from `start` to `end` is replaced by `new`."""

    start: int
    end: int
    new: str


class _Try(NamedTuple):
    root: Node | None
    at: int
    """Where the error is, if there is one."""


def mended(text: str, indent: int) -> Node | None:
    """The nodes of a broken text after mending; None where it takes too much."""
    if len(text) > _MAX_LENGTH:
        return None
    changes: list[_Change] = []
    failed = _compose(text)
    left = _MOST_TRIES
    for _ in range(_ROUNDS):
        best: tuple[int, _Change, Node | None, str] | None = None
        seen: set[str] = set()
        for change in _changes(text, failed.at, indent):
            new = text[: change.start] + change.new + text[change.end :]
            if new in seen or new == text:
                continue
            seen.add(new)
            left -= 1
            tried = _compose(new)
            kept = _worth(tried.root) if tried.root is not None else tried.at - len(new) - 1
            if best is None or kept > best[0]:
                best = kept, change, tried.root, new
            if left == 0:
                break
        if best is None:
            return None
        _, change, root, text = best
        changes.append(change)
        if root is not None:
            return _mapped_back(root, changes)
        failed = _compose(text)
        if left == 0:
            return None
    return None


def _compose(text: str) -> _Try:
    findings = Findings()
    try:
        root = compose(Source("", text), findings)
    except TooMany:
        root = None
    if isinstance(root, Scalar):
        return _Try(None, root.start)
    if root is not None:
        return _Try(root, len(text))
    if not findings.items:
        return _Try(None, 0)
    where = findings.items[-1].location
    return _Try(None, line_starts(text)[where.line - 1] + where.column - 1)


def _worth(node: Node | None) -> int:
    """How much of a text a reading keeps: its keys count twice, a key of blanks for nothing."""
    if node is None:
        return 0
    if isinstance(node, Scalar):
        return 1 if node.text else 0
    if isinstance(node, Sequence):
        return sum(map(_worth, node.items))
    return sum(
        (2 if len(key.text) < 40 and not re.search(r"[\s{}\[\],\"]", key.text) else -1)
        + _worth(value)
        for key, value in node.entries
    )


def _changes(text: str, at: int, indent: int) -> Iterator[_Change]:
    """What could mend the text, the likely first: on the line of the error and those before it."""
    starts = [*line_starts(text), len(text)]
    lines = [
        (start, start + len(text[start:end].rstrip("\r\n")))
        for start, end in pairwise(starts)
        if text[start:end].strip() and not text[start:end].lstrip().startswith("#")
    ]
    if not lines:
        return
    guilty = max((n for n, (start, _) in enumerate(lines) if start <= at), default=0)
    near = [guilty - back for back in range(_LINES_BEFORE) if guilty >= back]
    if guilty + 1 < len(lines):
        near.append(guilty + 1)
    if 0 not in near:
        near.append(0)
    if at < len(text) and text[at] not in "\r\n":
        yield _Change(at, at + 1, "")
        if text[at] == "\t":
            yield _Change(at, at + 1, " ")
    for number in near:
        start, end = lines[number]
        line = text[start:end]
        yield from _colons(line, start)
        yield from _closers(line, start)
        yield from _indents(text, lines, number, indent)
    for number in near:
        yield from _cuts(text, *lines[number])


def _colons(line: str, start: int) -> Iterator[_Change]:
    """A colon that is missing after a key, or a blank after a colon or a comma."""
    bare = _without_comment(line)
    blanks = len(bare) - len(bare.lstrip())
    key = _KEY.match(bare, blanks)
    if key:
        after = key.end()
        if bare[after : after + 1] != ":":
            yield _Change(start + after, start + after, ": " if bare[after:].strip() else ":")
        elif bare[after + 1 : after + 2].strip():
            yield _Change(start + after, start + after + 1, ": ")
    for found in _NO_BLANK.finditer(bare):
        yield _Change(start + found.start(), start + found.end(), found.group() + " ")
    for found in re.finditer(r"[\w\"'](?=[ ]*[\[{])", bare):
        if not re.search(r"[:,\[{]\s*$", bare[: found.end()]):
            yield _Change(start + found.end(), start + found.end(), ": ")
    if bare.rstrip().endswith(("::", ":;")):
        yield _Change(start + len(bare.rstrip()) - 1, start + len(bare.rstrip()), "")


def _closers(line: str, start: int) -> Iterator[_Change]:
    """A bracket or a quote that is missing or too many."""
    bare = _without_comment(line).rstrip()
    end = start + len(bare)
    stack: list[tuple[str, int]] = []
    quote: tuple[str, int] | None = None
    for number, character in enumerate(bare):
        if quote is not None:
            if character == quote[0] and bare[number - 1 : number] != "\\":
                quote = None
        elif character in "\"'" and re.search(r"(?:^|[\s\[{,:-])$", bare[:number]):
            quote = character, number
        elif character in "[{":
            stack.append((character, number))
        elif character in "]}":
            if stack and _CLOSES[stack[-1][0]] == character:
                stack.pop()
            elif stack:
                closing = _CLOSES[stack[-1][0]]
                yield _Change(start + number, start + number, closing)
                yield _Change(start + number, start + number + 1, closing)
                stack.pop()
            else:
                yield _Change(start + number, start + number + 1, "")
                opening = "[" if character == "]" else "{"
                for found in re.finditer(r"[:,\[{] ", bare[:number]):
                    yield _Change(start + found.end(), start + found.end(), opening)
    closing = "".join(_CLOSES[one] for one, _ in reversed(stack))
    if quote is not None:
        mark, opened = quote
        yield _Change(start + opened, start + opened + 1, "")
        yield _Change(start + opened, start + opened + 1, " ")
        for found in re.finditer(r"[,\]}]", bare[opened:]):
            yield _Change(start + opened + found.start(), start + opened + found.start(), mark)
        yield _Change(end, end, mark + closing)
    for number, character in enumerate(bare):
        if character in "\"'":
            yield _Change(start + number, start + number + 1, "")
    if stack:
        yield _Change(end, end, closing)
        last, opened = stack[-1]
        yield _Change(start + opened, start + opened + 1, "")
        for found in re.finditer(r",|[\]}]", bare[opened:]):
            yield _Change(
                start + opened + found.start(), start + opened + found.start(), _CLOSES[last]
            )
        if bare.endswith(","):
            yield _Change(end - 1, end, closing)


def _indents(
    text: str, lines: list[tuple[int, int]], number: int, indent: int
) -> Iterator[_Change]:
    """Another indentation, of a line near by."""
    start, end = lines[number]
    its = _indentation(text[start:end])
    wanted = [indent]
    for other in (number - 1, number + 1, number - 2):
        if 0 <= other < len(lines):
            near = _indentation(text[slice(*lines[other])])
            wanted += [near, near + 2]
    for one in dict.fromkeys(wanted):
        if one != its:
            yield _Change(start, start + its, " " * one)
    dash = re.match(r"([ ]*)-(?=\S)", text[start:end])
    if dash:
        yield _Change(start + dash.end(), start + dash.end(), " ")


def _cuts(text: str, start: int, end: int) -> Iterator[_Change]:
    """A line without its value, and no line at all."""
    found = re.match(r"[ ]*(?:- +)?[^\s:]+:(?=\s)", text[start:end])
    if found:
        yield _Change(start + found.end(), end, "")
    yield _Change(start, end, "")


def _without_comment(line: str) -> str:
    found = None if '"' in line or "'" in line else _COMMENT.search(line)
    return line[: found.start()] if found else line


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _mapped_back(node: Node, changes: list[_Change]) -> Node:
    """Nodes of a changed text with the places of the text before the changes."""

    def back(offset: int) -> int:
        for change in reversed(changes):
            grown = len(change.new) - (change.end - change.start)
            if offset >= change.start + len(change.new):
                offset -= grown
            elif offset > change.start:
                offset = min(offset, change.end)
        return offset

    def moved(node: Node) -> Node:
        start, end = back(node.start), back(node.end)
        if isinstance(node, Scalar):
            return Scalar(node.text, node.plain, start, end)
        if isinstance(node, Sequence):
            return Sequence(start, end, [moved(item) for item in node.items])
        entries: list[tuple[Scalar, Node]] = []
        for key, value in node.entries:
            name = Scalar(key.text, key.plain, back(key.start), back(key.end))
            entries.append((name, moved(value)))
        return Mapping(start, end, entries)

    return moved(node)
