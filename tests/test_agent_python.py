"""Agents declared in Python: the same as those of files, and what is wrong told as clearly."""

import json
import re
import subprocess
import sys
from dataclasses import fields
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

from stalwart_lang import Agent, AgentError, Money, Vocabulary, VocabularyError, tool
from stalwart_lang.runs.agent_declarations import AGENT_FILE
from stalwart_lang.runs.agent_file import load_agent
from stalwart_lang.runs.declared import declared_agent
from stalwart_lang.runs.modules import load_module
from stalwart_lang.runs.reply import Reply, Status, Waiting
from stalwart_lang.runs.spec import AgentSpec
from stalwart_lang.tracing import JsonLinesTracer

DOCS = Path(__file__).parent.parent / "docs"
DONE: list[tuple[int, str]] = []


def charge_card(order_id: int, amount: Money) -> str:
    DONE.append((order_id, str(amount)))
    return f"charged {amount}"


def refund_card(order_id: int, amount: Money | None = None) -> str:
    return "refunded"


def get_order(order_id: int) -> dict[str, int]:
    return {"id": order_id}


@tool(name="get_order")
def another(order_id: int) -> dict[str, int]:
    return {"id": order_id}


def declared(**given: Any) -> Agent:
    held: dict[str, Any] = {"tools": [get_order], "only": ["get_order"], "vocabulary": "shop"}
    return Agent("desk", **{**held, **given})


@pytest.mark.parametrize("suffix", [".md", ".pt-BR.md"])
def test_what_the_page_shows_is_the_agent_of_its_file(suffix, tmp_path, monkeypatch):
    text = (DOCS / f"agent{suffix}").read_text("utf-8")
    (file,) = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    tools, program, *_ = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "agent.yaml").write_text(file, "utf-8")
    (tmp_path / "tools.py").write_text(tools, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "run.jsonl").stat().st_size > 0
    assert (tmp_path / "runs.db").stat().st_size > 0
    monkeypatch.chdir(tmp_path)
    spec = load_agent("agent.yaml")
    same = declared_agent(
        "desk",
        tools=[load_module("tools", tmp_path)],
        only=["get_order", "charge_card", "refund_card", "find_parcel"],
        vocabulary="shop",
        language="pt-BR",
        runs="atomic",
        storage="sqlite:///runs.db",
        trace="run.jsonl",
        on_unread="ask",
        facts={"card_on_file": True},
    )
    for one in fields(AgentSpec):
        mine, its = (getattr(each, one.name) for each in (same, spec))
        if one.name in ("functions", "catalogue"):  # these hold functions made for each
            mine, its = list(mine), list(its)
        assert mine == its, one.name


@pytest.mark.parametrize("suffix", [".md", ".pt-BR.md"])
def test_every_program_of_the_page_runs(suffix, tmp_path):
    text = (DOCS / f"agent{suffix}").read_text("utf-8")
    (file,) = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    tools, *programs = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(programs) == 4
    (tmp_path / "agent.yaml").write_text(file, "utf-8")
    (tmp_path / "tools.py").write_text(tools, "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n\n".join(programs)],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("suffix", [".md", ".pt-BR.md"])
def test_the_page_has_every_status_and_every_method(suffix):
    text = (DOCS / f"agent{suffix}").read_text("utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert [name for name in listed if name in get_args(Status)] == [
        *("done", "waiting", "stopped", "asked", "unread"),
        *("busy", "answered", "newer", "nothing", "finished"),
    ]
    assert set(get_args(Status)) <= set(listed)
    public = [name for name in vars(Agent) if not name.startswith("_")]
    parts = [*public, *(field.name for kind in (Reply, Waiting) for field in fields(kind))]
    told = {"name", "kept"}  # what an agent is called, and whether it has a store
    assert {name for name in parts if not re.search(rf"\b{name}\b", text)} <= told


def test_each_key_of_a_file_is_a_keyword():
    keywords = set(signature(Agent.__init__).parameters)
    assert set(AGENT_FILE.keys) - {"agents"} <= keywords
    assert {"name", "only"} <= keywords


def test_it_runs_what_a_turn_asks_for():
    DONE.clear()
    two = ["charge_card", "refund_card"]
    facts = {"card_on_file": True}
    with declared(tools=[charge_card, refund_card], only=two, facts=facts) as desk:
        assert desk.chat("charge order 5 40.00", user="u").waiting is not None
        assert desk.confirm("u", "approve").text == "charge_card: charged 40.00 USD"
    assert DONE == [(5, "40.00 USD")]


def test_tools_are_functions_and_modules():
    module = ModuleType("tools")
    vars(module).update(get_order=get_order, charge_card=charge_card)
    for tools in ([get_order], [another], [module], (get_order, charge_card)):
        with declared(tools=tools, vocabulary=Vocabulary.load("shop")) as desk:
            assert desk.chat("show order 5", user="u").text == 'get_order: {"id": 5}'


def test_a_tracer_is_left_open(tmp_path):
    with JsonLinesTracer(tmp_path / "run.jsonl") as tracer:
        with declared(tracer=tracer) as desk:
            desk.chat("show order 5", user="u")
        with tracer.run("after"):
            pass
    lines = (tmp_path / "run.jsonl").read_text("utf-8").splitlines()
    names = [json.loads(line)["name"] for line in lines]
    assert "stalwart.tool" in names
    assert names[-1] == "invoke_agent after"


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"runs": "atom"}, ValueError, "runs is 'atom'; it must be one of 'atomic', 'best_effort'"),
        ({"language": "pt"}, ValueError, "language is 'pt'; it must be one of"),
        ({"on_unread": "guess"}, ValueError, "on_unread is 'guess'; it must be one of"),
        ({"storage": "runs.db"}, ValueError, "a storage is a URL; write `sqlite:///runs.db`"),
        ({"storage": "sqlite:///no/runs.db"}, ValueError, "the folder `no` does not exist"),
        ({"trace": "."}, ValueError, "is a folder"),
        ({"facts": {"card_on_file": "yes"}}, ValueError, "the fact card_on_file, which is True or"),
        ({"tools": get_order}, TypeError, r"write tools=\[get_order\]"),
        ({"tools": [5], "only": None}, AgentError, "SV2"),
        ({"tools": [get_order, another]}, AgentError, "two functions are the tool `get_order`"),
        ({"only": ["get_ordr"]}, AgentError, "no tool is called `get_ordr`"),
        ({"tools": [charge_card], "only": ["charge_card"]}, AgentError, "undo of `charge_card`"),
        ({"vocabulary": "shopp"}, VocabularyError, "cannot be read"),
        ({"storage": "sqlite:/runs.db"}, ValueError, "is a URL; write `sqlite:///runs.db`"),
        ({"vocabulary": None}, ValueError, "needs a model"),
        ({"on_unread": "model"}, ValueError, "needs a model"),
    ],
)
def test_what_is_wrong_is_told(given, error, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=said):
        declared(**given)
    assert not list(tmp_path.iterdir())


def test_a_fact_that_was_meant_to_be_another_is_logged(tmp_path, caplog):
    with declared(facts={"card_on_fle": True, "loyal": True}):
        pass
    said = "no rule requires the fact `card_on_fle`; did you mean `card_on_file`?"
    assert [record.getMessage() for record in caplog.records] == [said]
    (tmp_path / "tools.py").write_text("def get_order(order_id: int): ...\n", "utf-8")
    file = tmp_path / "agent.yaml"
    file.write_text(
        "agents: {desk: {tools: [get_order]}}\nvocabulary: shop\ntools: [{python: tools}]\n",
        "utf-8",
    )
    with Agent.from_file(file, context={"card_on_fle": True}):
        pass
    assert [record.getMessage() for record in caplog.records] == [said, said]
    with Agent.from_file(file, context={"card_on_file": True, "loyal": True}):
        pass
    assert len(caplog.records) == 2


class Proxied:
    """What stands for something that is not there yet, as frameworks keep in modules."""

    def __getattr__(self, name):
        raise RuntimeError(f"{name}: working outside of a request")

    @property
    def __class__(self):
        raise RuntimeError("working outside of a request")


def test_things_of_a_module_that_are_no_functions_are_left_alone():
    module = ModuleType("their_tools")
    vars(module).update(request=Proxied(), get_order=get_order)
    with declared(tools=[module]) as desk:
        assert desk.chat("show order 5", user="u").status == "done"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("x", "the text `x`"),
        ("./tools.py", "the text `./tools.py`"),
        (int, "a class"),
        (None, "a value of NoneType"),
    ],
)
def test_what_is_no_tool_is_all_that_is_told(given, said):
    with pytest.raises(AgentError) as raised:
        declared(tools=[given], only=None)
    (found,) = raised.value.diagnostics
    assert found.code == "SV214"
    assert found.message == f"tools are functions or modules, and one of them is {said}"


def test_a_proxy_is_no_tool():
    with pytest.raises(AgentError, match="one of them is a value of Proxied"):
        declared(tools=[Proxied()], only=None)


def test_a_file_or_a_tracer(tmp_path):
    with (
        JsonLinesTracer(tmp_path / "run.jsonl") as tracer,
        pytest.raises(ValueError, match="not both"),
    ):
        declared(trace=tmp_path / "other.jsonl", tracer=tracer)


def test_every_part_of_an_agent_can_be_declared():
    made = {"catalogue", "functions", "schemas", "rules", "currencies"}
    keys = {*AGENT_FILE.keys, "name", "atomic"}
    assert {field.name for field in fields(AgentSpec)} - made <= keys
