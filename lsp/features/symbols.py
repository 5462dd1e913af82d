"""What a document holds, as a tree: sections, their entries, arguments, values; a trace's spans."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.index.model import DocumentIndex, Kind, Occurrence
from stalwart_lang.lsp.kept import Kept
from stalwart_lang.lsp.traces.documents import answer_of_trace, is_trace

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

SYMBOL_KINDS: Mapping[Kind, types.SymbolKind] = {
    "tool": types.SymbolKind.Function,
    "slot": types.SymbolKind.Field,
    "thing": types.SymbolKind.Class,
    "list": types.SymbolKind.Enum,
    "member": types.SymbolKind.EnumMember,
    "unit": types.SymbolKind.Struct,
    "rule": types.SymbolKind.Operator,
    "fact": types.SymbolKind.Boolean,
    "agent": types.SymbolKind.Object,
    "file": types.SymbolKind.File,
    "module": types.SymbolKind.Module,
}
_LONGEST = 80


def register(server: "Server") -> None:
    """Serve `textDocument/documentSymbol`."""
    trees = Kept(symbols_of)
    server.on_change(lambda uri: None if server.project.is_open(uri) else trees.forget(uri))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def answer(
        params: types.DocumentSymbolParams,
    ) -> Sequence[types.DocumentSymbol] | Sequence[types.SymbolInformation] | None:
        uri = params.text_document.uri
        if is_trace(uri):
            found: list[types.DocumentSymbol] = await answer_of_trace(server, "symbols", params)
            return found
        index = server.project.index(uri)
        if index is None:
            return None
        if server.can("text_document.document_symbol.hierarchical_document_symbol_support"):
            return trees.of(index)
        return [*_flat(trees.of(index), uri)]


class _Tree:
    """A symbol while what is below it is found; places are offsets."""

    def __init__(
        self, name: str, kind: types.SymbolKind, span: tuple[int, int], own: tuple[int, int]
    ) -> None:
        self.name = name
        self.kind = kind
        self.detail = ""
        self.start, self.end = min(span[0], own[0]), max(span[1], own[1])
        self.own = own
        self.below: list[_Tree] = []

    def made(self, index: DocumentIndex) -> types.DocumentSymbol:
        """The symbol for the protocol."""
        document = index.document
        return types.DocumentSymbol(
            name=self.name or "?",
            detail=self.detail or None,
            kind=self.kind,
            range=document.range(self.start, self.end),
            selection_range=document.range(*self.own),
            children=[one.made(index) for one in self.below],
        )


def symbols_of(index: DocumentIndex) -> list[types.DocumentSymbol]:
    """The trees of a vocabulary's or an agent file's symbols, in order."""
    roots = [
        _Tree(one.name, types.SymbolKind.Namespace, one.span, one.key) for one in index.sections
    ]
    inside: list[_Tree] = []  # from a section to what the last symbol is in
    places = sorted((*_names(index), *_turns(index)), key=lambda one: (one.start, -one.end))
    waiting = iter(roots)
    following = next(waiting, None)
    for one in places:
        while following is not None and following.start <= one.start:
            inside, following = [following], next(waiting, None)
        while inside and one.end > inside[-1].end:
            inside.pop()
        if inside:
            inside[-1].below.append(one)
            inside.append(one)
    return [one.made(index) for one in roots]


def _names(index: DocumentIndex) -> Iterator[_Tree]:
    about = _about_rules(index)
    seen: set[int] = set()
    for one in index.occurrences:
        if one.role == "reference" and one.kind not in ("file", "module"):
            continue
        if one.start in seen:  # an alias has it again
            continue
        seen.add(one.start)
        tree = _Tree(one.name, SYMBOL_KINDS[one.kind], one.scope, (one.start, one.end))
        if one.kind == "slot":
            tree.detail = index.types.get((one.container, one.name), "")
        elif one.kind == "rule":
            tree.detail = about.get(one.start, "")
        yield tree


def _about_rules(index: DocumentIndex) -> dict[int, str]:
    """The tool that each rule names first, by where the rule's name is."""
    found: dict[int, str] = {}
    rule: Occurrence | None = None
    for one in index.occurrences:
        if one.kind == "rule":
            rule = one
        elif rule is not None and one.kind == "tool" and one.start < rule.scope_end:
            found.setdefault(rule.start, one.name)
    return found


def _turns(index: DocumentIndex) -> Iterator[_Tree]:
    seen: set[int] = set()
    for turn in index.turns:
        if turn.number not in seen:
            seen.add(turn.number)
            words = " ".join(turn.text.split())
            name = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
            tree = _Tree(name, types.SymbolKind.String, turn.entry, (turn.start, turn.end))
            tree.detail = turn.expects
            yield tree


def _flat(
    trees: Sequence[types.DocumentSymbol], uri: str, above: str | None = None
) -> Iterator[types.SymbolInformation]:
    for tree in trees:
        place = types.Location(uri=uri, range=tree.range)
        yield types.SymbolInformation(
            name=tree.name, kind=tree.kind, location=place, container_name=above
        )
        yield from _flat(tree.children or (), uri, tree.name)
