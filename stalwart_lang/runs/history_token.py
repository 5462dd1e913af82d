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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from stalwart_lang.tracing.canonical import canonical_json

KEY_VARIABLE = "STALWART_HISTORY_KEY"
"""The variable of the environment that holds the key: any text of 32 characters or more."""

_VERSION = "stalwart-history-1"
_SHORTEST = 32

Verdict: TypeAlias = Literal["verified", "not verified", "broken"]


class WeakKey(ValueError):
    """Raised for a key that is too short to keep anybody from guessing it."""


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
    the current one, so that a key is rotated by adding a line.

    Raises:
        WeakKey: the environment's key is shorter than 32 characters.
        OSError: the file cannot be read or made.
    """
    given = os.environ.get(KEY_VARIABLE)
    if given is not None:
        if len(given) < _SHORTEST:
            raise WeakKey(
                f"{KEY_VARIABLE} has {len(given)} characters: give it {_SHORTEST} or more"
            )
        key = given.encode()
        return Keys(key_id(key), {key_id(key): key})
    path = key_file()
    lines = _read_or_make(path).split()
    keys = [bytes.fromhex(line) for line in lines]
    return Keys(key_id(keys[-1]), {key_id(key): key for key in keys})


def known_keys() -> Mapping[str, bytes]:
    """Return the keys there are, by their ids, and make none."""
    if os.environ.get(KEY_VARIABLE) is None and not key_file().exists():
        return {}
    with suppress(OSError, ValueError):
        return load_keys().by_id
    return {}


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
    before: str | None = None
    for at, entry in enumerate(entries):
        token = entry.get("token")
        if not isinstance(token, str) or ":" not in token:
            return Verification("broken", at, f"entry {at} has no token")
        identity = token.partition(":")[0]
        key = keys.get(identity)
        if key is None:
            return Verification("not verified", at, f"the key {identity} is not here")
        bare = {name: value for name, value in entry.items() if name != "token"}
        if not hmac.compare_digest(token, _link(key, identity, thread, store, before, bare)):
            return Verification("broken", at, f"the token of entry {at} does not fit it")
        before = token
    return Verification("verified")


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


def _read_or_make(path: Path) -> str:
    with suppress(FileNotFoundError):
        return path.read_text("ascii")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    made = secrets.token_hex(32) + "\n"
    scratch = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, made.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        # Of several processes that start at once the first makes the key, and all use it.
        os.link(scratch, path)
    except FileExistsError:
        return path.read_text("ascii")
    finally:
        scratch.unlink()
    return made
