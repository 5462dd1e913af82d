"""Lint on the compiled vocabulary: tools that can read the same turn.

Frames can read one turn only where a form of their verbs is one word and the rest of their phrases
is the same, so they are compared within these buckets. What two frames take decides the rest, and
the selector's own reader has the last word on the turn that is shown.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice, product
from typing import Any, NamedTuple

from stalwart_lang.collector import collector_paused
from stalwart_lang.diagnostics import Diagnostic, Related, diagnostic, quoted
from stalwart_lang.selector.compile import compile_lexicon
from stalwart_lang.selector.grammar import load_grammar
from stalwart_lang.selector.lexicon import Lexicon
from stalwart_lang.selector.sample_turns import SampleReader, SampleTurns, phrases_by_rule
from stalwart_lang.selector.samples import meanings
from stalwart_lang.selector.shapes import Shape, alike
from stalwart_lang.terminal import printable
from stalwart_lang.vocabulary.lint import in_order
from stalwart_lang.vocabulary.model import LANGUAGES, Language, Phrase, Vocabulary

_MOST_FOUND = 200
"""After so many pairs of tools a language's search ends."""
_MOST_TOOLS = 3
"""Of many tools alike, a tool is reported with so many others."""
_MOST_TRIES = 8
"""So many turns are tried, of those that two tools are thought to read."""


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


class _Bucket(NamedTuple):
    """Frames that a turn with this form of a verb may ask for; their phrases' rest is the same."""

    form: str
    frames: Sequence[int]


class _Candidate(NamedTuple):
    """A turn that two frames are thought to read; the least is the best."""

    incomplete: bool
    words: int
    letters: int
    rank: int
    turn: str
    frames: tuple[int, int]
    lacking: tuple[int, int]


class _Overlaps:
    """Finds the overlaps of a vocabulary's tools in one language."""

    def __init__(self, vocabulary: Vocabulary, lexicon: Lexicon, language: Language) -> None:
        self._vocabulary = vocabulary
        self._language = language
        self._lexicon = lexicon
        grammar = load_grammar(language)
        self._turns = SampleTurns(vocabulary, lexicon, language)
        self._number = {name: at for at, name in enumerate(grammar.terminals)}
        self._order = {name: at for at, name in enumerate(vocabulary.tools)}
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
        forms, of_two = self._forms()
        for key in several:
            form = forms.get(key.partition("|")[0])
            if form is not None:  # a verb may be a word that stops every reading
                yield from self._divided(form, index[key])
        if not of_two:
            return
        by_verb: dict[str, dict[str, list[int]]] = {}
        for key, numbers in index.items():
            verb, _, words = key.partition("|")
            by_verb.setdefault(verb, {})[words] = numbers
        for (one, other), form in of_two.items():
            few, many = sorted((by_verb[one], by_verb[other]), key=len)
            for words, numbers in few.items():
                if words in many:
                    yield from self._divided(form, [*numbers, *many[words]])

    def _divided(self, form: str, numbers: Iterable[int]) -> Iterator[_Bucket]:
        """Part frames by the prepositions that the rest of their phrases has."""
        buckets: dict[tuple[tuple[str, str], ...], list[int]] = {}
        for number in numbers:
            said = tuple(sorted(self._lexicon.frames[number]["said"].items()))
            buckets.setdefault(said, []).append(number)
        return (_Bucket(form, its) for its in buckets.values() if len(its) > 1)

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
        by_shape: dict[Shape, dict[str, int]] = {}
        for number in bucket.frames:
            tools = by_shape.setdefault(self._turns.shape(number), {})
            tools.setdefault(self._lexicon.frames[number]["tool"], number)
        said: Mapping[str, str] = self._lexicon.frames[bucket.frames[0]]["said"]
        for one, other in alike([*by_shape]):
            if one is other and len(by_shape[one]) == 1:
                continue
            if one is other:
                pairs: Iterable[tuple[int, int]] = _pairs([*by_shape[one].values()])
            else:
                pairs = product(
                    islice(by_shape[one].values(), _MOST_TOOLS),
                    islice(by_shape[other].values(), _MOST_TOOLS),
                )
            turns = [
                (self._turns.turn(bucket.form, said, found.said), found.lacking)
                for found in self._turns.meet(said, one, other)
            ]
            for (rank, (turn, lacking)), frames in product(enumerate(turns), pairs):
                self._add(rank, turn, lacking, frames)
                if len(self._candidates) >= _MOST_FOUND:
                    return

    def _add(self, rank: int, turn: str, lacking: tuple[int, int], frames: tuple[int, int]) -> None:
        made = self._lexicon.frames
        tools = made[frames[0]]["tool"], made[frames[1]]["tool"]
        if tools[0] == tools[1]:
            return
        if self._order[tools[0]] > self._order[tools[1]]:
            tools, frames, lacking = tools[::-1], frames[::-1], lacking[::-1]
        candidate = _Candidate(
            any(lacking), turn.count(" "), len(turn), rank, turn, frames, lacking
        )
        candidates = self._candidates.setdefault(tools, [])
        candidates.append(candidate)
        if len(candidates) > 4 * _MOST_TRIES:
            candidates.sort()
            del candidates[_MOST_TRIES:]

    def _diagnostic(self, tools: tuple[str, str], candidate: _Candidate) -> Diagnostic:
        made = [self._lexicon.frames[number] for number in candidate.frames]
        phrases = [self._phrase(frame) for frame in made]
        turn = f"`{printable(candidate.turn)}`"  # whole, so that it can be tried
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
            self._phrases = phrases_by_rule(self._vocabulary, self._language)
        rule: str = frame["rule"]
        return self._phrases[rule]


def _pairs(frames: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pair each frame with the first few before it."""
    for at, frame in enumerate(frames):
        for before in frames[: min(at, _MOST_TOOLS)]:
            yield before, frame


class _Reading:
    """The selector's reading of turns, with two frames of a vocabulary and no others."""

    def __init__(self, vocabulary: Vocabulary, lexicon: Lexicon, language: Language) -> None:
        self._index: dict[str, list[int]] = {}
        self._frames = lexicon.frames
        self._keys: dict[int, str] = {}
        for key, numbers in lexicon.index.items():
            for number in numbers:
                self._keys[number] = key
        self._reader = SampleReader(vocabulary, replace(lexicon, index=self._index), language)

    def ambiguous(self, turn: str, frames: tuple[int, int]) -> bool:
        """Tell whether `turn` is ambiguous between the tools of two frames."""
        self._index.clear()
        for number in frames:
            self._index.setdefault(self._keys[number], []).append(number)
        plan = self._reader.read(turn)
        tools = {call.tool for reading in plan.readings for call in reading}
        return tools == {self._frames[number]["tool"] for number in frames}
