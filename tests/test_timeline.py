"""Reading traces back: sources, runs out of a stream, other tools' format."""

import base64
import gzip
import io
import json
import math
import random
import sys
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from stalwart_lang.timeline import (
    Damage,
    Error,
    Event,
    NoSuchRun,
    Run,
    Selection,
    Span,
    gather_runs,
    open_lines,
    read_runs,
    read_spans,
)
from stalwart_lang.timeline import otlp as otlp_format
from stalwart_lang.timeline.otlp import write_messages
from stalwart_lang.timeline.runs import make_run
from stalwart_lang.tracing import JsonLinesTracer

NINE = datetime(2027, 3, 1, 9, tzinfo=UTC)
EVERY = Selection()


def record(trace: str, span: str, kind: str = "span", parent: str | None = None, **fields) -> dict:
    made = {
        "type": kind,
        "trace_id": trace,
        "span_id": span,
        "parent_id": parent,
        "name": "work",
        "start": "2027-03-01T09:00:00.000000Z",
        "attributes": {},
    }
    if kind == "span":
        made |= {"end": "2027-03-01T09:00:01.000000Z", "duration_ms": 1000.0, "status": "ok"}
    return made | fields


def compact(*records: object) -> bytes:
    """As our tracer writes them."""
    return b"".join(json.dumps(r, separators=(",", ":")).encode() + b"\n" for r in records)


def spaced(*records: object) -> bytes:
    """As another writer might."""
    return b"".join(json.dumps(r, sort_keys=True).encode() + b"\n" for r in records)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "runs.jsonl"


def read(content: bytes, file: Path, selection: Selection = EVERY) -> list[Run]:
    file.write_bytes(content)
    return list(read_runs(str(file), selection))


def ids(runs: list[Run]) -> list[str]:
    return [run.trace_id for run in runs]


# Sources


def packed_twice(content: bytes) -> bytes:
    half = len(content) // 2
    return gzip.compress(content[:half]) + gzip.compress(content[half:])


def packed_in_frames(content: bytes) -> bytes:
    half = len(content) // 2
    packer = zstandard.ZstdCompressor()
    return packer.compress(content[:half]) + packer.compress(content[half:])


PACKED = pytest.mark.parametrize(
    "pack",
    [bytes, gzip.compress, zstandard.compress, packed_twice, packed_in_frames],
    ids=["plain", "gzip", "zstd", "gzip members", "zstd frames"],
)


@PACKED
@pytest.mark.parametrize("long", [1, 100, 3_000_000])
def test_lines_are_read_whatever_packed_them(file, pack, long):
    expected = [b"first\n", b"x" * long + b"\n", b"\r\n", b"last"]
    file.write_bytes(pack(b"".join(expected)))
    with open_lines(str(file)) as lines:
        assert list(lines) == expected


@PACKED
def test_a_byte_order_mark_is_left_out(file, pack):
    content = b"\xef\xbb\xbf" + compact(record("aaaa1", "1"), record("aaaa1", "2"))
    assert [len(run.spans) for run in read(pack(content), file)] == [2]
    assert [len(run.spans) for run in read_runs(str(file), Selection("aaaa1"))] == [2]


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "gzip"), (zstandard.compress, "Zstan")])
@pytest.mark.parametrize("selection", [EVERY, Selection("aaaa"), Selection(thread="t-1")])
def test_of_packed_data_that_ends_early_the_beginning_is_read(file, pack, name, selection):
    chance = random.Random(3)
    attributes = [{"x": chance.randbytes(40).hex(), "gen_ai.conversation.id": "t-1"}] * 5000
    for one in attributes:
        one["x"] = chance.randbytes(40).hex()
    records = (record("aaaa", str(i), attributes=a) for i, a in enumerate(attributes))
    packed = pack(compact(*records))
    file.write_bytes(packed[: len(packed) * 2 // 3])
    damages: list[Damage] = []
    (run,) = read_runs(str(file), selection, damages.append)
    assert len(run.spans) > 1000
    assert [d for d in damages if d.reason.startswith(f"the {name}")]
    assert {d.line for d in damages} <= {len(run.spans), len(run.spans) + 1}


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_packed_data_that_is_damaged_is_told(file, pack):
    chance = random.Random(4)
    records = [record("aaaa", chance.randbytes(8).hex()) for _ in range(20_000)]
    packed = bytearray(pack(compact(*records)))
    middle = len(packed) // 2
    packed[middle : middle + 64] = bytes(64)
    file.write_bytes(packed)
    found = []
    with open_lines(str(file)) as lines:
        found = list(read_spans(lines))
    assert isinstance(found[0], Span)
    assert isinstance(found[-1], Damage)
    assert "data is damaged" in found[-1].reason


def test_standard_input_is_read_twice_if_it_must(monkeypatch):
    content = compact(record("bbbb", "1"), record("aaaa", "2"), record("bbbb", "3"))
    for selection, expected in ((EVERY, ["bbbb", "aaaa"]), (Selection("aaaa"), ["aaaa"])):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert ids(list(read_runs("-", selection))) == expected


# Records of any shape


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("NaN", math.isnan),
        ("-Infinity", lambda v: v == -math.inf),
        ("1e999", lambda v: v == math.inf),
        ("1" * 400, lambda v: v == int("1" * 400)),
        (r'"\ud800"', lambda v: v == "\ud800"),
        (r'{"deep": [1, {"er": null}]}', lambda v: v == {"deep": [1, {"er": None}]}),
    ],
)
def test_what_other_writers_put_into_json_is_read(written, expected):
    line = compact(record("aaaa", "1", attributes={"x": "HERE"})).replace(
        b'"HERE"', written.encode()
    )
    (span,) = read_spans([line])
    assert isinstance(span, Span)
    assert expected(span.attributes["x"])


def test_bytes_that_are_no_utf8_cost_only_themselves():
    line = compact(record("aaaa", "1", name="a?b")).replace(b"?", b"\xff")
    (span,) = read_spans([line])
    assert isinstance(span, Span)
    assert span.name == "a\ufffdb"


def test_times_are_in_utc_wherever_they_were_written():
    event = {"name": "e", "time": "2027-03-01T06:00:02-03:00"}
    local = record(
        "aaaa", "1", start="2027-03-01T06:00:00-03:00", end="2027-03-01T09:00:05", events=[event]
    )
    (span,) = read_spans([compact(local)])
    assert isinstance(span, Span)
    times = (span.start, span.end, span.events[0].time)
    assert times == (NINE, NINE + timedelta(seconds=5), NINE + timedelta(seconds=2))
    assert {time.tzinfo for time in times if time} == {UTC}


# Runs out of a stream

TRACES = st.sampled_from(["aaaa01", "aaaa02", "bbbb01", 'c"c\\c1', "dé01"])
RECORDS = st.lists(
    st.tuples(TRACES, st.sampled_from("123"), st.sampled_from(["span", "start"]), st.booleans())
)


@given(RECORDS)
def test_runs_are_the_same_however_their_records_interleave(tmp_path_factory, records):
    file = tmp_path_factory.mktemp("runs") / "f"
    written = [
        (spaced if other else compact)(record(trace, span, kind))
        for trace, span, kind, other in records
    ]
    runs = read(b"".join(written), file)
    spans = [found for found in read_spans(written) if isinstance(found, Span)]
    assert runs == gather_runs(spans)
    for run in runs:
        assert list(read_runs(str(file), Selection(run.trace_id))) == [run]


def test_a_long_run_does_not_hold_back_all_that_follow(file):
    begun = compact(record("aaaa", "root", "start"))
    many = b"".join(compact(*(record(f"b{i:05}", str(s)) for s in range(10))) for i in range(4000))
    runs = read(begun + many + compact(record("aaaa", "root")), file)
    assert sorted(ids(runs)) == sorted({"aaaa", *(f"b{i:05}" for i in range(4000))})
    assert "aaaa" not in ids(runs)[:1000]
    assert all(len(run.spans) == (1 if run.trace_id == "aaaa" else 10) for run in runs)


def test_memory_is_bounded_by_the_runs_that_overlap(file):
    with file.open("wb") as out:
        for i in range(3000):
            filled = {"x": "y" * 400}
            out.write(compact(*(record(f"{i:06}", str(s), attributes=filled) for s in range(10))))
    tracemalloc.start()
    count = sum(len(run.spans) for run in read_runs(str(file)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 30_000
    assert peak < file.stat().st_size / 4


def test_a_line_that_is_whole_only_in_the_second_pass_is_no_run_of_its_own(file):
    whole = compact(record("aaaa", "1"), record("bbbb", "2"), record("aaaa", "3"))
    file.write_bytes(whole[:-30])
    runs = read_runs(str(file))
    assert [(r.trace_id, len(r.spans)) for r in runs] == [("aaaa", 1), ("bbbb", 1)]
    file.write_bytes(whole + compact(record("aaaa", "4")))
    assert [(r.trace_id, len(r.spans)) for r in read_runs(str(file))] == [("aaaa", 3), ("bbbb", 1)]


# Selections


def test_a_unique_beginning_of_a_trace_id_is_enough(file):
    content = compact(*(record(t * 16, "1") for t in ("ab", "cd", "a0")))
    assert ids(read(content, file, Selection("abab"))) == ["ab" * 16]
    assert ids(read(content, file, Selection(" ABABAB "))) == ["ab" * 16]
    assert read(content, file, Selection("abac")) == []
    assert read(content, file, Selection("babab")) == []


def test_a_beginning_of_several_trace_ids_is_told(file):
    content = compact(*(record(f"abcd{i}", "1") for i in range(9)))
    with pytest.raises(NoSuchRun, match=r"'abcd' fits several traces \(abcd0, abcd1, abcd2, …\)"):
        read(content, file, Selection("abcd"))
    assert ids(read(content + compact(record("abcd", "1")), file, Selection("abcd"))) == ["abcd"]
    with pytest.raises(NoSuchRun, match="give at least 4 digits"):
        read(content, file, Selection("abc"))


def test_a_thread_is_told_by_any_span_of_its_runs(file):
    def told(thread: object) -> dict:
        return {"attributes": {"gen_ai.conversation.id": thread}}

    content = compact(
        record("aaaa", "1", "start", **told("desk/u-17")),
        record("bbbb", "2", **told("desk/u-18")),
        record("aaaa", "3", parent="1"),
        record("cccc", "4"),
        record("cccc", "5", **told("desk/u-17")),
        record("dddd", "6", **told(17)),
        record("eeee", "7", **told("\u00e9\u4e00")),
    ) + spaced(record("ffff", "8", **told("\u00e9\u4e00")))
    assert ids(read(content, file, Selection(thread="desk/u-17"))) == ["aaaa", "cccc"]
    assert ids(read(content, file, Selection(thread="é一"))) == ["eeee", "ffff"]
    assert ids(read(content, file, Selection("aaaa", "desk/u-17"))) == ["aaaa"]
    assert read(content, file, Selection("aaaa", "desk/u-18")) == []
    assert read(content, file, Selection(thread="desk")) == []
    assert read(content, file, Selection(thread="")) == []


def test_lines_are_numbered_where_only_some_are_decoded(file):
    content = (
        compact(*(record("bbbb", str(i)) for i in range(3000)))
        + b'{"type":"span","trace_id":"aaaa","span_id":3}\n'
        + b"other damage\n"
        + compact(record("aaaa", "1"))
        + b'{"type":"span","trace_id":"aaaa"'
    )
    file.write_bytes(content)
    damages: list[Damage] = []
    assert ids(list(read_runs(str(file), Selection("aaaa"), damages.append))) == ["aaaa"]
    assert [damage.line for damage in damages] == [3001, 3004]


# OTLP/JSON

HEX = "5b8efff798038103d269b633813fc60c"


def otlp(*spans: dict) -> bytes:
    scope = {"scope": {"name": "x"}, "spans": list(spans)}
    return compact({"resourceSpans": [{"resource": {}, "scopeSpans": [scope]}]})


def otlp_span(**fields) -> dict:
    return {
        "traceId": HEX,
        "spanId": "eee19b7ec3c1b174",
        "name": "execute_tool lookup",
        "kind": 1,
        "startTimeUnixNano": "1798794000000000000",
        "endTimeUnixNano": "1798794000001500000",
        **fields,
    }


def union(value: object) -> dict:
    kinds = {bool: "boolValue", str: "stringValue", float: "doubleValue"}
    return {kinds[type(value)]: value}


def attributes(**held: object) -> list[dict]:
    return [{"key": k.replace("__", "."), "value": union(v)} for k, v in held.items()]


def otlp_read(*spans: dict) -> list[Span | Damage]:
    return list(read_spans([otlp(*spans)]))


def test_spans_of_other_tools_are_read():
    (span,) = otlp_read(
        otlp_span(
            parentSpanId="EEE19B7EC3C1B173",
            attributes=[
                *attributes(gen_ai__operation__name="execute_tool", b=True, d=0.5),
                {"key": "i", "value": {"intValue": "-42"}},
                {"key": "n", "value": {"intValue": 42}},
                {"key": "nan", "value": {"doubleValue": "NaN"}},
                {"key": "list", "value": {"arrayValue": {"values": [union("a"), {}]}}},
                {"key": "empty", "value": {"arrayValue": {}}},
                {"key": "map", "value": {"kvlistValue": {"values": attributes(x="y")}}},
                {"key": "new", "value": {"lambdaValue": "?"}},
                {"key": "none"},
            ],
            events=[{"name": "e", "timeUnixNano": "1798794000001000999", "attributes": []}],
            droppedAttributesCount=3,
        )
    )
    assert isinstance(span, Span)
    assert (span.trace_id, span.span_id, span.parent_id) == (
        HEX,
        "eee19b7ec3c1b174",
        "eee19b7ec3c1b173",
    )
    assert math.isnan(span.attributes.pop("nan"))
    assert span.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "b": True,
        "d": 0.5,
        "i": -42,
        "n": 42,
        "list": ["a", None],
        "empty": [],
        "map": {"x": "y"},
        "new": None,
        "none": None,
    }
    assert span.start == datetime(2027, 1, 1, 9, tzinfo=UTC)
    assert (span.duration_ms, span.status, span.open) == (1.5, "ok", False)
    assert span.events == [Event("e", span.start + timedelta(milliseconds=1))]


@pytest.mark.parametrize("code", [2, "STATUS_CODE_ERROR"])
def test_an_error_is_its_type_and_nothing_it_said(code):
    said = attributes(
        exception__type="KeyError", exception__message="123.456.789-09", exception__stacktrace="s"
    )
    event = {"name": "exception", "timeUnixNano": 1798794000001000000, "attributes": said}
    status = {"code": code, "message": "123.456.789-09"}
    named = attributes(error__type="timeout")
    both = otlp_read(otlp_span(status=status, events=[event]), otlp_span(status=status))
    by_event, unnamed = both
    (by_attribute,) = otlp_read(otlp_span(status=status, events=[event], attributes=named))
    assert isinstance(by_event, Span)
    assert isinstance(unnamed, Span)
    assert isinstance(by_attribute, Span)
    assert by_event.error == Error("KeyError")
    assert by_attribute.error == Error("timeout")
    assert (unnamed.status, unnamed.error) == ("error", None)
    assert "789" not in repr(both)


def test_ids_in_base64_and_capitals_are_the_same_ids(file):
    def base64_of(text: str) -> str:
        return base64.b64encode(bytes.fromhex(text)).decode()

    content = (
        otlp(otlp_span(traceId=HEX.upper()))
        + otlp(
            otlp_span(
                traceId=base64_of(HEX),
                spanId=base64_of("eee19b7ec3c1b175"),
                parentSpanId=base64_of("eee19b7ec3c1b174"),
            )
        )
        + otlp(otlp_span(spanId="0" * 15 + "1", parentSpanId=base64_of("0" * 16)))
        + compact(record(HEX, "flat", parent="eee19b7ec3c1b175"))
        + compact(record("cccc", "other"))
    )
    (run,) = read(content, file, Selection(HEX[:8]))
    below = run.roots[0] if run.roots[0].children else run.roots[1]
    assert below.children[0].children[0].span.span_id == "flat"
    assert len(run.spans) == 4
    assert ids(read(content, file)) == [HEX, "cccc"]


def test_messages_of_before_scopes_had_their_name_are_read():
    old = {"resourceSpans": [{"instrumentationLibrarySpans": [{"spans": [otlp_span()]}]}]}
    (span,) = read_spans([compact(old)])
    assert isinstance(span, Span)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"traceId": "abc"}, "the id 'abc' is not 16 bytes in hexadecimal or Base64"),
        ({"spanId": None}, "an OTLP span: Expected `str`, got `null` - at `$.spanId`"),
        ({"startTimeUnixNano": "soon"}, "the time 'soon' is not a number of nanoseconds"),
        ({"startTimeUnixNano": -1}, "the time '-1' is not a number of nanoseconds"),
        ({"endTimeUnixNano": "9" * 20}, "9' is not a number of nanoseconds"),
        ({"attributes": [{"key": "i", "value": {"intValue": "many"}}]}, "an OTLP span: "),
        ({"attributes": {"a": 1}}, "an OTLP span: "),
    ],
)
def test_a_span_that_is_none_is_told_and_the_others_are_read(fields, reason):
    wrong, right = otlp_read(otlp_span(**fields), otlp_span())
    assert isinstance(wrong, Damage)
    assert reason in wrong.reason
    assert isinstance(right, Span)


def test_a_message_of_another_shape_holds_nothing():
    for odd in ([], {}, None, [1], [{"scopeSpans": {}}], [{"scopeSpans": [{"spans": 3}]}]):
        assert list(read_spans([compact({"resourceSpans": odd})])) == []
    (damage,) = read_spans([compact({"resourceSpans": [{"scopeSpans": [{"spans": [3]}]}]})])
    assert isinstance(damage, Damage)


@pytest.mark.parametrize("levels", [10, 90, 30_000])
def test_attributes_of_any_depth_do_no_harm(levels):
    inner, outer = '{"arrayValue":{"values":[', "]}}"
    deep = inner * levels + '{"stringValue":"x"}' + outer * levels
    held = [{"key": "a", "value": "HERE"}]
    line = otlp(otlp_span(attributes=held)).replace(b'"HERE"', deep.encode())
    (found,) = read_spans([line])
    assert isinstance(found, Span | Damage)
    if isinstance(found, Span):
        run = make_run(HEX, [found])
        (again,) = read_spans(write_messages(run))
        assert isinstance(again, Span)
        assert again.attributes == found.attributes


@pytest.mark.parametrize("levels", [101, 400, 900])
def test_an_attribute_that_cannot_be_exported_is_told_in_its_place(levels):
    value: list = []
    for _ in range(levels):
        value = [value]
    span = Span("span", "a", "b", "c", NINE, attributes={"x": value, "y": 1})
    assert b"(too deeply nested)" in b"".join(write_messages(make_run("a", [span])))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
# OTLP's moment 0 says that there is none
TIMES = st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1), timezones=st.just(UTC))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OURS = (otlp_format.OPEN, otlp_format.DURATION_MS, otlp_format.ERROR_TYPE_OF_SPAN)
NAMES = TEXTS | st.sampled_from(["error.type", "gen_ai.tool.name"])
HELD = st.dictionaries(NAMES.filter(lambda name: name not in OURS), VALUES)
EVENTS = st.lists(
    st.builds(Event, TEXTS.filter(lambda name: name != "exception"), TIMES, HELD)
    | st.builds(
        Event,
        st.just("exception"),
        TIMES,
        st.fixed_dictionaries({}, optional={"exception.type": TEXTS}),
    ),
    max_size=2,
)


@st.composite
def runs(draw: st.DrawFn) -> Run:
    trace_id = f"{draw(st.integers(1, 2**128 - 1)):032x}"
    names = [f"{n:016x}" for n in draw(st.sets(st.integers(1, 2**64 - 1), min_size=1, max_size=4))]
    spans = []
    for span_id in names:
        status = draw(st.sampled_from(["ok", "error"]))
        start = draw(TIMES)
        common = {
            "trace_id": trace_id,
            "span_id": span_id,
            "parent_id": draw(st.none() | st.sampled_from(names)),
            "name": draw(TEXTS),
            "start": start,
            "attributes": draw(HELD),
        }
        if draw(st.booleans()):
            spans.append(Span(type="start", **common))
            continue
        nanoseconds = draw(st.integers(0, 10**13))
        clock = start + timedelta(microseconds=nanoseconds // 1000)
        spans.append(
            Span(
                type="span",
                end=draw(TIMES | st.just(clock)),
                duration_ms=draw(
                    st.just(nanoseconds / 1_000_000) | st.floats(0, 1e9) | st.just(0.1)
                ),
                status=status,
                error=draw(st.none() | st.builds(Error, TEXTS)) if status == "error" else None,
                events=draw(EVENTS),
                **common,
            )
        )
    return make_run(trace_id, spans)


@given(runs())
def test_what_is_exported_reads_back_as_it_was(run):
    spans = [*read_spans(write_messages(run))]
    assert spans == list(run.spans)


def test_a_whole_trace_of_ours_goes_out_without_marks_and_comes_back(file, tmp_path):
    tracer = JsonLinesTracer(file)
    with tracer.run("sales", thread="t-1"), tracer.model_call("m") as call:
        call.responded(input_tokens=3, output_tokens=4, stop_reason="tool_use")
        for name in ("one", "two"):
            try:
                with tracer.tool(name, {"x": 1}) as tool:
                    if name == "two":
                        raise KeyError(name)
                    tool.returned([1])
            except KeyError:
                pass
    (run,) = read_runs(str(file))
    written = b"".join(write_messages(run))
    assert b"stalwart.duration_ms" not in written
    assert b"stalwart.error_type" not in written
    message = json.loads(written)
    (resource,) = message["resourceSpans"]
    names = [attribute["key"] for attribute in resource["resource"]["attributes"]]
    assert names == ["service.name"]
    (scope,) = resource["scopeSpans"]
    assert {span["kind"] for span in scope["spans"]} == {1, 3}
    assert all(isinstance(span["startTimeUnixNano"], str) for span in scope["spans"])
    out = tmp_path / "out"
    out.write_bytes(written)
    assert list(read_runs(str(out))) == [run]


def test_ids_that_otlp_cannot_hold_become_others_and_parents_still_fit():
    run = make_run(
        "tr-1",
        [
            Span("span", "tr-1", "s-1", "a", NINE, end=NINE),
            Span("span", "tr-1", "s-2", "b", NINE, "s-1"),
        ],
    )
    spans = [span for span in read_spans(write_messages(run)) if isinstance(span, Span)]
    assert spans[1].parent_id == spans[0].span_id
    assert len({span.trace_id for span in spans}) == 1
