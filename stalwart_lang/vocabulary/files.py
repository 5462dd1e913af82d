"""The files of a vocabulary: read, parsed, checked against the format, includes followed."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from stalwart_lang.diagnostics import Findings, quoted
from stalwart_lang.vocabulary.checking import Checker, Fields, Unsound
from stalwart_lang.vocabulary.declarations import VOCABULARY, Record
from stalwart_lang.vocabulary.locate import (
    MAX_BYTES,
    read_disk,
    read_shipped,
    shipped_names,
)
from stalwart_lang.vocabulary.model import Location
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.suggest import nearest
from stalwart_lang.vocabulary.yaml12 import Node, Scalar, compose

MAX_FILES = 100
"""The files of one vocabulary."""

Read = Callable[[str], bytes]
"""Gives the content of a file, at least its first `MAX_BYTES` + 1 bytes; raises OSError."""

Parse = Callable[[Source, Findings], Node | None]
"""Gives what `compose` gives; an editor may know most of it from the version before."""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file and what is sound of it; `fields` is None where nothing is."""

    source: Source
    content: bytes
    fields: Fields | None


def gather(
    file: str, read: Read, findings: Findings, parse: Parse = compose
) -> Iterator[CheckedFile]:
    """Read `file` and all that it includes, each once, an including file before what it includes.

    Gives nothing where `file` itself cannot be read. Raises TooMany.
    """
    try:
        content = read(file)
    except OSError as error:
        fix = other_name(file, read) if isinstance(error, FileNotFoundError) else None
        message = f"{quoted(file)} cannot be read: {why_unreadable(error)}"
        findings.report("SV001", message, Location(file, 1, 1, 1, 1), fix)
        return
    yield from _Gathering(read, findings, parse).add(file, content)


class _Gathering:
    """The files met so far, and those whose includes are being followed."""

    def __init__(self, read: Read, findings: Findings, parse: Parse) -> None:
        self.read = read
        self.findings = findings
        self.parse = parse
        self.seen: set[str] = set()
        self.including: list[str] = []

    def add(self, file: str, content: bytes) -> Iterator[CheckedFile]:
        """Check a file, and then the files that it includes."""
        identity = os.path.realpath(file)
        self.seen.add(identity)
        self.including.append(identity)
        checked = check_file(file, content, self.findings, parse=self.parse)
        yield checked
        included = checked.fields.get("include") if checked.fields else None
        for target in included or ():
            yield from self._include(checked.source, target)
        self.including.pop()

    def _include(self, source: Source, target: Scalar) -> Iterator[CheckedFile]:
        where = source.location(target.start, target.end)
        if PurePath(target.text).is_absolute() or "\0" in target.text:
            message = "an included file has a name relative to the file that includes it"
            self.findings.report("SV030", message, where)
            return
        file = os.path.normpath(PurePath(source.file).parent / target.text).replace(os.sep, "/")
        identity = os.path.realpath(file)
        if identity in self.including:
            message = f"{quoted(target.text)} includes this file, or is this file"
            self.findings.report("SV031", message, where, "remove one of the two")
            return
        if identity in self.seen:
            return
        if len(self.seen) == MAX_FILES:
            message = f"a vocabulary has at most {MAX_FILES} files"
            self.findings.report("SV033", message, where)
            return
        try:
            content = self._read_regular(file)
        except OSError as error:
            message = f"{quoted(target.text)} cannot be read: {why_unreadable(error)}"
            self.findings.report("SV030", message, where, other_name(file, self.read))
            return
        yield from self.add(file, content)

    def _read_regular(self, file: str) -> bytes:
        # A pipe or a device would wait, or never end; only a person may name one.
        if self.read is read_disk and Path(file).exists() and not Path(file).is_file():
            raise IsADirectoryError("not a regular file")
        return self.read(file)


def check_file(
    file: str,
    content: bytes,
    findings: Findings,
    shape: Record = VOCABULARY,
    parse: Parse = compose,
) -> CheckedFile:
    """Parse the content of a file and check it against its format. Raises TooMany."""
    if len(content) > MAX_BYTES:
        message = f"the file has more than {MAX_BYTES // 1_000_000} MB"
        where = Location(file, 1, 1, 1, 1)
        fix = "divide it, and use `include:`" if "include" in shape.keys else None
        findings.report("SV003", message, where, fix)
        return CheckedFile(Source(file, ""), content, None)
    try:
        source = Source(file, content.decode().removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        source = Source(file, content.decode(errors="replace"))
        at = len(content[: error.start].decode(errors="replace"))
        message = f"the byte 0x{content[error.start]:02x} is not UTF-8"
        findings.report("SV002", message, source.location(at, at + 1), "save the file as UTF-8")
        return CheckedFile(source, content, None)
    root = parse(source, findings)
    if root is not None:
        with suppress(Unsound):
            return CheckedFile(source, content, Checker(source, findings).check(root, shape))
    return CheckedFile(source, content, None)


def why_unreadable(error: OSError) -> str:
    """Say in words why a file cannot be read."""
    return (error.strerror or str(error)).lower()


def other_name(file: str, read: Read) -> str | None:
    """Give a fix for a name that is not there: the nearest of those that are."""
    if read is read_shipped:
        near = nearest(PurePath(file).stem, shipped_names())
        return f"did you mean {quoted(near)}?" if near else None
    folder = Path(file).parent
    try:
        names = [p.name for p in folder.iterdir() if p.suffix in {".yaml", ".yml"}]
    except (OSError, ValueError):
        return None
    near = nearest(PurePath(file).name, names)
    return f"did you mean {quoted(near)}?" if near else None
