"""A map from hashes to a hash and a bit, in three arrays: 17 bytes for each of its places."""

from array import array
from collections.abc import Iterable


class IdTable:
    """A hash table with room for `size` entries, at most half full; it does not grow.

    Keys are well mixed numbers of 64 bits.
    """

    def __init__(self, size: int) -> None:
        places = 1 << (2 * size).bit_length()
        self._keys = array("q", bytes(8)) * places
        self._values = array("q", bytes(8)) * places
        self._bits = bytearray(places)
        self._mask = places - 1

    def put(self, keys: Iterable[int], values: Iterable[int], bit: int) -> None:
        """Map each of `keys` to one of `values` and to `bit`."""
        placed, mask = self._keys, self._mask
        for key, value in zip(keys, values, strict=True):
            key = key or 1
            at = key & mask
            while (held := placed[at]) and held != key:
                at = at + 1 & mask
            placed[at] = key
            self._values[at] = value
            self._bits[at] = bit

    def __contains__(self, key: int) -> bool:
        return self.get(key) is not None

    def get(self, key: int) -> tuple[int, int] | None:
        """Return what `key` is mapped to."""
        key = key or 1
        placed, mask = self._keys, self._mask
        at = key & mask
        while (held := placed[at]) and held != key:
            at = at + 1 & mask
        return (self._values[at], self._bits[at]) if held else None
