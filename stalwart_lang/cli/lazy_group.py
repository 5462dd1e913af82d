"""A group of commands that are imported when they are called; its help imports none."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """`lazy` has, by a command's name, where it is (`module:attribute`) and its line of help."""

    def __init__(self, *args: Any, lazy: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self._lazy = lazy

    def list_commands(self, _context: click.Context) -> list[str]:
        """Return the names, in order."""
        return sorted(self._lazy)

    def get_command(self, _context: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, if there is one of that name."""
        if cmd_name not in self._lazy:
            return None
        module, _, attribute = self._lazy[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each, importing none."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in sorted(self._lazy.items())])
