"""Loading: what an author writes, and every way in which it can be wrong."""

import hashlib
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stalwart_lang import Vocabulary
from stalwart_lang.diagnostics import CATALOGUE, MAX_ERRORS, Diagnostic, VocabularyError, render
from stalwart_lang.selector.messages import REASONS
from stalwart_lang.vocabulary.declarations import REASON_CODES
from stalwart_lang.vocabulary.files import MAX_FILES
from stalwart_lang.vocabulary.lint import lint
from stalwart_lang.vocabulary.load import Loaded, load_text, load_vocabulary
from stalwart_lang.vocabulary.locate import MAX_BYTES, read_file, shipped_names
from stalwart_lang.vocabulary.model import ArgumentType

SHOP = """\
vocabulary: shop
settings: {language: pt-BR, currency: {en: USD, pt-BR: BRL}, timezone: America/Sao_Paulo}
things:
  order: {en: [order, purchase], pt-BR: [pedido, compra]}
values:
  status:
    open: {en: [open], pt-BR: [aberto, em aberto]}
    late: {en: [late], pt-BR: atrasado}
units:
  kilo: {en: [kg, kilo], pt-BR: [kg, quilo]}
tools:
  charge_card:
    description: Charges the card on file.
    writes: true
    undo: refund_card
    takes: {order_id: order, amount: money}
    say: {en: [charge], pt-BR: [cobrar]}
  refund_card:
    writes: true
    takes: {order_id: order, amount: optional money}
    say: {en: [refund], pt-BR: [reembolsar]}
  list_orders:
    takes:
      status: status
      limit:
        type: optional integer
        words: {en: [limit], pt-BR: [limite]}
        ask: {en: "How many?", pt-BR: "Quantos?"}
    say: {en: list orders, pt-BR: [listar os pedidos]}
  merge_orders:
    writes: true
    takes: {source: order, target: order}
    say: {en: ["merge {source} into {target}"], pt-BR: ["juntar {source} com {target}"]}
  pay:
    sends_out: true
    takes:
      key: e-mail or cpf or telephone
      code: optional digits 6
      weight: optional quantity of kilo
    say: {en: [pay], pt-BR: [pagar]}
rules:
  charge-needs-card:
    tool: charge_card
    requires: [card_on_file]
    say: {en: "There is no card on file.", pt-BR: "Não há cartão cadastrado."}
  big-refund:
    tool: refund_card
    when: {amount: {over: 200, under: 1000.50}}
    requires_confirmation: true
  refund-after-charge: {tool: refund_card, after: charge_card}
  once: {tool: refund_card, at_most: 1, not_after: pay}
  late: {tool: list_orders, when: {status: {one_of: [late]}}, never: true}
turns:
  - say: {en: "charge order 4411 40.00", pt-BR: ["cobre o pedido 4411 no valor de 40,00"]}
    plan: [{charge_card: {order_id: 4411, amount: 40.00}}]
  - say: {en: pay 012345}
    plan:
      - pay: {key: 52998224725, code: 012345}
    now: 2027-03-01T09:00
  - say: {en: "don't charge order 4411"}
    unread: negation
  - say: {en: list orders}
    incomplete: status
  - say: {en: charge it}
    ambiguous: true
"""


def load(text: str) -> Loaded:
    return load_text(text, "shop.yaml")


def vocabulary(text: str = SHOP) -> Vocabulary:
    loaded = load(text)
    assert loaded.vocabulary is not None, "\n".join(map(str, loaded.diagnostics))
    assert loaded.diagnostics == ()
    return loaded.vocabulary


def codes(text: str) -> list[str]:
    return [found.code for found in load(text).diagnostics]


def only(text: str) -> Diagnostic:
    loaded = load(text)
    (found,) = loaded.diagnostics
    assert loaded.vocabulary is None
    return found


def underlined(text: str) -> str:
    """What the location of the one diagnostic covers."""
    where = only(text).location
    line = text.split("\n")[where.line - 1]
    assert where.end_line == where.line
    return line[where.column - 1 : where.end_column - 1]


def test_names_settings_and_flags():
    shop = vocabulary()
    assert shop.name == "shop"
    assert shop.settings.language == "pt-BR"
    assert shop.settings.currency == {"en": "USD", "pt-BR": "BRL"}
    assert shop.settings.timezone == "America/Sao_Paulo"
    assert list(shop.tools) == ["charge_card", "refund_card", "list_orders", "merge_orders", "pay"]
    charge = shop.tools["charge_card"]
    assert (charge.writes, charge.undo, charge.irreversible) == (True, "refund_card", False)
    assert charge.description == "Charges the card on file."
    assert shop.tools["pay"].sends_out
    assert not shop.tools["pay"].writes


def test_one_currency_holds_in_both_languages():
    one = vocabulary("vocabulary: v\nsettings: {currency: EUR}\n")
    assert one.settings.currency == {"en": "EUR", "pt-BR": "EUR"}


def test_arguments_and_their_types():
    shop = vocabulary()
    order, amount = shop.tools["refund_card"].arguments
    assert (order.name, order.types, order.required) == (
        "order_id",
        (ArgumentType("thing", "order"),),
        True,
    )
    assert (amount.types, amount.required) == ((ArgumentType("money"),), False)
    status, limit = shop.tools["list_orders"].arguments
    assert status.types == (ArgumentType("list", "status"),)
    assert limit.ask == {"en": "How many?", "pt-BR": "Quantos?"}
    assert limit.words["pt-BR"][0].text == "limite"
    key, code, weight = shop.tools["pay"].arguments
    assert [kind.kind for kind in key.types] == ["e-mail", "cpf", "telephone"]
    assert code.types == (ArgumentType("digits", length=6),)
    assert weight.types == (ArgumentType("quantity", "kilo"),)


def test_phrases_have_parts_paths_and_places():
    (phrase,) = vocabulary().tools["merge_orders"].say["en"]
    assert phrase.path == "merge_orders.say.en[0]"
    assert [(part.kind, part.text) for part in phrase.parts] == [
        ("word", "merge"),
        ("slot", "source"),
        ("word", "into"),
        ("slot", "target"),
    ]
    for part in phrase.parts:
        where = part.location
        line = SHOP.split("\n")[where.line - 1]
        assert line[where.column - 1 : where.end_column - 1].strip("{}") == part.text


def test_a_single_phrase_needs_no_brackets():
    shop = vocabulary()
    assert [phrase.text for phrase in shop.tools["list_orders"].say["en"]] == ["list orders"]
    assert shop.values["status"].members[1].words["pt-BR"][0].path == "values.status.late.pt-BR[0]"
    assert shop.values["status"].members[0].words["pt-BR"][1].text == "em aberto"


@pytest.mark.parametrize(
    ("written", "places"),
    [
        ("charge it", ["3:10-3:16", "3:17-3:19"]),
        ("'charge it'", ["3:11-3:17", "3:18-3:20"]),
        ('"charge  it"', ["3:11-3:17", "3:19-3:21"]),
        ('"charge \\x69t"', ["3:10-3:24", "3:10-3:24"]),
        ("'charge o''er'", ["3:10-3:24", "3:10-3:24"]),
        ("charge\n      it", ["3:10-4:8", "3:10-4:8"]),
    ],
)
def test_words_inside_a_scalar_have_their_own_place_where_it_is_known(written, places):
    words = vocabulary(f"vocabulary: v\nunits:\n  u: {{en: {written}}}\n").units["u"].words["en"][0]
    found = [p.location for p in words.parts]
    shown = [f"{w.line}:{w.column - 1}-{w.end_line}:{w.end_column - 1}" for w in found]
    assert shown == places


def test_rules():
    rules = vocabulary().rules
    assert rules["charge-needs-card"].requires == ("card_on_file",)
    assert rules["charge-needs-card"].say["en"] == "There is no card on file."
    over, under = rules["big-refund"].when
    assert (over.argument, over.test, over.operand) == ("amount", "over", 200)
    assert (under.test, under.operand) == ("under", Decimal("1000.50"))
    assert rules["big-refund"].requires_confirmation
    assert rules["refund-after-charge"].after == "charge_card"
    assert (rules["once"].at_most, rules["once"].not_after) == (1, "pay")
    assert rules["late"].when[0].operand == ("late",)
    assert rules["late"].never


def test_turns():
    read, pay, unread, incomplete, ambiguous = vocabulary().turns
    assert read.say["pt-BR"][0].text == "cobre o pedido 4411 no valor de 40,00"
    assert read.plan is not None
    assert read.plan[0].tool == "charge_card"
    assert read.plan[0].arguments == {"order_id": 4411, "amount": Decimal("40.00")}
    assert pay.plan is not None
    assert pay.plan[0].arguments == {"key": "52998224725", "code": "012345"}
    assert pay.now == "2027-03-01T09:00"
    assert unread.unread == "negation"
    assert incomplete.incomplete == "status"
    assert ambiguous.ambiguous
    assert (ambiguous.plan, ambiguous.unread, ambiguous.incomplete) == (None, None, None)


def test_locations_name_the_file_and_count_from_one():
    shop = vocabulary()
    assert str(shop.tools["charge_card"].location) == "shop.yaml:12:3"
    assert str(shop.things["order"].location) == "shop.yaml:4:3"
    assert str(shop.rules["big-refund"].when[0].location) == "shop.yaml:48:21"


def test_digest_of_one_file_is_that_of_its_content(tmp_path):
    file = tmp_path / "shop.yaml"
    file.write_text(SHOP, encoding="utf-8")
    loaded = load_vocabulary(file).vocabulary
    assert loaded is not None
    assert loaded.digest == hashlib.sha256(SHOP.encode()).hexdigest()
    assert loaded.files == (str(file),)
    assert vocabulary().digest == loaded.digest


@pytest.mark.parametrize(
    ("what", "fault", "code", "at", "hint"),
    [
        ("writes: true\n    undo", "writes: yes\n    undo", "SV020", "yes", "`true`"),
        ("writes: true\n    undo", "writes: 'true'\n    undo", "SV020", "'true'", "quotes"),
        ("undo: refund_card", "undo: [refund_card]", "SV020", "[refund_card]", None),
        ("en: [charge]", "en: [12]", "SV020", "12", '"12"'),
        ("en: [charge]", "en: [{charge: it}]", "SV020", "{charge: it}", None),
        ("at_most: 1", "at_most: 1.5", "SV020", "1.5", None),
        ("at_most: 1", "at_most: true", "SV020", "true", None),
        ("over: 200", "over: .inf", "SV020", ".inf", None),
        ("at_most: 1", "at_most: -1", "SV024", "-1", None),
        ("    say: {en: [charge]", "    says: {en: [charge]", "SV021", "says", "`say`"),
        ("pt-BR: [cobrar]", "pt: [cobrar]", "SV021", "pt", "`pt-BR`"),
        ("pt-BR: [cobrar]", "pt_br: [cobrar]", "SV021", "pt_br", "`pt-BR`"),
        ("language: pt-BR", "language: pt-PT", "SV023", "pt-PT", "`pt-BR`"),
        ("vocabulary: shop", "vocabulary: my shop", "SV025", "my shop", None),
        ("  once: {tool", "  on ce: {tool", "SV025", "on ce", None),
        ("limit:\n", "max-number:\n", "SV025", "max-number", None),
        ("say: {en: [charge], pt-BR: [cobrar]}", "say: {}", "SV026", "say", None),
        ("en: [charge]", "en: []", "SV026", "[]", None),
        ("unread: negation", "unread: negated", "SV045", "negated", "`negation`"),
        ("ambiguous: true", "ambiguous: false", "SV020", "false", None),
        ("  - say: {en: list orders}\n    inc", "  - inc", "SV022", None, None),
        ("unread: neg", "incomplete: status\n    unread: neg", "SV027", "unread", None),
        ("    unread: negation\n", "", "SV027", None, None),
        ("refund_card, after: charge_card}", "pay}", "SV027", "refund-after-charge", None),
        ("amount: optional money", "amount: optional mony", "SV040", "optional mony", "`money`"),
        ("status: status\n", "status: statuss\n", "SV040", "statuss", "`status`"),
        ("quantity of kilo", "quantity of kilos", "SV040", None, "`kilo`"),
        ("digits 6", "digits 0", "SV040", None, None),
        ("digits 6", "digits 999999999999999999", "SV040", None, None),
        ("undo: refund_card", "undo: refund_crad", "SV041", "refund_crad", "`refund_card`"),
        ("after: charge_card", "after: charge", "SV041", "charge", "`charge_card`"),
        ("not_after: pay", "not_after: pays", "SV041", "pays", "`pay`"),
        ("tool: charge_card", "tool: card", "SV041", "card", None),
        ("plan: [{charge_card", "plan: [{chargecard", "SV041", "chargecard", "`charge_card`"),
        ("when: {amount", "when: {amonut", "SV042", "amonut", "`amount`"),
        ("{order_id: 4411, amount: 40.00}", "{order_id: 1, amount: 2, x: 3}", "SV042", "x", None),
        ("incomplete: status", "incomplete: statu", "SV042", "statu", "`status`"),
        ("merge {source} into", "merge {sourc} into", "SV043", "{sourc}", "`source`"),
        ("merge {source} into", "merge {} into", "SV043", "{}", None),
        ("one_of: [late]", "one_of: [lat]", "SV044", "lat", "`late`"),
        ("{order_id: 4411, amount: 40.00}", "{order_id: 4411}", "SV046", "charge_card", None),
        ("merge {source} into", "merge {source into", "SV050", "{", None),
        ("merge {source} into", "merge {{source}} into", "SV050", "{", None),
        ("en: [limit]", 'en: ["limit {x}"]', "SV050", '"limit {x}"', None),
        ("en: [charge]", 'en: ["  "]', "SV051", '"  "', None),
        ("merge {source} into", "{source} merge into", "SV052", "{source}", None),
        ("en: [charge]", "en: [4 charge]", "SV052", "4", None),
        ("pt-BR: [cobrar]", "pt-BR: [cobre já]", "SV053", "cobre", "infinitive"),
        ("pt-BR: [cobrar]", "pt-BR: [valor]", "SV053", "valor", "infinitive"),
        ("en: [charge]", "en: [to charge]", "SV053", "to", None),
        ("into {target}", "into {source}", "SV054", "{source}", None),
        ("en: [charge]", "en: [chаrge]", "SV055", "chаrge", "Latin"),
        ("en: [charge]", 'en: ["char\\u200bge"]', "SV055", None, None),
        ("en: [charge]", "en: [ｃharge]", "SV055", None, None),
        ("currency: {en: USD", "currency: {en: US$", "SV060", "US$", None),
        ("currency: {en: USD", "currency: {en: usd", "SV060", "usd", "`USD`"),
        ("Sao_Paulo", "SaoPaulo", "SV061", "America/SaoPaulo", "`America/Sao_Paulo`"),
        ("America/Sao_Paulo", "America", "SV061", "America", None),
        ("America/Sao_Paulo", "../../etc/passwd", "SV061", None, None),
        ("one_of: [late]", "matches: '(late'", "SV062", "'(late'", None),
        ("one_of: [late]", "matches: 'a{99999999999}'", "SV062", None, None),
        ("one_of: [late]", "matches: '[[a]'", "SV062", None, None),
        ("2027-03-01T09:00", "tomorrow", "SV063", "tomorrow", None),
    ],
)  # fmt: skip
def test_each_mistake_is_one_diagnostic_at_its_place(what, fault, code, at, hint):
    assert what in SHOP
    text = SHOP.replace(what, fault, 1)
    found = only(text)
    assert (found.code, found.severity) == (code, "error")
    if at is not None:
        assert underlined(text) == at
    if hint is not None:
        assert found.fix is not None
        assert hint in found.fix


def test_infinitives_of_every_conjugation_are_verbs():
    verbs = "cobrar devolver abrir pôr por repor dispor ir dar PÔR"
    vocabulary(f"vocabulary: v\ntools: {{t: {{say: {{pt-BR: [{', '.join(verbs.split())}]}}}}}}\n")
    vocabulary("vocabulary: v\ntools: {t: {say: {pt-BR: [po\u0302r]}}}\n")


def test_names_of_types_are_taken():
    assert only("vocabulary: v\nthings: {money: {en: [money]}}\n").code == "SV025"
    assert only("vocabulary: v\nvalues: {date: {a: {en: [a]}}}\n").code == "SV025"
    both = "vocabulary: v\nthings: {x: {en: [x]}}\nvalues: {x: {a: {en: [a]}}}\n"
    assert only(both).code == "SV025"


def test_an_argument_that_no_turn_can_give():
    text = (
        "vocabulary: v\nthings: {x: {pt-BR: [x]}}\ntools: {t: {takes: {a: x}, say: {en: [go]}}}\n"
    )
    assert only(text).code == "SV056"
    assert codes(text.replace("{en: [go]}", "{en: [go], pt-BR: [ir]}")) == []
    assert codes(text.replace(", say: {en: [go]}", "")) == []


def test_one_mistake_is_not_reported_again_where_its_name_is_used():
    text = SHOP.replace("order: {en: [order, purchase], pt-BR: [pedido, compra]}", "order: {}")
    assert codes(text) == ["SV026"]
    text = SHOP.replace(
        "takes: {order_id: order, amount: money}", "takes: {order_id: ordr, amount: money}"
    )
    assert codes(text) == ["SV040"]


def test_independent_mistakes_are_all_reported_in_order():
    text = SHOP.replace("writes: true", "writes: yes").replace("[reembolsar]", "[reembolse]")
    loaded = load(text)
    lines = [found.location.line for found in loaded.diagnostics]
    assert [found.code for found in loaded.diagnostics] == ["SV020", "SV020", "SV053", "SV020"]
    assert lines == sorted(lines)


def test_dictionary_forms_of_no_and_on_are_words():
    found = vocabulary("vocabulary: v\nthings:\n  no: {en: [no, on, yes], pt-BR: [y, off]}\n")
    assert [word.text for word in found.things["no"].words["en"]] == ["no", "on", "yes"]


# Files


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / next(iter(files))


def test_included_files_are_one_vocabulary(tmp_path):
    file = write(
        tmp_path,
        {
            "main.yaml": "vocabulary: m\ninclude: [parts/things.yaml, parts/more.yaml]\n"
            "tools: {go: {takes: {to: place}, say: {en: [go]}}}\nsettings: {currency: EUR}\n",
            "parts/things.yaml": "vocabulary: t\ninclude: more.yaml\n"
            "things: {place: {en: [place]}}\nsettings: {currency: BRL, language: pt-BR}\n",
            "parts/more.yaml": "vocabulary: x\nturns: [{say: {en: go}, incomplete: to}]\n",
        },
    )
    loaded = load_vocabulary(file)
    assert loaded.diagnostics == ()
    made = loaded.vocabulary
    assert made is not None
    names = ["main.yaml", "parts/things.yaml", "parts/more.yaml"]
    assert made.files == tuple(str(tmp_path / name) for name in names)
    assert made.name == "m"
    assert made.settings.currency == {"en": "EUR", "pt-BR": "EUR"}
    assert made.settings.language == "pt-BR"
    assert made.things["place"].location.file == str(tmp_path / "parts/things.yaml")
    assert len(made.turns) == 1
    contents = [(tmp_path / name).read_bytes() for name in names]
    assert made.digest == hashlib.sha256(b"\0".join(contents)).hexdigest()


@pytest.mark.parametrize(
    ("files", "code", "place"),
    [
        ({"a.yaml": "vocabulary: a\ninclude: [b.yaml]\n"}, "SV030", "a.yaml:2:11"),
        ({"a.yaml": "vocabulary: a\ninclude: [/etc/passwd]\n"}, "SV030", "a.yaml:2:11"),
        ({"a.yaml": "vocabulary: a\ninclude: [.]\n"}, "SV030", "a.yaml:2:11"),
        ({"a.yaml": 'vocabulary: a\ninclude: ["a\\0b"]\n'}, "SV030", "a.yaml:2:11"),
        ({"a.yaml": f"vocabulary: a\ninclude: [{'x' * 5000}]\n"}, "SV030", "a.yaml:2:11"),
        ({"a.yaml": "vocabulary: a\ninclude: [./a.yaml]\n"}, "SV031", "a.yaml:2:11"),
        (
            {
                "a.yaml": "vocabulary: a\ninclude: [b.yaml]\n",
                "b.yaml": "vocabulary: b\ninclude: [c/../a.yaml]\n",
                "c/x": "",
            },
            "SV031",
            "b.yaml:2:11",
        ),
        (
            {
                "a.yaml": "vocabulary: a\ninclude: [b.yaml]\ntools: {go: {say: {en: [go]}}}\n",
                "b.yaml": "vocabulary: b\ntools: {go: {say: {en: [walk]}}}\n",
            },
            "SV032",
            "b.yaml:2:9",
        ),
        (
            {
                "a.yaml": "vocabulary: a\ninclude: [b.yaml]\n",
                "b.yaml": "tools: {}\n",
            },
            "SV022",
            "b.yaml:1:1",
        ),
    ],
)
def test_faults_of_includes(files, code, place, tmp_path):
    loaded = load_vocabulary(write(tmp_path, files))
    assert loaded.vocabulary is None
    (found,) = loaded.diagnostics
    assert found.code == code
    assert str(found.location) == f"{tmp_path}/{place}"


def test_a_file_that_is_missing_suggests_the_nearest(tmp_path):
    file = write(tmp_path, {"a.yaml": "vocabulary: a\ninclude: [thing.yaml]\n", "things.yaml": ""})
    (found,) = load_vocabulary(file).diagnostics
    assert found.fix is not None
    assert "things.yaml" in found.fix


def test_too_many_files(tmp_path):
    names = [f"f{i}.yaml" for i in range(MAX_FILES + 5)]
    files = {"main.yaml": f"vocabulary: m\ninclude: [{', '.join(names)}]\n"}
    loaded = load_vocabulary(write(tmp_path, files | dict.fromkeys(names, "vocabulary: f\n")))
    assert {found.code for found in loaded.diagnostics} == {"SV033"}


def test_too_many_files_one_in_another(tmp_path):
    files = {f"f{i}.yaml": f"vocabulary: f\ninclude: f{i + 1}.yaml\n" for i in range(MAX_FILES + 5)}
    assert [d.code for d in load_vocabulary(write(tmp_path, files)).diagnostics] == ["SV033"]


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        (b"vocabulary: caf\xe9\n", "SV002", "1:16"),
        ("vocabulary: v\n# ação\nx: ".encode() + b"\xff", "SV002", "3:4"),
        ("vocabulary: v\n".encode("utf-16"), "SV002", "1:1"),
        (b"x" * (MAX_BYTES + 1), "SV003", "1:1"),
        ("é".encode() * MAX_BYTES, "SV003", "1:1"),
        (b"vocabulary: v\nx: \x07", "SV005", "2:4"),
        (b"[" * 100, "SV010", "1:65"),
        (b"", "SV011", "1:1"),
    ],
    ids=["latin-1", "byte", "utf-16", "big", "big-in-utf-8", "control", "deep", "empty"],
)
def test_content_that_is_no_text(content, code, place, tmp_path):
    file = tmp_path / "v.yaml"
    file.write_bytes(content)
    loaded = load_vocabulary(file)
    (found,) = loaded.diagnostics
    assert (found.code, str(found.location)) == (code, f"{file}:{place}")
    assert loaded.vocabulary is None


def test_a_byte_order_mark_shifts_nothing(tmp_path):
    file = tmp_path / "v.yaml"
    file.write_bytes(b"\xef\xbb\xbfvocabulary: v\nx: 1\n")
    found = load_vocabulary(file).diagnostics
    assert [str(d.location) for d in found] == [f"{file}:2:1"]
    file.write_bytes(b"\xef\xbb\xbfvocabulary: no name\n")
    found = load_vocabulary(file).diagnostics
    assert [str(d.location) for d in found] == [f"{file}:1:13"]


def test_what_cannot_be_read(tmp_path):
    for path in (tmp_path / "none.yaml", tmp_path, tmp_path / "a" / "b.yaml"):
        loaded = load_vocabulary(path)
        assert [found.code for found in loaded.diagnostics] == ["SV001"]
        assert loaded.vocabulary is None


def test_after_many_errors_the_rest_is_not_read():
    text = "vocabulary: v\n" + "".join(f"key{i}: 1\n" for i in range(100_000))
    found = load(text).diagnostics
    assert len(found) == MAX_ERRORS + 1
    assert "SV012" in {d.code for d in found}


def test_shipped_vocabularies_load_by_name():
    assert "shop" in shipped_names()
    for name in shipped_names():
        loaded = load_vocabulary(name)
        assert loaded.diagnostics == ()
        assert loaded.vocabulary is not None
        (file,) = loaded.vocabulary.files
        assert file == f"stalwart_lang/vocabularies/{name}.yaml"
        assert hashlib.sha256(read_file(file)).hexdigest() == loaded.vocabulary.digest


def test_a_name_that_is_not_shipped():
    (found,) = load_vocabulary("shoop").diagnostics
    assert found.code == "SV001"
    assert found.fix == "did you mean `shop`?"


def test_text_may_include_files_by_another_reader():
    others = {"lib/things.yaml": b"vocabulary: t\nthings: {order: {en: [order]}}\n"}

    def read(file: str) -> bytes:
        if file not in others:
            raise FileNotFoundError(file)
        return others[file]

    loaded = load_text("vocabulary: v\ninclude: [things.yaml]\n", "lib/v.yaml", read)
    assert loaded.vocabulary is not None
    assert list(loaded.vocabulary.things) == ["order"]
    assert loaded.sources["lib/things.yaml"].startswith("vocabulary: t")


def test_load_raises_with_every_diagnostic(tmp_path):
    file = write(tmp_path, {"v.yaml": "vocabulary: v\ntools: {t: {says: 1, wrties: 2}}\n"})
    with pytest.raises(VocabularyError) as raised:
        Vocabulary.load(file)
    assert [found.code for found in raised.value.diagnostics] == ["SV021", "SV021"]
    assert f"{file}:2:13: error[SV021]" in str(raised.value)
    assert "^^^^" in raised.value.rendered()
    assert isinstance(raised.value, ValueError)


def test_load_gives_a_vocabulary():
    assert Vocabulary.load("shop").name == "shop"


def test_turns_may_name_every_reason_for_which_a_turn_is_unread():
    other_verdicts = {"ambiguous", "missing_argument"}
    assert set(REASONS) - other_verdicts <= set(REASON_CODES)


# Rendering


def test_a_diagnostic_reads_as_a_compilers():
    text = "vocabulary: v\ntools:\n  charge:\n    says: {en: [charge]}\n"
    assert render(only(text), text) == (
        "shop.yaml:4:5: error[SV021]: a tool has no key `says`\n"
        " 4 |     says: {en: [charge]}\n"
        "   |     ^^^^\n"
        "  fix: did you mean `say`?"
    )


def test_carets_stand_under_wide_letters_and_after_tabs():
    text = 'vocabulary: v\nthings: {x: {en:\t["日本"]}}\n'
    lines = render(only(text), text).split("\n")
    assert lines[1] == ' 2 | things: {x: {en:    ["日本"]}}'
    assert lines[2] == "   | " + " " * 21 + "^" * 6


def test_a_long_line_is_cut_around_the_place():
    text = f"vocabulary: v\nthings: {{x: {{en: [{'word, ' * 1000}'{{', {'word, ' * 1000}y]}}}}\n"
    lines = render(only(text), text).split("\n")
    assert len(lines[1]) < 200
    assert "'{'" in lines[1]
    assert lines[1][lines[2].index("^") : lines[2].rindex("^") + 1] == "'{'"


def test_control_characters_are_shown_and_not_sent():
    text = "vocabulary: v\n\x1b[31mx: 1\n"
    assert "\x1b" not in render(only(text), text)


def test_related_places_are_named():
    text = "vocabulary: v\nvocabulary: w\n"
    assert "shop.yaml:1:1: the first is here" in render(only(text), text)


# Hostile input

PIECES = [
    *("vocabulary", "settings", "things", "values", "tools", "rules", "turns", "say", "takes"),
    *("en", "pt-BR", "plan", "unread", "when", "over", "one_of", "matches", "order", "money"),
    *(": ", "\n", "\n  ", "\n    ", "- ", "[", "]", "{", "}", ", ", '"', "'", "&a ", "*a", "!t "),
    *("true", "no", "12", "0.5", ".nan", "~", "{x}", "é", "е", "\u200b", "\t", "#", "|"),
    "include: [shop.yaml]",
]  # fmt: skip


@given(st.text(max_size=300) | st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
@settings(max_examples=300)
def test_no_text_raises(text):
    loaded = load(text)
    assert (loaded.vocabulary is None) == any(d.severity == "error" for d in loaded.diagnostics)
    for found in loaded.diagnostics:
        assert found.code in CATALOGUE
        render(found, loaded.sources.get(found.location.file))


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = SHOP
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text) - 1))
        length = draw(st.sampled_from([0, 0, 1, 2, 5, 20]))
        piece = draw(st.sampled_from(PIECES) | st.text(max_size=3))
        text = text[:at] + piece + text[at + length :]
    return text


@given(mutated())
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_no_mutation_of_a_vocabulary_raises(text):
    loaded = load(text)
    assert loaded.vocabulary is not None or loaded.diagnostics
    if loaded.vocabulary is not None:
        lint(loaded.vocabulary)
    lines = text.count("\n") + text.count("\r") + 1
    for found in loaded.diagnostics:
        assert 1 <= found.location.line <= lines
        render(found, loaded.sources[found.location.file])


@given(st.binary(max_size=100))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bytes_raise(tmp_path, content):
    file = tmp_path / "v.yaml"
    file.write_bytes(content)
    assert load_vocabulary(file).vocabulary is None


def test_ten_thousand_phrases_load():
    phrases = "".join(f"        - update item{i} now\n" for i in range(10_000))
    text = f"vocabulary: v\ntools:\n  t:\n    say:\n      en:\n{phrases}"
    assert len(vocabulary(text).tools["t"].say["en"]) == 10_000
