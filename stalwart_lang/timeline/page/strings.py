"""The words of the page, in each language it is written in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from stalwart_lang.timeline.kinds import Kind

Language: TypeAlias = Literal["en", "pt-BR"]
LANGUAGES: Sequence[Language] = get_args(Language)

Counted: TypeAlias = tuple[str, str]
"""The phrase for one and the phrase for any other number, `{n}` in both."""


@dataclass(frozen=True, slots=True)
class Words:
    """Every word that a page holds of its own; what is in braces is filled in."""

    language: Language
    decimal: str
    thousands: str

    page: str
    skip: str
    runs: Counted
    in_this_file: str
    index: str
    back: str
    run: str
    outcome: str
    what_happened: str
    started: str
    errors: str
    steps: Counted
    runs_not_listed: Counted
    run_not_shown: str
    how_to_see: str

    trace: str
    thread: str
    start: str
    duration: str
    figure_steps: str
    figure_rounds: str
    model_calls: str
    tool_calls: str
    tokens_in: str
    tokens_out: str
    confirmations: str
    refusals: str

    timeline: str
    step: str
    timeline_help: str
    starts: str
    is_at: str
    no_end: str
    gap: str
    folded: Counted
    left_out: Counted

    chain: str
    chain_help: str
    undone_call: str
    undone_by: str
    undoes: str
    undoes_step: str
    order: str
    chain_left_out: Counted

    first_violation: str
    violation: str

    decision: str
    decided_by: str
    rule: str
    rules: str
    reasons: str
    labels: str
    arguments: str
    result: str
    message: str
    turn: str
    digest: str
    args_digest: str
    error: str
    verdict: str
    read_in: str
    model: str
    finish: str
    waits_for: str
    answer: str
    to_step: str
    times: str
    ends: str
    ids: str
    child_of: str
    attributes: str
    events: str
    repeats: str
    clipped: Counted
    more: Counted
    empty: str

    kinds: Mapping[Kind, str]
    outcomes: Mapping[str, str]
    decisions: Mapping[str, str]
    verdicts: Mapping[str, str]
    failed: str
    open: str
    undone: str

    it_failed: str
    it_failed_with: str
    the_run: str
    were_undone: Counted
    undone_with: str
    undo_failed: str
    nothing_undone: str
    waiting: str
    waiting_for: str
    was_open: str
    refused: str
    unread: str
    finished: str
    finished_after: str
    rewound: str
    broken: str
    also: str
    names_left_out: Counted

    def kind(self, kind: Kind) -> str:
        """Return the word for a kind of span."""
        return self.kinds[kind]


def number(value: int, words: Words) -> str:
    """Write a whole number with its thousands apart."""
    return f"{value:,}".replace(",", words.thousands)


def counted(phrases: Counted, count: int, words: Words) -> str:
    """Fill `{n}` of the phrase that fits the count: one has its own, in both languages."""
    return phrases[0 if count == 1 else 1].format(n=number(count, words))


def duration(milliseconds: float, words: Words) -> str:
    """Write a duration in the unit that suits it, to three digits or to two units."""
    if milliseconds < 999.5:
        text = f"{_three_digits(milliseconds)} ms"
    elif milliseconds < 59_950:
        text = f"{_three_digits(milliseconds / 1000)} s"
    elif milliseconds < 3_599_500:
        minutes, seconds = divmod(round(milliseconds / 1000), 60)
        text = f"{minutes} min {seconds} s" if seconds else f"{minutes} min"
    elif milliseconds < 86_370_000:
        hours, minutes = divmod(round(milliseconds / 60_000), 60)
        text = f"{hours} h {minutes} min" if minutes else f"{hours} h"
    else:
        text = f"{milliseconds / 86_400_000:.4g} d"
    return text.replace(".", words.decimal)


def _three_digits(value: float) -> str:
    if value >= 99.95:
        return f"{value:.0f}"
    text = f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
    return text.rstrip("0").rstrip(".")


WORDS: Mapping[str, Words] = {
    "en": Words(
        language="en",
        decimal=".",
        thousands=",",
        page="Trace",
        skip="Skip to the runs",
        runs=("{n} run", "{n} runs"),
        in_this_file="In this file",
        index="The runs",
        back="All runs",
        run="Run",
        outcome="Outcome",
        what_happened="What happened",
        started="Started (UTC)",
        errors="Errors",
        steps=("{n} span", "{n} spans"),
        runs_not_listed=(
            "{n} more run is not on this page, which would grow too long.",
            "{n} more runs are not on this page, which would grow too long.",
        ),
        run_not_shown="only listed",
        how_to_see="One run alone: stalwart trace html FILE --trace-id ID -o OUT.",
        trace="trace",
        thread="thread",
        start="started",
        duration="Duration",
        figure_steps="Steps",
        figure_rounds="Rounds",
        model_calls="Model calls",
        tool_calls="Tool calls",
        tokens_in="Tokens in",
        tokens_out="Tokens out",
        confirmations="Confirmations",
        refusals="Refusals",
        timeline="Timeline",
        step="Step",
        timeline_help="Open a row for all that was recorded of it.",
        starts="starts at {start}, takes {duration}",
        is_at="is at {start}",
        no_end="starts at {start}, has no end",
        gap="nothing was recorded for {duration}",
        folded=("{n} row", "{n} rows"),
        left_out=(
            "{n} row is left out: the page would grow too long.",
            "{n} rows are left out: the page would grow too long.",
        ),
        chain="Undone, latest first",
        chain_help="Each call is tied to what undid it.",
        undone_call="Call",
        undone_by="Undone by",
        undoes="Undoes",
        undoes_step="history step {step}",
        order="Order",
        chain_left_out=("{n} more undo is in the timeline.", "{n} more undos are in the timeline."),
        first_violation="first violation",
        violation="violation",
        decision="Decision",
        decided_by="Decided by",
        rule="Rule",
        rules="Rules",
        reasons="Reasons",
        labels="Labels",
        arguments="Arguments",
        result="Result",
        message="Message",
        turn="Turn",
        digest="digest {digest}; the content was not recorded",
        args_digest="Arguments’ digest",
        error="Error",
        verdict="Verdict",
        read_in="Language",
        model="Model",
        finish="Stopped because",
        waits_for="Waits for",
        answer="Answer",
        to_step="To step",
        times="Time",
        ends="to",
        ids="Span",
        child_of="in",
        attributes="Attributes",
        events="Events",
        repeats="repeats the step’s attributes",
        clipped=("… {n} more character in the record", "… {n} more characters in the record"),
        more=("{n} more in the record", "{n} more in the record"),
        empty="empty",
        kinds={
            "run": "run",
            "node": "node",
            "plan": "plan",
            "model": "model",
            "check": "check",
            "tool": "call",
            "undo": "undo",
            "rollback": "rollback",
            "rewind": "rewind",
            "interrupt": "interrupt",
            "resume": "resume",
            "other": "span",
        },
        outcomes={
            "completed": "Completed",
            "failed": "Failed",
            "waiting": "Waiting",
            "open": "Open",
        },
        decisions={"allow": "allow", "confirm": "confirm", "refuse": "refuse"},
        verdicts={
            "read": "read",
            "incomplete": "incomplete",
            "ambiguous": "ambiguous",
            "unread": "unread",
        },
        failed="failed",
        open="open",
        undone="undone",
        it_failed="{name} failed",
        it_failed_with="{name} failed ({error})",
        the_run="the run",
        were_undone=("{names} was undone", "{names} were undone"),
        undone_with="{names} undid what was done before",
        undo_failed="{name} could not be undone",
        nothing_undone="there was nothing to undo",
        waiting="Waiting for a person",
        waiting_for="Waiting for a person to confirm {name}",
        was_open="Open: it was in the middle of {name} when its records end",
        refused="Refused: {name}",
        unread="The turn was not read",
        finished="Finished, no error recorded",
        finished_after="Finished, but {what} on the way",
        rewound="it was rewound to step {step}",
        broken="First violation: {what}",
        also=" and ",
        names_left_out=("{n} more", "{n} more"),
    ),
    "pt-BR": Words(
        language="pt-BR",
        decimal=",",
        thousands=".",
        page="Rastro",
        skip="Pular para as execuções",
        runs=("{n} execução", "{n} execuções"),
        in_this_file="Neste arquivo",
        index="As execuções",
        back="Todas as execuções",
        run="Execução",
        outcome="Desfecho",
        what_happened="O que aconteceu",
        started="Início (UTC)",
        errors="Erros",
        steps=("{n} span", "{n} spans"),
        runs_not_listed=(
            "Mais {n} execução não está nesta página, que ficaria longa demais.",
            "Mais {n} execuções não estão nesta página, que ficaria longa demais.",
        ),
        run_not_shown="só listada",
        how_to_see="Uma execução só: stalwart trace html ARQUIVO --trace-id ID -o SAÍDA.",
        trace="rastro",
        thread="conversa",
        start="início",
        duration="Duração",
        figure_steps="Passos",
        figure_rounds="Rodadas",
        model_calls="Chamadas de modelo",
        tool_calls="Chamadas de ferramenta",
        tokens_in="Tokens de entrada",
        tokens_out="Tokens de saída",
        confirmations="Confirmações",
        refusals="Recusas",
        timeline="Linha do tempo",
        step="Passo",
        timeline_help="Abra uma linha para ver tudo o que foi registrado dela.",
        starts="começa em {start}, leva {duration}",
        is_at="está em {start}",
        no_end="começa em {start}, não tem fim",
        gap="nada foi registrado por {duration}",
        folded=("{n} linha", "{n} linhas"),
        left_out=(
            "{n} linha ficou de fora: a página ficaria longa demais.",
            "{n} linhas ficaram de fora: a página ficaria longa demais.",
        ),
        chain="Desfeito, do mais recente ao mais antigo",
        chain_help="Cada chamada está ligada ao que a desfez.",
        undone_call="Chamada",
        undone_by="Desfeita por",
        undoes="Desfaz",
        undoes_step="passo {step} do histórico",
        order="Ordem",
        chain_left_out=(
            "Mais {n} desfeita está na linha do tempo.",
            "Mais {n} desfeitas estão na linha do tempo.",
        ),
        first_violation="primeira violação",
        violation="violação",
        decision="Decisão",
        decided_by="Decidido por",
        rule="Regra",
        rules="Regras",
        reasons="Motivos",
        labels="Marcas",
        arguments="Argumentos",
        result="Resultado",
        message="Mensagem",
        turn="Turno",
        digest="resumo {digest}; o conteúdo não foi registrado",
        args_digest="Resumo dos argumentos",
        error="Erro",
        verdict="Veredito",
        read_in="Língua",
        model="Modelo",
        finish="Parou por",
        waits_for="Espera por",
        answer="Resposta",
        to_step="Até o passo",
        times="Tempo",
        ends="até",
        ids="Span",
        child_of="dentro de",
        attributes="Atributos",
        events="Eventos",
        repeats="repete os atributos do passo",
        clipped=("… mais {n} caractere no registro", "… mais {n} caracteres no registro"),
        more=("mais {n} no registro", "mais {n} no registro"),
        empty="vazio",
        kinds={
            "run": "execução",
            "node": "nó",
            "plan": "plano",
            "model": "modelo",
            "check": "checagem",
            "tool": "chamada",
            "undo": "desfaz",
            "rollback": "reversão",
            "rewind": "retorno",
            "interrupt": "pausa",
            "resume": "retomada",
            "other": "span",
        },
        outcomes={
            "completed": "Concluída",
            "failed": "Falhou",
            "waiting": "Esperando",
            "open": "Em aberto",
        },
        decisions={"allow": "permitir", "confirm": "confirmar", "refuse": "recusar"},
        verdicts={
            "read": "lido",
            "incomplete": "incompleto",
            "ambiguous": "ambíguo",
            "unread": "não lido",
        },
        failed="falhou",
        open="em aberto",
        undone="desfeita",
        it_failed="{name} falhou",
        it_failed_with="{name} falhou ({error})",
        the_run="a execução",
        were_undone=("{names} foi desfeita", "{names} foram desfeitas"),
        undone_with="{names} desfez o que foi feito antes",
        undo_failed="{name} não pôde ser desfeita",
        nothing_undone="não havia nada a desfazer",
        waiting="Esperando por uma pessoa",
        waiting_for="Esperando que uma pessoa confirme {name}",
        was_open="Em aberto: estava no meio de {name} quando os registros acabam",
        refused="Recusado: {name}",
        unread="O turno não foi lido",
        finished="Concluída, sem erro registrado",
        finished_after="Concluída, mas {what} no caminho",
        rewound="voltou ao passo {step}",
        broken="Primeira violação: {what}",
        also=" e ",
        names_left_out=("mais {n}", "mais {n}"),
    ),
}
