//! Events of the audit log as rows, and the statements that select them: administrative events and item changes, as one
//! list.

use chrono::TimeDelta;
use const_format::concatcp;
use diesel::dsl::{AsSelect, SqlTypeOf};
use diesel::sql_types::{BigInt, Nullable, Text};
use serde_json::json;
use steward_domain::administration::{AuditEvent, AuditFilter, ItemChanges};
use steward_domain::kernel::{Cursor, ResourceScope};
use uuid::Uuid;

use super::Backend;
use super::dialect::{NOT_CANCELLED, SETTLED_POSITION};
use super::kernel::page::{MeasuredRow, json_bytes};
use super::kernel::statement::{Fragment, Statement};
use crate::error::JobError;
use crate::sql_types::{At, Id, Uid};
use crate::tables::EventRow;

/// The SQL types of [`Row`].
pub(crate) type Columns = (SqlTypeOf<AsSelect<EventRow, Backend>>, Nullable<Uid>, Nullable<Text>);
/// An event; of an item change, also the user and the table of the item.
pub(crate) type Row = (EventRow, Option<Id>, Option<String>);

const COLUMNS: &str = "SELECT position, at, team_id, project_id, actor_kind, actor_id, token_id, operation, action, \
     target_kind, target_id, before, after, request_id, address, user_id, table_name";

/// Selects the rows of `audit_events`. [`ITEM_CHANGES`] selects the rows of the other table with the same columns.
const EVENTS: &str = "SELECT chain_id, position, at, team_id, project_id, actor_kind, actor_id, token_id, operation, action, \
     target_kind, target_id, before, after, request_id, address, CAST(NULL AS uuid) AS user_id, \
     CAST(NULL AS text) AS table_name FROM audit_events WHERE ";
const ITEM_CHANGES: &str = "SELECT * FROM (SELECT project_id AS chain_id, position, at, team_id, project_id, actor_kind, \
     actor_id, token_id, operation, action, 'item' AS target_kind, item_id AS target_id, CAST(NULL AS json) AS before, \
     CAST(NULL AS json) AS after, request_id, address, user_id, table_name FROM item_changes) AS changes WHERE ";
/// Both tables.
pub(crate) const TABLES: [&str; 2] = [EVENTS, ITEM_CHANGES];
pub(crate) const OLDEST_FIRST: &str = " ORDER BY position LIMIT ";
const NEWEST_FIRST: &str = " ORDER BY position DESC LIMIT ";

/// Numbers of events of each table that are examined, first and at most, for a page of those with an actor, an action or a
/// target: no index contains these.
pub(crate) const EXAMINED: [i64; 2] = [1_000, 50_000];

/// Maximum delay between the timestamp of an event and the time when it is written. It covers clock differences between
/// replicas and the duration of a change.
pub(crate) const TOLERANCE: TimeDelta = TimeDelta::hours(1);

pub(crate) fn event((row, user, table): Row) -> Result<AuditEvent, JobError> {
    let mut event = AuditEvent::try_from(row)?;
    if let (Some(user), Some(table)) = (user, table) {
        let state = if event.action.ends_with(".deleted") { &mut event.before } else { &mut event.after };
        *state = Some(json!({"user_id": user.0.to_string(), "table": table}));
    }
    Ok(event)
}

impl MeasuredRow for Row {
    fn bytes(&self) -> usize {
        json_bytes([self.0.before.as_ref(), self.0.after.as_ref()])
    }
}

/// Selects the events of a scope. Events of a project are found by their chain.
pub(crate) fn of_scope<T>(events: &mut Statement<T>, scope: ResourceScope) {
    match scope {
        ResourceScope::Team(team) => events.push("team_id = $1", &[Fragment::id(team)]),
        ResourceScope::Project(project) => in_chain(events, project.uuid()),
    }
}

/// Selects the events of the chain with this ID. Events without a team belong to no chain.
pub(crate) fn in_chain<T>(events: &mut Statement<T>, id: Uuid) {
    events.push("team_id IS NOT NULL AND chain_id = $1", &[Fragment::id(id)]);
}

pub(crate) fn after<T>(events: &mut Statement<T>, position: i64) {
    events.push(" AND position > $1", &[Fragment::Count(position)]);
}

pub(crate) fn through<T>(events: &mut Statement<T>, position: i64) {
    events.push(" AND position <= $1", &[Fragment::Count(position)]);
}

/// Selects from tables, in order. Each subquery has its own order and limit, because the databases do not merge the
/// tables in order.
pub(crate) fn select<T>(
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
        select.push("$1) AS one", &[Fragment::Count(limit)]);
    }
    select.sql(") AS events");
    select.sql(order);
    select.count(limit);
    select
}

pub(crate) fn oldest_first(start: i64, limit: i64, conditions: impl Fn(&mut Statement<Columns>)) -> Statement<Columns> {
    select(&TABLES, COLUMNS, OLDEST_FIRST, limit, |events| {
        conditions(events);
        after(events, start);
    })
}

/// Selects the events of a page. `last`: the position of the last event that is examined, if there is a limit.
pub(crate) fn newest_first(
    scope: ResourceScope,
    filter: &AuditFilter,
    (start, last): (Option<&Cursor>, Option<i64>),
    limit: i64,
) -> Statement<Columns> {
    select(&shown(TABLES, filter), COLUMNS, NEWEST_FIRST, limit, |events| {
        of_scope(events, scope);
        apply_filter(events, filter);
        if let Some(last) = last {
            events.push(" AND position >= $1", &[Fragment::Count(last)]);
        }
        before(events, start);
        events.sql(concatcp!(" AND ", NOT_CANCELLED));
    })
}

/// Returns what is about the tables that the filter selects.
fn shown([events, changes]: [&'static str; 2], filter: &AuditFilter) -> Vec<&'static str> {
    match filter.item_changes {
        ItemChanges::Include => vec![events, changes],
        ItemChanges::Exclude => vec![events],
        ItemChanges::Only => vec![changes],
    }
}

/// Selects the position before which events are not examined for a page, from indexes alone. It is NULL if all are.
pub(crate) fn last_examined(
    scope: ResourceScope,
    filter: &AuditFilter,
    start: Option<&Cursor>,
    examined: i64,
) -> Statement<Nullable<BigInt>> {
    let (tables, id): ([&str; 2], _) = match scope {
        ResourceScope::Team(team) => {
            (["audit_events WHERE team_id = $1", "item_changes WHERE team_id = $1"], team.uuid())
        }
        ResourceScope::Project(project) => {
            (["audit_events WHERE chain_id = $1", "item_changes WHERE project_id = $1"], project.uuid())
        }
    };
    let mut select = Statement::new();
    select.sql("SELECT max(position) FROM (SELECT CAST(NULL AS bigint) AS position");
    for table in shown(tables, filter) {
        select.sql(" UNION ALL SELECT * FROM (SELECT position FROM ");
        select.push(table, &[Fragment::id(id)]);
        in_marks(&mut select, filter);
        before(&mut select, start);
        select.sql(NEWEST_FIRST);
        select.push("1 OFFSET $1) AS one", &[Fragment::Count(examined)]);
    }
    select.sql(") AS last");
    select
}

/// Selects the events without a team that are about an account or an identity provider.
pub(crate) fn about(subject: Uuid, start: Option<&Cursor>, limit: i64) -> Statement<Columns> {
    select(&[EVENTS], COLUMNS, NEWEST_FIRST, limit, |events| {
        events.push("team_id IS NULL AND chain_id = $1", &[Fragment::id(subject)]);
        before(events, start);
        events.sql(concatcp!(" AND ", NOT_CANCELLED));
    })
}

/// Selects the events before the start of a page, newest first.
fn before<T>(events: &mut Statement<T>, start: Option<&Cursor>) {
    if let Some(Cursor { id, .. }) = start {
        events.push(" AND position < $1", &[Fragment::Count(id.parse().unwrap_or_default())]);
    }
}

fn apply_filter(events: &mut Statement<Columns>, filter: &AuditFilter) {
    if let Some(actor) = filter.actor {
        events.push(" AND (actor_id = $1 OR token_id = $1)", &[Fragment::id(actor)]);
    }
    if let Some(action) = &filter.action {
        events.push(" AND action = $1", &[Fragment::text(action.as_str())]);
    }
    if let Some(target) = &filter.target {
        let lower = filter.target_in_lower_case().unwrap_or_else(|| target.as_str().to_owned());
        events.push(" AND target_id IN ($1, $2)", &[Fragment::text(target.as_str()), Fragment::text(lower)]);
    }
    if let Some(from) = filter.from {
        events.push(" AND at >= $1", &[Fragment::at(from)]);
    }
    if let Some(to) = filter.to {
        events.push(" AND at < $1", &[Fragment::at(to)]);
    }
    in_marks(events, filter);
}

/// Selects the events between the marks around the times of the filter, which limit the range of positions that is scanned.
fn in_marks<T>(events: &mut Statement<T>, filter: &AuditFilter) {
    if let Some(from) = filter.from {
        const FROM: &str = " AND position > \
             coalesce((SELECT position FROM event_marks WHERE at <= $1 ORDER BY at DESC LIMIT 1), 0)";
        events.push(FROM, &[Fragment::at(from - TOLERANCE)]);
    }
    if let Some(to) = filter.to {
        const TO: &str = " AND position <= coalesce((SELECT position FROM event_marks WHERE at >= $1 \
             ORDER BY at LIMIT 1), 9223372036854775807)";
        events.push(TO, &[Fragment::at(to + TOLERANCE)]);
    }
}

const IS_SETTLED: &str = concatcp!("position < ", SETTLED_POSITION);

pub(crate) fn settled_since(events: &mut Statement<Columns>, scope: ResourceScope, since: Option<At>) {
    of_scope(events, scope);
    not_before(events, since);
    events.sql(concatcp!(" AND ", IS_SETTLED));
}

pub(crate) fn all_settled_since(events: &mut Statement<Columns>, since: Option<At>) {
    events.sql(IS_SETTLED);
    not_before(events, since);
}

pub(crate) fn not_before(events: &mut Statement<Columns>, since: Option<At>) {
    if let Some(since) = since {
        events.push(" AND at >= $1", &[Fragment::At(since)]);
    }
}
