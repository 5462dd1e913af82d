"""A trace as one HTML page that needs nothing else: no script, no request, no font.

`html_page` is the way in. story.py understands a run, axis.py and folding.py lay it out, rows.py
and details.py say what stands in it, escaping.py makes the text of others harmless, strings.py has
the words; page.html.j2 and page.css give it its shape.
"""

import base64
import hashlib
import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from stalwart_lang.terminal import printable
from stalwart_lang.timeline.page.details import moment
from stalwart_lang.timeline.page.escaping import as_text, shown
from stalwart_lang.timeline.page.rows import DEEPEST, Badge, Rung, Tone, Waterfall, rungs, waterfall
from stalwart_lang.timeline.page.story import sentence, understand
from stalwart_lang.timeline.page.strings import (
    LANGUAGES,
    WORDS,
    Language,
    Words,
    counted,
    duration,
    number,
)
from stalwart_lang.timeline.runs import Run
from stalwart_lang.timeline.stats.figures import RunFigures

__all__ = ["LANGUAGES", "ROWS", "Language", "html_page"]

ROWS = 10_000
"""A page has no more rows than this."""

_LISTED, _CHAIN = 1_000, 100
_PIECES = 2_000
"""Of the template's pieces, some ten characters each, so many are yielded as one."""
_CHARACTERS = 16_000_000
_LONGEST = (8_000, 2_000, 500, 200)
"""Values are cut to the first of these lengths at which all of them fit in `_CHARACTERS`."""

_BADGES: Mapping[str, tuple[Tone, str]] = {
    "completed": ("good", "allow"),
    "failed": ("bad", "failed"),
    "waiting": ("ask", "confirm"),
    "open": ("open", "open"),
}


@dataclass(frozen=True, slots=True)
class _Entry:
    """A run as the index lists it."""

    number: int
    id: str
    name: Markup
    badge: Badge
    sentence: Markup
    start: str
    duration: str
    spans: str
    errors: str


@dataclass(frozen=True, slots=True)
class _Section:
    """A run as it is shown."""

    entry: _Entry
    sentence: Markup
    trace_id: Markup
    thread: Markup | None
    figures: tuple[tuple[str, str, str], ...]
    chain: list[Rung]
    chain_left_out: str
    waterfall: Waterfall


def html_page(
    runs: Iterable[Run],
    *,
    language: Language = "en",
    title: str | None = None,
    violations: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Yield the page of `runs`, in pieces; joined and encoded as UTF-8 they are one document.

    `violations` tells what is wrong at a step, by span id, beside what the steps themselves
    record; the first of a run is marked as such. A page has at most `ROWS` rows: of many runs,
    those that did not complete are shown first and the others, once there is no more room, are
    only listed; of a longer run, what is left out is said in its place. Raises ValueError for a
    language that the page has no words in.
    """
    if language not in WORDS:
        raise ValueError(f"{language!r} is no language of the page; it has {', '.join(LANGUAGES)}")
    words = WORDS[language]
    broken = violations or {}
    chosen = _choose(runs, words, broken)
    longest = _longest(run for _, run in chosen.shown)
    name = chosen.entries[0].name.striptags() if chosen.total == 1 else ""
    heading = title or name or counted(words.runs, chosen.total, words)
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    page = _template().stream(
        words=words,
        title=printable(heading),
        style=Markup(style),
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        deepest=DEEPEST,
        single=chosen.total == 1,
        total=counted(words.runs, chosen.total, words),
        outcomes=[
            (_badge(outcome, words), number(count, words))
            for outcome, count in sorted(chosen.outcomes.items())
        ],
        entries=chosen.entries,
        shown={entry.number for entry, _ in chosen.shown},
        not_listed=counted(words.runs_not_listed, chosen.total - len(chosen.entries), words)
        if chosen.total > len(chosen.entries)
        else "",
        sections=(_section(entry, run, words, broken, longest) for entry, run in chosen.shown),
    )
    page.enable_buffering(_PIECES)
    yield from page


@dataclass(frozen=True, slots=True)
class _Chosen:
    total: int
    outcomes: Counter[str]
    entries: list[_Entry]
    shown: list[tuple[_Entry, Run]]


def _choose(runs: Iterable[Run], words: Words, broken: Mapping[str, str]) -> _Chosen:
    """Choose the runs to list and to show, holding no more of them than there is room for."""
    outcomes: Counter[str] = Counter()
    listed: list[tuple[bool, int, _Entry]] = []
    shown_runs: list[tuple[bool, int, _Entry, Run]] = []
    rows = total = 0
    for total, run in enumerate(runs, 1):
        outcomes[run.outcome] += 1
        entry = _entry(total, run, words, broken)
        # The smallest is the first to go: a run that completed, and of those the last.
        key = run.outcome != "completed", -total
        heapq.heappush(listed, (*key, entry))
        heapq.heappush(shown_runs, (*key, entry, run))
        rows += len(run.spans)
        while rows > ROWS and len(shown_runs) > 1:
            rows -= len(heapq.heappop(shown_runs)[3].spans)
        if len(listed) > _LISTED:
            heapq.heappop(listed)
    return _Chosen(
        total,
        outcomes,
        [entry for *_, entry in sorted(listed, key=lambda item: -item[1])],
        [(entry, run) for *_, entry, run in sorted(shown_runs, key=lambda item: -item[1])],
    )


def _entry(place: int, run: Run, words: Words, broken: Mapping[str, str]) -> _Entry:
    story = understand(run, broken)
    return _Entry(
        place,
        f"run-{place}",
        shown(run.name[:200]),
        _badge(run.outcome, words, story.figures),
        sentence(story, words),
        moment(run.start),
        duration(story.figures.wall_ms, words),
        counted(words.steps, len(run.spans), words),
        number(story.figures.errors, words),
    )


def _section(
    entry: _Entry, run: Run, words: Words, broken: Mapping[str, str], longest: int
) -> _Section:
    story = understand(run, broken)
    ids = {span.span_id: f"{entry.id}-{place}" for place, span in enumerate(run.spans)}
    left_out = len(story.undos) - _CHAIN
    return _Section(
        entry,
        sentence(story, words, ids),
        shown(run.trace_id[:100]),
        None if run.thread is None else shown(run.thread[:200]),
        _figures(entry, story.figures, words),
        rungs(story, ids, words, _CHAIN),
        counted(words.chain_left_out, left_out, words) if left_out > 0 else "",
        waterfall(story, ids, words, ROWS, longest),
    )


def _figures(entry: _Entry, figures: RunFigures, words: Words) -> tuple[tuple[str, str, str], ...]:
    """Return each figure's label, value and tone (`zero` where it is nothing)."""

    # Of an agent that records no steps they are its rounds.
    steps = words.figure_rounds if figures.steps == figures.rounds else words.figure_steps

    def toned(label: str, count: int, tone: str = "") -> tuple[str, str, str]:
        return label, number(count, words), tone if count else "zero"

    return (
        (words.duration, entry.duration, ""),
        toned(steps, figures.steps),
        toned(words.model_calls, figures.model_calls),
        toned(words.tool_calls, figures.tool_calls),
        toned(words.errors, figures.errors, "bad"),
        toned(words.tokens_in, figures.tokens_in),
        toned(words.tokens_out, figures.tokens_out),
        toned(words.confirmations, figures.asked, "ask"),
        toned(words.refusals, sum(figures.refusals.values()), "bad"),
    )


def _badge(outcome: str, words: Words, figures: RunFigures | None = None) -> Badge:
    """Return the outcome of a run: in another colour if it completed with errors or refusals."""
    tone, shape = _BADGES[outcome]
    if outcome == "completed" and figures is not None and (figures.errors or figures.refusals):
        tone = "ask"
    return Badge(tone, shape, Markup.escape(words.outcomes[outcome]))


def _longest(runs: Iterable[Run]) -> int:
    lengths: Sequence[int] = [
        len(value) if isinstance(value, str) else len(as_text(value))
        for run in runs
        for span in run.spans
        for held in (span.attributes, *(event.attributes for event in span.events))
        for value in held.values()
    ]
    return next(
        (
            longest
            for longest in _LONGEST
            if sum(min(length, longest) for length in lengths) <= _CHARACTERS
        ),
        _LONGEST[-1],
    )


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    source = files(__package__).joinpath("page.html.j2").read_text(encoding="utf-8")
    return environment.from_string(source)
