"""Word forms of Brazilian Portuguese, against tables written by hand."""

import contextlib
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stalwart_lang.words.portuguese_forms import (
    VerbForms,
    adjective_forms,
    clitic_forms,
    gender,
    plural,
    verb_forms,
)

# infinitive, formal singular, informal, formal plural
ORDERS = """
cancelar cancele cancela cancelem
anotar anote anota anotem
devolver devolva devolve devolvam
abrir abra abre abram
aplicar aplique aplica apliquem
marcar marque marca marquem
notificar notifique notifica notifiquem
pagar pague paga paguem
entregar entregue entrega entreguem
carregar carregue carrega carreguem
começar comece começa comecem
lançar lance lança lancem
reforçar reforce reforça reforcem
fornecer forneça fornece forneçam
descer desça desce desçam
crescer cresça cresce cresçam
esclarecer esclareça esclarece esclareçam
proteger proteja protege protejam
eleger eleja elege elejam
corrigir corrija corrige corrijam
dirigir dirija dirige dirijam
agir aja age ajam
seguir siga segue sigam
conseguir consiga consegue consigam
prosseguir prossiga prossegue prossigam
perseguir persiga persegue persigam
distinguir distinga distingue distingam
extinguir extinga extingue extingam
erguer erga ergue ergam
bloquear bloqueie bloqueia bloqueiem
desbloquear desbloqueie desbloqueia desbloqueiem
rastrear rastreie rastreia rastreiem
estornar estorne estorna estornem
enviar envie envia enviem
copiar copie copia copiem
negociar negocie negocia negociem
premiar premie premia premiem
mediar medeie medeia medeiem
intermediar intermedeie intermedeia intermedeiem
remediar remedeie remedeia remedeiem
ansiar anseie anseia anseiem
incendiar incendeie incendeia incendeiem
odiar odeie odeia odeiem
perdoar perdoe perdoa perdoem
abençoar abençoe abençoa abençoem
doar doe doa doem
continuar continue continua continuem
efetuar efetue efetua efetuem
incluir inclua inclui incluam
excluir exclua exclui excluam
substituir substitua substitui substituam
distribuir distribua distribui distribuam
instruir instrua instrui instruam
arguir argua argui arguam
construir construa constrói construam
reconstruir reconstrua reconstrói reconstruam
destruir destrua destrói destruam
reduzir reduza reduz reduzam
produzir produza produz produzam
traduzir traduza traduz traduzam
sair saia sai saiam
extrair extraia extrai extraiam
atrair atraia atrai atraiam
moer moa mói moam
corroer corroa corrói corroam
conferir confira confere confiram
transferir transfira transfere transfiram
preferir prefira prefere prefiram
referir refira refere refiram
inserir insira insere insiram
sugerir sugira sugere sugiram
digerir digira digere digiram
gerir gira gere giram
aderir adira adere adiram
repetir repita repete repitam
competir compita compete compitam
servir sirva serve sirvam
vestir vista veste vistam
investir invista investe invistam
despir dispa despe dispam
mentir minta mente mintam
sentir sinta sente sintam
consentir consinta consente consintam
divertir divirta diverte divirtam
advertir advirta adverte advirtam
ferir fira fere firam
interferir interfira interfere interfiram
refletir reflita reflete reflitam
repelir repila repele repilam
convergir convirja converge convirjam
prevenir previna previne previnam
progredir progrida progride progridam
agredir agrida agride agridam
transgredir transgrida transgride transgridam
pedir peça pede peçam
despedir despeça despede despeçam
impedir impeça impede impeçam
expedir expeça expede expeçam
medir meça mede meçam
ouvir ouça ouve ouçam
perder perca perde percam
valer valha vale valham
dormir durma dorme durmam
cobrir cubra cobre cubram
descobrir descubra descobre descubram
encobrir encubra encobre encubram
engolir engula engole engulam
tossir tussa tosse tussam
polir pula pule pulam
subir suba sobe subam
consumir consuma consome consumam
sumir suma some sumam
fugir fuja foge fujam
acudir acuda acode acudam
sacudir sacuda sacode sacudam
cuspir cuspa cospe cuspam
assumir assuma assume assumam
resumir resuma resume resumam
discutir discuta discute discutam
cumprir cumpra cumpre cumpram
surgir surja surge surjam
proibir proíba proíbe proíbam
coibir coíba coíbe coíbam
reunir reúna reúne reúnam
saudar saúde saúda saúdem
arruinar arruíne arruína arruínem
enraizar enraíze enraíza enraízem
ajuizar ajuíze ajuíza ajuízem
esmiuçar esmiúce esmiúça esmiúcem
catequizar catequize catequiza catequizem
realizar realize realiza realizem
fazer faça faz façam
refazer refaça refaz refaçam
desfazer desfaça desfaz desfaçam
satisfazer satisfaça satisfaz satisfaçam
dizer diga diz digam
redizer rediga rediz redigam
predizer prediga prediz predigam
contradizer contradiga contradiz contradigam
trazer traga traz tragam
dar dê dá deem
estar esteja está estejam
ir vá vai vão
ser seja sê sejam
ter tenha tem tenham
manter mantenha mantém mantenham
obter obtenha obtém obtenham
reter retenha retém retenham
conter contenha contém contenham
deter detenha detém detenham
entreter entretenha entretém entretenham
vir venha vem venham
intervir intervenha intervém intervenham
convir convenha convém convenham
provir provenha provém provenham
ver veja vê vejam
rever reveja revê revejam
prever preveja prevê prevejam
prover proveja provê provejam
ler leia lê leiam
reler releia relê releiam
crer creia crê creiam
pôr ponha põe ponham
repor reponha repõe reponham
compor componha compõe componham
dispor disponha dispõe disponham
propor proponha propõe proponham
impor imponha impõe imponham
expor exponha expõe exponham
supor suponha supõe suponham
opor oponha opõe oponham
depor deponha depõe deponham
transpor transponha transpõe transponham
saber saiba sabe saibam
requerer requeira requer requeiram
prometer prometa promete prometam
escrever escreva escreve escrevam
ajudar ajude ajuda ajudem
prestar preste presta prestem
viajar viaje viaja viajem
"""


@pytest.mark.parametrize("row", ORDERS.strip().splitlines(), ids=lambda row: row.split()[0])
def test_orders_are_the_subjunctive_and_the_third_person(row: str) -> None:
    infinitive, formal, informal, formal_plural = row.split()
    forms = verb_forms(infinitive)
    assert forms.infinitive == infinitive
    assert forms.imperative == (formal, informal, formal_plural)
    assert forms.formal == forms.subjunctive == (formal, formal_plural)
    assert forms.informal == (informal,)
    assert not set(forms.imperative) & {*forms.past, *forms.future, *forms.gerund}


@pytest.mark.parametrize(
    ("infinitive", "imperative"),
    [
        ("averiguar", {"averigue", "averígue", "averigua", "averígua", "averiguem", "averíguem"}),
        ("adequar", {"adeque", "adéque", "adequa", "adéqua", "adequem", "adéquem"}),
        ("enxaguar", {"enxague", "enxágue", "enxagua", "enxágua", "enxaguem", "enxáguem"}),
        ("minguar", {"mingue", "míngue", "mingua", "míngua", "minguem", "mínguem"}),
        ("desentupir", {"desentupa", "desentope", "desentupe", "desentupam"}),
        ("poder", {"possa", "possam"}),
        ("querer", {"queira", "queiram"}),
        ("haver", {"haja", "hajam"}),
        ("caber", {"caiba", "caibam"}),
        ("abolir", {"abole"}),
        ("demolir", {"demole"}),
        ("reaver", set()),
        ("precaver", set()),
        ("falir", set()),
        ("sorrir", set()),
    ],
)
def test_orders_with_two_spellings_and_of_defective_verbs(
    infinitive: str, imperative: set[str]
) -> None:
    assert set(verb_forms(infinitive).imperative) == imperative


# infinitive, gerund, preterite of eu, ele, nós, eles, imperfect, future of ele, conditional
TENSES = """
cancelar cancelando cancelei cancelou cancelamos cancelaram cancelava cancelará cancelaria
pagar pagando paguei pagou pagamos pagaram pagava pagará pagaria
marcar marcando marquei marcou marcamos marcaram marcava marcará marcaria
começar começando comecei começou começamos começaram começava começará começaria
bloquear bloqueando bloqueei bloqueou bloqueamos bloquearam bloqueava bloqueará bloquearia
enviar enviando enviei enviou enviamos enviaram enviava enviará enviaria
averiguar averiguando averiguei averiguou averiguamos averiguaram averiguava averiguará averiguaria
devolver devolvendo devolvi devolveu devolvemos devolveram devolvia devolverá devolveria
moer moendo moí moeu moemos moeram moía moerá moeria
abrir abrindo abri abriu abrimos abriram abria abrirá abriria
seguir seguindo segui seguiu seguimos seguiram seguia seguirá seguiria
incluir incluindo incluí incluiu incluímos incluíram incluía incluirá incluiria
construir construindo construí construiu construímos construíram construía construirá construiria
sair saindo saí saiu saímos saíram saía sairá sairia
reunir reunindo reuni reuniu reunimos reuniram reunia reunirá reuniria
pedir pedindo pedi pediu pedimos pediram pedia pedirá pediria
fazer fazendo fiz fez fizemos fizeram fazia fará faria
satisfazer satisfazendo satisfiz satisfez satisfizemos satisfizeram satisfazia satisfará satisfaria
dizer dizendo disse disse dissemos disseram dizia dirá diria
trazer trazendo trouxe trouxe trouxemos trouxeram trazia trará traria
pôr pondo pus pôs pusemos puseram punha porá poria
repor repondo repus repôs repusemos repuseram repunha reporá reporia
dar dando dei deu demos deram dava dará daria
estar estando estive esteve estivemos estiveram estava estará estaria
ir indo fui foi fomos foram ia irá iria
ser sendo fui foi fomos foram era será seria
ter tendo tive teve tivemos tiveram tinha terá teria
manter mantendo mantive manteve mantivemos mantiveram mantinha manterá manteria
vir vindo vim veio viemos vieram vinha virá viria
intervir intervindo intervim interveio interviemos intervieram intervinha intervirá interviria
ver vendo vi viu vimos viram via verá veria
prover provendo provi proveu provemos proveram provia proverá proveria
ler lendo li leu lemos leram lia lerá leria
saber sabendo soube soube soubemos souberam sabia saberá saberia
poder podendo pude pôde pudemos puderam podia poderá poderia
querer querendo quis quis quisemos quiseram queria quererá quereria
requerer requerendo requeri requereu requeremos requereram requeria requererá requereria
haver havendo houve houve houvemos houveram havia haverá haveria
caber cabendo coube coube coubemos couberam cabia caberá caberia
reaver reavendo reouve reouve reouvemos reouveram reavia reaverá reaveria
"""


@pytest.mark.parametrize("row", TENSES.strip().splitlines(), ids=lambda row: row.split()[0])
def test_gerund_past_and_future(row: str) -> None:
    infinitive, gerund, *past, future, conditional = row.split()
    forms = verb_forms(infinitive)
    assert forms.gerund == (gerund,)
    assert set(past) <= set(forms.past)
    assert {future, conditional} <= set(forms.future)


@pytest.mark.parametrize(
    ("infinitive", "past"),
    [
        ("cancelar", {"cancelávamos", "cancelavam", "cancelara"}),
        ("incluir", {"incluíamos", "incluíam", "incluíra"}),
        ("fazer", {"fazíamos", "faziam", "fizera"}),
        ("ser", {"éramos", "eram", "fora"}),
        ("ir", {"íamos", "iam", "fora"}),
        ("pôr", {"púnhamos", "punham", "pusera"}),
        ("dar", {"dávamos", "davam", "dera"}),
        ("vir", {"vínhamos", "vinham", "viera"}),
    ],
)
def test_imperfect_and_pluperfect(infinitive: str, past: set[str]) -> None:
    assert past <= set(verb_forms(infinitive).past)


def test_all_persons_of_the_future() -> None:
    assert verb_forms("cancelar").future == (
        *("cancelarei", "cancelarás", "cancelará", "cancelaremos", "cancelarão"),
        *("cancelaria", "cancelarias", "cancelaríamos", "cancelariam"),
    )


# infinitive, present of eu, nós, eles, present, subjunctive and preterite of tu, hortative
OTHER_PERSONS = """
cancelar cancelo cancelamos cancelam cancelas canceles cancelaste cancelemos
pagar pago pagamos pagam pagas pagues pagaste paguemos
bloquear bloqueio bloqueamos bloqueiam bloqueias bloqueies bloqueaste bloqueemos
mediar medeio mediamos medeiam medeias medeies mediaste mediemos
saudar saúdo saudamos saúdam saúdas saúdes saudaste saudemos
proibir proíbo proibimos proíbem proíbes proíbas proibiste proibamos
proteger protejo protegemos protegem proteges protejas protegeste protejamos
conferir confiro conferimos conferem conferes confiras conferiste confiramos
prevenir previno prevenimos previnem prevines previnas preveniste previnamos
subir subo subimos sobem sobes subas subiste subamos
cobrir cubro cobrimos cobrem cobres cubras cobriste cubramos
pedir peço pedimos pedem pedes peças pediste peçamos
incluir incluo incluímos incluem incluis incluas incluíste incluamos
construir construo construímos constroem constróis construas construíste construamos
sair saio saímos saem sais saias saíste saiamos
moer moo moemos moem móis moas moeste moamos
reduzir reduzo reduzimos reduzem reduzes reduzas reduziste reduzamos
fazer faço fazemos fazem fazes faças fizeste façamos
dar dou damos dão dás dês deste demos
ir vou vamos vão vais vás foste vamos
pôr ponho pomos põem pões ponhas puseste ponhamos
manter mantenho mantemos mantêm manténs mantenhas mantiveste mantenhamos
intervir intervenho intervimos intervêm intervéns intervenhas intervieste intervenhamos
ver vejo vemos veem vês vejas viste vejamos
"""


@pytest.mark.parametrize("row", OTHER_PERSONS.strip().splitlines(), ids=lambda row: row.split()[0])
def test_persons_that_give_no_order(row: str) -> None:
    infinitive, i, we, they, *thou, hortative = row.split()
    forms = verb_forms(infinitive)
    assert set(forms.present_other) == {i, we, they}
    assert set(forms.tu_forms) == set(thou)
    assert forms.hortative == (hortative,)


def test_the_third_person_that_orders_nothing_is_present() -> None:
    assert "é" in verb_forms("ser").present_other
    assert "pode" in verb_forms("poder").present_other
    assert "há" in verb_forms("haver").present_other
    assert verb_forms("abolir").present_other == ("abolimos", "abolem")
    assert verb_forms("reaver").present_other == ("reavemos",)


@pytest.mark.parametrize(
    ("infinitive", "participles"),
    [
        ("enviar", "enviado enviada enviados enviadas"),
        ("incluir", "incluído incluída incluídos incluídas incluso inclusa inclusos inclusas"),
        ("sair", "saído saída saídos saídas"),
        ("pagar", "pagado pagada pagados pagadas pago paga pagos pagas"),
        ("aceitar", "aceitado aceitada aceitados aceitadas aceito aceita aceitos aceitas"),
        ("entregar", "entregado entregada entregados entregadas entregue entregues"),
        ("suspender", "suspendido suspendida suspendidos suspendidas "
                      "suspenso suspensa suspensos suspensas"),
        ("abrir", "aberto aberta abertos abertas"),
        ("reabrir", "reaberto reaberta reabertos reabertas"),
        ("descobrir", "descoberto descoberta descobertos descobertas"),
        ("escrever", "escrito escrita escritos escritas"),
        ("inscrever", "inscrito inscrita inscritos inscritas"),
        ("fazer", "feito feita feitos feitas"),
        ("desfazer", "desfeito desfeita desfeitos desfeitas"),
        ("dizer", "dito dita ditos ditas"),
        ("ver", "visto vista vistos vistas"),
        ("prever", "previsto prevista previstos previstas"),
        ("prover", "provido provida providos providas"),
        ("pôr", "posto posta postos postas"),
        ("repor", "reposto reposta repostos repostas"),
        ("vir", "vindo vinda vindos vindas"),
        ("trazer", "trazido trazida trazidos trazidas"),
    ],
)  # fmt: skip
def test_participles(infinitive: str, participles: str) -> None:
    assert verb_forms(infinitive).participles == tuple(participles.split())


def test_por_is_the_verb_and_accents_may_be_decomposed() -> None:
    assert verb_forms("por") == verb_forms("pôr") == verb_forms(unicodedata.normalize("NFD", "pôr"))
    assert verb_forms("Começar") == verb_forms(unicodedata.normalize("NFD", "começar"))


@pytest.mark.parametrize(
    "word",
    ["", "ar", "ir ver", "pedido", "vapor", "flor", "mar", "açúcar", "notificar-se", "кар", "ar1r"],
)
def test_no_infinitive(word: str) -> None:
    with pytest.raises(ValueError, match="infinitive"):
        verb_forms(word)
    with pytest.raises(ValueError, match="infinitive"):
        clitic_forms(word)


CLITICS = """
cancelar cancele-o imperative o
cancelar cancela-as imperative as
cancelar cancelem-no imperative o
cancelar cancelem-nas imperative as
cancelar cancelá-lo infinitive o
cancelar cancelá-las infinitive as
cancelar cancelar-nos infinitive nos
devolver devolvê-lo infinitive o
devolver devolva-a imperative a
abrir abri-lo infinitive o
seguir segui-la infinitive a
distinguir distingui-los infinitive os
incluir incluí-lo infinitive o
arguir arguí-lo infinitive o
extrair extraí-los infinitive os
moer moê-lo infinitive o
construir constrói-o imperative o
pôr pô-lo infinitive o
pôr põe-no imperative o
pôr ponha-a imperative a
por pôr-se infinitive se
repor repô-la infinitive a
repor repõe-na imperative a
fazer fá-lo imperative o
fazer faça-o imperative o
fazer fazê-lo infinitive o
satisfazer satisfá-los imperative os
trazer trá-lo imperative o
trazer traz-me imperative me
dizer di-lo imperative o
dizer diz-lhe imperative lhe
reduzir redu-la imperative a
produzir produ-lo imperative o
requerer requere-o imperative o
requerer requerê-lo infinitive o
manter mantém-no imperative o
manter mantê-lo infinitive o
dar dá-lo infinitive o
dar dá-o imperative o
dar deem-lhe imperative lhe
ver vê-o imperative o
ver vê-lo infinitive o
mandar mande-me imperative me
mandar manda-lhe imperative lhe
mandar mandem-lhes imperative lhes
enviar envie-nos imperative nos
enviar enviar-lhe infinitive lhe
inscrever inscreva-se imperative se
inscrever inscrever-se infinitive se
proibir proíba-o imperative o
proibir proibi-lo infinitive o
"""


@pytest.mark.parametrize("row", CLITICS.strip().splitlines())
def test_forms_with_a_pronoun(row: str) -> None:
    infinitive, form, mood, pronoun = row.split()
    assert clitic_forms(infinitive)[form] == (mood, pronoun)


def test_what_is_no_order_takes_no_pronoun() -> None:
    forms = clitic_forms("enviar")
    assert "enviem-nos" not in forms  # os, or nos
    assert not {"enviei-o", "enviou-o", "enviá-lo-ei", "enviando-o", "enviam-no"} & set(forms)
    assert "põe-nos" not in clitic_forms("pôr")
    assert {mood for mood, _ in clitic_forms("reaver").values()} == {"infinitive"}


PLURALS = {
    "pedido": "pedidos", "compra": "compras", "boleto": "boletos", "conta": "contas",
    "avó": "avós", "avô": "avôs", "café": "cafés", "irmã": "irmãs", "ímã": "ímãs",
    "cartão": "cartões", "mão": "mãos", "pão": "pães", "cidadão": "cidadãos",
    "alemão": "alemães", "capitão": "capitães", "irmão": "irmãos", "órgão": "órgãos",
    "órfão": "órfãos", "bênção": "bênçãos", "cão": "cães", "escrivão": "escrivães",
    "padrão": "padrões", "milhão": "milhões", "grão": "grãos", "transação": "transações",
    "papel": "papéis", "hotel": "hotéis", "móvel": "móveis", "nível": "níveis",
    "canal": "canais", "fiscal": "fiscais", "azul": "azuis", "lençol": "lençóis",
    "álcool": "álcoois", "fuzil": "fuzis", "perfil": "perfis", "fácil": "fáceis",
    "útil": "úteis", "réptil": "répteis", "mal": "males", "gol": "gols", "cônsul": "cônsules",
    "item": "itens", "ordem": "ordens", "cupom": "cupons", "álbum": "álbuns", "fim": "fins",
    "armazém": "armazéns", "mês": "meses", "país": "países", "gás": "gases", "inglês": "ingleses",
    "ônibus": "ônibus", "lápis": "lápis", "status": "status", "vírus": "vírus", "bônus": "bônus",
    "tórax": "tórax", "valor": "valores", "líder": "líderes", "caráter": "caracteres",
    "júnior": "juniores", "vez": "vezes", "luz": "luzes", "raiz": "raízes", "juiz": "juízes",
    "matriz": "matrizes", "hífen": "hifens", "token": "tokens", "link": "links",
    "ticket": "tickets", "e-mail": "e-mails", "hobby": "hobbies", "display": "displays",
    "cpf": "cpfs", "sms": "sms", "km": "km",
    "nota fiscal": "notas fiscais", "conta corrente": "contas correntes",
    "conta poupança": "contas poupança", "chave Pix": "chaves pix", "código QR": "códigos qr",
    "chave aleatória": "chaves aleatórias", "linha digitável": "linhas digitáveis",
    "ordem de serviço": "ordens de serviço", "cartão de crédito": "cartões de crédito",
    "número do pedido": "números do pedido", "pagamento em atraso": "pagamentos em atraso",
    "cartão de crédito bloqueado": "cartões de crédito bloqueado",
    "guarda-chuva": "guarda-chuvas", "segunda-feira": "segundas-feiras",
    "palavra-chave": "palavras-chave", "vale-presente": "vales-presente",
    "pós-venda": "pós-vendas", "ex-cliente": "ex-clientes", "pé-de-moleque": "pés-de-moleque",
}  # fmt: skip


@pytest.mark.parametrize(("noun", "expected"), PLURALS.items())
def test_plurals(noun: str, expected: str) -> None:
    assert plural(noun) == expected
    assert plural(unicodedata.normalize("NFD", noun.upper())) == expected


GENDERS = {
    "m": """
        pedido boleto cartão padrão botão milhão caminhão coração problema sistema programa tema
        dia mapa telefonema idioma diploma telegrama cronograma esquema clima planeta mês país
        valor celular papel canal perfil item cupom álbum fim homem armazém juiz cartaz cheque
        estoque saque volume exame pacote lote nome limite bilhete comprovante incidente
        restaurante telefone ônibus lápis tênis status menu júri táxi café comitê sofá pé pix
        e-mail link ticket site chat token cpf rei guarda-chuva porta-retrato vale-presente
        pedidos cartões valores itens canais meses dias sistemas problemas
        """,
    "f": """
        compra conta fatura senha entrega nota cidade unidade chave transação informação sessão
        versão conexão razão questão opinião região reunião mão certidão multidão gestão viagem
        mensagem imagem origem ordem nuvem base fase frase análise crise parte tarde noite ponte
        fonte rede sede face interface superfície virtude atitude saúde vez luz voz matriz diretriz
        rapidez gravidez cor dor flor mulher filial central foto moto tribo lei internet api tag
        lista entrevista pista revista irmã manhã maçã fé avó pessoa criança segunda-feira
        palavra-chave pré-venda sub-rede
        contas transações chaves cidades ordens viagens vezes raízes cores fotos listas
        """,
    None: """
        cliente gerente agente atendente estudante dentista motorista artista atleta colega fã
        personagem jovem fiscal guia guarda caixa capital рубль 123
        clientes agentes
        """,
}


@pytest.mark.parametrize(
    ("noun", "expected"),
    [(noun, expected) for expected, nouns in GENDERS.items() for noun in nouns.split()],
)
def test_genders(noun: str, expected: str | None) -> None:
    assert gender(noun) == expected


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("cartão de crédito", "m"),
        ("nota fiscal", "f"),
        ("Chave Pix", "f"),
        ("ordem de serviço", "f"),
    ],
)
def test_the_first_noun_gives_the_gender(noun: str, expected: str) -> None:
    assert gender(noun) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("aberto", "aberto, aberta, abertos, abertas"),
        ("atrasado", "atrasado, atrasada, atrasados, atrasadas"),
        ("Enviado", "enviado, enviada, enviados, enviadas"),
        ("entregue", "entregue, entregues"),
        ("pendente", "pendente, pendentes"),
        ("disponível", "disponível, disponíveis"),
        ("azul", "azul, azuis"),
        ("feliz", "feliz, felizes"),
        ("maior", "maior, maiores"),
        ("devedor", "devedor, devedora, devedores, devedoras"),
        ("superior", "superior, superiores"),
        ("português", "português, portuguesa, portugueses, portuguesas"),
        ("cristão", "cristão, cristã, cristãos, cristãs"),
        ("alemão", "alemão, alemã, alemães, alemãs"),
        ("europeu", "europeu, europeia, europeus, europeias"),
        ("bom", "bom, boa, bons, boas"),
        ("nu", "nu, nua, nus, nuas"),
        ("simples", "simples"),
        ("grátis", "grátis"),
        ("aberta", "aberta, abertas"),
        ("em aberto", "em aberto"),
        ("a vencer", "a vencer"),
        ("fora do prazo", "fora do prazo"),
        ("não pago", "não pago, não paga, não pagos, não pagas"),
        ("parcialmente pago", "parcialmente pago, parcialmente paga, parcialmente pagos, "
                              "parcialmente pagas"),
        ("pronto para envio", "pronto para envio, pronta para envio, prontos para envio, "
                              "prontas para envio"),
        ("aguardando pagamento", "aguardando pagamento"),
        ("lindo", "lindo, linda, lindos, lindas"),
        ("pagamento atrasado", "pagamento atrasado, pagamentos atrasados"),
        ("entrega atrasada", "entrega atrasada, entregas atrasadas"),
        ("cartão", "cartão, cartões"),
        ("boleto", "boleto, boletos"),
    ],
)  # fmt: skip
def test_states(words: str, expected: str) -> None:
    assert ", ".join(adjective_forms(words)) == expected


@pytest.mark.parametrize("function", [plural, gender, adjective_forms])
@pytest.mark.parametrize("empty", ["", "  ", "\u00a0"])
def test_no_word(function: object, empty: str) -> None:
    assert callable(function)
    with pytest.raises(ValueError, match="not an empty text"):
        function(empty)


def _all_forms(forms: VerbForms) -> set[str]:
    lists = (
        *(forms.formal, forms.informal, forms.imperative, forms.gerund, forms.participles),
        *(forms.past, forms.future, forms.present_other, forms.tu_forms, forms.hortative),
    )
    return {forms.infinitive}.union(*lists)


def _is_lower_nfc(text: str) -> bool:
    return text == text.lower() == unicodedata.normalize("NFC", text)


_STEMS = st.from_regex(r"[bcçdfghjlmnpqrstvxz]?[aeiou][bcdfglmnpqrstvxzaeiou]{1,5}", fullmatch=True)


@given(_STEMS, st.sampled_from(["ar", "er", "ir"]))
def test_forms_of_any_verb(stem: str, theme: str) -> None:
    forms = verb_forms(stem + theme)
    assert all(form and _is_lower_nfc(form) for form in _all_forms(forms))
    assert not set(forms.imperative) & (set(forms.past) | set(forms.future) | set(forms.tu_forms))
    assert not set(forms.imperative) & {*forms.gerund, forms.infinitive, forms.present_other[0]}
    assert set(forms.imperative) <= {*forms.formal, *forms.informal}
    for form in clitic_forms(stem + theme):
        assert _is_lower_nfc(form)
        assert form.count("-") == 1


@given(st.from_regex(r"[bdfjlmnprstv]?[aeo][bdlmnprstv]{1,2}", fullmatch=True))
def test_a_regular_verb_comes_back_from_its_orders(stem: str) -> None:
    verb = f"{stem}ar"
    assume(verb not in ("estar", "sobrestar"))
    formal, informal, formal_plural = verb_forms(verb).imperative
    assert formal.removesuffix("e") + "ar" == verb
    assert f"{informal}r" == verb
    assert formal_plural.removesuffix("em") + "ar" == verb


@given(st.text() | st.text(alphabet="aeiourpô -çãõmsl\u0301\u0303Ç", max_size=12))
def test_any_text_gives_lower_case_forms_or_a_value_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert all(map(_is_lower_nfc, _all_forms(verb_forms(text))))
        assert all(map(_is_lower_nfc, clitic_forms(text)))
    if text.split():
        assert _is_lower_nfc(plural(text))
        assert gender(text) in ("m", "f", None)
        assert all(map(_is_lower_nfc, adjective_forms(text)))
