"""The tool check in a graph of LangGraph: as a node, around a ToolNode's calls, as middleware.

    check = tool_check("shop", facts={"card_on_file": True})

    builder.add_node("check", check)                                  # after the model
    builder.add_conditional_edges("check", check.route, {"run": "tools", "back": "model"})

    ToolNode(tools, wrap_tool_call=check.wrap_tool_call)               # or around each call
    create_agent(model, tools, middleware=[check.middleware()])        # or in LangChain's agent

What is refused gets a result that says why, so that each call has one. What a person must confirm
is an `interrupt`: `Command(resume="approve")` goes on with it, anything else does not.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from langchain_core.messages import ToolMessage
from langgraph.errors import GraphInterrupt
from langgraph.types import interrupt

from stalwart_lang.check import Checked, Decision, Done, Reason, catalogue_of, check
from stalwart_lang.graphs.calls import (
    Call,
    calls_of,
    done_before,
    messages_of,
    read_outside,
    step_of_call,
)
from stalwart_lang.runs.facts import warn_of_misnamed
from stalwart_lang.runs.replies import call_text
from stalwart_lang.runs.spec import currencies_of
from stalwart_lang.tracing import spans
from stalwart_lang.tracing.none import NoTracer
from stalwart_lang.tracing.tracer import Tracer
from stalwart_lang.vocabulary.model import LANGUAGES, Language, Sentences, Vocabulary

if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware

Given: TypeAlias = Checked | Vocabulary | str | PathLike[str]
_Request: TypeAlias = Any  # langgraph.prebuilt.tool_node.ToolCallRequest, which is not exported
_Decided: TypeAlias = list[tuple[Call, Decision]]


def tool_check(
    against: Given,
    *,
    facts: Mapping[str, object] | None = None,
    tracer: Tracer | None = None,
    language: Language | None = None,
    messages: str = "messages",
) -> "ToolCheck":
    """Make the check of a graph's calls.

    `against` is a vocabulary (loaded, its file, or the name of one that is shipped), or what calls
    are checked against. `facts` are what its rules require. `language` (`en` or `pt-BR`) is that of
    refusals and questions, the vocabulary's without it. `messages` names the state's conversation,
    which tells what was done before. Each decision is a span of `tracer`.

    Raises VocabularyError where the vocabulary cannot be read, ValueError for a language that is
    none.
    """
    if language is not None and language not in LANGUAGES:
        raise ValueError(f"language is {language!r}; it must be one of {', '.join(LANGUAGES)}")
    if isinstance(against, Checked):
        if facts is not None:
            raise TypeError("facts= goes with a vocabulary; Checked(…) has its own")
        return ToolCheck(against, tracer or NoTracer(), language or "en", messages)
    vocabulary = against if isinstance(against, Vocabulary) else Vocabulary.load(fspath(against))
    warn_of_misnamed(facts or {}, vocabulary.rules.values())
    checked = Checked(
        catalogue_of(vocabulary),
        tuple(vocabulary.rules.values()),
        facts or {},
        currencies_of(vocabulary),
    )
    chosen = language or vocabulary.settings.language or "en"
    return ToolCheck(checked, tracer or NoTracer(), chosen, messages)


class ToolCheck:
    """The check of a graph's calls; see the module."""

    def __init__(self, checked: Checked, tracer: Tracer, language: Language, messages: str) -> None:
        self.__name__ = "tool_check"
        self._checked = checked
        self._tracer = tracer
        self._language: Language = language
        self._messages = messages

    def __call__(self, state: Any) -> dict[str, Any]:
        """Check the calls of the last message, as a node between the model and the tools.

        Where all of them may run, nothing is written. Where one is refused, or a person declines
        one, none runs: each gets a result that says why.
        """
        messages = messages_of(state, self._messages)
        calls = calls_of(messages[-1]) if messages else []
        decided = self._decide(calls, messages[:-1])
        waiting = [pair for pair in decided if pair[1].outcome == "confirm"]
        refused = any(decision.outcome == "refuse" for _, decision in decided)
        if waiting and not refused:
            decided = self._asked(decided, waiting, messages[:-1])
        else:
            self._record(decided)
        if all(decision.outcome == "allow" for _, decision in decided):
            return {}
        return {self._messages: [self._result(call, decision) for call, decision in decided]}

    def route(self, state: Any) -> Literal["run", "back"]:
        """Return where to go after the node: `run` the calls, or `back` to the model."""
        messages = messages_of(state, self._messages)
        return "run" if messages and calls_of(messages[-1]) else "back"

    def wrap_tool_call(self, request: _Request, execute: Callable[[Any], Any]) -> Any:
        """Check a call that a ToolNode is to run: its `wrap_tool_call`.

        A ToolNode runs the calls of a message at once and, after a pause, all of them again. So
        where one of them must be confirmed, it is the only one that runs; the others get a result
        that says so, and the model may ask for them again.
        """
        refusal = self._refusal(request, shared=True)
        return refusal if refusal is not None else self._run(request, execute)

    async def awrap_tool_call(
        self, request: _Request, execute: Callable[[Any], Awaitable[Any]]
    ) -> Any:
        """Check as `wrap_tool_call` does, where tools are awaited: `awrap_tool_call`."""
        refusal = self._refusal(request, shared=True)
        return refusal if refusal is not None else await self._arun(request, execute)

    def middleware(self) -> "AgentMiddleware[Any, Any, Any]":
        """Return the check as middleware of LangChain's `create_agent`.

        There each call is a task of its own, with a pause of its own.

        Raises ImportError where LangChain is not installed.
        """
        try:
            from stalwart_lang.graphs.middleware import ToolCheckMiddleware
        except ModuleNotFoundError as error:
            raise ImportError(
                "middleware needs LangChain: pip install 'stalwart-lang[langchain]'"
            ) from error
        return ToolCheckMiddleware(self)

    def run_alone(self, request: _Request, execute: Callable[[Any], Any]) -> Any:
        """Check a call that is the only one of its task, and run it if it may."""
        refusal = self._refusal(request, shared=False)
        return refusal if refusal is not None else self._run(request, execute)

    async def arun_alone(self, request: _Request, execute: Callable[[Any], Awaitable[Any]]) -> Any:
        """Do as `run_alone` does, where tools are awaited."""
        refusal = self._refusal(request, shared=False)
        return refusal if refusal is not None else await self._arun(request, execute)

    def _refusal(self, request: _Request, shared: bool) -> ToolMessage | None:
        """Return the result of a call that may not run, None of one that may."""
        (call,) = calls_of({"tool_calls": [request.tool_call]})
        before, calls = step_of_call(messages_of(request.state, self._messages), call.id)
        # What runs is what the ToolNode has, which may not be what the message says any more.
        step = [call if each.id == call.id else each for each in calls] or [call]
        decided = self._decide(step, before)
        own = next(pair for pair in decided if pair[0].id == call.id)
        first = next((pair for pair in decided if pair[1].outcome == "confirm"), None)
        if shared and first is not None and first is not own and own[1].outcome != "refuse":
            self._record([own])
            return self._message(call, _say(_WAITS, self._language, tool=first[0].tool))
        if own[1].outcome == "confirm":
            (own,) = self._asked([own], [own], before, [each for each, _ in decided])
        else:
            self._record([own])
        return None if own[1].outcome == "allow" else self._result(*own)

    def _run(self, request: _Request, execute: Callable[[Any], Any]) -> Any:
        with self._tool_span(request) as span:
            result = execute(request)
            span.returned(getattr(result, "content", None))
            return result

    async def _arun(self, request: _Request, execute: Callable[[Any], Awaitable[Any]]) -> Any:
        with self._tool_span(request) as span:
            result = await execute(request)
            span.returned(getattr(result, "content", None))
            return result

    def _tool_span(self, request: _Request) -> Any:
        asked = request.tool_call
        return spans.tool(self._tracer, asked["name"], asked["args"], call_id=asked["id"])

    def _decide(
        self,
        calls: Sequence[Call],
        before: Sequence[object],
        approvals: Mapping[str, Any] | None = None,
    ) -> _Decided:
        """Decide on each call of a step, which may all run at once.

        So none of them is done when another is checked, and each may be done before another: what
        either refuses is refused.
        """
        ids = Counter(call.id for call in calls)
        done = done_before(before)
        labels = read_outside(done, self._checked.catalogue)
        decided: _Decided = []
        earlier = list(done)
        for call in calls:
            approval = (approvals or {}).get(call.id)
            if ids[call.id] > 1 or not call.id:
                decided.append((call, _unclear(call, labels)))
                continue
            found = [
                check(
                    self._checked,
                    call.tool,
                    call.arguments or {},
                    history=history,
                    labels=labels,
                    approval=approval,
                )
                for history in ((done, earlier) if len(earlier) > len(done) else (done,))
            ]
            decided.append((call, min(found, key=lambda one: _STRICT.index(one.outcome))))
            earlier = [*earlier, Done(call.tool, call.arguments or {})]
        return decided

    def _asked(
        self,
        decided: _Decided,
        waiting: _Decided,
        before: Sequence[object],
        step: Sequence[Call] | None = None,
    ) -> _Decided:
        """Ask a person about the calls that wait; return the decisions with the answer."""
        try:
            answer = interrupt(self._question(waiting))
        except GraphInterrupt:
            self._record(decided)
            raise
        approvals = {call.id: _approval(answer, call) for call, _ in waiting}
        calls = [call for call, _ in decided] if step is None else step
        for call, _ in waiting:
            with spans.resume(self._tracer, call.tool, approvals[call.id], call_id=call.id):
                pass
        mine = {call.id for call, _ in decided}
        again = [pair for pair in self._decide(calls, before, approvals) if pair[0].id in mine]
        self._record(again)
        return again

    def _question(self, waiting: _Decided) -> dict[str, Any]:
        asked = [
            {
                "tool": call.tool,
                "call_id": call.id,
                "arguments": dict(call.arguments or {}),
                "waits_for": [reason.name for reason in decision.reasons],
                "text": f"{call_text(call.tool, call.arguments or {})}: "
                + " ".join(reason.say[self._language] for reason in decision.reasons),
            }
            for call, decision in waiting
        ]
        return {
            "kind": "interrupt",
            "outcome": "confirm",
            "language": self._language,
            **asked[0],
            "text": " ".join(str(each["text"]) for each in asked),
            "calls": asked,
        }

    def _record(self, decided: _Decided) -> None:
        for call, decision in decided:
            with spans.tool_check(
                self._tracer,
                call.tool,
                call.arguments or {},
                call_id=call.id,
                labels=decision.labels,
            ) as span:
                location = decision.reason.location if decision.reason else None
                span.decided(
                    decision.outcome,
                    decision.decided_by,
                    rule=decision.rule,
                    reasons=[reason.name for reason in decision.reasons],
                    rule_file=location.file if location else None,
                    rule_line=location.line if location else None,
                )

    def _result(self, call: Call, decision: Decision) -> ToolMessage:
        """Return the result of a call that is not run."""
        if decision.outcome == "refuse":
            why = [r.say[self._language] for r in decision.reasons if r.outcome == "refuse"]
            return self._message(call, " ".join(why))
        return self._message(call, _say(_NOT_RUN, self._language, tool=call.tool))

    def _message(self, call: Call, text: str) -> ToolMessage:
        return ToolMessage(text, tool_call_id=call.id, name=call.tool, status="error")


def _unclear(call: Call, labels: Sequence[str]) -> Decision:
    """Refuse a call whose id does not tell it from another, as no answer and no result would."""
    say: Sentences = {language: text.format(tool=call.tool) for language, text in _UNCLEAR.items()}
    reason = Reason("catalogue", "refuse", "unclear_call_id", say)
    return Decision("refuse", "catalogue", (reason,), tuple(labels))


def _approval(answer: object, call: Call) -> Literal["approve", "decline"]:
    given = answer.get(call.id) if isinstance(answer, Mapping) else answer
    return "approve" if given == "approve" else "decline"


def _say(sentences: Sentences, language: Language, **words: str) -> str:
    return sentences[language].format(**words)


_STRICT = ("refuse", "confirm", "allow")
_UNCLEAR: Sentences = {
    "en": "{tool} was not run: its call has no id of its own.",
    "pt-BR": "{tool} não foi executada: a chamada não tem um id só dela.",
}
_NOT_RUN: Sentences = {
    "en": "{tool} was not run: another call of the same step was refused.",
    "pt-BR": "{tool} não foi executada: outra chamada do mesmo passo foi recusada.",
}
_WAITS: Sentences = {
    "en": "This was not run: {tool}, of the same step, waits for a person. Ask for it again after.",
    "pt-BR": "Isto não foi executado: {tool}, do mesmo passo, espera por uma pessoa. "
    "Peça de novo depois.",
}
