"""The languages that are read."""

from typing import Literal, TypeAlias

Language: TypeAlias = Literal["en", "pt-BR"]
LANGUAGES: tuple[Language, ...] = ("en", "pt-BR")
