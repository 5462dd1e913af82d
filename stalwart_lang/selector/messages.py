"""What a person reads: reasons, questions and what was expected, in both languages."""

from collections.abc import Mapping

from stalwart_lang.vocabulary.model import Language

REASONS: Mapping[str, Mapping[Language, str]] = {
    "empty": {"en": "There is nothing to read.", "pt-BR": "Não há nada para ler."},
    "negation": {
        "en": "“{words}” says what is not to be done; orders must be positive.",
        "pt-BR": "“{words}” diz o que não fazer; uma ordem tem de ser afirmativa.",
    },
    "condition": {
        "en": "“{words}” makes this depend on something else.",
        "pt-BR": "“{words}” faz isto depender de outra coisa.",
    },
    "hypothetical": {
        "en": "“{words}” makes this a supposition, not an order.",
        "pt-BR": "“{words}” faz disto uma suposição, não uma ordem.",
    },
    "question": {
        "en": "“{words}” makes this a question, not an order.",
        "pt-BR": "“{words}” faz disto uma pergunta, não uma ordem.",
    },
    "past": {
        "en": "“{words}” speaks of what has happened.",
        "pt-BR": "“{words}” fala do que já aconteceu.",
    },
    "future": {
        "en": "“{words}” tells what will happen; it does not ask for it.",
        "pt-BR": "“{words}” conta o que vai acontecer; não pede.",
    },
    "reported": {
        "en": "“{words}” tells of somebody's act or words; it does not ask for an act.",
        "pt-BR": "“{words}” relata um ato ou uma fala de alguém; não pede um ato.",
    },
    "partial": {
        "en": "“{words}” asks for a part, or for more, than the act this would read as.",
        "pt-BR": "“{words}” pede uma parte, ou mais, do que o ato que se leria aqui.",
    },
    "inverse": {
        "en": "“{words}” names an act that something is to be done to, not an order.",
        "pt-BR": "“{words}” é o ato sobre o qual se quer agir, não uma ordem.",
    },
    "correction": {
        "en": "“{words}” takes back something said before.",
        "pt-BR": "“{words}” volta atrás em algo que foi dito.",
    },
    "alternative": {
        "en": "“{words}” leaves a choice open.",
        "pt-BR": "“{words}” deixa uma escolha em aberto.",
    },
    "approximate": {
        "en": "“{words}” gives no exact value.",
        "pt-BR": "“{words}” não dá um valor exato.",
    },
    "hortative": {
        "en": "“{words}” proposes; it does not ask.",
        "pt-BR": "“{words}” propõe; não pede.",
    },
    "unknown_word": {
        "en": "“{words}” is not a word of this vocabulary.",
        "pt-BR": "“{words}” não é uma palavra deste vocabulário.",
    },
    "other_language": {
        "en": "“{words}” is not English.",
        "pt-BR": "“{words}” não é português do Brasil.",
    },
    "other_script": {
        "en": "{words} is a letter or sign of another script.",
        "pt-BR": "{words} é letra ou sinal de outra escrita.",
    },
    "control_character": {
        "en": "{words} is an invisible or control character.",
        "pt-BR": "{words} é um caractere invisível ou de controle.",
    },
    "invalid_code": {
        "en": "“{words}” is no valid number of its kind; its check digits do not fit.",
        "pt-BR": "“{words}” não é um número válido; os dígitos verificadores não conferem.",
    },
    "unclosed_quote": {
        "en": "The quotation is not closed.",
        "pt-BR": "As aspas não foram fechadas.",
    },
    "ill_formed_number": {
        "en": "“{words}” is not a number as English writes it (1,250.75).",
        "pt-BR": "“{words}” não é um número como se escreve em português (1.250,75).",
    },
    "ill_formed_money": {
        "en": "“{words}” is not an amount that can be read exactly.",
        "pt-BR": "“{words}” não é um valor que se possa ler com exatidão.",
    },
    "number_too_long": {
        "en": "“{words}” has too many digits for a number.",
        "pt-BR": "“{words}” tem dígitos demais para um número.",
    },
    "impossible_date": {
        "en": "“{words}” is a date that does not exist.",
        "pt-BR": "“{words}” é uma data que não existe.",
    },
    "ambiguous_date": {
        "en": "“{words}” can be more than one date.",
        "pt-BR": "“{words}” pode ser mais de uma data.",
    },
    "ambiguous_time": {
        "en": "“{words}” can be more than one time of day.",
        "pt-BR": "“{words}” pode ser mais de uma hora do dia.",
    },
    "ambiguous_number": {
        "en": "“{words}” can be one number or several.",
        "pt-BR": "“{words}” pode ser um número só ou vários.",
    },
    "ambiguous_argument": {
        "en": "“{words}” could be more than one argument.",
        "pt-BR": "“{words}” poderia ser mais de um argumento.",
    },
    "unexpected": {
        "en": "“{words}” cannot stand here.",
        "pt-BR": "“{words}” não cabe aqui.",
    },
    "unfinished": {
        "en": "The turn ends too early.",
        "pt-BR": "O turno termina cedo demais.",
    },
    "unexpected_argument": {
        "en": "“{words}”, put so, is no argument of this act.",
        "pt-BR": "“{words}”, dito assim, não é argumento deste ato.",
    },
    "repeated_argument": {
        "en": "“{words}” gives again what was already given.",
        "pt-BR": "“{words}” repete o que já tinha sido dado.",
    },
    "repeated_call": {
        "en": "“{words}” asks again for what was already asked.",
        "pt-BR": "“{words}” pede de novo o que já foi pedido.",
    },
    "unclear_reference": {
        "en": "It is not clear what “{words}” refers to.",
        "pt-BR": "Não está claro a que “{words}” se refere.",
    },
    "no_verb": {
        "en": "There is no verb that asks for an act.",
        "pt-BR": "Não há verbo que peça um ato.",
    },
    "number_mismatch": {
        "en": "“{words}”: one is named where several are meant, or several where one is.",
        "pt-BR": "“{words}”: fala-se de um e dão-se vários, ou o contrário.",
    },
    "shared_amount": {
        "en": "It is not clear whether the amount is for each or for all together.",
        "pt-BR": "Não está claro se o valor é para cada um ou para todos juntos.",
    },
    "missing_argument": {"en": "{question}", "pt-BR": "{question}"},
    "ambiguous": {
        "en": "This can be read in more than one way: {tools}.",
        "pt-BR": "Isto pode ser lido de mais de uma maneira: {tools}.",
    },
}

QUESTIONS: Mapping[str, Mapping[Language, str]] = {
    "thing": {"en": "Which {noun}?", "pt-BR": "Qual {noun}?"},
    "list": {"en": "Which {noun}: {members}?", "pt-BR": "Qual {noun}: {members}?"},
    "money": {"en": "How much money?", "pt-BR": "Qual o valor?"},
    "date": {"en": "On which date?", "pt-BR": "Em que data?"},
    "time": {"en": "At what time?", "pt-BR": "A que horas?"},
    "month": {"en": "For which month?", "pt-BR": "De que mês?"},
    "duration": {"en": "For how long?", "pt-BR": "Por quanto tempo?"},
    "e-mail": {"en": "Which e-mail address?", "pt-BR": "Qual o e-mail?"},
    "telephone": {"en": "Which telephone number?", "pt-BR": "Qual o telefone?"},
    "quoted text": {"en": "Which text, in quotes?", "pt-BR": "Qual o texto, entre aspas?"},
}
OTHER_QUESTION: Mapping[Language, str] = {
    "en": "What is the {noun}?",
    "pt-BR": "Qual é: {noun}?",
}

EXPECTED: Mapping[str, Mapping[Language, str]] = {
    "INTEGER": {"en": "a number", "pt-BR": "um número"},
    "DECIMAL": {"en": "a decimal number", "pt-BR": "um número decimal"},
    "MONEY": {"en": "an amount of money", "pt-BR": "um valor em dinheiro"},
    "DATE": {"en": "a date", "pt-BR": "uma data"},
    "TIME": {"en": "a time", "pt-BR": "uma hora"},
    "MONTH": {"en": "a month", "pt-BR": "um mês"},
    "EMAIL": {"en": "an e-mail address", "pt-BR": "um e-mail"},
    "QUOTE": {"en": "a text in quotes", "pt-BR": "um texto entre aspas"},
    "THEN": {"en": "“then”", "pt-BR": "“depois”"},
    "AND": {"en": "“and”", "pt-BR": "“e”"},
}
KINDS: Mapping[str, str] = {
    "DECIMAL": "decimal",
    "MONEY": "money",
    "DATE": "date",
    "TIME": "time",
    "MONTH": "month",
    "EMAIL": "e-mail",
    "QUOTE": "quoted text",
}
"""The type that a terminal is a value of, for those that are told only where a tool takes them."""

END_EXPECTED: Mapping[Language, str] = {"en": "the end of the turn", "pt-BR": "o fim do turno"}
