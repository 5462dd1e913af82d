"""Vocabularies of any size, as an author of a large back office would write them.

Each tool has one to three phrases a language, of a verb and a noun of one to three words, and takes
an id and some of an amount, a date and a text. The first tools are the shop's that E6 needs, so
that one turn can be read with every vocabulary.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, product
from pathlib import Path

EN_VERBS = (
    "update archive approve assign audit block book check clear collect compare confirm copy count"
    " create credit debit delay delete deliver dispatch download edit escalate export extend file"
    " flag forward freeze import inspect invoice issue label link lock log merge move notify open"
    " order pack pause print process publish reject release remove rename renew replace report"
    " reserve restart restore resume return review revoke scan sort split start stop store submit"
    " suspend sync tag test track transfer unlock upload validate verify"
).split()
PT_VERBS = (
    "atualizar arquivar aprovar atribuir auditar bloquear reservar verificar limpar coletar"
    " comparar confirmar copiar contar criar creditar debitar adiar apagar entregar despachar baixar"
    " editar escalar exportar estender registrar sinalizar encaminhar congelar importar inspecionar"
    " faturar emitir etiquetar vincular trancar anotar juntar mover notificar abrir pedir embalar"
    " pausar imprimir processar publicar rejeitar liberar remover renomear renovar substituir"
    " relatar separar reiniciar restaurar retomar devolver revisar revogar digitalizar ordenar"
    " dividir começar parar guardar submeter suspender sincronizar marcar testar rastrear transferir"
    " destravar carregar validar conferir"
).split()
EN_NOUNS = (
    "address agreement appointment badge balance batch bill box budget bundle card case catalogue"
    " certificate charge claim contract coupon dashboard deposit document draft fee form forecast"
    " guarantee incident interview invoice item journal ledger licence listing loan manual meeting"
    " message mortgage notice offer package pallet parcel payment payroll permit policy portfolio"
    " profile proposal quote receipt record refund reminder rental report roster schedule sensor"
    " shelf shipment signature spreadsheet subscription summary survey tariff template ticket"
    " timetable token trial vehicle visit voucher warranty webhook widget workshop"
).split()
PT_NOUNS = (
    "endereço acordo agendamento crachá saldo lote boleto caixa orçamento pacote cartão processo"
    " catálogo certificado encargo sinistro contrato cupom painel depósito documento rascunho taxa"
    " formulário previsão garantia incidente entrevista fatura item diário razão licença anúncio"
    " empréstimo manual reunião mensagem hipoteca aviso oferta volume palete encomendado pagamento"
    " folha alvará apólice carteira perfil proposta cotação recibo registro estorno lembrete aluguel"
    " relatório escala cronograma sensor prateleira remessa assinatura planilha adesão resumo"
    " pesquisa tarifa modelo bilhete horário ficha teste veículo visita vale cobertura gancho"
    " componente oficina"
).split()
EN_KINDS = (
    "annual billing branch carrier client commercial customs delivery digital emergency factory"
    " field final fiscal foreign freight holiday insurance internal legal loyalty medical monthly"
    " office partner personal pilot postal product quarterly regional retail sales school security"
    " shipping staff supplier temporary travel vendor warehouse weekly wholesale"
).split()
PT_KINDS = (
    "anuidade cobrança filial transportadora fornecimento comércio alfândega entrega internet"
    " emergência fábrica campo fechamento fisco exportação frete feriado seguro intranet justiça"
    " fidelidade saúde mensalidade escritório parceria pessoal piloto correio produto trimestre"
    " região varejo vendas escola segurança expedição equipe compras temporada viagem licitação"
    " armazém semana atacado"
).split()
ARGUMENTS = (
    "{record_id: record}",
    "{record_id: record, amount: optional money}",
    "{record_id: record, day: optional date}",
    "{record_id: record, amount: optional money, day: optional date, comment: optional quoted text}",
)
HEADER = """\
vocabulary: generated
settings: {currency: {en: USD, pt-BR: BRL}}
things:
  order: {en: [order], pt-BR: [pedido]}
  record: {en: [record], pt-BR: [cadastro]}
"""
E6_TOOLS = """\
tools:
  charge_card:
    takes: {order_id: order, amount: {type: money, words: {en: [amount], pt-BR: [valor]}}}
    say: {en: [charge], pt-BR: [cobrar]}
  update_crm:
    takes: {order_id: order}
    say: {en: [update the crm], pt-BR: [atualizar o CRM]}
  provision_account:
    takes: {order_id: order}
    say: {en: [provision the account], pt-BR: [provisionar a conta]}
"""
_PHRASES_IN_A_FILE = 20_000  # a file has at most 5 MB


def phrases(
    verbs: Sequence[str], nouns: Sequence[str], kinds: Sequence[str], language: str
) -> Iterator[str]:
    """Give distinct phrases, the short ones first: the noun, with a kind, with two."""
    one = [[noun] for noun in nouns]
    two = [[kind, noun] for kind, noun in product(kinds, nouns)]
    three = [[a, b, noun] for a, b, noun in product(kinds, kinds, nouns) if a != b]
    for said in (one, two, three):
        for words, verb in product(said, verbs):
            if language == "en":
                yield f"{verb} the {' '.join(words)}"
            else:
                yield f"{verb} {' de '.join(reversed(words))}"


def write_vocabulary(
    folder: Path, count: int, *, languages: Sequence[str] = ("en", "pt-BR"), one_verb: bool = False
) -> Path:
    """Write a vocabulary with `count` phrases in each of `languages`; give its first file."""
    verbs = {"en": EN_VERBS, "pt-BR": PT_VERBS}
    its = {"en": (EN_NOUNS, EN_KINDS), "pt-BR": (PT_NOUNS, PT_KINDS)}
    left = {
        language: islice(
            phrases(verbs[language][:1] if one_verb else verbs[language], *its[language], language),
            count - 3,
        )
        for language in languages
    }
    tools: list[str] = []
    files: list[list[str]] = [[]]
    while True:
        size = len(tools) % 3 + 1
        said = {language: list(islice(left[language], size)) for language in languages}
        if not all(said.values()):
            break
        number = len(tools)
        say = ", ".join(f"{name}: [{', '.join(lines)}]" for name, lines in said.items())
        tools.append(
            f"  tool_{number}:\n"
            f"    takes: {ARGUMENTS[number % len(ARGUMENTS)]}\n"
            f"    say: {{{say}}}\n"
        )
        if len(files[-1]) * 2 * len(languages) >= _PHRASES_IN_A_FILE:
            files.append([])
        files[-1].append(tools[-1])
    first = folder / "generated.yaml"
    names = [f"generated-{number}.yaml" for number in range(1, len(files))]
    include = f"include: [{', '.join(names)}]\n" if names else ""
    first.write_text(HEADER + include + E6_TOOLS + "".join(files[0]), encoding="utf-8")
    for name, held in zip(names, files[1:], strict=True):
        (folder / name).write_text(
            "vocabulary: generated\ntools:\n" + "".join(held), encoding="utf-8"
        )
    return first
