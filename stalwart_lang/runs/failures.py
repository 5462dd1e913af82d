"""What is logged where an author's function fails; replies and spans have its class alone."""

import logging

from stalwart_lang.runs.model import BadAnswer
from stalwart_lang.tracing.errors import error_type

FAILURES = "stalwart_lang.runs.failures"
"""The name of the logger."""

_LOG = logging.getLogger(FAILURES)


def log_failure(what: str, error: BaseException) -> None:
    """Log that something failed: its class as a warning, the traceback at INFO.

    What an error says may quote what a person wrote, so that only who asks for INFO has it; but
    for BadAnswer, which quotes nothing.
    """
    kind = f"{error_type(error)}: {error}" if isinstance(error, BadAnswer) else error_type(error)
    _LOG.warning("%s failed: %s (the traceback is logged at INFO)", what, kind)
    _LOG.info("%s failed", what, exc_info=error)
