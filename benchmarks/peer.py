"""hassil, the intent matcher of Home Assistant, on vocabularies equivalent to ours."""

import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hassil import Intents, recognize
from yaml import safe_load

from stalwart_lang import Vocabulary

_HERE = Path(__file__).parent
_CORPUS = _HERE.parent / "tests" / "corpus"

# hassil matches accents as typed, forms and prepositions as listed: a phrase needs its forms.
_TEMPLATES = {
    "en": "[please] {phrase} (of|for) [the] record [number]{{record_id}} [[,] please]",
    "pt-BR": "[por favor[,]] {phrase} do cadastro [número]{{record_id}} [[,] por favor]",
}


def load(language: str, *, accents: bool = True) -> Intents:
    """Load the shop's intents, with their accents or without."""
    text = (_HERE / "hassil" / f"{language}.yaml").read_text(encoding="utf-8")
    return Intents.from_dict(safe_load(text if accents else without_accents(text)))


def without_accents(text: str) -> str:
    """Take the accents off letters."""
    letters = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def with_phrases(language: str, phrases: Sequence[str]) -> Intents:
    """Make intents of the shop's and of generated phrases, three phrases a tool."""
    intents = load(language)
    made: dict[str, Any] = {
        "language": language,
        "intents": {
            f"tool_{at}": {
                "data": [
                    {
                        "sentences": [
                            _TEMPLATES[language].format(phrase=phrase)
                            for phrase in phrases[at : at + 3]
                        ]
                    }
                ]
            }
            for at in range(0, len(phrases), 3)
        },
    }
    more = Intents.from_dict(made)
    intents.intents.update(more.intents)
    return intents


def shop_turns(language: str) -> list[tuple[str, str]]:
    """Give the turns of one call that come with the shop, each with its tool."""
    return [
        (phrase.text, turn.plan[0].tool)
        for turn in Vocabulary.load("shop").turns
        if turn.plan is not None and len(turn.plan) == 1
        for phrase in turn.say.get(language, ())
    ]


def corpus_turns(language: str) -> list[tuple[str, str]]:
    """Give the turns of the tests' corpus that ours reads as one call of the shop."""
    lines = [
        json.loads(line)
        for file in sorted(_CORPUS.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").strip().split("\n")
    ]
    found = {
        line["turn"]: line["calls"][0]["tool"]
        for line in lines
        if line.get("language") == language
        and line["expect"] == "read"
        and len(line["calls"]) == 1
        and line.get("reached", True)
        and line.get("vocabulary", "shop") == "shop"
        and "pending" not in line
    }
    return [*found.items()]


def recognized(intents: Intents, turn: str) -> str | None:
    """Give the intent that hassil takes a turn for."""
    result = recognize(turn, intents)
    return None if result is None else result.intent.name


def recognize_all(intents: Intents, turns: Sequence[str]) -> None:
    """Have hassil read turns one by one."""
    for turn in turns:
        recognize(turn, intents)
