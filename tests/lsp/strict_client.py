"""A client that takes nothing but the protocol: one stray byte on stdout, and the test fails."""

import json
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

SERVER = (sys.executable, "-m", "stalwart_lang", "lsp")
_HEADER = re.compile(rb"Content-Length: ([1-9][0-9]*)\r\n")
_TYPE = re.compile(rb"Content-Type: [^\r\n]+\r\n")
_PATIENCE = 60.0


class Gone(Exception):
    """The server ended."""


class StrictClient:
    """Speaks with a server that it starts; what the server asks is answered with nothing."""

    def __init__(self, command: Sequence[str] = SERVER, cwd: Path | None = None) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
        )
        self.stderr = b""
        self.seen: list[dict[str, Any]] = []
        self._number = 0
        self._messages: queue.Queue[dict[str, Any] | Exception] = queue.Queue()
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "StrictClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue

    def _read(self) -> None:
        try:
            while True:
                self._messages.put(self._message())
        except Exception as error:
            self._messages.put(error)

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.stderr += line

    def _message(self) -> dict[str, Any]:
        out = self.process.stdout
        assert out is not None
        line = out.readline()
        if not line:
            raise Gone
        length = _HEADER.fullmatch(line)
        assert length, f"no header: {line!r}"
        line = out.readline()
        if _TYPE.fullmatch(line):
            line = out.readline()
        assert line == b"\r\n", f"no end of the header: {line!r}"
        body = out.read(int(length[1]))
        message = json.loads(body)
        assert message["jsonrpc"] == "2.0"
        return message

    def send_bytes(self, content: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(content)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """The whole answer to a request."""
        number = self.begin(method, params)
        return self.wait(lambda m: m.get("id") == number and "method" not in m)

    def begin(self, method: str, params: Any = None) -> int:
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        return self._number

    def wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message that is wanted, of those that come from now on."""
        ends = time.monotonic() + _PATIENCE
        while True:
            message = self._messages.get(timeout=max(0.0, ends - time.monotonic()))
            if isinstance(message, Exception):
                raise message
            self.seen.append(message)
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": None})
            if wanted(message):
                return message

    def initialize(self, folder: Path | None = None, **capabilities: Any) -> dict[str, Any]:
        answer = self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": None if folder is None else folder.as_uri(),
                "capabilities": capabilities,
            },
        )
        self.notify("initialized", {})
        return answer["result"]

    def open(self, uri: str, text: str, version: int = 1) -> None:
        item = {"uri": uri, "languageId": "stalwart", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def diagnostics(self, uri: str, version: int = 1) -> list[dict[str, Any]]:
        """The next diagnostics of a version of a document."""
        found = self.wait(
            lambda m: (
                m.get("method") == "textDocument/publishDiagnostics"
                and m["params"]["uri"] == uri
                and m["params"].get("version") == version
            )
        )
        return found["params"]["diagnostics"]

    def end(self) -> int:
        """Shut the server down, and give its exit code."""
        assert self.ask("shutdown")["result"] is None
        self.notify("exit")
        return self.process.wait(_PATIENCE)
