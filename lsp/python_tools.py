"""The Python functions that are an agent's tools: found in its modules' files, nothing is run."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from lsprotocol import types

from stalwart_lang.lsp.documents import Document, Encoding, path_of, uri_of
from stalwart_lang.lsp.index.model import DocumentIndex

_MOST_BYTES = 1_000_000


def module_file(uri: str, name: str) -> Path | None:
    """The file of a module that an agent file names; None where it is not beside it."""
    path = path_of(uri)
    parts = name.split(".")
    if path is None or not all(part.isidentifier() for part in parts):
        return None
    base = Path(path).parent.joinpath(*parts)
    for file in (base.with_name(f"{base.name}.py"), base / "__init__.py"):
        if file.is_file():
            return file
    return None


def functions_of(
    tool: str, indexes: Iterable[DocumentIndex], encoding: Encoding
) -> Iterator[types.Location]:
    """Where the functions stand that are a tool, in the modules that agent files name."""
    for index in indexes:
        for one in index.references("module"):
            file = module_file(index.uri, one.name)
            found = None if file is None else _function(file, tool, encoding)
            if found is not None:
                yield found


def _function(file: Path, tool: str, encoding: Encoding) -> types.Location | None:
    try:
        status = file.stat()
        if status.st_size > _MOST_BYTES:
            return None
        text, tools = _tools(file, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError, SyntaxError, RecursionError):
        return None
    if tool not in tools:
        return None
    start, end = tools[tool]
    uri = uri_of(file)
    return types.Location(uri=uri, range=Document(uri, None, text, encoding).range(start, end))


@lru_cache(maxsize=64)
def _tools(file: Path, _modified: int, _size: int) -> tuple[str, Mapping[str, tuple[int, int]]]:
    """A file's text and where its functions' names stand. Raises OSError, ValueError, SyntaxError.

    A file is read again when it was modified or has another size.
    """
    text = file.read_bytes().decode().removeprefix("\ufeff")
    document = Document("", None, text)
    found: dict[str, tuple[int, int]] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            start = text.index(node.name, text.index("def", document.starts[node.lineno - 1]) + 3)
            found[_given_name(node) or node.name] = start, start + len(node.name)
    return text, found


def _given_name(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The name that `@tool(name=…)` gives a function."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("tool"):
            for given in decorator.keywords:
                if given.arg == "name" and isinstance(given.value, ast.Constant):
                    return str(given.value.value)
    return None
