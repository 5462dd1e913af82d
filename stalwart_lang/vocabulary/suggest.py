"""“Did you mean”: the known name nearest to one that is not known."""

from collections.abc import Iterable
from itertools import islice

from stalwart_lang.diagnostics import quoted

_MAX_NAMES = 300
_MAX_LENGTH = 40


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The name of `known` that `word` was most likely meant to be, or None.

    Of very many names only some that begin alike are compared, so that time stays bounded.
    """
    names = list(known)
    if len(names) > _MAX_NAMES:
        alike = (n for n in names if n[:1] == word[:1] and abs(len(n) - len(word)) < 3)
        names = list(islice(alike, _MAX_NAMES))
    wanted = word.lower().replace("-", "_")
    by_folded = {name.lower().replace("-", "_"): name for name in reversed(names)}
    exact = by_folded.get(wanted)
    if exact is not None or len(word) > _MAX_LENGTH:
        return exact
    from difflib import get_close_matches

    found = get_close_matches(wanted, by_folded, 1, 0.6)
    return by_folded[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A fix for an unknown `word`: the nearest name, else all of them if they are few."""
    names = list(known)
    near = nearest(word, names)
    if near is not None:
        return f"did you mean {quoted(near)}?"
    if 0 < len(names) <= 8:
        return "one of " + ", ".join(map(quoted, names))
    return None
