"""Checked entries of `tools:` to tools."""

from collections.abc import Mapping

from stalwart_lang.diagnostics import quoted
from stalwart_lang.vocabulary.argument_types import UnknownType, parse_type
from stalwart_lang.vocabulary.checking import Checked, Fields
from stalwart_lang.vocabulary.model import (
    Argument,
    ArgumentType,
    ClosedList,
    Language,
    Sentences,
    Thing,
    Tool,
    Words,
)
from stalwart_lang.vocabulary.phrases import read_phrase
from stalwart_lang.vocabulary.scope import Entry, Scope
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.suggest import did_you_mean
from stalwart_lang.vocabulary.yaml12 import Scalar


def build_tool(scope: Scope, entry: Entry) -> Tool:
    """Build a tool; things, lists and units are in scope. Raises TooMany."""
    name, source, fields = entry.key.text, entry.source, entry.value
    flags = {
        flag: fields.get(flag) is not None and fields.get(flag).value
        for flag in ("writes", "irreversible", "retry_safe", "reads_outside", "sends_out")
    }
    undo = fields.get("undo")
    if undo is not None:
        scope.known_tool(source, undo)
    description = fields.get("description")
    arguments = tuple(
        _argument(scope, source, name, key, value) for key, value in fields.get("takes") or ()
    )
    say = scope.phrases(source, fields.get("say"), f"{name}.say", read_phrase)
    _check_slots(scope, name, say)
    tool = Tool(
        name=name,
        arguments=arguments,
        say=say,
        location=entry.location(),
        undo=None if undo is None else undo.text,
        description="" if description is None else description.text,
        **flags,
    )
    _check_sayable(scope, tool)
    return tool


def _argument(scope: Scope, source: Source, tool: str, key: Scalar, value: Checked) -> Argument:
    path = f"{tool}.takes.{key.text}"
    node = value.get("type") if isinstance(value, Fields) else value
    types, required = ((), True) if node is None else _types(scope, source, node)
    words: Words = {}
    ask: Sentences = {}
    if isinstance(value, Fields):
        words = scope.words(source, value.get("words"), f"{path}.words")
        ask = scope.sentences(value.get("ask"))
    location = source.location(key.start, key.end)
    scope.types[tool, key.text] = types
    return Argument(key.text, types, required, words, ask, location)


def _types(scope: Scope, source: Source, node: Scalar) -> tuple[tuple[ArgumentType, ...], bool]:
    names = scope.names
    known = scope.parsed.get(node.text)
    if known is not None:
        return known
    try:
        parsed = parse_type(node.text, names["things"], names["values"], names["units"])
        scope.parsed[node.text] = parsed
        return parsed
    except UnknownType as unknown:
        scope.report("SV040", str(unknown), source, node, unknown.fix)
        return (), True


def _check_slots(scope: Scope, tool: str, say: Words) -> None:
    for phrases in say.values():
        for phrase in phrases:
            seen: set[str] = set()
            for part in phrase.parts:
                if part.kind != "slot":
                    continue
                if part.text not in scope.takes[tool]:
                    message = f"{tool} takes no argument {quoted(part.text)}"
                    fix = did_you_mean(part.text, scope.takes[tool])
                    scope.findings.report("SV043", message, part.location, fix)
                elif part.text in seen:
                    message = f"{quoted(part.text)} is in this phrase twice"
                    scope.findings.report("SV054", message, part.location, "remove one of them")
                seen.add(part.text)


def _check_sayable(scope: Scope, tool: Tool) -> None:
    """Report arguments that no phrase of the tool's can be given in any of its languages."""
    if not tool.say:
        return
    for argument in tool.arguments:
        if argument.types and not any(
            sayable(scope.things, scope.values, scope.units, kind, language)
            for kind in argument.types
            for language in tool.say
        ):
            languages = " or ".join(tool.say)
            scope.findings.report(
                "SV056",
                f"{quoted(argument.name)} of {tool.name} has no words in {languages}",
                argument.location,
                "give its type words in the language of the tool's phrases",
            )


def sayable(
    things: Mapping[str, Thing],
    values: Mapping[str, ClosedList],
    units: Mapping[str, Thing],
    kind: ArgumentType,
    language: Language,
) -> bool:
    """Whether a value of the type can be said in the language, with the words that are declared.

    A name that is not declared counts as sayable: it has been reported elsewhere.
    """
    if kind.kind == "thing" and kind.name in things:
        return language in things[kind.name].words
    if kind.kind == "quantity" and kind.name in units:
        return language in units[kind.name].words
    if kind.kind == "list" and kind.name in values:
        return any(language in member.words for member in values[kind.name].members)
    return True
