"""Lint on the compiled vocabulary: tools that can read the same turn.

Frames can read one turn only where a form of their verbs is one word and the rest of their phrases
is the same, so they are compared within these buckets. What two frames take decides the rest, and
the selector's own reader has the last word on the turn that is shown.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from heapq import heappop, heappush
from itertools import chain, combinations, count, islice, product
from typing import Any, NamedTuple

from stalwart_lang.collector import collector_paused
from stalwart_lang.diagnostics import Diagnostic, Related, diagnostic, quoted
from stalwart_lang.selector.compile import compile_lexicon
from stalwart_lang.selector.grammar import load_grammar
from stalwart_lang.selector.languages import DEFAULT_CURRENCY
from stalwart_lang.selector.lexer import make_tables
from stalwart_lang.selector.lexicon import Lexicon
from stalwart_lang.selector.reader import Reader
from stalwart_lang.selector.samples import (
    AFTER_PHRASE,
    BEFORE_PHRASE,
    COUNT,
    Said,
    Samples,
    meanings,
)
from stalwart_lang.selector.store import Compiled
from stalwart_lang.selector.values.reading import Clock
from stalwart_lang.vocabulary.lint import in_order
from stalwart_lang.vocabulary.model import LANGUAGES, Language, Phrase, Vocabulary

_MOST_FOUND = 200
"""After so many pairs of tools a language's search ends."""
_MOST_TOOLS = 3
"""Of many tools alike, a tool is reported with so many others."""
_MOST_LOOKS = 256
"""A frame is compared with so many others of its bucket, the likeliest first."""
_MOST_STATES = 4_096
_MOST_TRIES = 4
_NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)


def overlaps(
    vocabulary: Vocabulary, lexicons: Mapping[Language, Lexicon] | None = None
) -> tuple[Diagnostic, ...]:
    """Warn of tools that can read the same turn, once for two tools and a language.

    SV110 where both read all of it, SV111 where one of them lacks an argument; the message shows
    the shortest such turn, and such a turn is ambiguous. A number that names no thing (`cancel #5`)
    and a pronoun are no such turns: what they stand for decides. `lexicons` are the vocabulary's,
    where it is compiled already.
    """
    found: list[Diagnostic] = []
    with collector_paused():
        for language in LANGUAGES:
            lexicon = lexicons[language] if lexicons else compile_lexicon(vocabulary, language)
            found += _Overlaps(vocabulary, lexicon, language).found()
    return in_order(vocabulary, found)


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    """What a frame takes: the slots, as bits, that each thing said may fill; those required."""

    required: int
    takes: Mapping[Said, int]
    needs: tuple[frozenset[Said], ...]
    """What the required slots take, a set a slot."""


class _Bucket(NamedTuple):
    """Frames that a turn with this form of a verb and these words may ask for."""

    form: str
    words: str
    frames: Sequence[int]


class _Shared(NamedTuple):
    """Things said that two frames take, and what is missing from each then, as bits of slots."""

    said: tuple[Said, ...]
    lacking: tuple[int, int]


class _Candidate(NamedTuple):
    """A turn that two frames are thought to read; the least is the best."""

    incomplete: bool
    words: int
    letters: int
    turn: str
    frames: tuple[int, int]
    lacking: tuple[int, int]


class _Overlaps:
    """Finds the overlaps of a vocabulary's tools in one language."""

    def __init__(self, vocabulary: Vocabulary, lexicon: Lexicon, language: Language) -> None:
        self._vocabulary = vocabulary
        self._lexicon = lexicon
        self._language = language
        grammar = load_grammar(language)
        currency = vocabulary.settings.currency.get(language, DEFAULT_CURRENCY[language])
        codes = [(kind, length) for kind, length in lexicon.codes]
        region = make_tables(grammar, language, codes, currency).region
        self._samples = Samples(lexicon, grammar, language, region)
        self._number = {name: at for at, name in enumerate(grammar.terminals)}
        self._order = {name: at for at, name in enumerate(vocabulary.tools)}
        self._shapes: dict[tuple[tuple[frozenset[Said], bool], ...], _Shape] = {}
        self._shared: dict[tuple[_Shape, _Shape, bool, bool], _Shared | None] = {}
        self._phrases: dict[str, Phrase] = {}
        self._candidates: dict[tuple[str, str], list[_Candidate]] = {}

    def found(self) -> Iterator[Diagnostic]:
        """Give a diagnostic for each two tools that overlap."""
        for bucket in self._buckets():
            self._compare(bucket)
            if len(self._candidates) >= _MOST_FOUND:
                break
        if not self._candidates:
            return
        reads = _Reading(self._vocabulary, self._lexicon, self._language)
        for tools, candidates in self._candidates.items():
            for candidate in sorted(candidates)[:_MOST_TRIES]:
                if reads.ambiguous(candidate.turn, candidate.frames):
                    yield self._diagnostic(tools, candidate)
                    break

    def _buckets(self) -> Iterator[_Bucket]:
        """Give the frames that share a form and the words of their phrase, where tools differ."""
        index, frames = self._lexicon.index, self._lexicon.frames
        several = [
            key
            for key, numbers in index.items()
            if len(numbers) > 1 and len({frames[number]["tool"] for number in numbers}) > 1
        ]
        forms, shared = self._forms()
        for key in several:
            verb, _, words = key.partition("|")
            yield _Bucket(forms[verb], words, index[key])
        if not shared:
            return
        by_verb: dict[str, dict[str, list[int]]] = {}
        for key, numbers in index.items():
            verb, _, words = key.partition("|")
            by_verb.setdefault(verb, {})[words] = numbers
        for (one, other), form in shared.items():
            few, many = sorted((by_verb[one], by_verb[other]), key=len)
            for words, numbers in few.items():
                if words in many:
                    yield _Bucket(form, words, [*numbers, *many[words]])

    def _forms(self) -> tuple[dict[str, str], dict[tuple[str, str], str]]:
        """Give each verb's shortest form that opens a turn, and the shortest of two verbs'."""
        ranks = {
            self._number[name]: rank
            for rank, name in enumerate(("BASE", "IMPERATIVE", "INFORMAL", "INFINITIVE", "ING"))
            if name in self._number
        }
        gerund = self._number.get("ING")
        best: dict[tuple[str, ...], tuple[bool, int, int, str]] = {}
        for form, entry in self._lexicon.words.items():
            known_as = meanings(entry)
            verbs = {verb for type_, its in known_as if type_ in ranks for verb in its}
            if not verbs:
                continue
            # A form with a meaning of its own is clearer, and an imperative is how people ask.
            clarity = (
                any(type_ not in ranks for type_, _ in known_as),
                min(ranks[type_] for type_, _ in known_as if type_ in ranks),
            )
            text = f"would you mind {form}" if known_as[0][0] == gerund else form
            rank = (*clarity, len(text), text)
            for key in chain(((verb,) for verb in sorted(verbs)), combinations(sorted(verbs), 2)):
                known = best.get(key)
                if known is None or rank[:3] < known[:3]:
                    best[key] = rank
        forms = {key[0]: rank[3] for key, rank in best.items() if len(key) == 1}
        return forms, {(key[0], key[1]): rank[3] for key, rank in best.items() if len(key) == 2}

    def _compare(self, bucket: _Bucket) -> None:
        """Compare the frames of a bucket, those of one shape together."""
        by_shape: dict[_Shape, dict[str, int]] = {}
        for number in bucket.frames:
            tools = by_shape.setdefault(self._shape(number), {})
            tools.setdefault(self._lexicon.frames[number]["tool"], number)
        for one, other in _alike([*by_shape]):
            if one is other and len(by_shape[one]) == 1:
                continue
            shared = self._meet(bucket, one, other)
            if shared is None:
                continue
            if one is other:
                pairs: Iterable[tuple[int, int]] = _pairs([*by_shape[one].values()])
            else:
                pairs = product(
                    islice(by_shape[one].values(), _MOST_TOOLS),
                    islice(by_shape[other].values(), _MOST_TOOLS),
                )
            for frames in pairs:
                self._add(bucket, shared, frames)
                if len(self._candidates) >= _MOST_FOUND:
                    return

    def _shape(self, number: int) -> _Shape:
        slots = self._lexicon.frames[number]["slots"]
        key = tuple((self._samples.of(slot), slot["required"]) for slot in slots)
        shape = self._shapes.get(key)
        if shape is None:
            takes: dict[Said, int] = {}
            for at, (its, _) in enumerate(key):
                for said in its:
                    takes[said] = takes.get(said, 0) | 1 << at
            required = sum(1 << at for at, (_, needed) in enumerate(key) if needed)
            needs = tuple(its for its, needed in key if needed)
            shape = self._shapes[key] = _Shape(required, takes, needs)
        return shape

    def _meet(self, bucket: _Bucket, one: _Shape, other: _Shape) -> _Shared | None:
        counts, after = self._places(bucket)
        key = (one, other, counts, after)
        if key not in self._shared:
            self._shared[key] = _shortest(one, other, counts, after)
        return self._shared[key]

    def _places(self, bucket: _Bucket) -> tuple[bool, bool]:
        """Tell whether a count may stand before a phrase's words, and a number right after."""
        pieces = bucket.words.split("|") if bucket.words else []
        counts = any("#" not in piece or piece.endswith("#n") for piece in pieces)
        return counts, bool(pieces) and "#" not in pieces[-1]

    def _add(self, bucket: _Bucket, shared: _Shared, frames: tuple[int, int]) -> None:
        made = self._lexicon.frames
        tools = made[frames[0]]["tool"], made[frames[1]]["tool"]
        if tools[0] == tools[1]:
            return
        lacking = shared.lacking
        if self._order[tools[0]] > self._order[tools[1]]:
            tools, frames, lacking = tools[::-1], frames[::-1], lacking[::-1]
        turn = self._turn(bucket, shared.said)
        candidate = _Candidate(any(lacking), turn.count(" "), len(turn), turn, frames, lacking)
        candidates = self._candidates.setdefault(tools, [])
        candidates.append(candidate)
        if len(candidates) > 4 * _MOST_TRIES:
            candidates.sort()
            del candidates[_MOST_TRIES:]

    def _turn(self, bucket: _Bucket, said: Iterable[Said]) -> str:
        """Write a turn: the verb, a count, the words of the phrase, a number, and the rest."""
        words: list[str] = []
        for piece in bucket.words.split("|") if bucket.words else ():
            thing, mark, number = piece.rpartition("#")
            words.append(self._samples.nouns[thing, number == "n"][0] if mark else piece)
        first = BEFORE_PHRASE if words else COUNT
        ahead = sorted((one for one in said if one.place in (COUNT, first)), key=_place)
        behind = sorted((one for one in said if one not in ahead), key=_behind)
        return " ".join(
            [bucket.form, *(one.text for one in ahead), *words, *(one.text for one in behind)]
        )

    def _diagnostic(self, tools: tuple[str, str], candidate: _Candidate) -> Diagnostic:
        made = [self._lexicon.frames[number] for number in candidate.frames]
        phrases = [self._phrase(frame) for frame in made]
        turn = quoted(candidate.turn)
        fix = "give one of them another verb or a noun"
        if not any(candidate.lacking):
            message = f"{quoted(tools[0])} and {quoted(tools[1])} both read {turn}"
            related = Related(f"the phrase of {quoted(tools[0])}", phrases[0].location)
            return diagnostic("SV110", message, phrases[1].location, fix, (related,))
        whole, part = (0, 1) if candidate.lacking[1] else (1, 0)
        left_out = " and ".join(
            quoted(slot["name"])
            for at, slot in enumerate(made[part]["slots"])
            if candidate.lacking[part] >> at & 1
        )
        message = f"{quoted(tools[whole])} reads {turn}, and so does {quoted(tools[part])} with "
        message += f"{left_out} left out"
        related = Related(f"the phrase of {quoted(tools[part])}", phrases[part].location)
        return diagnostic("SV111", message, phrases[whole].location, fix, (related,))

    def _phrase(self, frame: Mapping[str, Any]) -> Phrase:
        if not self._phrases:
            for tool in self._vocabulary.tools.values():
                for phrase in tool.say.get(self._language, ()):
                    self._phrases[phrase.path] = phrase
        rule: str = frame["rule"]
        return self._phrases[rule]


def _place(said: Said) -> int:
    return said.place


def _behind(said: Said) -> bool:
    return said.place != AFTER_PHRASE


def _pairs(frames: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pair each frame with the first few before it."""
    for at, frame in enumerate(frames):
        for before in frames[: min(at, _MOST_TOOLS)]:
            yield before, frame


def _alike(shapes: Sequence[_Shape]) -> Iterator[tuple[_Shape, _Shape]]:
    """Pair the shapes where one may take all that the other needs; each with itself, too."""
    if len(shapes) == 1:
        yield shapes[0], shapes[0]
        return
    taking: dict[Said, list[int]] = {}
    for at, shape in enumerate(shapes):
        for said in shape.takes:
            taking.setdefault(said, []).append(at)
    takers: dict[frozenset[Said], int] = {}
    for its in chain.from_iterable(shape.needs for shape in shapes):
        if its not in takers:
            takers[its] = sum(len(taking[said]) for said in its)
    seen: set[tuple[int, int]] = set()
    for at, shape in enumerate(shapes):
        yield shape, shape
        # The slot that the fewest others can fill leaves the fewest to look at.
        rarest = min(shape.needs, key=takers.__getitem__, default=None)
        others: Iterable[int] = range(len(shapes))
        if rarest is not None:
            others = dict.fromkeys(chain.from_iterable(taking[said] for said in rarest))
        for other in islice(others, _MOST_LOOKS):
            pair = (min(at, other), max(at, other))
            if other == at or pair in seen:
                continue
            takes = shapes[other].takes.keys()
            if all(not its.isdisjoint(takes) for its in shape.needs):
                seen.add(pair)
                yield shapes[pair[0]], shapes[pair[1]]


def _shortest(one: _Shape, other: _Shape, counts: bool, after: bool) -> _Shared | None:
    """Find the shortest things said that bind in both shapes and complete both, or else one.

    As in assignment, what is said fills the one slot that takes it, or the one not filled yet.
    """
    choices: dict[tuple[int, int], tuple[tuple[int, int], Said]] = {}
    for said in one.takes.keys() & other.takes.keys():
        if (said.place == COUNT and not counts) or (said.place == AFTER_PHRASE and not after):
            continue
        slots = (one.takes[said], other.takes[said])
        cost = (said.text.count(" ") + 1, len(said.text))
        if slots not in choices or (cost, said) < choices[slots]:
            choices[slots] = (cost, said)
    ordered = sorted((*choice, slots) for slots, choice in choices.items())
    half: _Shared | None = None
    tie = count()
    waiting: list[tuple[int, int, int, int, int, int, tuple[Said, ...]]] = []
    heappush(waiting, (0, 0, 0, next(tie), 0, 0, ()))
    done: set[tuple[int, int]] = set()
    while waiting and len(done) < _MOST_STATES:
        words, letters, disorder, _, bound_one, bound_other, said_yet = heappop(waiting)
        if (bound_one, bound_other) in done:
            continue
        done.add((bound_one, bound_other))
        lacking = (one.required & ~bound_one, other.required & ~bound_other)
        if not any(lacking):
            return _Shared(said_yet, lacking)
        if half is None and not all(lacking):
            half = _Shared(said_yet, lacking)
        for (more_words, more_letters), said, (of_one, of_other) in ordered:
            fills_one, fills_other = _filled(of_one, bound_one), _filled(of_other, bound_other)
            if fills_one and fills_other:
                heappush(
                    waiting,
                    (
                        words + more_words,
                        letters + more_letters,
                        disorder + (fills_one < bound_one),  # as the arguments are declared
                        next(tie),
                        bound_one | fills_one,
                        bound_other | fills_other,
                        (*said_yet, said),
                    ),
                )
    return half


def _filled(slots: int, bound: int) -> int:
    """Give the one slot that is filled, or none."""
    if slots & (slots - 1):
        slots &= ~bound
    return 0 if slots & bound or slots & (slots - 1) else slots


class _Reading:
    """The selector's reading of turns, with two frames of a vocabulary and no others."""

    def __init__(self, vocabulary: Vocabulary, lexicon: Lexicon, language: Language) -> None:
        self._index: dict[str, list[int]] = {}
        self._frames = lexicon.frames
        self._keys: dict[int, str] = {}
        for key, numbers in lexicon.index.items():
            for number in numbers:
                self._keys[number] = key
        settings = vocabulary.settings
        compiled = Compiled(
            name=vocabulary.name,
            digest=vocabulary.digest,
            language=language,
            currency=settings.currency,
            timezone=settings.timezone,
            lexicons={language: replace(lexicon, index=self._index)},
        )
        self._reader = Reader(compiled, language)
        self._known: dict[tuple[str, tuple[int, int]], bool] = {}

    def ambiguous(self, turn: str, frames: tuple[int, int]) -> bool:
        """Tell whether `turn` is ambiguous between the tools of two frames."""
        self._index.clear()
        for number in frames:
            self._index.setdefault(self._keys[number], []).append(number)
        plan = self._reader.read(turn, "request", lambda: Clock(_NOW), None)
        tools = {call.tool for reading in plan.readings for call in reading}
        return tools == {self._frames[number]["tool"] for number in frames}
