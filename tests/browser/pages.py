"""A page opened in Chromium as its reader has it: no script, no network, all of it recorded."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def chromium() -> str:
    """Return the path of the browser, Debian's or another one of that name."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if (found := shutil.which(name)) is not None:
            return found
    pytest.skip("Chromium is not installed: apt-get install chromium")


@contextmanager
def started_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page and what it did while it was open."""

    page: Page
    requests: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)


@contextmanager
def opened(
    browser: Browser,
    file: Path,
    *,
    width: int = 1280,
    scheme: Literal["light", "dark"] = "light",
    script: bool = False,
    fragment: str = "",
) -> Iterator[Opened]:
    """Open `file` offline; with `script` the page's policy is off, so that a test's tools run."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        java_script_enabled=script,
        bypass_csp=script,
        offline=True,
    )
    page = context.new_page()
    seen = Opened(page)
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("console", lambda message: seen.console.append(message.text))
    page.on("pageerror", lambda error: seen.console.append(str(error)))
    page.goto(file.as_uri() + fragment)
    yield seen
    context.close()
