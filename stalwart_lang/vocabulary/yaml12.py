"""YAML to positioned nodes, with the scalars of YAML 1.2 and nothing else of YAML's surprises.

The text is parsed by libyaml, through the C parser of PyYAML; nodes are built here from its
events, since its own composer recurses in C (deep nesting ends the process), follows aliases
without limit, and its resolver knows YAML 1.1 only. Scalars follow the core schema of YAML 1.2.2,
section 10.3, but a number with a leading zero stays text: `012` must not become another number.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from stalwart_lang.diagnostics import Findings, Related, quoted
from stalwart_lang.vocabulary.source import Source

if TYPE_CHECKING:
    from yaml import CSafeLoader

MAX_DEPTH = 64
"""Collections inside one another; the vocabulary's format needs nine."""
MAX_ALIASED = 100_000
"""Nodes that aliases may add to a file, counted as if each were written out."""
MAX_NUMBER = 1_000
"""Characters of a number; a longer one stays text."""

_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    ".nan": Decimal("nan"),
    ".NaN": Decimal("nan"),
    ".NAN": Decimal("nan"),
    **{sign + word: Decimal("inf") for sign in ("", "+") for word in (".inf", ".Inf", ".INF")},
    **{"-" + word: Decimal("-inf") for word in (".inf", ".Inf", ".INF")},
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,6})?")
# A plain scalar that begins otherwise is text.
_MAYBE_NOT_TEXT = frozenset("-+.0123456789~nNtTfF")

_FORBIDDEN = re.compile(
    r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
# All that libyaml takes for the beginning of a line.
_DIRECTIVE = re.compile(r"(?:\A|(?<=[\n\r\x85\u2028\u2029]))%[^\n\r]*")
_BARE_SLOT = re.compile(r"[\w}] *\{")
_TAG = re.compile(r"!(?:<[^>\s]*>|[^\s,\[\]{}]*)")

NodeValue: TypeAlias = str | int | Decimal | bool | None


def resolve(text: str) -> NodeValue:
    """The value of a plain (unquoted) scalar; numbers with a point are `decimal.Decimal`."""
    if text and text[0] not in _MAYBE_NOT_TEXT:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if len(text) > MAX_NUMBER:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEXADECIMAL.fullmatch(text):
        return int(text[2:], 16)
    if _FLOAT.fullmatch(text):
        return Decimal(text)
    return text


@dataclass(slots=True, eq=False)
class Scalar:
    """A scalar; `start` and `end` are offsets in code points, quotes included."""

    text: str
    plain: bool
    start: int
    end: int

    @property
    def value(self) -> NodeValue:
        """What it stands for: quoted scalars are text."""
        return resolve(self.text) if self.plain else self.text


@dataclass(slots=True, eq=False)
class Sequence:
    """A list and its items."""

    start: int
    end: int
    items: list["Node"] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Mapping:
    """A mapping and its entries in order, no key twice."""

    start: int
    end: int
    entries: list[tuple[Scalar, "Node"]] = field(default_factory=list)


Node: TypeAlias = Scalar | Sequence | Mapping


def plain_value(node: Node) -> Any:
    """The node as plain values: dict (text keys), list, str, int, Decimal, bool, None.

    An alias gives the same object wherever it is used.
    """
    if isinstance(node, Scalar):
        return node.value
    seen: dict[int, Any] = {}

    def convert(node: Node) -> Any:
        if isinstance(node, Scalar):
            return node.value
        if id(node) not in seen:
            if isinstance(node, Sequence):
                seen[id(node)] = [convert(item) for item in node.items]
            else:
                seen[id(node)] = {key.text: convert(value) for key, value in node.entries}
        return seen[id(node)]

    return convert(node)


def compose(source: Source, findings: Findings) -> Node | None:
    """Parse one file, without a byte order mark; None where nothing could be made of it.

    Raises ImportError where PyYAML was built without libyaml, and TooMany.
    """
    from yaml import YAMLError

    composer = _Composer(source, findings)
    try:
        composer.refuse_forbidden()
        root = composer.document()
    except _Fatal:
        return None
    except YAMLError as error:
        composer.syntax_error(error)
        return None
    if root is None:
        findings.report("SV011", "the file is empty", source.location(0, 0))
    return root


def _parser(text: str) -> "CSafeLoader":
    try:
        from yaml import CSafeLoader
    except ImportError as missing:
        raise ImportError(
            "stalwart-lang needs PyYAML with libyaml, and this PyYAML was built without it"
        ) from missing
    return CSafeLoader(text)


class _Fatal(Exception):
    """Nothing after this place can be read."""


class _Composer:
    """Builds the nodes of one file from the parser's events, on a stack of its own."""

    def __init__(self, source: Source, findings: Findings) -> None:
        self.source = source
        self.findings = findings
        self.anchors: dict[str, Node] = {}
        self.open: set[int] = set()
        self.sizes: dict[int, int] = {}
        self.aliased = 0

    def refuse_forbidden(self) -> None:
        """Refuse what must not reach the parser: characters outside YAML, and directives.

        `%TAG` directives cost libyaml time quadratic in their number.
        """
        found = _FORBIDDEN.search(self.source.text)
        if found:
            raise self._fatal(
                "SV005",
                f"the character U+{ord(found.group()):04X} is not allowed in YAML",
                found.start(),
                found.end(),
                "remove it, or write it as an escape between double quotes",
            )
        found = _DIRECTIVE.search(self.source.text) if "%" in self.source.text else None
        if found:
            raise self._fatal(
                "SV008",
                f"{quoted(found.group())} is a YAML directive, and there are none here",
                found.start(),
                found.end(),
                "remove the line",
            )

    def document(self) -> Node | None:
        from yaml import (
            AliasEvent,
            DocumentStartEvent,
            MappingEndEvent,
            MappingStartEvent,
            ScalarEvent,
            SequenceEndEvent,
            SequenceStartEvent,
            StreamEndEvent,
        )

        next_event: Callable[[], Any] = _parser(self.source.text).get_event
        root: Node | None = None
        # The collection that is open: its node, what a mapping's next scalar or collection is
        # (`expects_value`) and the key that waits for it, and its size written out. The
        # collections around it are on the stack.
        stack: list[tuple[Mapping | Sequence | None, bool, Scalar | None, int]] = []
        top: Mapping | Sequence | None = None
        expects_value = False
        key: Scalar | None = None
        size = 0
        while True:
            event = next_event()
            kind = event.__class__
            node: Node
            if kind is ScalarEvent:
                node = Scalar(
                    event.value, event.implicit[0], event.start_mark.index, event.end_mark.index
                )
                size += 1
            elif kind is MappingStartEvent:
                node = Mapping(event.start_mark.index, event.end_mark.index)
            elif kind is SequenceStartEvent:
                node = Sequence(event.start_mark.index, event.end_mark.index)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                assert top is not None
                top.end = event.end_mark.index
                if isinstance(top, Mapping):
                    self._drop_duplicates(top)
                if self.anchors:
                    self.open.discard(id(top))
                    self.sizes[id(top)] = size
                inner = size
                top, expects_value, key, size = stack.pop()
                size += inner
                continue
            elif kind is AliasEvent:
                node = self._alias(event)
                size += self.sizes.get(id(node), 1)
            elif kind is StreamEndEvent:
                return root
            elif kind is DocumentStartEvent and root is not None:
                raise self._at("SV006", "a second document begins; only one is read", event)
            else:
                continue

            if kind is not AliasEvent and (event.anchor is not None or event.tag is not None):
                self._properties(event, node)
            if isinstance(top, Sequence):
                top.items.append(node)
            elif top is None:
                root = node
            elif expects_value:
                expects_value = False
                if key is not None:
                    top.entries.append((key, node))
            else:
                expects_value = True
                key = node if isinstance(node, Scalar) else None
                if key is None:
                    self._report("SV020", "a key must be text", node.start, node.end)

            if kind is MappingStartEvent or kind is SequenceStartEvent:
                if len(stack) == MAX_DEPTH:
                    raise self._at("SV010", f"nested more than {MAX_DEPTH} deep", event)
                if self.anchors:
                    self.open.add(id(node))
                stack.append((top, expects_value, key, size))
                assert not isinstance(node, Scalar)
                top, expects_value, key, size = node, False, None, 1

    def _drop_duplicates(self, mapping: Mapping) -> None:
        if len({key.text for key, _ in mapping.entries}) == len(mapping.entries):
            return
        firsts: dict[str, Scalar] = {}
        kept = []
        for key, value in mapping.entries:
            if key.text not in firsts:
                firsts[key.text] = key
                kept.append((key, value))
                continue
            first = firsts[key.text]
            self._report(
                "SV007",
                f"the key {quoted(key.text)} is here twice",
                key.start,
                key.end,
                "remove one of them or give it another name",
                (Related("the first is here", self.source.location(first.start, first.end)),),
            )
        mapping.entries = kept

    def _properties(self, event: Any, node: Node) -> None:
        """Remember an anchor; refuse a tag."""
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        if event.tag is None:
            return
        # The event begins at its tag, or at the anchor before it.
        found = _TAG.search(self.source.text, event.start_mark.index)
        start, end = found.span() if found else (node.start, node.end)
        self._report(
            "SV008",
            f"the tag {quoted(self.source.text[start:end])} has no meaning here",
            start,
            end,
            "remove the tag; to make a value text, put it between quotes",
        )

    def _alias(self, event: Any) -> Node:
        node = self.anchors.get(event.anchor)
        name = quoted(event.anchor)
        if node is None:
            raise self._at("SV009", f"no anchor {name} stands before this alias", event)
        if id(node) in self.open:
            raise self._at("SV009", f"the alias {name} stands inside its own anchor", event)
        self.aliased += self.sizes.get(id(node), 1)
        if self.aliased > MAX_ALIASED:
            message = f"written out, the aliases add more than {MAX_ALIASED:,} values"
            raise self._at("SV009", message, event)
        return node

    def syntax_error(self, error: Any) -> None:
        """Report what the parser could not parse."""
        text = self.source.text
        mark = getattr(error, "problem_mark", None)
        at = min(mark.index, len(text)) if mark else 0
        problem = getattr(error, "problem", None) or "it cannot be parsed"
        context = getattr(error, "context", None)
        message = f"this is not YAML: {problem}" + (f" ({context})" if context else "")
        fix = None
        begin = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
        if text[at : at + 1] == "\t":
            fix = "indent with blanks, not with a tab"
        elif _BARE_SLOT.search(text, begin, at + 1):
            fix = 'put a phrase with braces between quotes: "merge {source} into {target}"'
        self._report("SV004", message, at, min(at + 1, len(text)), fix)

    def _at(self, code: str, message: str, event: Any) -> "_Fatal":
        start, end = event.start_mark.index, event.end_mark.index
        return self._fatal(code, message, start, end)

    def _fatal(
        self, code: str, message: str, start: int, end: int, fix: str | None = None
    ) -> "_Fatal":
        self._report(code, message, start, end, fix)
        return _Fatal()

    def _report(
        self,
        code: str,
        message: str,
        start: int,
        end: int,
        fix: str | None = None,
        related: tuple[Related, ...] = (),
    ) -> None:
        self.findings.report(code, message, self.source.location(start, end), fix, related)
