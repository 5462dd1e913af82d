"""The pages on LangGraph are true: every block of them is run, in both languages."""

import contextlib
import io
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import stalwart_lang.graph
from stalwart_lang.cli import stalwart
from stalwart_lang.state import KINDS

ROOT = Path(__file__).parent.parent
PAGES = ["langgraph.md", "langgraph.pt-BR.md"]
both = pytest.mark.parametrize("name", PAGES)


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


def blocks(name: str) -> list[tuple[str, str]]:
    return re.findall(r"^```(\w+)\n(.*?)^```$", page(name), re.MULTILINE | re.DOTALL)


@both
def test_every_block_gives_what_is_shown(name, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples" / "shop", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "docs"}
    printed = io.StringIO()
    ran = dict.fromkeys(("python", "text", "console"), 0)
    for kind, text in blocks(name):
        if kind == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(text, name, "exec"), namespace)
        elif kind == "text":
            assert printed.getvalue() == text
        elif kind == "console":
            command, _, output = text.removeprefix("$ ").partition("\n")
            program, *arguments = shlex.split(command)
            assert program == "stalwart"
            assert CliRunner().invoke(stalwart, arguments).stdout == output
        else:
            assert kind == "sh"
            continue
        ran[kind] += 1
    assert all(ran.values())
    namespace["saver"].conn.close()  # type: ignore[attr-defined]
    namespace["tracer"].close()  # type: ignore[attr-defined]


@both
def test_the_violations_are_those_there_are(name):
    rows = re.findall(r"^\| `(\w+)` \|", page(name), re.MULTILINE)
    assert [row for row in rows if row in KINDS] == list(KINDS)


@both
def test_what_can_be_imported_is_on_the_page(name):
    text = page(name)
    told = {"KINDS", "Kind", "Violation", "ToolCheck"}  # of which one sees the use
    assert {each for each in stalwart_lang.graph.__all__ if each not in text} <= told


def test_both_pages_show_the_same():
    english, portuguese = map(blocks, PAGES)
    assert english == portuguese


@both
def test_links_lead_somewhere(name):
    for target in re.findall(r"\]\(([^)#]*)(?:#[^)]*)?\)", page(name)):
        assert (ROOT / "docs" / target).is_file(), target
