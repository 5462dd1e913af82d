"""What any agent records: runs, model calls, tools, over threads and processes."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from stalwart_lang import Selector, Vocabulary
from stalwart_lang.otel import OtelTracer
from stalwart_lang.tracing import (
    JsonLinesTracer,
    carry,
    continue_trace,
    current_traceparent,
    spans,
    together,
    traced_tool,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


@pytest.fixture
def tracer(path: Path):
    with JsonLinesTracer(path) as tracer:
        yield tracer


def ended(path: Path) -> list[dict]:
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return [line for line in lines if line["type"] == "span"]


def named(path: Path, name: str) -> dict:
    (found,) = (span for span in ended(path) if span["name"] == name)
    return found


class TestModelCall:
    def test_its_duration_ends_with_the_response_and_its_tools_are_below_it(self, tracer, path):
        with tracer.run("desk") as run, tracer.model_call("m") as call:
            call.responded(input_tokens=1, output_tokens=2, stop_reason="tool_use")
            assert named(path, "chat m")["status"] == "ok"
            with tracer.tool("look"):
                pass
        model, tool = named(path, "chat m"), named(path, "stalwart.tool")
        assert tool["parent_id"] == model["span_id"]
        assert tool["start"] >= model["end"]
        assert model["parent_id"] == run.traceparent.split("-")[2]
        assert len(ended(path)) == 3

    def test_an_error_after_the_response_is_not_the_models(self, tracer, path):
        def loop() -> None:
            with tracer.run("desk"), tracer.model_call("m") as call:
                call.responded(stop_reason="tool_use")
                raise KeyError

        with pytest.raises(KeyError):
            loop()
        assert named(path, "chat m")["status"] == "ok"
        assert named(path, "invoke_agent desk")["error"] == {"type": "KeyError"}

    def test_a_call_that_fails_says_so(self, tracer, path):
        with pytest.raises(TimeoutError), tracer.model_call("m"):
            raise TimeoutError("of 529.982.247-25")
        assert named(path, "chat m")["error"] == {"type": "TimeoutError"}
        assert named(path, "chat m")["attributes"]["error.type"] == "TimeoutError"
        assert "529" not in path.read_text()


class TestTracedTool:
    def test_bare_it_uses_the_tracer_of_the_open_span(self, tracer, path):
        @traced_tool
        def look(order_id: int, deep: bool = False) -> str:
            """Look."""
            return f"{order_id} {deep}"

        assert look(1) == "1 False"
        assert ended(path) == []
        with tracer.run("desk"):
            assert look(4411) == "4411 False"
        assert look.__doc__ == "Look."
        with JsonLinesTracer(path) as other, other.tool("look", {"deep": False, "order_id": 4411}):
            pass
        first, _, second = ended(path)
        digest = "stalwart.arguments_digest"
        assert first["attributes"][digest] == second["attributes"][digest]
        assert "stalwart.result_digest" in first["attributes"]

    def test_a_method_and_a_name_of_its_own(self, tracer, path):
        class Shop:
            @traced_tool(tracer=tracer, name="charge_card")
            def charge(self, order_id: int) -> int:
                return order_id

        assert Shop().charge(7) == 7
        assert named(path, "stalwart.tool")["attributes"]["gen_ai.tool.name"] == "charge_card"

    def test_a_coroutine_is_open_while_it_runs(self, tracer, path):
        @traced_tool
        async def look() -> str:
            await asyncio.sleep(0)
            with tracer.span("inside"):
                return "x"

        async def main() -> list[str]:
            with tracer.run("desk"):
                return await asyncio.gather(look(), look(), look())

        assert asyncio.run(main()) == ["x", "x", "x"]
        tools = [span for span in ended(path) if span["name"] == "stalwart.tool"]
        inside = [span for span in ended(path) if span["name"] == "inside"]
        run = named(path, "invoke_agent desk")
        assert {tool["parent_id"] for tool in tools} == {run["span_id"]}
        assert sorted(s["parent_id"] for s in inside) == sorted(s["span_id"] for s in tools)

    def test_an_error_goes_on_and_only_its_type_is_kept(self, tracer, path):
        @traced_tool
        def look() -> None:
            raise LookupError("secret")

        with tracer.run("desk"), pytest.raises(LookupError, match="secret"):
            look()
        assert named(path, "stalwart.tool")["error"] == {"type": "LookupError"}
        assert "secret" not in path.read_text()

    def test_a_wrong_call_is_the_functions_own_error(self, tracer):
        @traced_tool
        def look(order_id: int) -> None: ...

        with tracer.run("desk"), pytest.raises(TypeError, match="order_id"):
            look()

    def test_whatever_can_be_called_is_traced(self, tracer, path):
        class Lookup:
            def __call__(self, order_id: int) -> int:
                return order_id

        class Later:
            async def __call__(self) -> str:
                return "x"

        class Shop:
            @traced_tool
            @staticmethod
            def charge(order_id: int) -> int:
                return order_id

            @traced_tool
            @classmethod
            def refund(cls, order_id: int) -> str:
                return f"{cls.__name__} {order_id}"

        with tracer.run("desk"):
            assert traced_tool(partial(pow, 2))(3) == 8
            assert traced_tool(Lookup())(7) == 7
            assert asyncio.run(traced_tool(partial(Later()))()) == "x"
            assert traced_tool(getattr)("x", "nothing", 1) == 1
            assert traced_tool(dict)(a=1) == {"a": 1}
            assert Shop.charge(1) == Shop().charge(1) == 1
            assert Shop.refund(2) == Shop().refund(2) == "Shop 2"
        tools = [span for span in ended(path) if span["name"] == "stalwart.tool"]
        assert [tool["attributes"]["gen_ai.tool.name"] for tool in tools] == [
            *("pow", "Lookup", "Later", "getattr", "dict", "charge", "charge", "refund", "refund")
        ]
        assert all(tool["duration_ms"] >= 0 for tool in tools)

    def test_a_generator_is_refused_where_it_is_defined(self):
        with pytest.raises(TypeError, match="is a generator"):

            @traced_tool
            def look():
                yield 1

    def test_a_tracer_that_is_not_given_by_name_is_told(self, tracer):
        with pytest.raises(TypeError, match=r"JsonLinesTracer is no tool: .*tracer=…"):
            traced_tool(tracer)


class TestContext:
    def test_a_thread_goes_on_below_the_span_where_its_function_was_carried(self, tracer, path):
        @traced_tool
        def look(at: int) -> int:
            return at

        with tracer.run("desk"), ThreadPoolExecutor(4) as pool:
            assert list(pool.map(carry(look), range(40))) == list(range(40))
            thread = threading.Thread(target=carry(look), args=(40,))
            thread.start()
            thread.join()
        run = named(path, "invoke_agent desk")
        tools = [span for span in ended(path) if span["name"] == "stalwart.tool"]
        assert len(tools) == 41
        assert {tool["parent_id"] for tool in tools} == {run["span_id"]}

    def test_a_process_goes_on_below_what_its_environment_names(self, tracer, path):
        work = (
            "import sys; from stalwart_lang.tracing import JsonLinesTracer\n"
            "with JsonLinesTracer(sys.argv[1]).span('child'): pass\n"
        )
        with tracer.run("desk"):
            here = current_traceparent()
            assert here is not None
            env = os.environ | {"TRACEPARENT": here}
            subprocess.run([sys.executable, "-c", work, path], check=True, env=env)
        run, child = named(path, "invoke_agent desk"), named(path, "child")
        assert child["parent_id"] == run["span_id"]
        assert child["trace_id"] == run["trace_id"]

    def test_a_traceparent_may_come_by_any_way(self, tracer, path):
        given = f"00-{'a' * 32}-{'b' * 16}-01"
        with continue_trace(given), tracer.span("one"):
            assert current_traceparent() != given
        with tracer.span("two", parent=given):
            pass
        for name in ("one", "two"):
            assert named(path, name)["trace_id"] == "a" * 32
            assert named(path, name)["parent_id"] == "b" * 16
        assert current_traceparent() is None

    @pytest.mark.parametrize(
        "wrong",
        [
            "",
            "00-" + "a" * 32,
            f"00-{'A' * 32}-{'b' * 16}-01",
            f"00-{'0' * 32}-{'b' * 16}-01",
            f"00-{'a' * 32}-{'0' * 16}-01",
            f"00-{'a' * 32}-{'b' * 16}-01-more",
            f"ff-{'a' * 32}-{'b' * 16}-01",
        ],
    )
    def test_what_is_no_traceparent_is_refused_or_passed_over(
        self, tracer, path, wrong, monkeypatch
    ):
        with pytest.raises(ValueError, match="is no traceparent"), continue_trace(wrong):
            pass
        monkeypatch.setenv("TRACEPARENT", wrong)
        with tracer.span("one", parent=wrong):
            pass
        assert named(path, "one")["parent_id"] is None

    @given(st.binary(min_size=16, max_size=16), st.binary(min_size=8, max_size=8))
    def test_a_traceparent_is_what_continues_it(self, trace, span):
        given = f"00-{trace.hex()}-{span.hex()}-01"
        if any(trace) and any(span):
            with continue_trace(given):
                assert current_traceparent() == given


class TestTogether:
    @pytest.fixture
    def exporter(self) -> InMemorySpanExporter:
        return InMemorySpanExporter()

    @pytest.fixture
    def otel(self, exporter) -> OtelTracer:
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        return OtelTracer(provider)

    def test_each_span_is_in_both_under_the_same_ids(self, tracer, otel, exporter, path):
        @traced_tool
        def look() -> str:
            return "secret"

        both = together(tracer, otel)
        selector = Selector(Vocabulary.load("shop"), tracer=both)
        with both.run("desk", thread="desk/u-17"):
            selector.plan("charge order 4411 40.00")
            with both.model_call("m") as call:
                call.responded(input_tokens=1, output_tokens=2)
                look()
        files = {span["span_id"]: span for span in ended(path)}
        sent = {f"{span.context.span_id:016x}": span for span in exporter.get_finished_spans()}
        assert files.keys() == sent.keys()
        assert len(files) == 4
        for span_id, span in sent.items():
            parent = f"{span.parent.span_id:016x}" if span.parent else None
            assert files[span_id]["parent_id"] == parent
            assert files[span_id]["trace_id"] == f"{span.context.trace_id:032x}"
            assert files[span_id]["name"] == span.name
            held = {
                key: list(value) if isinstance(value, tuple) else value
                for key, value in (span.attributes or {}).items()
            }
            assert files[span_id]["attributes"] == held

    def test_each_keeps_its_own_rule_of_content(self, tmp_path):
        open_file = JsonLinesTracer(tmp_path / "on.jsonl", capture_content=True, redact=None)
        shut_file = JsonLinesTracer(tmp_path / "off.jsonl", digest_key=b"key")
        both = together(open_file, shut_file)
        with both.tool("look", {"order_id": 4411}) as tool:
            tool.returned("found")
        on, off = (named(tmp_path / f"{name}.jsonl", "stalwart.tool") for name in ("on", "off"))
        assert on["attributes"]["stalwart.result"] == "found"
        assert "found" not in json.dumps(off)
        assert on["span_id"] == off["span_id"]
        assert on["parent_id"] is off["parent_id"] is None

    def test_a_tracer_that_fails_takes_nothing_from_the_other(self, tracer, path, caplog):
        both = together(Broken(), tracer)
        with both.run("desk"):
            plan = Selector(Vocabulary.load("shop"), tracer=both).plan("charge order 4411 40.00")
        assert plan.verdict == "read"
        assert [span["name"] for span in ended(path)] == ["stalwart.plan", "invoke_agent desk"]


class Broken:
    """A tracer of somebody's that fails at everything."""

    def span(self, name, attributes=None, *, content=None, kind="internal", parent=None):
        raise RuntimeError(content)


class BrokenSpan(Broken):
    """One whose spans fail."""

    @contextmanager
    def span(self, name, attributes=None, *, content=None, kind="internal", parent=None):
        try:
            yield self
        finally:
            raise RuntimeError(content)

    @property
    def traceparent(self):
        raise RuntimeError

    def set_attributes(self, attributes):
        raise RuntimeError(attributes)

    def set_content(self, content):
        raise RuntimeError(content)

    def add_event(self, name, attributes=None, *, content=None):
        raise RuntimeError(content)


@pytest.mark.parametrize("broken", [Broken(), BrokenSpan()], ids=["opens none", "fails in each"])
def test_a_tracer_of_somebodys_that_fails_changes_no_plan(broken):
    vocabulary = Vocabulary.load("shop")
    plan = Selector(vocabulary, tracer=broken).plan("charge order 4411 40.00")
    assert plan == Selector(vocabulary).plan("charge order 4411 40.00")
    with pytest.raises(LookupError), spans.tool(broken, "look", {}):
        raise LookupError
    with spans.tool_check(broken, "look", {}) as check:
        check.decided("allow", "default")
