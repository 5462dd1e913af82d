"""The pages on vocabularies and on reading are true, and leave nothing out, in both languages."""

import contextlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner

from stalwart_lang import Call, Plan, Selector, Vocabulary
from stalwart_lang.cli import stalwart
from stalwart_lang.selector.messages import REASONS
from stalwart_lang.vocabulary.declarations import (
    REASON_CODES,
    VOCABULARY,
    Either,
    ListOf,
    MapOf,
    Record,
    Shape,
)
from stalwart_lang.vocabulary.model import LANGUAGES, Language, TypeKind

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
NOW = "2026-11-30T09:00"
SUFFIX: Mapping[Language, str] = {"en": ".md", "pt-BR": ".pt-BR.md"}
NOT_GIVEN = {"ambiguous_argument", "invalid_code"}
"""The codes that no turn gives on the shop."""

both = pytest.mark.parametrize("language", LANGUAGES)


def page(name: str, language: Language) -> str:
    return (DOCS / f"{name}{SUFFIX[language]}").read_text("utf-8")


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def prose(text: str) -> str:
    return re.sub(r"^```\w*\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def spans(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def tables(text: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The tables of a page: the heads of their columns, and their rows."""
    for table in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        head, _, *rows = (
            [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
        )
        yield head, rows


def rows(text: str, head: tuple[str, str]) -> list[list[str]]:
    """The rows of the tables whose first column is headed so, in one of the two languages."""
    return [row for heads, rows in tables(text) if heads[0] in head for row in rows]


def typed(turn: str) -> str:
    r"""A turn with its `\u200b` and the like as the characters that they stand for."""
    return re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), turn)


def read(selector: Selector, turn: str, language: Language) -> Plan:
    return selector.plan(typed(turn), language=language, now=NOW)


def shown(plan: Plan) -> str:
    if plan.verdict == "read":
        return "; ".join(map(shown_call, plan.calls))
    if plan.verdict == "incomplete":
        return "incomplete: " + ", ".join(missing.argument for missing in plan.missing)
    return f"{plan.verdict}: {plan.reasons[0].code}"


def shown_call(call: Call) -> str:
    arguments = ", ".join(f"{name}={shown_value(v)}" for name, v in call.arguments.items())
    return f"{call.tool}({arguments})"


def shown_value(value: Any) -> str:
    return " ".join(value.values()) if isinstance(value, Mapping) else str(value)


@pytest.fixture(scope="module")
def shop() -> Selector:
    return Selector(Vocabulary.load("shop"))


# The format of a vocabulary


def keys(shape: Shape) -> Iterator[str]:
    """All keys that the format knows."""
    if isinstance(shape, Record):
        for name, key in shape.keys.items():
            yield name
            yield from keys(key.shape)
    elif isinstance(shape, ListOf):
        yield from keys(shape.item)
    elif isinstance(shape, MapOf):
        yield from keys(shape.value)
    elif isinstance(shape, Either):
        yield from keys(shape.long)


@both
def test_every_key_of_the_format_is_there(language):
    assert set(keys(VOCABULARY)) <= set(spans(prose(page("vocabulary", language))))


@both
def test_every_key_of_a_record_has_its_row(language):
    named = {spans(row[0])[0] for row in rows(page("vocabulary", language), ("key", "chave"))}
    assert set(VOCABULARY.keys) <= named


@both
def test_every_vocabulary_shown_is_free_of_findings_and_passes_its_turns(
    language, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    names = []
    for block in blocks(page("vocabulary", language), "yaml"):
        names.append(block.removeprefix("# ").split("\n", 1)[0])
        Path(names[-1]).write_text(block, "utf-8")
    assert len(names) == len(set(names)) > 1
    checked = CliRunner().invoke(stalwart, ["vocabulary", "check", "--json", *names])
    assert json.loads(checked.output)["diagnostics"] == []
    tested = CliRunner().invoke(stalwart, ["vocabulary", "test", *names])
    assert tested.exit_code == 0, tested.output


def studio(tmp_path: Path) -> Vocabulary:
    """The vocabulary that has an argument of each type."""
    file = tmp_path / "studio.yaml"
    shown = blocks(page("vocabulary", "en"), "yaml")
    file.write_text(next(text for text in shown if text.startswith("# studio.yaml")), "utf-8")
    return Vocabulary.load(file)


@both
def test_every_type_has_its_row(language):
    named = [row[0] for row in rows(page("vocabulary", language), ("type", "tipo"))]
    words = {span.removesuffix(" of UNIT") for cell in named for span in spans(cell)}
    assert words - {"digits 6"} == set(get_args(TypeKind)) - {"thing", "list"}
    assert sum(not spans(cell) for cell in named) == 2  # a thing's name, a list's name


def test_every_type_has_a_turn(tmp_path):
    tools = studio(tmp_path).tools.values()
    kinds = {kind.kind for tool in tools for its in tool.arguments for kind in its.types}
    assert kinds == set(get_args(TypeKind))


@both
def test_every_type_is_said_and_read_as_shown(language, tmp_path):
    vocabulary = studio(tmp_path)
    selector = Selector(vocabulary)
    turns = [phrase.text for turn in vocabulary.turns for phrase in turn.say[language]]
    typed = 1 if language == "en" else 2
    for row in rows(page("vocabulary", language), ("type", "tipo")):
        if not spans(row[typed]):
            continue
        said, value = spans(row[typed])[0], json.loads(spans(row[3])[0])
        plans = [selector.plan(turn, language=language) for turn in turns if said in turn]
        given = [
            value for plan in plans for call in plan.calls for value in call.arguments.values()
        ]
        assert value in given, row


# How turns are read


@both
def test_reasons_are_those_of_the_selector(language):
    listed = [spans(row[0])[0] for row in rows(page("reading", language), ("code", "código"))]
    assert listed == list(REASON_CODES)
    text = page("reading", language)
    assert all(f"`{code}`" in text for code in REASONS)


@both
def test_each_example_gives_its_reason(language, shop):
    for code, meaning, example in rows(page("reading", language), ("code", "código")):
        assert meaning
        if spans(code)[0] in NOT_GIVEN:
            assert not example
            continue
        plan = read(shop, spans(example)[0], language)
        assert (plan.verdict, plan.reasons[0].code) == ("unread", spans(code)[0]), example


@both
def test_each_turn_reads_as_shown(language, shop):
    found = rows(page("reading", language), ("turn", "turno"))
    assert len(found) > 30
    for turns, reading in found:
        for turn in spans(turns):
            assert shown(read(shop, turn, language)) == spans(reading)[0], turn


@both
def test_the_plans_shown_are_so(language, shop):
    text = page("reading", language)
    given = re.findall(r"`([^`]+)`[^`]*\n\n```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(given) == len(blocks(text, "json")) == 2
    for turn, shown_plan in given:
        asked = None if language == "en" else language
        made = shop.plan(turn, language=asked).to_dict()
        expected = json.loads(shown_plan)
        for call in (*made["calls"], *expected["calls"]):
            assert call.pop("line") > 0  # the shop may grow
        assert made == expected


@both
def test_every_field_of_a_plan_is_there(language, shop):
    text = page("reading", language)
    incomplete = shop.plan("charge order 4411").to_dict()
    unread = shop.plan("cancel ordr 4411").to_dict()["reasons"][0]
    names = [*incomplete, *incomplete["missing"][0], *incomplete["partial"][0], *unread, "readings"]
    for name in names:
        assert re.search(rf"[`\"]{name}[`\"]", text), name


@both
def test_the_program_prints_what_is_shown(language):
    text = page("reading", language)
    (program,), (output,) = blocks(text, "python"), blocks(text, "text")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "reading", "exec"), {})
    assert printed.getvalue() == output


# The pages together


@both
def test_links_lead_somewhere(language):
    for name in ("vocabulary", "reading"):
        for target in re.findall(r"\]\(([^)#]*)(?:#[^)]*)?\)", page(name, language)):
            assert not target or (DOCS / target).is_file(), target


@both
def test_the_readme_leads_to_both(language):
    readme = (ROOT / f"README{SUFFIX[language]}").read_text("utf-8")
    for name in ("vocabulary", "reading"):
        assert f"(docs/{name}{SUFFIX[language]})" in readme


def test_both_show_the_same_vocabularies():
    english, portuguese = (blocks(page("vocabulary", language), "yaml") for language in LANGUAGES)
    assert english == portuguese
