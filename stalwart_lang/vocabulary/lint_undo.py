"""Lint of undo: whether what a tool does can be taken back as it says."""

from collections.abc import Iterator

from stalwart_lang.diagnostics import Diagnostic, Related, diagnostic, quoted
from stalwart_lang.vocabulary.model import Vocabulary


def undo_undone(vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """SV104: a tool whose undo has an undo itself, in a circle or in a chain."""
    for tool in vocabulary.tools.values():
        undo = vocabulary.tools.get(tool.undo) if tool.undo else None
        if undo is not None and undo.undo:
            again = "itself" if undo is tool else quoted(undo.undo)
            yield diagnostic(
                "SV104",
                f"{quoted(undo.name)} undoes {quoted(tool.name)} and is undone by {again}",
                tool.location,
                f"remove `undo:` from {quoted(undo.name)}",
                (Related("the undo is here", undo.location),),
            )


def undo_lacking_arguments(vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """SV105: an undo that needs what the tool it undoes was not given."""
    for tool in vocabulary.tools.values():
        undo = vocabulary.tools.get(tool.undo) if tool.undo else None
        if undo is None:
            continue
        given = {argument.name: argument for argument in tool.arguments}
        for needed in undo.arguments:
            if not needed.required:
                continue
            same = given.get(needed.name)
            if same is None:
                problem = f"which {quoted(tool.name)} does not take"
            elif not same.required:
                problem = f"which {quoted(tool.name)} may be without"
            elif not set(same.types) <= set(needed.types):
                problem = f"which in {quoted(tool.name)} has another type"
            else:
                continue
            yield diagnostic(
                "SV105",
                f"to undo {quoted(tool.name)}, {quoted(undo.name)} needs {quoted(needed.name)}, "
                + problem,
                tool.location,
                f"make {quoted(needed.name)} of {quoted(undo.name)} optional, or give it to both",
                (Related("it is needed here", needed.location),),
            )
