//! The account of an identity at a provider: the one to which it is linked, one with its address, or a new one.

use crate::identity::account::first_confirmation::FirstConfirmation;
use crate::identity::account::held::{Confirmer, Confirming, Held};
use crate::identity::account::may_sign_up;
use crate::identity::email::deliverable::check_deliverable;
use crate::identity::{Account, Email, IdentityCore, IdentityProvider, LinkedIdentity, ProviderIdentity};
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Error, ResourceKind};
use crate::kernel::policy::{LimitedAction, Operation, Permit};
use crate::kernel::{CommitError, Name, Request, RetryError, Revision, Unique, retry_stale, use_cases, visible_part};

use super::linking::{check_domain, link, of_account};

use_cases! {
    /// Finds and creates the accounts of identities.
    pub(super) struct IdentityAccounts { core: IdentityCore, confirmation: FirstConfirmation }
}

/// The account of an identity.
pub(super) enum IdentityAccount {
    /// The identity is linked to it now.
    Proven(Box<Account>),
    /// An account has this address, and the person has to prove it first.
    Unproven(Email),
    /// The identity proves the address of an account, and the person has to choose first what the account keeps.
    Undecided(Email),
}

impl IdentityAccounts {
    /// Returns about what a person has to choose whose identity proves this address.
    pub(super) async fn held(&self, email: &Email) -> Result<Held, Error> {
        let account = self.core.ports.accounts.account_by_email(email).await?;
        let Some(account) = account else { return Ok(Held::default()) };
        self.confirmation.held(&account).await
    }

    /// Returns the account of an identity: links the identity, or creates an account, if there is none.
    pub(super) async fn find(
        &self,
        request: &Request,
        provider: &IdentityProvider,
        identity: &ProviderIdentity,
        confirmer: Confirmer<'_>,
    ) -> Result<IdentityAccount, Error> {
        let mut is_counted = false;
        retry_stale(async || {
            let linked =
                async || self.core.ports.identity_providers.linked_identity(provider.id, &identity.subject).await;
            if let Some(linked) = linked().await? {
                return Ok(IdentityAccount::Proven(Box::new(
                    self.record_use(request, provider, linked, identity).await?,
                )));
            }
            let email = identity.email.clone().ok_or(Error::from(AuthenticationError::IdentityWithoutEmail))?;
            // A provider that claims any address could find out which of them have an account.
            if !is_counted {
                self.core.action_limiter.take_from(LimitedAction::SignUpFrom, request, self.core.now()).await?;
                is_counted = true;
            }
            let account = self.core.ports.accounts.account_by_email(&email).await?;
            // A concurrent sign-in with the identity may just have created the account.
            if account.is_some() && linked().await?.is_some() {
                return Err(RetryError::Stale(ResourceKind::LinkedIdentity));
            }
            match account {
                Some(account) if self.may_link(provider, identity, &account).await? => {
                    let Some(account) = self.confirmed(request, account, confirmer).await? else {
                        return Ok(IdentityAccount::Undecided(email));
                    };
                    let (subject, email) = (identity.subject.as_str(), Some(email));
                    link(&self.core, request, &account, provider, subject, email).await.map_err(read_again)?;
                    Ok(IdentityAccount::Proven(Box::new(account)))
                }
                // There is no other way in.
                Some(account) if provider.is_required_for(&email) && !account.is_operator => {
                    Err(Error::from(AuthenticationError::ReplacedIdentity).into())
                }
                Some(_) => Ok(IdentityAccount::Unproven(email)),
                None => Ok(IdentityAccount::Proven(Box::new(self.sign_up(request, provider, identity, email).await?))),
            }
        })
        .await
    }

    /// Records the use of a linked identity. Returns its account.
    async fn record_use(
        &self,
        request: &Request,
        provider: &IdentityProvider,
        linked: LinkedIdentity,
        identity: &ProviderIdentity,
    ) -> Result<Account, RetryError> {
        let account = self.core.ports.accounts.account(linked.account_id).await?.filter(Account::is_active);
        let account = account.ok_or(Error::from(AuthenticationError::DisabledIdentity))?;
        check_domain(provider, &account, identity.email.as_ref())?;
        let now = self.core.now();
        let used = LinkedIdentity {
            email: identity.email.clone().or_else(|| linked.email.clone()),
            last_used: now,
            ..linked.clone()
        };
        let permit = Permit::authenticated(Operation::ProviderSignIn, account.id, request.clone())?;
        self.core.commit(Changes::by(permit, now).replace(linked, used)).await?;
        Ok(account)
    }

    /// Returns whether an identity may be linked to the account that has its address without a proof of the account: if both
    /// the provider and this service have verified that the address is the person's, or if the person can sign in only there.
    /// Not a second identity of the provider, because an address can pass to another person there.
    async fn may_link(
        &self,
        provider: &IdentityProvider,
        identity: &ProviderIdentity,
        account: &Account,
    ) -> Result<bool, Error> {
        if account.is_operator && identity.email_verified != Some(true) {
            return Ok(false);
        }
        let is_only_way = provider.is_required_for(&account.email) && !account.is_operator;
        let are_verified = provider.proves(identity, &account.email) && (account.email_verified || is_only_way);
        Ok(are_verified && account.is_active() && of_account(&self.core, account.id, provider.id).await?.is_none())
    }

    /// Confirms the address of an account, if it is not confirmed yet: the provider has proven it. Someone else may have signed
    /// up with it, whose password, factors and sessions end. `None` if the person has to choose first what the account keeps.
    async fn confirmed(
        &self,
        request: &Request,
        account: Account,
        confirmer: Confirmer<'_>,
    ) -> Result<Option<Account>, RetryError> {
        if account.email_verified {
            return Ok(Some(account));
        }
        let permit = Permit::authenticated(Operation::ProviderSignIn, account.id, request.clone())?;
        let next = |confirmed: Account| Account { revision: confirmed.revision.next(), ..confirmed };
        if confirmer.holds(&account) {
            let confirmed = Account { email_verified: true, ..account.clone() };
            let changes = Changes::by(permit, self.core.now()).replace(account, confirmed.clone());
            self.core.commit(changes).await?;
            return Ok(Some(next(confirmed)));
        }
        let settled = self.confirmation.settle(&permit, &account, confirmer.choices, None).await?;
        let Confirming::Done((changes, confirmed, held)) = settled else { return Ok(None) };
        self.core.commit(changes.replace(account, confirmed.clone())).await?;
        self.confirmation.finish(&permit, &confirmed, &held).await;
        Ok(Some(next(confirmed)))
    }

    /// Creates an account without a password. Its address counts as confirmed if the operator trusts the provider.
    async fn sign_up(
        &self,
        request: &Request,
        provider: &IdentityProvider,
        identity: &ProviderIdentity,
        email: Email,
    ) -> Result<Account, RetryError> {
        may_sign_up(&self.core, &email, Some(provider.id)).await?;
        check_deliverable(&*self.core.ports.mailer, &email).await?;
        let now = self.core.now();
        let account = Account {
            email_verified: provider.proves(identity, &email),
            language: request.language,
            // A name that is not valid must not stop a sign-in: the person can enter one later.
            name: identity.name.as_deref().and_then(|name| Name::parse(&visible_part(name)).ok()),
            ..Account::new(self.core.next_id().into(), email.clone(), now)
        };
        let linked = LinkedIdentity {
            id: self.core.next_id().into(),
            account_id: account.id,
            provider_id: provider.id,
            subject: identity.subject.clone(),
            email: Some(email),
            created_at: now,
            last_used: now,
            revision: Revision::FIRST,
        };
        let permit = Permit::authenticated(Operation::SignUp, account.id, request.clone())?;
        match self.core.commit(Changes::by(permit, now).insert(account.clone()).insert(linked)).await {
            Ok(_) => Ok(account),
            // Another request created the account, or linked the identity.
            Err(CommitError::Taken(Unique::AccountEmail | Unique::LinkedIdentity)) => {
                Err(RetryError::Stale(ResourceKind::LinkedIdentity))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Another request linked the identity, or another identity, since this one read.
fn read_again(error: Error) -> RetryError {
    match error {
        Error::Unauthenticated(AuthenticationError::OtherIdentity | AuthenticationError::SecondIdentity) => {
            RetryError::Stale(ResourceKind::LinkedIdentity)
        }
        error => RetryError::from(error),
    }
}
