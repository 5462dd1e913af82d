"""The selector: a person's turn becomes a typed plan, or a reason why not."""

from collections.abc import Callable
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from stalwart_lang.selector.plan import LanguageSource, Plan
from stalwart_lang.selector.reader import Reader
from stalwart_lang.selector.store import Compiled, compile_vocabulary, load_compiled
from stalwart_lang.selector.values.codes import require_readers
from stalwart_lang.selector.values.reading import Clock
from stalwart_lang.vocabulary.model import LANGUAGES, Language, Vocabulary

if TYPE_CHECKING:
    from stalwart_lang.tracing import Tracer


class Selector:
    """Reads turns with one vocabulary.

    Safe to share between threads: reading changes nothing but caches. `console_language` is the
    language that the console is set to read, for turns whose request names none. Raises
    ImportError where a type that the vocabulary uses needs the extra `values`.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        tracer: "Tracer | None" = None,
        console_language: Language | None = None,
    ) -> None:
        if not isinstance(vocabulary, Vocabulary):
            name = type(vocabulary).__name__
            raise TypeError(f"a Vocabulary, not {name}; Selector.load takes a path or a name")
        self._start(compile_vocabulary(vocabulary), tracer, console_language)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        tracer: "Tracer | None" = None,
        console_language: Language | None = None,
    ) -> "Selector":
        """Make a selector from a vocabulary's path or a shipped one's name.

        The compiled form is kept in the user's cache folder, by content and version.
        Raises `VocabularyError` where the vocabulary has errors, OSError where it cannot be read,
        ImportError where a type it uses needs the extra `values`.
        """
        selector = cls.__new__(cls)
        selector._start(load_compiled(path), tracer, console_language)
        return selector

    @classmethod
    def from_compiled(
        cls,
        compiled: Compiled,
        *,
        tracer: "Tracer | None" = None,
        console_language: Language | None = None,
    ) -> "Selector":
        """Make a selector from a vocabulary that is compiled already.

        Raises ImportError where a type that it uses needs the extra `values`.
        """
        selector = cls.__new__(cls)
        selector._start(compiled, tracer, console_language)
        return selector

    def _start(
        self, compiled: Compiled, tracer: "Tracer | None", console_language: Language | None
    ) -> None:
        if console_language is not None:
            _check_language(console_language)
        for lexicon in compiled.lexicons.values():
            require_readers([(kind, length) for kind, length in lexicon.codes])
        self.name = compiled.name
        self.digest = compiled.digest
        self._compiled = compiled
        self._tracer = tracer
        self._console_language = console_language
        self._zone: tzinfo = ZoneInfo(compiled.timezone or "UTC")
        self._readers: dict[Language, Reader] = {}

    def plan(
        self,
        turn: str,
        language: Language | None = None,
        now: str | datetime | None = None,
        pending: Plan | None = None,
    ) -> Plan:
        """Read `turn`.

        `language` is the request's; without it the console's setting, the vocabulary's
        `settings.language` or English is used. Relative dates are reckoned from `now` (ISO 8601
        text or a datetime; one without an offset is in the vocabulary's time zone), the current
        time by default. `pending`, an incomplete plan, is filled from the turn where the turn
        answers its question; without a `language`, the answer is read in the plan's.

        Raises ValueError where `language` is not one of `en` and `pt-BR` or `now` is no time,
        TypeError where an argument is of another type.
        """
        if not isinstance(turn, str):
            raise TypeError(f"a turn is text, not {type(turn).__name__}")
        if pending is not None and not isinstance(pending, Plan):
            raise TypeError(f"pending is a Plan, not {type(pending).__name__}")
        if language is None and pending is not None:
            chosen, source = pending.language, pending.language_from
        else:
            chosen, source = self._language(language)
        if self._tracer is None:
            return self._plan(turn, chosen, source, now, pending)
        from stalwart_lang.tracing.spans import plan_span

        with plan_span(self._tracer, turn) as span:
            plan = self._plan(turn, chosen, source, now, pending)
            span.planned(plan, self.name, self.digest)
        return plan

    def _plan(
        self,
        turn: str,
        language: Language,
        source: LanguageSource,
        now: str | datetime | None,
        pending: Plan | None,
    ) -> Plan:
        clock = _clock(now, self._zone)
        return self._reader(language).read(turn, source, clock, pending)

    def _language(self, requested: Language | None) -> tuple[Language, LanguageSource]:
        if requested is not None:
            return _check_language(requested), "request"
        if self._console_language is not None:
            return self._console_language, "console"
        if self._compiled.language is not None:
            return self._compiled.language, "vocabulary"
        return "en", "default"

    def _reader(self, language: Language) -> "Reader":
        reader = self._readers.get(language)
        if reader is None:
            reader = self._readers[language] = Reader(self._compiled, language)
        return reader


def _check_language(language: str) -> Language:
    for known in LANGUAGES:
        if language == known:
            return known
    raise ValueError(f"language is {language!r}; it must be one of {', '.join(LANGUAGES)}")


def _clock(now: str | datetime | None, zone: tzinfo) -> Callable[[], Clock]:
    """Give a function that makes the clock where a turn needs it; a bad `now` is told at once."""
    if isinstance(now, str):
        try:
            now = datetime.fromisoformat(now)
        except ValueError:
            raise ValueError(
                f"now is {now!r}; it must be an ISO 8601 time such as 2027-03-03T09:00:00-03:00"
            ) from None

    if now is not None and not isinstance(now, datetime):
        raise TypeError(f"now is ISO 8601 text or a datetime, not {type(now).__name__}")
    if now is not None and not 2 <= now.year <= 9998:
        raise ValueError(f"now is {now.isoformat()}; its year must be from 2 to 9998")
    made: list[Clock] = []

    def make() -> Clock:
        if not made:
            if now is None:
                made.append(Clock(datetime.now(zone)))
            else:
                made.append(Clock(now.astimezone(zone) if now.tzinfo else now.replace(tzinfo=zone)))
        return made[0]

    return make
