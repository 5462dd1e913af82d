"""Document symbols of a trace: its runs as trees of spans."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.traces.explaining import duration_of
from stalwart_lang.lsp.traces.outline import SPANS, Outline, Row, outline
from stalwart_lang.lsp.traces.words import Words, words_of

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

_KINDS: Mapping[str, types.SymbolKind] = {
    "run": types.SymbolKind.Module,
    "node": types.SymbolKind.Namespace,
    "plan": types.SymbolKind.String,
    "model": types.SymbolKind.Interface,
    "check": types.SymbolKind.Operator,
    "tool": types.SymbolKind.Function,
    "undo": types.SymbolKind.Method,
    "rollback": types.SymbolKind.Event,
    "rewind": types.SymbolKind.Event,
    "interrupt": types.SymbolKind.Event,
    "resume": types.SymbolKind.Event,
}


async def answer(
    server: "Server", params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
    """Answer `textDocument/documentSymbol` in a trace."""
    document = server.project.document(params.text_document.uri)
    if document is None:
        return None
    words = words_of(server.project.configuration.language)
    trees = await server.run(symbols_of, document.text, words)
    if server.can("text_document.document_symbol.hierarchical_document_symbol_support"):
        return trees
    return [*_flat(trees, params.text_document.uri)]


def symbols_of(text: str, words: Words) -> list[types.DocumentSymbol]:
    """Return the trees of a trace's spans; of a large one, and that it is, the first."""
    found = outline(text)
    trees = [_symbol(row, words) for run in found.runs for row in run.roots]
    return trees if found.whole else [*trees, _left_out(found, words.spans_left_out, SPANS)]


def _symbol(row: Row, words: Words) -> types.DocumentSymbol:
    told = [row.detail]
    if row.open:
        told.append(words.outcomes["open"])
    elif row.duration_ms is not None:
        told.append(duration_of(row.duration_ms, words))
    if row.failed:
        told.append(row.error or words.outcomes["failed"])
    own = types.Range(
        start=types.Position(line=row.line, character=0),
        end=types.Position(line=row.line, character=row.length),
    )
    end = own.end if row.last == row.line else types.Position(line=row.last + 1, character=0)
    return types.DocumentSymbol(
        name=_name(row),
        detail=" · ".join(filter(None, told)),
        kind=_KINDS.get(row.kind, types.SymbolKind.Object),
        range=types.Range(start=types.Position(line=row.first, character=0), end=end),
        selection_range=own,
        children=[_symbol(child, words) for child in row.below],
    )


def _name(row: Row) -> str:
    if row.title == row.name:
        return row.title or "?"
    return f"{row.name.removeprefix('stalwart.').partition(' ')[0]} {row.title}"


def _left_out(found: Outline, said: str, count: int) -> types.DocumentSymbol:
    place = types.Position(line=found.last_line, character=0)
    there = types.Range(start=place, end=place)
    return types.DocumentSymbol(
        name=said.format(n=count), kind=types.SymbolKind.Null, range=there, selection_range=there
    )


def _flat(
    trees: list[types.DocumentSymbol], uri: str, above: str | None = None
) -> Iterator[types.SymbolInformation]:
    for tree in trees:
        place = types.Location(uri=uri, range=tree.selection_range)
        yield types.SymbolInformation(
            name=tree.name, kind=tree.kind, location=place, container_name=above
        )
        yield from _flat([*(tree.children or ())], uri, tree.name)
