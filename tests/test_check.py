"""The tool check: every step, every kind of rule, every type of argument, in both languages."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stalwart_lang import Selector, Vocabulary
from stalwart_lang.check import Checked, Decision, Done, Outcome, catalogue_of, check
from stalwart_lang.check.decision import Step
from stalwart_lang.vocabulary.load import load_text
from stalwart_lang.vocabulary.model import LANGUAGES, TypeKind

TOOLS = """\
vocabulary: shop
things: {order: {en: [order]}, customer: {en: [customer]}}
values: {status: {open: {en: [open]}, late: {en: [late]}}}
units: {kilo: {en: [kilo]}}
tools:
  get_order: {takes: {order_id: order}}
  charge_card: {writes: true, undo: refund_card, takes: {order_id: order, amount: money}}
  refund_card: {writes: true, takes: {order_id: order, amount: optional money}}
  merge_orders: {writes: true, takes: {source: order, target: order}}
  close_account: {writes: true, irreversible: true, takes: {customer_id: customer}}
  wipe: {irreversible: true}
  read_mail: {reads_outside: true}
  send_mail: {sends_out: true, writes: true, takes: {to: e-mail}}
  list_orders: {takes: {status: optional status, limit: optional integer}}
  find: {takes: {what: order or quoted text}}
  take:
    takes:
      integer: optional integer
      decimal: optional decimal
      money: optional money
      date: optional date
      time: optional time
      month: optional month
      duration: optional duration
      percentage: optional percentage
      quantity: optional quantity of kilo
      mail: optional e-mail
      telephone: optional telephone
      cpf: optional cpf
      cnpj: optional cnpj
      digits: optional digits
      six: optional digits 6
      text: optional quoted text
      thing: optional order
      list: optional status
      several: optional cpf or e-mail
"""
USD = frozenset({"USD"})


def vocabulary(rules: str = "") -> Vocabulary:
    text = TOOLS + (f"rules:\n{rules}" if rules else "")
    loaded = load_text(text, "shop.yaml")
    assert loaded.vocabulary is not None, loaded.diagnostics
    return loaded.vocabulary


def against(rules: str = "", facts: Mapping[str, object] | None = None) -> Checked:
    made = vocabulary(rules)
    return Checked(catalogue_of(made), tuple(made.rules.values()), facts or {}, USD)


PLAIN = against()


def answer(decision: Decision) -> tuple[Outcome, Step, str | None]:
    return decision.outcome, decision.decided_by, decision.rule


def usd(value: str) -> dict[str, str]:
    return {"value": value, "currency": "USD"}


CHARGE = {"order_id": 5, "amount": usd("40.00")}


# The steps, in their order


def test_what_changes_nothing_is_allowed():
    decision = check(PLAIN, "get_order", {"order_id": 5})
    assert decision == Decision("allow", "default")
    assert decision.reason is None
    assert decision.rule is None


def test_a_tool_that_there_is_not_is_refused():
    decision = check(PLAIN, "teleport", {"x": 1}, approval="approve")
    assert answer(decision) == ("refuse", "catalogue", "unknown_tool")
    assert decision.reasons[0].say == {
        "en": "There is no tool teleport.",
        "pt-BR": "Não existe a ferramenta teleport.",
    }


def test_an_argument_that_is_not_declared_is_refused_and_the_others_are_looked_at():
    decision = check(PLAIN, "charge_card", {"order": 5, "amount": "40"})
    assert answer(decision) == ("refuse", "catalogue", "unknown_argument")
    assert [(reason.step, reason.name) for reason in decision.reasons] == [
        ("catalogue", "unknown_argument"),
        ("arguments", "missing_argument"),
        ("arguments", "wrong_argument"),
    ]
    assert [reason.say["en"] for reason in decision.reasons] == [
        "charge_card takes no order.",
        "charge_card needs order_id.",
        'amount of charge_card must be an amount, such as {"value": "40.00", "currency": "USD"}.',
    ]


def test_a_write_waits_for_a_person_and_goes_on_with_the_answer():
    assert answer(check(PLAIN, "charge_card", CHARGE)) == ("confirm", "confirmation", "write")
    approved = check(PLAIN, "charge_card", CHARGE, approval="approve")
    assert answer(approved) == ("allow", "approval", "approved")
    declined = check(PLAIN, "charge_card", CHARGE, approval="decline")
    assert answer(declined) == ("refuse", "approval", "declined")


def test_an_irreversible_tool_says_so():
    decision = check(PLAIN, "close_account", {"customer_id": 7})
    assert answer(decision) == ("confirm", "confirmation", "write")
    assert [reason.name for reason in decision.reasons] == ["write", "irreversible"]
    alone = check(PLAIN, "wipe", {})
    assert answer(alone) == ("confirm", "confirmation", "irreversible")


def test_an_approval_is_not_needed_where_nothing_asks_and_declining_always_counts():
    assert answer(check(PLAIN, "read_mail", {}, approval="approve")) == ("allow", "default", None)
    declined = check(PLAIN, "read_mail", {}, approval="decline")
    assert answer(declined) == ("refuse", "approval", "declined")


def test_an_undo_is_not_asked_about_but_is_checked():
    rules = "  no-refunds: {tool: refund_card, never: true}\n"
    undo = {"order_id": 5}
    assert check(PLAIN, "refund_card", undo, undoing=True) == Decision("allow", "default")
    refused = check(against(rules), "refund_card", undo, undoing=True)
    assert answer(refused) == ("refuse", "rulebook", "no-refunds")
    wrong = check(PLAIN, "refund_card", {"order_id": "5"}, undoing=True)
    assert answer(wrong) == ("refuse", "arguments", "wrong_argument")


def test_data_from_outside_does_not_leave_even_if_a_person_approves():
    mail = {"to": "ana@example.com"}
    labels = ["read_mail", "find", "read_mail"]
    decision = check(PLAIN, "send_mail", mail, labels=labels, approval="approve")
    assert answer(decision) == ("refuse", "labels", "outside_data")
    assert decision.labels == ("read_mail", "find")
    assert decision.reasons[0].say == {
        "en": "send_mail sends out, and this may hold data from outside (read_mail, find).",
        "pt-BR": "send_mail envia para fora, e isto pode conter dados de fora (read_mail, find).",
    }
    assert [reason.name for reason in decision.reasons] == ["outside_data", "approved"]
    assert check(PLAIN, "send_mail", mail).outcome == "confirm"
    kept = check(PLAIN, "get_order", {"order_id": 5}, labels=labels)
    assert (kept.outcome, kept.labels) == ("allow", ("read_mail", "find"))


def test_every_reason_is_listed_in_the_order_of_the_steps():
    rules = """\
  careful: {tool: send_mail, requires_confirmation: true}
  once: {tool: send_mail, at_most: 1}
  never: {tool: send_mail, never: true}
  told: {tool: send_mail, requires: [told]}
"""
    done = (Done("send_mail", {"to": "ana@example.com"}),)
    mail = {"to": "ana@example.com"}
    decision = check(against(rules), "send_mail", mail, history=done, labels=["read_mail"])
    assert answer(decision) == ("refuse", "rulebook", "never")
    assert [(reason.step, reason.name, reason.outcome) for reason in decision.reasons] == [
        ("rulebook", "never", "refuse"),
        ("rulebook", "told", "refuse"),
        ("order", "once", "refuse"),
        ("labels", "outside_data", "refuse"),
        ("confirmation", "write", "confirm"),
        ("confirmation", "careful", "confirm"),
    ]


# Rules


def test_a_rule_is_named_as_its_author_named_it_with_its_place_and_its_words():
    rules = '  cards: {tool: charge_card, requires: [card, limit], say: {en: "No card."}}\n'
    decision = check(against(rules, {"limit": True}), "charge_card", CHARGE)
    assert answer(decision) == ("refuse", "rulebook", "cards")
    reason = decision.reason
    assert reason is not None
    assert reason.say == {
        "en": "No card.",
        "pt-BR": "A regra cards precisa de card, que não vale.",
    }
    assert reason.location is not None
    line = TOOLS.count("\n") + 2
    assert str(reason.location) == f"shop.yaml:{line}:3"


@pytest.mark.parametrize("fact", [None, False, "true", 1, "yes", {}, [True]])
def test_a_fact_holds_only_where_it_is_true(fact):
    rules = "  cards: {tool: charge_card, requires: card}\n"
    assert check(against(rules, {"card": fact}), "charge_card", CHARGE).outcome == "refuse"
    assert check(against(rules, {"card": True}), "charge_card", CHARGE).outcome == "confirm"


def test_a_rule_that_asks_for_confirmation():
    rules = "  ask: {tool: get_order, requires_confirmation: true, say: {en: Sure?}}\n"
    checked = against(rules)
    decision = check(checked, "get_order", {"order_id": 5})
    assert answer(decision) == ("confirm", "confirmation", "ask")
    assert decision.reasons[0].say == {
        "en": "Sure?",
        "pt-BR": "Uma pessoa precisa confirmar get_order.",
    }
    approved = check(checked, "get_order", {"order_id": 5}, approval="approve")
    assert answer(approved) == ("allow", "approval", "approved")


@pytest.mark.parametrize("approval", [None, "approve"])
def test_a_person_cannot_approve_what_a_rule_refuses(approval):
    rules = "  never: {tool: charge_card, never: true}\n"
    decision = check(against(rules), "charge_card", CHARGE, approval=approval)
    assert answer(decision) == ("refuse", "rulebook", "never")
    assert decision.reasons[0].say == {
        "en": "The rule never never lets charge_card run.",
        "pt-BR": "A regra never nunca deixa charge_card rodar.",
    }


def when(condition: str, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a rule with the condition applies to the call."""
    rules = f"  r: {{tool: {tool}, when: {condition}, never: true}}\n"
    return check(against(rules), tool, arguments).decided_by == "rulebook"


@pytest.mark.parametrize(
    ("condition", "value", "applies"),
    [
        ("{money: {over: 200}}", usd("200.00"), False),
        ("{money: {over: 200}}", usd("200.01"), True),
        ("{money: {under: 0.5}}", usd("0.49"), True),
        ("{money: {under: 0.5}}", usd("0.50"), False),
        ("{money: {over: 10, under: 20}}", usd("15"), True),
        ("{money: {over: 10, under: 20}}", usd("25"), False),
        ("{money: {over: 200}}", {"value": "1.00", "currency": "EUR"}, True),
        ("{money: {under: 200}}", {"value": "900.00", "currency": "EUR"}, True),
        ("{money: {one_of: [40]}}", usd("40.00"), True),
        ("{money: {one_of: [40]}}", {"value": "9.00", "currency": "EUR"}, True),
        ("{money: {one_of: [40.00 USD]}}", usd("40"), True),
        ("{money: {one_of: [USD 40]}}", usd("40.00"), True),
        ("{money: {one_of: [40.00 EUR]}}", usd("40.00"), False),
        ("{money: {one_of: [40 EUR]}}", {"value": "40.00", "currency": "EUR"}, True),
        ("{money: {one_of: [40 EUR]}}", {"value": "50.00", "currency": "EUR"}, False),
        ("{quantity: {over: 2}}", {"value": "2.5", "unit": "kilo"}, True),
        ("{quantity: {one_of: [2.50 kilo]}}", {"value": "2.5", "unit": "kilo"}, True),
        ("{quantity: {one_of: [2]}}", {"value": "2.0", "unit": "kilo"}, True),
        ("{integer: {over: 5}}", 6, True),
        ("{integer: {over: 5}}", 5, False),
        ("{integer: {one_of: [5, 6]}}", 6, True),
        ('{integer: {one_of: ["6"]}}', 6, True),
        ("{integer: {one_of: [true]}}", 1, False),
        ("{decimal: {over: 4.4}}", "4.5", True),
        ("{decimal: {under: 0.001}}", "1E-7", True),
        ("{percentage: {one_of: [2.5]}}", "2.50", True),
        ("{list: {one_of: [late]}}", "late", True),
        ("{list: {one_of: late}}", "open", False),
        ("{six: {one_of: [012345]}}", "012345", True),
        ("{six: {one_of: [12345]}}", "012345", False),
        ("{thing: {one_of: [4411]}}", 4411, True),
        ("{text: {one_of: [paid]}}", "paid", True),
        ("{mail: {matches: '.+@example[.]com'}}", "ana@example.com", True),
        ("{mail: {matches: 'ana@example[.]com'}}", "ana@example.com.evil.example", False),
        ("{text: {matches: 'a|ab'}}", "ab", True),
        ("{text: {matches: paid}}", "unpaid", False),
        ("{thing: {matches: '44..'}}", 4411, True),
    ],
)
def test_conditions(condition, value, applies):
    argument = condition.strip("{").partition(":")[0]
    assert when(condition, "take", {argument: value}) is applies


def test_all_conditions_must_hold_and_one_on_what_is_not_given_does_not():
    both = "{money: {over: 10}, list: {one_of: [late]}}"
    assert when(both, "take", {"money": usd("11"), "list": "late"})
    assert not when(both, "take", {"money": usd("11"), "list": "open"})
    assert not when(both, "take", {"money": usd("11")})


ORDER = """\
  after: {tool: refund_card, after: charge_card}
  not-after: {tool: charge_card, not_after: refund_card}
  thrice: {tool: get_order, at_most: 3}
  once: {tool: merge_orders, at_most: 1}
"""


def test_after_looks_at_calls_about_the_same_thing():
    checked, refund = against(ORDER), {"order_id": 5}
    early = check(checked, "refund_card", refund)
    assert answer(early) == ("refuse", "order", "refund_card after charge_card")
    assert early.reasons[0].name == "after"
    assert early.reasons[0].say == {
        "en": "The rule after lets refund_card run only after charge_card.",
        "pt-BR": "A regra after só deixa refund_card rodar depois de charge_card.",
    }
    other = (Done("charge_card", {**CHARGE, "order_id": 6}),)
    assert check(checked, "refund_card", refund, history=other).outcome == "refuse"
    charged = (*other, Done("charge_card", CHARGE))
    assert check(checked, "refund_card", refund, history=charged).outcome == "confirm"


def test_not_after_looks_at_calls_about_the_same_thing():
    refunded = (Done("refund_card", {"order_id": 5}),)
    late = check(against(ORDER), "charge_card", CHARGE, history=refunded)
    assert answer(late) == ("refuse", "order", "charge_card not_after refund_card")
    assert late.reasons[0].say == {
        "en": "The rule not-after does not let charge_card run after refund_card.",
        "pt-BR": "A regra not-after não deixa charge_card rodar depois de refund_card.",
    }
    other = {**CHARGE, "order_id": 6}
    assert check(against(ORDER), "charge_card", other, history=refunded).outcome == "confirm"


def test_order_between_tools_without_a_thing_in_common_looks_at_any_call():
    checked = against("  read-first: {tool: get_order, after: read_mail}\n")
    assert check(checked, "get_order", {"order_id": 5}).outcome == "refuse"
    read = (Done("read_mail"),)
    assert check(checked, "get_order", {"order_id": 5}, history=read).outcome == "allow"


def test_order_with_two_things_of_a_kind_and_with_texts_in_place_of_ids():
    checked = against(
        "  merged: {tool: get_order, not_after: merge_orders}\n"
        "  found: {tool: charge_card, after: find}\n"
    )
    merged = (Done("merge_orders", {"source": 5, "target": 6}),)
    outcomes = [
        check(checked, "get_order", {"order_id": n}, history=merged).outcome for n in (5, 6, 7)
    ]
    assert outcomes == ["refuse", "refuse", "allow"]
    by_text = (Done("find", {"what": "Ana"}),)
    assert check(checked, "charge_card", CHARGE, history=by_text).outcome == "confirm"
    by_id = (Done("find", {"what": 6}),)
    assert check(checked, "charge_card", CHARGE, history=by_id).outcome == "refuse"


def test_at_most_counts_all_calls_of_the_tool():
    done = tuple(Done("get_order", {"order_id": n}) for n in range(3))
    checked = against(ORDER)
    assert check(checked, "get_order", {"order_id": 9}, history=done[:2]).outcome == "allow"
    often = check(checked, "get_order", {"order_id": 9}, history=done)
    assert answer(often) == ("refuse", "order", "get_order at_most 3")
    assert often.reasons[0].say == {
        "en": "The rule thrice lets get_order run at most 3 times.",
        "pt-BR": "A regra thrice deixa get_order rodar no máximo 3 vezes.",
    }
    merge = {"source": 5, "target": 6}
    twice = check(checked, "merge_orders", merge, history=(Done("merge_orders", merge),))
    assert twice.reasons[0].say == {
        "en": "The rule once lets merge_orders run only once.",
        "pt-BR": "A regra once só deixa merge_orders rodar uma vez.",
    }


# Arguments

FITTING: dict[str, list[Any]] = {
    "integer": [0, -3, 10**30],
    "decimal": ["4.5", "-4.5", "5", "1E-7"],
    "money": [usd("40.00"), {"value": "0", "currency": "BRL"}],
    "date": ["2027-03-01", "2028-02-29"],
    "time": ["00:00", "23:59"],
    "month": ["2027-12"],
    "duration": ["PT90M", "P3D", "P2W", "PT1H30M", "P1Y"],
    "percentage": ["2.5"],
    "quantity": [{"value": "2.5", "unit": "kilo"}],
    "mail": ["ana@example.com"],
    "telephone": ["+5511987654321"],
    "cpf": ["52998224725"],
    "cnpj": ["11222333000181", "12ABC34501DE35"],
    "digits": ["0", "012345678"],
    "six": ["012345"],
    "text": ["", "Ana", "avô\n"],
    "thing": [0, 4411],
    "list": ["open", "late"],
    "several": ["52998224725", "ana@example.com"],
}
WRONG: dict[str, list[Any]] = {
    "integer": ["5", 5.0, True, None],
    "decimal": [4.5, "4,5", "1_0", " 4.5", "４", "NaN", "Infinity", "1E+9999999", "", "+1", True],
    "money": [
        40,
        "40.00",
        {"value": "40.00"},
        {"value": 40.0, "currency": "USD"},
        {"value": "-1", "currency": "USD"},
        {"value": "NaN", "currency": "USD"},
        {"value": "40", "currency": "usd"},
        {"value": "40", "currency": "USD", "more": 1},
        {"value": "40", "currency": ["USD"]},
    ],
    "date": ["2027-02-29", "2027-W01-1", "20270301", "2027-3-1", "２０２７-03-01", 20270301],
    "time": ["24:00", "9:30", "T0930", "0930Z", "09:3０", 930],
    "month": ["2027-13", "2027-3"],
    "duration": ["P", "PT", "P1DT", "90", "-P1D"],
    "percentage": ["2.5%", 2.5],
    "quantity": [{"value": "2.5", "unit": "gram"}, {"value": "2.5", "currency": "kilo"}, "2.5"],
    "mail": ["ana", "ana@", "a na@example.com"],
    "telephone": ["5511987654321", "+0511987654321", "+55 11 98765-4321"],
    "cpf": ["529.982.247-25", "5299822472", 52998224725],
    "cnpj": ["11.222.333/0001-81", "1122233300018"],
    "digits": ["", "12a", "１２", 12],
    "six": ["12345", "1234567"],
    "text": [5, None, ["a"]],
    "thing": [-1, "4411", 4.0, True],
    "list": ["shipped", "Open", ["open"], {"open": 1}, None, 5],
    "several": ["Ana", 5],
}


def test_every_type_is_tried():
    kinds = {
        kind.kind for argument in vocabulary().tools["take"].arguments for kind in argument.types
    }
    assert kinds == set(get_args(TypeKind))
    assert FITTING.keys() == WRONG.keys() == PLAIN.catalogue["take"].arguments.keys()


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in FITTING.items() for v in vs])
def test_what_fits(name, value):
    assert check(PLAIN, "take", {name: value}).outcome == "allow"


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in WRONG.items() for v in vs])
def test_what_does_not_fit(name, value):
    decision = check(PLAIN, "take", {name: value})
    assert answer(decision) == ("refuse", "arguments", "wrong_argument")
    said = decision.reasons[0].say
    assert said["en"].startswith(f"{name} of take must be ")
    assert said["pt-BR"].startswith(f"{name} de take deve ser ")


def test_what_an_argument_must_be_is_said_in_both_languages():
    expected = {
        "thing": ("a whole number (order)", "um número inteiro (order)"),
        "list": ("one of open, late", "um destes: open, late"),
        "several": (
            "the 11 digits of a CPF or an e-mail address",
            "os 11 dígitos de um CPF ou um endereço de e-mail",
        ),
        "quantity": (
            'a quantity, such as {"value": "2.5", "unit": "kilo"}',
            'uma quantidade, como {"value": "2.5", "unit": "kilo"}',
        ),
    }
    arguments = PLAIN.catalogue["take"].arguments
    for name, (english, portuguese) in expected.items():
        assert arguments[name].expects == {"en": english, "pt-BR": portuguese}
    assert all(set(argument.expects) == set(LANGUAGES) for argument in arguments.values())


@pytest.mark.parametrize("name", ["shop", "pix", "agenda"])
def test_no_plan_of_a_shipped_vocabulary_has_wrong_arguments(name):
    made = Vocabulary.load(name)
    selector, checked = Selector(made), Checked(catalogue_of(made))
    planned = 0
    for turn in made.turns:
        for language, phrases in turn.say.items():
            for phrase in phrases:
                for call in selector.plan(phrase.text, language=language, now=turn.now).calls:
                    decision = check(checked, call.tool, call.arguments)
                    assert decision.outcome in ("allow", "confirm"), (phrase.text, decision)
                    planned += 1
    assert planned > 20


# Whatever is asked

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.from_regex(r"-?\d{1,3}([.,]\d{1,3})?(E[+-]?\d{1,3})?", fullmatch=True)
    | st.sampled_from([value for values in FITTING.values() for value in values]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["value", "currency", "unit", "x"]), inner, max_size=3)
    ),
    max_leaves=4,
)
EVERYTHING = against(
    """\
  over: {tool: take, when: {money: {over: 10}, integer: {under: 3}}, never: true}
  one: {tool: take, when: {money: {one_of: [1 USD, 2, x]}}, requires: [fact]}
  list: {tool: take, when: {list: {one_of: [open]}, text: {matches: "a.*"}}, never: true}
  sure: {tool: take, when: {thing: {one_of: [4411, "5"]}}, requires_confirmation: true}
  after: {tool: take, after: find}
  often: {tool: take, at_most: 2, not_after: take}
""",
    {"fact": "true"},
)


@given(
    tool=st.sampled_from([*EVERYTHING.catalogue, "teleport"]),
    arguments=st.dictionaries(
        st.sampled_from([*EVERYTHING.catalogue["take"].arguments, "what", "order_id", "x"]),
        JSON,
        max_size=4,
    ),
    history=st.lists(
        st.builds(
            Done, st.sampled_from(["take", "find"]), st.fixed_dictionaries({"what": st.integers()})
        ),
        max_size=3,
    ),
    labels=st.lists(st.sampled_from(["read_mail", "find"]), max_size=3),
    approval=st.sampled_from([None, "approve", "decline"]),
    undoing=st.booleans(),
)
def test_any_call_gets_an_answer_that_its_reasons_bear_out(
    tool, arguments, history, labels, approval, undoing
):
    decision = check(
        EVERYTHING,
        tool,
        arguments,
        history=history,
        labels=labels,
        approval=approval,
        undoing=undoing,
    )
    steps = [reason.step for reason in decision.reasons]
    order = get_args(Step)
    assert steps == sorted(steps, key=order.index)
    assert all(set(reason.say) == set(LANGUAGES) for reason in decision.reasons)
    assert all(text.strip() for reason in decision.reasons for text in reason.say.values())
    refused = any(reason.outcome == "refuse" for reason in decision.reasons)
    asked = any(reason.outcome == "confirm" for reason in decision.reasons)
    assert decision.outcome == ("refuse" if refused else "confirm" if asked else "allow")
    first = decision.reason
    assert (decision.decided_by, decision.outcome) == (
        (first.step, first.outcome) if first else ("default", "allow")
    )
    assert decision.labels == tuple(dict.fromkeys(labels))


@given(st.decimals(0, 10**6, places=2), st.integers(0, 10**6))
def test_over_and_under_compare_as_numbers(amount, limit):
    money = {"money": usd(str(amount))}
    assert when(f"{{money: {{over: {limit}}}}}", "take", money) is (amount > limit)
    assert when(f"{{money: {{under: {limit}}}}}", "take", money) is (amount < limit)
    assert when(f"{{money: {{one_of: [{limit}]}}}}", "take", money) is (Decimal(limit) == amount)
