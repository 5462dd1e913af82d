"""An agent that tells on its output what it does, to be killed by test_tracing_file.py."""

import itertools
import os
import sys
from contextlib import contextmanager

from stalwart_lang.tracing import JsonLinesTracer

path, way, acts = sys.argv[1], sys.argv[2], int(sys.argv[3])
tracer = JsonLinesTracer(path)
told = itertools.count(1)


def tell(act: str, key: str) -> None:
    os.write(1, f"{act} {key}\n".encode())
    if way == "os._exit" and next(told) >= acts:
        os._exit(7)


@contextmanager
def traced(key: str):
    tell("opening", key)
    with tracer.span("act", {"key": key}):
        tell("opened", key)
        yield
    tell("ended", key)


def work(process: str) -> None:
    for turn in itertools.count():
        with traced(f"{process}.{turn}"):
            for tool in range(3):
                with traced(f"{process}.{turn}.{tool}"):
                    pass


if way == "fork":
    with traced("root"):
        if os.fork() == 0:
            for turn in range(20):
                with traced(f"child.{turn}"):
                    pass
            os._exit(0)
        work("parent")
work("only")
