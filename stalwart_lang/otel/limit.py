"""Attributes within OpenTelemetry's limit (128 by default), the package's own kept.

Over its limit the SDK drops the attribute that was set first: on a tool check that is the call and
its outcome. So once a span comes near it, further attributes are held back until it ends, and of
those the ones of others are dropped that came last.
"""

import sys
from collections.abc import Collection, Mapping
from typing import Final

from stalwart_lang.tracing import attributes as names
from stalwart_lang.tracing.content import AttributeValue

_FIRST: Final = (names.OUTCOME, names.ERROR_TYPE, *names.TOOL_CHECK_ATTRIBUTES)

_OWN: Final = frozenset(
    value
    for name, value in vars(names).items()
    if name.isupper() and isinstance(value, str) and "." in value
) | {content + names.DIGEST_SUFFIX for content in names.CONTENT_ATTRIBUTES}

RESERVED: Final = len(_OWN)
"""How many of a span's attributes are kept free for the package's own."""


def limit_of(opened: object, limit: str) -> int:
    """Return one of the SDK's `SpanLimits` that hold for a span; no limit for another's span.

    The SDK tells a span's limits in no public way.
    """
    found = getattr(getattr(opened, "_limits", None), limit, None)
    return found if isinstance(found, int) else sys.maxsize


def within(
    added: Mapping[str, AttributeValue], limit: int, present: Collection[str] = ()
) -> dict[str, AttributeValue]:
    """Return what of `added` there is room for beside the names `present`.

    If that is not all, the attribute `stalwart.dropped_attributes` tells how many are missing.
    """
    new = [name for name in added if name not in present]
    room = limit - len(present)
    if len(new) <= room:
        return dict(added)
    new.sort(key=_rank)
    # One place is the count's.
    dropped = set(new[max(room - 1, 0) :])
    kept = {name: value for name, value in added.items() if name not in dropped}
    kept[names.DROPPED_ATTRIBUTES] = len(dropped)
    return kept


def _rank(name: str) -> int:
    if name in _FIRST:
        return 0
    return 1 if name in _OWN else 2
