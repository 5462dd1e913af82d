"""Word forms of English, against tables written by hand."""

import contextlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stalwart_lang.words.english_forms import plural, verb_forms

# base, gerund, third person, past, participle; spellings joined by a slash
VERBS = """
refund refunding refunds refunded refunded
charge charging charges charged charged
merge merging merges merged merged
cancel canceling/cancelling cancels canceled/cancelled canceled/cancelled
label labeling/labelling labels labeled/labelled labeled/labelled
travel traveling/travelling travels traveled/travelled traveled/travelled
total totaling/totalling totals totaled/totalled totaled/totalled
fuel fueling/fuelling fuels fueled/fuelled fueled/fuelled
dial dialing/dialling dials dialed/dialled dialed/dialled
equal equaling/equalling equals equaled/equalled equaled/equalled
email emailing emails emailed emailed
detail detailing details detailed detailed
appeal appealing appeals appealed appealed
install installing installs installed installed
control controlling controls controlled controlled
fulfil fulfilling fulfils fulfilled fulfilled
fulfill fulfilling fulfills fulfilled fulfilled
enrol enrolling enrols enrolled enrolled
expel expelling expels expelled expelled
ship shipping ships shipped shipped
reship reshipping reships reshipped reshipped
drop dropping drops dropped dropped
plan planning plans planned planned
tag tagging tags tagged tagged
unplug unplugging unplugs unplugged unplugged
stop stopping stops stopped stopped
log logging logs logged logged
refer referring refers referred referred
transfer transferring transfers transferred transferred
prefer preferring prefers preferred preferred
admit admitting admits admitted admitted
submit submitting submits submitted submitted
resubmit resubmitting resubmits resubmitted resubmitted
commit committing commits committed committed
permit permitting permits permitted permitted
occur occurring occurs occurred occurred
format formatting formats formatted formatted
program programming programs programmed programmed
outfit outfitting outfits outfitted outfitted
edit editing edits edited edited
credit crediting credits credited credited
debit debiting debits debited debited
visit visiting visits visited visited
order ordering orders ordered ordered
offer offering offers offered offered
deliver delivering delivers delivered delivered
enter entering enters entered entered
open opening opens opened opened
develop developing develops developed developed
target targeting targets targeted targeted
deposit depositing deposits deposited deposited
market marketing markets marketed marketed
render rendering renders rendered rendered
benefit benefiting/benefitting benefits benefited/benefitted benefited/benefitted
focus focusing/focussing focuses focused/focussed focused/focussed
worship worshiping/worshipping worships worshiped/worshipped worshiped/worshipped
fix fixing fixes fixed fixed
show showing shows showed shown/showed
play playing plays played played
apply applying applies applied applied
verify verifying verifies verified verified
copy copying copies copied copied
try trying tries tried tried
tie tying ties tied tied
untie untying unties untied untied
die dying dies died died
lie lying lies lay/lied lain/lied
picnic picnicking picnics picnicked picnicked
mimic mimicking mimics mimicked mimicked
sync syncing syncs synced synced
agree agreeing agrees agreed agreed
dye dyeing dyes dyed dyed
queue queuing/queueing queues queued queued
issue issuing issues issued issued
age aging/ageing ages aged aged
close closing closes closed closed
use using uses used used
quiz quizzing quizzes quizzed quizzed
pass passing passes passed passed
push pushing pushes pushed pushed
search searching searches searched searched
watch watching watches watched watched
veto vetoing vetoes vetoed vetoed
echo echoing echoes echoed echoed
demo demoing demos demoed demoed
update updating updates updated updated
book booking books booked booked
load loading loads loaded loaded
put putting puts put put
set setting sets set set
reset resetting resets reset reset
offset offsetting offsets offset offset
cut cutting cuts cut cut
let letting lets let let
hit hitting hits hit hit
shut shutting shuts shut shut
quit quitting quits quit/quitted quit/quitted
split splitting splits split split
cost costing costs cost/costed cost/costed
read reading reads read read
reread rereading rereads reread reread
send sending sends sent sent
resend resending resends resent resent
spend spending spends spent spent
overspend overspending overspends overspent overspent
lend lending lends lent lent
build building builds built built
rebuild rebuilding rebuilds rebuilt rebuilt
pay paying pays paid paid
repay repaying repays repaid repaid
prepay prepaying prepays prepaid prepaid
overpay overpaying overpays overpaid overpaid
underpay underpaying underpays underpaid underpaid
say saying says said said
lay laying lays laid laid
relay relaying relays relayed/relaid relayed/relaid
get getting gets got got/gotten
forget forgetting forgets forgot forgotten/forgot
give giving gives gave given
forgive forgiving forgives forgave forgiven
make making makes made made
remake remaking remakes remade remade
find finding finds found found
hold holding holds held held
withhold withholding withholds withheld withheld
uphold upholding upholds upheld upheld
buy buying buys bought bought
bring bringing brings brought brought
think thinking thinks thought thought
catch catching catches caught caught
sell selling sells sold sold
resell reselling resells resold resold
tell telling tells told told
take taking takes took taken
retake retaking retakes retook retaken
undertake undertaking undertakes undertook undertaken
begin beginning begins began begun
run running runs ran run
rerun rerunning reruns reran rerun
overrun overrunning overruns overran overrun
write writing writes wrote written
rewrite rewriting rewrites rewrote rewritten
overwrite overwriting overwrites overwrote overwritten
keep keeping keeps kept kept
leave leaving leaves left left
lose losing loses lost lost
choose choosing chooses chose chosen
freeze freezing freezes froze frozen
unfreeze unfreezing unfreezes unfroze unfrozen
break breaking breaks broke broken
speak speaking speaks spoke spoken
know knowing knows knew known
draw drawing draws drew drawn
withdraw withdrawing withdraws withdrew withdrawn
redraw redrawing redraws redrew redrawn
throw throwing throws threw thrown
grow growing grows grew grown
see seeing sees saw seen
oversee overseeing oversees oversaw overseen
go going goes went gone
undergo undergoing undergoes underwent undergone
do doing does did done
undo undoing undoes undid undone
redo redoing redoes redid redone
have having has had had
be being is was/were been
come coming comes came come
become becoming becomes became become
overcome overcoming overcomes overcame overcome
meet meeting meets met met
hear hearing hears heard heard
understand understanding understands understood understood
win winning wins won won
wind winding winds wound wound
rewind rewinding rewinds rewound rewound
ring ringing rings rang rung
hide hiding hides hid hidden/hid
override overriding overrides overrode overridden
ride riding rides rode ridden
learn learning learns learned/learnt learned/learnt
spell spelling spells spelled/spelt spelled/spelt
input inputting inputs input/inputted input/inputted
broadcast broadcasting broadcasts broadcast/broadcasted broadcast/broadcasted
bid bidding bids bid/bade bid/bidden
prove proving proves proved proved/proven
re-send re-sending re-sends re-sent re-sent
double-check double-checking double-checks double-checked double-checked
check-in checking-in checks-in checked-in checked-in
"""


@pytest.mark.parametrize("row", VERBS.strip().splitlines(), ids=lambda row: row.split()[0])
def test_verbs(row: str) -> None:
    base, *expected = row.split()
    forms = verb_forms(base)
    assert forms.base == base
    assert forms.third_person == expected[1]
    assert ["/".join(forms.gerund), "/".join(forms.past), "/".join(forms.participle)] == [
        expected[0],
        expected[2],
        expected[3],
    ]


def test_upper_case_is_the_same_verb() -> None:
    assert verb_forms("Refund") == verb_forms("refund")


@pytest.mark.parametrize("word", ["", " ", "set up", "pay2", "café", "-pay", "a--b", "оплати"])
def test_no_verb(word: str) -> None:
    with pytest.raises(ValueError, match="no English verb"):
        verb_forms(word)


PLURALS = {
    "order": "orders", "purchase": "purchases", "invoice": "invoices", "reply": "replies",
    "key": "keys", "query": "queries", "soliloquy": "soliloquies", "box": "boxes",
    "address": "addresses", "bus": "buses", "status": "statuses", "bonus": "bonuses",
    "lens": "lenses", "branch": "branches", "stomach": "stomachs", "dish": "dishes",
    "path": "paths", "quiz": "quizzes", "person": "people", "salesperson": "salespeople",
    "child": "children", "man": "men", "woman": "women", "salesman": "salesmen",
    "human": "humans", "mouse": "mice", "foot": "feet", "tooth": "teeth", "leaf": "leaves",
    "shelf": "shelves", "knife": "knives", "life": "lives", "proof": "proofs", "brief": "briefs",
    "safe": "safes", "analysis": "analyses", "basis": "bases", "crisis": "crises",
    "criterion": "criteria", "datum": "data", "data": "data", "index": "indexes",
    "matrix": "matrices", "photo": "photos", "video": "videos", "hero": "heroes",
    "potato": "potatoes", "series": "series", "feedback": "feedback", "settings": "settings",
    "details": "details", "sms": "sms", "e-mail": "e-mails", "café": "cafés",
    "tax form": "tax forms", "credit card": "credit cards", "Tax Form": "tax forms",
    "point of sale": "points of sale", "order of service": "orders of service",
    "bill of lading": "bills of lading", "certificate of deposit": "certificates of deposit",
    "driver's license": "driver's licenses", "attorney general": "attorneys general",
    "runner-up": "runners-up", "passer-by": "passers-by", "sister-in-law": "sisters-in-law",
    "add-on": "add-ons", "check-in": "check-ins", "follow-up": "follow-ups",
    "sign-up form": "sign-up forms", "level 3": "level 3",
}  # fmt: skip


@pytest.mark.parametrize(("noun", "expected"), PLURALS.items())
def test_plurals(noun: str, expected: str) -> None:
    assert plural(noun) == expected


@pytest.mark.parametrize("empty", ["", "  ", "\u00a0"])
def test_no_noun(empty: str) -> None:
    with pytest.raises(ValueError, match="not an empty text"):
        plural(empty)


def _is_lower_nfc(text: str) -> bool:
    return text == text.lower() == unicodedata.normalize("NFC", text)


@given(st.from_regex(r"[a-z]{1,9}(-[a-z]{1,5})?", fullmatch=True))
def test_forms_of_any_verb(base: str) -> None:
    forms = verb_forms(base)
    assert all(forms.gerund)
    assert all(_is_lower_nfc(form) for form in (*forms.gerund, forms.third_person))
    assert all(_is_lower_nfc(form) for form in (*forms.past, *forms.participle))
    assert base not in (*forms.gerund, forms.third_person)


@given(st.from_regex(r"[bdflmprst]{1,2}(ai|ea|ou)(n|r|l)(d|t|k)", fullmatch=True))
def test_a_regular_verb_comes_back_from_its_forms(base: str) -> None:
    forms = verb_forms(base)
    assert [form.removesuffix("ing") for form in forms.gerund] == [base]
    assert [form.removesuffix("ed") for form in forms.past] == [base]
    assert forms.participle == forms.past
    assert forms.third_person.removesuffix("s") == base


@given(st.text() | st.text(alphabet="aeiosyxzfmn -é", max_size=12))
def test_any_text_gives_lower_case_forms_or_a_value_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert _is_lower_nfc(verb_forms(text).third_person)
    if text.split():
        assert _is_lower_nfc(plural(text))
