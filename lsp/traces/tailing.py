"""What is new of a file that grows: whole lines, from where the last reading ended.

A file is known by its device and inode and by how it begins, so that one that was renamed
(`run.jsonl` to `run.1.jsonl`) goes on where it was, and one that took its place is told from it,
also where the file system gives it the inode of the one before.
"""

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, TypeAlias

_LONGEST_LINE = 2**22
"""A line of more bytes is passed over, so that it is not held in memory."""

_BLOCK = 2**16
_HEAD = 256
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Identity: TypeAlias = tuple[int, int]
Change: TypeAlias = Literal["none", "grown", "another", "gone"]


class Replaced(Exception):
    """Raised where a file does not begin as it did: another took its place."""


class Block(NamedTuple):
    """Whole lines of a file; `offset` (in bytes) and `line` (from 0) tell where they begin."""

    lines: bytes
    offset: int
    line: int


@dataclass(slots=True)
class Tail:
    """A file up to where it was read: `offset` is the end of its last whole line."""

    path: Path
    identity: Identity
    offset: int = 0
    line: int = 0
    _size: int = 0
    _changed_ns: int = -1
    _head: bytes = b""
    _begun: bytearray = field(default_factory=bytearray)
    _passed: int = 0

    def look(self) -> Change:
        """Return what became of the file since it was read to its end.

        `another` is one of the same name, or the same one cut short.

        Raises:
            OSError: the file cannot be looked at, though it may be there.
        """
        try:
            status = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return "gone"
        if not stat.S_ISREG(status.st_mode):
            return "gone"
        if identity_of(status) != self.identity or status.st_size < self._read_to:
            return "another"
        if (status.st_size, status.st_mtime_ns) == (self._size, self._changed_ns):
            return "none"
        return "grown"

    def read(self) -> Iterator[Block]:
        """Yield what is new, some tens of kilobytes at a time.

        May be left before its end and called again.

        Raises:
            OSError: the file cannot be read.
            Replaced: it is another file than before.
        """
        with self.path.open("rb") as stream:
            status = os.fstat(stream.fileno())
            head = stream.read(_HEAD)
            if identity_of(status) != self.identity or not head.startswith(self._head):
                raise Replaced
            self._head = head
            if not self._read_to and head.startswith(_BYTE_ORDER_MARK):
                self.offset = len(_BYTE_ORDER_MARK)
            stream.seek(self._read_to)
            yield from self._blocks(stream)
            self._size, self._changed_ns = status.st_size, status.st_mtime_ns

    def take_last(self) -> Block | None:
        """Return the last line, which has no end (yet), if it is whole all the same."""
        line = bytes(self._begun)
        if not line.rstrip().endswith(b"}"):
            return None
        try:
            json.loads(line)
        except (ValueError, RecursionError):
            return None
        self._begun.clear()
        block = Block(line, self.offset, self.line)
        self.offset += len(line)
        return block

    @property
    def _read_to(self) -> int:
        return self.offset + self._passed + len(self._begun)

    def _blocks(self, stream: BinaryIO) -> Iterator[Block]:
        while piece := stream.read(_BLOCK):
            if self._passed:
                end = piece.find(b"\n") + 1
                if not end:
                    self._passed += len(piece)
                    continue
                self.offset += self._passed + end
                self.line += 1
                self._passed = 0
                piece = piece[end:]
            end = piece.rfind(b"\n") + 1
            lines = bytes(self._begun) + piece[:end] if end else b""
            if end:
                self._begun.clear()
            self._begun += piece[end:]
            if len(self._begun) > _LONGEST_LINE:
                self._passed = len(self._begun)
                self._begun.clear()
            if end:
                block = Block(lines, self.offset, self.line)
                self.offset += len(lines)
                self.line += lines.count(b"\n")
                yield block


def identity_of(status: os.stat_result) -> Identity:
    """Return what a file keeps when it is renamed."""
    return status.st_dev, status.st_ino
