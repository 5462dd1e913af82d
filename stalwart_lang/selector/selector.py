"""The selector: a person's turn becomes a typed plan, or a reason why not."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from stalwart_lang.selector.assign import Assigner, AsTyped, Bound
from stalwart_lang.selector.explain import Explainer
from stalwart_lang.selector.grammar import Grammar, load_grammar
from stalwart_lang.selector.languages import DEFAULT_CURRENCY
from stalwart_lang.selector.lexer import LexerTables, Stop, Terminals, lex, make_tables
from stalwart_lang.selector.lexicon import Lexicon
from stalwart_lang.selector.plan import Call, LanguageSource, Missing, Plan, Reason
from stalwart_lang.selector.recognize import Stuck, recognize
from stalwart_lang.selector.steps import Problem, Roles, Step, cut_steps, make_roles
from stalwart_lang.selector.store import Compiled, compile_vocabulary, load_compiled
from stalwart_lang.selector.text import Turn, prepare, tokenize
from stalwart_lang.selector.values.reading import Clock
from stalwart_lang.vocabulary.model import LANGUAGES, Language, Vocabulary

if TYPE_CHECKING:
    from stalwart_lang.tracing import Tracer

_MOST_RETRIES = 6


class Selector:
    """Reads turns with one vocabulary.

    Safe to share between threads: reading changes nothing but caches. `console_language` is the
    language that the console is set to read, for turns whose request names none.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        tracer: "Tracer | None" = None,
        console_language: Language | None = None,
    ) -> None:
        self._start(compile_vocabulary(vocabulary), tracer, console_language)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        tracer: "Tracer | None" = None,
        console_language: Language | None = None,
    ) -> "Selector":
        """Make a selector from a vocabulary's path or a shipped one's name.

        The compiled form is kept in the user's cache folder, by content and version.
        Raises `VocabularyError` where the vocabulary has errors, OSError where it cannot be read.
        """
        selector = cls.__new__(cls)
        selector._start(load_compiled(path), tracer, console_language)
        return selector

    def _start(
        self, compiled: Compiled, tracer: "Tracer | None", console_language: Language | None
    ) -> None:
        if console_language is not None:
            _check_language(console_language)
        self.name = compiled.name
        self.digest = compiled.digest
        self._compiled = compiled
        self._tracer = tracer
        self._console_language = console_language
        self._zone: tzinfo = ZoneInfo(compiled.timezone or "UTC")
        self._readers: dict[Language, _Reader] = {}

    def plan(
        self,
        turn: str,
        language: Language | None = None,
        now: str | datetime | None = None,
        pending: Plan | None = None,
    ) -> Plan:
        """Read `turn`.

        `language` is the request's; without it the console's setting, the vocabulary's
        `settings.language` or English is used. Relative dates are reckoned from `now` (ISO 8601
        text or a datetime; one without an offset is in the vocabulary's time zone), the current
        time by default. `pending`, an incomplete plan, is filled from the turn where the turn
        answers its question.

        Raises ValueError where `language` is not one of `en` and `pt-BR` or `now` is no time.
        """
        chosen, source = self._language(language)
        if self._tracer is None:
            return self._plan(turn, chosen, source, now, pending)
        from stalwart_lang.tracing.spans import plan_span

        with plan_span(self._tracer, turn) as span:
            plan = self._plan(turn, chosen, source, now, pending)
            span.planned(plan, self.name, self.digest)
        return plan

    def _plan(
        self,
        turn: str,
        language: Language,
        source: LanguageSource,
        now: str | datetime | None,
        pending: Plan | None,
    ) -> Plan:
        clock = _clock(now, self._zone)
        return self._reader(language).read(turn, source, clock, pending)

    def _language(self, requested: Language | None) -> tuple[Language, LanguageSource]:
        if requested is not None:
            return _check_language(requested), "request"
        if self._console_language is not None:
            return self._console_language, "console"
        if self._compiled.language is not None:
            return self._compiled.language, "vocabulary"
        return "en", "default"

    def _reader(self, language: Language) -> "_Reader":
        reader = self._readers.get(language)
        if reader is None:
            reader = self._readers[language] = _Reader(self._compiled, language)
        return reader


def _check_language(language: str) -> Language:
    for known in LANGUAGES:
        if language == known:
            return known
    raise ValueError(f"language is {language!r}; it must be one of {', '.join(LANGUAGES)}")


def _clock(now: str | datetime | None, zone: tzinfo) -> Callable[[], Clock]:
    """Give a function that makes the clock where a turn needs it; a bad `now` is told at once."""
    if isinstance(now, str):
        try:
            now = datetime.fromisoformat(now)
        except ValueError:
            raise ValueError(
                f"now is {now!r}; it must be an ISO 8601 time such as 2027-03-03T09:00:00-03:00"
            ) from None

    made: list[Clock] = []

    def make() -> Clock:
        if not made:
            if now is None:
                made.append(Clock(datetime.now(zone)))
            else:
                made.append(Clock(now.astimezone(zone) if now.tzinfo else now.replace(tzinfo=zone)))
        return made[0]

    return make


class _Reader:
    """Reads turns in one language."""

    def __init__(self, compiled: Compiled, language: Language) -> None:
        self.language = language
        self.lexicon: Lexicon = compiled.lexicons[language]
        self.grammar: Grammar = load_grammar(language)
        currency = compiled.currency.get(language, DEFAULT_CURRENCY[language])
        self.tables: LexerTables = make_tables(
            self.grammar,
            language,
            [(kind, length) for kind, length in self.lexicon.codes],
            currency,
        )
        self.roles: Roles = make_roles(self.grammar, language)
        self.assigner = Assigner(
            self.lexicon,
            language,
            currency,
        )
        self.explainer = Explainer(self.lexicon, self.grammar, self.tables, language)

    def read(
        self,
        turn: str,
        source: LanguageSource,
        clock: Callable[[], Clock],
        pending: Plan | None,
    ) -> Plan:
        text = prepare(turn)
        tokens = tokenize(text.low)
        terminals = lex(tokens, self.lexicon.words, self.tables, clock)
        if isinstance(terminals, Stop):
            return self._unread(source, self.explainer.stopped(text, tokens, terminals, clock))
        found = self._understand(tokens, terminals)
        if found.__class__ is Problem:
            # A word with several meanings was perhaps taken for the wrong one.
            for other in _other_meanings(terminals):
                again = self._understand(tokens, other)
                if again.__class__ is list:
                    found = again
                    break
        if isinstance(found, Stuck):
            return self._unread(source, self.explainer.stuck(text, tokens, terminals, found))
        if isinstance(found, Problem):
            return self._unread(source, self.explainer.problem(text, tokens, terminals, found))
        if isinstance(found, Step):
            if pending is None or pending.verdict != "incomplete":
                return self._unread(source, self.explainer.no_verb(text, tokens, terminals))
            return self._answer(text, tokens, terminals, found, source, pending)
        return self._planned(text, tokens, terminals, found, source)

    def _understand(
        self, tokens: Sequence[str], terminals: Terminals
    ) -> list[list[Bound]] | Step | Problem | Stuck:
        """Give the readings of a turn's steps; the one step of an answer, which has no verb."""
        payloads = [*terminals.payloads]
        chosen = recognize(terminals.types, payloads, self.grammar.steps, self.grammar.final)
        if isinstance(chosen, Stuck):
            return chosen

        def words(at: int) -> str:
            return " ".join(tokens[terminals.starts[at] : terminals.ends[at]])

        steps = cut_steps(chosen, payloads, words, self.roles)
        if isinstance(steps, Problem):
            return steps
        if not steps[0].verbs:
            return steps[0]
        return self.assigner.assign(steps)

    def _unread(self, source: LanguageSource, reasons: tuple[Reason, ...]) -> Plan:
        return Plan("unread", self.language, source, reasons=reasons)

    def _planned(
        self,
        text: Turn,
        tokens: Sequence[str],
        terminals: Terminals,
        readings: list[list[Bound]],
        source: LanguageSource,
    ) -> Plan:
        """Make the plan of a turn whose every step has its tool."""
        places = text.places(tokens)
        calls: list[Call] = []
        missing: list[Missing] = []
        several = False
        for reading in readings:
            bound = reading[0]
            several = several or len(reading) > 1
            frame = self.lexicon.frames[bound.frame]
            for arguments in self._arguments(bound, text, tokens, terminals, places):
                if bound.missing:
                    missing += _missing(frame, bound, len(calls))
                calls.append(_call(frame, arguments, bound.step, text, tokens, terminals, places))
        if several:
            return self._ambiguous(text, tokens, terminals, readings, source)
        if missing:
            return self._incomplete(tuple(calls), tuple(missing), source)
        return Plan("read", self.language, source, calls=tuple(calls))

    def _arguments(
        self,
        bound: Bound,
        text: Turn,
        tokens: Sequence[str],
        terminals: Terminals,
        places: Sequence[int],
    ) -> list[dict[str, Any]]:
        """Give the arguments of each call a step comes to: one for each id of a list."""
        slots = self.lexicon.frames[bound.frame]["slots"]
        made: dict[str, Any] = {}
        listed = ""
        values = bound.values
        for number, slot in enumerate(slots):
            if number in values:
                value = values[number]
                name = slot["name"]
                if value.__class__ is list:
                    made[name] = value[0]
                    if len(value) > 1:
                        listed, ids = name, value
                elif value.__class__ is AsTyped:
                    made[name] = _as_typed(value.at, text, tokens, terminals, places)
                else:
                    made[name] = value
        return [{**made, listed: one} for one in ids] if listed else [made]

    def _incomplete(
        self, calls: tuple[Call, ...], missing: tuple[Missing, ...], source: LanguageSource
    ) -> Plan:
        reasons = tuple(
            Reason("missing_argument", one.question, calls[one.call].start, calls[one.call].end)
            for one in missing
        )
        return Plan(
            "incomplete", self.language, source, reasons=reasons, missing=missing, partial=calls
        )

    def _ambiguous(
        self,
        text: Turn,
        tokens: Sequence[str],
        terminals: Terminals,
        readings: list[list[Bound]],
        source: LanguageSource,
    ) -> Plan:
        """List the readings of the first step that has several."""
        several = next(reading for reading in readings if len(reading) > 1)
        places = text.places(tokens)
        listed: list[tuple[Call, ...]] = []
        for bound in several:
            frame = self.lexicon.frames[bound.frame]
            listed.append(
                tuple(
                    _call(frame, arguments, bound.step, text, tokens, terminals, places)
                    for arguments in self._arguments(bound, text, tokens, terminals, places)
                )
            )
        reason = self.explainer.ambiguous(
            [reading[0].tool for reading in listed], listed[0][0].start, listed[0][0].end
        )
        return Plan("ambiguous", self.language, source, reasons=(reason,), readings=tuple(listed))

    def _answer(
        self,
        text: Turn,
        tokens: Sequence[str],
        terminals: Terminals,
        step: Step,
        source: LanguageSource,
        pending: Plan,
    ) -> Plan:
        """Fill the first open question of an incomplete plan from a turn without a verb."""
        first = pending.missing[0]
        asked = pending.partial[first.call]
        frame = self.explainer.frame_of(asked.rule)
        if frame is None:
            return self._unread(source, self.explainer.no_verb(text, tokens, terminals))
        slots = self.lexicon.frames[frame]["slots"]
        given = [number for number, slot in enumerate(slots) if slot["name"] in asked.arguments]
        values = self.assigner.answer(frame, step, given)
        if isinstance(values, Problem):
            return self._unread(source, self.explainer.problem(text, tokens, terminals, values))
        made = self._arguments(
            Bound(frame, step, values), text, tokens, terminals, text.places(tokens)
        )
        if len(made) != 1:
            return self._unread(
                source,
                self.explainer.problem(
                    text, tokens, terminals, Problem("number_mismatch", step.first, step.last)
                ),
            )
        calls: list[Call] = []
        missing: list[Missing] = []
        for number, call in enumerate(pending.partial):
            if call.rule == asked.rule and call.start == asked.start:
                merged = {**call.arguments, **made[0]}
                ordered = {
                    slot["name"]: merged[slot["name"]] for slot in slots if slot["name"] in merged
                }
                call = replace(call, arguments=ordered)
            calls.append(call)
            missing += [
                one
                for one in pending.missing
                if one.call == number and one.argument not in call.arguments
            ]
        if missing:
            return self._incomplete(tuple(calls), tuple(missing), source)
        return Plan("read", self.language, source, calls=tuple(calls))


def _other_meanings(terminals: Terminals) -> Iterator[Terminals]:
    """Give a turn's terminals with the other meaning of a word first, a word at a time."""
    several = [at for at, one in enumerate(terminals.types) if one.__class__ is list]
    for at in several[-_MOST_RETRIES:]:
        types, payloads = [*terminals.types], [*terminals.payloads]
        types[at], payloads[at] = types[at][::-1], payloads[at][::-1]
        yield Terminals(types, payloads, terminals.starts, terminals.ends)


def _call(
    frame: Mapping[str, Any],
    arguments: Mapping[str, Any],
    step: Step,
    text: Turn,
    tokens: Sequence[str],
    terminals: Terminals,
    places: Sequence[int],
) -> Call:
    start = places[terminals.starts[step.first]]
    final = terminals.ends[step.last] - 1
    end = places[final] + len(tokens[final])
    if text.offsets is not None:
        start, end = text.offsets[start], text.offsets[end]
    return Call(frame["tool"], arguments, frame["rule"], frame["file"], frame["line"], start, end)


def _missing(frame: Mapping[str, Any], bound: Bound, call: int) -> list[Missing]:
    slots = map(frame["slots"].__getitem__, bound.missing)
    return [Missing(call, frame["tool"], slot["name"], slot["ask"]) for slot in slots]


def _as_typed(
    at: int,
    text: Turn,
    tokens: Sequence[str],
    terminals: Terminals,
    places: Sequence[int],
) -> str:
    """Give the text of a terminal as typed; of a quotation, what stands between the quotes."""
    token = terminals.starts[at]
    start = places[token]
    end = start + len(tokens[token])
    if tokens[token][0] in "\"'“«‘":
        start, end = start + 1, end - 1
    return text.typed[text.typed_at(start) : text.typed_at(end)]
