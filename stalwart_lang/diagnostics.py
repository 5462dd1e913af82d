"""Diagnostics: what is wrong with a vocabulary or an agent file, where, and what would mend it.

`CATALOGUE` holds every code; each has a page in `docs/diagnostics/`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from stalwart_lang.terminal import excerpt, printable
from stalwart_lang.vocabulary.model import Location

Severity: TypeAlias = Literal["error", "warning"]

MAX_ERRORS = 200
"""After so many errors a file is read no further."""

_QUOTE_WIDTH = 60
_TAB = " " * 4


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a diagnostic speaks of, such as the first of two equal names."""

    message: str
    location: Location


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding; an `error` leaves what was read unusable, a `warning` does not."""

    code: str
    severity: Severity
    message: str
    location: Location
    fix: str | None = None
    related: tuple[Related, ...] = ()

    def __str__(self) -> str:
        return f"{self.location}: {self.severity}[{self.code}]: {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: lines and columns count from 1."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            **_place(self.location),
            "fix": self.fix,
            "related": [{"message": r.message, **_place(r.location)} for r in self.related],
        }


class DiagnosedError(ValueError):
    """Files with errors in them.

    `diagnostics` has them all, warnings included; `sources` the text of each file, by its name.
    """

    def __init__(
        self, diagnostics: Iterable[Diagnostic], sources: Mapping[str, str] | None = None
    ) -> None:
        self.diagnostics = tuple(diagnostics)
        self.sources = dict(sources or {})
        super().__init__("\n".join(map(str, self.diagnostics)))

    def rendered(self) -> str:
        """The diagnostics as a compiler writes them, each with its line."""
        return "\n".join(render(d, self.sources.get(d.location.file)) for d in self.diagnostics)


class VocabularyError(DiagnosedError):
    """A vocabulary with errors in it."""


class AgentError(DiagnosedError):
    """An agent file with errors in it, in its vocabulary, or in its tools."""


CATALOGUE: Mapping[str, tuple[Severity, str]] = {
    "SV001": ("error", "the vocabulary cannot be read"),
    "SV002": ("error", "not UTF-8"),
    "SV003": ("error", "more than 5 MB"),
    "SV004": ("error", "not YAML"),
    "SV005": ("error", "a character that YAML does not allow"),
    "SV006": ("error", "more than one document"),
    "SV007": ("error", "the same key twice"),
    "SV008": ("error", "a tag or a directive"),
    "SV009": ("error", "an alias that cannot be followed"),
    "SV010": ("error", "nested too deeply"),
    "SV011": ("error", "an empty file"),
    "SV012": ("error", "too many errors"),
    "SV020": ("error", "the wrong kind of value"),
    "SV021": ("error", "an unknown key"),
    "SV022": ("error", "a missing key"),
    "SV023": ("error", "not one of the values allowed"),
    "SV024": ("error", "a number out of range"),
    "SV025": ("error", "a name that cannot be used"),
    "SV026": ("error", "empty where something is needed"),
    "SV027": ("error", "keys that exclude or need one another"),
    "SV030": ("error", "an included file that cannot be read"),
    "SV031": ("error", "files that include one another in a circle"),
    "SV032": ("error", "the same name in two files"),
    "SV033": ("error", "too many files"),
    "SV040": ("error", "an unknown type"),
    "SV041": ("error", "an unknown tool"),
    "SV042": ("error", "an unknown argument"),
    "SV043": ("error", "braces that name no argument"),
    "SV044": ("error", "not a member of the closed list"),
    "SV045": ("error", "an unknown reason"),
    "SV046": ("error", "a planned call without a required argument"),
    "SV050": ("error", "unbalanced braces"),
    "SV051": ("error", "an empty phrase"),
    "SV052": ("error", "a phrase that does not start with a word"),
    "SV053": ("error", "a verb that is not in its dictionary form"),
    "SV054": ("error", "the same argument twice in a phrase"),
    "SV055": ("error", "a letter that no turn can have"),
    "SV056": ("error", "an argument that can never be said"),
    "SV057": ("error", "a phrase of too many words"),
    "SV060": ("error", "an unknown currency"),
    "SV061": ("error", "an unknown time zone"),
    "SV062": ("error", "not a regular expression"),
    "SV063": ("error", "not a date and time"),
    "SV101": ("warning", "readable in one language only"),
    "SV102": ("warning", "words that cannot be told apart"),
    "SV103": ("warning", "arguments that cannot be told apart"),
    "SV104": ("warning", "an undo that is itself undone"),
    "SV105": ("warning", "an undo that lacks an argument"),
    "SV106": ("warning", "an order that can never be kept"),
    "SV107": ("warning", "a rule that can never fire"),
    "SV108": ("warning", "a rule shadowed by another"),
    "SV109": ("warning", "a comparison that does not fit the argument"),
    "SV110": ("warning", "tools that can read the same turn"),
    "SV111": ("warning", "a turn that is also another tool's with an argument left out"),
    "SV112": ("warning", "a phrase or a word that can never be read"),
    "SV113": ("warning", "a turn that does not read as it must"),
    "SV200": ("error", "the agent file cannot be read"),
    "SV201": ("error", "an unknown agent"),
    "SV202": ("error", "several agents, and none chosen"),
    "SV203": ("error", "an unknown vocabulary"),
    "SV204": ("error", "a fact that can never hold"),
    "SV205": ("error", "a storage that cannot be used"),
    "SV206": ("error", "a trace that cannot be written"),
    "SV207": ("warning", "a fact that no rule requires"),
    "SV208": ("error", "a model that is not there"),
    "SV210": ("error", "an unknown module"),
    "SV211": ("error", "a module that cannot be imported"),
    "SV212": ("error", "a module without a tool"),
    "SV213": ("error", "a tool without a function"),
    "SV214": ("error", "something that cannot be a tool"),
    "SV215": ("error", "parameters that do not fit the tool"),
    "SV216": ("error", "a type hint that does not fit"),
    "SV217": ("error", "flags that contradict one another"),
    "SV218": ("error", "an undo that cannot run"),
    "SV219": ("error", "two functions for one tool"),
}
"""Code to severity and title.

SV0xx are errors of a file, SV1xx what the lint of vocabularies finds, SV2xx errors of an agent.
"""


def diagnostic(
    code: str,
    message: str,
    location: Location,
    fix: str | None = None,
    related: Iterable[Related] = (),
) -> Diagnostic:
    """Make a diagnostic with the severity that the catalogue gives `code`."""
    return Diagnostic(code, CATALOGUE[code][0], message, location, fix, tuple(related))


class TooMany(Exception):
    """More errors than are worth reporting."""


class Findings:
    """The diagnostics found so far, in the order they were found."""

    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: list[Diagnostic] = []

    def report(
        self,
        code: str,
        message: str,
        location: Location,
        fix: str | None = None,
        related: Iterable[Related] = (),
    ) -> None:
        """Add one. Raises TooMany after `MAX_ERRORS`, when a last one has said so."""
        if len(self.items) >= MAX_ERRORS:
            last = f"more than {MAX_ERRORS} errors; the rest is not read"
            self.items.append(diagnostic("SV012", last, location))
            raise TooMany
        self.items.append(diagnostic(code, message, location, fix, related))


def quoted(text: str) -> str:
    """`text` between backticks, shortened, with control characters as escapes."""
    if len(text) > _QUOTE_WIDTH:
        text = text[: _QUOTE_WIDTH - 1] + "…"
    return f"`{printable(text)}`"


def render(finding: Diagnostic, text: str | None = None) -> str:
    """Write a diagnostic as a compiler does; `text` is the content of the file it is in.

    The line is shown with tabs as four blanks and a caret under every column that the location
    covers; of a long line, what is around it. No newline at the end.
    """
    where = finding.location
    lines = [str(finding)]
    source = None if text is None else _line(text, where.line)
    if source is not None:
        start = min(where.column - 1, len(source))
        end = where.end_column - 1 if where.end_line == where.line else len(source)
        before, marked = source[:start].replace("\t", _TAB), source[start:end].replace("\t", _TAB)
        shown, carets = excerpt(
            before + marked + source[max(start, end) :].replace("\t", _TAB),
            len(before),
            len(before) + len(marked),
        )
        number = str(where.line)
        lines.append(f" {number} | {shown}")
        lines.append(f" {' ' * len(number)} | {carets}")
    lines += [f"  {r.location}: {r.message}" for r in finding.related]
    if finding.fix:
        lines.append(f"  fix: {finding.fix}")
    return "\n".join(lines)


def _place(location: Location) -> dict[str, Any]:
    return {
        "file": location.file,
        "line": location.line,
        "column": location.column,
        "end_line": location.end_line,
        "end_column": location.end_column,
    }


def _line(text: str, number: int) -> str | None:
    """Line `number` of `text`, which ends at `\\n`, `\\r\\n` or `\\r` and nowhere else."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n", number)
    return lines[number - 1] if number <= len(lines) else None
