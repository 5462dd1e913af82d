"""What the check answers."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from stalwart_lang.vocabulary.model import Location, Sentences

Outcome: TypeAlias = Literal["allow", "confirm", "refuse"]
Step: TypeAlias = Literal[
    "catalogue",
    "arguments",
    "rulebook",
    "order",
    "labels",
    "confirmation",
    "approval",
    "default",
]
"""The steps of the check, in the order in which they decide."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason: the step that gives it, a short name, and a sentence in each language.

    `name` is a rule's name, or one of `unknown_tool`, `unknown_argument`, `missing_argument`,
    `wrong_argument`, `unclear_call_id`, `outside_data`, `write`, `irreversible`, `approved`,
    `declined`. `location` is where the rule is written, `binding` what an order rule ties:
    `refund_card after charge_card`.
    """

    step: Step
    outcome: Outcome
    name: str
    say: Sentences
    location: Location | None = None
    binding: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer for one call, and how it came about.

    `decided_by` is the first step that decides; `reasons` are all there are, those of later steps
    too, the deciding one first. `labels` are the marks that the call carried.
    """

    outcome: Outcome
    decided_by: Step
    reasons: tuple[Reason, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def reason(self) -> Reason | None:
        """The deciding reason; an allowed call may have none."""
        return self.reasons[0] if self.reasons else None

    @property
    def rule(self) -> str | None:
        """What is behind the answer: a rule's name, an order's binding, or a reason's name."""
        first = self.reason
        return None if first is None else first.binding or first.name
