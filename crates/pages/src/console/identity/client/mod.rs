//! OAuth clients that a project registered: the list, one client, and deleting it.

pub(crate) mod form;
pub(crate) mod logo;
pub(crate) mod refused;
mod scope;
pub(crate) mod secret;

use askama::Template;
use serde_json::Value;
use steward_domain::identity::{ClientSecret, ClientType, ProjectClient};
use steward_domain::kernel::Time;
use steward_domain::kernel::policy::Operation;

use crate::console::frame::rotation::ReplacedLine;
use crate::console::frame::{Confirmation, FormState, Outcome, ProjectScope, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;

use self::scope::{below_client, below_list, client_id, list_address, list_shell, load, may_rotate};

/// Lists the clients of a project.
pub(crate) async fn list(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    let clients = signed.steward().clients.list(&signed.caller, scope.project.id).await?;
    signed.page(&List { shell: list_shell(&signed, &scope).await?, clients, scope })
}

/// Shows a client.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let (scope, client) = load(&signed).await?;
    signed.page(&Details {
        shell: below_list(list_shell(&signed, &scope).await?, &scope, client.settings.name.as_str()),
        keys: client.settings.keys.as_ref().map(|keys| format!("{:#}", Value::Object(keys.to_object()))),
        now: signed.steward().clock.now(),
        may_rotate: may_rotate(&scope, &client),
        follows_secret: signed.follows_secret(),
        scope,
        client,
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
    form.require(scope.permitted, Operation::ClientDelete)?;
    let last_used = client.secret.as_ref().and_then(ClientSecret::last_use);
    let shell = below_client(list_shell(signed, &scope).await?, &scope, &client, "Delete");
    let form = form.with_revision(client.revision);
    let page = Confirmation {
        consequences: vec![
            "The tokens of the client stop working immediately.",
            "This cannot be undone. A new client has another client ID.",
        ],
        last_used: last_used.map(|at| ("Its secret was last used on", at.into())),
        ..Confirmation::of_danger(shell, form, "Delete the client", client.settings.name.as_str())
    };
    page.page(signed)
}

/// Returns the name of a type of clients.
fn type_label(client_type: ClientType) -> &'static str {
    match client_type {
        ClientType::Public => "Public",
        ClientType::Confidential => "Confidential",
    }
}

#[derive(Template)]
#[template(path = "console/identity/client/list.html")]
struct List {
    shell: Shell,
    scope: ProjectScope,
    clients: Vec<ProjectClient>,
}

#[derive(Template)]
#[template(path = "console/identity/client/details.html")]
struct Details {
    shell: Shell,
    scope: ProjectScope,
    client: ProjectClient,
    /// The public keys as JSON; `None` for a client without keys.
    keys: Option<String>,
    now: Time,
    may_rotate: bool,
    follows_secret: bool,
}
