"""The distribution as a person gets it: built, installed in a new environment, and used."""

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Distribution:
    sdist: frozenset[str]
    """Names in the sdist, without its top folder."""
    wheel: frozenset[str]
    bin: Path
    """The commands of a new environment that the wheel is installed in."""


def run(*command: str | Path, **options) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        command, check=False, capture_output=True, encoding="utf-8", env=environment, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def distribution(tmp_path_factory) -> Distribution:
    folder = tmp_path_factory.mktemp("distribution")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    environment = folder / "environment"
    run(sys.executable, "-m", "venv", environment)
    run(environment / "bin/pip", "install", "-q", "--disable-pip-version-check", wheel)
    with tarfile.open(sdist) as archive:
        names = {str(PurePosixPath(*Path(name).parts[1:])) for name in archive.getnames()}
    with zipfile.ZipFile(wheel) as archive:
        return Distribution(frozenset(names), frozenset(archive.namelist()), environment / "bin")


@pytest.mark.parametrize(
    ("turn", "language", "currency"),
    [
        ("charge order 4411 40.00", "en", "USD"),
        ("cobre o pedido 4411 no valor de 40,00", "pt-BR", "BRL"),
    ],
)
def test_the_installed_command_reads_a_turn(distribution, tmp_path, turn, language, currency):
    command = (distribution.bin / "stalwart", "plan", "shop", turn, "--language", language)
    made = json.loads(run(*command, "--json", cwd=tmp_path))
    assert [(call["tool"], call["arguments"]) for call in made["calls"]] == [
        ("charge_card", {"order_id": 4411, "amount": {"value": "40.00", "currency": currency}})
    ]


def test_the_installed_package_is_typed_and_complete(distribution):
    data = {"grammars": "*.lark", "vocabularies": "*.yaml", "docs/diagnostics": "SV*.md"}
    for folder, pattern in data.items():
        files = {file.name for file in (ROOT / folder).glob(pattern)}
        assert files
        assert {f"stalwart_lang/{folder}/{name}" for name in files} <= distribution.wheel
        assert {f"{folder}/{name}" for name in files} <= distribution.sdist
    modules = {str(file.relative_to(ROOT)) for file in (ROOT / "stalwart_lang").rglob("*.py")}
    assert modules | {"stalwart_lang/py.typed"} <= distribution.wheel
    assert {"LICENSE", "README.md", "pyproject.toml"} <= distribution.sdist


def test_nothing_else_is_installed(distribution):
    tops = {name.partition("/")[0] for name in distribution.wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"stalwart_lang"}


def test_the_installed_command_knows_its_version(distribution, tmp_path):
    (name,) = {name.partition("/")[0] for name in distribution.wheel if ".dist-info/" in name}
    version = name.removeprefix("stalwart_lang-").removesuffix(".dist-info")
    shown = run(distribution.bin / "stalwart", "--version", cwd=tmp_path)
    assert shown == f"stalwart, version {version}\n"
