"""The format of an agent file, declared once: the loader and the JSON Schema are made from it.

The schema is written by
`python -m stalwart_lang.runs.agent_declarations > vocabularies/agent.schema.json`.
"""

from typing import Any, Literal, TypeAlias

from stalwart_lang.vocabulary.declarations import Anything, Key, ListOf, MapOf, Record, Text
from stalwart_lang.vocabulary.model import LANGUAGES
from stalwart_lang.vocabulary.schema import json_schema, schema_text

OnUnread: TypeAlias = Literal["refuse", "ask", "model"]

_PART = "[A-Za-z_][A-Za-z0-9_]*"
_MODULE_NAME = rf"{_PART}(?:\.{_PART})*"

_INVISIBLE = r"\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
"""Characters that no name may have: controls, and those that turn the direction of a text."""

AGENT_NAME = Text(
    "a name of at most 200 characters, without blanks, / and characters that cannot be seen",
    rf"[^\s/{_INVISIBLE}]{{1,200}}",
)
"""PostgreSQL's keys hold no more of it: a thread's name is it and a user's."""

_AGENT = Record(
    "an agent",
    {
        "tools": Key(
            "The tools that it has. Without it, all of the vocabulary and of the modules.",
            ListOf(Text("a tool's name")),
        ),
    },
    or_nothing=True,
)

_MODULE = Record(
    "an entry of `tools`",
    {
        "python": Key(
            "A module: a file or a package beside this file, or one that can be imported.",
            Text(
                "the name of a module",
                _MODULE_NAME,
                examples=("tools", "shop.tools"),
            ),
            required=True,
        ),
    },
)

_MODEL = Record(
    "a model",
    {
        "python": Key(
            "A function of a module, as `tools` names modules: `tools:ask`. It is given messages "
            "and tools, and returns a text, calls, or what a provider's client returns.",
            Text(
                "a module, a colon and a function",
                rf"{_MODULE_NAME}:{_PART}",
                examples=("tools:ask",),
            ),
            required=True,
        ),
    },
)

AGENT_FILE = Record(
    "an agent file",
    {
        "agents": Key(
            "The agents by name. A conversation is kept under the agent's name and the person's.",
            MapOf("an agent", AGENT_NAME, _AGENT, 1),
            required=True,
        ),
        "vocabulary": Key(
            "What turns can ask for: a file, relative to this one, or the bare name of a "
            "vocabulary that comes with the package.",
            Text("a vocabulary", examples=("shop", "./orders.yaml")),
        ),
        "language": Key(
            "The language of turns. Without it, the vocabulary's.", Text(choices=LANGUAGES)
        ),
        "tools": Key("Where the functions of the tools are.", ListOf(_MODULE), required=True),
        "runs": Key(
            "What becomes of a failed run: `atomic` undoes what it did, latest first; "
            "`best_effort`, which holds without it, leaves it as it is.",
            Text(choices=("atomic", "best_effort")),
        ),
        "storage": Key(
            "Where runs are kept; a path is relative to this file. Without it, in memory.",
            Text("a URL", examples=("sqlite:///runs.db", "postgresql://localhost/runs")),
        ),
        "trace": Key(
            "A file, relative to this one, that spans are written to as JSON lines.",
            Text("a file", examples=("run.jsonl",)),
        ),
        "on_unread": Key(
            "What becomes of a turn that is unread or incomplete: `refuse` says why, `ask`, which "
            "holds without it, asks about it once, `model` gives what is unread to the model.",
            Text(choices=("refuse", "ask", "model")),
        ),
        "model": Key(
            "The model that turns are given to by `on_unread: model`, and all turns where there is "
            "no vocabulary; one given in Python holds first.",
            _MODEL,
        ),
        "facts": Key(
            "Facts that rules require, and other plain values; those given in Python hold first.",
            MapOf("a fact", Text("a fact's name"), Anything(scalar=True)),
        ),
    },
)
"""An agent file, `agent.yaml`."""


def agent_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of agent files as plain values."""
    return json_schema(AGENT_FILE, "An agent of stalwart-lang")


if __name__ == "__main__":
    import sys

    sys.stdout.buffer.write(schema_text(agent_schema()).encode())
