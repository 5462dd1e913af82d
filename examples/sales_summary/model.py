"""A model that answers from a script, so that two runs differ only where their scripts do."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

MODEL = "claude-sonnet-4-5"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model asks for, and what to give it."""

    id: str
    tool: str
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool call came to: its value or, where it failed, what the model is told of it."""

    call_id: str
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Response:
    """One answer of the model; `stop_reason` is "tool_use" where it waits for its tools."""

    text: str
    calls: tuple[ToolCall, ...]
    stop_reason: str
    input_tokens: int
    output_tokens: int


Message: TypeAlias = str | Response | tuple[ToolResult, ...]
"""A message of the conversation: the task, an answer, or the results that the answer waits for."""


class ScriptedModel:
    """Answers with the responses of a script, in order, whatever it is asked."""

    name = MODEL

    def __init__(self, script: Iterable[Response]) -> None:
        self._script = iter(script)

    def respond(self, messages: Sequence[Message]) -> Response:
        """Return the next response; raise EOFError where the script has no more."""
        response = next(self._script, None)
        if response is None:
            raise EOFError(f"the script ended before message {len(messages)} was answered")
        return response


def _asks(text: str, input_tokens: int, output_tokens: int, *calls: ToolCall) -> Response:
    return Response(text, calls, "tool_use", input_tokens, output_tokens)


def _ends(text: str, input_tokens: int, output_tokens: int) -> Response:
    return Response(text, (), "end_turn", input_tokens, output_tokens)


def _read(call_id: str, path: str) -> ToolCall:
    return ToolCall(call_id, "read_file", {"path": path})


def _write(content: str) -> ToolCall:
    return ToolCall("toolu_w", "write_file", {"path": "summary.md", "content": content})


_RIGHT = """\
# Vendas por região, 1º trimestre de 2026

| região | total (¥) |
| --- | ---: |
| Leste da China | 548550 |
| Sul da China | 306350 |
| Norte da China | 432600 |
| **todas** | **1287500** |

Somado de data/2026-q1-east.csv, data/2026-q1-south.csv e data/2026-q1-north.csv.
"""

_MADE_UP = """\
# Vendas por região, 1º trimestre de 2026

| região | total (¥) |
| --- | ---: |
| Leste da China | 548550 |
| Centro da China | 208000 |
| Norte da China | 432600 |
| **todas** | **1189150** |

Somado dos CSV de data/.
"""

_LIST = ToolCall("toolu_l", "list_files", {"dir": "data"})
_EAST = _read("toolu_e", "data/2026-q1-east.csv")
_SOUTH = _read("toolu_s", "data/2026-q1-south.csv")
_NORTH = _read("toolu_n", "data/2026-q1-north.csv")
_MISREAD = _read("toolu_x", "data/2026-q1-sourth.csv")

_LOOKS = _asks("Começo pelos nomes dos arquivos.", 812, 96, _LIST)
_READS = "São três arquivos; leio todos de uma vez."
_ADDS = "Com os três lidos, somo e gravo o resumo."

SCRIPTS: Mapping[str, tuple[Response, ...]] = {
    "v-good": (
        _LOOKS,
        _asks(_READS, 946, 218, _EAST, _SOUTH, _NORTH),
        _asks(_ADDS, 1584, 342, _write(_RIGHT)),
        _ends("O resumo das três regiões está em summary.md; a soma é 1287500.", 1961, 74),
    ),
    # One name is misread, the error says little, and a region is made up in its place.
    "v-bug": (
        _LOOKS,
        _asks(_READS, 946, 218, _EAST, _MISREAD, _NORTH),
        _asks(_ADDS, 1602, 355, _write(_MADE_UP)),
        _ends("O resumo das três regiões está em summary.md; a soma é 1189150.", 1990, 81),
    ),
    # The same name is misread, but the error says what to do, and it is done.
    "v-fixed": (
        _LOOKS,
        _asks(_READS, 946, 218, _EAST, _MISREAD, _NORTH),
        _asks("Errei um nome: o arquivo é o do sul.", 1688, 64, _SOUTH),
        _asks(_ADDS, 1849, 342, _write(_RIGHT)),
        _ends(
            "O resumo das três regiões está em summary.md; a soma é 1287500. Na primeira leitura "
            "troquei um nome (data/2026-q1-sourth.csv) e li de novo o arquivo certo. Há vendas de "
            "outra região fora de data/? Diga onde, que eu somo; valores eu não estimo.",
            2226,
            118,
        ),
    ),
}
"""What the model answers in each version, turn by turn."""
