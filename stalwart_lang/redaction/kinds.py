"""What kinds of personal data there are, and an author's own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

KINDS = ("email", "phone", "cpf", "cnpj", "card", "api_key")
"""The kinds that a redactor knows without being told."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True)
class Found:
    """A part of a text that is personal data: `text[start:end]`, in code points."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Kind:
    """An author's own kind: whatever `pattern`, a regular expression, matches.

    `name` is in lower case: `badge` is put into texts as `[BADGE]`. The pattern is searched for in
    the text as it stands, with neither escapes nor full-width digits read. Python's `re` tries
    every way to match: a pattern such as `(a+)+b` takes forever on the wrong text.

    Raises `ValueError` for a name or a pattern that cannot be used, saying why.
    """

    name: str
    pattern: str
    compiled: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                f"A kind's name is lower-case letters, digits and underscores, at most 40, and "
                f"starts with a letter: {self.name!r} is not"
            )
        if self.name in KINDS:
            raise ValueError(f"The kind {self.name!r} is known already: give yours another name")
        try:
            compiled = re.compile(self.pattern)
        except re.error as error:
            raise ValueError(
                f"The pattern of the kind {self.name!r} is no regular expression: {error.msg} at "
                f"position {error.pos} of {self.pattern!r}"
            ) from error
        if compiled.match(""):
            raise ValueError(
                f"The pattern of the kind {self.name!r} matches the empty text, and so would be "
                f"found everywhere: {self.pattern!r}"
            )
        object.__setattr__(self, "compiled", compiled)

    def find(self, text: str) -> Iterator[Found]:
        """Give what the pattern matches in `text`."""
        for match in self.compiled.finditer(text):
            if match.end() > match.start():
                yield Found(self.name, match.start(), match.end())


def words(text: str) -> frozenset[str]:
    """Return the words of `text`, which blanks part."""
    return frozenset(text.split())


def placeholder(kind: str) -> str:
    """Return what stands in a text in the place of what was found: `[EMAIL]`."""
    return f"[{kind.upper()}]"
