"""Vocabularies of any size, as an author of a large back office would write them.

Each tool has one to three phrases a language, of a verb and a noun of one to three words, and takes
an id and some of an amount, a date and a text. The first tools are the shop's that E6 needs, so
that one turn can be read with every vocabulary.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice, product
from pathlib import Path

import yaml

WORDS = yaml.safe_load(Path(__file__).with_name("words.yaml").read_text(encoding="utf-8"))
ARGUMENTS = (
    "{record_id: record}",
    "{record_id: record, amount: optional money}",
    "{record_id: record, day: optional date}",
    "{record_id: record, amount: optional money, day: optional date, note: optional quoted text}",
)
HEADER = """\
vocabulary: generated
settings: {currency: {en: USD, pt-BR: BRL}}
things:
  order: {en: [order], pt-BR: [pedido]}
  record: {en: [record], pt-BR: [cadastro]}
"""
E6_TOOLS = """\
tools:
  charge_card:
    takes: {order_id: order, amount: {type: money, words: {en: [amount], pt-BR: [valor]}}}
    say: {en: [charge], pt-BR: [cobrar]}
  update_crm:
    takes: {order_id: order}
    say: {en: [update the crm], pt-BR: [atualizar o CRM]}
  provision_account:
    takes: {order_id: order}
    say: {en: [provision the account], pt-BR: [provisionar a conta]}
"""
_PHRASES_IN_A_FILE = 20_000  # a file has at most 5 MB


def phrases(language: str, *, one_verb: bool = False) -> Iterator[str]:
    """Give distinct phrases, the short ones first: the noun, with a kind, with two."""
    verbs, nouns, kinds = (WORDS[language][part].split() for part in ("verbs", "nouns", "kinds"))
    one = ([noun] for noun in nouns)
    two = ([kind, noun] for kind, noun in product(kinds, nouns))
    three = ([a, b, noun] for a, b, noun in product(kinds, kinds, nouns) if a != b)
    for words, verb in product(chain(one, two, three), verbs[:1] if one_verb else verbs):
        if language == "en":
            yield f"{verb} the {' '.join(words)}"
        else:
            yield f"{verb} {' de '.join(reversed(words))}"


def write_vocabulary(
    folder: Path, count: int, *, languages: Sequence[str] = ("en", "pt-BR"), one_verb: bool = False
) -> Path:
    """Write a vocabulary with `count` phrases in each of `languages`; give its first file."""
    left = {
        language: islice(phrases(language, one_verb=one_verb), count - 3) for language in languages
    }
    tools: list[str] = []
    files: list[list[str]] = [[]]
    while True:
        size = len(tools) % 3 + 1
        said = {language: list(islice(left[language], size)) for language in languages}
        if not all(said.values()):
            break
        number = len(tools)
        say = ", ".join(f"{name}: [{', '.join(lines)}]" for name, lines in said.items())
        tools.append(
            f"  tool_{number}:\n"
            f"    takes: {ARGUMENTS[number % len(ARGUMENTS)]}\n"
            f"    say: {{{say}}}\n"
        )
        if len(files[-1]) * 2 * len(languages) >= _PHRASES_IN_A_FILE:
            files.append([])
        files[-1].append(tools[-1])
    first = folder / "generated.yaml"
    names = [f"generated-{number}.yaml" for number in range(1, len(files))]
    include = f"include: [{', '.join(names)}]\n" if names else ""
    first.write_text(HEADER + include + E6_TOOLS + "".join(files[0]), encoding="utf-8")
    for name, held in zip(names, files[1:], strict=True):
        (folder / name).write_text(
            "vocabulary: generated\ntools:\n" + "".join(held), encoding="utf-8"
        )
    return first
