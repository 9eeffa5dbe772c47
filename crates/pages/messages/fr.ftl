## Used by several pages.

gap = { " " }
sign-in = Se connecter
sign-out = Se déconnecter
create-account = Créer un compte
continue = Continuer
code = Code
email = Adresse e-mail
password = Mot de passe
name = Nom
username = Nom d’utilisateur
optional = (facultatif)
password-hint = De 10 à 256 caractères. Utilisez quelques mots sans rapport entre eux.
username-hint = De 3 à 32 lettres, chiffres, traits d’union ou tirets bas.
signed-in-as = Vous êtes connecté en tant que { $account }.
to-continue = pour continuer vers { $client }
use-another-account = Utiliser un autre compte
forgot-password = Mot de passe oublié ?
back-to-sign-in = Retour à la connexion
stay-signed-in = Rester connecté
close-page = Vous pouvez fermer cette page.
go-to-account = Accéder à votre compte
no-mail-server = Ce service n’a pas de serveur de messagerie. Le lien est écrit dans son journal, que son exploitant peut lire.
sign-in-with-passkey = Se connecter avec une clé d’accès
no-passkey-used = Aucune clé d’accès n’a été utilisée. Réessayez ou choisissez un autre moyen.
documentation = Documentation
openapi-document = Document OpenAPI
terms = Conditions d’utilisation
privacy-policy = Politique de confidentialité

## Points in time, in UTC.

date-time = { $day } { $month } { $year }, { $time } UTC
month-1 = janvier
month-2 = février
month-3 = mars
month-4 = avril
month-5 = mai
month-6 = juin
month-7 = juillet
month-8 = août
month-9 = septembre
month-10 = octobre
month-11 = novembre
month-12 = décembre

## The start page.

start-title = Administration de projets
start-lead = Gérez des équipes, des projets, des clés d’API, des schémas, des utilisateurs et leurs données : dans le navigateur, en ligne de commande ou avec une API REST.
start-not-set-up = Ce service n’a pas encore été configuré. Pour créer son premier compte et en devenir l’exploitant, ouvrez le lien que le service a écrit dans son journal au démarrage. Le lien fonctionne une seule fois, dans les 24 heures. Redémarrez le service pour en obtenir un nouveau.

## Signing in.

sign-in-identity-waits = Un compte avec l’adresse { $email } existe déjà. Connectez-vous une fois d’une autre manière pour montrer qu’il vous appartient. Ensuite, vous pourrez vous connecter avec { $provider }.
email-or-username = Adresse e-mail ou nom d’utilisateur
email-me-a-code = Recevoir un code par e-mail
other-ways = Autres moyens de se connecter
continue-with = Continuer avec { $provider }
sign-in-limited = Vous n’avez pas besoin d’attendre : connectez-vous avec un lien que nous envoyons à l’adresse e-mail de votre compte. Si vous en avez déjà reçu un au cours de la dernière heure, utilisez-le.
email-me-a-link = Recevoir un lien de connexion par e-mail

## Signing in with a code.

code-address-title = Se connecter avec un code
code-address-lead = Saisissez votre adresse e-mail pour recevoir un code qui vous permet de vous connecter sans mot de passe.
code-address-sign-up = Si vous n’avez pas encore de compte, le code en crée un.
send-code = Envoyer le code
request-code = Demander le code
code-title = Saisir le code
code-sent = Si { $email } a un compte ou peut en avoir un, nous avons envoyé un code à cette adresse. Il expire dans dix minutes.
code-logged = Saisissez le code pour { $email }. Il expire dans dix minutes.
send-another-code = Envoyer un autre code
code-elsewhere = Le lien fonctionne pendant dix minutes, uniquement dans le navigateur qui l’a demandé. Ouvrez-le dans celui-ci ou demandez un autre e-mail.

## The second factor.

second-factor-title = Confirmez votre identité
recovery-code-lead = Saisissez l’un des codes de récupération que vous avez enregistrés pour { $account }. Il ne peut être utilisé qu’une fois.
recovery-code = Code de récupération
app-code-lead = Saisissez le code que votre application d’authentification affiche pour { $account }.
second-factor-limited = Si vous n’avez pas saisi ces codes, une autre personne connaît votre mot de passe ou lit vos e-mails. { $open }Choisissez un nouveau mot de passe{ $close } : ses tentatives cesseront et vous pourrez saisir un code deux minutes plus tard. Les navigateurs dans lesquels vous avez déjà utilisé un code ne sont pas concernés.
use-app = Utiliser votre application d’authentification
use-recovery-code = Utiliser un code de récupération
sign-in-to-another = Se connecter à un autre compte
lost-device = Si vous avez perdu votre appareil et vos codes de récupération, demandez de l’aide à l’exploitant de ce service.
set-up-title = Configurer un second facteur
set-up-from = À partir du { $due }, un second facteur sera requis pour se connecter ici.
set-up-now = Un second facteur est requis pour se connecter ici.
set-up-why = Il protège aussi votre compte { $account } contre une personne qui connaît votre mot de passe. Configurez une application d’authentification ou une clé d’accès, puis continuez sur cette page.
set-up-app = Configurer une application d’authentification
set-up-passkey = Configurer une clé d’accès
set-up-done = Continuer après la configuration
set-up-later = Configurer plus tard
set-up-has-passkey = Se reconnecter, par exemple avec une clé d’accès que vous avez déjà

## Signing up.

sign-up-operator = C’est le premier compte de ce service. Il en devient l’exploitant, qui administre les comptes et le service, mais pas les données des équipes.
sign-up-team = pour rejoindre l’équipe { $team }
sign-up-failed = Votre compte n’a pas été créé. Vérifiez ces champs :
field-error = { $field } : { $error }
sign-up-submit = Créer le compte
sign-up-no-password = Pas de mot de passe ?
sign-up-with-code = S’inscrire avec un code reçu par e-mail
sign-up-has-account = Vous avez déjà un compte ?

## Consent.

consent-title = Autoriser l’accès
consent-title-device = Autoriser l’accès sur un appareil
consent-continue = Continuer vers { $client } ?
consent-asks = { $client } souhaite utiliser votre compte
consent-asks-device = { $client } souhaite utiliser votre compte sur un appareil
consent-of-service = Il s’agit de la ligne de commande de ce service.
consent-of-operator = L’opérateur de ce service a enregistré cette application.
consent-of-project = Cette application ne fait pas partie de ce service. Elle appartient au projet { $project }.
consent-registered-itself = Cette application s’est enregistrée elle-même. Personne n’a vérifié son nom. N’autorisez l’accès que si vous venez de commencer à vous y connecter.
consent-device-code = Votre appareil affiche-t-il ce code ?
consent-device-warning = Ne continuez que si vous avez commencé cette opération sur un appareil que vous avez avec vous. Aucune application ni aucun service ne vous demande de saisir un code qu’il vous envoie.
consent-device-address = La demande provient de l’adresse { $address }.
consent-can = L’application peut
consent-will = L’application pourra
consent-destination = Vous serez redirigé vers { $destination }
consent-on-device = Tous les programmes de votre appareil peuvent utiliser cette adresse. Ne continuez que si vous venez de commencer à vous connecter.
consent-continue-as = Continuer en tant que { $account }
cancel = Annuler
allow = Autoriser
deny = Refuser
scope-openid = Savoir qui vous êtes
scope-openid-detail = L’identifiant permanent de votre compte
scope-profile = Voir votre profil
scope-profile-detail = Votre nom et votre nom d’utilisateur
scope-email = Voir votre adresse e-mail
scope-email-detail = Et si elle est confirmée
scope-offline-access = Conserver l’accès en votre absence
scope-offline-access-detail = Jusqu’à ce que vous lui retiriez l’accès
scope-db-read = Lire vos données dans cette application
scope-db-read-detail = Les données que l’application stocke pour vous
scope-db-write = Modifier vos données dans cette application
scope-db-write-detail = Ajouter, modifier et supprimer des données que l’application stocke pour vous
scope-profile-read = Lire votre profil dans cette application
scope-profile-read-detail = Votre profil tel que l’application l’affiche
scope-profile-write = Modifier votre profil dans cette application
scope-profile-write-detail = Votre profil tel que l’application l’affiche
scope-app-admin = Tout faire dans cette application
scope-app-admin-detail = Toutes les actions que vous pouvez y effectuer, en votre nom
scope-admin = Administrer en votre nom
scope-admin-detail = Vos équipes, vos projets, vos clés et leurs utilisateurs
continue-to-app = Continuer vers l’application

## Devices.

device-title = Connecter un appareil
device-lead = Saisissez le code que votre appareil affiche.
device-unknown = Aucun appareil n’attend avec ce code. Comparez-le avec celui que l’appareil affiche. Un code expire après 10 minutes.
device-mistyped = Ce n’est pas un code. Saisissez les huit lettres que votre appareil affiche.
device-connected-title = Appareil connecté
device-connected = Votre appareil est connecté
device-connected-lead = Vous pouvez fermer cette page et revenir à l’appareil. Il continue dans quelques secondes.
device-denied-title = Accès refusé
device-denied = Votre appareil n’obtient pas l’accès

## Passwords.

forgot-lead = Saisissez l’adresse e-mail de votre compte. Nous vous enverrons un lien pour vous connecter et, si vous le souhaitez, définir un nouveau mot de passe.
forgot-lead-no-mail = Saisissez l’adresse e-mail de votre compte pour obtenir un lien permettant de définir un nouveau mot de passe.
send-email = Envoyer l’e-mail
request-link = Demander le lien
check-email = Consultez vos e-mails
link-requested = Le lien a été demandé
you-entered = Vous avez saisi { $email }.
forgot-sent = Si un compte a cette adresse, nous lui avons envoyé un e-mail contenant un lien. Le lien ne peut être utilisé qu’une fois et expire dans une heure.
forgot-spam = Pas d’e-mail ? Vérifiez votre dossier de courrier indésirable.
forgot-logged = Si un compte a cette adresse, un lien existe maintenant pour lui. Il ne peut être utilisé qu’une fois et expire dans une heure.
try-another-address = Essayer une autre adresse
forgot-limited = { $error } Si vous avez reçu un e-mail contenant un lien au cours de la dernière heure, vous pouvez utiliser ce lien.
reset-title = Choisir un nouveau mot de passe
reset-lead = Définir un nouveau mot de passe met fin à toutes vos sessions. Connectez-vous ensuite avec le nouveau mot de passe.
new-password = Nouveau mot de passe
reset-submit = Définir le nouveau mot de passe
reset-keep = Ou conservez votre mot de passe :
reset-sign-in = Se connecter sans nouveau mot de passe
reset-done-title = Mot de passe modifié
reset-done = Votre mot de passe a été modifié
reset-done-lead = Toutes vos sessions ont pris fin. Connectez-vous avec votre nouveau mot de passe.

## Confirming an email address.

confirm-title = Confirmez votre adresse e-mail
email-sent = L’e-mail a été envoyé.
link-logged = Le lien a été écrit dans le journal du service.
link-once = Le lien ne peut être utilisé qu’une fois et expire dans une heure.
confirm-email-sent = Nous avons envoyé un e-mail à cette adresse.
confirm-email-logged = Ce service n’envoie pas d’e-mails : son exploitant trouve le lien dans le journal ou confirme l’adresse.
confirm-open-link = Ouvrez le lien pour confirmer que l’adresse vous appartient. D’ici là, le compte ne peut pas être utilisé.
send-email-again = Renvoyer l’e-mail
use-another-email = Utiliser une autre adresse e-mail
delete-account = Supprimer le compte
verify-lead = Appuyez sur le bouton pour confirmer que cette adresse e-mail vous appartient.
verify-submit = Confirmer mon adresse e-mail
held-lead = Il se peut que quelqu’un d’autre se soit inscrit avec votre adresse auparavant. Le compte possède ce qui est indiqué ici. Choisissez pour chaque élément si vous le conservez. Rien n’est confirmé avant.
held-membership = Appartenance à l’équipe { $team }, avec le rôle { $name }
held-team = L’équipe { $team }, qui n’a pas d’autre propriétaire, avec ses projets
held-key = Clé d’API { $name } dans l’équipe { $team }
held-client = Client OAuth { $name } dans l’équipe { $team }
held-provider = Fournisseur d’identité { $name } dans l’équipe { $team }
held-webhook = Webhook vers { $name } dans l’équipe { $team }
held-all-of-team = Tout dans l’équipe { $team } : l’appartenance et { $name } clés, clients OAuth, fournisseurs d’identité et webhooks
held-all = Tout dans { $name } équipes : les appartenances, clés, clients OAuth, fournisseurs d’identité et webhooks
held-keep = Conserver
held-delete = Supprimer
held-leave = Quitter l’équipe
held-delete-team = Supprimer l’équipe et ses projets
held-end-all = Supprimer et quitter. Une équipe sans autre propriétaire est supprimée avec ses projets.
verified-title = Adresse e-mail confirmée
verified = Votre adresse e-mail est confirmée
verified-invited = Vous êtes invité dans une équipe.
view-invite = Voir l’invitation

## Invites.

invite-title = Invitation dans une équipe
invite-join = Rejoindre l’équipe { $team } ?
invite-from = { $inviter } vous invite dans l’équipe { $team }. Votre rôle sera { $roles }.
invite-from-as = { $inviter } vous invite dans l’équipe { $team } en tant que { $label }. Votre rôle sera { $roles }.
invite-expires = L’invitation expire le { $until }.
join-team = Rejoindre l’équipe
decline = Refuser
invite-for = L’invitation est destinée à { $email }.
invite-has-account = Connectez-vous avec cette adresse pour rejoindre l’équipe. Si vous ne connaissez pas le mot de passe, choisissez « Mot de passe oublié ? » sur la page de connexion.
invite-may-sign-up = Créez un compte avec cette adresse pour rejoindre l’équipe.
invite-closed = Cette adresse n’a pas de compte et l’inscription est fermée. Demandez un compte à l’exploitant de ce service.
invite-by-link = Toute personne qui a ce lien peut rejoindre l’équipe une fois, avec n’importe quel compte. Connectez-vous ou créez un compte.
invite-other-title = Invitation pour un autre compte
invite-other = Cette invitation est destinée à { $email }
invite-switch = Pour rejoindre l’équipe, passez au compte dont l’adresse est invitée ou créez-en un.
invite-switch-submit = Se déconnecter et changer de compte
stay-signed-in-as = Rester connecté en tant que { $account }
invite-accepted-title = Invitation acceptée
invite-accepted = Vous avez rejoint l’équipe { $team }
invite-accepted-lead = Vous pouvez maintenant voir ses projets.
invite-declined-title = Invitation refusée
invite-declined = Vous avez refusé l’invitation
invite-declined-lead = Vous n’avez pas rejoint l’équipe { $team }. Si vous changez d’avis, demandez une autre invitation.
go-to-teams = Accéder à vos équipes et projets
invite-confirm-first = Confirmez d’abord votre adresse e-mail
invite-unconfirmed = Vous êtes connecté en tant que { $account }, et cette adresse n’est pas confirmée. Si vous avez été invité par e-mail, ouvrez le lien de cet e-mail : il confirme aussi l’adresse. Sinon, ouvrez le lien de l’e-mail de confirmation, puis rouvrez l’invitation.
send-confirmation-again = Renvoyer l’e-mail de confirmation
invite-not-found = Invitation introuvable
invite-none = Il n’y a pas d’invitation pour ce compte
invite-none-lead = Vous êtes connecté en tant que { $account }. L’invitation est peut-être destinée à un autre compte, ou elle a été acceptée, refusée ou révoquée, ou a expiré.
invited-title = Connectez-vous pour voir l’invitation
invited-lead = Connectez-vous avec le compte invité. Vous pourrez ensuite voir l’invitation et l’accepter ou la refuser.
invited-lead-sign-up = Connectez-vous avec le compte invité ou créez-en un. Vous pourrez ensuite voir l’invitation et l’accepter ou la refuser.
invited-ended = Si le lien a été utilisé ou révoqué, ou a expiré, demandez plutôt une autre invitation.

## Signing out.

sign-out-question = Se déconnecter ?
sign-out-apps = Les applications que vous utilisez dans ce navigateur sont aussi déconnectées, sauf si vous leur avez permis de conserver l’accès en votre absence.
sign-out-then = Après la déconnexion, vous pourrez continuer avec un autre compte.
back-to-account = Retour à votre compte
logout-requested = à la demande de { $client }
signed-out-title = Déconnecté
signed-out = Vous êtes déconnecté
signed-out-lead = Votre session dans ce navigateur a pris fin.
sign-in-again = Se reconnecter

## A deleted account.

deleted-title = Compte supprimé
deleted = Votre compte a été supprimé
deleted-lead = Ses sessions, ses jetons et ses données personnelles ont été supprimés avec lui.
deleting-title = Suppression de votre compte
deleting = Votre compte est en cours de suppression
deleting-lead = Plus personne ne peut s’y connecter. Il contient beaucoup de données ; leur suppression complète peut prendre quelques minutes.
go-to-start = Aller à la page d’accueil

## Error pages.

go-home = Aller à la page d’accueil
start-again = Recommencer
error-sign-in-ended = Cette connexion est terminée
error-sign-in-ended-lead = Elle a déjà abouti, ou elle a expiré au bout de dix minutes. Revenez à l’application et recommencez.
error-link = Ce lien n’est plus valide
error-link-lead = Un lien ne peut être utilisé qu’une fois et expire après une heure. Demandez-en un nouveau.
error-invite-link = Ce lien d’invitation n’est pas valide
error-invite-link-lead = Le lien est incomplet ou mal saisi. Ouvrez le lien complet de votre invitation.
error-not-set-up = Ce service n’a pas encore été configuré
error-second-factor-unused = Connectez-vous avec votre second facteur
error-second-factor-unused-lead = Une connexion avec votre second facteur est requise ici. Reconnectez-vous.
error-sign-up-closed = L’inscription est fermée
error-too-many = Trop de tentatives
error-failure = Une erreur s’est produite
error-not-found = Introuvable
error-request = La demande a échoué
error-foreign-form = Ce formulaire a expiré
error-foreign-form-lead = Il a été ouvert dans un autre navigateur, ou vous vous êtes connecté ou déconnecté depuis. Revenez en arrière, rechargez la page et envoyez à nouveau le formulaire. Les cookies doivent être activés.
error-sign-in-first = Connectez-vous pour continuer
error-sign-in-first-lead = Ce lien exige que vous soyez connecté au compte. Connectez-vous, puis ouvrez à nouveau le lien. Si vous n’avez pas créé de compte, ignorez l’e-mail.
error-operator-link-lead = Il peut être utilisé une fois dans les 24 heures, jusqu’à ce que le service ait son premier compte. Avant cela, un redémarrage écrit un nouveau lien dans le journal. Après cela, exécutez steward account operator add sur l’hôte.
error-no-page = Page introuvable
error-no-page-lead = Il n’y a pas de page à cette adresse.
error-form = Le formulaire n’est pas valide
error-form-lead = Revenez en arrière et envoyez-le à nouveau.

## Errors of the use cases.

wrong-password = L’adresse e-mail, le nom d’utilisateur ou le mot de passe est incorrect. Vérifiez-les et réessayez.
wrong-code = Le code est incorrect, expiré ou déjà utilisé. Saisissez le code que l’application affiche maintenant.
mistyped-code = Ce n’est pas un code. Saisissez les six chiffres que l’application affiche, ou un code de récupération complet.
wrong-email-code = Le code est incorrect ou déjà utilisé. Saisissez les six chiffres du dernier e-mail.
mistyped-email-code = Ce n’est pas un code. Saisissez les six chiffres du dernier e-mail.
outdated-email-code = Le code a expiré ou a été incorrect trop souvent. Demandez-en un nouveau.
unknown-passkey = Aucun compte n’utilise cette clé d’accès ici, ou le compte est désactivé. Connectez-vous d’une autre manière.
wrong-passkey = La clé d’accès n’a pas pu être vérifiée. Réessayez.
other-passkey = Cette clé d’accès appartient à un autre compte. Utilisez l’une des vôtres ou saisissez le mot de passe.
copied-passkey = Il existe peut-être une copie de cette clé d’accès, elle n’est donc pas acceptée. Connectez-vous d’une autre manière et supprimez-la.
outdated-challenge = La demande de clé d’accès a expiré. Réessayez.
provider-denied = La connexion auprès du fournisseur a été annulée. Réessayez ou connectez-vous d’une autre manière.
provider-failed = Le fournisseur n’a pas terminé la connexion. Réessayez ou connectez-vous d’une autre manière.
outdated-provider-sign-in = La connexion a expiré ou a été commencée dans un autre navigateur. Réessayez.
disabled-identity = Le compte est désactivé. Contactez l’exploitant de ce service.
identity-without-email = Le fournisseur n’a pas communiqué d’adresse e-mail, nécessaire à un nouveau compte. Autorisez-le à en communiquer une, ou connectez-vous d’une autre manière et associez le fournisseur dans votre compte.
other-identity = Cette identité est associée à un autre compte. Connectez-vous d’abord à ce compte et dissociez-la.
second-identity = Votre compte est déjà associé à une identité de ce fournisseur. Dissociez-la d’abord.
too-many-identities = Votre compte a trop d’identités associées. Dissociez-en une d’abord.
replaced-identity = Le compte ayant cette adresse a une autre identité de ce fournisseur. Demandez à un exploitant de la supprimer.
other-domain = Votre compte exige une identité avec une adresse de votre entreprise. Choisissez celle-ci.
second-factor-missing = Un second facteur est requis ici. Configurez une application d’authentification ou une clé d’accès dans votre compte, ou connectez-vous avec la clé d’accès que vous avez.
not-set-up = Ce service n’a pas encore été configuré. Pour créer son premier compte, ouvrez le lien que le service a écrit dans son journal au démarrage. Si le lien a expiré, redémarrez le service.
sign-up-closed = L’inscription est fermée. Demandez un compte à l’exploitant de ce service.
unconfirmed-email = L’adresse e-mail du compte n’est pas confirmée. Connectez-vous au service dans un navigateur et ouvrez le lien de l’e-mail de confirmation.
sign-up-by-invite = L’inscription exige une invitation à cette adresse e-mail. Demandez à une équipe de vous inviter.
sign-up-domain = L’inscription exige une adresse e-mail de l’un de ces domaines : { $domains }.
provider-required = Les comptes ayant une adresse e-mail de ce domaine doivent se connecter avec { $provider }. Choisissez { $provider } sur la page de connexion.
blocked = L’utilisateur est bloqué dans ce projet. Contactez l’équipe à laquelle le projet appartient.
email-taken = Un compte avec cette adresse e-mail existe déjà. Connectez-vous plutôt.
username-taken = Ce nom d’utilisateur est déjà pris. Choisissez-en un autre.
already-member = Le compte est déjà membre de l’équipe.
too-many-attempts = Trop de tentatives. Réessayez dans { $seconds } s.
access-changed = Votre accès a changé pendant la demande. Réessayez.
unavailable = Le service est temporairement indisponible. Réessayez.
storage-full = Le service n’a plus d’espace pour stocker des données. La lecture fonctionne toujours. Son exploitant doit libérer de l’espace disque.
internal-error = La demande a échoué en raison d’une erreur interne.

## Fields that are not valid.

email-invalid = Saisissez une adresse e-mail, comme name@example.com.
email-letters = Avant le @, seuls les lettres de a à z, les chiffres et les symboles sont possibles, car le serveur de messagerie de ce service n’envoie rien à d’autres adresses (SMTPUTF8).
password-length = Le mot de passe doit comporter de 10 à 256 caractères.
password-common = Le mot de passe est facile à deviner, car il ressemble à un mot de passe courant. Utilisez plusieurs mots peu courants.
password-keyboard = Le mot de passe est facile à deviner, car il suit les touches d’un clavier. Utilisez plusieurs mots peu courants.
password-pattern = Le mot de passe est facile à deviner, car il répète ou poursuit un motif. Utilisez plusieurs mots peu courants.
password-date = Le mot de passe est facile à deviner, car il ressemble à une date. Utilisez plusieurs mots peu courants.
password-word = Le mot de passe est facile à deviner, car il ressemble à un seul mot ou à un nom. Utilisez plusieurs mots peu courants.
password-easy = Le mot de passe est facile à deviner. Utilisez plusieurs mots peu courants qui n’ont aucun rapport avec vous.
password-breached = Le mot de passe a été trouvé dans une fuite de données d’un autre service. Utilisez-en un que vous n’avez jamais utilisé.
password-unconfirmed = Vous devez choisir un mot de passe : l’adresse e-mail du compte n’avait pas encore été confirmée.
name-invalid = Le nom doit comporter de 1 à 100 caractères.
name-hidden = Le nom ne doit pas contenir le caractère { $character }, qui est invisible. Supprimez-le ou saisissez de nouveau le texte.
name-nothing-visible = Le nom doit contenir un caractère visible.
username-invalid = Le nom d’utilisateur doit comporter de 3 à 32 lettres, chiffres, traits d’union et tirets bas.

## Emails.

email-hello = Bonjour,
email-project = Vous vous connectez à { $project }.
email-link-once = Le lien ne peut être utilisé qu’une fois et expire dans une heure.
email-confirm-button = Confirmer l’adresse
email-sign-in-button = Se connecter
email-open-button = Ouvrir le service
email-verify-subject = Confirmez votre adresse e-mail
email-verify = Cette adresse e-mail a été utilisée pour un compte. Pour confirmer que l’adresse est la vôtre, ouvrez ce lien :
email-verify-otherwise = Si vous n’avez pas utilisé cette adresse, ignorez cet e-mail. Personne ne peut confirmer l’adresse sans le lien.
email-reset-subject = Connectez-vous ou choisissez un nouveau mot de passe
email-reset = Un lien a été demandé pour le compte qui a cette adresse e-mail. Pour vous connecter ou définir un nouveau mot de passe, ouvrez ce lien :
email-reset-otherwise = Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail. Votre mot de passe ne change pas.
email-change-subject = Confirmez votre nouvelle adresse e-mail
email-change = Quelqu’un a demandé à utiliser cette adresse e-mail pour son compte. Pour confirmer que l’adresse est la vôtre, connectez-vous au compte et ouvrez ce lien :
email-change-otherwise = Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail. L’adresse n’est pas utilisée sans le lien.
email-code-subject = Votre code de connexion
email-code = Votre code de connexion est { $code }. Saisissez-le là où vous l’avez demandé, ou ouvrez ce lien dans le même navigateur :
email-code-then = Le code ne peut être utilisé qu’une fois, seulement dans ce navigateur, et expire dans dix minutes. Ne le communiquez jamais.
email-code-otherwise = Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail. Personne ne peut se connecter sans le code.
email-invite-subject = Vous êtes invité à rejoindre l’équipe { $team }
email-invite = L’équipe { $team } vous invite à la rejoindre. Pour voir l’invitation et l’accepter ou la refuser, ouvrez ce lien :
email-invite-then = Le lien confirme cette adresse e-mail : ne le transférez pas. Si vous n’avez pas de compte, vous pouvez en créer un. L’invitation expire le { $until }.
email-invite-otherwise = Si vous ne connaissez pas cette équipe, ignorez cet e-mail.
email-changed-subject = Votre adresse e-mail a été modifiée
email-changed = L’adresse e-mail de votre compte a été modifiée. Pour voir votre compte, ouvrez ce lien :
email-changed-then = Cette adresse ne sert plus à se connecter et ne reçoit plus d’e-mails au sujet du compte.
email-changed-otherwise = Si vous n’avez pas modifié l’adresse, contactez immédiatement l’exploitant de ce service.
email-app-added-subject = Une application d’authentification a été configurée
email-app-added = Une application d’authentification a été configurée pour votre compte. Pour la voir, ouvrez ce lien :
email-app-added-then = Désormais, la connexion nécessite un code de l’application en plus du mot de passe.
email-app-removed-subject = Votre application d’authentification a été supprimée
email-app-removed = L’application d’authentification de votre compte et ses codes de récupération ont été supprimés. Pour en configurer une autre, ouvrez ce lien :
email-app-removed-then = La connexion ne nécessite plus que le mot de passe.
email-codes-replaced-subject = Vos codes de récupération ont été remplacés
email-codes-replaced = De nouveaux codes de récupération ont été générés pour votre compte. Pour voir combien il en reste, ouvrez ce lien :
email-codes-replaced-then = Les codes de récupération précédents ne sont plus valables.
email-code-used-subject = Un code de récupération a été utilisé
email-code-used = Un code de récupération a été utilisé pour se connecter à votre compte. Pour en générer de nouveaux, ouvrez ce lien :
email-code-used-then = Le code ne peut pas être réutilisé. Codes de récupération restants : { $left }.
email-factors-removed-subject = Vos seconds facteurs et clés d’accès ont été supprimés
email-factors-removed = Les seconds facteurs et clés d’accès de votre compte ont été supprimés, car ils sont perdus. Pour en configurer de nouveaux, ouvrez ce lien :
email-factors-removed-then = Ils ne sont plus nécessaires pour se connecter.
email-removal-scheduled-subject = Vos seconds facteurs et clés d’accès vont être supprimés
email-removal-scheduled = La suppression des seconds facteurs et clés d’accès de votre compte a été demandée, car ils sont perdus. Pour les conserver, ouvrez ce lien :
email-removal-scheduled-then = Ils seront supprimés le { $until }. D’ici là, ils fonctionnent comme avant.
email-removal-canceled-subject = Vos seconds facteurs et clés d’accès sont conservés
email-removal-canceled = Les seconds facteurs et clés d’accès de votre compte ne seront pas supprimés. Pour le demander à nouveau, ouvrez ce lien :
email-removal-canceled-then = Ils fonctionnent comme avant.
email-confirmed-subject = Votre adresse est confirmée et les accès antérieurs ont été supprimés
email-confirmed = L’adresse e-mail de votre compte a été confirmée pour la première fois. Pour définir un mot de passe ou voir si vous en avez un, ouvrez ce lien :
email-confirmed-then = Quelqu’un d’autre s’est peut-être inscrit avec votre adresse auparavant. Les clés d’accès, les identités associées, l’application d’authentification, les sessions et les jetons d’accès de cette période ont donc été supprimés, ainsi que le mot de passe, sauf si vous venez de le définir.
email-passkey-added-subject = Une clé d’accès a été configurée
email-passkey-added = Une clé d’accès a été configurée pour votre compte. Pour la voir, ouvrez ce lien :
email-passkey-added-then = Désormais, elle permet de se connecter à votre compte sans le mot de passe.
email-passkey-removed-subject = Une clé d’accès a été supprimée
email-passkey-removed = Une clé d’accès de votre compte a été supprimée. Pour voir celles qui restent, ouvrez ce lien :
email-passkey-removed-then = La clé d’accès supprimée ne permet plus de se connecter à votre compte.
email-passkey-copied-subject = Il existe peut-être une copie de votre clé d’accès
email-passkey-copied = Une clé d’accès de votre compte a été refusée, car il en existe peut-être une copie. Pour la supprimer, ouvrez ce lien :
email-passkey-copied-then = Cette connexion a été refusée, mais une copie a pu être utilisée auparavant. Vérifiez vos sessions.
email-identity-linked-subject = Un autre moyen de vous connecter à votre compte a été ajouté
email-identity-linked = Une identité d’un autre service a été associée à votre compte. Pour la voir, ouvrez ce lien :
email-identity-linked-then = Vous pouvez maintenant vous connecter à votre compte avec ce service.
email-identity-unlinked-subject = Un moyen de vous connecter à votre compte a été supprimé
email-identity-unlinked = Une identité d’un autre service a été dissociée de votre compte. Pour voir celles qui restent, ouvrez ce lien :
email-identity-unlinked-then = Se connecter là-bas ne permet plus d’accéder à votre compte.
email-codes-refused-subject = Quelqu’un essaie des codes pour se connecter à votre compte
email-codes-refused = Quelqu’un qui a franchi la première étape de la connexion à votre compte, avec votre mot de passe ou autrement, saisit des codes erronés. Pour choisir un nouveau mot de passe, ouvrez ce lien :
email-codes-refused-then = Personne ne s’est connecté avec ces codes. Un nouveau mot de passe met fin aux tentatives avec l’ancien. Si vous avez associé des identités, vérifiez que vous seul pouvez les utiliser.
email-browser-subject = Un nouveau navigateur s’est connecté à votre compte
email-browser = Un navigateur qui ne l’avait jamais fait s’est connecté à votre compte. Pour voir vos sessions, ouvrez ce lien :
email-browser-from = La requête provenait de l’adresse réseau { $address }.
email-browser-unknown = L’adresse réseau de la requête n’est pas connue.
email-password-subject = Votre mot de passe a été modifié
email-password = Le mot de passe de votre compte a été défini ou modifié. Pour le modifier à nouveau, ouvrez ce lien :
email-password-then = Tous les autres navigateurs et applications ont été déconnectés.
email-token-subject = Un jeton d’accès personnel a été créé
email-token = Un jeton d’accès personnel a été créé pour votre compte. Pour voir vos jetons, ouvrez ce lien :
email-token-then = Les programmes qui l’ont peuvent faire avec votre compte ce que le jeton permet.
email-not-you = Si ce n’était pas vous, changez immédiatement votre mot de passe, ce qui déconnecte tout le monde, et contactez l’exploitant de ce service.
email-not-you-session = Si ce n’était pas vous, mettez fin à la session avec ce lien, changez immédiatement votre mot de passe, ce qui déconnecte tout le monde, et contactez l’exploitant de ce service.
email-not-you-forgot = Si ce n’était pas vous, choisissez immédiatement un nouveau mot de passe avec « Mot de passe oublié ? » sur la page de connexion, ce qui déconnecte tout le monde, et contactez l’exploitant de ce service.
email-not-you-token = Si ce n’était pas vous, révoquez le jeton avec ce lien, puis changez votre mot de passe, ce qui déconnecte tout le monde, et contactez l’exploitant de ce service.
email-not-you-passkey = Si ce n’était pas vous, supprimez la clé d’accès avec ce lien, puis changez votre mot de passe, ce qui déconnecte tout le monde, et contactez l’exploitant de ce service.
email-test-subject = E-mail de test
email-test = Un exploitant de ce service a envoyé cet e-mail pour tester le serveur de messagerie :
email-test-then = Le serveur de messagerie fonctionne : cet e-mail est arrivé.
email-test-otherwise = Si vous n’exploitez pas ce service, ignorez cet e-mail.
email-reason-account = Vous recevez cet e-mail parce qu’un compte sur { $host } a cette adresse.
email-reason-changed = Vous recevez cet e-mail parce qu’un compte sur { $host } avait cette adresse.
email-reason-entered = Vous recevez cet e-mail parce que quelqu’un a saisi cette adresse sur { $host }.
email-reason-invited = Vous recevez cet e-mail parce qu’une équipe sur { $host } a invité cette adresse.
