//! Deliveries of events to webhooks: which are due, who delivers them, and how far they are.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::administration::{DeliveryProgress, DueWebhook, Outbox, Subscriber, WebhookDelivery, WebhookWake};
use steward_domain::kernel::{ProjectId, ResourceScope, StoreError, TeamId, Time, WebhookId};
use uuid::Uuid;

use super::kernel::statement::{Fragment, Statement};
use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, Id, Json};
use crate::tables::{ColumnValue as _, WebhookDeliveryRow, WebhookRow, deliveries, webhooks};

/// One statement, so that a concurrent release sees all of the update or nothing. A webhook without pending events
/// skips the events that it did not want.
const WAKE: &str = "UPDATE webhooks SET \
     position = CASE WHEN wake_at IS NULL AND due_position <= position AND position < $1 THEN $1 ELSE position END, \
     due_position = CASE WHEN due_position < $2 THEN $2 ELSE due_position END, \
     wake_at = CASE WHEN wake_at IS NULL OR accepts_others AND wake_at > $3 THEN $3 ELSE wake_at END WHERE id = $4";

const RELEASE: &str = "UPDATE webhooks SET wake_at = CASE WHEN due_position <= position THEN NULL \
     WHEN accepts_others AND due_position > $1 AND next_attempt_at > $2 THEN $2 ELSE next_attempt_at END, \
     leased_by = NULL, leased_until = created_at WHERE id = $3 AND leased_by = $4";

/// A webhook with its team and project, the events that it wants, and when it was created.
type SubscriberRow = (Id, Id, Option<Id>, Json, At);

#[async_trait]
impl Outbox for Database {
    async fn subscribers(&self, team: TeamId, projects: &[ProjectId]) -> Result<Vec<Subscriber>, StoreError> {
        let projects = projects.to_vec();
        self.read(move |conn| {
            let of_team = || webhooks::table.filter(webhooks::team_id.eq(Id(team.uuid())));
            let columns =
                (webhooks::id, webhooks::team_id, webhooks::project_id, webhooks::events, webhooks::created_at);
            let mut rows: Vec<SubscriberRow> =
                of_team().filter(webhooks::project_id.is_null()).select(columns).load(conn)?;
            if !projects.is_empty() {
                let ids: Vec<Id> = projects.iter().map(|id| Id(id.uuid())).collect();
                rows.extend(
                    of_team().filter(webhooks::project_id.eq_any(ids)).select(columns).load::<SubscriberRow>(conn)?,
                );
            }
            let subscriber = |(id, team, project, events, At(created_at)): SubscriberRow| {
                let scope = ResourceScope::of(team.0.into(), project.map(|id| id.0.into()));
                let events = readable(id, events.load())?;
                Some(Subscriber { webhook: id.0.into(), scope, events, created_at })
            };
            Ok(rows.into_iter().filter_map(subscriber).collect())
        })
        .await
    }

    async fn due_webhooks(
        &self,
        now: Time,
        excluded: &[TeamId],
        limit: u16,
    ) -> Result<Vec<(WebhookId, TeamId)>, StoreError> {
        let excluded = excluded.to_vec();
        self.read(move |conn| {
            let found: Vec<(Id, Id)> = webhooks::table
                .filter(webhooks::paused_at.is_null())
                .filter(webhooks::wake_at.is_not_null())
                .filter(webhooks::wake_at.le(At(now)))
                .filter(webhooks::leased_until.le(At(now)))
                .filter(webhooks::team_id.ne_all(excluded.iter().map(|team| Id(team.uuid())).collect::<Vec<_>>()))
                .select((webhooks::id, webhooks::team_id))
                .order(webhooks::wake_at.asc())
                .limit(i64::from(limit))
                .load(conn)?;
            Ok(found.into_iter().map(|(webhook, team)| (webhook.0.into(), team.0.into())).collect())
        })
        .await
    }

    async fn claim_webhooks(
        &self,
        ids: &[WebhookId],
        holder: Uuid,
        now: Time,
        leased_until: Time,
    ) -> Result<Vec<DueWebhook>, StoreError> {
        let ids = ids.to_vec();
        self.write(move |conn| {
            let mut claimed = Vec::new();
            for id in &ids {
                // The first holder to update the lease gets it.
                let free = webhooks::table
                    .filter(webhooks::id.eq(Id(id.uuid())))
                    .filter(webhooks::paused_at.is_null())
                    .filter(webhooks::wake_at.le(At(now)))
                    .filter(webhooks::leased_until.le(At(now)));
                let row: Option<(WebhookRow, i64, i64, i64, At, bool)> = diesel::update(free)
                    .set((
                        webhooks::leased_until.eq(At(leased_until)),
                        webhooks::leased_by.eq(Id(holder)),
                        webhooks::wake_at.eq(At(leased_until)),
                    ))
                    .returning((
                        WebhookRow::as_returning(),
                        webhooks::position,
                        webhooks::due_position,
                        webhooks::attempts,
                        webhooks::next_attempt_at,
                        webhooks::accepts_others,
                    ))
                    .get_result(conn)
                    .optional()?;
                let Some((row, position, due_position, attempts, At(next_attempt_at), accepts_others)) = row else {
                    continue;
                };
                let attempts = u32::try_from(attempts).map_err(JobError::corrupt)?;
                let webhook = readable(row.id, row.try_into());
                claimed.extend(webhook.map(|webhook| DueWebhook {
                    webhook,
                    position,
                    due_position,
                    attempts,
                    next_attempt_at,
                    accepts_others,
                }));
            }
            Ok(claimed)
        })
        .await
    }

    async fn renew_leases(&self, ids: &[WebhookId], holder: Uuid, leased_until: Time) -> Result<(), StoreError> {
        let ids = ids.to_vec();
        self.write(move |conn| {
            for id in &ids {
                diesel::update(held(*id, holder))
                    .set((webhooks::leased_until.eq(At(leased_until)), webhooks::wake_at.eq(At(leased_until))))
                    .execute(conn)?;
            }
            Ok(())
        })
        .await
    }

    async fn record_progress(&self, progress: &DeliveryProgress) -> Result<bool, StoreError> {
        let progress = progress.clone();
        self.transact(move |conn| {
            let held = || held(progress.webhook, progress.holder);
            let changed = diesel::update(held())
                .set((
                    webhooks::position.eq(progress.position),
                    webhooks::attempts.eq(i64::from(progress.attempts)),
                    webhooks::next_attempt_at.eq(At(progress.next_attempt_at)),
                    webhooks::accepts_others.eq(progress.accepts_others),
                ))
                .execute(conn)?;
            if changed == 0 {
                return Ok(false);
            }
            record(conn, &progress.deliveries)?;
            if let Some(reason) = &progress.pause {
                // Increments the revision, so that a concurrent change reads the webhook again.
                diesel::update(held())
                    .set((
                        webhooks::paused_at.eq(At(progress.next_attempt_at)),
                        webhooks::pause_reason.eq(reason),
                        webhooks::revision.eq(webhooks::revision + 1),
                    ))
                    .execute(conn)?;
            }
            Ok(true)
        })
        .await
    }

    async fn release_leases(&self, ids: &[WebhookId], holder: Uuid, seen: i64, now: Time) -> Result<(), StoreError> {
        let ids = ids.to_vec();
        self.write(move |conn| {
            for id in &ids {
                let values = [Fragment::Count(seen), Fragment::at(now), Fragment::id(*id), Fragment::id(holder)];
                Statement::<()>::numbered(RELEASE, &values).execute(conn)?;
            }
            Ok(())
        })
        .await
    }

    async fn record_requested_delivery(&self, delivery: &WebhookDelivery) -> Result<(), StoreError> {
        let delivery = [delivery.clone()];
        self.write(move |conn| record(conn, &delivery)).await
    }
}

/// Stores attempts at deliveries.
fn record(conn: &mut Conn, attempts: &[WebhookDelivery]) -> Result<(), JobError> {
    let rows: Vec<WebhookDeliveryRow> = attempts.iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
    Ok(diesel::insert_into(deliveries::table).values(rows).execute(conn).map(drop)?)
}

pub(crate) fn wake(conn: &mut Conn, wake: &WebhookWake, now: Time) -> Result<(), JobError> {
    let before = Fragment::Count(wake.first.saturating_sub(1));
    let values = [before, Fragment::Count(wake.last), Fragment::at(now), Fragment::id(wake.webhook)];
    Ok(Statement::<()>::numbered(WAKE, &values).execute(conn).map(drop)?)
}

/// Returns the parsed value, or logs the error and returns `None`: a webhook that cannot be read must not block the
/// events of other webhooks.
fn readable<T>(id: Id, parsed: Result<T, JobError>) -> Option<T> {
    parsed
        .inspect_err(|error| tracing::warn!(webhook = %id.0, ?error, "The webhook cannot be read and is skipped."))
        .ok()
}

#[diesel::dsl::auto_type]
fn held(id: WebhookId, holder: Uuid) -> _ {
    let (id, holder): (Id, Id) = (Id(id.uuid()), Id(holder));
    webhooks::table.filter(webhooks::id.eq(id)).filter(webhooks::leased_by.eq(holder))
}
