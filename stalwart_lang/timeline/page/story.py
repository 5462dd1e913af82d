"""What happened in a run: its figures, what failed, what was undone, and one sentence of it all."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from stalwart_lang.timeline.kinds import kind_of, title_of
from stalwart_lang.timeline.page.escaping import as_text, shown
from stalwart_lang.timeline.page.strings import Words, counted
from stalwart_lang.timeline.records import Span
from stalwart_lang.timeline.runs import Run
from stalwart_lang.timeline.stats.figures import RunFigures, run_figures
from stalwart_lang.tracing import attributes as names

VIOLATION = "stalwart.violation"
"""The attribute of a step that broke the run's state: which rule of it."""

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Undo:
    """An undo that ran, and the call it undid, where that is recorded."""

    span: Span
    call: Span | None

    @property
    def step(self) -> int | None:
        """The step of the history that it undoes."""
        step = self.span.attributes.get(names.UNDOES)
        return step if isinstance(step, int) else None


@dataclass(frozen=True, slots=True)
class Story:
    """A run understood: `failures` are the failed spans with none below, in order of start."""

    run: Run
    figures: RunFigures
    failures: tuple[Span, ...]
    undos: tuple[Undo, ...]
    violations: Mapping[str, str]

    @property
    def undone(self) -> frozenset[str]:
        """The ids of the calls that were undone."""
        return frozenset(
            undo.call.span_id
            for undo in self.undos
            if undo.call is not None and not undo.span.failed and not undo.span.open
        )

    @property
    def cause(self) -> Span | None:
        """What made the run fail: the last failure before it was undone, or before it ended."""
        if self.run.outcome != "failed":
            return None
        began = [span.start for span in self.run.spans if kind_of(span) == "rollback"]
        before = [
            span
            for span in self.failures
            if kind_of(span) != "undo" and (not began or span.start <= began[0])
        ]
        risen = {error_of(root.span) for root in self.run.roots if root.span.failed}
        same = [span for span in before if error_of(span) in risen]
        return next(reversed(same or before), None)


def understand(run: Run, violations: Mapping[str, str]) -> Story:
    """Gather what a run's page says of it; `violations` are by span id, beside those recorded."""
    failures = tuple(_failures(run.spans))
    broken = {
        span.span_id: violations.get(span.span_id) or as_text(span.attributes[VIOLATION])
        for span in run.spans
        if span.span_id in violations or VIOLATION in span.attributes
    }
    return Story(run, run_figures(run), failures, tuple(_undos(run)), broken)


def error_of(span: Span) -> str | None:
    """Return the type of a failed span's error, where it is recorded."""
    if span.error is not None:
        return span.error.type
    found = span.attributes.get(names.ERROR_TYPE)
    return found if isinstance(found, str) else None


def sentence(story: Story, words: Words, ids: Mapping[str, str] | None = None) -> Markup:
    """Say in one sentence what happened; steps are links where `ids` (by span id) has them."""
    run, ids = story.run, ids or {}
    parts: list[Markup] = []
    if story.violations:
        first = next(iter(story.violations.values()))
        parts.append(_filled(words.broken, what=_name(first)))
    if run.outcome == "open":
        parts.append(_filled(words.was_open, name=_step_name(_last_open(run), ids)))
    elif run.outcome == "waiting":
        parts.append(_waiting(run, words, ids))
    elif run.outcome == "failed":
        parts += _failed(story, words, ids)
    else:
        parts += _completed(story, words, ids)
    first, *rest = parts or [Markup(words.finished)]
    return (
        Markup("; ").join([_begun(first, str.upper), *(_begun(part, str.lower) for part in rest)])
        + "."
    )


def _failed(story: Story, words: Words, ids: Mapping[str, str]) -> Iterator[Markup]:
    cause = story.cause
    if cause is None or kind_of(cause) == "run":
        whole = cause or next(
            (root.span for root in story.run.roots if root.span.failed), story.run.roots[0].span
        )
        yield _it_failed(whole, words, _linked(Markup(words.the_run), whole, ids))
    else:
        yield _it_failed(cause, words, _step_name(cause, ids))
    # A call that is undone twice, the second time with success, is undone.
    done = [undo for undo in story.undos if not undo.span.failed and not undo.span.open]
    calls = {id(undo.call) for undo in done if undo.call is not None}
    broken = [
        undo
        for undo in story.undos
        if undo.span.failed and (undo.call is None or id(undo.call) not in calls)
    ]
    told = [undo.call for undo in done if undo.call is not None]
    untold = [undo.span for undo in done if undo.call is None]
    if told:
        listed = _listed([_step_name(call, ids) for call in told], words)
        yield _filled(words.were_undone[0 if len(told) == 1 else 1], names=listed)
    if untold:
        listed = _listed([_step_name(span, ids) for span in untold], words)
        yield _filled(words.undone_with, names=listed)
    if not (done or broken) and any(kind_of(span) == "rollback" for span in story.run.spans):
        yield Markup(words.nothing_undone)
    for undo in broken[:_NAMED]:
        template = words.it_failed if undo.call is None else words.undo_failed
        yield _filled(template, name=_step_name(undo.call or undo.span, ids))


def _completed(story: Story, words: Words, ids: Mapping[str, str]) -> Iterator[Markup]:
    run = story.run
    refused = [
        span
        for span in run.spans
        if kind_of(span) == "check" and span.attributes.get(names.OUTCOME) == "refuse"
    ]
    plans = [span.attributes.get(names.VERDICT) for span in run.spans if span.name == names.PLAN]
    if refused:
        yield _filled(words.refused, name=_listed([_refusal(span, ids) for span in refused], words))
    elif plans and plans[-1] in ("unread", "incomplete", "ambiguous"):
        yield Markup(words.unread)
    if story.failures:
        named = [_it_failed(span, words, _step_name(span, ids)) for span in story.failures]
        yield _filled(words.finished_after, what=_listed(named, words))
    elif not refused and not (plans and plans[-1] != "read"):
        yield Markup(words.finished)
    for span in run.spans:
        step = span.attributes.get(names.TO_STEP)
        if kind_of(span) == "rewind" and isinstance(step, int):
            yield _filled(words.rewound, step=Markup(step))


def _waiting(run: Run, words: Words, ids: Mapping[str, str]) -> Markup:
    pause = next(span for span in reversed(run.spans) if kind_of(span) == "interrupt")
    if isinstance(pause.attributes.get(names.TOOL_NAME), str):
        return _filled(words.waiting_for, name=_step_name(pause, ids))
    return Markup(words.waiting)


def _refusal(span: Span, ids: Mapping[str, str]) -> Markup:
    rule = span.attributes.get(names.RULE)
    name = _step_name(span, ids)
    return Markup("{} ({})").format(name, _name(rule)) if isinstance(rule, str) else name


def _it_failed(span: Span, words: Words, name: Markup) -> Markup:
    if (error := error_of(span)) is None:
        return _filled(words.it_failed, name=name)
    return _filled(words.it_failed_with, name=name, error=_name(error))


def _step_name(span: Span, ids: Mapping[str, str]) -> Markup:
    return _linked(_name(title_of(span)), span, ids)


def _linked(name: Markup, span: Span, ids: Mapping[str, str]) -> Markup:
    if span.span_id not in ids:
        return name
    return Markup('<a href="#{}">{}</a>').format(ids[span.span_id], name)


def _name(text: str) -> Markup:
    return Markup("<b>{}</b>").format(shown(text if len(text) <= 80 else text[:79] + "…"))


def _listed(parts: Sequence[Markup], words: Words) -> Markup:
    if len(parts) > _NAMED:
        more = counted(words.names_left_out, len(parts) - _NAMED, words)
        parts = [*parts[:_NAMED], Markup(more)]
    if len(parts) == 1:
        return parts[0]
    return Markup("{}{}{}").format(Markup(", ").join(parts[:-1]), words.also, parts[-1])


def _filled(template: str, **parts: Markup) -> Markup:
    return Markup(template).format(**parts)


def _begun(said: Markup, case: Callable[[str], str]) -> Markup:
    """Give a phrase of ours its first letter; one that begins with a name stays as it is."""
    if said.startswith("<b"):
        return said
    if said.startswith("<a"):
        start = said.index(">") + 1
        return said[:start] + _begun(said[start:], case)
    return Markup(case(said[:1]) + said[1:])


def _last_open(run: Run) -> Span:
    """Return the innermost span that never ended, the last to start."""
    above = {span.parent_id for span in run.spans if span.open}
    inner = [span for span in run.spans if span.open and span.span_id not in above]
    return (inner or [span for span in run.spans if span.open])[-1]


def _failures(spans: Iterable[Span]) -> Iterator[Span]:
    known = {span.span_id: span for span in spans}
    above: set[str] = set()
    for span in known.values():
        parent = span.parent_id if span.failed else None
        while parent is not None and parent in known and parent not in above:
            above.add(parent)
            parent = known[parent].parent_id
    return (span for span in known.values() if span.failed and span.span_id not in above)


def _undos(run: Run) -> Iterator[Undo]:
    """Pair each undo with the call it undid: the last one before it that says it is that step.

    A step of the history is no step of the graph, so a node's number tells nothing of it.
    """
    calls: dict[int, list[Span]] = {}
    undos = []
    for span in run.spans:
        kind, step = kind_of(span), span.attributes.get(names.STEP)
        if kind == "undo":
            undos.append(span)
        elif kind == "tool" and isinstance(step, int) and not span.failed:
            calls.setdefault(step, []).append(span)
    for undo in undos:
        step = undo.attributes.get(names.UNDOES)
        known = calls.get(step, []) if isinstance(step, int) else []
        yield Undo(undo, next((span for span in known[::-1] if span.start <= undo.start), None))
