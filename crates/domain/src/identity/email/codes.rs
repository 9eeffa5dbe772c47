//! Codes in emails: signing in, confirming and signing up without a password. A code works only in the browser that
//! asked for it.

use chrono::DateTime;

use crate::identity::account::first_confirmation::FirstConfirmation;
use crate::identity::account::held::{Choices, Confirmer, Confirming};
use crate::identity::account::may_sign_up;
use crate::identity::email::deliverable::check_deliverable;
use crate::identity::session::sign_in_guard::SignInGuard;
use crate::identity::{
    Account, AuthenticationMethod, AuthenticationProof, Client, EMAIL_CODE_TTL, Email, EmailKind, EmailLink, EmailLook,
    EmailMessage, FirstOperator, IdentityCore, LinkPurpose, SecondFactorSignIn, SignInOutcome, SignInProgress,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Conflict, Error, ResourceKind};
use crate::kernel::policy::{ActionLimit, LimitedAction, Operation, Permit};
use crate::kernel::work::network;
use crate::kernel::{
    AccountId, CODE_DIGITS, CommitError, LimitOutcome, OpaqueKind, Request, RetryError, Revision, Secret, Time,
    TokenDigest, Unique, retry_stale, six_digits, use_cases,
};

/// Encryption purpose of the cookie, and what its digests begin with.
const PURPOSE: &str = "email code";
/// How often a code can be entered. Counted even where rate limits are off, because a code is short.
const TRIES: ActionLimit = ActionLimit { burst: 5, interval: EMAIL_CODE_TTL };

/// What the cookie of a browser says about the code that it asked for.
struct SentCode {
    /// Without it, nobody who reads the database finds the code from its digest.
    nonce: String,
    email: Email,
}

/// Who enters a code.
#[derive(Clone, Copy)]
enum Holder<'a> {
    /// A person who is signed in to the account.
    SignedIn,
    /// Someone who can read the mail of its address, and what they chose about what the account holds.
    Unknown(&'a Choices),
}

/// A sign-in with a code.
pub struct CodeSignIn {
    /// How far it is.
    pub progress: SignInProgress,
    /// Whether the account had a password that someone else may have set, and has none now.
    pub has_lost_password: bool,
}

use_cases! {
    /// Use cases of codes in emails.
    pub struct EmailCodes {
        core: IdentityCore, first_operator: FirstOperator, guard: SignInGuard, second_factor: SecondFactorSignIn,
        confirmation: FirstConfirmation,
    }
}

impl EmailCodes {
    /// Returns whether the operator allows codes.
    pub fn are_on(&self) -> bool {
        self.core.settings.email_codes
    }

    /// Sends a code, and a link with it, if the address has an account or may sign up. If not, it stores the same data, takes
    /// as long and returns the same result. `query`: further query parameters of the link. `client`: to which the person signs
    /// in; its project is shown to confirmed addresses only. Returns the cookie with which this browser enters the code.
    /// `known_browser`: as in [`Accounts::authenticate`](crate::identity::Accounts::authenticate).
    pub async fn send(
        &self,
        request: Request,
        (browser, known_browser): (&Secret, &str),
        email: &Email,
        (query, client): (&str, Option<&Client>),
    ) -> Result<Secret, Error> {
        if !self.are_on() {
            return Err(Error::NotFound(ResourceKind::EmailLink));
        }
        self.first_operator.require_claimed().await?;
        let now = self.core.now();
        let account = self.core.ports.accounts.account_by_email(email).await?;
        let is_known = account.as_ref().is_some_and(|account| self.guard.knows(account, known_browser, now));
        self.limit(&request, email, is_known, now).await?;
        check_deliverable(&*self.core.ports.mailer, email).await?;
        let may_sign_up = match may_sign_up(&self.core, email, None).await {
            Ok(()) => true,
            Err(Error::Forbidden(_)) => false,
            Err(error) => return Err(error),
        };
        let known = account.as_ref();
        let language = known.and_then(|account| account.language).or(request.language).unwrap_or_default();
        let look = client.filter(|_| known.is_some_and(|account| account.email_verified)).and_then(look_of);
        let recipient = match account {
            // The stored address may be written differently from the requested one.
            Some(account) => account.is_active().then_some(account.email),
            None => may_sign_up.then(|| email.clone()),
        };

        let nonce = self.core.new_secret(OpaqueKind::EmailLink);
        let code = self.new_code();
        let link = EmailLink {
            id: self.core.next_id().into(),
            digest: self.digest(nonce.expose(), code.expose()),
            purpose: LinkPurpose::SignIn,
            email: email.clone(),
            created_at: now,
            expires_at: now + EMAIL_CODE_TTL,
            revision: Revision::FIRST,
        };
        let permit = Permit::system(Operation::EmailLinkSend, request)?;
        self.core.commit(Changes::by(permit, now).insert(link)).await?;
        if let Some(to) = recipient {
            let separator = if query.is_empty() { "" } else { "&" };
            let path = format!("{}?code={}{separator}{query}", LinkPurpose::SignIn.path(), code.expose());
            let (kind, link) = (EmailKind::Link(LinkPurpose::SignIn), Secret::new(self.core.address.at(&path)));
            let message = EmailMessage::new(to, kind, link, language);
            self.core.ports.mailer.send(EmailMessage { code: Some(code), look, ..message });
        }
        let text = format!("{} {} {email}", now.timestamp_micros(), nonce.expose());
        Ok(Secret::new(self.core.encrypt_for_browser(&self.core.purpose_in(browser, PURPOSE), text.as_bytes())?))
    }

    /// Counts a request for a code. Others cannot use up what a browser in which the account was signed in to may request.
    async fn limit(&self, request: &Request, email: &Email, is_known: bool, now: Time) -> Result<(), Error> {
        let limiter = &self.core.action_limiter;
        limiter.take_from(LimitedAction::EmailFrom, request, now).await?;
        let network = request.address.map(|address| network(address).to_string()).unwrap_or_default();
        let subject = format!("{} {network}", email.folded());
        limiter.take(LimitedAction::EmailCodeTo, &subject, now).await?;
        if is_known {
            return Ok(());
        }
        let anywhere = limiter.take(LimitedAction::EmailCodeToAnywhere, &email.folded(), now).await;
        if anywhere.is_err() {
            limiter.refund(LimitedAction::EmailCodeTo, &subject).await;
        }
        anywhere
    }

    /// Returns the address to which this browser asked to send a code. `None` if it did not, or too long ago.
    pub fn address(&self, browser: &Secret, cookie: &str) -> Option<Email> {
        self.sent(browser, cookie, self.core.now()).map(|sent| sent.email)
    }

    /// Signs in with a code, or signs up if the address has no account and may have one. Each code is accepted once, by all
    /// replicas together, and can be entered again until the person has chosen what the account keeps.
    pub async fn sign_in(
        &self,
        request: &Request,
        browser: &Secret,
        cookie: &str,
        code: &str,
        confirmer: Confirmer<'_>,
    ) -> Result<Confirming<CodeSignIn>, Error> {
        let result = async {
            let link = self.link(request, browser, cookie, code).await?;
            match self.core.ports.accounts.account_by_email(&link.email).await? {
                Some(account) => {
                    let is_holder = confirmer.holds(&account);
                    let holder = if is_holder { Holder::SignedIn } else { Holder::Unknown(confirmer.choices) };
                    self.admit(request, link, account.id, holder).await
                }
                None => Ok(Confirming::Done(self.sign_up(request, link).await?)),
            }
        };
        let result = result.await;
        if matches!(result, Ok(Confirming::Undecided(_))) {
            self.uncount(browser, cookie).await?;
            return result;
        }
        self.core.sign_ins.count(match &result {
            Ok(Confirming::Done(CodeSignIn { progress: SignInProgress::NeedsSecondFactor(_), .. })) => {
                Some(SignInOutcome::SecondFactor)
            }
            result => SignInOutcome::of(result, SignInOutcome::WrongEmailCode),
        });
        result
    }

    /// Authenticates the holder of an account with a code that was sent to its address, and with a code for the second factor
    /// if the account has one. `known_browser`: as in
    /// [`Accounts::authenticate`](crate::identity::Accounts::authenticate).
    pub async fn authenticate(
        &self,
        request: &Request,
        browser: &Secret,
        account: &Account,
        (cookie, code): (&str, &str),
        (second_code, known_browser): (Option<&str>, &str),
    ) -> Result<AuthenticationProof, Error> {
        let result = async {
            let link = self.link(request, browser, cookie, code).await?;
            if link.email != account.email {
                return Err(AuthenticationError::OutdatedEmailCode.into());
            }
            // Before the code is used up, so that the person can correct the second one.
            let progress = self.second_factor.after(account.clone(), AuthenticationMethod::EmailCode).await?;
            let authenticated = self.second_factor.complete_with(request, progress, second_code, known_browser).await?;
            self.admit(request, link, account.id, Holder::SignedIn).await?;
            Ok(authenticated)
        };
        let result = result.await;
        if matches!(result, Err(Error::Unauthenticated(AuthenticationError::MistypedCode))) {
            self.uncount(browser, cookie).await?;
        }
        self.core.sign_ins.count(SignInOutcome::of(&result, SignInOutcome::WrongEmailCode));
        result
    }

    /// Returns the stored link of the code, and counts the attempt. A text without six digits is not an attempt.
    async fn link(&self, request: &Request, browser: &Secret, cookie: &str, code: &str) -> Result<EmailLink, Error> {
        let (now, outdated) = (self.core.now(), || Error::from(AuthenticationError::OutdatedEmailCode));
        if !self.are_on() {
            return Err(outdated());
        }
        let sent = self.sent(browser, cookie, now).ok_or_else(outdated)?;
        let code = six_digits(code).ok_or(AuthenticationError::MistypedEmailCode)?;
        // Nobody can guess at many accounts from one network.
        self.core.action_limiter.take_from(LimitedAction::EmailCodeFrom, request, now).await?;
        match self.core.system.rate_limits.count_action(&self.attempt(&sent), TRIES, now).await? {
            LimitOutcome::Counted => {}
            LimitOutcome::Refused { .. } => return Err(outdated()),
        }
        let found = self.core.ports.authorizations.email_link(&self.digest(&sent.nonce, code.expose())).await?;
        let link = found.filter(|link| link.purpose == LinkPurpose::SignIn && link.expires_at > now);
        let link = link.ok_or(AuthenticationError::WrongEmailCode)?;
        self.core.action_limiter.refund_from(LimitedAction::EmailCodeFrom, request).await;
        Ok(link)
    }

    /// Reverts the counting of an attempt, because its code was right and is not used up.
    async fn uncount(&self, browser: &Secret, cookie: &str) -> Result<(), Error> {
        let Some(sent) = self.sent(browser, cookie, self.core.now()) else { return Ok(()) };
        Ok(self.core.system.rate_limits.uncount_action(&self.attempt(&sent), TRIES).await?)
    }

    /// Uses the code up for an account. It also confirms the address. If the address was not confirmed before and the person is
    /// not signed in, someone else may have signed up with it: then their password, passkeys, sessions and tokens end, and the
    /// person chooses what else goes on.
    async fn admit(
        &self,
        request: &Request,
        link: EmailLink,
        id: AccountId,
        holder: Holder<'_>,
    ) -> Result<Confirming<CodeSignIn>, Error> {
        let permit = Permit::authenticated(Operation::EmailCodeVerify, id, request.clone())?;
        let admitted = retry_stale(async || {
            let wrong = || Error::from(AuthenticationError::WrongEmailCode);
            let account = self.core.ports.accounts.account(id).await?.filter(Account::is_active).ok_or_else(wrong)?;
            // A new password, and signing out everywhere, also end the codes that were sent before.
            if account.email != link.email || link.created_at < account.password_set_at {
                return Err(wrong().into());
            }
            let (changes, admitted, held) = match holder {
                Holder::Unknown(choices) if !account.email_verified => {
                    match self.confirmation.settle(&permit, &account, choices, Some(link.clone())).await? {
                        Confirming::Done((changes, cleared, held)) => (changes, cleared, Some(held)),
                        Confirming::Undecided(held) => return Ok(Confirming::Undecided(held)),
                    }
                }
                _ => {
                    let changes = Changes::by(permit.clone(), self.core.now()).remove(link.clone());
                    (changes, Account { email_verified: true, ..account.clone() }, None)
                }
            };
            let changes = match admitted == account {
                true => changes,
                false => changes.replace(account.clone(), admitted.clone()),
            };
            self.core.commit(changes).await.map_err(|error| match error {
                // Another request used the code.
                CommitError::Stale(ResourceKind::EmailLink) => wrong().into(),
                error => RetryError::from(error),
            })?;
            Ok(Confirming::Done((account, admitted, held)))
        })
        .await?;
        let (before, account, held) = match admitted {
            Confirming::Done(admitted) => admitted,
            Confirming::Undecided(held) => return Ok(Confirming::Undecided(held)),
        };
        let has_lost_password = before.password.is_some() && account.password.is_none();
        if let Some(held) = held {
            self.confirmation.finish(&permit, &account, &held).await;
        }
        let progress = self.second_factor.after(account, AuthenticationMethod::EmailCode).await?;
        if let SignInProgress::Complete(authenticated) = &progress {
            self.guard.record_network(&authenticated.account, request, self.core.now()).await;
        }
        Ok(Confirming::Done(CodeSignIn { progress, has_lost_password }))
    }

    /// Creates an account without a password, with the address that the code confirms.
    async fn sign_up(&self, request: &Request, link: EmailLink) -> Result<CodeSignIn, Error> {
        let now = self.core.now();
        self.core.action_limiter.take_from(LimitedAction::SignUpFrom, request, now).await?;
        may_sign_up(&self.core, &link.email, None).await?;
        let account = Account::new(self.core.next_id().into(), link.email.clone(), now);
        let account = Account { email_verified: true, language: request.language, ..account };
        let permit = Permit::authenticated(Operation::SignUp, account.id, request.clone())?;
        let changes = Changes::by(permit, now).remove(link).insert(account.clone());
        self.core.commit(changes).await.map_err(|error| match error {
            // Someone else has just signed up with the address.
            CommitError::Taken(Unique::AccountEmail) => Conflict::EmailTaken.into(),
            CommitError::Stale(_) => AuthenticationError::WrongEmailCode.into(),
            error => Error::from(error),
        })?;
        self.guard.record_network(&account, request, now).await;
        let methods = AuthenticationMethod::EmailCode.into();
        let progress = SignInProgress::Complete(AuthenticationProof { account, methods, at: now, provider: None });
        Ok(CodeSignIn { progress, has_lost_password: false })
    }

    fn sent(&self, browser: &Secret, cookie: &str, now: Time) -> Option<SentCode> {
        let plain = self.core.decrypt_from_browser(&self.core.purpose_in(browser, PURPOSE), cookie)?;
        let mut parts = std::str::from_utf8(&plain).ok()?.splitn(3, ' ');
        let at: Time = DateTime::from_timestamp_micros(parts.next()?.parse().ok()?)?;
        let (nonce, email) = (parts.next()?.to_owned(), Email::parse(parts.next()?).ok()?);
        (now < at + EMAIL_CODE_TTL).then_some(SentCode { nonce, email })
    }

    /// Returns the digest under which the attempts to enter a code are counted.
    fn attempt(&self, sent: &SentCode) -> String {
        self.core.system.vault.sha256(&format!("{PURPOSE} attempt {}", sent.nonce))
    }

    fn digest(&self, nonce: &str, code: &str) -> TokenDigest {
        TokenDigest(self.core.system.vault.sha256(&format!("{PURPOSE} {nonce} {code}")))
    }

    /// Returns a random code. With 64 bits, each is equally likely up to one in 10^13.
    fn new_code(&self) -> Secret {
        let entropy = self.core.system.secrets.entropy();
        let number = entropy.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        Secret::new(format!("{:0CODE_DIGITS$}", number % 1_000_000))
    }
}

/// Returns what the email shows of the client's project: nothing for a client that registered itself, which would look
/// trusted.
fn look_of(client: &Client) -> Option<EmailLook> {
    let project = client.project.as_ref().filter(|_| !client.registered_itself())?;
    EmailLook::of(&project.name, project.sign_in.accent_color)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use chrono::TimeDelta;
    use zeroize::Zeroizing;

    use super::*;
    use crate::identity::SecondFactors;
    use crate::kernel::Committed;
    use crate::kernel::changes::{Entity, Write};
    use crate::mocks::{
        FixedClock, MockMailer, MockSecretGenerator, MockStore, MockTokenVault, a_request, an_account, instant,
        mock_identity, mock_system_ports,
    };
    use crate::{DeliveryPorts, Ports, SystemPorts};

    /// The use cases of a service in which Ann has an account, and the code of the last email.
    fn use_cases(commit: fn() -> Result<Committed, CommitError>) -> (EmailCodes, Arc<Mutex<String>>) {
        let mut store = MockStore::default();
        let (link, sent): (Arc<Mutex<Option<EmailLink>>>, Arc<Mutex<String>>) = Default::default();
        store.accounts.expect_account_by_email().returning(|_| Ok(Some(an_account("ann"))));
        store.accounts.expect_account().returning(|_| Ok(Some(an_account("ann"))));
        store.accounts.expect_had_account().returning(|| Ok(true));
        let stored = link.clone();
        store
            .authorizations
            .expect_email_link()
            .returning(move |digest| Ok(stored.lock().unwrap().clone().filter(|link| link.digest == *digest)));
        store.rate_limits.expect_count_action().returning(|_, _, _| Ok(LimitOutcome::Counted));
        store.second_factors.expect_second_factors().returning(|_| Ok(SecondFactors::default()));
        store.identity_providers.expect_identity_providers().returning(|_| Ok(Vec::new()));
        store.unit_of_work.expect_commit().returning(move |changes| {
            for write in changes.writes() {
                match write {
                    Write::Insert(Entity::EmailLink(inserted)) => *link.lock().unwrap() = Some(inserted.clone()),
                    Write::Remove(Entity::EmailLink(_)) => return commit(),
                    other => panic!("{other:?}"),
                }
            }
            Ok(Committed::default())
        });
        let mut vault = MockTokenVault::new();
        vault.expect_sha256().returning(str::to_owned);
        let (mut secrets, mut mailer) = (MockSecretGenerator::new(), MockMailer::new());
        secrets.expect_entropy().returning(|| Zeroizing::new([1; 32]));
        let of_email = sent.clone();
        mailer.expect_send().returning(move |email| {
            *of_email.lock().unwrap() = email.code.unwrap().expose().to_owned();
        });
        let system = SystemPorts {
            clock: Arc::new(FixedClock(instant())),
            secrets: Arc::new(secrets),
            vault: Arc::new(vault),
            ..mock_system_ports()
        };
        let delivery = DeliveryPorts { mailer: Arc::new(mailer), ..DeliveryPorts::default() };
        (EmailCodes::new(&mock_identity(Ports { system, delivery, ..store.into() })), sent)
    }

    async fn sign_in(commit: fn() -> Result<Committed, CommitError>) -> Result<Confirming<CodeSignIn>, Error> {
        let ((codes, sent), browser) = (use_cases(commit), Secret::new("browser".into()));
        let cookie = codes.send(a_request(), (&browser, ""), &an_account("ann").email, ("", None)).await.unwrap();
        let code = sent.lock().unwrap().clone();
        assert_eq!(code, format!("{:06}", 0x0101_0101_0101_0101_u64 % 1_000_000));
        let confirmer = Confirmer { signed_in: None, choices: &Choices::default() };
        codes.sign_in(&a_request(), &browser, cookie.expose(), &code, confirmer).await
    }

    #[tokio::test]
    async fn a_code_that_another_request_uses_first_is_wrong() {
        assert!(sign_in(|| Ok(Committed::default())).await.is_ok());
        let refused = sign_in(|| Err(CommitError::Stale(ResourceKind::EmailLink))).await;
        assert!(matches!(refused, Err(Error::Unauthenticated(AuthenticationError::WrongEmailCode))));
    }

    #[tokio::test]
    async fn a_code_can_be_entered_for_ten_minutes_in_its_browser() {
        let (codes, _) = use_cases(|| Ok(Committed::default()));
        let (browser, other) = (Secret::new("browser".into()), Secret::new("other".into()));
        let cookie = codes.send(a_request(), (&browser, ""), &an_account("ann").email, ("", None)).await.unwrap();
        let address_at = |browser, at| codes.sent(browser, cookie.expose(), at).map(|sent| sent.email.to_string());
        let last = instant() + TimeDelta::minutes(10) - TimeDelta::microseconds(1);
        assert_eq!(address_at(&browser, last).as_deref(), Some("ann@example.com"));
        assert_eq!(address_at(&browser, instant() + TimeDelta::minutes(10)), None);
        assert_eq!(address_at(&other, instant()), None);
    }
}
