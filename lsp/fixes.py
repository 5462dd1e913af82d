"""Quick fixes: what would mend a finding, as edits of the document it is in.

Most are made from what the SDK proposes in a finding's `fix`; what it cannot know, such as where a
missing tool belongs, is added here.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from stalwart_lang.lsp.analysis import Analysis
from stalwart_lang.lsp.documents import path_of
from stalwart_lang.lsp.findings import Finding
from stalwart_lang.lsp.index.build import content_end
from stalwart_lang.lsp.index.model import DocumentIndex
from stalwart_lang.lsp.index.scalars import content_start
from stalwart_lang.lsp.index.targets import target_of
from stalwart_lang.lsp.yaml_edits import (
    Edit,
    added_entry,
    added_to_section,
    as_scalar,
    entry_named,
    line_break,
    place_of_key,
    quoted_text,
    removed_entry,
)
from stalwart_lang.vocabulary.model import LANGUAGES, Language
from stalwart_lang.vocabulary.yaml12 import Mapping, Node, Scalar, Sequence

_QUOTED = re.compile(r"`([^`]+)`")
_BARE_ITEM = re.compile(
    r"(?:(?<=[\[,:-])|^)[ ]*([^\s\[\]{},\"'#:-][^\[\]{}\"#,]*(?:\{[^{}]*\}[^\[\]{}\"#,]*)+)"
)
_OTHER_NAME = {"SV203": "for the file", "SV210": "write `"}
"""How the fix of a code begins that gives another name."""
_TITLES = {"en": "English", "pt-BR": "Brazilian Portuguese"}


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits of the finding's document that mend it; `creates` is a file to make, by URI."""

    title: str
    edits: tuple[Edit, ...] = ()
    preferred: bool = False
    creates: str | None = None
    content: str = ""


def fixes_for(
    finding: Finding,
    index: DocumentIndex,
    analysis: Analysis | None = None,
    names: Callable[[str], tuple[str, ...]] = lambda _kind: (),
) -> Iterator[Fix]:
    """What would mend a finding; `names` gives the names of a kind that are declared."""
    context = _Context(finding, index, analysis, names)
    yield from _proposed(context)
    own = _BY_CODE.get(finding.code)
    if own is not None:
        yield from own(context)


@dataclass(frozen=True, slots=True)
class _Context:
    finding: Finding
    index: DocumentIndex
    analysis: Analysis | None
    names: Callable[[str], tuple[str, ...]]

    @property
    def text(self) -> str:
        return self.index.document.text

    @property
    def shown(self) -> str:
        """The text that the finding is about."""
        return self.text[self.finding.start : self.finding.end]

    @property
    def root(self) -> Mapping:
        root = self.index.root
        return root if isinstance(root, Mapping) else Mapping(0, 0)

    @property
    def languages(self) -> tuple[Language, ...]:
        return self.index.languages or ("en",)

    def named(self) -> tuple[str, int, int] | None:
        """The name in the finding's message that stands at its place, and where."""
        for name in _QUOTED.findall(self.finding.message):
            at = self.shown.find(name)
            if at < 0:
                at = self.shown.lower().find(name.lower())
            if at >= 0:
                start = self.finding.start + at
                return name, start, start + len(name)
        return None


# ------------------------------------------------------------ what the SDK proposes


def _proposed(context: _Context) -> Iterator[Fix]:
    fix = context.finding.fix or ""
    proposed = _QUOTED.findall(fix)
    named = context.named()
    if fix.startswith(("did you mean", "one of")) and named is not None:
        name, start, end = named
        for one in proposed:
            yield Fix(
                f"Change `{name}` to `{one}`",
                (Edit(start, end, one),),
                preferred=fix.startswith("did you mean"),
            )
    elif re.match(r"write the (?:verb|singular)", fix) and proposed and named is not None:
        name, start, end = named
        yield Fix(f"Change `{name}` to `{proposed[0]}`", (Edit(start, end, proposed[0]),), True)
    elif fix.startswith("put it between quotes"):
        yield Fix("Put it between quotes", (_between_quotes(context),), preferred=True)
    elif re.fullmatch(r"write `\w+` without quotes", fix):
        place = Edit(context.finding.start, context.finding.end, proposed[0])
        yield Fix(f"Write `{proposed[0]}`", (place,), preferred=True)
    elif named is not None and fix.startswith(_OTHER_NAME.get(context.finding.code, "\0")):
        yield Fix(f"Change it to `{proposed[0]}`", (Edit(*named[1:], proposed[0]),), True)


def _between_quotes(context: _Context) -> Edit:
    return Edit(context.finding.start, context.finding.end, quoted_text(context.shown))


# ------------------------------------------------------------ YAML


def _syntax(context: _Context) -> Iterator[Fix]:
    at = context.finding.start
    document = context.index.document
    if context.text[at : at + 1] == "\t":
        yield Fix("Indent with blanks", (Edit(at, at + 1, "  "),), preferred=True)
    start, end = document.line_span(document.line_of(at))
    if "braces" in (context.finding.fix or ""):
        for found in _BARE_ITEM.finditer(context.text[start:end]):
            phrase = found[1].rstrip()
            begin = start + found.start(1)
            edit = Edit(begin, begin + len(phrase), quoted_text(phrase))
            yield Fix("Put the phrase between quotes", (edit,), preferred=True)
            return


def _remove_place(title: str) -> Callable[[_Context], Iterator[Fix]]:
    def fix(context: _Context) -> Iterator[Fix]:
        start, end = context.finding.start, context.finding.end
        while context.text[end : end + 1] == " " and context.finding.code == "SV008":
            end += 1
        yield Fix(title, (Edit(start, end, ""),), preferred=True)

    return fix


def _remove_entry(title: str) -> Callable[[_Context], Iterator[Fix]]:
    def fix(context: _Context) -> Iterator[Fix]:
        place = place_of_key(context.index.root, context.finding.start)
        if place is not None:
            yield Fix(title, (removed_entry(context.index.document, *place),))

    return fix


def _duplicate(context: _Context) -> Iterator[Fix]:
    """The second of two keys is in no node: its lines are told by the text alone."""
    document = context.index.document
    line = document.line_of(context.finding.start)
    start, end = document.line_span(line)
    indent = context.finding.start - start
    if context.text[start : context.finding.start].strip() or indent < 0:
        return
    last = line + 1
    while last < document.line_count:
        begin, stop = document.line_span(last)
        its = context.text[begin:stop]
        if its.strip() and len(its) - len(its.lstrip(" ")) <= indent:
            break
        last += 1
    after = document.starts[last] if last < document.line_count else len(context.text)
    yield Fix("Remove the second one", (Edit(start, max(after, end), ""),))


def _circle(context: _Context) -> Iterator[Fix]:
    for number, (key, include) in enumerate(context.root.entries):
        if key.text != "include":
            continue
        items = include.items if isinstance(include, Sequence) else []
        for place, item in enumerate(items):
            if item.start == context.finding.start and len(items) > 1:
                assert isinstance(include, Sequence)
                edit = removed_entry(context.index.document, include, place)
                yield Fix("Do not include it", (edit,), preferred=True)
                return
        edit = removed_entry(context.index.document, context.root, number)
        yield Fix("Do not include it", (edit,), preferred=True)
        return


def _tag(context: _Context) -> Iterator[Fix]:
    start = context.finding.start
    node = _scalar_at(context.root, start)
    bare = node is not None and context.text[node.end - 1 : node.end] not in ("'", '"')
    if node is not None and context.shown == "!!str" and bare and node.text:
        edit = Edit(start, node.end, quoted_text(node.text))
        yield Fix("Put it between quotes instead", (edit,), preferred=True)
    else:
        yield from _remove_place("Remove it")(context)


def _scalar_at(root: Node, start: int) -> Scalar | None:
    """The scalar that begins at an offset, its tag and anchor within it."""
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Scalar):
            if one.start == start:
                return one
        elif one.start <= start <= one.end:
            its = one.items if isinstance(one, Sequence) else [value for _, value in one.entries]
            waiting += [node for node in its if node.start <= start <= node.end]
    return None


def _quote_place(context: _Context) -> Iterator[Fix]:
    yield Fix("Put it between quotes", (_between_quotes(context),))


def _second_document(context: _Context) -> Iterator[Fix]:
    document = context.index.document
    line = document.line_of(context.finding.start)
    start, end = document.line_span(line)
    if context.text[start:end].strip() == "---":
        after = document.starts[line + 1] if line + 1 < document.line_count else end
        yield Fix("Remove the line", (Edit(start, after, ""),))


def _missing_file(context: _Context) -> Iterator[Fix]:
    named = context.named()
    if named is None:
        return
    container = "include" if context.finding.code == "SV030" else "vocabulary"
    target = target_of(context.index.uri, named[0], container)
    path = None if target is None else path_of(target)
    if path is not None and path.endswith((".yaml", ".yml")):
        name = context.index.vocabulary_name or PurePath(path).stem
        line = line_break(context.text)
        yield Fix(f"Create `{named[0]}`", creates=target, content=f"vocabulary: {name}{line}")


# ------------------------------------------------------------ what is not declared


def _nameless(context: _Context) -> Iterator[Fix]:
    path = path_of(context.index.uri)
    name = PurePath(path).stem if path is not None else "vocabulary"
    edit = Edit(0, 0, f"vocabulary: {as_scalar(name)}{line_break(context.text)}")
    yield Fix("Add the key `vocabulary`", (edit,), preferred=True)


def _missing_key(context: _Context) -> Iterator[Fix]:
    wanted = _QUOTED.findall(context.finding.message)[-1:]
    if wanted == ["vocabulary"]:
        yield from _nameless(context)
        return
    place = place_of_key(context.index.root, context.finding.start)
    if place is None or not wanted:
        return
    value = place[0].entries[place[1]][1]
    tools = context.names("tool")
    if wanted == ["tool"] and isinstance(value, Mapping) and value.entries and tools:
        name = context.text[context.finding.start : context.finding.end].replace("-", "_")
        near = next((tool for tool in tools if tool in name), tools[0])
        yield Fix(
            f"Add the key `tool`, with `{near}`",
            (added_entry(context.index.document, value, "tool", near),),
        )


def _missing_tool(context: _Context) -> Iterator[Fix]:
    named = context.named()
    if named is None or context.index.kind != "vocabulary":
        return
    name = named[0]
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        return
    edit = added_to_section(
        context.index.document, context.root, "tools", name, _tool_stub(context, name)
    )
    yield Fix(f"Create the tool `{name}`", (edit,))


def _tool_stub(context: _Context, name: str) -> str:
    """A tool by its name; an undo takes what the tool takes that it takes back."""
    parts = []
    for key, tool in _entries(entry_named(context.root, "tools")):
        undo = entry_named(tool, "undo")
        takes = entry_named(tool, "takes")
        if isinstance(undo, Scalar) and undo.start == context.finding.start:
            types = {
                slot: context.index.types.get((key.text, slot), "")
                for slot in (argument.text for argument, _ in _entries(takes))
            }
            parts.append("writes: true")
            if types and all(types.values()):
                inner = ", ".join(f"{slot}: {as_scalar(its)}" for slot, its in types.items())
                parts.append(f"takes: {{{inner}}}")
            return f"{{{', '.join(parts)}}}"
    if "en" in context.languages:
        parts.append(f"say: {{en: [{as_scalar(name.replace('_', ' ').strip())}]}}")
    return f"{{{', '.join(parts)}}}"


def _missing_argument(context: _Context) -> Iterator[Fix]:
    named = context.named()
    if named is None:
        return
    name = named[0]
    owner = re.match(r"(\w+) takes no argument", context.finding.message)
    tool = entry_named(entry_named(context.root, "tools"), owner[1]) if owner else None
    if owner is None or not isinstance(tool, Mapping):
        return
    document = context.index.document
    takes = entry_named(tool, "takes")
    kind = _type_of_value(context, context.finding.start)
    title = f"Give `{owner[1]}` the argument `{name}`"
    if isinstance(takes, Mapping) and takes.entries:
        yield Fix(title, (added_entry(document, takes, name, kind),))
    elif takes is None and tool.entries:
        yield Fix(title, (added_entry(document, tool, "takes", f"{{{name}: {kind}}}"),))


def _type_of_value(context: _Context, start: int) -> str:
    """The type of an argument, by the value that it is given at a place."""
    place = place_of_key(context.index.root, start)
    value = place[0].entries[place[1]][1] if place is not None else None
    if isinstance(value, Mapping):  # a condition
        value = value.entries[0][1] if value.entries else None
    known: Any = value.value if isinstance(value, Scalar) else ""
    if isinstance(known, int) and not isinstance(known, bool):
        return "optional integer"
    return "optional quoted text" if isinstance(known, str | bool) else "optional decimal"


def _missing_thing(context: _Context) -> Iterator[Fix]:
    named = context.named()
    if named is None or " " in named[0] or context.index.kind != "vocabulary":
        return
    name = named[0]
    is_unit = "unit" in context.finding.message.partition("is called")[0]
    section, what = ("units", "unit") if is_unit else ("things", "thing")
    edit = added_to_section(
        context.index.document, context.root, section, as_scalar(name), _nouns(context, name)
    )
    yield Fix(f"Create the {what} `{name}`", (edit,))


def _missing_member(context: _Context) -> Iterator[Fix]:
    named = context.named()
    values = entry_named(context.root, "values")
    found = context.index.at(context.finding.start)
    if named is None or found is None or found.kind != "member":
        return
    members = entry_named(values, found.container)
    if isinstance(members, Mapping) and members.entries:
        edit = added_entry(
            context.index.document, members, as_scalar(named[0]), _nouns(context, named[0])
        )
        yield Fix(f"Add `{named[0]}` to the list `{found.container}`", (edit,))


def _nouns(context: _Context, name: str) -> str:
    word = as_scalar(name.replace("_", " "))
    return "{" + ", ".join(f"{language}: [{word}]" for language in context.languages) + "}"


def _other_language(context: _Context) -> Iterator[Fix]:
    """An entry for the language that is missing, with an empty phrase that asks to be filled."""
    place = place_of_key(context.index.root, context.finding.start)
    if place is None:
        return
    key, value = place[0].entries[place[1]]
    words = entry_named(value, "say") or value
    if not isinstance(words, Mapping) or not words.entries:
        return
    there = {name.text for name, _ in words.entries}
    if there.isdisjoint(LANGUAGES):
        return
    for language in LANGUAGES:
        if language not in there:
            said = ""
            if language == "en":
                said = key.text.replace("_", " ").replace("-", " ")
            stub = f"[{as_scalar(said)}]"
            edit = added_entry(context.index.document, words, language, stub)
            yield Fix(f"Add {_TITLES[language]}", (edit,))


# ------------------------------------------------------------ phrases


def _braces(context: _Context) -> Iterator[Fix]:
    shown = context.shown
    bare = shown.replace("{", "").replace("}", "")
    edit = Edit(context.finding.start, context.finding.end, bare)
    yield Fix("Remove the braces", (edit,), preferred=True)


def _slot_twice(context: _Context) -> Iterator[Fix]:
    start, end = context.finding.start, context.finding.end
    while context.text[start - 1 : start] == " ":
        start -= 1
    yield Fix("Remove the second one", (Edit(start, end, ""),))


# ------------------------------------------------------------ rules


def _never_fires(context: _Context) -> Iterator[Fix]:
    proposed = re.match(r"write `(\w+): (\w+)`", context.finding.fix or "")
    place = _rule_at(context)
    if place is None:
        return
    for name, value in _entries(place[0].entries[place[1]][1]):
        if proposed and name.text in ("at_most", "after", "not_after"):
            edit = Edit(name.start, value.end, f"{proposed[1]}: {proposed[2]}")
            yield Fix(f"Write `{proposed[1]}: {proposed[2]}`", (edit,), preferred=True)
            break
    yield from _remove_rule(context)


def _remove_rule(context: _Context) -> Iterator[Fix]:
    place = _rule_at(context)
    if place is not None:
        rules, number = place
        name = rules.entries[number][0].text
        if len(rules.entries) == 1:  # the section would be empty
            keys = [key.text for key, _ in context.root.entries]
            rules, number = context.root, keys.index("rules")
        edit = removed_entry(context.index.document, rules, number)
        yield Fix(f"Remove the rule `{name}`", (edit,), preferred=context.finding.code == "SV108")


def _rule_at(context: _Context) -> tuple[Mapping, int] | None:
    """The rule that the finding is about, or in."""
    rules = entry_named(context.root, "rules")
    if isinstance(rules, Mapping):
        for number, (key, value) in enumerate(rules.entries):
            if key.start <= context.finding.start < max(key.end, value.end):
                return rules, number
    return None


# ------------------------------------------------------------ tools


def _undo_of(context: _Context) -> Iterator[Fix]:
    proposed = _QUOTED.findall(context.finding.fix or "")
    tool = entry_named(entry_named(context.root, "tools"), proposed[-1]) if proposed else None
    for number, (name, _) in enumerate(_entries(tool)):
        if name.text == "undo" and isinstance(tool, Mapping):
            edit = removed_entry(context.index.document, tool, number)
            yield Fix(f"Remove `undo:` from `{proposed[-1]}`", (edit,))


def _lacking_argument(context: _Context) -> Iterator[Fix]:
    proposed = _QUOTED.findall(context.finding.fix or "")
    if len(proposed) < 2 or not (context.finding.fix or "").startswith("make"):
        return
    slot, name = proposed[:2]
    tool = entry_named(entry_named(context.root, "tools"), name)
    declared = entry_named(entry_named(tool, "takes"), slot)
    node = entry_named(declared, "type") or declared
    if isinstance(node, Scalar):
        start = content_start(context.text, node)
        yield Fix(f"Make `{slot}` of `{name}` optional", (Edit(start, start, "optional "),))


# ------------------------------------------------------------ turns


def _expect_reading(context: _Context) -> Iterator[Fix]:
    """The entry's expectation becomes what the turn reads as, where it is the entry's only turn."""
    turn = context.index.turn_at(context.finding.start)
    if turn is None or context.analysis is None:
        return
    alike = [one for one in context.index.turns if one.number == turn.number]
    reading = next(
        (
            one
            for one in context.analysis.readings_of(context.index.uri)
            if (one.turn.start, one.turn.text) == (turn.start, turn.text)
        ),
        None,
    )
    turns = entry_named(context.root, "turns")
    if len(alike) != 1 or reading is None or not isinstance(turns, Sequence):
        return
    entry = turns.items[turn.number]
    plan = reading.plan
    if plan.verdict == "read":
        calls = ", ".join(_call(call.tool, call.arguments) for call in plan.calls)
        new = f"plan: [{calls}]"
    elif plan.verdict == "incomplete":
        new = f"incomplete: {plan.missing[0].argument}"
    elif plan.verdict == "ambiguous":
        new = "ambiguous: true"
    else:
        new = f"unread: {plan.reasons[0].code if plan.reasons else 'any'}"
    for name, value in _entries(entry):
        if name.text in ("plan", "unread", "incomplete", "ambiguous"):
            edit = Edit(name.start, content_end(context.text, value), new)
            yield Fix(f"Expect what it reads as: {new}", (edit,))


def _call(tool: str, arguments: Any) -> str:
    inner = ", ".join(f"{name}: {_value(value)}" for name, value in arguments.items())
    return f"{{{tool}: {{{inner}}}}}"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        if "value" in value and "currency" in value:
            return quoted_text(f"{value['value']} {value['currency']}")
        if "value" in value and "unit" in value:
            return quoted_text(f"{value['value']} {value['unit']}")
        return "{" + ", ".join(f"{name}: {_value(its)}" for name, its in value.items()) + "}"
    return as_scalar(value) if isinstance(value, str) else str(value)


def _entries(node: Node | None) -> list[tuple[Scalar, Node]]:
    return node.entries if isinstance(node, Mapping) else []


_BY_CODE: dict[str, Callable[[_Context], Iterator[Fix]]] = {
    "SV004": _syntax,
    "SV005": _remove_place("Remove the character"),
    "SV007": _duplicate,
    "SV006": _second_document,
    "SV008": _tag,
    "SV009": _quote_place,
    "SV011": _nameless,
    "SV021": _remove_entry("Remove the key"),
    "SV022": _missing_key,
    "SV030": _missing_file,
    "SV031": _circle,
    "SV032": _remove_entry("Remove it here"),
    "SV040": _missing_thing,
    "SV041": _missing_tool,
    "SV042": _missing_argument,
    "SV043": _missing_argument,
    "SV044": _missing_member,
    "SV050": _braces,
    "SV054": _slot_twice,
    "SV101": _other_language,
    "SV104": _undo_of,
    "SV105": _lacking_argument,
    "SV106": _remove_rule,
    "SV107": _never_fires,
    "SV108": _remove_rule,
    "SV113": _expect_reading,
    "SV203": _missing_file,
}
