//! Attempts to deliver events to a webhook, sending an event again, and sending a test event.

use askama::Template;
use steward_domain::administration::WebhookDelivery;
use steward_domain::kernel::DeliveryId;
use steward_domain::kernel::error::{Error, ResourceKind};

use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;
use crate::response::see_other;

use super::overview::webhook_page;
use super::scope::{WebhookAction, WebhookScope, load};

/// Lists the attempts to deliver events to a webhook.
pub(crate) async fn list(signed: Signed) -> PageResult {
    list_page(&signed, None).await
}

/// Sends the event of an earlier delivery again and shows the result.
pub(crate) async fn redeliver(submission: Submission) -> PageResult {
    let (scope, webhook) = load(&submission.signed).await?;
    let delivery = DeliveryId::parse(submission.form.text("delivery"));
    let delivery = delivery.ok_or(Error::NotFound(ResourceKind::Delivery))?;
    let submitted = submission.run_once(scope.operation(WebhookAction::Redeliver), async |caller| {
        let webhooks = &submission.signed.steward().webhooks;
        let sent = webhooks.redeliver(caller, scope.id(), webhook.id, delivery).await?;
        Ok(Outcome::next(scope.at(&format!("/{}/deliveries", webhook.id)), result(&sent)))
    });
    submitted.await?.or_show(|form| list_page(&submission.signed, Some(form))).await
}

/// Redirects to the webhook from the path that only accepts the form of a test.
pub(crate) async fn back(signed: Signed) -> PageResult {
    let (scope, webhook) = load(&signed).await?;
    Ok(see_other(&scope.at(&format!("/{}", webhook.id))))
}

/// Sends a test event and shows the result.
pub(crate) async fn send_test(submission: Submission) -> PageResult {
    let (scope, webhook) = load(&submission.signed).await?;
    let submitted = submission.run_once(scope.operation(WebhookAction::Test), async |caller| {
        let sent = submission.signed.steward().webhooks.test(caller, scope.id(), webhook.id).await?;
        Ok(Outcome::next(scope.at(&format!("/{}/deliveries", webhook.id)), result(&sent)))
    });
    submitted.await?.or_show(|form| webhook_page(&submission.signed, form)).await
}

/// Returns the result of a redelivery or a test as a sentence.
fn result(sent: &WebhookDelivery) -> String {
    let (subject, again) = match sent.is_test() {
        true => ("The test event".to_owned(), ""),
        false => (format!("The event {}", sent.event), " again"),
    };
    match (&sent.error, sent.status) {
        (Some(error), _) => format!("{subject} was sent{again}. {error}"),
        (None, Some(status)) => format!("{subject} was delivered{again}. The receiver returned status {status}."),
        (None, None) => format!("{subject} was delivered{again}."),
    }
}

/// `refused`: the form of a redelivery that was refused.
async fn list_page(signed: &Signed, refused: Option<FormState>) -> PageResult {
    let (scope, webhook) = load(signed).await?;
    let (caller, page) = (&signed.caller, signed.page_request());
    let found = signed.steward().webhooks.deliveries(caller, scope.id(), webhook.id, &page).await?;
    let back = scope.at(&format!("/{}", webhook.id));
    let view = Deliveries {
        shell: scope.shell_of(signed, &webhook, "Deliveries").await?,
        deliveries: found.items.into_iter().map(|delivery| (delivery, FormState::new(signed, &[]))).collect(),
        next: signed.next_page(found.next.as_ref(), &[]),
        url: webhook.url.as_str().to_owned(),
        address: format!("{back}/deliveries"),
        test: FormState::new(signed, &[]),
        test_address: format!("{back}/test"),
        back,
        refused,
        scope,
    };
    match &view.refused {
        Some(form) => form.page(signed, &view),
        None => signed.page(&view),
    }
}

/// Returns the number of the attempt, or why the event was sent outside the order of events.
fn attempt(delivery: &WebhookDelivery) -> String {
    match delivery.attempt {
        0 if delivery.is_test() => "Test".to_owned(),
        0 => "Redelivery".to_owned(),
        attempt => attempt.to_string(),
    }
}

#[derive(Template)]
#[template(path = "console/administration/webhook/deliveries.html")]
struct Deliveries {
    shell: Shell,
    scope: WebhookScope,
    url: String,
    /// With the form that sends the event again, or another test event.
    deliveries: Vec<(WebhookDelivery, FormState)>,
    next: Option<String>,
    /// Where the forms are submitted to.
    address: String,
    /// The form that sends a test event, for an empty list.
    test: FormState,
    test_address: String,
    back: String,
    refused: Option<FormState>,
}
