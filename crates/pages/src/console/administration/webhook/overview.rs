//! Webhooks of a team or project: the list, one webhook, pausing and resuming it, and deleting it.

use askama::Template;
use steward_domain::administration::{EventSelection, UpdateWebhook, Webhook, WebhookStatus};

use crate::console::frame::rotation::ReplacedLine;
use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;

use super::confirmation::WebhookConfirmation;
use super::form::ordering_label;
use super::scope::{WebhookAction, WebhookScope, load, webhook_id};

pub(crate) static PAUSE: WebhookConfirmation = WebhookConfirmation {
    action: WebhookAction::Update,
    label: "Pause",
    title: "Pause the webhook",
    consequences: &[
        "No further events are sent until the webhook is resumed. An attempt in progress is completed.",
        "Events are kept. Delivery then continues with the first event that was not delivered.",
    ],
    button: "Pause the webhook",
    is_danger: false,
};
pub(crate) static RESUME: WebhookConfirmation = WebhookConfirmation {
    action: WebhookAction::Update,
    label: "Resume",
    title: "Resume the webhook",
    consequences: &[
        "Delivery continues with the first event that was not delivered.",
        "You become the member who authorizes the webhook: it is paused when you can no longer manage webhooks.",
    ],
    button: "Resume the webhook",
    is_danger: false,
};
pub(crate) static DELETE: WebhookConfirmation = WebhookConfirmation {
    action: WebhookAction::Delete,
    label: "Delete",
    title: "Delete the webhook",
    consequences: &["Nothing more is sent, and its deliveries are no longer listed. This cannot be undone."],
    button: "Delete the webhook",
    is_danger: true,
};

/// Lists the webhooks of a team or project.
pub(crate) async fn list(signed: Signed) -> PageResult {
    let scope = WebhookScope::of(&signed).await?;
    let found = signed.steward().webhooks.list(&signed.caller, scope.id(), &signed.page_request()).await?;
    signed.page(&Webhooks {
        shell: scope.shell(&signed).await?,
        webhooks: found.items,
        next: signed.next_page(found.next.as_ref(), &[]),
        scope,
    })
}

/// Shows a webhook. `test`: the form that sends a test event.
pub(crate) async fn webhook_page(signed: &Signed, test: FormState) -> PageResult {
    let (scope, webhook) = load(signed).await?;
    let view = WebhookPage {
        shell: scope.shell_below(signed, webhook.url.as_str()).await?,
        is_own: webhook.authorized_by == signed.signed_in.account.id,
        replaced_secrets: ReplacedLine::of(&webhook.replaced, &signed.steward().clock.now()),
        follows_secret: signed.follows_secret(),
        test_address: scope.at(&format!("/{}/test", webhook.id)),
        test,
        scope,
        webhook,
    };
    view.test.page(signed, &view)
}

/// Pauses an active webhook.
pub(crate) async fn submit_pause(submission: Submission) -> PageResult {
    set_status(submission, &PAUSE, WebhookStatus::Paused, "The webhook was paused.").await
}

/// Resumes a paused webhook.
pub(crate) async fn submit_resume(submission: Submission) -> PageResult {
    set_status(submission, &RESUME, WebhookStatus::Active, "The webhook was resumed.").await
}

/// Sets the status of a webhook and shows the message.
async fn set_status(
    submission: Submission,
    confirmation: &WebhookConfirmation,
    status: WebhookStatus,
    message: &str,
) -> PageResult {
    let scope = WebhookScope::of(&submission.signed).await?;
    let (id, when) = (webhook_id(&submission.signed)?, submission.precondition());
    let submitted = confirmation.submit(&submission, &scope, async |caller| {
        let command = UpdateWebhook { status: Some(status), ..UpdateWebhook::default() };
        submission.signed.steward().webhooks.update(caller, scope.id(), id, command, &when).await?;
        Ok(Outcome::next(scope.at(&format!("/{id}")), message))
    });
    submitted.await
}

/// Deletes a webhook.
pub(crate) async fn submit_delete(mut submission: Submission) -> PageResult {
    submission.describe(DELETE.title);
    let scope = WebhookScope::of(&submission.signed).await?;
    let (id, when) = (webhook_id(&submission.signed)?, submission.precondition());
    let submitted = DELETE.submit(&submission, &scope, async |caller| {
        submission.signed.steward().webhooks.delete(caller, scope.id(), id, &when).await?;
        Ok(Outcome::next(scope.at(""), "The webhook was deleted."))
    });
    submitted.await
}

#[derive(Template)]
#[template(path = "console/administration/webhook/list.html")]
struct Webhooks {
    shell: Shell,
    scope: WebhookScope,
    webhooks: Vec<Webhook>,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "console/administration/webhook/details.html")]
struct WebhookPage {
    shell: Shell,
    scope: WebhookScope,
    webhook: Webhook,
    /// Whether the person authorizes it.
    is_own: bool,
    /// The form that sends a test event.
    test: FormState,
    test_address: String,
    /// The secrets before the current one with which messages are also signed.
    replaced_secrets: Vec<ReplacedLine>,
    follows_secret: bool,
}
