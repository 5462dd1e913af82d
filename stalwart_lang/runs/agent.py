"""An agent: people's turns in, replies out, and between them runs that are kept."""

import asyncio
import re
import secrets
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from os import PathLike
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Literal,
    ParamSpec,
    Self,
    TypeAlias,
    TypeVar,
)

from stalwart_lang.runs.agent_declarations import AGENT_NAME, OnUnread
from stalwart_lang.runs.conversation import Conversation, Moment
from stalwart_lang.runs.declared import Runs, Tools, declared_agent
from stalwart_lang.runs.facts import warn_of_misnamed
from stalwart_lang.runs.here import Here
from stalwart_lang.runs.history_token import load_keys
from stalwart_lang.runs.locks import Busy
from stalwart_lang.runs.model import Model
from stalwart_lang.runs.plain import plain_text
from stalwart_lang.runs.replies import sentence
from stalwart_lang.runs.reply import Reply, Status, Waiting, Why
from stalwart_lang.runs.spec import AgentSpec
from stalwart_lang.runs.state import FRESH
from stalwart_lang.runs.storage import open_storage
from stalwart_lang.selector.selector import Selector
from stalwart_lang.tracing.agent import AgentSpans
from stalwart_lang.tracing.jsonlines import JsonLinesTracer
from stalwart_lang.tracing.none import NoTracer
from stalwart_lang.vocabulary.model import Vocabulary
from stalwart_lang.words.language import LANGUAGES, Language

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from stalwart_lang.runs.state import State

__all__ = ["Agent", "Reply", "Said", "Waiting", "Why"]

_P = ParamSpec("_P")
_R = TypeVar("_R")

Said: TypeAlias = Literal["approve", "decline"]

_SEEN = timedelta(seconds=2)
_LONGEST_USER = 400
"""Characters of a user's name: PostgreSQL's keys hold no more beside that of an agent."""


def _clearly(
    method: "Callable[Concatenate[Agent, _P], _R]",
) -> "Callable[Concatenate[Agent, _P], _R]":
    """Have BadStorage raised where the store fails, whatever keeps it."""

    @wraps(method)
    def called(self: "Agent", /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with self._storage.failing_clearly():
            return method(self, *args, **kwargs)

    return called


class Agent:
    """An agent with its store open. Use it as a context manager, or close it.

    It may be shared between threads. A process that was forked needs one of its own.
    """

    def __init__(
        self,
        name: str,
        *,
        tools: Tools,
        only: Iterable[str] | None = None,
        vocabulary: Vocabulary | str | PathLike[str] | None = None,
        language: Language | None = None,
        runs: Runs = "best_effort",
        storage: str | None = None,
        trace: str | PathLike[str] | None = None,
        on_unread: OnUnread = "ask",
        facts: Mapping[str, object] | None = None,
        model: Model | None = None,
        tracer: AgentSpans | None = None,
    ) -> None:
        """Open an agent declared in Python; the keywords mean what the keys of a file mean.

        `tools` are functions, or modules of them; `only` the names of those that the agent has,
        where it has not all. `vocabulary` may be one that is loaded. Paths are relative to the
        folder that the process is in. `tracer` is any tracer, in the place of a file `trace`.

        Raises VocabularyError and AgentError with every diagnostic, ValueError for a value that is
        none, and what `from_file` raises.
        """
        spec = declared_agent(
            name,
            tools=tools,
            only=only,
            vocabulary=vocabulary,
            language=language,
            runs=runs,
            storage=storage,
            trace=trace,
            on_unread=on_unread,
            facts=facts or {},
        )
        self._open(spec, model, tracer)

    def _open(self, spec: AgentSpec, model: Model | None, tracer: AgentSpans | None) -> None:
        if spec.trace is not None and tracer is not None:
            raise ValueError("give `trace`, a file, or `tracer`, not both")
        model = model or spec.model
        if model is None and (spec.on_unread == "model" or spec.vocabulary is None):
            what = "on_unread: model" if spec.on_unread == "model" else "an agent of no vocabulary"
            raise ValueError(
                f"{what} needs a model, a function: write `model: {{python: tools:ask}}` in the "
                "agent file, or give `model=` in Python"
            )
        if not re.fullmatch(AGENT_NAME.pattern, spec.name) or not _is_text(spec.name):
            raise ValueError(f"{spec.name!r} is no agent's name, which is {AGENT_NAME.what}")
        self._spec = spec
        self._model = model
        self._keys = load_keys()
        self._kept = spec.storage is not None
        try:
            from stalwart_lang.runs.graph import make_graph

            self._storage = open_storage(spec.storage)
        except ModuleNotFoundError as error:
            raise ImportError(
                f"runs need {error.name}: pip install 'stalwart-lang[runs]'", name=error.name
            ) from error
        self._closing: list[Callable[[], None]] = [self._storage.close]
        if spec.trace is not None:
            tracer = file = JsonLinesTracer(spec.trace)
            self._closing.append(file.close)
        self._tracer = tracer or NoTracer()
        self._graph = make_graph(self._here, self._storage.saver)
        try:
            self._selector = (
                None if spec.vocabulary is None else Selector(spec.vocabulary, tracer=tracer)
            )
        except BaseException:
            self.close()
            raise
        self._began = datetime.now(UTC)
        self._shown: dict[str, str] = {}

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
        where the file or what it names is wrong; BadStorage and BadKeys, both ValueErrors, where
        the store or the history's keys cannot be had; ImportError without the extra `runs`.
        """
        from stalwart_lang.runs.agent_file import load_agent

        spec = load_agent(path, agent)
        warn_of_misnamed(context or {}, spec.rules, spec.facts)
        made = cls.__new__(cls)
        made._open(replace(spec, facts={**spec.facts, **(context or {})}), model, None)
        return made

    @property
    def name(self) -> str:
        """The agent's name; a conversation's thread is it, a slash, and the user."""
        return self._spec.name

    @property
    def language(self) -> Language:
        """The language of a conversation that nothing was said in yet."""
        return self._spec.default_language

    @property
    def kept(self) -> bool:
        """Whether conversations outlive the process: they do not where they are in memory."""
        return self._kept

    @_clearly
    def waiting(self, user: str) -> Waiting | None:
        """Return the call that waits for a person's word, as its reply had it, or None."""
        conversation = self._conversation(user)
        return self._show(conversation, conversation.look().waiting)

    @_clearly
    def chat(
        self, text: str, *, user: str, language: Language | None = None, now: str | None = None
    ) -> Reply:
        """Take a person's turn.

        It is read, and its calls are checked and run, as far as the first that must be confirmed.
        While one waits, a turn is not taken: the reply says what waits. Nor is it where a process
        ended in the middle of a run: that run is taken up first, and the reply says so. `language`
        is what the turn is read in, over the agent's; `now` (ISO 8601) what relative dates are
        reckoned from.

        Raises ValueError for a `user` or a `now` that is none, RuntimeError where the agent is
        closed, or of another process, and BadStorage where the store fails: a run that it fails in
        the middle of is taken up with the next turn, and no call runs twice.
        """
        _check_turn(text, language, now)
        conversation = self._conversation(user)
        moment = conversation.look()
        if moment.waiting is not None:  # without the lock, which its answer must not find taken
            return self._that_waits(conversation, moment, moment.waiting)
        try:
            with self._storage.locked(conversation.thread):
                if not moment.settled or self._storage.went_on(
                    conversation.thread, moment.checkpoint
                ):
                    moment = conversation.look()
                return self._not_free(conversation, moment) or self._began_with(
                    conversation,
                    moment,
                    "read",
                    text=plain_text(text),
                    asked_language=language or self._spec.language,
                    language=language or self._spec.default_language,
                    now=now,
                )
        except Busy:
            return self._plain(conversation, "busy")

    @_clearly
    def confirm(self, user: str, answer: Said, *, pause: str | None = None) -> Reply:
        """Answer the question that waits: once, whoever is first.

        With `pause` (of the reply's `waiting`) the answer is to this question alone. Without it, it
        is to the one that waits, unless that has come up in the last two seconds and this agent
        has not shown it: then the person cannot have seen it. Raises as `chat` does.
        """
        if answer not in ("approve", "decline"):
            raise ValueError(f'the answer is "approve" or "decline", not {answer!r}')
        called = datetime.now(UTC)
        conversation = self._conversation(user)
        if pause is None:
            seen = conversation.look()
            pause = self._meant(conversation, seen, called)
            if pause is None and seen.waiting is not None:
                return self._other_question(conversation, seen, None)
        try:
            with self._storage.locked(conversation.thread):
                return self._answered(conversation, answer, pause)
        except Busy:
            return self._plain(conversation, "busy")

    @_clearly
    def rewind(self, user: str, to_step: int) -> Reply:
        """Undo what was done from a step of the history on, latest first, each undo checked.

        Nothing is taken out of the history: the undos and the rewinding are added to it. What
        nothing takes back is told. Raises as `chat` does.
        """
        if not isinstance(to_step, int) or isinstance(to_step, bool):
            raise TypeError(f"a step of the history is a number, not {to_step!r}")
        if to_step < 0:
            raise ValueError(f"a step of the history is 0 or more, not {to_step}")
        return self._rewound(self._conversation(user), to_step)

    @_clearly
    def rollback(self, user: str) -> Reply:
        """Undo what the last turn did, as `rewind` does."""
        return self._rewound(self._conversation(user), None)

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

        Its spans are opened in `tracer`, or the agent's own: a run's, where none is open around
        it, and those of its steps below. It does not keep two processes from running the same
        conversation at once, as the agent does; a call is run once all the same. Its asynchronous
        methods want a store that has some, which these have not: use a thread.
        """
        from stalwart_lang.runs.graph import make_graph
        from stalwart_lang.runs.run_spans import RunSpans

        graph = make_graph(lambda thread: self._here(thread, tracer), self._storage.saver)
        return graph.with_config(run_name=self.name, callbacks=[RunSpans(tracer or self._tracer)])

    def close(self) -> None:
        """Close the store and the file `trace`; a `tracer` is its giver's. May be called twice."""
        for close in self._closing:
            close()

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

    def _conversation(self, user: str) -> Conversation:
        if not isinstance(user, str) or not 0 < len(user) <= _LONGEST_USER or not _is_text(user):
            raise ValueError(
                f"{user!r} is no user's name: it has 1 to {_LONGEST_USER} characters, and no "
                "control characters"
            )
        self._storage.ready()
        return Conversation(self._graph, f"{self.name}/{user}")

    def _not_free(self, conversation: Conversation, moment: Moment) -> Reply | None:
        """Return what is said instead where the conversation is at something else."""
        if moment.waiting is not None:
            return self._that_waits(conversation, moment, moment.waiting)
        return self._taken_up(conversation, moment, "not_taken") if moment.broken_off else None

    def _that_waits(self, conversation: Conversation, moment: Moment, waiting: Waiting) -> Reply:
        text = sentence(waiting.language, "waiting", text=waiting.text)
        return self._reply(conversation, replace(moment.reply, text=text))

    def _taken_up(self, conversation: Conversation, moment: Moment, key: str) -> Reply:
        """Go on with a run that a process left in the middle, before anything else is begun."""
        with self._run(conversation, moment):
            came = conversation.take_up()
        reply = came.reply
        return self._reply(
            conversation,
            replace(
                reply,
                text=sentence(self._language(came), key, text=reply.text),
                status="finished" if reply.waiting is None else "waiting",
            ),
        )

    def _began_with(
        self, conversation: Conversation, moment: Moment, phase: str, **turn: object
    ) -> Reply:
        with self._run(conversation, None) as span:
            came = conversation.begin(
                {
                    **FRESH,
                    "phase": phase,
                    "turn": {
                        # Call ids are made of it: one that comes twice would be a call that ran.
                        "id": secrets.token_hex(8),
                        "began": moment.values.get("history_length", 0),
                        "traceparent": span.traceparent,
                        **turn,
                    },
                }
            )
        return self._reply(conversation, came.reply)

    def _meant(self, conversation: Conversation, seen: Moment, called: datetime) -> str | None:
        """Return the question that an answer without a pause is to, or None where it was not seen.

        What this agent has shown was seen, and what waited before it was opened: by whom, another
        process knows.
        """
        if seen.waiting is None:
            return None
        shown = self._shown.get(conversation.thread) == seen.waiting.pause
        if shown or seen.since < self._began or seen.since < called - _SEEN:
            return seen.waiting.pause
        return None

    def _answered(self, conversation: Conversation, answer: Said, meant: str | None) -> Reply:
        moment = conversation.look()
        if moment.broken_off:
            return self._taken_up(conversation, moment, "taken_up")
        if moment.waiting is None or moment.waiting.pause != meant:
            return self._other_question(conversation, moment, meant)
        # The answer is on record before it is given: it counts, however this process ends.
        counted = self._storage.answer(conversation.thread, meant, answer)
        with self._run(conversation, moment):
            came = conversation.answer(counted)
        return self._reply(conversation, came.reply)

    def _other_question(
        self, conversation: Conversation, moment: Moment, meant: str | None
    ) -> Reply:
        """Say that what was meant does not wait: it was answered, or another question does."""
        language = self._language(moment)
        known = meant and self._storage.answer_about(conversation.thread, meant)
        waiting = moment.waiting
        if known:
            text = " ".join([sentence(language, known), *([waiting.text] if waiting else [])])
            return self._reply(conversation, Reply(text, waiting, status="answered"))
        if waiting is None:
            return Reply(sentence(language, "nothing"), status="nothing")
        text = sentence(language, "newer", text=waiting.text)
        return self._reply(conversation, Reply(text, waiting, status="newer"))

    def _rewound(self, conversation: Conversation, to_step: int | None) -> Reply:
        try:
            with self._storage.locked(conversation.thread):
                moment = conversation.look()
                not_free = self._not_free(conversation, moment)
                if not_free is not None:
                    return not_free
                if to_step is None:
                    to_step = moment.values.get("turn", {}).get("began", 0)
                made = self._storage.calls_from(conversation.thread, to_step)
                if not any(self._spec.tool(call.tool).writes for call in made):
                    return self._plain(conversation, "nothing_to_undo", "nothing")
                return self._began_with(
                    conversation,
                    moment,
                    "rewind",
                    to_step=to_step,
                    language=self._language(moment),
                )
        except Busy:
            return self._plain(conversation, "busy")

    def _run(
        self, conversation: Conversation, moment: Moment | None
    ) -> AbstractContextManager[Any]:
        turn = {} if moment is None else moment.values.get("turn", {})
        return self._tracer.run(
            self.name, thread=conversation.thread, parent=turn.get("traceparent") or None
        )

    def _reply(self, conversation: Conversation, reply: Reply) -> Reply:
        self._show(conversation, reply.waiting)
        return reply

    def _show(self, conversation: Conversation, waiting: Waiting | None) -> Waiting | None:
        """Remember which question was shown, for an answer that does not say what it is to."""
        if waiting is None:
            self._shown.pop(conversation.thread, None)
        else:
            self._shown[conversation.thread] = waiting.pause
        return waiting

    def _plain(self, conversation: Conversation, key: str, status: Status = "busy") -> Reply:
        return Reply(sentence(self._language(conversation.look()), key), status=status)

    def _language(self, moment: Moment) -> Language:
        language: Language = moment.values.get("turn", {}).get("language") or self.language
        return language


def _is_text(name: str) -> bool:
    """Whether every store keeps it as it is: control characters and half characters they do not."""
    return not any(unicodedata.category(char) in ("Cc", "Cs") for char in name)


def _check_turn(text: str, language: str | None, now: str | None) -> None:
    """Raise for what could not be read, before a run begins with it."""
    if not isinstance(text, str):
        raise TypeError(f"a turn is text, not {type(text).__name__}")
    if language is not None and language not in LANGUAGES:
        raise ValueError(f"language is {language!r}; it must be one of {', '.join(LANGUAGES)}")
    if now is not None:
        try:
            year = datetime.fromisoformat(now).year
        except (TypeError, ValueError):
            year = 0
        if not 2 <= year <= 9998:
            raise ValueError(
                f"now is {now!r}; it must be an ISO 8601 time such as 2027-03-03T09:00:00-03:00"
            )
