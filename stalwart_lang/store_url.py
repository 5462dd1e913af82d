"""The URL of a store: `sqlite:///` and a path, or what PostgreSQL's libpq takes."""

from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

StoreKind: TypeAlias = Literal["sqlite", "postgresql"]

_KINDS: dict[str, StoreKind] = {
    "sqlite": "sqlite",
    "postgresql": "postgresql",
    "postgres": "postgresql",
}


def store_kind(url: str) -> StoreKind:
    """Return what keeps the store. Raises ValueError where it is nothing that is known."""
    scheme, separator, _ = url.partition(":")
    kind = _KINDS.get(scheme) if separator else None
    if kind is None:
        # Of what is no URL of ours nobody knows where the password is.
        named = f"{scheme}:" if separator else repr(url)
        raise ValueError(
            f"{named} is no storage: write sqlite:///runs.db or postgresql://user@host/database"
        )
    return kind


def sqlite_file(url: str) -> Path:
    """Return the file of `sqlite:///relative.db` or `sqlite:////absolute.db`.

    Nothing in the path is escaped: `%`, `?` and `#` stand for themselves. Raises ValueError where
    it names no file.
    """
    path = url.removeprefix("sqlite:///")
    if path == url or not path:
        raise ValueError(f"{url}: write sqlite:///runs.db, with three slashes before the path")
    if "\0" in path:
        raise ValueError(f"{url!r}: no file's name has a character of the value 0 in it")
    return Path(path)


def without_password(url: str) -> str:
    """Return PostgreSQL's URL as it may be shown: without the password, and all parameters."""
    try:
        parts = urlsplit(url)
        host = f"{parts.hostname or ''}:{parts.port}" if parts.port else parts.hostname or ""
        username = parts.username
    except ValueError:  # what of it is a password, cannot be told
        return f"{url.partition(':')[0]}:"
    named = f"{username}@{host}" if username else host
    return parts._replace(netloc=named, query="", fragment="").geturl()


def told_without_password(error: Exception, url: str) -> str:
    """Return what an error of PostgreSQL's says, which may have the URL in it."""
    named = without_password(url)
    return f"{named}: {str(error).strip().replace(url, named)}"
