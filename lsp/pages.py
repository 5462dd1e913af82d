"""The pages that explain diagnostics: `docs/diagnostics`, in the package where it is installed."""

from functools import cache
from pathlib import Path

import stalwart_lang
from stalwart_lang.lsp.documents import uri_of


@cache
def page_of(code: str) -> str | None:
    """The URI of a code's page; None where the pages are not installed."""
    package = Path(stalwart_lang.__file__).parent
    for folder in (package / "docs" / "diagnostics", package.parent / "docs" / "diagnostics"):
        page = folder / f"{code}.md"
        if page.is_file():
            return uri_of(page)
    return None
