"""What a store shows of a run of ours, compared with the entries of its history.

Only the entries are chained by tokens. A timeline shows acts and pauses, and an agent undoes by its
plans and its record of calls, which are kept beside them: any of these could be edited, and every
token would still fit.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from stalwart_lang.state.history import step_of
from stalwart_lang.state.violations import Violation, violation
from stalwart_lang.timeline.stored.store import RecordedCall
from stalwart_lang.timeline.stored.unpack import CLASS
from stalwart_lang.tracing.content import digest

_ACTS: Mapping[str, str] = {
    "check": "check",
    "ask": "check",
    "call": "call",
    "undo check": "undo",
    "rewind": "rewind",
}
"""The kind of act that a step of a phase does; one of another phase does none."""

_CALL = {name: name for name in ("kind", "tool", "call_id")}
_ALIKE: Mapping[str, Mapping[str, str]] = {
    "check": {
        **_CALL,
        **{name: name for name in ("args_digest", "outcome", "decided_by", "rule")},
    },
    "call": {**_CALL, "error": "error", "in_doubt": "in_doubt", "history": "step"},
    "rewind": {"kind": "kind", "to": "to_step"},
    "undo": {**_CALL, "args_digest": "args_digest", "undoes": "undoes"},
    "asked": {**_CALL, "args_digest": "args_digest"},
}
"""What an act and its entry both have, by the names that either has it under."""


@dataclass(frozen=True, slots=True)
class ShownStep:
    """What is kept of one step, beside its entries.

    `acts` are what was written in it; `pauses` what was written after it. `before` are the channels
    that it began with, and `start` how many entries there were.
    """

    checkpoint: str
    parent: str | None
    acts: Sequence[Any]
    entries: Sequence[Any]
    start: int
    before: Mapping[str, Any]
    values: Mapping[str, Any]


class Shown:
    """Takes the steps of a run in order, and tells where what they show is not their history."""

    def __init__(self) -> None:
        self._open: dict[str, Mapping[str, Any] | None] = {}
        """Acts that the next step's entry answers, by checkpoint; None where it is not known."""
        self._paused: set[str] = set()

    def waits(self, checkpoint: str) -> bool:
        """Whether the entry of what a step did is the next step's."""
        return checkpoint in self._open

    def unknown(self, checkpoint: str) -> None:
        """Take a step of which it is not known what it did, because others began where it did."""
        self._open[checkpoint] = None

    def take(self, step: ShownStep) -> Iterator[Violation]:
        """Yield where what a step shows is not what its entries say."""
        acts = [act for act in step.acts if isinstance(act, dict)]  # no other is shown
        places = [
            (step.start + at, entry if isinstance(entry, Mapping) else {})
            for at, entry in enumerate(step.entries)
        ]
        asked = self._open.pop(step.parent or "", {})
        phase = step.before.get("phase")
        if phase is not None:
            expected = _ACTS.get(str(phase))
            for act in acts:
                if act.get("kind") != expected:
                    yield _of("act", None, act, "act_of_another_step")
        told = [act for act in acts if not _is_ahead(act)]
        kept = [(at, entry) for at, entry in places if entry.get("kind") != "undo"]
        for act, there in zip_longest(told, kept):
            if there is None:
                yield _of("act", None, act, "act_without_entry")
            elif act is None:
                at, entry = there
                yield _of(f"history[{at}]", at, entry, "entry_without_act")
            else:
                yield from _differing(act, *there)
        if asked is not None:
            yield from self._answered(step, asked, places)
        yield from _plan_breaks(step, places)
        ahead = [act for act in acts if _is_ahead(act) and act.get("outcome") != "refuse"]
        if ahead:
            self._open[step.checkpoint] = ahead[-1]

    def _answered(
        self,
        step: ShownStep,
        asked: Mapping[str, Any],
        places: Sequence[tuple[int, Mapping[str, Any]]],
    ) -> Iterator[Violation]:
        """Yield where a question, or an undo that was allowed, is not that of the entry."""
        kind = asked.get("kind")
        if kind == "check" and step.parent not in self._paused:
            yield _of("act", None, asked, "asked_without_pause")
        answers = [(at, entry) for at, entry in places if entry.get("kind") == kind]
        if asked and not answers:
            yield _of("act", None, asked, "act_without_entry")
        for at, entry in places:
            if entry.get("kind") == kind:
                yield from _differing(asked, at, entry, None if kind == "undo" else "asked")
            elif entry.get("kind") == "undo":
                yield _of(f"history[{at}]", at, entry, "entry_without_act")
            if entry.get("decided_by") == "approval" and kind != "check":
                yield _of(f"history[{at}]", at, entry, "entry_without_question")

    def pauses(self, checkpoint: str, pauses: Iterable[Any]) -> Iterator[Violation]:
        """Yield where the pauses that come after a step are not of what it asked about."""
        asked = self._open.get(checkpoint, {})
        for pause in pauses:
            self._paused.add(checkpoint)
            held = pause.get("value") if isinstance(pause, Mapping) and CLASS in pause else pause
            held = held if isinstance(held, Mapping) else {}
            if asked is None:
                continue
            if asked.get("kind") != "check":
                yield _of("__interrupt__", None, held, "pause_without_question")
                continue
            names = [
                name for name in ("tool", "call_id", "outcome") if held.get(name) != asked.get(name)
            ]
            if held.get("waits_for") != asked.get("reasons"):
                names.append("waits_for")
            if digest(held.get("arguments")) != asked.get("args_digest"):
                names.append("arguments")
            if names:
                yield _of("__interrupt__", None, held, "pause_differs", names=", ".join(names))


def record_breaks(
    calls: Iterable[RecordedCall], entries: Sequence[Any], others: Iterable[Any]
) -> Iterator[tuple[int | None, Violation]]:
    """Yield where the record of calls is not what the history says, with the place of the entry.

    `others` are the entries of steps that the run went back over, whose calls are on record too.
    """
    count = len(entries)
    made = {
        str(entry.get("call_id")): (at, entry)
        for at, entry in enumerate(entries)
        if isinstance(entry, Mapping) and entry.get("kind") in ("call", "undo")
    }
    elsewhere = {str(entry.get("call_id")) for entry in others if isinstance(entry, Mapping)}
    undone: dict[int | None, bool] = {}
    for _, entry in made.values():
        if entry["kind"] == "undo" and not entry.get("error") and not entry.get("in_doubt"):
            undone[step_of(entry.get("undoes"))] = True
    recorded = list(calls)
    ahead = {call.undoes for call in recorded if call.step >= count}
    seen = set()
    for call in recorded:
        seen.add(call.id)
        if call.id not in made:
            if call.step < count and call.id not in elsewhere:
                yield None, _record(call.id, "recorded_without_entry", step=call.step)
            continue
        if call.id in elsewhere:
            continue
        at, entry = made[call.id]
        names = [
            name
            for name, one, other in (
                ("tool", call.tool, entry.get("tool")),
                ("step", call.step, at),
                ("arguments", digest(call.arguments), entry.get("args_digest")),
                ("undoes", call.undoes, entry.get("undoes")),
                ("error", call.error, entry.get("error")),
                ("status", call.status in _statuses(entry, at, undone, ahead), True),
            )
            if one != other
        ]
        if names:
            yield at, _record(call.id, "record_differs", str(at), names=", ".join(names))
    for call_id, (at, _) in made.items():
        if call_id not in seen:
            yield at, _record(call_id, "not_on_record", str(at))


def _statuses(
    entry: Mapping[str, Any], at: int, undone: Mapping[int | None, bool], ahead: set[int | None]
) -> tuple[str, ...]:
    """Return the statuses that a call on record may have, by its entry."""
    if entry.get("in_doubt"):
        return ("in doubt",)
    if entry.get("error"):
        return ("failed",)
    if at in undone:
        return ("undone",)
    # An undo is on record, and what it undid settled, before its entry is written.
    return ("done", "undone") if at in ahead else ("done",)


def _is_ahead(act: Mapping[str, Any]) -> bool:
    """Whether the entry of an act is the next step's: a question, an undo."""
    return act.get("kind") == "undo" or (
        act.get("kind") == "check" and act.get("outcome") == "confirm"
    )


def _differing(
    act: Mapping[str, Any], at: int, entry: Mapping[str, Any], alike: str | None = None
) -> Iterator[Violation]:
    alike = alike or str(entry.get("kind"))
    names = [
        name for name, its in _ALIKE.get(alike, _CALL).items() if act.get(name) != entry.get(its)
    ]
    if names:
        yield _of(f"history[{at}]", at, entry, "act_differs", names=", ".join(names))


def _plan_breaks(
    step: ShownStep, places: Iterable[tuple[int, Mapping[str, Any]]]
) -> Iterator[Violation]:
    """Yield where what was planned, or is to be undone, is not what the history says of it."""
    planned = {call.get("id"): (at, call) for at, call in _mappings(step.before.get("calls"))}
    for at, entry in places:
        if entry.get("kind") in ("check", "call") and "calls" in step.before:
            where, call = planned.get(entry.get("call_id"), (0, {}))
            wanted = call.get("tool"), digest(call.get("arguments"))
            if wanted != (entry.get("tool"), entry.get("args_digest")):
                yield _of(f"calls[{where}]", at, entry, "plan_differs")
    for _, message in _mappings(step.values.get("messages")):
        now = {call.get("id"): call for _, call in _mappings(step.values.get("calls"))}
        for _, asked in _mappings(message.get("tool_calls")):
            call = now.get(asked.get("id"), {})
            if (asked.get("name"), asked.get("args")) != (call.get("tool"), call.get("arguments")):
                yield violation(
                    "history_broken",
                    "message_differs",
                    "messages",
                    str(message.get("id")),
                    str(asked.get("id")),
                )


def undo_breaks(to_undo: object, entries: Sequence[Any]) -> Iterator[Violation]:
    """Yield the items of the list of what to undo that are not what the history says was done."""
    for at, undo in _mappings(to_undo):
        step = step_of(undo)
        if step is None or not 0 <= step < len(entries):
            continue
        entry = entries[step] if isinstance(entries[step], Mapping) else {}
        said = undo.get("tool"), undo.get("call_id"), digest(undo.get("arguments"))
        if said != (entry.get("tool"), entry.get("call_id"), entry.get("args_digest")):
            yield _of(f"to_undo[{at}]", step, entry, "plan_differs")


def _mappings(value: object) -> list[tuple[int, Mapping[str, Any]]]:
    held = value if isinstance(value, list | tuple) else ()
    return [(at, each) for at, each in enumerate(held) if isinstance(each, Mapping)]


def _of(
    where: str, at: int | None, about: Mapping[str, Any], sentence: str, **words: object
) -> Violation:
    """Make a violation about an act or an entry."""
    call = about.get("call_id")
    tool = about.get("tool")
    return violation(
        "history_broken",
        sentence,
        where,
        None if at is None else str(at),
        call if isinstance(call, str) else None,
        act=about.get("kind"),
        tool=tool if isinstance(tool, str) else "?",
        **words,
    )


def _record(call: str, sentence: str, identity: str | None = None, **words: object) -> Violation:
    return violation("history_broken", sentence, "stalwart_calls", identity, call, **words)
