"""The command `stalwart`. Each group of commands is a module, imported only when it is called."""

import io
import sys
from collections.abc import Mapping
from importlib import import_module

import click

_COMMANDS: Mapping[str, tuple[str, str]] = {
    "chat": ("stalwart_lang.cli.chat:chat", "Talk with an agent."),
    "lsp": ("stalwart_lang.cli.lsp:lsp", "Serve editors."),
    "plan": ("stalwart_lang.cli.plan:plan", "Read a turn and print its plan."),
    "state": ("stalwart_lang.cli.state:state", "Check the state that runs keep."),
    "trace": ("stalwart_lang.cli.trace:trace", "Show what a run did."),
    "vocabulary": ("stalwart_lang.cli.vocabulary:vocabulary", "Check and test vocabularies."),
}
"""A command's name, where it is (`module:attribute`), and its line in the help."""


class _LazyGroup(click.Group):
    """A group whose commands are imported when they are called; its help imports none."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, _context: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in sorted(_COMMANDS.items())])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="stalwart-lang")
def stalwart() -> None:
    """Agents that are read exactly, checked before they act, and explained afterwards.

    Exit codes: 0 done, 1 the answer is no (a turn not read, a check that fails), 2 bad usage or
    unreadable input.
    """


def main() -> None:
    """Run the command line; text goes out as UTF-8 whatever the locale."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    stalwart(prog_name="stalwart")
