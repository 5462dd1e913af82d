"""Recorded traces as the server follows them: found, read as they grow, and counted."""

import json
import os
import threading
import tracemalloc
from collections.abc import Iterable
from pathlib import Path

import pytest

from stalwart_lang.lsp.traces.finding import Places, looks_like_a_trace
from stalwart_lang.lsp.traces.following import Follower, Progress
from stalwart_lang.lsp.traces.index import TraceIndex
from stalwart_lang.lsp.traces.tally import LATEST, Counts
from stalwart_lang.timeline.otlp import write_messages
from stalwart_lang.timeline.records import Span, read_spans
from stalwart_lang.timeline.runs import gather_runs
from stalwart_lang.tracing import JsonLinesTracer
from stalwart_lang.tracing.spans import tool_check

TRACE = "0af7651916cd43dd8448eb211c80319c"


def check(
    outcome: str = "allow",
    *,
    rule: str | None = "big-refund",
    tool: str = "refund_card",
    second: int = 0,
    trace: str = TRACE,
    **more: object,
) -> bytes:
    attributes = {
        "gen_ai.tool.name": tool,
        "stalwart.outcome": outcome,
        "stalwart.decided_by": "rulebook",
        "stalwart.reasons": ["no supervisor_approved"],
        "stalwart.labels": ["outside"],
        **({} if rule is None else {"stalwart.rule": rule}),
        **more,
    }
    return record("stalwart.tool_check", attributes, second, trace)


def record(name: str, attributes: dict[str, object], second: int = 0, trace: str = TRACE) -> bytes:
    line = {
        "type": "span",
        "trace_id": trace,
        "span_id": f"{second:016x}",
        "parent_id": None,
        "name": name,
        "start": f"2026-11-30T09:{second // 60 % 60:02}:{second % 60:02}.000000Z",
        "end": "2026-11-30T10:00:00.000000Z",
        "duration_ms": 0.05,
        "status": "ok",
        "error": None,
        "attributes": attributes,
        "events": [],
    }
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


class Followed:
    """A follower whose rounds the test takes itself, and what it told."""

    def __init__(self, *folders: Path, patterns: tuple[str, ...] = ("**/*.jsonl",)) -> None:
        self.index = TraceIndex()
        self.told: list[tuple[str, str]] = []
        self.progress: list[Progress] = []
        self.follower = Follower(
            self.index,
            Places(folders, patterns),
            tell=lambda trouble, about, _reason: self.told.append((trouble, about)),
            on_progress=self.progress.append,
        )

    def look(self, *paths: Path) -> "Followed":
        self.follower.changed(paths)
        self.follower.take_a_round()
        return self

    def rule(self, name: str = "big-refund", file: str | None = None) -> Counts:
        return self.index.of_rule(name, file).counts


def lines(decisions: Iterable[bytes]) -> bytes:
    return b"".join(decisions)


# ------------------------------------------------------------ what is counted


def test_checks_are_counted_by_rule_and_tool_and_told_newest_first(tmp_path: Path) -> None:
    outcomes = ["allow"] * 30 + ["confirm", "refuse", "refuse"]
    root = record("invoke_agent shop", {"gen_ai.conversation.id": "desk/u-17"}, 99)
    (tmp_path / "run.jsonl").write_bytes(
        lines(check(outcome, second=n) for n, outcome in enumerate(outcomes)) + root
    )
    found = Followed(tmp_path).look().index
    rule = found.of_rule("big-refund")
    assert rule.counts == Counts(allow=30, confirm=1, refuse=2)
    assert found.of_tool("refund_card") == rule
    assert len(rule.latest) == LATEST
    last = rule.latest[0]
    assert (last.outcome, last.rule, last.decided_by) == ("refuse", "big-refund", "rulebook")
    assert (last.reasons, last.labels) == (("no supervisor_approved",), ("outside",))
    assert (last.thread, last.trace_id, last.span_id) == ("desk/u-17", TRACE, f"{32:016x}")
    assert (last.path, last.line) == (str(tmp_path / "run.jsonl"), 32)
    with (tmp_path / "run.jsonl").open("rb") as stream:
        stream.seek(last.offset)
        assert json.loads(stream.readline())["span_id"] == last.span_id
    assert [each.time.second for each in rule.latest[:3]] == [32, 31, 30]
    assert last.time.isoformat() == "2026-11-30T09:00:32+00:00"


def test_what_is_not_recorded_counts_nothing() -> None:
    index = TraceIndex()
    assert not index.of_rule("big-refund")
    assert index.of_tool("refund_card").counts.total == 0
    assert index.of_phrase("refund_card.say.en[0]").latest == ()


def test_plans_are_counted_by_phrase_and_by_verdict(tmp_path: Path) -> None:
    phrase = "charge_card.say.en[0]"
    plans = [
        ("read", [phrase, phrase], [], "shop"),
        ("ambiguous", [phrase, "refund_card.say.en[0]"], [], "shop"),
        ("unread", [], ["negation"], "shop"),
        ("read", [phrase], [], "bank"),
    ]
    (tmp_path / "run.jsonl").write_bytes(
        lines(
            record(
                "stalwart.plan",
                {
                    "stalwart.verdict": verdict,
                    "stalwart.rules": rules,
                    "stalwart.reasons": reasons,
                    "stalwart.vocabulary": vocabulary,
                    "stalwart.language": "en",
                },
                second,
            )
            for second, (verdict, rules, reasons, vocabulary) in enumerate(plans)
        )
    )
    index = Followed(tmp_path).look().index
    assert index.of_phrase(phrase, "shop").counts == Counts(read=1, ambiguous=1)
    assert index.of_phrase(phrase).counts == Counts(read=2, ambiguous=1)
    assert index.of_phrase(phrase, "hotel").counts == Counts()
    assert index.of_plans("shop").counts == Counts(read=1, ambiguous=1, unread=1)
    assert index.of_plans("shop").latest[0].reasons == ("negation",)
    assert index.of_plans().counts.total == 4


def test_a_rule_is_that_of_its_file_where_the_trace_tells_it(tmp_path: Path) -> None:
    told = [
        ("refuse", "vocabularies/shop.yaml"),
        ("refuse", "/elsewhere/app/vocabularies/shop.yaml"),
        ("allow", "old/shop.yaml"),
        ("confirm", "bank.yaml"),
    ]
    (tmp_path / "run.jsonl").write_bytes(
        lines(
            check(outcome, second=n, **{"stalwart.rule_file": file, "stalwart.rule_line": 3})
            for n, (outcome, file) in enumerate(told)
        )
        + check("allow", second=9)
    )
    found = Followed(tmp_path).look()
    assert found.rule(file="/home/u/app/vocabularies/shop.yaml") == Counts(allow=1, refuse=1)
    assert found.rule(file="/home/u/old/shop.yaml") == Counts(allow=2)
    assert found.rule(file="C:\\bank.yaml") == Counts(allow=1, confirm=1)
    assert found.rule(file="/home/u/another.yaml").total == 5
    assert found.rule().total == 5
    assert found.index.of_rule("big-refund").latest[-1].rule_line == 3


def test_only_the_ends_of_checks_count_and_content_does_not_pass_for_one(tmp_path: Path) -> None:
    opened = check().replace(b'"type":"span"', b'"type":"start"')
    other = record("stalwart.tool", {"stalwart.arguments": '{"name":"stalwart.tool_check"}'}, 1)
    undecided = record("stalwart.tool_check", {"gen_ai.tool.name": "refund_card"}, 2)
    unknown = check("perhaps", second=3)
    (tmp_path / "run.jsonl").write_bytes(opened + other + undecided + unknown + check(second=4))
    assert Followed(tmp_path).look().index.of_tool("refund_card").counts == Counts(allow=1)


def test_what_our_tracer_and_opentelemetry_write_counts_alike(tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    theirs = tmp_path / "theirs"
    for folder in (ours, theirs):
        folder.mkdir()
    with JsonLinesTracer(ours / "run.jsonl") as tracer, tracer.run("shop", thread="desk/u-17"):
        for outcome in ("allow", "refuse"):
            with tool_check(tracer, "charge_card", {"order_id": 4411}) as checked:
                checked.decided(outcome, "order", rule="refund-after-charge", reasons=["só depois"])
    with (ours / "run.jsonl").open("rb") as stream:
        spans = [span for span in read_spans(stream) if isinstance(span, Span)]
    (run,) = gather_runs(spans)
    (theirs / "run.jsonl").write_bytes(lines(write_messages(run)))
    a, b = (
        Followed(folder).look().index.of_rule("refund-after-charge") for folder in (ours, theirs)
    )
    assert a.counts == b.counts == Counts(allow=1, refuse=1)
    assert [each.reasons for each in b.latest] == [("só depois",)] * 2
    assert {each.thread for each in (*a.latest, *b.latest)} == {"desk/u-17"}
    assert "4411" not in repr(a)


def test_values_of_other_types_and_broken_lines_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_bytes(
        check(second=1)
        + check(second=2, **{"stalwart.reasons": "one", "stalwart.labels": [1, None]})
        + check(rule=None, second=3)
        + check(second=4)[:-30]
        + b"\n"
        + b'{"name":"stalwart.tool_check"}\n'
        + b"\xff\xfe stalwart.tool_check \xff\n"
        + check(second=5, **{"stalwart.rule": 5})
    )
    found = Followed(tmp_path).look()
    assert found.rule() == Counts(allow=2)
    assert found.index.of_tool("refund_card").counts == Counts(allow=4)
    assert found.index.of_rule("big-refund").latest[0].reasons == ("one",)


# ------------------------------------------------------------ as files grow


def test_a_line_counts_once_it_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    first, second = check(second=1), check(second=2)
    file.write_bytes(first + second[:40])
    found = Followed(tmp_path).look()
    assert found.rule().total == 1
    for end in (60, len(second) - 10):
        file.write_bytes(first + second[:end])
        assert found.look().rule().total == 1
    file.write_bytes(first + second)
    assert found.look().rule().total == 2
    assert found.look().rule().total == 2


def test_a_last_line_without_an_end_counts_and_counts_once(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(check(second=1) + check(second=2).rstrip())
    found = Followed(tmp_path).look().look()
    assert found.rule().total == 2
    with file.open("ab") as stream:
        stream.write(b"\n" + check(second=3))
    assert found.look().rule().total == 3
    assert [each.line for each in found.index.of_rule("big-refund").latest] == [2, 1, 0]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_places_are_right_over_block_ends_and_behind_a_byte_order_mark(
    tmp_path: Path, end: bytes
) -> None:
    file = tmp_path / "run.jsonl"
    noise = record("chat m", {"stalwart.message": "ação 🦊 " * 50}).rstrip() + end
    content = b"\xef\xbb\xbf"
    for n in range(400):
        content += noise + check(second=n).rstrip() + end
    file.write_bytes(content)
    found = Followed(tmp_path).look().index.of_rule("big-refund")
    assert found.counts.total == 400
    for each in found.latest:
        assert content[each.offset :].startswith(b'{"type":"span"')
        assert content[: each.offset].count(b"\n") == each.line
        assert json.loads(content.split(b"\n")[each.line])["span_id"] == each.span_id


def test_a_file_cut_short_or_written_anew_is_counted_anew(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(lines(check("refuse", second=n) for n in range(5)))
    found = Followed(tmp_path).look()
    assert found.rule() == Counts(refuse=5)
    file.write_bytes(check("allow", second=7))
    assert found.look().rule() == Counts(allow=1)
    file.unlink()
    file.write_bytes(lines(check("confirm", second=n, trace="f" * 32) for n in range(9)))
    assert found.look(file).rule() == Counts(confirm=9)
    file.unlink()
    assert found.look().rule() == Counts()
    assert not found.index.of_rule("big-refund").latest


def test_rotation_loses_nothing_and_counts_nothing_twice(tmp_path: Path) -> None:
    tracer = JsonLinesTracer(tmp_path / "run.jsonl", max_bytes=4_000)
    found = Followed(tmp_path)
    for number in range(60):
        with tool_check(tracer, "charge_card", {}) as checked:
            checked.decided("allow", "default", rule=f"r-{number % 2}")
        if number % 7 == 0:
            found.look()
    tracer.close()
    found.look().look()
    assert len([*tmp_path.iterdir()]) > 3
    assert found.index.of_tool("charge_card").counts == Counts(allow=60)
    assert len({each.span_id for each in found.index.of_tool("charge_card").latest}) == LATEST
    for each in found.index.of_tool("charge_card").latest:
        told = Path(each.path).read_bytes().split(b"\n")[each.line]
        assert each.span_id.encode() in told


def test_a_removed_backup_takes_its_counts_and_leaves_the_latest_of_others(tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_bytes(lines(check("allow", second=n) for n in range(30)))
    new.write_bytes(lines(check("refuse", second=100 + n) for n in range(30)))
    found = Followed(tmp_path).look()
    assert {each.outcome for each in found.index.of_rule("big-refund").latest} == {"refuse"}
    new.unlink()
    rule = found.look().index.of_rule("big-refund")
    assert rule.counts == Counts(allow=30)
    assert [each.time.second for each in rule.latest] == [*range(29, 9, -1)]


def test_those_who_subscribed_hear_of_changes_only(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(check())
    found = Followed(tmp_path)
    heard: list[int] = []
    end = found.index.subscribe(lambda: heard.append(found.index.version))
    found.look()
    assert len(heard) == 1
    found.look()
    assert len(heard) == 1
    end()
    assert found.index.version > 0


# ------------------------------------------------------------ which files


def test_only_files_that_look_like_ours_are_read(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_bytes(check())
    (tmp_path / "turns.jsonl").write_bytes(b'{"turn": "x"}\n' * 9 + check())
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "run.json").write_bytes(check())
    for ignored in ("node_modules", ".git", ".venv", "venv"):
        (tmp_path / ignored / "deep").mkdir(parents=True)
        (tmp_path / ignored / "deep" / "run.jsonl").write_bytes(check())
    (tmp_path / "logs" / "deep").mkdir(parents=True)
    (tmp_path / "logs" / "deep" / "run.jsonl").write_bytes(check())
    (tmp_path / "around").symlink_to(tmp_path)
    found = Followed(tmp_path).look()
    assert found.rule().total == 2
    (tmp_path / "empty.jsonl").write_bytes(check())
    assert found.look().rule().total == 3
    assert found.told == []


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (("logs/*.jsonl",), {"logs/a.jsonl"}),
        (("./logs/**/*.{jsonl,log}",), {"logs/a.jsonl", "logs/deep/c.jsonl", "logs/deep/d.log"}),
        (("**/?.jsonl", "!**/deep/**"), {"logs/a.jsonl", "b.jsonl"}),
        (("**/[a-b].jsonl",), {"logs/a.jsonl", "b.jsonl"}),
        ((".hidden/**/*.jsonl",), {".hidden/x/e.jsonl"}),
        (("b.jsonl", "nowhere/*.jsonl", "[z-a].jsonl"), {"b.jsonl"}),
        (("../*/b.jsonl",), {"b.jsonl"}),
    ],
)
def test_patterns_are_globs_of_the_workspace(
    tmp_path: Path, patterns: tuple[str, ...], expected: set[str]
) -> None:
    folder = tmp_path / "my [odd] (folder)"
    for name in ("b.jsonl", "logs/a.jsonl", "logs/deep/c.jsonl", "logs/deep/d.log"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    (folder / ".hidden" / "x").mkdir(parents=True)
    (folder / ".hidden" / "x" / "e.jsonl").touch()
    told: list[str] = []
    places = Places((folder,), patterns)
    found = {*places.files(told.append, lambda: None)}
    assert {path.relative_to(folder).as_posix() for path in found} == expected
    assert all(places.match(path) for path in found)
    assert not places.match(folder / "other" / "node_modules" / "b.jsonl")
    absolute = Places((), (f"{tmp_path.as_posix()}/my*/b.jsonl",))
    assert [*absolute.files(told.append, lambda: None)] == [folder / "b.jsonl"]
    assert told == []


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"", None),
        (check()[:50], None),
        (check(), True),
        (b"\n\n" + check(), True),
        (check().rstrip(), True),
        (b"\xef\xbb\xbf" + check(), True),
        (check()[20:] + check(), True),
        (b'{"resourceSpans":[]}\n', True),
        (b'{"resourceSpans":[' + b"1," * 5000, True),
        (b'{"type":"span"}\n', False),
        (b'{"turn":"x"}\n' * 9 + check(), False),
        (b"[" * 9000 + b"\n", False),
        (b"\x00" * 9000, False),
    ],
)
def test_the_first_lines_tell_whether_a_file_is_a_trace(head: bytes, expected: bool | None) -> None:
    assert looks_like_a_trace(head) is expected


def test_places_can_change_and_what_is_no_longer_there_is_taken_back(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.jsonl").write_bytes(check(rule=name))
    found = Followed(tmp_path / "a").look()
    assert (found.rule("a").total, found.rule("b").total) == (1, 0)
    found.follower.move(Places((tmp_path / "b",)))
    found.look()
    assert (found.rule("a").total, found.rule("b").total) == (0, 1)


def test_what_is_no_file_with_a_traces_name_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loop.jsonl").symlink_to(tmp_path / "loop.jsonl")
    (tmp_path / "good.jsonl").write_bytes(check())
    (tmp_path / "again.jsonl").symlink_to(tmp_path / "good.jsonl")
    found = Followed(tmp_path).look().look()
    assert found.rule().total == 1
    assert found.told == []


def test_what_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.symlink_to("/proc/self/mem")  # an error when it is read, even to who may read all
    (tmp_path / "good.jsonl").write_bytes(check())
    found = Followed(tmp_path).look()
    for _ in range(12):
        found.look(file)
    assert found.rule().total == 1
    assert found.told == [("unreadable", str(file))]


def test_a_folder_of_many_files_ends_the_search_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stalwart_lang.lsp.traces.finding._ENTRIES_OF_A_FOLDER", 50)
    monkeypatch.setattr("stalwart_lang.lsp.traces.finding._ENTRIES", 200)
    (tmp_path / "many").mkdir()
    (tmp_path / "other").mkdir()
    for number in range(60):
        (tmp_path / "many" / f"{number}.txt").touch()
    (tmp_path / "other" / "run.jsonl").write_bytes(check())
    found = Followed(tmp_path).look()
    assert found.rule().total == 1
    assert found.told == [("many_entries", str(tmp_path / "many"))]


# ------------------------------------------------------------ how much of it


def test_a_large_trace_takes_little_memory_and_shows_how_far_it_is(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    with file.open("wb") as stream:
        for trace in range(2_000):
            identity = f"{trace:032x}"
            for n in range(10):
                rule = f"rule-{(trace + n) % 12}"
                stream.write(check(second=trace % 3000, trace=identity, rule=rule))
            stream.write(
                record("invoke_agent a", {"gen_ai.conversation.id": identity}, 1, identity)
            )
    found = Followed(tmp_path)
    tracemalloc.start()
    try:
        found.look()
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.index.of_tool("refund_card").counts.total == 20_000
    assert peak < 8_000_000
    assert now < 4_000_000
    assert found.progress[-1] == Progress(file.stat().st_size, file.stat().st_size, 1, done=True)
    assert all(each.thread == each.trace_id for each in found.index.of_rule("rule-3").latest)


def test_names_without_end_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stalwart_lang.lsp.traces.tally._KEYS", 500)
    monkeypatch.setattr("stalwart_lang.lsp.traces.tally._ENTRIES", 600)
    (tmp_path / "run.jsonl").write_bytes(
        lines(check(rule=f"r{n % 900}", second=n) for n in range(3000))
    )
    found = Followed(tmp_path).look()
    assert found.told == [("many_names", "")]
    assert found.rule("r0").total == 4
    assert found.rule("r899").total == 0
    kept = sum(len(found.index.of_rule(f"r{n}").latest) for n in range(900))
    assert 0 < kept <= 600


def test_a_line_without_end_is_not_held(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    with file.open("wb") as stream:
        stream.write(check(second=1))
        stream.write(b'{"type":"span","name":"stalwart.tool_check","x":"')
        for _ in range(9):
            stream.write(b"x" * 2**20)
        stream.write(b'"}\n' + check(second=2))
    found = Followed(tmp_path).look()
    assert found.rule() == Counts(allow=2)
    last = found.index.of_rule("big-refund").latest[0]
    assert last.line == 2
    assert file.read_bytes()[last.offset :] == check(second=2)


def test_the_thread_follows_by_itself_and_ends_when_told(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(check())
    found = Followed(tmp_path)
    came = threading.Event()
    found.index.subscribe(came.set)
    found.follower.start()
    try:
        assert came.wait(10)
        came.clear()
        with file.open("ab") as stream:
            stream.write(check(second=1))
        assert came.wait(10)
        assert found.rule().total == 2
    finally:
        found.follower.stop()
    assert not [each for each in threading.enumerate() if each.name == "stalwart-traces"]
