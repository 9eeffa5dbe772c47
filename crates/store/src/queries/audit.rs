//! The audit trail in rows: written with every change, in its transaction.

use diesel::prelude::*;
use steward_domain::changes::{Changes, Event};
use steward_domain::error::Kind;

use super::Conn;
use crate::error::Fault;
use crate::sql_types::{At, Id, Json};
use crate::tables::audit_events;

/// One event as it is kept.
#[derive(Insertable)]
#[diesel(table_name = audit_events)]
pub(super) struct Row<'a> {
    pub at: At,
    pub team_id: Option<Id>,
    pub project_id: Option<Id>,
    pub actor_kind: &'static str,
    pub actor_id: Option<Id>,
    pub token_id: Option<Id>,
    pub operation: &'static str,
    pub action: String,
    pub target_kind: &'static str,
    pub target_id: &'a str,
    pub before: Option<Json>,
    pub after: Option<Json>,
    pub request_id: &'a str,
    pub address: Option<String>,
}

/// Records what is not recorded with its own statement: all but writes of items.
pub(super) fn record(conn: &mut Conn, changes: &Changes) -> Result<(), Fault> {
    let others = changes.events().iter().filter(|event| event.kind != Kind::Item);
    let rows: Vec<Row<'_>> = others.map(|event| row(changes, event)).collect();
    if !rows.is_empty() {
        diesel::insert_into(audit_events::table).values(rows).execute(conn)?;
    }
    Ok(())
}

pub(super) fn row<'a>(changes: &'a Changes, event: &'a Event) -> Row<'a> {
    let permit = changes.permit();
    let (actor_kind, actor_id) = permit.actor().spelled();
    Row {
        at: At(changes.at()),
        team_id: permit.team().map(|id| Id(id.uuid())),
        project_id: permit.project().map(|id| Id(id.uuid())),
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
