"""One span a node, on graphs of LangGraph run in every way."""

import asyncio
import gc
import operator
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, RetryPolicy, Send, interrupt
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from stalwart_lang.otel import NodeSpans, OtelTracer
from stalwart_lang.timeline import Run, Span, gather_runs, open_lines, read_spans
from stalwart_lang.timeline.runs import walk
from stalwart_lang.tracing import JsonLinesTracer, traced_tool
from stalwart_lang.tracing.context import current

CONFIG: Any = {"configurable": {"thread_id": "desk/u-1"}}


class State(TypedDict, total=False):
    xs: Annotated[list[int], operator.add]


@traced_tool
def look(x: int) -> int:
    return x


def node(state: State) -> State:
    look(len(state.get("xs", [])))
    return {"xs": [1]}


async def anode(state: State) -> State:
    await asyncio.sleep(0)
    return node(state)


def line(*nodes: tuple[str, Any], state: Any = State) -> StateGraph[Any]:
    builder = StateGraph(state)
    before = START
    for name, act in nodes:
        builder.add_node(name, act)
        builder.add_edge(before, name)
        before = name
    return builder


class Recorded:
    """A file that spans are written to, and the runs in it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.tracer = JsonLinesTracer(file)
        self.handler = NodeSpans(self.tracer)

    def __call__(self, graph: Any) -> Any:
        return graph.with_config(callbacks=[self.handler])

    def runs(self) -> list[Run]:
        self.tracer.close()
        with open_lines(self.file) as lines:
            return gather_runs(span for span in read_spans(lines) if isinstance(span, Span))


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Recorded]:
    made = Recorded(tmp_path / "run.jsonl")
    yield made
    made.tracer.close()
    assert current.get() is None
    # Nothing is held of runs that are over.
    assert made.handler._runs == {}


def tree(run: Run) -> list[str]:
    """The spans of a run, each below its parent: name, step, error."""
    depth = {None: 0}
    found = []
    for each in walk(run.roots):
        span = each.span
        level = depth.get(span.parent_id, 0)
        depth[span.span_id] = level + 1
        held = span.attributes
        name = held.get("stalwart.step_name") or held.get("gen_ai.tool.name")
        name = name or held.get("gen_ai.agent.name")
        step = f" {held['stalwart.step']}" if "stalwart.step" in held else ""
        kind = span.name.removeprefix("stalwart.").partition(" ")[0]
        failed = f" !{span.error.type}" if span.error else ""
        assert not span.open
        found.append(f"{'  ' * level}{kind} {name}{step}{failed}")
    return found


ways = pytest.mark.parametrize("way", ["invoke", "stream", "ainvoke", "astream"])


def run(graph: Any, way: str, given: Any, config: Any = CONFIG, *, told: bool = True) -> None:
    """Run a graph; who reads a stream is not in the run, once the ends of its nodes are told."""
    if way == "invoke":
        graph.invoke(given, config)
    elif way == "stream":
        for _ in graph.stream(given, config):
            assert current.get() is None or not told
    elif way == "ainvoke":
        asyncio.run(graph.ainvoke(given, config))
    else:

        async def read() -> None:
            async for _ in graph.astream(given, config):
                assert current.get() is None or not told

        asyncio.run(read())


@ways
@pytest.mark.parametrize("act", [node, anode])
def test_a_span_a_node_with_what_it_opens_below(recorded, way, act):
    if act is anode and not way.startswith("a"):
        return
    run(recorded(line(("a", act), ("b", act)).compile(name="shop")), way, {"xs": []})
    (found,) = recorded.runs()
    assert tree(found) == [
        "invoke_agent shop",
        "  node a 1",
        "    tool look",
        "  node b 2",
        "    tool look",
    ]
    assert found.thread == "desk/u-1"
    assert found.outcome == "completed"


@ways
def test_parallel_branches_and_tasks_that_are_sent(recorded, way):
    builder = StateGraph(State)
    for name in ("a", "b", "leaf"):
        builder.add_node(name, anode if way.startswith("a") else node)
        if name != "leaf":
            builder.add_edge(START, name)
    builder.add_conditional_edges(
        "a", lambda _: [Send("leaf", {"xs": [0] * n}) for n in (2, 3)], ["leaf"]
    )
    run(recorded(builder.compile(name="shop")), way, {"xs": []})
    (found,) = recorded.runs()
    assert sorted(tree(found)) == sorted(
        ["invoke_agent shop", "  node a 1", "  node b 1", *["  node leaf 2"] * 2]
        + ["    tool look"] * 4
    )
    by_id = {span.span_id: span for span in found.spans}
    tools = [span for span in found.spans if span.name == "stalwart.tool"]
    above = [by_id[span.parent_id or ""].span_id for span in tools]
    assert len(set(above)) == 4  # each its own node's


@ways
def test_graphs_in_the_graph(recorded, way):
    inner = line(("in", node)).compile(name="inner")

    def calls_one(state: State) -> State:
        return {"xs": inner.invoke({"xs": []})["xs"]}

    graph = line(("sub", inner), ("by_hand", calls_one)).compile(name="outer")
    run(recorded(graph), way, {"xs": []})
    (found,) = recorded.runs()
    assert tree(found) == [
        "invoke_agent outer",
        "  node sub 1",
        "    node in 1",
        "      tool look",
        "  node by_hand 2",
        "    node in 1",
        "      tool look",
    ]


@ways
def test_a_node_that_is_tried_again_has_a_span_an_attempt(recorded, way):
    tries: list[int] = []

    def flaky(state: State) -> State:
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError
        return node(state)

    builder = StateGraph(State)
    builder.add_node("flaky", flaky, retry_policy=RetryPolicy(initial_interval=0, jitter=False))
    builder.add_edge(START, "flaky")
    run(recorded(builder.compile(name="shop")), way, {"xs": []})
    (found,) = recorded.runs()
    assert tree(found) == [
        "invoke_agent shop",
        *["  node flaky 1 !ConnectionError"] * 2,
        "  node flaky 1",
        "    tool look",
    ]
    assert found.outcome == "completed"


@ways
def test_a_pause_is_no_error(recorded, way):
    def ask(_: State) -> State:
        return {"xs": [interrupt({"q": "?"})]}

    inner = line(("ask", ask)).compile()
    graph = recorded(line(("sub", inner)).compile(checkpointer=InMemorySaver(), name="shop"))
    run(graph, way, {"xs": []})
    run(graph, way, Command(resume=3))
    waiting, resumed = recorded.runs()
    assert tree(waiting) == [
        "invoke_agent shop",
        "  node sub 1",
        "    node ask 1",
        "      interrupt ask",
    ]
    assert waiting.outcome == "waiting"
    assert tree(resumed) == [
        "invoke_agent shop",
        "  node sub 1",
        "    resume sub",
        "    node ask 1",
    ]
    assert resumed.outcome == "completed"


@ways
def test_an_error_is_told_by_its_type_alone(recorded, way):
    def fails(_: State) -> State:
        raise ValueError("123.456.789-09")

    graph = recorded(line(("a", node), ("fails", fails)).compile(name="shop"))
    with pytest.raises(ValueError, match="123"):
        run(graph, way, {"xs": []})
    (found,) = recorded.runs()
    assert tree(found)[0] == "invoke_agent shop !ValueError"
    assert tree(found)[-1] == "  node fails 2 !ValueError"
    assert found.outcome == "failed"
    assert "123.456" not in recorded.file.read_text("utf-8")


@ways
def test_a_command_to_the_graph_above_is_no_error(recorded, way):
    def up(_: State) -> Command[str]:
        return Command(graph=Command.PARENT, goto="after", update={"xs": [1]})

    inner = line(("up", up)).compile()
    builder = StateGraph(State)
    builder.add_node("sub", inner)
    builder.add_node("after", node)
    builder.add_edge(START, "sub")
    run(recorded(builder.compile(name="shop")), way, {"xs": []})
    (found,) = recorded.runs()
    assert [each for each in tree(found) if "!" in each] == []
    assert "  node after 2" in tree(found)


@ways
def test_spans_go_below_the_one_that_is_open(recorded, way):
    graph = recorded(line(("a", node)).compile())
    with recorded.tracer.run("mine", thread="t"):
        if way == "stream":
            list(graph.stream({"xs": []}, CONFIG))
        elif way != "astream":
            run(graph, way, {"xs": []})
        else:
            asyncio.run(graph.ainvoke({"xs": []}, CONFIG))
    (found,) = recorded.runs()
    assert tree(found) == ["invoke_agent mine", "  node a 1", "    tool look"]


def test_a_run_that_is_cancelled(recorded):
    async def endless(_: State) -> State:
        await asyncio.Event().wait()
        return {}

    graph = recorded(line(("a", anode), ("endless", endless)).compile(name="shop"))

    async def cancel() -> None:
        started = asyncio.create_task(graph.ainvoke({"xs": []}, CONFIG))
        while "endless" not in recorded.file.read_text("utf-8"):
            await asyncio.sleep(0)
        started.cancel()
        with pytest.raises(asyncio.CancelledError):
            await started

    asyncio.run(cancel())
    (found,) = recorded.runs()
    assert [each.strip().partition(" !")[0] for each in tree(found)] == [
        "invoke_agent shop",
        "node a 1",
        "tool look",
        "node endless 2",
    ]


def test_a_stream_that_its_reader_closes(recorded):
    graph = recorded(line(("a", node), ("b", node)).compile(name="shop"))
    stream = graph.stream({"xs": []}, CONFIG)
    next(stream)
    stream.close()

    async def first() -> None:
        reading = graph.astream({"xs": []}, CONFIG)
        async for _ in reading:
            break
        await reading.aclose()

    asyncio.run(first())
    for found in recorded.runs():
        assert tree(found)[:2] == ["invoke_agent shop", "  node a 1"]
        assert [each for each in tree(found) if "!" in each] == []


def test_a_stream_that_is_forgotten(recorded):
    stream = recorded(line(("a", node), ("b", node)).compile(name="shop")).stream({"xs": []})
    next(stream)
    del stream
    gc.collect()
    (found,) = recorded.runs()
    assert tree(found)[0] == "invoke_agent shop"


class Raises(BaseCallbackHandler):
    """A handler of somebody else's, which fails, aloud or not."""

    run_inline = True

    def __init__(self, on: str, aloud: bool) -> None:
        self.on, self.raise_error = on, aloud

    def on_chain_start(self, *_: Any, **more: Any) -> None:
        if self.on == "start" and more.get("name") == "b":
            raise OSError

    def on_chain_end(self, *_: Any, **more: Any) -> None:
        if self.on == "end":
            raise OSError


@ways
@pytest.mark.parametrize("on", ["start", "end"])
@pytest.mark.parametrize("aloud", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_handlers_that_raise(recorded, way, on, aloud, first):
    graph = line(("a", node), ("b", node)).compile(name="shop")
    handlers = [recorded.handler, Raises(on, aloud)]
    graph = graph.with_config(callbacks=handlers[::-1] if first else handlers)
    if aloud:
        with pytest.raises(OSError):  # noqa: PT011  it has no message
            run(graph, way, {"xs": []}, told=False)
    else:
        run(graph, way, {"xs": []})
    (found,) = recorded.runs()
    assert tree(found)[1] == "  node a 1"


class Broken:
    """A tracer that fails at everything."""

    def span(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError


@ways
def test_a_tracer_that_fails_stops_nothing(way):
    handler = NodeSpans(Broken())
    run(line(("a", node)).compile().with_config(callbacks=[handler]), way, {"xs": []})


def test_many_runs_at_once_through_one_handler(recorded):
    graph = recorded(line(("a", node), ("b", node)).compile(name="shop"))
    threads = [
        threading.Thread(target=graph.invoke, args=({"xs": []}, {"run_name": f"run-{at}"}))
        for at in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def together() -> None:
        given = [graph.ainvoke({"xs": []}, {"run_name": f"arun-{at}"}) for at in range(12)]
        await asyncio.gather(*given)

    asyncio.run(together())
    found = recorded.runs()
    assert len(found) == 24
    for each in found:
        assert [part.strip() for part in tree(each)][1:] == [
            "node a 1",
            "tool look",
            "node b 2",
            "tool look",
        ]


def test_the_steps_of_a_thread_go_on(recorded):
    graph = recorded(line(("a", node)).compile(checkpointer=InMemorySaver()))
    graph.invoke({"xs": []}, CONFIG)
    graph.invoke({"xs": []}, CONFIG)
    steps = [span.attributes.get("stalwart.step") for run in recorded.runs() for span in run.spans]
    assert [step for step in steps if step is not None] == [1, 4]


def test_the_same_spans_in_opentelemetry():
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = NodeSpans(OtelTracer(provider))
    inner = line(("in", node)).compile()
    graph = line(("sub", inner), ("b", node)).compile(name="shop")
    graph.with_config(callbacks=[handler]).invoke({"xs": []}, CONFIG)
    spans = {
        (s.name, (s.attributes or {}).get("stalwart.step_name")): s
        for s in exporter.get_finished_spans()
    }
    root = spans["invoke_agent shop", None]
    sub, inside = spans["stalwart.node", "sub"], spans["stalwart.node", "in"]
    assert root.parent is None
    assert sub.parent is not None
    assert inside.parent is not None
    assert sub.parent.span_id == root.context.span_id
    assert inside.parent.span_id == sub.context.span_id
    assert len({span.context.trace_id for span in spans.values()}) == 1


def test_nothing_of_the_state_is_recorded(recorded):
    class Text(TypedDict):
        said: str

    graph = line(("a", lambda _: {"said": "secret out"}), state=Text).compile()
    recorded(graph).invoke({"said": "secret in"})
    recorded.runs()
    assert "secret" not in recorded.file.read_text("utf-8")


def test_the_end_of_a_loop(recorded):
    builder = line(("a", node))
    choose: Callable[[State], str] = lambda s: END if len(s["xs"]) > 2 else "a"  # noqa: E731
    builder.add_conditional_edges("a", choose, ["a", END])
    recorded(builder.compile(name="shop")).invoke({"xs": []})
    (found,) = recorded.runs()
    assert [each for each in tree(found) if "node" in each] == [
        f"  node a {step}" for step in (1, 2, 3)
    ]


def test_importing_the_spans_of_opentelemetry_imports_no_langchain():
    code = "import sys, stalwart_lang.otel; print({'langgraph', 'langchain_core'} & {*sys.modules})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"
