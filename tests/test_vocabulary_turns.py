"""The `turns:` section held against the selector."""

import pytest

from stalwart_lang import Language, Selector, Vocabulary
from stalwart_lang.selector.turns import TurnResult, check_turns
from stalwart_lang.vocabulary.load import load_text
from stalwart_lang.vocabulary.locate import shipped_names

BASE = """\
vocabulary: v
settings: {currency: {en: EUR}}
things: {order: {en: [order], pt-BR: [pedido]}}
tools:
  charge_card:
    takes: {order_id: order, amount: money}
    say: {en: [charge], pt-BR: [cobrar]}
  send_note:
    takes: {to: telephone or e-mail, day: optional date}
    say: {en: [send], pt-BR: [enviar]}
turns:
"""


def results(turns: str) -> list[TurnResult]:
    loaded = load_text(BASE + turns, "v.yaml")
    assert loaded.vocabulary is not None, "\n".join(map(str, loaded.diagnostics))
    return check_turns(loaded.vocabulary, Selector(loaded.vocabulary))


def passes(turns: str) -> list[bool]:
    return [result.ok for result in results(turns)]


def turn(say: str, expected: str) -> str:
    return f"  - say: {{en: '{say}'}}\n    {expected}\n"


CHARGE = "charge order 4411 40.00"


def test_calls_are_compared_by_value() -> None:
    plan = "plan: [{charge_card: {order_id: 4411, amount: %s}}]"
    assert passes(turn(CHARGE, plan % "40.00")) == [True]
    assert passes(turn(CHARGE, plan % "40")) == [True]
    assert passes(turn(CHARGE, plan % "40.00 EUR")) == [True]
    assert passes(turn(CHARGE, plan % "EUR 40")) == [True]
    assert passes(turn(CHARGE, plan % "{value: 40, currency: EUR}")) == [True]
    assert passes(turn(CHARGE, plan % "40.00 USD")) == [False]
    assert passes(turn(CHARGE, plan % "40.01")) == [False]
    assert passes(turn(CHARGE, plan % "much")) == [False]
    assert passes(turn(CHARGE, plan % ".nan")) == [False]
    assert passes(turn(CHARGE, "plan: [{charge_card: {order_id: 4412, amount: 40}}]")) == [False]
    assert passes(turn(CHARGE, "plan: [{charge_card: {order_id: '4411', amount: 40}}]")) == [False]


def test_currency_goes_by_language() -> None:
    text = (
        "  - say: {en: charge order 5 40.00, pt-BR: 'cobre o pedido 5 no valor de 40,00'}\n"
        "    plan: [{charge_card: {order_id: 5, amount: 40.00}}]\n"
        "  - say: {en: charge order 5 40.00, pt-BR: 'cobre o pedido 5 no valor de 40,00'}\n"
        "    plan: [{charge_card: {order_id: 5, amount: 40.00 BRL}}]\n"
    )
    assert passes(text) == [True, True, False, True]


def test_the_calls_must_be_all_and_in_order() -> None:
    two = "charge order 5 40.00 and then charge order 6 50.00"
    one = "{charge_card: {order_id: 5, amount: 40}}"
    other = "{charge_card: {order_id: 6, amount: 50}}"
    assert passes(turn(two, f"plan: [{one}, {other}]")) == [True]
    assert passes(turn(two, f"plan: [{other}, {one}]")) == [False]
    assert passes(turn(two, f"plan: [{one}]")) == [False]


def test_an_optional_argument_that_is_there_must_be_expected() -> None:
    said = "send ana@example.com on 2027-03-01"
    assert passes(turn(said, "plan: [{send_note: {to: ana@example.com}}]")) == [False]
    expected = "plan: [{send_note: {to: ana@example.com, day: 2027-03-01}}]"
    assert passes(turn(said, expected)) == [True]


def test_relative_dates_are_reckoned_from_now() -> None:
    said = "send to ana@example.com tomorrow"
    plan = "plan: [{send_note: {to: ana@example.com, day: 2027-03-02}}]"
    assert passes(turn(said, f"{plan}\n    now: 2027-03-01T09:00")) == [True]
    assert passes(turn(said, f"{plan}\n    now: 2027-03-05T09:00")) == [False]


def test_unread_incomplete_and_ambiguous() -> None:
    negated = "do not charge order 4411 40.00"
    assert passes(turn(negated, "unread: negation")) == [True]
    assert passes(turn(negated, "unread: any")) == [True]
    assert passes(turn(negated, "unread: condition")) == [False]
    assert passes(turn(negated, "ambiguous: true")) == [False]
    assert passes(turn(CHARGE, "unread: any")) == [False]
    assert passes(turn("charge order 4411", "incomplete: amount")) == [True]
    assert passes(turn("charge order 4411", "incomplete: order_id")) == [False]


def test_a_result_says_where_and_what() -> None:
    (result,) = results(
        turn(
            "do not charge order 4411 40.00",
            "plan: [{charge_card: {order_id: 4411, amount: 40.00}}]",
        )
    )
    assert not result.ok
    assert str(result.location) == "v.yaml:12:15"
    assert result.language == "en"
    assert result.turn == "do not charge order 4411 40.00"
    assert result.expected == ("read", "charge_card(order_id: 4411, amount: 40.00)")
    assert result.got == ("unread: negation",)


def test_several_ways_to_say_it_are_several_results() -> None:
    text = (
        "  - say: {en: [charge order 5, charge 5 now please maybe], pt-BR: cobre o pedido 5}\n"
        "    incomplete: amount\n"
    )
    found = results(text)
    assert [(r.language, r.ok) for r in found] == [("en", True), ("en", False), ("pt-BR", True)]


@pytest.mark.parametrize("name", shipped_names())
def test_the_turns_of_a_shipped_vocabulary_hold(name: str) -> None:
    vocabulary = Vocabulary.load(name)
    found = check_turns(vocabulary, Selector(vocabulary))
    failed = [
        f"{result.location}: {result.turn!r}: {result.expected}, got {result.got}"
        for result in found
        if not result.ok
    ]
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("language", ["en", "pt-BR"])
@pytest.mark.parametrize("name", shipped_names())
def test_a_shipped_vocabulary_has_turns_to_read_and_turns_not_to(
    name: str, language: Language
) -> None:
    turns = Vocabulary.load(name).turns
    read = sum(len(one.say.get(language, ())) for one in turns if one.plan is not None)
    unread = sum(len(one.say.get(language, ())) for one in turns if one.unread is not None)
    assert read >= 40
    assert unread >= 40


@pytest.mark.parametrize("typed", ["529.982.247-24", "52998224724"])
def test_a_cpf_whose_check_digits_do_not_fit_is_told_so(typed: str) -> None:
    selector = Selector(Vocabulary.load("pix"))
    plan = selector.plan(f"faça um pix de 40,00 para o CPF {typed}", language="pt-BR")
    assert plan.verdict == "unread"
    assert plan.reasons[0].code == "invalid_code"
    assert "dígitos verificadores" in plan.reasons[0].message
