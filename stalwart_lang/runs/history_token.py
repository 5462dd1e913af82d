"""The history's token: a chain of HMACs that shows whether a kept history was changed.

Each entry's token is the HMAC-SHA-256 of the token before it and of the entry. The first link binds
the thread and the store, so that a history cannot be moved to another. The key is kept outside of
the store: who can write the store but has no key cannot make a token. What the chain cannot show is
that the last entries are missing: for that, the tokens on exported spans are an anchor outside.
"""

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from stalwart_lang.terminal import printable
from stalwart_lang.tracing.canonical import canonical_json

KEY_VARIABLE = "STALWART_HISTORY_KEY"
"""The variable of the environment that holds the key, of 32 characters or more without blanks;
of several, with blanks between them, the last is the current one."""

_VERSION = "stalwart-history-1"
_SHORTEST = 32
_OTHERS = 0o077

Verdict: TypeAlias = Literal["verified", "not verified", "broken"]


class BadKeys(ValueError):
    """Raised for keys that cannot be had, or that others could have; its text says what to do."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that are known, by their ids; new tokens are made with `current`."""

    current: str
    by_id: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a history is as it was written.

    `not verified` says that a key is missing, and nothing else: it is never "valid". Where it is
    broken, `at` is the first entry (from 0) whose token does not fit.
    """

    verdict: Verdict
    at: int | None = None
    message: str = ""


def load_keys() -> Keys:
    """Return the keys: of the environment, else of a file only its owner can read.

    The file is made with a new key where there is none. It holds a key a line, in hex; the last is
    the current one, so that a key is rotated by adding a line. Raises BadKeys.
    """
    given = os.environ.get(KEY_VARIABLE)
    if given is not None:
        return _keys(given.split(), KEY_VARIABLE, str.encode)
    path = key_file()
    try:
        text = _read_or_make(path)
    except (OSError, UnicodeError) as error:
        raise BadKeys(
            f"{path} cannot be read or made ({error}): give a key of {_SHORTEST} characters or "
            f"more in the environment, as {KEY_VARIABLE}"
        ) from error
    return _keys(text.split(), str(path), bytes.fromhex)


def known_keys() -> Mapping[str, bytes]:
    """Return the keys there are, by their ids, and make none; those of the file too.

    Raises BadKeys.
    """
    known: dict[str, bytes] = {}
    if key_file().exists():
        known |= _keys(_read(key_file()).split(), str(key_file()), bytes.fromhex).by_id
    if os.environ.get(KEY_VARIABLE) is not None:
        known |= load_keys().by_id
    return known


def key_file() -> Path:
    """Return where the keys are kept: in the user's configuration folder (XDG)."""
    root = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(root) / "stalwart-lang" / "history.keys"


def key_id(key: bytes) -> str:
    """Return the id of a key: 8 hex characters that tell nothing of it."""
    return hashlib.sha256(b"stalwart-key-id" + key).hexdigest()[:8]


def next_token(
    keys: Keys, thread: str, store: str, before: str | None, entry: Mapping[str, Any]
) -> str:
    """Return the token of `entry`, after the token `before` (None for the first)."""
    return _link(keys.by_id[keys.current], keys.current, thread, store, before, entry)


def verify(
    entries: Sequence[Mapping[str, Any]], thread: str, store: str, keys: Mapping[str, bytes]
) -> Verification:
    """Verify a history: entries in order, each with its `token`."""
    if not entries:
        return Verification("not verified", message="the history is empty")
    before: str | None = None
    unknown: Verification | None = None
    for at, entry in enumerate(entries):
        token = entry.get("token")
        if not isinstance(token, str) or ":" not in token:
            return Verification("broken", at, f"entry {at} has no token")
        if entry.get("step") != at:
            return Verification("broken", at, f"entry {at} has another step")
        identity = token.partition(":")[0]
        key = keys.get(identity)
        bare = {name: value for name, value in entry.items() if name != "token"}
        if key is None:
            message = f"the key {printable(identity)} is not here"
            unknown = unknown or Verification("not verified", at, message)
        elif not hmac.compare_digest(
            token.encode(errors="replace"),
            _link(key, identity, thread, store, before, bare).encode(),
        ):
            return Verification("broken", at, f"the token of entry {at} does not fit it")
        before = token
    return unknown or Verification("verified")


def _link(
    key: bytes,
    identity: str,
    thread: str,
    store: str,
    before: str | None,
    entry: Mapping[str, Any],
) -> str:
    chained = canonical_json([_VERSION, store, thread, before, entry])
    return f"{identity}:{hmac.digest(key, chained, 'sha256').hex()}"


def _keys(given: Sequence[str], source: str, key_of: Callable[[str], bytes]) -> Keys:
    if not given:
        raise BadKeys(f"{source} holds no key")
    for text in given:
        if len(text) < _SHORTEST:
            raise BadKeys(
                f"{source} has a key of {len(text)} characters: give it {_SHORTEST} or more, "
                "without blanks"
            )
    try:
        keys = [key_of(text) for text in given]
    except ValueError as error:
        raise BadKeys(
            f"{source} has a line that is no key: a key is {_SHORTEST} or more hex digits"
        ) from error
    return Keys(key_id(keys[-1]), {key_id(key): key for key in keys})


def _read(path: Path) -> str:
    if os.name == "posix" and path.stat().st_mode & _OTHERS:
        raise BadKeys(f"{path} can be read by others: run chmod 600 {path}")
    return path.read_text("ascii")


def _read_or_make(path: Path) -> str:
    with suppress(FileNotFoundError):
        return _read(path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    scratch = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, f"{secrets.token_hex(32)}\n".encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        # Of several processes that start at once the first makes the key, and all use it.
        with suppress(FileExistsError):
            os.link(scratch, path)
    finally:
        scratch.unlink()
    return _read(path)
