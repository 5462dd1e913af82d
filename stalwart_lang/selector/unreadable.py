"""Lint on the compiled vocabulary: phrases, nouns and words of lists that no turn can use.

The simplest turn that would use them is made, and the selector's own reader tells.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from stalwart_lang.collector import collector_paused
from stalwart_lang.diagnostics import Diagnostic, diagnostic, quoted
from stalwart_lang.selector.compile import compile_lexicon
from stalwart_lang.selector.lexicon import Lexicon
from stalwart_lang.selector.plan import Call, Plan
from stalwart_lang.selector.sample_turns import SampleReader, SampleTurns, phrases_by_rule
from stalwart_lang.selector.samples import ANYWHERE, Said
from stalwart_lang.terminal import printable
from stalwart_lang.vocabulary.lint import in_order
from stalwart_lang.vocabulary.model import LANGUAGES, Language, Phrase, Vocabulary
from stalwart_lang.words import portuguese_forms
from stalwart_lang.words.dictionary_forms import base_form, singular
from stalwart_lang.words.text import spellings, tokenize

_MOST_PHRASES = 2_000
_MOST_WORDS = 2_000
_MOST_FOUND = 200
_MOST_CARRIERS = 3
"""A noun or a word of a list is tried with so many phrases, the simplest first."""
_MOST_ALIKE = 8
"""Of phrases that are the same, a turn is read with so many."""
_NO_WORD = frozenset({"unexpected", "unfinished", "no_verb", "unknown_word"})
"""Reasons that blame no one word of the phrase."""


def unreadable(
    vocabulary: Vocabulary, lexicons: Mapping[Language, Lexicon] | None = None
) -> tuple[Diagnostic, ...]:
    """Warn (SV112) of phrases, nouns of things and words of lists that can never be read.

    The message shows the simplest turn that should have used them, and why it is unread. English
    verbs that are not in their base form are among them, each once, and nouns of things that are
    given in the plural only. The first 2,000 phrases of a language are tried, then 2,000 nouns and
    words, in a phrase that is read; a language's search ends at 200 findings. `lexicons` are the
    vocabulary's, where it is compiled already.
    """
    found: list[Diagnostic] = []
    with collector_paused():
        for language in LANGUAGES:
            lexicon = lexicons[language] if lexicons else compile_lexicon(vocabulary, language)
            if lexicon.frames:
                its = _Unreadable(vocabulary, lexicon, language).found()
                found += islice(its, _MOST_FOUND)
    return in_order(vocabulary, found)


class _Carrier(NamedTuple):
    """A frame whose phrase is read, and a slot of it that a word is tried in."""

    slots: int
    frame: int
    slot: Mapping[str, Any]


class _Tried(NamedTuple):
    """A turn and how it is read."""

    turn: str
    plan: Plan


class _Unreadable:
    """Finds what can never be read of a vocabulary in one language."""

    def __init__(self, vocabulary: Vocabulary, lexicon: Lexicon, language: Language) -> None:
        self._vocabulary = vocabulary
        self._lexicon = lexicon
        self._language = language
        self._turns = SampleTurns(vocabulary, lexicon, language)
        self._phrases = phrases_by_rule(vocabulary, language)
        self._keys = {number: key for key, its in lexicon.index.items() for number in its}
        self._index = {key: its[:_MOST_ALIKE] for key, its in lexicon.index.items()}
        self._reader = SampleReader(vocabulary, replace(lexicon, index=self._index), language)
        self._forms: dict[str, tuple[str, ...]] = {}
        self._bases: dict[str, str | None] = {}
        self._read_as: dict[int, str] = {}
        """By frame, the form of its verb that it is read with."""
        self._reported: set[str] = set()
        self._carriers: dict[tuple[str, str], list[_Carrier]] = {}

    def found(self) -> Iterator[Diagnostic]:
        """Give a diagnostic for each phrase, noun and word of a list that is never read."""
        for number in range(min(len(self._lexicon.frames), _MOST_PHRASES)):
            finding = self._phrase(number)
            if finding is not None:
                yield finding
        for kind, name, phrase in islice(self._words(), _MOST_WORDS):
            finding = self._word(kind, name, phrase)
            if finding is not None:
                yield finding

    # ------------------------------------------------------------ phrases

    def _phrase(self, number: int) -> Diagnostic | None:
        frame = self._lexicon.frames[number]
        verb = self._verb(number)
        phrase = self._phrases[frame["rule"]]
        base = self._base(verb)
        if base is not None:
            if verb in self._reported:
                return None
            self._reported.add(verb)
            return self._not_base(number, phrase, verb, base)
        tried = self._try(number, self._said_forms(verb))
        if tried is None:
            if number in self._read_as:
                self._carries(number)
            return None
        message = f"this phrase is never read: {_why(tried)}"
        return diagnostic("SV112", message, phrase.location, _fix(tried))

    def _verb(self, number: int) -> str:
        return self._keys[number].partition("|")[0]

    def _base(self, verb: str) -> str | None:
        if self._language != "en":
            return None  # the loader refuses what is not an infinitive
        if verb not in self._bases:
            self._bases[verb] = base_form(verb)
        return self._bases[verb]

    def _not_base(self, number: int, phrase: Phrase, verb: str, base: str) -> Diagnostic:
        tried = self._try(number, (base,))
        if tried is None:
            turn = next(self._made(number, verb))
            why = f"`{printable(turn)}` is read as an order"
        else:
            why = _why(tried)
        message = f"{quoted(verb)} is a form of {quoted(base)}: {why}"
        fix = f"write the verb in its base form: {quoted(base)}; its other forms are made"
        return diagnostic("SV112", message, phrase.parts[0].location, fix)

    def _try(self, number: int, forms: Iterable[str]) -> _Tried | None:
        """Give the first turn for a frame with how it is read; None where nothing is to be said.

        So it is where a turn is read as the frame, or where two of its arguments are alike.
        """
        tool: str = self._lexicon.frames[number]["tool"]
        first: _Tried | None = None
        for form in forms:
            for turn in self._made(number, form):
                plan = self._read(turn, number)
                if any(call.tool == tool for call in _calls(plan)):
                    self._read_as[number] = form
                    return None
                if _is_ambiguous(plan):
                    return None
                first = first or self._tried(turn, plan, number)
                if _is_unknown(plan):
                    return first
        # Together, values may stand in each other's way that can be said in another order.
        for form in forms:
            if self._each_alone(number, form):
                self._read_as[number] = form
                return None
        return first

    def _each_alone(self, number: int, form: str) -> bool:
        """Tell whether a frame has arguments to be said and takes every one of them by itself."""
        frame = self._lexicon.frames[number]
        slots = [one for one in self._turns.slots(number, self._named(number)) if one[2]]
        return bool(slots) and all(
            any(
                self._fills(self._turns.turn(form, frame["said"], (one,)), number, name)
                for one in _simplest(said)
            )
            for name, said, _ in slots
        )

    def _fills(self, turn: str, number: int, slot: str) -> bool:
        tool: str = self._lexicon.frames[number]["tool"]
        plan = self._read(turn, number)
        return _is_ambiguous(plan) or any(
            call.tool == tool and slot in call.arguments for call in _calls(plan)
        )

    def _read(self, turn: str, number: int) -> Plan:
        """Read a turn that should ask for a frame, without the others of the same words."""
        self._index[self._keys[number]] = [number]
        return self._reader.read(turn)

    def _tried(self, turn: str, plan: Plan, number: int) -> _Tried:
        """Note that a turn fails; another frame of the same words may read it."""
        key = self._keys[number]
        self._index[key] = self._lexicon.index[key][:_MOST_ALIKE]
        other = self._reader.read(turn) if len(self._index[key]) > 1 else plan
        return _Tried(turn, other if other.verdict != "unread" else plan)

    def _made(self, number: int, form: str) -> Iterator[str]:
        """Make turns for a frame: with all that it needs or its phrase names, else with nothing."""
        frame = self._lexicon.frames[number]
        turns, named = self._turns, self._named(number)
        shape = turns.shape_of(turns.slots(number, named)) if named else turns.shape(number)
        whole = [
            one.said for one in turns.meet(frame["said"], shape, shape) if not any(one.lacking)
        ]
        for said in whole or [()]:
            yield turns.turn(form, frame["said"], said)

    def _named(self, number: int) -> list[str]:
        """Give the slots that a frame's phrase names."""
        phrase = self._phrases[self._lexicon.frames[number]["rule"]]
        return [part.text for part in phrase.parts if part.kind == "slot"]

    def _said_forms(self, verb: str) -> tuple[str, ...]:
        """Give the forms of a verb that ask for its act, as people mostly ask."""
        if self._language == "en":
            return (verb,)
        if verb not in self._forms:
            made = portuguese_forms.verb_forms(verb)
            forms = (*made.subjunctive, *made.imperative, made.infinitive)
            self._forms[verb] = tuple(dict.fromkeys(forms))
        return self._forms[verb]

    # ------------------------------------------------------------ nouns and words of lists

    def _carries(self, number: int) -> None:
        """Note a frame for each thing and list that it takes."""
        slots = self._lexicon.frames[number]["slots"]
        for slot in slots:
            for kind, name, _ in slot["types"]:
                if kind in ("thing", "list"):
                    its = self._carriers.setdefault((kind, name), [])
                    if len(its) == _MOST_CARRIERS and its[-1].slots <= len(slots):
                        continue
                    its.append(_Carrier(len(slots), number, slot))
                    its.sort(key=_slots)
                    del its[_MOST_CARRIERS:]

    def _words(self) -> Iterator[tuple[str, str, Phrase]]:
        for thing in self._vocabulary.things.values():
            for phrase in thing.words.get(self._language, ()):
                yield "thing", thing.name, phrase
        for closed in self._vocabulary.values.values():
            for member in closed.members:
                for phrase in member.words.get(self._language, ()):
                    yield "list", closed.name, phrase

    def _word(self, kind: str, name: str, phrase: Phrase) -> Diagnostic | None:
        word = _text(phrase)
        one = singular(word, self._language) if kind == "thing" else None
        tried = self._try_word(kind, name, one or word)
        if tried is None:
            return None
        if one is None:
            argument = "" if tried.plan.verdict == "unread" else " without it"
            message = f"{quoted(word)} is never read: {_why(tried)}{argument}"
            return diagnostic("SV112", message, phrase.location, _fix(tried))
        message = f"{quoted(word)} is a plural: {_why(tried)}"
        fix = f"write the singular: {quoted(one)}; its plural is made"
        return diagnostic("SV112", message, phrase.location, fix)

    def _try_word(self, kind: str, name: str, word: str) -> _Tried | None:
        """Give the first turn with a word and how it is read; None where its slot is filled."""
        first: _Tried | None = None
        for _, number, slot in self._carriers.get((kind, name), ()):
            frame = self._lexicon.frames[number]
            form = self._read_as[number]
            for said in self._turns.samples.saying(slot, kind, word):
                turn = self._turns.turn(form, frame["said"], (said,))
                plan = self._read(turn, number)
                for call in _calls(plan):
                    if call.tool == frame["tool"] and slot["name"] in call.arguments:
                        return None
                if _is_ambiguous(plan):
                    return None
                first = first or self._tried(turn, plan, number)
                if _is_unknown(plan):
                    return first
        return first


def _why(tried: _Tried) -> str:
    turn, plan = tried
    shown = f"`{printable(turn)}`"  # whole, so that it can be tried
    if plan.verdict == "unread":
        return f"{shown} is unread. {plan.reasons[0].message}"
    tools = dict.fromkeys(quoted(call.tool) for call in _calls(plan))
    return f"{shown} is read as {' or '.join(tools)}"


def _fix(tried: _Tried) -> str:
    turn, plan = tried
    if plan.verdict != "unread":
        return "say it in other words, which no other tool reads"
    reason = plan.reasons[0]
    said = quoted(turn[reason.start : reason.end])
    if reason.code == "number_mismatch":
        return f"make {said} a noun of a thing: one and several are then told apart"
    return "say it in other words" if reason.code in _NO_WORD else f"use another word than {said}"


def _calls(plan: Plan) -> Iterable[Call]:
    """Give the calls that a turn is read as, or may be; those of an incomplete one lack some."""
    if plan.readings:
        return [call for reading in plan.readings for call in reading]
    return plan.calls or plan.partial


def _is_unknown(plan: Plan) -> bool:
    """Tell whether a word stopped the reading that is unknown, and so would stop any other."""
    return any(reason.code == "unknown_word" for reason in plan.reasons)


def _is_ambiguous(plan: Plan) -> bool:
    """Tell whether a value could be more than one argument's, which SV103 tells of."""
    return any(reason.code == "ambiguous_argument" for reason in plan.reasons)


def _simplest(said: tuple[Said, ...]) -> tuple[Said, ...]:
    """Leave out the prepositions of an id, which needs none; a number alone may be a count."""
    bare = tuple(one for one in said if one.id_follows and one.place == ANYWHERE)
    return bare or said


def _slots(carrier: _Carrier) -> int:
    return carrier.slots


def _text(phrase: Phrase) -> str:
    """Give words as a turn has them: lower case, one blank between tokens."""
    return " ".join(tokenize(spellings(phrase.text)[0]))
