"""Undoing: of a run that stops where runs are atomic, and of what a rewind goes back over.

What was done is undone latest first, each undo checked like any call. What cannot be undone is
told.
"""

from collections.abc import Sequence
from typing import Any

from stalwart_lang.runs.calling import run_once
from stalwart_lang.runs.checking import act_of, checked, refusal
from stalwart_lang.runs.here import Here
from stalwart_lang.runs.history import entry, extended
from stalwart_lang.runs.replies import sentence
from stalwart_lang.runs.spec import AgentSpec
from stalwart_lang.runs.state import State, Undo, Update, language_of
from stalwart_lang.runs.storage import CallRecord
from stalwart_lang.tracing import spans


def stopped(here: Here, state: State, how: str, **words: object) -> Update:
    """Stop the run: undo what it did where it is atomic; `words` go in the sentence `how`."""
    done = here.storage.calls_from(here.thread, state["turn"]["began"])
    if here.spec.atomic:
        return {"stopped": {"how": how, **words}, **_begun(here, state, done)}
    kept = [record.tool for record in done if record.status == "done"]
    return {"stopped": {"how": how, "kept": kept, **words}, "phase": _after(state)}


def rewind(here: Here, state: State) -> Update:
    """Begin to undo what was done from a step of the history on."""
    to_step = state["turn"]["to_step"]
    with spans.rewind(here.tracer, to_step):
        done = here.storage.calls_from(here.thread, to_step)
    return {
        "act": {"kind": "rewind", "to": to_step},
        "stopped": {"how": "rewound", "step": to_step},
        **_begun(here, state, done, doubts=True),
        **extended(here, state, {"kind": "rewind", "to_step": to_step}),
    }


def check_undo(here: Here, state: State) -> Update:
    """Check the undo of what was done last."""
    undo = state["to_undo"][-1]
    identity, arguments = _identity(state, undo), _arguments(here.spec, undo)
    with spans.rollback(here.tracer):
        decision = checked(here, state, undo["by"], arguments, identity, undoing=True)
    act = act_of("undo", decision, undo["by"], identity, arguments)
    act["undoes"] = undo["step"]
    if decision.outcome == "allow":
        return {"act": act, "phase": "undo"}
    why = refusal(decision, language_of(state))
    return {"act": act, **_came(state, "refused", why)}


def undo_call(here: Here, state: State) -> Update:
    """Run the undo, and take the call off the list of what to undo."""
    undo = state["to_undo"][-1]
    identity, arguments = _identity(state, undo), _arguments(here.spec, undo)
    step = state.get("history_length", 0)
    with spans.rollback(here.tracer):
        came = run_once(here, identity, undo["by"], arguments, step, undo["step"])
    if came.status == "done":
        here.storage.settle(here.thread, undo["call_id"], "undone")
        update = _came(state, "undone", "")
    elif came.status == "in doubt":
        update = _came(state, "in doubt", sentence(language_of(state), "undo_in_doubt"))
    else:
        update = _came(state, "failed", came.error or came.status)
    made = entry(
        "undo",
        undo["by"],
        identity,
        arguments,
        undoes=undo["step"],
        error=came.error,
        in_doubt=came.status == "in doubt",
    )
    return {**update, **extended(here, state, made)}


def _begun(here: Here, state: State, done: Sequence[CallRecord], *, doubts: bool = False) -> Update:
    """Part what was done into what is undone and what stays; `doubts`: tell calls in doubt too."""
    language = language_of(state)
    doubtful = {record.undoes for record in done if record.status == "in doubt"}
    to_undo: list[Undo] = []
    left: list[dict[str, Any]] = []
    for record in done:
        tool = here.spec.tool(record.tool)
        if record.undoes is not None or not tool.writes:
            continue
        if record.status == "in doubt":
            if doubts:
                left.append(_left(record, "in doubt", sentence(language, "call_in_doubt")))
        elif record.step in doubtful:
            left.append(_left(record, "in doubt", sentence(language, "undo_in_doubt")))
        elif tool.undo is None:
            why = "no_undo" if record.tool in here.spec.catalogue else "tool_gone"
            left.append(_left(record, "kept", sentence(language, why)))
        else:
            to_undo.append(
                Undo(
                    tool=record.tool,
                    arguments=dict(record.arguments),
                    by=tool.undo,
                    step=record.step,
                    call_id=record.call_id,
                )
            )
    phase = "undo check" if to_undo else _after(state)
    return {"to_undo": to_undo, "undone": left[::-1], "phase": phase}


def _left(record: CallRecord, outcome: str, why: str) -> dict[str, Any]:
    return {"tool": record.tool, "by": None, "outcome": outcome, "why": why}


def _came(state: State, outcome: str, why: str) -> Update:
    """Write what came of the undo at hand, and go on to the next."""
    *rest, undo = state["to_undo"]
    came = {"tool": undo["tool"], "by": undo["by"], "outcome": outcome, "why": why}
    return {
        "to_undo": rest,
        "undone": [*state.get("undone", []), came],
        "phase": "undo check" if rest else _after(state),
    }


def _after(state: State) -> str:
    """Return what comes after undoing: where calls of the plan are left, they get a result."""
    return "failed" if state["calls"][state["at"] :] else "reply"


def _arguments(spec: AgentSpec, undo: Undo) -> dict[str, Any]:
    """Return what an undo is called with: of the same arguments those that it takes."""
    takes = spec.tool(undo["by"]).arguments
    return {name: value for name, value in undo["arguments"].items() if name in takes}


def _identity(state: State, undo: Undo) -> str:
    """Return the id of the undo as a call: each turn that tries it makes one of its own."""
    return f"{undo['call_id']}.undo.{state['turn']['id']}"
