//! Links in emails: showing that an email address is one's own, and choosing a new password.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Error, ResourceKind};
use crate::model::{
    Account, Email, EmailKind, EmailLink, EmailMessage, LINK_TTL, LinkPurpose, OpaqueKind, Password, Request, Revision,
    Secret, ServiceAddress, SignedIn, Time, TokenDigest,
};
use crate::policy::{LimitedAction, Operation, Permit};
use crate::ports::{
    AccountReader, AuthorizationReader, Clock, IdGenerator, Mailer, PasswordHasher, SecretGenerator, TokenVault,
    UnitOfWork,
};

use super::{Authenticated, RateLimiter, retry_stale};

/// The use cases of links in emails.
#[derive(Clone)]
pub struct EmailLinks {
    /// Where each purpose's page is: the link adds its token.
    pub(super) address: ServiceAddress,
    pub(super) links: Arc<dyn AuthorizationReader>,
    pub(super) accounts: Arc<dyn AccountReader>,
    pub(super) store: Arc<dyn UnitOfWork>,
    pub(super) passwords: Arc<dyn PasswordHasher>,
    pub(super) vault: Arc<dyn TokenVault>,
    pub(super) secrets: Arc<dyn SecretGenerator>,
    pub(super) mailer: Arc<dyn Mailer>,
    pub(super) rate_limiter: Arc<RateLimiter>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdGenerator>,
}

impl EmailLinks {
    /// Sends an email with a link to the address, if an account has it. It stores as much and takes as long if none has,
    /// and says the same.
    pub async fn send(&self, request: Request, purpose: LinkPurpose, email: &Email) -> Result<(), Error> {
        let now = self.clock.now();
        self.rate_limiter.take_from(LimitedAction::EmailFrom, &request, now).await?;
        self.rate_limiter.take(LimitedAction::EmailTo, &email.folded(), now).await?;
        let account = self.accounts.account_by_email(email).await?;

        let (link, email) = self.link(purpose, email, now);
        let permit = Permit::for_system(Operation::EmailLinkSend, request);
        self.store.commit(Changes::by(permit, now).insert(link)).await?;
        if let Some(account) = account.filter(Account::is_active) {
            // To the address as its holder gave it, not as somebody spelled it now.
            self.mailer.send(EmailMessage { to: account.email, ..email });
        }
        Ok(())
    }

    /// A new link, and the email that carries it.
    pub(super) fn link(&self, purpose: LinkPurpose, email: &Email, now: Time) -> (EmailLink, EmailMessage) {
        let token = OpaqueKind::EmailLink.from_entropy(&self.secrets.entropy());
        let path = match purpose {
            LinkPurpose::VerifyEmail => "/auth/verify-email",
            LinkPurpose::ResetPassword => "/auth/reset-password",
        };
        let address = self.address.at(&format!("{path}?token={}", token.expose()));
        let link = EmailLink {
            id: self.ids.next().into(),
            digest: TokenDigest(self.vault.sha256(token.expose())),
            purpose,
            email: email.clone(),
            created_at: now,
            expires_at: now + LINK_TTL,
            revision: Revision::FIRST,
        };
        (link, EmailMessage { to: email.clone(), kind: EmailKind::Link(purpose), link: Secret::new(address) })
    }

    /// Sends an email, once what it tells of is stored.
    pub(super) fn deliver(&self, email: EmailMessage) {
        self.mailer.send(email);
    }

    /// Whether a link works still: for the page that it leads to, which must not use it up.
    pub async fn works(&self, purpose: LinkPurpose, token: &str) -> Result<(), Error> {
        self.find(purpose, token).await.map(|_| ())
    }

    /// Notes that the email address is its account holder's. The link works once, and only for who is signed in to the
    /// account: else whoever signs up with somebody else's address would have it confirmed by them.
    pub async fn verify(&self, request: Request, signed_in: &SignedIn, token: &str) -> Result<(), Error> {
        self.rate_limiter.take_from(LimitedAction::EmailFrom, &request, self.clock.now()).await?;
        retry_stale(async || {
            let request = request.clone();
            let (link, account) = self.find(LinkPurpose::VerifyEmail, token).await?;
            if account.id != signed_in.account.id {
                return Err(Error::NotFound(ResourceKind::EmailLink).into());
            }

            let permit = Permit::for_self(Operation::EmailVerify, account.id, request);
            let changed = Account { email_verified: true, ..account.clone() };

            let changes = Changes::by(permit, self.clock.now()).remove(link).replace(account, changed);
            self.store.commit(changes).await?;
            Ok(())
        })
        .await
    }

    /// Sets a new password, which ends every session and token of the old one. The link works once; whoever has it reads
    /// the account holder's mail, so the address is verified too.
    pub async fn reset(&self, request: Request, token: &str, password: Password) -> Result<Authenticated, Error> {
        self.rate_limiter.take_from(LimitedAction::EmailFrom, &request, self.clock.now()).await?;
        retry_stale(async || {
            let request = request.clone();
            let password = password.clone();
            let (link, account) = self.find(LinkPurpose::ResetPassword, token).await?;

            let permit = Permit::for_self(Operation::PasswordReset, account.id, request);
            let password = self.passwords.hash(password).await?;
            let now = self.clock.now();
            let changed = Account { password, password_set_at: now, email_verified: true, ..account.clone() };

            let changes = Changes::by(permit, now).remove(link).replace(account, changed.clone());
            self.store.commit(changes).await?;
            Ok(Authenticated { account: changed })
        })
        .await
    }

    /// The link and the account that has its address now. A link to a new password does not outlive a newer one.
    async fn find(&self, purpose: LinkPurpose, token: &str) -> Result<(EmailLink, Account), Error> {
        let gone = || Error::NotFound(ResourceKind::EmailLink);
        let token = OpaqueKind::EmailLink.parse(token).ok_or_else(gone)?;
        let digest = TokenDigest(self.vault.sha256(token.expose()));
        let link = self.links.email_link(&digest).await?.filter(|link| link.purpose == purpose).ok_or_else(gone)?;
        if link.expires_at <= self.clock.now() {
            return Err(gone());
        }
        let account = self.accounts.account_by_email(&link.email).await?.filter(Account::is_active).ok_or_else(gone)?;
        if purpose == LinkPurpose::ResetPassword && link.created_at < account.password_set_at {
            return Err(gone());
        }
        Ok((link, account))
    }
}
