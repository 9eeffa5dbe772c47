//! The forms that add and change a provider.

use askama::Template;
use steward_domain::identity::{
    CreateIdentityProvider, EmailDomain, ProviderClientId, ProviderInput, ProviderKind, UpdateIdentityProvider,
    parse_client_secret, parse_email_domains,
};
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{IdentityProviderId, Label, Secret};

use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission};
use crate::error::PageResult;
use crate::request::form::Form;

use super::scope::{ProviderScope, load};

/// Adds a provider, and shows the redirect URI that has to be registered there.
pub(crate) async fn submit_new(mut submission: Submission) -> PageResult {
    submission.describe("Add a provider");
    let scope = ProviderScope::of(&submission.signed).await?;
    let operation = scope.choose(Operation::ServiceProviderCreate, Operation::IdentityProviderCreate);
    let submitted = submission.run_once(operation, async |caller| {
        let (form, signed) = (&submission.form, &submission.signed);
        let domains = domains(form);
        let input = ProviderInput {
            kind: form.text("kind"),
            name: form.given("name"),
            issuer: form.given("issuer"),
            client_id: form.text("client_id"),
            client_secret: form.given("client_secret").map(|text| Secret::new(text.to_owned())),
            email_domains: &domains,
        };
        let allow_private = signed.browser.pages.allow_private_webhooks;
        let (of_project, errors) = (scope.project().is_some(), FieldViolations::default());
        let command = CreateIdentityProvider::parse(input, of_project, allow_private, errors)?;
        let command = CreateIdentityProvider { id: IdentityProviderId::parse(form.text("id")), ..command };
        let provider = signed.steward().identity_providers.create(caller, scope.project(), command).await?;
        let message = "The provider was added. Register the redirect URI there.";
        Ok(Outcome::next(scope.at(&format!("/{}", provider.id)), message))
    });
    submitted.await?.or_show(|form| form_page(&submission.signed, form)).await
}

/// Changes a provider.
pub(crate) async fn submit_edit(mut submission: Submission) -> PageResult {
    submission.describe("Change the provider");
    let (scope, before) = load(&submission.signed).await?;
    let (id, when) = (before.id, submission.precondition());
    let operation = scope.choose(Operation::ServiceProviderUpdate, Operation::IdentityProviderUpdate);
    let submitted = submission.run_once(operation, async |caller| {
        let command = changes(&submission.form, scope.project().is_none())?;
        let providers = &submission.signed.steward().identity_providers;
        providers.update(caller, scope.project(), id, command, &when).await?;
        Ok(Outcome::next(scope.at(&format!("/{id}")), "The provider was changed."))
    });
    submitted.await?.or_show(|form| form_page(&submission.signed, form)).await
}

/// Returns the changes that a form contains. An empty secret keeps the present one.
fn changes(form: &Form, of_service: bool) -> Result<UpdateIdentityProvider, Error> {
    let mut errors = FieldViolations::default();
    let secret = form.given("client_secret").map(|text| parse_client_secret(&Secret::new(text.to_owned())));
    let changes = UpdateIdentityProvider {
        name: errors.check("name", Label::parse(form.text("name"))),
        client_id: errors.check("client_id", ProviderClientId::parse(form.text("client_id"))),
        client_secret: secret.and_then(|secret| errors.check("client_secret", secret)),
        email_domains: errors.check("email_domains", parse_email_domains(&domains(form))).filter(|_| of_service),
        is_enabled: Some(form.given("is_enabled").is_some()),
    };
    errors.finish(Some(changes))
}

/// Returns the domains in a field, one per line.
fn domains(form: &Form) -> Vec<String> {
    let lines = form.text("email_domains").lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Shows the form of a new provider, or of the one in the path.
pub(crate) async fn form_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, provider) = match signed.parameter("provider") {
        "" => (ProviderScope::of(signed).await?, None),
        _ => load(signed).await.map(|(scope, provider)| (scope, Some(provider)))?,
    };
    if !form.is_refused() {
        scope.require_write()?;
    }
    let (shell, form, title, button) = match &provider {
        None => {
            let id = signed.steward().ids.next().to_string();
            let form = form.starting_with(&[("kind", ProviderKind::OpenIdConnect.as_str()), ("id", id.as_str())]);
            (scope.shell_below(signed, "New provider").await?, form, "New provider", "Add the provider")
        }
        Some(provider) => {
            let domains = provider.email_domains.iter().map(EmailDomain::shown).collect::<Vec<_>>().join("\n");
            let values = [
                ("name", provider.name.as_str()),
                ("client_id", provider.client_id.as_str()),
                ("email_domains", domains.as_str()),
                ("is_enabled", if provider.is_enabled { "yes" } else { "" }),
            ];
            let form = form.starting_with(&values).with_revision(provider.revision);
            (scope.shell_of(signed, provider, "Edit").await?, form, "Edit the provider", "Save")
        }
    };
    let id = IdentityProviderId::parse(form.value("id"));
    let view = ProviderForm {
        shell,
        redirect_uri: id.map(|id| signed.steward().identity_providers.redirect_uri(id)).unwrap_or_default(),
        form,
        of_service: scope.project().is_none(),
        is_new: provider.is_none(),
        title,
        button,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/identity/provider/form.html")]
struct ProviderForm {
    shell: Shell,
    form: FormState,
    /// That of the new provider.
    redirect_uri: String,
    /// Whether it is a provider of the service, which can be required for email domains.
    of_service: bool,
    is_new: bool,
    title: &'static str,
    button: &'static str,
}
