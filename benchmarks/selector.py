"""Measure the selector: `python benchmarks/selector.py [SECTION…]`; README.md says what and why.

Exits with 0 whatever the numbers: it is for reading, on a machine that may be busy.
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from subprocess import DEVNULL, run
from tempfile import TemporaryDirectory

from floor import floor
from generate import phrases, write_vocabulary
from hostile import TURNS
from peer import (
    corpus_turns,
    load,
    recognize_all,
    recognized,
    shop_turns,
    with_phrases,
    without_accents,
)
from ratios import block, ratio, seconds
from rows import Row

from stalwart_lang import Language, Selector, Vocabulary
from stalwart_lang.selector.grammar import load_grammar
from stalwart_lang.vocabulary.lint import lint

E6: Mapping[Language, Sequence[str]] = {
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
E6_TURN: Mapping[Language, str] = {
    "en": ", then ".join(E6["en"]),
    "pt-BR": "{}, depois {} e então {}".format(*E6["pt-BR"]),
}


def against_the_floor() -> Iterator[Row]:
    """E6's turn, complete, against fold + tokenization + look-ups of the same turn."""
    selector = Selector.load("shop")
    for language, turn in E6_TURN.items():
        assert len(selector.plan(turn, language=language).calls) == 3
        words = {
            word[0]: terminal
            for terminal, groups in load_grammar(language).words.items()
            for word in groups
        }
        value, ours, theirs = ratio(
            partial(selector.plan, turn, language), partial(floor, turn, words), pairs=201
        )
        note = f"{ours * 1e6:.1f} / {theirs * 1e6:.1f} µs"
        yield Row(f"E6's turn / the floor, {language}", value, "×", note, at_most=5)


def against_hassil() -> Iterator[Row]:
    """hassil's time for the commands one by one, over ours for the whole turn."""
    shop = Selector.load("shop")
    for language, commands in E6.items():
        intents = load(language)
        assert all(recognized(intents, command) for command in commands)
        yield _of_what_ours_reads(language)
        read = partial(shop.plan, E6_TURN[language], language)
        value, theirs, ours = ratio(partial(recognize_all, intents, commands), read)
        note = f"{theirs * 1e6:.0f} / {ours * 1e6:.0f} µs"
        yield Row(f"hassil / ours: E6, {language}", value, "×", note, at_least=30)
        turns = [turn for turn, tool in shop_turns(language) if recognized(intents, turn) == tool]
        measured = [
            ratio(partial(recognized, intents, turn), partial(shop.plan, turn, language), pairs=5)
            for turn in turns
        ]
        value = median(times[1] for times in measured) / median(times[2] for times in measured)
        note = f"medians over {len(turns)} turns of {len(shop_turns(language))}"
        yield Row(f"hassil / ours: the shop's turns, {language}", value, "×", note, at_least=30)
        for count in (100, 300, 1_000, 10_000):
            intents = with_phrases(language, [*islice(phrases(language), count)])
            with TemporaryDirectory() as folder:
                selector = Selector.load(
                    write_vocabulary(Path(folder), count, languages=(language,))
                )
            read = partial(selector.plan, E6_TURN[language], language)
            value, theirs, ours = ratio(partial(recognize_all, intents, commands), read, pairs=11)
            what = f"hassil / ours: E6 among {count:,} phrases, {language}"
            note = f"{theirs * 1e6:,.0f} / {ours * 1e6:.0f} µs"
            yield Row(what, value, "×", note, at_least=30)


def _of_what_ours_reads(language: Language) -> Row:
    """How many of the commands that ours reads hassil takes for the same tool."""
    said = {**dict(corpus_turns(language)), **dict(shop_turns(language))}
    intents, folded = load(language), load(language, accents=False)
    same = sum(recognized(intents, turn) == tool for turn, tool in said.items())
    note = f"{same} of {len(said)} commands"
    if language == "pt-BR":
        aside = sum(
            recognized(folded, without_accents(turn)) == tool for turn, tool in said.items()
        )
        note += f"; {100 * aside / len(said):.3g} % without any accents on either side"
    return Row(f"of what ours reads, hassil does, {language}", 100 * same / len(said), "%", note)


def by_size() -> Iterator[Row]:
    """Vocabularies of 100 to 100,000 phrases a language: reading, compiling, loading."""
    selectors: dict[int, Selector] = {}
    for count in (100, 10_000, 100_000):
        with TemporaryDirectory() as folder:
            selectors[count] = Selector.load(write_vocabulary(Path(folder), count))
    for language, turn in E6_TURN.items():
        unknown = turn.replace("4411", "4411 wubbled", 1)
        for what, said in (("E6's turn", turn), ("with an unknown word", unknown)):
            for count in (10_000, 100_000):
                value, ours, theirs = ratio(
                    partial(selectors[count].plan, said, language),
                    partial(selectors[100].plan, said, language),
                )
                note = f"{ours * 1e6:,.0f} / {theirs * 1e6:,.0f} µs"
                what_ = f"{what}, {count:,} / 100 phrases, {language}"
                yield Row(what_, value, "×", note, at_most=1.3)
    del selectors
    for what, languages, count, one_verb in (
        ("10,000 phrases, en", ("en",), 10_000, False),
        ("10,000 phrases, pt-BR", ("pt-BR",), 10_000, False),
        ("5,000 en and 5,000 pt-BR", ("en", "pt-BR"), 5_000, False),
        ("10,000 phrases of one verb", ("en",), 10_000, True),
    ):
        yield from _compiling(what, languages, count, one_verb)


def _compiling(what: str, languages: Sequence[str], count: int, one_verb: bool) -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        file = write_vocabulary(Path(folder), count, languages=languages, one_verb=one_verb)
        vocabulary = Vocabulary.load(file)
        reading = seconds(partial(Vocabulary.load, file), 5)
        linting = seconds(partial(lint, vocabulary), 3)
        compiling = seconds(partial(Selector, vocabulary), 5)
        Selector.load(file)
        cached = seconds(partial(Selector.load, file))
    note = f"YAML {reading:.2f}, compile {compiling:.2f}; lint, on request, {linting:.2f}"
    yield Row(f"compiling {what}", reading + compiling, "s", note, at_most=0.5)
    yield Row(f"from the cache, {what}", cached * 1e3, "ms", at_most=50)


def linearity() -> Iterator[Row]:
    """Hostile turns of 1, 10 and 100 kB: the time of a byte must not grow."""
    selector = Selector.load("shop")
    for language, turns in TURNS.items():
        for name, make in turns.items():
            made = [make(size) for size in (1_000, 10_000, 100_000)]
            a, b, c = _of_a_byte(selector, language, made, 7)
            verdict = selector.plan(made[0], language).verdict
            note = f"{a * 1e6:.2f}, {b * 1e6:.2f}, {c * 1e6:.2f} µs a byte; {verdict}"
            growth = c / max(a, b)
            if growth > 1.5:
                # What outgrows the processor's caches costs up to twice as much, once; what is
                # quadratic goes on growing.
                c, d = _of_a_byte(selector, language, [made[-1], make(200_000)], 2)
                growth = d / c
                note += f"; {d * 1e6:.2f} at 200 kB"
            yield Row(f"growth: {name}, {language}", growth, "×", note, at_most=1.5)


def _of_a_byte(
    selector: Selector, language: Language, turns: Sequence[str], rounds: int
) -> list[float]:
    """Give the seconds that a byte of each turn takes, the least of several rounds.

    What else runs only adds to a time.
    """
    taken = [
        [block(partial(selector.plan, turn, language), 1) for turn in turns] for _ in range(rounds)
    ]
    return [
        min(times) / len(turn.encode(errors="surrogatepass"))
        for turn, times in zip(turns, zip(*taken, strict=True), strict=True)
    ]


def from_the_shell() -> Iterator[Row]:
    """A new process for one turn, the compiled vocabulary being kept."""
    script = Path(sys.executable).with_name("stalwart")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "stalwart_lang"]
    plan = ["plan", "shop", E6["en"][0]]
    # The modules' own compiled form is kept, as it is where this is not set.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    start: Callable[..., object] = partial(run, stdout=DEVNULL, env=environment, check=True)
    start([*command, *plan])
    whole = seconds(partial(start, [*command, *plan]), 15)
    bare = seconds(partial(start, [sys.executable, "-c", "pass"]), 15)
    yield Row("`stalwart plan shop …`", whole, "s", f"Python alone {bare:.3f} s", at_most=0.3)
    report = run(
        [sys.executable, "-X", "importtime", "-m", "stalwart_lang", *plan],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    ).stderr
    for group, spent in _imports(report).items():
        yield Row(f"  imports: {group}", spent / 1e3, "ms")


def _imports(report: str) -> Mapping[str, int]:
    """Give the microseconds of importing, its report included, by who owns the modules."""
    groups: dict[str, int] = {}
    for line in report.splitlines():
        spent, _, name = (part.strip() for part in line.partition(":")[2].rpartition("|"))
        own = spent.partition("|")[0].strip()
        if own.isdigit():
            package = name.partition(".")[0]
            known = package in sys.stdlib_module_names or package.startswith("_")
            group = "Python and its library" if known else package
            groups[group] = groups.get(group, 0) + int(own)
    return dict(sorted(groups.items(), key=lambda one: -one[1])[:5])


SECTIONS: Mapping[str, Callable[[], Iterator[Row]]] = {
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
                failed += row.failed
                print(row, flush=True)
    print(f"\n{failed} of the targets not reached" if failed else "\nevery target reached")


if __name__ == "__main__":
    main()
