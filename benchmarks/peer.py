"""hassil, the intent matcher of Home Assistant, on vocabularies equivalent to ours."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hassil import Intents, recognize

from stalwart_lang import Vocabulary

_HERE = Path(__file__).parent

# hassil matches accents as typed, forms and prepositions as listed: a phrase needs its forms.
_TEMPLATES = {
    "en": "[please] {phrase} (of|for) [the] record [number]{{record_id}} [[,] please]",
    "pt-BR": "[por favor[,]] {phrase} do cadastro [número]{{record_id}} [[,] por favor]",
}


def load(language: str) -> Intents:
    """Load the shop's intents."""
    with (_HERE / "hassil" / f"{language}.yaml").open(encoding="utf-8") as file:
        return Intents.from_yaml(file)


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


def recognized(intents: Intents, turn: str) -> str | None:
    """Give the intent that hassil takes a turn for."""
    result = recognize(turn, intents)
    return None if result is None else result.intent.name


def recognize_all(intents: Intents, turns: Sequence[str]) -> None:
    """Have hassil read turns one by one."""
    for turn in turns:
        recognize(turn, intents)
