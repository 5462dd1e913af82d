"""What a language says of arguments: which prepositions and label words introduce which type.

The names of prepositions and of type labels are those of the grammar's terminals (`FOR`, `DE`;
`LABEL_MONEY`), in lower case. An empty preposition means that the value stands alone.
"""

from collections.abc import Callable, Mapping

from stalwart_lang.vocabulary.model import Language

PREPOSITIONS: Mapping[Language, frozenset[str]] = {
    "en": frozenset(
        ["FOR", "OF", "TO", "ON", "FROM", "IN", "AT", "WITH", "INTO", "BY", "AS", "ABOUT"],
    ),
    "pt-BR": frozenset(["DE", "EM", "PARA", "A", "POR", "COM", "SOBRE", "COMO"]),
}
"""The terminals that are prepositions; in Portuguese `DE_DET` and kin are these with an article."""

INTRODUCES: Mapping[Language, Mapping[str, frozenset[str]]] = {
    "en": {
        "thing": frozenset({"", "for", "of", "to", "on", "from"}),
        "list": frozenset({"", "in", "with", "of"}),
        "integer": frozenset({"", "of", "for", "at"}),
        "decimal": frozenset({"", "of", "for", "at"}),
        "percentage": frozenset({"", "of", "for", "at"}),
        "quantity": frozenset({"", "of", "for"}),
        "money": frozenset({"", "for", "of"}),
        "date": frozenset({"", "on", "for", "to", "in"}),
        "time": frozenset({"", "at", "for", "to"}),
        "month": frozenset({"for", "of", "from", "about", "regarding"}),
        "duration": frozenset({"", "for", "of", "by"}),
        "e-mail": frozenset({"", "to", "at"}),
        "telephone": frozenset({"", "to", "at", "for", "on", "with"}),
        "cpf": frozenset({"", "to", "for", "with"}),
        "cnpj": frozenset({"", "to", "for", "with"}),
        "digits": frozenset({"", "to", "for", "with"}),
        "quoted text": frozenset({"", "to", "with", "for", "as"}),
    },
    "pt-BR": {
        "thing": frozenset({"", "de", "em", "para", "a", "por"}),
        "list": frozenset({"", "em", "com", "de"}),
        "integer": frozenset({"", "de"}),
        "decimal": frozenset({"", "de"}),
        "percentage": frozenset({"", "de"}),
        "quantity": frozenset({"", "de"}),
        "money": frozenset({"", "de", "por"}),
        "date": frozenset({"", "em", "para", "a"}),
        "time": frozenset({"", "a", "para", "em"}),
        "month": frozenset({"de", "sobre"}),
        "duration": frozenset({"", "por", "de", "com"}),
        "e-mail": frozenset({"", "para", "a"}),
        "telephone": frozenset({"", "para", "a", "em", "por", "com"}),
        "cpf": frozenset({"", "para", "a", "em", "com"}),
        "cnpj": frozenset({"", "para", "a", "em", "com"}),
        "digits": frozenset({"", "para", "a", "com"}),
        "quoted text": frozenset({"", "para", "com", "como", "a"}),
    },
}
"""By type, the prepositions that may stand before a value of it."""

OBJECT_NAMED: Mapping[Language, Mapping[str, frozenset[str]]] = {
    "en": {
        "thing": frozenset({"in", "about", "with", "regarding"}),
        "date": frozenset({"of"}),
        "list": frozenset({"to", "as"}),
        **dict.fromkeys(
            ("integer", "decimal", "percentage", "quantity", "money"), frozenset({"to"})
        ),
    },
    "pt-BR": {
        "thing": frozenset({"sobre"}),
        "date": frozenset({"de"}),
        "list": frozenset({"para", "como"}),
        **dict.fromkeys(
            ("integer", "decimal", "percentage", "quantity", "money"), frozenset({"para"})
        ),
    },
}
"""Prepositions more where the phrase names what the verb acts on: "set the limit to $500".

"Refund order 5 to $40" is no refund of 40. Those of a closed list are not for a phrase about things
in the plural: "list the orders to late" sets nothing.
"""

ONLY_WITH: Mapping[Language, Mapping[str, str]] = {
    "en": {"from": "money", "about": "quoted text"},
    "pt-BR": {"sobre": "quoted text"},
}
"""Prepositions that a tool takes only if it has an argument of this type."""

OBJECT_GIVEN: Mapping[Language, Mapping[str, frozenset[str]]] = {
    "en": {"list": frozenset({"as"})},
    "pt-BR": {"list": frozenset({"como"}), "money": frozenset({"em"})},
}
"""Prepositions more where an argument is what the verb acts on: "reembolse o pedido 5 em 40,00".

"Aumente o limite em R$ 500" raises it by so much.
"""

TYPE_LABELS: Mapping[str, tuple[str, ...]] = {
    "LABEL_MONEY": ("money",),
    "LABEL_DATE": ("date",),
    "LABEL_TIME": ("time",),
    "LABEL_MONTH": ("month",),
    "LABEL_EMAIL": ("e-mail",),
    "LABEL_TEXT": ("quoted text",),
    "LABEL_TELEPHONE": ("telephone",),
    "LABEL_CPF": ("cpf",),
    "LABEL_CNPJ": ("cnpj",),
}
"""The types that a grammar's label terminal introduces."""

ABBREVIATIONS: Mapping[Language, Mapping[str, tuple[str, ...]]] = {
    "en": {"you": ("u",), "please": ("pls",)},
    "pt-BR": {
        "você": ("vc", "cê"),
        "vocês": ("vcs",),
        "que": ("q",),
        "para": ("pra",),
    },
}
"""Words of a grammar that people also type shorter, inside a group of words."""

DEFAULT_CURRENCY: Mapping[Language, str] = {"en": "USD", "pt-BR": "BRL"}

POSSESSIVES = frozenset(
    {"my", "our", "meu", "minha", "meus", "minhas", "nosso", "nossa"}
    | {"o meu", "a minha", "os meus", "as minhas", "o nosso", "a nossa"}
)
"""Words that say whose things are meant, which a list of them would have to heed."""

INDEFINITE = frozenset({"a", "an", "um", "uma"}) | POSSESSIVES
"""Articles and the like that refer to nothing spoken of before."""

THEN_AGAIN = frozenset(
    {"then", "and then", "after that", "and after that", "depois", "e depois", "em seguida"}
    | {"e em seguida", "depois disso", "e depois disso"}
)
"""What may stand before one more id for the same verb: "cancel order 5, then order 6"."""

OF: Mapping[Language, str] = {"en": "of", "pt-BR": "de"}

BEFORE_LABELS: Mapping[Language, frozenset[str]] = {
    "en": frozenset({"", "in", "of", "for", "with", "at", "on", "to"}),
    "pt-BR": frozenset({"", "em", "de", "com", "para", "a"}),
}
"""Prepositions that may stand before a label: `in the amount of`, `no valor de`."""

_ENGLISH_PLURAL = frozenset(("them", "these", "those", "their", "all of them"))
_ENGLISH_NEUTRAL = frozenset(("this", "that", "these", "those"))
_PORTUGUESE_NEUTRAL = frozenset(["isso", "isto", "aquilo", "disso", "disto", "nisso", "nisto"])


def _english_pronoun(words: str) -> tuple[bool, str]:
    return words in _ENGLISH_PLURAL, "n" if words in _ENGLISH_NEUTRAL else ""


def _portuguese_pronoun(words: str) -> tuple[bool, str]:
    word = words.rsplit(" ", 1)[-1]
    if word in _PORTUGUESE_NEUTRAL:
        return False, "n"
    return word.endswith("s"), "f" if word.rstrip("s").endswith("a") else "m"


PRONOUNS: Mapping[Language, Callable[[str], tuple[bool, str]]] = {
    "en": _english_pronoun,
    "pt-BR": _portuguese_pronoun,
}
"""By language, whether a pronoun is plural, and its gender: `m`, `f`, `n` for what may as well be
the act just spoken of (`cancel that`), or empty where it has none.
"""
