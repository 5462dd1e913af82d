"""Lint of rules: those that never fire, that others shadow, that can never be kept."""

from collections.abc import Iterator
from decimal import Decimal

from stalwart_lang.diagnostics import Diagnostic, Related, diagnostic, quoted
from stalwart_lang.vocabulary.model import Argument, Condition, Rule, Vocabulary
from stalwart_lang.vocabulary.scope import TEXT_KINDS

_ORDERED_KINDS = frozenset(("integer", "decimal", "money", "percentage", "quantity", "thing"))

_PLAIN_NUMBERS = frozenset(("integer", "decimal", "percentage", "thing"))

_COMPARED = 100
"""Of the rules about one tool, so many are compared with all others."""


def orders_never_kept(vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """SV106: `after` rules in a circle, and a tool both after and not after another."""
    after: dict[str, list[Rule]] = {}
    not_after = {(rule.tool, rule.not_after): rule for rule in vocabulary.rules.values()}
    for rule in vocabulary.rules.values():
        if rule.after is None or rule.after == rule.tool:
            continue
        after.setdefault(rule.tool, []).append(rule)
        against = not_after.get((rule.tool, rule.after))
        if against is not None:
            names = f"{quoted(rule.tool)} must be after {quoted(rule.after)} and must not"
            yield _order(rule, names, against)
    for rule, closing in _circles(after):
        names = f"{quoted(rule.tool)} waits for {quoted(str(rule.after))}, which waits for it"
        yield _order(rule, names, closing)


def _order(rule: Rule, message: str, other: Rule) -> Diagnostic:
    return diagnostic(
        "SV106",
        f"{message}, so it never runs",
        rule.location,
        "remove one of the two rules",
        (Related(f"the other rule is {quoted(other.name)}", other.location),),
    )


def _circles(after: dict[str, list[Rule]]) -> Iterator[tuple[Rule, Rule]]:
    """Each rule that closes a circle, with the rule on it that follows."""
    done: set[str] = set()
    for start in after:
        if start in done:
            continue
        waiting = {start}
        stack = [(start, iter(after[start]))]
        while stack:
            tool, rules = stack[-1]
            rule = next(rules, None)
            if rule is None:
                stack.pop()
                waiting.discard(tool)
                done.add(tool)
                continue
            before = str(rule.after)
            if before in waiting:
                yield rule, _leaving(before, after, waiting, rule)
            elif before not in done:
                waiting.add(before)
                stack.append((before, iter(after.get(before, ()))))


def _leaving(tool: str, after: dict[str, list[Rule]], waiting: set[str], closing: Rule) -> Rule:
    """The rule by which a tool on a circle waits for the next one on it."""
    return next((rule for rule in after[tool] if str(rule.after) in waiting), closing)


def rules_never_firing(vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """SV107: a rule without effect, or one that says in a roundabout way that a tool never runs."""
    for rule in vocabulary.rules.values():
        if not _effects(rule):
            yield _never(rule, "the rule has no effect", "remove it, or set something to `true`")
        if rule.at_most == 0:
            yield _never(rule, "at most 0 times is never", "write `never: true`")
        if rule.after == rule.tool:
            message = f"{quoted(rule.tool)} must be after itself, so it never runs"
            yield _never(rule, message, "write `never: true`")
        if rule.not_after == rule.tool:
            message = f"{quoted(rule.tool)} must not be after itself, so it runs once"
            yield _never(rule, message, "write `at_most: 1`")
        tool = vocabulary.tools.get(rule.tool)
        arguments = {a.name: a for a in tool.arguments} if tool else {}
        for name in dict.fromkeys(condition.argument for condition in rule.when):
            conditions: dict[str, Condition] = {c.test: c for c in rule.when if c.argument == name}
            problem = _contradiction(conditions, arguments.get(name))
            if problem:
                yield diagnostic(
                    "SV107",
                    f"no {quoted(name)} is {problem}, so the rule never fires",
                    next(iter(conditions.values())).location,
                )


def _never(rule: Rule, message: str, fix: str) -> Diagnostic:
    return diagnostic("SV107", message, rule.location, fix)


def _contradiction(conditions: dict[str, Condition], argument: Argument | None) -> str | None:
    """What no value can be, if the conditions on one argument contradict one another."""
    over, under = conditions.get("over"), conditions.get("under")
    if over and under and over.operand >= under.operand:
        return f"over {over.operand} and under {under.operand}"
    one_of = conditions.get("one_of")
    if one_of is None:
        return None
    numbers = [n for n in one_of.operand if _is_number(n)]
    if not numbers:
        kinds = {kind.kind for kind in argument.types} if argument else set()
        return "one of these, which are no numbers" if kinds and kinds <= _PLAIN_NUMBERS else None
    if over and all(n <= over.operand for n in numbers):
        return f"over {over.operand} and one of these"
    if under and all(n >= under.operand for n in numbers):
        return f"under {under.operand} and one of these"
    return None


def _is_number(value: object) -> bool:
    if isinstance(value, Decimal):
        return value.is_finite()
    return isinstance(value, int) and not isinstance(value, bool)


def shadowed_rules(vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """SV108: a rule that changes nothing, because another always says as much or more."""
    by_tool: dict[str, list[Rule]] = {}
    for rule in vocabulary.rules.values():
        by_tool.setdefault(rule.tool, []).append(rule)
    for rules in by_tool.values():
        for number, rule in enumerate(rules):
            for other_number, other in enumerate(rules[:_COMPARED]):
                if other is rule or not _covers(other, rule):
                    continue
                if _covers(rule, other) and other_number > number:
                    continue
                yield diagnostic(
                    "SV108",
                    f"{quoted(other.name)} already says as much about {quoted(rule.tool)}",
                    rule.location,
                    "remove one of the two rules",
                    (Related("it is here", other.location),),
                )
                break


def _covers(one: Rule, other: Rule) -> bool:
    """Whether wherever `other` applies `one` does too, and asks for at least as much."""
    theirs = [_key(condition) for condition in other.when]
    if not all(_key(condition) in theirs for condition in one.when):
        return False
    if one.never:
        return bool(_effects(other))
    return bool(_effects(other)) and _effects(other) <= _effects(one) | (
        {("at_most", other.at_most)} if _at_least_as_strict(one, other) else set()
    )


def _key(condition: Condition) -> tuple[str, str, str]:
    return condition.argument, condition.test, repr(condition.operand)


def _at_least_as_strict(one: Rule, other: Rule) -> bool:
    if one.at_most is None or other.at_most is None:
        return False
    return one.at_most <= other.at_most


def _effects(rule: Rule) -> set[tuple[str, object]]:
    effects: set[tuple[str, object]] = {("requires", fact) for fact in rule.requires}
    if rule.never:
        effects.add(("never", True))
    if rule.requires_confirmation:
        effects.add(("requires_confirmation", True))
    for name in ("after", "not_after", "at_most"):
        if getattr(rule, name) is not None:
            effects.add((name, getattr(rule, name)))
    return effects


def comparisons_that_do_not_fit(vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """SV109: `over` or `under` where nothing is more or less, `matches` where there is no text."""
    for rule in vocabulary.rules.values():
        tool = vocabulary.tools.get(rule.tool)
        types = {a.name: a.types for a in tool.arguments} if tool else {}
        for condition in rule.when:
            kinds = {kind.kind for kind in types.get(condition.argument, ())}
            if condition.test in ("over", "under") and not kinds & _ORDERED_KINDS:
                problem = "has no more or less"
            elif condition.test == "matches" and not kinds & TEXT_KINDS:
                problem = "is no text"
            else:
                continue
            yield diagnostic(
                "SV109",
                f"{quoted(condition.argument)} {problem}, so `{condition.test}` does not fit it",
                condition.location,
            )
