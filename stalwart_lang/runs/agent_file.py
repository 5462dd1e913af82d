"""Agent files: YAML to a checked `AgentSpec`, and everything wrong with one as diagnostics."""

import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from stalwart_lang.diagnostics import (
    AgentError,
    Diagnostic,
    Findings,
    Related,
    TooMany,
    quoted,
    render,
)
from stalwart_lang.runs.agent_declarations import AGENT_FILE
from stalwart_lang.runs.facts import misnamed
from stalwart_lang.runs.modules import (
    ModuleFailed,
    ModuleMissing,
    is_there,
    load_module,
    modules_beside,
)
from stalwart_lang.runs.places import UnusablePlace, storage_url, trace_file
from stalwart_lang.runs.signatures import is_function, place_of
from stalwart_lang.runs.spec import AgentSpec, currencies_of
from stalwart_lang.runs.toolbox import Toolbox, put_together, tools_in
from stalwart_lang.vocabulary.checking import Fields, describe
from stalwart_lang.vocabulary.files import Parse, check_file, other_name, why_unreadable
from stalwart_lang.vocabulary.load import Loaded, load_vocabulary
from stalwart_lang.vocabulary.locate import read_disk, shipped_names, vocabulary_file
from stalwart_lang.vocabulary.model import LANGUAGES, Location, Vocabulary
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.suggest import did_you_mean, nearest
from stalwart_lang.vocabulary.yaml12 import Node, Scalar, compose

_LOG = logging.getLogger("stalwart_lang.runs")


def load_agent(path: str | PathLike[str], agent: str | None = None) -> AgentSpec:
    """Read an agent file, its vocabulary and its modules; `agent` chooses one of several.

    The modules are imported: what is written in them runs. Warnings are logged. Raises AgentError
    with everything that is wrong; ImportError where PyYAML lacks libyaml.
    """
    reading = _Reading(Path(path), agent)
    spec = None
    with suppress(TooMany):
        spec = reading.read()
    if spec is None or any(d.severity == "error" for d in reading.findings.items):
        raise AgentError(reading.in_order(), reading.sources) from reading.cause
    for found in reading.in_order():
        _LOG.warning("%s", render(found, reading.sources.get(found.location.file)))
    return spec


def check_agent_text(
    text: str,
    file: str,
    vocabulary: Callable[[str | Path], Loaded] = load_vocabulary,
    parse: Parse = compose,
) -> tuple[Diagnostic, ...]:
    """What is wrong with an agent file that may not be saved yet, as far as it can be told.

    Nothing of its modules is run, so that what only they tell is not among it; nor are the findings
    of its vocabulary, which `vocabulary` loads. `parse` may give what `compose` would.
    """
    reading = _Reading(Path(file), None, vocabulary)
    with suppress(TooMany):
        reading.check(text.encode(errors="surrogatepass"), parse)
    return tuple(found for found in reading.in_order() if found.location.file == file)


class _Reading:
    """One agent file as it is read; `cause` is what a module of `failed` raised, where one did."""

    def __init__(
        self,
        path: Path,
        agent: str | None,
        load: Callable[[str | Path], Loaded] = load_vocabulary,
    ) -> None:
        self.path = path
        self.load = load
        self.folder = path.parent
        self.chosen = agent
        self.findings = Findings()
        self.source = Source(str(path), "")
        self.sources: dict[str, str] = {}
        self.failed: set[str] = set()
        self.cause: BaseException | None = None

    def read(self) -> AgentSpec | None:
        """Read everything; the result is only good for use where there are no findings."""
        fields = self._fields()
        if fields is None:
            return None
        loaded = self._vocabulary(fields.get("vocabulary"))
        vocabulary = None if loaded is None else loaded.vocabulary
        name, agent = self._agent(fields)
        storage, trace = self._places(fields)
        facts = self._facts(fields.get("facts") or (), vocabulary)
        toolbox = self._toolbox(fields, agent, loaded)
        model = self._model(fields)
        language, runs, on_unread = (
            _text(fields.get(key)) for key in ("language", "runs", "on_unread")
        )
        if toolbox is None:
            return None
        return AgentSpec(
            name=name,
            vocabulary=vocabulary,
            catalogue=toolbox.catalogue,
            functions=toolbox.functions,
            schemas=toolbox.schemas,
            rules=() if vocabulary is None else tuple(vocabulary.rules.values()),
            facts=facts,
            language=next((known for known in LANGUAGES if known == language), None),
            atomic=runs == "atomic",
            storage=storage,
            trace=trace,
            model=model,
            on_unread=on_unread or "ask",  # type: ignore[arg-type]  # one of the choices
            currencies=frozenset() if vocabulary is None else currencies_of(vocabulary),
        )

    def check(self, content: bytes, parse: Parse) -> None:
        """Check what can be told without the modules."""
        fields = self._checked(content, parse)
        if fields is None:
            return
        loaded = self._vocabulary(fields.get("vocabulary"))
        self._places(fields)
        self._facts(fields.get("facts") or (), None if loaded is None else loaded.vocabulary)
        for entry in fields.get("tools") or ():
            node = entry.get("python")
            if node is not None and not is_there(node.text, self.folder):
                self._missing_module(node, node.text)
        node = _model_node(fields)
        if node is not None and not is_there(node.text.partition(":")[0], self.folder):
            self._missing_module(node, node.text.partition(":")[0])

    def in_order(self) -> list[Diagnostic]:
        """The findings by file and place, those of the agent file first."""
        order = {name: number for number, name in enumerate(self.sources)}
        return sorted(
            self.findings.items,
            key=lambda d: (order.get(d.location.file, 0), d.location.line, d.location.column),
        )

    def _fields(self) -> Fields | None:
        file = str(self.path)
        try:
            if self.path.exists() and not (self.path.is_file() or self.path.is_dir()):
                raise OSError("it is no regular file")  # a pipe would wait, a device never end
            content = read_disk(file)
        except OSError as error:
            fix = other_name(file, read_disk) if isinstance(error, FileNotFoundError) else None
            message = f"{quoted(file)} cannot be read: {why_unreadable(error)}"
            self.findings.report("SV200", message, Location(file, 1, 1, 1, 1), fix)
            return None
        return self._checked(content)

    def _checked(self, content: bytes, parse: Parse = compose) -> Fields | None:
        file = str(self.path)
        checked = check_file(file, content, self.findings, AGENT_FILE, parse)
        self.source = checked.source
        self.sources[file] = checked.source.text
        return checked.fields

    def _vocabulary(self, node: Scalar | None) -> Loaded | None:
        """The vocabulary, with its errors reported; None where there is none to read."""
        if node is None:
            return None
        shipped = vocabulary_file(node.text) != node.text
        if shipped and node.text not in shipped_names():
            self._report(
                "SV203",
                f"no vocabulary called {quoted(node.text)} comes with the package",
                node,
                self._vocabulary_fix(node.text),
            )
            return Loaded(None, ())
        place = self.folder / node.text
        if not shipped and not place.is_file():
            why, fix = "no such file", other_name(str(place), read_disk)
            if place.exists():
                why, fix = "it is a folder" if place.is_dir() else "it is no regular file", None
            self._report("SV203", f"{quoted(node.text)} cannot be read: {why}", node, fix)
            return Loaded(None, ())
        loaded = self.load(node.text if shipped else place)
        self.sources.update(loaded.sources)
        self.findings.items += loaded.diagnostics
        return loaded

    def _vocabulary_fix(self, name: str) -> str | None:
        for file in (f"{name}.yaml", f"{name}.yml"):
            if (self.folder / file).is_file():
                return f"for the file beside this one write {quoted(file)}"
        return did_you_mean(name, shipped_names())

    def _agent(self, fields: Fields) -> tuple[str, Fields | None]:
        """The agent that was chosen, by its name; no fields where none can be."""
        entries = fields.entries.get("agents")
        if entries is None or not entries[1]:
            return "", None
        key, agents = entries
        names = [name.text for name, _ in agents]
        if self.chosen is None:
            if len(names) == 1:
                return names[0], agents[0][1]
            message = f"the file has the agents {_listed(names)}, and none is chosen"
            self._report("SV202", message, key, f'choose one: `agent="{names[0]}"`')
            return "", None
        for name, agent in agents:
            if name.text == self.chosen:
                return name.text, agent
        message = f"the file has no agent {quoted(self.chosen)}"
        self._report("SV201", message, key, did_you_mean(self.chosen, names))
        return "", None

    def _places(self, fields: Fields) -> tuple[str | None, Path | None]:
        storage, trace = fields.get("storage"), fields.get("trace")
        url = file = None
        folder = self.folder.absolute()
        try:
            url = None if storage is None else storage_url(storage.text, folder)
        except UnusablePlace as unusable:
            self._report("SV205", str(unusable), storage, unusable.fix)
        try:
            file = None if trace is None else trace_file(trace.text, folder)
        except UnusablePlace as unusable:
            self._report("SV206", str(unusable), trace, unusable.fix)
        return url, file

    def _facts(
        self, entries: Iterable[tuple[Scalar, Scalar]], vocabulary: Vocabulary | None
    ) -> Mapping[str, object]:
        rules = () if vocabulary is None else tuple(vocabulary.rules.values())
        required = {fact: rule for rule in rules for fact in rule.requires}
        facts: dict[str, object] = {}
        for key, node in entries:
            facts[key.text] = node.value
            rule = required.get(key.text)
            if node.value is None:
                message = f"the fact {quoted(key.text)} has no value"
                self._report("SV204", message, node, "write `true` or `false`, or remove it")
            elif rule is not None and not isinstance(node.value, bool):
                self._report(
                    "SV204",
                    f"the rule {quoted(rule.name)} requires {quoted(key.text)}, which only `true` "
                    f"meets, not {describe(node)}",
                    node,
                    "write `true` or `false`",
                    (Related("the rule is here", rule.location),),
                )
        meant = misnamed(facts, rules)
        for key, _ in entries:
            near = meant.get(key.text)
            if near is not None:
                self._report(
                    "SV207",
                    f"no rule requires the fact {quoted(key.text)}",
                    key,
                    f"did you mean {quoted(near)}?",
                    (Related("the rule is here", required[near].location),),
                )
        return facts

    def _model(self, fields: Fields) -> Callable[..., Any] | None:
        """The function that is the model; None where the file names none that can be used."""
        node = _model_node(fields)
        if node is None:
            return None
        name, _, function = node.text.partition(":")
        module = self._module(node, name)
        if module is None:
            return None
        held: Callable[..., Any] | None = vars(module).get(function)
        if callable(held) and not issubclass(type(held), type):
            return held
        known = [
            each
            for each, value in vars(module).items()
            if is_function(value) and value.__module__ == module.__name__
        ]
        message = f"{quoted(name)} has no function {quoted(function)}"
        self._report("SV208", message, node, did_you_mean(function, known))
        return None

    def _toolbox(
        self, fields: Fields, agent: Fields | None, loaded: Loaded | None
    ) -> Toolbox | None:
        """The tools of the agent; None where something that they need is unsound."""
        known = frozenset(loaded.vocabulary.tools) if loaded and loaded.vocabulary else frozenset()
        found: dict[str, tuple[object, Scalar]] = {}
        plain: dict[str, None] = {}
        whole = "tools" in fields.entries
        for entry in fields.get("tools") or ():
            node = entry.get("python")
            module = None if node is None else self._module(node, node.text)
            if module is None:
                whole = False
                continue
            if loaded is not None and loaded.vocabulary is None:
                continue  # which functions are tools cannot be told
            plain.update((name, None) for name, value in vars(module).items() if is_function(value))
            self._collect(node, module, known, found)
        if not whole or (loaded is not None and loaded.vocabulary is None):
            return None
        self._check_names(fields, {*known, *found})
        if agent is None:
            return None
        only = agent.get("tools")
        toolbox = put_together(
            {name: function for name, (function, _) in found.items()},
            None if loaded is None else loaded.vocabulary,
            None if only is None else [node.text for node in only],
            plain,
        )
        key = fields.entries["tools"][0]
        for problem in toolbox.problems:
            node = found[problem.tool][1] if problem.tool in found else key
            if problem.left_out:
                node = next(each for each in only or () if each.text == problem.tool)
            self._report(problem.code, problem.message, node, problem.fix, problem.related)
        return toolbox

    def _collect(
        self,
        node: Scalar,
        module: ModuleType,
        known: frozenset[str],
        found: dict[str, tuple[object, Scalar]],
    ) -> None:
        """Add the tools of a module to those that were found before."""
        tools = tools_in(vars(module), known)
        if not tools:
            message = f"no function of {quoted(node.text)} is a tool"
            fix = "write `@tool` above those that are"
            if known:
                fix += ", or give them the names of the vocabulary's tools"
            self._report("SV212", message, node, fix)
        for name, function in tools:
            first, _ = found.setdefault(name, (function, node))
            if first is function:
                continue
            places = [place for one in (first, function) if (place := place_of(one)) is not None]
            self._report(
                "SV219",
                f"two functions are the tool {quoted(name)}",
                node,
                "remove one of them, or give it another name: `@tool(name=…)`",
                [Related("one is here", place) for place in places],
            )

    def _module(self, node: Scalar, name: str) -> ModuleType | None:
        if name in self.failed:  # which is told once
            return None
        try:
            return load_module(name, self.folder)
        except ModuleMissing as missing:
            self._missing_module(node, name)
            self.cause = self.cause or missing
        except ModuleFailed as failed:
            line, column = failed.line, failed.column
            place = Location(failed.file, line, column, line, column)
            message = f"{quoted(name)} cannot be imported: {failed}"
            self._report("SV211", message, node, None, (Related("it is raised here", place),))
            self.failed.add(name)
            self.cause = self.cause or failed.__cause__
        return None

    def _missing_module(self, node: Scalar, name: str) -> None:
        beside = modules_beside(self.folder)
        stem = name.removesuffix(".py")
        near = stem if stem != name and stem in beside else nearest(name, beside)
        fix = f"write {quoted(near)}" if near else f"is {quoted(name + '.py')} beside this file?"
        self._report("SV210", f"there is no module {quoted(name)}", node, fix)

    def _check_names(self, fields: Fields, known: set[str]) -> None:
        """Report tools of agents, of those that were not chosen too, that there are not."""
        for _, agent in fields.get("agents") or ():
            for node in agent.get("tools") or ():
                if node.text not in known:
                    message = f"no tool is called {quoted(node.text)}"
                    self._report("SV041", message, node, did_you_mean(node.text, sorted(known)))

    def _shown(self, file: str) -> str:
        """A file's name as the agent file's own is written: relative to the same place."""
        try:
            return str(self.folder / Path(file).relative_to(self.folder.resolve()))
        except ValueError:
            return file

    def _report(
        self,
        code: str,
        message: str,
        node: Node,
        fix: str | None = None,
        related: Iterable[Related] = (),
    ) -> None:
        where = self.source.location(node.start, node.end)
        self.findings.report(
            code,
            message,
            where,
            fix,
            [
                Related(one.message, one.location._replace(file=self._shown(one.location.file)))
                for one in related
            ],
        )


def _model_node(fields: Fields) -> Scalar | None:
    model = fields.get("model")
    node: Scalar | None = None if model is None else model.get("python")
    return node


def _text(node: Scalar | None) -> str | None:
    return None if node is None else node.text


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(quoted, names))
