"""Read turns in one language: text to tokens, terminals, steps, and a plan."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from stalwart_lang.selector.assign import Assigner, Bound
from stalwart_lang.selector.calls import make_arguments, make_calls, make_missing
from stalwart_lang.selector.explain import Explainer
from stalwart_lang.selector.grammar import load_grammar
from stalwart_lang.selector.languages import DEFAULT_CURRENCY
from stalwart_lang.selector.lexer import Terminals, lex
from stalwart_lang.selector.lexer_tables import make_tables
from stalwart_lang.selector.plan import Call, LanguageSource, Missing, Plan, Reason
from stalwart_lang.selector.recognize import Stuck, recognize
from stalwart_lang.selector.scanned import Scanned
from stalwart_lang.selector.steps import Problem, Step, cut_steps, make_roles
from stalwart_lang.selector.store import Compiled
from stalwart_lang.selector.values.reading import Clock
from stalwart_lang.vocabulary.model import Language
from stalwart_lang.words.text import cut, prepare

_MOST_RETRIES = 6
_MOST_READINGS = 20


class Reader:
    """Reads turns in one language with one compiled vocabulary."""

    def __init__(self, compiled: Compiled, language: Language) -> None:
        currency = compiled.currency.get(language, DEFAULT_CURRENCY[language])
        self._language = language
        self._lexicon = compiled.lexicons[language]
        self._grammar = load_grammar(language)
        codes = [(kind, length) for kind, length in self._lexicon.codes]
        self._tables = make_tables(self._grammar, language, codes, currency, self._lexicon.units)
        self._roles = make_roles(self._grammar, language)
        self._assigner = Assigner(self._lexicon, currency)
        self._explainer = Explainer(self._lexicon, self._grammar, self._tables, language)

    def read(
        self,
        turn: str,
        source: LanguageSource,
        clock: Callable[[], Clock],
        pending: Plan | None,
    ) -> Plan:
        """Read a turn, or an answer to the question of a `pending` plan.

        What is unread leaves the question open: the plan keeps what the pending one had.
        """
        plan = self._read(turn, source, clock, pending)
        if plan.verdict == "unread" and pending is not None and pending.missing:
            return replace(plan, missing=pending.missing, partial=pending.partial)
        return plan

    def _read(
        self,
        turn: str,
        source: LanguageSource,
        clock: Callable[[], Clock],
        pending: Plan | None,
    ) -> Plan:
        text = prepare(turn)
        pieces = cut(text.low)
        tokens = pieces[1::2]
        terminals = lex(tokens, self._lexicon.words, self._tables, clock)
        if not isinstance(terminals, Terminals):
            scanned = Scanned(text, pieces, tokens, Terminals([], [], [], []))
            return self._unread(source, self._explainer.stopped(scanned, terminals, clock))
        scanned = Scanned(text, pieces, tokens, terminals)
        found = self._understand(scanned, terminals)
        if isinstance(found, list):
            return self._planned(scanned, found, source)
        if isinstance(found, Stuck):
            return self._unread(source, self._explainer.stuck(scanned, found))
        # A word with several meanings was perhaps taken for the wrong one.
        for other in _other_meanings(terminals):
            again = self._understand(scanned, other)
            if isinstance(again, list):
                return self._planned(scanned, again, source)
        if isinstance(found, Problem):
            return self._unread(source, self._explainer.problem(scanned, found))
        if pending is None or not pending.missing:
            return self._unread(source, self._explainer.no_verb(scanned))
        return self._answer(scanned, found, source, pending)

    def _understand(
        self, scanned: Scanned, terminals: Terminals
    ) -> list[list[Bound]] | Step | Problem | Stuck:
        """Give the readings of a turn's steps; the one step of an answer, which has no verb."""
        payloads = [*terminals.payloads]
        chosen = recognize(terminals.types, payloads, self._grammar.steps, self._grammar.final)
        if not isinstance(chosen, list):
            return chosen
        steps = cut_steps(chosen, payloads, scanned.words, self._roles)
        if not isinstance(steps, list):
            return steps
        if not steps[0].verbs:
            return steps[0]
        return self._assigner.assign(steps)

    def _unread(self, source: LanguageSource, reasons: tuple[Reason, ...]) -> Plan:
        return Plan("unread", self._language, source, reasons=reasons)

    def _planned(
        self, scanned: Scanned, readings: list[list[Bound]], source: LanguageSource
    ) -> Plan:
        """Make the plan of a turn whose every step has its tool."""
        calls: list[Call] = []
        missing: list[Missing] = []
        for reading in readings:
            if len(reading) > 1:
                return self._ambiguous(scanned, reading, source)
            bound = reading[0]
            made = make_calls(bound, scanned)
            if bound.missing:
                for number in range(len(calls), len(calls) + len(made)):
                    missing += make_missing(bound, number)
            calls += made
        if missing:
            return self._incomplete(tuple(calls), tuple(missing), source)
        if len(calls) > 1 and (repeated := _repeated(calls)) is not None:
            return self._unread(source, (self._explainer.repeated(scanned, repeated),))
        return Plan("read", self._language, source, tuple(calls))

    def _incomplete(
        self,
        calls: tuple[Call, ...],
        missing: tuple[Missing, ...],
        source: LanguageSource,
        span: tuple[int, int] | None = None,
    ) -> Plan:
        """Ask for what is missing; at `span` of the turn, or where each call was read."""
        reasons = tuple(
            Reason(
                "missing_argument",
                one.question,
                *(span or (calls[one.call].start, calls[one.call].end)),
            )
            for one in missing
        )
        return Plan(
            "incomplete", self._language, source, reasons=reasons, missing=missing, partial=calls
        )

    def _ambiguous(self, scanned: Scanned, reading: list[Bound], source: LanguageSource) -> Plan:
        """List what a step that is not clear can be read as."""
        readings = tuple(tuple(make_calls(bound, scanned)) for bound in reading[:_MOST_READINGS])
        reason = self._explainer.ambiguous(readings)
        return Plan("ambiguous", self._language, source, reasons=(reason,), readings=readings)

    def _answer(self, scanned: Scanned, step: Step, source: LanguageSource, pending: Plan) -> Plan:
        """Fill the first open question of an incomplete plan from a turn without a verb."""
        asked = pending.partial[pending.missing[0].call]
        frame = self._explainer.frame_of(asked.rule)
        if frame is None:
            return self._unread(source, self._explainer.no_verb(scanned))
        slots = self._lexicon.frames[frame]["slots"]
        given = [number for number, slot in enumerate(slots) if slot["name"] in asked.arguments]
        values = self._assigner.answer(frame, step, given)
        if isinstance(values, Problem):
            return self._unread(source, self._explainer.problem(scanned, values))
        made = make_arguments(slots, values, scanned)
        if len(made) != 1:
            problem = Problem("number_mismatch", 0, len(scanned.terminals.types) - 1)
            return self._unread(source, self._explainer.problem(scanned, problem))
        order = [slot["name"] for slot in slots]
        filled = [
            call for call in pending.partial if (call.rule, call.start) == (asked.rule, asked.start)
        ]
        if len(filled) > 1 and self._assigner.shares_amount(frame, values):
            problem = Problem("shared_amount", 0, len(scanned.terminals.types) - 1)
            return self._unread(source, self._explainer.problem(scanned, problem))
        calls = tuple(
            # The calls of one list of ids are asked about once.
            _filled(call, made[0], order)
            if (call.rule, call.start) == (asked.rule, asked.start)
            else call
            for call in pending.partial
        )
        missing = tuple(
            one for one in pending.missing if one.argument not in calls[one.call].arguments
        )
        if missing:
            return self._incomplete(calls, missing, source, (0, len(scanned.text.typed)))
        if self._assigner.twins_equal(frame, calls):
            problem = Problem("repeated_argument", 0, len(scanned.terminals.types) - 1)
            return self._unread(source, self._explainer.problem(scanned, problem))
        if _repeated(calls) is not None:
            problem = Problem("repeated_call", 0, len(scanned.terminals.types) - 1)
            return self._unread(source, self._explainer.problem(scanned, problem))
        return Plan("read", self._language, source, calls=calls)


def _repeated(calls: Sequence[Call]) -> Call | None:
    """Find a call that asks again for what one before it asks: a slip, or a stammer."""
    if len({call.tool for call in calls}) == len(calls):
        return None
    seen: set[tuple[str, str]] = set()
    for call in calls:
        key = (call.tool, repr(call.arguments))
        if key in seen:
            return call
        seen.add(key)
    return None


def _filled(call: Call, given: dict[str, object], order: list[str]) -> Call:
    arguments = {**call.arguments, **given}
    return replace(call, arguments={name: arguments[name] for name in order if name in arguments})


def _other_meanings(terminals: Terminals) -> Iterator[Terminals]:
    """Give a turn's terminals with the other meaning of a word first, then of two words."""
    several = [at for at, one in enumerate(terminals.types) if one.__class__ is list]
    several = several[-_MOST_RETRIES:]
    one_turned = [
        [(at, meaning)] for at in several for meaning in range(1, len(terminals.types[at]))
    ]
    two_turned = [[(one, -1), (other, -1)] for one, other in combinations(several, 2)]
    for turned in one_turned + two_turned:
        types, payloads = [*terminals.types], [*terminals.payloads]
        for at, meaning in turned:
            types[at] = [types[at][meaning], *types[at]]
            payloads[at] = [payloads[at][meaning], *payloads[at]]
        yield Terminals(types, payloads, terminals.starts, terminals.ends)
