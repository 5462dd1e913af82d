"""What the command line says when it cannot go on."""

import click


class Unreadable(click.ClickException):
    """Input that cannot be read: exit code 2."""

    exit_code = 2


def unreadable(file: str, error: OSError) -> Unreadable:
    """Return the error to raise for a file that cannot be opened, read or written."""
    return Unreadable(f"{file}: {error.strerror or error}")
