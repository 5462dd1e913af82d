"""Every span, event and attribute name that the tracers write, in one place.

`gen_ai.*` are of OpenTelemetry's semantic conventions for generative AI and `error.type` of its
general ones; no package holds them any more, so they are written out. `stalwart.*` are this
project's. docs/spans.md says what each holds.
"""

from typing import Final

NODE: Final = "stalwart.node"
PLAN: Final = "stalwart.plan"
TOOL_CHECK: Final = "stalwart.tool_check"
TOOL: Final = "stalwart.tool"
COMPENSATE: Final = "stalwart.compensate"
ROLLBACK: Final = "stalwart.rollback"
REWIND: Final = "stalwart.rewind"
INTERRUPT: Final = "stalwart.interrupt"
RESUME: Final = "stalwart.resume"

SPANS: Final = (
    NODE,
    PLAN,
    TOOL_CHECK,
    TOOL,
    COMPENSATE,
    ROLLBACK,
    REWIND,
    INTERRUPT,
    RESUME,
)
"""The spans of a run; beside them a run's root and its model calls, named by the conventions."""

DECISION: Final = "stalwart.decision"
"""The event on a tool check that repeats its decision's attributes."""

OPERATION_NAME: Final = "gen_ai.operation.name"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_CALL_ID: Final = "gen_ai.tool.call.id"
TOOL_TYPE: Final = "gen_ai.tool.type"
OUTCOME: Final = "stalwart.outcome"
DECIDED_BY: Final = "stalwart.decided_by"
RULE: Final = "stalwart.rule"
REASONS: Final = "stalwart.reasons"
LABELS: Final = "stalwart.labels"
ARGS_DIGEST: Final = "stalwart.args_digest"
HISTORY_TOKEN: Final = "stalwart.history_token"

TOOL_CHECK_ATTRIBUTES: Final = (
    OPERATION_NAME,
    TOOL_NAME,
    TOOL_CALL_ID,
    OUTCOME,
    DECIDED_BY,
    RULE,
    REASONS,
    LABELS,
    ARGS_DIGEST,
    HISTORY_TOKEN,
)
"""What a tool check's span holds, and its decision event."""

ARGUMENTS: Final = "stalwart.arguments"
RESULT: Final = "stalwart.result"
MESSAGE: Final = "stalwart.message"
TURN: Final = "stalwart.turn"

CONTENT_ATTRIBUTES: Final = (ARGUMENTS, RESULT, MESSAGE, TURN)
"""Content. Where it is off, the name and `DIGEST_SUFFIX` stand in for each."""

DIGEST_SUFFIX: Final = "_digest"
DIGEST_KEY_ID: Final = "stalwart.digest_key_id"
"""Which key a span's digests were made with: those of two keys cannot be compared."""


STEP: Final = "stalwart.step"
STEP_NAME: Final = "stalwart.step_name"
UNDOES: Final = "stalwart.undoes"
TO_STEP: Final = "stalwart.to_step"
WAITS_FOR: Final = "stalwart.waits_for"
ANSWER: Final = "stalwart.answer"
RULE_FILE: Final = "stalwart.rule_file"
RULE_LINE: Final = "stalwart.rule_line"

LANGUAGE: Final = "stalwart.language"
LANGUAGE_FROM: Final = "stalwart.language_from"
VERDICT: Final = "stalwart.verdict"
RULES: Final = "stalwart.rules"
VOCABULARY: Final = "stalwart.vocabulary"
VOCABULARY_DIGEST: Final = "stalwart.vocabulary_digest"

AGENT_NAME: Final = "gen_ai.agent.name"
CONVERSATION_ID: Final = "gen_ai.conversation.id"
PROVIDER_NAME: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
RESPONSE_ID: Final = "gen_ai.response.id"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"

ERROR_TYPE: Final = "error.type"

DROPPED_ATTRIBUTES: Final = "stalwart.dropped_attributes"
"""How many attributes OpenTelemetry's limit had no room for (stalwart_lang.otel)."""

CHAT: Final = "chat"
EXECUTE_TOOL: Final = "execute_tool"
INVOKE_AGENT: Final = "invoke_agent"
