"""English values, read at the first token of a text; the clock is Monday 30 November 2026."""

from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stalwart_lang.selector.values import english
from stalwart_lang.selector.values.reading import Clock, Malformed, Value
from stalwart_lang.words.text import tokenize


def words(text: str) -> list[str]:
    return text.split()


MONDAY = Clock(datetime(2026, 11, 30, 10, 0))

UNITS = words("zero one two three four five six seven eight nine ten eleven twelve thirteen")
UNITS += words("fourteen fifteen sixteen seventeen eighteen nineteen")
TENS = words("- - twenty thirty forty fifty sixty seventy eighty ninety")
MONTHS = words(
    "January February March April May June July August September October November December"
)


def read(text: str, clock: Clock = MONDAY) -> Value | Malformed | None:
    return english.read(tokenize(text.lower()), 0, clock)


def whole(text: str, clock: Clock = MONDAY) -> tuple[str, object]:
    """The kind and value of a text which must be read to its end."""
    found = read(text, clock)
    assert isinstance(found, Value), (text, found)
    assert found.end == len(tokenize(text.lower())), (text, found)
    return found.kind, found.value


def left_over(text: str) -> tuple[object, str]:
    """The value at the beginning of a text, and what it leaves."""
    tokens = tokenize(text.lower())
    found = english.read(tokens, 0, MONDAY)
    assert isinstance(found, Value), (text, found)
    return found.value, " ".join(tokens[found.end :])


def spell(number: int, *, hyphen: str = "-", joiner: str = "and ") -> str:
    if number < 20:
        return UNITS[number]
    if number < 100:
        tens, unit = divmod(number, 10)
        return TENS[tens] + (hyphen + UNITS[unit] if unit else "")
    for scale, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= scale:
            count, rest = divmod(number, scale)
            text = f"{spell(count, hyphen=hyphen, joiner=joiner)} {name}"
            if not rest:
                return text
            before = joiner if rest < 100 else ""
            return f"{text} {before}{spell(rest, hyphen=hyphen, joiner=joiner)}"
    raise AssertionError(number)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4411", 4411),
        ("0", 0),
        ("007", 7),
        ("1,250", 1250),
        ("12,345,678", 12345678),
        ("999999999999999999", 999999999999999999),
        ("one", 1),
        ("forty-two", 42),
        ("forty two", 42),
        ("forty‑two", 42),
        ("a hundred", 100),
        ("a hundred and fifty", 150),
        ("two hundred and six", 206),
        ("two hundred six", 206),
        ("twelve hundred", 1200),
        ("forty-two hundred", 4200),
        ("a thousand", 1000),
        ("one thousand and six", 1006),
        ("one thousand two hundred and six", 1206),
        ("one hundred and twenty thousand", 120000),
        ("two million three hundred thousand and one", 2300001),
        ("3 thousand", 3000),
        ("1.5 million", 1500000),
        ("2 hundred", 200),
        ("dozen", 12),
        ("a dozen", 12),
        ("two dozen", 24),
        ("half a dozen", 6),
        ("half dozen", 6),
    ],
)
def test_integers(text, number):
    assert whole(text) == ("integer", number)


@pytest.mark.parametrize(("text", "spelled"), [("4411", False), ("five", True), ("a dozen", True)])
def test_an_integer_tells_words_from_digits(text, spelled):
    found = read(text)
    assert isinstance(found, Value)
    assert found.spelled is spelled


@pytest.mark.parametrize(
    ("text", "value", "rest"),
    [
        ("4411 40.00", 4411, "40.00"),
        ("12 12", 12, "12"),
        ("twenty and five", 20, "and five"),
        ("forty-four eleven", 44, "eleven"),
        ("forty four eleven", 44, "eleven"),
        ("five six", 5, "six"),
        ("one hundred one hundred", 100, "one hundred"),
        ("one hundred and two hundred", 100, "and two hundred"),
        ("two thousand three thousand", 2000, "three thousand"),
        ("two thousand and five hundred", 2000, "and five hundred"),
        ("three thirty", 3, "thirty"),
        ("5 of 6", 5, "of 6"),
        ("5 $40", 5, "$ 40"),
        ("5 usd 40", 5, "usd 40"),
        ("5 € 40", 5, "€ 40"),
        ("5 day after tomorrow", 5, "day after tomorrow"),
        ("1 day after tomorrow", 1, "day after tomorrow"),
        ("12 march 5", 12, "march 5"),
        ("10 to 4", 10, "to 4"),
        ("ten to four", 10, "to four"),
        ("5 in the box", 5, "in the box"),
        ("5 at noon", 5, "at noon"),
        ("5 per order", 5, "per order"),
    ],
)
def test_side_by_side_numbers_do_not_fuse(text, value, rest):
    assert left_over(text) == (value, rest)


@pytest.mark.parametrize(
    ("text", "digits"),
    [("40.00", "40.00"), ("0.5", "0.5"), ("1,250.75", "1250.75"), ("44.114412", "44.114412")],
)
def test_decimals_keep_their_digits(text, digits):
    kind, value = whole(text)
    assert kind == "decimal"
    assert str(value) == digits


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1.250,75", "ill_formed_number"),
        ("40,00", "ill_formed_number"),
        ("4411,4412", "ill_formed_number"),
        ("1,25", "ill_formed_number"),
        ("0,250", "ill_formed_number"),
        ("1,2500", "ill_formed_number"),
        ("00.50", "ill_formed_number"),
        ("1.2.3.4", "ill_formed_number"),
        ("40-50", "ill_formed_number"),
        ("123.456.789-09", "ill_formed_number"),
        ("forty two hundred", "ill_formed_number"),
        ("3 thousand five", "ill_formed_number"),
        ("3 thousand and 5", "ill_formed_number"),
        ("3 thousand 500", "ill_formed_number"),
        ("1.00005 thousand", "ill_formed_number"),
        ("1234567890123456789", "number_too_long"),
        ("1,234,567,890,123,456,789", "number_too_long"),
        ("99999999999 billion", "number_too_long"),
    ],
)
def test_malformed_numbers(text, code):
    found = read(text)
    assert isinstance(found, Malformed)
    assert found.code == code


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("$40", "40.00", "USD"),
        ("$ 40.00", "40.00", "USD"),
        ("$1,250.75", "1250.75", "USD"),
        ("US$ 40", "40.00", "USD"),
        ("USD 40", "40.00", "USD"),
        ("$40 dollars", "40.00", "USD"),
        ("$40 USD", "40.00", "USD"),
        ("$3 million", "3000000.00", "USD"),
        ("$40 and 50 cents", "40.50", "USD"),
        ("40 dollars", "40.00", "USD"),
        ("one dollar", "1.00", "USD"),
        ("forty-two dollars", "42.00", "USD"),
        ("a hundred dollars", "100.00", "USD"),
        ("40 dollars and 50 cents", "40.50", "USD"),
        ("40 dollars 50 cents", "40.50", "USD"),
        ("forty dollars and fifty cents", "40.50", "USD"),
        ("two hundred and six dollars and five cents", "206.05", "USD"),
        ("fifty cents", "0.50", "USD"),
        ("150 cents", "1.50", "USD"),
        ("40.50 USD", "40.50", "USD"),
        ("40 usd", "40.00", "USD"),
        ("€40", "40.00", "EUR"),
        ("40 €", "40.00", "EUR"),
        ("40€", "40.00", "EUR"),
        ("40 euros and 50 cents", "40.50", "EUR"),
        ("£40", "40.00", "GBP"),
        ("40 pounds and 50 pence", "40.50", "GBP"),
        ("R$ 40", "40.00", "BRL"),
        ("40 reais", "40.00", "BRL"),
        ("40 reais and 50 centavos", "40.50", "BRL"),
        ("500 yen", "500", "JPY"),
        ("JPY 500", "500", "JPY"),
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
        ("40 dollars and order 5", "40.00", "and order 5"),
        ("40 dollars and 50", "40.00", "and 50"),
        ("40 dollars and refund", "40.00", "and refund"),
        ("$40 5", "40.00", "5"),
        ("$40 and $50", "40.00", "and $ 50"),
        ("40 dollars and 50 dollars", "40.00", "and 50 dollars"),
    ],
)
def test_money_leaves_what_is_not_its_own(text, amount, rest):
    value, left = left_over(text)
    assert value == (Decimal(amount), "USD")
    assert left == rest


@pytest.mark.parametrize(
    "text",
    [
        "$40.505",
        "$40,00",
        "$",
        "$ order",
        "$2k",
        "$40-50",
        "$ -40",
        "$.50",
        "$ forty",
        "$10%",
        "$40 euros",
        "$40 brl",
        "40.505 dollars",
        "500.50 yen",
        "40 dollars and 150 cents",
        "40.50 dollars and 20 cents",
        "40 pounds and 50 cents",
        "500 yen and 50 cents",
        "1.5 cents",
        "40.00 usd 4411",
        "40.00 $ 4411",
    ],
)
def test_malformed_money(text):
    found = read(text)
    assert isinstance(found, Malformed)
    assert found.code == "ill_formed_money"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("today", "2026-11-30"),
        ("tomorrow", "2026-12-01"),
        ("yesterday", "2026-11-29"),
        ("the day after tomorrow", "2026-12-02"),
        ("day after tomorrow", "2026-12-02"),
        ("the day before yesterday", "2026-11-28"),
        ("in 3 days", "2026-12-03"),
        ("in three days", "2026-12-03"),
        ("within two weeks", "2026-12-14"),
        ("in a week", "2026-12-07"),
        ("in 1 month", "2026-12-30"),
        ("3 days ago", "2026-11-27"),
        ("two weeks from now", "2026-12-14"),
        ("a week from today", "2026-12-07"),
        ("March 3", "2027-03-03"),
        ("March 3rd", "2027-03-03"),
        ("march third", "2027-03-03"),
        ("March 3, 2027", "2027-03-03"),
        ("March 3 2028", "2028-03-03"),
        ("march 3rd, 2028", "2028-03-03"),
        ("Dec. 3", "2026-12-03"),
        ("dec 3, 2028", "2028-12-03"),
        ("November 30", "2026-11-30"),
        ("November 29", "2027-11-29"),
        ("3 March", "2027-03-03"),
        ("3 march 2028", "2028-03-03"),
        ("3rd of March", "2027-03-03"),
        ("3rd march", "2027-03-03"),
        ("the 3rd of March", "2027-03-03"),
        ("the third of March, 2028", "2028-03-03"),
        ("twenty-first of may", "2027-05-21"),
        ("twenty first of may", "2027-05-21"),
        ("the 3rd of next month", "2026-12-03"),
        ("February 29", "2028-02-29"),
        ("2027-03-03", "2027-03-03"),
        ("2027/03/03", "2027-03-03"),
        ("tuesday", "2026-12-01"),
        ("sunday", "2026-12-06"),
        ("this friday", "2026-12-04"),
        ("friday, march 5", "2027-03-05"),
        ("friday march 5th", "2027-03-05"),
        ("fri, march 5", "2027-03-05"),
        ("friday 5 march 2027", "2027-03-05"),
        ("friday, 2027-03-05", "2027-03-05"),
        ("friday the 4th", "2026-12-04"),
        ("next friday, december 4", "2026-12-04"),
        ("monday, november 30", "2026-11-30"),
    ],
)
def test_dates(text, day):
    assert whole(text) == ("date", day)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("03/04/2027", "ambiguous_date"),
        ("13/04/2027", "ambiguous_date"),
        ("3/4", "ambiguous_date"),
        ("12/25", "ambiguous_date"),
        ("3/4/27", "ambiguous_date"),
        ("3-4-2027", "ambiguous_date"),
        ("3.4.2027", "ambiguous_date"),
        ("monday", "ambiguous_date"),
        ("this monday", "ambiguous_date"),
        ("next friday", "ambiguous_date"),
        ("last friday", "ambiguous_date"),
        ("next week", "ambiguous_date"),
        ("this weekend", "ambiguous_date"),
        ("last year", "ambiguous_date"),
        ("next march", "ambiguous_date"),
        ("february 30", "impossible_date"),
        ("february 29, 2027", "impossible_date"),
        ("march 32", "impossible_date"),
        ("31st of april", "impossible_date"),
        ("31 april", "impossible_date"),
        ("2027-02-29", "impossible_date"),
        ("2027-13-01", "impossible_date"),
        ("2027-13", "impossible_date"),
        ("13/2027", "impossible_date"),
        ("friday, march 6", "impossible_date"),
        ("friday the 5th", "impossible_date"),
        ("next friday, december 5", "impossible_date"),
        ("in 99999999999 days", "impossible_date"),
    ],
)
def test_malformed_dates(text, code):
    found = read(text)
    assert isinstance(found, Malformed)
    assert found.code == code
    assert found.end == len(tokenize(text))


def test_a_month_later_needs_that_day():
    end_of_january = Clock(datetime(2027, 1, 31))
    found = read("in a month", end_of_january)
    assert isinstance(found, Malformed)
    assert found.code == "ambiguous_date"


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("march", "2026-03"),
        ("november", "2026-11"),
        ("december", "2025-12"),
        ("may", "2026-05"),
        ("march 2027", "2027-03"),
        ("dec 2027", "2027-12"),
        ("03/2027", "2027-03"),
        ("3/2027", "2027-03"),
        ("2027-03", "2027-03"),
        ("this month", "2026-11"),
        ("last month", "2026-10"),
        ("last month's", "2026-10"),
        ("next month", "2026-12"),
    ],
)
def test_months(text, month):
    assert whole(text) == ("month", month)


@pytest.mark.parametrize(
    ("text", "month", "rest"),
    [
        ("march 4411", "2026-03", "4411"),
        ("march 40 dollars", "2026-03", "40 dollars"),
        ("march 40.00", "2026-03", "40.00"),
        ("march 3 pm", "2026-03", "3 pm"),
        ("march 2000 dollars", "2026-03", "2000 dollars"),
        ("may i", "2026-05", "i"),
    ],
)
def test_a_month_leaves_what_is_no_day(text, month, rest):
    assert left_over(text) == (month, rest)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("3pm", "15:00"),
        ("3 pm", "15:00"),
        ("3 p.m.", "15:00"),
        ("3 a.m.", "03:00"),
        ("3:30pm", "15:30"),
        ("3:30 pm", "15:30"),
        ("3:30 p.m.", "15:30"),
        ("12am", "00:00"),
        ("12pm", "12:00"),
        ("15:30", "15:30"),
        ("09:30", "09:30"),
        ("10:00", "10:00"),
        ("0:15", "00:15"),
        ("noon", "12:00"),
        ("midday", "12:00"),
        ("12 noon", "12:00"),
        ("midnight", "00:00"),
        ("3 o'clock in the afternoon", "15:00"),
        ("3 o’clock pm", "15:00"),
        ("three pm", "15:00"),
        ("three thirty pm", "15:30"),
        ("3 in the afternoon", "15:00"),
        ("3 in the morning", "03:00"),
        ("9 at night", "21:00"),
        ("seven in the evening", "19:00"),
        ("half past three pm", "15:30"),
        ("half past 3 in the afternoon", "15:30"),
        ("a quarter past three pm", "15:15"),
        ("quarter to four pm", "15:45"),
        ("quarter to noon", "11:45"),
        ("quarter to midnight", "23:45"),
        ("quarter to one pm", "12:45"),
        ("ten past three pm", "15:10"),
        ("twenty to four pm", "15:40"),
        ("ten minutes to four pm", "15:50"),
        ("10 minutes past three pm", "15:10"),
    ],
)
def test_times(text, time):
    assert whole(text) == ("time", time)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("half past three", "ambiguous_time"),
        ("quarter to four", "ambiguous_time"),
        ("ten to four pm", "ambiguous_time"),
        ("two to five pm", "ambiguous_time"),
        ("ten past three", "ambiguous_time"),
        ("3 o'clock", "ambiguous_time"),
        ("three o'clock", "ambiguous_time"),
        ("3:30", "ambiguous_time"),
        ("13pm", "ambiguous_time"),
        ("0am", "ambiguous_time"),
        ("3:75 pm", "ambiguous_time"),
        ("9 in the afternoon", "ambiguous_time"),
        ("3 at night", "ambiguous_time"),
        ("25:00", "ill_formed_number"),
        ("15:75", "ill_formed_number"),
        ("12:30:45", "ill_formed_number"),
    ],
)
def test_malformed_times(text, code):
    found = read(text)
    assert isinstance(found, Malformed)
    assert found.code == code


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("3 days", "P3D"),
        ("three days", "P3D"),
        ("1 day", "P1D"),
        ("a week", "P1W"),
        ("two weeks", "P2W"),
        ("6 months", "P6M"),
        ("2 years", "P2Y"),
        ("2 hours", "PT2H"),
        ("an hour", "PT1H"),
        ("half an hour", "PT30M"),
        ("30 minutes", "PT30M"),
        ("30min", "PT30M"),
        ("2 hours and 30 minutes", "PT2H30M"),
        ("45 seconds", "PT45S"),
    ],
)
def test_durations(text, duration):
    assert whole(text) == ("duration", duration)


@pytest.mark.parametrize(
    ("text", "percentage"),
    [("10%", "10"), ("10 %", "10"), ("1.5%", "1.5"), ("ten percent", "10"), ("10 per cent", "10")],
)
def test_percentages(text, percentage):
    assert whole(text) == ("percentage", Decimal(percentage))


@pytest.mark.parametrize(
    "text",
    [
        "the order",
        "the 3rd",
        "3rd",
        "3th of march",
        "first",
        "first charge",
        "half",
        "half of it",
        "a",
        "a note",
        "hundred",
        "quarter",
        "next",
        "next, refund",
        "last",
        "last 5 orders",
        "this order",
        "in",
        "in march",
        "in 2 hours",
        "within reason",
        "usd",
        "dec",
        "sun",
        "sat, refund",
        "day",
        "2k",
        "10kg",
        "4411x",
        "٤٤١١",
        "４４１１",
        "uno",
        "vinte",
        "order",
    ],
)
def test_what_is_no_value(text):
    assert read(text) is None


@given(st.integers(0, 999_999_999), st.sampled_from("- "), st.sampled_from(["and ", ""]))
def test_a_spelled_integer_reads_back(number, hyphen, joiner):
    text = spell(number, hyphen=hyphen, joiner=joiner)
    assert whole(text) == ("integer", number)


@given(st.integers(0, 10**15))
def test_grouped_digits_read_back(number):
    assert whole(f"{number:,}") == ("integer", number)


@given(st.integers(0, 10**10), st.integers(0, 99), st.sampled_from(["${}", "{} dollars", "USD {}"]))
def test_money_in_digits_reads_back(dollars, cents, form):
    amount = Decimal(dollars) + Decimal(cents) / 100
    assert whole(form.format(f"{amount:,.2f}")) == ("money", (amount, "USD"))


@given(st.integers(0, 999_999), st.integers(1, 99))
def test_money_in_words_reads_back(dollars, cents):
    text = f"{spell(dollars)} dollars and {spell(cents)} cents"
    assert whole(text) == ("money", (Decimal(dollars) + Decimal(cents) / 100, "USD"))


@given(st.dates(date(1900, 1, 1), date(2199, 12, 31)))
def test_dates_with_a_year_read_back(day):
    month = MONTHS[day.month - 1]
    for text in (
        day.isoformat(),
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        f"{day:%A}, {month} {day.day}, {day.year}",
    ):
        assert whole(text) == ("date", day.isoformat())


@given(st.dates(date(1950, 1, 1), date(2150, 1, 1)), st.dates(date(1950, 1, 1), date(2150, 1, 1)))
def test_a_date_without_a_year_is_the_next_one(today, other):
    clock = Clock(datetime(today.year, today.month, today.day))
    kind, value = whole(f"{MONTHS[other.month - 1]} {other.day}", clock)
    found = date.fromisoformat(str(value))
    assert kind == "date"
    assert (found.month, found.day) == (other.month, other.day)
    assert found >= today
    leap_day = (other.month, other.day) == (2, 29)
    assert found - today < timedelta(days=366 if not leap_day else 8 * 366)


@given(st.times(), st.booleans())
def test_clock_times_read_back(time, glued):
    blank = "" if glued else " "
    hour = time.hour % 12 or 12
    half = "am" if time.hour < 12 else "pm"
    assert whole(f"{time:%H:%M}") == ("time", f"{time:%H:%M}")
    assert whole(f"{hour}:{time:%M}{blank}{half}") == ("time", f"{time:%H:%M}")


WORDS = st.sampled_from(sorted(english.STARTS | english.CONTINUES))
NUMBERS = st.sampled_from(
    words("0 1 2 3 5 12 15 30 31 40 99 1999 2027 4411 40.00 1,250 15:30 3pm 3rd 2027-03-03 3/4")
)
GLUE = st.sampled_from(words("and of the a , . m past noon ago from now - ( ) after tomorrow"))
ANY_TOKENS = st.lists(WORDS | NUMBERS | GLUE | st.text(min_size=1, max_size=4), min_size=1)
CLOCKS = st.builds(Clock, st.datetimes() | st.sampled_from([datetime.min, datetime.max]))


@given(ANY_TOKENS, CLOCKS)
def test_any_tokens_are_read_without_an_error(tokens, clock):
    for at, token in enumerate(tokens):
        found = english.read(tokens, at, clock)
        if found is not None:
            assert at < found.end <= len(tokens)
        if token not in english.STARTS and not ("0" <= token[0] <= "9"):
            assert found is None


@given(st.sampled_from(["0", "3", "12", "4411"]), NUMBERS | GLUE | WORDS | st.text(min_size=1))
def test_only_the_announced_tokens_continue_plain_digits(digits, follower):
    found = english.read([digits, follower], 0, MONDAY)
    if follower not in english.CONTINUES:
        assert found == Value("integer", int(digits), 1)


class CountedTokens(list):
    """Tokens that count how often one is looked at."""

    looks = 0

    def __getitem__(self, at):
        self.looks += 1
        return super().__getitem__(at)


@given(st.sampled_from(sorted(english.STARTS)) | NUMBERS, WORDS | NUMBERS | GLUE, WORDS | NUMBERS)
def test_reading_looks_at_no_more_than_it_reads(first, second, third):
    def looks(repeats):
        tokens = CountedTokens([first, *[second, third] * repeats])
        english.read(tokens, 0, MONDAY)
        return tokens.looks

    assert looks(2000) == looks(200)
