"""What the user set under `stalwart` in the editor."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stalwart_lang.vocabulary.model import LANGUAGES, Language

SECTION = "stalwart"
DEFAULT_TRACES = ("**/*.jsonl",)

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings; what is absent or of the wrong type is as if it were not set."""

    settings: Mapping[str, Any] = field(default_factory=dict)

    def get(self, name: str, default: _T) -> _T:
        """A setting by its dotted name, `hints.turns`, of the type that `default` has."""
        value: Any = self.settings
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return value if isinstance(value, type(default)) else default

    @property
    def traces(self) -> tuple[str, ...]:
        """The globs of recorded traces."""
        alone = self.get("traces", "")
        given = [alone] if alone else self.get("traces", list[Any]())
        return tuple(one for one in given if isinstance(one, str)) or DEFAULT_TRACES

    @property
    def language(self) -> Language | None:
        """The language to try turns in, where it is not the vocabulary's."""
        given = self.get("language", "")
        return next((known for known in LANGUAGES if known == given), None)


def configuration_of(answer: Any) -> Configuration:
    """The configuration in what a client answers or sends: the section, or all around it."""
    if isinstance(answer, Mapping) and isinstance(answer.get(SECTION), Mapping):
        answer = answer[SECTION]
    return Configuration(answer if isinstance(answer, Mapping) else {})
