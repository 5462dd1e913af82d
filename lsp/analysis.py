"""What the SDK says of a vocabulary as it stands in the editors: errors, turns as read, lint.

It is made in steps, the quick ones first, so that whoever waits can look at each and go on typing.
What did not change since the version before is not made again: a language's compiled words while
its phrases are the same, and the reading of a turn while they are.
"""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from stalwart_lang.collector import collector_paused
from stalwart_lang.diagnostics import Findings
from stalwart_lang.lsp.documents import Document, path_of, uri_of
from stalwart_lang.lsp.findings import Finding, carried, finding_of
from stalwart_lang.lsp.index.model import DocumentIndex, TurnText
from stalwart_lang.vocabulary.load import Loaded, load_text
from stalwart_lang.vocabulary.model import LANGUAGES, Language, Phrase, Turn, Vocabulary, Words
from stalwart_lang.vocabulary.source import Source
from stalwart_lang.vocabulary.yaml12 import Node

if TYPE_CHECKING:
    from stalwart_lang.selector.lexicon import Lexicon
    from stalwart_lang.selector.plan import Plan
    from stalwart_lang.selector.selector import Selector
    from stalwart_lang.selector.turns import TurnResult

_SLICE = 0.04
"""Seconds of reading turns after which it is asked whether they are still wanted."""

TURN_CODE = "SV113"


class Superseded(Exception):
    """A document changed while it was looked at."""


class Files(Protocol):
    """The texts of one moment, open ones as they stand in the editor."""

    def document(self, uri: str) -> Document | None:
        """A document; None where there is none."""

    def read(self, path: str) -> bytes:
        """The content of a file. Raises OSError."""

    def parse(self, source: Source, findings: Findings) -> Node | None:
        """What `compose` gives. Raises TooMany."""

    def index(self, uri: str) -> DocumentIndex | None:
        """The index of a document. Raises Superseded where it is of another moment."""


@dataclass(frozen=True, slots=True)
class TurnReading:
    """How a turn is read; `ok` says whether that is what its entry wants, None if none is known."""

    uri: str
    turn: TurnText
    plan: "Plan"
    ok: bool | None = None
    expected: tuple[str, ...] = ()
    got: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of a vocabulary; `uri` is its main file's.

    Where it has errors, `vocabulary` and `selector` are those of the last text that had none, and
    it is `stale`; `sound` has the documents' indexes of that text. `complete` says that its turns
    were read, `linted` that lint has run too.
    """

    uri: str
    documents: Mapping[str, Document]
    loaded: Loaded
    vocabulary: Vocabulary | None = None
    selector: "Selector | None" = None
    stale: bool = False
    sound: Mapping[str, DocumentIndex] = field(default_factory=dict)
    readings: tuple[TurnReading, ...] = ()
    errors: tuple[Finding, ...] = ()
    turn_findings: tuple[Finding, ...] = ()
    lint_findings: tuple[Finding, ...] = ()
    complete: bool = False
    linted: bool = False

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that is wrong, and what would surprise."""
        return (*self.errors, *self.turn_findings, *self.lint_findings)

    @property
    def versions(self) -> dict[str, int | None]:
        """The versions of the documents that it is about."""
        return {uri: document.version for uri, document in self.documents.items()}

    def readings_of(self, uri: str) -> tuple[TurnReading, ...]:
        """The readings of a document's turns, in order."""
        return tuple(one for one in self.readings if one.uri == uri)


@dataclass(slots=True)
class _Compiled:
    """A language's lexicon, what it depends on, and the turns read with it."""

    key: Hashable
    lexicon: "Lexicon"
    plans: dict[tuple[str, str | None], "Plan"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _WordFindings:
    """What lint found with compiled words, and in which texts."""

    key: Hashable
    documents: Mapping[str, Document]
    findings: tuple[Finding, ...]


class Analyser:
    """Analyses the versions of one vocabulary; used by one thread at a time."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._compiled: dict[Language, _Compiled] = {}
        self._selector: tuple[Hashable, Selector] | None = None
        self._settings: Hashable = None
        self._words: _WordFindings | None = None
        self._good: Vocabulary | None = None
        self._sound: dict[str, DocumentIndex] = {}

    def analyse(self, files: Files, before: Analysis | None) -> Iterator[Analysis | None]:
        """Give what is known after each step, or None where a step is not yet done.

        Findings of steps that are still to come are those of `before`, moved along with the text.
        Raises Superseded.
        """
        analysis = self._load(files, before)
        yield analysis
        if analysis.loaded.vocabulary is not None:
            self._good = analysis.loaded.vocabulary
            indexes = (files.index(uri) for uri in analysis.documents)
            self._sound = {index.uri: index for index in indexes if index is not None}
            yield from self._compile(self._good)
        vocabulary = self._good
        selector = None if self._selector is None else self._selector[1]
        analysis = replace(
            analysis,
            vocabulary=vocabulary,
            selector=selector,
            stale=analysis.loaded.vocabulary is None,
            sound=self._sound,
        )
        readings: list[TurnReading] = []
        if selector is not None and vocabulary is not None:
            for reading in self._read(files, analysis, selector):
                if reading is None:
                    yield None
                else:
                    readings.append(reading)
        turn_findings = analysis.turn_findings
        if not analysis.stale:
            turn_findings = tuple(finding for one in readings if (finding := _turn_finding(one)))
        analysis = replace(
            analysis, readings=tuple(readings), turn_findings=turn_findings, complete=True
        )
        yield analysis
        if not analysis.stale and vocabulary is not None:
            analysis = replace(analysis, lint_findings=tuple(self._lint(vocabulary, analysis)))
        yield replace(analysis, linted=True)

    # ------------------------------------------------------------ the steps

    def _load(self, files: Files, before: Analysis | None) -> Analysis:
        path = path_of(self._uri)
        main = files.document(self._uri)
        text = "" if main is None else main.text.removeprefix("\ufeff")
        if path is not None and main is None:
            loaded = load_text("", path, files.read, files.parse)
        else:
            loaded = load_text(text, path or self._uri, files.read, files.parse)
        documents = {self._uri: main} if main is not None else {}
        for file in loaded.sources:
            document = files.document(uri_of(file)) if path is not None else main
            if document is not None:
                documents[document.uri] = document
        its = self._place(documents)
        errors = tuple(
            finding for one in loaded.diagnostics if (finding := finding_of(one, its)) is not None
        )
        made = Analysis(self._uri, documents, loaded, errors=errors)
        if before is None:
            return made
        old = before.documents.get
        return replace(
            made,
            turn_findings=tuple(carried(before.turn_findings, old, documents.get)),
            lint_findings=tuple(carried(before.lint_findings, old, documents.get)),
        )

    def _place(self, documents: Mapping[str, Document]) -> Callable[[str], Document | None]:
        """Find documents by the URIs of the files that locations name."""
        if path_of(self._uri) is not None:
            return documents.get
        alone = documents.get(self._uri)  # an unsaved document, which goes by its own URI
        return lambda uri: documents.get(uri, alone)

    def _compile(self, vocabulary: Vocabulary) -> Iterator[None]:
        from stalwart_lang.selector.compile import compile_lexicon
        from stalwart_lang.selector.selector import Selector
        from stalwart_lang.selector.store import Compiled

        lexicons: dict[Language, Lexicon] = {}
        for language in LANGUAGES:
            key = _words_of(vocabulary, language)
            known = self._compiled.get(language)
            if known is None or known.key != key:
                with collector_paused():
                    known = _Compiled(key, compile_lexicon(vocabulary, language))
                self._compiled[language] = known
                yield None
            lexicons[language] = known.lexicon
        settings = vocabulary.settings
        its = settings.language, tuple(settings.currency.items()), settings.timezone
        if its != self._settings:
            self._settings = its
            for known in self._compiled.values():
                known.plans.clear()
        key = its, vocabulary.name, tuple(id(lexicon) for lexicon in lexicons.values())
        if self._selector is not None and self._selector[0] == key:
            return
        compiled = Compiled(
            name=vocabulary.name,
            digest=vocabulary.digest,
            language=settings.language,
            currency=dict(settings.currency),
            timezone=settings.timezone,
            lexicons=lexicons,
        )
        self._selector = key, Selector.from_compiled(compiled)

    def _read(
        self, files: Files, analysis: Analysis, selector: "Selector"
    ) -> Iterator[TurnReading | None]:
        wanted = {} if analysis.stale else _turns_by_place(analysis)
        used: dict[Language, dict[tuple[str, str | None], Plan]] = {}
        since = time.monotonic()
        for uri in analysis.documents:
            index = files.index(uri)
            for turn in () if index is None else index.turns:
                known = self._compiled[turn.language].plans
                key = turn.text, turn.now
                plan = known.get(key)
                if plan is None:
                    plan = _plan(selector, turn)
                if plan is not None:
                    known[key] = used.setdefault(turn.language, {})[key] = plan
                    yield _reading(analysis, uri, turn, plan, wanted)
                if time.monotonic() - since > _SLICE:
                    yield None
                    since = time.monotonic()
        for language, plans in used.items():
            self._compiled[language].plans = plans

    def _lint(self, vocabulary: Vocabulary, analysis: Analysis) -> Iterator[Finding]:
        from stalwart_lang.vocabulary.lint import lint

        its = self._place(analysis.documents)
        for one in lint(vocabulary):
            finding = finding_of(one, its)
            if finding is not None:
                yield finding
        yield from self._lint_words(vocabulary, analysis)

    def _lint_words(self, vocabulary: Vocabulary, analysis: Analysis) -> tuple[Finding, ...]:
        """What lint finds with the compiled words; it is the same while they are, but moves."""
        lexicons = {language: known.lexicon for language, known in self._compiled.items()}
        key = tuple(map(id, lexicons.values()))
        documents = analysis.documents
        if self._words is not None and self._words.key == key:
            kept = carried(self._words.findings, self._words.documents.get, documents.get)
            if len(kept) == len(self._words.findings):
                self._words = _WordFindings(key, documents, tuple(kept))
                return self._words.findings
        from stalwart_lang.selector.overlap import overlaps
        from stalwart_lang.selector.unreadable import unreadable

        its = self._place(documents)
        found = (*overlaps(vocabulary, lexicons), *unreadable(vocabulary, lexicons))
        placed = (finding_of(one, its) for one in found)
        findings = tuple(one for one in placed if one is not None)
        self._words = _WordFindings(key, documents, findings)
        return findings


def _plan(selector: "Selector", turn: TurnText) -> "Plan | None":
    """How a turn is read; None where its `now` is no time, which is an error of its own."""
    try:
        return selector.plan(turn.text, language=turn.language, now=turn.now)
    except ValueError:
        return None


def _turns_by_place(analysis: Analysis) -> dict[tuple[str, int], tuple[Turn, Phrase]]:
    """The turns of the vocabulary by the place of their text."""
    vocabulary = analysis.vocabulary
    found: dict[tuple[str, int], tuple[Turn, Phrase]] = {}
    for turn in () if vocabulary is None else vocabulary.turns:
        for phrases in turn.say.values():
            for phrase in phrases:
                where = phrase.location
                document = analysis.documents.get(uri_of(where.file))
                if document is None:
                    document = analysis.documents.get(analysis.uri)
                if document is not None:
                    start = document.offset_at(where.line, where.column)
                    found[document.uri, start] = turn, phrase
    return found


def _reading(
    analysis: Analysis,
    uri: str,
    turn: TurnText,
    plan: "Plan",
    wanted: Mapping[tuple[str, int], tuple[Turn, Phrase]],
) -> TurnReading:
    from stalwart_lang.selector.turns import judge

    entry = wanted.get((uri, turn.start))
    if entry is None or analysis.vocabulary is None:
        return TurnReading(uri, turn, plan)
    result: TurnResult = judge(analysis.vocabulary, *entry, plan)
    return TurnReading(uri, turn, plan, result.ok, result.expected, result.got)


def _turn_finding(reading: TurnReading) -> Finding | None:
    """What is wrong with a turn that is not read as its entry wants; at the word that stops it."""
    if reading.ok is not False:
        return None
    turn, plan = reading.turn, reading.plan
    start, end = turn.start, turn.end
    message = f"read as {'; '.join(reading.got)}, not {'; '.join(reading.expected)}"
    reason = plan.reasons[0] if plan.reasons else None
    if plan.verdict == "unread" and reason is not None:
        if reason.end > reason.start:
            start, end = turn.place(reason.start), turn.place(reason.end)
        message = f"{'; '.join(reading.got)}. {reason.message}"
    return Finding(reading.uri, start, max(start, end), TURN_CODE, message)


def _words_of(vocabulary: Vocabulary, language: Language) -> Hashable:
    """Everything that a language's lexicon is made of, without the places it stands at."""

    def said(words: Words) -> tuple[str, ...]:
        return tuple(phrase.text for phrase in words.get(language, ()))

    return (
        tuple(
            (
                tool.name,
                tool.writes,
                said(tool.say),
                tuple(
                    (
                        argument.name,
                        argument.types,
                        argument.required,
                        said(argument.words),
                        tuple(argument.ask.items()),
                    )
                    for argument in tool.arguments
                ),
            )
            for tool in vocabulary.tools.values()
        ),
        tuple(
            (thing.name, said(thing.words))
            for nouns in (vocabulary.things, vocabulary.units)
            for thing in nouns.values()
        ),
        len(vocabulary.things),
        tuple(
            (closed.name, tuple((member.name, said(member.words)) for member in closed.members))
            for closed in vocabulary.values.values()
        ),
        tuple(vocabulary.settings.currency.items()),
    )


def merged(analyses: Iterable[Analysis], uri: str) -> tuple[Finding, ...]:
    """What several vocabularies find in a file that they share, each finding once."""
    found = (one for analysis in analyses for one in analysis.findings if one.uri == uri)
    return tuple(sorted(dict.fromkeys(found), key=_place_of))


def _place_of(finding: Finding) -> tuple[int, int, str, str]:
    return finding.start, finding.end, finding.code, finding.message
