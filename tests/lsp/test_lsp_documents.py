"""Texts and positions: lines as the protocol breaks them, units as the client counts them."""

import pytest
from editor import ENCODINGS, editing, position, units
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from stalwart_lang.lsp.documents import (
    Document,
    Encoding,
    changed,
    path_of,
    same_uri,
    uri_of,
    word_at,
)

HARD = "a: é\r\nb: 🎈x\u2028y\x85z\rc: não\n\nd"
"""An accent, an emoji, U+2028 and NEL, which break no line, all three breaks, no final newline."""
TEXTS = st.text(
    st.sampled_from("ab {}:\"'\n\r\u2028\u2029\x85\x0b\x0cé𝒳🎈ã\u0301\ufeff\u200d"), max_size=60
)
ALL: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


def test_lines_break_at_three_breaks_and_nowhere_else():
    document = Document("file:///a", 1, HARD)
    lines = [HARD[slice(*document.line_span(line))] for line in range(document.line_count)]
    assert lines == ["a: é", "b: 🎈x\u2028y\x85z", "c: não", "", "d"]


@pytest.mark.parametrize("encoding", ALL)
@given(text=TEXTS)
def test_every_offset_has_its_position_and_back(encoding, text):
    document = Document("file:///a", 1, text, encoding)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n":
            assert document.position(offset) == document.position(offset - 1)
            continue
        where = position(text, offset, encoding)
        assert document.position(offset) == where
        assert document.offset(where) == offset


@pytest.mark.parametrize("encoding", ALL)
def test_positions_past_the_end_are_at_the_end(encoding):
    document = Document("file:///a", 1, HARD, encoding)
    ends = {0: 4, 1: HARD.index("\rc"), 4: len(HARD), 5: len(HARD), 99: len(HARD)}
    for line, offset in ends.items():
        assert document.offset(types.Position(line=line, character=1000)) == offset


def test_position_inside_a_character_is_before_it():
    for encoding, character in (("utf-8", 6), ("utf-16", 4)):
        document = Document("file:///a", 1, "b: 🎈x", encoding)
        assert document.offset(types.Position(line=0, character=character)) == 3


@pytest.mark.parametrize("encoding", ALL)
@given(text=TEXTS, data=st.data())
def test_edits_make_the_text_that_the_client_has(encoding, text, data):
    document, version = Document("file:///a", 0, text, encoding), 0
    for _ in range(3):
        starts = [at for at in range(len(text) + 1) if text[at - 1 : at + 1] != "\r\n" or at == 0]
        start = data.draw(st.sampled_from(starts))
        end = data.draw(st.sampled_from([at for at in starts if at >= start]))
        new = data.draw(TEXTS)
        change = types.TextDocumentContentChangePartial(
            range=types.Range(
                start=position(text, start, encoding), end=position(text, end, encoding)
            ),
            text=new,
        )
        text, version = text[:start] + new + text[end:], version + 1
        document = changed(document, version, [change])
        assert (document.text, document.version) == (text, version)
        assert document.starts == Document("file:///a", 0, text).starts


def test_changes_hold_one_after_the_other():
    whole = types.TextDocumentContentChangeWholeDocument(text="é\nxy")
    last = types.Range(
        start=types.Position(line=1, character=1), end=types.Position(line=1, character=9)
    )
    edit = types.TextDocumentContentChangePartial(range=last, text="!")
    assert changed(Document("file:///a", 1, "old"), 2, [whole, edit]).text == "é\nx!"


def test_words_have_accents_and_hyphens():
    document = Document("file:///a", 1, "tool: não-refund_card2 {order}")
    for offset in (6, 10, 22):
        assert document.text[slice(*word_at(document, offset))] == "não-refund_card2"
    assert document.text[slice(*word_at(document, 26))] == "order"
    assert word_at(Document("file:///a", 1, "a  b"), 2) == (2, 2)


def test_places_of_the_sdk_do_not_count_a_byte_order_mark():
    document = Document("file:///a", 1, "\ufeffvocabulary: é\nthings: x")
    assert document.text[document.offset_at(1, 13)] == "é"
    assert document.text[document.offset_at(2, 9)] == "x"


@pytest.mark.parametrize("path", ["/tmp/a b/ação🎈.yaml", "/tmp/%20#?.yaml", "/tmp/x\udce9.yaml"])
def test_paths_and_uris_are_one_another(path):
    assert path_of(uri_of(path)) == path
    assert same_uri(uri_of(path).replace(":", "%3A").replace("%3A", ":", 1)) == uri_of(path)
    assert uri_of(path).isascii()


def test_what_is_no_file_keeps_its_uri():
    assert path_of("untitled:Untitled-1") is None
    assert same_uri("untitled:Untitled-1") == "untitled:Untitled-1"


@pytest.mark.asyncio
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
async def test_diagnostics_stand_where_the_client_sees_them(encoding, line_break, tmp_path):
    lines = (
        'vocabulary: shop   # 🎈 "ação" \u2028 \x85',
        "things: {order: {en: [order], pt-BR: [pedido]}}",
        'tools: {pay: {say: {en: [pay], pt-BR: ["pagar 🎈 {ação}"]}}}   # ã',
        "rules: {r: {tool: pai, never: true}}",
    )
    uri = uri_of(tmp_path / "ação 🎈.yaml")
    async with editing(tmp_path, encoding) as editor:
        assert editor.capabilities.position_encoding == encoding
        editor.open(uri, line_break.join(lines))
        for found in await editor.codes(uri, "SV041", "SV043"):
            words = "pai" if found.code == "SV041" else "{ação}"
            assert found.range == editor.range_of(uri, words)
        editor.replace(uri, "🎈 {ação}", "ãé🎈🎈 {ação}")
        editor.replace(uri, "# 🎈", f"# 🎈🎈{line_break}# \u2029 # é")
        editor.edit(uri, len(editor.texts[uri]), len(editor.texts[uri]), "  # 🎈")
        for found in await editor.codes(uri, "SV041", "SV043"):
            words = "pai" if found.code == "SV041" else "{ação}"
            assert found.range == editor.range_of(uri, words)


def test_units_are_those_of_the_protocol():
    assert [units("🎈é", encoding) for encoding in ALL] == [6, 3, 2]
