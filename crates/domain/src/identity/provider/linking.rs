//! The identities at providers that are linked to the own account.

use crate::identity::account::notices::announce;
use crate::identity::account::strangers::unless_confirmed;
use crate::identity::{
    Account, AccountChange, Email, IdentityCore, IdentityProvider, LinkedIdentity, MAX_LINKED_IDENTITIES, SignedIn,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Error, ResourceKind};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{
    AccountId, CommitError, IdentityProviderId, LinkedIdentityId, Request, RetryError, Revision, Unique, retry_stale,
    use_cases,
};

use_cases! {
    /// Use cases of linked identities.
    pub struct LinkedIdentities { core: IdentityCore }
}

impl LinkedIdentities {
    /// Lists the identities that are linked to the account, with their providers, oldest first.
    pub async fn list(&self, signed_in: &SignedIn) -> Result<Vec<(LinkedIdentity, IdentityProvider)>, Error> {
        Ok(self.core.ports.identity_providers.linked_identities(signed_in.account.id).await?)
    }

    /// Unlinks an identity. Requires a confirmation.
    pub async fn unlink(&self, request: Request, signed_in: &SignedIn, id: LinkedIdentityId) -> Result<(), Error> {
        let permit = signed_in.permit(Operation::IdentityUnlink, None, request, self.core.now())?;
        retry_stale(async || {
            let found = self.list(signed_in).await?.into_iter().find(|(identity, _)| identity.id == id);
            let (identity, _) = found.ok_or(Error::NotFound(ResourceKind::LinkedIdentity))?;
            self.core.commit(Changes::by(permit.clone(), self.core.now()).remove(identity)).await?;
            Ok::<_, RetryError>(())
        })
        .await?;
        announce(&self.core, &signed_in.account, AccountChange::IdentityUnlinked).await;
        Ok(())
    }
}

/// Returns the identity of a provider that is linked to an account.
pub(super) async fn of_account(
    core: &IdentityCore,
    account: AccountId,
    provider: IdentityProviderId,
) -> Result<Option<LinkedIdentity>, Error> {
    let linked = core.ports.identity_providers.linked_identities(account).await?;
    Ok(linked.into_iter().map(|(identity, _)| identity).find(|identity| identity.provider_id == provider))
}

/// Refuses an identity for an account whose address requires the provider, unless its own address does so too: the person may
/// have another identity there that is not one of the company.
pub(super) fn check_domain(provider: &IdentityProvider, account: &Account, email: Option<&Email>) -> Result<(), Error> {
    let is_required = provider.is_required_for(&account.email) && !account.is_operator;
    if is_required && !email.is_some_and(|email| provider.is_required_for(email)) {
        return Err(AuthenticationError::OtherDomain.into());
    }
    Ok(())
}

/// Links an identity to an account, and sends an email about it. Does nothing if it is linked already.
pub(super) async fn link(
    core: &IdentityCore,
    request: &Request,
    account: &Account,
    provider: &IdentityProvider,
    subject: &str,
    email: Option<Email>,
) -> Result<(), Error> {
    if let Some(linked) = core.ports.identity_providers.linked_identity(provider.id, subject).await? {
        let is_own = linked.account_id == account.id;
        return if is_own { Ok(()) } else { Err(AuthenticationError::OtherIdentity.into()) };
    }
    check_domain(provider, account, email.as_ref())?;
    let all = core.ports.identity_providers.linked_identities(account.id).await?;
    if all.iter().any(|(identity, _)| identity.provider_id == provider.id) {
        return Err(AuthenticationError::SecondIdentity.into());
    }
    if all.len() >= MAX_LINKED_IDENTITIES {
        return Err(AuthenticationError::TooManyIdentities.into());
    }
    let now = core.now();
    let identity = LinkedIdentity {
        id: core.next_id().into(),
        account_id: account.id,
        provider_id: provider.id,
        subject: subject.to_owned(),
        email,
        created_at: now,
        last_used: now,
        revision: Revision::FIRST,
    };
    let permit = Permit::authenticated(Operation::IdentityLink, account.id, request.clone())?;
    let changes = unless_confirmed(Changes::by(permit, now).insert(identity), account);
    core.commit(changes).await.map_err(|error| match error {
        // Another request has just linked it, or another identity of the provider.
        CommitError::Taken(Unique::LinkedIdentity) => AuthenticationError::OtherIdentity.into(),
        error => Error::from(error),
    })?;
    announce(core, account, AccountChange::IdentityLinked).await;
    Ok(())
}
