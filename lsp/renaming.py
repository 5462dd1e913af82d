"""A name changed wherever it stands, so that the files mean the same under the new one.

What could be read otherwise is refused, with what to do instead. Before it is given, every change
is tried: the new texts must name what the old ones did, place by place.
"""

import os
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from stalwart_lang.diagnostics import quoted
from stalwart_lang.lsp.documents import Document, path_of
from stalwart_lang.lsp.index.build import Outline, build_index, outline_of
from stalwart_lang.lsp.index.chunks import Composer
from stalwart_lang.lsp.index.model import DocumentIndex, Kind, Occurrence
from stalwart_lang.lsp.index.scalars import content_start, is_quoted, places
from stalwart_lang.lsp.index.targets import is_shipped
from stalwart_lang.lsp.namesakes import Namesakes, asked_of, namesakes
from stalwart_lang.lsp.yaml_edits import Edit, as_scalar, quoted_text
from stalwart_lang.vocabulary.locate import read_disk
from stalwart_lang.vocabulary.scope import RESERVED
from stalwart_lang.vocabulary.yaml12 import MAX_ALIASED, Node, Scalar, Sequence, resolve

if TYPE_CHECKING:
    from stalwart_lang.lsp.analysis import Analysis
    from stalwart_lang.lsp.workspace import Project

RENAMED: tuple[Kind, ...] = ("tool", "slot", "thing", "list", "member", "unit", "rule", "fact")

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WITHOUT_BLANKS = re.compile(r"\S+")
_ONE_LINE = re.compile(r"\S(?:.*\S)?")
_LONGEST = 200
_SAID: Mapping[str, Mapping[str, str]] = {
    "en": {
        "kind": "this cannot be renamed: only tools, arguments, things, lists, values, units, "
        "rules and facts can",
        "identifier": "{new} cannot be a name here: use letters without accents, digits and _, "
        "and no digit first",
        "blanks": "{new} cannot be a name here: write it without blanks",
        "line": "{new} cannot be a name: write it on one line, with no blank at its ends",
        "long": "the new name is too long: use at most {most} characters",
        "reserved": "{new} is a type of the language's own: choose another name",
        "taken": "{new} is taken in {file}: choose another name, or rename that first",
        "undeclared": "{name} is declared nowhere: declare it first",
        "twice": "{name} is declared twice, again in {file}: remove one of them first",
        "both": "{name} is a thing and a closed list: give one of them another name by hand",
        "tools": "several tools have an argument {name}: rename it where its tool is declared",
        "shipped": "{file} comes with the package and is not changed: copy it and use the copy",
        "broken": "{file} is not YAML as it stands: mend it first",
        "unreadable": "{file} cannot be read or is not UTF-8: mend that first",
        "stale": "{file} has changed on the disk: try again",
        "readonly": "{file} cannot be written: make it writable first",
        "alias": "{name} stands at an anchor in {file}, and an alias gives it another meaning "
        "too: write both out first",
        "unsafe": "{file} would be read otherwise with {new} in it: choose another name, or "
        "change it by hand",
    },
    "pt-BR": {
        "kind": "isto não pode ser renomeado: só ferramentas, argumentos, coisas, listas, valores, "
        "unidades, regras e fatos podem",
        "identifier": "{new} não pode ser um nome aqui: use letras sem acento, algarismos e _, "
        "sem algarismo no começo",
        "blanks": "{new} não pode ser um nome aqui: escreva-o sem espaços",
        "line": "{new} não pode ser um nome: escreva-o em uma linha, sem espaço nas pontas",
        "long": "o nome novo é longo demais: use no máximo {most} caracteres",
        "reserved": "{new} é um tipo da própria linguagem: escolha outro nome",
        "taken": "{new} já existe em {file}: escolha outro nome, ou renomeie aquele antes",
        "undeclared": "{name} não está declarado em lugar nenhum: declare-o antes",
        "twice": "{name} está declarado duas vezes, de novo em {file}: remova um deles antes",
        "both": "{name} é uma coisa e uma lista: dê outro nome a uma delas à mão",
        "tools": "várias ferramentas têm um argumento {name}: renomeie-o onde a sua ferramenta "
        "está declarada",
        "shipped": "{file} vem com o pacote e não é alterado: copie-o e use a cópia",
        "broken": "{file} não é YAML como está: conserte-o antes",
        "unreadable": "{file} não pode ser lido ou não é UTF-8: conserte isso antes",
        "stale": "{file} mudou no disco: tente de novo",
        "readonly": "{file} não pode ser gravado: libere a gravação antes",
        "alias": "{name} está em uma âncora em {file}, e um alias lhe dá também outro sentido: "
        "escreva os dois por extenso antes",
        "unsafe": "{file} seria lido de outro modo com {new}: escolha outro nome, ou mude-o à mão",
    },
}


class Refused(Exception):
    """A name cannot be changed safely; the message says why, and what to do."""

    def __init__(self, why: str, **about: str) -> None:
        super().__init__(why)
        self.why = why
        self.about = about

    def said(self, language: str | None) -> str:
        """The reason, in a language."""
        words = _SAID.get(language or "en", _SAID["en"])[self.why]
        return words.format(**self.about)


def renamed_at(
    project: "Project", index: DocumentIndex, offset: int, analysis: "Analysis | None"
) -> Occurrence | None:
    """The name at a place that can be changed, with its tool where that is known.

    None where there is no name. Raises Refused.
    """
    one = index.at(offset)
    if one is None:
        return None
    if one.kind not in RENAMED:
        raise Refused("kind")
    if is_shipped(index.uri):
        raise Refused("shipped", file=_shown(index.uri))
    if index.broken:
        raise Refused("broken", file=_shown(index.uri))
    if one.kind == "slot" and not one.container:
        having = {its.container for its in namesakes(project, one).definitions}
        asked = asked_of(analysis, index, one.start) & having
        tools = asked or having
        if len(tools) > 1:
            raise Refused("tools", name=quoted(one.name))
        one = one._replace(container="".join(tools))
    return one


def rename(
    project: "Project", one: Occurrence, new: str, analysis: "Analysis | None" = None
) -> tuple[Namesakes, dict[str, list[Edit]]]:
    """The edits, by document, that give a name of `renamed_at` another; raises Refused."""
    found = namesakes(project, one)
    _check_declared(found)
    if new == one.name:
        return found, {}
    _check_name(one.kind, new)
    _check_free(found, new)
    of_file: dict[str, list[Occurrence]] = {}
    for place in found.places:
        if _is_meant(found, place, analysis):
            of_file.setdefault(place.uri, []).append(place)
    edits: dict[str, list[Edit]] = {}
    for uri, its in of_file.items():
        _check_file(project, found, uri)
        _check_aliases(found, uri, its)
        edits[uri] = [*_edits(found.indexes[uri], its, new)]
    _check_meaning(found, of_file, edits, new)
    return found, edits


def applied(text: str, edits: Iterable[Edit]) -> str:
    """A text after its edits, of which none overlaps another."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text


def _shown(uri: str) -> str:
    return quoted(Path(path_of(uri) or uri).name)


# ------------------------------------------------------------ what is refused


def _check_name(kind: Kind, new: str) -> None:
    shown = quoted(new)
    odd = any(unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") for one in new)
    if kind in ("tool", "slot"):
        if not _IDENTIFIER.fullmatch(new):
            raise Refused("identifier", new=shown)
    elif (
        kind in ("thing", "list", "unit", "rule") and not odd and not _WITHOUT_BLANKS.fullmatch(new)
    ):
        raise Refused("blanks", new=shown)
    if odd or not _ONE_LINE.fullmatch(new):
        raise Refused("line", new=shown)
    if len(new) > _LONGEST:
        raise Refused("long", most=str(_LONGEST))
    if kind in ("thing", "list") and new in RESERVED:
        raise Refused("reserved", new=shown)


def _check_declared(found: Namesakes) -> None:
    """Refuse what is declared nowhere, or twice where only one can be."""
    kind, _, name = found.key
    if kind == "fact":  # it need not be declared, and each agent may declare it
        return
    if not found.definitions:
        raise Refused("undeclared", name=quoted(name))
    for scope in found.scopes:
        its = [one for one in found.definitions if one.uri in scope]
        if len(its) > 1:
            raise Refused("twice", name=quoted(name), file=_shown(its[1].uri))
    other: Kind = "list" if kind == "thing" else "thing"
    if kind in ("thing", "list") and any(
        one.name == name for one in _known(found) if one.kind == other
    ):
        raise Refused("both", name=quoted(name))


def _check_free(found: Namesakes, new: str) -> None:
    kind, container, _ = found.key
    kinds = ("thing", "list") if kind in ("thing", "list") else (kind,)
    taken = [
        one
        for one in _known(found)
        if one.name == new and one.kind in kinds and one.container == container
    ]
    if taken:
        declared = min(taken, key=lambda one: one.role != "definition")
        raise Refused("taken", new=quoted(new), file=_shown(declared.uri))


def _known(found: Namesakes) -> Iterator[Occurrence]:
    """All names of the documents in which the name is known."""
    for uri in dict.fromkeys(uri for scope in found.scopes for uri in sorted(scope)):
        yield from found.indexes[uri].occurrences


def _is_meant(found: Namesakes, place: Occurrence, analysis: "Analysis | None") -> bool:
    """Whether an argument in `incomplete:` is this tool's, as the turn reads."""
    # Where it is not known how the turn reads, it is this tool's if no other has it.
    kind, tool, name = found.key
    if kind != "slot" or place.container:
        return True
    asked = asked_of(analysis, found.indexes[place.uri], place.start)
    if asked:
        return tool in asked
    others = (one for one in _known(found) if (one.kind, one.name) == ("slot", name))
    return not any(one.role == "definition" and one.container != tool for one in others)


def _check_file(project: "Project", found: Namesakes, uri: str) -> None:
    """Refuse a file that cannot be changed, or that is not what its index is of."""
    index, shown = found.indexes[uri], _shown(uri)
    if is_shipped(uri):
        raise Refused("shipped", file=shown)
    if index.broken:
        raise Refused("broken", file=shown)
    composed = project.composed(uri, index.document.text)
    for finding in composed.findings if composed is not None else ():
        if finding.code == "SV007" and quoted(found.key[2]) in finding.message:
            raise Refused("twice", name=quoted(found.key[2]), file=shown)
    path = path_of(uri)
    if project.is_open(uri) or path is None:
        return
    try:
        text = read_disk(path).decode().removeprefix("\ufeff")
    except (OSError, ValueError):
        raise Refused("unreadable", file=shown) from None
    if text != index.document.text:
        raise Refused("stale", file=shown)
    if not os.access(path, os.W_OK):
        raise Refused("readonly", file=shown)


def _check_aliases(found: Namesakes, uri: str, its: list[Occurrence]) -> None:
    """Refuse to change a word at an anchor, where an alias has it for something else."""
    index = found.indexes[uri]
    starts = {one.start for one in its}
    refused = Refused("alias", name=quoted(found.key[2]), file=_shown(uri))
    keys = {one.key for one in its}
    used: dict[int, int] = {}
    for one in index.occurrences:
        if one.start in starts:
            if one.key not in keys:
                raise refused
            used[one.start] = used.get(one.start, 0) + 1
    if "*" not in index.document.text or index.root is None:
        return
    # Each time that the word is met must be one that the index knows.
    met: dict[int, int] = {}
    waiting: list[Node] = [index.root]
    seen = 0
    while waiting and seen < MAX_ALIASED * 2:
        node = waiting.pop()
        seen += 1
        if isinstance(node, Scalar):
            met[node.start] = met.get(node.start, 0) + 1
        elif isinstance(node, Sequence):
            waiting += node.items
        else:
            waiting += [part for entry in node.entries for part in entry]
    scalars = _Scalars(index)
    for start, times in used.items():
        scalar = scalars.around(start)
        if waiting or scalar is None or met.get(scalar.start, 0) != times:
            raise refused


# ------------------------------------------------------------ the edits


class _Scalars:
    """A document's scalars by their places."""

    def __init__(self, index: DocumentIndex) -> None:
        found: dict[int, Scalar] = {}
        waiting: list[Node] = [] if index.root is None else [index.root]
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, Scalar):
                found[node.start] = node
            elif isinstance(node, Sequence):
                waiting += node.items
            else:
                waiting += [part for entry in node.entries for part in entry]
        self._starts = sorted(found)
        self._found = found

    def around(self, offset: int) -> Scalar | None:
        """The scalar that an offset is in."""
        number = bisect_right(self._starts, offset)
        one = self._found[self._starts[number - 1]] if number else None
        return one if one is not None and offset <= one.end else None


def _edits(index: DocumentIndex, its: list[Occurrence], new: str) -> Iterator[Edit]:
    """The edits of one document, in the form in which each scalar is written."""
    text = index.document.text
    scalars = _Scalars(index)
    of_scalar: dict[int, list[Occurrence]] = {}
    for one in {one.start: one for one in its}.values():
        scalar = scalars.around(one.start)
        if scalar is not None:
            of_scalar.setdefault(scalar.start, []).append(one)
    for start, ones in of_scalar.items():
        scalar = scalars.around(start)
        if scalar is None:
            continue
        written = new
        at = content_start(text, scalar)
        if is_quoted(text, scalar):
            escaped = quoted_text(new)[1:-1]
            written = escaped if text[at - 1] == '"' else new.replace("'", "''")
        elif scalar.plain and not _stays_plain(text, scalar, ones, new):
            yield Edit(at, scalar.end, quoted_text(_with_new(text, scalar, ones, new)))
            continue
        for one in ones:
            yield Edit(one.start, one.end, written)


def _stays_plain(text: str, scalar: Scalar, ones: list[Occurrence], new: str) -> bool:
    """Whether a scalar needs no quotes with a new name in it."""
    if scalar.text != ones[0].name and ones[0].kind == "slot":  # one identifier for another
        return True
    made = _with_new(text, scalar, ones, new)
    if _IDENTIFIER.fullmatch(made):
        return resolve(made) == made
    return as_scalar(made) == made


def _with_new(text: str, scalar: Scalar, ones: list[Occurrence], new: str) -> str:
    """A scalar's text with the new name in it."""
    made = scalar.text
    numbers = {place: number for number, place in enumerate(places(text, scalar))}
    for one in sorted(ones, reverse=True, key=lambda one: one.start):
        made = made[: numbers[one.start]] + new + made[numbers[one.end] :]
    return made


# ------------------------------------------------------------ the proof


def _check_meaning(
    found: Namesakes,
    of_file: Mapping[str, list[Occurrence]],
    edits: Mapping[str, list[Edit]],
    new: str,
) -> None:
    """Refuse edits after which a document names anything else, or is no YAML."""
    roots: dict[str, Node | None] = {uri: index.root for uri, index in found.indexes.items()}
    texts: dict[str, str] = {}
    for uri, its in edits.items():
        texts[uri] = applied(found.indexes[uri].document.text, its)
        composed = Composer(path_of(uri) or uri).compose(texts[uri])
        if composed.broken or composed.root is None:
            raise Refused("unsafe", new=quoted(new), file=_shown(uri))
        roots[uri] = composed.root
    before = {uri: outline_of(index.root) for uri, index in found.indexes.items()}
    after = {uri: outline_of(root) for uri, root in roots.items()}
    for uri, ones in of_file.items():
        index = found.indexes[uri]
        old = _named(index, index.document.text, before)
        made = _named(index, texts[uri], after)
        changed = {(one.start, one.key) for one in ones}
        wanted = [_under(found, one, (one.start, one.key) in changed, new) for one in old]
        same = [(one.kind, one.container, one.name, one.role) for one in made] == wanted
        starts = {one.start for one in ones}
        if not same or not _alike(index, roots[uri], starts, new):
            raise Refused("unsafe", new=quoted(new), file=_shown(uri))


def _named(
    index: DocumentIndex, text: str, outlines: Mapping[str, Outline]
) -> tuple[Occurrence, ...]:
    outline = outlines[index.uri]
    for uri, other in outlines.items():
        if uri != index.uri:
            outline = outline.joined(other)
    document = Document(index.uri, None, text, index.document.encoding)
    composed = Composer(index.uri).compose(text)
    return build_index(document, composed, index.kind, outline).occurrences


def _under(found: Namesakes, one: Occurrence, changed: bool, new: str) -> tuple[str, str, str, str]:
    """What a name must be afterwards."""
    kind, _, name = found.key
    inside = {"tool": "slot", "list": "member"}.get(kind)
    container = new if one.kind == inside and one.container == name else one.container
    return one.kind, container, new if changed else one.name, one.role


def _alike(index: DocumentIndex, after: Node | None, starts: set[int], new: str) -> bool:
    """Whether nothing but the scalars that were changed has another value."""
    if index.root is None or after is None:
        return False
    waiting: list[tuple[Node, Node]] = [(index.root, after)]
    seen: set[int] = set()
    while waiting:
        one, other = waiting.pop()
        if type(one) is not type(other):
            return False
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Scalar) and isinstance(other, Scalar):
            inside = any(one.start <= start <= one.end for start in starts)
            if one.value != other.value and not (inside and new in other.text):
                return False
            if type(one.value) is not type(other.value) and not isinstance(other.value, str):
                return False
        elif isinstance(one, Sequence) and isinstance(other, Sequence):
            if len(one.items) != len(other.items):
                return False
            waiting += zip(one.items, other.items, strict=True)
        elif not isinstance(one, Scalar | Sequence) and not isinstance(other, Scalar | Sequence):
            if len(one.entries) != len(other.entries):
                return False
            for entry, its in zip(one.entries, other.entries, strict=True):
                waiting += zip(entry, its, strict=True)
    return True
