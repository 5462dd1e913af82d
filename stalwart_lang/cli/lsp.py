"""`stalwart lsp`: the language server, for editors to start."""

import gc
import logging
import os
import sys
from typing import TYPE_CHECKING

import click

_OBJECTS = 300_000
"""New objects, less those that are gone, after which the garbage collector passes over them."""
_SWITCHES_EVERY = 0.001
_LEVELS = ("error", "warning", "info", "debug")


# Generic to the type checker, and in newer versions of click at run time too.
if TYPE_CHECKING:
    _ParamType = click.ParamType[tuple[str, int]]
else:
    _ParamType = click.ParamType


class _Address(_ParamType):
    """A host and a port."""

    name = "HOST:PORT"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """Read `127.0.0.1:8888`."""
        host, _, port = str(value).rpartition(":")
        if not port.isdecimal() or not 0 <= int(port) < 65536:
            self.fail(f"{value!r} is no address, for instance 127.0.0.1:8888.", param, ctx)
        return host.strip("[]") or "127.0.0.1", int(port)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--stdio", is_flag=True, help="Speak over stdin and stdout, which is the default.")
@click.option("--tcp", type=_Address(), help="Wait for one client at this address.")
@click.option("--ws", type=_Address(), help="Wait for one client over WebSocket.")
@click.option(
    "--log-level",
    type=click.Choice(_LEVELS),
    default="error",
    show_default=True,
    help="How much is written to stderr.",
)
# What clients of other servers pass along.
@click.option("--clientProcessId", "_client", hidden=True)
def lsp(
    stdio: bool,
    tcp: tuple[str, int] | None,
    ws: tuple[str, int] | None,
    log_level: str,
    _client: str | None,
) -> None:
    """Serve an editor: diagnostics, hovers and the rest of the language server protocol.

    It ends when its client ends. Exit codes: 0 the client ended it, 1 the client was gone first.
    """
    if sum((stdio, tcp is not None, ws is not None)) > 1:
        raise click.UsageError("Give one of --stdio, --tcp and --ws.")
    if ws is not None:
        _require_websockets()
    logging.basicConfig(stream=sys.stderr, level=log_level.upper(), format="%(name)s: %(message)s")
    code = 0
    if tcp is None and ws is None:
        code = _serve_stdio()
    else:
        from stalwart_lang.lsp.server import Server

        server = Server()
        try:
            if tcp is not None:
                server.start_tcp(*tcp)
            elif ws is not None:
                server.start_ws(*ws)
        except OSError as error:
            raise click.ClickException(f"{error.strerror or error}") from error
    # What threads still do is for a client that is gone.
    sys.stderr.flush()
    os._exit(code)


def _serve_stdio() -> int:
    from stalwart_lang.collector import collector_paused
    from stalwart_lang.lsp.stdio import serve, take_stdout

    stdout = take_stdout()
    with collector_paused():
        from stalwart_lang.lsp.server import Server

        server = Server()
    # A version of a document is many objects, nearly all of which the next one takes the place of;
    # a pass over them would come in between two keys.
    gc.freeze()
    gc.set_threshold(_OBJECTS)
    sys.setswitchinterval(_SWITCHES_EVERY)  # analysing a vocabulary must not keep a hover waiting
    return int(serve(server, sys.stdin.buffer, stdout))


def _require_websockets() -> None:
    try:
        import websockets  # noqa: F401
    except ImportError as error:
        raise click.ClickException("--ws needs websockets: pip install websockets") from error
