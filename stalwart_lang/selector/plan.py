"""What reading a turn gives: a plan, or why there is none."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from stalwart_lang.vocabulary.model import Language

Verdict: TypeAlias = Literal["read", "incomplete", "ambiguous", "unread"]
LanguageSource: TypeAlias = Literal["request", "console", "vocabulary", "default"]


# A frozen class sets its fields one by one through a guard, which takes most of the time of making
# it. Calls and plans, which every turn makes, are filled past it.


@dataclass(frozen=True, init=False)
class Call:
    """A tool call that a turn asks for.

    `rule` names the phrase that read it, `file` and `line` say where the phrase stands; `start`
    and `end` are the characters of the turn as typed that the call was read from.
    """

    tool: str
    arguments: Mapping[str, Any]
    rule: str
    file: str
    line: int
    start: int
    end: int

    def __init__(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        rule: str,
        file: str,
        line: int,
        start: int,
        end: int,
    ) -> None:
        fields = self.__dict__
        fields["tool"] = tool
        fields["arguments"] = arguments
        fields["rule"] = rule
        fields["file"] = file
        fields["line"] = line
        fields["start"] = start
        fields["end"] = end

    def to_dict(self) -> dict[str, Any]:
        """Give the call as JSON-ready data."""
        return {
            "tool": self.tool,
            "arguments": dict(self.arguments),
            "rule": self.rule,
            "file": self.file,
            "line": self.line,
            "start": self.start,
            "end": self.end,
        }


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a turn is not read: a code, a sentence in the turn's language, and where.

    `expected` says what could have stood there.
    """

    code: str
    message: str
    start: int
    end: int
    expected: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give the reason as JSON-ready data."""
        made: dict[str, Any] = {
            "code": self.code,
            "message": self.message,
            "start": self.start,
            "end": self.end,
        }
        if self.expected:
            made["expected"] = list(self.expected)
        return made


@dataclass(frozen=True, slots=True)
class Missing:
    """A required argument that the turn leaves out; `call` counts the turn's calls from 0."""

    call: int
    tool: str
    argument: str
    question: str

    def to_dict(self) -> dict[str, Any]:
        """Give the question as JSON-ready data."""
        return {
            "call": self.call,
            "tool": self.tool,
            "argument": self.argument,
            "question": self.question,
        }


@dataclass(frozen=True, init=False)
class Plan:
    """The reading of one turn.

    `calls` holds calls only where `verdict` is `read`. An incomplete plan keeps what it has in
    `partial`, for the next turn to fill, and so does an unread answer to its question; the calls of
    a plan that an answer filled keep the places of the turn before. An ambiguous plan lists its
    `readings`.
    """

    verdict: Verdict
    language: Language
    language_from: LanguageSource
    calls: tuple[Call, ...] = ()
    reasons: tuple[Reason, ...] = ()
    missing: tuple[Missing, ...] = ()
    readings: tuple[tuple[Call, ...], ...] = ()
    partial: tuple[Call, ...] = ()

    def __init__(
        self,
        verdict: Verdict,
        language: Language,
        language_from: LanguageSource,
        calls: tuple[Call, ...] = (),
        reasons: tuple[Reason, ...] = (),
        missing: tuple[Missing, ...] = (),
        readings: tuple[tuple[Call, ...], ...] = (),
        partial: tuple[Call, ...] = (),
    ) -> None:
        fields = self.__dict__
        fields["verdict"] = verdict
        fields["language"] = language
        fields["language_from"] = language_from
        fields["calls"] = calls
        fields["reasons"] = reasons
        fields["missing"] = missing
        fields["readings"] = readings
        fields["partial"] = partial

    def to_dict(self) -> dict[str, Any]:
        """Give the plan as JSON-ready data."""
        made: dict[str, Any] = {
            "verdict": self.verdict,
            "language": self.language,
            "language_from": self.language_from,
            "calls": [call.to_dict() for call in self.calls],
            "reasons": [reason.to_dict() for reason in self.reasons],
        }
        if self.missing:
            made["missing"] = [missing.to_dict() for missing in self.missing]
        if self.partial:
            made["partial"] = [call.to_dict() for call in self.partial]
        if self.readings:
            made["readings"] = [[call.to_dict() for call in reading] for reading in self.readings]
        return made

    def to_json(self) -> str:
        """Give the plan as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)
