"""The command `stalwart`. Each group of commands is a module, imported only when it is called."""

import gc
import io
import sys
from collections.abc import Mapping

import click

from stalwart_lang.cli.lazy_group import LazyGroup

_BETWEEN_COLLECTIONS = 50_000
"""Objects made before cycles are looked for: what a command makes mostly lives until its end."""

_COMMANDS: Mapping[str, tuple[str, str]] = {
    "chat": ("stalwart_lang.cli.chat:chat", "Talk with an agent."),
    "lsp": ("stalwart_lang.cli.lsp:lsp", "Serve editors."),
    "plan": ("stalwart_lang.cli.plan:plan", "Read a turn and print its plan."),
    "state": ("stalwart_lang.cli.state:state", "Check the state that runs keep."),
    "trace": ("stalwart_lang.cli.trace:trace", "Show what a run did."),
    "vocabulary": ("stalwart_lang.cli.vocabulary:vocabulary", "Check and test vocabularies."),
}
"""A command's name, where it is (`module:attribute`), and its line in the help."""


@click.group(
    cls=LazyGroup, lazy=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
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
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    stalwart(prog_name="stalwart")
