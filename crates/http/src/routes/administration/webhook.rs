//! Webhooks of teams and projects (Standard Webhooks 1.0).

use steward_api::{self as wire, Operation};
use steward_domain::administration::{
    CreateWebhook, EventSelection, UpdateWebhook, Webhook, WebhookDelivery, WebhookOrdering, WebhookStatus, WebhookUrl,
};
use steward_domain::kernel::Issued;
use steward_domain::kernel::error::{Error, FieldViolations};

use crate::Api;
use crate::extract::path::Ids;
use crate::route::serve;
use crate::serve::{Call, Outcome, Tag};

serve! {
    ListProjectWebhooks | ListTeamWebhooks => list;
    CreateProjectWebhook | CreateTeamWebhook => create;
    GetProjectWebhook | GetTeamWebhook => get;
    UpdateProjectWebhook | UpdateTeamWebhook => update;
    DeleteProjectWebhook | DeleteTeamWebhook => delete;
    RotateProjectWebhookSecret | RotateTeamWebhookSecret => rotate;
    ListProjectWebhookDeliveries | ListTeamWebhookDeliveries => deliveries;
    GetProjectWebhookDelivery | GetTeamWebhookDelivery => delivery;
    RedeliverProjectWebhook | RedeliverTeamWebhook => redeliver;
    TestProjectWebhook | TestTeamWebhook => test;
}

fn shown_webhook(webhook: Webhook) -> wire::Webhook {
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

fn webhook_delivery(delivery: WebhookDelivery) -> wire::WebhookDelivery {
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

async fn list(call: Call<wire::ListProjectWebhooks>) -> Outcome<wire::ListProjectWebhooks> {
    let scope = call.path;
    call.list(shown_webhook, async move |steward, caller, page| steward.webhooks.list(&caller, scope, &page).await)
        .await
}

/// Returns the secret of a webhook, with the entity tag of what GET shows.
fn with_secret<O>(call: &Call<O>, Issued { value, secret }: Issued<Webhook>) -> Outcome<O>
where
    O: Operation<Path: Ids, Response = wire::Data<wire::WebhookWithSecret>, Resource = wire::Webhook>,
{
    let (revision, webhook) = (value.revision, shown_webhook(value));
    call.about(Tag::of(revision, &webhook), wire::WebhookWithSecret { secret: secret.expose().into(), webhook })
}

async fn create(call: Call<wire::CreateProjectWebhook>) -> Outcome<wire::CreateProjectWebhook> {
    let command = call.body()?.read(|body, errors| parse_new_webhook(body, errors, &call.api))?;
    with_secret(&call, call.api.steward.webhooks.create(&call.caller, call.path, command).await?)
}

async fn get(call: Call<wire::GetProjectWebhook>) -> Outcome<wire::GetProjectWebhook> {
    let (scope, id) = call.path;
    let webhook = call.api.steward.webhooks.get(&call.caller, scope, id).await?;
    call.shows(webhook.revision, shown_webhook(webhook))
}

async fn update(call: Call<wire::UpdateProjectWebhook>) -> Outcome<wire::UpdateProjectWebhook> {
    let (scope, id) = call.path;
    let body = call.body()?.with_id("id", id.uuid());
    let command = body.read_changes(|body, errors| parse_webhook_changes(body, errors, &call.api))?;
    let webhook = call.api.steward.webhooks.update(&call.caller, scope, id, command, call.when()).await?;
    call.shows(webhook.revision, shown_webhook(webhook))
}

async fn delete(call: Call<wire::DeleteProjectWebhook>) -> Outcome<wire::DeleteProjectWebhook> {
    let (scope, id) = call.path;
    call.api.steward.webhooks.delete(&call.caller, scope, id, call.when()).await?;
    call.done()
}

async fn rotate(call: Call<wire::RotateProjectWebhookSecret>) -> Outcome<wire::RotateProjectWebhookSecret> {
    let (scope, id) = call.path;
    with_secret(&call, call.api.steward.webhooks.rotate(&call.caller, scope, id).await?)
}

async fn deliveries(call: Call<wire::ListProjectWebhookDeliveries>) -> Outcome<wire::ListProjectWebhookDeliveries> {
    let (scope, id) = call.path;
    call.list(webhook_delivery, async move |steward, caller, page| {
        steward.webhooks.deliveries(&caller, scope, id, &page, false).await
    })
    .await
}

async fn delivery(call: Call<wire::GetProjectWebhookDelivery>) -> Outcome<wire::GetProjectWebhookDelivery> {
    let (scope, id, delivery) = call.path;
    let found = call.api.steward.webhooks.delivery(&call.caller, scope, id, delivery).await?;
    call.reply(wire::WebhookDeliveryDetails {
        message_id: found.message_id,
        payload: found.payload,
        response_body: found.delivery.response_body.clone(),
        next_attempt_at: found.next_attempt_at.map(Into::into),
        delivery: webhook_delivery(found.delivery),
    })
}

async fn redeliver(call: Call<wire::RedeliverProjectWebhook>) -> Outcome<wire::RedeliverProjectWebhook> {
    let (scope, id, delivery) = call.path;
    call.reply(webhook_delivery(call.api.steward.webhooks.redeliver(&call.caller, scope, id, delivery).await?))
}

async fn test(call: Call<wire::TestProjectWebhook>) -> Outcome<wire::TestProjectWebhook> {
    let (scope, id) = call.path;
    call.reply(webhook_delivery(call.api.steward.webhooks.test(&call.caller, scope, id).await?))
}
