"""Rename: the files mean the same under the new name, or it is refused."""

import asyncio
import dataclasses
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from editor import ENCODINGS, Editor, capabilities, editing
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from stalwart_lang.lsp.documents import Document, uri_of
from stalwart_lang.lsp.features.links import links_of
from stalwart_lang.lsp.index.targets import shipped_uri
from stalwart_lang.lsp.renaming import RENAMED, Refused, applied, rename, renamed_at
from stalwart_lang.lsp.workspace import Project
from stalwart_lang.vocabulary.load import load_vocabulary

SHIPPED = ("shop", "pix", "agenda")
NEW = "xq9_new"
"""A name that is part of nothing else, so that it can be changed back wherever it is."""

COMMON = (
    "vocabulary: comum\n"
    "things: {order: {en: [order], pt-BR: [pedido]}}\n"
    "values:\n  status: {'open': {en: [open 🛒]}, late: {en: [late]}, 'do mês': {en: [monthly]}}\n"
    "units: {kilo: {en: [kilo]}}\n"
)
SHOP = (
    "vocabulary: loja\n"
    "include: comum.yaml\n"
    "tools:\n"
    "  charge_card:   # 🛒 cobrança\n"
    "    undo: 'refund_card'\n"
    '    takes: {"order_id": order, amount: {type: optional money or quantity of kilo},\n'
    "      state: optional status or integer}\n"
    "    say:\n"
    '      en: [charge, "charge \\"a\\" \\u007b order_id } with {amount}"]\n'
    "      pt-BR: ['cobrar d''água {order_id}']\n"
    "  refund_card: {takes: {order_id: 'order', amount: optional money}, "
    'say: {en: "refund {order_id}"}}\n'
    "rules:\n"
    "  não-tarde: {tool: charge_card, when: {state: {one_of: [late, open, 'do mês']}}, "
    "requires: [gerente]}\n"
    "  later: {tool: refund_card, after: charge_card}\n"
    "turns:\n"
    "  - say: {en: 'charge order 1, 🛒'}\n"
    "    plan: [{charge_card: {order_id: 1, state: late}}]\n"
    "  - {say: {en: refund}, incomplete: order_id}\n"
)
AGENT = (
    'agents: {desk: {tools: [charge_card, "refund_card"]}}\n'
    "vocabulary: ./loja.yaml\nfacts: {gerente: true}\ntools: [{python: tools}]\n"
)
FILES = {"comum.yaml": COMMON, "loja.yaml": SHOP, "agent.yaml": AGENT}
WRITTEN = {
    "as it is": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "no final newline": lambda text: text.removesuffix("\n"),
    "quoted": lambda text: re.sub(
        r"(?<=[ {\[])(?:late|charge_card|order)(?=[:,\]}]| *\n)", r'"\g<0>"', text
    ),
    "anchors": lambda text: text.replace("tool: charge_card", "tool: &tool charge_card").replace(
        "after: charge_card", "after: *tool"
    ),
}


def graph(value: Any, new: str = NEW, old: str = NEW) -> Any:
    """What a vocabulary holds but its places, with one name in the place of another."""
    if isinstance(value, str):
        return value.replace(new, old)
    if dataclasses.is_dataclass(value):
        names = [one.name for one in dataclasses.fields(value)]
        value = {name: getattr(value, name) for name in names}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        left_out = ("location", "digest", "files")
        return [
            (graph(key, new, old), graph(its, new, old))
            for key, its in value.items()
            if key not in left_out
        ]
    if isinstance(value, list | tuple):
        return [graph(one, new, old) for one in value]
    return value


def loaded(path: Path) -> Any:
    found = load_vocabulary(path)
    assert found.vocabulary is not None, found.diagnostics
    return found.vocabulary


class Shelf:
    """Files in a folder, none of them open; a rename is applied to them and taken back."""

    def __init__(self, folder: Path, files: Mapping[str, str], main: str) -> None:
        self.folder = folder
        self.main = folder / main
        self.files = dict(files)
        self.project = Project()
        self.write(self.files)
        for name in files:
            self.project.learn(folder / name)

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (self.folder / name).write_bytes(text.encode())

    def names(self) -> Iterator[tuple[str, Any]]:
        """Each name once, where it is first met."""
        seen = set()
        for name in self.files:
            index = self.project.index(uri_of(self.folder / name))
            assert index is not None
            for one in index.occurrences:
                known = one.kind in RENAMED and (one.container or one.kind != "slot")
                if known and one.key not in seen:
                    seen.add(one.key)
                    yield name, one

    def renamed(self, name: str, start: int, new: str) -> dict[str, str]:
        """The texts of all files after a rename at a place."""
        index = self.project.index(uri_of(self.folder / name))
        assert index is not None
        one = renamed_at(self.project, index, start, None)
        assert one is not None
        _, edits = rename(self.project, one, new)
        uris = {uri_of(self.folder / its): its for its in self.files}
        assert edits.keys() <= uris.keys()
        made = {uris[uri]: applied(self.files[uris[uri]], its) for uri, its in edits.items()}
        return {**self.files, **made}


@pytest.mark.parametrize("name", SHIPPED)
def test_every_name_of_the_shipped_vocabularies(name, shipped, tmp_path):
    shelf = Shelf(tmp_path, {"copy.yaml": shipped(name)}, "copy.yaml")
    before = graph(loaded(shelf.main))
    copy = tmp_path / "new.yaml"
    tried = 0
    for file, one in [*shelf.names()]:
        text = shelf.renamed(file, one.start, NEW)["copy.yaml"]
        copy.write_bytes(text.encode())
        assert graph(loaded(copy), NEW, one.name) == before, one.key
        tried += 1
    assert tried > 30


@pytest.mark.parametrize("written", WRITTEN)
def test_every_name_however_it_is_written(written, tmp_path):
    files = {name: WRITTEN[written](text) for name, text in FILES.items()}
    shelf = Shelf(tmp_path, files, "loja.yaml")
    before = graph(loaded(shelf.main))
    kinds = set()
    for file, one in [*shelf.names()]:
        made = shelf.renamed(file, one.start, NEW)
        shelf.write(made)
        try:
            assert graph(loaded(shelf.main), NEW, one.name) == before, one.key
        finally:
            shelf.write(files)
        assert made != files
        kinds.add(one.kind)
        # Nothing but the name, and quotes around it, is another.
        for name, text in made.items():
            assert text.replace(NEW, one.name).replace('"', "") == files[name].replace('"', "")
    assert kinds == set(RENAMED)


NAMES = {
    "thing": [
        "açaí",
        "🛒",
        "it's",
        'a"b',
        "no",
        "null",
        "12",
        "#x",
        "a:b",
        "- ",
        "{x}",
        "*a",
        "!t",
    ],
    "list": ["situação", "true", "&a"],
    "member": [
        "em aberto",
        "0x1f",
        "~",
        "1.5",
        "d'água",
        'o "x"',
        "a: b",
        "a #b",
        "[",
        "back\\slash",
    ],
    "unit": ["kg", "%", "@", "m²"],
    "rule": ["12", "nunca:mais", "🛒-1", "null"],
    "fact": ["é gerente", "true", "a, b", "?"],
}


@pytest.mark.parametrize("written", ["as it is", "CRLF", "quoted"])
def test_names_that_yaml_would_read_otherwise_are_quoted(written, tmp_path):
    files = {name: WRITTEN[written](text) for name, text in FILES.items()}
    shelf = Shelf(tmp_path, files, "loja.yaml")
    before = loaded(shelf.main)
    for file, one in [*shelf.names()]:
        for new in NAMES.get(one.kind, ()):
            if new != new.strip() and one.kind != "member":
                continue
            shelf.write(shelf.renamed(file, one.start, new))
            try:
                after = loaded(shelf.main)
            finally:
                shelf.write(files)
            # Under its new name it is where it was, and nothing else moved.
            shelf.write(shelf.renamed(file, one.start, NEW))
            try:
                expected = loaded(shelf.main)
            finally:
                shelf.write(files)
            assert graph(after) == graph(expected, NEW, new), (one.key, new)
    assert graph(loaded(shelf.main)) == graph(before)


def refusal(shelf: Shelf, file: str, words: str, new: str, inside: int = 0) -> str:
    with pytest.raises(Refused) as refused:
        shelf.renamed(file, shelf.files[file].index(words) + inside, new)
    for language in ("en", "pt-BR"):
        assert "{" not in refused.value.said(language).replace("{}", "")
    return refused.value.said("en")


@pytest.mark.parametrize(
    ("words", "new", "why"),
    [
        ("charge_card", "charge card", "letters without accents"),
        ("charge_card", "cobrança", "letters without accents"),
        ("charge_card", "", "letters without accents"),
        ("charge_card", "refund_card", "`refund_card` is taken in `loja.yaml`"),
        ("amount", "order_id", "`order_id` is taken"),
        ("amount", "1st", "no digit first"),
        ("order,", "an order", "without blanks"),
        ("order,", "money", "a type of the language's own"),
        ("order,", "or", "a type of the language's own"),
        ("order,", "status", "`status` is taken in `comum.yaml`"),
        ("status", "order", "`order` is taken in `comum.yaml`"),
        ("kilo", "", "without blanks"),
        ("late,", "open", "`open` is taken"),
        ("late,", "two\nlines", "on one line"),
        ("late,", " late", "on one line"),
        ("late,", "a\u2028b", "on one line"),
        ("late,", "x" * 300, "too long"),
        ("late,", "\ufeffx", "would be read otherwise"),
        ("later", "não-tarde", "`não-tarde` is taken"),
        ("comum.yaml", "x", "this cannot be renamed"),
    ],
)
def test_a_name_that_cannot_be_is_refused(words, new, why, tmp_path):
    shelf = Shelf(tmp_path, FILES, "loja.yaml")
    assert why in refusal(shelf, "loja.yaml", words, new)


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"comum.yaml": COMMON + "rules: {r: {tool: charge_card, never: [\n"}, "is not YAML"),
        ({"comum.yaml": COMMON + "tools: {charge_card: {}}\n"}, "declared twice"),
        ({"loja.yaml": SHOP.replace("refund_card: {t", "charge_card: {t")}, "declared twice"),
        ({"loja.yaml": SHOP.replace("charge_card:", "charge:")}, "declared nowhere"),
        (
            {"loja.yaml": SHOP.replace("tool: charge_card", "tool: &t charge_card, say: {en: *t}")},
            "an alias gives it another meaning",
        ),
    ],
)
def test_files_that_cannot_be_changed_safely_refuse_it_all(files, why, tmp_path):
    shelf = Shelf(tmp_path, {**FILES, **files}, "loja.yaml")
    assert why in refusal(
        shelf,
        "loja.yaml",
        "tool: &t charge_card" if "&t" in shelf.files["loja.yaml"] else "after: charge_card",
        NEW,
        9,
    )


def test_arguments_that_an_alias_makes_those_of_two_tools_are_refused(tmp_path):
    text = "vocabulary: x\ntools:\n  a: {takes: &t {one: money}}\n  b: {takes: *t}\n"
    shelf = Shelf(tmp_path, {"x.yaml": text}, "x.yaml")
    assert "an alias gives it another meaning" in refusal(shelf, "x.yaml", "one", NEW)


def test_a_file_that_is_not_utf_8_refuses_it(tmp_path):
    shelf = Shelf(tmp_path, FILES, "loja.yaml")
    (tmp_path / "comum.yaml").write_bytes(COMMON.encode().replace(b"late", b"l\xffte"))
    index = shelf.project.index(uri_of(tmp_path / "loja.yaml"))
    one = renamed_at(shelf.project, index, SHOP.index("order,"), None)
    with pytest.raises(Refused, match="unreadable"):
        rename(shelf.project, one, NEW)


def test_shipped_vocabularies_are_not_changed(tmp_path):
    text = "agents: {a: {tools: [charge_card]}}\nvocabulary: shop\ntools: []\n"
    shelf = Shelf(tmp_path, {"agent.yaml": text}, "agent.yaml")
    assert "`shop.yaml` comes with the package" in refusal(shelf, "agent.yaml", "charge_card", NEW)
    index = shelf.project.index(shipped_uri("shop"))
    assert links_of(index) == []
    with pytest.raises(Refused, match="shipped"):
        renamed_at(shelf.project, index, index.occurrences[0].start, None)


# ------------------------------------------------------------ end to end


def open_in(editor: Editor, folder: Path, name: str) -> str:
    uri = uri_of(folder / name)
    editor.open(uri, (folder / name).read_bytes().decode())
    return uri


async def asked(editor: Editor, uri: str, words: str, new: str, inside: int = 0):
    return await editor.client.text_document_rename_async(
        types.RenameParams(**editor.at(uri, words, inside), new_name=new)
    )


def after(edit: types.WorkspaceEdit, folder: Path, editor: Editor) -> dict[str, str]:
    """The texts after an edit, as an editor would apply it."""
    made = {}
    for change in edit.document_changes:
        uri = change.text_document.uri
        assert change.text_document.version == editor.versions.get(uri)
        path = folder / uri.rpartition("/")[2]
        text = editor.texts.get(uri) or path.read_bytes().decode()
        document = Document(uri, None, text, editor.encoding)
        for one in sorted(change.edits, key=lambda e: document.offset(e.range.start), reverse=True):
            start, end = document.offset(one.range.start), document.offset(one.range.end)
            text = text[:start] + one.new_text + text[end:]
        made[path.name] = text
    return made


@pytest.mark.asyncio
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_open_and_closed_files_are_changed(encoding, tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(WRITTEN["CRLF"](text).encode())
    trace = tmp_path / "run.jsonl"
    trace.write_text('{"attributes": {"gen_ai.tool.name": "charge_card"}}\n', encoding="utf-8")
    (tmp_path / "tools.py").write_text("def charge_card(): ...\n", encoding="utf-8")
    async with editing(tmp_path, encoding) as editor:
        agent = open_in(editor, tmp_path, "agent.yaml")
        uri = open_in(editor, tmp_path, "loja.yaml")
        editor.replace(uri, "# 🛒 cobrança", "# 🛒🛒 cobrança, não salva")
        made = after(await asked(editor, uri, "charge_card", "take_money"), tmp_path, editor)
        assert made == {
            "loja.yaml": editor.texts[uri].replace("charge_card", "take_money"),
            "agent.yaml": editor.texts[agent].replace("charge_card", "take_money"),
        }
        (told,) = editor.client.messages
        assert "`charge_card` in `tools.py`" in told.message
        made = after(await asked(editor, uri, "order,", "órdem"), tmp_path, editor)
        assert made["comum.yaml"].startswith("vocabulary: comum\r\nthings: {órdem: {en: [order]")
        assert 'takes: {"order_id": órdem' in made["loja.yaml"]
        assert "takes: {order_id: 'órdem'" in made["loja.yaml"]
        assert "en: 'charge order 1, 🛒'" in made["loja.yaml"]


@pytest.mark.asyncio
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_an_argument_is_changed_for_its_tool_alone(encoding, tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text.encode())
    async with editing(tmp_path, encoding) as editor:
        uri = open_in(editor, tmp_path, "loja.yaml")
        which = await editor.client.text_document_prepare_rename_async(
            types.PrepareRenameParams(**editor.at(uri, "incomplete: order_id", 14))
        )
        start = SHOP.index("incomplete: ") + 12
        assert which.placeholder == "order_id"
        assert which.range == editor.range(uri, start, start + 8)
        # The turn `refund` asks for the argument of refund_card.
        made = after(await asked(editor, uri, "incomplete: order_id", "ref", 14), tmp_path, editor)
        old = SHOP[SHOP.index("  refund_card:") :]
        refund, rest = old.split("\n", 1)
        changed = (
            refund.replace("order_id", "ref")
            + "\n"
            + rest.replace("incomplete: order_id", "incomplete: ref")
        )
        assert made == {"loja.yaml": SHOP.replace(old, changed)}
        made = after(await asked(editor, uri, '"order_id"', "ref", 3), tmp_path, editor)
        assert "incomplete: order_id" in made["loja.yaml"]
        assert "charge_card: {ref: 1, state: late}" in made["loja.yaml"]
        assert '\\u007b ref } with {amount}"' in made["loja.yaml"]
        assert "d''água {ref}'" in made["loja.yaml"]


@pytest.mark.asyncio
async def test_what_cannot_be_renamed_is_said(tmp_path, capfd):
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text.encode())
    async with editing(tmp_path, configuration={"language": "pt-BR"}) as editor:
        uri = open_in(editor, tmp_path, "loja.yaml")
        async with asyncio.timeout(30):
            said = ""
            while "já existe" not in said:  # in English, until the setting is read
                with pytest.raises(JsonRpcException, match="`refund_card`") as error:
                    await asked(editor, uri, "charge_card", "refund_card")
                said = str(error.value)
        assert error.value.code == types.LSPErrorCodes.RequestFailed.value
        prepare = editor.client.text_document_prepare_rename_async
        assert await prepare(types.PrepareRenameParams(**editor.at(uri, "say:"))) is None
        with pytest.raises(JsonRpcException, match="isto não pode ser renomeado"):
            await prepare(types.PrepareRenameParams(**editor.at(uri, "comum.yaml")))
        assert await asked(editor, uri, "say:", "x") is None
        assert editor.client.messages == []
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.asyncio
async def test_a_client_without_versions_has_plain_changes(tmp_path):
    declared = capabilities()
    declared.workspace.workspace_edit = None
    uri = uri_of(tmp_path / "x.yaml")
    async with editing(declared=declared) as editor:
        editor.open(uri, "vocabulary: x\nrules: {🛒: {tool: a, never: true}}")
        edit = await asked(editor, uri, "🛒", "b-c")
        assert edit.document_changes is None
        (change,) = edit.changes[uri]
        assert change == types.TextEdit(range=editor.range_of(uri, "🛒"), new_text="b-c")
