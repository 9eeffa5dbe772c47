//! Queries for webhooks.

use async_trait::async_trait;
use diesel::prelude::*;
use serde_json::Value;
use steward_domain::error::ResourceKind;
use steward_domain::model::{
    AccountId, Cursor, DeliveryId, EventSelection, Page, PageRequest, PreviousSecret, ResourceScope, Revision, TeamId,
    Webhook, WebhookDelivery, WebhookId, WebhookPause, WebhookUrl,
};
use steward_domain::ports::{StoreError, WebhookReader};

use super::{Backend, Conn, Database, page, webhook_delivery};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id, Json};
use crate::tables::webhooks;

/// Columns of a webhook, without those for its delivery progress.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = webhooks, treat_none_as_null = true)]
pub(super) struct Row {
    pub(super) id: Id,
    team_id: Id,
    project_id: Option<Id>,
    url: String,
    events: Json,
    secret: Vec<u8>,
    previous_secret: Option<Vec<u8>>,
    previous_expires_at: Option<At>,
    paused_at: Option<At>,
    pause_reason: Option<String>,
    begins_after: i64,
    created_by: Id,
    /// NULL in rows of older versions of the service: the creator authorizes the webhook.
    authorized_by: Option<Id>,
    created_at: At,
    revision: i64,
}

impl TryFrom<Row> for Webhook {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            team_id: row.team_id.0.into(),
            project_id: row.project_id.map(|id| id.0.into()),
            // A stored URL was allowed when it was stored. Whether its address may be reached is checked on delivery.
            url: WebhookUrl::parse(&row.url, true).map_err(JobError::corrupt)?,
            events: selection(&row.events)?,
            secret: row.secret,
            previous: row
                .previous_secret
                .zip(row.previous_expires_at)
                .map(|(encrypted, expires_at)| PreviousSecret { encrypted, expires_at: expires_at.0 }),
            pause: row.paused_at.zip(row.pause_reason).map(|(at, reason)| WebhookPause { at: at.0, reason }),
            begins_after: row.begins_after,
            created_by: row.created_by.0.into(),
            authorized_by: row.authorized_by.unwrap_or(row.created_by).0.into(),
            created_at: row.created_at.0,
            revision: Revision(row.revision),
        })
    }
}

pub(super) fn selection(events: &Json) -> Result<EventSelection, JobError> {
    Ok(EventSelection::from_stored(serde_json::from_str(&events.0).map_err(JobError::corrupt)?))
}

impl From<&Webhook> for Row {
    fn from(webhook: &Webhook) -> Self {
        Self {
            id: Id(webhook.id.uuid()),
            team_id: Id(webhook.team_id.uuid()),
            project_id: webhook.project_id.map(|id| Id(id.uuid())),
            url: webhook.url.as_str().to_owned(),
            events: Json(Value::from(webhook.events.texts()).to_string()),
            secret: webhook.secret.clone(),
            previous_secret: webhook.previous.as_ref().map(|previous| previous.encrypted.clone()),
            previous_expires_at: webhook.previous.as_ref().map(|previous| At(previous.expires_at)),
            paused_at: webhook.pause.as_ref().map(|pause| At(pause.at)),
            pause_reason: webhook.pause.as_ref().map(|pause| pause.reason.clone()),
            begins_after: webhook.begins_after,
            created_by: Id(webhook.created_by.uuid()),
            authorized_by: Some(Id(webhook.authorized_by.uuid())),
            created_at: At(webhook.created_at),
            revision: webhook.revision.0,
        }
    }
}

#[async_trait]
impl WebhookReader for Database {
    async fn webhooks(&self, scope: ResourceScope, page: &PageRequest) -> Result<Page<Webhook>, StoreError> {
        let page = page.clone();
        self.read(move |conn| list(conn, scope, &page)).await
    }

    async fn webhook(&self, scope: ResourceScope, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
        self.read(move |conn| {
            let query = of_scope(scope).filter(webhooks::id.eq(Id(id.uuid()))).select(Row::as_select());
            let row: Option<Row> = query.first(conn).optional()?;
            row.map(TryInto::try_into).transpose()
        })
        .await
    }

    async fn webhooks_authorized_by(&self, team: TeamId, account: AccountId) -> Result<Vec<Webhook>, StoreError> {
        self.read(move |conn| {
            let account = Id(account.uuid());
            let is_creator = webhooks::authorized_by.is_null().and(webhooks::created_by.eq(account).nullable());
            let rows: Vec<Row> = webhooks::table
                .filter(webhooks::team_id.eq(Id(team.uuid())))
                .filter(webhooks::authorized_by.eq(account).or(is_creator))
                .filter(webhooks::paused_at.is_null())
                .select(Row::as_select())
                .order(webhooks::id.asc())
                .load(conn)?;
            rows.into_iter().map(TryInto::try_into).collect()
        })
        .await
    }

    async fn deliveries(&self, webhook: WebhookId, page: &PageRequest) -> Result<Page<WebhookDelivery>, StoreError> {
        let page = page.clone();
        self.read(move |conn| webhook_delivery::list(conn, webhook, &page)).await
    }

    async fn delivery(&self, webhook: WebhookId, id: DeliveryId) -> Result<Option<WebhookDelivery>, StoreError> {
        self.read(move |conn| webhook_delivery::by_id(conn, webhook, id)).await
    }
}

/// Selects the webhooks of a team, excluding those of its projects, or the webhooks of a project.
fn of_scope(scope: ResourceScope) -> webhooks::BoxedQuery<'static, Backend> {
    let all = webhooks::table.into_boxed();
    match scope {
        ResourceScope::Team(team) => {
            all.filter(webhooks::team_id.eq(Id(team.uuid()))).filter(webhooks::project_id.is_null())
        }
        ResourceScope::Project(project) => all.filter(webhooks::project_id.eq(Id(project.uuid()))),
    }
}

fn list(conn: &mut Conn, scope: ResourceScope, request: &PageRequest) -> Result<Page<Webhook>, JobError> {
    let mut query = of_scope(scope)
        .select(Row::as_select())
        .order((webhooks::created_at.desc(), webhooks::id.desc()))
        .limit(request.rows());
    if let Some((at, id)) = page::after(request) {
        let earlier = webhooks::created_at.lt(at);
        query = query.filter(earlier.or(webhooks::created_at.eq(at).and(webhooks::id.lt(id))));
    }
    let cursor = |webhook: &Webhook| Cursor { at: webhook.created_at, id: webhook.id.to_string() };
    page::parse_page(query.load(conn)?, request, cursor)
}

pub(super) fn insert(conn: &mut Conn, webhook: &Webhook) -> Result<(), JobError> {
    let progress = (
        webhooks::position.eq(webhook.begins_after),
        webhooks::attempts.eq(0),
        webhooks::next_attempt_at.eq(At(webhook.created_at)),
        webhooks::leased_until.eq(At(webhook.created_at)),
        webhooks::due_position.eq(webhook.begins_after),
        webhooks::wake_at.eq(None::<At>),
    );
    diesel::insert_into(webhooks::table).values((Row::from(webhook), progress)).execute(conn)?;
    Ok(())
}

pub(super) fn replace(conn: &mut Conn, webhook: &Webhook) -> Result<(), JobError> {
    let row = Row::from(webhook);
    let target = webhooks::table
        .filter(webhooks::team_id.eq(row.team_id))
        .filter(webhooks::id.eq(row.id))
        .filter(webhooks::revision.eq(row.revision));
    let row = Row { revision: row.revision + 1, ..row };
    expect_one(diesel::update(target).set(row).execute(conn)?, ResourceKind::Webhook)
}

pub(super) fn remove(conn: &mut Conn, webhook: &Webhook) -> Result<(), JobError> {
    let target = webhooks::table
        .filter(webhooks::team_id.eq(Id(webhook.team_id.uuid())))
        .filter(webhooks::id.eq(Id(webhook.id.uuid())))
        .filter(webhooks::revision.eq(webhook.revision.0));
    expect_one(diesel::delete(target).execute(conn)?, ResourceKind::Webhook)
}
