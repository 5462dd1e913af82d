"""A run as a timeline of plain text, one block a step."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from stalwart_lang.terminal import printable
from stalwart_lang.timeline.records import Span
from stalwart_lang.timeline.runs import Run
from stalwart_lang.tracing import attributes as names


def text_timeline(runs: Iterable[Run]) -> Iterator[str]:
    """Yield the lines of the timelines of `runs`, a blank line between two.

    Spans of a kind that this version does not know are left out. A character that a terminal would
    act on (a control character, a change of direction) is shown as its escape.
    """
    for index, run in enumerate(runs):
        if index:
            yield ""
        yield f"Run: trace {printable(run.trace_id)}"
        steps = [span for span in run.spans if span.name in _BLOCKS]
        for step, span in enumerate(steps):
            yield f"step {step}"
            for label, text in _BLOCKS[span.name](span):
                yield f"  {label:<9} {printable(text)}"


def _plan(span: Span) -> Iterator[tuple[str, str]]:
    held = span.attributes
    if isinstance(turn := held.get(names.TURN), str):
        yield "turn", turn
    if span.open:
        yield "plan", "open"
    elif span.error is not None:
        yield "plan", f"error {span.error}"
    else:
        said = [str(held.get(names.VERDICT, "?")), str(held.get(names.LANGUAGE, "?"))]
        if rules := _listed(held, names.RULES):
            said.append(rules)
        if reasons := _listed(held, names.REASONS):
            said.append(f"({reasons})")
        yield "plan", " ".join(said)


def _listed(held: Mapping[str, Any], name: str) -> str:
    value = held.get(name)
    return ", ".join(map(str, value)) if isinstance(value, list) else ""


_BLOCKS: Mapping[str, Callable[[Span], Iterator[tuple[str, str]]]] = {names.PLAN: _plan}
