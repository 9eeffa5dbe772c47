//! Attempts to deliver events to a webhook, and sending an event again.

use actix_web::HttpResponse;
use askama::Template;
use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::{Caller, DeliveryId, WebhookDelivery};

use crate::error::PageError;

use super::form_state::FormState;
use super::outcome::{Outcome, Submitted};
use super::shell::Shell;
use super::signed::Signed;
use super::submission::Submission;
use super::timestamps::date_time;
use super::webhook_scope::{WebhookAction, WebhookScope};
use super::webhooks::load;

/// Lists the attempts to deliver events to a webhook.
pub(super) async fn list(signed: Signed) -> Result<HttpResponse, PageError> {
    list_page(&signed, None).await
}

/// Sends the event of an earlier delivery again and shows the result.
pub(super) async fn redeliver(submission: Submission) -> Result<HttpResponse, PageError> {
    let (scope, webhook) = load(&submission.signed).await?;
    let delivery = DeliveryId::parse(submission.form.text("delivery"));
    let delivery = delivery.ok_or(Error::NotFound(ResourceKind::Delivery))?;
    let act = async |caller: &Caller| -> Result<Outcome, Error> {
        let webhooks = &submission.signed.steward().webhooks;
        let sent = webhooks.redeliver(caller, scope.id(), webhook.id, delivery).await?;
        Ok(Outcome::next(scope.at(&format!("/{}/deliveries", webhook.id)), result(&sent)))
    };
    match submission.once(submission.access(scope.operation(WebhookAction::Redeliver)), act).await? {
        Submitted::Done(response) => Ok(response),
        Submitted::Refused(form) => list_page(&submission.signed, Some(form)).await,
    }
}

/// Returns the result of a redelivery as a sentence.
fn result(sent: &WebhookDelivery) -> String {
    let event = &sent.event;
    match (&sent.error, sent.status) {
        (Some(error), _) => format!("The event {event} was sent again. {error}"),
        (None, Some(status)) => {
            format!("The event {event} was delivered again. The receiver returned status {status}.")
        }
        (None, None) => format!("The event {event} was delivered again."),
    }
}

/// `refused`: the form of a redelivery that was refused.
async fn list_page(signed: &Signed, refused: Option<FormState>) -> Result<HttpResponse, PageError> {
    let (scope, webhook) = load(signed).await?;
    let (caller, page) = (&signed.caller, signed.page_request());
    let found = signed.steward().webhooks.deliveries(caller, scope.id(), webhook.id, &page).await?;
    let back = scope.at(&format!("/{}", webhook.id));
    let view = Deliveries {
        shell: scope.shell_below(signed, "Deliveries").await?,
        deliveries: found.items.iter().map(|delivery| DeliveryLine::of(delivery, signed)).collect(),
        next: signed.next_page(found.next.as_ref(), &[]),
        url: webhook.url.as_str().to_owned(),
        address: format!("{back}/deliveries"),
        back,
        refused,
        scope,
    };
    match &view.refused {
        Some(form) => form.page(signed, &view),
        None => signed.page(&view),
    }
}

/// An attempt as the page shows it.
struct DeliveryLine {
    id: String,
    event: String,
    /// `None` for a redelivery.
    attempt: Option<u32>,
    at: String,
    took_ms: i64,
    status: Option<u16>,
    error: Option<String>,
    /// The form that sends the event again.
    form: FormState,
}

impl DeliveryLine {
    fn of(delivery: &WebhookDelivery, signed: &Signed) -> Self {
        Self {
            id: delivery.id.to_string(),
            event: delivery.event.clone(),
            attempt: Some(delivery.attempt).filter(|attempt| *attempt > 0),
            at: date_time(delivery.at),
            took_ms: delivery.took_ms,
            status: delivery.status,
            error: delivery.error.clone(),
            form: FormState::new(signed, &[]),
        }
    }
}

#[derive(Template)]
#[template(path = "console/deliveries.html")]
struct Deliveries {
    shell: Shell,
    scope: WebhookScope,
    url: String,
    deliveries: Vec<DeliveryLine>,
    next: Option<String>,
    /// Where the forms are submitted to.
    address: String,
    back: String,
    refused: Option<FormState>,
}
