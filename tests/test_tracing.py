import asyncio
import hashlib
import hmac
import json
import re
import signal
import struct
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from itertools import count
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stalwart_lang import Selector, Vocabulary
from stalwart_lang.tracing import JsonLinesTracer, attributes
from stalwart_lang.tracing.canonical import canonical_json

TURN = "charge order 4411 40.00"
RECORD_KEYS = [
    *("type", "trace_id", "span_id", "parent_id", "name", "start", "end", "duration_ms"),
    *("status", "error", "attributes", "events"),
]


@dataclass
class Customer:
    email: str


class Mailbox(Enum):
    ANA = "ana@x.com"


class Dumped:
    """As a model of pydantic is read."""

    def model_dump(self) -> dict[str, str]:
        return {"email": "ana@x.com"}


def records(path: Path) -> list[dict]:
    text = path.read_text("utf-8")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def ended(path: Path) -> dict[str, dict]:
    return {record["name"]: record for record in records(path) if record["type"] == "span"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


@pytest.fixture
def tracer(path: Path):
    with JsonLinesTracer(path) as tracer:
        yield tracer


class TestRecord:
    def test_a_span_is_one_line_as_it_opens_and_one_as_it_closes(self, tracer, path):
        with tracer.span("stalwart.node", {"at": "start"}) as span:
            (start,) = records(path)
            span.set_attributes({"at": "end", "labels": ["pii", "café"]})
            span.add_event("stalwart.decision", {"stalwart.outcome": "allow"})
        first, last = records(path)
        assert first == start
        assert list(start) == [*RECORD_KEYS[:6], "attributes"]
        assert start["type"] == "start"
        assert start["attributes"] == {"at": "start"}
        assert list(last) == RECORD_KEYS
        assert last["type"] == "span"
        assert last["status"] == "ok"
        assert last["error"] is None
        assert last["parent_id"] is None
        assert last["attributes"] == {"at": "end", "labels": ["pii", "café"]}
        (event,) = last["events"]
        assert list(event) == ["name", "time", "attributes"]
        assert event["name"] == "stalwart.decision"
        assert last["start"] <= event["time"] <= last["end"]
        assert re.fullmatch("[0-9a-f]{32}", last["trace_id"])
        assert re.fullmatch("[0-9a-f]{16}", last["span_id"])
        for field in ("trace_id", "span_id", "parent_id", "name", "start"):
            assert start[field] == last[field]

    def test_times_are_rfc_3339_in_utc_and_agree_with_the_duration(self, tracer, path):
        with tracer.span("a"):
            pass
        record = ended(path)["a"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", record["start"])
        lasted = datetime.fromisoformat(record["end"]) - datetime.fromisoformat(record["start"])
        assert lasted.total_seconds() * 1000 == pytest.approx(record["duration_ms"], abs=0.003)

    def test_text_is_utf_8_and_not_escaped(self, tracer, path):
        with tracer.span("a", {"turn": "cobre o pedido nº 4411, já"}):
            pass
        assert "cobre o pedido nº 4411, já".encode() in path.read_bytes()

    @pytest.mark.parametrize(
        ("value", "written"),
        [
            ("\ud800 x", "\\ud800 x"),
            (float("nan"), "nan"),
            (float("-inf"), "-inf"),
            (2**70, str(2**70)),
            (2**63 - 1, 2**63 - 1),
            ("\x1b[2J\n\u2028", "\x1b[2J\n\u2028"),
            (True, True),
            (["a", "\udfff"], ["a", "\\udfff"]),
        ],
    )
    def test_a_value_that_json_cannot_hold_is_written_as_text(self, tracer, path, value, written):
        with tracer.span("a", {"value": value}):
            pass
        assert ended(path)["a"]["attributes"] == {"value": written}


class TestNesting:
    def test_a_span_is_below_the_one_that_is_open(self, tracer, path):
        with tracer.span("run"):
            with tracer.span("first"):
                pass
            with tracer.span("second"):
                pass
        with tracer.span("other"):
            pass
        run, first, second, other = (ended(path)[n] for n in ("run", "first", "second", "other"))
        assert first["parent_id"] == second["parent_id"] == run["span_id"]
        assert first["trace_id"] == second["trace_id"] == run["trace_id"] != other["trace_id"]
        assert other["parent_id"] is None

    def test_tasks_do_not_become_each_others_children(self, tracer, path):
        async def step(name: str) -> None:
            with tracer.span(name):
                await asyncio.sleep(0)
                with tracer.span(f"{name}.inner"):
                    await asyncio.sleep(0)

        async def run() -> None:
            with tracer.span("run"):
                await asyncio.gather(*(step(f"s{i}") for i in range(5)))

        asyncio.run(run())
        spans = ended(path)
        for i in range(5):
            assert spans[f"s{i}"]["parent_id"] == spans["run"]["span_id"]
            assert spans[f"s{i}.inner"]["parent_id"] == spans[f"s{i}"]["span_id"]

    def test_a_generator_closed_in_another_context_ends_its_span(self, tracer, path):
        async def stream():
            with tracer.span("stream"):
                yield 1
                yield 2

        async def first_of(generator) -> int:
            return await anext(generator)

        async def run() -> None:
            generator = stream()
            assert await asyncio.create_task(first_of(generator)) == 1
            await generator.aclose()

        asyncio.run(run())
        assert ended(path)["stream"]["error"] == {"type": "GeneratorExit"}


class TestErrors:
    def test_only_the_type_of_an_error_is_kept_and_it_goes_on(self, tracer, path):
        with pytest.raises(RuntimeError, match="529"), tracer.span("tool"):
            raise RuntimeError("CPF 529.982.247-25 is refused")
        with pytest.raises(json.JSONDecodeError), tracer.span("parse"):
            json.loads("{")
        spans = ended(path)
        assert spans["tool"]["status"] == "error"
        assert spans["tool"]["error"] == {"type": "RuntimeError"}
        assert spans["parse"]["error"] == {"type": "json.decoder.JSONDecodeError"}
        # Ids and times are chance digits; these are not.
        assert "CPF" not in path.read_text()
        assert "982.247-25" not in path.read_text()

    def test_an_error_that_was_handled_can_be_recorded(self, tracer, path):
        with tracer.span("tool") as span:
            span.record_error(KeyError("x"))
        assert ended(path)["tool"]["error"] == {"type": "KeyError"}


class TestFile:
    def test_it_is_appended_to(self, path):
        for name in ("a", "b"):
            with JsonLinesTracer(path) as tracer, tracer.span(name):
                pass
        assert list(ended(path)) == ["a", "b"]

    def test_a_line_that_was_cut_short_does_not_spoil_the_next(self, path):
        path.write_text('{"type": "span", "trace')
        with JsonLinesTracer(path) as tracer, tracer.span("a"):
            pass
        first, *rest = path.read_text().splitlines()
        assert first == '{"type": "span", "trace'
        assert [json.loads(line)["type"] for line in rest] == ["start", "span"]

    @pytest.mark.parametrize("place", ["missing/run.jsonl", "."])
    def test_a_file_that_cannot_be_opened_is_told_once(self, tmp_path, caplog, place):
        with JsonLinesTracer(tmp_path / place) as tracer:
            for _ in range(3):
                with tracer.span("a"):
                    pass
        (warning,) = caplog.records
        assert warning.levelname == "WARNING"
        assert str(tmp_path) in warning.getMessage()

    def test_a_disk_that_is_full_is_told_once(self, caplog):
        with JsonLinesTracer("/dev/full") as tracer:
            for _ in range(3):
                with tracer.span("a"):
                    pass
        (warning,) = caplog.records
        assert "No space left" in warning.getMessage()

    def test_nothing_is_written_after_it_is_closed(self, path):
        tracer = JsonLinesTracer(path)
        with tracer.span("a"):
            tracer.close()
            tracer.close()
        assert [record["type"] for record in records(path)] == ["start"]

    def test_threads_and_processes_share_a_file(self, path):
        work = (
            "import sys; from stalwart_lang.tracing import JsonLinesTracer\n"
            "tracer = JsonLinesTracer(sys.argv[1])\n"
            "for i in range(100):\n"
            "    with tracer.span('p', {'filler': 'x' * 300}): pass\n"
        )
        others = [subprocess.Popen([sys.executable, "-c", work, path]) for _ in range(2)]

        def spans(_: int) -> None:
            for _ in range(50):
                with tracer.span("t", {"filler": "y" * 5000}):
                    pass

        with JsonLinesTracer(path) as tracer, ThreadPoolExecutor(4) as pool:
            list(pool.map(spans, range(4)))
        assert [other.wait() for other in others] == [0, 0]
        written = records(path)
        assert len(written) == 2 * (2 * 100 + 4 * 50)
        assert len({record["span_id"] for record in written}) == len(written) // 2

    def test_a_killed_process_leaves_what_was_open(self, path):
        work = (
            "import os, signal, sys; from stalwart_lang.tracing import JsonLinesTracer\n"
            "tracer = JsonLinesTracer(sys.argv[1])\n"
            "with tracer.span('run'):\n"
            "    with tracer.span('done'): pass\n"
            "    os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        killed = subprocess.run([sys.executable, "-c", work, path], check=False)
        assert killed.returncode == -signal.SIGKILL
        assert [(r["type"], r["name"]) for r in records(path)] == [
            ("start", "run"),
            ("start", "done"),
            ("span", "done"),
        ]


class TestContent:
    def written(self, path: Path, value: object, name: str = "stalwart.turn", **options) -> dict:
        with JsonLinesTracer(path, **options) as tracer, tracer.span("a", content={name: value}):
            pass
        return records(path)[-1]["attributes"]

    def test_a_digest_stands_in_by_default(self, path):
        expected = hashlib.sha256(f'"{TURN}"'.encode()).hexdigest()[:16]
        assert self.written(path, TURN) == {"stalwart.turn_digest": expected}

    def test_a_keyed_digest_needs_the_key(self, path):
        expected = hmac.new(b"secret", f'"{TURN}"'.encode(), "sha256").hexdigest()[:16]
        held = self.written(path, TURN, digest_key=b"secret")
        key_id = held.pop("stalwart.digest_key_id")
        assert held == {"stalwart.turn_digest": expected}
        again = self.written(path, "another turn", digest_key=b"secret")
        assert again["stalwart.digest_key_id"] == key_id
        other = self.written(path, TURN, digest_key=b"another")
        assert other["stalwart.digest_key_id"] != key_id

    def test_captured_content_is_the_value(self, path):
        assert self.written(path, TURN, capture_content=True) == {"stalwart.turn": TURN}
        value = {"b": 1, "a": [None, 2.5]}
        assert self.written(path, value, "stalwart.arguments", capture_content=True) == {
            "stalwart.arguments": '{"b":1,"a":[null,2.5]}'
        }

    def test_captured_content_is_redacted(self, path):
        turn = "cobre o pedido 4411 do CPF 529.982.247-25"
        held = self.written(path, turn, capture_content=True)
        assert held == {"stalwart.turn": "cobre o pedido 4411 do CPF [CPF]"}

    @pytest.mark.parametrize(
        "value",
        [
            Customer("ana@x.com"),
            [Customer("ana@x.com")],
            PurePosixPath("/home/ana@x.com"),
            b"ana@x.com",
            Mailbox.ANA,
            Dumped(),
        ],
    )
    def test_nothing_of_an_object_passes_by_the_redaction(self, path, value):
        held = self.written(path, value, "stalwart.result", capture_content=True)
        assert "[EMAIL]" in held["stalwart.result"]
        assert "ana" not in str(held)

    def test_a_redaction_of_the_authors_own(self, path):
        held = self.written(path, TURN, capture_content=True, redact=lambda value: len(value))
        assert held == {"stalwart.turn": str(len(TURN))}
        assert self.written(path, TURN, capture_content=True, redact=None) == {
            "stalwart.turn": TURN
        }

    @pytest.mark.parametrize("redact", [True, None])
    def test_what_is_too_long_for_a_line_is_a_digest(self, path, redact):
        longest = "a " * 2**19
        held = self.written(path, longest, capture_content=True, redact=redact)
        assert held == {"stalwart.turn": longest}
        for value in (longest + "b", [longest]):
            held = self.written(path, value, capture_content=True, redact=redact)
            assert list(held) == ["stalwart.turn_digest"]

    def test_a_redaction_that_fails_leaves_a_digest_and_is_reported(self, path, caplog):
        def broken(value: object) -> object:
            raise RuntimeError(value)

        held = self.written(path, TURN, capture_content=True, redact=broken)
        assert list(held) == ["stalwart.turn_digest"]
        (report,) = caplog.records
        assert "RuntimeError" in report.getMessage()
        assert TURN not in report.getMessage()

    def test_the_order_of_keys_changes_no_digest(self, path):
        one = self.written(path, {"order_id": 4411, "amount": "40.00"})
        assert self.written(path, {"amount": "40.00", "order_id": 4411}) == one

    def test_what_json_cannot_hold_has_a_digest_all_the_same(self, path):
        circle: list[object] = []
        circle.append(circle)

        class Broken(dict):
            def items(self):
                raise RuntimeError

        values = ["\ud800", float("nan"), 2**70, 2**70 + 1, object(), b"x", {1: {2: 3}}]
        values += [10**5000, circle, Broken(), {1, 2}, date(2027, 3, 1), Pair(1, 2), Pair(1, 3)]
        digests = {tuple(self.written(path, value).items()) for value in values}
        assert len(digests) == len(values)
        assert self.written(path, object()) == self.written(path, object())


@dataclass
class Pair:
    one: int
    other: int


class TestCanonicalJson:
    """RFC 8785; the numbers are the samples of its appendix B."""

    @pytest.mark.parametrize(
        ("bits", "text"),
        [
            ("0000000000000000", "0"),
            ("8000000000000000", "0"),
            ("0000000000000001", "5e-324"),
            ("8000000000000001", "-5e-324"),
            ("7fefffffffffffff", "1.7976931348623157e+308"),
            ("4340000000000000", "9007199254740992"),
            ("4430000000000000", "295147905179352830000"),
            ("44b52d02c7e14af5", "9.999999999999997e+22"),
            ("44b52d02c7e14af6", "1e+23"),
            ("444b1ae4d6e2ef4e", "999999999999999700000"),
            ("444b1ae4d6e2ef50", "1e+21"),
            ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
            ("3eb0c6f7a0b5ed8d", "0.000001"),
            ("41b3de4355555553", "333333333.3333332"),
            ("41b3de4355555557", "333333333.33333343"),
            ("becbf647612f3696", "-0.0000033333333333333333"),
            ("43143ff3c1cb0959", "1424953923781206.2"),
        ],
    )
    def test_a_number_is_as_ecmascript_writes_it(self, bits, text):
        (value,) = struct.unpack(">d", bytes.fromhex(bits))
        assert canonical_json(value) == text.encode()

    def test_keys_are_in_utf_16_order_and_controls_are_escaped(self):
        value = {"\ufb33": 1, "\U0001f600": 2, "\u20ac": 3, "a\n\x0f/": True, "": None}
        assert canonical_json(value).decode() == (
            '{"":null,"a\\n\\u000f/":true,"\u20ac":3,"\U0001f600":2,"\ufb33":1}'
        )

    @given(
        st.recursive(
            st.none()
            | st.booleans()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=12,
        )
    )
    def test_it_reads_back_to_the_value(self, value):
        assert json.loads(canonical_json(value), parse_int=float) == value

    @given(st.lists(st.tuples(st.text(), st.integers()), unique_by=lambda item: item[0]))
    def test_the_order_of_keys_does_not_matter(self, items):
        assert canonical_json(dict(items)) == canonical_json(dict(reversed(items)))


class TestPlanSpan:
    def read(self, path: Path, turn: str, **options) -> dict:
        with JsonLinesTracer(path, **options) as tracer:
            self.plan = Selector(Vocabulary.load("shop"), tracer=tracer).plan(turn)
        start, end = records(path)
        assert start["name"] == end["name"] == "stalwart.plan"
        assert start["attributes"].items() <= end["attributes"].items()
        return end["attributes"]

    def test_it_says_what_came_of_the_turn(self, path):
        held = self.read(path, TURN)
        vocabulary = Vocabulary.load("shop")
        assert held == {
            "stalwart.turn_digest": hashlib.sha256(f'"{TURN}"'.encode()).hexdigest()[:16],
            "stalwart.language": "en",
            "stalwart.language_from": self.plan.language_from,
            "stalwart.verdict": "read",
            "stalwart.reasons": [],
            "stalwart.rules": [self.plan.calls[0].rule],
            "stalwart.vocabulary": "shop",
            "stalwart.vocabulary_digest": vocabulary.digest,
        }

    def test_an_unread_turn_names_its_reasons(self, path):
        held = self.read(path, "don't charge order 4411 40.00")
        assert held[attributes.VERDICT] == "unread"
        assert held[attributes.REASONS] == ["negation"]
        assert held[attributes.RULES] == []

    def test_no_word_of_the_turn_is_in_the_file(self, path):
        self.read(path, 'add a note to order 4411 saying "the password is swordfish"')
        assert self.plan.verdict == "read"
        assert "swordfish" not in path.read_text()

    def test_the_turn_is_there_where_content_is_captured(self, path):
        held = self.read(path, TURN, capture_content=True)
        assert held["stalwart.turn"] == TURN
        assert "stalwart.turn_digest" not in held

    def test_a_trace_that_cannot_be_written_changes_no_plan(self, tmp_path, caplog):
        broken = JsonLinesTracer(tmp_path / "missing" / "run.jsonl")
        vocabulary = Vocabulary.load("shop")
        assert Selector(vocabulary, tracer=broken).plan(TURN) == Selector(vocabulary).plan(TURN)
        assert len(caplog.records) == 1

    def test_it_is_below_the_span_that_is_open(self, tracer, path):
        with tracer.span("stalwart.node"):
            Selector(Vocabulary.load("shop"), tracer=tracer).plan(TURN)
        spans = ended(path)
        assert spans["stalwart.plan"]["parent_id"] == spans["stalwart.node"]["span_id"]


class _Hostile(str):
    def __str__(self) -> str:
        raise RuntimeError


class _EndlessSequence(Sequence):
    def __len__(self) -> int:
        return 1

    def __getitem__(self, at):
        return at


@pytest.mark.parametrize(
    "hostile",
    [
        {1: "x"},
        {(1, 2): "x"},
        {None: 1, "": 2, "k" * 100_000: 3},
        {_Hostile("a"): _Hostile("b")},
        {"é" + _Hostile("\udc80"): float("nan")},
        {"a": object(), "b": b"\xff", "c": [1, None, float("inf")]},
    ],
)
def test_no_attribute_breaks_the_agent_or_a_line(tracer, path, hostile):
    with tracer.span("a", hostile) as span:
        span.set_attributes(hostile)
        span.add_event("b", hostile)
    assert [record["type"] for record in records(path)] == ["start", "span"]


class _EndlessDict(dict):
    def items(self):
        return ((str(at), at) for at in count())


class _EndlessList(list):
    def __iter__(self):
        return count()


class _EndlessSet(set):
    def __iter__(self):
        return count()


@pytest.mark.parametrize(
    "value",
    [
        *(range(10**15), _EndlessSequence(), {_Hostile("a"): 1}),
        *(_EndlessDict(a=1), _EndlessList([1]), _EndlessSet({1})),
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_value_takes_its_digest_for_ever(tracer, path, value):
    with tracer.tool("count", {"items": value}):
        pass
    assert len(records(path)) == 2


def test_spans_do_not_leak_descriptors(path):
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        with JsonLinesTracer(path).span("a"):
            pass
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1
