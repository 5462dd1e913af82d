"""Say why a turn is not read: the reason, where, and what could have stood there."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence

from stalwart_lang.selector.grammar import Grammar
from stalwart_lang.selector.lexer import LexerTables, Stop, Terminals, lex, longest
from stalwart_lang.selector.lexicon import UNREAD, Lexicon
from stalwart_lang.selector.messages import END_EXPECTED, EXPECTED, REASONS
from stalwart_lang.selector.plan import Reason
from stalwart_lang.selector.recognize import Stuck, recognize
from stalwart_lang.selector.steps import Problem
from stalwart_lang.selector.text import Turn
from stalwart_lang.selector.values.reading import Clock
from stalwart_lang.vocabulary.model import Language

_VERBS = ("BASE", "IMPERATIVE", "INFORMAL", "INFINITIVE", "ING")
_MOST_EXPECTED = 8
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

    def frame_of(self, rule: str) -> int | None:
        """Find a frame by the name of its phrase."""
        for number, frame in enumerate(self._lexicon.frames):
            if frame["rule"] == rule:
                return number
        return None

    def stopped(
        self, text: Turn, tokens: list[str], stop: Stop, clock: Callable[[], Clock]
    ) -> tuple[Reason, ...]:
        """Explain a word that stops the reading, or that is unknown."""
        places = text.places(tokens)
        found = self._stops(tokens)
        if all(one.at != stop.at or one.code in _CHARACTERS for one in found):
            found.append(stop)
        elif stop.code != "unknown_word":
            found = [stop if one.at == stop.at else one for one in found]
        known = sorted(
            (one for one in found if one.code != "unknown_word"),
            key=lambda one: (one.code not in _CHARACTERS, one.at),
        )
        unknown = [one for one in found if one.code == "unknown_word"]
        expected = self._expected_at(tokens[: stop.at], clock)
        return tuple(
            self._reason(
                one.code if one.code != "unknown_word" else _character_code(tokens[one.at]),
                text,
                tokens,
                places,
                one.at,
                one.end,
                (*self._near(tokens[one.at]), *expected)
                if one.code == "unknown_word"
                else expected
                if one is stop
                else (),
            )
            for one in [*known, *unknown]
        )

    def _stops(self, tokens: Sequence[str]) -> list[Stop]:
        """Find the words that stop the reading, wherever they stand."""
        found: list[Stop] = []
        at = 0
        while at < len(tokens):
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

    def stuck(
        self, text: Turn, tokens: Sequence[str], terminals: Terminals, stuck: Stuck
    ) -> tuple[Reason, ...]:
        """Explain a word that cannot follow what stands before it."""
        places = text.places(tokens)
        expected = self._expected(stuck.state)
        if not terminals.types:
            return (self._plain("empty", text, 0, len(text.typed), expected),)
        if stuck.at >= len(terminals.types):
            last = terminals.ends[-1] - 1
            end = text.typed_at(places[last] + len(tokens[last]))
            return (self._plain("unfinished", text, end, end, expected),)
        types = terminals.types[stuck.at]
        meanings = set(types) if types.__class__ is list else {types}
        code = "unexpected"
        if self._number["QUESTION"] in meanings:
            code = "question"
        elif meanings & self._verbs and stuck.at:
            code = "inverse"
        elif not any(
            self._verbs & (set(one) if one.__class__ is list else {one}) for one in terminals.types
        ):
            code = "no_verb"
        return (
            self._reason(
                code,
                text,
                tokens,
                places,
                terminals.starts[stuck.at],
                terminals.ends[stuck.at],
                expected,
            ),
        )

    def problem(
        self, text: Turn, tokens: Sequence[str], terminals: Terminals, problem: Problem
    ) -> tuple[Reason, ...]:
        """Explain a turn that the grammar takes and no tool does."""
        expected: tuple[str, ...] = ()
        if problem.detail == "phrase":
            expected = self._phrases(terminals)
        return (
            self._reason(
                problem.code,
                text,
                tokens,
                text.places(tokens),
                terminals.starts[problem.first],
                terminals.ends[problem.last],
                expected,
            ),
        )

    def no_verb(
        self, text: Turn, tokens: Sequence[str], terminals: Terminals
    ) -> tuple[Reason, ...]:
        """Explain a turn that only names things."""
        last = len(terminals.types) - 1
        return self.problem(text, tokens, terminals, Problem("no_verb", 0, last))

    def ambiguous(self, tools: Sequence[str], start: int, end: int) -> Reason:
        """Explain a turn that several tools can read."""
        message = REASONS["ambiguous"][self._language].format(tools=", ".join(tools))
        return Reason("ambiguous", message, start, end)

    def _phrases(self, terminals: Terminals) -> tuple[str, ...]:
        """Give the phrases that the turn's verbs have."""
        verbs = {
            verb
            for type_, payload in zip(terminals.types, terminals.payloads, strict=True)
            if type_.__class__ is int and type_ in self._verbs
            for verb in payload
        }
        found = [
            frame["phrase"]
            for frame in self._lexicon.frames
            if frame["phrase"].split(" ")[0].lower() in verbs
        ]
        return tuple(dict.fromkeys(found))[:_MOST_EXPECTED]

    def _expected_at(self, tokens: list[str], clock: Callable[[], Clock]) -> tuple[str, ...]:
        """Say what could follow these tokens, where they can be read so far."""
        terminals = lex([*tokens], self._lexicon.words, self._tables, clock)
        if isinstance(terminals, Stop):
            return ()
        chosen = recognize(
            terminals.types,
            [*terminals.payloads],
            self._grammar.steps,
            frozenset(range(len(self._grammar.steps))),
        )
        if isinstance(chosen, Stuck):
            return ()
        state = 0
        for type_ in chosen:
            state = self._grammar.steps[state].get(type_, state)
        return self._expected(state)

    def _expected(self, state: int) -> tuple[str, ...]:
        """Say in words what the automaton takes in a state."""
        row = self._grammar.steps[state]
        said = [
            EXPECTED[name][self._language]
            for name, number in self._number.items()
            if number in row and name in EXPECTED
        ]
        nouns = self._words_of({self._number["THING"], self._number["COMPLEMENT"]} & row.keys())
        verbs = self._first_phrases() if self._verbs & row.keys() else []
        end = [END_EXPECTED[self._language]] if state in self._grammar.final else []
        return tuple(dict.fromkeys([*verbs, *nouns, *said, *end]))[:_MOST_EXPECTED]

    def _first_phrases(self) -> list[str]:
        return list(dict.fromkeys(f"“{frame['phrase']}”" for frame in self._lexicon.frames))[:4]

    def _words_of(self, types: set[int]) -> list[str]:
        found: list[str] = []
        if types:
            for word, (type_, *_) in self._lexicon.words.items():
                meanings = type_ if type_.__class__ is list else [type_]
                if not types.isdisjoint(meanings):
                    found.append(word)
                    if len(found) == 4:
                        break
        return found

    def _near(self, word: str) -> tuple[str, ...]:
        """Give the known word that is nearest to an unknown one."""
        from difflib import get_close_matches

        if len(word) > 40 or not word.isalpha():
            return ()
        candidates = [
            known
            for known, (type_, *_) in self._lexicon.words.items()
            if type_ != UNREAD and type_ is not None and abs(len(known) - len(word)) < 3
        ]
        return tuple(get_close_matches(word, candidates[:5000], n=1, cutoff=0.75))

    def _reason(
        self,
        code: str,
        text: Turn,
        tokens: Sequence[str],
        places: Sequence[int],
        at: int,
        end: int,
        expected: tuple[str, ...],
    ) -> Reason:
        last = min(end, len(tokens)) - 1
        start = text.typed_at(places[at])
        stop = text.typed_at(places[last] + len(tokens[last]))
        return self._plain(code, text, start, stop, expected)

    def _plain(
        self, code: str, text: Turn, start: int, end: int, expected: tuple[str, ...]
    ) -> Reason:
        words = text.typed[start:end]
        if code in ("control_character", "other_script"):
            words = _describe(words)
        elif len(words) > 60:
            words = words[:57] + "…"
        words = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in words)
        message = REASONS[code][self._language].format(words=words)
        return Reason(code, message, start, end, expected)


def _character_code(token: str) -> str:
    """Tell an unknown word from a letter of another script and an invisible character."""
    if len(token) > 1:
        return "unknown_word"
    category = unicodedata.category(token)
    if category[0] == "C" or category in ("Zl", "Zp"):
        return "control_character"
    if not token.isascii() and (category[0] in "LNM"):
        return "other_script"
    return "unknown_word"


def _describe(characters: str) -> str:
    names: list[str] = []
    for character in characters[:1]:
        name = unicodedata.name(character, "")
        names.append(f"U+{ord(character):04X}" + (f" {name}" if name else ""))
    return ", ".join(names)


REASON_CODES: Mapping[str, Mapping[Language, str]] = REASONS
