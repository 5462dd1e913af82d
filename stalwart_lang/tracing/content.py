"""What a span may hold of a person's words: the value itself, or a digest in its place."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias

from stalwart_lang.tracing.attributes import DIGEST_SUFFIX
from stalwart_lang.tracing.canonical import canonical_json

Scalar: TypeAlias = str | bool | int | float
AttributeValue: TypeAlias = Scalar | Sequence[str]
Attributes: TypeAlias = Mapping[str, AttributeValue]

_INT64 = 2**63


@dataclass(frozen=True, slots=True)
class ContentRule:
    """Whether content is captured, and the key that digests are made with where it is not.

    Without a key a digest of a short value can be guessed by trying every value (all CPFs fit in a
    few hours); with one, only by who holds it.
    """

    capture: bool = False
    digest_key: bytes | None = None

    def attributes(self, name: str, value: object) -> dict[str, AttributeValue]:
        """Return the one attribute that `value` becomes: `name`, or `name` + `_digest`."""
        if not self.capture:
            return {name + DIGEST_SUFFIX: digest(value, self.digest_key)}
        if isinstance(value, str):
            return {name: value}
        return {name: canonical_json(value).decode()}


def digest(value: object, key: bytes | None = None) -> str:
    """Return 16 hex characters: SHA-256 of the value's canonical JSON, HMAC-SHA-256 with a key."""
    text = canonical_json(value)
    if key is None:
        return hashlib.sha256(text).hexdigest()[:16]
    return hmac.digest(key, text, "sha256").hex()[:16]


def clean(attributes: Attributes) -> dict[str, AttributeValue]:
    """Return `attributes` with only what every reader of spans can take.

    A lone surrogate is escaped, and a number that JSON or 64 bits cannot hold becomes a string.
    """
    return {name: _clean(value) for name, value in attributes.items()}


def _clean(value: AttributeValue) -> AttributeValue:
    if isinstance(value, str):
        return _clean_text(value)
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, int):
        return value if -_INT64 <= value < _INT64 else str(value)
    return [_clean_text(item) for item in value]


def _clean_text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
