# The messages of the pages on which people sign in. English is the source: each other file has the same messages, with the
# same variables. A message contains no markup: the characters < > & and straight double quotes are not allowed.

## Used by several pages.

# Between two sentences of a paragraph.
gap = { " " }
sign-in = Sign in
sign-out = Sign out
create-account = Create an account
continue = Continue
code = Code
email = Email
password = Password
name = Name
username = Username
optional = (optional)
password-hint = 10 to 256 characters. Use a few unrelated words.
username-hint = 3 to 32 letters, digits, hyphens or underscores.
signed-in-as = You are signed in as { $account }.
to-continue = to continue to { $client }
use-another-account = Use another account
forgot-password = Forgot your password?
back-to-sign-in = Back to sign in
stay-signed-in = Stay signed in
close-page = You can close this page.
go-to-account = Go to your account
no-mail-server = This service has no mail server. The link is written to its log, which its operator can read.
sign-in-with-passkey = Sign in with a passkey
no-passkey-used = No passkey was used. Try again, or choose another way.
documentation = Documentation
openapi-document = OpenAPI document
terms = Terms of service
privacy-policy = Privacy policy

## Points in time, in UTC.

date-time = { $day } { $month } { $year }, { $time } UTC
month-1 = January
month-2 = February
month-3 = March
month-4 = April
month-5 = May
month-6 = June
month-7 = July
month-8 = August
month-9 = September
month-10 = October
month-11 = November
month-12 = December

## The start page.

start-title = Project administration
start-lead = Manage teams, projects, API keys, schemas, users and their data: in the browser, on the command line or with a REST API.
start-not-set-up = This service has not been set up. To create its first account and become its operator, open the link that the service printed in its log when it started. The link works once, within 24 hours. Restart the service to print a new one.

## Signing in.

sign-in-identity-waits = An account with the address { $email } already exists. Sign in to it another way once, to show that it is yours. After that, you can sign in with { $provider }.
email-or-username = Email or username
email-me-a-code = Email me a code
other-ways = Other ways to sign in
continue-with = Continue with { $provider }
sign-in-limited = You do not have to wait: sign in with a link that we send to the email address of your account. If you already received one within the last hour, use it.
email-me-a-link = Email me a sign-in link

## Signing in with a code.

code-address-title = Sign in with a code
code-address-lead = Enter your email address, to get a code that signs you in without a password.
code-address-sign-up = If you have no account yet, the code creates one.
send-code = Send the code
request-code = Request the code
code-title = Enter the code
code-sent = If { $email } has an account or may have one, we sent a code to it. It expires in ten minutes.
code-logged = Enter the code for { $email }. It expires in ten minutes.
send-another-code = Send another code
code-elsewhere = The link works only in the browser that asked for it, for ten minutes. Open it there, or request another email.

## The second factor.

second-factor-title = Confirm that it is you
recovery-code-lead = Enter one of the recovery codes that you saved for { $account }. It can be used once.
recovery-code = Recovery code
app-code-lead = Enter the code that your authenticator app shows for { $account }.
second-factor-limited = If you did not enter these codes, someone else knows your password or reads your email. { $open }Choose a new password{ $close }: it ends their attempts, and you can enter a code two minutes later. Browsers in which you used a code before are not affected.
use-app = Use your authenticator app
use-recovery-code = Use a recovery code
sign-in-to-another = Sign in to another account
lost-device = If you have lost your device and your recovery codes, ask the operator of this service for help.
set-up-title = Set up a second factor
set-up-from = From { $due } on, a second factor is required to sign in here.
set-up-now = A second factor is required to sign in here.
set-up-why = It protects your account { $account } also from someone who knows your password. Set up an authenticator app or a passkey, then continue on this page.
set-up-app = Set up an authenticator app
set-up-passkey = Set up a passkey
set-up-done = Continue after the setup
set-up-later = Set it up later
set-up-has-passkey = Sign in again, for example with a passkey that you have

## Signing up.

sign-up-operator = This is the first account of this service. It becomes its operator, who administers the accounts and the service, but not the data of teams.
sign-up-team = to join the team { $team }
sign-up-failed = Your account was not created. Check these fields:
field-error = { $field }: { $error }
sign-up-submit = Create account
sign-up-no-password = No password?
sign-up-with-code = Sign up with a code by email
sign-up-has-account = Already have an account?

## Consent.

consent-title = Allow access
consent-title-device = Allow access on a device
consent-continue = Continue to { $client }?
consent-asks = { $client } wants to use your account
consent-asks-device = { $client } wants to use your account on a device
consent-of-service = This is the command line of this service.
consent-of-operator = The operator of this service registered this app.
consent-of-project = This app is not part of this service. It belongs to the project { $project }.
consent-registered-itself = This app registered itself. Nobody has checked its name. Allow access only if you have just started to sign in to it.
consent-device-code = Does your device show this code?
consent-device-warning = Continue only if you started this on a device that you have with you. No app or service asks you to enter a code that it sends you.
consent-device-address = The request came from the address { $address }.
consent-can = It can
consent-will = It will be able to
consent-destination = You will be redirected to { $destination }
consent-on-device = Every program on your device can use this address. Continue only if you have just started to sign in.
consent-continue-as = Continue as { $account }
cancel = Cancel
allow = Allow
deny = Deny
scope-openid = Know who you are
scope-openid-detail = The permanent ID of your account
scope-profile = See your profile
scope-profile-detail = Your name and username
scope-email = See your email address
scope-email-detail = And whether it is confirmed
scope-offline-access = Keep access while you are away
scope-offline-access-detail = Until you remove its access
scope-db-read = Read your data in this app
scope-db-read-detail = Data that the app stores for you
scope-db-write = Change your data in this app
scope-db-write-detail = Add, change and delete data that the app stores for you
scope-profile-read = Read your profile in this app
scope-profile-read-detail = Your profile as the app shows it
scope-profile-write = Change your profile in this app
scope-profile-write-detail = Your profile as the app shows it
scope-app-admin = Do everything in this app
scope-app-admin-detail = All actions that you can perform there, on your behalf
scope-admin = Administer on your behalf
scope-admin-detail = Your teams, projects, keys and their users
continue-to-app = Continue to the app

## Devices.

device-title = Connect a device
device-lead = Enter the code that your device shows.
device-unknown = No device waits with this code. Compare it with the one that the device shows. A code expires after 10 minutes.
device-mistyped = This is not a code. Enter the eight letters that your device shows.
device-connected-title = Device connected
device-connected = Your device is connected
device-connected-lead = You can close this page and return to the device. It continues within a few seconds.
device-denied-title = Access denied
device-denied = Your device gets no access

## Passwords.

forgot-lead = Enter the email address of your account. We will send you a link to sign in and, if you want, to set a new password.
forgot-lead-no-mail = Enter the email address of your account, to get a link to set a new password.
send-email = Send the email
request-link = Request the link
check-email = Check your email
link-requested = The link was requested
you-entered = You entered { $email }.
forgot-sent = If an account has this address, we have sent it an email with a link. The link can be used once and expires in one hour.
forgot-spam = No email? Check your spam folder.
forgot-logged = If an account has this address, there is a link for it now. It can be used once and expires in one hour.
try-another-address = Try another address
forgot-limited = { $error } If you received an email with a link within the last hour, you can use that link.
reset-title = Choose a new password
reset-lead = Setting a new password ends all your sessions. Sign in again with the new password.
new-password = New password
reset-submit = Set the new password
reset-keep = Or keep your password:
reset-sign-in = Sign in without a new password
reset-done-title = Password changed
reset-done = Your password was changed
reset-done-lead = All your sessions have ended. Sign in with your new password.

## Confirming an email address.

confirm-title = Confirm your email address
email-sent = The email was sent.
link-logged = The link was written to the log of the service.
link-once = Its link can be used once and expires in one hour.
confirm-email-sent = We sent an email to this address.
confirm-email-logged = This service sends no emails: its operator finds the link in the log, or confirms the address.
confirm-open-link = Open the link to confirm that the address is yours. Until then, the account cannot be used.
send-email-again = Send the email again
use-another-email = Use another email address
delete-account = Delete the account
verify-lead = Press the button to confirm that this email address is yours.
verify-submit = Confirm my email address
held-lead = Someone else may have signed up with your address before. The account holds what is listed here. Choose for each whether to keep it. Nothing is confirmed before that.
held-membership = Membership of the team { $team }, with the role { $name }
held-team = The team { $team }, which has no other owner, with its projects
held-key = API key { $name } in the team { $team }
held-client = OAuth client { $name } in the team { $team }
held-provider = Identity provider { $name } in the team { $team }
held-webhook = Webhook to { $name } in the team { $team }
held-all-of-team = Everything in the team { $team }: the membership and { $name } keys, OAuth clients, identity providers and webhooks
held-all = Everything in { $name } teams: the memberships, keys, OAuth clients, identity providers and webhooks
held-keep = Keep
held-delete = Delete
held-leave = Leave the team
held-delete-team = Delete the team and its projects
held-end-all = Delete it and leave. A team without another owner is deleted with its projects.
verified-title = Email address confirmed
verified = Your email address is confirmed
verified-invited = You are invited to a team.
view-invite = View the invite

## Invites.

invite-title = Invite to a team
invite-join = Join the team { $team }?
invite-from = { $inviter } invites you to the team { $team }. Your role will be { $roles }.
invite-from-as = { $inviter } invites you to the team { $team } as { $label }. Your role will be { $roles }.
invite-expires = The invite expires on { $until }.
join-team = Join the team
decline = Decline
invite-for = The invite is for { $email }.
invite-has-account = Sign in with this address to join. If you do not know the password, choose “Forgot your password?” there.
invite-may-sign-up = Create an account with this address to join.
invite-closed = This address has no account, and sign-up is closed. Ask the operator of this service for an account.
invite-by-link = One person can join with this link, with any account. Sign in, or create an account.
invite-other-title = Invite for another account
invite-other = This invite is for { $email }
invite-switch = To join, switch to the account with the invited address, or create one.
invite-switch-submit = Sign out and switch account
stay-signed-in-as = Stay signed in as { $account }
invite-accepted-title = Invite accepted
invite-accepted = You joined the team { $team }
invite-accepted-lead = You can now see its projects.
invite-declined-title = Invite declined
invite-declined = You declined the invite
invite-declined-lead = You did not join the team { $team }. If you change your mind, ask for another invite.
go-to-teams = Go to your teams and projects
invite-confirm-first = Confirm your email address first
invite-unconfirmed = You are signed in as { $account }, and this address is not confirmed. If you were invited by email, open the link in that email: it confirms the address too. Otherwise, open the link in the confirmation email, and then open the invite again.
send-confirmation-again = Send the confirmation email again
invite-not-found = Invite not found
invite-none = There is no invite for this account
invite-none-lead = You are signed in as { $account }. The invite may be for another account, or it may have been accepted, declined, revoked or have expired.
invited-title = Sign in to view the invite
invited-lead = Sign in with the invited account. You can then view the invite and accept or decline it.
invited-lead-sign-up = Sign in with the invited account, or create one. You can then view the invite and accept or decline it.
invited-ended = If the link was used or revoked, or has expired, ask for another invite instead.

## Signing out.

sign-out-question = Sign out?
sign-out-apps = Apps that you use in this browser are signed out too, unless you let them keep access while you are away.
sign-out-then = After signing out, you can continue with another account.
back-to-account = Back to your account
logout-requested = requested by { $client }
signed-out-title = Signed out
signed-out = You are signed out
signed-out-lead = Your session in this browser has ended.
sign-in-again = Sign in again

## A deleted account.

deleted-title = Account deleted
deleted = Your account was deleted
deleted-lead = Its sessions, tokens and personal data were deleted with it.
deleting-title = Deleting your account
deleting = Your account is being deleted
deleting-lead = Nobody can sign in to it anymore. It has a lot of data, so deleting all of it can take a few minutes.
go-to-start = Go to the start page

## Error pages.

go-home = Go to the home page
start-again = Start again
error-sign-in-ended = This sign-in has ended
error-sign-in-ended-lead = It was already completed, or it expired after ten minutes. Go back to the app and start again.
error-link = This link is no longer valid
error-link-lead = A link can be used once and expires after one hour. Request a new one.
error-invite-link = This invite link is not valid
error-invite-link-lead = The link is incomplete or mistyped. Open the complete link from your invite.
error-not-set-up = This service has not been set up
error-second-factor-unused = Sign in with your second factor
error-second-factor-unused-lead = A sign-in with your second factor is required here. Sign in again.
error-sign-up-closed = Sign-up is closed
error-too-many = Too many attempts
error-failure = Something went wrong
error-not-found = Not found
error-request = The request failed
error-foreign-form = This form has expired
error-foreign-form-lead = It was opened in another browser, or you have signed in or out since. Go back, reload the page and submit the form again. Cookies must be enabled.
error-sign-in-first = Sign in to continue
error-sign-in-first-lead = This link requires you to be signed in to the account. Sign in, then open the link again. If you did not create an account, ignore the email.
error-operator-link-lead = It can be used once within 24 hours, until the service has its first account. Before that, a restart writes a new link to its log. After that, run steward account operator add on the host.
error-no-page = Page not found
error-no-page-lead = There is no page at this address.
error-form = The form is not valid
error-form-lead = Go back and submit it again.

## Errors of the use cases. A test compares the English text with theirs.

wrong-password = The email, username or password is wrong. Check them and try again.
wrong-code = The code is wrong, expired or already used. Enter the code that the app shows now.
mistyped-code = This is not a code. Enter the six digits that the app shows, or a whole recovery code.
wrong-email-code = The code is wrong or already used. Enter the six digits of the last email.
mistyped-email-code = This is not a code. Enter the six digits of the last email.
outdated-email-code = The code has expired, or was wrong too often. Request a new one.
unknown-passkey = No account here uses this passkey, or it is disabled. Sign in in another way.
wrong-passkey = The passkey could not be verified. Try again.
other-passkey = This passkey belongs to another account. Use one of yours, or enter the password.
copied-passkey = There may be a copy of this passkey, so it is not accepted. Sign in in another way, and remove it.
outdated-challenge = The request for the passkey has expired. Try again.
provider-denied = The sign-in at the provider was canceled. Try again, or sign in another way.
provider-failed = The provider did not complete the sign-in. Try again, or sign in another way.
outdated-provider-sign-in = The sign-in has expired, or was started in another browser. Try again.
disabled-identity = The account is disabled. Contact the operator of this service.
identity-without-email = The provider did not share an email address, which a new account needs. Allow it to share one, or sign in another way and link the provider in your account.
other-identity = This identity is linked to another account. Sign in to that account and unlink it first.
second-identity = Your account already has a linked identity of this provider. Unlink it first.
too-many-identities = Your account has too many linked identities. Unlink one first.
replaced-identity = The account with this address has another identity of this provider. Ask an operator to remove it.
other-domain = Your account requires an identity with an address of your company. Choose that one.
second-factor-missing = A second factor is required here. Set up an authenticator app or a passkey in your account, or sign in with the passkey that you have.
not-set-up = This service has not been set up. To create its first account, open the link that the service printed in its log when it started. If the link has expired, restart the service.
sign-up-closed = Sign-up is closed. Ask the operator of this service for an account.
unconfirmed-email = The email address of the account is not confirmed. Sign in to the service in a browser and open the link in the confirmation email.
sign-up-by-invite = Sign-up requires an invite to this email address. Ask a team to invite you.
sign-up-domain = Sign-up requires an email address at one of these domains: { $domains }.
provider-required = Accounts with an email address of this domain must sign in with { $provider }. Choose { $provider } on the sign-in page.
blocked = The user is blocked in this project. Contact the team that owns the project.
email-taken = An account with this email already exists. Sign in instead.
username-taken = This username is already taken. Choose another one.
already-member = The account is already a member of the team.
too-many-attempts = Too many attempts. Try again in { $seconds } s.
access-changed = The caller's access changed while the request was running. Try again.
unavailable = The service is temporarily unavailable. Try again.
storage-full = The service has no space left to store data. Reading still works. Its operator has to free disk space.
internal-error = The request failed because of an internal error.

## Fields that are not valid. A test compares the English text with the rules of the fields.

email-invalid = The email address must be an email address, like name@example.com.
email-letters = The email address must have only letters from a to z, digits and symbols before the @, because the mail server of this service does not send to others (SMTPUTF8).
password-length = The password must be 10 to 256 characters.
password-common = The password is easy to guess, because it is like a common password. Use several uncommon words.
password-keyboard = The password is easy to guess, because it follows the keys of a keyboard. Use several uncommon words.
password-pattern = The password is easy to guess, because it repeats or continues a pattern. Use several uncommon words.
password-date = The password is easy to guess, because it is like a date. Use several uncommon words.
password-word = The password is easy to guess, because it is like a single word or name. Use several uncommon words.
password-easy = The password is easy to guess. Use several uncommon words that have nothing to do with you.
password-breached = The password was found in a data breach of another service. Use one that you have never used.
password-unconfirmed = The password must be chosen: the email address of the account was not confirmed before.
name-invalid = The name must be 1 to 100 characters.
name-hidden = The name must not contain the character { $character }, which people cannot see. Remove it, or type the text again.
name-nothing-visible = The name must contain a visible character.
username-invalid = The username must be 3 to 32 letters, digits, hyphens and underscores.

## Emails.

email-hello = Hello,
email-project = You are signing in to { $project }.
email-link-once = The link can be used once and expires in one hour.
email-confirm-button = Confirm the address
email-sign-in-button = Sign in
email-open-button = Open the service
email-verify-subject = Confirm your email address
email-verify = This email address was used for an account. To confirm that the address is yours, open this link:
email-verify-otherwise = If you did not use this address, ignore this email. Nobody can confirm the address without the link.
email-reset-subject = Sign in or choose a new password
email-reset = A link was requested for the account with this email address. To sign in, or to set a new password, open this link:
email-reset-otherwise = If you did not request this, ignore this email. Your password does not change.
email-change-subject = Confirm your new email address
email-change = Someone asked to use this email address for their account. To confirm that the address is yours, sign in to the account and open this link:
email-change-otherwise = If you did not request this, ignore this email. The address is not used without the link.
email-code-subject = Your code to sign in
email-code = Your code to sign in is { $code }. Enter it where you asked for it, or open this link in the same browser:
email-code-then = The code can be used once, only in that browser, and expires in ten minutes. Never share it.
email-code-otherwise = If you did not request this, ignore this email. Nobody can sign in without the code.
email-invite-subject = You are invited to join the team { $team }
email-invite = The team { $team } invites you to join. To view the invite and accept or decline it, open this link:
email-invite-then = The link confirms this email address, so do not forward it. If you have no account, you can create one. The invite expires on { $until }.
email-invite-otherwise = If you do not know this team, ignore this email.
email-changed-subject = Your email address was changed
email-changed = The email address of your account was changed. To see your account, open this link:
email-changed-then = This address is no longer used to sign in, and receives no further emails about the account.
email-changed-otherwise = If you did not change the address, contact the operator of this service immediately.
email-app-added-subject = An authenticator app was set up
email-app-added = An authenticator app was set up for your account. To see it, open this link:
email-app-added-then = From now on, signing in requires a code of the app in addition to the password.
email-app-removed-subject = Your authenticator app was removed
email-app-removed = The authenticator app of your account and its recovery codes were removed. To set up another one, open this link:
email-app-removed-then = Signing in requires only the password now.
email-codes-replaced-subject = Your recovery codes were replaced
email-codes-replaced = New recovery codes were generated for your account. To see how many are left, open this link:
email-codes-replaced-then = The previous recovery codes are no longer valid.
email-code-used-subject = A recovery code was used
email-code-used = A recovery code was used to sign in to your account. To generate new ones, open this link:
email-code-used-then = The code cannot be used again. Unused recovery codes: { $left }.
email-factors-removed-subject = Your second factors and passkeys were removed
email-factors-removed = The second factors and passkeys of your account were removed, because they are lost. To set up new ones, open this link:
email-factors-removed-then = Signing in no longer requires them.
email-removal-scheduled-subject = Your second factors and passkeys will be removed
email-removal-scheduled = The removal of the second factors and passkeys of your account was requested, because they are lost. To keep them, open this link:
email-removal-scheduled-then = They will be removed on { $until }. Until then, they work as before.
email-removal-canceled-subject = Your second factors and passkeys are kept
email-removal-canceled = The second factors and passkeys of your account will not be removed. To request it again, open this link:
email-removal-canceled-then = They work as before.
email-confirmed-subject = Your address is confirmed, and earlier access was removed
email-confirmed = The email address of your account was confirmed for the first time. To set a password or see the one that you have, open this link:
email-confirmed-then = Someone else may have signed up with your address before. So the passkeys, the linked identities, the authenticator app, the sessions and the access tokens of that time were removed, and the password, unless you have just set it.
email-passkey-added-subject = A passkey was set up
email-passkey-added = A passkey was set up for your account. To see it, open this link:
email-passkey-added-then = From now on, it signs in to your account without the password.
email-passkey-removed-subject = A passkey was removed
email-passkey-removed = A passkey of your account was removed. To see those that are left, open this link:
email-passkey-removed-then = The removed passkey no longer signs in to your account.
email-passkey-copied-subject = There may be a copy of your passkey
email-passkey-copied = A passkey of your account was refused, because there may be a copy of it. To remove it, open this link:
email-passkey-copied-then = This sign-in was refused, but a copy may have been used before. Check your sessions.
email-identity-linked-subject = Another way to sign in to your account was added
email-identity-linked = An identity at another service was linked to your account. To see it, open this link:
email-identity-linked-then = You can now sign in to your account with that service.
email-identity-unlinked-subject = A way to sign in to your account was removed
email-identity-unlinked = An identity at another service was unlinked from your account. To see those that are left, open this link:
email-identity-unlinked-then = Signing in there no longer signs in to your account.
email-codes-refused-subject = Someone is trying codes to sign in to your account
email-codes-refused = Someone who has passed the first step of signing in to your account, with your password or otherwise, is entering wrong codes. To choose a new password, open this link:
email-codes-refused-then = Nobody signed in with these codes. A new password ends attempts with the earlier one. If you have linked identities, check that only you can use them.
email-browser-subject = A new browser signed in to your account
email-browser = A browser signed in to your account that had not before. To see your sessions, open this link:
email-browser-from = The request came from the network address { $address }.
email-browser-unknown = The network address of the request is not known.
email-password-subject = Your password was changed
email-password = The password of your account was set or changed. To change it again, open this link:
email-password-then = This signed out all other browsers and apps.
email-token-subject = A personal access token was created
email-token = A personal access token was created for your account. To see your tokens, open this link:
email-token-then = Programs that have it can do with your account what the token allows.
email-not-you = If this was not you, change your password immediately, which signs everyone out, and contact the operator of this service.
email-not-you-session = If this was not you, end the session with this link, change your password immediately, which signs everyone out, and contact the operator of this service.
email-not-you-forgot = If this was not you, choose a new password with “Forgot your password?” on the sign-in page immediately, which signs everyone out, and contact the operator of this service.
email-not-you-token = If this was not you, revoke the token with this link, then change your password, which signs everyone out, and contact the operator of this service.
email-not-you-passkey = If this was not you, remove the passkey with this link, then change your password, which signs everyone out, and contact the operator of this service.
email-test-subject = Test email
email-test = An operator of this service sent this email to test the mail server:
email-test-then = The mail server works: this email arrived.
email-test-otherwise = If you do not operate this service, ignore this email.
email-reason-account = You receive this email because an account at { $host } has this address.
email-reason-changed = You receive this email because an account at { $host } had this address.
email-reason-entered = You receive this email because someone entered this address at { $host }.
email-reason-invited = You receive this email because a team at { $host } invited this address.
