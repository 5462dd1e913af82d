"""Calls of a plan in one line, as a person reads them."""

import json
import re
from collections.abc import Mapping

from stalwart_lang.selector.plan import Call
from stalwart_lang.terminal import printable

_BARE = re.compile(r"[\w@.+:/\-]+")


def shown_call(call: Call, currency: str | None = None) -> str:
    """Return a call: `charge_card(order_id=4411, amount=40.00 USD)`.

    Amounts in `currency` are without it, as a vocabulary writes them.
    """
    arguments = (f"{name}={shown_value(its, currency)}" for name, its in call.arguments.items())
    return f"{call.tool}({', '.join(arguments)})"


def shown_value(value: object, currency: str | None = None) -> str:
    """Return a value; a text that is more than one word stands between quotes."""
    if isinstance(value, Mapping):
        parts = {
            name: part for name, part in value.items() if (name, part) != ("currency", currency)
        }
        return " ".join(map(shown_value, parts.values()))
    if isinstance(value, str) and not _BARE.fullmatch(value):
        return printable(json.dumps(value, ensure_ascii=False))
    return str(value)
