"""The file of a JSON-lines tracer: rotated, removed, full, shared, killed."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stalwart_lang.timeline import Span, read_spans
from stalwart_lang.tracing import JsonLinesTracer

WORKER = Path(__file__).parent / "killed_agent.py"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def records(*paths: Path) -> list[dict]:
    return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]


def parts(path: Path) -> list[Path]:
    return sorted(path.parent.glob("run*.jsonl"))


class TestRotation:
    def test_no_line_is_lost_and_no_part_is_too_large(self, path):
        with JsonLinesTracer(path, max_bytes=4000) as tracer:
            for at in range(200):
                with tracer.span("a", {"at": at}):
                    pass
        assert len(parts(path)) > 5
        assert max(part.stat().st_size for part in parts(path)) <= 4000
        numbers = [int(part.suffixes[0][1:]) for part in parts(path) if len(part.suffixes) == 2]
        assert sorted(numbers) == list(range(1, len(numbers) + 1))
        in_order = [path.with_name(f"run.{number}.jsonl") for number in sorted(numbers)]
        ended = [r["attributes"]["at"] for r in records(*in_order, path) if r["type"] == "span"]
        assert ended == list(range(200))

    def test_the_last_backups_are_kept(self, path):
        with JsonLinesTracer(path, max_bytes=1000, backups=2) as tracer:
            for at in range(100):
                with tracer.span("a", {"at": at}):
                    pass
        assert len(parts(path)) == 3
        assert records(*parts(path))[-1]["attributes"]["at"] == 99

    def test_a_line_longer_than_the_limit_is_written_whole(self, path):
        with JsonLinesTracer(path, max_bytes=100) as tracer, tracer.span("a", {"x": "y" * 500}):
            pass
        assert len(records(*parts(path))) == 2

    def test_several_processes_rotate_one_file_and_lose_nothing(self, path):
        work = (
            "import sys; from stalwart_lang.tracing import JsonLinesTracer\n"
            "tracer = JsonLinesTracer(sys.argv[1], max_bytes=5_000)\n"
            "for at in range(300):\n"
            "    with tracer.span('p', {'filler': 'x' * 100}): pass\n"
        )
        others = [subprocess.Popen([sys.executable, "-c", work, path]) for _ in range(4)]
        assert [other.wait() for other in others] == [0] * 4
        written = records(*parts(path))
        assert len(written) == 4 * 300 * 2
        assert len({record["span_id"] for record in written}) == 4 * 300
        assert len(parts(path)) > 100


class TestFile:
    def test_a_path_that_cannot_be_is_reported_once_and_breaks_nothing(self, path, caplog):
        path.write_text("", "utf-8")
        for beyond in (path / "under-a-file.jsonl", path.with_name("x" * 300)):
            caplog.clear()
            with JsonLinesTracer(beyond) as tracer:
                for _ in range(5):
                    with tracer.span("a"):
                        pass
            assert len(caplog.records) == 1

    def test_one_that_was_renamed_or_removed_is_opened_anew(self, path):
        with JsonLinesTracer(path) as tracer:
            for gone in (lambda: path.rename(path.with_name("old.jsonl")), path.unlink):
                with tracer.span("a"):
                    pass
                gone()
                while not path.exists():
                    with tracer.span("b"):
                        pass
                assert records(path)[-1]["name"] == "b"

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
    def test_a_full_disk_is_reported_once_and_breaks_nothing(self, caplog):
        with JsonLinesTracer("/dev/full") as tracer:
            for _ in range(5):
                with tracer.span("a"):
                    pass
        (report,) = caplog.records
        assert "/dev/full" in report.getMessage()
        assert "No space left" in report.getMessage()

    def test_a_pipe_that_nobody_reads_is_reported_once_and_waited_for_by_nobody(self, path, caplog):
        os.mkfifo(path)
        with JsonLinesTracer(path) as tracer:
            for _ in range(3):
                with tracer.span("a"):
                    pass
        assert len(caplog.records) == 1
        assert str(path) in caplog.text

    def test_what_a_pipe_has_no_room_for_is_not_written(self, path, caplog):
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with JsonLinesTracer(path) as tracer:
            for _ in range(40):
                with tracer.span("a", {"filler": "x" * 3000}):
                    pass
        lines = os.read(reader, 2**20).splitlines(keepends=True)
        os.close(reader)
        assert len(caplog.records) == 1
        assert len([json.loads(line) for line in lines if line.endswith(b"\n")]) > 10

    def test_a_pipe_by_its_descriptor_takes_it_all(self):
        read, write = os.pipe()
        with JsonLinesTracer(f"/dev/fd/{write}") as tracer, tracer.span("a", {"x": "y" * 30_000}):
            pass
        os.close(write)
        with os.fdopen(read, "rb") as reader:
            assert [json.loads(line)["type"] for line in reader] == ["start", "span"]

    def test_a_forked_process_has_spans_of_its_own_and_ends_none_of_its_parents(self, path):
        with JsonLinesTracer(path) as tracer, tracer.span("parent"):
            child = os.fork()
            if child == 0:
                with tracer.span("child"):
                    pass
                tracer.__exit__()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        ended = [record["name"] for record in records(path) if record["type"] == "span"]
        assert ended == ["child", "parent"]

    def test_a_forked_process_that_leaves_the_block_writes_no_second_end(self, path):
        with JsonLinesTracer(path) as tracer:
            with tracer.span("parent"):
                child = os.fork()
            if child == 0:
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        assert [record["type"] for record in records(path)] == ["start", "span"]


KILLS = {
    "SIGKILL": lambda process, _: process.send_signal(signal.SIGKILL),
    "SIGTERM": lambda process, _: process.send_signal(signal.SIGTERM),
    "os._exit": lambda process, _: None,
    "fork": lambda process, _: process.send_signal(signal.SIGKILL),
}


@pytest.mark.parametrize("way", KILLS)
def test_nothing_finished_is_missing_and_everything_open_is_known(way, tmp_path):
    """Fifty processes a way, each ended at a moment of chance.

    The process tells each act on a pipe: what opens before its span does, what ends after. So what
    it told as ended must be in the file, and what is in the file must have been told.
    """
    chance = random.Random(way)
    for at in range(50):
        path = tmp_path / f"{at}.jsonl"
        acts = chance.randrange(1, 60)
        process = subprocess.Popen(
            [sys.executable, WORKER, path, way, str(acts)],
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        told = [process.stdout.readline().decode().split() for _ in range(acts)]
        KILLS[way](process, told)
        told += [line.decode().split() for line in process.stdout if line.endswith(b"\n")]
        process.stdout.close()
        assert process.wait() != 0
        check(path, [act for act in told if act])


def check(path: Path, told: list[list[str]]) -> None:
    with path.open("rb") as lines:
        found = list(read_spans(lines))
    written = [span for span in found if isinstance(span, Span)]
    # Where it was killed within a write a part of a line is left: of an act that it had not told.
    assert len(found) - len(written) <= 1
    started = {span.attributes["key"] for span in written if span.open}
    ended = [span.attributes["key"] for span in written if not span.open]
    told_opening = {key for act, key in told if act == "opening"}
    told_open = {key for act, key in told if act == "opened"}
    told_ended = {key for act, key in told if act == "ended"}
    assert told_ended <= set(ended)
    assert told_open <= started
    assert set(ended) <= started <= told_opening
    assert len(ended) == len(set(ended))
    ids = {span.span_id for span in written}
    assert all(span.parent_id is None or span.parent_id in ids for span in written)
