//! Webhooks of teams and projects (Standard Webhooks 1.0).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{EventSelection, Issued, Webhook, WebhookDelivery, WebhookStatus, WebhookUrl};
use steward_domain::usecases::{CreateWebhook, Steward, UpdateWebhook};
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::page::PageParameters;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, PathIds, Query};
use crate::response::{self, Data, Listing, Success, format_timestamp};
use crate::route::{ApiRoute, Mount, operations};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    let project = operations! {
        ProjectWebhookList => list;
        ProjectWebhookCreate => create [QuotaExceeded];
        ProjectWebhookGet => get [PreconditionFailed];
        ProjectWebhookUpdate => update [PreconditionFailed];
        ProjectWebhookDelete => delete [PreconditionFailed];
        ProjectWebhookRotate => rotate;
        ProjectWebhookDeliveries => deliveries;
        ProjectWebhookRedeliver => redeliver;
        ProjectWebhookTest => test;
    };
    let team = operations! {
        TeamWebhookList => list;
        TeamWebhookCreate => create [QuotaExceeded];
        TeamWebhookGet => get [PreconditionFailed];
        TeamWebhookUpdate => update [PreconditionFailed];
        TeamWebhookDelete => delete [PreconditionFailed];
        TeamWebhookRotate => rotate;
        TeamWebhookDeliveries => deliveries;
        TeamWebhookRedeliver => redeliver;
        TeamWebhookTest => test;
    };
    Mount::PROJECT.routes(project).into_iter().chain(Mount::TEAM.routes(team)).collect()
}

/// A webhook of a team or project, without its secret.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "id": "018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62",
    "url": "https://example.com/hooks",
    "events": ["*"],
    "status": "active",
    "created_by": "018f2a3c-91b7-7e02-8d54-6a0f3be27c19",
    "authorized_by": "018f2a3c-91b7-7e02-8d54-6a0f3be27c19",
    "created_at": "2026-01-31T12:00:00.000Z",
}))]
pub(crate) struct WebhookBody {
    /// Unique ID of the webhook.
    id: String,
    /// URL that events are sent to.
    url: String,
    /// Names of the events to send, or `["*"]` for all events.
    events: Vec<String>,
    /// `active`, or `paused` while no events are sent.
    status: &'static str,
    /// Why the webhook is paused. Absent if it is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    paused_reason: Option<String>,
    /// When the webhook was paused. Absent if it is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    paused_at: Option<String>,
    /// ID of the account that created the webhook.
    created_by: String,
    /// ID of the account that authorizes the webhook: the one that created it, last changed its URL or last resumed it.
    /// The webhook is paused when this account may no longer manage webhooks.
    authorized_by: String,
    /// When the webhook was created.
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<Webhook> for WebhookBody {
    fn from(webhook: Webhook) -> Self {
        let status = webhook.status().as_str();
        let (paused_at, paused_reason) = webhook.pause.map(|pause| (format_timestamp(pause.at), pause.reason)).unzip();
        Self {
            id: webhook.id.to_string(),
            url: webhook.url.as_str().to_owned(),
            events: webhook.events.texts(),
            status,
            paused_reason,
            paused_at,
            created_by: webhook.created_by.to_string(),
            authorized_by: webhook.authorized_by.to_string(),
            created_at: format_timestamp(webhook.created_at),
        }
    }
}

/// A webhook with its new secret.
#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookWithSecret {
    #[serde(flatten)]
    webhook: WebhookBody,
    /// Secret that messages are signed with. It is not shown again.
    #[schema(example = "whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGUtZXhhbXBsZS0=")]
    secret: String,
}

impl From<Issued<Webhook>> for WebhookWithSecret {
    fn from(issued: Issued<Webhook>) -> Self {
        Self { secret: issued.secret.expose().to_owned(), webhook: issued.value.into() }
    }
}

/// An attempt to deliver an event, or a test event, to a webhook.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "id": "018f2a43-1f5c-7b8d-92e4-6d7a0c3f5b18",
    "event": "project.updated",
    "position": 128,
    "attempt": 1,
    "at": "2026-01-31T12:00:00.000Z",
    "took_ms": 87,
    "status": 204,
    "error": null,
}))]
pub(crate) struct DeliveryBody {
    /// Unique ID of the attempt.
    id: String,
    /// Name of the event, such as `project.updated`, or `webhook.test`.
    event: String,
    /// `position` of the event in the audit log; 0 for a test event.
    position: i64,
    /// Attempt number, starting at 1; 0 for a manual redelivery and for a test event.
    attempt: u32,
    /// When the attempt was made.
    #[schema(format = DateTime)]
    at: String,
    /// Duration of the attempt, in milliseconds.
    took_ms: i64,
    /// HTTP status code of the response; null if there was no response.
    status: Option<u16>,
    /// Why the attempt failed; null if it succeeded.
    error: Option<String>,
}

impl From<WebhookDelivery> for DeliveryBody {
    fn from(delivery: WebhookDelivery) -> Self {
        Self {
            id: delivery.id.to_string(),
            event: delivery.event,
            position: delivery.position,
            attempt: delivery.attempt,
            at: format_timestamp(delivery.at),
            took_ms: delivery.took_ms,
            status: delivery.status,
            error: delivery.error,
        }
    }
}

/// Values of a new webhook.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewWebhook {
    /// URL to send events to: a public https URL of at most 2,048 characters, without credentials and fragment.
    url: String,
    /// Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events.
    #[schema(example = json!(["*"]))]
    events: Vec<String>,
}

impl NewWebhook {
    fn parse(self, mut errors: FieldViolations, api: &Api) -> Result<CreateWebhook, Error> {
        let url = errors.check("url", WebhookUrl::parse(&self.url, api.allow_private_webhooks));
        let events = errors.check("events", EventSelection::parse(&self.events));
        errors.finish(url.zip(events).map(|(url, events)| CreateWebhook { url, events }))
    }
}

/// Changes to a webhook. At least one field is required; absent fields stay unchanged.
#[derive(Deserialize, ToSchema)]
pub(crate) struct WebhookPatch {
    /// New URL to send events to: a public https URL of at most 2,048 characters, without credentials and fragment.
    url: Option<String>,
    /// Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events.
    #[schema(example = json!(["*"]))]
    events: Option<Vec<String>>,
    /// `paused` pauses the webhook: no further events are sent, but they are kept. `active` resumes it: delivery
    /// continues with the first event that was not delivered.
    status: Option<String>,
}

impl WebhookPatch {
    fn parse(self, mut errors: FieldViolations, api: &Api) -> Result<UpdateWebhook, Error> {
        if self.url.is_none() && self.events.is_none() && self.status.is_none() {
            errors.check::<(), _>("url", Err("at least one of `url`, `events` and `status` is required"));
        }
        let url = self.url.map(|text| errors.check("url", WebhookUrl::parse(&text, api.allow_private_webhooks)));
        let events = self.events.map(|names| errors.check("events", EventSelection::parse(&names)));
        let status = self.status.map(|text| errors.check("status", WebhookStatus::parse(&text)));
        errors.finish(Some(UpdateWebhook { url: url.flatten(), events: events.flatten(), status: status.flatten() }))
    }
}

/// Returns a webhook as GET shows it.
fn shown(webhook: Webhook) -> Data<WebhookBody> {
    Data { data: webhook.into() }
}

fn issued_tag(issued: &Issued<Webhook>) -> ResourceTag {
    ResourceTag::of(issued.value.revision, &shown(issued.value.clone()))
}

fn create_command(body: JsonBody, api: &Api) -> Result<CreateWebhook, ApiError> {
    body.ignoring_fields_of::<WebhookBody>().read(|body: NewWebhook, errors| body.parse(errors, api))
}

fn update_command(body: JsonBody, api: &Api) -> Result<UpdateWebhook, ApiError> {
    body.ignoring_fields_of::<WebhookBody>().read(|body: WebhookPatch, errors| body.parse(errors, api))
}

/// List webhooks
///
/// Returns the webhooks of the team or project, newest first, without their secrets.
#[utoipa::path(get, path = "/webhook", params(PageParameters),
    responses((status = 200, body = inline(Listing<WebhookBody>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let scope = path.scope()?;
    let read = async move |steward: Arc<Steward>, caller, page| steward.webhooks.list(&caller, scope, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, WebhookBody::from).await
}

/// Create a webhook
///
/// The webhook receives the events of the team or project from now on. The response holds its signing secret, which is
/// not shown again.
#[utoipa::path(post, path = "/webhook", request_body = NewWebhook,
    responses((status = 201, body = inline(Data<WebhookWithSecret>))))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (scope, command) = (path.scope()?, create_command(body, &api)?);
    let issued = api.steward.webhooks.create(&caller.0, scope, command).await?;
    let tag = issued_tag(&issued);
    Ok(response::tagged(tag, response::secret_created(&Data { data: WebhookWithSecret::from(issued) })))
}

/// Get a webhook
///
/// Returns a webhook without its secret.
#[utoipa::path(get, path = "/webhook/{webhook_id}",
    responses((status = 200, body = inline(Data<WebhookBody>)),
        (status = 304, description = "The webhook has the ETag in `If-None-Match`.")))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let webhook = api.steward.webhooks.get(&caller.0, path.scope()?, path.webhook()?).await?;
    response::resource(path.request(), ResourceKind::Webhook, webhook.revision, &shown(webhook))
}

/// Update a webhook
///
/// Changes the URL or the events of a webhook, pauses it or resumes it.
#[utoipa::path(patch, path = "/webhook/{webhook_id}", request_body = WebhookPatch,
    responses((status = 200, body = inline(Data<WebhookBody>))))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (scope, id, when) = (path.scope()?, path.webhook()?, precondition::for_write(path.request())?);
    let command = update_command(body, &api)?;
    let webhook = api.steward.webhooks.update(&caller.0, scope, id, command, &when).await?;
    let (revision, body) = (webhook.revision, shown(webhook));
    Ok(response::changed(revision, &body))
}

/// Delete a webhook
///
/// No further events are sent.
#[utoipa::path(delete, path = "/webhook/{webhook_id}", responses((status = 200, body = Success)))]
pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (scope, id, when) = (path.scope()?, path.webhook()?, precondition::for_write(path.request())?);
    api.steward.webhooks.delete(&caller.0, scope, id, &when).await?;
    Ok(response::ok(&Success { success: true }))
}

/// Rotate the secret of a webhook
///
/// For 24 hours, messages are signed with both the new and the previous secret.
#[utoipa::path(post, path = "/webhook/{webhook_id}/rotate-secret",
    responses((status = 200, body = inline(Data<WebhookWithSecret>))))]
pub(crate) async fn rotate(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let issued = api.steward.webhooks.rotate(&caller.0, path.scope()?, path.webhook()?).await?;
    let tag = issued_tag(&issued);
    Ok(response::tagged(tag, response::secret(&Data { data: WebhookWithSecret::from(issued) })))
}

/// List the deliveries of a webhook
///
/// Returns the attempts to deliver events to the webhook, newest first.
#[utoipa::path(get, path = "/webhook/{webhook_id}/delivery", params(PageParameters),
    responses((status = 200, body = inline(Listing<DeliveryBody>))))]
pub(crate) async fn deliveries(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (scope, webhook) = (path.scope()?, path.webhook()?);
    let read = async move |steward: Arc<Steward>, caller, page| {
        steward.webhooks.deliveries(&caller, scope, webhook, &page).await
    };
    streamed::list(&api, &caller, path.request(), query.page()?, read, DeliveryBody::from).await
}

/// Redeliver a webhook event
///
/// Sends the event of an earlier delivery again, now, and returns the outcome. A test event cannot be redelivered.
#[utoipa::path(post, path = "/webhook/{webhook_id}/delivery/{delivery_id}/redeliver",
    responses((status = 200, body = inline(Data<DeliveryBody>))))]
pub(crate) async fn redeliver(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (scope, id, delivery) = (path.scope()?, path.webhook()?, path.delivery()?);
    let delivery = api.steward.webhooks.redeliver(&caller.0, scope, id, delivery).await?;
    Ok(response::ok(&Data { data: DeliveryBody::from(delivery) }))
}

/// Test a webhook
///
/// Sends a signed message of the type `webhook.test`, now, and returns the outcome. A paused webhook can be tested as
/// well. The message has the form of an event with the position 0, and does not depend on the selected events. Each test
/// has a `webhook-id` of its own.
#[utoipa::path(post, path = "/webhook/{webhook_id}/test",
    responses((status = 200, body = inline(Data<DeliveryBody>))))]
pub(crate) async fn test(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let delivery = api.steward.webhooks.test(&caller.0, path.scope()?, path.webhook()?).await?;
    Ok(response::ok(&Data { data: DeliveryBody::from(delivery) }))
}
