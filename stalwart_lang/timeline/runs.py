"""Spans gathered into the runs they belong to, each a tree."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from stalwart_lang.timeline.kinds import kind_of, title_of
from stalwart_lang.timeline.records import Span
from stalwart_lang.tracing import attributes as names


@dataclass(frozen=True, slots=True)
class Node:
    """A span and those below it, in the order in which they started."""

    span: Span
    children: tuple["Node", ...]


@dataclass(frozen=True)
class Run:
    """The spans of one trace, in the order in which they started.

    `stored` tells that they were made from a store, which keeps no durations.
    """

    trace_id: str
    spans: tuple[Span, ...]
    stored: bool = False

    @cached_property
    def roots(self) -> tuple[Node, ...]:
        """The trees of the run: spans without a parent, and those whose parent is not recorded.

        Of spans that name each other as parents, the first to start is a root.
        """
        return _trees(self.spans)

    @cached_property
    def name(self) -> str:
        """What its root is called."""
        return title_of(self.roots[0].span)

    @cached_property
    def thread(self) -> str | None:
        """The conversation it belongs to, where a span of it tells."""
        for span in self.spans:
            if isinstance(found := span.attributes.get(names.CONVERSATION_ID), str):
                return found
        return None

    @property
    def start(self) -> datetime:
        """When its first span started, in UTC."""
        return self.spans[0].start

    @cached_property
    def duration_ms(self) -> float:
        """Milliseconds from its first start to its last known moment."""
        first = self.start
        return max(
            (span.start - first) / timedelta(milliseconds=1) + (span.duration_ms or 0)
            for span in self.spans
        )

    @cached_property
    def outcome(self) -> str:
        """Return `open` (a span never ended), `failed`, `waiting` (for a person) or `completed`.

        A run failed where a root of it did, or where it was rolled back; an error below that its
        agent went on after is not the run's.
        """
        if any(span.open for span in self.spans):
            return "open"
        kinds = [kind_of(span) for span in self.spans]
        if "rollback" in kinds or any(root.span.failed for root in self.roots):
            return "failed"
        waits = [kind for kind in kinds if kind in ("interrupt", "resume")]
        return "waiting" if waits and waits[-1] == "interrupt" else "completed"


def gather_runs(spans: Iterable[Span]) -> list[Run]:
    """Gather spans by trace, in the order in which the traces first appear.

    A span's start and its end become one; a span that never ended stays open.
    """
    traces: dict[str, dict[str, Span]] = {}
    for span in spans:
        known = traces.setdefault(span.trace_id, {})
        if not (span.open and span.span_id in known):
            known[span.span_id] = span
    return [make_run(trace_id, known.values()) for trace_id, known in traces.items()]


def make_run(trace_id: str, spans: Iterable[Span]) -> Run:
    """Make a run of the spans of one trace, each given once."""
    return Run(trace_id, tuple(sorted(spans, key=lambda span: span.start)))


def walk(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield the nodes and all those below them, parents first."""
    waiting = list(nodes)[::-1]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def _trees(spans: tuple[Span, ...]) -> tuple[Node, ...]:
    known = {span.span_id for span in spans}
    children: dict[str, list[Span]] = {}
    roots: list[Span] = []
    for span in spans:
        parent = span.parent_id
        if parent is not None and parent in known:
            children.setdefault(parent, []).append(span)
        else:
            roots.append(span)
    reached: set[str] = set()
    order: list[Span] = []
    for root in (*roots, *spans):
        if root.span_id in reached:
            continue
        if (
            root.parent_id is not None and root.parent_id in known
        ):  # it is in a circle: nothing above led to it
            children[root.parent_id].remove(root)
            roots.append(root)
        reached.add(root.span_id)
        below = [root]
        for span in below:  # grows as it goes
            new = children.get(span.span_id, [])
            reached.update(child.span_id for child in new)
            below += new
        order += below
    made: dict[str, Node] = {}
    for span in reversed(order):
        under = tuple(made[child.span_id] for child in children.get(span.span_id, ()))
        made[span.span_id] = Node(span, under)
    return tuple(made[root.span_id] for root in roots)
