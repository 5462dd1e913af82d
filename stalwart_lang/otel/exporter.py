"""An exporter around another that may fail or hang: nobody is slowed, and losses are told.

OpenTelemetry's own processors call an exporter and wait. With a dead collector the simple one
stops every span for the exporter's whole time-out, and the batching one fills up and drops.
"""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from enum import Enum, auto

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

__all__ = ["ReportingExporter"]

_log = logging.getLogger("stalwart_lang.tracing")


class _State(Enum):
    WORKING = auto()
    """Each export is waited for, so that a span that ended is exported."""
    LATE = auto()
    """An export takes long, or is a try after a failure: spans stand in line behind it."""
    FAILING = auto()
    """Spans are dropped until it is time to try again."""


class ReportingExporter(SpanExporter):
    """What `stalwart_lang.otel.reporting` returns."""

    def __init__(self, exporter: SpanExporter, *, wait: float, pause: float, capacity: int) -> None:
        self._exporter = exporter
        self._wait = wait
        self._pause = pause
        self._capacity = capacity
        self._line = _Line(self._work)

    @property
    def dropped(self) -> int:
        """How many spans this process has lost."""
        return self._here().dropped

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export `spans`, or have them wait their turn; FAILURE if they are dropped."""
        line = self._here()
        with line.changed:
            result, message = self._queued(line, spans)
        _tell(message)
        return result

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Wait until nothing stands in line; whether that came within the time, and by export."""
        line = self._here()
        with line.changed:
            done = line.changed.wait_for(line.idle, timeout_millis / 1000)
            working = line.state is _State.WORKING
        return done and working and self._exporter.force_flush(timeout_millis)

    def shutdown(self) -> None:
        """Wait a little for what stands in line, shut the exporter down, and tell what is lost."""
        line = self._here()
        with line.changed:
            if line.closed:
                return
            line.changed.wait_for(line.idle, self._wait)
            line.closed = True
            line.drop(line.waiting)
            line.changed.notify_all()
        _within(self._wait, self._exporter.shutdown)
        if line.untold:
            _tell(f"{line.told()} spans were not exported.")

    def _queued(
        self, line: "_Line", spans: Sequence[ReadableSpan]
    ) -> tuple[SpanExportResult, str | None]:
        closed = line.state is _State.FAILING and time.monotonic() < line.closed_until
        full = bool(line.jobs) and line.waiting + len(spans) > self._capacity
        if line.closed or closed or full:
            line.drop(len(spans))
            return SpanExportResult.FAILURE, line.outage("too many stand in line") if full else None
        if line.state is _State.FAILING:
            line.state = _State.LATE
        job = line.add(spans)
        if line.state is _State.WORKING and not line.changed.wait_for(
            lambda: job.result is not None or line.state is not _State.WORKING, self._wait
        ):
            line.state = _State.LATE
            return SpanExportResult.SUCCESS, line.outage(f"no answer within {self._wait:g} s")
        return job.result or SpanExportResult.SUCCESS, None

    def _work(self, line: "_Line") -> None:
        while True:
            with line.changed:
                line.changed.wait_for(lambda: line.jobs or line.closed)
                if line.closed:
                    return
                job = line.jobs[0]
            try:
                result = job.context.run(self._exporter.export, job.spans)
                why = "the exporter failed"
            except Exception as error:
                # Its text may hold content, or the secret of an address.
                result, why = SpanExportResult.FAILURE, type(error).__qualname__
            with line.changed:
                if line.closed:
                    return
                message = self._exported(line, job, result, why)
                line.telling = message is not None
                line.changed.notify_all()
            if message is not None:
                _tell(message)
                with line.changed:
                    line.telling = False
                    line.changed.notify_all()

    def _exported(
        self, line: "_Line", job: "_Job", result: SpanExportResult, why: str
    ) -> str | None:
        line.jobs.popleft()
        line.waiting -= len(job.spans)
        job.result = result
        if result is SpanExportResult.SUCCESS:
            if line.jobs:
                return None
            line.state = _State.WORKING
            return line.recovered()
        line.drop(len(job.spans) + line.waiting)
        for other in line.jobs:
            other.result = result
        line.jobs.clear()
        line.waiting = 0
        line.state = _State.FAILING
        line.closed_until = time.monotonic() + self._pause
        return line.outage(why)

    def _here(self) -> "_Line":
        """Return the line of this process: after a fork the child has one of its own."""
        if self._line.process != os.getpid():
            self._line = _Line(self._work)
        return self._line


class _Job:
    __slots__ = ("context", "result", "spans")

    def __init__(self, spans: Sequence[ReadableSpan], context: Context) -> None:
        self.spans = spans
        # The processors mark their context so that an exporter's requests are not traced again.
        self.context = context
        self.result: SpanExportResult | None = None


class _Line:
    """What stands in line for an exporter in one process, and the thread that exports it."""

    def __init__(self, work: "Callable[[_Line], None]") -> None:
        self.process = os.getpid()
        self.changed = threading.Condition()
        self.jobs: deque[_Job] = deque()
        self.waiting = 0
        self.state = _State.WORKING
        self.closed_until = 0.0
        self.closed = False
        self.telling = False
        self.dropped = 0
        self.untold = 0
        self._in_outage = False
        # A daemon: an exporter that hangs does not keep the process from ending.
        threading.Thread(target=work, args=(self,), name="stalwart-export", daemon=True).start()

    def add(self, spans: Sequence[ReadableSpan]) -> _Job:
        job = _Job(spans, copy_context())
        self.jobs.append(job)
        self.waiting += len(spans)
        self.changed.notify_all()
        return job

    def idle(self) -> bool:
        return not self.jobs and not self.telling

    def drop(self, spans: int) -> None:
        self.dropped += spans
        self.untold += spans

    def told(self) -> int:
        untold, self.untold = self.untold, 0
        return untold

    def outage(self, why: str) -> str | None:
        if self._in_outage:
            return None
        self._in_outage = True
        return f"Spans do not get through their exporter ({why}). What is lost is counted."

    def recovered(self) -> str | None:
        if not self._in_outage:
            return None
        self._in_outage = False
        return f"Spans get through their exporter again. Lost meanwhile: {self.told()}."


def _tell(message: str | None) -> None:
    if message is not None:
        _log.warning("%s", message)


def _within(seconds: float, work: Callable[[], object]) -> None:
    """Run `work`, and wait for it only so long."""

    def quietly() -> None:
        try:
            work()
        except Exception as error:
            _tell(f"The exporter of spans failed as it was shut down: {type(error).__qualname__}")

    thread = threading.Thread(target=quietly, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # as the interpreter shuts down no thread can be started
        quietly()
    else:
        thread.join(seconds)
