"""Quick fixes: each mends what it is for, in whatever form the author writes."""

import re
from pathlib import Path

import pytest
from editor import ENCODINGS, Editor, editing
from lsprotocol import types

from stalwart_lang.lsp.analysis import Analyser, Analysis
from stalwart_lang.lsp.documents import Document, uri_of
from stalwart_lang.lsp.fixes import Fix, fixes_for
from stalwart_lang.lsp.workspace import Moment, Project
from stalwart_lang.lsp.yaml_edits import as_scalar

PAGES = Path(__file__).parents[2] / "docs" / "diagnostics"
BLOCK = re.compile(r"^```(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
MENDED = {
    "SV007": "Remove the second one",
    "SV008": "Put it between quotes instead",
    "SV009": "Put it between quotes",
    "SV011": "Add the key `vocabulary`",
    "SV020": "Write `true`",
    "SV021": "Change `says` to `say`",
    "SV023": "Change `pt` to `pt-BR`",
    "SV031": "Do not include it",
    "SV040": "Change `ordr` to `order`",
    "SV041": "Change `refund` to `refund_card`",
    "SV042": "Change `amonut` to `amount`",
    "SV043": "Change `goal` to `target`",
    "SV044": "Change `opened` to `open`",
    "SV045": "Change `negated` to `negation`",
    "SV050": "Remove the braces",
    "SV054": "Remove the second one",
    "SV104": "Remove `undo:` from `refund_card`",
    "SV105": "Make `amount` of `refund_card` optional",
    "SV106": "Remove the rule `charge-after-refund`",
    "SV107": "Remove the rule `odd`",
    "SV108": "Remove the rule `close-with-approval`",
    "SV113": "Expect what it reads as: unread: question",
}
"""The fix of a code's example after which its page's example has no finding left."""


class Author:
    """A vocabulary in a folder, and what can be done about its findings."""

    def __init__(self, folder: Path, text: str) -> None:
        self.text = text
        self.project = Project()
        self.uri = uri_of(folder / "shop.yaml")
        self.project.open(Document(self.uri, 1, text), "stalwart")
        steps = Analyser(self.uri).analyse(Moment(self.project), None)
        *_, self.analysis = (step for step in steps if isinstance(step, Analysis))
        self.folder = folder

    def codes(self) -> list[str]:
        return [one.code for one in self.analysis.findings]

    def fixes(self, code: str) -> dict[str, Fix]:
        finding = next(one for one in self.analysis.findings if one.code == code)
        index = self.project.index(finding.uri)
        assert index is not None
        found = fixes_for(
            finding, index, self.analysis, lambda kind: self.project.names(self.uri, kind)
        )
        return {fix.title: fix for fix in found}

    def fixed(self, code: str, title: str) -> "Author":
        text = self.text
        for edit in sorted(self.fixes(code)[title].edits, reverse=True):
            text = text[: edit.start] + edit.new + text[edit.end :]
        return Author(self.folder, text)


def page(code: str, folder: Path) -> Author:
    shown = dict(BLOCK.findall((PAGES / f"{code}.md").read_text(encoding="utf-8")))
    for info, text in shown.items():
        if info.endswith(".yaml"):
            (folder / info[5:]).write_text(text, encoding="utf-8")
    return Author(folder, shown["yaml"])


@pytest.mark.parametrize("code", MENDED)
def test_the_example_of_a_page_is_mended(code, tmp_path):
    author = page(code, tmp_path)
    assert code in author.codes()
    assert author.fixed(code, MENDED[code]).codes() == []


def test_a_missing_tool_is_made_where_tools_are(tmp_path):
    author = Author(
        tmp_path,
        "vocabulary: x\r\nthings: {order: {en: order}}\r\n"
        "rules:\r\n  r: {tool: charge_card, never: true}\r\n",
    )
    made = author.fixed("SV041", "Create the tool `charge_card`")
    assert made.text == (
        "vocabulary: x\r\nthings: {order: {en: order}}\r\ntools:\r\n"
        "  charge_card: {say: {en: [charge card]}}\r\n\r\n"
        "rules:\r\n  r: {tool: charge_card, never: true}\r\n"
    )
    assert "SV041" not in made.codes()


def test_an_undo_is_made_with_the_arguments_of_what_it_takes_back(tmp_path):
    author = Author(
        tmp_path,
        "vocabulary: x\nthings: {order: {en: order}}\ntools:\n  ship:\n"
        "    takes: {order_id: order, amount: optional money}\n    undo: unship\n"
        "    say: {en: [ship]}   # yes\n",
    )
    made = author.fixed("SV041", "Create the tool `unship`")
    assert made.text.endswith(
        "yes\n  unship: {writes: true, takes: {order_id: order, amount: optional money}}\n"
    )
    assert made.codes() == []


@pytest.mark.parametrize(
    ("takes", "made"),
    [
        ("{}", None),
        ("{a: date}", "{a: date, b: optional integer}"),
        ("{a: date, }", "{a: date, b: optional integer}"),
        ("\n      a: date   # 1", "\n      a: date   # 1\n      b: optional integer"),
    ],
)
def test_a_missing_argument_is_given_in_the_form_of_the_others(takes, made, tmp_path):
    text = (
        "vocabulary: x\ntools:\n  t:\n    takes: TAKES\n    say: {en: [ship]}\n"
        "rules: {r: {tool: t, when: {b: {over: 5}}, never: true}}\n"
    )
    author = Author(tmp_path, text.replace("TAKES", takes))
    title = "Give `t` the argument `b`"
    if made is None:
        assert title not in author.fixes("SV042")
        return
    fixed = author.fixed("SV042", title)
    assert fixed.codes() == []
    assert made.rstrip("}") in fixed.text


def test_a_missing_thing_and_a_missing_unit_are_made(tmp_path):
    author = Author(
        tmp_path,
        "vocabulary: x\ntools: {t: {takes: {a: parcel}, say: {en: [ship]}},\n"
        "        u: {takes: {a: quantity of kilo}, say: {en: [weigh]}}}\n",
    )
    one = author.fixed("SV040", "Create the thing `parcel`")
    assert one.text.startswith("vocabulary: x\nthings:\n  parcel: {en: [parcel]}\n\ntools:")
    two = one.fixed("SV040", "Create the unit `kilo`")
    assert "units:\n  kilo: {en: [kilo]}\n" in two.text
    assert two.codes() == []


def test_a_value_is_added_to_its_list(tmp_path):
    author = page("SV044", tmp_path)
    made = author.fixed("SV044", "Add `opened` to the list `status`")
    assert "late: {en: [late]}, opened: {en: [opened]}" in made.text
    assert "SV044" not in made.codes()


def test_the_missing_language_gets_a_phrase_to_fill_in(tmp_path):
    author = Author(
        tmp_path,
        "vocabulary: x\ntools:\n  t: {say: {en: [ship], pt-BR: [enviar]}}\n"
        "  u_v:\n    say:\n      pt-BR: [pagar]\n  w: {say: {en: [weigh]}}\n",
    )
    english = author.fixed("SV101", "Add English")
    assert "      pt-BR: [pagar]\n      en: [u v]\n" in english.text
    stub = english.fixed("SV101", "Add Brazilian Portuguese")
    assert 'w: {say: {en: [weigh], pt-BR: [""]}}' in stub.text
    assert "SV051" in stub.codes()


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ("en: [merge {a} into {b}]", 'en: ["merge {a} into {b}"]'),
        ("en: [ship, merge {a} into {b}, send]", 'en: [ship, "merge {a} into {b}", send]'),
    ],
)
def test_a_phrase_with_braces_is_put_between_quotes(line, mended, tmp_path):
    text = "vocabulary: x\ntools:\n  t:\n    takes: {a: integer, b: integer}\n    say: {LINE}\n"
    author = Author(tmp_path, text.replace("LINE", line))
    assert mended in author.fixed("SV004", "Put the phrase between quotes").text


def test_what_was_meant_as_text_is_put_between_quotes(tmp_path):
    author = Author(
        tmp_path,
        "vocabulary: x\ntools: {t: {}}\nrules: {r: {tool: t, never: true, say: {en: null}}}\n",
    )
    assert 'say: {en: "null"}' in author.fixed("SV020", "Put it between quotes").text


def test_a_plural_becomes_a_singular(tmp_path):
    author = page("SV112", tmp_path)
    assert "{en: [student]}" in author.fixed("SV112", "Change `students` to `student`").text


def test_a_tab_becomes_blanks(tmp_path):
    author = Author(tmp_path, "vocabulary: x\ntools:\n\tt: {}\n")
    assert author.fixed("SV004", "Indent with blanks").codes() == []


@pytest.mark.parametrize(
    ("turn", "expectation"),
    [
        ("pay $1.50 for order 3", 'plan: [{pay: {order_id: 3, amount: "1.50 USD"}}]'),
        ("pay", "incomplete: order_id"),
        ("don't pay order 5", "unread: negation"),
    ],
)
def test_what_a_turn_reads_as_becomes_what_is_expected(turn, expectation, tmp_path):
    text = (
        "vocabulary: x\nthings: {order: {en: order}}\ntools:\n"
        "  pay: {takes: {order_id: order, amount: optional money}, say: {en: pay}}\n"
        f'turns:\n  - say: {{en: "{turn}"}}\n    ambiguous: true   # so far\n'
    )
    author = Author(tmp_path, text)
    fixed = author.fixed("SV113", f"Expect what it reads as: {expectation}")
    assert fixed.codes() == []
    assert f"    {expectation}   # so far\n" in fixed.text


@pytest.mark.parametrize("text", ["a", "no", "true", "1", "a: b", "#", "", " x", "x ", "é 🎈", "-"])
def test_a_text_as_a_scalar_is_that_text(text):
    from stalwart_lang.diagnostics import Findings
    from stalwart_lang.vocabulary.source import Source
    from stalwart_lang.vocabulary.yaml12 import compose, plain_value

    node = compose(Source("x", f"[{as_scalar(text)}]"), Findings())
    assert plain_value(node) == [text]


# ------------------------------------------------------------ end to end


async def actions(
    editor: Editor, uri: str, words: str, **context: object
) -> list[types.CodeAction]:
    found = await editor.client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=uri),
            range=editor.range_of(uri, words),
            context=types.CodeActionContext(diagnostics=[], **context),
        )
    )
    return list(found or ())


@pytest.mark.asyncio
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_an_action_changes_the_version_that_the_client_has(encoding, tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    text = (
        "vocabulary: x\ntools: {charge_card: {}}\nrules: {'é🎈': {tool: charge_cart, never: true}}"
    )
    async with editing(tmp_path, encoding) as editor:
        kinds = editor.capabilities.code_action_provider.code_action_kinds
        assert [*kinds] == [types.CodeActionKind.QuickFix]
        editor.open(uri, text)
        (found,) = await editor.codes(uri, "SV041")
        rename, create = await actions(editor, uri, "charge_cart")
        assert (rename.title, rename.is_preferred) == (
            "Change `charge_cart` to `charge_card`",
            True,
        )
        assert [*rename.diagnostics] == [found]
        assert rename.kind == types.CodeActionKind.QuickFix
        (change,) = rename.edit.document_changes
        assert (change.text_document.uri, change.text_document.version) == (uri, 1)
        (edit,) = change.edits
        assert (edit.range, edit.new_text) == (editor.range_of(uri, "charge_cart"), "charge_card")
        assert create.title == "Create the tool `charge_cart`"
        assert await actions(editor, uri, "vocabulary") == []
        refactorings = [types.CodeActionKind.Refactor]
        assert await actions(editor, uri, "charge_cart", only=refactorings) == []


@pytest.mark.asyncio
async def test_a_missing_file_is_created_where_the_client_can(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path) as editor:
        editor.open(uri, "vocabulary: x\ninclude: [parts/a.yaml]\n")
        await editor.codes(uri, "SV030")
        (action,) = await actions(editor, uri, "parts/a.yaml")
        create, content = action.edit.document_changes
        assert create.uri == content.text_document.uri == uri_of(tmp_path / "parts" / "a.yaml")
        assert content.edits[0].new_text == "vocabulary: x\n"


@pytest.mark.asyncio
async def test_a_plain_client_gets_plain_changes(tmp_path):
    uri = uri_of(tmp_path / "shop.yaml")
    async with editing(tmp_path, declared=types.ClientCapabilities()) as editor:
        editor.open(uri, "vocabulary: x\nsettings: {currency: R$}\ninclude: a.yaml\nthing: {}\n")
        await editor.until(uri, lambda its: len(its) == 3)
        change, remove = await actions(editor, uri, "thing:")
        assert [edit.new_text for edit in change.edit.changes[uri]] == ["things"]
        assert remove.title == "Remove the key"
        assert await actions(editor, uri, "a.yaml") == []
