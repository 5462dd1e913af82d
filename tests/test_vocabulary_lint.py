"""Lint: what is allowed and would surprise."""

import pytest

from stalwart_lang.diagnostics import CATALOGUE, Diagnostic
from stalwart_lang.vocabulary.lint import CHECKS, lint
from stalwart_lang.vocabulary.load import load_text


def warnings(text: str) -> tuple[Diagnostic, ...]:
    loaded = load_text("vocabulary: v\n" + text, "v.yaml")
    assert loaded.vocabulary is not None, "\n".join(map(str, loaded.diagnostics))
    return lint(loaded.vocabulary)


def codes(text: str) -> list[str]:
    return [found.code for found in warnings(text)]


THINGS = (
    "things: {order: {en: [order], pt-BR: [pedido]}, client: {en: [client], pt-BR: [cliente]}}\n"
)
TOOLS = "tools: {a: {takes: {n: integer, to: e-mail, m: money}}, b: {}, c: {}}\n"


def rules(*lines: str) -> str:
    return TOOLS + "rules:\n" + "".join(f"  {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tools: {t: {say: {en: [go]}}, u: {say: {en: [stay]}}}", []),
        (THINGS + "tools: {t: {say: {en: [go]}}}", ["SV101"]),
        (THINGS + "tools: {t: {}}", []),
        (THINGS + "units: {kilo: {en: [kilo]}}", ["SV101"]),
        (THINGS + "values: {s: {open: {en: [open]}, late: {pt-BR: [atrasado]}}}", ["SV101"] * 2),
        (
            "things: {x: {en: [x]}}\ntools: {t: {takes: {a: x}, say: {en: [go], pt-BR: [ir]}}}",
            ["SV101", "SV101"],
        ),
    ],
)
def test_readable_in_one_language(text, found):
    assert codes(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("things: {x: {pt-BR: [avó]}, y: {pt-BR: [avô]}}", ["SV102"]),
        ("things: {x: {pt-BR: [avó, avô]}}", []),
        ("things: {x: {pt-BR: [avó]}, y: {en: [avô]}}", ["SV101", "SV101"]),
        ("things: {x: {en: [order]}, y: {en: [Order]}}", ["SV102"]),
        ("things: {x: {pt-BR: [Avo\u0301]}, y: {pt-BR: [avó]}}", ["SV102"]),
        ("things: {x: {pt-BR: [país]}}\nvalues: {l: {m: {pt-BR: [pais]}}}", ["SV102"]),
        ("values: {l: {m: {en: [open]}, n: {en: [open]}}}", ["SV102"]),
        ("values: {l: {m: {en: [open]}}, k: {m: {en: [open]}}}", []),
        ("values: {l: {m: {pt-BR: [em dívida]}}, k: {n: {pt-BR: [em divida]}}}", ["SV102"]),
        ("tools: {t: {say: {pt-BR: [pôr]}}, u: {say: {pt-BR: [por fora]}}}", ["SV102"]),
        ("tools: {t: {say: {en: [show order]}}, u: {say: {en: [show client]}}}", []),
        (
            "tools: {t: {takes: {a: {type: integer, words: {en: [limit]}}, "
            "b: {type: integer, words: {en: [limit]}}}, say: {en: [go]}}}",
            ["SV102"],
        ),
    ],
)
def test_words_alike(text, found):
    assert codes(text) == found


def test_words_alike_name_both_places():
    (found,) = warnings("things:\n  x: {pt-BR: [avó]}\n  y: {pt-BR: [avô]}\n")
    assert str(found.location) == "v.yaml:4:15"
    assert str(found.related[0].location) == "v.yaml:3:15"


@pytest.mark.parametrize(
    ("takes", "say", "found"),
    [
        ("{a: order, b: order}", "[merge]", ["SV103"]),
        ("{a: order, b: optional order}", "[merge]", ["SV103"]),
        ("{a: order, b: order}", '["merge {a} into {b}"]', []),
        ("{a: order, b: order}", '["merge into {b}"]', []),
        ("{a: order, b: order}", '["merge into {b}", merge]', ["SV103"]),
        ("{a: order, b: client}", "[merge]", []),
        ("{a: e-mail or cpf, b: cpf or cnpj}", "[merge]", ["SV103"]),
        ("{a: digits 4, b: digits 6}", "[merge]", []),
        ("{a: integer, b: {type: integer, words: {en: [limit]}}}", "[merge]", []),
        ("{a: order, b: order, c: order}", "[merge]", ["SV103", "SV103"]),
    ],
)
def test_arguments_alike(takes, say, found):
    things = THINGS.replace(", pt-BR: [pedido]", "").replace(", pt-BR: [cliente]", "")
    assert codes(f"{things}tools: {{t: {{takes: {takes}, say: {{en: {say}}}}}}}") == found


@pytest.mark.parametrize(
    ("tools", "found"),
    [
        ("{a: {undo: b}, b: {}}", []),
        ("{a: {undo: b}, b: {undo: c}, c: {}}", ["SV104"]),
        ("{a: {undo: b}, b: {undo: a}}", ["SV104", "SV104"]),
        ("{a: {undo: a}}", ["SV104"]),
        ("{a: {undo: b, takes: {n: integer}}, b: {takes: {n: integer}}}", []),
        ("{a: {undo: b, takes: {n: cpf}}, b: {takes: {n: optional cpf, m: optional money}}}", []),
        ("{a: {undo: b, takes: {n: integer}}, b: {takes: {n: integer, m: money}}}", ["SV105"]),
        ("{a: {undo: b, takes: {n: optional integer}}, b: {takes: {n: integer}}}", ["SV105"]),
        ("{a: {undo: b, takes: {n: integer}}, b: {takes: {n: money}}}", ["SV105"]),
        ("{a: {undo: b, takes: {n: cpf}}, b: {takes: {n: cpf or cnpj}}}", []),
    ],
)
def test_undo(tools, found):
    assert codes(f"tools: {tools}") == found


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["x: {tool: a, after: b}", "y: {tool: b, after: c}"], []),
        (["x: {tool: a, after: b}", "y: {tool: b, after: a}"], ["SV106"]),
        (["x: {tool: a, after: b}", "y: {tool: b, after: c}", "z: {tool: c, after: a}"], ["SV106"]),
        (["x: {tool: a, after: b}", "y: {tool: a, after: c}", "z: {tool: b, after: c}"], []),
        (["x: {tool: a, after: b}", "y: {tool: a, not_after: b}"], ["SV106"]),
        (["x: {tool: a, after: a}"], ["SV107"]),
        (["x: {tool: a, not_after: a}"], ["SV107"]),
        (["x: {tool: a, at_most: 0}"], ["SV107"]),
        (["x: {tool: a, at_most: 1}"], []),
        (["x: {tool: a, never: false}"], ["SV107"]),
        (["x: {tool: a, never: true, when: {n: {over: 2, under: 1}}}"], ["SV107"]),
        (["x: {tool: a, never: true, when: {n: {over: 1, under: 1}}}"], ["SV107"]),
        (["x: {tool: a, never: true, when: {n: {over: 1, under: 2}}}"], []),
        (["x: {tool: a, never: true, when: {n: {over: 5, one_of: [1, 2]}}}"], ["SV107"]),
        (["x: {tool: a, never: true, when: {n: {under: 1.5, one_of: [1, 2]}}}"], []),
        (["x: {tool: a, never: true, when: {n: {under: 1, one_of: [.nan, 2]}}}"], ["SV107"]),
        (["x: {tool: a, never: true, when: {n: {one_of: [yes, no]}}}"], ["SV107"]),
        (["x: {tool: a, never: true, when: {m: {one_of: [40.00 BRL]}}}"], []),
        (["x: {tool: a, never: true, when: {to: {over: 1}}}"], ["SV109"]),
        (["x: {tool: a, never: true, when: {n: {matches: '1.*'}}}"], ["SV109"]),
        (["x: {tool: a, never: true, when: {to: {matches: '.*@x'}, m: {over: 1}}}"], []),
    ],
)
def test_rules(lines, found):
    assert codes(rules(*lines)) == found


@pytest.mark.parametrize(
    ("lines", "shadowed"),
    [
        (["x: {tool: a, never: true}", "y: {tool: a, requires: f}"], ["y"]),
        (["x: {tool: a, requires: f}", "y: {tool: a, never: true}"], ["x"]),
        (["x: {tool: a, never: true}", "y: {tool: b, requires: f}"], []),
        (["x: {tool: a, requires: f}", "y: {tool: a, requires: f}"], ["y"]),
        (["x: {tool: a, requires: [f, g]}", "y: {tool: a, requires: f}"], ["y"]),
        (["x: {tool: a, requires: f}", "y: {tool: a, requires: g}"], []),
        (["x: {tool: a, requires: f, when: {n: {over: 1}}}", "y: {tool: a, requires: f}"], ["x"]),
        (
            [
                "x: {tool: a, never: true, when: {n: {over: 1}}}",
                "y: {tool: a, requires: f, when: {n: {over: 1}, m: {over: 2}}}",
            ],
            ["y"],
        ),
        (
            [
                "x: {tool: a, never: true, when: {n: {over: 1}}}",
                "y: {tool: a, requires: f, when: {n: {over: 2}}}",
            ],
            [],
        ),
        (["x: {tool: a, at_most: 2}", "y: {tool: a, at_most: 1}"], ["x"]),
        (["x: {tool: a, after: b}", "y: {tool: a, after: c}"], []),
    ],
)
def test_shadowed_rules(lines, shadowed):
    text = rules(*lines)
    found = [warning for warning in warnings(text) if warning.code == "SV108"]
    names = [text.split("\n")[w.location.line - 2].split(":")[0].strip() for w in found]
    assert names == shadowed


def test_all_are_warnings_in_the_order_of_the_file():
    found = warnings(
        rules("x: {tool: a, at_most: 0}") + "things: {x: {pt-BR: [avó]}, y: {pt-BR: [avô]}}\n"
    )
    assert [w.code for w in found] == ["SV107", "SV102"]
    assert {w.severity for w in found} == {"warning"}


def test_every_check_has_a_code_of_its_own_in_its_description():
    for check in CHECKS:
        assert check.__doc__ is not None
        assert check.__doc__[:5] in CATALOGUE


def test_thousands_of_undos_and_rules_are_looked_at():
    tools = "".join(
        f"  t{i}: {{takes: {{a: integer, b: money}}, undo: t{i + 1}, say: {{en: [go item{i}]}}}}\n"
        for i in range(3000)
    )
    order = "".join(f"  r{i}: {{tool: t{i}, after: t{i + 1}}}\n" for i in range(3000))
    same = "".join(f"  s{i}: {{tool: t0, requires: f{i}}}\n" for i in range(2000))
    text = f"vocabulary: v\ntools:\n{tools}  t3000: {{}}\nrules:\n{order}{same}"
    loaded = load_text(text, "v.yaml")
    assert loaded.vocabulary is not None
    assert {found.code for found in lint(loaded.vocabulary)} == {"SV104"}
