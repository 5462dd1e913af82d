"""Word forms of Brazilian Portuguese, made from dictionary forms.

Every result is lower-case, in NFC, and spelt with its accents by the Acordo Ortográfico of 1990.
What no rule can tell (which *-ir* verbs change their vowel, which nouns in *-a* are masculine) is
in tables; a verb that is in none of them is regular.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, slots=True)
class VerbForms:
    """The forms of one verb, by what a speaker does with them; a defective verb lacks some.

    A form may be in several fields, as the language has it: *anotamos* is present and past,
    *entregue* a participle and an order. No form of `past` is ever in `imperative`; for *sorrir*
    that leaves no imperative at all, since *sorria* and *ri* are past forms too.

    - `infinitive`: *cancelar*
    - `formal`: subjunctive used as an order to *você* or *vocês*: *cancele*, *cancelem*
    - `informal`: order of the same form as *ele cancela*: *cancela*; empty for *poder*, *querer*,
      *haver* and *caber*, which order nothing
    - `imperative`: `formal` and `informal`, without forms of the past
    - `gerund`: *cancelando*
    - `participles`: in both genders and numbers, the short ones too: *pago*, *pagado*
    - `past`: preterite, imperfect and pluperfect, but the preterite of *tu*
    - `future`: future and conditional
    - `present_other`: present of *eu*, *nós* and *eles*, and of *ele* where it is no order
    - `tu_forms`: present, subjunctive and preterite of *tu*
    - `hortative`: *cancelemos*
    - `past_subjunctive`: after *gostaria que você*: *cancelasse*, *cancelassem*
    """

    infinitive: str
    formal: tuple[str, ...]
    informal: tuple[str, ...]
    imperative: tuple[str, ...]
    gerund: tuple[str, ...]
    participles: tuple[str, ...]
    past: tuple[str, ...]
    future: tuple[str, ...]
    present_other: tuple[str, ...]
    tu_forms: tuple[str, ...]
    hortative: tuple[str, ...]
    past_subjunctive: tuple[str, ...]

    @property
    def subjunctive(self) -> tuple[str, ...]:
        """The forms after *quero que*: those of `formal`."""
        return self.formal


def _table(words: str) -> frozenset[str]:
    return frozenset(words.split())


# infinitive | present: eu, tu, ele, nós, eles | subjunctive: ele, or ele, tu, nós, eles |
# preterite: eu, tu, ele, nós, eles | imperfect: ele | stem of the future | participle
# A row that begins with a hyphen is for prefixed verbs only (mantém, but tem). "-" is no form.
_IRREGULAR_ROWS = """
ser | sou és é somos são | seja | fui foste foi fomos foram | era | ser | sido
estar | estou estás está estamos estão | esteja | estive estiveste esteve estivemos estiveram \
| estava | estar | estado
ir | vou vais vai vamos vão | vá vás vamos vão | fui foste foi fomos foram | ia | ir | ido
dar | dou dás dá damos dão | dê dês demos deem | dei deste deu demos deram | dava | dar | dado
ter | tenho tens tem temos têm | tenha | tive tiveste teve tivemos tiveram | tinha | ter | tido
-ter | tenho téns tém temos têm | tenha | tive tiveste teve tivemos tiveram | tinha | ter | tido
vir | venho vens vem vimos vêm | venha | vim vieste veio viemos vieram | vinha | vir | vindo
-vir | venho véns vém vimos vêm | venha | vim vieste veio viemos vieram | vinha | vir | vindo
ver | vejo vês vê vemos veem | veja | vi viste viu vimos viram | via | ver | visto
prover | provejo provês provê provemos proveem | proveja \
| provi proveste proveu provemos proveram | provia | prover | provido
ler | leio lês lê lemos leem | leia | li leste leu lemos leram | lia | ler | lido
crer | creio crês crê cremos creem | creia | cri creste creu cremos creram | cria | crer | crido
rir | rio ris ri rimos riem | ria | ri riste riu rimos riram | ria | rir | rido
pôr | ponho pões põe pomos põem | ponha | pus puseste pôs pusemos puseram | punha | por | posto
fazer | faço fazes faz fazemos fazem | faça | fiz fizeste fez fizemos fizeram | fazia | far | feito
dizer | digo dizes diz dizemos dizem | diga | disse disseste disse dissemos disseram \
| dizia | dir | dito
trazer | trago trazes traz trazemos trazem | traga \
| trouxe trouxeste trouxe trouxemos trouxeram | trazia | trar | trazido
poder | posso podes pode podemos podem | possa | pude pudeste pôde pudemos puderam \
| podia | poder | podido
querer | quero queres quer queremos querem | queira | quis quiseste quis quisemos quiseram \
| queria | querer | querido
requerer | requeiro requeres requer requeremos requerem | requeira \
| requeri requereste requereu requeremos requereram | requeria | requerer | requerido
saber | sei sabes sabe sabemos sabem | saiba | soube soubeste soube soubemos souberam \
| sabia | saber | sabido
caber | caibo cabes cabe cabemos cabem | caiba | coube coubeste coube coubemos couberam \
| cabia | caber | cabido
haver | hei hás há havemos hão | haja | houve houveste houve houvemos houveram \
| havia | haver | havido
reaver | - - - reavemos - | - | reouve reouveste reouve reouvemos reouveram \
| reavia | reaver | reavido
aprazer | aprazo aprazes apraz aprazemos aprazem | apraza \
| aprouve aprouveste aprouve aprouvemos aprouveram | aprazia | aprazer | aprazido
"""

# The verbs that follow a row above, as the row and what stands before it.
_PREFIXED = (
    ("pôr", "a ante com contra de decom descom dis entre ex im indis inter justa o pos pre predis "
            "pressu pro re recom reim repro sobre su sub super trans"),
    ("fazer", "a contra des estupe lique per putre rare re satis torre tume"),
    ("dizer", "ben con contra des entre inter mal pre re"),
    ("-ter", "abs a con de entre man ob re sus"),
    ("-vir", "a ad con contra de desa inter pro recon sobre"),
    ("ver", "ante entre pre re"),
    ("ler", "re tres"),
    ("crer", "des"),
    ("rir", "sor"),
    ("caber", "des"),
    ("querer", "bem mal"),
    ("estar", "sobr"),
)  # fmt: skip

_NO_INFORMAL = _table("caber haver poder querer")

# Verbs without the first person, and so without the subjunctive, and verbs that have only the
# forms whose stem is unstressed.
_NO_FIRST_PERSON = _table("abolir colorir delinquir demolir extorquir retorquir")
_UNSTRESSED_ONLY = _table("empedernir falir foragir precaver remir")

# -iar verbs that take the e of -ear verbs: medeia.
_IAR_LIKE_EAR = _table("ansiar incendiar intermediar mediar odiar remediar")

# -ir verbs whose e or o is another vowel in the first person and the subjunctive (confira,
# durma), or wherever the stem is stressed (previna, previne); matched by ending, so that the
# prefixed verbs are in.
_E_TO_I = (
    "aderir", "cernir", "despir", "ferir", "fletir", "gerir", "mentir", "pelir", "petir", "seguir",
    "sentir", "serir", "servir", "spergir", "terir", "vergir", "vertir", "vestir",
)  # fmt: skip
_E_TO_I_THROUGHOUT = ("cerzir", "denegrir", "gredir", "prevenir")
_O_TO_U = ("cobrir", "dormir", "engolir", "tossir")
_O_TO_U_THROUGHOUT = ("polir", "sortir")
# u in the dictionary, o in "ele": sobe. Not by ending: assumir and rugir are regular.
_U_TO_O = _table(
    """acudir bulir consumir cuspir desentupir entupir escapulir fugir refugir sacudir subir
    sumir"""
)
_CONSTRUIR = _table("autodestruir construir desconstruir destruir reconstruir")

# Verbs whose consonant changes in the first person and the subjunctive: peço, perca.
_FIRST_PERSON = (
    ("pedir", "peç"),
    ("medir", "meç"),
    ("ouvir", "ouç"),
    ("perder", "perc"),
    ("valer", "valh"),
)

# Stems that bear an accent when they are stressed, since their i or u is a syllable of its own.
_HIATUS = {
    "abaular": "abaúl",
    "amiudar": "amiúd",
    "arruinar": "arruín",
    "balaustrar": "balaústr",
    "ciumar": "ciúm",
    "coibir": "coíb",
    "desembaular": "desembaúl",
    "embaucar": "embaúc",
    "embaular": "embaúl",
    "enciumar": "enciúm",
    "enviuvar": "enviúv",
    "esmiuçar": "esmiúç",
    "faiscar": "faísc",
    "mobiliar": "mobíli",
    "proibir": "proíb",
    "ressaudar": "ressaúd",
    "reunir": "reún",
    "saudar": "saúd",
    "viuvar": "viúv",
}

# Short participles, beside the regular one or, in the first table, instead of it.
_PARTICIPLE_INSTEAD = (
    ("abrir", "aberto"),
    ("cobrir", "coberto"),
    ("screver", "scrito"),
)
_PARTICIPLE_BESIDE = {
    "aceitar": "aceito",
    "acender": "aceso",
    "anexar": "anexo",
    "assentar": "assente",
    "benzer": "bento",
    "dispersar": "disperso",
    "eleger": "eleito",
    "emergir": "emerso",
    "entregar": "entregue",
    "envolver": "envolto",
    "expressar": "expresso",
    "exprimir": "expresso",
    "expulsar": "expulso",
    "extinguir": "extinto",
    "findar": "findo",
    "fixar": "fixo",
    "fritar": "frito",
    "ganhar": "ganho",
    "gastar": "gasto",
    "imergir": "imerso",
    "imprimir": "impresso",
    "incluir": "incluso",
    "inserir": "inserto",
    "isentar": "isento",
    "juntar": "junto",
    "libertar": "liberto",
    "limpar": "limpo",
    "matar": "morto",
    "morrer": "morto",
    "omitir": "omisso",
    "pagar": "pago",
    "pegar": "pego",
    "prender": "preso",
    "pressupor": "pressuposto",
    "reeleger": "reeleito",
    "reimprimir": "reimpresso",
    "romper": "roto",
    "salvar": "salvo",
    "secar": "seco",
    "segurar": "seguro",
    "soltar": "solto",
    "submergir": "submerso",
    "sujeitar": "sujeito",
    "suspender": "suspenso",
    "suspeitar": "suspeito",
    "tingir": "tinto",
    "vagar": "vago",
}

_INFINITIVE_LETTERS = frozenset("abcçdefghijklmnopqrstuvwxyz")
_ACUTE = {"a": "á", "e": "é", "i": "í", "o": "ó", "u": "ú"}


def _irregular_table() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return infinitive → prefix and the cells of its row."""
    rows: dict[str, tuple[str, ...]] = {}
    for line in _IRREGULAR_ROWS.strip().splitlines():
        infinitive, *cells = line.split(" | ")
        rows[infinitive] = tuple(cells)
    table = {base: ("", cells) for base, cells in rows.items() if base[0] != "-"}
    for base, prefixes in _PREFIXED:
        ending = base.lstrip("-").replace("ô", "o")
        table |= {prefix + ending: (prefix, rows[base]) for prefix in prefixes.split()}
    return table


_IRREGULAR = _irregular_table()


def verb_forms(infinitive: str) -> VerbForms:
    """Return the forms of a verb given by its infinitive: *cancelar*, *pôr* (or *por*).

    Raises ValueError when `infinitive` is not one word that can be an infinitive; a reflexive one
    (*inscrever-se*) is to be given without its pronoun.
    """
    verb = _infinitive(infinitive)
    if verb in _IRREGULAR:
        return _irregular(verb)
    theme = verb[-2]
    if theme == "a":
        return _first_conjugation(verb)
    forms = _second_conjugation(verb) if theme == "e" else _third_conjugation(verb)
    if verb in _NO_FIRST_PERSON:
        return _without_first_person(forms)
    if verb in _UNSTRESSED_ONLY:
        return _without_stressed_stem(forms)
    return forms


def _infinitive(text: str) -> str:
    verb = unicodedata.normalize("NFC", text).lower()
    if verb == "por":
        return "pôr"
    if verb in _IRREGULAR:
        return verb
    if verb.endswith("-se"):
        raise ValueError(f"{text!r} has a pronoun: give the infinitive without -se")
    is_word = verb.endswith(("ar", "er", "ir")) and _INFINITIVE_LETTERS.issuperset(verb)
    if not is_word or _ACUTE.keys().isdisjoint(verb[:-2]):
        raise ValueError(
            f"{text!r} is no Portuguese infinitive: give one word in -ar, -er, -ir or -por"
        )
    return verb


def _assemble(
    verb: str,
    present: tuple[str, ...],
    subjunctive: tuple[str, ...],
    preterite: tuple[str, ...],
    imperfect: tuple[str, ...],
    future: str,
    participle: str,
) -> VerbForms:
    """Sort a verb's tenses into fields.

    `present` and `preterite` are of eu, tu, ele, nós, eles; `subjunctive` of ele, tu, nós, eles;
    `imperfect` of ele, nós, eles; `future` is the stem before *-ei*.
    """
    i, thou, he, we, they = present
    past_i, past_thou, past_he, past_we, past_they = preterite
    past = (past_i, past_he, past_we, past_they, *imperfect, past_they[:-1])
    formal = (subjunctive[0], subjunctive[3])
    return VerbForms(
        infinitive=verb,
        formal=formal,
        informal=(he,),
        imperative=tuple([form for form in (formal[0], he, formal[1]) if form not in past]),
        gerund=(f"{verb[:-1].replace('ô', 'o')}ndo",),
        participles=_participles(verb, participle),
        past=_once(past),
        future=(
            f"{future}ei", f"{future}ás", f"{future}á", f"{future}emos", f"{future}ão",
            f"{future}ia", f"{future}ias", f"{future}íamos", f"{future}iam",
        ),
        present_other=(we, i, they),
        tu_forms=_once((thou, subjunctive[1], past_thou)),
        hortative=(subjunctive[2],),
        past_subjunctive=(f"{past_they[:-3]}sse", f"{past_they[:-3]}ssem"),
    )  # fmt: skip


def _once(forms: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(forms))


def _participles(verb: str, participle: str) -> tuple[str, ...]:
    for ending, short in _PARTICIPLE_INSTEAD:
        if verb.endswith(ending):
            return _genders(verb.removesuffix(ending) + short)
    if verb in _PARTICIPLE_BESIDE:
        return _genders(participle) + _genders(_PARTICIPLE_BESIDE[verb])
    return _genders(participle)


def _genders(participle: str) -> tuple[str, ...]:
    if participle.endswith("e"):
        return (participle, f"{participle}s")
    stem = participle[:-1]
    return (participle, f"{stem}a", f"{stem}os", f"{stem}as")


def _irregular(verb: str) -> VerbForms:
    prefix, cells = _IRREGULAR[verb]
    present, subjunctive, preterite, imperfects, futures, participles = (
        tuple([prefix + form if form != "-" else "" for form in cell.split()]) for cell in cells
    )
    if len(subjunctive) == 1:
        stem = subjunctive[0][:-1]
        subjunctive = (f"{stem}a", f"{stem}as", f"{stem}amos", f"{stem}am")
    (imperfect,) = imperfects
    we = f"{_with_acute(imperfect[:-1])}{imperfect[-1]}mos"
    forms = _assemble(
        verb,
        present,
        subjunctive,
        preterite,
        (imperfect, we, f"{imperfect}m"),
        futures[0],
        participles[0],
    )
    if verb == "ser":
        return replace(
            forms,
            informal=("sê",),
            imperative=("seja", "sê", "sejam"),
            present_other=(*forms.present_other, "é"),
        )
    if verb in _NO_INFORMAL:
        return replace(
            forms,
            informal=(),
            imperative=forms.formal,
            present_other=forms.present_other + forms.informal,
        )
    return _without_stressed_stem(forms) if verb == "reaver" else forms


def _with_acute(text: str) -> str:
    """Put an acute accent on the last vowel."""
    place = max(text.rfind(vowel) for vowel in _ACUTE)
    return text[:place] + _ACUTE[text[place]] + text[place + 1 :]


def _without_first_person(forms: VerbForms) -> VerbForms:
    we, _, they = forms.present_other
    return replace(
        forms,
        formal=(),
        imperative=tuple([form for form in forms.imperative if form not in forms.formal]),
        present_other=(we, they),
        tu_forms=(forms.tu_forms[0], forms.tu_forms[-1]),
        hortative=(),
    )


def _without_stressed_stem(forms: VerbForms) -> VerbForms:
    return replace(
        forms,
        formal=(),
        informal=(),
        imperative=(),
        present_other=forms.present_other[:1],
        tu_forms=forms.tu_forms[-1:],
        hortative=(),
    )


def _merged(one: VerbForms, other: VerbForms) -> VerbForms:
    """Return the forms of a verb that has two spellings of its stressed stem."""
    return replace(
        one,
        formal=_once(one.formal + other.formal),
        informal=_once(one.informal + other.informal),
        imperative=_once(one.imperative + other.imperative),
        present_other=_once(one.present_other + other.present_other),
        tu_forms=_once(one.tu_forms + other.tu_forms),
    )


def _before_e(stem: str) -> str:
    """Respell the end of an -ar verb's stem for a following e: marc → marqu."""
    match stem[-1]:
        case "c":
            return f"{stem[:-1]}qu"
        case "g":
            return f"{stem}u"
        case "ç":
            return f"{stem[:-1]}c"
    return stem


def _before_a(stem: str) -> str:
    """Respell the end of an -er or -ir verb's stem for a following a or o: proteg → protej."""
    match stem[-1]:
        case "c":
            return f"{stem[:-1]}ç"
        case "g":
            return f"{stem[:-1]}j"
        case "u" if stem.endswith("gu"):
            return stem[:-1]
    return stem


def _first_conjugation(verb: str) -> VerbForms:
    stem = verb[:-2]
    if stem[-1] == "e":
        return _ar(verb, stem, f"{stem}i")
    if verb in _IAR_LIKE_EAR:
        return _ar(verb, stem, f"{stem[:-1]}ei")
    if verb in _HIATUS:
        return _ar(verb, stem, _HIATUS[verb])
    if stem.endswith(("aiz", "eiz", "oiz", "uiz")) and not stem.endswith(("guiz", "quiz")):
        return _ar(verb, stem, f"{stem[:-2]}íz")
    if not stem.endswith(("gu", "qu")) or _ACUTE.keys().isdisjoint(stem[:-2]):
        return _ar(verb, stem, stem)
    # Both averigue and averígue are right.
    return _merged(_ar(verb, stem, stem), _ar(verb, stem, _with_acute(stem[:-2]) + stem[-2:]))


def _ar(verb: str, stem: str, stressed: str) -> VerbForms:
    soft, soft_stressed = _before_e(stem), _before_e(stressed)
    return _assemble(
        verb,
        (f"{stressed}o", f"{stressed}as", f"{stressed}a", f"{stem}amos", f"{stressed}am"),
        (f"{soft_stressed}e", f"{soft_stressed}es", f"{soft}emos", f"{soft_stressed}em"),
        (f"{soft}ei", f"{stem}aste", f"{stem}ou", f"{stem}amos", f"{stem}aram"),
        (f"{stem}ava", f"{stem}ávamos", f"{stem}avam"),
        verb,
        f"{stem}ado",
    )


def _first_person(verb: str, otherwise: str) -> str:
    for ending, stem in _FIRST_PERSON:
        if verb.endswith(ending):
            return verb.removesuffix(ending) + stem
    return otherwise


def _second_conjugation(verb: str) -> VerbForms:
    stem = verb[:-2]
    hiatus = stem[-1] == "o"  # roer: rói, roído
    first = _first_person(verb, _before_a(stem))
    i = "í" if hiatus else "i"
    if hiatus:
        thou, he = f"{stem[:-1]}óis", f"{stem[:-1]}ói"
    else:
        thou, he = f"{stem}es", stem if verb.endswith("azer") else f"{stem}e"
    return _assemble(
        verb,
        (f"{first}o", thou, he, f"{stem}emos", f"{stem}em"),
        (f"{first}a", f"{first}as", f"{first}amos", f"{first}am"),
        (f"{stem}{i}", f"{stem}este", f"{stem}eu", f"{stem}emos", f"{stem}eram"),
        (f"{stem}ía" if hiatus else f"{stem}ia", f"{stem}íamos", f"{stem}{i}am"),
        verb,
        f"{stem}{i}do",
    )


def _third_conjugation(verb: str) -> VerbForms:
    stem = verb[:-2]
    if _vowel_before_i(verb):
        return _vowel_ir(verb, stem)
    first = stressed = stem
    if verb.endswith(_E_TO_I):
        first = _with_last(stem, "e", "i")
    elif verb.endswith(_O_TO_U):
        first = _with_last(stem, "o", "u")
    elif verb.endswith(_E_TO_I_THROUGHOUT):
        first = stressed = _with_last(stem, "e", "i")
    elif verb.endswith(_O_TO_U_THROUGHOUT):
        first = stressed = _with_last(stem, "o", "u")
    elif verb in _U_TO_O:
        stressed = _with_last(stem, "u", "o")
    elif verb in _HIATUS:
        first = stressed = _HIATUS[verb]
    forms = _ir(verb, stem, _first_person(verb, _before_a(first)), stressed)
    # Both entope and entupe are right.
    return (
        _merged(forms, _ir(verb, stem, stem, stem)) if verb in ("desentupir", "entupir") else forms
    )


def _ir(verb: str, stem: str, first: str, stressed: str) -> VerbForms:
    unstressed_first = _before_a(stem) if verb in _HIATUS else first
    return _assemble(
        verb,
        (
            f"{first}o",
            f"{stressed}es",
            stressed if verb.endswith("uzir") else f"{stressed}e",
            f"{stem}imos",
            f"{stressed}em",
        ),
        (f"{first}a", f"{first}as", f"{unstressed_first}amos", f"{first}am"),
        (f"{stem}i", f"{stem}iste", f"{stem}iu", f"{stem}imos", f"{stem}iram"),
        (f"{stem}ia", f"{stem}íamos", f"{stem}iam"),
        verb,
        f"{stem}ido",
    )


def _with_last(stem: str, old: str, new: str) -> str:
    before, _, after = stem.rpartition(old)
    return before + new + after


def _vowel_before_i(verb: str) -> bool:
    """Whether the i of an -ir verb follows a spoken vowel, as in incluir and sair."""
    return verb.endswith(("uir", "air", "oir")) and (
        not verb.endswith(("guir", "quir")) or verb.endswith("arguir")
    )


def _vowel_ir(verb: str, stem: str) -> VerbForms:
    """Return the forms of incluir (inclui), construir (constrói) and sair (sai, saia)."""
    first = f"{stem}i" if stem[-1] == "a" else stem
    short = f"{stem[:-1]}ó" if verb in _CONSTRUIR else stem
    plural = f"{stem[:-1]}o" if verb in _CONSTRUIR else stem
    return _assemble(
        verb,
        (f"{first}o", f"{short}is", f"{short}i", f"{stem}ímos", f"{plural}em"),
        (f"{first}a", f"{first}as", f"{first}amos", f"{first}am"),
        (f"{stem}í", f"{stem}íste", f"{stem}iu", f"{stem}ímos", f"{stem}íram"),
        (f"{stem}ía", f"{stem}íamos", f"{stem}íam"),
        verb,
        f"{stem}ído",
    )


_OBJECTS = ("o", "a", "os", "as")
_UNCHANGING_PRONOUNS = ("me", "lhe", "lhes", "se")


def clitic_forms(infinitive: str) -> Mapping[str, tuple[str, str]]:
    """Return the imperatives and infinitives with a pronoun: *cancelá-lo* → infinitive, *o*.

    The pronoun is in its full form: *o a os as me nos lhe lhes se*. A form in *-m* or *-õe*
    with *-nos* is left out (*enviem-nos* is both *os* and *nos*). Raises ValueError like
    `verb_forms`.
    """
    forms = verb_forms(infinitive)
    found: dict[str, tuple[str, str]] = {}
    for form in forms.imperative:
        start, nasal = _before_object(form)
        for pronoun in _OBJECTS:
            if not nasal or pronoun != "os":
                found[start + pronoun] = ("imperative", pronoun)
        for pronoun in _UNCHANGING_PRONOUNS if nasal else (*_UNCHANGING_PRONOUNS, "nos"):
            found[f"{form}-{pronoun}"] = ("imperative", pronoun)
    verb = forms.infinitive
    vowel = {"a": "á", "e": "ê", "o": "ô"}.get(verb[-2], verb[-2])
    if _vowel_before_i(verb):
        vowel = "í"
    for pronoun in _OBJECTS:
        found[f"{verb[:-2]}{vowel}-l{pronoun}"] = ("infinitive", pronoun)
    for pronoun in (*_UNCHANGING_PRONOUNS, "nos"):
        found[f"{verb}-{pronoun}"] = ("infinitive", pronoun)
    return found


def _before_object(imperative: str) -> tuple[str, bool]:
    """Return what stands before the pronoun o in an order, and whether the order is nasal."""
    if imperative.endswith(("m", "ão", "õe")):
        return f"{imperative}-n", True
    if imperative.endswith("az"):
        return f"{imperative[:-2]}á-l", False
    if imperative.endswith("z"):
        return f"{imperative[:-1]}-l", False
    if imperative.endswith("r"):
        return f"{imperative}e-", False
    return f"{imperative}-", False


# Nouns and adjectives in -ão with another plural than -ões. One with a written accent before its
# end (órgão, bênção) takes -ãos by rule.
_PLURAL_AES = _table(
    "alemão capelão capitão catalão charlatão cão escrivão guardião pão sacristão tabelião"
)
_PLURAL_AOS = _table(
    """artesão chão cidadão concidadão contramão corrimão cortesão cristão demão desvão grão irmão
    mão não pagão são temporão vão"""
)
_PLURAL = {
    "adeus": "adeuses",
    "box": "boxes",
    "campus": "campi",
    "caráter": "caracteres",
    "cônsul": "cônsules",
    "deus": "deuses",
    "e-mail": "e-mails",
    "email": "emails",
    "gol": "gols",
    "hífen": "hifens",
    "júnior": "juniores",
    "label": "labels",
    "mal": "males",
    "obus": "obuses",
    "pixel": "pixels",
    "sênior": "seniores",
}

# Words that stay as they are when they qualify a noun or an adjective: kinds that are named by a
# noun, colours, adverbs.
_INVARIABLE = _table(
    """ainda alimentação base bem chave cinza combustível fantasma grátis já laranja limite mais mal
    meia menos muito nada não offline online padrão piloto pix poupança pouco presente pré recém
    refeição rosa salário sempre simples surpresa transporte"""
)
_PREPOSITIONS = _table(
    """a à às ao aos até com contra da das de do dos em entre fora na nas no nos para pela pelas
    pelo pelos por pra pro sem sob sobre"""
)

# First parts of hyphenated nouns that never change: verbs (such a noun is masculine), prefixes.
_VERB_PARTS = _table("abre beija guarda lava para porta quebra salva tira")
_PREFIX_PARTS = _table(
    """abaixo anti auto bem co contra e ex mal micro mini multi pré pró pós recém semi sub super
    vice"""
)

_ACCENTED = frozenset("áâéêíóôú")
_VOWELS = frozenset("aeiouyàãõü") | _ACCENTED
_LETTERS = frozenset("bcçdfghjklmnpqrstvwxzñ") | _VOWELS
_UNACCENTED = str.maketrans("áâéêíóôú", "aaeeioou")


def plural(noun: str) -> str:
    """Return the plural of a noun or of a phrase that begins with one, in lower case.

    *cartão de crédito* → *cartões de crédito*, *nota fiscal* → *notas fiscais*. What follows a
    preposition stays, other words agree, but for brands and the like (*chaves pix*). A word that
    is not of Latin letters stays as it is. Raises ValueError when there is no word.
    """
    words = _words(noun)
    for place, word in enumerate(words):
        if place and word in _PREPOSITIONS:
            break
        if place == 0 or not _is_invariable(word):
            words[place] = _plural_word(word)
    return " ".join(words)


def _words(text: str) -> list[str]:
    words = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower()).split()
    if not words:
        raise ValueError("a noun or an adjective is expected, not an empty text")
    return words


def _is_invariable(word: str) -> bool:
    return (
        word in _INVARIABLE
        or word.endswith("mente")
        or not _LETTERS.issuperset(word.replace("-", ""))
        or _VOWELS.isdisjoint(word)
    )


def _plural_word(word: str) -> str:
    if word in _PLURAL:
        return _PLURAL[word]
    if "-" in word:
        return _plural_compound(word)
    if not _LETTERS.issuperset(word):
        return word
    if _VOWELS.isdisjoint(word):  # cpf, km
        return word if word[-1] in "ms" else f"{word}s"
    match word[-1]:
        case "m":
            return f"{word[:-1]}ns"
        case "o" if word.endswith("ão"):
            return _plural_in_ao(word)
        case "s":
            return _plural_in_s(word)
        case "z" if word.endswith(("aiz", "uiz")) and word[-4:-2] not in ("gu", "qu"):
            return f"{word[:-2]}ízes"
        case "r" | "z":
            return f"{word}es"
        case "x":
            return word
        case "l" if word[-2:-1] in tuple("aeiou"):
            return _plural_in_l(word)
        case "y" if word[-2:-1] not in tuple("aeiou"):
            return f"{word[:-1]}ies"
    return f"{word}s"


def _plural_in_ao(word: str) -> str:
    if word in _PLURAL_AES:
        return f"{word[:-2]}ães"
    if word in _PLURAL_AOS or not _ACCENTED.isdisjoint(word):
        return f"{word}s"
    return f"{word[:-2]}ões"


def _plural_in_s(word: str) -> str:
    """Words stressed on their last syllable take -es (mês, país); others stay (ônibus, lápis)."""
    if word[-2:-1] not in _ACCENTED:
        return word
    if word.endswith(("aís", "eís", "oís", "uís")):
        return f"{word}es"
    return f"{word.translate(_UNACCENTED)}es"


def _plural_in_l(word: str) -> str:
    accented = not _ACCENTED.isdisjoint(word)
    stem, vowel = word[:-2], word[-2]
    if vowel == "i":
        return f"{stem}eis" if accented else f"{stem}is"
    if vowel in "eo" and not accented:
        return f"{stem}{_ACUTE[vowel]}is"
    return f"{stem}{vowel}is"


def _plural_compound(word: str) -> str:
    first, *rest = word.split("-")
    if not all((first, *rest)):
        return word
    if rest[0] in _PREPOSITIONS:
        return "-".join((_plural_word(first), *rest))
    if first in _VERB_PARTS or first in _PREFIX_PARTS:
        return "-".join((first, *rest[:-1], _plural_word(rest[-1])))
    return "-".join(
        (
            _plural_word(first),
            *(part if _is_invariable(part) else _plural_word(part) for part in rest),
        )
    )


# Genders that no ending tells, and exceptions to those that tell.
_MASCULINE = _table(
    """aroma atlas axioma carisma cinema clima cometa coma delta dia dilema diploma dogma drama
    emblema enigma esquema estigma estratagema fantasma fonema genoma gorila hematoma idioma jota
    lema magma mantra mapa panorama papa paradigma pijama planeta plasma poema prisma puma sintoma
    telefonema tema teorema trauma
    afã amanhã clã divã galã ímã sutiã talismã
    bastão bisão brasão caixão calção coração cristão diapasão palavrão puxão
    acidente afluente alarme alcance alicate ambiente apêndice arremate balde batente bife bilhete
    cabide cálice carpete chefe chiclete clube codinome coeficiente colchete combate combustível
    componente comprovante continente convite corte debate dente desastre desfile detalhe disquete
    empate encarte enfeite ente envelope esmalte esporte expediente fone frete gabinete golpe
    horizonte impasse incidente índice ingrediente instante lance lembrete leite limite lote
    microfone molde montante monte nome norte palpite pacote passe pente porte prenome
    presente quilate quociente recipiente recorte relance remate repasse resgate restante
    restaurante romance sabonete satélite sobrenome sorvete suporte tapete telefone teste timbre
    tíquete tomate transporte vale verbete volante
    backup boleto bug card cep chat checklist chip cnpj cpf deploy download email e-mail feedback
    hardware headset job kit link log login notebook pdf pix post rg site smartphone sms software
    ticket upgrade upload
    arroz capuz cartaz chafariz dez giz juiz nariz rapaz verniz xadrez
    cônjuge gases meses países pires rei"""
)
_FEMININE = _table(
    """foto libido moto tribo
    api hash hashtag internet lei nau newsletter tag url web
    anexão aptidão autogestão bênção certidão combustão comunhão contramão demão digestão escuridão
    exatidão exaustão gestão gratidão ingestão legião lentidão mão multidão opinião prontidão
    questão razão rebelião região religião retidão reunião sazão servidão solidão sugestão união
    vazão
    análise arte árvore ave base carne chance chave classe corrente creche crise dose elite enquete
    enchente equipe espécie estante face fase febre fome fonte frase fraude frente gente greve
    hélice hipótese interface lente manchete maquete mente metade morte nave neve noite nuvem ordem
    overdose parede parte patente pele performance ponte posse prece prole prótese raquete rede
    saúde sede semente série síndrome síntese sorte subclasse tarde tese torre tosse variante
    vertente vitrine
    avó catedral central chaminé colher cor credencial cútis dor fé fênix férias filial flor irmã
    íris lã maçã manhã maré matinê mercê mulher multinacional núpcias pá ré rês sucursal vogal
    cicatriz cruz diretriz foz luz matriz noz paz raiz voz
    criança pessoa vítima"""
)
# Nouns of both genders, by the person meant or by the sense (o caixa, a caixa).
_EITHER = _table(
    """agiota atleta autodidata bebê caixa camarada capital cara cobaia colega comercial diplomata
    digital fã final fiscal grama guarda guia herege industrial inicial jovem logo mártir moral
    nauta oficial patriota personagem pirata poeta policial profissional rádio refém selvagem
    titular"""
)
_FEMININE_IN_ISTA = _table(
    "autopista conquista crista entrevista lista pista reconquista revista vista"
)
_FEMININE_ENDINGS = ("ção", "são", "xão", "dade", "tude", "gem", "ície", "ose", "ez", "triz")
_MASCULINE_IN_A = ("blema", "grama", "stema")
_COMMON_IN_A = ("cida", "crata")


def gender(noun: str) -> Literal["m", "f"] | None:
    """Return the gender of a noun, singular or plural, or of the first noun of a phrase.

    None when the noun has both (*cliente*, *guia*) or when its ending does not tell. Raises
    ValueError when there is no word.
    """
    word = _words(noun)[0]
    if "-" in word and word not in _MASCULINE:
        first, _, rest = word.partition("-")
        if first in _VERB_PARTS:
            return "m"
        word = rest if first in _PREFIX_PARTS else first
    if not word or word in _EITHER or not _LETTERS.issuperset(word.replace("-", "")):
        return None
    return _listed_gender(word) or _gender_by_ending(word)


def _listed_gender(word: str) -> Literal["m", "f"] | None:
    if word in _MASCULINE:
        return "m"
    return "f" if word in _FEMININE else None


def _gender_by_ending(word: str) -> Literal["m", "f"] | None:
    singular = _singular(word)
    if singular != word:
        if singular in _EITHER:
            return None
        return _listed_gender(singular) or _gender_by_ending(singular)
    if word.endswith(_FEMININE_ENDINGS):
        return "f"
    if word.endswith("a"):
        if word.endswith("ista"):
            return "f" if word in _FEMININE_IN_ISTA else None
        if word.endswith(_COMMON_IN_A):
            return None
        return "m" if word.endswith(_MASCULINE_IN_A) else "f"
    if word.endswith(("que", "ume", "ame", "ote", "á", "é", "ê", "ó", "ô")):
        return "m"
    return "m" if word[-1] in "oilmnrsux" else None


def _singular(word: str) -> str:
    """Undo a plural whose singular its ending tells; return any other word as it is."""
    if word.endswith(("ões", "ães", "ãos")):
        return f"{word[:-3]}ão"
    if word.endswith(("res", "zes")):
        return word[:-2].replace("íz", "iz")
    if word.endswith("ais") and len(word) > 4:
        return f"{word[:-2]}l"
    if word.endswith("ns"):
        return f"{word[:-2]}m"
    return word[:-1] if word.endswith(("os", "as", "es")) else word


# Nouns in -o that name a state or a kind (boleto); as an adjective they would give another word
# (conto, conta). Nouns in -mento and -ão are told by their ending.
_NOUNS_IN_O = _table(
    """aplicativo banco boleto bolso cargo caso conto contrato correio crédito custo débito depósito
    dinheiro grupo marco modo palmo passo pasto ponto porto prato prazo produto queixo saco saldo
    serviço solo trato"""
)
_ADJECTIVES = {
    "bom": ("bom", "boa", "bons", "boas"),
    "espanhol": ("espanhol", "espanhola", "espanhóis", "espanholas"),
    "judeu": ("judeu", "judia", "judeus", "judias"),
    "mau": ("mau", "má", "maus", "más"),
    "um": ("um", "uma", "uns", "umas"),
}
_ONE_GENDER_IN_OR = ("ior", "color", "maior", "menor", "melhor", "pior")
_ONE_GENDER_IN_ES = _table("cortês descortês montês pedrês")
_NOT_GERUNDS = _table(
    """brando dividendo estupendo findo horrendo infindo lindo memorando tremendo vindo"""
)


def adjective_forms(words: str) -> tuple[str, ...]:
    """Return a state's genders and numbers: *aberto* → *aberto, aberta, abertos, abertas*.

    Every adjective of several words agrees; adverbs and what follows a preposition or a gerund
    stay (*em aberto*, *não pago* → *não paga*, *aguardando pagamento*). A noun takes its plural
    only, and a feminine stays feminine. Raises ValueError when there is no word.
    """
    given = _words(words)
    columns: list[tuple[str, str, str, str]] = []
    fixed = False
    for word in given:
        fixed = fixed or word in _PREPOSITIONS or _is_gerund(word)
        columns.append((word,) * 4 if fixed or _is_invariable(word) else _genders_and_numbers(word))
    rows = list(zip(*columns, strict=True))
    if _is_noun(given[0]):
        rows = [rows[0], rows[2]]
    return _once(" ".join(row) for row in rows)


def _is_gerund(word: str) -> bool:
    return word.endswith(("ando", "endo", "indo")) and word not in _NOT_GERUNDS


def _is_noun(word: str) -> bool:
    return (
        word in _NOUNS_IN_O
        or word.endswith("mento")
        or (word.endswith("ão") and word not in _PLURAL_AES | _PLURAL_AOS)
    )


def _genders_and_numbers(word: str) -> tuple[str, str, str, str]:
    if word in _ADJECTIVES:
        return _ADJECTIVES[word]
    feminine = _feminine(word)
    return (word, feminine, _plural_word(word), _plural_word(feminine))


def _feminine(word: str) -> str:
    if _is_noun(word):
        return word
    if word.endswith("ão"):
        return word[:-1]
    if word.endswith("o"):
        return f"{word[:-1]}a"
    if word.endswith("eu"):
        return f"{word[:-1]}ia"
    if word.endswith("u") or (word.endswith("or") and not word.endswith(_ONE_GENDER_IN_OR)):
        return f"{word}a"
    if word.endswith("ês") and word not in _ONE_GENDER_IN_ES:
        return f"{word[:-2]}esa"
    return word
