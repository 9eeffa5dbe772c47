//! Queries for webhooks.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::administration::{NextAttempt, Webhook, WebhookDelivery, WebhookReader};
use steward_domain::kernel::{
    AccountId, DeliveryId, Named, Page, PageRequest, ResourceScope, StoreError, TeamId, WebhookId,
};

use super::kernel::page;
use super::{Backend, Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::{ColumnValue as _, Stored as _, deliveries, webhooks};

#[async_trait]
impl WebhookReader for Database {
    async fn webhooks(&self, scope: ResourceScope, page: &PageRequest) -> Result<Page<Webhook>, StoreError> {
        let webhooks =
            page::listed!(newest first, webhooks::table, page, page.rows(), webhooks::created_at, webhooks::id);
        self.page(in_scope(webhooks, scope), page, |webhook: &Webhook| page::cursor(webhook.created_at, webhook.id))
            .await
    }

    async fn webhook(&self, scope: ResourceScope, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
        self.first(in_scope(webhooks::table.into_boxed(), scope).filter(webhooks::id.eq(Id(id.uuid())))).await
    }

    async fn webhooks_authorized_by(&self, team: TeamId, account: AccountId) -> Result<Vec<Webhook>, StoreError> {
        let account = Id(account.uuid());
        let is_creator = webhooks::authorized_by.is_null().and(webhooks::created_by.eq(account).nullable());
        let authorized = webhooks::table
            .filter(webhooks::team_id.eq(Id(team.uuid())))
            .filter(webhooks::authorized_by.eq(account).or(is_creator))
            .filter(webhooks::paused_at.is_null());
        self.all(authorized.order(webhooks::id.asc())).await
    }

    async fn webhook_urls(&self, teams: &[TeamId], limit: u16) -> Result<Vec<Named>, StoreError> {
        let teams: Vec<Id> = teams.iter().map(|team| Id(team.uuid())).collect();
        let newest = webhooks::table.order((webhooks::created_at.desc(), webhooks::id.desc())).limit(limit.into());
        let columns = (webhooks::team_id, webhooks::project_id, webhooks::id, webhooks::url);
        let urls = newest.filter(webhooks::team_id.eq_any(teams)).select(columns);
        self.all_as(urls, |(team, project, Id(id), name): (Id, Option<Id>, Id, String)| {
            Ok(Named { scope: ResourceScope::of(team.load()?, project.load()?), id, name, hint: String::new() })
        })
        .await
    }

    async fn deliveries(&self, webhook: WebhookId, page: &PageRequest) -> Result<Page<WebhookDelivery>, StoreError> {
        let attempts = deliveries::table.filter(deliveries::webhook_id.eq(Id(webhook.uuid())));
        let attempts = page::listed!(newest first, attempts, page, page.rows(), deliveries::at, deliveries::id);
        self.page(attempts, page, |delivery: &WebhookDelivery| page::cursor(delivery.at, delivery.id)).await
    }

    async fn delivery(&self, webhook: WebhookId, id: DeliveryId) -> Result<Option<WebhookDelivery>, StoreError> {
        self.first(deliveries::table.find(Id(id.uuid())).filter(deliveries::webhook_id.eq(Id(webhook.uuid())))).await
    }

    async fn next_attempt(&self, webhook: WebhookId) -> Result<Option<NextAttempt>, StoreError> {
        let failing = webhooks::table
            .filter(webhooks::id.eq(Id(webhook.uuid())))
            .filter(webhooks::paused_at.is_null())
            .filter(webhooks::attempts.gt(0))
            .select((webhooks::position, webhooks::attempts, webhooks::next_attempt_at));
        self.first_as(failing, |(after, attempts, At(at)): (i64, i64, At)| {
            Ok(NextAttempt { after, attempts: u32::try_from(attempts).map_err(JobError::corrupt)?, at })
        })
        .await
    }
}

type Webhooks = webhooks::BoxedQuery<'static, Backend>;

/// Selects the webhooks of a team, excluding those of its projects, or the webhooks of a project.
fn in_scope(all: Webhooks, scope: ResourceScope) -> Webhooks {
    match scope {
        ResourceScope::Team(team) => {
            all.filter(webhooks::team_id.eq(Id(team.uuid()))).filter(webhooks::project_id.is_null())
        }
        ResourceScope::Project(project) => all.filter(webhooks::project_id.eq(Id(project.uuid()))),
    }
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
    Ok(diesel::insert_into(webhooks::table).values((webhook.row()?, progress)).execute(conn).map(drop)?)
}
