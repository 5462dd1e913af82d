"""Real editors with the set-ups of lsp/editors, headless: what they show of a real file.

Neovim is looked for on the path, and one more in STALWART_NEOVIM; Emacs with Eglot on the path.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from stalwart_lang.lsp.configuration import DEFAULT_TRACES
from stalwart_lang.vocabulary.model import LANGUAGES

ROOT = Path(__file__).parents[2]
EDITORS = ROOT / "lsp" / "editors"
SCRIPTS = Path(__file__).parent / "editors"
SERVER = [sys.executable, "-m", "stalwart_lang", "lsp"]
PATIENCE = 240
NEOVIMS = {
    "path": shutil.which("nvim"),
    "STALWART_NEOVIM": os.environ.get("STALWART_NEOVIM"),
}
MISTAKE = ("[cancel]", "[cancle]")
UNREAD = "cancel order 4411"


@pytest.fixture
def vocabulary(tmp_path, shipped) -> Path:
    """A vocabulary with a misspelt verb, so that turns of its own do not read."""
    path = tmp_path / "work" / "shop.yaml"
    path.parent.mkdir()
    path.write_text(shipped("shop").replace(*MISTAKE), encoding="utf-8")
    return path


def place(path: Path, words: str) -> tuple[int, int]:
    """The line and column, from 0, in the middle of the first `words`."""
    lines = path.read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines) if words in text)
    return line, lines[line].index(words) + len(words) // 2


def ask(command: list[str], setup: Path, file: Path, hover: tuple[int, int]) -> dict[str, Any]:
    """Run an editor's script; return what it has seen."""
    home = file.parent.parent / "home"
    home.mkdir()
    answer = home / "answer.json"
    test = {"setup": str(setup), "cmd": SERVER, "file": str(file), "hover": hover}
    environment = os.environ | {
        "HOME": str(home),
        **{f"XDG_{kind}_HOME": str(home / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")},
        "STALWART_TEST": json.dumps(test | {"answer": str(answer)}),
    }
    done = subprocess.run(
        command,
        cwd=file.parent,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert answer.is_file(), (done.stdout + done.stderr).decode(errors="replace")
    return json.loads(answer.read_text(encoding="utf-8"))


@pytest.mark.parametrize("which", NEOVIMS)
def test_neovim_shows_the_mistake_and_the_hover(which, vocabulary):
    program = NEOVIMS[which]
    if program is None:
        pytest.skip(f"no Neovim: nvim on the path, or another in STALWART_NEOVIM ({which})")
    command = [program, "--headless", "-u", "NONE", "-i", "NONE", "-n"]
    command += ["-c", f"luafile {SCRIPTS / 'neovim.lua'}"]
    hover = place(vocabulary, "big-refund")
    seen = ask(command, EDITORS / "neovim" / "stalwart.lua", vocabulary, hover)
    assert seen["filetype"] == "yaml.stalwart"
    line, _ = place(vocabulary, UNREAD)
    where = {(one["code"], one["line"]) for one in seen["diagnostics"]}
    assert ("SV113", line) in where
    assert {one["source"] for one in seen["diagnostics"]} == {"stalwart"}
    assert {"StalwartTry", "StalwartTimeline"} <= set(seen["commands"])
    assert "refund_card" in json.dumps(seen["hover"])


def test_emacs_shows_the_mistake_and_the_hover(vocabulary):
    program = shutil.which("emacs")
    with_eglot = [program or "", "--batch", "--eval", "(require 'eglot)"]
    if program is None or subprocess.run(with_eglot, check=False, capture_output=True).returncode:
        pytest.skip("no Emacs with Eglot on the path: Emacs 29, or an older one and elpa-eglot")
    command = [program, "--batch", "--load", str(SCRIPTS / "emacs.el")]
    hover = place(vocabulary, "big-refund")
    seen = ask(command, EDITORS / "emacs" / "stalwart.el", vocabulary, hover)
    assert (seen["mode"], seen["language"]) == ("stalwart-mode", "stalwart")
    line, _ = place(vocabulary, UNREAD)
    assert line in {one["line"] for one in seen["diagnostics"]}
    assert "refund_card" in str(seen["hover"])


def test_helix_knows_each_kind_of_file_and_its_colours():
    folder = EDITORS / "helix"
    known = tomllib.loads((folder / "languages.toml").read_text("utf-8"))
    server = known["language-server"]["stalwart"]
    assert (server["command"], server["args"]) == ("stalwart", ["lsp"])
    assert server["config"]["stalwart"]["traces"] == [*DEFAULT_TRACES]
    ids = {one["name"]: one["language-id"] for one in known["language"]}
    assert {*ids} == {*ids.values()} == {"stalwart", "stalwart-agent", "stalwart-trace"}
    for one in known["language"]:
        assert one["language-servers"] == ["stalwart"]
        colours = (folder / "queries" / one["name"] / "highlights.scm").read_text("utf-8")
        assert colours == f"; inherits: {one['grammar']}\n"


def test_vscode_is_told_all_in_both_languages():
    folder = EDITORS / "vscode"
    text = (folder / "package.json").read_text("utf-8")
    package = json.loads(text)
    used = {*re.findall(r'"%([\w.]+)%"', text)}
    for suffix in ("", ".pt-br"):
        assert {*json.loads((folder / f"package.nls{suffix}.json").read_text("utf-8"))} == used
    sources = "".join(file.read_text("utf-8") for file in (folder / "src").glob("*.js"))
    said = {*re.findall(r'l10n\.t\(\s*"([^"]+)"', sources)}
    translated = json.loads((folder / "l10n" / "bundle.l10n.pt-br.json").read_text("utf-8"))
    assert {*translated} == said
    settings = package["contributes"]["configuration"]["properties"]
    assert settings["stalwart.traces"]["default"] == [*DEFAULT_TRACES]
    assert settings["stalwart.language"]["enum"] == ["", *LANGUAGES]
    commands = {one["command"] for one in package["contributes"]["commands"]}
    assert commands == {*re.findall(r'register\("([\w.]+)"', sources)}


def test_vscode_pins_what_it_is_built_with():
    folder = EDITORS / "vscode"
    wanted = json.loads((folder / "package.json").read_text("utf-8"))["devDependencies"]
    lock = json.loads((folder / "package-lock.json").read_text("utf-8"))["packages"]
    for name, version in wanted.items():
        assert lock[f"node_modules/{name}"]["version"] == version
    assert all("integrity" in one and "resolved" not in one for name, one in lock.items() if name)
