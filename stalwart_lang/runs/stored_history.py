"""The history of a conversation, read back from its store and verified."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stalwart_lang.runs.history_token import Verification, known_keys, verify
from stalwart_lang.timeline.stored.store import Checkpoint, NoSuchThread, open_store
from stalwart_lang.timeline.stored.unpack import unpack


@dataclass(frozen=True, slots=True)
class History:
    """The entries of a conversation, in order, and the id of the store that they are in."""

    thread: str
    store: str
    entries: tuple[Mapping[str, Any], ...]

    def verify(self, keys: Mapping[str, bytes] | None = None) -> Verification:
        """Verify the tokens of the entries, with the keys that are known here or those given.

        Raises BadKeys where the keys here are none, or others could read them.
        """
        return verify(self.entries, self.thread, self.store, known_keys() if keys is None else keys)


def read_history(url: str, thread: str) -> History:
    """Read the history of a conversation from its store, and change nothing there.

    Raises BadStore where it is no agent's store, NoSuchThread where it does not hold the thread.
    """
    with open_store(url) as store:
        checkpoints = {checkpoint.id: checkpoint for checkpoint in store.checkpoints(thread)}
        if not checkpoints:
            raise NoSuchThread(f"the store holds no thread {thread}")
        line = _line(checkpoints)
        entries: list[Mapping[str, Any]] = []
        for write in store.writes(thread, ("entries",)):
            if write.checkpoint in line:
                held = unpack(write.kind, write.value)
                made = held if isinstance(held, list) else [held]
                entries += [entry if isinstance(entry, dict) else {} for entry in made]
        return History(thread, store.identity(), tuple(entries))


def _line(checkpoints: Mapping[str, Checkpoint]) -> set[str]:
    """Return the checkpoints of which a step came to the next, back from the last.

    Those of other branches are not among them, nor is one where a branch begins: what was written
    after it is of the other branch.
    """
    line: set[str] = set()
    seen: set[str] = set()
    here = checkpoints[max(checkpoints)]
    while (before := checkpoints.get(here.parent or "")) and before.id not in seen:
        seen.add(before.id)
        if here.source == "loop":
            line.add(before.id)
        here = before
    return line
