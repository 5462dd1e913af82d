"""The agent: a loop between a model and its tools, traced with a line each."""

from model import Message, ScriptedModel, ToolCall, ToolResult
from tools import Tools

from stalwart_lang.tracing import JsonLinesTracer

MAX_ROUNDS = 12


class TooManyRounds(Exception):
    """The model still asked for tools in its last round."""


def run_agent(task: str, model: ScriptedModel, tools: Tools, tracer: JsonLinesTracer) -> str:
    """Return the model's last answer; raise TooManyRounds where none comes in MAX_ROUNDS."""
    messages: list[Message] = [task]
    with tracer.run("sales-summary"):
        for turn in range(1, MAX_ROUNDS + 1):
            with tracer.model_call(model.name, name=f"turn-{turn}") as call:
                response = model.respond(messages)
                call.responded(
                    input_tokens=response.input_tokens,
                    output_tokens=response.output_tokens,
                    stop_reason=response.stop_reason,
                )
                if response.stop_reason != "tool_use":
                    return response.text
                # Still in the block: what the model asked for stands below its call.
                results = tuple(_use(tools, wanted) for wanted in response.calls)
            messages += [response, results]
        raise TooManyRounds(f"no answer after {MAX_ROUNDS} rounds")


def _use(tools: Tools, call: ToolCall) -> ToolResult:
    if call.tool not in tools:
        return ToolResult(call.id, f"{call.tool} não é uma ferramenta.", failed=True)
    try:
        return ToolResult(call.id, tools[call.tool](**call.arguments))
    except Exception as error:  # the model reads what went wrong, and goes on
        return ToolResult(call.id, str(error), failed=True)
