"""The messages of a conversation, checked as they come: calls, their results, and ids.

After a message that asks for tools come the results, one for each, in the order in which they were
asked for, and nothing else before the last of them: providers of models refuse anything else. A
conversation that ends in calls without results is not broken: they may be running.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from stalwart_lang.state.messages import Told, read_message
from stalwart_lang.state.violations import Violation, violation

_UNNAMED = "\0"
"""What the names of calls without an id begin with; ids do not."""


@dataclass(slots=True)
class _Step:
    """The calls of one message, and how far they are answered."""

    at: int
    id: str | None
    calls: dict[str, int]
    """The place of each call among them; a call without an id is under a name of its place."""
    unnamed: list[str] = field(default_factory=list)
    """Those without an id that have no result yet, the last first."""
    answered: set[str] = field(default_factory=set)
    last: int = -1
    disordered: bool = False


class Conversation:
    """Takes messages in order. Each costs the same, however many came before it."""

    def __init__(self, messages: Iterable[object] = ()) -> None:
        self.count = 0
        """How many messages there are."""
        self.ids: dict[str, int] = {}
        """The place of each message that has an id."""
        self.tools: set[str] = set()
        """The tools whose results it holds, by name."""
        self._step: _Step | None = None
        self._unanswered: dict[str, tuple[int, str]] = {}  # a call gone past: its place, its key
        self._done: set[str] = set()
        self._early: dict[str, tuple[int, str]] = {}  # a result without a call: its place, its key
        self._found: dict[str, tuple[int, Violation]] = {}
        self.extend(messages)

    @property
    def open_calls(self) -> tuple[str, ...]:
        """The calls of the last step that have no result yet."""
        step = self._step
        return () if step is None else tuple(c for c in step.calls if c not in step.answered)

    @property
    def step_at(self) -> int | None:
        """The place of the message whose calls are still open to results."""
        return None if self._step is None else self._step.at

    @property
    def violations(self) -> list[Violation]:
        """What is broken, in the order of the messages that broke it."""
        # A break found again at the same message keeps its place: sorting is stable.
        return [found for _, found in sorted(self._found.values(), key=lambda pair: pair[0])]

    def extend(self, messages: Iterable[object]) -> list[tuple[int, Violation]]:
        """Take messages; return what they broke, each with the place of the message that did."""
        before = set(self._found)
        add = self.add
        for message in messages:
            add(read_message(message))
        if len(self._found) == len(before) and self._found.keys() == before:
            return []
        return [found for key, found in self._found.items() if key not in before]

    def add(self, told: Told) -> None:
        """Take one message."""
        at = self.count
        self.count += 1
        if not told.kept:
            return
        if told.id is not None:
            first = self.ids.setdefault(told.id, at)
            if first != at:
                self._break(
                    f"id {at}",
                    at,
                    violation(
                        "duplicate_message_id", "same_id", f"messages[{at}]", told.id, first=first
                    ),
                )
        if told.joins:
            self._join(told, at)
            return
        if told.speaks == "before":
            self._go_past(at)
        if told.results:
            self.tools.update(told.tools)
            for result in told.results:
                self._take_result(result, told.id, at)
        if told.speaks == "after" and self._step is not None:
            self._go_past(at)
        if told.calls:
            self._begin(_Step(at, told.id, {}), told.calls)

    def _join(self, told: Told, at: int) -> None:
        """Take an item that comes one by one: calls that follow each other are of one step."""
        if not told.calls:
            return
        step = self._step
        if step is None or step.answered:
            self._go_past(at)
            step = _Step(at, told.id, {})
        self._begin(step, told.calls)

    def _begin(self, step: _Step, calls: Iterable[str]) -> None:
        self._step = step
        unnamed = []
        for named in calls:
            call = named or f"{_UNNAMED}{len(step.calls)}"
            step.calls.setdefault(call, len(step.calls))
            if not named:
                unnamed.append(call)
                continue
            self._done.discard(call)
            if call in self._early:
                # It has a result, which stands before it.
                at, key = self._early.pop(call)
                old = self._found.pop(key)[1]
                step.answered.add(call)
                self._break(
                    f"early {at} {call}",
                    step.at,
                    violation(
                        "results_out_of_order", "not_after_its_step", old.where, old.id, call
                    ),
                )
        step.unnamed = [*reversed(unnamed), *step.unnamed]

    def _take_result(self, call: str, own: str | None, at: int) -> None:
        step = self._step
        # Some providers give calls no ids: a result without one is that of the next such call.
        if not call and step is not None and step.unnamed:
            call = step.unnamed.pop()
        if step is not None and call in step.calls and call not in step.answered:
            step.answered.add(call)
            place = step.calls[call]
            if place > step.last:
                step.last = place
            elif not step.disordered:
                step.disordered = True
                where = f"messages[{at}]"
                self._break(
                    f"order {step.at}",
                    at,
                    violation("results_out_of_order", "out_of_order", where, own, _id(call)),
                )
            return
        where = f"messages[{at}]"
        if call in self._unanswered:
            _, key = self._unanswered.pop(call)
            del self._found[key]
            self._done.add(call)
            self._break(
                f"late {at} {call}",
                at,
                violation("results_out_of_order", "not_after_its_step", where, own, call),
            )
        else:
            twice = call in self._done or (step is not None and call in step.answered)
            key = f"result {at} {call}"
            self._break(
                key,
                at,
                violation(
                    "result_without_call", "answered" if twice else "no_call", where, own, _id(call)
                ),
            )
            if call and not twice:
                self._early[call] = (at, key)

    def _go_past(self, at: int) -> None:
        """Close the step that is open: what comes now is none of its results."""
        step, self._step = self._step, None
        if step is None:
            return
        for call in step.calls:
            if call in step.answered:
                self._done.add(call)
                continue
            key = f"call {step.at} {call}"
            self._unanswered[call] = (step.at, key)
            where = f"messages[{step.at}]"
            self._break(
                key, at, violation("call_without_result", "no_result", where, step.id, _id(call))
            )

    def _break(self, key: str, at: int, found: Violation) -> None:
        self._found[key] = (at, found)


def _id(call: str) -> str | None:
    """Return the id of a call; of one without, None."""
    return None if not call or call.startswith(_UNNAMED) else call
