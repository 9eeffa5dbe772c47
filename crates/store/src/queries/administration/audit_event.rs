//! Events of the audit log as rows, and the statements that select them: administrative events and item changes, as one
//! list.

use chrono::TimeDelta;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use serde_json::{Value, json};
use steward_domain::administration::{AuditEvent, AuditFilter, ItemChanges, RecordedActor};
use steward_domain::kernel::{Cursor, ResourceScope};
use uuid::Uuid;

use super::dialect::{NOT_CANCELLED, SETTLED_POSITION};
use super::kernel::page::{MeasuredRow, json_bytes};
use super::kernel::statement::Statement;
use crate::error::JobError;
use crate::sql_types::{At, Id, Instant, Json, JsonText, Uid};

pub(crate) type Columns = (
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

/// Selects the rows of `audit_events`. [`ITEM_CHANGES`] selects the rows of the other table with the same columns.
const EVENTS: &str = "SELECT chain_id, position, at, team_id, project_id, actor_kind, actor_id, token_id, operation, action, \
     target_kind, target_id, before, after, request_id, address, CAST(NULL AS uuid) AS user_id, \
     CAST(NULL AS text) AS table_name FROM audit_events WHERE ";
const ITEM_CHANGES: &str = "SELECT * FROM (SELECT project_id AS chain_id, position, at, team_id, project_id, actor_kind, \
     actor_id, token_id, operation, action, 'item' AS target_kind, item_id AS target_id, CAST(NULL AS json) AS before, \
     CAST(NULL AS json) AS after, request_id, address, user_id, table_name FROM item_changes) AS changes WHERE ";
pub(crate) const OLDEST_FIRST: &str = " ORDER BY position LIMIT ";
const NEWEST_FIRST: &str = " ORDER BY position DESC LIMIT ";

/// Maximum delay between the timestamp of an event and the time when it is written. It covers clock differences between
/// replicas and the duration of a change.
pub(crate) const TOLERANCE: TimeDelta = TimeDelta::hours(1);
#[derive(Queryable)]
pub(crate) struct Row {
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
        let (mut before, mut after) = (parse_json(row.before)?, parse_json(row.after)?);
        if let (Some(user), Some(table)) = (row.user_id, row.table_name) {
            let state = if row.action.ends_with(".deleted") { &mut before } else { &mut after };
            *state = Some(json!({"user_id": user.0.to_string(), "table": table}));
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

fn parse_json(json: Option<Json>) -> Result<Option<Value>, JobError> {
    json.map(|json| serde_json::from_str(&json.0).map_err(JobError::corrupt)).transpose()
}

/// Selects the events of a scope. Events of a project are found by their chain.
pub(crate) fn of_scope<T>(events: &mut Statement<T>, scope: ResourceScope) {
    match scope {
        ResourceScope::Team(team) => {
            events.sql("team_id = ");
            events.id(team.uuid());
        }
        ResourceScope::Project(project) => in_chain(events, project.uuid()),
    }
}

/// Selects the events of the chain with this ID. Events without a team belong to no chain.
pub(crate) fn in_chain<T>(events: &mut Statement<T>, id: Uuid) {
    events.sql("team_id IS NOT NULL AND chain_id = ");
    events.id(id);
}

pub(crate) fn after<T>(events: &mut Statement<T>, position: i64) {
    events.sql(" AND position > ");
    events.count(position);
}

pub(crate) fn through<T>(events: &mut Statement<T>, position: i64) {
    events.sql(" AND position <= ");
    events.count(position);
}

/// Selects from both tables, in order.
pub(crate) fn select<T>(
    columns: &'static str,
    order: &'static str,
    limit: i64,
    conditions: impl Fn(&mut Statement<T>),
) -> Statement<T> {
    select_from(&[EVENTS, ITEM_CHANGES], columns, order, limit, conditions)
}

/// Selects from tables, in order. Each subquery has its own order and limit, because the databases do not merge the
/// tables in order.
fn select_from<T>(
    tables: &[&'static str],
    columns: &'static str,
    order: &'static str,
    limit: i64,
    conditions: impl Fn(&mut Statement<T>),
) -> Statement<T> {
    let mut select = Statement::new();
    select.sql(columns);
    for (number, table) in tables.iter().enumerate() {
        select.sql(if number == 0 { " FROM (SELECT * FROM (" } else { " UNION ALL SELECT * FROM (" });
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

pub(crate) fn oldest_first(start: i64, limit: i64, conditions: impl Fn(&mut Statement<Columns>)) -> Statement<Columns> {
    select(COLUMNS, OLDEST_FIRST, limit, |events| {
        conditions(events);
        after(events, start);
    })
}

pub(crate) fn newest_first(
    scope: ResourceScope,
    filter: &AuditFilter,
    start: Option<&Cursor>,
    limit: i64,
) -> Statement<Columns> {
    let tables: &[&'static str] = match filter.item_changes {
        ItemChanges::Include => &[EVENTS, ITEM_CHANGES],
        ItemChanges::Exclude => &[EVENTS],
        ItemChanges::Only => &[ITEM_CHANGES],
    };
    select_from(tables, COLUMNS, NEWEST_FIRST, limit, |events| {
        of_scope(events, scope);
        apply_filter(events, filter);
        before(events, start);
    })
}

/// Selects the events without a team that are about an account or an identity provider.
pub(crate) fn about(subject: Uuid, start: Option<&Cursor>, limit: i64) -> Statement<Columns> {
    select_from(&[EVENTS], COLUMNS, NEWEST_FIRST, limit, |events| {
        events.sql("team_id IS NULL AND chain_id = ");
        events.id(subject);
        before(events, start);
    })
}

/// Selects the events before the start of a page, newest first.
fn before(events: &mut Statement<Columns>, start: Option<&Cursor>) {
    if let Some(Cursor { id, .. }) = start {
        events.sql(" AND position < ");
        events.count(id.parse().unwrap_or_default());
    }
    events.sql(" AND ");
    events.sql(NOT_CANCELLED);
}

fn apply_filter(events: &mut Statement<Columns>, filter: &AuditFilter) {
    if let Some(actor) = filter.actor {
        events.sql(" AND (actor_id = ");
        events.id(actor);
        events.sql(" OR token_id = ");
        events.id(actor);
        events.sql(")");
    }
    if let Some(action) = &filter.action {
        events.sql(" AND action = ");
        events.text(action.as_str());
    }
    if let Some(target) = &filter.target {
        events.sql(" AND target_id IN (");
        events.text(target.as_str());
        if let Some(id) = filter.target_in_lower_case() {
            events.sql(", ");
            events.text(id);
        }
        events.sql(")");
    }
    // The marks limit the range of positions that is scanned.
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

pub(crate) fn settled_since(events: &mut Statement<Columns>, scope: ResourceScope, since: Option<At>) {
    of_scope(events, scope);
    not_before(events, since);
    events.sql(" AND position < ");
    events.sql(SETTLED_POSITION);
}

pub(crate) fn all_settled_since(events: &mut Statement<Columns>, since: Option<At>) {
    events.sql("position < ");
    events.sql(SETTLED_POSITION);
    not_before(events, since);
}

pub(crate) fn not_before(events: &mut Statement<Columns>, since: Option<At>) {
    if let Some(since) = since {
        events.sql(" AND at >= ");
        events.at(since);
    }
}
