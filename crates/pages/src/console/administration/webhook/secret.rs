//! Signing secrets of webhooks: rotating one, and showing a new one once.

use askama::Template;
use steward_domain::administration::Webhook;
use steward_domain::kernel::Issued;
use steward_domain::kernel::error::Error;

use crate::console::frame::{Outcome, Shell, Submission, Timestamp};
use crate::error::PageResult;

use super::confirmation::WebhookConfirmation;
use super::scope::{WebhookAction, WebhookScope, webhook_id};

pub(crate) static ROTATE: WebhookConfirmation = WebhookConfirmation {
    action: WebhookAction::Rotate,
    label: "Rotate the secret",
    title: "Rotate the secret of the webhook",
    consequences: &[
        "For 24 hours, messages are signed with both the new and the previous secret. The one before it keeps its time.",
        "Replace the secret in the receiver within this time.",
    ],
    button: "Rotate the secret",
    is_danger: false,
};

/// Rotates the secret of a webhook and shows the new one.
pub(crate) async fn submit_rotate(mut submission: Submission) -> PageResult {
    submission.describe(ROTATE.title);
    let scope = WebhookScope::of(&submission.signed).await?;
    let id = webhook_id(&submission.signed)?;
    let list = scope.shell(&submission.signed).await?;
    let submitted = ROTATE.submit(&submission, &scope, async |caller| {
        let issued = submission.signed.steward().webhooks.rotate(caller, scope.id(), id).await?;
        let shell = scope.below_webhook(list, &issued.value, "New secret");
        NewSecret::outcome(shell, &scope, &issued, "The secret was rotated")
    });
    submitted.await
}

/// The secret of a webhook that was just created or rotated.
#[derive(Template)]
#[template(path = "console/administration/webhook/secret.html")]
pub(crate) struct NewSecret<'a> {
    shell: Shell,
    title: &'static str,
    url: &'a str,
    secret: &'a str,
    /// Until when messages are also signed with the previous secret.
    previous_until: Option<Timestamp>,
    address: String,
}

impl NewSecret<'_> {
    pub(crate) fn outcome(
        shell: Shell,
        scope: &WebhookScope,
        issued: &Issued<Webhook>,
        title: &'static str,
    ) -> Result<Outcome, Error> {
        let webhook = &issued.value;
        let view = NewSecret {
            shell,
            title,
            url: webhook.url.as_str(),
            secret: issued.secret.expose(),
            previous_until: webhook.replaced.previous.as_ref().map(|previous| Timestamp::from(previous.expires_at)),
            address: scope.at(&format!("/{}", webhook.id)),
        };
        Outcome::page(&view, &view.address)
    }
}
