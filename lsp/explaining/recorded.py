"""What recorded traces tell of a rule, a tool or a phrase, in words."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from stalwart_lang.lsp.documents import uri_of
from stalwart_lang.lsp.explaining.words import Words
from stalwart_lang.lsp.markup import Markup
from stalwart_lang.lsp.traces.words import words_of

if TYPE_CHECKING:
    from stalwart_lang.lsp.traces.index import Counts, Decision, Decisions

_SHOWN = 5
_OUTCOMES = ("allow", "confirm", "refuse", "read", "incomplete", "ambiguous", "unread")


def counts_of(counts: "Counts") -> str:
    """The counts that are not zero: `allow 41 · confirm 12 · refuse 3`."""
    known = ((name, getattr(counts, name)) for name in _OUTCOMES)
    return " · ".join(f"{name} {count}" for name, count in known if count)


def decisions_told(
    decisions: "Decisions", title: str, markup: Markup, words: Words, language: str
) -> Iterator[str]:
    """Blocks with the counts and the latest decisions; one that says so where there are none."""
    if not decisions:
        yield words.no_decisions
        return
    yield f"{markup.strong(title)}: {counts_of(decisions.counts)}"
    yield markup.items(_line(one, markup, words, language) for one in decisions.latest[:_SHOWN])


def _line(decision: "Decision", markup: Markup, words: Words, language: str) -> str:
    of_traces = words_of(language)
    time = f"{decision.time:%Y-%m-%d %H:%M:%S} UTC"
    place = f"{uri_of(decision.path)}#L{decision.line + 1}"
    name = markup.code(f"{Path(decision.path).name}:{decision.line + 1}")
    parts = [f"{time} {markup.strong(decision.outcome)}"]
    if decision.thread:
        parts.append(of_traces.thread.format(name=markup.code(decision.thread)))
    if decision.decided_by:
        parts.append(words.by.format(step=markup.code(decision.decided_by)))
    if decision.rule:
        parts.append(f"{of_traces.rule.lower()} {markup.code(decision.rule)}")
    if decision.reasons:
        reasons = "; ".join(map(markup.code, decision.reasons))
        parts.append(f"{of_traces.reasons.lower()}: {reasons}")
    if decision.labels:
        labels = ", ".join(map(markup.code, decision.labels))
        parts.append(f"{of_traces.labels.lower()}: {labels}")
    parts.append(markup.link(name, place))
    return ", ".join(parts)
