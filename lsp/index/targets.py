"""The files that a document names: what it includes, and an agent's vocabulary."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from stalwart_lang.lsp.documents import path_of, uri_of
from stalwart_lang.vocabulary.locate import SHIPPED, vocabulary_file
from stalwart_lang.vocabulary.yaml12 import Mapping, Node, Scalar, Sequence


def target_of(uri: str, name: str, container: str) -> str | None:
    """The URI of a file that a document names at the key `container`; None where there is none."""
    if not name or "\0" in name:
        return None
    if container == "vocabulary" and vocabulary_file(name) != name:
        return shipped_uri(name)
    path = path_of(uri)
    return None if path is None else uri_of(Path(path).parent / name)


def targets_in(uri: str, root: Node | None) -> Iterator[str]:
    """The files that a vocabulary includes, or the vocabulary of an agent."""
    if not isinstance(root, Mapping):
        return
    of_agent = any(key.text == "agents" for key, _ in root.entries)
    container = "vocabulary" if of_agent else "include"
    for key, value in root.entries:
        if key.text == container:
            for node in value.items if isinstance(value, Sequence) else (value,):
                target = target_of(uri, node.text, container) if isinstance(node, Scalar) else None
                if target is not None and target != uri:
                    yield target


def is_shipped(uri: str) -> bool:
    """Whether a file is one of the vocabularies that come with the package."""
    path, folder = path_of(uri), _shipped_folder()
    return path is not None and folder is not None and Path(path).parent == folder


def shipped_uri(name: str) -> str | None:
    """The file of a vocabulary that comes with the package, by its name."""
    folder = _shipped_folder()
    return None if folder is None else uri_of(folder / f"{name}.yaml")


@cache
def _shipped_folder() -> Path | None:
    from importlib.resources import files

    folder = files(SHIPPED.replace("/", "."))
    return folder if isinstance(folder, Path) else None
