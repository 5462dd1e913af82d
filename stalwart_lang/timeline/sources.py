"""The lines of a trace, from a file, a compressed file or standard input."""

import io
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from os import fstat
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol, cast

from stalwart_lang.timeline.records import CutShort

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STANDARD_INPUT = "-"

_GZIP = b"\x1f\x8b"
_ZSTANDARD = (
    b"\x28\xb5\x2f\xfd",
    *(bytes((first, 0x2A, 0x4D, 0x18)) for first in range(0x50, 0x60)),  # a frame to be skipped
)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_PIECE = 1024
"""Compressed bytes taken at once: what they unpack to (at worst 32 MiB) is held in memory."""
LONGEST = 2**25
"""Bytes of a line that are read. What is longer is no trace, and would fill the memory."""

TOO_LONG = f"the next line is longer than {LONGEST >> 20} MiB: it and what is after it is not read"

_SPOOLED_IN_MEMORY = 2**22
_BLOCK = 2**16
_PARTS_OF_LONGEST = LONGEST // _BLOCK


@dataclass(frozen=True, slots=True)
class Source:
    """A trace that can be read several times, one pass after another."""

    _stream: IO[bytes]
    _unpacker: "_Unpacker | None"

    def lines(self) -> Iterator[bytes]:
        """Yield its lines from the first one, as `open_lines` does."""
        self._stream.seek(0)
        return _lines(self._stream, self._unpacker)

    def blocks(self, passed: int = 0) -> Iterator[bytes]:
        """Yield it as blocks of some lines each, all of them whole.

        `passed` is how many bytes of blocks are passed over, to the end of one or of a line.
        """
        self._stream.seek(0)
        blocks = _blocks(self._stream, self._unpacker)
        if passed and self._unpacker is None:
            first = len(_BYTE_ORDER_MARK)
            marked = self._stream.read(first) == _BYTE_ORDER_MARK
            self._stream.seek(passed + (first if marked else 0))
            return _blocks(self._stream, None)
        while passed > 0:
            passed -= len(next(blocks, b"")) or passed
        return blocks


@contextmanager
def open_lines(path: str) -> Generator[Iterable[bytes], None, None]:
    """Open the lines of `path`, each with its end; `-` is standard input.

    What gzip or Zstandard compressed (their first bytes tell) is unpacked; a byte order mark is
    left out.

    Raises:
        OSError: `path` cannot be opened or read.
        CutShort: while iterating, after the last line that is read: the next one is longer than
            `LONGEST`, or compressed data ends early or is damaged.
    """
    with _open(path) as (stream, unpacker):
        yield _lines(stream, unpacker)


@contextmanager
def open_blocks(path: str) -> Generator[Iterable[bytes], None, None]:
    """Open `path` as `open_lines` does, as blocks of some lines, each whole."""
    with _open(path) as (stream, unpacker):
        yield _blocks(stream, unpacker)


@contextmanager
def open_source(path: str) -> Generator[Source, None, None]:
    """Open `path` as `open_lines` does, for several passes.

    What cannot be read twice (standard input, a pipe) or not twice at its price (compressed data)
    is kept in a temporary file meanwhile.
    """
    with _open(path) as (stream, unpacker):
        if unpacker is None and _is_a_file(stream):
            yield Source(stream, None)
            return
        with tempfile.SpooledTemporaryFile(_SPOOLED_IN_MEMORY) as spool:
            for block in iter(lambda: stream.read(_BLOCK), b""):
                spool.write(block)
            yield Source(cast(IO[bytes], spool), unpacker)


def is_compressed(path: Path) -> bool:
    """Whether a file begins as compressed data does. Raises OSError if it cannot be read."""
    with path.open("rb") as stream:
        return stream.read(4).startswith((_GZIP, *_ZSTANDARD))


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Unpacker(io.RawIOBase):
    """Compressed data, one member or frame after another, as a stream of what it holds.

    Where it ends early or is damaged the stream ends, and `wrong` says so: what was unpacked before
    that stays readable.
    """

    def __init__(
        self,
        stream: IO[bytes],
        name: str,
        make: Callable[[], _Decompressor],
        error: type[Exception],
    ) -> None:
        self._stream = stream
        self._name = name
        self._make = make
        self._error = error
        self._packed = b""
        self._unpacked = memoryview(b"")
        self._decompressor: _Decompressor | None = None
        self.wrong: str | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        while not self._unpacked and self.wrong is None:
            packed = self._packed or self._stream.read(_PIECE)
            self._packed = b""
            if not packed:
                if self._decompressor is not None:
                    self.wrong = f"the {self._name} data ends early"
                break
            self._unpack(packed)
        target = memoryview(buffer).cast("B")
        count = min(len(target), len(self._unpacked))
        target[:count] = self._unpacked[:count]
        self._unpacked = self._unpacked[count:]
        return count

    def _unpack(self, packed: bytes) -> None:
        if self._decompressor is None:
            self._decompressor = self._make()
        try:
            self._unpacked = memoryview(self._decompressor.decompress(packed))
        except self._error:
            self.wrong = f"the {self._name} data is damaged"
            return
        if self._decompressor.eof:
            self._packed = self._decompressor.unused_data
            self._decompressor = None


@contextmanager
def _open(path: str) -> Generator[tuple[IO[bytes], _Unpacker | None], None, None]:
    if path == STANDARD_INPUT:
        source = sys.stdin.buffer
        if not isinstance(source, io.BufferedReader):
            source = io.BufferedReader(cast(io.RawIOBase, source))
        yield _unpacked(source)
    else:
        with Path(path).open("rb") as stream:
            yield _unpacked(stream)


def _unpacked(stream: io.BufferedReader) -> tuple[IO[bytes], _Unpacker | None]:
    first = stream.peek(4)
    if first.startswith(_GZIP):
        unpacker = _Unpacker(stream, "gzip", lambda: zlib.decompressobj(wbits=31), zlib.error)
    elif first.startswith(_ZSTANDARD):
        import zstandard

        make = zstandard.ZstdDecompressor().decompressobj
        unpacker = _Unpacker(stream, "Zstandard", make, zstandard.ZstdError)
    else:
        return stream, None
    return io.BufferedReader(unpacker, _BLOCK), unpacker


def _lines(stream: IO[bytes], unpacker: _Unpacker | None) -> Iterator[bytes]:
    mark = _BYTE_ORDER_MARK
    for line in iter(partial(stream.readline, LONGEST), b""):
        if len(line) == LONGEST and not line.endswith(b"\n"):
            raise CutShort(TOO_LONG)
        yield line.removeprefix(mark)
        mark = b""
    if unpacker is not None and unpacker.wrong is not None:
        raise CutShort(unpacker.wrong)


def _blocks(stream: IO[bytes], unpacker: _Unpacker | None) -> Iterator[bytes]:
    begun = [stream.read(len(_BYTE_ORDER_MARK)).removeprefix(_BYTE_ORDER_MARK)]
    while block := stream.read(_BLOCK):
        end = block.rfind(b"\n") + 1
        if end:
            yield b"".join((*begun, block[:end]))
            begun.clear()
        begun.append(block[end:])
        if len(begun) > _PARTS_OF_LONGEST:
            raise CutShort(TOO_LONG)
    if rest := b"".join(begun):
        yield rest
    if unpacker is not None and unpacker.wrong is not None:
        raise CutShort(unpacker.wrong)


def _is_a_file(stream: IO[Any]) -> bool:
    try:
        return stat.S_ISREG(fstat(stream.fileno()).st_mode)
    except (OSError, io.UnsupportedOperation):
        return False
