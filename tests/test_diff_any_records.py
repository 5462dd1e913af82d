"""`stalwart trace diff` over records that no tracer of ours would write, in any order."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from stalwart_lang.cli.trace.diff import diff

Record = dict[str, Any]

TIMES = st.sampled_from(
    [
        *(f"2027-03-01T09:00:0{second}Z" for second in range(6)),
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59.999999Z",
        "9999-12-31T23:59:59-12:00",
        "1969-12-31T23:59:59.999999+00:00",
        "2027-03-01T09:00:03",
    ]
)
IDS = st.sampled_from([f"{number:016x}" for number in range(1, 8)])
NAMES = st.sampled_from(
    [
        "invoke_agent desk",
        "chat m",
        "stalwart.node",
        "stalwart.tool",
        "stalwart.tool_check",
        "stalwart.plan",
        "stalwart.undo",
        "stalwart.rollback",
        "stalwart.interrupt",
        "something else",
    ]
)
ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={
        "gen_ai.operation.name": st.sampled_from(["chat", "invoke_agent", "execute_tool"]),
        "gen_ai.tool.name": st.sampled_from(["read", "write\u202e\x1b[2J"]),
        "stalwart.result_digest": st.sampled_from(["r", "s"]),
        "stalwart.step": st.integers(0, 3),
        "gen_ai.usage.input_tokens": st.integers(0, 9),
    },
)


def without_end(record: Record) -> Record:
    return {key: held for key, held in record.items() if key not in ("end", "status")}


RECORDS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["span", "span", "span", "start"]),
        "trace_id": st.sampled_from(["0af7651916cd43dd8448eb211c80319c", "1" * 32]),
        "span_id": IDS,
        "parent_id": st.none() | IDS | st.just("f" * 16),
        "name": NAMES,
        "start": TIMES,
        "end": TIMES,
        "status": st.sampled_from(["ok", "ok", "error", "unset"]),
        "attributes": ATTRIBUTES,
    }
).map(lambda record: record if record["type"] == "span" else without_end(record))
TRACES = st.lists(RECORDS, min_size=1, max_size=14)


def write(file: Path, records: Sequence[Record]) -> str:
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(file)


def exit_code(*arguments: str) -> int:
    done = CliRunner().invoke(diff, arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    assert done.exit_code in (0, 1), done.output
    return done.exit_code


@given(records=TRACES)
def test_a_trace_is_the_same_as_itself(records: list[Record]) -> None:
    with TemporaryDirectory() as folder:
        file = write(Path(folder) / "a.jsonl", records)
        assert exit_code(file, file) == 0


@given(ours=TRACES, theirs=TRACES)
def test_who_comes_first_does_not_matter(ours: list[Record], theirs: list[Record]) -> None:
    with TemporaryDirectory() as folder:
        a = write(Path(folder) / "a.jsonl", ours)
        b = write(Path(folder) / "b.jsonl", theirs)
        assert exit_code(a, b) == exit_code(b, a) == exit_code(a, b, "--json")


@given(records=TRACES, data=st.data())
def test_one_record_that_is_another(records: list[Record], data: st.DataObject) -> None:
    """Traces that are nearly the same go through the steps after the first difference."""
    place = data.draw(st.integers(0, len(records) - 1))
    changed = [*records]
    changed[place] = {**records[place], **data.draw(RECORDS)}
    with TemporaryDirectory() as folder:
        a = write(Path(folder) / "a.jsonl", records)
        b = write(Path(folder) / "b.jsonl", data.draw(st.permutations(changed)))
        assert exit_code(a, b) == exit_code(b, a) == exit_code(a, b, "--json")


def span(span_id: int, parent: int | None, start: str = "2027-03-01T09:00:00Z") -> Record:
    return {
        "type": "span",
        "trace_id": "1" * 32,
        "span_id": f"{span_id:016x}",
        "parent_id": None if parent is None else f"{parent:016x}",
        "name": "stalwart.tool",
        "start": start,
        "end": start,
        "attributes": {"gen_ai.tool.name": "read", "stalwart.result_digest": "r"},
    }


def other(record: Record) -> Record:
    return {**record, "attributes": {**record["attributes"], "gen_ai.tool.name": "write\u202e\x9b"}}


@pytest.mark.parametrize(
    "records",
    [
        pytest.param([span(1, 9), span(1, 9, "2027-03-01T09:00:01Z")], id="one id twice"),
        pytest.param([span(1, 2), span(2, 3), span(3, 1)], id="a circle"),
        pytest.param([span(1, 1)], id="its own parent"),
        pytest.param([span(1, None, "0001-01-01T00:00:00+14:00")], id="before the calendar"),
    ],
)
def test_the_first_record_is_another(tmp_path: Path, records: list[Record]) -> None:
    a = write(tmp_path / "a.jsonl", records)
    b = write(tmp_path / "b.jsonl", [other(records[0]), *records[1:]])
    assert exit_code(a, a) == 0
    done = CliRunner().invoke(diff, [a, b, "--json"])
    assert done.exit_code == 1
    assert done.output.rstrip("\n").isprintable()
    change = json.loads(done.output)["first"]["changes"][0]
    assert {"read", "write\u202e\x9b"} >= {(change["a"] or change["b"])["tool"]}


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["diff", "A", "A"], 0),
        (["diff", "A", "B"], 1),
        (["diff", "--json", "A", "B"], 1),
        (["show", "A"], 0),
        (["show", "--list", "A"], 0),
        (["show", "--why", "0", "A"], 1),
        (["tree", "A"], 0),
        (["stats", "A"], 0),
        (["stats", "--json", "A"], 0),
        (["export", "--otlp", "A"], 0),
        (["html", "-o", "-", "A"], 0),
    ],
    ids=lambda held: " ".join(held) if isinstance(held, list) else str(held),
)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipe that is closed so")
def test_a_reader_that_leaves(tmp_path: Path, command: list[str], code: int) -> None:
    """The answer stands, and nothing is said of it."""
    root = {**span(9, None), "name": "stalwart.node"}
    files = {
        "A": write(tmp_path / "a.jsonl", [span(1, 9), root]),
        "B": write(tmp_path / "b.jsonl", [other(span(1, 9)), root]),
    }
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "stalwart_lang",
                "trace",
                *(files.get(each, each) for each in command),
            ],
            stdout=writing,
            stderr=subprocess.PIPE,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (code, b"")
