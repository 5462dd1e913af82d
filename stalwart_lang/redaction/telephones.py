"""Telephone numbers: candidates by their shape or by a word before them, phonenumbers decides.

A number of ten or eleven digits in one piece is a telephone's only next to a word that says so:
every fourth order number of that length would else be one.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

from stalwart_lang.redaction.digits import bare, stands_alone, words_before
from stalwart_lang.redaction.extra import phonenumbers
from stalwart_lang.redaction.kinds import Found, words

_MAYBE = r"[ \t]{0,2}[.-]?[ \t]{0,2}"
_GAP = r"(?:[ \t]{1,2}[.-]?|[.-])[ \t]{0,2}"
_WIDE = r"[ \t]{0,2}[().-]{0,2}[ \t]{0,2}"

_WORDS = words(
    "tel tels telefone telefones teléfono teléfonos telefono telephone telephones telemovel "
    "telemóvel fone fones fixo fax cel celular celulares whats whatsapp wpp zap zapzap phone "
    "phones mobile mobiles cell cells cellphone call called calling liga ligar ligue liguei "
    "ligou disque dial contato contatos contact sms recado recados msisdn hotline pager"
)
_OTHER_WORDS = words(
    "pedido pedidos order orders protocolo protocolos processo processos ticket tickets id ids "
    "nota notas nf nfe invoice invoices fatura faturas boleto boletos codigo código codigos "
    "códigos code codes sku skus ref refs conta contas account accounts agencia agência produto "
    "produtos product products item items itens lote lotes serie série serial modelo modelos "
    "model models versao versão version build linha linhas row rows line lines cpf cnpj cep zip "
    "rg cnh renavam isbn ean imei part case matricula matrícula rastreio tracking"
)

_ABROAD = re.compile(rf"\+[ \t]{{0,2}}\(?[0-9](?:{_WIDE}[0-9]){{6,14}}(?![0-9])")
_ABROAD_BY_ZEROS = re.compile(r"00(?<![0-9]00)[ \t-]?[1-9](?:[ \t.-]{0,2}[0-9]){7,14}(?![0-9])")
_BRAZIL_WITH_CODE = re.compile(r"55(?<![0-9]55)[1-9][0-9]9[0-9]{8}(?![0-9])")
_NAMED = re.compile(rf"[0-9](?<![0-9][0-9])(?:{_WIDE}[0-9]){{7,14}}(?![0-9])")
_ONE_PIECE = re.compile(r"[0-9](?<![0-9][0-9])[0-9]{9,12}(?![0-9])")
_WORD_AFTER = re.compile(
    r"[^\w\n\[\]@]{1,3}(?:(?:é|eh|is) (?:[oa] )?(?:(?:meu|nosso|my|our) )?)?([^\W\d_]+)"
)
_DIGITS_AND_MARKS = re.compile(r"[0-9(][0-9 \t().xX-]{8,}")
"""Wherever a number in groups may be: what stands there is looked at closely."""

_TRUNK_ZERO = re.compile(r"\([ \t]*0[ \t]*\)")
_BRAZIL_TRUNK = rf"0{_MAYBE}(?:\(?[xX]{{2}}\)?{_MAYBE}|[1-9][0-9][ \t-])?"
_BRAZIL_MOBILE = re.compile(r"[1-9][0-9]9[0-9]{8}")
_YEARS = re.compile(r"(?:19|20)[0-9]{2}[ \t]?-[ \t]?(?:19|20)[0-9]{2}\Z")
_DIGITS = re.compile(r"[0-9]+")
_NOT_DIGITS = re.compile(r"[^0-9]+")
_DECIMAL = re.compile(r"\+[0-9]+\.[0-9]{1,2}")
_GOES_ON = re.compile(r"[^\W_]|[.,][0-9]")
_WITHOUT_AREA = re.compile(r"(?:9[ .-]?)?[2-9][0-9]{3}[ .-][0-9]{4}(?![0-9])")
_LAST_GROUP = re.compile(r"[^0-9]+[0-9]+\Z")

_NOUNS = words(
    "tel tels telefone telefones telephone fone fones fixo fax cel celular celulares whats "
    "whatsapp wpp zap phone phones mobile cell cellphone msisdn"
)
"""Words of telephones that are no verbs: `call_1234567890` is the id of a call."""
_LOCAL = re.compile(r"9(?<![0-9A-Za-z_.,/:-]9)[1-9][0-9]{3}-[0-9]{4}(?![0-9A-Za-z_/-]|[.,:][0-9])")
_LOCAL_APART = re.compile(r"9(?<![0-9A-Za-z_.,/:-]9) [1-9][0-9]{3}-[0-9]{4}(?![\w/-]|[.,:][0-9])")
_LOCAL_IN_ONE = re.compile(r"(?:9[1-9][0-9]{7}|[2-5][0-9]{7})(?![0-9])")
_DATE = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?![0-9])")
_STATE_BEFORE = re.compile(r"\b(?:CA|WA|OR|AK|HI)[ .,]{1,3}\Z")
"""States of the United States whose postal codes begin with 9: `WA 98101-1234`."""
_IDENTIFIER_BEFORE = re.compile(r"[^\W\d]\w*_\Z")

Valid = Callable[[int, str], bool]


def telephone_finder(region: str) -> Callable[[str], Iterator[Found]]:
    """Return the finder of telephone numbers: those of `region` (`BR`, `PT`, …), of North America,
    and those of all countries after a `+`.

    Raises `ValueError` for a region that phonenumbers does not know.
    """
    library = phonenumbers()
    if region not in library.SUPPORTED_REGIONS:
        raise ValueError(
            f"No telephone numbers of the region {region!r} are known: give `BR`, `US`…"
        )
    regions = dict.fromkeys((region, "US"))
    shapes = [(library.country_code_for_region(each), _shape(each)) for each in regions]

    def find(text: str) -> Iterator[Found]:
        valid = cache(_valid)  # a text often names a number again; kept no longer than this search
        yield from _abroad(text, valid)
        yield from _named(text, [code for code, _ in shapes], valid)
        if region == "BR":
            yield from _local(text, valid)
        for piece in _DIGITS_AND_MARKS.finditer(text):
            for code, shape in shapes:
                for match in shape.finditer(text, *piece.span()):
                    if valid(code, bare(match["number"])) and _typed_as_a_telephone(text, match):
                        yield Found("phone", *match.span())

    return find


def _abroad(text: str, valid: Valid) -> Iterator[Found]:
    """Give the numbers that begin with a country's code."""

    def valid_abroad(digits: str) -> bool:
        codes = phonenumbers().COUNTRY_CODE_TO_REGION_CODE
        for length in (1, 2, 3):
            if (code := int(digits[:length])) in codes:
                national = digits[length:]
                return valid(code, national) or (national[0] == "0" and valid(code, national[1:]))
        return False

    for match in _ABROAD.finditer(text):
        touched = text[max(0, match.start() - 1) : match.start()].isalnum()
        if not touched and not _DECIMAL.fullmatch(match[0]):
            end = _longest(text, match, valid_abroad)
            if end is not None:
                yield Found("phone", match.start(), end)
    for match in _ABROAD_BY_ZEROS.finditer(text):
        if len(_DIGITS.findall(match[0])) > 2 and valid_abroad(bare(match[0])[2:]):
            yield Found("phone", *match.span())
    for match in _BRAZIL_WITH_CODE.finditer(text):
        if valid(55, match[0][2:]) and stands_alone(text, *match.span()):
            yield Found("phone", *match.span())


def _named(text: str, codes: list[int], valid: Valid) -> Iterator[Found]:
    """Give the numbers that the word nearest before, or just after, says are telephones'."""

    def valid_here(digits: str) -> bool:
        return any(
            valid(code, national)
            for code in codes
            for national in {digits, digits.removeprefix("0"), digits.removeprefix(str(code))}
        )

    for match in _NAMED.finditer(text):
        start = match.start()
        if _is_named(text, start):
            end = _longest(text, match, valid_here)
            if end is None and 55 in codes:
                end = _without_area(text, start, valid)
            if end is not None:
                opened = start > 0 and text[start - 1] in "(+"
                yield Found("phone", start - opened, end)
    for match in _ONE_PIECE.finditer(text):
        after = _WORD_AFTER.match(text, match.end())
        named = after and after[1].lower() in _WORDS
        if named and _is_named(text, match.start(), unless=True) and valid_here(match[0]):
            yield Found("phone", *match.span())


def _local(text: str, valid: Valid) -> Iterator[Found]:
    """Give mobile numbers of Brazil without an area's code, by their shape: `98765-4321`."""
    for pattern in (_LOCAL, _LOCAL_APART):
        for match in pattern.finditer(text):
            start = match.start()
            named = any(word in _OTHER_WORDS for word in words_before(text, start))
            state = _STATE_BEFORE.search(text, max(0, start - 6), start)
            if not named and not state and valid(55, "11" + bare(match[0])):
                yield Found("phone", *match.span())


def _without_area(text: str, start: int, valid: Valid) -> int | None:
    """Return where a number of Brazil without its area's code ends: `98765-4321`."""
    match = _WITHOUT_AREA.match(text, start)
    if not match and next(words_before(text, start), "") in _NOUNS and not _DATE.match(text, start):
        match = _LOCAL_IN_ONE.match(text, start)
    if not match or _YEARS.search(match[0]) or not valid(55, "11" + bare(match[0])):
        return None
    return match.end()


def _is_named(text: str, start: int, unless: bool = False) -> bool:
    """Tell whether the word nearest before is a telephone's; `unless` where none says anything.

    Where the number ends an identifier, it is one of the identifier's: `call function_11987654321`.
    """
    near = text[max(0, start - 40) : start]
    if name := _IDENTIFIER_BEFORE.search(near):
        return not _NOUNS.isdisjoint(words_before(name[0], len(name[0])))
    for word in words_before(text, start):
        if word in _WORDS:
            return True
        if word in _OTHER_WORDS:
            return False
    return unless


def _longest(text: str, match: re.Match[str], valid: Callable[[str], bool]) -> int | None:
    """Return where the number ends: what follows it may be another number, after a blank."""
    written = match[0]
    for _ in range(4):
        digits = bare(_TRUNK_ZERO.sub("", written) if "(" in written else written)
        if len(digits) < 7:
            return None
        end = match.start() + len(written)
        if valid(digits) and not _GOES_ON.match(text, end):
            return end
        shorter = _LAST_GROUP.sub("", written)
        if shorter == written:
            return None
        written = shorter
    return None


def _typed_as_a_telephone(text: str, match: re.Match[str]) -> bool:
    """Tell a number typed as a telephone's from other groups of digits of the same lengths."""
    number, (start, end) = match["number"], match.span()
    if not stands_alone(text, start, end):
        return False
    touched = text[start] != "(" and text[max(0, start - 1) : start].isalpha()
    if touched or text[end : end + 1].isalpha():
        return False
    if "(" in match[0]:
        return True
    if _YEARS.search(number) or next(words_before(text, start), "") in _OTHER_WORDS:
        return False
    if _BRAZIL_MOBILE.fullmatch(bare(number)):
        return True
    marks = {gap.strip() for gap in _NOT_DIGITS.findall(number)}
    if "." in marks and len(marks) > 1:  # a decimal point: `277.764 1035`, `252.227-7013`
        return False
    return match["before"] != "" or marks != {""}


@cache
def _shape(region: str) -> re.Pattern[str]:
    """Return the pattern of a number of `region` as it is typed there: in its groups of digits.

    phonenumbers knows the groups. Of two groups alone too many other numbers are made. A mobile
    number's first digit may stand apart as well: `(11) 9 8765-4321`.
    """
    metadata = phonenumbers().PhoneMetadata.metadata_for_region(region)
    alternatives: dict[str, None] = {}
    for number_format in metadata.number_format:
        groups = [
            (int(least or 1), int(most or least or 1))
            for least, most in re.findall(
                r"\(\\d(?:\{([0-9]+)(?:,([0-9]+))?\})?\)", number_format.pattern
            )
        ]
        if len(groups) > 2:
            first, second, *rest = (_group(*group) for group in groups)
            after = "".join(_GAP + group for group in rest)
            close = "".join(_MAYBE + group for group in rest)
            alternatives[rf"\({first}\){_MAYBE}{second}{close}|{first}\)?{_GAP}{second}{after}"] = (
                None
            )
    trunk = _BRAZIL_TRUNK if region == "BR" else "0?"
    return re.compile(
        rf"(?:\(|(?<![0-9]))(?P<before>(?:{metadata.country_code}{_MAYBE})?(?:{trunk})?)"
        rf"(?P<number>(?:{'|'.join(alternatives) or '(?!)'}))(?![0-9])"
    )


def _group(least: int, most: int) -> str:
    whole = rf"[0-9]{{{least},{most}}}"
    return rf"(?:[0-9]{_GAP}[0-9]{{{max(least - 1, 4)},{most - 1}}}|{whole})" if most > 4 else whole


def _valid(country_code: int, national: str) -> bool:
    if len(national) not in _lengths(country_code) or (country_code == 1 and national[0] in "01"):
        return False
    library = phonenumbers()
    zeros = len(national) - len(national.lstrip("0"))
    number = library.PhoneNumber(
        country_code=country_code,
        national_number=int(national),
        italian_leading_zero=True if zeros else None,
        number_of_leading_zeros=zeros or None,
    )
    valid: bool = library.is_valid_number(number)
    return valid


@cache
def _lengths(country_code: int) -> frozenset[int]:
    """Return how many digits a number after a country's code may have."""
    library = phonenumbers()
    region = library.COUNTRY_CODE_TO_REGION_CODE[country_code][0]
    metadata = library.PhoneMetadata.metadata_for_region_or_calling_code(country_code, region)
    return frozenset(metadata.general_desc.possible_length)
