"""E-mail addresses, also of international domains and with letters beyond ASCII.

The search starts at each `@`, and what stands before and after it is read at most once or twice:
a pattern that begins with the name takes quadratic time or worse on `a.a.a.a.…`.
"""

import re
from collections.abc import Iterator

from stalwart_lang.redaction.kinds import Found

_LONGEST_NAME = 256
_AT = re.compile(
    r"@(?<=[\w\"+\-.']@)(?:((?:[\w-]{1,63}\.){1,32}(?:xn--[a-z0-9-]{1,59}|[^\W\d_]{2,63}))"
    r"|\[(?=[^\]]{0,45}[.:])[0-9A-Fa-f.:IPv]{3,45}\])"
)
_NAME_REVERSED = re.compile(r"[\w.+'\-\u0300-\u036f]+|\"[^\"\n@]{1,64}\"")
_PICTURE = re.compile(r"[0-9]x\.(?:png|jpe?g|gif|webp|svg|avif)", re.IGNORECASE)
_NEXT_SENTENCE = re.compile(r"(?<=\.[a-z]{2}|[a-z]{3})\.[A-Z][a-z]+\Z")

_PASSWORD_BEFORE = re.compile(r"://[^\s:/@?#]{0,64}:\Z")
_REPOSITORY = re.compile(r":[\w.~-]+/")


def find_emails(text: str) -> Iterator[Found]:
    """Give the addresses in `text`.

    `git@host:owner/name` and `icon@2x.png` are none.
    """
    for match in _AT.finditer(text):
        before = text[max(0, match.start() - _LONGEST_NAME) : match.start()][::-1]
        name = _NAME_REVERSED.match(before)
        written = name[0][::-1].lstrip(".'-") if name else ""
        if not written:
            continue
        start, end = match.start() - len(written), match.end()
        if _PASSWORD_BEFORE.search(text, max(0, start - 68), start):
            continue
        if domain := match[1]:
            if _PICTURE.fullmatch(domain):
                continue
            if written == "git" and _REPOSITORY.match(text, end):
                continue
            if sentence := _NEXT_SENTENCE.search(domain):
                end -= len(sentence[0])
        yield Found("email", start, end)
