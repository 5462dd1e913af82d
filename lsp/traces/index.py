"""Counts of recorded decisions, asked from any thread while another one counts.

What is asked is answered at once, from what is counted so far; no file is read for it.
following.py is what counts.
"""

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress

from stalwart_lang.lsp.traces.tally import Counts, Decision, Decisions, Found, Source, Tally, Thread

__all__ = ["Counts", "Decision", "Decisions", "TraceIndex"]


class TraceIndex:
    """What the traces tell of each rule, tool and phrase: counts, and the latest decisions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tally = Tally()
        self._version = 0
        self._callbacks: list[Callable[[], None]] = []

    @property
    def version(self) -> int:
        """A number that grows whenever a count changes."""
        return self._version

    def of_rule(self, name: str, file: str | os.PathLike[str] | None = None) -> Decisions:
        """Return what a rule decided; `file` is the vocabulary it is in.

        Of rules of one name in several vocabularies, those recorded as of a file like `file` are
        meant, or all where none is.
        """
        with self._lock:
            return self._tally.of("rule", name, None if file is None else os.fspath(file))

    def of_tool(self, name: str) -> Decisions:
        """Return what was decided of calls of a tool."""
        with self._lock:
            return self._tally.of("tool", name)

    def of_phrase(self, rule: str, vocabulary: str | None = None) -> Decisions:
        """Return the plans whose calls a phrase read, by its name: `charge_card.say.en[0]`."""
        with self._lock:
            return self._tally.of("phrase", rule, vocabulary)

    def of_plans(self, vocabulary: str | None = None) -> Decisions:
        """Return the plans of turns, by verdict."""
        with self._lock:
            return self._tally.of("plan", "", vocabulary)

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Have `callback` called when counts changed, twice a second at most, in another thread.

        Returns what ends that.
        """
        self._callbacks.append(callback)

        def unsubscribe() -> None:
            with suppress(ValueError):
                self._callbacks.remove(callback)

        return unsubscribe

    def publish(self) -> None:
        """Call those who subscribed."""
        for callback in (*self._callbacks,):
            callback()

    def count(self, tally: Tally, source: Source, found: Iterable[Found]) -> None:
        """Count what was found in the tally that is asked, or in one to come."""
        with self._lock:
            for each in found:
                if isinstance(each.held, Thread):
                    tally.name_thread(each.held)
                else:
                    tally.add(source, each.held, each.line, each.offset)
                    self._version += tally is self._tally

    def forget(self, tally: Tally, source: Source) -> bool:
        """Take back what a source told; see `Tally.remove`."""
        with self._lock:
            self._version += tally is self._tally
            return tally.remove(source)

    def show(self, tally: Tally) -> None:
        """Answer from another tally from now on."""
        with self._lock:
            self._version += 1
            self._tally = tally

    @property
    def shown(self) -> Tally:
        """The tally that is asked."""
        return self._tally
