//! Links in emails: verifying an email address, resetting a password, and signing in without it.

use crate::identity::account::first_confirmation::FirstConfirmation;
use crate::identity::account::held::{Choices, Confirmer, Confirming, Held};
use crate::identity::account::notices::announce;
use crate::identity::email::deliverable::check_deliverable;
use crate::identity::{
    Account, AccountChange, AuthenticationMethod, Email, EmailKind, EmailLink, EmailMessage, IdentityCore, LINK_TTL,
    LinkPurpose, Password, PersonalWords, SecondFactorSignIn, Sessions, SignInProgress, SignedIn,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::{LimitedAction, Operation, Permit};
use crate::kernel::{
    AccountId, Locale, OpaqueKind, Request, RetryError, Revision, Secret, Time, TokenDigest, retry_stale, use_cases,
};

use_cases! {
    /// Use cases of links in emails.
    pub struct EmailLinks {
        core: IdentityCore, sessions: Sessions, second_factor: SecondFactorSignIn, confirmation: FirstConfirmation,
    }
}

impl EmailLinks {
    /// Sends an email with a link if an account has this address. If none has, it stores the same data, takes as long
    /// and returns the same result.
    pub async fn send(&self, request: Request, purpose: LinkPurpose, email: &Email) -> Result<(), Error> {
        let now = self.core.now();
        self.core.action_limiter.take_from(LimitedAction::EmailFrom, &request, now).await?;
        self.core.action_limiter.take(LimitedAction::EmailTo, &email.folded(), now).await?;
        check_deliverable(&*self.core.ports.mailer, email).await?;
        let account = self.core.ports.accounts.account_by_email(email).await?;

        let language = account.as_ref().and_then(|account| account.language).or(request.language).unwrap_or_default();
        let (link, email) = self.link(purpose, email, None, language, now);
        let permit = Permit::system(Operation::EmailLinkSend, request)?;
        self.core.commit(Changes::by(permit, now).insert(link)).await?;
        if let Some(account) = account.filter(Account::is_active) {
            // Send to the stored address, which may be written differently from the requested one.
            self.core.ports.mailer.send(EmailMessage { to: account.email, ..email });
        }
        Ok(())
    }

    /// Generates a link and the email that contains it. A link for an `account` works only for that account.
    pub(crate) fn link(
        &self,
        purpose: LinkPurpose,
        email: &Email,
        account: Option<AccountId>,
        language: Locale,
        now: Time,
    ) -> (EmailLink, EmailMessage) {
        let token = self.core.new_secret(OpaqueKind::EmailLink);
        let address = self.core.address.at(&format!("{}?token={}", purpose.path(), token.expose()));
        let link = EmailLink {
            id: self.core.next_id().into(),
            digest: self.digest(&token, account),
            purpose,
            email: email.clone(),
            created_at: now,
            expires_at: now + LINK_TTL,
            revision: Revision::FIRST,
        };
        let link_of_email = Secret::new(address);
        (link, EmailMessage::new(email.clone(), EmailKind::Link(purpose), link_of_email, language))
    }

    /// Checks that a link is valid without using it, for the page that the link opens. Returns about what the person has to choose
    /// before the link confirms the address. A link that confirms shows it to those who are signed in to the account only.
    pub async fn held(&self, purpose: LinkPurpose, token: &str, signed_in: Option<&SignedIn>) -> Result<Held, Error> {
        let (_, account) = self.find(purpose, token).await?;
        let is_own = signed_in.is_some_and(|signed_in| signed_in.account.id == account.id);
        let is_known = Confirmer { signed_in, choices: &Choices::default() }.holds(&account);
        if is_known || !is_own && purpose == LinkPurpose::VerifyEmail {
            return Ok(Held::default());
        }
        self.confirmation.held(&account).await
    }

    /// Marks the account's email address as verified. The link works once, and only if the user is signed in to the
    /// account. Otherwise someone could sign up with another person's address, and that person would confirm it. A session
    /// that counts for a project only does not show that the account is theirs: someone who signed up with the address
    /// before loses the password, the factors and the sessions, and the person chooses what else goes on.
    pub async fn verify(
        &self,
        request: Request,
        signed_in: &SignedIn,
        token: &str,
        choices: &Choices,
    ) -> Result<Confirming<()>, Error> {
        self.core.action_limiter.take_from(LimitedAction::EmailFrom, &request, self.core.now()).await?;
        let permit = Permit::authenticated(Operation::EmailVerify, signed_in.account.id, request)?;
        let confirmer = Confirmer { signed_in: Some(signed_in), choices };
        let confirmed = retry_stale(async || {
            let (link, account) = self.find(LinkPurpose::VerifyEmail, token).await?;
            if account.id != signed_in.account.id {
                return Err(Error::NotFound(ResourceKind::EmailLink).into());
            }

            if account.email_verified || confirmer.holds(&account) {
                let confirmed = Account { email_verified: true, ..account.clone() };
                let changes = Changes::by(permit.clone(), self.core.now()).remove(link);
                self.core.commit(changes.replace(account, confirmed)).await?;
                return Ok(Confirming::Done(None));
            }
            match self.confirmation.settle(&permit, &account, choices, Some(link)).await? {
                Confirming::Done((changes, cleared, held)) => {
                    self.core.commit(changes.replace(account, cleared.clone())).await?;
                    Ok::<_, RetryError>(Confirming::Done(Some((cleared, held))))
                }
                Confirming::Undecided(held) => Ok(Confirming::Undecided(held)),
            }
        })
        .await?;
        match confirmed {
            Confirming::Undecided(held) => return Ok(Confirming::Undecided(held)),
            Confirming::Done(Some((account, held))) => self.confirmation.finish(&permit, &account, &held).await,
            Confirming::Done(None) => {}
        }
        Ok(Confirming::Done(()))
    }

    /// Sets a new password, which invalidates all earlier sessions and tokens. The link works once. It also verifies
    /// the address, because it was sent there. The second factor of the account stays, unless the address is confirmed only
    /// now by someone who is not signed in to the account: someone else may have signed up with it.
    pub async fn reset(
        &self,
        request: Request,
        token: &str,
        password: Password,
        confirmer: Confirmer<'_>,
    ) -> Result<Confirming<SignInProgress>, Error> {
        self.core.action_limiter.take_from(LimitedAction::EmailFrom, &request, self.core.now()).await?;
        let changed = retry_stale(async || {
            let (link, account) = self.find(LinkPurpose::ResetPassword, token).await?;

            let permit = Permit::authenticated(Operation::PasswordReset, account.id, request.clone())?;
            // Before anything ends, so that the person can correct the password.
            let password = self.core.hash_new(password.clone(), PersonalWords::of(&account)).await?;
            let (changes, confirmed, held) = if account.email_verified || confirmer.holds(&account) {
                let now = self.core.now();
                let confirmed = Account { email_verified: true, password_set_at: now, ..account.clone() };
                (Changes::by(permit.clone(), now).remove(link), confirmed, None)
            } else {
                match self.confirmation.settle(&permit, &account, confirmer.choices, Some(link)).await? {
                    Confirming::Done((changes, confirmed, held)) => (changes, confirmed, Some(held)),
                    Confirming::Undecided(held) => return Ok(Confirming::Undecided(held)),
                }
            };
            let changed = Account { password: Some(password), ..confirmed };

            self.core.commit(changes.replace(account, changed.clone())).await?;
            Ok::<_, RetryError>(Confirming::Done((changed, permit, held)))
        })
        .await?;
        let (account, permit, held) = match changed {
            Confirming::Done(changed) => changed,
            Confirming::Undecided(held) => return Ok(Confirming::Undecided(held)),
        };
        if let Some(held) = held {
            self.confirmation.finish(&permit, &account, &held).await;
        } else {
            // The earlier sessions are no longer valid. Ending them also notifies the clients, which can wait: if it fails,
            // the new password is set nevertheless.
            drop(self.sessions.end_all(request, account.id).await);
            announce(&self.core, &account, AccountChange::PasswordChanged).await;
        }
        Ok(Confirming::Done(self.second_factor.after(account, AuthenticationMethod::EmailLink).await?))
    }

    /// Signs in with a link for a new password, and keeps the password: a person who is kept out by the guesses of
    /// others proves themself with their mail. The link works once. The limits of sign-ins stay as they are, so that it
    /// does not help who guesses. The link replaces the password only, not the second factor. While the address is not
    /// confirmed, the person has to choose a new password: someone else may have signed up with the address.
    pub async fn sign_in(&self, request: Request, token: &str) -> Result<SignInProgress, Error> {
        self.core.action_limiter.take_from(LimitedAction::EmailFrom, &request, self.core.now()).await?;
        let account = retry_stale(async || {
            let (link, account) = self.find(LinkPurpose::ResetPassword, token).await?;
            if !account.email_verified {
                let message = "must be chosen: the email address of the account was not confirmed before";
                return Err(Error::invalid("password", message).into());
            }
            let permit = Permit::authenticated(Operation::EmailVerify, account.id, request.clone())?;
            self.core.commit(Changes::by(permit, self.core.now()).remove(link)).await?;
            Ok::<_, RetryError>(account)
        })
        .await?;
        self.second_factor.after(account, AuthenticationMethod::EmailLink).await
    }

    /// Returns the digest of the secret in a link. That of a link for an account includes the account, so that nothing
    /// else needs to connect the account with the address.
    fn digest(&self, token: &Secret, account: Option<AccountId>) -> TokenDigest {
        match account {
            Some(account) => TokenDigest(self.core.system.vault.sha256(&format!("{account} {}", token.expose()))),
            None => self.core.digest(token),
        }
    }

    /// Returns a link that has not expired.
    pub(crate) async fn unexpired(
        &self,
        purpose: LinkPurpose,
        token: &str,
        account: Option<AccountId>,
    ) -> Result<EmailLink, Error> {
        let not_found = || Error::NotFound(ResourceKind::EmailLink);
        let token = OpaqueKind::EmailLink.parse(token).ok_or_else(not_found)?;
        let link = self.core.ports.authorizations.email_link(&self.digest(&token, account)).await?;
        let now = self.core.now();
        link.filter(|link| link.purpose == purpose && link.expires_at > now).ok_or_else(not_found)
    }

    /// Returns the link and the account that has its address now. A password link is invalid after the password
    /// changes.
    async fn find(&self, purpose: LinkPurpose, token: &str) -> Result<(EmailLink, Account), Error> {
        let not_found = || Error::NotFound(ResourceKind::EmailLink);
        let link = self.unexpired(purpose, token, None).await?;
        let accounts = &self.core.ports.accounts;
        let account = accounts.account_by_email(&link.email).await?.filter(Account::is_active).ok_or_else(not_found)?;
        if purpose == LinkPurpose::ResetPassword && link.created_at < account.password_set_at {
            return Err(not_found());
        }
        Ok((link, account))
    }
}
