"""What the keys of the format mean; the format says it in English, here it is in Portuguese too."""

from collections.abc import Mapping

from stalwart_lang.lsp.completion.candidates import shape_at
from stalwart_lang.vocabulary.declarations import Either, Record, Shape
from stalwart_lang.vocabulary.model import Language


def meaning(root: Shape, path: tuple[str | int, ...], language: Language) -> str | None:
    """What the key at a path is for; None where the key is an author's own."""
    shape = shape_at(root, path[:-1]) if path else None
    if isinstance(shape, Either):
        shape = shape.long
    name = str(path[-1]) if path else ""
    if not isinstance(shape, Record) or name not in shape.keys:
        return None
    said = shape.keys[name].doc
    return PORTUGUESE.get((shape.what, name), said) if language == "pt-BR" else said


def _by_language(what: str, said: str) -> dict[tuple[str, str], str]:
    return {
        (what, "en"): f"{said}, em inglês.",
        (what, "pt-BR"): f"{said}, em português do Brasil.",
    }


PORTUGUESE: Mapping[tuple[str, str], str] = {
    **_by_language("words by language", "Palavras para isso no singular; o plural é formado"),
    **_by_language("a sentence by language", "A frase"),
    **_by_language("currencies by language", "A moeda"),
    **_by_language(
        "phrases by language",
        "Frases: o verbo como está no dicionário, depois os substantivos; `palavra {argumento}` "
        "para um argumento que só essa palavra introduz",
    ),
    **_by_language("turns by language", "O pedido"),
    ("the settings", "language"): "O idioma dos pedidos que não dizem o seu. Sem ele, `en`.",
    ("the settings", "currency"): "A moeda de um valor que não diz a sua: um código ISO 4217, ou "
    "um para cada idioma. Sem ela, USD em inglês e BRL em português.",
    ("the settings", "timezone"): "O fuso em que se contam datas como `amanhã`, pelo nome IANA.",
    ("an argument", "type"): "Uma coisa, uma lista fechada ou um tipo da linguagem; `optional` "
    "antes dele, vários com `or`.",
    ("an argument", "words"): "Substantivos que o introduzem: o limite em `limite 5`.",
    ("an argument", "ask"): "A pergunta a fazer quando ele falta.",
    ("a tool", "description"): "O que a ferramenta faz, para pessoas.",
    ("a tool", "writes"): "Ela muda algo; por isso uma pessoa confirma.",
    ("a tool", "undo"): "A ferramenta que a desfaz, com os mesmos argumentos.",
    ("a tool", "irreversible"): "Nada a desfaz.",
    ("a tool", "retry_safe"): "Fazê-la duas vezes é o mesmo que uma.",
    ("a tool", "reads_outside"): "O que ela devolve vem de fora e não merece confiança.",
    ("a tool", "sends_out"): "O que ela recebe sai de casa.",
    ("a tool", "takes"): "Os seus argumentos e os tipos deles.",
    ("a tool", "say"): "Ordens como alguém as daria; nenhuma para uma ferramenta que nenhum "
    "pedido pode chamar.",
    ("a condition", "over"): "O argumento é maior que isto.",
    ("a condition", "under"): "O argumento é menor que isto.",
    ("a condition", "one_of"): "O argumento é um destes.",
    ("a condition", "matches"): "O argumento inteiro casa com esta expressão regular.",
    ("a rule", "tool"): "A ferramenta de que ela trata.",
    ("a rule", "never"): "A ferramenta é recusada.",
    ("a rule", "requires"): "Fatos que precisam valer para a ferramenta ser permitida.",
    ("a rule", "requires_confirmation"): "Uma pessoa precisa confirmar a chamada.",
    ("a rule", "when"): "A regra só vale para chamadas com argumentos assim.",
    ("a rule", "after"): "Só depois de esta ferramenta ter rodado.",
    ("a rule", "not_after"): "Não depois de esta ferramenta ter rodado.",
    ("a rule", "at_most"): "Tantas vezes em uma execução, não mais.",
    ("a rule", "say"): "O que se diz a uma pessoa quando a regra recusa.",
    ("a turn", "say"): "O pedido, ou vários que se leem do mesmo modo.",
    ("a turn", "plan"): "As chamadas que ele deve dar, em ordem.",
    ("a turn", "unread"): "Ele não deve ser lido, por este motivo; `any` para qualquer um.",
    ("a turn", "incomplete"): "Ele deve perguntar por este argumento.",
    ("a turn", "ambiguous"): "Ele deve ter mais de uma leitura.",
    ("a turn", "now"): "O momento em que é dito, em ISO 8601.",
    ("a vocabulary", "vocabulary"): "O nome do vocabulário.",
    ("a vocabulary", "settings"): "O que vale quando um pedido não diz outra coisa.",
    ("a vocabulary", "include"): "Arquivos que são parte deste vocabulário, a partir deste.",
    ("a vocabulary", "things"): "Substantivos seguidos de um número: o pedido em `pedido 4411`.",
    ("a vocabulary", "values"): "Listas fechadas: cada valor com as palavras para ele.",
    ("a vocabulary", "units"): "Unidades de quantidades.",
    ("a vocabulary", "tools"): "O que se pode pedir.",
    ("a vocabulary", "rules"): "O que é permitido, pelo nome que rastros e editores mostram.",
    ("a vocabulary", "turns"): "Testes que moram no vocabulário: o que deve ser lido e o que não.",
    ("an agent", "tools"): "As ferramentas que ele tem. Sem isso, todas as do vocabulário e as "
    "dos módulos.",
    ("an entry of `tools`", "python"): "Um módulo: um arquivo ou um pacote ao lado deste arquivo, "
    "ou um que se possa importar.",
    ("an agent file", "agents"): "Os agentes por nome. Uma conversa é guardada sob o nome do "
    "agente e o da pessoa.",
    ("an agent file", "vocabulary"): "O que os pedidos podem pedir: um arquivo, a partir deste, ou "
    "só o nome de um vocabulário que vem com o pacote.",
    ("an agent file", "language"): "O idioma dos pedidos. Sem ele, o do vocabulário.",
    ("an agent file", "tools"): "Onde estão as funções das ferramentas.",
    ("an agent file", "runs"): "O que acontece com uma execução que falha: `atomic` desfaz o que "
    "ela fez, do fim para o começo; `best_effort`, que vale sem isso, deixa como está.",
    ("an agent file", "storage"): "Onde as execuções são guardadas; um caminho parte deste "
    "arquivo. Sem isso, na memória.",
    ("an agent file", "trace"): "Um arquivo, a partir deste, em que os spans são escritos como "
    "linhas JSON.",
    ("an agent file", "on_unread"): "O que acontece com um pedido não lido ou incompleto: `refuse` "
    "diz por quê, `ask`, que vale sem isso, pergunta uma vez, `model` o dá ao modelo.",
    ("an agent file", "model"): "O modelo a que os turnos são dados por `on_unread: model`, e "
    "todos onde não há vocabulário; o dado em Python vale antes.",
    ("a model", "python"): "Uma função de um módulo, como `tools` nomeia os módulos: `tools:ask`. "
    "Ela recebe mensagens e ferramentas e retorna um texto, chamadas, ou o que o cliente de um "
    "provedor retorna.",
    ("an agent file", "facts"): "Fatos que regras exigem, e outros valores simples; os dados em "
    "Python valem antes.",
}
"""By what has a key, in the format's words, and the key."""
