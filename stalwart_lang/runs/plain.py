"""Values that every store can hold: JSON without what some of them refuse."""

import json
import re
from typing import Any

from stalwart_lang.tracing.canonical import canonical_json

MOST_BYTES = 1_000_000
"""What a tool's result may have as JSON; of a longer one only the size is kept."""

_LARGEST = 2**63
_SURROGATE = re.compile("[\ud800-\udfff]")


def plain_text(text: str) -> str:
    """Return `text` with U+FFFD for what is no character: a lone surrogate."""
    return _SURROGATE.sub("\ufffd", text)


def plain_value(value: object) -> Any:
    """Return a value of JSON that stands for `value`, and shares nothing with it.

    See `canonical_json` for what has no place in JSON; besides, an integer of more than 64 bits is
    its digits as a text. Raises nothing.
    """
    text = canonical_json(value).decode()
    made = json.loads(text, parse_int=_integer)
    if "\\ud" not in text:
        return made
    return json.loads(plain_text(json.dumps(made, ensure_ascii=False)))


def plain_result(value: object) -> Any:
    """Return a tool's result as `plain_value` does, or {"omitted_bytes": n} where it is long."""
    made = plain_value(value)
    size = len(json.dumps(made, ensure_ascii=False).encode())
    return made if size <= MOST_BYTES else {"omitted_bytes": size}


def _integer(digits: str) -> int | str:
    number = int(digits)
    return number if -_LARGEST <= number < _LARGEST else digits
