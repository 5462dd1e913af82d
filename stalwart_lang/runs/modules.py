"""The Python modules of an agent: those beside its file, and importable ones.

A module beside the agent file is imported into a package of its folder's own, which no plain
`import` can reach: two agents may each have a `tools.py`, and `sys.path` stays as it is. In such a
module the files beside it can be imported as in a program that starts there, and hold before others
of the same name. Where a plain `import` finds the very same file, it is used: who imports it
elsewhere shares the module.
"""

import builtins
import importlib
import sys
import traceback
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from stalwart_lang.terminal import printable

_PREFIX = "_stalwart_agent_"

_packages: dict[str, str] = {}
"""The names of the private packages, by the folder each stands for."""


class ModuleMissing(Exception):
    """There is no such module."""


class ModuleFailed(Exception):
    """A module that raised as it was imported; `line` counts from 1, `file` is where it raised."""

    def __init__(self, message: str, file: str, line: int, column: int) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column


def load_module(name: str, folder: Path) -> ModuleType:
    """Import the module `name` from `folder`, or where it is not there, as any other.

    A module is run once a process, as Python does. Raises ModuleMissing, ModuleFailed.
    """
    importlib.invalidate_caches()
    folder = folder.resolve()
    if is_beside(name.partition(".")[0], folder):
        name = f"{_package(folder)}.{name}"
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:  # which comes from outside
        raise
    except BaseException as error:
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}."):
            raise ModuleMissing from error
        raise _failed(error, folder) from error


def is_beside(name: str, folder: Path) -> bool:
    """Whether a top-level module is to be taken from the folder, and a plain import would not."""
    if name in sys.builtin_module_names:
        return False
    here = PathFinder.find_spec(name, [str(folder)])
    if here is None:
        return False
    there = _plain_spec(name)
    if here.origin is None:  # a folder without an __init__.py gives way to a module elsewhere
        return there is None
    return there is None or there.origin is None or not _same_file(here.origin, there.origin)


def is_there(name: str, folder: Path) -> bool:
    """Whether the first part of a module's name can be found; nothing is run to tell."""
    first = name.partition(".")[0]
    here = PathFinder.find_spec(first, [str(folder)])
    return here is not None or _plain_spec(first) is not None


def modules_beside(folder: Path) -> list[str]:
    """The names of the modules and packages in a folder."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    return [
        entry.stem
        for entry in entries
        if (entry.suffix == ".py" and entry.is_file()) or (entry / "__init__.py").is_file()
    ]


def _plain_spec(name: str) -> ModuleSpec | None:
    try:
        return find_spec(name)
    except (ImportError, ValueError):  # a module without a spec, such as `__main__`
        return None


def _same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def _package(folder: Path) -> str:
    """The private package that stands for a folder."""
    name = _packages.setdefault(str(folder), f"{_PREFIX}{len(_packages)}")
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
        if not any(isinstance(finder, _Beside) for finder in sys.meta_path):
            sys.meta_path.insert(0, _Beside())
    return name


class _Beside(MetaPathFinder):
    """Finds the modules of private packages, and lets them import what is beside them."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(_PREFIX):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(fullname, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Runs a module whose imports look at its folder first, those in its functions too."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Compile the module; what is no source says of which file."""
        try:
            return super().get_code(fullname)
        except SyntaxError as error:
            error.filename, error.lineno = error.filename or self.path, error.lineno or 1
            raise

    def exec_module(self, module: ModuleType) -> None:
        package = module.__name__.partition(".")[0]
        importing = partial(_import, package, Path(sys.modules[package].__path__[0]))
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": importing}
        super().exec_module(module)


def _import(
    package: str,
    folder: Path,
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """Import as `__import__` does, from the folder where the name is there."""
    top = name.partition(".")[0]
    if level or not is_beside(top, folder):
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    imported = importlib.import_module(f"{package}.{name}")
    if fromlist:
        return builtins.__import__(imported.__name__, globals, locals, fromlist, 0)
    return sys.modules[f"{package}.{top}"]


def _failed(error: BaseException, folder: Path) -> ModuleFailed:
    message = printable(f"{type(error).__name__}: {_said(error)}".removesuffix(": "))
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        message = printable(f"{type(error).__name__}: {error.msg}")
        return ModuleFailed(message, error.filename, error.lineno, max(error.offset or 1, 1))
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
    frame = (inside or list(frames))[-1]
    return ModuleFailed(message, frame.filename, frame.lineno or 1, (frame.colno or 0) + 1)


def _said(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # an exception of an author's own
        return ""
