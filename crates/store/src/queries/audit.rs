//! Events in rows: written with every change, in its transaction.

use diesel::prelude::*;
use steward_domain::changes::{Changes, Event};
use steward_domain::error::ResourceKind;
use uuid::Uuid;

use super::Conn;
use crate::error::JobError;
use crate::sql_types::{At, Id, Json};
use crate::tables::audit_events;

/// How many events one change may have: see the function `event_position` of PostgreSQL.
const MAX_EVENTS: usize = 4096;

/// One event as it is kept.
#[derive(Insertable)]
#[diesel(table_name = audit_events)]
struct Row<'a> {
    chain_id: Id,
    at: At,
    team_id: Option<Id>,
    project_id: Option<Id>,
    actor_kind: &'static str,
    actor_id: Option<Id>,
    token_id: Option<Id>,
    operation: &'static str,
    action: String,
    target_kind: &'static str,
    target_id: &'a str,
    before: Option<Json>,
    after: Option<Json>,
    request_id: &'a str,
    address: Option<String>,
}

/// The event of a write of an item. It is kept apart, by the statement that writes the item.
pub(super) struct ItemChange<'a> {
    /// Its place among the events of the change.
    pub(super) number: i64,
    pub(super) at: At,
    pub(super) team_id: Option<Id>,
    pub(super) action: String,
    pub(super) actor_kind: &'static str,
    pub(super) actor_id: Option<Id>,
    pub(super) token_id: Option<Id>,
    pub(super) operation: &'static str,
    pub(super) request_id: &'a str,
    pub(super) address: Option<String>,
}

/// The events with their places among those of the change.
fn numbered(changes: &Changes) -> impl Iterator<Item = (i64, &Event)> {
    (0..).zip(changes.events())
}

/// The events of writes of items, in the order of the writes.
pub(super) fn item_changes(changes: &Changes) -> impl Iterator<Item = ItemChange<'_>> {
    let permit = changes.permit();
    let (actor_kind, actor_id) = permit.actor().spelled();
    numbered(changes).filter(|(_, event)| event.kind == ResourceKind::Item).map(move |(number, event)| ItemChange {
        number,
        at: At(changes.at()),
        team_id: permit.team().map(|id| Id(id.uuid())),
        action: event.action(),
        actor_kind,
        actor_id: actor_id.map(Id),
        token_id: permit.actor().token().map(|id| Id(id.uuid())),
        operation: permit.operation().rule().name,
        request_id: &permit.request().id,
        address: permit.request().address.map(|address| address.to_string()),
    })
}

/// Records what is not recorded with its own statement: all but writes of items.
pub(super) fn record(conn: &mut Conn, changes: &Changes) -> Result<(), JobError> {
    if changes.events().len() > MAX_EVENTS {
        return Err(JobError::corrupt("a change with more events than have positions"));
    }
    let others = numbered(changes).filter(|(_, event)| event.kind != ResourceKind::Item);
    let placed = |(number, event)| (row(changes, event), audit_events::position.eq(super::next_position(number)));
    let rows: Vec<_> = others.map(placed).collect();
    if !rows.is_empty() {
        diesel::insert_into(audit_events::table).values(rows).execute(conn)?;
    }
    Ok(())
}

fn row<'a>(changes: &'a Changes, event: &'a Event) -> Row<'a> {
    let permit = changes.permit();
    let (actor_kind, actor_id) = permit.actor().spelled();
    let (team, project) = (permit.team().map(|id| id.uuid()), permit.project().map(|id| id.uuid()));
    Row {
        // What is about no team has no chain.
        chain_id: Id(team.map_or(Uuid::nil(), |team| project.unwrap_or(team))),
        at: At(changes.at()),
        team_id: team.map(Id),
        project_id: project.map(Id),
        actor_kind,
        actor_id: actor_id.map(Id),
        token_id: permit.actor().token().map(|id| Id(id.uuid())),
        operation: permit.operation().rule().name,
        action: event.action(),
        target_kind: event.kind.as_str(),
        target_id: &event.target,
        before: event.before.as_ref().map(|value| Json(value.to_string())),
        after: event.after.as_ref().map(|value| Json(value.to_string())),
        request_id: &permit.request().id,
        address: permit.request().address.map(|address| address.to_string()),
    }
}
