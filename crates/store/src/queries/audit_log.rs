//! The audit log in rows: events of administration and changes of items, read as one list.

use chrono::TimeDelta;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use serde_json::{Value, json};
use steward_domain::model::{
    AuditChain, AuditEvent, AuditFilter, AuditScope, Cursor, EventSelection, Page, PageRequest, PageSize,
    RecordedActor, Rows, Webhook,
};
use steward_domain::ports::{RetentionCutoff, WantedEvents};
use uuid::Uuid;

use super::page::{MeasuredRow, PageRows, json_bytes};
use super::statement::Statement;
use super::{Conn, NOT_CANCELLED, RowByRow, SETTLED_POSITION, UNPARTITIONED, audit_seal, page};
use crate::error::JobError;
use crate::sql_types::{At, Id, Instant, Json, JsonText, Uid};
use crate::tables::event_marks;

pub(super) type Columns = (
    BigInt,
    Instant,
    Nullable<Uid>,
    Nullable<Uid>,
    Text,
    Nullable<Uid>,
    Nullable<Uid>,
    Text,
    Text,
    Text,
    Text,
    Nullable<JsonText>,
    Nullable<JsonText>,
    Text,
    Nullable<Text>,
    Nullable<Uid>,
    Nullable<Text>,
);

const COLUMNS: &str = "SELECT position, at, team_id, project_id, actor_kind, actor_id, token_id, operation, action, \
     target_kind, target_id, before, after, request_id, address, user_id, table_name";

/// The rows of one table, and of the other in the same columns.
const EVENTS: &str = "SELECT chain_id, position, at, team_id, project_id, actor_kind, actor_id, token_id, operation, action, \
     target_kind, target_id, before, after, request_id, address, CAST(NULL AS uuid) AS user_id, \
     CAST(NULL AS text) AS table_name FROM audit_events WHERE ";
const ITEM_CHANGES: &str = "SELECT * FROM (SELECT project_id AS chain_id, position, at, team_id, project_id, actor_kind, \
     actor_id, token_id, operation, action, 'item' AS target_kind, item_id AS target_id, CAST(NULL AS json) AS before, \
     CAST(NULL AS json) AS after, request_id, address, user_id, table_name FROM item_changes) AS changes WHERE ";
const OLDEST_FIRST: &str = " ORDER BY position LIMIT ";
const NEWEST_FIRST: &str = " ORDER BY position DESC LIMIT ";

/// By how much the clocks of replicas may differ, and how long a change may take: an event is written at most so much later
/// than it says that it happened.
const TOLERANCE: TimeDelta = TimeDelta::hours(1);
/// Among how many events those that a webhook wants are looked for at once.
const MAX_SCANNED: i64 = 5_000;

#[derive(Queryable)]
struct Row {
    position: i64,
    at: At,
    team_id: Option<Id>,
    project_id: Option<Id>,
    actor_kind: String,
    actor_id: Option<Id>,
    token_id: Option<Id>,
    operation: String,
    action: String,
    target_kind: String,
    target_id: String,
    before: Option<Json>,
    after: Option<Json>,
    request_id: String,
    address: Option<String>,
    user_id: Option<Id>,
    table_name: Option<String>,
}

impl TryFrom<Row> for AuditEvent {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        let (mut before, mut after) = (shown(row.before)?, shown(row.after)?);
        if let (Some(user), Some(table)) = (row.user_id, row.table_name) {
            let place = if row.action.ends_with(".deleted") { &mut before } else { &mut after };
            *place = Some(json!({"user_id": user.0.to_string(), "table": table}));
        }
        Ok(Self {
            position: row.position,
            at: row.at.0,
            team_id: row.team_id.map(|id| id.0.into()),
            project_id: row.project_id.map(|id| id.0.into()),
            actor: RecordedActor {
                kind: row.actor_kind,
                id: row.actor_id.map(|id| id.0),
                token_id: row.token_id.map(|id| id.0.into()),
            },
            operation: row.operation,
            action: row.action,
            target_kind: row.target_kind,
            target_id: row.target_id,
            before,
            after,
            request_id: row.request_id,
            address: row.address,
        })
    }
}

impl MeasuredRow for Row {
    fn bytes(&self) -> usize {
        json_bytes([self.before.as_ref(), self.after.as_ref()])
    }
}

fn shown(json: Option<Json>) -> Result<Option<Value>, JobError> {
    json.map(|json| serde_json::from_str(&json.0).map_err(JobError::corrupt)).transpose()
}

/// Events of this scope. A project's are found by their chain.
fn of_scope<T>(events: &mut Statement<T>, scope: AuditScope) {
    match scope {
        AuditScope::Team(team) => {
            events.sql("team_id = ");
            events.id(team.uuid());
        }
        AuditScope::Project(_, project) => in_chain(events, project.uuid()),
    }
}

/// Events of the chain with this id: what has no team is in none.
fn in_chain<T>(events: &mut Statement<T>, id: Uuid) {
    events.sql("team_id IS NOT NULL AND chain_id = ");
    events.id(id);
}

fn after<T>(events: &mut Statement<T>, position: i64) {
    events.sql(" AND position > ");
    events.count(position);
}

fn through<T>(events: &mut Statement<T>, position: i64) {
    events.sql(" AND position <= ");
    events.count(position);
}

/// Selects from both tables, in order. Each is asked for its first rows: the databases do not merge them in order.
fn select<T>(
    columns: &'static str,
    order: &'static str,
    limit: i64,
    conditions: impl Fn(&mut Statement<T>),
) -> Statement<T> {
    let mut select = Statement::new();
    select.sql(columns);
    for (before, table) in [(" FROM (SELECT * FROM (", EVENTS), (" UNION ALL SELECT * FROM (", ITEM_CHANGES)] {
        select.sql(before);
        select.sql(table);
        conditions(&mut select);
        select.sql(order);
        select.count(limit);
        select.sql(") AS one");
    }
    select.sql(") AS events");
    select.sql(order);
    select.count(limit);
    select
}

pub(super) fn oldest_first(start: i64, limit: i64, conditions: impl Fn(&mut Statement<Columns>)) -> Statement<Columns> {
    select(COLUMNS, OLDEST_FIRST, limit, |events| {
        conditions(events);
        after(events, start);
    })
}

pub(super) fn newest_first(
    scope: AuditScope,
    filter: &AuditFilter,
    start: Option<&Cursor>,
    limit: i64,
) -> Statement<Columns> {
    select(COLUMNS, NEWEST_FIRST, limit, |events| {
        of_scope(events, scope);
        narrow(events, filter);
        if let Some(Cursor { id, .. }) = start {
            events.sql(" AND position < ");
            events.count(id.parse().unwrap_or_default());
        }
        events.sql(" AND ");
        events.sql(NOT_CANCELLED);
    })
}

/// Reads events in order, up to this many rows or what a page may hold.
fn read(
    conn: &mut Conn,
    start: i64,
    most: u16,
    conditions: impl Fn(&mut Statement<Columns>),
) -> Result<Rows<AuditEvent>, JobError> {
    let size = PageSize { rows: most, ..PageSize::MAX };
    let position = |event: &AuditEvent| event.position;
    page::read(size, start, Row::try_into, position, |start, part: &mut PageRows<Row>| {
        let events = oldest_first(*start, part.limit(), &conditions);
        part.take(events.load_iter::<Row, RowByRow>(conn)?)
    })
}

pub(super) fn list(
    conn: &mut Conn,
    scope: AuditScope,
    filter: &AuditFilter,
    request: &PageRequest,
) -> Result<Page<AuditEvent>, JobError> {
    let place = |event: &AuditEvent| Cursor { at: event.at, id: event.position.to_string() };
    page::of_large(request, Row::try_into, place, |request, part: &mut PageRows<Row>| {
        let events = newest_first(scope, filter, request.after.as_ref(), part.limit());
        part.take(events.load_iter::<Row, RowByRow>(conn)?)
    })
}

fn narrow(events: &mut Statement<Columns>, filter: &AuditFilter) {
    if let Some(actor) = filter.actor {
        events.sql(" AND (actor_id = ");
        events.id(actor);
        events.sql(" OR token_id = ");
        events.id(actor);
        events.sql(")");
    }
    for (condition, text) in [(" AND action = ", &filter.action), (" AND target_id = ", &filter.target)] {
        if let Some(text) = text {
            events.sql(condition);
            events.text(text.as_str());
        }
    }
    // The marks say between which positions to look at all.
    if let Some(from) = filter.from {
        events.sql(" AND at >= ");
        events.at(At(from));
        events.sql(" AND position > coalesce((SELECT position FROM event_marks WHERE at <= ");
        events.at(At(from - TOLERANCE));
        events.sql(" ORDER BY at DESC LIMIT 1), 0)");
    }
    if let Some(to) = filter.to {
        events.sql(" AND at < ");
        events.at(At(to));
        events.sql(" AND position <= coalesce((SELECT position FROM event_marks WHERE at >= ");
        events.at(At(to + TOLERANCE));
        events.sql(" ORDER BY at LIMIT 1), 9223372036854775807)");
    }
}

pub(super) fn settled(conn: &mut Conn, scope: AuditScope, after: i64, most: u16) -> Result<Vec<AuditEvent>, JobError> {
    let since = written_since(conn, after)?;
    let settled = read(conn, after, most, |events| settled_since(events, scope, since))?;
    Ok(settled.items)
}

pub(super) fn settled_since(events: &mut Statement<Columns>, scope: AuditScope, since: Option<At>) {
    of_scope(events, scope);
    not_before(events, since);
    events.sql(" AND position < ");
    events.sql(SETTLED_POSITION);
}

/// What is not sealed, of all chains.
pub(super) fn unsealed(conn: &mut Conn, after: i64, most: u16) -> Result<Vec<AuditEvent>, JobError> {
    let since = written_since(conn, after)?;
    let unsealed = read(conn, after, most, |events| all_settled_since(events, since))?;
    Ok(unsealed.items)
}

pub(super) fn has_unsealed(conn: &mut Conn) -> Result<bool, JobError> {
    let after = audit_seal::position(conn)?;
    let since = written_since(conn, after)?;
    let first = oldest_first(after, 1, |events| all_settled_since(events, since));
    Ok(first.get_result::<Row>(conn).optional()?.is_some())
}

pub(super) fn all_settled_since(events: &mut Statement<Columns>, since: Option<At>) {
    events.sql("position < ");
    events.sql(SETTLED_POSITION);
    not_before(events, since);
}

/// What was sealed of a chain between two positions.
pub(super) fn of_chain(
    conn: &mut Conn,
    chain: AuditChain,
    after: i64,
    last: i64,
    most: u16,
) -> Result<Vec<AuditEvent>, JobError> {
    let sealed = read(conn, after, most, |events| {
        in_chain(events, chain.id());
        through(events, last);
    })?;
    Ok(sealed.items)
}

/// From when on there are events after this position: partitions from before need not be looked at.
fn written_since(conn: &mut Conn, after: i64) -> Result<Option<At>, JobError> {
    let mark: Option<At> = event_marks::table
        .filter(event_marks::position.le(after))
        .select(event_marks::at)
        .order(event_marks::position.desc())
        .first(conn)
        .optional()?;
    Ok(mark.map(|mark| At(mark.0 - TOLERANCE)))
}

fn not_before(events: &mut Statement<Columns>, since: Option<At>) {
    if let Some(since) = since {
        events.sql(" AND at >= ");
        events.at(since);
    }
}

pub(super) fn wanted(
    conn: &mut Conn,
    webhook: &Webhook,
    start: i64,
    last: i64,
    most: u16,
) -> Result<WantedEvents, JobError> {
    let since = written_since(conn, start)?;
    let scanned = select("SELECT position", OLDEST_FIRST, MAX_SCANNED, |events: &mut Statement<BigInt>| {
        of_scope(events, webhook.scope);
        after(events, start);
        through(events, last);
    });
    let scanned: Vec<i64> = scanned.load(conn)?;
    let Some(end) = scanned.last().copied() else { return Ok(WantedEvents { events: Vec::new(), through: last }) };
    let Rows { items: events, more } = read(conn, start, most, |events| {
        of_scope(events, webhook.scope);
        through(events, end);
        not_before(events, since);
        events.sql(" AND at >= ");
        events.at(At(webhook.created_at));
        if let EventSelection::Names(names) = &webhook.events {
            events.sql(" AND action IN (");
            for (number, name) in names.iter().enumerate() {
                events.sql(if number == 0 { "" } else { ", " });
                events.text(name.as_str());
            }
            events.sql(")");
        }
    })?;
    let through = events.last().filter(|_| more).map_or(end, |event| event.position);
    Ok(WantedEvents { events, through })
}

/// Deletes some of the rows that go one by one, and whole partitions.
pub(super) fn forget(conn: &mut Conn, retention_cutoff: &RetentionCutoff, most: u16) -> Result<usize, JobError> {
    audit_seal::record_retention_cutoff(conn, retention_cutoff)?;
    let mut done = super::drop_partitions(conn, retention_cutoff)?;
    for (table, retention_cutoff) in
        UNPARTITIONED.into_iter().zip([retention_cutoff.events, retention_cutoff.item_changes])
    {
        let Some(retention_cutoff) = retention_cutoff else { continue };
        let mut delete: Statement<()> = Statement::new();
        for text in ["DELETE FROM ", table, " WHERE at < "] {
            delete.sql(text);
        }
        delete.at(At(retention_cutoff));
        for text in [" AND position IN (SELECT position FROM ", table] {
            delete.sql(text);
        }
        delete.sql(" WHERE position <= (SELECT position FROM audit_progress) ORDER BY position LIMIT ");
        delete.count(most.into());
        delete.sql(")");
        done = done.saturating_add(delete.execute(conn)?);
    }
    Ok(done)
}
