"""What each step of a run does: a function a phase, from the state to what the step writes.

A step does one thing that matters and no more, so that a crash between two steps loses nothing and
repeats nothing: the decision is written before the pause, the intent before the call, the result
after it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from stalwart_lang.check import Checked, Decision, Done, check
from stalwart_lang.runs.history_token import Keys, next_token
from stalwart_lang.runs.model import Answer, Model, ask_model
from stalwart_lang.runs.reading import read_turn
from stalwart_lang.runs.replies import call_text, done_text, sentence, stopped_text
from stalwart_lang.runs.spec import RunSpec
from stalwart_lang.runs.state import PlannedCall, State, Undo
from stalwart_lang.runs.storage import CallRecord, Storage
from stalwart_lang.selector.selector import Selector
from stalwart_lang.tracing import spans
from stalwart_lang.tracing.agent import AgentSpans
from stalwart_lang.tracing.canonical import canonical_json
from stalwart_lang.tracing.content import digest
from stalwart_lang.tracing.errors import error_type
from stalwart_lang.words.language import Language

Update: TypeAlias = dict[str, Any]

MOST_ROUNDS = 12
"""How often a model may ask for tools in one turn."""


@dataclass(frozen=True, slots=True)
class Here:
    """What the steps of one conversation work with."""

    spec: RunSpec
    selector: Selector | None
    model: Model | None
    storage: Storage
    keys: Keys
    tracer: AgentSpans
    thread: str

    @property
    def checked(self) -> Checked:
        """What calls are checked against."""
        spec = self.spec
        return Checked(spec.catalogue, spec.rules, spec.facts, spec.currencies)


def read(here: Here, state: State) -> Update:
    """Read the turn into calls; ask about it, or hand it to the model, where that is not done."""
    messages = [_message(state, 1, "user", state["turn"]["text"])]
    found = read_turn(here.selector, state["turn"], state.get("asked"), here.spec.on_unread)
    update: Update = {
        "messages": messages,
        "last_message": _last(state) + 1,
        "plan": found.plan,
        "asked": found.asked,
    }
    if found.calls:
        calls = [
            PlannedCall(
                id=f"{state['turn']['id']}.{at}",
                tool=call.tool,
                arguments=dict(call.arguments),
                by="person",
                rule=call.rule,
            )
            for at, call in enumerate(found.calls)
        ]
        return update | _taken_up(state, calls, messages)
    if found.to_model:
        return update | {"phase": "model", "recent": _recent(state, messages)}
    return update | {"phase": "reply", "reply": {"text": found.text}}


def model(here: Here, state: State) -> Update:
    """Ask the model; what it asks for is planned like a person's calls."""
    assert here.model is not None
    rounds = state.get("rounds", 0) + 1
    if rounds > MOST_ROUNDS:
        text = sentence(_language(state), "rounds", count=MOST_ROUNDS)
        return {"phase": "reply", "reply": {"text": text}}
    answer: Answer = ask_model(here.model, state["recent"], here.spec.schemas, here.tracer)
    if not answer.calls:
        return {"phase": "reply", "rounds": rounds, "reply": {"text": answer.text}}
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
    return {"rounds": rounds, **_taken_up(state, calls, [], answer.text)}


def check_call(here: Here, state: State) -> Update:
    """Check the call at hand before anything is done with it."""
    call = _at_hand(state)
    decision = _check(here, state, call)
    if decision.outcome == "confirm":
        reasons = [reason.name for reason in decision.reasons]
        with spans.interrupt(
            here.tracer,
            call["tool"],
            waits_for=", ".join(reasons),
            outcome="confirm",
            call_id=call["id"],
        ):
            pass
        return {"phase": "ask", "act": _check_act(call, decision), "decision": _kept(decision)}
    return _decided(here, state, call, decision)


def question(state: State) -> dict[str, Any]:
    """Return what a person is asked, as the pause keeps it."""
    call, decision = _at_hand(state), state["decision"]
    language = _language(state)
    why = " ".join(reason["say"][language] for reason in decision["reasons"])
    return {
        "kind": "interrupt",
        "tool": call["tool"],
        "call_id": call["id"],
        "arguments": call["arguments"],
        "waits_for": [reason["name"] for reason in decision["reasons"]],
        "outcome": decision["outcome"],
        "text": sentence(
            language, "confirm", call=call_text(call["tool"], call["arguments"]), why=why
        ),
        "language": language,
    }


def answered(here: Here, state: State, answer: Any) -> Update:
    """Check the call again, with the person's answer."""
    call = _at_hand(state)
    given: Any = "approve" if answer == "approve" else "decline"
    with spans.resume(here.tracer, call["tool"], given, call_id=call["id"]):
        pass
    decision = _check(here, state, call, approval=given)
    return {"answered": given, **_decided(here, state, call, decision)}


def call_tool(here: Here, state: State) -> Update:
    """Run the tool, with its intent on record."""
    call = _at_hand(state)
    spec = here.spec.catalogue[call["tool"]]
    step = state.get("history_length", 0)
    came = _run(here, call["id"], call["tool"], call["arguments"], step, spec.retry_safe)
    entry = _entry("call", call, error=came.error, in_doubt=came.status == "in doubt")
    update: Update = {
        "act": {
            "kind": "call",
            "tool": call["tool"],
            "call_id": call["id"],
            "error": came.error,
            "in_doubt": came.status == "in doubt",
            "history": step,
        },
        "outcome": {"result": came.result, "error": came.error},
        **_extended(here, state, [entry]),
    }
    if came.status == "done":
        if spec.reads_outside:
            update["labels"] = list(dict.fromkeys([*state.get("labels", []), call["tool"]]))
        if spec.writes and spec.undo:
            undo = Undo(
                tool=call["tool"],
                arguments=call["arguments"],
                by=spec.undo,
                step=step,
                call_id=call["id"],
            )
            update["to_undo"] = [*state.get("to_undo", []), undo]
        return update | {"phase": "record"}
    how = "in_doubt" if came.status == "in doubt" else "failed"
    return update | _stopped(here, state, {"how": how, "tool": call["tool"], "error": came.error})


def record(here: Here, state: State) -> Update:
    """Keep the result as a message."""
    call = _at_hand(state)
    text = json.dumps(state["outcome"]["result"], ensure_ascii=False)
    message = _message(state, 1, "tool", text, tool_call_id=call["id"], name=call["tool"])
    return {
        "phase": "next",
        "messages": [message],
        "last_message": _last(state) + 1,
        "results": [*state.get("results", []), [call["tool"], state["outcome"]["result"]]],
        **({"recent": _recent(state, [message])} if here.model else {}),
    }


def next_call(_: Here, state: State) -> Update:
    """Take up the next call of the plan; after the last, the model's turn or the reply."""
    at = state["at"] + 1
    if at < len(state["calls"]):
        return {"at": at, "phase": "check", "answered": None}
    if state["calls"][-1]["by"] == "model":
        return {"phase": "model"}
    text = done_text(_language(state), [tuple(pair) for pair in state.get("results", [])])
    return {"phase": "reply", "reply": {"text": text}}


def check_undo(here: Here, state: State) -> Update:
    """Check the undo of what was done last."""
    undo = state["to_undo"][-1]
    arguments = undo_arguments(here.spec, undo)
    with spans.rollback(here.tracer):
        decision = _traced_check(
            here, state, undo["by"], arguments, _undo_id(undo), (), undoing=True
        )
    act = {
        "kind": "undo",
        "tool": undo["by"],
        "call_id": _undo_id(undo),
        "outcome": decision.outcome,
        "decided_by": decision.decided_by,
        "rule": decision.rule,
        "reasons": [reason.name for reason in decision.reasons],
        "undoes": undo["step"],
    }
    if decision.outcome == "allow":
        return {"phase": "undo", "act": act}
    why = _refusal(decision, _language(state))
    return {"act": act, **_after_undo(state, {"outcome": "refused", "why": why})}


def undo_call(here: Here, state: State) -> Update:
    """Run the undo, and take the call off the list of what to undo."""
    undo = state["to_undo"][-1]
    arguments = undo_arguments(here.spec, undo)
    step = state.get("history_length", 0)
    retry_safe = here.spec.catalogue[undo["by"]].retry_safe
    with spans.rollback(here.tracer):
        came = _run(
            here, _undo_id(undo), undo["by"], arguments, step, retry_safe, undoes=undo["step"]
        )
    done = came.status == "done"
    if done:
        here.storage.settle(here.thread, undo["call_id"], "undone")
        how = {"outcome": "undone", "why": ""}
    else:
        how = {"outcome": came.status, "why": came.error or came.status}
    entry = {
        "kind": "undo",
        "tool": undo["by"],
        "call_id": _undo_id(undo),
        "undoes": undo["step"],
        "error": came.error,
        "in_doubt": came.status == "in doubt",
        "args_digest": digest(arguments),
    }
    return {**_extended(here, state, [entry]), **_after_undo(state, how)}


def failed(_: Here, state: State) -> Update:
    """Keep a result for each call that the run did not get to, so that none is left open."""
    stopped = state["stopped"] or {}
    messages = []
    for number, call in enumerate(state["calls"][state["at"] :], 1):
        first = number == 1
        text = str(stopped.get("error") or stopped.get("how")) if first else "not run"
        messages.append(
            _message(state, number, "tool", text, tool_call_id=call["id"], name=call["tool"])
        )
    return {
        "phase": "reply",
        "messages": messages,
        "last_message": _last(state) + len(messages),
    }


def reply(here: Here, state: State) -> Update:
    """Say what came of it."""
    stopped = state.get("stopped")
    given = dict(state.get("reply") or {})
    if stopped is not None:
        kept = [] if here.spec.atomic else [tool for tool, _ in state.get("results", [])]
        given["text"] = stopped_text(_language(state), stopped, state.get("undone", []), kept)
    message = _message(state, 1, "assistant", given["text"])
    return {
        "phase": "done",
        "reply": given,
        "messages": [message],
        "last_message": _last(state) + 1,
        **({"recent": _recent(state, [message])} if here.model else {}),
    }


def rewind(here: Here, state: State) -> Update:
    """Begin to undo what was done from a step of the history on."""
    to_step = state["turn"]["to_step"]
    with spans.rewind(here.tracer, to_step):
        done = [
            record
            for record in here.storage.calls_from(here.thread, to_step)
            if (tool := here.spec.catalogue.get(record.tool)) and tool.writes
        ]
    to_undo, left = [], []
    for made in done:
        by = here.spec.catalogue[made.tool].undo
        if by is None:
            left.append({"tool": made.tool, "by": None, "outcome": "kept", "why": "irreversible"})
        else:
            to_undo.append(
                Undo(
                    tool=made.tool,
                    arguments=dict(made.arguments),
                    by=by,
                    step=made.step,
                    call_id=made.call_id,
                )
            )
    entry = {"kind": "rewind", "to_step": to_step}
    return {
        "act": {"kind": "rewind", "to": to_step},
        "to_undo": to_undo,
        "undone": left,
        "stopped": {"how": "rewound", "step": to_step},
        "phase": "undo check" if to_undo else "reply",
        **_extended(here, state, [entry]),
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


def undo_arguments(spec: RunSpec, undo: Undo) -> dict[str, Any]:
    """Return what an undo is called with: of the same arguments those that it takes."""
    takes = spec.catalogue[undo["by"]].arguments
    return {name: value for name, value in undo["arguments"].items() if name in takes}


def _check(here: Here, state: State, call: PlannedCall, approval: Any = None) -> Decision:
    labels = tuple(state.get("labels", ())) if call["by"] == "model" else ()
    return _traced_check(
        here, state, call["tool"], call["arguments"], call["id"], labels, approval=approval
    )


def _traced_check(
    here: Here,
    state: State,
    tool: str,
    arguments: Mapping[str, Any],
    call_id: str,
    labels: tuple[str, ...],
    *,
    approval: Any = None,
    undoing: bool = False,
) -> Decision:
    with spans.tool_check(
        here.tracer,
        tool,
        arguments,
        call_id=call_id,
        labels=labels,
        history_token=state.get("history_token"),
    ) as span:
        decision = check(
            here.checked,
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


def _history(here: Here, tool: str) -> list[Done]:
    """Return what was done of the tools that the rules of order about `tool` look at."""
    looked_at: set[str] = set()
    for rule in here.spec.rules:
        if rule.tool == tool:
            looked_at |= {name for name in (rule.after, rule.not_after) if name}
            if rule.at_most is not None:
                looked_at.add(tool)
    records = here.storage.calls_done(here.thread, sorted(looked_at))
    return [Done(record.tool, record.arguments) for record in records]


def _run(
    here: Here,
    call_id: str,
    tool: str,
    arguments: Mapping[str, Any],
    step: int,
    retry_safe: bool,
    undoes: int | None = None,
) -> CallRecord:
    """Run a tool once: what is on record as run is not run again."""
    storage, thread = here.storage, here.thread
    text = canonical_json(arguments).decode()
    if not storage.intend(thread, call_id, tool, text, step, undoes):
        known = storage.call(thread, call_id)
        assert known is not None
        if known.status != "pending":
            return known
        if not retry_safe:
            # The process ended between the intent and the outcome: nobody knows which came first.
            storage.settle(thread, call_id, "in doubt")
            return CallRecord(call_id, tool, arguments, "in doubt", step)
    opened = (
        spans.tool(here.tracer, tool, arguments, call_id=call_id, step=step)
        if undoes is None
        else spans.compensate(
            here.tracer, tool, arguments, undoes=undoes, call_id=call_id, outcome="allow"
        )
    )
    try:
        with opened as span:
            result = json.loads(canonical_json(here.spec.call(tool, arguments)))
            span.returned(result)
    except Exception as error:  # whatever a tool raises is its failure, not the run's
        storage.settle(thread, call_id, "failed", error=error_type(error))
        return CallRecord(call_id, tool, arguments, "failed", step, error=error_type(error))
    storage.settle(thread, call_id, "done", result=json.dumps(result))
    return CallRecord(call_id, tool, arguments, "done", step, result)


def _decided(here: Here, state: State, call: PlannedCall, decision: Decision) -> Update:
    """Write a decision that stands: the run goes on to the call, or stops."""
    entry = _entry(
        "check", call, outcome=decision.outcome, decided_by=decision.decided_by, rule=decision.rule
    )
    update: Update = {
        "act": _check_act(call, decision, state.get("history_length", 0)),
        "decision": _kept(decision),
        **_extended(here, state, [entry]),
    }
    if decision.outcome == "allow":
        return update | {"phase": "call"}
    why = _refusal(decision, _language(state))
    how = "declined" if decision.decided_by == "approval" else "refused"
    return update | _stopped(here, state, {"how": how, "tool": call["tool"], "why": why})


def _refusal(decision: Decision, language: Language) -> str:
    """Return why a call is refused; what it would have been asked about besides is not why."""
    return " ".join(r.say[language] for r in decision.reasons if r.outcome == "refuse")


def _stopped(here: Here, state: State, why: dict[str, Any]) -> Update:
    undo = here.spec.atomic and bool(state.get("to_undo"))
    return {"stopped": why, "phase": "undo check" if undo else "failed"}


def _after_undo(state: State, how: Mapping[str, str]) -> Update:
    *rest, undo = state["to_undo"]
    came = {"tool": undo["tool"], "by": undo["by"], **how}
    after = "reply" if (state["stopped"] or {}).get("how") == "rewound" else "failed"
    return {
        "to_undo": rest,
        "undone": [*state.get("undone", []), came],
        "phase": "undo check" if rest else after,
    }


def _taken_up(
    state: State, calls: list[PlannedCall], before: list[dict[str, Any]], text: str = ""
) -> Update:
    """Write the calls of a plan, and the message that asks for them."""
    asked = _message(
        state,
        len(before) + 1,
        "assistant",
        text,
        tool_calls=[
            {"id": call["id"], "name": call["tool"], "args": call["arguments"]} for call in calls
        ],
    )
    messages = [*before, asked]
    return {
        "calls": calls,
        "at": 0,
        "phase": "check",
        "messages": messages,
        "last_message": _last(state) + len(messages),
        "recent": _recent(state, messages),
    }


def _entry(kind: str, call: PlannedCall, **more: Any) -> dict[str, Any]:
    return {
        "kind": kind,
        "tool": call["tool"],
        "call_id": call["id"],
        "args_digest": digest(call["arguments"]),
        **more,
    }


def _extended(here: Here, state: State, entries: list[dict[str, Any]]) -> Update:
    """Add entries to the history, each with its step and its token."""
    token, length = state.get("history_token"), state.get("history_length", 0)
    made = []
    for step, entry in enumerate(entries, length):
        bare = {"step": step, **entry}
        token = next_token(here.keys, here.thread, here.storage.id, token, bare)
        made.append({**bare, "token": token})
    return {"entries": made, "history_length": length + len(made), "history_token": token}


def _check_act(call: PlannedCall, decision: Decision, history: int | None = None) -> dict[str, Any]:
    return {
        "kind": "check",
        "tool": call["tool"],
        "call_id": call["id"],
        "outcome": decision.outcome,
        "decided_by": decision.decided_by,
        "rule": decision.rule,
        "reasons": [reason.name for reason in decision.reasons],
        "labels": list(decision.labels),
        "args_digest": digest(call["arguments"]),
        "history": history,
    }


def _kept(decision: Decision) -> dict[str, Any]:
    return {
        "outcome": decision.outcome,
        "decided_by": decision.decided_by,
        "reasons": [{"name": reason.name, "say": dict(reason.say)} for reason in decision.reasons],
    }


def _at_hand(state: State) -> PlannedCall:
    return state["calls"][state["at"]]


def _language(state: State) -> Language:
    language: Language = state["turn"]["language"]
    return language


def _last(state: State) -> int:
    return state.get("last_message", 0)


def _message(state: State, number: int, role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"id": f"m{_last(state) + number}", "role": role, "content": content, **more}


def _recent(state: State, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages that a model is shown: not all, so that a step's cost does not grow."""
    shown = [*state.get("recent", []), *messages][-_SHOWN:]
    # Providers refuse a conversation that begins with a result whose call was cut away.
    first = next((at for at, message in enumerate(shown) if message["role"] == "user"), 0)
    return shown[first:]


_SHOWN = 60


def _undo_id(undo: Undo) -> str:
    return f"{undo['call_id']}.undo"
