"""Reading the records of a JSON-lines trace, one line at a time.

A reader meets files of other versions and files that a crash cut short: fields and types of record
that it does not know are passed over, and a line that is no record is told as such.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Span:
    """A span as recorded; `open` where only its start is known.

    `start` is in UTC. `error` is the type of the error, or None. `attributes` are as written.
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    start: datetime
    open: bool
    error: str | None
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Damage:
    """A line (counted from 1) that holds no record, and why."""

    line: int
    reason: str


def read_spans(lines: Iterable[bytes]) -> Iterator[Span | Damage]:
    """Yield what each line holds: a span at its start or at its end, or what is wrong with it.

    Blank lines and records of unknown types yield nothing.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            cut = not line.endswith(b"\n")
            yield Damage(number, "the last line is cut short" if cut else "it is not JSON")
            continue
        if not isinstance(record, dict):
            yield Damage(number, "it is not an object")
        elif record.get("type") in ("start", "span"):
            try:
                yield _span(record)
            except ValueError as error:
                yield Damage(number, str(error))


def _span(record: Mapping[str, Any]) -> Span:
    parent, error = record.get("parent_id"), record.get("error")
    if not (parent is None or isinstance(parent, str)):
        raise ValueError("its parent_id is neither text nor null")
    start = datetime.fromisoformat(_text(record, "start"))
    attributes = record.get("attributes", {})
    if not isinstance(attributes, dict):
        raise ValueError("its attributes are not an object")
    return Span(
        trace_id=_text(record, "trace_id"),
        span_id=_text(record, "span_id"),
        parent_id=parent,
        name=_text(record, "name"),
        start=start.astimezone(UTC) if start.tzinfo else start.replace(tzinfo=UTC),
        open=record["type"] == "start",
        error=_text(error, "type") if isinstance(error, dict) else None,
        attributes=attributes,
    )


def _text(record: Mapping[str, Any], field: str) -> str:
    value = record.get(field)
    if not isinstance(value, str):
        raise ValueError(f"it has no {field}")
    return value
