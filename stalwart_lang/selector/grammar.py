"""A language's grammar: its words, and the automaton that its Lark rules come to.

The rules are flat and left-recursive, so the stacks of their LALR(1) parser are few. Every stack
that can occur is one state of a finite automaton, made once from the tables that Lark builds:
reading a token is then one look-up. `grammars/automata.json` holds the result, so that Lark is
imported only to make it again (`python -m stalwart_lang.selector.grammar`); a test compares both.
"""

import json
from ast import literal_eval
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from stalwart_lang.vocabulary.model import LANGUAGES, Language
from stalwart_lang.words.text import tokenize

if TYPE_CHECKING:
    from lark import Lark, Tree

GRAMMARS = files("stalwart_lang.grammars")
_FILES: Mapping[Language, str] = {"en": "en.lark", "pt-BR": "pt_BR.lark"}
_MOST_STATES = 20_000


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language's terminals, words and automaton.

    `steps[state][terminal]` is the next state; a turn is grammatical when it ends in a state of
    `final`. `words` holds, by terminal, the words and word groups the grammar lists, each cut into
    tokens.
    """

    terminals: tuple[str, ...]
    words: Mapping[str, tuple[tuple[str, ...], ...]]
    steps: tuple[Mapping[int, int], ...]
    final: frozenset[int]


@cache
def load_grammar(language: Language) -> Grammar:
    """Load the compiled grammar of `language`."""
    made = json.loads(GRAMMARS.joinpath("automata.json").read_text(encoding="utf-8"))[language]
    return Grammar(
        terminals=tuple(made["terminals"]),
        words={
            name: tuple(tuple(group) for group in groups) for name, groups in made["words"].items()
        },
        steps=tuple(
            {int(terminal): state for terminal, state in row.items()} for row in made["steps"]
        ),
        final=frozenset(made["final"]),
    )


def build_grammar(language: Language) -> dict[str, Any]:
    """Make the compiled form of a language's grammar from its Lark file, as plain data.

    Raises `lark.exceptions.GrammarError` where the rules are ambiguous for LALR(1), and ValueError
    where they nest, so that no finite automaton can hold them.
    """
    words = _words(language)
    parser = build_parser(language)
    table = parser.parser.parser._parse_table
    names = sorted(
        {terminal for row in table.states.values() for terminal in row if terminal.isupper()}
        | words.keys()
    )
    names.remove("$END") if "$END" in names else None
    number = {name: i for i, name in enumerate(names)}
    start: tuple[int, ...] = (table.start_states["start"],)
    seen = {start: 0}
    steps: list[dict[int, int]] = []
    final: list[int] = []
    waiting = deque([start])
    while waiting:
        stack = waiting.popleft()
        if _advance(table, stack, "$END") is not None:
            final.append(seen[stack])
        row: dict[int, int] = {}
        for name in names:
            following = _advance(table, stack, name)
            if following is None:
                continue
            if following not in seen:
                seen[following] = len(seen)
                waiting.append(following)
            row[number[name]] = seen[following]
        steps.append(row)
        if len(seen) > _MOST_STATES:
            raise ValueError(
                f"the rules of {_FILES[language]} nest: no finite automaton holds them"
            )
    steps, final = _minimal(steps, final)
    return {"terminals": names, "words": words, "steps": steps, "final": final}


def build_parser(language: Language) -> "Lark":
    """Build Lark's own LALR(1) parser of a language's rules; it takes terminals, not text."""
    from lark import Lark, Token
    from lark.lexer import Lexer

    class Terminals(Lexer):
        """Passes a list of terminal names on."""

        def __init__(self, conf: Any) -> None:
            pass

        def lex(self, lexer_state: Any, _parser_state: Any) -> Any:
            for name in lexer_state:
                yield Token(name, name)

        __future_interface__ = 0

    return Lark(
        GRAMMARS.joinpath(_FILES[language]).read_text(encoding="utf-8"),
        parser="lalr",
        lexer=Terminals,
        strict=True,
        import_paths=[str(GRAMMARS)],
        source_path=str(GRAMMARS.joinpath(_FILES[language])),
    )


def _advance(table: Any, stack: tuple[int, ...], terminal: str) -> tuple[int, ...] | None:
    """Give the stack after `terminal`, or None where it cannot come next."""
    states = list(stack)
    while True:
        action = table.states[states[-1]].get(terminal)
        if action is None:
            return None
        kind, argument = action
        if kind.name == "Shift":
            states.append(argument)
            if terminal == "$END":
                return ()
            return tuple(states)
        size = len(argument.expansion)
        if size:
            del states[-size:]
        if states[-1] in table.end_states.values() and terminal == "$END":
            return ()
        states.append(table.states[states[-1]][argument.origin.name][1])
        if terminal == "$END" and states[-1] in table.end_states.values():
            return ()


def _minimal(
    steps: list[dict[int, int]], final: list[int]
) -> tuple[list[dict[int, int]], list[int]]:
    """Merge the states that no continuation tells apart (Moore's algorithm)."""
    last = set(final)
    group = [1 if state in last else 0 for state in range(len(steps))]
    while True:
        keys = [
            (group[state], tuple(sorted((t, group[after]) for t, after in row.items())))
            for state, row in enumerate(steps)
        ]
        numbers: dict[Any, int] = {}
        finer = [numbers.setdefault(key, len(numbers)) for key in keys]
        if finer == group:
            break
        group = finer
    kept: dict[int, int] = {}
    for state, its in enumerate(group):
        kept.setdefault(its, state)
    merged = [
        {terminal: group[after] for terminal, after in steps[kept[its]].items()}
        for its in sorted(kept)
    ]
    return merged, sorted({group[state] for state in last})


def _words(language: Language) -> dict[str, list[list[str]]]:
    """Read the words of a grammar's terminals out of its Lark files."""
    from lark.load_grammar import load_grammar as load_lark

    path = GRAMMARS.joinpath(_FILES[language])
    load: Any = load_lark
    grammar, _ = load(path.read_text(encoding="utf-8"), str(path), [str(GRAMMARS)], False)
    found: dict[str, list[list[str]]] = {}
    for name, (tree, _priority) in grammar.term_defs:
        if tree is not None:
            found[str(name)] = [tokenize(word) for word in _literals(tree)]
    return found


def _literals(tree: "Tree[Any]") -> list[str]:
    from lark import Token, Tree

    found: list[str] = []
    for child in tree.children:
        if isinstance(child, Tree):
            found.extend(_literals(child))
        elif isinstance(child, Token) and child.type == "STRING":
            found.append(literal_eval(child))
        else:
            raise ValueError(f"a terminal lists words, and this is none: {child!r}")
    return found


def main() -> None:
    """Write `grammars/automata.json`."""
    from pathlib import Path

    made = {language: build_grammar(language) for language in LANGUAGES}
    lines = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    Path(str(GRAMMARS.joinpath("automata.json"))).write_text(lines + "\n", encoding="utf-8")
    for language, grammar in made.items():
        print(f"{language}: {len(grammar['terminals'])} terminals, {len(grammar['steps'])} states")


if __name__ == "__main__":
    main()
