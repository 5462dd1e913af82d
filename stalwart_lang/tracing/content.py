"""What a span may hold of a person's words: the value itself, or a digest in its place."""

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TypeAlias

from stalwart_lang.tracing.attributes import (
    ARGS_DIGEST,
    DIGEST_KEY_ID,
    DIGEST_SUFFIX,
    HISTORY_TOKEN,
)
from stalwart_lang.tracing.canonical import canonical_json, readable_json
from stalwart_lang.tracing.report import Reporter

Scalar: TypeAlias = str | bool | int | float
AttributeValue: TypeAlias = Scalar | Sequence[str]
Attributes: TypeAlias = Mapping[str, AttributeValue]
Redact: TypeAlias = Callable[[object], object]
"""Returns a value of the same shape with what is personal in it replaced."""

LONGEST_CONTENT = 2**20
"""Characters of one content that are captured."""

_INT64 = 2**63
_ONLY_TEXT = frozenset((str,))
_ALWAYS_DIGESTS = (ARGS_DIGEST, HISTORY_TOKEN)


@dataclass(frozen=True, slots=True)
class ContentRule:
    """Whether content is captured, what is redacted then, and the key of digests where it is not.

    Without a key a digest of a short value can be guessed by trying every value (all CPFs fit in a
    few hours); with one, only by who holds it.
    """

    capture: bool = False
    digest_key: bytes | None = None
    redact: Redact | None = None
    _reporter: Reporter = field(default_factory=Reporter, compare=False, repr=False)

    def attributes(self, content: Mapping[str, object]) -> dict[str, AttributeValue]:
        """Return one attribute for each content: its name, or its name + `_digest`.

        A redaction that fails gives the digest, so that nothing leaves unredacted; so does what is
        longer than `LONGEST_CONTENT`, so that a record stays one that is read.
        """
        made: dict[str, AttributeValue] = {}
        last: object = self
        text = ""
        for name, value in content.items():
            if not self.capture or name in _ALWAYS_DIGESTS:
                if value is not last:  # a check's arguments come under two names
                    last, text = value, digest(value, self.digest_key)
                made[name if name in _ALWAYS_DIGESTS else name + DIGEST_SUFFIX] = text
            else:
                made.update(self._captured(name, value))
        if self.digest_key is not None and content:
            made[DIGEST_KEY_ID] = digest("stalwart.digest_key_id", self.digest_key)
        return made

    def _captured(self, name: str, value: object) -> dict[str, AttributeValue]:
        text = value if isinstance(value, str) else readable_json(value).decode()
        if len(text) > LONGEST_CONTENT:
            return {name + DIGEST_SUFFIX: digest(value, self.digest_key)}
        if self.redact is None:
            return {name: text}
        try:
            # What would be written, and nothing else: nothing of an object passes by its redaction.
            shown = self.redact(value if isinstance(value, str) else json.loads(text))
        except Exception as error:  # an author's own redaction
            self._reporter.report("Content is kept as digests: its redaction failed", error)
            return {name + DIGEST_SUFFIX: digest(value, self.digest_key)}
        return {name: shown if isinstance(shown, str) else readable_json(shown).decode()}


def content_rule(
    capture: bool, digest_key: bytes | None, redact: Redact | bool | None
) -> ContentRule:
    """Make the rule of a tracer; `redact` is a function, True for the default one, or none.

    Raises ImportError, naming the extra to install, if the default redaction is asked for and what
    it needs is missing.
    """
    if not capture or redact is False or redact is None:
        return ContentRule(capture, digest_key)
    if redact is not True:
        return ContentRule(capture, digest_key, redact)
    from stalwart_lang.redaction import default_redactor

    return ContentRule(capture, digest_key, default_redactor())


def digest(value: object, key: bytes | None = None) -> str:
    """Return 16 hex characters: SHA-256 of the value's canonical JSON, HMAC-SHA-256 with a key."""
    text = canonical_json(value)
    if key is None:
        return hashlib.sha256(text).hexdigest()[:16]
    return hmac.digest(key, text, "sha256").hex()[:16]


def clean(attributes: Attributes) -> dict[str, AttributeValue]:
    """Return a copy of `attributes` with only what every reader of spans can take.

    A lone surrogate is escaped, a number that JSON or 64 bits cannot hold becomes a string, and so
    does any other value, by its canonical JSON.
    """
    return {_clean_text(name): _clean(value) for name, value in attributes.items()}


def clean_but_for_text(attributes: Attributes) -> dict[str, AttributeValue]:
    """Return a copy as `clean` does, where what writes it escapes surrogates itself."""
    if not _ONLY_TEXT.issuperset(map(type, attributes)):
        return clean(attributes)
    for value in attributes.values():
        kind = type(value)
        if kind is str or kind is bool or (kind is int and -_INT64 <= value < _INT64):  # type: ignore[operator]
            continue
        if kind is list and _ONLY_TEXT.issuperset(map(type, value)):  # type: ignore[arg-type]
            continue
        return clean(attributes)
    return dict(attributes)


def _clean(value: object) -> AttributeValue:
    if isinstance(value, str):
        return _clean_text(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        return float(value) if isfinite(value) else str(float(value))
    if isinstance(value, int):
        return int(value) if -_INT64 <= value < _INT64 else _as_text(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [_as_text(item) for item in value]
    return _as_text(value)


def _as_text(value: object) -> str:
    return _clean_text(value) if isinstance(value, str) else canonical_json(value).decode()


def _clean_text(text: object) -> str:
    if not isinstance(text, str):
        return _as_text(text)
    # Most text is fine, and looking is cheaper than making it anew.
    text = str.__str__(text)  # of a subclass's own methods none is called
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
