"""The compiled form of a vocabulary, and where it is kept between runs.

It is plain JSON, keyed by the vocabulary's content and this version's, so that nothing on disk can
run as code and a stale form is never read.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from stalwart_lang.selector.grammar import GRAMMARS
from stalwart_lang.selector.lexicon import Lexicon
from stalwart_lang.vocabulary.model import LANGUAGES, Language, Vocabulary

_FORMAT = 1


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

    return Compiled(
        name=vocabulary.name,
        digest=vocabulary.digest,
        language=vocabulary.settings.language,
        currency=dict(vocabulary.settings.currency),
        timezone=vocabulary.settings.timezone,
        lexicons={language: compile_lexicon(vocabulary, language) for language in LANGUAGES},
    )


def load_compiled(path: str | Path) -> Compiled:
    """Load a vocabulary's compiled form from the cache, or compile it and keep it there.

    Raises `VocabularyError` where the vocabulary has errors, OSError where it cannot be read. A
    cache that cannot be read or written is done without.
    """
    source = find_vocabulary(path)
    kept = _cache_file(source)
    if kept is not None:
        with suppress(OSError, ValueError, KeyError, TypeError):
            return _from_json(json.loads(kept.read_bytes()), source)
    vocabulary = Vocabulary.load(path)
    compiled = compile_vocabulary(vocabulary)
    if kept is not None:
        _keep(kept, compiled, vocabulary.files)
    return compiled


def find_vocabulary(path: str | Path) -> Path:
    """Give the file of a vocabulary: a path, or the name of a shipped one."""
    text = str(path)
    if isinstance(path, str) and text.replace("_", "").replace("-", "").isalnum():
        shipped = files("stalwart_lang.vocabularies").joinpath(f"{text}.yaml")
        with as_file(shipped) as found:
            if found.is_file():
                return Path(found)
    return Path(path)


def _cache_file(source: Path) -> Path | None:
    """Give the file that the compiled form of `source` is kept in; None where there is no home."""
    root = os.environ.get("XDG_CACHE_HOME") or ""
    if not Path(root).is_absolute() or not root:
        try:
            root = str(Path.home() / ".cache")
        except RuntimeError:
            return None
    key = hashlib.sha256(
        b"\0".join([_program(), str(source.resolve()).encode(errors="surrogateescape")])
    )
    key.update(source.read_bytes())
    return Path(root) / "stalwart-lang" / f"{key.hexdigest()}.json"


@cache
def _program() -> bytes:
    """Give what the compiled form depends on besides the vocabulary."""
    return f"{_FORMAT} {version('stalwart-lang')} ".encode() + hashlib.sha256(
        GRAMMARS.joinpath("automata.json").read_bytes()
    ).digest()


def _keep(kept: Path, compiled: Compiled, its_files: tuple[str, ...]) -> None:
    """Write the compiled form whole or not at all."""
    made = asdict(compiled)
    made["files"] = {name: _hash(Path(name)) for name in its_files}
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(dir=kept.parent, suffix=".tmp")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogatepass") as file:
                file.write(text)
            os.replace(name, kept)
        except OSError:
            os.unlink(name)
            raise


def _from_json(made: Mapping[str, Any], source: Path) -> Compiled:
    """Read the compiled form back; ValueError where a file it was made from has changed."""
    for name, digest in made["files"].items():
        if _hash(Path(name)) != digest:
            raise ValueError(f"{name} has changed")
    return Compiled(
        name=made["name"],
        digest=made["digest"],
        language=made["language"],
        currency=made["currency"],
        timezone=made["timezone"],
        lexicons={
            language: Lexicon(**made["lexicons"][language]) for language in LANGUAGES
        },
    )


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
