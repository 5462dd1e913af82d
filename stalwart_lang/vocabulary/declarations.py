"""The vocabulary's format, declared once.

The loader checks files against `VOCABULARY` (`checking.py`) and the JSON Schema is made from it
(`schema.py`), so that the two cannot drift.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from stalwart_lang.vocabulary.model import LANGUAGES


@dataclass(frozen=True, slots=True)
class Text:
    """Text. `pattern` must match all of it and is read alike by Python and ECMA-262."""

    what: str = "text"
    pattern: str = ""
    pattern_code: str = "SV025"
    choices: tuple[str, ...] = ()
    choices_code: str = "SV023"
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Flag:
    """`true` or `false`; only `true` where `false` would say nothing."""

    only_true: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """A number; a whole one of at least `minimum` where `whole` is set."""

    whole: bool = False
    minimum: int | None = None


@dataclass(frozen=True, slots=True)
class Anything:
    """Any value: what it may be depends on names that a schema does not know."""

    scalar: bool = False


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of at least one item; with `single`, one item may stand without brackets."""

    item: "Shape"
    single: bool = False


@dataclass(frozen=True, slots=True)
class MapOf:
    """A mapping from names of the author's; `what` is one entry of it, in words."""

    what: str
    key: Text
    value: "Shape"
    at_least: int = 0
    at_most: int | None = None
    or_nothing: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a record."""

    doc: str
    shape: "Shape"
    required: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping with known keys.

    Of the keys in `exactly_one`, one must be there and no other; of those in `at_least_one`, one
    or more. With `or_nothing`, nothing may stand for a mapping without keys.
    """

    what: str
    keys: Mapping[str, Key]
    exactly_one: tuple[str, ...] = ()
    at_least_one: tuple[str, ...] = ()
    or_nothing: bool = False


@dataclass(frozen=True, slots=True)
class Either:
    """A short form, which is text, or a long form, which is a record."""

    short: Text
    long: Record


Shape: TypeAlias = Text | Flag | Number | Anything | ListOf | MapOf | Record | Either

REASON_CODES: tuple[str, ...] = (
    "empty",
    "negation",
    "condition",
    "hypothetical",
    "question",
    "past",
    "future",
    "reported",
    "partial",
    "inverse",
    "correction",
    "alternative",
    "approximate",
    "hortative",
    "unknown_word",
    "other_language",
    "other_script",
    "control_character",
    "unclosed_quote",
    "invalid_code",
    "ill_formed_number",
    "ill_formed_money",
    "number_too_long",
    "impossible_date",
    "ambiguous_date",
    "ambiguous_time",
    "ambiguous_number",
    "unexpected",
    "unfinished",
    "unexpected_argument",
    "repeated_argument",
    "repeated_call",
    "unclear_reference",
    "no_verb",
    "ambiguous_argument",
    "number_mismatch",
    "shared_amount",
)
"""Why a turn can be unread, as a plan's reasons name it."""

_ISO_4217 = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD
CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP
GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD
KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN
NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP
SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES
VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
"""
CURRENCIES: tuple[str, ...] = tuple(_ISO_4217.split())
"""The national currencies of ISO 4217."""

_NAME = Text("a name without blanks", r"\S+")
_IDENTIFIER = Text(
    "a name of letters, digits and _ that starts with no digit", r"[A-Za-z_][A-Za-z0-9_]*"
)
_LANGUAGE_NAMES = {"en": "English", "pt-BR": "Brazilian Portuguese"}


def _by_language(what: str, value: Shape, doc: str) -> Record:
    return Record(
        what,
        {language: Key(f"{doc}, in {_LANGUAGE_NAMES[language]}.", value) for language in LANGUAGES},
        at_least_one=LANGUAGES,
    )


_NOUNS = _by_language(
    "words by language",
    ListOf(Text("a noun or a few words", examples=("order", "em aberto")), single=True),
    "Words for it in the singular, the plural is made",
)
_SENTENCES = _by_language("a sentence by language", Text(), "The sentence")
_CURRENCY = Text("an ISO 4217 code", choices=CURRENCIES, choices_code="SV060")

_SETTINGS = Record(
    "the settings",
    {
        "language": Key(
            "The language of turns that do not say theirs. Without it, `en`.",
            Text(choices=LANGUAGES),
        ),
        "currency": Key(
            "The currency of an amount that names none: an ISO 4217 code, or one a language. "
            "Without it, USD in English and BRL in Portuguese.",
            Either(_CURRENCY, _by_language("currencies by language", _CURRENCY, "The currency")),
        ),
        "timezone": Key(
            "The time zone in which dates like `tomorrow` are reckoned, by its IANA name.",
            Text(
                "an IANA time zone",
                r"UTC|[A-Za-z_]+(?:/[A-Za-z0-9_+\-]+)+",
                "SV061",
                examples=("America/Sao_Paulo",),
            ),
        ),
    },
)

_ARGUMENT_TYPE = Text(
    "a type",
    examples=(
        "integer",
        "decimal",
        "money",
        "date",
        "time",
        "month",
        "duration",
        "percentage",
        "quantity of kilo",
        "e-mail",
        "telephone",
        "cpf",
        "cnpj",
        "digits",
        "digits 6",
        "quoted text",
        "optional money",
        "e-mail or telephone",
    ),
)

_ARGUMENT = Either(
    _ARGUMENT_TYPE,
    Record(
        "an argument",
        {
            "type": Key(
                "A thing, a closed list, or a built-in type; `optional` before it, several with "
                "`or`.",
                _ARGUMENT_TYPE,
                required=True,
            ),
            "words": Key("Nouns that introduce it: the limit in `limit 5`.", _NOUNS),
            "ask": Key("The question to ask where it is missing.", _SENTENCES),
        },
    ),
)

_TOOL = Record(
    "a tool",
    {
        "description": Key("What the tool does, for people.", Text()),
        "writes": Key("It changes something, so a person confirms it.", Flag()),
        "undo": Key("The tool that takes it back, with the same arguments.", Text("a tool's name")),
        "irreversible": Key("Nothing takes it back.", Flag()),
        "retry_safe": Key("Doing it twice is the same as doing it once.", Flag()),
        "reads_outside": Key("What it returns comes from outside and is not trusted.", Flag()),
        "sends_out": Key("What it is given leaves the house.", Flag()),
        "takes": Key(
            "Its arguments and their types.", MapOf("an argument", _IDENTIFIER, _ARGUMENT)
        ),
        "say": Key(
            "Orders as one would give them; none for a tool that no turn can ask for.",
            _by_language(
                "phrases by language",
                ListOf(
                    Text(
                        "a phrase",
                        examples=("charge", "list orders", "merge {source} into {target}"),
                    ),
                    single=True,
                ),
                "Phrases: the verb in its dictionary form, then its nouns; `word {argument}` "
                "for an argument that only this word introduces",
            ),
        ),
    },
)

_CONDITION = Record(
    "a condition",
    {
        "over": Key("The argument is more than this.", Number()),
        "under": Key("The argument is less than this.", Number()),
        "one_of": Key("The argument is one of these.", ListOf(Anything(scalar=True), single=True)),
        "matches": Key(
            "All of the argument matches this regular expression.", Text("a regular expression")
        ),
    },
    at_least_one=("over", "under", "one_of", "matches"),
)

_RULE_EFFECTS = ("never", "requires", "requires_confirmation", "after", "not_after", "at_most")

_RULE = Record(
    "a rule",
    {
        "tool": Key("The tool that it is about.", Text("a tool's name"), required=True),
        "never": Key("The tool is refused.", Flag()),
        "requires": Key(
            "Facts that must hold for the tool to be allowed.",
            ListOf(Text("a fact's name"), single=True),
        ),
        "requires_confirmation": Key("A person must confirm the call.", Flag()),
        "when": Key(
            "The rule applies only to calls whose arguments are so.",
            MapOf("a condition", _IDENTIFIER, _CONDITION, at_least=1),
        ),
        "after": Key("Only after this tool has run.", Text("a tool's name")),
        "not_after": Key("Not after this tool has run.", Text("a tool's name")),
        "at_most": Key("So many times in a run, no more.", Number(whole=True, minimum=0)),
        "say": Key("What a person is told where the rule refuses.", _SENTENCES),
    },
    at_least_one=_RULE_EFFECTS,
)

_TURN = Record(
    "a turn",
    {
        "say": Key(
            "The turn, or several that read alike.",
            _by_language("turns by language", ListOf(Text(), single=True), "The turn"),
            required=True,
        ),
        "plan": Key(
            "The calls it must read as, in order.",
            ListOf(
                MapOf(
                    "a call",
                    _IDENTIFIER,
                    MapOf("an argument", _IDENTIFIER, Anything(), or_nothing=True),
                    at_least=1,
                    at_most=1,
                )
            ),
        ),
        "unread": Key(
            "It must not be read, for this reason; `any` for whichever.",
            Text("a reason", choices=("any", *REASON_CODES), choices_code="SV045"),
        ),
        "incomplete": Key("It must ask for this argument.", Text("an argument's name")),
        "ambiguous": Key("It must have more than one reading.", Flag(only_true=True)),
        "now": Key(
            "The moment in which it is said, in ISO 8601.",
            Text("a date and time", examples=("2027-03-01T09:00",)),
        ),
    },
    exactly_one=("plan", "unread", "incomplete", "ambiguous"),
)

VOCABULARY = Record(
    "a vocabulary",
    {
        "vocabulary": Key("The name of the vocabulary.", _NAME, required=True),
        "settings": Key("What holds where a turn says nothing else.", _SETTINGS),
        "include": Key(
            "Files that belong to this vocabulary, relative to this one.",
            ListOf(Text("a file"), single=True),
        ),
        "things": Key(
            "Nouns that are followed by an id: the order in `order 4411`.",
            MapOf("a thing", _NAME, _NOUNS),
        ),
        "values": Key(
            "Closed lists: each value with the words for it.",
            MapOf(
                "a closed list",
                _NAME,
                MapOf("a value", Text("a name", r"\S(?:.*\S)?"), _NOUNS, at_least=1),
            ),
        ),
        "units": Key("Units of quantities.", MapOf("a unit", _NAME, _NOUNS)),
        "tools": Key("What can be asked for.", MapOf("a tool", _IDENTIFIER, _TOOL)),
        "rules": Key(
            "What is allowed, by the name that traces and editors show.",
            MapOf("a rule", _NAME, _RULE),
        ),
        "turns": Key(
            "Tests that live with the vocabulary: what must be read, and what must not.",
            ListOf(_TURN),
        ),
    },
)
"""A file of a vocabulary."""
