//! The identity providers that pages offer, or require.

use steward_domain::identity::{Email, IdentityProvider, Pending, UnlinkedIdentity};
use steward_domain::kernel::error::{Error, ResourceKind};

use crate::request::browser::Browser;

/// Returns the providers that the sign-in page offers. None if the person has to confirm that it is them: they may be
/// signed in at the provider, so that it asks for nothing.
pub(super) async fn offered(browser: &Browser, pending: Option<&Pending>) -> Result<Vec<IdentityProvider>, Error> {
    if pending.is_some_and(Pending::asks_to_confirm) {
        return Ok(Vec::new());
    }
    let project = pending.and_then(|pending| pending.client.id.project());
    browser.pages.steward.provider_sign_ins.offered(project).await
}

/// Returns the identity that is linked once the person has signed in.
pub(super) fn waiting(browser: &Browser) -> Option<UnlinkedIdentity> {
    browser.pages.steward.provider_sign_ins.waiting(&browser.token, browser.identity.expose())
}

/// Returns the name of the provider of that identity, and its address.
pub(super) async fn waiting_identity(browser: &Browser) -> Result<Option<(String, String)>, Error> {
    let Some(waiting) = waiting(browser) else { return Ok(None) };
    match browser.pages.steward.provider_sign_ins.usable(waiting.provider).await {
        Ok(provider) => Ok(Some((provider.name.to_string(), waiting.email.shown().to_owned()))),
        // It was deleted or disabled in the meantime.
        Err(Error::NotFound(ResourceKind::IdentityProvider)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the provider at which people with this address have to sign in. The person who is signed in to the account
/// only confirms that.
pub(super) async fn required_for(browser: &Browser, email: &Email) -> Result<Option<IdentityProvider>, Error> {
    if browser.unlimited_session().is_some_and(|signed_in| signed_in.account.email == *email) {
        return Ok(None);
    }
    browser.pages.steward.provider_sign_ins.required_for(email).await
}
