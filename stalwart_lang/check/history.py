"""What was done before, as the rules of order see it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Done:
    """A call that ran to its end. One that failed or was undone since is not done."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
