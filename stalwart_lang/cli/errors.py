"""What the command line says when it cannot go on."""

import click

from stalwart_lang.terminal import printable


class Unreadable(click.ClickException):
    """Input that cannot be read: exit code 2."""

    exit_code = 2


def unreadable(file: str, error: OSError) -> Unreadable:
    """Return the error to raise for a file that cannot be opened, read or written."""
    return Unreadable(printable(f"{file}: {error.strerror or error}"))
