"""Completion in vocabularies and agent files; an item is explained when it is looked at."""

from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.completion.candidates import (
    Candidate,
    Known,
    Sort,
    candidates,
    plain,
    root_shape,
)
from stalwart_lang.lsp.completion.place import Place, place_at
from stalwart_lang.lsp.documents import same_uri
from stalwart_lang.lsp.explaining.keys import meaning
from stalwart_lang.lsp.explaining.words import language_for
from stalwart_lang.lsp.index.model import DocumentIndex, Kind
from stalwart_lang.lsp.workspace import Project
from stalwart_lang.vocabulary.model import Language

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

_TRIGGERS = ("{", " ", '"', "[", "/")
_MOST_LINES = 14
_KINDS: dict[Sort, types.CompletionItemKind] = {
    "key": types.CompletionItemKind.Property,
    "name": types.CompletionItemKind.Reference,
    "value": types.CompletionItemKind.EnumMember,
    "word": types.CompletionItemKind.Text,
    "file": types.CompletionItemKind.File,
    "snippet": types.CompletionItemKind.Snippet,
    "slot": types.CompletionItemKind.Variable,
}


def register(server: "Server") -> None:
    """Serve `textDocument/completion` and `completionItem/resolve`."""
    options = types.CompletionOptions(trigger_characters=list(_TRIGGERS), resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    def complete(params: types.CompletionParams) -> types.CompletionList | None:
        uri = same_uri(params.text_document.uri)
        context = params.context
        return completion(
            server.project,
            uri,
            params.position,
            snippets=server.can("text_document.completion.completion_item.snippet_support"),
            trigger=(context.trigger_character or "") if context else "",
        )

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    def resolve(item: types.CompletionItem) -> types.CompletionItem:
        data = item.data
        uri = same_uri(str(data.get("uri", ""))) if isinstance(data, dict) else ""
        language = language_for(server, uri)
        return resolved(server.project, item, language, markdown=_shows_markdown(server))


def _shows_markdown(server: "Server") -> bool:
    asked = server.client_capabilities.text_document
    item = asked.completion.completion_item if asked and asked.completion else None
    return types.MarkupKind.Markdown in ((item and item.documentation_format) or ())


def completion(
    project: Project,
    uri: str,
    position: types.Position,
    *,
    snippets: bool = False,
    trigger: str = "",
) -> types.CompletionList | None:
    """What can stand at a position; None where nothing can, or the document is not ours."""
    group = project.around(uri)
    if not group:
        return None
    index = group[0]
    if index.kind == "other" and index.document.text.strip():
        return None
    place = place_at(index.document, index.document.offset(position))
    if place is None or (trigger == " " and not _wanted(place)):
        return None
    known = Known(
        index,
        group,
        lambda kind, container: project.names_in(group, kind, container),
        snippets,
    )
    found, more = candidates(place, known)
    items = [_item(index, place, one, number) for number, one in enumerate(found)]
    return types.CompletionList(is_incomplete=more, items=items)


def _wanted(place: Place) -> bool:
    """Whether a blank was typed where it begins a value, and not just between words."""
    if place.role == "key":
        return place.flow or place.dash
    return not place.before.strip() or "takes" in place.path


def _item(index: DocumentIndex, place: Place, one: Candidate, number: int) -> types.CompletionItem:
    snippet = types.InsertTextFormat.Snippet if one.snippet else None
    filter_text = plain(one.label)
    if one.sort == "snippet":
        filter_text = index.document.text[one.start : one.end] or one.label
    typed = index.document.text[one.start : place.start + len(place.before)]
    if plain(typed) != typed.lower():
        filter_text = one.label  # its accents are typed
    return types.CompletionItem(
        label=one.label,
        kind=_KINDS[one.sort],
        sort_text=f"{number:04}",
        filter_text=filter_text,
        insert_text_format=snippet,
        text_edit=types.TextEdit(range=index.document.range(one.start, one.end), new_text=one.new),
        data={"uri": index.uri, "about": list(one.about)} if one.about else None,
    )


def resolved(
    project: Project,
    item: types.CompletionItem,
    language: Language = "en",
    *,
    markdown: bool = True,
) -> types.CompletionItem:
    """An item with what it says of itself: a key's meaning, or how a name is declared."""
    data = item.data
    if not isinstance(data, dict) or not isinstance(data.get("about"), list):
        return item
    uri, about = str(data.get("uri", "")), [str(one) for one in data["about"]]
    index = project.index(uri)
    if index is None or not about:
        return item
    if about[0] == "key":
        path = (int(step) if step.isdigit() else step for step in about[1:])
        item.documentation = meaning(root_shape(index), tuple(path), language)
    elif len(about) == 3:
        item.documentation = _declaration(project, uri, about, markdown)
    return item


def _declaration(
    project: Project, uri: str, about: list[str], markdown: bool
) -> types.MarkupContent | None:
    kinds: tuple[Kind, ...] = ("tool", "slot", "thing", "list", "member", "unit", "rule", "fact")
    for kind in kinds:
        if kind != about[0]:
            continue
        for one in project.definitions(uri, kind, about[2], about[1]):
            document = project.document(one.uri)
            if document is None:
                continue
            start, end = one.scope
            start = (
                document.line_span(document.line_of(start))[0]
                if "\n" in document.text[start:end]
                else start
            )
            lines = document.text[start:end].splitlines()[:_MOST_LINES]
            if not markdown:
                return types.MarkupContent(kind=types.MarkupKind.PlainText, value="\n".join(lines))
            fence = "`" * (3 + max((line.count("`") for line in lines), default=0))
            value = "\n".join((f"{fence}yaml", *lines, fence))
            return types.MarkupContent(kind=types.MarkupKind.Markdown, value=value)
    return None
