"""Text of others shown in a terminal: nothing in it acts on the terminal, and carets line up."""

import json
import unicodedata

_WHOLE, _BEFORE, _AFTER, _MARKED = 100, 40, 40, 60


def excerpt(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the line that shows `text[start:end]` and the line of carets under it.

    `start` and `end` count code points. Of a long text only what is around the part is shown. What
    a terminal would act on is shown as an escape, and the carets count the columns it takes.
    """
    first, last = 0, len(text)
    if len(text) > _WHOLE:
        first, last = max(0, start - _BEFORE), min(last, min(end, start + _MARKED) + _AFTER)
    before = ("…" if first else "") + printable(text[first:start])
    marked = printable(text[start : min(end, last)])
    after = printable(text[max(start, min(end, last)) : last]) + ("…" if last < len(text) else "")
    carets = " " * _columns(before) + "^" * max(1, _columns(marked))
    return before + marked + after, carets


def printable(text: str) -> str:
    """Return `text` with its control and format characters as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable_json(value: object) -> str:
    """Return a value as one line of JSON, with control and format characters as JSON's escapes."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():
        return text
    # Outside of its strings JSON has printable characters only.
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _columns(text: str) -> int:
    return sum(_width(char) for char in text)


def _width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
