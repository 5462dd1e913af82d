"""Which documents are traces, and what answers for them.

What an editor asks of a trace is answered by `features/trace_*.py`. These are imported when a trace
is first asked about: they need what reads traces, which a vocabulary does not.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server

TRACE_SUFFIX = ".jsonl"

OF_THE_EXTRA = ("jinja2", "markupsafe", "msgspec")
"""The modules that only the extra `trace` installs."""

Feature: TypeAlias = Literal["definition", "diagnostics", "hover", "lens", "symbols"]


def is_trace(uri: str) -> bool:
    """Whether a document is a trace, by its name."""
    return uri.partition("#")[0].partition("?")[0].lower().endswith(TRACE_SUFFIX)


async def answer_of_trace(server: "Server", feature: Feature, params: Any) -> Any:
    """Answer a request about a trace: `params` are the request's, of diagnostics the URI."""
    try:
        module = import_module(f"stalwart_lang.lsp.features.trace_{feature}")
    except ModuleNotFoundError as error:
        if error.name not in OF_THE_EXTRA:
            raise
        from stalwart_lang.lsp.traces.words import words_of

        words = words_of(server.project.configuration.language)
        server.say_once("traces:extra", words.extra.format(about=error.name))
        return [] if feature == "diagnostics" else None
    return await module.answer(server, params)
