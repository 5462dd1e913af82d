"""Turns to show something of a compiled vocabulary with: made from samples, and read."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count

from stalwart_lang.selector.grammar import load_grammar
from stalwart_lang.selector.languages import DEFAULT_CURRENCY
from stalwart_lang.selector.lexer_tables import make_tables
from stalwart_lang.selector.lexicon import Lexicon
from stalwart_lang.selector.plan import Plan
from stalwart_lang.selector.reader import Reader
from stalwart_lang.selector.samples import (
    AFTER_PHRASE,
    BEFORE_PHRASE,
    COUNT,
    WITH_PREPOSITION,
    Said,
    Samples,
)
from stalwart_lang.selector.shapes import Shape, Shared, Slots, make_shape, shared
from stalwart_lang.selector.store import Compiled
from stalwart_lang.selector.values.codes import require_readers
from stalwart_lang.selector.values.reading import Clock
from stalwart_lang.vocabulary.model import Language, Phrase, Vocabulary

_CLOCK = Clock(datetime(2026, 1, 5, 9, tzinfo=UTC))


class SampleTurns:
    """Makes turns that ask for the frames of a lexicon, in one language."""

    def __init__(self, vocabulary: Vocabulary, lexicon: Lexicon, language: Language) -> None:
        self._lexicon = lexicon
        grammar = load_grammar(language)
        codes = _readable_codes(lexicon)
        region = make_tables(grammar, language, codes, _currency(vocabulary, language)).region
        readable = replace(lexicon, codes=[[*code] for code in codes])
        self.samples = Samples(readable, grammar, language, region)
        self._shapes: dict[Slots, Shape] = {}
        self._shared: dict[tuple[Shape, Shape, bool, bool], tuple[Shared, ...]] = {}

    def shape(self, number: int) -> Shape:
        """Give the shape of a frame."""
        return self._shape(
            tuple(
                (self.samples.of(slot), slot["required"])
                for slot in self._lexicon.frames[number]["slots"]
            )
        )

    def slots(self, number: int, named: Container[str]) -> list[tuple[str, tuple[Said, ...], bool]]:
        """Give a frame's slots by name: what each takes, and whether the phrase needs it.

        A slot that the phrase has `named` is needed, behind the word that introduces it, whether
        or not a turn can have this word.
        """
        slots: list[tuple[str, tuple[Said, ...], bool]] = []
        for slot in self._lexicon.frames[number]["slots"]:
            said = self.samples.of(slot)
            needed: bool = slot["required"]
            if slot["name"] in named:
                with_preposition = tuple(one for one in said if one.place == WITH_PREPOSITION)
                said = tuple(self.samples.introduced(slot)) or with_preposition or said
                needed = True
            slots.append((slot["name"], said, needed))
        return slots

    def shape_of(self, slots: Iterable[tuple[str, tuple[Said, ...], bool]]) -> Shape:
        """Give the shape of such slots."""
        return self._shape(tuple((said, needed) for _, said, needed in slots))

    def _shape(self, key: Slots) -> Shape:
        shape = self._shapes.get(key)
        if shape is None:
            shape = self._shapes[key] = make_shape(key)
        return shape

    def meet(self, said: Iterable[str], one: Shape, other: Shape) -> tuple[Shared, ...]:
        """Give what can be said to both; `said` are the words of their phrase."""
        pieces = [*said]
        counts = any("#" not in piece or piece.endswith("#n") for piece in pieces)
        after = bool(pieces) and "#" not in pieces[-1]
        key = (one, other, counts, after)
        if key not in self._shared:
            self._shared[key] = shared(one, other, counts, after)
        return self._shared[key]

    def turn(self, form: str, phrase: Mapping[str, str], said: Iterable[Said]) -> str:
        """Write a turn: the verb, a count, the words of the phrase, a number, and the rest."""
        words: list[str] = []
        for piece, preposition in phrase.items():
            thing, mark, number = piece.rpartition("#")
            if preposition:
                words.append(self.samples.preposition(preposition))
            words.append(self.samples.nouns[thing, number == "n"] if mark else piece)
        first = BEFORE_PHRASE if words else COUNT
        ahead = sorted((one for one in said if one.place in (COUNT, first)), key=_place)
        behind = sorted((one for one in said if one not in ahead), key=_behind)
        ids = count(1)
        for one in behind:
            words.append(f"{one.text} {next(ids)}" if one.id_follows else one.text)
        return " ".join([form, *(one.text for one in ahead), *words])


class SampleReader:
    """The selector's own reading of turns, on a Monday in January at nine."""

    def __init__(self, vocabulary: Vocabulary, lexicon: Lexicon, language: Language) -> None:
        settings = vocabulary.settings
        lexicon = replace(lexicon, codes=[[*code] for code in _readable_codes(lexicon)])
        compiled = Compiled(
            name=vocabulary.name,
            digest=vocabulary.digest,
            language=language,
            currency=settings.currency,
            timezone=settings.timezone,
            lexicons={language: lexicon},
        )
        self._reader = Reader(compiled, language)

    def read(self, turn: str) -> Plan:
        """Read a turn by itself."""
        return self._reader.read(turn, "request", lambda: _CLOCK, None)


def phrases_by_rule(vocabulary: Vocabulary, language: Language) -> dict[str, Phrase]:
    """Give the phrases that frames are made from, by the `rule` of their frame."""
    return {
        phrase.path: phrase
        for tool in vocabulary.tools.values()
        for phrase in tool.say.get(language, ())
    }


def _currency(vocabulary: Vocabulary, language: Language) -> str:
    return vocabulary.settings.currency.get(language, DEFAULT_CURRENCY[language])


def _readable_codes(lexicon: Lexicon) -> list[tuple[str, int | None]]:
    """Give the kinds of codes that can be read here: some need an extra that may be missing."""
    return [(kind, length) for kind, length in lexicon.codes if _readable(kind, length)]


def _readable(kind: str, length: int | None) -> bool:
    try:
        require_readers([(kind, length)])
    except ImportError:
        return False
    return True


def _place(said: Said) -> int:
    return said.place


def _behind(said: Said) -> bool:
    return said.place != AFTER_PHRASE
