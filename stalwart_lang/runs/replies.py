"""What a run says to a person, in English and in Brazilian Portuguese."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from stalwart_lang.tracing.canonical import readable_json
from stalwart_lang.words.language import Language

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "failed": "This run stopped: {tool} failed ({error}).",
        "in_doubt": (
            "This run stopped: it is not known whether {tool} ran, because the process ended "
            "while it did. It was not run again."
        ),
        "refused": "This run stopped: {tool} was refused. {why}",
        "declined": "This run stopped: {tool} was declined.",
        "undone": "Undone, latest first: {tools}.",
        "undone_one": "{tool} (by {by})",
        "not_undone": "Not undone: {tools}.",
        "not_undone_one": "{tool} ({why})",
        "kept": "Done before it, and kept: {tools}.",
        "done": "Done: {tools}.",
        "result": "{tool}: {result}",
        "confirm": "{call} needs your word. {why} Approve or decline?",
        "waiting": "Nothing was done with this: a call still waits for your word. {text}",
        "ambiguous": "This can be read in more than one way.",
        "unread": "This was not read, and nothing was done. {why}",
        "given_up": "This was not read either, and nothing was done. {why}",
        "not_taken": (
            "Nothing was done with this: a run that had been broken off was taken up first. {text}"
        ),
        "taken_up": "The run had been broken off, and was taken up again. {text}",
        "approve": "This was approved already.",
        "decline": "This was declined already.",
        "answered": "This was answered already.",
        "newer": "Nothing was answered: another question came up since you looked. {text}",
        "nothing": "Nothing waits for an answer.",
        "busy": "Nothing was done with this: another process is at this conversation.",
        "rounds": "This run stopped: the model asked for tools {count} times and did not end.",
        "model_failed": "This run stopped: the model failed ({error}).",
        "read_failed": "This was not read, and nothing was done: reading it failed ({error}).",
        "no_undo": "nothing takes it back",
        "tool_gone": "the agent no longer has this tool",
        "call_in_doubt": "it is not known whether it ran",
        "undo_in_doubt": "it is not known whether its undo ran",
        "nothing_to_undo": "There is nothing to undo.",
        "rewound": "Rewound to step {step}.",
    },
    "pt-BR": {
        "failed": "Esta execução parou: {tool} falhou ({error}).",
        "in_doubt": (
            "Esta execução parou: não se sabe se {tool} rodou, porque o processo terminou "
            "enquanto ela rodava. Ela não rodou de novo."
        ),
        "refused": "Esta execução parou: {tool} foi recusada. {why}",
        "declined": "Esta execução parou: {tool} não foi aprovada.",
        "undone": "Desfeito, do mais recente ao mais antigo: {tools}.",
        "undone_one": "{tool} (por {by})",
        "not_undone": "Não desfeito: {tools}.",
        "not_undone_one": "{tool} ({why})",
        "kept": "O que já tinha sido feito fica como está: {tools}.",
        "done": "Feito: {tools}.",
        "result": "{tool}: {result}",
        "confirm": "{call} precisa da sua confirmação. {why} Aprova ou recusa?",
        "waiting": "Nada foi feito com isso: uma chamada ainda espera a sua confirmação. {text}",
        "ambiguous": "Isso pode ser entendido de mais de uma maneira.",
        "unread": "Isso não foi entendido, e nada foi feito. {why}",
        "given_up": "Isso também não foi entendido, e nada foi feito. {why}",
        "not_taken": (
            "Nada foi feito com isso: antes foi preciso retomar uma execução que tinha sido "
            "interrompida. {text}"
        ),
        "taken_up": "A execução tinha sido interrompida, e foi retomada. {text}",
        "approve": "Isso já foi aprovado.",
        "decline": "Isso já foi recusado.",
        "answered": "Isso já foi respondido.",
        "newer": "A resposta não foi usada: enquanto isso surgiu outra pergunta. {text}",
        "nothing": "Nenhuma pergunta está esperando resposta.",
        "busy": "Nada foi feito com isso: outro processo está usando esta conversa.",
        "rounds": "Esta execução parou: o modelo pediu ferramentas {count} vezes e não terminou.",
        "model_failed": "Esta execução parou: o modelo falhou ({error}).",
        "read_failed": "Isso não foi entendido, e nada foi feito: a leitura falhou ({error}).",
        "no_undo": "nada a desfaz",
        "tool_gone": "o agente não tem mais esta ferramenta",
        "call_in_doubt": "não se sabe se ela rodou",
        "undo_in_doubt": "não se sabe se ela foi desfeita",
        "nothing_to_undo": "Não há nada para desfazer.",
        "rewound": "Voltou ao passo {step}.",
    },
}


def sentence(language: Language, key: str, **words: object) -> str:
    """Return one sentence."""
    return _WORDS[language][key].format(**words)


def call_text(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return a call as a person reads it: charge_card(order_id=4411, amount=40.00 USD)."""
    shown = ", ".join(f"{name}={value_text(value)}" for name, value in arguments.items())
    return f"{tool}({shown})"


def value_text(value: Any) -> str:
    """Return a value as a person reads it; a pair of number and unit without its keys.

    What is no JSON is shown as `readable_json` writes it. Raises nothing.
    """
    value = json.loads(readable_json(value))
    if isinstance(value, Mapping) and value.keys() in ({"value", "currency"}, {"value", "unit"}):
        return " ".join(str(part) for part in value.values())
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def stopped_text(
    language: Language, stopped: Mapping[str, Any], undone: Sequence[Mapping[str, Any]]
) -> str:
    """Return what a run that stopped early says: why, what was undone, what was not."""
    parts = [sentence(language, stopped["how"], **_shown_words(stopped))]
    done = [
        sentence(language, "undone_one", tool=one["tool"], by=one["by"])
        for one in undone
        if one["outcome"] == "undone"
    ]
    left = [
        sentence(language, "not_undone_one", tool=one["tool"], why=_shown_why(one).rstrip("."))
        for one in undone
        if one["outcome"] != "undone"
    ]
    if done:
        parts.append(sentence(language, "undone", tools=", ".join(done)))
    if left:
        parts.append(sentence(language, "not_undone", tools=", ".join(left)))
    if stopped.get("kept"):
        parts.append(sentence(language, "kept", tools=", ".join(stopped["kept"])))
    return " ".join(part.strip() for part in parts)


def done_text(language: Language, outcomes: Sequence[tuple[str, Any]]) -> str:
    """Return what a run that ended says: the tools, and their results where they gave any."""
    plain = [tool for tool, result in outcomes if result is None]
    told = [
        sentence(language, "result", tool=tool, result=value_text(result))
        for tool, result in outcomes
        if result is not None
    ]
    if plain and not told:
        return sentence(language, "done", tools=", ".join(plain))
    said = [sentence(language, "done", tools=", ".join(plain))] if plain else []
    return "\n".join([*said, *told])


def _shown_words(stopped: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the words of a sentence as a person reads them: of an error its class alone."""
    error = stopped.get("error")
    return {**stopped, "error": _class_name(error)} if isinstance(error, str) else stopped


def _shown_why(one: Mapping[str, Any]) -> str:
    why: str = one["why"]
    return _class_name(why) if one["outcome"] == "failed" else why


def _class_name(error: str) -> str:
    return error.rpartition(".")[2]
