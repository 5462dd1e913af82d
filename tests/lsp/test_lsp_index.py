"""The index: every name with its place, in sound texts and in broken ones."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stalwart_lang.diagnostics import Findings, TooMany
from stalwart_lang.lsp.documents import Document, uri_of
from stalwart_lang.lsp.index.build import build_index, kind_of, outline_of
from stalwart_lang.lsp.index.chunks import Composer
from stalwart_lang.lsp.index.model import DocumentIndex
from stalwart_lang.lsp.index.targets import is_shipped, shipped_uri
from stalwart_lang.lsp.workspace import Project
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.yaml12 import Node, Scalar, Sequence, compose

SHIPPED = ("shop", "pix", "agenda")
BREAKAGES = 1_000
SEED = 20261130

SHOP = """\
vocabulary: shop
things: {order: {en: [order], pt-BR: [pedido]}}
values:
  status: {open: {en: [open]}, late: {en: [late]}}
units: {kilo: {en: [kilo, kg]}}
tools:
  charge_card:
    undo: 'refund_card'
    takes: {order_id: order, amount: {type: optional money or quantity of kilo}}
    say: {en: [charge, "charge \\u0022{ order_id }\\u0022 with {amount}"], pt-BR: [cobrar]}
  "refund_card":
    takes: {order_id: order, state: status}
    say: {en: refund}
rules:
  never-late:
    tool: refund_card
    when: {state: {one_of: [late, open]}}
    requires: [supervisor, manager]
    after: charge_card
turns:
  - say: {en: 'don''t charge order 1', pt-BR: ["cobre o pedido 1"]}
    unread: negation
  - say:
      en: >-
        refund order 5,
        late
    plan: [{refund_card: {order_id: 5, state: late}}]
  - {say: {en: charge}, incomplete: amount, now: "2027-03-01T09:00"}
"""


def composed_index(text: str, composer: Composer | None = None) -> DocumentIndex:
    composed = (composer or Composer("x")).compose(text)
    document = Document("file:///x.yaml", 1, text)
    kind = kind_of(composed.known)
    return build_index(document, composed, kind, outline_of(composed.known))


def same(one: Node, other: Node) -> bool:
    if (type(one), one.start, one.end) != (type(other), other.start, other.end):
        return False
    if isinstance(one, Scalar):
        return (one.text, one.plain) == (other.text, other.plain)
    if isinstance(one, Sequence):
        return len(one.items) == len(other.items) and all(map(same, one.items, other.items))
    return len(one.entries) == len(other.entries) and all(
        same(key, other_key) and same(value, other_value)
        for (key, value), (other_key, other_value) in zip(one.entries, other.entries, strict=True)
    )


def composed_whole(text: str) -> tuple[Node | None, Findings]:
    findings = Findings()
    try:
        return compose(Source("x", text), findings), findings
    except TooMany:
        return None, findings


# ------------------------------------------------------------ names


def test_names_have_their_places():
    index = composed_index(SHOP)
    assert index.kind == "vocabulary"
    assert not index.broken
    for one in index.occurrences:
        assert SHOP[one.start : one.end] == one.name
    found = Counter((one.role, *one.key) for one in index.occurrences)
    wanted = {
        ("definition", "thing", "", "order"): 1,
        ("definition", "list", "", "status"): 1,
        ("definition", "member", "status", "late"): 1,
        ("definition", "unit", "", "kilo"): 1,
        ("definition", "tool", "", "refund_card"): 1,
        ("definition", "slot", "charge_card", "amount"): 1,
        ("definition", "rule", "", "never-late"): 1,
        ("reference", "tool", "", "refund_card"): 3,
        ("reference", "tool", "", "charge_card"): 1,
        ("reference", "thing", "", "order"): 2,
        ("reference", "list", "", "status"): 1,
        ("reference", "unit", "", "kilo"): 1,
        ("reference", "slot", "charge_card", "order_id"): 1,
        ("reference", "slot", "charge_card", "amount"): 1,
        ("reference", "slot", "refund_card", "state"): 2,
        ("reference", "slot", "", "amount"): 1,
        ("reference", "member", "status", "late"): 2,
        ("reference", "fact", "", "supervisor"): 1,
    }
    assert {key: found[key] for key in wanted} == wanted
    quoted = [one for one in index.occurrences if one.quoted]
    assert {one.name for one in quoted} == {"refund_card", "order_id", "amount"}


def test_entries_have_their_scope():
    index = composed_index(SHOP)
    scopes = {one.key: SHOP[slice(*one.scope)] for one in index.definitions()}
    assert scopes["unit", "", "kilo"] == "kilo: {en: [kilo, kg]}"
    assert scopes["tool", "", "refund_card"].startswith('"refund_card":')
    assert scopes["tool", "", "refund_card"].endswith("{en: refund}")
    assert scopes["rule", "", "never-late"].endswith("after: charge_card")
    assert [section.name for section in index.sections][-2:] == ["rules", "turns"]


def test_names_are_found_by_place():
    index = composed_index(SHOP)
    at = SHOP.index("refund_card'")
    assert index.at(at).key == ("tool", "", "refund_card")
    assert index.at(at + len("refund_card")).key == ("tool", "", "refund_card")
    assert index.at(at - 2) is None
    assert index.turn_at(SHOP.index("o pedido")).text == "cobre o pedido 1"
    assert index.phrase_at(SHOP.index("{amount}")).name == "charge_card"


def test_phrases_have_their_parts():
    index = composed_index(SHOP)
    phrase = index.phrase_at(SHOP.index("{amount}"))
    assert phrase.text == 'charge "{ order_id }" with {amount}'
    shown = [(part.kind, SHOP[part.start : part.end]) for part in phrase.parts]
    assert shown == [
        ("verb", "charge"),
        ("literal", "\\u0022"),
        ("slot", "{ order_id }"),
        ("literal", "\\u0022"),
        ("literal", "with"),
        ("optional", "{amount}"),
    ]


def test_places_in_turns_go_through_escapes_and_folds():
    index = composed_index(SHOP)
    assert [turn.expects for turn in index.turns] == ["unread", "unread", "plan", "incomplete"]
    assert [turn.number for turn in index.turns] == [0, 0, 1, 2]
    first, _, folded, last = index.turns
    assert last.now == "2027-03-01T09:00"
    assert first.text == "don't charge order 1"
    assert SHOP[first.place(first.text.index("charge")) :].startswith("charge order 1'")
    assert folded.text == "refund order 5, late"
    assert SHOP[folded.place(folded.text.index("late")) :].startswith("late\n")


@pytest.mark.parametrize("name", SHIPPED)
def test_every_character_of_a_shipped_turn_has_its_place(name, shipped):
    text = shipped(name)
    index = composed_index(text)
    assert len(index.turns) > 100
    for turn in index.turns:
        for number, character in enumerate(turn.text):
            at = turn.place(number)
            escaped = text[at] == "\\" and turn.start < at < turn.end
            assert escaped or text[at] == character


def test_agent_files_are_indexed():
    text = (
        "agents: {desk: {tools: [charge_card]}}\nvocabulary: ./shop.yaml\n"
        "facts: {card_on_file: true}\ntrace: run.jsonl\ntools:\n  - python: tools\n"
    )
    index = composed_index(text)
    assert index.kind == "agent"
    assert [(one.role, one.kind, one.name, one.container) for one in index.occurrences] == [
        ("definition", "agent", "desk", ""),
        ("reference", "tool", "charge_card", ""),
        ("reference", "file", "./shop.yaml", "vocabulary"),
        ("definition", "fact", "card_on_file", ""),
        ("reference", "file", "run.jsonl", "trace"),
        ("reference", "module", "tools", ""),
    ]
    assert index.includes == ("file:///shop.yaml",)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("vocabulary: shop\ntools: {}\n", "vocabulary"),
        ("agents: {desk: {}}\n", "agent"),
        ("tools:\n  - python: tools\n", "agent"),
        ("apiVersion: v1\nkind: Service\n", "other"),
        ("rules: []\n", "other"),
        ("- a\n", "other"),
        ("", "other"),
    ],
)
def test_kind_is_told_by_the_keys(text, kind):
    assert kind_of(Composer("x").compose(text).known) == kind


def test_kind_is_what_the_editor_says_where_keys_do_not_tell():
    assert kind_of(None, "stalwart") == "vocabulary"
    assert kind_of(None, "stalwart-agent") == "agent"
    assert kind_of(None, "yaml") == "other"


BLANK = "      "
PATHS = f"""\
vocabulary: shop
tools:
  charge_card:
    takes: {{order_id: order, }}
    say:
      en: [charge, ]

{BLANK}
  refund:
{BLANK}
rules:
  big:
    tool: refund
turns:
  - say: {{en: hi}}
    plan:
      - {{refund: {{}}}}
{BLANK}
"""


@pytest.mark.parametrize(
    ("before", "path"),
    [
        ("vocab", ("vocabulary",)),
        ("tools:\n  char", ("tools", "charge_card")),
        ("order_id: o", ("tools", "charge_card", "takes", "order_id")),
        ("order, ", ("tools", "charge_card", "takes")),
        ("charge, ]\n\n      ", ("tools", "charge_card", "say")),
        ("refund:\n      ", ("tools", "refund")),
        ("tool: ref", ("rules", "big", "tool")),
        ("{en: h", ("turns", 0, "say", "en")),
        ("- {refund: {", ("turns", 0, "plan", 0, "refund")),
        ("- {refund: {}}\n    ", ("turns", 0)),
    ],
)
def test_paths_lead_to_where_something_would_be_typed(before, path):
    index = composed_index(PATHS)
    at = PATHS.index(before) + len(before)
    assert tuple(step.key for step in index.path_at(at)) == path


# ------------------------------------------------------------ pieces


@pytest.mark.parametrize("name", SHIPPED)
def test_pieces_make_what_the_whole_makes(name, shipped):
    text, composer = shipped(name), Composer("x")
    rng = random.Random(SEED)
    sound = 0
    for _ in range(40):
        line = text.index("\n", rng.randrange(len(text) - 1)) + 1
        new = rng.choice(("# note\n", "\n", "  # é🎈\n"))
        text = text[:line] + new + text[line:]
        composed = composer.compose(text)
        whole, findings = composed_whole(text)
        assert composed.root is not None or findings.items
        sound += not findings.items
        if composed.root is not None:
            assert same(composed.root, whole)
        assert list(composed.findings) == findings.items
    assert sound > 20


@given(
    st.lists(
        st.sampled_from(
            (
                "vocabulary: x",
                "things:",
                "  a: {en: [b]}",
                "  a:",
                "    en: [c]",
                "tools: # t",
                "turns:",
                "- say: {en: hi}",
                "  - say: {en: ho}",
                "    unread: any",
                "  ",
                "# c",
                "   b: &x {en: d}",
                "  c: *x",
                "---",
                '  d: "e',
                '  f"',
                "  g: |",
                "     h",
                "  ? i",
                "  : j",
                "  k: [l,",
                "  m]",
                "n: o\u2028p: q",
                "!t r: s",
                "%u",
            )
        ),
        max_size=9,
    ),
    st.sampled_from(("\n", "\r\n", "\r")),
)
def test_any_pieces_make_what_the_whole_makes(lines, line_break):
    text = line_break.join(lines)
    composed = Composer("x").compose(text)
    whole, findings = composed_whole(text)
    assert (composed.root is None) == (whole is None)
    assert list(composed.findings) == findings.items
    if whole is not None:
        assert same(composed.root, whole)


# ------------------------------------------------------------ broken texts

_INSERTED = " :,'\"[]{}#-&*!|>%@`\tab0\n"


def breakages(text: str, rng: random.Random) -> Iterator[str]:
    """Give texts that one edit of `text` broke: a character, a word or the rest of a line."""
    while True:
        at, kind = rng.randrange(len(text)), rng.random()
        if kind < 0.35:
            broken = text[:at] + text[at + 1 :]
        elif kind < 0.75:
            broken = text[:at] + rng.choice(_INSERTED) + text[at:]
        elif kind < 0.85:
            broken = text[:at] + text[at + rng.randrange(2, 20) :]
        elif kind < 0.95:
            broken = text[:at] + rng.choice(_INSERTED) + text[at + 1 :]
        else:
            broken = text[:at] + text[text.find("\n", at) :]
        if composed_whole(broken)[0] is None:
            yield broken


@pytest.mark.parametrize("name", SHIPPED)
def test_names_survive_a_thousand_breakages(name, shipped, record_property):
    text, composer, rng = shipped(name), Composer("x"), random.Random(f"{SEED} {name}")
    wanted = Counter((one.role, *one.key) for one in composed_index(text, composer).occurrences)
    whole = sum(wanted.values())
    shares = []
    for new in islice(breakages(text, rng), BREAKAGES // len(SHIPPED) + 1):
        index = composed_index(new, composer)
        assert index.broken
        found = Counter((one.role, *one.key) for one in index.occurrences)
        shares.append(sum((wanted & found).values()) / whole)
        assert all(0 <= one.start <= one.end <= len(new) for one in index.occurrences)
    record_property("names kept", sum(shares) / len(shares))
    assert sum(shares) / len(shares) >= 0.99
    assert sum(share >= 0.95 for share in shares) / len(shares) >= 0.95


def test_places_are_those_of_the_broken_text():
    broken = SHOP.replace("  charge_card:\n", "  charge_card\n").replace(
        "[supervisor, manager]", "[supervisor, manager"
    )
    index = composed_index(broken)
    assert index.broken
    names = {one.name for one in index.definitions()}
    assert {"charge_card", "refund_card", "never-late", "order_id"} <= names
    for one in index.occurrences:
        assert broken[one.start : one.end] == one.name
    for turn in index.turns:
        assert broken[turn.place(0)] == turn.text[0]


@pytest.mark.parametrize(
    "text",
    [
        "&a [*a, *a]",
        "vocabulary: x\ntools: &a {b: *a}\n",
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n"
            for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "vocabulary: x\ntools:\n"
        + "  a: &a {takes: {x: order}}\n"
        + "".join(f"  t{n}: {{<<: *a, takes: [{', '.join(['*a'] * 9)}]}}\n" for n in range(500)),
        "[" * 5_000,
        "{a: " * 5_000,
        "vocabulary: x\ntools:\n" + "".join(f"  t{n}: {{\n" for n in range(3_000)),
        "\ufeffvocabulary: x\n",
        "vocabulary: \ud800\ntools: {a: {}}\n",
        "vocabulary: \x00\ntools: {a: {}}\n",
        "%TAG ! x\n" * 2_000,
    ],
    ids=lambda text: text[:12].encode("unicode_escape").decode(),
)
def test_hostile_texts_are_indexed_and_end(text):
    index = composed_index(text)
    assert len(index.occurrences) < 10_000
    for at in (0, len(text) // 2, len(text)):
        index.path_at(at)


# ------------------------------------------------------------ files that belong together


def opened(project: Project, path: object, text: str) -> str:
    uri = uri_of(str(path))
    project.open(Document(uri, 1, text), "yaml")
    return uri


def test_names_are_shared_by_files_that_belong_together(tmp_path):
    (tmp_path / "tools.yaml").write_text(
        "vocabulary: t\ntools:\n  pay: {takes: {order_id: order, how: ways}}\n", encoding="utf-8"
    )
    (tmp_path / "other.yaml").write_text("vocabulary: o\ntools: {pay: {}}\n", encoding="utf-8")
    project = Project()
    main = opened(
        project,
        tmp_path / "main.yaml",
        "vocabulary: m\ninclude: tools.yaml\nvalues: {ways: {cash: {en: cash}}}\n"
        "rules: {r: {tool: pay, never: true, requires: [vip], when: {how: {one_of: [cash]}}}}\n",
    )
    agent = opened(
        project,
        tmp_path / "agent.yaml",
        "agents: {desk: {tools: [pay]}}\nvocabulary: ./main.yaml\nfacts: {vip: true}\n"
        "tools: [{python: t}]\n",
    )
    tools = uri_of(tmp_path / "tools.yaml")
    for path in tmp_path.iterdir():
        project.learn(path)
    for uri in (main, agent, tools):
        group = project.group(uri)
        assert group[0].uri == uri
        assert {index.uri for index in group} == {main, agent, tools}
        assert project.main_of(uri) == main
        assert [one.uri for one in project.definitions(uri, "tool", "pay")] == [tools]
        assert {one.uri for one in project.references(uri, "tool", "pay")} == {main, agent}
        assert project.names(uri, "fact") == ("vip",)
        assert project.names(uri, "slot", "pay") == ("order_id", "how")
    # A member is told by the list that another file declares, a list by the type that names it.
    assert [one.uri for one in project.references(main, "member", "cash", "ways")] == [main]
    assert [one.uri for one in project.references(main, "list", "ways")] == [tools]
    assert len(project.indexes()) == 4


def test_closed_files_are_read_again_when_they_change(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text("vocabulary: a\ntools: {one: {}}\n", encoding="utf-8")
    project, uri = Project(), uri_of(path)
    assert project.names(uri, "tool") == ("one",)
    path.write_text("vocabulary: a\ntools: {another: {}}\n", encoding="utf-8")
    assert project.names(uri, "tool") == ("another",)
    project.open(Document(uri, 3, "vocabulary: a\ntools: {open: {}}\n"), "yaml")
    assert project.names(uri, "tool") == ("open",)
    project.close(uri)
    assert project.names(uri, "tool") == ("another",)
    path.unlink()
    assert project.index(uri) is None


def test_names_are_known_from_before_the_text_broke(tmp_path):
    project = Project()
    uri = opened(project, tmp_path / "shop.yaml", SHOP)
    wanted = {kind: project.names(uri, kind) for kind in ("tool", "rule", "thing", "fact")}
    project.change(Document(uri, 2, "[" * 5_000))
    assert project.index(uri).occurrences == ()
    assert {kind: project.names(uri, kind) for kind in wanted} == wanted
    project.change(Document(uri, 3, "vocabulary: x\ntools: {other: {}}\n"))
    assert project.names(uri, "tool") == ("other",)


def test_an_agent_has_the_shipped_vocabulary_that_it_names(tmp_path):
    project = Project()
    agent = opened(
        project, tmp_path / "a.yaml", "agents: {d: {}}\nvocabulary: shop\ntools: [{python: t}]\n"
    )
    shop = shipped_uri("shop")
    assert shop is not None
    assert is_shipped(shop)
    assert not is_shipped(agent)
    assert project.main_of(agent) == shop
    assert [one.uri for one in project.definitions(agent, "rule", "big-refund")] == [shop]


def test_files_that_include_one_another_end(tmp_path):
    project = Project()
    one = opened(project, tmp_path / "a.yaml", "vocabulary: a\ninclude: b.yaml\ntools: {x: {}}\n")
    opened(project, tmp_path / "b.yaml", "vocabulary: b\ninclude: [a.yaml, b.yaml]\n")
    assert len(project.group(one)) == 2
    assert project.mains_of(one) == (one,)


_EDITS = ("x", "", ":", "\n", "  zed: {}\n", "'", "{", "  - ", "\n    undo: foo\n")


@pytest.mark.parametrize("name", SHIPPED)
def test_names_are_there_right_after_an_edit(name, shipped):
    """They are told by the edited entry alone, before the whole text has been read again."""
    text, rng = shipped(name), random.Random(f"{SEED} {name}")
    uri, at_once = f"file:///{name}.yaml", 0
    kinds = ("tool", "slot", "thing", "list", "member", "unit", "rule", "fact")
    for _ in range(60):
        project = Project()
        project.open(Document(uri, 0, text), "stalwart-vocabulary")
        project.index(uri)
        at = rng.randrange(len(text))
        end = at + rng.choice((0, 0, 1, 5, 40))
        project.change(Document(uri, 1, text[:at] + rng.choice(_EDITS) + text[end:]))
        soon = project.around(uri)
        told = {kind: set(project.names_in(soon, kind)) for kind in kinds}
        whole = project.group(uri)
        for kind in kinds:
            wanted = set(project.names_in(whole, kind))
            assert told[kind] >= wanted
            assert whole[0].broken or told[kind] == wanted
        at_once += len(soon) > len(whole)
    assert at_once > 40
