"""A function as a tool: its parameters and their hints, its description, its JSON Schema."""

import functools
import inspect
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeGuard

from stalwart_lang.runs.hints import Hint, Unfit, UnknownHint, hint_of, resolved
from stalwart_lang.vocabulary.model import Location

_SECTION = re.compile(r"(Args|Arguments|Parameters|Returns|Yields|Raises|Note|Notes|Examples?):")
_ARGUMENT = re.compile(r"(\w+)\s*(?:\([^)]*\))?:\s*(.*)")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a tool; `default` is JSON's null where there is none to show."""

    name: str
    hint: Hint
    required: bool
    default: Any = None
    description: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes, and what its docstring says it does."""

    function: Callable[..., Any]
    parameters: Mapping[str, Parameter]
    description: str


class NotATool(TypeError):
    """A function that cannot be a tool; `code` is the diagnostic's."""

    def __init__(self, code: str, message: str, fix: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.fix = fix


def signature_of(function: Any) -> Signature:
    """Read a function. Raises NotATool."""
    _refuse_other_than_functions(function)
    try:
        annotations = resolved(inspect.unwrap(getattr(function, "__func__", function)))
    except UnknownHint as unknown:
        raise NotATool("SV216", str(unknown)) from unknown
    described = _described_arguments(inspect.getdoc(function) or "")
    parameters = {
        name: _parameter(parameter, annotations.get(name, Any), described.get(name, ""))
        for name, parameter in inspect.signature(function).parameters.items()
    }
    return Signature(function, parameters, _first_line(inspect.getdoc(function) or ""))


def schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The JSON Schema of the arguments of a function, for a model. Raises NotATool."""
    parameters = signature_of(function).parameters
    schemas = {name: parameter.hint.schema for name, parameter in parameters.items()}
    return object_schema(schemas, parameters)


def object_schema(
    schemas: Mapping[str, Mapping[str, Any]],
    parameters: Mapping[str, Parameter],
    required: typing.Container[str] | None = None,
) -> dict[str, Any]:
    """The JSON Schema of arguments, each with what is known of the parameter it becomes."""
    properties = {}
    for name, schema in schemas.items():
        parameter = parameters[name]
        made = dict(schema)
        if parameter.description:
            made["description"] = parameter.description
        if isinstance(parameter.default, str | int):
            made["default"] = parameter.default
        properties[name] = made
    return {
        "type": "object",
        "properties": properties,
        "required": [
            name
            for name in schemas
            if (parameters[name].required if required is None else name in required)
        ],
        "additionalProperties": False,
    }


def taking_values(signature: Signature) -> Callable[..., Any]:
    """The function, taking the values of plans and of models for its parameters.

    What it returns is async where the function is. Raises Unfit for a value that does not fit.
    """
    function, parameters = signature.function, signature.parameters

    def converted(values: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: _converted(parameters[name], value) if name in parameters else value
            for name, value in values.items()
        }

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def call_async(**values: Any) -> Any:
            return await function(**converted(values))

        return call_async

    @functools.wraps(function)
    def call(**values: Any) -> Any:
        return function(**converted(values))

    return call


def place_of(function: Any) -> Location | None:
    """Where a function is written: its `def`, or the first of its decorators."""
    try:
        code = getattr(inspect.unwrap(getattr(function, "__func__", function)), "__code__", None)
    except Exception:  # an object that stands for another, which is not there yet
        return None
    if not isinstance(code, CodeType):
        return None
    line = code.co_firstlineno
    return Location(code.co_filename, line, 1, line, 1)


def is_function(value: object) -> TypeGuard[Callable[..., Any]]:
    """Whether a value is a function or a method; the value itself is not asked, which may raise."""
    return type(value) in (FunctionType, MethodType)


def _refuse_other_than_functions(function: Any) -> None:
    if not is_function(function):
        a_class = issubclass(type(function), type)
        kind = "a class" if a_class else f"a value of {type(function).__name__}"
        raise NotATool("SV214", f"it is {kind}, not a function", "write it with `def`")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise NotATool(
            "SV214", "it is a generator, whose body does not run when it is called", "use `return`"
        )


def _parameter(parameter: inspect.Parameter, annotation: Any, description: str) -> Parameter:
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise NotATool(
            "SV214", f"it takes `{parameter}`, and a tool has named parameters only", "name them"
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise NotATool(
            "SV214",
            f"its parameter `{parameter.name}` cannot be given by name",
            "remove the `/` behind it",
        )
    try:
        hint = hint_of(annotation)
    except UnknownHint as unknown:
        message = f"the hint of its parameter `{parameter.name}` does not fit: {unknown}"
        raise NotATool("SV216", message) from unknown
    if typing.get_origin(annotation) is typing.Annotated:
        said = [one for one in typing.get_args(annotation)[1:] if isinstance(one, str)]
        description = said[0] if said else description
    required = parameter.default is parameter.empty
    default = None if required else parameter.default
    return Parameter(parameter.name, hint, required, default, description)


def _converted(parameter: Parameter, value: Any) -> Any:
    try:
        return parameter.hint.convert(value)
    except Unfit as unfit:
        raise Unfit(f"{parameter.name} must be {parameter.hint.expects['en']}") from unfit


def _first_line(docstring: str) -> str:
    return docstring.partition("\n")[0].strip()


def _described_arguments(docstring: str) -> dict[str, str]:
    """What the section `Args:` of a docstring says of each parameter."""
    found: dict[str, str] = {}
    name, depth, inside = "", 0, False
    for line in docstring.splitlines():
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if indent == 0 and text:
            section = _SECTION.fullmatch(text)
            inside = section is not None and section[1] in ("Args", "Arguments", "Parameters")
            name, depth = "", 0
        elif inside and text:
            depth = depth or indent
            argument = _ARGUMENT.fullmatch(text) if indent <= depth else None
            if argument is not None:
                name, found[argument[1]] = argument[1], argument[2]
            elif name:
                found[name] = f"{found[name]} {text}".strip()
    return found
