"""YAML 1.2 scalars, positions, and files made to hurt."""

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stalwart_lang.diagnostics import Diagnostic, Findings, TooMany
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.yaml12 import (
    MAX_ALIASED,
    MAX_DEPTH,
    Mapping,
    Node,
    Scalar,
    Sequence,
    compose,
    plain_value,
    resolve,
)


def parse(text: str) -> tuple[Node | None, list[Diagnostic]]:
    findings = Findings()
    return compose(Source("f.yaml", text), findings), findings.items


def value(text: str) -> object:
    node, found = parse(text)
    assert node is not None, found
    assert not found
    return plain_value(node)


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in parse(text)[1]]


def place(text: str) -> tuple[int, int, int, int]:
    (found,) = parse(text)[1]
    where = found.location
    return where.line, where.column, where.end_line, where.end_column


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("true", True),
        ("True", True),
        ("TRUE", True),
        ("false", False),
        ("FALSE", False),
        ("null", None),
        ("Null", None),
        ("~", None),
        ("", None),
        ("0", 0),
        ("-0", 0),
        ("+12", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("40.00", Decimal("40.00")),
        (".5", Decimal("0.5")),
        ("5.", Decimal("5")),
        ("1e3", Decimal("1000")),
        ("-1.5E-2", Decimal("-0.015")),
        (".inf", Decimal("inf")),
        ("-.INF", Decimal("-inf")),
    ],
)
def test_core_schema(text, meant):
    found = resolve(text)
    assert found == meant
    assert type(found) is type(meant)


@pytest.mark.parametrize(
    "text",
    [
        *("no", "No", "NO", "yes", "on", "off", "y", "n", "tRue", "nUll", "none"),
        *("12:30", "190:20:30", "1_000", "012", "-012", "007.5", "0b11", "0O17", "0x", "0xg"),
        *("2027-03-01", "2027-03-01T09:00:00Z", "1.2.3", "1e", "e3", ".", "-", "+", "--1"),
        *(".nan.", "inf", "١٢", "１２", "=", "<<", "1,000.00", "12e", "1e9999999"),
    ],
)
def test_everything_else_is_text(text):
    assert resolve(text) == text


def test_not_a_number_is_one_in_yaml():
    found = resolve(".nan")
    assert isinstance(found, Decimal)
    assert found.is_nan()


def test_a_number_of_ten_thousand_digits_is_text():
    assert resolve("9" * 10_000) == "9" * 10_000


def test_keys_are_text_and_quoted_scalars_too():
    text = "no: 'true'\non: \"12\"\ny: [no, off, 12:30, 012, 1_000]\n1: yes\n"
    assert value(text) == {
        "no": "true",
        "on": "12",
        "y": ["no", "off", "12:30", "012", "1_000"],
        "1": "yes",
    }


def test_block_scalars_and_folding():
    assert value("a: |\n  x\n  y\nb: >\n  x\n  y\n") == {"a": "x\ny\n", "b": "x y\n"}


@given(st.text(st.sampled_from("0123456789+-._eExonabtrufls:~"), max_size=12))
def test_resolving_gives_text_back_or_a_value_of_the_core_schema(text):
    found = resolve(text)
    if isinstance(found, str):
        assert found == text
    elif isinstance(found, int) and not isinstance(found, bool):
        assert int(text, 0 if text[:2] in {"0x", "0o"} else 10) == found
    elif isinstance(found, Decimal) and found.is_finite():
        assert Decimal(text) == found


@given(st.text(st.sampled_from("aé\u00a0😀# "), max_size=20), st.sampled_from(["\n", "\r\n", "\r"]))
def test_positions_are_those_of_the_text(comment, newline):
    text = f"# {comment}{newline}é: x{newline}k: [a, 'b\u2028c', d]{newline}"
    source = Source("f.yaml", text)
    node = compose(source, Findings())
    assert isinstance(node, Mapping)
    key, items = node.entries[1]
    assert isinstance(items, Sequence)
    last = items.items[2]
    assert text[key.start : key.end] == "k"
    assert text[last.start : last.end] == "d"
    assert str(source.location(last.start, last.end)) == "f.yaml:3:15"


def test_line_separators_of_unicode_are_no_lines():
    source = Source("f.yaml", "a: 'x\u2028y\u0085z'\nb: c\n")
    node = compose(source, Findings())
    assert isinstance(node, Mapping)
    key = node.entries[1][0]
    assert source.location(key.start, key.end).line == 2


def test_location_over_several_lines():
    source = Source("f.yaml", "ab\r\ncd\ref\n")
    where = source.location(1, 8)
    assert (where.line, where.column, where.end_line, where.end_column) == (1, 2, 3, 2)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "SV011"),
        ("# only this\n", "SV011"),
        ("a: [b", "SV004"),
        ("a: 'b", "SV004"),
        ("a:\n\tb: c\n", "SV004"),
        ("a: b: c", "SV004"),
        ("%", "SV008"),
        ("%YAML 1.1\n---\na: b\n", "SV008"),
        ("a: \x00", "SV005"),
        ("a: \x1b[31m", "SV005"),
        ("a: \x7f", "SV005"),
        ("a: b\ufeff", "SV005"),
        ("a: \ud800", "SV005"),
        ("a: b\n---\nc: d\n", "SV006"),
        ("a: b\n...\n---\nc: d\n", "SV006"),
        ("a: 1\na: 2\n", "SV007"),
        ("{a: 1, 'a': 2}", "SV007"),
        ("{&x a: 1, *x : 2}", "SV007"),
        ("a: !!str 1", "SV008"),
        ("a: !thing [x]", "SV008"),
        ("!<tag:yaml.org,2002:str> a: b", "SV008"),
        ("a: &x !t b", "SV008"),
        ("a: *b", "SV009"),
        ("&a [*a]", "SV009"),
        ("&a [*a,*a]", "SV009"),
        ("a: &x {b: {c: *x}}", "SV009"),
        ("? [a]\n: b\n", "SV020"),
    ],
)
def test_each_fault_has_its_code(text, code):
    assert codes(text) == [code]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a: 1\nbc: 2\nbc: 3\n", (3, 1, 3, 3)),
        ("a: 1\r\nb: !!str 1\r\n", (2, 4, 2, 9)),
        ("a: 1\rb: &x !t c\r", (2, 7, 2, 9)),
        ("a: *nobody\n", (1, 4, 1, 11)),
        ("é: é\x00", (1, 5, 1, 6)),
        ("a: b\n---\nc: d", (2, 1, 2, 4)),
        ("a: 1\n%TAG ! x\n", (2, 1, 2, 9)),
        ("😀: 'x'\nb: [😀, }", (2, 8, 2, 9)),
    ],
)
def test_each_fault_has_its_place(text, where):
    assert place(text) == where


def test_all_duplicates_are_reported_and_the_first_is_kept():
    node, found = parse("a: 1\na: 2\nb: {c: 1, c: 2}\na: 3\n")
    assert node is not None
    assert plain_value(node) == {"a": 1, "b": {"c": 1}}
    assert [str(d.location) for d in found] == ["f.yaml:3:11", "f.yaml:2:1", "f.yaml:4:1"]
    assert [str(d.related[0].location) for d in found] == [
        "f.yaml:3:5",
        "f.yaml:1:1",
        "f.yaml:1:1",
    ]


def test_an_alias_stands_for_its_anchor():
    assert value("a: &x [1, 2]\nb: *x\nc: [*x, *x]\n") == {
        "a": [1, 2],
        "b": [1, 2],
        "c": [[1, 2], [1, 2]],
    }


def test_aliases_that_explode_are_refused_at_once():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    assert codes("\n".join(lines)) == ["SV009"]


def test_aliases_count_as_if_written_out():
    many = "&a [" + "x, " * 999 + "]"
    fits = MAX_ALIASED // 1000
    assert codes(f"[{many}" + ", *a" * fits + "]") == []
    assert codes(f"[{many}" + ", *a" * (fits + 1) + "]") == ["SV009"]


def test_depth_is_bounded():
    assert codes("[" * MAX_DEPTH + "]" * MAX_DEPTH) == []
    assert codes("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)) == ["SV010"]


@pytest.mark.parametrize(
    "piece", ["[", "{", "- ", "? ", "{a: ", "[a: ", "a:\n", "[],", "{a,", "&a ", "!", "%TAG !a x\n"]
)
def test_a_megabyte_of_one_piece_ends_in_time(piece):
    text = piece * (1_000_000 // len(piece))
    findings = Findings()
    try:
        compose(Source("f.yaml", text), findings)
    except TooMany:
        assert findings.items[-1].code == "SV012"
    assert findings.items


@given(st.text(max_size=200))
@example("a: &b\n*b : c")
@example("--- \n--- \n")
@example("? &a : *a")
def test_no_text_raises(text):
    node, found = parse(text)
    assert node is not None or found
    if node is not None:
        plain_value(node)


@given(st.text(st.sampled_from("ab:-?[]{}&*!|>'\"%#, \n\t\r~\\x0"), max_size=60))
def test_no_arrangement_of_signs_raises(text):
    node, found = parse(text)
    assert node is not None or found
    for diagnostic in found:
        assert diagnostic.location.column >= 1


def test_scalars_know_whether_they_were_quoted():
    node, _ = parse("[a, 'b', \"c\"]")
    assert isinstance(node, Sequence)
    plain = [item.plain for item in node.items if isinstance(item, Scalar)]
    assert plain == [True, False, False]
