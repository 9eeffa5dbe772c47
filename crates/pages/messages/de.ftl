## Used by several pages.

gap = { " " }
sign-in = Anmelden
sign-out = Abmelden
create-account = Konto erstellen
continue = Weiter
code = Code
email = E-Mail-Adresse
password = Passwort
name = Name
username = Benutzername
optional = (optional)
password-hint = 10 bis 256 Zeichen. Verwenden Sie einige Wörter, die nichts miteinander zu tun haben.
username-hint = 3 bis 32 Buchstaben, Ziffern, Bindestriche oder Unterstriche.
signed-in-as = Sie sind als { $account } angemeldet.
to-continue = um mit { $client } fortzufahren
use-another-account = Anderes Konto verwenden
forgot-password = Passwort vergessen?
back-to-sign-in = Zurück zur Anmeldung
stay-signed-in = Angemeldet bleiben
close-page = Sie können diese Seite schließen.
go-to-account = Zu Ihrem Konto
no-mail-server = Dieser Dienst hat keinen Mailserver. Der Link steht in seinem Protokoll, das der Betreiber lesen kann.
sign-in-with-passkey = Mit einem Passkey anmelden
no-passkey-used = Es wurde kein Passkey verwendet. Versuchen Sie es erneut oder wählen Sie einen anderen Weg.
documentation = Dokumentation
openapi-document = OpenAPI-Dokument
terms = Nutzungsbedingungen
privacy-policy = Datenschutzerklärung

## Points in time, in UTC.

date-time = { $day }. { $month } { $year }, { $time } UTC
month-1 = Januar
month-2 = Februar
month-3 = März
month-4 = April
month-5 = Mai
month-6 = Juni
month-7 = Juli
month-8 = August
month-9 = September
month-10 = Oktober
month-11 = November
month-12 = Dezember

## The start page.

start-title = Projektverwaltung
start-lead = Verwalten Sie Teams, Projekte, API-Schlüssel, Schemas, Benutzer und deren Daten: im Browser, auf der Kommandozeile oder mit einer REST-API.
start-not-set-up = Dieser Dienst wurde noch nicht eingerichtet. Um das erste Konto zu erstellen und Betreiber zu werden, öffnen Sie den Link, den der Dienst beim Start in sein Protokoll geschrieben hat. Der Link funktioniert einmal, innerhalb von 24 Stunden. Starten Sie den Dienst neu, um einen neuen zu erhalten.

## Signing in.

sign-in-identity-waits = Es gibt bereits ein Konto mit der Adresse { $email }. Melden Sie sich einmal auf einem anderen Weg an, um zu zeigen, dass es Ihnen gehört. Danach können Sie sich mit { $provider } anmelden.
email-or-username = E-Mail-Adresse oder Benutzername
email-me-a-code = Code per E-Mail erhalten
other-ways = Weitere Anmeldemöglichkeiten
continue-with = Weiter mit { $provider }
sign-in-limited = Sie müssen nicht warten: Melden Sie sich mit einem Link an, den wir an die E-Mail-Adresse Ihres Kontos senden. Wenn Sie in der letzten Stunde bereits einen erhalten haben, verwenden Sie diesen.
email-me-a-link = Anmeldelink per E-Mail erhalten

## Signing in with a code.

code-address-title = Mit einem Code anmelden
code-address-lead = Geben Sie Ihre E-Mail-Adresse ein, um einen Code zu erhalten, mit dem Sie sich ohne Passwort anmelden.
code-address-sign-up = Wenn Sie noch kein Konto haben, wird mit dem Code eines erstellt.
send-code = Code senden
request-code = Code anfordern
code-title = Code eingeben
code-sent = Wenn { $email } ein Konto hat oder haben darf, haben wir einen Code an diese Adresse gesendet. Er läuft in zehn Minuten ab.
code-logged = Geben Sie den Code für { $email } ein. Er läuft in zehn Minuten ab.
send-another-code = Neuen Code senden
code-elsewhere = Der Link funktioniert zehn Minuten lang und nur in dem Browser, in dem er angefordert wurde. Öffnen Sie ihn dort oder fordern Sie eine neue E-Mail an.

## The second factor.

second-factor-title = Bestätigen Sie, dass Sie es sind
recovery-code-lead = Geben Sie einen der Wiederherstellungscodes ein, die Sie für { $account } gespeichert haben. Er kann nur einmal verwendet werden.
recovery-code = Wiederherstellungscode
app-code-lead = Geben Sie den Code ein, den Ihre Authentifizierungs-App für { $account } anzeigt.
second-factor-limited = Wenn Sie diese Codes nicht eingegeben haben, kennt jemand anderes Ihr Passwort oder liest Ihre E-Mails. { $open }Wählen Sie ein neues Passwort{ $close }: Damit enden diese Versuche, und zwei Minuten später können Sie einen Code eingeben. Browser, in denen Sie schon einmal einen Code verwendet haben, sind nicht betroffen.
use-app = Authentifizierungs-App verwenden
use-recovery-code = Wiederherstellungscode verwenden
sign-in-to-another = Bei einem anderen Konto anmelden
lost-device = Wenn Sie Ihr Gerät und Ihre Wiederherstellungscodes verloren haben, bitten Sie den Betreiber dieses Dienstes um Hilfe.
set-up-title = Zweiten Faktor einrichten
set-up-from = Ab dem { $due } ist hier für die Anmeldung ein zweiter Faktor erforderlich.
set-up-now = Für die Anmeldung ist hier ein zweiter Faktor erforderlich.
set-up-why = Er schützt Ihr Konto { $account } auch vor Personen, die Ihr Passwort kennen. Richten Sie eine Authentifizierungs-App oder einen Passkey ein und fahren Sie danach auf dieser Seite fort.
set-up-app = Authentifizierungs-App einrichten
set-up-passkey = Passkey einrichten
set-up-done = Nach der Einrichtung fortfahren
set-up-later = Später einrichten
set-up-has-passkey = Erneut anmelden, zum Beispiel mit einem vorhandenen Passkey

## Signing up.

sign-up-operator = Dies ist das erste Konto dieses Dienstes. Es wird zum Betreiberkonto, mit dem die Konten und der Dienst verwaltet werden, aber nicht die Daten der Teams.
sign-up-team = um dem Team { $team } beizutreten
sign-up-failed = Ihr Konto wurde nicht erstellt. Prüfen Sie diese Felder:
field-error = { $field }: { $error }
sign-up-submit = Konto erstellen
sign-up-no-password = Kein Passwort?
sign-up-with-code = Mit einem Code per E-Mail registrieren
sign-up-has-account = Haben Sie bereits ein Konto?

## Consent.

consent-title = Zugriff erlauben
consent-title-device = Zugriff auf einem Gerät erlauben
consent-continue = Weiter zu { $client }?
consent-asks = { $client } möchte Ihr Konto verwenden
consent-asks-device = { $client } möchte Ihr Konto auf einem Gerät verwenden
consent-of-service = Dies ist die Kommandozeile dieses Dienstes.
consent-of-operator = Der Betreiber dieses Dienstes hat diese App registriert.
consent-of-project = Diese App ist kein Teil dieses Dienstes. Sie gehört zum Projekt { $project }.
consent-registered-itself = Diese App hat sich selbst registriert. Niemand hat ihren Namen geprüft. Erlauben Sie den Zugriff nur, wenn Sie gerade selbst begonnen haben, sich bei ihr anzumelden.
consent-device-code = Zeigt Ihr Gerät diesen Code an?
consent-device-warning = Fahren Sie nur fort, wenn Sie dies auf einem Gerät begonnen haben, das Sie bei sich haben. Keine App und kein Dienst bittet Sie, einen Code einzugeben, den Sie zugesendet bekommen.
consent-device-address = Die Anfrage kam von der Adresse { $address }.
consent-can = Die App kann
consent-will = Die App kann dann
consent-destination = Sie werden weitergeleitet zu { $destination }
consent-on-device = Jedes Programm auf Ihrem Gerät kann diese Adresse verwenden. Fahren Sie nur fort, wenn Sie gerade selbst mit der Anmeldung begonnen haben.
consent-continue-as = Weiter als { $account }
cancel = Abbrechen
allow = Erlauben
deny = Ablehnen
scope-openid = Sie wiedererkennen
scope-openid-detail = Die dauerhafte ID Ihres Kontos
scope-profile = Ihr Profil sehen
scope-profile-detail = Ihren Namen und Ihren Benutzernamen
scope-email = Ihre E-Mail-Adresse sehen
scope-email-detail = Und ob sie bestätigt ist
scope-offline-access = Zugriff behalten, während Sie abwesend sind
scope-offline-access-detail = Bis Sie ihr den Zugriff entziehen
scope-db-read = Ihre Daten in dieser App lesen
scope-db-read-detail = Daten, die die App für Sie speichert
scope-db-write = Ihre Daten in dieser App ändern
scope-db-write-detail = Daten hinzufügen, ändern und löschen, die die App für Sie speichert
scope-profile-read = Ihr Profil in dieser App lesen
scope-profile-read-detail = Ihr Profil, wie die App es anzeigt
scope-profile-write = Ihr Profil in dieser App ändern
scope-profile-write-detail = Ihr Profil, wie die App es anzeigt
scope-app-admin = Alles in dieser App tun
scope-app-admin-detail = Alle Aktionen, die Sie dort ausführen können, in Ihrem Namen
scope-admin = In Ihrem Namen verwalten
scope-admin-detail = Ihre Teams, Projekte, Schlüssel und deren Benutzer
continue-to-app = Weiter zur App

## Devices.

device-title = Gerät verbinden
device-lead = Geben Sie den Code ein, den Ihr Gerät anzeigt.
device-unknown = Kein Gerät wartet mit diesem Code. Vergleichen Sie ihn mit dem, den das Gerät anzeigt. Ein Code läuft nach 10 Minuten ab.
device-mistyped = Das ist kein Code. Geben Sie die acht Buchstaben ein, die Ihr Gerät anzeigt.
device-connected-title = Gerät verbunden
device-connected = Ihr Gerät ist verbunden
device-connected-lead = Sie können diese Seite schließen und zum Gerät zurückkehren. Es fährt in wenigen Sekunden fort.
device-denied-title = Zugriff abgelehnt
device-denied = Ihr Gerät erhält keinen Zugriff

## Passwords.

forgot-lead = Geben Sie die E-Mail-Adresse Ihres Kontos ein. Wir senden Ihnen einen Link, mit dem Sie sich anmelden und auf Wunsch ein neues Passwort festlegen können.
forgot-lead-no-mail = Geben Sie die E-Mail-Adresse Ihres Kontos ein, um einen Link zum Festlegen eines neuen Passworts zu erhalten.
send-email = E-Mail senden
request-link = Link anfordern
check-email = Prüfen Sie Ihre E-Mails
link-requested = Der Link wurde angefordert
you-entered = Sie haben { $email } eingegeben.
forgot-sent = Wenn ein Konto diese Adresse hat, haben wir eine E-Mail mit einem Link dorthin gesendet. Der Link kann einmal verwendet werden und läuft in einer Stunde ab.
forgot-spam = Keine E-Mail erhalten? Prüfen Sie Ihren Spam-Ordner.
forgot-logged = Wenn ein Konto diese Adresse hat, gibt es jetzt einen Link dafür. Er kann einmal verwendet werden und läuft in einer Stunde ab.
try-another-address = Andere Adresse versuchen
forgot-limited = { $error } Wenn Sie in der letzten Stunde eine E-Mail mit einem Link erhalten haben, können Sie diesen Link verwenden.
reset-title = Neues Passwort wählen
reset-lead = Mit einem neuen Passwort enden alle Ihre Sitzungen. Melden Sie sich danach mit dem neuen Passwort an.
new-password = Neues Passwort
reset-submit = Neues Passwort festlegen
reset-keep = Oder behalten Sie Ihr Passwort:
reset-sign-in = Ohne neues Passwort anmelden
reset-done-title = Passwort geändert
reset-done = Ihr Passwort wurde geändert
reset-done-lead = Alle Ihre Sitzungen sind beendet. Melden Sie sich mit Ihrem neuen Passwort an.

## Confirming an email address.

confirm-title = E-Mail-Adresse bestätigen
email-sent = Die E-Mail wurde gesendet.
link-logged = Der Link wurde in das Protokoll des Dienstes geschrieben.
link-once = Der Link kann einmal verwendet werden und läuft in einer Stunde ab.
confirm-email-sent = Wir haben eine E-Mail an diese Adresse gesendet.
confirm-email-logged = Dieser Dienst versendet keine E-Mails: Sein Betreiber findet den Link im Protokoll oder bestätigt die Adresse.
confirm-open-link = Öffnen Sie den Link, um zu bestätigen, dass die Adresse Ihnen gehört. Bis dahin kann das Konto nicht verwendet werden.
send-email-again = E-Mail erneut senden
use-another-email = Andere E-Mail-Adresse verwenden
delete-account = Konto löschen
verify-lead = Klicken Sie auf die Schaltfläche, um zu bestätigen, dass diese E-Mail-Adresse Ihnen gehört.
verify-submit = Meine E-Mail-Adresse bestätigen
held-lead = Möglicherweise hat sich vorher jemand anderes mit Ihrer Adresse registriert. Das Konto hat, was hier aufgeführt ist. Wählen Sie jeweils, ob Sie es behalten. Vorher wird nichts bestätigt.
held-membership = Mitgliedschaft im Team { $team } mit der Rolle { $name }
held-team = Das Team { $team }, das keinen anderen Eigentümer hat, mit seinen Projekten
held-key = API-Schlüssel { $name } im Team { $team }
held-client = OAuth-Client { $name } im Team { $team }
held-provider = Identitätsanbieter { $name } im Team { $team }
held-webhook = Webhook an { $name } im Team { $team }
held-all-of-team = Alles im Team { $team }: die Mitgliedschaft und { $name } Schlüssel, OAuth-Clients, Identitätsanbieter und Webhooks
held-all = Alles in { $name } Teams: die Mitgliedschaften, Schlüssel, OAuth-Clients, Identitätsanbieter und Webhooks
held-keep = Behalten
held-delete = Löschen
held-leave = Das Team verlassen
held-delete-team = Das Team und seine Projekte löschen
held-end-all = Löschen und verlassen. Ein Team ohne anderen Eigentümer wird mit seinen Projekten gelöscht.
verified-title = E-Mail-Adresse bestätigt
verified = Ihre E-Mail-Adresse ist bestätigt
verified-invited = Sie sind in ein Team eingeladen.
view-invite = Einladung ansehen

## Invites.

invite-title = Einladung in ein Team
invite-join = Dem Team { $team } beitreten?
invite-from = { $inviter } lädt Sie in das Team { $team } ein. Ihre Rolle wird { $roles } sein.
invite-from-as = { $inviter } lädt Sie als { $label } in das Team { $team } ein. Ihre Rolle wird { $roles } sein.
invite-expires = Die Einladung läuft am { $until } ab.
join-team = Dem Team beitreten
decline = Ablehnen
invite-for = Die Einladung ist für { $email }.
invite-has-account = Melden Sie sich mit dieser Adresse an, um beizutreten. Wenn Sie das Passwort nicht kennen, wählen Sie dort „Passwort vergessen?“.
invite-may-sign-up = Erstellen Sie ein Konto mit dieser Adresse, um beizutreten.
invite-closed = Diese Adresse hat kein Konto, und die Registrierung ist geschlossen. Bitten Sie den Betreiber dieses Dienstes um ein Konto.
invite-by-link = Wer diesen Link hat, kann einmal beitreten, mit einem beliebigen Konto. Melden Sie sich an oder erstellen Sie ein Konto.
invite-other-title = Einladung für ein anderes Konto
invite-other = Diese Einladung ist für { $email }
invite-switch = Um beizutreten, wechseln Sie zu dem Konto mit der eingeladenen Adresse oder erstellen Sie eines.
invite-switch-submit = Abmelden und Konto wechseln
stay-signed-in-as = Als { $account } angemeldet bleiben
invite-accepted-title = Einladung angenommen
invite-accepted = Sie sind dem Team { $team } beigetreten
invite-accepted-lead = Sie können jetzt seine Projekte sehen.
invite-declined-title = Einladung abgelehnt
invite-declined = Sie haben die Einladung abgelehnt
invite-declined-lead = Sie sind dem Team { $team } nicht beigetreten. Wenn Sie es sich anders überlegen, bitten Sie um eine neue Einladung.
go-to-teams = Zu Ihren Teams und Projekten
invite-confirm-first = Bestätigen Sie zuerst Ihre E-Mail-Adresse
invite-unconfirmed = Sie sind als { $account } angemeldet, und diese Adresse ist nicht bestätigt. Wenn Sie per E-Mail eingeladen wurden, öffnen Sie den Link in dieser E-Mail: Er bestätigt auch die Adresse. Öffnen Sie andernfalls den Link in der Bestätigungs-E-Mail und danach die Einladung erneut.
send-confirmation-again = Bestätigungs-E-Mail erneut senden
invite-not-found = Einladung nicht gefunden
invite-none = Für dieses Konto gibt es keine Einladung
invite-none-lead = Sie sind als { $account } angemeldet. Die Einladung gilt möglicherweise für ein anderes Konto, oder sie wurde angenommen, abgelehnt oder zurückgezogen oder ist abgelaufen.
invited-title = Melden Sie sich an, um die Einladung zu sehen
invited-lead = Melden Sie sich mit dem eingeladenen Konto an. Dann können Sie die Einladung ansehen und annehmen oder ablehnen.
invited-lead-sign-up = Melden Sie sich mit dem eingeladenen Konto an oder erstellen Sie eines. Dann können Sie die Einladung ansehen und annehmen oder ablehnen.
invited-ended = Wenn der Link verwendet oder zurückgezogen wurde oder abgelaufen ist, bitten Sie stattdessen um eine neue Einladung.

## Signing out.

sign-out-question = Abmelden?
sign-out-apps = Apps, die Sie in diesem Browser verwenden, werden ebenfalls abgemeldet, es sei denn, Sie haben ihnen erlaubt, den Zugriff während Ihrer Abwesenheit zu behalten.
sign-out-then = Nach dem Abmelden können Sie mit einem anderen Konto fortfahren.
back-to-account = Zurück zu Ihrem Konto
logout-requested = angefordert von { $client }
signed-out-title = Abgemeldet
signed-out = Sie sind abgemeldet
signed-out-lead = Ihre Sitzung in diesem Browser ist beendet.
sign-in-again = Erneut anmelden

## A deleted account.

deleted-title = Konto gelöscht
deleted = Ihr Konto wurde gelöscht
deleted-lead = Seine Sitzungen, Token und personenbezogenen Daten wurden mit gelöscht.
deleting-title = Ihr Konto wird gelöscht
deleting = Ihr Konto wird gelöscht
deleting-lead = Niemand kann sich mehr damit anmelden. Es hat viele Daten, daher kann das Löschen einige Minuten dauern.
go-to-start = Zur Startseite

## Error pages.

go-home = Zur Startseite
start-again = Neu beginnen
error-sign-in-ended = Diese Anmeldung ist beendet
error-sign-in-ended-lead = Sie wurde bereits abgeschlossen oder ist nach zehn Minuten abgelaufen. Kehren Sie zur App zurück und beginnen Sie von vorn.
error-link = Dieser Link ist nicht mehr gültig
error-link-lead = Ein Link kann einmal verwendet werden und läuft nach einer Stunde ab. Fordern Sie einen neuen an.
error-invite-link = Dieser Einladungslink ist nicht gültig
error-invite-link-lead = Der Link ist unvollständig oder enthält einen Tippfehler. Öffnen Sie den vollständigen Link aus Ihrer Einladung.
error-not-set-up = Dieser Dienst wurde noch nicht eingerichtet
error-second-factor-unused = Melden Sie sich mit Ihrem zweiten Faktor an
error-second-factor-unused-lead = Hier ist eine Anmeldung mit Ihrem zweiten Faktor erforderlich. Melden Sie sich erneut an.
error-sign-up-closed = Die Registrierung ist geschlossen
error-too-many = Zu viele Versuche
error-failure = Etwas ist schiefgegangen
error-not-found = Nicht gefunden
error-request = Die Anfrage ist fehlgeschlagen
error-foreign-form = Dieses Formular ist abgelaufen
error-foreign-form-lead = Es wurde in einem anderen Browser geöffnet, oder Sie haben sich seitdem an- oder abgemeldet. Gehen Sie zurück, laden Sie die Seite neu und senden Sie das Formular erneut ab. Cookies müssen aktiviert sein.
error-sign-in-first = Melden Sie sich an, um fortzufahren
error-sign-in-first-lead = Für diesen Link müssen Sie bei dem Konto angemeldet sein. Melden Sie sich an und öffnen Sie den Link erneut. Wenn Sie kein Konto erstellt haben, ignorieren Sie die E-Mail.
error-operator-link-lead = Er kann innerhalb von 24 Stunden einmal verwendet werden, bis der Dienst sein erstes Konto hat. Davor schreibt ein Neustart einen neuen Link in das Protokoll. Danach führen Sie steward account operator add auf dem Host aus.
error-no-page = Seite nicht gefunden
error-no-page-lead = Unter dieser Adresse gibt es keine Seite.
error-form = Das Formular ist nicht gültig
error-form-lead = Gehen Sie zurück und senden Sie es erneut ab.

## Errors of the use cases.

wrong-password = Die E-Mail-Adresse, der Benutzername oder das Passwort ist falsch. Prüfen Sie die Angaben und versuchen Sie es erneut.
wrong-code = Der Code ist falsch, abgelaufen oder wurde bereits verwendet. Geben Sie den Code ein, den die App jetzt anzeigt.
mistyped-code = Das ist kein Code. Geben Sie die sechs Ziffern ein, die die App anzeigt, oder einen vollständigen Wiederherstellungscode.
wrong-email-code = Der Code ist falsch oder wurde bereits verwendet. Geben Sie die sechs Ziffern aus der letzten E-Mail ein.
mistyped-email-code = Das ist kein Code. Geben Sie die sechs Ziffern aus der letzten E-Mail ein.
outdated-email-code = Der Code ist abgelaufen oder war zu oft falsch. Fordern Sie einen neuen an.
unknown-passkey = Kein Konto verwendet hier diesen Passkey, oder das Konto ist deaktiviert. Melden Sie sich auf einem anderen Weg an.
wrong-passkey = Der Passkey konnte nicht geprüft werden. Versuchen Sie es erneut.
other-passkey = Dieser Passkey gehört zu einem anderen Konto. Verwenden Sie einen von Ihren oder geben Sie das Passwort ein.
copied-passkey = Von diesem Passkey gibt es möglicherweise eine Kopie, daher wird er nicht angenommen. Melden Sie sich auf einem anderen Weg an und entfernen Sie ihn.
outdated-challenge = Die Anfrage für den Passkey ist abgelaufen. Versuchen Sie es erneut.
provider-denied = Die Anmeldung beim Anbieter wurde abgebrochen. Versuchen Sie es erneut oder melden Sie sich auf einem anderen Weg an.
provider-failed = Der Anbieter hat die Anmeldung nicht abgeschlossen. Versuchen Sie es erneut oder melden Sie sich auf einem anderen Weg an.
outdated-provider-sign-in = Die Anmeldung ist abgelaufen oder wurde in einem anderen Browser begonnen. Versuchen Sie es erneut.
disabled-identity = Das Konto ist deaktiviert. Wenden Sie sich an den Betreiber dieses Dienstes.
identity-without-email = Der Anbieter hat keine E-Mail-Adresse übermittelt, die ein neues Konto benötigt. Erlauben Sie ihm, eine zu übermitteln, oder melden Sie sich auf einem anderen Weg an und verknüpfen Sie den Anbieter in Ihrem Konto.
other-identity = Diese Identität ist mit einem anderen Konto verknüpft. Melden Sie sich zuerst bei diesem Konto an und heben Sie dort die Verknüpfung auf.
second-identity = Ihr Konto ist bereits mit einer Identität dieses Anbieters verknüpft. Heben Sie diese Verknüpfung zuerst auf.
too-many-identities = Ihr Konto hat zu viele verknüpfte Identitäten. Heben Sie zuerst eine Verknüpfung auf.
replaced-identity = Das Konto mit dieser Adresse hat eine andere Identität dieses Anbieters. Bitten Sie einen Betreiber, sie zu entfernen.
other-domain = Ihr Konto erfordert eine Identität mit einer Adresse Ihres Unternehmens. Wählen Sie diese.
second-factor-missing = Hier ist ein zweiter Faktor erforderlich. Richten Sie in Ihrem Konto eine Authentifizierungs-App oder einen Passkey ein, oder melden Sie sich mit einem vorhandenen Passkey an.
not-set-up = Dieser Dienst wurde noch nicht eingerichtet. Um das erste Konto zu erstellen, öffnen Sie den Link, den der Dienst beim Start in sein Protokoll geschrieben hat. Wenn der Link abgelaufen ist, starten Sie den Dienst neu.
sign-up-closed = Die Registrierung ist geschlossen. Bitten Sie den Betreiber dieses Dienstes um ein Konto.
unconfirmed-email = Die E-Mail-Adresse des Kontos ist nicht bestätigt. Melden Sie sich in einem Browser bei dem Dienst an und öffnen Sie den Link in der Bestätigungs-E-Mail.
sign-up-by-invite = Für die Registrierung ist eine Einladung an diese E-Mail-Adresse erforderlich. Bitten Sie ein Team, Sie einzuladen.
sign-up-domain = Für die Registrierung ist eine E-Mail-Adresse einer dieser Domains erforderlich: { $domains }.
provider-required = Konten mit einer E-Mail-Adresse dieser Domain müssen sich mit { $provider } anmelden. Wählen Sie auf der Anmeldeseite { $provider }.
blocked = Der Benutzer ist in diesem Projekt gesperrt. Wenden Sie sich an das Team, dem das Projekt gehört.
email-taken = Es gibt bereits ein Konto mit dieser E-Mail-Adresse. Melden Sie sich stattdessen an.
username-taken = Dieser Benutzername ist bereits vergeben. Wählen Sie einen anderen.
already-member = Das Konto ist bereits Mitglied des Teams.
too-many-attempts = Zu viele Versuche. Versuchen Sie es in { $seconds } s erneut.
access-changed = Ihr Zugriff hat sich während der Anfrage geändert. Versuchen Sie es erneut.
unavailable = Der Dienst ist vorübergehend nicht verfügbar. Versuchen Sie es erneut.
storage-full = Der Dienst hat keinen Speicherplatz mehr. Lesen ist weiterhin möglich. Der Betreiber muss Speicherplatz freigeben.
internal-error = Die Anfrage ist wegen eines internen Fehlers fehlgeschlagen.

## Fields that are not valid.

email-invalid = Geben Sie eine E-Mail-Adresse wie name@example.com ein.
email-letters = Vor dem @ sind nur Buchstaben von a bis z, Ziffern und Zeichen möglich, weil der Mailserver dieses Dienstes nicht an andere Adressen sendet (SMTPUTF8).
password-length = Das Passwort muss 10 bis 256 Zeichen lang sein.
password-common = Das Passwort ist leicht zu erraten, weil es einem häufigen Passwort ähnelt. Verwenden Sie mehrere ungewöhnliche Wörter.
password-keyboard = Das Passwort ist leicht zu erraten, weil es der Anordnung der Tasten folgt. Verwenden Sie mehrere ungewöhnliche Wörter.
password-pattern = Das Passwort ist leicht zu erraten, weil es ein Muster wiederholt oder fortsetzt. Verwenden Sie mehrere ungewöhnliche Wörter.
password-date = Das Passwort ist leicht zu erraten, weil es einem Datum ähnelt. Verwenden Sie mehrere ungewöhnliche Wörter.
password-word = Das Passwort ist leicht zu erraten, weil es einem einzelnen Wort oder Namen ähnelt. Verwenden Sie mehrere ungewöhnliche Wörter.
password-easy = Das Passwort ist leicht zu erraten. Verwenden Sie mehrere ungewöhnliche Wörter, die nichts mit Ihnen zu tun haben.
password-breached = Das Passwort wurde in einem Datenleck eines anderen Dienstes gefunden. Verwenden Sie eines, das Sie noch nie verwendet haben.
password-unconfirmed = Sie müssen ein Passwort wählen: Die E-Mail-Adresse des Kontos war bisher nicht bestätigt.
name-invalid = Der Name muss 1 bis 100 Zeichen lang sein.
name-hidden = Der Name darf das Zeichen { $character } nicht enthalten, das man nicht sehen kann. Entfernen Sie es oder geben Sie den Text neu ein.
name-nothing-visible = Der Name muss ein sichtbares Zeichen enthalten.
username-invalid = Der Benutzername muss aus 3 bis 32 Buchstaben, Ziffern, Bindestrichen und Unterstrichen bestehen.

## Emails.

email-hello = Guten Tag,
email-project = Sie melden sich bei { $project } an.
email-link-once = Der Link kann einmal verwendet werden und läuft in einer Stunde ab.
email-confirm-button = Adresse bestätigen
email-sign-in-button = Anmelden
email-open-button = Dienst öffnen
email-verify-subject = Bestätigen Sie Ihre E-Mail-Adresse
email-verify = Diese E-Mail-Adresse wurde für ein Konto verwendet. Um zu bestätigen, dass die Adresse Ihnen gehört, öffnen Sie diesen Link:
email-verify-otherwise = Wenn Sie diese Adresse nicht verwendet haben, ignorieren Sie diese E-Mail. Ohne den Link kann niemand die Adresse bestätigen.
email-reset-subject = Melden Sie sich an oder wählen Sie ein neues Passwort
email-reset = Für das Konto mit dieser E-Mail-Adresse wurde ein Link angefordert. Um sich anzumelden oder ein neues Passwort festzulegen, öffnen Sie diesen Link:
email-reset-otherwise = Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ihr Passwort ändert sich nicht.
email-change-subject = Bestätigen Sie Ihre neue E-Mail-Adresse
email-change = Jemand möchte diese E-Mail-Adresse für ein Konto verwenden. Um zu bestätigen, dass die Adresse Ihnen gehört, melden Sie sich bei dem Konto an und öffnen Sie diesen Link:
email-change-otherwise = Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ohne den Link wird die Adresse nicht verwendet.
email-code-subject = Ihr Code zum Anmelden
email-code = Ihr Code zum Anmelden ist { $code }. Geben Sie ihn dort ein, wo Sie ihn angefordert haben, oder öffnen Sie diesen Link im selben Browser:
email-code-then = Der Code kann einmal und nur in diesem Browser verwendet werden und läuft in zehn Minuten ab. Geben Sie ihn nie weiter.
email-code-otherwise = Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ohne den Code kann sich niemand anmelden.
email-invite-subject = Sie sind in das Team { $team } eingeladen
email-invite = Das Team { $team } lädt Sie ein, ihm beizutreten. Um die Einladung anzusehen und anzunehmen oder abzulehnen, öffnen Sie diesen Link:
email-invite-then = Der Link bestätigt diese E-Mail-Adresse, leiten Sie ihn daher nicht weiter. Wenn Sie kein Konto haben, können Sie eines erstellen. Die Einladung läuft am { $until } ab.
email-invite-otherwise = Wenn Sie dieses Team nicht kennen, ignorieren Sie diese E-Mail.
email-changed-subject = Ihre E-Mail-Adresse wurde geändert
email-changed = Die E-Mail-Adresse Ihres Kontos wurde geändert. Um Ihr Konto zu sehen, öffnen Sie diesen Link:
email-changed-then = Diese Adresse wird nicht mehr zum Anmelden verwendet und erhält keine weiteren E-Mails über das Konto.
email-changed-otherwise = Wenn Sie die Adresse nicht geändert haben, wenden Sie sich sofort an den Betreiber dieses Dienstes.
email-app-added-subject = Eine Authentifizierungs-App wurde eingerichtet
email-app-added = Für Ihr Konto wurde eine Authentifizierungs-App eingerichtet. Um sie zu sehen, öffnen Sie diesen Link:
email-app-added-then = Von jetzt an ist zum Anmelden zusätzlich zum Passwort ein Code der App erforderlich.
email-app-removed-subject = Ihre Authentifizierungs-App wurde entfernt
email-app-removed = Die Authentifizierungs-App Ihres Kontos und ihre Wiederherstellungscodes wurden entfernt. Um eine andere einzurichten, öffnen Sie diesen Link:
email-app-removed-then = Zum Anmelden ist jetzt nur noch das Passwort erforderlich.
email-codes-replaced-subject = Ihre Wiederherstellungscodes wurden ersetzt
email-codes-replaced = Für Ihr Konto wurden neue Wiederherstellungscodes erzeugt. Um zu sehen, wie viele übrig sind, öffnen Sie diesen Link:
email-codes-replaced-then = Die bisherigen Wiederherstellungscodes sind nicht mehr gültig.
email-code-used-subject = Ein Wiederherstellungscode wurde verwendet
email-code-used = Mit einem Wiederherstellungscode wurde eine Anmeldung bei Ihrem Konto durchgeführt. Um neue Codes zu erzeugen, öffnen Sie diesen Link:
email-code-used-then = Der Code kann nicht noch einmal verwendet werden. Unbenutzte Wiederherstellungscodes: { $left }.
email-factors-removed-subject = Ihre zweiten Faktoren und Passkeys wurden entfernt
email-factors-removed = Die zweiten Faktoren und Passkeys Ihres Kontos wurden entfernt, weil sie verloren sind. Um neue einzurichten, öffnen Sie diesen Link:
email-factors-removed-then = Zum Anmelden sind sie nicht mehr erforderlich.
email-removal-scheduled-subject = Ihre zweiten Faktoren und Passkeys werden entfernt
email-removal-scheduled = Es wurde angefordert, die zweiten Faktoren und Passkeys Ihres Kontos zu entfernen, weil sie verloren sind. Um sie zu behalten, öffnen Sie diesen Link:
email-removal-scheduled-then = Sie werden am { $until } entfernt. Bis dahin funktionieren sie wie bisher.
email-removal-canceled-subject = Ihre zweiten Faktoren und Passkeys bleiben erhalten
email-removal-canceled = Die zweiten Faktoren und Passkeys Ihres Kontos werden nicht entfernt. Um es erneut anzufordern, öffnen Sie diesen Link:
email-removal-canceled-then = Sie funktionieren wie bisher.
email-confirmed-subject = Ihre Adresse ist bestätigt, und der frühere Zugriff wurde entfernt
email-confirmed = Die E-Mail-Adresse Ihres Kontos wurde zum ersten Mal bestätigt. Um ein Passwort festzulegen oder das vorhandene zu sehen, öffnen Sie diesen Link:
email-confirmed-then = Möglicherweise hat sich vorher jemand anderes mit Ihrer Adresse registriert. Daher wurden die Passkeys, die verknüpften Identitäten, die Authentifizierungs-App, die Sitzungen und die Zugriffstoken aus dieser Zeit entfernt, und auch das Passwort, falls Sie es nicht gerade festgelegt haben.
email-passkey-added-subject = Ein Passkey wurde eingerichtet
email-passkey-added = Für Ihr Konto wurde ein Passkey eingerichtet. Um ihn zu sehen, öffnen Sie diesen Link:
email-passkey-added-then = Von jetzt an meldet er ohne Passwort bei Ihrem Konto an.
email-passkey-removed-subject = Ein Passkey wurde entfernt
email-passkey-removed = Ein Passkey Ihres Kontos wurde entfernt. Um die übrigen zu sehen, öffnen Sie diesen Link:
email-passkey-removed-then = Mit dem entfernten Passkey kann sich niemand mehr bei Ihrem Konto anmelden.
email-passkey-copied-subject = Es gibt möglicherweise eine Kopie Ihres Passkeys
email-passkey-copied = Ein Passkey Ihres Kontos wurde abgelehnt, weil es möglicherweise eine Kopie davon gibt. Um ihn zu entfernen, öffnen Sie diesen Link:
email-passkey-copied-then = Diese Anmeldung wurde abgelehnt, aber eine Kopie könnte schon vorher verwendet worden sein. Prüfen Sie Ihre Sitzungen.
email-identity-linked-subject = Ein weiterer Weg zur Anmeldung bei Ihrem Konto wurde hinzugefügt
email-identity-linked = Eine Identität bei einem anderen Dienst wurde mit Ihrem Konto verknüpft. Um sie zu sehen, öffnen Sie diesen Link:
email-identity-linked-then = Sie können sich jetzt mit diesem Dienst bei Ihrem Konto anmelden.
email-identity-unlinked-subject = Ein Weg zur Anmeldung bei Ihrem Konto wurde entfernt
email-identity-unlinked = Die Verknüpfung Ihres Kontos mit einer Identität bei einem anderen Dienst wurde aufgehoben. Um die übrigen zu sehen, öffnen Sie diesen Link:
email-identity-unlinked-then = Eine Anmeldung dort meldet Sie nicht mehr bei Ihrem Konto an.
email-codes-refused-subject = Jemand probiert Codes aus, um sich bei Ihrem Konto anzumelden
email-codes-refused = Jemand, der den ersten Schritt der Anmeldung bei Ihrem Konto mit Ihrem Passwort oder auf andere Weise bestanden hat, gibt falsche Codes ein. Um ein neues Passwort zu wählen, öffnen Sie diesen Link:
email-codes-refused-then = Mit diesen Codes hat sich niemand angemeldet. Ein neues Passwort beendet Versuche mit dem bisherigen. Wenn Sie Identitäten verknüpft haben, prüfen Sie, ob nur Sie sie verwenden können.
email-browser-subject = Ein neuer Browser hat sich bei Ihrem Konto angemeldet
email-browser = Ein Browser, der es vorher nicht getan hatte, hat sich bei Ihrem Konto angemeldet. Um Ihre Sitzungen zu sehen, öffnen Sie diesen Link:
email-browser-from = Die Anfrage kam von der Netzwerkadresse { $address }.
email-browser-unknown = Die Netzwerkadresse der Anfrage ist nicht bekannt.
email-password-subject = Ihr Passwort wurde geändert
email-password = Das Passwort Ihres Kontos wurde festgelegt oder geändert. Um es erneut zu ändern, öffnen Sie diesen Link:
email-password-then = Damit wurden alle anderen Browser und Apps abgemeldet.
email-token-subject = Ein persönliches Zugriffstoken wurde erstellt
email-token = Für Ihr Konto wurde ein persönliches Zugriffstoken erstellt. Um Ihre Token zu sehen, öffnen Sie diesen Link:
email-token-then = Programme, die es haben, können mit Ihrem Konto tun, was das Token erlaubt.
email-not-you = Wenn Sie das nicht waren, ändern Sie sofort Ihr Passwort, wodurch alle abgemeldet werden, und wenden Sie sich an den Betreiber dieses Dienstes.
email-not-you-session = Wenn Sie das nicht waren, beenden Sie die Sitzung mit diesem Link, ändern Sie sofort Ihr Passwort, wodurch alle abgemeldet werden, und wenden Sie sich an den Betreiber dieses Dienstes.
email-not-you-forgot = Wenn Sie das nicht waren, wählen Sie sofort mit „Passwort vergessen?“ auf der Anmeldeseite ein neues Passwort, wodurch alle abgemeldet werden, und wenden Sie sich an den Betreiber dieses Dienstes.
email-not-you-token = Wenn Sie das nicht waren, widerrufen Sie das Token mit diesem Link, ändern Sie dann Ihr Passwort, wodurch alle abgemeldet werden, und wenden Sie sich an den Betreiber dieses Dienstes.
email-not-you-passkey = Wenn Sie das nicht waren, entfernen Sie den Passkey mit diesem Link, ändern Sie dann Ihr Passwort, wodurch alle abgemeldet werden, und wenden Sie sich an den Betreiber dieses Dienstes.
email-test-subject = Test-E-Mail
email-test = Ein Betreiber dieses Dienstes hat diese E-Mail gesendet, um den Mailserver zu testen:
email-test-then = Der Mailserver funktioniert: Diese E-Mail ist angekommen.
email-test-otherwise = Wenn Sie diesen Dienst nicht betreiben, ignorieren Sie diese E-Mail.
email-reason-account = Sie erhalten diese E-Mail, weil ein Konto bei { $host } diese Adresse hat.
email-reason-changed = Sie erhalten diese E-Mail, weil ein Konto bei { $host } diese Adresse hatte.
email-reason-entered = Sie erhalten diese E-Mail, weil jemand diese Adresse bei { $host } eingegeben hat.
email-reason-invited = Sie erhalten diese E-Mail, weil ein Team bei { $host } diese Adresse eingeladen hat.
