"""The state of a run of ours, put together from the parts that its steps add, and checked."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from stalwart_lang.state.conversation import Conversation
from stalwart_lang.state.history import sequence_breaks, stack_breaks, step_of, token_breaks
from stalwart_lang.state.violations import Violation, violation

WATCHED = (
    "messages",
    "entries",
    "history_length",
    "history_token",
    "to_undo",
    "labels",
)
"""The channels that are looked at."""


class RunState:
    """Takes what each step of a run left in the channels, in order."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.entries: list[Any] = []
        self.conversation = Conversation()
        self._steps: set[int] = set()
        self._values: Mapping[str, Any] = {}
        self._lasting: set[tuple[str, ...]] = set()

    def take(self, values: Mapping[str, Any], changed: Collection[str]) -> list[Violation]:
        """Take the channels after a step that wrote those in `changed`; return what it broke."""
        found: list[Violation] = []
        self._values = values
        if "messages" in changed:
            added = _list(values.get("messages"))
            self.messages += added
            found += [new for _, new in self.conversation.extend(added)]
        if "entries" in changed:
            entries = _list(values.get("entries"))
            before = step_of(self.entries[-1]) if self.entries else -1
            expected = None if before is None else before + 1
            found += sequence_breaks(entries, len(self.entries), expected)
            self.entries += entries
            self._steps.update(step for entry in entries if (step := step_of(entry)) is not None)
        lasting = list(self._lasting_breaks())
        found += [new for new in lasting if new.same not in self._lasting]
        self._lasting = {each.same for each in lasting}
        return found

    def whole(self) -> dict[str, Any]:
        """Return the state as `validate_state` takes it."""
        values = self._values
        return {
            "messages": self.messages,
            "history": self.entries,
            "history_token": values.get("history_token"),
            "to_undo": values.get("to_undo") or [],
            "labels": self._labels(),
        }

    def _lasting_breaks(self) -> Iterator[Violation]:
        """Yield what is broken now, whichever step broke it."""
        values = self._values
        yield from token_breaks(
            self.entries[-1:], values.get("history_token"), max(len(self.entries) - 1, 0)
        )
        length, count = values.get("history_length"), len(self.entries)
        if length is not None and length != count:
            yield violation(
                "history_broken", "other_length", "history_length", count=count, length=length
            )
        yield from stack_breaks(values.get("to_undo"), self._steps, count)
        for tool in self._marks_without_message():
            yield violation("label_on_removed_message", "no_message_of_tool", "labels", tool=tool)

    def _marks_without_message(self) -> Iterator[str]:
        """Yield the tools that a label says were read from, of which no result is there.

        A label is set by the step that calls; the next one keeps the result as a message.
        """
        values = self._values
        open_calls = self.conversation.open_calls
        running = [
            call.get("tool")
            for call in _list(values.get("calls"))
            if isinstance(call, Mapping) and call.get("id") in open_calls
        ]
        for tool in _list(values.get("labels")):
            if (
                isinstance(tool, str)
                and tool not in self.conversation.tools
                and tool not in running
            ):
                yield tool

    def _labels(self) -> dict[str, list[str]]:
        """Return the labels by the messages that they are on; one without is on its tool's name."""
        labels = [tool for tool in _list(self._values.get("labels")) if isinstance(tool, str)]
        marks: dict[str, list[str]] = {
            tool: [tool] for tool in labels if tool in set(self._marks_without_message())
        }
        for message in self.messages:
            if isinstance(message, Mapping) and message.get("name") in labels:
                marks[str(message.get("id"))] = [str(message["name"])]
        return marks


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []
