"""Where the files of a vocabulary are: on the disk, or among those that come with the package."""

import re
from pathlib import Path, PurePath

MAX_BYTES = 5_000_000
"""The size of one file."""

SHIPPED = "stalwart_lang/vocabularies"
"""The folder under which locations name the files of shipped vocabularies, on every machine."""

_SHIPPED_NAME = re.compile(r"[\w-]+")


def vocabulary_file(path_or_name: str | Path) -> str:
    """The file that a path, or the bare name of a shipped vocabulary (`shop`), stands for.

    A text without a separator and a suffix is a name; a `Path` is always a path.
    """
    if isinstance(path_or_name, str) and _SHIPPED_NAME.fullmatch(path_or_name):
        return f"{SHIPPED}/{path_or_name}.yaml"
    return str(path_or_name)


def read_disk(file: str) -> bytes:
    """A file on the disk. Raises OSError."""
    try:
        with Path(file).open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except ValueError as error:  # a NUL in the name
        raise FileNotFoundError(str(error)) from error


def read_shipped(file: str) -> bytes:
    """A file of the package's own, `stalwart_lang/vocabularies/shop.yaml`. Raises OSError."""
    from importlib.resources import files

    folder, _, name = PurePath(file).as_posix().rpartition("/")
    if folder != SHIPPED:
        raise FileNotFoundError(f"{file} is not among the shipped files")
    return (files(SHIPPED.replace("/", ".")) / name).read_bytes()


def read_file(file: str) -> bytes:
    """The content of one of `Vocabulary.files`. Raises OSError."""
    return read_shipped(file) if file.startswith(SHIPPED + "/") else read_disk(file)


def shipped_names() -> tuple[str, ...]:
    """The names of the vocabularies that come with the package."""
    from importlib.resources import files

    names = (entry.name for entry in files(SHIPPED.replace("/", ".")).iterdir())
    return tuple(sorted(n.removesuffix(".yaml") for n in names if n.endswith(".yaml")))
