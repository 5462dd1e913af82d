"""Traces written by hand: the records of runs that went well, failed, wait, or were killed."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

BEGAN = datetime(2027, 3, 1, 9, 0, tzinfo=UTC)


def moment(milliseconds: float) -> str:
    time = BEGAN + timedelta(milliseconds=milliseconds)
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")


@dataclass
class Recorder:
    """Collects the records of one trace; times are milliseconds from the start."""

    trace_id: str
    records: list[dict[str, Any]] = field(default_factory=list)

    def span(
        self,
        name: str,
        start: float,
        length: float | None,
        attributes: dict[str, Any] | None = None,
        *,
        under: str | None = None,
        error: str | None = None,
        events: Sequence[dict[str, Any]] = (),
    ) -> str:
        span_id = f"{len(self.records) + 1:016x}"
        record = {
            "type": "start" if length is None else "span",
            "trace_id": self.trace_id,
            "span_id": span_id,
            "parent_id": under,
            "name": name,
            "start": moment(start),
            "attributes": dict(attributes or {}),
        }
        if length is not None:
            record |= {
                "end": moment(start + length),
                "duration_ms": length,
                "status": "error" if error else "ok",
                "error": {"type": error} if error else None,
                "events": list(events),
            }
        self.records.append(record)
        return span_id

    def check(
        self, tool: str, outcome: str, start: float, under: str, rule: str, **more: Any
    ) -> str:
        decided = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": f"call-{tool}",
            "stalwart.outcome": outcome,
            "stalwart.decided_by": "policy",
            "stalwart.rule": rule,
            "stalwart.reasons": [],
            "stalwart.labels": ["write"],
            "stalwart.args_digest": "9f86d081884c7d65",
            "stalwart.history_token": "2c26b46b68ffc68f",
            **more,
        }
        event = {"name": "stalwart.decision", "time": moment(start + 0.4), "attributes": decided}
        return self.span("stalwart.tool_check", start, 1.2, decided, under=under, events=[event])


def run_root(trace: Recorder, agent: str, length: float | None, **more: Any) -> str:
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent}
    error = more.pop("error", None)
    return trace.span(f"invoke_agent {agent}", 0, length, attributes | more, error=error)


def failed_order() -> list[dict[str, Any]]:
    """An order of three writes, each confirmed by a person; the third fails, two are undone."""
    trace = Recorder("0af7651916cd43dd8448eb211c80319c")
    thread = {"gen_ai.conversation.id": "desk/u-17"}
    root = run_root(trace, "desk", 128_900, error="RuntimeError", **thread)
    read = {"stalwart.step": 0, "stalwart.step_name": "read"}
    node = trace.span("stalwart.node", 2, 41, read, under=root)
    trace.span(
        "stalwart.plan",
        3,
        38,
        {
            "stalwart.turn_digest": "b94d27b9934d3e08",
            "stalwart.language": "en",
            "stalwart.language_from": "default",
            "stalwart.verdict": "read",
            "stalwart.reasons": [],
            "stalwart.rules": [
                "charge_card.say.en[0]",
                "update_crm.say.en[0]",
                "provision_account.say.en[0]",
            ],
            "stalwart.vocabulary": "shop",
            "stalwart.vocabulary_digest": "fd4a2fca6d5e4c1b",
        },
        under=node,
    )
    rule = {"stalwart.rule_file": "policies/writes.yaml", "stalwart.rule_line": 12}
    asked = {"stalwart.reasons": ["it writes", "amount over 25.00 USD"], **rule}
    at, step, history = 60.0, 1, 0
    for tool, length, wait, error in (
        ("charge_card", 412.0, 31_000.0, None),
        ("update_crm", 184.0, 14_500.0, None),
        ("provision_account", 902.0, 80_000.0, "RuntimeError"),
    ):
        node = trace.span(
            "stalwart.node",
            at,
            4.1,
            {"stalwart.step": step, "stalwart.step_name": "check"},
            under=root,
        )
        trace.check(tool, "confirm", at + 0.5, node, "confirm-writes", **asked)
        trace.span(
            "stalwart.interrupt",
            at + 2,
            1.5,
            {
                "gen_ai.tool.name": tool,
                "stalwart.waits_for": "write",
                "stalwart.outcome": "confirm",
            },
            under=node,
        )
        at += 5 + wait
        node = trace.span(
            "stalwart.node",
            at,
            length + 12,
            {"stalwart.step": step + 1, "stalwart.step_name": "call"},
            under=root,
            error=error,
        )
        resumed = {"gen_ai.tool.name": tool, "stalwart.answer": "approve"}
        trace.span("stalwart.resume", at + 0.6, 2.2, resumed, under=node)
        trace.check(tool, "allow", at + 4, node, "confirmed", **rule)
        called = {
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": f"call-{tool}",
            "gen_ai.tool.type": "function",
            "stalwart.step": history + 1,
            "stalwart.arguments_digest": "4e07408562bedb8b",
        }
        if error is None:
            called["stalwart.result_digest"] = "ef2d127de37b942b"
        trace.span("stalwart.tool", at + 7, length, called, under=node, error=error)
        at += length + 20
        step, history = step + 2, history + 2
    back = trace.span("stalwart.rollback", at, 640, {"stalwart.step": step}, under=root)
    for tool, undoes, start, length in (
        ("restore_crm", 3, at + 10, 240),
        ("refund_card", 1, at + 262, 360),
    ):
        undone = {
            "gen_ai.tool.name": tool,
            "stalwart.outcome": "allow",
            "stalwart.undoes": undoes,
            "stalwart.arguments_digest": "6b86b273ff34fce1",
        }
        trace.span("stalwart.compensate", start, length, undone, under=back)
    trace.records[0] |= {"duration_ms": at + 655, "end": moment(at + 655)}
    return trace.records


def refused_refund() -> list[dict[str, Any]]:
    """A refund that a rule refuses: nothing runs."""
    trace = Recorder("1bf7651916cd43dd8448eb211c80319d")
    root = run_root(trace, "desk", 22.4, **{"gen_ai.conversation.id": "desk/u-18"})
    trace.span(
        "stalwart.plan",
        1,
        14,
        {
            "stalwart.turn": "refund order 4411 900.00",
            "stalwart.language": "en",
            "stalwart.verdict": "read",
            "stalwart.rules": ["refund_card.say.en[0]"],
        },
        under=root,
    )
    trace.check(
        "refund_card",
        "refuse",
        17,
        root,
        "big-refund",
        **{
            "stalwart.reasons": ["amount 900.00 is over 500.00", "the order is older than 30 days"],
            "stalwart.rule_file": "policies/refunds.yaml",
            "stalwart.rule_line": 7,
        },
    )
    return trace.records


def misread_file() -> list[dict[str, Any]]:
    """A loop of model and tools that ends well although one of its reads failed."""
    trace = Recorder("2cf7651916cd43dd8448eb211c80319e")
    root = run_root(trace, "sales-summary", 9_420)
    at = 5.0
    turns: Sequence[tuple[int, int, str, Sequence[tuple[str, dict[str, str], str | None]]]] = (
        (812, 96, "tool_use", [("list_files", {"dir": "data"}, None)]),
        (
            946,
            218,
            "tool_use",
            [
                ("read_file", {"path": "data/2026-q1-east.csv"}, None),
                ("read_file", {"path": "data/2026-q1-sourth.csv"}, "FileNotFoundError"),
                ("read_file", {"path": "data/2026-q1-north.csv"}, None),
            ],
        ),
        (1602, 355, "tool_use", [("write_file", {"path": "summary.md"}, None)]),
        (1990, 81, "end_turn", []),
    )
    for number, (tokens_in, tokens_out, stop, tools) in enumerate(turns, 1):
        model = trace.span(
            "chat claude-sonnet-4-5",
            at,
            1_100 + 9 * tokens_out,
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "anthropic",
                "gen_ai.request.model": "claude-sonnet-4-5",
                "stalwart.step_name": f"turn-{number}",
                "gen_ai.usage.input_tokens": tokens_in,
                "gen_ai.usage.output_tokens": tokens_out,
                "gen_ai.response.finish_reasons": [stop],
            },
            under=root,
        )
        at += 1_105 + 9 * tokens_out
        for tool, arguments, error in tools:
            called = {
                "gen_ai.tool.name": tool,
                "stalwart.arguments": json.dumps(arguments),
            }
            if error is None:
                called["stalwart.result"] = "month,total\n2026-01,1200\n2026-02,980\n"
            trace.span("stalwart.tool", at, 18, called, under=model, error=error)
            at += 20
    trace.records[0] |= {"duration_ms": at, "end": moment(at)}
    return trace.records


def killed_run() -> list[dict[str, Any]]:
    """A run that was killed while it read a file."""
    trace = Recorder("3df7651916cd43dd8448eb211c80319f")
    root = run_root(trace, "sales-summary", None)
    model = trace.span(
        "chat claude-sonnet-4-5",
        5,
        1_830,
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "claude-sonnet-4-5",
            "stalwart.step_name": "turn-1",
            "gen_ai.usage.input_tokens": 812,
            "gen_ai.usage.output_tokens": 96,
        },
        under=root,
    )
    trace.span("stalwart.tool", 1_840, 21, {"gen_ai.tool.name": "list_files"}, under=model)
    trace.span("stalwart.tool", 1_866, None, {"gen_ai.tool.name": "read_file"}, under=model)
    return trace.records


def waiting_run() -> list[dict[str, Any]]:
    """A run that waits for a person."""
    trace = Recorder("4ef7651916cd43dd8448eb211c80319a")
    root = run_root(trace, "desk", 60)
    trace.check("charge_card", "confirm", 20, root, "confirm-writes")
    trace.span(
        "stalwart.interrupt",
        30,
        20,
        {"gen_ai.tool.name": "charge_card", "stalwart.waits_for": "write"},
        under=root,
    )
    return trace.records


def long_run(spans: int) -> list[dict[str, Any]]:
    """A run of that many spans, turns of a model with nine calls each; one call fails."""
    trace = Recorder("5ff7651916cd43dd8448eb211c80319b")
    root = run_root(trace, "crawler", spans * 10.0)
    model = root
    for place in range(1, spans):
        if place % 10 == 1:
            model = trace.span(
                "chat claude-sonnet-4-5",
                place * 10,
                8,
                {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.request.model": "claude-sonnet-4-5",
                    "stalwart.step_name": f"turn-{place // 10 + 1}",
                    "gen_ai.usage.input_tokens": 900,
                    "gen_ai.usage.output_tokens": 120,
                },
                under=root,
            )
        else:
            trace.span(
                "stalwart.tool",
                place * 10,
                9,
                {
                    "gen_ai.tool.name": ("read_file", "search", "write_file")[place % 3],
                    "gen_ai.tool.call.id": f"toolu_{place}",
                    "gen_ai.tool.type": "function",
                    "stalwart.arguments_digest": "4e07408562bedb8b",
                    "stalwart.result_digest": "ef2d127de37b942b",
                },
                under=model,
                error="TimeoutError" if place == spans * 3 // 4 else None,
            )
    return trace.records


HOSTILE = (
    "</style><script>window.struck = 1</script>",
    "</title><img src=x onerror='window.struck = 1'>",
    '"><svg onload="window.struck = 1">',
    "{{ 7 * 7 }}{% raw %}",
    "javascript:window.struck = 1",
    "\u202egnp.exe\u2066\u200f",
    "a\x00b\x1b[31mred\x1b[0m\u0085\u2028",
    "\ud800 half",
    "&lt;b&gt; &amp; &#x3c;",
    "https://example.org/<b>",
    "x" * 1_000_000,
    "e\u0301" * 500,
    "",
)


def hostile_run() -> list[dict[str, Any]]:
    """A run in which everything that others write is an attack."""
    trace = Recorder(HOSTILE[0])
    root = run_root(trace, HOSTILE[0], 500, **{"gen_ai.conversation.id": HOSTILE[5]})
    for place, text in enumerate(HOSTILE):
        held = {
            "gen_ai.tool.name": text,
            "stalwart.outcome": text,
            "stalwart.decided_by": text,
            "stalwart.rule": text,
            "stalwart.rule_file": text,
            "stalwart.rule_line": 3,
            "stalwart.reasons": [text],
            "stalwart.labels": [text, text],
            "stalwart.arguments": text,
            "stalwart.step": place,
            "stalwart.violation": text,
            "stalwart.deep": {"a": [text, {"b": None}]},
            text: text,
        }
        event = {"name": text, "time": moment(place), "attributes": held}
        for name in ("stalwart.tool_check", "stalwart.tool", text):
            trace.span(name, place * 10, 9, held, under=root, error=text or "E", events=[event])
        undone = {"gen_ai.tool.name": text, "stalwart.undoes": place}
        trace.span("stalwart.compensate", 400, 3, undone, under=root)
        trace.span(
            "stalwart.interrupt",
            450,
            1,
            {"stalwart.waits_for": text, "stalwart.labels": [text]},
            under=root,
        )
    return trace.records


def lines(*runs: Sequence[dict[str, Any]]) -> Iterator[bytes]:
    """Yield the records as lines of a file. A lone surrogate stands as JSON's escape of it."""
    for run in runs:
        for record in run:
            yield json.dumps(record).encode() + b"\n"
