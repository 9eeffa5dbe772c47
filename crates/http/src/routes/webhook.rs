//! Webhooks of teams and projects (Standard Webhooks 1.0).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{
    EventSelection, Issued, Webhook, WebhookDelivery, WebhookId, WebhookOrdering, WebhookStatus, WebhookUrl,
};
use steward_domain::usecases::{CreateWebhook, Steward, UpdateWebhook};

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, PathIds, Query};
use crate::response;
use crate::route::{ApiRoute, routes};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListProjectWebhooks => list;
        CreateProjectWebhook => create;
        GetProjectWebhook => get;
        UpdateProjectWebhook => update;
        DeleteProjectWebhook => delete;
        RotateProjectWebhookSecret => rotate;
        ListProjectWebhookDeliveries => deliveries;
        RedeliverProjectWebhook => redeliver;
        TestProjectWebhook => test;
        ListTeamWebhooks => list;
        CreateTeamWebhook => create;
        GetTeamWebhook => get;
        UpdateTeamWebhook => update;
        DeleteTeamWebhook => delete;
        RotateTeamWebhookSecret => rotate;
        ListTeamWebhookDeliveries => deliveries;
        RedeliverTeamWebhook => redeliver;
        TestTeamWebhook => test;
    }
}

pub(crate) fn shown_webhook(webhook: Webhook) -> wire::Webhook {
    let status = webhook.status().as_str().into();
    let (paused_at, paused_reason) = webhook.pause.map(|pause| (pause.at.into(), pause.reason)).unzip();
    wire::Webhook {
        id: webhook.id.uuid().into(),
        url: webhook.url.as_str().to_owned(),
        events: webhook.events.texts(),
        ordering: webhook.ordering.as_str().into(),
        status,
        paused_reason,
        paused_at,
        created_by: webhook.created_by.uuid().into(),
        authorized_by: webhook.authorized_by.uuid().into(),
        created_at: webhook.created_at.into(),
    }
}

pub(crate) fn webhook_with_secret(issued: Issued<Webhook>) -> wire::WebhookWithSecret {
    wire::WebhookWithSecret { secret: issued.secret.expose().into(), webhook: shown_webhook(issued.value) }
}

pub(crate) fn webhook_delivery(delivery: WebhookDelivery) -> wire::WebhookDelivery {
    wire::WebhookDelivery {
        id: delivery.id.uuid().into(),
        event: delivery.event,
        position: delivery.position,
        attempt: delivery.attempt,
        at: delivery.at.into(),
        took_ms: delivery.took_ms,
        status: delivery.status,
        error: delivery.error,
    }
}

fn parse_new_webhook(body: wire::NewWebhook, mut errors: FieldViolations, api: &Api) -> Result<CreateWebhook, Error> {
    let url = errors.check("url", WebhookUrl::parse(&body.url, api.allow_private_webhooks));
    let events = errors.check("events", EventSelection::parse(&body.events));
    let ordering = body.ordering.map_or(Ok(WebhookOrdering::default()), |text| WebhookOrdering::parse(&text));
    let ordering = errors.check("ordering", ordering);
    let settings = url.zip(events).zip(ordering);
    errors.finish(settings.map(|((url, events), ordering)| CreateWebhook { url, events, ordering }))
}

fn parse_webhook_changes(
    body: wire::WebhookChanges,
    mut errors: FieldViolations,
    api: &Api,
) -> Result<UpdateWebhook, Error> {
    let parse_url = |text: &str| WebhookUrl::parse(text, api.allow_private_webhooks);
    let command = UpdateWebhook {
        url: errors.check_given("url", body.url.as_deref(), parse_url),
        events: body.events.and_then(|names| errors.check("events", EventSelection::parse(&names))),
        ordering: errors.check_given("ordering", body.ordering.as_deref(), WebhookOrdering::parse),
        status: errors.check_given("status", body.status.as_deref(), WebhookStatus::parse),
    };
    errors.finish(Some(command))
}

/// Returns a webhook as GET shows it.
fn shown(webhook: Webhook) -> wire::Data<wire::Webhook> {
    wire::Data { data: shown_webhook(webhook) }
}

fn issued_tag(issued: &Issued<Webhook>) -> ResourceTag {
    ResourceTag::of(issued.value.revision, &shown(issued.value.clone()))
}

fn create_command(body: JsonBody, api: &Api) -> Result<CreateWebhook, ApiError> {
    body.read(|body, errors| parse_new_webhook(body, errors, api))
}

fn update_command(body: JsonBody, id: WebhookId, api: &Api) -> Result<UpdateWebhook, ApiError> {
    let body = body.with_ids([("id", id.uuid())]);
    body.read_changes(|body, errors| parse_webhook_changes(body, errors, api))
}

pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let scope = path.scope()?;
    let read = async move |steward: Arc<Steward>, caller, page| steward.webhooks.list(&caller, scope, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, shown_webhook).await
}

pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (scope, command) = (path.scope()?, create_command(body, &api)?);
    let issued = api.steward.webhooks.create(&caller.0, scope, command).await?;
    let tag = issued_tag(&issued);
    Ok(response::tagged(tag, response::secret_created(&wire::Data { data: webhook_with_secret(issued) })))
}

pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let webhook = api.steward.webhooks.get(&caller.0, path.scope()?, path.webhook()?).await?;
    response::resource(path.request(), ResourceKind::Webhook, webhook.revision, &shown(webhook))
}

pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (scope, id, when) = (path.scope()?, path.webhook()?, precondition::for_write(path.request())?);
    let command = update_command(body, id, &api)?;
    let webhook = api.steward.webhooks.update(&caller.0, scope, id, command, &when).await?;
    let (revision, body) = (webhook.revision, shown(webhook));
    Ok(response::changed(revision, &body))
}

pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (scope, id, when) = (path.scope()?, path.webhook()?, precondition::for_write(path.request())?);
    api.steward.webhooks.delete(&caller.0, scope, id, &when).await?;
    Ok(response::ok(&wire::Success { success: true }))
}

pub(crate) async fn rotate(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let issued = api.steward.webhooks.rotate(&caller.0, path.scope()?, path.webhook()?).await?;
    let tag = issued_tag(&issued);
    Ok(response::tagged(tag, response::secret(&wire::Data { data: webhook_with_secret(issued) })))
}

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
    streamed::list(&api, &caller, path.request(), query.page()?, read, webhook_delivery).await
}

pub(crate) async fn redeliver(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (scope, id, delivery) = (path.scope()?, path.webhook()?, path.delivery()?);
    let delivery = api.steward.webhooks.redeliver(&caller.0, scope, id, delivery).await?;
    Ok(response::ok(&wire::Data { data: webhook_delivery(delivery) }))
}

pub(crate) async fn test(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let delivery = api.steward.webhooks.test(&caller.0, path.scope()?, path.webhook()?).await?;
    Ok(response::ok(&wire::Data { data: webhook_delivery(delivery) }))
}
