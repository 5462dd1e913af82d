"""Whole entries to fill in, in the snippet syntax of the protocol.

A line after the first is indented as it must stand below the place's line: clients add that
line's own indentation.
"""

from collections.abc import Iterator

from stalwart_lang.lsp.completion.place import Place
from stalwart_lang.lsp.index.model import DocumentKind
from stalwart_lang.vocabulary.declarations import Either, Flag, ListOf, MapOf, Record, Shape
from stalwart_lang.vocabulary.model import LANGUAGES

_MOST_CHOICES = 30

_TOOL = """\
${1:%s}:
  writes: ${2|true,false|}
  takes:
    ${3:order_id}: ${4:order}
  say: {en: [${5:charge}], pt-BR: [${6:cobrar}]\\}"""
_RULE = """\
${1:%s}:
  tool: ${2%s}
  %s
  say: {en: "${8:No.}", pt-BR: "${9:Não.}"\\}"""
_EFFECTS = {
    "a rule: never": "never: true",
    "a rule: requires a fact": "requires: [${3:supervisor_approved}]",
    "a rule: requires confirmation": "requires_confirmation: true",
    "a rule: after another tool": "after: ${3:charge_card}",
    "a rule: at most so many times": "at_most: ${3:1}",
    "a rule: over an amount": "when: {${3:amount}: {over: ${4:200}}}\n"
    "  requires: [${5:supervisor_approved}]",
}
_TURNS = {
    "a turn that reads": "plan: [{${3%s}: {$4\\}\\}]",
    "a turn that must not be read": "unread: ${3:negation}",
    "a turn that lacks an argument": "incomplete: ${3:order_id}",
}
_VOCABULARY = """\
vocabulary: ${1:shop}

settings:
  currency: {en: USD, pt-BR: BRL\\}

things:
  ${2:order}: {en: [${3:order}], pt-BR: [${4:pedido}]\\}

tools:
  ${5:charge_card}:
    writes: true
    takes:
      ${6:order_id}: ${2:order}
    say: {en: [${7:charge}], pt-BR: [${8:cobrar}]\\}

turns:
  - say: {en: ["${7:charge} order 4411"], pt-BR: ["${8:cobrar} o pedido 4411"]\\}
    plan: [{${5:charge_card}: {${6:order_id}: 4411\\}\\}]
"""
_AGENT = """\
agents:
  ${1:desk}: {}
vocabulary: ${2:shop}
tools:
  - python: ${3:tools}
"""


def entry_snippets(
    kind: DocumentKind, place: Place, typed: str, tools: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """The entries that can begin at a place, each with its label."""
    name = typed if typed.replace("_", "").replace("-", "").isalnum() else ""
    chosen = _choice(tools) or ":charge_card"
    match place.path:
        case ("tools",) if kind != "agent":
            yield "a tool", _TOOL % (name or "charge_card")
        case ("rules",):
            for label, effect in _EFFECTS.items():
                yield label, _RULE % (name or "big-refund", chosen, effect)
        case ("things" | "units" as section,):
            label = "a thing" if section == "things" else "a unit"
            yield label, f"${{1:{name or 'order'}}}: {{en: [$2], pt-BR: [$3]\\}}"
        case ("values",):
            yield (
                "a closed list",
                f"${{1:{name or 'status'}}}:\n  ${{2:open}}: {{en: [$3], pt-BR: [$4]\\}}",
            )
        case ("values", _):
            yield "a value", f"${{1:{name or 'open'}}}: {{en: [$2], pt-BR: [$3]\\}}"
        case ("turns",):
            yield from _turns(chosen, "- ", "  ")
        case ("turns", int()) if place.dash and not place.keys:
            yield from _turns(chosen, "", "  ")
        case ():
            if not place.keys:
                yield "a vocabulary", _VOCABULARY
                yield "an agent", _AGENT


def _turns(chosen: str, dash: str, indent: str) -> Iterator[tuple[str, str]]:
    for label, expected in _TURNS.items():
        expected = expected % chosen if "%s" in expected else expected
        yield label, f'{dash}say: {{en: ["$1"], pt-BR: ["$2"]\\}}\n{indent}{expected}'


def key_snippet(name: str, shape: Shape, place: Place) -> str:
    """A key with what its value begins with."""
    below = "    " if place.dash else "  "
    if isinstance(shape, Flag):
        return f"{name}: true" if shape.only_true else f"{name}: ${{1|true,false|}}"
    if isinstance(shape, Record) and set(shape.keys) == set(LANGUAGES):
        listed = any(isinstance(key.shape, ListOf) for key in shape.keys.values())
        one, other = ("[$1]", "[$2]") if listed else ('"$1"', '"$2"')
        return f"{name}: {{en: {one}, pt-BR: {other}\\}}"
    if isinstance(shape, Either):
        return f"{name}: $0"
    if isinstance(shape, ListOf):
        if place.flow or not isinstance(shape.item, Record):
            braces = isinstance(shape.item, MapOf)
            return f"{name}: [{{$1\\}}]" if braces else f"{name}: [$1]"
        return f"{name}:\n{below}- $0"
    if isinstance(shape, Record | MapOf):
        return f"{name}: {{$1\\}}" if place.flow else f"{name}:\n{below}$0"
    return f"{name}: $0"


def _choice(names: tuple[str, ...]) -> str:
    """A choice of names, as it stands after a placeholder's number."""
    if not names or len(names) > _MOST_CHOICES:
        return f":{names[0]}" if names else ""
    return "|" + ",".join(names) + "|"
