"""A program in which many processes say something to an agent at the same moment.

Its arguments are an agent file, whether each process opens the agent before (`opened`) or after
(`unopened`) that moment, and a list in JSON of what each says. It prints a list of what each was
told, in order, as JSON.
"""

import json
import os
import sys
import traceback
from typing import Any

import langgraph.checkpoint.sqlite
import langgraph.graph  # noqa: F401
import psycopg  # noqa: F401
from ledger_shop import say

import stalwart_lang.runs.graph
import stalwart_lang.selector.compile  # noqa: F401
from stalwart_lang import Agent


def racer(file: str, said: dict[str, Any], opened: bool, ready: int, start: int, told: int) -> None:
    agent = Agent.from_file(file) if opened else None
    os.write(ready, b".")
    os.read(start, 1)  # returns when the other end is closed
    with agent or Agent.from_file(file) as agent:
        os.write(told, json.dumps(say(agent, said)).encode())


def main(file: str, opened: bool, all_said: list[dict[str, Any]]) -> None:
    ready, is_ready = os.pipe()
    start, hold = os.pipe()
    reading = []
    for said in all_said:
        read, told = os.pipe()
        if os.fork() == 0:
            os.close(hold)
            try:
                racer(file, said, opened, is_ready, start, told)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        os.close(told)
        reading.append(read)
    for _ in all_said:
        os.read(ready, 1)
    os.close(hold)
    print(json.dumps([json.loads(open(read, "rb").read()) for read in reading]))  # noqa: PTH123, SIM115
    for _ in all_said:
        os.wait()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] == "opened", json.loads(sys.argv[3]))
