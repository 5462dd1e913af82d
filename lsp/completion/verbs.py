"""Verbs that an order may begin with, in their dictionary forms: for the beginning of a phrase.

Any verb can be used; these are those that orders to an agent are likely to have. Their forms are
made by `words`.
"""

from collections.abc import Mapping

from stalwart_lang.vocabulary.model import Language

_ENGLISH = """
accept activate add allocate approve archive arrange assign attach block book bring
build buy calculate call cancel capture change charge check choose close collect compare
complete confirm connect convert copy count create credit deactivate debit decline delete
deliver deny deploy disable dispatch download draft duplicate edit email enable end enrol
estimate exchange export extend file fill find finish fix flag follow forward freeze fulfil
get give grant hide hold import increase install invite invoice issue join keep leave lend
link list load lock log lower mail make mark merge message move mute name notify open order
pack pause pay pick place post prepare print process provision publish pull purchase push
put quote raise read reassign rebook receive record reduce refund register reject release
remind remove rename renew reopen repeat replace reply report request reschedule reserve
reset resend restart restore resume retry return revert review revoke rotate run save scan
schedule search sell send set settle share ship show sign skip sort split start stop store
submit subscribe suspend swap switch sync tag take tell terminate test ticket track
transfer translate trigger turn unblock undo unlock unsubscribe update upgrade upload use
validate verify view void withdraw write
"""
_PORTUGUESE = """
abrir aceitar acompanhar acrescentar adiar adicionar agendar ajustar alocar alterar
ampliar anexar anotar antecipar anular apagar aplicar aprovar arquivar assinar associar
atender ativar atribuir atualizar aumentar autorizar avaliar avisar baixar bloquear buscar
cadastrar calcular cancelar carregar cobrar colocar comparar comprar concluir conectar
conferir confirmar congelar consertar consultar contar contestar contratar converter copiar
corrigir creditar criar dar debitar deixar depositar desativar desbloquear descartar
desconectar desfazer desligar desmarcar despachar devolver diminuir dividir duplicar editar
embalar emitir encaminhar encerrar encomendar entregar enviar escolher escrever estender
estornar exibir exportar faturar fazer fechar filtrar finalizar gerar gravar guardar
habilitar iniciar importar imprimir incluir indicar informar inscrever inserir instalar
juntar lançar lembrar levar liberar ligar limpar liquidar listar localizar mandar manter
marcar mostrar mover mudar negar notificar obter ocultar organizar pagar parar pausar pedir
pegar pesquisar pôr postar preencher preparar processar procurar programar prorrogar
provisionar publicar puxar reabrir reagendar receber recusar reduzir reembolsar reenviar
registrar reiniciar rejeitar relatar remarcar remover renomear renovar repetir repor
reservar responder restaurar retirar retomar reverter revisar revogar salvar separar
silenciar sincronizar solicitar somar substituir suspender testar tirar traduzir
transferir trocar usar validar vender ver verificar vincular
"""
VERBS: Mapping[Language, tuple[str, ...]] = {
    "en": tuple(_ENGLISH.split()),
    "pt-BR": tuple(_PORTUGUESE.split()),
}
"""By language, in alphabetical order."""
