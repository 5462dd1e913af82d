"""The rounds of a run's agents, and the loops in them.

A round is a model call and the tools that run below it, or, where they are recorded beside it,
after it. An agent without model calls has a round for each tool that it calls.
"""

import hashlib
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from stalwart_lang.loops import (
    TIMES,
    WINDOW,
    CallSignature,
    RepeatedCall,
    RoundSignature,
    RunLoop,
    find_loops,
)
from stalwart_lang.timeline.stats.lineage import Key, Lineage
from stalwart_lang.timeline.stats.passing import Passed

FEWEST_IN_A_LOOP = 3
"""Calls without which there is none: a call repeats `TIMES` times, and a loop has 4 rounds."""


@dataclass(slots=True)
class _Agent:
    """The calls of an agent's rounds, by the span that each round began with."""

    rounds: dict[str, list[CallSignature | None]] = field(default_factory=dict)
    has_models: bool = False
    last: str = ""


def loops_and_repeated(
    models: Sequence[Passed], tools: Sequence[Passed], lineage: Lineage
) -> tuple[tuple[RunLoop, ...], tuple[RepeatedCall, ...]]:
    """Return the loops of a run's agents, and the calls that it made three times or more."""
    known = arguments_of(tools)
    if len(known) - len(set(known)) < FEWEST_IN_A_LOOP - 1:
        return (), ()  # as most runs: this is soon seen
    again = [tools[place] for place in again_and_again(known)]
    loops: list[RunLoop] = []
    if _may_be_rounds_of_a_loop(again, models, tools):
        for agent in _agents(models, tools, set(map(id, again)), lineage):
            loops += _loops(agent)
    return tuple(loops), _repeated(again)


def _repeated(again: Sequence[Passed]) -> tuple[RepeatedCall, ...]:
    times = Counter(map(call_signature, again))
    if max(times.values(), default=0) < TIMES:
        return ()
    first: dict[CallSignature | None, Passed] = {}
    for span in again:
        known = first.setdefault(call_signature(span), span)
        if span.start < known.start:
            first[call_signature(span)] = span
    return tuple(
        RepeatedCall(call, count, first[call].span_id)
        for call, count in times.most_common()
        if call is not None and count >= TIMES
    )


def _may_be_rounds_of_a_loop(
    again: Sequence[Passed], models: Sequence[Passed], tools: Sequence[Passed]
) -> bool:
    """Return False where there are too few rounds of which all calls were made again."""
    if len(again) < WINDOW:
        return False
    rounds = Counter([span.parent_id for span in again])
    if rounds.keys() <= {span.span_id for span in models}:
        calls = Counter([span.parent_id for span in tools])
        return sum(calls[model] == count for model, count in rounds.items()) >= WINDOW
    return True


def _agents(
    models: Sequence[Passed], tools: Sequence[Passed], again: Container[int], lineage: Lineage
) -> Iterable[_Agent]:
    """Return the agents with their rounds; `again` are the ids of the calls made again."""
    agents: dict[Key | None, _Agent] = {}
    of_tools = set(map(id, tools))
    for span in sorted((*models, *tools), key=attrgetter("start")):
        agent_key, model = lineage.owner(span.parent_id)
        agent = agents.get(agent_key)
        if agent is None:
            agent = agents[agent_key] = _Agent()
        if id(span) not in of_tools:
            if model is None:
                agent.has_models = True
                agent.last = span.span_id
                agent.rounds[span.span_id] = []
            continue
        call = call_signature(span) if id(span) in again else None
        if not agent.has_models:
            agent.rounds[span.span_id] = [call]
        else:
            begun_by = model if isinstance(model, str) and model in agent.rounds else agent.last
            agent.rounds[begun_by].append(call)
    return agents.values()


def arguments_of(tools: Sequence[Passed]) -> list[str | None]:
    """Return what stands for the arguments of each call."""
    digests = [span.attributes.digest for span in tools]
    if None not in digests:
        return digests
    told = [span.attributes for span in tools]
    return [one.digest or one.arguments or one.foreign_arguments for one in told]


def again_and_again(known: Sequence[str | None]) -> list[int]:
    """Return the places of the arguments that other calls have too: these may be in loops."""
    times = Counter(known)
    if len(times) == len(known):
        return []
    del times[None]
    return [place for place, arguments in enumerate(known) if times[arguments] > 1]


def call_signature(span: Passed) -> CallSignature | None:
    """Return the signature of a call, None where its arguments are not recorded in any form."""
    told = span.attributes
    if told.digest is not None:
        return tool_of(span), told.digest
    text = told.arguments if told.arguments is not None else told.foreign_arguments
    if text is None:
        return None
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return tool_of(span), digest[:16]


def tool_of(span: Passed) -> str:
    """Return the name of the tool that a span is about."""
    return span.attributes.tool or span.name


def _loops(agent: _Agent) -> list[RunLoop]:
    signatures = [_signature(calls) for calls in agent.rounds.values()]
    if len(signatures) - signatures.count(None) < WINDOW:
        return []
    began = [*agent.rounds]
    return [RunLoop(loop, began[loop.start]) for loop in find_loops(signatures)]


def _signature(calls: list[CallSignature | None]) -> RoundSignature | None:
    known = [call for call in calls if call is not None]
    return tuple(sorted(known)) if known and len(known) == len(calls) else None
