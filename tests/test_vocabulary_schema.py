"""The JSON Schema, and that it and the loader say the same."""

import json
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from test_vocabulary_load import SHOP

from stalwart_lang.diagnostics import Findings
from stalwart_lang.vocabulary.load import load_text
from stalwart_lang.vocabulary.schema import json_schema, schema_text
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.yaml12 import compose, plain_value

VOCABULARIES = Path(__file__).parent.parent / "vocabularies"
STRUCTURAL = {f"SV{number:03}" for number in range(20, 28)} | {"SV045", "SV060", "SV061"}
"""Codes for what a schema can see."""


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(json_schema())


def plain(text: str) -> Any:
    node = compose(Source("f", text), Findings())
    assert node is not None
    return plain_value(node)


def test_the_file_is_the_one_that_is_generated():
    committed = (VOCABULARIES / "schema.json").read_text(encoding="utf-8")
    assert committed == schema_text(), "run python -m stalwart_lang.vocabulary.schema"


def test_it_is_a_schema():
    Draft202012Validator.check_schema(json_schema())


def test_every_key_is_described():
    def walk(schema: Any) -> None:
        for name, inner in schema.get("properties", {}).items():
            assert inner["description"].endswith("."), name
            walk(inner)
        for key in ("items", "additionalProperties"):
            if isinstance(schema.get(key), dict):
                walk(schema[key])
        for inner in schema.get("anyOf", []):
            walk(inner)

    walk(json_schema())


@pytest.mark.parametrize("file", sorted(VOCABULARIES.glob("*.yaml")), ids=lambda file: file.stem)
def test_shipped_vocabularies_are_valid(file):
    assert list(validator().iter_errors(plain(file.read_text(encoding="utf-8")))) == []


def test_a_vocabulary_with_everything_in_it_is_valid():
    assert list(validator().iter_errors(plain(SHOP))) == []


@pytest.mark.parametrize(
    ("what", "fault"),
    [
        ("vocabulary: shop\n", ""),
        ("vocabulary: shop", "vocabulary: my shop"),
        ("writes: true", "writes: yes"),
        ("say: {en: [charge]", "says: {en: [charge]"),
        ("en: [charge]", "en: []"),
        ("en: [charge]", "en: [12]"),
        ("en: [charge]", "fr: [charge]"),
        ("language: pt-BR", "language: pt"),
        ("currency: {en: USD", "currency: {en: US"),
        ("America/Sao_Paulo", "Sao Paulo"),
        ("at_most: 1", "at_most: -1"),
        ("tool: charge_card", "tools: charge_card"),
        ("unread: negation", "unread: negated"),
        ("ambiguous: true", "ambiguous: true\n    unread: any"),
        ("charge_card: {order_id", "charge-card: {order_id"),
        ("type: optional integer", "typ: optional integer"),
    ],
)
def test_a_broken_one_is_not(what, fault):
    assert what in SHOP
    assert list(validator().iter_errors(plain(SHOP.replace(what, fault, 1))))


SCALARS = st.sampled_from(
    [None, True, False, 0, -1, 12, Decimal("1.5"), "order", "a b", "money", "USD", "en", "any", ""]
)
NAMES = (
    "vocabulary settings things values tools rules turns include units say takes writes undo type "
    "words ask tool never requires when over one_of matches after at_most plan unread incomplete "
    "ambiguous now en pt-BR language currency timezone x a-b"
)


@st.composite
def changed(draw: st.DrawFn) -> Any:
    """The vocabulary with some of its values replaced, removed or joined by others."""
    whole = plain(SHOP)
    for _ in range(draw(st.integers(1, 3))):
        inner: Any = whole
        while True:
            if not isinstance(inner, dict | list) or not inner:
                break
            keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
            key = draw(st.sampled_from(keys))
            if isinstance(inner[key], dict | list) and inner[key] and draw(st.booleans()):
                inner = inner[key]
                continue
            act = draw(st.sampled_from(["set", "remove", "add", "wrap"]))
            if act == "remove":
                del inner[key]
            elif act == "wrap":
                inner[key] = [inner[key]]
            elif act == "add" and isinstance(inner, dict):
                inner[draw(st.sampled_from(NAMES.split()))] = draw(SCALARS)
            else:
                inner[key] = draw(SCALARS | st.just({}) | st.just([]))
            break
    return whole


@given(changed())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_loader_and_the_schema_find_the_same_files_sound(whole):
    text = json.dumps(whole, ensure_ascii=False, default=float)
    found = {diagnostic.code for diagnostic in load_text(text, "f.yaml").diagnostics}
    if validator().is_valid(plain(text)):
        # A schema cannot see that a name is taken, nor whether a time zone exists.
        assert not found & (STRUCTURAL - {"SV025", "SV061"})
    else:
        assert found & STRUCTURAL
