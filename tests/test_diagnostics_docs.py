"""Every diagnostic has a page, and what the pages show is true."""

import re
from pathlib import Path

import pytest

from stalwart_lang.diagnostics import CATALOGUE, AgentError
from stalwart_lang.runs.agent_file import check_agent_text, load_agent
from stalwart_lang.vocabulary.lint import lint
from stalwart_lang.vocabulary.load import load_vocabulary

PAGES = Path(__file__).parent.parent / "docs" / "diagnostics"
BLOCK = re.compile(r"^```(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
FROM_THE_SELECTOR = {"SV110", "SV111", "SV112", "SV113"}
"""Codes of what compiled automata read, which their own tests hold to these pages."""
NO_EXAMPLE_IN_YAML = {"SV001", "SV002", "SV003", "SV005", "SV010", "SV012", "SV033", "SV057"}
"""Codes whose cause cannot be shown in a few lines; the loader's tests trigger them."""
OF_AGENTS = {code for code in CATALOGUE if code.startswith("SV2")}
"""Codes of agent files: their examples are an `agent.yaml` and its `tools.py`."""
NO_EXAMPLE_OF_AN_AGENT = {"SV200", "SV201"}
"""Codes of agents whose cause is not in the files; the tests of agent files trigger them."""


def blocks(code: str) -> dict[str, str]:
    return dict(BLOCK.findall((PAGES / f"{code}.md").read_text(encoding="utf-8")))


def codes(folder: Path, text: str, others: dict[str, str]) -> set[str]:
    (folder / "shop.yaml").write_text(text, encoding="utf-8")
    for name, other in others.items():
        (folder / name).write_text(other, encoding="utf-8")
    loaded = load_vocabulary(folder / "shop.yaml")
    warnings = lint(loaded.vocabulary) if loaded.vocabulary else ()
    return {diagnostic.code for diagnostic in (*loaded.diagnostics, *warnings)}


def agent_codes(folder: Path, agent: str, tools: str) -> set[str]:
    file = folder / "agent.yaml"
    file.write_text(agent, encoding="utf-8")
    (folder / "tools.py").write_text(tools, encoding="utf-8")
    try:
        load_agent(file)
    except AgentError as error:
        return {diagnostic.code for diagnostic in error.diagnostics}
    return {diagnostic.code for diagnostic in check_agent_text(agent, str(file))}


def test_pages_are_those_of_the_catalogue():
    assert {page.stem for page in PAGES.glob("SV*.md")} == set(CATALOGUE)


@pytest.mark.parametrize("code", CATALOGUE)
def test_page_has_the_title_of_the_catalogue_and_a_fix(code):
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {code}: {CATALOGUE[code][1]}\n")
    assert "**Fix.**" in text


def test_index_lists_every_code():
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    for code, (severity, title) in CATALOGUE.items():
        assert f"| [{code}]({code}.md) | {severity} | {title} |" in index


@pytest.mark.parametrize("code", sorted(OF_AGENTS - NO_EXAMPLE_OF_AN_AGENT))
def test_example_of_an_agent_triggers_its_code_until_it_is_fixed(code, tmp_path):
    shown = blocks(code)
    for folder in ("broken", "fixed"):
        (tmp_path / folder).mkdir()
    assert agent_codes(tmp_path / "broken", shown["yaml"], shown["python"]) == {code}
    agent = shown.get("yaml fixed", shown["yaml"])
    tools = shown.get("python fixed", shown["python"])
    assert (agent, tools) != (shown["yaml"], shown["python"])
    assert agent_codes(tmp_path / "fixed", agent, tools) == set()


@pytest.mark.parametrize(
    "code", sorted(set(CATALOGUE) - NO_EXAMPLE_IN_YAML - FROM_THE_SELECTOR - OF_AGENTS)
)
def test_example_triggers_its_code(code, tmp_path):
    shown = blocks(code)
    others = {info[5:]: text for info, text in shown.items() if info.endswith(".yaml")}
    assert code in codes(tmp_path, shown["yaml"], others)


@pytest.mark.parametrize("code", sorted(set(CATALOGUE) - NO_EXAMPLE_IN_YAML - OF_AGENTS))
def test_fixed_example_is_free_of_findings(code, tmp_path):
    fixed = blocks(code).get("yaml fixed")
    if fixed is None:
        assert code in {"SV030", "SV032"}, "a page shows how it looks when mended"
        return
    assert codes(tmp_path, fixed, {}) == set()
