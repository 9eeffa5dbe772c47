## Used by several pages.

gap = { " " }
sign-in = Iniciar sesión
sign-out = Cerrar sesión
create-account = Crear una cuenta
continue = Continuar
code = Código
email = Correo electrónico
password = Contraseña
name = Nombre
username = Nombre de usuario
optional = (opcional)
password-hint = De 10 a 256 caracteres. Use varias palabras sin relación entre sí.
username-hint = De 3 a 32 letras, dígitos, guiones o guiones bajos.
signed-in-as = Ha iniciado sesión como { $account }.
to-continue = para continuar a { $client }
use-another-account = Usar otra cuenta
forgot-password = ¿Ha olvidado su contraseña?
back-to-sign-in = Volver al inicio de sesión
stay-signed-in = Mantener la sesión iniciada
close-page = Puede cerrar esta página.
go-to-account = Ir a su cuenta
no-mail-server = Este servicio no tiene servidor de correo. El enlace se escribe en su registro, que su operador puede leer.
sign-in-with-passkey = Iniciar sesión con una llave de acceso
no-passkey-used = No se ha usado ninguna llave de acceso. Inténtelo de nuevo o elija otro modo.
documentation = Documentación
openapi-document = Documento OpenAPI
terms = Condiciones del servicio
privacy-policy = Política de privacidad

## Points in time, in UTC.

date-time = { $day } de { $month } de { $year }, { $time } UTC
month-1 = enero
month-2 = febrero
month-3 = marzo
month-4 = abril
month-5 = mayo
month-6 = junio
month-7 = julio
month-8 = agosto
month-9 = septiembre
month-10 = octubre
month-11 = noviembre
month-12 = diciembre

## The start page.

start-title = Administración de proyectos
start-lead = Gestione equipos, proyectos, claves de API, esquemas, usuarios y sus datos: en el navegador, en la línea de comandos o con una API REST.
start-not-set-up = Este servicio aún no se ha configurado. Para crear su primera cuenta y convertirse en su operador, abra el enlace que el servicio escribió en su registro al iniciarse. El enlace funciona una sola vez, durante 24 horas. Reinicie el servicio para obtener uno nuevo.

## Signing in.

sign-in-identity-waits = Ya existe una cuenta con la dirección { $email }. Inicie sesión en ella una vez de otro modo para demostrar que es suya. Después podrá iniciar sesión con { $provider }.
email-or-username = Correo electrónico o nombre de usuario
email-me-a-code = Recibir un código por correo
other-ways = Otros modos de iniciar sesión
continue-with = Continuar con { $provider }
sign-in-limited = No tiene que esperar: inicie sesión con un enlace que enviamos a la dirección de correo de su cuenta. Si ya ha recibido uno en la última hora, úselo.
email-me-a-link = Recibir un enlace de inicio de sesión por correo

## Signing in with a code.

code-address-title = Iniciar sesión con un código
code-address-lead = Introduzca su dirección de correo electrónico para recibir un código con el que iniciar sesión sin contraseña.
code-address-sign-up = Si aún no tiene una cuenta, el código crea una.
send-code = Enviar el código
request-code = Solicitar el código
code-title = Introduzca el código
code-sent = Si { $email } tiene una cuenta o puede tenerla, hemos enviado un código a esa dirección. Caduca en diez minutos.
code-logged = Introduzca el código para { $email }. Caduca en diez minutos.
send-another-code = Enviar otro código
code-elsewhere = El enlace funciona durante diez minutos y solo en el navegador que lo solicitó. Ábralo allí o solicite otro correo.

## The second factor.

second-factor-title = Confirme que es usted
recovery-code-lead = Introduzca uno de los códigos de recuperación que guardó para { $account }. Solo se puede usar una vez.
recovery-code = Código de recuperación
app-code-lead = Introduzca el código que su aplicación de autenticación muestra para { $account }.
second-factor-limited = Si usted no introdujo estos códigos, otra persona conoce su contraseña o lee su correo. { $open }Elija una contraseña nueva{ $close }: así terminan sus intentos y usted podrá introducir un código dos minutos después. Los navegadores en los que ya usó un código no se ven afectados.
use-app = Usar su aplicación de autenticación
use-recovery-code = Usar un código de recuperación
sign-in-to-another = Iniciar sesión en otra cuenta
lost-device = Si ha perdido su dispositivo y sus códigos de recuperación, pida ayuda al operador de este servicio.
set-up-title = Configurar un segundo factor
set-up-from = A partir del { $due }, se requiere un segundo factor para iniciar sesión aquí.
set-up-now = Se requiere un segundo factor para iniciar sesión aquí.
set-up-why = Protege su cuenta { $account } también frente a quien conozca su contraseña. Configure una aplicación de autenticación o una llave de acceso y continúe después en esta página.
set-up-app = Configurar una aplicación de autenticación
set-up-passkey = Configurar una llave de acceso
set-up-done = Continuar después de la configuración
set-up-later = Configurarlo más tarde
set-up-has-passkey = Iniciar sesión de nuevo, por ejemplo con una llave de acceso que ya tenga

## Signing up.

sign-up-operator = Esta es la primera cuenta de este servicio. Se convierte en su operador, que administra las cuentas y el servicio, pero no los datos de los equipos.
sign-up-team = para unirse al equipo { $team }
sign-up-failed = No se ha creado su cuenta. Revise estos campos:
field-error = { $field }: { $error }
sign-up-submit = Crear cuenta
sign-up-no-password = ¿Sin contraseña?
sign-up-with-code = Registrarse con un código por correo
sign-up-has-account = ¿Ya tiene una cuenta?

## Consent.

consent-title = Permitir el acceso
consent-title-device = Permitir el acceso en un dispositivo
consent-continue = ¿Continuar a { $client }?
consent-asks = { $client } quiere usar su cuenta
consent-asks-device = { $client } quiere usar su cuenta en un dispositivo
consent-of-service = Esta es la línea de comandos de este servicio.
consent-of-operator = El operador de este servicio registró esta aplicación.
consent-of-project = Esta aplicación no forma parte de este servicio. Pertenece al proyecto { $project }.
consent-registered-itself = Esta aplicación se registró por sí misma. Nadie ha comprobado su nombre. Permita el acceso solo si acaba de empezar a iniciar sesión en ella.
consent-device-code = ¿Muestra su dispositivo este código?
consent-device-warning = Continúe solo si ha empezado esto en un dispositivo que tiene consigo. Ninguna aplicación ni servicio le pide que introduzca un código que le envía.
consent-device-address = La solicitud procede de la dirección { $address }.
consent-can = La aplicación puede
consent-will = La aplicación podrá
consent-destination = Se le redirigirá a { $destination }
consent-on-device = Cualquier programa de su dispositivo puede usar esta dirección. Continúe solo si acaba de empezar a iniciar sesión.
consent-continue-as = Continuar como { $account }
cancel = Cancelar
allow = Permitir
deny = Denegar
scope-openid = Saber quién es usted
scope-openid-detail = El identificador permanente de su cuenta
scope-profile = Ver su perfil
scope-profile-detail = Su nombre y su nombre de usuario
scope-email = Ver su dirección de correo electrónico
scope-email-detail = Y si está confirmada
scope-offline-access = Conservar el acceso mientras usted no está
scope-offline-access-detail = Hasta que usted le retire el acceso
scope-db-read = Leer sus datos en esta aplicación
scope-db-read-detail = Los datos que la aplicación guarda para usted
scope-db-write = Modificar sus datos en esta aplicación
scope-db-write-detail = Añadir, modificar y eliminar datos que la aplicación guarda para usted
scope-profile-read = Leer su perfil en esta aplicación
scope-profile-read-detail = Su perfil tal como lo muestra la aplicación
scope-profile-write = Modificar su perfil en esta aplicación
scope-profile-write-detail = Su perfil tal como lo muestra la aplicación
scope-app-admin = Hacer todo en esta aplicación
scope-app-admin-detail = Todas las acciones que usted puede realizar allí, en su nombre
scope-admin = Administrar en su nombre
scope-admin-detail = Sus equipos, proyectos, claves y sus usuarios
continue-to-app = Continuar a la aplicación

## Devices.

device-title = Conectar un dispositivo
device-lead = Introduzca el código que muestra su dispositivo.
device-unknown = Ningún dispositivo espera con este código. Compárelo con el que muestra el dispositivo. Un código caduca a los 10 minutos.
device-mistyped = Esto no es un código. Introduzca las ocho letras que muestra su dispositivo.
device-connected-title = Dispositivo conectado
device-connected = Su dispositivo está conectado
device-connected-lead = Puede cerrar esta página y volver al dispositivo. Continuará en unos segundos.
device-denied-title = Acceso denegado
device-denied = Su dispositivo no obtiene acceso

## Passwords.

forgot-lead = Introduzca la dirección de correo electrónico de su cuenta. Le enviaremos un enlace para iniciar sesión y, si lo desea, establecer una contraseña nueva.
forgot-lead-no-mail = Introduzca la dirección de correo electrónico de su cuenta para obtener un enlace con el que establecer una contraseña nueva.
send-email = Enviar el correo
request-link = Solicitar el enlace
check-email = Revise su correo
link-requested = Se ha solicitado el enlace
you-entered = Ha introducido { $email }.
forgot-sent = Si una cuenta tiene esta dirección, le hemos enviado un correo con un enlace. El enlace se puede usar una vez y caduca en una hora.
forgot-spam = ¿No ha recibido el correo? Revise su carpeta de correo no deseado.
forgot-logged = Si una cuenta tiene esta dirección, ahora hay un enlace para ella. Se puede usar una vez y caduca en una hora.
try-another-address = Probar otra dirección
forgot-limited = { $error } Si ha recibido un correo con un enlace en la última hora, puede usar ese enlace.
reset-title = Elija una contraseña nueva
reset-lead = Al establecer una contraseña nueva se cierran todas sus sesiones. Inicie sesión de nuevo con la contraseña nueva.
new-password = Contraseña nueva
reset-submit = Establecer la contraseña nueva
reset-keep = O conserve su contraseña:
reset-sign-in = Iniciar sesión sin una contraseña nueva
reset-done-title = Contraseña cambiada
reset-done = Su contraseña se ha cambiado
reset-done-lead = Se han cerrado todas sus sesiones. Inicie sesión con su contraseña nueva.

## Confirming an email address.

confirm-title = Confirme su dirección de correo electrónico
email-sent = El correo se ha enviado.
link-logged = El enlace se ha escrito en el registro del servicio.
link-once = El enlace se puede usar una vez y caduca en una hora.
confirm-email-sent = Hemos enviado un correo a esta dirección.
confirm-email-logged = Este servicio no envía correos: su operador encuentra el enlace en el registro o confirma la dirección.
confirm-open-link = Abra el enlace para confirmar que la dirección es suya. Hasta entonces, la cuenta no se puede usar.
send-email-again = Enviar el correo de nuevo
use-another-email = Usar otra dirección de correo
delete-account = Eliminar la cuenta
verify-lead = Pulse el botón para confirmar que esta dirección de correo electrónico es suya.
verify-submit = Confirmar mi dirección de correo electrónico
held-lead = Es posible que otra persona se haya registrado antes con su dirección. La cuenta tiene lo que se indica aquí. Elija para cada elemento si desea conservarlo. Antes no se confirma nada.
held-membership = Pertenencia al equipo { $team }, con el rol { $name }
held-team = El equipo { $team }, que no tiene otro propietario, con sus proyectos
held-key = Clave de API { $name } en el equipo { $team }
held-client = Cliente OAuth { $name } en el equipo { $team }
held-provider = Proveedor de identidad { $name } en el equipo { $team }
held-webhook = Webhook a { $name } en el equipo { $team }
held-all-of-team = Todo en el equipo { $team }: la pertenencia y { $name } claves, clientes OAuth, proveedores de identidad y webhooks
held-all = Todo en { $name } equipos: las pertenencias, claves, clientes OAuth, proveedores de identidad y webhooks
held-keep = Conservar
held-delete = Eliminar
held-leave = Abandonar el equipo
held-delete-team = Eliminar el equipo y sus proyectos
held-end-all = Eliminar y abandonar. Un equipo sin otro propietario se elimina con sus proyectos.
verified-title = Dirección de correo confirmada
verified = Su dirección de correo electrónico está confirmada
verified-invited = Tiene una invitación a un equipo.
view-invite = Ver la invitación

## Invites.

invite-title = Invitación a un equipo
invite-join = ¿Unirse al equipo { $team }?
invite-from = { $inviter } le invita al equipo { $team }. Su rol será { $roles }.
invite-from-as = { $inviter } le invita al equipo { $team } como { $label }. Su rol será { $roles }.
invite-expires = La invitación caduca el { $until }.
join-team = Unirse al equipo
decline = Rechazar
invite-for = La invitación es para { $email }.
invite-has-account = Inicie sesión con esta dirección para unirse. Si no conoce la contraseña, elija allí «¿Ha olvidado su contraseña?».
invite-may-sign-up = Cree una cuenta con esta dirección para unirse.
invite-closed = Esta dirección no tiene cuenta y el registro está cerrado. Pida una cuenta al operador de este servicio.
invite-by-link = Quien tenga este enlace puede unirse una vez, con cualquier cuenta. Inicie sesión o cree una cuenta.
invite-other-title = Invitación para otra cuenta
invite-other = Esta invitación es para { $email }
invite-switch = Para unirse, cambie a la cuenta con la dirección invitada o cree una.
invite-switch-submit = Cerrar sesión y cambiar de cuenta
stay-signed-in-as = Mantener la sesión como { $account }
invite-accepted-title = Invitación aceptada
invite-accepted = Se ha unido al equipo { $team }
invite-accepted-lead = Ahora puede ver sus proyectos.
invite-declined-title = Invitación rechazada
invite-declined = Ha rechazado la invitación
invite-declined-lead = No se ha unido al equipo { $team }. Si cambia de opinión, pida otra invitación.
go-to-teams = Ir a sus equipos y proyectos
invite-confirm-first = Confirme primero su dirección de correo electrónico
invite-unconfirmed = Ha iniciado sesión como { $account } y esta dirección no está confirmada. Si le invitaron por correo, abra el enlace de ese correo: también confirma la dirección. De lo contrario, abra el enlace del correo de confirmación y, después, abra de nuevo la invitación.
send-confirmation-again = Enviar de nuevo el correo de confirmación
invite-not-found = Invitación no encontrada
invite-none = No hay ninguna invitación para esta cuenta
invite-none-lead = Ha iniciado sesión como { $account }. Puede que la invitación sea para otra cuenta, o que se haya aceptado, rechazado o revocado, o que haya caducado.
invited-title = Inicie sesión para ver la invitación
invited-lead = Inicie sesión con la cuenta invitada. Después podrá ver la invitación y aceptarla o rechazarla.
invited-lead-sign-up = Inicie sesión con la cuenta invitada o cree una. Después podrá ver la invitación y aceptarla o rechazarla.
invited-ended = Si el enlace ya se usó, se revocó o ha caducado, pida otra invitación.

## Signing out.

sign-out-question = ¿Cerrar sesión?
sign-out-apps = También se cierra la sesión en las aplicaciones que usa en este navegador, salvo que les haya permitido conservar el acceso mientras usted no está.
sign-out-then = Después de cerrar sesión, podrá continuar con otra cuenta.
back-to-account = Volver a su cuenta
logout-requested = solicitado por { $client }
signed-out-title = Sesión cerrada
signed-out = Ha cerrado sesión
signed-out-lead = Su sesión en este navegador ha terminado.
sign-in-again = Iniciar sesión de nuevo

## A deleted account.

deleted-title = Cuenta eliminada
deleted = Su cuenta se ha eliminado
deleted-lead = Sus sesiones, tokens y datos personales se han eliminado con ella.
deleting-title = Eliminando su cuenta
deleting = Su cuenta se está eliminando
deleting-lead = Ya nadie puede iniciar sesión en ella. Tiene muchos datos, por lo que eliminarlos todos puede tardar unos minutos.
go-to-start = Ir a la página de inicio

## Error pages.

go-home = Ir a la página de inicio
start-again = Empezar de nuevo
error-sign-in-ended = Este inicio de sesión ha terminado
error-sign-in-ended-lead = Ya se completó o caducó a los diez minutos. Vuelva a la aplicación y empiece de nuevo.
error-link = Este enlace ya no es válido
error-link-lead = Un enlace se puede usar una vez y caduca después de una hora. Solicite uno nuevo.
error-invite-link = Este enlace de invitación no es válido
error-invite-link-lead = El enlace está incompleto o mal escrito. Abra el enlace completo de su invitación.
error-not-set-up = Este servicio aún no se ha configurado
error-second-factor-unused = Inicie sesión con su segundo factor
error-second-factor-unused-lead = Aquí se requiere iniciar sesión con su segundo factor. Inicie sesión de nuevo.
error-sign-up-closed = El registro está cerrado
error-too-many = Demasiados intentos
error-failure = Se ha producido un error
error-not-found = No encontrado
error-request = La solicitud ha fallado
error-foreign-form = Este formulario ha caducado
error-foreign-form-lead = Se abrió en otro navegador, o usted ha iniciado o cerrado sesión desde entonces. Vuelva atrás, recargue la página y envíe el formulario de nuevo. Las cookies deben estar habilitadas.
error-sign-in-first = Inicie sesión para continuar
error-sign-in-first-lead = Este enlace requiere que haya iniciado sesión en la cuenta. Inicie sesión y abra el enlace de nuevo. Si no ha creado una cuenta, ignore el correo.
error-operator-link-lead = Se puede usar una vez en 24 horas, hasta que el servicio tenga su primera cuenta. Antes de eso, un reinicio escribe un enlace nuevo en el registro. Después, ejecute steward account operator add en el servidor.
error-no-page = Página no encontrada
error-no-page-lead = No hay ninguna página en esta dirección.
error-form = El formulario no es válido
error-form-lead = Vuelva atrás y envíelo de nuevo.

## Errors of the use cases.

wrong-password = El correo electrónico, el nombre de usuario o la contraseña no son correctos. Compruébelos e inténtelo de nuevo.
wrong-code = El código es incorrecto, ha caducado o ya se ha usado. Introduzca el código que la aplicación muestra ahora.
mistyped-code = Esto no es un código. Introduzca los seis dígitos que muestra la aplicación o un código de recuperación completo.
wrong-email-code = El código es incorrecto o ya se ha usado. Introduzca los seis dígitos del último correo.
mistyped-email-code = Esto no es un código. Introduzca los seis dígitos del último correo.
outdated-email-code = El código ha caducado o ha sido incorrecto demasiadas veces. Solicite uno nuevo.
unknown-passkey = Ninguna cuenta usa aquí esta llave de acceso, o la cuenta está deshabilitada. Inicie sesión de otro modo.
wrong-passkey = No se ha podido verificar la llave de acceso. Inténtelo de nuevo.
other-passkey = Esta llave de acceso pertenece a otra cuenta. Use una de las suyas o introduzca la contraseña.
copied-passkey = Puede que exista una copia de esta llave de acceso, por lo que no se acepta. Inicie sesión de otro modo y elimínela.
outdated-challenge = La solicitud de la llave de acceso ha caducado. Inténtelo de nuevo.
provider-denied = Se ha cancelado el inicio de sesión con el proveedor. Inténtelo de nuevo o inicie sesión de otro modo.
provider-failed = El proveedor no ha completado el inicio de sesión. Inténtelo de nuevo o inicie sesión de otro modo.
outdated-provider-sign-in = El inicio de sesión ha caducado o se empezó en otro navegador. Inténtelo de nuevo.
disabled-identity = La cuenta está deshabilitada. Póngase en contacto con el operador de este servicio.
identity-without-email = El proveedor no ha facilitado una dirección de correo electrónico, que una cuenta nueva necesita. Permítale facilitar una, o inicie sesión de otro modo y vincule el proveedor en su cuenta.
other-identity = Esta identidad está vinculada a otra cuenta. Inicie sesión primero en esa cuenta y desvincúlela.
second-identity = Su cuenta ya tiene vinculada una identidad de este proveedor. Desvincúlela primero.
too-many-identities = Su cuenta tiene demasiadas identidades vinculadas. Desvincule una primero.
replaced-identity = La cuenta con esta dirección tiene otra identidad de este proveedor. Pida a un operador que la elimine.
other-domain = Su cuenta requiere una identidad con una dirección de su empresa. Elija esa.
second-factor-missing = Aquí se requiere un segundo factor. Configure una aplicación de autenticación o una llave de acceso en su cuenta, o inicie sesión con la llave de acceso que ya tiene.
not-set-up = Este servicio aún no se ha configurado. Para crear su primera cuenta, abra el enlace que el servicio escribió en su registro al iniciarse. Si el enlace ha caducado, reinicie el servicio.
sign-up-closed = El registro está cerrado. Pida una cuenta al operador de este servicio.
unconfirmed-email = La dirección de correo electrónico de la cuenta no está confirmada. Inicie sesión en el servicio con un navegador y abra el enlace del correo de confirmación.
sign-up-by-invite = El registro requiere una invitación a esta dirección de correo electrónico. Pida a un equipo que le invite.
sign-up-domain = El registro requiere una dirección de correo electrónico de uno de estos dominios: { $domains }.
provider-required = Las cuentas con una dirección de correo electrónico de este dominio deben iniciar sesión con { $provider }. Elija { $provider } en la página de inicio de sesión.
blocked = El usuario está bloqueado en este proyecto. Póngase en contacto con el equipo propietario del proyecto.
email-taken = Ya existe una cuenta con este correo electrónico. Inicie sesión con ella.
username-taken = Este nombre de usuario ya está en uso. Elija otro.
already-member = La cuenta ya es miembro del equipo.
too-many-attempts = Demasiados intentos. Inténtelo de nuevo en { $seconds } s.
access-changed = Su acceso ha cambiado durante la solicitud. Inténtelo de nuevo.
unavailable = El servicio no está disponible temporalmente. Inténtelo de nuevo.
storage-full = El servicio no tiene más espacio para guardar datos. La lectura sigue funcionando. Su operador debe liberar espacio en disco.
internal-error = La solicitud ha fallado por un error interno.

## Fields that are not valid.

email-invalid = Introduzca una dirección de correo electrónico, como name@example.com.
email-letters = Antes de la @ solo se admiten letras de la a a la z, cifras y símbolos, porque el servidor de correo de este servicio no envía a otras direcciones (SMTPUTF8).
password-length = La contraseña debe tener de 10 a 256 caracteres.
password-common = La contraseña es fácil de adivinar porque se parece a una contraseña común. Use varias palabras poco comunes.
password-keyboard = La contraseña es fácil de adivinar porque sigue las teclas de un teclado. Use varias palabras poco comunes.
password-pattern = La contraseña es fácil de adivinar porque repite o continúa un patrón. Use varias palabras poco comunes.
password-date = La contraseña es fácil de adivinar porque se parece a una fecha. Use varias palabras poco comunes.
password-word = La contraseña es fácil de adivinar porque se parece a una sola palabra o a un nombre. Use varias palabras poco comunes.
password-easy = La contraseña es fácil de adivinar. Use varias palabras poco comunes que no tengan nada que ver con usted.
password-breached = La contraseña se encontró en una filtración de datos de otro servicio. Use una que no haya usado nunca.
password-unconfirmed = Debe elegir una contraseña: la dirección de correo electrónico de la cuenta no estaba confirmada.
name-invalid = El nombre debe tener de 1 a 100 caracteres.
name-hidden = El nombre no debe contener el carácter { $character }, que no se puede ver. Elimínelo o vuelva a escribir el texto.
name-nothing-visible = El nombre debe contener un carácter visible.
username-invalid = El nombre de usuario debe tener de 3 a 32 letras, dígitos, guiones y guiones bajos.

## Emails.

email-hello = Hola:
email-project = Está iniciando sesión en { $project }.
email-link-once = El enlace se puede usar una vez y caduca en una hora.
email-confirm-button = Confirmar la dirección
email-sign-in-button = Iniciar sesión
email-open-button = Abrir el servicio
email-verify-subject = Confirme su dirección de correo electrónico
email-verify = Esta dirección de correo se ha usado para una cuenta. Para confirmar que la dirección es suya, abra este enlace:
email-verify-otherwise = Si usted no ha usado esta dirección, ignore este correo. Nadie puede confirmar la dirección sin el enlace.
email-reset-subject = Inicie sesión o elija una contraseña nueva
email-reset = Se ha solicitado un enlace para la cuenta con esta dirección de correo. Para iniciar sesión o establecer una contraseña nueva, abra este enlace:
email-reset-otherwise = Si usted no lo ha solicitado, ignore este correo. Su contraseña no cambia.
email-change-subject = Confirme su nueva dirección de correo electrónico
email-change = Alguien ha pedido usar esta dirección de correo para su cuenta. Para confirmar que la dirección es suya, inicie sesión en la cuenta y abra este enlace:
email-change-otherwise = Si usted no lo ha solicitado, ignore este correo. La dirección no se usa sin el enlace.
email-code-subject = Su código para iniciar sesión
email-code = Su código para iniciar sesión es { $code }. Introdúzcalo donde lo pidió o abra este enlace en el mismo navegador:
email-code-then = El código se puede usar una vez, solo en ese navegador, y caduca en diez minutos. No lo comparta nunca.
email-code-otherwise = Si usted no lo ha solicitado, ignore este correo. Nadie puede iniciar sesión sin el código.
email-invite-subject = Le invitan a unirse al equipo { $team }
email-invite = El equipo { $team } le invita a unirse. Para ver la invitación y aceptarla o rechazarla, abra este enlace:
email-invite-then = El enlace confirma esta dirección de correo, así que no lo reenvíe. Si no tiene cuenta, puede crear una. La invitación caduca el { $until }.
email-invite-otherwise = Si no conoce este equipo, ignore este correo.
email-changed-subject = Se ha cambiado su dirección de correo electrónico
email-changed = Se ha cambiado la dirección de correo de su cuenta. Para ver su cuenta, abra este enlace:
email-changed-then = Esta dirección ya no se usa para iniciar sesión y no recibe más correos sobre la cuenta.
email-changed-otherwise = Si usted no ha cambiado la dirección, póngase en contacto de inmediato con el operador de este servicio.
email-app-added-subject = Se ha configurado una aplicación de autenticación
email-app-added = Se ha configurado una aplicación de autenticación para su cuenta. Para verla, abra este enlace:
email-app-added-then = A partir de ahora, iniciar sesión requiere un código de la aplicación además de la contraseña.
email-app-removed-subject = Se ha eliminado su aplicación de autenticación
email-app-removed = Se han eliminado la aplicación de autenticación de su cuenta y sus códigos de recuperación. Para configurar otra, abra este enlace:
email-app-removed-then = Ahora solo se requiere la contraseña para iniciar sesión.
email-codes-replaced-subject = Se han sustituido sus códigos de recuperación
email-codes-replaced = Se han generado nuevos códigos de recuperación para su cuenta. Para ver cuántos quedan, abra este enlace:
email-codes-replaced-then = Los códigos de recuperación anteriores ya no son válidos.
email-code-used-subject = Se ha usado un código de recuperación
email-code-used = Se ha usado un código de recuperación para iniciar sesión en su cuenta. Para generar códigos nuevos, abra este enlace:
email-code-used-then = El código no se puede volver a usar. Códigos de recuperación sin usar: { $left }.
email-factors-removed-subject = Se han eliminado sus segundos factores y llaves de acceso
email-factors-removed = Se han eliminado los segundos factores y las llaves de acceso de su cuenta porque se han perdido. Para configurar otros, abra este enlace:
email-factors-removed-then = Ya no se requieren para iniciar sesión.
email-removal-scheduled-subject = Se van a eliminar sus segundos factores y llaves de acceso
email-removal-scheduled = Se ha solicitado eliminar los segundos factores y las llaves de acceso de su cuenta porque se han perdido. Para conservarlos, abra este enlace:
email-removal-scheduled-then = Se eliminarán el { $until }. Hasta entonces, funcionan como antes.
email-removal-canceled-subject = Se conservan sus segundos factores y llaves de acceso
email-removal-canceled = No se eliminarán los segundos factores ni las llaves de acceso de su cuenta. Para volver a solicitarlo, abra este enlace:
email-removal-canceled-then = Funcionan como antes.
email-confirmed-subject = Su dirección está confirmada y se ha eliminado el acceso anterior
email-confirmed = La dirección de correo de su cuenta se ha confirmado por primera vez. Para establecer una contraseña o ver si tiene una, abra este enlace:
email-confirmed-then = Es posible que otra persona se haya registrado antes con su dirección. Por eso se han eliminado las llaves de acceso, las identidades vinculadas, la aplicación de autenticación, las sesiones y los tokens de acceso de ese tiempo, y también la contraseña, salvo que acabe de establecerla.
email-passkey-added-subject = Se ha configurado una llave de acceso
email-passkey-added = Se ha configurado una llave de acceso para su cuenta. Para verla, abra este enlace:
email-passkey-added-then = A partir de ahora, inicia sesión en su cuenta sin la contraseña.
email-passkey-removed-subject = Se ha eliminado una llave de acceso
email-passkey-removed = Se ha eliminado una llave de acceso de su cuenta. Para ver las que quedan, abra este enlace:
email-passkey-removed-then = La llave de acceso eliminada ya no inicia sesión en su cuenta.
email-passkey-copied-subject = Puede que exista una copia de su llave de acceso
email-passkey-copied = Se ha rechazado una llave de acceso de su cuenta porque puede que exista una copia. Para eliminarla, abra este enlace:
email-passkey-copied-then = Este inicio de sesión se ha rechazado, pero puede que se haya usado una copia antes. Revise sus sesiones.
email-identity-linked-subject = Se ha añadido otra forma de iniciar sesión en su cuenta
email-identity-linked = Se ha vinculado a su cuenta una identidad de otro servicio. Para verla, abra este enlace:
email-identity-linked-then = Ahora puede iniciar sesión en su cuenta con ese servicio.
email-identity-unlinked-subject = Se ha eliminado una forma de iniciar sesión en su cuenta
email-identity-unlinked = Se ha desvinculado de su cuenta una identidad de otro servicio. Para ver las que quedan, abra este enlace:
email-identity-unlinked-then = Iniciar sesión allí ya no da acceso a su cuenta.
email-codes-refused-subject = Alguien está probando códigos para iniciar sesión en su cuenta
email-codes-refused = Alguien que ha superado el primer paso del inicio de sesión en su cuenta, con su contraseña o de otro modo, está introduciendo códigos incorrectos. Para elegir una contraseña nueva, abra este enlace:
email-codes-refused-then = Nadie ha iniciado sesión con estos códigos. Una contraseña nueva termina los intentos con la anterior. Si tiene identidades vinculadas, compruebe que solo usted puede usarlas.
email-browser-subject = Un navegador nuevo ha iniciado sesión en su cuenta
email-browser = Un navegador que no lo había hecho antes ha iniciado sesión en su cuenta. Para ver sus sesiones, abra este enlace:
email-browser-from = La solicitud procedía de la dirección de red { $address }.
email-browser-unknown = No se conoce la dirección de red de la solicitud.
email-password-subject = Se ha cambiado su contraseña
email-password = Se ha establecido o cambiado la contraseña de su cuenta. Para volver a cambiarla, abra este enlace:
email-password-then = Con ello se ha cerrado la sesión en todos los demás navegadores y aplicaciones.
email-token-subject = Se ha creado un token de acceso personal
email-token = Se ha creado un token de acceso personal para su cuenta. Para ver sus tokens, abra este enlace:
email-token-then = Los programas que lo tienen pueden hacer con su cuenta lo que el token permite.
email-not-you = Si no ha sido usted, cambie de inmediato su contraseña, lo que cierra todas las sesiones, y póngase en contacto con el operador de este servicio.
email-not-you-session = Si no ha sido usted, termine la sesión con este enlace, cambie de inmediato su contraseña, lo que cierra todas las sesiones, y póngase en contacto con el operador de este servicio.
email-not-you-forgot = Si no ha sido usted, elija de inmediato una contraseña nueva con «¿Ha olvidado su contraseña?» en la página de inicio de sesión, lo que cierra todas las sesiones, y póngase en contacto con el operador de este servicio.
email-not-you-token = Si no ha sido usted, revoque el token con este enlace, cambie después su contraseña, lo que cierra todas las sesiones, y póngase en contacto con el operador de este servicio.
email-not-you-passkey = Si no ha sido usted, elimine la llave de acceso con este enlace, cambie después su contraseña, lo que cierra todas las sesiones, y póngase en contacto con el operador de este servicio.
email-test-subject = Correo de prueba
email-test = Un operador de este servicio ha enviado este correo para probar el servidor de correo:
email-test-then = El servidor de correo funciona: este correo ha llegado.
email-test-otherwise = Si usted no opera este servicio, ignore este correo.
email-reason-account = Recibe este correo porque una cuenta en { $host } tiene esta dirección.
email-reason-changed = Recibe este correo porque una cuenta en { $host } tenía esta dirección.
email-reason-entered = Recibe este correo porque alguien ha introducido esta dirección en { $host }.
email-reason-invited = Recibe este correo porque un equipo en { $host } ha invitado a esta dirección.
