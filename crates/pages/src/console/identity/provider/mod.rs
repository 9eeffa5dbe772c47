//! Identity providers of a project, or of the service for operators: the list, one provider, and deleting it.

pub(crate) mod failed;
pub(crate) mod form;
mod scope;

use askama::Template;
use steward_domain::identity::{IdentityProvider, ProviderKind};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;

use crate::console::frame::{Confirmation, FormState, Outcome, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;
use crate::response::see_other;

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
        test_address: scope.at(&format!("/{}/test", provider.id)),
        form: FormState::new(&signed, &[]),
        provider,
        scope,
    })
}

/// Tests a provider, and says on its page why nobody could sign in there.
pub(crate) async fn submit_test(submission: Submission) -> PageResult {
    let signed = &submission.signed;
    let (scope, provider) = load(signed).await?;
    scope.require_write()?;
    let tested = signed.steward().identity_providers.test(&signed.caller, scope.project(), provider.id).await;
    let message = match tested {
        Ok(()) => "The provider responded, and its metadata has what a sign-in needs.".to_owned(),
        Err(Error::Invalid(found)) => found.as_slice().iter().map(|one| one.message.as_str()).collect(),
        Err(error) => return Err(error.into()),
    };
    signed.next(&scope.at(&format!("/{}", provider.id)), &message)
}

/// Opens the page of the provider, which has the form of the test.
pub(crate) async fn show_test(signed: Signed) -> PageResult {
    let (scope, provider) = load(&signed).await?;
    scope.require_write()?;
    Ok(see_other(&scope.at(&format!("/{}", provider.id))))
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
    test_address: String,
    form: FormState,
}
