"""CPF, CNPJ, telephone numbers and codes of digits, as people type them."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stalwart_lang.selector.values.identifiers import (
    longest_code,
    read_cnpj,
    read_cpf,
    read_digits,
    read_telephone,
)
from stalwart_lang.words.text import tokenize


def words(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize(
    "text", ["529.982.247-25", "52998224725", "529 982 247 25", " 529.982.247‑25 "]
)
def test_a_cpf_in_every_dress(text):
    assert read_cpf(text) == "52998224725"


@pytest.mark.parametrize(
    "text",
    [
        "529.982.247-26",
        "111.111.111-11",
        "000.000.000-00",
        "5299822472",
        "529982247250",
        "529.982.247=25",
        "529.982.247-2a",
        "٥٢٩98224725",
        "",
    ],
)
def test_what_is_no_cpf(text):
    assert read_cpf(text) is None


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("16.727.230/0001-97", "16727230000197"),
        ("16727230000197", "16727230000197"),
        ("12.ABC.345/01DE-35", "12ABC34501DE35"),
        ("12abc34501de35", "12ABC34501DE35"),
    ],
)
def test_a_cnpj_with_and_without_letters(text, bare):
    assert read_cnpj(text) == bare


@pytest.mark.parametrize(
    "text",
    ["16.727.230/0001-98", "12.ABC.345/01DE-36", "00.000.000/0000-00", "1672723000019", "12ABC345"],
)
def test_what_is_no_cnpj(text):
    assert read_cnpj(text) is None


@pytest.mark.parametrize(
    ("text", "region", "number"),
    [
        ("(11) 98765-4321", "BR", "+5511987654321"),
        ("11987654321", "BR", "+5511987654321"),
        ("011 98765-4321", "BR", "+5511987654321"),
        ("+55 11 98765-4321", "US", "+5511987654321"),
        ("+ 55 ( 11 ) 98765-4321", "BR", "+5511987654321"),
        ("(650) 253-0000", "US", "+16502530000"),
        ("+1 650 253 0000", "BR", "+16502530000"),
    ],
)
def test_telephone_numbers(text, region, number):
    assert read_telephone(text, region) == number


@pytest.mark.parametrize(
    "text",
    ["98765-4321", "4411", "+", "", "11 98765-4321 4411", "1-800-FLOWERS", "11 ９8765-4321", "+55"],
)
def test_what_is_no_telephone_number(text):
    assert read_telephone(text, "BR") is None


@pytest.mark.parametrize(
    ("text", "length", "digits"),
    [
        ("012345", 6, "012345"),
        ("012 345", 6, "012345"),
        ("01.23-45", 6, "012345"),
        ("12/34", None, "1234"),
        ("012345", 5, None),
        ("-12", None, None),
        ("12.", None, None),
        ("12a", None, None),
        ("٤٤١١", None, None),
        ("", None, None),
    ],
)
def test_codes_of_digits(text, length, digits):
    assert read_digits(text, length) == digits


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("123.456.789-09", "123.456.789-09"),
        ("123.456.789-09, e cobre", "123.456.789-09"),
        ("12 345 678 do cliente", "12 345 678"),
        ("+ 55 ( 11 ) 98765-4321 e cobre", "+ 55 ( 11 ) 98765-4321"),
        ("+55 (11) 98765-4321.", "+ 55 ( 11 ) 98765-4321"),
        ("(11) 98765 - 4321", "( 11 ) 98765 - 4321"),
        ("12.ABC.345/01DE-35 e", "12 . abc . 345/01de - 35"),
        ("12abc34501de35", "12abc34501de 35"),
        ("ab.cde.345/01de-35", "ab . cde . 345/01de - 35"),
        ("52998224725 e 40", "52998224725"),
        ("4411. 5", "4411"),
        ("4411, 5", "4411"),
        ("4411 - refund", "4411"),
        ("(see 4411)", ""),
        ("+", ""),
        ("- 5", ""),
        ("order", ""),
        ("3pm", ""),
    ],
)
def test_the_longest_code(text, code):
    tokens = tokenize(text.lower())
    assert " ".join(tokens[: longest_code(tokens, 0)]) == code


@given(st.lists(st.sampled_from(words("12 0 4411 98765-4321 + ( ) - . / , abc 01de e"))))
def test_a_code_ends_within_the_tokens(tokens):
    for at in range(len(tokens)):
        assert at <= longest_code(tokens, at) <= len(tokens)


def test_a_code_has_a_greatest_length():
    tokens = ["12"] * 1000
    assert longest_code(tokens, 0) < 50


@given(st.text())
def test_any_text_is_read_without_an_error(text):
    results = [read_cpf(text), read_cnpj(text), read_telephone(text, "BR"), read_digits(text)]
    assert all(result is None or result.isascii() for result in results)


@pytest.mark.parametrize(
    ("reader", "text", "module", "package"),
    [
        (read_cpf, "529.982.247-25", "stdnum.br", "python-stdnum"),
        (read_cnpj, "16.727.230/0001-97", "stdnum.br", "python-stdnum"),
        (read_telephone, "(11) 98765-4321", "phonenumbers", "phonenumbers"),
    ],
)
def test_without_the_extra_the_error_says_what_to_install(
    monkeypatch, reader, text, module, package
):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"{package}.*stalwart-lang\[values\]"):
        reader(text)
