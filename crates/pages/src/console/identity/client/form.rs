//! The forms that create a client and change its settings.

use askama::Template;
use serde_json::{Map, Value};
use steward_domain::identity::{
    ClientChanges, ClientInput, ClientKeys, ClientSettings, ClientType, CreateClient, GrantType, GrantTypes,
    RedirectUri, ScopeSet,
};
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::policy::{KeyRoles, Operation};
use steward_domain::kernel::violations::{Violation, Violations};
use steward_domain::kernel::{RequestedAccess, strict_json};

use crate::console::frame::form::lines::{entered, in_field};
use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission};
use crate::error::PageResult;
use crate::request::form::Form;

use super::scope::{address, below_client, below_list, client_id, list_shell, load};
use super::secret::NewSecret;

/// Values and labels of the field that decides whether the client has a secret.
const TYPES: [(&str, &str); 2] = [
    (ClientType::Confidential.as_str(), "Confidential: for a server, with a secret or keys"),
    (ClientType::Public.as_str(), "Public: for an app in a browser or on a device, without a secret"),
];

/// Values and labels of the checkboxes of grant types.
const GRANT_TYPES: [(&str, &str); GrantType::ALL.len()] = [
    (GrantType::AuthorizationCode.as_str(), "People sign in (authorization_code)"),
    (GrantType::RefreshToken.as_str(), "Renew tokens (refresh_token)"),
    (
        GrantType::ClientCredentials.as_str(),
        "Act on its own behalf (client_credentials). For confidential clients only.",
    ),
    (GrantType::DeviceCode.as_str(), "Devices without a browser show a code that people enter elsewhere (device_code)"),
];

/// Creates a client and shows the secret of a confidential one.
pub(crate) async fn submit_new(mut submission: Submission) -> PageResult {
    submission.describe("Create a client");
    let scope = submission.signed.project().await?;
    let list = list_shell(&submission.signed, &scope).await?;
    let project = scope.project.id;
    let granted_roles = KeyRoles::parse(submission.form.text("roles")).ok();
    let access = RequestedAccess { granted_roles, ..submission.access(Operation::ClientCreate) };
    let submitted = submission.run_once_with(access, async |caller| {
        let command = create_command(&submission.form)?;
        let (client, secret) = submission.signed.steward().clients.create(caller, project, command).await?;
        match &secret {
            Some(secret) => {
                let shell = below_list(list, &scope, "New client");
                NewSecret::outcome(shell, &client, secret, false)
            }
            None => Ok(Outcome::next(address(project, client.id), "The client was created.")),
        }
    });
    submitted.await?.or_show(|form| form_page(&submission.signed, form)).await
}

fn create_command(form: &Form) -> Result<CreateClient, Error> {
    let mut errors = FieldViolations::default();
    let entered = Entered::of(form, &mut errors);
    let mut input = entered.input(form);
    if form.text("type") == ClientType::Public.as_str() {
        input.require_pkce = Some(true);
    }
    CreateClient::parse(form.text("type"), &input, errors).map_err(|error| of_form(error, form))
}

/// Changes a client.
pub(crate) async fn submit_edit(mut submission: Submission) -> PageResult {
    submission.describe("Change the client");
    let (project, id) = (submission.signed.project_id()?, client_id(&submission.signed)?);
    let when = submission.precondition();
    let submitted = submission.run_once(Operation::ClientUpdate, async |caller| {
        let changes = changes(&submission.form)?;
        submission.signed.steward().clients.update(caller, project, id, changes, &when).await?;
        Ok(Outcome::next(address(project, id), "The client was changed."))
    });
    submitted.await?.or_show(|form| form_page(&submission.signed, form)).await
}

fn changes(form: &Form) -> Result<ClientChanges, Error> {
    let mut errors = FieldViolations::default();
    let entered = Entered::of(form, &mut errors);
    let changes = ClientChanges::parse(&entered.input(form), &mut errors);
    errors.finish(Some(changes)).map_err(|error| of_form(error, form))
}

/// Shows the form of a new client, or of the one in the path.
pub(crate) async fn form_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, client) = match signed.parameter("client") {
        "" => (signed.project().await?, None),
        _ => load(signed).await.map(|(scope, client)| (scope, Some(client)))?,
    };
    let (operation, title, button) = match &client {
        None => (Operation::ClientCreate, "New client", "Create the client"),
        Some(_) => (Operation::ClientUpdate, "Edit the client", "Save"),
    };
    form.require(scope.permitted, operation)?;
    let list = list_shell(signed, &scope).await?;
    let (shell, form) = match &client {
        None => {
            let grant_types = GrantTypes::for_people();
            let grant_types = grant_types.names().map(|name| ("grant_types", name));
            let values: Vec<_> = grant_types.chain([("type", ClientType::Confidential.as_str())]).collect();
            (below_list(list, &scope, title), form.starting_with(&values))
        }
        Some(client) => {
            let form = starting_with(form, &client.settings).with_revision(client.revision);
            (below_client(list, &scope, client, "Edit"), form)
        }
    };
    let types = client.is_none().then_some(TYPES);
    let view = ClientForm { shell, form, types, title, button };
    view.form.page(signed, &view)
}

/// Returns the form with the settings of a client.
fn starting_with(form: FormState, settings: &ClientSettings) -> FormState {
    let uris = settings.redirect_uris.iter().map(RedirectUri::as_str).collect::<Vec<_>>().join("\n");
    let (scopes, roles) = (settings.scopes.to_string(), settings.roles.as_ref().map(ToString::to_string));
    let keys = settings.keys.as_ref().map(ClientKeys::to_json).unwrap_or_default();
    let seconds = [settings.access_token_seconds, settings.sign_in_seconds];
    let [access, refresh] = seconds.map(|given| given.map(|seconds| seconds.to_string()).unwrap_or_default());
    let texts = [
        ("name", settings.name.as_str()),
        ("redirect_uris", uris.as_str()),
        ("scope", scopes.as_str()),
        ("roles", roles.as_deref().unwrap_or_default()),
        ("jwks", keys.as_str()),
        ("access_token_seconds", access.as_str()),
        ("sign_in_seconds", refresh.as_str()),
    ];
    let flags = [
        ("require_pkce", settings.require_pkce),
        ("skip_consent", settings.skip_consent),
        ("require_dpop", settings.require_dpop),
        ("require_pushed_requests", settings.require_pushed_requests),
    ];
    let grant_types = settings.grant_types.names().map(|name| ("grant_types", name));
    let set = flags.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| (name, "yes"));
    form.starting_with(&grant_types.chain(texts).chain(set).collect::<Vec<_>>())
}

/// The values of a form that are not the text of one field.
struct Entered {
    grant_types: Vec<String>,
    redirect_uris: Vec<String>,
    /// All scopes that projects can request if the field is empty.
    scope: String,
    /// The set of keys; `None` if the field is empty.
    jwks: Option<Map<String, Value>>,
    access_token_seconds: Option<u32>,
    sign_in_seconds: Option<u32>,
}

impl Entered {
    fn of(form: &Form, errors: &mut FieldViolations) -> Self {
        let grant_types = form.fields().filter(|(name, _)| *name == "grant_types");
        let scope = form.given("scope").map_or_else(|| ScopeSet::for_projects().to_string(), str::to_owned);
        Self {
            grant_types: grant_types.map(|(_, value)| value.to_owned()).collect(),
            redirect_uris: entered(form, "redirect_uris").map(|(_, uri)| uri.to_owned()).collect(),
            scope,
            jwks: form.given("jwks").and_then(|text| errors.check("jwks", json_object(text))),
            access_token_seconds: seconds(form, "access_token_seconds", errors),
            sign_in_seconds: seconds(form, "sign_in_seconds", errors),
        }
    }

    fn input<'a>(&'a self, form: &'a Form) -> ClientInput<'a> {
        ClientInput {
            name: Some(form.text("name")),
            grant_types: Some(&self.grant_types),
            redirect_uris: Some(&self.redirect_uris),
            scope: Some(&self.scope),
            roles: Some(form.text("roles").trim()),
            require_pkce: Some(form.given("require_pkce").is_some()),
            skip_consent: Some(form.given("skip_consent").is_some()),
            jwks: self.jwks.as_ref(),
            require_dpop: Some(form.given("require_dpop").is_some()),
            require_pushed_requests: Some(form.given("require_pushed_requests").is_some()),
            access_token_seconds: self.access_token_seconds,
            sign_in_seconds: self.sign_in_seconds,
        }
    }
}

/// Reads a JSON object as strictly as the API does.
fn json_object(text: &str) -> Result<Map<String, Value>, String> {
    match strict_json::parse(text.as_bytes()) {
        Ok((Value::Object(members), _)) => Ok(members),
        Ok(_) => Err("must be a JSON object".to_owned()),
        Err(error) => Err(format!("must be valid JSON: {error}")),
    }
}

/// Returns the number in a field: 0, which stands for the default of the service, if it is empty.
fn seconds(form: &Form, name: &'static str, errors: &mut FieldViolations) -> Option<u32> {
    let Some(text) = form.given(name) else { return Some(0) };
    errors.check(name, text.trim().parse::<u32>().map_err(|_| "must be a whole number of seconds"))
}

/// Returns an error with the fields of the form: `redirect_uris[1]` becomes the line with the second URI.
fn of_form(error: Error, form: &Form) -> Error {
    let Error::Invalid(found) = error else { return error };
    let violations = found.as_slice().iter().map(|violation| match violation.field.split_once('[') {
        Some((name, _)) => in_field(violation, name, form),
        None => violation.clone(),
    });
    Error::Invalid(violations.collect::<Violations<Violation>>())
}

#[derive(Template)]
#[template(path = "console/identity/client/form.html")]
struct ClientForm {
    shell: Shell,
    form: FormState,
    /// The types of a new client. That of a client does not change.
    types: Option<[(&'static str, &'static str); 2]>,
    title: &'static str,
    button: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(fields: &[(&str, &str)]) -> Form {
        Form::of_fields(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn an_empty_field_stands_for_its_default() {
        let fields = [
            ("name", "Shop"),
            ("grant_types", "refresh_token"),
            ("grant_types", "authorization_code"),
            ("redirect_uris", "https://a.example/\r\n\r\n https://b.example/ "),
            ("scope", ""),
            ("roles", " "),
        ];
        let changes = changes(&form(&fields)).unwrap();
        assert_eq!(changes.grant_types, Some(GrantTypes::for_people()));
        assert_eq!(changes.redirect_uris.unwrap().len(), 2);
        assert_eq!((changes.scopes, changes.roles), (Some(ScopeSet::for_projects()), Some(None)));
        assert_eq!((changes.require_pkce, changes.skip_consent), (Some(false), Some(false)));
        assert_eq!((changes.require_dpop, changes.require_pushed_requests), (Some(false), Some(false)));
        assert_eq!(changes.keys, None, "An empty field does not remove the keys.");
        assert_eq!((changes.access_token_seconds, changes.sign_in_seconds), (Some(None), Some(None)));
    }

    #[test]
    fn each_error_is_one_of_a_field_of_the_form() {
        let fields = [
            ("type", "secret"),
            ("redirect_uris", "https://a.example/\r\n\r\nx"),
            ("scope", "admin"),
            ("jwks", "{\"keys\": [], \"keys\": []}"),
            ("access_token_seconds", "1.5"),
            ("sign_in_seconds", "1"),
        ];
        let Err(Error::Invalid(found)) = create_command(&form(&fields)) else { panic!() };
        let mut names: Vec<_> = found.as_slice().iter().map(|violation| violation.field.as_str()).collect();
        names.sort_unstable();
        let expected = [
            "access_token_seconds",
            "grant_types",
            "jwks",
            "name",
            "redirect_uris",
            "scope",
            "sign_in_seconds",
            "type",
        ];
        assert_eq!(names, expected);
        assert!(found.as_slice().iter().any(|one| one.message.starts_with("Line 3 (\"x\") must be")), "{found:?}");
    }
}
