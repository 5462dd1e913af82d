"""Short ways to say an argument, for turns that show something of a vocabulary."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from stalwart_lang.selector.frames import accepts
from stalwart_lang.selector.grammar import Grammar
from stalwart_lang.selector.lexicon import Entry, Lexicon
from stalwart_lang.selector.values.codes import read_code
from stalwart_lang.vocabulary.model import Language
from stalwart_lang.words.text import tokenize

COUNT: Final = 0
AFTER_PHRASE: Final = 1
BEFORE_PHRASE: Final = 2
ANYWHERE: Final = 3
WITH_PREPOSITION: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """An argument in words. `place` is where a turn may have them.

    `COUNT` is right behind the verb, before a noun (`list 2 orders`), `AFTER_PHRASE` right behind
    a phrase's last word (`set volume 1`); `BEFORE_PHRASE` is as good as anywhere, and reads better
    (`list open orders`). Words `WITH_PREPOSITION` may be anywhere as well. `id_follows` tells that
    the words end before an id.
    """

    text: str
    place: int
    id_follows: bool


_Value: TypeAlias = tuple[str, str, Any]
"""The words of a value, the kind of item it makes, and the names that decide who takes it."""

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
_COUNTED: _Value = ("2", "count", None)
_HOUR: _Value = ("13", "integer", None)
_ALSO: Mapping[str, tuple[str, ...]] = {"decimal": ("integer",), "money": ("decimal", "integer")}
"""The kinds of values that an argument of a type may take besides its own."""
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
        self._known: dict[Any, tuple[Said, ...]] = {}
        self._by_slot: dict[int, tuple[Said, ...]] = {}
        self._said: dict[tuple[str, int, bool], Said] = {}
        self.nouns: dict[tuple[str, bool], str] = {}
        """By thing and whether in the plural, its shortest noun."""
        self._things: dict[str, list[_Value]] = {}
        self._members: dict[str, list[_Value]] = {}
        self._labels: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        self._collect(lexicon)
        self._codes: dict[tuple[str, int | None], list[_Value]] = {}
        types = [(kind, length) for kind, length in lexicon.codes]
        for text in (*_CODES, *("1" * length for _, length in types if length)):
            code = read_code(tokenize(text), 0, types, region)
            if code is None:
                continue
            for type_ in code.value:
                self._codes.setdefault(type_, []).append((text, "code", tuple(code.value)))

    def _collect(self, lexicon: Lexicon) -> None:
        """Collect nouns, members and labels; of words that mean the same, the shortest."""
        number = self._number
        wanted = {number[name] for name in ("THING", "THINGS", "MEMBER", "LABEL")}
        best: dict[tuple[int, str], tuple[bool, int, int, str, Any]] = {}
        for text, entry in _phrases(lexicon.words):
            for type_, payload in meanings(entry):
                if type_ in wanted:
                    means = (type_, repr(payload))
                    rank = (entry[0].__class__ is list, text.count(" "), len(text), text, payload)
                    if means not in best or rank[:3] < best[means][:3]:
                        best[means] = rank
        for (type_, _), (*_, text, payload) in sorted(best.items(), key=lambda one: one[1][:3]):
            if type_ == number["MEMBER"]:
                lists = tuple(name for name, _ in payload)
                for name in lists:
                    self._members.setdefault(name, []).append((text, "member", lists))
            elif type_ == number["LABEL"]:
                for label in payload:
                    self._labels.setdefault(label, []).append((text, tuple(payload)))
            else:
                plural = type_ == number["THINGS"]
                for thing in payload:
                    self.nouns.setdefault((thing, plural), text)
                    if not plural:
                        value = (text, "thing", tuple(payload))
                        self._things.setdefault(thing, []).append(value)

    def of(self, slot: Mapping[str, Any]) -> tuple[Said, ...]:
        """Give what a slot of a frame takes."""
        said = self._by_slot.get(id(slot))
        if said is None:
            types = tuple(map(tuple, slot["types"]))
            preps = tuple(tuple(slot["preps"][kind]) for kind, _, _ in types)
            key = (types, preps, tuple(slot["labels"]), slot["required"])
            said = self._known.get(key)
            if said is None:
                said = self._known[key] = tuple(dict.fromkeys(self._taken(slot)))
            self._by_slot[id(slot)] = said
        return said

    def saying(self, slot: Mapping[str, Any], kind: str, text: str) -> Iterator[Said]:
        """Give the ways to say a noun of a thing (kind `thing`) or a word of a list in a slot."""
        item = "member" if kind == "list" else "thing"
        for preposition in slot["preps"][kind]:
            if preposition:
                words = f"{self.preposition(preposition)} {text}"
                yield self._make(words, WITH_PREPOSITION, item == "thing")
            else:
                for place in dict.fromkeys((self._place(item), ANYWHERE)):
                    yield self._make(text, place, item == "thing")
        if item == "member":
            for label in ("=" + kind, *slot["labels"]):
                for word, _ in self._labels.get(label, ()):
                    yield self._make(f"{word} {text}", ANYWHERE, False)

    def introduced(self, slot: Mapping[str, Any]) -> Iterator[Said]:
        """Give what a slot takes behind its words that introduce it, readable or not."""
        for label in slot["labels"]:
            for kind, name, length in slot["types"]:
                for text, item, _ in self._of_type(kind, name, length):
                    yield self._make(f"{label} {text}", ANYWHERE, item == "thing")

    def _taken(self, slot: Mapping[str, Any]) -> Iterator[Said]:
        for kind, name, length in slot["types"]:
            for text, item, names in self._of_type(kind, name, length):
                for preposition in slot["preps"][kind]:
                    if accepts(slot, item, names, preposition, ()):
                        if preposition and item != "count":
                            words = f"{self.preposition(preposition)} {text}"
                            yield self._make(words, WITH_PREPOSITION, item == "thing")
                        elif not preposition and text != _HOUR[0]:
                            yield self._make(text, self._place(item), item == "thing")
                if item in ("thing", "count"):
                    continue
                for label in ("=" + kind, *slot["labels"]):
                    for word, labels in self._labels.get(label, ()):
                        if accepts(slot, item, names, "", labels):
                            yield self._make(f"{word} {text}", ANYWHERE, False)

    def _of_type(self, kind: str, name: str, length: int | None) -> Iterator[_Value]:
        if kind == "thing":
            yield from self._things.get(name, ())
        elif kind == "list":
            yield from self._members.get(name, ())
        elif (kind, length) in self._codes:
            yield from self._codes[kind, length]
        elif kind in self._values:
            for one in (kind, *_ALSO.get(kind, ())):
                yield self._values[one], one, None
            if kind == "integer":
                yield _COUNTED
            if kind in ("integer", "time"):
                yield _HOUR

    def _make(self, text: str, place: int, id_follows: bool) -> Said:
        """Make the one object for these words, so that they are cheap to compare."""
        key = (text, place, id_follows)
        said = self._said.get(key)
        if said is None:
            said = self._said[key] = Said(*key)
        return said

    def _place(self, item: str) -> int:
        if item == "count":
            return COUNT
        if item == "integer":
            return AFTER_PHRASE
        return BEFORE_PHRASE if item == "member" and self._adjectives_first else ANYWHERE

    def preposition(self, name: str) -> str:
        """Give a preposition's first word; the Portuguese `a` would be taken for an article."""
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
