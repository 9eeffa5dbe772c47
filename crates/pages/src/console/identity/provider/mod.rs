//! Identity providers of a project, or of the service for operators: the list, one provider, and deleting it.

pub(crate) mod failed;
pub(crate) mod form;
mod scope;

use askama::Template;
use steward_domain::identity::{EmailDomain, IdentityProvider};

use crate::console::frame::{Confirmation, FormState, Outcome, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;

use self::scope::{ProviderScope, load};

/// Lists the providers.
pub(crate) async fn list(signed: Signed) -> PageResult {
    let scope = ProviderScope::of(&signed).await?;
    let providers = signed.steward().identity_providers.list(&signed.caller, scope.project()).await?;
    signed.page(&List {
        shell: scope.shell(&signed).await?,
        providers: providers.iter().map(|provider| ProviderLine::of(&signed, &scope, provider)).collect(),
        scope,
    })
}

/// Shows a provider.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let (scope, provider) = load(&signed).await?;
    signed.page(&Details {
        shell: scope.shell_below(&signed, provider.name.as_str()).await?,
        provider: ProviderLine::of(&signed, &scope, &provider),
        scope,
    })
}

/// Deletes a provider.
pub(crate) async fn submit_delete(mut submission: Submission) -> PageResult {
    submission.describe("Delete the provider");
    let (scope, provider) = load(&submission.signed).await?;
    let (id, when) = (provider.id, submission.precondition());
    let submitted = submission.run_once(scope.delete_operation(), async |caller| {
        submission.signed.steward().identity_providers.delete(caller, scope.project(), id, &when).await?;
        Ok(Outcome::next(scope.at(""), "The provider was deleted."))
    });
    submitted.await?.or_show(|form| delete_page(&submission.signed, form)).await
}

/// Asks before a provider is deleted.
pub(crate) async fn delete_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, provider) = load(signed).await?;
    scope.require_write()?;
    let page = Confirmation {
        shell: scope.shell_of(signed, &provider, "Delete").await?,
        form: form.with_revision(provider.revision),
        title: "Delete the provider",
        subject: provider.name.to_string(),
        last_used: None,
        consequences: vec![
            "People can no longer sign in there. Those who have no password yet can set one with a link by email."
                .to_owned(),
            "If you add the provider again, people have to link their identities again.".to_owned(),
        ],
        button: "Delete the provider",
        is_danger: true,
    };
    page.form.page(signed, &page)
}

/// A provider as pages show it.
struct ProviderLine {
    address: String,
    name: String,
    kind: &'static str,
    issuer: String,
    client_id: String,
    has_secret: bool,
    email_domains: Vec<String>,
    is_enabled: bool,
    proves_emails: bool,
    redirect_uri: String,
    created: Timestamp,
}

impl ProviderLine {
    fn of(signed: &Signed, scope: &ProviderScope, provider: &IdentityProvider) -> Self {
        Self {
            address: scope.at(&format!("/{}", provider.id)),
            name: provider.name.to_string(),
            kind: provider.kind.label(),
            issuer: provider.issuer.as_str().to_owned(),
            client_id: provider.client_id.as_str().to_owned(),
            has_secret: provider.client_secret.is_some(),
            email_domains: provider.email_domains.iter().map(EmailDomain::shown).collect(),
            is_enabled: provider.is_enabled,
            proves_emails: provider.proves_emails(),
            redirect_uri: signed.steward().identity_providers.redirect_uri(provider.id),
            created: provider.created_at.into(),
        }
    }
}

#[derive(Template)]
#[template(path = "console/identity/provider/list.html")]
struct List {
    shell: Shell,
    scope: ProviderScope,
    providers: Vec<ProviderLine>,
}

#[derive(Template)]
#[template(path = "console/identity/provider/details.html")]
struct Details {
    shell: Shell,
    scope: ProviderScope,
    provider: ProviderLine,
}
