"""What was made of the last version of each document's index, to be given again."""

from collections.abc import Callable
from typing import Generic, TypeVar

from stalwart_lang.lsp.index.model import DocumentIndex

T = TypeVar("T")


class Kept(Generic[T]):
    """Makes something of an index once a version."""

    def __init__(self, make: Callable[[DocumentIndex], T]) -> None:
        self._make = make
        self._made: dict[str, tuple[DocumentIndex, T]] = {}

    def of(self, index: DocumentIndex) -> T:
        """What is made of an index."""
        known = self._made.get(index.uri)
        if known is not None and known[0] is index:
            return known[1]
        made = self._make(index)
        self._made[index.uri] = index, made
        return made

    def forget(self, uri: str) -> None:
        """A document was closed."""
        self._made.pop(uri, None)
