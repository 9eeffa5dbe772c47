//! Attempts to deliver events to a webhook, sending events again, and sending a test event.

use askama::Template;
use futures_util::future::join_all;
use serde_json::Value;
use steward_domain::administration::{DeliveryDetails, WebhookDelivery};
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::{DeliveryId, PageRequest};

use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;
use crate::response::see_other;

use super::overview::webhook_page;
use super::scope::{WebhookAction, WebhookScope, load};

/// Maximum number of events that a form sends again: as many as the rate limit of a webhook allows at once.
const MAX_EVENTS: usize = 10;
/// How many attempts a page examines for those that failed.
const EXAMINED: u16 = 200;

/// Lists the attempts to deliver events to a webhook.
pub(crate) async fn list(signed: Signed) -> PageResult {
    list_page(&signed, None).await
}

/// Shows an attempt.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let (scope, webhook) = load(&signed).await?;
    let id = DeliveryId::parse(signed.parameter("delivery")).ok_or(Error::NotFound(ResourceKind::Delivery))?;
    let details = signed.steward().webhooks.delivery(&signed.caller, scope.id(), webhook.id, id).await?;
    let address = scope.at(&format!("/{}/deliveries", webhook.id));
    let pretty = |payload: &Value| serde_json::to_string_pretty(payload).map_err(|error| Error::Internal(error.into()));
    signed.page(&Delivery {
        shell: scope.shell_of(&signed, &webhook, "Deliveries").await?.below(address.clone(), "Delivery"),
        payload: details.payload.as_ref().map(pretty).transpose()?,
        response: details.delivery.response_body.clone().filter(|body| !body.is_empty()),
        form: FormState::new(&signed, &[]),
        details,
        address,
        scope,
    })
}

/// Sends the events of earlier deliveries again and shows the result.
pub(crate) async fn redeliver(submission: Submission) -> PageResult {
    let (scope, webhook) = load(&submission.signed).await?;
    let submitted = submission.run_once(scope.operation(WebhookAction::Redeliver), async |caller| {
        let chosen = submission.form.fields().filter(|(name, _)| *name == "delivery").map(|(_, id)| id);
        let chosen: Vec<DeliveryId> = chosen.filter_map(DeliveryId::parse).collect();
        if !(1..=MAX_EVENTS).contains(&chosen.len()) {
            return Err(Error::invalid("delivery", format!("Select between 1 and {MAX_EVENTS} deliveries.")));
        }
        let webhooks = &submission.signed.steward().webhooks;
        let sent = chosen.iter().map(|delivery| webhooks.redeliver(caller, scope.id(), webhook.id, *delivery));
        let message = results(join_all(sent).await)?;
        Ok(Outcome::next(scope.at(&format!("/{}/deliveries", webhook.id)), message))
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

/// Returns the results of redeliveries as a sentence. Only if all were refused, their error is that of the form.
fn results(all: Vec<Result<WebhookDelivery, Error>>) -> Result<String, Error> {
    let number = all.len();
    let (sent, mut refused): (Vec<_>, Vec<_>) = all.into_iter().partition(Result::is_ok);
    let sent: Vec<WebhookDelivery> = sent.into_iter().flatten().collect();
    match (sent.as_slice(), refused.pop()) {
        ([], Some(error)) => error.map(|_| String::new()),
        ([only], None) => Ok(result(only)),
        (sent, _) => {
            let delivered = sent.iter().filter(|delivery| delivery.error.is_none()).count();
            Ok(format!("{} of {number} events were sent again, and {delivered} were delivered.", sent.len()))
        }
    }
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
    let only_failed = !signed.query("failed").is_empty();
    let page = match only_failed {
        true => PageRequest { limit: Some(EXAMINED), ..signed.page_request() },
        false => signed.page_request(),
    };
    let webhooks = &signed.steward().webhooks;
    let found = webhooks.deliveries(&signed.caller, scope.id(), webhook.id, &page, only_failed).await?;
    let back = scope.at(&format!("/{}", webhook.id));
    let filter: &[(&str, &str)] = if only_failed { &[("failed", "1")] } else { &[] };
    let view = Deliveries {
        shell: scope.shell_of(signed, &webhook, "Deliveries").await?,
        can_resend: scope.may(WebhookAction::Redeliver) && found.items.iter().any(|delivery| !delivery.is_test()),
        next: signed.next_page(found.next.as_ref(), filter),
        deliveries: found.items,
        only_failed,
        url: webhook.url.as_str().to_owned(),
        address: format!("{back}/deliveries"),
        resend: FormState::new(signed, &[]),
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
    deliveries: Vec<WebhookDelivery>,
    next: Option<String>,
    /// Whether only attempts that failed are listed.
    only_failed: bool,
    /// Whether events can be selected and sent again.
    can_resend: bool,
    /// Where the form is submitted to that sends events again.
    address: String,
    resend: FormState,
    /// The form that sends a test event.
    test: FormState,
    test_address: String,
    back: String,
    refused: Option<FormState>,
}

#[derive(Template)]
#[template(path = "console/administration/webhook/delivery.html")]
struct Delivery {
    shell: Shell,
    scope: WebhookScope,
    details: DeliveryDetails,
    /// The message as JSON in lines.
    payload: Option<String>,
    /// The body of the response, unless it is empty.
    response: Option<String>,
    /// The form that sends the event again, and where it is submitted to.
    form: FormState,
    address: String,
}

#[cfg(test)]
mod tests {
    use steward_domain::kernel::Time;

    use super::*;

    #[test]
    fn the_results_of_several_events_are_counted_and_only_refusals_are_an_error() {
        let sent = |error: Option<&str>| {
            Ok(WebhookDelivery {
                id: DeliveryId::parse("018f2a43-1f5c-7b8d-92e4-6d7a0c3f5b18").unwrap(),
                webhook_id: steward_domain::kernel::WebhookId::parse("018f2a43-1f5c-7b8d-92e4-6d7a0c3f5b18").unwrap(),
                position: 1,
                event: "team.updated".to_owned(),
                attempt: 0,
                at: Time::default(),
                took_ms: 1,
                status: None,
                error: error.map(str::to_owned),
                response_body: None,
            })
        };
        let missing = || Err(Error::NotFound(ResourceKind::Delivery));
        assert!(results(vec![missing(), missing()]).is_err());
        assert_eq!(results(vec![sent(None)]).unwrap(), "The event team.updated was delivered again.");
        let several = results(vec![sent(None), missing(), sent(Some("No."))]).unwrap();
        assert_eq!(several, "2 of 3 events were sent again, and 1 were delivered.");
    }
}
