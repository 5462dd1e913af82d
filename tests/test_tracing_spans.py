"""The spans, attributes and the event that files and people outside rely on, to the letter."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from stalwart_lang import Selector, Vocabulary
from stalwart_lang.tracing import JsonLinesTracer, attributes, spans

SPANS = [
    "stalwart.node",
    "stalwart.plan",
    "stalwart.tool_check",
    "stalwart.tool",
    "stalwart.compensate",
    "stalwart.rollback",
    "stalwart.rewind",
    "stalwart.interrupt",
    "stalwart.resume",
]

TOOL_CHECK = [
    "gen_ai.operation.name",
    "gen_ai.tool.name",
    "gen_ai.tool.call.id",
    "stalwart.outcome",
    "stalwart.decided_by",
    "stalwart.rule",
    "stalwart.reasons",
    "stalwart.labels",
    "stalwart.args_digest",
    "stalwart.history_token",
]

CONTENT = ["stalwart.arguments", "stalwart.result", "stalwart.message", "stalwart.turn"]

DOCS = Path(__file__).parent.parent / "docs"
CALL = {"order_id": 4411, "amount": {"value": "40.00", "currency": "USD"}}
HEX_16 = re.compile("[0-9a-f]{16}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def written(path: Path) -> dict[str, dict]:
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return {line["name"]: line for line in lines if line["type"] == "span"}


def run_everything(path: Path, **options) -> dict[str, dict]:
    """Open every span there is, each with all that it can hold."""
    with JsonLinesTracer(path, **options) as tracer, tracer.run("desk", thread="desk/u-17"):
        Selector(Vocabulary.load("shop"), tracer=tracer).plan("charge order 4411 40.00")
        with spans.node(tracer, "run", 3):
            with spans.tool_check(
                tracer, "charge_card", CALL, call_id="c1", labels=["web"], history_token="tok"
            ) as check:
                check.decided(
                    "confirm",
                    "confirmation",
                    rule="big-charge",
                    reasons=["a write", "over 30"],
                    rule_file="shop.yaml",
                    rule_line=7,
                )
            with spans.interrupt(
                tracer, "charge_card", waits_for="write", outcome="confirm", call_id="c1"
            ) as pause:
                pause.set_content({attributes.MESSAGE: "Charge order 4411?"})
            with spans.resume(tracer, "charge_card", "approve", call_id="c1"):
                pass
            with spans.tool(tracer, "charge_card", CALL, call_id="c1") as tool:
                tool.returned({"paid": True})
            with (
                spans.rollback(tracer),
                spans.compensate(tracer, "refund_card", CALL, undoes=1, call_id="c2") as undo,
            ):
                undo.returned(None)
            with spans.rewind(tracer, 2):
                pass
        with tracer.model_call("m-1", name="turn-1", provider="acme", message="hello") as call:
            call.responded(
                input_tokens=812,
                output_tokens=96,
                stop_reason="tool_use",
                model="m-1-2027",
                response_id="r1",
                message="hi",
            )
    return written(path)


def test_the_names_are_the_nine_and_those_of_the_conventions(path):
    assert tuple(SPANS) == attributes.SPANS
    assert set(run_everything(path)) == {*SPANS, "invoke_agent desk", "chat m-1"}


def test_a_check_holds_its_decision_as_attributes_and_as_an_event(path):
    check = run_everything(path)["stalwart.tool_check"]
    held = check["attributes"]
    (event,) = check["events"]
    assert tuple(TOOL_CHECK) == attributes.TOOL_CHECK_ATTRIBUTES
    assert event["name"] == "stalwart.decision"
    assert set(event["attributes"]) == set(TOOL_CHECK)
    beside = {"stalwart.arguments_digest", "stalwart.rule_file", "stalwart.rule_line"}
    assert set(held) == {*TOOL_CHECK, *beside}
    assert {name: held[name] for name in TOOL_CHECK} == event["attributes"]
    digests = ("stalwart.args_digest", "stalwart.history_token")
    assert {name: value for name, value in event["attributes"].items() if name not in digests} == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "charge_card",
        "gen_ai.tool.call.id": "c1",
        "stalwart.outcome": "confirm",
        "stalwart.decided_by": "confirmation",
        "stalwart.rule": "big-charge",
        "stalwart.reasons": ["a write", "over 30"],
        "stalwart.labels": ["web"],
    }
    assert all(HEX_16.fullmatch(held[name]) for name in digests)
    assert held["stalwart.args_digest"] == held["stalwart.arguments_digest"]


def test_a_tool_is_no_second_call_to_a_viewer(path):
    tool = run_everything(path)["stalwart.tool"]["attributes"]
    assert "gen_ai.operation.name" not in tool
    assert tool["gen_ai.tool.name"] == "charge_card"
    assert tool["gen_ai.tool.call.id"] == "c1"
    assert tool["gen_ai.tool.type"] == "function"


def test_a_model_call_and_a_run_follow_the_conventions(path):
    made = run_everything(path)
    model = made["chat m-1"]["attributes"]
    sent, answered = model.pop("stalwart.message_digest"), model.pop("stalwart.result_digest")
    assert HEX_16.fullmatch(sent)
    assert HEX_16.fullmatch(answered)
    assert sent != answered
    assert model == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m-1",
        "gen_ai.response.model": "m-1-2027",
        "gen_ai.response.id": "r1",
        "gen_ai.provider.name": "acme",
        "gen_ai.usage.input_tokens": 812,
        "gen_ai.usage.output_tokens": 96,
        "gen_ai.response.finish_reasons": ["tool_use"],
        "stalwart.step_name": "turn-1",
    }
    assert made["invoke_agent desk"]["attributes"] == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "desk",
        "gen_ai.conversation.id": "desk/u-17",
    }


def test_content_is_four_attributes_or_their_digests(tmp_path):
    assert tuple(CONTENT) == attributes.CONTENT_ATTRIBUTES
    off = run_everything(tmp_path / "off.jsonl")
    on = run_everything(tmp_path / "on.jsonl", capture_content=True, redact=None)
    digests = [f"{name}_digest" for name in CONTENT]
    assert {key for span in off.values() for key in span["attributes"]} & {*CONTENT} == set()
    assert {key for span in on.values() for key in span["attributes"]} & {*digests} == set()
    for name, span in off.items():
        captured = on[name]["attributes"]
        turned = {
            key.removesuffix("_digest") if key in digests else key for key in span["attributes"]
        }
        assert turned == set(captured)
    assert json.loads(on["stalwart.tool"]["attributes"]["stalwart.arguments"]) == CALL
    assert on["stalwart.tool"]["attributes"]["stalwart.result"] == '{"paid":true}'
    assert on["stalwart.plan"]["attributes"]["stalwart.turn"] == "charge order 4411 40.00"
    assert on["stalwart.interrupt"]["attributes"]["stalwart.message"] == "Charge order 4411?"


@pytest.mark.parametrize("page", ["spans.md", "spans.pt-BR.md"])
def test_the_docs_have_the_same_tables_and_every_attribute(path, page):
    text = (DOCS / page).read_text("utf-8")
    first = re.findall(r"^\| `([^`]+)`", text, re.MULTILINE)
    assert first[: len(SPANS)] == SPANS
    assert [name for name in first if name in TOOL_CHECK][: len(TOOL_CHECK)] == TOOL_CHECK
    assert [name for name in first if name in CONTENT] == CONTENT
    named = set(re.findall(r"`((?:stalwart|gen_ai|error)\.[a-z_.]+)`", text))
    held = {key for span in run_everything(path).values() for key in span["attributes"]}
    held |= {attributes.DIGEST_KEY_ID, attributes.DROPPED_ATTRIBUTES}
    held |= {"error.type", "stalwart.decision", *CONTENT, *(f"{name}_digest" for name in CONTENT)}
    assert held | set(SPANS) == named - {"stalwart_lang.tracing"}


@pytest.mark.parametrize("page", ["spans.md", "spans.pt-BR.md"])
def test_the_loops_that_the_docs_show_are_traced(tmp_path, page):
    text = (DOCS / page).read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "pyproject.toml").write_text("", "utf-8")
    subprocess.run([sys.executable, "-c", blocks[0] + blocks[1]], cwd=tmp_path, check=True)
    lines = (tmp_path / "run.jsonl").read_text("utf-8").splitlines()
    ended = [record for record in map(json.loads, lines) if record["type"] == "span"]
    names = {record["span_id"]: record["name"] for record in ended}
    below = [(names.get(record["parent_id"]), record["name"]) for record in ended]
    first, own = below[2][1], "invoke_agent own-loop"  # the first is named in the page's language
    # A model's call ends with its answer; the tools that it asked for are below it all the same.
    assert below == [
        (first, "chat claude-sonnet-4-5"),
        ("chat claude-sonnet-4-5", "stalwart.tool"),
        (None, first),
        ("stalwart.node", "chat gpt-5"),
        ("chat gpt-5", "stalwart.tool"),
        (own, "stalwart.node"),
        (None, own),
    ]
    assert ended[4]["attributes"]["gen_ai.tool.call.id"] == "call_1"
