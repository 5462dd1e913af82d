"""An agent: people's turns in, replies out, and between them runs that are kept."""

import asyncio
import secrets
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from stalwart_lang.runs.history_token import load_keys
from stalwart_lang.runs.model import Model
from stalwart_lang.runs.phases import Here
from stalwart_lang.runs.replies import sentence
from stalwart_lang.runs.spec import RunSpec
from stalwart_lang.runs.storage import Busy, open_storage
from stalwart_lang.selector.selector import Selector
from stalwart_lang.tracing.agent import AgentSpans
from stalwart_lang.tracing.jsonlines import JsonLinesTracer
from stalwart_lang.tracing.none import NoTracer
from stalwart_lang.words.language import Language

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from stalwart_lang.runs.state import State

Said: TypeAlias = Literal["approve", "decline"]

_SEEN = timedelta(seconds=2)
_STEPS = 1_000_000


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
    data, where it was read. `status` tells what came of it: `done`, `stopped` (failed, refused or
    declined), `waiting`, `asked` (the turn was not read, and is asked about), `unread` (it was not
    read, and that is that), or, where nothing was done with what came in, `busy` (another process
    is at the conversation), `answered` (somebody was first), `newer` (another question than the
    one seen), `nothing` (no question is open), `finished` (a run that was broken off was ended
    instead).
    """

    text: str
    waiting: Waiting | None = None
    plan: Mapping[str, Any] | None = None
    status: str = "done"
    undone: tuple[Mapping[str, Any], ...] = field(default=())


class Agent:
    """An agent with its store open. Use it as a context manager, or close it."""

    def __init__(
        self,
        spec: RunSpec,
        *,
        storage: str | None = None,
        tracer: AgentSpans | None = None,
        model: Model | None = None,
    ) -> None:
        from stalwart_lang.runs.graph import make_graph

        if spec.on_unread == "model" and model is None:
            raise ValueError("on_unread: model needs a model: Agent.from_file(…, model=function)")
        self._spec = spec
        self._model = model
        self._tracer = tracer or NoTracer()
        self._selector = (
            None if spec.vocabulary is None else Selector(spec.vocabulary, tracer=tracer)
        )
        self._kept = storage is not None
        self._storage = open_storage(storage)
        self._keys = load_keys()
        self._graph = make_graph(self._here, self._storage.saver)
        self._began = datetime.now(UTC)
        self._looked: dict[str, datetime] = {}

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        *,
        context: Mapping[str, object] | None = None,
        agent: str | None = None,
        model: Model | None = None,
    ) -> Self:
        """Open the agent of an agent file; `context` are facts, over those of the file.

        `agent` chooses one where the file has several. Raises AgentError, with every diagnostic,
        where the file or what it names is wrong.
        """
        from stalwart_lang.runs.agent_file import load_agent

        loaded = load_agent(path, agent)
        spec = RunSpec(
            name=loaded.name,
            catalogue=loaded.catalogue,
            functions=loaded.functions,
            schemas=loaded.schemas,
            vocabulary=loaded.vocabulary,
            rules=loaded.rules,
            facts={**loaded.facts, **(context or {})},
            currencies=loaded.currencies,
            language=loaded.language,
            atomic=loaded.atomic,
            on_unread=loaded.on_unread,
        )
        tracer = None if loaded.trace is None else JsonLinesTracer(loaded.trace)
        return cls(spec, storage=loaded.storage, tracer=tracer, model=model)

    @property
    def name(self) -> str:
        """The agent's name; a conversation's thread is it, a slash, and the user."""
        return self._spec.name

    @property
    def language(self) -> Language:
        """The language of a conversation that nothing was said in yet."""
        return self._default_language()

    @property
    def kept(self) -> bool:
        """Whether conversations outlive the process: they do not where they are in memory."""
        return self._kept

    def waiting(self, user: str) -> Waiting | None:
        """Return the call that waits for a person's word, as its reply had it, or None."""
        thread = self._thread(user)
        waiting = self._waiting(thread)
        if waiting is not None:
            self._looked[thread] = datetime.now(UTC)
        return waiting

    def chat(
        self, text: str, *, user: str, language: Language | None = None, now: str | None = None
    ) -> Reply:
        """Take a person's turn.

        It is read, and its calls are checked and run, as far as the first that must be confirmed.
        While one waits, a turn is not taken: the reply says what waits. `language` is what the
        turn is read in, over the agent's; `now` (ISO 8601) what relative dates are reckoned from.
        """
        thread = self._thread(user)
        try:
            with self._storage.locked(thread):
                return self._taken(thread, text, language, now)
        except Busy:
            return self._plain(thread, "busy")

    def confirm(self, user: str, answer: Said, *, pause: str | None = None) -> Reply:
        """Answer the question that waits: once, whoever is first.

        With `pause` (of the reply's `waiting`) the answer is to this question alone. Without it, it
        is to the one that waits, unless that came up in the last two seconds and this agent has
        not shown it: then the person cannot have seen it.
        """
        if answer not in ("approve", "decline"):
            raise ValueError(f'the answer is "approve" or "decline", not {answer!r}')
        thread = self._thread(user)
        seen = self._waiting(thread)
        try:
            with self._storage.locked(thread):
                return self._answered(
                    thread, answer, pause or (seen.pause if seen else None), pause
                )
        except Busy:
            return self._plain(thread, "busy")

    def rewind(self, user: str, to_step: int) -> Reply:
        """Undo what was done from a step of the history on, latest first, each undo checked.

        Nothing is taken out of the history: the undos and the rewinding are added to it.
        """
        if to_step < 0:
            raise ValueError(f"a step of the history is 0 or more, not {to_step}")
        thread = self._thread(user)
        try:
            with self._storage.locked(thread):
                return self._rewound(thread, to_step)
        except Busy:
            return self._plain(thread, "busy")

    def rollback(self, user: str) -> Reply:
        """Undo what the last turn did."""
        began = self._values(self._thread(user)).get("turn", {}).get("began")
        if began is None:
            return self._plain(self._thread(user), "nothing_to_undo", "nothing")
        return self.rewind(user, began)

    async def achat(
        self, text: str, *, user: str, language: Language | None = None, now: str | None = None
    ) -> Reply:
        """Do as `chat` does, in a thread."""
        return await asyncio.to_thread(self.chat, text, user=user, language=language, now=now)

    async def aconfirm(self, user: str, answer: Said, *, pause: str | None = None) -> Reply:
        """Do as `confirm` does, in a thread."""
        return await asyncio.to_thread(self.confirm, user, answer, pause=pause)

    async def arewind(self, user: str, to_step: int) -> Reply:
        """Do as `rewind` does, in a thread."""
        return await asyncio.to_thread(self.rewind, user, to_step)

    async def arollback(self, user: str) -> Reply:
        """Do as `rollback` does, in a thread."""
        return await asyncio.to_thread(self.rollback, user)

    def graph(
        self, tracer: AgentSpans | None = None
    ) -> "CompiledStateGraph[State, None, State, State]":
        """Return the agent's graph, compiled on its store, for who uses LangGraph directly.

        Its spans are opened in `tracer`, or the agent's own.
        """
        from stalwart_lang.runs.graph import make_graph

        return make_graph(lambda thread: self._here(thread, tracer), self._storage.saver)

    def close(self) -> None:
        """Close the store. May be called twice."""
        self._storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _here(self, thread: str, tracer: AgentSpans | None = None) -> Here:
        return Here(
            spec=self._spec,
            selector=self._selector,
            model=self._model,
            storage=self._storage,
            keys=self._keys,
            tracer=tracer or self._tracer,
            thread=thread,
        )

    def _thread(self, user: str) -> str:
        if not user:
            raise ValueError("a user has a name")
        return f"{self.name}/{user}"

    def _taken(self, thread: str, text: str, language: Language | None, now: str | None) -> Reply:
        snapshot = self._snapshot(thread)
        waiting = _waiting_of(snapshot)
        if waiting is not None:
            call = sentence(self._language(thread), "waiting", call=waiting.text)
            return self._shown(thread, Reply(call, waiting, status="waiting"))
        if snapshot.next:
            return self._finished(thread)
        with self._run(thread, None) as span:
            turn = {
                "id": secrets.token_hex(4),
                "text": text,
                "asked_language": language or self._spec.language,
                "language": language or self._default_language(),
                "now": now,
                "traceparent": span.traceparent,
                "began": snapshot.values.get("history_length", 0),
            }
            self._invoke(thread, {"turn": turn, "phase": "read", **_FRESH})
        return self._reply(thread)

    def _answered(self, thread: str, answer: str, meant: str | None, given: str | None) -> Reply:
        snapshot = self._snapshot(thread)
        waiting = _waiting_of(snapshot)
        if waiting is None:
            if snapshot.next:
                return self._finished(thread)
            return self._plain(thread, "nothing")
        if waiting.pause != meant:
            text = sentence(self._language(thread), "answered", answer="?")
            return self._shown(thread, Reply(text, waiting, status="answered"))
        if given is None and self._cannot_have_seen(thread, snapshot):
            text = sentence(self._language(thread), "newer", text=waiting.text)
            return self._shown(thread, Reply(text, waiting, status="newer"))
        from langgraph.types import Command

        counted = self._storage.answer(thread, waiting.pause, answer)
        with self._run(thread, snapshot.values["turn"].get("traceparent")):
            self._invoke(thread, Command(resume=counted))
        return self._reply(thread)

    def _rewound(self, thread: str, to_step: int) -> Reply:
        snapshot = self._snapshot(thread)
        if _waiting_of(snapshot) is not None or snapshot.next:
            return self._taken(thread, "", None, None)
        with self._run(thread, None) as span:
            turn = {
                "id": secrets.token_hex(4),
                "to_step": to_step,
                "language": self._language(thread),
                "traceparent": span.traceparent,
                "began": snapshot.values.get("history_length", 0),
            }
            self._invoke(thread, {"turn": turn, "phase": "rewind", **_FRESH})
        return self._reply(thread)

    def _finished(self, thread: str) -> Reply:
        """End a run that a process left in the middle, before anything else is begun."""
        with self._run(thread, self._values(thread)["turn"].get("traceparent")):
            self._invoke(thread, None)
        came = self._reply(thread)
        if came.waiting is not None:
            return came
        text = sentence(self._language(thread), "finished", text=came.text)
        return Reply(text, plan=came.plan, status="finished", undone=came.undone)

    def _run(self, thread: str, parent: str | None) -> AbstractContextManager[Any]:
        return self._tracer.run(self.name, thread=thread, parent=parent or None)

    def _invoke(self, thread: str, given: Any) -> None:
        config: Any = {**_configured(thread), "recursion_limit": _STEPS}
        self._graph.invoke(given, config, durability="sync")

    def _snapshot(self, thread: str) -> Any:
        return self._graph.get_state(_configured(thread))

    def _values(self, thread: str) -> dict[str, Any]:
        values: dict[str, Any] = self._snapshot(thread).values
        return values

    def _waiting(self, thread: str) -> Waiting | None:
        return _waiting_of(self._snapshot(thread))

    def _reply(self, thread: str) -> Reply:
        snapshot = self._snapshot(thread)
        waiting = _waiting_of(snapshot)
        if waiting is not None:
            plan = snapshot.values.get("plan")
            return self._shown(thread, Reply(waiting.text, waiting, plan, "waiting"))
        values = snapshot.values
        made = values["reply"]
        stopped = values.get("stopped") or {}
        status = "unread" if made.get("unread") else "asked" if values.get("asked") else "done"
        if stopped.get("how") not in (None, "rewound"):
            status = "stopped"
        undone = tuple(values.get("undone", ()))
        return Reply(made["text"], plan=values.get("plan"), status=status, undone=undone)

    def _shown(self, thread: str, reply: Reply) -> Reply:
        self._looked[thread] = datetime.now(UTC)
        return reply

    def _cannot_have_seen(self, thread: str, snapshot: Any) -> bool:
        asked = datetime.fromisoformat(snapshot.created_at)
        looked = self._looked.get(thread, self._began)
        return asked > looked and datetime.now(UTC) - asked < _SEEN

    def _plain(self, thread: str, key: str, status: str | None = None) -> Reply:
        text = sentence(self._language(thread), key)
        return Reply(text, self._waiting(thread), status=status or key)

    def _language(self, thread: str) -> Language:
        language: Language = (
            self._values(thread).get("turn", {}).get("language") or self._default_language()
        )
        return language

    def _default_language(self) -> Language:
        vocabulary = self._spec.vocabulary
        own = vocabulary.settings.language if vocabulary else None
        return self._spec.language or own or "en"


_FRESH: Mapping[str, Any] = {
    "plan": None,
    "calls": [],
    "at": 0,
    "rounds": 0,
    "answered": None,
    "stopped": None,
    "to_undo": [],
    "undone": [],
    "results": [],
    "reply": {},
}
"""What a turn begins with; the rest goes on from the turn before."""


def _configured(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


def _waiting_of(snapshot: Any) -> Waiting | None:
    for task in snapshot.tasks:
        for pause in task.interrupts:
            asked = pause.value
            return Waiting(
                pause=pause.id,
                tool=asked["tool"],
                arguments=asked["arguments"],
                reasons=tuple(asked["waits_for"]),
                text=asked["text"],
                why=tuple(Why(**why) for why in asked.get("why", ())),
                undo=asked.get("undo"),
                language=asked.get("language", "en"),
            )
    return None
