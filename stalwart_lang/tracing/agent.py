"""What an agent records of itself, ours or anybody's: its run, steps, model calls and tools.

    tracer = JsonLinesTracer("run.jsonl")
    with tracer.run("sales-summary"):
        with tracer.model_call("claude-sonnet-4-5") as call:
            response = client.messages.create(...)
            call.responded(input_tokens=812, output_tokens=96, stop_reason="tool_use")
            read_file("data/east.csv")          # a function under @traced_tool

Model calls and runs follow OpenTelemetry's semantic conventions for generative AI.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar, overload

from stalwart_lang.tracing import attributes as names
from stalwart_lang.tracing import context, spans
from stalwart_lang.tracing.content import Attributes, AttributeValue
from stalwart_lang.tracing.tracer import Dependable, Kind, Span, Tracer

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A model that is being called."""

    span: Span

    def responded(
        self,
        *,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        stop_reason: str | None = None,
        model: str | None = None,
        response_id: str | None = None,
        message: object = None,
    ) -> None:
        """Put the response on the span and end it: its duration is the call's latency.

        Tools that run until the block is left are below the call that asked for them. `model` is
        the one that answered, where it is not the one asked; `message` is what it said, content:
        the call's `stalwart.result`, beside the `stalwart.message` that was sent.
        """
        told: dict[str, AttributeValue | None] = {
            names.INPUT_TOKENS: input_tokens,
            names.OUTPUT_TOKENS: output_tokens,
            names.FINISH_REASONS: None if stop_reason is None else [stop_reason],
            names.RESPONSE_MODEL: model,
            names.RESPONSE_ID: response_id,
        }
        self.span.set_attributes({name: value for name, value in told.items() if value is not None})
        if message is not None:
            self.span.set_content({names.RESULT: message})
        self.span.end()


class AgentSpans(Dependable):
    """The spans of an agent, opened through the `span` of the tracer that inherits this."""

    def span(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        content: Mapping[str, object] | None = None,
        kind: Kind = "internal",
        parent: str | None = None,
    ) -> AbstractContextManager[Span]:
        """Open a span; see `Tracer.span`."""
        raise NotImplementedError

    @contextmanager
    def run(
        self, name: str, *, thread: str | None = None, parent: str | None = None
    ) -> Iterator[Span]:
        """Open the root of a run: `invoke_agent {name}`.

        `thread` is the id of the conversation it belongs to; `parent` a traceparent to go below.
        """
        held: dict[str, AttributeValue] = {
            names.OPERATION_NAME: names.INVOKE_AGENT,
            names.AGENT_NAME: name,
        }
        if thread is not None:
            held[names.CONVERSATION_ID] = thread
        with self.span(f"{names.INVOKE_AGENT} {name}", held, parent=parent) as span:
            yield span

    def node(self, name: str, step: int | None = None) -> AbstractContextManager[Span]:
        """Open `stalwart.node` around one step of a run, the `step`th where that is known."""
        return spans.node(self, name, step)

    @contextmanager
    def model_call(
        self,
        model: str,
        *,
        name: str | None = None,
        provider: str | None = None,
        message: object = None,
    ) -> Iterator[ModelCall]:
        """Open `chat {model}` around one call of a model.

        `name` is what its author calls this round ("turn-1"), `provider` is the conventions' name
        of it ("anthropic"), `message` what is sent: content.
        """
        held: dict[str, AttributeValue] = {
            names.OPERATION_NAME: names.CHAT,
            names.REQUEST_MODEL: model,
        }
        if name is not None:
            held[names.STEP_NAME] = name
        if provider is not None:
            held[names.PROVIDER_NAME] = provider
        content = None if message is None else {names.MESSAGE: message}
        with self.span(f"{names.CHAT} {model}", held, content=content, kind="client") as span:
            yield ModelCall(span)

    def tool(
        self,
        name: str,
        arguments: Mapping[str, object] | None = None,
        *,
        call_id: str | None = None,
    ) -> AbstractContextManager[spans.ToolSpan]:
        """Open `stalwart.tool` around a tool that runs."""
        return spans.tool(self, name, arguments or {}, call_id=call_id)


@overload
def traced_tool(function: Callable[_P, _R], /) -> Callable[_P, _R]: ...
@overload
def traced_tool(
    *, tracer: Tracer | None = None, name: str | None = None
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
def traced_tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    tracer: Tracer | None = None,
    name: str | None = None,
) -> Any:
    """Open `stalwart.tool` around each call of a function or coroutine function.

    Without a `tracer` it is the one of the span that is open where the tool is called; with none
    open nothing is recorded. `name` is the tool's; without it the function's, that of what a
    partial calls, or the class of an object that is called. Arguments (defaults too; `args` and
    `kwargs` of what tells no signature) and the result are content.

    Raises TypeError for a generator function, whose span would leak into what reads it, and for
    what cannot be called.
    """
    if function is None:
        return lambda function: _traced(function, tracer, name)
    return _traced(function, tracer, name)


def _traced(
    function: Callable[..., Any], tracer: Tracer | None, name: str | None
) -> Callable[..., Any]:
    if isinstance(function, staticmethod | classmethod):  # the decorator stands above it
        return type(function)(_traced(function.__func__, tracer, name))
    if not callable(function):
        raise TypeError(
            f"{type(function).__name__} is no tool: a tracer is given by name, "
            "@traced_tool(tracer=…)"
        )
    runs = _that_runs(function)
    called = name or _name_of(function)
    if inspect.isgeneratorfunction(runs) or inspect.isasyncgenfunction(runs):
        raise TypeError(
            f"{called} is a generator: trace a function that returns, or open "
            "tracer.tool(...) inside it"
        )
    signature = _signature_of(function)

    if inspect.iscoroutinefunction(runs):

        @wraps(function)
        async def traced_async(*args: Any, **kwargs: Any) -> Any:
            found = tracer or _tracer_here()
            if found is None:
                return await function(*args, **kwargs)
            with spans.tool(found, called, _arguments(signature, args, kwargs)) as span:
                result = await function(*args, **kwargs)
                span.returned(result)
                return result

        return traced_async

    @wraps(function)
    def traced(*args: Any, **kwargs: Any) -> Any:
        found = tracer or _tracer_here()
        if found is None:
            return function(*args, **kwargs)
        with spans.tool(found, called, _arguments(signature, args, kwargs)) as span:
            result = function(*args, **kwargs)
            span.returned(result)
            return result

    return traced


def _tracer_here() -> Tracer | None:
    here = context.current.get()
    return here.tracer if here else None


def _that_runs(function: Callable[..., Any]) -> Any:
    """Return the function behind partials, and behind an object that is called."""
    while isinstance(function, partial):
        function = function.func
    if inspect.isroutine(function) or inspect.isclass(function):
        return function
    return type(function).__call__


def _name_of(function: Callable[..., Any]) -> str:
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def _signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # some that are written in C tell none
        return None


def _arguments(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, object]:
    if signature is None:
        return {"args": args, "kwargs": kwargs}
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:  # the call itself will say so
        return {"args": args, "kwargs": kwargs}
    bound.apply_defaults()
    return {key: value for key, value in bound.arguments.items() if key not in ("self", "cls")}
