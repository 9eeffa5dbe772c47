//! Webhooks of teams and projects: who is told of their changes (Standard Webhooks 1.0).

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{EventSelection, Issued, Webhook, WebhookDelivery, WebhookUrl};
use steward_domain::usecases::{CreateWebhook, FollowedScope, Steward, UpdateWebhook};
use utoipa::ToSchema;

use super::{Address, at};
use crate::Api;
use crate::answer::{self, Data, Listing, Message, moment};
use crate::body::JsonBody;
use crate::error::{ApiError, ErrorBody};
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, PathIds, Query};
use crate::streamed;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/project/{id}/webhook").get(project_list).on(Method::POST, project_create).mount(routes);
    at("/project/{id}/webhook/{webhook_id}")
        .get(project_get)
        .on(Method::PATCH, project_update)
        .on(Method::DELETE, project_delete)
        .mount(routes);
    at("/project/{id}/webhook/{webhook_id}/rotate-secret").on(Method::POST, project_rotate).mount(routes);
    at("/project/{id}/webhook/{webhook_id}/delivery").get(project_deliveries).mount(routes);
    at("/project/{id}/webhook/{webhook_id}/delivery/{delivery_id}/redeliver")
        .on(Method::POST, project_redeliver)
        .mount(routes);
    at("/team/{team_id}/webhook").get(team_list).on(Method::POST, team_create).mount(routes);
    at("/team/{team_id}/webhook/{webhook_id}")
        .get(team_get)
        .on(Method::PATCH, team_update)
        .on(Method::DELETE, team_delete)
        .mount(routes);
    at("/team/{team_id}/webhook/{webhook_id}/rotate-secret").on(Method::POST, team_rotate).mount(routes);
    at("/team/{team_id}/webhook/{webhook_id}/delivery").get(team_deliveries).mount(routes);
    at("/team/{team_id}/webhook/{webhook_id}/delivery/{delivery_id}/redeliver")
        .on(Method::POST, team_redeliver)
        .mount(routes);
}

#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookBody {
    id: String,
    url: String,
    /// `["*"]`, or names of events.
    events: Vec<String>,
    /// `active`, or `paused` when nothing is sent any more.
    status: &'static str,
    /// Why it is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    paused_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    paused_at: Option<String>,
    created_by: String,
    /// The account whose authority it rests on: who made it, or last changed its URL or resumed it. It is paused when they
    /// may not manage webhooks any more.
    authorized_by: String,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<Webhook> for WebhookBody {
    fn from(webhook: Webhook) -> Self {
        let (paused_at, paused_reason) = webhook.pause.map(|pause| (moment(pause.at), pause.reason)).unzip();
        Self {
            id: webhook.id.to_string(),
            url: webhook.url.as_str().to_owned(),
            events: webhook.events.texts(),
            status: if paused_at.is_some() { "paused" } else { "active" },
            paused_reason,
            paused_at,
            created_by: webhook.created_by.to_string(),
            authorized_by: webhook.authorized_by.to_string(),
            created_at: moment(webhook.created_at),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookIssued {
    #[serde(flatten)]
    webhook: WebhookBody,
    /// What messages are signed with. It is shown here and never again.
    secret: String,
}

impl From<Issued<Webhook>> for WebhookIssued {
    fn from(issued: Issued<Webhook>) -> Self {
        Self { secret: issued.secret.expose().to_owned(), webhook: issued.value.into() }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct DeliveryBody {
    id: String,
    /// The name of the event.
    event: String,
    /// The `position` of the event in the audit log.
    position: i64,
    /// The how-manieth attempt; 0 for one that a person asked for.
    attempt: u32,
    #[schema(format = DateTime)]
    at: String,
    took_ms: i64,
    /// What the receiver answered.
    status: Option<u16>,
    /// Why it counts as failed.
    error: Option<String>,
}

impl From<WebhookDelivery> for DeliveryBody {
    fn from(delivery: WebhookDelivery) -> Self {
        Self {
            id: delivery.id.to_string(),
            event: delivery.event,
            position: delivery.position,
            attempt: delivery.attempt,
            at: moment(delivery.at),
            took_ms: delivery.took_ms,
            status: delivery.status,
            error: delivery.error,
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateWebhookBody {
    /// An https URL.
    url: String,
    /// `["*"]`, or names of events like `team.updated`.
    events: Vec<String>,
}

impl CreateWebhookBody {
    fn parse(self, mut errors: FieldViolations, api: &Api) -> Result<CreateWebhook, Error> {
        let url = errors.note("url", WebhookUrl::parse(&self.url, api.allow_private_webhooks));
        let events = errors.note("events", EventSelection::parse(&self.events));
        errors.or(url.zip(events).map(|(url, events)| CreateWebhook { url, events }))
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateWebhookBody {
    url: Option<String>,
    events: Option<Vec<String>>,
    /// `active` begins to send again, from where it stopped.
    status: Option<String>,
}

impl UpdateWebhookBody {
    fn parse(self, mut errors: FieldViolations, api: &Api) -> Result<UpdateWebhook, Error> {
        if self.url.is_none() && self.events.is_none() && self.status.is_none() {
            errors.note::<(), _>("url", Err("send a url, events, a status, or several"));
        }
        let url = self.url.map(|text| errors.note("url", WebhookUrl::parse(&text, api.allow_private_webhooks)));
        let events = self.events.map(|names| errors.note("events", EventSelection::parse(&names)));
        let resume = self.status.map(|status| match status.as_str() {
            "active" => Ok(true),
            _ => Err("can only be set to active"),
        });
        let resume = resume.map(|resume| errors.note("status", resume));
        errors.or(Some(UpdateWebhook {
            url: url.flatten(),
            events: events.flatten(),
            resume: resume.flatten().unwrap_or(false),
        }))
    }
}

fn to_create(body: JsonBody, api: &Api) -> Result<CreateWebhook, ApiError> {
    body.of_entity::<WebhookBody>().read(|body: CreateWebhookBody, errors| body.parse(errors, api))
}

fn to_update(body: JsonBody, api: &Api) -> Result<UpdateWebhook, ApiError> {
    body.of_entity::<WebhookBody>().read(|body: UpdateWebhookBody, errors| body.parse(errors, api))
}

/// The place that the path names.
fn of_project(named: &PathIds) -> Result<FollowedScope, ApiError> {
    Ok(FollowedScope::Project(named.project()?))
}

fn of_team(named: &PathIds) -> Result<FollowedScope, ApiError> {
    Ok(FollowedScope::Team(named.team()?))
}

async fn listed(
    api: &web::Data<Api>,
    caller: &Authenticated,
    named: &PathIds,
    query: &Query,
    place: FollowedScope,
) -> Result<HttpResponse, ApiError> {
    let read = async move |steward: Arc<Steward>, caller, page| steward.webhooks.list(&caller, place, &page).await;
    streamed::list(api, caller, named.request(), query.page()?, read, WebhookBody::from).await
}

async fn deliveries(
    api: &web::Data<Api>,
    caller: &Authenticated,
    named: &PathIds,
    query: &Query,
    place: FollowedScope,
) -> Result<HttpResponse, ApiError> {
    let webhook = named.webhook()?;
    let read = async move |steward: Arc<Steward>, caller, page| {
        steward.webhooks.deliveries(&caller, place, webhook, &page).await
    };
    streamed::list(api, caller, named.request(), query.page()?, read, DeliveryBody::from).await
}

/// List the webhooks of a project, without their secrets
#[utoipa::path(get, path = "/project/{id}/webhook", operation_id = "listProjectWebhooks", tag = "projects",
    params(("id" = String, Path), PageParameters), responses((status = 200, body = inline(Listing<WebhookBody>))))]
pub(crate) async fn project_list(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    listed(&api, &caller, &named, &query, of_project(&named)?).await
}

/// Make a webhook, which is told of what happens in the project from now on
#[utoipa::path(post, path = "/project/{id}/webhook", operation_id = "createProjectWebhook", tag = "projects", params(("id" = String, Path)),
    request_body = CreateWebhookBody, responses((status = 201, body = inline(Data<WebhookIssued>))))]
pub(crate) async fn project_create(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (place, command) = (of_project(&named)?, to_create(body, &api)?);
    let issued = api.steward.webhooks.create(&caller.0, place, command).await?;
    Ok(answer::secret_created(&Data { data: WebhookIssued::from(issued) }))
}

/// Read a webhook of a project, without its secret
#[utoipa::path(get, path = "/project/{id}/webhook/{webhook_id}", operation_id = "getProjectWebhook", tag = "projects",
    params(("id" = String, Path), ("webhook_id" = String, Path)), responses((status = 200, body = inline(Data<WebhookBody>))))]
pub(crate) async fn project_get(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    let webhook = api.steward.webhooks.get(&caller.0, of_project(&named)?, named.webhook()?).await?;
    Ok(answer::ok(&Data { data: WebhookBody::from(webhook) }))
}

/// Change where and of what a webhook of a project is told, or begin to send again
#[utoipa::path(patch, path = "/project/{id}/webhook/{webhook_id}", operation_id = "updateProjectWebhook", tag = "projects",
    params(("id" = String, Path), ("webhook_id" = String, Path)), request_body = UpdateWebhookBody,
    responses((status = 200, body = inline(Data<WebhookBody>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn project_update(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (place, id, command) = (of_project(&named)?, named.webhook()?, to_update(body, &api)?);
    let webhook = api.steward.webhooks.update(&caller.0, place, id, command).await?;
    Ok(answer::ok(&Data { data: WebhookBody::from(webhook) }))
}

/// Remove a webhook of a project; nothing more is sent
#[utoipa::path(delete, path = "/project/{id}/webhook/{webhook_id}", operation_id = "deleteProjectWebhook", tag = "projects",
    params(("id" = String, Path), ("webhook_id" = String, Path)),
    responses((status = 200, body = Message), (status = 409, body = ErrorBody)))]
pub(crate) async fn project_delete(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    api.steward.webhooks.delete(&caller.0, of_project(&named)?, named.webhook()?).await?;
    Ok(answer::ok(&Message { message: "the webhook is deleted; nothing more is sent" }))
}

/// Give a webhook of a project a new secret; for a day messages are signed with both
#[utoipa::path(post, path = "/project/{id}/webhook/{webhook_id}/rotate-secret", operation_id = "rotateProjectWebhookSecret",
    tag = "projects", params(("id" = String, Path), ("webhook_id" = String, Path)),
    responses((status = 200, body = inline(Data<WebhookIssued>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn project_rotate(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    let issued = api.steward.webhooks.rotate(&caller.0, of_project(&named)?, named.webhook()?).await?;
    Ok(answer::secret(&Data { data: WebhookIssued::from(issued) }))
}

/// List the attempts to tell a webhook of a project, newest first
#[utoipa::path(get, path = "/project/{id}/webhook/{webhook_id}/delivery", operation_id = "listProjectWebhookDeliveries",
    tag = "projects", params(("id" = String, Path), ("webhook_id" = String, Path), PageParameters),
    responses((status = 200, body = inline(Listing<DeliveryBody>))))]
pub(crate) async fn project_deliveries(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    deliveries(&api, &caller, &named, &query, of_project(&named)?).await
}

/// Tell a webhook of a project of the same event once more, now
#[utoipa::path(post, path = "/project/{id}/webhook/{webhook_id}/delivery/{delivery_id}/redeliver",
    operation_id = "redeliverProjectWebhook", tag = "projects",
    params(("id" = String, Path), ("webhook_id" = String, Path), ("delivery_id" = String, Path)),
    responses((status = 200, body = inline(Data<DeliveryBody>))))]
pub(crate) async fn project_redeliver(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (place, id, delivery) = (of_project(&named)?, named.webhook()?, named.delivery()?);
    let delivery = api.steward.webhooks.redeliver(&caller.0, place, id, delivery).await?;
    Ok(answer::ok(&Data { data: DeliveryBody::from(delivery) }))
}

/// List the webhooks of a team, without their secrets
#[utoipa::path(get, path = "/team/{team_id}/webhook", operation_id = "listTeamWebhooks", tag = "teams",
    params(("team_id" = String, Path), PageParameters), responses((status = 200, body = inline(Listing<WebhookBody>))))]
pub(crate) async fn team_list(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    listed(&api, &caller, &named, &query, of_team(&named)?).await
}

/// Make a webhook, which is told of what happens in the team from now on
#[utoipa::path(post, path = "/team/{team_id}/webhook", operation_id = "createTeamWebhook", tag = "teams", params(("team_id" = String, Path)),
    request_body = CreateWebhookBody, responses((status = 201, body = inline(Data<WebhookIssued>))))]
pub(crate) async fn team_create(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (place, command) = (of_team(&named)?, to_create(body, &api)?);
    let issued = api.steward.webhooks.create(&caller.0, place, command).await?;
    Ok(answer::secret_created(&Data { data: WebhookIssued::from(issued) }))
}

/// Read a webhook of a team, without its secret
#[utoipa::path(get, path = "/team/{team_id}/webhook/{webhook_id}", operation_id = "getTeamWebhook", tag = "teams",
    params(("team_id" = String, Path), ("webhook_id" = String, Path)), responses((status = 200, body = inline(Data<WebhookBody>))))]
pub(crate) async fn team_get(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    let webhook = api.steward.webhooks.get(&caller.0, of_team(&named)?, named.webhook()?).await?;
    Ok(answer::ok(&Data { data: WebhookBody::from(webhook) }))
}

/// Change where and of what a webhook of a team is told, or begin to send again
#[utoipa::path(patch, path = "/team/{team_id}/webhook/{webhook_id}", operation_id = "updateTeamWebhook", tag = "teams",
    params(("team_id" = String, Path), ("webhook_id" = String, Path)), request_body = UpdateWebhookBody,
    responses((status = 200, body = inline(Data<WebhookBody>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn team_update(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (place, id, command) = (of_team(&named)?, named.webhook()?, to_update(body, &api)?);
    let webhook = api.steward.webhooks.update(&caller.0, place, id, command).await?;
    Ok(answer::ok(&Data { data: WebhookBody::from(webhook) }))
}

/// Remove a webhook of a team; nothing more is sent
#[utoipa::path(delete, path = "/team/{team_id}/webhook/{webhook_id}", operation_id = "deleteTeamWebhook", tag = "teams",
    params(("team_id" = String, Path), ("webhook_id" = String, Path)),
    responses((status = 200, body = Message), (status = 409, body = ErrorBody)))]
pub(crate) async fn team_delete(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    api.steward.webhooks.delete(&caller.0, of_team(&named)?, named.webhook()?).await?;
    Ok(answer::ok(&Message { message: "the webhook is deleted; nothing more is sent" }))
}

/// Give a webhook of a team a new secret; for a day messages are signed with both
#[utoipa::path(post, path = "/team/{team_id}/webhook/{webhook_id}/rotate-secret", operation_id = "rotateTeamWebhookSecret",
    tag = "teams", params(("team_id" = String, Path), ("webhook_id" = String, Path)),
    responses((status = 200, body = inline(Data<WebhookIssued>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn team_rotate(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    let issued = api.steward.webhooks.rotate(&caller.0, of_team(&named)?, named.webhook()?).await?;
    Ok(answer::secret(&Data { data: WebhookIssued::from(issued) }))
}

/// List the attempts to tell a webhook of a team, newest first
#[utoipa::path(get, path = "/team/{team_id}/webhook/{webhook_id}/delivery", operation_id = "listTeamWebhookDeliveries",
    tag = "teams", params(("team_id" = String, Path), ("webhook_id" = String, Path), PageParameters),
    responses((status = 200, body = inline(Listing<DeliveryBody>))))]
pub(crate) async fn team_deliveries(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    deliveries(&api, &caller, &named, &query, of_team(&named)?).await
}

/// Tell a webhook of a team of the same event once more, now
#[utoipa::path(post, path = "/team/{team_id}/webhook/{webhook_id}/delivery/{delivery_id}/redeliver",
    operation_id = "redeliverTeamWebhook", tag = "teams",
    params(("team_id" = String, Path), ("webhook_id" = String, Path), ("delivery_id" = String, Path)),
    responses((status = 200, body = inline(Data<DeliveryBody>))))]
pub(crate) async fn team_redeliver(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (place, id, delivery) = (of_team(&named)?, named.webhook()?, named.delivery()?);
    let delivery = api.steward.webhooks.redeliver(&caller.0, place, id, delivery).await?;
    Ok(answer::ok(&Data { data: DeliveryBody::from(delivery) }))
}
