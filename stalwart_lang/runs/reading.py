"""How a turn becomes calls, a question, a refusal, or the model's business."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stalwart_lang.runs.agent_declarations import OnUnread
from stalwart_lang.runs.kept_plan import plan_from_dict
from stalwart_lang.runs.replies import sentence
from stalwart_lang.selector.plan import Call, Plan
from stalwart_lang.selector.selector import Selector
from stalwart_lang.words.language import Language


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a turn: calls, or a text for the person, or neither (the model's turn).

    `asked` is what the next turn is read with: the plan of this one, if it was asked about.
    `language` is the one that the turn was read in.
    """

    language: Language
    calls: Sequence[Call] = ()
    text: str = ""
    to_model: bool = False
    asked: dict[str, Any] | None = None
    plan: dict[str, Any] | None = None


def read_turn(
    selector: Selector | None,
    turn: Mapping[str, Any],
    asked: Mapping[str, Any] | None,
    on_unread: OnUnread,
) -> Found:
    """Read a turn; without a selector it is the model's.

    A question is asked once: an answer that is not read ends it. One that gives a part of what was
    missing is asked for the rest.
    """
    if selector is None:
        return Found(turn["language"], to_model=True)
    pending = None if asked is None else plan_from_dict(asked)
    plan = selector.plan(
        turn["text"], language=turn["asked_language"], now=turn.get("now"), pending=pending
    )
    language, made = plan.language, plan.to_dict()
    if plan.verdict == "read":
        return Found(language, plan.calls, plan=made)
    if plan.verdict == "unread" and on_unread == "model":
        return Found(language, to_model=True, plan=made)
    why = _why(plan, language)
    if on_unread == "refuse":
        return Found(language, text=sentence(language, "unread", why=why), plan=made)
    if asked is not None and not _asks_else(made, asked):
        return Found(language, text=sentence(language, "given_up", why=why), plan=made)
    text = why if plan.missing else sentence(language, "unread", why=why)
    return Found(language, text=text, asked=made, plan=made)


def _asks_else(made: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    """Whether an incomplete plan lacks something else than was asked for before."""
    lacks, lacked = (
        {
            (missing["call"], missing["tool"], missing["argument"])
            for missing in plan.get("missing", ())
        }
        for plan in (made, asked)
    )
    return made["verdict"] == "incomplete" and lacks != lacked


def _why(plan: Plan, language: Language) -> str:
    if plan.missing:
        return " ".join(missing.question for missing in plan.missing)
    if plan.verdict == "ambiguous":
        return sentence(language, "ambiguous")
    return " ".join(reason.message for reason in plan.reasons)
