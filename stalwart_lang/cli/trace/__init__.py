"""`stalwart trace`: runs read back from what their tracers wrote. A module a command."""

from collections.abc import Mapping

import click

from stalwart_lang.cli.closed_pipe import reader_may_leave
from stalwart_lang.cli.errors import Unreadable
from stalwart_lang.cli.lazy_group import LazyGroup

_LINES: Mapping[str, str] = {
    "diff": "Find the first step where two runs part.",
    "export": "Write runs in the format of other tools.",
    "html": "Make a page of a run.",
    "show": "Print runs step by step.",
    "stats": "Count over runs.",
    "tree": "Print runs as trees.",
}
_COMMANDS = {name: (f"{__name__}.{name}:{name}", line) for name, line in _LINES.items()}
"""A command's name is also its module's and the function's in it."""

_OF_THE_EXTRA = ("jinja2", "msgspec", "rich", "zstandard")


class _TraceGroup(LazyGroup):
    """Says which extra is missing, and ends quietly when its reader has gone away."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            with reader_may_leave():
                return super().invoke(ctx)
            return None  # the reader left
        except ModuleNotFoundError as error:
            if error.name not in _OF_THE_EXTRA:
                raise
            raise Unreadable(
                f"stalwart trace needs {error.name}: pip install 'stalwart-lang[trace]'"
            ) from error
        finally:
            with reader_may_leave():  # where it ended with another exit code than 0
                pass


@click.group(
    cls=_TraceGroup, lazy=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
def trace() -> None:
    """Show what a run did, from the file its tracer wrote or from its agent's store.

    FILE is JSON lines (this project's, or OTLP/JSON), plain or compressed with gzip or Zstandard;
    `-` is standard input.

    Exit codes: 0 done, 1 the answer is no (two runs differ), 2 bad usage, or FILE cannot be read
    or holds nothing to show.
    """
