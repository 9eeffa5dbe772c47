//! Sign-in settings of a project, and a link that tries them out.

use askama::Template;
use serde_json::{Map, Value, json};
use steward_domain::administration::{Project, WebhookUrl};
use steward_domain::identity::{IdentityProvider, RedirectUri, SignInSettings, format_due_time};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::violations::{Violation, Violations};
use steward_domain::kernel::{DocumentUrl, ProjectId, ServiceAddress};

use crate::console::administration::key::snippets::Snippet;
use crate::console::frame::form::lines::{entered, in_field};
use crate::console::frame::{FormState, Outcome, ProjectScope, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;
use crate::request::form::{Form, with_query};

/// A code verifier and its challenge (RFC 7636 appendix B).
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// Where the sample link leads to if no redirect URI is registered.
const LOOPBACK: &str = "http://localhost:3000/callback";

/// Changes the settings.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    let scope = submission.signed.project().await?;
    submission.describe(format!("Change how people sign in to {}", scope.project.name));
    let (when, address, id) = (submission.precondition(), scope.at("/sign-in"), scope.project.id);
    let submitted = submission.run_once(Operation::SettingsUpdate, async |caller| {
        let (pages, patch) = (&submission.signed.browser.pages, patch(&submission.form));
        let projects = &pages.steward.projects;
        let changed = projects.update_settings(caller, id, &patch, pages.allow_private_webhooks, &when).await;
        changed.map_err(|error| of_form(error, &submission.form))?;
        Ok(Outcome::next(address, "The sign-in settings were changed."))
    });
    submitted.await?.or_show(|form| settings_page(&submission.signed, form)).await
}

/// Returns the form with the settings of a project.
fn starting_with(form: FormState, settings: &SignInSettings) -> FormState {
    let (redirects, logouts) = (lines(&settings.redirect_uris), lines(&settings.post_logout_redirect_uris));
    let second_factor_from = settings.second_factor_from.map(format_due_time).unwrap_or_default();
    let colors = [settings.accent_color, settings.background_color];
    let [accent, background] = colors.map(|color| color.map(|color| color.to_string()).unwrap_or_default());
    let flag = |is_set| if is_set { "yes" } else { "" };
    form.starting_with(&[
        ("accent_color", accent.as_str()),
        ("background_color", background.as_str()),
        ("tos_uri", settings.tos_uri.as_ref().map_or("", DocumentUrl::as_str)),
        ("policy_uri", settings.policy_uri.as_ref().map_or("", DocumentUrl::as_str)),
        ("second_factor_from", second_factor_from.as_str()),
        ("redirect_uris", redirects.as_str()),
        ("post_logout_redirect_uris", logouts.as_str()),
        ("backchannel_logout_uri", settings.backchannel_logout_uri.as_ref().map_or("", WebhookUrl::as_str)),
        ("require_pkce", flag(settings.require_pkce)),
        ("email_codes", flag(settings.email_codes)),
        ("legacy_scopes", flag(settings.legacy_scopes)),
    ])
}

fn lines(uris: &[RedirectUri]) -> String {
    uris.iter().map(RedirectUri::as_str).collect::<Vec<_>>().join("\n")
}

/// Returns the settings that the form contains, as a merge patch.
fn patch(form: &Form) -> Map<String, Value> {
    let list = |name| entered(form, name).map(|(_, uri)| uri).collect::<Vec<_>>();
    let auth = json!({
        "redirect_uris": list("redirect_uris"),
        "require_pkce": form.given("require_pkce").is_some(),
        "email_codes": form.given("email_codes").is_some(),
        "legacy_scopes": form.given("legacy_scopes").is_some(),
        "second_factor_from": form.given("second_factor_from"),
        "post_logout_redirect_uris": list("post_logout_redirect_uris"),
        "backchannel_logout_uri": form.given("backchannel_logout_uri"),
        "accent_color": form.given("accent_color"),
        "background_color": form.given("background_color"),
        "tos_uri": form.given("tos_uri"),
        "policy_uri": form.given("policy_uri"),
    });
    Map::from_iter([("auth".to_owned(), auth)])
}

/// Returns an error with the fields of the form: `auth.redirect_uris[1]` becomes the line with the second URI.
fn of_form(error: Error, form: &Form) -> Error {
    let Error::Invalid(found) = error else { return error };
    let violations = found.as_slice().iter().map(|violation| {
        let path = violation.field.strip_prefix("auth.").unwrap_or(&violation.field);
        let (name, _) = path.split_once('[').unwrap_or((path, ""));
        // Each field of the form is a setting.
        let field = SignInSettings::NAMES.into_iter().find(|field| *field == name).unwrap_or("redirect_uris");
        in_field(violation, field, form)
    });
    Error::Invalid(violations.collect::<Violations<Violation>>())
}

/// Shows the settings.
pub(crate) async fn settings_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.project().await?;
    scope.permitted.require(Operation::SettingsGet)?;
    if form.is_refused() {
        scope.permitted.require(Operation::SettingsUpdate)?;
    }
    let form = starting_with(form, &scope.project.sign_in).with_revision(scope.project.revision);
    let logout_hint = match signed.browser.pages.allow_private_webhooks {
        true => "Receives a logout token when a session ends. An https or http URL. It may be in a private network.",
        false => "Receives a logout token when a session ends. An https URL that is reachable from the internet.",
    };
    let providers = match scope.permitted.may(Operation::IdentityProviderList) {
        true => signed.steward().identity_providers.list(&signed.caller, Some(scope.project.id)).await?,
        false => Vec::new(),
    };
    let view = SignIn {
        providers,
        logout_hint,
        shell: scope.shell(signed, "Sign-in").await?,
        sample: Sample::of(&scope.project, &signed.steward().address),
        client_id: scope.project.id.to_string(),
        issuer: signed.steward().address.as_str().to_owned(),
        discovery: signed.steward().address.at("/.well-known/openid-configuration"),
        settings: scope.project.sign_in.clone(),
        scope,
        form,
    };
    view.form.page(signed, &view)
}

/// A sign-in that works as it is.
struct Sample {
    link: String,
    redirect_uri: String,
    exchange: Snippet,
}

impl Sample {
    fn of(project: &Project, address: &ServiceAddress) -> Self {
        let registered = project.sign_in.redirect_uris.first();
        let redirect_uri = registered.map_or(LOOPBACK, RedirectUri::as_str).to_owned();
        let client = project.id.to_string();
        // Quoted for a shell: a URI can contain its special characters.
        let quoted = redirect_uri.replace('\'', "'\\''");
        let text = format!(
            "curl {} -d grant_type=authorization_code -d code=CODE -d client_id={client} \\\n  \
             --data-urlencode 'redirect_uri={quoted}' -d code_verifier={VERIFIER}",
            address.at("/auth/token")
        );
        let exchange = Snippet::new("exchange", "Exchange the code for tokens", text);
        Self { link: sample_link(address, project.id, &redirect_uri), redirect_uri, exchange }
    }
}

/// Returns the address of a sign-in that returns to a redirect URI.
pub(super) fn sample_link(address: &ServiceAddress, project: ProjectId, redirect_uri: &str) -> String {
    let project = project.to_string();
    let parameters = [
        ("client_id", project.as_str()),
        ("redirect_uri", redirect_uri),
        ("response_type", "code"),
        ("scope", "openid profile email"),
        ("state", "sample"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
    ];
    address.at(&with_query("/auth/authorize", parameters))
}

#[derive(Template)]
#[template(path = "console/administration/project/sign_in.html")]
struct SignIn {
    shell: Shell,
    scope: ProjectScope,
    providers: Vec<IdentityProvider>,
    settings: SignInSettings,
    sample: Sample,
    client_id: String,
    issuer: String,
    /// Address of the discovery document.
    discovery: String,
    /// What the back-channel logout URI can be.
    logout_hint: &'static str,
    form: FormState,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_a_field_is_one_address() {
        let fields = [("redirect_uris", "https://a.example/cb\r\n\r\n https://b.example/cb "), ("require_pkce", "yes")];
        let form = Form::of_fields(fields.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec());
        let auth = &patch(&form)["auth"];
        assert_eq!(auth["redirect_uris"], json!(["https://a.example/cb", "https://b.example/cb"]));
        assert_eq!((&auth["require_pkce"], &auth["legacy_scopes"]), (&json!(true), &json!(false)));
        assert_eq!(auth["backchannel_logout_uri"], Value::Null);
    }

    #[test]
    fn an_invalid_address_is_an_error_of_its_field() {
        let fields = [("redirect_uris", "https://a.example/cb\r\n\r\nx\r\n y \r\n"), ("backchannel_logout_uri", "x")];
        let form = Form::of_fields(fields.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec());
        let error = SignInSettings::default().merged(&patch(&form), false).unwrap_err();
        let Error::Invalid(found) = of_form(error, &form) else { panic!() };
        let fields: Vec<_> = found.as_slice().iter().map(|violation| violation.field.as_str()).collect();
        assert_eq!(fields, ["redirect_uris", "redirect_uris", "backchannel_logout_uri"]);
        assert!(found.as_slice()[0].message.starts_with("Line 3 (\"x\") must be"), "{found:?}");
        assert!(found.as_slice()[1].message.starts_with("Line 4 (\"y\") must be"), "{found:?}");
    }
}
