"""Personal data is found in whatever it is typed, and nothing else is; values keep their shape."""

import json
import random
import re
import string
import subprocess
import sys
import textwrap
from collections import OrderedDict
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

import phonenumbers
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stdnum import luhn
from stdnum.br import cnpj, cpf

from stalwart_lang.redaction import KINDS, Found, Kind, Redactor, default_redactor

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parent / "redaction.jsonl").read_text("utf-8").splitlines()
]
"""`text`, its `kinds` in their order and the `values` to be found, and the `set` it was written
for: `first`, before there were patterns, or `blind`, to see what those written for it miss. Values
that look like keys have a character escaped, so that no scanner for secrets takes them for real."""

redact = default_redactor()


def found(text: str) -> list[tuple[str, str]]:
    return [(each.kind, text[each.start : each.end]) for each in redact.find(text)]


def kinds(text: str) -> list[str]:
    return [each.kind for each in redact.find(text)]


@pytest.mark.parametrize(
    "row", [row for row in CORPUS if row["kinds"]], ids=lambda row: row["text"]
)
def test_what_is_personal_is_found_whole(row: dict[str, Any]) -> None:
    assert found(row["text"]) == list(zip(row["kinds"], row["values"], strict=True))


@pytest.mark.parametrize(
    "text", [row["text"] for row in CORPUS if not row["kinds"]], ids=lambda text: text
)
def test_what_looks_like_it_is_left(text: str) -> None:
    assert found(text) == []
    assert redact(text) == text


def test_the_corpus_has_enough_of_everything() -> None:
    for part, personal, others in (("first", 150, 200), ("blind", 60, 60)):
        rows = [row for row in CORPUS if row["set"] == part]
        assert sum(bool(row["kinds"]) for row in rows) >= personal
        assert sum(not row["kinds"] for row in rows) >= others
        assert {kind for row in rows for kind in row["kinds"]} == set(KINDS)


def test_placeholders_stand_in_the_text() -> None:
    assert redact("fale com ana@x.com") == "fale com [EMAIL]"
    text = "Ana, CPF 529.982.247-25, (11) 9 8765-4321, api_key=9f8e7d6c5b4a39281706"
    assert redact(text) == "Ana, CPF [CPF], [PHONE], api_key=[API_KEY]"
    assert redact.find("a@x.io b") == (Found("email", 0, 6),)


# Numbers made by their own rules, as people type them.

DIGITS = st.text(string.digits, min_size=9, max_size=9)
WORDS = st.sampled_from(
    ["", "pago por ", "cliente: ", "seen as (", "\n- ", "a, b; ", "é ", "“", "x=", "→ "]
)
AFTER = st.sampled_from(["", ".", ", ok", ") e", "\n", " foi", "; b", "”", "!", "\t|"])
BLANKS = st.sampled_from(["\u200b", "\ufeff", "\u2060"])


def fullwidth(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if char.isdigit() else char for char in text)


def percent(text: str) -> str:
    return "".join(f"%{ord(char):02X}" if not char.isalnum() else char for char in text)


WRITTEN = st.sampled_from(
    [
        str,
        fullwidth,
        lambda text: text.replace(".", "\u2024").replace("-", "\u2011"),
        lambda text: text.replace(" ", "\u00a0"),
        lambda text: "\u200b".join(text),
        lambda text: text.replace("-", "\\u002d").replace("/", "\\/"),
        lambda text: text.replace(".", "&#46;").replace("@", "&#64;"),
    ]
)


@st.composite
def cpfs(draw: st.DrawFn) -> str:
    base = draw(DIGITS.filter(lambda digits: len(set(digits)) > 1))
    number = base + cpf._calc_check_digits(base)
    shape = draw(
        st.sampled_from(["{}{}{}{}", "{}.{}.{}-{}", "{} {} {} {}", "{}{}{}-{}", "{}-{}-{}-{}"])
    )
    return shape.format(number[:3], number[3:6], number[6:9], number[9:])


@st.composite
def cnpjs(draw: st.DrawFn) -> str:
    letters = draw(st.booleans())
    base = draw(
        st.text(
            string.digits + string.ascii_uppercase if letters else string.digits,
            min_size=12,
            max_size=12,
        )
    )
    number = base + cnpj.calc_check_digits(base)
    shapes = ["{}.{}.{}/{}-{}"] if letters else ["{}.{}.{}/{}-{}", "{} {} {} {} {}", "{}{}{}/{}-{}"]
    parts = number[:2], number[2:5], number[5:8], number[8:12], number[12:]
    return draw(st.sampled_from(shapes)).format(*parts)


@st.composite
def cards(draw: st.DrawFn) -> str:
    start, length = draw(
        st.sampled_from([("4", 16), ("51", 16), ("2221", 16), ("34", 15), ("37", 15), ("36", 14)])
    )
    size = length - 1 - len(start)
    base = start + draw(st.text(string.digits, min_size=size, max_size=size))
    number = base + luhn.calc_check_digit(base)
    mark = draw(st.sampled_from(["", " ", "-"]))
    cuts = (4, 8, 12) if length == 16 else (4, 10)
    parts = [number[a:b] for a, b in zip((0, *cuts), (*cuts, None), strict=True)]
    return mark.join(parts)


@st.composite
def brazilian(draw: st.DrawFn) -> str:
    area = draw(st.sampled_from(["11", "21", "31", "41", "51", "61", "71", "81", "85", "92"]))
    mobile = draw(st.booleans())
    first = ("9" + draw(st.sampled_from("6789"))) if mobile else draw(st.sampled_from("23"))
    rest = draw(st.text(string.digits, min_size=10 - len(area) - 1, max_size=7))
    number = first + rest
    a, b = number[:-4], number[-4:]
    shapes = ["({0}) {1}-{2}", "({0}){1}-{2}", "({0}) {1} {2}", "+55 {0} {1}-{2}", "+55{0}{1}{2}"]
    shapes += ["0{0} {1}-{2}", "0xx{0} {1}-{2}", "(0{0}) {1}-{2}", "{0} {1}-{2}", "{0}-{1}-{2}"]
    shapes += ["tel {0}{1}{2}", "+55 ({0}) {1}.{2}", "telefone: {0} {1}{2}"]
    if mobile:
        shapes += ["({0}) {1[0]} {3}-{2}", "({0}) {1[0]}.{3}.{2}", "{0} {1[0]} {3} {2}"]
    return draw(st.sampled_from(shapes)).format(area, a, b, a[1:])


EVERY_REGION = sorted(
    phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    for region in phonenumbers.SUPPORTED_REGIONS
    for kind in (phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberType.FIXED_LINE)
    if (number := phonenumbers.example_number_for_type(region, kind))
)


@given(cpfs(), WORDS, AFTER, WRITTEN)
def test_every_cpf_is_found(number: str, before: str, after: str, written: Any) -> None:
    typed = written(number)
    text = before + typed + after
    assert redact(text) in (f"{before}[CPF]{after}", f"{before}[PHONE]{after}")


@given(cnpjs(), WORDS, AFTER, WRITTEN)
def test_every_cnpj_is_found(number: str, before: str, after: str, written: Any) -> None:
    if len(set(number) & set(string.digits)) > 1:
        assert redact(before + written(number) + after) == f"{before}[CNPJ]{after}"


@given(cards(), WORDS, AFTER, WRITTEN)
def test_every_card_is_found(number: str, before: str, after: str, written: Any) -> None:
    redacted = redact(before + written(number) + after)
    assert redacted in (f"{before}[CARD]{after}", f"{before}[CNPJ]{after}")


@given(brazilian(), WORDS, AFTER, WRITTEN)
def test_every_brazilian_telephone_number_is_found(
    number: str, before: str, after: str, written: Any
) -> None:
    redacted = redact(before + written(number) + after)
    assert isinstance(redacted, str)
    assert not re.search(r"[0-9]", redacted)
    assert re.search(r"\[(?:PHONE|CPF)\]", redacted)


@pytest.mark.parametrize("number", EVERY_REGION)
def test_a_telephone_number_of_every_country_is_found_after_a_plus(number: str) -> None:
    assert redact(f"({number})") == "([PHONE])"
    assert redact(re.sub(r"[ -]", "", number)) == "[PHONE]"


@given(
    st.from_regex(
        r"[a-z0-9çãé][a-z0-9._+çãé-]{0,20}[a-z0-9]@([a-zé0-9-]{1,12}\.){1,3}[a-z]{2,6}",
        fullmatch=True,
    ),
    WRITTEN,
)
def test_every_e_mail_is_found(address: str, written: Any) -> None:
    typed = written(address)
    assert redact(f"para {typed}, sim") == "para [EMAIL], sim"
    assert redact(f"u?e={percent(address)}&b=1") == "u?e=[EMAIL]&b=1"


@given(cpfs(), st.integers(1, 9))
def test_a_cpf_with_a_wrong_check_digit_is_none(number: str, more: int) -> None:
    wrong = number[:-1] + str((int(number[-1]) + more) % 10)
    assert "cpf" not in kinds(f"CPF {wrong}")


@given(cnpjs(), st.integers(1, 9))
def test_a_cnpj_with_a_wrong_check_digit_is_none(number: str, more: int) -> None:
    wrong = number[:-1] + str((int(number[-1]) + more) % 10)
    assert "cnpj" not in kinds(f"CNPJ {wrong}")


@given(cards(), st.integers(1, 9))
def test_a_card_with_a_wrong_check_digit_is_none(number: str, more: int) -> None:
    wrong = number[:-1] + str((int(number[-1]) + more) % 10)
    assert "card" not in kinds(f"cartão {wrong}")


@pytest.mark.parametrize("digit", string.digits)
def test_one_digit_repeated_is_nobodys(digit: str) -> None:
    for length in (11, 14, 16):
        assert kinds(f"cpf, cnpj ou cartão {digit * length}") == []


def test_other_numbers_are_found_about_as_often_as_check_digits_fit_by_chance() -> None:
    numbers = random.Random(7)

    def share(length: int, before: str = "") -> float:
        texts = (before + "".join(numbers.choices(string.digits, k=length)) for _ in range(1500))
        return sum(bool(redact.find(text)) for text in texts) / 1500

    assert share(10) == 0
    assert share(12) == 0
    assert share(11) < 0.02
    assert share(14) < 0.02
    assert share(10, "pedido ") == 0
    assert share(16) < 0.06


def test_a_number_without_its_area_needs_a_word() -> None:
    assert redact("tel. 98765-4321, fixo 3456 7890") == "tel. [PHONE], fixo [PHONE]"
    assert redact("98765-4321") == "[PHONE]"
    kept = "zip 98765-4321; liga em 2024-2025; called on 20251130; saldo +35236450.6"
    assert redact(kept) == kept


def test_uuids_and_hashes_hold_nothing() -> None:
    numbers = random.Random(11)

    def of(characters: str, *lengths: int) -> str:
        return "-".join("".join(numbers.choices(characters, k=length)) for length in lengths)

    for _ in range(400):
        assert kinds(of("0123456789abcdef", 8, 4, 4, 4, 12)) == []
        assert kinds(of(string.digits, 8, 4, 4, 4, 12)) == []
        assert kinds(of("0123456789abcdef", 64)) == []
        assert kinds(of("0123456789ABCDEF", 40)) == []


# Values.

LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), cpfs(), cards(), brazilian()
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | cpfs() | st.integers(), inner),
    max_leaves=20,
)


def shape(value: object) -> object:
    if isinstance(value, Mapping):
        return [shape(item) for item in value.values()]
    if isinstance(value, list | tuple):
        return [shape(item) for item in value]
    return "leaf"


@settings(max_examples=200)
@given(VALUES)
def test_redaction_keeps_shapes_and_is_idempotent(value: Any) -> None:
    before = repr(value)
    once = redact(value)
    assert shape(once) == shape(value)
    assert repr(redact(once)) == repr(once)
    assert repr(value) == before


FRAGMENTS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        ["tel ", "cpf ", "senha: ", "token=", "cartão ", "@", ".com", "+55 ", "(11) ", "-"]
    ),
    st.sampled_from(
        ["%40", "\\n", "\u200b", "&#64;", "4111 1111 1111 1111", "ana@x.com", "pedido "]
    ),
    st.text(string.digits, max_size=5),
    cpfs(),
    brazilian(),
)


@settings(max_examples=300)
@given(st.lists(FRAGMENTS, max_size=12).map("".join))
def test_redacting_a_text_again_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@settings(max_examples=300)
@given(st.lists(FRAGMENTS, max_size=12).map("".join))
def test_what_is_found_is_in_order_and_within_the_text(text: str) -> None:
    ends = [0]
    for each in redact.find(text):
        assert each.kind in KINDS
        assert ends[-1] <= each.start < each.end <= len(text)
        ends.append(each.end)


def test_a_number_is_redacted_under_the_rules_of_texts() -> None:
    assert redact({"cpf": 52998224725}) == {"cpf": "[CPF]"}
    assert redact({"a": [52998224725.0, Decimal(4111111111111111)]}) == {"a": ["[CPF]", "[CARD]"]}
    assert redact({"cpf": 7056148913, "cnpj": 6204942000178}) == {"cpf": "[CPF]", "cnpj": "[CNPJ]"}
    assert redact({"telefone": 11987654321}) == {"telefone": "[PHONE]"}
    assert redact({"contactPhone": {"value": 1134567890}}) == {"contactPhone": {"value": "[PHONE]"}}
    kept = {"order_id": 11987654321, "phone_order_id": 1134567890, "n": 40, "at": 1764500000.25}
    assert redact(kept) == kept
    kept_too = [True, None, 1e300, 2**70, -5, Decimal("1.5")]
    assert redact(kept_too) == kept_too
    odd = redact([float("inf"), float("nan"), Decimal("NaN"), Decimal("Infinity"), Decimal("sNaN")])
    assert repr(odd) == "[inf, nan, Decimal('NaN'), Decimal('Infinity'), Decimal('sNaN')]"


def test_what_stands_under_the_name_of_a_secret_is_secret() -> None:
    value = {"password": "correct horse", "senha": 1234, "api_key": "", "clientSecret": None}
    assert redact(value) == {
        "password": "[API_KEY]",
        "senha": "[API_KEY]",
        "api_key": "",
        "clientSecret": None,
    }
    schema = {"password": {"type": "string", "minLength": 8}, "max_tokens": 4096}
    assert redact(schema) == schema
    assert redact({"Authorization": "Basic YW5hOnNlbmhh"}) == {"Authorization": "[API_KEY]"}
    assert Redactor(kinds=["email"])({"password": "a@x.io b"}) == {"password": "[EMAIL] b"}


def test_keys_are_redacted_and_no_entry_is_lost() -> None:
    assert redact({"ana@x.io": 1, "bia@x.io": 2, "[EMAIL]": 3, 52998224725: 4}) == {
        "[EMAIL]": 1,
        "[EMAIL] (2)": 2,
        "[EMAIL] (3)": 3,
        "[CPF]": 4,
    }


def test_containers_that_cannot_change_are_read() -> None:
    frozen = MappingProxyType({"a": ("ana@x.io", frozenset({"bia@x.io"}))})
    assert redact(frozen) == {"a": ("[EMAIL]", frozenset({"[EMAIL]"}))}
    assert redact(OrderedDict(a="a@x.io")) == {"a": "[EMAIL]"}
    assert redact({"raw": b"ana@x.io"}) == {"raw": b"ana@x.io"}
    assert frozen["a"][0] == "ana@x.io"


def test_a_value_that_holds_itself_ends() -> None:
    loop: list[object] = ["ana@x.io"]
    loop.append(loop)
    assert "[TOO_DEEP]" in repr(redact(loop))
    assert "ana@x.io" not in repr(redact(loop))


# An author's own.


def test_an_authors_own_kinds() -> None:
    own = Redactor(extra=[Kind("badge", r"ACME-\d{6}"), Kind("mrn", r"\bMRN\d+\b")])
    assert own("ACME-123456 and MRN9, ana@x.io") == "[BADGE] and [MRN], [EMAIL]"
    assert own({"ACME-123456": 5}) == {"[BADGE]": 5}
    assert own(own("ACME-123456")) == "[BADGE]"
    assert Redactor(kinds=(), extra=[Kind("n", r"\d+")])({"a": 17, "b": 1.5}) == {
        "a": "[N]",
        "b": 1.5,
    }
    letters = Redactor(extra=[Kind("shout", "[A-Z]{3,}")])
    assert letters(letters("OLHA: ana@x.io")) == "[SHOUT]: [EMAIL]"


def test_parts_that_overlap_are_redacted_whole() -> None:
    own = Redactor(extra=[Kind("three", r"\d{3}")])
    assert own("CPF 529.982.247-25") == "CPF [CPF]"
    assert Redactor(extra=[Kind("id", "CPF 529")])("CPF 529.982.247-25!") == "[CPF]!"


@pytest.mark.parametrize(
    ("name", "pattern", "says"),
    [
        ("badge", "ACME-(", r"pattern of the kind 'badge' is no regular expression: .* position 5"),
        ("badge", "x*", "matches the empty text"),
        ("Badge no", "x", "lower-case letters"),
        ("cpf", "x", "known already"),
    ],
)
def test_a_kind_that_cannot_be_says_why(name: str, pattern: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Kind(name, pattern)


def test_kinds_and_regions() -> None:
    only = Redactor(kinds=("cpf",))
    assert only("529.982.247-25, ana@x.io") == "[CPF], ana@x.io"
    with pytest.raises(ValueError, match="No kind 'rg' is known; there are email, phone"):
        Redactor(kinds=("cpf", "rg"))
    with pytest.raises(ValueError, match="region 'XX'"):
        Redactor(region="XX")
    text = "telemóvel 912 345 678"
    assert redact(text) == text
    assert Redactor(region="PT")(text) == "telemóvel [PHONE]"
    assert default_redactor() is redact


# Hostile texts. That they end is what is tested here; how long they take is in benchmarks/.

HOSTILE = [
    "a.",
    "1 ",
    "@",
    "1.",
    "[{(",
    "+55 ",
    "eyJ",
    "%25",
    "\\",
    "token=",
    "a@b.c",
    "://a:",
    "00 1 ",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hostile_text_ends(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert redact(redact(text)) == redact(text)


# What it costs to have it.


def test_importing_it_does_not_import_the_libraries() -> None:
    code = (
        "import sys, stalwart_lang.redaction as r; "
        "assert not {'phonenumbers', 'stdnum', 'stalwart_lang.tracing'} & set(sys.modules); "
        "assert r.default_redactor()('tel +55 11 98765-4321') == 'tel [PHONE]'; "
        "assert 'phonenumbers' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("package", ["stdnum", "phonenumbers"])
def test_without_the_extra_it_says_what_to_install(tmp_path: Path, package: str) -> None:
    (tmp_path / f"{package}.py").write_text("raise ModuleNotFoundError(name=__name__)")
    code = textwrap.dedent(
        """
        from stalwart_lang.redaction import Redactor, default_redactor
        assert Redactor(kinds=["email"])("ana@x.io") == "[EMAIL]"
        try:
            default_redactor()
        except ImportError as error:
            print(error)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(tmp_path)},
    )
    assert "pip install 'stalwart-lang[redact]'" in done.stdout
