"""The dictionary forms that words of a vocabulary were perhaps made from: for hints only.

There is no dictionary here, so that what is made is a guess; the forms of the guess are made
again, and a guess that does not give the word back is none.
"""

import re

from stalwart_lang.words import english_forms, portuguese_forms
from stalwart_lang.words.language import Language

_VOWEL = re.compile("[aeiouy]")
_NOT_MADE = frozenset(["embed", "hamstring", "imbed", "restring", "unstring"])
_OF_EE = frozenset(["agreed", "decreed", "disagreed", "freed", "guaranteed", "refereed"])
# What stands before -ing and -ed where the base form has an e more: charg, updat, schedul, tak.
_WITHOUT_E = re.compile(
    r".*(?:[cuvz]|[^n]g|(?:ch|rr)ang|[bcdfgkpt]l|[aeiounr]s|[au]t|[^o]ot|[lp]et|(?:inv|wr)it"
    r"|[iu]r|(?:st|pl|gn)or|[^aeo]i[dln]|u[lm]|[^o]ok|nam)|[^aeiou]*[aeiou][bdfgklmnpst]"
)
_DOUBLED = re.compile(r"(.*[aeiou]([bdgklmnprtvz]))\2")
_L_DOUBLED = re.compile(r"(?!.*(?:[st]|sp)ell).*[aeiou].*ell")
_NO_SINGULAR = {
    "en": frozenset(
        [
            "earnings",
            "goods",
            "headquarters",
            "means",
            "news",
            "premises",
            "sales",
            "savings",
            "series",
            "species",
        ]
    ),
    "pt-BR": frozenset(
        [
            "antes",
            "atlas",
            "depois",
            "férias",
            "mais",
            "menos",
            "óculos",
            "ourives",
            "parabéns",
            "pêsames",
            "pires",
        ]
    ),
}
_SINGULAR = {"children": "child", "men": "man", "people": "person", "women": "woman"}
_PORTUGUESE_PLURALS = (
    ("ões", "ão"),
    ("ães", "ão"),
    ("ãos", "ão"),
    ("íses", "ís"),
    ("res", "r"),
    ("zes", "z"),
    ("ais", "al"),
    ("éis", "el"),
    ("eis", "el"),
    ("óis", "ol"),
    ("is", "il"),
    ("ns", "m"),
    ("s", ""),
)


def base_form(verb: str) -> str | None:
    """Guess the base form of an English verb in lower case: *enrolled*, *enrolling* → *enroll*.

    None where the word looks like a base form: *feed*, *bring*, *process*, *put*.
    """
    irregular = english_forms.irregular_base(verb)
    if irregular is not None:
        return irregular
    if verb in _NOT_MADE or (verb.endswith("eed") and verb not in _OF_EE):
        return None
    for guess in _bases(verb):
        if not (guess.isascii() and guess.isalpha()):
            continue
        forms = english_forms.verb_forms(guess)
        if verb in (*forms.gerund, *forms.past, *forms.participle, forms.third_person):
            return guess
    return None


def _bases(verb: str) -> list[str]:
    if verb.endswith("s"):
        if verb[-2:-1] in set("aious"):
            return []
        if verb.endswith("ies"):
            return [f"{verb[:-3]}y"]
        if verb.endswith(("oes", "sses", "xes", "zzes", "ches", "shes")):
            return [verb[:-2], verb[:-1]]
        return [verb[:-1]] if _VOWEL.search(verb[:-1]) else []
    if verb.endswith("ied"):
        return [f"{verb[:-3]}y"]
    for ending in ("ing", "ed"):
        stem = verb.removesuffix(ending)
        if stem != verb and _VOWEL.search(stem):
            doubled = _DOUBLED.fullmatch(stem)
            once = [] if doubled is None else [doubled[1]]
            if stem in ("dy", "ly", "ty"):
                return [f"{stem[0]}ie"]
            if stem.endswith(("ll", "dd")) and not _L_DOUBLED.fullmatch(stem):
                return [stem, *once]  # enroll and fill, but cancel
            with_e = _WITHOUT_E.fullmatch(stem)
            return [*once, *([f"{stem}e", stem] if with_e else [stem, f"{stem}e"])]
    return []


def singular(noun: str, language: Language) -> str | None:
    """Guess the singular of a noun or a phrase in lower case: *members* → *member*.

    None where it looks like a singular: *status*, *address*, *ônibus*.
    """
    plural = english_forms.plural if language == "en" else portuguese_forms.plural
    words = noun.split(" ")
    if not _NO_SINGULAR[language].isdisjoint(words):
        return None
    ones = [_singular_word(word, language) for word in words]
    guesses = [
        " ".join([*words[:at], one, *words[at + 1 :]])
        for at, one in enumerate(ones)
        if one != words[at]
    ]
    for guess in (" ".join(ones), *guesses):
        if guess != noun and plural(guess) == noun:
            return guess
    return None


def _singular_word(word: str, language: Language) -> str:
    if language == "en":
        if word in _SINGULAR:
            return _SINGULAR[word]
        if not word.endswith("s") or english_forms.plural(word) != word or word.endswith("ics"):
            return word
        if word.endswith("ies") and len(word) > 4:
            return f"{word[:-3]}y"
        if word.endswith(("sses", "uses", "xes", "zzes", "ches", "shes")):
            return word[:-2]
        return word[:-1] if _VOWEL.search(word[:-1]) else word
    if word.endswith("us") or portuguese_forms.plural(word) != word:
        return word
    if word.endswith("is") and not word.endswith(("eis", "ais")) and not word.isascii():
        return word  # lápis
    for ending, one in _PORTUGUESE_PLURALS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            guess = word.removesuffix(ending) + one
            if portuguese_forms.plural(guess) == word:
                return guess
    return word
