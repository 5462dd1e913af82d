"""Lint on the compiled vocabulary: tools that can read the same turn, and the turn to show it."""

import re
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import assume, event, given
from hypothesis import strategies as st

from stalwart_lang import Language, Selector, Vocabulary
from stalwart_lang.cli.vocabulary import vocabulary as command
from stalwart_lang.diagnostics import Diagnostic
from stalwart_lang.selector.overlap import overlaps
from stalwart_lang.selector.store import compile_vocabulary
from stalwart_lang.vocabulary.load import load_text

PAGES = Path(__file__).parent.parent / "docs" / "diagnostics"
NOW = "2026-11-30T09:00:00-03:00"
BOTH = re.compile(r"`(?P<one>\w+)` and `(?P<other>\w+)` both read `(?P<turn>.+)`")
PART = re.compile(
    r"`(?P<one>\w+)` reads `(?P<turn>.+)`, and so does `(?P<other>\w+)` with (?P<lacks>.+) left out"
)
WORDS = """
things:
  order: {en: [order], pt-BR: [pedido]}
  client: {en: [client], pt-BR: [cliente]}
values:
  status: {open: {en: [open], pt-BR: [aberto]}, late: {en: [late], pt-BR: [atrasado]}}
  phase: {begun: {en: [open], pt-BR: [aberto]}, over: {en: [closed], pt-BR: [fechado]}}
  colour: {red: {en: [red], pt-BR: [vermelho]}}
"""


def vocabulary(text: str) -> Vocabulary:
    loaded = load_text("vocabulary: v\n" + text, "v.yaml")
    assert loaded.vocabulary is not None, "\n".join(map(str, loaded.diagnostics))
    return loaded.vocabulary


def shown(finding: Diagnostic) -> tuple[frozenset[str], str]:
    """The two tools and the turn of a message."""
    match = (BOTH if finding.code == "SV110" else PART).fullmatch(finding.message)
    assert match is not None, finding.message
    return frozenset((match["one"], match["other"])), match["turn"]


def readers(selector: Selector, turn: str, language: Language) -> set[str]:
    """The tools that an ambiguous turn may be read as; none where the turn is not ambiguous."""
    plan = selector.plan(turn, language=language, now=NOW)
    return {call.tool for reading in plan.readings for call in reading}


def found(tools: str, language: Language = "en") -> list[tuple[str, str]]:
    """Code and turn of each finding, every one tried on the selector."""
    made = vocabulary(WORDS + tools)
    selector = Selector(made)
    result = []
    for finding in overlaps(made):
        pair, turn = shown(finding)
        assert pair <= readers(selector, turn, language), finding.message
        result.append((finding.code, turn))
    return result


def two(one: str, other: str) -> str:
    return f"tools:\n  one: {one}\n  two: {other}\n"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        # One phrase, one set of arguments.
        (
            "{takes: {o: order}, say: {en: [refund]}}",
            "{takes: {o: order}, say: {en: [refund]}}",
            [("SV110", "refund order 1")],
        ),
        # What one may take as well changes nothing.
        (
            "{takes: {o: order}, say: {en: [refund]}}",
            "{takes: {o: order, m: optional money}, say: {en: [refund]}}",
            [("SV110", "refund order 1")],
        ),
        # Only a longer turn is complete for both.
        (
            "{takes: {o: order, m: optional money}, say: {en: [refund]}}",
            "{takes: {o: order, m: money}, say: {en: [refund]}}",
            [("SV110", "refund order 1 $1")],
        ),
        (
            "{takes: {o: order, m: optional money, d: date}, say: {en: [refund]}}",
            "{takes: {o: order, m: money, d: optional date}, say: {en: [refund]}}",
            [("SV110", "refund order 1 $1 today")],
        ),
        # An argument is left out.
        (
            "{takes: {o: order}, say: {en: [refund]}}",
            "{takes: {o: order, m: money}, say: {en: [refund]}}",
            [("SV111", "refund order 1")],
        ),
        ("{say: {en: [report]}}", "{takes: {d: date}, say: {en: [report]}}", [("SV111", "report")]),
        # Another thing, another noun, another list, another preposition: no overlap.
        (
            "{takes: {o: order}, say: {en: [show]}}",
            "{takes: {c: client}, say: {en: [show]}}",
            [],
        ),
        (
            "{takes: {o: order}, say: {en: [update the crm]}}",
            "{takes: {o: order}, say: {en: [update the price]}}",
            [],
        ),
        (
            "{takes: {s: status}, say: {en: [list orders]}}",
            "{takes: {c: colour}, say: {en: [list orders]}}",
            [],
        ),
        (
            "{takes: {o: order, e: e-mail}, say: {en: [send]}}",
            "{takes: {o: order, d: date}, say: {en: [send]}}",
            [],
        ),
        # Two lists share a word.
        (
            "{takes: {s: status}, say: {en: [list orders]}}",
            "{takes: {p: phase}, say: {en: [list orders]}}",
            [("SV110", "list open orders")],
        ),
        # Types share values: a decimal is an amount, a CPF may be a telephone number.
        (
            "{takes: {d: decimal}, say: {en: [weigh]}}",
            "{takes: {m: money}, say: {en: [weigh]}}",
            [("SV110", "weigh 1.50")],
        ),
        (
            "{takes: {k: cpf}, say: {en: [pay]}}",
            "{takes: {k: telephone or e-mail}, say: {en: [pay]}}",
            [("SV110", "pay 12125550075")],
        ),
        # Words that introduce: the same, and not.
        (
            "{takes: {n: {type: integer, words: {en: [limit]}}}, say: {en: [list orders]}}",
            "{takes: {m: {type: integer, words: {en: [limit]}}}, say: {en: [list orders]}}",
            [("SV110", "list 2 orders")],
        ),
        (
            "{takes: {a: order, b: order}, say: {en: ['merge {a} into {b}']}}",
            "{takes: {a: order, b: order}, say: {en: ['merge {a} with {b}']}}",
            [],
        ),
        (
            "{takes: {a: order, b: order}, say: {en: ['merge {a} into {b}']}}",
            "{takes: {x: order, y: order}, say: {en: ['merge {x} into {y}']}}",
            [("SV110", "merge order 1 into order 2")],
        ),
        # Some of many phrases.
        (
            "{takes: {o: order}, say: {en: [cancel, drop, undo]}}",
            "{takes: {o: order}, say: {en: [refund, drop, cancel]}}",
            [("SV110", "drop order 1")],
        ),
    ],
)
def test_two_tools(one, other, expected):
    assert found(two(one, other)) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        # Forms of two verbs: cobre is of cobrir and of cobrar.
        (
            "{takes: {o: order}, say: {pt-BR: [cobrir]}}",
            "{takes: {o: order, m: money}, say: {pt-BR: [cobrar]}}",
            [("SV111", "cobre pedido 1")],
        ),
        (
            "{takes: {o: order}, say: {pt-BR: [cobrir]}}",
            "{takes: {o: order}, say: {pt-BR: [cobrar]}}",
            [("SV110", "cobre pedido 1")],
        ),
        (
            "{takes: {o: order}, say: {pt-BR: [cobrir o frete]}}",
            "{takes: {o: order}, say: {pt-BR: [cobrar a taxa]}}",
            [],
        ),
        (
            "{takes: {o: order}, say: {pt-BR: [cancelar]}}",
            "{takes: {o: order}, say: {pt-BR: [reembolsar]}}",
            [],
        ),
        (
            "{takes: {s: status}, say: {pt-BR: [listar os pedidos]}}",
            "{takes: {p: phase}, say: {pt-BR: [listar os pedidos]}}",
            [("SV110", "liste pedidos aberto")],
        ),
    ],
)
def test_two_tools_in_portuguese(one, other, expected):
    assert found(two(one, other), "pt-BR") == expected


def test_the_case_of_cobrir_and_cobrar():
    made = vocabulary(
        WORDS
        + two(
            "{takes: {o: order}, say: {pt-BR: [cobrir]}}",
            "{takes: {o: order, amount: money}, say: {pt-BR: [cobrar]}}",
        )
    )
    selector = Selector(made)
    (finding,) = overlaps(made)
    assert finding.message == (
        "`one` reads `cobre pedido 1`, and so does `two` with `amount` left out"
    )
    assert finding.fix
    assert readers(selector, "cobre o pedido 5", "pt-BR") == {"one", "two"}
    assert selector.plan("cubra o pedido 5", language="pt-BR").calls[0].tool == "one"
    assert selector.plan("cobra o pedido 5 em 40,00", language="pt-BR").calls[0].tool == "two"


def test_finding_points_at_both_phrases():
    text = (
        "vocabulary: v\nthings: {order: {en: [order]}}\ntools:\n"
        "  one: {takes: {o: order}, say: {en: [cancel, refund]}}\n"
        "  two: {takes: {o: order}, say: {en: [refund]}}\n"
    )
    loaded = load_text(text, "v.yaml")
    assert loaded.vocabulary is not None
    (finding,) = overlaps(loaded.vocabulary)
    assert (finding.severity, finding.location.line) == ("warning", 5)
    assert [related.location.line for related in finding.related] == [4]
    lines = text.splitlines()
    for place in (finding.location, finding.related[0].location):
        assert lines[place.line - 1][place.column - 1 : place.end_column - 1] == "refund"


def test_one_finding_for_two_tools_and_a_language():
    say = "say: {en: [refund, drop], pt-BR: [reembolsar, anular]}"
    made = vocabulary(
        WORDS + two(f"{{takes: {{o: order}}, {say}}}", f"{{takes: {{o: order}}, {say}}}")
    )
    assert sorted(shown(finding)[1] for finding in overlaps(made)) == [
        "anule pedido 1",
        "drop order 1",
    ]


def test_every_two_of_three_tools():
    tools = "".join(f"  {name}: {{takes: {{o: order}}, say: {{en: [refund]}}}}\n" for name in "abc")
    made = vocabulary(WORDS + "tools:\n" + tools)
    assert {shown(finding)[0] for finding in overlaps(made)} == {
        frozenset(pair) for pair in combinations("abc", 2)
    }


def test_compiled_lexicons_may_be_given():
    made = vocabulary(WORDS + two("{say: {en: [report]}}", "{say: {en: [report]}}"))
    assert overlaps(made, compile_vocabulary(made).lexicons) == overlaps(made) != ()


@pytest.mark.parametrize("name", ["shop", "pix", "agenda"])
def test_ready_vocabularies_have_none(name):
    assert overlaps(Vocabulary.load(name)) == ()


@pytest.mark.parametrize("code", ["SV110", "SV111"])
def test_page_is_true(code):
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    example, fixed = re.findall(r"^```yaml.*\n((?:.*\n)*?)```$", page, re.MULTILINE)
    for text, codes in ((example, [code]), (fixed, [])):
        loaded = load_text(text, "shop.yaml")
        assert loaded.vocabulary is not None
        assert [finding.code for finding in overlaps(loaded.vocabulary)] == codes


def test_command_prints_it(tmp_path):
    file = tmp_path / "v.yaml"
    file.write_text(
        "vocabulary: v\n"
        + "things: {order: {en: [order]}}\n"
        + two("{say: {en: [report]}}", "{say: {en: [report]}}")
    )
    result = CliRunner().invoke(command, ["check", str(file)])
    assert result.exit_code == 0
    assert "warning[SV110]: `one` and `two` both read `report`" in result.output
    assert "1 warning" in result.output


# ------------------------------------------------------------------ many frames


def many(count: int, verb: str, noun: str, takes: str) -> str:
    """Tools, ten phrases each; `{n}` in what is given is the number of the phrase or tool."""
    tools = ["tools:"]
    for start in range(0, count, 10):
        phrases = ", ".join(
            f"{verb.format(n=letters(n % 97))} {noun.format(n=letters(n))}".strip()
            for n in range(start, start + 10)
        )
        tools.append(
            f"  t{start}: {{takes: {takes.format(n=letters(start))}, say: {{en: [{phrases}]}}}}"
        )
    return "\n".join(tools)


def letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


@pytest.mark.parametrize(
    ("verb", "noun", "findings"),
    [
        ("v{n}", "z{n}", 0),
        ("update", "z{n}", 0),  # all in one verb
        ("v{n}", "", 200),  # the same verbs for many tools: as many as are reported
    ],
)
def test_ten_thousand_phrases_are_compared(verb, noun, findings):
    made = vocabulary(WORDS + many(10_000, verb, noun, "{{o: order, m: optional money}}"))
    lexicons = compile_vocabulary(made).lexicons
    assert len(overlaps(made, lexicons)) == findings


def test_many_lists_under_one_verb_are_not_compared_all_with_all():
    count = 2_000
    lists = "".join(f"  l{n}: {{m: {{en: [w{letters(n)}]}}}}\n" for n in range(count))
    tools = "".join(
        f"  t{n}: {{takes: {{o: order, s: l{n}}}, say: {{en: [mark]}}}}\n" for n in range(count)
    )
    made = vocabulary(
        f"things: {{order: {{en: [order]}}}}\nvalues:\n{lists}tools:\n{tools}",
    )
    lexicons = compile_vocabulary(made).lexicons
    assert overlaps(made, lexicons) == ()  # all with all would take minutes


# ------------------------------------------------------------------ random vocabularies

VERBS = {
    "en": ("refund", "list", "mark"),
    "pt-BR": ("cobrar", "cobrir", "listar"),
}
NOUNS = {
    "en": ("", "", "the report", "the orders", "the fee"),
    "pt-BR": ("", "", "o relatório", "os pedidos", "a taxa"),
}
LABELLED = "{{type: {type}, words: {{en: [limit], pt-BR: [limite]}}}}"
ARGUMENTS = {
    "order": "order",
    "client": "client",
    "status": "status",
    "phase": "phase",
    "colour": "colour",
    "money": "money",
    "decimal": "decimal",
    "integer": "integer",
    "limit": "integer",
    "date": "date",
    "time": "time",
    "month": "month",
    "email": "e-mail",
    "key": "e-mail or telephone",
    "text": "quoted text",
    "share": "percentage",
}
"""Arguments by name, with their types; `limit` has a word that introduces it."""
SAID = {
    "en": {
        "order": ("order 7", "for order 7"),
        "client": ("client 8", "of client 8"),
        "status": ("open", "late"),
        "phase": ("open", "closed"),
        "colour": ("red",),
        "money": ("40.00", "$40", "amount 40"),
        "decimal": ("2.50", "3.5"),
        "integer": ("for 12", "of 12"),
        "limit": ("limit 6", "limit of 6"),
        "date": ("tomorrow", "on 2027-03-04"),
        "time": ("at 10:30", "at 6pm"),
        "month": ("for March", "in June"),
        "email": ("to ana@example.com", "ana@example.com"),
        "key": ("to ana@example.com", "+12125551234"),
        "text": ('"ready"', 'saying "ready"'),
        "share": ("10%", "by 10%"),
    },
    "pt-BR": {
        "order": ("o pedido 7", "do pedido 7"),
        "client": ("o cliente 8", "do cliente 8"),
        "status": ("abertos", "atrasado"),
        "phase": ("aberto", "fechado"),
        "colour": ("vermelho",),
        "money": ("40,00", "R$ 40", "no valor de 40"),
        "decimal": ("2,50", "3,5"),
        "integer": ("de 12",),
        "limit": ("limite 6", "limite de 6"),
        "date": ("amanhã", "para 04/03/2027"),
        "time": ("às 10:30", "às 18h"),
        "month": ("de março", "em junho"),
        "email": ("para ana@example.com", "ana@example.com"),
        "key": ("para ana@example.com", "+12125551234"),
        "text": ('"pronto"', 'dizendo "pronto"'),
        "share": ("10%",),
    },
}
FORMS = {
    "refund": ("refund", "could you refund"),
    "list": ("list", "would you mind listing"),
    "mark": ("mark", "please mark"),
    "cobrar": ("cobre", "cobra", "cobrar", "quero que cobre"),
    "cobrir": ("cobre", "cubra", "cobrir"),
    "listar": ("liste", "lista", "pode listar"),
}


@dataclass(frozen=True)
class Tool:
    """A tool of one phrase; `takes` maps its arguments to whether they are required."""

    name: str
    verb: str
    noun: str
    takes: dict[str, bool]

    def yaml(self, language: Language) -> str:
        takes = []
        for name, required in self.takes.items():
            type_ = ("" if required else "optional ") + ARGUMENTS[name]
            takes.append(
                f"{name}: {LABELLED.format(type=type_)}" if name == "limit" else f"{name}: {type_}"
            )
        phrase = f"{self.verb} {self.noun}".strip()
        return (
            f"  {self.name}: {{takes: {{{', '.join(takes)}}}, say: {{{language}: [{phrase}]}}}}\n"
        )


@st.composite
def tool_lists(draw: st.DrawFn, language: Language) -> list[Tool]:
    # Few of everything, so that many tools are alike.
    verbs = draw(st.lists(st.sampled_from(VERBS[language]), min_size=1, max_size=2, unique=True))
    nouns = draw(st.lists(st.sampled_from(NOUNS[language]), min_size=1, max_size=2))
    names = draw(st.lists(st.sampled_from([*ARGUMENTS]), min_size=1, max_size=4, unique=True))
    some = st.dictionaries(st.sampled_from(names), st.booleans(), max_size=3)
    return [
        Tool(f"t{n}", draw(st.sampled_from(verbs)), draw(st.sampled_from(nouns)), draw(some))
        for n in range(draw(st.integers(2, 4)))
    ]


def random_vocabulary(tools: list[Tool], language: Language) -> Vocabulary:
    text = WORDS + "tools:\n" + "".join(tool.yaml(language) for tool in tools)
    loaded = load_text("vocabulary: v\n" + text, "v.yaml")
    assume(loaded.vocabulary is not None)
    assert loaded.vocabulary is not None
    return loaded.vocabulary


LANGUAGES = st.sampled_from(["en", "pt-BR"])


@given(st.data(), LANGUAGES)
def test_turn_shown_is_ambiguous_between_the_two_tools(data, language):
    tools = data.draw(tool_lists(language))
    made = random_vocabulary(tools, language)
    findings = [shown(finding) for finding in overlaps(made, compile_vocabulary(made).lexicons)]
    event(f"{len(findings)} findings")
    pairs = {pair for pair, _ in findings}
    assert len(pairs) == len(findings)
    assume(findings)
    selector = Selector(made)
    for pair, turn in findings:
        plan = selector.plan(turn, language=language, now=NOW)
        calls = {call.tool: call for reading in plan.readings for call in reading}
        assert plan.verdict == "ambiguous"
        assert pair <= calls.keys(), turn
        whole = {
            tool.name
            for tool in tools
            if tool.name in calls
            and all(name in calls[tool.name].arguments for name, must in tool.takes.items() if must)
        }
        assert pair & whole, turn
        # Where a third tool reads the turn too, it is found to overlap as well.
        for other in combinations(calls, 2):
            assert frozenset(other) in pairs or whole.isdisjoint(other), turn


@given(st.data(), LANGUAGES)
def test_no_turn_is_ambiguous_where_none_is_found(data, language):
    tools = data.draw(tool_lists(language))
    made = random_vocabulary(tools, language)
    findings = overlaps(made, compile_vocabulary(made).lexicons)
    overlapping = {tool for finding in findings for tool in shown(finding)[0]}
    alone = [tool for tool in tools if tool.name not in overlapping]
    assume(alone)
    selector = Selector(made)
    for _ in range(4):
        tool = data.draw(st.sampled_from(alone))
        said = [
            data.draw(st.sampled_from(SAID[language][name]))
            for name, required in tool.takes.items()
            if required or data.draw(st.booleans())
        ]
        form = data.draw(st.sampled_from(FORMS[tool.verb]))
        turn = " ".join([form, *data.draw(st.permutations([tool.noun, *said]))])
        plan = selector.plan(turn, language=language, now=NOW)
        event(plan.verdict)
        assert plan.verdict != "ambiguous", turn
