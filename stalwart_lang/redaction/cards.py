"""Numbers of payment cards: a brand's first digits and lengths, and Luhn's check digit."""

import re
from collections.abc import Iterator

from stalwart_lang.redaction.digits import bare, stands_alone, words_before
from stalwart_lang.redaction.extra import luhn
from stalwart_lang.redaction.kinds import Found, words

_GAP = r"[ \t]{0,2}[.-]?[ \t]{0,2}"
_CARD = re.compile(
    r"[0-9](?<![0-9][0-9])(?:"
    r"[0-9]{12,18}(?![0-9])"
    rf"|[0-9]{{3}}(?:{_GAP}[0-9]{{4}}){{3}}(?P<last>{_GAP}[0-9]{{3}})?(?![0-9])"
    r"|[0-9]{3}(?P<mark>[/_|+*~])[0-9]{4}(?P=mark)[0-9]{4}(?P=mark)[0-9]{4}(?![0-9])"
    rf"|[0-9]{{3}}{_GAP}[0-9]{{6}}{_GAP}[0-9]{{4,5}}(?![0-9])"
    r")"
)

# The first digits of the brands by the length of their numbers, as the brands publish them.
_BRAND = re.compile(
    r"4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})"  # Visa
    r"|5[1-5][0-9]{14}"  # Mastercard
    r"|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)[0-9]{12}"  # Mastercard
    r"|3[47][0-9]{13}"  # American Express
    r"|3(?:0[0-59]|[689][0-9])[0-9]{11}"  # Diners Club
    r"|(?:6011|64[4-9][0-9]|65[0-9]{2})[0-9]{12}(?:[0-9]{3})?"  # Discover, Elo
    r"|35(?:2[89]|[3-8][0-9])[0-9]{12}"  # JCB
    r"|62[0-9]{14,17}"  # UnionPay
    r"|(?:504175|506[67][0-9]{2}|509[0-9]{3}|636297|636368)[0-9]{10}"  # Elo
    r"|(?:606282|637(?:095|568|599|609|612))[0-9]{10}|3841[0-9]{12}"  # Hipercard
    r"|(?:5018|5020|5038|5893|6304|6759|676[1-3])[0-9]{12}(?:[0-9]{2,3})?"  # Maestro
    r"|220[0-4][0-9]{12}"  # Mir
)
_DOUBLED = str.maketrans("0123456789", "0246813579")
_WORDS = words(
    "cartao cartão cartoes cartões card cards credito crédito credit debito débito debit visa "
    "mastercard master maestro amex express elo hiper hipercard diners discover jcb unionpay pan "
    "cc"
)
_ACCOUNT_BEFORE = re.compile(r"(?<![A-Z0-9])[A-Z]{2}[0-9]{2}(?: [A-Z0-9]{4})* \Z")
_INVOICE_KEY = re.compile(r"(?<![0-9])[0-9]{4}(?:[ .][0-9]{4}){10}(?![0-9])")
_LONGEST_ACCOUNT, _LONGEST_INVOICE_KEY = 42, 54


def find_cards(text: str) -> Iterator[Found]:
    """Give the card numbers in `text`: of a known brand, or after a word that says that it is one.

    Without such a word thirteen digits that could be a barcode are none.
    """
    match = _CARD.search(text)
    while match:
        end = _end(text, match)
        if end is not None:
            yield Found("card", match.start(), end)
        # A number that is no card must not hide one that begins with its second group.
        match = _CARD.search(text, match.start() + 1 if end is None else end)


def _end(text: str, match: re.Match[str]) -> int | None:
    """Return where the card's number in `match` ends; None where it is none.

    A security code may stand behind it, as if it were part of the number.
    """
    start, end = match.span()
    digits = bare(match[0])
    if _is_card(text, start, digits) and stands_alone(text, start, end, _WORDS):
        return end
    last = match["last"]
    if last and not last[0].isdecimal() and _is_card(text, start, digits[:-3]):
        return match.start("last")
    return None


def _is_card(text: str, start: int, digits: str) -> bool:
    known = _BRAND.fullmatch(digits) and not (len(digits) == 13 and _is_barcode(digits))
    known = known or not _WORDS.isdisjoint(words_before(text, start))
    return (
        bool(known)
        and digits.count(digits[0]) < len(digits)
        and _sum_of(digits) % 10 == 0
        and luhn().is_valid(digits)
        and not _other_code(text, start)
    )


def _is_barcode(digits: str) -> bool:
    """Tell thirteen digits that are a product's: Germany's begin with 4, as Visa's old cards do."""
    return (sum(map(int, digits[::2])) + 3 * sum(map(int, digits[1::2]))) % 10 == 0


def _sum_of(digits: str) -> int:
    """Return Luhn's sum, worked out here: python-stdnum is asked about every tenth number."""
    return sum(map(int, digits[-1::-2])) + sum(map(int, digits[-2::-2].translate(_DOUBLED)))


def _other_code(text: str, start: int) -> bool:
    """Tell the digits of an international bank account and of an electronic invoice's key."""
    if _ACCOUNT_BEFORE.search(text, max(0, start - _LONGEST_ACCOUNT), start):
        return True
    first = max(0, start - _LONGEST_INVOICE_KEY)
    around = text[first : start + _LONGEST_INVOICE_KEY]
    return any(
        first + key.start() <= start < first + key.end() for key in _INVOICE_KEY.finditer(around)
    )
