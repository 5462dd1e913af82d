"""Small edits of YAML that keep an author's way of writing: entries added, removed, quoted."""

import re
from typing import NamedTuple

from stalwart_lang.lsp.documents import Document
from stalwart_lang.lsp.index.build import content_end
from stalwart_lang.lsp.index.paths import is_flow
from stalwart_lang.vocabulary.yaml12 import Mapping, Node, Scalar, Sequence, resolve

_PLAIN = re.compile(r"[^\W\d_][^:#{}\[\],&*!|>'\"%@`\n\r]*(?<! )")
_STEP = 2


class Edit(NamedTuple):
    """The text of a document from `start` to `end` becomes `new`."""

    start: int
    end: int
    new: str


def quoted_text(text: str) -> str:
    """A text between double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def as_scalar(text: str) -> str:
    """A text as a scalar that is text: plain where it can be."""
    if _PLAIN.fullmatch(text) and resolve(text) == text:
        return text
    return quoted_text(text)


def added_entry(document: Document, mapping: Mapping, key: str, value: str) -> Edit:
    """A new last entry of a mapping, in the form that the mapping has."""
    text = document.text
    if is_flow(text, mapping):
        closing = text.rfind("}", mapping.start, mapping.end)
        at = content_end(text, mapping.entries[-1][1]) if mapping.entries else mapping.start + 1
        at = max(at, mapping.entries[-1][0].end) if mapping.entries else at
        comma = ", " if mapping.entries else ""
        if "," in text[at:closing]:
            at, comma = closing, ""
        return Edit(at, at, f"{comma}{key}: {value}")
    last_key, last = mapping.entries[-1]
    end = document.line_span(document.line_of(max(last_key.end, content_end(text, last))))[1]
    indent = (
        mapping.entries[0][0].start
        - document.line_span(document.line_of(mapping.entries[0][0].start))[0]
    )
    return Edit(end, end, f"{line_break(text)}{' ' * indent}{key}: {value}")


def added_to_section(document: Document, root: Mapping, section: str, key: str, value: str) -> Edit:
    """A new last entry of a section, which is made where there is none."""
    for name, node in root.entries:
        if name.text != section:
            continue
        if isinstance(node, Mapping) and node.entries:
            return added_entry(document, node, key, value)
        if isinstance(node, Mapping):
            return Edit(node.start, node.end, f"{{{key}: {value}}}")
        end = document.line_span(document.line_of(name.end))[1]
        return Edit(end, end, f"{line_break(document.text)}{' ' * _STEP}{key}: {value}")
    line = line_break(document.text)
    order = ("settings", "include", "things", "values", "units", "tools", "rules", "turns")
    wanted = order.index(section) if section in order else len(order)
    at = len(document.text)
    for name, _ in root.entries:
        if name.text in order and order.index(name.text) > wanted:
            at = document.line_span(document.line_of(name.start))[0]
            return Edit(at, at, f"{section}:{line}{' ' * _STEP}{key}: {value}{line}{line}")
    before = "" if not document.text or document.text[-1] in "\r\n" else line
    return Edit(at, at, f"{before}{section}:{line}{' ' * _STEP}{key}: {value}{line}")


def added_item(document: Document, root: Mapping, section: str, entry: list[str]) -> Edit:
    """A new last item of a section that is a list, made where there is none.

    `entry` has the item's keys, a line each; where the list stands between brackets, so does it.
    """
    text, line = document.text, line_break(document.text)
    flow = "{" + ", ".join(entry) + "}"
    if is_flow(text, root) and entry_named(root, section) is None:
        return added_entry(document, root, section, f"[{flow}]")
    for name, node in root.entries:
        if name.text != section:
            continue
        if isinstance(node, Sequence) and node.items and is_flow(text, node):
            at = node.items[-1].end
            return Edit(at, at, f", {flow}")
        if is_flow(text, root):
            return Edit(node.start, node.end, f"[{flow}]")
        if isinstance(node, Sequence) and node.items:
            dash = text.rfind("-", 0, node.items[0].start)
            indent = dash - document.line_span(document.line_of(dash))[0]
            last = max(node.items[-1].start, content_end(text, node.items[-1]))
            return _new_lines(document, last, _item(entry, indent, line))
        if is_flow(text, node) or (isinstance(node, Scalar) and node.text):
            colon = text.index(":", name.end) + 1
            return Edit(colon, node.end, line + _item(entry, _STEP, line).rstrip("\r\n"))
        return _new_lines(document, name.end, _item(entry, _STEP, line))
    return _new_lines(document, len(text), f"{section}:{line}{_item(entry, _STEP, line)}")


def _item(entry: list[str], indent: int, line: str) -> str:
    """An item of a list by indentation, with its line breaks."""
    return "".join(
        f"{' ' * indent}{'- ' if number == 0 else '  '}{its}{line}"
        for number, its in enumerate(entry)
    )


def _new_lines(document: Document, after: int, new: str) -> Edit:
    """Lines of their own after the line that an offset is in."""
    number = document.line_of(after)
    if number + 1 < document.line_count:
        at = document.starts[number + 1]
        return Edit(at, at, new)
    at = document.line_span(number)[1]
    is_empty = document.line_span(number)[0] == at
    line = line_break(document.text)
    return Edit(at, at, new if is_empty else line + new.removesuffix(line))


def removed_entry(document: Document, collection: Mapping | Sequence, number: int) -> Edit:
    """An entry or item less: with its lines where it has them for itself, else with its comma."""
    text = document.text
    start, end = _extent(text, collection, number)
    if not is_flow(text, collection):
        begin = document.line_span(document.line_of(start))[0]
        last = document.line_of(max(start, end - 1))
        after = document.starts[last + 1] if last + 1 < document.line_count else len(text)
        return Edit(begin, after, "")
    count = len(collection.entries if isinstance(collection, Mapping) else collection.items)
    if number + 1 < count:
        return Edit(start, _extent(text, collection, number + 1)[0], "")
    if number:
        return Edit(_extent(text, collection, number - 1)[1], end, "")
    return Edit(start, end, "")


def _extent(text: str, collection: Mapping | Sequence, number: int) -> tuple[int, int]:
    if isinstance(collection, Sequence):
        item = collection.items[number]
        start = item.start if is_flow(text, collection) else text.rfind("-", 0, item.start)
        return start, content_end(text, item)
    key, value = collection.entries[number]
    return key.start, max(key.end, content_end(text, value))


def line_break(text: str) -> str:
    """The line break that a text has."""
    found = re.search(r"\r\n|\n|\r", text)
    return found.group() if found else "\n"


def entry_named(node: Node | None, name: str) -> Node | None:
    """The value at a key of a mapping."""
    if isinstance(node, Mapping):
        for key, value in node.entries:
            if key.text == name:
                return value
    return None


def place_of_key(node: Node | None, start: int) -> tuple[Mapping, int] | None:
    """The mapping and the number of the entry whose key starts at an offset."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            for number, (key, value) in enumerate(one.entries):
                if key.start == start:
                    return one, number
                if not isinstance(value, Scalar) and value.start <= start <= value.end:
                    waiting.append(value)
        elif isinstance(one, Sequence):
            waiting += [item for item in one.items if item.start <= start <= item.end]
    return None
