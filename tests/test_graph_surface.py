"""The tool check and the guard on rounds, in graphs of LangGraph and anywhere else."""

import asyncio
import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

import stalwart_lang.graph
from stalwart_lang import Vocabulary
from stalwart_lang.check import ArgumentSpec, Checked, ToolSpec
from stalwart_lang.cli import stalwart
from stalwart_lang.graph import (
    Looping,
    Rounds,
    ToolCheck,
    TooManyRounds,
    detect_loop,
    tool_check,
    validate_state,
    validating,
)
from stalwart_lang.otel import NodeSpans
from stalwart_lang.rounds import round_signature
from stalwart_lang.tracing import JsonLinesTracer

CONFIG: Any = {"configurable": {"thread_id": "desk/u-1"}}
USD = {"value": "40.00", "currency": "USD"}
FACTS = {"card_on_file": True}


class Shop:
    """Tools that note what ran."""

    def __init__(self) -> None:
        self.ran: list[Any] = []

    @property
    def tools(self) -> list[Callable[..., Any]]:
        def charge_card(order_id: int, amount: dict[str, str]) -> str:
            """Charge an order."""
            self.ran.append(("charge_card", order_id))
            return "charged"

        def refund_card(order_id: int) -> str:
            """Refund an order."""
            self.ran.append(("refund_card", order_id))
            return "refunded"

        def get_order(order_id: int) -> str:
            """Get an order."""
            self.ran.append(("get_order", order_id))
            return "{}"

        return [charge_card, refund_card, get_order]


def charge(order: int = 4411) -> dict[str, Any]:
    return {"name": "charge_card", "args": {"order_id": order, "amount": USD}}


def get(order: int = 4411) -> dict[str, Any]:
    return {"name": "get_order", "args": {"order_id": order}}


def asking(number: int, *calls: dict[str, Any]) -> AIMessage:
    named = [{**call, "id": f"c{number}.{at}"} for at, call in enumerate(calls)]
    return AIMessage("", tool_calls=named)


class Model(GenericFakeChatModel):
    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self


def with_node(check: ToolCheck, shop: Shop, *steps: AIMessage) -> Any:
    """The check as a node between the model and the tools."""
    builder = _loop(steps)
    builder.add_node("check", check)
    builder.add_node("tools", ToolNode(shop.tools))
    builder.add_conditional_edges(
        "model", lambda s: "check" if s["messages"][-1].tool_calls else END, ["check", END]
    )
    builder.add_conditional_edges("check", check.route, {"run": "tools", "back": "model"})
    builder.add_edge("tools", "model")
    return builder.compile(checkpointer=InMemorySaver(), name="shop")


def with_wrapper(check: ToolCheck, shop: Shop, *steps: AIMessage) -> Any:
    """The check around each call of a ToolNode."""
    builder = _loop(steps)
    node = ToolNode(
        shop.tools, wrap_tool_call=check.wrap_tool_call, awrap_tool_call=check.awrap_tool_call
    )
    builder.add_node("tools", node)
    builder.add_conditional_edges(
        "model", lambda s: "tools" if s["messages"][-1].tool_calls else END, ["tools", END]
    )
    builder.add_edge("tools", "model")
    return builder.compile(checkpointer=InMemorySaver(), name="shop")


def _loop(steps: tuple[AIMessage, ...]) -> StateGraph[Any]:
    said = [*steps, AIMessage("done")]

    def model(state: MessagesState) -> dict[str, Any]:
        return {"messages": [said[sum(isinstance(m, AIMessage) for m in state["messages"])]]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", model)
    builder.add_edge(START, "model")
    return builder


def with_middleware(check: ToolCheck, shop: Shop, *steps: AIMessage) -> Any:
    """The check as middleware of LangChain's agent."""
    return create_agent(
        Model(messages=iter([*steps, AIMessage("done")])),
        shop.tools,
        middleware=[check.middleware()],
        checkpointer=InMemorySaver(),
        name="shop",
    )


WAYS = pytest.mark.parametrize("make", [with_node, with_wrapper, with_middleware])
RUNS = pytest.mark.parametrize("asynchronous", [False, True])


def run(graph: Any, given: Any, asynchronous: bool) -> dict[str, Any]:
    graph = validating(graph)
    came: dict[str, Any] = (
        asyncio.run(graph.ainvoke(given, CONFIG)) if asynchronous else graph.invoke(given, CONFIG)
    )
    assert validate_state(came) == ()
    return came


def begin(graph: Any, asynchronous: bool = False) -> dict[str, Any]:
    return run(graph, {"messages": [HumanMessage("hi")]}, asynchronous)


def results(came: dict[str, Any]) -> list[tuple[str, str]]:
    return [(m.status, str(m.content)) for m in came["messages"] if isinstance(m, ToolMessage)]


@WAYS
@RUNS
def test_a_call_that_may_run_runs(make, asynchronous):
    shop = Shop()
    came = begin(make(tool_check("shop"), shop, asking(1, get())), asynchronous)
    assert shop.ran == [("get_order", 4411)]
    assert results(came) == [("success", "{}")]


@WAYS
@RUNS
def test_a_call_that_is_refused_gets_the_reason_as_its_result(make, asynchronous):
    shop = Shop()
    came = begin(make(tool_check("shop"), shop, asking(1, charge())), asynchronous)
    assert shop.ran == []
    assert results(came) == [("error", "There is no card on file.")]
    assert came["messages"][-1].content == "done"


@WAYS
def test_reasons_are_said_in_the_language_that_is_asked_for(make):
    check = tool_check("shop", language="pt-BR")
    came = begin(make(check, Shop(), asking(1, charge())))
    assert results(came) == [("error", "Não há cartão cadastrado.")]


@WAYS
@RUNS
def test_a_write_waits_for_a_person(make, asynchronous):
    shop = Shop()
    graph = make(tool_check("shop", facts=FACTS), shop, asking(1, charge()))
    (pause,) = begin(graph, asynchronous)["__interrupt__"]
    asked = pause.value
    assert (asked["tool"], asked["call_id"], asked["waits_for"]) == (
        "charge_card",
        "c1.0",
        ["write"],
    )
    assert asked["text"].startswith("charge_card(order_id=4411, amount=40.00 USD): ")
    assert shop.ran == []
    came = run(graph, Command(resume="approve"), asynchronous)
    assert shop.ran == [("charge_card", 4411)]
    assert results(came) == [("success", "charged")]


@WAYS
@pytest.mark.parametrize("answer", ["decline", "yes", True, "", {"c9": "approve"}])
def test_anything_but_an_approval_declines(make, answer):
    shop = Shop()
    graph = make(tool_check("shop", facts=FACTS), shop, asking(1, charge()))
    begin(graph)
    came = run(graph, Command(resume=answer), False)
    assert shop.ran == []
    assert results(came) == [("error", "A person declined charge_card.")]


@WAYS
def test_a_tool_and_arguments_that_are_not_declared(make):
    for call in ({"name": "nope", "args": {}}, {"name": "get_order", "args": {"order_id": "x"}}):
        shop = Shop()
        ((status, _),) = results(begin(make(tool_check("shop"), shop, asking(1, call))))
        assert (status, shop.ran) == ("error", [])


@WAYS
@pytest.mark.parametrize("identity", ["a", ""])
def test_calls_that_share_an_id_do_not_run(make, identity):
    """What is decided about the one must not let the other run."""
    calls = [{**call, "id": identity} for call in (get(), charge(), charge(5))]
    for step in (calls, calls[::-1], calls[1:]):
        shop = Shop()
        graph = make(tool_check("shop", facts=FACTS), shop, AIMessage("", tool_calls=step))
        came = graph.invoke({"messages": [HumanMessage("hi")]}, CONFIG)
        assert "__interrupt__" not in came
        assert shop.ran == []
        found = results(came)
        assert [status for status, _ in found] == ["error"] * len(step)
        assert all("has no id of its own" in text for _, text in found)


def test_what_runs_is_what_is_checked():
    """Though somebody else's wrapper made another call of what the model asked for."""
    shop = Shop()
    check = tool_check("shop", facts=FACTS)

    def another(request: Any, execute: Callable[[Any], Any]) -> Any:
        asked = {**request.tool_call, **charge()}
        return check.wrap_tool_call(request.override(tool_call=asked), execute)

    builder = _loop((asking(1, get()),))
    builder.add_node("tools", ToolNode(shop.tools, wrap_tool_call=another))
    builder.add_edge("model", "tools")
    graph = builder.compile(checkpointer=InMemorySaver(), name="shop")
    came = graph.invoke({"messages": [HumanMessage("hi")]}, CONFIG)
    assert came["__interrupt__"][0].value["tool"] == "charge_card"
    assert shop.ran == []


@WAYS
def test_what_was_done_before_counts(make):
    refund = {"name": "refund_card", "args": {"order_id": 4411}}
    shop = Shop()
    check = tool_check("shop", facts=FACTS)
    graph = make(check, shop, asking(1, refund), asking(2, charge()), asking(3, refund))
    begin(graph)  # the first refund is refused: nothing was charged
    run(graph, Command(resume="approve"), False)
    came = run(graph, Command(resume="approve"), False)
    assert shop.ran == [("charge_card", 4411), ("refund_card", 4411)]
    assert [status for status, _ in results(came)] == ["error", "success", "success"]


def test_the_node_asks_once_for_all_calls_of_a_step():
    shop = Shop()
    step = asking(1, charge(1), get(2), charge(3))
    graph = with_node(tool_check("shop", facts=FACTS), shop, step)
    (pause,) = begin(graph)["__interrupt__"]
    assert [call["call_id"] for call in pause.value["calls"]] == ["c1.0", "c1.2"]
    run(graph, Command(resume="approve"), False)
    assert sorted(shop.ran) == [("charge_card", 1), ("charge_card", 3), ("get_order", 2)]


def test_of_a_step_in_which_one_call_is_refused_the_node_runs_none():
    shop = Shop()
    graph = with_node(
        tool_check("shop", facts=FACTS), shop, asking(1, charge(1), get(2), charge(3))
    )
    begin(graph)
    came = run(graph, Command(resume={"c1.0": "approve", "c1.2": "decline"}), False)
    assert shop.ran == []
    assert [text for _, text in results(came)] == [
        "charge_card was not run: another call of the same step was refused.",
        "get_order was not run: another call of the same step was refused.",
        "A person declined charge_card.",
    ]


@RUNS
def test_around_a_tool_node_only_the_call_that_waits_runs(asynchronous):
    """A ToolNode runs all of its calls again after a pause: none may have run before."""
    shop = Shop()
    step = asking(1, get(1), charge(2), charge(3))
    graph = with_wrapper(tool_check("shop", facts=FACTS), shop, step)
    begin(graph, asynchronous)
    assert shop.ran == []
    came = run(graph, Command(resume="approve"), asynchronous)
    assert shop.ran == [("charge_card", 2)]
    assert [status for status, _ in results(came)] == ["error", "success", "error"]


@RUNS
def test_in_an_agent_each_call_waits_by_itself(asynchronous):
    shop = Shop()
    step = asking(1, get(1), charge(2), charge(3))
    graph = with_middleware(tool_check("shop", facts=FACTS), shop, step)
    came = begin(graph, asynchronous)
    answers = {
        pause.id: "approve" if pause.value["call_id"] == "c1.1" else "decline"
        for pause in came["__interrupt__"]
    }
    assert len(answers) == 2
    came = run(graph, Command(resume=answers), asynchronous)
    assert shop.ran == [("get_order", 1), ("charge_card", 2)]
    assert [status for status, _ in results(came)] == ["success", "success", "error"]


def whole(value: object) -> bool:
    return isinstance(value, int)


EXPECTS = {"en": "a number", "pt-BR": "um número"}
CATALOGUE = {
    "read_page": ToolSpec("read_page", reads_outside=True),
    "send_mail": ToolSpec("send_mail", sends_out=True),
    "once": ToolSpec("once", {"x": ArgumentSpec("x", True, whole, EXPECTS)}),
}


def read_page() -> str:
    """Read a page."""
    return "from outside"


def send_mail() -> str:
    """Send a mail."""
    return "sent"


class Outside(Shop):
    @property
    def tools(self) -> list[Callable[..., Any]]:
        return [read_page, send_mail]


@WAYS
def test_data_from_outside_does_not_go_out(make):
    check = tool_check(Checked(CATALOGUE))
    mail, page = {"name": "send_mail", "args": {}}, {"name": "read_page", "args": {}}
    came = begin(make(check, Outside(), asking(1, mail), asking(2, page), asking(3, mail)))
    assert [status for status, _ in results(came)] == ["success", "success", "error"]
    assert "(read_page)" in results(came)[-1][1]


def test_calls_of_one_step_count_against_each_other():
    vocabulary = Vocabulary.load("shop")
    shop = Shop()
    refund = {"name": "refund_card", "args": {"order_id": 4411}}
    check = tool_check(vocabulary, facts=FACTS)
    # That the charge of the same step comes first is not certain: they run at once.
    came = begin(with_node(check, shop, asking(1, charge(), refund)))
    assert [status for status, _ in results(came)] == ["error", "error"]
    assert shop.ran == []


def test_facts_go_with_a_vocabulary():
    with pytest.raises(TypeError, match="facts="):
        tool_check(Checked(CATALOGUE), facts=FACTS)


def test_a_language_is_one_of_two():
    with pytest.raises(ValueError, match="language is 'pt'; it must be one of en, pt-BR"):
        tool_check("shop", language="pt")  # type: ignore[arg-type]


def test_a_fact_that_was_meant_to_be_another_is_logged(caplog):
    tool_check("shop", facts={"card_on_fle": True})
    tool_check("shop", facts={"card_on_file": True, "loyal": True})
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("stalwart_lang.runs", "WARNING")
    assert record.getMessage() == (
        "no rule requires the fact `card_on_fle`; did you mean `card_on_file`?"
    )


def test_the_check_reads_dicts_too():
    check = tool_check("shop")
    call = {"id": "c1", "function": {"name": "get_order", "arguments": '{"order_id": 4411}'}}
    state = {"messages": [{"role": "assistant", "tool_calls": [call]}]}
    assert check(state) == {}
    assert check.route(state) == "run"
    call["function"] = {"name": "get_order", "arguments": '{"order_id":'}
    (refused,) = check(state)["messages"]
    assert refused.status == "error"
    assert check({"messages": []}) == {}
    assert check.route({"messages": [HumanMessage("hi")]}) == "back"


@WAYS
def test_decisions_are_spans_below_their_nodes(make, tmp_path: Path):
    file = tmp_path / "run.jsonl"
    with JsonLinesTracer(file) as tracer:
        check = tool_check("shop", facts=FACTS, tracer=tracer)
        graph = make(check, Shop(), asking(1, charge()))
        graph = graph.with_config(callbacks=[NodeSpans(tracer)])
        graph.invoke({"messages": [HumanMessage("hi")]}, CONFIG)
        graph.invoke(Command(resume="approve"), CONFIG)
    shown = CliRunner().invoke(stalwart, ["trace", "show", str(file)]).output.splitlines()
    checks = [line.strip() for line in shown if line.startswith(("  check  ", "  interrupt"))]
    assert checks == [
        "check     charge_card -> confirm",
        "interrupt charge_card [write] (confirm)",
        "check     charge_card -> allow",
    ]
    assert "40.00" not in file.read_text("utf-8")


def test_without_langchain_the_middleware_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "stalwart_lang.graphs.middleware", raising=False)
    monkeypatch.setitem(sys.modules, "langchain.agents.middleware", None)
    with pytest.raises(ImportError, match=r"stalwart-lang\[langchain\]"):
        tool_check("shop").middleware()


# Rounds


def test_a_loop_of_anything_is_found():
    assert detect_loop(["a", "b"]) is None
    loop = detect_loop(["x", "a", "b", "a", "b"])
    assert loop is not None
    assert (loop.signatures, loop.start) == (("a", "b"), 1)


def test_rounds_end():
    rounds = Rounds(most=3)
    for at in range(3):
        rounds.add([("f", {"x": at})])
    with pytest.raises(TooManyRounds, match="more than 3 rounds") as raised:
        rounds.add([("f", {"x": 4})])
    assert (raised.value.most, rounds.count) == (3, 3)
    with pytest.raises(ValueError, match="most=0"):
        Rounds(most=0)


def test_rounds_that_repeat():
    rounds = Rounds(most=None)
    for at in range(3):
        rounds.add([("f", {"x": at % 2, "y": 1}), ("g", {})])
    with pytest.raises(Looping, match="in circles") as raised:
        rounds.add([("g", {}), ("f", {"y": 1, "x": 1})])
    assert raised.value.loop.period == 2
    free = Rounds(most=None, window=None)
    for _ in range(100):
        free.add([("f", {})])


def test_the_signature_of_a_round_does_not_depend_on_the_order_of_keys_or_calls():
    one = round_signature([("f", {"a": 1, "b": 2}), ("g", None)])
    assert one == round_signature([("g", None), ("f", {"b": 2, "a": 1})])
    assert one != round_signature([("g", None), ("f", {"b": 2, "a": 2})])


def test_rounds_guard_a_graph():
    call = get()
    rounds = Rounds()

    def model(state: MessagesState) -> dict[str, Any]:
        step = asking(len(state["messages"]), call)
        rounds.add((each["name"], each["args"]) for each in step.tool_calls)
        return {"messages": [step]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", model)
    builder.add_node("tools", ToolNode(Shop().tools))
    builder.add_edge(START, "model")
    builder.add_edge("model", "tools")
    builder.add_edge("tools", "model")
    with pytest.raises(Looping, match="get_order, 4 times"):
        builder.compile().invoke({"messages": [HumanMessage("hi")]})


# The surface


def test_everything_is_documented():
    for name in stalwart_lang.graph.__all__:
        found = getattr(stalwart_lang.graph, name)
        if inspect.isclass(found) or inspect.isfunction(found):
            assert inspect.getdoc(found)


def test_the_validator_and_rounds_need_no_langgraph():
    code = (
        "import sys, stalwart_lang.state, stalwart_lang.rounds\n"
        "stalwart_lang.state.validate_state({'messages': []})\n"
        "print({'langgraph', 'langchain_core'} & {*sys.modules})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"
