"""The agent: a loop that knows when to stop, with a span a step, model call and tool call."""

from collections.abc import Callable, Mapping

from circles import goes_in_circles
from model import MODEL, Model, ToolCall

from stalwart_lang.tracing.agent import AgentSpans
from stalwart_lang.tracing.attributes import TURN

MAX_STEPS = 20


class Stuck(Exception):
    """The agent goes in circles."""


class OutOfSteps(Exception):
    """The agent came to no answer in MAX_STEPS."""


def run_agent(
    task: str, model: Model, tools: Mapping[str, Callable[..., str]], tracer: AgentSpans
) -> str:
    """Return the model's answer; raise Stuck or OutOfSteps where it comes to none."""
    messages: list[object] = [task]
    steps: list[tuple[ToolCall, ...]] = []
    with tracer.run("on-call") as run:
        run.set_content({TURN: task})  # a digest, unless the tracer captures content
        for step in range(1, MAX_STEPS + 1):
            with tracer.node(f"step-{step}"):
                with tracer.model_call(MODEL, name=f"turn-{step}") as call:
                    response = model(messages)
                    call.responded(
                        input_tokens=response.input_tokens,
                        output_tokens=response.output_tokens,
                        stop_reason=response.stop_reason,
                    )
                if response.stop_reason == "end_turn":
                    return response.text
                results = [_use(tools, wanted, tracer) for wanted in response.calls]
            messages += [response, results]
            steps.append(response.calls)
            if goes_in_circles(steps):
                raise Stuck(f"the same calls again and again, up to step {step}")
        raise OutOfSteps(f"no answer after {MAX_STEPS} steps")


def _use(tools: Mapping[str, Callable[..., str]], call: ToolCall, tracer: AgentSpans) -> str:
    try:
        with tracer.tool(call.tool, call.arguments, call_id=call.id) as span:
            result = tools[call.tool](**call.arguments)
            span.returned(result)
    except Exception as error:  # the span has its type; the model reads all of it, and goes on
        return f"{type(error).__name__}: {error}"
    return result
