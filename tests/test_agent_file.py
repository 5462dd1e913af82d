"""Agent files: what they declare, and every way in which they can be wrong."""

import asyncio
import importlib
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from stalwart_lang import AgentError, Money, Vocabulary
from stalwart_lang.diagnostics import CATALOGUE, Diagnostic, Findings
from stalwart_lang.runs.agent_declarations import AGENT_FILE, agent_schema
from stalwart_lang.runs.agent_file import check_agent_text, load_agent
from stalwart_lang.runs.spec import AgentSpec
from stalwart_lang.runs.tools import ToolMark
from stalwart_lang.vocabulary.declarations import Either, ListOf, MapOf, Record, Shape
from stalwart_lang.vocabulary.model import LANGUAGES
from stalwart_lang.vocabulary.schema import schema_text
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.yaml12 import compose, plain_value

ROOT = Path(__file__).parent.parent

AGENT = """\
agents:
  desk:
    tools: [get_order, charge_card, refund_card, note]
vocabulary: shop
language: pt-BR
tools:
  - python: tools
runs: atomic
storage: sqlite:///runs.db
trace: run.jsonl
on_unread: refuse
facts: {card_on_file: true, limit: 12.5, name: Ana}
"""
TOOLS = """\
from stalwart_lang import Money, tool


def get_order(order_id: int):
    return {"id": order_id}


def charge_card(order_id: int, amount: Money):
    return amount


async def refund_card(order_id: int, amount: Money | None = None):
    return amount


@tool
def note(text: str):
    \"\"\"Takes a note.\"\"\"
    return text
"""
SMALL = "agents: {desk: }\ntools: [{python: tools}]\n"
NOTE = "from stalwart_lang import tool\n\n\n@tool\ndef note(text: str):\n    return text\n"


def write(folder: Path, agent: str = AGENT, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "agent.yaml"
    file.write_text(agent, "utf-8")
    for name, text in files.items():
        place = folder / (name if "." in name else f"{name}.py")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return file


def errors(file: Path, agent: str | None = None) -> tuple[Diagnostic, ...]:
    with pytest.raises(AgentError) as raised:
        load_agent(file, agent)
    return raised.value.diagnostics


def shown(found: tuple[Diagnostic, ...]) -> list[tuple[str, int, int, str, str | None]]:
    return [(d.code, d.location.line, d.location.column, d.message, d.fix) for d in found]


# What a file declares


def test_everything_that_a_file_declares(tmp_path):
    spec = load_agent(write(tmp_path, tools=TOOLS))
    assert isinstance(spec, AgentSpec)
    assert spec.name == "desk"
    assert spec.vocabulary == Vocabulary.load("shop")
    assert spec.language == "pt-BR"
    assert spec.atomic is True
    assert spec.storage == f"sqlite:///{tmp_path}/runs.db"
    assert spec.trace == tmp_path / "run.jsonl"
    assert spec.on_unread == "refuse"
    assert spec.facts == {"card_on_file": True, "limit": pytest.approx(12.5), "name": "Ana"}
    assert [rule.name for rule in spec.rules] == list(spec.vocabulary.rules)
    assert spec.currencies == {"USD", "BRL"}
    names = ["get_order", "charge_card", "refund_card", "note"]
    assert list(spec.catalogue) == list(spec.functions) == names
    assert [schema["name"] for schema in spec.schemas] == names
    assert spec.catalogue["charge_card"].writes
    assert spec.catalogue["charge_card"].undo == "refund_card"
    assert spec.catalogue["note"].description == "Takes a note."


def test_functions_take_a_plans_values(tmp_path):
    functions = load_agent(write(tmp_path, tools=TOOLS)).functions
    amount = {"value": "40.00", "currency": "USD"}
    assert functions["get_order"](order_id=5) == {"id": 5}
    charged = functions["charge_card"](order_id=5, amount=amount)
    assert (charged, type(charged)) == (charged, Money)
    assert asyncio.run(functions["refund_card"](order_id=5, amount=amount)) == charged


def test_what_holds_where_nothing_is_said(tmp_path):
    spec = load_agent(str(write(tmp_path, SMALL, tools=NOTE)))
    assert spec == AgentSpec(
        name="desk",
        vocabulary=None,
        catalogue=spec.catalogue,
        functions=spec.functions,
        schemas=spec.schemas,
    )
    assert (spec.atomic, spec.storage, spec.trace, spec.on_unread) == (False, None, None, "ask")
    assert list(spec.functions) == ["note"]


def test_a_vocabulary_beside_the_file_is_relative_to_it(tmp_path, monkeypatch):
    own = (
        "vocabulary: own\nsettings: {currency: EUR}\ntools: {note: {takes: {text: quoted text}}}\n"
    )
    agent = SMALL + "vocabulary: words/own.yaml\nstorage: sqlite:///words/runs.db\n"
    write(tmp_path / "shop", agent, tools=NOTE, **{"words/own.yaml": own})
    monkeypatch.chdir(tmp_path)
    spec = load_agent("shop/agent.yaml")
    assert spec.vocabulary is not None
    assert spec.vocabulary.name == "own"
    assert spec.currencies == {"EUR"}
    assert spec.storage == f"sqlite:///{tmp_path}/shop/words/runs.db"


@pytest.mark.parametrize(
    ("storage", "url"),
    [
        ("sqlite:////var/runs.db", "sqlite:////var/runs.db"),
        ("sqlite:///a b%20.db", "sqlite:///{folder}/a b%20.db"),
        ("sqlite:///../up.db", "sqlite:///{parent}/up.db"),
        ("postgresql://ana:x@localhost:5432/runs", "postgresql://ana:x@localhost:5432/runs"),
        ("postgres:///runs", "postgresql:///runs"),
    ],
)
def test_storages(tmp_path, storage, url):
    agent = SMALL + f"storage: {storage}\n"
    folder = tmp_path / "a"
    spec = load_agent(write(folder, agent, tools=NOTE))
    assert spec.storage == url.format(folder=folder, parent=tmp_path)


def test_one_of_several_agents_is_chosen(tmp_path):
    agents = "agents: {desk: {tools: [note]}, office: {tools: [count]}}\n"
    tools = NOTE + "\n\n@tool\ndef count():\n    return 1\n"
    file = write(tmp_path, agents + "tools: [{python: tools}]\n", tools=tools)
    assert list(load_agent(file, "office").functions) == ["count"]
    assert load_agent(file, "desk").name == "desk"
    assert shown(errors(file)) == [
        (
            "SV202",
            1,
            1,
            "the file has the agents `desk`, `office`, and none is chosen",
            'choose one: `agent="desk"`',
        )
    ]
    assert shown(errors(file, "offce")) == [
        ("SV201", 1, 1, "the file has no agent `offce`", "did you mean `office`?")
    ]


# What can be wrong


def test_a_file_that_cannot_be_read(tmp_path):
    write(tmp_path)
    missing = tmp_path / "agnt.yaml"
    (found,) = errors(missing)
    assert (found.code, found.fix) == ("SV200", "did you mean `agent.yaml`?")
    assert str(found.location) == f"{missing}:1:1"
    (found,) = errors(tmp_path)
    assert found.code == "SV200"


def test_a_pipe_is_not_waited_for(tmp_path):
    for name in ("pipe.yaml", "pipe.py"):
        os.mkfifo(tmp_path / name)
    (found,) = errors(tmp_path / "pipe.yaml")
    assert (found.code, found.fix) == ("SV200", None)
    assert found.message.endswith("cannot be read: it is no regular file")
    file = write(tmp_path, SMALL + "vocabulary: ./pipe.yaml\n", tools=NOTE)
    assert shown(errors(file)) == [
        ("SV203", 3, 13, "`./pipe.yaml` cannot be read: it is no regular file", None)
    ]
    file = write(tmp_path, "agents: {desk: }\ntools: [{python: pipe}]\n")
    assert shown(errors(file)) == [
        ("SV210", 2, 18, "there is no module `pipe`", "is `pipe.py` beside this file?")
    ]


# A model, and facts that are misnamed


def test_a_model_of_a_module(tmp_path):
    agent = SMALL + "on_unread: model\nmodel: {python: model:ask}\n"
    spec = load_agent(write(tmp_path, agent, tools=NOTE, model="def ask(m, t):\n    return 'so'\n"))
    assert spec.model is not None
    assert (spec.model([], []), spec.on_unread) == ("so", "model")
    assert load_agent(write(tmp_path / "none", SMALL, tools=NOTE)).model is None


def test_a_model_is_no_class_and_not_what_a_module_imports(tmp_path):
    tools = "class Client: ...\n\n\ndef _own(): ...\n\n\n" + NOTE
    agent = SMALL + "model: {python: tools:Client}\n"
    (found,) = errors(write(tmp_path, agent, tools=tools))
    assert (found.code, found.message, found.fix) == (
        "SV208",
        "`tools` has no function `Client`",
        "one of `_own`, `note`",
    )


def test_a_module_that_fails_is_told_once(tmp_path):
    agent = SMALL + "model: {python: tools:ask}\n"
    (found,) = errors(write(tmp_path, agent, tools="raise ValueError\n"))
    assert (found.code, found.location.line) == ("SV211", 2)


def test_a_fact_that_was_meant_to_be_another_is_logged(tmp_path, caplog):
    load_agent(write(tmp_path, SHOP + "facts: {card_on_fle: true, shop_name: Ana}\n", tools=TOOLS))
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("stalwart_lang.runs", "WARNING")
    said = record.getMessage()
    assert "agent.yaml:4:9: warning[SV207]: no rule requires the fact `card_on_fle`" in said
    assert "fix: did you mean `card_on_file`?" in said
    caplog.clear()
    load_agent(write(tmp_path, SHOP + "facts: {card_on_fle: 3, loyal: true}\n", tools=TOOLS))
    assert caplog.records == []


def test_a_file_that_is_being_written_is_checked_without_its_modules(tmp_path):
    file = write(tmp_path, tools="raise ValueError\n")
    text = (
        "agents: {desk: }\ntools: [{python: tools}]\nvocabulary: shop\non_unread: model\n"
        "model: {python: tool:ask}\nfacts: {card_on_fle: true}\n"
    )
    assert [
        (one.code, one.severity, one.location.line, one.location.column, one.fix)
        for one in check_agent_text(text, str(file))
    ] == [
        ("SV210", "error", 5, 17, "write `tools`"),
        ("SV207", "warning", 6, 9, "did you mean `card_on_file`?"),
    ]
    assert check_agent_text(text.replace("tool:", "tools:").replace("fle", "file"), str(file)) == ()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "SV011"),
        (b"agents: \xff", "SV002"),
        (b"a: 1\n" + b"#" * 5_000_000, "SV003"),
        (b"agents: [", "SV004"),
        (b"agents: {desk: }\nagents: {desk: }\ntools: [{python: tools}]\n", "SV007"),
        (b"agents: !!x {desk: }\ntools: [{python: tools}]\n", "SV008"),
    ],
)
def test_what_is_no_yaml_is_told_as_for_vocabularies(tmp_path, content, code):
    file = write(tmp_path, tools=NOTE)
    file.write_bytes(content)
    assert [d.code for d in errors(file)] == [code]


SHOP = "agents: {desk: {tools: [get_order]}}\nvocabulary: shop\ntools: [{python: tools}]\n"


@pytest.mark.parametrize(
    ("agent", "found"),
    [
        (
            "tools: [{python: tools}]\n",
            ("SV022", 1, 1, "an agent file needs the key `agents`", None),
        ),
        ("agents: {desk: }\n", ("SV022", 1, 1, "an agent file needs the key `tools`", None)),
        (
            "agents: {}\ntools: [{python: tools}]\n",
            ("SV026", 1, 9, "`agents` needs an agent", None),
        ),
        (
            "agents: {a/b: }\ntools: [{python: tools}]\n",
            ("SV025", 1, 10, "`a/b` is not a name of at most 200 characters, without blanks, / and "
                "characters that cannot be seen", None),
        ),
        (
            'agents: {"de\\u202esk": }\ntools: [{python: tools}]\n',
            ("SV025", 1, 10, "`de\\u202esk` is not a name of at most 200 characters, without "
                "blanks, / and characters that cannot be seen", None),
        ),
        (
            f"agents: {{{'x' * 201}: }}\ntools: [{{python: tools}}]\n",
            ("SV025", 1, 10, f"`{'x' * 59}…` is not a name of at most 200 characters, without "
                "blanks, / and characters that cannot be seen", None),
        ),
        (
            SMALL + "model: tools:ask\n",
            ("SV020", 3, 8, "`model` must be a model, which is a mapping, not the text `tools:ask`",
                None),
        ),
        (
            SMALL + "model: {python: tools}\n",
            ("SV025", 3, 17, "`tools` is not a module, a colon and a function", None),
        ),
        (
            SMALL + "model: {python: toolz:note}\n",
            ("SV210", 3, 17, "there is no module `toolz`", "write `tools`"),
        ),
        (
            SMALL + "model: {python: tools:nte}\n",
            ("SV208", 3, 17, "`tools` has no function `nte`", "did you mean `note`?"),
        ),
        (
            SMALL + "storage: sqlite:/runs.db\n",
            ("SV205", 3, 10, "a storage is a URL", "write `sqlite:///runs.db`"),
        ),
        (
            "agents: {desk: {tool: [x]}}\ntools: [{python: tools}]\n",
            ("SV021", 1, 17, "an agent has no key `tool`", "did you mean `tools`?"),
        ),
        (
            SMALL + "storge: sqlite:///x.db\n",
            ("SV021", 3, 1, "an agent file has no key `storge`", "did you mean `storage`?"),
        ),
        (
            SMALL + "runs: atomc\n",
            ("SV023", 3, 7, "`runs` cannot be `atomc`", "did you mean `atomic`?"),
        ),
        (
            SMALL + "language: pt\n",
            ("SV023", 3, 11, "`language` cannot be `pt`", "one of `en`, `pt-BR`"),
        ),
        (
            SMALL + "on_unread: ignore\n",
            ("SV023", 3, 12, "`on_unread` cannot be `ignore`", "one of `refuse`, `ask`, `model`"),
        ),
        (
            SMALL + "trace: true\n",
            ("SV020", 3, 8, "`trace` must be a file, not `true`", 'put it between quotes: "true"'),
        ),
        (
            SMALL + "facts: [card_on_file]\n",
            ("SV020", 3, 8, "`facts` must be a mapping, with a fact an entry, not a list", None),
        ),
        (
            SMALL + "facts: {limits: [1, 2]}\n",
            ("SV020", 3, 17, "`limits` must be text, a number, true or false, not a list", None),
        ),
        (
            SMALL + "facts: {card: }\n",
            (
                "SV204",
                3,
                15,
                "the fact `card` has no value",
                "write `true` or `false`, or remove it",
            ),
        ),
        (
            SHOP + "facts: {card_on_file: yes}\n",
            (
                "SV204",
                4,
                23,
                "the rule `charge-needs-card` requires `card_on_file`, which only `true` meets, "
                "not the text `yes`",
                "write `true` or `false`",
            ),
        ),
        (
            "agents: {desk: }\ntools: [{python: ./tools.py}]\n",
            ("SV025", 2, 18, "`./tools.py` is not the name of a module", None),
        ),
        (
            "agents: {desk: }\ntools: [{python: tools.py}]\n",
            ("SV210", 2, 18, "there is no module `tools.py`", "write `tools`"),
        ),
        (
            "agents: {desk: }\ntools: [{python: toolz}]\n",
            ("SV210", 2, 18, "there is no module `toolz`", "write `tools`"),
        ),
        (
            "agents: {desk: }\ntools: [{python: xml.nothing}]\n",
            (
                "SV210",
                2,
                18,
                "there is no module `xml.nothing`",
                "is `xml.nothing.py` beside this file?",
            ),
        ),
        (
            "agents: {desk: {tools: [nte]}}\ntools: [{python: tools}]\n",
            ("SV041", 1, 25, "no tool is called `nte`", "did you mean `note`?"),
        ),
        (
            SMALL + "vocabulary: shp\n",
            (
                "SV203",
                3,
                13,
                "no vocabulary called `shp` comes with the package",
                "did you mean `shop`?",
            ),
        ),
        (
            SMALL + "vocabulary: xyz\n",
            (
                "SV203",
                3,
                13,
                "no vocabulary called `xyz` comes with the package",
                "one of `agenda`, `pix`, `shop`",
            ),
        ),
        (
            SMALL + "vocabulary: agent\n",
            (
                "SV203",
                3,
                13,
                "no vocabulary called `agent` comes with the package",
                "for the file beside this one write `agent.yaml`",
            ),
        ),
        (
            SMALL + "vocabulary: ./agnt.yaml\n",
            (
                "SV203",
                3,
                13,
                "`./agnt.yaml` cannot be read: no such file",
                "did you mean `agent.yaml`?",
            ),
        ),
        (
            SMALL + "vocabulary: ./\n",
            ("SV203", 3, 13, "`./` cannot be read: it is a folder", None),
        ),
        (
            SMALL + "storage: redis://x\n",
            (
                "SV205",
                3,
                10,
                "no storage is of the kind `redis`",
                "one of `sqlite`, `postgresql`",
            ),
        ),
        (
            SMALL + "storage: postgresql+psycopg://x\n",
            (
                "SV205",
                3,
                10,
                "no storage is of the kind `postgresql+psycopg`",
                "did you mean `postgresql`?",
            ),
        ),
        (
            SMALL + "storage: runs.db\n",
            ("SV205", 3, 10, "a storage is a URL", "write `sqlite:///runs.db`"),
        ),
        (
            SMALL + "storage: sqlite://runs.db\n",
            (
                "SV205",
                3,
                10,
                "the file of an SQLite storage stands after three slashes",
                "write `sqlite:///runs.db`",
            ),
        ),
        (
            SMALL + 'storage: "sqlite:///:memory:"\n',
            (
                "SV205",
                3,
                10,
                "an SQLite storage is a file",
                "remove `storage:`, and runs are kept in memory",
            ),
        ),
        (
            SMALL + "storage: sqlite:////no/such/runs.db\n",
            ("SV205", 3, 10, "the folder `/no/such` does not exist", "make it first"),
        ),
        (
            SMALL + "trace: /\n",
            ("SV206", 3, 8, "`/` is a folder", "name a file in it"),
        ),
        (
            SMALL + "trace: /no/such/run.jsonl\n",
            ("SV206", 3, 8, "the folder `/no/such` does not exist", "make it first"),
        ),
        (
            SMALL + "trace: http://x/run.jsonl\n",
            ("SV206", 3, 8, "a trace is a file, not a URL", "write `run.jsonl`"),
        ),
    ],
)  # fmt: skip
def test_one_thing_wrong(tmp_path, agent, found):
    tools = TOOLS if "shop" in agent else NOTE
    assert shown(errors(write(tmp_path, agent, tools=tools))) == [found]


@pytest.mark.parametrize("name", ["agent.yaml", "tools.py", "runs.db"])
def test_a_trace_is_not_added_to_a_file_that_is_something_else(tmp_path, name):
    (tmp_path / "runs.db").write_bytes(b"SQLite format 3\0")
    (found,) = errors(write(tmp_path, SMALL + f"trace: {name}\n", tools=NOTE))
    assert found.code == "SV206"
    assert found.message == f"`{name}` is there and is no trace: spans would be added to its end"
    for begin in ("", "\n", '{"type":"span"}\n'):
        (tmp_path / "run.jsonl").write_text(begin)
        load_agent(write(tmp_path, SMALL + "trace: run.jsonl\n", tools=NOTE))


def test_a_trace_in_a_file_or_in_a_folder_without_rights(tmp_path):
    file = write(tmp_path, SMALL + "trace: tools.py/run.jsonl\n", tools=NOTE)
    (found,) = errors(file)
    assert (found.code, found.message) == (
        "SV206",
        "the folder `tools.py` is no folder",
    )
    if os.geteuid() != 0:  # root may write anywhere
        (tmp_path / "shut").mkdir(mode=0o500)
        (found,) = errors(write(tmp_path, SMALL + "trace: shut/run.jsonl\n", tools=NOTE))
        assert (found.code, found.message) == ("SV206", "`shut/run.jsonl` cannot be written")


def test_everything_wrong_is_told_at_once_in_the_order_of_the_file(tmp_path):
    agent = (
        "agents: {desk: {tools: [nte]}}\nlanguage: pt\nvocabulary: ./own.yaml\n"
        "tools: [{python: tools}]\nstorage: redis://x\ntrace: /no/such/x\nfacts: {a: }\n"
    )
    own = "vocabulary: own\ntools: {note: {takes: {text: quoted text}, writs: true}}\n"
    found = errors(write(tmp_path, agent, tools=NOTE, **{"own.yaml": own}))
    assert [(d.code, Path(d.location.file).name, d.location.line) for d in found] == [
        ("SV023", "agent.yaml", 2),
        ("SV205", "agent.yaml", 5),
        ("SV206", "agent.yaml", 6),
        ("SV204", "agent.yaml", 7),
        ("SV021", "own.yaml", 2),
    ]


def test_the_rendering_shows_the_line_and_points_at_the_function(tmp_path, monkeypatch):
    broken = TOOLS.replace("get_order(order_id: int)", "get_order(order: int)")
    write(tmp_path / "shop", AGENT, tools=broken)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AgentError) as raised:
        load_agent("shop/agent.yaml")
    line = next(
        number
        for number, text in enumerate(
            (ROOT / "vocabularies" / "shop.yaml").read_text("utf-8").splitlines(), 1
        )
        if text.startswith("  get_order:")
    )
    assert raised.value.rendered() == (
        "shop/agent.yaml:7:13: error[SV215]: the function of `get_order` has no parameter "
        "`order_id`\n"
        " 7 |   - python: tools\n"
        "   |             ^^^^^\n"
        "  shop/tools.py:4:1: the function is here\n"
        f"  stalwart_lang/vocabularies/shop.yaml:{line}:3: the tool is declared here\n"
        "  fix: write `order_id` instead of `order`"
    )


def test_tools_without_functions_are_told_each(tmp_path):
    agent = AGENT.replace(", note]", "]").replace("get_order, ", "get_order, cancel_order, ")
    tools = TOOLS.replace("def get_order", "def get_ordr")
    found = errors(write(tmp_path, agent, tools=tools))
    assert [(d.code, d.location.line, d.message, d.fix) for d in found] == [
        ("SV213", 6, "the tool `get_order` has no function", "did you mean `get_ordr`?"),
        (
            "SV213",
            6,
            "the tool `cancel_order` has no function",
            "write `def cancel_order(order_id):`",
        ),
    ]
    assert [str(d.related[0].location.file) for d in found] == [
        "stalwart_lang/vocabularies/shop.yaml"
    ] * 2


def test_two_functions_for_one_tool(tmp_path):
    agent = "agents: {desk: }\ntools: [{python: tools}, {python: more}]\n"
    file = write(tmp_path, agent, tools=NOTE, more=NOTE)
    (found,) = errors(file)
    assert (found.code, found.location.column) == ("SV219", 35)
    assert [str(one.location) for one in found.related] == [
        f"{tmp_path}/tools.py:4:1",
        f"{tmp_path}/more.py:4:1",
    ]
    again = "from tools import note\n"
    spec = load_agent(write(tmp_path / "again", agent, tools=NOTE, more=again))
    assert list(spec.functions) == ["note"]


# Modules


@pytest.mark.parametrize(
    ("tools", "message", "place"),
    [
        ("def note(:\n", "SyntaxError: ", "tools.py:1:10"),
        ("x = 1\nx.y\n", "AttributeError: 'int' object has no attribute 'y'", "tools.py:2:1"),
        ("import no_such_module\n", "ModuleNotFoundError: No module named", "tools.py:1:1"),
        ("import broken\n", "ZeroDivisionError: division by zero", "broken.py:2:5"),
        ("import unfinished\n", "SyntaxError: ", "unfinished.py:1:5"),
        ("import json\njson.loads('{')\n", "JSONDecodeError: ", "tools.py:2:1"),
        ("import sys\nsys.exit(3)\n", "SystemExit: 3", "tools.py:2:1"),
        (
            "from stalwart_lang import tool\n\n@tool(writes='yes')\ndef f(): ...\n",
            "TypeError: writes of @tool is True or False, not 'yes'",
            "tools.py:3:2",
        ),
        ("raise ValueError('\\x1b[31mred')\n", "ValueError: \\x1b[31mred", "tools.py:1:1"),
        ("raise KeyError\n", "KeyError", "tools.py:1:1"),
        ("\n\nraise GeneratorExit\n", "GeneratorExit", "tools.py:3:1"),
        ("x = '\0'\n", "SyntaxError: ", "tools.py:1:1"),
        ("# coding: nonsense\n", "SyntaxError: unknown encoding: nonsense", "tools.py:1:1"),
    ],
)
def test_a_module_that_fails_says_where_and_why(tmp_path, tools, message, place):
    neighbours = {
        "broken": "def f():\n    1 / 0\nf()\n",
        "unfinished": "def (",
    }
    file = write(tmp_path, SMALL, tools=tools, **neighbours)
    with pytest.raises(AgentError) as raised:
        load_agent(file)
    (found,) = raised.value.diagnostics
    assert (found.code, found.location.line, found.location.column) == ("SV211", 2, 18)
    assert found.message.startswith(f"`tools` cannot be imported: {message}")
    assert str(found.related[0].location) == f"{tmp_path}/{place}"
    assert type(raised.value.__cause__).__name__ == message.partition(":")[0]
    file.with_name("tools.py").write_text(NOTE + "# mended\n" * 9, "utf-8")
    assert list(load_agent(file).functions) == ["note"]


def test_two_agents_with_a_file_of_the_same_name_do_not_meet(tmp_path):
    before, modules = list(sys.path), set(sys.modules)
    texts = []
    for name in ("a", "b"):
        tools = (
            "import words\nfrom words import WORD as again\nimport inner.deep as deep\n"
            "from inner import deep as same\n"
            "from stalwart_lang import tool\n\n\n@tool\ndef note(text: str):\n"
            "    import later, words as lazily\n"
            "    assert lazily is words and deep is same\n"
            "    return [words.WORD, again, deep.WORD, later.WORD, text]\n"
        )
        spec = load_agent(
            write(
                tmp_path / name,
                SMALL,
                tools=tools,
                words=f"import json\nimport later\nWORD = json.dumps('{name}')\n",
                later=f"WORD = 'later {name}'\n",
                **{
                    "inner/__init__": "",
                    "inner/deep": "from words import WORD as w\nfrom . import more as m\n"
                    "WORD = w + m.M\n",
                    "inner/more": "import later\nM = later.WORD\n",
                },
            )
        )
        texts.append(spec.functions["note"](text="x"))
    assert texts == [
        ['"a"', '"a"', '"a"later a', "later a", "x"],
        ['"b"', '"b"', '"b"later b', "later b", "x"],
    ]
    assert sys.path == before
    plain = {name for name in set(sys.modules) - modules if not name.startswith("_stalwart_agent_")}
    assert not plain & {"tools", "words", "later", "inner"}


def test_a_package_and_a_dotted_module_beside_the_file(tmp_path):
    agent = "agents: {desk: }\ntools: [{python: tools}, {python: folder.more}]\n"
    spec = load_agent(
        write(
            tmp_path,
            agent,
            **{
                "tools/__init__": "from .notes import note\nfrom . import notes\n",
                "tools/notes": NOTE,
                "folder/more": NOTE.replace("def note", "def more"),
            },
        )
    )
    assert list(spec.functions) == ["note", "more"]


def test_a_module_that_can_be_imported(tmp_path, monkeypatch):
    write(tmp_path / "elsewhere", SMALL, tools_of_elsewhere=NOTE)
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    agent = SMALL.replace("python: tools", "python: tools_of_elsewhere")
    spec = load_agent(write(tmp_path / "here", agent))
    module = importlib.import_module("tools_of_elsewhere")
    assert spec.functions["note"].__wrapped__ is module.note


def test_what_a_plain_import_finds_too_is_shared_with_it(tmp_path, monkeypatch):
    file = write(tmp_path, SMALL.replace("tools}", "tools_shared}"), tools_shared=NOTE)
    monkeypatch.syspath_prepend(tmp_path)
    spec = load_agent(file)
    module = importlib.import_module("tools_shared")
    assert spec.functions["note"].__wrapped__ is module.note


def test_a_module_is_run_once_a_process(tmp_path):
    tools = (
        NOTE + "\n\nSEEN = []\n\n\n@tool\ndef see(x: int):\n    SEEN.append(x)\n    return SEEN\n"
    )
    file = write(tmp_path, SMALL, tools=tools)
    load_agent(file).functions["see"](x=1)
    assert load_agent(file).functions["see"](x=2) == [1, 2]


def test_the_folder_runs_where_it_is_copied(tmp_path):
    write(tmp_path, AGENT.replace(", note]", "]"), tools=TOOLS.partition("\n\n@tool")[0])
    program = (
        "import sys\nfrom stalwart_lang.runs.agent_file import load_agent\n"
        "spec = load_agent(sys.argv[1])\nprint(sorted(spec.functions))\n"
        "assert 'langgraph' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "agent.yaml")],
        check=True,
        capture_output=True,
        encoding="utf-8",
        cwd="/",
    )
    assert done.stdout == "['charge_card', 'get_order', 'refund_card']\n"


# The JSON Schema

STRUCTURAL = {f"SV{number:03}" for number in range(20, 28)}
SCALARS = st.sampled_from(
    [None, True, False, 0, -1, "order", "a b", "en", "shop", "tools", "atomic", "ask", "a/b", ""]
)


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(agent_schema())


def plain(text: str) -> Any:
    node = compose(Source("f", text), Findings())
    assert node is not None
    return plain_value(node)


def test_the_schema_is_the_one_that_is_generated():
    committed = (ROOT / "vocabularies" / "agent.schema.json").read_text("utf-8")
    assert committed == schema_text(agent_schema()), (
        "run python -m stalwart_lang.runs.agent_declarations"
    )
    made = subprocess.run(
        [sys.executable, "-m", "stalwart_lang.runs.agent_declarations"],
        check=True,
        capture_output=True,
    )
    assert made.stdout.decode() == committed


def test_it_is_a_schema_that_describes_every_key():
    Draft202012Validator.check_schema(agent_schema())
    for name, key in agent_schema()["properties"].items():
        assert key["description"].endswith("."), name


@pytest.mark.parametrize("text", [AGENT, SMALL, SHOP, SMALL + "model: {python: a.b:ask}\n"])
def test_agent_files_are_valid(text):
    assert list(validator().iter_errors(plain(text))) == []


@st.composite
def changed(draw: st.DrawFn) -> Any:
    """The agent file with some of its values replaced, removed or joined by others."""
    whole = plain(AGENT.replace("12.5", "12"))
    for _ in range(draw(st.integers(1, 3))):
        inner: Any = whole
        while isinstance(inner, dict | list) and inner:
            key = draw(
                st.sampled_from(list(inner if isinstance(inner, dict) else range(len(inner))))
            )
            if isinstance(inner[key], dict | list) and inner[key] and draw(st.booleans()):
                inner = inner[key]
                continue
            act = draw(st.sampled_from(["set", "remove", "add", "wrap"]))
            if act == "remove":
                del inner[key]
            elif act == "wrap":
                inner[key] = [inner[key]]
            elif act == "add" and isinstance(inner, dict):
                inner[draw(st.sampled_from(["tools", "python", "facts", "runs", "x"]))] = draw(
                    SCALARS
                )
            else:
                inner[key] = draw(SCALARS | st.just({}) | st.just([]))
            break
    return whole


@pytest.fixture(scope="module")
def shop_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("shop"), tools=TOOLS)


@given(whole=changed())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_the_loader_and_the_schema_find_the_same_files_sound(shop_folder, whole):
    shop_folder.write_text(json.dumps(whole), "utf-8")
    try:
        load_agent(shop_folder)
        found = set()
    except AgentError as error:
        found = {diagnostic.code for diagnostic in error.diagnostics}
    if validator().is_valid(whole):
        assert not found & STRUCTURAL
    else:
        assert found & STRUCTURAL
    assert found <= set(CATALOGUE)


# The pages

both = pytest.mark.parametrize("language", LANGUAGES)


def page(language: str) -> str:
    suffix = ".md" if language == "en" else ".pt-BR.md"
    return (ROOT / "docs" / f"agent{suffix}").read_text("utf-8")


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def first_cells(text: str) -> set[str]:
    return set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))


def keys(shape: Shape) -> set[str]:
    if isinstance(shape, Record):
        return set(shape.keys).union(*(keys(key.shape) for key in shape.keys.values()))
    if isinstance(shape, ListOf):
        return keys(shape.item)
    if isinstance(shape, MapOf):
        return keys(shape.value)
    return keys(shape.long) if isinstance(shape, Either) else set()


@both
def test_the_page_has_every_key_and_every_flag(language):
    text = page(language)
    assert set(AGENT_FILE.keys) | set(ToolMark.__slots__) <= first_cells(text)
    assert all(f"`{key}" in text for key in keys(AGENT_FILE))


@both
def test_the_agent_that_the_page_shows_is_sound(language, tmp_path):
    (agent,), (tools, *_) = blocks(page(language), "yaml"), blocks(page(language), "python")
    spec = load_agent(write(tmp_path, agent, tools=tools))
    functions = spec.functions
    functions["charge_card"](order_id=5, amount={"value": "40.00", "currency": "BRL"})
    assert functions["get_order"](order_id=5) == {"id": 5, "charged": "40.00 BRL"}
    assert asyncio.run(functions["find_parcel"](code="7"))["at"] == "Santos"
    assert spec.catalogue["refund_card"].retry_safe
    parameters = spec.schemas[-1]["parameters"]
    assert parameters["properties"]["code"]["description"] == "the code on the parcel"


def test_both_pages_show_the_same():
    english, portuguese = (page(language) for language in LANGUAGES)
    assert blocks(english, "python") == blocks(portuguese, "python")
    assert first_cells(english) == first_cells(portuguese)
    without = [re.sub(r" *#.*", "", blocks(text, "yaml")[0]) for text in (english, portuguese)]
    assert without[0] == without[1]


@both
def test_links_lead_somewhere(language):
    for target in re.findall(r"\]\(([^)#]*)(?:#[^)]*)?\)", page(language)):
        assert not target or (ROOT / "docs" / target).is_file(), target
