"""Checked entries of `rules:` to rules."""

from collections.abc import Iterable
from typing import Any, get_args

from stalwart_lang.vocabulary.checking import Fields
from stalwart_lang.vocabulary.model import Condition, Rule, Test
from stalwart_lang.vocabulary.scope import Entry, Scope, is_true, text_of
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.yaml12 import Scalar

_TESTS: tuple[Test, ...] = get_args(Test)


def build_rule(scope: Scope, entry: Entry) -> Rule | None:
    """Build a rule; tools are in scope. None where its tool is unsound. Raises TooMany."""
    source, fields = entry.source, entry.value
    node = fields.get("tool")
    if node is None:
        return None
    known = scope.known_tool(source, node)
    for other in ("after", "not_after"):
        if fields.get(other) is not None:
            scope.known_tool(source, fields.get(other))
    when: list[Condition] = []
    for key, conditions in fields.get("when") or ():
        if known and not scope.known_argument(source, key, node.text):
            continue
        when += _conditions(scope, source, node.text, key, conditions)
    at_most = fields.get("at_most")
    return Rule(
        name=entry.key.text,
        tool=node.text,
        location=entry.location(),
        never=is_true(fields.get("never")),
        requires=tuple(fact.text for fact in fields.get("requires") or ()),
        requires_confirmation=is_true(fields.get("requires_confirmation")),
        when=tuple(when),
        after=text_of(fields.get("after")),
        not_after=text_of(fields.get("not_after")),
        at_most=None if at_most is None else at_most.value,
        say=scope.sentences(fields.get("say")),
    )


def _conditions(
    scope: Scope, source: Source, tool: str, argument: Scalar, fields: Fields
) -> Iterable[Condition]:
    for test in _TESTS:
        if test not in fields.entries:
            continue
        key, value = fields.entries[test]
        operand: Any
        if test == "one_of":
            operand = tuple(scope.expected(source, tool, argument.text, n) for n in value)
        elif test == "matches":
            operand = value.text
            _check_pattern(scope, source, value)
        else:
            operand = value.value
        yield Condition(argument.text, test, operand, source.location(key.start, key.end))


def _check_pattern(scope: Scope, source: Source, node: Scalar) -> None:
    import re

    try:
        re.compile(node.text)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        message = f"this is not a regular expression: {error}"
        scope.report("SV062", message, source, node)
