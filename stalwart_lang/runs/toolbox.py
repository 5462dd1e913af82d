"""The tools of an agent: its functions, and what its vocabulary says of them, put together.

Which functions of a module are tools: those marked with `@tool`, and those that have the name of a
tool of the vocabulary; the others are plain functions. What the vocabulary declares of a tool
holds; `@tool` adds what it does not say. A tool that only `@tool` declares is one that no turn can
ask for, only a model.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from linecache import getlines
from types import ModuleType
from typing import Any, TypeGuard, TypeVar

from stalwart_lang.check.catalogue import ArgumentSpec, ToolSpec, catalogue_of
from stalwart_lang.diagnostics import AgentError, Diagnostic, Related, diagnostic, quoted
from stalwart_lang.runs.argument_schemas import samples, schema_of_types
from stalwart_lang.runs.signatures import (
    NotATool,
    Parameter,
    Signature,
    is_function,
    object_schema,
    place_of,
    signature_of,
    taking_values,
)
from stalwart_lang.runs.tools import FLAGS, ToolMark, mark_of
from stalwart_lang.vocabulary.model import Location, Vocabulary
from stalwart_lang.vocabulary.suggest import did_you_mean, nearest

_K = TypeVar("_K")

_NO_MARK = ToolMark()
_NOWHERE = Location("<python>", 1, 1, 1, 1)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a tool; whoever put the tools together knows the file to point at."""

    code: str
    tool: str
    message: str
    fix: str | None = None
    related: tuple[Related, ...] = ()
    left_out: bool = False
    """Whether it is about the tools that the agent has, and not about the tool itself."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """What an agent may call.

    `functions` take the values of plans and models by name; `schemas` are the tools as a model is
    told of them: `name`, `description`, `parameters` (JSON Schema). Only where there are no
    `problems` is it whole.
    """

    catalogue: Mapping[str, ToolSpec]
    functions: Mapping[str, Callable[..., Any]]
    schemas: tuple[Mapping[str, Any], ...]
    problems: tuple[Problem, ...] = ()


def tools_in(namespace: Mapping[str, object], known: AbstractSet[str]) -> list[tuple[str, object]]:
    """The tools among the names of a module; `known` are those of the vocabulary.

    A function that stands there under two names is one tool.
    """
    found: dict[tuple[str, int], object] = {}
    for name, value in namespace.items():
        mark = mark_of(value)
        if mark is not None:
            found[tool_name(value), id(value)] = value
        elif name in known:
            found[name, id(value)] = value
    return [(name, value) for (name, _), value in found.items()]


def tool_name(function: object) -> str:
    """The name of the tool that a function is: its own, or the one that `@tool` gives it."""
    mark = mark_of(function)
    if mark is not None and mark.name is not None:
        return mark.name
    return str(getattr(function, "__name__", "tool"))


def toolbox_of(
    given: Iterable[Callable[..., Any] | ModuleType],
    vocabulary: Vocabulary | None = None,
    only: Iterable[str] | None = None,
) -> Toolbox:
    """The tools that functions are, or those of modules, for an agent that is made in Python.

    `only` are the tools that it has, where it has not all. Raises AgentError with everything that
    is wrong, each at its function.
    """
    given = list(given)
    others = [_no_tool(one) for one in given if not _is_tool(one)]
    named: dict[str, object] = {}
    twice: list[Problem] = []
    for name, function in _given(filter(_is_tool, given), vocabulary):
        first = named.setdefault(name, function)
        if first is not function:
            message = f"two functions are the tool {quoted(name)}"
            fix = "remove one of them, or give it another name: `@tool(name=…)`"
            twice.append(Problem("SV219", name, message, fix, _function_here(function)))
    chosen = None if only is None else list(only)
    unknown = [
        Problem("SV041", name, f"no tool is called {quoted(name)}", did_you_mean(name, known))
        for known in [sorted({*named, *(() if vocabulary is None else vocabulary.tools)})]
        for name in chosen or ()
        if name not in known
    ]
    toolbox = put_together(named, vocabulary, chosen)
    problems = [*twice, *unknown, *toolbox.problems]
    if not problems and not others:
        return toolbox
    if others:  # they may have been meant for the tools that are not there
        problems = [problem for problem in problems if problem.code not in ("SV041", "SV213")]
    found = others
    for problem in problems:
        place = place_of(named.get(problem.tool)) or _NOWHERE
        found.append(diagnostic(problem.code, problem.message, place, problem.fix, problem.related))
    files = {finding.location.file for finding in found}
    raise AgentError(found, {file: "".join(getlines(file)) for file in files})


def _is_a(given: object, kind: type[_K]) -> TypeGuard[_K]:
    """Whether it is of a class: `isinstance` asks the thing itself, and a proxy may raise."""
    return issubclass(type(given), kind)


def _is_tool(given: object) -> bool:
    return is_function(given) or _is_a(given, ModuleType)


def _no_tool(given: object) -> Diagnostic:
    kind, fix = f"a value of {type(given).__name__}", "write it with `def`"
    if _is_a(given, type):
        kind = "a class"
    elif _is_a(given, str):
        kind, fix = f"the text {quoted(given)}", "import it"
        if given.isidentifier():
            fix += f", and write it without quotes: `tools=[{given}]`"
    message = f"tools are functions or modules, and one of them is {kind}"
    return diagnostic("SV214", message, _NOWHERE, fix)


def _given(
    given: Iterable[Callable[..., Any] | ModuleType], vocabulary: Vocabulary | None
) -> Iterator[tuple[str, object]]:
    known = frozenset() if vocabulary is None else frozenset(vocabulary.tools)
    for one in given:
        if _is_a(one, ModuleType):
            yield from tools_in(vars(one), known)
        else:
            yield tool_name(one), one


def put_together(
    functions: Mapping[str, object],
    vocabulary: Vocabulary | None = None,
    only: Iterable[str] | None = None,
    plain: Iterable[str] = (),
) -> Toolbox:
    """Put functions, by the names of their tools, and a vocabulary together.

    `only` are the tools that the agent has, where it has not all. `plain` are names of functions
    that are no tools: one of them may have been meant.
    """
    declared = {} if vocabulary is None else catalogue_of(vocabulary)
    names = list(dict.fromkeys((*declared, *functions) if only is None else only))
    making = _Making(vocabulary, declared)
    for name in names:
        if name in functions:
            making.add(name, functions[name])
        elif name in declared:
            making.report(
                "SV213",
                name,
                f"the tool {quoted(name)} has no function",
                _misnamed(name, plain, declared) or f"write `def {_head(declared[name])}:`",
                _declared_here(declared[name]),
            )
    for name in making.signatures:
        making.check_undo(name, {*declared, *functions})
    return making.made()


def _misnamed(name: str, plain: Iterable[str], declared: Iterable[str]) -> str | None:
    """A fix: the function that was meant to be the tool, if it is nearer to no other."""
    near = nearest(name, plain)
    if near is None or nearest(near, declared) != name:
        return None
    return f"did you mean {quoted(near)}?"


def _head(spec: ToolSpec) -> str:
    takes = (name if a.required else f"{name}=None" for name, a in spec.arguments.items())
    return f"{spec.name}({', '.join(takes)})"


@dataclass(slots=True)
class _Making:
    vocabulary: Vocabulary | None
    declared: Mapping[str, ToolSpec]
    catalogue: dict[str, ToolSpec] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def add(self, name: str, function: object) -> None:
        """Take in a tool that has a function."""
        here = _function_here(function)
        try:
            signature = signature_of(function)
        except NotATool as wrong:
            message = f"{quoted(name)} cannot be a tool: {wrong}"
            self.report(wrong.code, name, message, wrong.fix, here)
            return
        self.signatures[name] = signature
        mark = mark_of(function) or _NO_MARK
        spec = self.declared.get(name)
        if spec is None:
            spec = ToolSpec(
                name=name,
                arguments={p.name: _argument(p) for p in signature.parameters.values()},
                location=place_of(function),
            )
        else:
            here = (*here, *_declared_here(spec))
            self._check_parameters(spec, signature, here)
        self._check_flags(spec, mark, here)
        flags: dict[str, Any] = {
            flag: getattr(spec, flag) or getattr(mark, flag) is True for flag in FLAGS
        }
        description = spec.description or mark.description or signature.description
        self.catalogue[name] = replace(
            spec, undo=spec.undo or mark.undo, description=description, **flags
        )

    def _check_parameters(
        self, spec: ToolSpec, signature: Signature, related: tuple[Related, ...]
    ) -> None:
        parameters = signature.parameters
        others = [other for other in parameters if other not in spec.arguments]
        lacking = [name for name in spec.arguments if name not in parameters]
        for name, argument in spec.arguments.items():
            parameter = parameters.get(name)
            if parameter is None:
                message = f"the function of {quoted(spec.name)} has no parameter {quoted(name)}"
                fix = f"add the parameter {quoted(name)}"
                meant = others[0] if len(others) == len(lacking) == 1 else nearest(name, others)
                if meant is not None:
                    others.remove(meant)  # it is told of here
                    fix = f"write {quoted(name)} instead of {quoted(meant)}"
                self.report("SV215", spec.name, message, fix, related)
                continue
            if parameter.required and not argument.required:
                self.report(
                    "SV215",
                    spec.name,
                    f"{quoted(name)} of {quoted(spec.name)} is optional, and the function needs it",
                    f"give the parameter a default: `{name}=None`",
                    related,
                )
            self._check_hint(spec.name, parameter, related)
        for name, parameter in parameters.items():
            if parameter.required and name in others:
                self.report(
                    "SV215",
                    spec.name,
                    f"the function of {quoted(spec.name)} needs {quoted(name)}, which the "
                    "vocabulary's tool does not take",
                    f"declare {quoted(name)} under `takes:`, or give the parameter a default",
                    related,
                )

    def _check_hint(self, tool: str, parameter: Parameter, related: tuple[Related, ...]) -> None:
        """Report a hint that some value of the vocabulary's type cannot become."""
        assert self.vocabulary is not None
        lists = self.vocabulary.values
        argument = next(
            a for a in self.vocabulary.tools[tool].arguments if a.name == parameter.name
        )
        for kind in argument.types:
            unfit = next((v for v in samples(kind, lists) if not parameter.hint.fits(v)), None)
            if unfit is not None:
                self.report(
                    "SV216",
                    tool,
                    f"{quoted(parameter.name)} of {quoted(tool)} can be {_shown(unfit)}, and the "
                    f"function's hint takes {parameter.hint.expects['en']}",
                    "change the hint, or leave it out",
                    related,
                )
                return

    def _check_flags(self, spec: ToolSpec, mark: ToolMark, related: tuple[Related, ...]) -> None:
        name = quoted(spec.name)
        for flag in FLAGS:
            if getattr(spec, flag) and getattr(mark, flag) is False:
                message = f"the vocabulary says `{flag}: true` of {name}, `@tool` says {flag}=False"
                self.report("SV217", spec.name, message, f"remove `{flag}` from `@tool`", related)
        if spec.undo and mark.undo and spec.undo != mark.undo:
            message = (
                f"{name} is undone by {spec.undo} in the vocabulary, by {mark.undo} in `@tool`"
            )
            self.report("SV217", spec.name, message, "remove `undo` from `@tool`", related)
        undo = spec.undo or mark.undo
        if undo and (spec.irreversible or mark.irreversible):
            message = f"{name} is irreversible, and {undo} undoes it"
            self.report("SV217", spec.name, message, "remove one of the two", related)
        if mark.undo and not (spec.writes or mark.writes):
            message = f"{name} has an undo, and does not say that it writes"
            self.report("SV217", spec.name, message, "add `writes=True` to `@tool`", related)

    def check_undo(self, name: str, known: AbstractSet[str]) -> None:
        """Report an undo that the agent does not have, or that needs what it would not be given."""
        spec = self.catalogue[name]
        if spec.undo is None:
            return
        related = _function_here(self.signatures[name].function)
        undo = self.catalogue.get(spec.undo)
        if undo is None:
            if spec.undo not in known:
                message = (
                    f"{quoted(name)} is undone by {quoted(spec.undo)}, and there is no such tool"
                )
                fix = did_you_mean(spec.undo, sorted(known - {name}))
                self.report("SV218", name, message, fix, related)
            elif spec.undo not in {problem.tool for problem in self.problems}:
                message = f"the undo of {quoted(name)}, {quoted(spec.undo)}, is not among the tools"
                fix = f"add {quoted(spec.undo)} under `tools:` of the agent"
                self.report("SV218", name, message, fix, related, left_out=True)
            return
        for argument in undo.arguments.values():
            given = spec.arguments.get(argument.name)
            if argument.required and (given is None or not given.required):
                why = "does not take" if given is None else "may be without"
                self.report(
                    "SV218",
                    name,
                    f"to undo {quoted(name)}, {quoted(undo.name)} needs {quoted(argument.name)}, "
                    f"which {quoted(name)} {why}",
                    f"make {quoted(argument.name)} of {quoted(undo.name)} optional, "
                    "or give it to both",
                    (*related, *_declared_here(undo)),
                )

    def report(
        self,
        code: str,
        tool: str,
        message: str,
        fix: str | None = None,
        related: Iterable[Related] = (),
        *,
        left_out: bool = False,
    ) -> None:
        """Add a problem."""
        self.problems.append(Problem(code, tool, message, fix, tuple(related), left_out))

    def made(self) -> Toolbox:
        """Give what came of it."""
        whole = {} if self.problems else self.signatures
        return Toolbox(
            self.catalogue,
            {name: taking_values(signature) for name, signature in whole.items()},
            tuple(self._schema(name, signature) for name, signature in whole.items()),
            tuple(self.problems),
        )

    def _schema(self, name: str, signature: Signature) -> dict[str, Any]:
        spec = self.catalogue[name]
        if name in self.declared:
            assert self.vocabulary is not None
            schemas: Mapping[str, Mapping[str, Any]] = {
                argument.name: schema_of_types(argument.types, self.vocabulary.values)
                for argument in self.vocabulary.tools[name].arguments
            }
        else:
            schemas = {p.name: p.hint.schema for p in signature.parameters.values()}
        required = {a.name for a in spec.arguments.values() if a.required}
        parameters = object_schema(schemas, signature.parameters, required)
        return {"name": name, "description": spec.description, "parameters": parameters}


def _argument(parameter: Parameter) -> ArgumentSpec:
    hint = parameter.hint
    return ArgumentSpec(parameter.name, parameter.required, hint.fits, hint.expects)


def _function_here(function: object) -> tuple[Related, ...]:
    return tuple(_related("the function is here", place_of(function)))


def _declared_here(spec: ToolSpec) -> tuple[Related, ...]:
    return tuple(_related("the tool is declared here", spec.location))


def _related(message: str, location: Location | None) -> Iterator[Related]:
    if location is not None:
        yield Related(message, location)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "the amount " + " ".join(value.values())
    return f"the number {value}" if isinstance(value, int) else f"the text {quoted(value)}"
