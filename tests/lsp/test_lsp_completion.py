"""Completion: the place by the text alone, what can stand there, and through the server."""

from collections.abc import Callable
from pathlib import Path

import pytest
from editor import ENCODINGS, capabilities, editing
from lsprotocol import types

from stalwart_lang.lsp.completion.place import place_at
from stalwart_lang.lsp.documents import Document, uri_of
from stalwart_lang.lsp.features.completion import completion, resolved
from stalwart_lang.lsp.workspace import Project

HERE = "¦"


def parted(text: str) -> tuple[str, int]:
    at = text.index(HERE)
    return text[:at] + text[at + 1 :], at


@pytest.mark.parametrize(
    ("text", "path", "role", "before"),
    [
        ("¦", (), "key", ""),
        ("tools:\n  a:\n    wri¦", ("tools", "a"), "key", "wri"),
        ("tools:\n  a:\n    undo: re¦f\n", ("tools", "a", "undo"), "value", "re"),
        ("tools:\n  ¦", ("tools",), "key", ""),
        ("tools:\n  a: {writes: true, ¦}", ("tools", "a"), "key", ""),
        ("rules:\n  r: {tool: ¦}", ("rules", "r", "tool"), "value", ""),
        ("tools:\n  a:\n    say: {en: [b {¦]}", ("tools", "a", "say", "en", 0), "value", "b {"),
        ('tools:\n  a:\n    say: {en: ["b {¦\n  c: {}\n',
         ("tools", "a", "say", "en", 0), "value", "b {"),
        ("tools:\n  a:\n    say: {en: [charge\n    ¦", ("tools", "a"), "key", ""),
        ("rules:\n  r:\n    requires:\n      - ¦", ("rules", "r", "requires", 0), "key", ""),
        ("turns:\n- say:\n    en: [\"a\",\n         \"b ¦\"]",
         ("turns", 0, "say", "en", 1), "value", "b "),
        ("turns:\n  - say: {en: hi}\n    plan: [{pay: {a: 1, ¦}}]",
         ("turns", 0, "plan", 0, "pay"), "key", ""),
        ("tools:\r\n  a:\r\n    undo: \u2028é🎈¦\r\n",
         ("tools", "a", "undo"), "value", "\u2028é🎈"),
        ("settings:\n  currency: B¦", ("settings", "currency"), "value", "B"),
    ],
)  # fmt: skip
def test_places_are_told_by_the_text_alone(text, path, role, before):
    text, at = parted(text)
    place = place_at(Document("file:///x.yaml", 1, text), at)
    assert place is not None
    assert (place.path, place.role, place.before) == (path, role, before)


@pytest.mark.parametrize("text", ["# a ¦", "tools:\n  a: # b ¦\n", "turns:\n  - say: {} # ¦"])
def test_nothing_is_typed_in_comments(text):
    text, at = parted(text)
    assert place_at(Document("file:///x.yaml", 1, text), at) is None


def completed(
    text: str, language_id: str = "stalwart", *, snippets: bool = False, trigger: str = ""
) -> tuple[list[str], Callable[[str], str], Project, types.CompletionList]:
    """The labels, and what the text is after one of them is taken."""
    text, at = parted(text)
    project, uri = Project(), uri_of("/nowhere/x.yaml")
    document = Document(uri, 1, text)
    project.open(document, language_id)
    found = completion(
        project, uri, document.position(at), snippets=snippets, trigger=trigger
    ) or types.CompletionList(is_incomplete=False, items=[])

    def taken(label: str) -> str:
        edit = next(one.text_edit for one in found.items if one.label == label)
        assert isinstance(edit, types.TextEdit)
        start, end = document.offset(edit.range.start), document.offset(edit.range.end)
        assert start <= at <= end
        return text[:start] + edit.new_text + text[end:]

    return [one.label for one in found.items], taken, project, found


SHOP = """\
vocabulary: shop
things: {order: {en: [order], pt-BR: [pedido]}, no: {en: [nothing]}}
values: {status: {open: {en: [open]}, late: {en: [late]}}}
units: {kilo: {en: [kilo]}}
tools:
  pay:
    takes: {order_id: order, state: optional status}
    say: {en: [charge], pt-BR: [pôr]}
  refund:
    takes: {order_id: order}
rules:
  r: {tool: refund, requires: [supervisor]}
"""


@pytest.mark.parametrize(
    ("more", "wanted", "unwanted"),
    [
        ("  s:\n    tool: ¦", {"pay", "refund"}, {"order"}),
        ("  s:\n    tool: pay\n    ¦", {"never", "when", "at_most"}, {"tool"}),
        ("  s: {tool: pay, requires: [¦", {"supervisor"}, {"pay"}),
        ("  s: {tool: pay, when: {¦}}", {"order_id", "state"}, {"tool"}),
        ("  s: {tool: pay, when: {state: {one_of: [¦]}}}", {"open", "late"}, {"order"}),
        ("  s: {tool: pay, never: ¦}", {"true", "false"}, set()),
        ("turns:\n  - ¦", {"say", "plan", "unread"}, set()),
        ("turns:\n  - say: {en: hi}\n    plan: []\n    ¦", {"now"}, {"say", "plan", "unread"}),
        ("turns:\n  - say: {en: hi}\n    unread: ¦", {"any", "negation"}, set()),
        ("turns:\n  - say: {en: hi}\n    plan: [{¦}]", {"pay", "refund"}, {"say"}),
        ("turns:\n  - say: {en: hi}\n    plan: [{pay: {order_id: 1, ¦}}]",
         {"state"}, {"order_id", "pay"}),
        ("turns:\n  - say: {en: hi}\n    plan: [{pay: {state: ¦}}]", {"open", "late"}, set()),
        ("turns:\n  - say: {en: hi}\n    incomplete: ¦", {"order_id", "state"}, {"pay"}),
        ('turns:\n  - say: {en: "¦"}', {"charge", "order", "late"}, {"pôr"}),
        ("settings:\n  currency: ¦", {"USD", "BRL"}, {"XXX"}),
        ("settings:\n  timezone: America/Sa¦", {"America/Sao_Paulo"}, {"Europe/Berlin"}),
        ("settings:\n  language: ¦", {"en", "pt-BR"}, set()),
        ("¦", {"turns", "settings", "include"}, {"tools", "rules", "vocabulary"}),
    ],
)  # fmt: skip
def test_what_can_stand_is_offered(more, wanted, unwanted):
    labels = set(completed(SHOP + more)[0])
    assert wanted <= labels
    assert not unwanted & labels


@pytest.mark.parametrize(
    ("old", "new", "label", "after"),
    [
        ("optional status", "optional status or or¦", "order", "optional status or order"),
        ("optional status", "quantity of ¦", "kilo", "quantity of kilo"),
        ("state: optional status", "state: n¦", "no", 'state: "no"'),
        ("en: [charge]", 'en: ["charge {or¦"]', "order_id", 'en: ["charge {order_id}"]'),
        ("en: [charge]", 'en: ["charge {or¦}"]', "order_id", 'en: ["charge {order_id}"]'),
        ("pt-BR: [pôr]", "pt-BR: [lan¦car]", "lançar", "pt-BR: [lançar]"),
        ("refund:\n", "refund:\n    und¦\n", "undo", "refund:\n    undo: \n"),
        ("refund:\n", "refund:\n    und¦: pay\n", "undo", "refund:\n    undo: pay\n"),
        ("r: {tool: refund", "r: {tool: ref¦und", "pay", "r: {tool: pay"),
        ("requires: [supervisor]", "requires:\n      ¦", "supervisor", "requires:\n      - sup"),
    ],
)  # fmt: skip
def test_what_is_taken_stands_in_the_place_of_the_word(old, new, label, after):
    text = SHOP.replace(old, new, 1)
    if old.startswith("requires"):
        text = text.replace("r: {tool: refund, ", "r:\n    tool: refund\n    ").replace("¦}", "¦")
        text += "  s: {tool: pay, requires: [supervisor]}\n"
    labels, taken, _, _ = completed(text)
    assert label in labels
    assert after in taken(label)


def test_an_empty_file_is_offered_a_whole_vocabulary_that_is_sound():
    labels, taken, _, _ = completed("¦", snippets=True)
    assert labels[:2] == ["a vocabulary", "an agent"]
    assert "tools:" in taken("a vocabulary")
    assert "a tool" in completed("vocabulary: x\ntools:\n  ¦\n", snippets=True)[0]
    assert "a tool" not in completed("vocabulary: x\ntools:\n  ¦\n")[0]


def test_files_of_others_are_left_alone():
    assert completed("apiVersion: v1\nki¦\n", "yaml")[0] == []


def test_a_blank_between_words_offers_nothing():
    assert completed(SHOP.replace("[charge]", '["charge ¦"]'), trigger=" ")[0] == []
    assert completed(SHOP.replace("[charge]", '["charge {¦"]'), trigger="{")[0] != []
    assert "pay" in completed(SHOP + "  s:\n    tool: ¦", trigger=" ")[0]


def test_items_say_what_they_are_when_asked():
    _, _, project, found = completed(SHOP + "  s:\n    tool: ¦")
    item = next(one for one in found.items if one.label == "pay")
    assert item.documentation is None
    shown = resolved(project, item).documentation
    assert isinstance(shown, types.MarkupContent)
    assert "order_id: order" in shown.value
    _, _, project, found = completed(SHOP + "  s:\n    ¦")
    item = next(one for one in found.items if one.label == "never")
    assert resolved(project, item).documentation == "The tool is refused."


def test_agent_files_complete(tmp_path):
    text = "agents:\n  desk: {tools: [¦]}\nvocabulary: shop\ntools: [{python: t}]\n"
    assert "charge_card" in completed(text)[0]
    (tmp_path / "mine.yaml").write_text("vocabulary: m\n", encoding="utf-8")
    (tmp_path / "things.py").write_text("", encoding="utf-8")
    project, uri = Project(), uri_of(tmp_path / "agent.yaml")
    for text, wanted in (
        ("agents: {d: {}}\nvocabulary: ¦\n", {"shop", "pix", "./mine.yaml"}),
        ("agents: {d: {}}\ntools:\n  - python: ¦\n", {"things"}),
        ("agents: {d: {}}\nruns: ¦\n", {"atomic", "best_effort"}),
    ):
        text, at = parted(text)
        document = Document(uri, 1, text)
        project.open(document, "yaml")
        found = completion(project, uri, document.position(at))
        assert found is not None
        assert wanted <= {one.label for one in found.items}


@pytest.mark.asyncio
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
async def test_through_the_server(encoding: str, line_break: str, tmp_path: Path):
    text = SHOP.replace("[charge]", '["🎈 ação\u2028{or"]').rstrip("\n").replace("\n", line_break)
    uri = (tmp_path / "shop.yaml").as_uri()
    declared = capabilities(encoding)
    assert declared.text_document is not None
    declared.text_document.completion = types.CompletionClientCapabilities(
        completion_item=types.ClientCompletionItemOptions(
            snippet_support=True, documentation_format=[types.MarkupKind.Markdown]
        )
    )
    async with editing(tmp_path, encoding, declared=declared) as editor:
        options = editor.capabilities.completion_provider
        assert options is not None
        assert options.resolve_provider
        editor.open(uri, text)
        where = editor.at(uri, "\u2028{or", 4)
        found = await editor.client.text_document_completion_async(types.CompletionParams(**where))
        assert isinstance(found, types.CompletionList)
        item = next(one for one in found.items if one.label == "order_id")
        edit = item.text_edit
        assert isinstance(edit, types.TextEdit)
        start = text.index("\u2028{or") + 2
        assert edit.range == editor.range(uri, start, start + 2)
        assert edit.new_text == "order_id}"
        whole = await editor.client.completion_item_resolve_async(item)
        assert isinstance(whole.documentation, types.MarkupContent)
        editor.edit(uri, len(text), len(text), f"{line_break}  s: {{tool: ")  # broken, at the end
        last = editor.position(uri, len(editor.texts[uri]))
        which = types.TextDocumentIdentifier(uri=uri)
        found = await editor.client.text_document_completion_async(
            types.CompletionParams(text_document=which, position=last)
        )
        assert isinstance(found, types.CompletionList)
        assert {"pay", "refund"} <= {one.label for one in found.items}
