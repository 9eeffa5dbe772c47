//! Secrets of clients: rotating one, and showing a new one once.

use actix_web::HttpResponse;
use askama::Template;
use steward_domain::model::{ProjectClient, Secret};
use steward_domain::policy::Operation;

use crate::console::frame::rotation::{GRACE_PERIODS, grace_seconds};
use crate::console::frame::{FormState, Outcome, SecretPage, Shell, Signed, Submission, Timestamp};
use crate::error::PageError;

use super::ClientLine;
use super::scope::{address, below_client, client_id, list_shell, load};

/// Shows the form to rotate the secret of a client.
pub(crate) async fn show_rotate(signed: Signed) -> Result<HttpResponse, PageError> {
    let form = FormState::new(&signed, &[("grace_seconds", "3600")]);
    rotate_page(&signed, form).await
}

/// Rotates the secret of a client and shows the new one.
pub(crate) async fn submit_rotate(mut submission: Submission) -> Result<HttpResponse, PageError> {
    submission.describe("Rotate the secret of the client");
    let scope = submission.signed.project().await?;
    let (project, id) = (scope.project.id, client_id(&submission.signed)?);
    let list = list_shell(&submission.signed, &scope).await?;
    let submitted = submission.run_once(Operation::ClientSecretRotate, async |caller| {
        let grace = grace_seconds(&submission.form)?;
        let issued = submission.signed.steward().clients.rotate_secret(caller, project, id, grace).await?;
        let shell = below_client(list, &scope, &issued.value, "New secret");
        let view = NewSecret::of(shell, &issued.value, &issued.secret, "The secret was rotated");
        Outcome::page(&NewSecret { is_rotated: true, ..view })
    });
    submitted.await?.or_show(|form| rotate_page(&submission.signed, form)).await
}

async fn rotate_page(signed: &Signed, form: FormState) -> Result<HttpResponse, PageError> {
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
        form,
        client: ClientLine::of(&client),
        grace_periods: GRACE_PERIODS,
    };
    view.form.page(signed, &view)
}

/// The secret of a client that was just created, or whose secret was just rotated.
#[derive(Template)]
#[template(path = "console/client/secret.html")]
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

impl<'a> NewSecret<'a> {
    pub(crate) fn of(shell: Shell, client: &'a ProjectClient, secret: &'a Secret, title: &'static str) -> Self {
        let previous = client.secret.as_ref().and_then(|secret| secret.replaced.previous.as_ref());
        Self {
            shell,
            title,
            client: client.settings.name.as_str(),
            client_id: client.id.to_string(),
            secret: secret.expose(),
            is_rotated: false,
            previous_until: previous.map(|previous| Timestamp::from(previous.expires_at)),
            address: address(client.project_id, client.id),
        }
    }
}

impl SecretPage for NewSecret<'_> {
    fn afterwards(&self) -> String {
        format!("{}?value=shown", self.address)
    }
}

#[derive(Template)]
#[template(path = "console/client/rotate.html")]
struct Rotate {
    shell: Shell,
    form: FormState,
    client: ClientLine,
    grace_periods: [(&'static str, &'static str); 4],
}
