"""Code lenses of a trace: on the first line of each run, what came of it and its timeline."""

from typing import TYPE_CHECKING

from lsprotocol import types

from stalwart_lang.lsp.features.traces import OPEN_TIMELINE
from stalwart_lang.lsp.traces.explaining import duration_of
from stalwart_lang.lsp.traces.outline import TraceRun, outline
from stalwart_lang.lsp.traces.words import Words, words_of

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

_LENSES = 500


async def answer(server: "Server", params: types.CodeLensParams) -> list[types.CodeLens] | None:
    """Answer `textDocument/codeLens` in a trace."""
    uri = params.text_document.uri
    document = server.project.document(uri)
    if document is None:
        return None
    words = words_of(server.project.configuration.language)
    return await server.run(lenses_of, document.text, uri, words)


def lenses_of(text: str, uri: str, words: Words) -> list[types.CodeLens]:
    """Return a lens for each run among the first spans of a trace."""
    return [
        types.CodeLens(
            range=types.Range(
                start=types.Position(line=run.line, character=0),
                end=types.Position(line=run.line, character=0),
            ),
            command=types.Command(
                title=_title(run, words), command=OPEN_TIMELINE, arguments=[uri, run.trace_id]
            ),
        )
        for run in outline(text).runs[:_LENSES]
    ]


def _title(run: TraceRun, words: Words) -> str:
    told = [words.open_timeline]
    if run.outcome != "open" or not run.left_out:
        outcome = words.outcomes[run.outcome]
        error = run.error if run.outcome == "failed" else None
        told.append(outcome + (f": {error}" if error else ""))
    if not run.left_out:
        count = len(run.rows)
        told.append(words.spans[count != 1].format(n=count))
        told.append(duration_of(run.duration_ms, words))
    return " · ".join(told)
