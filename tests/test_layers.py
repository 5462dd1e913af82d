"""A module imports only from its own layer and from those before it."""

import ast
from pathlib import Path

import stalwart_lang

PACKAGE = Path(stalwart_lang.__file__).parent
LAYERS = (
    "words",
    "vocabulary",
    "check",
    "redaction",
    "tracing",
    "selector",
    "otel",
    "timeline",
    "cli",
)
"""In the order of a turn's way; modules that are in none of them serve all."""


def imported(tree: ast.AST) -> set[str]:
    """The modules that a module imports when it runs; what only types need does not count."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        else:
            found |= imported(node)
    return found


def layer(parts: tuple[str, ...]) -> int:
    return LAYERS.index(parts[0]) if parts[0] in LAYERS else -1


def test_every_module_imports_only_what_stands_before_it() -> None:
    wrong = []
    for file in sorted(PACKAGE.rglob("*.py")):
        its = layer(file.relative_to(PACKAGE).with_suffix("").parts)
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for module in imported(tree):
            parts = tuple(module.split("."))
            if its >= 0 and parts[0] == "stalwart_lang" and layer(parts[1:] or ("",)) > its:
                wrong.append(f"{file.name} imports {module}")
    assert wrong == []
