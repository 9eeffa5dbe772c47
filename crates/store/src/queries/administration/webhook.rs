//! Queries for webhooks.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::administration::{Webhook, WebhookDelivery, WebhookReader};
use steward_domain::kernel::{
    AccountId, Cursor, DeliveryId, Page, PageRequest, ResourceScope, StoreError, TeamId, WebhookId,
};

use super::kernel::page;
use super::webhook_delivery;
use super::{Backend, Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::{Stored as _, WebhookRow, webhooks};

#[async_trait]
impl WebhookReader for Database {
    async fn webhooks(&self, scope: ResourceScope, page: &PageRequest) -> Result<Page<Webhook>, StoreError> {
        let page = page.clone();
        self.read(move |conn| list(conn, scope, &page)).await
    }

    async fn webhook(&self, scope: ResourceScope, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
        self.read_one(move |conn| {
            let query = of_scope(scope).filter(webhooks::id.eq(Id(id.uuid()))).select(WebhookRow::as_select());
            query.first(conn)
        })
        .await
    }

    async fn webhooks_authorized_by(&self, team: TeamId, account: AccountId) -> Result<Vec<Webhook>, StoreError> {
        self.read_all(move |conn| {
            let account = Id(account.uuid());
            let is_creator = webhooks::authorized_by.is_null().and(webhooks::created_by.eq(account).nullable());
            webhooks::table
                .filter(webhooks::team_id.eq(Id(team.uuid())))
                .filter(webhooks::authorized_by.eq(account).or(is_creator))
                .filter(webhooks::paused_at.is_null())
                .select(WebhookRow::as_select())
                .order(webhooks::id.asc())
                .load(conn)
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
        .select(WebhookRow::as_select())
        .order((webhooks::created_at.desc(), webhooks::id.desc()))
        .limit(request.rows());
    query = page::before_cursor!(query, request, webhooks::created_at, webhooks::id);
    let cursor = |webhook: &Webhook| Cursor { at: webhook.created_at, id: webhook.id.to_string() };
    page::parse_page(query.load(conn)?, request, cursor)
}

pub(crate) fn insert(conn: &mut Conn, webhook: &Webhook) -> Result<(), JobError> {
    let progress = (
        webhooks::position.eq(webhook.begins_after),
        webhooks::attempts.eq(0),
        webhooks::next_attempt_at.eq(At(webhook.created_at)),
        webhooks::leased_until.eq(At(webhook.created_at)),
        webhooks::due_position.eq(webhook.begins_after),
        webhooks::wake_at.eq(None::<At>),
    );
    diesel::insert_into(webhooks::table).values((webhook.row()?, progress)).execute(conn)?;
    Ok(())
}
