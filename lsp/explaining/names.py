"""A name of a vocabulary explained, or a phrase: what it stands for, and what came of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stalwart_lang.check.rules import applies
from stalwart_lang.lsp.documents import path_of
from stalwart_lang.lsp.explaining.readings import currency_of
from stalwart_lang.lsp.explaining.recorded import decisions_told
from stalwart_lang.lsp.explaining.words import Words
from stalwart_lang.lsp.index.model import Occurrence, PhraseText
from stalwart_lang.lsp.markup import Markup
from stalwart_lang.lsp.yaml_edits import entry_named
from stalwart_lang.vocabulary.model import LANGUAGES, Argument, Condition, Language, Rule, Tool
from stalwart_lang.vocabulary.yaml12 import Mapping, Scalar

if TYPE_CHECKING:
    from stalwart_lang.lsp.analysis import Analysis, TurnReading
    from stalwart_lang.lsp.server import Server

_EXAMPLES = 3
_LISTED = 20
_FLAGS = ("writes", "irreversible", "retry_safe", "reads_outside", "sends_out")


@dataclass(frozen=True, slots=True)
class Explaining:
    """What an explanation is made from: the document's names, what is known, and how to write."""

    server: "Server"
    uri: str
    analysis: "Analysis | None"
    words: Words
    markup: Markup

    @property
    def current(self) -> bool:
        """Whether what is known is of the texts as they are, and these have no errors."""
        if self.analysis is None or self.analysis.stale:
            return False
        its = self.analysis.documents.items()
        return all(self.server.project.document(uri) is document for uri, document in its)

    def as_known(self, one: Occurrence) -> bool:
        """Whether a declaration is written as it was when the vocabulary was read."""
        its = self.defined(one)
        before = None if self.analysis is None or its is None else self.analysis.sound.get(its.uri)
        if before is None or its is None:
            return False
        now = self.server.project.document(its.uri)
        if now is before.document:
            return True
        return now is not None and any(
            before.document.text[slice(*old.scope)] == now.text[slice(*its.scope)]
            for old in before.definitions(one.kind)
            if old.key == its.key
        )

    def tool(self, name: str, declared: Occurrence) -> Tool | None:
        """A tool as the vocabulary has it; None where it is not known how it is now."""
        vocabulary = None if self.analysis is None else self.analysis.vocabulary
        tool = None if vocabulary is None else vocabulary.tools.get(name)
        return tool if self.as_known(declared) else None

    def codes(self, names: Iterable[str]) -> str:
        """Names in a row."""
        return ", ".join(map(self.markup.code, names))

    def defined(self, one: Occurrence) -> Occurrence | None:
        """Where a name is declared."""
        if one.role == "definition":
            return one
        found = self.server.project.definitions(self.uri, one.kind, one.name, one.container)
        return found[0] if found else None


def told_name(about: Explaining, one: Occurrence) -> Iterator[str]:
    """Blocks that tell what a name stands for; none for a kind that says nothing of itself."""
    if one.kind not in about.words.kinds:
        return
    title = f"{about.markup.strong(about.words.kinds[one.kind])} {about.markup.code(one.name)}"
    if one.container:
        title += " " + about.words.part_of.format(name=about.markup.code(one.container))
    yield title
    if one.kind == "tool":
        yield from _tool(about, one)
    elif one.kind == "rule":
        yield from _rule(about, one)
    elif one.kind == "slot":
        yield from _slot(about, one)
    elif one.kind == "fact":
        yield from _fact(about, one)
    elif one.kind == "list":
        yield from _closed_list(about, one)
    else:
        yield from _said(about, one)
        if one.kind in ("thing", "unit"):
            yield from _users(about, one)


# ---------------------------------------------------------------- tools


def _tool(about: Explaining, one: Occurrence) -> Iterator[str]:
    markup, words = about.markup, about.words
    tool = about.tool(one.name, one)
    if tool is not None:
        yield markup.prose(tool.description)
        yield about.codes(flag for flag in _FLAGS if getattr(tool, flag))
        if tool.undo:
            yield words.undone_by.format(name=markup.code(tool.undo))
        undoes = list(_having(about, "tools", "undo", one.name))
        if undoes:
            yield words.undoes.format(name=about.codes(undoes))
        yield from _arguments(about, tool)
    elif about.analysis is not None and about.defined(one) is not None:
        yield words.not_yet
    rules = list(_having(about, "rules", "tool", one.name))
    if rules:
        yield f"{markup.strong(words.rules)}: {about.codes(rules[:_LISTED])}"
    phrases = _phrases_of(about, one)
    if phrases:
        yield markup.strong(words.phrases)
        yield markup.items(
            f"{phrase.language}: {markup.code(phrase.text)}" for phrase in phrases[:_LISTED]
        )
    elif about.defined(one) is not None:
        yield words.no_phrases
    recorded = about.server.traces.of_tool(one.name)
    yield from decisions_told(recorded, words.decisions, markup, words)
    yield from _examples(about, one.name)


def _having(about: Explaining, section: str, key: str, value: str) -> Iterator[str]:
    """The entries of a section that have a value at a key, as the files are now."""
    for index in about.server.project.group(about.uri):
        entries = entry_named(index.root, section) if index.kind == "vocabulary" else None
        for name, entry in entries.entries if isinstance(entries, Mapping) else ():
            its = entry_named(entry, key)
            if isinstance(its, Scalar) and its.text == value:
                yield name.text


def _arguments(about: Explaining, tool: Tool) -> Iterator[str]:
    if not tool.arguments:
        yield about.words.takes_nothing
        return
    yield about.markup.strong(about.words.arguments)
    yield about.markup.items(_argument(about, tool.name, its) for its in tool.arguments[:_LISTED])


def _argument(about: Explaining, tool: str, argument: Argument) -> str:
    markup, words = about.markup, about.words
    line = f"{markup.code(argument.name)}: {markup.code(_type(about, tool, argument.name))}"
    if not argument.required:
        line += f" ({words.optional})"
    question = argument.ask.get(about.words.written_in)
    return line + (f", {words.asks.format(said=markup.code(question))}" if question else "")


def _type(about: Explaining, tool: str, slot: str) -> str:
    for index in about.server.project.group(about.uri):
        if (tool, slot) in index.types:
            return index.types[tool, slot]
    return "?"


def _phrases_of(about: Explaining, one: Occurrence) -> list[PhraseText]:
    return [
        phrase
        for index in about.server.project.group(about.uri)
        for phrase in index.phrases
        if (phrase.owner, phrase.container, phrase.name) == (one.kind, one.container, one.name)
    ]


def _examples(about: Explaining, tool: str, rule: Rule | None = None) -> Iterator[str]:
    """Turns of the vocabulary that ask for the tool, and for a call that a rule is about."""
    shown = [
        f"{language}: {about.markup.code(reading.turn.text)}"
        for language in LANGUAGES
        for reading in _readings(about, tool, rule, language)
    ]
    if shown:
        title = about.words.examples
        yield about.markup.strong(
            title if about.current else about.words.of_earlier.format(title=title)
        )
        yield about.markup.items(shown)


def _readings(
    about: Explaining, tool: str, rule: Rule | None, language: Language
) -> "list[TurnReading]":
    found: list[TurnReading] = []
    vocabulary = None if about.analysis is None else about.analysis.vocabulary
    currencies = {currency_of(vocabulary, one) for one in LANGUAGES}
    for one in () if about.analysis is None else about.analysis.readings:
        if one.plan.language == language and any(
            call.tool == tool and (rule is None or applies(rule, call.arguments, currencies))
            for call in one.plan.calls
        ):
            found.append(one)
            if len(found) == _EXAMPLES:
                break
    return found


# ---------------------------------------------------------------- rules


def _rule(about: Explaining, one: Occurrence) -> Iterator[str]:
    markup, words = about.markup, about.words
    vocabulary = None if about.analysis is None else about.analysis.vocabulary
    rule = None if vocabulary is None else vocabulary.rules.get(one.name)
    known = rule is not None and about.as_known(one)
    if rule is None:
        # It is not said of a text that was not looked at yet.
        if about.analysis is not None and about.analysis.stale:
            yield words.only_recorded
    elif not known:
        yield words.not_yet
    else:
        means = list(_means(about, rule))
        if rule.when:
            conditions = f" {words.both} ".join(_condition(about, its) for its in rule.when)
            yield words.where.format(conditions=conditions)
            yield markup.items(means)
        else:
            yield "\n\n".join(means)
        yield markup.strong(words.checked)
        yield markup.items(
            words.step.format(
                step=markup.code(step), outcome=markup.code(outcome), name=markup.code(rule.name)
            )
            for step, outcome in _steps(rule)
        )
        if rule.say:
            yield markup.strong(words.says)
            yield markup.items(
                f"{language}: {markup.prose(said)}" for language, said in rule.say.items()
            )
    where = about.defined(one)
    file = path_of(one.uri if where is None else where.uri)
    recorded = about.server.traces.of_rule(one.name, file)
    yield from decisions_told(recorded, words.decisions, markup, words)
    if rule is not None and known:
        yield from _examples(about, rule.tool, rule)


def _means(about: Explaining, rule: Rule) -> Iterator[str]:
    markup, words = about.markup, about.words
    tool = markup.code(rule.tool)
    if rule.never:
        yield words.never.format(tool=tool)
    if rule.requires:
        facts = f" {words.both} ".join(map(markup.code, rule.requires))
        yield words.requires.format(tool=tool, facts=facts)
    if rule.requires_confirmation:
        yield words.confirms.format(tool=tool)
    if rule.after:
        yield words.after.format(tool=tool, other=markup.code(rule.after))
    if rule.not_after:
        yield words.not_after.format(tool=tool, other=markup.code(rule.not_after))
    if rule.at_most is not None:
        sentences = {0: words.not_once, 1: words.once}
        yield sentences.get(rule.at_most, words.at_most).format(tool=tool, count=rule.at_most)


def _condition(about: Explaining, condition: Condition) -> str:
    operand: Any = condition.operand
    values = operand if isinstance(operand, list | tuple) else (operand,)
    return about.words.conditions[condition.test].format(
        argument=about.markup.code(condition.argument), value=about.codes(map(str, values))
    )


def _steps(rule: Rule) -> Iterator[tuple[str, str]]:
    """The steps of the check that a rule is a part of, and the outcome it leads to there."""
    if rule.never or rule.requires:
        yield "rulebook", "refuse"
    if rule.after or rule.not_after or rule.at_most is not None:
        yield "order", "refuse"
    if rule.requires_confirmation:
        yield "confirmation", "confirm"


# ---------------------------------------------------------------- the rest


def _slot(about: Explaining, one: Occurrence) -> Iterator[str]:
    declared = about.server.project.definitions(about.uri, "tool", one.container)
    tool = about.tool(one.container, declared[0]) if one.container and declared else None
    argument = next((its for its in tool.arguments if its.name == one.name), None) if tool else None
    if argument is not None:
        yield _argument(about, one.container, argument)
        for language, phrases in argument.words.items():
            said = about.codes(phrase.text for phrase in phrases)
            yield f"{language}: {about.words.introduced_by.format(said=said)}"
    elif one.container:
        yield about.markup.code(_type(about, one.container, one.name))


def _fact(about: Explaining, one: Occurrence) -> Iterator[str]:
    group = about.server.project.group(about.uri)
    names: dict[str, None] = {}
    given: list[str] = []
    for index in group:
        rules = index.definitions("rule")
        for its in index.occurrences:
            if (its.kind, its.name) == ("fact", one.name):
                holding = (
                    rule.name for rule in rules if rule.scope[0] <= its.start <= rule.scope[1]
                )
                names.update(dict.fromkeys(holding))
                given += [index.uri] if its.role == "definition" else []
    if names:
        yield f"{about.words.required_by}: {about.codes(names)}"
    for uri in dict.fromkeys(given):
        if uri != about.uri:
            yield about.words.given_in.format(place=about.markup.code(path_of(uri) or uri))


def _closed_list(about: Explaining, one: Occurrence) -> Iterator[str]:
    members = about.server.project.names(about.uri, "member", one.name)
    yield f"{about.markup.strong(about.words.members)}: {about.codes(members[:_LISTED])}"
    yield from _users(about, one)


def _said(about: Explaining, one: Occurrence) -> Iterator[str]:
    """The words of a thing, a value or a unit, each with the plurals and forms made of it."""
    phrases = _phrases_of(about, one)
    if phrases:
        yield about.markup.strong(about.words.words)
        yield about.markup.items(
            f"{phrase.language}: {about.codes(_forms(one.kind, phrase))}"
            for phrase in phrases[:_LISTED]
        )


def _forms(kind: str, phrase: PhraseText) -> Iterable[str]:
    from stalwart_lang.words import english_forms, portuguese_forms

    if phrase.language == "en":
        plural = english_forms.plural(phrase.text)
        return (phrase.text,) if kind == "member" else dict.fromkeys((phrase.text, plural))
    if kind == "member":
        return dict.fromkeys((phrase.text, *portuguese_forms.adjective_forms(phrase.text)))
    return dict.fromkeys((phrase.text, portuguese_forms.plural(phrase.text)))


def _users(about: Explaining, one: Occurrence) -> Iterator[str]:
    from stalwart_lang.lsp.index.types import names_in

    used = dict.fromkeys(
        f"{tool}.{slot}"
        for index in about.server.project.group(about.uri)
        for (tool, slot), written in index.types.items()
        if any(
            (its.name, its.is_unit) == (one.name, one.kind == "unit") for its in names_in(written)
        )
    )
    if used:
        yield f"{about.words.used_by}: {about.codes([*used][:_LISTED])}"


def told_phrase(about: Explaining, phrase: PhraseText) -> Iterator[str]:
    """Blocks that tell what a phrase asks for, the forms of its verb, and what must be said."""
    markup, words = about.markup, about.words
    title = f"{markup.strong(words.kinds['phrase'])} {markup.code(phrase.text)}"
    yield f"{title} → {markup.code(phrase.name)} ({phrase.language})"
    for part in phrase.parts:
        if part.kind == "verb":
            yield f"{words.verb_forms}: {about.codes(_verb(part.text, phrase.language))}"
    slots = [part for part in phrase.parts if part.kind in ("slot", "optional")]
    if slots:
        yield markup.items(
            markup.code(part.text)
            + f": {markup.code(_type(about, phrase.name, part.text.strip('{ }')))}"
            + (f" ({words.may_leave_out})" if part.kind == "optional" else "")
            for part in slots
        )
    vocabulary = None if about.analysis is None else about.analysis.vocabulary
    declared = about.server.project.definitions(about.uri, "tool", phrase.name)
    tool = about.tool(phrase.name, declared[0]) if declared else None
    for its in () if tool is None else tool.say.get(phrase.language, ()):
        if its.text == phrase.text and vocabulary is not None:
            recorded = about.server.traces.of_phrase(its.path, vocabulary.name)
            title = words.decisions_of_phrase
            yield from decisions_told(recorded, title, markup, words)
            break


def _verb(verb: str, language: Language) -> Iterable[str]:
    from stalwart_lang.words import english_forms, portuguese_forms

    if language == "en":
        en = english_forms.verb_forms(verb)
        return dict.fromkeys((en.base, *en.gerund, en.third_person, *en.past, *en.participle))
    pt = portuguese_forms.verb_forms(verb)
    return dict.fromkeys((pt.infinitive, *pt.formal, *pt.informal, *pt.imperative, *pt.gerund))
