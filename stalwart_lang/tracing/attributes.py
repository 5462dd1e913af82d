"""Every span, event and attribute name that the tracers write, in one place.

`error.type` is of OpenTelemetry's semantic conventions, `stalwart.*` are this project's.
"""

from typing import Final

PLAN: Final = "stalwart.plan"
"""The span around the selector reading a turn."""

LANGUAGE: Final = "stalwart.language"
LANGUAGE_FROM: Final = "stalwart.language_from"
VERDICT: Final = "stalwart.verdict"
REASONS: Final = "stalwart.reasons"
RULES: Final = "stalwart.rules"
VOCABULARY: Final = "stalwart.vocabulary"
VOCABULARY_DIGEST: Final = "stalwart.vocabulary_digest"

TURN: Final = "stalwart.turn"
"""Content: the person's turn. Where content is off, `TURN + DIGEST_SUFFIX` stands in for it."""

DIGEST_SUFFIX: Final = "_digest"
ERROR_TYPE: Final = "error.type"
