"""An agent that is declared in Python, with the keys of an agent file."""

from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeAlias, get_args

from stalwart_lang.runs.agent_declarations import OnUnread
from stalwart_lang.runs.facts import warn_of_misnamed
from stalwart_lang.runs.places import UnusablePlace, storage_url, trace_file
from stalwart_lang.runs.spec import AgentSpec, currencies_of
from stalwart_lang.runs.toolbox import toolbox_of
from stalwart_lang.vocabulary.model import LANGUAGES, Language, Vocabulary

Tools: TypeAlias = Iterable[Callable[..., Any] | ModuleType]
Runs: TypeAlias = Literal["atomic", "best_effort"]


def declared_agent(
    name: str,
    *,
    tools: Tools,
    only: Iterable[str] | None,
    vocabulary: Vocabulary | str | PathLike[str] | None,
    language: Language | None,
    runs: Runs,
    storage: str | None,
    trace: str | PathLike[str] | None,
    on_unread: OnUnread,
    facts: Mapping[str, object],
) -> AgentSpec:
    """Check what is declared. Paths are relative to the folder that the process is in.

    Raises VocabularyError and AgentError, with all that is wrong in a vocabulary and in tools, and
    ValueError for a value that is none.
    """
    _one_of("language", language, (None, *LANGUAGES))
    _one_of("runs", runs, get_args(Runs))
    _one_of("on_unread", on_unread, get_args(OnUnread))
    if vocabulary is not None and not isinstance(vocabulary, Vocabulary):
        vocabulary = Vocabulary.load(fspath(vocabulary))
    _check_facts(facts, vocabulary)
    if not isinstance(tools, Iterable):
        raise TypeError(
            f"tools are functions or modules, in a list: write tools=[{_called(tools)}]"
        )
    toolbox = toolbox_of(tools, vocabulary, only)
    folder = Path.cwd()
    try:
        return AgentSpec(
            name=name,
            catalogue=toolbox.catalogue,
            functions=toolbox.functions,
            schemas=toolbox.schemas,
            vocabulary=vocabulary,
            rules=() if vocabulary is None else tuple(vocabulary.rules.values()),
            facts=dict(facts),
            currencies=frozenset() if vocabulary is None else currencies_of(vocabulary),
            language=language,
            atomic=runs == "atomic",
            storage=None if storage is None else storage_url(storage, folder),
            trace=None if trace is None else trace_file(fspath(trace), folder),
            on_unread=on_unread,
        )
    except UnusablePlace as unusable:
        fix = f"; {unusable.fix}" if unusable.fix else ""
        raise ValueError(f"{unusable}{fix}") from unusable


def _called(tool: object) -> str:
    return str(getattr(tool, "__name__", tool))


def _one_of(key: str, value: object, choices: Iterable[object]) -> None:
    if value not in (known := tuple(choices)):
        listed = ", ".join(repr(choice) for choice in known)
        raise ValueError(f"{key} is {value!r}; it must be one of {listed}")


def _check_facts(facts: Mapping[str, object], vocabulary: Vocabulary | None) -> None:
    """A fact that a rule requires is true or false: another value would meet none.

    One whose name is near to a required one is logged.
    """
    rules = () if vocabulary is None else tuple(vocabulary.rules.values())
    warn_of_misnamed(facts, rules)
    for rule in rules:
        for fact in rule.requires:
            if fact in facts and not isinstance(facts[fact], bool):
                raise ValueError(
                    f"the rule {rule.name} requires the fact {fact}, which is True or False, not "
                    f"{facts[fact]!r}"
                )
