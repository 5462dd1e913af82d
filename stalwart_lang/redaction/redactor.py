"""Putting placeholders where personal data stands, in values of any shape."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache

from stalwart_lang.redaction import extra as libraries
from stalwart_lang.redaction.api_keys import find_api_keys
from stalwart_lang.redaction.cards import find_cards
from stalwart_lang.redaction.emails import find_emails
from stalwart_lang.redaction.kinds import KINDS, Found, Kind, placeholder
from stalwart_lang.redaction.reading import read
from stalwart_lang.redaction.secret_names import SCHEMA_VALUES, is_schema, is_secret_name
from stalwart_lang.redaction.taxpayers import find_cnpjs, find_cpfs
from stalwart_lang.redaction.telephones import telephone_finder

Finder = Callable[[str], Iterator[Found]]

_OF_DIGITS = ("cpf", "cnpj", "card", "phone")
_DIGIT = re.compile(r"[0-9]")
_DEEPEST = 100
_MOST_AGAIN = 3
_LARGEST = 10**40
_TOO_DEEP = "[TOO_DEEP]"
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TOUCHES_BEFORE = re.compile(r"(?:[^\W_]|[0-9][.,/:-]|[^\x00-\x7f])\Z")
_TOUCHES_AFTER = re.compile(r"[^\W_]|[.,/:-][0-9]|[(+%\\&]|[^\x00-\x7f]")
_SMALL = 10**7
"""Whole numbers nearer to zero are shorter than the shortest of any kind, whatever their names."""
_SHORT = 11
"""A word shorter than this, without marks, is no kind's."""
_NAME_KEYS = ("name", "key", "header", "field", "nome", "chave", "campo")
_VALUE_KEYS = frozenset(("value", "values", "valor", "val"))
_FLAG = re.compile(r"--?[A-Za-z][\w-]{1,60}")


class Redactor:
    """Finds personal data in texts and values and puts `[EMAIL]`, `[CPF]`, … in its place.

    `kinds` are names of `KINDS`; `extra` are an author's own kinds; `region` says whose telephone
    numbers are known without a country's code. It holds nothing of what it has read, and may be
    used by several threads at once.

    Raises `ValueError` for a kind or a region that is not known, and `ImportError`, naming the
    extra `redact`, where a kind needs a library that is not installed.
    """

    __slots__ = ("_extra", "_finders", "_placeholders", "_secrets")

    def __init__(
        self, kinds: Iterable[str] = KINDS, extra: Iterable[Kind] = (), region: str = "BR"
    ) -> None:
        names = frozenset((kinds,) if isinstance(kinds, str) else kinds)
        if unknown := sorted(names - set(KINDS)):
            raise ValueError(f"No kind {unknown[0]!r} is known; there are {', '.join(KINDS)}")
        if names.intersection(_OF_DIGITS):
            libraries.need()
        known: dict[str, Callable[[], Finder]] = {
            "email": lambda: find_emails,
            "phone": lambda: telephone_finder(region),
            "cpf": lambda: find_cpfs,
            "cnpj": lambda: find_cnpjs,
            "card": lambda: find_cards,
            "api_key": lambda: find_api_keys,
        }
        self._finders = tuple((kind, known[kind]()) for kind in KINDS if kind in names)
        self._extra = tuple(extra)
        self._secrets = "api_key" in names
        every = [*KINDS, *(kind.name for kind in self._extra)]
        self._placeholders = re.compile("|".join(re.escape(placeholder(kind)) for kind in every))

    def find(self, text: str) -> tuple[Found, ...]:
        """Return the personal data in `text`, in its order, no two overlapping.

        Parts that overlap are one, and are named after the longest of them.
        """
        found = _merged((*self._known(text), *self._authors(text)))
        # What touches what was found, or follows a word in it, may show only without it:
        # `ana@x.com52998224725`. So a text redacted once holds nothing more.
        for _ in range(_MOST_AGAIN):
            if not any(each.kind not in _OF_DIGITS or _touched(text, each) for each in found):
                break
            more = _merged((*found, *self._known(_without(text, found))))
            if more == found:
                break
            found = more
        return found

    def __call__(self, value: object) -> object:
        """Return `value` with placeholders in the place of personal data.

        Mappings, keys included, and sequences become dicts, lists and tuples of the same size, and
        sets become sets; a number that is personal data becomes a placeholder; what is neither
        text, number nor container stays as it is. `value` itself is not changed. What is nested
        deeper than 100 becomes `[TOO_DEEP]`.
        """
        return self._value(value, "", 0)

    def _known(self, text: str) -> Iterator[Found]:
        reading = read(text)
        has_digits = _DIGIT.search(reading.text) is not None
        for kind, find in self._finders:
            if has_digits or kind not in _OF_DIGITS:
                yield from map(reading.placed, find(reading.text))

    def _authors(self, text: str) -> Iterator[Found]:
        if self._extra:
            taken = [match.span() for match in self._placeholders.finditer(text)]
            for own in self._extra:
                for found in own.find(text):
                    if not any(found.start < end and start < found.end for start, end in taken):
                        yield found

    def _text(self, text: str, context: str) -> str:
        """Redact `text`; `context`, the names of the keys it stands under, is read before it."""
        if not context and self._too_short(text):
            return text
        before = f"{context}: " if context else ""
        pieces: list[str] = []
        done = 0
        for found in self.find(before + text):
            start, end = found.start - len(before), found.end - len(before)
            if start >= done:
                pieces += (text[done:start], placeholder(found.kind))
                done = end
        return "".join((*pieces, text[done:])) if pieces else text

    def _too_short(self, text: str) -> bool:
        word = len(text) < _SHORT and text.isascii() and (text.isalnum() or text.isidentifier())
        return word and not self._extra

    def _value(self, value: object, context: str, depth: int) -> object:
        if type(value) is int and -_SMALL < value < _SMALL and not self._extra:
            return value
        match value:
            case str():
                return self._text(value, context)
            case bool() | None:
                return value
            case int() | float() | Decimal():
                return self._number(value, context)
            case bytes() | bytearray() | memoryview():
                return value
            case Mapping() | Sequence() | set() | frozenset() if depth > _DEEPEST:
                return _TOO_DEEP
            case Mapping():
                return self._mapping(value, context, depth)
            case tuple():
                return tuple(self._items(value, context, depth))
            case Sequence():
                return self._items(value, context, depth)
            case set() | frozenset():
                items = [self._value(item, context, depth + 1) for item in value]
                return frozenset(items) if isinstance(value, frozenset) else set(items)
            case _:
                return value

    def _number(self, value: int | float | Decimal, context: str) -> object:
        """Redact a number that is whole, as the text of its digits would be."""
        finite = value.is_finite() if isinstance(value, Decimal) else value - value == 0
        if not finite or not -_LARGEST < value < _LARGEST or value != int(value):
            return value
        digits = str(int(value))
        redacted = self._text(digits, context)
        return value if redacted == digits else redacted

    def _items(self, items: Sequence[object], context: str, depth: int) -> list[object]:
        """Redact a row of values; one of pairs, such as of headers, as the members of a mapping."""
        if items and all(map(_is_pair, items)):
            return [self._pair(item, context, depth + 1) for item in items]
        made: list[object] = []
        before: object = None
        for item in items:
            flag = self._secrets and isinstance(before, str) and _FLAG.fullmatch(before)
            if flag and isinstance(item, str) and not item.startswith("-"):
                made.append(self._member(before, item, context, depth))
            else:
                made.append(self._value(item, context, depth + 1))
            before = item
        return made

    def _pair(self, item: object, context: str, depth: int) -> object:
        assert isinstance(item, list | tuple)
        name, value = item
        pair = [self._value(name, "", depth + 1), self._member(name, value, context, depth)]
        return tuple(pair) if isinstance(item, tuple) else pair

    def _mapping(self, value: Mapping[object, object], context: str, depth: int) -> object:
        made: dict[object, object] = {}
        named = _named(value)
        piece = "logprob" in value  # of a model's answer: its `token` is a word
        for key, item in value.items():
            if named is not None and isinstance(key, str) and key.lower() in _VALUE_KEYS:
                kept = self._member(named, item, f"{context} {key}".strip(), depth)
            elif piece and key == "token":
                kept = self._value(item, context, depth + 1)
            else:
                kept = self._member(key, item, context, depth)
            made[_free(self._value(key, "", depth + 1), made)] = kept
        return made

    def _member(self, name: object, value: object, context: str, depth: int) -> object:
        """Redact what stands under a name: all of it, where the name is a secret's."""
        if self._secrets and isinstance(name, str):
            number = isinstance(value, int | float | Decimal)
            if is_secret_name(name, number):
                return self._secret(value, depth + 1)
        if type(value) is int and -_SMALL < value < _SMALL and not self._extra:
            return value
        words = _CAMEL.sub(" ", name).replace("_", " ") if isinstance(name, str) else str(name)
        return self._value(value, f"{context[-40:]} {words[-40:]}".strip(), depth + 1)

    def _secret(self, value: object, depth: int) -> object:
        """Put the placeholder in the place of every text and number in `value`."""
        match value:
            case bool() | None | "":
                return value
            case str() | int() | float() | Decimal() | bytes() | bytearray() | memoryview():
                return placeholder("api_key")
            case Mapping() | Sequence() | set() | frozenset() if depth > _DEEPEST:
                return _TOO_DEEP
            case Mapping():
                schema = is_schema(value)
                made: dict[object, object] = {}
                for key, item in value.items():
                    hidden = not schema or key in SCHEMA_VALUES
                    kept = self._secret(item, depth + 1) if hidden else self._value(item, "", depth)
                    made[_free(self._value(key, "", depth + 1), made)] = kept
                return made
            case tuple():
                return tuple(self._secret(item, depth + 1) for item in value)
            case Sequence():
                return [self._secret(item, depth + 1) for item in value]
            case set() | frozenset():
                items = [self._secret(item, depth + 1) for item in value]
                return frozenset(items) if isinstance(value, frozenset) else set(items)
            case _:
                return value


@cache
def default_redactor() -> Redactor:
    """Return the redactor of all kinds, with Brazil's telephone numbers; the same one each time.

    Raises `ImportError`, naming the extra `redact`, where its libraries are not installed.
    """
    return Redactor()


def _merged(found: Iterable[Found]) -> tuple[Found, ...]:
    merged: list[Found] = []
    longest = 0
    for each in sorted(found, key=lambda each: (each.start, -each.end)):
        if merged and each.start < merged[-1].end:
            kind = merged[-1].kind
            if (length := each.end - each.start) > longest:
                kind, longest = each.kind, length
            merged[-1] = Found(kind, merged[-1].start, max(merged[-1].end, each.end))
        else:
            merged.append(each)
            longest = each.end - each.start
    return tuple(merged)


def _touched(text: str, found: Found) -> bool:
    before = _TOUCHES_BEFORE.search(text, max(0, found.start - 2), found.start)
    return before is not None or _TOUCHES_AFTER.match(text, found.end) is not None


def _without(text: str, found: Iterable[Found]) -> str:
    """Return `text`, as long as it is, with marks in the place of what was found."""
    pieces: list[str] = []
    done = 0
    for each in found:
        pieces += (text[done : each.start], "]" * (each.end - each.start))
        done = each.end
    return "".join((*pieces, text[done:]))


def _is_pair(item: object) -> bool:
    return isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str)


def _named(value: Mapping[object, object]) -> str | None:
    """Return the name that a mapping gives its value: `{"name": "Cookie", "value": "…"}`."""
    for key, item in value.items():
        if isinstance(key, str) and key.lower() in _NAME_KEYS and isinstance(item, str):
            return item
    return None


def _free(key: object, taken: Mapping[object, object]) -> object:
    """Return `key`, numbered where another key became the same text: no entry may be lost."""
    if key not in taken:
        return key
    number = 2
    while f"{key} ({number})" in taken:
        number += 1
    return f"{key} ({number})"
