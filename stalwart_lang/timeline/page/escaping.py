"""Values of others as text that a page can hold: nothing in it acts on the page or misleads."""

import json
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

from stalwart_lang.terminal import printable


def shown(text: str, *, lines: bool = False) -> Markup:
    """Return `text` as HTML, isolated from the direction of what is around it.

    Control and format characters (a change of direction, a NUL, half a surrogate pair) stand as
    visible escapes; with `lines`, line breaks and tabs stay.
    """
    if text.isprintable():
        return Markup("<bdi>{}</bdi>").format(text)
    keep = "\n\t" if lines else ""
    parts = [
        escape(part) if fine else Markup('<span class="esc">{}</span>').format(printable(part))
        for fine, part in (
            (fine, "".join(chars))
            for fine, chars in groupby(text, lambda char: char.isprintable() or char in keep)
        )
    ]
    return Markup("<bdi>{}</bdi>").format(Markup("").join(parts))


def as_text(value: Any) -> str:
    """Return an attribute's value as text: text as it is, all else as JSON."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return "[…]"
