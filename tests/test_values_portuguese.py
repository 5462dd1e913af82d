"""Brazilian Portuguese values, with accents and without; the clock is Monday 30 November 2026."""

import unicodedata
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stalwart_lang.selector.values import portuguese
from stalwart_lang.selector.values.reading import Clock, Malformed, Value
from stalwart_lang.words.text import fold, tokenize


def words(text: str) -> list[str]:
    return text.split()


MONDAY = Clock(datetime(2026, 11, 30, 10, 0))

UNITS = words("zero um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze")
UNITS += words("quinze dezesseis dezessete dezoito dezenove")
TENS = words("- - vinte trinta quarenta cinquenta sessenta setenta oitenta noventa")
HUNDREDS = words(
    "- cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos"
)
MONTHS = words(
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"
)
WEEKDAYS = words("segunda terça quarta quinta sexta sábado domingo")


def read(text: str, clock: Clock = MONDAY) -> Value | Malformed | None:
    return portuguese.read(tokenize(unicodedata.normalize("NFC", text.lower())), 0, clock)


def whole(text: str, clock: Clock = MONDAY) -> tuple[str, object]:
    """The kind and value of a text which must be read to its end, alike without its accents."""
    found = read(text, clock)
    assert isinstance(found, Value), (text, found)
    assert found.end == len(tokenize(text.lower())), (text, found)
    assert read(fold(text), clock) == found
    assert read(unicodedata.normalize("NFD", text), clock) == found
    return found.kind, found.value


def left_over(text: str) -> tuple[object, str]:
    """The value at the beginning of a text, and what it leaves."""
    tokens = tokenize(text.lower())
    found = portuguese.read(tokens, 0, MONDAY)
    assert isinstance(found, Value), (text, found)
    return found.value, " ".join(tokens[found.end :])


def after(before: str, text: str) -> Value | Malformed | None:
    """What is read in `text` when one word stands before it."""
    return portuguese.read(tokenize(f"{before} {text}".lower()), 1, MONDAY)


def spell(number: int) -> str:
    """Spell an integer below a thousand million as Brazilian grammars have it."""
    if number < 20:
        return UNITS[number]
    if number < 100:
        tens, unit = divmod(number, 10)
        return TENS[tens] + (f" e {UNITS[unit]}" if unit else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        if number == 100:
            return "cem"
        return HUNDREDS[hundreds] + (f" e {spell(rest)}" if rest else "")
    scale = 10**6 if number >= 10**6 else 1000
    count, rest = divmod(number, scale)
    if scale == 1000:
        text = "mil" if count == 1 else f"{spell(count)} mil"
    else:
        text = "um milhão" if count == 1 else f"{spell(count)} milhões"
    if not rest:
        return text
    return f"{text} {'e ' if rest < 100 or (rest < 1000 and rest % 100 == 0) else ''}{spell(rest)}"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4411", 4411),
        ("007", 7),
        ("3.250", 3250),
        ("12.345.678", 12345678),
        ("um", 1),
        ("uma", 1),
        ("duas", 2),
        ("três", 3),
        ("quatorze", 14),
        ("catorze", 14),
        ("vinte e cinco", 25),
        ("vinte e uma", 21),
        ("cem", 100),
        ("cento e vinte", 120),
        ("duzentas e seis", 206),
        ("novecentas e noventa e nove", 999),
        ("mil", 1000),
        ("mil e cinco", 1005),
        ("mil e trezentos", 1300),
        ("mil trezentos", 1300),
        ("mil trezentos e dez", 1310),
        ("mil e trezentos e dez", 1310),
        ("duas mil", 2000),
        ("dois mil e vinte e sete", 2027),
        ("duzentos e dois mil", 202000),
        ("um milhão", 1000000),
        ("um milhão e cinco", 1000005),
        ("dois milhões trezentos mil", 2300000),
        ("dois milhões e trezentos mil", 2300000),
        ("um bilhão", 1000000000),
        ("3 mil", 3000),
        ("2,5 mil", 2500),
        ("1,5 milhão", 1500000),
        ("3 mil e quinhentos", 3500),
        ("3 mil e 500", 3500),
        ("dúzia", 12),
        ("uma dúzia", 12),
        ("duas dúzias", 24),
        ("2 dúzias", 24),
        ("meia dúzia", 6),
    ],
)
def test_integers(text, number):
    assert whole(text) == ("integer", number)


@pytest.mark.parametrize(
    ("text", "value", "rest"),
    [
        ("4411 40,00", 4411, "40,00"),
        ("quarenta e quatro onze", 44, "onze"),
        ("cem e cinco", 100, "e cinco"),
        ("trinta e cinco e noventa", 35, "e noventa"),
        ("três e quatro", 3, "e quatro"),
        ("três e quinze", 3, "e quinze"),
        ("quinze e trinta", 15, "e trinta"),
        ("duzentos cinco", 200, "cinco"),
        ("mil dois mil", 1000, "dois mil"),
        ("mil e dois mil", 1000, "e dois mil"),
        ("3 e 4", 3, "e 4"),
        ("3 e 15", 3, "e 15"),
        ("4411 r$ 35,90", 4411, "r$ 35,90"),
        ("4411 us$ 35", 4411, "us$ 35"),
        ("4411 brl 35", 4411, "brl 35"),
        ("4411 cem reais", 4411, "cem reais"),
        ("5 dia 8", 5, "dia 8"),
        ("1 dia 8", 1, "dia 8"),
        ("1 mês passado", 1, "mês passado"),
        ("1 semana que vem", 1, "semana que vem"),
        ("5 mês que vem", 5, "mês que vem"),
        ("8 de dez", 8, "de dez"),
        ("8 abril", 8, "abril"),
        ("10 para as 4", 10, "para as 4"),
        ("5 por pedido", 5, "por pedido"),
        ("5 da loja", 5, "da loja"),
        ("4411 .", 4411, "."),
    ],
)
def test_side_by_side_numbers_do_not_fuse(text, value, rest):
    assert left_over(text) == (value, rest)


@pytest.mark.parametrize(
    ("text", "digits"),
    [("35,90", "35.90"), ("0,5", "0.5"), ("3.250,75", "3250.75"), ("4411,4412", "4411.4412")],
)
def test_decimals_keep_their_digits(text, digits):
    kind, value = whole(text)
    assert kind == "decimal"
    assert str(value) == digits


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("40.00", "ill_formed_number"),
        ("1.5", "ill_formed_number"),
        ("1.5 mil", "ill_formed_number"),
        ("1,250.75", "ill_formed_number"),
        ("3.25", "ill_formed_number"),
        ("0.250", "ill_formed_number"),
        ("1.2.3.4", "ill_formed_number"),
        ("08-04", "ill_formed_number"),
        ("123.456.789-09", "ill_formed_number"),
        ("cento", "ill_formed_number"),
        ("cento vinte", "ill_formed_number"),
        ("um mil", "ill_formed_number"),
        ("mil dez", "ill_formed_number"),
        ("um milhão dez", "ill_formed_number"),
        ("3 mil quinhentos", "ill_formed_number"),
        ("3 mil 500", "ill_formed_number"),
        ("3 mil e 5", "ill_formed_number"),
        ("2,5 mil e quinhentos", "ill_formed_number"),
        ("2,55555 mil", "ill_formed_number"),
        ("1234567890123456789", "number_too_long"),
    ],
)
def test_malformed_numbers(text, code):
    found = read(text)
    assert isinstance(found, Malformed)
    assert found.code == code


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("R$ 35,90", "35.90", "BRL"),
        ("R$35", "35.00", "BRL"),
        ("R$\u00a040,00", "40.00", "BRL"),
        ("R$ 3.250,75", "3250.75", "BRL"),
        ("R$ 3 mil", "3000.00", "BRL"),
        ("R$ 1,5 milhão", "1500000.00", "BRL"),
        ("R$ 3 milhões de reais", "3000000.00", "BRL"),
        ("R$ 40 reais", "40.00", "BRL"),
        ("R$ 35 e 90 centavos", "35.90", "BRL"),
        ("BRL 35", "35.00", "BRL"),
        ("35 BRL", "35.00", "BRL"),
        ("35 reais", "35.00", "BRL"),
        ("35,90 reais", "35.90", "BRL"),
        ("1 real", "1.00", "BRL"),
        ("um real", "1.00", "BRL"),
        ("trinta e cinco reais", "35.00", "BRL"),
        ("trinta e cinco reais e noventa centavos", "35.90", "BRL"),
        ("trinta e cinco reais e noventa", "35.90", "BRL"),
        ("35 reais e 90 centavos", "35.90", "BRL"),
        ("35 reais e 90", "35.90", "BRL"),
        ("35 reais e 05", "35.05", "BRL"),
        ("35 reais 90 centavos", "35.90", "BRL"),
        ("noventa centavos", "0.90", "BRL"),
        ("90 centavos", "0.90", "BRL"),
        ("3 mil reais", "3000.00", "BRL"),
        ("3 mil e quinhentos reais", "3500.00", "BRL"),
        ("mil reais", "1000.00", "BRL"),
        ("2,5 mil reais", "2500.00", "BRL"),
        ("um milhão de reais", "1000000.00", "BRL"),
        ("dois milhões de reais", "2000000.00", "BRL"),
        ("cem reais e um centavo", "100.01", "BRL"),
        ("US$ 40", "40.00", "USD"),
        ("40 dólares", "40.00", "USD"),
        ("quarenta dólares e cinquenta centavos", "40.50", "USD"),
        ("€ 40", "40.00", "EUR"),
        ("40 euros", "40.00", "EUR"),
        ("£40", "40.00", "GBP"),
        ("500 ienes", "500", "JPY"),
    ],
)
def test_money(text, amount, currency):
    kind, value = whole(text)
    assert kind == "money"
    assert value == (Decimal(amount), currency)
    assert str(value[0]) == amount


@pytest.mark.parametrize(
    ("text", "amount", "rest"),
    [
        ("35 reais e cancele", "35.00", "e cancele"),
        ("35 reais e 4411", "35.00", "e 4411"),
        ("35 reais e 40 reais", "35.00", "e 40 reais"),
        ("35 reais e 90 dias", "35.00", "e 90 dias"),
        ("35 reais e uma nota", "35.00", "e uma nota"),
        ("35 reais e r$ 40", "35.00", "e r$ 40"),
        ("35 reais e 90 e 4411", "35.90", "e 4411"),
        ("35 reais e 90 do pedido 5", "35.90", "do pedido 5"),
        ("35,90 reais e 10", "35.90", "e 10"),
        ("r$ 35 e 90", "35.00", "e 90"),
        ("r$ 35,90 4411", "35.90", "4411"),
    ],
)
def test_money_leaves_what_is_not_its_own(text, amount, rest):
    value, left = left_over(text)
    assert value == (Decimal(amount), "BRL")
    assert left == rest


@pytest.mark.parametrize(
    "text",
    [
        "$40",
        "40 $",
        "R$ 40.00",
        "R$ 35,905",
        "R$",
        "R$ do pedido",
        "R$ -40",
        "R$ 2k",
        "R$ 10%",
        "R$ 40-50",
        "R$ quarenta",
        "R$ 40 dólares",
        "R$ 40 USD",
        "35,905 reais",
        "35 reais e 5",
        "trinta e cinco reais e cinco",
        "35 reais e 150 centavos",
        "35,90 reais e 10 centavos",
        "500 ienes e 50 centavos",
        "40,00 usd 4411",
    ],
)
def test_malformed_money(text):
    found = read(text)
    assert isinstance(found, Malformed)
    assert found.code == "ill_formed_money"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("hoje", "2026-11-30"),
        ("amanhã", "2026-12-01"),
        ("depois de amanhã", "2026-12-02"),
        ("ontem", "2026-11-29"),
        ("anteontem", "2026-11-28"),
        ("antes de ontem", "2026-11-28"),
        ("daqui a 3 dias", "2026-12-03"),
        ("daqui 3 dias", "2026-12-03"),
        ("daqui a uma semana", "2026-12-07"),
        ("dentro de duas semanas", "2026-12-14"),
        ("em 3 dias", "2026-12-03"),
        ("em três dias", "2026-12-03"),
        ("daqui a um mês", "2026-12-30"),
        ("há 3 dias", "2026-11-27"),
        ("há três dias atrás", "2026-11-27"),
        ("3 dias atrás", "2026-11-27"),
        ("dia 8", "2026-12-08"),
        ("dia 30", "2026-11-30"),
        ("dia 31", "2026-12-31"),
        ("dia oito", "2026-12-08"),
        ("dia primeiro", "2026-12-01"),
        ("dia 1º", "2026-12-01"),
        ("dia 8 de abril", "2027-04-08"),
        ("dia 8 de abril de 2028", "2028-04-08"),
        ("dia 08/04", "2027-04-08"),
        ("dia 1/2", "2027-02-01"),
        ("dia 8 do mês que vem", "2026-12-08"),
        ("dia 8 do próximo mês", "2026-12-08"),
        ("dia 8 deste mês", "2026-11-08"),
        ("dia 8 do mês passado", "2026-10-08"),
        ("8 de abril", "2027-04-08"),
        ("8 de março", "2027-03-08"),
        ("oito de abril", "2027-04-08"),
        ("vinte e cinco de dezembro", "2026-12-25"),
        ("8 de abril de 2027", "2027-04-08"),
        ("8 de abril 2028", "2028-04-08"),
        ("8 de abr de 2028", "2028-04-08"),
        ("oito de abril de dois mil e vinte e oito", "2028-04-08"),
        ("primeiro de abril", "2027-04-01"),
        ("1º de abril", "2027-04-01"),
        ("1° de abril", "2027-04-01"),
        ("1.º de abril", "2027-04-01"),
        ("1o de abril", "2027-04-01"),
        ("08/04", "2027-04-08"),
        ("30/11", "2026-11-30"),
        ("29/11", "2027-11-29"),
        ("08/04/27", "2027-04-08"),
        ("08/04/2027", "2027-04-08"),
        ("8/4/2027", "2027-04-08"),
        ("8-4-2027", "2027-04-08"),
        ("8.4.2027", "2027-04-08"),
        ("2027-04-08", "2027-04-08"),
        ("8/abr/2027", "2027-04-08"),
        ("8/dez", "2026-12-08"),
        ("29 de fevereiro", "2028-02-29"),
        ("terça", "2026-12-01"),
        ("sexta-feira", "2026-12-04"),
        ("sexta feira", "2026-12-04"),
        ("sábado", "2026-12-05"),
        ("domingo", "2026-12-06"),
        ("esta sexta", "2026-12-04"),
        ("nesta sexta-feira", "2026-12-04"),
        ("6ª-feira", "2026-12-04"),
        ("6ª feira", "2026-12-04"),
        ("6a-feira", "2026-12-04"),
        ("sexta, 5 de março", "2027-03-05"),
        ("sexta-feira, 5 de março de 2027", "2027-03-05"),
        ("sexta, dia 4", "2026-12-04"),
        ("sexta 04/12", "2026-12-04"),
        ("sex, 05/03/2027", "2027-03-05"),
        ("próxima sexta, 4 de dezembro", "2026-12-04"),
        ("segunda, 30 de novembro", "2026-11-30"),
    ],
)
def test_dates(text, day):
    assert whole(text) == ("date", day)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("segunda", "ambiguous_date"),
        ("segunda-feira", "ambiguous_date"),
        ("2ª-feira", "ambiguous_date"),
        ("próxima sexta", "ambiguous_date"),
        ("sexta que vem", "ambiguous_date"),
        ("sexta-feira passada", "ambiguous_date"),
        ("domingo que vem", "ambiguous_date"),
        ("última sexta", "ambiguous_date"),
        ("semana que vem", "ambiguous_date"),
        ("próxima semana", "ambiguous_date"),
        ("esta semana", "ambiguous_date"),
        ("próximo fim de semana", "ambiguous_date"),
        ("ano que vem", "ambiguous_date"),
        ("último mês", "ambiguous_date"),
        ("março que vem", "ambiguous_date"),
        ("março passado", "ambiguous_date"),
        ("8 de abril de 27", "ambiguous_date"),
        ("dia 8 do 4", "ambiguous_date"),
        ("1/2", "ambiguous_date"),
        ("8-4-27", "ambiguous_date"),
        ("31 de abril", "impossible_date"),
        ("31/04", "impossible_date"),
        ("04/13/2027", "impossible_date"),
        ("29 de fevereiro de 2027", "impossible_date"),
        ("8 de abril de 4411", "impossible_date"),
        ("45 de abril", "impossible_date"),
        ("dia 32", "impossible_date"),
        ("dia 0", "impossible_date"),
        ("2027-13", "impossible_date"),
        ("13/2027", "impossible_date"),
        ("sexta, 6 de março", "impossible_date"),
        ("sexta-feira 05/12", "impossible_date"),
        ("próxima sexta, 5 de dezembro", "impossible_date"),
        ("daqui a 999999999 dias", "impossible_date"),
    ],
)
def test_malformed_dates(text, code):
    found = read(text)
    assert isinstance(found, Malformed)
    assert found.code == code
    assert found.end == len(tokenize(text))


@pytest.mark.parametrize("before", ["para", "dia", "em"])
def test_a_preposition_makes_a_fraction_a_date(before):
    assert after(before, "3/4") == Value("date", "2027-04-03", 2)


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("março", "2026-03"),
        ("novembro", "2026-11"),
        ("dezembro", "2025-12"),
        ("março de 2027", "2027-03"),
        ("março/2027", "2027-03"),
        ("março 2027", "2027-03"),
        ("mês de março", "2026-03"),
        ("03/2027", "2027-03"),
        ("2027-03", "2027-03"),
        ("mês passado", "2026-10"),
        ("mês anterior", "2026-10"),
        ("este mês", "2026-11"),
        ("mês atual", "2026-11"),
        ("deste mês", "2026-11"),
        ("mês que vem", "2026-12"),
        ("próximo mês", "2026-12"),
    ],
)
def test_months(text, month):
    assert whole(text) == ("month", month)


@pytest.mark.parametrize(
    ("text", "month", "rest"),
    [("março 4411", "2026-03", "4411"), ("março de 40 reais", "2026-03", "de 40 reais")],
)
def test_a_month_leaves_what_is_no_year(text, month, rest):
    assert left_over(text) == (month, rest)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("15h", "15:00"),
        ("9h", "09:00"),
        ("1h30", "01:30"),
        ("15h30", "15:30"),
        ("15h30min", "15:30"),
        ("15:30", "15:30"),
        ("9:30", "09:30"),
        ("15:30h", "15:30"),
        ("15:30 horas", "15:30"),
        ("15 h", "15:00"),
        ("15 h 30 min", "15:30"),
        ("15hs", "15:00"),
        ("15 horas", "15:00"),
        ("quinze horas", "15:00"),
        ("quinze horas e trinta", "15:30"),
        ("15 horas e 30 minutos", "15:30"),
        ("vinte e duas horas", "22:00"),
        ("3 da tarde", "15:00"),
        ("3h da tarde", "15:00"),
        ("3:30 da tarde", "15:30"),
        ("três da tarde", "15:00"),
        ("3 da manhã", "03:00"),
        ("9 da noite", "21:00"),
        ("2 da madrugada", "02:00"),
        ("uma da tarde", "13:00"),
        ("três horas da tarde", "15:00"),
        ("três e meia da tarde", "15:30"),
        ("3 e meia da tarde", "15:30"),
        ("três e quinze da tarde", "15:15"),
        ("quinze para as quatro da tarde", "15:45"),
        ("quinze pras quatro da tarde", "15:45"),
        ("dez para a uma da tarde", "12:50"),
        ("quinze para o meio-dia", "11:45"),
        ("dez para a meia-noite", "23:50"),
        ("meio-dia", "12:00"),
        ("meio dia", "12:00"),
        ("meio-dia e meia", "12:30"),
        ("meio dia e quinze", "12:15"),
        ("meia-noite", "00:00"),
        ("meia noite e meia", "00:30"),
        ("15h em ponto", "15:00"),
    ],
)
def test_times(text, time):
    assert whole(text) == ("time", time)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("três e meia", "ambiguous_time"),
        ("3 e meia", "ambiguous_time"),
        ("quinze para as quatro", "ambiguous_time"),
        ("11 da tarde", "ambiguous_time"),
        ("3 da noite", "ambiguous_time"),
        ("15h 30", "ambiguous_time"),
        ("24h", "ambiguous_time"),
        ("25:00", "ill_formed_number"),
        ("15h75", "ill_formed_number"),
        ("15:75", "ill_formed_number"),
    ],
)
def test_malformed_times(text, code):
    found = read(text)
    assert isinstance(found, Malformed)
    assert found.code == code


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("às", "15 horas", Value("time", "15:00", 3)),
        ("as", "15 horas", Value("time", "15:00", 3)),
        ("às", "12 horas", Value("time", "12:00", 3)),
        ("às", "08 horas", Value("time", "08:00", 3)),
        ("por", "15 horas", Value("duration", "PT15H", 3)),
        ("em", "15 horas", Value("duration", "PT15H", 3)),
        ("em", "2h", Value("duration", "PT2H", 2)),
        ("durante", "1h30", Value("duration", "PT1H30M", 2)),
        ("às", "3 e 15 da tarde", Value("time", "15:15", 6)),
    ],
)
def test_the_word_before_tells_hours_of_the_clock_from_hours_counted(before, text, expected):
    assert after(before, text) == expected


@pytest.mark.parametrize(
    ("before", "text", "code"),
    [
        ("às", "3 horas", "ambiguous_time"),
        ("às", "três horas", "ambiguous_time"),
        ("à", "uma hora", "ambiguous_time"),
        ("às", "25h", "ill_formed_number"),
    ],
)
def test_hours_of_the_clock_that_are_none(before, text, code):
    found = after(before, text)
    assert isinstance(found, Malformed)
    assert found.code == code


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("3 dias", "P3D"),
        ("três dias", "P3D"),
        ("um dia", "P1D"),
        ("uma semana", "P1W"),
        ("duas semanas", "P2W"),
        ("6 meses", "P6M"),
        ("um mês", "P1M"),
        ("2 anos", "P2Y"),
        ("2 horas", "PT2H"),
        ("uma hora", "PT1H"),
        ("uma hora e meia", "PT1H30M"),
        ("2 horas e 30 minutos", "PT2H30M"),
        ("meia hora", "PT30M"),
        ("30 minutos", "PT30M"),
        ("30min", "PT30M"),
        ("48h", "PT48H"),
        ("45 segundos", "PT45S"),
    ],
)
def test_durations(text, duration):
    assert whole(text) == ("duration", duration)


@pytest.mark.parametrize(
    ("text", "percentage"),
    [("10%", "10"), ("10,5 %", "10.5"), ("10 por cento", "10"), ("cem por cento", "100")],
)
def test_percentages(text, percentage):
    assert whole(text) == ("percentage", Decimal(percentage))


@pytest.mark.parametrize(
    "text",
    [
        "depois",
        "depois disso",
        "depois de cobrar",
        "antes de cobrar",
        "daqui",
        "daqui a pouco",
        "daqui a 2 horas",
        "dentro",
        "em",
        "em aberto",
        "em março",
        "há",
        "dia",
        "dia seguinte",
        "dia 40,00",
        "primeiro",
        "primeiro cobre",
        "segunda entrega",
        "quarta nota",
        "sexta do pedido",
        "ter",
        "sex",
        "seg, cobre",
        "meia",
        "meio",
        "metade",
        "mês",
        "semana",
        "ano",
        "este pedido",
        "próxima entrega",
        "último pedido",
        "milhão",
        "uns 40",
        "2ª",
        "3º",
        "2ª via",
        "10kg",
        "2k",
        "brl",
        "dezasseis",
        "dezanove",
        "trés",
        "amanhà",
        "manhã",
        "mañana",
        "٤٤١١",
        "twenty",
    ],
)
def test_what_is_no_value(text):
    assert read(text) is None


@given(st.integers(0, 999_999_999))
def test_a_spelled_integer_reads_back(number):
    assert whole(spell(number)) == ("integer", number)


@given(st.integers(0, 999_999_999))
def test_feminine_hundreds_read_back(number):
    words = [
        word[:-2] + "as" if word in HUNDREDS[2:] else {"um": "uma", "dois": "duas"}.get(word, word)
        for word in spell(number).split()
    ]
    assert whole(" ".join(words)) == ("integer", number)


@given(st.integers(0, 10**15))
def test_grouped_digits_read_back(number):
    assert whole(f"{number:,}".replace(",", ".")) == ("integer", number)


@given(st.integers(0, 10**10), st.integers(0, 99), st.sampled_from(["R$ {}", "R${}", "{} reais"]))
def test_money_in_digits_reads_back(reais, centavos, form):
    typed = f"{reais:,}".replace(",", ".") + f",{centavos:02}"
    expected = Decimal(reais) + Decimal(centavos) / 100
    assert whole(form.format(typed)) == ("money", (expected, "BRL"))


@given(st.integers(0, 999_999), st.integers(10, 99), st.sampled_from([" centavos", ""]))
def test_money_in_words_reads_back(reais, centavos, ending):
    text = f"{spell(reais)} reais e {spell(centavos)}{ending}"
    assert whole(text) == ("money", (Decimal(reais) + Decimal(centavos) / 100, "BRL"))


@given(st.dates(date(1900, 1, 1), date(2199, 12, 31)))
def test_dates_with_a_year_read_back(day):
    month = MONTHS[day.month - 1]
    for text in (
        day.isoformat(),
        f"{day:%d/%m/%Y}",
        f"{day.day} de {month} de {day.year}",
        f"{spell(day.day)} de {month} de {spell(day.year)}",
        f"{WEEKDAYS[day.weekday()]}, {day.day} de {month} de {day.year}",
    ):
        assert whole(text) == ("date", day.isoformat())


@given(st.dates(date(1950, 1, 1), date(2150, 1, 1)), st.dates(date(1950, 1, 1), date(2150, 1, 1)))
def test_a_date_without_a_year_is_the_next_one(today, other):
    clock = Clock(datetime(today.year, today.month, today.day))
    kind, value = whole(f"dia {other:%d/%m}", clock)
    found = date.fromisoformat(str(value))
    assert kind == "date"
    assert (found.month, found.day) == (other.month, other.day)
    assert found >= today
    leap_day = (other.month, other.day) == (2, 29)
    assert found - today < timedelta(days=366 if not leap_day else 8 * 366)


@given(st.dates(date(1950, 1, 1), date(2150, 1, 1)), st.integers(0, 6))
def test_a_weekday_is_within_a_week(today, weekday):
    found = read(WEEKDAYS[weekday], Clock(datetime(today.year, today.month, today.day)))
    if weekday == today.weekday():
        assert isinstance(found, Malformed)
    else:
        assert isinstance(found, Value)
        day = date.fromisoformat(found.value)
        assert day.weekday() == weekday
        assert timedelta(0) < day - today < timedelta(days=7)


@given(st.times())
def test_clock_times_read_back(time):
    for text in (f"{time:%H:%M}", f"{time:%Hh%M}", f"{time:%Hh%Mmin}", f"{time.hour}h{time:%M}"):
        assert whole(text) == ("time", f"{time:%H:%M}")


WORDS = st.sampled_from(sorted(portuguese.STARTS | portuguese.CONTINUES))
NUMBERS = st.sampled_from(
    words("0 1 2 3 5 12 15 30 31 40 99 1999 2027 4411 40,00 3.250 15:30 15h 1o 2a 2027-03-03 3/4")
)
GLUE = st.sampled_from(words("e de do da a as às que vem feira , . - º ª / tarde meia mil cento"))
ANY_TOKENS = st.lists(WORDS | NUMBERS | GLUE | st.text(min_size=1, max_size=4), min_size=1)
CLOCKS = st.builds(Clock, st.datetimes() | st.sampled_from([datetime.min, datetime.max]))


@given(ANY_TOKENS, CLOCKS)
def test_any_tokens_are_read_without_an_error(tokens, clock):
    for at, token in enumerate(tokens):
        found = portuguese.read(tokens, at, clock)
        if found is not None:
            assert at < found.end <= len(tokens)
        if token not in portuguese.STARTS and not ("0" <= token[0] <= "9"):
            assert found is None


@given(st.sampled_from(["0", "3", "12", "4411"]), NUMBERS | GLUE | WORDS | st.text(min_size=1))
def test_only_the_announced_tokens_continue_plain_digits(digits, follower):
    found = portuguese.read([digits, follower], 0, MONDAY)
    if follower not in portuguese.CONTINUES:
        assert found == Value("integer", int(digits), 1)


class CountedTokens(list):
    """Tokens that count how often one is looked at."""

    looks = 0

    def __getitem__(self, at):
        self.looks += 1
        return super().__getitem__(at)


@given(st.sampled_from(sorted(portuguese.STARTS)) | NUMBERS, WORDS | GLUE, WORDS | NUMBERS | GLUE)
def test_reading_looks_at_no_more_than_it_reads(first, second, third):
    def looks(repeats):
        tokens = CountedTokens([first, *[second, third] * repeats])
        portuguese.read(tokens, 0, MONDAY)
        return tokens.looks

    assert looks(2000) == looks(200)
