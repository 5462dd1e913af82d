"""The READMEs are true: what they show is run, and gives what they say it gives."""

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from stalwart_lang import Vocabulary
from stalwart_lang.cli import stalwart

ROOT = Path(__file__).parent.parent
READMES = ["README.md", "README.pt-BR.md"]
IGNORED = shutil.ignore_patterns("*.db*", "__pycache__")


@dataclass(frozen=True)
class Block:
    kind: str
    text: str


def blocks(readme: str) -> list[Block]:
    text = (ROOT / readme).read_text("utf-8")
    found = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(kind, body) for kind, body in found]


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output under it."""
    for shown in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = shown.partition("\n")
        yield command, output


def run(command: str) -> str:
    program, *arguments = shlex.split(command)
    assert program == "stalwart"
    return CliRunner().invoke(stalwart, arguments).output


def without_ids(text: str) -> str:
    return re.sub(r"\b[0-9a-f]{32}\b", "<trace id>", text)


@pytest.mark.parametrize("readme", READMES)
def test_everything_it_shows_is_so(readme, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = {"yaml": 0, "console": 0, "python": 0}
    printed = io.StringIO()
    for block in blocks(readme):
        if block.kind == "yaml":
            name = block.text.removeprefix("# ").split("\n", 1)[0]
            Path(name).write_text(block.text, "utf-8")
            assert Vocabulary.load(name).turns
            assert CliRunner().invoke(stalwart, ["vocabulary", "check", name]).exit_code == 0
            assert CliRunner().invoke(stalwart, ["vocabulary", "test", name]).exit_code == 0
        elif block.kind == "console":
            for command, output in commands(block):
                assert without_ids(run(command)) == without_ids(output)
        elif block.kind == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block.text, readme, "exec"), {})
        elif block.kind == "text":
            assert printed.getvalue() == block.text
        else:
            assert block.kind == "sh"
            continue
        if block.kind in ran:
            ran[block.kind] += 1
    assert all(ran.values())


@pytest.mark.parametrize("readme", READMES)
def test_the_first_command_reads_the_shop_s_turns_in_both_languages(readme):
    first = next(block.text for block in blocks(readme) if block.kind == "sh")
    turns = [part for part in first.strip().split(" && ") if part.startswith(".venv/bin/stalwart")]
    languages = set()
    for turn in turns:
        result = CliRunner().invoke(stalwart, [*shlex.split(turn)[1:], "--json"])
        assert result.exit_code == 0
        languages |= set(re.findall(r'"language": "([^"]+)"', result.output))
    assert languages == {"en", "pt-BR"}


def test_the_first_command_runs_an_order_of_the_shop_that_is_undone(tmp_path):
    first = next(block.text for block in blocks("README.md") if block.kind == "sh")
    found = re.search(r"\(cd examples/shop && (.*)\)", first)
    assert found
    shutil.copytree(ROOT / "examples/shop", tmp_path / "shop", ignore=IGNORED)
    own = f"{shlex.quote(sys.executable)} -m stalwart_lang"
    done = subprocess.run(
        ["bash", "-c", found[1].replace("../../.venv/bin/stalwart", own)],
        cwd=tmp_path / "shop",
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert "Undone, latest first: update_crm (by restore_crm), charge_card" in done.stdout
    assert "undo      refund_card -> allow undoes step 1" in done.stdout


def test_both_give_the_same_commands():
    english, portuguese = ([b for b in blocks(readme) if b.kind == "sh"] for readme in READMES)
    assert english == portuguese


def test_ci_runs_the_tests_as_the_readme_says():
    command = [block.text for block in blocks("README.md") if block.kind == "sh"][-1].strip()
    steps = [step.removeprefix(".venv/bin/") for step in command.split(" && ")]
    script = (ROOT / ".ci/run").read_text("utf-8")
    assert steps[1:] == ["pip install -q -e '.[dev]'", "pytest"]
    assert "-e '.[dev]'\n" in script
    assert script.rstrip().endswith('"$bin/pytest"')
