"""From the tokens of a turn to the terminals of its grammar, with what each stands for.

The longest match wins, over the vocabulary's words, the grammar's, and values. A word with several
meanings keeps them all; the automaton takes the first that lets the turn be read.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from stalwart_lang.selector.lexer_tables import AFTER_STEP_NUMBER, LexerTables
from stalwart_lang.selector.lexicon import DROPPED, PLAIN, UNREAD, Entry
from stalwart_lang.selector.values.codes import MARKS, read_code
from stalwart_lang.selector.values.reading import Clock, Malformed, Value

_QUOTES = {'"': '"', "“": "”", "«": "»", "‘": "’'", "'": "'’"}
_SIGNS = frozenset(".,;!")
_NUMBER_SIGNS = frozenset({"number", "#", "no", "número", "numero", "nº", "n°", "n.º", "№"})
_PAUSES = ([","], ["."], ["!"], [";"], ["\n"], ["?"])
_GLUED = re.compile(r"([0-9]+(?:[.,][0-9]+)*)([^\W\d_]+)")
_AGO = frozenset({"ago", "atrás", "atras", "há", "ha"})
_WITH_CHECK_DIGITS = re.compile(
    r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}|[0-9.]{10}/[0-9]{4}-[0-9]{2}"
)
_DOZENS = frozenset({"dozen", "dozens", "dúzia", "duzia", "dúzias", "duzias"})
_BULLETS = frozenset("-•*–")


@dataclass(frozen=True, slots=True)
class Stop:
    """Where and why the lexer stopped; `at` and `end` are token numbers."""

    code: str
    at: int
    end: int
    detail: str = ""


@dataclass(slots=True)
class Terminals:
    """A turn as terminals: `types`, `payloads`, and the tokens `starts` to `ends` of each.

    A type is a terminal's number, or a list of them, and then the payload is a list as well.
    """

    types: list[Any]
    payloads: list[Any]
    starts: list[int]
    ends: list[int]


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
    not_alone, codes = tables.not_alone, tables.codes
    last: Any = None
    numbered = 0
    at, count = 0, len(tokens)
    while at < count:
        token = tokens[at]
        end = at + 1
        entry = words.get(token)
        plain = 0
        settled = False
        if entry is not None:
            type_, payload, more, plain = entry
            if more is not None and end < count and tokens[end] in more:
                plain = 0  # a longer group of words may begin here
            elif plain < 0:
                plain = 0 if _may_begin(tokens, at, tables) else -plain
            settled = plain == PLAIN
        elif (
            "0" <= token[0] <= "9"
            and not codes
            and (end == count or tokens[end] not in not_alone)
            and (number := _alone(token, end, tables)) is not None
        ):
            type_, payload = number
            settled = True
        if not settled:
            if not plain:
                meaning = _meaning(tokens, at, entry, last, numbered, tables, clock)
                if meaning.__class__ is Stop:
                    return meaning
                type_, payload, end = meaning
            if type_ == DROPPED or type_.__class__ is list:
                begun = last is not None
                type_, payload = _placed(type_, payload, tokens, end, begun, last, tables)
                if type_ is None:
                    return Stop("unexpected", at, end)
                if type_ == DROPPED:
                    at = end
                    continue
            if type_.__class__ is int and type_ in tables.joints:
                if type_ == tables.then and payload.__class__ is int:
                    numbered = payload
                elif last is None and type_ == tables.then:
                    return Stop("unexpected", at, end)  # "afterwards, cancel it": after what?
                if last is None:
                    if token != "?" and (at or token not in _SIGNS):
                        at = end
                        continue
                elif last.__class__ is int and last in tables.joints:
                    merged = tables.merges.get((last, type_))
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


def _meaning(
    tokens: list[str],
    at: int,
    entry: Entry | None,
    last: Any,
    numbered: int,
    tables: LexerTables,
    clock: Callable[[], Clock],
) -> Any:
    """Give the type, payload and end of what begins at a token, or the Stop that it is."""
    token = tokens[at]
    end = at + 1
    if entry is not None:
        return _word(tokens, at, entry, last, tables, clock)
    if tables.codes and (code := _code(tokens, at, last, tables, clock)) is not None:
        return code
    if "@" in token and len(token) > 1 and token[0] not in _QUOTES:
        return tables.email, Value("e-mail", token, end), end
    if "0" <= token[0] <= "9":
        number = _number(tokens, at, last, numbered, tables, clock)
        return _with_unit(number, tokens, tables) if tables.units else number
    if token in tables.value_starts:
        value = _read_value(tokens, at, tables, clock)
        if isinstance(value, Malformed):
            return Stop(value.code, at, value.end, value.detail)
        if value is not None:
            read = tables.kinds[value.kind], _marked(value, tokens, at), value.end
            return _with_unit(read, tokens, tables) if tables.units else read
    elif token[0] in _QUOTES:
        stopped = _quoted(token)
        if stopped:
            return Stop(stopped, at, end)
        return tables.quote, Value("quoted text", token, end), end
    elif token in _BULLETS and (last is None or last == tables.stop):
        following = tokens[end] if end < len(tokens) else ""
        if following.isalpha() and following not in tables.value_starts:
            return DROPPED, ["POLITE"], end
    return Stop("unknown_word", at, end)


def _word(
    tokens: list[str],
    at: int,
    entry: Entry,
    last: Any,
    tables: LexerTables,
    clock: Callable[[], Clock],
) -> Any:
    """Give what a known word is, alone, with the words after it, or as the start of a value."""
    type_, payload, more, _ = entry
    end = at + 1
    if more is not None and end < len(tokens) and tokens[end] in more:
        longer = longest(tokens, at, entry)
        if longer[0] != tables.at_start or last is None or last == tables.stop:
            type_, payload, end = longer
    if tokens[at] in tables.value_starts and _may_begin(tokens, at, tables):
        value = _read_value(tokens, at, tables, clock)
        if isinstance(value, Malformed):
            if value.end > end or (type_ is None and value.end == end):
                return Stop(value.code, at, value.end, value.detail)
        elif value is not None and value.end >= end:
            kind = tables.kinds[value.kind]
            value = _marked(value, tokens, at)
            if value.end > end or type_ is None or type_ == UNREAD:
                read = kind, value, value.end
                return _with_unit(read, tokens, tables) if tables.units else read
            if type_.__class__ is list:
                type_, payload = [*type_, kind], [*payload, value]
            else:
                type_, payload = [type_, kind], [payload, value]
    if type_ is None:
        return Stop("unknown_word", at, end)
    if type_ == UNREAD:
        return Stop(payload, at, end)
    if type_.__class__ is list and end < len(tokens) and _is_number(tokens[end]):
        type_, payload = _as_noun(type_, payload, tables)
    return type_, payload, end


def _is_number(token: str) -> bool:
    return "0" <= token[0] <= "9" or token in _NUMBER_SIGNS


def _as_noun(types: list[Any], payloads: list[Any], tables: LexerTables) -> tuple[Any, Any]:
    """Take a noun for one, where its number follows, though a verb is spelled alike: "note 6"."""
    if tables.ids.isdisjoint(types):
        return types, payloads
    left = [
        (type_, payload)
        for type_, payload in zip(types, payloads, strict=True)
        if type_ not in tables.heads
    ]
    if len(left) == 1:
        return left[0]
    return [type_ for type_, _ in left], [payload for _, payload in left]


def _may_begin(tokens: Sequence[str], at: int, tables: LexerTables) -> bool:
    """Tell whether a value may begin at a word that begins one, by the word after it."""
    followers = tables.followers.get(tokens[at])
    if followers is None:
        return True
    following = tokens[at + 1] if at + 1 < len(tokens) else ""
    return following in followers or "0" <= following[:1] <= "9"


def _number(
    tokens: list[str],
    at: int,
    last: Any,
    numbered: int,
    tables: LexerTables,
    clock: Callable[[], Clock],
) -> Any:
    """Give the value that a token of digits begins, or the step that it numbers."""
    token = tokens[at]
    end = at + 1
    following = tokens[end] if end < len(tokens) else ""
    if following in AFTER_STEP_NUMBER and _numbers_a_step(tokens, at, last, numbered):
        return tables.then, int(token), end + 1
    if following not in tables.continues:
        alone = _alone(token, end, tables)
        if alone is not None:
            return *alone, end
        if token.isdecimal():
            return Stop("number_too_long", at, end)
    if tables.codes and _WITH_CHECK_DIGITS.fullmatch(token):
        return Stop("invalid_code", at, end)
    value = _read_value(tokens, at, tables, clock)
    if value is None:
        return _glued_unit(token, end, tables, clock) or Stop("ill_formed_number", at, end)
    if isinstance(value, Malformed):
        return Stop(value.code, at, value.end, value.detail)
    if value.kind == "integer" and (not token.isdecimal() or value.end > end):
        value = value._replace(marked=True)
    return tables.kinds[value.kind], value, value.end


def _alone(token: str, end: int, tables: LexerTables) -> tuple[int, Value] | None:
    """Read digits or an amount, as it is typed most, that nothing else belongs to."""
    if token.isdecimal() and len(token) <= 18:
        zeros = token[0] == "0" and len(token) > 1
        return tables.integer, Value("integer", int(token), end, False, zeros)
    if tables.amount(token):
        return tables.decimal, Value("decimal", Decimal(token.replace(",", ".")), end)
    return None


def _with_unit(read: Any, tokens: Sequence[str], tables: LexerTables) -> Any:
    """Make a number before a word of a unit a quantity: `10 kg`."""
    if read.__class__ is Stop or read[0] not in (tables.integer, tables.decimal):
        return read
    _, value, end = read
    unit = tables.units.get(tokens[end]) if end < len(tokens) else None
    if unit is None:
        return read
    return tables.quantity, Value("quantity", (Decimal(value.value), unit), end + 1), end + 1


def _glued_unit(token: str, end: int, tables: LexerTables, clock: Callable[[], Clock]) -> Any:
    """Read a quantity in one token: `10kg`."""
    glued = _GLUED.fullmatch(token)
    unit = tables.units.get(glued[2]) if glued else None
    if glued is None or unit is None:
        return None
    value = tables.read_value([glued[1]], 0, clock())
    if not isinstance(value, Value) or value.kind not in ("integer", "decimal"):
        return None
    return tables.quantity, Value("quantity", (Decimal(value.value), unit), end), end


def _read_value(
    tokens: list[str], at: int, tables: LexerTables, clock: Callable[[], Clock]
) -> Value | Malformed | None:
    """Read the value at a token; "3 days ago" is none to act on, but tells of the past."""
    value = tables.read_value(tokens, at, clock())
    if not isinstance(value, Value) or value.kind != "date":
        return value
    past = tokens[value.end - 1] in _AGO or tokens[at] in _AGO
    return Malformed("past", value.end) if past else value


def _marked(value: Value, tokens: Sequence[str], at: int) -> Value:
    """Mark a number of dozens, which is no id."""
    if value.spelled and _DOZENS.intersection(tokens[at : value.end]):
        return value._replace(marked=True)
    return value


def _placed(
    type_: Any,
    payload: Any,
    tokens: Sequence[str],
    end: int,
    begun: bool,
    last: Any,
    tables: LexerTables,
) -> tuple[Any, Any]:
    """Settle a word that may change nothing, by where it stands; type None: it may not here."""
    if type_ == DROPPED:
        dropped = _may_drop(payload, begun, last, tokens[end : end + 1], tables)
        return (DROPPED, payload) if dropped else (None, payload)
    if DROPPED not in type_:
        return type_, payload
    following = tokens[end] if end < len(tokens) else ""
    counts = tables.first in type_ and (
        "0" <= following[:1] <= "9" or following in tables.value_starts
    )  # "first five"
    places = payload[type_.index(DROPPED)]
    if not counts and _may_drop(places, begun, last, tokens[end : end + 1], tables):
        return DROPPED, payload
    return _without(DROPPED, type_, payload)


def _may_drop(
    places: Sequence[str], begun: bool, last: Any, following: Sequence[str], tables: LexerTables
) -> bool:
    """Tell whether a word that changes nothing stands where it does so."""
    return (
        "POLITE" in places
        or ("OPENING" in places and not begun)
        or ("CLOSING" in places and (following in _PAUSES or (begun and not following)))
        or ("AFTER_VERB" in places and last.__class__ is int and last in tables.heads)
    )


def _without(type_: int, types: list[int], payloads: list[Any]) -> tuple[Any, Any]:
    """Take a meaning from a word's."""
    left = [(one, payload) for one, payload in zip(types, payloads, strict=True) if one != type_]
    if len(left) == 1:
        return left[0]
    return [one for one, _ in left], [payload for _, payload in left]


def _code(
    tokens: list[str], at: int, last: Any, tables: LexerTables, clock: Callable[[], Clock]
) -> tuple[Any, Any, int] | None:
    """Read a code; where another value is spelled alike, give both meanings."""
    token = tokens[at]
    if not ("0" <= token[0] <= "9" or token in MARKS or token.isalnum()):
        return None
    if last.__class__ is int and last in tables.ids:
        return None
    code = read_code(tokens, at, tables.codes, tables.region)
    if code is None or (tokens[code.end : code.end + 1] and tokens[code.end] in tables.units):
        return None
    value = tables.read_value(tokens, at, clock()) if "0" <= token[0] <= "9" else None
    if value is not None and value.end > code.end:
        return None
    if isinstance(value, Value) and value.end == code.end:
        return [tables.code, tables.kinds[value.kind]], [code, value], code.end
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
    starts = at == 0 or tokens[at - 1] == "\n"
    return starts and int(tokens[at]) == numbered + 1 and tokens[at + 2].isalpha()


def _quoted(token: str) -> str:
    """Give the reason why a quoted token cannot be read, or nothing."""
    if len(token) < 2 or token[-1] not in _QUOTES[token[0]]:
        return "unclosed_quote"
    if not token[1:-1].strip():
        return "unexpected"
    for character in token:
        if character < " " and character not in "\t\n\r":
            return "control_character"
        if "\ud800" <= character <= "\udfff":
            return "control_character"
        if "\u202a" <= character <= "\u202e" or "\u2066" <= character <= "\u2069":
            return "control_character"
        if character in "\x7f\u200e\u200f\u061c" or "\x80" <= character <= "\x9f":
            return "control_character"
    return ""
