"""What is said of vocabularies, in each language; what is in braces is filled in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stalwart_lang.lsp.index.model import DocumentIndex
from stalwart_lang.lsp.yaml_edits import entry_named
from stalwart_lang.vocabulary.model import LANGUAGES, Language
from stalwart_lang.vocabulary.yaml12 import Scalar

if TYPE_CHECKING:
    from stalwart_lang.lsp.server import Server


@dataclass(frozen=True, slots=True)
class Words:
    """Every sentence and label about a vocabulary."""

    written_in: Language
    kinds: Mapping[str, str]
    """By what a name stands for, what it is called."""
    part_of: str
    both: str

    undone_by: str
    undoes: str
    takes_nothing: str
    arguments: str
    optional: str
    asks: str
    introduced_by: str
    phrases: str
    no_phrases: str
    examples: str
    of_earlier: str
    rules: str

    conditions: Mapping[str, str]
    where: str
    never: str
    requires: str
    confirms: str
    after: str
    not_after: str
    at_most: str
    once: str
    not_once: str
    checked: str
    step: str
    says: str
    only_recorded: str
    not_yet: str

    decisions: str
    decisions_of_phrase: str
    latest: str
    no_decisions: str
    by: str

    verb_forms: str
    may_leave_out: str
    words: str
    members: str
    used_by: str
    required_by: str
    given_in: str

    verdicts: Mapping[str, str]
    """By the verdict of a plan, a sentence."""
    short: Mapping[str, str]
    """By the verdict of a plan, a word."""
    reading: str
    phrase: str
    needs: str
    could_stand: str
    language: str
    chosen_by: Mapping[str, str]
    expected: str
    more_calls: str

    timeline: str
    last: str
    which_decision: str
    try_turn: str
    not_changed: str
    takes_no_edits: str
    no_vocabulary: str
    has_errors: str
    no_such_language: str


EN = Words(
    written_in="en",
    kinds={
        "tool": "Tool",
        "slot": "Argument",
        "thing": "Thing",
        "list": "Closed list",
        "member": "Value",
        "unit": "Unit",
        "rule": "Rule",
        "fact": "Fact",
        "phrase": "Phrase",
        "turn": "Turn",
        "key": "Key",
    },
    part_of="of {name}",
    both="and",
    undone_by="Undone by {name}.",
    undoes="Undoes {name}.",
    takes_nothing="It takes no arguments.",
    arguments="Arguments",
    optional="optional",
    asks="asked for with {said}",
    introduced_by="introduced by {said}",
    phrases="Phrases",
    no_phrases="No turn can ask for it: it has no phrases.",
    examples="Turns that read so",
    of_earlier="{title}, as of an earlier text",
    rules="Rules",
    conditions={
        "over": "{argument} is over {value}",
        "under": "{argument} is under {value}",
        "one_of": "{argument} is one of {value}",
        "matches": "all of {argument} matches {value}",
    },
    where="Where {conditions}:",
    never="{tool} is refused.",
    requires="{tool} is refused unless {facts} is true.",
    confirms="A person must confirm {tool}.",
    after="{tool} runs only after {other} has run, about the same things.",
    not_after="{tool} does not run after {other} has run, about the same things.",
    at_most="{tool} runs at most {count} times in a run.",
    once="{tool} runs only once in a run.",
    not_once="{tool} does not run at all.",
    checked="In the check",
    step="step {step}: {outcome}, as {name}",
    says="It says",
    only_recorded="The vocabulary has errors: what the rule means is not known before they are "
    "mended.",
    not_yet="It was changed just now: the rest is told once the vocabulary is read again, without "
    "errors.",
    decisions="Recorded decisions",
    decisions_of_phrase="Recorded turns that it read",
    latest="Latest",
    no_decisions="No recorded decision has been found.",
    by="by {step}",
    verb_forms="Forms of the verb",
    may_leave_out="may be left out",
    words="Words",
    members="Values",
    used_by="Used by",
    required_by="Required by",
    given_in="Given in {place}.",
    verdicts={
        "read": "This turn is **read**.",
        "incomplete": "Something is **missing** in this turn.",
        "ambiguous": "This turn is **ambiguous**: it can be read in more than one way.",
        "unread": "This turn is **not read**.",
    },
    short={"incomplete": "incomplete", "ambiguous": "ambiguous", "unread": "unread"},
    reading="Reading {number}",
    phrase="phrase",
    needs="{tool} needs {argument}: {question}",
    could_stand="Could stand there",
    language="Language",
    chosen_by={
        "key": "the key that the turn stands under",
        "request": "asked for with the turn",
        "console": "set in the editor",
        "vocabulary": "the vocabulary's",
        "default": "the default",
    },
    expected="The entry wants {expected}, and gets {got}.",
    more_calls="{n} more",
    timeline="Open timeline",
    last="last {time}: {outcome}",
    which_decision="Which decision of {name}?",
    try_turn="Try a turn",
    not_changed="{file} comes with the package and is not changed: copy it, and try turns in the "
    "copy.",
    takes_no_edits="This editor takes no edits from the server: write an entry under `turns:`.",
    no_vocabulary="There is no vocabulary to try a turn with.",
    has_errors="The vocabulary has errors: no turn can be read before they are mended.",
    no_such_language="There is no language {language}: it is en or pt-BR.",
)

PT_BR = Words(
    written_in="pt-BR",
    kinds={
        "tool": "Ferramenta",
        "slot": "Argumento",
        "thing": "Coisa",
        "list": "Lista fechada",
        "member": "Valor",
        "unit": "Unidade",
        "rule": "Regra",
        "fact": "Fato",
        "phrase": "Frase",
        "turn": "Pedido",
        "key": "Chave",
    },
    part_of="de {name}",
    both="e",
    undone_by="Desfeita por {name}.",
    undoes="Desfaz {name}.",
    takes_nothing="Não recebe argumentos.",
    arguments="Argumentos",
    optional="opcional",
    asks="perguntado com {said}",
    introduced_by="introduzido por {said}",
    phrases="Frases",
    no_phrases="Nenhum pedido chega a ela: não tem frases.",
    examples="Pedidos que se leem assim",
    of_earlier="{title}, conforme um texto anterior",
    rules="Regras",
    conditions={
        "over": "{argument} é maior que {value}",
        "under": "{argument} é menor que {value}",
        "one_of": "{argument} é um destes: {value}",
        "matches": "{argument} inteiro casa com {value}",
    },
    where="Quando {conditions}:",
    never="{tool} é recusada.",
    requires="{tool} é recusada, a não ser que {facts} seja verdade.",
    confirms="Uma pessoa precisa confirmar {tool}.",
    after="{tool} só roda depois de {other}, sobre as mesmas coisas.",
    not_after="{tool} não roda depois de {other}, sobre as mesmas coisas.",
    at_most="{tool} roda no máximo {count} vezes em uma execução.",
    once="{tool} só roda uma vez em uma execução.",
    not_once="{tool} não roda nunca.",
    checked="Na verificação",
    step="passo {step}: {outcome}, como {name}",
    says="Ela diz",
    only_recorded="O vocabulário tem erros: o que a regra quer dizer só se sabe depois de "
    "corrigidos.",
    not_yet="Acaba de mudar: o resto é dito quando o vocabulário for lido de novo, sem erros.",
    decisions="Decisões registradas",
    decisions_of_phrase="Pedidos registrados que ela leu",
    latest="As mais recentes",
    no_decisions="Nenhuma decisão registrada foi encontrada.",
    by="por {step}",
    verb_forms="Formas do verbo",
    may_leave_out="pode faltar",
    words="Palavras",
    members="Valores",
    used_by="Usado por",
    required_by="Exigido por",
    given_in="Dado em {place}.",
    verdicts={
        "read": "Este pedido é **lido**.",
        "incomplete": "**Falta** algo neste pedido.",
        "ambiguous": "Este pedido é **ambíguo**: pode ser lido de mais de uma maneira.",
        "unread": "Este pedido **não é lido**.",
    },
    short={"incomplete": "incompleto", "ambiguous": "ambíguo", "unread": "não lido"},
    reading="Leitura {number}",
    phrase="frase",
    needs="{tool} precisa de {argument}: {question}",
    could_stand="Ali poderia estar",
    language="Idioma",
    chosen_by={
        "key": "a chave em que o pedido está",
        "request": "pedido junto com a frase",
        "console": "definido no editor",
        "vocabulary": "o do vocabulário",
        "default": "o padrão",
    },
    expected="A entrada quer {expected} e recebe {got}.",
    more_calls="mais {n}",
    timeline="Abrir linha do tempo",
    last="última {time}: {outcome}",
    which_decision="Qual decisão de {name}?",
    try_turn="Experimentar um pedido",
    not_changed="{file} vem com o pacote e não é alterado: copie-o e experimente pedidos na cópia.",
    takes_no_edits="Este editor não aceita mudanças do servidor: escreva uma entrada em `turns:`.",
    no_vocabulary="Não há vocabulário para experimentar um pedido.",
    has_errors="O vocabulário tem erros: nenhum pedido é lido antes de serem corrigidos.",
    no_such_language="Não existe o idioma {language}: é en ou pt-BR.",
)


def words_in(language: Language) -> Words:
    """The words of a language."""
    return PT_BR if language == "pt-BR" else EN


def language_for(server: "Server", uri: str) -> Language:
    """The language to explain a document in.

    It is the editor's setting, or what an agent file or the vocabulary says, or else English.
    """
    project = server.project
    chosen = project.configuration.language
    if chosen is None:
        chosen = _said_in(project.index(uri)) or _said_in(project.index(project.main_of(uri)))
    return chosen or "en"


def _said_in(index: DocumentIndex | None) -> Language | None:
    """The language that a document sets, as it stands."""
    if index is None:
        return None
    of = index.root if index.kind == "agent" else entry_named(index.root, "settings")
    chosen = entry_named(of, "language")
    text = chosen.text if isinstance(chosen, Scalar) else ""
    return next((known for known in LANGUAGES if known == text), None)
