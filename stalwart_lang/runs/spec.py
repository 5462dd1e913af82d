"""What an agent is made of: its tools, its rules, where it is kept, and how its runs go."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stalwart_lang.check import Checked, ToolSpec
from stalwart_lang.runs.agent_declarations import OnUnread
from stalwart_lang.runs.awaiting import waited_for
from stalwart_lang.selector.languages import DEFAULT_CURRENCY
from stalwart_lang.vocabulary.model import LANGUAGES, Language, Rule, Vocabulary


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent, checked: what `agent.yaml` or `Agent(...)` says.

    `functions` take the values of plans and models by name, and are async where the author's are.
    `schemas` are the tools as a model is told of them: `name`, `description`, and `parameters`, a
    JSON Schema. `storage` is None for memory, else `sqlite:///` and an absolute path, or a
    `postgresql://` URL. `currencies` are those that the rules' amounts may be in (ISO 4217).
    """

    name: str
    catalogue: Mapping[str, ToolSpec]
    functions: Mapping[str, Callable[..., Any]]
    schemas: Sequence[Mapping[str, Any]] = ()
    vocabulary: Vocabulary | None = None
    rules: Sequence[Rule] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    currencies: AbstractSet[str] = frozenset()
    language: Language | None = None
    atomic: bool = False
    storage: str | None = None
    trace: Path | None = None
    model: Callable[..., Any] | None = None
    on_unread: OnUnread = "ask"

    @property
    def default_language(self) -> Language:
        """The language where a turn names none."""
        own = self.vocabulary.settings.language if self.vocabulary else None
        return self.language or own or "en"

    @property
    def checked(self) -> Checked:
        """What calls are checked against."""
        return Checked(self.catalogue, self.rules, self.facts, self.currencies)

    def tool(self, name: str) -> ToolSpec:
        """Return a tool; one that is declared no more may have changed something."""
        return self.catalogue.get(name) or ToolSpec(name, writes=True)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Run a tool, on arguments of its own to change; of a coroutine function, to its end.

        Raises what the tool raises, KeyError where there is no such tool.
        """
        return waited_for(self.functions[tool](**deepcopy(dict(arguments))))


def currencies_of(vocabulary: Vocabulary) -> frozenset[str]:
    """The currencies that amounts without one are in, by the languages of a vocabulary."""
    given = vocabulary.settings.currency
    return frozenset(given.get(language, DEFAULT_CURRENCY[language]) for language in LANGUAGES)
