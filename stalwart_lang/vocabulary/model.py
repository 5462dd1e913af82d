"""A vocabulary as plain frozen values: what the loader makes and everything else reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from stalwart_lang.words.language import LANGUAGES as LANGUAGES
from stalwart_lang.words.language import Language as Language


class Location(NamedTuple):
    """Where something stands in a file; lines and columns count from 1, in code points."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class PhrasePart(NamedTuple):
    """A word or a `{slot}` of a phrase; `text` is the word as written, or the slot's name."""

    kind: Literal["word", "slot"]
    text: str
    location: Location


class Phrase(NamedTuple):
    """One phrase of an author's: `text` as written, and its words and slots in order."""

    text: str
    parts: tuple[PhrasePart, ...]
    location: Location
    path: str
    """Where it stands in the vocabulary, for instance `charge_card.say.en[0]`."""


Words: TypeAlias = Mapping[Language, tuple[Phrase, ...]]
Sentences: TypeAlias = Mapping[Language, str]


@dataclass(frozen=True, slots=True)
class Thing:
    """A noun that is followed by an id: the order in `order 4411`."""

    name: str
    words: Words
    location: Location


@dataclass(frozen=True, slots=True)
class Member:
    """One value of a closed list, with the words people use for it."""

    name: str
    words: Words
    location: Location


@dataclass(frozen=True, slots=True)
class ClosedList:
    """A named closed list of values (an entry of `values:`)."""

    name: str
    members: tuple[Member, ...]
    location: Location


TypeKind: TypeAlias = Literal[
    "thing",
    "list",
    "integer",
    "decimal",
    "money",
    "date",
    "time",
    "month",
    "duration",
    "percentage",
    "quantity",
    "e-mail",
    "telephone",
    "cpf",
    "cnpj",
    "digits",
    "quoted text",
]


@dataclass(frozen=True, slots=True)
class ArgumentType:
    """A type an argument admits.

    `name` is the thing's or the closed list's name, or the unit's for a quantity;
    `length` is the number of digits for `digits`.
    """

    kind: TypeKind
    name: str = ""
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a tool; more than one type means any of them (`cpf or e-mail`)."""

    name: str
    types: tuple[ArgumentType, ...]
    required: bool
    words: Words
    """Words that introduce it: the limit in `limit 5`."""
    ask: Sentences
    """The question to ask where it is missing."""
    location: Location


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the agent and the phrases that ask for it."""

    name: str
    arguments: tuple[Argument, ...]
    say: Words
    location: Location
    writes: bool = False
    undo: str | None = None
    irreversible: bool = False
    retry_safe: bool = False
    reads_outside: bool = False
    sends_out: bool = False
    description: str = ""


Test: TypeAlias = Literal["over", "under", "one_of", "matches"]


@dataclass(frozen=True, slots=True)
class Condition:
    """What an argument must be for a rule to apply: one entry of `when:`."""

    argument: str
    test: Test
    operand: Any
    location: Location


@dataclass(frozen=True, slots=True)
class Rule:
    """A named rule; `name` is what traces and editors show."""

    name: str
    tool: str
    location: Location
    never: bool = False
    requires: tuple[str, ...] = ()
    requires_confirmation: bool = False
    when: tuple[Condition, ...] = ()
    after: str | None = None
    not_after: str | None = None
    at_most: int | None = None
    say: Sentences = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """A call that a turn of `turns:` must read as; `arguments` as the author wrote them."""

    tool: str
    arguments: Mapping[str, Any]
    location: Location


@dataclass(frozen=True, slots=True)
class Turn:
    """An entry of `turns:`: a turn in one or both languages and what it must read as.

    Exactly one of `plan`, `unread`, `incomplete` and `ambiguous` is set. `unread` is the reason's
    code or `any`; `incomplete` names the missing argument.
    """

    say: Mapping[Language, tuple[Phrase, ...]]
    location: Location
    plan: tuple[ExpectedCall, ...] | None = None
    unread: str | None = None
    incomplete: str | None = None
    ambiguous: bool = False
    now: str | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """`settings:`; what is absent is None and the reader's default applies."""

    language: Language | None = None
    currency: Mapping[Language, str] = field(default_factory=dict)
    """ISO 4217 code an amount without a currency is in, by language."""
    timezone: str | None = None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A checked vocabulary. `digest` is 64 hex characters over its files' content."""

    name: str
    settings: Settings
    things: Mapping[str, Thing]
    values: Mapping[str, ClosedList]
    units: Mapping[str, Thing]
    tools: Mapping[str, Tool]
    rules: Mapping[str, Rule]
    turns: tuple[Turn, ...]
    files: tuple[str, ...]
    digest: str

    @classmethod
    def load(cls, path_or_name: str | Path) -> "Vocabulary":
        """Load a file, or by its bare name a vocabulary that comes with the package (`shop`).

        Raises VocabularyError, with all diagnostics, where it has an error or cannot be read.
        """
        # Reading YAML is not needed where a compiled vocabulary comes from the cache.
        from stalwart_lang.diagnostics import VocabularyError
        from stalwart_lang.vocabulary.load import load_vocabulary

        loaded = load_vocabulary(path_or_name)
        if loaded.vocabulary is None:
            raise VocabularyError(loaded.diagnostics, loaded.sources)
        return loaded.vocabulary
