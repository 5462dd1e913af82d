"""What an agent gives back: a reply, and in it what waits for a person."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from stalwart_lang.words.language import Language

Status: TypeAlias = Literal[
    "done",
    "stopped",
    "waiting",
    "asked",
    "unread",
    "busy",
    "answered",
    "newer",
    "nothing",
    "finished",
]


@dataclass(frozen=True, slots=True)
class Why:
    """Why a call is asked about: a name (`write`, a rule's), a sentence, and a rule's place."""

    name: str
    text: str
    place: str | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that waits for a person: give `pause` back to `confirm` to answer this and no other.

    `reasons` are the names of why it is asked about: `write`, a rule's name; `why` says them in
    `language`. `undo` is the tool that takes the call back, None where nothing does.
    """

    pause: str
    tool: str
    arguments: Mapping[str, Any]
    reasons: tuple[str, ...]
    text: str
    why: tuple[Why, ...] = ()
    undo: str | None = None
    language: Language = "en"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the agent says.

    `waiting` is the call that waits for a person, or None. `plan` is the turn's plan, as JSON-ready
    data, where it was read. `undone` tells what came of undoing, latest first: `tool`, `by`,
    `outcome` (`undone`, `refused`, `failed`, `in doubt`, or `kept` where nothing takes it back),
    `why`.

    `status` tells what came of what was said: `done`, `stopped` (failed, refused or declined),
    `waiting`, `asked` (the turn was not read, and is asked about), `unread` (it was not read, and
    that is that). The others say that nothing was done with it: `busy` (another process is at the
    conversation), `answered` (somebody was first), `newer` (another question waits than the one
    seen), `nothing` (no question waits, or there is nothing to undo), `finished` (a run that was
    broken off was ended instead).
    """

    text: str
    waiting: Waiting | None = None
    plan: Mapping[str, Any] | None = None
    status: Status = "done"
    undone: tuple[Mapping[str, Any], ...] = ()
