"""A file that a command writes: there whole or not at all."""

import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import click

from stalwart_lang.cli.errors import unreadable


def write_whole(output: str, file: str, pieces: Iterable[bytes]) -> None:
    """Write `pieces` to `output`; it is put in its place once all of it is written.

    A device or a pipe is written as the pieces come. Raises a usage error where `output` is `file`,
    which is read meanwhile, and `Unreadable` where it cannot be written.
    """
    try:
        target = Path(output).resolve()
        if target.exists() and Path(file).exists() and target.samefile(file):
            raise click.UsageError(f"{output}: OUT is FILE itself; name another.")
        if target.exists() and not target.is_file():  # a device or a pipe; a folder is refused here
            with target.open("wb") as stream:
                stream.writelines(pieces)
        else:
            _write_beside(target, pieces)
    except OSError as error:
        raise unreadable(output, error) from error


def _write_beside(target: Path, pieces: Iterable[bytes]) -> None:
    """Write a file beside `target` and put it in its place, so that no half of it is ever seen."""
    beside = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as stream:
            if target.exists():  # whoever may read it today may read it tomorrow, and nobody else
                beside.chmod(target.stat().st_mode & 0o777)
            stream.writelines(pieces)
        beside.replace(target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
