"""What is said of traces, in each language; what is in braces is filled in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Language: TypeAlias = Literal["en", "pt-BR"]


@dataclass(frozen=True, slots=True)
class Words:
    """Every sentence and label about a trace."""

    decimal: str

    run: str
    run_unnamed: str
    node: str
    node_unnumbered: str
    plan: Mapping[str, str]
    plan_open: str
    model: str
    check: Mapping[str, str]
    check_open: str
    tool: str
    undo: str
    undo_of_step: str
    rollback: str
    rewind: str
    interrupt: str
    resume: Mapping[str, str]
    resume_other: str
    other: str
    failed: str
    failed_with: str
    never_ended: str

    decided_by: str
    steps_of_the_check: Mapping[str, str]
    rule: str
    phrases: str
    reasons: str
    labels: str
    language: str
    chosen_by: Mapping[str, str]
    vocabulary: str
    digest: str
    arguments: str
    result: str
    message: str
    turn: str
    tokens: str
    stopped: str
    violation: str
    waits_for: str
    started: str
    took: str
    below: str
    below_unnamed: str
    line: str
    thread: str

    first_error: str
    first_error_with: str
    first_violation: str
    broken_line: str
    broken: Mapping[str, str]
    checked_so_far: str

    open_timeline: str
    outcomes: Mapping[str, str]
    spans: tuple[str, str]
    spans_left_out: str

    unreadable: str
    many_entries: str
    many_files: str
    many_names: str
    extra: str
    indexing: str
    indexed: str
    no_file: str
    no_page: str
    page_is_at: str
    line_is_at: str


EN = Words(
    decimal=".",
    run="The run of {name}.",
    run_unnamed="A run.",
    node="Step {number} of the run, {name}.",
    node_unnumbered="A step of the run, {name}.",
    plan={
        "read": "A turn was **read**.",
        "incomplete": "A turn was read as **incomplete**: an argument is missing.",
        "ambiguous": "A turn was **ambiguous**: it can be read in more than one way.",
        "unread": "A turn was **not read**.",
    },
    plan_open="A turn is being read.",
    model="A call of the model {name}.",
    check={
        "allow": "A call of {name} was checked and **allowed**.",
        "confirm": "A call of {name} was checked: **a person has to confirm** it.",
        "refuse": "A call of {name} was checked and **refused**.",
    },
    check_open="A call of {name} is being checked.",
    tool="The tool {name} ran.",
    undo="{name} ran as an undo.",
    undo_of_step="{name} ran to undo step {step}.",
    rollback="The failed run was undone, latest first.",
    rewind="The run was taken back to step {step}.",
    interrupt="The run paused for a person: {name}.",
    resume={
        "approve": "The run went on: a person **approved** {name}.",
        "decline": "The run went on: a person **declined** {name}.",
    },
    resume_other="The run went on with a person's answer about {name}.",
    other="The span {name}.",
    failed="It **failed**.",
    failed_with="It **failed** with {error}.",
    never_ended="Its end is not recorded: it was under way, or its process was killed.",
    decided_by="Decided by",
    steps_of_the_check={
        "catalogue": "the catalogue: which tools and arguments there are",
        "arguments": "the arguments: their types and ranges",
        "rulebook": "the rulebook: what rules forbid or require",
        "order": "the order: what must come before or after what",
        "labels": "the labels: where the call's data comes from",
        "confirmation": "the confirmation: a write waits for a person",
        "approval": "the approval: a person's answer",
        "default": "the default: nothing spoke against it",
    },
    rule="Rule",
    phrases="Phrases that read it",
    reasons="Reasons",
    labels="Labels",
    language="Language",
    chosen_by={
        "request": "asked for with the turn",
        "console": "set in the console",
        "vocabulary": "set in the vocabulary",
        "default": "the default",
    },
    vocabulary="Vocabulary",
    digest="digest {digest}",
    arguments="Arguments",
    result="Result",
    message="Message",
    turn="Turn",
    tokens="{tokens_in} tokens in, {tokens_out} out",
    stopped="stopped at {reason}",
    violation="Breaks",
    waits_for="Waits for",
    started="Started {time}",
    took="took {duration}",
    below="below {name} ({line})",
    below_unnamed="below the span {name}, which is not in this file",
    line="line {number}",
    thread="thread {name}",
    first_error="The first error of this run: {name} failed.",
    first_error_with="The first error of this run: {name} failed with {error}.",
    first_violation="The first violation of this run: {name} breaks {rule}.",
    broken_line="This line holds no record: {reason}.",
    broken={},
    checked_so_far="Only the lines above this one were checked: the trace is too large.",
    open_timeline="Open timeline",
    outcomes={
        "completed": "completed",
        "failed": "failed",
        "waiting": "waits for a person",
        "open": "its end is not recorded",
    },
    spans=("{n} span", "{n} spans"),
    spans_left_out="… only the first {n} spans are listed",
    unreadable="The trace {about} cannot be read: {reason}.",
    many_entries="{about} holds too many files: the search for traces ended there. "
    "Name the places of traces in the setting stalwart.traces.",
    many_files="There are more than {about} traces: the latest are read. "
    "Name the places of traces in the setting stalwart.traces.",
    many_names="The traces name more rules, tools and phrases than can be counted: "
    "some are left out.",
    extra="Traces need {about}: pip install 'stalwart-lang[trace]'.",
    indexing="Reading recorded traces",
    indexed="{percent} % ({files})",
    no_file="There is no file to make a timeline of: save the trace first.",
    no_page="The timeline could not be made: {reason}",
    page_is_at="The timeline is in {path}.",
    line_is_at="It is recorded in {path}, line {number}.",
)

PT_BR = Words(
    decimal=",",
    run="A execução de {name}.",
    run_unnamed="Uma execução.",
    node="Passo {number} da execução, {name}.",
    node_unnumbered="Um passo da execução, {name}.",
    plan={
        "read": "Um pedido foi **lido**.",
        "incomplete": "Um pedido foi lido como **incompleto**: falta um argumento.",
        "ambiguous": "Um pedido foi **ambíguo**: pode ser lido de mais de um modo.",
        "unread": "Um pedido **não foi lido**.",
    },
    plan_open="Um pedido está sendo lido.",
    model="Uma chamada do modelo {name}.",
    check={
        "allow": "Uma chamada de {name} foi verificada e **permitida**.",
        "confirm": "Uma chamada de {name} foi verificada: **uma pessoa precisa confirmar**.",
        "refuse": "Uma chamada de {name} foi verificada e **recusada**.",
    },
    check_open="Uma chamada de {name} está sendo verificada.",
    tool="A ferramenta {name} foi executada.",
    undo="{name} foi executada para desfazer.",
    undo_of_step="{name} foi executada para desfazer o passo {step}.",
    rollback="A execução que falhou foi desfeita, do fim para o começo.",
    rewind="A execução voltou ao passo {step}.",
    interrupt="A execução parou à espera de uma pessoa: {name}.",
    resume={
        "approve": "A execução continuou: uma pessoa **aprovou** {name}.",
        "decline": "A execução continuou: uma pessoa **recusou** {name}.",
    },
    resume_other="A execução continuou com a resposta de uma pessoa sobre {name}.",
    other="O trecho {name}.",
    failed="**Falhou**.",
    failed_with="**Falhou** com {error}.",
    never_ended="O fim não está registrado: ainda corria, ou o processo foi encerrado à força.",
    decided_by="Decidido por",
    steps_of_the_check={
        "catalogue": "catálogo: quais ferramentas e argumentos existem",
        "arguments": "argumentos: seus tipos e limites",
        "rulebook": "regras: o que proíbem ou exigem",
        "order": "ordem: o que vem antes ou depois do quê",
        "labels": "marcas: de onde vêm os dados da chamada",
        "confirmation": "confirmação: uma escrita espera por uma pessoa",
        "approval": "aprovação: a resposta de uma pessoa",
        "default": "padrão: nada se opôs",
    },
    rule="Regra",
    phrases="Frases que o leram",
    reasons="Motivos",
    labels="Marcas",
    language="Idioma",
    chosen_by={
        "request": "pedido com a frase",
        "console": "definido no console",
        "vocabulary": "definido no vocabulário",
        "default": "o padrão",
    },
    vocabulary="Vocabulário",
    digest="resumo {digest}",
    arguments="Argumentos",
    result="Resultado",
    message="Mensagem",
    turn="Pedido",
    tokens="{tokens_in} tokens de entrada, {tokens_out} de saída",
    stopped="parou em {reason}",
    violation="Viola",
    waits_for="Espera por",
    started="Começou em {time}",
    took="durou {duration}",
    below="abaixo de {name} ({line})",
    below_unnamed="abaixo do trecho {name}, que não está neste arquivo",
    line="linha {number}",
    thread="conversa {name}",
    first_error="O primeiro erro desta execução: {name} falhou.",
    first_error_with="O primeiro erro desta execução: {name} falhou com {error}.",
    first_violation="A primeira violação desta execução: {name} viola {rule}.",
    broken_line="Esta linha não contém um registro: {reason}.",
    broken={
        "it is not JSON": "não é JSON",
        "the last line is cut short": "a última linha está cortada",
        "it is not an object": "não é um objeto",
    },
    checked_so_far="Só as linhas acima desta foram verificadas: o arquivo é grande demais.",
    open_timeline="Abrir linha do tempo",
    outcomes={
        "completed": "concluída",
        "failed": "falhou",
        "waiting": "à espera de uma pessoa",
        "open": "o fim não está registrado",
    },
    spans=("{n} trecho", "{n} trechos"),
    spans_left_out="… só os primeiros {n} trechos estão na lista",
    unreadable="O registro {about} não pode ser lido: {reason}.",
    many_entries="{about} contém arquivos demais: a busca por registros parou ali. "
    "Indique onde estão os registros na opção stalwart.traces.",
    many_files="Há mais de {about} registros: só os mais recentes são lidos. "
    "Indique onde estão os registros na opção stalwart.traces.",
    many_names="Os registros citam mais regras, ferramentas e frases do que se pode contar: "
    "algumas ficaram de fora.",
    extra="Registros precisam de {about}: pip install 'stalwart-lang[trace]'.",
    indexing="Lendo as execuções registradas",
    indexed="{percent} % ({files})",
    no_file="Não há arquivo para fazer a linha do tempo: salve o registro primeiro.",
    no_page="A linha do tempo não pôde ser feita: {reason}",
    page_is_at="A linha do tempo está em {path}.",
    line_is_at="Está registrado em {path}, linha {number}.",
)


def words_of(language: str | None) -> Words:
    """Return the words of a language; of one that there is none of, or without one, English."""
    return PT_BR if language == "pt-BR" else EN
