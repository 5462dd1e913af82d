"""Lint: what is allowed in a vocabulary and would surprise its author.

Every check is a function of a vocabulary that gives warnings; `CHECKS` has them all. What needs
the compiled automata, such as the overlap of tools, is no part of it: the selector's own lint
gives the same kind of diagnostics.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from stalwart_lang.diagnostics import Diagnostic
from stalwart_lang.vocabulary.lint_rules import (
    comparisons_that_do_not_fit,
    orders_never_kept,
    rules_never_firing,
    shadowed_rules,
)
from stalwart_lang.vocabulary.lint_undo import undo_lacking_arguments, undo_undone
from stalwart_lang.vocabulary.lint_words import (
    arguments_alike,
    readable_in_one_language,
    words_alike,
)
from stalwart_lang.vocabulary.model import Vocabulary

CHECKS: tuple[Callable[[Vocabulary], Iterator[Diagnostic]], ...] = (
    readable_in_one_language,
    words_alike,
    arguments_alike,
    undo_undone,
    undo_lacking_arguments,
    orders_never_kept,
    rules_never_firing,
    shadowed_rules,
    comparisons_that_do_not_fit,
)


def lint(vocabulary: Vocabulary) -> tuple[Diagnostic, ...]:
    """All warnings about a vocabulary, in the order of its files."""
    return in_order(vocabulary, chain.from_iterable(check(vocabulary) for check in CHECKS))


def in_order(vocabulary: Vocabulary, found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort diagnostics by file, as `vocabulary.files` has them, and place."""
    order = {name: number for number, name in enumerate(vocabulary.files)}
    return tuple(
        sorted(
            found,
            key=lambda d: (
                order.get(d.location.file, 0),
                d.location.line,
                d.location.column,
                d.code,
                d.message,
            ),
        )
    )
