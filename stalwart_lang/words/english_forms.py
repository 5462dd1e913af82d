"""Word forms of English, British and American spellings alike, made from dictionary forms.

Every result is lower-case. Which verbs are irregular, and which of several syllables double their
last consonant, is in tables; a word that is in none of them is regular.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VerbForms:
    """The forms of one verb; a field with several spellings or forms lists all in use.

    The past of some verbs is their base form (*put*, *set*, *cut*): only the rest of a sentence
    tells which is meant.

    - `base`: *refund*
    - `gerund`: *refunding*; *canceling*, *cancelling*
    - `third_person`: *refunds*
    - `past`: *refunded*; *sent*; *was*, *were*
    - `participle`: *refunded*; *shown*, *showed*
    """

    base: str
    gerund: tuple[str, ...]
    third_person: str
    past: tuple[str, ...]
    participle: tuple[str, ...]


def _table(words: str) -> frozenset[str]:
    return frozenset(words.split())


# base past participle; variants joined by a slash.
_IRREGULAR_ROWS = """
abide abided/abode abided/abode
alight alighted/alit alighted/alit
arise arose arisen
awake awoke/awaked awoken
babysit babysat babysat
backslide backslid backslid/backslidden
be was/were been
bear bore borne/born
beat beat beaten
become became become
befall befell befallen
beget begot begotten
begin began begun
behold beheld beheld
bend bent bent
bereave bereaved/bereft bereaved/bereft
beseech besought/beseeched besought/beseeched
beset beset beset
bespeak bespoke bespoken
bestride bestrode bestridden
bet bet/betted bet/betted
bid bid/bade bid/bidden
bind bound bound
bite bit bitten
bleed bled bled
bless blessed/blest blessed/blest
blow blew blown
break broke broken
breed bred bred
bring brought brought
broadcast broadcast/broadcasted broadcast/broadcasted
browbeat browbeat browbeaten
build built built
burn burned/burnt burned/burnt
burst burst burst
bust busted/bust busted/bust
buy bought bought
cast cast cast
catch caught caught
choose chose chosen
cleave cleaved/cleft/clove cleaved/cleft/cloven
cling clung clung
come came come
cost cost/costed cost/costed
countersink countersank countersunk
creep crept crept
crossbreed crossbred crossbred
cut cut cut
deal dealt dealt
dig dug dug
disprove disproved disproved/disproven
dive dived/dove dived
do did done
draw drew drawn
dream dreamed/dreamt dreamed/dreamt
drink drank drunk
drive drove driven
dwell dwelt/dwelled dwelt/dwelled
eat ate eaten
fall fell fallen
feed fed fed
feel felt felt
fight fought fought
find found found
fit fitted/fit fitted/fit
flee fled fled
fling flung flung
fly flew flown
forbear forbore forborne
forbid forbade/forbad forbidden
forecast forecast/forecasted forecast/forecasted
forget forgot forgotten/forgot
forgive forgave forgiven
forgo forwent forgone
forsake forsook forsaken
forswear forswore forsworn
freeze froze frozen
gainsay gainsaid gainsaid
get got got/gotten
ghostwrite ghostwrote ghostwritten
give gave given
go went gone
grind ground ground
grow grew grown
hamstring hamstrung hamstrung
hang hung/hanged hung/hanged
have had had
hear heard heard
heave heaved/hove heaved/hove
hew hewed hewn/hewed
hide hid hidden/hid
hit hit hit
hold held held
hurt hurt hurt
input input/inputted input/inputted
interleave interleaved interleaved
keep kept kept
kneel knelt/kneeled knelt/kneeled
knit knitted/knit knitted/knit
know knew known
lade laded laden/laded
lay laid laid
lead led led
lean leaned/leant leaned/leant
leap leaped/leapt leaped/leapt
learn learned/learnt learned/learnt
leave left left
lend lent lent
let let let
lie lay/lied lain/lied
light lit/lighted lit/lighted
lipread lipread lipread
lose lost lost
make made made
mean meant meant
meet met met
mow mowed mown/mowed
offset offset offset
output output/outputted output/outputted
overlay overlaid/overlayed overlaid/overlayed
partake partook partaken
pay paid paid
plead pleaded/pled pleaded/pled
podcast podcast/podcasted podcast/podcasted
proofread proofread proofread
prove proved proved/proven
put put put
quit quit/quitted quit/quitted
read read read
relay relayed/relaid relayed/relaid
rend rent/rended rent/rended
rid rid/ridded rid/ridded
ride rode ridden
ring rang rung
rise rose risen
run ran run
saw sawed sawn/sawed
say said said
see saw seen
seek sought sought
sell sold sold
send sent sent
set set set
sew sewed sewn/sewed
shake shook shaken
shave shaved shaved/shaven
shear sheared/shore shorn/sheared
shed shed shed
shine shone/shined shone/shined
shoot shot shot
show showed shown/showed
shrink shrank/shrunk shrunk
shut shut shut
sing sang sung
sink sank/sunk sunk
sit sat sat
slay slew/slayed slain/slayed
sleep slept slept
slide slid slid
sling slung slung
slink slunk/slinked slunk/slinked
slit slit slit
smell smelled/smelt smelled/smelt
smite smote smitten
sneak sneaked/snuck sneaked/snuck
sow sowed sown/sowed
speak spoke spoken
speed sped/speeded sped/speeded
spell spelled/spelt spelled/spelt
spend spent spent
spill spilled/spilt spilled/spilt
spin spun spun
spit spat/spit spat/spit
split split split
spoil spoiled/spoilt spoiled/spoilt
spread spread spread
spring sprang/sprung sprung
stand stood stood
steal stole stolen
stick stuck stuck
sting stung stung
stink stank/stunk stunk
strew strewed strewn/strewed
stride strode stridden
strike struck struck/stricken
string strung strung
strive strove/strived striven/strived
sublet sublet sublet
swear swore sworn
sweep swept swept
swell swelled swollen/swelled
swim swam swum
swing swung swung
take took taken
teach taught taught
tear tore torn
tell told told
think thought thought
thrive thrived/throve thrived/thriven
throw threw thrown
thrust thrust thrust
tread trod trodden
typecast typecast typecast
typeset typeset typeset
undergo underwent undergone
underlay underlaid/underlayed underlaid/underlayed
understand understood understood
upset upset upset
wake woke/waked woken/waked
waylay waylaid waylaid
wear wore worn
weave wove woven
wed wed/wedded wed/wedded
weep wept wept
wet wet/wetted wet/wetted
win won won
wind wound wound
withdraw withdrew withdrawn
withhold withheld withheld
withstand withstood withstood
wring wrung wrung
write wrote written
"""

# With one of these before it an irregular verb stays irregular: resend, overpay, undo.
_PREFIXES = (
    "co", "down", "fore", "in", "inter", "mis", "off", "out", "over", "pre", "re", "un", "under",
    "up",
)  # fmt: skip
_REGULAR_ALL_THE_SAME = _table("outfit")

# Verbs of several syllables that double their last consonant in both spellings.
_DOUBLING = _table(
    """abet abhor abut acquit admit allot annul appal aver babysit backdrop backlog backstop befit
    beget begin beset bestir bootleg bootstrap commit compel concur confer control costar debar
    debug defer demit demur deprogram deter disbar disinter dispel distil eavesdrop embed emit
    enrol enthral entrap equip excel expel extol forbid forget format fulfil handicap impel
    incur infer input instil inter leapfrog manumit nonplus occur offset omit outfit output
    outstrip outwit overlap overstep patrol permit prefer program propel rebel rebut recap recur
    refer refit regret remit reoccur repel retrofit sandbag sidestep spec sublet submit transfer
    transmit transship typeset unbar undercut underpin unman unzip upset zigzag"""
)
_DOUBLING_OR_NOT = _table(
    """benefit bias bus caravan combat diagram dialog focus hiccup kidnap leaflet monogram
    refocus worship"""
)
# Verbs that keep their doubling after re- and un-: reship, unplug, resubmit.
_DOUBLING_AFTER_PREFIX = _table(
    """admit ban bid bug clip commit dim dip drop emit equip fit flag flip format grab hem log map
    pad pin plan plot plug pop prep program rig rip scan ship skin skip slot snap spin stir
    stop strap strip submit swap tag tap tip top transfer transmit trap trim wrap zip"""
)
_SINGLE_L = _table("parallel")

# Verbs that keep their e before -ing, and verbs of which both spellings are in use.
_KEEPING_E = _table("be singe swinge tinge")
_KEEPING_E_OR_NOT = _table("""age binge blue cue glue queue route whinge""")
_THIRD_PERSON = {"be": "is", "have": "has", "quiz": "quizzes", "whiz": "whizzes"}
_O_TO_OES = _table("do echo embargo forego forgo go torpedo undergo veto zero")

_PARTICLES = _table("at by down in off on out over through up")

_VERB = re.compile(r"[a-z]+(?:-[a-z]+)*")
_DOUBLING_SYLLABLE = re.compile(r"(?:[^aeiouy]*qu|y?[^aeiouy]*)[aeiouy][bdfgklmnprstvz]")
# An unstressed syllable in -l: travel, fuel, dial, equal; not detail, appeal.
_UNSTRESSED_L = re.compile(
    r"[a-z]*[aeiouy][a-z]*(?:[^aeiou]|qu)[aeiou]l|[a-z]+(?:ia|ie|ue|[^q]ua)l"
)


def _irregular_table() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return base → forms of the past, forms of the participle."""
    rows = (line.split() for line in _IRREGULAR_ROWS.strip().splitlines())
    return {base: (tuple(past.split("/")), tuple(last.split("/"))) for base, past, last in rows}


_IRREGULAR = _irregular_table()
_OF_IRREGULAR = {
    form: base for base, (past, participle) in _IRREGULAR.items() for form in (*past, *participle)
}
# Pasts of irregular verbs that are the base of another verb.
_BASE_ALL_THE_SAME = _table("bore bound fell felt found ground lay rent saw wound")


def verb_forms(base: str) -> VerbForms:
    """Return the forms of a verb given by its base form: *refund*, *re-send*.

    Of a hyphenated verb the last part changes, or the first before a particle (*checking-in*).
    Raises ValueError when `base` is not one word of ASCII letters.
    """
    verb = unicodedata.normalize("NFC", base).lower()
    if not _VERB.fullmatch(verb):
        raise ValueError(f"{base!r} is no English verb: give one word of letters, in its base form")
    if "-" not in verb:
        return _simple(verb)
    before, _, last = verb.rpartition("-")
    first, _, after = verb.partition("-")
    if last in _PARTICLES:
        return _around("", _simple(first), f"-{after}")
    return _around(f"{before}-", _simple(last), "")


def irregular_base(form: str) -> str | None:
    """Return the irregular verb that a past or a participle is of: *sent* → *send*.

    None for any other word, for what is a base form as well (*put*, *found*), and for verbs with
    a prefix.
    """
    return None if form in _IRREGULAR or form in _BASE_ALL_THE_SAME else _OF_IRREGULAR.get(form)


def _around(before: str, forms: VerbForms, after: str) -> VerbForms:
    def all_of(words: Iterable[str]) -> tuple[str, ...]:
        return tuple([before + word + after for word in words])

    return VerbForms(
        base=before + forms.base + after,
        gerund=all_of(forms.gerund),
        third_person=before + forms.third_person + after,
        past=all_of(forms.past),
        participle=all_of(forms.participle),
    )


def _simple(verb: str) -> VerbForms:
    prefix, root = _irregular_root(verb)
    stems = _stems(verb, root)
    if root:
        past, participle = (tuple([prefix + form for form in forms]) for forms in _IRREGULAR[root])
    else:
        past = participle = _past(verb, stems)
    return VerbForms(
        base=verb,
        gerund=_gerund(verb, stems),
        third_person=_third_person(verb),
        past=past,
        participle=participle,
    )


def _irregular_root(verb: str) -> tuple[str, str]:
    """Cut an irregular verb into prefix and row of the table; a regular verb has no row."""
    if verb in _IRREGULAR:
        return "", verb
    if verb not in _REGULAR_ALL_THE_SAME:
        for prefix in _PREFIXES:
            if verb.startswith(prefix) and verb[len(prefix) :] in _IRREGULAR:
                return prefix, verb[len(prefix) :]
    return "", ""


def _stems(verb: str, root: str) -> tuple[str, ...]:
    """Return what stands before -ing and -ed, but for a final e or y."""
    doubled = verb + verb[-1]
    if verb in _DOUBLING_OR_NOT:
        return (verb, doubled)
    if verb in _DOUBLING or _DOUBLING_SYLLABLE.fullmatch(root or verb):
        return (doubled,)
    if verb.startswith(("re", "un")) and verb[2:] in _DOUBLING_AFTER_PREFIX:
        return (doubled,)
    if verb[-1] == "l" and verb not in _SINGLE_L and _UNSTRESSED_L.fullmatch(verb):
        return (verb, doubled)
    return (f"{verb}k",) if verb.endswith(("ac", "ic")) else (verb,)


def _gerund(verb: str, stems: tuple[str, ...]) -> tuple[str, ...]:
    if verb in _KEEPING_E or verb.endswith(("ee", "oe", "ye")):
        return (f"{verb}ing",)
    if verb in _KEEPING_E_OR_NOT:
        return (f"{verb[:-1]}ing", f"{verb}ing")
    if verb.endswith("ie"):
        return (f"{verb[:-2]}ying",)
    if verb.endswith("e"):
        return (f"{verb[:-1]}ing",)
    return tuple([f"{stem}ing" for stem in stems])


def _past(verb: str, stems: tuple[str, ...]) -> tuple[str, ...]:
    if verb.endswith("e"):
        return (f"{verb}d",)
    if _ends_in_consonant_y(verb):
        return (f"{verb[:-1]}ied",)
    return tuple([f"{stem}ed" for stem in stems])


def _ends_in_consonant_y(word: str) -> bool:
    return len(word) > 1 and word[-1] == "y" and (word[-2] not in "aeiou" or word[-3:-1] == "qu")


def _third_person(verb: str) -> str:
    if verb in _THIRD_PERSON:
        return _THIRD_PERSON[verb]
    if _ends_in_consonant_y(verb):
        return f"{verb[:-1]}ies"
    if verb in _O_TO_OES or verb.endswith(("redo", "undo", "outdo", "overdo")):
        return f"{verb}es"
    return f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh")) else f"{verb}s"


_PLURAL = {
    "alumnus": "alumni",
    "appendix": "appendices",
    "axis": "axes",
    "bacterium": "bacteria",
    "child": "children",
    "criterion": "criteria",
    "curriculum": "curricula",
    "datum": "data",
    "die": "dice",
    "erratum": "errata",
    "foot": "feet",
    "goose": "geese",
    "grandchild": "grandchildren",
    "lens": "lenses",
    "man": "men",
    "matrix": "matrices",
    "medium": "media",
    "mouse": "mice",
    "ox": "oxen",
    "passerby": "passersby",
    "person": "people",
    "phenomenon": "phenomena",
    "quiz": "quizzes",
    "salesperson": "salespeople",
    "standby": "standbys",
    "stimulus": "stimuli",
    "summons": "summonses",
    "tooth": "teeth",
    "vertex": "vertices",
    "whiz": "whizzes",
    "woman": "women",
    "yes": "yeses",
}
_F_TO_VES = _table("calf elf half hoof knife leaf life loaf scarf self sheaf shelf thief wife wolf")
_NO_MEN = _table("caiman german human ottoman roman shaman talisman")
_SAME_PLURAL = _table(
    """aircraft baggage data deer equipment feedback fish furniture hardware information luggage
    metadata offspring series sheep software spacecraft species"""
)
_NOUN_O_TO_OES = _table("cargo domino echo embargo hero mosquito potato tomato torpedo veto")
_CH_AS_K = _table("""epoch eunuch loch monarch patriarch stomach tech""")
_PREPOSITIONS = _table("at by for from in of on per to under with without")
_HEAD_FIRST = _table("attorney-general court-martial hanger-on notary-public passer-by runner-up")
_NOUN_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzçñàáâäèéêëíîïóôöúûü")


def plural(noun: str) -> str:
    """Return the plural of a noun or a phrase, in lower case: *tax form* → *tax forms*.

    The head is the word before a preposition (*points of sale*), else the last. A head that is
    not of Latin letters, has no plural (*feedback*) or is one already stays as it is. Raises
    ValueError when there is no word.
    """
    words = unicodedata.normalize("NFC", unicodedata.normalize("NFC", noun).lower()).split()
    if not words:
        raise ValueError("a noun is expected, not an empty text")
    head = len(words) - 1
    if "-".join(words) in _HEAD_FIRST:
        head = 0
    for place in range(1, len(words) - 1):
        if words[place] in _PREPOSITIONS:
            head = place - 1
            break
    words[head] = _plural_word(words[head])
    return " ".join(words)


def _plural_word(word: str) -> str:
    parts = word.split("-")
    if len(parts) > 1 and all(parts):
        inner = any(part in _PREPOSITIONS for part in parts[1:-1])
        changing = 0 if inner or word in _HEAD_FIRST else len(parts) - 1
        parts[changing] = _plural_word(parts[changing])
        return "-".join(parts)
    if word in _PLURAL:
        return _PLURAL[word]
    if word in _SAME_PLURAL or not _NOUN_LETTERS.issuperset(word):
        return word
    if word.endswith("man") and word not in _NO_MEN:
        return f"{word[:-3]}men"
    if word in _F_TO_VES:
        return f"{word.removesuffix('e')[:-1]}ves"
    if word.endswith("sis"):
        return f"{word[:-2]}es"
    if _ends_in_consonant_y(word):
        return f"{word[:-1]}ies"
    if word[-1] == "s":
        already = len(word) > 2 and word[-2] not in "aious"
        return word if already or word == "s" else f"{word}es"
    if word.endswith(("x", "z", "ch", "sh")):
        return f"{word}s" if word in _CH_AS_K else f"{word}es"
    return f"{word}es" if word in _NOUN_O_TO_OES else f"{word}s"
