"""From the tokens of a turn to the terminals of its grammar, with what each stands for.

The longest match wins, over the vocabulary's words, the grammar's, and values. A word with several
meanings keeps them all; the automaton takes the first that lets the turn be read.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from typing import Any, TypeAlias

from stalwart_lang.selector.grammar import Grammar
from stalwart_lang.selector.lexicon import DROPPED, UNREAD, Entry
from stalwart_lang.selector.values.codes import MARKS, CodeType, read_code
from stalwart_lang.selector.values.reading import Clock, Malformed, Value
from stalwart_lang.vocabulary.model import Language

ReadValue: TypeAlias = Callable[[list[str], int, Clock], Value | Malformed | None]

_QUOTES = {'"': '"', "“": "”", "«": "»", "‘": "’'", "'": "'’"}
_VALUES: Mapping[Language, str] = {"en": "english", "pt-BR": "portuguese"}
_DECIMAL_MARK: Mapping[Language, str] = {"en": r"\.", "pt-BR": ","}
_JOINTS = ("COMMA", "AND", "THEN", "STOP", "QUESTION")
_HEADS = ("BASE", "ING", "IMPERATIVE", "INFORMAL", "INFINITIVE", "PAST_SUBJUNCTIVE")
_SIGNS = frozenset(".,;!")
_PAUSES = ([","], ["."], ["!"], [";"], ["\n"])
_DOZENS = frozenset({"dozen", "dozens", "dúzia", "duzia", "dúzias", "duzias"})
_AFTER_STEP_NUMBER = frozenset({")", "."})
_BULLETS = frozenset("-•*–")


@dataclass(frozen=True, slots=True)
class Stop:
    """Where and why the lexer stopped; `at` and `end` are token numbers."""

    code: str
    at: int
    end: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Terminals:
    """A turn as terminals: `types`, `payloads`, and the tokens `starts` to `ends` of each.

    A type is a terminal's number, or a list of them, and then the payload is a list as well.
    """

    types: list[Any]
    payloads: list[Any]
    starts: list[int]
    ends: list[int]


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
    read_value: ReadValue
    codes: tuple[CodeType, ...]
    region: str
    code: int
    ids: frozenset[int]
    """The terminals that an id follows."""
    amount: Callable[[str], object]
    """Matches a decimal as amounts are typed, which needs no reader of values."""


def make_tables(
    grammar: Grammar,
    language: Language,
    codes: Sequence[CodeType] = (),
    currency: str = "",
) -> LexerTables:
    """Make the look-up tables of a language's lexer; `codes` are those its vocabulary takes.

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
        read_value=values.read,
        codes=tuple(codes),
        region="BR" if currency == "BRL" else "US",
        code=number["CODE"],
        ids=frozenset(number[name] for name in ("THING", "THINGS", "NUMBER")),
        amount=re.compile(r"[0-9]{1,15}" + _DECIMAL_MARK[language] + "[0-9]{2}").fullmatch,
    )


def lex(
    tokens: list[str],
    words: Mapping[str, Entry],
    tables: LexerTables,
    clock: Callable[[], Clock],
) -> Terminals | Stop:
    """Turn tokens into terminals; a word that is unknown or stops the reading gives a Stop."""
    types: list[Any] = []
    payloads: list[Any] = []
    starts: list[int] = []
    ends: list[int] = []
    joints, merges = tables.joints, tables.merges
    value_starts, continues = tables.value_starts, tables.continues
    last: Any = None
    numbered = 0
    at, count = 0, len(tokens)
    while at < count:
        token = tokens[at]
        entry = words.get(token)
        end = at + 1
        if entry is not None:
            type_, payload, more, plain = entry
            if plain:
                types.append(type_)
                payloads.append(payload)
                starts.append(at)
                ends.append(end)
                last = type_
                at = end
                continue
            if more is not None and end < count and tokens[end] in more:
                type_, payload, end = longest(tokens, at, entry)
            if token in value_starts:
                value = tables.read_value(tokens, at, clock())
                if value is not None and value.end >= end:
                    if isinstance(value, Malformed):
                        if type_ is None or value.end > end:
                            return Stop(value.code, at, value.end, value.detail)
                    elif value.end > end or type_ is None or type_ == UNREAD:
                        type_, payload = tables.kinds[value.kind], value
                        if _DOZENS.intersection(tokens[at : value.end]):
                            payload = value._replace(marked=True)
                        end = value.end
                    else:
                        both = type_ if isinstance(type_, list) else [type_]
                        held = payload if isinstance(type_, list) else [payload]
                        type_ = [*both, tables.kinds[value.kind]]
                        payload = [*held, value]
        elif tables.codes and (code := _code(tokens, at, last, tables)) is not None:
            type_, payload, end = code
        elif "0" <= token[0] <= "9":
            type_ = payload = None
            following = tokens[end] if end < count else ""
            if "@" in token:
                type_, payload = tables.email, Value("e-mail", token, end)
            elif following in _AFTER_STEP_NUMBER and _numbers_a_step(tokens, at, last, numbered):
                type_, end, numbered = tables.then, end + 1, int(token)
            elif token.isdecimal() and following not in continues:
                if len(token) > 18:
                    return Stop("number_too_long", at, end)
                type_, payload = (
                    tables.integer,
                    Value("integer", int(token), end, False, token[0] == "0" and len(token) > 1),
                )
            elif following not in continues and tables.amount(token):
                amount = Decimal(token.replace(",", "."))
                type_, payload = tables.decimal, Value("decimal", amount, end)
            else:
                value = tables.read_value(tokens, at, clock())
                if value is None:
                    return Stop("ill_formed_number", at, end)
                if isinstance(value, Malformed):
                    return Stop(value.code, at, value.end, value.detail)
                type_, payload, end = tables.kinds[value.kind], value, value.end
                if type_ == tables.integer and (not token.isdecimal() or end > at + 1):
                    payload = value._replace(marked=True)
        elif token in value_starts:
            type_ = payload = None
            value = tables.read_value(tokens, at, clock())
            if isinstance(value, Malformed):
                return Stop(value.code, at, value.end, value.detail)
            if value is not None:
                type_, payload, end = tables.kinds[value.kind], value, value.end
                if _DOZENS.intersection(tokens[at:end]):
                    payload = value._replace(marked=True)
        elif token[0] in _QUOTES:
            stopped = _quoted(token)
            if stopped:
                return Stop(stopped, at, end)
            type_, payload = tables.quote, Value("quoted text", token, end)
        elif "@" in token and len(token) > 1:
            type_, payload = tables.email, Value("e-mail", token, end)
        elif (
            token in _BULLETS
            and (last is None or last == tables.stop)
            and end < count
            and tokens[end].isalpha()
            and tokens[end] not in value_starts
        ):
            at += 1
            continue
        else:
            return Stop("unknown_word", at, end)
        if type_ is None:
            return Stop("unknown_word", at, end)
        if type_ == UNREAD:
            return Stop(payload, at, end)
        if type_.__class__ is list and tables.first in type_ and DROPPED in type_:
            following = tokens[end] if end < count else ""
            if "0" <= following[:1] <= "9" or following in value_starts:
                type_, payload = _without(DROPPED, type_, payload)  # "first five" counts
        if type_ == DROPPED or (type_.__class__ is list and DROPPED in type_):
            places = payload if type_ == DROPPED else payload[type_.index(DROPPED)]
            if _may_drop(places, bool(types), last, tokens[end : end + 1], tables):
                at = end
                continue
            if type_ == DROPPED:
                return Stop("unexpected", at, end)
            type_, payload = _without(DROPPED, type_, payload)
        if type_.__class__ is int and type_ in joints:
            if last is None and type_ == tables.then and entry is not None:
                return Stop("unexpected", at, end)  # "afterwards, cancel it": after what?
            if last is None:
                if token != "?" and (at or token not in _SIGNS):
                    at = end
                    continue
            else:
                merged = merges.get((last, type_)) if last.__class__ is int else None
                if last == tables.question and end == count and type_ not in tables.trailing:
                    merged = None  # "can you cancel order 5? and": it goes on
                if merged is not None:
                    last = types[-1] = merged
                    ends[-1] = end
                    at = end
                    continue
        types.append(type_)
        payloads.append(payload)
        starts.append(at)
        ends.append(end)
        last = type_
        at = end
    while types and types[-1].__class__ is int and types[-1] in tables.trailing:
        del types[-1], payloads[-1], starts[-1], ends[-1]
    return Terminals(types, payloads, starts, ends)


def _may_drop(
    places: Sequence[str], begun: bool, last: Any, following: Sequence[str], tables: LexerTables
) -> bool:
    """Tell whether a word that changes nothing stands where it does so."""
    return (
        "POLITE" in places
        or ("OPENING" in places and not begun)
        or ("CLOSING" in places and (begun or following in _PAUSES))
        or ("AFTER_VERB" in places and last.__class__ is int and last in tables.heads)
    )


def _without(type_: int, types: list[int], payloads: list[Any]) -> tuple[Any, Any]:
    """Take a meaning from a word's."""
    left = [(one, payload) for one, payload in zip(types, payloads, strict=True) if one != type_]
    if len(left) == 1:
        return left[0]
    return [one for one, _ in left], [payload for _, payload in left]


def _code(
    tokens: list[str], at: int, last: Any, tables: LexerTables
) -> tuple[Any, Any, int] | None:
    """Read a code; where a plain number stands for it as well, give both meanings."""
    token = tokens[at]
    if not ("0" <= token[0] <= "9" or token in MARKS or token.isalnum()):
        return None
    if last.__class__ is int and last in tables.ids:
        return None
    code = read_code(tokens, at, tables.codes, tables.region)
    if code is None:
        return None
    if code.end == at + 1 and token.isdecimal() and len(token) <= 18:
        if tokens[code.end : code.end + 1] and tokens[code.end] in tables.continues:
            return None
        number = Value("integer", int(token), code.end)
        return [tables.code, tables.integer], [code, number], code.end
    return tables.code, code, code.end


def longest(tokens: Sequence[str], at: int, entry: Entry) -> tuple[Any, Any, int]:
    """Follow the words after `at` as far as the lexicon knows them together."""
    type_, payload, more, _ = entry
    end = following = at + 1
    count = len(tokens)
    while more and following < count:
        deeper = more.get(tokens[following])
        if deeper is None:
            break
        following += 1
        if deeper[0] is not None:
            type_, payload, end = deeper[0], deeper[1], following
        more = deeper[2]
    return type_, payload, end


def _numbers_a_step(tokens: Sequence[str], at: int, last: Any, numbered: int) -> bool:
    """Tell whether the number at `at` numbers a step, as in `1) charge ... 2) refund ...`.

    `numbered` is the number of the step before, 0 for none.
    """
    if len(tokens[at]) > 2 or not tokens[at].isdecimal() or at + 2 >= len(tokens):
        return False
    if tokens[at + 1] == ")":
        return int(tokens[at]) == numbered + 1 and (numbered > 0 or last is None)
    return at == 0 or tokens[at - 1] == "\n"


def _quoted(token: str) -> str:
    """Give the reason why a quoted token cannot be read, or nothing."""
    if len(token) < 2 or token[-1] not in _QUOTES[token[0]]:
        return "unclosed_quote"
    if not token[1:-1].strip():
        return "unexpected"
    for character in token:
        if character < " " and character not in "\t\n\r":
            return "control_character"
        if "\u202a" <= character <= "\u202e" or "\u2066" <= character <= "\u2069":
            return "control_character"
        if character in "\x7f\u200e\u200f\u061c" or "\x80" <= character <= "\x9f":
            return "control_character"
    return ""
