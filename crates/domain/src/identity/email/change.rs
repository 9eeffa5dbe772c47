//! Changing the email address of one's own account: confirmed at the new address, and reported to the previous one.

use crate::identity::email::deliverable::check_deliverable;
use crate::identity::provider::required::required_provider;
use crate::identity::{
    Account, Email, EmailKind, EmailLink, EmailLinks, EmailMessage, IdentityCore, LinkPurpose, SignedIn,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Conflict, Error, ResourceKind};
use crate::kernel::policy::{LimitedAction, Operation, Permit};
use crate::kernel::{AccountId, CommitError, Request, RetryError, Secret, Unique, retry_stale, use_cases};

use_cases! {
    /// Use cases of changing an email address.
    pub struct EmailChanges { core: IdentityCore, links: EmailLinks }
}

impl EmailChanges {
    /// Whether emails are delivered. Without a mail server, the link is only written to the log.
    pub fn sends_emails(&self) -> bool {
        self.core.ports.mailer.is_configured()
    }

    /// Whether the sign-up policy lets the account change its address to this one.
    pub fn allows(&self, account: &Account, email: &Email) -> bool {
        self.core.settings.sign_up.allows_change(account, email).is_ok()
    }

    /// Sends a link to the new address. If another account has the address, it stores the same data, takes as long and
    /// returns the same result, but sends nothing. Requires a confirmation.
    pub async fn request(&self, request: Request, signed_in: &SignedIn, email: &Email) -> Result<(), Error> {
        let account = &signed_in.account;
        signed_in.confirm(Operation::EmailChange, None, self.core.now())?;
        if email.as_str() == account.email.as_str() {
            return Err(Error::invalid("email", "is already the address of your account"));
        }
        self.core.settings.sign_up.allows_change(account, email)?;
        self.check_provider(account, email).await?;
        let now = self.core.now();
        self.core.action_limiter.take_from(LimitedAction::EmailFrom, &request, now).await?;
        self.core.action_limiter.take(LimitedAction::EmailTo, &email.folded(), now).await?;
        check_deliverable(&*self.core.ports.mailer, email).await?;
        let holder = self.core.ports.accounts.account_by_email(email).await?;

        let language = account.language.or(request.language).unwrap_or_default();
        let permit = Permit::authenticated(Operation::EmailLinkSend, account.id, request)?;
        let (link, message) = self.links.link(LinkPurpose::ChangeEmail, email, Some(account.id), language, now);
        self.core.commit(Changes::by(permit, now).insert(link)).await?;
        if holder.is_none_or(|holder| holder.id == account.id) {
            self.core.ports.mailer.send(message);
        }
        Ok(())
    }

    /// Returns the new address without using the link. For the page that the link opens.
    pub async fn requested(&self, signed_in: &SignedIn, token: &str) -> Result<Email, Error> {
        Ok(self.find(signed_in.account.id, token).await?.0.email)
    }

    /// Makes the address that the link was sent to that of the account. The link works once, and only if the user is
    /// signed in to the account that requested it. The previous address receives a notice.
    pub async fn confirm(&self, request: Request, signed_in: &SignedIn, token: &str) -> Result<Email, Error> {
        self.core.action_limiter.take_from(LimitedAction::EmailFrom, &request, self.core.now()).await?;
        let (before, after, language) = retry_stale(async || {
            let (link, account) = self.find(signed_in.account.id, token).await?;
            self.core.settings.sign_up.allows_change(&account, &link.email)?;
            self.check_provider(&account, &link.email).await?;

            let permit = Permit::authenticated(Operation::EmailChange, account.id, request.clone())?;
            let (before, after, language) = (account.email.clone(), link.email.clone(), account.language);
            let changed = Account { email: after.clone(), email_verified: true, ..account.clone() };

            let changes = Changes::by(permit, self.core.now()).remove(link).replace(account, changed);
            match self.core.commit(changes).await {
                Ok(_) => Ok((before, after, language)),
                Err(CommitError::Taken(Unique::AccountEmail)) => Err(RetryError::from(Conflict::EmailTaken)),
                Err(error) => Err(error.into()),
            }
        })
        .await?;
        let link = Secret::new(self.core.address.at("/console/account"));
        let language = language.unwrap_or_default();
        self.core.ports.mailer.send(EmailMessage::new(before, EmailKind::EmailChanged, link, language));
        Ok(after)
    }

    /// Refuses an address that does not require the provider that the present one requires: it would open another way in.
    async fn check_provider(&self, account: &Account, email: &Email) -> Result<(), Error> {
        let required = required_provider(&self.core, &account.email).await?.filter(|_| !account.is_operator);
        match required {
            Some(required) if !required.is_required_for(email) => {
                let message =
                    format!("must have a domain that requires {}, as your present address does", required.name);
                Err(Error::invalid("email", message))
            }
            _ => Ok(()),
        }
    }

    /// Returns the link and the account that requested it. A link is invalid after the password changes.
    async fn find(&self, id: AccountId, token: &str) -> Result<(EmailLink, Account), Error> {
        let not_found = || Error::NotFound(ResourceKind::EmailLink);
        let link = self.links.unexpired(LinkPurpose::ChangeEmail, token, Some(id)).await?;
        let account = self.core.ports.accounts.account(id).await?.filter(Account::is_active).ok_or_else(not_found)?;
        if link.created_at < account.password_set_at { Err(not_found()) } else { Ok((link, account)) }
    }
}
