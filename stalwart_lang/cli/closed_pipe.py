"""Standard output that nobody reads any more, as `head` leaves it, is no error."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def reader_may_leave() -> Generator[None, None, None]:
    """Print what is to be printed within; if nobody reads it any more, it ends quietly."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # What is left would be tried once more as the process ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
