"""A file's nodes checked against the declared format.

What is sound is handed on with its positions, what is not is reported and left out:

- `Text`, `Flag`, `Number` and `Anything` give the node itself,
- `ListOf` a list, `MapOf` a list of (key, value) pairs, `Record` a `Fields`,
- `Either` what the form that was used gives.
"""

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from stalwart_lang.diagnostics import Findings, Related, quoted
from stalwart_lang.vocabulary.declarations import (
    Anything,
    Either,
    Flag,
    ListOf,
    MapOf,
    Number,
    Record,
    Shape,
    Text,
)
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.suggest import did_you_mean
from stalwart_lang.vocabulary.yaml12 import Mapping, Node, Scalar, Sequence

Checked: TypeAlias = Any

_YES_NO = {"yes": "true", "y": "true", "on": "true", "no": "false", "n": "false", "off": "false"}


class Fields:
    """A checked record: its node, and its sound entries by key."""

    __slots__ = ("entries", "node")

    def __init__(self, node: Mapping) -> None:
        self.node = node
        self.entries: dict[str, tuple[Scalar, Checked]] = {}

    def get(self, key: str) -> Checked:
        """The checked value of `key`, or None."""
        entry = self.entries.get(key)
        return None if entry is None else entry[1]


class Unsound(Exception):
    """What was checked cannot be used; the reason has been reported."""


class Checker:
    """Checks the nodes of one file and reports what is wrong with them."""

    def __init__(self, source: Source, findings: Findings) -> None:
        self.source = source
        self.findings = findings

    def check(self, node: Node, shape: Shape, key: Scalar | None = None) -> Checked:
        """What is sound of `node`; `key` is the key it stands at, which messages name.

        Raises Unsound where nothing is.
        """
        return _CHECKS[type(shape)](self, node, shape, key)

    def _text(self, node: Node, shape: Text, key: Scalar | None) -> Scalar:
        if not isinstance(node, Scalar):
            raise self._wrong(node, key, shape.what)
        if node.plain and not isinstance(node.value, str):
            fix = f'put it between quotes: "{node.text}"' if node.text.strip() else None
            raise self._wrong(node, key, shape.what, fix)
        self._fits(node, shape, key)
        return node

    def _fits(self, node: Scalar, shape: Text, key: Scalar | None) -> None:
        if shape.choices and node.text not in shape.choices:
            message = f"{_subject(key)} cannot be {quoted(node.text)}"
            fix = did_you_mean(node.text, shape.choices)
            raise self._unsound(shape.choices_code, message, node, fix)
        if shape.pattern and not _pattern(shape.pattern).fullmatch(node.text):
            message = f"{quoted(node.text)} is not {shape.what}"
            raise self._unsound(shape.pattern_code, message, node)

    def _flag(self, node: Node, shape: Flag, key: Scalar | None) -> Scalar:
        wanted = "true" if shape.only_true else "true or false"
        if not isinstance(node, Scalar):
            raise self._wrong(node, key, wanted)
        value = node.value
        if value is True or (value is False and not shape.only_true):
            return node
        word = _YES_NO.get(node.text.lower()) if node.plain else None
        if node.text in ("true", "false"):
            word = node.text
        fix = f"write `{word}` without quotes" if word else None
        raise self._wrong(node, key, wanted, fix)

    def _number(self, node: Node, shape: Number, key: Scalar | None) -> Scalar:
        wanted = "a whole number" if shape.whole else "a number"
        if not isinstance(node, Scalar):
            raise self._wrong(node, key, wanted)
        value = node.value
        if not isinstance(value, int | Decimal) or isinstance(value, bool):
            raise self._wrong(node, key, wanted)
        if isinstance(value, Decimal) and (shape.whole or not value.is_finite()):
            raise self._wrong(node, key, wanted)
        if shape.minimum is not None and value < shape.minimum:
            message = f"{_subject(key)} must be at least {shape.minimum}"
            raise self._unsound("SV024", message, node)
        return node

    def _anything(self, node: Node, shape: Anything, key: Scalar | None) -> Node:
        if shape.scalar and not isinstance(node, Scalar):
            raise self._wrong(node, key, "text, a number, true or false")
        return node

    def _either(self, node: Node, shape: Either, key: Scalar | None) -> Checked:
        if isinstance(node, Mapping):
            return self._record(node, shape.long, key)
        return self._text(node, shape.short, key)

    def _list(self, node: Node, shape: ListOf, key: Scalar | None) -> list[Checked]:
        if not isinstance(node, Sequence):
            if shape.single and not isinstance(node, Mapping):
                return [self.check(node, shape.item, key)]
            raise self._wrong(node, key, "a list")
        if not node.items:
            raise self._unsound("SV026", f"{_subject(key)} is an empty list", node)
        check, item_shape = _CHECKS[type(shape.item)], shape.item
        items = []
        for item in node.items:
            try:
                items.append(check(self, item, item_shape, key))
            except Unsound:
                continue
        return items

    def _map(self, node: Node, shape: MapOf, key: Scalar | None) -> list[tuple[Scalar, Checked]]:
        if shape.or_nothing and isinstance(node, Scalar) and node.value is None:
            return []
        if not isinstance(node, Mapping):
            raise self._wrong(node, key, f"a mapping, with {shape.what} an entry")
        if len(node.entries) < shape.at_least:
            raise self._unsound("SV026", f"{_subject(key)} needs {shape.what}", node)
        if shape.at_most is not None and len(node.entries) > shape.at_most:
            extra = node.entries[shape.at_most][0]
            fix = "begin a new item of the list with `- `"
            raise self._unsound("SV027", f"only {shape.what} may stand here", extra, fix)
        check, value_shape = _CHECKS[type(shape.value)], shape.value
        entries = []
        for name, value in node.entries:
            try:
                self._fits(name, shape.key, key)
                entries.append((name, check(self, value, value_shape, name)))
            except Unsound:
                continue
        return entries

    def _record(self, node: Node, shape: Record, key: Scalar | None) -> Fields:
        if shape.or_nothing and isinstance(node, Scalar) and node.value is None:
            node = Mapping(node.start, node.end)
        if not isinstance(node, Mapping):
            raise self._wrong(node, key, f"{shape.what}, which is a mapping")
        fields = Fields(node)
        names = []
        for name, value in node.entries:
            declared = shape.keys.get(name.text)
            if declared is None:
                self._unknown(name, shape)
                continue
            names.append(name)
            try:
                checked = _CHECKS[type(declared.shape)](self, value, declared.shape, name)
                fields.entries[name.text] = (name, checked)
            except Unsound:
                continue
        self._complete(node, shape, key, names)
        return fields

    def _unknown(self, name: Scalar, shape: Record) -> None:
        message = f"{shape.what} has no key {quoted(name.text)}"
        self._report("SV021", message, name, did_you_mean(name.text, shape.keys))

    def _complete(
        self, node: Mapping, shape: Record, key: Scalar | None, names: list[Scalar]
    ) -> None:
        """Report the keys that are missing or exclude one another; raises Unsound."""
        there = {name.text for name in names}
        at = node if key is None else key
        for wanted, declared in shape.keys.items():
            if declared.required and wanted not in there:
                message = f"{shape.what} needs the key {quoted(wanted)}"
                raise self._unsound("SV022", message, at)
        if shape.at_least_one and there.isdisjoint(shape.at_least_one):
            message = f"{shape.what} needs one of {_listed(shape.at_least_one)}"
            raise self._unsound("SV026" if not node.entries else "SV027", message, at)
        if shape.exactly_one:
            rivals = [name for name in names if name.text in shape.exactly_one]
            if not rivals:
                message = f"{shape.what} needs one of {_listed(shape.exactly_one)}"
                raise self._unsound("SV027", message, at)
            if len(rivals) > 1:
                first = self.source.location(rivals[0].start, rivals[0].end)
                raise self._unsound(
                    "SV027",
                    f"{shape.what} has only one of {_listed(shape.exactly_one)}",
                    rivals[1],
                    "make two of it",
                    (Related("the first is here", first),),
                )

    def _wrong(
        self, node: Node, key: Scalar | None, wanted: str, fix: str | None = None
    ) -> Unsound:
        message = f"{_subject(key)} must be {wanted}, not {describe(node)}"
        return self._unsound("SV020", message, node, fix)

    def _unsound(
        self,
        code: str,
        message: str,
        node: Node,
        fix: str | None = None,
        related: Iterable[Related] = (),
    ) -> Unsound:
        self._report(code, message, node, fix, related)
        return Unsound()

    def _report(
        self,
        code: str,
        message: str,
        node: Node,
        fix: str | None = None,
        related: Iterable[Related] = (),
    ) -> None:
        where = self.source.location(node.start, node.end)
        self.findings.report(code, message, where, fix, related)


# No table of bound methods in the checker: it would hold itself, and with it the file's text.
_CHECKS: dict[type, Callable[[Checker, Any, Any, Scalar | None], Checked]] = {
    Text: Checker._text,
    Flag: Checker._flag,
    Number: Checker._number,
    Anything: Checker._anything,
    ListOf: Checker._list,
    MapOf: Checker._map,
    Record: Checker._record,
    Either: Checker._either,
}


def describe(node: Node) -> str:
    """What a node is, in words."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    value = node.value
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return quoted(node.text)
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    return f"the number {quoted(node.text)}"


def _subject(key: Scalar | None) -> str:
    return "the file" if key is None else quoted(key.text)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(quoted, names))


@lru_cache(maxsize=64)
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
