"""Lint on the compiled vocabulary: phrases and words that can never be read, and the turn."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from stalwart_lang import Language, Selector, Vocabulary
from stalwart_lang.cli.vocabulary import vocabulary as command
from stalwart_lang.diagnostics import Diagnostic
from stalwart_lang.selector.store import compile_vocabulary
from stalwart_lang.selector.unreadable import unreadable
from stalwart_lang.vocabulary.load import load_text

PAGES = Path(__file__).parent.parent / "docs" / "diagnostics"
STUDENT = "things: {student: {en: [student], pt-BR: [aluno]}}\n"
TURN = re.compile(r"`(?P<turn>[^`]+)` is (?P<verdict>unread\. (?P<reason>.+)|read as .+)$")


def vocabulary(text: str) -> Vocabulary:
    loaded = load_text("vocabulary: v\n" + text, "v.yaml")
    assert loaded.vocabulary is not None, "\n".join(map(str, loaded.diagnostics))
    return loaded.vocabulary


def marked(text: str, finding: Diagnostic) -> str:
    """What the finding's location covers."""
    place = finding.location
    line = ("vocabulary: v\n" + text).splitlines()[place.line - 1]
    return line[place.column - 1 : place.end_column - 1]


def found(text: str, language: Language = "en") -> list[tuple[str, str]]:
    """What is marked and the turn of each finding, every one tried on the selector."""
    made = vocabulary(text)
    selector = Selector(made)
    result = []
    for finding in unreadable(made):
        assert (finding.code, finding.severity) == ("SV112", "warning")
        assert finding.fix
        match = TURN.search(finding.message)
        assert match is not None, finding.message
        plan = selector.plan(match["turn"], language=language)
        if match["reason"]:
            assert plan.verdict == "unread"
            assert plan.reasons[0].message == match["reason"]
        else:
            assert plan.verdict != "unread"
        result.append((marked(text, finding), match["turn"]))
    return result


# ------------------------------------------------------------------ words that mean one thing


@pytest.mark.parametrize(
    ("phrase", "turn"),
    [
        ("not reply", "not reply"),
        ("'add a note no {t}'", 'add note no "x"'),
        ("'write without {t}'", 'write without "x"'),
    ],
)
def test_word_of_a_phrase_that_is_never_anything_else(phrase, turn):
    takes = "t: quoted text" if "{t}" in phrase else ""
    text = f"tools:\n  a: {{takes: {{{takes}}}, say: {{en: [{phrase}]}}}}\n"
    assert found(text) == [(phrase, turn)]


def test_word_of_a_phrase_in_portuguese():
    text = "tools:\n  a: {takes: {t: quoted text}, say: {pt-BR: ['escrever sem {t}']}}\n"
    assert found(text, "pt-BR") == [("'escrever sem {t}'", 'escreva sem "x"')]


@pytest.mark.parametrize(
    ("language", "phrase", "words", "turn"),
    [
        ("en", "list doors", "none", "list none doors"),
        ("en", "list doors", "no", "list no doors"),
        ("en", "list doors", "without", "list without doors"),
        ("pt-BR", "listar portas", "nenhum", "liste portas nenhum"),
        ("pt-BR", "listar portas", "não", "liste portas não"),
        ("pt-BR", "listar portas", "sem", "liste portas sem"),
    ],
)
def test_word_of_a_list_that_is_never_anything_else(language, phrase, words, turn):
    text = (
        f"values: {{lock: {{a: {{{language}: [{words}]}}, b: {{{language}: [total]}}}}}}\n"
        f"tools:\n  t: {{takes: {{lock: lock}}, say: {{{language}: [{phrase}]}}}}\n"
    )
    assert found(text, language) == [(words, turn)]


def test_word_of_a_list_all_of_whose_words_are_so():
    text = (
        "values: {lock: {a: {en: [none]}, b: {en: [no]}}}\n"
        "tools:\n  t: {takes: {lock: lock}, say: {en: [list doors]}}\n"
    )
    assert found(text) == [("none", "list none doors"), ("no", "list no doors")]


def test_word_of_a_list_that_changes_nothing():
    text = (
        "values: {haste: {soon: {en: [now]}, late: {en: [late]}}}\n"
        "tools:\n  t: {takes: {haste: haste}, say: {en: [set the haste]}}\n"
    )
    (finding,) = unreadable(vocabulary(text))
    assert finding.message == "`now` is never read: `set now haste` is read as `t` without it"


@pytest.mark.parametrize(
    ("language", "phrase", "noun", "turn"),
    [
        ("en", "enroll", "none", "enroll none 1"),
        ("pt-BR", "matricular", "nada", "matricule nada 1"),
    ],
)
def test_noun_of_a_thing_that_is_never_anything_else(language, phrase, noun, turn):
    text = (
        f"things: {{student: {{{language}: [{noun}]}}}}\n"
        f"tools:\n  t: {{takes: {{s: student}}, say: {{{language}: [{phrase}]}}}}\n"
    )
    assert (noun, turn) in found(text, language)


# ------------------------------------------------------------------ forms


@pytest.mark.parametrize(
    ("verb", "base"),
    [
        ("enrolling", "enroll"),
        ("enrolled", "enroll"),
        ("enrolls", "enroll"),
        ("charging", "charge"),
        ("updated", "update"),
        ("cancelled", "cancel"),
        ("submitted", "submit"),
        ("scheduling", "schedule"),
        ("applied", "apply"),
        ("applies", "apply"),
        ("sent", "send"),
        ("made", "make"),
        ("booked", "book"),
        ("processes", "process"),
    ],
)
def test_verb_that_is_not_in_its_base_form(verb, base):
    text = f"{STUDENT}tools:\n  a: {{takes: {{s: student}}, say: {{en: [{verb}]}}}}\n"
    assert found(text) == [(verb, f"{base} student 1")]
    (finding,) = unreadable(vocabulary(text))
    assert finding.message.startswith(f"`{verb}` is a form of `{base}`: ")
    assert finding.fix == f"write the verb in its base form: `{base}`; its other forms are made"


@pytest.mark.parametrize(
    "verb",
    [
        *("bring", "feed", "need", "speed", "proceed", "embed", "process", "focus", "address"),
        *("access", "dismiss", "put", "set", "found", "bill", "add", "string", "pay", "free"),
    ],
)
def test_verb_that_only_looks_like_a_form(verb):
    text = f"{STUDENT}tools:\n  a: {{takes: {{s: student}}, say: {{en: [{verb}]}}}}\n"
    assert found(text) == []


def test_form_of_a_verb_that_is_there_is_read_as_an_order():
    text = f"{STUDENT}tools:\n  a: {{takes: {{s: student}}, say: {{en: [expel, expelled]}}}}\n"
    (finding,) = unreadable(vocabulary(text))
    assert finding.message == (
        "`expelled` is a form of `expel`: `expelled student 1` is read as an order"
    )


def test_verb_is_named_once():
    text = (
        f"{STUDENT}tools:\n  a: {{takes: {{s: student}}, say: {{en: [enrolling, enrolling in]}}}}"
    )
    assert len(unreadable(vocabulary(text))) == 1


@pytest.mark.parametrize(
    ("language", "phrase", "noun", "one", "turn"),
    [
        ("en", "enroll", "members", "member", "enroll member 1"),
        ("en", "enroll", "companies", "company", "enroll company 1"),
        ("en", "enroll", "people", "person", "enroll person 1"),
        ("en", "enroll", "tax forms", "tax form", "enroll tax form 1"),
        ("pt-BR", "matricular", "alunos", "aluno", "matricule aluno 1"),
        ("pt-BR", "pagar", "cartões", "cartão", "pague cartão 1"),
        ("pt-BR", "pagar", "notas fiscais", "nota fiscal", "pague nota fiscal 1"),
    ],
)
def test_noun_in_the_plural_only(language, phrase, noun, one, turn):
    text = (
        f"things: {{x: {{{language}: [{noun}]}}}}\n"
        f"tools:\n  t: {{takes: {{x: x}}, say: {{{language}: [{phrase}]}}}}\n"
    )
    assert found(text, language) == [(noun, turn)]
    (finding,) = unreadable(vocabulary(text))
    assert finding.fix == f"write the singular: `{one}`; its plural is made"


@pytest.mark.parametrize(
    ("language", "phrase", "nouns"),
    [
        ("en", "enroll", "member, members"),
        ("en", "enroll", "status"),
        ("en", "enroll", "address"),
        ("en", "enroll", "series"),
        ("pt-BR", "pagar", "ônibus"),
        ("pt-BR", "pagar", "mês"),
        ("pt-BR", "pagar", "conta, contas"),
    ],
)
def test_noun_that_is_no_lonely_plural(language, phrase, nouns):
    text = (
        f"things: {{x: {{{language}: [{nouns}]}}}}\n"
        f"tools:\n  t: {{takes: {{x: x}}, say: {{{language}: [{phrase}]}}}}\n"
    )
    assert found(text, language) == []


# ------------------------------------------------------------------ phrases against each other


def test_one_and_several_of_a_noun_are_both_read():
    tools = "tools:\n  a: {say: {en: [cancel the order]}}\n  b: {say: {en: [cancel the orders]}}\n"
    assert found(tools) == []
    assert found("things: {order: {en: [order]}}\n" + tools) == []


def test_verb_that_is_a_word_of_a_list_and_of_a_phrase_is_read():
    text = (
        STUDENT + "values: {door: {open: {en: [open]}, shut: {en: [shut]}}}\n"
        "tools:\n"
        "  a: {takes: {d: door}, say: {en: [mark the open]}}\n"
        "  b: {takes: {s: student}, say: {en: [open]}}\n"
    )
    assert found(text) == []


def test_verb_that_is_a_word_of_a_list_and_is_read():
    text = (
        STUDENT + "values: {door: {open: {en: [open]}, shut: {en: [shut]}}}\n"
        "tools:\n"
        "  a: {takes: {d: optional door}, say: {en: [list doors]}}\n"
        "  b: {takes: {s: student}, say: {en: [open]}}\n"
    )
    assert found(text) == []


def test_word_of_a_list_that_is_read_as_another_tool():
    text = (
        "things: {order: {en: [order]}}\n"
        "values: {kind: {a: {en: [order]}, b: {en: [late]}}}\n"
        "tools:\n  a: {takes: {k: kind, o: order}, say: {en: [order]}}\n"
        "  b: {takes: {o: order}, say: {en: [order]}}\n"
    )
    assert found(text) == [("order", "order order")]
    (finding,) = unreadable(vocabulary(text))
    assert finding.message.endswith("is read as `a` or `b` without it")


# ------------------------------------------------------------------ what gives no warning


@pytest.mark.parametrize("takes", ["", "s: student", "s: optional student"])
def test_prepositions_of_verbs(takes):
    say = "en: [check in, log out, sign up, turn on]"
    assert found(f"{STUDENT}tools:\n  a: {{takes: {{{takes}}}, say: {{{say}}}}}\n") == []


@pytest.mark.parametrize(
    "takes",
    [
        "{m: month, i: integer}",
        "{a: decimal, b: optional integer, t: time}",
        "{p: telephone or e-mail, q: cpf, s: student}",
        "{q: quantity of kilo, d: date}",
        "{a: student, b: student}",
        "{n: {type: integer, words: {en: [limit], pt-BR: [limite]}}, m: money}",
    ],
)
def test_arguments_that_a_turn_can_have(takes):
    text = f"units: {{kilo: {{en: [kilo], pt-BR: [quilo]}}}}\n{STUDENT}tools:\n" + "".join(
        f"  t{at}: {{takes: {takes}, say: {{en: ['{en}'], pt-BR: ['{pt}']}}}}\n"
        for at, (en, pt) in enumerate(
            (("charge", "cobrar"), ("set the fee", "alterar a taxa"), ("list orders", "ver itens"))
        )
    )
    assert found(text) == []


@pytest.mark.parametrize("name", ["shop", "pix", "agenda"])
def test_ready_vocabularies_have_none(name):
    assert unreadable(Vocabulary.load(name)) == ()


def test_tools_without_words():
    assert unreadable(vocabulary("tools: {a: {}}\n")) == ()


def test_compiled_lexicons_may_be_given():
    made = vocabulary("tools:\n  a: {say: {en: [not reply]}}\n")
    assert unreadable(made, compile_vocabulary(made).lexicons) == unreadable(made) != ()


def test_page_is_true():
    page = (PAGES / "SV112.md").read_text(encoding="utf-8")
    example, fixed = re.findall(r"^```yaml.*\n((?:.*\n)*?)```$", page, re.MULTILINE)
    loaded = load_text(example, "shop.yaml")
    assert loaded.vocabulary is not None
    messages = [finding.message for finding in unreadable(loaded.vocabulary)]
    assert [message.split("`")[1] for message in messages] == ["students", "none", "enrolling"]
    loaded = load_text(fixed, "shop.yaml")
    assert loaded.vocabulary is not None
    assert unreadable(loaded.vocabulary) == ()


def test_command_prints_it(tmp_path):
    file = tmp_path / "v.yaml"
    file.write_text("vocabulary: v\ntools:\n  a: {say: {en: [not reply]}}\n")
    result = CliRunner().invoke(command, ["check", str(file)])
    assert result.exit_code == 0
    assert "warning[SV112]: this phrase is never read: `not reply` is unread." in result.output


# ------------------------------------------------------------------ many phrases


def letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def found_in(made: Vocabulary) -> int:
    return len(unreadable(made, compile_vocabulary(made).lexicons))


@pytest.mark.parametrize(
    ("phrase", "findings"),
    [
        ("v{verb} z{noun}", 0),
        ("update z{noun}", 0),
        ("v{verb}", 0),  # the same verbs for many tools
        ("update no", 200),  # as many as are reported
        ("going z{noun}", 1),
    ],
)
def test_ten_thousand_phrases_are_looked_at(phrase, findings):
    tools = "".join(
        f"  t{at}: {{takes: {{s: student, m: optional money}}, say: {{en: ["
        + ", ".join(
            phrase.format(verb=letters(n % 97), noun=letters(n)) for n in range(at, at + 10)
        )
        + "]}}\n"
        for at in range(0, 10_000, 10)
    )
    assert found_in(vocabulary(f"{STUDENT}tools:\n{tools}")) == findings


def test_many_lists_under_one_verb():
    count = 2_000
    lists = "".join(f"  l{n}: {{m: {{en: [w{letters(n)}]}}}}\n" for n in range(count))
    tools = "".join(
        f"  t{n}: {{takes: {{s: student, l: l{n}}}, say: {{en: [mark]}}}}\n" for n in range(count)
    )
    # With all phrases of the verb in each reading it would take a minute.
    assert found_in(vocabulary(f"{STUDENT}values:\n{lists}tools:\n{tools}")) == 0
