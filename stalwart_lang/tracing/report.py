"""Telling once, in the log, that tracing does not work; the agent goes on."""

import logging

_log = logging.getLogger("stalwart_lang.tracing")


class Reporter:
    """Reports the first failure as a warning of the logger `stalwart_lang.tracing`."""

    __slots__ = ("_reported",)

    def __init__(self) -> None:
        self._reported = False

    def report(self, what: str, error: BaseException) -> None:
        """Report `what` and the error, unless something was reported before.

        Of an error only the type is told where it is not the system's: its text may be content.
        """
        if not self._reported:
            self._reported = True
            told = error if isinstance(error, OSError) else type(error).__qualname__
            _log.warning("%s: %s", what, told)
