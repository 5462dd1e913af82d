"""Say why a turn is not read: the reason, where, and what could have stood there."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stalwart_lang.selector.grammar import Grammar
from stalwart_lang.selector.lexer import Stop, lex, longest
from stalwart_lang.selector.lexer_tables import LexerTables
from stalwart_lang.selector.lexicon import UNREAD, Lexicon
from stalwart_lang.selector.messages import END_EXPECTED, EXPECTED, KINDS, REASONS
from stalwart_lang.selector.plan import Call, Reason
from stalwart_lang.selector.recognize import Stuck, recognize
from stalwart_lang.selector.scanned import Scanned
from stalwart_lang.selector.steps import Problem
from stalwart_lang.selector.values.reading import Clock
from stalwart_lang.vocabulary.model import Language
from stalwart_lang.words.text import Turn

_VERBS = ("BASE", "IMPERATIVE", "INFORMAL", "INFINITIVE", "ING")
_MOST_EXPECTED = 8
_MOST_REASONS = 16
_MOST_ALIKE = 300
_CHARACTERS = frozenset({"other_script", "control_character"})


class Explainer:
    """Explains unread turns in one language. Nothing here runs when a turn is read."""

    def __init__(
        self, lexicon: Lexicon, grammar: Grammar, tables: LexerTables, language: Language
    ) -> None:
        self._lexicon = lexicon
        self._grammar = grammar
        self._tables = tables
        self._language = language
        self._number = {name: at for at, name in enumerate(grammar.terminals)}
        self._verbs = {self._number[name] for name in _VERBS if name in self._number}
        self._verb_frames: dict[str, list[int]] | None = None
        self._rules: dict[str, int] | None = None
        self._initials: dict[str, list[str]] | None = None

    def frame_of(self, rule: str) -> int | None:
        """Find a frame by the name of its phrase."""
        if self._rules is None:
            self._rules = {
                frame["rule"]: number for number, frame in enumerate(self._lexicon.frames)
            }
        return self._rules.get(rule)

    def stopped(
        self, scanned: Scanned, stop: Stop, clock: Callable[[], Clock]
    ) -> tuple[Reason, ...]:
        """Explain a word that stops the reading, or that is unknown."""
        tokens = scanned.tokens
        found = self._stops(tokens)
        there = [one for one in found if one.at == stop.at]
        if not there:
            found.append(stop)
        elif stop.code != "unknown_word" and there[0].code not in _CHARACTERS:
            found = [stop if one.at == stop.at else one for one in found]
        found.sort(key=lambda one: (_rank(one.code), one.at))
        expected = self._expected_at([*tokens[: stop.at]], clock)
        reasons: list[Reason] = []
        for one in found[:_MOST_REASONS]:
            code = one.code
            hints = expected if one is stop else ()
            if code == "unknown_word":
                code = _character_code(tokens[one.at])
                hints = (*self._near(tokens[one.at]), *hints)
            start, end = scanned.token_span(one.at, min(one.end, len(tokens)))
            reasons.append(self._reason(code, scanned.text, start, end, hints))
        return tuple(reasons)

    def _stops(self, tokens: Sequence[str]) -> list[Stop]:
        """Find the words that stop the reading, wherever they stand."""
        found: list[Stop] = []
        at = 0
        while at < len(tokens) and len(found) < _MOST_REASONS:
            entry = self._lexicon.words.get(tokens[at])
            if entry is None:
                if _character_code(tokens[at]) != "unknown_word":
                    found.append(Stop(_character_code(tokens[at]), at, at + 1))
                at += 1
                continue
            type_, payload, end = longest(tokens, at, entry)
            if type_ == UNREAD:
                found.append(Stop(payload, at, end))
            at = end
        return found

    def stuck(self, scanned: Scanned, stuck: Stuck) -> tuple[Reason, ...]:
        """Explain a word that cannot follow what stands before it."""
        text, types = scanned.text, scanned.terminals.types
        before = scanned.terminals.payloads[: stuck.at]
        expected = self._expected(stuck.state, types[: stuck.at], before)
        if not types:
            return (self._reason("empty", text, 0, len(text.typed), expected),)
        if stuck.at >= len(types):
            _, end = scanned.span(0, len(types) - 1)
            return (self._reason("unfinished", text, end, end, expected),)
        meanings = _meanings(types[stuck.at])
        code = "unexpected"
        if self._number["QUESTION"] in meanings:
            code = "question"
        elif meanings & self._verbs and stuck.at:
            # "Cancel the refund" names an act; "he cancels" and "the customer cancels" tell of one.
            asked = any(not self._verbs.isdisjoint(_meanings(one)) for one in types[: stuck.at])
            code = "inverse" if asked else "reported"
        elif all(self._verbs.isdisjoint(_meanings(one)) for one in types):
            code = "no_verb"
        return (self._reason(code, text, *scanned.span(stuck.at, stuck.at), expected),)

    def problem(self, scanned: Scanned, problem: Problem) -> tuple[Reason, ...]:
        """Explain a turn that the grammar takes and no tool does."""
        span = scanned.span(problem.first, problem.last)
        expected: tuple[str, ...] = ()
        if problem.detail == "phrase":
            expected = self._phrases(scanned)
        elif problem.detail:
            said = scanned.text.typed[slice(*span)]
            usual = problem.detail.split("|")[:_MOST_EXPECTED]
            expected = tuple(f"“{preposition} {said}”".replace("“ ", "“") for preposition in usual)
        return (self._reason(problem.code, scanned.text, *span, expected),)

    def no_verb(self, scanned: Scanned) -> tuple[Reason, ...]:
        """Explain a turn that only names things."""
        return self.problem(scanned, Problem("no_verb", 0, len(scanned.terminals.types) - 1))

    def ambiguous(self, readings: Sequence[Sequence[Call]]) -> Reason:
        """Explain a turn that can be read in several ways."""
        tools = dict.fromkeys(reading[0].tool for reading in readings)
        message = REASONS["ambiguous"][self._language].format(tools=", ".join(tools))
        return Reason("ambiguous", message, readings[0][0].start, readings[0][0].end)

    def repeated(self, scanned: Scanned, call: Call) -> Reason:
        """Explain a call that stands twice in a turn."""
        return self._reason("repeated_call", scanned.text, call.start, call.end, ())

    def _phrases(self, scanned: Scanned) -> tuple[str, ...]:
        """Give the phrases that the turn's last verb has."""
        frames = self._frames_of(scanned.terminals.types, scanned.terminals.payloads)
        return tuple(dict.fromkeys(f"“{frame['phrase']}”" for frame in frames))[:_MOST_EXPECTED]

    def _expected_at(self, tokens: list[str], clock: Callable[[], Clock]) -> tuple[str, ...]:
        """Say what could follow these tokens, where they can be read so far."""
        terminals = lex(tokens, self._lexicon.words, self._tables, clock)
        if isinstance(terminals, Stop):
            return ()
        payloads = [*terminals.payloads]
        steps = self._grammar.steps
        chosen = recognize(terminals.types, payloads, steps, frozenset(range(len(steps))))
        if isinstance(chosen, Stuck):
            return ()
        state = 0
        for type_ in chosen:
            state = steps[state].get(type_, state)
        return self._expected(state, chosen, payloads)

    def _expected(
        self, state: int, types: Sequence[Any], payloads: Sequence[Any]
    ) -> tuple[str, ...]:
        """Say in words what the automaton takes in a state and the last verb has use for."""
        row = self._grammar.steps[state]
        said: list[str] = []
        if self._verbs & row.keys():
            said += [f"“{frame['phrase']}”" for frame in self._lexicon.frames[:4]]
        frames = self._frames_of(types, payloads)
        kinds = {kind for frame in frames for slot in frame["slots"] for kind, *_ in slot["types"]}
        if self._number["COMPLEMENT"] in row:
            said += [f"“{noun}”" for frame in frames for noun in frame["said"] if "#" not in noun]
        if self._number["THING"] in row:
            things = {
                name
                for frame in frames
                for slot in frame["slots"]
                for kind, name, _ in slot["types"]
                if kind == "thing"
            }
            said += [f"“{noun}”" for noun in self._nouns(things)]
        said += [
            words[self._language]
            for name, words in EXPECTED.items()
            if self._number[name] in row and (KINDS.get(name) is None or KINDS[name] in kinds)
        ]
        if state in self._grammar.final:
            said.append(END_EXPECTED[self._language])
        return tuple(dict.fromkeys(said))[:_MOST_EXPECTED]

    def _frames_of(self, types: Sequence[Any], payloads: Sequence[Any]) -> list[Mapping[str, Any]]:
        """Give the frames of the last verb among these terminals."""
        for type_, payload in zip(reversed(types), reversed(payloads), strict=True):
            if type_.__class__ is int and type_ in self._verbs:
                return [
                    self._lexicon.frames[number]
                    for verb in payload
                    for number in self._by_verb().get(verb, ())
                ]
        return []

    def _by_verb(self) -> Mapping[str, list[int]]:
        if self._verb_frames is None:
            made: dict[str, list[int]] = {}
            for key, numbers in self._lexicon.index.items():
                made.setdefault(key.partition("|")[0], []).extend(numbers)
            self._verb_frames = made  # whole, as other threads may read it
        return self._verb_frames

    def _nouns(self, things: set[str]) -> list[str]:
        """Give a word for each of these things."""
        thing = self._number["THING"]
        found: dict[str, str] = {}
        for word, (type_, payload, *_) in self._lexicon.words.items():
            if type_ == thing:
                for name in things.intersection(payload):
                    found.setdefault(name, word)
                if len(found) == len(things):
                    break
        return list(found.values())

    def _near(self, word: str) -> tuple[str, ...]:
        """Give the known word that is nearest to an unknown one, among those that begin alike."""
        from difflib import get_close_matches

        if len(word) > 40 or not word.isalpha():
            return ()
        if self._initials is None:
            made: dict[str, list[str]] = {}
            for known, (type_, *_) in self._lexicon.words.items():
                if type_ is not None and type_ != UNREAD:
                    made.setdefault(known[0], []).append(known)
            self._initials = made  # whole, as other threads may read it
        alike = [
            known for known in self._initials.get(word[0], ()) if abs(len(known) - len(word)) < 3
        ]
        return tuple(get_close_matches(word, alike[:_MOST_ALIKE], n=1, cutoff=0.75))

    def _reason(
        self, code: str, text: Turn, start: int, end: int, expected: tuple[str, ...]
    ) -> Reason:
        words = text.typed[start:end]
        if code in _CHARACTERS:
            words = _describe(words)
        elif len(words) > 60:
            words = words[:57] + "…"
        words = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in words)
        message = REASONS[code][self._language].format(words=words)
        return Reason(code, message, start, end, expected)


def _rank(code: str) -> int:
    """Order reasons: a strange character before a word that stops, before an unknown one."""
    return 0 if code in _CHARACTERS else 2 if code == "unknown_word" else 1


def _meanings(type_: Any) -> set[int]:
    return set(type_) if type_.__class__ is list else {type_}


def _character_code(token: str) -> str:
    """Tell an unknown word from a letter of another script and an invisible character."""
    if len(token) > 1:
        return "unknown_word"
    if "\u00aa" <= token <= "\u024f" or "\u1e00" <= token <= "\u1eff":
        return "unknown_word"  # letters that people type, and the signs among them
    category = unicodedata.category(token)
    if category[0] == "C" or category in ("Zl", "Zp"):
        return "control_character"
    if not token.isascii() and (category[0] in "LNM"):
        return "other_script"
    return "unknown_word"


def _describe(characters: str) -> str:
    """Name the strange character among these."""
    strange = (c for c in characters if unicodedata.category(c)[0] == "C")
    character = next(strange, characters[:1])
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}" + (f" {name}" if name else "")
