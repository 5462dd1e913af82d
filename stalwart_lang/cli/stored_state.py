"""The state of a stored run, checked for commands that show the run."""

from collections.abc import Iterable, Iterator, Mapping

import click

from stalwart_lang.cli.errors import Unreadable
from stalwart_lang.runs.history_token import BadKeys
from stalwart_lang.state.stored import StoredCheck, check_stored, state_bytes
from stalwart_lang.state.violations import Violation
from stalwart_lang.terminal import printable
from stalwart_lang.timeline.stored import BadStore, NoSuchThread, step_span_id
from stalwart_lang.vocabulary.model import Language

_MOST = 256_000_000
"""Of a graph that keeps its whole state at each step, a long run takes too long to read through
for who only wants to see it."""

_CONSEQUENCE: Mapping[Language, str] = {"en": "consequence", "pt-BR": "consequência"}


def checked_state(url: str, thread: str, anchors: Iterable[str] = ()) -> StoredCheck:
    """Check a stored run. What cannot be read is told by exit code 2.

    Where the keys are to be had and cannot, it is told, and the history is not verified.
    """
    anchors = list(anchors)
    try:
        try:
            return check_stored(url, thread, anchors=anchors)
        except BadKeys as error:
            click.echo(f"The history is not verified: {printable(str(error))}", err=True)
            return check_stored(url, thread, keys={}, anchors=anchors)
    except (BadStore, NoSuchThread) as error:
        raise Unreadable(printable(str(error))) from error


def marked_steps(url: str, thread: str | None) -> dict[str, list[str]]:
    """Return what the steps of a stored run broke in its state, by the ids of their spans."""
    marks: dict[str, list[str]] = {}
    for span_id, found in _breaks(url, thread):
        marks.setdefault(span_id, []).append(f"{found.kind}  {found.where}: {found.message}")
    return marks


def marked_texts(url: str, thread: str | None, language: Language) -> dict[str, str]:
    """Return the same as one text a step, in a language: what follows the first is said to."""
    texts: dict[str, str] = {}
    for span_id, found in _breaks(url, thread):
        said = f"{found.kind}: {found.where}: {found.say.get(language, found.message)}"
        if texts:
            said = f"{_CONSEQUENCE[language]}: {said}"
        texts[span_id] = f"{texts[span_id]}; {said}" if span_id in texts else said
    return texts


def _breaks(url: str, thread: str | None) -> Iterator[tuple[str, Violation]]:
    if thread is None:
        return
    size = state_bytes(url, thread)
    if size > _MOST:
        click.echo(
            f"The state is not checked here: it takes up {size // 1_000_000} MB; "
            "`stalwart state check` checks it.",
            err=True,
        )
        return
    for broken in checked_state(url, thread).broken:
        yield step_span_id(broken.checkpoint), broken.violation
