"""One state validated: messages of every shape, and each kind of break."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    message_to_dict,
)
from pydantic import BaseModel

from stalwart_lang.runs.history_token import Keys, key_id, next_token
from stalwart_lang.state import KINDS, Kind, Violation, validate_state

KEY = b"a key of more than thirty-two characters"
KEYS = Keys(key_id(KEY), {key_id(KEY): KEY})


def kinds(state: object, **more: Any) -> list[str]:
    return [found.kind for found in validate_state(state, **more)]


def test_there_are_nine_kinds():
    assert get_args(Kind) == KINDS
    assert KINDS == (
        "call_without_result",
        "result_without_call",
        "results_out_of_order",
        "duplicate_message_id",
        "message_after_interrupt",
        "stack_step_not_in_history",
        "history_broken",
        "history_token_invalid",
        "label_on_removed_message",
    )


# The shapes of messages. Each gives: a person, a step that asks for "a" and "b", a result, a reply.


class OpenAI:
    @staticmethod
    def person() -> Any:
        return {"role": "user", "content": "look"}

    @staticmethod
    def asks(*ids: str) -> Any:
        calls = [
            {"id": i, "type": "function", "function": {"name": "f", "arguments": "{}"}} for i in ids
        ]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    @staticmethod
    def result(call: str) -> Any:
        return {"role": "tool", "tool_call_id": call, "content": "1"}


class Anthropic(OpenAI):
    @staticmethod
    def asks(*ids: str) -> Any:
        uses = [{"type": "tool_use", "id": i, "name": "f", "input": {}} for i in ids]
        return {"role": "assistant", "content": [{"type": "text", "text": "I look."}, *uses]}

    @staticmethod
    def result(call: str) -> Any:
        block = {"type": "tool_result", "tool_use_id": call, "content": "1"}
        return {"role": "user", "content": [block]}


class LangChain:
    @staticmethod
    def person() -> Any:
        return HumanMessage("look")

    @staticmethod
    def asks(*ids: str) -> Any:
        return AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": i} for i in ids])

    @staticmethod
    def result(call: str) -> Any:
        return ToolMessage("1", tool_call_id=call)


class Chunks(LangChain):
    @staticmethod
    def asks(*ids: str) -> Any:
        chunks = [{"name": "f", "args": "{}", "id": i, "index": 0} for i in ids]
        return AIMessageChunk("", tool_call_chunks=chunks)


class Dumped(LangChain):
    """As `model_dump` has them, and so a checkpoint."""

    asks = staticmethod(lambda *ids: LangChain.asks(*ids).model_dump())
    person = staticmethod(lambda: LangChain.person().model_dump())
    result = staticmethod(lambda call: LangChain.result(call).model_dump())


class ToDict(LangChain):
    asks = staticmethod(lambda *ids: message_to_dict(LangChain.asks(*ids)))
    person = staticmethod(lambda: message_to_dict(LangChain.person()))
    result = staticmethod(lambda call: message_to_dict(LangChain.result(call)))


class Serialized(LangChain):
    asks = staticmethod(lambda *ids: dumpd(LangChain.asks(*ids)))
    person = staticmethod(lambda: dumpd(LangChain.person()))
    result = staticmethod(lambda call: dumpd(LangChain.result(call)))


class AnthropicInLangChain(LangChain):
    """What langchain-anthropic gives: the calls stand in the content too."""

    @staticmethod
    def asks(*ids: str) -> Any:
        uses = [{"type": "tool_use", "id": i, "name": "f", "input": {}} for i in ids]
        return AIMessage(uses, tool_calls=[{"name": "f", "args": {}, "id": i} for i in ids])


class Ours(OpenAI):
    """The messages of our own runs."""

    @staticmethod
    def asks(*ids: str) -> Any:
        calls = [{"id": i, "name": "f", "args": {}} for i in ids]
        return {"role": "assistant", "content": "", "tool_calls": calls}


@dataclass
class Function:
    name: str = "f"


@dataclass
class ToolCall:
    id: str
    function: Function


@dataclass
class ClientMessage:
    """As the clients of providers have them: objects with attributes."""

    role: str
    content: Any = None
    tool_calls: Any = None
    tool_call_id: Any = None


class Client(OpenAI):
    person = staticmethod(lambda: ClientMessage("user", "look"))
    asks = staticmethod(
        lambda *ids: ClientMessage("assistant", tool_calls=[ToolCall(i, Function()) for i in ids])
    )
    result = staticmethod(lambda call: ClientMessage("tool", "1", tool_call_id=call))


SHAPES: list[Any] = [
    OpenAI, Anthropic, LangChain, Chunks, Dumped, ToDict, Serialized, AnthropicInLangChain, Ours,
    Client,
]  # fmt: skip
shapes = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)


@shapes
def test_a_step_with_its_results_is_sound(shape):
    sound = [shape.person(), shape.asks("a", "b"), shape.result("a"), shape.result("b")]
    assert kinds([*sound, shape.person(), shape.asks("c"), shape.result("c")]) == []


@shapes
def test_calls_that_may_be_running_are_sound(shape):
    assert kinds([shape.person(), shape.asks("a", "b")]) == []
    assert kinds([shape.person(), shape.asks("a", "b"), shape.result("a")]) == []


@shapes
def test_a_call_gone_past_has_no_result(shape):
    messages = [shape.person(), shape.asks("a", "b"), shape.result("a"), shape.person()]
    (found,) = validate_state({"messages": messages})
    assert (found.kind, found.where, found.call_id) == ("call_without_result", "messages[1]", "b")


@shapes
def test_a_result_without_its_call(shape):
    (found,) = validate_state([shape.person(), shape.result("a")])
    assert (found.kind, found.where, found.call_id) == ("result_without_call", "messages[1]", "a")


@shapes
def test_a_second_result_answers_no_call(shape):
    messages = [shape.asks("a", "b"), shape.result("a"), shape.result("a"), shape.result("b")]
    (found,) = validate_state(messages)
    assert (found.kind, found.where) == ("result_without_call", "messages[2]")
    assert kinds([shape.asks("a"), shape.result("a"), shape.person(), shape.result("a")]) == [
        "result_without_call"
    ]


@shapes
def test_results_in_another_order(shape):
    (found,) = validate_state([shape.asks("a", "b"), shape.result("b"), shape.result("a")])
    assert (found.kind, found.where) == ("results_out_of_order", "messages[2]")


@shapes
def test_a_result_that_does_not_follow_its_step(shape):
    late = [shape.asks("a"), shape.person(), shape.result("a")]
    early = [shape.result("a"), shape.asks("a")]
    assert kinds(late) == kinds(early) == ["results_out_of_order"]


@shapes
def test_an_id_of_a_call_may_come_again_in_another_step(shape):
    step = [shape.asks("call_0"), shape.result("call_0")]
    assert kinds([*step, shape.person(), *step]) == []


def test_anthropic_s_results_are_together_and_first():
    asks, one, two = Anthropic.asks("a", "b"), Anthropic.result("a"), Anthropic.result("b")
    text = {"type": "text", "text": "and now?"}
    both = {"role": "user", "content": [*one["content"], *two["content"], text]}
    assert kinds([asks, both]) == []
    only_one = {"role": "user", "content": [*one["content"], text]}
    assert kinds([asks, only_one]) == ["call_without_result"]
    text_first = {"role": "user", "content": [text, *one["content"], *two["content"]]}
    assert kinds([asks, text_first]) == ["results_out_of_order"] * 2


def test_tools_that_the_provider_runs_itself_need_no_result():
    content = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
    ]
    assert kinds([{"role": "assistant", "content": content}, OpenAI.person()]) == []


def test_items_of_openai_s_responses():
    calls = [{"type": "function_call", "call_id": i, "name": "f", "id": f"fc_{i}"} for i in "ab"]
    outputs = [{"type": "function_call_output", "call_id": i, "output": "1"} for i in "ab"]
    reasoning = {"type": "reasoning", "id": "rs_1"}
    said = {"type": "message", "role": "user", "content": "look"}
    sound = [said, reasoning, *calls, *outputs, said]
    assert kinds(sound) == []
    assert kinds([said, *calls, outputs[1], outputs[0]]) == ["results_out_of_order"]
    assert kinds([said, *calls, outputs[0], said]) == ["call_without_result"]
    assert kinds([said, *outputs]) == ["result_without_call"] * 2


def test_functions_as_they_were_before_tools():
    asks = {"role": "assistant", "content": None, "function_call": {"name": "f"}}
    result = {"role": "function", "name": "f", "content": "1"}
    assert kinds([asks, result, asks, FunctionMessage("1", name="f"), OpenAI.person()]) == []
    assert kinds([asks, OpenAI.person()]) == ["call_without_result"]
    assert kinds([result]) == ["result_without_call"]


def test_pairs_texts_and_what_is_no_message_only_speak():
    assert kinds([("system", "be brief"), ("user", "hi"), "hello", 7, None, object()]) == []
    assert kinds([LangChain.asks("a"), ("user", "hi")]) == ["call_without_result"]


def test_a_request_to_remove_a_message_is_none():
    assert kinds([LangChain.asks("a"), RemoveMessage("m1"), LangChain.result("a")]) == []


def test_two_messages_with_one_id():
    messages = [HumanMessage("a", id="m1"), SystemMessage("b", id="m2"), AIMessage("c", id="m1")]
    (found,) = validate_state({"messages": messages})
    assert (found.kind, found.where, found.id) == ("duplicate_message_id", "messages[2]", "m1")


# Where a state is


class Model(BaseModel):
    messages: list[Any]


@dataclass
class Record:
    messages: list[Any]


class Snapshot:
    def __init__(self, values: Any) -> None:
        self.values, self.next, self.metadata, self.interrupts = values, (), {"step": 7}, ()


def test_every_kind_of_state():
    messages = [OpenAI.result("a")]
    for state in (messages, {"messages": messages}, Model(messages=messages), Record(messages)):
        assert kinds(state) == ["result_without_call"]
    assert kinds({"v": 4, "channel_values": {"messages": messages}}) == ["result_without_call"]
    (found,) = validate_state(Snapshot({"messages": messages}))
    assert found.step == 7
    assert str(found).startswith("step 7: result_without_call: messages[0]: ")


@pytest.mark.parametrize("state", [{}, [], (), {"messages": "text"}, {"messages": 1}, object()])
def test_a_state_that_holds_nothing_breaks_nothing(state):
    assert kinds(state) == []


@pytest.mark.parametrize("state", [None, 3, 2.5, True, "text", b"text", {1}, len, Model, kinds])
def test_what_is_no_state_is_told(state):
    with pytest.raises(TypeError, match=f"not {type(state).__name__}$"):
        validate_state(state)


def hostile(method: str) -> Any:
    """An object, a mapping besides, one of whose methods raises."""

    def fails(*_: object) -> Any:
        raise RuntimeError(method)

    plain = {
        "__getitem__": lambda _, name: "ai",
        "__iter__": lambda _: iter(["role", "step"]),
        "__len__": lambda _: 2,
    }
    return type("Hostile", (Mapping,), {**plain, method: fails})()


@pytest.mark.parametrize(
    "method",
    ["__getattr__", "__getattribute__", "__iter__", "__hash__", "__eq__", "get", "__getitem__",
     "__contains__", "__str__", "__len__"],
)  # fmt: skip
def test_what_raises_when_it_is_looked_at_is_looked_over(method):
    bad, broken = hostile(method), OpenAI.result("a")
    validate_state(bad)
    validate_state([bad])
    for name in ("history", "to_undo", "waiting", "labels", "history_token", "thread"):
        for value in (bad, [bad], {"m": bad}, [{"step": bad, "call_id": bad, "message": bad}]):
            found = validate_state({"messages": [broken, bad], name: value}, keys={})
            assert found[0].kind == "result_without_call"


@pytest.mark.parametrize("number", [10**5000, -(10**5000), 2**63], ids=["+", "-", "64"])
def test_a_number_that_no_store_holds_is_no_step(number):
    entries = [{"step": number, "kind": "call"}]
    state = {"history": entries, "to_undo": [{"step": number}], "waiting": {"messages": number}}
    assert set(kinds(state)) <= {"history_broken"}
    assert kinds(Snapshot({"messages": []})) == []


@pytest.mark.parametrize("no_id", ["", None])
def test_calls_without_ids_have_the_results_that_follow(no_id):
    call = {"name": "f", "args": {}, "id": no_id}
    openai = {"type": "function", "function": {"name": "f", "arguments": "{}"}, "id": no_id}
    result = ToolMessage("r", tool_call_id="")
    person = HumanMessage("hi")
    steps: list[Any] = [
        AIMessage("", id="", tool_calls=[call, call]),
        {"role": "assistant", "tool_calls": [openai, openai]},
        AIMessage([{"type": "tool_use", "name": "f", "input": {}}] * 2, tool_calls=[call, call]),
    ]
    for asking in steps:
        step = [asking, result, {"role": "tool", "tool_call_id": no_id, "content": "r"}]
        assert kinds([*step, *step, person]) == []
        assert kinds([*step[:2], person]) == ["call_without_result"]
        (found,) = validate_state([*step, result])
        assert (found.kind, found.where, found.call_id) == (
            "result_without_call",
            "messages[3]",
            None,
        )
        assert "(no id)" in found.message
        assert "(sem id)" in found.say["pt-BR"]


def test_a_violation_is_said_in_both_languages():
    (found,) = validate_state([OpenAI.result("a")])
    assert isinstance(found, Violation)
    assert found.say["en"] == found.message
    assert "resultado" in found.say["pt-BR"]


# The history, what hangs on it, and pauses


def history(count: int, thread: str = "t", store: str = "s") -> dict[str, Any]:
    entries: list[dict[str, Any]] = []
    token = None
    for step in range(count):
        bare = {"step": step, "kind": "call", "tool": "f", "call_id": f"c{step}"}
        token = next_token(KEYS, thread, store, token, bare)
        entries.append({**bare, "token": token})
    return {"history": entries, "history_token": token, "thread": thread, "store": store}


def verified(state: object) -> list[str]:
    return kinds(state, keys=KEYS.by_id)


def test_a_history_as_it_was_written():
    assert verified(history(5)) == []
    assert kinds(history(5), keys={}) == []  # of which nothing is said


def test_a_step_that_is_missing():
    state = history(5)
    del state["history"][2]
    found = validate_state(state, keys=KEYS.by_id)
    assert [each.kind for each in found] == ["history_broken", "history_token_invalid"]
    assert (found[0].where, found[0].id) == ("history[2]", "3")


def test_entries_and_no_token():
    state = {**history(3), "history_token": None}
    assert verified(state) == ["history_broken"]
    assert kinds({"history": [{"step": 0}, {"step": 1}]}) == ["history_broken"]


@pytest.mark.parametrize("at", [0, 2, 4])
def test_an_entry_that_was_edited(at):
    state = history(5)
    state["history"][at]["tool"] = "g"
    (found,) = validate_state(state, keys=KEYS.by_id)
    assert (found.kind, found.where, found.id) == (
        "history_token_invalid",
        f"history[{at}]",
        str(at),
    )


def test_entries_that_changed_places_and_took_their_steps():
    state = history(5)
    entries = state["history"]
    entries[1], entries[2] = entries[2] | {"step": 1}, entries[1] | {"step": 2}
    assert verified(state) == ["history_token_invalid"]


def test_an_end_cut_off_without_its_token():
    state = history(5)
    del state["history"][3:]
    assert kinds(state, keys={}) == ["history_token_invalid"]


def test_a_history_of_another_thread():
    assert verified({**history(3), "thread": "other"}) == ["history_token_invalid"]
    assert verified({**history(3), "store": "other"}) == ["history_token_invalid"]


def test_what_to_undo_is_in_the_history():
    state = history(3)
    assert verified({**state, "to_undo": [{"step": 0, "call_id": "c0"}, {"step": 2}]}) == []
    (found,) = validate_state({**state, "to_undo": [{"step": 1}, {"step": 3, "call_id": "c3"}]})
    assert (found.kind, found.where, found.id, found.call_id) == (
        "stack_step_not_in_history",
        "to_undo[1]",
        "3",
        "c3",
    )


def test_other_things_under_those_names_are_let_be():
    assert kinds({"history": ["a", "b"], "to_undo": ["x"], "labels": ["urgent"]}) == []
    assert kinds({"history": [{"role": "user"}], "labels": {"priority": "high"}}) == []


@pytest.mark.parametrize("labels", [{"m9": ["outside"]}, [{"message": "m9", "label": "outside"}]])
def test_a_mark_on_a_message_that_is_gone(labels):
    assert kinds({"messages": [HumanMessage("a", id="m9")], "labels": labels}) == []
    (found,) = validate_state({"messages": [HumanMessage("a", id="m1")], "labels": labels})
    assert (found.kind, found.where, found.id) == ("label_on_removed_message", "labels", "m9")


PAUSED = [
    HumanMessage("pay", id="m1"),
    AIMessage("", id="m2", tool_calls=LangChain.asks("c1").tool_calls),
]


@pytest.mark.parametrize("waiting", [{"call_id": "c1"}, {"last_message": "m2"}, [{"messages": 2}]])
def test_a_message_while_a_pause_is_open(waiting):
    assert kinds({"messages": PAUSED, "waiting": waiting}) == []
    added = [*PAUSED, HumanMessage("hello?", id="m3")]
    found = validate_state({"messages": added, "waiting": waiting})
    assert found[-1].kind == "message_after_interrupt"
    assert (found[-1].where, found[-1].id) == ("messages[2]", "m3")


def test_the_other_results_of_the_step_that_waits_are_no_messages_after():
    asks = LangChain.asks("c1", "c2")
    state = {"messages": [asks, LangChain.result("c2")], "waiting": {"call_id": "c1"}}
    assert kinds(state) == []
    # That the call that waits has no result is told by the pause.
    state["messages"].append(HumanMessage("hello?"))
    assert kinds(state) == ["message_after_interrupt"]


# Random histories


@st.composite
def conversations(draw: st.DrawFn) -> list[list[Any]]:
    """Turns of a correct conversation: a person, steps with their results, a reply."""
    turns = []
    number = 0
    for turn in range(draw(st.integers(1, 6))):
        messages: list[Any] = [HumanMessage("now?", id=f"h{turn}")]
        for step in range(draw(st.integers(0, 3))):
            calls = [f"c{number + at}" for at in range(draw(st.integers(1, 4)))]
            number += len(calls)
            messages.append(
                AIMessage(
                    "",
                    id=f"a{turn}.{step}",
                    tool_calls=[{"name": "f", "args": {}, "id": call} for call in calls],
                )
            )
            messages += [ToolMessage("1", tool_call_id=call, id=f"r{call}") for call in calls]
        messages.append(AIMessage("so.", id=f"s{turn}"))
        turns.append(messages)
    return turns


@st.composite
def states(draw: st.DrawFn) -> dict[str, Any]:
    turns = draw(conversations())
    kept = turns[draw(st.integers(0, len(turns) - 1)) :]  # trimmed by whole turns
    messages = [message for turn in kept for message in turn]
    state: dict[str, Any] = {"messages": messages, **history(draw(st.integers(0, 6)))}
    steps = range(len(state["history"]))
    state["to_undo"] = [{"step": step} for step in steps if draw(st.booleans())]
    marked = draw(st.lists(st.sampled_from(messages), max_size=2, unique_by=lambda m: m.id))
    state["labels"] = {message.id: ["outside"] for message in marked}
    return state


@given(states())
def test_correct_states_have_no_violation(state):
    assert verified(state) == []


def results_at(messages: list[Any]) -> list[int]:
    return [at for at, message in enumerate(messages) if isinstance(message, ToolMessage)]


@given(states(), st.data())
def test_a_single_mutation_gives_its_kind(state, data):
    messages, entries = state["messages"], state["history"]
    results = results_at(messages)
    pairs = [at for at in results if at + 1 in results]
    state["labels"] = {}
    mutations = {"duplicate_message_id": True, "label_on_removed_message": True}
    mutations["stack_step_not_in_history"] = True
    mutations["message_after_interrupt"] = True
    mutations |= {kind: bool(results) for kind in ("call_without_result", "result_without_call")}
    mutations["results_out_of_order"] = bool(pairs)
    mutations |= {kind: bool(entries) for kind in ("history_broken", "history_token_invalid")}
    kind = data.draw(st.sampled_from([name for name, may in mutations.items() if may]))
    if kind == "duplicate_message_id":
        messages.append(HumanMessage("again", id=data.draw(st.sampled_from(messages)).id))
    elif kind == "label_on_removed_message":
        state["labels"] = {"gone": ["outside"]}
    elif kind == "stack_step_not_in_history":
        state["to_undo"] = [{"step": len(entries) + data.draw(st.integers(0, 3))}]
    elif kind == "message_after_interrupt":
        state["waiting"] = {"messages": data.draw(st.integers(0, len(messages) - 1))}
    elif kind == "call_without_result":
        del messages[data.draw(st.sampled_from(results))]
    elif kind == "result_without_call":
        at = data.draw(st.sampled_from(results))
        while not isinstance(messages[at], AIMessage):
            at -= 1
        del messages[at]
    elif kind == "results_out_of_order":
        at = data.draw(st.sampled_from(pairs))
        messages[at], messages[at + 1] = messages[at + 1], messages[at]
    elif kind == "history_broken":
        state["history_token"] = None
    else:
        entry = data.draw(st.sampled_from(entries))
        entry["tool"] = "another"
    assert set(verified(state)) == {kind}


NAMES = [
    "id", "role", "type", "content", "tool_calls", "tool_call_id", "call_id", "step", "token",
    "messages", "history", "entries", "history_token", "history_length", "to_undo", "labels",
    "waiting", "last_message", "thread", "store", "data", "lc", "kwargs", "name", "turn", "phase",
    "calls", "undone", "channel_values", "function_call", "tool_use_id",
]  # fmt: skip
WORDS = [
    "user", "assistant", "tool", "tool_use", "tool_result", "ai", "function_call", "reasoning",
    "function", "remove", "a", "",
]  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6)
    ),
    max_leaves=25,
)


@given(VALUES.filter(lambda state: isinstance(state, list | dict)))
def test_no_state_makes_it_fail(state):
    for found in validate_state(state, keys={}):
        assert found.kind in KINDS


@given(conversations(), st.data())
def test_it_finds_the_same_in_parts_as_at_once(turns, data):
    from stalwart_lang.state.conversation import Conversation

    messages = data.draw(st.permutations([m for turn in turns for m in turn]))[:12]
    cut = data.draw(st.integers(0, len(messages)))
    parts = Conversation(messages[:cut])
    parts.extend(messages[cut:])
    assert parts.violations == Conversation(messages).violations
