"""The compiled grammars against their Lark files and Lark's own parser."""

import itertools
import json
from collections import deque
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Token
from lark.exceptions import UnexpectedInput

from stalwart_lang import Language, Vocabulary
from stalwart_lang.selector.compile import compile_lexicon
from stalwart_lang.selector.grammar import GRAMMARS, build_grammar, build_parser, load_grammar
from stalwart_lang.selector.lexer import Stop, Terminals, lex
from stalwart_lang.selector.lexer_tables import make_tables
from stalwart_lang.selector.lexicon import DROPPED, UNREAD
from stalwart_lang.selector.recognize import Stuck, recognize
from stalwart_lang.selector.values.reading import Clock
from stalwart_lang.words.text import prepare, tokenize

LANGUAGES: tuple[Language, ...] = ("en", "pt-BR")
CORPUS = Path(__file__).parent / "corpus"
MONDAY = Clock(datetime(2026, 11, 30, 9))


@cache
def parser(language: Language) -> Any:
    return build_parser(language)


@cache
def shop(language: Language) -> tuple[Any, Any]:
    lexicon = compile_lexicon(Vocabulary.load("shop"), language)
    tables = make_tables(
        load_grammar(language), language, [(kind, length) for kind, length in lexicon.codes]
    )
    return lexicon, tables


def lark_takes(language: Language, names: list[str]) -> bool:
    run = parser(language).parse_interactive([])
    try:
        for name in names:
            run.feed_token(Token(name, name))
        run.feed_eof()
    except UnexpectedInput:
        return False
    return True


def automaton_takes(language: Language, names: list[str]) -> bool:
    grammar = load_grammar(language)
    numbers = [grammar.terminals.index(name) for name in names]
    return not isinstance(
        recognize(numbers, [None] * len(numbers), grammar.steps, grammar.final), Stuck
    )


def terminals_of(turn: str, language: Language) -> Terminals | Stop:
    lexicon, tables = shop(language)
    return lex(tokenize(prepare(turn).low), lexicon.words, tables, lambda: MONDAY)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_kept_automaton_is_what_the_lark_files_come_to(language: Language) -> None:
    kept = json.loads(GRAMMARS.joinpath("automata.json").read_text(encoding="utf-8"))
    assert kept.keys() == set(LANGUAGES)
    assert kept[language] == json.loads(json.dumps(build_grammar(language))), (
        "run `python -m stalwart_lang.selector.grammar`"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_terminal_of_a_rule_can_be_used(language: Language) -> None:
    grammar = load_grammar(language)
    used = {terminal for row in grammar.steps for terminal in row}
    ruled = {
        terminal.name
        for rule in parser(language).rules
        for terminal in rule.expansion
        if terminal.is_term
    }
    assert {grammar.terminals[number] for number in used} == ruled


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_is_reached_and_leads_to_an_end(language: Language) -> None:
    steps, final = load_grammar(language).steps, load_grammar(language).final
    reached, waiting = {0}, [0]
    while waiting:
        for after in steps[waiting.pop()].values():
            if after not in reached:
                reached.add(after)
                waiting.append(after)
    assert reached == set(range(len(steps)))
    ending = set(final)
    while True:
        more = {at for at, row in enumerate(steps) if not ending.isdisjoint(row.values())} - ending
        if not more:
            break
        ending |= more
    assert ending == reached


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_automaton_takes_next_what_lark_takes_next(language: Language) -> None:
    """In every state of the automaton, by the shortest way there, both accept the same words."""
    grammar = load_grammar(language)
    ways: dict[int, list[str]] = {0: []}
    waiting = deque([0])
    while waiting:
        at = waiting.popleft()
        for terminal, after in grammar.steps[at].items():
            if after not in ways:
                ways[after] = [*ways[at], grammar.terminals[terminal]]
                waiting.append(after)
    for state, way in ways.items():
        run = parser(language).parse_interactive([])
        for name in way:
            run.feed_token(Token(name, name))
        expected = {grammar.terminals[terminal] for terminal in grammar.steps[state]}
        if state in grammar.final:
            expected.add("$END")
        assert run.accepts() == expected, way


@st.composite
def sequences(draw: st.DrawFn, language: Language) -> list[str]:
    """A walk through the automaton that may stray from it once."""
    grammar = load_grammar(language)
    state = 0
    names: list[str] = []
    stray = draw(st.integers(0, 40))
    for at in range(draw(st.integers(0, 25))):
        row = grammar.steps[state]
        if at == stray or not row:
            names.append(draw(st.sampled_from(grammar.terminals)))
            state = row.get(grammar.terminals.index(names[-1]), state)
        else:
            terminal = draw(st.sampled_from(sorted(row)))
            names.append(grammar.terminals[terminal])
            state = row[terminal]
    return names


@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data())
def test_lark_and_the_automaton_agree(language: Language, data: st.DataObject) -> None:
    names = data.draw(
        sequences(language)
        | st.lists(st.sampled_from(load_grammar(language).terminals), max_size=6)
    )
    assert automaton_takes(language, names) == lark_takes(language, names), names


@pytest.mark.parametrize(("file", "language"), [("shop_en", "en"), ("shop_pt_BR", "pt-BR")])
def test_lark_and_the_automaton_agree_on_the_corpus(file: str, language: Language) -> None:
    """Of a turn whose words have several meanings, every choice of them is held against Lark."""
    grammar = load_grammar(language)
    taken = refused = 0
    for line in (CORPUS / f"{file}.jsonl").read_text(encoding="utf-8").splitlines():
        turn = json.loads(line)["turn"]
        terminals = terminals_of(turn, language)
        if isinstance(terminals, Stop):
            continue
        payloads = [*terminals.payloads]
        found = recognize(terminals.types, payloads, grammar.steps, grammar.final)
        if not isinstance(found, Stuck):
            names = [grammar.terminals[number] for number in found if number != DROPPED]
            assert lark_takes(language, names), (turn, names)
            taken += 1
            continue
        meanings = [one if isinstance(one, list) else [one] for one in terminals.types]
        for choice in itertools.islice(itertools.product(*meanings), 64):
            names = [grammar.terminals[number] for number in choice if number != DROPPED]
            assert not lark_takes(language, names), (turn, names)
        refused += 1
    assert taken > 300
    assert refused > 15


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_grammar_is_known_by_its_terminal(language: Language) -> None:
    """A word listed under a terminal is lexed as it, as unread, or as what it also means."""
    grammar = load_grammar(language)
    lexicon, _ = shop(language)
    unknown = []
    for name, groups in grammar.words.items():
        assert groups, name
        for group in groups:
            entry, rest = lexicon.words.get(group[0]), list(group[1:])
            while entry is not None and rest:
                entry = (entry[2] or {}).get(rest.pop(0))
            types = entry[0] if entry is not None else None
            its = types if isinstance(types, list) else [types]
            if name in ("POLITE", "OPENING", "CLOSING", "AFTER_VERB"):
                known = DROPPED in its
            elif name.startswith("UNREAD_"):
                known = types is not None
            elif name.startswith("LABEL_"):
                known = grammar.terminals.index("LABEL") in its
            else:
                known = grammar.terminals.index(name) in its
            if not known and UNREAD not in its:
                unknown.append((name, " ".join(group), its))
    assert unknown == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_negations_always_stop_a_turn(language: Language) -> None:
    grammar = load_grammar(language)
    for group in grammar.words["UNREAD_NEGATION"]:
        stopped = terminals_of(" ".join(group), language)
        assert isinstance(stopped, Stop), group
        assert stopped.code == "negation", group


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_is_listed_under_a_terminal_once(language: Language) -> None:
    for name, groups in load_grammar(language).words.items():
        assert len(set(groups)) == len(groups), name
