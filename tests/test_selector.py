"""What `Selector.plan` makes of turns, on the ready vocabularies and some small ones.

The clock is Monday 30 November 2026, nine in the morning in São Paulo.
"""

import asyncio
import dataclasses
import json
import threading
import unicodedata
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cache
from typing import Any, ClassVar, cast

import pytest

from stalwart_lang import Language, Plan, Selector, Vocabulary
from stalwart_lang.vocabulary.load import load_text
from stalwart_lang.vocabulary.locate import read_file

NOW = "2026-11-30T09:00:00-03:00"


@cache
def selector(name: str) -> Selector:
    return Selector(Vocabulary.load(name))


def made(text: str, **options: Any) -> Selector:
    """A selector over a vocabulary given as text."""
    loaded = load_text(text, "small.yaml")
    assert loaded.vocabulary is not None, "\n".join(map(str, loaded.diagnostics))
    return Selector(loaded.vocabulary, **options)


def plan(
    turn: str,
    language: Language = "en",
    vocabulary: str = "shop",
    pending: Plan | None = None,
) -> Plan:
    return selector(vocabulary).plan(turn, language=language, now=NOW, pending=pending)


def calls(turn: str, language: Language = "en", vocabulary: str = "shop") -> list[Any]:
    """The calls of a turn that must be read, as `(tool, argument values...)`."""
    found = plan(turn, language, vocabulary)
    assert found.verdict == "read", (turn, found.reasons, found.missing)
    return said(found)


def said(found: Plan) -> list[Any]:
    """A plan's calls as `(tool, values...)`, amounts as `40.00 USD`."""
    return [(call.tool, *map(plain, call.arguments.values())) for call in found.calls]


def plain(value: Any) -> Any:
    return f"{value['value']} {value['currency']}" if isinstance(value, Mapping) else value


def code(turn: str, language: Language = "en", vocabulary: str = "shop") -> str:
    """The first reason of a turn that must be unread."""
    found = plan(turn, language, vocabulary)
    assert found.verdict == "unread", (turn, found.to_dict())
    assert not [*found.calls, *found.partial, *found.readings]
    return found.reasons[0].code


class TestSequences:
    def test_the_three_steps_of_a_sale(self) -> None:
        expected = [
            ("charge_card", 4411, "40.00 USD"),
            ("update_crm", 4411),
            ("provision_account", 4411),
        ]
        turn = (
            "charge order 4411 40.00, then update the crm for order 4411, "
            "then provision the account for order 4411"
        )
        assert calls(turn) == expected

    @pytest.mark.parametrize(
        "joint",
        [
            *("then", "and then", ", then", "and", ", and", ", after that", ";", ".", "!", "\n"),
            *(", next", ". Finally,", ", afterwards", "; and then", "\n\n", " & "),
        ],
    )
    def test_english_joints(self, joint: str) -> None:
        turn = f"show order 5{joint if joint[0] in ',.;' else ' ' + joint} cancel order 6"
        assert calls(turn) == [("get_order", 5), ("cancel_order", 6)]

    @pytest.mark.parametrize(
        "joint",
        [
            *("depois", "e depois", ", depois", "e", "; em seguida,", ", então", ", e então"),
            *(". Por fim,", ", aí", " e aí", ", daí", "; logo em seguida", ", na sequência"),
            *(", depois disso", "\n"),
        ],
    )
    def test_portuguese_joints(self, joint: str) -> None:
        turn = f"mostre o pedido 5{joint if joint[0] in ',.;' else ' ' + joint} cancele o pedido 6"
        assert calls(turn, "pt-BR") == [("get_order", 5), ("cancel_order", 6)]

    def test_first_then_last(self) -> None:
        expected = [("get_order", 5), ("cancel_order", 6), ("refund_card", 7)]
        assert (
            calls("First show order 5, then cancel order 6, and finally refund order 7.")
            == expected
        )
        turn = "Mostre o pedido 5, depois cancele o pedido 6 e, por fim, reembolse o pedido 7."
        assert calls(turn, "pt-BR") == expected

    def test_steps_may_be_numbered(self) -> None:
        expected = [("get_order", 5), ("cancel_order", 6)]
        assert calls("1) show order 5; 2) cancel order 6") == expected
        assert calls("1. show order 5\n2. cancel order 6") == expected
        assert calls("1) mostre o pedido 5; 2) cancele o pedido 6", "pt-BR") == expected

    def test_the_order_is_that_of_the_turn(self) -> None:
        found = plan("refund order 9, then charge order 9 40.00, then show order 9")
        assert [call.tool for call in found.calls] == ["refund_card", "charge_card", "get_order"]
        spans = [(call.start, call.end) for call in found.calls]
        assert spans == sorted(spans)

    def test_one_unread_step_leaves_the_whole_turn_unread(self) -> None:
        assert code("show order 5, then teleport order 6") == "unknown_word"
        assert code("show order 5, then don't cancel order 6") == "negation"
        assert code("mostre o pedido 5 e depois não cancele o pedido 6", "pt-BR") == "negation"
        assert code("show order 5, then cancel order 6 if it is late") == "condition"

    def test_and_inside_a_number_joins_no_steps(self) -> None:
        expected = [("charge_card", 5, "206.00 USD"), ("cancel_order", 7)]
        assert calls("charge order 5 two hundred and six dollars and cancel order 7") == expected
        turn = "cobre duzentos e seis reais do pedido 5 e cancele o pedido 7"
        assert calls(turn, "pt-BR") == [("charge_card", 5, "206.00 BRL"), ("cancel_order", 7)]

    def test_depois_inside_a_date_joins_no_steps(self) -> None:
        turn = "agende a entrega do pedido 5 para depois de amanhã e depois cancele o pedido 6"
        assert calls(turn, "pt-BR") == [
            ("schedule_delivery", 5, "2026-12-02"),
            ("cancel_order", 6),
        ]


class TestLists:
    CANCELLED: ClassVar = [("cancel_order", 5), ("cancel_order", 6), ("cancel_order", 7)]

    @pytest.mark.parametrize(
        "turn",
        [
            "cancel orders 5, 6 and 7",
            "cancel orders 5, 6, and 7",
            "cancel orders 5 and 6 and 7",
            "cancel order 5, order 6 and order 7",
            "cancel orders #5, #6 and #7",
            "could you cancel orders 5, 6 and 7, please?",
        ],
    )
    def test_english(self, turn: str) -> None:
        assert calls(turn) == self.CANCELLED

    @pytest.mark.parametrize(
        "turn",
        [
            "cancele os pedidos 5, 6 e 7",
            "cancela os pedidos 5 e 6 e 7",
            "cancele o pedido 5, o pedido 6 e o pedido 7",
            "quero que você cancele os pedidos nº 5, 6 e 7",
        ],
    )
    def test_portuguese(self, turn: str) -> None:
        assert calls(turn, "pt-BR") == self.CANCELLED

    def test_each_call_of_a_list_has_the_lists_place(self) -> None:
        turn = "please cancel orders 5, 6 and 7"
        spans = {turn[call.start : call.end] for call in plan(turn).calls}
        assert spans == {"cancel orders 5, 6 and 7"}

    def test_a_list_and_a_date(self) -> None:
        turn = "schedule the delivery of orders 5 and 6 for tomorrow"
        assert calls(turn) == [
            ("schedule_delivery", 5, "2026-12-01"),
            ("schedule_delivery", 6, "2026-12-01"),
        ]

    def test_an_amount_is_not_shared_out(self) -> None:
        assert code("refund orders 5 and 6 $40") == "shared_amount"
        assert code("reembolse os pedidos 5 e 6 no valor de 40,00", "pt-BR") == "shared_amount"

    def test_an_answer_does_not_share_an_amount_out_either(self) -> None:
        asked = plan("charge orders 5 and 6")
        assert plan("40.00", pending=asked).calls == ()

    def test_an_id_named_twice(self) -> None:
        assert code("cancel orders 5 and 5") == "repeated_argument"
        assert code("cancele os pedidos 5 e 5", "pt-BR") == "repeated_argument"

    def test_number_words_that_could_be_one_number(self) -> None:
        assert code("cancel orders twenty and five") == "ambiguous_number"
        assert code("cancele os pedidos vinte e trinta", "pt-BR") == "ambiguous_number"

    def test_things_of_two_kinds_make_no_list(self) -> None:
        assert plan("cancel order 5 and customer 6").verdict == "unread"
        assert plan("cancele o pedido 5 e o cliente 6", "pt-BR").verdict == "unread"

    def test_a_range_is_no_list(self) -> None:
        assert plan("cancel orders 5-7").verdict == "unread"
        assert plan("cancel orders 5 to 7").verdict == "unread"
        assert plan("cancele os pedidos 5 a 7", "pt-BR").verdict == "unread"


class TestSharedObjects:
    BOTH: ClassVar = [("cancel_order", 6145), ("refund_card", 6145)]

    @pytest.mark.parametrize(
        "turn",
        [
            "cancel and refund order 6145",
            "cancel, and refund order 6145",
            "could you cancel and refund order 6145?",
            "would you mind cancelling and refunding order 6145?",
        ],
    )
    def test_english(self, turn: str) -> None:
        assert calls(turn) == self.BOTH

    @pytest.mark.parametrize(
        "turn",
        [
            "cancele e reembolse o pedido 6145",
            "cancela e reembolsa o pedido 6145",
            "pode cancelar e reembolsar o pedido 6145?",
            "quero que você cancele e reembolse o pedido 6145",
        ],
    )
    def test_portuguese(self, turn: str) -> None:
        assert calls(turn, "pt-BR") == self.BOTH

    def test_three_verbs(self) -> None:
        assert calls("show, cancel and refund order 5") == [
            ("get_order", 5),
            ("cancel_order", 5),
            ("refund_card", 5),
        ]

    def test_a_list_is_shared_as_well(self) -> None:
        assert calls("cancel and refund orders 5 and 6") == [
            ("cancel_order", 5),
            ("cancel_order", 6),
            ("refund_card", 5),
            ("refund_card", 6),
        ]

    def test_an_amount_is_not_shared(self) -> None:
        assert code("charge and refund order 5 $40") == "shared_amount"

    def test_nothing_is_shared_over_a_full_stop_or_then(self) -> None:
        assert plan("cancel. refund order 5").verdict == "incomplete"
        assert plan("cancel, then refund order 5").verdict == "incomplete"
        assert plan("cancele, depois reembolse o pedido 5", "pt-BR").verdict == "incomplete"


class TestReferences:
    BOTH: ClassVar = [("get_order", 5), ("cancel_order", 5)]

    @pytest.mark.parametrize("it", ["it", "that order", "this order", "the same order", "that one"])
    def test_english(self, it: str) -> None:
        assert calls(f"show order 5, then cancel {it}") == self.BOTH

    @pytest.mark.parametrize(
        "order",
        [
            "cancele-o",
            "o cancele",
            "cancela ele",
            "cancele esse pedido",
            "cancele este pedido",
            "cancele o mesmo pedido",
            "cancelá-lo",
            "cancela-o",
            "cancele o mesmo",
        ],
    )
    def test_portuguese(self, order: str) -> None:
        assert calls(f"mostre o pedido 5 e depois {order}", "pt-BR") == self.BOTH

    @pytest.mark.parametrize(
        "order", ["cancele-a", "a cancele", "cancela ela", "cancelá-la", "cancele a mesma"]
    )
    def test_a_pedido_is_no_feminine(self, order: str) -> None:
        turn = f"mostre o pedido 5 e depois {order}"
        assert code(turn, "pt-BR") == "unclear_reference"

    def test_a_tarefa_is_no_masculine(self) -> None:
        turn = "conclua a tarefa 7 e depois exclua-{}"
        assert calls(turn.format("a"), "pt-BR", "agenda") == [
            ("complete_task", 7),
            ("delete_task", 7),
        ]
        assert code(turn.format("o"), "pt-BR", "agenda") == "unclear_reference"
        assert code(turn.format("as"), "pt-BR", "agenda") == "unclear_reference"

    def test_a_pronoun_with_its_preposition(self) -> None:
        expected = [("get_order", 5), ("update_crm", 5)]
        assert calls("show order 5 and update the crm of that order") == expected
        for of_it in ("dele", "desse pedido", "do mesmo pedido"):
            turn = f"mostre o pedido 5 e atualize o CRM {of_it}"
            assert calls(turn, "pt-BR") == expected

    def test_its(self) -> None:
        turn = "show order 5, then provision its account"
        assert calls(turn) == [("get_order", 5), ("provision_account", 5)]

    def test_several(self) -> None:
        expected = [("get_order", 5), ("get_order", 6), ("cancel_order", 5), ("cancel_order", 6)]
        assert calls("show orders 5 and 6, then cancel them") == expected
        assert calls("mostre os pedidos 5 e 6 e depois cancele-os", "pt-BR") == expected

    def test_one_is_not_several(self) -> None:
        assert code("show orders 5 and 6, then cancel it") == "unclear_reference"
        assert code("show order 5, then cancel them") == "unclear_reference"
        assert code("mostre o pedido 5 e depois cancele-os", "pt-BR") == "unclear_reference"

    def test_two_candidates(self) -> None:
        assert code("show order 5, show order 6, then cancel it") == "unclear_reference"
        turn = "mostre o pedido 5, mostre o pedido 6, depois cancele-o"
        assert code(turn, "pt-BR") == "unclear_reference"

    def test_the_same_thing_twice_is_one_candidate(self) -> None:
        turn = "show order 5, refund order 5, then cancel it"
        assert calls(turn) == [("get_order", 5), ("refund_card", 5), ("cancel_order", 5)]

    def test_nothing_was_mentioned(self) -> None:
        for turn in ("cancel it", "refund that order", "cancel them"):
            assert code(turn) == "unclear_reference"
        for turn in ("cancele-o", "cancele esse pedido", "reembolse ele"):
            assert code(turn, "pt-BR") == "unclear_reference"

    def test_a_reference_beside_an_id(self) -> None:
        for turn in ("show order 5, then cancel it order 6", "cancel it order 6"):
            assert plan(turn).verdict == "unread"
        assert plan("cancele-o pedido 6", "pt-BR").verdict == "unread"

    def test_me_is_nobodys_argument(self) -> None:
        assert calls("show me order 5") == [("get_order", 5)]
        assert calls("me mostra o pedido 5", "pt-BR") == [("get_order", 5)]
        assert calls("mostre-me o pedido 5", "pt-BR") == [("get_order", 5)]
        assert calls("cancela o pedido 5 pra mim", "pt-BR") == [("cancel_order", 5)]

    def test_a_conditional_se_is_no_clitic(self) -> None:
        assert code("se cancele o pedido 5", "pt-BR") == "condition"


ONE_OF_EACH = """\
vocabulary: values
settings: {timezone: America/Sao_Paulo, currency: {en: USD, pt-BR: BRL}}
things: {order: {en: [order], pt-BR: [pedido]}}
values:
  colour: {deep_red: {en: [deep red], pt-BR: [vermelho escuro]}, blue: {en: [blue], pt-BR: [azul]}}
units: {kilo: {en: [kg, kilo], pt-BR: [kg, quilo]}}
tools:
  take_thing: {takes: {x: order}, say: {en: [fetch], pt-BR: [pegar]}}
  take_list: {takes: {x: colour}, say: {en: [paint], pt-BR: [pintar]}}
  take_integer: {takes: {x: integer}, say: {en: [repeat], pt-BR: [repetir]}}
  take_decimal: {takes: {x: decimal}, say: {en: [scale], pt-BR: [escalar]}}
  take_money: {takes: {x: money}, say: {en: [spend], pt-BR: [gastar]}}
  take_date: {takes: {x: date}, say: {en: [book the room], pt-BR: [reservar a sala]}}
  take_time: {takes: {x: time}, say: {en: [set the alarm], pt-BR: [pôr o alarme]}}
  take_month: {takes: {x: month}, say: {en: [audit the books], pt-BR: [auditar as contas]}}
  take_duration: {takes: {x: duration}, say: {en: [pause the job], pt-BR: [pausar o processo]}}
  take_percentage: {takes: {x: percentage}, say: {en: [discount], pt-BR: [descontar]}}
  take_quantity: {takes: {x: quantity of kilo}, say: {en: [weigh], pt-BR: [pesar]}}
  take_mail: {takes: {x: e-mail}, say: {en: [notify], pt-BR: [notificar]}}
  take_phone: {takes: {x: telephone}, say: {en: [call], pt-BR: ["ligar para {x}"]}}
  take_cpf: {takes: {x: cpf}, say: {en: [verify], pt-BR: [verificar]}}
  take_cnpj: {takes: {x: cnpj}, say: {en: [register], pt-BR: [registrar]}}
  take_digits: {takes: {x: digits 6}, say: {en: [confirm], pt-BR: [confirmar]}}
  take_text: {takes: {x: quoted text}, say: {en: [write], pt-BR: [escrever]}}
"""


@cache
def one_of_each() -> Selector:
    return made(ONE_OF_EACH)


class TestValues:
    @pytest.mark.parametrize(
        ("turn", "value"),
        [
            ("fetch order 4411", 4411),
            ("fetch order #17", 17),
            ("fetch order no. 17", 17),
            ("fetch order seventeen", 17),
            ("paint deep red", "deep_red"),
            ("repeat 5", 5),
            ("repeat five", 5),
            ("scale 1.5", "1.5"),
            ("spend 40.00", "40.00 USD"),
            ("spend $1,250.75", "1250.75 USD"),
            ("spend forty dollars", "40.00 USD"),
            ("spend R$ 40.00", "40.00 BRL"),
            ("spend €40", "40.00 EUR"),
            ("book the room for 2027-03-03", "2027-03-03"),
            ("book the room for March 3, 2027", "2027-03-03"),
            ("book the room for tomorrow", "2026-12-01"),
            ("book the room for the day after tomorrow", "2026-12-02"),
            ("set the alarm at 3pm", "15:00"),
            ("set the alarm at 15:30", "15:30"),
            ("set the alarm at noon", "12:00"),
            ("audit the books for October 2026", "2026-10"),
            ("audit the books for last month", "2026-10"),
            ("pause the job for 2 hours", "PT2H"),
            ("pause the job for 30 minutes", "PT30M"),
            ("discount 10%", "10"),
            ("discount twelve percent", "12"),
            ("notify Ana.Silva@Example.com", "Ana.Silva@Example.com"),
            ("call +55 11 91234-5678", "+5511912345678"),
            ("verify 529.982.247-25", "52998224725"),
            ("register 11.222.333/0001-81", "11222333000181"),
            ("confirm 012345", "012345"),
            ("confirm 012 345", "012345"),
            ('write "Olá, Ana"', "Olá, Ana"),
        ],
    )
    def test_english(self, turn: str, value: Any) -> None:
        found = one_of_each().plan(turn, language="en", now=NOW)
        assert [one[1:] for one in said(found)] == [(value,)], found.reasons

    @pytest.mark.parametrize(
        ("turn", "value"),
        [
            ("pegue o pedido 4411", 4411),
            ("pegue o pedido nº 17", 17),
            ("pegue o pedido dezessete", 17),
            ("pinte vermelho escuro", "deep_red"),
            ("repita 5", 5),
            ("escale 1,5", "1.5"),
            ("gaste 40,00", "40.00 BRL"),
            ("gaste R$ 1.250,75", "1250.75 BRL"),
            ("gaste R$\u00a040,00", "40.00 BRL"),
            ("gaste trinta e cinco reais e noventa centavos", "35.90 BRL"),
            ("gaste US$ 40,00", "40.00 USD"),
            ("gaste mil reais", "1000.00 BRL"),
            ("reserve a sala para 03/04/2027", "2027-04-03"),
            ("reserve a sala para 8 de abril de 2027", "2027-04-08"),
            ("reserve a sala para amanhã", "2026-12-01"),
            ("reserve a sala para depois de amanha", "2026-12-02"),
            ("reserve a sala para daqui a 3 dias", "2026-12-03"),
            ("ponha o alarme às 15h30", "15:30"),
            ("ponha o alarme às 3 da tarde", "15:00"),
            ("ponha o alarme ao meio-dia", "12:00"),
            ("audite as contas de outubro de 2026", "2026-10"),
            ("audite as contas do mês passado", "2026-10"),
            ("pause o processo por 2 horas", "PT2H"),
            ("pause o processo por 13 horas", "PT13H"),
            ("desconte 10%", "10"),
            ("notifique Ana.Silva@Exemplo.com.br", "Ana.Silva@Exemplo.com.br"),
            ("ligue para (11) 91234-5678", "+5511912345678"),
            ("verifique 529.982.247-25", "52998224725"),
            ("registre 11.222.333/0001-81", "11222333000181"),
            ("confirme 012345", "012345"),
            ("escreva “Olá, Ana”", "Olá, Ana"),
        ],
    )
    def test_portuguese(self, turn: str, value: Any) -> None:
        found = one_of_each().plan(turn, language="pt-BR", now=NOW)
        assert [one[1:] for one in said(found)] == [(value,)], found.reasons

    @pytest.mark.parametrize(
        ("turn", "language"),
        [
            ("weigh 2.5 kg", "en"),
            ("weigh 2.5 kilos", "en"),
            ("pese 2,5 kg", "pt-BR"),
            ("pese 2,5 quilos", "pt-BR"),
        ],
    )
    def test_a_quantity_has_its_unit(self, turn: str, language: Language) -> None:
        (call,) = one_of_each().plan(turn, language=language).calls
        assert call.arguments == {"x": {"value": "2.5", "unit": "kilo"}}

    @pytest.mark.parametrize(
        ("turn", "language"),
        [
            ("spend 40", "en"),  # a bare integer is no amount
            ("scale 5 kg", "en"),
            ("verify 529.982.247-26", "en"),  # the check digits do not hold
            ("register 11.222.333/0001-82", "en"),
            ("confirm 12345", "en"),
            ("confirm 1234567", "en"),
            ("fetch order 0x11", "en"),
            ("fetch order 4,411", "en"),
            ("fetch order 007", "en"),
            ("fetch order 4411.0", "en"),
            ("fetch order -5", "en"),
            ("write goodbye", "en"),
            ("gaste 40", "pt-BR"),
            ("gaste 40.00", "pt-BR"),
            ("gaste trinta e cinco e noventa", "pt-BR"),
            ("gaste 2k", "pt-BR"),
            ("reserve a sala para sexta que vem", "pt-BR"),
            ("ponha o alarme às 3", "pt-BR"),
            ("verifique 111.111.111-11", "pt-BR"),
            ("pegue o pedido 4.411", "pt-BR"),
        ],
    )
    def test_what_is_no_exact_value(self, turn: str, language: Language) -> None:
        found = one_of_each().plan(turn, language=language, now=NOW)
        assert found.verdict == "unread", found.to_dict()

    def test_numbers_side_by_side_do_not_fuse(self) -> None:
        assert calls("charge order 4411 40.00") == [("charge_card", 4411, "40.00 USD")]
        assert calls("charge 40.00 to order 4411") == [("charge_card", 4411, "40.00 USD")]
        assert plan("charge order 4411 440.00 40.00").verdict == "unread"

    def test_a_slot_is_bound_once(self) -> None:
        assert code("refund order 5 40.00 order 6") == "repeated_argument"
        assert plan("refund order 5 of 6").verdict == "unread"

    def test_two_arguments_of_a_type_go_by_their_words(self) -> None:
        expected = [("transfer", "250.00 BRL", 1, 2)]
        for turn in (
            "transfer 250.00 from account 1 to account 2",
            "transfer 250.00 to account 2 from account 1",
            "transfer to account 2 from account 1 250.00",
        ):
            assert calls(turn, "en", "pix") == expected
        for turn in (
            "transfira R$ 250,00 da conta 1 para a conta 2",
            "transfira R$ 250,00 para a conta 2 da conta 1",
        ):
            assert calls(turn, "pt-BR", "pix") == expected
        assert plan("transfer 250.00 account 1 account 2", "en", "pix").verdict == "unread"
        several = "transfer 250.00 from accounts 1 and 3 to account 2"
        assert code(several, "en", "pix") == "number_mismatch"
        assert plan("merge tasks 7 and 8", "en", "agenda").verdict == "unread"

    def test_an_argument_of_several_types(self) -> None:
        for key, value in (
            ("ana@example.com", "ana@example.com"),
            ("529.982.247-25", "52998224725"),
            ("+55 11 91234-5678", "+5511912345678"),
            ('"a-b-c"', "a-b-c"),
        ):
            assert calls(f"send a pix of 40.00 to {key}", "en", "pix") == [
                ("send_pix", value, "40.00 BRL")
            ]

    def test_a_value_that_two_types_could_claim(self) -> None:
        """11 digits that are a good CPF and a good mobile number."""
        found = plan("send a pix of 40.00 to 11900000083", "en", "pix")
        assert found.verdict == "ambiguous"
        keys = {reading[0].arguments["key"] for reading in found.readings}
        assert keys == {"11900000083", "+5511900000083"}
        assert found.calls == ()
        told = calls("send a pix of 40.00 to cpf 11900000083", "en", "pix")
        assert told == [("send_pix", "11900000083", "40.00 BRL")]

    def test_optional_arguments_are_left_out(self) -> None:
        (call,) = plan("refund order 5").calls
        assert dict(call.arguments) == {"order_id": 5}

    def test_arguments_stand_in_the_tools_order(self) -> None:
        (call,) = plan("schedule at 3pm for tomorrow the delivery of order 5").calls
        assert list(call.arguments) == ["order_id", "date", "time"]

    def test_relative_dates_go_by_the_vocabularys_zone(self) -> None:
        turn = "schedule the delivery of order 5 for tomorrow"
        shop = selector("shop")
        for now in (
            "2026-12-01T01:00:00+00:00",  # still November in São Paulo
            "2026-11-30T22:00:00",
            datetime(2026, 12, 1, 1, tzinfo=UTC),
            datetime(2026, 11, 30, 22),
        ):
            (call,) = shop.plan(turn, language="en", now=now).calls
            assert call.arguments["date"] == "2026-12-01", now


class TestPoliteness:
    @pytest.mark.parametrize(
        "turn",
        [
            "please cancel order 5",
            "cancel order 5 please",
            "Hi, could you please cancel order 5? Thanks!",
            "can you cancel order 5?",
            "could you, please, cancel order 5?",
            "would you kindly cancel order 5",
            "I'd like you to cancel order 5.",
            "I’d like to cancel order 5",
            "I want you to cancel order 5, thank you",
            "I need to cancel order 5",
            "would you mind cancelling order 5?",
            "Good morning! Cancel order 5, thanks",
            "cancel order 5 for me",
            "CANCEL ORDER 5!",
        ],
    )
    def test_english(self, turn: str) -> None:
        assert calls(turn) == [("cancel_order", 5)]

    @pytest.mark.parametrize(
        "turn",
        [
            "por favor, cancele o pedido 5",
            "cancela o pedido 5 por favor",
            "Oi, você pode cancelar o pedido 5? Obrigada!",
            "bom dia, poderia cancelar o pedido 5, por gentileza?",
            "será que dá pra cancelar o pedido 5?",
            "tem como cancelar o pedido 5 pfv?",
            "gostaria de cancelar o pedido 5",
            "quero que você cancele o pedido 5",
            "favor cancelar o pedido 5",
            "é para cancelar o pedido 5",
            "preciso que cancele o pedido 5",
            "vc pode cancelar o pedido 5 pra mim?",
            "CANCELE O PEDIDO 5!",
            "faça o favor de cancelar o pedido 5",
        ],
    )
    def test_portuguese(self, turn: str) -> None:
        assert calls(turn, "pt-BR") == [("cancel_order", 5)]

    @pytest.mark.parametrize(
        ("turn", "language"),
        [
            ("cancel order 5?", "en"),
            ("you can cancel order 5", "en"),
            ("could you have cancelled order 5?", "en"),
            ("should you cancel order 5?", "en"),
            ("cancele o pedido 5?", "pt-BR"),
            ("pôde cancelar o pedido 5?", "pt-BR"),
            ("posso cancelar o pedido 5?", "pt-BR"),
            ("quer cancelar o pedido 5?", "pt-BR"),
            ("cancelá-lo-ei", "pt-BR"),
        ],
    )
    def test_what_is_no_request(self, turn: str, language: Language) -> None:
        assert plan(turn, language).verdict == "unread"

    def test_a_folded_accent_is_no_typed_one(self) -> None:
        assert calls("pode cancelar o pedido 5?", "pt-BR") == [("cancel_order", 5)]
        assert plan("pôde cancelar o pedido 5?", "pt-BR").verdict == "unread"
        assert plan("cancélé order 5").verdict == "unread"
        assert plan("cancele o pédido 5", "pt-BR").verdict == "unread"


class TestPlaces:
    """Spans are characters of the turn as typed."""

    def spans(self, turn: str, language: Language = "en") -> list[str]:
        return [turn[call.start : call.end] for call in plan(turn, language).calls]

    def test_a_call_spans_its_step(self) -> None:
        assert self.spans("Please charge order 5 40.00, then cancel order 6.") == [
            "charge order 5 40.00",
            "cancel order 6",
        ]

    def test_decomposed_accents(self) -> None:
        turn = unicodedata.normalize(
            "NFD", 'Põe uma nota no pedido 5: "não é açaí", depois mostre o pedido nº 6'
        )
        first, second = self.spans(turn, "pt-BR")
        assert first == unicodedata.normalize("NFD", 'Põe uma nota no pedido 5: "não é açaí"')
        assert second == "mostre o pedido nº 6"

    def test_characters_beyond_the_first_plane(self) -> None:
        turn = 'add a note to order 5: "😀👍🏽 🇧🇷 é", then cancel order 6'
        assert self.spans(turn) == ['add a note to order 5: "😀👍🏽 🇧🇷 é"', "cancel order 6"]

    def test_blanks_of_other_kinds(self) -> None:
        charge = "cobre\u2009o pedido\u00a05  no valor de R$\u202f40,00"
        turn = f"\u00a0{charge} ,\tdepois cancele o pedido 6"
        assert self.spans(turn, "pt-BR") == [charge, "cancele o pedido 6"]

    def test_letters_that_grow_in_lower_case(self) -> None:
        turn = 'add a note to order 5: "İİİ", then cancel order 6'
        assert self.spans(turn) == ['add a note to order 5: "İİİ"', "cancel order 6"]
        assert plan(turn).calls[0].arguments["text"] == "İİİ"

    def test_reasons_too(self) -> None:
        turn = unicodedata.normalize("NFD", "amanhã não cancele o pedido 5")
        (reason,) = plan(turn, "pt-BR").reasons
        assert turn[reason.start : reason.end] == unicodedata.normalize("NFD", "não")

    def test_a_rule_says_where_it_stands(self) -> None:
        (call,) = plan("cancel order 5").calls
        assert call.rule == "cancel_order.say.en[0]"
        assert call.file.endswith("shop.yaml")
        lines = read_file(call.file).decode().splitlines()
        assert "cancel" in lines[call.line - 1]


class TestQuotedText:
    @pytest.mark.parametrize(
        ("quoted", "text"),
        [
            ('"call before"', "call before"),
            ("“call before”", "call before"),
            ("«call before»", "call before"),
            ("« call before »", " call before "),
            ("'call before'", "call before"),
            ("‘call before’", "call before"),
            ("'don't call'", "don't call"),
            ("‘don’t call’", "don’t call"),
            ('"it’s “ok”"', "it’s “ok”"),
            ('“said "ok"”', 'said "ok"'),
            ('"  two  blanks\u00a0"', "  two  blanks\u00a0"),
            ('"Não, À VISTA"', "Não, À VISTA"),
            ('"na\u0303o"', "na\u0303o"),
            ('"cancel order 6, then refund it"', "cancel order 6, then refund it"),
            ('"if not, don\'t"', "if not, don't"),
            ('"заказ ٤٤١١ 😀"', "заказ ٤٤١١ 😀"),
            ('"a\nb"', "a\nb"),
        ],
    )
    def test_is_exactly_what_was_typed(self, quoted: str, text: str) -> None:
        assert calls(f"add a note to order 5 saying {quoted}") == [("add_note", 5, text)]
        turn = f"adicione uma nota ao pedido 5 dizendo {quoted}"
        assert calls(turn, "pt-BR") == [("add_note", 5, text)]

    def test_beside_decomposed_accents(self) -> None:
        turn = unicodedata.normalize("NFD", "põe uma nota no pedido 5: ") + '"é e\u0301 \u0301x"'
        assert calls(turn, "pt-BR") == [("add_note", 5, "é e\u0301 \u0301x")]

    def test_a_mark_right_behind_the_quotation_mark(self) -> None:
        turn = unicodedata.normalize("NFD", "põe uma nota no pedido 5: ") + '"\u0301x"'
        assert calls(turn, "pt-BR") == [("add_note", 5, "\u0301x")]

    @pytest.mark.parametrize("quoted", ['"open', "“open", "«open", '“open"', "‘open", "\"open'"])
    def test_unclosed(self, quoted: str) -> None:
        assert code(f"add a note to order 5 saying {quoted}") == "unclosed_quote"

    def test_loose_words_are_no_text(self) -> None:
        assert plan("add a note to order 5 saying hello").verdict == "unread"
        assert plan("add a note to order 5 saying cancel order 6").verdict == "unread"

    def test_two_texts(self) -> None:
        assert plan('add a note to order 5 saying "a" "b"').verdict == "unread"

    def test_control_characters_inside(self) -> None:
        for hidden in "\x00\x1b\u202e\u2066\x7f":
            assert code(f'add a note to order 5 saying "a{hidden}b"') == "control_character"


REASONS: list[tuple[str, Language, str, str]] = [
    # code, language, turn, what the reason points at
    ("empty", "en", "", ""),
    ("empty", "pt-BR", "   ", "   "),
    ("negation", "en", "please don't cancel order 5", "don't"),
    ("negation", "pt-BR", "por favor não cancele o pedido 5", "não"),
    ("condition", "en", "cancel order 5 if late", "if"),
    ("condition", "pt-BR", "cancele o pedido 5 caso atrase", "caso"),
    ("hypothetical", "en", "maybe cancel order 5", "maybe"),
    ("hypothetical", "pt-BR", "talvez cancele o pedido 5", "talvez"),
    ("question", "en", "why cancel order 5", "why"),
    ("question", "pt-BR", "cancele o pedido 5?", "?"),
    ("past", "en", "cancelled order 5", "cancelled"),
    ("past", "pt-BR", "cancelei o pedido 5", "cancelei"),
    ("future", "en", "I'll cancel order 5", "I'll"),
    ("future", "pt-BR", "vou cancelar o pedido 5", "vou"),
    ("reported", "en", "he said cancel order 5", "he said"),
    ("reported", "pt-BR", "ela disse cancele o pedido 5", "ela disse"),
    ("partial", "en", "refund half of order 5", "half"),
    ("partial", "pt-BR", "reembolse metade do pedido 5", "metade"),
    ("inverse", "en", "cancel the refund of order 5", "refund"),
    ("inverse", "pt-BR", "mostre a cobre do pedido 5", "cobre"),
    ("correction", "en", "cancel order 5, I mean 6", "I mean"),
    ("correction", "pt-BR", "cancele o pedido 5, quer dizer, 6", "quer dizer"),
    ("alternative", "en", "cancel order 5 or 6", "or"),
    ("alternative", "pt-BR", "cancele o pedido 5 ou 6", "ou"),
    ("approximate", "en", "charge order 5 roughly $40", "roughly"),
    ("approximate", "pt-BR", "cobre uns 40 reais do pedido 5", "uns"),
    ("hortative", "en", "let's cancel order 5", "let's"),
    ("hortative", "pt-BR", "vamos cancelar o pedido 5", "vamos"),
    ("unknown_word", "en", "cancel ordr 5", "ordr"),
    ("unknown_word", "pt-BR", "cancele o pedidu 5", "pedidu"),
    ("other_language", "en", "cancel pedido 5", "pedido"),
    ("other_language", "pt-BR", "cancele a encomenda 5", "encomenda"),
    ("other_script", "en", "cancel оrder 5", "о"),
    ("other_script", "pt-BR", "cancele o pedidо 5", "о"),
    ("control_character", "en", "cancel\u200b order 5", "\u200b"),
    ("control_character", "pt-BR", "cancele o pedido \u202e5", "\u202e"),
    ("unclosed_quote", "en", 'add a note to order 5 saying "x', '"x'),
    ("unclosed_quote", "pt-BR", "adicione uma nota ao pedido 5 dizendo “x", "“x"),
    ("ill_formed_number", "en", "cancel order 4.4.1", "4.4.1"),
    ("ill_formed_number", "pt-BR", "cobre o pedido 5 no valor de 40.00", "40.00"),
    ("ill_formed_money", "en", "charge order 5 40.123", "40.123"),
    ("ill_formed_money", "pt-BR", "cobre o pedido 5 no valor de 40,123", "40,123"),
    ("number_too_long", "en", "cancel order 1234567890123456789", "1234567890123456789"),
    ("number_too_long", "pt-BR", "cancele o pedido 1234567890123456789", "1234567890123456789"),
    (
        "impossible_date",
        "en",
        "schedule the delivery of order 5 for February 30, 2027",
        "February 30, 2027",
    ),
    (
        "impossible_date",
        "pt-BR",
        "agende a entrega do pedido 5 para 31 de abril de 2027",
        "31 de abril de 2027",
    ),
    ("ambiguous_date", "en", "schedule the delivery of order 5 for 03/04/2027", "03/04/2027"),
    (
        "ambiguous_date",
        "pt-BR",
        "agende a entrega do pedido 5 para a próxima sexta",
        "próxima sexta",
    ),
    (
        "ambiguous_time",
        "en",
        "schedule the delivery of order 5 for tomorrow at half past three",
        "half past three",
    ),
    ("ambiguous_time", "pt-BR", "agende a entrega do pedido 5 para amanhã às 3", "3"),
    ("ambiguous_number", "en", "cancel orders twenty and five", "orders twenty and five"),
    ("ambiguous_number", "pt-BR", "cancele os pedidos vinte e trinta", "pedidos vinte e trinta"),
    ("unexpected", "en", "cancel order 5 6", "6"),
    ("unexpected", "pt-BR", "cancele o pedido quarenta e quatro onze", "onze"),
    ("unfinished", "en", "cancel order 5 and", ""),
    ("unfinished", "pt-BR", "cancele o pedido 5 e", ""),
    ("unexpected_argument", "en", "cancel order 5 $40", "$40"),
    ("unexpected_argument", "pt-BR", "cancele o pedido 5 no valor de 40,00", "40,00"),
    ("repeated_argument", "en", "charge order 5 $40 $50", "$50"),
    ("repeated_argument", "pt-BR", "cobre R$ 40 do pedido 5 no valor de 50,00", "50,00"),
    ("unclear_reference", "en", "cancel it", "it"),
    ("unclear_reference", "pt-BR", "cancele-o", "cancele-o"),
    ("no_verb", "en", "order 5", "order 5"),
    ("no_verb", "pt-BR", "o pedido 5", "o pedido 5"),
    ("number_mismatch", "en", "cancel orders 5", "orders 5"),
    ("number_mismatch", "pt-BR", "cancele os pedidos 5", "pedidos 5"),
    ("repeated_call", "en", "cancel order 5 and cancel order 5", "cancel order 5"),
    ("repeated_call", "pt-BR", "cancele o pedido 5 e cancele o pedido 5", "cancele o pedido 5"),
    ("shared_amount", "en", "refund orders 5 and 6 $40", "refund orders 5 and 6 $40"),
    (
        "shared_amount",
        "pt-BR",
        "reembolse os pedidos 5 e 6 no valor de 40,00",
        "reembolse os pedidos 5 e 6 no valor de 40,00",
    ),
]


class TestReasons:
    @pytest.mark.parametrize(("code", "language", "turn", "words"), REASONS)
    def test_code_and_place(self, code: str, language: Language, turn: str, words: str) -> None:
        found = plan(turn, language)
        assert found.verdict == "unread"
        reason = found.reasons[0]
        assert (reason.code, turn[reason.start : reason.end]) == (code, words), found.reasons
        assert reason.message
        assert "{" not in reason.message

    @pytest.mark.parametrize("language", ["en", "pt-BR"])
    def test_every_code_is_here(self, language: Language) -> None:
        from stalwart_lang.selector.messages import REASONS as MESSAGES

        others = {
            "missing_argument",
            "ambiguous",
            "ambiguous_argument",
            "invalid_code",
        }  # not of this shop's
        shown = {code for code, its, *_ in REASONS if its == language}
        assert shown == MESSAGES.keys() - others

    def test_messages_are_in_the_turns_language(self) -> None:
        assert plan("don't cancel order 5").reasons[0].message.startswith("“don't” says")
        message = plan("não cancele o pedido 5", "pt-BR").reasons[0].message
        assert message.startswith("“não” diz")

    def test_what_could_have_stood_there(self) -> None:
        expected = plan("cancel ordr 5").reasons[0].expected
        assert expected[0] == "order"
        expected = plan("cancele o pedidu 5", "pt-BR").reasons[0].expected
        assert expected[0] == "pedido"

    def test_what_could_begin_a_turn(self) -> None:
        assert plan("xyz").reasons[0].expected
        assert plan("xyz", "pt-BR").reasons[0].expected
        (reason,) = plan("").reasons
        assert any("show" in one for one in reason.expected)

    def test_what_could_end_a_turn(self) -> None:
        (reason,) = plan("cancel order 5 and").reasons
        assert reason.expected
        assert reason.start == reason.end == len("cancel order 5 and")

    def test_all_of_several_reasons(self) -> None:
        turn = "don't cancel order 5 if it is late"
        found = plan(turn)
        assert [reason.code for reason in found.reasons][:2] == ["negation", "condition"]

    def test_a_reason_is_given_once(self) -> None:
        for turn in ("cancel оrder 5", "cancel order ٤", "can\u200bcel order 5"):
            found = plan(turn).reasons
            assert len({(one.code, one.start, one.end) for one in found}) == len(found), turn

    def test_characters_are_named(self) -> None:
        message = plan("cancel оrder 5").reasons[0].message
        assert "U+043E" in message
        assert "CYRILLIC SMALL LETTER O" in message
        assert "U+200B" in plan("can\u200bcel order 5").reasons[0].message

    def test_messages_hold_no_control_characters(self) -> None:
        for turn in ("can\u200bcel", "\x00", "\ud800", "cancel \x1b[31m", 'note "\u202e'):
            for reason in plan(turn).reasons:
                assert reason.message.isprintable(), ascii(reason.message)

    def test_a_long_text_is_not_repeated_whole(self) -> None:
        (reason, *_) = plan("x" * 10_000).reasons
        assert len(reason.message) < 300


LANGUAGE = """\
vocabulary: v
{settings}
things: {{order: {{en: [order], pt-BR: [pedido]}}}}
tools: {{cancel_order: {{takes: {{order_id: order}}, say: {{en: [cancel], pt-BR: [cancelar]}}}}}}
"""
NO_SETTING = LANGUAGE.format(settings="")
PORTUGUESE = LANGUAGE.format(settings="settings: {language: pt-BR}")


class TestLanguages:
    def test_request_first(self) -> None:
        found = made(PORTUGUESE, console_language="pt-BR").plan("cancel order 5", language="en")
        assert (found.language, found.language_from) == ("en", "request")
        assert found.verdict == "read"

    def test_then_the_console(self) -> None:
        found = made(PORTUGUESE, console_language="en").plan("cancel order 5")
        assert (found.language, found.language_from) == ("en", "console")
        assert found.verdict == "read"

    def test_then_the_vocabulary(self) -> None:
        found = made(PORTUGUESE).plan("cancele o pedido 5")
        assert (found.language, found.language_from) == ("pt-BR", "vocabulary")
        assert found.verdict == "read"

    def test_then_english(self) -> None:
        found = made(NO_SETTING).plan("cancel order 5")
        assert (found.language, found.language_from) == ("en", "default")
        assert found.verdict == "read"

    def test_never_guessed(self) -> None:
        assert made(NO_SETTING).plan("cancele o pedido 5").verdict == "unread"
        assert made(PORTUGUESE).plan("cancel order 5").verdict == "unread"

    @pytest.mark.parametrize("turn", ["", "do not", "cancel order 5", "cancel"])
    def test_every_verdict_says_it(self, turn: str) -> None:
        found = made(NO_SETTING).plan(turn)
        assert (found.language, found.language_from) == ("en", "default")
        found = made(NO_SETTING).plan(turn, language="pt-BR")
        assert (found.language, found.language_from) == ("pt-BR", "request")

    @pytest.mark.parametrize("language", ["pt", "pt-PT", "EN", "", "xx", "pt_BR"])
    def test_an_unknown_language(self, language: str) -> None:
        with pytest.raises(ValueError, match="language"):
            selector("shop").plan("cancel order 5", language=cast("Language", language))
        with pytest.raises(ValueError, match="language"):
            made(NO_SETTING, console_language=language)

    @pytest.mark.parametrize("now", ["tomorrow", "", "2026-13-01", "2026-11-30T25:00"])
    def test_a_now_that_is_no_time(self, now: str) -> None:
        for turn in ("cancel order 5", "schedule the delivery of order 5 for tomorrow", ""):
            with pytest.raises(ValueError, match="now"):
                selector("shop").plan(turn, language="en", now=now)


class TestIncomplete:
    def test_says_what_is_missing_and_asks(self) -> None:
        found = plan("charge order 5")
        assert found.verdict == "incomplete"
        assert found.calls == ()
        (missing,) = found.missing
        assert (missing.call, missing.tool, missing.argument) == (0, "charge_card", "amount")
        assert missing.question == "How much should be charged?"
        assert found.partial[0].arguments == {"order_id": 5}

    def test_asks_in_the_turns_language(self) -> None:
        (missing,) = plan("cobre o pedido 5", "pt-BR").missing
        assert missing.question == "Quanto devo cobrar?"

    def test_a_question_is_made_where_the_author_wrote_none(self) -> None:
        for kind in ("thing", "list", "money", "date", "time", "month", "duration", "text"):
            verbs = {
                "thing": ("fetch", "pegue"),
                "list": ("paint", "pinte"),
                "money": ("spend", "gaste"),
                "date": ("book the room", "reserve a sala"),
                "time": ("set the alarm", "ponha o alarme"),
                "month": ("audit the books", "audite as contas"),
                "duration": ("pause the job", "pause o processo"),
                "text": ("write", "escreva"),
            }[kind]
            english = one_of_each().plan(verbs[0], language="en")
            portuguese = one_of_each().plan(verbs[1], language="pt-BR")
            assert english.verdict == portuguese.verdict == "incomplete"
            assert english.missing[0].question.endswith("?")
            assert portuguese.missing[0].question != english.missing[0].question

    def test_a_closed_lists_question_names_its_members(self) -> None:
        question = one_of_each().plan("paint", language="en").missing[0].question
        assert "deep red" in question
        assert "blue" in question

    def test_several_are_missing(self) -> None:
        found = plan("schedule the delivery")
        assert [one.argument for one in found.missing] == ["order_id", "date"]

    def test_a_step_of_several(self) -> None:
        found = plan("show order 5, then charge order 6, then cancel order 7")
        assert [(one.call, one.argument) for one in found.missing] == [(1, "amount")]
        assert [call.tool for call in found.partial] == ["get_order", "charge_card", "cancel_order"]
        assert found.calls == ()

    def test_what_must_not_run_is_never_incomplete(self) -> None:
        for turn in ("don't charge order 5", "charge order 5 if late", "charge order 5 or 6"):
            assert plan(turn).verdict == "unread"


class TestAnswers:
    CHARGED: ClassVar = [("charge_card", 5, "40.00 USD")]

    @pytest.mark.parametrize(
        "answer",
        [
            "40",
            "40.00",
            "$40",
            "forty",
            "forty dollars",
            "amount 40.00",
            "of $40",
            "40, please",
            "40.",
        ],
    )
    def test_an_amount(self, answer: str) -> None:
        assert said(plan(answer, pending=plan("charge order 5"))) == self.CHARGED

    @pytest.mark.parametrize(
        "answer", ["5", "#5", "five", "order 5", "the order 5", "order number 5", "5 please"]
    )
    def test_an_id(self, answer: str) -> None:
        assert said(plan(answer, pending=plan("charge $40"))) == self.CHARGED

    @pytest.mark.parametrize(
        "answer",
        ["40", "quarenta", "40,00", "R$ 40,00", "40 reais", "no valor de 40,00", "valor 40,00"],
    )
    def test_an_amount_in_portuguese(self, answer: str) -> None:
        pending = plan("cobre o pedido 5", "pt-BR")
        assert said(plan(answer, "pt-BR", pending=pending)) == [("charge_card", 5, "40.00 BRL")]

    @pytest.mark.parametrize(
        "answer", ["17", "o 17", "cliente 17", "do cliente 17", "o cliente nº 17"]
    )
    def test_an_id_in_portuguese(self, answer: str) -> None:
        pending = plan("encerre a conta", "pt-BR")
        assert said(plan(answer, "pt-BR", pending=pending)) == [("close_account", 17)]

    def test_a_member_a_date_a_text_an_e_mail(self) -> None:
        pending = plan("list orders")
        assert said(plan("late", pending=pending)) == [("list_orders", "late")]
        pending = plan("schedule the delivery of order 5")
        assert said(plan("tomorrow", pending=pending)) == [("schedule_delivery", 5, "2026-12-01")]
        pending = plan("add a note to order 5")
        assert said(plan("“Olá”", pending=pending)) == [("add_note", 5, "Olá")]
        pending = plan("send the statement")
        assert said(plan("to Ana@Example.com", pending=pending)) == [
            ("send_statement", "Ana@Example.com")
        ]

    def test_an_optional_argument_besides(self) -> None:
        pending = plan("schedule the delivery of order 5")
        found = plan("tomorrow at 3pm", pending=pending)
        assert said(found) == [("schedule_delivery", 5, "2026-12-01", "15:00")]
        assert list(found.calls[0].arguments) == ["order_id", "date", "time"]

    def test_an_optional_argument_alone_leaves_the_question_open(self) -> None:
        found = plan("at 3pm", pending=plan("schedule the delivery of order 5"))
        assert found.verdict == "incomplete"
        assert [one.argument for one in found.missing] == ["date"]

    def test_two_questions_one_after_the_other(self) -> None:
        first = plan("schedule the delivery")
        second = plan("5", pending=first)
        assert second.verdict == "incomplete"
        assert [one.argument for one in second.missing] == ["date"]
        assert said(plan("tomorrow", pending=second)) == [("schedule_delivery", 5, "2026-12-01")]

    def test_two_questions_answered_at_once(self) -> None:
        found = plan("order 5, tomorrow", pending=plan("schedule the delivery"))
        assert said(found) == [("schedule_delivery", 5, "2026-12-01")]

    def test_questions_of_two_steps(self) -> None:
        first = plan("refund, then charge order 5")
        second = plan("7", pending=first)
        assert [(one.call, one.argument) for one in second.missing] == [(1, "amount")]
        assert said(plan("40", pending=second)) == [
            ("refund_card", 7),
            ("charge_card", 5, "40.00 USD"),
        ]

    @pytest.mark.parametrize(
        ("answer", "code"),
        [
            ("order 6", "repeated_argument"),
            ("tomorrow", "unexpected_argument"),
            ("yes", "unknown_word"),
            ("no", "negation"),
            ("not 40", "negation"),
            ("40 if late", "condition"),
            ("40 or 50", "alternative"),
            ("40?", "question"),
            ("about 40", "approximate"),
            ("", "empty"),
            ("40.123", "ill_formed_money"),
        ],
    )
    def test_a_wrong_answer(self, answer: str, code: str) -> None:
        found = plan(answer, pending=plan("charge order 5"))
        assert found.verdict == "unread"
        assert found.calls == ()
        assert found.partial == plan("charge order 5").partial  # the question stays open
        assert found.reasons[0].code == code

    def test_an_answer_in_portuguese_that_says_no(self) -> None:
        pending = plan("cobre o pedido 5", "pt-BR")
        for answer in ("não", "nao", "40 não", "nada", "nenhum"):
            assert plan(answer, "pt-BR", pending=pending).reasons[0].code == "negation"

    def test_a_number_that_two_open_arguments_could_take(self) -> None:
        pending = plan("transfer $40", "en", "pix")
        found = plan("1", "en", "pix", pending)
        assert found.verdict == "unread"
        found = plan("from account 1 to account 2", "en", "pix", pending)
        assert said(found) == [("transfer", "40.00 USD", 1, 2)]

    def test_a_new_turn_instead_of_an_answer(self) -> None:
        pending = plan("charge order 5")
        assert said(plan("cancel order 9", pending=pending)) == [("cancel_order", 9)]
        assert plan("refund", pending=pending).missing[0].tool == "refund_card"
        assert plan("don't charge it", pending=pending).verdict == "unread"

    def test_a_new_turn_does_not_refer_to_the_pending_one(self) -> None:
        assert plan("cancel it", pending=plan("charge order 5")).verdict == "unread"

    def test_an_answer_does_not_repeat_a_call(self) -> None:
        assert code("refund order 5, then refund order 5") == "repeated_call"
        found = plan("5", pending=plan("refund, then refund order 5"))
        assert found.calls == ()

    def test_only_an_incomplete_plan_is_filled(self) -> None:
        for turn in ("show order 5", "don't charge order 5"):
            assert plan("40", pending=plan(turn)).reasons[0].code == "no_verb"

    def test_an_answer_without_a_question(self) -> None:
        for turn in ("40", "order 5", "$40", "tomorrow"):
            assert code(turn) == "no_verb"

    def test_the_pending_plan_stays_as_it_is(self) -> None:
        pending = plan("charge order 5")
        before = pending.to_json()
        plan("40", pending=pending)
        assert pending.to_json() == before

    def test_reasons_have_their_place_in_the_answer(self) -> None:
        answer = "3pm"
        found = plan(answer, pending=plan("please schedule the delivery of order 5"))
        assert found.verdict == "incomplete"
        for reason in found.reasons:
            assert 0 <= reason.start <= reason.end <= len(answer)


AMBIGUOUS = """\
vocabulary: v
things: {order: {en: [order], pt-BR: [pedido]}, customer: {en: [customer], pt-BR: [cliente]}}
tools:
  cover_order: {takes: {order_id: order}, say: {pt-BR: [cobrir], en: [cover]}}
  charge_card: {takes: {order_id: order, amount: money}, say: {pt-BR: [cobrar], en: [cover]}}
"""


class TestAmbiguous:
    def test_the_readings_are_listed_and_nothing_runs(self) -> None:
        for turn, language in (("cobre o pedido 5", "pt-BR"), ("cover order 5", "en")):
            found = made(AMBIGUOUS).plan(turn, language=cast("Language", language))
            assert found.verdict == "ambiguous"
            assert found.calls == ()
            assert {reading[0].tool for reading in found.readings} == {"cover_order", "charge_card"}
            (reason,) = found.reasons
            assert reason.code == "ambiguous"
            assert "cover_order" in reason.message
            assert turn[reason.start : reason.end] == turn

    def test_a_form_of_one_verb_only(self) -> None:
        found = made(AMBIGUOUS).plan("cubra o pedido 5", language="pt-BR")
        assert said(found) == [("cover_order", 5)]

    def test_what_only_one_tool_can_take(self) -> None:
        found = made(AMBIGUOUS).plan("cobre R$ 40 do pedido 5", language="pt-BR")
        assert said(found) == [("charge_card", 5, "40.00 BRL")]


class TestPlans:
    TURNS = ("charge order 5 40.00, then cancel it", "charge order 5", "don't", "cancel ordr 5")

    @pytest.mark.parametrize("turn", TURNS)
    def test_json_holds_what_the_plan_holds(self, turn: str) -> None:
        found = plan(turn)
        text = found.to_json()
        assert "\n" not in text
        assert json.loads(text) == found.to_dict()

    def test_the_fields_of_the_command_line(self) -> None:
        data = plan("charge order 4411 40.00").to_dict()
        assert data["verdict"] == "read"
        assert data["language"] == "en"
        assert data["language_from"] == "request"
        assert data["reasons"] == []
        (call,) = data["calls"]
        assert call["tool"] == "charge_card"
        assert call["arguments"] == {
            "order_id": 4411,
            "amount": {"value": "40.00", "currency": "USD"},
        }
        assert (call["start"], call["end"]) == (0, 23)
        (reason,) = plan("don't").to_dict()["reasons"]
        assert {"code", "message", "start", "end"} <= reason.keys()

    def test_accents_stay_readable_in_json(self) -> None:
        assert "ã" in plan("não", "pt-BR").to_json()

    def test_json_can_always_be_written_as_utf_8(self) -> None:
        for turn in ("\ud800", 'add a note to order 5: "\ud800"', "cancel \udfff order"):
            plan(turn).to_json().encode("utf-8")

    def test_plans_are_frozen(self) -> None:
        found = plan("cancel order 5")
        with pytest.raises(dataclasses.FrozenInstanceError):
            found.verdict = "unread"  # type: ignore[misc]
        with pytest.raises(dataclasses.FrozenInstanceError):
            found.calls[0].tool = "x"  # type: ignore[misc]

    def test_the_same_turn_gives_the_same_bytes(self) -> None:
        for turn in self.TURNS:
            assert plan(turn).to_json() == plan(turn).to_json()
            other = Selector(Vocabulary.load("shop")).plan(turn, language="en", now=NOW)
            assert other.to_json() == plan(turn).to_json()

    def test_a_plan_of_one_turn_does_not_change_the_next(self) -> None:
        before = plan("cancel order 5").to_json()
        cast("dict[str, Any]", plan("cancel order 5").calls[0].arguments)["order_id"] = 6
        assert plan("cancel order 5").to_json() == before


class TestThreads:
    TURNS: ClassVar[list[tuple[str, Language]]] = [
        ("charge order 5 40.00, then cancel it", "en"),
        ("cobre R$ 40 do pedido 5 e depois cancele-o", "pt-BR"),
        ("charge order 5", "en"),
        ("não cancele o pedido 5", "pt-BR"),
        ("cancel orders 5, 6 and 7", "en"),
        ("agende a entrega do pedido 5 para depois de amanhã às 15h", "pt-BR"),
        ("cancel ordr 5", "en"),
    ]

    def test_many_threads_share_a_selector(self) -> None:
        alone = Selector(Vocabulary.load("shop"))
        expected = [alone.plan(turn, language, NOW).to_json() for turn, language in self.TURNS]
        shared = Selector(Vocabulary.load("shop"))  # nothing of it is warm yet
        together = threading.Barrier(8)

        def work(number: int) -> bool:
            together.wait()
            for at in range(140):
                which = (at + number) % len(self.TURNS)
                turn, language = self.TURNS[which]
                if shared.plan(turn, language, NOW).to_json() != expected[which]:
                    return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, range(8)))

    def test_async_callers(self) -> None:
        shop = selector("shop")

        async def ask(number: int) -> Plan:
            return await asyncio.to_thread(shop.plan, f"cancel order {number}", "en")

        async def main() -> list[Plan]:
            return await asyncio.gather(*(ask(number) for number in range(1, 51)))

        plans = asyncio.run(main())
        ids = [found.calls[0].arguments["order_id"] for found in plans]
        assert ids == list(range(1, 51))


@pytest.mark.parametrize(
    "turn",
    [
        "cancel \u0430\u0302order 5",  # a Cyrillic letter and a mark that do not compose
        "cancele o pedido \u0661\u0301",
        "Ola\u200b\u0301, busque o pedido 77",
        "cancel \u2028\u0301order 5",
        "cancel \ufb1forder 5",  # letters that NFC takes apart
        "\ufb2ccancel order 5",
        "cancele o nu\ud800\u0301mero 5",
    ],
)
@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_a_strange_letter_with_a_mark_has_a_place(turn: str, language: Language) -> None:
    found = plan(turn, language)
    assert found.verdict == "unread"
    assert all(0 <= one.start < one.end <= len(turn) for one in found.reasons)
