//! The identities at other providers that are linked to the own account.

use askama::Template;
use steward_domain::identity::{IdentityProvider, LinkedIdentity, ProviderSignInStart};
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::{IdentityProviderId, LinkedIdentityId};

use crate::console::frame::{Confirmation, FormState, Shell, Signed, Submission, Timestamp};
use crate::error::{PageError, PageResult};
use crate::response::see_other;

/// The address of the list.
const ADDRESS: &str = "/console/account/identities";

/// Lists the linked identities, and the providers that can be linked.
pub(crate) async fn list_page(signed: &Signed, form: FormState) -> PageResult {
    let linked = signed.steward().linked_identities.list(&signed.signed_in).await?;
    let mut providers = signed.steward().provider_sign_ins.offered(None).await?;
    providers.retain(|provider| !linked.iter().any(|(identity, _)| identity.provider_id == provider.id));
    let view = List { shell: signed.account_shell("Linked identities").await?, identities: linked, form, providers };
    view.form.page(signed, &view)
}

/// Begins to link an identity: the page leads to the provider, because a form may not redirect to another site.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    submission.describe("Link an identity");
    let signed = &submission.signed;
    let id = IdentityProviderId::parse(submission.form.text("provider"));
    let id = id.ok_or(Error::NotFound(ResourceKind::IdentityProvider))?;
    let request = &signed.caller.request;
    let start = ProviderSignInStart { link_to: Some(&signed.signed_in), ..ProviderSignInStart::default() };
    match signed.steward().provider_sign_ins.begin(request, &signed.browser.token, id, start).await {
        Ok(url) => {
            let provider = signed.steward().provider_sign_ins.usable(id).await?;
            let shell = signed.account_shell("Linked identities").await?.below(ADDRESS.to_owned(), "Link");
            signed.page(&Continue { shell, name: provider.name.to_string(), url })
        }
        Err(error) => submission.refuse(error).await?.or_show(|form| list_page(signed, form)).await,
    }
}

/// Unlinks an identity.
pub(crate) async fn submit_unlink(mut submission: Submission) -> PageResult {
    submission.describe("Unlink an identity");
    let signed = &submission.signed;
    let request = signed.caller.request.clone();
    match signed.steward().linked_identities.unlink(request, &signed.signed_in, identity_id(signed)?).await {
        Ok(()) => signed.next(ADDRESS, "The identity was unlinked."),
        // It was unlinked in another window.
        Err(Error::NotFound(ResourceKind::LinkedIdentity)) => Ok(see_other(ADDRESS)),
        Err(error) => submission.refuse(error).await?.or_show(|form| unlink_page(signed, form)).await,
    }
}

/// Asks whether to unlink an identity.
pub(crate) async fn unlink_page(signed: &Signed, form: FormState) -> PageResult {
    let id = identity_id(signed)?;
    let linked = signed.steward().linked_identities.list(&signed.signed_in).await?;
    let found = linked.iter().find(|(identity, _)| identity.id == id);
    let (identity, provider) = found.ok_or(Error::NotFound(ResourceKind::LinkedIdentity))?;
    let without_password = signed.signed_in.account.password.is_none();
    let without_password =
        without_password.then_some("Your account has no password. You can set one with a link by email.");
    let shell = signed.account_shell("Linked identities").await?.below(ADDRESS.to_owned(), "Unlink");
    let page = Confirmation {
        last_used: Some(("It was last used", identity.last_used.into())),
        consequences: std::iter::once("You can no longer sign in with it.").chain(without_password).collect(),
        ..Confirmation::of_danger(shell, form, "Unlink the identity", provider.name.as_str())
    };
    page.page(signed)
}

fn identity_id(signed: &Signed) -> Result<LinkedIdentityId, PageError> {
    let id = LinkedIdentityId::parse(signed.parameter("identity"));
    Ok(id.ok_or(Error::NotFound(ResourceKind::LinkedIdentity))?)
}

#[derive(Template)]
#[template(path = "console/identity/account/identities.html")]
struct List {
    shell: Shell,
    form: FormState,
    identities: Vec<(LinkedIdentity, IdentityProvider)>,
    /// The providers of which no identity is linked.
    providers: Vec<IdentityProvider>,
}

#[derive(Template)]
#[template(path = "console/identity/account/identity_link.html")]
struct Continue {
    shell: Shell,
    name: String,
    /// The URL of the provider.
    url: String,
}
