"""The floor: the least that any reader of turns has to do, straightforwardly written."""

import re
import unicodedata
from collections.abc import Mapping

_TOKEN = re.compile(r"[^\W\d_]+|[0-9]+(?:[.,][0-9]+)*|[^\w\s]")


def floor(turn: str, words: Mapping[str, object]) -> list[object]:
    """Fold a turn, cut it into tokens and look each of them up."""
    apart = unicodedata.normalize("NFD", turn).casefold()
    folded = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return [words.get(token) for token in _TOKEN.findall(folded)]
