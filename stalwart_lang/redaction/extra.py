"""The libraries of the extra `redact`, imported at first use: a program that traces no content
should not pay for them."""

from functools import cache
from importlib import import_module
from types import ModuleType

INSTALL = "pip install 'stalwart-lang[redact]'"


def need() -> None:
    """Import all of them.

    Raises `ImportError`, naming the extra, where one is missing.
    """
    for load in (cpf, cnpj, luhn, phonenumbers):
        load()


def cpf() -> ModuleType:
    """Return `stdnum.br.cpf`."""
    return _load("stdnum.br.cpf", "python-stdnum")


def cnpj() -> ModuleType:
    """Return `stdnum.br.cnpj`."""
    return _load("stdnum.br.cnpj", "python-stdnum")


def luhn() -> ModuleType:
    """Return `stdnum.luhn`."""
    return _load("stdnum.luhn", "python-stdnum")


def phonenumbers() -> ModuleType:
    """Return `phonenumbers`."""
    return _load("phonenumbers", "phonenumbers")


@cache
def _load(module: str, package: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"Finding personal data needs {package}: {INSTALL}", name=error.name
        ) from error
