"""Compile a vocabulary into one language's lexicon: its words, and the frames they ask for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from stalwart_lang.selector.grammar import Grammar, load_grammar
from stalwart_lang.selector.languages import (
    ABBREVIATIONS,
    INTRODUCES,
    OBJECT_GIVEN,
    OBJECT_NAMED,
    ONLY_WITH,
    PREPOSITIONS,
    TYPE_LABELS,
)
from stalwart_lang.selector.lexer_tables import LexerTables, make_tables
from stalwart_lang.selector.lexicon import (
    DROPPED,
    JOINT,
    PLACED,
    PLAIN,
    UNREAD,
    Entry,
    Lexicon,
)
from stalwart_lang.selector.messages import OTHER_QUESTION, QUESTIONS
from stalwart_lang.vocabulary.model import (
    Argument,
    Language,
    Phrase,
    PhrasePart,
    Tool,
    Vocabulary,
)
from stalwart_lang.words import english_forms, portuguese_forms
from stalwart_lang.words.text import spellings, tokenize


def compile_lexicon(vocabulary: Vocabulary, language: Language) -> Lexicon:
    """Compile the words and phrases that `vocabulary` has in `language`."""
    grammar = load_grammar(language)
    number = {name: i for i, name in enumerate(grammar.terminals)}
    builder = _Builder()
    _add_grammar(builder, grammar, language)
    labels: dict[str, set[str]] = {}
    frames: list[dict[str, Any]] = []
    index: dict[str, list[int]] = {}
    verbs: dict[str, None] = {}
    pieces: set[str] = set()
    phrases = _Phrases(vocabulary, language, grammar)
    for tool in vocabulary.tools.values():
        for phrase in tool.say.get(language, ()):
            verb, key, frame = phrases.compile(tool, phrase)
            verbs[verb] = None
            for piece in key:
                if "#" not in piece and piece not in pieces:
                    pieces.add(piece)
                    builder.add(piece.split(" "), number["COMPLEMENT"], (piece, False))
            for slot in frame["slots"]:
                for label in slot["labels"]:
                    labels.setdefault(label, set())
            index.setdefault("|".join([verb, *sorted(key)]), []).append(len(frames))
            frames.append(frame)
    for piece in sorted(pieces):
        many = phrases.plural(piece)
        if many not in pieces:  # another phrase's noun, else: "cancel the bookings"
            builder.add(many.split(" "), number["COMPLEMENT"], (piece, True))
    for verb in verbs:
        _add_verb(builder, number, language, verb)
    if language == "pt-BR":
        builder.share_forms(number["INFORMAL"], number["IMPERATIVE"])
    for noun, (things, plural) in phrases.things.items():
        builder.add(noun.split(" "), number["THINGS" if plural else "THING"], sorted(things))
    for member, kept in phrases.members.items():
        builder.add(member.split(" "), number["MEMBER"], sorted(map(list, kept)))
    for label in labels:
        if not label.startswith("="):
            builder.add(tokenize(label), number["LABEL"], [label])
    for verb in verbs:
        _add_spoken_of(builder, language, verb)
    tables = make_tables(grammar, language)
    return Lexicon(
        builder.finished(tables),
        frames,
        index,
        phrases.genders,
        _codes(vocabulary),
        {key: True for key in index if key.partition("|")[2] in phrases.prepositions},
        _units(vocabulary, language, phrases.plural),
    )


def _units(
    vocabulary: Vocabulary, language: Language, plural: Callable[[str], str]
) -> dict[str, str]:
    """Give the words of the units of quantities, one token each, in both numbers."""
    found: dict[str, str] = {}
    for unit in vocabulary.units.values():
        for phrase in unit.words.get(language, ()):
            for form in {_text(phrase), plural(_text(phrase))}:
                for typed in spellings(form):
                    found.setdefault(typed, unit.name)
    return found


def _codes(vocabulary: Vocabulary) -> list[list[Any]]:
    """Give the kinds of codes that the arguments of a vocabulary take."""
    found = {
        (type_.kind, type_.length if type_.kind == "digits" else None)
        for tool in vocabulary.tools.values()
        for argument in tool.arguments
        for type_ in argument.types
        if type_.kind in ("telephone", "cpf", "cnpj", "digits")
    }
    return sorted(([kind, length] for kind, length in found), key=str)


_DROPPED = frozenset({"POLITE", "OPENING", "CLOSING", "AFTER_VERB"})


class _Builder:
    """Collects what each word can be, under every spelling a person may type."""

    def __init__(self) -> None:
        self._root: dict[str, Entry] = {}
        self._final: set[int] = set()

    def add(self, words: Iterable[str], type_: int, payload: Any, *, final: bool = False) -> None:
        """Say that these words in a row can be of a type; `final`: and of no other, ever."""
        nodes: list[dict[str, Entry]] = [self._root]
        *first, last = words
        for word in first:
            following: list[dict[str, Entry]] = []
            for typed in spellings(word):
                if typed != word and len(word) == 1:
                    continue
                for node in nodes:
                    entry = node.setdefault(typed, [[], [], None, 0])
                    if entry[2] is None:
                        entry[2] = {}
                    if all(entry[2] is not known for known in following):
                        following.append(entry[2])
            nodes = following
        for typed in spellings(last):
            if typed != last and len(last) == 1:
                continue
            for node in nodes:
                entry = node.setdefault(typed, [[], [], None, 0])
                if final and typed == last:
                    entry[:2] = [[UNREAD], [payload]]
                    self._final.add(id(entry))
                elif id(entry) not in self._final:
                    _put(entry, type_, payload, typed == last)

    def share_forms(self, informal: int, imperative: int) -> None:
        """Let a form that two verbs share in different moods ask for both.

        `Cobre` is the informal imperative of *cobrir* and the formal one of *cobrar*. It comes
        first as the informal one of both; after "quero que" it is the formal one only.
        """
        for entry in self._root.values():
            types, payloads = entry[0], entry[1]
            if informal in types and imperative in types:
                at, formal = types.index(informal), payloads[types.index(imperative)]
                both = payloads[at] + [verb for verb in formal if verb not in payloads[at]]
                del types[at], payloads[at]
                types.insert(0, informal)
                payloads.insert(0, both)

    def has(self, word: str) -> bool:
        """Tell whether `word` alone means something already."""
        return word in self._root and bool(self._root[word][0])

    def finished(self, tables: LexerTables) -> dict[str, Entry]:
        """Give the words; an entry with one meaning holds it bare.

        A word is PLAIN that means the same wherever it stands, unless a longer group of words
        begins with it: it begins no value, and no number makes it a noun. It is JOINT where it is
        plain and joins, PLACED where it may change nothing; less than 0 where only certain words
        after it make it begin a value.
        """
        for entry in _all_entries(self._root):
            if len(entry[0]) == 1:
                entry[0], entry[1] = entry[0][0], entry[1][0]
            elif not entry[0]:
                entry[0] = None
        for word, entry in self._root.items():
            plain = _plain(entry[0], tables)
            if word not in tables.value_starts:
                entry[3] = plain
            elif word in tables.followers:
                entry[3] = -plain
        return self._root


def _plain(type_: Any, tables: LexerTables) -> int:
    """Tell how plain a word of these types is that begins no value."""
    if type_.__class__ is list:
        if not tables.ids.isdisjoint(type_):
            return 0
        return PLACED if DROPPED in type_ else PLAIN
    if type_ is None or type_ == UNREAD:
        return 0
    if type_ == DROPPED:
        return PLACED
    return JOINT if type_ in tables.joints else PLAIN


def _put(entry: Entry, type_: int, payload: Any, exact: bool) -> None:
    """Add a meaning to a word.

    A word that stops the reading yields to a meaning that the grammar or the vocabulary gives the
    word in this very spelling.
    """
    types, payloads = entry[0], entry[1]
    if type_ == UNREAD:
        if not types:
            types.append(UNREAD)
            payloads.append(payload)
        return
    if UNREAD in types:
        if not exact:
            return
        types.clear()
        payloads.clear()
    if type_ not in types:
        types.append(type_)
        payloads.append(payload)
    elif isinstance(payload, list):
        at = types.index(type_)
        payloads[at] = payloads[at] + [one for one in payload if one not in payloads[at]]


def _all_entries(node: Mapping[str, Entry]) -> Iterable[Entry]:
    seen: set[int] = set()
    waiting = [node]
    while waiting:
        for entry in waiting.pop().values():
            if id(entry) not in seen:
                seen.add(id(entry))
                yield entry
                if entry[2]:
                    waiting.append(entry[2])


def _add_grammar(builder: _Builder, grammar: Grammar, language: Language) -> None:
    """Enter the words that the language's grammar lists."""
    number = {name: i for i, name in enumerate(grammar.terminals)}
    order = sorted(
        grammar.words, key=lambda name: (name.startswith("UNREAD_"), name not in _DROPPED)
    )
    for name in order:
        for words in _typed(grammar.words[name], language):
            if name in _DROPPED:
                builder.add(words, DROPPED, [name])
            elif name.startswith("UNREAD_"):
                code = name.removeprefix("UNREAD_").removesuffix("_VERB").lower()
                builder.add(words, UNREAD, code, final=name == "UNREAD_NEGATION")
            elif name in TYPE_LABELS:
                builder.add(words, number["LABEL"], ["=" + kind for kind in TYPE_LABELS[name]])
            elif name.split("_")[0] in PREPOSITIONS[language]:
                builder.add(words, number[name], name.split("_")[0].lower())
            else:
                builder.add(words, number[name], " ".join(words))


def _typed(groups: Iterable[Sequence[str]], language: Language) -> Iterable[Sequence[str]]:
    """Give word groups as listed, then with their abbreviations."""
    short = ABBREVIATIONS[language]
    listed = {tuple(group) for group in groups}
    for group in groups:
        yield group
        if len(group) > 1:
            for typed in product(*((word, *short.get(word, ())) for word in group)):
                if typed not in listed:
                    yield typed


class _Shape(NamedTuple):
    """What of a phrase and its tool decides which prepositions its arguments take.

    `direct`: it is a verb alone, and an argument its object; `many`: it is about things in the
    plural; `kinds`: the types that the tool takes.
    """

    direct: bool
    many: bool
    kinds: frozenset[str]


class _Phrases:
    """Compiles phrases to frames, and collects the nouns and closed lists of a vocabulary."""

    def __init__(self, vocabulary: Vocabulary, language: Language, grammar: Grammar) -> None:
        self.language = language
        self._vocabulary = vocabulary
        self.things: dict[str, tuple[set[str], bool]] = {}
        self.members: dict[str, set[tuple[str, str]]] = {}
        self.nouns: dict[str, str] = {}
        self.genders: dict[str, str] = {}
        self._determiners = {words[0] for words in grammar.words["DET"] if len(words) == 1}
        self._prepositions: dict[tuple[str, ...], str] = {}
        self._slots: dict[Any, dict[str, Any]] = {}
        for name, groups in grammar.words.items():
            if name.split("_")[0] in PREPOSITIONS[language] and not name.endswith(
                ("_THIS", "_THESE", "_PRONOUN")
            ):
                for words in groups:
                    self._prepositions.setdefault(words, name.split("_")[0].lower())
        self.prepositions = frozenset(" ".join(words) for words in self._prepositions)
        self._gender = portuguese_forms.gender if language == "pt-BR" else _no_gender
        self.plural = english_forms.plural if language == "en" else portuguese_forms.plural
        for thing in vocabulary.things.values():
            for phrase in thing.words.get(language, ()):
                self._add_thing(thing.name, _text(phrase))
        for closed in vocabulary.values.values():
            for member in closed.members:
                for phrase in member.words.get(language, ()):
                    text = _text(phrase)
                    forms: Iterable[str] = (text,)
                    if language == "pt-BR":
                        forms = portuguese_forms.adjective_forms(text)
                    for form in forms:
                        self.members.setdefault(form, set()).add((closed.name, member.name))

    def _add_thing(self, name: str, noun: str) -> None:
        gender = self._gender(noun) or ""
        self.genders[name] = gender if self.genders.get(name, gender) == gender else ""
        many = self.plural(noun)
        self.things.setdefault(noun, (set(), False))[0].add(name)
        self.nouns[noun] = f"{name}#1"
        if many != noun:
            self.things.setdefault(many, (set(), True))[0].add(name)
            self.nouns[many] = f"{name}#n"

    def compile(self, tool: Tool, phrase: Phrase) -> tuple[str, tuple[str, ...], dict[str, Any]]:
        """Give a phrase's verb, the rest that must be said, and the frame with its slots."""
        introduced: dict[str, tuple[str, str] | None] = {}
        pieces: dict[str, str] = {}
        run: list[str] = []
        parts = list(phrase.parts)
        verb = _lower(parts[0])
        for part in parts[1:]:
            if part.kind == "word":
                run.extend(tokenize(_lower(part)))
            else:
                introduced[part.text] = self._introducer(run)
                pieces |= self._pieces(run)
                run = []
        pieces |= self._pieces(run)
        key = tuple(self.nouns.get(piece, piece) for piece in pieces)
        for piece in key:
            if "#" not in piece:
                self.genders[piece] = self._gender(piece) or ""
        shape = _Shape(
            direct=not key and not any(introduced.values()),
            many=any(piece.endswith("#n") for piece in key),
            kinds=frozenset(type_.kind for its in tool.arguments for type_ in its.types),
        )
        frame = {
            "tool": tool.name,
            "rule": phrase.path,
            "phrase": phrase.text,
            "file": phrase.location.file,
            "line": phrase.location.line,
            "writes": tool.writes,
            "direct": shape.direct,
            "said": dict(zip(key, pieces.values(), strict=True)),
            "slots": [self._slot(argument, introduced, shape) for argument in tool.arguments],
        }
        return verb, key, frame

    def _introducer(self, run: list[str]) -> tuple[str, str] | None:
        """Take the word before a slot off `run`: a preposition, a label, or None for nothing."""
        while run and run[-1] in self._determiners and tuple(run[-1:]) not in self._prepositions:
            run.pop()
        for length in range(min(4, len(run)), 0, -1):
            words = tuple(run[-length:])
            if words in self._prepositions:
                del run[-length:]
                return ("preposition", self._prepositions[words])
        if run:
            return ("label", run.pop())
        return None

    def _pieces(self, run: list[str]) -> dict[str, str]:
        """Cut words at their articles; give each piece with the preposition before it, if any."""
        pieces: list[list[str]] = [[]]
        for at, word in enumerate(run):
            after_preposition = bool(pieces[-1]) and (pieces[-1][-1],) in self._prepositions
            if word in self._determiners and not (after_preposition and len(pieces[-1]) > 1):
                if pieces[-1] and not (after_preposition and len(pieces[-1]) == 1):
                    pieces.append([])
                if (word,) in self._prepositions and at + 1 == len(run):
                    pieces[-1].append(word)
                continue
            pieces[-1].append(word)
        made: dict[str, str] = {}
        for piece in pieces:
            preposition = ""
            if len(piece) > 1 and (piece[0],) in self._prepositions:
                preposition = self._prepositions[(piece[0],)]
                piece = piece[1:]
            if piece:
                made[" ".join(piece)] = preposition
        return made

    def _slot(
        self,
        argument: Argument,
        introduced: Mapping[str, tuple[str, str] | None],
        shape: _Shape,
    ) -> dict[str, Any]:
        """Give the slot of an argument: one object for all that are alike, most are."""
        key = (
            argument.name,
            argument.types,
            argument.required,
            argument.ask.get(self.language),
            tuple(phrase.text for phrase in argument.words.get(self.language, ())),
            introduced.get(argument.name, ()),
            shape,
        )
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = self._make_slot(argument, introduced, shape)
        return slot

    def _make_slot(
        self,
        argument: Argument,
        introduced: Mapping[str, tuple[str, str] | None],
        shape: _Shape,
    ) -> dict[str, Any]:
        defaults = INTRODUCES[self.language]
        more = (OBJECT_GIVEN if shape.direct else OBJECT_NAMED)[self.language]
        if shape.many:
            more = {kind: usual for kind, usual in more.items() if kind != "list"}
        preps: dict[str, frozenset[str]] = {
            type_.kind: defaults[type_.kind] | more.get(type_.kind, frozenset())
            for type_ in argument.types
        }
        # One refunds $40 from an order, and invites nobody from an event; a note is about an order,
        # an account is not.
        unusual = {
            word for word, with_ in ONLY_WITH[self.language].items() if with_ not in shape.kinds
        }
        preps = {kind: usual - unusual for kind, usual in preps.items()}
        labels = {_text(phrase) for phrase in argument.words.get(self.language, ())}
        if argument.name in introduced:
            by = introduced[argument.name]
            if by is not None and by[0] == "label":
                labels.add(by[1])
            only = frozenset({""}) if by is None else frozenset({by[1]})
            if by is not None and by[0] == "label":
                only = frozenset()
            preps = dict.fromkeys(preps, only)
        return {
            "name": argument.name,
            "types": [[type_.kind, type_.name, type_.length] for type_ in argument.types],
            "required": argument.required,
            "preps": {kind: sorted(usual) for kind, usual in preps.items()},
            "labels": sorted(labels),
            "ask": argument.ask.get(self.language) or self._question(argument),
        }

    def _question(self, argument: Argument) -> str:
        """Make the question for an argument whose author wrote none."""
        type_ = argument.types[0]
        words = argument.words.get(self.language, ())
        noun = _text(words[0]) if words else argument.name.replace("_", " ")
        members: list[str] = []
        if type_.kind == "thing" and len(argument.types) == 1:
            things = self._vocabulary.things[type_.name].words.get(self.language, ())
            noun = things[0].text if things else noun
        elif type_.kind == "list":
            closed = self._vocabulary.values[type_.name]
            its = [member.words.get(self.language, ()) for member in closed.members]
            members = [phrases[0].text for phrases in its if phrases]
        question = QUESTIONS.get(type_.kind) if len(argument.types) == 1 else None
        made = (question or OTHER_QUESTION)[self.language]
        return made.format(noun=noun, members=", ".join(members))


def _no_gender(_noun: str) -> None:
    return None


def _lower(part: PhrasePart) -> str:
    return spellings(part.text)[0]


def _text(phrase: Phrase) -> str:
    """Give a phrase of a noun as the lexer will meet it: lower case, one blank between tokens."""
    return " ".join(tokenize(spellings(phrase.text)[0]))


def _add_verb(builder: _Builder, number: Mapping[str, int], language: Language, verb: str) -> None:
    """Enter the forms of a verb that ask for an act."""
    if language == "en":
        builder.add([verb], number["BASE"], [verb])
        for form in english_forms.verb_forms(verb).gerund:
            builder.add([form], number["ING"], [verb])
    else:
        _add_portuguese_verb(builder, number, verb)


def _add_portuguese_verb(builder: _Builder, number: Mapping[str, int], verb: str) -> None:
    forms = portuguese_forms.verb_forms(verb)
    for form in sorted(forms.subjunctive):
        builder.add([form], number["IMPERATIVE"], [verb])
    for form in sorted(set(forms.imperative) - set(forms.subjunctive)):
        builder.add([form], number["INFORMAL"], [verb])
    builder.add([forms.infinitive], number["INFINITIVE"], [verb])
    for form in forms.past_subjunctive:
        builder.add([form], number["PAST_SUBJUNCTIVE"], [verb])
    for form, (mood, pronoun) in portuguese_forms.clitic_forms(verb).items():
        if pronoun in ("me", "nos"):
            builder.add(tokenize(form), number[f"{mood.upper()}_ME"], [verb])
        elif pronoun in ("o", "a", "os", "as"):
            builder.add(tokenize(form), number[f"{mood.upper()}_CLITIC"], [[verb, pronoun]])


def _add_spoken_of(builder: _Builder, language: Language, verb: str) -> None:
    """Enter the forms that only speak of an act, where they mean nothing else."""
    for code, spoken in _spoken_of(language, verb):
        for form in sorted(spoken):
            if not builder.has(form):
                builder.add([form], UNREAD, code)


def _spoken_of(language: Language, verb: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if language == "en":
        english = english_forms.verb_forms(verb)
        return (
            ("past", (*english.past, *english.participle)),
            ("reported", (english.third_person,)),
        )
    forms = portuguese_forms.verb_forms(verb)
    return (
        ("past", (*forms.past, *forms.participles)),
        ("future", forms.future),
        ("reported", (*forms.present_other, *forms.gerund)),
        ("other_language", forms.tu_forms),
        ("hortative", forms.hortative),
    )
