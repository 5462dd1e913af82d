"""What the tests of the server share; editor.py and strict_client.py are the clients."""

from collections.abc import Callable
from pathlib import Path

import pytest

VOCABULARIES = Path(__file__).parents[2] / "vocabularies"


@pytest.fixture
def shipped() -> Callable[[str], str]:
    """Give the text of a shipped vocabulary."""
    return lambda name: (VOCABULARIES / f"{name}.yaml").read_text(encoding="utf-8")
