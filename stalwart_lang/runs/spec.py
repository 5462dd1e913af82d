"""What a run is made of: the tools, the rules, and how it is to go."""

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from stalwart_lang.check import ToolSpec
from stalwart_lang.runs.reading import OnUnread
from stalwart_lang.vocabulary.model import Language, Rule, Vocabulary


@dataclass(frozen=True, slots=True)
class RunSpec:
    """An agent, checked: what `agent.yaml` or `Agent(...)` says.

    `functions` take a plan's arguments as keywords; `schemas` are the tools as a model sees them.
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
    on_unread: OnUnread = "ask"

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Run a tool; of a coroutine function, to its end. Raises what the tool raises."""
        came = self.functions[tool](**arguments)
        return asyncio.run(_awaited(came)) if inspect.isawaitable(came) else came


async def _awaited(came: Any) -> Any:
    return await came
