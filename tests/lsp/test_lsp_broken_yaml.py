"""Names of broken vocabularies: that they complete, are found at their place, and lead on."""

import random
from collections.abc import Iterator
from itertools import islice

import pytest
from editor import editing
from lsprotocol import types

from stalwart_lang.diagnostics import Findings, TooMany
from stalwart_lang.lsp.documents import Document, uri_of
from stalwart_lang.lsp.features.completion import completion
from stalwart_lang.lsp.index.model import DocumentIndex, Occurrence
from stalwart_lang.lsp.workspace import Project
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.yaml12 import compose

SHIPPED = ("shop", "pix", "agenda")
BREAKAGES = 340
SERVED = 40
SEED = 20261201
NAMES = 12
COMPLETED = 2
ENOUGH = 0.95
_INSERTED = " :,'\"[]{}#-&*!|>%@`\tab0\n"


def is_broken(text: str) -> bool:
    try:
        return compose(Source("x", text), Findings()) is None
    except TooMany:
        return True


def breakages(text: str, rng: random.Random) -> Iterator[tuple[int, int, str]]:
    """Give edits that break a text: a character, a line, an indentation, a quote or a bracket."""
    lines = [at + 1 for at, character in enumerate(text) if character == "\n"][:-1]
    marks = [at for at, character in enumerate(text) if character in "\"'[]{}"]
    while True:
        at, line, mark = rng.randrange(len(text)), rng.choice(lines), rng.choice(marks)
        end = text.index("\n", line)
        edit = rng.choice(
            (
                (at, at + 1, ""),
                (at, at, rng.choice(_INSERTED)),
                (at, at + 1, rng.choice(_INSERTED)),
                (rng.randint(line, end), end, ""),
                (line, line, rng.choice((" ", "  ", "   "))),
                (line, line + (text[line] == " "), ""),
                (mark, mark + 1, ""),
                (at, at, rng.choice("\"'[]{}")),
            )
        )
        start, end, new = edit
        if is_broken(text[:start] + new + text[end:]):
            yield edit


def is_there(index: DocumentIndex, one: Occurrence, at: int) -> bool:
    found = index.at(at)
    return found is not None and found.key == one.key and found.role == one.role


@pytest.mark.parametrize("name", SHIPPED)
def test_names_complete_and_lead_on_while_broken(name, shipped, record_property):
    text, rng = shipped(name), random.Random(f"{SEED} {name}")
    project, uri = Project(), uri_of(f"/nowhere/{name}.yaml")
    project.open(Document(uri, 1, text), "stalwart")
    whole = project.index(uri)
    assert whole is not None
    names = [one for one in whole.occurrences if one.kind != "file"]
    used = [
        one for one in names if one.role == "reference" and one.kind in ("tool", "slot", "fact")
    ]
    count = {"found": 0, "resolved": 0, "completed": 0}
    asked = dict(count)
    for number, (start, end, new) in enumerate(islice(breakages(text, rng), BREAKAGES), 2):
        document = Document(uri, number, text[:start] + new + text[end:])
        project.change(document)
        index = project.index(uri)
        assert index is not None
        assert index.broken
        grown = len(new) - (end - start)
        for one in rng.sample(names, NAMES):
            if one.start <= end and start <= one.end:
                continue
            at = one.start + (grown if one.start >= end else 0)
            asked["found"] += 1
            count["found"] += is_there(index, one, at)
            asked["resolved"] += 1
            count["resolved"] += bool(
                project.definitions(uri, one.kind, one.name, one.container)
            ) or (one.kind == "fact" and one.name in project.names(uri, "fact"))
        for one in rng.sample(used, COMPLETED):
            if one.start <= end and start <= one.end:
                continue
            at = one.start + (grown if one.start >= end else 0)
            found = completion(project, uri, document.position(at + 1))
            asked["completed"] += 1
            count["completed"] += found is not None and one.name in {
                item.label for item in found.items
            }
    for what, times in asked.items():
        record_property(what, count[what] / times)
    assert all(count[what] >= ENOUGH * times for what, times in asked.items())


@pytest.mark.asyncio
@pytest.mark.parametrize("name", SHIPPED)
async def test_names_are_explained_and_lead_on_in_an_editor_while_broken(
    name, shipped, tmp_path, record_property
):
    text, rng = shipped(name), random.Random(f"{SEED} {name} served")
    project, uri = Project(), uri_of(tmp_path / f"{name}.yaml")
    project.open(Document(uri, 1, text), "stalwart")
    whole = project.index(uri)
    assert whole is not None
    names = [one for one in whole.occurrences if one.kind not in ("file", "fact")]
    asked = explained = led_on = 0
    async with editing() as editor:
        editor.open(uri, text)
        for start, end, new in islice(breakages(text, rng), SERVED):
            editor.edit(uri, start, end, new)
            grown = len(new) - (end - start)
            for one in rng.sample(names, 3):
                if one.start <= end and start <= one.end:
                    continue
                at = one.start + (grown if one.start >= end else 0)
                where = {
                    "text_document": types.TextDocumentIdentifier(uri),
                    "position": editor.position(uri, at),
                }
                asked += 1
                hover = await editor.client.text_document_hover_async(types.HoverParams(**where))
                explained += hover is not None and f"`{one.name}`" in hover.contents.value
                found = await editor.client.text_document_definition_async(
                    types.DefinitionParams(**where)
                )
                led_on += bool(found)
            editor.edit(uri, start, start + len(new), text[start:end])
    record_property("explained", explained / asked)
    record_property("led on", led_on / asked)
    assert min(explained, led_on) >= ENOUGH * asked
