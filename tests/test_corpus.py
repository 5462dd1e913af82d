"""Turns written before the selector, or against it, by people who had not seen its code.

A line of `tests/corpus/*.jsonl` is `{turn, language, now, expect}` with `calls` where `expect` is
`read`, `missing` where it is `incomplete`, and where they apply `vocabulary` (`shop` otherwise),
`pending` (the turn before, whose question this one answers) and `why`. A line with
`"reached": false` would be nice to read, and is not: it only must not be read wrongly.
"""

import json
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from stalwart_lang import Plan, Selector, Vocabulary

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(file.stem for file in CORPUS.glob("*.jsonl"))


def lines(file: str) -> list[dict[str, Any]]:
    # Not splitlines(): a turn may hold other line ends.
    text = (CORPUS / f"{file}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.strip().split("\n")]


@cache
def selector(name: str) -> Selector:
    return Selector(Vocabulary.load(CORPUS / name if name.endswith(".yaml") else name))


def read(line: dict[str, Any], turn: str | None = None) -> Plan:
    its = selector(line.get("vocabulary", "shop"))
    language, now = line["language"], line["now"]
    pending = its.plan(line["pending"], language, now) if "pending" in line else None
    return its.plan(line["turn"] if turn is None else turn, language, now, pending)


def calls(plan: Plan) -> list[dict[str, Any]]:
    return [{"tool": call.tool, "arguments": dict(call.arguments)} for call in plan.calls]


def told(line: dict[str, Any], plan: Plan) -> str:
    """A failing line, for people."""
    codes = [f"{one.code} at {one.start}" for one in plan.reasons]
    expected = line.get("calls") or line.get("missing") or line.get("why", "")
    got = f"{plan.verdict} {calls(plan) or codes}"
    return f"{line['turn']!r}\n  expected {line['expect']} {expected}\n  got {got}"


def meets(line: dict[str, Any], plan: Plan) -> bool:
    if line["expect"] == "read":
        return plan.verdict == "read" and calls(plan) == line["calls"]
    if line["expect"] == "incomplete":
        missing = {one.argument for one in plan.missing}
        return plan.verdict == "incomplete" and line["missing"] in missing
    return not plan.calls


def failures(file: str, expect: str, turn_of: Callable[[str], str] = str) -> list[str]:
    found = []
    for line in lines(file):
        if line["expect"] == expect and line.get("reached", True):
            plan = read(line, turn_of(line["turn"]))
            if not meets(line, plan):
                found.append(told(line, plan))
    return found


def without_accents(turn: str) -> str:
    """Drop the accents outside quotations, whose text is kept as it is typed."""
    made, quoted = [], False
    for letter in unicodedata.normalize("NFC", turn):
        quoted ^= letter in '"“”«»'
        kept = letter if quoted else unicodedata.normalize("NFD", letter)[0]
        made.append(kept if kept.isascii() else letter)
    return "".join(made)


def decomposed(turn: str) -> str:
    made, quoted = [], False
    for letter in turn:
        quoted ^= letter in '"“”«»'
        made.append(letter if quoted else unicodedata.normalize("NFD", letter))
    return "".join(made)


def test_there_are_turns() -> None:
    counted = dict.fromkeys(("read", "incomplete", "unread"), 0)
    for file in FILES:
        for line in lines(file):
            counted[line["expect"]] += 1
    assert counted["read"] > 1000
    assert counted["unread"] > 1600
    assert counted["incomplete"] > 40


def test_most_readable_turns_are_reached() -> None:
    readable = [line for file in FILES for line in lines(file) if line["expect"] == "read"]
    reached = sum(line.get("reached", True) for line in readable)
    assert reached / len(readable) > 0.9


@pytest.mark.parametrize("file", FILES)
def test_no_call_is_wrong(file: str) -> None:
    """Whatever else: no call but those that were asked for."""
    wrong = []
    for line in lines(file):
        plan = read(line)
        if plan.calls and calls(plan) != line.get("calls"):
            wrong.append(told(line, plan))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("file", FILES)
def test_readable_turns_are_read_exactly(file: str) -> None:
    missed = failures(file, "read")
    assert not missed, "\n".join(missed)


@pytest.mark.parametrize("file", FILES)
def test_incomplete_turns_ask_for_what_is_missing(file: str) -> None:
    missed = failures(file, "incomplete")
    assert not missed, "\n".join(missed)


@pytest.mark.parametrize("file", FILES)
def test_unread_turns_say_why(file: str) -> None:
    silent = []
    for line in lines(file):
        plan = read(line)
        if not plan.calls and not plan.reasons:
            silent.append(told(line, plan))
        for reason in plan.reasons:
            assert reason.message
            assert 0 <= reason.start <= reason.end
    assert not silent, "\n".join(silent)


@pytest.mark.parametrize("expect", ["read", "incomplete", "unread"])
@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("shop_pt_BR")])
def test_accents_change_nothing(file: str, expect: str) -> None:
    assert not (missed := failures(file, expect, decomposed)), "\n".join(missed)
    # "Pôde cancelar?" and its like are told from a request by their accents alone.
    if expect != "unread":
        assert not (missed := failures(file, expect, without_accents)), "\n".join(missed)


@pytest.mark.parametrize("file", FILES)
def test_places_are_in_the_turn_as_typed(file: str) -> None:
    for line in lines(file):
        if "pending" in line:
            continue
        turn = line["turn"]
        plan = read(line)
        for reason in plan.reasons:
            assert 0 <= reason.start <= reason.end <= len(turn), turn
        for call in plan.calls:
            assert turn[call.start : call.end].strip() == turn[call.start : call.end] != "", turn
