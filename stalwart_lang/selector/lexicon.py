"""A compiled vocabulary in one language: plain data, so that it can be kept as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

DROPPED = -1
"""The type of a word that changes nothing."""
UNREAD = -2
"""The type of a word that stops the reading; its payload is the reason's code."""

PLAIN = 1
"""A word that means the same whatever stands around it, but for longer groups of words."""
JOINT = 2
"""A plain word that joins steps or items."""
PLACED = 3
"""A plain word that may change nothing, by where it stands."""

Entry: TypeAlias = list[Any]
"""`[types, payloads, more, plain]`: what a word can be; by the next word, what the two can be; and
PLAIN, JOINT, PLACED or 0, less than 0 where what follows may make it the start of a value.

`types` are terminals by number, or DROPPED or UNREAD; `payloads` go with them. Of one meaning, the
type and the payload stand bare."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """A compiled vocabulary in one language.

    `frames` are `{tool, rule, phrase, file, line, writes, direct, said, slots}`; `direct` tells
    that the phrase is a verb alone, so that one of the arguments is its object; `said` gives the
    preposition before each noun of the phrase. `index` finds frames by verb
    and the rest of the phrase (`"update|crm"`). A slot is `{name, types, required, preps, labels,
    ask}`. `genders` are those of things and nouns of phrases in Portuguese, `m` or `f`, or empty.
    `codes` are the kinds of codes that arguments take, with a length. `particles` are the
    prepositions that belong to a verb (`"turn|on"`). `units` are those of quantities, by word.
    """

    words: Mapping[str, Entry]
    frames: list[dict[str, Any]]
    index: Mapping[str, list[int]]
    genders: Mapping[str, str]
    codes: list[list[Any]]
    particles: Mapping[str, bool]
    units: Mapping[str, str]
