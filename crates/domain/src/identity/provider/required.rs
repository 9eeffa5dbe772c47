//! The provider at which people with an address of an email domain have to sign in.

use crate::identity::{Account, Email, IdentityCore, IdentityProvider};
use crate::kernel::IdentityProviderId;
use crate::kernel::error::{Error, Forbidden};

/// Returns the provider at which people with an address of this domain have to sign in.
pub(crate) async fn required_provider(core: &IdentityCore, email: &Email) -> Result<Option<IdentityProvider>, Error> {
    let providers = core.ports.identity_providers.identity_providers(None).await?;
    Ok(providers.into_iter().find(|provider| provider.is_required_for(email)))
}

/// Refuses a sign-in in another way than at the provider that the address of the account requires. Operators can always sign
/// in, so that a provider that fails locks nobody out of the service.
pub(crate) async fn check_required_provider(
    core: &IdentityCore,
    account: &Account,
    used: Option<IdentityProviderId>,
) -> Result<(), Error> {
    if account.is_operator { Ok(()) } else { check_provider(core, &account.email, used).await }
}

/// Refuses an address that requires another provider than the one at which the person signed in.
pub(crate) async fn check_provider(
    core: &IdentityCore,
    email: &Email,
    used: Option<IdentityProviderId>,
) -> Result<(), Error> {
    match required_provider(core, email).await? {
        Some(required) if used != Some(required.id) => {
            Err(Forbidden::ProviderRequired(required.name.to_string()).into())
        }
        _ => Ok(()),
    }
}
