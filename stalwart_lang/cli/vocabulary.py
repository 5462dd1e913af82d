"""`stalwart vocabulary`: check vocabularies and run their turns."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping

import click

from stalwart_lang.diagnostics import Diagnostic, render
from stalwart_lang.selector.turns import TurnResult, check_turns
from stalwart_lang.terminal import printable
from stalwart_lang.vocabulary.lint import in_order, lint
from stalwart_lang.vocabulary.load import Loaded, load_vocabulary

_UNREADABLE = "SV001"
_SETTINGS = {"help_option_names": ["-h", "--help"]}


@click.group(context_settings=_SETTINGS)
def vocabulary() -> None:
    """Check and test vocabularies. FILE is a path, or the name of one that is shipped (shop)."""


@vocabulary.command(context_settings=_SETTINGS)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print the diagnostics as one JSON object.")
def check(files: tuple[str, ...], as_json: bool) -> None:
    """Print what is wrong with vocabularies, and what would surprise.

    Exit codes: 0 no errors (warnings there may be), 1 errors, 2 a file that cannot be read.
    """
    found: list[Diagnostic] = []
    for file in files:
        loaded = load_vocabulary(file)
        diagnostics = (*loaded.diagnostics, *_warnings(loaded))
        found += diagnostics
        if not as_json:
            _print(diagnostics, loaded.sources)
    if as_json:
        count = Counter(diagnostic.severity for diagnostic in found)
        result = {
            "diagnostics": [diagnostic.to_dict() for diagnostic in found],
            "errors": count["error"],
            "warnings": count["warning"],
        }
        click.echo(json.dumps(result, ensure_ascii=False))
    else:
        click.echo(_summary(len(files), found))
    raise click.exceptions.Exit(_exit_code(found))


@vocabulary.command(context_settings=_SETTINGS)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def test(files: tuple[str, ...]) -> None:
    """Read the turns of vocabularies and print those that read otherwise than they should.

    Exit codes: 0 all passed, 1 a turn failed or a vocabulary has errors, 2 a file that cannot be
    read.
    """
    errors: list[Diagnostic] = []
    results: list[TurnResult] = []
    for file in files:
        loaded = load_vocabulary(file)
        if loaded.vocabulary is None:
            errors += loaded.diagnostics
            _print(loaded.diagnostics, loaded.sources)
            continue
        if not loaded.vocabulary.turns:
            continue
        from stalwart_lang.selector.selector import Selector

        results += check_turns(loaded.vocabulary, Selector(loaded.vocabulary))
    failed = [result for result in results if not result.ok]
    for result in failed:
        click.echo("\n".join(_failure(result)))
    click.echo(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    raise click.exceptions.Exit(_exit_code(errors) or int(bool(failed)))


def _warnings(loaded: Loaded) -> tuple[Diagnostic, ...]:
    if loaded.vocabulary is None:
        return ()
    from stalwart_lang.selector.overlap import overlaps
    from stalwart_lang.selector.store import compile_vocabulary
    from stalwart_lang.selector.unreadable import unreadable

    made, lexicons = loaded.vocabulary, compile_vocabulary(loaded.vocabulary).lexicons
    return in_order(made, (*lint(made), *overlaps(made, lexicons), *unreadable(made, lexicons)))


def _print(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str]) -> None:
    for diagnostic in diagnostics:
        click.echo(render(diagnostic, sources.get(diagnostic.location.file)))


def _summary(files: int, found: list[Diagnostic]) -> str:
    count = Counter(diagnostic.severity for diagnostic in found)
    return ", ".join(
        (
            _counted(files, "vocabulary", "vocabularies"),
            _counted(count["error"], "error", "errors"),
            _counted(count["warning"], "warning", "warnings"),
        )
    )


def _counted(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def _exit_code(found: list[Diagnostic]) -> int:
    if any(diagnostic.code == _UNREADABLE for diagnostic in found):
        return 2
    return int(any(diagnostic.severity == "error" for diagnostic in found))


def _failure(result: TurnResult) -> list[str]:
    """A failed turn and how what was got differs: `-` was expected, `+` was got."""
    from difflib import ndiff

    lines = [line for line in ndiff(result.expected, result.got) if not line.startswith("?")]
    return [
        f"{result.location}: [{result.language}] {printable(result.turn)}",
        *(f"  {printable(line)}" for line in lines),
    ]
