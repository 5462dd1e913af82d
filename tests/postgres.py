"""A PostgreSQL server of the tests' own, started once a session where PostgreSQL is installed."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

_FOLDERS = (*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True), Path("/usr/bin"))


def _command(name: str) -> str | None:
    found = shutil.which(name)
    return found or next((str(f / name) for f in _FOLDERS if (f / name).exists()), None)


def _drop_root() -> Callable[[], None] | None:
    """PostgreSQL refuses to run as root: it is run as the user that its package made."""
    if os.getuid() != 0:
        return None
    owner = pwd.getpwnam("postgres")

    def drop() -> None:
        os.setgid(owner.pw_gid)
        os.setuid(owner.pw_uid)

    return drop


@contextmanager
def postgresql_server() -> Iterator[str]:
    """Start a server on a free port and give its URL, without a database's name at the end."""
    initdb, pg_ctl = _command("initdb"), _command("pg_ctl")
    if initdb is None or pg_ctl is None:
        pytest.skip("PostgreSQL is not installed: there is no initdb")
    drop = _drop_root()
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        if drop is not None:
            shutil.chown(folder, "postgres")
        data = Path(folder, "data")

        def run(*command: str) -> None:
            done = subprocess.run(
                command, preexec_fn=drop, cwd=folder, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr

        run(initdb, "-D", str(data), "-U", "stalwart", "-A", "trust", "-E", "UTF8", "-N")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder} -c max_connections=300"
        # Only the processes that use it are killed, never the server: it needs no disk to survive.
        options += " -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        log = str(Path(folder, "log"))
        run(pg_ctl, "-D", str(data), "-w", "-t", "60", "-l", log, "-o", options, "start")
        try:
            yield f"postgresql://stalwart@127.0.0.1:{port}"
        finally:
            run(pg_ctl, "-D", str(data), "-w", "-m", "immediate", "stop")


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Callable[[], str]]:
    """Give a function that makes a new database and returns its URL."""
    import psycopg

    numbers = count(1)
    with postgresql_server() as server:

        def make() -> str:
            name = f"runs{next(numbers)}"
            with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}")
            return f"{server}/{name}"

        yield make
