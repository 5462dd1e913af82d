"""Load a vocabulary: from a file, from those that come with the package, or from text."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from stalwart_lang.collector import collector_paused
from stalwart_lang.diagnostics import Diagnostic, Findings, TooMany
from stalwart_lang.vocabulary.build import build
from stalwart_lang.vocabulary.files import (
    CheckedFile,
    Parse,
    Read,
    gather,
)
from stalwart_lang.vocabulary.locate import read_disk, read_shipped, vocabulary_file
from stalwart_lang.vocabulary.model import Vocabulary
from stalwart_lang.vocabulary.yaml12 import compose


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of loading: `vocabulary` is None where there is an error among `diagnostics`.

    `sources` is the text of each file that could be read, by the name that locations give it.
    """

    vocabulary: Vocabulary | None
    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, str] = field(default_factory=dict)


def load_vocabulary(path_or_name: str | Path) -> Loaded:
    """Load a file, or by its bare name a vocabulary that comes with the package (`shop`).

    A text without a separator and a suffix is a name; a `Path` is always a path. Nothing that is
    in the files raises; ImportError where PyYAML lacks libyaml.
    """
    file = vocabulary_file(path_or_name)
    return _load(file, read_disk if file == str(path_or_name) else read_shipped)


def load_text(
    text: str, file: str = "<text>", read: Read = read_disk, parse: Parse = compose
) -> Loaded:
    """Load a vocabulary from text that may not be saved yet; `file` is the name it goes by.

    Included files are read by `read`, which takes a path and returns bytes or raises OSError.
    `parse` may give what `compose` would by a shorter way.
    """
    content = text.encode(errors="surrogatepass")
    return _load(file, lambda name: content if name == file else read(name), parse)


def _load(file: str, read: Read, parse: Parse = compose) -> Loaded:
    findings = Findings()
    with collector_paused():
        vocabulary, sources = _read(file, read, findings, parse)
    if any(finding.severity == "error" for finding in findings.items):
        vocabulary = None
    order = {name: number for number, name in enumerate(sources)}
    found = sorted(
        findings.items,
        key=lambda d: (order.get(d.location.file, 0), d.location.line, d.location.column, d.code),
    )
    return Loaded(vocabulary, tuple(found), sources)


def _read(
    file: str, read: Read, findings: Findings, parse: Parse
) -> tuple[Vocabulary | None, Mapping[str, str]]:
    files: list[CheckedFile] = []
    vocabulary: Vocabulary | None = None
    with suppress(TooMany):
        for checked in gather(file, read, findings, parse):
            files.append(checked)
        if files:
            vocabulary = build(files, findings)
    return vocabulary, {checked.source.file: checked.source.text for checked in files}
