"""A program that runs E6 and is killed at one moment after the other, and each time taken up again.

Its arguments are a folder and the URL of a store; it prints a line of JSON for each moment at which
it was killed. Each attempt is a process of its own, forked from this one, which has opened nothing.
A moment is a write to the store: the engine's checkpoints and writes, and our calls and answers.
Killed before the write and after it, a process was killed before, between and after all effects
that can be told apart from outside.
"""

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict
from functools import partial, wraps
from pathlib import Path
from typing import Any

import langgraph.checkpoint.sqlite
import langgraph.graph  # noqa: F401
import psycopg  # noqa: F401
from ledger_shop import TURNS, Shop

import stalwart_lang.runs.graph
import stalwart_lang.selector.compile  # noqa: F401
from stalwart_lang import Agent, Reply


def killed_at(agent: Agent, moment: int, when: str) -> list[str]:
    """Let the process be killed before or after its write of that number; return all writes."""
    writes: list[str] = []

    def watched(write: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(write)  # the engine looks at what it takes
        def at_the_moment(*args: Any, **kwargs: Any) -> Any:
            if write.__name__ == "execute" and args[0].startswith("SELECT"):
                return write(*args, **kwargs)
            writes.append(write.__name__)
            now = len(writes) == moment
            if now and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            made = write(*args, **kwargs)
            if now and when == "after":
                os.kill(os.getpid(), signal.SIGKILL)
            return made

        return at_the_moment

    database = agent._storage._database
    for owner, name in (
        (database, "execute"),
        (database.saver, "put"),
        (database.saver, "put_writes"),
    ):
        setattr(owner, name, watched(getattr(owner, name)))
    return writes


def in_a_process(act: Callable[[], Any]) -> Any:
    """Do it in a forked process; return what it returned, None where it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        status = 1
        try:
            os.write(writing, json.dumps(act()).encode())
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    with open(reading, "rb") as pipe:  # noqa: PTH123
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return None
    assert os.WEXITSTATUS(status) == 0
    return json.loads(said)


def to_the_end(agent: Agent, user: str, text: str, language: str) -> Reply:
    """Say a turn and approve what waits."""
    reply = agent.chat(text, user=user, language=language)
    while reply.waiting:
        reply = agent.confirm(user, "approve", pause=reply.waiting.pause)
    return reply


def until_killed(shop: Shop, user: str, language: str, moment: int, when: str) -> dict[str, Any]:
    with Agent.from_file(shop.file) as agent:
        writes = killed_at(agent, moment, when)
        reply = to_the_end(agent, user, TURNS[language], language)
        return {"writes": writes, **asdict(reply)}


def taken_up(shop: Shop, user: str, language: str) -> list[dict[str, Any]]:
    with Agent.from_file(shop.file) as agent:
        reply = to_the_end(agent, user, "-", language)
        return [asdict(reply), asdict(agent.chat("show order 5", user=user, language="en"))]


def main(folder: Path, store: str) -> None:
    whole = Shop(folder / "whole", store)
    kinds = in_a_process(partial(until_killed, whole, "whole", "en", 0, ""))["writes"]
    for moment, kind in enumerate(kinds, 1):
        # Between two of the engine's own writes nothing happens that is seen from outside.
        for when in ("before", "after") if kind == "execute" else ("before",):
            user, language = f"u-{moment}-{when}", ("en", "pt-BR")[moment % 2]
            shop = Shop(folder / user, store)
            killed = in_a_process(partial(until_killed, shop, user, language, moment, when)) is None
            before = shop.ledger
            reply, after = in_a_process(partial(taken_up, shop, user, language))
            line = {"user": user, "store": shop.store, "language": language, "killed": killed}
            line |= {"before": before, "ledger": shop.ledger, "reply": reply, "after": after}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
