"""Speaking over stdin and stdout, on which nothing but the protocol is ever written.

pygls reads stdin in the threads that also run its handlers; here the loop reads it, so that a
message is handled as soon as it is there, whatever the threads are doing.
"""

import asyncio
import logging
import os
import sys
from threading import Event
from typing import TYPE_CHECKING, BinaryIO

from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async

if TYPE_CHECKING:
    from pygls.io_ import AsyncReader
    from pygls.server import JsonRPCServer

_log = logging.getLogger(__name__)

_LIMIT = 2**20


def take_stdout() -> BinaryIO:
    """Stdout for the protocol alone: what else is printed, here or by a library, goes to stderr."""
    sys.stdout.flush()
    descriptor = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(descriptor, "wb")


def serve(server: "JsonRPCServer", stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Serve one client until it says so or is gone; give the exit code of the protocol."""
    server.protocol.set_writer(StdoutWriter(stdout))
    try:
        asyncio.run(_serve(server, stdin))
    except (BrokenPipeError, ConnectionError):
        _log.info("the client is gone")
    except KeyboardInterrupt:
        return 130
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    return 1


async def _serve(server: "JsonRPCServer", stdin: BinaryIO) -> None:
    await run_async(
        stop_event=Event(),
        reader=await _reader(stdin),
        protocol=server.protocol,
        logger=_log,
        error_handler=server.report_server_error,
    )


async def _reader(stdin: BinaryIO) -> "AsyncReader":
    """Read on the loop; from what is no pipe, or where the system cannot, in a thread."""
    reader = asyncio.StreamReader(limit=_LIMIT)
    loop = asyncio.get_running_loop()
    try:
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stdin)
    except (ValueError, NotImplementedError, OSError):
        return StdinAsyncReader(stdin)
    return reader
