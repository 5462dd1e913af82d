"""`stalwart trace`: runs read back from what their tracers wrote. A module a command."""

from collections.abc import Mapping
from importlib import import_module

import click

from stalwart_lang.cli.errors import Unreadable

_COMMANDS: Mapping[str, str] = {
    "diff": "Find the first step where two runs part.",
    "export": "Write runs in the format of other tools.",
    "html": "Make a page of a run.",
    "show": "Print runs step by step.",
    "stats": "Count over runs.",
    "tree": "Print runs as trees.",
}
"""A command's name, which is also its module's and the function's in it, and its line of help."""

_OF_THE_EXTRA = ("jinja2", "msgspec", "rich", "zstandard")


class _LazyGroup(click.Group):
    """A group whose commands are imported when they are called; its help imports none."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, _context: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = getattr(import_module(f"{__name__}.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            if error.name not in _OF_THE_EXTRA:
                raise
            raise Unreadable(
                f"stalwart trace needs {error.name}: pip install 'stalwart-lang[trace]'"
            ) from error

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
def trace() -> None:
    """Show what a run did, from the file its tracer wrote or from its agent's store.

    FILE is JSON lines (this project's, or OTLP/JSON), plain or compressed with gzip or Zstandard;
    `-` is standard input.

    Exit codes: 0 done, 1 the answer is no (two runs differ), 2 bad usage, or FILE cannot be read
    or holds nothing to show.
    """
