"""What identifies a person or a company: CPF, CNPJ, telephone numbers, codes of digits.

The readers take the text as typed and return its bare characters, or None when the check digits or
the numbering plan refuse it. They need the extra `values` (python-stdnum, phonenumbers), which is
imported at first use, and raise `ImportError` without it.
"""

import re
from collections.abc import Sequence

from stalwart_lang.selector.values.tokens import peek, starts_with_digit

MAXIMUM_DIGITS = 64
_MAXIMUM_TOKENS = 40

_MARKS = re.compile(r"[\s.\-/\u2010\u2011\u2013]+")
_TELEPHONE = re.compile(r"\+?[0-9().\-\u2010\u2011\u2013\s]+")
_DIGITS_TOKEN = re.compile(r"[0-9]+(?:[./\-][0-9]+)*")
_CNPJ = re.compile(r"[0-9A-Z]{12}[0-9]{2}")
_CNPJ_TYPED = re.compile(r"[0-9a-z]{2}\.?[0-9a-z]{3}\.?[0-9a-z]{3}/?[0-9a-z]{4}-?[0-9]{2}")
_BETWEEN = frozenset("-/\u2010\u2011\u2013")


def read_cpf(text: str) -> str | None:
    """Read a CPF with or without its marks: eleven digits whose check digits fit.

    A CPF of one repeated digit is refused: its check digits fit, and nobody has it.
    """
    digits = _MARKS.sub("", text)
    if not re.fullmatch(r"[0-9]{11}", digits) or len(set(digits)) == 1:
        return None
    try:
        from stdnum.br import cpf
    except ImportError as error:
        raise _extra_missing("a CPF", "python-stdnum") from error
    return digits if cpf.is_valid(digits) else None


def read_cnpj(text: str) -> str | None:
    """Read a CNPJ, also one with letters (issued from July 2026), with or without its marks.

    Returns its fourteen characters, letters in upper case.
    """
    characters = _MARKS.sub("", text).upper()
    if not _CNPJ.fullmatch(characters) or len(set(characters)) == 1:
        return None
    try:
        from stdnum.br import cnpj
    except ImportError as error:
        raise _extra_missing("a CNPJ", "python-stdnum") from error
    return characters if cnpj.is_valid(characters) else None


def read_telephone(text: str, region: str = "BR") -> str | None:
    """Read a telephone number of the numbering plan of `region` (`BR`, `US`), or after a `+`.

    Returns it as E.164: `+5511987654321`.
    """
    if not _TELEPHONE.fullmatch(text.strip()):
        return None
    try:
        import phonenumbers
    except ImportError as error:
        raise _extra_missing("a telephone number", "phonenumbers") from error
    try:
        number = phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_valid_number(number):
        return None
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def read_digits(text: str, length: int | None = None) -> str | None:
    """Read a code of digits that may be typed with blanks, dots, dashes or slashes between them.

    Leading zeros stay; with a `length`, there must be exactly so many digits.
    """
    digits = _MARKS.sub("", text)
    if not re.fullmatch(r"[0-9]+", digits) or text.strip() != text.strip(".-/"):
        return None
    return digits if length is None or len(digits) == length else None


def longest_code(tokens: Sequence[str], at: int) -> int:
    """Where the longest run of tokens ends that may be one typed code, from `at`; `at` if none.

    A code is digits with blanks, dashes, slashes and parentheses between them and `+` before them
    (`+ 55 ( 11 ) 98765-4321`), or a CNPJ with letters. A full stop or a comma that stands alone
    ends it. Blanks also part two codes: a run that nothing reads may have a shorter one in it.
    """
    return max(_digits_run(tokens, at), _cnpj_run(tokens, at))


def _digits_run(tokens: Sequence[str], at: int) -> int:
    end, digits, opened = at, 0, False
    start = at + 1 if peek(tokens, at) == "+" else at
    for place in range(start, min(start + _MAXIMUM_TOKENS, len(tokens))):
        token = tokens[place]
        if _DIGITS_TOKEN.fullmatch(token):
            digits += sum(map(str.isdigit, token))
            if digits > MAXIMUM_DIGITS:
                break
            end = place + 1
        elif token == "(" and not opened and starts_with_digit(peek(tokens, place + 1)):
            opened = True
        elif token == ")" and opened and end == place:
            opened, end = False, place + 1
        elif token not in _BETWEEN or not digits or tokens[place - 1] in _BETWEEN:
            break
    return end if digits else at


def _cnpj_run(tokens: Sequence[str], at: int) -> int:
    """The end of a CNPJ, whose letters the tokenizer parts: `12` `.` `abc` `.` `345/01de` `-` `35`.

    Letters alone in a token must stand next to a mark: in `52998224725 e 40` they are a word.
    """
    typed = ""
    for place in range(at, min(at + 12, len(tokens))):
        token = tokens[place]
        marked = typed[-1:] in {".", "/", "-"} or (not typed and peek(tokens, place + 1) == ".")
        if token.isalpha() and not marked:
            break
        typed += token
        if len(typed) > 18:
            break
        if _CNPJ_TYPED.fullmatch(typed):
            return place + 1
    return at


def _extra_missing(what: str, package: str) -> ImportError:
    return ImportError(f"Reading {what} needs {package}: pip install 'stalwart-lang[values]'")
