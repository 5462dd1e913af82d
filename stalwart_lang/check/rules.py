"""Whether a named rule applies to a call, and what it then says."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from decimal import Decimal
from typing import Any

from stalwart_lang.check.catalogue import ToolSpec, decimal_of
from stalwart_lang.check.decision import Reason, Step
from stalwart_lang.check.history import Done
from stalwart_lang.vocabulary.model import Condition, Rule, Sentences


def applies(rule: Rule, arguments: Mapping[str, Any], currencies: Set[str]) -> bool:
    """Whether every condition of the rule's `when` holds.

    A condition on an argument that is not given does not hold. An amount in a currency that is
    none of `currencies` can be compared with nothing: then it does, so that no amount slips by.
    """
    return all(
        condition.argument in arguments
        and _holds(condition, arguments[condition.argument], currencies)
        for condition in rule.when
    )


def _holds(condition: Condition, value: Any, currencies: Set[str]) -> bool:
    if condition.test == "matches":
        text = str(value) if isinstance(value, int) else value
        return isinstance(text, str) and re.fullmatch(condition.operand, text) is not None
    foreign = isinstance(value, Mapping) and value.get("currency", "") not in currencies | {""}
    if condition.test == "one_of":
        return any(_same(value, operand, foreign) for operand in condition.operand)
    if foreign:
        return True
    number = decimal_of(value)
    if number is None:
        return False
    limit = Decimal(str(condition.operand))
    return number > limit if condition.test == "over" else number < limit


def _same(value: Any, operand: Any, foreign: bool) -> bool:
    if isinstance(value, bool) or isinstance(operand, bool):
        return value is operand
    if isinstance(operand, int | Decimal):
        return foreign or decimal_of(value) == operand
    if isinstance(value, Mapping) and isinstance(operand, str):
        # As a vocabulary writes an amount with its currency or its unit: "40.00 BRL", "2 kilo".
        first, _, last = operand.strip().partition(" ")
        unit = value.get("currency", value.get("unit"))
        return (last == unit and decimal_of(value) == decimal_of(first)) or (
            first == unit and decimal_of(value) == decimal_of(last)
        )
    if isinstance(value, int):
        return decimal_of(operand) == value
    return bool(value == operand)


def rulebook_reasons(rule: Rule, facts: Mapping[str, object]) -> Iterator[Reason]:
    """Yield why a rule that applies refuses: `never`, or facts that it requires do not hold.

    A fact holds where it is given as true; any other value (a text, say) is no answer.
    """
    if rule.never:
        yield _refused(rule, "rulebook", _NEVER)
    missing = [fact for fact in rule.requires if facts.get(fact) is not True]
    if missing:
        yield _refused(rule, "rulebook", _REQUIRES, facts=", ".join(missing))


def order_reasons(
    rule: Rule,
    arguments: Mapping[str, Any],
    history: Sequence[Done],
    catalogue: Mapping[str, ToolSpec],
) -> Iterator[Reason]:
    """Yield the bindings of order that a call breaks.

    `after` and `not_after` look at calls about the same things: a refund of order 5 is not after
    the charge of order 6. `at_most` counts all calls of the tool.
    """
    if rule.after is not None and not _was_done(
        rule.after, rule.tool, arguments, history, catalogue
    ):
        yield _refused(rule, "order", _AFTER, f"{rule.tool} after {rule.after}", other=rule.after)
    if rule.not_after is not None and _was_done(
        rule.not_after, rule.tool, arguments, history, catalogue
    ):
        binding = f"{rule.tool} not_after {rule.not_after}"
        yield _refused(rule, "order", _NOT_AFTER, binding, other=rule.not_after)
    if rule.at_most is not None and sum(d.tool == rule.tool for d in history) >= rule.at_most:
        binding = f"{rule.tool} at_most {rule.at_most}"
        sentences = _ONCE if rule.at_most == 1 else _AT_MOST
        yield _refused(rule, "order", sentences, binding, count=rule.at_most)


def _was_done(
    tool: str,
    for_tool: str,
    arguments: Mapping[str, Any],
    history: Sequence[Done],
    catalogue: Mapping[str, ToolSpec],
) -> bool:
    here = _things(catalogue.get(for_tool), arguments)
    for done in history:
        if done.tool != tool:
            continue
        there = _things(catalogue.get(tool), done.arguments)
        shared = here.keys() & there.keys()
        if all(here[thing] & there[thing] for thing in shared):
            return True
    return False


def _things(tool: ToolSpec | None, arguments: Mapping[str, Any]) -> dict[str, set[int]]:
    """Return the ids that a call holds, by the thing they are of."""
    found: dict[str, set[int]] = {}
    for name, spec in (tool.arguments if tool else {}).items():
        # An argument that admits an id and something else holds an id where it is a number.
        if spec.thing is not None and isinstance(arguments.get(name), int):
            found.setdefault(spec.thing, set()).add(arguments[name])
    return found


def confirmation_reason(rule: Rule) -> Reason:
    """Return the reason of a rule that asks for a person's word."""
    made: Sentences = {
        language: text.format(tool=rule.tool) for language, text in _CONFIRMED.items()
    }
    return Reason("confirmation", "confirm", rule.name, {**made, **rule.say}, rule.location)


def _refused(
    rule: Rule,
    step: Step,
    sentences: Sentences,
    binding: str | None = None,
    **words: object,
) -> Reason:
    made: Sentences = {
        language: text.format(rule=rule.name, tool=rule.tool, **words)
        for language, text in sentences.items()
    }
    return Reason(step, "refuse", rule.name, {**made, **rule.say}, rule.location, binding)


_NEVER: Sentences = {
    "en": "The rule {rule} never lets {tool} run.",
    "pt-BR": "A regra {rule} nunca deixa {tool} rodar.",
}
_REQUIRES: Sentences = {
    "en": "The rule {rule} needs {facts}, which does not hold.",
    "pt-BR": "A regra {rule} precisa de {facts}, que não vale.",
}
_AFTER: Sentences = {
    "en": "The rule {rule} lets {tool} run only after {other}.",
    "pt-BR": "A regra {rule} só deixa {tool} rodar depois de {other}.",
}
_NOT_AFTER: Sentences = {
    "en": "The rule {rule} does not let {tool} run after {other}.",
    "pt-BR": "A regra {rule} não deixa {tool} rodar depois de {other}.",
}
_AT_MOST: Sentences = {
    "en": "The rule {rule} lets {tool} run at most {count} times.",
    "pt-BR": "A regra {rule} deixa {tool} rodar no máximo {count} vezes.",
}
_ONCE: Sentences = {
    "en": "The rule {rule} lets {tool} run only once.",
    "pt-BR": "A regra {rule} só deixa {tool} rodar uma vez.",
}
_CONFIRMED: Sentences = {
    "en": "A person must confirm {tool}.",
    "pt-BR": "Uma pessoa precisa confirmar {tool}.",
}
