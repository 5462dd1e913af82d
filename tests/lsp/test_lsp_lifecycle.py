"""The server's life: it starts, says nothing but the protocol, never dies, and ends in time."""

import contextlib
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest
from editor import editing
from lsprotocol import types
from strict_client import SERVER, Gone, StrictClient

from stalwart_lang.lsp.configuration import DEFAULT_TRACES, configuration_of
from stalwart_lang.lsp.discovery import find_files
from stalwart_lang.lsp.documents import uri_of

PATIENCE = 30.0
SHOP = "vocabulary: shop\ntools: {pay: {say: {en: pay}}}\n"


# ------------------------------------------------------------ stdout is the protocol's


def test_session_has_nothing_but_the_protocol_on_stdout(tmp_path, shipped):
    uri = uri_of(tmp_path / "shop.yaml")
    with StrictClient() as client:
        result = client.initialize(tmp_path)
        assert result["serverInfo"]["name"] == "stalwart"
        assert result["capabilities"]["positionEncoding"] == "utf-16"
        client.open(uri, shipped("shop"))
        assert client.diagnostics(uri) == []
        client.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": 2},
                "contentChanges": [{"text": shipped("shop").replace("[cancel]", "[cancle]")}],
            },
        )
        client.wait(lambda m: "SV113" in json.dumps(m))
        assert client.end() == 0
        assert client.stderr == b""


PRINTING = """
    import os, subprocess, sys
    from lsprotocol import types
    from stalwart_lang.lsp.server import Server
    from stalwart_lang.lsp import server as module
    from stalwart_lang.cli import main

    class Printing(Server):
        def opened(self, item):
            print("printed")
            sys.stdout.write("written")
            sys.stdout.flush()
            sys.__stdout__.write("to the first stdout") and sys.__stdout__.flush()
            os.write(1, b"to the descriptor")
            subprocess.run([sys.executable, "-c", "print('by a child')"], check=True)
            super().opened(item)

    module.Server = Printing
    sys.argv[1:] = ["lsp", "--stdio"]
    main()
"""


def test_what_is_printed_goes_to_stderr():
    with StrictClient([sys.executable, "-c", textwrap.dedent(PRINTING)]) as client:
        client.initialize()
        client.open("untitled:a", SHOP)
        assert client.diagnostics("untitled:a") == []
        assert client.end() == 0
    for said in (b"printed", b"written", b"first stdout", b"descriptor", b"by a child"):
        assert said in client.stderr


# ------------------------------------------------------------ it never dies


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@pytest.mark.parametrize(
    "nonsense",
    [
        framed(b"{"),
        framed(b"[1, 2]"),
        framed(b'"text"'),
        framed(b"\xff\xfe"),
        framed(b'{"jsonrpc": "2.0"}'),
        framed(b'{"jsonrpc": "2.0", "id": 77, "result": null}'),
        framed(b'{"jsonrpc": "2.0", "method": "no/such", "params": {"a": 1}}'),
        framed(b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"a": 1}}'),
        framed(b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": null}'),
        framed(b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 5}}'),
        b"X-Other: 1\r\n" + framed(b'{"jsonrpc": "2.0", "method": "x"}'),
    ],
)
def test_nonsense_does_not_end_it(nonsense):
    with StrictClient() as client:
        client.initialize()
        client.send_bytes(nonsense)
        client.open("untitled:a", SHOP)
        assert client.diagnostics("untitled:a") == []
        assert client.end() == 0


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("textDocument/codeAction", {"textDocument": 5}, -32602),
        ("no/such", {}, -32601),
        ("workspace/executeCommand", {"command": "no.such"}, -32602),
    ],
)
def test_requests_that_are_none_are_answered(method, params, code):
    with StrictClient() as client:
        client.initialize()
        assert client.ask(method, params)["error"]["code"] == code
        assert client.end() == 0


def test_changes_of_what_is_not_open_are_passed_over():
    with StrictClient() as client:
        client.initialize()
        which = {"uri": "untitled:a", "version": 2}
        client.notify(
            "textDocument/didChange", {"textDocument": which, "contentChanges": [{"text": "a"}]}
        )
        client.notify("textDocument/didClose", {"textDocument": which})
        client.open("untitled:a", SHOP)
        assert client.diagnostics("untitled:a") == []
        assert client.end() == 0


FAILING = """
    import sys
    from stalwart_lang.lsp import server as module
    from stalwart_lang.lsp.analysis import Analyser
    from stalwart_lang.cli import main

    class Failing(module.Server):
        def __init__(self):
            super().__init__()
            self.on_change(self.fail)

        def fail(self, uri):
            raise RuntimeError("one thing")

    module.Server = Failing
    sys.argv[1:] = ["lsp"]
    main()
"""


def test_a_failure_is_shown_once_and_it_goes_on():
    with StrictClient([sys.executable, "-c", textwrap.dedent(FAILING)]) as client:
        client.initialize()
        for number in range(5):
            client.open(f"untitled:{number}", SHOP)
            client.diagnostics(f"untitled:{number}")
        assert client.end() == 0
    shown = [m for m in client.seen if m.get("method") == "window/showMessage"]
    assert len(shown) == 1
    assert "one thing" in shown[0]["params"]["message"]
    assert b"in fail" in client.stderr


# ------------------------------------------------------------ it ends


def test_it_ends_where_its_client_says_so_without_a_shutdown():
    with StrictClient() as client:
        client.initialize()
        client.notify("exit")
        assert client.process.wait(PATIENCE) == 1


@pytest.mark.parametrize("busy", [False, True])
def test_it_ends_where_stdin_ends(busy, shipped):
    with StrictClient() as client:
        client.initialize()
        if busy:
            client.open("untitled:a", shipped("shop").replace("shop", "shop ", 1))
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(PATIENCE) == 1
        with pytest.raises(Gone):
            client.wait(lambda _: False)


KILLED = """
    import os, subprocess, sys
    server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    body = (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": '
            b'{"processId": %d, "capabilities": {}}}' % os.getpid())
    server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    server.stdin.flush()
    server.stdout.readline()
    print(server.pid, flush=True)
    sys.stdin.read()
"""


def test_it_ends_where_its_client_is_killed():
    client = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), *SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with client:
        assert client.stdout is not None
        server = os.pidfd_open(int(client.stdout.readline()))
        assert not select.select([server], [], [], 0)[0]
        client.send_signal(signal.SIGKILL)
        client.wait(PATIENCE)
        assert select.select([server], [], [], PATIENCE)[0]
        os.close(server)


# ------------------------------------------------------------ other ways to speak


@contextlib.contextmanager
def listening(option: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    command = [*SERVER, option, "127.0.0.1:0", "--log-level", "info"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        lines = (re.search(rb"Serving on .*\D(\d+)\)$", line.rstrip()) for line in process.stderr)
        yield process, int(next(found for found in lines if found)[1])
    finally:
        process.kill()
        process.communicate()


def asked(number: int, method: str, params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def test_it_serves_over_tcp_and_ends_with_the_connection():
    with (
        listening("--tcp") as (process, port),
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection,
    ):
        connection.sendall(framed(asked(1, "initialize", {"processId": None, "capabilities": {}})))
        with connection.makefile("rb") as answers:
            length = re.fullmatch(rb"Content-Length: (\d+)\r\n", answers.readline())
            while answers.readline() != b"\r\n":
                pass
            answer = json.loads(answers.read(int(length[1])))
        assert answer["result"]["serverInfo"]["name"] == "stalwart"
        connection.shutdown(socket.SHUT_RDWR)
        connection.close()
        assert process.wait(PATIENCE) == 0


def test_it_serves_over_websocket_and_ends_with_the_connection():
    from websockets.sync.client import connect

    with listening("--ws") as (process, port):
        with connect(f"ws://127.0.0.1:{port}") as connection:
            connection.send(asked(1, "initialize", {"processId": None, "capabilities": {}}))
            answer = json.loads(connection.recv(PATIENCE))
            assert answer["result"]["serverInfo"]["name"] == "stalwart"
        assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tcp", "nowhere"), "is no address"),
        (("--tcp", "127.0.0.1:99999"), "is no address"),
        (("--tcp", "127.0.0.1:1", "--ws", "127.0.0.1:2"), "Give one of"),
    ],
)
def test_bad_usage_is_said(options, message):
    ended = subprocess.run([*SERVER, *options], capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 2
    assert message in ended.stderr


def test_an_address_in_use_is_said():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = subprocess.run(
            [*SERVER, "--tcp", address], capture_output=True, text=True, timeout=PATIENCE
        )
    assert ended.returncode == 1
    assert "in use" in ended.stderr


# ------------------------------------------------------------ the workspace


def test_files_that_look_like_ours_are_found_and_no_others(tmp_path):
    for name, text in {
        "shop.yaml": "# ours\nvocabulary: shop\n",
        "deep/er/agent.yml": "agents: {a: {}}\n",
        "quoted.yaml": '\ufeff"vocabulary": x\n',
        "k8s.yaml": "apiVersion: v1\n",
        "notes.txt": "vocabulary: x\n",
        ".hidden/x.yaml": "vocabulary: x\n",
        "node_modules/x.yaml": "vocabulary: x\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "loop").symlink_to(tmp_path)
    found = [path for path in find_files([tmp_path, tmp_path / "absent"]) if path]
    assert sorted(path.name for path in found) == ["agent.yml", "quoted.yaml", "shop.yaml"]


def test_a_folder_of_very_many_files_is_looked_through_in_part(tmp_path):
    for number in range(300):
        (tmp_path / f"{number}.yaml").write_text("vocabulary: x\n", encoding="utf-8")
    assert list(find_files([tmp_path], max_entries=0)) == [None]
    found = list(find_files([tmp_path], max_entries=100))
    assert (len(found), found[-1]) == (101, None)
    found = list(find_files([tmp_path], max_files=50))
    assert (len(found), found[-1]) == (51, None)


@pytest.mark.asyncio
async def test_files_that_change_on_the_disk_are_read_again(tmp_path):
    main, part = tmp_path / "main.yaml", tmp_path / "part.yaml"
    async with editing(tmp_path) as editor:
        uri = uri_of(main)
        editor.open(uri, "vocabulary: m\ninclude: part.yaml\nrules: {r: {tool: t, never: true}}\n")
        await editor.codes(uri, "SV030", "SV041")
        watched = [one for one in editor.registered if one.id == "stalwart-files"]
        assert "yaml" in str(watched[0].register_options)
        part.write_text("vocabulary: p\ntools: {t: {}}\n", encoding="utf-8")

        def tell(change: types.FileChangeType) -> None:
            event = types.FileEvent(uri=uri_of(part), type=change)
            editor.client.workspace_did_change_watched_files(
                types.DidChangeWatchedFilesParams(changes=[event])
            )

        tell(types.FileChangeType.Created)
        await editor.codes(uri)
        part.unlink()
        tell(types.FileChangeType.Deleted)
        await editor.codes(uri, "SV030", "SV041")


@pytest.mark.parametrize(
    ("answer", "traces", "language"),
    [
        (None, DEFAULT_TRACES, None),
        ({}, DEFAULT_TRACES, None),
        ({"traces": ["runs/*.jsonl", 5], "language": "pt-BR"}, ("runs/*.jsonl",), "pt-BR"),
        ({"stalwart": {"traces": "a.jsonl", "language": "fr"}}, ("a.jsonl",), None),
        ({"traces": 7, "language": ["en"]}, DEFAULT_TRACES, None),
        ("nonsense", DEFAULT_TRACES, None),
    ],
)
def test_settings_of_the_wrong_form_are_as_if_not_set(answer, traces, language):
    configuration = configuration_of(answer)
    assert (configuration.traces, configuration.language) == (traces, language)
    assert configuration.get("hints.turns", True) is True
