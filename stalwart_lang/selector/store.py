"""The compiled form of a vocabulary, and where it is kept between runs.

It is plain JSON, keyed by the vocabulary's content and this version's, so that nothing on disk can
run as code and a stale form is never read.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from stalwart_lang.collector import collector_paused
from stalwart_lang.selector.grammar import GRAMMARS
from stalwart_lang.selector.lexicon import Lexicon
from stalwart_lang.vocabulary.locate import read_file, vocabulary_file
from stalwart_lang.vocabulary.model import LANGUAGES, Language, Vocabulary

_FORMAT = 4
_MOST_KEPT = 32
# What reading a file can raise that is not there, or is not what was written.
_UNUSABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A vocabulary ready to read turns with."""

    name: str
    digest: str
    language: Language | None
    currency: Mapping[Language, str]
    timezone: str | None
    lexicons: Mapping[Language, Lexicon]


def compile_vocabulary(vocabulary: Vocabulary) -> Compiled:
    """Compile a vocabulary in both languages."""
    from stalwart_lang.selector.compile import compile_lexicon  # not needed with a kept form

    with collector_paused():
        lexicons = {language: compile_lexicon(vocabulary, language) for language in LANGUAGES}
    return Compiled(
        name=vocabulary.name,
        digest=vocabulary.digest,
        language=vocabulary.settings.language,
        currency=dict(vocabulary.settings.currency),
        timezone=vocabulary.settings.timezone,
        lexicons=lexicons,
    )


def load_compiled(path: str | Path) -> Compiled:
    """Load a vocabulary's compiled form from the cache, or compile it and keep it there.

    Raises `VocabularyError` where the vocabulary has errors, OSError where it cannot be read. A
    cache that cannot be read or written is done without.
    """
    kept = _cache_file(vocabulary_file(path))
    if kept is not None:
        with suppress(*_UNUSABLE), collector_paused():
            return _from_json(json.loads(_checked(kept.read_bytes())))
    vocabulary = Vocabulary.load(path)
    compiled = compile_vocabulary(vocabulary)
    if kept is not None:
        _keep(kept, compiled, vocabulary)
    return compiled


def _cache_file(file: str) -> Path | None:
    """Give the file that the compiled form of `file` is kept in.

    None where there is no home, and for what is no regular file: a pipe can be read once.
    """
    if Path(file).exists() and not Path(file).is_file():
        return None
    root = os.environ.get("XDG_CACHE_HOME") or ""
    if not Path(root).is_absolute() or not root:
        try:
            root = str(Path.home() / ".cache")
        except RuntimeError:
            return None
    key = hashlib.sha256(_program())
    # Plans name the file as it was given, and included files are found from the folder it is in.
    for name in (str(Path.cwd()), file):
        key.update(name.encode(errors="surrogateescape") + b"\0")
    key.update(read_file(file))
    return Path(root) / "stalwart-lang" / f"{key.hexdigest()}.json"


@cache
def _program() -> bytes:
    """Give what the compiled form depends on besides the vocabulary: this program as installed."""
    package = Path(__file__).parents[1]
    folders = [package / name for name in ("selector", "vocabulary", "words")]
    stats = sorted(
        (entry.name, entry.stat().st_size, entry.stat().st_mtime_ns)
        for folder in [*folders, Path(str(GRAMMARS))]
        if folder.is_dir()
        for entry in os.scandir(folder)
        if entry.is_file()
    )
    return f"{_FORMAT} {stats}".encode()


def _keep(kept: Path, compiled: Compiled, vocabulary: Vocabulary) -> None:
    """Write the compiled form whole or not at all, and drop the oldest of many.

    Nothing is kept where a file has changed since it was read.
    """
    with suppress(OSError, RecursionError):
        contents = {name: read_file(name) for name in vocabulary.files}
        if hashlib.sha256(b"\0".join(contents.values())).hexdigest() != vocabulary.digest:
            return
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
        made = _to_json(compiled, hashes)
        text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
        digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(dir=kept.parent, suffix=".tmp")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogatepass") as file:
                file.write(f"{digest}\n{text}")
            Path(name).replace(kept)
        except OSError:
            Path(name).unlink()
            raise
        for old in sorted(kept.parent.glob("*.json"), key=_age)[_MOST_KEPT:]:
            old.unlink(missing_ok=True)


def _checked(content: bytes) -> bytes:
    """Give the JSON of a kept form; ValueError where it is not what was written."""
    digest, _, text = content.partition(b"\n")
    if hashlib.sha256(text).hexdigest().encode() != digest:
        raise ValueError("the kept form is damaged")
    return text


def _age(file: Path) -> float:
    return -file.stat().st_mtime


def _to_json(compiled: Compiled, its_files: Mapping[str, str]) -> dict[str, Any]:
    """Give the compiled form as plain data; `its_files` are digests of what it is made from."""
    lexicons = {
        language: _fields(lexicon) | {"frames": _to_columns(lexicon.frames)}
        for language, lexicon in compiled.lexicons.items()
    }
    return {"files": its_files} | _fields(compiled) | {"lexicons": lexicons}


def _fields(made: Compiled | Lexicon) -> dict[str, Any]:
    return {field.name: getattr(made, field.name) for field in fields(made)}


def _from_json(made: Mapping[str, Any]) -> Compiled:
    """Read the compiled form back; ValueError where a file it was made from has changed."""
    for name, digest in made["files"].items():
        if _hash(name) != digest:
            raise ValueError(f"{name} has changed")
    lexicons = {}
    for language in LANGUAGES:
        kept = made["lexicons"][language]
        lexicons[language] = Lexicon(**kept | {"frames": _from_columns(kept["frames"])})
    rest = {name: value for name, value in made.items() if name != "files"}
    return Compiled(**rest | {"lexicons": lexicons})


def _to_columns(frames: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Give frames as columns, slots and file names once each: a tenth of the text to read."""
    slots: dict[int, tuple[int, Any]] = {}
    files: dict[str, int] = {}
    for frame in frames:
        files.setdefault(frame["file"], len(files))
        for slot in frame["slots"]:
            slots.setdefault(id(slot), (len(slots), slot))
    columns = {name: [frame[name] for frame in frames] for name in (frames[0] if frames else ())}
    if frames:
        columns["file"] = [files[name] for name in columns["file"]]
        columns["slots"] = [[slots[id(slot)][0] for slot in its] for its in columns["slots"]]
    return {"columns": columns, "files": [*files], "slots": [slot for _, slot in slots.values()]}


def _from_columns(made: Mapping[str, Any]) -> list[dict[str, Any]]:
    files, slots = made["files"], made["slots"]
    columns = dict(made["columns"])
    if columns:
        columns["file"] = [files[number] for number in columns["file"]]
        columns["slots"] = [[slots[number] for number in its] for its in columns["slots"]]
    names = tuple(columns)
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _hash(file: str) -> str:
    return hashlib.sha256(read_file(file)).hexdigest()
