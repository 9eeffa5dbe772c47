//! Stores audit events in the transaction of their change.

use diesel::prelude::*;
use steward_domain::kernel::ProjectId;
use steward_domain::kernel::changes::{Changes, Event};
use steward_domain::kernel::error::ResourceKind;

use super::Conn;
use super::dialect::next_position;
use crate::dialect::MAX_WRITES;
use crate::error::JobError;
use crate::sql_types::{At, Id, Json};
use crate::tables::audit_events;

/// What is stored of every event: of those of item writes, by the statement that writes the item.
#[derive(Insertable)]
#[diesel(table_name = audit_events)]
pub(crate) struct NewEvent<'a> {
    /// Index of the write within the change, starting at 0.
    #[diesel(skip_insertion)]
    pub(crate) number: i64,
    pub(crate) at: At,
    pub(crate) team_id: Option<Id>,
    pub(crate) action: String,
    pub(crate) actor_kind: &'static str,
    pub(crate) actor_id: Option<Id>,
    pub(crate) token_id: Option<Id>,
    pub(crate) operation: &'static str,
    pub(crate) request_id: &'a str,
    pub(crate) address: Option<String>,
}

/// An event that is not about an item.
#[derive(Insertable)]
#[diesel(table_name = audit_events)]
struct Row<'a> {
    chain_id: Id,
    project_id: Option<Id>,
    target_kind: &'static str,
    target_id: &'a str,
    before: Option<Json>,
    after: Option<Json>,
    #[diesel(embed)]
    event: NewEvent<'a>,
}

/// Returns what is stored of an event. `number` is the index of the write within the change.
pub(crate) fn new_event<'a>(changes: &'a Changes, number: i64, event: &Event) -> NewEvent<'a> {
    let permit = changes.permit();
    let (actor_kind, actor_id) = permit.actor().formatted();
    NewEvent {
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
    }
}

/// Stores all events except those of item writes, which are stored by the statements that write the items.
pub(crate) fn record(conn: &mut Conn, changes: &Changes) -> Result<(), JobError> {
    let writes = changes.recorded_writes();
    if i64::try_from(writes.len()).is_ok_and(|writes| writes > MAX_WRITES) {
        return Err(JobError::corrupt(format_args!("a change with more than {MAX_WRITES} writes")));
    }
    let of_writes = (0..)
        .zip(writes)
        .filter_map(|(number, recorded)| Some((number, recorded.event.as_ref()?, changes.project_of(&recorded.write))));
    let events = of_writes.chain(changes.refusal().map(|refusal| (0, refusal, changes.permit().project())));
    let others = events.filter(|(_, event, _)| event.kind != ResourceKind::Item);
    let positioned = |(number, event, project)| {
        (row(changes, number, event, project), audit_events::position.eq(next_position(number)))
    };
    let rows: Vec<_> = others.map(positioned).collect();
    if !rows.is_empty() {
        diesel::insert_into(audit_events::table).values(rows).execute(conn)?;
    }
    Ok(())
}

fn row<'a>(changes: &'a Changes, number: i64, event: &'a Event, project: Option<ProjectId>) -> Row<'a> {
    let (team, project) = (changes.permit().team().map(|id| id.uuid()), project.map(|id| id.uuid()));
    // Events without a team have no chain. They are found by what they are about.
    let subject = || changes.subject_of(event).unwrap_or_default();
    Row {
        chain_id: Id(team.map_or_else(subject, |team| project.unwrap_or(team))),
        project_id: project.map(Id),
        target_kind: event.kind.as_str(),
        target_id: &event.target,
        before: event.before.as_ref().map(|value| Json(value.to_string())),
        after: event.after.as_ref().map(|value| Json(value.to_string())),
        event: new_event(changes, number, event),
    }
}
