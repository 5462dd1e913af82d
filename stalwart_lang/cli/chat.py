"""`stalwart chat`: a conversation with an agent, each call that waits shown on its card."""

import logging
import shlex
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any, Literal, Protocol, TypeAlias

import click

from stalwart_lang.cli.card import print_card
from stalwart_lang.cli.errors import Unreadable, unreadable
from stalwart_lang.diagnostics import AgentError
from stalwart_lang.runs.agent import Agent
from stalwart_lang.runs.failures import FAILURES
from stalwart_lang.runs.replies import call_text
from stalwart_lang.runs.reply import Reply, Waiting
from stalwart_lang.runs.storage import BadStorage
from stalwart_lang.terminal import excerpt, printable, printable_json
from stalwart_lang.words.language import Language

Answer: TypeAlias = Literal["approve", "decline"]

_OF_THE_EXTRA = ("langchain_core", "langgraph", "msgspec", "ormsgpack", "psycopg", "rich")

_ANSWERS: Mapping[str, Answer] = {
    **dict.fromkeys(("a", "approve", "y", "yes"), "approve"),
    **dict.fromkeys(("aprovar", "aprovo", "aprova", "s", "sim"), "approve"),
    **dict.fromkeys(("d", "decline", "n", "no"), "decline"),
    **dict.fromkeys(("recusar", "recuso", "recusa", "r", "não", "nao"), "decline"),
}

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "hello": "This is {agent}. The conversation is {thread}; Ctrl-D leaves it.",
        "turn": "you: ",
        "answer": "Approve or decline? [a/d] ",
        "again": "Answer a (approve) or d (decline); nothing happens until you do.",
        "not_utf8": "That is not UTF-8; nothing was done with it.",
        "waits": "It still waits for your word. Go on with:",
        "how": "Answer with one of these:",
        "lost": (
            "It was kept in memory, and is gone with this process. "
            "`storage:` in the agent file keeps it."
        ),
        "broken": "Broken off in the middle of a run. To have it ended, go on with:",
    },
    "pt-BR": {
        "hello": "Aqui é {agent}. A conversa é {thread}; Ctrl-D sai dela.",
        "turn": "você: ",
        "answer": "Aprovar ou recusar? [a/r] ",
        "again": "Responda a (aprovar) ou r (recusar); nada acontece até lá.",
        "not_utf8": "Isso não é UTF-8, e nada foi feito.",
        "waits": "Ela ainda espera a sua confirmação. Continue com:",
        "how": "Responda com um destes:",
        "lost": (
            "Ela estava só na memória, e se perdeu com este processo. "
            "Para guardá-la, use `storage:` no arquivo do agente."
        ),
        "broken": "A execução foi interrompida no meio. Para que ela termine, continue com:",
    },
}

_STYLES: Mapping[str, str] = {"done": "bold green", "stopped": "bold red"}
"""The colour of the agent's name, by the reply's status; yellow for the others."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("agent_file", metavar="AGENT.YAML")
@click.argument("turn", required=False)
@click.option(
    "--user",
    default="me",
    show_default=True,
    help="Whose conversation it is: it is kept under the agent's name, a slash, and this.",
)
@click.option("--agent", "name", metavar="NAME", help="Which agent, where the file has several.")
@click.option("--approve", is_flag=True, help="Approve the call that waits.")
@click.option("--decline", is_flag=True, help="Decline the call that waits.")
@click.option("--pause", metavar="ID", help="Answer this question alone, not a later one.")
@click.option("--json", "as_json", is_flag=True, help="Print each reply as one line of JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Show the tracebacks of what fails.")
def chat(
    agent_file: str,
    turn: str | None,
    user: str,
    name: str | None,
    approve: bool,
    decline: bool,
    pause: str | None,
    as_json: bool,
    verbose: bool,
) -> None:
    """Talk with the agent of AGENT.YAML.

    Without TURN it is a conversation: a line is a turn, or, while a call waits for your word, an
    answer to its card: a (approve) or d (decline). It ends with the input (Ctrl-D); what waits then
    goes on waiting, and is shown when you come back. In a pipe it is the same, without prompts.

    With TURN, --approve or --decline one thing is said and its reply printed.

    Exit codes: 0 done, and always after a conversation that was not broken off; 1 the answer is no
    (not read, refused, stopped, waiting for you); 2 bad usage or a wrong agent file.
    """
    if approve and decline:
        raise click.UsageError("--approve and --decline exclude each other.")
    if turn is not None and (approve or decline):
        raise click.UsageError("A TURN is no answer: leave it out with --approve or --decline.")
    if pause is not None and not (approve or decline):
        raise click.UsageError("--pause needs --approve or --decline.")
    for said in (turn, user):
        if said is not None and not _is_text(said):
            raise click.UsageError(f"{said!a} is not UTF-8.")
    _log_failures(verbose)
    command = ["stalwart", "chat", agent_file, "--user", user]
    command += ["--agent", name] if name else []
    with _opened(agent_file, name) as agent:
        screen = _JsonScreen(agent.language) if as_json else _TextScreen(agent.language, agent.name)
        if turn is None and not (approve or decline):
            _converse(agent, user, screen, command)
            return
        with _user_told():
            if turn is not None:
                reply = agent.chat(turn, user=user)
            else:
                reply = agent.confirm(user, "approve" if approve else "decline", pause=pause)
        screen.reply(reply, turn)
        if reply.waiting is not None and not as_json:
            screen.told("how" if agent.kept else "lost")
            for answer in ("--approve", "--decline") if agent.kept else ():
                screen.command([*command, answer, "--pause", reply.waiting.pause])
    if reply.status != "done":
        raise click.exceptions.Exit(1)


def _log_failures(verbose: bool) -> None:
    """Log what fails on standard error, or not at all: a reply names its class."""
    log = logging.getLogger(FAILURES)
    log.propagate = False
    log.handlers = [logging.StreamHandler() if verbose else logging.NullHandler()]
    log.setLevel(logging.INFO)


@contextmanager
def _opened(agent_file: str, name: str | None) -> Iterator[Agent]:
    """Open the agent, and tell by exit code 2 why it cannot be."""
    try:
        if sys.stdout.isatty():
            import_module("rich")  # draws the card; missing it is told before anything is done
        agent = Agent.from_file(agent_file, agent=name)
    except AgentError as error:
        raise Unreadable(error.rendered()) from error
    except ImportError as error:
        raise _missing(error) from error
    except BadStorage as error:
        raise Unreadable(printable(str(error))) from error
    except ValueError as error:  # what the file asks for and a command cannot give: a model
        raise Unreadable(f"{agent_file}: {printable(str(error))}") from error
    except OSError as error:
        raise unreadable(str(error.filename or agent_file), error) from error
    with agent:
        yield agent


@contextmanager
def _user_told() -> Iterator[None]:
    """Tell of a user's name that is none: what an agent raises ValueError for."""
    try:
        yield
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--user") from error


def _missing(error: ImportError) -> Unreadable:
    package = (error.name or "").partition(".")[0]
    if package not in _OF_THE_EXTRA:
        return Unreadable(str(error))
    return Unreadable(f"stalwart chat needs {package}: pip install 'stalwart-lang[runs]'")


class _Screen(Protocol):
    def hello(self, thread: str) -> None: ...
    def card(self, waiting: Waiting) -> None: ...
    def reply(self, reply: Reply, turn: str | None) -> None: ...
    def again(self, waiting: Waiting) -> None: ...
    def told(self, key: str) -> None: ...
    def command(self, words: list[str]) -> None: ...


def _converse(agent: Agent, user: str, screen: _Screen, command: list[str]) -> None:
    """Take turns and answers, a line each, until the input ends."""
    typed = isinstance(screen, _TextScreen) and _at_terminal()
    heard = _typed(screen) if typed else _piped()
    words = _WORDS[agent.language]
    with _user_told():
        waiting = agent.waiting(user)
    if typed:
        screen.hello(f"{agent.name}/{user}")
    if waiting is not None:
        screen.card(waiting)
    while True:
        said = heard(words["answer" if waiting else "turn"], waiting is None)
        if said is None:
            break
        answer = None if waiting is None else _ANSWERS.get(_folded(said))
        if waiting is not None and answer is None:
            screen.again(waiting)
            continue
        if waiting is None and not said.strip():
            continue
        try:
            if waiting is not None and answer is not None:
                reply = agent.confirm(user, answer, pause=waiting.pause)
            else:
                reply = agent.chat(said, user=user)
        except KeyboardInterrupt:
            screen.told("broken")
            screen.command(command)
            raise click.exceptions.Exit(1) from None
        screen.reply(reply, said if waiting is None else None)
        waiting = reply.waiting
    if waiting is not None:
        screen.told("waits" if agent.kept else "lost")
        if agent.kept:
            screen.command(command)


@dataclass(frozen=True, slots=True)
class _TextScreen:
    language: Language
    agent: str

    def hello(self, thread: str) -> None:
        text = _WORDS[self.language]["hello"].format(agent=self.agent, thread=thread)
        click.echo(printable(text))

    def card(self, waiting: Waiting) -> None:
        print_card(waiting)

    def reply(self, reply: Reply, turn: str | None) -> None:
        # The card says what the question does.
        text = reply.text.removesuffix(reply.waiting.text if reply.waiting else "").rstrip(" ")
        if text:
            lines = [printable(line) for line in text.split("\n")]
            self._say(reply.status, [*lines, *_shown_plan(reply, turn)])
        if reply.waiting is not None:
            print_card(reply.waiting)

    def again(self, _: Waiting) -> None:
        self.told("again")

    def told(self, key: str) -> None:
        click.echo(_WORDS[self.language][key])

    def command(self, words: list[str]) -> None:
        click.echo("  " + printable(shlex.join(words)))

    def _say(self, status: str, lines: list[str]) -> None:
        if not _at_terminal():
            click.echo("\n".join(lines))
            return
        from rich.console import Console
        from rich.text import Text

        # Only the agent's own words begin at the left: no result can look like a prompt.
        name = (f"{printable(self.agent)}: ", _STYLES.get(status, "bold yellow"))
        text = Text.assemble(name, "\n  ".join(lines))
        Console(highlight=False, markup=False, emoji=False).print(text, soft_wrap=True)


@dataclass(frozen=True, slots=True)
class _JsonScreen:
    """Replies on standard output, what is for a person only on standard error."""

    language: Language

    def hello(self, thread: str) -> None: ...

    def card(self, waiting: Waiting) -> None:
        self.reply(Reply(waiting.text, waiting, status="waiting"), None)

    def reply(self, reply: Reply, _: str | None) -> None:
        held = asdict(reply)
        shown = {key: held[key] for key in ("text", "status", "waiting", "plan", "undone")}
        click.echo(printable_json(shown))

    def again(self, waiting: Waiting) -> None:
        self.reply(Reply(_WORDS[self.language]["again"], waiting, status="waiting"), None)

    def told(self, key: str) -> None:
        click.echo(_WORDS[self.language][key], err=True)

    def command(self, words: list[str]) -> None:
        click.echo("  " + printable(shlex.join(words)), err=True)


def _shown_plan(reply: Reply, turn: str | None) -> Iterator[str]:
    """Yield where a turn was not read, or what it could mean."""
    plan: Mapping[str, Any] = reply.plan or {}
    if turn is None or reply.status not in ("asked", "unread"):
        return
    if plan.get("verdict") == "unread":
        first = plan["reasons"][0]
        yield from (f"  {line}" for line in excerpt(turn, first["start"], first["end"]))
    for number, calls in enumerate(plan.get("readings", ()), 1):
        shown = "; ".join(call_text(call["tool"], call["arguments"]) for call in calls)
        yield f"  {number}. {printable(shown)}"


Heard: TypeAlias = Callable[[str, bool], str | None]
"""Gives the next line, None where the input ends; given its prompt, and whether it is a turn."""


def _typed(screen: _Screen) -> Heard:
    """Hear a person at a terminal; turns can be called up again, answers cannot."""
    remember = _memory()

    def heard(prompt: str, is_turn: bool) -> str | None:
        while True:
            if not is_turn:
                _forget_typed_ahead()
            try:
                said = input(prompt)
            except (EOFError, KeyboardInterrupt):
                click.echo()
                return None
            except UnicodeDecodeError:
                screen.told("not_utf8")
                continue
            if not _is_text(said):
                screen.told("not_utf8")
                continue
            if is_turn and said.strip():
                remember(said)
            return said

    return heard


def _memory() -> Callable[[str], None]:
    """Return what keeps a line, to be called up again at a prompt."""
    try:
        import readline
    except ImportError:  # not on every system
        return lambda _: None
    readline.set_auto_history(False)
    return readline.add_history


def _forget_typed_ahead() -> None:
    """Drop what was typed before the question was there: it is no answer to it."""
    try:
        import termios
    except ImportError:  # not on every system
        return
    termios.tcflush(sys.stdin, termios.TCIFLUSH)


def _piped() -> Heard:
    """Hear lines of standard input, which is UTF-8."""
    lines = enumerate(sys.stdin.buffer if sys.stdin else (), 1)

    def heard(_prompt: str, _is_turn: bool) -> str | None:
        try:
            number, line = next(lines, (0, b""))
        except KeyboardInterrupt:
            return None
        try:
            return line.decode().rstrip("\r\n") if number else None
        except UnicodeDecodeError as error:
            raise Unreadable(f"<stdin>:{number}: it is not UTF-8") from error

    return heard


def _at_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _folded(said: str) -> str:
    return unicodedata.normalize("NFC", said).strip().casefold()


def _is_text(said: str) -> bool:
    """Whether it can be written as UTF-8: bytes that could not be read are surrogates."""
    return not any("\ud800" <= char <= "\udfff" for char in said)
