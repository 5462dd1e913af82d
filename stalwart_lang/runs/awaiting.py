"""What authors' functions give, async or not, waited for."""

import asyncio
import inspect
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any


def waited_for(came: Any) -> Any:
    """Return what a function gave; of a coroutine function, what it gives in the end.

    It is run in a loop of its own: where one runs already in this thread, in another thread.
    """
    if not inspect.isawaitable(came):
        return came
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_awaited(came))
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, _awaited(came)).result()


async def _awaited(came: Awaitable[Any]) -> Any:
    return await came
