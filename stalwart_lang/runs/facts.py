"""Facts that are named as no rule does: one of another name was meant."""

import logging
from collections.abc import Container, Iterable, Mapping

from stalwart_lang.diagnostics import quoted
from stalwart_lang.vocabulary.model import Rule
from stalwart_lang.vocabulary.suggest import nearest

_LOG = logging.getLogger("stalwart_lang.runs")


def warn_of_misnamed(
    facts: Mapping[str, object], rules: Iterable[Rule], others: Container[str] = ()
) -> None:
    """Log the facts that were most likely meant to be another; `others` are given besides."""
    for name, near in misnamed(facts, rules, others).items():
        _LOG.warning("no rule requires the fact %s; did you mean %s?", quoted(name), quoted(near))


def misnamed(
    facts: Mapping[str, object], rules: Iterable[Rule], others: Container[str] = ()
) -> dict[str, str]:
    """Return the facts that were most likely meant to be another, each with the other's name.

    A fact is one if no rule requires it, it is true or false, and its name is near that of a fact
    that a rule requires and that is not given.
    """
    required = dict.fromkeys(fact for rule in rules for fact in rule.requires)
    missing = [fact for fact in required if fact not in facts and fact not in others]
    found = {}
    for name, value in facts.items():
        near = nearest(name, missing) if isinstance(value, bool) and name not in required else None
        if near is not None:
            found[name] = near
    return found
