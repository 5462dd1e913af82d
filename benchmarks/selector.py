"""Measure the selector: `python benchmarks/selector.py [SECTION…]`; README.md says what and why.

Exits with 0 whatever the numbers: it is for reading, on a machine that may be busy.
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from subprocess import DEVNULL, run
from tempfile import TemporaryDirectory

from floor import floor
from generate import EN_KINDS, EN_NOUNS, EN_VERBS, PT_KINDS, PT_NOUNS, PT_VERBS, phrases
from generate import write_vocabulary
from hostile import TURNS
from ratios import ratio, seconds

E6 = {
    "en": (
        "charge order 4411 40.00",
        "update the crm for order 4411",
        "provision the account for order 4411",
    ),
    "pt-BR": (
        "cobre o pedido 4411 no valor de 40,00",
        "atualize o CRM do pedido 4411",
        "provisione a conta do pedido 4411",
    ),
}
E6_TURN = {"en": ", then ".join(E6["en"]), "pt-BR": "{}, depois {} e então {}".format(*E6["pt-BR"])}


@dataclass(frozen=True)
class Row:
    what: str
    value: float
    unit: str
    target: float | None = None
    note: str = ""

    def __str__(self) -> str:
        if self.target is None:
            mark, target = "    ", ""
        else:
            mark = "pass" if self.value <= self.target else "FAIL"
            target = f"≤ {self.target:g} {self.unit}"
        return f"{mark}  {self.what:<52} {self.value:>8.3g} {self.unit:<5} {target:<12} {self.note}"


def against_the_floor() -> Iterator[Row]:
    """Compare E6's turn with the floor of the same turn."""
    from stalwart_lang import Selector
    from stalwart_lang.selector.grammar import load_grammar

    selector = Selector.load("shop")
    for language, turn in E6_TURN.items():
        assert len(selector.plan(turn, language=language).calls) == 3
        words = {
            word[0]: terminal
            for terminal, groups in load_grammar(language).words.items()
            for word in groups
        }
        value, ours, theirs = ratio(
            lambda: selector.plan(turn, language=language), lambda: floor(turn, words), pairs=201
        )
        note = f"{ours * 1e6:.1f} / {theirs * 1e6:.1f} µs"
        yield Row(f"E6's turn against the floor, {language}", value, "×", 5, note)


def against_hassil() -> Iterator[Row]:
    """Compare with hassil, command by command, on vocabularies of the same size."""
    from peer import load, recognized, shop_turns, with_phrases

    from stalwart_lang import Selector

    shop = Selector.load("shop")
    generated = {
        "en": [*phrases(EN_VERBS, EN_NOUNS, EN_KINDS, "en")],
        "pt-BR": [*phrases(PT_VERBS, PT_NOUNS, PT_KINDS, "pt-BR")],
    }
    for language in E6:
        intents = load(language)
        assert all(recognized(intents, command) for command in E6[language])
        value, theirs, ours = ratio(
            lambda: [recognized(intents, command) for command in E6[language]],
            lambda: shop.plan(E6_TURN[language], language=language),
        )
        note = f"{theirs * 1e6:.0f} / {ours * 1e6:.0f} µs"
        yield Row(
            f"E6's turn, 1 / hassil's three commands, {language}", 1 / value, "×", 1 / 30, note
        )
        turns = [turn for turn, tool in shop_turns(language) if recognized(intents, turn) == tool]
        measured = [
            ratio(
                lambda: recognized(intents, turn),
                lambda: shop.plan(turn, language=language),
                pairs=5,
            )
            for turn in turns
        ]
        value = median(ours for _, _, ours in measured) / median(their for _, their, _ in measured)
        note = f"{len(turns)} turns of {len(shop_turns(language))} that it recognizes"
        yield Row(f"shop's turns, median, 1 / hassil's, {language}", value, "×", 1 / 30, note)
        for count in (100, 1_000, 10_000):
            intents = with_phrases(language, generated[language][:count])
            with TemporaryDirectory() as folder:
                ours_ = Selector.load(write_vocabulary(Path(folder), count, languages=(language,)))
            value, theirs, ours = ratio(
                lambda: [recognized(intents, command) for command in E6[language]],
                lambda: ours_.plan(E6_TURN[language], language=language),
                pairs=11,
            )
            note = f"{theirs * 1e3:.2f} / {ours * 1e3:.3f} ms"
            what = f"the same among {count:,} phrases, {language}"
            yield Row(what, 1 / value, "×", 1 / 30, note)


def by_size() -> Iterator[Row]:
    """Read, compile and load vocabularies of 100 to 100,000 phrases."""
    from stalwart_lang import Selector

    selectors: dict[int, Selector] = {}
    for count in (100, 10_000, 100_000):
        with TemporaryDirectory() as folder:
            selectors[count] = Selector.load(write_vocabulary(Path(folder), count))
    for language, turn in E6_TURN.items():
        for count in (10_000, 100_000):
            value, ours, theirs = ratio(
                lambda: selectors[count].plan(turn, language=language),
                lambda: selectors[100].plan(turn, language=language),
            )
            note = f"{ours * 1e6:.1f} / {theirs * 1e6:.1f} µs"
            yield Row(f"E6's turn, {count:,} / 100 phrases, {language}", value, "×", 1.3, note)
        unknown = turn.replace("4411", "4411 wubbled", 1)
        value, ours, theirs = ratio(
            lambda: selectors[100_000].plan(unknown, language=language),
            lambda: selectors[100].plan(unknown, language=language),
            pairs=11,
        )
        note = f"{ours * 1e6:.0f} / {theirs * 1e6:.0f} µs"
        yield Row(f"an unknown word, 100,000 / 100 phrases, {language}", value, "×", 1.3, note)
    del selectors
    for what, languages, count, one_verb in (
        ("10,000 phrases, en", ("en",), 10_000, False),
        ("10,000 phrases, pt-BR", ("pt-BR",), 10_000, False),
        ("5,000 en and 5,000 pt-BR", ("en", "pt-BR"), 5_000, False),
        ("10,000 phrases of one verb", ("en",), 10_000, True),
    ):
        yield from _compiling(what, languages, count, one_verb)


def _compiling(what: str, languages: tuple[str, ...], count: int, one_verb: bool) -> Iterator[Row]:
    from stalwart_lang import Selector, Vocabulary
    from stalwart_lang.vocabulary.lint import lint

    with TemporaryDirectory() as folder:
        file = write_vocabulary(Path(folder), count, languages=languages, one_verb=one_verb)
        vocabulary = Vocabulary.load(file)
        reading = seconds(lambda: Vocabulary.load(file), 5)
        linting = seconds(lambda: lint(vocabulary), 3)
        compiling = seconds(lambda: Selector(vocabulary), 5)
        Selector.load(file)
        cached = seconds(lambda: Selector.load(file))
    note = f"YAML {reading:.2f}, compile {compiling:.2f} (lint, on request: {linting:.2f})"
    yield Row(f"compiling {what}", reading + compiling, "s", 0.5, note)
    yield Row(f"from the cache, {what}", cached * 1e3, "ms", 50)


def linearity() -> Iterator[Row]:
    """Read turns of 1, 10 and 100 kB: the time of a byte must not grow with them."""
    from stalwart_lang import Selector

    selector = Selector.load("shop")
    for language, turns in TURNS.items():
        for name, make in turns.items():
            made = [make(size) for size in (1_000, 10_000, 100_000)]
            of_byte = [
                seconds(lambda: selector.plan(turn, language=language), 3)
                / len(turn.encode(errors="surrogatepass"))
                * 1e6
                for turn in made
            ]
            note = "{:.2f}, {:.2f}, {:.2f} µs a byte; ".format(*of_byte)
            note += selector.plan(made[0], language=language).verdict
            growth = of_byte[2] / max(of_byte[:2])
            yield Row(f"100 kB / 10 kB: {name}, {language}", growth, "×", 1.5, note)


def from_the_shell() -> Iterator[Row]:
    """Start `stalwart plan` anew, the compiled vocabulary being kept."""
    script = Path(sys.executable).with_name("stalwart")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "stalwart_lang"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def start(arguments: list[str]) -> Callable[[], object]:
        return lambda: run(arguments, stdout=DEVNULL, env=environment, check=True)

    plan = start([*command, "plan", "shop", E6["en"][0]])
    plan()
    bare = seconds(start([sys.executable, "-c", "pass"]), 11)
    note = f"Python alone {bare:.3f} s"
    yield Row("`stalwart plan shop …` from the shell", seconds(plan, 11), "s", 0.3, note)
    importing = [sys.executable, "-X", "importtime", "-m", "stalwart_lang", "plan", "shop"]
    done = run(
        [*importing, E6["en"][0]], capture_output=True, text=True, env=environment, check=True
    )
    for name, spent in _imports(done.stderr):
        yield Row(f"  of which imports of {name}", spent / 1e6, "s")


def _imports(report: str) -> Iterator[tuple[str, int]]:
    """Give the microseconds that importing cost, by group of modules, the dearest first."""
    groups: dict[str, int] = {}
    for line in report.splitlines():
        parts = line.removeprefix("import time:").split("|")
        if len(parts) == 3 and parts[0].strip().isdigit():
            package = parts[2].strip().split(".")[0].lstrip("_")
            group = package if package in ("stalwart_lang", "click") else "the standard library"
            groups[group] = groups.get(group, 0) + int(parts[0])
    yield from sorted(groups.items(), key=lambda one: -one[1])


SECTIONS: dict[str, Callable[[], Iterator[Row]]] = {
    "floor": against_the_floor,
    "hassil": against_hassil,
    "size": by_size,
    "linear": linearity,
    "shell": from_the_shell,
}


def main() -> None:
    """Print the table, a row as soon as it is measured."""
    parser = ArgumentParser(description="Measure the selector.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    asked = parser.parse_args().sections or [*SECTIONS]
    if unknown := [name for name in asked if name not in SECTIONS]:
        parser.error(f"no section is called {unknown[0]}; there are {', '.join(SECTIONS)}")
    failed = 0
    with TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        for name in asked:
            print(f"\n{name}: {SECTIONS[name].__doc__}", flush=True)
            for row in SECTIONS[name]():
                failed += row.target is not None and row.value > row.target
                print(row, flush=True)
    print(f"\n{failed} of the targets not reached" if failed else "\nevery target reached")


if __name__ == "__main__":
    main()
