//! Webhooks in rows, how far each has been told, and the attempts.

use diesel::prelude::*;
use serde_json::Value;
use steward_domain::error::ResourceKind;
use steward_domain::model::{
    AccountId, AuditScope, Cursor, DeliveryId, EventSelection, Page, PageRequest, PreviousSecret, ProjectId, Revision,
    TeamId, Time, Webhook, WebhookDelivery, WebhookId, WebhookPause, WebhookUrl,
};
use steward_domain::ports::{DeliveryProgress, DueWebhook, Subscriber, WebhookWake};
use uuid::Uuid;

use super::authorization::MAX_ROWS;
use super::statement::{Fragment, Statement};
use super::{Conn, page};
use crate::error::JobError;
use crate::sql_types::{At, Id, Json, Uid};
use crate::tables::{deliveries, webhooks};

/// What people change of a webhook.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = webhooks)]
struct Row {
    id: Id,
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
    /// Empty in rows of versions that did not know it: whoever made it.
    authorized_by: Option<Id>,
    created_at: At,
    revision: i64,
}

impl TryFrom<Row> for Webhook {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            scope: scope(row.team_id, row.project_id),
            // What is kept was allowed when it was stored; whether it may be reached is judged when it is.
            url: WebhookUrl::parse(&row.url, true).map_err(JobError::corrupt)?,
            events: selection(&row.events)?,
            secret: row.secret,
            previous: row
                .previous_secret
                .zip(row.previous_expires_at)
                .map(|(encrypted, end)| PreviousSecret { encrypted, expires_at: end.0 }),
            pause: row.paused_at.zip(row.pause_reason).map(|(at, reason)| WebhookPause { at: at.0, reason }),
            begins_after: row.begins_after,
            created_by: row.created_by.0.into(),
            authorized_by: row.authorized_by.unwrap_or(row.created_by).0.into(),
            created_at: row.created_at.0,
            revision: Revision(row.revision),
        })
    }
}

fn scope(team: Id, project: Option<Id>) -> AuditScope {
    let team = team.0.into();
    project.map_or(AuditScope::Team(team), |id| AuditScope::Project(team, id.0.into()))
}

fn selection(events: &Json) -> Result<EventSelection, JobError> {
    Ok(EventSelection::read(serde_json::from_str(&events.0).map_err(JobError::corrupt)?))
}

impl From<&Webhook> for Row {
    fn from(webhook: &Webhook) -> Self {
        let project = match webhook.scope {
            AuditScope::Team(_) => None,
            AuditScope::Project(_, project) => Some(Id(project.uuid())),
        };
        Self {
            id: Id(webhook.id.uuid()),
            team_id: Id(webhook.scope.team().uuid()),
            project_id: project,
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

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = deliveries)]
struct DeliveryRow {
    id: Id,
    webhook_id: Id,
    position: i64,
    event: String,
    attempt: i64,
    at: At,
    took_ms: i64,
    status: Option<i64>,
    error: Option<String>,
}

impl TryFrom<DeliveryRow> for WebhookDelivery {
    type Error = JobError;

    fn try_from(row: DeliveryRow) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            webhook_id: row.webhook_id.0.into(),
            position: row.position,
            event: row.event,
            attempt: u32::try_from(row.attempt).map_err(JobError::corrupt)?,
            at: row.at.0,
            took_ms: row.took_ms,
            status: row.status.map(u16::try_from).transpose().map_err(JobError::corrupt)?,
            error: row.error,
        })
    }
}

impl From<&WebhookDelivery> for DeliveryRow {
    fn from(delivery: &WebhookDelivery) -> Self {
        Self {
            id: Id(delivery.id.uuid()),
            webhook_id: Id(delivery.webhook_id.uuid()),
            position: delivery.position,
            event: delivery.event.clone(),
            attempt: i64::from(delivery.attempt),
            at: At(delivery.at),
            took_ms: delivery.took_ms,
            status: delivery.status.map(i64::from),
            error: delivery.error.clone(),
        }
    }
}

pub(super) fn list(conn: &mut Conn, scope: AuditScope, request: &PageRequest) -> Result<Page<Webhook>, JobError> {
    let mut query = webhooks::table
        .filter(webhooks::team_id.eq(Id(scope.team().uuid())))
        .select(Row::as_select())
        .order((webhooks::created_at.desc(), webhooks::id.desc()))
        .limit(page::limit(request))
        .into_boxed();
    query = match scope {
        AuditScope::Team(_) => query.filter(webhooks::project_id.is_null()),
        AuditScope::Project(_, project) => query.filter(webhooks::project_id.eq(Id(project.uuid()))),
    };
    if let Some((at, id)) = page::after(request) {
        let earlier = webhooks::created_at.lt(at);
        query = query.filter(earlier.or(webhooks::created_at.eq(at).and(webhooks::id.lt(id))));
    }
    let place = |webhook: &Webhook| Cursor { at: webhook.created_at, id: webhook.id.to_string() };
    page::parsed(query.load(conn)?, request, place)
}

pub(super) fn by_id(conn: &mut Conn, scope: AuditScope, id: WebhookId) -> Result<Option<Webhook>, JobError> {
    let row: Option<Row> = webhooks::table
        .filter(webhooks::team_id.eq(Id(scope.team().uuid())))
        .filter(webhooks::id.eq(Id(id.uuid())))
        .select(Row::as_select())
        .first(conn)
        .optional()?;
    let found: Option<Webhook> = row.map(TryInto::try_into).transpose()?;
    Ok(found.filter(|webhook| webhook.scope == scope))
}

pub(super) fn authorized_by(conn: &mut Conn, team: TeamId, account: AccountId) -> Result<Vec<Webhook>, JobError> {
    let account = Id(account.uuid());
    let by_making = webhooks::authorized_by.is_null().and(webhooks::created_by.eq(account).nullable());
    let rows: Vec<Row> = webhooks::table
        .filter(webhooks::team_id.eq(Id(team.uuid())))
        .filter(webhooks::authorized_by.eq(account).or(by_making))
        .filter(webhooks::paused_at.is_null())
        .select(Row::as_select())
        .order(webhooks::id.asc())
        .limit(MAX_ROWS)
        .load(conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

pub(super) fn insert(conn: &mut Conn, webhook: &Webhook) -> Result<(), JobError> {
    let begin = (
        webhooks::position.eq(webhook.begins_after),
        webhooks::attempts.eq(0),
        webhooks::next_attempt_at.eq(At(webhook.created_at)),
        webhooks::leased_until.eq(At(webhook.created_at)),
        webhooks::due_position.eq(webhook.begins_after),
        webhooks::wake_at.eq(None::<At>),
    );
    diesel::insert_into(webhooks::table).values((Row::from(webhook), begin)).execute(conn)?;
    Ok(())
}

pub(super) fn replace(conn: &mut Conn, webhook: &Webhook) -> Result<(), JobError> {
    let row = Row::from(webhook);
    let target = webhooks::table
        .filter(webhooks::team_id.eq(row.team_id))
        .filter(webhooks::id.eq(row.id))
        .filter(webhooks::revision.eq(row.revision));
    let changed = diesel::update(target)
        .set((
            webhooks::url.eq(row.url),
            webhooks::events.eq(row.events),
            webhooks::authorized_by.eq(row.authorized_by),
            webhooks::secret.eq(row.secret),
            webhooks::previous_secret.eq(row.previous_secret),
            webhooks::previous_expires_at.eq(row.previous_expires_at),
            webhooks::paused_at.eq(row.paused_at),
            webhooks::pause_reason.eq(row.pause_reason),
            webhooks::revision.eq(webhooks::revision + 1),
        ))
        .execute(conn)?;
    super::commit::one(changed, ResourceKind::Webhook)
}

pub(super) fn remove(conn: &mut Conn, webhook: &Webhook) -> Result<(), JobError> {
    let target = webhooks::table
        .filter(webhooks::team_id.eq(Id(webhook.scope.team().uuid())))
        .filter(webhooks::id.eq(Id(webhook.id.uuid())))
        .filter(webhooks::revision.eq(webhook.revision.0));
    super::commit::one(diesel::delete(target).execute(conn)?, ResourceKind::Webhook)
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = webhooks)]
struct SubscriberRow {
    id: Id,
    team_id: Id,
    project_id: Option<Id>,
    events: Json,
    created_at: At,
}

impl TryFrom<SubscriberRow> for Subscriber {
    type Error = JobError;

    fn try_from(row: SubscriberRow) -> Result<Self, JobError> {
        Ok(Self {
            webhook: row.id.0.into(),
            scope: scope(row.team_id, row.project_id),
            events: selection(&row.events)?,
            created_at: row.created_at.0,
        })
    }
}

pub(super) fn subscribers(conn: &mut Conn, team: TeamId, projects: &[ProjectId]) -> Result<Vec<Subscriber>, JobError> {
    let of_team = || webhooks::table.filter(webhooks::team_id.eq(Id(team.uuid())));
    let mut rows: Vec<SubscriberRow> =
        of_team().filter(webhooks::project_id.is_null()).select(SubscriberRow::as_select()).load(conn)?;
    if !projects.is_empty() {
        let projects: Vec<Id> = projects.iter().map(|id| Id(id.uuid())).collect();
        let of_projects = of_team().filter(webhooks::project_id.eq_any(projects));
        rows.extend(of_projects.select(SubscriberRow::as_select()).load(conn)?);
    }
    Ok(rows.into_iter().filter_map(|row| readable(row.id, row.try_into())).collect())
}

/// What could be read. One webhook that cannot be read keeps no other from its events.
fn readable<T>(id: Id, parsed: Result<T, JobError>) -> Option<T> {
    parsed.inspect_err(|error| tracing::warn!(webhook = %id.0, ?error, "a webhook cannot be read")).ok()
}

/// One statement, so that a release at the same time sees all of it or nothing. A quiet webhook skips what it did not want.
const WAKE: &str = "UPDATE webhooks SET \
     position = CASE WHEN wake_at IS NULL AND due_position <= position AND position < $1 THEN $1 ELSE position END, \
     due_position = CASE WHEN due_position < $2 THEN $2 ELSE due_position END, \
     wake_at = coalesce(wake_at, $3) WHERE id = $4";

pub(super) fn wake(conn: &mut Conn, wake: &WebhookWake, now: Time) -> Result<(), JobError> {
    let before = Fragment::Count(wake.first.saturating_sub(1));
    let values = [before, Fragment::Count(wake.last), Fragment::At(At(now)), Fragment::Id(Id(wake.webhook.uuid()))];
    Statement::<()>::numbered(WAKE, &values).execute(conn)?;
    Ok(())
}

pub(super) fn due(
    conn: &mut Conn,
    now: Time,
    except: &[TeamId],
    most: u16,
) -> Result<Vec<(WebhookId, TeamId)>, JobError> {
    let found: Vec<(Id, Id)> = webhooks::table
        .filter(webhooks::paused_at.is_null())
        .filter(webhooks::wake_at.is_not_null())
        .filter(webhooks::wake_at.le(At(now)))
        .filter(webhooks::leased_until.le(At(now)))
        .filter(webhooks::team_id.ne_all(except.iter().map(|team| Id(team.uuid())).collect::<Vec<_>>()))
        .select((webhooks::id, webhooks::team_id))
        .order(webhooks::wake_at.asc())
        .limit(i64::from(most))
        .load(conn)?;
    Ok(found.into_iter().map(|(webhook, team)| (webhook.0.into(), team.0.into())).collect())
}

pub(super) fn claim(
    conn: &mut Conn,
    ids: &[WebhookId],
    holder: Uuid,
    now: Time,
    leased_until: Time,
) -> Result<Vec<DueWebhook>, JobError> {
    let mut claimed = Vec::new();
    for id in ids {
        // Whoever raises the lease first has it.
        let free = webhooks::table
            .filter(webhooks::id.eq(Id(id.uuid())))
            .filter(webhooks::paused_at.is_null())
            .filter(webhooks::wake_at.le(At(now)))
            .filter(webhooks::leased_until.le(At(now)));
        let row: Option<(Row, i64, i64, i64)> = diesel::update(free)
            .set((
                webhooks::leased_until.eq(At(leased_until)),
                webhooks::leased_by.eq(Id(holder)),
                webhooks::wake_at.eq(At(leased_until)),
            ))
            .returning((Row::as_returning(), webhooks::position, webhooks::due_position, webhooks::attempts))
            .get_result(conn)
            .optional()?;
        let Some((row, position, due_position, attempts)) = row else { continue };
        let attempts = u32::try_from(attempts).map_err(JobError::corrupt)?;
        let webhook = readable(row.id, row.try_into());
        claimed.extend(webhook.map(|webhook| DueWebhook { webhook, position, due_position, attempts }));
    }
    Ok(claimed)
}

pub(super) fn renew(conn: &mut Conn, ids: &[WebhookId], holder: Uuid, leased_until: Time) -> Result<(), JobError> {
    for id in ids {
        diesel::update(held(*id, holder))
            .set((webhooks::leased_until.eq(At(leased_until)), webhooks::wake_at.eq(At(leased_until))))
            .execute(conn)?;
    }
    Ok(())
}

#[diesel::dsl::auto_type]
fn held(id: WebhookId, holder: Uuid) -> _ {
    let (id, holder): (Id, Id) = (Id(id.uuid()), Id(holder));
    webhooks::table.filter(webhooks::id.eq(id)).filter(webhooks::leased_by.eq(holder))
}

pub(super) fn record_progress(conn: &mut Conn, progress: &DeliveryProgress) -> Result<bool, JobError> {
    conn.transaction(|conn| {
        let held = || held(progress.webhook, progress.holder);
        let changed = diesel::update(held())
            .set((
                webhooks::position.eq(progress.position),
                webhooks::attempts.eq(i64::from(progress.attempts)),
                webhooks::next_attempt_at.eq(At(progress.next_attempt_at)),
            ))
            .execute(conn)?;
        if changed == 0 {
            return Ok(false);
        }
        if let Some(delivery) = &progress.delivery {
            diesel::insert_into(deliveries::table).values(DeliveryRow::from(delivery)).execute(conn)?;
        }
        if let Some(reason) = &progress.pause {
            // The revision goes up: somebody who is changing it meanwhile reads it anew.
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
}

const RELEASE: &str = "UPDATE webhooks SET wake_at = CASE WHEN due_position > position THEN next_attempt_at END, \
     leased_by = NULL, leased_until = created_at WHERE id = $1 AND leased_by = $2";

pub(super) fn release(conn: &mut Conn, ids: &[WebhookId], holder: Uuid) -> Result<(), JobError> {
    for id in ids {
        let release = diesel::sql_query(RELEASE).bind::<Uid, _>(Id(id.uuid()));
        release.bind::<Uid, _>(Id(holder)).execute(conn)?;
    }
    Ok(())
}

pub(super) fn redelivered(conn: &mut Conn, delivery: &WebhookDelivery) -> Result<(), JobError> {
    diesel::insert_into(deliveries::table).values(DeliveryRow::from(delivery)).execute(conn)?;
    Ok(())
}

pub(super) fn deliveries_of(
    conn: &mut Conn,
    webhook: WebhookId,
    request: &PageRequest,
) -> Result<Page<WebhookDelivery>, JobError> {
    let mut query = deliveries::table
        .filter(deliveries::webhook_id.eq(Id(webhook.uuid())))
        .select(DeliveryRow::as_select())
        .order((deliveries::at.desc(), deliveries::id.desc()))
        .limit(page::limit(request))
        .into_boxed();
    if let Some((at, id)) = page::after(request) {
        query = query.filter(deliveries::at.lt(at).or(deliveries::at.eq(at).and(deliveries::id.lt(id))));
    }
    let rows: Vec<DeliveryRow> = query.load(conn)?;
    page::parsed(rows, request, |delivery: &WebhookDelivery| Cursor { at: delivery.at, id: delivery.id.to_string() })
}

pub(super) fn delivery(
    conn: &mut Conn,
    webhook: WebhookId,
    id: DeliveryId,
) -> Result<Option<WebhookDelivery>, JobError> {
    let row: Option<DeliveryRow> = deliveries::table
        .filter(deliveries::webhook_id.eq(Id(webhook.uuid())))
        .filter(deliveries::id.eq(Id(id.uuid())))
        .select(DeliveryRow::as_select())
        .first(conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}
