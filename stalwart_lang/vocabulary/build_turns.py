"""Checked entries of `turns:` to turns."""

from collections.abc import Iterable

from stalwart_lang.diagnostics import quoted
from stalwart_lang.vocabulary.checking import Checked
from stalwart_lang.vocabulary.model import ExpectedCall, Location, Tool, Turn
from stalwart_lang.vocabulary.phrases import read_turn
from stalwart_lang.vocabulary.scope import Scope, is_true, text_of
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.suggest import did_you_mean
from stalwart_lang.vocabulary.yaml12 import Scalar


def build_turns(scope: Scope) -> Iterable[Turn]:
    """Build the turns of all files; tools are in scope. Raises TooMany."""
    entries = [
        (file.source, fields)
        for file in scope.files
        if file.fields is not None
        for fields in file.fields.get("turns") or ()
    ]
    for number, (source, fields) in enumerate(entries):
        if "say" not in fields.entries:
            continue
        say, plan = fields.entries["say"][0], fields.get("plan")
        unread, incomplete = text_of(fields.get("unread")), fields.get("incomplete")
        if incomplete is not None:
            _check_incomplete(scope, source, incomplete)
        now = fields.get("now")
        if now is not None:
            _check_moment(scope, source, now)
        yield Turn(
            say=scope.phrases(source, fields.get("say"), f"turns[{number}].say", read_turn),
            location=source.location(say.start, say.end),
            plan=None if plan is None else tuple(_calls(scope, source, plan)),
            unread=unread,
            incomplete=text_of(incomplete),
            ambiguous=is_true(fields.get("ambiguous")),
            now=text_of(now),
        )


def _calls(scope: Scope, source: Source, plan: list[Checked]) -> Iterable[ExpectedCall]:
    for call in plan:
        for name, arguments in call:
            location = source.location(name.start, name.end)
            known = scope.known_tool(source, name)
            given = {}
            for key, value in arguments:
                if known and not scope.known_argument(source, key, name.text):
                    continue
                given[key.text] = scope.expected(source, name.text, key.text, value)
            tool = scope.tools.get(name.text)
            if tool is not None:
                _check_complete(scope, tool, {key.text for key, _ in arguments}, location)
            yield ExpectedCall(name.text, given, location)


def _check_complete(scope: Scope, tool: Tool, given: set[str], location: Location) -> None:
    for argument in tool.arguments:
        if argument.required and argument.types and argument.name not in given:
            message = f"{tool.name} needs {quoted(argument.name)}, so no plan is without it"
            fix = "give it a value, or write `incomplete:` in place of `plan:`"
            scope.findings.report("SV046", message, location, fix)


def _check_incomplete(scope: Scope, source: Source, node: Scalar) -> None:
    known = scope.all_arguments
    if node.text not in known:
        message = f"no tool takes an argument {quoted(node.text)}"
        scope.report("SV042", message, source, node, did_you_mean(node.text, known))


def _check_moment(scope: Scope, source: Source, node: Scalar) -> None:
    from datetime import datetime

    try:
        datetime.fromisoformat(node.text)
    except ValueError:
        message = f"{quoted(node.text)} is not a date and time of ISO 8601"
        scope.report("SV063", message, source, node, "write it as 2027-03-01T09:00")
