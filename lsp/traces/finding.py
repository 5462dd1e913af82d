"""Where traces are: the files of the workspace that match and look like records of runs.

A folder may hold a million files, so that a search looks at the nearest folders first and ends
after so many entries; folders of tools (`node_modules`, those with a dot) are not looked into
unless a pattern names them.
"""

import json
import os
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from stalwart_lang.lsp.configuration import DEFAULT_TRACES

_ENTRIES, _ENTRIES_OF_A_FOLDER = 300_000, 100_000
_SLICE = 200
_IGNORED = frozenset(("node_modules", "__pycache__", "site-packages", "venv"))
_HEAD = 2**13
_LINES = 5
_RECORDS = re.compile(rb'\s*\{\s*("type"\s*:\s*"(span|start)"|"resourceSpans"\s*:)')
_PIECES = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]/]+\]|\{[^}]*\}|.", re.DOTALL)
_MAGIC = re.compile(r"[*?\[{]")


@dataclass(frozen=True)
class Places:
    """Where to look: glob patterns, relative to the workspace's folders or absolute.

    `**`, `*`, `?`, `[a-z]` and `{a,b}` are as in the protocol; what a pattern that begins with `!`
    matches is left out.
    """

    folders: tuple[Path, ...] = ()
    patterns: tuple[str, ...] = DEFAULT_TRACES

    def match(self, path: Path) -> bool:
        """Whether a file is at one of these places and in no folder that is left out."""
        text = path.as_posix()
        for base, wanted in self._searched.items():
            if (base == path or base in path.parents) and any(
                each.fullmatch(text) for each in wanted
            ):
                between = path.relative_to(base).parts[:-1]
                return not any(map(_is_ignored, between)) and not self._is_left_out(text)
        return False

    def files(self, tell: Callable[[str], None], pause: Callable[[], None]) -> Iterator[Path]:
        """Yield the files at these places, each once; `pause` is called between some entries.

        `tell` hears the folder at which a search ended before its end.
        """
        seen: set[str] = set()
        for base, wanted in self._searched.items():
            for path in _walked(base, tell, pause):
                if path not in seen:
                    text = path.replace(os.sep, "/")
                    if any(each.fullmatch(text) for each in wanted) and not self._is_left_out(text):
                        seen.add(path)
                        yield Path(path)

    @cached_property
    def _searched(self) -> Mapping[Path, list[re.Pattern[str]]]:
        """By the folder to search in, the patterns of whole paths."""
        found: dict[Path, list[re.Pattern[str]]] = {}
        for pattern in self.patterns:
            if not pattern.startswith("!"):
                for base, wanted in self._whole(pattern):
                    found.setdefault(base, []).append(wanted)
        return found

    @cached_property
    def _left_out(self) -> list[re.Pattern[str]]:
        patterns = [pattern[1:] for pattern in self.patterns if pattern.startswith("!")]
        return [wanted for pattern in patterns for _, wanted in self._whole(pattern)]

    def _whole(self, pattern: str) -> Iterator[tuple[Path, re.Pattern[str]]]:
        """Yield the folders that a pattern is about: what has no magic in it is a path."""
        pattern = pattern.replace("\\", "/")
        if pattern.startswith("~/"):
            pattern = Path.home().as_posix() + pattern[1:]
        absolute = Path(pattern).is_absolute()
        plain = _MAGIC.split(pattern, maxsplit=1)[0]
        above = plain if plain == pattern else plain[: plain.rfind("/") + 1]
        rest = pattern[len(above) :].lstrip("/") if plain != pattern else ""
        for folder in (Path("/"),) if absolute else self.folders:
            base = Path(os.path.normpath(folder / (above if absolute else f"./{above}")))
            fixed = re.escape(base.as_posix().rstrip("/"))
            yield base, _compiled(f"{fixed}/{_regex(rest)}" if rest else fixed)

    def _is_left_out(self, path: str) -> bool:
        return any(pattern.fullmatch(path) for pattern in self._left_out)


def looks_like_a_trace(head: bytes) -> bool | None:
    """Whether a file that begins so holds records of runs; None if it does not tell yet."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    lines = head.split(b"\n")
    whole, begun = [line for line in lines[:-1] if line.strip()], lines[-1]
    if any(map(_is_record, whole[:_LINES])):
        return True
    if whole:
        return False
    if len(head) >= _HEAD or begun.rstrip().endswith(b"}"):
        return _RECORDS.match(begun) is not None
    return None


def head_of(path: Path) -> bytes:
    """Return how a file begins. Raises OSError."""
    with path.open("rb") as stream:
        return stream.read(_HEAD)


def _is_record(line: bytes) -> bool:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return _RECORDS.match(line) is not None
    if not isinstance(record, dict):
        return False
    return isinstance(record.get("resourceSpans"), list) or (
        record.get("type") in ("span", "start")
        and isinstance(record.get("trace_id"), str)
        and isinstance(record.get("span_id"), str)
    )


def _walked(base: Path, tell: Callable[[str], None], pause: Callable[[], None]) -> Iterator[str]:
    """Yield the files below a folder, the nearest first; or the file itself."""
    try:
        if base.is_file():
            yield str(base)
            return
    except OSError:
        return
    waiting, looked_at = deque([str(base)]), 0
    while waiting:
        folder = waiting.popleft()
        in_this = 0
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if in_this == _ENTRIES_OF_A_FOLDER or looked_at == _ENTRIES:
                        tell(folder)
                        break
                    in_this += 1
                    looked_at += 1
                    if not looked_at % _SLICE:
                        pause()
                    if _is_folder(entry):
                        if not _is_ignored(entry.name):
                            waiting.append(entry.path)
                    else:
                        yield entry.path
        except OSError:
            continue  # it went away meanwhile, or is not for us
        if looked_at == _ENTRIES:
            return


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_ignored(folder: str) -> bool:
    return folder.startswith(".") or folder in _IGNORED


def _compiled(regex: str) -> re.Pattern[str]:
    try:
        return re.compile(regex)
    except re.error:  # a set of characters such as [z-a]: it matches nothing
        return re.compile(r"(?!)")


def _regex(glob: str) -> str:
    """Return a glob as a regular expression of whole paths."""
    made = []
    for piece in _PIECES.findall(glob):
        if piece == "**/":
            made.append("(?:[^/]+/)*")
        elif piece == "**":
            made.append(".*")
        elif piece == "*":
            made.append("[^/]*")
        elif piece == "?":
            made.append("[^/]")
        elif len(piece) > 1 and piece.startswith("["):
            inner = re.sub(r"[\\\[&~|]", r"\\\g<0>", piece[1:-1])
            made.append(f"[^/{inner[1:]}]" if inner.startswith(("!", "^")) else f"[{inner}]")
        elif len(piece) > 1 and piece.startswith("{"):
            made.append("(?:" + "|".join(map(_regex, piece[1:-1].split(","))) + ")")
        else:
            made.append(re.escape(piece))
    return "".join(made)
