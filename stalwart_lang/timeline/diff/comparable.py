"""Content recorded in different ways, so that what can be compared is, and the rest is left out.

A trace holds content as it is or as digests, and digests may be made with a key. A digest without
a key can be made of what another trace holds as it is.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from stalwart_lang.timeline.diff.reduction import Content, Prepare
from stalwart_lang.timeline.diff.signature import Held, Record
from stalwart_lang.tracing.content import digest

OTHER_KEYS = (
    "the digests of the two runs were made with different keys: arguments, results and turns are "
    "not compared where they are digests"
)
ONE_CAPTURED = (
    "one run holds its content, the other digests of it that were made with a key, or of content "
    "before personal data was taken out: arguments, results and turns are not compared"
)
SOME_REDACTED = (
    "one run holds its content with personal data taken out, the other digests of it: where no "
    "digest fits, they are not compared"
)

_FIELDS = ("arguments", "result", "turn")
_REDACTED = re.compile(r"\[[A-Z][A-Z0-9_]*\]")


@dataclass(slots=True)
class _Found:
    """The digests that a trace holds, those of what it holds as it is, and of what was redacted."""

    digests: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    redacted: dict[tuple[str | None, str], set[str]] = field(default_factory=dict)


def need_preparation(a: Content, b: Content) -> bool:
    """Whether the content of two traces cannot be compared as it is."""
    return _other_keys(a, b) or (a.captured and b.digests) or (b.captured and a.digests)


def preparation(
    a: Content,
    b: Content,
    records_a: Iterable[Record],
    records_b: Iterable[Record],
) -> tuple[Prepare, str | None]:
    """Return what makes the records of two traces comparable, and what is to be told of it.

    `records_a` and `records_b` are those of both traces; they are read only where one holds as it
    is what the other holds as digests.
    """
    if _other_keys(a, b):
        return _without_digests, OTHER_KEYS
    found_a, found_b = _find(records_a), _find(records_b)
    fitting = (found_a.made & found_b.digests) | (found_b.made & found_a.digests)
    if not fitting:
        return _without_content, ONE_CAPTURED
    doubtful = {
        group
        for found in (found_a, found_b)
        for group, made in found.redacted.items()
        if not made <= fitting
    }

    def prepare(record: Record) -> None:
        held = record.attributes
        for name in _FIELDS:
            token = _digest_held(held, name)
            if token is None:
                made = _digests_of(held, name)
                token = next((one for one in made if one in fitting), made[0] if made else None)
            if (held.tool, name) in doubtful and token not in fitting:
                token = None
            _put(held, name, token)

    return prepare, SOME_REDACTED if doubtful else None


def _other_keys(a: Content, b: Content) -> bool:
    return bool(a.keys and b.keys) and a.keys != b.keys


def _find(records: Iterable[Record]) -> _Found:
    found = _Found()
    for record in records:
        held = record.attributes
        for name in _FIELDS:
            token = _digest_held(held, name)
            if token is not None:
                found.digests.add(token)
            made = _digests_of(held, name)
            found.made.update(made)
            if made and _REDACTED.search(getattr(held, name)):
                found.redacted.setdefault((held.tool, name), set()).add(made[0])
    return found


def _digest_held(held: Held, name: str) -> str | None:
    found: str | None = getattr(held, f"{name}_digest")
    return found


def _digests_of(held: Held, name: str) -> tuple[str, ...]:
    """Return the digests that content may have: of the text, or of what it is the JSON of."""
    text: str | None = getattr(held, name)
    if text is None:
        return ()
    of_json = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    if name == "arguments":
        return (of_json,)
    return (digest(text),) if name == "turn" else (digest(text), of_json)


def _put(held: Held, name: str, token: str | None) -> None:
    setattr(held, name, None)
    setattr(held, f"{name}_digest", token)


def _without_digests(record: Record) -> None:
    held = record.attributes
    held.args_digest = held.arguments_digest = held.result_digest = held.turn_digest = None


def _without_content(record: Record) -> None:
    held = record.attributes
    for name in _FIELDS:
        _put(held, name, None)
