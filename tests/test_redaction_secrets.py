"""Secrets, taxpayers', cards' and telephones' numbers in the writings that programs give them."""

import base64
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn
from stdnum.br import cnpj, cpf

from stalwart_lang.redaction import default_redactor
from stalwart_lang.tracing import JsonLinesTracer

redact = default_redactor()
SECRET = "hunter2"
LETTERS = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY" * 3
HEX = "0123456789abcdef" * 4
LOGIN = base64.b64encode(b"ana:hunter2").decode()


def cpf_of(base: str) -> str:
    return base + str(cpf._calc_check_digits(base))


def card_of(start: str, length: int) -> str:
    base = (start + "0123456789" * 2)[: length - 1]
    return base + str(luhn.calc_check_digit(base))


CPF = cpf_of("529982247")
CNPJ = "HBOA48S8800D" + str(cnpj.calc_check_digits("HBOA48S8800D"))
VISA = card_of("4", 16)
KEYS = [
    f"{start}{rest}"
    for start, rest in (
        ("hf_", LETTERS[:34]),
        ("gsk_", LETTERS[:52]),
        ("SG.", f"{LETTERS[:22]}.{LETTERS[:43]}"),
        ("npm_", LETTERS[:36]),
        ("pypi-", LETTERS[:60]),
        ("xapp-", f"1-A0000000000-0000000000000-{HEX}"),
        ("xoxc-", "1234567890-abcdef"),
        ("whsec_", LETTERS[:32]),
        ("glpat-", LETTERS[:20]),
        ("ghp_", LETTERS[:36]),
        ("sk-ant-", LETTERS[:40]),
        ("AIza", LETTERS[:35]),
        ("ya29.", LETTERS[:40]),
        ("shpat_", HEX[:32]),
        ("dop_v1_", HEX),
        ("sk_live_", LETTERS[:24]),
        ("rk_test_", LETTERS[:24]),
        ("EAA", LETTERS[:60]),
        ("AKIA", "Q3EGR7XLPLE9Z2MT"),
        ("lsv2_pt_", f"{HEX[:32]}_{HEX[:10]}"),
        ("APP_USR-", f"1234567890-{HEX[:32]}"),
    )
]


@pytest.mark.parametrize("key", KEYS)
def test_a_vendors_key_is_found_by_its_beginning(key: str) -> None:
    assert redact(f"use {key}, ok") == "use [API_KEY], ok"
    assert redact(key[:8]) == key[:8]


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"Authorization: Basic {LOGIN}", "Authorization: Basic [API_KEY]"),
        (f"Basic {LOGIN}", "Basic [API_KEY]"),
        ("Authorization: Token hunter2", "Authorization: Token [API_KEY]"),
        ("Cookie: sid=hunter2; theme=dark", "Cookie: [API_KEY]"),
        ("PASSWORD='a b c'", "PASSWORD='[API_KEY]'"),
        ('senha = "um dois"', 'senha = "[API_KEY]"'),
        ("--password hunter2", "--password [API_KEY]"),
        ("mysql --db-password secreta -h x", "mysql --db-password [API_KEY] -h x"),
        ("password:\nhunter2", "password:\n[API_KEY]"),
        ("senha:\r\n  hunter2", "senha:\r\n  [API_KEY]"),
        ("segredo: hunter2222", "segredo: [API_KEY]"),
        ("DB_PASS=hunter2", "DB_PASS=[API_KEY]"),
        ("minha senha: 4821", "minha senha: [API_KEY]"),
        ('{"token": 12345}', '{"token": [API_KEY]}'),
        ('{"password":"correta"}', '{"password":"[API_KEY]"}'),
        (
            "https://hooks.slack.com/services/T0/B0/XXXX",
            "https://hooks.slack.com/services/[API_KEY]",
        ),
        (
            f"https://discord.com/api/webhooks/123456789012345678/{LETTERS[:40]}",
            "https://discord.com/api/webhooks/[API_KEY]",
        ),
        ("postgres://u:p@ss@h/db", "postgres://u:[API_KEY]@h/db"),
    ],
)
def test_a_secret_is_found_as_programs_write_it(text: str, redacted: str) -> None:
    assert redact(text) == redacted
    assert redact(redacted) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "use --password to log in",
        "a opção --senha é obrigatória",
        "Authorization: Basic auth",
        "Basic training",
        "tokens_in: 12, max_tokens=1024, token_count: 5",
        "senha:\n  type: string",
        "Password:\n1. Open the page",
        '"password": "required"',
        "first pass, bypass=12ab34",
        "passwords: 2026",
    ],
)
def test_what_only_speaks_of_secrets_is_left(text: str) -> None:
    assert redact(text) == text


VALUES: list[tuple[Any, Any]] = [
    (
        {"password": {"value": "x", "n": [1, {"a": "b"}]}},
        {"password": {"value": "[API_KEY]", "n": ["[API_KEY]", {"a": "[API_KEY]"}]}},
    ),
    ({"senha": ["a", "b"]}, {"senha": ["[API_KEY]", "[API_KEY]"]}),
    ({"token": 12345}, {"token": "[API_KEY]"}),
    ({"userPassword": SECRET}, {"userPassword": "[API_KEY]"}),
    (
        {"headers": [{"name": "Authorization", "value": SECRET}]},
        {"headers": [{"name": "Authorization", "value": "[API_KEY]"}]},
    ),
    (
        {"headers": [["Authorization", SECRET], ["Accept", "a"]]},
        {"headers": [["Authorization", "[API_KEY]"], ["Accept", "a"]]},
    ),
    (
        {"env": [{"nome": "DB_SENHA", "valor": SECRET}]},
        {"env": [{"nome": "DB_SENHA", "valor": "[API_KEY]"}]},
    ),
    ({"argv": ["mysql", "--password", SECRET]}, {"argv": ["mysql", "--password", "[API_KEY]"]}),
]


def test_everything_beneath_the_name_of_a_secret_is_secret() -> None:
    for value, redacted in VALUES:
        assert redact(value) == redacted
        assert redact(redacted) == redacted
    schema = {"password": {"type": "string", "default": SECRET}}
    assert redact(schema) == {"password": {"type": "string", "default": "[API_KEY]"}}


def test_counts_and_words_of_models_are_no_secrets() -> None:
    kept = {
        "tokens_in": 12,
        "max_tokens": 10**8,
        "token_count": 3,
        "next_page_token": "abc",
        "logprobs": [{"token": "Hel", "logprob": -0.5}],
        "required": ["password", "email"],
        "secrets": 3,
        "has_password": True,
    }
    assert redact(kept) == kept


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"CNPJ nº {CNPJ}", "CNPJ nº [CNPJ]"),
        (f"CNPJ/MF {CNPJ}", "CNPJ/MF [CNPJ]"),
        (f"C.N.P.J. {CNPJ.lower()}", "C.N.P.J. [CNPJ]"),
        (f"CNPJ (MF) sob o nº {CNPJ}", "CNPJ (MF) sob o nº [CNPJ]"),
        (f"{CPF}/2024", "[CPF]/2024"),
        (f"id{CPF}", "id[CPF]"),
        (f"cpf{CPF}", "cpf[CPF]"),
        (f"card{VISA}", "card[CARD]"),
        (f"cartao{VISA}", "cartao[CARD]"),
        ("/".join(VISA[at : at + 4] for at in (0, 4, 8, 12)), "[CARD]"),
        ("_".join(VISA[at : at + 4] for at in (0, 4, 8, 12)), "[CARD]"),
        (card_of("4", 13), "[CARD]"),
        ("98765-4321", "[PHONE]"),
        ("9 8765-4321", "[PHONE]"),
        ("fone: 987654321", "fone: [PHONE]"),
        ("tel 3333-4444", "tel [PHONE]"),
        ("celular_11987654321", "celular_[PHONE]"),
    ],
)
def test_a_number_is_found_in_other_writings(text: str, redacted: str) -> None:
    assert redact(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "call function_12345678901",
        "call_11987654321",
        "order 98765-4321",
        "Seattle, WA 98101-1234",
        "4006381333931",
        "2026-12-01T03:53:15.679021Z",
        "1700000000000",
        "192.168.0.1, v1.2.3.4",
        "550e8400-e29b-41d4-a716-446655440000",
        "a8aaf3b1e8673c86be0dd94c938286ce",
    ],
)
def test_what_is_like_a_number_of_these_is_left(text: str) -> None:
    assert redact(text) == text


MARKS = st.sampled_from([mark for mark in string.punctuation + " \n\t" if mark not in "[]%&\\"])
WRITINGS = ("{}{}{}{}", "{}.{}.{}-{}", "{} {} {} {}", "{}{}{}-{}", "{}{}{}/{}")


@given(
    st.text(string.digits, min_size=9, max_size=9).filter(lambda text: len(set(text)) > 1),
    st.sampled_from(WRITINGS),
    MARKS,
    MARKS,
)
def test_a_cpf_next_to_any_mark_is_found(base: str, writing: str, before: str, after: str) -> None:
    digits = cpf_of(base)
    written = writing.format(digits[:3], digits[3:6], digits[6:9], digits[9:])
    redacted = redact(before + written + after)
    assert isinstance(redacted, str)
    assert not set(redacted) & set(string.digits)
    assert redact(redacted) == redacted


@given(st.text(st.characters(whitelist_categories=("Ll", "Zs")), max_size=60))
def test_letters_alone_are_left(text: str) -> None:
    assert redact(text) == text


CUES = st.sampled_from(
    ["senha: ", "password='", "--password ", "Cookie: a=", "Basic ", '"token": ', "cnpj/mf "]
) | st.sampled_from(
    ["\n", "://a:", "@", "' ", '"', "tel ", "9 ", "98765-4321", "/2024", " ", "pass=", LOGIN]
)


@given(st.lists(CUES | st.text(max_size=5), max_size=10).map("".join))
def test_a_text_of_cues_redacted_twice_is_as_redacted_once(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@pytest.mark.parametrize(
    "unit", ["password='", "--password ", 'password":"', "Cookie: a=", "cnpj", "Basic ", "senha:\n"]
)
def test_a_hostile_text_of_cues_ends(unit: str) -> None:
    redacted = redact(unit * (100_000 // len(unit)))
    assert isinstance(redacted, str)
    assert len(redacted) < 300_000


@pytest.mark.parametrize("made", [list, lambda numbers: dict.fromkeys(numbers, 1)])
def test_many_small_numbers_are_left(made: Callable[[Any], object]) -> None:
    numbers = made(range(200_000))
    assert redact(numbers) == numbers


def test_a_trace_with_content_holds_none_of_it(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    content = {
        "said": [*KEYS, f"{CPF}/2024", f"CNPJ nº {CNPJ}", VISA],
        "given": [value for value, _ in VALUES],
    }
    traced = JsonLinesTracer(path, capture_content=True)
    with traced as tracer, tracer.span("turn", content={"input.value": content}):
        pass
    text = path.read_text("utf-8")
    assert not [key for key in [*KEYS, SECRET, VISA, CPF, CNPJ] if key in text]
    assert text.count("[API_KEY]") > len(KEYS)
