//! OAuth clients that a project registered: the list, one client, and deleting it.

pub(crate) mod form;
pub(crate) mod logo;
pub(crate) mod refused;
mod scope;
pub(crate) mod secret;

use askama::Template;
use serde_json::Value;
use steward_domain::identity::{ClientSecret, ClientType, ProjectClient, RedirectUri};
use steward_domain::kernel::policy::Operation;

use crate::console::frame::rotation::ReplacedLine;
use crate::console::frame::{Confirmation, FormState, Outcome, ProjectScope, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;

use self::scope::{address, below_client, below_list, client_id, list_address, list_shell, load, may_rotate};

/// Lists the clients of a project.
pub(crate) async fn list(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    let clients = signed.steward().clients.list(&signed.caller, scope.project.id).await?;
    signed.page(&List {
        shell: list_shell(&signed, &scope).await?,
        clients: clients.iter().map(ClientLine::of).collect(),
        scope,
    })
}

/// Shows a client.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let (scope, client) = load(&signed).await?;
    signed.page(&Details {
        shell: below_list(list_shell(&signed, &scope).await?, &scope, client.settings.name.as_str()),
        client: ClientLine::of(&client),
        may_rotate: may_rotate(&scope, &client),
        follows_secret: signed.follows_secret(),
        scope,
    })
}

/// Deletes a client.
pub(crate) async fn submit_delete(mut submission: Submission) -> PageResult {
    submission.describe("Delete the client");
    let (project, id) = (submission.signed.project_id()?, client_id(&submission.signed)?);
    let when = submission.precondition();
    let submitted = submission.run_once(Operation::ClientDelete, async |caller| {
        submission.signed.steward().clients.delete(caller, project, id, &when).await?;
        Ok(Outcome::next(list_address(project), "The client was deleted. Its tokens no longer work."))
    });
    submitted.await?.or_show(|form| delete_page(&submission.signed, form)).await
}

/// Asks before a client is deleted.
pub(crate) async fn delete_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, client) = load(signed).await?;
    if !form.is_refused() {
        scope.permitted.require(Operation::ClientDelete)?;
    }
    let last_used = client.secret.as_ref().and_then(ClientSecret::last_use);
    let page = Confirmation {
        shell: below_client(list_shell(signed, &scope).await?, &scope, &client, "Delete"),
        form: form.with_revision(client.revision),
        title: "Delete the client",
        subject: client.settings.name.to_string(),
        consequences: vec![
            "The tokens of the client stop working immediately.".to_owned(),
            "This cannot be undone. A new client has another client ID.".to_owned(),
        ],
        last_used: last_used.map(|at| ("Its secret was last used on", at.into())),
        button: "Delete the client",
        is_danger: true,
    };
    page.form.page(signed, &page)
}

/// Returns the name of a type of clients.
fn type_label(client_type: ClientType) -> &'static str {
    match client_type {
        ClientType::Public => "Public",
        ClientType::Confidential => "Confidential",
    }
}

/// A client as pages show it.
struct ClientLine {
    address: String,
    name: String,
    /// The client ID.
    id: String,
    client_type: &'static str,
    /// The path of the logo.
    logo: Option<String>,
    registered_itself: bool,
    grant_types: Vec<&'static str>,
    redirect_uris: Vec<String>,
    scopes: String,
    roles: Option<String>,
    requires_pkce: bool,
    skips_consent: bool,
    requires_dpop: bool,
    requires_pushed_requests: bool,
    /// The public keys as JSON; `None` for a client without keys.
    keys: Option<String>,
    access_token_seconds: Option<u32>,
    sign_in_seconds: Option<u32>,
    /// `None` for a public client, and for one with keys.
    secret: Option<SecretLine>,
    created: Timestamp,
}

/// The secret of a client, without its value.
struct SecretLine {
    hint: String,
    /// With any of its values.
    last_used: Option<Timestamp>,
    current_last_used: Option<Timestamp>,
    replaced: Vec<ReplacedLine>,
}

impl ClientLine {
    /// `client`: as of now, so that it has no previous secret that no longer works.
    fn of(client: &ProjectClient) -> Self {
        let settings = &client.settings;
        Self {
            address: address(client.project_id, client.id),
            name: settings.name.to_string(),
            id: client.id.to_string(),
            client_type: type_label(client.client_type()),
            logo: logo::path_of(client),
            registered_itself: client.registered_itself,
            grant_types: settings.grant_types.names().collect(),
            redirect_uris: settings.redirect_uris.iter().map(RedirectUri::as_str).map(str::to_owned).collect(),
            scopes: settings.scopes.to_string(),
            roles: settings.roles.as_ref().map(|roles| roles.to_string().replace(',', ", ")),
            requires_pkce: settings.require_pkce,
            skips_consent: settings.skip_consent,
            requires_dpop: settings.require_dpop,
            requires_pushed_requests: settings.require_pushed_requests,
            keys: settings.keys.as_ref().map(|keys| format!("{:#}", Value::Object(keys.to_object()))),
            access_token_seconds: settings.access_token_seconds,
            sign_in_seconds: settings.sign_in_seconds,
            secret: client.secret.as_ref().map(SecretLine::of),
            created: client.created_at.into(),
        }
    }
}

impl SecretLine {
    fn of(secret: &ClientSecret) -> Self {
        Self {
            hint: secret.hint.clone(),
            last_used: secret.last_use().map(Timestamp::from),
            current_last_used: secret.last_used.map(Timestamp::from),
            replaced: ReplacedLine::of(&secret.replaced),
        }
    }
}

#[derive(Template)]
#[template(path = "console/identity/client/list.html")]
struct List {
    shell: Shell,
    scope: ProjectScope,
    clients: Vec<ClientLine>,
}

#[derive(Template)]
#[template(path = "console/identity/client/details.html")]
struct Details {
    shell: Shell,
    scope: ProjectScope,
    client: ClientLine,
    may_rotate: bool,
    follows_secret: bool,
}
