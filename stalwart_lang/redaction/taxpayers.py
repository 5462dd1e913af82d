"""CPF and CNPJ, of Brazil's taxpayers: candidates by their shape, python-stdnum decides."""

import re
from collections.abc import Iterator
from operator import mul

from stalwart_lang.redaction.digits import GAP, bare, stands_alone
from stalwart_lang.redaction.extra import cnpj, cpf
from stalwart_lang.redaction.kinds import Found, words

_BEGIN = r"[0-9](?<![0-9][0-9])"
_CPF = re.compile(rf"{_BEGIN}[0-9]{{2}}{GAP}[0-9]{{3}}{GAP}[0-9]{{3}}{GAP}[0-9]{{2}}(?![0-9])")
_CPF_WITHOUT_ZEROS = re.compile(
    r"[cC][pP][fF](?![a-z])[^0-9\[\]\n]{0,12}([0-9]{8,10})(?![0-9.,/-])"
)
_CNPJ = re.compile(
    rf"{_BEGIN}[0-9]{GAP}[0-9]{{3}}{GAP}[0-9]{{3}}{GAP}[0-9]{{4}}{GAP}[0-9]{{2}}(?![0-9])"
)
_CNPJ_WITHOUT_ZEROS = re.compile(
    r"[cC][nN][pP][jJ](?![a-z])[^0-9\[\]\n]{0,12}([0-9]{11,13})(?![0-9.,/-])"
)
_CNPJ_END = re.compile(r"/[0-9A-Za-z]{4}-[0-9]{2}(?![0-9A-Za-z])")
_CNPJ_BEGINNING = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z]{2}\.?[0-9A-Za-z]{3}\.?[0-9A-Za-z]{3}\Z")
_CNPJ_NAME = re.compile(r"[cC]\.?[nN]\.?[pP]\.?[jJ]")
_CNPJ_CODE = re.compile(
    r"(?<![0-9A-Za-z])[0-9A-Za-z]{12}[0-9]{2}(?![0-9A-Za-z])|\A[0-9A-Za-z]{12}[0-9]{2}(?![0-9A-Za-z])"
)
_FARTHEST_CODE = 56
_CPF_NAMES = words("cpf id doc documento document cliente client customer usuario user titular")
_CNPJ_NAMES = words("cnpj id doc documento document empresa company fornecedor supplier cliente")
_CPF_WEIGHTS = range(10, 1, -1)
_MARKS = re.compile(r"[./-]")
_TIMESTAMP = re.compile(
    r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
    r"(?!0001)(?:[01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]"
)
"""A moment as 14 digits. A CNPJ's third part is mostly 0001, which is a minute past midnight."""
_BANK_SLIP_BEFORE = re.compile(r"[0-9]{5}\.?[0-9]{6} {1,3}[0-9] {1,3}\Z")
"""The last 14 digits of a bank slip's line are a date and an amount."""


def find_cpfs(text: str) -> Iterator[Found]:
    """Give the CPFs in `text`: eleven digits whose check digits fit, and not one digit repeated.

    In about every hundredth number of eleven digits they fit by chance.
    """
    match = _CPF.search(text)
    while match:
        fits = _is_cpf(bare(match[0])) and stands_alone(text, *match.span(), _CPF_NAMES)
        if fits:
            yield Found("cpf", *match.span())
        match = _CPF.search(text, match.end() if fits else match.start() + 1)
    for match in _CPF_WITHOUT_ZEROS.finditer(text):
        if _is_cpf(match[1].zfill(11)):
            yield Found("cpf", *match.span(1))


def find_cnpjs(text: str) -> Iterator[Found]:
    """Give the CNPJs in `text`, also those with letters, which are issued from July 2026.

    One with letters has its marks, or stands after its name: else any code could be one.
    """
    match = _CNPJ.search(text)
    while match:
        fits = _is_cnpj_of_digits(text, match)
        if fits:
            yield Found("cnpj", *match.span())
        match = _CNPJ.search(text, match.end() if fits else match.start() + 1)
    for match in _CNPJ_WITHOUT_ZEROS.finditer(text):
        if _is_cnpj(match[1].zfill(14)):
            yield Found("cnpj", *match.span(1))
    for match in _CNPJ_END.finditer(text):
        begun = _CNPJ_BEGINNING.search(text, max(0, match.start() - 11), match.start())
        if begun and _is_cnpj(text[begun.start() : match.end()]):
            yield Found("cnpj", begun.start(), match.end())
    for match in _CNPJ_NAME.finditer(text):
        after = text[match.end() : match.end() + _FARTHEST_CODE].partition("\n")[0]
        for code in _CNPJ_CODE.finditer(after):
            if _is_cnpj(code[0]):
                yield Found("cnpj", match.end() + code.start(), match.end() + code.end())


def _is_cpf(digits: str) -> bool:
    # Its first check digit, worked out here: python-stdnum is asked about every tenth candidate.
    if sum(map(mul, _CPF_WEIGHTS, map(int, digits))) * 10 % 11 % 10 != int(digits[9]):
        return False
    return digits.count(digits[0]) < len(digits) and cpf().is_valid(digits)


def _is_cnpj(written: str) -> bool:
    characters = _MARKS.sub("", written).upper()
    return characters.count(characters[0]) < len(characters) and cnpj().is_valid(characters)


def _is_cnpj_of_digits(text: str, match: re.Match[str]) -> bool:
    digits = bare(match[0])
    if not _is_cnpj(digits) or not stands_alone(text, *match.span(), _CNPJ_NAMES):
        return False
    if digits != match[0]:
        return True
    slip = _BANK_SLIP_BEFORE.search(text, max(0, match.start() - 19), match.start())
    return not slip and not _TIMESTAMP.fullmatch(digits)
