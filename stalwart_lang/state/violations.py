"""The nine ways in which a run's state can be broken, and what is said of each break."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

from stalwart_lang.vocabulary.model import Sentences

Kind: TypeAlias = Literal[
    "call_without_result",
    "result_without_call",
    "results_out_of_order",
    "duplicate_message_id",
    "message_after_interrupt",
    "stack_step_not_in_history",
    "history_broken",
    "history_token_invalid",
    "label_on_removed_message",
]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""All of them, in the order of docs/langgraph.md."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One break of a state.

    `where` is a place in the state: `messages[3]`, `history[2]`, `to_undo[0]`, `labels`. `id` is
    that of the message, or the step of the history, None where there is none; `call_id` the call's
    that it is about. `step` is the run's step that caused it, where a run is looked at. `message`
    is English; `say` has it in each language.
    """

    kind: Kind
    message: str
    where: str
    id: str | None = None
    step: int | None = None
    call_id: str | None = None
    say: Sentences = field(default_factory=dict, compare=False, repr=False)

    def __str__(self) -> str:
        at = "" if self.step is None else f"step {self.step}: "
        return f"{at}{self.kind}: {self.where}: {self.message}"

    @property
    def same(self) -> tuple[str, ...]:
        """What a break is known by from one step to the next, where messages move up or down."""
        if self.id is None and self.call_id is None:
            return self.kind, self.where, self.message
        return self.kind, self.id or "", self.call_id or ""

    def at_step(self, step: int | None) -> "Violation":
        """Return it with the step that caused it."""
        return replace(self, step=step)


def violation(
    kind: Kind,
    sentence: str,
    where: str,
    id: str | None = None,  # the name that the public field has
    call_id: str | None = None,
    **words: object,
) -> Violation:
    """Make a violation that says `sentence`, with its `words`, in both languages."""
    say: Sentences = {
        language: text.format(call=call_id or _NO_ID[language], id=id, **words)
        for language, text in _SENTENCES[sentence].items()
    }
    return Violation(kind, say["en"], where, id, None, call_id, say)


_NO_ID: Sentences = {"en": "(no id)", "pt-BR": "(sem id)"}
_SENTENCES: Mapping[str, Sentences] = {
    "no_result": {
        "en": "the call {call} has no result, and the conversation went on past it",
        "pt-BR": "a chamada {call} não tem resultado, e a conversa seguiu adiante",
    },
    "no_call": {
        "en": "the result answers {call}, and no call in the conversation has that id",
        "pt-BR": "o resultado responde a {call}, e nenhuma chamada da conversa tem esse id",
    },
    "answered": {
        "en": "the call {call} has a result already",
        "pt-BR": "a chamada {call} já tem um resultado",
    },
    "out_of_order": {
        "en": "the result of {call} does not come in the order of its step's calls",
        "pt-BR": "o resultado de {call} não vem na ordem das chamadas do seu passo",
    },
    "not_after_its_step": {
        "en": "the result of {call} does not follow the step that asked for it",
        "pt-BR": "o resultado de {call} não vem logo depois do passo que o pediu",
    },
    "same_id": {
        "en": "its id, {id}, is that of messages[{first}] too",
        "pt-BR": "o id dela, {id}, é também o de messages[{first}]",
    },
    "paused": {
        "en": "it was added while a pause for a person was open",
        "pt-BR": "foi acrescentada enquanto uma pausa por uma pessoa estava aberta",
    },
    "no_such_step": {
        "en": "it is to undo step {step} of the history, which has {count} steps",
        "pt-BR": "deve desfazer o passo {step} do histórico, que tem {count} passos",
    },
    "not_in_sequence": {
        "en": "step {found} of the history stands where step {expected} belongs",
        "pt-BR": "o passo {found} do histórico está onde deveria estar o passo {expected}",
    },
    "other_length": {
        "en": "the history has {count} steps, and the state says {length}",
        "pt-BR": "o histórico tem {count} passos, e o estado diz {length}",
    },
    "no_token": {
        "en": "the history has entries and no token",
        "pt-BR": "o histórico tem registros e nenhum token",
    },
    "checkpoint_missing": {
        "en": "it goes on from the checkpoint {parent}, which the store does not hold",
        "pt-BR": "continua do checkpoint {parent}, que o armazenamento não contém",
    },
    "parent_not_before": {
        "en": "it goes on from the checkpoint {parent}, which does not come before it",
        "pt-BR": "continua do checkpoint {parent}, que não vem antes dele",
    },
    "other_step": {
        "en": "its step is {found}, and step {expected} comes there",
        "pt-BR": "o passo dele é {found}, e ali vem o passo {expected}",
    },
    "no_tables": {
        "en": "it is an agent's run, and the store lacks what an agent keeps beside it: {tables}",
        "pt-BR": "é a execução de um agente, e faltam no armazenamento as tabelas dele: {tables}",
    },
    "copies_differ": {
        "en": "the step wrote another value than the one that is kept",
        "pt-BR": "o passo gravou um valor diferente do que está guardado",
    },
    "another_node": {
        "en": "the timeline shows the node {node}, which no agent's run has",
        "pt-BR": "a linha do tempo mostra o nó {node}, que a execução de um agente não tem",
    },
    "undecodable": {
        "en": "its value is damaged, or of a format that is not read",
        "pt-BR": "o valor está danificado, ou em um formato que não é lido",
    },
    "act_without_entry": {
        "en": "the timeline shows {tool} ({act}), and the history has no entry of it",
        "pt-BR": "a linha do tempo mostra {tool} ({act}), e o histórico não tem registro disso",
    },
    "act_of_another_step": {
        "en": "the timeline shows {tool} ({act}) in a step that did something else",
        "pt-BR": "a linha do tempo mostra {tool} ({act}) em um passo que fez outra coisa",
    },
    "act_differs": {
        "en": "the timeline shows something else than the history has: {names}",
        "pt-BR": "a linha do tempo mostra algo diferente do histórico: {names}",
    },
    "entry_without_act": {
        "en": "the timeline does not show it: {tool} ({act})",
        "pt-BR": "a linha do tempo não o mostra: {tool} ({act})",
    },
    "entry_without_question": {
        "en": "a person approved {tool}, and the timeline shows no question about it",
        "pt-BR": "uma pessoa aprovou {tool}, e a linha do tempo não mostra a pergunta",
    },
    "asked_without_pause": {
        "en": "a person was asked about {tool}, and the timeline shows no pause",
        "pt-BR": "perguntou-se a uma pessoa sobre {tool}, e a linha do tempo não mostra a pausa",
    },
    "pause_without_question": {
        "en": "the timeline shows a pause that no check asked for",
        "pt-BR": "a linha do tempo mostra uma pausa que nenhuma verificação pediu",
    },
    "pause_differs": {
        "en": "the pause is about something else than the check that asked for it: {names}",
        "pt-BR": "a pausa trata de algo diferente da verificação que a pediu: {names}",
    },
    "plan_differs": {
        "en": "the tool or the arguments are not those that the history has for {call}",
        "pt-BR": "a ferramenta ou os argumentos não são os que o histórico tem para {call}",
    },
    "message_differs": {
        "en": "the call {call} of the message is not the one that was planned",
        "pt-BR": "a chamada {call} da mensagem não é a que foi planejada",
    },
    "record_differs": {
        "en": "the record of the call {call} is not what the history says: {names}",
        "pt-BR": "o registro da chamada {call} não é o que o histórico diz: {names}",
    },
    "recorded_without_entry": {
        "en": "the call {call} is on record as step {step} of the history, which has no such entry",
        "pt-BR": "a chamada {call} consta como passo {step} do histórico, que não tem tal registro",
    },
    "not_on_record": {
        "en": "the call {call} is in the history and not on the record of calls",
        "pt-BR": "a chamada {call} está no histórico e não no registro de chamadas",
    },
    "entry_without_token": {
        "en": "the entry has no token",
        "pt-BR": "o registro não tem token",
    },
    "token_does_not_fit": {
        "en": "its token does not fit it: it, or an entry before it, was changed",
        "pt-BR": "o token não corresponde: este registro, ou um anterior, foi alterado",
    },
    "not_the_last": {
        "en": "the history's token is not its last entry's",
        "pt-BR": "o token do histórico não é o do último registro",
    },
    "two_versions": {
        "en": "the step wrote another entry than the one that is kept",
        "pt-BR": "o passo gravou um registro diferente do que está guardado",
    },
    "cut_by_record": {
        "en": "the call {call} ran at step {step} of a history of {count} steps: its end is gone",
        "pt-BR": "a chamada {call} foi o passo {step} de um histórico de {count}: falta o fim",
    },
    "cut_by_anchor": {
        "en": "the token {digest} of a trace is none of this history: entries were dropped or made "
        "anew",
        "pt-BR": "o token {digest} de um trace não é deste histórico: registros foram removidos ou "
        "refeitos",
    },
    "no_message": {
        "en": "the mark is on {id}, which the conversation does not hold",
        "pt-BR": "a marca está em {id}, que a conversa não contém",
    },
    "no_message_of_tool": {
        "en": "the mark is on what {tool} returned, which the conversation does not hold",
        "pt-BR": "a marca está no que {tool} retornou, que a conversa não contém",
    },
}
