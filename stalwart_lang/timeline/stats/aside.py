"""Spans laid aside in temporary files, so that no number of unfinished runs fills the memory."""

from collections.abc import Iterator, Mapping
from tempfile import TemporaryFile
from typing import IO

import msgspec

from stalwart_lang.timeline.stats.passing import Passed

_PARTS = 64
_MARKS = 2**20


class _Piece(msgspec.Struct, array_like=True, gc=False):
    """Some spans of a run."""

    trace_id: str
    spans: list[Passed]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Piece)


class Aside:
    """Spans of runs, laid aside and taken back a 64th of the runs at a time."""

    def __init__(self) -> None:
        self._parts: list[IO[bytes] | None] = [None] * _PARTS
        self._marks = bytearray(_MARKS)

    def may_hold(self, trace_id: str) -> bool:
        """Return whether spans of the run were laid aside; True now and then for one without."""
        return bool(self._marks[hash(trace_id) % _MARKS])

    def lay(self, trace_id: str, spans: Mapping[str, Passed]) -> None:
        """Lay spans of a run aside."""
        number = hash(trace_id)
        self._marks[number % _MARKS] = 1
        part = self._parts[number % _PARTS]
        if part is None:
            part = self._parts[number % _PARTS] = TemporaryFile()  # noqa: SIM115  until `take`
        piece = _encoder.encode(_Piece(trace_id, list(spans.values())))
        part.write(len(piece).to_bytes(8) + piece)

    def take(self) -> Iterator[Iterator[tuple[str, list[Passed]]]]:
        """Yield the parts, each with all that was laid aside of its runs, in the order of it."""
        for number, part in enumerate(self._parts):
            if part is not None:
                with part:
                    yield _pieces(part)
                self._parts[number] = None


def _pieces(part: IO[bytes]) -> Iterator[tuple[str, list[Passed]]]:
    part.seek(0)
    while size := part.read(8):
        piece = _decoder.decode(part.read(int.from_bytes(size)))
        yield piece.trace_id, piece.spans
