"""Turns made from phrases and values read back to their calls; what must stop a turn stops it.

A phrase below is `tool: verb rest`. In the rest, `the?` may be left out, `for/of` is either word,
`{name:kind}` an argument, `|` parts phrases that come in any order, `|?` one that may be missing;
a line that begins with `|` goes on.
Forms of verbs, values and expected results are written by hand here: nothing of the package makes
them.
"""

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from stalwart_lang import Language, Plan, Selector, Vocabulary

NOW = "2026-11-30T09:00:00-03:00"  # a Monday
TODAY = date(2026, 11, 30)
LANGUAGES: tuple[Language, ...] = ("en", "pt-BR")
SELECTORS = {name: Selector(Vocabulary.load(name)) for name in ("shop", "pix", "agenda")}
CURRENCY = {"en": {"shop": "USD", "pix": "BRL", "agenda": "USD"}}

PHRASES: dict[tuple[str, Language], str] = {
    ("shop", "en"): """
        get_order: show/get the? {order_id:order}
        charge_card: charge the? {order_id:order} {amount:money}
        charge_card: charge {amount:money} to the? {order_id:order}
        charge_card: charge {order_id:order} , amount {amount:money}
        charge_card: charge {order_id:order} an amount of {amount:money}
        refund_card: refund the? {order_id:order}
        refund_card: refund {order_id:order} {amount:money}
        refund_card: refund {amount:money} to the? {order_id:order}
        update_crm: update the? crm for/of/on the? {order_id:order}
        provision_account: provision the? account for/of the? {order_id:order}
        cancel_order: cancel the? {order_id:order}
        send_statement: send the? statement | to {customer_email:email} |? for/of {month:month}
        close_account: close the? account of/for the? {customer_id:customer}
        schedule_delivery: schedule the? delivery of/for {order_id:order} | for {date:date}
            |? at {time:time}
        add_note: add a? note to/on {order_id:order} saying {text:quote}
        add_note: add a? note to/on {order_id:order} : {text:quote}
        add_note: add a? note saying {text:quote} to/on {order_id:order}
        list_orders: list the? {status:status} orders
        list_orders: list the? {status:status} orders , limit {limit:count}
        list_orders: list {status:status} orders with a limit of {limit:count}
        list_orders: list the? first {limit:count} {status:status} orders
        list_orders: list {limit:count} {status:status} orders
    """,
    ("shop", "pt-BR"): """
        get_order: mostrar/consultar/buscar/ver o? {order_id:pedido}
        charge_card: cobrar o? {order_id:pedido} no valor de {amount:money}
        charge_card: cobrar {amount:money} do {order_id:pedido}
        charge_card: cobrar o? {order_id:pedido} , valor {amount:money}
        refund_card: reembolsar o? {order_id:pedido}
        refund_card: reembolsar {amount:money} do {order_id:pedido}
        refund_card: reembolsar o? {order_id:pedido} no valor de {amount:money}
        update_crm: atualizar o? CRM do/no {order_id:pedido}
        provision_account: provisionar a? conta do/para_o {order_id:pedido}
        cancel_order: cancelar o? {order_id:pedido}
        send_statement: enviar/mandar o? extrato | para/pra {customer_email:email}
            |? de {month:month}
        close_account: encerrar a? conta do {customer_id:cliente}
        schedule_delivery: agendar/marcar a? entrega do {order_id:pedido} | para {date:date}
            |? {time:at}
        add_note: adicionar/pôr uma? nota ao/no {order_id:pedido} dizendo {text:quote}
        add_note: adicionar/pôr uma? nota no/ao {order_id:pedido} : {text:quote}
        add_note: adicionar/pôr uma? nota dizendo {text:quote} no/ao {order_id:pedido}
        list_orders: listar/mostrar os? pedidos {status:status}
        list_orders: listar/mostrar os? pedidos {status:status} , limite {limit:count}
        list_orders: listar/mostrar os? pedidos {status:status} com limite de {limit:count}
        list_orders: listar {limit:count} pedidos {status:status}
    """,
    ("pix", "en"): """
        show_balance: show/check the/my balance
        show_statement: show/get the? statement for/of {month:month}
        show_payment: show the? {payment_id:payment}
        list_favourites: list the/my favourites/favorites
        send_pix: send/make a? pix | of {amount:money} | to {key:pix_key}
        schedule_pix: schedule a? pix | of {amount:money} | to {key:pix_key} | for {date:date}
        return_pix: return the? {payment_id:payment}
        return_pix: return {amount:money} of/from {payment_id:payment}
        set_pix_limit: set/change the/my pix limit to {limit:money}
        set_pix_limit: set/change the/my {period:period} pix limit to {limit:money}
        pay_boleto: pay the? boleto {code:boleto} |? on/for {date:dated}
        transfer: transfer | {amount:money} | from {source:account} | to {target:account}
        cancel_payment: cancel the? {payment_id:payment}
        send_receipt: send the? receipt | of/for {payment_id:payment} | to {email:email}
        block_card: block the/my {card:card} card
        unblock_card: unblock the/my {card:card} card
        add_favourite: add the? favourite/favorite {name:quote} with key {key:email}
        remove_favourite: remove the? favourite/favorite {name:quote}
    """,
    ("pix", "pt-BR"): """
        show_balance: mostrar/ver/consultar o/meu? saldo
        show_statement: mostrar/ver/consultar o? extrato de {month:month}
        show_payment: mostrar/ver o? {payment_id:pagamento}
        list_favourites: listar/mostrar os? favoritos
        send_pix: fazer/enviar/mandar um? Pix | de {amount:money} | para/pra {key:pix_key}
        schedule_pix: agendar/programar um? Pix | de {amount:money} | para/pra {key:pix_key}
            | para {date:date}
        return_pix: devolver o? {payment_id:pagamento}
        return_pix: devolver {amount:money} do {payment_id:pagamento}
        set_pix_limit: definir/mudar o/meu limite Pix para {limit:money}
        set_pix_limit: definir/mudar o limite Pix {period:period} para {limit:money}
        pay_boleto: pagar/quitar o? boleto {code:boleto} |? em {date:dated}
        transfer: transferir | {amount:money} | da {source:conta} | para_a/pra {target:conta}
        cancel_payment: cancelar o? {payment_id:pagamento}
        send_receipt: enviar/mandar o? comprovante | do {payment_id:pagamento}
            | para/pra {email:email}
        block_card: bloquear o/meu? cartão {card:card}
        unblock_card: desbloquear o/meu? cartão {card:card}
        add_favourite: adicionar/salvar o? favorito {name:quote} com a? chave {key:email}
        remove_favourite: remover/apagar o? favorito {name:quote}
    """,
    ("agenda", "en"): """
        create_event: create/schedule an? event/meeting {title:quote} | for {date:date}
            |? at {time:time}
        create_event: create/schedule an event {title:quote} for {date:date} for {length:duration}
        create_event: create a {repeats:frequency} event/meeting {title:quote} for {date:date}
        show_event: show/open the? {event_id:event}
        list_events: list the? events/meetings for/of {date:date}
        move_event: move/reschedule the? {event_id:event} | to {date:date} |? at {time:time}
        cancel_event: cancel the? {event_id:event}
        invite_guest: invite {guest:email} to the? {event_id:event}
        create_task: create/add a? task {text:quote} |? with priority {priority:priority}
            |? for {due:date}
        list_tasks: list the? {progress:progress} tasks
        complete_task: complete/finish the? {task_id:task}
        reopen_task: reopen the? {task_id:task}
        delete_task: delete the? {task_id:task}
        set_priority: set/change the? priority of {task_id:task} to {priority:priority}
        set_progress: set the? progress of {task_id:task} to {share:percentage}
        log_time: log {spent:duration} on/for {task_id:task}
        merge_tasks: merge | {source:task} | into {target:task}
        create_reminder: create/set a? reminder {text:quote} | for {date:date} |? at {time:time}
        create_reminder: remind me {date:date} to {text:quote}
        delete_reminder: remove the? {reminder_id:reminder}
    """,
    ("agenda", "pt-BR"): """
        create_event: criar/agendar/marcar um? evento {title:quote} | para {date:date} |? {time:at}
        create_event: criar/agendar/marcar uma reunião {title:quote}
            | para {date:date} | com duração de {length:duration}
        create_event: criar um evento {repeats:frequency} {title:quote} para {date:date}
        show_event: mostrar/ver o? {event_id:evento}
        show_event: mostrar/ver a? {event_id:reunião}
        list_events: listar os? eventos de {date:date}
        list_events: listar as? reuniões de {date:date}
        move_event: mover/remarcar/transferir o? {event_id:evento} | para {date:date} |? {time:at}
        cancel_event: cancelar/desmarcar a? {event_id:reunião}
        invite_guest: convidar {guest:email} para_o/pro {event_id:evento}
        create_task: criar/adicionar uma? tarefa {text:quote}
            |? com prioridade {priority:priority} |? para {due:date}
        list_tasks: listar as? tarefas {progress:progress}
        complete_task: concluir/finalizar a? {task_id:tarefa}
        reopen_task: reabrir a? {task_id:tarefa}
        delete_task: excluir a? {task_id:tarefa}
        set_priority: definir/mudar a? prioridade da {task_id:tarefa} para/como {priority:priority}
        set_progress: definir o? progresso da {task_id:tarefa} para/em {share:percentage}
        log_time: registrar {spent:duration} na {task_id:tarefa}
        merge_tasks: juntar | a? {source:tarefa} | com a? {target:tarefa}
        create_reminder: criar um? lembrete {text:quote} | para {date:date} |? {time:at}
        delete_reminder: apagar o? {reminder_id:lembrete}
    """,
}

# English: dictionary form, -ing.
ENGLISH_VERBS = """
    show showing
    get getting
    charge charging
    refund refunding
    update updating
    provision provisioning
    cancel cancelling canceling
    send sending
    close closing
    schedule scheduling
    add adding
    list listing
    check checking
    make making
    return returning
    set setting
    change changing
    pay paying
    transfer transferring
    block blocking
    unblock unblocking
    remove removing
    create creating
    open opening
    move moving
    reschedule rescheduling
    invite inviting
    complete completing
    finish finishing
    reopen reopening
    delete deleting
    log logging
    merge merging
    remind reminding
"""
# Portuguese: infinitive, formal imperative, informal imperative; of concluir and excluir the formal
# one twice: "conclui" is also how people type "concluí", I have done it.
PORTUGUESE_VERBS = """
    mostrar mostre mostra
    consultar consulte consulta
    buscar busque busca
    ver veja vê
    cobrar cobre cobra
    reembolsar reembolse reembolsa
    atualizar atualize atualiza
    provisionar provisione provisiona
    cancelar cancele cancela
    enviar envie envia
    mandar mande manda
    encerrar encerre encerra
    agendar agende agenda
    marcar marque marca
    adicionar adicione adiciona
    pôr ponha põe
    listar liste lista
    fazer faça faz
    programar programe programa
    devolver devolva devolve
    definir defina define
    mudar mude muda
    pagar pague paga
    quitar quite quita
    transferir transfira transfere
    bloquear bloqueie bloqueia
    desbloquear desbloqueie desbloqueia
    salvar salve salva
    remover remova remove
    apagar apague apaga
    criar crie cria
    mover mova move
    remarcar remarque remarca
    desmarcar desmarque desmarca
    convidar convide convida
    concluir conclua conclua
    finalizar finalize finaliza
    reabrir reabra reabre
    excluir exclua exclua
    registrar registre registra
    juntar junte junta
"""


def forms_of(table: str) -> dict[str, list[str]]:
    return {row.split()[0]: row.split()[1:] for row in table.strip().splitlines()}


FORMS: dict[Language, dict[str, list[str]]] = {
    "en": forms_of(ENGLISH_VERBS),
    "pt-BR": forms_of(PORTUGUESE_VERBS),
}
ENGLISH_ASKS = ("can you", "could you", "would you", "will you")
ENGLISH_WANTS = ("I want to", "I want you to", "I need to", "I'd like to", "I’d like you to")
PORTUGUESE_ASKS = (
    "pode",
    "poderia",
    "você pode",
    "você poderia",
    "vc pode",
    "será que você pode",
    "tem como",
    "dá para",
    "dá pra",
    "consegue",
)
PORTUGUESE_WANTS = (
    "quero",
    "queria",
    "gostaria de",
    "preciso",
    "preciso de",
    "favor",
    "é para",
    "eu quero",
)
PORTUGUESE_WANTS_THAT = ("quero que", "quero que você", "preciso que você", "peço que")

MONTHS: dict[Language, tuple[str, ...]] = {
    "en": (
        *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
        *("October", "November", "December"),
    ),
    "pt-BR": (
        *("janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto"),
        *("setembro", "outubro", "novembro", "dezembro"),
    ),
}
MEMBERS: dict[str, dict[Language, dict[str, str]]] = {
    "status": {
        "en": {"open": "open", "late": "late", "shipped": "shipped"},
        "pt-BR": {
            "abertos": "open",
            "em aberto": "open",
            "atrasados": "late",
            "enviados": "shipped",
        },
    },
    "card": {
        "en": {"physical": "physical", "virtual": "virtual"},
        "pt-BR": {"físico": "physical", "virtual": "virtual"},
    },
    "period": {
        "en": {"daytime": "day", "nighttime": "night"},
        "pt-BR": {"diurno": "day", "noturno": "night"},
    },
    "priority": {
        "en": {"low": "low", "medium": "medium", "high": "high"},
        "pt-BR": {"baixa": "low", "média": "medium", "alta": "high"},
    },
    "progress": {
        "en": {"pending": "pending", "open": "pending", "finished": "finished"},
        "pt-BR": {"pendentes": "pending", "abertas": "pending", "concluídas": "finished"},
    },
    "frequency": {
        "en": {"daily": "daily", "weekly": "weekly", "monthly": "monthly"},
        "pt-BR": {"diário": "daily", "semanal": "weekly", "mensal": "monthly"},
    },
}
ENGLISH_NOUNS = frozenset({"order", "customer", "payment", "account", "event", "task", "reminder"})
PORTUGUESE_NOUNS = frozenset(
    {"pedido", "cliente", "pagamento", "conta", "evento", "reunião", "tarefa", "lembrete"}
)
# From two to nine, to spell hundreds and thousands with.
ENGLISH_DIGITS = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
PORTUGUESE_DIGITS = ("dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove")

# Anywhere; before a request; after one.
POLITE: dict[Language, tuple[str, ...]] = {
    "en": ("please", "kindly", "right away", "pls"),
    "pt-BR": ("por favor", "por gentileza", "pfv", "agora"),
}
GREETINGS: dict[Language, tuple[str, ...]] = {
    "en": ("hi", "hello", "good morning", "hey"),
    "pt-BR": ("oi", "olá", "bom dia", "boa tarde"),
}
THANKS: dict[Language, tuple[str, ...]] = {
    "en": ("thanks", "thank you", "many thanks"),
    "pt-BR": ("obrigado", "obrigada", "valeu"),
}
NEGATIONS: dict[Language, tuple[str, ...]] = {
    "en": (
        "not",
        "do not",
        "don't",
        "don’t",
        "dont",
        "never",
        "no",
        "without",
        "instead of",
        "rather than",
        "except",
        "but not",
        "stop",
        "avoid",
        "neither",
        "nor",
        "cannot",
        "won't",
        "without refunding",
        "anything but",
    ),
    "pt-BR": (
        "não",
        "nao",
        "na\u0303o",
        "NÃO",
        "nunca",
        "jamais",
        "nem",
        "sem",
        "tampouco",
        "deixe de",
        "pare de",
        "evite",
        "em vez de",
        "ao invés de",
        "no lugar de",
        "exceto",
        "menos",
        "salvo",
        "mas não",
        "não precisa",
        "sem cancelar",
    ),
}
CONDITIONS: dict[Language, tuple[str, ...]] = {
    "en": (
        "if",
        "unless",
        "when",
        "whenever",
        "once",
        "until",
        "in case",
        "provided",
        "as long as",
        "as soon as",
        "only if",
        "if it is late",
        "while",
        "before",
        "whether",
        "otherwise",
        "perhaps",
        "maybe",
    ),
    "pt-BR": (
        "se",
        "caso",
        "quando",
        "assim que",
        "logo que",
        "desde que",
        "contanto que",
        "a menos que",
        "a não ser que",
        "salvo se",
        "só se",
        "somente se",
        "até que",
        "enquanto",
        "sempre que",
        "toda vez que",
        "na hipótese de",
        "talvez",
        "senão",
        "se atrasar",
        "antes de",
        "depois que",
    ),
}
JOINTS: dict[Language, tuple[str, ...]] = {
    "en": (" then ", ", then ", " and then ", ", and then ", "; ", ". ", "\n", ", after that "),
    "pt-BR": (" e depois ", ", depois ", " depois ", ", e depois ", "; ", ". ", "\n", ", então "),
}
# Letters that look Latin, of other scripts.
LOOK_ALIKES = dict(
    zip("aceiopsxyABCEHIKMOPTX", "асеіорѕхуАВСЕНІКМОРТХ", strict=True)  # Cyrillic
) | {"v": "ν", "n": "ո", "d": "ԁ", "g": "ɡ", "l": "ⅼ", "r": "𝗋", "u": "ս", "t": "ｔ", "m": "ⅿ"}
AS_TYPED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|\S+@[a-z0-9.-]+[a-z]", re.IGNORECASE)
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»")

Calls = list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class Made:
    """A turn and the calls that it asks for."""

    vocabulary: str
    language: Language
    text: str
    calls: Calls


def read(made: Made, text: str | None = None) -> Plan:
    return SELECTORS[made.vocabulary].plan(
        made.text if text is None else text, language=made.language, now=NOW
    )


def calls_of(plan: Plan) -> Calls:
    return [(call.tool, dict(call.arguments)) for call in plan.calls]


def places(plan: Plan) -> list[tuple[int, int]]:
    its = [(call.start, call.end) for call in (*plan.calls, *plan.partial)]
    return its + [(reason.start, reason.end) for reason in plan.reasons]


def assert_reads(made: Made, text: str | None = None) -> Plan:
    plan = read(made, text)
    assert plan.verdict == "read", (text or made.text, plan.reasons)
    assert calls_of(plan) == made.calls, text or made.text
    return plan


def assert_unread(made: Made, text: str) -> Plan:
    plan = read(made, text)
    assert plan.verdict == "unread", (text, plan.to_dict())
    assert not [*plan.calls, *plan.partial, *plan.readings], text
    assert plan.reasons, text
    return plan


# ---------------------------------------------------------------- values

Value = tuple[str, Any]


def _grouped(units: int, mark: str) -> str:
    return f"{units:,}".replace(",", mark)


@st.composite
def money(draw: st.DrawFn, language: Language, vocabulary: str) -> Value:
    units = draw(st.integers(0, 20_000) | st.integers(0, 12))
    cents = draw(st.integers(0, 99))
    point, mark = (".", ",") if language == "en" else (",", ".")
    whole = draw(st.sampled_from([str(units), _grouped(units, mark)]))
    own = CURRENCY.get(language, {}).get(vocabulary, "BRL")
    exact = f"{whole}{point}{cents:02}"
    value, cent_value = f"{units}.00", f"{units}.{cents:02}"
    few = draw(st.integers(2, 9))
    some = max(units, 2)
    options = [(exact, cent_value, own)]
    if language == "en":
        options += [
            (f"${exact}", cent_value, "USD"),
            (f"$ {exact}", cent_value, "USD"),
            (f"${whole}", value, "USD"),
            (f"USD {exact}", cent_value, "USD"),
            (f"R${exact}", cent_value, "BRL"),
            (f"{some} dollars", f"{some}.00", "USD"),
            (f"{some} dollars and {few} cents", f"{some}.0{few}", "USD"),
            (f"{ENGLISH_DIGITS[few - 2]} hundred dollars", f"{few}00.00", "USD"),
        ]
    else:
        options += [
            (f"R$ {exact}", cent_value, "BRL"),
            (f"R$\u00a0{exact}", cent_value, "BRL"),
            (f"R${whole}", value, "BRL"),
            (f"BRL {exact}", cent_value, "BRL"),
            (f"US$ {exact}", cent_value, "USD"),
            (f"{some} reais", f"{some}.00", "BRL"),
            (f"{some} reais e {few} centavos", f"{some}.0{few}", "BRL"),
            (f"{PORTUGUESE_DIGITS[few - 2]} mil reais", f"{few}000.00", "BRL"),
        ]
    text, number, currency = draw(st.sampled_from(options))
    return text, {"value": number, "currency": currency}


@st.composite
def thing(draw: st.DrawFn, noun: str) -> Value:
    number = draw(st.integers(1, 99_999) | st.integers(1, 10**15))
    english = [" ", " #", " number ", " no. "]
    marks = english if noun in ENGLISH_NOUNS else [" ", " nº ", " número ", " #"]
    return f"{noun}{draw(st.sampled_from(marks))}{number}", number


def _dated(language: Language, day: date) -> list[str]:
    name = MONTHS[language][day.month - 1]
    if language == "en":
        suffix = {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
        suffix = "th" if 11 <= day.day <= 13 else suffix
        return [
            day.isoformat(),
            f"{name} {day.day}, {day.year}",
            f"{name} {day.day} {day.year}",
            f"{name} {day.day}{suffix}, {day.year}",
            f"{day.day} {name} {day.year}",
            f"the {day.day}{suffix} of {name} {day.year}",
        ]
    return [
        day.isoformat(),
        f"{day.day} de {name} de {day.year}",
        f"{day:%d/%m/%Y}",
        f"{day.day}/{day.month}/{day.year}",
        f"o dia {day.day} de {name} de {day.year}",
    ]


@st.composite
def dates(draw: st.DrawFn, language: Language, relative: bool) -> Value:
    if relative and draw(st.booleans()):
        words = (
            {"today": 0, "tomorrow": 1, "the day after tomorrow": 2, "Friday": 4, "sunday": 6}
            if language == "en"
            else {"hoje": 0, "amanhã": 1, "depois de amanhã": 2, "sexta-feira": 4, "domingo": 6}
        )
        word = draw(st.sampled_from(sorted(words)))
        return word, (TODAY + timedelta(words[word])).isoformat()
    day = draw(st.dates(date(2026, 12, 1), date(2029, 12, 31)))
    text = draw(st.sampled_from(_dated(language, day)))
    assume(relative or not text.startswith("o "))
    return text, day.isoformat()


@st.composite
def times(draw: st.DrawFn, language: Language) -> Value:
    hour, minute = draw(st.integers(0, 23)), draw(st.integers(0, 59))
    clock = f"{hour:02}:{minute:02}"
    if language == "en":
        twelve, half = (hour - 1) % 12 + 1, "am" if hour < 12 else "pm"
        options = [
            (clock, clock),
            (f"{twelve}:{minute:02} {half}", clock),
            (f"{twelve}:{minute:02}{half}", clock),
            (f"{twelve} {half[0]}.m.", f"{hour:02}:00"),
            (f"{twelve}{half}", f"{hour:02}:00"),
            ("noon", "12:00"),
        ]
    else:
        options = [
            (clock, clock),
            (f"{hour}h", f"{hour:02}:00"),
            (f"{hour}h{minute:02}", clock),
            (f"{hour}h{minute:02}min", clock),
            (f"{max(hour, 13)} horas", f"{max(hour, 13)}:00"),
        ]
    return draw(st.sampled_from(options))


@st.composite
def at_times(draw: st.DrawFn) -> Value:
    text, value = draw(times("pt-BR"))
    options = [(f"às {text}", value), ("ao meio-dia", "12:00"), ("às 3 da tarde", "15:00")]
    return draw(st.sampled_from(options))


QUOTE_CONTENT = st.one_of(
    st.sampled_from(
        [
            "ligar antes",
            "don't cancel order 5; if late, refund it",
            "não cancele o pedido 5, e depois reembolse",
            "Não entregar às 3!",
            "na\u0303o",
            "preço: R$ 40,00 (à vista)",
            "日本 Привет 😀",
            "then cancel order 7",
        ]
    ),
    st.text(
        st.characters(exclude_categories=["Cc", "Cs", "Cf", "Zl", "Zp"], exclude_characters='"”»'),
        min_size=1,
        max_size=12,
    ).filter(str.strip),
)


@st.composite
def quotes(draw: st.DrawFn) -> Value:
    content = draw(QUOTE_CONTENT)
    opening, closing = draw(st.sampled_from([('"', '"'), ("“", "”"), ("«", "»")]))
    return f"{opening}{content}{closing}", content


def emails() -> st.SearchStrategy[Value]:
    name = st.from_regex(r"[a-z][a-z0-9]{0,6}([._+-][a-z0-9]{1,5})?", fullmatch=True)
    domain = st.sampled_from(["example.com", "exemplo.com.br", "Mail.Example.ORG", "x-y.io"])
    return st.tuples(name, domain).map("@".join).map(lambda one: (one, one))


@st.composite
def pix_keys(draw: st.DrawFn, language: Language) -> Value:
    phone, cpf, key = (
        ("phone", "cpf", "key") if language == "en" else ("o telefone", "o CPF", "a chave")
    )
    options: list[Value] = [
        draw(emails()),
        ("529.982.247-25", "52998224725"),
        (f"{cpf} 529.982.247-25", "52998224725"),
        (f"{phone} +55 11 91234-5678", "+5511912345678"),
        (f'{key} "7d9f0335-8dcc-4054"', "7d9f0335-8dcc-4054"),
    ]
    return draw(st.sampled_from(options))


@st.composite
def durations(draw: st.DrawFn, language: Language) -> Value:
    count = draw(st.integers(2, 23))
    units = (
        {"hours": "PT{}H", "minutes": "PT{}M", "days": "P{}D"}
        if language == "en"
        else {"horas": "PT{}H", "minutos": "PT{}M", "dias": "P{}D"}
    )
    unit = draw(st.sampled_from(sorted(units)))
    return f"{count} {unit}", units[unit].format(count)


@st.composite
def months(draw: st.DrawFn, language: Language) -> Value:
    year, month = draw(st.integers(2020, 2026)), draw(st.integers(1, 12))
    name = MONTHS[language][month - 1]
    return f"{name} {year}" if language == "en" else f"{name} de {year}", f"{year}-{month:02}"


def percentages(language: Language) -> st.SearchStrategy[Value]:
    sign = st.sampled_from(["%", " percent"] if language == "en" else ["%", " por cento"])
    return st.builds(lambda n, s: (f"{n}{s}", str(n)), st.integers(0, 100), sign)


def boletos() -> st.SearchStrategy[Value]:
    digits = st.text("0123456789", min_size=47, max_size=47)
    return digits.map(lambda one: (one, one))


def value(kind: str, language: Language, vocabulary: str) -> st.SearchStrategy[Value]:
    if kind in ENGLISH_NOUNS | PORTUGUESE_NOUNS:
        return thing(kind)
    if kind in MEMBERS:
        return st.sampled_from(sorted(MEMBERS[kind][language].items()))
    kinds: dict[str, Callable[[], st.SearchStrategy[Value]]] = {
        "money": lambda: money(language, vocabulary),
        "date": lambda: dates(language, True),
        "dated": lambda: dates(language, False),
        "time": lambda: times(language),
        "at": at_times,
        "quote": quotes,
        "email": emails,
        "pix_key": lambda: pix_keys(language),
        "duration": lambda: durations(language),
        "month": lambda: months(language),
        "percentage": lambda: percentages(language),
        "boleto": boletos,
        "count": lambda: st.integers(2, 99).map(lambda n: (str(n), n)),
    }
    return kinds[kind]()


# ---------------------------------------------------------------- turns


@st.composite
def requests(draw: st.DrawFn, language: Language, verb: str) -> tuple[str, str]:
    """A verb with the words that make it a request, and what may end the sentence."""
    forms = FORMS[language][verb]
    if language == "en":
        kind = draw(st.sampled_from(["bare", "bare", "ask", "want", "mind"]))
        if kind == "ask":
            return f"{draw(st.sampled_from(ENGLISH_ASKS))} {verb}", "?"
        if kind == "want":
            return f"{draw(st.sampled_from(ENGLISH_WANTS))} {verb}", "."
        if kind == "mind":
            return f"would you mind {draw(st.sampled_from(forms))}", "?"
        return verb, "."
    formal, informal = forms
    kind = draw(st.sampled_from(["formal", "informal", "infinitive", "ask", "want", "that"]))
    if kind == "ask":
        return f"{draw(st.sampled_from(PORTUGUESE_ASKS))} {verb}", "?"
    if kind == "want":
        return f"{draw(st.sampled_from(PORTUGUESE_WANTS))} {verb}", "."
    if kind == "that":
        return f"{draw(st.sampled_from(PORTUGUESE_WANTS_THAT))} {formal}", "."
    return {"formal": formal, "informal": informal, "infinitive": verb}[kind], "."


def phrases(vocabulary: str, language: Language) -> list[tuple[str, str, str]]:
    """The phrases of a table as tool, verb and rest, a verb at a time."""
    found = []
    table = re.sub(r"\n\s+\|", " |", PHRASES[vocabulary, language].strip())
    for line in table.splitlines():
        tool, _, said = line.strip().partition(": ")
        verbs, _, rest = said.partition(" ")
        found += [(tool, verb, rest) for verb in verbs.split("/")]
    return found


@st.composite
def steps(draw: st.DrawFn, vocabulary: str, language: Language) -> tuple[str, str, Calls]:
    """A step: its text, the sign that may end it, and its call."""
    tool, verb, rest = draw(st.sampled_from(phrases(vocabulary, language)))
    said, end = draw(requests(language, verb))
    fixed, *others = re.split(r" ?\|(?=\??)", rest)
    kept = [part.removeprefix("?") for part in others if part[0] != "?" or draw(st.booleans())]
    if len(kept) > 1:
        kept = draw(st.permutations(kept))
    arguments: dict[str, Any] = {}
    words = [said]
    for word in " ".join([fixed, *kept]).split():
        slot = re.fullmatch(r"\{(\w+):(\w+)\}", word)
        if slot:
            text, arguments[slot[1]] = draw(value(slot[2], language, vocabulary))
            words.append(text)
        elif word in (",", ":"):
            words[-1] += word
        elif not word.endswith("?") or draw(st.booleans()):
            chosen = draw(st.sampled_from(word.removesuffix("?").split("/")))
            words.append(chosen.replace("_", " "))
    ids = [arguments[name] for name in ("source", "target") if name in arguments]
    assume(len(set(ids)) == len(ids))  # nothing goes into itself
    return " ".join(words), end, [(tool, arguments)]


@st.composite
def turns(
    draw: st.DrawFn,
    languages: tuple[Language, ...] = LANGUAGES,
    most: int = 1,
    least: int = 1,
    polite: bool = False,
) -> Made:
    vocabulary = draw(st.sampled_from(sorted(SELECTORS)))
    language = draw(st.sampled_from(languages))
    text, end, calls = draw(steps(vocabulary, language))
    for _ in range(draw(st.integers(least, most)) - 1):
        more, end, following = draw(steps(vocabulary, language))
        joint = draw(st.sampled_from(JOINTS[language]))
        if polite:
            then = draw(st.sampled_from(["then", "and then"] if language == "en" else ["depois"]))
            joint = f", {draw(st.sampled_from(POLITE[language]))}, {then} "
        text += joint + more
        calls = calls + following
    text += draw(st.sampled_from(["", "", end]))
    assume(all(calls.count(call) == 1 for call in calls))  # asked twice, it is not clear what for
    return Made(vocabulary, language, text, calls)


def outside(text: str, change: Callable[[str], str]) -> str:
    """Change a turn outside its quotations and e-mail addresses."""
    made, at = [], 0
    for kept in AS_TYPED.finditer(text):
        made += [change(text[at : kept.start()]), kept[0]]
        at = kept.end()
    return "".join([*made, change(text[at:])])


def without_accents(text: str) -> str:
    kept = (c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return "".join(kept)


def gaps(text: str, pattern: re.Pattern[str] = AS_TYPED) -> list[int]:
    """Where a word may be put: the blanks outside quotations, the beginning and the end."""
    closed = {at for kept in pattern.finditer(text) for at in range(*kept.span())}
    return [0, *(at for at, c in enumerate(text) if c == " " and at not in closed), len(text)]


# ---------------------------------------------------------------- what is made reads back


@given(turns())
def test_a_turn_reads_back_to_its_call(made: Made) -> None:
    plan = assert_reads(made)
    assert not [*plan.reasons, *plan.missing, *plan.readings, *plan.partial]
    (call,) = plan.calls
    assert 0 <= call.start < call.end <= len(made.text)
    assert json.loads(plan.to_json()) == plan.to_dict()


@pytest.mark.parametrize(("vocabulary", "language"), sorted(PHRASES))
def test_every_phrase_has_a_turn_that_reads(vocabulary: str, language: Language) -> None:
    tools = {
        tool.name for tool in Vocabulary.load(vocabulary).tools.values() if language in tool.say
    }
    assert {tool for tool, _, _ in phrases(vocabulary, language)} == tools


@given(turns(most=3))
def test_joined_turns_give_all_calls_in_order(made: Made) -> None:
    plan = assert_reads(made)
    spans = [(call.start, call.end) for call in plan.calls]
    assert spans == sorted(spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


@settings(max_examples=30)
@given(turns(most=2))
def test_the_same_turn_gives_the_same_plan(made: Made) -> None:
    other = Selector(Vocabulary.load(made.vocabulary))
    first = other.plan(made.text, language=made.language, now=NOW).to_json()
    assert first == read(made).to_json() == read(made).to_json()


# ---------------------------------------------------------------- what changes nothing


@given(turns(most=2))
def test_accents_may_be_left_out(made: Made) -> None:
    # "Depois e para", "depois da para": without its accent the word is another one.
    assume(not re.search(r".\b(é para|dá para|dá pra)\b", made.text, re.DOTALL))
    assert_reads(made, outside(made.text, without_accents))


@given(turns(most=2))
def test_accents_may_be_decomposed(made: Made) -> None:
    decomposed = outside(made.text, lambda text: unicodedata.normalize("NFD", text))
    plan = assert_reads(made, decomposed)
    for call, same in zip(plan.calls, read(made).calls, strict=True):
        span = unicodedata.normalize("NFC", decomposed[call.start : call.end])
        assert span == unicodedata.normalize("NFC", made.text[same.start : same.end])


@given(turns(most=2), st.sampled_from([str.upper, str.title, str.swapcase, str.lower]))
def test_case_may_be_any(made: Made, change: Callable[[str], str]) -> None:
    assert_reads(made, outside(made.text, change))


@given(turns(most=2), st.data())
def test_blanks_may_be_many_and_of_any_kind(made: Made, data: st.DataObject) -> None:
    blanks = st.text(" \t\u00a0\u202f\u2009\u3000", min_size=1, max_size=3)
    spread = outside(made.text, lambda text: re.sub(" ", lambda _: data.draw(blanks), text))
    around = data.draw(st.sampled_from(["", " ", "\u00a0 ", "\t", "\n"]))
    assert_reads(made, around + spread + around)


@given(turns(most=2), st.data())
def test_politeness_changes_nothing(made: Made, data: st.DataObject) -> None:
    language = made.language
    first = data.draw(st.sampled_from(POLITE[language] + GREETINGS[language]))
    last = data.draw(st.sampled_from(POLITE[language] + THANKS[language]))
    before = data.draw(st.sampled_from(["", "{} ", "{}, ", "{}! "])).format(first)
    after = data.draw(st.sampled_from(["", " {}", ", {}", ", {}."])).format(last)
    text = made.text
    if text[-1] in ".?" and after:
        sign, text = text[-1], text[:-1]
        after = after.removesuffix(".") + sign
    assert_reads(made, before + text + after)


@given(turns(most=2, least=2, polite=True))
def test_politeness_may_follow_a_comma_between_steps(made: Made) -> None:
    assert_reads(made)


@given(turns(most=2))
def test_apostrophes_and_hyphens_may_be_typographic(made: Made) -> None:
    assert_reads(made, outside(made.text, lambda text: text.replace("'", "’")))
    assert_reads(made, outside(made.text, lambda text: re.sub(r"(?<=[a-z])-(?=[a-z])", "‑", text)))


# ---------------------------------------------------------------- what stops a turn


@given(turns(most=2), st.data())
def test_a_negation_anywhere_stops_the_turn(made: Made, data: st.DataObject) -> None:
    word = data.draw(st.sampled_from(NEGATIONS[made.language]))
    at = data.draw(st.sampled_from(gaps(made.text)))
    assert_unread(made, f"{made.text[:at]} {word} {made.text[at:]}")


@given(turns(most=2), st.data())
def test_a_condition_anywhere_stops_the_turn(made: Made, data: st.DataObject) -> None:
    word = data.draw(st.sampled_from(CONDITIONS[made.language]))
    at = data.draw(st.sampled_from(gaps(made.text)))
    assume((word, made.text[:at][-3:]) != ("once", " at"))  # at once
    assert_unread(made, f"{made.text[:at]} {word} {made.text[at:]}")


@given(turns(most=2), st.data())
def test_a_letter_of_another_script_stops_the_turn(made: Made, data: st.DataObject) -> None:
    quoted = {at for kept in QUOTED.finditer(made.text) for at in range(*kept.span())}
    places = [
        at
        for at, c in enumerate(made.text)
        # An apostrophe before no Latin letter opens a quotation.
        if c in LOOK_ALIKES and at not in quoted and made.text[at - 1 : at] not in ("'", "’")
    ]
    assume(places)
    at = data.draw(st.sampled_from(places))
    other = LOOK_ALIKES[made.text[at]]
    plan = assert_unread(made, made.text[:at] + other + made.text[at + 1 :])
    assert any(one.start <= at < one.end for one in plan.reasons), plan.reasons


@given(turns(most=2), st.data())
def test_an_invisible_character_stops_the_turn(made: Made, data: st.DataObject) -> None:
    quoted = {at for kept in QUOTED.finditer(made.text) for at in range(*kept.span())}
    at = data.draw(st.sampled_from([at for at in range(len(made.text)) if at not in quoted]))
    hidden = data.draw(st.sampled_from("\u200b\u200d\u202e\u2066\ufeff\u00ad\x00\x1b\x7f\u0085"))
    assert_unread(made, made.text[:at] + hidden + made.text[at:])


@given(turns(most=2), st.data())
def test_digits_of_another_script_stop_the_turn(made: Made, data: st.DataObject) -> None:
    kept = {at for found in AS_TYPED.finditer(made.text) for at in range(*found.span())}
    places = [at for at, c in enumerate(made.text) if "0" <= c <= "9" and at not in kept]
    assume(places)
    at = data.draw(st.sampled_from(places))
    zero = data.draw(st.sampled_from("\u0660\uff10\u0966\U0001d7ce"))
    digit = chr(ord(zero) + int(made.text[at]))
    assert_unread(made, made.text[:at] + digit + made.text[at + 1 :])


@given(turns(), st.data())
def test_a_word_left_out_never_gives_another_call(made: Made, data: st.DataObject) -> None:
    """A word may be of no account; but then the call is the same, or only lacks what is gone."""
    blanks = gaps(made.text)
    number = data.draw(st.integers(0, len(blanks) - 2))
    text = made.text[: blanks[number]] + made.text[blanks[number + 1] :]
    ((tool, arguments),) = made.calls
    for found, its in calls_of(read(made, text)):
        assert found == tool, text
        for name, one in its.items():
            if isinstance(one, int) and isinstance(arguments.get(name), int):
                assert one == arguments[name], text


# ---------------------------------------------------------------- any text at all

WORDS = sorted(
    {
        word
        for table in PHRASES.values()
        for word in re.findall(r"[^\s|{}:?/]+", table)
        if word[-1] != "}"
    }
    | {"it", "them", "o", "a", "e", "and", "then", "depois", "não", "se", "if", "5", "40,00", "1"}
    | {"order", "pedido", "orders", "pedidos", ",", ".", "?", ":", '"', "“", "'", "R$", "$", "-"}
    | {"\n", "#", "nº", "@", "a@b.co", "esse", "that", "cancele-o", "hoje", "às", "15h", "três"}
)
WILD = st.one_of(
    st.text(st.characters(), max_size=60),
    st.text(
        st.sampled_from("aeinorst çãé-'’.,:/@$%0123456789\"“”«»\u0301\u200b\ud800\n"), max_size=60
    ),
    st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=25).map("".join),
)


@given(st.sampled_from(sorted(SELECTORS)), st.sampled_from(LANGUAGES), WILD)
@example("shop", "en", "")
@example("shop", "pt-BR", "\ud800")
@example("pix", "pt-BR", '"\ud800')
@example("shop", "en", "\x00")
def test_any_text_gives_a_verdict(vocabulary: str, language: Language, text: str) -> None:
    plan = SELECTORS[vocabulary].plan(text, language=language, now=NOW)
    assert plan.verdict in ("read", "incomplete", "ambiguous", "unread")
    assert (plan.verdict == "read") == bool(plan.calls)
    assert (plan.verdict == "read") == (not plan.reasons)
    for start, end in places(plan):
        assert 0 <= start <= end <= len(text)
    assert json.loads(plan.to_json()) == plan.to_dict()
    assert "\n" not in plan.to_json()


@given(turns(most=2), WILD, st.data())
def test_any_text_in_a_turn_gives_a_verdict(made: Made, wild: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(made.text)))
    text = made.text[:at] + wild + made.text[at:]
    plan = read(made, text)
    assert (plan.verdict == "read") == bool(plan.calls)
    for start, end in places(plan):
        assert 0 <= start <= end <= len(text)


@settings(max_examples=40)
@given(st.sampled_from(LANGUAGES), st.text(st.characters(), min_size=1, max_size=6))
def test_ten_thousand_characters_give_a_verdict(language: Language, part: str) -> None:
    text = part * (10_240 // len(part))
    assert SELECTORS["shop"].plan(text, language=language, now=NOW).verdict == "unread"


@given(turns(most=2), WILD)
def test_any_text_answers_a_question(made: Made, wild: str) -> None:
    pending = SELECTORS["shop"].plan("charge order 5", language="en", now=NOW)
    plan = SELECTORS["shop"].plan(wild, language="en", now=NOW, pending=pending)
    assert (plan.verdict == "read") == bool(plan.calls)
    if plan.verdict == "read" and plan.calls[0].tool == "charge_card" and len(plan.calls) == 1:
        assert set(plan.calls[0].arguments) == {"order_id", "amount"}
