"""What the lexer of a language looks up."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

from stalwart_lang.selector.grammar import Grammar
from stalwart_lang.selector.values.codes import CodeType
from stalwart_lang.selector.values.reading import Clock, Malformed, Value
from stalwart_lang.vocabulary.model import Language

ReadValue: TypeAlias = Callable[[list[str], int, Clock], Value | Malformed | None]

AFTER_STEP_NUMBER = frozenset({")", "."})
"""The signs behind the number of a step: `1) charge ...`."""

_VALUES: Mapping[Language, str] = {"en": "english", "pt-BR": "portuguese"}
_DECIMAL_MARK: Mapping[Language, str] = {"en": r"\.", "pt-BR": ","}
_JOINTS = ("COMMA", "AND", "THEN", "STOP", "QUESTION")
_HEADS = ("BASE", "ING", "IMPERATIVE", "INFORMAL", "INFINITIVE", "PAST_SUBJUNCTIVE")


@dataclass(frozen=True, slots=True)
class LexerTables:
    """What the lexer of a language looks up, as terminal numbers."""

    kinds: Mapping[str, int]
    merges: Mapping[tuple[int, int], int]
    joints: frozenset[int]
    trailing: frozenset[int]
    question: int
    integer: int
    decimal: int
    email: int
    quote: int
    then: int
    first: int
    stop: int
    heads: frozenset[int]
    """The forms of verbs that ask for an act."""
    value_starts: frozenset[str]
    continues: frozenset[str]
    not_alone: frozenset[str]
    """What may make more of the plain digits before it, a value or the number of a step."""
    followers: Mapping[str, frozenset[str]]
    read_value: ReadValue
    codes: tuple[CodeType, ...]
    region: str
    code: int
    quantity: int
    at_start: int
    """A group of words that is one only at the start of a sentence."""
    units: Mapping[str, str]
    """The units of quantities, by the words for them."""
    ids: frozenset[int]
    """The terminals that an id follows."""
    amount: Callable[[str], object]
    """Matches a decimal as amounts are typed, which needs no reader of values."""


def make_tables(
    grammar: Grammar,
    language: Language,
    codes: Sequence[CodeType] = (),
    currency: str = "",
    units: Mapping[str, str] | None = None,
) -> LexerTables:
    """Make the look-up tables of a language's lexer; `codes` and `units` are its vocabulary's.

    Telephone numbers without a country code are of the country of the vocabulary's currency.
    """
    number = {name: i for i, name in enumerate(grammar.terminals)}
    comma, and_, then, stop, question = (number[name] for name in _JOINTS)
    merges = {(comma, after): after for after in (comma, and_, then, stop, question)}
    merges |= {(before, comma): before for before in (and_, then, stop, question)}
    merges |= {
        (stop, stop): stop,
        (stop, and_): stop,
        (stop, then): then,
        (and_, then): then,
        (then, then): then,
        (question, stop): question,
        (question, and_): question,
        (question, then): question,
    }
    values = import_module(f"stalwart_lang.selector.values.{_VALUES[language]}")
    return LexerTables(
        kinds={
            kind: number[kind.upper()]
            for kind in (
                "integer",
                "decimal",
                "money",
                "date",
                "time",
                "month",
                "duration",
                "percentage",
            )
        },
        merges=merges,
        joints=frozenset({comma, and_, then, stop, question}),
        trailing=frozenset({comma, stop}),
        question=question,
        integer=number["INTEGER"],
        decimal=number["DECIMAL"],
        email=number["EMAIL"],
        quote=number["QUOTE"],
        then=then,
        first=number["FIRST"],
        stop=stop,
        heads=frozenset(number[name] for name in _HEADS if name in number),
        value_starts=values.STARTS,
        continues=values.CONTINUES,
        not_alone=values.CONTINUES | AFTER_STEP_NUMBER | frozenset(units or ()),
        followers=values.FOLLOWERS,
        read_value=values.read,
        codes=tuple(codes),
        region="BR" if currency == "BRL" else "US",
        code=number["CODE"],
        quantity=number["QUANTITY"],
        at_start=number.get("WANT_AT_START", -9),
        units=units or {},
        ids=frozenset(number[name] for name in ("THING", "THINGS", "NUMBER")),
        amount=re.compile(r"[0-9]{1,15}" + _DECIMAL_MARK[language] + "[0-9]{2}").fullmatch,
    )
