"""`@tool`, what a parameter receives, and what a model is told of a function."""

import asyncio
import functools
import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    TypedDict,
    Union,
)

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from test_check import FITTING, WRONG, vocabulary

from stalwart_lang import AgentError, Money, tool
from stalwart_lang.check import Checked, check
from stalwart_lang.runs.argument_schemas import samples, schema_of_types
from stalwart_lang.runs.hints import Unfit, UnknownHint, hint_of
from stalwart_lang.runs.signatures import NotATool, schema_of, signature_of
from stalwart_lang.runs.toolbox import Toolbox, put_together, tool_name, toolbox_of, tools_in
from stalwart_lang.runs.tools import ToolMark, mark_of
from stalwart_lang.vocabulary.load import load_text
from stalwart_lang.vocabulary.model import LANGUAGES, Vocabulary

USD40 = {"value": "40.00", "currency": "USD"}
KILO = {"value": "2.5", "unit": "kilo"}


# The decorator


def test_a_marked_function_stays_as_it_is():
    def add(one: int, other: int = 2) -> int:
        return one + other

    assert tool(add) is add
    assert mark_of(add) == ToolMark()
    assert add(1) == 3
    assert tool(writes=True, undo="subtract", retry_safe=False)(add) is add
    assert mark_of(add) == ToolMark(writes=True, undo="subtract", retry_safe=False)


def test_an_async_function_stays_async():
    @tool(reads_outside=True)
    async def look() -> str:
        return "seen"

    assert inspect.iscoroutinefunction(look)
    assert asyncio.run(look()) == "seen"


def test_a_mark_is_seen_through_another_decorator():
    def logged(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            return function(*args, **kwargs)

        return call

    @logged
    @tool(name="see")
    def look(what: int) -> int:
        return what

    assert tool_name(look) == "see"
    made = put_together({"see": look})
    assert made.problems == ()
    assert made.functions["see"](what=3) == 3


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"writes": "yes"}, "writes of @tool is True or False, not 'yes'"),
        ({"undo": print}, "undo of @tool is a text"),
        ({"description": 5}, "description of @tool is a text, not 5"),
        ({"wites": True}, "wites"),
    ],
)
def test_what_tool_is_given_is_checked_at_once(given, problem):
    with pytest.raises(TypeError, match=problem):
        tool(**given)


@pytest.mark.parametrize("name", ["", "charge card", "1st", "cobrança", "a-b"])
def test_a_name_is_one(name):
    with pytest.raises(ValueError, match="no name of a tool"):
        tool(name=name)
    with pytest.raises(ValueError, match="no name of a tool"):
        tool(undo=name)


@pytest.mark.parametrize("thing", [int, len, 5, functools.partial(print, 1)])
def test_only_a_function_is_marked(thing):
    with pytest.raises(TypeError, match="@tool marks a function"):
        tool(thing)


def test_the_tools_of_a_module_are_those_marked_and_those_of_the_vocabulary():
    @tool
    def marked(): ...

    @tool(name="other")
    def named(): ...

    def get_order(): ...

    def plain(): ...

    namespace = {
        "marked": marked,
        "alias": marked,
        "named": named,
        "get_order": get_order,
        "plain": plain,
        "x": 5,
    }
    assert tools_in(namespace, frozenset({"get_order", "pay"})) == [
        ("marked", marked),
        ("other", named),
        ("get_order", get_order),
    ]
    assert [name for name, _ in tools_in(namespace, frozenset())] == ["marked", "other"]


# What a parameter receives


class Status(Enum):
    OPEN = "open"
    LATE = "late"


class Level(Enum):
    easy = 1
    hard = 2


class Size(Enum):
    small = Decimal(1)


class Amount(TypedDict):
    value: str
    currency: str
    note: NotRequired[str]


@dataclass(frozen=True)
class Parcel:
    code: str
    weight: Decimal
    tags: list[str] = field(default_factory=list)
    shown: str = field(init=False, default="")

    def __post_init__(self):
        if self.weight <= 0:
            raise ValueError("no weight")


@dataclass
class Node:
    inner: "Node | None" = None


OrderId = NewType("OrderId", int)

RECEIVED: list[tuple[Any, Any, Any]] = [
    (int, 4411, 4411),
    (str, "Ana", "Ana"),
    (str, 4411, "4411"),
    (bool, True, True),
    (float, "4.5", 4.5),
    (float, 3, 3.0),
    (float, USD40, 40.0),
    (Decimal, "4.50", Decimal("4.50")),
    (Decimal, "1E-7", Decimal("1E-7")),
    (Decimal, 4.1, Decimal("4.1")),
    (Decimal, 4, Decimal(4)),
    (Decimal, USD40, Decimal("40.00")),
    (Decimal, KILO, Decimal("2.5")),
    (Money, USD40, Money(Decimal("40.00"), "USD")),
    (date, "2027-03-01", date(2027, 3, 1)),
    (time, "09:30", time(9, 30)),
    (datetime, "2027-03-01T09:30", datetime(2027, 3, 1, 9, 30)),
    (datetime, "2027-03-01T09:30:00Z", datetime(2027, 3, 1, 9, 30, tzinfo=UTC)),
    (Literal["a", 5, None], 5, 5),
    (Literal["a", 5, None], None, None),
    (Status, "late", Status.LATE),
    (Status, "LATE", Status.LATE),
    (Level, 2, Level.hard),
    (Level, "hard", Level.hard),
    (Size, "small", Size.small),
    (list, [1, "a"], [1, "a"]),
    (list[Decimal], ["1.5", 2], [Decimal("1.5"), Decimal(2)]),
    (Sequence[date], ["2027-03-01"], [date(2027, 3, 1)]),
    (tuple, [1, 2], (1, 2)),
    (tuple[int, ...], [1, 2], (1, 2)),
    (tuple[int, date], [1, "2027-03-01"], (1, date(2027, 3, 1))),
    (dict, USD40, USD40),
    (Mapping, USD40, USD40),
    (dict[str, Decimal], {"a": "1.5"}, {"a": Decimal("1.5")}),
    (dict[str, Any], {"a": [1]}, {"a": [1]}),
    (Any, USD40, USD40),
    (object, None, None),
    (int | None, None, None),
    (Optional[date], "2027-03-01", date(2027, 3, 1)),  # noqa: UP045
    (Union[date, str], "soon", "soon"),  # noqa: UP007
    (date | str, "2027-03-01", date(2027, 3, 1)),
    (str | int, 5, 5),
    (Decimal | Money, USD40, Money(Decimal("40.00"), "USD")),
    (Decimal | dict, USD40, USD40),
    (Decimal | None, USD40, Decimal("40.00")),
    (Amount, USD40, USD40),
    (Amount, {**USD40, "note": "n"}, {**USD40, "note": "n"}),
    (
        Parcel,
        {"code": "7", "weight": "2.5", "tags": ["a"]},
        Parcel("7", Decimal("2.5"), ["a"]),
    ),
    (list[Parcel], [{"code": "7", "weight": 1}], [Parcel("7", Decimal(1))]),
    (Annotated[int, "how many"], 5, 5),
    (OrderId, 5, 5),
]
REFUSED: list[tuple[Any, Any]] = [
    (int, True),
    (int, 5.0),
    (int, "5"),
    (int, USD40),
    (str, None),
    (str, True),
    (str, USD40),
    (bool, 1),
    (bool, "true"),
    (float, "1E999"),
    (float, True),
    (float, float("nan")),
    (float, 10**400),
    (Decimal, "012"),
    (Decimal, "4,5"),
    (Decimal, "NaN"),
    (Decimal, "1E9999"),
    (Decimal, float("inf")),
    (Decimal, {"value": "1"}),
    (Decimal, ["1", "2"]),
    (Money, "40.00"),
    (Money, {"value": "40", "currency": "usd"}),
    (Money, KILO),
    (date, "2027-W01-1"),
    (date, "2027-02-29"),
    (date, "20270301"),
    (time, "9:30"),
    (time, "25:00"),
    (datetime, "2027-03-01"),
    (Literal[1], True),
    (Literal["a"], "b"),
    (Status, "shipped"),
    (Level, "2"),
    (Level, True),
    (Size, 1),
    (list, "ab"),
    (list[int], ["a"]),
    (tuple[int, date], [1]),
    (dict, [1]),
    (dict[str, int], {"a": "b"}),
    (dict[str, int], {1: 2}),
    (int | None, "5"),
    (Amount, {"value": "1"}),
    (Amount, {**USD40, "more": 1}),
    (Parcel, {"code": "7", "weight": "0"}),
    (Parcel, {"code": "7", "weight": "1", "shown": "x"}),
    (Parcel, "7"),
]


@pytest.mark.parametrize(("hint", "value", "received"), RECEIVED)
def test_what_is_received(hint, value, received):
    made = hint_of(hint)
    assert made.fits(value)
    came = made.convert(value)
    assert came == received
    assert type(came) is type(received)


@pytest.mark.parametrize(("hint", "value"), REFUSED)
def test_what_does_not_fit(hint, value):
    made = hint_of(hint)
    assert not made.fits(value)
    with pytest.raises(Unfit):
        made.convert(value)


class Pair(NamedTuple):
    one: int


@pytest.mark.parametrize(
    ("hint", "problem"),
    [
        (set, "set is none of str, int"),
        (bytes, "bytes is none of"),
        (complex | None, "complex is none of"),
        (list[set], "set is none of"),
        (dict[int, str], "the keys of a mapping are text"),
        (Node, "Node holds itself"),
        (Pair, "Pair is none of"),
        ("soon", "soon is none of"),
        ([int], "none of"),
        (Literal[b"a"], "no value of a plan"),
    ],
)
def test_hints_that_nothing_becomes(hint, problem):
    with pytest.raises(UnknownHint, match=problem):
        hint_of(hint)


@pytest.mark.parametrize("hint", [hint for hint, _, _ in RECEIVED])
def test_every_hint_says_what_it_takes_in_both_languages_and_as_a_schema(hint):
    made = hint_of(hint)
    assert set(made.expects) == set(LANGUAGES)
    assert all(made.expects.values())
    Draft202012Validator.check_schema(made.schema)
    json.dumps(made.schema)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([value for _, value, _ in RECEIVED]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@given(st.sampled_from([hint for hint, _, _ in RECEIVED]), JSON)
def test_any_value_fits_or_is_told_not_to(hint, value):
    made = hint_of(hint)
    if made.fits(value):
        made.convert(value)
    else:
        with pytest.raises(Unfit):
            made.convert(value)


@given(st.sampled_from([int, str, bool, dict, Money, Status, Amount, int | None]), JSON)
def test_what_a_schema_allows_fits(hint, value):
    made = hint_of(hint)
    whole = isinstance(value, float) and value.is_integer()  # JSON's 5.0 is 5
    if Draft202012Validator(made.schema).is_valid(value) and not whole:
        assert made.fits(value)


# A function as a model sees it


@tool
def book(
    room: int,
    day: date,
    guests: Annotated[list[str], "their names"],
    price: Decimal = Decimal("40"),
    breakfast: bool = True,
    note: str | None = None,
) -> str:
    """Book a room.

    It is held for an hour.

    Args:
        room (int): the number
            on its door
        day: the first night
        note: anything
          else: whatever

    Returns:
        what: was booked
    """
    return f"{room} {day:%d/%m} {guests} {price} {breakfast} {note}"


def test_the_schema_of_a_function():
    assert schema_of(book) == {
        "type": "object",
        "properties": {
            "room": {"type": "integer", "description": "the number on its door"},
            "day": {"type": "string", "format": "date", "description": "the first night"},
            "guests": {
                "type": "array",
                "items": {"type": "string"},
                "description": "their names",
            },
            "price": {"type": "string", "pattern": r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"},
            "breakfast": {"type": "boolean", "default": True},
            "note": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "description": "anything else: whatever",
            },
        },
        "required": ["room", "day", "guests"],
        "additionalProperties": False,
    }
    assert signature_of(book).description == "Book a room."


def test_functions_are_a_catalogue_of_their_own():
    made = put_together({"book": book})
    assert made.problems == ()
    spec = made.catalogue["book"]
    assert (spec.writes, spec.undo, spec.description) == (False, None, "Book a room.")
    assert spec.location is not None
    assert spec.location.file == __file__
    assert made.schemas == (
        {"name": "book", "description": "Book a room.", "parameters": schema_of(book)},
    )
    checked = Checked(made.catalogue)
    arguments = {"room": 5, "day": "2027-03-01", "guests": ["Ana"]}
    assert check(checked, "book", arguments).outcome == "allow"
    said = made.functions["book"](**arguments)
    assert said == "5 01/03 ['Ana'] 40 True None"
    wrong = check(checked, "book", {**arguments, "day": "soon", "x": 1})
    assert [reason.say["pt-BR"] for reason in wrong.reasons] == [
        "book não recebe x.",
        "day de book deve ser uma data, como 2027-03-01.",
    ]


def test_a_value_that_does_not_fit_is_never_given_to_a_function():
    made = put_together({"book": book})
    with pytest.raises(Unfit, match="day must be a date, such as 2027-03-01"):
        made.functions["book"](room=5, day="soon", guests=[])
    with pytest.raises(TypeError, match="unexpected keyword"):
        made.functions["book"](room=5, day="2027-03-01", guests=[], x=1)


def test_async_functions_and_methods_are_tools():
    class Shop:
        @tool
        async def find(self, day: date) -> date:
            return day

        def count(self, day: date) -> date:
            return day

    shop = Shop()
    made = put_together({"find": shop.find, "count": shop.count})
    assert made.problems == ()
    assert inspect.iscoroutinefunction(made.functions["find"])
    assert asyncio.run(made.functions["find"](day="2027-03-01")) == date(2027, 3, 1)
    assert made.functions["count"](day="2027-03-01") == date(2027, 3, 1)
    assert list(made.catalogue["find"].arguments) == ["day"]


def variadic(*texts: str): ...
def keywords(**texts: str): ...
def positional(text: str, /): ...
def generator():
    yield 1


async def async_generator():
    yield 1


def unknown(text: set): ...
def unresolved(text: "Nowhere"): ...  # noqa: F821


@pytest.mark.parametrize(
    ("function", "code", "problem"),
    [
        (variadic, "SV214", "it takes `*texts: str`"),
        (keywords, "SV214", "it takes `**texts: str`"),
        (positional, "SV214", "`text` cannot be given by name"),
        (generator, "SV214", "it is a generator"),
        (async_generator, "SV214", "it is a generator"),
        (Status, "SV214", "it is a class, not a function"),
        (5, "SV214", "it is a value of int, not a function"),
        (unknown, "SV216", "the hint of its parameter `text` does not fit: set is none of"),
        (unresolved, "SV216", "its type hints cannot be read: name 'Nowhere' is not defined"),
    ],
)
def test_what_cannot_be_a_tool(function, code, problem):
    with pytest.raises(NotATool) as refused:
        signature_of(function)
    assert refused.value.code == code
    assert problem in str(refused.value)
    (found,) = put_together({"f": function}).problems
    assert (found.code, found.tool) == (code, "f")


# With a vocabulary


def declared(tools: str) -> Vocabulary:
    loaded = load_text(
        "vocabulary: v\nthings: {order: {en: [order]}}\n"
        f"values: {{status: {{open: {{en: [open]}}, late: {{en: [late]}}}}}}\ntools: {tools}\n"
    )
    assert loaded.vocabulary is not None, loaded.diagnostics
    return loaded.vocabulary


def found(tools: str, **functions: Any) -> list[tuple[str, str, str | None]]:
    made = put_together(functions, declared(tools))
    return [(problem.code, problem.message, problem.fix) for problem in made.problems]


CHARGE = "{charge: {takes: {order_id: order, amount: optional money}}}"


def test_names_of_parameters_are_those_of_the_vocabulary():
    def charge(order: int, amount=None, why: str = "", *, who: str): ...

    assert found(CHARGE, charge=charge) == [
        (
            "SV215",
            "the function of `charge` has no parameter `order_id`",
            "write `order_id` instead of `order`",
        ),
        (
            "SV215",
            "the function of `charge` needs `who`, which the vocabulary's tool does not take",
            "declare `who` under `takes:`, or give the parameter a default",
        ),
    ]


def test_a_parameter_of_another_name_is_told_once():
    def charge(pedido: int, amount=None): ...

    assert found(CHARGE, charge=charge) == [
        (
            "SV215",
            "the function of `charge` has no parameter `order_id`",
            "write `order_id` instead of `pedido`",
        )
    ]

    def charges(pedido: int, quantia: int): ...

    assert [fix for _, _, fix in found(CHARGE, charge=charges)] == [
        "add the parameter `order_id`",
        "add the parameter `amount`",
        "declare `pedido` under `takes:`, or give the parameter a default",
        "declare `quantia` under `takes:`, or give the parameter a default",
    ]


def test_an_optional_argument_needs_a_default():
    def charge(order_id, amount: Money): ...

    ((code, message, fix),) = found(CHARGE, charge=charge)
    assert (code, fix) == ("SV215", "give the parameter a default: `amount=None`")
    assert message == "`amount` of `charge` is optional, and the function needs it"


@pytest.mark.parametrize("hint", [int, bool, date, list, Status, Literal[5]])
def test_a_hint_that_cannot_take_the_vocabularys_type(hint):
    def charge(order_id, amount=None): ...

    charge.__annotations__["amount"] = hint
    ((code, message, _),) = found(CHARGE, charge=charge)
    assert code == "SV216"
    assert message.startswith("`amount` of `charge` can be the amount 40.00 USD, and the function")


def test_a_hint_must_take_every_value_of_a_closed_list_and_every_type():
    def show(status: Literal["open"]): ...

    ((code, message, _),) = found("{show: {takes: {status: status}}}", show=show)
    assert (code, message) == (
        "SV216",
        "`status` of `show` can be the text `late`, and the function's hint takes one of open",
    )

    def both(what: int): ...

    ((code, message, _),) = found("{both: {takes: {what: order or quoted text}}}", both=both)
    assert "can be the text `a few words`" in message

    def fits(status: Status, what: int | str): ...

    assert not found("{fits: {takes: {status: status, what: order or quoted text}}}", fits=fits)


def test_digits_are_never_taken_for_a_number():
    def unlock(code: Decimal): ...

    for kind in ("digits", "digits 6", "cpf", "digits 40"):
        ((code, _, _),) = found(f"{{unlock: {{takes: {{code: {kind}}}}}}}", unlock=unlock)
        assert code == "SV216"


def test_the_vocabulary_holds_and_tool_adds():
    @tool(retry_safe=True, sends_out=True, undo="refund", description="Takes money.")
    def charge(order_id: int, amount: Decimal | None = None):
        """Charge.

        Args:
            amount: how much
        """
        return amount

    def refund(order_id: int):
        """Give it back."""

    made = put_together(
        {"charge": charge, "refund": refund},
        declared(
            "{charge: {writes: true, takes: {order_id: order, amount: optional money}}, "
            "refund: {description: Refunds., takes: {order_id: order}}}"
        ),
    )
    assert made.problems == ()
    spec = made.catalogue["charge"]
    flags = (spec.writes, spec.retry_safe, spec.sends_out, spec.reads_outside, spec.irreversible)
    assert flags == (True, True, True, False, False)
    assert (spec.undo, spec.description) == ("refund", "Takes money.")
    assert made.catalogue["refund"].description == "Refunds."
    assert not spec.arguments["amount"].fits("40.00")
    assert made.functions["charge"](order_id=5, amount=USD40) == Decimal("40.00")
    assert made.schemas[0]["parameters"]["required"] == ["order_id"]
    assert made.schemas[0]["parameters"]["properties"]["amount"]["description"] == "how much"


@pytest.mark.parametrize(
    ("vocabulary", "mark", "message"),
    [
        (
            "{f: {writes: true}}",
            {"writes": False},
            "the vocabulary says `writes: true` of `f`, `@tool` says writes=False",
        ),
        (
            "{f: {retry_safe: true}}",
            {"retry_safe": False},
            "the vocabulary says `retry_safe: true` of `f`, `@tool` says retry_safe=False",
        ),
        (
            "{f: {writes: true, undo: g}, g: {}}",
            {"undo": "f"},
            "`f` is undone by g in the vocabulary, by f in `@tool`",
        ),
        ("{f: {irreversible: true, writes: true}, g: {}}", {"undo": "g"}, "`f` is irreversible"),
        ("{f: {writes: true, undo: g}, g: {}}", {"irreversible": True}, "`f` is irreversible"),
        ("{f: {}, g: {}}", {"undo": "g"}, "`f` has an undo, and does not say that it writes"),
    ],
)
def test_flags_that_contradict(vocabulary, mark, message):
    @tool(**mark)
    def f(): ...

    def g(): ...

    functions = {"f": f, "g": g} if "g:" in vocabulary else {"f": f}
    ((code, said, fix),) = found(vocabulary, **functions)
    assert code == "SV217"
    assert said.startswith(message)
    assert fix


def test_a_tool_without_a_function():
    made = put_together({}, declared(CHARGE), plain=["chrge", "load"])
    ((code, message, fix),) = [(p.code, p.message, p.fix) for p in made.problems]
    assert (code, message) == ("SV213", "the tool `charge` has no function")
    assert fix == "did you mean `chrge`?"
    assert found(CHARGE)[0][2] == "write `def charge(order_id, amount=None):`"
    assert put_together({}, declared(CHARGE), only=[]).problems == ()


def undoing(undo: str, **undos: Any) -> list[tuple[str, str, str | None]]:
    @tool(writes=True, undo=undo)
    def charge(order_id: int, amount: Decimal | None = None): ...

    made = put_together({"charge": charge, **undos})
    return [(problem.code, problem.message, problem.fix) for problem in made.problems]


def test_an_undo_is_there_and_needs_no_more_than_it_is_given():
    def refund(order_id: int): ...
    def refund_all(order_id: int, amount: Decimal): ...
    def refund_to(order_id: int, account: str): ...

    assert undoing("refund", refund=refund) == []
    assert undoing("refnd", refund=refund) == [
        (
            "SV218",
            "`charge` is undone by `refnd`, and there is no such tool",
            "did you mean `refund`?",
        )
    ]
    fix = "make `{}` of `{}` optional, or give it to both"
    assert undoing("refund_all", refund_all=refund_all) == [
        (
            "SV218",
            "to undo `charge`, `refund_all` needs `amount`, which `charge` may be without",
            fix.format("amount", "refund_all"),
        )
    ]
    assert undoing("refund_to", refund_to=refund_to) == [
        (
            "SV218",
            "to undo `charge`, `refund_to` needs `account`, which `charge` does not take",
            fix.format("account", "refund_to"),
        )
    ]


def test_an_undo_must_be_among_the_tools_of_the_agent():
    def charge(order_id: int, amount=None): ...
    def refund(order_id: int): ...

    tools = (
        "{charge: {writes: true, undo: refund, takes: {order_id: order, amount: optional money}},"
        " refund: {writes: true, takes: {order_id: order}}}"
    )
    functions = {"charge": charge, "refund": refund}
    made = put_together(functions, declared(tools), only=["charge"])
    ((code, message, fix),) = [(p.code, p.message, p.fix) for p in made.problems]
    assert (code, message) == (
        "SV218",
        "the undo of `charge`, `refund`, is not among the tools",
    )
    assert fix == "add `refund` under `tools:` of the agent"
    both = put_together(functions, declared(tools), only=["charge", "refund"])
    assert both.problems == ()
    assert isinstance(both, Toolbox)


def test_what_a_tool_lacks_is_told_once():
    def charge(order_id: int, amount=None): ...

    tools = (
        "{charge: {writes: true, undo: refund, takes: {order_id: order, amount: optional money}},"
        " refund: {writes: true, takes: {order_id: order}}}"
    )
    assert [code for code, _, _ in found(tools, charge=charge)] == ["SV213"]


# An agent that is made in Python


def test_functions_given_in_python():
    @tool
    def charge(order_id: int, amount: Decimal | None = None):
        return amount

    made = toolbox_of([charge, book], declared(CHARGE))
    assert list(made.functions) == ["charge", "book"]
    assert list(toolbox_of([book]).functions) == ["book"]


def test_what_is_wrong_with_functions_given_in_python_is_told_at_each():
    def other(): ...

    other.__name__ = "book"
    with pytest.raises(AgentError) as raised:
        toolbox_of([book, other, keywords, 5], declared(CHARGE))
    found = raised.value.diagnostics
    assert [(one.code, Path(one.location.file).name) for one in found] == [
        ("SV214", "<python>"),
        ("SV219", "test_tools.py"),
        ("SV214", "test_tools.py"),
    ]
    line = keywords.__code__.co_firstlineno
    assert f"test_tools.py:{line}:1: error[SV214]: `keywords` cannot be a tool" in str(raised.value)
    assert f" {line} | def keywords(**texts: str): ..." in raised.value.rendered()


# The vocabulary's types for a model

TAKE = vocabulary().tools["take"].arguments
LISTS = vocabulary().values


@pytest.mark.parametrize("argument", TAKE, ids=lambda argument: argument.name)
def test_the_schema_of_a_type_allows_what_fits_and_nothing_else(argument):
    schema = schema_of_types(argument.types, LISTS)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for value in FITTING[argument.name]:
        if value != "1E-7":  # a model writes it 0.0000001
            assert validator.is_valid(value), value
    kinds = {kind.kind for kind in argument.types}
    if not kinds & {"date", "duration", "e-mail"}:  # their formats are not patterns
        for value in WRONG[argument.name]:
            whole = isinstance(value, float) and value.is_integer()  # JSON's 5.0 is 5
            assert whole or not validator.is_valid(value), value


@pytest.mark.parametrize("argument", TAKE, ids=lambda argument: argument.name)
def test_samples_are_values_of_their_types(argument):
    from stalwart_lang.check import catalogue_of

    spec = catalogue_of(vocabulary())["take"].arguments[argument.name]
    for kind in argument.types:
        made = list(samples(kind, LISTS))
        assert made
        assert all(spec.fits(value) for value in made)
