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
        "thing": frozenset({"", "for", "of", "to", "on", "from", "in", "with", "about"}),
        "list": frozenset({"", "as", "to", "in", "with", "of"}),
        "integer": frozenset({"", "to", "of", "for", "at"}),
        "decimal": frozenset({"", "to", "of", "for", "at"}),
        "percentage": frozenset({"", "to", "of", "for", "at", "by"}),
        "quantity": frozenset({"", "to", "of", "for", "with"}),
        "money": frozenset({"", "for", "of", "to", "in", "with"}),
        "date": frozenset({"", "on", "for", "to", "of", "in"}),
        "time": frozenset({"", "at", "for", "to"}),
        "month": frozenset({"", "for", "of", "in", "from", "about"}),
        "duration": frozenset({"", "for", "of", "with"}),
        "e-mail": frozenset({"", "to", "at", "for", "with"}),
        "telephone": frozenset({"", "to", "at", "for", "on", "with"}),
        "cpf": frozenset({"", "to", "for", "with"}),
        "cnpj": frozenset({"", "to", "for", "with"}),
        "digits": frozenset({"", "to", "for", "with"}),
        "quoted text": frozenset({"", "to", "with", "for", "as"}),
    },
    "pt-BR": {
        "thing": frozenset({"", "de", "em", "para", "a", "sobre", "por", "com"}),
        "list": frozenset({"", "como", "para", "em", "com", "de"}),
        "integer": frozenset({"", "para", "em", "de", "a"}),
        "decimal": frozenset({"", "para", "em", "de", "a"}),
        "percentage": frozenset({"", "para", "em", "de", "a"}),
        "quantity": frozenset({"", "para", "de", "com"}),
        "money": frozenset({"", "de", "em", "para", "por", "com"}),
        "date": frozenset({"", "em", "para", "a", "de"}),
        "time": frozenset({"", "a", "para", "em"}),
        "month": frozenset({"", "de", "em", "para", "a", "sobre"}),
        "duration": frozenset({"", "por", "de", "com"}),
        "e-mail": frozenset({"", "para", "a", "em", "por", "com"}),
        "telephone": frozenset({"", "para", "a", "em", "por", "com"}),
        "cpf": frozenset({"", "para", "a", "em", "com"}),
        "cnpj": frozenset({"", "para", "a", "em", "com"}),
        "digits": frozenset({"", "para", "a", "com"}),
        "quoted text": frozenset({"", "para", "com", "como", "a"}),
    },
}
"""By type, the prepositions that may stand before a value of it."""

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

_NEUTRAL = frozenset(["isso", "isto", "aquilo", "disso", "disto", "nisso", "nisto"])
_ENGLISH_PLURAL = frozenset(
    ("them", "these", "those", "both", "their", "all of them", "both of them")
)


def _english_pronoun(words: str) -> tuple[bool, str]:
    return words in _ENGLISH_PLURAL, ""


def _portuguese_pronoun(words: str) -> tuple[bool, str]:
    word = words.rsplit(" ", 1)[-1]
    if word in _NEUTRAL:
        return False, ""
    if word.startswith("amb"):
        return True, ""
    return word.endswith("s"), "f" if word.rstrip("s").endswith("a") else "m"


PRONOUNS: Mapping[Language, Callable[[str], tuple[bool, str]]] = {
    "en": _english_pronoun,
    "pt-BR": _portuguese_pronoun,
}
"""By language, whether a pronoun is plural, and its gender (`m`, `f`, or empty for either)."""
