"""What recorded traces tell of a rule, a tool or a phrase, in words."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from stalwart_lang.lsp.documents import path_of, uri_of
from stalwart_lang.lsp.explaining.words import Words
from stalwart_lang.lsp.index.model import DocumentIndex, Kind, Occurrence
from stalwart_lang.lsp.markup import Markup
from stalwart_lang.lsp.steady import Placed
from stalwart_lang.lsp.traces.words import words_of

if TYPE_CHECKING:
    from stalwart_lang.lsp.traces.index import Counts, Decision, Decisions, TraceIndex

_SHOWN = 5
_OUTCOMES = ("allow", "confirm", "refuse", "read", "incomplete", "ambiguous", "unread")


def decided(index: DocumentIndex) -> Iterator[Placed[Occurrence]]:
    """The names of which decisions are recorded: rules and tools, and those that agents have."""
    names = index.references() if index.kind == "agent" else index.definitions()
    for one in names:
        if one.kind in ("rule", "tool"):
            yield Placed(one.start, one.end, one)


def decisions_of(traces: "TraceIndex", uri: str, kind: Kind, name: str) -> "Decisions":
    """What is recorded of a rule that is declared in a document, or of a tool."""
    return traces.of_rule(name, path_of(uri)) if kind == "rule" else traces.of_tool(name)


def counts_of(counts: "Counts") -> str:
    """The counts that are not zero: `allow 41 · confirm 12 · refuse 3`."""
    known = ((name, getattr(counts, name)) for name in _OUTCOMES)
    return " · ".join(f"{name} {count}" for name, count in known if count)


def last_of(decisions: "Decisions", words: Words) -> str:
    """The last decision in a few words: when it was, its outcome, in which conversation."""
    if not decisions.latest:
        return ""
    last = decisions.latest[0]
    said = words.last.format(time=moment(last.time), outcome=last.outcome)
    return said + (f", {in_thread(last, words, Markup(False))}" if last.thread else "")


def moment(time: datetime) -> str:
    """A time as it is shown."""
    return f"{time:%Y-%m-%d %H:%M:%S} UTC"


def in_thread(decision: "Decision", words: Words, markup: Markup) -> str:
    """The conversation that a decision was taken in."""
    return words_of(words.written_in).thread.format(name=markup.code(decision.thread))


def decisions_told(
    decisions: "Decisions", title: str, markup: Markup, words: Words
) -> Iterator[str]:
    """Blocks with the counts and the latest decisions; one that says so where there are none."""
    if not decisions:
        yield words.no_decisions
        return
    yield f"{markup.strong(title)}: {counts_of(decisions.counts)}"
    yield markup.items(_line(one, markup, words) for one in decisions.latest[:_SHOWN])


def _line(decision: "Decision", markup: Markup, words: Words) -> str:
    of_traces = words_of(words.written_in)
    place = f"{uri_of(decision.path)}#L{decision.line + 1}"
    name = markup.code(f"{Path(decision.path).name}:{decision.line + 1}")
    parts = [f"{moment(decision.time)} {markup.strong(decision.outcome)}"]
    if decision.thread:
        parts.append(in_thread(decision, words, markup))
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
