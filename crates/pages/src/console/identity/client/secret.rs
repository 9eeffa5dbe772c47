//! Secrets of clients: rotating one, and showing a new one once.

use askama::Template;
use steward_domain::identity::ProjectClient;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{Secret, Time};

use crate::console::frame::rotation::{GRACE_PERIODS, ReplacedLine, grace_seconds};
use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;

use super::scope::{address, below_client, client_id, list_shell, load};

/// Rotates the secret of a client and shows the new one.
pub(crate) async fn submit_rotate(mut submission: Submission) -> PageResult {
    submission.describe("Rotate the secret of the client");
    let scope = submission.signed.project().await?;
    let (project, id) = (scope.project.id, client_id(&submission.signed)?);
    let list = list_shell(&submission.signed, &scope).await?;
    let submitted = submission.run_once(Operation::ClientSecretRotate, async |caller| {
        let grace = grace_seconds(&submission.form)?;
        let issued = submission.signed.steward().clients.rotate_secret(caller, project, id, grace).await?;
        let shell = below_client(list, &scope, &issued.value, "New secret");
        NewSecret::outcome(shell, &issued.value, &issued.secret, true)
    });
    submitted.await?.or_show(|form| rotate_page(&submission.signed, form)).await
}

/// Asks before the secret of a client is rotated.
pub(crate) async fn rotate_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, client) = load(signed).await?;
    if !form.is_refused() {
        scope.permitted.require(Operation::ClientSecretRotate)?;
        if let Some(roles) = &client.settings.roles {
            scope.permitted.require_grant(roles.permissions())?;
        }
    }
    if client.secret.is_none() {
        return signed.next(&address(client.project_id, client.id), "The client has no secret.");
    }
    let view = Rotate {
        shell: below_client(list_shell(signed, &scope).await?, &scope, &client, "Rotate"),
        form: form.starting_with(&[("grace_seconds", "3600")]),
        now: signed.steward().clock.now(),
        client,
    };
    view.form.page(signed, &view)
}

/// The secret of a client that was just created, or whose secret was just rotated.
#[derive(Template)]
#[template(path = "console/identity/client/secret.html")]
pub(crate) struct NewSecret<'a> {
    shell: Shell,
    title: &'static str,
    /// The name of the client.
    client: &'a str,
    client_id: String,
    secret: &'a str,
    is_rotated: bool,
    /// Until when the secret before a rotation works; `None` if it does not.
    previous_until: Option<Timestamp>,
    address: String,
}

impl NewSecret<'_> {
    pub(crate) fn outcome(
        shell: Shell,
        client: &ProjectClient,
        secret: &Secret,
        is_rotated: bool,
    ) -> Result<Outcome, Error> {
        let previous = client.secret.as_ref().and_then(|secret| secret.replaced.previous.as_ref());
        let view = NewSecret {
            shell,
            title: if is_rotated { "The secret was rotated" } else { "The client was created" },
            client: client.settings.name.as_str(),
            client_id: client.id.to_string(),
            secret: secret.expose(),
            is_rotated,
            previous_until: previous.map(|previous| Timestamp::from(previous.expires_at)),
            address: address(client.project_id, client.id),
        };
        Outcome::page(&view, &view.address)
    }
}

#[derive(Template)]
#[template(path = "console/identity/client/rotate.html")]
struct Rotate {
    shell: Shell,
    form: FormState,
    client: ProjectClient,
    now: Time,
}
