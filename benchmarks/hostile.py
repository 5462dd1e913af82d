"""Turns of any length that could make a reader slow: `TURNS` makes each of about `size` bytes."""

from collections.abc import Callable, Mapping

Make = Callable[[int], str]


def _repeat(unit: str, before: str = "", after: str = "") -> Make:
    return lambda size: before + unit * max(1, size // len(unit.encode())) + after


def _numbered(unit: str, joint: str, before: str = "", after: str = "") -> Make:
    """Repeat a unit with a number of its own each time."""

    def make(size: int) -> str:
        count = max(2, size // (len(unit) + len(joint) + 2))
        return before + joint.join(unit.format(at) for at in range(1, count)) + after

    return make


TURNS: Mapping[str, Mapping[str, Make]] = {
    "en": {
        "steps": _repeat("cancel order 4411, then ", after="refund it"),
        "steps with ids of their own": _numbered("cancel order {}", " then "),
        "steps that refer back": _repeat(
            "refund it then ", "show order 4411 then ", after="cancel it"
        ),
        "sentences": _repeat("cancel order 4411. "),
        "numbered steps": _repeat("1) cancel order 4411\n"),
        "verbs that share an object": _repeat("cancel and ", after="refund order 4411"),
        "verbs without an object": _repeat("cancel, refund, ", after="refund"),
        "a list of ids": _numbered("{}", ", ", "cancel orders ", " and 5"),
        "the same id again and again": _repeat("4411, ", "cancel orders ", "4412 and 4413"),
        "one long quotation": _repeat("x", 'add a note to order 4411 saying "', '"'),
        "garbage": _repeat("xq7 zzk ~ "),
        "unknown words": _numbered("wort{}", " "),
        "near misses of known words": _repeat("cancell ordr "),
        "double quotes": _repeat('"'),
        "single quotes": _repeat("' "),
        "opening quotes of all kinds": _repeat("«“‘"),
        "nested quotes": lambda size: "“" * (size // 6) + "”" * (size // 6),
        "apostrophes": _repeat("a'"),
        "at signs": _repeat("@"),
        "halves of e-mails": _repeat("a@b."),
        "dots before an at sign": _repeat("a.", after="@"),
        "e-mails": _repeat("ana@example.com "),
        "one long number": _repeat("7"),
        "digits apart": _repeat("7 "),
        "thousands": _repeat(",000", before="1"),
        "digits and dots": _repeat("7."),
        "one long word": _repeat("a"),
        "a word of hyphens": _repeat("a-"),
        "combining accents": _repeat("\u0301", before="e"),
        "combining accents out of order": _repeat("\u0301\u0327", before="e"),
        "decomposed letters": _repeat("e\u0301 "),
        "jamo": _repeat("\u1100\u1161"),
        "stop words": _repeat("the of to and "),
        "polite words": _repeat("please "),
        "commas": _repeat(","),
        "newlines": _repeat("\n"),
        "blanks": _repeat(" "),
        "nouns": _repeat("order "),
        "verbs": _repeat("cancel "),
        "negations": _repeat("do not "),
        "conditions": _repeat("if "),
        "number words": _repeat("two hundred and "),
        "money": _repeat("forty dollars and "),
        "dates": _repeat("March 3, "),
        "beginnings of dates": _repeat("the day after "),
        "references": _repeat("that order "),
        "another script": _repeat("саncel "),
        "invisible characters": _repeat("\u200b"),
    },
    "pt-BR": {
        "steps": _repeat("cancele o pedido 4411, depois ", after="reembolse-o"),
        "steps with ids of their own": _numbered("cancele o pedido {}", ", depois "),
        "steps with clitics": _repeat("depois cancele-o ", "mostre o pedido 4411, "),
        "verbs that share an object": _repeat("cancele e ", after="reembolse o pedido 4411"),
        "words with two meanings": _repeat("o a ", after="cancele o pedido 5"),
        "nouns that are verbs": _repeat("marca entrega nota "),
        "deliveries": _repeat("marca a entrega do pedido 4411 para amanhã e ", after="cancele-o"),
        "depois de": _repeat("depois de "),
        "number words": _repeat("dois mil e "),
        "money": _repeat("R$ 40,00 "),
        "times": _repeat("quinze para as "),
        "dates": _repeat("dia 8 de abril de "),
        "decomposed negations": _repeat("na\u0303o "),
        "members of two words": _repeat("em aberto "),
    },
}
