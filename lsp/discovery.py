"""Finding the vocabularies and agent files of a workspace, within bounds."""

import os
import re
import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from stat import S_ISREG

MAX_ENTRIES = 100_000
MAX_SECONDS = 5.0
MAX_FILES = 2_000
"""The entries of folders that are looked at, the time it may take, the files that are kept."""

SUFFIXES = (".yaml", ".yml")
_HEAD = 16_384
_SKIPPED = frozenset(("node_modules", "__pycache__", "venv", "site-packages", "dist", "build"))
_OURS = re.compile(rb"^(?:\xef\xbb\xbf)?[\"']?(?:vocabulary|agents)[\"']?[ ]*:", re.MULTILINE)


def find_files(
    folders: Iterable[Path], max_entries: int = MAX_ENTRIES, max_files: int = MAX_FILES
) -> Iterator[Path | None]:
    """Find the files that look like ours, the shallow ones first; a last None if some were left.

    Hidden folders and those of packages and builds are passed over, symbolic links to folders too.
    """
    ends = time.monotonic() + MAX_SECONDS
    entries = files = 0
    waiting = deque(folders)
    while waiting:
        try:
            found = os.scandir(waiting.popleft())
        except OSError:
            continue
        with found:
            for entry in found:
                entries += 1
                if entries > max_entries or files >= max_files or time.monotonic() > ends:
                    yield None
                    return
                try:
                    if entry.is_dir(follow_symlinks=False):
                        if not entry.name.startswith(".") and entry.name not in _SKIPPED:
                            waiting.append(Path(entry.path))
                    elif entry.name.endswith(SUFFIXES) and looks_like_ours(Path(entry.path)):
                        files += 1
                        yield Path(entry.path)
                except OSError:
                    continue


def looks_like_ours(path: Path) -> bool:
    """Whether a file begins as a vocabulary or an agent file does. Raises OSError."""
    if not S_ISREG(path.stat().st_mode):  # a pipe would wait
        return False
    with path.open("rb") as stream:
        return _OURS.search(stream.read(_HEAD)) is not None
