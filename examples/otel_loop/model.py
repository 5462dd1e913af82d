"""Scripted models: one that answers, one that goes in circles, one that never comes to an end."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

MODEL = "claude-opus-4-6"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model asks for, and what to give it."""

    id: str
    tool: str
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Response:
    """One answer of the model; `stop_reason` is "end_turn" where it asks for nothing more."""

    stop_reason: str
    input_tokens: int
    output_tokens: int
    calls: tuple[ToolCall, ...] = ()
    text: str = ""


Model: TypeAlias = Callable[[Sequence[object]], Response]
"""Takes the conversation so far and answers it."""


def scripted(responses: Iterator[Response]) -> Model:
    """Return a model that answers with `responses` in order, whatever it is asked."""
    return lambda _messages: next(responses)


def _asks(input_tokens: int, output_tokens: int, *calls: tuple[str, str, str]) -> Response:
    asked = tuple(ToolCall(id, tool, {"service": service}) for id, tool, service in calls)
    return Response("tool_use", input_tokens, output_tokens, asked)


def _answers() -> Iterator[Response]:
    yield _asks(640, 58, ("toolu_1", "search_logs", "checkout"))
    yield _asks(
        731, 94, ("toolu_2", "read_runbook", "gateway"), ("toolu_3", "search_logs", "card-gateway")
    )
    yield _asks(902, 61, ("toolu_4", "read_runbook", "card-gateway"))
    yield Response("end_turn", 1015, 47, text="The card gateway's certificate ran out: renew it.")


def _circles() -> Iterator[Response]:
    for turn in count():
        service = ("checkout", "card-gateway")[turn % 2]
        yield _asks(640 + 90 * turn, 58, (f"toolu_{turn}", "search_logs", service))


def _wanders() -> Iterator[Response]:
    for turn in count():
        yield _asks(640 + 90 * turn, 58, (f"toolu_{turn}", "search_logs", f"worker-{turn}"))


SCRIPTS: Mapping[str, Callable[[], Iterator[Response]]] = {
    "answers": _answers,
    "circles": _circles,
    "wanders": _wanders,
}
