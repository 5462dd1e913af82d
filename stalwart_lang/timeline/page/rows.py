"""A run's waterfall: one row a span, with what it decided, its bar, and its details within."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from markupsafe import Markup

from stalwart_lang.timeline.kinds import Kind, kind_of, title_of
from stalwart_lang.timeline.page.axis import Axis, length_ms, make_axis, offset_ms
from stalwart_lang.timeline.page.details import Details, Line, details_of
from stalwart_lang.timeline.page.escaping import as_text, shown
from stalwart_lang.timeline.page.folding import Fold, Place, folded
from stalwart_lang.timeline.page.story import Story, error_of
from stalwart_lang.timeline.page.strings import Words, counted, duration, number
from stalwart_lang.timeline.records import Span
from stalwart_lang.tracing import attributes as names

Tone: TypeAlias = Literal["good", "ask", "bad", "open", "plain"]

DEEPEST = 12
"""Rows further below a root are indented no further; their depth is said."""

_SHORT = 120
_LEAST_BAR, _LATE = 0.5, 88.0


@dataclass(frozen=True, slots=True)
class Badge:
    """A word in a colour, with a shape of its own beside it."""

    tone: Tone
    shape: str
    word: Markup
    said: Markup | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A span; `x` and `width` place its bar, in percent."""

    id: str
    depth: int
    deeper: str
    kind: Kind
    kind_word: str
    title: Markup
    note: Markup
    badge: Badge | None
    x: str
    width: str
    tone: str
    starts: str
    takes: str
    violation: str
    details: Details


@dataclass(frozen=True, slots=True)
class FoldedRows:
    """Rows that are shown when asked for; its bar is the time that they span."""

    depth: int
    label: str
    tally: Markup
    badge: Badge | None
    x: str
    width: str
    takes: str
    rows: Iterator[Row]
    left_out: str


@dataclass(frozen=True, slots=True)
class Waterfall:
    """The rows of a run with its time axis.

    A tick is its place in percent and its label, empty where there is no room for it; a cut is its
    place, its width, and what it leaves out.
    """

    ticks: tuple[tuple[str, str], ...]
    cuts: tuple[tuple[str, str, str], ...]
    items: Iterator[Row | FoldedRows]
    long: bool


@dataclass(frozen=True, slots=True)
class Rung:
    """A step of the undo chain: the call, what undid it, and how that went."""

    order: str
    call: Markup
    call_id: str
    undo: Markup
    undo_id: str
    badge: Badge


def waterfall(
    story: Story, ids: Mapping[str, str], words: Words, limit: int, longest: int
) -> Waterfall:
    """Lay out the rows of a run; `ids` are the page's, by span id."""
    run = story.run
    axis = make_axis(run)
    noteworthy = _noteworthy(story)
    places = list(folded(run, noteworthy, limit))
    maker = _RowMaker(story, ids, words, axis, longest, _links(story, ids, words))
    return Waterfall(
        tuple(
            (_percent(tick.x), duration(tick.milliseconds, words) if tick.x < _LATE else "")
            for tick in axis.ticks
        ),
        tuple(
            (
                _percent(cut.x),
                _percent(cut.width),
                words.gap.format(duration=duration(cut.milliseconds, words)),
            )
            for cut in axis.cuts
        ),
        maker.items(places),
        any(isinstance(place, Fold) for place in places),
    )


def rungs(story: Story, ids: Mapping[str, str], words: Words, limit: int) -> list[Rung]:
    """Return the chain of a run that was undone, from what failed down to the first call."""
    if not story.undos:
        return []
    chain = []
    if (cause := story.cause) is not None:
        error = error_of(cause)
        failed = Badge("bad", "failed", Markup(words.failed), _name(error) if error else None)
        chain.append(Rung("", _name(title_of(cause)), ids[cause.span_id], Markup(), "", failed))
    for order, undo in enumerate(story.undos[:limit], 1):
        if undo.call is not None:
            call, call_id = _name(title_of(undo.call)), ids[undo.call.span_id]
        else:
            step = undo.span.attributes.get(names.UNDOES)
            known = words.undoes_step.format(step=as_text(step)[:20]) if step is not None else "—"
            call, call_id = shown(known), ""
        badge = badge_of(undo.span, words)
        undo_id = ids[undo.span.span_id]
        title = _name(title_of(undo.span))
        assert badge is not None  # an undo has one whatever became of it
        chain.append(Rung(number(order, words), call, call_id, title, undo_id, badge))
    return chain


def badge_of(span: Span, words: Words) -> Badge | None:
    """Return what a span decided or how it ended, where that is worth a word."""
    kind = kind_of(span)
    if span.open:
        return Badge("open", "open", Markup(words.open))
    if span.failed:
        error = error_of(span)
        return Badge("bad", "failed", Markup(words.failed), _name(error) if error else None)
    outcome = span.attributes.get(names.OUTCOME)
    if kind in ("check", "undo") and isinstance(outcome, str):
        word = shown(words.decisions.get(outcome, outcome[:_SHORT]))
        if outcome == "refuse":
            return Badge("bad", "refuse", word, _why(span))
        if outcome == "confirm":
            return Badge("ask", "confirm", word, _why(span))
        if kind == "check":
            return Badge("good" if outcome == "allow" else "plain", "allow", word)
    if kind == "undo":
        return Badge("good", "undone", Markup(words.undone))
    verdict = span.attributes.get(names.VERDICT)
    if kind == "plan" and isinstance(verdict, str):
        word = shown(words.verdicts.get(verdict, verdict[:_SHORT]))
        if verdict == "read":
            return Badge("good", "allow", word)
        return Badge("ask", "refuse" if verdict == "unread" else "confirm", word, _reasons(span))
    return None


class _RowMaker:
    """What every row of a run is made with."""

    def __init__(
        self,
        story: Story,
        ids: Mapping[str, str],
        words: Words,
        axis: Axis,
        longest: int,
        links: Mapping[str, Sequence[Line]],
    ) -> None:
        self._story = story
        self._ids = ids
        self._words = words
        self._axis = axis
        self._longest = longest
        self._links = links
        self._undone = story.undone
        self._first_violation = next(iter(story.violations), None)

    def items(self, places: Sequence[Place | Fold]) -> Iterator[Row | FoldedRows]:
        for place in places:
            if isinstance(place, Place):
                yield self._row(place)
                continue
            yield self._folded(place)

    def _folded(self, fold: Fold) -> FoldedRows:
        words, run = self._words, self._story.run
        spans = [place.span for place in fold.places]
        kept = fold.places[: len(spans) - fold.left_out]
        start = min(offset_ms(run, span) for span in spans)
        end = max(offset_ms(run, span) + length_ms(span) for span in spans)
        failed = sum(span.failed for span in spans)
        x, width = self._bar(start, end)
        return FoldedRows(
            depth=min(fold.places[0].depth, DEEPEST),
            label=counted(words.folded, len(spans), words),
            tally=_tally(spans),
            badge=Badge("bad", "failed", Markup(f"{words.failed} ×{number(failed, words)}"))
            if failed
            else None,
            x=x,
            width=width,
            takes=duration(end - start, words),
            rows=map(self._row, kept),
            left_out=counted(words.left_out, fold.left_out, words) if fold.left_out else "",
        )

    def _bar(self, start: float, end: float | None) -> tuple[str, str]:
        left = self._axis.at(start)
        right = 100.0 if end is None else self._axis.at(end)
        return _percent(min(left, 100.0 - _LEAST_BAR)), _percent(max(right - left, _LEAST_BAR))

    def _row(self, place: Place) -> Row:
        span, words, story = place.span, self._words, self._story
        kind = kind_of(span)
        start = offset_ms(story.run, span)
        x, width = self._bar(start, None if span.open else start + length_ms(span))
        badge = badge_of(span, words)
        if badge is None and span.span_id in self._undone:
            badge = Badge("plain", "undone", Markup(words.undone))
        violation = story.violations.get(span.span_id)
        known = span.duration_ms is not None
        takes = "" if span.open else duration(length_ms(span), words) if known else "—"
        said = words.no_end if span.open else words.starts if known else words.is_at
        starts = duration(start, words)
        return Row(
            id=self._ids[span.span_id],
            depth=min(place.depth, DEEPEST),
            deeper=f"↳{place.depth} " if place.depth > DEEPEST else "",
            kind=kind,
            kind_word=words.kind(kind),
            title=_title(span, kind),
            note=_note(span, kind, words),
            badge=badge,
            x=x,
            width=width,
            tone=badge.tone if badge is not None and badge.tone in ("bad", "open") else "",
            starts=said.format(start=starts, duration=takes),
            takes=takes,
            violation=""
            if violation is None
            else (
                f"<<< {words.first_violation.upper()}"
                if span.span_id == self._first_violation
                else f"<<< {words.violation}"
            ),
            details=details_of(
                span, words, self._links.get(span.span_id, ()), violation, self._longest
            ),
        )


def _links(story: Story, ids: Mapping[str, str], words: Words) -> dict[str, list[Line]]:
    """Return, by span id, the lines that tie an undo to the call it undid, and back."""
    links: dict[str, list[Line]] = {}
    for undo in story.undos:
        own = links.setdefault(undo.span.span_id, [])
        if undo.call is None:
            continue
        own.append(Line(words.undoes, _link(ids[undo.call.span_id], title_of(undo.call))))
        back = Line(words.undone_by, _link(ids[undo.span.span_id], title_of(undo.span)))
        links.setdefault(undo.call.span_id, []).append(back)
    return links


def _link(target: str, text: str) -> Markup:
    return Markup('<a href="#{}">{}</a>').format(target, _name(text))


def _noteworthy(story: Story) -> Collection[str]:
    found = {span.span_id for span in story.failures} | set(story.violations)
    found |= {undo.call.span_id for undo in story.undos if undo.call is not None}
    for span in story.run.spans:
        refused = span.attributes.get(names.OUTCOME) == "refuse"
        if refused or span.open or kind_of(span) in ("undo", "rollback", "rewind", "interrupt"):
            found.add(span.span_id)
    return found


def _title(span: Span, kind: Kind) -> Markup:
    title = title_of(span)
    if title == span.name and kind in ("plan", "rollback", "rewind", "interrupt", "resume"):
        return Markup()  # the word for its kind says it
    return _name(title)


def _note(span: Span, kind: Kind, words: Words) -> Markup:
    held = span.attributes
    said: list[Markup] = []
    if kind == "node" and isinstance(step := held.get(names.STEP), int):
        said.append(Markup.escape(f"{words.step.lower()} {number(step, words)}"))
    elif kind == "model":
        model = held.get(names.REQUEST_MODEL)
        if isinstance(model, str) and model != title_of(span):
            said.append(_name(model))
        counts = [held.get(names.INPUT_TOKENS), held.get(names.OUTPUT_TOKENS)]
        if all(isinstance(count, int) for count in counts):
            into, out = (number(int(count or 0), words) for count in counts)
            said.append(Markup.escape(f"{into} → {out}"))
    elif kind == "plan":
        rules = held.get(names.RULES)
        if isinstance(rules, list):
            said += [_name(as_text(rule)) for rule in rules[:4]]
    elif kind == "interrupt":
        if isinstance(wanted := held.get(names.WAITS_FOR), str):
            said.append(Markup("[{}]").format(_name(wanted)))
    elif kind == "resume" and isinstance(answer := held.get(names.ANSWER), str):
        said.append(_name(answer))
    elif kind == "rewind" and isinstance(step := held.get(names.TO_STEP), int):
        said.append(Markup.escape(f"→ {number(step, words)}"))
    elif kind == "undo" and isinstance(step := held.get(names.UNDOES), int):
        said.append(Markup.escape(f"↩ {words.undoes_step.format(step=number(step, words))}"))
    return Markup(" · ").join(said)


def _why(span: Span) -> Markup:
    rule = span.attributes.get(names.RULE)
    chips = _label_chips(span)
    if isinstance(rule, str) and rule:
        chips.insert(0, _name(rule))
    return Markup(" ").join(chips) if chips else _reasons(span)


def _label_chips(span: Span) -> list[Markup]:
    labels = span.attributes.get(names.LABELS)
    if not isinstance(labels, list):
        return []
    return [Markup("[{}]").format(_name(as_text(label))) for label in labels[:4]]


def _reasons(span: Span) -> Markup:
    reasons = span.attributes.get(names.REASONS)
    if not isinstance(reasons, list):
        return Markup()
    return Markup(", ").join(_name(as_text(reason)) for reason in reasons[:3])


def _tally(spans: Sequence[Span]) -> Markup:
    """Say what comes most often in a fold or, where nothing comes twice, its first and last."""
    counts = Counter(map(title_of, spans))
    most = [(title, count) for title, count in counts.most_common(4) if count > 1]
    if not most:
        ends = [title_of(spans[0]), title_of(spans[-1])][: len(spans)]
        return Markup(" … ").join(map(_name, ends))
    said = [Markup("{} ×{}").format(_name(title), count) for title, count in most]
    return Markup(", ").join([*said, Markup("…")] if len(counts) > len(most) else said)


def _name(text: str) -> Markup:
    return shown(text if len(text) <= _SHORT else text[: _SHORT - 1] + "…")


def _percent(place: float) -> str:
    return f"{place:.2f}".rstrip("0").rstrip(".") + "%"
