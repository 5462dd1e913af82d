"""`stalwart plan`: what a turn asks for, and why it is not read."""

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from stalwart_lang import Plan, Selector
from stalwart_lang.cli.errors import Unreadable, unreadable
from stalwart_lang.cli.plan_text import plan_lines
from stalwart_lang.diagnostics import VocabularyError
from stalwart_lang.vocabulary.locate import shipped_names
from stalwart_lang.vocabulary.model import LANGUAGES, Language
from stalwart_lang.vocabulary.suggest import nearest

if TYPE_CHECKING:
    from stalwart_lang.tracing import Tracer

_KEYS = ("turn", "language", "now")
_SHORT = {"lang": "language", "text": "turn"}
_LINE = '{"turn": "…", "language": "en" or "pt-BR", "now": "2027-03-01T09:00"}'


def _moment(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> datetime | None:
    try:
        return None if value is None else datetime.fromisoformat(value)
    except ValueError as error:
        raise click.BadParameter(
            f"{value!r} is no ISO 8601 date and time, for instance 2027-03-01T09:00."
        ) from error


@dataclass(frozen=True, slots=True)
class _Asked:
    turn: str
    language: Language | None
    now: datetime | None


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("vocabulary")
@click.argument("turn", required=False)
@click.option("--turns", metavar="FILE", help="Read many turns, a JSON object a line; - for stdin.")
@click.option("--language", type=click.Choice(LANGUAGES), help="The language to read in.")
@click.option(
    "--now", metavar="ISO", callback=_moment, help="The moment relative dates are reckoned from."
)
@click.option("--json", "as_json", is_flag=True, help="Print the plan as one line of JSON.")
@click.option("--trace", metavar="FILE", help="Append the spans to this file.")
@click.option("--capture-content", is_flag=True, help="Put the turn itself in the trace.")
def plan(
    vocabulary: str,
    turn: str | None,
    turns: str | None,
    language: Language | None,
    now: datetime | None,
    as_json: bool,
    trace: str | None,
    capture_content: bool,
) -> None:
    """Read TURN with VOCABULARY, a file or the name of a shipped one, and print its plan.

    Exit codes: 0 the turn is read, 1 it is not, 2 bad usage or unreadable input. With --turns,
    every result is one line of JSON, in order, and 0 says that all lines had a verdict.
    """
    if (turn is None) == (turns is None):
        raise click.UsageError("Give either a TURN or --turns FILE.")
    if capture_content and trace is None:
        raise click.UsageError("--capture-content needs --trace FILE.")
    with ExitStack() as stack:
        tracer = None
        if trace is not None:
            from stalwart_lang.tracing import JsonLinesTracer

            _require_writable(trace)
            try:
                tracer = JsonLinesTracer(trace, capture_content=capture_content)
            except ImportError as error:  # what redacts personal data
                raise Unreadable(str(error)) from error
            stack.enter_context(tracer)
        selector = _load(vocabulary, tracer)
        if turns is not None:
            lines = stack.enter_context(_opened(turns))
            for asked in _asked(lines, turns, language, now):
                made = _read(selector, asked)
                click.echo(made.to_json())
            return
        assert turn is not None
        made = _read(selector, _Asked(turn, language, now))
    if as_json:
        click.echo(made.to_json())
    else:
        click.echo("\n".join(plan_lines(made, turn)))
    if made.verdict != "read":
        raise click.exceptions.Exit(1)


def _load(vocabulary: str, tracer: "Tracer | None") -> Selector:
    try:
        return Selector.load(vocabulary, tracer=tracer)
    except VocabularyError as error:
        raise Unreadable(error.rendered()) from error
    except ImportError as error:
        raise Unreadable(str(error)) from error
    except OSError as error:
        if isinstance(error, FileNotFoundError) and vocabulary.isidentifier():
            names = ", ".join(shipped_names())
            raise Unreadable(f"{vocabulary}: no vocabulary has this name; {names} do") from error
        raise unreadable(vocabulary, error) from error


def _read(selector: Selector, asked: _Asked) -> Plan:
    try:
        return selector.plan(asked.turn, language=asked.language, now=asked.now)
    except ValueError as error:  # a moment that no calendar has a day before or after
        raise Unreadable(str(error)) from error


def _opened(turns: str) -> IO[bytes]:
    try:
        return click.open_file(turns, "rb")
    except OSError as error:
        raise unreadable(turns, error) from error


def _require_writable(trace: str) -> None:
    try:
        Path(trace).open("ab").close()
    except OSError as error:
        raise unreadable(trace, error) from error


def _asked(
    lines: Iterable[bytes], file: str, language: Language | None, now: datetime | None
) -> Iterator[_Asked]:
    for number, line in enumerate(lines, 1):
        try:
            text = _decoded(line, "utf-8-sig" if number == 1 else "utf-8")
            if text.strip():
                yield _one(text, language, now)
        except _BadLine as error:
            raise Unreadable(
                f"{file}:{number}:{error.column}: {error.message}\n  Write the line as {_LINE}"
            ) from error


def _decoded(line: bytes, encoding: str) -> str:
    try:
        return line.decode(encoding).rstrip("\r\n")
    except UnicodeDecodeError as error:
        column = len(error.object[: error.start].decode()) + 1
        raise _BadLine(column, "it is not UTF-8") from error


def _one(text: str, language: Language | None, now: datetime | None) -> _Asked:
    try:
        held = json.loads(text)
    except json.JSONDecodeError as error:
        raise _BadLine(error.colno, f"it is not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise _BadLine(1, "it is nested too deeply, or holds too long a number") from error
    if not isinstance(held, dict):
        raise _BadLine(1, "it is not an object")
    if not isinstance(held.get("turn"), str):
        raise _BadLine(_column(text, "turn"), '"turn" must be there, and be text')
    for key in held:
        meant = None if key in _KEYS else nearest(key, _KEYS) or _SHORT.get(key)
        if meant:  # what else a line holds is its writer's own
            raise _BadLine(_column(text, key), f'"{key}" is no key; "{meant}" is')
    if held.get("language") is not None:
        language = held["language"]
        if language not in LANGUAGES:
            raise _BadLine(_column(text, "language"), '"language" must be "en" or "pt-BR"')
    if held.get("now") is not None:
        try:
            now = datetime.fromisoformat(held["now"])
        except (TypeError, ValueError) as error:
            raise _BadLine(_column(text, "now"), '"now" must be an ISO 8601 text') from error
    return _Asked(held["turn"], language, now)


def _column(text: str, key: str) -> int:
    return max(text.find(f'"{key}"'), 0) + 1


class _BadLine(Exception):
    def __init__(self, column: int, message: str) -> None:
        super().__init__(message)
        self.column = column
        self.message = message
