"""The check of a call against the rules and what was done in the conversation, with its span."""

from collections.abc import Mapping
from typing import Any

from stalwart_lang.check import Decision, Done, check
from stalwart_lang.check.steps import Approval
from stalwart_lang.runs.here import Here
from stalwart_lang.runs.state import PlannedCall, State
from stalwart_lang.runs.storage import CallRecord
from stalwart_lang.tracing import spans
from stalwart_lang.tracing.content import digest
from stalwart_lang.words.language import Language


def check_planned(
    here: Here, state: State, call: PlannedCall, approval: Approval | None = None
) -> Decision:
    """Check a call of the plan; one that a model made up carries the conversation's labels."""
    labels = tuple(state.get("labels", ())) if call["by"] == "model" else ()
    return checked(
        here, state, call["tool"], call["arguments"], call["id"], labels, approval=approval
    )


def checked(
    here: Here,
    state: State,
    tool: str,
    arguments: Mapping[str, Any],
    call_id: str,
    labels: tuple[str, ...] = (),
    *,
    approval: Approval | None = None,
    undoing: bool = False,
) -> Decision:
    """Check a call, in its span."""
    token = state.get("history_token")
    with spans.tool_check(
        here.tracer, tool, arguments, call_id=call_id, labels=labels, history_token=token
    ) as span:
        decision = check(
            here.spec.checked,
            tool,
            arguments,
            history=_history(here, tool),
            labels=labels,
            approval=approval,
            undoing=undoing,
        )
        location = decision.reason.location if decision.reason else None
        span.decided(
            decision.outcome,
            decision.decided_by,
            rule=decision.rule,
            reasons=[reason.name for reason in decision.reasons],
            rule_file=location.file if location else None,
            rule_line=location.line if location else None,
        )
    return decision


def act_of(
    kind: str, decision: Decision, tool: str, call_id: str, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what a timeline shows of a check."""
    location = decision.reason.location if decision.reason else None
    return {
        "kind": kind,
        "tool": tool,
        "call_id": call_id,
        "outcome": decision.outcome,
        "decided_by": decision.decided_by,
        "rule": decision.rule,
        "rule_file": location.file if location else None,
        "rule_line": location.line if location else None,
        "reasons": [reason.name for reason in decision.reasons],
        "labels": list(decision.labels),
        "args_digest": digest(arguments),
    }


def refusal(decision: Decision, language: Language) -> str:
    """Return why a call is refused; what it would have been asked about besides is not why."""
    said = (reason.say[language] for reason in decision.reasons if reason.outcome == "refuse")
    return " ".join(said)


def _history(here: Here, tool: str) -> list[Done]:
    """Return what was done of the tools that the rules of order about `tool` look at.

    A call in doubt counts where a rule keeps something from being done again, and does not where
    a rule wants it done before.
    """
    wanted: set[str] = set()
    limiting: set[str] = set()
    for rule in here.spec.rules:
        if rule.tool == tool:
            wanted |= {rule.after} if rule.after else set()
            limiting |= {rule.not_after} if rule.not_after else set()
            limiting |= {tool} if rule.at_most is not None else set()
    records = [
        *here.storage.calls_of(here.thread, sorted(wanted - limiting)),
        *here.storage.calls_of(here.thread, sorted(limiting), ("done", "in doubt")),
    ]
    return [_done(record) for record in sorted(records, key=lambda record: record.step)]


def _done(record: CallRecord) -> Done:
    return Done(record.tool, record.arguments)
