"""What each step of a run does: a function a phase, from the state to what the step writes.

A step does one thing that matters and no more, so that a crash between two steps loses nothing and
repeats nothing: the decision is written before the pause, the intent before the call, the result
after it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from stalwart_lang.check import Decision
from stalwart_lang.runs.calling import run_once
from stalwart_lang.runs.checking import act_of, check_planned, refusal
from stalwart_lang.runs.failures import log_failure
from stalwart_lang.runs.here import Here
from stalwart_lang.runs.history import entry, extended
from stalwart_lang.runs.messages import added, asking, result_of, said
from stalwart_lang.runs.model import ask_model
from stalwart_lang.runs.reading import read_turn
from stalwart_lang.runs.replies import call_text, done_text, sentence, stopped_text
from stalwart_lang.runs.state import PlannedCall, State, Update, call_at_hand, language_of
from stalwart_lang.runs.undoing import check_undo, rewind, stopped, undo_call
from stalwart_lang.tracing import spans
from stalwart_lang.tracing.errors import error_type

MOST_ROUNDS = 12
"""How often a model may ask for tools in one turn."""


def read(here: Here, state: State) -> Update:
    """Read the turn into calls; ask about it, or hand it to the model, where that is not done."""
    turn = state["turn"]
    person = said("user", turn["text"])
    try:
        found = read_turn(here.selector, turn, state.get("asked"), here.spec.on_unread)
    except Exception as error:  # a turn that cannot be read must not hold up those after it
        log_failure("reading a turn", error)
        return {
            "asked": None,
            **added(here, state, person),
            **stopped(here, state, "read_failed", error=error_type(error)),
        }
    update: Update = {
        "plan": found.plan,
        "asked": found.asked,
        "turn": {**turn, "language": found.language},
    }
    if found.calls:
        calls = [
            PlannedCall(
                id=f"{turn['id']}.{at}",
                tool=call.tool,
                arguments=dict(call.arguments),
                by="person",
                rule=call.rule,
            )
            for at, call in enumerate(found.calls)
        ]
        messages = added(here, state, person, asking(calls))
        return {**update, **messages, "calls": calls, "at": 0, "phase": "check"}
    update |= added(here, state, person)
    if found.to_model:
        return {**update, "phase": "model"}
    status = "asked" if found.asked else "unread"
    return {**update, "phase": "reply", "reply": {"text": found.text, "status": status}}


def model(here: Here, state: State) -> Update:
    """Ask the model; what it asks for is planned like a person's calls."""
    rounds = state.get("rounds", 0) + 1
    if rounds > MOST_ROUNDS:
        return stopped(here, state, "rounds", count=MOST_ROUNDS)
    try:
        answer = ask_model(here.model, state["recent"], here.spec.schemas, here.tracer)
    except Exception as error:  # a model that fails must not hold up the conversation
        log_failure("the model", error)
        return stopped(here, state, "model_failed", error=error_type(error))
    if not answer.calls:
        reply = {"text": answer.text, "status": "done"}
        return {"phase": "reply", "rounds": rounds, "reply": reply}
    calls = [
        PlannedCall(
            id=f"{state['turn']['id']}.{rounds}.{at}",
            tool=name,
            arguments=dict(arguments),
            by="model",
            rule=None,
        )
        for at, (name, arguments) in enumerate(answer.calls)
    ]
    return {
        "rounds": rounds,
        "calls": calls,
        "at": 0,
        "phase": "check",
        **added(here, state, asking(calls, answer.text)),
    }


def check_call(here: Here, state: State) -> Update:
    """Check the call at hand before anything is done with it."""
    call = call_at_hand(state)
    decision = check_planned(here, state, call)
    if decision.outcome != "confirm":
        return _decided(here, state, call, decision)
    names = [reason.name for reason in decision.reasons]
    with spans.interrupt(
        here.tracer,
        call["tool"],
        waits_for=", ".join(names),
        outcome="confirm",
        call_id=call["id"],
    ):
        pass
    return {
        "phase": "ask",
        "act": act_of("check", decision, call["tool"], call["id"], call["arguments"]),
        "decision": {
            "undo": here.spec.tool(call["tool"]).undo,
            "reasons": [
                {
                    "name": reason.name,
                    "say": dict(reason.say),
                    "place": str(reason.location) if reason.location else None,
                }
                for reason in decision.reasons
            ],
        },
    }


def question(state: State) -> dict[str, Any]:
    """Return what a person is asked, as the pause keeps it."""
    call, decision, language = call_at_hand(state), state["decision"] or {}, language_of(state)
    why = [
        {"name": reason["name"], "text": reason["say"][language], "place": reason["place"]}
        for reason in decision["reasons"]
    ]
    text = sentence(
        language,
        "confirm",
        call=call_text(call["tool"], call["arguments"]),
        why=" ".join(reason["text"] for reason in why),
    )
    return {
        "kind": "interrupt",
        "tool": call["tool"],
        "call_id": call["id"],
        "arguments": call["arguments"],
        "waits_for": [reason["name"] for reason in why],
        "outcome": "confirm",
        "why": why,
        "undo": decision["undo"],
        "text": text,
        "language": language,
    }


def answered(here: Here, state: State, answer: object) -> Update:
    """Check the call again, with the person's answer that counts."""
    call = call_at_hand(state)
    given: Any = here.storage.answer(
        here.thread, call["id"], "approve" if answer == "approve" else "decline"
    )
    with spans.resume(here.tracer, call["tool"], given, call_id=call["id"]):
        pass
    return _decided(here, state, call, check_planned(here, state, call, given))


def call_tool(here: Here, state: State) -> Update:
    """Run the tool, with its intent on record."""
    call = call_at_hand(state)
    tool, identity = call["tool"], call["id"]
    step = state.get("history_length", 0)
    came = run_once(here, identity, tool, call["arguments"], step)
    doubt = came.status == "in doubt"
    made = entry("call", tool, identity, call["arguments"], error=came.error, in_doubt=doubt)
    update: Update = {
        "act": {
            "kind": "call",
            "tool": tool,
            "call_id": identity,
            "error": came.error,
            "in_doubt": doubt,
            "history": step,
        },
        **extended(here, state, made),
    }
    if came.status == "done":
        if here.spec.tool(tool).reads_outside:
            update["labels"] = list(dict.fromkeys([*state.get("labels", []), tool]))
        return {**update, "phase": "record"}
    how = "in_doubt" if doubt else "failed"
    return {**update, **stopped(here, state, how, tool=tool, error=came.error)}


def record(here: Here, state: State) -> Update:
    """Keep the result as a message."""
    call = call_at_hand(state)
    known = here.storage.call(here.thread, call["id"])
    result = None if known is None else known.result
    return {"phase": "next", **added(here, state, result_of(call, result))}


def next_call(here: Here, state: State) -> Update:
    """Take up the next call of the plan; after the last, the model's turn or the reply."""
    at = state["at"] + 1
    if at < len(state["calls"]):
        return {"at": at, "phase": "check"}
    if state["calls"][-1]["by"] == "model":
        return {"at": at, "phase": "model"}
    done = here.storage.calls_from(here.thread, state["turn"]["began"])
    text = done_text(language_of(state), [(record.tool, record.result) for record in done])
    return {"at": at, "phase": "reply", "reply": {"text": text, "status": "done"}}


def failed(here: Here, state: State) -> Update:
    """Keep a result for each call that the run did not get to, so that none is left open."""
    why = state.get("stopped") or {}
    first, *others = state["calls"][state["at"] :]
    results = [result_of(first, str(why.get("error") or why["how"]))]
    results += [result_of(call, "not run") for call in others]
    return {"phase": "reply", **added(here, state, *results)}


def reply(here: Here, state: State) -> Update:
    """Say what came of it."""
    given, why = state["reply"], state.get("stopped")
    if why is not None:
        text = stopped_text(language_of(state), why, state.get("undone", []))
        given = {"text": text, "status": "done" if why["how"] == "rewound" else "stopped"}
    return {
        "phase": "done",
        "reply": given,
        **added(here, state, said("assistant", given["text"])),
    }


PHASES: Mapping[str, Callable[[Here, State], Update]] = {
    "read": read,
    "model": model,
    "check": check_call,
    "call": call_tool,
    "record": record,
    "next": next_call,
    "undo check": check_undo,
    "undo": undo_call,
    "failed": failed,
    "reply": reply,
    "rewind": rewind,
}
"""The phases but for `ask`, which pauses before anything else (see graph.py)."""


def _decided(here: Here, state: State, call: PlannedCall, decision: Decision) -> Update:
    """Write a decision that stands: the run goes on to the call, or stops."""
    tool, identity, arguments = call["tool"], call["id"], call["arguments"]
    made = entry(
        "check",
        tool,
        identity,
        arguments,
        outcome=decision.outcome,
        decided_by=decision.decided_by,
        rule=decision.rule,
    )
    update: Update = {
        "act": act_of("check", decision, tool, identity, arguments),
        "decision": None,
        **extended(here, state, made),
    }
    if decision.outcome == "allow":
        return {**update, "phase": "call"}
    why = refusal(decision, language_of(state))
    how = "declined" if decision.decided_by == "approval" else "refused"
    return {**update, **stopped(here, state, how, tool=tool, why=why)}
