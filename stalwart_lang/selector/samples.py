"""The shortest ways to say an argument, for turns that show something of a vocabulary."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from stalwart_lang.selector.grammar import Grammar
from stalwart_lang.selector.lexicon import Entry, Lexicon
from stalwart_lang.selector.text import tokenize
from stalwart_lang.selector.values.codes import read_code
from stalwart_lang.vocabulary.model import Language

COUNT: Final = 0
AFTER_PHRASE: Final = 1
BEFORE_PHRASE: Final = 2
ANYWHERE: Final = 3


class Said(NamedTuple):
    """An argument in words. `place` is where a turn may have them.

    `COUNT` is right behind the verb, before a noun (`list 2 orders`), `AFTER_PHRASE` right behind
    a phrase's last word (`set volume 1`); `BEFORE_PHRASE` is as good as anywhere, and reads better
    (`list open orders`).
    """

    text: str
    place: int = ANYWHERE


_VALUES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "integer": "1",
        "decimal": "1.50",
        "money": "$1",
        "date": "today",
        "time": "5pm",
        "month": "june",
        "duration": "2 days",
        "percentage": "1%",
        "e-mail": "a@b.co",
        "quoted text": '"x"',
    },
    "pt-BR": {
        "integer": "1",
        "decimal": "1,50",
        "money": "R$1",
        "date": "hoje",
        "time": "5h",
        "month": "junho",
        "duration": "2 dias",
        "percentage": "1%",
        "e-mail": "a@b.co",
        "quoted text": '"x"',
    },
}
_ALSO: Mapping[str, tuple[str, ...]] = {
    "decimal": ("integer",),
    "money": ("decimal",),
}
"""The other kinds of values that an argument of a type takes."""
_ALSO_LABELLED: Mapping[str, tuple[str, ...]] = {**_ALSO, "money": ("decimal", "integer")}
_CODES = (
    "+12125551234",
    "2125551234",
    "52998224725",
    "11222333000181",
    # A CPF and a telephone number at once, of Brazil and of the United States.
    "11980000077",
    "12125550075",
)


class Samples:
    """Says arguments with the words of a compiled vocabulary; `region` as codes are read in."""

    def __init__(self, lexicon: Lexicon, grammar: Grammar, language: Language, region: str) -> None:
        self._values = _VALUES[language]
        self._adjectives_first = language == "en"
        self._grammar = grammar
        self._number = {name: at for at, name in enumerate(grammar.terminals)}
        self._known: dict[Any, frozenset[Said]] = {}
        self._by_slot: dict[int, frozenset[Said]] = {}
        self.nouns: dict[tuple[str, bool], list[str]] = {}
        """By thing and whether in the plural, its nouns: the shortest of each meaning."""
        self._members: dict[str, list[str]] = {}
        self._labels: dict[str, list[str]] = {}
        self._collect(lexicon)
        self._codes: dict[tuple[str, int | None], list[str]] = {}
        types = [(kind, length) for kind, length in lexicon.codes]
        for text in (*_CODES, *("1" * length for _, length in types if length)):
            code = read_code(tokenize(text), 0, types, region)
            for type_ in code.value if code is not None else ():
                self._codes.setdefault(type_, []).append(text)

    def _collect(self, lexicon: Lexicon) -> None:
        """Collect nouns, members and labels; of words that mean the same, the shortest."""
        best: dict[tuple[int, str], tuple[bool, int, int, str, Any]] = {}
        number = self._number
        wanted = {number[name] for name in ("THING", "THINGS", "MEMBER", "LABEL")}
        for text, entry in _phrases(lexicon.words):
            for type_, payload in meanings(entry):
                if type_ in wanted:
                    means = (type_, repr(payload))
                    rank = (entry[0].__class__ is list, text.count(" "), len(text), text, payload)
                    if means not in best or rank[:3] < best[means][:3]:
                        best[means] = rank
        for (type_, _), (*_, text, payload) in best.items():
            if type_ == number["MEMBER"]:
                lists = [name for name, _ in payload]
                for name in lists:
                    if lists.count(name) == 1:
                        self._members.setdefault(name, []).append(text)
            elif type_ == number["LABEL"]:
                for label in payload:
                    self._labels.setdefault(label, []).append(text)
            else:
                for thing in payload:
                    self.nouns.setdefault((thing, type_ == number["THINGS"]), []).append(text)

    def of(self, slot: Mapping[str, Any]) -> frozenset[Said]:
        """Give what a slot of a frame takes."""
        said = self._by_slot.get(id(slot))
        if said is None:
            types = tuple(map(tuple, slot["types"]))
            preps = tuple(tuple(slot["preps"][kind]) for kind, _, _ in types)
            key = (types, preps, tuple(slot["labels"]))
            said = self._known.get(key)
            if said is None:
                said = self._known[key] = frozenset(self._said(slot))
            self._by_slot[id(slot)] = said
        return said

    def _said(self, slot: Mapping[str, Any]) -> Iterator[Said]:
        for kind, name, length in slot["types"]:
            for value in self._of_type(kind, name, length, _ALSO):
                for preposition in slot["preps"][kind]:
                    if preposition:
                        yield Said(f"{self._preposition(preposition)} {value}")
                    elif value != self._values["integer"]:
                        yield Said(value, self._place(kind))
                    else:
                        yield Said(value, AFTER_PHRASE)
                        if kind == "integer":
                            yield Said("2", COUNT)
            if kind != "thing":
                for value in self._of_type(kind, name, length, _ALSO_LABELLED):
                    for label in ("=" + kind, *slot["labels"]):
                        for word in self._labels.get(label, ()):
                            yield Said(f"{word} {value}")

    def _of_type(
        self, kind: str, name: str, length: int | None, also: Mapping[str, tuple[str, ...]]
    ) -> Iterator[str]:
        if kind == "thing":
            for noun in self.nouns.get((name, False), ()):
                yield f"{noun} 1"
        elif kind == "list":
            yield from self._members.get(name, ())
        elif (kind, length) in self._codes:
            yield from self._codes[kind, length]
        elif kind in self._values:
            for one in (kind, *also.get(kind, ())):
                yield self._values[one]

    def _place(self, kind: str) -> int:
        return BEFORE_PHRASE if kind == "list" and self._adjectives_first else ANYWHERE

    def _preposition(self, name: str) -> str:
        """Give a preposition's shortest word; the Portuguese `a` would be taken for an article."""
        terminal = "A_DET" if name == "a" else name.upper()
        return self._grammar.words[terminal][0][0]


def meanings(entry: Entry) -> list[tuple[int, Any]]:
    """Give what a word can be: the terminals, DROPPED or UNREAD, each with its payload."""
    if entry[0].__class__ is list:
        return list(zip(entry[0], entry[1], strict=True))
    return [(entry[0], entry[1])]


def _phrases(words: Mapping[str, Entry]) -> Iterator[tuple[str, Entry]]:
    """Give the words and groups of words of a lexicon with their entries.

    An entry under another spelling comes again only by its first: as its author wrote it.
    """
    seen: set[int] = set()
    waiting = [("", words)]
    while waiting:
        begun, following = waiting.pop()
        for word, entry in following.items():
            text = f"{begun}{word}"
            if entry[0] is not None:
                yield text, entry
            if entry[2] is not None and id(entry[2]) not in seen:
                seen.add(id(entry[2]))
                waiting.append((f"{text} ", entry[2]))
