## Used by several pages.

gap = { " " }
sign-in = Entrar
sign-out = Sair
create-account = Criar uma conta
continue = Continuar
code = Código
email = E-mail
password = Senha
name = Nome
username = Nome de usuário
optional = (opcional)
password-hint = De 10 a 256 caracteres. Use algumas palavras sem relação entre si.
username-hint = De 3 a 32 letras, dígitos, hifens ou sublinhados.
signed-in-as = Você entrou como { $account }.
to-continue = para continuar em { $client }
use-another-account = Usar outra conta
forgot-password = Esqueceu sua senha?
back-to-sign-in = Voltar para a página de entrada
stay-signed-in = Permanecer conectado
close-page = Você pode fechar esta página.
go-to-account = Ir para sua conta
no-mail-server = Este serviço não tem servidor de e-mail. O link é gravado no registro do serviço, que o operador pode ler.
sign-in-with-passkey = Entrar com uma chave de acesso
no-passkey-used = Nenhuma chave de acesso foi usada. Tente novamente ou escolha outra forma.
documentation = Documentação
openapi-document = Documento OpenAPI
terms = Termos de serviço
privacy-policy = Política de privacidade

## Points in time, in UTC.

date-time = { $day } de { $month } de { $year }, { $time } UTC
month-1 = janeiro
month-2 = fevereiro
month-3 = março
month-4 = abril
month-5 = maio
month-6 = junho
month-7 = julho
month-8 = agosto
month-9 = setembro
month-10 = outubro
month-11 = novembro
month-12 = dezembro

## The start page.

start-title = Administração de projetos
start-lead = Gerencie equipes, projetos, chaves de API, esquemas, usuários e seus dados: no navegador, na linha de comando ou com uma API REST.
start-not-set-up = Este serviço ainda não foi configurado. Para criar a primeira conta e se tornar o operador, abra o link que o serviço gravou no registro ao iniciar. O link funciona uma única vez, em até 24 horas. Reinicie o serviço para obter um novo.

## Signing in.

sign-in-identity-waits = Já existe uma conta com o endereço { $email }. Entre nela uma vez de outra forma para mostrar que ela é sua. Depois disso, você poderá entrar com { $provider }.
email-or-username = E-mail ou nome de usuário
email-me-a-code = Receber um código por e-mail
other-ways = Outras formas de entrar
continue-with = Continuar com { $provider }
sign-in-limited = Você não precisa esperar: entre com um link que enviamos para o endereço de e-mail da sua conta. Se você já recebeu um na última hora, use-o.
email-me-a-link = Receber um link de entrada por e-mail

## Signing in with a code.

code-address-title = Entrar com um código
code-address-lead = Informe seu endereço de e-mail para receber um código com o qual você entra sem senha.
code-address-sign-up = Se você ainda não tem uma conta, o código cria uma.
send-code = Enviar o código
request-code = Solicitar o código
code-title = Informe o código
code-sent = Se { $email } tem uma conta ou pode ter uma, enviamos um código para esse endereço. Ele expira em dez minutos.
code-logged = Informe o código para { $email }. Ele expira em dez minutos.
send-another-code = Enviar outro código
code-elsewhere = O link funciona por dez minutos e somente no navegador que o solicitou. Abra-o lá ou solicite outro e-mail.

## The second factor.

second-factor-title = Confirme que é você
recovery-code-lead = Informe um dos códigos de recuperação que você salvou para { $account }. Ele só pode ser usado uma vez.
recovery-code = Código de recuperação
app-code-lead = Informe o código que seu aplicativo autenticador mostra para { $account }.
second-factor-limited = Se você não informou esses códigos, outra pessoa sabe sua senha ou lê seus e-mails. { $open }Escolha uma nova senha{ $close }: isso encerra as tentativas, e você poderá informar um código dois minutos depois. Os navegadores em que você já usou um código não são afetados.
use-app = Usar seu aplicativo autenticador
use-recovery-code = Usar um código de recuperação
sign-in-to-another = Entrar em outra conta
lost-device = Se você perdeu seu dispositivo e seus códigos de recuperação, peça ajuda ao operador deste serviço.
set-up-title = Configurar um segundo fator
set-up-from = A partir de { $due }, um segundo fator é exigido para entrar aqui.
set-up-now = Um segundo fator é exigido para entrar aqui.
set-up-why = Ele protege sua conta { $account } também de quem sabe sua senha. Configure um aplicativo autenticador ou uma chave de acesso e depois continue nesta página.
set-up-app = Configurar um aplicativo autenticador
set-up-passkey = Configurar uma chave de acesso
set-up-done = Continuar após a configuração
set-up-later = Configurar mais tarde
set-up-has-passkey = Entrar novamente, por exemplo com uma chave de acesso que você já tem

## Signing up.

sign-up-operator = Esta é a primeira conta deste serviço. Ela se torna a do operador, que administra as contas e o serviço, mas não os dados das equipes.
sign-up-team = para entrar na equipe { $team }
sign-up-failed = Sua conta não foi criada. Verifique estes campos:
field-error = { $field }: { $error }
sign-up-submit = Criar conta
sign-up-no-password = Sem senha?
sign-up-with-code = Cadastrar-se com um código por e-mail
sign-up-has-account = Já tem uma conta?

## Consent.

consent-title = Permitir acesso
consent-title-device = Permitir acesso em um dispositivo
consent-continue = Continuar em { $client }?
consent-asks = { $client } quer usar sua conta
consent-asks-device = { $client } quer usar sua conta em um dispositivo
consent-of-service = Esta é a linha de comando deste serviço.
consent-of-operator = O operador deste serviço registrou este aplicativo.
consent-of-project = Este aplicativo não faz parte deste serviço. Ele pertence ao projeto { $project }.
consent-registered-itself = Este aplicativo se registrou sozinho. Ninguém verificou o nome dele. Permita o acesso somente se você acabou de começar a entrar nele.
consent-device-code = Seu dispositivo mostra este código?
consent-device-warning = Continue somente se você começou isto em um dispositivo que está com você. Nenhum aplicativo ou serviço pede que você informe um código que ele envia.
consent-device-address = A solicitação veio do endereço { $address }.
consent-can = O aplicativo pode
consent-will = O aplicativo poderá
consent-destination = Você será redirecionado para { $destination }
consent-on-device = Qualquer programa no seu dispositivo pode usar este endereço. Continue somente se você acabou de começar a entrar.
consent-continue-as = Continuar como { $account }
cancel = Cancelar
allow = Permitir
deny = Negar
scope-openid = Saber quem você é
scope-openid-detail = O identificador permanente da sua conta
scope-profile = Ver seu perfil
scope-profile-detail = Seu nome e nome de usuário
scope-email = Ver seu endereço de e-mail
scope-email-detail = E se ele está confirmado
scope-offline-access = Manter o acesso enquanto você está ausente
scope-offline-access-detail = Até que você remova o acesso
scope-db-read = Ler seus dados neste aplicativo
scope-db-read-detail = Dados que o aplicativo armazena para você
scope-db-write = Alterar seus dados neste aplicativo
scope-db-write-detail = Adicionar, alterar e excluir dados que o aplicativo armazena para você
scope-profile-read = Ler seu perfil neste aplicativo
scope-profile-read-detail = Seu perfil como o aplicativo o mostra
scope-profile-write = Alterar seu perfil neste aplicativo
scope-profile-write-detail = Seu perfil como o aplicativo o mostra
scope-app-admin = Fazer tudo neste aplicativo
scope-app-admin-detail = Todas as ações que você pode realizar nele, em seu nome
scope-admin = Administrar em seu nome
scope-admin-detail = Suas equipes, projetos, chaves e os usuários deles
continue-to-app = Continuar para o aplicativo

## Devices.

device-title = Conectar um dispositivo
device-lead = Informe o código que seu dispositivo mostra.
device-unknown = Nenhum dispositivo aguarda com este código. Compare-o com o que o dispositivo mostra. Um código expira após 10 minutos.
device-mistyped = Isto não é um código. Informe as oito letras que seu dispositivo mostra.
device-connected-title = Dispositivo conectado
device-connected = Seu dispositivo está conectado
device-connected-lead = Você pode fechar esta página e voltar ao dispositivo. Ele continua em alguns segundos.
device-denied-title = Acesso negado
device-denied = Seu dispositivo não recebe acesso

## Passwords.

forgot-lead = Informe o endereço de e-mail da sua conta. Enviaremos um link para você entrar e, se quiser, definir uma nova senha.
forgot-lead-no-mail = Informe o endereço de e-mail da sua conta para obter um link para definir uma nova senha.
send-email = Enviar o e-mail
request-link = Solicitar o link
check-email = Verifique seu e-mail
link-requested = O link foi solicitado
you-entered = Você informou { $email }.
forgot-sent = Se uma conta tem este endereço, enviamos a ela um e-mail com um link. O link pode ser usado uma vez e expira em uma hora.
forgot-spam = Não recebeu o e-mail? Verifique sua pasta de spam.
forgot-logged = Se uma conta tem este endereço, agora há um link para ela. Ele pode ser usado uma vez e expira em uma hora.
try-another-address = Tentar outro endereço
forgot-limited = { $error } Se você recebeu um e-mail com um link na última hora, pode usar esse link.
reset-title = Escolha uma nova senha
reset-lead = Definir uma nova senha encerra todas as suas sessões. Entre novamente com a nova senha.
new-password = Nova senha
reset-submit = Definir a nova senha
reset-keep = Ou mantenha sua senha:
reset-sign-in = Entrar sem uma nova senha
reset-done-title = Senha alterada
reset-done = Sua senha foi alterada
reset-done-lead = Todas as suas sessões foram encerradas. Entre com sua nova senha.

## Confirming an email address.

confirm-title = Confirme seu endereço de e-mail
email-sent = O e-mail foi enviado.
link-logged = O link foi gravado no registro do serviço.
link-once = O link pode ser usado uma vez e expira em uma hora.
confirm-email-sent = Enviamos um e-mail para este endereço.
confirm-email-logged = Este serviço não envia e-mails: o operador encontra o link no registro ou confirma o endereço.
confirm-open-link = Abra o link para confirmar que o endereço é seu. Até lá, a conta não pode ser usada.
send-email-again = Enviar o e-mail novamente
use-another-email = Usar outro endereço de e-mail
delete-account = Excluir a conta
verify-lead = Pressione o botão para confirmar que este endereço de e-mail é seu.
verify-submit = Confirmar meu endereço de e-mail
held-lead = É possível que outra pessoa tenha se cadastrado antes com o seu endereço. A conta tem o que está listado aqui. Escolha para cada item se deseja mantê-lo. Antes disso, nada é confirmado.
held-membership = Participação na equipe { $team }, com a função { $name }
held-team = A equipe { $team }, que não tem outro proprietário, com seus projetos
held-key = Chave de API { $name } na equipe { $team }
held-client = Cliente OAuth { $name } na equipe { $team }
held-provider = Provedor de identidade { $name } na equipe { $team }
held-webhook = Webhook para { $name } na equipe { $team }
held-all-of-team = Tudo na equipe { $team }: a participação e { $name } chaves, clientes OAuth, provedores de identidade e webhooks
held-all = Tudo em { $name } equipes: as participações, chaves, clientes OAuth, provedores de identidade e webhooks
held-keep = Manter
held-delete = Excluir
held-leave = Sair da equipe
held-delete-team = Excluir a equipe e seus projetos
held-end-all = Excluir e sair. Uma equipe sem outro proprietário é excluída com seus projetos.
verified-title = Endereço de e-mail confirmado
verified = Seu endereço de e-mail está confirmado
verified-invited = Você foi convidado para uma equipe.
view-invite = Ver o convite

## Invites.

invite-title = Convite para uma equipe
invite-join = Entrar na equipe { $team }?
invite-from = { $inviter } convida você para a equipe { $team }. Sua função será { $roles }.
invite-from-as = { $inviter } convida você para a equipe { $team } como { $label }. Sua função será { $roles }.
invite-expires = O convite expira em { $until }.
join-team = Entrar na equipe
decline = Recusar
invite-for = O convite é para { $email }.
invite-has-account = Entre com este endereço para fazer parte da equipe. Se você não sabe a senha, escolha “Esqueceu sua senha?” na página de entrada.
invite-may-sign-up = Crie uma conta com este endereço para fazer parte da equipe.
invite-closed = Este endereço não tem conta, e o cadastro está fechado. Peça uma conta ao operador deste serviço.
invite-by-link = Quem tiver este link pode entrar na equipe uma vez, com qualquer conta. Entre ou crie uma conta.
invite-other-title = Convite para outra conta
invite-other = Este convite é para { $email }
invite-switch = Para fazer parte da equipe, mude para a conta com o endereço convidado ou crie uma.
invite-switch-submit = Sair e trocar de conta
stay-signed-in-as = Permanecer conectado como { $account }
invite-accepted-title = Convite aceito
invite-accepted = Você entrou na equipe { $team }
invite-accepted-lead = Agora você pode ver os projetos dela.
invite-declined-title = Convite recusado
invite-declined = Você recusou o convite
invite-declined-lead = Você não entrou na equipe { $team }. Se mudar de ideia, peça outro convite.
go-to-teams = Ir para suas equipes e projetos
invite-confirm-first = Confirme primeiro seu endereço de e-mail
invite-unconfirmed = Você entrou como { $account }, e este endereço não está confirmado. Se você foi convidado por e-mail, abra o link desse e-mail: ele também confirma o endereço. Caso contrário, abra o link do e-mail de confirmação e depois abra o convite novamente.
send-confirmation-again = Enviar o e-mail de confirmação novamente
invite-not-found = Convite não encontrado
invite-none = Não há convite para esta conta
invite-none-lead = Você entrou como { $account }. O convite pode ser para outra conta, ou pode ter sido aceito, recusado ou revogado, ou ter expirado.
invited-title = Entre para ver o convite
invited-lead = Entre com a conta convidada. Depois você poderá ver o convite e aceitá-lo ou recusá-lo.
invited-lead-sign-up = Entre com a conta convidada ou crie uma. Depois você poderá ver o convite e aceitá-lo ou recusá-lo.
invited-ended = Se o link já foi usado ou revogado, ou expirou, peça outro convite.

## Signing out.

sign-out-question = Sair?
sign-out-apps = Você também sai dos aplicativos que usa neste navegador, a menos que tenha permitido que eles mantenham o acesso enquanto você está ausente.
sign-out-then = Depois de sair, você pode continuar com outra conta.
back-to-account = Voltar para sua conta
logout-requested = solicitado por { $client }
signed-out-title = Sessão encerrada
signed-out = Você saiu
signed-out-lead = Sua sessão neste navegador foi encerrada.
sign-in-again = Entrar novamente

## A deleted account.

deleted-title = Conta excluída
deleted = Sua conta foi excluída
deleted-lead = As sessões, os tokens e os dados pessoais dela foram excluídos junto.
deleting-title = Excluindo sua conta
deleting = Sua conta está sendo excluída
deleting-lead = Ninguém mais pode entrar nela. Ela tem muitos dados, portanto excluir todos pode levar alguns minutos.
go-to-start = Ir para a página inicial

## Error pages.

go-home = Ir para a página inicial
start-again = Começar de novo
error-sign-in-ended = Esta entrada foi encerrada
error-sign-in-ended-lead = Ela já foi concluída ou expirou após dez minutos. Volte ao aplicativo e comece de novo.
error-link = Este link não é mais válido
error-link-lead = Um link pode ser usado uma vez e expira após uma hora. Solicite um novo.
error-invite-link = Este link de convite não é válido
error-invite-link-lead = O link está incompleto ou digitado incorretamente. Abra o link completo do seu convite.
error-not-set-up = Este serviço ainda não foi configurado
error-second-factor-unused = Entre com seu segundo fator
error-second-factor-unused-lead = Aqui é exigido entrar com seu segundo fator. Entre novamente.
error-sign-up-closed = O cadastro está fechado
error-too-many = Tentativas demais
error-failure = Algo deu errado
error-not-found = Não encontrado
error-request = A solicitação falhou
error-foreign-form = Este formulário expirou
error-foreign-form-lead = Ele foi aberto em outro navegador, ou você entrou ou saiu desde então. Volte, recarregue a página e envie o formulário novamente. Os cookies precisam estar ativados.
error-sign-in-first = Entre para continuar
error-sign-in-first-lead = Este link exige que você tenha entrado na conta. Entre e abra o link novamente. Se você não criou uma conta, ignore o e-mail.
error-operator-link-lead = Ele pode ser usado uma vez em até 24 horas, até que o serviço tenha a primeira conta. Antes disso, um reinício grava um novo link no registro. Depois disso, execute steward account operator add no servidor.
error-no-page = Página não encontrada
error-no-page-lead = Não há página neste endereço.
error-form = O formulário não é válido
error-form-lead = Volte e envie-o novamente.

## Errors of the use cases.

wrong-password = O e-mail, o nome de usuário ou a senha está incorreto. Verifique-os e tente novamente.
wrong-code = O código está incorreto, expirou ou já foi usado. Informe o código que o aplicativo mostra agora.
mistyped-code = Isto não é um código. Informe os seis dígitos que o aplicativo mostra ou um código de recuperação completo.
wrong-email-code = O código está incorreto ou já foi usado. Informe os seis dígitos do último e-mail.
mistyped-email-code = Isto não é um código. Informe os seis dígitos do último e-mail.
outdated-email-code = O código expirou ou foi informado incorretamente vezes demais. Solicite um novo.
unknown-passkey = Nenhuma conta usa esta chave de acesso aqui, ou a conta está desativada. Entre de outra forma.
wrong-passkey = Não foi possível verificar a chave de acesso. Tente novamente.
other-passkey = Esta chave de acesso pertence a outra conta. Use uma das suas ou informe a senha.
copied-passkey = Pode haver uma cópia desta chave de acesso, por isso ela não é aceita. Entre de outra forma e remova-a.
outdated-challenge = A solicitação da chave de acesso expirou. Tente novamente.
provider-denied = A entrada no provedor foi cancelada. Tente novamente ou entre de outra forma.
provider-failed = O provedor não concluiu a entrada. Tente novamente ou entre de outra forma.
outdated-provider-sign-in = A entrada expirou ou foi iniciada em outro navegador. Tente novamente.
disabled-identity = A conta está desativada. Entre em contato com o operador deste serviço.
identity-without-email = O provedor não compartilhou um endereço de e-mail, necessário para uma nova conta. Permita que ele compartilhe um, ou entre de outra forma e vincule o provedor na sua conta.
other-identity = Esta identidade está vinculada a outra conta. Primeiro entre nessa conta e desvincule-a.
second-identity = Sua conta já tem uma identidade vinculada deste provedor. Desvincule-a primeiro.
too-many-identities = Sua conta tem identidades vinculadas demais. Desvincule uma primeiro.
replaced-identity = A conta com este endereço tem outra identidade deste provedor. Peça a um operador que a remova.
other-domain = Sua conta exige uma identidade com um endereço da sua empresa. Escolha essa.
second-factor-missing = Um segundo fator é exigido aqui. Configure um aplicativo autenticador ou uma chave de acesso na sua conta, ou entre com a chave de acesso que você já tem.
not-set-up = Este serviço ainda não foi configurado. Para criar a primeira conta, abra o link que o serviço gravou no registro ao iniciar. Se o link expirou, reinicie o serviço.
sign-up-closed = O cadastro está fechado. Peça uma conta ao operador deste serviço.
unconfirmed-email = O endereço de e-mail da conta não está confirmado. Entre no serviço em um navegador e abra o link do e-mail de confirmação.
sign-up-by-invite = O cadastro exige um convite para este endereço de e-mail. Peça a uma equipe que convide você.
sign-up-domain = O cadastro exige um endereço de e-mail de um destes domínios: { $domains }.
provider-required = Contas com um endereço de e-mail deste domínio precisam entrar com { $provider }. Escolha { $provider } na página de entrada.
blocked = O usuário está bloqueado neste projeto. Entre em contato com a equipe responsável pelo projeto.
email-taken = Já existe uma conta com este e-mail. Entre nela.
username-taken = Este nome de usuário já está em uso. Escolha outro.
already-member = A conta já é membro da equipe.
too-many-attempts = Tentativas demais. Tente novamente em { $seconds } s.
access-changed = Seu acesso mudou durante a solicitação. Tente novamente.
unavailable = O serviço está temporariamente indisponível. Tente novamente.
storage-full = O serviço não tem mais espaço para armazenar dados. A leitura continua funcionando. O operador precisa liberar espaço em disco.
internal-error = A solicitação falhou por causa de um erro interno.

## Fields that are not valid.

email-invalid = Informe um endereço de e-mail, como name@example.com.
email-letters = Antes do @ são possíveis apenas letras de a a z, algarismos e símbolos, porque o servidor de e-mail deste serviço não envia para outros endereços (SMTPUTF8).
password-length = A senha precisa ter de 10 a 256 caracteres.
password-common = A senha é fácil de adivinhar, porque se parece com uma senha comum. Use várias palavras incomuns.
password-keyboard = A senha é fácil de adivinhar, porque segue as teclas de um teclado. Use várias palavras incomuns.
password-pattern = A senha é fácil de adivinhar, porque repete ou continua um padrão. Use várias palavras incomuns.
password-date = A senha é fácil de adivinhar, porque se parece com uma data. Use várias palavras incomuns.
password-word = A senha é fácil de adivinhar, porque se parece com uma única palavra ou um nome. Use várias palavras incomuns.
password-easy = A senha é fácil de adivinhar. Use várias palavras incomuns que não tenham relação com você.
password-breached = A senha foi encontrada em um vazamento de dados de outro serviço. Use uma que você nunca usou.
password-unconfirmed = Você precisa escolher uma senha: o endereço de e-mail da conta ainda não estava confirmado.
name-invalid = O nome precisa ter de 1 a 100 caracteres.
name-hidden = O nome não pode conter o caractere { $character }, que não é visível. Remova-o ou digite o texto novamente.
name-nothing-visible = O nome precisa conter um caractere visível.
username-invalid = O nome de usuário precisa ter de 3 a 32 letras, dígitos, hifens e sublinhados.

## Emails.

email-hello = Olá,
email-project = Você está entrando em { $project }.
email-link-once = O link pode ser usado uma vez e expira em uma hora.
email-confirm-button = Confirmar o endereço
email-sign-in-button = Entrar
email-open-button = Abrir o serviço
email-verify-subject = Confirme seu endereço de e-mail
email-verify = Este endereço de e-mail foi usado para uma conta. Para confirmar que o endereço é seu, abra este link:
email-verify-otherwise = Se você não usou este endereço, ignore este e-mail. Ninguém pode confirmar o endereço sem o link.
email-reset-subject = Entre ou escolha uma nova senha
email-reset = Foi solicitado um link para a conta com este endereço de e-mail. Para entrar ou definir uma nova senha, abra este link:
email-reset-otherwise = Se você não solicitou isso, ignore este e-mail. Sua senha não muda.
email-change-subject = Confirme seu novo endereço de e-mail
email-change = Alguém pediu para usar este endereço de e-mail na própria conta. Para confirmar que o endereço é seu, entre na conta e abra este link:
email-change-otherwise = Se você não solicitou isso, ignore este e-mail. O endereço não é usado sem o link.
email-code-subject = Seu código para entrar
email-code = Seu código para entrar é { $code }. Informe-o onde você o pediu ou abra este link no mesmo navegador:
email-code-then = O código pode ser usado uma vez, somente nesse navegador, e expira em dez minutos. Nunca o compartilhe.
email-code-otherwise = Se você não solicitou isso, ignore este e-mail. Ninguém pode entrar sem o código.
email-invite-subject = Você recebeu um convite para a equipe { $team }
email-invite = A equipe { $team } convida você a participar. Para ver o convite e aceitá-lo ou recusá-lo, abra este link:
email-invite-then = O link confirma este endereço de e-mail, portanto não o encaminhe. Se você não tem conta, pode criar uma. O convite expira em { $until }.
email-invite-otherwise = Se você não conhece esta equipe, ignore este e-mail.
email-changed-subject = Seu endereço de e-mail foi alterado
email-changed = O endereço de e-mail da sua conta foi alterado. Para ver sua conta, abra este link:
email-changed-then = Este endereço não é mais usado para entrar e não recebe outros e-mails sobre a conta.
email-changed-otherwise = Se você não alterou o endereço, entre em contato imediatamente com o operador deste serviço.
email-app-added-subject = Um aplicativo autenticador foi configurado
email-app-added = Um aplicativo autenticador foi configurado para sua conta. Para vê-lo, abra este link:
email-app-added-then = A partir de agora, entrar exige um código do aplicativo além da senha.
email-app-removed-subject = Seu aplicativo autenticador foi removido
email-app-removed = O aplicativo autenticador da sua conta e os códigos de recuperação dele foram removidos. Para configurar outro, abra este link:
email-app-removed-then = Agora, entrar exige somente a senha.
email-codes-replaced-subject = Seus códigos de recuperação foram substituídos
email-codes-replaced = Novos códigos de recuperação foram gerados para sua conta. Para ver quantos restam, abra este link:
email-codes-replaced-then = Os códigos de recuperação anteriores não são mais válidos.
email-code-used-subject = Um código de recuperação foi usado
email-code-used = Um código de recuperação foi usado para entrar na sua conta. Para gerar novos códigos, abra este link:
email-code-used-then = O código não pode ser usado novamente. Códigos de recuperação não usados: { $left }.
email-factors-removed-subject = Seus segundos fatores e chaves de acesso foram removidos
email-factors-removed = Os segundos fatores e as chaves de acesso da sua conta foram removidos porque foram perdidos. Para configurar novos, abra este link:
email-factors-removed-then = Eles não são mais exigidos para entrar.
email-removal-scheduled-subject = Seus segundos fatores e chaves de acesso serão removidos
email-removal-scheduled = A remoção dos segundos fatores e das chaves de acesso da sua conta foi solicitada porque foram perdidos. Para mantê-los, abra este link:
email-removal-scheduled-then = Eles serão removidos em { $until }. Até lá, funcionam como antes.
email-removal-canceled-subject = Seus segundos fatores e chaves de acesso foram mantidos
email-removal-canceled = Os segundos fatores e as chaves de acesso da sua conta não serão removidos. Para solicitar novamente, abra este link:
email-removal-canceled-then = Eles funcionam como antes.
email-confirmed-subject = Seu endereço está confirmado, e o acesso anterior foi removido
email-confirmed = O endereço de e-mail da sua conta foi confirmado pela primeira vez. Para definir uma senha ou ver se você tem uma, abra este link:
email-confirmed-then = É possível que outra pessoa tenha se cadastrado antes com o seu endereço. Por isso, as chaves de acesso, as identidades vinculadas, o aplicativo autenticador, as sessões e os tokens de acesso daquele período foram removidos, assim como a senha, a menos que você tenha acabado de defini-la.
email-passkey-added-subject = Uma chave de acesso foi configurada
email-passkey-added = Uma chave de acesso foi configurada para sua conta. Para vê-la, abra este link:
email-passkey-added-then = A partir de agora, ela permite entrar na sua conta sem a senha.
email-passkey-removed-subject = Uma chave de acesso foi removida
email-passkey-removed = Uma chave de acesso da sua conta foi removida. Para ver as que restam, abra este link:
email-passkey-removed-then = A chave de acesso removida não permite mais entrar na sua conta.
email-passkey-copied-subject = Pode haver uma cópia da sua chave de acesso
email-passkey-copied = Uma chave de acesso da sua conta foi recusada porque pode haver uma cópia dela. Para removê-la, abra este link:
email-passkey-copied-then = Esta entrada foi recusada, mas uma cópia pode ter sido usada antes. Verifique suas sessões.
email-identity-linked-subject = Outra forma de entrar na sua conta foi adicionada
email-identity-linked = Uma identidade de outro serviço foi vinculada à sua conta. Para vê-la, abra este link:
email-identity-linked-then = Agora você pode entrar na sua conta com esse serviço.
email-identity-unlinked-subject = Uma forma de entrar na sua conta foi removida
email-identity-unlinked = Uma identidade de outro serviço foi desvinculada da sua conta. Para ver as que restam, abra este link:
email-identity-unlinked-then = Entrar lá não dá mais acesso à sua conta.
email-codes-refused-subject = Alguém está tentando códigos para entrar na sua conta
email-codes-refused = Alguém que passou pela primeira etapa da entrada na sua conta, com sua senha ou de outra forma, está informando códigos errados. Para escolher uma nova senha, abra este link:
email-codes-refused-then = Ninguém entrou com esses códigos. Uma nova senha encerra as tentativas com a anterior. Se você tem identidades vinculadas, verifique se somente você pode usá-las.
email-browser-subject = Um novo navegador entrou na sua conta
email-browser = Um navegador que não tinha feito isso antes entrou na sua conta. Para ver suas sessões, abra este link:
email-browser-from = A solicitação veio do endereço de rede { $address }.
email-browser-unknown = O endereço de rede da solicitação não é conhecido.
email-password-subject = Sua senha foi alterada
email-password = A senha da sua conta foi definida ou alterada. Para alterá-la novamente, abra este link:
email-password-then = Isso encerrou a sessão em todos os outros navegadores e aplicativos.
email-token-subject = Um token de acesso pessoal foi criado
email-token = Um token de acesso pessoal foi criado para sua conta. Para ver seus tokens, abra este link:
email-token-then = Os programas que o têm podem fazer com sua conta o que o token permite.
email-not-you = Se não foi você, altere sua senha imediatamente, o que encerra todas as sessões, e entre em contato com o operador deste serviço.
email-not-you-session = Se não foi você, encerre a sessão com este link, altere sua senha imediatamente, o que encerra todas as sessões, e entre em contato com o operador deste serviço.
email-not-you-forgot = Se não foi você, escolha imediatamente uma nova senha com “Esqueceu sua senha?” na página de entrada, o que encerra todas as sessões, e entre em contato com o operador deste serviço.
email-not-you-token = Se não foi você, revogue o token com este link, depois altere sua senha, o que encerra todas as sessões, e entre em contato com o operador deste serviço.
email-not-you-passkey = Se não foi você, remova a chave de acesso com este link, depois altere sua senha, o que encerra todas as sessões, e entre em contato com o operador deste serviço.
email-test-subject = E-mail de teste
email-test = Um operador deste serviço enviou este e-mail para testar o servidor de e-mail:
email-test-then = O servidor de e-mail funciona: este e-mail chegou.
email-test-otherwise = Se você não opera este serviço, ignore este e-mail.
email-reason-account = Você recebeu este e-mail porque uma conta em { $host } tem este endereço.
email-reason-changed = Você recebeu este e-mail porque uma conta em { $host } tinha este endereço.
email-reason-entered = Você recebeu este e-mail porque alguém informou este endereço em { $host }.
email-reason-invited = Você recebeu este e-mail porque uma equipe em { $host } convidou este endereço.
