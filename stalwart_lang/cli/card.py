"""The card of a call that waits for a person: what would run, why one is asked, what undoes it."""

import sys
from collections.abc import Iterator, Mapping

import click

from stalwart_lang.runs.replies import value_text
from stalwart_lang.runs.reply import Waiting, Why
from stalwart_lang.terminal import printable
from stalwart_lang.words.language import Language

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "title": "Your word is needed",
        "call": "call",
        "why": "why",
        "rule": "rule",
        "undo": "undone by",
        "no_undo": "nothing: no tool takes it back",
        "reasons": "reasons",
        "write": "write",
        "irreversible": "irreversible",
    },
    "pt-BR": {
        "title": "Sua confirmação é necessária",
        "call": "chamada",
        "why": "por quê",
        "rule": "regra",
        "undo": "desfeita por",
        "no_undo": "nada: nenhuma ferramenta a desfaz",
        "reasons": "motivos",
        "write": "escrita",
        "irreversible": "irreversível",
    },
}


def print_card(waiting: Waiting) -> None:
    """Print the card in the conversation's language: a panel on a terminal, plain text elsewhere.

    Nothing of the call's arguments acts on the terminal. `NO_COLOR` takes the colours away.
    """
    if sys.stdout.isatty():
        _print_panel(waiting)
    else:
        click.echo("\n".join(_plain_lines(waiting)))


def _print_panel(waiting: Waiting) -> None:
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="cyan")
    grid.add_column(overflow="fold")
    for label, value in _rows(waiting):
        grid.add_row(Text(label), Text(value, "bold" if value == waiting.tool else ""))
    title = Text(_WORDS[waiting.language]["title"], "bold yellow")
    Console(highlight=False, markup=False, emoji=False).print(
        Panel(grid, title=title, title_align="left", border_style="yellow", expand=False)
    )


def _plain_lines(waiting: Waiting) -> Iterator[str]:
    rows = list(_rows(waiting))
    width = max(len(label) for label, _ in rows)
    yield _WORDS[waiting.language]["title"]
    for label, value in rows:
        yield f"  {label:<{width}}  {value}"


def _rows(waiting: Waiting) -> Iterator[tuple[str, str]]:
    """Yield label and value of each row; a row that goes on with the one above has no label."""
    words = _WORDS[waiting.language]
    yield words["call"], printable(waiting.tool)
    width = max((len(name) for name in waiting.arguments), default=0)
    for name, value in waiting.arguments.items():
        yield "", f"  {printable(name):<{width}}  {printable(value_text(value))}"
    for label, why in _labelled(words["why"], [why.text for why in waiting.why]):
        yield label, printable(why)
    rules = [f"{why.name} ({why.place})" for why in waiting.why if why.place]
    for label, rule in _labelled(words["rule"], rules):
        yield label, printable(rule)
    yield words["undo"], printable(waiting.undo or words["no_undo"])
    reasons = [_reason(why, words) for why in waiting.why] or waiting.reasons
    yield words["reasons"], printable(", ".join(reasons))


def _reason(why: Why, words: Mapping[str, str]) -> str:
    """Return a reason's name; a rule keeps its own, which may be that of another reason."""
    return why.name if why.place else words.get(why.name, why.name)


def _labelled(label: str, values: list[str]) -> Iterator[tuple[str, str]]:
    for at, value in enumerate(values):
        yield "" if at else label, value
