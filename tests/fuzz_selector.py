"""Fuzz the selector: `python tests/fuzz_selector.py --minutes 30 --seed 1`. Not run by pytest.

Turns of the corpus are mutated, by words and by characters, and words of the grammars thrown
together. Whatever comes out: reading it raises nothing and gives plain JSON; a read turn reads the
same in another case, without accents, in NFD and with more blanks; a negation or a condition put
anywhere outside its quotes leaves no call. Prints what breaks this and exits 1.
"""

import argparse
import json
import random
import re
import sys
import time
import unicodedata
from pathlib import Path

from stalwart_lang import Language, Plan, Selector, Vocabulary
from stalwart_lang.selector.grammar import load_grammar
from stalwart_lang.words.text import fold

CORPUS = Path(__file__).parent / "corpus"
NOW = "2026-11-30T09:00:00-03:00"
STOPS: dict[Language, list[str]] = {
    "en": ["not", "don't", "never", "unless", "if", "maybe", "without", "except", "or", "about"],
    "pt-BR": ["não", "nunca", "se", "caso", "talvez", "sem", "exceto", "ou", "até", "nem"],
}
STRANGE = "\u200b\u202e\u0430\u0391\uff11\u0661\u00b2\u0301\u2028\x00\ud800€ß½…\U0001f600\"“'«%"
QUOTED = re.compile(r"[\"“«‘']")


def turns_of(language: Language) -> list[str]:
    """Give the turns of the corpus in a language."""
    turns: list[str] = []
    for file in sorted(CORPUS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if entry.get("language") == language:
                turns.append(entry["turn"])
    return turns


def words_of(language: Language, turns: list[str]) -> list[str]:
    """Give the words of a language's grammar and of its turns."""
    listed = {
        " ".join(group) for groups in load_grammar(language).words.values() for group in groups
    }
    return sorted(listed | {word for turn in turns for word in turn.split()})


def mutated(chance: random.Random, turns: list[str], words: list[str]) -> str:
    """Make a turn: a soup of words, or one of the corpus with words or characters changed."""
    if chance.random() < 0.2:
        return " ".join(chance.choices(words, k=chance.randint(1, 14)))
    tokens = chance.choice(turns).split(" ")
    for _ in range(chance.randint(0, 3)):
        at = chance.randrange(len(tokens) + 1)
        what = chance.random()
        if what < 0.35:
            tokens.insert(at, chance.choice(words))
        elif what < 0.5:
            tokens[at:at] = chance.choice(turns).split(" ")[: chance.randint(1, 5)]
        elif what < 0.65 and len(tokens) > 1:
            del tokens[at - 1]
        elif what < 0.8:
            chance.shuffle(tokens) if chance.random() < 0.1 else tokens.insert(at, tokens[at - 1])
        else:
            text = " ".join(tokens)
            place = chance.randrange(len(text) + 1)
            put = chance.choice(STRANGE) if chance.random() < 0.7 else chance.choice(text or " ")
            tokens = (text[:place] + put + text[place + chance.randint(0, 1) :]).split(" ")
    return " ".join(tokens)


def asked(plan: Plan) -> list[tuple[str, str]]:
    """Give the calls of a plan without their places."""
    return [(call.tool, json.dumps(dict(call.arguments), sort_keys=True)) for call in plan.calls]


def broken(selector: Selector, turn: str, language: Language, chance: random.Random) -> str:
    """Tell what a turn breaks, or nothing."""

    def read(text: str) -> Plan:
        return selector.plan(text, language=language, now=NOW)

    plan = read(turn)
    json.loads(json.dumps(plan.to_dict()))
    if any(not 0 <= call.start < call.end <= len(turn) for call in plan.calls):
        return "the place of a call is outside the turn"
    if any(not 0 <= reason.start <= reason.end <= len(turn) for reason in plan.reasons):
        return "the place of a reason is outside the turn"
    if plan.verdict != "read" or QUOTED.search(turn) or "@" in turn:
        return ""
    calls = asked(plan)
    same = {
        "capitals": turn.upper(),
        "NFD": unicodedata.normalize("NFD", turn),
        "blanks": turn.replace(" ", " \u00a0 "),
    }
    if fold(turn) == turn.lower():
        same["lower case"] = turn.lower()
    for name, text in same.items():
        if asked(read(text)) != calls:
            return f"it reads otherwise in {name}: {text!r}"
    tokens = turn.split(" ")
    at = chance.randrange(len(tokens) + 1)
    word = chance.choice(STOPS[language])
    stopped = " ".join([*tokens[:at], word, *tokens[at:]])
    if read(stopped).calls:
        return f"it is read with {word!r}: {stopped!r}"
    return ""


def main() -> None:
    """Fuzz until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    selector = Selector(Vocabulary.load("shop"))
    languages: tuple[Language, ...] = ("en", "pt-BR")
    material = {language: turns_of(language) for language in languages}
    words = {language: words_of(language, material[language]) for language in languages}
    end = time.monotonic() + 60 * given.minutes
    tried = read = failures = 0
    while time.monotonic() < end and failures < 20:
        language = chance.choice(languages)
        turn = mutated(chance, material[language], words[language])
        tried += 1
        try:
            what = broken(selector, turn, language, chance)
            read += selector.plan(turn, language=language, now=NOW).verdict == "read"
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
        if what:
            failures += 1
            print(f"{language} {turn!r}: {what}")
    print(f"{tried} turns, {read} read, {failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
