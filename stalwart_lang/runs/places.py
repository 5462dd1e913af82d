"""Where an agent file says that runs are kept and spans are written."""

import os
from pathlib import Path

from stalwart_lang.diagnostics import quoted
from stalwart_lang.vocabulary.suggest import did_you_mean

SQLITE, POSTGRESQL = "sqlite", "postgresql"

_LOOKED_AT = 4_096


class UnusablePlace(ValueError):
    """A storage or a file that cannot be used; `fix` says what would mend it."""

    def __init__(self, message: str, fix: str | None = None) -> None:
        super().__init__(message)
        self.fix = fix


def storage_url(text: str, folder: Path) -> str:
    """The URL of a storage, a path in it made absolute from `folder`. Raises UnusablePlace.

    `sqlite:///runs.db` is a file in the folder, `sqlite:////var/runs.db` an absolute path; nothing
    in a path is escaped. `postgresql://` is given on as it is.
    """
    scheme, separator, rest = text.partition("://")
    if not separator:
        name = text.removeprefix(f"{SQLITE}:").lstrip("/")
        near = f"sqlite:///{name}" if Path(name).suffix else "sqlite:///runs.db"
        if text.startswith(("postgresql:", "postgres:")):
            near = "postgresql://" + text.partition(":")[2].lstrip("/")
        raise UnusablePlace("a storage is a URL", f"write {quoted(near)}")
    if scheme == POSTGRESQL or scheme == "postgres":
        return f"{POSTGRESQL}://{rest}"
    if scheme != SQLITE:
        fix = did_you_mean(scheme, (SQLITE, POSTGRESQL))
        raise UnusablePlace(f"no storage is of the kind {quoted(scheme)}", fix)
    if not rest.startswith("/"):
        fix = f"write {quoted('sqlite:///' + (rest or 'runs.db'))}"
        raise UnusablePlace("the file of an SQLite storage stands after three slashes", fix)
    name = rest[1:]
    if name in ("", ":memory:"):
        fix = "remove `storage:`, and runs are kept in memory"
        raise UnusablePlace("an SQLite storage is a file", fix)
    return f"{SQLITE}:///{_writable(name, folder).as_posix()}"


def trace_file(text: str, folder: Path) -> Path:
    """The file of a trace, made absolute from `folder`. Raises UnusablePlace."""
    if "://" in text:
        raise UnusablePlace("a trace is a file, not a URL", "write `run.jsonl`")
    file = _writable(text, folder)
    if _begins_otherwise(file):
        raise UnusablePlace(
            f"{quoted(text)} is there and is no trace: spans would be added to its end",
            "name a file of its own, such as `run.jsonl`",
        )
    return file


def _begins_otherwise(file: Path) -> bool:
    """Whether a file is there that does not begin as JSON lines do."""
    if not file.is_file():  # a pipe or a terminal may be written to
        return False
    try:
        with file.open("rb") as stream:
            begin = stream.read(_LOOKED_AT).lstrip()
    except OSError:  # it may be written and not read
        return False
    return bool(begin) and not begin.startswith(b"{")


def _writable(name: str, folder: Path) -> Path:
    if not name.strip() or "\0" in name:
        raise UnusablePlace(f"{quoted(name)} is no name of a file")
    file = Path(os.path.normpath(folder / name))
    if file.is_dir():
        raise UnusablePlace(f"{quoted(name)} is a folder", "name a file in it")
    parent = file.parent
    if not parent.is_dir():
        kind = "is no folder" if parent.exists() else "does not exist"
        raise UnusablePlace(f"the folder {quoted(str(Path(name).parent))} {kind}", "make it first")
    if not os.access(file if file.exists() else parent, os.W_OK):
        raise UnusablePlace(f"{quoted(name)} cannot be written", "change its rights, or its place")
    return file
