"""The agent's tools: real files, in one folder and nowhere else."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from stalwart_lang.tracing import traced_tool

Tools: TypeAlias = Mapping[str, Callable[..., str]]


def workspace_tools(workspace: Path, *, helpful_errors: bool) -> Tools:
    """Return the tools that work in `workspace`; paths are relative to it, text is UTF-8.

    Their errors are the system's (OSError), PermissionError for a path that leads out. With
    `helpful_errors`, the error of a file that is not there says which are, and what to do.
    """
    root = workspace.resolve()

    def inside(path: str) -> Path:
        found = (root / path).resolve()
        if not found.is_relative_to(root):
            raise PermissionError(f"{path} fica fora da pasta de trabalho.")
        return found

    def names(folder: Path) -> list[str]:
        return sorted(file.name for file in folder.iterdir())

    @traced_tool
    def list_files(dir: str) -> str:
        return "\n".join(names(inside(dir)))

    @traced_tool
    def read_file(path: str) -> str:
        file = inside(path)
        try:
            return file.read_text("utf-8")
        except FileNotFoundError:
            if not helpful_errors or not file.parent.is_dir():
                raise
            raise FileNotFoundError(
                f"{path} não existe. Nessa pasta há: {', '.join(names(file.parent))}. "
                "Leia de novo com um desses nomes, letra por letra. Se o que falta não é nenhum "
                "deles, pare e pergunte por ele; não preencha valores."
            ) from None

    @traced_tool
    def write_file(path: str, content: str) -> str:
        file = inside(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, "utf-8", newline="\n")
        return f"{path}: {len(content)} caracteres gravados."

    return {"list_files": list_files, "read_file": read_file, "write_file": write_file}
