//! Identity providers of a project, or of the service for operators: the list, one provider, and deleting it.

pub(crate) mod failed;
pub(crate) mod form;
mod scope;

use askama::Template;
use steward_domain::identity::IdentityProvider;
use steward_domain::kernel::policy::Operation;

use crate::console::frame::{Confirmation, FormState, Outcome, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;

use self::scope::{ProviderScope, load};

/// Lists the providers.
pub(crate) async fn list(signed: Signed) -> PageResult {
    let scope = ProviderScope::of(&signed).await?;
    let providers = signed.steward().identity_providers.list(&signed.caller, scope.project()).await?;
    signed.page(&List { shell: scope.shell(&signed).await?, providers, scope })
}

/// Shows a provider.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let (scope, provider) = load(&signed).await?;
    signed.page(&Details {
        shell: scope.shell_below(&signed, provider.name.as_str()).await?,
        redirect_uri: signed.steward().identity_providers.redirect_uri(provider.id),
        provider,
        scope,
    })
}

/// Deletes a provider.
pub(crate) async fn submit_delete(mut submission: Submission) -> PageResult {
    submission.describe("Delete the provider");
    let (scope, provider) = load(&submission.signed).await?;
    let (id, when) = (provider.id, submission.precondition());
    let operation = scope.choose(Operation::ServiceProviderDelete, Operation::IdentityProviderDelete);
    let submitted = submission.run_once(operation, async |caller| {
        submission.signed.steward().identity_providers.delete(caller, scope.project(), id, &when).await?;
        Ok(Outcome::next(scope.at(""), "The provider was deleted."))
    });
    submitted.await?.or_show(|form| delete_page(&submission.signed, form)).await
}

/// Asks before a provider is deleted.
pub(crate) async fn delete_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, provider) = load(signed).await?;
    scope.require_write()?;
    let (shell, form) = (scope.shell_of(signed, &provider, "Delete").await?, form.with_revision(provider.revision));
    let page = Confirmation {
        consequences: vec![
            "People can no longer sign in there. Those who have no password yet can set one with a link by email.",
            "If you add the provider again, people have to link their identities again.",
        ],
        ..Confirmation::of_danger(shell, form, "Delete the provider", provider.name.as_str())
    };
    page.page(signed)
}

#[derive(Template)]
#[template(path = "console/identity/provider/list.html")]
struct List {
    shell: Shell,
    scope: ProviderScope,
    providers: Vec<IdentityProvider>,
}

#[derive(Template)]
#[template(path = "console/identity/provider/details.html")]
struct Details {
    shell: Shell,
    scope: ProviderScope,
    provider: IdentityProvider,
    redirect_uri: String,
}
