"""Two things done at once, the second in a process of its own."""

import os
import sys
from collections.abc import Callable
from threading import active_count
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

A = TypeVar("A")
B = TypeVar("B")


def both(first: Callable[[], A], second: Callable[[], B], at_once: bool) -> tuple[A, B]:
    """Return what two functions return; with `at_once` the second runs in a forked process.

    Where no process can be forked, or the forked one comes to no end, the second runs here. What it
    returns must pickle. Exceptions of both are raised here.
    """
    if not at_once or not _can_fork():
        return first(), second()
    import multiprocessing

    context: Any = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(second, sender), daemon=True)
    process.start()
    sender.close()
    try:
        ours = first()
        try:
            ok, theirs = receiver.recv()
        except EOFError:  # it was killed, for want of memory say
            return ours, second()
    finally:
        receiver.close()
        process.terminate()
        process.join()
    if not ok:
        raise theirs
    return ours, theirs


def _can_fork() -> bool:
    if sys.platform in ("win32", "darwin"):  # the libraries of macOS do not outlive a fork
        return False
    # A lock that another thread holds would stay locked.
    return (os.cpu_count() or 1) > 1 and active_count() == 1


def _send(function: Callable[[], object], sender: "Connection[Any, Any]") -> None:
    try:
        sender.send((True, function()))
    except Exception as error:
        sender.send((False, error))
