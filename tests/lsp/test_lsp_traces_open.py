"""A trace that is open in an editor: what its lines tell, in any encoding and of any size."""

import json
from pathlib import Path

import pytest
from lsprotocol import types

from stalwart_lang.lsp.configuration import Configuration
from stalwart_lang.lsp.documents import Document, Encoding, uri_of
from stalwart_lang.lsp.features.trace_definition import Named, named_at, written_at
from stalwart_lang.lsp.features.trace_diagnostics import problems_of
from stalwart_lang.lsp.features.trace_hover import span_and_around
from stalwart_lang.lsp.features.trace_lens import lenses_of
from stalwart_lang.lsp.features.trace_symbols import symbols_of
from stalwart_lang.lsp.traces.explaining import explain
from stalwart_lang.lsp.traces.outline import DEEPEST, SPANS
from stalwart_lang.lsp.traces.reading import line_at, lines_of, number_at
from stalwart_lang.lsp.traces.words import EN, PT_BR, Words, words_of
from stalwart_lang.lsp.workspace import Project
from stalwart_lang.timeline.otlp import write_messages
from stalwart_lang.timeline.records import Span, read_spans
from stalwart_lang.timeline.runs import gather_runs

RUN = "0af7651916cd43dd8448eb211c80319c"
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


def span(
    name: str,
    attributes: dict[str, object] | None = None,
    *,
    id: int = 1,
    parent: int | None = None,
    start: int = 0,
    took: float | None = 1.5,
    error: str | None = None,
    trace: str = RUN,
    failed: bool | None = None,
) -> str:
    opened = {
        "type": "start" if took is None else "span",
        "trace_id": trace,
        "span_id": f"{id:016x}",
        "parent_id": None if parent is None else f"{parent:016x}",
        "name": name,
        "start": f"2026-11-30T09:00:{start:02}.250000Z",
    }
    ended = {
        "end": "2026-11-30T09:01:00.000000Z",
        "duration_ms": took,
        "status": "error" if (error if failed is None else failed) else "ok",
        "error": {"type": error} if error else None,
    }
    record = {**opened, **({} if took is None else ended), "attributes": attributes or {}}
    if took is not None:
        record["events"] = []
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False)


ROOT = span(
    "invoke_agent shop",
    {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "shop",
        "gen_ai.conversation.id": "balcão/ação 🦊",
    },
    id=1,
)
NODE = span(
    "stalwart.node",
    {"stalwart.step_name": "cobrança 🦊", "stalwart.step": 2},
    id=2,
    parent=1,
    start=1,
    took=2_500,
)
CHECK = span(
    "stalwart.tool_check",
    {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "refund_card",
        "stalwart.outcome": "refuse",
        "stalwart.decided_by": "rulebook",
        "stalwart.reasons": ["não há aprovação 🦊", "over 200"],
        "stalwart.labels": ["outside"],
        "stalwart.rule": "big-refund",
        "stalwart.args_digest": "43d9fc7c625db79e",
        "stalwart.rule_file": "shop.yaml",
        "stalwart.rule_line": 12,
    },
    id=3,
    parent=2,
    start=2,
)
PLAN = span(
    "stalwart.plan",
    {
        "stalwart.turn_digest": "9f86d081884c7d65",
        "stalwart.language": "pt-BR",
        "stalwart.language_from": "vocabulary",
        "stalwart.verdict": "read",
        "stalwart.rules": ["charge_card.say.en[0]", "refund_card.say.pt-BR[1]"],
        "stalwart.vocabulary": "shop",
        "stalwart.vocabulary_digest": "aaaa000011112222",
    },
    id=4,
    parent=1,
    start=3,
)
VOCABULARY = """vocabulary: shop
settings: {language: pt-BR}
things:
  order: {en: [order], pt-BR: [pedido]}
tools:
  charge_card:
    writes: true
    takes: {order_id: order}
    say: {en: [charge, bill], pt-BR: [cobrar]}
  refund_card:
    takes: {order_id: order}
    say: {en: [refund], pt-BR: [reembolsar, devolver]}
rules:
  big-refund:
    tool: refund_card
    requires: [supervisor_approved]
"""


def units(text: str, encoding: Encoding) -> int:
    size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    return len(text.encode(f"{encoding}-le" if size > 1 else encoding)) // size


def told(line: str, words: Words = EN, *, text: str | None = None, markdown: bool = True) -> str:
    text = line if text is None else text
    number = text.split("\n").index(line)
    found = span_and_around(text, "utf-16", types.Position(line=number, character=9))
    assert found is not None
    return explain(*found[:1], words, found[1], {}, markdown=markdown)


# ------------------------------------------------------------ hover


def test_a_check_is_explained_with_its_place_and_its_run() -> None:
    text = "\n".join((CHECK, NODE, ROOT)) + "\n"
    assert told(CHECK, text=text) == (
        "A call of `refund_card` was checked and **refused**.\n\n"
        "- Decided by: the rulebook: what rules forbid or require\n"
        "- Rule: `big-refund` (`shop.yaml:12`)\n"
        "- Reasons: `não há aprovação 🦊`; `over 200`\n"
        "- Labels: `outside`\n"
        "- Arguments: digest `43d9fc7c625db79e`\n\n"
        "Started 2026-11-30 09:00:02.250 UTC, took 1.5 ms, below `cobrança 🦊` (line 2), "
        "thread `balcão/ação 🦊`."
    )


def test_the_same_in_portuguese_and_without_markdown() -> None:
    text = "\n".join((CHECK, NODE, ROOT)) + "\n"
    assert told(CHECK, PT_BR, text=text, markdown=False) == (
        "Uma chamada de refund_card foi verificada e recusada.\n\n"
        "- Decidido por: regras: o que proíbem ou exigem\n"
        "- Regra: big-refund (shop.yaml:12)\n"
        "- Motivos: não há aprovação 🦊; over 200\n"
        "- Marcas: outside\n"
        "- Argumentos: resumo 43d9fc7c625db79e\n\n"
        "Começou em 2026-11-30 09:00:02.250 UTC, durou 1,5 ms, abaixo de cobrança 🦊 (linha 2), "
        "conversa balcão/ação 🦊."
    )


def test_a_plan_tells_its_phrases_with_links() -> None:
    found = span_and_around(PLAN, "utf-8", types.Position(line=0, character=0))
    assert found is not None
    said = explain(found[0], EN, found[1], {"charge_card.say.en[0]": "file:///a(b)/shop.yaml#L9"})
    assert "A turn was **read**." in said
    assert "[`charge_card.say.en[0]`](file:///a%28b%29/shop.yaml#L9), `refund_card" in said
    assert "- Language: `pt-BR` (set in the vocabulary)" in said
    assert "- Vocabulary: `shop` (digest `aaaa000011112222`)" in said
    assert "- Turn: digest `9f86d081884c7d65`" in said
    assert "below the span `0000000000000001`, which is not in this file" in said


@pytest.mark.parametrize(
    ("name", "attributes", "en", "pt"),
    [
        ("invoke_agent x", {"gen_ai.operation.name": "invoke_agent"}, "A run.", "Uma execução."),
        ("stalwart.node", {"stalwart.step_name": "ask"}, "A step of", "Um passo da"),
        ("stalwart.plan", {"stalwart.verdict": "unread"}, "**not read**", "**não foi lido**"),
        ("stalwart.plan", {"stalwart.verdict": "incomplete"}, "**incomplete**", "**incompleto**"),
        ("stalwart.plan", {"stalwart.verdict": "ambiguous"}, "**ambiguous**", "**ambíguo**"),
        (
            "chat m",
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": "m-1",
                "gen_ai.usage.input_tokens": 12,
                "gen_ai.usage.output_tokens": 3,
                "gen_ai.response.finish_reasons": ["end_turn"],
            },
            "12 tokens in, 3 out; stopped at `end_turn`",
            "12 tokens de entrada, 3 de saída; parou em `end_turn`",
        ),
        ("stalwart.tool_check", {"stalwart.outcome": "confirm"}, "has to confirm", "precisa"),
        ("stalwart.tool_check", {"stalwart.outcome": "allow"}, "**allowed**", "**permitida**"),
        ("stalwart.tool", {"gen_ai.tool.name": "t"}, "The tool `t` ran", "A ferramenta `t`"),
        ("stalwart.compensate", {"stalwart.undoes": 3}, "undo step 3", "desfazer o passo 3"),
        ("stalwart.compensate", {}, "as an undo", "para desfazer"),
        ("stalwart.rollback", {}, "was undone", "foi desfeita"),
        ("stalwart.rewind", {"stalwart.to_step": 1}, "to step 1", "ao passo 1"),
        ("stalwart.interrupt", {"stalwart.waits_for": "write"}, "Waits for: `write`", "Espera por"),
        ("stalwart.resume", {"stalwart.answer": "approve"}, "**approved**", "**aprovou**"),
        ("stalwart.resume", {"stalwart.answer": "decline"}, "**declined**", "**recusou**"),
        ("stalwart.resume", {}, "person's answer", "resposta de uma pessoa"),
        ("GET /", {"stalwart.violation": "cash >= 0"}, "Breaks: `cash >= 0`", "Viola: `cash >= 0`"),
    ],
)
def test_every_kind_of_span_is_explained_in_both_languages(
    name: str, attributes: dict[str, object], en: str, pt: str
) -> None:
    assert en in told(span(name, attributes))
    assert pt in told(span(name, attributes), PT_BR)


def test_a_span_that_failed_or_never_ended_says_so() -> None:
    assert "It **failed** with `TimeoutError`." in told(span("stalwart.tool", error="TimeoutError"))
    assert "It **failed**." in told(span("stalwart.tool", failed=True))
    assert "Its end is not recorded" in told(span("stalwart.tool", took=None))


def test_text_of_others_cannot_get_out_of_its_marks() -> None:
    said = told(
        span("stalwart.tool", {"gen_ai.tool.name": "a`b``c [x](y) \u202e\n# H" + "x" * 999})
    )
    assert "```" in said
    assert "\n# H" not in said
    assert "\u202e" not in said
    assert len(said) < 600


@pytest.mark.parametrize("text", ["", "not json", "[]", "{}", '{"type":"other"}', "\n\n", "\ufeff"])
def test_a_line_without_a_span_has_no_hover(text: str) -> None:
    for line in (0, 7):
        place = types.Position(line=line, character=3)
        assert span_and_around(text, "utf-16", place) is None
        assert named_at(text, "utf-16", place) is None


def test_of_a_line_of_otlp_the_span_that_is_pointed_at_is_meant() -> None:
    lines = (each.encode() for each in (CHECK, NODE, PLAN, ROOT))
    (run,) = gather_runs(s for s in read_spans(lines) if isinstance(s, Span))
    text = b"".join(write_messages(run)).decode()
    for id, tool in ((3, "refund_card"), (4, None)):
        at = text.index(f'"{id:016x}"') + 30
        found = span_and_around(text, "utf-16", types.Position(line=0, character=at))
        assert found is not None
        assert found[0].span_id == f"{id:016x}"
        assert found[0].attributes.get("gen_ai.tool.name") == tool
        assert found[1].thread == "balcão/ação 🦊"


# ------------------------------------------------------------ definition


def project(folder: Path) -> Project:
    made = Project()
    made.folders = (folder,)
    for path in folder.glob("*.yaml"):
        made.learn(path)
    return made


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        (CHECK, '"big-refund"', "  big-refund:"),
        (CHECK, '"stalwart.rule"', "  big-refund:"),
        (CHECK, '"shop.yaml"', "  big-refund:"),
        (CHECK, '"refund_card"', "  refund_card:"),
        (PLAN, '"charge_card.say.en[0]"', "    say: {en: [charge, bill]"),
        (
            PLAN,
            '"refund_card.say.pt-BR[1]"',
            "    say: {en: [refund], pt-BR",
        ),
        (CHECK, '"over 200"', None),
        (CHECK, '"rulebook"', None),
    ],
)
def test_definition_goes_to_the_rule_the_phrase_or_the_tool(
    tmp_path: Path, encoding: Encoding, line: str, text: str, expected: str | None
) -> None:
    (tmp_path / "shop.yaml").write_text(VOCABULARY, encoding="utf-8")
    trace = "\r\n".join((ROOT, line, NODE))
    at = line.index(text) + 3
    place = types.Position(line=1, character=units(line[:at], encoding))
    named = named_at(trace, encoding, place)
    if expected is None:
        assert named is None
        return
    assert named is not None
    if named.origin is not None:
        start = named.origin.start.character
        assert start == units(line[: line.index(text) + 1], encoding)
        assert named.origin.end.character == start + units(text[1:-1], encoding)
    (found,) = written_at(project(tmp_path), named, uri_of(tmp_path / "run.jsonl"))
    assert found.uri == uri_of(tmp_path / "shop.yaml")
    document = Document(found.uri, None, VOCABULARY)
    assert VOCABULARY.split("\n")[found.range.start.line].startswith(expected)
    where = document.offset(found.range.start), document.offset(found.range.end)
    assert VOCABULARY[where[0] : where[1]] in (
        *("big-refund", "refund_card", "charge", "devolver"),
    )


def test_a_rule_is_looked_for_in_its_file_first_and_by_its_name_last(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(VOCABULARY, encoding="utf-8")
    made = project(tmp_path)
    trace = uri_of(tmp_path / "deep" / "run.jsonl")
    (found,) = written_at(made, Named("rule", "big-refund", "b.yaml", 12), trace)
    assert found.uri == uri_of(tmp_path / "b.yaml")
    assert len(written_at(made, Named("rule", "big-refund", "gone.yaml", 12), trace)) == 2
    assert len(written_at(made, Named("rule", "big-refund"), trace)) == 2
    (by_line,) = written_at(made, Named("rule", "renamed", "b.yaml", 13), trace)
    assert by_line.range.start.line == 12
    assert written_at(made, Named("rule", "renamed", "b.yaml", 999), trace) == []
    (shipped,) = written_at(
        made, Named("rule", "no such", "stalwart_lang/vocabularies/shop.yaml", 1), trace
    )
    assert shipped.uri.endswith("/shop.yaml")


@pytest.mark.parametrize(
    "file", ["//host/share/shop.yaml", "\\\\host\\share\\shop.yaml", "/etc/passwd", "a\0.yaml", ""]
)
def test_a_trace_cannot_make_the_server_look_elsewhere(tmp_path: Path, file: str) -> None:
    assert written_at(project(tmp_path), Named("rule", "r", file, 1), uri_of(tmp_path / "r")) == []


# ------------------------------------------------------------ diagnostics


def test_the_first_error_and_violation_of_each_run_and_broken_lines_are_marked() -> None:
    broke = span("stalwart.node", {"stalwart.violation": "saldo é 🦊"}, id=8, start=5)
    again = span("stalwart.node", {"stalwart.violation": "later"}, id=9, start=9)
    lines = [
        span("stalwart.tool", {"gen_ai.tool.name": "t"}, id=3, parent=2, start=3, error="OSError"),
        span("stalwart.tool", {"gen_ai.tool.name": "u"}, id=4, parent=2, start=4, error="KeyError"),
        span("stalwart.node", id=2, parent=1, start=1, error="OSError"),
        "",
        again,
        "{broken 🦊",
        broke,
        span("stalwart.tool", id=5, trace="f" * 32, failed=True),
        '{"type":"span","trace_id":5}',
        '{"type":"metric"}',
        ROOT,
    ]
    text = "\r\n".join(lines) + "\r\n"
    for encoding in ENCODINGS:
        found = problems_of(text, encoding, EN)
        marked = []
        for each in found:
            line = lines[each.range.start.line]
            assert each.range.end.line == each.range.start.line
            parts = [line[:at] for at in range(len(line) + 1)]
            counted = [units(part, encoding) for part in parts]
            start = counted.index(each.range.start.character)
            end = counted.index(each.range.end.character)
            marked.append((each.range.start.line, each.code, line[start:end]))
        assert marked == [
            (0, "first-error", '{"type":"OSError"}'),
            (5, "broken-line", lines[5]),
            (6, "first-violation", '"saldo é 🦊"'),
            (7, "first-error", '"error"'),
            (8, "broken-line", lines[8]),
        ]
    assert found[0].message == "The first error of this run: t failed with OSError."
    assert found[1].message == "This line holds no record: it is not JSON."
    assert problems_of(text, "utf-8", PT_BR)[1].message == (
        "Esta linha não contém um registro: não é JSON."
    )


def test_a_line_that_is_being_written_is_no_error() -> None:
    (found,) = problems_of(ROOT + "\n" + NODE[:50], "utf-16", EN)
    assert found.severity == types.DiagnosticSeverity.Information
    assert "cut short" in found.message
    assert problems_of(ROOT + "\n" + NODE, "utf-16", EN) == []


def test_what_is_told_of_a_file_of_rubbish_is_bounded() -> None:
    assert len(problems_of("rubbish\n" * 5_000, "utf-16", EN)) == 100


def test_of_a_very_large_trace_the_beginning_is_looked_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("stalwart_lang.lsp.features.trace_diagnostics._CHARACTERS", 10 * len(CHECK))
    found = problems_of((CHECK + "\n") * 50, "utf-16", EN)
    assert [each.code for each in found] == ["unchecked"]
    assert found[0].range.start.line == 10


# ------------------------------------------------------------ symbols and lenses


def test_symbols_are_the_tree_of_spans() -> None:
    start = span("invoke_agent shop", id=1, took=None)
    text = "\n".join((start, CHECK, NODE, PLAN, ROOT)) + "\n"
    (root,) = symbols_of(text, EN)
    assert (root.name, root.detail, root.kind) == (
        "invoke_agent shop",
        "1.5 ms",
        types.SymbolKind.Module,
    )
    assert (root.range.start.line, root.range.end.line) == (0, 4)
    assert root.selection_range.start.line == 4
    node, plan = root.children or ()
    assert (node.name, node.detail) == ("node cobrança 🦊", "2.50 s")
    assert (node.range.start.line, node.range.end.line) == (1, 2)
    assert (plan.name, plan.detail) == ("stalwart.plan", "read · 1.5 ms")
    (check,) = node.children or ()
    assert check.detail == "refuse [big-refund] · 1.5 ms"


def test_symbols_of_circles_and_of_deep_trees_are_bounded() -> None:
    circle = "\n".join(span("a", id=a, parent=b, start=a) for a, b in ((1, 2), (2, 1), (3, 3)))
    assert sorted(_count(tree) for tree in symbols_of(circle, EN)) == [1, 2]
    deep = "\n".join(span("a", id=n, parent=n - 1 or None) for n in range(1, 3_000))
    (tree,) = symbols_of(deep, EN)
    assert _count(tree) == 2_999
    assert _depth(tree) == DEEPEST + 1


def test_symbols_of_a_large_trace_are_its_first_spans_and_say_so() -> None:
    text = "\n".join(span("a", id=n) for n in range(1, SPANS + 200)) + "\n"
    found = symbols_of(text, PT_BR)
    assert len(found) == SPANS + 1
    assert found[-1].name == "… só os primeiros 5000 trechos estão na lista"
    assert found[-1].range.start.line == SPANS - 1
    (lens,) = lenses_of(text, "file:///run.jsonl", EN)
    assert lens.command is not None
    assert lens.command.title == "Open timeline · completed"


def test_each_run_has_a_lens_on_its_first_line_that_tells_its_outcome() -> None:
    other = "f" * 32
    text = "\n".join(
        (
            CHECK,
            span("invoke_agent x", id=11, trace=other, took=None),
            NODE,
            span("stalwart.interrupt", id=21, trace="e" * 32),
            ROOT,
            span("invoke_agent x", id=11, trace=other, error="TimeoutError"),
            span("stalwart.tool", id=31, trace="d" * 32, took=None),
        )
    )
    found = [
        (lens.range.start.line, lens.command.title, lens.command.arguments)
        for lens in lenses_of(text, "file:///run.jsonl", EN)
        if lens.command is not None
    ]
    assert [line for line, _, _ in found] == [0, 1, 3, 6]
    assert [title.split(" · ")[1] for _, title, _ in found] == [
        "completed",
        "failed: TimeoutError",
        "waits for a person",
        "its end is not recorded",
    ]
    assert found[0][1] == "Open timeline · completed · 3 spans · 3.50 s"
    assert found[1][2] == ["file:///run.jsonl", other]


def _count(tree: types.DocumentSymbol) -> int:
    return 1 + sum(map(_count, tree.children or ()))


def _depth(tree: types.DocumentSymbol) -> int:
    return 1 + max(map(_depth, tree.children or ()), default=0)


# ------------------------------------------------------------ lines


@pytest.mark.parametrize("piece", [3, 7, 2**20])
@pytest.mark.parametrize(
    "text",
    ["", "a", "a\n", "a\r\nb\r\n", "a\rb\r\r\nc", "\n\n\r\n", "a\u2028b\nção🦊\r\n\x0cx\x85y\n\rz"],
)
def test_lines_break_as_in_the_protocol(
    monkeypatch: pytest.MonkeyPatch, piece: int, text: str
) -> None:
    monkeypatch.setattr("stalwart_lang.lsp.traces.reading._PIECE", piece)
    document = Document("file:///a", None, text)
    expected = [document.line_span(number) for number in range(document.line_count)]
    known = []
    for number in range(document.line_count):
        found = line_at(text, number)
        assert found is not None
        known.append(found)
        assert (found.start, found.start + len(found.text)) == expected[number]
    assert line_at(text, document.line_count) is None
    assert [*lines_of(text)] == [each for each in known if each.start < len(text)]
    for a in known:
        for b in known:
            assert number_at(text, b.start, a) == b.number


def test_words_are_whole_in_both_languages() -> None:
    assert words_of(None) is words_of("fr") is EN
    assert words_of("pt-BR") is PT_BR
    for name in Words.__slots__:
        a, b = getattr(EN, name), getattr(PT_BR, name)
        assert type(a) is type(b)
        if isinstance(a, dict) and name != "broken":
            assert a.keys() == b.keys()
    assert Configuration({"language": "pt-BR"}).language == "pt-BR"
