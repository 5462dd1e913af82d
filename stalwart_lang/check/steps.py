"""The check itself: ordered steps of which the first that decides, decides.

Pure: the same call, catalogue, rules, facts, history and labels give the same decision.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from stalwart_lang.check.catalogue import ToolSpec
from stalwart_lang.check.decision import Decision, Reason, Step
from stalwart_lang.check.history import Done
from stalwart_lang.check.rules import (
    applies,
    confirmation_reason,
    order_reasons,
    rulebook_reasons,
)
from stalwart_lang.vocabulary.model import Rule, Sentences

Approval: TypeAlias = Literal["approve", "decline"]


@dataclass(frozen=True, slots=True)
class Checked:
    """What calls are checked against: the tools there are, the rules, the facts that hold.

    `currencies` are those in which the rules' amounts are meant (ISO 4217).
    """

    catalogue: Mapping[str, ToolSpec]
    rules: Sequence[Rule] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    currencies: Set[str] = frozenset()


def check(
    against: Checked,
    tool: str,
    arguments: Mapping[str, Any],
    *,
    history: Sequence[Done] = (),
    labels: Iterable[str] = (),
    approval: Approval | None = None,
    undoing: bool = False,
) -> Decision:
    """Decide on one call.

    `history` is what was done before it, `labels` the marks it carries (tools that read from
    outside, whose data it may hold), `approval` a person's answer where one was given. An undo
    (`undoing`) is part of what a person has approved: it is not asked about again.
    """
    marks = tuple(dict.fromkeys(labels))
    reasons = list(_reasons(against, tool, arguments, history, marks, approval, undoing))
    if not reasons:
        return Decision("allow", "default", (), marks)
    order = sorted(reasons, key=lambda reason: _ORDER.index(reason.step))
    first = order[0]
    return Decision(first.outcome, first.step, tuple(order), marks)


_ORDER: tuple[Step, ...] = (
    "catalogue",
    "arguments",
    "rulebook",
    "order",
    "labels",
    "confirmation",
    "approval",
)


def _reasons(
    against: Checked,
    tool: str,
    arguments: Mapping[str, Any],
    history: Sequence[Done],
    labels: tuple[str, ...],
    approval: Approval | None,
    undoing: bool,
) -> Iterator[Reason]:
    spec = against.catalogue.get(tool)
    if spec is None:
        yield _reason("catalogue", "refuse", "unknown_tool", tool=tool)
        return
    wrong = [*_undeclared(spec, arguments), *_wrong(spec, arguments)]
    yield from wrong
    if wrong:  # rules read arguments, and these are not what they take them for
        return
    rules = [
        rule
        for rule in against.rules
        if rule.tool == tool and applies(rule, arguments, against.currencies)
    ]
    for rule in rules:
        yield from rulebook_reasons(rule, against.facts)
        yield from order_reasons(rule, arguments, history, against.catalogue)
    if spec.sends_out and labels:
        yield _reason("labels", "refuse", "outside_data", tool=tool, labels=", ".join(labels))
    if undoing:
        return
    asked = list(_to_confirm(spec, rules))
    if approval == "decline":
        yield _reason("approval", "refuse", "declined", tool=tool)
    elif asked and approval == "approve":
        yield _reason("approval", "allow", "approved", tool=tool)
    else:
        yield from asked


def _undeclared(spec: ToolSpec, arguments: Mapping[str, Any]) -> Iterator[Reason]:
    for name in arguments:
        if name not in spec.arguments:
            yield _reason("catalogue", "refuse", "unknown_argument", tool=spec.name, argument=name)


def _wrong(spec: ToolSpec, arguments: Mapping[str, Any]) -> Iterator[Reason]:
    for name, argument in spec.arguments.items():
        if name not in arguments:
            if argument.required:
                yield _reason(
                    "arguments", "refuse", "missing_argument", tool=spec.name, argument=name
                )
        elif not argument.fits(arguments[name]):
            yield _reason(
                "arguments",
                "refuse",
                "wrong_argument",
                tool=spec.name,
                argument=name,
                expects=argument.expects,
            )


def _to_confirm(spec: ToolSpec, rules: Sequence[Rule]) -> Iterator[Reason]:
    if spec.writes:
        yield _reason("confirmation", "confirm", "write", tool=spec.name)
    if spec.irreversible:
        yield _reason("confirmation", "confirm", "irreversible", tool=spec.name)
    for rule in rules:
        if rule.requires_confirmation:
            yield confirmation_reason(rule)


def _reason(
    step: Step, outcome: Any, name: str, *, expects: Sentences | None = None, **words: str
) -> Reason:
    said: Sentences = {
        language: text.format(**words, expects=expects[language] if expects else "")
        for language, text in _SENTENCES[name].items()
    }
    return Reason(step, outcome, name, said)


_SENTENCES: Mapping[str, Sentences] = {
    "unknown_tool": {
        "en": "There is no tool {tool}.",
        "pt-BR": "Não existe a ferramenta {tool}.",
    },
    "unknown_argument": {
        "en": "{tool} takes no {argument}.",
        "pt-BR": "{tool} não recebe {argument}.",
    },
    "missing_argument": {
        "en": "{tool} needs {argument}.",
        "pt-BR": "{tool} precisa de {argument}.",
    },
    "wrong_argument": {
        "en": "{argument} of {tool} must be {expects}.",
        "pt-BR": "{argument} de {tool} deve ser {expects}.",
    },
    "outside_data": {
        "en": "{tool} sends out, and this may hold data from outside ({labels}).",
        "pt-BR": "{tool} envia para fora, e isto pode conter dados de fora ({labels}).",
    },
    "write": {
        "en": "{tool} changes something: a person must confirm it.",
        "pt-BR": "{tool} muda algo: uma pessoa precisa confirmar.",
    },
    "irreversible": {
        "en": "Nothing takes {tool} back.",
        "pt-BR": "Nada desfaz {tool}.",
    },
    "approved": {
        "en": "A person approved {tool}.",
        "pt-BR": "Uma pessoa aprovou {tool}.",
    },
    "declined": {
        "en": "A person declined {tool}.",
        "pt-BR": "Uma pessoa recusou {tool}.",
    },
}
